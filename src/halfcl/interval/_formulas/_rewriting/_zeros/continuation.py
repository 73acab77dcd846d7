"""Quotients at common zeros of dividend and divisor, of any order.

Let f and g, functions of one atom x and of others, and their derivatives in x up to order m - 1 be
zero where x is c, and let the derivative g^(m) not be zero between c and x, nor f or g have a pole
there. Then f / g is f^(m) / g^(m) at a point between c and x (Cauchy's mean value theorem, m
times). Derivatives are computed exactly, as polynomials of the same atoms and of the functions that
are their derivatives, so it is known, and not only computed, that those at c are zero.

c may depend on other atoms: (exp x - exp y) / (x - y) is zero over zero where x is y, so it is
exp t for some t between them. (x - y) / log(x / y) is 1 / (1 / t) there, which is t. Logarithms are
those of magnitudes, so they may be split, and they have a pole where their operand u is zero. If u
is linear in x and has one sign between c and x, it is not zero at points between them, so both
derivatives may be multiplied by powers of u.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import reduce
from typing import NamedTuple, TypeAlias

from halfcl.interval._formulas._rewriting.polynomials import Polynomial, Quotient, TooLongError

#: A function of one number, and its argument.
Call: TypeAlias = tuple[str, Polynomial]

#: The greatest order of zeros, and the greatest number of places that are tried for each atom.
_ORDER, _PLACES = 4, 4
#: The greatest number of terms of a derivative at places that are no numbers.
_TERMS = 6
_ONE = Polynomial.number(1)

#: A function of the argument at hand, or of another one.
_Of: TypeAlias = Callable[..., Polynomial]


class Function(NamedTuple):
    """The derivative of a function, from functions of its argument; and f(0), if it has one."""

    derivative: Callable[[_Of, Polynomial], Polynomial]
    at_zero: int | None


#: Functions whose derivatives are polynomials of functions. Logarithms are those of magnitudes.
FUNCTIONS: dict[str, Function] = {
    "exp": Function(lambda f, x: f("exp"), 1),
    "expm1": Function(lambda f, x: f("expm1") + _ONE, 0),
    "sin": Function(lambda f, x: f("cos"), 0),
    "cos": Function(lambda f, x: -f("sin"), 1),
    "tan": Function(lambda f, x: _ONE + f("tan") * f("tan"), 0),
    "sinh": Function(lambda f, x: f("cosh"), 0),
    "cosh": Function(lambda f, x: f("sinh"), 1),
    "tanh": Function(lambda f, x: _ONE + -(f("tanh") * f("tanh")), 0),
    "log": Function(lambda f, x: f("recip"), None),
    "recip": Function(lambda f, x: -(f("recip") * f("recip")), None),
    "log1p": Function(lambda f, x: f("recip", _ONE + x), 0),
    "atan": Function(lambda f, x: f("recip", _ONE + x * x), 0),
}


def _of_log_tangent(of: _Of, u: Polynomial) -> Polynomial:
    return of("recip", of("sin", u.times((), Fraction(2)))).times((), Fraction(2))


#: The quotients f' / f as functions of u in which it occurs once. That of sine has poles more.
_LOGARITHMIC: dict[str, Callable[[_Of, Polynomial], Polynomial]] = {
    "cos": lambda of, u: -of("tan", u),
    "tan": _of_log_tangent,
    "sinh": lambda of, u: of("recip", of("tanh", u)),
    "cosh": lambda of, u: of("tanh", u),
}


class Atoms:
    """The atoms that are functions of polynomials; new ones are added as they are needed."""

    def __init__(self, count: int) -> None:
        self.calls: dict[int, Call] = {}
        #: Logarithms of products and quotients as sums.
        self._sums: dict[int, Polynomial] = {}
        self._known: dict[Call, int] = {}
        self._next = count

    def add(self, atom: int, name: str, argument: Quotient) -> None:
        """Add an atom of the formula, if it is a function with a derivative."""
        factors = argument.factors()
        if name == "log" and len(factors) > 1 and argument.top.terms:
            terms = [self.of("log", factor).times((), Fraction(p)) for factor, p in factors]
            self._sums[atom] = reduce(Polynomial.__add__, terms)
        elif name in FUNCTIONS and not argument.divisors:
            self.calls[atom] = name, argument.top
            self._known.setdefault((name, argument.top), atom)

    def name_of(self, atom: int) -> str:
        """Return the name of the function that an atom is; empty if it is none."""
        return self.calls[atom][0] if atom in self.calls else ""

    def with_sums(self, x: Polynomial) -> Polynomial:
        """Return a polynomial with sums in place of logarithms of products."""
        for atom in sorted(x.atoms() & self._sums.keys()):
            terms = (part * self._sums[atom] ** power for power, part in x.parts(atom).items())
            x = reduce(Polynomial.__add__, terms)
        return x

    def of(self, name: str, argument: Polynomial) -> Polynomial:
        """Return a function of a polynomial."""
        if not argument.terms:
            at_zero = FUNCTIONS[name].at_zero
            if at_zero is None:
                raise TooLongError
            return Polynomial.number(at_zero)
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

        def of(other: str, operand: Polynomial = argument) -> Polynomial:
            return self.of(other, operand)

        if name == "log" and (of_wave := self._logarithmic(argument, variable)) is not None:
            return of_wave
        return FUNCTIONS[name].derivative(of, argument) * inner

    def _logarithmic(self, x: Polynomial, variable: int) -> Polynomial | None:
        """Return the derivative of log|f(u)|, in which u occurs once, if x is such an f(u)."""
        (atom, *others) = x.atoms()
        name, operand = self.calls.get(atom, ("", x))
        if others or x != Polynomial.atom(atom) or name not in _LOGARITHMIC:
            return None
        return _LOGARITHMIC[name](self.of, operand) * self.derivative(operand, variable)

    def at(self, x: Polynomial, variable: int, place: Polynomial) -> Polynomial:
        """Return a polynomial with another one in place of an atom."""
        total = Polynomial({})
        for monomial, coefficient in x.terms.items():
            product = Polynomial.number(coefficient)
            for atom, power in monomial:
                product = product * self._at(atom, variable, place) ** power
            total = total + product
        return total

    def _at(self, atom: int, variable: int, place: Polynomial) -> Polynomial:
        if atom == variable:
            return place
        if atom not in self.calls:
            return Polynomial.atom(atom)
        name, argument = self.calls[atom]
        return self.of(name, self.at(argument, variable, place))

    def variables(self, x: Polynomial) -> set[int]:
        """Return the atoms that are no functions of others, on which a polynomial depends."""
        atoms = set()
        for atom in x.atoms():
            inner = self.calls.get(atom)
            atoms |= {atom} if inner is None else self.variables(inner[1])
        return atoms


class Continuation(NamedTuple):
    """Derivatives of a dividend and a divisor in an atom, and the place where both are zero.

    order: that of the derivatives. guards: polynomials that must have one sign between the atom
    and the place.
    """

    variable: int
    place: Polynomial
    order: int
    top: Polynomial
    bottom: Polynomial
    guards: tuple[Polynomial, ...] = ()


def continuations(atoms: Atoms, x: Quotient) -> Iterator[Continuation]:
    """Yield what encloses a quotient around its removable poles."""
    try:
        top, bottom = atoms.with_sums(x.top), atoms.with_sums(x.bottom())
    except TooLongError:
        return
    for variable in sorted(atoms.variables(bottom) & atoms.variables(top)):
        for place in _places(atoms, x, (top, bottom), variable):
            try:
                continuation = _continuation(atoms, top, bottom, variable, place)
            except TooLongError:
                continue
            if continuation is not None and (
                place.is_number or len(continuation.top.terms) <= _TERMS
            ):
                yield continuation
                if not place.is_number:  # those of the other atoms say the same
                    return


def _places(
    atoms: Atoms, x: Quotient, sums: tuple[Polynomial, Polynomial], variable: int
) -> list[Polynomial]:
    """Return where a divisor may be zero: at zero, and where linear factors are.

    A difference of equal functions is zero where their arguments are equal.
    """
    places = {Polynomial({}): None}
    linear = [divisor for divisor, _ in x.divisors]
    atoms_of_sums = sorted(sums[0].atoms() | sums[1].atoms())
    calls = [atoms.calls[a] for a in atoms_of_sums if a in atoms.calls]
    for (name, one), (other_name, other) in itertools.combinations(calls, 2):
        one, other = _innermost(atoms, one, other)
        linear += [one + -other] if name == other_name else []
    for difference in linear:
        parts = difference.parts(variable)
        if set(parts) in ({0, 1}, {1}) and parts[1].is_number:
            place = parts.get(0, Polynomial({})).times((), -1 / parts[1].constant)
            if variable not in atoms.variables(place):
                places[place] = None
    return list(places)[:_PLACES]


def _innermost(atoms: Atoms, x: Polynomial, y: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Return the arguments of two equal functions of functions."""
    calls = [
        atoms.calls.get(a) if z == Polynomial.atom(a) else None
        for z in (x, y)
        for a in list(z.atoms())[:1]
    ]
    if len(calls) < 2 or calls[0] is None or calls[1] is None or calls[0][0] != calls[1][0]:
        return x, y
    return _innermost(atoms, calls[0][1], calls[1][1])


def _continuation(
    atoms: Atoms, top: Polynomial, bottom: Polynomial, variable: int, place: Polynomial
) -> Continuation | None:
    for order in range(_ORDER + 1):
        if atoms.at(bottom, variable, place).terms:
            here = Continuation(variable, place, order, top, bottom)
            return _without_poles(atoms, here) if order else None
        if atoms.at(top, variable, place).terms:
            return None
        top, bottom = (atoms.derivative(p, variable) for p in (top, bottom))
    return None


def _without_poles(atoms: Atoms, x: Continuation) -> Continuation:
    """Return derivatives without reciprocals of operands that are linear in the atom."""
    variable, place, order, top, bottom, _ = x
    guards = []
    for atom in sorted(top.atoms() | bottom.atoms()):
        name, operand = atoms.calls.get(atom, ("", Polynomial({})))
        if name != "recip" or not _is_linear(atoms, operand, variable):
            continue
        power = max([*top.parts(atom), *bottom.parts(atom)])
        top, bottom = (
            reduce(Polynomial.__add__, (
                part * operand ** (power - p) for p, part in y.parts(atom).items()
            ), Polynomial({}))
            for y in (top, bottom)
        )  # fmt: skip
        guards.append(operand)
    return Continuation(variable, place, order, top, bottom, tuple(guards))


def _is_linear(atoms: Atoms, x: Polynomial, variable: int) -> bool:
    """Return whether a polynomial is linear in an atom, also as an operand of functions."""
    parts = x.parts(variable)
    return set(parts) <= {0, 1} and not any(variable in atoms.variables(p) for p in parts.values())
