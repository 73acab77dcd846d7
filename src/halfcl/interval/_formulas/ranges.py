"""The range of a formula by adaptive bisection, many boxes at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._core import DefaultEnvironment
from halfcl._support.arguments.integers import as_int
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._bounds.pairs import HALF, Array
from halfcl.interval._decorated.array import DecoratedInterval
from halfcl.interval._formulas import doubles
from halfcl.interval._formulas.doubles import DoubleInterval, Doubles, halves_around
from halfcl.interval._formulas.forms import BATCH, Boxes, Formula, bicentred_form, evaluate
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, Jet

Integers = NDArray[np.int64]

#: The number of boxes whose ranges are computed at once.
_BOXES = 1 << 10
#: The number of pieces of a box that are evaluated before the tolerance applies.
_PATIENCE = 32
#: Limits of the size and position of cuts, beyond half's limits of 2^-24 and 2^16.
_FINEST, _FARTHEST = 2.0**-64, 2.0**64
#: The rank of infinity among halves, counted from zero.
_INFINITY = 0x7C00


class LimitWarning(UserWarning):
    """Issued when the limit of work was reached before the requested accuracy."""


class Range(NamedTuple):
    """The result of `range_of`."""

    enclosure: Interval | DecoratedInterval  #: around the range
    gap: Integers  #: distance of either bound from the best one, at most, in halves
    boxes: Integers  #: number of boxes evaluated


# ---------------------------------------------------------------- ranks of halves


def _ranks(halves: Array) -> Integers:
    """Return the ranks of halves in ascending order; zeros have rank 0."""
    bits = np.asarray(halves).view(np.uint16).astype(np.int64)
    return np.where(bits & 0x8000, -(bits & 0x7FFF), bits)


def _from_ranks(ranks: Integers) -> Doubles:
    ranks = np.clip(ranks, -_INFINITY, _INFINITY)
    bits = np.where(ranks < 0, 0x8000 - ranks, ranks).astype(np.uint16)
    return np.asarray(hc.convert_double(bits.view(HALF)))


# ---------------------------------------------------------------- pieces of boxes


class _Pieces:
    """Pieces of boxes: the number of each one's box, its bounds, and its known values."""

    def __init__(self, of: Integers, low: Doubles, high: Doubles, values: DoubleInterval) -> None:
        self.of, self.low, self.high, self.values = of, low, high, values

    def __getitem__(self, index: slice | NDArray[np.bool_]) -> _Pieces:
        return _Pieces(self.of[index], self.low[index], self.high[index], self.values[index])

    def __len__(self) -> int:
        return len(self.of)

    def boxes(self) -> list[DoubleInterval]:
        """Return the bounds as one interval array per variable."""
        return [
            DoubleInterval(low, high) for low, high in zip(self.low.T, self.high.T, strict=True)
        ]

    def chunks(self) -> Iterator[_Pieces]:
        """Yield chunks of pieces that fit in the processor's cache."""
        return (self[at : at + BATCH] for at in range(0, len(self), BATCH))

    def halves(self, axis: Integers) -> tuple[_Pieces, NDArray[np.bool_]]:
        """Return both halves of each piece along an axis, and a mask of pieces not cut."""
        rows = np.arange(len(self))
        at = between(self.low[rows, axis], self.high[rows, axis])
        splits = can_cut(self.low[rows, axis], at, self.high[rows, axis])
        rows, axis, at = np.arange(splits.sum()), axis[splits], at[splits]
        lower, upper = self[splits], self[splits]
        lower.high, upper.low = lower.high.copy(), upper.low.copy()
        lower.high[rows, axis] = at
        upper.low[rows, axis] = at
        return _concatenate([lower, upper]), ~splits


def _concatenate(pieces: Sequence[_Pieces]) -> _Pieces:
    """Return all pieces as one."""
    return _Pieces(
        np.concatenate([p.of for p in pieces]),
        np.concatenate([p.low for p in pieces]),
        np.concatenate([p.high for p in pieces]),
        DoubleInterval(
            np.concatenate([p.values.lo for p in pieces]),
            np.concatenate([p.values.hi for p in pieces]),
        ),
    )


def between(low: Doubles, high: Doubles) -> Doubles:
    """Return where to cut: half-way, or toward infinity at twice the finite bound."""
    at = low / 2 + high / 2
    at = np.where(np.isinf(high), np.where(low < 0, 0.0, np.maximum(2 * low, 1.0)), at)
    at = np.where(np.isinf(low), np.where(high > 0, 0.0, np.minimum(2 * high, -1.0)), at)
    return at


def can_cut(low: Doubles, at: Doubles, high: Doubles) -> NDArray[np.bool_]:
    """Return whether both parts are worth evaluating."""
    is_large = (np.minimum(at - low, high - at) > _FINEST) & (np.abs(at) < _FARTHEST)
    return np.asarray(is_large & (low < at) & (at < high))


def widest_variable(jet: Jet, boxes: Sequence[DoubleInterval]) -> Integers:
    """Return the variable in which the function changes most, else the one with the widest range.

    The second applies where slopes are unknown.
    """
    widths = np.stack([box.hi - box.lo for box in boxes], axis=1)
    sizes = [doubles.magnitudes(jet.slopes.get(i, doubles.ZERO)).hi for i in range(len(boxes))]
    changes = widths * np.stack(np.broadcast_arrays(widths[:, 0], *sizes)[1:], axis=1)
    is_known = np.isfinite(changes).all(axis=1) & (jet.level >= LIPSCHITZ) & changes.any(axis=1)
    occurs = np.array([i in jet.slopes for i in range(len(boxes))])
    scores = np.where(is_known[:, None], changes, np.where(occurs, widths, 0.0))
    return np.asarray(np.argmax(scores, axis=1))


# ---------------------------------------------------------------- the search


class _Search:
    """The state of a search for ranges: enclosures so far, and values that f takes."""

    def __init__(self, f: Formula, count: int, tol: int, limit: int) -> None:
        self.f, self.tol, self.limit = f, min(tol, 2 * _INFINITY), limit
        self.low, self.high = np.full(count, np.inf), np.full(count, -np.inf)
        self.least, self.most = np.full(count, np.inf), np.full(count, -np.inf)
        self.evaluated = np.zeros(count, np.int64)

    def run(self, pieces: _Pieces) -> None:
        """Cut pieces until each is within the tolerance, or the limit of evaluations is reached."""
        while len(pieces):
            self.evaluated += np.bincount(pieces.of, minlength=len(self.evaluated))
            known = [self._evaluate(chunk) for chunk in pieces.chunks()]
            pieces, axes = (
                _concatenate([p for p, _ in known]),
                np.concatenate([a for _, a in known]),
            )
            done = self._is_done(pieces)
            self._enclose(pieces[done])
            pieces, axes = pieces[~done], axes[~done]
            halves, whole = pieces.halves(axes)
            self._enclose(pieces[whole])
            pieces = halves

    def _evaluate(self, pieces: _Pieces) -> tuple[_Pieces, Integers]:
        """Return pieces with their values, and the axis to cut each; record values at points."""
        boxes = pieces.boxes()
        jet = evaluate(self.f, boxes, 1)
        form, points = bicentred_form(self.f, boxes, jet)
        for at in points:
            is_valid = (at.level >= DEFINED) & ~at.value.is_empty
            np.minimum.at(self.least, pieces.of[is_valid], at.value.hi[is_valid])
            np.maximum.at(self.most, pieces.of[is_valid], at.value.lo[is_valid])
        values = doubles.intersection(form, pieces.values)
        return _Pieces(pieces.of, pieces.low, pieces.high, values), widest_variable(jet, boxes)

    def _goals(self) -> tuple[Doubles, Doubles]:
        """Return bounds that are close enough to values that f takes."""
        below, above = halves_around(self.least, self.most)
        tol = np.where(self.evaluated < _PATIENCE, 0, self.tol)
        return _from_ranks(_ranks(below) - tol), _from_ranks(_ranks(above) + tol)

    def _is_done(self, pieces: _Pieces) -> NDArray[np.bool_]:
        low, high = (goal[pieces.of] for goal in self._goals())
        near = (pieces.values.lo >= low) & (pieces.values.hi <= high)
        return near | pieces.values.is_empty | (self.evaluated[pieces.of] >= self.limit)

    def _enclose(self, pieces: _Pieces) -> None:
        np.fmin.at(self.low, pieces.of, pieces.values.lo)
        np.fmax.at(self.high, pieces.of, pieces.values.hi)

    def gap(self) -> Integers:
        """Return an upper limit for the distance of the bounds from the best ones, in halves."""
        outer, inner = halves_around(self.low, self.high), halves_around(self.least, self.most)
        gaps = _ranks(inner[0]) - _ranks(outer[0]), _ranks(outer[1]) - _ranks(inner[1])
        return np.where(self.low > self.high, 0, np.maximum(np.maximum(*gaps), 0))


def _search(f: Formula, boxes: Sequence[DoubleInterval], tol: int, limit: int) -> _Search:
    """Search the ranges of boxes in one dimension."""
    count = boxes[0].lo.size
    search = _Search(f, count, tol, limit)
    low, high = (np.stack([getattr(b, name) for b in boxes], axis=1) for name in ("lo", "hi"))
    is_defined = ~np.isnan(low).any(axis=1)
    entire = DoubleInterval(np.full(count, -np.inf), np.full(count, np.inf))
    pieces = _Pieces(np.arange(count), low, high, entire)
    search.run(pieces[is_defined])
    return search


@overload
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 10_000, full_output: Literal[False] = False
) -> Interval | DecoratedInterval: ...
@overload
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 10_000, *, full_output: Literal[True]
) -> Range: ...
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 10_000, full_output: bool = False
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
        The maximum number of boxes evaluated for each box, approximately.
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
        If the limit was reached before the tolerance; states how many ranges, and the widest gap.

    Notes
    -----
    Each box is cut in two, in the variable in which f changes most, until the mean value form of
    each piece is within the tolerance of values that f takes. Pieces that are, or that cannot
    contain an extremum, are not cut again. All pieces of all boxes are evaluated together. The work
    may grow as a power of the number of variables. The tolerance is reached where f is continuous,
    and mostly also where it jumps.

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
        searches = [_search(boxes.formula, batch, tol, limit) for batch in boxes.flat(_BOXES)]
    low, high, gap, evaluated = (
        np.concatenate(columns).reshape(boxes.shape)
        for columns in zip(*((s.low, s.high, s.gap(), s.evaluated) for s in searches), strict=True)
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
            f"best: up to {gap.max()}, after limit={limit} boxes; use full_output=True to see "
            "each gap",
            LimitWarning,
            stacklevel=3,
        )
