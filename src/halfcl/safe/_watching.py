"""Bookkeeping of tracked computations: which code computes, and which halves it may have missed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TypeAlias, TypeGuard, overload

import numpy as np

import halfcl as hc
from halfcl._core import forget_kernels_since, kernels_run
from halfcl.interval._bounds.pairs import HALF, Halves
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.safe._enclosures import unknown_to_entire
from halfcl.stability._sites import describe, find_site

if TYPE_CHECKING:
    from typing import Self

#: A thread, and the number of kernels that had computed halves in it; None if unknown.
Mark: TypeAlias = tuple[int, int] | None


class UntrackedError(TypeError):
    """Raised when a computation cannot be tracked with enclosures."""


def refuse(reason: str, name: str = "") -> NoReturn:
    """Raise UntrackedError with the line of the program that computes."""
    place = describe(find_site(sys._getframe(1), refuse.__code__), name)
    raise UntrackedError(f"safe: cannot track {place}: {reason}") from None


@contextmanager
def uncounted_kernels() -> Iterator[None]:
    """Exclude kernels of tracked computations from the count of kernels."""
    count = kernels_run()
    try:
        yield
    finally:
        forget_kernels_since(count)


def mark() -> Mark:
    """Return the current mark: the thread, and the number of kernels counted in it."""
    return threading.get_ident(), kernels_run()


def earlier_mark(one: Mark, other: Mark) -> Mark:
    """Return the earlier of two marks; None if they are of two threads."""
    if one is None or other is None or one[0] != other[0]:
        return one if one == other else None
    return min(one, other)


def is_half(x: object) -> TypeGuard[Halves]:
    """Return whether an object is an array or scalar of half or float16."""
    if isinstance(x, np.ndarray):
        return x.dtype.type in (hc.half, np.float16)
    return isinstance(x, np.float16)


@overload
def as_half(x: Halves) -> Halves: ...
@overload
def as_half(x: object) -> object: ...
def as_half(x: object) -> object:
    """Return float16 as half, and other objects as they are."""
    if isinstance(x, np.float16) and not isinstance(x, hc.half):
        return hc.half(x)
    if isinstance(x, np.ndarray) and x.dtype.type is np.float16:
        return (x if x.dtype.isnative else x.astype(np.float16)).view(HALF)
    return x


class Base:
    """The base of `Tracked` that lower modules know."""

    __slots__ = ("__weakref__", "_enclosure", "_mark", "_value")

    _value: Halves
    _enclosure: DoubleInterval
    _mark: Mark

    @classmethod
    def of(cls, value: Halves, enclosure: DoubleInterval, since: Mark) -> Self:
        """Return a tracked half; internal.

        since: the mark after which no other half may be computed.
        """
        if enclosure.shape != np.shape(value):
            refuse(f"its shape is {np.shape(value)}, its enclosure's {enclosure.shape}")
        new = cls.__new__(cls)
        new._value, new._mark = value, since
        new._enclosure = unknown_to_entire(enclosure, value)
        return new

    def _merge_marks(self, operands: Iterable[object]) -> Mark:
        """Return the mark of a result; refuse if other operands may be untracked."""
        operands, since = list(operands), self._mark
        for x in operands:
            if isinstance(x, Base):
                since = earlier_mark(since, x._mark)
        if since != mark() and any(is_half(x) for x in operands):
            refuse(
                "halves that are not tracked may have been computed meanwhile; pass them as "
                "arguments, or use safe.track(x) to consider x exact"
            )
        return since
