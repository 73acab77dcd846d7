"""Signs of sums with roots, and the numbers that quotients do not reach.

a + b s for a root s of S is not negative where b is not and |b| s is at least |a|, which is so
where b^2 S - a^2 is not negative; terms cancel in that difference. So x + sqrt(x^2 + y) is not
negative for y >= 0, whatever x is.

If a and t = b s have opposite signs, |a + t| is |d| / (|a| + |t|) for d = t^2 - a^2, and no more
than sqrt|d|. So a + t is at least minus that if one of both is not negative, and at most that if
one is not positive.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from itertools import combinations

from halfcl.interval._formulas._rewriting.parts import Parts, Term, add, mul, name_of, times
from halfcl.interval._formulas._rewriting.polynomials import (
    Polynomial,
    Quotient,
    TooLongError,
    inverse,
    product_of,
)
from halfcl.interval._formulas._rewriting.rules import BESIDE_ROOT, FACTOR, MEET, OVER, SIGN
from halfcl.interval._formulas._rewriting.squares import either
from halfcl.interval._formulas.jets import Node

#: The greatest number of terms of differences of squares.
_TERMS = 4
#: The same if they are products or sums of squares.
_MOST = 12
_ZERO = Polynomial({})


def signs_of_sums(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield on which side of zero a sum with a root is."""
    for atom in sorted(x.atoms() & set(parts.squares)):
        terms = x.parts(atom)
        if set(terms) != {0, 1} or parts.squares[atom].divisors:
            continue
        try:
            square = terms[1] * terms[1] * parts.squares[atom].top
            difference = _reduce_roots(parts, square + -(terms[0] * terms[0]))
        except TooLongError:
            continue
        forms = [*factored(parts, difference), *completed_squares(parts, difference)]
        if (squares := either(parts, difference)) is not None:
            forms.append(squares)
        if len(difference.terms) > (_TERMS if not forms else _MOST):
            continue
        node = reduce(lambda x, y: Node(MEET, (x, y)), forms, parts.sum(difference))
        yield Node(SIGN, (parts.sum(terms[0]), parts.sum(terms[1]), node))


def bounded_by_differences(parts: Parts, x: Quotient, most: int) -> Iterator[Term]:
    """Yield how far a + t is from zero at most, for t = b s and a root s, by d = t^2 - a^2.

    Forms in which more than so many atoms occur are left out.
    """
    for atom in sorted(x.top.atoms() & set(parts.squares)):
        powers = x.top.parts(atom)
        if set(powers) != {0, 1}:
            continue
        a, b = (Quotient.of(powers[n], x.divisors, False) for n in (0, 1))
        try:
            squares = [b * b * square for square in _squares_of(parts, atom)]
            differences = [parts.reduce(square + -(a * a)) for square in squares]
        except TooLongError:
            continue
        if sum(d.count() for d in differences) <= most:
            own = _magnitude_of(parts, atom)
            if own is None and x.divisors and differences[0].count() < x.count():
                yield _conjugate(parts, a, b, atom, differences[0])
            terms = [parts.over(a, OVER), mul(parts.over(b, OVER), parts.nodes[atom])]
            terms += [parts.over(d, OVER) for d in differences]
            yield Node(BESIDE_ROOT, (*terms, *([] if own is None else [parts.nodes[own]])))


def _conjugate(parts: Parts, a: Quotient, b: Quotient, atom: int, difference: Quotient) -> Term:
    """Return a + t as d / (t - a), for t = b s and d = t^2 - a^2, without a common divisor."""
    root = mul(parts.over(b, OVER), parts.nodes[atom])
    bottom = Node("sub", (root, parts.over(a, OVER)))
    return Node(FACTOR, (parts.over(difference, OVER), bottom))


def _magnitude_of(parts: Parts, root: int) -> int | None:
    """Return the operand of |x| if an atom is its root."""
    square = parts.step_of(parts.squares[root].top)
    is_size = name_of(square) == "abs" and not parts.squares[root].divisors
    return square.operands[0] if is_size and square is not None else None


def _squares_of(parts: Parts, root: int) -> list[Quotient]:
    """Return the square of a root; of sqrt|x| both x and -x."""
    own = _magnitude_of(parts, root)
    if own is None:
        return [parts.squares[root]]
    return [parts.quotient(own), -parts.quotient(own)]


def _reduce_roots(parts: Parts, x: Polynomial) -> Polynomial:
    """Return a polynomial without squares of roots, if these have no divisors."""
    reduced = parts.reduce(Quotient(x))
    return parts.shortest(x if reduced.divisors else reduced.top)


def factored(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield a x + b as a (x + b / a), if that division is exact and not by a number.

    So are sums with more powers of x, of which one's factor divides all others.
    """
    for one, other in factors_of(x):
        forms = [parts.sum(other), *completed_squares(parts, other)]
        rest = reduce(lambda x, y: Node(MEET, (x, y)), forms)
        yield Node("mul", (parts.sum(one), rest))
        return


def factors_of(x: Polynomial) -> Iterator[tuple[Polynomial, Polynomial]]:
    """Yield a and x + b / a for a x + b, if that division is exact and not by a number.

    So are sums with more powers of x, of which one's factor divides all others.
    """
    for atom in sorted(x.atoms()):
        terms = x.parts(atom)
        factor = min(terms.values(), key=lambda term: len(term.terms))
        if len(terms) > 1 and 1 < len(factor.terms) < len(x.terms):
            rest = x.exact_quotient(factor)
            if rest is not None:
                yield factor, rest


def completed_squares(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield a x^2 + b x + c as a (x + b / 2a)^2 + (c - b^2 / 4a) for numbers a, if not longer.

    x is an atom or a power of one. Common factors of all terms are apart.
    """
    for atom in sorted(x.atoms()):
        content = tuple((a, p) for a, p in x.content() if a != atom)
        own = x.times(inverse(content), Fraction(1))
        terms = own.parts(atom)
        half, is_odd = divmod(max(terms), 2)
        if is_odd or not {half, 2 * half} <= set(terms) <= {0, half, 2 * half}:
            continue
        if not half or not terms[2 * half].is_number:
            continue
        a, b = terms[2 * half].constant, terms[half]
        linear = Polynomial.atom(atom) ** half + b.times((), 1 / (2 * a))
        rest = terms.get(0, _ZERO) + (b * b).times((), -1 / (4 * a))
        if linear.count() + rest.count() <= own.count():
            node = add([times(Node("sqr", (parts.sum(linear),)), a), parts.sum(rest)])
            yield mul(parts.sum(Polynomial({content: Fraction(1)})), node) if content else node


# ---------------------------------------------------------------- numbers beside quotients


def numbers_beside(parts: Parts, top: Polynomial, bottom: Polynomial) -> set[Fraction]:
    """Return numbers c for which top - c bottom may have one sign.

    That has factors, or a term cancels in the difference that decides its sign with a root.
    """
    numbers = {c for pair in combinations(sorted(bottom.atoms()), 2)
               for c in _of_products(top, bottom, *pair)}  # fmt: skip
    for atom in sorted((top.atoms() & bottom.atoms() | bottom.atoms()) & set(parts.squares)):
        try:
            numbers |= _of_root(parts, top, bottom, atom)
        except TooLongError:
            continue
    return numbers


def numbers_of_means(top: Polynomial, bottom: Polynomial) -> set[Fraction]:
    """Return c for which a u^2 + b v^2 - (p / c) u v is a square, if the dividend is p u v.

    So 2 x y / (x^2 + y^2) is between -1 and 1.
    """
    if len(top.terms) != 1 or len(bottom.terms) > _TERMS:
        return set()
    ((product, number),) = top.terms.items()
    numbers = set[Fraction]()
    for (u, a), (v, b) in combinations(bottom.terms.items(), 2):
        root = _square_root(4 * a * b) if a * b > 0 else None
        if root is not None and product_of(u, v) == product_of(product, product):
            numbers |= {number / root, -number / root}
    return numbers


def _of_products(top: Polynomial, bottom: Polynomial, x: int, y: int) -> set[Fraction]:
    """Return c for which top - c bottom = a x y + b x + d y + e is a product: a e = b d."""
    monomials = [((x, 1), (y, 1)), (), ((x, 1),), ((y, 1),)]
    if not {*top.terms, *bottom.terms} <= set(monomials):
        return set()
    (a, e, b, d) = [
        (top.terms.get(m, Fraction(0)), bottom.terms.get(m, Fraction(0))) for m in monomials
    ]
    return _roots(
        a[1] * e[1] - b[1] * d[1],
        b[0] * d[1] + b[1] * d[0] - a[0] * e[1] - a[1] * e[0],
        a[0] * e[0] - b[0] * d[0],
    )


def _of_root(parts: Parts, top: Polynomial, bottom: Polynomial, atom: int) -> set[Fraction]:
    """Return c for which a term cancels in (b - c q)^2 S - (a - c p)^2, for (a + b s) / (p + q s).

    s is a root of S.
    """
    above, below = top.parts(atom), bottom.parts(atom)
    square = parts.squares[atom]
    if not {*above, *below} <= {0, 1} or square.divisors:
        return set()
    (a, b), (p, q) = ((x.get(0, _ZERO), x.get(1, _ZERO)) for x in (above, below))
    ends = [
        _reduce_roots(parts, q * q * square.top + -(p * p)),
        _reduce_roots(parts, (a * p + -(b * q * square.top)).times((), Fraction(2))),
        _reduce_roots(parts, b * b * square.top + -(a * a)),
    ]
    monomials = set().union(*(x.terms for x in ends))
    return {c for m in monomials for c in _roots(*(x.terms.get(m, Fraction(0)) for x in ends)) if c}


def _roots(a: Fraction, b: Fraction, c: Fraction) -> set[Fraction]:
    """Return the rational numbers t with a t^2 + b t + c = 0; none if all are zero."""
    if not a:
        return {-c / b} if b else set()
    square = b * b - 4 * a * c
    root = _square_root(square) if square >= 0 else None
    return set() if root is None else {(-b + root) / (2 * a), (-b - root) / (2 * a)}


def _square_root(x: Fraction) -> Fraction | None:
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    return Fraction(top, bottom) if Fraction(top, bottom) ** 2 == x else None
