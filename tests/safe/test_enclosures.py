"""Tests of the enclosures between doubles that decide about domains, against rationals."""

from fractions import Fraction

import numpy as np
import pytest

import halfcl as hc
from halfcl import half, safe
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.safe import _enclosures as enclosures
from halfcl.safe._enclosures import from_exact

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore:(invalid|divide|overflow)")]


def some_doubles(rng, count):
    """Return doubles of all sizes: halves, short, long, subnormal and huge ones, zeros."""
    x = rng.normal(size=count) * 2.0 ** rng.integers(-40, 40, count)
    x = np.where(rng.random(count) < 0.4, x.astype(np.float16).astype(float), x)
    x = np.where(rng.random(count) < 0.3, x.astype(np.float32).astype(float), x)
    x = np.where(np.isfinite(x), x, 3.0)
    scale = rng.choice([0, 2.0**-1000, 2.0**900, 1, 1, 1, 1, 1, 1, 1, 1], count)
    return np.where(scale == 1, x, x * scale)


def some_intervals(rng, count):
    low, high = some_doubles(rng, count), some_doubles(rng, count)
    high = np.where(rng.random(count) < 0.4, low, high)
    return DoubleInterval(np.minimum(low, high), np.maximum(low, high))


def test_reductions_enclose():
    x = some_intervals(np.random.default_rng(8), 3000)
    x = DoubleInterval(*(np.clip(v, -(2.0**60), 2.0**60).reshape(300, 10) for v in (x.lo, x.hi)))
    with np.errstate(all="ignore"):
        total = enclosures.REDUCTIONS["add"](x, axis=1)
    for k, (lows, highs) in enumerate(zip(x.lo, x.hi, strict=True)):
        low, high = (sum(map(Fraction, v.tolist())) for v in (lows, highs))
        size = Fraction(2.0**-49) * sum(abs(Fraction(v)) for v in (*lows.tolist(), *highs.tolist()))
        assert low - size <= Fraction(total.lo[k].item()) <= low
        assert high <= Fraction(total.hi[k].item()) <= high + size


@pytest.mark.parametrize("shapes", [((4, 50), (4, 50)), ((4, 50), (50, 3)), ((50,), (50, 3))])
def test_products_of_halves_are_exact(shapes):
    rng = np.random.default_rng(8)
    x, y = (half(rng.uniform(-0.7, 0.7, size=shape)) for shape in shapes)
    name = "vecdot" if shapes[0] == shapes[1] else "matmul"
    product = enclosures.UFUNCS[name](from_exact(x), from_exact(y))
    assert np.array_equal(product.lo, getattr(np, name)(x.astype(float), y.astype(float)))
    assert np.array_equal(product.lo, product.hi)


def test_unbounded_and_empty():
    x = DoubleInterval([-np.inf, 0, -np.inf, np.nan], [np.inf, np.inf, -1, np.nan])
    y = DoubleInterval([0.0, 0, 2, 1], [0.0, 1, np.inf, 1])
    with np.errstate(all="ignore"):
        product, total = doubles.mul(x, y), doubles.add(x, y)
    assert product.lo[0] <= 0 <= product.hi[0] and product.lo[1] <= 0 and product.hi[1] == np.inf
    assert (product.lo[2], product.is_empty[3]) == (-np.inf, True) and -3 < product.hi[2] >= -2.1
    assert (total.lo[:3] == [-np.inf, 0, -np.inf]).all() and (total.hi[:3] == np.inf).all()
    assert from_exact(half([np.inf]))[0].lo == 65504 and from_exact(10**400).lo > 1e4
    assert from_exact(2**60 + 1).lo < 2**60 + 1 < from_exact(2**60 + 1).hi


def random_step(rng, pool):
    """Return another pair of tracked halves and their exact values, computed from the pool."""
    (a, x), (b, y) = (pool[k] for k in rng.integers(len(pool), size=2))
    steps = [
        (lambda: a + b, lambda: x + y),
        (lambda: a - b, lambda: x - y),
        (lambda: a * b, lambda: x * y),
        (lambda: abs(a) - 0.1, lambda: abs(x) - Fraction(0.1)),
        (lambda: np.minimum(a, b) + 1, lambda: np.minimum(x, y) + 1),
        (lambda: a**3 * 0.3, lambda: x * x * x * Fraction(0.3)),
        (lambda: hc.fma(a, b, a), lambda: x * y + x),
        (lambda: a - a.mean(), lambda: x - x.sum() / x.size),
        (lambda: a / (b * b + 1), lambda: x / (y * y + 1)),
    ]
    tracked, exact = steps[rng.integers(len(steps))]
    return tracked(), exact()


@pytest.mark.parametrize("seed", range(20))
def test_random_expressions(seed):
    """The enclosure of a random expression contains its exact value."""
    rng = np.random.default_rng(seed)
    start = half(rng.uniform(-3, 3, (3, 20)))
    pool = [(safe.track(v), np.vectorize(Fraction)(v.astype(float))) for v in start]
    with np.errstate(all="ignore"):
        for _ in range(12):
            pool.append(random_step(rng, pool))
    for tracked, exact in pool:
        bounds = tracked._enclosure
        for low, high, true in zip(bounds.lo, bounds.hi, exact, strict=True):
            assert low <= true <= high


@pytest.mark.parametrize("exponent", [3.0, -3.0, half([3, 2, -1, 1]), np.int8(3), 1e300], ids=repr)
def test_powers_of_negative_bases(exponent):
    base = hc.exp(safe.track(half([1.5] * 4))) - 4.482
    low, high = base._enclosure.lo, base._enclosure.hi
    assert (low < 0).all() and (high > 0).all()
    for power in (base**exponent, hc.pow(base, exponent)):
        for x in (low, high, low / 2, high / 2):
            with np.errstate(all="ignore"):
                exact = x ** np.asarray(exponent, float)  # far from the enclosures' bounds
            assert np.all((power._enclosure.lo <= exact) & (exact <= power._enclosure.hi))


def test_powers_of_wide_exponents():
    """(-2) ** y is all numbers if y may be an integer, else empty."""
    y = hc.exp(safe.track(half(1.5))) - 3.482  # about 1
    assert (y._enclosure.lo < 1) and (y._enclosure.hi > 1)
    power = safe.track(half(-2)) ** y
    assert power._enclosure.lo <= -2 <= power._enclosure.hi
