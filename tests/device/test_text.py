"""The source for devices compiles without warnings, and has nothing superfluous.

test_compile.py tests its results.
"""

import functools
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from exhaustive import either, in_turn, shared_out
from places import ROOT, TESTS

import halfcl as hc
from halfcl import device
from halfcl._tables import TABLE
from halfcl.device._source.catalogue import SHORT, forms
from halfcl.device._source.dialects import DIALECTS

cindex = pytest.importorskip("clang.cindex", reason='needs libclang: pip install "halfcl[kernels]"')

pytestmark = [pytest.mark.once, pytest.mark.kernels]

PRELUDES = Path(device.__file__).parent / "preludes"
KERNELS = Path(device.__file__).parent / "kernels.h"
MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")
WIDTHS = ("", "2", "3", "4", "8", "16")

#: clang's warnings that the text may give, and why.
EXCUSED = {
    "bad-function-cast": "of numbers, by value: (int)f(x) is meant",
    "declaration-after-statement": "OpenCL C is C99",
    "float-equal": "zeros and exact results are told by ==",
    "padded": "structs are local variables",
    "switch-enum": "the others have a default",
    "unreachable-code": "the kernels' tests of what a target has are constants",
    "unreachable-code-return": "so are those",
    "unsafe-buffer-usage": "it knows no arrays but C++'s containers",
    "used-but-marked-unused": "the mark is for those that are not",
    "unused-macros": "the user uses them, or does not",
}
EXCUSED_IN_CUDA = EXCUSED | {
    "c++98-compat": "CUDA C++ is C++17",
    "c++98-compat-pedantic": "so it is",
    "old-style-cast": "the text is C, too",
    "reserved-identifier": "CUDA's own names",
    "reserved-macro-identifier": "CUDA's own names",
    "unknown-cuda-version": "of what is not installed",
}

#: Text in OpenCL C, with cl_khr_fp16 and without, and in CUDA C++.
KINDS = ("half", "bits", "cuda")


def text_of(kind, functions=None):
    if kind == "cuda":
        return device.cuda(functions)
    return device.opencl(functions, fp16=kind == "half")


def opencl_header(fp16):
    """Return what OpenCL C's compilers have in a header, as far as the text needs it."""
    scalars = "char uchar short ushort int uint long ulong float".split() + ["half"] * fp16
    lines = [f"typedef unsigned {name} u{name};" for name in ("char", "short", "int", "long")]
    lines += ["typedef __SIZE_TYPE__ size_t;"]
    lines += ["#define INFINITY (__builtin_inff())", '#define NAN (__builtin_nanf(""))']
    for name in scalars:
        lines += [
            f"typedef {name} {name}{n} __attribute__((ext_vector_type({n})));" for n in WIDTHS[1:]
        ]
        types = (name + n for n in WIDTHS)
        lines += [f"#define as_{a_type}(x) __builtin_astype((x), {a_type})" for a_type in types]
    return "\n".join(["#pragma OPENCL EXTENSION cl_khr_fp16 : enable"][: int(fp16)] + lines) + "\n"


def parse(text, kind="bits", standard="CL1.2", options=()):
    """Parse a text with clang; in OpenCL C for a device without doubles."""
    excused = EXCUSED_IN_CUDA if kind == "cuda" else EXCUSED
    arguments = ["-ferror-limit=0", "-Wall", "-Wextra", "-Weverything"]
    arguments += [f"-Wno-{name}" for name in excused]
    if kind == "cuda":
        name, files = "program.cu", []
        arguments += ["-x", "cuda", "-std=c++17", "--cuda-device-only", "-nocudainc", "-nocudalib"]
        arguments += ["-nostdinc", "--cuda-gpu-arch=sm_80", f"-I{TESTS / 'helpers' / 'cuda_stub'}"]
    else:
        name, files = "program.cl", [("/header.h", opencl_header(kind == "half"))]
        lacking = "-cl_khr_fp64,-__opencl_c_fp64" + ("" if kind == "half" else ",-cl_khr_fp16")
        arguments += ["-x", "cl", f"-cl-std={standard}", "-target", "spir64-unknown-unknown"]
        arguments += ["-Xclang", "-fdeclare-opencl-builtins", "-cl-no-stdinc"]
        if standard < "CL3.0":  # vload_half of private memory, which clang's own header asks for
            arguments.append("-D__opencl_c_named_address_space_builtins=1")
        arguments += ["-include", "/header.h", "-Xclang", f"-cl-ext={lacking}"]
    files.append((name, text))
    unit = cindex.Index.create().parse(name, args=[*arguments, *options], unsaved_files=files)
    return unit


def complaints(text, *arguments, **options):
    """Return all warnings and errors of clang about a text, each once."""
    return messages_of(parse(text, *arguments, **options))


def messages_of(unit):
    return list(dict.fromkeys(f"{d.spelling} [{d.option}]" for d in unit.diagnostics))


def table_bytes(unit):
    variables = (c for c in unit.cursor.get_children() if c.kind.name == "VAR_DECL")
    return sum(v.type.get_size() for v in variables)


@functools.cache
def functions_alone(kind):
    """Return clang's messages on each function's text, and the size of its tables."""
    names = {*list(forms())[:: either(1, 19)], "add", "exp"}
    units = ((name, parse(text_of(kind, [name]), kind)) for name in names)
    return {name: (messages_of(unit), table_bytes(unit)) for name, unit in units}


# ------------------------------------------------------------------ compilers

NATIVE = (
    "-DHC_NATIVE_DIVISION", "-DHC_NATIVE_CONVERSION", "-DHC_NATIVE_LOADS",
    "-D__INTEL_LLVM_COMPILER=20260200",
)  # fmt: skip


@shared_out
@pytest.mark.parametrize(
    ("standard", "native"),
    either(
        [(s, native) for s in ("CL1.2", "CL2.0", "CL3.0") for native in ((), NATIVE)],
        [("CL1.2", ()), ("CL3.0", NATIVE)],
    ),
)
@in_turn
@pytest.mark.parametrize("kind", ["half", "bits"])
def test_all_functions_in_opencl(kind, standard, native):
    assert complaints(text_of(kind), kind, standard, native) == []


def test_arithmetic_in_opencl_of_nvidia():
    """The assembly is PTX, with operands that only its target accepts."""
    text = text_of("bits", ["add", "subtract", "multiply", "fma", "isless", "isnotequal"])
    options = (
        "-target", "nvptx64-unknown-unknown", "-DHC_NATIVE_LOADS", "-DHC_COMPUTE_CAPABILITY=900",
    )  # fmt: skip
    assert complaints(text, options=options) == []
    wrong = text.replace("add.rp.f32 %0, %1, %2", "add.rp.f32 %0, %1, %3")
    assert "invalid operand number" in complaints(wrong, options=options)[0]


@pytest.mark.parametrize("fast_double", [0, 1])
def test_all_functions_in_cuda(fast_double):
    assert complaints(device.cuda(), "cuda", options=[f"-DHC_FAST_DOUBLE={fast_double}"]) == []


@shared_out
@pytest.mark.parametrize("kind", KINDS)
def test_each_function_alone(kind):
    messages = {name: texts for name, (texts, _) in functions_alone(kind).items()}
    assert {name: texts for name, texts in messages.items() if texts} == {}


def test_clang_reports_warnings():
    """clang does report warnings, also about doubles."""
    assert "[-Wshorten-64-to-32]" in complaints("int f(long x); int f(long x) { return x; }\n")[0]
    (double, *_) = complaints("float f(float x); float f(float x) { return x * 0.5; }\n")
    assert "double precision constant" in double
    wide = "__device__ float f(float x) { return x * 0.5; }\n"
    messages = complaints('#include "cuda_fp16.h"\n' + wide, "cuda")
    assert any("[-Wdouble-promotion]" in line for line in messages)


@pytest.mark.parametrize("kind", KINDS)
def test_text_can_be_included_twice(kind):
    text = text_of(kind, ["add", "exp"])
    assert complaints(text + text, kind) == []


@pytest.mark.parametrize("kind", KINDS)
def test_two_different_texts_are_refused(kind):
    """The second one would lack functions, or define some again."""
    first, *_ = complaints(text_of(kind, ["add"]) + text_of(kind, ["exp"]), kind)
    assert first.startswith("\"two different texts of halfcl's functions: generate one")


MIXED = """
#pragma OPENCL FP_CONTRACT ON
kernel void mixed(global const float4 *a, global const hc_half4 *b, global float4 *out);
kernel void mixed(global const float4 *a, global const hc_half4 *b, global float4 *out)
{
    size_t i = get_global_id(0);
    hc_half4 low = hc_add_rtn(b[i], hc_exp_rtn(b[i])), high = hc_add_rtp(b[i], hc_exp_rtp(b[i]));
    float4 x = a[i] * a[i] + exp(a[i]), y = fma(x, sqrt(x), dot(x, x));
    out[i] = select(y, hc_convert_float(hc_sub(high, low)), isless(x, y)) + native_exp(x);
}
"""

MIXED_HALF = """
kernel void both(global half4 *a);
kernel void both(global half4 *a)
{
    size_t i = get_global_id(0);
    half4 x = a[i] * a[i] + exp(a[i]);
    a[i] = hc_mul_rtz(x, fmax(x, 1.0h)) + convert_half4_rtp(convert_float4(x)) * hc_exp(x);
}
"""

MIXED_CUDA = """
__global__ void mixed(const float *a, const hc_half4 *b, float *out, int n);
__global__ void mixed(const float *a, const hc_half4 *b, float *out, int n)
{
    for (int i = 0; i < n; ++i) {
        hc_half4 gap = hc_sub_rtp(hc_exp_rtp(b[i]), hc_exp_rtn(b[i]));
        out[i] = a[i] * a[i] + expf(a[i]) + hc_convert_float(__hadd(gap.s[0], hc_exp(gap.s[3])));
    }
}
"""


@pytest.mark.parametrize("kind", KINDS)
def test_functions_mixed_with_the_devices(kind):
    text = text_of(kind, ["add", "sub", "mul", "exp", "convert_float"])
    kernels = {"half": MIXED + MIXED_HALF, "bits": MIXED, "cuda": MIXED_CUDA}[kind]
    assert complaints(text + kernels, kind) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-cl-fast-relaxed-math"], "halfcl's functions need IEEE arithmetic: build without"),
        (["-cl-finite-math-only"], "halfcl's functions need IEEE arithmetic: build without"),
        (
            ["-D__EMBEDDED_PROFILE__", "-Ucles_khr_int64"],
            "halfcl's functions need 64-bit integers: this device has",
        ),
    ],
)
def test_unsuitable_devices_and_options_are_refused(options, sentence):
    first, *_ = complaints(device.opencl(["add"], fp16=False), "bits", "CL1.2", options)
    assert first.startswith(f'"{sentence}')


def test_half_needs_fp16():
    first, *_ = complaints(device.opencl(["add"]), "bits")
    assert first.startswith(
        '"this device has no cl_khr_fp16: generate the functions with fp16=False ('
    )


# ------------------------------------------------------------------ declarations


def find_declarations(unit):
    """Return the public functions' names with their parameters' types."""
    functions = (cindex.CursorKind.FUNCTION_DECL, cindex.CursorKind.FUNCTION_TEMPLATE)
    return {
        (c.spelling, *(
            a.type.spelling.replace("__private", "").strip()
            for a in c.get_children() if a.kind.name == "PARM_DECL"
        ))
        for c in unit.cursor.get_children()
        if c.kind in functions and c.spelling.startswith("hc_")
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["half", "bits"])
def test_names_modes_and_vectors(kind):
    names = ["add", "exp", "fma", "frexp", "fract", "ldexp", "isless", "convert_half"]
    declarations = find_declarations(parse(text_of(kind, [*names, "convert_int_sat"]), kind))
    expected = set()
    for mode in MODES:
        for n in WIDTHS:
            half, integer, number = f"hc_half{n}", f"int{n}", f"float{n}"
            expected |= {
                (f"hc_add{mode}", half, half), (f"hc_exp{mode}", half),
                (f"hc_fma{mode}", half, half, half), (f"hc_isless{mode}", half, half),
                (f"hc_frexp{mode}", half, f"{integer} *"), (f"hc_fract{mode}", half, f"{half} *"),
                (f"hc_ldexp{mode}", half, integer), (f"hc_convert_half{mode}", number),
                (f"hc_convert_int_sat{mode}", half),
            }  # fmt: skip
            for integers in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"):
                expected.add((f"hc_convert_half{mode}", f"{integers}{n}"))
    assert declarations == expected


def test_names_in_cuda():
    declarations = find_declarations(parse(device.cuda(["add", "frexp"]), "cuda"))
    vector = "hc_vector<__half, n>"
    assert declarations == {
        form
        for mode in MODES
        for form in [
            (f"hc_add{mode}", "__half", "__half"), (f"hc_add{mode}", vector, vector),
            (f"hc_frexp{mode}", "__half", "int *"),
            (f"hc_frexp{mode}", vector, "hc_vector<int, n> *"),
        ]
    }  # fmt: skip


_DEFINED = re.compile(
    r"^HCI_(?:FUNCTION|RARE|SELDOM) \w+ (hci_\w+)\(|^HCI_TABLE\([^,]+,\s*(hci_\w+)"
    r"|^#define (hci_\w+)"
    r"|^typedef [^{]* (hci_\w+);|^\} (hci_\w+);",
    re.MULTILINE,
)
#: The root that a public function calls.
_ROOT = re.compile(r"^HCI_\w+\(hc_\w+, (\w+), ", re.MULTILINE)


def find_superfluous(text, of_prelude):
    """Return names that are defined and not used.

    A name used by superfluous ones only implies another one that nothing uses, since no function is
    recursive.
    """
    names = {name for match in _DEFINED.findall(text) for name in match if name} - of_prelude
    assert names
    used = Counter(re.findall(r"\w+", text))
    phases = ("device", "easy", "is_hard", "hard")
    used.update(f"hci_{phase}_{root}" for root in _ROOT.findall(text) for phase in phases)
    return {name for name in names if used[name] < 2}


@shared_out
@pytest.mark.parametrize("kind", KINDS)
def test_texts_have_nothing_superfluous(kind):
    names = {*list(forms())[:: either(1, 3)], "add", "exp"}
    texts = {name: text_of(kind, [name]) for name in names}
    dialect = DIALECTS["cuda" if kind == "cuda" else "opencl"]
    prelude = dialect.head + (PRELUDES / dialect.prelude).read_text(encoding="utf-8")
    always = {name for match in _DEFINED.findall(prelude) for name in match}
    extras = {name: find_superfluous(text, always) for name, text in texts.items()}
    assert {name: extra for name, extra in extras.items() if extra} == {}
    assert "HCI_TABLE(float" in texts["exp"] and "HCI_TABLE(float" not in texts["add"]
    for name, text in texts.items():
        public = set(re.findall(r"^HCI_\w+\(hc_(\w+), ", text, re.MULTILINE))
        assert public == {name + mode for mode in MODES}


@shared_out
@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_small(kind):
    """Tables have at most 16 KiB per function, and 64 KiB in all, as OpenCL guarantees."""
    sizes = {name: size for name, (_, size) in functions_alone(kind).items()}
    assert {name: n for name, n in sizes.items() if not 0 <= n <= 16 << 10} == {}
    assert sizes["exp"] > 0 and sizes["add"] == 0
    assert table_bytes(parse(text_of(kind), kind)) <= 64 << 10


@pytest.mark.parametrize("kind", KINDS)
def test_no_doubles(kind):
    """Doubles occur only where they are fast, and in tables."""
    text, flags = text_of(kind), re.DOTALL | re.MULTILINE
    where_fast, tables = (
        r"^#if HC_FAST_DOUBLE\n.*?^#(else|endif)",
        r"^HCI_(DOUBLES|COEFF\w+)\(.*?;$",
    )
    for pattern in (r"/\*.*?\*/", where_fast, tables):
        text = re.sub(pattern, "", text, flags=flags)
    assert not re.search(r"\bdouble2?\b", text)


@pytest.mark.parametrize("kind", KINDS)
def test_heading_names_functions(kind):
    heading, _, _ = text_of(kind, ["mul", "hc_exp"]).partition("*/")
    assert f"by halfcl {hc.__version__}" in heading and "\nmultiply, exp\n" in heading
    assert "docs/evidence/device_proofs.md" in heading


def test_short_names_prefixes_and_order_do_not_matter():
    texts = {device.opencl(names) for names in (
        ["add", "subtract"], ["hc_sub", "add"], ("subtract", "add", "sub"), {"add", "sub"},
        iter(["add", "sub"]),
    )}  # fmt: skip
    assert len(texts) == 1
    (text,) = texts
    assert "#define hc_sub_rtn hc_subtract_rtn\n" in text and "hc_mul" not in text
    assert set(SHORT.values()) <= {*forms()}


@pytest.mark.parametrize("name", [row.name for row in TABLE])
def test_devices_have_every_function_of_the_table(name):
    assert name in forms(), "needs a line in csrc/device/functions.def, then a build"


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("functions", "error", "message"),
    [
        (["addd"], ValueError, "functions: expected names of .*, got 'addd'; did you mean 'add'?"),
        (
            ["add", "exq"],
            ValueError,
            "functions: expected names of .*, got 'exq'; did you mean 'exp'",
        ),
        (["hc_add_rtn"], ValueError, "functions: expected .*, got 'add_rtn'; 'add' has all four"),
        (["hc_hc_add"], ValueError, "functions: expected .*, got 'hc_add'"),
        ([""], ValueError, "functions: expected .*, got ''"),
        (
            ["zzzzzz"],
            ValueError,
            r"functions: expected names of functions for devices, got 'zzzzzz'$",
        ),
        ("add", TypeError, "functions: expected names of functions, .* got a string, 'add'"),
        ([], ValueError, "functions: expected names of functions, .* got none"),
        (3, TypeError, "functions: expected names of functions, .* got 3"),
        ([3], TypeError, "functions: expected names of functions, .* got 3 among them"),
        ([b"add"], TypeError, "functions: expected names of functions, .* got b'add' among them"),
        ([hc.add], TypeError, "functions: expected names of functions, .* among them"),
    ],
)
@pytest.mark.parametrize("write", [device.opencl, device.cuda])
def test_unknown_functions_are_refused(write, functions, error, message):
    with pytest.raises(error, match=message) as caught:
        write(functions)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fp16", [1, "no", None])
def test_fp16_must_be_a_bool(fp16):
    with pytest.raises(TypeError, match="fp16: expected True or False, got"):
        device.opencl(["add"], fp16=fp16)


# ------------------------------------------------------------------ origin


def test_built_kernels_are_what_tool_makes_now(tmp_path):
    """Asserts that builds do not ship a kernels.h of older sources."""
    tool = ROOT / "tools" / "make_device.py"
    if not tool.exists() or shutil.which("cc") is None:
        pytest.skip("needs the sources and a C compiler")
    target = tmp_path / "kernels.h"
    subprocess.run([sys.executable, str(tool), str(target)], check=True)
    assert KERNELS.read_text(encoding="utf-8") == target.read_text(encoding="utf-8")


def test_lines_of_kernels_have_100_columns_at_most():
    lines = KERNELS.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 100 and not line.startswith("#define")] == []
