"""Other forms of angles by their sines or cosines, where those are nearly 1.

For q = n / r, of the root r of a number, the sine and cosine of the angle are as n and the root of
r^2 - n^2, so asin q is atan(n / sqrt(r^2 - n^2)). With that difference as a sum of squares it keeps
its accuracy: r^2 - n^2 is a cross product's square if n is a scalar product.
acos q is 2 atan(sqrt(1 - q) / sqrt(1 + q)), with sums of squares alike. acos q and asin q add up to
a right angle.

The angle of a point (k x, k y) is that of (x, y) where k is positive, and else the opposite one.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from halfcl.interval._formulas._rewriting._waves.products import form_of_products
from halfcl.interval._formulas._rewriting.parts import Parts, Term
from halfcl.interval._formulas._rewriting.polynomials import (
    Polynomial,
    Quotient,
    TooLongError,
    inverse,
)
from halfcl.interval._formulas._rewriting.rules import ANGLE, OVER
from halfcl.interval._formulas._rewriting.squares import is_positive, sum_of_squares
from halfcl.interval._formulas.jets import Node, constant

_ONE = Polynomial.number(1)
#: The functions with such forms.
ANGLES = ("asin", "acos")


def angles(parts: Parts, name: str, x: Quotient) -> Iterator[Term]:
    """Yield other forms of an angle whose sine or cosine is a quotient."""
    try:
        forms = [*_by_roots(parts, name, x), *_by_halves(parts, x)]
    except TooLongError:
        return
    right = Node("acos", (constant(0),))
    for own, node in forms:
        yield node if own == name else Node("sub", (right, node))


def _by_roots(parts: Parts, name: str, x: Quotient) -> Iterator[tuple[str, Term]]:
    if not x.divisors or not x.top.terms or not all(parts.is_root(d) for d, _ in x.divisors):
        return
    squares = [parts.squares[a] for d, p in x.divisors for a in d.atoms() for _ in range(p)]
    if any(square.divisors for square in squares):
        return
    square = reduce(Polynomial.__mul__, [square.top for square in squares])
    difference, top = square + -(x.top * x.top), parts.sum(x.top)
    rest = sum_of_squares(parts, difference)
    if rest is not None:
        yield "asin", Node("atan", (Node(OVER, (top, Node("sqrt", (rest,)))),))
    elif (root := _root(parts, difference)) is not None:
        yield name, Node("atan2", (top, root) if name == "asin" else (root, top))


def _root(parts: Parts, x: Polynomial) -> Term | None:
    """Return the root of a polynomial that is a multiple of one square; else None."""
    while len((y := parts.shortest(x)).terms) < len(x.terms):
        x = y
    for y in (x, *parts.other_squares(x)):
        if is_positive(y) and len(y.terms) == 1:
            ((monomial, number),) = y.terms.items()
            root = Polynomial({tuple((a, p // 2) for a, p in monomial): Fraction(1)})
            return Node("mul", (
                Node("sqrt", (constant(number),)), Node("abs", (parts.sum(root),))
            ))  # fmt: skip
    return None


def _by_halves(parts: Parts, x: Quotient) -> Iterator[tuple[str, Term]]:
    if x.divisors or len(x.top.terms) < 2:
        return
    numbers = [_ONE + -x.top, _ONE + x.top]
    forms = [form_of_products(parts, y) for y in numbers]
    if not any(forms):
        return
    roots = [
        Node("sqrt", (parts.sum(y) if form is None else form,))
        for y, form in zip(numbers, forms, strict=True)
    ]
    yield "acos", Node("mul", (constant(2), Node("atan", (Node(OVER, tuple(roots)),))))


def angles_of_points(parts: Parts, y: Quotient, x: Quotient) -> Iterator[Term]:
    """Yield the angle of a point whose coordinates have a common factor."""
    try:
        tops = [_common_factors(parts, q.top) for q in (y, x)]
    except TooLongError:
        return
    contents = [dict(top.content()) for top in tops]
    common = tuple((a, min(p, contents[1][a])) for a, p in contents[0].items() if a in contents[1])
    divisors = tuple(pair for pair in y.divisors if pair in x.divisors)
    if not all(top.terms for top in tops) or not (common or divisors):
        return
    factor = parts.over(Quotient(Polynomial({common: Fraction(1)}), divisors), OVER)
    rests = [
        parts.over(
            Quotient(
                top.times(inverse(common), Fraction(1)),
                tuple(pair for pair in q.divisors if pair not in divisors),
            ),
            OVER,
        )
        for top, q in zip(tops, (y, x), strict=True)
    ]
    yield Node(ANGLE, (factor, *rests))


def _common_factors(parts: Parts, x: Polynomial) -> Polynomial:
    """Return a polynomial with squares of sines and cosines so that it has the most factors."""
    return max([parts.shortest(x), x], key=lambda y: len(y.content()) if y.terms else 0)
