"""Best-first search for the least values of formulas on boxes, many pieces at a time.

Each bound of a range is a problem of its own: the least value of f, and that of -f. All problems of
all boxes share one queue of pieces, so that each step evaluates many pieces in a few NumPy calls.

A piece is cut in the variable by which f changes most, by its slopes. If these are not known, since
f has a kink or a pole or loses its bounds, each variable is fixed in turn: the one that raises the
lower bound most is cut.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas import doubles
from halfcl.interval._formulas._rewriting.periods import reduce_boxes
from halfcl.interval._formulas._search import limits
from halfcl.interval._formulas._search._pieces import convex
from halfcl.interval._formulas._search._pieces.cuts import (
    Cuts,
    at_ends,
    between,
    can_cut,
    cut,
    orders,
)
from halfcl.interval._formulas._search._pieces.pieces import Pieces, concatenate, hulls
from halfcl.interval._formulas._search._pieces.slopes import (
    Slopes,
    centres,
    gaps,
    least_terms,
    missing_terms,
    slopes_of,
    sum_down,
)
from halfcl.interval._formulas._search._routes.dominators import MOST, dominators, outer_path
from halfcl.interval._formulas._search._routes.integral import rounded_down
from halfcl.interval._formulas._search._routes.narrowing import narrow
from halfcl.interval._formulas._search._routes.route import (
    Route,
    is_narrower,
    route_of,
    specialized_route,
)
from halfcl.interval._formulas._search._symmetries.faces import Symmetries, faces, tend_to_infinity
from halfcl.interval._formulas._search._symmetries.monotone import integer_variables
from halfcl.interval._formulas._search._symmetries.permutations import without_mirrored
from halfcl.interval._formulas._search._values import critical, polish, samples
from halfcl.interval._formulas._search._values.draws import POINTS, Draws
from halfcl.interval._formulas._search.conditions import Path, record
from halfcl.interval._formulas._search.substitutions import substitute
from halfcl.interval._formulas._search.unbounded import Votes
from halfcl.interval._formulas.doubles import ZERO, DoubleInterval, Doubles, choose, point
from halfcl.interval._formulas.forms import formula_of, middle, second_order, steps
from halfcl.interval._formulas.jets import DEFINED, SMOOTH, Jet, variables
from halfcl.interval._formulas.removable import Extended

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]

#: The number of pieces of a box, divided by the tolerance, that are evaluated before it applies.
_PATIENCE = 512
#: The number of pieces of a problem that are evaluated in a step, if there are as many.
_SHARE = 1 << 7
#: The numbers of steps before which points are sampled.
_EXPLORATIONS = (1, 8, 32)
#: Those of them after which the best points are polished.
_POLISHES = (8, 32)
#: The number of steps before which parts of all variables are searched, and with which limit.
_DOMINATED, _DOMINATOR_LIMIT = 8, 256
#: The number of pieces in which polishing begins, too.
_STARTS = 2
#: The number of routes up to which others are tried for what is left.
_MOST_ROUTES = 12
#: The work allowed for each box of the limit, in operations on arrays, of routes that become
#: shorter, too; the limit that it is for at least.
_WORK, _LONG_WORK, _LEAST_LIMIT = 10, 15, 4000
#: The step after which pieces are cut further, and the number below which they are.
_FIRST_SPLIT, _FEW = 4, 48
#: The number of variables up to which curvatures are used, and the step after which they are.
_CURVED, _FIRST_CURVED = 3, 2
#: The same after more steps.
_CONVEX, _FIRST_CONVEX = 8, 8
#: The step after which pieces of long routes have shorter ones; into how many parts each is cut at
#: least; the least number of all on whole boxes, and the greatest; and of how many the values in
#: their middles are recorded.
_FIRST_NARROWED, _PARTS, _TILES, _MOST_TILES, _SAMPLED = 2, 4, 1024, 4096, 16
#: The number of pieces beyond which they are contracted before they have shorter routes; by which
#: factor they have become more if they are not, and if shorter routes are not sought again.
_MANY, _GROWTH, _FAST_GROWTH = 256, 1.25, 1.5
#: The number of steps before which pieces are compared with exchanges of variables.
_MIRRORED = 8
#: The step after which pieces are bounded by useful forms alone, but in steps 16, 32 and so on.
_FIRST_LEAN = 8
#: The gap, in halves, beyond which limits at poles are sought though values near these are no less.
_FAR = 1 << 12
#: The number of rounds in which values at critical sets are sought.
_EDGES = 4
#: The number of pieces of a problem at whose bounds limits are sought.
_LIMITS = 32
#: The progress of a problem is checked first after this share of the limit, then whenever its
#: pieces have doubled; the share of its gap that may be left each time; and after how many checks
#: without progress it stops.
_FIRST_CHECK, _PROGRESS, _SLOW = 160, 0.95, 4
#: The share of an interval that a gap must have for a cut there.
_GAP = 0.25
#: How much narrower pieces become in the variables by which bounds or slopes are lost, than in
#: others.
_PREFERENCE = 32
#: The step after which fixing variables is tried, and the least share of a gap that matters.
_FIRST_TRIAL, _LEAST_GAIN = 4, 0.05
#: The rank of infinity among halves, counted from zero.
_INFINITY = 0x7C00


def ends_of(pieces: Pieces) -> tuple[Integers, Doubles, limits.Sides]:
    """Return problems, points and sides from which these are approached: the ends of each axis.

    The other variables are in the middle.
    """
    parts = []
    for i, is_low in itertools.product(range(len(pieces.low)), (True, False)):
        own = pieces[pieces.low[i] < pieces.high[i]]
        at, sides = between(own.low, own.high), np.zeros(own.low.shape, np.int8)
        at[i] = own.low[i] if is_low else own.high[i]
        sides[i] = limits.ABOVE if is_low else limits.BELOW
        parts.append((own.of, at, sides))
    of, at, sides = (np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True))
    return of, at, sides


def _with_bounding(routes: list[Route]) -> list[Route]:
    """Return routes, and those that bound them, unless these have other values, too."""
    bounding = [route.bounding for route in routes if route.bounding is not route]
    return routes + [route for route in bounding if not route.integers]


class _Evaluated(NamedTuple):
    """Pieces after their evaluation, and where to cut them."""

    pieces: Pieces  #: with their new bounds, and variables fixed where f is monotone
    cuts: Cuts
    is_narrowed: Truths  #: whether they are contracted, so that their bounds may be better


def _groups(pieces: Pieces) -> Iterator[Pieces]:
    """Yield the pieces of each problem and route on each of its faces."""
    fixed = np.where(pieces.low == pieces.high, pieces.low, np.inf)
    _, group = np.unique(np.vstack([pieces.of, pieces.route, fixed]), axis=1, return_inverse=True)
    for number in range(group.max(initial=-1) + 1):
        yield pieces[group == number]


# ---------------------------------------------------------------- the search


class Search:
    """The state of a search for ranges: bounds so far, and values that f takes.

    Problem 2 i is the least value on box i, problem 2 i + 1 that of -f. paths: those of f, if they
    are known.
    """

    def __init__(
        self,
        f: Extended,
        boxes: Sequence[DoubleInterval],
        tol: int,
        limit: int,
        paths: Sequence[object] | None = None,
    ) -> None:
        count, self.f = boxes[0].lo.size, f
        self.tol, self.limit = min(tol, 2 * _INFINITY), limit
        #: lower bounds of what has been decided; upper bounds of the least values
        self.low, self.least = np.full(2 * count, np.inf), np.full(2 * count, np.inf)
        self.evaluated = np.zeros(count, np.int64)
        #: progress: the number of pieces evaluated, of checks without progress, of pieces before
        #: the next check, and the gap at the last
        self.is_stopped, self.is_special = np.zeros((2, 2 * count), bool)
        self.pieces, self.slow = np.zeros((2, 2 * count), np.int64)
        self.next_check = np.full(2 * count, max(limit // _FIRST_CHECK, _SHARE // 4))
        self.last_gap = np.full(2 * count, np.inf)
        self.steps = 0
        of = np.arange(2 * count)
        is_defined = ~np.logical_or.reduce([box.is_empty for box in boxes])
        if paths is None:
            paths = [*record(f, [box[is_defined] for box in boxes])]
        paths, boxes, certain = substitute(paths, boxes)
        for i, period in enumerate(reduce_boxes(paths, certain)):
            is_same = (period.lo == certain[i].lo) & (period.hi == certain[i].hi)
            boxes[i], certain[i] = choose(is_same, boxes[i], period), period
        known = [path.program for path in paths if isinstance(path, Path)]
        #: the variables that need only be integers
        self.integers = integer_variables(known) if len(known) == len(paths) > 0 else []
        for i in self.integers:
            boxes[i], certain[i] = (
                DoubleInterval(np.floor(box.lo), np.floor(box.hi)) for box in (boxes[i], certain[i])
            )
        self.routes = [route_of(path, f, boxes, self.integers) for path in paths]
        #: those on whole boxes; the others are for pieces; how many have been tried
        self.whole, self.route_trials = [*self.routes], len(self.routes)
        #: whether shorter routes for pieces are worth more than many points
        self.is_long = any(route.can_be_narrowed for route in self.routes)
        low, high = (np.stack([getattr(b, name) for b in boxes]) for name in ("lo", "hi"))
        self.boxes = low[:, of // 2], high[:, of // 2]
        #: the bounds of the numbers that variables are for certain
        least, most = (np.stack([getattr(b, name) for b in certain]) for name in ("lo", "hi"))
        self.certain = least[:, of // 2], most[:, of // 2]
        #: whether they are the bounds of the boxes
        self.is_certain = bool(((least == low) & (most == high))[:, is_defined].all())
        #: the points of the least values, with a row per variable
        self.best = np.full((len(boxes), 2 * count), np.nan)
        pieces = [
            Pieces(of, np.full(2 * count, route), *self.boxes, np.full(2 * count, -np.inf))
            for route in range(len(self.routes))
        ]
        self._run(concatenate([p[is_defined[of // 2]] for p in pieces]))

    def _run(self, queue: Pieces) -> None:
        """Cut pieces until each is within the tolerance, or the limit of evaluations is reached."""
        self._bound_first(queue)
        self._seek_edges(queue[queue.bound == -np.inf], 1)
        queue = self._keep(queue)
        while len(queue):
            if self.steps in _EXPLORATIONS[: 1 if self.is_long else None]:
                queue = self._find_values(queue)
                self._seek_limits(queue)
                self._seek_edges(self._keep(queue), _EDGES)
                queue = self._keep(queue)
                if self.steps == _EXPLORATIONS[0]:
                    self._scale(queue)
                    queue = self._on_faces(self._keep(queue))
                if self.steps == _DOMINATED:
                    queue = self._use_dominators(queue)
                if not len(queue):
                    break
            if self.steps and self.steps % _MIRRORED == 0:
                queue = self._without_mirrored(queue)
            self.steps += 1
            if self.steps == 1:
                self._restrict(queue)
            batch, rest = self._choose(queue)
            self.evaluated += np.bincount(batch.of // 2, minlength=len(self.evaluated))
            parts = [self._evaluate(chunk) for chunk in batch.chunks()]
            queue = concatenate([rest, *parts])
            self._stop_stalled(batch, queue)
            queue = self._split(self._specialize(self._keep(queue)))
        self._seek_missing()

    def _seek_missing(self) -> None:
        """Look for values of decided problems that have none yet.

        Their pieces may have become points at which the formula has limits alone.
        """
        of = np.flatnonzero(np.isposinf(self.least) & (self.low < np.inf))
        if not len(of) or self._is_exhausted():
            return
        self.steps = max(self.steps, _EXPLORATIONS[0])
        self._explore(of, self.low[of])
        low, high = (end[:, of] for end in self.boxes)
        for number in range(len(self.whole)):
            self._seek_limits(Pieces(of, np.full(len(of), number), low, high, self.low[of]))

    def _stop_stalled(self, batch: Pieces, queue: Pieces) -> None:
        """Stop problems whose gaps the last doubling of pieces has not narrowed enough."""
        count = len(self.low)
        self.pieces += np.bincount(batch.of, minlength=count)
        due = self.pieces >= self.next_check
        if not due.any():
            return
        bound = self.low.copy()
        np.fmin.at(bound, queue.of, queue.bound)
        inner, outer = (doubles.ranks_below(x) for x in (self.least, bound))
        gap = inner - outer
        is_slow = gap > _PROGRESS * self.last_gap
        self.slow = np.where(due, np.where(is_slow, self.slow + 1, 0), self.slow)
        self.is_stopped |= self.slow >= _SLOW
        self.last_gap = np.where(due, gap, self.last_gap)
        self.next_check = np.where(due, 2 * self.pieces, self.next_check)

    def _split(self, queue: Pieces) -> Pieces:
        """Cut pieces further while there are few, since a step takes its time even for one."""
        return queue if self.steps < _FIRST_SPLIT else self._cut_evenly(queue, _FEW)

    def _cut_evenly(self, pieces: Pieces, count: int) -> Pieces:
        """Return parts of all pieces, until there are enough or none can be cut."""
        while 0 < len(pieces) < count:
            rows = np.arange(len(pieces))
            axis = np.argmax(self._shares(pieces), axis=0)
            low, high = pieces.low[axis, rows], pieces.high[axis, rows]
            at = between(low, high)
            is_large = can_cut(low, at, high)
            if not is_large.any():
                break
            cuts = self._between_integers(pieces, Cuts(axis, at, at))
            parts = cut(pieces[is_large], cuts.of(is_large))
            pieces = concatenate([pieces[~is_large], parts])
        return pieces

    def _shares(self, pieces: Pieces) -> Doubles:
        """Return the widths of variables as shares of the box, if that is bounded.

        They are geometric means of linear and logarithmic shares, since a piece may be a small part
        of its box but extend over most orders of magnitude.
        """
        whole = (self.boxes[1] - self.boxes[0])[:, pieces.of]
        magnitudes = (orders(self.boxes[1]) - orders(self.boxes[0]))[:, pieces.of]
        widths = pieces.high - pieces.low
        own_orders = orders(pieces.high) - orders(pieces.low)
        shares = np.sqrt((widths / whole) * (own_orders / magnitudes))
        return np.where(np.isfinite(whole) & (whole > 0), shares, widths)

    def _find_values(self, queue: Pieces) -> Pieces:
        """Look for values of all problems; return what is not decided by these."""
        of = np.unique(queue.of)
        bound = np.full(len(self.low), np.inf)
        np.fmin.at(bound, queue.of, queue.bound)
        self._explore(of, bound[of])
        if self.steps in _POLISHES:
            self._polish(self._keep(queue))
        return self._keep(queue)

    def _polish(self, queue: Pieces) -> None:
        """Look for lesser values by directed steps from the best points of problems."""
        of, others = self._starts(queue)
        low, high = (self._clip(of, end[:, of]) for end in self.boxes)
        for route in self.whole:
            if route.path is None or self._is_exhausted() or not len(of):
                continue
            at = polish.polish(
                route.path, route.critical, self._values_of(of), self.best[:, of], others, low,
                high, of % 2 == 1,
            )  # fmt: skip
            self._values(of, at)

    def _starts(self, queue: Pieces) -> tuple[Integers, Doubles]:
        """Return problems, and points of pieces that may have their least values.

        The best points of -f are others, since poles have two sides.
        """
        queue = queue[np.lexsort((queue.bound, queue.of))]
        of, first, counts = np.unique(queue.of, return_index=True, return_counts=True)
        others = [self.best[:, of ^ 1]]
        for number in range(_STARTS):
            index = first + np.minimum(number, counts - 1)
            others.append(between(queue.low[:, index], queue.high[:, index]))
        return of, np.stack(others, axis=2)

    def _values_of(self, of: Integers) -> Callable[[Integers], Callable[[Doubles], Doubles]]:
        """Return a function that gives one for the values of some of these problems."""
        return lambda index: self._evaluate_points(of[index])

    def _restrict(self, queue: Pieces) -> None:
        """Search removable poles of the formula on those boxes alone that are not decided."""
        numbers = np.unique(queue.of // 2)
        low, high = (bound[:, 2 * numbers] for bound in self.boxes)
        for route in self.routes:
            if route.path is not None:
                boxes = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
                route.f.boxes = route.bounding.f.boxes = boxes

    def _scale(self, queue: Pieces) -> None:
        """Record infinite limits of problems to which scalings lead from values that they have."""
        for number in np.unique(queue.route):
            route = self.routes[number]
            of = np.unique(queue.of[(queue.route == number) & np.isneginf(queue.bound)])
            of = of[np.isfinite(self.least[of])]
            if route.symmetries is None or not len(of):
                continue
            low, high = (end[:, of] for end in self.certain)
            of = of[tend_to_infinity(route.symmetries, low, high, of % 2 == 1)]
            if len(of):
                _, _, has_value = route.at_points(self.best[:, of])
                self.least[of[has_value]] = -np.inf

    def _on_faces(self, queue: Pieces) -> Pieces:
        """Return the faces on which the formula's symmetries leave all least values.

        They are those of the hull of all pieces of a problem, if it has a value.
        """
        parts = [queue[:0]]
        for number in np.unique(queue.route):
            own, symmetries = queue[queue.route == number], self.routes[number].symmetries
            can = np.isfinite(self.least[own.of]) & (symmetries is not None)
            parts.append(own[~can])
            if symmetries is not None and can.any():
                parts.append(self._faces(symmetries, own[can]))
        return self._keep(concatenate(parts))

    def _faces(self, symmetries: Symmetries, pieces: Pieces) -> Pieces:
        """Return the faces of the hulls of pieces, or pieces of which that is no less."""
        whole = hulls(pieces)
        is_positive = np.asarray(whole.bound >= 0)
        parts = faces(symmetries, whole.low, whole.high, whole.of % 2 == 1, is_positive)
        is_zero = whole.of[parts.with_zero]
        self.low[is_zero] = np.fmin(self.low[is_zero], 0.0)
        self.least[is_zero] = np.fmin(self.least[is_zero], 0.0)
        own = whole[parts.of]
        is_less = np.asarray(((parts.low > own.low) | (parts.high < own.high)).any(axis=0))
        is_same = np.isin(pieces.of, own.of[~is_less])
        return concatenate([own.within(parts.low, parts.high, own.bound)[is_less], pieces[is_same]])

    def _specialize(self, queue: Pieces) -> Pieces:
        """Return the pieces with routes for the faces on which problems make no progress.

        Other forms are known there, since variables are fixed.
        """
        is_stalled = np.asarray((self.slow > 0) & ~self.is_special)[queue.of]
        if not is_stalled.any():
            return queue
        self.is_special[queue.of[is_stalled]] = True
        parts = [queue[~is_stalled]]
        for group in _groups(queue[is_stalled]):
            route = self.routes[group.route[0]]
            if route.is_short and self.route_trials < _MOST_ROUTES:
                self.route_trials += 1
                self._add_route(route, group)
            parts.append(group)
        return concatenate(parts)

    def _add_route(self, route: Route, pieces: Pieces) -> None:
        """Let pieces of one problem have a route for their hull, if that has fewer operations."""
        hull = hulls(pieces)
        new = specialized_route(route, hull.boxes())
        if new is not None and is_narrower(new, route, pieces):
            pieces.route = np.full(len(pieces), len(self.routes))
            self.routes.append(new)
            self.slow[hull.of] = 0

    def _use_dominators(self, queue: Pieces) -> Pieces:
        """Bound pieces by the ranges of what their routes do with parts of all variables."""
        for number in np.unique(queue.route):
            path = self.routes[number].path
            if path is None or not self.routes[number].is_short:
                continue
            own = queue.route == number
            boxes = np.unique(queue.of[own] // 2)
            for slot in dominators(path.program)[:MOST]:
                least = self._bounds_beyond(path, slot, boxes)
                queue.bound[own] = np.fmax(queue.bound[own], least[queue.of[own]])
        return self._keep(queue)

    def _bounds_beyond(self, path: Path, slot: int, boxes: Integers) -> Doubles:
        """Return lower bounds of problems by a search in one variable: the result in a slot."""
        program, least = path.program, np.full(len(self.low), -np.inf)
        low, high = (end[:, 2 * boxes] for end in self.boxes)
        whole = [DoubleInterval(a, b) for a, b in zip(low, high, strict=True)]
        value = program.evaluate(variables(whole, 0))[slot].value.broadcast(boxes.shape)
        can = value.is_bounded & ~value.is_empty
        if can.any():
            outer = outer_path(program, slot)
            own = [value[can]]
            limit = min(self.limit, _DOMINATOR_LIMIT)
            inner = Search(formula_of(outer, self.f, own), own, self.tol, limit, [outer])
            for side in (0, 1):
                least[2 * boxes[can] + side] = inner.low[side::2]
        return least

    def _bound_first(self, queue: Pieces) -> None:
        """Bound whole boxes by the formula's values in intervals, which may decide problems."""
        for number in np.unique(queue.route):
            path = self.routes[number].bounding.path
            if path is None:
                continue
            own = queue.route == number
            jets = path.program.evaluate(variables(queue[own].boxes(), 0))
            value = jets[path.program.roots[0]].value.map(np.broadcast_to, (np.count_nonzero(own),))
            value = doubles.flip(queue.of[own] % 2 == 1, value)
            queue.bound[own] = np.where(value.is_empty, -np.inf, value.lo)

    def _without_mirrored(self, queue: Pieces) -> Pieces:
        """Return pieces of which none is another one with variables exchanged."""
        orders = self.whole[0].permutations if len(self.whole) == 1 else []
        if not orders:
            return queue
        is_whole = queue.route == 0
        return concatenate([queue[~is_whole], without_mirrored(queue[is_whole], orders)])

    def _choose(self, queue: Pieces) -> tuple[Pieces, Pieces]:
        """Return the most promising pieces of each problem, and the others."""
        share = min(_SHARE, max(self.limit // 4, 1))
        if any(self._is_narrowed(self.routes[number]) for number in np.unique(queue.route)):
            share = max(share, min(_MOST_TILES, self.limit // 4))
        if len(queue) <= share:
            return queue, queue[:0]
        order = np.lexsort((queue.bound, queue.of))
        of = queue.of[order]
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        position = np.arange(len(of)) - np.repeat(starts, np.diff(starts, append=len(of)))
        chosen = position < share
        return queue[order[chosen]], queue[order[~chosen]]

    # ------------------------------------------------------------ a step

    def _evaluate(self, pieces: Pieces) -> Pieces:
        """Return the parts of pieces that are not decided."""
        count = np.count_nonzero(pieces.low < pieces.high, axis=0)
        is_curved = (count <= _CURVED) & (self.steps > _FIRST_CURVED)
        if self.steps > _FIRST_CONVEX:
            is_curved |= count <= _CONVEX
        kinds, parts = 2 * pieces.route + is_curved, [pieces[:0]]
        for kind in np.unique(kinds).tolist():
            own = pieces if (kinds == kind).all() else pieces[kinds == kind]
            route, order = self.routes[kind // 2], 1 + kind % 2
            if self._is_narrowed(route):
                parts += [self._narrow(route, own[own.of == of]) for of in np.unique(own.of)]
            else:
                parts.append(self._divide(*self._evaluate_route(route, own, order)))
        return concatenate(parts[1:] or parts)

    def _is_narrowed(self, route: Route) -> bool:
        """Return whether pieces are only bounded by their values until they have shorter routes."""
        return route.can_be_narrowed and self.steps > _FIRST_NARROWED

    def _narrow(self, route: Route, pieces: Pieces) -> Pieces:
        """Return the parts of pieces of one problem that are not decided, with shorter routes."""
        before, least = len(pieces), _TILES if route in self.whole else 0
        count = min(max(least, _PARTS * before), _MOST_TILES, self.limit)
        pieces = self._cut_evenly(pieces, count)
        if len(pieces) == before:
            return self._divide(*self._evaluate_route(route, pieces, 1))
        self.evaluated[pieces.of[0] // 2] += len(pieces) - before
        self._sample_middles(route, pieces)
        jet, _, possible = route.bounding.evaluate(pieces.boxes(), 0)
        value = doubles.flip(pieces.of % 2 == 1, jet.value)
        bound = np.fmax(pieces.bound, value.lo)
        pieces.bound = np.where(value.is_empty | ~possible, np.inf, bound)
        pieces, where = self._open_parts(route, pieces, before)
        parts = [pieces[:0]]
        is_growing = len(pieces) > _FAST_GROWTH * before
        for own, narrowed in narrow(route.bounding, pieces, where, is_growing):
            if narrowed is not route.bounding:
                own.route = np.full(len(own), len(self.routes))
                self.routes.append(narrowed)
            parts.append(own)
        return concatenate(parts)

    def _open_parts(self, route: Route, pieces: Pieces, before: int) -> tuple[Pieces, Integers]:
        """Return the parts of pieces that are not decided, and the numbers of these pieces.

        They are contracted if they are many, or hardly more than before.
        """
        where = np.arange(len(pieces))
        for is_last in (False, True):
            is_open = self._is_open(pieces)
            self._record(pieces[~is_open])
            pieces, where = pieces[is_open], where[is_open]
            if not is_last and (len(pieces) > _MANY or len(pieces) < _GROWTH * before):
                pieces = self._contract(route.bounding, pieces, where)
        return pieces, where

    def _sample_middles(self, route: Route, pieces: Pieces) -> None:
        """Record values in the middles of pieces of a problem where they may be least.

        If pieces are many, less ones are sought around the best of them: that spares parts.
        """
        of, at = pieces.of[:1], between(pieces.low, pieces.high)[:, None]
        if route.plain is not None:
            plain, is_falling = route.plain, np.array([of[0] % 2 == 1])
            values = plain.values(plain.slots(at[:, 0]), is_falling)[None]
            is_found = values.min() < self.least[of[0]]
            if is_found and len(pieces) > _MANY and route in self.whole:
                draws, ends = Draws([self.steps], len(at)), [end[:, of] for end in self.boxes]
                evaluate = self._evaluate_points(of)
                at, values = samples.improve(draws, evaluate, at, values, *ends)
            order = np.argsort(values[0])[:_SAMPLED]
            at = at[:, :, order[values[0, order] < self.least[of[0]]]]
        if at.size:
            self._sample(route, np.repeat(of, at.shape[2]), at[:, 0])

    def _evaluate_route(self, route: Route, pieces: Pieces, order: int) -> _Evaluated:
        """Return pieces with their bounds, and where to cut each; record values at points.

        order: the order of derivatives.
        """
        falls = pieces.of % 2 == 1
        is_fixed = pieces.low == pieces.high
        fixed = frozenset(np.flatnonzero(is_fixed.all(axis=1)).tolist())
        bounding = self._bounding_of(route, pieces)
        jet, certain, possible = bounding.evaluate(pieces.boxes(), order, fixed)
        is_sound = (jet.level >= SMOOTH) & bounding.is_formula_defined(jet)
        if self.steps >= _FIRST_LEAN and self._tries_all_forms:
            route.note_useful_forms()
        moves = bounding.moves(certain)
        contracted = self._contract(bounding, pieces)
        narrower = bounding.narrow(jet, pieces.boxes())
        votes = bounding.votes(jet, len(pieces))
        curved, convex_bound = None, np.full(len(pieces), -np.inf)
        if order == 2:
            reach = contracted.high - contracted.low
            at_middles = route.slopes_at(self._middles(contracted), reach)
            convex_bound = self._convex_bounds(route, jet, contracted, is_fixed, at_middles)
            curved, jet = self._use_curvatures(jet, contracted, at_middles)
        value, slopes = doubles.flip(falls, jet.value), slopes_of(jet, falls, is_fixed)
        centre = rounded_down(centres(slopes, contracted), self.integers)
        at, is_defined = self._sample(route, pieces.of, centre)
        self._sample_within(route, pieces.of, centre)
        usable = slopes.known & ((jet.level >= DEFINED) | is_defined)
        slopes = slopes._replace(known=usable)
        terms = least_terms(slopes, contracted, centre)
        mean = np.where(usable, sum_down([at.lo, *terms]), -np.inf)
        bound = np.fmax(np.fmax(contracted.bound, value.lo), mean)
        if curved is not None:
            bound = np.fmax(np.fmax(bound, doubles.flip(falls, curved).lo), convex_bound)
        narrower = doubles.flip(falls, narrower)
        bound = np.where(narrower.is_empty | ~possible, np.inf, np.fmax(bound, narrower.lo))
        can = usable & (jet.level >= DEFINED) & ~is_fixed
        down = can & moves[0] & (slopes.high <= 0) & (slopes.low < 0) & np.isfinite(contracted.high)
        up = can & moves[1] & (slopes.low >= 0) & np.isfinite(contracted.low)
        low = np.where(down, contracted.high, contracted.low)
        high = np.where(up, contracted.low, contracted.high)
        facets = contracted.within(low, high, bound)
        is_lost = (down | up).any(axis=0) & ~is_sound
        is_lost[is_lost] = ~route.is_defined_on(facets[is_lost])
        reduced = contracted.within(
            np.where(is_lost, contracted.low, low), np.where(is_lost, contracted.high, high), bound
        )
        is_narrowed = ((contracted.low > pieces.low) | (contracted.high < pieces.high)).any(axis=0)
        shares = self._shares_of(route, reduced, slopes, votes)
        cuts = self._cuts(reduced, slopes, centre, at.lo, terms, shares, votes)
        cuts = at_ends(reduced, self._between_integers(reduced, cuts), route.ends(reduced))
        return _Evaluated(reduced, cuts, np.asarray(is_narrowed))

    def _middles(self, pieces: Pieces) -> Doubles:
        """Return the middles of pieces, with a row per variable."""
        return rounded_down(np.stack([middle(box) for box in pieces.boxes()]), self.integers)

    @property
    def _tries_all_forms(self) -> bool:
        """A bool that is true in steps in which all forms are tried: ever fewer."""
        return self.steps <= _FIRST_LEAN or not self.steps & (self.steps - 1)

    def _bounding_of(self, route: Route, pieces: Pieces) -> Route:
        """Return what bounds pieces: all forms, or useful ones alone.

        Where bounds are lost, any form may find them on smaller pieces.
        """
        is_lost = bool(np.isneginf(pieces.bound).any())
        return route.bounding if self._tries_all_forms or is_lost else route.lean()

    def _convex_bounds(
        self, route: Route, jet: Jet, pieces: Pieces, is_fixed: Truths, at_middles: Jet
    ) -> Doubles:
        """Return lower bounds of pieces from convex functions; see `convex`.

        Those of the formula, where it is convex, are tangents at the best point of the problem.
        at_middles: its value and slopes in the middles.
        """
        falls, bound = pieces.of % 2 == 1, np.full(len(pieces), -np.inf)
        middle, radius = convex.matrices(jet.curvatures, falls, is_fixed)
        can = (jet.level >= SMOOTH) & (pieces.bound < np.inf)
        can &= ((pieces.low < pieces.high).sum(axis=0) > 1) & np.isfinite(radius).all(axis=(1, 2))
        if not can.any():
            return bound
        own, falls, middle, radius = pieces[can], falls[can], middle[can], radius[can]
        of_matrices = convex.scale(middle, radius)
        every = slopes_of(at_middles, pieces.of % 2 == 1, is_fixed)
        slopes = Slopes(every.low[:, can], every.high[:, can], every.known[can])
        value = doubles.flip(pieces.of % 2 == 1, at_middles.value).lo[can]
        value = np.where(slopes.known, value, -np.inf)
        own_steps = steps(own.boxes(), list(self._middles(own)))
        bound[can] = convex.quadratic_bounds(
            middle, radius, of_matrices, value, (slopes.low, slopes.high), own_steps
        )
        best = self.best[:, own.of]
        can_touch = of_matrices.are_definite & ((best >= own.low) & (best <= own.high)).all(axis=0)
        if can_touch.any():
            tangents = self._tangents(route, own[can_touch])
            touched = np.flatnonzero(can)[can_touch]
            bound[touched] = np.fmax(bound[touched], tangents)
        return bound

    def _tangents(self, route: Route, pieces: Pieces) -> Doubles:
        """Return the least values of tangents on pieces, at the best points of problems."""
        at = rounded_down(self.best[:, pieces.of], self.integers)
        is_still = np.zeros(pieces.low.shape, bool)
        jet, falls = route.slopes_at(at, pieces.high - pieces.low), pieces.of % 2 == 1
        slopes = slopes_of(jet, falls, is_still)
        value = doubles.flip(falls, jet.value)
        tangent = sum_down([value.lo, *least_terms(slopes, pieces, at)])
        return np.where(slopes.known & ~value.is_empty, tangent, -np.inf)

    def _use_curvatures(self, jet: Jet, pieces: Pieces, at: Jet) -> tuple[DoubleInterval, Jet]:
        """Return the Taylor form of second order, and the jet with narrower slopes.

        at: the jet in the middles.
        """
        boxes, centre = pieces.boxes(), list(self._middles(pieces))
        is_smooth = jet.level >= SMOOTH
        curved = second_order(boxes, jet, centre, at)
        usable = is_smooth & ~curved.is_empty
        slopes = {}
        for i, slope in jet.slopes.items():
            narrower = at.slopes.get(i, ZERO)
            for j, step in enumerate(steps(boxes, centre)):
                curvature = jet.curvatures.get((min(i, j), max(i, j)))
                if curvature is not None:
                    narrower = doubles.add(narrower, doubles.mul(curvature, step))
            both = doubles.intersection(slope, narrower)
            slopes[i] = choose(is_smooth & ~both.is_empty, both, slope)
        jet = Jet(jet.value, jet.level, 1, slopes)
        return choose(usable, curved, doubles.ENTIRE), jet

    def _contract(self, route: Route, pieces: Pieces, where: Integers | None = None) -> Pieces:
        """Return the parts of pieces where f is defined and may be less than the goal.

        where: the numbers of the pieces among those evaluated last, unless they are these.
        """
        goals = self._goals()[pieces.of]
        result = DoubleInterval(np.full(len(goals), -np.inf), goals)
        boxes = route.contract(doubles.flip(pieces.of % 2 == 1, result), where)
        if boxes is None:
            return pieces
        low, high = np.stack([b.lo for b in boxes]), np.stack([b.hi for b in boxes])
        low, high = -rounded_down(-low, self.integers), rounded_down(high, self.integers)
        is_empty = (np.isnan(low) | (low > high)).any(axis=0)
        is_cut = is_empty | ((low > pieces.low) | (high < pieces.high)).any(axis=0)
        self._record_gaps(pieces.of[is_cut], goals[is_cut])
        bound = np.where(is_empty, np.inf, pieces.bound)
        low, high = np.where(is_empty, pieces.low, low), np.where(is_empty, pieces.high, high)
        return pieces.within(low, high, bound)

    def _sample(self, route: Route, of: Integers, at: Doubles) -> tuple[DoubleInterval, Truths]:
        """Return the values at points, and where they are defined; record these."""
        value, is_defined, is_valid = route.at_points(at)
        value = doubles.flip(of % 2 == 1, value)
        self._record_values(of[is_valid], at[:, is_valid], value[is_valid])
        return value, is_defined

    def _record_values(self, of: Integers, at: Doubles, value: DoubleInterval) -> None:
        """Record values at points, also for the other problem of the same box."""
        if not self.is_certain:
            least, most = self.certain
            is_taken = ((at >= least[:, of]) & (at <= most[:, of])).all(axis=0)
            of, at, value = of[is_taken], at[:, is_taken], value[is_taken]
        for problem, most in ((of, value.hi), (of ^ 1, -value.lo)):
            before = self.least[problem]
            np.fmin.at(self.least, problem, most)
            is_best = np.flatnonzero((most < before) & (most == self.least[problem]))
            self.best[:, problem[is_best]] = at[:, is_best]

    def _sample_within(self, route: Route, of: Integers, at: Doubles) -> None:
        """Record values beside points that are beyond what variables are for certain."""
        if self.is_certain:
            return
        inside = self._clip(of, at)
        is_beyond = ((inside < at) | (inside > at)).any(axis=0)
        if is_beyond.any():
            self._sample(route, of[is_beyond], inside[:, is_beyond])

    def _clip(self, of: Integers, at: Doubles) -> Doubles:
        """Return points of boxes within the numbers that variables are for certain."""
        if self.is_certain:
            return at
        least, most = (x[:, of] for x in self.certain)
        extra = (slice(None),) * 2 + (None,) * (at.ndim - 2)
        return np.asarray(np.clip(at, least[extra], most[extra]))

    def _explore(self, of: Integers, bound: Doubles) -> None:
        """Look for lesser values of problems: at points everywhere, then around the best ones.

        bound: lower bounds of the problems. One that its values reach, or whose values have not
        changed for some rounds, is finished; that depends on its own values alone.
        """
        draws = Draws([self.steps], len(self.boxes[0]))
        low, high = (end[:, of] for end in self.boxes)
        points = self._clip(of, samples.draw_first(draws, low, high))
        best = self.best[:, of]
        points[:, :, -1] = np.where(np.isnan(best), points[:, :, -1], best)
        if self.steps == _EXPLORATIONS[0]:
            self._values(np.repeat(of, POINTS), points.reshape(len(low), -1))
        even = [samples.draw_evenly(draws, low, high) for _ in range(samples.DRAWS)]
        points = self._clip(of, np.concatenate([points, *even], axis=2))
        values = self._evaluate_points(of)(points)
        unchanged = np.zeros(len(of), np.int64)
        for _ in range(1 if self.is_long else samples.ROUNDS):
            before = self._goals()[of]
            goes_on = ~(bound >= before) & (unchanged < samples.UNCHANGED)
            if not goes_on.any() or self._is_exhausted():
                break
            of, unchanged = of[goes_on], unchanged[goes_on]
            bound, before = bound[goes_on], before[goes_on]
            low, high = low[:, goes_on], high[:, goes_on]
            points, values = samples.improve(
                draws, self._evaluate_points(of), points[:, goes_on], values[goes_on], low, high
            )
            clipped = self._clip(of, points)
            can_gain = (values < self.least[of][:, None]) | np.isposinf(values)
            can_gain |= (clipped != points).any(axis=0)  # those values are of other points
            points = clipped
            if can_gain.any():
                self._values(np.repeat(of, can_gain.sum(axis=1)), points[:, can_gain])
            unchanged = np.where(self._goals()[of] == before, unchanged + 1, 0)

    def _evaluate_points(self, of: Integers) -> Callable[[Doubles], Doubles]:
        """Return a function of points, of shape (variables, problems, points), for their values."""
        falls = of % 2 == 1

        def evaluate(points: Doubles) -> Doubles:
            number = points.shape[2]
            at = points.reshape(len(points), -1)
            plain = [route.plain for route in self.whole if route.plain is not None]
            if len(plain) < len(self.whole):
                return self._values(np.repeat(of, number), at).reshape(-1, number)
            values = [p.values(p.slots(at), np.repeat(falls, number)) for p in plain]
            return np.asarray(np.minimum.reduce(values)).reshape(-1, number)

        return evaluate

    def _seek_edges(self, queue: Pieces, rounds: int) -> None:
        """Look for values at critical sets, near points everywhere and near the best ones.

        Other forms are for poles: they are of use where a problem may still be unbounded after the
        first step.
        """
        bound = np.full(len(self.low), np.inf)
        np.fmin.at(bound, queue.of, queue.bound)
        routes = _with_bounding(self.whole) if self.steps else self.whole
        for index, route in enumerate(routes if not self.is_long else []):
            of, draws = np.unique(queue.of), Draws([self.steps, index], len(queue.low))
            if route.is_continued:
                gap = doubles.ranks_below(self.least[of]) - doubles.ranks_below(bound[of])
                of = of[np.isneginf(bound[of]) | (gap > _FAR)]
            for number in range(rounds):
                of = of[self._goals()[of] > bound[of]]
                if self._is_exhausted(route.edge_work) or not len(of):
                    break
                before = self._goals()[of]
                if not self._seek_edges_once(route, of, bound[of], draws, number):
                    break
                is_tried_again = (number == 0) & np.isneginf(bound[of])
                of = of[(self._goals()[of] < before) | is_tried_again]

    def _seek_edges_once(
        self, route: Route, of: Integers, bound: Doubles, draws: Draws, number: int
    ) -> bool:
        """Record values at critical sets, ever closer to the best points; return whether any.

        bound: lower bounds of the problems.
        """
        if route.path is None or route.plain is None or not route.critical:
            return False
        low, high = (end[:, of] for end in self.boxes)
        best = np.where(np.isnan(self.best[:, of]), low, self.best[:, of])[:, :, None]
        centres = np.repeat(best, samples.CENTRES, axis=2)
        around = samples.draw_around(draws, centres, low, high, 2 * number)
        points = np.concatenate([samples.draw_first(draws, low, high), around], axis=2)
        points = self._clip(of, points)
        edges = critical.find(route.plain, route.critical, points, high - low, of % 2 == 1)
        least = self.least[of[edges.problem]]
        can_gain = (edges.value < least) | np.isposinf(least)  # values beside may overflow
        is_infinite = np.isposinf(edges.value) | np.isneginf(bound[edges.problem])
        is_far = doubles.ranks_below(least) - doubles.ranks_below(bound[edges.problem]) > _FAR
        can_gain |= (is_infinite | is_far) & edges.may_have_limits(route.critical)
        edges = critical.moved_apart(edges.take(can_gain), low, high)
        of = of[edges.problem]
        if len(of):
            values = critical.values(route.path, route.critical, edges, route.is_continued)
            for pair, at, value in values:
                self._record_values(of[pair], at, doubles.flip(of[pair] % 2 == 1, value))
        return bool(len(of))

    def _seek_limits(self, queue: Pieces) -> None:
        """Look for limits at the bounds of pieces, where the formula may be undefined."""
        queue = queue[np.lexsort((queue.bound, queue.of))]
        starts = np.searchsorted(queue.of, queue.of)
        queue = queue[np.arange(len(queue)) - starts < _LIMITS]
        for number in np.unique(queue.route):
            own, route = queue[queue.route == number], self.routes[number].bounding
            route = self.routes[number] if route.integers else route
            if route.path is None or route.path.constraints:
                continue
            of, at, sides = ends_of(own)
            can_gain = self._can_have_limits(self.routes[number], of, at)
            of, at, sides = of[can_gain], at[:, can_gain], sides[:, can_gain]
            if len(of):
                value = limits.limits(route.path.program, at, sides)
                self._record_values(of, at, doubles.flip(of % 2 == 1, value))

    def _can_have_limits(self, route: Route, of: Integers, at: Doubles) -> Truths:
        """Return the points at which limits may be less than the least values.

        Where all parts are finite in plain doubles, limits are close to their values.
        """
        if route.plain is None:
            return np.ones(len(of), bool)
        slots = route.plain.slots(at)
        can_gain = route.plain.values(slots, of % 2 == 1) < self.least[of]
        for numbers in slots:
            can_gain |= ~np.isfinite(numbers)
        return can_gain

    def _values(self, of: Integers, at: Doubles) -> Doubles:
        """Return values at points, infinite where there is none, and record them."""
        least = np.full(at.shape[1], np.inf)
        for route in self.whole:
            value, _ = self._sample(route, of, at)
            least = np.fmin(least, value.hi)
        return least

    def _shares_of(
        self, route: Route, pieces: Pieces, slopes: Slopes, votes: Votes | None
    ) -> Doubles:
        """Return numbers of which the greatest is that of the variable to cut, a row for each.

        They are changes of f if its slopes are known, else shares of the box, greater for variables
        by which bounds or slopes are lost. votes: how many operations lose bounds by each.
        """
        widths, shares = pieces.high - pieces.low, self._shares(pieces)
        if votes is not None:
            shares = np.where(votes.favourites(widths > 0), _PREFERENCE * shares, shares)
        changes = widths * np.maximum(np.abs(slopes.low), np.abs(slopes.high))
        is_steep = ~np.isfinite(changes) & (widths > 0)
        shares = np.where(is_steep, _PREFERENCE * shares, shares)
        is_known = slopes.known & np.isfinite(changes).all(axis=0) & changes.any(axis=0)
        if self.steps > _FIRST_TRIAL and route.is_short:
            unknown = ~is_known & ((widths > 0).sum(axis=0) > 1) & self._is_open(pieces)
            if votes is not None and self.steps % 2:  # else signs may be sought in vain
                unknown &= ~(votes.signs.any(axis=0) & np.isneginf(pieces.bound))
            shares[:, unknown] = self._try(route, pieces[unknown], shares[:, unknown])
        return np.where(is_known, changes, shares)

    def _try(self, route: Route, pieces: Pieces, shares: Doubles) -> Doubles:
        """Return by how much bounds rise if each variable is fixed; shares if none matters."""
        if not len(pieces):
            return shares
        falls, gains = pieces.of % 2 == 1, np.zeros(shares.shape)
        middle, goals = between(pieces.low, pieces.high), self._goals()[pieces.of]
        boxes, bounding = pieces.boxes(), self._bounding_of(route, pieces)
        for i in np.flatnonzero((pieces.low < pieces.high).any(axis=1)):
            fixed = [*boxes[:i], point(middle[i]), *boxes[i + 1 :]]
            jet, _, _ = bounding.evaluate(fixed, 0)
            bound = doubles.flip(falls, jet.value).lo
            gain = (np.fmin(bound, goals) - pieces.bound) / (goals - pieces.bound)
            gain = np.where(np.isneginf(pieces.bound), np.isfinite(bound), gain)
            gains[i] = np.where(pieces.low[i] < pieces.high[i], np.nan_to_num(gain), 0)
        most = gains.max(axis=0)
        ties = np.where(gains == most, shares, 0)  # of several, the widest
        return np.where(most > _LEAST_GAIN, ties, shares)

    def _cuts(
        self,
        pieces: Pieces,
        slopes: Slopes,
        centre: Doubles,
        at: Doubles,
        terms: Doubles,
        shares: Doubles,
        votes: Votes | None,
    ) -> Cuts:
        """Return where to cut pieces: at a gap without lesser values, else in the middle.

        shares: the axis of the greatest one is cut. votes: see `Route.votes`.
        """
        axis = np.argmax(shares, axis=0)
        rows = np.arange(len(pieces))
        ends = pieces.low[axis, rows], pieces.high[axis, rows]
        middle = between(*ends)
        if votes is not None:  # bounds are lost at zero more often than elsewhere
            is_lost = np.where(pieces.high > pieces.low, votes.lost, 0).any(axis=0)
            middle = np.where(is_lost & (ends[0] < 0) & (ends[1] > 0), 0.0, middle)
        goals = self._goals()[pieces.of]
        lower_end, upper_end = gaps(slopes, centre, missing_terms(goals, at, terms))
        inside = np.minimum(upper_end, pieces.high) - np.maximum(lower_end, pieces.low)
        widths = pieces.high - pieces.low
        shares = np.where(slopes.known & (widths > 0), inside / widths, 0.0)
        widest = np.argmax(np.where(shares > 0, shares, 0.0), axis=0)
        has_gap = shares[widest, rows] > _GAP
        self._record_gaps(pieces.of[has_gap], goals[has_gap])
        return Cuts(
            np.where(has_gap, widest, axis),
            np.where(has_gap, lower_end[widest, rows], middle),
            np.where(has_gap, upper_end[widest, rows], middle),
        )

    def _between_integers(self, pieces: Pieces, cuts: Cuts) -> Cuts:
        """Return cuts that leave no part between integers if a variable need only be one."""
        if not self.integers:
            return cuts
        rows = np.arange(len(pieces))
        is_wide = pieces.low[cuts.axis, rows] < pieces.high[cuts.axis, rows]
        is_integer = np.isin(cuts.axis, self.integers) & is_wide
        lower_end = np.where(is_integer, np.floor(cuts.lower_end), cuts.lower_end)
        next_one = np.fmax(np.ceil(cuts.upper_end), lower_end + 1)
        return Cuts(cuts.axis, lower_end, np.where(is_integer, next_one, cuts.upper_end))

    def _divide(self, pieces: Pieces, cuts: Cuts, is_narrowed: Truths) -> Pieces:
        """Return the parts of those pieces that are not decided; record the others."""
        undecided = self._is_open(pieces)
        self._record(pieces[~undecided])
        pieces, cuts, is_narrowed = pieces[undecided], cuts.of(undecided), is_narrowed[undecided]
        rows = np.arange(len(pieces))
        low, high = pieces.low[cuts.axis, rows], pieces.high[cuts.axis, rows]
        is_large = (cuts.lower_end < cuts.upper_end) | can_cut(low, cuts.lower_end, high)
        self._record(pieces[~is_large & ~is_narrowed])
        parts = cut(pieces[is_large], cuts.of(is_large))
        return concatenate([parts, pieces[~is_large & is_narrowed]])

    # ------------------------------------------------------------ bounds

    def _goals(self) -> Doubles:
        """Return bounds that are close enough to values that f takes."""
        is_early = np.repeat(self.evaluated, 2) < _PATIENCE // max(self.tol, 1)
        early, late = (doubles.lower_by_ranks(self.least, tol) for tol in (0, self.tol))
        return np.where(is_early, early, late)

    def _is_open(self, pieces: Pieces) -> Truths:
        """Return which pieces may have values that matter."""
        return ~(pieces.bound >= self._goals()[pieces.of])

    def _record(self, pieces: Pieces) -> None:
        np.fmin.at(self.low, pieces.of, pieces.bound)

    def _record_gaps(self, of: Integers, goals: Doubles) -> None:
        np.fmin.at(self.low, of, goals)

    def _is_exhausted(self, more: float = 0.0) -> bool:
        """Return whether the formula has taken more work than a limit of boxes is meant for."""
        work = more + sum(route.all_work for route in self.routes)
        most = _LONG_WORK if self.is_long else _WORK
        return work > most * max(self.limit, _LEAST_LIMIT)

    def _keep(self, queue: Pieces) -> Pieces:
        """Return the pieces that are still to be evaluated; record the others."""
        goes_on = ~self.is_stopped & np.repeat(self.evaluated < self.limit, 2)
        goes_on &= not self._is_exhausted()
        is_open = self._is_open(queue) & goes_on[queue.of]
        self._record(queue[~is_open])
        return queue[is_open]

    # ------------------------------------------------------------ results

    def range(self) -> DoubleInterval:
        """Return the enclosures found; empty ones have a lower bound above the upper one."""
        return DoubleInterval(self.low[::2], -self.low[1::2])

    def gap(self) -> Integers:
        """Return an upper limit for the distance of the bounds from the best ones, in halves."""
        inner, outer = (doubles.ranks_below(x) for x in (self.least, self.low))
        gaps = np.maximum(inner - outer, 0).reshape(-1, 2).max(axis=1)
        enclosure = self.range()
        return np.where(enclosure.lo > enclosure.hi, 0, gaps)
