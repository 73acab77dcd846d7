"""Polynomials with exact coefficients, and their quotients.

Their variables are the slots of a program: here called atoms. A monomial is a tuple of atoms and
exponents, in the order of atoms.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

Monomial: TypeAlias = tuple[tuple[int, int], ...]

#: The limits of polynomials; longer ones are not computed.
_TERMS, _DEGREE, _BITS = 40, 24, 2000
#: The least number of terms of sums that may be products of sums.
_PRODUCT = 4


class TooLongError(Exception):
    """Raised when a polynomial would exceed the limits."""


# ---------------------------------------------------------------- monomials


def product_of(x: Monomial, y: Monomial) -> Monomial:
    """Return the product of monomials, whose exponents may be negative."""
    if not x or not y:
        return x or y
    powers = dict(x)
    for atom, power in y:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted([item for item in powers.items() if item[1]]))


def inverse(x: Monomial) -> Monomial:
    """Return the monomial with the opposite exponents."""
    return tuple((atom, -power) for atom, power in x)


def divides(x: Monomial, y: Monomial) -> bool:
    """Return whether the quotient y / x is a monomial without negative exponents."""
    powers = dict(y)
    return all(powers.get(atom, 0) >= power for atom, power in x)


# ---------------------------------------------------------------- polynomials


class Polynomial:
    """A sum of monomials with coefficients that are not zero."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}
        if len(self.terms) > _TERMS:
            raise TooLongError
        for m, c in self.terms.items():
            bits = max(c.numerator.bit_length(), c.denominator.bit_length())
            if bits > _BITS or sum([power for _, power in m]) > _DEGREE:
                raise TooLongError

    @staticmethod
    def atom(slot: int) -> Polynomial:
        """Return an atom."""
        return Polynomial({((slot, 1),): Fraction(1)})

    @staticmethod
    def number(x: int | Fraction) -> Polynomial:
        """Return a constant."""
        return Polynomial({(): Fraction(x)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for m, c in other.terms.items():
            terms[m] = terms[m] + c if m in terms else c
        return Polynomial(terms)

    def __mul__(self, other: Polynomial) -> Polynomial:
        for one, factor in ((self, other), (other, self)):
            if factor.is_one:
                return one
        if len(self.terms) * len(other.terms) > _TERMS**2:
            raise TooLongError
        terms: dict[Monomial, Fraction] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                p = product_of(m, n)
                terms[p] = terms[p] + c * d if p in terms else c * d
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -c for m, c in self.terms.items()})

    def __pow__(self, power: int) -> Polynomial:
        result = _UNIT
        for _ in range(power):
            result = result * self
        return result

    def times(self, monomial: Monomial, number: Fraction) -> Polynomial:
        """Return the product with a monomial and a number."""
        if number == 1:
            if not monomial:
                return self
            return Polynomial({product_of(m, monomial): c for m, c in self.terms.items()})
        return Polynomial({product_of(m, monomial): c * number for m, c in self.terms.items()})

    @property
    def is_number(self) -> bool:
        """A bool that is true if there is no atom."""
        return not self.terms or set(self.terms) == {()}

    @property
    def is_one(self) -> bool:
        """A bool that is true if it is the number 1."""
        return len(self.terms) == 1 and self.terms.get(()) == 1

    @property
    def constant(self) -> Fraction:
        """The term without atoms."""
        return self.terms.get((), Fraction(0))

    def atoms(self) -> set[int]:
        """Return the atoms that occur."""
        return {atom for m in self.terms for atom, _ in m}

    def count(self) -> int:
        """Return how often atoms occur, powers counted once."""
        return sum(map(len, self.terms))

    def lead(self) -> Fraction:
        """Return the coefficient of the greatest monomial."""
        return self.terms[max(self.terms, key=_order)]

    def content(self) -> Monomial:
        """Return the greatest monomial that divides all terms."""
        common: dict[int, int] | None = None
        for m in self.terms:
            powers = dict(m)
            known = powers if common is None else common
            common = {a: min(p, powers[a]) for a, p in known.items() if a in powers}
        return tuple(sorted((common or {}).items()))

    def parts(self, atom: int) -> dict[int, Polynomial]:
        """Return the coefficients of the powers of an atom."""
        parts: dict[int, dict[Monomial, Fraction]] = {}
        for m, c in self.terms.items():
            power = dict(m).get(atom, 0)
            rest = tuple(x for x in m if x[0] != atom)
            parts.setdefault(power, {})[rest] = c
        return {power: Polynomial(terms) for power, terms in parts.items()}

    def exact_quotient(self, divisor: Polynomial) -> Polynomial | None:
        """Return the quotient if the division is exact."""
        lead = max(divisor.terms, key=_order)
        rest, quotient = dict(self.terms), dict[Monomial, Fraction]()
        for _ in range(_TERMS):
            if not rest:
                return Polynomial(quotient)
            top = max(rest, key=_order)
            if not divides(lead, top):
                return None
            m, c = product_of(top, inverse(lead)), rest[top] / divisor.terms[lead]
            quotient[m] = c
            for n, d in divisor.terms.items():
                p = product_of(m, n)
                rest[p] = rest.get(p, Fraction(0)) - c * d
                if not rest[p]:
                    del rest[p]
        return None


_UNIT = Polynomial.number(1)


def _order(monomial: Monomial) -> tuple[object, ...]:
    """Return the key of an order of monomials that products keep: by degree, then by exponents."""
    return sum(power for _, power in monomial), tuple((-a, p) for a, p in monomial)


# ---------------------------------------------------------------- quotients


@dataclasses.dataclass(frozen=True)
class Quotient:
    """A polynomial over powers of polynomials.

    cancels: whether terms cancelled, or quotients were added, when it was computed.

    Divisors are not constant, have no common factor with the numerator, and lead with 1. Those of
    one term are atoms.
    """

    top: Polynomial
    divisors: tuple[tuple[Polynomial, int], ...] = ()
    cancels: bool = False

    @staticmethod
    def of(top: Polynomial, divisors: Iterable[tuple[Polynomial, int]], cancels: bool) -> Quotient:
        """Return a quotient without common factors."""
        powers: dict[Polynomial, int] = {}
        for divisor, power in _factors(divisors):
            number, unit = divisor.lead(), divisor
            if number != 1:
                top, unit = top.times((), number**-power), divisor.times((), 1 / number)
            if not divisor.is_number:
                powers[unit] = powers.get(unit, 0) + power
        for divisor in powers:
            while powers[divisor] and (quotient := top.exact_quotient(divisor)) is not None:
                top, cancels = quotient, True
                powers[divisor] -= 1
        for divisor in list(powers):
            if 1 < len(top.terms) < len(divisor.terms) + 1 and powers[divisor]:
                rest = divisor.exact_quotient(top)
                if rest is not None and not rest.is_number:
                    others = [(d, p - (d == divisor)) for d, p in powers.items()]
                    return Quotient.of(Polynomial.number(1), [*others, (rest, 1)], True)
        return Quotient(top, tuple((d, p) for d, p in powers.items() if p), cancels)

    def __add__(self, other: Quotient) -> Quotient:
        one, two = dict(self.divisors), dict(other.divisors)
        common = {d: max(one.get(d, 0), two.get(d, 0)) for d in {**one, **two}}
        x, y = (
            _times_factors(q.top, {d: p - own.get(d, 0) for d, p in common.items()})
            for q, own in ((self, one), (other, two))
        )
        top = x + y
        lost = any(m not in top.terms for m in (*x.terms, *y.terms)) or bool(one and two)
        return Quotient.of(top, common.items(), self.cancels or other.cancels or lost)

    def __mul__(self, other: Quotient) -> Quotient:
        divisors = [*self.divisors, *other.divisors]
        return Quotient.of(self.top * other.top, divisors, self.cancels or other.cancels)

    def __neg__(self) -> Quotient:
        return dataclasses.replace(self, top=-self.top)

    def reciprocal(self) -> Quotient:
        """Return 1 / x."""
        top = _times_factors(Polynomial.number(1), dict(self.divisors))
        return Quotient.of(top, [(self.top, 1)], self.cancels)

    def with_divisor(self, divisor: Polynomial) -> Quotient:
        """Return the quotient by a polynomial, which is not cancelled."""
        powers = dict(self.divisors)
        for factor, power in _factors([(divisor.times((), 1 / divisor.lead()), 1)]):
            powers[factor] = powers.get(factor, 0) + power
        top = self.top.times((), 1 / divisor.lead())
        return Quotient(
            top, tuple((d, p) for d, p in powers.items() if not d.is_number), self.cancels
        )

    def with_ratio(self, atom: int, top: Polynomial, bottom: Polynomial) -> Quotient:
        """Return the quotient with a ratio of polynomials in place of an atom."""
        result = _with_ratio(self.top, atom, top, bottom)
        for divisor, power in self.divisors:
            other = _with_ratio(divisor, atom, top, bottom).reciprocal()
            for _ in range(power):
                result = other * result
        return result

    def count(self) -> int:
        """Return how often atoms occur."""
        return self.top.count() + sum(d.count() for d, _ in self.divisors)

    def factors(self) -> list[tuple[Polynomial, int]]:
        """Return the factors and their powers, which are negative for divisors."""
        content = self.top.content()
        rest = self.top.times(inverse(content), Fraction(1))
        factors = [(Polynomial.atom(a), p) for a, p in content]
        factors += [(d, -p) for d, p in self.divisors]
        return factors + ([] if rest == Polynomial.number(1) else [(rest, 1)])

    def bottom(self) -> Polynomial:
        """Return the product of all divisors."""
        return _times_factors(Polynomial.number(1), dict(self.divisors))


def _factors(
    divisors: Iterable[tuple[Polynomial, int]],
) -> Iterator[tuple[Polynomial, int]]:
    """Yield divisors, and the atoms that divide one of them apart from the rest."""
    for divisor, power in divisors:
        if not divisor.terms:
            raise TooLongError  # division by zero: never defined
        content = divisor.content()
        for atom, exponent in content:
            yield Polynomial.atom(atom), exponent * power
        for factor in _factors_of_sum(divisor.times(inverse(content), Fraction(1))):
            yield factor, power


def _factors_of_sum(x: Polynomial) -> Iterator[Polynomial]:
    """Yield a x + b as a and x + b / a, if that division is exact and a is a sum."""
    for atom in sorted(x.atoms()) if len(x.terms) >= _PRODUCT else ():
        terms = x.parts(atom)
        if set(terms) == {0, 1} and 1 < len(terms[1].terms) <= len(terms[0].terms):
            rest = terms[0].exact_quotient(terms[1])
            if rest is not None:
                yield from _factors_of_sum(terms[1])
                yield from _factors_of_sum(Polynomial.atom(atom) + rest)
                return
    yield x


def without_common_sums(x: Quotient) -> Quotient:
    """Return a quotient without sums in one atom that divide all terms of others on both sides.

    (y + 1 + u (y^2 - 1)) / (y^2 + y) is (1 + u (y - 1)) / y.
    """
    for divisor, _ in x.divisors:
        for atom in sorted(divisor.atoms()) if len(divisor.terms) > 1 else ():
            common = _gcd([*_coefficients(divisor, atom), *_coefficients(x.top, atom)], atom)
            if len(common.terms) > 1 and (top := x.top.exact_quotient(common)) is not None:
                rest = divisor.exact_quotient(common)
                assert rest is not None
                others = [(d, p - (d == divisor)) for d, p in x.divisors]
                return without_common_sums(Quotient.of(top, [*others, (rest, 1)], True))
    return x


def _coefficients(x: Polynomial, atom: int) -> list[Polynomial]:
    """Return polynomials in one atom: the coefficients of the products of the others."""
    parts: dict[Monomial, dict[Monomial, Fraction]] = {}
    for m, c in x.terms.items():
        others = tuple(pair for pair in m if pair[0] != atom)
        parts.setdefault(others, {})[tuple(pair for pair in m if pair[0] == atom)] = c
    return [Polynomial(terms) for terms in parts.values()]


def _gcd(polynomials: Iterable[Polynomial], atom: int) -> Polynomial:
    """Return the greatest common divisor of polynomials in one atom (Euclid)."""
    common = Polynomial({})
    for x in polynomials:
        y = common
        while y.terms:
            x, y = y, _remainder(x, y, atom)
        common = x
        if common.is_number:
            break
    return common


def _remainder(x: Polynomial, y: Polynomial, atom: int) -> Polynomial:
    degree, lead = max(y.parts(atom)), y.lead()
    while x.terms and (most := max(x.parts(atom))) >= degree:
        shift = ((atom, most - degree),) if most > degree else ()
        x = x + y.times(shift, -x.lead() / lead)
    return x


def _times_factors(x: Polynomial, factors: Mapping[Polynomial, int]) -> Polynomial:
    for factor, power in factors.items():
        if power:
            x = x * factor**power
    return x


def _with_ratio(x: Polynomial, atom: int, top: Polynomial, bottom: Polynomial) -> Quotient:
    parts = x.parts(atom)
    most = max(parts, default=0)
    total = Polynomial({})
    for power, part in parts.items():
        total = total + part * top**power * bottom ** (most - power)
    return Quotient.of(total, [(bottom, most)] if most else [], False)
