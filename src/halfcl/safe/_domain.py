"""The functions with domains: a table, and the rule that puts arguments back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl import _tables as tables
from halfcl._core import DefaultEnvironment
from halfcl._tables import row as row_types
from halfcl.interval._bounds.pairs import HALF, INF, Bounds, Halves, select
from halfcl.interval._formulas.doubles import DoubleInterval, interval_of
from halfcl.typing import RoundingMode


@dataclass(frozen=True)
class Domain:
    """A function and its domain.

    ``least`` and ``greatest`` are the first and last halves of the domain. ``inward`` is the
    direction of rounding that keeps arguments inside. ``example`` is a session whose argument is
    rounded out of the domain.
    """

    name: str
    interval: row_types.Domain
    least: hc.half
    greatest: hc.half
    inward: RoundingMode
    numpy: str
    example: str

    @property
    def text(self) -> str:
        """The domain in mathematical notation."""
        return str(self.interval)

    @property
    def function(self) -> hc.Function:
        """The function of halves."""
        function: hc.Function = getattr(hc, self.name)
        return function

    def is_outside(self, x: Halves) -> NDArray[np.bool_]:
        """Return which halves are outside the domain; NaN counts as neither inside nor outside."""
        below = np.asarray(np.less(x, self.least))
        return below if self.interval.high == math.inf else below | np.greater(x, self.greatest)

    def meets(self, x: DoubleInterval) -> NDArray[np.bool_]:
        """Return which enclosures contain numbers of the domain."""
        low, high = self.interval.low, self.interval.high
        if self.interval.is_closed:
            return (x.hi >= low) & (x.lo <= high)
        return (x.hi > low) & (x.lo < high)

    def contains(self, x: DoubleInterval) -> NDArray[np.bool_]:
        """Return which enclosures are inside the domain."""
        low, high = self.interval.low, self.interval.high
        if self.interval.is_closed:
            return (x.lo >= low) & (x.hi <= high)
        return (x.lo > low) & (x.hi < high)

    def half_bounds(self, x: DoubleInterval) -> Bounds:
        """Return the least and the greatest half of the domain in enclosures that meet it.

        For an enclosure without halves these are the two halves around it, if they are inside.
        """
        halves = interval_of(x)
        low = select(np.greater(halves._lo, self.least), halves._lo, self.least)
        high = select(np.less(halves._hi, self.greatest), halves._hi, self.greatest)
        return low, high


def _row(name: str, example: str, shown: str) -> Domain:
    row = tables.ROWS[name]
    low, high = hc.half(row.domain.low), hc.half(row.domain.high)
    if not row.domain.is_closed:
        low, high = hc.nextup(low), high if high == INF else hc.nextdown(high)
    return Domain(
        name, row.domain, low, high, "rtp" if high == INF else "rtz",
        row.numpy[0] if row.numpy else "", f"{example.format(name=name)}\nhalf({shown})",
    )  # fmt: skip


_QUATERNION = """>>> x, y, z = half(0.35), half(0.9), half(0.26)
>>> 1 - x * x - y * y - z * z                   # exactly 2.3e-06
half(-0.0002441)
>>> safe.{name}(lambda: 1 - x * x - y * y - z * z)"""
_RATIO = """>>> a, b = half(0.72), half(0.73)
>>> 2 * a * b / (a * a + b * b)                 # exactly 0.99991
half(1.001)
>>> safe.{name}(lambda: 2 * a * b / (a * a + b * b))"""
_INVERSE_RATIO = """>>> a, b = half(0.72), half(0.73)
>>> (a * a + b * b) / (2 * a * b)               # exactly 1.00009
half(0.999)
>>> safe.{name}(lambda: (a * a + b * b) / (2 * a * b))"""
_MINUS_ONE = """>>> a, b, c = half(0.1), half(3), half(1.3)
>>> a * b - c                                   # exactly -0.99988
half(-1.0)
>>> safe.{name}(lambda: a * b - c)"""

#: All domains.
ROWS = (
    _row("sqrt", _QUATERNION, "0.001525"),
    _row("rsqrt", _QUATERNION, "656.0"),
    _row("log", _QUATERNION, "-12.97"),
    _row("log2", _QUATERNION, "-18.72"),
    _row("log10", _QUATERNION, "-5.633"),
    _row("log1p", _MINUS_ONE, "-7.625"),
    _row("acosh", _INVERSE_RATIO, "0.0442"),
    _row("asin", _RATIO, "1.57"),
    _row("acos", _RATIO, "0.0"),
    _row("asinpi", _RATIO, "0.5"),
    _row("acospi", _RATIO, "0.0"),
    _row("atanh", _RATIO, "4.16"),
)

#: Domains by the names of functions in halfcl.
DOMAINS: dict[str, Domain] = {row.name: row for row in ROWS}
#: Domains by the names of halfcl's and NumPy's ufuncs, without rounding modes.
BY_UFUNC: dict[str, Domain] = DOMAINS | {row.numpy: row for row in ROWS if row.numpy}


class Counts(NamedTuple):
    """Counts of a call: all elements, those outside the domain, and those wrongly inside."""

    elements: int = 0
    saved: int = 0
    proved: int = 0
    outside: int = 0
    strayed: int = 0


def keep(
    domain: Domain,
    x: Halves,
    enclosure: DoubleInterval,
    redirect: Callable[[], object] | None = None,
) -> tuple[Halves, Counts]:
    """Put arguments that rounding moved out of a domain back into it.

    Arguments outside whose enclosure meets the domain are then inside both: the result of redirect,
    which computes them again, rounded inward, if that is inside, else the half next to x that is.
    """
    values = np.asarray(x, HALF)
    outside = domain.is_outside(values)
    with DefaultEnvironment():
        meets, contains = domain.meets(enclosure), domain.contains(enclosure)
    saved, proved = outside & meets, outside & meets & contains
    strayed = ~outside & ~np.isnan(values) & ~meets & ~enclosure.is_empty
    masks = saved, proved, outside & ~saved, strayed
    counts = Counts(values.size, *(int(np.count_nonzero(mask)) for mask in masks))
    if not counts.saved:
        return x, counts
    low, high = domain.half_bounds(enclosure)
    nearest = select(np.less(values, low), low, select(np.greater(values, high), high, values))
    other = None if redirect is None else np.asarray(redirect())
    if other is not None and other.dtype == HALF and other.shape == values.shape:
        fits = np.greater_equal(other, low) & np.less_equal(other, high) & np.isfinite(other)
        nearest = select(fits, other, nearest)
    return like(x, select(saved, nearest, values)), counts


def like(x: Halves, values: NDArray[Any]) -> Halves:
    """Return values with the shape and type of x: a scalar, an array, or vectors."""
    values = values.reshape(np.shape(x))
    return values.view(type(x)) if isinstance(x, np.ndarray) else values[()]
