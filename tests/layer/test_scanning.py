"""The translator's first look: a text that passes it is the driver's, without a preprocessor."""

import pytest

from halfcl import cl, device
from halfcl.cl._layer.scanning import is_free_of_halves, is_translation


def is_free(source, options="", **headers):
    fields = {f"header:{name}": text.encode() for name, text in headers.items()}
    return is_free_of_halves({"source": source.encode(), "options": options.encode(), **fields})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "plain.h": '#include "inner/a.h"\n#include <plain.h>\n', "inner/a.h": '# include "b.h"\n',
        "inner/b.h": "", "modes.h": "#pragma OPENCL SELECT_ROUNDING_MODE rtp\n",
        "inner/deep.h": '#if 0\n#include "../modes.h"\n#endif\n',
    }  # fmt: skip
    (tmp_path / "inner").mkdir()
    (tmp_path / "blank folder").mkdir()
    (tmp_path / "blank folder/c.h").write_text("")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("kernel void k(global float *a) {}", "-DN=4"),
        ('#include "plain.h"\n', "-I ."),
        ("#include <b.h>\n", "-I inner"),
        ("  #  include <b.h> // why\n", "-Iinner"),
        ("#include <c.h>\n", '-I "blank folder"'),
        ("#include <c.h>\n", "-DA -I 'blank folder' -w"),
    ],
)
def test_text_without_halves_and_modes_is_free(folder, source, options):
    assert is_free(source, options)


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("half x;", ""),
        ("ha\\\nlf x;", ""),
        ('#inc\\ \r\nlude "modes.h"', ""),
        ("vload_half(0, p);", ""),
        ("REAL x;", "-DREAL=half"),
        ("#ifdef cl_khr_fp16", ""),
        ("#ifdef cl_khr_select_fprounding_mode", ""),
        ("#if __has_include(<a.h>)", ""),
        ('#include "modes.h"', ""),
        ("#include <deep.h>", "-Iinner"),
        ("#include NAME", "-DNAME=<b.h>"),
        ("#include <none.h>", "-Iinner"),
        ("#include <b.h>", ""),
        ('#include "inner"', ""),
        ('#include "/dev/zero"', ""),
        ('%: include "modes.h"', ""),
    ],
)
def test_all_else_is_looked_at_closely(folder, source, options):
    assert not is_free(source, options)


def test_headers_in_memory_are_texts_of_their_own(folder):
    assert is_free("#include <m.h>", **{"m.h": ""})
    assert not is_free("", **{"m.h": "half x;"})
    assert not is_free("#include <m.h>", **{"m.h": '#include "modes.h"'})


def test_texts_of_halfcl_itself_are_recognized():
    head = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    text = cl.translate(f"{head}kernel void k(global half *a) {{ a[0] += a[1]; }}", fp16=False)
    for own in (text, device.opencl(["exp"])):
        assert is_translation({"source": own.encode()})
    assert not is_translation({"source": b"// #define HCI_FUNCTION x\nkernel void k(half a) {}"})
