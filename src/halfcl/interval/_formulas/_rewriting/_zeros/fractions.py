"""Sums of fractions whose parts have bounds where the dividend and the divisors are infinite.

(x y - 1) / ((x - 1) (y - 1)) is 1 + 1 / (x - 1) + 1 / (y - 1): with p = x - 1 and q = y - 1 the
dividend is p q + p + q. And x^z - y^z is y^z times expm1(z log1p((x - y) / y)), which has a sign
where both powers overflow.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from halfcl.interval._formulas._rewriting.parts import Parts, Term, add, mul, name_of
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
)
from halfcl.interval._formulas._rewriting.rules import OVER
from halfcl.interval._formulas.jets import Node

_ONE = Polynomial.number(1)
#: The greatest number of terms of dividends.
_TERMS = 6


def partial_fractions(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient by several sums of an atom and a number as a sum of quotients."""
    sums = {atom: d for d, p in x.divisors if p == 1 and (atom := _shifted_atom(d)) is not None}
    if len(sums) < 2 or not 1 < len(x.top.terms) <= _TERMS:
        return
    try:
        top = x.top
        for atom, divisor in sums.items():
            shifted = Polynomial.atom(atom) + Polynomial.number(-divisor.constant)
            top = reduce(Polynomial.__add__, (
                part * shifted**power for power, part in top.parts(atom).items()
            ))  # fmt: skip
        if len(top.terms) <= len(x.top.terms) + 1:
            terms = [_fraction(x, sums, m, c) for m, c in top.terms.items()]
            yield add([parts.over(term, OVER) for term in terms])
    except TooLongError:
        return


def _shifted_atom(x: Polynomial) -> int | None:
    """Return the atom of a sum of an atom and a number; None if it is no such sum."""
    (atom, *others) = x.atoms()
    rest = x + -Polynomial.atom(atom)
    return None if others or not rest.is_number or not rest.terms else atom


def _fraction(
    x: Quotient, sums: dict[int, Polynomial], monomial: Monomial, number: Fraction
) -> Quotient:
    """Return a term over the divisors of a quotient; atoms of sums are the sums."""
    powers = dict(monomial)
    top = Polynomial({tuple((a, p) for a, p in monomial if a not in sums): number})
    divisors = [(d, p) for d, p in x.divisors if d not in sums.values()]
    for atom, sum_ in sums.items():
        power = powers.get(atom, 0)
        top *= sum_ ** max(power - 1, 0)
        divisors += [] if power else [(sum_, 1)]
    return Quotient(top, tuple(divisors))


def differences_of_powers(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a difference of powers with equal exponents as a product."""
    terms = list(x.top.terms.items())
    if len(terms) != 2 or terms[0][1] + terms[1][1]:
        return
    atoms = [_power_in(parts, m) for m, _ in terms]
    pairs = atoms, atoms[::-1]
    for (one, other), (m, c), (n, _) in zip(pairs, terms, terms[::-1], strict=True):
        if one is None or other is None:
            continue
        (base, exponent), (other_base, other_exponent) = (
            [parts.quotient(i) for i in parts.steps[a].operands] for a in (one, other)
        )
        rest = tuple((a, p) for a, p in m if a != one)
        own = tuple((a, p) for a, p in n if a != other)
        if rest != own or exponent != other_exponent or not other_base.top.terms:
            continue
        try:
            share = parts.reduce((base + -other_base) * other_base.reciprocal())
        except TooLongError:
            continue
        ratio = Node("log1p", (parts.over(share, OVER),))
        power = Node("expm1", (mul(parts.over(exponent, OVER), ratio),))
        factor = parts.over(Quotient(Polynomial({rest: c}), x.divisors), OVER)
        yield mul(mul(factor, parts.sum(Polynomial.atom(other))), power)


def _power_in(parts: Parts, monomial: Monomial) -> int | None:
    """Return the atom of a monomial that is a power, if there is one alone."""
    atoms = [a for a, p in monomial if p == 1 and name_of(parts.steps.get(a)) == "pow"]
    return atoms[0] if len(atoms) == 1 else None
