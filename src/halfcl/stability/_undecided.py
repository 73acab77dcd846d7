"""Comparisons that intervals do not decide, element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from halfcl.interval import Interval, Truth
from halfcl.interval._arrays import registry
from halfcl.interval._arrays.truth import sides_of
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import Truths
from halfcl.stability._sites import Place, Placed


class Unproven(Exception):
    """Why a run on intervals encloses nothing."""


def _refuse() -> NoReturn:
    raise Unproven("a comparison that the intervals do not decide")


@dataclass(frozen=True)
class Doubt(Placed):
    """A comparison that intervals do not decide.

    Attributes
    ----------
    place : Place
        Where: ``.place.file``, ``.place.line``, ``.place.source``.
    elements, of : int
        Of how many elements of how many it is undecided; of a comparison that is made many times,
        those of all times.
    """

    place: Place
    elements: int
    of: int

    def __str__(self) -> str:
        return f"{self.elements} of {self.of} comparisons are not decided at {self.place}"


class Undecided(Truth):
    """Truths of which some are undecided: where takes both its choices there.

    What else is made of it, such as its truth, is refused, unless what is known decides it.
    """

    __slots__ = ()
    __hash__ = None

    def _derive(self, certain: Truths, possible: Truths) -> Truths | Undecided:
        return joined(Truth.of(certain, possible, self._name))

    def _refuse(self) -> NoReturn:
        _refuse()

    def __bool__(self) -> bool:
        _refuse()

    __len__ = __index__ = __int__ = __float__ = __bool__

    def any(self, *args: Any, **keywords: Any) -> Truths:
        """Return whether one holds."""
        return _plain(super().any(*args, **keywords))

    def all(self, *args: Any, **keywords: Any) -> Truths:
        """Return whether all hold."""
        return _plain(super().all(*args, **keywords))

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...],
        keywords: dict[str, object],
    ) -> object:
        known = _FUNCTIONS.get(function)
        return _refuse() if known is None or keywords else known(*args)


def joined(truth: Truth) -> Truths | Undecided:
    """Return plain bools where all are decided."""
    if truth.is_undecided.any():
        return Undecided.of(truth._certain, truth._possible, truth._name)
    return truth.is_true


def _plain(truths: Truth | Truths) -> Truths:
    return _refuse() if isinstance(truths, Truth) else truths


def _sides(x: object) -> tuple[Truths, Truths]:
    """Return where truths hold, and where they fail."""
    sides = sides_of(x)
    return _refuse() if sides is None else (sides[0], ~sides[1])


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


# ---------------------------------------------------------------- masks as indices


class Selected(NDArrayOperatorsMixin):
    """What a mask selects of intervals: those where it holds, and those where it may.

    They stay at their places among all, so that others of the same mask can be joined to them, and
    the mask can put them back.
    """

    __slots__ = ("mask", "whole")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, mask: Undecided, whole: Interval) -> None:
        self.mask, self.whole = mask, whole

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        _refuse_length()

    def __len__(self) -> int:
        _refuse_length()

    __iter__ = __getitem__ = __bool__ = __float__ = __len__

    def sum(self) -> object:
        """Of those where the mask holds, with and without those where it may."""
        return registry.FUNCTIONS[np.sum](_where(self.mask, self.whole, 0))

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> object:
        out: Any = keywords.pop("out", None)
        if method != "__call__" or keywords:
            _refuse_length()
        found = ufunc(*(_at_places(x, self.mask) for x in inputs))
        if not isinstance(found, Interval):
            _refuse_length()
        if out is None:
            return Selected(self.mask, found)
        if out[0] is not self:
            _refuse_length()
        self.whole = found
        return self

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...],
        keywords: dict[str, object],
    ) -> object:
        is_sum = function is np.sum and len(args) == 1 and not keywords
        return self.sum() if is_sum else _refuse_length()


def _refuse_length() -> NoReturn:
    raise Unproven("an array whose length is that of a mask which the intervals do not decide")


def _at_places(x: object, mask: Undecided) -> object:
    """An operand beside what the mask has selected."""
    if isinstance(x, Selected):
        is_same = x.mask is mask or (
            np.array_equal(x.mask.is_true, mask.is_true)
            and np.array_equal(x.mask.is_false, mask.is_false)
        )
        return x.whole if is_same else _refuse_length()
    return _refuse_length() if getattr(x, "shape", ()) or isinstance(x, Sequence) else x


def _select_by(x: Interval, mask: Undecided) -> Selected:
    return Selected(mask, x.copy()) if mask.shape == x.shape else _refuse()


def _put_by(x: Interval, mask: Undecided, value: object) -> None:
    """One or the other where the mask is undecided."""
    if mask.shape != x.shape:
        _refuse()
    x[...] = _where(mask, _at_places(value, mask), x)


registry.INDEXED[Undecided] = _select_by, _put_by


#: By NumPy's function.
_FUNCTIONS: dict[Callable[..., object], Callable[..., object]] = {
    np.where: _where,
    np.select: _select,
    np.any: Undecided.any,
    np.all: Undecided.all,
}
