"""The range of a formula: adaptive bisection, many boxes at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._support.integers import as_int
from halfcl.interval import _wide as wide
from halfcl.interval._array import Interval
from halfcl.interval._bounds import HALF, Array
from halfcl.interval._decorated import DecoratedInterval
from halfcl.interval._forms import BATCH, Boxes, Formula, bicentred_form, evaluate
from halfcl.interval._jets import DEFINED, LIPSCHITZ, Jet
from halfcl.interval._wide import Doubles, Wide, halves_around

Integers = NDArray[np.int64]

#: The ranges of how many boxes are sought at once.
_BOXES = 1 << 10
#: Of a box so many pieces are evaluated before less than the best bounds will do.
_EARNEST = 32
#: Pieces are not cut more finely than that, nor farther out: half ends at 2^-24 and 2^16.
_FINEST, _FARTHEST = 2.0**-64, 2.0**64
#: The rank of infinity among halves, counted from zero.
_INFINITY = 0x7C00


class LimitWarning(UserWarning):
    """The limit of work was reached before what was asked for."""


class Range(NamedTuple):
    """What `range_of` reached."""

    enclosure: Interval | DecoratedInterval  #: around the range
    gap: Integers  #: either bound is at most so many halves from the best
    boxes: Integers  #: how many boxes were evaluated


# ---------------------------------------------------------------- halves in their order


def _ranks(halves: Array) -> Integers:
    """The places of halves in their order; zeros are 0."""
    bits = np.asarray(halves).view(np.uint16).astype(np.int64)
    return np.where(bits & 0x8000, -(bits & 0x7FFF), bits)


def _of_ranks(ranks: Integers) -> Doubles:
    ranks = np.clip(ranks, -_INFINITY, _INFINITY)
    bits = np.where(ranks < 0, 0x8000 - ranks, ranks).astype(np.uint16)
    return np.asarray(hc.convert_double(bits.view(HALF)))


# ---------------------------------------------------------------- pieces of boxes


class _Pieces:
    """Parts of boxes: of which box, between which bounds in each variable, what is known."""

    def __init__(self, of: Integers, low: Doubles, high: Doubles, values: Wide) -> None:
        self.of, self.low, self.high, self.values = of, low, high, values

    def __getitem__(self, index: slice | NDArray[np.bool_]) -> _Pieces:
        return _Pieces(self.of[index], self.low[index], self.high[index], self.values[index])

    def __len__(self) -> int:
        return len(self.of)

    def boxes(self) -> list[Wide]:
        """Of each variable."""
        return [Wide(low, high) for low, high in zip(self.low.T, self.high.T, strict=True)]

    def chunks(self) -> Iterator[_Pieces]:
        """So many at once as stay in the processor's cache."""
        return (self[at : at + BATCH] for at in range(0, len(self), BATCH))

    def halves(self, axis: Integers) -> tuple[_Pieces, NDArray[np.bool_]]:
        """Both halves of each along an axis; and which of the pieces have none."""
        rows = np.arange(len(self))
        at = between(self.low[rows, axis], self.high[rows, axis])
        splits = can_cut(self.low[rows, axis], at, self.high[rows, axis])
        rows, axis, at = np.arange(splits.sum()), axis[splits], at[splits]
        left, right = self[splits], self[splits]
        left.high, right.low = left.high.copy(), right.low.copy()
        left.high[rows, axis] = at
        right.low[rows, axis] = at
        return concatenate([left, right]), ~splits


def concatenate(pieces: Sequence[_Pieces]) -> _Pieces:
    """All of them."""
    return _Pieces(
        np.concatenate([p.of for p in pieces]),
        np.concatenate([p.low for p in pieces]),
        np.concatenate([p.high for p in pieces]),
        Wide(
            np.concatenate([p.values.lo for p in pieces]),
            np.concatenate([p.values.hi for p in pieces]),
        ),
    )


def between(low: Doubles, high: Doubles) -> Doubles:
    """Where to cut: half-way; from a bound on toward infinity at its double."""
    at = low / 2 + high / 2
    at = np.where(np.isinf(high), np.where(low < 0, 0.0, np.maximum(2 * low, 1.0)), at)
    at = np.where(np.isinf(low), np.where(high > 0, 0.0, np.minimum(2 * high, -1.0)), at)
    return at


def can_cut(low: Doubles, at: Doubles, high: Doubles) -> NDArray[np.bool_]:
    """Whether both parts are pieces worth a look."""
    cut = (np.minimum(at - low, high - at) > _FINEST) & (np.abs(at) < _FARTHEST)
    return np.asarray(cut & (low < at) & (at < high))


def widest(jet: Jet, boxes: Sequence[Wide]) -> Integers:
    """The variable in which the function changes the most, or where slopes do not tell, the one
    that ranges the widest."""
    widths = np.stack([box.hi - box.lo for box in boxes], axis=1)
    sizes = [wide.magnitudes(jet.slopes.get(i, wide.ZERO)).hi for i in range(len(boxes))]
    changes = widths * np.stack(np.broadcast_arrays(widths[:, 0], *sizes)[1:], axis=1)
    telling = np.isfinite(changes).all(axis=1) & (jet.level >= LIPSCHITZ) & changes.any(axis=1)
    occurs = np.array([i in jet.slopes for i in range(len(boxes))])
    scores = np.where(telling[:, None], changes, np.where(occurs, widths, 0.0))
    return np.asarray(np.argmax(scores, axis=1))


# ---------------------------------------------------------------- the search


class _Search:
    """Ranges of boxes: what encloses them so far, and values that are taken."""

    def __init__(self, f: Formula, count: int, tol: int, limit: int) -> None:
        self.f, self.tol, self.limit = f, min(tol, 2 * _INFINITY), limit
        self.low, self.high = np.full(count, np.inf), np.full(count, -np.inf)
        self.least, self.most = np.full(count, np.inf), np.full(count, -np.inf)
        self.evaluated = np.zeros(count, np.int64)

    def run(self, pieces: _Pieces) -> None:
        """Cut pieces until each is within what is to be reached, or too many were evaluated."""
        while len(pieces):
            self.evaluated += np.bincount(pieces.of, minlength=len(self.evaluated))
            known = [self._evaluated(chunk) for chunk in pieces.chunks()]
            pieces, axes = concatenate([p for p, _ in known]), np.concatenate([a for _, a in known])
            done = self._is_done(pieces)
            self._enclose(pieces[done])
            pieces, axes = pieces[~done], axes[~done]
            halves, whole = pieces.halves(axes)
            self._enclose(pieces[whole])
            pieces = halves

    def _evaluated(self, pieces: _Pieces) -> tuple[_Pieces, Integers]:
        """The values of pieces, and where to cut each; values at points are noted."""
        boxes = pieces.boxes()
        jet = evaluate(self.f, boxes, 1)
        found, points = bicentred_form(self.f, boxes, jet)
        for at in points:
            taken = (at.level >= DEFINED) & ~at.value.is_empty
            np.minimum.at(self.least, pieces.of[taken], at.value.hi[taken])
            np.maximum.at(self.most, pieces.of[taken], at.value.lo[taken])
        values = wide.intersection(found, pieces.values)
        return _Pieces(pieces.of, pieces.low, pieces.high, values), widest(jet, boxes)

    def _goals(self) -> tuple[Doubles, Doubles]:
        """Bounds that are near enough to values that are taken."""
        below, above = halves_around(self.least, self.most)
        tol = np.where(self.evaluated < _EARNEST, 0, self.tol)
        return _of_ranks(_ranks(below) - tol), _of_ranks(_ranks(above) + tol)

    def _is_done(self, pieces: _Pieces) -> NDArray[np.bool_]:
        low, high = (goal[pieces.of] for goal in self._goals())
        near = (pieces.values.lo >= low) & (pieces.values.hi <= high)
        return near | pieces.values.is_empty | (self.evaluated[pieces.of] >= self.limit)

    def _enclose(self, pieces: _Pieces) -> None:
        np.fmin.at(self.low, pieces.of, pieces.values.lo)
        np.fmax.at(self.high, pieces.of, pieces.values.hi)

    def gap(self) -> Integers:
        """How many halves the bounds are away from the best at most."""
        outer, inner = halves_around(self.low, self.high), halves_around(self.least, self.most)
        gaps = _ranks(inner[0]) - _ranks(outer[0]), _ranks(outer[1]) - _ranks(inner[1])
        return np.where(self.low > self.high, 0, np.maximum(np.maximum(*gaps), 0))


def _searched(f: Formula, boxes: Sequence[Wide], tol: int, limit: int) -> _Search:
    """The ranges of boxes in one dimension."""
    count = boxes[0].lo.size
    search = _Search(f, count, tol, limit)
    low, high = (np.stack([getattr(b, name) for b in boxes], axis=1) for name in ("lo", "hi"))
    alone = ~np.isnan(low).any(axis=1)
    entire = Wide(np.full(count, -np.inf), np.full(count, np.inf))
    pieces = _Pieces(np.arange(count), low, high, entire)
    search.run(pieces[alone])
    return search


@overload
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 10_000, full: Literal[False] = False
) -> Interval | DecoratedInterval: ...
@overload
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 10_000, *, full: Literal[True]
) -> Range: ...
def range_of(
    f: Formula, x: object, tol: int = 1, limit: int = 10_000, full: bool = False
) -> Interval | DecoratedInterval | Range:
    """The range of a formula on boxes, enclosed within a tolerance.

    Parameters
    ----------
    f : callable
        Of one argument for each variable, as of `mean_value`.
    x : Interval or DecoratedInterval, or tuple of them
        The box: the range of each variable. Of arrays of boxes, which are broadcast, each range
        is found by itself.
    tol : int, optional
        How many halves either bound may be away from the best one: 0 or more.
    limit : int, optional
        About how many boxes are evaluated of each at most.
    full : bool, optional
        Whether to return a `Range`: the result, and what was reached.

    Returns
    -------
    Interval, or DecoratedInterval where x has one
        Of the shape of x: always an enclosure, no wider than f(x), whether or not the tolerance
        was reached. Empty where f is defined nowhere. With ``full``, a `Range` of
        ``enclosure, gap, boxes``: the gap is how many halves either bound is away from the best
        one at most, which is proved; 0 says that there is no better.

    Raises
    ------
    TypeError
        As by `mean_value`; if tol or limit is no integer.
    ValueError
        If shapes do not broadcast, tol is negative, or limit is not positive.

    Warns
    -----
    LimitWarning
        If the limit was reached before the tolerance: of how many boxes, and the widest gap.

    Notes
    -----
    Each box is cut in two, in the variable in which f changes the most, until the mean value form
    of each piece is within the tolerance of values that f takes; pieces that are, or cannot hold
    an extremum, are not cut again. All pieces of all boxes are evaluated together. In n
    variables the work may grow as a power of n; the tolerance is reached where f is continuous,
    and mostly where it jumps.

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
    >>> interval.range_of(lambda x, y: x / (x + y), (Interval(1, 2), Interval(1, 2)), full=True).gap
    array(0)
    """
    boxes = Boxes(f, x)
    tol, limit = as_int("tol", tol), as_int("limit", limit)
    if tol < 0 or limit < 1:
        name, value, least = ("tol", tol, 0) if tol < 0 else ("limit", limit, 1)
        raise ValueError(f"{name}: expected at least {least}, got {value}")
    with np.errstate(all="ignore"):
        searches = [_searched(f, part, tol, limit) for part in boxes.flat(_BOXES)]
    low, high, gap, evaluated = (
        np.concatenate(parts).reshape(boxes.shape)
        for parts in zip(*((s.low, s.high, s.gap(), s.evaluated) for s in searches), strict=True)
    )
    _warn(gap, tol, limit)
    empty = low > high
    bounds = halves_around(np.where(empty, np.nan, low), np.where(empty, np.nan, high))
    enclosure = boxes.finish(f, Interval.of(bounds))
    return Range(enclosure, gap, evaluated) if full else enclosure


def _warn(gap: Integers, tol: int, limit: int) -> None:
    if (missed := np.count_nonzero(gap > tol)) > 0:
        warnings.warn(
            f"range_of: {missed} of {gap.size} ranges may be more than tol={tol} ulps from the "
            f"best: up to {gap.max()}, after limit={limit} boxes; full=True tells of each",
            LimitWarning,
            stacklevel=3,
        )
