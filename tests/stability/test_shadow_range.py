"""Shadows of code whose steps leave the range of doubles."""

import math
from decimal import Decimal

import gmpy2
import numpy as np
import pytest

import halfcl as hc
from halfcl import half, stability
from halfcl.stability._shadow import run as shadow_run
from halfcl.stability._shadow._numbers.unbounded import FUNCTIONS, Range, as_decimals, as_doubles

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def quiet():
    """Halves overflow here on purpose."""
    with np.errstate(all="ignore"):
        yield


def log_of_sinh(x):
    return np.log(np.sinh(x))


def by_exponentials(x):
    return (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))


def fill(x):
    y = np.zeros(x.shape, half)
    y[:] = np.exp(x)
    y[0] = y[1] * y[1]
    return np.sqrt(np.log(y))


LOG_GAMMA = list(map(math.lgamma, (200, 3, 2000)))
with gmpy2.context(gmpy2.get_context(), precision=100):
    LOG_ERFC = [float(gmpy2.log(gmpy2.erfc(x))) for x in (3, 30, 100)]

#: Functions of half arrays, arguments, and exact results.
CASES = {
    "log(sinh(x))": (log_of_sinh, [1, 800, 1000], [0.161439361571, 799.306852819, 999.306852819]),
    "tanh": (by_exponentials, [0.5, 800, -30000], [math.tanh(0.5), 1, -1]),
    "quotient": (lambda x: np.exp(x) / np.exp(x - 1), [800, -800, 3e4], [math.e] * 3),
    "underflow": (lambda x: np.log(np.exp(-x)), [800, 2, 6e4], [-800, -2, -60000]),
    "power": (lambda x: (x**200) ** (1 / 200), [1e-3, 900, 2], [0.00100040435791, 900, 2]),
    "product": (lambda x: np.prod(x) ** 0.01, [6e4] * 100, 60000),
    "sum": (lambda x: np.log(np.sum(np.exp(x))), [800, 799], 800.313261687518),
    "running": (lambda x: np.log(np.cumsum(np.exp(x))), [800, 799], [800, 800.313261687518]),
    "extremum": (lambda x: np.log(np.maximum(np.exp(x), 1)), [800, -3], [800, 0]),
    "sorted": (lambda x: np.log(np.sort(np.exp(x))), [900, -3, 800], [-3, 800, 900]),
    "hypot": (lambda x: np.log(hc.hypot(np.exp(x), 1)), [800, -800], [800, 0]),
    "stores": (fill, [3, 400, 800], [math.sqrt(800), 20, math.sqrt(800)]),
    "choice": (lambda x: np.where(np.exp(x) > 1, np.log(np.exp(x)), x), [800, -1], [800, -1]),
    "scalars": (lambda x: np.log(np.exp(x[0]) * 2) + x[1], [800, 1], 801.693147180560),
    "erfc": (lambda x: np.log(hc.erfc(x)), [3, 30, 100], LOG_ERFC),
    "gamma": (lambda x: np.log(hc.tgamma(x)), [200, 3, 2000], LOG_GAMMA),
    "bases": (lambda x: hc.log2(hc.exp2(x)) + hc.log10(hc.exp10(x)), [1500, 2], [3000, 4]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_shadow_beyond_doubles(name):
    f, arguments, exact = CASES[name]
    report = stability.rerun(f, np.array(arguments, half))
    assert report.whole and report.reason == ""
    np.testing.assert_allclose(report.exact, exact, rtol=1e-9, atol=1e-12)
    for index in np.ndindex(report.shape):
        right = abs(float(np.asarray(report.values["rte"])[index]) - report.exact[index])
        if report.verdict[index] == "stable":
            assert right <= 1e-2 * max(1, abs(report.exact[index]))


def test_scalar_argument():
    report = stability.rerun(log_of_sinh, half(800))
    assert report.exact == pytest.approx(799.3068528194) and report.error == np.inf
    assert report.verdict == "unstable" and not report.stable


def test_finite_result_beyond_doubles_is_the_largest_double():
    report = stability.rerun(lambda x: np.exp(x) * np.exp(x), half([800, -800, 1]))
    assert report.exact[0] == np.finfo(float).max and report.exact[1] == 0
    assert report.verdict.tolist() == ["overflows", "stable", "stable"]


def test_poles_and_undefined_results_need_no_larger_range():
    report = stability.rerun(lambda x: np.log(1 / x), half([0, -1, np.inf, np.nan, 2]))
    assert report.verdict.tolist() == ["infinite", "undefined", "infinite", "undefined", "stable"]
    assert report.whole


@pytest.mark.parametrize("count", [5000, 20_000])
def test_large_arrays(count):
    """Shadows of large arrays are doubles or floats; in floats x**12 overflows."""
    x = np.linspace(1, 60000, count).astype(half)
    report = stability.rerun(lambda x: (x**12) ** (1 / 12), x)
    np.testing.assert_allclose(report.exact, x.astype(float), rtol=1e-4)
    assert report.whole


def test_slow_work_is_left_out_and_said(monkeypatch):
    monkeypatch.setattr(shadow_run, "_MOST_DECIMALS", 1)
    report = stability.rerun(log_of_sinh, half([800, 1]))
    assert not report.whole and "leaves the range of doubles" in report.reason
    assert report.verdict.tolist() == ["unstable", "stable"] and "range of doubles" in repr(report)
    small = stability.rerun(lambda x: 1 + np.exp(-x), half([800, 1]))  # a harmless underflow
    assert small.whole and small.stable.all()
    log = stability.rerun(lambda x: np.log(np.exp(-x)), half([800, 1]))
    assert not log.whole and not log.stable[0]


def test_function_of_doubles_after_an_overflow_is_said():
    """The sine of exp(800) cannot be computed in doubles."""
    report = stability.rerun(lambda x: np.sin(np.exp(x)) + 2, half([800, 1]))
    assert not report.whole and "before a function of doubles" in report.reason
    assert report.verdict[0] not in ("stable", "undefined")


def test_branches_follow_shadows_beyond_doubles():
    def f(x):
        return np.log(np.exp(x)) if np.exp(x) > np.exp(x - 1) else x * 0

    report = stability.rerun(f, half(800))
    assert report.exact == pytest.approx(800)
    assert report.divergences and "exact" in report.divergences[0].runs


#: Functions of MPFR, by the names of ufuncs, and arguments in doubles' range.
ORACLES = {
    "exp": gmpy2.exp, "exp2": gmpy2.exp2, "exp10": gmpy2.exp10, "expm1": gmpy2.expm1,
    "log": gmpy2.log, "log2": gmpy2.log2, "log10": gmpy2.log10, "log1p": gmpy2.log1p,
    "sinh": gmpy2.sinh, "cosh": gmpy2.cosh, "tanh": gmpy2.tanh, "arcsinh": gmpy2.asinh,
    "arccosh": gmpy2.acosh, "arctanh": gmpy2.atanh, "sqrt": gmpy2.sqrt, "cbrt": gmpy2.cbrt,
    "tgamma": gmpy2.gamma, "erfc": gmpy2.erfc, "sin": gmpy2.sin, "tan": gmpy2.tan,
    "arctan": gmpy2.atan, "arcsin": gmpy2.asin, "floor": gmpy2.floor, "ceil": gmpy2.ceil,
    "rint": gmpy2.rint_round, "trunc": gmpy2.trunc, "square": gmpy2.square,
    "power": lambda x, y: x**y, "arctan2": gmpy2.atan2, "fmod": gmpy2.fmod,
}  # fmt: skip
NUMBERS = [1e-30, 3e-10, 0.3, 0.99, 1.0, 2.3, 7.7, 25.3, 150.2, 700.0]


@pytest.mark.parametrize("name", ORACLES)
def test_functions_of_decimals(name):
    """They have at least the accuracy of doubles, with either sign."""
    count = FUNCTIONS[name].nin
    numbers = [*NUMBERS, *(-x for x in NUMBERS)]
    for x in numbers:
        arguments = [x, 1.7][:count]
        with gmpy2.context(gmpy2.get_context(), precision=200, emax=gmpy2.get_emax_max()):
            want = gmpy2.mpfr(ORACLES[name](*map(gmpy2.mpfr, arguments)))
        got = FUNCTIONS[name](*map(as_decimals, arguments))
        if gmpy2.is_nan(want):
            assert got.is_nan(), x
        elif gmpy2.is_infinite(want) or not want:
            assert as_doubles(got) == float(want), x
        else:
            with gmpy2.context(gmpy2.get_context(), precision=200, emax=gmpy2.get_emax_max()):
                ratio = gmpy2.mpfr(str(got)) / want
            assert abs(ratio - 1) < 1e-12, (x, got, want)


def test_extrema_of_decimals_and_nan():
    nan, one, two = (Decimal(text) for text in ("nan", "1", "2"))
    assert FUNCTIONS["minimum"](nan, one).is_nan() and FUNCTIONS["maximum"](one, nan).is_nan()
    assert FUNCTIONS["fmin"](nan, one) == 1 and FUNCTIONS["fmax"](two, nan) == 2
    assert FUNCTIONS["maximum"](one, two) == 2 and FUNCTIONS["minimum"](one, two) == 1


def test_conversions_note_numbers_out_of_range():
    current = Range(is_unbounded=True)
    assert as_doubles(Decimal("0.25"), current) == 0.25 and not current.has_left
    assert as_doubles(Decimal("-1e400"), current) == -np.finfo(float).max and current.has_left
    numbers = as_decimals(np.array([1.5, np.inf, np.nan]))
    assert as_doubles(numbers).tolist()[:2] == [1.5, np.inf] and numbers[2].is_nan()
    assert as_doubles(as_decimals(np.zeros(0))).dtype == np.float64
