"""Comparisons that intervals do not decide, element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from halfcl.interval import Interval, _registry as registry
from halfcl.interval._bounds import Index
from halfcl.interval._values import as_bounds

#: Of an array, or of one.
Truths: TypeAlias = NDArray[np.bool_] | np.bool_


class Unproven(Exception):
    """Why a run on intervals encloses nothing."""


def _refuse() -> NoReturn:
    raise Unproven("a comparison that the intervals do not decide")


class Undecided(NDArrayOperatorsMixin):
    """Truths of which some are not known: where takes both its choices there.

    What else is made of it, such as its truth, is refused, unless what is known decides it.
    """

    __slots__ = ("fails", "holds")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, holds: Truths, fails: Truths) -> None:
        self.holds, self.fails = holds, fails

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""
        return self.holds.shape

    @property
    def ndim(self) -> int:
        """As of an array."""
        return self.holds.ndim

    @property
    def size(self) -> int:
        """As of an array."""
        return self.holds.size

    def __getitem__(self, index: Index) -> Truths | Undecided:
        return joined(np.asarray(self.holds)[index], np.asarray(self.fails)[index])

    def __bool__(self) -> bool:
        _refuse()

    __len__ = __index__ = __int__ = __float__ = __bool__

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        _refuse()

    def any(self) -> bool:
        """Whether one holds."""
        return True if self.holds.any() else _refuse()

    def all(self) -> bool:
        """Whether all hold."""
        return False if self.fails.any() else _refuse()

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        logic = _LOGIC.get(ufunc.__name__)
        if logic is None or method != "__call__" or keywords:
            _refuse()
        return joined(*logic(*map(_sides, inputs)))

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...],
        keywords: dict[str, object],
    ) -> object:
        known = _FUNCTIONS.get(function)
        return _refuse() if known is None or keywords else known(*args)


def joined(holds: Truths, fails: Truths) -> Truths | Undecided:
    """Plain truths where all are known."""
    return holds if np.all(holds | fails) else Undecided(holds, fails)


#: Where truths hold, and where they fail.
Sides: TypeAlias = tuple[Truths, Truths]


def _sides(x: object) -> Sides:
    """Where truths hold, and where they fail."""
    if isinstance(x, Undecided):
        return x.holds, x.fails
    truths = np.asarray(x)
    return (truths, ~truths) if truths.dtype.kind == "b" else _refuse()


def _and(x: Sides, y: Sides) -> Sides:
    return x[0] & y[0], x[1] | y[1]


def _or(x: Sides, y: Sides) -> Sides:
    return x[0] | y[0], x[1] & y[1]


def _not(x: Sides) -> Sides:
    return x[1], x[0]


#: Kleene's logic, by the names of ufuncs.
_LOGIC: dict[str, Callable[..., Sides]] = {
    "logical_and": _and,
    "bitwise_and": _and,
    "logical_or": _or,
    "bitwise_or": _or,
    "logical_not": _not,
    "invert": _not,
}


def _where(condition: object, x: object, y: object) -> object:
    """One choice where the condition is known, else the least interval around both."""
    holds, fails = _sides(condition)
    known = registry.FUNCTIONS[np.where](
        holds, Interval.of(as_bounds(x)), Interval.of(as_bounds(y))
    )
    (a, b), (c, d) = as_bounds(x), as_bounds(y)
    # Of an empty interval the bounds are NaN, which fmin and fmax leave out.
    both = Interval.of((np.fmin(a, c), np.fmax(b, d)))
    return registry.FUNCTIONS[np.where](holds | fails, known, both)


def _select(conditions: Sequence[object], choices: Sequence[object], default: object = 0) -> object:
    pairs = list(zip(conditions, choices, strict=True))
    found = default
    for condition, choice in reversed(pairs):
        found = _where(condition, choice, found)
    return found


#: By NumPy's function.
_FUNCTIONS: dict[Callable[..., object], Callable[..., object]] = {
    np.where: _where,
    np.select: _select,
    np.any: Undecided.any,
    np.all: Undecided.all,
}
