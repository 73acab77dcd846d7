"""Exponentials of sums as products of exponentials, of which several have common factors.

exp(x + h) - exp(x) is exp(x) (exp(h) - 1), and exp(a + b) - 1 over the product of exp(a) - 1 and
exp(b) - 1 is a quotient of polynomials of two exponentials, whose common zeros and infinities
cancel.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from halfcl.interval._formulas._rewriting.parts import Parts, name_of
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
)

#: A product in an exponent, without its number: a monomial and the divisors.
_Product: TypeAlias = tuple[Monomial, tuple[tuple[Polynomial, int], ...]]
#: The numbers of the products in an exponent.
_Exponent: TypeAlias = dict[_Product, Fraction]

#: The greatest power of an exponential.
_POWER = 4
_ONE = Polynomial.number(1)


def with_common_exponentials(parts: Parts, x: Quotient) -> Quotient | None:
    """Return a quotient with products in place of exponentials of sums; None if none are common."""
    exponents = _exponents(parts, x)
    units = _units(exponents)
    is_same = all(len(e) == 1 and set(e.values()) <= set(units.values())
                  for e in exponents.values())  # fmt: skip
    if len(exponents) < 2 or is_same or len(units) > len(exponents):
        return None
    try:
        for atom, exponent in exponents.items():
            top, bottom = _factors_of(parts, exponent, units)
            if top != Polynomial.atom(atom):
                x = x.with_ratio(atom, top, bottom)
    except TooLongError:
        return None
    return x


def _exponents(parts: Parts, x: Quotient) -> dict[int, _Exponent]:
    """Return the exponents of all exponentials in a quotient."""
    exponents = {}
    for atom in sorted(x.top.atoms().union(*(d.atoms() for d, _ in x.divisors))):
        step = parts.steps.get(atom)
        if name_of(step) == "exp" and step is not None:
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


def _factors_of(
    parts: Parts, exponent: _Exponent, units: dict[_Product, Fraction]
) -> tuple[Polynomial, Polynomial]:
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
