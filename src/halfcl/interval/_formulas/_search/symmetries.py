"""Symmetries of formulas: faces of boxes on which they have all their extreme values.

A formula has a scaling if multiplying its variables by powers of any positive number multiplies its
result by a power of it, or adds a multiple of its logarithm: x / sqrt(x^2 + y^2) does not change,
and x y / (x + y) is as many times as great. It has a shift if adding multiples of any number to its
variables adds a multiple to its result, or multiplies it by a power: exp(x - y).

Moving a point of a box that way, with the parameter t rising or falling, changes the result only in
one direction, or not at all. It ends at a face: a box is closed, and moving ends only where a
variable has reached its bound, unless no variable changes, or those that change tend to zero.
So the least value is on those faces at which the direction ends in which the result does not rise,
and each symmetry spares the search a variable. Points that do not move are a face of their own.

A formula is symmetric if it does not change when some of its variables change their signs, as x y:
then one of these need not be negative.

If a scaling multiplies the result, it falls with rising t where it is negative, and with falling t
where it is positive. Then the least values are on the faces of both directions. Where moving never
ends since all variables tend to zero, so does the result: zero is a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.doubles import Doubles
from halfcl.interval._protocols import SYNONYMS

Integers = NDArray[np.int64]
_Row: TypeAlias = tuple[Fraction, ...]

#: The greatest number of faces of a box.
MOST_FACES = 48
_0, _1 = Fraction(0), Fraction(1)


# ---------------------------------------------------------------- how parts change


class _Change(NamedTuple):
    """How a part changes with t: by adding rate * t, or else by a factor exp(rate * t).

    rate: a linear function of the variables' rates, as its coefficients.
    """

    is_added: bool
    rate: _Row

    def times(self, number: Fraction) -> _Change:
        return _Change(self.is_added, tuple(number * x for x in self.rate))

    def plus(self, other: _Change, share: Fraction = _1) -> _Change:
        pairs = zip(self.rate, other.rate, strict=True)
        return _Change(self.is_added, tuple(x + share * y for x, y in pairs))


class _Changes:
    """The changes of all parts of a path, and the equations that the variables' rates solve.

    is_added: whether the variables are shifted, not scaled. Parts of unknown kinds do not change if
    their operands do not, which is an equation for each of these.
    """

    def __init__(self, path: Path, is_added: bool) -> None:
        program = path.program
        self.program = program
        self.equations: list[_Row] = []
        self.none = tuple([_0] * program.count)
        self._constants = dict(_constants(program))
        self._changes: dict[int, _Change] = {}
        for i in range(program.count):
            self._changes[i] = _Change(is_added, tuple(_1 * (i == j) for j in range(program.count)))
        for step in program.steps_for({*program.roots}):
            self._changes[step.slot] = self._of(step)
        for constraint in path.constraints:
            self._equal(constraint.slots)
        self.result = self._get(program.roots[0], is_added)
        self.equations = _reduced(self.equations)[0]

    def _get(self, slot: int, is_added: bool) -> _Change:
        return self._changes.get(slot, _Change(is_added, self.none))

    def _zero(self, change: _Change) -> None:
        if any(change.rate):
            self.equations.append(change.rate)

    def _same(self, slots: Sequence[int]) -> bool | None:
        """Return whether all parts that change are shifted; None if that differs."""
        kinds = {self._changes[s].is_added for s in slots if any(self._get(s, True).rate)}
        return None if len(kinds) > 1 else (kinds or {False}).pop()

    def _factor(self, slot: int) -> _Change:
        """Return the change of a part by a factor; it must not be shifted."""
        change = self._get(slot, False)
        if change.is_added:
            self._zero(change)
        return _Change(False, self.none) if change.is_added else change

    def _equal(self, slots: Sequence[int]) -> _Change:
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

    def _still(self, slots: Sequence[int]) -> _Change:
        """Return no change, of a part whose operands must not change."""
        for slot in slots:
            self._zero(self._get(slot, False))
        return _Change(False, self.none)

    def _sum(self, slots: Sequence[int], signs: Sequence[int]) -> _Change:
        if not self._same(slots):
            return self._equal(slots)
        total = _Change(True, self.none)
        for slot, sign in zip(slots, signs, strict=True):
            total = total.plus(self._get(slot, True), Fraction(sign))
        return total

    def _product(self, one: int, other: int, sign: int) -> _Change:
        for x, y in ((one, other), (other, one))[: 1 if sign < 0 else 2]:
            number = self._constants.get(y)
            if number and self._get(x, False).is_added:
                return self._get(x, True).times(number if sign > 0 else 1 / number)
        return self._factor(one).plus(self._factor(other), Fraction(sign))

    def _power(self, step: Step) -> _Change:
        exponent = step.others[0] if step.others else self._constants.get(step.operands[-1])
        if exponent is None:
            return self._still(step.operands)
        number = exponent if isinstance(exponent, Fraction) else Fraction(_integer(exponent))
        return self._factor(step.operands[0]).times(number)

    def _of(self, step: Step) -> _Change:
        """Return how a part changes."""
        name, slots = SYNONYMS.get(step.name, step.name), step.operands
        if name in _SUMS:
            return self._sum(slots, _SUMS[name] or [1] * len(slots))
        if name in _PRODUCTS:
            return self._product(slots[0], slots[1], _PRODUCTS[name])
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
            return _Change(False, self.none)
        if name == "fma":
            return self._fma(slots)
        return self._function(name, slots)

    def _fma(self, slots: Sequence[int]) -> _Change:
        product = self._product(slots[0], slots[1], 1)
        rest = self._get(slots[2], product.is_added)
        if product.is_added and rest.is_added:
            return product.plus(rest)
        if product.is_added != rest.is_added:
            self._zero(product)
            self._zero(rest)
            return _Change(False, self.none)
        self._zero(product.plus(rest, -_1))
        return product

    def _function(self, name: str, slots: Sequence[int]) -> _Change:
        change = self._get(slots[0], False) if slots else _Change(False, self.none)
        if name == "exp" and change.is_added:
            return _Change(False, change.rate)
        if name == "log" and not change.is_added:
            return _Change(True, change.rate)
        if name in ("copysign", "sign"):
            for slot in slots:
                self._factor(slot)
            return self._factor(slots[0]) if name == "copysign" else _Change(False, self.none)
        return self._still(slots)


#: Sums, and the signs of their terms; products, and whether the second factor is a divisor.
_SUMS: dict[str, tuple[int, ...]] = {
    "add": (1, 1), "sub": (1, -1), "neg": (-1,), "positive": (1,), "total": (),
}  # fmt: skip
_PRODUCTS = {"mul": 1, "div": -1}
#: The exponents of powers of one operand.
_SHARES = {
    "abs": _1, "recip": -_1, "sqr": Fraction(2), "sqrt": Fraction(1, 2), "rsqrt": Fraction(-1, 2),
    "cbrt": Fraction(1, 3),
}  # fmt: skip
_POWERS = ("pow", "power", "pown")
_EQUAL = ("min", "max")


def _constants(program: Program) -> Iterator[tuple[int, Fraction]]:
    """Yield the slots of constants that are one finite number, and these."""
    for slot, jet in program.constants.items():
        low, high = float(jet.value.lo.flat[0]), float(jet.value.hi.flat[0])
        if low == high and np.isfinite(low):
            yield slot, Fraction(low)


def _integer(x: object) -> int:
    return int(np.asarray(x).flat[0])


# ---------------------------------------------------------------- signs

#: Functions that change their signs with their operand, and that do not change with it.
_ODD = (
    "neg", "positive", "recip", "cbrt", "sign", "sin", "tan", "asin", "atan", "sinh", "tanh",
    "asinh", "atanh", "sinpi", "tanpi", "asinpi", "atanpi", "erf",
)  # fmt: skip
_INDIFFERENT = ("abs", "sqr", "cos", "cosh", "cospi", "hypot")


def _sign_symmetries(path: Path) -> list[int]:
    """Return equations of the sets of variables with whose signs nothing changes.

    Equations and sets have a bit for each variable; a set has an even number of an equation's.
    """
    program, equations = path.program, list[int]()
    zeros = {slot for slot, number in _constants(program) if not number}
    parities = {i: 1 << i for i in range(program.count)}

    def equal(slots: Sequence[int]) -> int:
        own = [parities.get(slot, 0) for slot in slots if slot not in zeros] or [0]
        equations.extend(own[0] ^ other for other in own[1:])
        return own[0]

    def still(slots: Sequence[int]) -> int:
        equations.extend(parities.get(slot, 0) for slot in slots)
        return 0

    for step in program.steps_for({*program.roots}):
        name, slots = SYNONYMS.get(step.name, step.name), step.operands
        own = [parities.get(slot, 0) for slot in slots]
        if name in _INDIFFERENT or (name == "pown" and _integer(step.others[0]) % 2 == 0):
            parities[step.slot] = 0
        elif name in _ODD or name == "pown":
            parities[step.slot] = own[0]
        elif name in _PRODUCTS:
            parities[step.slot] = own[0] ^ own[1]
        elif name in _SUMS:
            parities[step.slot] = equal(slots)
        else:
            parities[step.slot] = still(slots)
    still([program.roots[0], *(slot for c in path.constraints for slot in c.slots)])
    return sorted({equation for equation in equations if equation})


def _not_negative(equations: Sequence[int], symmetric: tuple[bool, ...]) -> list[int]:
    """Return variables that need not be negative, one for each independent set."""
    rows = [*equations, *(1 << i for i, can in enumerate(symmetric) if not can)]
    pivots: dict[int, int] = {}
    for equation in rows:
        row = equation
        for bit, other in pivots.items():
            row = row ^ other if row >> bit & 1 else row
        if row:
            pivot = row.bit_length() - 1
            pivots = {b: r ^ row if r >> pivot & 1 else r for b, r in pivots.items()}
            pivots[pivot] = row
    return [i for i in range(len(symmetric)) if i not in pivots]


# ---------------------------------------------------------------- linear equations


def _reduced(rows: Sequence[_Row]) -> tuple[list[_Row], list[int]]:
    """Return equations of which each has a variable that the others lack, and these variables."""
    matrix, pivots = [*dict.fromkeys(rows)], list[int]()
    for column in range(len(matrix[0]) if matrix else 0):
        place = len(pivots)
        row = next((i for i in range(place, len(matrix)) if matrix[i][column]), None)
        if row is None:
            continue
        matrix[place], matrix[row] = matrix[row], matrix[place]
        lead = matrix[place][column]
        matrix[place] = tuple(x / lead for x in matrix[place])
        for i, other in enumerate(matrix):
            if i != place and other[column]:
                pairs = zip(other, matrix[place], strict=True)
                matrix[i] = tuple(x - other[column] * y for x, y in pairs)
        pivots.append(column)
    return matrix[: len(pivots)], pivots


def _null_space(rows: Sequence[_Row], count: int) -> list[_Row]:
    """Return a basis of the solutions of homogeneous linear equations."""
    matrix, pivots = _reduced(rows)
    basis = []
    for column in sorted({*range(count)} - {*pivots}):
        vector = [_0] * count
        vector[column] = _1
        for place, pivot in enumerate(pivots):
            vector[pivot] = -matrix[place][column]
        basis.append(tuple(vector))
    return basis


class Symmetry(NamedTuple):
    """A symmetry: the signs of the variables' rates, and that of the result's."""

    is_shift: bool
    signs: tuple[int, ...]
    #: whether t is added to the result, with its sign; else that of the exponent of its factor
    is_added: bool
    result: int


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


class Symmetries:
    """The symmetries of a path."""

    def __init__(self, path: Path) -> None:
        self.count = path.program.count
        self._changes = [_Changes(path, is_added) for is_added in (False, True)]
        self._known: dict[tuple[bool, ...], Symmetry | None] = {}
        self._signs = _sign_symmetries(path)

    def halves(self, low: Doubles, high: Doubles) -> Doubles:
        """Return lower bounds of boxes that are not negative where signs do not matter."""
        symmetric, low = (low == -high) & (high > 0), low.copy()
        for pattern in np.unique(symmetric, axis=1).T:
            own = (symmetric == pattern[:, None]).all(axis=0)
            for i in _not_negative(self._signs, tuple(map(bool, pattern))):
                low[i, own] = 0.0
        return low

    def of(self, fixed: tuple[bool, ...]) -> Symmetry | None:
        """Return a symmetry that does not change fixed variables, or None."""
        if fixed not in self._known:
            found = [s for changes in self._changes for s in self._all(changes, fixed)]
            self._known[fixed] = min(found, key=_cost, default=None)
        return self._known[fixed]

    def _all(self, changes: _Changes, fixed: tuple[bool, ...]) -> Iterator[Symmetry]:
        is_shift, count = changes is self._changes[1], self.count
        rows = [*changes.equations]
        rows += [tuple(_1 * (i == j) for j in range(count)) for i in range(count) if fixed[i]]
        for more in ([changes.result.rate], []):
            for vector in _null_space([*rows, *more], count):
                rate = sum((a * b for a, b in zip(changes.result.rate, vector, strict=True)), _0)
                signs, result = tuple(map(_sign, vector)), _sign(rate)
                if result < 0:
                    signs, result = tuple(-s for s in signs), 1
                yield Symmetry(is_shift, signs, changes.result.is_added, result)


def _cost(symmetry: Symmetry) -> tuple[int, int, int]:
    """Return what a symmetry is chosen by: how many faces it has."""
    size = sum(s != 0 for s in symmetry.signs)
    both = 2 if symmetry.result and not symmetry.is_added else 1
    return both * size, int(symmetry.is_shift), sum(s < 0 for s in symmetry.signs)


# ---------------------------------------------------------------- faces


class Faces(NamedTuple):
    """Parts of boxes: the numbers of these, and the bounds, with a row per variable.

    with_zero: the boxes of which zero is a limit, if they have any values.
    """

    of: Integers
    low: Doubles
    high: Doubles
    with_zero: Integers


def faces(symmetries: Symmetries, low: Doubles, high: Doubles, falls: Truths) -> Faces:
    """Return parts of boxes that have their least values, or their greatest where `falls`."""
    low = symmetries.halves(low, high)
    of, zeros = np.arange(len(falls)), [np.zeros(0, np.int64)]
    done: list[tuple[Integers, Doubles, Doubles]] = []
    while len(of):
        parts = list[tuple[Integers, Doubles, Doubles]]()
        fixed = low == high
        counts = np.bincount(of, minlength=len(falls)) + sum(
            np.bincount(d[0], minlength=len(falls)) for d in done
        )
        for pattern in np.unique(fixed, axis=1).T:
            own = np.flatnonzero((fixed == pattern[:, None]).all(axis=0))
            symmetry = symmetries.of(tuple(map(bool, pattern)))
            can = np.zeros(len(own), bool)
            if symmetry is not None:
                size = 2 * len(pattern) * np.bincount(of[own], minlength=len(falls))
                can = (counts + size <= MOST_FACES)[of[own]]
                can &= _has_end(symmetry, low[:, own], high[:, own], falls[of[own]])
            rest, own = own[~can], own[can]
            done.append((of[rest], low[:, rest], high[:, rest]))
            if symmetry is not None and len(own):
                index, a, b, is_zero = _faces_of(
                    symmetry, low[:, own], high[:, own], falls[of[own]]
                )
                parts.append((of[own][index], a, b))
                zeros.append(of[own[is_zero]])
        of, low, high = _joined(parts) if parts else (of[:0], low[:, :0], high[:, :0])
    of, low, high = _joined(done)
    return Faces(of, low, high, np.unique(np.concatenate(zeros)))


def _joined(
    parts: Sequence[tuple[Integers, Doubles, Doubles]],
) -> tuple[Integers, Doubles, Doubles]:
    of, low, high = zip(*parts, strict=True)
    return np.concatenate(of), np.concatenate(low, axis=1), np.concatenate(high, axis=1)


def _has_end(symmetry: Symmetry, low: Doubles, high: Doubles, falls: Truths) -> Truths:
    """Return for which boxes moving may be followed: all bounds are finite that it may lead to.

    If it changes the result, it must end where that would have no bound.
    """
    moved, has_zero = np.array(symmetry.signs) != 0, (low <= 0) & (high >= 0)
    is_finite = np.isfinite(low[moved]).all(axis=0) & np.isfinite(high[moved]).all(axis=0)
    if symmetry.is_shift or not symmetry.result:
        return np.asarray(is_finite)
    if not symmetry.is_added:
        never_ends = has_zero[moved].all(axis=0) & (max(symmetry.signs) <= 0)
        return np.asarray(is_finite & ~never_ends)
    signs = np.array(symmetry.signs)[:, None] * np.where(falls, 1, -1)
    grows = (signs > 0) & ((low > 0) | (high < 0))
    shrinks = (signs < 0) & ((low > 0) | (high < 0))
    return np.asarray(is_finite & (grows | shrinks).any(axis=0))


def _faces_of(
    symmetry: Symmetry, low: Doubles, high: Doubles, falls: Truths
) -> tuple[Integers, Doubles, Doubles, Truths]:
    """Return the faces of a symmetry, with the boxes that they are of, and which have zero.

    A direction is 1 for rising t, and -1 for falling t.
    """
    parts = []
    for direction in (1, -1):
        if not symmetry.result:
            chosen = np.full(falls.shape, direction > 0)
        elif symmetry.is_added:  # the result falls with falling t
            chosen = falls if direction > 0 else ~falls
        else:
            chosen = np.ones(falls.shape, bool)
        own = np.flatnonzero(chosen)
        for a, b, some in _ends(symmetry, direction, low[:, own], high[:, own]):
            parts.append((own[some], a[:, some], b[:, some]))
    is_zero = np.zeros(falls.shape, bool)
    if symmetry.result and not symmetry.is_added and not symmetry.is_shift:
        is_zero = _tends_to_zero(symmetry, low, high)
    of, low, high = _joined(parts)
    return of, low, high, is_zero


def _ends(
    symmetry: Symmetry, direction: int, low: Doubles, high: Doubles
) -> Iterator[tuple[Doubles, Doubles, Truths]]:
    """Yield the faces at which a direction ends, and the boxes that have each."""
    for i, sign in enumerate(symmetry.signs):
        for end, other in ((low, high), (high, low)) if sign else ():
            toward_end = 1 if end is high else -1
            if symmetry.is_shift:
                some = np.full(low.shape[1], sign * direction == toward_end)
            elif sign * direction > 0:  # the variable grows away from zero
                some = toward_end * end[i] > 0
            else:
                some = toward_end * end[i] < 0
            a, b = low.copy(), high.copy()
            a[i] = b[i] = end[i]
            yield a, b, np.asarray(some)
    if not symmetry.is_shift:
        yield _still_points(symmetry, direction, low, high)


def _still_points(
    symmetry: Symmetry, direction: int, low: Doubles, high: Doubles
) -> tuple[Doubles, Doubles, Truths]:
    """Return the points from which a direction never ends: what would grow is zero.

    What shrinks may be any number if zero is among them. Where nothing would grow, the result tends
    to zero on all of a box (see `_tends_to_zero`), or does not change.
    """
    signs = direction * np.array(symmetry.signs)
    grows, has_zero = signs > 0, (low <= 0) & (high >= 0)
    some = has_zero[signs != 0].all(axis=0)
    if not grows.any() and symmetry.result and not symmetry.is_added:
        some = some & False
    a, b = (np.where(grows[:, None], 0.0, end) for end in (low, high))
    return a, b, np.asarray(some)


def _tends_to_zero(symmetry: Symmetry, low: Doubles, high: Doubles) -> Truths:
    """Return the boxes all of whose points move toward points where the result is zero.

    The result shrinks with falling t, since its exponent is positive.
    """
    signs = np.array(symmetry.signs)
    if (signs < 0).any():
        return np.zeros(low.shape[1], bool)
    return np.asarray(((low <= 0) & (high >= 0))[signs > 0].all(axis=0))
