"""NumPy's structural functions on intervals: they treat bounds as they treat numbers.

Decorations are treated alike, if one of the arguments has some; other arguments get the strongest
decorations then.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl.interval._arrays import ufuncs
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import Array, is_empty
from halfcl.interval._decorated.array import DecoratedInterval, promote
from halfcl.interval._decorated.decorations import COM, ILL

#: Results of NumPy's functions: of arrays, and of intervals.
ArrayResult: TypeAlias = Array | list[Array] | tuple[Array, ...]
StructuralResult: TypeAlias = (
    ArrayOfIntervals | list[ArrayOfIntervals] | tuple[ArrayOfIntervals, ...]
)

_K = TypeVar("_K", bound=ArrayOfIntervals)
#: The type of results.
Kind: TypeAlias = type[Interval] | type[DecoratedInterval]

_LISTS = (list, tuple)


def _has_decorated(x: object) -> bool:
    if isinstance(x, _LISTS):
        return any(map(_has_decorated, x))
    return isinstance(x, DecoratedInterval)


def _kind(*arguments: object) -> Kind:
    """Return the type of results: decorated if an argument is, at any depth of lists."""
    return DecoratedInterval if any(map(_has_decorated, arguments)) else Interval


def _arrays(x: object, kind: Kind, argument: str = "argument") -> tuple[Array, ...]:
    """Return the bounds of intervals, halves and numbers, and the codes of their decorations."""
    return promote(x, argument)._arrays if kind is DecoratedInterval else as_bounds(x, argument)


def _component(x: object, kind: Kind, k: int) -> object:
    """Replace each interval by its k-th array, also inside lists and tuples."""
    if isinstance(x, ArrayOfIntervals):
        return _arrays(x, kind)[k]
    if isinstance(x, _LISTS):
        return type(x)(_component(item, kind, k) for item in x)
    return x


def _join(kind: Kind, results: Sequence[ArrayResult]) -> StructuralResult:
    first = results[0]
    if isinstance(first, list | tuple):
        container: type[list[Any]] | type[tuple[Any, ...]] = type(first)
        return container(_join(kind, parts) for parts in zip(*results, strict=True))
    return _from_arrays(kind, results)


def _from_arrays(kind: type[_K], components: Sequence[ArrayResult]) -> _K:
    arrays = [np.asarray(component) for component in components]
    if kind is DecoratedInterval:
        low, high, codes = arrays
        # NumPy fills in zeros, which are the code of NaI but belong to bounds that are zero.
        if (is_filled := np.equal(codes, ILL) & ~is_empty((low, high))).any():
            codes[is_filled] = COM
    return kind._from_arrays(arrays)


def _each(kind: type[_K], function: Callable[[int], Array]) -> _K:
    """Apply a function to 0 (lower bounds), 1 (upper bounds) and 2 (decorations)."""
    return _from_arrays(kind, [function(k) for k in range(kind._COUNT)])


def _check_types(name: str, dtype: object = None, casting: object = None, **others: object) -> None:
    """Raise TypeError for arguments that would change the type of bounds."""
    if dtype is not None:
        raise TypeError(f"{name}: dtype: expected half, got {dtype!r}")
    if casting not in (None, "same_kind"):
        raise TypeError(f"{name}: casting: expected 'same_kind', got {casting!r}")


def _check_plain_argument(name: str, argument: str, x: object, expected: str = "booleans") -> None:
    """Raise TypeError for intervals in an argument that controls where elements go."""
    if kind := ufuncs.kind_of(x):
        raise TypeError(f"{name}: {argument}: expected {expected}, got {kind}")


#: The position of ``out`` in signatures; only numpy.take has another argument after it, ``mode``.
_OUT_AT = {"take": 3, "compress": 3, "concatenate": 2, "stack": 2}


def _apply_to_arrays(
    function: Callable[..., ArrayResult], data: str | None = None
) -> Callable[..., object]:
    """Return a function that applies NumPy's function to each array of intervals.

    data: the only argument that may be intervals; others are positions or counts.
    """
    name = function.__name__
    out_position = _OUT_AT.get(name)
    data_position = list(inspect.signature(function).parameters).index(data) if data else 0

    def move(*args: object, **keywords: object) -> object:
        if out_position is not None and len(args) > out_position:
            keywords |= zip(("out", "mode"), args[out_position:], strict=False)
            args = args[:out_position]
        out: Any = keywords.pop("out", None)
        _check_types(name, **keywords)
        if data:
            other_values = [v for keyword, v in keywords.items() if keyword != data]
            if other_kind := ufuncs.kind_of(
                [*args[:data_position], *args[data_position + 1 :], *other_values]
            ):
                raise TypeError(
                    f"{name}: expected intervals only as {data!r}, got {other_kind} elsewhere"
                )
        kind = _kind(*args, *keywords.values())

        def apply(k: int) -> ArrayResult:
            plain = {keyword: _component(v, kind, k) for keyword, v in keywords.items()}
            return function(*[_component(x, kind, k) for x in args], **plain)

        result: Any = _join(kind, [apply(k) for k in range(kind._COUNT)])
        return result if out is None else ufuncs.write_out(name, result, (out,))

    return move


def _wrap_first_argument(function: Callable[..., ArrayResult]) -> Callable[..., object]:
    """Wrap a function whose intervals are its first argument, or follow a condition."""
    names = list(inspect.signature(function).parameters)
    return _apply_to_arrays(function, names[1 if names[0] == "condition" else 0])


def _promote_all(*operands: object) -> list[ArrayOfIntervals]:
    """Return intervals, halves and numbers as intervals of one kind."""
    kind = _kind(*operands)
    return [_copy_if_plain(kind._from_arrays(_arrays(x, kind)), x) for x in operands]


def _copy_if_plain(intervals: ArrayOfIntervals, x: object) -> ArrayOfIntervals:
    """Copy intervals made from halves or numbers: both bounds are one array, the caller's."""
    return intervals if ufuncs.kind_of(x) else intervals.copy()


def _wrap_sequence(function: Callable[..., ArrayResult]) -> Callable[..., object]:
    """Wrap a function of a sequence of intervals, halves and numbers."""
    move = _apply_to_arrays(function)
    return lambda arrays, *args, **keywords: move(_promote_all(*arrays), *args, **keywords)


def _wrap_arguments(function: Callable[..., ArrayResult]) -> Callable[..., object]:
    """Wrap a function of several intervals, halves and numbers."""
    move = _apply_to_arrays(function)
    return lambda *arrays, **keywords: move(*_promote_all(*arrays), **keywords)


def where(condition: ArrayLike, x: object, y: object) -> ArrayOfIntervals:
    """Return numpy.where of intervals."""
    _check_plain_argument("where", "condition", condition)
    kind = _kind(x, y)
    p, q = _arrays(x, kind, "x"), _arrays(y, kind, "y")
    return _each(kind, lambda k: np.where(condition, p[k], q[k]))


def select(
    condlist: Sequence[Array], choicelist: Sequence[object], default: object = 0
) -> ArrayOfIntervals:
    """Return numpy.select of intervals."""
    _check_plain_argument("select", "condlist", condlist)
    kind = _kind(*choicelist, default)
    choices = [_arrays(x, kind, "choicelist") for x in choicelist]
    others = _arrays(default, kind, "default")
    return _each(kind, lambda k: np.select(condlist, [x[k] for x in choices], others[k]))


def append(arr: object, values: object, axis: SupportsIndex | None = None) -> ArrayOfIntervals:
    """Return numpy.append of intervals."""
    kind = _kind(arr, values)
    x, v = _arrays(arr, kind, "arr"), _arrays(values, kind, "values")
    return _each(kind, lambda k: np.append(x[k], v[k], axis))


def insert(
    arr: object,
    obj: int | slice | Sequence[int] | Array,
    values: object,
    axis: SupportsIndex | None = None,
) -> ArrayOfIntervals:
    """Return numpy.insert of intervals."""
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
    """Return numpy.pad of intervals."""
    if mode not in _PADDING:
        raise ValueError(f"pad: mode: expected one of {_PADDING} for intervals, got {mode!r}")
    if reflect_type != "even":
        raise ValueError(f"pad: reflect_type: expected 'even', got {reflect_type!r}")
    kind = _kind(array, constant_values)
    x = _arrays(array, kind, "array")
    v = _arrays(constant_values, kind, "constant_values")
    if mode != "constant":
        return _each(kind, lambda k: np.pad(x[k], pad_width, mode))
    return _each(kind, lambda k: np.pad(x[k], pad_width, constant_values=v[k]))


def check_plain(name: str, others: dict[str, object]) -> None:
    """Raise TypeError for keywords with an effect."""
    for keyword, value in others.items():
        values = value if isinstance(value, tuple) else (value,)  # out is a tuple
        if not all(v is None or v is True or v is np._NoValue for v in values):
            raise ufuncs.unsupported_keyword(name, keyword, value)


def full_like(
    a: ArrayLike,
    fill_value: object,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: int | tuple[int, ...] | None = None,
    **others: object,
) -> ArrayOfIntervals:
    """Return numpy.full_like of intervals."""
    _check_types("full_like", dtype)
    check_plain("full_like", others)
    kind = _kind(a, fill_value)
    if kind is DecoratedInterval and isinstance(fill_value, str):
        fill_value = DecoratedInterval(fill_value)
    new_shape = np.shape(a) if shape is None else shape
    value = _arrays(fill_value, kind, "fill_value")
    return _each(kind, lambda k: np.broadcast_to(value[k], new_shape).copy())


def _like(value: int) -> Callable[..., ArrayOfIntervals]:
    return lambda a, **keywords: full_like(a, value, **keywords)


def copyto(dst: object, src: object, casting: str = "same_kind", where: ArrayLike = True) -> None:
    """Copy intervals as numpy.copyto does."""
    _check_plain_argument("copyto", "where", where)
    _check_types("copyto", casting=casting)
    kind = _kind(dst, src)
    if not isinstance(dst, kind):
        raise TypeError(f"copyto: dst: expected {kind.__name__}, got {type(dst).__name__}")
    ufuncs.check_writeable("copyto: dst", dst)
    source = [v.copy() for v in _arrays(src, kind, "src")]
    for target, value in zip(dst._arrays, source, strict=True):
        np.copyto(target, value, where=where)


#: Functions of one array; of a sequence of arrays; of several arrays.
ONE_ARRAY = (
    "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis",
    "rollaxis", "squeeze", "expand_dims", "broadcast_to", "take", "take_along_axis", "repeat",
    "tile", "roll", "rot90", "flip", "fliplr", "flipud", "split", "array_split", "hsplit",
    "vsplit", "dsplit", "delete", "diagonal", "tril", "triu", "compress", "extract", "copy",
    "resize", "unstack",
)  # fmt: skip
SEQUENCE = ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
ARGUMENTS = ("broadcast_arrays", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d")


def _table() -> dict[Callable[..., object], Callable[..., object]]:
    kinds = (
        (_wrap_first_argument, ONE_ARRAY),
        (_wrap_sequence, SEQUENCE),
        (_wrap_arguments, ARGUMENTS),
    )
    table: dict[Callable[..., Any], Callable[..., Any]] = {
        getattr(np, name): make(getattr(np, name))
        for make, names in kinds
        for name in names
        if hasattr(np, name)
    }
    view = np.lib.stride_tricks.sliding_window_view
    return table | {
        view: _wrap_first_argument(view),
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
