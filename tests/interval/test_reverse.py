"""Reverse operations of intervals against the exact sets, rounded outward.

HALFCL_TEST_INTERVALS=1000000 tries so many of each function.
"""

import os

import numpy as np
import oracle_range
import oracle_reverse
import pytest
from exhaustive import either, one_in, shared_out
from interval_bounds import as_bounds, check
from samples import value

import halfcl as hc
from halfcl.interval._reverse import operations as reverse, preimage

pytestmark = pytest.mark.kernels

NUMBER = int(os.environ.get("HALFCL_TEST_INTERVALS", "0"))
FUNCTIONS = reverse.FUNCTIONS


def call(name, *arguments):
    with np.errstate(all="ignore"):
        return FUNCTIONS[name](*arguments)


def sample(seed, quick, count):
    """Return columns of bits of bounds: of intervals of all kinds, and of moderate ones."""
    rng = np.random.default_rng(seed)
    n = NUMBER or quick
    pool = oracle_range.pool(rng, 1 << 16 if NUMBER else 3000)
    pools = [pool, pool[np.abs(value(pool)) <= 4], oracle_range.SIMPLE]
    columns = []
    for _ in range(count):
        columns += oracle_range.mix_pools(rng, n, pools)
    return columns


def pairs(columns):
    return [as_bounds(columns[i : i + 2]) for i in range(0, len(columns), 2)]


@shared_out
@pytest.mark.parametrize("name", oracle_reverse.OF_ONE)
def test_operations_of_one_interval(name):
    columns = sample(4, either(5000, 500), 2)
    want = oracle_range.each(oracle_reverse.OF_ONE[name], *columns)
    check(call(name, *pairs(columns)), want, *columns)


@shared_out
@pytest.mark.parametrize("name", oracle_reverse.OF_TWO)
def test_operations_of_two_intervals(name):
    columns = sample(5, either(5000, 500), 3)
    want = oracle_range.each(oracle_reverse.OF_TWO[name], *columns)
    check(call(name, *pairs(columns)), want, *columns)


def test_pown_rev():
    columns = sample(6, 5000, 2)
    n = oracle_range.integers(np.random.default_rng(7), columns[0].size)
    want = oracle_range.each(oracle_reverse.pown_rev, *columns[:2], n, *columns[2:])
    c, x = pairs(columns)
    check(call("pown_rev", c, n, x), want, *columns, n)


@pytest.mark.parametrize("name", ["sin_rev", "cos_rev", "tan_rev"])
def test_reverse_of_function_contains_argument(name):
    """The reverse operation of the tightest interval around f(x) contains x."""
    x = oracle_range.BITS[np.isfinite(oracle_range.VALUES)]
    down, up = oracle_range.table(name.removesuffix("_rev"), x.tobytes())
    c = tuple(hc.convert_half(bound[x]) for bound in (down, up))
    point = as_bounds((x, x))
    check(call(name, c, point), [value(x)] * 2, x)


@one_in(2)
@pytest.mark.parametrize("name", oracle_reverse.OF_TWO)
def test_triples_of_special_intervals(name):
    """All triples of a few intervals, whose ends are where functions change, are tightest."""
    columns = oracle_range.all_of([-np.inf, -2, 0, 1, 4, np.inf], 3)
    want = oracle_range.each(oracle_reverse.OF_TWO[name], *columns)
    check(call(name, *pairs(columns)), want, *columns)


def point(*values):
    return (np.array(values, hc.half),) * 2


def test_exact_powers():
    """Exact powers are found where a double's logarithms and roots are slightly off."""
    n = np.arange(1, 25)
    bases = np.concatenate([np.arange(2, 256), np.arange(3, 64) / 2, 2.0 ** -np.arange(1, 25)])
    powers = bases[:, None] ** n
    with np.errstate(over="ignore"):
        exact = powers.astype(np.float16) == powers
    base, power = np.broadcast_to(bases[:, None], powers.shape)[exact], powers[exact]
    exponent = np.broadcast_to(n, powers.shape)[exact]
    c, b, a = point(*power), point(*exponent), point(*base)
    check(call("pow_rev1", b, c), [base] * 2, base, exponent)
    check(call("pow_rev2", a, c), [exponent] * 2, base, exponent)


@pytest.mark.parametrize("error", [-0.9, -1e-6, 0, 1e-6, 0.9])
def test_round_down(error):
    """Approximations within the distance of halves give exact results."""
    numbers = np.random.default_rng(8).uniform(1.1, 1.9, 1000)
    numbers[:100] = np.arange(1200, 1300) / 1024
    approximate = numbers + error / 1024
    got = preimage.round_down(approximate, lambda h: hc.convert_double(h) <= numbers)
    np.testing.assert_array_equal(hc.convert_double(got), np.floor(numbers * 1024) / 1024)


def test_zero_at_the_end():
    """At 0, the only exact root of sine, cosine and tangent, the bounds are right."""
    x = np.array([-1], hc.half), np.array([0], hc.half)
    for name, c in (("sin_rev", 0), ("cos_rev", 1), ("tan_rev", 0)):
        check(call(name, point(c), x), [[0.0], [0.0]])
        check(call(name, point(c), (-x[1], -x[0])), [[0.0], [0.0]])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes(name):
    """0-d and empty arrays keep their shapes; the second interval defaults to all numbers."""
    for shape in ((), (0,), (2, 3)):
        x = np.full(shape, 0.5, hc.half), np.full(shape, 1.75, hc.half)
        others = [3] if name == "pown_rev" else [x] * (name in oracle_reverse.OF_TWO)
        arguments = [x, *others]
        entire = tuple(np.full(shape, end, hc.half) for end in (-np.inf, np.inf))
        got, want = call(name, *arguments), call(name, *arguments, entire)
        for bound, other in zip(got, want, strict=True):
            assert isinstance(bound, np.ndarray)
            assert bound.shape == shape
            assert bound.dtype == hc.half
            np.testing.assert_array_equal(bound, other)


def test_table_is_complete():
    assert set(FUNCTIONS) == {*oracle_reverse.OF_ONE, *oracle_reverse.OF_TWO, "pown_rev"}
