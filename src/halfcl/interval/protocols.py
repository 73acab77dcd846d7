"""What NumPy's ufuncs and functions do to intervals: tables, and what fills `registry`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl.interval import decorated_protocols, numeric, registry, relations, sums
from halfcl.interval.array import Interval
from halfcl.interval.bounds import Base
from halfcl.interval.decorated import DecoratedInterval
from halfcl.interval.decorated_functions import everywhere
from halfcl.interval.functions import FUNCTIONS, integers_of
from halfcl.interval.values import as_bounds

_ALL = {**FUNCTIONS, **relations.FUNCTIONS, **numeric.FUNCTIONS, **sums.FUNCTIONS}

#: The functions of NumPy and halfcl whose names are not the standard's.
_SYNONYMS = {
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
    "less": "strict_less",
    "less_equal": "less",
    "bitwise_and": "intersection",
    "bitwise_or": "hull",
}


def _power(x: Any, y: Any) -> Any:
    """x ** y: `pown` of integers, as in ``x**2``, else `pow`."""
    n = None if isinstance(y, Base | DecoratedInterval) else integers_of(y)
    return FUNCTIONS["pow"](x, y) if n is None else FUNCTIONS["pown"](x, n)


def _positive(x: Interval) -> Interval:
    return x.copy()


def _ufuncs() -> dict[str, Callable[..., Any]]:
    table = _ALL | {name: _ALL[other] for name, other in _SYNONYMS.items() if other in _ALL}
    table |= {
        "greater": lambda x, y: _ALL["strict_less"](y, x),
        "greater_equal": lambda x, y: _ALL["less"](y, x),
        "positive": _positive,
        "power": _power,
    }
    return table


# ---------------------------------------------------------------- reductions


def _extremum(ufunc: np.ufunc) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, keepdims: bool = False, **others: Any) -> Interval:
        _check_plain(f"{ufunc.__name__}.reduce", others)
        low, high = as_bounds(x)
        found = (ufunc.reduce(v, axis=axis, keepdims=keepdims) for v in (low, high))
        low, high = (np.asarray(v) for v in found)
        return Interval.of((low, high))

    return everywhere(reduce, 1)


def _sum(x: Any, axis: Any = None, keepdims: Any = False, **others: Any) -> Any:
    _check_plain("sum", others)
    return _ALL["sum"](x, axis, keepdims is not np._NoValue and bool(keepdims))


def _check_plain(name: str, others: dict[str, Any]) -> None:
    """TypeError for keywords that say anything."""
    missing = (None, True, np._NoValue)
    for keyword, value in others.items():
        said = value != (None,) if keyword == "out" else not any(value is m for m in missing)
        if said:
            raise TypeError(f"{name}: of intervals takes no keyword {keyword!r}")


# ---------------------------------------------------------------- functions that move elements


def _part(x: Any, k: int) -> Any:
    """Arguments with bounds in place of intervals, at any depth of lists and tuples."""
    if isinstance(x, Base):
        return (x._lo, x._hi)[k]
    if isinstance(x, list | tuple):
        return type(x)(_part(item, k) for item in x)
    return x


def _joined(low: Any, high: Any) -> Any:
    if isinstance(low, list | tuple):
        return type(low)(_joined(a, b) for a, b in zip(low, high, strict=True))
    return Interval.of((np.asarray(low), np.asarray(high)))


def _check_moving(name: str, dtype: Any = None, casting: Any = None, out: Any = None,
                  **others: Any) -> None:  # fmt: skip
    """TypeError for what would make bounds another type, or write both to one place."""
    if dtype is not None:
        raise TypeError(f"{name}: dtype: intervals are of half, got {dtype!r}")
    if casting not in (None, "same_kind"):
        raise TypeError(f"{name}: casting: of intervals is 'same_kind', got {casting!r}")
    if not (out is None or isinstance(out, Base)):
        raise TypeError(f"{name}: out: expected Interval, got {type(out).__name__}")


def _moving(function: Callable[..., Any]) -> Callable[..., Any]:
    """What NumPy's function does to either bound."""

    def move(*args: Any, **keywords: Any) -> Any:
        _check_moving(function.__name__, **keywords)
        low, high = (
            function(*_part(args, k), **{name: _part(v, k) for name, v in keywords.items()})
            for k in (0, 1)
        )
        if low is high and isinstance(low, np.ndarray):
            raise TypeError(f"{function.__name__}: out: expected Interval, got ndarray")
        return _joined(low, high)

    return move


def _joining(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a sequence of intervals, halves and numbers."""

    def join(arrays: Any, *args: Any, **keywords: Any) -> Any:
        intervals = [Interval.of(as_bounds(x)) for x in arrays]
        return _moving(function)(intervals, *args, **keywords)

    return join


def _where(condition: Any, x: Any, y: Any) -> Interval:
    x, y = as_bounds(x, "x"), as_bounds(y, "y")
    low, high = (np.where(condition, x[k], y[k]) for k in (0, 1))
    return Interval.of((low, high))


def _full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True,
               shape: Any = None, **others: Any) -> Interval:  # fmt: skip
    _check_plain("full_like", {"dtype": dtype, **others})
    low, high = (np.broadcast_to(v, np.shape(a) if shape is None else shape)
                 for v in as_bounds(fill_value))  # fmt: skip
    return Interval.of((low.copy(), high.copy()))


def _like(value: int) -> Callable[..., Any]:
    def like(a: Any, **keywords: Any) -> Interval:
        return _full_like(a, value, **keywords)

    return like


def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, Interval):
        raise TypeError("copyto: dst: expected Interval")
    low, high = as_bounds(src)
    low, high = (v.copy() for v in (low, high))
    np.copyto(dst._lo, low, where=where)
    np.copyto(dst._hi, high, where=where)


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    return np.shape(a1) == np.shape(a2) and bool(np.all(_ALL["equal"](a1, a2)))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, **others: Any) -> Any:
    _check_plain("clip", others)
    found = a if a_min is None else FUNCTIONS["max"](a, a_min)
    return (found if a_max is None else FUNCTIONS["min"](found, a_max)).copy()


def _numpy_dot(a: Any, b: Any) -> Any:
    """numpy.dot of at most two dimensions each."""
    dims = np.ndim(a), np.ndim(b)
    if 0 in dims:
        return FUNCTIONS["mul"](a, b)
    if max(dims) > 2:
        raise ValueError("dot: expected at most two dimensions; numpy.matmul takes more")
    return _ALL["matmul"](a, b)


_MOVING = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis",
    "rollaxis", "squeeze", "expand_dims", "broadcast_to", "broadcast_arrays", "atleast_1d",
    "atleast_2d", "atleast_3d", "take", "take_along_axis", "repeat", "tile", "roll", "rot90",
    "flip", "fliplr", "flipud", "split", "array_split", "hsplit", "vsplit", "dsplit", "delete",
    "diagonal", "tril", "triu", "compress", "extract", "copy", "resize", "unstack",
)  # fmt: skip
_JOINING = ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")


def _functions() -> dict[Callable[..., Any], Callable[..., Any]]:
    table: dict[Callable[..., Any], Callable[..., Any]] = {
        getattr(np, name): _moving(getattr(np, name)) for name in _MOVING if hasattr(np, name)
    }
    table |= {getattr(np, name): _joining(getattr(np, name)) for name in _JOINING}
    return table | {
        np.where: _where,
        np.full_like: _full_like,
        np.zeros_like: _like(0),
        np.ones_like: _like(1),
        np.empty_like: _like(0),
        np.copyto: _copyto,
        np.array_equal: _array_equal,
        np.dot: _numpy_dot,
        np.clip: _clip,
        np.sum: lambda a, axis=None, **keywords: _sum(a, axis, **keywords),
        np.max: lambda a, axis=None, **keywords: _extremum(np.maximum)(a, axis, **keywords),
        np.min: lambda a, axis=None, **keywords: _extremum(np.minimum)(a, axis, **keywords),
        np.shape: lambda a: a.shape,
        np.ndim: lambda a: a.ndim,
        np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
        np.array_repr: lambda arr, *args, **keywords: repr(arr),
        np.array_str: lambda a, *args, **keywords: str(a),
    }


def fill() -> None:
    """Fill `registry`."""
    registry.UFUNCS.update(_ufuncs())
    registry.REDUCTIONS.update(
        add=_sum, maximum=_extremum(np.maximum), minimum=_extremum(np.minimum)
    )
    registry.FUNCTIONS.update(_functions())
    registry.DECORATED.update(decorated_protocols.functions(_MOVING, _JOINING))
    registry.RELATIONS.update({name: _ALL[name] for name in ("subset", "is_member")})
