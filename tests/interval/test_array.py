"""Tests of arrays of intervals: construction, indexing, operators, ufuncs, functions, bad input."""

import copy
import operator
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import halfcl as hc
from halfcl import half, interval
from halfcl.interval import Interval


def grid():
    """Return intervals of shape (2, 3): [0, 1], [1, 2] ..."""
    low = np.arange(6, dtype=np.float16).reshape(2, 3)
    return Interval(low, low + 1)


def same(x, y):
    return isinstance(x, Interval) and x.shape == y.shape and bool(np.all(interval.equal(x, y)))


# ---------------------------------------------------------------- the constructor


def test_from_bounds():
    for one in (np.float16(1), hc.half(1), 1, True, Fraction(1), Decimal(1), "1", np.int8(1)):
        assert interval.equal(Interval(one, 2), Interval("[1, 2]"))
    x = Interval(np.array([1, 2], np.int8), np.array([[3], [4]], ">f2"))
    assert x.shape == (2, 2) and x.dtype == hc.half and x.sup.tolist() == [[3, 3], [4, 4]]


def test_numbers_are_rounded_outward():
    x = Interval(0.1, 0.2)
    assert Fraction(float(x.inf)) < Fraction(1, 10) and Fraction(float(x.sup)) > Fraction(1, 5)
    assert same(x, Interval("0.1", "0.2")) and same(Interval([0.1], [0.2])[0], x)
    assert same(Interval(1e6), Interval(65504, np.inf))


def test_bounds_are_copied():
    low = np.array([1, 2], hc.half)
    x = Interval(low, 3)
    low[0] = 2
    assert x.inf.tolist() == [1, 2]
    x.inf[0] = 5
    assert x.inf.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((2, 1), ValueError, "lo: expected at most hi, got lo=2.0 and hi=1.0"),
        (([1, 5], [2, 4]), ValueError, r"at index \(1,\)"),
        ((0.2, 0.19999999), ValueError, "at most hi"),
        ((Fraction(1, 3), 0.3333333), ValueError, "at most hi"),
        (("1/3", "0.33333333"), ValueError, "at most hi"),
        ((np.nan, 1), ValueError, "NaN"),
        ((np.array([1, np.nan], np.float16),), ValueError, "lo: expected numbers, got NaN"),
        ((np.inf,), ValueError, "less than inf"),
        ((np.inf, np.inf), ValueError, "less than inf"),
        ((-np.inf, -np.inf), ValueError, "more than -inf"),
        ((np.array([0.5]),), TypeError, "expected half, got float64; use interval.from_values"),
        ((1, np.array([2])), TypeError, "hi: expected half, got int64"),
        ((1j,), TypeError, "expected numbers or text, got complex"),
        ((Interval(1, 2), 3), TypeError, "lo, hi: expected numbers, got Interval"),
        (("[1, 2]", 3), ValueError, "expected a number"),
        (("one",), ValueError, "is not a number"),
        (([1, 2], [1, 2, 3]), ValueError, "lo, hi: expected shapes that broadcast"),
    ],
)
def test_bad_bounds(arguments, error, words):
    with pytest.raises(error, match=words):
        Interval(*arguments)


def test_bounds_of_zero_and_empty():
    """Zeros have the standard's signs, the empty set has infinities."""
    x = Interval([0, 1], [0, 2])
    assert np.signbit(x.inf[0]) and not np.signbit(x.sup[0])
    assert (float(interval.empty.inf), float(interval.empty.sup)) == (np.inf, -np.inf)
    assert isinstance(interval.empty.inf, hc.half)


# ---------------------------------------------------------------- an array


def test_attributes():
    x = grid()
    assert (x.shape, x.ndim, x.size, len(x), x.nbytes) == ((2, 3), 2, 6, 2, 24)
    assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((2, 3), 2, 6, 3)


def test_indexing():
    x = grid()
    assert same(x[1, 2], Interval(5, 6)) and x[1, 2].shape == ()
    assert same(x[interval.equal(x, Interval(3, 4))], Interval([3], [4]))
    x[:, 1][...] = 7  # slices are views
    assert same(x[:, 1], Interval([7, 7]))
    x[0] = Interval([1, 2, 3], [4, 5, 6])
    x[1, 0], x[1, 1], x[1, 2] = 0.1, interval.empty, "[1/3, 2/3]"
    assert same(x[1], interval.from_values([0.1, "[empty]", "[1/3, 2/3]"]))
    x[0, 1:] = x[0, :-1]
    assert same(x[0], Interval([1, 1, 2], [4, 4, 5]))


def test_failed_assignment_writes_nothing():
    x = grid()
    for index, value in [(0, Interval([1, 2], [3, 4])), (9, 1), (0, np.ones(3)), (0, "no")]:
        with pytest.raises((ValueError, IndexError, TypeError)):
            x[index] = value
    assert same(x, grid())
    with pytest.raises(ValueError, match="read-only"):
        interval.empty[...] = 1


def test_methods_of_shape():
    x = grid()
    assert same(x.T, np.transpose(x)) and x.T.shape == (3, 2)
    assert same(x.reshape(3, 2), np.reshape(x, (3, 2))) and same(x.ravel(), x.flatten())
    assert x.reshape(1, 6).squeeze().shape == (6,) and x.swapaxes(0, 1).shape == (3, 2)
    assert [y.shape for y in x] == [(3,), (3,)]
    with pytest.raises(TypeError, match="0-d"):
        iter(Interval(1, 2))
    with pytest.raises(TypeError):
        len(Interval(1, 2))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies(protocol):
    x = grid()
    for y in (pickle.loads(pickle.dumps(x, protocol)), copy.copy(x), copy.deepcopy(x), x.copy()):
        assert same(x, y)
        y[0, 0] = 9
        assert same(x, grid())


def test_in_operator():
    x = Interval(1, 2)
    assert 1.5 in x and 0.9999999 not in x and Interval(1, 1.5) in x and interval.empty in x
    with pytest.raises(ValueError, match="is_member"):
        1 in grid()  # noqa: B015


def test_conversions_are_refused():
    x = grid()
    for call in (bool, hash, np.asarray, float, np.isnan, np.prod, np.linalg.inv):
        with pytest.raises(TypeError):
            call(x)
    with pytest.raises(TypeError):
        x // 2
    with pytest.raises(TypeError, match="dtype: expected the default"):
        np.add(x, x, dtype=float)
    with pytest.raises(TypeError, match="where: expected the default"):
        np.add(x, x, where=np.zeros(3, bool))


# ---------------------------------------------------------------- operators and ufuncs


def test_operands():
    x = Interval([1, 2], [3, 4])
    wanted = Interval([2, 3], [4, 5])
    for one in (1, 1.0, hc.half(1), np.float32(1), Fraction(1), Decimal(1), np.ones(2, hc.half),
                np.ones(2, np.int8), Interval(1), np.float64(1), np.int64(1)):  # fmt: skip
        assert same(x + one, wanted) and same(one + x, wanted), type(one)
    tenth = interval.from_values("0.1")
    for number in (0.1, Fraction(1, 10), Decimal("0.1"), np.float64(0.1)):
        assert same(x * number, x * tenth) and same(number - x, tenth - x)
    assert same(x + np.ones((3, 1), hc.half), np.stack([wanted] * 3))


@pytest.mark.parametrize("operand", [np.ones(2), np.arange(2), np.float32([1, 2])])
def test_operands_refused(operand):
    x = Interval([1, 2], [3, 4])
    for call in (lambda: x + operand, lambda: operand * x, lambda: np.where(True, x, operand)):
        with pytest.raises(TypeError, match=r"interval\.from_values"):
            call()


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, hc.half("inf")])
def test_no_real_numbers(number):
    with pytest.raises(ValueError):
        Interval(1, 2) + number
    with pytest.raises(ValueError):
        Interval(1, 2) + np.array([number], hc.half)


def test_in_place():
    x = y = grid()
    x += 1
    x *= x
    x -= hc.half(1)
    x /= 2
    x &= Interval(2, 20)
    assert x is y and same(x, ((grid() + 1) * (grid() + 1) - 1) / 2 & Interval(2, 20))
    out = grid()
    assert np.sqrt(x, out=out) is out and same(out, np.sqrt(x))
    with pytest.raises(ValueError, match="out: expected shape"):
        np.add(x, x, out=out[0])
    with pytest.raises(TypeError, match="out: expected Interval"):
        np.add(x, x, out=np.empty((2, 3), hc.half))


def test_ufuncs():
    x = Interval([-1, 2], [3, 4])
    pairs = {
        np.absolute: interval.abs, np.fabs: interval.abs, np.square: interval.sqr,
        np.reciprocal: interval.recip, np.negative: interval.neg, np.sqrt: interval.sqrt,
        np.floor: interval.floor, np.rint: interval.round_ties_to_even, np.sign: interval.sign,
        hc.sqrt: interval.sqrt, hc.rint: interval.round_ties_to_even, hc.fabs: interval.abs,
        hc.round: interval.round_ties_to_away, hc.trunc: interval.trunc, hc.ceil: interval.ceil,
    }  # fmt: skip
    for ufunc, function in pairs.items():
        assert same(ufunc(x), function(x)), ufunc
    y = Interval(1, 5)
    for ufunc, function in {
        hc.add: interval.add, hc.multiply: interval.mul, hc.divide: interval.div,
        np.maximum: interval.max, hc.fmin: interval.min, np.subtract: interval.sub,
    }.items():  # fmt: skip
        assert same(ufunc(x, y), function(x, y)), ufunc
    assert same(hc.fma(x, y, 1), interval.fma(x, y, 1))
    assert same(hc.dot(x, x), interval.dot(x, x)) and same(hc.min(x, y), interval.min(x, y))
    assert same(np.clip(x, 0, 3), Interval([0, 2], [3, 3]))


def test_regions_do_not_affect_intervals():
    """Rounding regions and strict regions change nothing, and nothing warns."""
    x, y = Interval([1, -1, 0], [65504, 2, 0]), Interval([0.1, 0, -3], [9, 1, 3])
    functions = [interval.add, interval.sub, interval.mul, interval.div, interval.fma, interval.dot]

    def results():
        return [f(x, y, x) if f is interval.fma else f(x, y) for f in functions] + [
            hc.sqrt(x), interval.from_values([0.1, 1e9, 1e-9]), x.sum(), interval.rad(x) + x,
            interval.mid(x) + x, interval.wid(y) + y,
        ]  # fmt: skip

    wanted = results()
    for mode in ("rte", "rtz", "rtp", "rtn"):
        with hc.rounding(mode, builtins=True, strict=True), np.errstate(all="raise"):
            for got, right in zip(results(), wanted, strict=True):
                assert same(got, right)


def test_comparisons():
    x, y = Interval([1, 2], [3, 4]), Interval([1, 3], [3, 5])
    assert interval.equal(x, y).tolist() == [True, False]
    assert interval.not_equal(x, y).tolist() == [False, True]
    assert interval.strict_less(x, y).tolist() == [False, True]
    assert interval.less(x, y).tolist() == [True, True]
    assert interval.equal(x, 1).tolist() == [False, False] and Interval(2) == 2
    assert (x == None) is False and (x != "a") is True  # noqa: E711


# ---------------------------------------------------------------- NumPy's functions

FUNCTIONS = [
    lambda x: np.concatenate([x, x], axis=1), lambda x: np.stack([x, x]),
    lambda x: np.vstack([x, x]),
    lambda x: np.hstack((x, x)), lambda x: np.column_stack([x, x]), lambda x: np.ravel(x),
    lambda x: np.moveaxis(x, 0, 1), lambda x: np.expand_dims(x, 0), lambda x: np.flip(x, 1),
    lambda x: np.roll(x, 1), lambda x: np.tile(x, 2), lambda x: np.repeat(x, 2, axis=0),
    lambda x: np.take(x, [0, 2], axis=1), lambda x: np.broadcast_to(x, (4, 2, 3)),
    lambda x: np.split(x, 3, axis=1)[1], lambda x: np.delete(x, 1, axis=1), lambda x: np.copy(x),
    lambda x: np.diagonal(x), lambda x: np.rot90(x), lambda x: np.atleast_3d(x),
    lambda x: np.where([True, False, True], x, x[::-1]), lambda x: np.squeeze(x[:1]),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(FUNCTIONS)))
def test_structural_functions(k):
    """Structural functions treat intervals as they treat either bound."""
    x, function = grid(), FUNCTIONS[k]
    actual = function(x)
    assert isinstance(actual, Interval)
    assert np.array_equal(actual.inf, function(x.inf)) and np.array_equal(
        actual.sup, function(x.sup)
    )


def test_joining_functions_enclose_numbers():
    x = Interval([1, 2], [3, 4])
    assert same(np.where([True, False], x, 0.1), np.stack([x[0], Interval(0.1)]))
    assert same(np.concatenate([x, np.ones(1, hc.half)]), Interval([1, 2, 1], [3, 4, 1]))
    assert same(np.full_like(x, 0.1), Interval([0.1, 0.1]))
    assert same(np.zeros_like(x), Interval([0, 0])) and same(np.ones_like(x), Interval([1, 1]))
    y = np.zeros_like(x)
    np.copyto(y, x, where=[True, False])
    assert same(y, Interval([1, 0], [3, 0]))
    assert same(x, x.copy()) and not same(x, y)


def test_reductions():
    x = grid()
    assert same(np.sum(x), Interval(15, 21)) and same(x.sum(axis=0), Interval([3, 5, 7], [5, 7, 9]))
    assert same(np.add.reduce(x, axis=1), Interval([3, 12], [6, 15]))
    assert np.sum(x, axis=1, keepdims=True).shape == (2, 1) and same(x.sum((0, 1)), np.sum(x))
    assert same(np.max(x, axis=0), Interval([3, 4, 5], [4, 5, 6])) and same(
        np.min(x), Interval(0, 1)
    )
    assert same(np.sum(Interval(1, 2)), Interval(1, 2))
    assert same(np.sum(x[:0]), Interval(0)) and np.sum(x[:, :0], axis=1).shape == (2,)
    with pytest.raises(TypeError, match="dtype: expected the default"):
        np.sum(x, dtype=float)
    with pytest.raises(TypeError):
        np.multiply.reduce(x)


def test_wrong_shapes():
    with pytest.raises(ValueError, match="last axes of one length"):
        interval.dot(Interval([1, 2]), Interval([1, 2, 3]))
    with pytest.raises(ValueError, match="at least one dimension"):
        interval.matmul(Interval(1), Interval([1]))
    with pytest.raises(ValueError):
        grid() + Interval([1, 2])


def test_arguments():
    assert same(interval.sub(y=Interval(1), x=Interval(3)), Interval(2))
    for arguments in ((), (1,), (1, 2, 3)):
        with pytest.raises(TypeError):
            interval.add(*arguments)
    with pytest.raises(TypeError, match="x: expected intervals or numbers, got str"):
        interval.add("1", 2)


# ---------------------------------------------------------------- make_public


def test_make_public_passes_broadcast_arrays(monkeypatch):
    """Functions of bounds receive broadcast arrays with a dimension, and integers as they are."""
    from halfcl.interval._bounds.pairs import Bounds
    from halfcl.interval._functions.elementwise import INTEGERS, make_public

    monkeypatch.setitem(INTEGERS, "kernel", "n")
    seen = []

    def kernel(x: Bounds, n: np.ndarray, y: Bounds | None = None) -> Bounds:
        """A test."""
        seen.append((x[0].shape, n.shape, None if y is None else y[1].shape))
        assert n.dtype.kind == "i"
        np.sqrt(np.array(-1.0))  # raises no warning
        return x

    function = make_public("kernel", kernel)
    x = Interval([1, 2], [3, 4])
    assert same(function(x, 2), x) and same(function(x[0], 2), x[0])
    assert same(function(x, [[1], [2]], y=0.5), np.stack([x, x]))
    assert same(function(x, 2, None), x) and function.__name__ == "kernel"
    assert seen == [((2,), (2,), None), ((1,), (1,), None), ((2, 2),) * 3, ((2,), (2,), None)]
    with pytest.raises(TypeError, match="n: expected integers, got float64"):
        function(x, 2.0)
    with pytest.raises(TypeError):
        function(x)


@pytest.mark.parametrize("n", [10**30 + 1, 2**64, -(2**63 + 1), 2**62, True, np.True_, [3, 10**30]])
def test_integer_powers_of_any_size(n):
    x = Interval(-2, -1)
    near = [max(-1001, min(int(k), 1000)) | (int(k) & 1) for k in np.atleast_1d(n)]
    wanted = interval.pown(x, np.reshape(near, np.shape(n)))
    for function in (operator.pow, np.power, interval.pown):
        assert np.all(interval.equal(function(x, n), wanted))
    assert not np.any(interval.is_empty(wanted))


@pytest.mark.parametrize("kind", [Interval, interval.DecoratedInterval])
@pytest.mark.parametrize("n", [2, 3, -1, -2, 0])
def test_floats_that_are_integers_are_integer_exponents(kind, n):
    x = kind([-6, -1, 0, 2], [-5, 2, 3, 4])
    wanted = interval.pown(x, n)
    for exponent in (float(n), np.float64(n), np.float16(n), half([n, n, n, n])):
        for function in (operator.pow, np.power):
            actual = function(x, exponent)
            assert type(actual) is kind and np.all(interval.equal(actual, wanted))
    far = 2.0**40 + 1
    assert np.all(interval.equal(x**far, interval.pown(x, int(far))))


def test_each_exponent_of_an_array_counts_alone():
    x = Interval([-6, -6, 2], [-5, 9, 4])
    actual = x ** half([2, 0.5, 1.5])
    wanted = np.stack([x[0] ** 2, interval.pow(x[1], half(0.5)), interval.pow(x[2], half(1.5))])
    assert np.all(interval.equal(actual, wanted)) and not interval.is_empty(actual).any()


@pytest.mark.parametrize("keepdims", [1, np.True_, True, 0, False])
def test_keepdims(keepdims):
    x = Interval(np.ones((3, 1), half))
    assert np.sum(x, axis=0, keepdims=keepdims).shape == ((1, 1) if keepdims else (1,))


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("dtype", lambda x: np.concatenate([x, x], dtype=float)),
        ("casting", lambda x: np.concatenate([x, x], casting="unsafe")),
        ("out", lambda x: np.take(x, [0], out=np.zeros(1, half))),
        ("out", lambda x: np.take(x, [0], None, np.zeros(1, half))),
    ],
)
def test_arguments_that_change_types_are_refused(argument, call):
    with pytest.raises(TypeError, match=f"{argument}: "):
        call(Interval([1, 2], [3, 4]))
