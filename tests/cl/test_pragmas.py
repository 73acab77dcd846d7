"""Each sentence of OpenCL's pages on SELECT_ROUNDING_MODE and FP_CONTRACT, on source text.

1.0 + 1/4096 of halves is not a half: what it becomes tells the mode. The constants come from
buffers, so that nothing is known before the launch.
"""

import numpy as np
import pytest

import halfcl as hc
from halfcl import cl
from halfcl.cl._frontend import tree
from halfcl.cl._frontend.source import parse_source

#: Warnings of builds are asked for by `diagnostics`.
pytestmark = pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning")

HALF = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
SELECT = "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"
BOTH = HALF + SELECT
MODES = ("rte", "rtz", "rtp", "rtn")

#: Sums whose results differ in each pair of modes.
A = np.array([1, -1, 1, -1], hc.half)
B = np.array([1.5 / 2048, -1.5 / 2048, 0.5 / 2048, -0.5 / 2048], hc.half)


def mode(name):
    return f"#pragma OPENCL SELECT_ROUNDING_MODE {name}\n"


def sums(source, options="", **launch):
    """Return out[i] of kernel k on A and B, for its first three buffers."""
    out = np.zeros(4, hc.half)
    cl.Program(source, options).k(4, None, out, A, B, **launch)
    return out


def assert_mode(found, name):
    wanted = hc.add(A, B, rounding=name)
    assert found.tobytes() == wanted.tobytes(), f"not {name}: {found}, {A}, {B}"


def kernel(body, before="", first=""):
    return (
        f"{before}kernel void k(global half *out, global const half *a, global const half *b) {{\n"
        f"{first}size_t i = get_global_id(0);\n{body}\n}}\n"
    )


ADD = "out[i] = a[i] + b[i];"


def warnings_of(source, options=""):
    return [str(d) for d in cl.Program(source, options).diagnostics if d.severity == "warning"]


def modes_of(source, options=""):
    """Return the mode of each + in a program's text, in order; None: the launch's."""
    return [node.rounding for node in additions(source, options)]


def contracts_of(source, options=""):
    return [node.contracts for node in additions(source, options)]


def additions(source, options=""):
    parsed = parse_source(source, options, "program.cl", extents=True)
    modes = [
        node
        for function in parsed.tree.functions.values()
        if function.body
        for node in tree.walk(function.body)
        if isinstance(node, tree.Binary) and node.operator == "+"
    ]
    return sorted(modes, key=lambda node: node.at)


def test_modes_differ_on_test_inputs():
    assert len({hc.add(A, B, rounding=name).tobytes() for name in MODES}) == 4


# ---------------------------------------------------------------- where a mode holds


@pytest.mark.parametrize("name", MODES)
def test_a_pragma_sets_the_mode_of_what_follows_it(name):
    assert_mode(sums(kernel(ADD, BOTH + mode(name))), name)


def test_the_default_is_to_nearest_even():
    assert_mode(sums(kernel(ADD, BOTH)), "rte")


def test_a_mode_holds_until_the_next_pragma():
    out = "out[i] = i == 0 ? a[i] + b[i] : 0;"
    text = (
        BOTH
        + mode("rtz")
        + kernel(f"half x = a[i] + b[i];\n{mode('rtp')}half y = a[i] + b[i];\n{out}")
    )
    assert modes_of(text) == ["rtz", "rtp", "rtp"]


def test_mode_follows_text_not_blocks():
    text = BOTH + kernel(
        f"if (i < 4) {{\n{mode('rtp')}}}\n{ADD}"  # the block has ended, the mode has not
    )
    assert_mode(sums(text), "rtp")


def test_mode_follows_text_not_execution():
    text = BOTH + mode("rtn") + kernel(f"if (i > 1000) {{\n{mode('rtz')}}}\n{ADD}")
    assert_mode(sums(text), "rtz")


def test_mode_changes_within_a_statement():
    text = (
        BOTH
        + mode("rtn")
        + kernel(f"half x = (a[i] + b[i]) *\n{mode('rtp')}(a[i] + b[i]);\nout[i] = x;")
    )
    assert modes_of(text) == ["rtn", "rtp"]


def test_mode_continues_into_next_function():
    assert_mode(sums(BOTH + "void f() {\n" + mode("rtz") + "}\n" + kernel(ADD)), "rtz")


def test_a_loop_has_the_modes_of_its_text():
    text = (
        BOTH
        + mode("rtn")
        + kernel(
            "half x = a[i];\nfor (int n = 0; n < 2; ++n) { x = n ? x : a[i] + b[i];\n"
            f"{mode('rtp')}}}\nout[i] = x;"
        )
    )
    assert_mode(sums(text), "rtn")


def test_a_callee_has_the_mode_of_its_own_text():
    f = mode("rtn") + "half f(half x, half y) { return x + y; }\n" + mode("rtp")
    assert_mode(sums(BOTH + f + kernel("out[i] = f(a[i], b[i]);")), "rtn")


def test_a_callee_that_is_defined_behind_its_caller_has_the_mode_there():
    text = (
        "half f(half x, half y);\n"
        + mode("rtz")
        + kernel("out[i] = f(a[i], b[i]);")
        + mode("rtp")
        + "half f(half x, half y) { return x + y; }\n"
    )
    assert_mode(sums(BOTH + text), "rtp")


def test_a_macro_has_the_mode_of_where_it_is_used():
    text = BOTH + mode("rtn") + "#define SUM(x, y) ((x) + (y))\n" + mode("rtp")
    assert_mode(sums(text + kernel("out[i] = SUM(a[i], b[i]);")), "rtp")


@pytest.mark.parametrize("name", MODES)
def test_vectors_round_as_scalars_do(name):
    text = (
        BOTH
        + mode(name)
        + (
            "kernel void k(global half4 *out, global const half4 *a, global const half4 *b)"
            "{ out[0] = a[0] + b[0]; }"
        )
    )
    out = np.zeros(4, hc.half)
    cl.Program(text).k(1, None, out, A, B)
    assert_mode(out, name)


@pytest.mark.parametrize("operation", ["+", "-", "*", "/"])
@pytest.mark.parametrize("name", MODES)
def test_all_operators_round_in_mode(operation, name):
    functions = {"+": hc.add, "-": hc.subtract, "*": hc.multiply, "/": hc.divide}
    rng = np.random.default_rng(5)
    a, b = (rng.uniform(0.5, 2, 64).astype(hc.half) for _ in range(2))
    for statement in (
        f"out[i] = a[i] {operation} b[i];",
        f"half x = a[i]; x {operation}= b[i]; out[i] = x;",
    ):
        out = np.zeros(64, hc.half)
        cl.Program(BOTH + mode(name) + kernel(statement)).k(64, None, out, a, b)
        assert out.tobytes() == functions[operation](a, b, rounding=name).tobytes()


@pytest.mark.parametrize("name", MODES)
def test_increments_round_in_mode(name):
    out = sums(BOTH + mode(name) + kernel("half x = b[i]; x++; out[i] = x;"))
    assert out.tobytes() == hc.add(B, np.ones(4, hc.half), rounding=name).tobytes()


@pytest.mark.parametrize("type_, dtype", [("float", np.float32), ("double", np.float64)])
@pytest.mark.parametrize("name", MODES)
def test_mode_applies_to_all_floating_types(type_, dtype, name):
    """The page's own example has float4."""
    text = (
        SELECT
        + mode(name)
        + (
            f"typedef {type_}4 T; kernel void k(global T *out, global T *a, global T *b)"
            "{ out[0] = a[0] + b[0]; }"
        )
    )
    tiny = np.finfo(dtype).eps * 0.75
    a, b = np.array([1, -1, 1, -1], dtype), np.array([tiny, -tiny, tiny / 3, -tiny / 3], dtype)
    one, next_ = dtype(1), 1 + np.finfo(dtype).eps
    wanted = {
        "rte": [next_, -next_, one, -one], "rtz": [one, -one, one, -one],
        "rtp": [next_, -one, next_, -one], "rtn": [one, -next_, one, -next_],
    }  # fmt: skip
    try:
        program = cl.Program(text)
    except cl.BuildError as error:
        if "in rt" not in str(error):
            raise
        pytest.skip("float and double in directed modes are not built in here yet")
    out = np.zeros(4, dtype)
    program.k(1, None, out, a, b)
    assert out.tolist() == [float(w) for w in wanted[name]]


# ---------------------------------------------------------------- built-in functions


@pytest.mark.parametrize(
    "call", ["sqrt(a)", "fma(a, b, a)", "exp(b)", "mad(a, b, a)", "mix(a, b, a)", "dot(a, b)"]
)
def test_math_common_and_geometric_functions_are_to_nearest(call):
    rng = np.random.default_rng(6)
    a, b = (rng.uniform(0.5, 2, 64).astype(hc.half) for _ in range(2))
    results = []
    for name in ("rte", "rtp", "rtn"):
        out = np.zeros(64, hc.half)
        indexed = (
            call.replace("a", "a[i]")
            .replace("b", "b[i]")
            .replace("fma[i]", "fma")
            .replace("ma[i]d", "mad")
        )
        cl.Program(BOTH + mode(name) + kernel(f"out[i] = {indexed};")).k(64, None, out, a, b)
        results.append(out.tobytes())
    assert results[0] == results[1] == results[2]


# ---------------------------------------------------------------- conversions

X = np.array([1 + 1.5 / 2048, -1 - 1.5 / 2048, 1 + 0.5 / 2048, -1 - 0.5 / 2048], np.float32)


def assert_rounds(in_force, statement, wanted):
    """Assert that what a statement stores of X is rounded in the wanted mode."""
    out = np.zeros(4, hc.half)
    head = "kernel void k(global half *out, global const float *x)"
    text = f"{head}{{ size_t i = get_global_id(0); {statement} }}"
    cl.Program(BOTH + mode(in_force) + text).k(4, None, out, X)
    assert out.tobytes() == hc.convert(X, hc.half, rounding=wanted).tobytes()


@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize(
    "convert", ["convert_half(x[i])", "(half)x[i]", "x[i]", "convert_half4((float4)(x[i])).z"]
)
def test_conversions_without_a_mode_inherit_it(convert, name):
    assert_rounds(name, f"out[i] = {convert};", name)


@pytest.mark.parametrize("name", MODES)
def test_conversions_with_a_mode_have_it(name):
    other = MODES[MODES.index(name) - 1]
    assert_rounds(other, f"out[i] = convert_half_{name}(x[i]);", name)


@pytest.mark.parametrize("name", MODES)
def test_integers_to_floating_types_inherit_it(name):
    integers = np.array([2049, -2049, 2051, -2051], np.int32)
    for convert in ("n[i]", "convert_half(n[i])", "(half)n[i]"):
        out = np.zeros(4, hc.half)
        text = (
            BOTH
            + mode(name)
            + (
                "kernel void k(global half *out, global const int *n)"
                f"{{ size_t i = get_global_id(0); out[i] = {convert}; }}"
            )
        )
        cl.Program(text).k(4, None, out, integers)
        assert out.tobytes() == hc.convert(integers, hc.half, rounding=name).tobytes()


@pytest.mark.parametrize("name", MODES)
def test_to_integers_is_toward_zero_whatever_the_mode(name):
    x, out = np.array([1.75, -1.75, 2.5, -2.5], np.float32), np.zeros((4, 3), np.int32)
    text = (
        BOTH
        + mode(name)
        + (
            "kernel void k(global int *out, global const float *x) { size_t i = get_global_id(0);"
            "int n = x[i]; out[3 * i] = n; out[3 * i + 1] = (int)x[i]; out[3 * i + "
            "2] = convert_int(x[i]); }"
        )
    )
    cl.Program(text).k(4, None, out, x)
    assert out.tolist() == [[1] * 3, [-1] * 3, [2] * 3, [-2] * 3]


@pytest.mark.parametrize(
    "name, wanted", [("rte", [2, -2, 2, -2]), ("rtp", [2, -1, 3, -2]), ("rtn", [1, -2, 2, -3])]
)
def test_to_integers_in_the_mode_that_is_asked_for(name, wanted):
    x, out = np.array([1.75, -1.75, 2.5, -2.5], np.float32), np.zeros(4, np.int32)
    text = (
        BOTH
        + mode("rtz")
        + (
            "kernel void k(global int *out, global const float *x)"
            f"{{ size_t i = get_global_id(0); out[i] = convert_int_{name}(x[i]); }}"
        )
    )
    cl.Program(text).k(4, None, out, x)
    assert out.tolist() == wanted


@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize(
    "store", ["vstore_half(x[i], i, out)",
              "vstore_half2(((global const float2 *)x)[i & 1], i & 1, out)",
              "vstorea_half4(((global const float4 *)x)[0], 0, out)"]
)  # fmt: skip
def test_vstore_half_without_a_mode_inherits_it(store, name):
    assert_rounds(name, f"{store};", name)


@pytest.mark.parametrize("name", MODES)
def test_vstore_half_with_a_mode_has_it(name):
    other = MODES[MODES.index(name) - 1]
    assert_rounds(other, f"vstore_half_{name}(x[i], i, out);", name)


# ---------------------------------------------------------------- __ROUNDING_MODE__


def test_the_symbol_is_the_mode_at_every_point():
    """The page prints rtz twice; the fourth is rtn."""
    uses = "".join(f"{mode(m)} out[{k}] = __ROUNDING_MODE__;\n" for k, m in enumerate(MODES))
    text = BOTH + "enum { rte = 1, rtz, rtp, rtn };\nkernel void k(global int *out) {\n"
    out = np.zeros(5, np.int32)
    cl.Program(text + "out[4] = __ROUNDING_MODE__;\n" + uses + "}").k(1, None, out)
    assert out.tolist() == [1, 2, 3, 4, 1]


REMAP = """
half foo_rte(half x) { return 1; }
half foo_rtz(half x) { return 2; }
half foo_rtp(half x) { return 3; }
half foo_rtn(half x) { return 4; }
#define PASTE(f, m) f ## _ ## m
#define MODE_OF(f, m) PASTE(f, m)
#define foo(x) MODE_OF(foo, __ROUNDING_MODE__)(x)
"""


def test_symbol_remaps_functions():
    uses = "".join(f"{mode(m)}out[{k}] = foo(a[i]);\n" for k, m in enumerate(MODES))
    out = np.zeros(4, hc.half)
    cl.Program(BOTH + REMAP + kernel(uses)).k(1, None, out, A, B)
    assert out.tolist() == [1, 2, 3, 4]


def test_symbol_remaps_conversions():
    out = np.zeros(4, hc.half)
    text = (
        BOTH
        + REMAP
        + mode("rtp")
        + "#define to_half(x) MODE_OF(convert_half, __ROUNDING_MODE__)(x)\n"
    )
    text += mode("rtn") + (
        "kernel void k(global half *out, global const float *x)"
        "{ size_t i = get_global_id(0); out[i] = to_half(x[i]); }"
    )
    cl.Program(text).k(4, None, out, X)
    assert out.tobytes() == hc.convert(X, hc.half, rounding="rtn").tobytes()


def test_symbol_needs_the_extension():
    text = "#ifdef __ROUNDING_MODE__\n#error it is\n#endif\nkernel void k() {}\n"
    cl.Program(text)
    cl.Program(text + SELECT + "#ifndef __ROUNDING_MODE__\n#error it is not\n#endif\n")
    disabled = SELECT.replace("enable", "disable")
    cl.Program(SELECT + mode("rtz") + disabled + text)


def test_symbol_is_rte_after_extension_is_reenabled():
    text = SELECT + mode("rtz") + SELECT.replace("enable", "disable") + SELECT
    text += "enum { rte = 1, rtz, rtp, rtn };\n"
    text += "kernel void k(global int *out) { out[0] = __ROUNDING_MODE__; }"
    out = np.zeros(1, np.int32)
    cl.Program(text).k(1, None, out)
    assert out[0] == 1


def test_the_symbol_in_conditions_of_the_preprocessor():
    text = BOTH + "#define rte 1\n#define rtz 2\n#define rtp 3\n#define rtn 4\n" + mode("4")
    text = text.replace(mode("4"), "")
    text += "#if __ROUNDING_MODE__ != rte\n#error not rte\n#endif\nkernel void k() {}"
    cl.Program(text)


# ---------------------------------------------------------------- where pragmas come from


def test_pragmas_that_are_not_compiled_do_not_count():
    text = (
        BOTH
        + mode("rtp")
        + "#if 0\n"
        + mode("rtn")
        + "#endif\n#ifdef NO\n"
        + mode("rtz")
        + "#endif\n"
    )
    assert_mode(sums(text + kernel(ADD)), "rtp")
    comments = "/*\n" + mode("rtn") + "*/\n// " + mode("rtz")
    assert_mode(sums(BOTH + mode("rtp") + comments + kernel(ADD)), "rtp")


def test_pragmas_by_definitions_of_the_build():
    text = BOTH + "#ifdef UP\n" + mode("rtp") + "#else\n" + mode("rtn") + "#endif\n" + kernel(ADD)
    assert_mode(sums(text), "rtn")
    assert_mode(sums(text, "-D UP"), "rtp")


def test_pragma_operators():
    text = BOTH + '_Pragma("OPENCL SELECT_ROUNDING_MODE rtz")\n' + kernel(ADD)
    assert_mode(sums(text), "rtz")
    inside = kernel('_Pragma("OPENCL SELECT_ROUNDING_MODE rtp") ' + ADD)
    assert_mode(sums(BOTH + inside), "rtp")


def test_pragma_operators_in_macros():
    text = (
        BOTH
        + """
#define ROUND(m) _Pragma("OPENCL SELECT_ROUNDING_MODE " #m)
#define DOWN _Pragma("OPENCL SELECT_ROUNDING_MODE rtn")
#define UP _Pragma("OPENCL SELECT_ROUNDING_MODE rtp")
#define SUM_DOWN(x, y) DOWN x + y; UP
"""
    )
    text += kernel("half x = SUM_DOWN(a[i], b[i]) half y = a[i] + b[i]; out[i] = y; out[i] = x;")
    assert modes_of(text) == ["rtn", "rtp"]
    assert_mode(sums(text), "rtn")


def test_the_symbol_behind_pragma_operators_of_one_macro():
    text = (
        BOTH
        + "enum { rte = 1, rtz, rtp, rtn };\n"
        + """
#define ROUND_DOWN _Pragma("OPENCL SELECT_ROUNDING_MODE rtn")
#define ROUND_UP _Pragma("OPENCL SELECT_ROUNDING_MODE rtp")
#define ALL out[0] = __ROUNDING_MODE__; ROUND_DOWN out[1] = __ROUNDING_MODE__; \\
    ROUND_UP out[2] = __ROUNDING_MODE__;
kernel void k(global int *out) { ALL out[3] = __ROUNDING_MODE__; }
"""
    )
    out = np.zeros(4, np.int32)
    cl.Program(text).k(1, None, out)
    assert out.tolist() == [1, 4, 3, 3]


def test_a_macro_may_name_the_pragma_of_its_argument():
    text = (
        BOTH
        + """
#define STRING(x) #x
#define PRAGMA(x) _Pragma(STRING(x))
#define ROUND(m) PRAGMA(OPENCL SELECT_ROUNDING_MODE m)
"""
    )
    assert_mode(sums(text + kernel("ROUND(rtp)\n" + ADD)), "rtp")


def test_modes_go_on_through_included_files(tmp_path):
    (tmp_path / "lower.h").write_text(mode("rtn") + "half f(half x, half y) { return x + y; }\n")
    text = BOTH + mode("rtp") + '#include "lower.h"\n' + kernel(ADD)
    assert_mode(sums(text, f"-I {tmp_path}"), "rtn")
    text = BOTH + '#include "lower.h"\n' + mode("rtp") + kernel("out[i] = f(a[i], b[i]);")
    assert_mode(sums(text, f"-I {tmp_path}"), "rtn")


def test_a_line_that_is_continued():
    assert_mode(
        sums(BOTH + "#pragma OPENCL \\\n  SELECT_ROUNDING_MODE \\\n rtp\n" + kernel(ADD)), "rtp"
    )
    assert_mode(sums(BOTH + "#  pragma\tOPENCL  SELECT_ROUNDING_MODE\trtp\n" + kernel(ADD)), "rtp")
    assert_mode(sums(BOTH + "#pragma OPENCL SELECT_ROUNDING_MODE rtp // up\n" + kernel(ADD)), "rtp")
    assert_mode(
        sums(BOTH + "#pragma OPENCL SELECT_ROUNDING_MODE /* x */ rtp\r\n" + kernel(ADD)), "rtp"
    )


# ---------------------------------------------------------------- the extension


def test_without_the_extension_a_mode_is_ignored_with_a_warning():
    text = HALF + mode("rtp") + kernel(ADD)
    assert_mode(sums(text), "rte")
    (warning,) = warnings_of(text)
    assert warning.startswith("program.cl:2:1: warning: ")
    assert "cl_khr_select_fprounding_mode is not enabled" in warning


def test_modes_are_ignored_after_extension_is_disabled():
    disabled = SELECT.replace("enable", "disable")
    text = BOTH + mode("rtp") + disabled + mode("rtn") + kernel(ADD)
    assert len(warnings_of(text)) == 1
    assert_mode(sums(BOTH + disabled + mode("rtn") + kernel(ADD)), "rte")


def test_a_word_that_is_no_mode_is_ignored_with_a_warning():
    for word in ("up", "", "rte rtz", "RTP"):
        text = BOTH + mode("rtz") + mode(word) + kernel(ADD)
        assert_mode(sums(text), "rtz")
        (warning,) = warnings_of(text)
        assert "program.cl:4:1: warning: expected rte, rtz, rtp or rtn" in warning


def test_unknown_pragmas_and_extensions_are_warned_of():
    for pragma in ("NO_SUCH_THING on", "EXTENSION cl_khr_nothing : enable",
                   "EXTENSION cl_khr_fp16 : perhaps", "EXTENSION cl_khr_fp16"):  # fmt: skip
        (warning,) = warnings_of(f"\n#pragma OPENCL {pragma}\nkernel void k() {{}}")
        assert warning.startswith("program.cl:2:1: warning: "), pragma


def test_arithmetic_with_halves_is_an_error_unless_it_is_enabled():
    for body in ("out[0] = a[0] + b[0];", "out[0] = -a[0];", "out[0] = a[0];"):
        with pytest.raises(cl.BuildError, match=r"cl_khr_fp16|half"):
            cl.Program(kernel(body))
    vectors = "kernel void k(global half4 *out) { out[0] = out[0] + out[1]; }"
    with pytest.raises(cl.BuildError, match=r"program.cl:1:\d+: error: .*cl_khr_fp16"):
        cl.Program(vectors)
    cl.Program(HALF + vectors)


def test_a_launch_may_set_the_mode_where_no_pragma_does():
    text = BOTH + kernel(ADD)
    for name in MODES:
        assert_mode(sums(text, rounding=name), name)
        assert_mode(sums(BOTH + mode("rtz") + kernel(ADD), rounding=name), "rtz")


def test_launch_does_not_override_rte_pragma():
    assert_mode(sums(BOTH + mode("rtp") + mode("rte") + kernel(ADD), rounding="rtz"), "rte")


# ---------------------------------------------------------------- FP_CONTRACT


def contract(word):
    return f"#pragma OPENCL FP_CONTRACT {word}\n"


PLUS = "out[i] = a[i] + b[i];\n"


def test_contraction_is_allowed_unless_it_is_turned_off():
    assert contracts_of(HALF + kernel(PLUS)) == [True]
    assert contracts_of(HALF + contract("ON") + kernel(PLUS)) == [True]
    assert contracts_of(HALF + contract("DEFAULT") + kernel(PLUS)) == [True]
    assert contracts_of(HALF + contract("OFF") + kernel(PLUS)) == [False]


def test_pragma_at_file_scope_lasts_until_next_pragma():
    k = kernel(PLUS)
    text = HALF + k.replace("k(", "f(") + contract("OFF") + k.replace("k(", "g(") + k
    text += contract("ON") + k.replace("k(", "h(")
    assert contracts_of(text) == [True, False, False, True]


def test_pragma_in_block_lasts_until_next_pragma():
    inner = "{\n" + contract("ON") + contract("OFF") + contract("ON") + PLUS + "}\n"
    assert contracts_of(HALF + kernel(PLUS + inner, first=contract("OFF"))) == [False, True]


def test_pragma_in_block_ends_with_the_block():
    text = HALF + kernel(PLUS + "{\n" + contract("OFF") + PLUS + "}\n" + PLUS)
    assert contracts_of(text) == [True, False, True]
    inner = f"if (i) {{\n{contract('OFF')}{PLUS}}}\n"
    text = HALF + contract("OFF") + kernel(PLUS + inner + PLUS, first=contract("ON"))
    text += kernel(PLUS).replace("k(", "f(")
    assert contracts_of(text) == [True, False, True, False]


def test_pragma_applies_to_nested_blocks():
    loop = "for (int n = 0; n < 2; n++) { if (n) {" + PLUS + "} }\n"
    assert contracts_of(HALF + kernel(loop + PLUS, first=contract("OFF"))) == [False, False]


def test_braces_in_comments_and_strings_do_not_end_pragmas():
    body = (
        "/* } */ // }\nconstant char *s = \"}\"; int c = '}';\n" + PLUS + "int t[1] = {0};\n" + PLUS
    )
    assert contracts_of(HALF + kernel(body, first=contract("OFF"))) == [False, False]


def test_misplaced_pragmas_are_errors():
    with pytest.raises(cl.BuildError, match=r"program.cl:5:\d+: error: .*(?i:fp_contract)"):
        cl.Program(HALF + kernel(PLUS + contract("OFF")))


def test_unknown_pragma_words_are_warned_of():
    for word in ("MAYBE", "", "on", "ON OFF"):
        text = HALF + contract("OFF") + contract(word) + kernel(PLUS)
        (warning,) = warnings_of(text)
        assert warning.startswith("program.cl:3:1: warning: expected ON, OFF or DEFAULT"), warning
        assert contracts_of(text) == [False]


def test_contraction_by_pragma_operators_in_macros():
    text = (
        HALF
        + '#define EXACT _Pragma("OPENCL FP_CONTRACT OFF")\n'
        + kernel("{ EXACT " + PLUS + "}\n" + PLUS)
    )
    assert contracts_of(text) == [False, True]


def test_the_two_pragmas_do_not_meddle_with_one_another():
    inner = "{\n" + contract("ON") + mode("rtn") + PLUS + "}\n"
    text = BOTH + kernel(PLUS + inner + PLUS, first=contract("OFF") + mode("rtp"))
    assert contracts_of(text) == [False, True, False]
    assert modes_of(text) == ["rtp", "rtn", "rtn"]
