"""Functions of intervals made functions of decorated ones: IEEE 1788-2015's propagation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._array import Interval
from halfcl.interval._bounds import NAN, Array, Bounds, Halves, is_empty, select
from halfcl.interval._decorated import DecoratedInterval, has_decorations, promoted
from halfcl.interval._decorations import CODE, COM, ILL, TRV, local

_R = TypeVar("_R")
#: What operations give, of intervals and of decorated ones: one, or several.
Made: TypeAlias = Interval | tuple[Interval, ...]
Decorated: TypeAlias = DecoratedInterval | tuple[DecoratedInterval, ...]
#: What is told of intervals: truths or numbers, or words.
Told: TypeAlias = NDArray[Any] | np.generic


def _bare(x: object) -> object:
    return x._bare if isinstance(x, DecoratedInterval) else x


def _bounds(x: object) -> Bounds | Array:
    return (x._bare._lo, x._bare._hi) if isinstance(x, DecoratedInterval) else np.asarray(x)


def _weakest(arguments: Iterable[object]) -> Array:
    """The weakest decoration of arguments, NaI's if there is one."""
    codes = (x._codes for x in arguments if isinstance(x, DecoratedInterval))
    return np.asarray(functools.reduce(np.minimum, codes))


def _argument(x: object, name: str, integers: tuple[str, ...]) -> object:
    if name not in integers:
        return promoted(x, name)
    if isinstance(x, DecoratedInterval):
        raise TypeError(f"{name}: expected integers, got DecoratedInterval")
    return x


def apply(
    function: Callable[..., Made | Decorated],
    args: tuple[object, ...],
    names: tuple[str, ...],
    integers: tuple[str, ...],
) -> Decorated:
    """An operation: the results' decorations are the weakest of the arguments', and its own.

    integers: the names of arguments that are not intervals.
    """
    arguments = [_argument(x, name, integers) for x, name in zip(args, names, strict=False)]
    found: Any = function(*map(_bare, arguments))  # Made
    weakest, boxes = _weakest(arguments), tuple(map(_bounds, arguments))

    def decorated(result: Interval) -> DecoratedInterval:
        codes = np.minimum(local(function.__name__, (result._lo, result._hi), boxes), weakest)
        return DecoratedInterval.settled(result, codes)

    return tuple(map(decorated, found)) if isinstance(found, tuple) else decorated(found)


# ---------------------------------------------------------------- other kinds of functions

# What is called, by the number of arguments: the function itself, after one look at each type.


def _of_one(
    function: Callable[[object], _R], of_decorated: Callable[[DecoratedInterval], _R]
) -> Callable[[object], _R]:
    @functools.wraps(function)
    def call(x: object) -> _R:
        return of_decorated(x) if isinstance(x, DecoratedInterval) else function(x)

    return call


def _of_two(
    function: Callable[[object, object], _R],
    of_decorated: Callable[[DecoratedInterval, DecoratedInterval], _R],
) -> Callable[[object, object], _R]:
    @functools.wraps(function)
    def call(x: object, y: object) -> _R:
        if isinstance(x, DecoratedInterval) or isinstance(y, DecoratedInterval):
            return of_decorated(promoted(x, "x"), promoted(y, "y"))
        return function(x, y)

    return call


def operation(function: Callable[[object, object], Interval]) -> Callable[..., object]:
    """A function of two intervals that gives intervals."""
    return _of_two(function, lambda x, y: apply(function, (x, y), ("x", "y"), ()))


#: What relations with NaI are, if not False. The standard has no not_equal: as of NaN.
_OF_NAI: dict[str, bool | str] = {"not_equal": True, "overlap": "undefined"}


def _unless_ill(found: Told, of_nai: bool | str, *arguments: DecoratedInterval) -> Told:
    return np.where(np.equal(_weakest(arguments), ILL), of_nai, found)[()]


def relation(function: Callable[..., Told]) -> Callable[..., Told]:
    """A function that says what intervals are, or how one lies to another."""
    of_nai = _OF_NAI.get(function.__name__, False)
    if len(inspect.signature(function).parameters) == 1:
        return _of_one(function, lambda x: _unless_ill(function(x._bare), of_nai, x))
    return _of_two(function, lambda x, y: _unless_ill(function(x._bare, y._bare), of_nai, x, y))


def membership(function: Callable[[object, object], Told]) -> Callable[[object, object], Told]:
    """is_member, of a number and an interval."""

    @functools.wraps(function)
    def call(m: object, x: object) -> Told:
        if isinstance(m, DecoratedInterval):
            raise TypeError(
                f"m: expected numbers, got {type(m).__name__}; interval.subset compares intervals"
            )
        if isinstance(x, DecoratedInterval):
            return _unless_ill(function(m, x._bare), False, x)
        return function(m, x)

    return call


def number(function: Callable[[object], Halves]) -> Callable[[object], Halves]:
    """A function of intervals that gives numbers: NaN of NaI."""
    return _of_one(function, lambda x: x.without_ill(function(x._bare)))


# ---------------------------------------------------------------- functions of whole arrays


def _without(x: DecoratedInterval, level: int) -> Interval:
    """The intervals, empty where the decoration is a level or weaker."""
    bounds = (select(np.less_equal(x._codes, level), NAN, v) for v in (x._bare._lo, x._bare._hi))
    return Interval.of(tuple(bounds))


def everywhere(
    function: Callable[..., Interval],
    operands: int,
    undefined: Callable[..., Array] | None = None,
) -> Callable[..., Interval | DecoratedInterval]:
    """A function of whole arrays that is continuous, and defined everywhere, but where told.

    A result is empty if an interval is that it comes of: so which results come of intervals with
    weak decorations is found by making these empty.

    operands: so many of the first arguments are intervals.
    """
    signature = inspect.signature(function)
    names = tuple(signature.parameters)[:operands]

    @functools.wraps(function)
    def call(*args: object, **keywords: object) -> Interval | DecoratedInterval:
        if len(args) < operands:
            bound = signature.bind(*args, **keywords)
            args, keywords = bound.args, bound.kwargs
        given = args[:operands]
        if not has_decorations(given):
            return function(*args, **keywords)
        intervals = [promoted(x, name) for x, name in zip(given, names, strict=False)]
        others = args[operands:]
        found = function(*(x._bare for x in intervals), *others, **keywords)
        codes = np.full(found.shape, COM, CODE)
        levels = {int(k) for x in intervals for k in np.flatnonzero(np.bincount(x._codes.ravel()))}
        for level in sorted(levels - {COM}, reverse=True):
            rest = function(*(_without(x, level) for x in intervals), *others, **keywords)
            np.copyto(codes, level, where=is_empty((rest._lo, rest._hi)))
        if undefined is not None:
            outside = undefined(*(x._bare for x in intervals), *others, **keywords)
            np.copyto(codes, np.minimum(codes, TRV), where=outside)
        return DecoratedInterval.settled(found, codes)

    return call
