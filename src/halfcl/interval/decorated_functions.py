"""Functions of intervals made functions of decorated ones: IEEE 1788-2015's propagation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from halfcl.interval.array import Interval
from halfcl.interval.bounds import Array
from halfcl.interval.decorated import DecoratedInterval, promoted
from halfcl.interval.decorations import CODE, COM, ILL, local

Function = Callable[..., Any]


def any_decorated(args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether an argument is decorated."""
    return DecoratedInterval in map(type, args) or (
        bool(keywords) and DecoratedInterval in map(type, keywords.values())
    )


def _bare(x: Any) -> Any:
    return x._bare if isinstance(x, DecoratedInterval) else x


def _bounds(x: Any) -> Any:
    return (x._bare._lo, x._bare._hi) if isinstance(x, DecoratedInterval) else np.asarray(x)


def _weakest(arguments: list[Any]) -> Array:
    """The weakest decoration of arguments, NaI's if there is one."""
    codes = (x._codes for x in arguments if isinstance(x, DecoratedInterval))
    return np.asarray(functools.reduce(np.minimum, codes))


def apply(function: Function, args: tuple[Any, ...], names: tuple[str | None, ...]) -> Any:
    """An operation: the results' decorations are the weakest of the arguments', and its own.

    names: of arguments that are intervals; None of others.
    """
    arguments = [
        x if name is None else promoted(x, name) for x, name in zip(args, names, strict=False)
    ]
    found = function(*map(_bare, arguments))
    weakest, boxes = _weakest(arguments), tuple(map(_bounds, arguments))

    def decorated(result: Interval) -> DecoratedInterval:
        codes = np.minimum(local(function.__name__, (result._lo, result._hi), boxes), weakest)
        return DecoratedInterval.settled(result, codes)

    return tuple(map(decorated, found)) if isinstance(found, tuple) else decorated(found)


# ---------------------------------------------------------------- other kinds of functions


def _aware(function: Function, of_decorated: Callable[..., Any]) -> Function:
    """A function that calls another one if an argument is decorated."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        if any_decorated(args, keywords):
            bound = signature.bind(*args, **keywords)
            bound.apply_defaults()
            return of_decorated(*bound.args, **bound.kwargs)
        return function(*args, **keywords)

    return call


def operation(function: Function) -> Function:
    """A function of intervals that gives intervals, also of decorated ones."""

    return _aware(function, lambda x, y: apply(function, (x, y), ("x", "y")))


#: What comparisons with NaI are, if not False. The standard has no not_equal: as of NaN.
_OF_NAI: dict[str, Any] = {"not_equal": True, "overlap": "undefined"}


def relation(function: Function) -> Function:
    """A function of intervals, or a number and an interval, that says what is so."""
    of_nai = _OF_NAI.get(function.__name__, False)
    takes_number = function.__name__ == "is_member"

    def of_decorated(*args: Any) -> Any:
        if takes_number and isinstance(args[0], DecoratedInterval):
            raise TypeError("m: expected numbers, got DecoratedInterval")
        given = [x if takes_number and i == 0 else promoted(x, "xy"[i - takes_number])
                 for i, x in enumerate(args)]  # fmt: skip
        ill = np.equal(_weakest(given), ILL)
        return np.where(ill, of_nai, function(*map(_bare, given)))[()]

    return _aware(function, of_decorated)


def number(function: Function) -> Function:
    """A function of intervals that gives numbers: NaN of NaI."""
    return _aware(function, lambda x: x.without_ill(function(x._bare)))


# ---------------------------------------------------------------- reductions


def _reduced(result: Interval, codes: Array) -> DecoratedInterval:
    """A reduction by a function that is defined and continuous everywhere."""
    codes = np.broadcast_to(codes, result.shape)
    return DecoratedInterval.settled(result, codes)


def _least(codes: Array, axis: Any) -> Array:
    return np.asarray(np.min(codes, axis=axis, initial=COM), CODE)


def reduction(function: Function) -> Function:
    """A sum, a minimum, a maximum."""

    def of_decorated(x: Any, axis: Any, keepdims: Any, **others: Any) -> DecoratedInterval:
        found = function(x._bare, axis, keepdims, **others)
        return _reduced(found, _least(x._codes, axis).reshape(found.shape))

    return _aware(function, of_decorated)


def product(function: Function) -> Function:
    """Sums of products: dot, matmul."""
    is_matrix = function.__name__ == "matmul"

    def of_decorated(x: Any, y: Any) -> DecoratedInterval:
        x, y = promoted(x, "x"), promoted(y, "y")
        found = function(x._bare, y._bare)
        if not is_matrix:
            return _reduced(found, np.minimum(_least(x._codes, -1), _least(y._codes, -1)))
        rows, columns = _least(x._codes, -1), _least(y._codes, -2 if y.ndim > 1 else -1)
        rows = rows[..., :, None] if x.ndim > 1 and y.ndim > 1 else rows
        columns = columns[..., None, :] if x.ndim > 1 and y.ndim > 1 else columns
        return _reduced(found, np.minimum(rows, columns))

    return _aware(function, of_decorated)
