"""The translator's answer to a request: the text, the driver's options, the log."""

import pytest
from compiled_texts import compile_text
from exhaustive import either
from hypothesis import given, settings, strategies as st
from layer_translator import CPU, SOURCE

from halfcl import cl
from halfcl.cl._layer.cache import Cache
from halfcl.cl._layer.serving import Server
from halfcl.cl._layer.translating import translate_request

GPU = {**CPU, "device.IS_CPU": b"0", "device.SINGLE_FP_CONFIG": b"7"}
WITH_HALF = {**CPU, "device.EXTENSIONS": b"cl_khr_fp16 cl_khr_fp64"}


def ask(source, options="", device=CPU, **fields):
    """Return the answer, as text, and the files searched."""
    source = source if isinstance(source, bytes) else source.encode()
    request = {"source": source, "options": options.encode(), **device, **fields}
    answer, searched = translate_request(request)
    text = {key: value.decode("utf-8", "replace") for key, value in answer.items()}
    if "text" in text:
        compile_text(text["text"], "opencl", "")
    return text, searched


def own_text(answer):
    """Return the author's part of a translation."""
    return answer["text"].partition('#line 1 "program.cl"\n')[2]


def refusal(source, *args, **fields):
    answer, _ = ask(source, *args, **fields)
    assert answer["status"] == "refused"
    assert set(answer) == {"status", "log"}
    return answer["log"]


def kernel(statement, parameters="global half *a"):
    return f"kernel void k({parameters}) {{ {statement} }}"


# ---------------------------------------------------------------- the text


@pytest.mark.parametrize("device", [CPU, WITH_HALF], ids=["bits", "fp16"])
def test_text_is_that_of_translate(device):
    answer, _ = ask(SOURCE, device=device)
    fp16 = device is WITH_HALF
    assert answer["text"] == cl.translate(SOURCE.decode(), fp16=fp16, rounding="rte")
    assert answer["log"] == ""


@pytest.mark.parametrize(
    "source",
    [
        "kernel void k(global float *a) { a[0] = exp(a[0]); } // half",
        "/* half */ kernel void k(global float *a) { int upper_half, halfway; }",
        "kernel void k(global float *a) { a[0] = half_sqrt(a[0]); }",
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global float *a) {}",
        "#define REAL half\n#define REAL2 float\nkernel void k(global REAL2 *a) {}",
        "#if 0\nhalf x;\n#endif\nkernel void k(global float *a) {}",
        "kernel void k(global float *a) { this is wrong } // half",
        "",
    ],
)
def test_program_without_halves_and_modes_is_untouched(source):
    assert ask(source)[0] == {"status": "ok", "passes": "untouched"}


@pytest.mark.parametrize(
    "source",
    [
        kernel("vstore_half(x, 0, a);", "global half *a, float x"),
        kernel("a[0] = vload_half(0, b);", "global float *a, global const half *b"),
        "#ifdef cl_khr_fp16\nkernel void k(global float *a) {}\n#endif",
        "#if defined(cl_khr_select_fprounding_mode)\nkernel void k(global float *a) {}\n#endif",
        "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"
        "#pragma OPENCL SELECT_ROUNDING_MODE rtz\nkernel void k(global float *a) { a[0] += a[1]; }",
        "typedef half real;\nkernel void k(global real *a) {}",
    ],
)
def test_program_with_halves_or_modes_is_translated(source):
    answer, _ = ask(source)
    assert answer["status"] == "ok"
    assert "text" in answer


def test_option_brings_halves():
    source = "kernel void k(global REAL *a) { a[0] += a[1]; }"
    assert ask(source, "-DREAL=float")[0].get("passes") == "untouched"
    assert "hc_add_rte" in own_text(ask(source, "-D REAL=half")[0])


def test_halves_need_no_pragma():
    assert "hc_add_rte(a[0], a[1])" in own_text(ask(kernel("a[0] = a[0] + a[1];"))[0])


def test_text_in_another_encoding_stays_so():
    answer, _ = translate_request({"source": b"// \xe9\nkernel void k(half a) {}", **CPU})
    assert b"// \xe9\n" in answer["text"]
    answer, _ = translate_request({"source": "// é\nkernel void k(half a) {}\0".encode(), **CPU})
    assert "// é\n".encode() in answer["text"]


def test_conditions_ask_for_the_devices_extensions():
    source = "#ifdef cl_khr_fp64\n#define N 1\n#else\n#define N 2\n#endif\n"
    source += kernel("a[0] = N;")
    without = {**CPU, "device.EXTENSIONS": b""}
    assert "/* 1 */" in own_text(ask(source)[0])
    assert "/* 2 */" in own_text(ask(source, device=without)[0])


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ("", ""),
        ("-cl-std=CL1.2 -cl-kernel-arg-info", "-cl-std=CL1.2 -cl-kernel-arg-info"),
        ("-D N=4 -DM -I /none -I/none", ""),
        ("-cl-fast-relaxed-math -cl-mad-enable -cl-unsafe-math-optimizations", ""),
        ("-cl-no-signed-zeros -cl-denorms-are-zero -cl-finite-math-only", ""),
        ("-Werror -w -cl-ext=+cl_khr_fp64", ""),
        ("-cl-single-precision-constant -cl-opt-disable -g", None),
        ("-cl-nv-maxrregcount=32 -O3 --unknown", None),
        ('-D "N=4 + 4" -cl-vendor="a b"', '"-cl-vendor=a b"'),
    ],
)
def test_options_of_the_driver(options, kept):
    answer, _ = ask(kernel("a[0] = 1;"), options)
    words = options if kept is None else kept
    added = "-cl-fp32-correctly-rounded-divide-sqrt -DHC_NATIVE_DIVISION -w"
    assert answer["options"] == f"{words} {added}".strip()


def test_macro_of_fast_math_is_defined():
    source = "#ifdef __FAST_RELAXED_MATH__\n" + kernel("a[0] = 7;") + "\n#endif"
    assert "/* 7 */" in own_text(ask(source, "-cl-fast-relaxed-math")[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-D '", "No closing quotation"),
        ("-cl-std=CLC++", "CLC++"),
        ("-D 3=4", "expected a name after -D"),
    ],
)
def test_malformed_options_are_refused(options, message):
    log = refusal(kernel("a[0] = 1;"), options)
    assert log.startswith("error: options: ")
    assert message in log


def test_warnings_are_errors_by_the_option():
    source = "#pragma OPENCL unknown\n" + kernel("a[0] = 1;")
    assert ask(source)[0]["log"].startswith("program.cl:1:")
    assert "error: unknown pragma" in refusal(source, "-Werror")


# ---------------------------------------------------------------- what is refused


def test_errors_name_the_authors_lines():
    assert refusal("\n" + kernel("a[0] = x;")).startswith("program.cl:2:")


def test_functions_of_float_are_refused_or_left_to_the_device():
    source = kernel("a[0] = exp(x);", "global half *a, float x")
    log = refusal(source)
    assert "program.cl:1:" in log
    assert "HALFCL_LAYER_FLOATS=device" in log
    assert "exp(x)" in own_text(ask(source, floats=b"device")[0])


ROOM = {"device.MAX_WORK_GROUP_SIZE": b"1024", "device.LOCAL_MEM_SIZE": b"8192"}
GROUPS = {**CPU, **ROOM, "device.EXTENSIONS": b"cl_khr_subgroups cl_khr_subgroup_shuffle"}


@pytest.mark.parametrize(
    ("front", "statement", "rules"),
    [
        ("", "a[0] = sub_group_reduce_add(a[1]);", "k\t512\t32\t0\t0\n"),
        ("", "a[0] = work_group_any(1);", "k\t512\t32\t0\t0\n"),
        ("", "if (*a) a[0] = sub_group_reduce_add(a[1]);", "k\t32\t32\t0\t0\n"),
        ("", "if (get_local_id(1)) a[0] = sub_group_shuffle(a[1], 0);", "k\t32\t32\t1\t0\n"),
        ("intel_reqd_sub_group_size(8)", "if (*a) a[0] = sub_group_any(1);", "k\t8\t8\t0\t0\n"),
        ("reqd_work_group_size(64, 2, 1)", "*a = sub_group_all(1);", "k\t128\t32\t2\t0\n"),
    ],
)
def test_rules_of_launches_with_sub_groups(front, statement, rules):
    source = kernel(statement)
    if front:
        source = source.replace("kernel", f"kernel __attribute__(({front}))", 1)
    answer, _ = ask(source, "-cl-std=CL3.0", device=GROUPS)
    assert answer["status"] == "ok", answer["log"]
    assert answer["launches"] == rules
    assert "(global half *a) { local ulong hc_slots[" in own_text(answer)
    lines = [f"k\t{front}"] if front else ["k\t"]
    assert answer["attributes"].splitlines() == lines


@pytest.mark.parametrize(
    ("front", "statement", "message"),
    [
        ("reqd_work_group_size(1024, 1, 1)", "*a = sub_group_all(1);", "lacks local memory"),
        ("reqd_work_group_size(64, 1, 1)", "if (*a) *a = sub_group_all(1);", "(of 32)"),
        (
            "reqd_work_group_size(8, 2, 1)",
            "if (get_local_id(1)) *a = sub_group_shuffle(*a, 0);",
            "(of 32, which must lie along x)",
        ),
    ],
)
def test_sizes_of_work_groups_that_are_refused(front, statement, message):
    source = kernel(statement).replace("kernel", f"kernel __attribute__(({front}))", 1)
    log = refusal(source, "-cl-std=CL3.0", device=GROUPS)
    assert log.startswith("program.cl:1:")
    assert message in log
    without = {**GROUPS, "device.LOCAL_MEM_SIZE": b""}
    log = refusal(kernel("*a = sub_group_all(1);"), "-cl-std=CL3.0", device=without)
    assert "lacks local memory" in log


def test_sub_groups_in_functions_of_other_programs():
    function = "half f(half x) { return sub_group_reduce_add(x); }"
    arguments = {"device": GROUPS, "stage": b"compile"}
    assert "make it static" in refusal(function, "-cl-std=CL3.0", **arguments)
    source = f"static {function}\n{kernel('a[0] = f(a[0]);')}"
    assert ask(source, "-cl-std=CL3.0", **arguments)[0]["launches"] == "k\t512\t32\t0\t0\n"


IMAGE = "global half *a, read_only image2d_t i, sampler_t s"
READS = "a[0] = read_imageh(i, s, (float2)(1)).x;"


def test_samplers_of_arguments_are_numbers():
    answer, _ = ask(kernel(READS, IMAGE), device=WITH_HALF)
    assert f"kernel void k({IMAGE})" in own_text(answer)
    assert "\n#define sampler_t uint\n" in answer["text"]
    assert answer["launches"] == "k\t0\t0\t0\t4\n"
    assert answer["types"] == "k\t2\tsampler_t\n"


def test_samplers_are_the_same_in_all_programs_that_are_linked():
    function = "half4 f(read_only image2d_t i, sampler_t s)"
    for source in (
        f"{function} {{ return read_imageh(i, s, (float2)(1)); }}",
        f"{function};\n{kernel('a[0] = f(i, CLK_FILTER_NEAREST).x;', IMAGE)}",
    ):
        assert "#define sampler_t uint" in ask(source, stage=b"compile")[0]["text"]
    called = f"{function} {{ return read_imageh(i, s, (float2)(1)); }}\n"
    called += kernel("a[0] = f(i, CLK_FILTER_NEAREST).x;", "global half *a, read_only image2d_t i")
    assert "sampler_t uint" not in ask(called)[0]["text"]


def test_samplers_behind_the_64th_argument_are_refused():
    parameters = ", ".join(
        ["global half *a, read_only image2d_t i", *(f"int b{n}" for n in range(62))]
    )
    assert "launches" not in ask(kernel("a[0] = 1;", parameters))[0]
    assert "samplers behind" in refusal(kernel(READS, f"{parameters}, sampler_t s"))


@pytest.mark.parametrize(
    ("statement", "lacking"),
    [
        ("double d = 1; a[0] = d;", {"device.DOUBLE_FP_CONFIG": b"0"}),
        ("float x = a[0]; a[0] = x / 3;", {"device.IS_CPU": b"0", "device.SINGLE_FP_CONFIG": b"7"}),
        ("a[0] = 1;", {"device.SINGLE_FP_CONFIG": b"0"}),
        ("a[0] = 1;", {"device.SINGLE_FP_CONFIG": b"not a number"}),
    ],
)
def test_device_that_lacks_something_is_refused(statement, lacking):
    assert " lacks what " in refusal(kernel(statement), device={**CPU, **lacking})


def test_division_of_the_device_is_accepted_with_its_functions():
    source = kernel("float x = a[0]; a[0] = x / 3;")
    answer, _ = ask(source, device=GPU, floats=b"device")
    assert answer["options"] == "-w"
    assert "HALFCL_LAYER_FLOATS=device" in refusal(source, device=GPU)


# ---------------------------------------------------------------- several programs, and files

CALLER = "half twice(half x);\n" + kernel("a[0] = twice(a[1]) + 1;")


def test_functions_of_other_programs():
    text = own_text(ask(CALLER, stage=b"compile")[0])
    assert "half twice(half x);" in text
    assert "hc_add_rte(twice(a[1])" in text
    library = own_text(ask("half twice(half x) { return x * 2; }", stage=b"compile")[0])
    assert "half twice(half x) { return hc_multiply_rte(x, " in library
    assert "has no body" in refusal(CALLER, stage=b"build")


def test_headers_are_read_from_the_request(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.h").write_text("#error on the disk\n")
    source = '#include "f.h"\n#include <d/g.h>\n' + kernel("a[0] = twice(a[1]) + K;")
    headers = {
        "header:f.h": b"half twice(half x) { return 2 * x; }\n",
        "header:d/g.h": b'#pragma once\n#include "h.h"\n#include "../d/h.h"\n',
        "header:d/h.h": b"#ifndef K\n#define K 3\n#endif\n",
    }
    answer, searched = ask(source, stage=b"compile", **headers)
    assert answer["status"] == "ok"
    assert searched == []
    lines = own_text(answer).splitlines()
    assert lines[0] == '#line 1 "f.h"'
    assert "hc_multiply_rte(" in lines[1]
    assert '#line 1 "d/h.h"' in lines


def test_errors_in_headers_name_them():
    log = refusal('#include "f.h"\n' + kernel("a[0] = 1;"), **{"header:f.h": b"\n#error no\n"})
    assert log.startswith("f.h:2:")


def test_pragmas_in_headers_set_modes():
    header = b"#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"
    header += b"#pragma OPENCL SELECT_ROUNDING_MODE rtn\n"
    answer, _ = ask('#include "m.h"\n' + kernel("a[0] += a[1];"), **{"header:m.h": header})
    assert "hc_add_rtn" in answer["text"]


def test_searched_files_are_all_that_the_preprocessor_looked_for(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (second / "f.h").write_text("#define N 2\n")
    source = "#include <f.h>\n#if __has_include(<g.h>)\n#endif\n" + kernel("a[0] = N;")
    answer, searched = ask(source, f"-I {first} -I{second}")
    assert answer["status"] == "ok"
    assert searched == [str(folder / name) for name, folder in (
        ("f.h", first), ("f.h", second), ("g.h", first), ("g.h", second))]  # fmt: skip


# ---------------------------------------------------------------- arguments


def test_types_that_the_text_names_otherwise():
    source = "typedef half real;\nkernel void k(global const half *a, global real *b, half3 c,\n"
    source += "    float half_width, local half4 *d, half e) {}\nhalf f(half x) { return x; }\n"
    answer, _ = ask(source)
    expected = [("k", 0, "half*"), ("k", 2, "half3"), ("k", 4, "half4*"), ("k", 5, "half")]
    rows = [line.split("\t") for line in answer["types"].splitlines()]
    assert [(name, int(index), type_) for name, index, type_ in rows] == expected
    assert "types" not in ask(source, device=WITH_HALF)[0]


def test_attributes_are_the_authors():
    intel = {**WITH_HALF, "device.VENDOR": b"Intel(R) Corporation"}
    source = "#define SIZE 8, 1,1\nkernel __attribute__((reqd_work_group_size(SIZE)))\n"
    source += "__attribute__ ((vec_type_hint(half4))) void k(global half *a) { a[0] += 1; }\n"
    source += kernel("a[0] = 1;").replace("void k", "void other")
    lines = ask(source, device=intel)[0]["attributes"].splitlines()
    assert lines[0].split("\t") == ["k", "reqd_work_group_size(8, 1,1) vec_type_hint(half4)"]
    assert lines[1] == "other\t"


# ---------------------------------------------------------------- whatever comes

PIECES = [
    b"half x;", b"kernel void k(global half *a) { a[0] += 1; }", b"#include ", b'"a.h"', b"<b.h>",
    b"\n", b"\xff", b"\0", b"#if ", b"#endif\n", b"#pragma OPENCL SELECT_ROUNDING_MODE rtp\n",
    b"-D", b"-I", b" ", b"=", b"'", b'"', b"-cl-std=", b"CL2.0", b"..", b"/", b"half", b"a.h", b"{",
    b"\\",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map(b"".join)
NAMES = st.lists(st.sampled_from(["a.h", "/", "..", "b.h", "\udcff", "\n", ""]), max_size=3)


@settings(deadline=None, max_examples=either(500, 60))
@given(TEXTS, TEXTS, st.dictionaries(NAMES.map("".join), TEXTS, max_size=2), TEXTS)
def test_any_request_has_an_answer(source, options, headers, device):
    request = {"source": source, "options": options, "device.SINGLE_FP_CONFIG": device}
    answers = []

    def translate(fields):
        answers.append(translate_request(fields))
        return answers[-1]

    fields = {**CPU, **request, **{f"header:{name}": text for name, text in headers.items()}}
    answer = Server(translate, Cache(None)).answer({"command": b"translate", **fields})
    assert answer["status"] in (b"ok", b"refused")
    assert all(isinstance(value, bytes) for value in answer.values())
