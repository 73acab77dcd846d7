"""Tables of NumPy's ufuncs and functions on intervals, which fill `_arrays.registry`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from halfcl.interval._arrays import registry, ufuncs
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._arrays.values import as_bounds, axes_of, axis_of
from halfcl.interval._bounds.pairs import Axes
from halfcl.interval._decorated.array import DecoratedInterval
from halfcl.interval._decorated.propagation import wrap_array_function
from halfcl.interval._functions import comparisons, numeric, reductions, relations, structural, sums
from halfcl.interval._functions.elementwise import FUNCTIONS, integers_of, whole_numbers_of
from halfcl.interval._functions.structural import check_plain
from halfcl.interval._vectors import geometric, linear

_ALL = {
    **FUNCTIONS,
    **relations.FUNCTIONS,
    **numeric.FUNCTIONS,
    **sums.FUNCTIONS,
    **reductions.FUNCTIONS,
    **geometric.FUNCTIONS,
}

#: The functions of NumPy and halfcl whose names are not the standard's.
SYNONYMS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "negative": "neg",
    "reciprocal": "recip",
    "square": "sqr",
    "absolute": "abs",
    "fabs": "abs",
    "maximum": "max",
    "minimum": "min",
    "fmax": "max",
    "fmin": "min",
    "mad": "fma",
    "vecdot": "dot",
    "rint": "round_ties_to_even",
    "round": "round_ties_to_away",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "powr": "pow",
    "deg2rad": "radians",
    "rad2deg": "degrees",
    "bitwise_and": "intersection",
    "bitwise_or": "hull",
}


def _power(x: object, y: object) -> object:
    """Return x ** y: `pown` for integers, as in ``x**2`` and ``x**2.0``, else `pow`."""
    if isinstance(y, ArrayOfIntervals):
        return FUNCTIONS["pow"](x, y)
    if (n := integers_of(y)) is not None:
        return FUNCTIONS["pown"](x, n)
    if (whole := whole_numbers_of(y)) is None:
        return FUNCTIONS["pow"](x, y)
    numbers, is_whole = whole
    power = FUNCTIONS["pown"](x, numbers)
    return power if is_whole.all() else np.where(is_whole, power, FUNCTIONS["pow"](x, y))


def _positive(x: ArrayOfIntervals) -> ArrayOfIntervals:
    return x.copy()


def _sine_and_cosine(x: object) -> tuple[object, object]:
    return FUNCTIONS["sin"](x), FUNCTIONS["cos"](x)


def _ufuncs() -> dict[str, Callable[..., object]]:
    table = _ALL | {name: _ALL[other] for name, other in SYNONYMS.items() if other in _ALL}
    # NumPy's `less` and `equal` compare numbers, and replace IEEE 1788's relations of that name.
    table |= comparisons.UFUNCS
    table |= {"positive": _positive, "power": _power, "sincos": _sine_and_cosine}
    return table


# ---------------------------------------------------------------- reductions


def _extremum(ufunc: np.ufunc) -> Callable[..., Interval | DecoratedInterval]:
    """Return a reduction to the range of the greatest or the least number, by bounds."""

    def reduce(x: object, axis: Axes = None, keepdims: bool = False) -> Interval:
        bounds = as_bounds(x)
        axes = axes_of(axis, bounds[0].ndim)
        low, high = (ufunc.reduce(v, axis=axes, keepdims=keepdims) for v in bounds)
        return Interval.of((np.asarray(low), np.asarray(high)))

    return wrap_array_function(reduce, 1)


def _extrema(ufunc: np.ufunc) -> Callable[..., Interval | DecoratedInterval]:
    """Return a running reduction to the range of the greatest or the least number."""

    def accumulate(x: object, axis: SupportsIndex = 0) -> Interval:
        bounds = as_bounds(x)
        place = axis_of(axis, bounds[0].ndim)
        low, high = (ufunc.accumulate(v, axis=place) for v in bounds)
        return Interval.of((low, high))

    return wrap_array_function(accumulate, 1)


_max, _min = _extremum(np.maximum), _extremum(np.minimum)


def _method(name: str, function: Callable[..., object]) -> Callable[..., object]:
    """Return the function that a method of a ufunc calls, with checked keywords."""
    own = inspect.signature(function).parameters

    def call(x: object, **keywords: object) -> object:
        check_plain(name, {k: v for k, v in keywords.items() if k not in own})
        return function(x, **{k: v for k, v in keywords.items() if k in own})

    return call


def _adapt_signature(
    numpy_function: Callable[..., object], function: Callable[..., object]
) -> Callable[..., object]:
    """Return a function with NumPy's signature; arguments that only NumPy has must be defaults."""
    signature = inspect.signature(numpy_function)
    own = list(inspect.signature(function).parameters)[1:]

    def call(*args: object, **keywords: object) -> object:
        if len(args) == 1 and keywords.keys() <= {"axis"}:  # fast path of the commonest case
            return function(*args, **keywords)
        (_, x), *others = signature.bind(*args, **keywords).arguments.items()
        arguments = {k: v for k, v in others if v is not np._NoValue}
        check_plain(numpy_function.__name__, {k: v for k, v in arguments.items() if k not in own})
        return function(x, **{k: v for k, v in arguments.items() if k in own})

    return call


# ---------------------------------------------------------------- other functions


def _array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    return np.shape(a1) == np.shape(a2) and bool(comparisons.UFUNCS["equal"](a1, a2).all())


def _clip(a: ArrayLike, a_min: object = None, a_max: object = None, **others: object) -> object:
    low, high = others.pop("min", a_min), others.pop("max", a_max)
    check_plain("clip", others)
    result = np.copy(a) if low is None else FUNCTIONS["max"](a, low)
    return result if high is None else FUNCTIONS["min"](result, high)


def _round(a: object, decimals: object = 0) -> object:
    if decimals != 0:
        raise TypeError(f"round: decimals: expected 0 for intervals, got {decimals!r}")
    return FUNCTIONS["round_ties_to_even"](a)


def _ediff1d(ary: ArrayLike) -> object:
    return _ALL["diff"](np.ravel(ary))


_NO_ORDER = "intervals have no total order; use x[np.argsort(x.inf)] to sort by lower bounds"
_CLOSE = "use interval.equal, subset or overlap"
#: Hints for NumPy's functions that intervals do not support.
_INSTEAD: dict[Callable[..., object], str] = {
    np.prod: ufuncs.PRODUCT,
    np.einsum: "use np.tensordot, np.matmul or interval.dot, which are exact",
    np.sort: _NO_ORDER,
    np.argsort: _NO_ORDER,
    np.argmax: _NO_ORDER,
    np.argmin: _NO_ORDER,
    np.median: _NO_ORDER,
    np.unique: _NO_ORDER,
    np.lexsort: _NO_ORDER,
    np.partition: _NO_ORDER,
    np.argpartition: _NO_ORDER,
    np.searchsorted: _NO_ORDER,
    np.array_equiv: _CLOSE,
    np.isin: _CLOSE,
    np.isclose: _CLOSE,
    np.allclose: _CLOSE,
    np.std: "each occurrence of a variable varies independently; np.mean is supported",
    np.var: "each occurrence of a variable varies independently; np.mean is supported",
    np.save: "use pickle.dump",
    np.any: "use interval.is_member(0, x) to find where 0 is inside",
    np.all: "use interval.is_member(0, x) to find where 0 is inside",
}


def _make_refusal(function: Callable[..., object], instead: str) -> Callable[..., object]:
    name = function.__name__
    return lambda *args, **keywords: ufuncs.refuse(name, (args, [*keywords.values()]), instead)


def _functions() -> dict[Callable[..., object], Callable[..., object]]:
    like: dict[Callable[..., object], Callable[..., object]] = {
        np.sum: _ALL["sum"], np.mean: _ALL["mean"], np.cumsum: _ALL["cumsum"],
        np.diff: _ALL["diff"], np.ediff1d: _ediff1d, np.max: _max, np.amax: _max,
        np.min: _min, np.amin: _min, np.round: _round, np.around: _round,
    }  # fmt: skip
    table: dict[Callable[..., object], Callable[..., object]] = {
        function: _make_refusal(function, instead) for function, instead in _INSTEAD.items()
    }
    table |= structural.FUNCTIONS | linear.FUNCTIONS
    table |= {function: _adapt_signature(function, ours) for function, ours in like.items()}
    return table | {
        np.array_equal: _array_equal,
        np.clip: _clip,
        np.shape: lambda a: a.shape,
        np.ndim: lambda a: a.ndim,
        np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
        np.array_repr: lambda arr, *args, **keywords: repr(arr),
        np.array_str: lambda a, *args, **keywords: str(a),
    }


def fill() -> None:
    """Fill `_arrays.registry`."""
    registry.UFUNCS.update(_ufuncs())
    registry.REDUCTIONS.update(
        add=_method("add.reduce", _ALL["sum"]),
        maximum=_method("maximum.reduce", _max),
        minimum=_method("minimum.reduce", _min),
    )
    registry.ACCUMULATIONS.update(
        add=_method("add.accumulate", _ALL["cumsum"]),
        maximum=_method("maximum.accumulate", _extrema(np.maximum)),
        minimum=_method("minimum.accumulate", _extrema(np.minimum)),
    )
    registry.FUNCTIONS.update(_functions())
    registry.RELATIONS.update({name: _ALL[name] for name in ("subset", "is_member")})
