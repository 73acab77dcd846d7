"""How the parts of a formula change when its variables are scaled or shifted.

A scaling multiplies variables by exp(rate * t), a shift adds rate * t, with a rate for each. Parts
then change in the same ways if the rates solve some linear equations: terms of a sum have the same
rate, rates of factors add up, and an exponential of what is shifted is scaled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from halfcl.interval._formulas._search._symmetries.linear import Row, reduce_rows
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._protocols import SYNONYMS

_0, _1 = Fraction(0), Fraction(1)


class Change(NamedTuple):
    """How a part changes with t: by adding rate * t, or else by a factor exp(rate * t).

    rate: a linear function of the variables' rates, as its coefficients.
    """

    is_added: bool
    rate: Row

    def times(self, number: Fraction) -> Change:
        return Change(self.is_added, tuple([number * x if x else x for x in self.rate]))

    def plus(self, other: Change, share: Fraction = _1) -> Change:
        pairs = zip(self.rate, other.rate, strict=True)
        return Change(self.is_added, tuple([x + share * y if y else x for x, y in pairs]))


class Changes:
    """The changes of all parts of a path, and the equations that the variables' rates solve.

    is_added: whether the variables are shifted, not scaled. Parts of unknown kinds do not change if
    their operands do not, which is an equation for each of these.
    """

    def __init__(self, path: Path, is_added: bool) -> None:
        program = path.program
        self.program = program
        self.equations: list[Row] = []
        self.none = tuple([_0] * program.count)
        self._constants = dict(constants_of(program))
        #: the result's slot, unless that is compared with others
        self._results = {program.roots[0]} - {i for c in path.constraints for i in c.slots}
        self._changes: dict[int, Change] = {}
        for i in range(program.count):
            self._changes[i] = Change(is_added, tuple(_1 * (i == j) for j in range(program.count)))
        for step in program.steps_for({*program.roots}):
            self._changes[step.slot] = self._of(step)
        for constraint in path.constraints:
            self._equal(constraint.slots)
        self.result = self._get(program.roots[0], is_added)
        self.equations = reduce_rows(self.equations)[0]

    def _get(self, slot: int, is_added: bool) -> Change:
        return self._changes.get(slot, Change(is_added, self.none))

    def _zero(self, change: Change) -> None:
        if any(change.rate):
            self.equations.append(change.rate)

    def _same(self, slots: Sequence[int]) -> bool | None:
        """Return whether all parts that change are shifted; None if that differs."""
        kinds = {self._changes[s].is_added for s in slots if any(self._get(s, True).rate)}
        return None if len(kinds) > 1 else (kinds or {False}).pop()

    def _factor(self, slot: int) -> Change:
        """Return the change of a part by a factor; it must not be shifted."""
        change = self._get(slot, False)
        if change.is_added:
            self._zero(change)
        return Change(False, self.none) if change.is_added else change

    def _equal(self, slots: Sequence[int]) -> Change:
        """Return the change of parts that all change alike; zero changes by any factor."""
        kind = self._same(slots)
        if kind is None:
            return self._still(slots)
        if not kind:
            slots = [s for s in slots if self._constants.get(s) != 0] or slots[:1]
        changes = [self._get(slot, kind) for slot in slots]
        for change in changes[1:]:
            self._zero(change.plus(changes[0], -_1))
        return changes[0]

    def _still(self, slots: Sequence[int]) -> Change:
        """Return no change, of a part whose operands must not change."""
        for slot in slots:
            self._zero(self._get(slot, False))
        return Change(False, self.none)

    def _sum(self, slots: Sequence[int], signs: Sequence[int]) -> Change:
        if not self._same(slots):
            return self._equal(slots)
        total = Change(True, self.none)
        for slot, sign in zip(slots, signs, strict=True):
            total = total.plus(self._get(slot, True), Fraction(sign))
        return total

    def _product(self, one: int, other: int, sign: int) -> Change:
        for x, y in ((one, other), (other, one))[: 1 if sign < 0 else 2]:
            number = self._constants.get(y)
            if number and self._get(x, False).is_added:
                return self._get(x, True).times(number if sign > 0 else 1 / number)
        return self._factor(one).plus(self._factor(other), Fraction(sign))

    def _power(self, step: Step) -> Change:
        exponent = step.others[0] if step.others else self._constants.get(step.operands[-1])
        if exponent is None:
            return self._still(step.operands)
        number = exponent if isinstance(exponent, Fraction) else Fraction(integer(exponent))
        return self._factor(step.operands[0]).times(number)

    def _of(self, step: Step) -> Change:
        """Return how a part changes."""
        name, slots = SYNONYMS.get(step.name, step.name), step.operands
        if name in SUMS:
            return self._sum(slots, SUMS[name] or [1] * len(slots))
        if name in PRODUCTS:
            return self._product(slots[0], slots[1], PRODUCTS[name])
        if name in _SHARES:
            return self._factor(slots[0]).times(_SHARES[name])
        if name in _POWERS:
            return self._power(step)
        if name in _EQUAL:
            return self._equal(slots)
        if name == "hypot":
            for slot in slots:
                self._factor(slot)
            return self._equal(slots)
        if name == "atan2":
            for slot in slots:
                self._factor(slot)
            self._equal(slots)
            return Change(False, self.none)
        if name == "fma":
            return self._fma(slots)
        if name in _OTHER_LOGARITHMS and step.slot in self._results:
            change = self._get(slots[0], False)
            return self._still(slots) if change.is_added else Change(True, change.rate)
        return self._function(name, slots)

    def _fma(self, slots: Sequence[int]) -> Change:
        product = self._product(slots[0], slots[1], 1)
        rest = self._get(slots[2], product.is_added)
        if product.is_added and rest.is_added:
            return product.plus(rest)
        if product.is_added != rest.is_added:
            self._zero(product)
            self._zero(rest)
            return Change(False, self.none)
        self._zero(product.plus(rest, -_1))
        return product

    def _function(self, name: str, slots: Sequence[int]) -> Change:
        change = self._get(slots[0], False) if slots else Change(False, self.none)
        if name == "exp" and change.is_added:
            return Change(False, change.rate)
        if name == "log" and not change.is_added:
            return Change(True, change.rate)
        if name in ("copysign", "sign"):
            for slot in slots:
                self._factor(slot)
            return self._factor(slots[0]) if name == "copysign" else Change(False, self.none)
        return self._still(slots)


#: Sums, and the signs of their terms; products, and whether the second factor is a divisor.
SUMS: dict[str, tuple[int, ...]] = {
    "add": (1, 1), "sub": (1, -1), "neg": (-1,), "positive": (1,), "total": (),
}  # fmt: skip
PRODUCTS = {"mul": 1, "div": -1}
#: The exponents of powers of one operand.
_SHARES = {
    "abs": _1, "recip": -_1, "sqr": Fraction(2), "sqrt": Fraction(1, 2), "rsqrt": Fraction(-1, 2),
    "cbrt": Fraction(1, 3),
}  # fmt: skip
#: Logarithms to other bases, as results; of their rates, only the signs are known exactly.
_OTHER_LOGARITHMS = ("log2", "log10")
_POWERS = ("pow", "power", "pown")
_EQUAL = ("min", "max")


def constants_of(program: Program) -> Iterator[tuple[int, Fraction]]:
    """Yield the slots of constants that are one finite number, and these."""
    for slot, jet in program.constants.items():
        low, high = float(jet.value.lo.flat[0]), float(jet.value.hi.flat[0])
        if low == high and np.isfinite(low):
            yield slot, Fraction(low)


def integer(x: object) -> int:
    """Return an exponent, a number or an array of one, as an int."""
    return int(np.asarray(x).flat[0])
