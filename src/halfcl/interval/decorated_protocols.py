"""What NumPy's functions do to decorated intervals: to the intervals, and to the decorations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl.interval import moving
from halfcl.interval.bounds import Base
from halfcl.interval.decorated import DecoratedInterval, promoted
from halfcl.interval.decorations import CODE, COM

Function = Callable[..., Any]


def _part(x: Any, of: Callable[[DecoratedInterval], Any]) -> Any:
    """Arguments with a part in place of decorated intervals, at any depth of lists and tuples."""
    if isinstance(x, DecoratedInterval | Base):
        return of(promoted(x))
    if isinstance(x, list | tuple):
        return type(x)(_part(item, of) for item in x)
    return x


def _intervals(x: DecoratedInterval) -> Any:
    return x._bare


def _weakness(x: DecoratedInterval) -> Any:
    """How far from com decorations are: 0 of the zeros that some functions fill in."""
    return COM - x._codes


def _joined(bare: Any, weakness: Any) -> Any:
    if isinstance(bare, list | tuple):
        return type(bare)(_joined(a, b) for a, b in zip(bare, weakness, strict=True))
    return DecoratedInterval.of(bare, np.asarray(COM - weakness, CODE))


def _moving(function: Function) -> Function:
    """What NumPy's function does to either part."""

    def move(*args: Any, out: Any = None, **keywords: Any) -> Any:
        if not (out is None or isinstance(out, DecoratedInterval)):
            name, kind = function.__name__, type(out).__name__
            raise TypeError(f"{name}: out: expected DecoratedInterval, got {kind}")
        bare, weakness = (
            do(*(_part(x, of) for x in args), **{k: _part(x, of) for k, x in keywords.items()})
            for do, of in ((moving.FUNCTIONS[function], _intervals), (function, _weakness))
        )
        found = _joined(bare, weakness)
        if out is None:
            return found
        if out.shape != found.shape:
            raise ValueError(
                f"{function.__name__}: out: expected shape {found.shape}, got {out.shape}"
            )
        out[...] = found
        return out

    return move


def _joining(function: Function) -> Function:
    """The same of a sequence of decorated intervals, intervals, halves and numbers."""
    move = _moving(function)

    def join(arrays: Any, *args: Any, **keywords: Any) -> Any:
        return move([promoted(x) for x in arrays], *args, **keywords)

    return join


def _each(function: Function) -> Function:
    """The same of several decorated intervals, intervals, halves and numbers.

    What is not decorated is copied: of halves both bounds are one array.
    """
    move = _moving(function)

    def each(*arrays: Any, **keywords: Any) -> Any:
        own = (x if isinstance(x, DecoratedInterval) else promoted(x).copy() for x in arrays)
        return move(*own, **keywords)

    return each


def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    return _moving(np.append)(promoted(arr, "arr"), promoted(values, "values"), axis)


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    return _moving(np.insert)(promoted(arr, "arr"), obj, promoted(values, "values"), axis)


def _pad(array: Any, pad_width: Any, mode: Any = "constant", **keywords: Any) -> Any:
    if "constant_values" in keywords:
        keywords["constant_values"] = promoted(keywords["constant_values"], "constant_values")
    return _moving(np.pad)(array, pad_width, mode, **keywords)


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    choices = [promoted(x, "choicelist") for x in choicelist]
    return _moving(np.select)(condlist, choices, promoted(default, "default"))


def _where(condition: Any, x: Any, y: Any) -> Any:
    return _moving(np.where)(condition, promoted(x, "x"), promoted(y, "y"))


def _full_like(a: Any, fill_value: Any, *args: Any, **keywords: Any) -> Any:
    if isinstance(fill_value, str):
        fill_value = DecoratedInterval(fill_value)
    return _moving(np.full_like)(a, promoted(fill_value), *args, **keywords)


def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, DecoratedInterval):
        raise TypeError(f"copyto: dst: expected DecoratedInterval, got {type(dst).__name__}")
    source = promoted(src, "src")
    codes = source._codes.copy()
    moving.FUNCTIONS[np.copyto](dst._bare, source._bare, casting, where)
    np.copyto(dst._codes, codes, where=where)


def _like(function: Function) -> Function:
    def like(a: DecoratedInterval, **keywords: Any) -> DecoratedInterval:
        return promoted(moving.FUNCTIONS[function](a._bare, **keywords))

    return like


def _table() -> dict[Function, Function]:
    kinds = ((_moving, moving.MOVING), (_joining, moving.JOINING), (_each, moving.EACH))
    table = {
        getattr(np, name): made(getattr(np, name))
        for made, names in kinds
        for name in names
        if hasattr(np, name)
    }
    table |= {like: _like(like) for like in (np.zeros_like, np.ones_like, np.empty_like)}
    view = np.lib.stride_tricks.sliding_window_view
    return table | {
        view: _moving(view),
        np.where: _where,
        np.select: _select,
        np.append: _append,
        np.insert: _insert,
        np.pad: _pad,
        np.full_like: _full_like,
        np.copyto: _copyto,
    }


FUNCTIONS = _table()
