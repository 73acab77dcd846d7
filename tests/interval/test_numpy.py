"""Tests of NumPy's and halfcl's functions on arrays of intervals: shapes, numbers, errors."""

import copy
import functools
import pickle

import numpy as np
import pytest
from exhaustive import either, shared_out

import halfcl as hc
from halfcl import half, interval
from halfcl.interval import DecoratedInterval, Interval
from halfcl.interval._bounds.pairs import Base

pytestmark = pytest.mark.once


def same(x, y):
    return x.shape == y.shape and bool(np.all(interval.equal(x, y)))


# ---------------------------------------------------------------- NumPy's results on points

A = np.arange(1, 7.0).reshape(2, 3)
B = np.array([[3.0, -1, 4], [1, -5, 9]])
CUBE = np.arange(24.0).reshape(2, 3, 4)
LIKE_NUMPY = [
    lambda a, b, c: np.add.outer(a, b), lambda a, b, c: np.multiply.outer(a[0], 2),
    lambda a, b, c: np.outer(a, b), lambda a, b, c: np.subtract.outer(3, a),
    lambda a, b, c: np.inner(a, b), lambda a, b, c: np.inner(c, b[0][:1].repeat(4)),
    lambda a, b, c: np.inner(a, 2), lambda a, b, c: np.vdot(a, b),
    lambda a, b, c: np.tensordot(a, b), lambda a, b, c: np.tensordot(a, b, 0),
    lambda a, b, c: np.tensordot(a, b, axes=([1], [1])), lambda a, b, c: np.tensordot(c, b.T, 0),
    lambda a, b, c: np.tensordot(c, a, axes=((1, 0), (1, 0))),
    lambda a, b, c: np.linalg.tensordot(c, a, axes=([0, 1], [0, 1])),
    lambda a, b, c: np.trace(c), lambda a, b, c: np.trace(a, 1),
    lambda a, b, c: np.trace(c, 0, 1, 2), lambda a, b, c: np.linalg.trace(c),
    lambda a, b, c: np.linalg.outer(a[0], b[1]), lambda a, b, c: np.linalg.matmul(a, b.T),
    lambda a, b, c: np.linalg.vecdot(a, b), lambda a, b, c: np.linalg.vecdot(a, b, axis=0),
    lambda a, b, c: np.vecdot(a, b), lambda a, b, c: np.dot(a, b.T),
    lambda a, b, c: np.add.reduce(c), lambda a, b, c: np.add.reduce(c, 1),
    lambda a, b, c: np.add.reduce(c, axis=None),
    lambda a, b, c: np.maximum.reduce(c, axis=(0, 2)),
    lambda a, b, c: np.minimum.accumulate(b, axis=1), lambda a, b, c: np.maximum.accumulate(b),
    lambda a, b, c: np.max(c, 1), lambda a, b, c: np.amin(c, axis=(0, 1), keepdims=True),
    lambda a, b, c: np.sum(c, (0, 2)), lambda a, b, c: c.sum(keepdims=True),
    lambda a, b, c: np.cumsum(c, 1), lambda a, b, c: c.cumsum(), lambda a, b, c: np.diff(c, axis=1),
    lambda a, b, c: np.diff(c, 2), lambda a, b, c: np.mean(c[:, :2], axis=(0, 1)),
    lambda a, b, c: c.max(axis=2), lambda a, b, c: c.min(), lambda a, b, c: c.clip(3, 7),
    lambda a, b, c: np.clip(c, None, 7), lambda a, b, c: c.clip(2),
    lambda a, b, c: np.round(c), lambda a, b, c: b.dot(a.T),
    lambda a, b, c: np.linalg.norm(b, 1, axis=0),
    lambda a, b, c: np.linalg.norm(b, np.inf, 1, True),
    lambda a, b, c: np.linalg.vector_norm(b, ord=1),
    lambda a, b, c: np.linalg.vector_norm(b, ord=np.inf, keepdims=True),
    lambda a, b, c: np.append(a, b), lambda a, b, c: np.append(a, b, axis=0),
    lambda a, b, c: np.insert(a, 1, 7, axis=1), lambda a, b, c: np.insert(a, [0, 2], b[0, :2]),
    lambda a, b, c: np.select([a > 2, a > 1], [a, b], 5), lambda a, b, c: np.pad(a, 1),
    lambda a, b, c: np.pad(a, ((0, 1), (2, 0)), constant_values=3),
    lambda a, b, c: np.pad(a, 1, "edge"), lambda a, b, c: np.pad(c, 1, mode="reflect"),
    lambda a, b, c: np.stack(np.meshgrid(a[0], b[1])),
    lambda a, b, c: np.stack(np.meshgrid(a[0], b[1], indexing="ij")),
    lambda a, b, c: np.stack(np.broadcast_arrays(a, b[0])),
    lambda a, b, c: np.lib.stride_tricks.sliding_window_view(a, 2, axis=1),
    lambda a, b, c: a.take([1, 0], axis=1), lambda a, b, c: a.repeat(2, axis=0),
    lambda a, b, c: c.diagonal(1, 1, 2), lambda a, b, c: hc.dot(a, b, axis=0),
    lambda a, b, c: hc.dot(a, b, keepdims=True),
]  # fmt: skip


BOTH = pytest.mark.parametrize("kind", [Interval, DecoratedInterval])


@BOTH
@pytest.mark.parametrize("k", range(len(LIKE_NUMPY)))
def test_like_numpy(k, kind):
    """For points that are small integers, results and shapes equal NumPy's."""
    function = LIKE_NUMPY[k]
    arrays = [x.astype(half) for x in (A, B, CUBE)]
    is_ours = "hc" in function.__code__.co_names  # NumPy has no such function to compare with
    wanted = function(*(arrays if is_ours else (A, B, CUBE)))
    actual = function(*map(kind, arrays))
    assert type(actual) is kind and actual.shape == np.shape(wanted)
    for bound in (actual.inf, actual.sup):
        assert np.array_equal(hc.convert_double(bound), np.asarray(wanted, float))


@shared_out
@pytest.mark.parametrize("decoration", either(["dac", "def", "trv", "ill"], ["def", "ill"]))
@pytest.mark.parametrize("k", range(len(LIKE_NUMPY)))
def test_decorations_spread_like_nan(k, decoration):
    """A weak decoration reaches the results that NaN in its place reaches in NumPy's arrays."""
    function, rng = LIKE_NUMPY[k], np.random.default_rng(k)
    names = function.__code__.co_names
    arrays, intervals = [], []
    for i, array in enumerate((A, B, CUBE)):
        weak = rng.random(array.shape) < 0.2
        weak &= not (i == 0 and "select" in names)  # conditions compare NaN as false
        arrays.append(np.where(weak, np.nan, array).astype(half if "hc" in names else float))
        x = interval.new_dec(Interval(array.astype(half)))
        x[weak] = interval.nai if decoration == "ill" else interval.set_dec(x, decoration)[weak]
        intervals.append(x)
    with np.errstate(all="ignore"):
        reached = np.isnan(hc.convert_double(np.asarray(function(*arrays)).astype(half)))
    assert np.array_equal(function(*intervals).decoration, np.where(reached, decoration, "com"))


def test_numbers_beside_intervals_are_enclosed():
    x, tenth = Interval([1, 2], [3, 4]), interval.from_values("0.1")
    actual = [np.append(x, 0.1)[2], np.insert(x, 0, 0.1)[0], np.pad(x, 1, constant_values=0.1)[0],
             np.select([[False, False]], [x], 0.1)[0], np.meshgrid(x, 0.1)[1][0, 0],
             np.broadcast_arrays(x, 0.1)[1][0], np.outer(0.1, Interval(1))[0, 0],
             np.inner(0.1, Interval(1)), np.dot(Interval(1), 0.1), x.clip(0, 0.1)[0],
             hc.clamp(5, x[0], 0.1), hc.mix(0.1, 0.1, Interval(0, 1)),
             np.add.outer(0.1, Interval([0, 0]))[0]]  # fmt: skip
    for one in actual:
        assert same(one, tenth)
    doubles = np.array([1.0, 2])
    for call in (
        np.append,
        np.meshgrid,
        np.broadcast_arrays,
        np.outer,
        np.inner,
        np.vdot,
        np.cross,
    ):
        with pytest.raises(TypeError, match=r"interval\.from_values"):
            call(x, doubles)


# ---------------------------------------------------------------- methods


def test_methods():
    x = Interval([[1, 2, 3], [4, 5, 6]], [[2, 3, 4], [5, 6, np.inf]])
    assert np.array_equal(x.mid, interval.mid(x)) and np.array_equal(x.rad, interval.rad(x))
    assert np.array_equal(x.wid, interval.wid(x)) and isinstance(x[0, 0].mid, half)
    nested = x.tolist()
    assert len(nested) == 2 and all(isinstance(v, Interval) and v.shape == () for v in nested[1])
    assert same(nested[1][2], x[1, 2]) and same(x[0, 0].tolist(), x[0, 0])
    assert (
        same(x.item(4), x[1, 1]) and same(x.item(1, 2), x[1, 2]) and same(x[:1, :1].item(), x[0, 0])
    )
    with pytest.raises(ValueError, match=r"item: expected one interval, got shape \(2, 3\)"):
        x.item()
    assert x.astype(half) is not x and same(x.astype(half), x) and x.astype(half, copy=False) is x
    for dtype in (float, np.float16, "int8"):
        with pytest.raises(TypeError, match=r"astype: dtype: expected half, got .*x\.inf\.astype"):
            x.astype(dtype)
    y = x.copy()
    y.fill("[1/3, 2/3]")
    assert same(y, np.full_like(x, interval.from_values("[1/3, 2/3]")))
    assert same(copy.copy(x), pickle.loads(pickle.dumps(x)))


def test_results_of_two():
    x = Interval([0, 1], [1, 2])
    sine, cosine = hc.sincos(x)
    assert same(sine, np.sin(x)) and same(cosine, np.cos(x))
    out = x.copy()
    actual = hc.sincos(x, out=(None, out))
    assert actual[1] is out and same(out, cosine) and same(actual[0], sine)
    wrong = np.zeros(2, half)
    with pytest.raises(TypeError, match="sincos: out: expected Interval, got ndarray"):
        hc.sincos(x, out=(out, wrong))
    assert same(out, cosine) and not wrong.any()
    with pytest.raises(ValueError, match="sincos: out: expected writeable"):
        hc.sincos(x, out=(out, np.broadcast_to(x, (2,))))
    assert same(out, cosine)


# ---------------------------------------------------------------- halfcl's functions, all of them

words = str.split

#: The functions that have none: on pieces, bits, comparisons, neighbours, or not provided.
REFUSED = {
    **dict.fromkeys(words(
        "fract frexp ilogb isfinite isinf isnan isnormal lgamma lgamma_r logb modf nan "
        "nextdown nextup signbit tgamma ulp all any from_snorm8 from_snorm16 from_unorm8 "
        "from_unorm16 to_snorm8 to_snorm16 to_unorm8 to_unorm16"), 1),
    **dict.fromkeys(words(
        "copysign fmod isequal isgreater isgreaterequal isless islessequal islessgreater "
        "isnotequal isordered isunordered maxmag minmag nextafter remainder remquo ulp_error "
        "ulps_between"), 2),
    **dict.fromkeys(words(
        "smoothstep bitselect select"), 3),
}  # fmt: skip


def functions():
    """Return halfcl's functions, without conversions and those for one mode or length."""
    named = {n for n in set(dir(hc)) - {*hc._PARTS} if isinstance(getattr(hc, n), hc.Function)}
    others = ("_rte", "_rtz", "_rtp", "_rtn"), ("convert_", "v")
    named = {n for n in named if not n.endswith(others[0]) and not n.startswith(others[1])}
    return named | {"all", "any", "ulp_error", "ulps_between"}


def arguments_of(name):
    """Return the number of intervals that a function takes, and its integers."""
    inputs = next(row.inputs for row in hc._tables.TABLE if row.name == name)
    return inputs.count("e"), *[2] * inputs.count("i")


#: The functions that have a range: all others.
ENCLOSED = {name: arguments_of(name) for name in sorted(functions() - REFUSED.keys())}


def test_refused_functions_exist():
    assert functions() >= REFUSED.keys()


@BOTH
@pytest.mark.parametrize("name", ENCLOSED)
def test_functions_enclose_values(name, kind):
    """The intervals contain the values at points inside, in any rounding mode."""
    count, *others = ENCLOSED[name]
    x = kind([0.25, 0.5, 1], [0.5, 0.75, 1])
    inside = half([0.375, 0.625, 1])
    function = getattr(hc, name)
    with np.errstate(all="ignore"):
        value = function(*[inside] * count, *others)
    calls = (function, functools.partial(function, rounding="rtp"), function.rtn)
    for actual in (call(*[x] * count, *others) for call in calls):
        several = (actual, value) if isinstance(actual, tuple) else ([actual], [value])
        for part, v in zip(*several, strict=True):
            assert type(part) is kind and part.shape == np.shape(v)
            known = np.isfinite(v)
            assert known.any() and np.all((part.inf <= v)[known] & (v <= part.sup)[known])
    with pytest.raises(TypeError, match=f"{name}: rounding: expected one mode"):
        function(*[x] * count, *others, rounding=np.array(["rtp", "rtn", "rte"]))
    with pytest.raises(TypeError, match=f"{name}: dtype: expected the default"):
        function(*[x] * count, *others, dtype=half)


@BOTH
@pytest.mark.parametrize("name", REFUSED)
def test_other_functions_are_refused(name, kind):
    words = rf"^({name}: expected numbers, got {kind.__name__}; |{kind.__name__}: cannot become)"
    with pytest.raises(TypeError, match=words):
        getattr(hc, name)(*[kind([0.25, 0.5], [0.5, 0.75])] * REFUSED[name])


# ---------------------------------------------------------------- errors

X = Interval([1, 2], [3, 4])
BAD = [
    (lambda: hc.convert_float(X), TypeError, "convert_float: expected numbers, got Interval"),
    (lambda: hc.convert(X, np.float32), TypeError, "Interval: cannot become an array of numbers"),
    (lambda: hc.as_ushort(X), TypeError, "Interval: cannot become an array of numbers"),
    (lambda: half(X[0]), TypeError, "Interval: cannot become an array of numbers"),
    (lambda: np.prod(X), TypeError, r"prod: expected numbers, got Interval; use functools\.reduce"),
    (lambda: np.einsum("i,i", X, X), TypeError, r"einsum: .*; use np\.tensordot"),
    (lambda: np.sort(X), TypeError, "sort: .*; intervals have no total order"),
    (lambda: np.argmax(X), TypeError, "argmax: .*; intervals have no total order"),
    (lambda: np.allclose(X, X), TypeError, r"allclose: .*; use interval\.equal"),
    (lambda: np.linalg.inv(X), TypeError, r"no implementation found for 'numpy\.linalg\.inv'"),
    (lambda: np.isnan(X), TypeError, r"isnan: .*; use interval\.is_empty"),
    (lambda: X % 2, TypeError, "remainder: .*; it has jumps"),
    (lambda: X // 2, TypeError, r"floor_divide: .*; use np\.floor\(x / y\)"),
    (lambda: ~X, TypeError, "invert: .*; it is not an operation"),
    (lambda: np.add.at(X, [0], 1), TypeError, "add.at: .*; it is not an operation"),
    (lambda: np.add.reduceat(X, [0]), TypeError, "add.reduceat: .*; it is not an operation"),
    (lambda: np.multiply.reduce(X), TypeError, "multiply.reduce: .*; use functools"),
    (lambda: np.hypot.reduce(X), TypeError, "hypot.reduce: .*; it is not an operation"),
    (lambda: np.multiply.accumulate(X), TypeError, "multiply.accumulate: .* got Interval"),
    (lambda: np.add.outer(X, X, dtype=half), TypeError, "add.outer: dtype: expected the default"),
    (lambda: np.add(X, X, casting="unsafe"), TypeError, "add: casting: expected the default"),
    (lambda: np.sum(X, dtype=float), TypeError, "sum: dtype: expected the default"),
    (lambda: np.sum(X, 0, float), TypeError, "sum: dtype: expected the default"),
    (lambda: np.sum(X, initial=3), TypeError, "sum: initial: expected .*, got int"),
    (lambda: np.sum(X, out=X[0]), TypeError, "sum: out: expected the default"),
    (lambda: np.mean(X, where=[True, False]), TypeError, "mean: where: expected the default"),
    (lambda: np.cumsum(X, dtype=float), TypeError, "cumsum: dtype: expected the default"),
    (lambda: np.add.reduce(X, initial=3), TypeError, "add.reduce: initial: expected the"),
    (lambda: np.max(X, initial=3), TypeError, "max: initial: expected the default"),
    (lambda: np.sum(X, axis=1.5), TypeError, r"axis: expected an integer or a tuple .*, got 1\.5"),
    (lambda: np.max(X, axis="a"), TypeError, "axis: expected an integer or a tuple .*, got 'a'"),
    (lambda: np.cumsum(X, axis=(0,)), TypeError, r"axis: expected an integer, got \(0,\)"),
    (lambda: X.sum(axis=-(2**63)), np.exceptions.AxisError, "axis -9223372036854775808 is out of"),
    (lambda: X.max(axis=2**70), np.exceptions.AxisError, "is out of bounds for array of dimension"),
    (
        lambda: hc.length(np.stack([X, X]), axis=None),
        TypeError,
        "axis: expected an integer, got No",
    ),
    (lambda: hc.normalize(X, axis=(0,)), TypeError, r"axis: expected an integer, got \(0,\)"),
    (lambda: np.max(X, axis=("a",)), TypeError, "axis: expected an integer, got 'a'"),
    (lambda: np.vdot(X, Interval(1)), ValueError, "vdot: expected as many elements in both, got 2"),
    (lambda: np.sum(X, axis=(0, -1)), ValueError, "axis: expected distinct axes"),
    (lambda: hc.dot(X, X, axis=4), np.exceptions.AxisError, "axis 4 is out of bounds"),
    (lambda: hc.normalize(X, keepdims=True), TypeError, "normalize: keepdims: expected the"),
    (lambda: hc.distance(X, Interval([1, 2, 3])), ValueError, "distance: expected vectors of one"),
    (lambda: hc.pown(X, X), TypeError, "n: expected integers, got Interval"),
    (lambda: hc.ldexp(X, 1.5), TypeError, "k: expected integers, got float64"),
    (lambda: np.round(X, 1), TypeError, "round: decimals: expected 0 .*, got 1"),
    (lambda: np.pad(X, 1, "mean"), ValueError, "pad: mode: expected one of"),
    (lambda: np.pad(X, 1, "empty"), ValueError, "pad: mode: expected one of"),
    (lambda: np.pad(X, 1, "reflect", reflect_type="odd"), ValueError, "pad: reflect_type"),
    (lambda: np.tensordot(X, X, 2), ValueError, "axes: expected 0 to 1, got 2"),
    (lambda: np.tensordot(X, X, (0, 0, 0)), TypeError, "axes: expected a number, or a pair"),
    (lambda: np.tensordot(X, Interval([1]), 1), ValueError, "tensordot: expected axes of the same"),
    (lambda: X + np.ma.array([1, 2], mask=[0, 1], dtype=np.float16), TypeError, "without a mask"),
    (lambda: Interval(np.ma.array([1, 2], dtype=half)), TypeError, "lo: expected an array without"),
    (lambda: interval.from_values(np.ma.array([1, 2])), TypeError, "lo: expected an array without"),
    (lambda: X + object(), TypeError, "y: expected numbers, got object"),
    (lambda: Interval({1: 2}), TypeError, "lo: expected numbers, got dict"),
]


@pytest.mark.parametrize("k", range(len(BAD)))
def test_errors(k):
    call, error, words = BAD[k]
    with pytest.raises(error, match=words):
        call()
    assert same(X, Interval([1, 2], [3, 4]))


@pytest.mark.parametrize(
    ("index", "value", "words"),
    [
        (0, X, r"value: expected a shape that broadcasts to \(\), got \(2,\)"),
        (slice(None), [1, 2, 3], r"value: expected a shape that broadcasts to \(2,\), got \(3,\)"),
        ([True, False], X, r"value: expected a shape that broadcasts to \(1,\), got \(2,\)"),
        (0, object(), "value: expected numbers, got object"),
    ],
)
def test_bad_assignment(index, value, words):
    x = X.copy()
    with pytest.raises((ValueError, TypeError), match=words):
        x[index] = value
    assert same(x, X)


def test_in_place():
    x = np.stack([X, X])
    y = x
    y @= Interval([[1, 0], [0, 1]])
    assert y is x and same(x, np.stack([X, X]))
    with pytest.raises(ValueError, match=r"add: out: expected shape \(2, 2\), got \(2,\)"):
        X.copy().__iadd__(x)
    with pytest.raises(ValueError, match=r"matmul: out: expected shape \(\), got \(2,\)"):
        X.copy().__imatmul__(X)


class Foreign:
    """A type that implements ufuncs and functions itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return "ufunc"

    def __array_function__(self, func, types, args, kwargs):
        return "function"


class Subclass(Base):
    """A type with bounds and further contents that must not be lost."""

    __slots__ = ()
    __array_ufunc__ = Foreign.__array_ufunc__
    __array_function__ = Foreign.__array_function__


def test_foreign_types_have_precedence():
    assert X + Subclass() == np.less(X, Subclass()) == "ufunc"
    assert np.where([True, False], X, Subclass()) == "function"
    assert X + Foreign() == np.add(X, Foreign()) == np.add.outer(X, Foreign()) == "ufunc"
    assert np.concatenate([X, Foreign()]) == np.dot(X, Foreign()) == "function"


# NumPy 2.0 warns of writes to what broadcast_arrays gives, whether elements overlap or not.
@pytest.mark.filterwarnings("ignore:Numpy has detected:DeprecationWarning")
@pytest.mark.parametrize("kind", [Interval, interval.DecoratedInterval])
@pytest.mark.parametrize(
    "function", [np.broadcast_arrays, np.atleast_1d, np.atleast_2d, np.atleast_3d]
)
def test_halves_among_several_arrays(kind, function):
    """Each bound is a separate array, so writing to the intervals changes nothing else."""
    halves = half([1, 2, 3])
    _, second, third = function(kind([0, 1, 2], [1, 2, 3]), halves, 0.1)
    assert type(third) is kind and interval.is_member(0.1, third).all()
    second[...] = kind(5, 7)
    assert same(second, kind(np.broadcast_to(half(5), second.shape), half(7)))
    np.testing.assert_array_equal(halves, half([1, 2, 3]))
