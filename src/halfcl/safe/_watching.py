"""What watches a computation: who it is that computes, and what computed in half beside it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, TypeAlias, TypeGuard, overload

import numpy as np

import halfcl as hc
from halfcl._core import forget_kernels_since, kernels_run
from halfcl.interval._bounds import HALF, Halves
from halfcl.safe._enclosures import unknown_to_entire
from halfcl.safe._wide import Wide
from halfcl.stability._sites import describe, find_site

if TYPE_CHECKING:
    from typing import Self

#: A thread, and how many kernels had given halves in it; None: it cannot be told any more.
Mark: TypeAlias = tuple[int, int] | None


class NotFollowed(TypeError):
    """What is raised where a computation cannot be followed by enclosures."""


def refuse(reason: str, name: str = "") -> NoReturn:
    """Raise NotFollowed with the line of the program that computes."""
    place = describe(find_site(sys._getframe(1), refuse.__code__), name)
    raise NotFollowed(f"safe: cannot follow {place}: {reason}") from None


@contextmanager
def aside() -> Iterator[None]:
    """Computing that is followed: its kernels are not counted."""
    count = kernels_run()
    try:
        yield
    finally:
        forget_kernels_since(count)


def mark() -> Mark:
    """Now, as told by the kernels that were run outside of what is followed."""
    return threading.get_ident(), kernels_run()


def older(one: Mark, other: Mark) -> Mark:
    """The earlier of two; None if they are of two threads."""
    if one is None or other is None or one[0] != other[0]:
        return one if one == other else None
    return min(one, other)


def is_half(x: object) -> TypeGuard[Halves]:
    """Whether it is an array or scalar of half, or of float16."""
    if isinstance(x, np.ndarray):
        return x.dtype.type in (hc.half, np.float16)
    return isinstance(x, np.float16)


@overload
def as_half(x: Halves) -> Halves: ...
@overload
def as_half(x: object) -> object: ...
def as_half(x: object) -> object:
    """float16 as half; others as they are."""
    if isinstance(x, np.float16) and not isinstance(x, hc.half):
        return hc.half(x)
    if isinstance(x, np.ndarray) and x.dtype.type is np.float16:
        return (x if x.dtype.isnative else x.astype(np.float16)).view(HALF)
    return x


class Base:
    """What a `Tracked` is to the modules below it."""

    __slots__ = ("__weakref__", "_mark", "_value", "_wide")

    _value: Halves
    _wide: Wide
    _mark: Mark

    @classmethod
    def of(cls, value: Halves, enclosure: Wide, since: Mark) -> Self:
        """For this package: since when no half may be computed beside."""
        if enclosure.shape != np.shape(value):
            refuse(f"its shape is {np.shape(value)}, its enclosure's {enclosure.shape}")
        new = cls.__new__(cls)
        new._value, new._mark = value, since
        new._wide = unknown_to_entire(enclosure, value)
        return new

    def _join(self, operands: Iterable[object]) -> Mark:
        """Since when a result is followed; refused where it is not, beside such operands."""
        operands, since = list(operands), self._mark
        for x in operands:
            if isinstance(x, Base):
                since = older(since, x._mark)
        if since != mark() and any(is_half(x) for x in operands):
            refuse(
                "halves that are not tracked may have been computed beside it; hand them over "
                "as arguments, or safe.track(x) takes x for exact"
            )
        return since
