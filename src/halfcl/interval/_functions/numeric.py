"""Numeric properties of intervals: bounds, midpoint, radius, width, magnitudes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import halfcl as hc
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import Bounds, Halves, fill_like, select
from halfcl.interval._decorated.propagation import wrap_number_function

_LARGEST = 65504.0


def _bounds(x: object) -> Bounds:
    low, high = as_bounds(x, "x")
    return np.asarray(low), np.asarray(high)


def inf(x: object) -> Halves:
    """Return the lower bounds; -0 for zero, inf for the empty set.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, inf
    >>> inf(Interval(0, 2))
    half(-0.0)
    """
    return Interval.of(_bounds(x)).inf


def sup(x: object) -> Halves:
    """Return the upper bounds; +0 for zero, -inf for the empty set.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, sup
    >>> sup(Interval(0, 2))
    half(2.0)
    """
    return Interval.of(_bounds(x)).sup


def mid(x: object) -> Halves:
    """Return the midpoint, rounded to nearest even; +0 for zero, NaN for the empty set.

    If one bound is infinite, it is the largest finite half on that side; 0 for entire.

    Accuracy: correctly rounded.

    >>> import numpy as np
    >>> from halfcl.interval import Interval, mid
    >>> mid(Interval([1, 0, -np.inf], [2, np.inf, np.inf]))
    array([1.50e+00, 6.55e+04, 0.00e+00], dtype=half)
    """
    low, high = _bounds(x)
    with np.errstate(all="ignore"):
        middle = (hc.convert_double(low) + hc.convert_double(high)) / 2
        result = np.asarray(hc.convert_half_rte(middle))
    result = select(np.equal(result, 0), fill_like(0, low), result)
    result = select(np.equal(low, -np.inf), fill_like(-_LARGEST, low), result)
    result = select(np.equal(high, np.inf), fill_like(_LARGEST, low), result)
    unbounded = np.equal(low, -np.inf) & np.equal(high, np.inf)
    return select(unbounded, fill_like(0, low), result)[()]


def rad(x: object) -> Halves:
    """Return the least r with x inside [m - r, m + r], where m is `mid`; NaN for the empty set.

    Accuracy: rounded up, once.

    >>> import numpy as np
    >>> from halfcl.interval import Interval, rad
    >>> rad(Interval([1, 0], [2, np.inf]))
    array([0.5, inf], dtype=half)
    """
    low, high = _bounds(x)
    middle = mid(x)
    with np.errstate(all="ignore"):
        result: Halves = hc.fabs(
            np.maximum(hc.subtract_rtp(middle, low), hc.subtract_rtp(high, middle))
        )
    return result


def wid(x: object) -> Halves:
    """Return the width, the upper minus the lower bound; NaN for the empty set.

    Accuracy: rounded up, once.

    >>> import numpy as np
    >>> from halfcl.interval import Interval, wid
    >>> wid(Interval([1, 0], [2, np.inf]))
    array([ 1., inf], dtype=half)
    """
    low, high = _bounds(x)
    with np.errstate(all="ignore"):
        result: Halves = hc.fabs(hc.subtract_rtp(high, low))
    return result


def mag(x: object) -> Halves:
    """Return the greatest absolute value; NaN for the empty set.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, mag
    >>> mag(Interval(-3, 2))
    half(3.0)
    """
    low, high = _bounds(x)
    return np.maximum(hc.fabs(low), hc.fabs(high))


def mig(x: object) -> Halves:
    """Return the least absolute value; NaN for the empty set.

    Accuracy: exact.

    >>> from halfcl.interval import Interval, mig
    >>> mig(Interval([-3, 2], [2, 4]))
    array([0., 2.], dtype=half)
    """
    low, high = _bounds(x)
    return hc.fabs(np.maximum(np.maximum(low, hc.negative(high)), hc.half(0)))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: wrap_number_function(function)
    for function in (inf, sup, mid, rad, wid, mag, mig)
}
