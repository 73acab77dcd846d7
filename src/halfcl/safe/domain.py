"""The functions whose domains are kept, and what is kept: a table, and the rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl import interval
from halfcl.interval import Interval
from halfcl.interval.bounds import HALF, INF, ONE, TINY, ZERO, select
from halfcl.typing import RoundingMode

_BEFORE_ONE = hc.nextdown(ONE)


@dataclass(frozen=True)
class Domain:
    """A function and where it is defined.

    ``least`` and ``greatest`` are the first and last halves of the domain: beside an open end the
    half next to it. ``inward`` is the direction that keeps arguments inside.
    """

    name: str
    text: str
    least: Any
    greatest: Any
    inward: RoundingMode
    numpy: str
    example: str
    shown: str

    @property
    def function(self) -> hc.Function:
        """The function of halves."""
        found: hc.Function = getattr(hc, self.name)
        return found

    @property
    def enclosure(self) -> Callable[[Interval], Interval]:
        """The function of intervals."""
        found: Callable[[Interval], Interval] = getattr(interval, self.name)
        return found

    def outside(self, x: Any) -> NDArray[np.bool_]:
        """Which halves are not in the domain; NaN is neither in it nor outside."""
        x = np.asarray(x)
        below = np.asarray(np.less(x, self.least))
        return below if self.greatest == INF else below | np.greater(x, self.greatest)


_ROWS = (
    Domain("sqrt", "[0, inf]", ZERO, INF, "rtp", "sqrt", "b * b - a * c", ""),
    Domain("rsqrt", "(0, inf]", TINY, INF, "rtp", "", "b * b - a * c", ""),
    Domain("log", "(0, inf]", TINY, INF, "rtp", "log", "b * b - a * c", ""),
    Domain("log2", "(0, inf]", TINY, INF, "rtp", "log2", "b * b - a * c", ""),
    Domain("log10", "(0, inf]", TINY, INF, "rtp", "log10", "b * b - a * c", ""),
    Domain("log1p", "(-1, inf]", -_BEFORE_ONE, INF, "rtp", "log1p", "b * b - a * c", ""),
    Domain("acosh", "[1, inf]", ONE, INF, "rtp", "arccosh", "a * b", ""),
    Domain("asin", "[-1, 1]", -ONE, ONE, "rtz", "arcsin", "a * b", ""),
    Domain("acos", "[-1, 1]", -ONE, ONE, "rtz", "arccos", "a * b", ""),
    Domain("asinpi", "[-1, 1]", -ONE, ONE, "rtz", "", "a * b", ""),
    Domain("acospi", "[-1, 1]", -ONE, ONE, "rtz", "", "a * b", ""),
    Domain("atanh", "(-1, 1)", -_BEFORE_ONE, _BEFORE_ONE, "rtz", "arctanh", "a * b", ""),
)

#: By the names in halfcl.
DOMAINS: dict[str, Domain] = {row.name: row for row in _ROWS}
#: By the names of halfcl's and NumPy's ufuncs, without their rounding mode.
BY_UFUNC: dict[str, Domain] = DOMAINS | {row.numpy: row for row in _ROWS if row.numpy}


class Counts(NamedTuple):
    """How many elements a call has, and what became of those outside the domain."""

    elements: int = 0
    saved: int = 0
    proved: int = 0
    outside: int = 0


def keep(
    domain: Domain, x: Any, enclosure: Interval, redirect: Callable[[], Any] | None = None
) -> tuple[Any, Counts]:
    """The arguments, of which those moved out of the domain by rounding are put back.

    Parameters
    ----------
    x : half array or scalar
        The computed arguments, of which some are outside.
    enclosure : Interval of x's shape
        What encloses the exact ones.
    redirect : callable, optional
        What computes them again, rounded inward; called if there is anything to put back.

    Returns
    -------
    arguments : like x
        Those outside whose enclosure meets the domain are now inside both: what redirect gave
        where that is there, else the half next to x that is. Others are as they were.
    Counts
    """
    given = np.asarray(x, HALF)
    outside = domain.outside(given)
    # The part of the enclosure that is inside. What an enclosure has of an open end, it has
    # up to the next half: it was rounded outward.
    low = select(np.greater(enclosure._lo, domain.least), enclosure._lo, domain.least)
    high = select(np.less(enclosure._hi, domain.greatest), enclosure._hi, domain.greatest)
    saved = outside & np.less_equal(low, high) & ~interval.is_empty(enclosure)
    inside = np.greater_equal(enclosure._lo, domain.least)
    inside &= np.less_equal(enclosure._hi, domain.greatest)
    counts = Counts(
        given.size, *(int(np.count_nonzero(m)) for m in (saved, saved & inside, outside & ~saved))
    )
    if not counts.saved:
        return x, counts
    nearest = select(np.less(given, low), low, select(np.greater(given, high), high, given))
    other = None if redirect is None else np.asarray(redirect())
    if other is not None and other.dtype == HALF and other.shape == given.shape:
        fits = np.greater_equal(other, low) & np.less_equal(other, high) & np.isfinite(other)
        nearest = select(fits, other, nearest)
    return like(x, select(saved, nearest, given)), counts


def like(x: Any, values: NDArray[Any]) -> Any:
    """Values in the shape of x as what x is: a scalar, an array, vectors."""
    values = values.reshape(np.shape(x))
    return values.view(type(x)) if isinstance(x, np.ndarray) else values[()]
