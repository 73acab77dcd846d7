"""Exponentials of sums as products of exponentials, of which several have common factors.

exp(x + h) - exp(x) is exp(x) (exp(h) - 1), and exp(a + b) - 1 over the product of exp(a) - 1 and
exp(b) - 1 is a quotient of polynomials of two exponentials, whose common zeros and infinities
cancel. Hyperbolic functions are quotients of exponentials, so that sinh(u) / cosh(u) has bounds
where both overflow. Powers of one base are one power: x^y / x is x^(y - 1), and (1 - x)^y log x is
(1 - x)^(y + 1) times a quotient without a pole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from halfcl.interval._formulas._rewriting.parts import Parts, Term, add, name_of
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
)
from halfcl.interval._formulas.jets import Node, constant

#: A product in an exponent, without its number: a monomial and the divisors.
_Product: TypeAlias = tuple[Monomial, tuple[tuple[Polynomial, int], ...]]
#: The numbers of the products in an exponent.
_Exponent: TypeAlias = dict[_Product, Fraction]
#: A dividend and a divisor.
_Ratio: TypeAlias = tuple[Polynomial, Polynomial]

#: The greatest power of an exponential.
_POWER = 4
_ONE, _TWO = Polynomial.number(1), Fraction(2)


def with_common_exponentials(parts: Parts, x: Quotient) -> Quotient | None:
    """Return a quotient with products in place of exponentials of sums; None if none are common."""
    exponents = _exponents(parts, x, ("exp",))
    units = _units(exponents)
    is_same = all(len(e) == 1 and set(e.values()) <= set(units.values())
                  for e in exponents.values())  # fmt: skip
    if len(exponents) < 2 or is_same or len(units) > len(exponents):
        return None
    return _replace(parts, x, exponents, units)


def without_hyperbolics(parts: Parts, x: Quotient, least: int) -> Quotient | None:
    """Return a quotient with exponentials in place of hyperbolic functions.

    least: the number of these for which it is worth that; None if it has less.
    """
    if sum(name_of(parts.steps.get(a)) in HYPERBOLICS for a in _atoms_of(x)) < least:
        return None
    exponents = _exponents(parts, x, ("exp", *HYPERBOLICS))
    return _replace(parts, x, exponents, _units(exponents))


def _replace(
    parts: Parts, x: Quotient, exponents: dict[int, _Exponent], units: dict[_Product, Fraction]
) -> Quotient | None:
    try:
        for atom, exponent in exponents.items():
            name = name_of(parts.steps.get(atom))
            top, bottom = _factors_of(parts, exponent, units)
            if top != Polynomial.atom(atom):
                x = x.with_ratio(atom, *HYPERBOLICS.get(name, _as_it_is)(top, bottom))
    except TooLongError:
        return None
    return x


def _as_it_is(top: Polynomial, bottom: Polynomial) -> _Ratio:
    return top, bottom


#: Hyperbolic functions of u, as ratios, from dividend and divisor of exp(u).
HYPERBOLICS: dict[str, Callable[[Polynomial, Polynomial], _Ratio]] = {
    "sinh": lambda p, q: (p * p + -(q * q), (p * q).times((), _TWO)),
    "cosh": lambda p, q: (p * p + q * q, (p * q).times((), _TWO)),
    "tanh": lambda p, q: (p * p + -(q * q), p * p + q * q),
}


def with_joined_powers(parts: Parts, x: Quotient) -> Iterator[tuple[Quotient, Term]]:
    """Yield a quotient as another one times a power b^y whose base is a factor of it, or may be.

    Wherever x is defined, that power is: a divisor is not zero there, and other factors raise the
    exponent.
    """
    for atom, power in x.top.content():
        step = parts.steps.get(atom)
        if name_of(step) != "pow" or step is None or power > 1:
            continue
        base = parts.quotient(step.operands[0])
        if base.divisors or not base.top.atoms():
            continue
        number = base.top.lead()
        unit, top = base.top.times((), 1 / number), x.top.times(((atom, -1),), Fraction(1))
        more, powers = 0, dict(x.divisors)
        while (quotient := top.exact_quotient(unit)) is not None and more < _POWER:
            top, more = quotient, more + 1
        more -= powers.pop(unit, 0)
        if not more:  # a zero of other functions, perhaps
            more, powers[unit] = 1, 1
        rest = Quotient(top.times((), number**-more), tuple(powers.items()))
        exponent = add([parts.nodes[step.operands[1]], constant(more)])
        yield rest, Node("pow", (parts.nodes[step.operands[0]], exponent))


def _atoms_of(x: Quotient) -> set[int]:
    return x.top.atoms().union(*(d.atoms() for d, _ in x.divisors))


def _exponents(parts: Parts, x: Quotient, names: Sequence[str]) -> dict[int, _Exponent]:
    """Return the exponents of all functions in a quotient that have some names."""
    exponents = {}
    for atom in sorted(_atoms_of(x)):
        step = parts.steps.get(atom)
        if name_of(step) in names and step is not None:
            own = parts.quotient(step.operands[0])
            exponents[atom] = {(m, own.divisors): c for m, c in own.top.terms.items()}
    return exponents


def _units(exponents: dict[int, _Exponent]) -> dict[_Product, Fraction]:
    """Return the least number of each product, of which the others are multiples."""
    units: dict[_Product, Fraction] = {}
    for exponent in exponents.values():
        for product, number in exponent.items():
            if product not in units or abs(number) < abs(units[product]):
                units[product] = number
    return units


def _factors_of(parts: Parts, exponent: _Exponent, units: dict[_Product, Fraction]) -> _Ratio:
    """Return dividend and divisor of an exponential, in powers of those of the units."""
    top, bottom = _ONE, _ONE
    for product, number in exponent.items():
        power = number / units[product]
        if power.denominator > 1 or abs(power) > _POWER:
            raise TooLongError
        monomial, divisors = product
        own = Quotient(Polynomial({monomial: units[product]}), divisors)
        factor = Polynomial.atom(parts.exponential_of(own))
        factor = reduce(Polynomial.__mul__, [factor] * abs(int(power)))
        top, bottom = (top * factor, bottom) if power > 0 else (top, bottom * factor)
    return top, bottom
