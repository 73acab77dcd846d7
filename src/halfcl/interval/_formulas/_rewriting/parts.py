"""The parts of a program: quotients of polynomials of atoms, and the nodes that compute them.

An atom is a variable, a constant that is not one number, or the result of an operation that is no
arithmetic. A slot is both a place in a program and, for atoms, the atom's number.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

import numpy as np

from halfcl.interval._formulas._rewriting._zeros.continuation import FUNCTIONS, Atoms
from halfcl.interval._formulas._rewriting.inverses import COMPOSITIONS
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
    inverse,
)
from halfcl.interval._formulas._rewriting.rules import EXP, LOG, MEET, OVER, OVER_NONZERO
from halfcl.interval._formulas._search.programs import Program, Step, Variable
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import Jet, Node, constant, variables
from halfcl.interval._protocols import SYNONYMS

#: What computes a part: an operation, a variable, or a constant.
Term: TypeAlias = Node | Jet

#: The greatest exponent of powers that are expanded.
_POWER = 12
#: The first slot beyond those of programs, and beyond the atoms that are derivatives; the first one
#: of roots that the program lacks.
_MORE, _ROOTS, _EXPONENTIALS, _DIVIDENDS = 1 << 20, 1 << 21, 1 << 22, 1 << 23
_ONE = Polynomial.number(1)


def name_of(step: Step | None) -> str:
    """Return the standard's name of an operation; empty if there is none."""
    return "" if step is None else SYNONYMS.get(step.name, step.name)


# ---------------------------------------------------------------- quotients of steps


def _power(x: Quotient, n: object) -> Quotient:
    k = int(np.asarray(n).flat[0])
    if not 0 < abs(k) <= _POWER:
        raise TooLongError
    product = reduce(Quotient.__mul__, [x] * abs(k))
    return product if k > 0 else product.reciprocal()


#: Operations on quotients, by the standard's names.
ARITHMETIC: dict[str, Callable[..., Quotient]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x + -y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x * y.reciprocal(),
    "fma": lambda x, y, z: x * y + z,
    "neg": lambda x: -x,
    "positive": lambda x: x,
    "recip": Quotient.reciprocal,
    "sqr": lambda x: x * x,
    "pown": _power,
    "total": lambda *terms: reduce(Quotient.__add__, terms),
}

#: Operations whose results' squares are known, and these squares. The results are not negative.
_SQUARES: dict[str, Callable[..., Quotient]] = {
    "sqrt": lambda x: x,
    "abs": lambda x: x * x,
    "rsqrt": Quotient.reciprocal,
    "hypot": lambda x, y: x * x + y * y,
}


def _number(jet: Jet) -> Quotient | None:
    """Return a constant that is exactly one finite number."""
    low, high = float(jet.value.lo.flat[0]), float(jet.value.hi.flat[0])
    if not (low == high and np.isfinite(low)):
        return None
    return Quotient(Polynomial.number(Fraction(low)))


def _integer_power(x: Quotient, power: int) -> Quotient:
    """Return x, 1 or 1 / x."""
    return {0: Quotient(_ONE), 1: x}.get(power) or x.reciprocal()


def _is_square(step: Step) -> bool:
    exponents = [int(np.asarray(n).flat[0]) for n in step.others]
    return name_of(step) == "sqr" or (name_of(step) == "pown" and exponents == [2])


def _plain(x: Quotient) -> Quotient:
    """Return a quotient that equals others with the same terms and divisors."""
    return Quotient(x.top, tuple(sorted(x.divisors, key=lambda y: hash(y[0]))))


class Parts:
    """The parts of a program, added step by step.

    plain: the nodes of all slots, as they were. nodes: those with other forms, which the caller
    adds.
    """

    def __init__(self, program: Program, boxes: Sequence[DoubleInterval] | None = None) -> None:
        self.program, self.boxes = program, boxes
        self._jets: list[Jet] | None = None
        count = max([program.count - 1, *program.constants, *(s.slot for s in program.steps)]) + 1
        self.steps: dict[int, Step] = {step.slot: step for step in program.steps}
        self.plain: dict[int, Term] = {i: Variable(i) for i in range(program.count)}
        self.plain |= program.constants
        self.nodes = dict(self.plain)
        #: The quotients of slots that are arithmetic, or constant; others are atoms.
        self.quotients: dict[int, Quotient] = {
            slot: number
            for slot, jet in program.constants.items()
            if (number := _number(jet)) is not None
        }
        #: How often atoms occur in the formula of each slot.
        self.counts = [int(slot not in program.constants) for slot in range(count)]
        #: The squares of atoms that are roots, and functions with derivatives.
        self.squares: dict[int, Quotient] = {}
        #: The atoms that are roots, by their squares.
        self._roots: dict[Quotient, int] = {}
        #: The quotients by square divisors of roots.
        self._splits: dict[int, Quotient] = {}
        self.atoms = Atoms(count)
        self._variables = {i: frozenset({i}) for i in range(program.count)}
        for own in program.steps:
            self._variables[own.slot] = frozenset().union(*map(self.variables, own.operands))
        #: The slots of sines and cosines so far, by their names and operands.
        self._waves: dict[tuple[str, tuple[int, ...]], int] = {}
        #: The slots of exponentials so far, by their exponents.
        self._exponentials: dict[Quotient, int] = {}
        #: The slots of sums, by their multiple that leads with 1, and what they lead with.
        self._sums: dict[Polynomial, tuple[int, Fraction]] = {}
        #: The exponents of the slots that sums are products of, if known.
        self.factored: dict[int, Counter[int]] = {}

    # ------------------------------------------------------------ steps

    def variables(self, atom: int) -> frozenset[int]:
        """Return the variables that an atom depends on."""
        return self._variables.get(atom, frozenset())

    def add(self, step: Step) -> None:
        """Add a step."""
        slot, name = step.slot, name_of(step)
        self.plain[slot], self.nodes[slot] = (
            Node(step.name, (*[nodes[i] for i in step.operands], *step.others), step.part)
            for nodes in (self.plain, self.nodes)
        )
        operands = [self.quotient(i) for i in step.operands]
        if name in ("sin", "cos") and self._waves.setdefault((name, step.operands), slot) != slot:
            self.quotients[slot] = self.quotient(self._waves[name, step.operands])
            return
        if name == "exp":
            self._exponentials.setdefault(_plain(operands[0]), slot)
        try:
            if name in ARITHMETIC:
                quotient = self.reduce(ARITHMETIC[name](*operands, *step.others))
                self.quotients[slot] = quotient
                self.counts[slot] = sum(self.counts[i] for i in step.operands)
                self._keep_sum(slot, quotient)
            elif self._compose(slot, name, self.steps.get(step.operands[0])):
                pass
            elif name in FUNCTIONS:
                self.atoms.add(slot, name, operands[0])
            elif name in _SQUARES and step.part == 0:
                self._add_root(slot, self.reduce(_SQUARES[name](*operands)))
        except TooLongError:
            pass  # an atom, of which nothing else is known

    def replace(self, slot: int, other: int) -> None:
        """Replace a step's result by that of another slot, which is the same number."""
        self.nodes[slot], self.quotients[slot] = self.nodes[other], self.quotient(other)
        self.counts[slot], self._variables[slot] = self.counts[other], self.variables(other)

    def _keep_sum(self, slot: int, x: Quotient) -> None:
        """Keep the slot of a sum without divisors, so that it is not computed twice."""
        if len(x.top.terms) > 1 and not x.divisors and not x.cancels:
            lead = x.top.lead()
            self._sums.setdefault(x.top.times((), 1 / lead), (slot, lead))

    def is_unbounded(self, slot: int) -> bool:
        """Return whether a slot of the formula may be unbounded on a box."""
        jet = self._jet(slot)
        return jet is None or not jet.value.is_bounded.all()

    def has_both_signs(self, slot: int) -> bool:
        """Return whether a slot's range has numbers of both signs on a box."""
        jet = self._jet(slot)
        return jet is None or bool(((jet.value.lo < 0) & (jet.value.hi > 0)).any())

    def may_be_zero(self, slot: int) -> bool:
        """Return whether a slot of the formula may be zero on a box."""
        if slot >= _MORE:
            return False
        jet = self._jet(slot)
        return jet is None or bool(jet.value.has(0).any())

    def _jet(self, slot: int) -> Jet | None:
        """Return what is known of a slot of the formula on the boxes, if they are."""
        if self.boxes is None:
            return None
        if self._jets is None:
            with np.errstate(all="ignore"):
                self._jets = self.program.evaluate(variables(self.boxes, 0))
        return self._jets[slot]

    def quotient(self, slot: int) -> Quotient:
        """Return the quotient of a slot, which may be an atom."""
        return self.quotients.get(slot) or Quotient(Polynomial.atom(slot))

    def step_of(self, x: Polynomial) -> Step | None:
        """Return the operation that computes a polynomial that is an atom."""
        atoms = x.atoms()
        is_atom = len(atoms) == 1 and x == Polynomial.atom(next(iter(atoms)))
        return self.steps.get(atoms.pop()) if is_atom else None

    # ------------------------------------------------------------ waves

    def wave(self, name: str, operand: int) -> int:
        """Return the slot of a sine or a cosine, which is a new one if the program has none."""
        key = name, (operand,)
        if key not in self._waves:
            slot = self._waves[key] = _MORE + len(self._waves)
            self.nodes[slot] = Node(name, (self.nodes[operand],))
            self.steps[slot] = Step(slot, name, (operand,), (), 0)
            self.atoms.add(slot, name, self.quotient(operand))
        return self._waves[key]

    def half_of(self, slot: int) -> int:
        """Return the slot of half a number, which is a new one if the program has none so far."""
        x = self.quotient(slot)
        half = Quotient(x.top.times((), Fraction(1, 2)), x.divisors)
        own = sorted(self._waves.items(), key=lambda item: item[1])
        for (_, (other, *_)), _ in own:
            if _plain(self.quotient(other)) == _plain(half):
                return other
        atom = self.new_atom(times(self.nodes[slot], Fraction(1, 2)), (slot,))
        self.quotients[atom] = half
        return atom

    def reciprocal_of(self, atom: int) -> int:
        """Return the slot of exp(-x) for that of exp(x)."""
        return self.exponential_of(-self.quotient(self.steps[atom].operands[0]))

    def exponential_of(self, x: Quotient) -> int:
        """Return the slot of exp(x), which is a new one if the program has none so far."""
        key = _plain(x)
        if key not in self._exponentials:
            slot = _EXPONENTIALS + 2 * len(self._exponentials)
            operand = slot + 1
            self._exponentials[key] = slot
            self.nodes[operand], self.quotients[operand] = self.over(x, OVER), x
            self.nodes[slot] = Node("exp", (self.nodes[operand],))
            self.steps[slot] = Step(slot, "exp", (operand,), (), 0)
            atoms = x.top.atoms().union(*(d.atoms() for d, _ in x.divisors))
            own = frozenset[int]().union(*map(self.variables, atoms))
            self._variables[slot] = self._variables[operand] = own
            self.atoms.add(slot, "exp", x)
        return self._exponentials[key]

    # ------------------------------------------------------------ roots

    def _add_root(self, slot: int, square: Quotient) -> None:
        """Add a root, and what it is if its square has square divisors.

        sqrt(x^2 / y^2 + 1) is sqrt(x^2 + y^2) / |y| where y is not zero.
        """
        self.squares[slot] = square
        known = self._roots.setdefault(_plain(square), slot)
        if known != slot:
            self._set(slot, Quotient(Polynomial.atom(known)))
        elif any(power > 1 for _, power in square.divisors):
            split = self._split_root(square, self.nodes[slot], self.square_roots(slot))
            self._splits[slot], self.counts[slot] = split, split.count()

    def _set(self, slot: int, x: Quotient) -> None:
        """Set the quotient of a slot that is no arithmetic."""
        self.quotients[slot], self.counts[slot] = dataclasses.replace(x, cancels=True), x.count()

    def _split_root(
        self, square: Quotient, node: Term | None, squared: Sequence[Quotient]
    ) -> Quotient:
        """Return a root as another root over the roots of square divisors.

        node: that of the root, if the program has it. squared: the numbers of whose squares it is
        the sum, if known.
        """
        rest = Quotient(square.top, tuple((d, 1) for d, p in square.divisors if p % 2))
        bottom = Quotient(_ONE)
        for divisor, power in square.divisors:
            bottom *= self._size(divisor, power // 2)
        if (known := self._roots.get(_plain(rest))) is None:
            products = [self.over(self.reduce(x * bottom), "div") for x in squared]
            squares = [Node("sqr", (x,)) for x in products]
            radicand = add(squares) if squares else self.over(rest, "div")
            root: Term = Node("sqrt", (radicand,))
            if node is not None:  # where it is defined, the new one is its product with the divisor
                root = Node(MEET, (mul(self.over(bottom, "div"), node), root))
            known = self._new_root(rest, root)
        return bottom.reciprocal() * Quotient(Polynomial.atom(known))

    def _size(self, x: Polynomial, power: int) -> Quotient:
        """Return |x|^power."""
        size = Quotient(x ** (power - power % 2))
        if power % 2:
            square = Quotient(x * x)
            root = self._roots.get(_plain(square))
            if root is None:
                root = self._new_root(square, Node("abs", (self.sum(x),)))
            size *= Quotient(Polynomial.atom(root))
        return size

    def _new_root(self, square: Quotient, node: Term) -> int:
        """Return a new atom that is the root of a square."""
        atom = self._roots[_plain(square)] = _ROOTS + len(self._roots)
        atoms = square.top.atoms().union(*(d.atoms() for d, _ in square.divisors))
        self._variables[atom] = frozenset[int]().union(*map(self.variables, atoms))
        self.nodes[atom], self.squares[atom] = node, square
        return atom

    def new_atom(self, node: Term, operands: Sequence[int]) -> int:
        """Return the slot of a new part that depends on the variables of others."""
        atom = _DIVIDENDS + len(self.nodes)
        self._variables[atom] = frozenset[int]().union(*map(self.variables, operands))
        self.nodes[atom] = node
        return atom

    def square_roots(self, slot: int) -> list[Quotient]:
        """Return the numbers of whose squares a root's radicand is the sum; none if it is not."""
        step = self.steps.get(slot)
        if step is None:
            return []
        if name_of(step) == "hypot":
            return [self.quotient(i) for i in step.operands]
        terms, numbers = [*step.operands] if name_of(step) == "sqrt" else [], []
        while terms:
            term = self.steps.get(terms.pop())
            if name_of(term) == "add" and term is not None:
                terms += term.operands
            elif term is not None and _is_square(term):
                numbers.append(self.quotient(term.operands[0]))
            else:
                return []
        return numbers

    def _compose(self, slot: int, name: str, inverse_step: Step | None) -> bool:
        """Set the quotient of a function of an inverse function; return whether it is one."""
        if name in ("sin", "cos") and name_of(inverse_step) == "atan2" and inverse_step is not None:
            self._compose_angle(slot, name, inverse_step)
            return True
        composition = COMPOSITIONS.get((name, name_of(inverse_step)))
        if composition is None or inverse_step is None:
            return False
        z = self.without_tangents(self.quotient(inverse_step.operands[0]))
        result = _integer_power(z, composition.power)
        if composition.of_root:
            a, b = (Quotient(Polynomial.number(c)) for c in composition.square)
            square = self.reduce(a + b * z * z)
            is_sum = composition.square == (1, 1)
            root = self._split_root(square, None, [Quotient(_ONE), z] if is_sum else [])
            result *= _integer_power(root, composition.of_root)
        self._set(slot, self.reduce(result))
        return True

    def _compose_angle(self, slot: int, name: str, angle: Step) -> None:
        """Set the quotient of the sine y / r or the cosine x / r of the angle of a point (x, y)."""
        y, x = (self.quotient(i) for i in angle.operands)
        root = self._split_root(self.reduce(x * x + y * y), None, [x, y])
        self._set(slot, self.reduce((y if name == "sin" else x) * root.reciprocal()))

    def without_tangents(self, x: Quotient, unbounded: bool = False) -> Quotient:
        """Return a quotient with sin / cos in place of tangents, or of those that are unbounded."""
        for atom in sorted(x.top.atoms() | {a for d, _ in x.divisors for a in d.atoms()}):
            step = self.steps.get(atom)
            if name_of(step) != "tan" or step is None:
                continue
            if not unbounded or self.is_unbounded(atom):
                sine, cosine = (self.wave(name, step.operands[0]) for name in ("sin", "cos"))
                x = x.with_ratio(atom, Polynomial.atom(sine), Polynomial.atom(cosine))
        return x

    def with_tangents_split(self, x: Quotient, unbounded: bool = True) -> Iterator[Quotient]:
        """Yield a quotient, and it with sin / cos in place of tangents, or unbounded ones."""
        yield x
        try:
            other = self.without_tangents(x, unbounded)
        except TooLongError:
            return
        if other is not x:
            yield other

    def with_splits(self, x: Quotient) -> Iterator[Quotient]:
        """Yield a quotient, and it with square divisors of roots outside of these."""
        yield x
        atoms = x.top.atoms().union(*(d.atoms() for d, _ in x.divisors)) & self._splits.keys()
        try:
            for atom in sorted(atoms):
                x = x.with_ratio(atom, self._splits[atom].top, self._splits[atom].bottom())
            if atoms:
                yield dataclasses.replace(self.reduce(x), cancels=True)
        except TooLongError:
            return

    def reduce(self, x: Quotient) -> Quotient:
        """Return a quotient without squares of roots."""
        for atom in sorted(x.top.atoms() | {a for d, _ in x.divisors for a in d.atoms()}):
            if atom in self.squares:
                square = self.squares[atom]
                x = _reduce_divisors(_reduce_top(x, atom, square), atom, square)
        return x

    def without_roots(self, x: Quotient) -> Quotient:
        """Return a quotient with roots in place of their squares over them, also of atoms."""
        for divisor, power in x.divisors:
            square = self.squares.get(next(iter(divisor.atoms()))) if power == 1 else None
            if square is None or not self.is_root(divisor) or square.divisors:
                continue
            rest = x.top.exact_quotient(square.top)
            if rest is not None:
                others = tuple((d, p) for d, p in x.divisors if d != divisor)
                return self.without_roots(Quotient(rest * divisor, others, True))
        return x

    def is_root(self, x: Polynomial) -> bool:
        """Return whether a polynomial is a root, or a power of one."""
        return len(x.terms) == 1 and x.atoms() <= set(self.squares)

    def other_squares(self, x: Polynomial) -> Iterator[Polynomial]:
        """Yield a polynomial with 1 - cos^2 for sin^2, and the reverse."""
        for one, other in self.circles(x):
            square = Polynomial.number(1) + -(Polynomial.atom(other) ** 2)
            other_squares = _reduce_top(Quotient(x), one, Quotient(square)).top
            if other_squares is not x:
                yield other_squares

    def shortest(self, x: Polynomial) -> Polynomial:
        """Return a polynomial with squares of sines and cosines so that it has the least terms."""
        return min([x, *self.other_squares(x)], key=lambda y: len(y.terms))

    def circles(self, x: Polynomial) -> Iterator[tuple[int, int]]:
        """Yield pairs of a sine and the cosine of the same operand, and the reverse.

        One of each pair occurs in a polynomial.
        """
        for atom in sorted(x.atoms()):
            step = self.steps.get(atom)
            if name_of(step) in ("sin", "cos") and step is not None:
                other = self._waves.get(("cos" if name_of(step) == "sin" else "sin", step.operands))
                if other is not None:
                    yield atom, other

    # ------------------------------------------------------------ nodes

    def over(self, x: Quotient, name: str) -> Term:
        """Return the node of a quotient; name: that of the division."""
        if not x.divisors:
            return self.sum(x.top)
        factors = [power_of(self.sum(d), p) for d, p in x.divisors]
        return Node(name, (self.sum(x.top), reduce(mul, factors)))

    def sum(self, x: Polynomial) -> Term:
        """Return the node of a polynomial, whose exponents may be negative."""
        if not x.terms:
            return constant(0)
        content = x.content()
        if len(x.terms) > 1:
            lead = x.lead()
            slot, other = self._sums.get(x.times((), 1 / lead), (None, lead))
            if slot is not None:
                return times(self.nodes[slot], lead / other)
            if content:
                rest = x.times(inverse(content), Fraction(1))
                return mul(self._term(content, Fraction(1)), self.sum(rest))
        return add([self._term(m, c) for m, c in x.terms.items()])

    def _term(self, monomial: Monomial, number: Fraction) -> Term:
        exponents = {a: e for a, _ in monomial if (e := self._exponent(a)) is not None}
        if len(exponents) > 1 and min(p for _, p in monomial) < 0:
            rest = tuple((a, p) for a, p in monomial if a not in exponents)
            terms = [times(exponents[a], Fraction(p)) for a, p in monomial if a in exponents]
            product = Node(EXP, (add(terms),))
            return mul(self._term(rest, number), product) if rest else times(product, number)
        top = [power_of(self.nodes[a], p) for a, p in monomial if p > 0]
        bottom = [power_of(self.nodes[a], -p) for a, p in monomial if p < 0]
        node = times(reduce(mul, top), number) if top else constant(number)
        return Node(OVER_NONZERO, (node, reduce(mul, bottom))) if bottom else node

    def _exponent(self, atom: int) -> Term | None:
        """Return the exponent of an atom that is a power of e."""
        step = self.steps.get(atom)
        if step is None or name_of(step) not in ("exp", "pow"):
            return None
        operands = [self.nodes[i] for i in step.operands]
        return (
            operands[0] if name_of(step) == "exp" else mul(operands[1], Node(LOG, (operands[0],)))
        )

    def sum_at(self, x: Polynomial, variable: int, node: Node) -> Term:
        """Return the node of a polynomial with another one in place of an atom."""
        terms = []
        for monomial, number in x.terms.items():
            factors = [power_of(self._atom_at(a, variable, node), p) for a, p in monomial]
            terms.append(times(reduce(mul, factors), number) if factors else constant(number))
        return add(terms) if terms else constant(0)

    def _atom_at(self, atom: int, variable: int, node: Node) -> Term:
        if atom == variable:
            return node
        if atom not in self.atoms.calls:
            return self.nodes[atom]
        name, argument = self.atoms.calls[atom]
        operand = self.sum_at(argument, variable, node)
        return Node(name, (Node("abs", (operand,)) if name == "log" else operand,))


def _reduce_top(x: Quotient, atom: int, square: Quotient) -> Quotient:
    """Return a quotient in whose dividend an atom's square is replaced."""
    parts = x.top.parts(atom)
    if max(parts, default=0) < 2:
        return x
    total = Quotient(Polynomial({}))
    for power, part in parts.items():
        term = Quotient(part * Polynomial.atom(atom) ** (power % 2))
        total += reduce(Quotient.__mul__, [square] * (power // 2), term)
    return total * Quotient(Polynomial.number(1), x.divisors, x.cancels)


def _reduce_divisors(x: Quotient, atom: int, square: Quotient) -> Quotient:
    """Return a quotient in whose divisors an atom's square is replaced."""
    root, powers = Polynomial.atom(atom), dict(x.divisors)
    if powers.get(root, 0) == 1 and len(square.top.terms) > 1 and not square.divisors:
        quotient = x.top.exact_quotient(square.top)  # s^2 / s is s
        if quotient is not None:
            del powers[root]
            return Quotient.of(quotient * root, powers.items(), True)
    if powers.get(root, 0) < 2:
        return x
    power = powers.pop(root)
    rest = Quotient.of(x.top, [*powers.items(), (root, power % 2)], x.cancels)
    return reduce(Quotient.__mul__, [square.reciprocal()] * (power // 2), rest)


# ---------------------------------------------------------------- nodes of operations


def mul(x: Term, y: Term) -> Node:
    """Return the node of a product."""
    return Node("mul", (x, y))


def add(terms: Sequence[Term]) -> Term:
    """Return the node of a sum."""
    return reduce(lambda x, y: Node("add", (x, y)), terms)


def times(x: Term, number: Fraction) -> Term:
    """Return the node of a multiple."""
    if abs(number) == 1:
        return x if number > 0 else Node("neg", (x,))
    return Node("mul", (constant(number), x))


def power_of(node: Term, power: int) -> Term:
    """Return the node of a power."""
    if power == 1:
        return node
    return Node("sqr", (node,)) if power == 2 else Node("pown", (node, power))
