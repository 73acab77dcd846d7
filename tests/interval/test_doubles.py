"""Tests of intervals between doubles against MPFR: bounds enclose, and are tight."""

import ctypes
import math
import operator
import pickle
import platform
import sys
from decimal import Decimal
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from exhaustive import either, one_in, shared_out
from mpfr_numbers import CONTEXT
from real_functions import FUNCTIONS

import halfcl as hc
from halfcl import interval
from halfcl._core import DefaultEnvironment
from halfcl.interval._formulas import double_functions as functions, doubles
from halfcl.interval._formulas.doubles import DoubleInterval

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


@one_in(2)
@shared_out
@pytest.mark.parametrize("name", sorted(functions.FUNCTIONS))
def test_points(name):
    """The bounds enclose the exact value, and are no farther apart than they should be."""
    x = _doubles(np.random.default_rng(1), either(20_000, 500, some=6000))
    with np.errstate(all="ignore"):
        actual = functions.FUNCTIONS[name](doubles.point(x))
    worst = 0
    with gmpy2.context(CONTEXT):
        for at, low, high in zip(x.tolist(), actual.lo.tolist(), actual.hi.tolist(), strict=True):
            exact = ORACLES[name](gmpy2.mpfr(at, 53))
            if not gmpy2.is_finite(exact):
                assert gmpy2.is_nan(exact) <= np.isnan(low) or np.isinf(high - low), at
                continue
            slack = abs(exact) * 2.0**-150 + 2.0**-1070 + 2.0**-170 * abs(at)  # the oracle's own
            assert low - slack <= exact <= high + slack, (at, low, high, exact)
            if abs(at) < 1e6 and abs(exact) < (1000 if name in ("tan", "tanpi") else 1e300):
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
        actual = functions.FUNCTIONS[name](doubles.point(hc.convert_double(x)))
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
        actual = functions.FUNCTIONS[name](DoubleInterval(low, high))
        for at in (0.0, 0.25, 0.5, 0.77, 1.0):
            t = np.clip(low + (high - low) * at, low, high)
            value = functions.FUNCTIONS[name](doubles.point(t))
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
        around = functions.FUNCTIONS[name](DoubleInterval(place - 0.125, place + 1e-9))
        beside = functions.FUNCTIONS[name](DoubleInterval(place + 0.01, place + 0.02))
    reached = np.where(extremum > 0, around.hi, around.lo)
    assert np.all(reached == extremum)
    assert np.all(np.maximum(np.abs(beside.lo), np.abs(beside.hi)) < 1)


def test_far_angles():
    actual = functions.FUNCTIONS["sin"](DoubleInterval([1e10, -np.inf, np.nan], [1e10, 0, np.nan]))
    assert actual.lo[:2].tolist() == [-1, -1] and actual.hi[:2].tolist() == [1, 1]
    assert actual.is_empty.tolist() == [False, False, True]


def test_large_angles():
    """Products of two halves are reduced, to a millionth and better."""
    rng = np.random.default_rng(3)
    at = 2.0 ** rng.uniform(17, 33, 2000) * rng.choice([-1, 1], 2000)
    for k in rng.integers(1, 2**32, 500).tolist():  # near zeros, where it matters most
        at = np.append(at, float(gmpy2.const_pi(200) / 2 * k))
    for name in ("sin", "cos", "tan"):
        with np.errstate(all="ignore"):
            y = functions.FUNCTIONS[name](doubles.point(at))
        with gmpy2.context(precision=200):
            for x, low, high in zip(at.tolist(), y.lo.tolist(), y.hi.tolist(), strict=True):
                exact = ORACLES[name](gmpy2.mpfr(x))
                assert low <= exact <= high, (name, x)
                assert high - low < 2.0**-40 or abs(exact) > 1, (name, x)


# ---------------------------------------------------------------- arithmetic

_OPERATIONS = {
    "add": (doubles.add, operator.add),
    "sub": (doubles.sub, operator.sub),
    "mul": (doubles.mul, operator.mul),
    "div": (doubles.div, operator.truediv),
}
_BOUNDS = [0.0, -0.0, 1.0, 3.0, 2.0**-24, 5e-324, 2.0**-1022 - 5e-324, 2.0**-1022, 2.0**-537,
           2.0**537, 1 + 2.0**-52, np.finfo(float).max, np.inf]  # fmt: skip


def _numbers(rng, n):
    """Return doubles of every exponent, some with few digits, some like others, and limits."""
    x = np.ldexp(rng.uniform(1, 2, n), rng.integers(-1074, 1020, n))
    few = np.ldexp(rng.integers(0, 2048, n).astype(float), rng.integers(-24, 6, n))
    mild = rng.uniform(-4, 4, n)
    x = rng.choice([-1, 1], 4 * n) * np.concatenate([x, few, mild, rng.choice(_BOUNDS, n)])
    return rng.permutation(x)


def _intervals(rng, n, is_point):
    """Return intervals, of which the share ``is_point`` are points; a few others are empty."""
    x, y = _numbers(rng, n), _numbers(rng, n)
    y = np.where((rng.random(4 * n) < is_point) & np.isfinite(x), x, y)
    low, high = np.minimum(x, y), np.maximum(x, y)
    low = np.where(np.isinf(low) & (low > 0), 7.0, low)
    high = np.where(np.isinf(high) & (high < 0), -7.0, high)
    empty = rng.random(4 * n) < (0.05 if is_point < 1 else 0)
    return DoubleInterval(np.where(empty, np.nan, low), np.where(empty, np.nan, high))


def _exact(x):
    """Return a double as a rational; an infinity stays."""
    return Fraction(x) if np.isfinite(x) else x


def _corner(operation, a, b):
    """Return a sum, product or quotient of rationals and infinities, as the limit of numbers."""
    if not isinstance(a, float) and not isinstance(b, float) and (operation, b) != _BY_ZERO:
        return operation(a, b)
    if operation is operator.mul:
        return Fraction(0) if 0 in (a, b) else np.inf if (a > 0) == (b > 0) else -np.inf
    if operation is operator.truediv:
        return Fraction(0) if isinstance(b, float) else a if b > 0 else -a
    return a if isinstance(a, float) else operation(0.0, b)


_BY_ZERO = (operator.truediv, 0)


def _range(operation, x, y):
    """Return the exact range of an operation on two intervals of numbers, or None if empty."""
    if operation is operator.truediv:
        if y == (0, 0):
            return None
        if y[0] < 0 < y[1]:
            return (0, 0) if x == (0, 0) else (-np.inf, np.inf)
        if 0 in y:  # quotients grow without bound, unless they are 0
            sign = 1 if y[0] == 0 else -1
            far = [_corner(operation, a, y[1] if sign > 0 else y[0]) for a in x]
            if any(a > 0 for a in x):
                far.append(sign * np.inf)
            if any(a < 0 for a in x):
                far.append(sign * -np.inf)
            return min(far), max(far)
    if operation in (operator.add, operator.sub):
        y = y if operation is operator.add else y[::-1]
        return tuple(_corner(operation, a, b) for a, b in zip(x, y, strict=True))
    corners = [_corner(operation, a, b) for a in x for b in y]
    return min(corners), max(corners)


def _is_next(bound, exact, direction):
    """Return whether a bound is the double next to an exact one, downward (-1) or upward (1)."""
    bound = float(bound)
    inner = math.nextafter(bound, -direction * math.inf)
    encloses = bound * direction >= exact * direction
    return encloses and (bound == exact or inner * direction < exact * direction)


@one_in(2)
@pytest.mark.parametrize("is_point", [0.3, 1.0])
@pytest.mark.parametrize("name", _OPERATIONS)
def test_bounds_are_tightest(name, is_point):
    """Each bound is the double next to the exact one, or equal to it, at all sizes of numbers."""
    operation, exact = _OPERATIONS[name]
    rng = np.random.default_rng(5)
    x, y = _intervals(rng, 600, is_point), _intervals(rng, 600, is_point)
    with np.errstate(all="ignore"):
        actual = operation(x, y)
    rows = np.stack([x.lo, x.hi, y.lo, y.hi, actual.lo, actual.hi], 1).tolist()
    for *bounds, low, high in rows:
        a, b, c, d = map(_exact, bounds)
        limits = None if np.isnan(bounds).any() else _range(exact, (a, b), (c, d))
        if limits is None:
            assert np.isnan(low) and np.isnan(high)
        else:
            assert _is_next(low, limits[0], -1) and _is_next(high, limits[1], 1), bounds


@pytest.mark.parametrize("is_point", [0.3, 1.0])
def test_bounds_of_squares_and_roots_are_tightest(is_point):
    x = _intervals(np.random.default_rng(6), 1000, is_point)
    with np.errstate(all="ignore"):
        square, root = doubles.sqr(x), doubles.sqrt(x)
        kept = x.hi >= 0
        assert np.array_equal(doubles.sqrt(x[kept]).lo, root.lo[kept])
    rows = np.stack([x.lo, x.hi, square.lo, square.hi, root.lo, root.hi], 1).tolist()
    for low, high, *actual in rows:
        if np.isnan(low):
            assert np.isnan(actual).all()
            continue
        least, greatest = sorted(_corner(operator.mul, a, a) for a in map(_exact, (low, high)))
        assert _is_next(actual[0], 0 if low < 0 < high else least, -1)
        assert _is_next(actual[1], greatest, 1)
        if high < 0:
            assert np.isnan(actual[2:]).all()
            continue
        for bound, of, direction in ((actual[2], max(low, 0.0), -1), (actual[3], high, 1)):
            inner = math.nextafter(bound, -direction * math.inf)
            square, next_square = (_corner(operator.mul, *[_exact(v)] * 2) for v in (bound, inner))
            assert square * direction >= of * direction
            assert square == of or next_square * direction < of * direction


def _both(a, b, c, d):
    """Return the numbers in both intervals."""
    low, high = max(a, c), min(b, d)
    return (low, high) if low <= high else None


def _size(a, b):
    return min(abs(a), abs(b)) if a >= 0 or b <= 0 else 0, max(abs(a), abs(b))


#: Operations that do not round, with their results for intervals that are not empty.
_EXACT = {
    "minimum": lambda a, b, c, d: (min(a, c), min(b, d)),
    "maximum": lambda a, b, c, d: (max(a, c), max(b, d)),
    "hull": lambda a, b, c, d: (min(a, c), max(b, d)),
    "intersection": _both,
    "magnitudes": lambda a, b, c, d: _size(a, b),
    "neg": lambda a, b, c, d: (-b, -a),
}


@pytest.mark.parametrize("name", _EXACT)
def test_operations_that_do_not_round(name):
    rng = np.random.default_rng(8)
    x, y = _intervals(rng, 400, 0.3), _intervals(rng, 400, 0.3)
    has_one = name in ("magnitudes", "neg")
    actual = getattr(doubles, name)(*((x,) if has_one else (x, y)))
    rows = np.stack([x.lo, x.hi, y.lo, y.hi, actual.lo, actual.hi], 1).tolist()
    for *bounds, low, high in rows:
        empty = [math.isnan(bounds[0]), math.isnan(bounds[2]) and not has_one]
        if any(empty):  # a hull is that of the other
            rest = bounds[2:] if empty[0] else bounds[:2]
            want = rest if name == "hull" and not all(empty) else None
        else:
            want = _EXACT[name](*bounds)
        assert np.isnan([low, high]).all() if want is None else (low, high) == tuple(want), bounds


def test_choice():
    x, y = (_intervals(np.random.default_rng(seed), 50, 0.3) for seed in (1, 2))
    mask = np.arange(x.lo.size) % 3 == 0
    actual = doubles.choose(mask, x, y)
    for bound in ("lo", "hi"):
        want = np.where(mask, getattr(x, bound), getattr(y, bound))
        assert np.array_equal(getattr(actual, bound), want, equal_nan=True)
    assert doubles.choose(True, x, y)[3].lo == x.lo[3]
    assert doubles.choose(np.bool_(False), doubles.ZERO, y).shape == y.shape


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 31])
def test_powers_enclose_those_of_rationals(n):
    x = _intervals(np.random.default_rng(9), 60, 0.3)
    actual = doubles.pown(x, n)
    for a, b, low, high in np.stack([x.lo, x.hi, actual.lo, actual.hi], 1).tolist():
        if math.isnan(a):
            assert math.isnan(low) and math.isnan(high)
            continue
        ends = [_exact(v) ** n for v in (a, b)]
        least, most = (0 if n % 2 == 0 and a < 0 < b else min(ends)), max(ends)
        assert low <= least and most <= high
        for bound, exact in ((low, least), (high, most)):
            if 2.0**-1000 < abs(exact) < 2.0**1000:
                assert abs(Fraction(bound) - exact) <= abs(exact) * n * Fraction(2) ** -51


def test_powers_to_great_integers():
    x = DoubleInterval([-1.0, 1 - 2.0**-53, -2.0], [1.0, 1 + 2.0**-52, 0.5])
    for n in (2**62, 2**64, 2**70 + 1):
        actual = doubles.pown(x, n)
        assert actual.hi.tolist() == [1, np.inf, 5e-324 if n % 2 else np.inf]
        assert actual.lo[0] == (-1 if n % 2 else 0) and 0 <= actual.lo[1] < 1e-200


@pytest.mark.parametrize(
    "name", [*_OPERATIONS, *(n for n in _EXACT if n not in ("magnitudes", "neg"))]
)
def test_shapes_broadcast(name):
    """Results of operands of any layout are those of contiguous ones, of each element."""
    operation, rng = getattr(doubles, name), np.random.default_rng(10)
    x, y = _intervals(rng, 300, 0.3), _intervals(rng, 300, 0.3)
    want = operation(x, y)

    def check(actual, shape, index):
        assert actual.shape == actual.hi.shape == shape
        assert np.array_equal(actual.lo, want.lo[index], equal_nan=True)
        assert np.array_equal(actual.hi, want.hi[index], equal_nan=True)

    check(operation(x[::-3], y[::-3]), (400,), slice(None, None, -3))
    check(operation(x[:0], y[:0]), (0,), slice(0))
    check(operation(x[7], y[7]), (), 7)
    square, turned = (b.map(np.reshape, (30, 40)) for b in (x, y))
    check(operation(square.map(np.transpose), turned.map(np.transpose)), (40, 30),
          np.arange(1200).reshape(30, 40).T)  # fmt: skip
    row, column = x[:5], y[:3].map(np.reshape, (3, 1))
    actual, each = (
        operation(row, column),
        [[operation(a, b) for a in _elements(row)] for b in _elements(y[:3])],
    )
    assert np.array_equal(actual.lo, [[v.lo for v in r] for r in each], equal_nan=True)
    one = operation(x, y[4])
    assert np.array_equal(one.hi, operation(x, y[np.full(1200, 4)]).hi, equal_nan=True)
    mixed = operation(DoubleInterval(-np.inf, x.hi), DoubleInterval(y.lo, np.inf))
    assert mixed.lo.shape == mixed.hi.shape == (1200,)
    swapped = DoubleInterval(x.lo.astype(">f8"), x.hi.astype(">f8"))
    check(operation(swapped, y), (1200,), slice(None))
    unaligned = np.zeros(1200 * 8 + 1, np.uint8)[1:].view(float)
    unaligned[:] = x.lo
    check(operation(DoubleInterval(unaligned, x.hi), y), (1200,), slice(None))
    with pytest.raises(ValueError, match="shape mismatch"):
        operation(x[:3], y[:4])


def _elements(x):
    return [x[i] for i in range(x.lo.size)]


def test_intervals_are_checked():
    for wrong in (None, 3.0, (1.0, 2.0)):
        with pytest.raises(TypeError, match="DoubleInterval"):
            doubles.add(doubles.ONE, wrong)
    with pytest.raises(TypeError):
        DoubleInterval.__new__(DoubleInterval)
    with pytest.raises(ValueError, match="exponent"):
        hc._core.power_of_intervals(doubles.ONE, 0)
    again = pickle.loads(pickle.dumps(doubles.ONE))
    assert again.lo == again.hi == 1


def test_factors_are_those_of_products_in_an_interval():
    """Numbers between the bounds have products in z, and others have none."""
    rng = np.random.default_rng(11)
    z, y = _intervals(rng, 400, 0.3), _intervals(rng, 400, 0.3)
    actual, quotient = doubles.factors(z, y), doubles.div(z, y)
    is_any = z.has(0) & y.has(0)
    assert np.all(np.isneginf(actual.lo[is_any]) & np.isposinf(actual.hi[is_any]))
    for bound in ("lo", "hi"):
        own, other = getattr(actual, bound)[~is_any], getattr(quotient, bound)[~is_any]
        assert np.array_equal(own, other, equal_nan=True)


def test_ranks_of_halves_around_doubles():
    """They are those of halfcl's conversion down, and count halves in ascending order."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = np.sort(halves[~np.isnan(halves)].astype(float))
    x = np.concatenate([
        halves, np.nextafter(halves, np.inf), np.nextafter(halves, -np.inf),
        _numbers(np.random.default_rng(12), 2000), [5e-324, -5e-324, 65519.9, -65504.1],
    ])  # fmt: skip
    with np.errstate(all="ignore"):
        below = hc.convert(x, hc.half, rounding="rtn").view(np.uint16).astype(int)
    ranks = np.where(below & 0x8000, -(below & 0x7FFF), below)
    assert np.array_equal(doubles.ranks_below(x), ranks)
    assert doubles.ranks_below(np.nan) == 0x7E00
    assert np.array_equal(
        doubles.ranks_below(halves), [*range(-0x7C00, 1), *range(0x7C01)]
    )  # -0 and 0
    for count in (0, 1, 7):
        finite = np.isfinite(x)
        lower = doubles.lower_by_ranks(x, count)
        assert np.array_equal(lower[~finite], x[~finite])
        assert np.array_equal(
            doubles.ranks_below(lower[finite]), np.maximum(ranks[finite] - count, -0x7C00)
        )


def test_cut_points():
    inf = np.inf
    for low, high, at in [
        (1, 3, 2), (-1, 3, 1), (1, 100, 10), (-100, -1, -10), (1, 16, 8.5), (0, 100, 50),
        (0, inf, 1), (3, inf, 6), (-2, inf, 0), (-inf, 5, 0), (-inf, -3, -6), (-inf, inf, 0),
        (-inf, 0, -1), (1e-300, 1e300, 1), (1e308, 1.5e308, 1.25e308),
    ]:  # fmt: skip
        assert doubles.cut_points(low, high) == pytest.approx(at, rel=1e-15), (low, high)
    assert np.isnan(doubles.cut_points(np.nan, np.nan))
    assert doubles.cut_points(np.zeros((2, 3)), 1.0).shape == (2, 3)


def test_middles():
    inf = np.inf
    ends = [(1, 2, 1.5), (-inf, 3, 3), (4, inf, 4), (-inf, inf, 0), (1e308, 1.5e308, 1.25e308)]
    x = DoubleInterval(*np.transpose(ends)[:2])
    assert doubles.middles(x).tolist() == [at for _, _, at in ends]
    assert np.isnan(doubles.middles(doubles.EMPTY))


def test_shared_zeros():
    x = DoubleInterval([-1.0, 0.0, 1.0, np.nan], [1.0, 2.0, 2.0, np.nan])
    y = DoubleInterval([-1.0, 1.0, -1.0, 0.0], [0.0, 2.0, 2.0, 0.0])
    assert doubles.shared_zeros(x, y).tolist() == [True, False, False, False]
    assert doubles.shared_zeros(x, doubles.ZERO).tolist() == [True, True, False, False]
    assert doubles.shared_zeros(doubles.ZERO, doubles.ZERO).shape == ()
    assert doubles.shared_zeros(x[1:3], y[1:3]) is None


def test_signs():
    x = DoubleInterval([1.0, -2.0, 0.0, -1.0, -0.0, np.nan], [2.0, -1.0, 0.0, 1.0, 3.0, np.nan])
    assert hc._core.signs_of_intervals(x, 7).tolist() == [1, -1, 0, 7, 7, 7]
    assert hc._core.signs_of_intervals(doubles.ONE, 7).shape == ()


def test_codes_are_looked_up_in_a_table():
    table = np.arange(12).reshape(3, 4)
    a, b = np.array([-1, 0, 1], np.int8), np.array([[-1], [2]], np.int8)
    expected = [[0, 4, 8], [3, 7, 11]]
    assert hc._core.combine_codes(table, a, b).tolist() == expected
    for wrong in (2, -2, 100, -128):
        with pytest.raises(ValueError, match="in the table"):
            hc._core.combine_codes(table, np.int8(wrong), np.int8(0))


def test_bounded_intervals():
    x = DoubleInterval([0.0, -np.inf, 1.0, np.nan], [1.0, 1.0, np.inf, np.nan])
    assert x.is_bounded.tolist() == [True, False, False, False]


def test_flipped_intervals():
    x = DoubleInterval([1.0, 1.0, np.nan], [2.0, 2.0, np.nan])
    actual = doubles.flip([True, False, True], x)
    assert actual.lo[:2].tolist() == [-2, 1] and actual.hi[:2].tolist() == [-1, 2]
    assert actual.is_empty.tolist() == [False, False, True]


def test_masks_of_intervals():
    x = DoubleInterval([-1.0, 0.0, np.nan], [1.0, 0.5, np.nan])
    assert x.has(0).tolist() == [True, True, False] and x.has(0.75).tolist() == [True, False, False]
    assert x.is_empty.tolist() == [False, False, True] and x.has_empty and not x[:2].has_empty
    assert DoubleInterval(-np.inf, x.hi[:2]).has(0.75).tolist() == [True, False]
    assert x.broadcast((3,)) is x and x.broadcast((2, 3)).hi.shape == (2, 3)


def test_environment_is_kept():
    """Exceptions that are pending stay, and no others are; results round in no other mode."""
    x = DoubleInterval([-np.inf, 0, np.nan, 1e308], [np.inf, 0, np.nan, 1e308])
    with np.errstate(all="raise"):
        for name in (*_OPERATIONS, *_EXACT):
            getattr(doubles, name)(*((x,) if name in ("magnitudes", "neg") else (x, x)))
        doubles.pown(x, 3)
        assert np.float64(1) + np.float64(2.0**-60) == 1


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="sets MXCSR with glibc"
)
def test_where_subnormals_are_flushed():
    """Results are the same in a process whose libraries have set FTZ and DAZ."""
    tiny = np.array([5e-324, -5e-324, 2.0**-1030, -(2.0**-600), 2.0**-600, 1.0])
    x, y = (DoubleInterval(np.minimum(tiny, v), np.maximum(tiny, v)) for v in (tiny, tiny[::-1]))
    half_tiny = hc.half([2.0**-24, 2.0**-14])

    def results():
        with np.errstate(all="ignore"), DefaultEnvironment():
            pairs = [operation(x, y) for operation, _ in _OPERATIONS.values()]
            pairs += [doubles.sqr(x), doubles.sqrt(x), doubles.pown(x, 3)]
        bounds = [bound.tobytes() for pair in pairs for bound in (pair.lo, pair.hi)]
        form = interval.mean_value(lambda v: 2.0**-1020 / v**43, interval.Interval(half_tiny))
        halves = doubles.interval_of(DoubleInterval(x.lo, y.hi))
        return bounds + [v.tobytes() for v in (*halves._arrays, *form._arrays)]

    expected, libc = results(), ctypes.CDLL(None)
    saved = (ctypes.c_uint32 * 8)()  # fenv_t, whose last member is MXCSR
    assert libc.fegetenv(saved) == 0
    flushing = (ctypes.c_uint32 * 8)(*saved)
    flushing[7] |= 0x8040
    libc.fesetenv(flushing)
    try:
        is_flushed = np.float64(2.0**-600) * np.float64(2.0**-450) == 0
        actual = results()
    finally:
        libc.fesetenv(saved)
    assert is_flushed and actual == expected


@pytest.mark.parametrize("name", _OPERATIONS)
def test_arithmetic_of_intervals_is_that_of_halfcl(name):
    """For halves, results rounded outward equal halfcl's tightest operations."""
    ends = np.array([-np.inf, -3, -1, -0.5, -0.0, 0, 2**-24, 0.5, 1, 3, np.inf])
    pairs = [(a, b) for a in ends for b in ends if a <= b and a < np.inf and b > -np.inf]
    low, high = (np.array(v).astype(np.float16) for v in zip(*pairs, strict=True))
    x, y = interval.Interval(low[:, None], high[:, None]), interval.Interval(low, high)
    want = getattr(interval, name)(x, y)
    operands = [
        DoubleInterval(*(np.broadcast_to(hc.convert_double(b), want.shape) for b in (v._lo, v._hi)))
        for v in (x, y)
    ]
    with np.errstate(all="ignore"):
        actual = doubles.interval_of(_OPERATIONS[name][0](*operands))
    assert np.all(interval.equal(actual, want))


@pytest.mark.parametrize("n", [-3, -2, -1, 0, 1, 2, 3, 7, 64])
def test_powers(n):
    ends = np.array([-2, -1, -0.5, 0, 0.5, 1, 1.5])
    pairs = [(a, b) for a in ends for b in ends if a <= b]
    x = interval.Interval(*(np.array(v).astype(np.float16) for v in zip(*pairs, strict=True)))
    with np.errstate(all="ignore"):
        actual = doubles.interval_of(doubles.pown(doubles.from_bounds((x._lo, x._hi)), n))
    assert np.all(interval.equal(actual, interval.pown(x, n)))


def test_square_root_and_square():
    x = interval.Interval([-1, 0, 2, -3, 4], [4, 0, 9, -2, 4])
    x_in_doubles = doubles.from_bounds((x._lo, x._hi))
    with np.errstate(all="ignore"):
        root, square = (doubles.interval_of(f(x_in_doubles)) for f in (doubles.sqrt, doubles.sqr))
    assert np.all(interval.equal(root, np.sqrt(x)))
    assert np.all(interval.equal(square, interval.sqr(x)))


@pytest.mark.parametrize(
    "number",
    [3, 2**53 + 1, 2**70, -(10**30), np.int64(2**62 + 1), Fraction(1, 3), Decimal("0.1"), 0.1,
     np.float32(0.1), hc.half(0.1), True, Fraction(1, 4)],
)  # fmt: skip
def test_numbers(number):
    """Numbers become points if they are doubles, else the doubles on either side."""
    actual = doubles.from_number(number)
    exact = Fraction(number.item() if isinstance(number, np.generic) else number)
    assert Fraction(float(actual.lo)) <= exact <= Fraction(float(actual.hi))
    assert (actual.lo == actual.hi) == (Fraction(float(exact)) == exact)
    assert actual.hi - actual.lo <= abs(float(exact)) * 2.0**-51


def test_numbers_beyond_doubles():
    actual = doubles.from_number(10**400)
    assert actual.lo == 65504 and actual.hi == np.inf
