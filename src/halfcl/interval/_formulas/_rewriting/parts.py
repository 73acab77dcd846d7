"""The parts of a program: quotients of polynomials of atoms, and the nodes that compute them.

An atom is a variable, a constant that is not one number, or the result of an operation that is no
arithmetic. A slot is both a place in a program and, for atoms, the atom's number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

import numpy as np

from halfcl.interval._formulas._rewriting.continuation import FUNCTIONS, Atoms
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
    inverse,
)
from halfcl.interval._formulas._rewriting.rules import MEET, OVER_NONZERO
from halfcl.interval._formulas._search.programs import Program, Step, Variable
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import Jet, Node, constant, variables
from halfcl.interval._protocols import SYNONYMS

#: What computes a part: an operation, a variable, or a constant.
Term: TypeAlias = Node | Jet

#: The greatest exponent of powers that are expanded.
_POWER = 8
#: The first slot beyond those of programs, and beyond the atoms that are derivatives; the first one
#: of roots that the program lacks.
_MORE, _ROOTS = 1 << 20, 1 << 21


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
        self.atoms = Atoms(count)
        self._variables = {i: frozenset({i}) for i in range(program.count)}
        for own in program.steps:
            self._variables[own.slot] = frozenset().union(*map(self.variables, own.operands))
        #: The slots of sines and cosines so far, by their names and operands.
        self._waves: dict[tuple[str, tuple[int, ...]], int] = {}
        #: The slots of sums, by their multiple that leads with 1, and what they lead with.
        self._sums: dict[Polynomial, tuple[int, Fraction]] = {}

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
        try:
            if name in ARITHMETIC:
                quotient = self.reduce(ARITHMETIC[name](*operands, *step.others))
                self.quotients[slot] = quotient
                self.counts[slot] = sum(self.counts[i] for i in step.operands)
                self._keep_sum(slot, quotient)
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
        if self.boxes is None:
            return True
        if self._jets is None:
            with np.errstate(all="ignore"):
                self._jets = self.program.evaluate(variables(self.boxes, 0))
        return not self._jets[slot].value.is_bounded.all()

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

    # ------------------------------------------------------------ roots

    def _add_root(self, slot: int, square: Quotient) -> None:
        """Add a root: as a quotient of others if its square has square divisors, else as an atom.

        sqrt(x^2 / y^2 + 1) is sqrt(x^2 + y^2) / |y| where y is not zero.
        """
        self.squares[slot] = square
        known = self._roots.setdefault(_plain(square), slot)
        halves = [(d, p // 2) for d, p in square.divisors if p > 1]
        if known != slot:
            self.quotients[slot] = Quotient(Polynomial.atom(known))
        elif halves:
            self.quotients[slot] = self._split_root(slot, square, halves)
            self.counts[slot] = self.quotients[slot].count()

    def _split_root(
        self, slot: int, square: Quotient, halves: Sequence[tuple[Polynomial, int]]
    ) -> Quotient:
        """Return a root as another root over the roots of square divisors."""
        rest = Quotient(square.top, tuple((d, 1) for d, p in square.divisors if p % 2))
        bottom = Quotient(Polynomial.number(1))
        for divisor, power in halves:
            bottom *= self._size(divisor, power)
        node: Term = Node("sqrt", (self._sum_of_squares(slot, bottom) or self.over(rest, "div"),))
        # Where the program's root is defined, the new one is its product with the divisors.
        product = mul(self.over(bottom, "div"), self.nodes[slot])
        root = self._new_root(rest, Node(MEET, (product, node)), self.variables(slot))
        return bottom.reciprocal() * Quotient(Polynomial.atom(root))

    def _size(self, x: Polynomial, power: int) -> Quotient:
        """Return |x|^power."""
        size = Quotient(x ** (power - power % 2))
        if power % 2:
            node = Node("abs", (self.sum(x),))
            variables = frozenset[int]().union(*map(self.variables, x.atoms()))
            size *= Quotient(Polynomial.atom(self._new_root(Quotient(x * x), node, variables)))
        return size

    def _new_root(self, square: Quotient, node: Term, variables: frozenset[int]) -> int:
        """Return the atom that is the root of a square; node: that of a new atom."""
        atom = self._roots.setdefault(_plain(square), _ROOTS + len(self._roots))
        if atom not in self.nodes:
            self.nodes[atom], self._variables[atom] = node, variables
            self.squares[atom] = _plain(square)
        return atom

    def _sum_of_squares(self, slot: int, factor: Quotient) -> Term | None:
        """Return the radicand of a root times factor^2 as a sum of squares, if it is one."""
        step = self.steps[slot]
        terms = list(step.operands)
        if name_of(step) != "hypot":
            while any(name_of(self.steps.get(t)) == "add" for t in terms):
                terms = [o for t in terms for o in self._operands_of("add", t)]
            if any(name_of(self.steps.get(t)) not in ("sqr", "pown") for t in terms):
                return None
            steps = [self.steps[t] for t in terms]
            if any(s.others and int(np.asarray(s.others[0]).flat[0]) != 2 for s in steps):
                return None
            terms = [s.operands[0] for s in steps]
        products = [self.reduce(self.quotient(t) * factor) for t in terms]
        return add([Node("sqr", (self.over(x, "div"),)) for x in products])

    def _operands_of(self, name: str, slot: int) -> tuple[int, ...]:
        """Return the operands of a step of that name, or another slot itself."""
        step = self.steps.get(slot)
        return step.operands if step is not None and name_of(step) == name else (slot,)

    def reduce(self, x: Quotient) -> Quotient:
        """Return a quotient without squares of roots."""
        for atom in sorted(x.top.atoms() | {a for d, _ in x.divisors for a in d.atoms()}):
            if atom in self.squares:
                square = self.squares[atom]
                x = _reduce_divisors(_reduce_top(x, atom, square), atom, square)
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
        top = [power_of(self.nodes[a], p) for a, p in monomial if p > 0]
        bottom = [power_of(self.nodes[a], -p) for a, p in monomial if p < 0]
        node = times(reduce(mul, top), number) if top else constant(number)
        return Node(OVER_NONZERO, (node, reduce(mul, bottom))) if bottom else node

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
        return Node(name, (self.sum_at(argument, variable, node),))


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
