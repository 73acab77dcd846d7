"""The range of a formula by adaptive bisection, many boxes at a time."""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from halfcl._core import DefaultEnvironment
from halfcl._support.arguments.integers import as_int
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._decorated.array import DecoratedInterval
from halfcl.interval._formulas._search.searches import Search
from halfcl.interval._formulas.doubles import halves_around
from halfcl.interval._formulas.forms import Boxes, Formula

Integers = NDArray[np.int64]

#: The number of boxes whose ranges are computed at once.
_BOXES = 1 << 10


class LimitWarning(UserWarning):
    """Issued when the limit of work was reached before the requested accuracy."""


class Range(NamedTuple):
    """The result of `range_of`."""

    enclosure: Interval | DecoratedInterval  #: around the range
    gap: Integers  #: distance of either bound from the best one, at most, in halves
    boxes: Integers  #: number of boxes evaluated


@overload
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 20_000, full_output: Literal[False] = False
) -> Interval | DecoratedInterval: ...
@overload
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 20_000, *, full_output: Literal[True]
) -> Range: ...
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 20_000, full_output: bool = False
) -> Interval | DecoratedInterval | Range:
    """Return the range of a formula on boxes, enclosed within a tolerance.

    Parameters
    ----------
    f : callable
        Has one argument for each variable, as for `mean_value`.
    x : Interval or DecoratedInterval, or tuple of them
        The box: the range of each variable. Arrays of boxes are broadcast, and the range of each
        is computed separately.
    tol : int, optional
        The allowed distance of either bound from the best one, in halves: 0 or more.
    limit : int, optional
        The maximum number of boxes evaluated for each box, approximately. It also bounds the work
        of long formulas. A bound that makes no progress is given up earlier; the higher the limit,
        the later.
    full_output : bool, optional
        Whether to return a `Range`, which also states the accuracy reached.

    Returns
    -------
    Interval, or DecoratedInterval if x has one
        Has the shape of x. It is always an enclosure, no wider than f(x), whether or not the
        tolerance was reached. Empty where f is defined nowhere. With ``full_output``, a `Range` of
        ``enclosure, gap, boxes``: each bound is proved to be at most ``gap`` halves from the best
        one, so 0 means that no better bound exists.

    Raises
    ------
    TypeError
        For the same reasons as `mean_value`; if tol or limit is not an integer.
    ValueError
        If shapes do not broadcast, tol is negative, or limit is not positive.

    Warns
    -----
    LimitWarning
        If the tolerance was not reached; states how many ranges, and the widest gap.

    Notes
    -----
    Each bound has a queue of pieces, of which those that may improve it most are cut first. A piece
    is bounded by f(x), the mean value form and, in up to three variables, the Taylor form; later
    also, in up to eight, by convex functions below f. A variable in which f is monotone on it is
    fixed, or takes both its bounds if f may rise or fall by the others, as with a weight. Where
    scaling or shifting variables together does not change f, or in one direction, only faces of the
    box are searched; where scaling adds to f without end, it is unbounded; where exchanging some
    variables does not change f, one of two pieces that are alike then is searched. What cannot have
    a better value than a sample, or none at all, is cut off by propagating the result back to the
    variables. A variable that occurs only in sines, cosines and tangents of linear arguments ranges
    over one period at most. A part in which variables occur alone, as in f(x / y), is one variable;
    the range of g bounds g(t) if all variables go through t. Samples are drawn in plain doubles,
    and moved by Newton's method, along each variable, and to where parts are zero; where a part of
    f reaches the edge of a domain, a kink, a jump, a cut, a pole or an extremum of a wave, pairs of
    points on both sides are moved together, and f has values or limits between them. Parts of the
    formula have other forms, too, in which equal terms cancel; after some steps only those that
    have been useful. All pieces of all boxes are evaluated together. A formula of more than 256
    operations is evaluated on small pieces without minima and maxima that are decided there. The
    work may grow as a power of the number of variables. f may branch on comparisons, by ``if`` or
    `numpy.where`.

    Accuracy: within ``tol`` halves of the best, or a warning.
    Source: Hansen and Walster, Global Optimization Using Interval Analysis, 12.

    Examples
    --------
    >>> from halfcl import interval
    >>> from halfcl.interval import Interval
    >>> def f(x):
    ...     return (x * x - 2) * x + 1
    >>> f(Interval(0, 1)), interval.range_of(f, Interval(0, 1))
    (Interval('[-1, 1]'), Interval('[-0.088685, 1]'))
    >>> box = Interval(1, 2), Interval(1, 2)
    >>> interval.range_of(lambda x, y: x / (x + y), box, full_output=True).gap
    array(0)
    """
    boxes = Boxes(f, x)
    tol, limit = as_int("range_of: tol", tol), as_int("range_of: limit", limit)
    if tol < 0 or limit < 1:
        name, value, least = ("tol", tol, 0) if tol < 0 else ("limit", limit, 1)
        raise ValueError(f"range_of: {name}: expected at least {least}, got {value}")
    with np.errstate(all="ignore"), DefaultEnvironment():
        searches = [Search(boxes.formula, batch, tol, limit) for batch in boxes.flat(_BOXES)]
    parts = [(s.range().lo, s.range().hi, s.gap(), s.evaluated) for s in searches]
    low, high, gap, evaluated = (
        np.concatenate(columns).reshape(boxes.shape) for columns in zip(*parts, strict=True)
    )
    _warn(gap, tol, limit)
    empty = low > high
    bounds = halves_around(np.where(empty, np.nan, low), np.where(empty, np.nan, high))
    enclosure = boxes.finish(f, Interval.of(bounds))
    return Range(enclosure, gap, evaluated) if full_output else enclosure


def _warn(gap: Integers, tol: int, limit: int) -> None:
    if (missed := np.count_nonzero(gap > tol)) > 0:
        warnings.warn(
            f"range_of: {missed} of {gap.size} ranges may be more than tol={tol} ulps from the "
            f"best: up to {gap.max()}, with limit={limit} boxes; use full_output=True to see "
            "each gap",
            LimitWarning,
            stacklevel=3,
        )
