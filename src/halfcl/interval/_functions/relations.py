"""IEEE 1788's relations among intervals, intersection and hull, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.values import as_bounds, enclose, parse_numbers
from halfcl.interval._bounds.pairs import (
    Array,
    Base,
    Bounds,
    Truths,
    is_empty as _empty,
    make_empty,
)
from halfcl.interval._decorated.propagation import wrap_membership, wrap_operation, wrap_relation


def _pair(x: object, y: object) -> tuple[Bounds, Bounds]:
    return as_bounds(x, "x"), as_bounds(y, "y")


def _both_empty(x: Bounds, y: Bounds) -> Truths:
    return _empty(x) & _empty(y)


def _any_empty(x: Bounds, y: Bounds) -> Truths:
    return _empty(x) | _empty(y)


def _below(x: Array, y: Array) -> Truths:
    """Return where x < y for bounds, or both are the same infinity."""
    return np.less(x, y) | (np.equal(x, y) & np.isinf(x))


def is_empty(x: object) -> Truths:
    """Return where an interval has no numbers.

    >>> from halfcl.interval import Interval, is_empty
    >>> is_empty(Interval(["[empty]", "[1, 2]"]))
    array([ True, False])
    """
    return _empty(as_bounds(x, "x"))


def is_entire(x: object) -> Truths:
    """Return where an interval has all real numbers.

    >>> import numpy as np
    >>> from halfcl.interval import Interval, is_entire
    >>> is_entire(Interval([1, -np.inf], [2, np.inf]))
    array([False,  True])
    """
    low, high = as_bounds(x, "x")
    return np.equal(low, -np.inf) & np.equal(high, np.inf)


def is_singleton(x: object) -> Truths:
    """Return where an interval has exactly one number.

    >>> from halfcl.interval import Interval, is_singleton
    >>> is_singleton(Interval([1, 1], [1, 2]))
    array([ True, False])
    """
    return np.equal(*as_bounds(x, "x"))


def is_common(x: object) -> Truths:
    """Return where an interval is bounded and not empty.

    >>> import numpy as np
    >>> from halfcl.interval import Interval, is_common
    >>> is_common(Interval([1, 1], [2, np.inf]))
    array([ True, False])
    """
    low, high = as_bounds(x, "x")
    return np.isfinite(low) & np.isfinite(high)


def is_member(m: object, x: object) -> Truths:
    """Return where the number m, of any kind, is in x; infinities and NaN never are.

    >>> from fractions import Fraction
    >>> from halfcl.interval import Interval, is_member
    >>> is_member([1, 2.5, Fraction(1, 3)], Interval(1, 2))
    array([ True, False, False])
    """
    if isinstance(m, Base):
        raise TypeError("m: expected numbers, got Interval; use interval.subset for intervals")
    low, high = as_bounds(x, "x")
    values = parse_numbers(m)
    array = np.asarray(values)
    if array.dtype.kind != "f":
        least, most = enclose(values, "m")
    else:
        with np.errstate(all="ignore"):  # NaN is in no interval
            least = hc.convert(array, hc.half, rounding="rtn")
            most = hc.convert(array, hc.half, rounding="rtp")
    real = np.isfinite(least) | np.isfinite(most)
    return real & np.less_equal(low, least) & np.less_equal(most, high)


def equal(x: object, y: object) -> Truths:
    """Return where x and y have the same numbers, as sets.

    >>> from halfcl.interval import Interval, equal
    >>> equal(Interval(1, 2), Interval([1, 1], [2, 3]))
    array([ True, False])
    """
    x, y = _pair(x, y)
    return (np.equal(x[0], y[0]) & np.equal(x[1], y[1])) | _both_empty(x, y)


def not_equal(x: object, y: object) -> Truths:
    """Return where x and y do not have the same numbers, as sets.

    >>> from halfcl.interval import Interval, not_equal
    >>> not_equal(Interval(1, 2), Interval([1, 1], [2, 3]))
    array([False,  True])
    """
    return np.logical_not(equal(x, y))


def subset(x: object, y: object) -> Truths:
    """Return where all numbers of x are in y.

    >>> from halfcl.interval import Interval, subset
    >>> subset(Interval(1, 2), Interval([1, 1.5], [3, 3]))
    array([ True, False])
    """
    x, y = _pair(x, y)
    return _empty(x) | (np.greater_equal(x[0], y[0]) & np.less_equal(x[1], y[1]))


def interior(x: object, y: object) -> Truths:
    """Return where x is inside y without touching its finite bounds.

    >>> from halfcl.interval import Interval, interior
    >>> interior(Interval(1, 2), Interval([1, 0], [3, 3]))
    array([False,  True])
    """
    x, y = _pair(x, y)
    return _empty(x) | (_below(y[0], x[0]) & _below(x[1], y[1]))


def disjoint(x: object, y: object) -> Truths:
    """Return where x and y have no number in common.

    >>> from halfcl.interval import Interval, disjoint
    >>> disjoint(Interval(1, 2), Interval([2, 3], [3, 4]))
    array([False,  True])
    """
    x, y = _pair(x, y)
    return _any_empty(x, y) | np.less(x[1], y[0]) | np.less(y[1], x[0])


def less(x: object, y: object) -> Truths:
    """Return where neither bound of x is greater than y's.

    >>> from halfcl.interval import Interval, less
    >>> less(Interval(1, 4), Interval([1, 2], [4, 3]))
    array([ True, False])
    """
    x, y = _pair(x, y)
    return _both_empty(x, y) | (np.less_equal(x[0], y[0]) & np.less_equal(x[1], y[1]))


def strict_less(x: object, y: object) -> Truths:
    """Return where both bounds of x are less than y's, or both are the same infinity.

    >>> from halfcl.interval import Interval, strict_less
    >>> strict_less(Interval(1, 4), Interval([1, 2], [5, 5]))
    array([False,  True])
    """
    x, y = _pair(x, y)
    return _both_empty(x, y) | (_below(x[0], y[0]) & _below(x[1], y[1]))


def precedes(x: object, y: object) -> Truths:
    """Return where no number of x is greater than any of y.

    >>> from halfcl.interval import Interval, precedes
    >>> precedes(Interval(1, 2), Interval([2, 1], [3, 3]))
    array([ True, False])
    """
    x, y = _pair(x, y)
    return _any_empty(x, y) | np.less_equal(x[1], y[0])


def strict_precedes(x: object, y: object) -> Truths:
    """Return where each number of x is less than any of y.

    >>> from halfcl.interval import Interval, strict_precedes
    >>> strict_precedes(Interval(1, 2), Interval([2, 2.5], [3, 3]))
    array([False,  True])
    """
    x, y = _pair(x, y)
    return _any_empty(x, y) | np.less(x[1], y[0])


#: The states of `overlap` for nonempty intervals, with conditions; the first that holds counts.
#: a, b are the bounds of x, and c, d those of y.
_STATES: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("before", lambda a, b, c, d: b < c),
    ("after", lambda a, b, c, d: d < a),
    ("equals", lambda a, b, c, d: (a == c) & (b == d)),
    ("meets", lambda a, b, c, d: (a < b) & (b == c) & (c < d)),
    ("met_by", lambda a, b, c, d: (c < d) & (d == a) & (a < b)),
    ("starts", lambda a, b, c, d: (a == c) & (b < d)),
    ("started_by", lambda a, b, c, d: (a == c) & (d < b)),
    ("finishes", lambda a, b, c, d: (c < a) & (b == d)),
    ("finished_by", lambda a, b, c, d: (a < c) & (b == d)),
    ("contained_by", lambda a, b, c, d: (c < a) & (b < d)),
    ("contains", lambda a, b, c, d: (a < c) & (d < b)),
    ("overlaps", lambda a, b, c, d: (a < c) & (b < d)),
    ("overlapped_by", lambda a, b, c, d: (c < a) & (d < b)),
)


def overlap(x: object, y: object) -> NDArray[np.str_] | np.str_:
    """Return the relative position of x and y: one of the standard's sixteen words.

    ``both_empty first_empty second_empty before meets overlaps starts contained_by finishes
    equals finished_by contains started_by overlapped_by met_by after``.

    >>> from halfcl.interval import Interval, overlap
    >>> overlap(Interval(1, 2), Interval([2, 0], [3, 3]))
    array(['meets', 'contained_by'], dtype='<U13')
    """
    x, y = _pair(x, y)
    bounds = np.broadcast_arrays(*x, *y)
    empty, other = np.isnan(bounds[0]), np.isnan(bounds[2])
    states = [(empty & other, "both_empty"), (empty, "first_empty"), (other, "second_empty")]
    states += [(holds(*bounds), name) for name, holds in _STATES]
    return np.select([s[0] for s in states], [np.array(s[1], "U13") for s in states], "")[()]


def intersection(x: object, y: object) -> Interval:
    """Return the numbers in both: ``x & y``.

    Accuracy: exact.

    >>> from halfcl.interval import Interval
    >>> Interval(1, 3) & Interval([2, 4], [5, 6])
    Interval(['[2, 3]', '[empty]'])
    """
    x, y = _pair(x, y)
    low, high = np.maximum(x[0], y[0]), np.minimum(x[1], y[1])
    low, high = make_empty(np.greater(low, high), low, high)
    return Interval.of((low, high))


def hull(x: object, y: object) -> Interval:
    """Return the least interval that contains both: ``x | y``.

    Accuracy: exact.

    >>> from halfcl.interval import Interval
    >>> Interval(1, 3) | Interval([2, 4], [5, 6])
    Interval(['[1, 5]', '[1, 6]'])
    """
    x, y = _pair(x, y)
    return Interval.of((np.asarray(hc.fmin(x[0], y[0])), np.asarray(hc.fmax(x[1], y[1]))))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: wrap_relation(function)
    for function in (
        is_empty, is_entire, is_singleton, is_common, equal, not_equal, subset,
        interior, disjoint, less, strict_less, precedes, strict_precedes, overlap,
    )
}  # fmt: skip
FUNCTIONS |= {"is_member": wrap_membership(is_member)}
FUNCTIONS |= {function.__name__: wrap_operation(function) for function in (intersection, hull)}
