"""Exchanges of variables that leave a formula as it is: of x and y in x y + x + y.

Both ways are compared as they are computed: terms and factors in any order, signs apart. So x - y
is the opposite of y - x, and its square and its cosine are the same. If a piece of a box is another
one with variables exchanged, the formula has the same values there.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from halfcl.interval._formulas._search._pieces.pieces import Pieces
from halfcl.interval._formulas._search._symmetries.changes import SUMS, constants_of, integer
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._protocols import SYNONYMS

#: A part of a formula: its sign, and the number of what is left without that.
Key: TypeAlias = tuple[int, int]
#: Terms, or factors with exponents of 1 or -1.
Items: TypeAlias = tuple[Key, ...]

#: The number of variables up to which two pairs of them are exchanged at once.
_MOST = 6
_EVEN = ("abs", "sqr", "cos", "cosh")
_ODD = (
    "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "cbrt", "erf", "radians",
    "degrees",
)  # fmt: skip


def permutations(program: Program) -> list[list[int]]:
    """Return exchanges of variables that leave a program's first result as it is.

    They are one or two pairs; each has a list of the variable that is in the place of each.
    """
    parts, every = _Parts(program), [*range(program.count)]
    own = parts.key_of(every)
    return [order for order in _exchanges(program.count) if parts.key_of(order) == own]


def without_mirrored(pieces: Pieces, orders: Sequence[Sequence[int]]) -> Pieces:
    """Return pieces of which none is another one with variables exchanged.

    orders: the variable that is in the place of each; these are exchanges.
    """
    ends = np.concatenate([pieces.low, pieces.high])
    for order in orders:
        other = np.concatenate([pieces.low[list(order)], pieces.high[list(order)]])
        first = np.argmax(ends != other, axis=0), np.arange(len(pieces))
        ends = np.where(other[first] < ends[first], other, ends)
        low, high = np.split(ends, 2)
        pieces = pieces.within(low, high, pieces.bound)
    _, index = np.unique(np.vstack([pieces.of, pieces.route, ends]), axis=1, return_index=True)
    return pieces[np.sort(index)]


def _exchanges(count: int) -> Iterator[list[int]]:
    """Yield exchanges of one pair of variables, and of two."""
    pairs = [*itertools.combinations(range(count), 2)]
    two = itertools.combinations(pairs, 2) if count <= _MOST else iter(())
    for chosen in (*((pair,) for pair in pairs), *two):
        places = [i for pair in chosen for i in pair]
        if len({*places}) < len(places):
            continue
        order = [*range(count)]
        for i, j in chosen:
            order[i], order[j] = j, i
        yield order


class _Parts:
    """The parts of a program, with numbers that are the same for the same numbers."""

    def __init__(self, program: Program) -> None:
        self.program, self._constants = program, dict(constants_of(program))
        self._steps = program.steps_for({program.roots[0]})
        self._numbers: dict[Hashable, int] = {}
        #: the terms and factors of sums and products
        self._terms: dict[int, Items] = {}
        self._factors: dict[int, Items] = {}

    def key_of(self, order: Sequence[int]) -> Key:
        """Return the key of the result if variables are in another order."""
        keys = {i: (1, self._number(("variable", other))) for i, other in enumerate(order)}
        for slot in self.program.constants:
            number = self._constants.get(slot)
            known = ("slot", slot) if number is None else ("number", abs(number))
            keys[slot] = -1 if number is not None and number < 0 else 1, self._number(known)
        for step in self._steps:
            keys[step.slot] = self._key(step, [keys[i] for i in step.operands])
        return keys[self.program.roots[0]]

    def _number(self, part: Hashable) -> int:
        return self._numbers.setdefault(part, len(self._numbers))

    def _key(self, step: Step, own: list[Key]) -> Key:
        """Return the key of an operation."""
        name = SYNONYMS.get(step.name, step.name)
        if name in SUMS:
            signs = SUMS[name] or (1,) * len(own)
            return self._sum([(s * sign, n) for (s, n), sign in zip(own, signs, strict=True)])
        if name in ("mul", "div", "recip"):
            exponents = {"mul": (1, 1), "div": (1, -1), "recip": (-1,)}[name]
            return self._product(own, exponents)
        if name == "pown" and integer(step.others[0]) % 2 == 0:
            return 1, self._number((name, own[0][1], integer(step.others[0])))
        if name in _EVEN:
            return 1, self._number((name, own[0][1]))
        if name in _ODD and not step.part:
            return own[0][0], self._number((name, own[0][1]))
        if name in ("min", "max"):
            return 1, self._number((name, tuple(sorted(own))))
        if name == "hypot":
            return 1, self._number((name, tuple(sorted(n for _, n in own))))
        return 1, self._number((name, tuple(own), tuple(map(repr, step.others)), step.part))

    def _sum(self, terms: Sequence[Key]) -> Key:
        """Return the key of a sum, which is positive for the first of both orders."""
        if len(terms) == 1:
            return terms[0]
        every = [(s * sign, n) for s, number in terms
                 for sign, n in self._terms.get(number, ((1, number),))]  # fmt: skip
        both = [tuple(sorted((n, sign * s) for s, n in every)) for sign in (1, -1)]
        first = min(both)
        number = self._number(("sum", first))
        self._terms[number] = tuple([(s, n) for n, s in first])
        return (1 if first == both[0] else -1), number

    def _product(self, factors: Sequence[Key], exponents: Sequence[int]) -> Key:
        sign = int(np.prod([s for s, _ in factors]))
        every = sorted(
            (own * exponent, n)
            for (_, number), exponent in zip(factors, exponents, strict=True)
            for own, n in self._factors.get(number, ((1, number),))
        )
        number = self._number(("product", tuple(every)))
        self._factors[number] = tuple(every)
        return sign, number
