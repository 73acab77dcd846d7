"""Quotients at common zeros of dividend and divisor, of any order.

Let f and g, functions of one atom x and of others, and their derivatives in x up to order m - 1 be
zero where x is c, a number or a polynomial of other atoms, and let the derivative g^(m) not be zero
between c and x, nor a tangent have a pole there. Then f / g is f^(m) / g^(m) at a point between c
and x (Cauchy's mean value theorem, m times). Derivatives are computed exactly, as polynomials of
the same atoms and of the functions that are their derivatives, so it is known, and not only
computed, that those at c are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from halfcl.interval._formulas._rewriting.polynomials import Polynomial, Quotient, TooLongError

#: A function of one number, and its argument.
Call: TypeAlias = tuple[str, Polynomial]

#: The greatest order of zeros.
_ORDER = 4
_ONE = Polynomial.number(1)


class Function(NamedTuple):
    """The derivative of a function, from that function and others of its argument; and f(0)."""

    derivative: Callable[[Callable[[str], Polynomial]], Polynomial]
    at_zero: int


#: Functions whose derivatives are polynomials of functions.
FUNCTIONS: dict[str, Function] = {
    "exp": Function(lambda f: f("exp"), 1),
    "expm1": Function(lambda f: f("expm1") + _ONE, 0),
    "sin": Function(lambda f: f("cos"), 0),
    "cos": Function(lambda f: -f("sin"), 1),
    "tan": Function(lambda f: _ONE + f("tan") * f("tan"), 0),
    "sinh": Function(lambda f: f("cosh"), 0),
    "cosh": Function(lambda f: f("sinh"), 1),
    "tanh": Function(lambda f: _ONE + -(f("tanh") * f("tanh")), 0),
}


class Atoms:
    """The atoms that are functions of polynomials; new ones are added as they are needed."""

    def __init__(self, count: int) -> None:
        self.calls: dict[int, Call] = {}
        self._known: dict[Call, int] = {}
        self._next = count

    def add(self, atom: int, name: str, argument: Quotient) -> None:
        """Add an atom of the formula, if it is a function with a derivative."""
        if name in FUNCTIONS and not argument.divisors:
            self.calls[atom] = name, argument.top
            self._known.setdefault((name, argument.top), atom)

    def of(self, name: str, argument: Polynomial) -> Polynomial:
        """Return a function of a polynomial."""
        if not argument.terms:
            return Polynomial.number(FUNCTIONS[name].at_zero)
        atom = self._known.setdefault((name, argument), self._next)
        if atom == self._next:
            self.calls[atom] = name, argument
            self._next += 1
        return Polynomial.atom(atom)

    def derivative(self, x: Polynomial, variable: int) -> Polynomial:
        """Return the derivative in an atom that is no function of others."""
        total = Polynomial({})
        for monomial, number in x.terms.items():
            for i, (atom, power) in enumerate(monomial):
                rest = (
                    monomial[:i] + (((atom, power - 1),) if power > 1 else ()) + monomial[i + 1 :]
                )
                factor = self._derivative_of(atom, variable)
                total = total + factor.times(rest, number * power)
        return total

    def _derivative_of(self, atom: int, variable: int) -> Polynomial:
        if atom not in self.calls:
            return Polynomial.number(int(atom == variable))
        name, argument = self.calls[atom]
        inner = self.derivative(argument, variable)
        if not inner.terms:
            return inner
        return FUNCTIONS[name].derivative(lambda other: self.of(other, argument)) * inner

    def at(self, x: Polynomial, variable: int, number: Polynomial) -> Polynomial:
        """Return a polynomial with another one in place of an atom."""
        total = Polynomial({})
        for monomial, coefficient in x.terms.items():
            product = Polynomial.number(coefficient)
            for atom, power in monomial:
                product = product * self._at(atom, variable, number) ** power
            total = total + product
        return total

    def _at(self, atom: int, variable: int, number: Polynomial) -> Polynomial:
        if atom == variable:
            return number
        if atom not in self.calls:
            return Polynomial.atom(atom)
        name, argument = self.calls[atom]
        return self.of(name, self.at(argument, variable, number))

    def variables(self, x: Polynomial) -> set[int]:
        """Return the atoms that are no functions of others, on which a polynomial depends."""
        atoms = set()
        for atom in x.atoms():
            inner = self.calls.get(atom)
            atoms |= {atom} if inner is None else self.variables(inner[1])
        return atoms


class Continuation(NamedTuple):
    """Derivatives of a dividend and a divisor in an atom, and where both are zero."""

    variable: int
    number: Polynomial
    top: Polynomial
    bottom: Polynomial


def continuations(atoms: Atoms, x: Quotient) -> Iterator[Continuation]:
    """Yield what encloses a quotient around its removable poles."""
    try:
        bottom = x.bottom()
    except TooLongError:
        return
    for variable in sorted(atoms.variables(bottom) & atoms.variables(x.top)):
        for number in _zeros(x, variable):
            try:
                continuation = _continuation(atoms, x.top, bottom, variable, number)
            except TooLongError:
                continue
            if continuation is not None:
                yield continuation


def _zeros(x: Quotient, variable: int) -> list[Polynomial]:
    """Return where a divisor may be zero: at zero, and at roots of linear factors."""
    zeros = {Polynomial.number(0): None}
    for divisor, _ in x.divisors:
        parts = divisor.parts(variable)
        if set(parts) == {0, 1} and parts[1].is_number:
            zeros[parts[0].times((), -1 / parts[1].constant)] = None
    return [*zeros]


def _continuation(
    atoms: Atoms, top: Polynomial, bottom: Polynomial, variable: int, number: Polynomial
) -> Continuation | None:
    for order in range(_ORDER + 1):
        if atoms.at(bottom, variable, number).terms:
            return Continuation(variable, number, top, bottom) if order else None
        if atoms.at(top, variable, number).terms:
            return None
        top, bottom = (atoms.derivative(p, variable) for p in (top, bottom))
    return None
