"""Sums of squares: other forms of polynomials that are not negative, though terms of them may be.

A term c m n between multiples a m^2 and b n^2 of squares is a part of a (m + k n)^2 for
k = c / 2 a, if a k^2 is at most b. If it has a factor w between -1 and 1, such as a cosine, it is a
part of (1 + w) / 2 times that square and (1 - w) / 2 times a (m - k n)^2, whose other terms are
a m^2 + a k^2 n^2, too. So (x u + y v)^2 <= (x^2 + y^2) (u^2 + v^2) (Cauchy and Schwarz), since the
difference is (x v - y u)^2, and x^2 + y^2 - 2 x y cos w is not negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from halfcl.interval._formulas._rewriting.parts import Parts, Term, add, mul, name_of, times
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    product_of,
)
from halfcl.interval._formulas._rewriting.rules import OVER
from halfcl.interval._formulas.jets import Node

#: The greatest number of terms, since pairs of them are compared.
_TERMS = 24
_HALF, _ONE = Fraction(1, 2), Polynomial.number(1)
#: Functions whose values are between -1 and 1.
BOUNDED = ("sin", "cos", "tanh", "sinpi", "cospi")


def sum_of_squares(parts: Parts, x: Polynomial) -> Term | None:
    """Return a polynomial as a sum of squares; None if it is none, or has no other terms."""
    if len(x.terms) > _TERMS:
        return None
    squares = {m: c for m, c in x.terms.items() if c > 0 and _is_even(m)}
    crosses = [(m, c) for m, c in x.terms.items() if m not in squares]
    if not crosses or len(squares) < 2:
        return None
    nodes: list[Term] = []
    for monomial, number in sorted(crosses, key=lambda term: -abs(term[1])):
        node = _square(parts, squares, monomial, number)
        if node is None:
            return None
        nodes.append(node)
    rest = Polynomial(squares)
    return add([*nodes, parts.sum(rest)] if rest.terms else nodes)


def with_squares(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient with its dividend, and its divisors, as sums of squares."""
    sums = [x.top, *(d for d, _ in x.divisors)]
    nodes = {y: node for y in sums if (node := either(parts, y)) is not None}
    if not nodes:
        return
    top = nodes.get(x.top) or parts.sum(x.top)
    if not x.divisors:
        yield top
        return
    factors = [nodes.get(d) or parts.sum(d) for d, p in x.divisors for _ in range(p)]
    yield Node(OVER, (top, reduce(mul, factors)))


def either(parts: Parts, x: Polynomial) -> Term | None:
    """Return a polynomial as a sum of squares, or as the negative of one."""
    node = sum_of_squares(parts, x)
    if node is None and (node := sum_of_squares(parts, -x)) is not None:
        node = Node("neg", (node,))
    return node


def is_positive(x: Polynomial) -> bool:
    """Return whether all terms of a polynomial are positive multiples of squares."""
    return all(c > 0 and _is_even(m) for m, c in x.terms.items())


def _is_even(x: Monomial) -> bool:
    return all(power % 2 == 0 for _, power in x)


def _root(x: Monomial) -> Monomial:
    return tuple((atom, power // 2) for atom, power in x)


def _square(
    parts: Parts, squares: dict[Monomial, Fraction], monomial: Monomial, number: Fraction
) -> Term | None:
    """Return squares with a term, and take them from the other multiples of squares."""
    for wave, plain in _without_bounded(parts, monomial):
        for one, share, other, factor in _pairs(squares, plain, number):
            for square, part in ((one, share), (other, share * factor * factor)):
                squares[square] -= part
                if not squares[square]:
                    del squares[square]
            sums = [
                Polynomial({_root(one): Fraction(1), _root(other): sign * factor})
                for sign in (1, -1)
            ]
            nodes = [Node("sqr", (parts.sum(x),)) for x in sums]
            if wave is None:
                return times(nodes[0], share)
            atom = Polynomial.atom(wave)
            return times(add([
                mul(parts.sum(_ONE + atom.times((), Fraction(sign))), square)
                for sign, square in zip((1, -1), nodes, strict=True)
            ]), share * _HALF)  # fmt: skip
    return None


def _without_bounded(parts: Parts, x: Monomial) -> Iterator[tuple[int | None, Monomial]]:
    """Yield a monomial, and what remains of it without a factor between -1 and 1."""
    yield None, x
    for atom, power in x:
        if power % 2 and name_of(parts.steps.get(atom)) in BOUNDED:
            yield atom, product_of(x, ((atom, -1),))


def _pairs(
    squares: dict[Monomial, Fraction], monomial: Monomial, number: Fraction
) -> Iterator[tuple[Monomial, Fraction, Monomial, Fraction]]:
    """Yield squares whose roots have a product, with a share of the first, and a factor.

    They have equal shares if there is enough of both, else the first has all.
    """
    square = product_of(monomial, monomial)
    for one in [*squares]:
        other = product_of(square, tuple((atom, -power) for atom, power in one))
        if other not in squares or other == one or any(power < 0 for _, power in other):
            continue
        for share in (abs(number) * _HALF, squares[one]):
            factor = number * _HALF / share
            if share <= squares[one] and share * factor * factor <= squares[other]:
                yield one, share, other, factor
                return
