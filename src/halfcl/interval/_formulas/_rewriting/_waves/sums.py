"""Other forms of sums of sines and cosines of the same number.

a sin u + b cos u is between -r and r for r^2 = a^2 + b^2 (Cauchy and Schwarz), and
a sin^2 u + b cos^2 u is a mean of a and b, since the weights are not negative, and their sum is 1.
1 / tan u is cos u / sin u, which has a value at the poles of tan u.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from halfcl.interval._formulas._rewriting.parts import Parts, Term, add, mul, name_of, power_of
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
    inverse,
)
from halfcl.interval._formulas._rewriting.rules import AMPLITUDE, AND, MEAN, MEET, OVER
from halfcl.interval._formulas._rewriting.squares import BOUNDED
from halfcl.interval._formulas.jets import Node


def forms_with_waves(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield other forms of a quotient whose dividend has sines and cosines of the same number."""
    divisors = [power_of(parts.sum(d), p) for d, p in x.divisors]
    for form in (*_means(parts, x.top), *_sums(parts, x.top), *_by_ends(parts, x.top)):
        yield Node(OVER, (form, reduce(mul, divisors))) if divisors else form
    for quotient in [*parts.with_tangents_split(x)][1:]:
        yield parts.over(quotient, OVER)


def pairs_of(parts: Parts, x: Polynomial) -> list[tuple[int, int]]:
    """Return the sines and cosines of the same number that both occur."""
    atoms = x.atoms()
    return [(one, other) for one, other in parts.circles(x) if one < other and other in atoms]


def by_powers(x: Polynomial, one: int, other: int) -> dict[tuple[int, int], Polynomial]:
    """Return the coefficients of the products of powers of two atoms."""
    return {
        (p, q): part for p, rest in x.parts(one).items() for q, part in rest.parts(other).items()
    }


def _means(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield a sin^2 + b cos^2 as a mean."""
    for one, other in pairs_of(parts, x):
        terms = by_powers(x, one, other)
        if set(terms) == {(2, 0), (0, 2)}:
            weights = [Node("sqr", (parts.nodes[atom],)) for atom in (one, other)]
            numbers = [parts.sum(terms[key]) for key in ((2, 0), (0, 2))]
            yield Node(MEAN, (*weights, *numbers))


def _sums(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield a sin + b cos + c by its amplitude."""
    for one, other in pairs_of(parts, x):
        terms = by_powers(x, one, other)
        if not {(1, 0), (0, 1)} <= set(terms) <= {(1, 0), (0, 1), (0, 0)}:
            continue
        content = (terms[1, 0] + terms[0, 1] * Polynomial.atom(other)).content()
        a, b = (terms[key].times(inverse(content), Fraction(1)) for key in ((1, 0), (0, 1)))
        try:
            wave: Term = Node(AMPLITUDE, (_sum_of_squares(parts, a, b),))
        except TooLongError:
            continue
        if content:
            wave = mul(_product(parts, content), wave)
        yield add([wave, parts.sum(terms[0, 0])]) if (0, 0) in terms else wave


def _by_ends(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield a + b w for w between -1 and 1 as a number between a - b and a + b.

    Terms cancel in both: (x + y) / 2 + (x - y) / 2 tanh u is between y and x.
    """
    for atom in sorted(x.atoms()):
        if name_of(parts.steps.get(atom)) not in BOUNDED:
            continue
        terms = x.parts(atom)
        if set(terms) != {0, 1}:
            continue
        ends = [terms[0] + terms[1].times((), Fraction(sign)) for sign in (-1, 1)]
        if all(len(end.terms) <= max(len(terms[0].terms), len(terms[1].terms), 1) - 1
               for end in ends):  # fmt: skip
            yield Node(AND, tuple(parts.sum(end) for end in ends))


def _sum_of_squares(parts: Parts, a: Polynomial, b: Polynomial) -> Term:
    """Return a^2 + b^2 in all its forms."""
    total = parts.shortest(a * a + b * b)
    squares = add([Node("sqr", (parts.sum(x),)) for x in (a, b)])
    forms = [squares, *([parts.sum(total)]), *_means(parts, a * a + b * b)]
    return reduce(lambda x, y: Node(MEET, (x, y)), forms)


def _product(parts: Parts, content: Monomial) -> Term:
    return parts.sum(Polynomial({content: Fraction(1)}))
