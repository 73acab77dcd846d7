"""Contraction: which products and sums are fused, in which mode, and what both ways differ in."""

import bisect
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import cl

ENABLED = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""
MODES = ("rte", "rtz", "rtp", "rtn")

#: All finite halves, in order, with one zero; and whether their significands are even.
_BITS = [*range(0xFBFF, 0x8000, -1), *range(0x7C00)]
_HALVES = np.array(_BITS, np.uint16).view(np.float16).astype(float).tolist()


def round_to_half(x, mode):
    """Round a fraction to half."""
    above = bisect.bisect_left(_HALVES, x)
    if _HALVES[above] == x:
        return x
    low, high = Fraction(_HALVES[above - 1]), Fraction(_HALVES[above])
    if mode == "rte":
        if x - low == high - x:
            return high if _BITS[above] % 2 == 0 else low
        return low if x - low < high - x else high
    return {"rtn": low, "rtp": high, "rtz": low if x > 0 else high}[mode]


def numbers(count, seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-2, 2, (4, count)).astype(hc.half)


def fractions(array):
    return [Fraction(float(x)) for x in array]


#: What is fused by "always": the expression, and its exact steps with r for each rounding.
FUSED = {
    "a*b + c": lambda r, a, b, c, d: r(a * b + c),
    "c + a*b": lambda r, a, b, c, d: r(a * b + c),
    "a*b - c": lambda r, a, b, c, d: r(a * b - c),
    "c - a*b": lambda r, a, b, c, d: r(c - a * b),
    "(a*b) + ((c))": lambda r, a, b, c, d: r(a * b + c),
    "-(a*b) + c": lambda r, a, b, c, d: r(c - a * b),
    "-(a*b) - c": lambda r, a, b, c, d: r(-a * b - c),
    "c - -(a*b)": lambda r, a, b, c, d: r(c + a * b),
    "-a*b + c": lambda r, a, b, c, d: r(c - a * b),
    "a*b + c*d": lambda r, a, b, c, d: r(a * b + r(c * d)),
    "a*b - c*d": lambda r, a, b, c, d: r(a * b - r(c * d)),
    "a*b + c + d": lambda r, a, b, c, d: r(r(a * b + c) + d),
    "a*b + c*d + d*a": lambda r, a, b, c, d: r(r(a * b + r(c * d)) + d * a),
    "(a*b + c) * d": lambda r, a, b, c, d: r(r(a * b + c) * d),
    "c, a*b + d": lambda r, a, b, c, d: r(a * b + d),
    "x = c, x += a*b": lambda r, a, b, c, d: r(c + a * b),
    "x = c, x -= a*b": lambda r, a, b, c, d: r(c - a * b),
}

#: What is never fused.
SEPARATE = {
    "(half)(a*b) + c": lambda r, a, b, c, d: r(r(a * b) + c),
    "(x = a*b) + c": lambda r, a, b, c, d: r(r(a * b) + c),
    "product(a, b) + c": lambda r, a, b, c, d: r(r(a * b) + c),
    "(d > 5 ? d : a*b) + c": lambda r, a, b, c, d: r(r(a * b) + c),
    "(a + b) * c": lambda r, a, b, c, d: r(r(a + b) * c),
    "x = a*b, x += c": lambda r, a, b, c, d: r(r(a * b) + c),
}


def kernel(expression, mode="rte", before=""):
    return f"""{ENABLED}
    #pragma OPENCL SELECT_ROUNDING_MODE {mode}
    {before}
    half product(half a, half b) {{ return a * b; }}
    kernel void k(global const half *A, global const half *B, global const half *C,
                  global const half *D, global half *out)
    {{
        size_t i = get_global_id(0);
        half a = A[i], b = B[i], c = C[i], d = D[i], x;
        out[i] = ({expression});
    }}"""


def run(source, columns, contract, options="-w"):
    out = np.zeros(columns.shape[1], hc.half)
    report = cl.Program(source, options, contract).k(out.size, None, *columns, out)
    return fractions(out), report


@one_in(2)
@pytest.mark.parametrize("expression", [*FUSED, *SEPARATE])
def test_which_expressions_are_fused(expression):
    exact = {**FUSED, **SEPARATE}[expression]
    for mode in MODES if expression in ("a*b + c", "c - a*b", "a*b - c*d") else ("rte",):
        columns = numbers(200, len(expression))
        actual, _ = run(kernel(expression, mode), columns, "always")
        rows = zip(*map(fractions, columns), strict=True)
        assert actual == [exact(lambda x, m=mode: round_to_half(x, m), *row) for row in rows]


@pytest.mark.parametrize("expression", FUSED)
def test_never_is_the_default_and_fusing_makes_a_difference(expression):
    columns = numbers(400, 3)
    never, _ = run(kernel(expression), columns, "never")
    out = np.zeros(400, hc.half)
    assert cl.Program(kernel(expression), "-w").k(400, None, *columns, out) is None
    assert fractions(out) == never != run(kernel(expression), columns, "always")[0]


def test_each_product_and_sum_is_rounded_without_contraction():
    columns = numbers(200, 4)
    actual, _ = run(kernel("a*b - c*d", "rtn"), columns, "never")
    rows = zip(*map(fractions, columns), strict=True)
    assert actual == [
        round_to_half(round_to_half(a * b, "rtn") - round_to_half(c * d, "rtn"), "rtn")
        for a, b, c, d in rows
    ]


def test_the_mode_is_that_of_the_sum():
    columns = numbers(200, 5)
    expression = """
        a * b
        #pragma OPENCL SELECT_ROUNDING_MODE rtp
        + c"""
    always, _ = run(kernel(expression, "rtz"), columns, "always")
    never, _ = run(kernel(expression, "rtz"), columns, "never")
    rows = list(zip(*map(fractions, columns), strict=True))
    assert always == [round_to_half(a * b + c, "rtp") for a, b, c, _ in rows]
    assert never == [round_to_half(round_to_half(a * b, "rtz") + c, "rtp") for a, b, c, _ in rows]


def test_the_default_mode_of_a_launch_is_fused_in_too():
    columns, out = numbers(200, 6), np.zeros(200, hc.half)
    source = kernel("a*b + c").replace("#pragma OPENCL SELECT_ROUNDING_MODE rte", "")
    cl.Program(source, contract="always").k(200, None, *columns, out, rounding="rtn")
    rows = zip(*map(fractions, columns), strict=True)
    assert fractions(out) == [round_to_half(a * b + c, "rtn") for a, b, c, _ in rows]


@pytest.mark.parametrize("on", ["OFF", "ON", "DEFAULT"])
def test_fp_contract_pragma_decides(on):
    columns = numbers(300, 7)
    source = kernel("a*b + c", before=f"#pragma OPENCL FP_CONTRACT {on}")
    never, _ = run(source, columns, "never")
    always, _ = run(source, columns, "always")
    assert (always == never) == (on == "OFF")


@pytest.mark.parametrize(("type_", "precision"), [("float", 24), ("double", 53)])
def test_float_and_double(type_, precision):
    """Vectors with scalars, against MPFR, in all modes."""
    context = {"rte": "RoundToNearest", "rtz": "RoundToZero", "rtp": "RoundUp", "rtn": "RoundDown"}
    rng = np.random.default_rng(precision)
    a, b, c = rng.uniform(-2, 2, (3, 300, 4)).astype({24: np.float32, 53: np.float64}[precision])
    for mode, name in context.items():
        source = f"""{ENABLED}
        #pragma OPENCL EXTENSION cl_khr_fp64 : enable
        #pragma OPENCL SELECT_ROUNDING_MODE {mode}
        kernel void k(global const {type_}4 *a, global const {type_}4 *b, global {type_}4 *c) {{
            size_t i = get_global_id(0);
            c[i] -= a[i] * b[i];
        }}"""
        expected = c.copy()
        report = cl.Program(source, "-w", "always").k(300, None, a, b, expected)
        mpfr = gmpy2.context(precision=precision, round=getattr(gmpy2, name))
        assert report is None
        for x, y, z, got in zip(a.flat, b.flat, c.flat, expected.flat, strict=True):
            assert float(mpfr.fma(-float(x), float(y), float(z))) == got
        both = c.copy()
        report = cl.Program(source, "-w", "both").k(300, None, a, b, both)
        with np.errstate(all="ignore"):
            differing = both != expected
        assert (report.elements["c"] == differing).all()
        assert report.sites[0].items == differing.any(axis=1).sum() > 0


def test_both_prints_once(capsys):
    source = f"""{ENABLED}
    kernel void k(half a) {{ half b = a * a + a; printf("%d\\n", (int)get_global_id(0)); }}"""
    cl.Program(source, contract="both").k(2, None, 0.3)
    assert capsys.readouterr().out == "0\n1\n"


def test_a_pragma_in_a_block_ends_with_it():
    source = f"""{ENABLED}
    kernel void k(global const half *A, global const half *B, global const half *C, global half *o)
    {{
        size_t i = get_global_id(0);
        half a = A[i], b = B[i], c = C[i];
        {{
            #pragma OPENCL FP_CONTRACT OFF
            o[2 * i] = a * b + c;
        }}
        o[2 * i + 1] = a * b + c;
    }}"""
    a, b, c, _ = numbers(300, 8)
    out = np.zeros((300, 2), hc.half)
    report = cl.Program(source, contract="both").k(300, None, a, b, c, out)
    assert [site.location.line for site in report.sites] == [13]
    assert not report.elements["o"][:, 0].any() and report.elements["o"][:, 1].any()


def test_vectors_of_halves_and_scalars_in_them():
    source = f"""{ENABLED}
    kernel void k(global const half4 *a, half s, global half4 *o)
    {{
        size_t i = get_global_id(0);
        o[i] = a[i] * s + a[i].wzyx;
    }}"""
    a, s = numbers(100, 9).T.copy(), hc.half(0.3)
    out = np.zeros((100, 4), hc.half)
    cl.Program(source, contract="always").k(100, None, a, s, out)
    factor = Fraction(float(s))
    for row, actual in zip(a, out, strict=True):
        exact = [x * factor + y for x, y in zip(fractions(row), fractions(row)[::-1], strict=True)]
        assert fractions(actual) == [round_to_half(x, "rte") for x in exact]


@pytest.mark.parametrize(("mode", "sign"), [("rte", False), ("rtn", True)])
def test_a_zero_has_the_sign_of_the_sum_s_mode(mode, sign):
    a, out = np.ones(1, hc.half), np.zeros(1, hc.half)
    for expression in ("c - a*b", "a*b - c", "-(a*b) + c"):
        cl.Program(kernel(expression, mode), contract="always").k(1, None, a, a, a, a, out)
        assert out[0] == 0 and np.signbit(out[0]) == sign


# ---------------------------------------------------------------- both ways


def test_both_reports_elements_lines_and_numbers():
    columns = numbers(1000, 10)
    source = kernel("a*b - c")
    actual, report = run(source, columns, "both")
    never, always = run(source, columns, "never")[0], run(source, columns, "always")[0]
    assert actual == never
    differing = [x != y for x, y in zip(never, always, strict=True)]
    assert report.elements["out"].tolist() == differing and any(differing)
    (site,) = report.sites
    line = source.splitlines().index("        out[i] = (a*b - c);") + 1
    assert (site.location.line, site.location.column) == (line, 23)
    assert site.formula == "a*b - c" and site.items == sum(differing)
    assert report.lines == (line,) and report
    first = differing.index(True)
    assert site.first.work_item == (first,) and site.first.component is None
    assert [site.first.a, site.first.b, site.first.c] == [x[first] for x in columns[:3]]
    assert Fraction(float(site.first.separate)) == never[first]
    assert Fraction(float(site.first.fused)) == always[first]
    assert f"{sum(differing)} of 1000 elements of out" in repr(report)


def test_both_says_so_where_nothing_differs():
    columns = np.ones((4, 10), hc.half)
    _, report = run(kernel("a*b + c"), columns, "both")
    assert not report and report.lines == () and report.sites[0].first is None
    assert repr(report) == "k: contraction changes no element"


def test_both_counts_work_items_that_ask_and_each_once():
    """In a loop, in a branch, behind &&: only those that are there, however often."""
    source = f"""{ENABLED}
    kernel void k(global const half *A, global half *o) {{
        size_t i = get_global_id(0);
        half a = A[i], s = 0;
        if (i % 2)
            for (int k = 0; k < 4; ++k)
                s += a * a;
        o[i] = s;
        if (i < 10 && a * a + a > 100) o[i] = 0;
    }}"""
    a = numbers(512, 11)[0]
    report = cl.Program(source, contract="both").k(512, None, a, np.zeros(512, hc.half))
    (loop, behind) = report.sites
    exact = fractions(a)
    expected = set()
    for i in range(1, 512, 2):
        s = Fraction(0)
        for _ in range(4):
            separate = round_to_half(s + round_to_half(exact[i] ** 2, "rte"), "rte")
            if separate != round_to_half(s + exact[i] ** 2, "rte"):
                expected.add(i)
            s = separate
    assert loop.items == len(expected) and loop.first.work_item[0] % 2
    assert loop.formula == "c + a*b"
    differ = [
        round_to_half(x * x + x, "rte") != round_to_half(round_to_half(x * x, "rte") + x, "rte")
        for x in exact[:10]
    ]
    assert behind.items == sum(differ)


def test_both_names_the_component():
    source = f"""{ENABLED}
    kernel void k(global const half4 *a, global half4 *o) {{ o[0] = a[0] * a[1] + a[2]; }}"""
    a = np.ones((3, 4), hc.half)
    a[0, 2], a[1, 2] = 0.4, 0.9
    out = np.zeros(4, hc.half)
    report = cl.Program(source, contract="both").k(5, None, a, out)
    (site,) = report.sites
    assert site.items == 5 and site.first.component == 2 and "component 2" in str(site)
    assert report.elements["o"].tolist() == [False, False, True, False]


def test_both_sees_what_is_written_to_overlapping_arrays_and_starts_anew():
    source = f"""{ENABLED}
    kernel void k(global half *a, global half *b) {{
        size_t i = get_global_id(0);
        a[i] = a[i] * a[i] + b[i];
    }}"""
    base = numbers(100, 12)[0]
    a = base.copy()
    report = cl.Program(source, contract="both").k(50, None, a[:50], a[50:])
    want = base.copy()
    cl.Program(source).k(50, None, want[:50], want[50:])
    np.testing.assert_array_equal(a.view(np.uint16), want.view(np.uint16))
    assert report.elements["a"].any() and not report.elements["b"].any()


def test_both_leaves_buffers_as_they_were_where_the_fused_run_fails():
    """It alone reads outside: a*b - c is 0 unless it is fused."""
    source = f"""{ENABLED}
    kernel void k(global half *x, half a, half b, half c) {{
        x[0] = 1;
        x[0] = x[a * b - c == 0 ? 0 : 100];
    }}"""
    a, b = hc.half(0.4), hc.half(0.9)
    c, x = hc.multiply(a, b), np.full(4, 7, hc.half)
    with pytest.raises(cl.LaunchError):
        cl.Program(source, contract="both").k(1, None, x, a, b, c)
    assert (x == 7).all()
    cl.Program(source).k(1, None, x, a, b, c)
    assert x[0] == 1


def test_fast_fma_is_defined_as_it_is_true():
    source = """kernel void k(global int *o) {
    #ifdef FP_FAST_FMA_HALF
        o[0] = FP_FAST_FMA_HALF;
    #endif
    #if defined FP_FAST_FMAF || defined FP_FAST_FMA
        o[1] = 1;
    #endif
    }"""
    out = np.zeros(2, np.int32)
    cl.Program(source).k(1, None, out)
    assert out.tolist() == [hc.FP_FAST_FMA_HALF, 0]
