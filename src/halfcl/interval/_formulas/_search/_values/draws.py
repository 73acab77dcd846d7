"""Random numbers for points of boxes, drawn once for each seed and number of variables.

They are the same for all problems, since the result of a box must not depend on other boxes. So
they are the same for all formulas, too, and kept if there are few variables: to draw them takes
longer than to use them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas.doubles import Doubles

#: The number of points drawn in a round for each problem.
POINTS = 64
#: Binary orders of magnitude of the distances from bounds and from zero.
_ORDERS = 40
#: Binary orders of magnitude of steps.
_FINE = 24
#: How many draws are kept, for how many variables at most; all explorations of a formula take some
#: hundred.
_KEPT, _MOST = 512, 8


class Spread(NamedTuple):
    """Points at bounds, beside these or zero, in the middle, or anywhere.

    places: for each of these places which coordinates are there, of shape (variables, 1, POINTS).
    """

    places: list[Truths]
    is_lower: Truths  #: whether zero is approached from the lower bound
    share: Doubles
    near: Doubles  #: a small share


class Even(NamedTuple):
    """Points with evenly distributed coordinates, or orders of magnitude of these."""

    share: Doubles
    is_geometric: Truths


class Around(NamedTuple):
    """Steps from centres, in their unit; some coordinates stay."""

    step: Doubles


class Move(NamedTuple):
    """Steps of any size, or toward, away from or onto an anchor; some coordinates stay."""

    ahead: Doubles  #: how far points go on in the direction from earlier ones
    size: Doubles
    direction: Doubles
    is_low: Truths  #: whether the anchor is the lower bound; or the upper one
    is_high: Truths
    factor: Doubles  #: of the distance from the anchor
    is_scaled: Truths
    is_anchor: Truths
    moves: Truths


Draw: TypeAlias = Spread | Even | Around | Move
_Kind = TypeVar("_Kind", Spread, Even, Around, Move)
#: The state of a generator.
State: TypeAlias = Mapping[str, Any]


def _spread(rng: np.random.Generator, count: int) -> Spread:
    kind, share = rng.integers(0, 8, (2, count, 1, POINTS))[0], rng.random((count, 1, POINTS))
    near = np.exp2(-_ORDERS * rng.random((count, 1, POINTS)))
    return Spread([kind == place for place in range(6)], share < 0.5, share, near)


def _even(rng: np.random.Generator, count: int) -> Even:
    share = rng.random((count, 1, POINTS))
    return Even(share, rng.random(share.shape) < 0.5)


def _around(rng: np.random.Generator, count: int) -> Around:
    shape = count, 1, POINTS
    return Around(rng.uniform(-1, 1, shape) * (rng.random(shape) < 0.75))


def _move(rng: np.random.Generator, count: int) -> Move:
    shape, one = (count, 1, POINTS), (1, POINTS)
    ahead = rng.uniform(0, 4, one) * (rng.random(one) < 0.3)
    size, direction = np.exp2(-_FINE * rng.random(one) ** 2), rng.uniform(-1, 1, shape)
    place = rng.integers(0, 3, shape)
    factor = np.exp2(rng.uniform(-_FINE / 2, 3, shape))
    kind = rng.integers(0, 8, shape)  # six of eight are steps
    some, shares = rng.random(shape), np.array([1.5 / count, 0.5, 1.0])
    moves = some < shares[rng.integers(0, 3, one)]
    return Move(ahead, size, direction, place == 0, place == 1, factor, kind == 1, kind == 0, moves)


_KINDS: dict[type[Draw], Callable[[np.random.Generator, int], Draw]] = {
    Spread: _spread, Even: _even, Around: _around, Move: _move,
}  # fmt: skip


class Draws:
    """A sequence of draws: random numbers of a seed for points of some variables."""

    def __init__(self, seed: Sequence[int], count: int) -> None:
        self._seed, self._count = tuple(seed), count
        self._kinds: tuple[type[Draw], ...] = ()
        #: what draws where nothing is kept
        self._rng = np.random.default_rng(self._seed) if count > _MOST else None

    def next(self, kind: type[_Kind]) -> _Kind:
        """Return the next draw, of a kind."""
        if self._rng is not None:
            draw = _KINDS[kind](self._rng, self._count)
        else:
            self._kinds += (kind,)
            draw = _draw(self._seed, self._count, self._kinds)[0]
        assert isinstance(draw, kind)
        return draw


@functools.lru_cache(_KEPT)
def _draw(seed: tuple[int, ...], count: int, kinds: tuple[type[Draw], ...]) -> tuple[Draw, State]:
    """Return the last one of a sequence of draws, and the state of the generator after it."""
    *before, kind = kinds
    rng = np.random.default_rng(seed)
    if before:
        rng.bit_generator.state = _draw(seed, count, tuple(before))[1]
    draw = _KINDS[kind](rng, count)
    for numbers in draw:
        for array in numbers if isinstance(numbers, list) else [numbers]:
            array.flags.writeable = False
    return draw, rng.bit_generator.state
