"""halfcl.cl.translate: what becomes of a text, and what is refused."""

import re

import pytest
from compiled_texts import compile_text
from exhaustive import in_turn

from halfcl import cl
from halfcl.cl._frontend.source import parse_source
from halfcl.cl._translation import NEEDS, translate_parsed
from halfcl.cl._translation.texts.inlining import limit_unrolling

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

HEAD = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
SELECT = HEAD + "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"


def lines(statement, before="", rounding="rte", **options):
    """Return the translation of a statement in a kernel."""
    source = (
        SELECT + before + "\nkernel void k(global half *p, global float *f, half a, half b, half c,"
        "read_only image1d_t im, write_only image1d_t om)"
        "{\n" + statement + "\n}\n"
    )
    text = cl.translate(source, rounding=rounding, **options)
    own = text.partition('#line 1 "program.cl"\n')[2].splitlines()
    assert len(own) == len(source.splitlines())
    start = source.splitlines().index(statement.splitlines()[0])
    translated = own[start : start + len(statement.splitlines())]
    return translated if len(translated) > 1 else translated[0]


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("p[0] = a + b; // sum", "p[0] = hc_add_rte(a, b); // sum"),
        ("p[0] = a /* x */ + b;", "p[0] = hc_add_rte(a /* x */, b);"),
        ("p[0] = (a + b) * -c;", "p[0] = hc_multiply_rte((hc_add_rte(a, b)), -c);"),
        ("p[0] += 2 * a;", "p[0] = hc_add_rte(p[0], hc_multiply_rte(2.0h, a));"),
        ("p[0] = f[0];", "p[0] = hc_convert_half_rte(f[0]);"),
        ("p[0] = (half)f[0] / 3;", "p[0] = hc_divide_rte((half)hc_convert_half_rte(f[0]), 3.0h);"),
        ("++p[0];", "(p[0] = hc_add_rte(p[0], 1.0h));"),
        ("f[0] = f[1] * f[2] + 0.5f;", "f[0] = f[1] * f[2] + 0.5f;"),
        ("if (a < b && !c) p[0] = fmin(a, 1);", "if (a < b && !c) p[0] = hc_fmin(a, 1.0h);"),
        ("f[0] = a;", "f[0] = a;"),
        (
            "p[0] = read_imageh(im, 1).x + a;",
            "p[0] = hc_add_rte(hc_convert_half_rte(read_imagef(im, 1)).x, a);",
        ),
        (
            "write_imageh(om, 1, (half4)(a + b));",
            "write_imagef(om, 1, hc_convert_float((half4)(hc_add_rte(a, b))));",
        ),
    ],
)
def test_text_with_fp16(statement, wanted):
    assert lines(statement) == wanted


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("p[0] = a + 0.1h;", "p[0] = hc_add_rte(a, HCI_HALF(0x2e66 /* 0.1h */));"),
        ("if (a < b && !c) ;", "if (hc_isless(a, b) && !hc_truth(c)) ;"),
        ("f[0] = -a;", "f[0] = hc_convert_float(hc_negative(a));"),
        ("p[0] = a < b ? a : c;", "p[0] = (hc_half)(hc_isless(a, b) ? a : c);"),
        ("p[0] = as_half((ushort)1);", "p[0] = as_half((ushort)1);"),
        ("f[0] = vload_half(1, p);", "f[0] = hc_convert_float(hc_load(1, p));"),
    ],
)
def test_text_without_fp16(statement, wanted):
    assert lines(statement, fp16=False) == wanted


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("p[0] = a * b + c;", "p[0] = hc_fma_rtz(a, b, c);"),
        ("p[0] = c - (a * b);", "p[0] = hc_fma_last_negative_half_rtz(c, a, b);"),
        ("p[0] += a * b;", "p[0] = hc_fma_last_half_rtz(p[0], a, b);"),
        ("f[0] = f[1] - f[2];", "f[0] = hc_subtract_wide_rtz(f[1], f[2]);"),
    ],
)
def test_text_of_contraction(statement, wanted):
    assert lines(statement, rounding="rtz", contract="always") == wanted


def test_the_mode_of_a_launch_is_a_macro():
    assert lines("p[0] = a + b;", rounding=None) == "p[0] = HC_IN(add, HC_MODE)(a, b);"


def test_functions_keep_the_mode_of_their_text():
    before = "#pragma OPENCL SELECT_ROUNDING_MODE rtp\nhalf up(half a) { return a + 1; }\n"
    before += "#pragma OPENCL SELECT_ROUNDING_MODE rtn"
    source = f"{SELECT}{before}\nkernel void k(global half *p) {{ p[0] = up(p[1]) + p[2]; }}"
    text = cl.translate(source)
    assert "half up(half a) { return hc_add_rtp(a, 1.0h); }" in text
    assert "p[0] = hc_add_rtn(up(p[1]), p[2]);" in text


MACROS = """#define TWICE(x) ((x) * 2)
#define N 4
#define PLUS(x, y) \\
    x + y"""


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("f[N] = TWICE(f[1]); // kept", "f[N] = TWICE(f[1]); // kept"),
        ("p[N] = TWICE(a) + b;", "p[N] = hc_add_rte((hc_multiply_rte((a), 2.0h)), b);"),
        ("p[N] = PLUS(a, b);", "p[N] = hc_add_rte(a, b);"),
        ("p[0] = a < N;", "p[0] = hc_convert_half_rte(a < 4.0h);"),
        ("p[0] = get_global_id(0) + N;", "p[0] = hc_convert_half_rte(get_global_id(0) + N);"),
        ("p[0] = TWICE(\n    a);", ["p[0] = (hc_multiply_rte((a), 2.0h))", "    ;"]),
    ],
)
def test_a_macro_is_expanded_where_an_edit_is_in_it(statement, wanted):
    assert lines(statement, MACROS) == wanted


def test_macros_of_the_mode_are_expanded():
    before = "#define JOIN(a, b) a##_##b\n#define IN(a, b) JOIN(a, b)\n#define DO half "
    before += "IN(f, __ROUNDING_MODE__)(half x) { return x + 1; }\n"
    before += "#pragma OPENCL SELECT_ROUNDING_MODE rtz\nDO\n"
    before += "#pragma OPENCL SELECT_ROUNDING_MODE rtp\nDO"
    text = cl.translate(
        f"{SELECT}{before}\nkernel void k(global half *p) {{ *p = f_rtz(f_rtp(*p)); }}"
    )
    own = text.partition("#line 1")[2].splitlines()
    assert own[7] == "HCI_INLINE half f_rtz(half x) { return hc_add_rtz(x, 1.0h); }"
    assert own[9] == "HCI_INLINE half f_rtp(half x) { return hc_add_rtp(x, 1.0h); }"


def test_preprocessor_conditions_are_resolved():
    source = """#ifdef cl_khr_select_fprounding_mode
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#elif 1
#else
not C
#endif
#if N > 3 /* of
-D */
kernel void k(global half *p) { p[0] = p[1] + N; }
#endif
"""
    text = cl.translate(source, options="-D N=4", rounding="rte").partition('"program.cl"\n')[2]
    assert (
        text
        == """#if 1 // ifdef cl_khr_select_fprounding_mode
// #pragma OPENCL EXTENSION cl_khr_fp16 : enable
#elif 0 // elif 1
#else
not C
#endif
#if 1 /* of
-D */
kernel void k(global half *p) { p[0] = hc_add_rte(p[1], 4.0h); }
#endif
"""
    )


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("f[0] = sin(f[1]);", "6:8: error: not translated: sin of float"),
        ("f[0] = length((float2)(f[1]));", "6:8: error: not translated: length of float"),
    ],
)
def test_refused_constructs(statement, message):
    with pytest.raises(cl.BuildError) as caught:
        lines(statement, "\n", rounding=None)
    assert message in str(caught.value)


def test_pragma_operators_of_opencl_are_not_left_to_the_device():
    source = (
        SELECT
        + """
#define PRAGMA(x) _Pragma(#x) // _Pragma("OPENCL")
#define HINT _Pragma("unroll 2")
#define UP(x) _Pragma ( "OPENCL SELECT_ROUNDING_MODE rtp" ) x
kernel void k(global float *a) { /* _Pragma("OPENCL") */
    PRAGMA(OPENCL SELECT_ROUNDING_MODE rtn) a[0] = a[1] + a[2];
    { _Pragma("OPENCL FP_CONTRACT ON") HINT for (int i = 0; i < 9; i++) UP(a[3] += a[4];) }
    _Pragma("unroll 3") for (int i = 0; i < 9; i++) a[i] = 0;
}
"""
    )
    text = cl.translate(source)
    assert "#define HC_SKIP(text)\n" in text
    own = text.partition("#define PRAGMA(x)")[2]
    for line in (
        ' HC_SKIP(#x) // _Pragma("OPENCL")\n#define HINT _Pragma("unroll 2")\n'
        '#define UP(x) HC_SKIP ( "OPENCL SELECT_ROUNDING_MODE rtp" ) x\n'
        'kernel void k(global float *a) { /* _Pragma("OPENCL") */\n'
        "    PRAGMA(OPENCL SELECT_ROUNDING_MODE rtn) a[0] = hc_add_wide_rtn(a[1], a[2]);\n"
        '    { HC_SKIP("OPENCL FP_CONTRACT ON") HINT for (int i = 0; i < 9; i++) '
        "a[3] = hc_add_wide_rtp(a[3], a[4]); }\n"
        '    _Pragma("unroll 3") for',
    ):
        assert line in own, own
    assert "HC_SKIP" not in cl.translate(SELECT + "kernel void k() { }")


def test_arguments():
    with pytest.raises(ValueError, match="argument language: expected opencl or cuda, got 'metal'"):
        cl.translate("", "metal")
    with pytest.raises(TypeError, match="argument fp16: expected True or False, got 1"):
        cl.translate("", fp16=1)
    with pytest.raises(TypeError, match="argument full_output: expected True or False, got 1"):
        cl.translate("", full_output=1)
    with pytest.raises(ValueError, match="argument fp16: expected True with cuda"):
        cl.translate("", "cuda", fp16=False)
    with pytest.raises(ValueError, match="argument native: expected none with cuda"):
        cl.translate("", "cuda", native=["add"])
    with pytest.raises(ValueError, match="argument contract: expected never or always, got 'both'"):
        cl.translate("", contract="both")
    with pytest.raises(ValueError, match="argument rounding: expected one of rte"):
        cl.translate("", rounding="up")


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("p[0] = a * b + f[0];", "p[0] = a * b + f[0];"),
        ("p[0] += a / 2;", "p[0] += a / 2.0h;"),
        ("p[0] = sqrt(a) - 1;", "p[0] = hc_subtract_rte(sqrt(a), 1.0h);"),
        ("++p[0];", "++p[0];"),
        ("p[0] = exp(a) + f[0];", "p[0] = hc_convert_half_rte(hc_exp(a) + f[0]);"),
        ("p[0] = a + fma(a, b, mad(a, b, c));", "p[0] = a + fma(a, b, fma(a, b, c));"),
    ],
)
def test_native_operations_stay(statement, wanted):
    native = ["add", "multiply", "divide", "sqrt", "fma"]
    native += ["convert_half"] if "a * b" in statement else []
    assert lines(statement, native=native) == wanted
    assert "_rtp(" in lines(statement, native=native, rounding="rtp")


def test_own_fma_of_devices():
    native = ["add", "multiply", "fma"]
    fused = lines("p[0] = a * b + c;", native=native, contract="always")
    assert fused == "p[0] = fma(a, b, c);"
    fused = lines("p[0] = c - a * b;", native=native, contract="always")
    assert fused == "p[0] = hc_fma_last_negative_half_rte(c, a, b);"


def test_functions_that_are_called_often_are_not_inlined():
    """Or a device's compiler would take many times as long as for the original."""
    for count, is_called in ((1, False), (30, True)):
        body = "*p = a * b + c; " * count
        text = cl.translate(
            f"{HEAD}kernel void k(global half4 *p, half4 a, half4 b, half4 c) {{ {body} }}"
        )
        assert ("HCI_ee_e_whole_called(hc_add" in text) == is_called
        assert ("HCI_CALLED hc_half4 name(hc_half4 x, hc_half4 y)" in text) == is_called
        # Intel's runtime passes wrong arguments to functions of vectors of three.
        assert "HCI_CALLED hc_half3" not in text


@pytest.mark.parametrize(
    ("statement", "needs"),
    [
        ("p[0] = 0.5 + a * (half)0.1;", {"double"}),
        ("p[0] = a * (half)0.5;", set()),  # of the double nothing is left
        ("p[0] = a * 0.1;", {"double"}),
        ("f[0] = f[1] / 3;", {"division", "subnormal"}),
        ("f[0] /= 3;", {"division", "subnormal"}),
        ("f[0] = sqrt(f[1]);", {"division"}),
        ("p[0] = sqrt(a / 3);", set()),
    ],
)
def test_text_states_device_needs(statement, needs):
    text = cl.translate(
        f"{HEAD}kernel void k(global half *p, global float *f, half a) {{ {statement} }}"
    )
    assert {n for n, words in NEEDS.items() if f"device: {words}. */" in text} == needs
    assert ("computes in double" in text) == ("double" in needs)


def test_sizes_are_those_of_halves():
    """Not of what sums of bits would be."""
    source = f"{SELECT}kernel void k(global half *p, global int *n) {{ *n = sizeof(p[0] + p[1]); }}"
    assert "*n = (size_t)2 /* sizeof(p[0] + p[1]) */" in cl.translate(source, fp16=False)
    assert "*n = sizeof(p[0] + p[1]);" in cl.translate(source)


TAKEN = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
{declaration}
kernel void f(global half *x) {{ {statement} x[0] = x[1] + x[2]; }}
"""


@pytest.mark.parametrize(
    ("declaration", "statement"),
    [
        ("half hc_add_rtp(half a, half b) { return a; }", "x[3] = hc_add_rtp(x[0], x[1]);"),
        ("constant int hc_add_rtp = 3;", "x[3] = hc_add_rtp;"),
        ("struct hc_add_rtp { int i; };", ""),
        ("", "int hc_add_rtp = 1; x[3] = hc_add_rtp;"),
        ("#define hc_add_rtp(a, b) a", ""),
    ],
)
def test_names_that_the_translation_needs_are_refused_by_name(declaration, statement):
    source = TAKEN.format(declaration=declaration, statement=statement)
    with pytest.raises(cl.BuildError, match="the name hc_add_rtp is taken by halfcl's own; rename"):
        cl.translate(source, "opencl", rounding="rtp")
    cl.translate(source.replace("hc_add_rtp", "hc_mine"), "opencl", rounding="rtp")
    cl.translate(source, "cuda", rounding="rtp")  # which renames what the program has


def test_comment_of_several_lines_behind_a_directive_stays():
    before = "#if 1 /* a\n b */\n#define T half\n#endif /* c\n*/\n"
    source = (
        HEAD + before + "T f(T x) { return x + 1; }\nkernel void k(global T *a) { *a = f(*a); }\n"
    )
    own = cl.translate(source).partition("#line 1")[2]
    assert before in own
    assert cl.Program(cl.translate(source)).kernels


@pytest.mark.parametrize("line", ['#line 30 "x.h"', '# 30 "x.h"'])
def test_line_directives_stay_and_move_no_edit(line):
    source = f"{HEAD}// a\n{line}\n// b\nkernel void k(global half *a) {{\n *a += 1; // c\n}}\n"
    for language in ("opencl", "cuda"):
        text = cl.translate(source, language)
        assert [c for c in "abc" if f"// {c}" in text] == ["a", "b", "c"]
    own = cl.translate(source).partition('#line 1 "program.cl"\n')[2]
    assert line in own and len(own.splitlines()) == len(source.splitlines())


# ---------------------------------------------------------------- every text is compiled

#: Bodies with all that may stand in one; the kernel uses `LATER` and `used`.
UNCALLED = """half other(half x);
#define OPEN {
static half unused(half x) { // a comment with }
    #pragma unroll 2
    for (int k = 0; k < 4; ++k) /* of
        two lines */
#if defined(__OPENCL_VERSION__) /* and
        more */
        x *= other(x) \\
            * 2.5h;
#else
        no
#endif
#define LATER 3
    return x; } half used(half x) { return x + 1; }
half in_macro(half x) OPEN return x - 7; }
half other(half x)
{
    return x / 7;
}
kernel void k(global half *p) { p[0] = used(p[1]) + LATER; }
"""

#: Sources that compilers once did not take in translation.
TAKEN_BY_COMPILERS = {
    "functions that no kernel calls": UNCALLED,
    "NaN as initializer": "kernel void k(global half *p) { half x = NAN; p[0] = x; }",
    "NaN in vectors": "kernel void k(global half *p) { half2 x = (half2)(NAN, 1), y = NAN; "
    "half z[2] = {NAN, -INFINITY}; p[0] = x.x + y.y + z[1]; }",
    "NaN converted": "kernel void k(global half *p) { p[0] = convert_half(NAN); p[1] = -NAN; }",
    "NaN in macros": "#define MISSING NAN\n#define PICK(x) ((x) < 0 ? MISSING : (x))\n"
    "kernel void k(global half *p) { half x = MISSING; p[0] = PICK(p[1]) + PICK(x) + MISSING; }",
    "NaN of float": "kernel void k(global float *p) { float x = NAN; double d = NAN; "
    "float2 v = (float2)(NAN, HUGE_VALF); p[0] = x + v.y + (float)(d + HUGE_VAL); }",
    "limits of half": "kernel void k(global int *p, global half *h) { p[0] = HALF_MANT_DIG "
    "+ HALF_MAX_EXP + HALF_MIN_EXP + HALF_DIG + HALF_RADIX + FP_FAST_FMA_HALF; h[0] = HALF_MAX; "
    "h[1] = HALF_MIN + M_PI_H; p[1] = sizeof(HALF_EPSILON); }",
    "limits in macros": "#define MOST HALF_MAX\n#define BITS (HALF_MANT_DIG + 1)\n"
    "kernel void k(global int *p, global half *h) { p[0] = BITS; h[0] = h[1] < MOST; }",
    "image and dot": "kernel void k(global half *p, read_only image2d_t a, sampler_t s) "
    "{ half4 v = read_imageh(a, s, (int2)(0)); p[0] = dot(v, v) + length(v); }",
    "image without sampler": "kernel void k(global half *p, read_only image2d_t a) "
    "{ half4 v = read_imageh(a, (int2)(0)); p[0] = dot(v, v) + length(v); }",
    "indented macro of a type": "  #define T half\nT g(T a) { return a + 1; }\n\t# define U T\n"
    "U h(U a) { return a * 2; }\nkernel void k(global U *p) { p[0] = g(p[1]) + h(p[2]); }",
    "integers made of halves": "constant int Z = (int)2.5h; constant uchar B = 1.5h > 1;\n"
    "constant ulong L[2] = {(ulong)3.5h, 1}; kernel void k(global int *p) { p[0] = Z + B + L[0]; }",
    "vectors": "constant half4 Z = (half4)(0), Y = (half4)(1.5h, (half2)(2), -3), X = 0;\n"
    "constant half2 W[2] = {(half2)(0), (half2)(1, NAN)}; constant float4 F = (float4)(1.5h);\n"
    "kernel void k(global half *p) { p[0] = Z.x + Y.y + X.z + W[1].x + F.x; }",
    "expressions": "constant half T = 1 > 2 ? 1.5h : 2.5h * 3, N = -NAN;\n"
    "constant float F = (float)1.5h * 2, M = NAN;\n"
    "kernel void k(global half *p) { constant half L = 3.5h; p[0] = T + F + L + M; }",
    "structs": "typedef struct { half h; half2 v; int i; float f; } S;\n"
    "constant S s = {1.5h, (half2)(1, 2), (int)2.5h, 1e-3h}, t[2] = {{1, (half2)(3), 3}, "
    "{NAN, (half2)(1), 4}};\nkernel void k(global half *p) { p[0] = s.h + t[1].v.y; }",
}  # fmt: skip


@in_turn
@pytest.mark.parametrize("language", ["opencl", "bits", "cuda"])
@pytest.mark.parametrize("name", TAKEN_BY_COMPILERS)
def test_translations_compile(name, language):
    """The fixture of tests/cl/conftest.py compiles the text, as it does all texts of tests."""
    if language == "bits":
        cl.translate(HEAD + TAKEN_BY_COMPILERS[name], fp16=False)
    else:
        cl.translate(HEAD + TAKEN_BY_COMPILERS[name], language)


@pytest.mark.parametrize("language", ["opencl", "cuda"])
def test_texts_that_do_not_compile_are_found(language):
    text = cl.translate("kernel void k(global int *p) { p[0] = 1; }", language)
    with pytest.raises(pytest.fail.Exception, match="undefined_name"):
        compile_text(text.replace("= 1;", "= undefined_name;"), language)


@pytest.mark.parametrize("fp16", [True, False])
def test_constants_are_numbers_in_the_text(fp16):
    source = HEAD + "constant int Z = (int)-2.5h;\nconstant half4 Y = (half4)(0);\n"
    text = cl.translate(source + "kernel void k(global half *p) { p[0] = Y.x; }", fp16=fp16)
    zero = "0.0h" if fp16 else "HCI_HALF(0x0000 /* 0 */)"
    assert "constant int Z = (-2) /* (int)-2.5h */" in text
    assert f"constant half4 Y = (half4)({zero});" in text


def test_values_that_the_language_fixes_are_in_the_text():
    source = "kernel void k(global int *p) { p[0] = FP_ILOGBNAN; p[1] = __OPENCL_VERSION__; }"
    text = cl.translate(source)
    assert "#undef FP_ILOGBNAN\n#define FP_ILOGBNAN 2147483647\n" in text
    assert "#undef __OPENCL_VERSION__\n#define __OPENCL_VERSION__ 120\n" in text
    assert "FP_ILOGB0" not in text


@pytest.mark.parametrize(
    ("loop", "is_called"),
    [
        ("for (int i = 0; i < n; ++i)", False),
        ("for (int i = 0; i < 2; ++i)", False),
        ("for (int i = 0; i < 100; i += 1)", True),
        ("#pragma unroll\nfor (int i = 0; i < n; ++i)", True),
        ("UNROLL\nfor (int i = 0; i < n; ++i)", True),
        ("__attribute__((opencl_unroll_hint(4)))\nfor (int i = 0; i < 64; i += 32)", False),
    ],
)
def test_unrolled_loops_count_as_many_calls(loop, is_called):
    text = cl.translate(
        f'{HEAD}#define UNROLL _Pragma("unroll")\n'
        "kernel void k(global half4 *p, half4 a, half4 b, half4 c, int n) {\n"
        f"{loop} {{ *p = a * b + c; a = b * c; }} }}"
    )
    assert ("HCI_CALLED hc_half4" in text and "_called(hc_add" in text) == is_called


@pytest.mark.parametrize(
    ("written", "limited"),
    [
        ('_Pragma("unroll") for', '_Pragma("unroll 4") for'),
        ('_Pragma( "unroll 16" ) for', '_Pragma( "unroll 4" ) for'),
        ('_Pragma("unroll 2") for', '_Pragma("unroll 2") for'),
        ("  #pragma unroll\nfor", "  #pragma unroll 4\nfor"),
        ("#pragma unroll(8) \nfor", "#pragma unroll 4\nfor"),
        ("#pragma unroll 1\nfor", "#pragma unroll 1\nfor"),
        ("__attribute__((opencl_unroll_hint)) for", "__attribute__((opencl_unroll_hint(4))) for"),
        ("__attribute__((opencl_unroll_hint(32)))", "__attribute__((opencl_unroll_hint(4)))"),
        ("__attribute__((opencl_unroll_hint(1)))", "__attribute__((opencl_unroll_hint(1)))"),
        ("__attribute__((opencl_unroll_hint(N)))", "__attribute__((opencl_unroll_hint(4)))"),
        ("opencl_unroll_hint(N(2))", "opencl_unroll_hint(N(2))"),
        ("#pragma unroll N\nfor", "#pragma unroll 4\nfor"),
        ("#pragma unroll(N * 2)\nfor", "#pragma unroll(N * 2)\nfor"),
        ("int unroll = 8; // #pragma unrolled", "int unroll = 8; // #pragma unrolled"),
    ],
)
def test_cpus_unroll_loops_by_four_at_most(written, limited):
    assert limit_unrolling(written) == limited


def test_loops_are_unrolled_less_only_where_that_helps():
    """A loop with a few operations, or for a GPU, has its author's pragma."""
    source = (
        f"{HEAD}kernel void k(global half *p, half a) {{\n#pragma unroll\n"
        "for (int i = 0; i < 64; ++i) { BODY } }"
    )
    for body, is_cpu, is_limited in (
        ("p[i] = a;", True, False),
        ("p[i] = pow(p[i], a);", True, True),
        ("p[i] = pow(p[i], a);", False, False),
    ):
        parsed = parse_source(source.replace("BODY", body), "", "k.cl", True)
        text = translate_parsed(parsed, False, "never", "rte", frozenset(), is_cpu=is_cpu).text
        assert ("#pragma unroll 4\n" in text) == is_limited


def test_short_functions_are_always_inlined_for_intel():
    """It converts halves itself, so that sums to nearest are a few instructions; others are not."""
    body = "*p = a * b + c; " * 300
    source = f"{HEAD}kernel void k(global half4 *p, half4 a, half4 b, half4 c) {{ {body} }}"
    parsed = parse_source(source, "", "k.cl", True)
    for is_intel, mode, is_called in (
        (True, "rte", False), (True, "rtp", True), (False, "rte", True),
    ):  # fmt: skip
        text = translate_parsed(parsed, False, "never", mode, frozenset(), is_intel).text
        assert ("_called(hc_add" in text) == is_called


@pytest.mark.parametrize(
    ("words", "attribute"),
    [
        ("", "HCI_INLINE "), ("static ", "HCI_INLINE "), ("static inline ", "HCI_INLINE "),
        ("inline ", "__attribute__((always_inline)) "),
    ],
)  # fmt: skip
def test_inlining_of_functions(words, attribute):
    """Only Intel's compiler inlines all; without `static`, inline functions are nowhere else."""
    text = cl.translate(
        f"{words}int f(int x) {{ return x; }} kernel void k(global int *p) {{ *p = f(1); }}"
    )
    assert f"{attribute}{words}int f(int x)" in text
    before = "#if defined(__INTEL_LLVM_COMPILER) || defined(cl_intel_vec_len_hint)\n"
    intel, _, other = text.partition(f"{before}#define HCI_INLINE ")[2].partition("#else\n")
    if attribute == "HCI_INLINE ":
        assert intel == "__attribute__((always_inline))\n"
        assert other.startswith("#define HCI_INLINE\n#endif\n")


def test_images_that_are_sampled_have_functions_of_their_kind():
    text = cl.translate(
        "constant sampler_t s = CLK_FILTER_LINEAR | CLK_ADDRESS_CLAMP;\n"
        "kernel void k(read_only image3d_t a, write_only image2d_t b, global float4 *r) {\n"
        "    *r = read_imagef(a, s, (float4)(1)); write_imagef(b, (int2)(0), *r);\n}"
    )
    assert re.findall("#define HCI_OF_(.*)", text) == ["image2d_t", "image3d_t"]


@pytest.mark.parametrize("fp16", [True, False])
def test_functions_that_no_kernel_calls_are_only_declared(fp16):
    text = cl.translate(HEAD + UNCALLED, fp16=fp16, rounding="rte")
    own = text.partition('#line 1 "program.cl"\n')[2]
    assert not {"hc_multiply_rte", "hc_subtract_rte", "hc_divide_rte"} & set(
        re.findall(r"\bhc_\w+", text)
    )
    assert "unroll" not in own and "#define LATER 3\n" in own
    lines_of_own = own.splitlines()
    assert lines_of_own[3] == "static half unused(half x) ;"
    assert lines_of_own[-1].startswith("kernel void k(global half *p) { p[0] = hc_add_rte(used(")
    assert len(lines_of_own) == len((HEAD + UNCALLED).splitlines())
    assert " HCI_INLINE half used(half x) { return hc_add_rte(x, " in own


def test_all_functions_are_translated_where_there_is_no_kernel():
    text = cl.translate(f"{HEAD}half f(half x) {{ return x * x; }}", rounding="rte")
    assert "HCI_INLINE half f(half x) { return hc_multiply_rte(x, x); }" in text


def test_only_samplers_that_functions_use_count():
    constants = (
        "constant sampler_t exact = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "constant sampler_t filters = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n"
    )
    kernel = "kernel void k(read_only image2d_t a, global float4 *p) {{ *p = {}; }}"
    read = "read_imagef(a, {}, (int2)(1, 2))"
    text = cl.translate(constants + kernel.format(read.format("exact")), rounding="rte")
    assert text.endswith("{ *p = read_imagef(a, exact, (int2)(1, 2)); }")
    text = cl.translate(constants + kernel.format(read.format("filters")), rounding="rte")
    assert text.endswith("{ *p = hc_read_imagef(a, filters, (int2)(1, 2)); }")


@pytest.mark.parametrize(
    ("sampler", "is_marked"), [("exact", False), ("filters", True), ("s", True)]
)
def test_kernels_that_filter_images_are_not_vectorized_by_intel(sampler, is_marked):
    """Only in a text that samples itself: `uses` has such a sampler."""
    source = (
        "constant sampler_t exact = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "constant sampler_t filters = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n"
        "kernel void uses(read_only image2d_t a, sampler_t s, global float4 *p)"
        "{ *p = read_imagef(a, filters, (int2)(1, 2)); }\n"
        "kernel void k(read_only image2d_t a, sampler_t s, global float4 *p)"
        f"{{ *p = read_imagef(a, {sampler}, (int2)(1, 2)); }}"
    )
    parsed = parse_source(source, "", "program.cl", extents=True)
    text = translate_parsed(parsed, True, "never", "rte", frozenset(), is_intel=True).text
    assert "HC_ONE_LANE kernel void uses" in text
    assert ("HC_ONE_LANE kernel void k" in text) == is_marked


SUB_GROUPS = f"{HEAD}#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"

#: Kernels that others call, in the forms of declarations.
CALLED = [
    "kernel void a(ARGS) { BODY }\nkernel void k(ARGS) { a(o, n); }",
    "kernel void a(ARGS);\nkernel void k(ARGS) { a(o, n); }\n"
    "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void a(ARGS) { BODY }",
    "kernel void a(ARGS) __attribute__((intel_reqd_sub_group_size(4)));\n"
    "kernel void a(ARGS) { BODY }\n"
    "#pragma OPENCL FP_CONTRACT OFF\nkernel void k(ARGS) { a(o, n); a(o, 2); }",
    "#define K kernel void\nK a(ARGS) { BODY }\nK k(ARGS) { a(o, n); }",
]


@pytest.mark.parametrize("form", range(len(CALLED)))
def test_memory_of_a_called_kernel(form):
    """Implementations differ in what such a kernel's own local memory is."""
    body = "o[get_global_id(0)] = sub_group_reduce_add(o[get_global_id(0)]) + n;"
    source = CALLED[form].replace("ARGS", "global half *o, int n").replace("BODY", body)
    parsed = parse_source(f"{SUB_GROUPS}{source}", "-cl-std=CL3.0", "k.cl", extents=True)
    text = translate_parsed(parsed, True, "never", "rte", frozenset(), most_items=64).text
    own = text.partition('#line 1 "k.cl"')[2]
    calls = re.findall(r"\b(\w+)\(o, (?:n|2), hc_slots, hc_lanes\)", own)
    assert calls and set(calls) == {"hc_body_of_a"}
    kernels = r"(\w+)\([^()]*\)(?: __attribute__\(.*\))? \{ local ulong hc_slots\[(\d+)\]"
    assert sorted(re.findall(kernels, own)) == [("a", "8" if form == 1 else "64"), ("k", "64")]


def test_local_memory_of_a_called_kernel_is_refused():
    source = (
        f"{SUB_GROUPS}kernel void a(global half *o) {{ local half t[8];\n"
        "t[0] = sub_group_reduce_add(*o); *o = t[0]; }\nkernel void k(global half *o) { a(o); }"
    )
    parsed = parse_source(source, "-cl-std=CL3.0", "k.cl", extents=True)
    with pytest.raises(cl.BuildError, match="local memory of a, which another kernel calls"):
        translate_parsed(parsed, True, "never", "rte", frozenset(), most_items=64)


@pytest.mark.parametrize("language", ["opencl", "cuda"])
def test_functions_of_images_and_of_halves_have_different_names(language):
    source = (
        f"{HEAD}kernel void k(read_only image2d_t i, sampler_t s, global half *o)\n"
        "{ half4 x = read_imageh(i, s, (float2)(0.5f)), y = x / 3 + exp(x) * pow(x, x);\n"
        "o[0] = y.x + sqrt(y.y) * fma(y.z, sin(y.w), (half)1.5); }"
    )
    compile_text(cl.translate(source, language=language), language)
