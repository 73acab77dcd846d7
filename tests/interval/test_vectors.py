"""Tests of sums, means, differences and vectors: each bound is exact, rounded outward once."""

import functools
import inspect
import itertools
import math
from bisect import bisect_left, bisect_right
from fractions import Fraction

import interval_oracle as oracle
import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import half, interval
from halfcl.interval import Interval
from halfcl.interval._functions import elementwise, reductions

FAR = 1 << 300  # in place of infinity: limits are the same after rounding outward


def same(x, y):
    return x.shape == y.shape and bool(np.all(interval.equal(x, y)))


def draw(seed, *shape):
    """Return intervals of every kind, and an array of their exact bounds, None where empty."""
    rng = np.random.default_rng(seed)
    low, high = oracle.samples(rng, math.prod(shape))
    some = (
        rng.random(low.size) < 0.7
    )  # mostly ordinary intervals, since infinite ranges test little
    low, high = (
        np.where(some, v, w) for v, w in zip(_ordinary(rng, low.size), (low, high), strict=True)
    )
    x = Interval.of(tuple(np.reshape(v, shape).astype(np.float16).view(half) for v in (low, high)))
    exact = np.empty(low.size, object)
    exact[:] = [oracle.exact(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    return x, exact.reshape(shape)


def _ordinary(rng, n):
    values = rng.choice([0, 0.5, 1, 3, 100], n) * rng.normal(size=n)
    width = rng.choice([0, 2.0**-20, 0.125, 5], n)
    return (values - width).astype(np.float16), (values + width).astype(np.float16)


def check(actual, wanted):
    """Check that intervals equal exact ones, pairs or None, rounded outward."""
    wanted = np.asarray(wanted, object)
    for index in np.ndindex(actual.shape):
        want = wanted[index]
        want = (np.inf, -np.inf) if want is None else want
        got = float(actual[index].inf), float(actual[index].sup)
        assert got == tuple(map(float, want)), (index, got, want)


def objects(values, shape):
    actual = np.empty(len(values), object)
    actual[:] = values
    return actual.reshape(shape)


def along_last(function, *exact):
    """Apply a function to exact vectors; None where a component is empty."""
    rows = [list(x.reshape(-1, x.shape[-1])) for x in exact]
    actual = [None if any(v is None for x in each for v in x) else function(*map(list, each))
             for each in zip(*rows, strict=True)]  # fmt: skip
    return objects(actual, exact[0].shape[:-1])


# ---------------------------------------------------------------- sums


def total(vector):
    return sum(x[0] for x in vector), sum(x[1] for x in vector)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100])
def test_mean(n):
    x, exact = draw(n, 200, n)
    wanted = along_last(lambda v: oracle.outward(tuple(s / n for s in total(v))), exact)
    check(interval.mean(x, axis=-1), wanted)
    assert same(np.mean(x, 1), interval.mean(x, axis=-1)) and same(x.mean(-1), np.mean(x, 1))
    assert same(np.mean(x, axis=(0, 1), keepdims=True)[0, 0], x.mean())


def test_mean_rounds_once():
    """A third of 2^-24 is not a half, and intermediate sums overflow half."""
    tiny = Interval([0, 0, 2.0**-24])
    assert same(tiny.mean(), Interval(0, 2.0**-24)) and same(
        (-tiny).mean(), Interval(-(2.0**-24), 0)
    )
    assert same(Interval(np.full(1000, 65504, half)).mean(), Interval(65504))
    with pytest.raises(ValueError, match="mean: expected at least one interval"):
        np.mean(tiny[:0])


def test_cumsum():
    x, exact = draw(3, 40, 30)

    def sums(vector):
        parts = [vector[: i + 1] for i in range(len(vector))]
        return [None if None in part else oracle.outward(total(part)) for part in parts]

    wanted = objects([w for row in exact for w in sums(list(row))], exact.shape)
    check(interval.cumsum(x, axis=1), wanted)
    assert same(np.cumsum(x.T, axis=0), interval.cumsum(x, 1).T)
    assert same(np.add.accumulate(x.T), interval.cumsum(x, 1).T)
    assert same(np.cumsum(x)[:30], x.cumsum(axis=1)[0]) and np.cumsum(x).shape == (1200,)


def test_beyond_int64(monkeypatch):
    """Sums of more halves than fit in 64 bits use Python's integers."""
    wanted_x = Interval(np.full((2, 40), -65504, half), np.full((2, 40), 65504, half))
    wanted = wanted_x.mean(1), np.cumsum(wanted_x, 1)
    monkeypatch.setattr(reductions, "_MANY", 4)
    monkeypatch.setattr(reductions, "_BLOCK", 7)
    assert same(wanted_x.mean(1), wanted[0]) and same(np.cumsum(wanted_x, 1), wanted[1])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
def test_diff(n):
    x, exact = draw(n + 20, 60, 8)
    signs = [(-1) ** (n - k) * math.comb(n, k) for k in range(n + 1)]

    def difference(window):
        terms = [oracle.mul((Fraction(s),) * 2, v) for s, v in zip(signs, window, strict=True)]
        return oracle.outward(total(terms))

    windows = np.stack([exact[:, k : k + 8 - n] for k in range(n + 1)], axis=-1)
    check(np.diff(x, n), along_last(difference, windows))
    assert same(np.diff(x.T, n, axis=0), np.diff(x, n).T)
    assert np.diff(x, 9).shape == (60, 0) and same(np.ediff1d(x[:2]), np.diff(x[:2].ravel()))


def test_diff_refuses():
    x = Interval(np.arange(40).astype(half))
    assert same(np.diff(x, 13), Interval(np.zeros(27, half)))
    with pytest.raises(ValueError, match="n: expected at most 13"):
        np.diff(x, 14)
    with pytest.raises(ValueError, match="n: expected 0 or more, got -1"):
        np.diff(x, -1)
    with pytest.raises(TypeError, match="diff: prepend: expected the default"):
        np.diff(x, prepend=0)


# ---------------------------------------------------------------- vectors


@functools.cache
def squares():
    """Return squares of halves with their sign, which order and compare square roots."""
    return [Fraction(h) * abs(Fraction(h)) for h in oracle.HALVES]


def root_down(s):
    """Return the greatest half that is not above the root of a signed square."""
    at = bisect_right(squares(), s)
    return oracle.HALVES[at - 1] if at else -math.inf


def root_up(s):
    at = bisect_left(squares(), s)
    return oracle.HALVES[at] if at < len(squares()) else math.inf


def near(x):
    """Return a bounded interval in place of an unbounded one, with the same range when rounded."""
    ends = (max(-FAR, min(FAR, v)) for v in x)
    return tuple(Fraction(int(v.numerator), int(v.denominator)) for v in ends)


def of_squares(vector):
    sizes = [oracle.magnitudes(near(v)) for v in vector]
    return root_down(sum(s[0] ** 2 for s in sizes)), root_up(sum(s[1] ** 2 for s in sizes))


@one_in(2)
@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_length(n):
    x, exact = draw(n + 30, 300, n)
    wanted = along_last(of_squares, exact)
    for function in (interval.length, hc.length, hc.length.rtz, np.linalg.vector_norm):
        check(function(x, axis=-1), wanted)
    assert same(hc.length(x.T, axis=0), hc.length(x)) and hc.length(x, keepdims=True).shape == (
        300,
        1,
    )
    assert same(np.linalg.norm(x, axis=1), hc.length(x)) and same(hc.length(x[0, 0]), abs(x[0, 0]))


@pytest.mark.parametrize("n", [1, 2, 4])
def test_distance(n):
    (x, of_x), (y, of_y) = draw(n + 40, 300, n), draw(n + 50, 300, n)
    wanted = along_last(
        lambda a, b: of_squares([oracle.sub(near(p), near(q)) for p, q in zip(a, b, strict=True)]),
        of_x, of_y,
    )  # fmt: skip
    check(hc.distance(x, y), wanted)
    assert same(interval.distance(x.T, y.T, axis=0), hc.distance(x, y))
    assert same(hc.distance(x, np.zeros(n, half)), hc.length(x))


def directions(vector):
    """Return the range of each component, from corners of the box and of its parts with zeros."""
    choices = [{a, b, *([Fraction(0)] if a <= 0 <= b else [])} for a, b in map(near, vector)]
    actual = [[] for _ in vector]
    for corner in itertools.product(*choices):
        if size := sum(v * v for v in corner):
            for values, v in zip(actual, corner, strict=True):
                values.append(v * abs(v) / size)
    return [(root_down(min(v)), root_up(max(v))) if v else None for v in actual]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_normalize(n):
    x, exact = draw(n + 60, 400, n)
    few = [(a, b) for a in (-2, 0, 1) for b in (-2, 0, 1) if a <= b]
    boxes = list(itertools.product([*few, (0, np.inf), (-np.inf, -1)], repeat=min(n, 2)))
    if n < 3:
        ends = np.array(boxes, float)
        x = np.concatenate([x, Interval.of(tuple(ends[..., k].astype(half) for k in (0, 1)))])
        special = [[oracle.exact(*map(float, pair)) for pair in box] for box in boxes]
        exact = np.concatenate([exact, objects(list(itertools.chain(*special)), (-1, n))])
    rows = [[None] * n if any(v is None for v in row) else directions(list(row)) for row in exact]
    wanted = objects(list(itertools.chain(*rows)), (-1, n))
    check(hc.normalize(x), wanted)
    assert same(interval.normalize(x.T, axis=0), hc.normalize(x).T)
    assert interval.normalize(x[0, 0]).shape == ()


def test_cross():
    (x, of_x), (y, of_y) = draw(70, 200, 3), draw(71, 200, 3)

    def component(i):
        j, k = (i + 1) % 3, (i + 2) % 3
        return along_last(
            lambda a, b: oracle.outward(oracle.sub(oracle.mul(a[j], b[k]), oracle.mul(a[k], b[j]))),
            of_x, of_y,
        )  # fmt: skip

    wanted = np.stack([component(i) for i in range(3)], axis=-1)
    for function in (hc.cross, interval.cross, np.cross, np.linalg.cross):
        check(function(x, y), wanted)
    four = hc.cross(np.pad(x, ((0, 0), (0, 1))), np.pad(y, ((0, 0), (0, 1))))
    assert same(four[:, :3], hc.cross(x, y)) and set(four[0].sup[3:].tolist()) <= {0.0, -np.inf}
    assert same(hc.cross(x.T, y.T, axis=0), hc.cross(x, y).T)
    with pytest.raises(ValueError, match="cross: expected vectors of 3 or 4 components, got 2"):
        hc.cross(x[:, :2], y[:, :2])
    with pytest.raises(ValueError, match="cross: expected vectors of 3 components, got 4"):
        np.cross(np.ones_like(four), four)


@pytest.mark.parametrize("order", [1, np.inf, -np.inf])
def test_norm(order):
    x, exact = draw(80, 200, 4)

    def norm(vector):
        sizes = [oracle.magnitudes(v) for v in vector]
        combined = {1: total, np.inf: lambda s: tuple(map(max, zip(*s, strict=True))),
                    -np.inf: lambda s: tuple(map(min, zip(*s, strict=True)))}[order]  # fmt: skip
        return oracle.outward(combined(sizes))

    check(np.linalg.norm(x, order, axis=1), along_last(norm, exact))
    assert same(np.linalg.norm(x[3], order), np.linalg.norm(x, order, axis=1)[3])


def test_norm_of_matrices():
    x = Interval([[1, 2], [-1, 4]], [[2, 2], [3, 5]])
    assert same(np.linalg.norm(x), hc.length(x.ravel())) and same(
        np.linalg.norm(np.stack([x, x]), "fro", axis=(1, 2), keepdims=True)[:, 0, 0],
        np.stack([np.linalg.norm(x)] * 2),
    )
    for arguments in ((2,), (1,), (np.inf,), ("nuc",), (3, 0), (True, 0)):
        with pytest.raises(ValueError, match="ord: expected one of"):
            np.linalg.norm(x, *arguments)
    with pytest.raises(ValueError, match="axis: expected one or two axes, got 3"):
        np.linalg.norm(x.reshape(1, 2, 2), 2)


def test_regions_have_no_effect():
    """Rounding regions and strict regions change nothing, and nothing warns."""
    x = Interval([[1, -1, 0], [-np.inf, 3, 2]], [[65504, 2, 0], [np.inf, np.inf, 7]])
    y = np.where([[True, True, False], [True, True, True]], x[::-1], interval.empty)
    functions = [hc.length, hc.normalize, np.mean, np.cumsum, np.diff, np.sum, np.max, hc.sincos,
                 hc.degrees, np.linalg.norm, lambda v: np.diff(v, 2), lambda v: hc.distance(v, x),
                 lambda v: hc.cross(x, v), lambda v: hc.mix(v, x, x), lambda v: hc.clamp(v, x, x),
                 lambda v: hc.step(v, x), lambda v: hc.fdim(v, x), lambda v: hc.ldexp(v, 20),
                 lambda v: hc.compoundn(v, -9), lambda v: hc.atan2pi(v, x),
                 lambda v: np.outer(v, x)]  # fmt: skip

    def results():
        actual = [f(v) for f in functions for v in (x, y)]
        return [part for r in actual for part in (r if isinstance(r, tuple) else (r,))]

    wanted = results()
    for mode in ("rte", "rtz", "rtp", "rtn"):
        with hc.rounding(mode, builtins=True, strict=True), np.errstate(all="raise"):
            assert all(same(*pair) for pair in zip(results(), wanted, strict=True))


@pytest.mark.parametrize("name", elementwise.FUNCTIONS)
def test_strict_regions(name):
    """Intermediate results in wider types do not count as leaving half."""
    function = getattr(interval, name)
    x = Interval([1, -1, 0, 0.5, -np.inf], [65504, 2, 0, 0.75, np.inf])
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    arguments = [2 if p.name in ("n", "k") else x for p in needed]
    wanted = function(*arguments)
    with hc.rounding("rtn", builtins=True, strict=True), np.errstate(all="raise"):
        actual = function(*arguments)
    both = (actual, wanted) if isinstance(actual, tuple) else ([actual], [wanted])
    assert all(same(*pair) for pair in zip(*both, strict=True))
