"""Other forms of quotients of polynomials: conjugates, means, roots, and continuations."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from halfcl.interval._formulas._rewriting.continuation import continuations
from halfcl.interval._formulas._rewriting.parts import Parts, Term, add, times
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
    divides,
    inverse,
    product_of,
)
from halfcl.interval._formulas._rewriting.rules import AND, MEAN, MEET, OVER, OVER_NONZERO, ROOT
from halfcl.interval._formulas.jets import Node, constant

#: The greatest number of terms of a sum that all are divided by.
_DIVIDED = 4
#: How many more atoms than in the formula may occur in a form: as a factor, and some more.
_LONGER, _MORE = {"expanded": 4, "conjugate": 2}, 2
_ONE = Polynomial.number(1)


def forms_of(parts: Parts, x: Quotient, count: int) -> Iterator[Term]:
    """Yield other forms of a part, in whose formula atoms occur so often."""
    if x.count() <= (_LONGER["expanded"] * count if x.cancels else count - 1):
        yield parts.over(x, "div")
    if not x.divisors:
        yield from _completed_squares(parts, x.top)
    yield from _conjugates(parts, x, count)
    yield from _of_sums(parts, x)
    yield from _roots(parts, x)
    yield from _around_poles(parts, x)


def _completed_squares(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield a x^2 + b x + c as a (x + b / 2a)^2 + (c - b^2 / 4a) for numbers a, if not longer."""
    for atom in sorted(x.atoms()):
        terms = x.parts(atom)
        if not {1, 2} <= set(terms) <= {0, 1, 2} or not terms[2].is_number:
            continue
        a, b = terms[2].constant, terms[1]
        linear = Polynomial.atom(atom) + b.times((), 1 / (2 * a))
        rest = terms.get(0, Polynomial({})) + (b * b).times((), -1 / (4 * a))
        if linear.count() + rest.count() <= x.count():
            yield add([times(Node("sqr", (parts.sum(linear),)), a), parts.sum(rest)])


# ---------------------------------------------------------------- conjugates


def _conjugates(parts: Parts, x: Quotient, count: int) -> Iterator[Term]:
    for atom in sorted(x.top.atoms() & set(parts.squares)):
        try:
            form = _conjugate(parts, x, atom)
        except TooLongError:
            continue
        most = _LONGER["conjugate"] * count + _MORE
        if form is not None and (form.count() <= most or not form.top.terms):
            yield parts.over(form, OVER_NONZERO)
            yield from _of_sums(parts, form)


def _conjugate(parts: Parts, x: Quotient, atom: int) -> Quotient | None:
    """Return (a + b s) / d as (a^2 - b^2 s^2) / (d (a - b s)), for a root s.

    That divisor stays, even if the dividend is a multiple, since the form says nothing where it is
    zero. Where a - b s is zero and its terms have one sign, all are zero, and so is a + b s. Its
    mean of quotients contains that zero, since the term with s has no multiple in the dividend.
    """
    terms = x.top.parts(atom)
    if set(terms) != {0, 1}:
        return None
    a, b = terms[0], terms[1]
    top = Quotient(a * a) + -(Quotient(b * b) * parts.squares[atom])
    rest = parts.reduce(top * Quotient(_ONE, x.divisors))
    bottom = parts.reduce(Quotient(a + -(b * Polynomial.atom(atom))))
    return None if bottom.divisors or not bottom.top.terms else rest.with_divisor(bottom.top)


# ---------------------------------------------------------------- quotients by sums


def _of_sums(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield forms of quotients by a sum of which some terms divide those of the dividend."""
    single = [(d, p) for d, p in x.divisors if len(d.terms) == 1]
    sums = [(d, p) for d, p in x.divisors if len(d.terms) > 1]
    if not sums or not x.top.terms:
        return
    try:
        bottom = Quotient(_ONE, tuple(sums)).bottom()
    except TooLongError:
        return
    matches = _match(x.top, bottom)
    if matches is None or not any(matches):
        return
    scale: Monomial = tuple((next(iter(d.atoms())), -p) for d, p in single)
    yield _mean(parts, x.top, bottom, matches, scale)
    if len(bottom.terms) <= _DIVIDED and sum(p for _, p in sums) == 1:
        yield from _divide_by_terms(parts, x.top.times(scale, Fraction(1)), bottom)


def _match(top: Polynomial, bottom: Polynomial) -> dict[Monomial, list[Monomial]] | None:
    """Return for terms of a divisor those of a dividend that are their multiples.

    None unless all terms of the dividend are multiples, each of one term.
    """
    matches: dict[Monomial, list[Monomial]] = {}
    for m in top.terms:
        own = [d for d in bottom.terms if divides(d, m)]
        if not own:
            return None
        best = max(own, key=lambda d: sum(power for _, power in d))
        matches.setdefault(best, []).append(m)
    return matches


def _mean(
    parts: Parts,
    top: Polynomial,
    bottom: Polynomial,
    matches: dict[Monomial, list[Monomial]],
    scale: Monomial,
) -> Node:
    """Return a quotient as a mean of the quotients of terms, weighted by the divisor's.

    scale: a factor of the quotient.
    """
    weights, numbers = [], []
    for d, own in matches.items():
        weights.append(Polynomial({d: bottom.terms[d]}))
        factor = product_of(scale, inverse(d))
        multiples = Polynomial({m: top.terms[m] for m in own})
        numbers.append(multiples.times(factor, 1 / bottom.terms[d]))
    rest = Polynomial({d: c for d, c in bottom.terms.items() if d not in matches})
    if rest.terms:
        weights.append(rest)
        numbers.append(Polynomial({}))
    return Node(MEAN, tuple(map(parts.sum, weights + numbers)))


def _divide_by_terms(parts: Parts, top: Polynomial, bottom: Polynomial) -> Iterator[Term]:
    """Yield quotients whose dividend and divisor are divided by a term of the divisor."""
    for m, c in bottom.terms.items():
        if m:
            sums = (parts.sum(p.times(inverse(m), 1 / c)) for p in (top, bottom))
            yield Node(OVER_NONZERO, tuple(sums))


# ---------------------------------------------------------------- roots, removable poles


def _roots(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a root of the square of a part that is a product with roots."""
    if not any(parts.is_root(Polynomial.atom(a)) for a, _ in x.top.content()) and not any(
        parts.is_root(d) for d, _ in x.divisors
    ):
        return
    try:
        square = parts.reduce(x * x)
    except TooLongError:
        return
    forms = list(_of_sums(parts, square))
    if square.cancels or forms:
        roots = tuple((a, p) for a, p in x.top.content() if a in parts.squares)
        divisors = tuple((d, p) for d, p in x.divisors if not parts.is_root(d))
        rest = Quotient(x.top.times(inverse(roots), Fraction(1)), divisors)
        sign = parts.over(rest, OVER)  # roots are not negative
        yield Node(ROOT, (_all([parts.over(square, OVER), *forms]), sign))


def _all(forms: list[Term]) -> Term:
    return reduce(lambda x, y: Node(MEET, (x, y)), forms)


def _around_poles(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield what encloses quotients around removable poles."""
    for variable, number, *derivatives in continuations(parts.atoms, x) if x.divisors else ():
        around = Node(AND, (parts.nodes[variable], constant(number)))
        yield Node(OVER_NONZERO, tuple(parts.sum_at(p, variable, around) for p in derivatives))
