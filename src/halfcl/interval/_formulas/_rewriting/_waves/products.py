"""Other forms of sums of products of sines and cosines, as on spheres.

p cos u cos v + q sin u sin v is (p + q) / 2 cos d + (p - q) / 2 cos t for the difference d and the
total t of u and v. Cosines are one less two squares of sines of half the number, or two squares of
cosines less one, so 1 + sin u sin v + cos u cos v cos w is
(1 + cos w) cos^2(d / 2) + (1 - cos w) sin^2(t / 2), a sum of numbers that are not negative.

Let S = a sin u + b cos u, Y = a cos u - b sin u and M = c^2 - a^2 - b^2. (c + S) (c - S) is
M + Y^2, so M / (c + S) is c - S times the share of M in that sum, and Y^2 / (c + S) is c - S times
the other share.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from halfcl.interval._formulas._rewriting._waves.sums import by_powers
from halfcl.interval._formulas._rewriting.parts import (
    Parts,
    Term,
    add,
    mul,
    name_of,
    power_of,
    times,
)
from halfcl.interval._formulas._rewriting.polynomials import Polynomial, Quotient, TooLongError
from halfcl.interval._formulas._rewriting.rules import MEAN, MEET, OVER
from halfcl.interval._formulas.jets import Node

_HALF, _ONE = Fraction(1, 2), Polynomial.number(1)
_NONE = Polynomial({})
#: No slot, of a wave that does not occur.
_NO_ATOM = -1
#: The powers of the sine and cosine of u, and of v, in the terms of two kinds of sums.
_REST = (0, 0, 0, 0)
_EVEN, _ODD = ((0, 1, 0, 1), (1, 0, 1, 0)), ((0, 1, 1, 0), (1, 0, 0, 1))


def forms_with_products(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient with products of waves as sums, in its dividend and in its divisors."""
    try:
        bottoms = [form_of_products(parts, d) for d, _ in x.divisors]
        top = form_of_products(parts, x.top)
        if top is not None or any(node is not None for node in bottoms):
            divisors = [
                power_of(parts.sum(d) if node is None else node, p)
                for (d, p), node in zip(x.divisors, bottoms, strict=True)
            ]
            top = parts.sum(x.top) if top is None else top
            yield Node(OVER, (top, reduce(mul, divisors))) if divisors else top
        yield from complements(parts, x)
    except TooLongError:
        return


def form_of_products(parts: Parts, x: Polynomial) -> Term | None:
    """Return all forms of a polynomial with products of waves as one; None if there is none."""
    forms = [*sums_of_products(parts, x)]
    return reduce(lambda a, b: Node(MEET, (a, b)), forms) if forms else None


def _waves_of(parts: Parts, x: Polynomial) -> dict[int, tuple[int, int]]:
    """Return the slots of the sine and the cosine of each number; -1 if a polynomial lacks one."""
    waves: dict[int, tuple[int, int]] = {}
    for atom in sorted(x.atoms()):
        step = parts.steps.get(atom)
        if step is not None and (name := name_of(step)) in ("sin", "cos"):
            sine, cosine = waves.get(step.operands[0], (_NO_ATOM, _NO_ATOM))
            pair = (atom, cosine) if name == "sin" else (sine, atom)
            waves[step.operands[0]] = pair
    return waves


def sums_of_products(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield a sum of products of waves of two numbers as one of waves of their sum and difference.

    Only the first two numbers are tried that have such products.
    """
    x = _with_double_angles(parts, x)
    waves = _waves_of(parts, x)
    for u, v in itertools.combinations(waves, 2):
        terms = {
            (*p, *q): part
            for p, rest in by_powers(x, *waves[u]).items()
            for q, part in by_powers(rest, *waves[v]).items()
        }
        rest = terms.pop(_REST, _NONE)
        for kind in (_EVEN, _ODD):
            if not terms or not set(terms) <= {*kind}:
                continue
            difference, total = (
                Node(name, (parts.nodes[u], parts.nodes[v])) for name in ("sub", "add")
            )
            p, q = (terms.get(key, _NONE) for key in kind)
            if kind is _EVEN:
                yield from _even(parts, p, q, rest, difference, total)
            elif len(terms) == 2:
                yield _odd(parts, p, q, rest, difference, total)
            return


def _with_double_angles(parts: Parts, x: Polynomial) -> Polynomial:
    """Return a polynomial with (1 - cos u cos v - sin u sin v) / 2 for sin^2((u - v) / 2)."""
    waves = _waves_of(parts, x)
    for w, atoms in waves.items():
        for u, v in itertools.combinations(waves, 2):
            signs = _signs(*(parts.quotient(slot) for slot in (w, u, v)))
            if signs is None or w in (u, v):
                continue
            sines, cosines = ([parts.wave(name, i) for i in (u, v)] for name in ("sin", "cos"))
            a, b = (
                reduce(Polynomial.__mul__, map(Polynomial.atom, slots))
                for slots in (sines, cosines)
            )
            cosine = b + a.times((), Fraction(-signs))
            for atom, sign in zip(atoms, (-1, 1), strict=True):
                square = (_ONE + cosine.times((), Fraction(sign))).times((), _HALF)
                if set(powers := x.parts(atom)) == {0, 2}:
                    x = powers[0] + powers[2] * square
    return x


def _signs(w: Quotient, u: Quotient, v: Quotient) -> int | None:
    """Return 1 if a number w is half the sum of others, or its negative; -1 for the difference."""
    if w.divisors or u.divisors or v.divisors:
        return None
    twice = w.top.times((), Fraction(2))
    for sign, other in ((1, v.top), (-1, -v.top)):
        total = u.top + other
        if total in (twice, -twice):
            return sign
    return None


def _odd(
    parts: Parts, p: Polynomial, q: Polynomial, rest: Polynomial, difference: Term, total: Term
) -> Term:
    """Return p cos u sin v + q sin u cos v + rest as a sum of sines of u + v and u - v."""
    terms = [(p + q, Node("sin", (total,))), (q + -p, Node("sin", (difference,)))]
    return _sum(parts, [(y.times((), _HALF), node) for y, node in terms], rest)


def _even(
    parts: Parts, p: Polynomial, q: Polynomial, rest: Polynomial, difference: Term, total: Term
) -> Iterator[Term]:
    """Yield p cos u cos v + q sin u sin v + rest as sums of cosines, and of squares."""
    cosines = [Node("cos", (x,)) for x in (difference, total)]
    both = (p + q, p + -q)
    halves = [(y.times((), _HALF), node) for y, node in zip(both, cosines, strict=True)]
    if p.terms and q.terms:
        yield _sum(parts, halves, rest)
        yield from _mean(parts, p, q, rest, cosines)
    squares = {
        (sign, i): Node("sqr", (Node("sin" if sign > 0 else "cos", (times(x, _HALF),)),))
        for i, x in enumerate((difference, total))
        for sign in (1, -1)
    }
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        # a cosine is 1 - 2 sin^2 of half its number, or 2 cos^2 - 1
        numbers = [y.times((), sign * _HALF) for y, sign in zip(both, signs, strict=True)]
        if not (rest + numbers[0] + numbers[1]).terms:
            yield _sum(parts, [
                (y.times((), Fraction(-sign)), squares[sign, i])
                for i, (y, sign) in enumerate(zip(both, signs, strict=True))
            ], _NONE)  # fmt: skip


def _mean(
    parts: Parts, p: Polynomial, q: Polynomial, rest: Polynomial, cosines: list[Node]
) -> Iterator[Term]:
    """Yield p cos u cos v + q sin u sin v + rest by a mean of cosines, if p or q is a number.

    For a number q it is q times the mean of cos(u - v) and -cos(u + v) with the weights q + p and
    q - p, whose sum is 2 q.
    """
    for number, other, sign in ((p, q, 1), (q, p, -1)):
        if number.is_number:
            weights = [parts.sum(number + other), parts.sum(number + -other)]
            second = times(cosines[1], Fraction(sign))
            mean = Node(MEAN, (*weights, cosines[0], second))
            yield _sum(parts, [(number, mean)], rest)
            return


def _sum(parts: Parts, terms: list[tuple[Polynomial, Node]], rest: Polynomial) -> Term:
    """Return a sum of multiples of nodes, and a polynomial."""
    nodes: list[Term] = [
        node if y == _ONE else mul(parts.sum(y), node) for y, node in terms if y.terms
    ]
    return add([*nodes, parts.sum(rest)] if rest.terms or not nodes else nodes)


# ---------------------------------------------------------------- complements


def complements(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield quotients by c + a sin u + b cos u of what is large only where the divisor is."""
    for divisor, power in x.divisors:
        others = Quotient(_ONE, tuple((d, p) for d, p in x.divisors if d != divisor))
        for sine, cosine in _waves_of(parts, divisor).values() if power == 1 else ():
            terms = by_powers(divisor, sine, cosine)
            if {(0, 0)} < set(terms) <= {(0, 0), (1, 0), (0, 1)}:
                atoms = _other(parts, sine, cosine), _other(parts, cosine, sine)
                for form in _complement(parts, x.top, atoms, terms):
                    yield mul(parts.over(others, OVER), form)


def _other(parts: Parts, atom: int, other: int) -> int:
    """Return an atom, or if there is none, the wave that is the other one's complement."""
    if atom != _NO_ATOM:
        return atom
    name = "cos" if name_of(parts.steps[other]) == "sin" else "sin"
    return parts.wave(name, parts.steps[other].operands[0])


def _complement(
    parts: Parts,
    top: Polynomial,
    atoms: tuple[int, int],
    terms: dict[tuple[int, int], Polynomial],
) -> Iterator[Term]:
    """Yield the quotient of a dividend by S + c; atoms: sin u and cos u."""
    a, b, c = (terms.get(key, _NONE) for key in ((1, 0), (0, 1), (0, 0)))
    s, t = map(Polynomial.atom, atoms)
    less, other = c + -(a * s + b * t), a * t + -(b * s)
    rest = _fewest(parts, c * c + -(a * a) + -(b * b))
    one, two = parts.sum(rest), Node("sqr", (parts.sum(other),))
    for divisor, first, second in ((rest, one, two), (other * other, two, one)):
        share = top.exact_quotient(divisor) if divisor.terms else None
        if share is not None:
            node = form_of_products(parts, less)
            number = parts.sum(less) if node is None else Node(MEET, (parts.sum(less), node))
            numbers = (mul(parts.sum(share), number), parts.sum(_NONE))
            yield Node(MEAN, (first, second, *numbers))


def _fewest(parts: Parts, x: Polynomial) -> Polynomial:
    """Return a polynomial with squares of sines and cosines so that few terms are left."""
    while len((y := parts.shortest(x)).terms) < len(x.terms):
        x = y
    return x
