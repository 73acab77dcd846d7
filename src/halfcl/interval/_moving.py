"""NumPy's functions that move elements, of intervals: they do to bounds what they do to numbers.

So they do to decorations, if one of the arguments has some; others get the strongest then.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl.interval import _ufuncs as ufuncs
from halfcl.interval._array import Interval
from halfcl.interval._bounds import Array, is_empty
from halfcl.interval._decorated import DecoratedInterval, promote
from halfcl.interval._decorations import COM, ILL
from halfcl.interval._methods import ArrayOfIntervals
from halfcl.interval._values import as_bounds

#: What NumPy's functions give of arrays, and of intervals.
Parts: TypeAlias = Array | list[Array] | tuple[Array, ...]
Moved: TypeAlias = ArrayOfIntervals | list[ArrayOfIntervals] | tuple[ArrayOfIntervals, ...]

_K = TypeVar("_K", bound=ArrayOfIntervals)
#: What results are.
Kind: TypeAlias = type[Interval] | type[DecoratedInterval]

_LISTS = (list, tuple)


def _has_decorated(x: object) -> bool:
    if isinstance(x, _LISTS):
        return any(map(_has_decorated, x))
    return isinstance(x, DecoratedInterval)


def _kind(*arguments: object) -> Kind:
    """The type of what comes of arguments: decorated if one is, at any depth of lists."""
    return DecoratedInterval if any(map(_has_decorated, arguments)) else Interval


def _arrays(x: object, kind: Kind, argument: str = "argument") -> tuple[Array, ...]:
    """The bounds of intervals, halves and numbers, and the codes of their decorations."""
    return promote(x, argument)._arrays if kind is DecoratedInterval else as_bounds(x, argument)


def _part(x: object, kind: Kind, k: int) -> object:
    """Arguments with arrays in place of intervals, at any depth of lists and tuples."""
    if isinstance(x, ArrayOfIntervals):
        return _arrays(x, kind)[k]
    if isinstance(x, _LISTS):
        return type(x)(_part(item, kind, k) for item in x)
    return x


def _joined(kind: Kind, parts: Sequence[Parts]) -> Moved:
    first = parts[0]
    if isinstance(first, list | tuple):
        container: type[list[Any]] | type[tuple[Any, ...]] = type(first)
        return container(_joined(kind, part) for part in zip(*parts, strict=True))
    return _of_arrays(kind, parts)


def _of_arrays(kind: type[_K], parts: Sequence[Parts]) -> _K:
    arrays = [np.asarray(part) for part in parts]
    if kind is DecoratedInterval:
        low, high, codes = arrays
        # Zeros that were filled in are the code of NaI, whose bounds are no numbers.
        if (filled := np.equal(codes, ILL) & ~is_empty((low, high))).any():
            codes[filled] = COM
    return kind._of_arrays(arrays)


def _each(kind: type[_K], function: Callable[[int], Array]) -> _K:
    """What a function makes of lower bounds, 0, of upper ones, 1, and of decorations, 2."""
    return _of_arrays(kind, [function(k) for k in range(kind._COUNT)])


def _check_moving(
    name: str, dtype: object = None, casting: object = None, **others: object
) -> None:
    """TypeError for what would make bounds another type."""
    if dtype is not None:
        raise TypeError(f"{name}: dtype: intervals are of half, got {dtype!r}")
    if casting not in (None, "same_kind"):
        raise TypeError(f"{name}: casting: of intervals is 'same_kind', got {casting!r}")


def _check_plain_argument(name: str, argument: str, x: object, expected: str = "booleans") -> None:
    """TypeError for intervals in place of what tells where to move elements."""
    if kind := ufuncs.kind_of(x):
        raise TypeError(f"{name}: {argument}: expected {expected}, got {kind}")


#: Where ``out`` is that is given by its place; after it only numpy.take has anything, ``mode``.
_OUT_AT = {"take": 3, "compress": 3, "concatenate": 2, "stack": 2}


def _moving(function: Callable[..., Parts], data: str | None = None) -> Callable[..., object]:
    """What NumPy's function does to each array.

    data: the only argument that may be of intervals; others say where, or how far.
    """
    name = function.__name__
    place = _OUT_AT.get(name)
    at = list(inspect.signature(function).parameters).index(data) if data else 0

    def move(*args: object, **keywords: object) -> object:
        if place is not None and len(args) > place:
            keywords |= zip(("out", "mode"), args[place:], strict=False)
            args = args[:place]
        out: Any = keywords.pop("out", None)
        _check_moving(name, **keywords)
        if data:
            others = [v for keyword, v in keywords.items() if keyword != data]
            if beside := ufuncs.kind_of([*args[:at], *args[at + 1 :], *others]):
                raise TypeError(
                    f"{name}: expected intervals as {data!r} alone, got {beside} beside"
                )
        kind = _kind(*args, *keywords.values())

        def of(k: int) -> Parts:
            given = {keyword: _part(v, kind, k) for keyword, v in keywords.items()}
            return function(*[_part(x, kind, k) for x in args], **given)

        found: Any = _joined(kind, [of(k) for k in range(kind._COUNT)])
        return found if out is None else ufuncs.write_out(name, found, (out,))

    return move


def _single(function: Callable[..., Parts]) -> Callable[..., object]:
    """The same of one array, which is the first argument, or comes after a condition."""
    names = list(inspect.signature(function).parameters)
    return _moving(function, names[1 if names[0] == "condition" else 0])


def _alike(*operands: object) -> list[ArrayOfIntervals]:
    """Of intervals, halves and numbers, intervals of one kind."""
    kind = _kind(*operands)
    return [_own(kind._of_arrays(_arrays(x, kind)), x) for x in operands]


def _own(found: ArrayOfIntervals, x: object) -> ArrayOfIntervals:
    """A copy of what was no intervals: both its bounds are one array, which is the caller's."""
    return found if ufuncs.kind_of(x) else found.copy()


def _joining(function: Callable[..., Parts]) -> Callable[..., object]:
    """The same of a sequence of intervals, halves and numbers."""
    move = _moving(function)
    return lambda arrays, *args, **keywords: move(_alike(*arrays), *args, **keywords)


def _several(function: Callable[..., Parts]) -> Callable[..., object]:
    """The same of several intervals, halves and numbers."""
    move = _moving(function)
    return lambda *arrays, **keywords: move(*_alike(*arrays), **keywords)


def where(condition: ArrayLike, x: object, y: object) -> ArrayOfIntervals:
    """numpy.where."""
    _check_plain_argument("where", "condition", condition)
    kind = _kind(x, y)
    p, q = _arrays(x, kind, "x"), _arrays(y, kind, "y")
    return _each(kind, lambda k: np.where(condition, p[k], q[k]))


def select(
    condlist: Sequence[Array], choicelist: Sequence[object], default: object = 0
) -> ArrayOfIntervals:
    """numpy.select."""
    _check_plain_argument("select", "condlist", condlist)
    kind = _kind(*choicelist, default)
    choices = [_arrays(x, kind, "choicelist") for x in choicelist]
    others = _arrays(default, kind, "default")
    return _each(kind, lambda k: np.select(condlist, [x[k] for x in choices], others[k]))


def append(arr: object, values: object, axis: SupportsIndex | None = None) -> ArrayOfIntervals:
    """numpy.append."""
    kind = _kind(arr, values)
    x, v = _arrays(arr, kind, "arr"), _arrays(values, kind, "values")
    return _each(kind, lambda k: np.append(x[k], v[k], axis))


def insert(
    arr: object,
    obj: int | slice | Sequence[int] | Array,
    values: object,
    axis: SupportsIndex | None = None,
) -> ArrayOfIntervals:
    """numpy.insert."""
    _check_plain_argument("insert", "obj", obj, "integers")
    kind = _kind(arr, values)
    x, v = _arrays(arr, kind, "arr"), _arrays(values, kind, "values")
    return _each(kind, lambda k: np.insert(x[k], obj, v[k], axis))


_PADDING = ("constant", "edge", "reflect", "symmetric", "wrap")


def pad(
    array: object,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    mode: Literal["constant", "edge", "reflect", "symmetric", "wrap"] = "constant",
    *,
    constant_values: object = 0,
    reflect_type: str = "even",
) -> ArrayOfIntervals:
    """numpy.pad."""
    if mode not in _PADDING:
        raise ValueError(f"pad: mode: of intervals expected one of {_PADDING}, got {mode!r}")
    if reflect_type != "even":
        raise ValueError(f"pad: reflect_type: of intervals is 'even', got {reflect_type!r}")
    kind = _kind(array, constant_values)
    x = _arrays(array, kind, "array")
    v = _arrays(constant_values, kind, "constant_values")
    if mode != "constant":
        return _each(kind, lambda k: np.pad(x[k], pad_width, mode))
    return _each(kind, lambda k: np.pad(x[k], pad_width, constant_values=v[k]))


def check_plain(name: str, others: dict[str, object]) -> None:
    """TypeError for keywords that say anything."""
    for keyword, value in others.items():
        values = value if isinstance(value, tuple) else (value,)  # out is one
        if not all(v is None or v is True or v is np._NoValue for v in values):
            raise TypeError(f"{name}: of intervals takes no keyword {keyword!r}")


def full_like(
    a: ArrayLike,
    fill_value: object,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: int | tuple[int, ...] | None = None,
    **others: object,
) -> ArrayOfIntervals:
    """numpy.full_like."""
    _check_moving("full_like", dtype)
    check_plain("full_like", others)
    kind = _kind(a, fill_value)
    if kind is DecoratedInterval and isinstance(fill_value, str):
        fill_value = DecoratedInterval(fill_value)
    wanted = np.shape(a) if shape is None else shape
    value = _arrays(fill_value, kind, "fill_value")
    return _each(kind, lambda k: np.broadcast_to(value[k], wanted).copy())


def _like(value: int) -> Callable[..., ArrayOfIntervals]:
    return lambda a, **keywords: full_like(a, value, **keywords)


def copyto(dst: object, src: object, casting: str = "same_kind", where: ArrayLike = True) -> None:
    """numpy.copyto."""
    _check_plain_argument("copyto", "where", where)
    _check_moving("copyto", casting=casting)
    kind = _kind(dst, src)
    if not isinstance(dst, kind):
        raise TypeError(f"copyto: dst: expected {kind.__name__}, got {type(dst).__name__}")
    ufuncs.check_writeable("copyto: dst", dst)
    source = [v.copy() for v in _arrays(src, kind, "src")]
    for target, value in zip(dst._arrays, source, strict=True):
        np.copyto(target, value, where=where)


#: Of one array; of a sequence of arrays; of several arrays.
MOVING = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis",
    "rollaxis", "squeeze", "expand_dims", "broadcast_to", "take", "take_along_axis", "repeat",
    "tile", "roll", "rot90", "flip", "fliplr", "flipud", "split", "array_split", "hsplit",
    "vsplit", "dsplit", "delete", "diagonal", "tril", "triu", "compress", "extract", "copy",
    "resize", "unstack",
)  # fmt: skip
JOINING = ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
SEVERAL = ("broadcast_arrays", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d")


def _table() -> dict[Callable[..., object], Callable[..., object]]:
    kinds = ((_single, MOVING), (_joining, JOINING), (_several, SEVERAL))
    table: dict[Callable[..., Any], Callable[..., Any]] = {
        getattr(np, name): made(getattr(np, name))
        for made, names in kinds
        for name in names
        if hasattr(np, name)
    }
    view = np.lib.stride_tricks.sliding_window_view
    return table | {
        view: _single(view),
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
