"""Tests of intervals between doubles against MPFR: bounds enclose, and are tight."""

import operator
from decimal import Decimal
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from exhaustive import either, shared_out
from mpfr_numbers import CONTEXT
from real_functions import FUNCTIONS

import halfcl as hc
from halfcl.interval._formulas import double_functions as functions, doubles as wide
from halfcl.interval._formulas.doubles import Wide

pytestmark = pytest.mark.kernels

ORACLES = FUNCTIONS | {
    "recip": lambda x: 1 / x,
    "sqr": lambda x: x * x,
    "abs": abs,
    "neg": operator.neg,
}


def _doubles(rng, n):
    """Return doubles of every size, near places where functions change, and halves."""
    sizes = 10.0 ** rng.uniform(-12, 6, n)
    near = np.array([0, 0.25, 0.5, 1, np.pi / 2, np.pi, 100 * np.pi, 32, 709.8, 710.4, 745])
    close = rng.choice(near, n) * (1 + rng.choice([-1, 1], n) * 2.0 ** -rng.uniform(3, 53, n))
    halves = hc.convert_double(rng.integers(0, 0x7C00, n).astype(np.uint16).view(hc.half))
    parts = [sizes, close, rng.uniform(0, 8, n), halves]
    return np.concatenate(parts) * rng.choice([-1, 1], 4 * n)


@shared_out
@pytest.mark.parametrize("name", sorted(functions.FUNCTIONS))
def test_points(name):
    """The bounds enclose the exact value, and are no farther apart than they should be."""
    x = _doubles(np.random.default_rng(1), either(20_000, 500, some=6000))
    with np.errstate(all="ignore"):
        actual = functions.FUNCTIONS[name](wide.point(x))
    worst = 0
    with gmpy2.context(CONTEXT):
        for at, low, high in zip(x.tolist(), actual.lo.tolist(), actual.hi.tolist(), strict=True):
            exact = ORACLES[name](gmpy2.mpfr(at, 53))
            if not gmpy2.is_finite(exact):
                assert gmpy2.is_nan(exact) <= np.isnan(low) or np.isinf(high - low), at
                continue
            slack = abs(exact) * 2.0**-150 + 2.0**-1070 + 2.0**-170 * abs(at)  # the oracle's own
            assert low - slack <= exact <= high + slack, (at, low, high, exact)
            if abs(at) < 1e5 and abs(exact) < (1000 if name in ("tan", "tanpi") else 1e300):
                worst = max(worst, (high - low) / (abs(float(exact)) + 2.0**-20))
    if name not in ("erf", "erfc"):  # computed by halfcl's functions of halves
        assert worst < (2.0**-22 if "tan" in name else 2.0**-25)


@pytest.mark.parametrize("name", ["exp", "log2", "exp10", "cbrt", "acospi", "cosh", "exp2"])
def test_exact_values_of_halves(name):
    """Results are points where halfcl's function of a half is exact."""
    x = hc.half([0, 1, 2, 4, 8, 100, 0.5, 0.125, 1000])
    function = getattr(hc, name)
    with np.errstate(all="ignore"):
        exact = np.equal(function.rtn(x), function.rtp(x)) & np.isfinite(function(x))
        assert exact.any()
        actual = functions.FUNCTIONS[name](wide.point(hc.convert_double(x)))
        assert np.all((actual.lo == actual.hi)[exact])
        assert np.all(actual.lo[exact] == hc.convert_double(function(x))[exact])


@shared_out
@pytest.mark.parametrize("name", sorted(functions.FUNCTIONS))
def test_ranges(name):
    """Ranges contain values inside the interval, and meet the bounds of monotone pieces."""
    rng = np.random.default_rng(2)
    low = _doubles(rng, either(2000, 100))
    high = low + 10.0 ** rng.uniform(-9, 1.5, low.size)
    with np.errstate(all="ignore"):
        actual = functions.FUNCTIONS[name](Wide(low, high))
        for at in (0.0, 0.25, 0.5, 0.77, 1.0):
            t = np.clip(low + (high - low) * at, low, high)
            value = functions.FUNCTIONS[name](wide.point(t))
            inside = ~(value.hi < actual.lo) & ~(value.lo > actual.hi)
            assert np.all(inside | value.is_empty)
            assert not np.any(actual.is_empty & ~value.is_empty)


@pytest.mark.parametrize("name", ["sin", "cos", "sinpi", "cospi"])
def test_extrema(name):
    """An interval that reaches an extremum contains its value; one at this distance does not."""
    quarter = 0.5 if name.endswith("pi") else np.pi / 2
    first = 0 if name.startswith("cos") else 1
    k = np.arange(-40, 40) * 2 + first
    extremum = np.where((k - first) % 4 == 0, 1.0, -1.0)
    place = k * quarter
    with np.errstate(all="ignore"):
        around = functions.FUNCTIONS[name](Wide(place - 0.125, place + 1e-9))
        beside = functions.FUNCTIONS[name](Wide(place + 0.01, place + 0.02))
    reached = np.where(extremum > 0, around.hi, around.lo)
    assert np.all(reached == extremum)
    assert np.all(np.maximum(np.abs(beside.lo), np.abs(beside.hi)) < 1)


def test_far_angles():
    actual = functions.FUNCTIONS["sin"](Wide([1e6, -np.inf, np.nan], [1e6, 0, np.nan]))
    assert actual.lo[:2].tolist() == [-1, -1] and actual.hi[:2].tolist() == [1, 1]
    assert actual.is_empty.tolist() == [False, False, True]


# ---------------------------------------------------------------- arithmetic

_OPERATIONS = {
    "add": (wide.add, CONTEXT.add),
    "sub": (wide.sub, CONTEXT.sub),
    "mul": (wide.mul, CONTEXT.mul),
    "div": (wide.div, CONTEXT.div),
}


def _numbers(rng, n):
    """Return doubles of every exponent, some with few digits."""
    x = np.ldexp(rng.uniform(1, 2, n), rng.integers(-1074, 1020, n))
    few = np.ldexp(rng.integers(0, 2048, n).astype(float), rng.integers(-24, 6, n))
    mild = rng.uniform(-4, 4, n)
    return rng.choice([-1, 1], 3 * n) * np.concatenate([x, few, mild])


@pytest.mark.parametrize("name", _OPERATIONS)
def test_arithmetic_of_points(name):
    """Results are next to the exact number, or equal to it if it is a half."""
    operation, exact = _OPERATIONS[name]
    rng = np.random.default_rng(5)
    x, y = _numbers(rng, 600), rng.permutation(_numbers(rng, 600))
    with np.errstate(all="ignore"):
        actual = operation(wide.point(x), wide.point(y))
    context = gmpy2.context(precision=2200)
    exact = getattr(context, exact.__name__)
    for a, b, low, high in zip(x, y, actual.lo.tolist(), actual.hi.tolist(), strict=True):
        if name == "div" and b == 0:
            assert np.isnan(low)
            continue
        value = exact(gmpy2.mpfr(float(a), 53), gmpy2.mpfr(float(b), 53))
        assert low <= value <= high
        found_at = float(value)
        with np.errstate(all="ignore"):
            near = np.abs(found_at) * 2.0**-50 + 2.0**-998
            assert high - low <= near or abs(found_at) > 2.0**1020
            few = hc.half(float(value)) if abs(value) < 65504 else hc.half("inf")
        if float(few) == value and abs(a) < 1e6 and abs(b) < 1e6 and value != 0:
            assert low == high == value


@pytest.mark.parametrize("name", _OPERATIONS)
def test_arithmetic_of_intervals_is_that_of_halfcl(name):
    """For halves, results rounded outward equal halfcl's tightest operations."""
    from halfcl import interval

    ends = np.array([-np.inf, -3, -1, -0.5, -0.0, 0, 2**-24, 0.5, 1, 3, np.inf])
    pairs = [(a, b) for a in ends for b in ends if a <= b and a < np.inf and b > -np.inf]
    low, high = (np.array(v).astype(np.float16) for v in zip(*pairs, strict=True))
    x, y = interval.Interval(low[:, None], high[:, None]), interval.Interval(low, high)
    want = getattr(interval, name)(x, y)
    operands = [
        Wide(*(np.broadcast_to(hc.convert_double(b), want.shape) for b in (v._lo, v._hi)))
        for v in (x, y)
    ]
    with np.errstate(all="ignore"):
        actual = _OPERATIONS[name][0](*operands).interval()
    assert np.all(interval.equal(actual, want))


@pytest.mark.parametrize("n", [-3, -2, -1, 0, 1, 2, 3, 7, 64])
def test_powers(n):
    from halfcl import interval

    ends = np.array([-2, -1, -0.5, 0, 0.5, 1, 1.5])
    pairs = [(a, b) for a in ends for b in ends if a <= b]
    x = interval.Interval(*(np.array(v).astype(np.float16) for v in zip(*pairs, strict=True)))
    with np.errstate(all="ignore"):
        actual = wide.pown(wide.from_bounds((x._lo, x._hi)), n).interval()
    assert np.all(interval.equal(actual, interval.pown(x, n)))


def test_square_root_and_square():
    from halfcl import interval

    x = interval.Interval([-1, 0, 2, -3, 4], [4, 0, 9, -2, 4])
    doubles = wide.from_bounds((x._lo, x._hi))
    with np.errstate(all="ignore"):
        assert np.all(interval.equal(wide.sqrt(doubles).interval(), np.sqrt(x)))
        assert np.all(interval.equal(wide.sqr(doubles).interval(), interval.sqr(x)))


@pytest.mark.parametrize(
    "number",
    [3, 2**53 + 1, 2**70, -(10**30), np.int64(2**62 + 1), Fraction(1, 3), Decimal("0.1"), 0.1,
     np.float32(0.1), hc.half(0.1), True, Fraction(1, 4)],
)  # fmt: skip
def test_numbers(number):
    """Numbers become points if they are doubles, else the doubles on either side."""
    actual = wide.from_number(number)
    exact = Fraction(number.item() if isinstance(number, np.generic) else number)
    assert Fraction(float(actual.lo)) <= exact <= Fraction(float(actual.hi))
    assert (actual.lo == actual.hi) == (Fraction(float(exact)) == exact)
    assert actual.hi - actual.lo <= abs(float(exact)) * 2.0**-51


def test_numbers_beyond_doubles():
    actual = wide.from_number(10**400)
    assert actual.lo == 65504 and actual.hi == np.inf
