"""NumPy's functions that move elements, of intervals: they do to either bound what they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl.interval.array import Interval
from halfcl.interval.bounds import Base, Bounds
from halfcl.interval.values import as_bounds


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


def _intervals(arrays: Any) -> list[Interval]:
    """Of intervals, halves and numbers; these are copied, since both bounds are one array."""
    found = (Interval.of(as_bounds(x)) for x in arrays)
    return [
        one if isinstance(x, Base) else one.copy() for x, one in zip(arrays, found, strict=True)
    ]


def _joining(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a sequence of intervals, halves and numbers."""
    return lambda arrays, *args, **keywords: _moving(function)(
        _intervals(arrays), *args, **keywords
    )


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same of several intervals, halves and numbers."""
    return lambda *arrays, **keywords: _moving(function)(*_intervals(arrays), **keywords)


def _both(function: Callable[[int], Any]) -> Interval:
    """The interval of what a function makes of lower bounds, 0, and upper ones, 1."""
    return Interval.of((np.asarray(function(0)), np.asarray(function(1))))


def where(condition: Any, x: Any, y: Any) -> Interval:
    """numpy.where."""
    x, y = as_bounds(x, "x"), as_bounds(y, "y")
    return _both(lambda k: np.where(condition, x[k], y[k]))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Interval:
    """numpy.select."""
    choices = [as_bounds(x, "choicelist") for x in choicelist]
    others = as_bounds(default, "default")
    return _both(lambda k: np.select(condlist, [x[k] for x in choices], others[k]))


def append(arr: Any, values: Any, axis: Any = None) -> Interval:
    """numpy.append."""
    x, v = as_bounds(arr, "arr"), as_bounds(values, "values")
    return _both(lambda k: np.append(x[k], v[k], axis))


def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Interval:
    """numpy.insert."""
    x, v = as_bounds(arr, "arr"), as_bounds(values, "values")
    return _both(lambda k: np.insert(x[k], obj, v[k], axis))


_PADDING = ("constant", "edge", "reflect", "symmetric", "wrap")


def pad(array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0,
         reflect_type: Any = "even") -> Interval:  # fmt: skip
    """numpy.pad."""
    if mode not in _PADDING:
        raise ValueError(f"pad: mode: of intervals expected one of {_PADDING}, got {mode!r}")
    if reflect_type != "even":
        raise ValueError(f"pad: reflect_type: of intervals is 'even', got {reflect_type!r}")
    x, v = as_bounds(array, "array"), as_bounds(constant_values, "constant_values")
    if mode != "constant":
        return _both(lambda k: np.pad(x[k], pad_width, mode))
    return _both(lambda k: np.pad(x[k], pad_width, constant_values=v[k]))


def check_plain(name: str, others: dict[str, Any]) -> None:
    """TypeError for keywords that say anything."""
    for keyword, value in others.items():
        values = value if isinstance(value, tuple) else (value,)  # out is one
        if not all(v is None or v is True or v is np._NoValue for v in values):
            raise TypeError(f"{name}: of intervals takes no keyword {keyword!r}")


def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True,
               shape: Any = None, **others: Any) -> Interval:  # fmt: skip
    """numpy.full_like."""
    check_plain("full_like", {"dtype": dtype, **others})
    low, high = (np.broadcast_to(v, np.shape(a) if shape is None else shape)
                 for v in as_bounds(fill_value))  # fmt: skip
    return Interval.of((low.copy(), high.copy()))


def _like(value: int) -> Callable[..., Any]:
    return lambda a, **keywords: full_like(a, value, **keywords)


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """numpy.copyto."""
    if not isinstance(dst, Interval):
        raise TypeError(f"copyto: dst: expected Interval, got {type(dst).__name__}")
    source: Bounds = as_bounds(src, "src")
    low, high = (v.copy() for v in source)
    np.copyto(dst._lo, low, where=where)
    np.copyto(dst._hi, high, where=where)


#: Of one array; of a sequence of arrays; of several arrays.
MOVING = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis",
    "rollaxis", "squeeze", "expand_dims", "broadcast_to", "take", "take_along_axis",
    "repeat", "tile", "roll", "rot90", "flip", "fliplr", "flipud", "split", "array_split",
    "hsplit", "vsplit", "dsplit", "delete", "diagonal",
    "tril", "triu", "compress", "extract", "copy", "resize", "unstack",
)  # fmt: skip
JOINING = ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
EACH = ("broadcast_arrays", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d")


def _table() -> dict[Callable[..., Any], Callable[..., Any]]:
    kinds = ((_moving, MOVING), (_joining, JOINING), (_each, EACH))
    table: dict[Callable[..., Any], Callable[..., Any]] = {
        getattr(np, name): made(getattr(np, name))
        for made, names in kinds
        for name in names
        if hasattr(np, name)
    }
    view = np.lib.stride_tricks.sliding_window_view
    return table | {
        view: _moving(view),
        np.where: where,
        np.select: select,
        np.append: append,
        np.insert: insert,
        np.pad: pad,
        np.full_like: full_like,
        np.zeros_like: _like(0),
        np.ones_like: _like(1),
        np.empty_like: _like(0),
        np.copyto: copyto,
    }


FUNCTIONS = _table()
