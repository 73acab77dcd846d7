"""Tests that DecoratedInterval supports what Interval does: equal bounds, or equal errors."""

import functools
import inspect
import re

import numpy as np
import pytest
from exhaustive import one_in
from interval_bounds import same_intervals

import halfcl as hc
from halfcl import half, interval
from halfcl.interval import DecoratedInterval, Interval
from halfcl.interval._arrays.registry import FUNCTIONS

LOW = half([[0.25, 0.5], [0.75, 1]])
X = Interval(LOW, LOW + half(0.125))
D = interval.set_dec(X, [["com", "dac"], ["def", "trv"]])
#: Ways to call functions, of which all are tried.
CALLS = [
    lambda f, x: f(x), lambda f, x: f(x, x), lambda f, x: f([x, x]), lambda f, x: f(x, 1),
    lambda f, x: f(x, 0, 1), lambda f, x: f(x, (2, 2)), lambda f, x: f(np.array([True, False]), x),
    lambda f, x: f(x, x, x), lambda f, x: f([[True, False]], [x]),
    lambda f, x: f(np.array([True, False]), x, 1), lambda f, x: f(x[0], 1, x[1]),
    lambda f, x: f(np.stack([x, x, x], axis=-1), np.stack([x, x, x], axis=-1)),
    lambda f, x: f(np.stack([x, x]), 2),
]  # fmt: skip


#: The errors of wrong arguments.
NUMPYS_ERRORS = (TypeError, ValueError, IndexError, RuntimeError, AttributeError, ArithmeticError)


def outcome(call):
    """Return the result of a call, or its error."""
    try:
        return call()
    except NUMPYS_ERRORS as error:
        return error


def _plain(error):
    """Return the message without names, decorations, and spaces, which align decorated text."""
    names = r"Decorated|interval\.(array|decorated)\.|_(com|dac|def|trv)|\s"
    return re.sub(names, "", str(error))


def check_alike(bare, decorated):
    """Check that results are equal except for decorations, errors except for the name."""
    if isinstance(bare, Exception):
        assert type(decorated) is type(bare), decorated
        actual, wanted = map(_plain, (decorated, bare))
        assert "cannotbecomeanarray" in actual or actual == wanted
    elif isinstance(bare, Interval):
        assert type(decorated) is DecoratedInterval and decorated.shape == bare.shape
        assert np.array_equal(decorated.inf, bare.inf) and np.array_equal(decorated.sup, bare.sup)
        assert np.all(codes(decorated) <= codes(interval.new_dec(bare)))
        assert np.all(codes(decorated) >= 4)
    elif isinstance(bare, list | tuple):
        assert type(bare) is type(decorated)
        for one, other in zip(bare, decorated, strict=True):
            check_alike(one, other)
    elif isinstance(bare, interval.Truth):
        assert type(decorated) is type(bare) and repr(decorated) == repr(bare)
    elif not isinstance(bare, str):  # text has decorations
        assert type(decorated) is type(bare) and np.array_equal(decorated, bare)


def codes(x):
    names = ("ill", "trv", "def", "dac", "com")
    return np.array([4 * names.index(d) for d in np.ravel(x.decoration)]).reshape(x.shape)


def check_function(function):
    """Check that all ways of calling a function agree, and that one works or all are refused."""
    outcomes = []
    for call in CALLS:
        bare = outcome(lambda: call(function, X))  # noqa: B023
        decorated = outcome(lambda: call(function, D))  # noqa: B023
        check_alike(bare, decorated)
        outcomes.append(decorated)
    start = f"{function.__name__}: expected numbers, got DecoratedInterval"
    refused = [str(e).startswith(start) for e in outcomes]
    assert any(refused) or not all(isinstance(actual, Exception) for actual in outcomes)


@functools.wraps(np.empty_like)
def zeroed_empty_like(*args, **kwargs):
    """Return numpy.empty_like with zeros, since plain arrays have undefined elements."""
    array = np.empty_like(*args, **kwargs)
    if type(array) is np.ndarray:
        array.fill(0)
    return array


#: Functions that write to their first argument, and return None.
WRITING = {
    np.copyto: lambda x: np.copyto(x, x[::-1].copy()),
    np.put: lambda x: np.put(x, [0, 3], x[0]),
    np.place: lambda x: np.place(x, LOW < 1, x[1]),
    np.putmask: lambda x: np.putmask(x, LOW < 1, x[::-1].copy()),
    np.put_along_axis: lambda x: np.put_along_axis(x, np.array([[1], [0]]), 2, 1),
    np.fill_diagonal: lambda x: np.fill_diagonal(x, 2),
}


# Some calls are invalid: NumPy 2.5 warns if the k of rot90 is a tuple.
@one_in(3)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_functions_of_numpy(function):
    if function is np.take_along_axis:  # none of the common calls fits
        check_alike(*(function(x, np.array([[1], [0]]), 1) for x in (X, D)))
    elif function is np.empty_like:
        check_function(zeroed_empty_like)
    elif function in (np.shape, np.ndim, np.size, np.array_repr, np.array_str):
        check_alike(*map(function, (X, D)))
    elif function in WRITING:
        x, d = X.copy(), D.copy()
        assert WRITING[function](x) is WRITING[function](d) is None
        assert not same_intervals(x, X)
        check_alike(x, d)
    else:
        check_function(function)


MAKING = {"from_values", "interval_part", "decoration_part", "is_nai", "plot_band", "new_dec",
          "set_dec", "to_text", "roots",
         "solve", "vector"}  # fmt: skip
OF_FORMULAS = ("mean_value", "range_of", "taylor")


@one_in(3)
@pytest.mark.parametrize("name", interval.__all__)
def test_functions_of_the_package(name):
    function = getattr(interval, name)
    if name in OF_FORMULAS:
        check_alike(*(function(lambda x: np.sqrt(x) - x, x) for x in (X, D)))
    elif inspect.isfunction(function) and name not in MAKING:
        check_function(function)


UFUNCS = [getattr(np, n) for n in dir(np) if isinstance(getattr(np, n), np.ufunc)]


@one_in(3)
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda f: f.__name__)
def test_ufuncs(ufunc):
    """Ufuncs and their methods agree."""
    check_alike(*(outcome(lambda x=x: ufunc(*[x] * ufunc.nin)) for x in (X, D)))
    for name in ("reduce", "accumulate"):
        for axis in (0, 1):
            check_alike(*(outcome(lambda x=x: getattr(ufunc, name)(x, axis)) for x in (X, D)))  # noqa: B023
    check_alike(*(outcome(lambda x=x: ufunc.outer(x, x[0])) for x in (X, D)))
    check_alike(*(outcome(lambda x=x: ufunc(*[x] * ufunc.nin, out=x.copy())) for x in (X, D)))


def test_attributes():
    """All attributes agree, with arguments where they are needed."""
    arguments = {
        "astype": (half,), "clip": (0.5, 0.75), "dot": (X[0],), "fill": (1,), "item": (1,),
        "repeat": (2,), "reshape": (4,), "swapaxes": (0, 1), "take": ([1, 0], 0), "of": None,
    }  # fmt: skip
    names = {name for name in dir(Interval) if not name.startswith("_")}
    assert names <= {*dir(DecoratedInterval)} and arguments.keys() <= names
    for name in sorted(names - {"of"}):
        actual = []
        for x in (X, D):
            one = getattr(x.copy(), name)
            actual.append(one(*arguments.get(name, ())) if callable(one) else one)
        if name != "nbytes":
            check_alike(*actual)


OPERATORS = {name for name in dir(Interval) if name.startswith("__")} - {*dir(object)}


def test_special_methods():
    assert {*dir(DecoratedInterval)} >= OPERATORS and "__matmul__" in OPERATORS


def test_one_decorated_argument_is_enough():
    """Results are decorated if any argument is."""
    for call in (
        lambda x, y: np.append(x, y), lambda x, y: np.stack([x, y]), lambda x, y: np.outer(x, y),
        lambda x, y: np.where(True, x, y), lambda x, y: np.insert(x, 0, y[0]), np.tensordot,
        lambda x, y: np.select([LOW < 1], [x], y), lambda x, y: np.full_like(x, y), hc.distance,
        lambda x, y: np.pad(x, 1, constant_values=y[0, 0]), np.add.outer, np.linalg.matmul,
        lambda x, y: np.meshgrid(x, y)[0], lambda x, y: np.broadcast_arrays(x, y)[1],
        lambda x, y: x.clip(y, 1), lambda x, y: x.dot(y), hc.cross, np.vdot, np.inner,
    ):  # fmt: skip
        for x, y in ((X, D), (D, X), (D, D)):
            check_alike(outcome(lambda: call(X, X)), outcome(lambda: call(x, y)))  # noqa: B023


class Special(DecoratedInterval):
    """Another class's."""

    __slots__ = ()


def test_subclasses():
    x = Special(D)
    for call in (np.sqrt, interval.mid, interval.is_empty, np.mean, np.ravel, np.linalg.norm,
                 lambda x: x + 1, lambda x: interval.pown(x, 2), lambda x: interval.hull(1, x),
                 lambda x: np.stack([X, x]), lambda x: x <= X, lambda x: interval.is_member(1, x),
                 lambda x: X @ x):  # fmt: skip
        actual, wanted = call(x), call(D)
        assert type(actual) is type(wanted)
        if isinstance(actual, interval.Truth):
            assert repr(actual) == repr(wanted)
        elif not isinstance(actual, DecoratedInterval):
            assert np.array_equal(actual, wanted)
        else:
            assert same_intervals(actual, wanted)
            assert np.array_equal(actual.decoration, wanted.decoration)
    assert type(x[0]) is type(x.T) is type(x.copy()) is Special
    with pytest.raises(TypeError, match="sort: expected numbers, got DecoratedInterval"):
        np.sort(x)
    with pytest.raises(TypeError, match="m: expected numbers, got Special"):
        interval.is_member(x, X)


# ---------------------------------------------------------------- views, and writing


@pytest.mark.parametrize(
    "view",
    [np.ravel, np.transpose, np.atleast_3d, np.flip, lambda x: np.reshape(x, 4),
     lambda x: np.split(x, 2)[0], lambda x: np.expand_dims(x, 0), lambda x: np.swapaxes(x, 0, 1),
     lambda x: x.T, lambda x: x[::-1], lambda x: x.ravel(), lambda x: x.reshape(1, 4)],
)  # fmt: skip
def test_views(view):
    """Decorations are views, too, and writing never leaves an invalid decoration."""
    x = D.copy()
    y = view(x)
    y[(0,) * y.ndim] = interval.nai
    assert np.count_nonzero(interval.is_nai(x)) == np.count_nonzero(interval.is_nai(y)) == 1
    y[...] = Interval(1, np.inf)
    assert {*y.decoration.ravel()} == {"dac"}
    assert np.array_equal(codes(x) == 12, x.sup == np.inf)


def test_out_as_positional_argument():
    for x in (X, D):
        for call in (lambda x, out: np.take(x, [1, 0], 0, out), lambda x, out: np.concatenate(
                     [x[:1], x[1:]], 0, out), lambda x, out: np.compress([1, 1], x, 0, out),
                     lambda x, out: np.stack([x[0], x[1]], 0, out)):  # fmt: skip
            out = x.copy()
            assert call(x, out) is out
            check_alike(*(call(one, one.copy()) for one in (X, D)))
            with pytest.raises(TypeError, match=f"out: expected {type(x).__name__}, got ndarray"):
                call(x, LOW.copy())
            with pytest.raises(ValueError, match="out: expected writeable arrays"):
                call(x, np.broadcast_to(x[0], (2, 2)))


def test_intervals_as_plain_arguments_are_refused():
    """Intervals as masks, indices or counts are refused, without recursion or partial writes."""
    for x in (X[0], D[0]):
        for call in (lambda x: np.where(x, 1, 2), lambda x: np.select([x], [1]),
                     lambda x: np.insert(X, x, 1), lambda x: np.copyto(x, 1, where=x)):  # fmt: skip
            with pytest.raises(TypeError, match=f": expected .*, got {type(x).__name__}$"):
                call(x)
        for call in (lambda x: np.compress(x, [1, 2]), lambda x: np.extract(x, X),
                     lambda x: np.compress(condition=x, a=X), lambda x: np.rot90(X, 4 * x),
                     lambda x: np.roll(X, shift=x), lambda x: np.take(X, x)):  # fmt: skip
            with pytest.raises(TypeError, match=f"only as .*, got {type(x).__name__} elsewhere"):
                call(x)
    assert same_intervals(X, Interval(LOW, LOW + half(0.125)))
