"""Truths of comparisons that intervals leave undecided for some elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NoReturn

import numpy as np

from halfcl._support.duck_arrays.base import NO_KEYWORDS, Args, DuckArray, Function, Keywords
from halfcl._support.duck_arrays.structural import STRUCTURAL, join, leaves
from halfcl.interval import Interval, Truth
from halfcl.interval._arrays import registry
from halfcl.interval._arrays.truth import Sides, sides_of
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import Truths
from halfcl.stability._sites import CodeLocation, Located


class Unproven(Exception):
    """The reason why a run on intervals gives no enclosure."""


def _refuse() -> NoReturn:
    raise Unproven("the intervals do not decide a comparison")


@dataclass(frozen=True)
class UndecidedComparison(Located):
    """A comparison that intervals leave undecided for some elements.

    Attributes
    ----------
    location : CodeLocation
        Where: ``.location.file``, ``.location.line``, ``.location.source``.
    elements, of : int
        How many elements are undecided, out of how many; the totals if the comparison runs more
        than once.
    """

    location: CodeLocation
    elements: int
    of: int

    def __str__(self) -> str:
        return f"{self.elements} of {self.of} comparisons are undecided at {self.location}"


class Undecided(Truth):
    """Truths of which some are undecided; `np.where` encloses both choices for these.

    Other uses, such as `bool`, raise `Unproven`, unless the decided elements determine the result.
    """

    __slots__ = ()
    __hash__ = None

    def _derive(self, certain: Truths, possible: Truths) -> Truths | Undecided:
        return plain_if_decided(Truth.of(certain, possible, self._name))

    def _refuse(self) -> NoReturn:
        _refuse()

    def __bool__(self) -> bool:
        _refuse()

    __len__ = __index__ = __int__ = __float__ = __bool__

    def any(self, *args: Any, **keywords: Any) -> Truths:
        """Return whether any element is true."""
        return _plain(super().any(*args, **keywords))

    def all(self, *args: Any, **keywords: Any) -> Truths:
        """Return whether all elements are true."""
        return _plain(super().all(*args, **keywords))

    def __array_function__(
        self,
        function: Callable[..., object],
        types: Iterable[type],
        args: tuple[object, ...],
        keywords: dict[str, object],
    ) -> object:
        is_condition = any(isinstance(x, Truth) for x in leaves(args[:1]))
        if function in _FUNCTIONS and is_condition and not keywords:
            return _FUNCTIONS[function](*args)
        if function not in STRUCTURAL:
            _refuse()
        call = STRUCTURAL[function].bind(args, keywords)
        writes = call.function.target or call.out is not None
        if writes or call.get("dtype") is not None or call.describe_computation():
            _refuse()
        sides = call.run(lambda x: _sides(x)[0]), call.run(lambda x: _sides(x)[1])
        return join(sides, lambda pair: self._derive(*pair))


def _sides(x: object) -> Sides:
    """Return masks of where truths are certain, and where possible."""
    return sides_of(x) or _refuse()


def plain_if_decided(truth: Truth) -> Truths | Undecided:
    """Return plain bools if all elements are decided, else `Undecided`."""
    if truth.is_undecided.any():
        return Undecided.of(truth._certain, truth._possible, truth._name)
    return truth.is_true


def _plain(truths: Truth | Truths) -> Truths:
    return _refuse() if isinstance(truths, Truth) else truths


def _known_sides(x: object) -> Sides:
    """Return where truths are certainly true, and where they are certainly false."""
    certain, possible = _sides(x)
    return certain, ~possible


def _where(condition: object, x: object, y: object) -> object:
    """Return one choice where the condition is decided, else the hull of both."""
    holds, fails = _known_sides(condition)
    known = registry.FUNCTIONS[np.where](
        holds, Interval.of(as_bounds(x)), Interval.of(as_bounds(y))
    )
    (a, b), (c, d) = as_bounds(x), as_bounds(y)
    # Bounds of empty intervals are NaN, which fmin and fmax ignore.
    both = Interval.of((np.fmin(a, c), np.fmax(b, d)))
    return registry.FUNCTIONS[np.where](holds | fails, known, both)


def _select(conditions: Sequence[object], choices: Sequence[object], default: object = 0) -> object:
    pairs = list(zip(conditions, choices, strict=True))
    result = default
    for condition, choice in reversed(pairs):
        result = _where(condition, choice, result)
    return result


# ---------------------------------------------------------------- masks as indices


class MaskedSelection(DuckArray):
    """The elements of intervals that an undecided mask selects, or may select.

    All elements are kept, so that selections by the same mask can be combined, and the mask can
    assign them back.
    """

    __slots__ = ("mask", "whole")

    def __init__(self, mask: Undecided, whole: Interval) -> None:
        self.mask, self.whole = mask, whole

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        _refuse_length()

    def __len__(self) -> int:
        _refuse_length()

    __iter__ = __getitem__ = __bool__ = __float__ = __len__  # type: ignore[assignment]

    def copy(self) -> MaskedSelection:
        """Return a copy."""
        return MaskedSelection(self.mask, self.whole.copy())

    def sum(self) -> object:
        """Return the sum of the selected elements, with and without the undecided ones."""
        return registry.FUNCTIONS[np.sum](_where(self.mask, self.whole, 0))

    def _move(self, method: str, args: Args = (), keywords: Keywords = NO_KEYWORDS) -> NoReturn:
        _refuse_length()

    def _call_ufunc(
        self, ufunc: np.ufunc, method: str, inputs: Args, keywords: Keywords, outs: Args
    ) -> object:
        if method != "__call__" or keywords:
            _refuse_length()
        result = ufunc(*(_align(x, self.mask) for x in inputs))
        if not isinstance(result, Interval):
            _refuse_length()
        if not outs:
            return MaskedSelection(self.mask, result)
        if outs[0] is not self:
            _refuse_length()
        self.whole = result
        return self

    def _call_function(self, function: Function, args: Args, keywords: Keywords) -> object:
        is_sum = function is np.sum and len(args) == 1 and not keywords
        return self.sum() if is_sum else _refuse_length()


def _refuse_length() -> NoReturn:
    raise Unproven("the intervals do not decide a mask, and so the length of an array")


def _align(x: object, mask: Undecided) -> object:
    """Return an operand's intervals for an operation on what the mask has selected."""
    if isinstance(x, MaskedSelection):
        is_same = x.mask is mask or (
            np.array_equal(x.mask.is_true, mask.is_true)
            and np.array_equal(x.mask.is_false, mask.is_false)
        )
        return x.whole if is_same else _refuse_length()
    return _refuse_length() if getattr(x, "shape", ()) or isinstance(x, Sequence) else x


def _select_by_mask(x: Interval, mask: Undecided) -> MaskedSelection:
    return MaskedSelection(mask, x.copy()) if mask.shape == x.shape else _refuse()


def _assign_by_mask(x: Interval, mask: Undecided, value: object) -> None:
    """Assign values where the mask is true; where it is undecided, enclose old and new."""
    if mask.shape != x.shape:
        _refuse()
    x[...] = _where(mask, _align(value, mask), x)


registry.INDEXED[Undecided] = _select_by_mask, _assign_by_mask


#: Implementations for NumPy's functions whose first argument is, or has, a Truth.
_FUNCTIONS: dict[Callable[..., object], Callable[..., object]] = {
    np.where: _where,
    np.select: _select,
    np.any: Undecided.any,
    np.all: Undecided.all,
    np.shape: attrgetter("shape"),
    np.ndim: attrgetter("ndim"),
}
