"""Wrappers that extend functions of intervals to decorated ones: IEEE 1788-2015's propagation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._arrays.interval import Interval
from halfcl.interval._bounds.pairs import NAN, Array, Bounds, Halves, Tracer, is_empty, select
from halfcl.interval._decorated.array import DecoratedInterval, has_decorations, promote
from halfcl.interval._decorated.decorations import CODE, COM, ILL, TRV, local_decoration

_R = TypeVar("_R")
#: Results of operations on intervals, and on decorated ones: one, or several.
IntervalResult: TypeAlias = Interval | tuple[Interval, ...]
DecoratedResult: TypeAlias = DecoratedInterval | tuple[DecoratedInterval, ...]
#: Results of relations: bools, numbers or words.
RelationResult: TypeAlias = NDArray[Any] | np.generic


def _bare(x: object) -> object:
    return x._bare if isinstance(x, DecoratedInterval) else x


def _bounds(x: object) -> Bounds | Array:
    return (x._bare._lo, x._bare._hi) if isinstance(x, DecoratedInterval) else np.asarray(x)


def _weakest(arguments: Iterable[object]) -> Array:
    """Return the weakest decoration of the arguments, which is NaI's if there is one."""
    codes = (x._codes for x in arguments if isinstance(x, DecoratedInterval))
    return np.asarray(functools.reduce(np.minimum, codes))


def _argument(x: object, name: str, integers: tuple[str, ...]) -> object:
    if name not in integers:
        return promote(x, name)
    if isinstance(x, DecoratedInterval):
        raise TypeError(f"{name}: expected integers, got DecoratedInterval")
    return x


def apply(
    function: Callable[..., IntervalResult | DecoratedResult],
    args: tuple[object, ...],
    names: tuple[str, ...],
    integers: tuple[str, ...],
) -> DecoratedResult:
    """Apply an operation; results get the weakest of the arguments' decorations and its own.

    integers: the names of arguments that are not intervals.
    """
    arguments = [_argument(x, name, integers) for x, name in zip(args, names, strict=False)]
    bare: Any = function(*map(_bare, arguments))
    weakest, boxes = _weakest(arguments), tuple(map(_bounds, arguments))

    def decorate(result: Interval) -> DecoratedInterval:
        codes = np.minimum(
            local_decoration(function.__name__, (result._lo, result._hi), boxes), weakest
        )
        return DecoratedInterval.from_codes(result, codes)

    return tuple(map(decorate, bare)) if isinstance(bare, tuple) else decorate(bare)


# ---------------------------------------------------------------- other kinds of functions

# One dispatcher per number of arguments, so that plain intervals cost one check of types each.


def _dispatch_unary(
    function: Callable[[object], _R], decorated_function: Callable[[DecoratedInterval], _R]
) -> Callable[[object], _R]:
    @functools.wraps(function)
    def call(x: object) -> _R:
        return decorated_function(x) if isinstance(x, DecoratedInterval) else function(x)

    return call


def _dispatch_binary(
    function: Callable[[object, object], _R],
    decorated_function: Callable[[DecoratedInterval, DecoratedInterval], _R],
) -> Callable[[object, object], _R]:
    @functools.wraps(function)
    def call(x: object, y: object) -> _R:
        if isinstance(x, DecoratedInterval) or isinstance(y, DecoratedInterval):
            return decorated_function(promote(x, "x"), promote(y, "y"))
        return function(x, y)

    return call


def wrap_operation(function: Callable[[object, object], Interval]) -> Callable[..., object]:
    """Extend a function of two intervals that returns intervals to decorated intervals."""
    return _dispatch_binary(function, lambda x, y: apply(function, (x, y), ("x", "y"), ()))


#: The values of relations with NaI, if not False. The standard has no not_equal; it follows NaN's.
_NAI_VALUES: dict[str, bool | str] = {"not_equal": True, "overlap": "undefined"}


def _override_nai(
    values: RelationResult, nai_value: bool | str, *arguments: DecoratedInterval
) -> RelationResult:
    return np.where(np.equal(_weakest(arguments), ILL), nai_value, values)[()]


def wrap_relation(function: Callable[..., RelationResult]) -> Callable[..., RelationResult]:
    """Extend a function that classifies intervals, or relates two, to decorated intervals."""
    nai_value = _NAI_VALUES.get(function.__name__, False)
    if len(inspect.signature(function).parameters) == 1:
        return _dispatch_unary(function, lambda x: _override_nai(function(x._bare), nai_value, x))
    return _dispatch_binary(
        function, lambda x, y: _override_nai(function(x._bare, y._bare), nai_value, x, y)
    )


def wrap_membership(
    function: Callable[[object, object], RelationResult],
) -> Callable[[object, object], RelationResult]:
    """Extend is_member, a relation of a number and an interval, to decorated intervals."""

    @functools.wraps(function)
    def call(m: object, x: object) -> RelationResult:
        if isinstance(m, DecoratedInterval):
            raise TypeError(
                f"m: expected numbers, got {type(m).__name__}; use interval.subset for intervals"
            )
        if isinstance(x, DecoratedInterval):
            return _override_nai(function(m, x._bare), False, x)
        return function(m, x)

    return call


def wrap_number_function(function: Callable[[object], Halves]) -> Callable[[object], Halves]:
    """Extend a function of intervals that returns numbers to decorated ones, with NaN for NaI."""
    return _dispatch_unary(function, lambda x: x.mask_nai(function(x._bare)))


# ---------------------------------------------------------------- functions of whole arrays


def _empty_where_weak(x: DecoratedInterval, level: int) -> Interval:
    """Return the intervals, empty where the decoration is a level or weaker."""
    bounds = (select(np.less_equal(x._codes, level), NAN, v) for v in (x._bare._lo, x._bare._hi))
    return Interval.of(tuple(bounds))


def wrap_array_function(
    function: Callable[..., Interval], operands: int, undefined: Callable[..., Array] | None = None
) -> Callable[..., Interval | DecoratedInterval]:
    """Extend a function of whole arrays to decorated intervals.

    The function is continuous, and defined everywhere except where ``undefined`` is true. A result
    is empty if one of its input intervals is. So making the intervals with weak decorations empty
    shows which results depend on them.

    operands: how many of the first arguments are intervals.
    """
    signature = inspect.signature(function)
    names = tuple(signature.parameters)[:operands]

    @functools.wraps(function)
    def call(*args: object, **keywords: object) -> Interval | DecoratedInterval:
        if len(args) < operands:
            bound = signature.bind(*args, **keywords)
            args, keywords = bound.args, bound.kwargs
        first = args[:operands]
        if not has_decorations(first):
            for x in first:
                if isinstance(x, Tracer):
                    traced: Interval = x._apply_array_function(function.__name__, args, keywords)
                    return traced
            return function(*args, **keywords)
        intervals = [promote(x, name) for x, name in zip(first, names, strict=False)]
        others = args[operands:]
        result = function(*(x._bare for x in intervals), *others, **keywords)
        codes = np.full(result.shape, COM, CODE)
        levels = {int(k) for x in intervals for k in np.flatnonzero(np.bincount(x._codes.ravel()))}
        for level in sorted(levels - {COM}, reverse=True):
            weaker = function(
                *(_empty_where_weak(x, level) for x in intervals), *others, **keywords
            )
            np.copyto(codes, level, where=is_empty((weaker._lo, weaker._hi)))
        if undefined is not None:
            outside = undefined(*(x._bare for x in intervals), *others, **keywords)
            np.copyto(codes, np.minimum(codes, TRV), where=outside)
        return DecoratedInterval.from_codes(result, codes)

    return call
