"""Other forms of a program's parts, with the same values and narrower ranges in intervals.

Sums, products and quotients are expanded to quotients of polynomials, in which equal terms cancel.
Each part then has several forms, and its range is what all of them contain:

- the expanded quotient, where terms or factors cancelled: (x + h)^2 - x^2 is h (2 x + h);
- conjugates: sqrt(x + 1) - sqrt(x) is 1 / (sqrt(x + 1) + sqrt(x)) where that divisor is not zero;
- means: (x - y) / (x + y) is a mean of 1 and -1 with the weights x and y, so it is between them
  where both have one sign;
- all divided by a term: x / (x + y) is 1 / (1 + y / x) where x is not zero;
- roots of squares: x / sqrt(x^2 + y^2) is a root of x^2 / (x^2 + y^2) and has the sign of x;
- exponentials joined: x^y exp(-x) is exp(y log x - x), which does not overflow;
- logarithms split: log(x / sinh(y)) is log|x| - log|sinh(y)|.

Wherever the part is defined, each form has its value, if it has one at all. A form that may have
none says nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from halfcl.interval._formulas._rewriting.continuation import FUNCTIONS, Atoms, continuations
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
    divides,
    inverse,
    product_of,
)
from halfcl.interval._formulas._rewriting.rules import AND, MEAN, MEET, OVER, OVER_NONZERO, ROOT
from halfcl.interval._formulas._search.conditions import Constraint, Path
from halfcl.interval._formulas._search.programs import Program, Step, Variable
from halfcl.interval._formulas.jets import Jet, Node, constant
from halfcl.interval._protocols import SYNONYMS

#: The greatest exponent of powers that are expanded, and number of terms that a sum is divided by.
_POWER, _DIVIDED = 8, 4
_ZERO, _ONE = Polynomial.number(0), Polynomial.number(1)


# ---------------------------------------------------------------- quotients of steps


def _power(x: Quotient, n: object) -> Quotient | None:
    k = int(np.asarray(n).flat[0])
    if not 0 < abs(k) <= _POWER:
        return None
    product = reduce(Quotient.__mul__, [x] * abs(k))
    return product if k > 0 else product.inverted()


#: Operations on quotients, by the standard's names.
_ARITHMETIC: dict[str, Callable[..., Quotient | None]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x + -y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x * y.inverted(),
    "fma": lambda x, y, z: x * y + z,
    "neg": lambda x: -x,
    "positive": lambda x: x,
    "recip": Quotient.inverted,
    "sqr": lambda x: x * x,
    "pown": _power,
    "total": lambda *terms: reduce(Quotient.__add__, terms),
}

#: Operations whose results' squares are known, and these squares.
_SQUARES: dict[str, Callable[..., Quotient]] = {
    "sqrt": lambda x: x,
    "abs": lambda x: x * x,
    "rsqrt": Quotient.inverted,
    "hypot": lambda x, y: x * x + y * y,
}

#: Logarithms, and the exponentials that they are the inverses of.
_LOGARITHMS = {"log": "exp", "log2": "exp2", "log10": "exp10"}


def _number(jet: Jet) -> Quotient | None:
    """Return a constant that is exactly one finite number."""
    low, high = float(jet.value.lo.flat[0]), float(jet.value.hi.flat[0])
    if not (low == high and np.isfinite(low)):
        return None
    return Quotient(Polynomial.number(Fraction(low)))


# ---------------------------------------------------------------- forms as nodes


class _Forms:
    """The nodes of a program, rewritten: with other forms of its parts.

    plain: the nodes of all slots as they were; nodes: those with other forms.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        count = max([program.count - 1, *program.constants, *(s.slot for s in program.steps)]) + 1
        self.steps: dict[int, Step] = {step.slot: step for step in program.steps}
        self.plain: list[Any] = [None] * count
        for i in range(program.count):
            self.plain[i] = Variable(i)
        for slot, jet in program.constants.items():
            self.plain[slot] = jet
        self.nodes = list(self.plain)
        #: The quotients of slots that are arithmetic, or constant; others are atoms.
        self.quotients: dict[int, Quotient] = {
            slot: number
            for slot, jet in program.constants.items()
            if (number := _number(jet)) is not None
        }
        #: The squares of atoms that are roots; how often atoms occur in each slot's formula.
        self.squares: dict[int, Quotient] = {}
        #: The slots of sums, by their multiple that leads with 1, and what they lead with.
        self.sums: dict[Polynomial, tuple[int, Fraction]] = {}
        self.counts = [1] * count
        for slot in program.constants:
            self.counts[slot] = 0
        self.atoms = Atoms(count)
        self.is_rewritten = False
        outputs = self._outputs()
        for step in program.steps:
            self._add(step, step.slot in outputs)

    def _outputs(self) -> set[int]:
        """Return the slots whose formulas have other forms: of quotients, and what others use."""
        outputs = set(self.program.roots)
        for step in self.program.steps:
            name = SYNONYMS.get(step.name, step.name)
            if name not in _ARITHMETIC:
                outputs.update(step.operands)
            elif name in ("div", "recip"):
                outputs.add(step.slot)
        return outputs

    def _add(self, step: Step, is_output: bool) -> None:
        """Add a step, with its other forms if it is an output."""
        slot, name = step.slot, SYNONYMS.get(step.name, step.name)
        self.plain[slot] = self._copy(step, self.plain)
        self.nodes[slot] = self._copy(step, self.nodes)
        operands = [self._quotient(i) for i in step.operands]
        try:
            if name in _ARITHMETIC:
                quotient = _ARITHMETIC[name](*operands, *step.others)
                if quotient is not None:
                    self.quotients[slot] = self._reduce(quotient)
                    self._keep_sum(slot, self.quotients[slot])
                    self.counts[slot] = sum(self.counts[i] for i in step.operands)
            elif name in FUNCTIONS:
                self.atoms.add(slot, name, operands[0])
            elif name in _SQUARES and step.part == 0:
                self.squares[slot] = self._reduce(_SQUARES[name](*operands))
        except TooLongError:
            pass
        forms: list[Node] = []
        if slot in self.quotients and is_output:
            forms = self._forms(self.quotients[slot], self.counts[slot])
        elif name in _LOGARITHMS:
            forms = self._logarithms(name, operands[0])
        for form in forms:
            self.nodes[slot] = Node(MEET, (self.nodes[slot], form))
            self.is_rewritten = True

    def _keep_sum(self, slot: int, x: Quotient) -> None:
        """Keep the slot of a sum without divisors, so that it is not computed twice."""
        if len(x.top.terms) > 1 and not x.divisors and not x.cancels:
            lead = x.top.lead()
            self.sums.setdefault(x.top.times((), 1 / lead), (slot, lead))

    def _copy(self, step: Step, nodes: Sequence[Any]) -> Node:
        return Node(step.name, (*[nodes[i] for i in step.operands], *step.others), step.part)

    def _quotient(self, slot: int) -> Quotient:
        return self.quotients.get(slot) or Quotient(Polynomial.atom(slot))

    def _reduce(self, x: Quotient) -> Quotient:
        """Return a quotient without squares of roots."""
        for atom in sorted(x.top.atoms() | {a for d, _ in x.divisors for a in d.atoms()}):
            if atom in self.squares:
                x = self._reduce_root(x, atom, self.squares[atom])
        return x

    def _reduce_root(self, x: Quotient, atom: int, square: Quotient) -> Quotient:
        """Return a quotient in which an atom's square is replaced."""
        root = Polynomial.atom(atom)
        parts = x.top.parts(atom)
        if max(parts, default=0) > 1:
            total = Quotient(_ZERO)
            for power, part in parts.items():
                term = Quotient(part * root ** (power % 2))
                total += reduce(Quotient.__mul__, [square] * (power // 2), term)
            rest = Quotient(_ONE, x.divisors, x.cancels)
            x = total * rest
        powers = dict(x.divisors)
        if powers.get(root, 0) > 1:
            power = powers.pop(root)
            rest = Quotient.of(x.top, [*powers.items(), (root, power % 2)], x.cancels)
            x = reduce(Quotient.__mul__, [square.inverted()] * (power // 2), rest)
        return x

    # ------------------------------------------------------------ all forms of a quotient

    def _forms(self, x: Quotient, count: int) -> list[Node]:
        """Return the other forms of a part, of which atoms occur so often in the formula."""
        forms = [form for try_ in (self._expanded, self._conjugates) for form in try_(x, count)]
        forms += self._of_quotient(x)
        forms += self._roots(x)
        forms += self._exponentials(x)
        forms += self._continuations(x)
        return forms

    def _continuations(self, x: Quotient) -> Iterator[Node]:
        """Yield what encloses quotients around removable poles."""
        if not x.divisors:
            return
        for found in continuations(self.atoms, x):
            around = Node(AND, (self.nodes[found.variable], constant(found.number)))
            top, bottom = (
                self._sum_at(p, found.variable, around) for p in (found.top, found.bottom)
            )
            yield Node(OVER_NONZERO, (top, bottom))

    def _sum_at(self, x: Polynomial, variable: int, node: Node) -> Any:
        """Return the node of a polynomial with another one in place of an atom."""
        terms = []
        for monomial, number in x.terms.items():
            factors = [self._raised(self._atom_at(a, variable, node), p) for a, p in monomial]
            terms.append(_times(reduce(_mul, factors), number) if factors else constant(number))
        return _add(terms) if terms else constant(0)

    def _atom_at(self, atom: int, variable: int, node: Node) -> Any:
        if atom == variable:
            return node
        if atom not in self.atoms.calls:
            return self.nodes[atom]
        name, argument = self.atoms.calls[atom]
        return Node(name, (self._sum_at(argument, variable, node),))

    def _expanded(self, x: Quotient, count: int) -> Iterator[Node]:
        if x.count() <= (4 * count if x.cancels else count - 1):
            yield self._over(x, "div")

    def _conjugates(self, x: Quotient, count: int) -> Iterator[Node]:
        for atom in sorted(x.top.atoms() & set(self.squares)):
            try:
                form = self._conjugate(x, atom)
            except TooLongError:
                continue
            if form is not None and form.count() <= 2 * count + 2:
                yield self._over(form, OVER_NONZERO)
                yield from self._of_quotient(form)

    def _conjugate(self, x: Quotient, atom: int) -> Quotient | None:
        """Return (a + b s) / d as (a^2 - b^2 s^2) / (d (a - b s)), for a root s."""
        parts = x.top.parts(atom)
        if set(parts) != {0, 1}:
            return None
        a, b = parts[0], parts[1]
        top = Quotient(a * a) + -(Quotient(b * b) * self.squares[atom])
        bottom = a + -(b * Polynomial.atom(atom))
        return self._reduce(top * Quotient.of(_ONE, [*x.divisors, (bottom, 1)], False))

    # ------------------------------------------------------------ quotients of sums

    def _of_quotient(self, x: Quotient) -> Iterator[Node]:
        """Yield forms of quotients by a sum."""
        single = [(d, p) for d, p in x.divisors if len(d.terms) == 1]
        sums = [(d, p) for d, p in x.divisors if len(d.terms) > 1]
        if not sums or not x.top.terms:
            return
        try:
            bottom = Quotient(_ONE, tuple(sums)).bottom()
        except TooLongError:
            return
        scale: Monomial = tuple((next(iter(d.atoms())), -p) for d, p in single)
        matches = self._match(x.top, bottom)
        if matches is None or not any(matches):
            return
        top = x.top.times(scale, Fraction(1))
        yield self._mean(
            bottom, {d: [product_of(m, scale) for m in own] for d, own in matches.items()}, top
        )
        if len(bottom.terms) <= _DIVIDED and sum(p for _, p in sums) == 1:
            yield from self._divided(top, bottom)

    @staticmethod
    def _match(top: Polynomial, bottom: Polynomial) -> dict[Monomial, list[Monomial]] | None:
        """Return for terms of a divisor those of a dividend that are their multiples.

        None unless all terms of the dividend are multiples, each of one term.
        """
        matches: dict[Monomial, list[Monomial]] = {}
        for m in top.terms:
            own = [d for d in bottom.terms if divides(d, m)]
            if not own:
                return None
            best = max(own, key=lambda d: sum(power for _, power in d))
            matches.setdefault(best, []).append(m)
        return matches

    def _mean(
        self, bottom: Polynomial, matches: dict[Monomial, list[Monomial]], top: Polynomial
    ) -> Node:
        """Return a quotient as a mean of the quotients of terms, weighted by the divisor's."""
        weights = [Polynomial({d: bottom.terms[d]}) for d in matches]
        numbers = [
            Polynomial({m: top.terms[m] for m in own}).times(inverse(d), 1 / bottom.terms[d])
            for d, own in matches.items()
        ]
        rest = Polynomial({d: c for d, c in bottom.terms.items() if d not in matches})
        if rest.terms:
            weights.append(rest)
            numbers.append(_ZERO)
        return Node(MEAN, tuple(map(self._sum, weights + numbers)))

    def _divided(self, top: Polynomial, bottom: Polynomial) -> Iterator[Node]:
        """Yield quotients whose dividend and divisor are divided by a term of the divisor."""
        for m, c in bottom.terms.items():
            if m:
                parts = [self._sum(p.times(inverse(m), 1 / c)) for p in (top, bottom)]
                yield Node(OVER_NONZERO, tuple(parts))

    # ------------------------------------------------------------ roots, exponentials, logarithms

    def _roots(self, x: Quotient) -> Iterator[Node]:
        """Yield a root of the square of a part that is a product with roots."""
        factors = {a for a, _ in x.top.content()}
        factors |= {a for d, _ in x.divisors if len(d.terms) == 1 for a in d.atoms()}
        if not factors & set(self.squares):
            return
        try:
            square = self._reduce(x * x)
        except TooLongError:
            return
        forms = list(self._of_quotient(square))
        if square.cancels or forms:
            roots = [(a, p) for a, p in x.top.content() if a in self.squares]
            top = x.top.times(inverse(tuple(roots)), Fraction(1))
            divisors = tuple((d, p) for d, p in x.divisors if not self._is_root(d))
            sign = self._over(Quotient(top, divisors), OVER)  # roots are not negative
            yield Node(ROOT, (self._all([self._over(square, OVER), *forms]), sign))

    def _is_root(self, x: Polynomial) -> bool:
        return len(x.terms) == 1 and x.atoms() <= set(self.squares)

    def _exponent(self, atom: int) -> Node | None:
        """Return the exponent of an atom that is a power of e."""
        step = self.steps.get(atom)
        name = "" if step is None else SYNONYMS.get(step.name, step.name)
        if step is None or name not in ("exp", "pow"):
            return None
        operands = [self.nodes[i] for i in step.operands]
        if name == "exp":
            return Node("positive", tuple(operands))
        return Node("mul", (operands[1], Node("log", (operands[0],))))

    def _exponentials(self, x: Quotient) -> Iterator[Node]:
        """Yield a part with all its factors that are exponentials as one."""
        powers = dict(x.top.content())
        powers |= {next(iter(d.atoms())): -p for d, p in x.divisors if len(d.terms) == 1}
        exponents = {a: e for a in powers if (e := self._exponent(a)) is not None}
        if len(exponents) < 2:
            return
        joined = tuple(sorted((a, powers[a]) for a in exponents))
        rest = Quotient(x.top.times(inverse(joined), Fraction(1)), tuple(
            (d, p) for d, p in x.divisors if len(d.terms) > 1 or not d.atoms() & set(exponents)
        ))  # fmt: skip
        terms = [_times(exponents[a], Fraction(powers[a])) for a in exponents]
        yield Node("mul", (self._over(rest, OVER), Node("exp", (_add(terms),))))

    def _logarithms(self, name: str, x: Quotient) -> list[Node]:
        """Return the logarithm of a product as a sum of logarithms."""
        factors = [
            *((Polynomial.atom(a), p) for a, p in x.top.content()),
            *((d, -p) for d, p in x.divisors),
            (x.top.times(inverse(x.top.content()), Fraction(1)), 1),
        ]
        factors = [(d, p) for d, p in factors if d != _ONE]
        terms = [self._logarithm(name, d) for d, _ in factors]
        if not any(is_new for _, is_new in terms) and len(terms) < 2:
            return []
        return [
            _add([_times(t, Fraction(p)) for (t, _), (_, p) in zip(terms, factors, strict=True)])
        ]

    def _logarithm(self, name: str, x: Polynomial) -> tuple[Node, bool]:
        """Return the logarithm of a polynomial's magnitude, and whether it needs none."""
        step = self._step_of(x)
        if step is not None and SYNONYMS.get(step.name, step.name) == "abs":
            step = self.steps.get(step.operands[0])
        if step is not None and step.name == _LOGARITHMS[name]:
            return Node("positive", (self.nodes[step.operands[0]],)), True
        if step is not None and step.name == "tan":
            x = self.nodes[step.operands[0]]
            sine, cosine = (
                Node(name, (Node("abs", (Node(other, (x,)),)),)) for other in ("sin", "cos")
            )
            return Node("sub", (sine, cosine)), True
        if step is not None and step.name in ("sinh", "cosh") and name == "log":
            return _log_of_hyperbolic(step.name, self.nodes[step.operands[0]]), True
        return Node(name, (Node("abs", (self._sum(x),)),)), False

    def _step_of(self, x: Polynomial) -> Step | None:
        """Return the operation that computes a polynomial that is an atom."""
        atoms = x.atoms()
        return self.steps.get(atoms.pop()) if len(atoms) == 1 and x.count() == 1 else None

    # ------------------------------------------------------------ nodes of polynomials

    def _all(self, forms: Sequence[Node]) -> Node:
        return reduce(lambda x, y: Node(MEET, (x, y)), forms)

    def _over(self, x: Quotient, name: str) -> Node:
        """Return the node of a quotient."""
        if not x.divisors:
            return self._sum(x.top)
        factors = [self._raised(self._sum(d), p) for d, p in x.divisors]
        return Node(name, (self._sum(x.top), reduce(_mul, factors)))

    def _sum(self, x: Polynomial) -> Any:
        """Return the node of a polynomial, whose exponents may be negative."""
        content = x.content()
        if len(x.terms) > 1 and (known := self._known(x)) is not None:
            return known
        if content and len(x.terms) > 1:
            rest = x.times(inverse(content), Fraction(1))
            return _mul(self._term(content, Fraction(1)), self._sum(rest))
        if not x.terms:
            return constant(0)
        return _add([self._term(m, c) for m, c in x.terms.items()])

    def _known(self, x: Polynomial) -> Any:
        """Return the node of a sum that the formula computes, or a multiple of it."""
        lead = x.lead()
        slot, other = self.sums.get(x.times((), 1 / lead), (None, Fraction(1)))
        return None if slot is None else _times(self.nodes[slot], lead / other)

    def _term(self, monomial: Monomial, number: Fraction) -> Any:
        top = [self._raised(self.nodes[a], p) for a, p in monomial if p > 0]
        bottom = [self._raised(self.nodes[a], -p) for a, p in monomial if p < 0]
        node = _times(reduce(_mul, top), number) if top else constant(number)
        return Node(OVER_NONZERO, (node, reduce(_mul, bottom))) if bottom else node

    @staticmethod
    def _raised(node: Any, power: int) -> Any:
        if power == 1:
            return node
        return Node("sqr", (node,)) if power == 2 else Node("pown", (node, power))


def _mul(x: Any, y: Any) -> Node:
    return Node("mul", (x, y))


def _add(terms: Sequence[Any]) -> Any:
    return reduce(lambda x, y: Node("add", (x, y)), terms)


def _times(x: Any, number: Fraction) -> Any:
    if abs(number) == 1:
        return x if number > 0 else Node("neg", (x,))
    return Node("mul", (constant(number), x))


def _log_of_hyperbolic(name: str, x: Any) -> Node:
    """Return log|sinh x| or log(cosh x), for large x, too: |x| + log((1 -+ exp(-2 |x|)) / 2)."""
    size = Node("abs", (x,))
    small = Node("exp", (_times(size, Fraction(-2)),))
    signed = small if name == "cosh" else Node("neg", (small,))
    half = _times(Node("add", (constant(1), signed)), Fraction(1, 2))
    return Node("add", (size, Node("log", (half,))))


# ---------------------------------------------------------------- paths


def rewritten(path: Path) -> Path | None:
    """Return a path whose program has other forms of its parts, too; None if there are none.

    Its constraints hold where the parts as they were are defined.
    """
    program = path.program
    forms = _Forms(program)
    if not forms.is_rewritten:
        return None
    slots = [slot for constraint in path.constraints for slot in constraint.slots]
    results = [nodes[slot] for nodes in (forms.nodes, forms.plain) for slot in slots]
    new = Program([forms.nodes[program.roots[0]], *results], program.count)
    pairs = list(zip(new.roots[1::2], new.roots[2::2], strict=True))
    return Path(new, [
        Constraint(c.relation, pair, c.outcome, plain)
        for c, pair, plain in zip(
            path.constraints, pairs[: len(slots) // 2], pairs[len(slots) // 2 :], strict=True
        )
    ])  # fmt: skip
