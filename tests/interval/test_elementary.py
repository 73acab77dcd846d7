"""Elementary functions of intervals against the exact range, rounded outward, from MPFR.

HALFCL_TEST_INTERVALS=1000000 tries so many of each function.
"""

import os

import gmpy2
import numpy as np
import oracle_range
import pytest
from exhaustive import either, one_in, shared_out
from interval_bounds import as_bounds, check, same_intervals

import halfcl as hc
from halfcl import interval
from halfcl.interval._bounds import common, elementary, powers, trigonometric

pytestmark = pytest.mark.kernels

NUMBER = int(os.environ.get("HALFCL_TEST_INTERVALS", "0"))
FUNCTIONS = elementary.FUNCTIONS | trigonometric.FUNCTIONS | powers.FUNCTIONS
FUNCTIONS["compoundn"] = common.FUNCTIONS["compoundn"]


def sample(seed, quick, size=3000):
    """Return a pool of halves and a generator; all halves for the big sample."""
    rng = np.random.default_rng(seed)
    return rng, oracle_range.pool(rng, 1 << 16 if NUMBER else size), NUMBER or quick


def call(name, *arguments):
    with np.errstate(all="ignore"):
        return FUNCTIONS[name](*arguments)


@one_in(2)
@shared_out
@pytest.mark.parametrize("name", oracle_range.OF_ONE)
def test_functions_of_one_interval(name):
    rng, halves, n = sample(1, either(100_000, 800))
    low, high = oracle_range.intervals(rng, n, halves)
    want = oracle_range.of_one(name)(low, high, halves.tobytes())
    check(call(name, as_bounds((low, high))), want, low, high)


@shared_out
@pytest.mark.parametrize("name", oracle_range.OF_TWO)
def test_functions_of_two_intervals(name):
    rng, halves, n = sample(2, either(10_000, 500))
    x, y = (oracle_range.mix_pools(rng, n, (halves, oracle_range.SIMPLE)) for _ in range(2))
    want = oracle_range.each(oracle_range.OF_TWO[name], *x, *y)
    check(call(name, as_bounds(x), as_bounds(y)), want, *x, *y)


@pytest.mark.parametrize("name", oracle_range.OF_TWO)
def test_pairs_of_special_bounds(name):
    """All pairs of a few intervals, whose ends are where functions change, are tightest."""
    ends = [-np.inf, -65504, -2, -(2.0**-24), 0, 2.0**-24, 0.5, 1, 2, 65504, np.inf]
    columns = oracle_range.all_of(ends, 2)
    want = oracle_range.each(oracle_range.OF_TWO[name], *columns)
    check(call(name, as_bounds(columns[:2]), as_bounds(columns[2:])), want, *columns)


@pytest.mark.parametrize("name", oracle_range.WITH_INTEGER)
def test_functions_with_integer(name):
    rng, halves, n = sample(3, 10_000)
    x = oracle_range.mix_pools(rng, n, (halves, oracle_range.SIMPLE))
    exponents = oracle_range.integers(rng, n)
    want = oracle_range.each(oracle_range.WITH_INTEGER[name], *x, exponents)
    check(call(name, as_bounds(x), exponents), want, *x, exponents)


def test_table_is_complete():
    tested = {*oracle_range.OF_ONE, *oracle_range.OF_TWO, *oracle_range.WITH_INTEGER}
    assert set(FUNCTIONS) == tested


def test_pieces_of_all_halves():
    """The numbers of monotone pieces, computed in floats, equal those by exact reduction."""
    finite = np.isfinite(oracle_range.VALUES)
    x = oracle_range.BITS[finite].view(hc.half)
    for pieces, first in (
        (trigonometric.pieces_around_zero, -0.5),
        (trigonometric.pieces_from_zero, 0),
    ):
        got = pieces(x).astype(np.int64)
        exact = oracle_range.count(first, 1, True)[finite]
        assert np.ptp(got - exact) == 0


def ordered_halves():
    """Return the bits of all halves but NaN, from -inf to inf, -0 before 0."""
    positive = np.arange(0x7C01, dtype=np.uint16)
    return np.concatenate([positive[::-1] | np.uint16(0x8000), positive])


@one_in(3)
@pytest.mark.parametrize("name", ["sin", "cos", "tan", "sinpi", "cospi", "tanpi"])
def test_neighbours(name):
    """Extrema and poles lie between the right neighbours, for all pairs, and all to infinity."""
    halves = ordered_halves()
    low = np.concatenate([halves[:-1], np.full_like(halves[1:], 0xFC00), halves[:-1]])
    high = np.concatenate([halves[1:], halves[1:], np.full_like(halves[1:], 0x7C00)])
    want = oracle_range.of_one(name)(low, high, oracle_range.BITS.tobytes())
    check(call(name, as_bounds((low, high))), want, low, high)


def test_distance_from_multiples():
    """The relative distance of halves from multiples of pi / 2 is as large as kernels assume."""
    gaps = []
    for x in oracle_range.VALUES[1:0x7C00]:
        with gmpy2.context(precision=100):
            quarters = 2 * gmpy2.mpfr(x) / gmpy2.const_pi()
            gaps.append(abs(quarters - gmpy2.rint(quarters)) / quarters)
    assert min(gaps) > 2.0**-29
    assert oracle_range.VALUES[1 + gaps.index(min(gaps))] == 54304


@pytest.mark.parametrize("name", elementary.FUNCTIONS)
def test_points(name):
    """For each half with a value, the bounds are the value rounded down and up."""
    x = ordered_halves()[1:-1].view(hc.half)
    actual = call(name, (x, x))
    with np.errstate(all="ignore"):
        down, up = (getattr(getattr(hc, name), mode)(x) for mode in ("rtn", "rtp"))
    empty = np.isnan(down) | (np.isinf(down) & np.isinf(up))  # outside of the domain, or a pole
    assert np.array_equal(np.isnan(actual[0]), empty) and np.array_equal(np.isnan(actual[1]), empty)
    for bound, rounded in zip(actual, (down, up), strict=True):
        assert np.array_equal(bound[~empty], rounded[~empty])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_floating_point_errors_are_ignored(name):
    """No floating-point error is raised, whatever np.errstate is."""
    x = interval.Interval.of(
        as_bounds(oracle_range.intervals(np.random.default_rng(4), 500, ordered_halves()))
    )
    others = dict.fromkeys(oracle_range.WITH_INTEGER, (3,))
    rest = others.get(name, (x,) if name in oracle_range.OF_TWO else ())
    with np.errstate(all="raise"):
        getattr(interval, name)(x, *rest)


@pytest.mark.parametrize("mode", hc.MODES)
def test_rounding_modes_have_no_effect(mode):
    x = interval.Interval.of(
        as_bounds(oracle_range.intervals(np.random.default_rng(5), 100, ordered_halves()))
    )
    for name in oracle_range.OF_ONE:
        function = getattr(interval, name)
        with hc.rounding(mode, builtins=True):
            actual = function(x)
        assert same_intervals(actual, function(x)), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes(name):
    """Arrays of dimension 0, empty ones and those of several dimensions keep their shapes."""
    others = dict.fromkeys(oracle_range.WITH_INTEGER, (3,))
    for shape in ((), (0,), (2, 3), (1, 0, 2)):
        x = interval.Interval(np.full(shape, 0.5, hc.half), np.full(shape, 0.75, hc.half))
        rest = others.get(name, (x,) if name in oracle_range.OF_TWO else ())
        actual = getattr(interval, name)(x, *rest)
        for bound in actual._lo, actual._hi:
            assert isinstance(bound, np.ndarray)
            assert bound.shape == shape
            assert bound.dtype == hc.half


def test_integers_of_any_type():
    x = np.array([-0.5], hc.half), np.array([3], hc.half)
    for dtype in (np.int8, np.uint8, np.int64, np.uint64):
        low, high = call("pown", x, np.array([3], dtype))
        assert (float(low[0]), float(high[0])) == (-0.125, 27)
    for n in (np.uint64(2**64 - 1), np.int64(2**63 - 1), -(2**63) + 1):
        x = np.array([-1], hc.half), np.array([1], hc.half)
        low, high = call("pown", x, n)
        assert (low[0], high[0]) == ((-1, 1) if n > 0 else (-np.inf, np.inf))
    with pytest.raises(TypeError, match="n: expected integers, got float64"):
        FUNCTIONS["pown"](x, 2.0)
