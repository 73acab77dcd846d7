"""Included files in translations: included as before, or written in with #line."""

import re

import numpy as np
import pytest
from cl_devices import device_of

from halfcl import cl

HEAD = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
GUARD = "#ifndef TYPES\n#define TYPES\n{}#endif\n"
TYPES = GUARD.format("typedef half T; /* as in */\n#define TWO 2\n#define ADD(a, b) ((a) + (b))\n")
FUNCTION = "#pragma once\nT twice(T x) { return x * TWO; }\n"
KERNEL = "kernel void k(global T *p) { p[0] = ADD(p[1], TWO); }\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "types.h").write_text(TYPES)
    (tmp_path / "twice.h").write_text(FUNCTION)
    return tmp_path


def own(source, **settings):
    """Return the translation behind the functions that it calls."""
    text = cl.translate(source, name="k.cl", rounding="rte", **settings)
    return text.partition('#line 1 "k.cl"\n')[2]


def test_files_without_changes_are_included_as_before(folder):
    source = f'{HEAD}  #include "types.h" // of the project\n{KERNEL}'
    text = own(source)
    assert '\n  #include "types.h" // of the project\nkernel void k' in text
    assert "p[0] = (hc_add_rte((p[1]), 2.0h));" in text


@pytest.mark.parametrize("guard", ["#ifndef TYPES", "#if !defined(TYPES)", "# if !defined TYPES "])
def test_guards_are_no_changes(folder, guard):
    (folder / "types.h").write_text(TYPES.replace("#ifndef TYPES", guard))
    text = own(f'{HEAD}#include "types.h"\n#include "types.h"\n{KERNEL}')
    assert text.count('#include "types.h"\n') == 2
    assert "#line" not in text


def test_other_conditions_are_resolved_in_the_text(folder):
    condition = "#ifdef cl_khr_select_fprounding_mode\ntypedef half T;\n#endif\n"
    (folder / "types.h").write_text(condition)
    text = own(f'{HEAD}#include "types.h"\nkernel void k(global T *p) {{ p[0] = 1; }}\n')
    assert '#line 1 "types.h"\n#if 1 // ifdef cl_khr_select_fprounding_mode\n' in text
    assert '#endif\n#line 3 "k.cl"\nkernel' in text


def test_files_with_changes_are_written_in(folder):
    kernel = KERNEL.replace("p[1]", "twice(p[1])")
    source = f'{HEAD}#include "types.h"\n#include "twice.h"\n{kernel}#include "twice.h"\n'
    text = own(source)
    wanted = (
        '#include "types.h"\n#line 1 "twice.h"\n// #pragma once\n'
        "HCI_INLINE T twice(T x) { return hc_multiply_rte(x, 2.0h); }\n"
        '#line 4 "k.cl"\nkernel void k'
    )
    assert wanted in text
    assert text.endswith('#line 1 "twice.h"\n\n#line 6 "k.cl"\n')  # once is once


def test_files_in_files(folder):
    (folder / "sub" / "outer.h").write_text('#include "inner.h"\nT f(T x) { return INNER(x); }\n')
    (folder / "sub" / "inner.h").write_text('#include "types.h"\n#define INNER(x) ((x) * TWO)\n')
    text = own(f'{HEAD}#include "sub/outer.h"\nkernel void k(global T *p) {{ p[0] = f(p[1]); }}\n',
               options="-I .")  # fmt: skip
    # a file in sub/ could include inner.h, k.cl could not
    inner = '#line 1 "sub/inner.h"\n#include "types.h"\n#define INNER(x) ((x) * TWO)\n'
    assert f'#line 1 "sub/outer.h"\n{inner}#line 2 "sub/outer.h"\nHCI_INLINE T f(T x)' in text
    assert 'return (hc_multiply_rte((x), 2.0h)); }\n#line 3 "k.cl"\n' in text


def test_files_without_changes_with_files_in_them(folder):
    (folder / "sub" / "outer.h").write_text('#include "inner.h"\n')
    (folder / "sub" / "inner.h").write_text("#define TWO 2.0f\n")
    source = '#include "sub/outer.h"\nkernel void k(global float *p) { p[0] = TWO; }\n'
    assert own(source) == source


def test_folders_of_the_options(folder):
    (folder / "sub" / "far.h").write_text("half far(half x) { return x + 1; }\n")
    source = f"{HEAD}#include <far.h>\nkernel void k(global half *p) {{ p[0] = far(p[1]); }}\n"
    text = own(source, options="-I sub")
    assert '#line 1 "sub/far.h"\nHCI_INLINE half far' in text


def test_names_that_are_macros(folder):
    source = f'{HEAD}#define FILE "types.h"\n#include FILE\n{KERNEL}'
    assert "\n#include FILE\n" in own(source)
    source = f'{HEAD}#include "types.h"\n#define FILE "twice.h"\n#include FILE\n{KERNEL}'
    assert '#line 1 "twice.h"\n' in own(source)


@pytest.mark.parametrize("condition", ["#if 0", "#ifdef NOWHERE", "#if 1\n#else"])
def test_files_in_branches_that_are_not_taken_need_not_exist(condition, folder):
    source = f'{condition}\n#include "nowhere.h"\n#endif\n{HEAD}#include "types.h"\n{KERNEL}'
    assert '#include "nowhere.h"\n#endif' in own(source)


def test_conditions_on_macros_of_files(folder):
    source = (
        f'{HEAD}#include "types.h"\n#if TWO == 2\n#include "twice.h"\n#else\nno\n#endif\n{KERNEL}'
    )
    text = own(source)
    assert '#if 1 // if TWO == 2\n#line 1 "twice.h"\n' in text


def test_files_inside_of_declarations(folder):
    (folder / "data.h").write_text("1, 2.5h, 3\n")
    source = f'{HEAD}constant half t[] = {{\n#include "data.h"\n}};\n'
    source += "kernel void k(global half *p) { p[0] = t[1]; }\n"
    assert '{\n#line 1 "data.h"\n1.0h, 2.5h, 3.0h\n#line 4 "k.cl"\n};' in own(source)


@pytest.mark.parametrize(
    ("where", "place"), [("k.cl", r"k\.cl:4:29"), ("bad.h", r"bad\.h:2:29"), ("types.h", "k.cl:3")]
)
def test_refusals_have_the_place_in_their_file(where, place, folder):
    bad = "\nfloat bad(float x) { return exp(x); }\n"
    (folder / "bad.h").write_text(bad if where == "bad.h" else "\n\n")
    more = bad[1:] if where == "k.cl" else ""
    use = "kernel void k(global T *p) { p[0] = EXP(p[1]); }\n" if where == "types.h" else ""
    (folder / "types.h").write_text(f"{TYPES}#define EXP(x) exp((float)(x))\n")
    bad_include = '#include "bad.h"\n' if where != "types.h" else ""
    with pytest.raises(cl.BuildError, match=rf"^{place}.*exp of float"):
        own(f'{HEAD}#include "types.h"\n{bad_include}{more}{use}')


def test_calls_left_to_the_device_have_the_place_in_their_file(folder):
    (folder / "f.h").write_text("\nfloat f(float x) { return exp(x); }\n")
    source = '#include "f.h"\nkernel void k(global float *p) { p[0] = f(p[1]); }'
    for language in ("opencl", "cuda"):
        settings = {"name": "k.cl", "float_functions": "device", "full_output": True}
        calls = cl.translate(source, language, **settings).device_calls
        assert [str(call) for call in calls] == ["f.h:2:27: exp of float"]


def test_missing_files_are_errors(folder):
    with pytest.raises(cl.BuildError, match=r"k\.cl:1:10: error: 'nowhere\.h' file not found"):
        own('#include "nowhere.h"\n')


def test_cuda_has_all_in_one_text(folder):
    source = f'{HEAD}#include "types.h"\n#include "twice.h"\n'
    source += "kernel void k(global T *p) { p[0] = ADD(twice(p[1]), TWO); }\n"
    text = cl.translate(source, "cuda", rounding="rte")
    assert "#include <cuda_fp16.h>" in text
    assert not re.search(r"(types|twice)\.h", text)
    assert "p[0] = hc_add_rte(cl::twice(p[1]), HCL_HALF(0x4000 /* 2.0 */));" in text


@pytest.fixture(params=["cuda", "opencl"])
def device(request):
    yield from device_of(request.param)


def test_devices_get_one_text(folder, device):
    """They need not find the files, whatever their compilers' working directory is."""
    source = f'{HEAD}#include "types.h"\n#include "twice.h"\n'
    source += "kernel void k(global T *p) { p[0] = ADD(twice(p[1]), TWO); }\n"
    program = cl.Program(source, device=device)
    text = str(program.kernels[0]._device.translation("rte").text)
    assert not re.search(r'#\s*include\s*"', text)
    p = np.array([0, 1.25], np.float16)
    program.k(1, 1, p)
    assert p[0] == 4.5


def test_file_that_is_first_included_by_another_is_written_there(folder):
    (folder / "outer.h").write_text(
        '#pragma once\n#include "twice.h"\nT four(T x) { return twice(twice(x)); }\n'
    )
    source = f'{HEAD}#include "types.h"\n#include "outer.h"\n#include "twice.h"\n'
    text = own(f"{source}kernel void k(global T *p) {{ p[0] = four(p[1]); }}\n")
    assert text.index("T twice(T x)") < text.index("T four(T x)")
    assert text.count("T twice(T x)") == 1


def test_files_are_not_limited_by_how_many_include_others(folder):
    count = 250  # more than may include each other
    for number in range(count):
        name = f"f{number}"
        text = f'#pragma once\n#include "twice.h"\nT {name}(T x) {{ return x + 1; }}\n'
        (folder / f"{name}.h").write_text(text)
    includes = "".join(f'#include "f{number}.h"\n' for number in range(count))
    source = (
        f'{HEAD}#include "types.h"\n{includes}kernel void k(global T *p) {{ p[0] = f9(p[1]); }}\n'
    )
    text = own(source)
    assert text.count("T twice(T x)") == 1 and text.count("(T x) ;") == count
    assert text.count("return hc_add_rte(x, 1.0h)") == 1
