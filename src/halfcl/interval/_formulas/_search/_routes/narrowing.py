"""Shorter routes of long formulas for pieces, as these get smaller.

A drawing is thousands of minima and maxima, of which few are undecided on a small piece. Pieces
that are close to each other share a route without what is decided on all of them. Pieces that have
too little in common are divided.

Source: Keeter, Massively Parallel Rendering of Complex Closed-Form Implicit Surfaces, 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._formulas._rewriting.forms import MOST_STEPS
from halfcl.interval._formulas._search._pieces.pieces import Pieces, hulls
from halfcl.interval._formulas._search._routes.route import Route
from halfcl.interval._formulas._search._routes.specialized import Extrema, shorten
from halfcl.interval._formulas._search.programs import Program

Integers = NDArray[np.int64]

#: The share of operations that pieces may keep; if they keep more, the route stays as it is.
_SHARE = 0.75
#: The number of pieces up to which they may be divided, into groups of how many at least: with
#: more, operations on all of them take no longer than many on parts.
_FEW, _LEAF = 256, 8
#: The number of groups that are tried first; the operations that take as long as other work for a
#: route.
_TRIALS, _CALL = 4, 64


class Narrowed(NamedTuple):
    """Pieces, and a route for these alone."""

    pieces: Pieces
    route: Route


class _Group(NamedTuple):
    """The numbers of pieces, what is decided on all of them, and how many operations are not."""

    numbers: Integers
    chosen: dict[int, int]
    steps: int


def narrow(
    route: Route, pieces: Pieces, where: Integers, is_growing: bool = False
) -> Iterator[Narrowed]:
    """Yield routes for pieces of a problem, or parts of some on which one was evaluated last.

    where: the numbers of these among those. is_growing: whether pieces become many more, and what
    was in vain is not tried again.
    """
    path = route.path
    assert path is not None
    if is_growing and route.is_undecided and len(pieces):
        yield Narrowed(pieces, route)
        return
    for numbers, chosen, steps in _groups(path.program, pieces, where) if len(pieces) else ():
        own = pieces[numbers]
        if steps > _SHARE * len(path.program.steps):
            route.is_undecided = True
            yield Narrowed(own, route)
        else:
            yield Narrowed(own, Route(shorten(path, chosen), route.f, hulls(own).boxes()))


def _groups(program: Program, pieces: Pieces, where: Integers) -> Sequence[_Group]:
    """Return groups of pieces that have fewer operations than all of them together.

    where: the numbers of these pieces among those on which the program was evaluated last.
    """
    extrema = Extrema(program, program.jets, where)

    def group(index: Integers) -> _Group:
        chosen = extrema.decisions(index)
        return _Group(index, chosen, program.count_without(chosen))

    every = group(np.arange(len(pieces)))
    if every.steps <= MOST_STEPS or len(pieces) > _FEW:
        return [every]
    leaves = _leaves(pieces, every.numbers)
    some = [group(index).steps for index in leaves[:: -(-len(leaves) // _TRIALS)]]
    if np.mean(some) * len(leaves) > every.steps:
        return [every]
    return _divide(pieces, every, group)


def _divide(pieces: Pieces, group: _Group, of: Callable[[Integers], _Group]) -> Sequence[_Group]:
    """Return the groups into which one is divided with the fewest operations in all."""
    if len(group.numbers) <= _LEAF or group.steps <= MOST_STEPS:
        return [group]
    halves = [_divide(pieces, of(index), of) for index in _halves(pieces, group.numbers)]
    parts = [part for half in halves for part in half]
    return parts if sum(part.steps + _CALL for part in parts) < group.steps + _CALL else [group]


def _leaves(pieces: Pieces, index: Integers) -> list[Integers]:
    """Return the numbers of some pieces in groups of a few, by where these are."""
    if len(index) <= _LEAF:
        return [index]
    return [leaf for half in _halves(pieces, index) for leaf in _leaves(pieces, half)]


def _halves(pieces: Pieces, index: Integers) -> list[Integers]:
    """Return the numbers of some pieces in two parts, by where these are."""
    middle = (pieces.low / 2 + pieces.high / 2)[:, index]
    axis = np.argmax(middle.max(axis=1) - middle.min(axis=1))
    order = index[np.argsort(middle[axis], kind="stable")]
    return [order[: len(order) // 2], order[len(order) // 2 :]]
