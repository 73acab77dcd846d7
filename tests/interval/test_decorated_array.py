"""Tests of arrays of decorated intervals: indexing, ufuncs and functions as with NumPy's arrays."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from interval_bounds import same_intervals

import halfcl as hc
from halfcl import interval
from halfcl.interval import (
    DecoratedInterval,
    Interval,
    IntvlPartOfNaIWarning,
    UndefinedOperationWarning,
    nai,
)

pytestmark = pytest.mark.once

NAMES = np.array([["com", "dac", "def"], ["trv", "com", "dac"]])


def grid():
    """Return intervals of shape (2, 3), with decorations of every kind except ill."""
    low = np.arange(6, dtype=np.float16).reshape(2, 3)
    return DecoratedInterval(low, low + 1, NAMES)


def same(x, y):
    """Return whether intervals and decorations are equal, and NaI is in the same places."""
    decorated = type(x) is type(y) is DecoratedInterval and x.shape == y.shape
    return decorated and np.array_equal(interval.to_text(x), interval.to_text(y))


# ---------------------------------------------------------------- an array


def test_without_decorations():
    x = grid()
    assert isinstance(x.interval, Interval) and np.array_equal(x.interval.inf, x.inf)
    x.interval[...] = 7
    x.inf[...] = 7
    assert same(x, grid())
    with pytest.warns(IntvlPartOfNaIWarning, match="the empty set is returned") as caught:
        assert interval.is_empty(interval.interval_part(nai))
    assert caught[0].filename == __file__
    with pytest.warns(IntvlPartOfNaIWarning, match=r"1 of 2 elements"):
        assert interval.is_empty(DecoratedInterval(["[nai]", "1"]).interval).tolist() == [
            True,
            False,
        ]
    for read in (Interval, interval.from_values, lambda y: Interval(1, y)):
        with pytest.raises(TypeError, match=r"x\.interval to drop decorations"):
            read(x)


def test_attributes():
    x = grid()
    assert (x.shape, x.ndim, x.size, len(x), x.nbytes) == ((2, 3), 2, 6, 2, 30)
    assert x.dtype == hc.half and (np.shape(x), np.ndim(x), np.size(x)) == ((2, 3), 2, 6)
    assert x.decoration.tolist() == NAMES.tolist() and x[0, 1].decoration == "dac"


def test_indexing():
    x = grid()
    x[:, 1][...] = "[7, 8]_def"  # slices are views
    assert interval.to_text(x[:, 1]).tolist() == ["[7, 8]_def"] * 2
    x[0] = ["[1, 2]_trv", 3, Fraction(7, 2)]
    assert interval.to_text(x[0]).tolist() == ["[1, 2]_trv", "[3, 3]_com", "[3.5, 3.5]_com"]
    x[1, 0], x[1, 1], x[1, 2] = Interval(1, np.inf), nai, 0.5
    assert x[1].decoration.tolist() == ["dac", "ill", "com"]
    x[0, 1:] = x[0, :-1]
    assert x[0].decoration.tolist() == ["trv", "trv", "com"]
    x[...] = x[::-1]
    assert x.decoration.tolist() == [["dac", "ill", "com"], ["trv", "trv", "com"]]
    assert same(x[interval.is_nai(x)], DecoratedInterval(["[nai]"]))


def test_failed_assignment_writes_nothing():
    x = grid()
    for index, value in [
        (0, DecoratedInterval([1, 2])), (9, 1), (0, np.ones(3)), (0, "[2, 1]"), (0, np.nan),
        ((0, 0), "no"), (0, None), (0, ["1", "[2, 1]", "3"]),
    ]:  # fmt: skip
        with pytest.raises((ValueError, IndexError, TypeError, UndefinedOperationWarning)):
            x[index] = value
    assert same(x, grid())
    with pytest.raises(ValueError, match="read-only"):
        nai[...] = 1


def test_methods_of_shape():
    x = grid()
    assert same(x.T, np.transpose(x)) and x.T.shape == (3, 2)
    assert same(x.reshape(3, 2), np.reshape(x, (3, 2))) and same(x.ravel(), x.flatten())
    assert x.reshape(1, 6).squeeze().shape == (6,) and x.swapaxes(0, 1).shape == (3, 2)
    assert [y.shape for y in x] == [(3,), (3,)]
    with pytest.raises(TypeError, match="0-d"):
        iter(nai)
    with pytest.raises(TypeError):
        len(nai)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies(protocol):
    x = grid()
    for y in (pickle.loads(pickle.dumps(x, protocol)), copy.copy(x), copy.deepcopy(x), x.copy(),
              DecoratedInterval(x), interval.new_dec(x)):  # fmt: skip
        assert same(x, y)
        y[0, 0] = nai
        assert same(x, grid())


def test_conversions_are_refused():
    x = grid()
    for call in (bool, hash, np.asarray, float, np.isnan, np.sort, np.std, np.prod):
        with pytest.raises(TypeError):
            call(x)
    with pytest.raises(TypeError):
        x // 2
    with pytest.raises(TypeError, match="where: expected the default"):
        np.add(x, x, where=np.zeros(3, bool))
    for operand in (np.ones(3), np.arange(3)):
        for call in (lambda v: x + v, lambda v: v * x, lambda v: np.where(True, x, v)):
            with pytest.raises(TypeError, match=r"interval\.from_values"):
                call(operand)
    for number in (np.inf, np.nan, hc.half("inf")):
        with pytest.raises(ValueError):
            x + number


def test_in_place():
    x = y = grid()
    x += 1
    x *= x
    x /= DecoratedInterval(2, decoration="dac")
    assert x is y and same(x, (grid() + 1) * (grid() + 1) / DecoratedInterval(2, decoration="dac"))
    assert x.decoration.tolist() == [["dac", "dac", "def"], ["trv", "dac", "dac"]]
    out = grid()
    assert np.sqrt(x, out=out) is out and same(out, np.sqrt(x))
    bare = Interval([1, 2])
    with pytest.raises(TypeError, match="out: expected Interval, got DecoratedInterval"):
        np.sqrt(bare, out=x[0, :2])  # would claim more than is known
    with pytest.raises(TypeError, match="out: expected DecoratedInterval, got Interval"):
        bare += nai
    assert same_intervals(bare, Interval([1, 2])) and same(x, y)


def test_ufuncs_and_halfcl():
    x, y = DecoratedInterval(["[1, 2]", "[0, 4]_def"]), DecoratedInterval([1, -1], 2)
    for ufunc, function in {
        np.sqrt: interval.sqrt, hc.exp: interval.exp, np.arctan: interval.atan, np.square:
        interval.sqr, hc.rint: interval.round_ties_to_even, np.positive: lambda x: x,
    }.items():  # fmt: skip
        assert same(ufunc(x), function(x)), ufunc
    for ufunc, function in {
        np.true_divide: interval.div, hc.multiply: interval.mul, np.arctan2: interval.atan2,
        np.maximum: interval.max, hc.pow: interval.pow, np.bitwise_or: interval.hull,
        hc.dot: interval.dot,
    }.items():  # fmt: skip
        assert same(ufunc(x, y), function(x, y)), ufunc
        assert same(ufunc(x.interval, y), function(x.interval, y)), ufunc
    assert same(hc.fma(x, y, 1), interval.fma(x, y, 1))
    assert same(x**2, interval.pown(x, 2)) and same(x**0.5, interval.pow(x, 0.5))
    assert same(2**x, interval.pow(2, x)) and same(
        np.clip(x, 0.5, y), interval.min(interval.max(x, 0.5), y)
    )


# ---------------------------------------------------------------- NumPy's functions

FUNCTIONS = [
    lambda x: np.concatenate([x, x], axis=1), lambda x: np.stack([x, x]),
    lambda x: np.vstack([x, x]), lambda x: np.hstack((x, x)), lambda x: np.column_stack([x, x]),
    lambda x: np.ravel(x), lambda x: np.moveaxis(x, 0, 1), lambda x: np.expand_dims(x, 0),
    lambda x: np.flip(x, 1), lambda x: np.roll(x, 1), lambda x: np.tile(x, 2),
    lambda x: np.repeat(x, 2, axis=0), lambda x: np.take(x, [0, 2], axis=1),
    lambda x: np.broadcast_to(x, (4, 2, 3)), lambda x: np.split(x, 3, axis=1)[1],
    lambda x: np.delete(x, 1, axis=1), lambda x: np.copy(x), lambda x: np.diagonal(x),
    lambda x: np.rot90(x), lambda x: np.atleast_3d(x), lambda x: np.squeeze(x[:1]),
    lambda x: np.where([True, False, True], x, x[::-1]), lambda x: np.resize(x, (3, 3)),
    lambda x: np.broadcast_arrays(x, x[0])[1], lambda x: np.extract(x.inf > 2, x)
    if type(x) is DecoratedInterval else np.extract(grid().inf > 2, x),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(FUNCTIONS)))
def test_structural_functions(k):
    """Structural functions treat intervals as they treat bounds and decorations."""
    x, function = grid(), FUNCTIONS[k]
    actual = function(x)
    assert type(actual) is DecoratedInterval
    for part in (lambda v: v.inf, lambda v: v.sup, lambda v: v.decoration):
        assert np.array_equal(part(actual), function(part(x)))


def test_joining_functions():
    x, y = DecoratedInterval(["[1, 2]_def", "[nai]"]), Interval([3, 4], [5, np.inf])
    joined = np.concatenate([y, x, np.ones(1, hc.half), [2]])
    assert joined.decoration.tolist() == ["com", "dac", "def", "ill", "com", "com"]
    assert np.where([True, False], y, x).decoration.tolist() == ["com", "ill"]
    assert np.where([True, False], x, 0.1).decoration.tolist() == ["def", "com"]
    one, other, third = np.broadcast_arrays(x, np.ones((2, 1), hc.half), y)
    assert (one.shape, other.shape) == ((2, 2), (2, 2)) and other[0, 0].decoration == "com"
    assert third[1].decoration.tolist() == ["com", "dac"]
    assert np.full_like(x, "[1, 2]_dac").decoration.tolist() == ["dac", "dac"]
    for like in (np.zeros_like, np.ones_like, np.empty_like):
        assert like(x).decoration.tolist() == ["com", "com"]
    z = DecoratedInterval([1, 2])
    np.copyto(z, x, where=[False, True])
    assert z.decoration.tolist() == ["com", "ill"]
    for call in (lambda: np.copyto(y, x), lambda: np.take(x, [0], out=y[:1])):
        with pytest.raises(TypeError, match="expected DecoratedInterval, got Interval"):
            call()
    assert np.take(x, [1], out=z[:1]).decoration.tolist() == ["ill"] and interval.is_nai(z[0])
    with pytest.raises(ValueError, match="out: expected shape"):
        np.take(x, [1], out=z)


def test_functions_of_several_arrays():
    x, y = DecoratedInterval(["[1, 2]_def", "[nai]"]), Interval([3, 4], [5, np.inf])
    assert np.append(x, y).decoration.tolist() == ["def", "ill", "com", "dac"]
    assert np.insert(x, 1, 7).decoration.tolist() == ["def", "com", "ill"]
    assert np.pad(x, 1).decoration.tolist() == ["com", "def", "ill", "com"]
    padded = np.pad(x, 1, constant_values=DecoratedInterval("3_trv"))
    assert padded.decoration.tolist() == ["trv", "def", "ill", "trv"] and padded[0].sup == 3
    assert np.pad(x, 1, "edge").decoration.tolist() == ["def", "def", "ill", "ill"]
    assert np.select([[True, False]], [x], 5).decoration.tolist() == ["def", "com"]
    assert np.meshgrid(x, y)[0].decoration.tolist() == [["def", "ill"]] * 2
    assert [row.decoration for row in x.tolist()] == ["def", "ill"]


def test_zeros_filled_in_are_valid():
    lower = np.tril(np.stack([grid()[0]] * 3))
    assert interval.to_text(lower[0]).tolist() == ["[0, 1]_com", "[0, 0]_com", "[0, 0]_com"]
    assert lower[2].decoration.tolist() == ["com", "dac", "def"]


def test_functions_with_keywords():
    x = grid()
    for call in (lambda v: np.concatenate([v, v], dtype=float),
                 lambda v: np.full_like(v, 1, dtype=int)):  # fmt: skip
        with pytest.raises(TypeError):
            call(x)
    assert same_intervals(x, x.copy()) and not same_intervals(x, x[0])


def test_plot_band():
    axes = pytest.importorskip("matplotlib.figure").Figure().add_subplot()
    x = np.arange(3).astype(hc.half)
    intervals = DecoratedInterval(["[0, 1]", "[nai]", "[2, 3]_trv"])
    band = interval.plot_band(x, intervals, ax=axes)
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    assert {tuple(c) for c in corners} >= {(0, 0), (0, 1), (2, 2), (2, 3)}


def test_strict_regions():
    """Strict regions do not refuse the checks of domains and jumps."""
    x = DecoratedInterval([-1, 0, 2.5], 4)
    functions = (np.sqrt, np.log, np.floor, np.sign, np.arcsin, hc.log2p1, interval.trunc)
    expected = [function(x) for function in functions]
    with hc.rounding("rtp", builtins=True, strict=True):
        actual = [function(x) for function in functions]
    for one, other in zip(actual, expected, strict=True):
        assert same(one, other)


HALVES = np.array([1, 3], hc.half)
WHOLE = Interval(HALVES), DecoratedInterval(HALVES)
DAMAGED = [
    (HALVES, HALVES[::-1]), (HALVES, HALVES[:1]), (HALVES, HALVES * np.nan),
    (HALVES.astype(float), HALVES), (HALVES * np.inf, HALVES * np.inf), (None, HALVES),
    (WHOLE[0], np.array([16, 3], np.uint8)), (WHOLE[0], np.array([16], np.uint8)),
    (HALVES, np.array([16, 16], np.uint8)),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(DAMAGED)))
def test_damaged_pickles(k):
    """Loading a damaged pickle with invalid intervals raises an error."""
    make, parts = WHOLE[k > 5].__reduce__()
    assert np.all(interval.equal(make(*parts), WHOLE[0]))
    with pytest.raises((ValueError, TypeError), match=r"^lo|^hi|^decoration"):
        make(*DAMAGED[k])


def test_pickles_of_subclasses():
    for x in (nai, interval.empty, interval.entire, DecoratedInterval("[1, inf]_def")):
        again = pickle.loads(pickle.dumps(x))
        assert type(again) is type(x) and repr(again) == repr(x)
