"""Other forms of quotients of polynomials: conjugates, means, roots, and continuations."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from halfcl.interval._formulas._rewriting._waves.products import complements
from halfcl.interval._formulas._rewriting._waves.sums import by_powers
from halfcl.interval._formulas._rewriting._zeros.continuation import continuations
from halfcl.interval._formulas._rewriting.parts import (
    Parts,
    Term,
    add,
    mul,
    name_of,
    power_of,
    times,
)
from halfcl.interval._formulas._rewriting.polynomials import (
    Monomial,
    Polynomial,
    Quotient,
    TooLongError,
    divides,
    inverse,
    product_of,
)
from halfcl.interval._formulas._rewriting.rules import (
    AMPLITUDE,
    AND,
    BESIDE,
    FACTOR,
    MEAN,
    MEAN_SLOPE,
    MEET,
    OVER,
    OVER_NONZERO,
    OVER_UNLESS,
    ROOT,
    SLOPE,
)
from halfcl.interval._formulas._rewriting.signs import (
    bounded_by_differences,
    completed_squares,
    factored,
    factors_of,
    numbers_beside,
    numbers_of_means,
    signs_of_sums,
)
from halfcl.interval._formulas._rewriting.squares import either, is_positive, sum_of_squares
from halfcl.interval._formulas.jets import Node, constant

#: The greatest number of terms of a sum that all are divided by.
_DIVIDED = 4
#: How many more atoms than in the formula may occur in a form: as a factor, and some more.
_LONGER, _MORE = {"expanded": 4, "conjugate": 2}, 2
#: The greatest numbers of terms of divisors, and of numbers, with which quotients are compared.
_SIDES, _NUMBERS = 8, 3
#: The greatest number of terms of divisors of which each is taken alone.
_ALONE = 3
_ONE, _1 = Polynomial.number(1), Fraction(1)


def forms_of(parts: Parts, slot: int, x: Quotient) -> Iterator[Term]:
    """Yield other forms of a part with a quotient.

    Some are long, and yielded only if the part may be unbounded.
    """
    count = parts.counts[slot]
    is_unbounded = parts.is_unbounded(slot)
    is_open = bool(x.divisors) and is_unbounded
    if x.count() <= (_LONGER["expanded"] * count if x.cancels or is_open else count - 1):
        yield parts.over(x, "div")
    if not x.divisors:
        yield from completed_squares(parts, x.top)
        yield from _circles(parts, x.top)
    yield from _beside_numbers(parts, x, is_open)
    yield from _remainders(parts, x)
    yield from _conjugates(parts, x, count)
    yield from _conjugates_of_divisors(parts, x, count)
    if is_open or parts.has_both_signs(slot):
        yield from _signs_of_dividends(parts, x)
    if is_unbounded:
        yield from bounded_by_differences(parts, x, _LONGER["conjugate"] * count + _MORE)
    if is_open:
        yield from _without_roots_in_divisors(parts, x, count)
        yield from _share_of_divisor(parts, x)
        yield from _without_single_divisors(parts, x)
    yield from _of_sums(parts, x)
    yield from _roots(parts, x, count, is_unbounded)
    yield from _by_components(parts, x)
    yield from _by_amplitudes(parts, x)
    yield from around_poles(parts, with_roots(parts, x))
    yield from _squares_of_reciprocals(parts, x)


def has_expanded(parts: Parts, slot: int) -> bool:
    """Return whether a part that may be unbounded has a form as one quotient of expanded sums."""
    x = parts.quotients.get(slot)
    return x is not None and x.count() <= _LONGER["expanded"] * parts.counts[slot]


def _squares_of_reciprocals(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a / s^2 + b / s + c as a (1 / s + b / 2a)^2 + (c - b^2 / 4a) for numbers a.

    s is an atom, or a root of one.
    """
    if not x.divisors or any(len(d.terms) > 1 for d, _ in x.divisors):
        return
    powers = {a: -p for d, p in x.divisors for a in d.atoms()}
    own = x.top.times(tuple(sorted(powers.items())), _1)
    for atom in sorted(powers):
        terms = _with_square(own, parts.squares.get(atom), atom).parts(atom)
        if not {-1, -2} <= set(terms) <= {0, -1, -2} or not terms[-2].is_number:
            continue
        a, b = terms[-2].constant, terms[-1]
        reciprocal = Node("recip", (parts.nodes[atom],))
        square = Node("sqr", (add([reciprocal, parts.sum(b.times((), 1 / (2 * a)))]),))
        rest = terms.get(0, Polynomial({})) + (b * b).times((), -1 / (4 * a))
        yield add([times(square, a), parts.sum(rest)])


def with_roots(parts: Parts, x: Quotient) -> Quotient:
    """Return a quotient with squares of roots in place of atoms that are these squares.

    So (1 - cos(sqrt(x))) / x is a quotient of functions of sqrt(x) alone. Divisors may be squares
    that are sums, as of norms.
    """
    atoms = x.top.atoms().union(*(d.atoms() for d, _ in x.divisors))
    operands = {a for atom in atoms for a in parts.atoms.variables(Polynomial.atom(atom))}
    try:
        for root in sorted(operands & set(parts.squares)):
            if x.divisors:
                top = _with_square(x.top, parts.squares[root], root)
                x = Quotient.of(top, [
                    (_with_square(d, parts.squares[root], root), p) for d, p in x.divisors
                ], x.cancels)  # fmt: skip
                x = _with_norm(x, parts.squares[root], root)
    except TooLongError:
        pass
    return x


def _with_norm(x: Quotient, square: Quotient, root: int) -> Quotient:
    """Return a quotient with the square of a root in place of a divisor that is this sum."""
    if square.divisors or len(square.top.terms) < 2:
        return x
    lead = square.top.lead()
    power = dict(x.divisors).get(square.top.times((), 1 / lead), 0)
    if not power:
        return x
    others = [(d, p) for d, p in x.divisors if d != square.top.times((), 1 / lead)]
    return Quotient.of(
        x.top.times((), lead**power), [*others, (Polynomial.atom(root), 2 * power)], x.cancels
    )


def _with_square(x: Polynomial, square: Quotient | None, root: int) -> Polynomial:
    """Return a polynomial with the square of a root in place of an atom that is this square."""
    if square is None or square.divisors or len(square.top.atoms()) != 1:
        return x
    (atom,) = square.top.atoms()
    if square.top != Polynomial.atom(atom):
        return x
    total = Polynomial({})
    for power, part in x.parts(atom).items():
        total = total + part.times(((root, 2 * power),) if power else (), _1)
    return total


def _circles(parts: Parts, x: Polynomial) -> Iterator[Term]:
    """Yield a sum in which squares of sines and cosines cancel."""
    shorter = parts.shortest(x)
    if shorter is not x:
        yield parts.sum(shorter)


# ---------------------------------------------------------------- sides of numbers


def _remainders(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient by a sum as a number and a quotient in which less occurs.

    (1 - x - y) / (1 + x + y) is 2 / (1 + x + y) - 1. The number is a quotient of coefficients.
    """
    sums = [(d, p) for d, p in x.divisors if len(d.terms) > 1]
    if len(x.divisors) != 1 or len(sums) != 1 or len(x.top.terms) < 2:
        return
    ((divisor, power),) = sums
    if power > 1:
        return
    rests = [
        (x.top + divisor.times((), -number), number)
        for number in sorted(_quotients(x.top, divisor))
    ]
    rest, number = min(rests, key=lambda pair: pair[0].count(), default=(x.top, _1))
    if rest.count() < x.top.count():
        quotient = Quotient(rest, x.divisors)
        yield add([constant(number), parts.over(quotient, OVER)])


def _share_of_divisor(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield n / d for d = q n + r as a mean of 1 / q and 0, weighted by q n and r.

    (1 - c) / (1 - 2 a c + a^2) is one of 1 / 2 a and 0, by 2 a (1 - c) and (1 - a)^2. n is a factor
    of the dividend.
    """
    for divisor, power in x.divisors:
        for n, others in _factors(x.top) if power == 1 and len(divisor.terms) > 1 else ():
            atom = next((a for a in sorted(n.atoms()) if _leads_with_number(n, a)), None)
            if atom is None or max(divisor.parts(atom)) < max(n.parts(atom)):
                continue
            factor, rest = _divide(divisor, n, atom)
            if rest.terms:
                weights = (
                    mul(parts.sum(factor), _sum_with_squares(parts, n)),
                    _sum_with_squares(parts, rest),
                )
                number = parts.over(Quotient(factor).reciprocal(), OVER_NONZERO)
                rest_of_x = Quotient(others, tuple((d, p) for d, p in x.divisors if d != divisor))
                yield mul(parts.over(rest_of_x, OVER), Node(MEAN, (*weights, number, constant(0))))


def _factors(x: Polynomial) -> Iterator[tuple[Polynomial, Polynomial]]:
    """Yield sums that are factors of a polynomial, and its quotients by them."""
    content = Polynomial({x.content(): _1})
    own = x.times(inverse(x.content()), _1)
    if len(own.terms) > 1:
        yield own, content
    for one, other in factors_of(own):
        yield one, content * other
        yield other, content * one


def _sum_with_squares(parts: Parts, x: Polynomial) -> Term:
    """Return the node of a polynomial, with squares completed, too."""
    return all_of([parts.sum(x), *completed_squares(parts, x)])


def _divide(x: Polynomial, y: Polynomial, atom: int) -> tuple[Polynomial, Polynomial]:
    """Return q and r of x = q y + r, for a y whose greatest power of an atom has a number."""
    degree, factor = max(y.parts(atom)), Polynomial({})
    number = y.parts(atom)[degree].constant
    while (lead := max(terms := x.parts(atom), default=0)) >= degree:
        share = terms[lead].times(((atom, lead - degree),) if lead > degree else (), 1 / number)
        factor, x = factor + share, x + -(share * y)
    return factor, x


def _beside_numbers(parts: Parts, x: Quotient, is_open: bool) -> Iterator[Term]:
    """Yield on which side of some number a quotient by a sum is: (x + 1) / (x + y + 2) < 1.

    The numbers are the quotients of coefficients, so that terms cancel in the difference.
    """
    for divisor, power in x.divisors:
        if x.top.terms:
            try:
                if len(divisor.terms) > 1 and is_open:
                    yield from _beside(parts, x, divisor, power)
                elif name_of(parts.step_of(divisor)) == "max" and power == 1:
                    yield from _beside_greater(parts, x, divisor)
                elif name_of(parts.step_of(divisor)) == "abs" and power == 1:
                    yield from _beside_magnitude(parts, x, divisor)
            except TooLongError:
                continue


def _beside_product(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield the side of numbers on which a quotient by two sums is (Cauchy and Schwarz)."""
    sums = [(d, p) for d, p in x.divisors if len(d.terms) > 1]
    if not 0 < len(sums) <= 2 or any(p > 1 for _, p in sums):
        return
    if len(sums) == 1 and len(sums[0][0].terms) <= _SIDES:  # see `_beside`
        return
    bottom = reduce(Polynomial.__mul__, [d for d, _ in sums])
    factors = [parts.sum(d) for d, _ in sums]
    rest = Quotient(_ONE, tuple((d, p) for d, p in x.divisors if len(d.terms) == 1))
    for number in sorted(_quotients(x.top, bottom) & {_1, -_1}):
        node = either(parts, x.top + bottom.times((), -number))
        if node is not None:
            side = Node(BESIDE, (constant(number), node, reduce(mul, factors)))
            yield mul(parts.over(rest, OVER), side)


def _beside(parts: Parts, x: Quotient, divisor: Polynomial, power: int) -> Iterator[Term]:
    bottom = divisor**power
    top, rest = _apart(parts, x, divisor, [bottom])
    if len(bottom.terms) > _SIDES:
        return
    numbers = _quotients(top, bottom)
    numbers |= {c for y in parts.other_squares(top) for c in _quotients(y, bottom)}
    if any(factored(parts, top)):
        numbers.add(Fraction(0))
    numbers |= numbers_of_means(top, bottom)
    numbers = numbers if len(numbers) <= _NUMBERS else set()
    for number in sorted({*numbers, *sorted(numbers_beside(parts, top, bottom))[:_MORE]}):
        difference = parts.shortest(top + bottom.times((), -number))
        nodes = [parts.sum(difference), *completed_squares(parts, difference)]
        nodes += [*factored(parts, difference), *signs_of_sums(parts, difference)]
        nodes += [node for node in (either(parts, difference),) if node is not None]
        side = Node(BESIDE, (constant(number), all_of(nodes), power_of(parts.sum(divisor), power)))
        yield mul(parts.over(rest, OVER), side)


def _beside_greater(parts: Parts, x: Quotient, divisor: Polynomial) -> Iterator[Term]:
    """Yield the side of a positive number on which a quotient by the greater of two numbers is.

    x - c max(p, q) is the lesser of x - c p and x - c q.
    """
    step = parts.step_of(divisor)
    assert step is not None
    operands = [parts.quotient(i) for i in step.operands]
    if any(y.divisors for y in operands):
        return
    top, rest = _apart(parts, x, divisor, [y.top for y in operands])
    numbers = {c for y in operands for c in _quotients(top, y.top) if c > 0}
    for number in sorted(numbers) if len(numbers) <= _NUMBERS else ():
        differences = (parts.sum(top + y.top.times((), -number)) for y in operands)
        difference = Node("min", tuple(differences))
        side = Node(BESIDE, (constant(number), difference, parts.sum(divisor)))
        yield mul(parts.over(rest, OVER), side)


def _beside_magnitude(parts: Parts, x: Quotient, divisor: Polynomial) -> Iterator[Term]:
    """Yield that max(p, q) / |n| is at least 1, if p q is at least n^2, for sums of squares p, q.

    max(p, q)^2 - n^2 is the sum of p q - n^2 and of max(p, q) |p - q|, and has the sign of
    max(p, q) - |n|, since that is not negative.
    """
    greater, magnitude = parts.step_of(x.top), parts.step_of(divisor)
    if greater is None or name_of(greater) != "max" or magnitude is None or len(x.divisors) > 1:
        return
    p, q, n = (parts.quotient(i) for i in (*greater.operands, *magnitude.operands))
    if p.divisors or q.divisors or n.divisors or not (is_positive(p.top) and is_positive(q.top)):
        return
    rest = sum_of_squares(parts, p.top * q.top + -(n.top * n.top))
    if rest is not None:
        apart = Node("abs", (parts.sum(p.top + -q.top),))
        difference = Node("add", (rest, mul(parts.sum(x.top), apart)))
        yield Node(BESIDE, (constant(1), difference, parts.sum(divisor)))


def _apart(
    parts: Parts, x: Quotient, divisor: Polynomial, sums: list[Polynomial]
) -> tuple[Polynomial, Quotient]:
    """Return the dividend without factors that some sums lack, and these over other divisors."""
    atoms = {a for y in sums for a in y.atoms()}
    atoms |= {other for y in sums for _, other in parts.circles(y)}
    content = tuple((a, p) for a, p in x.top.content() if a not in atoms)
    others = tuple((d, p) for d, p in x.divisors if d != divisor)
    return x.top.times(inverse(content), _1), Quotient(Polynomial({content: _1}), others)


def _quotients(top: Polynomial, bottom: Polynomial) -> set[Fraction]:
    """Return the quotients of coefficients of the terms that two polynomials share."""
    return {c / bottom.terms[m] for m, c in top.terms.items() if m in bottom.terms}


# ---------------------------------------------------------------- conjugates


def _conjugates(parts: Parts, x: Quotient, count: int) -> Iterator[Term]:
    for atom in sorted(x.top.atoms() & set(parts.squares)):
        try:
            form = _conjugate(parts, x, atom)
        except TooLongError:
            continue
        most = _LONGER["conjugate"] * count + _MORE
        if form is not None and (form.count() <= most or not form.top.terms):
            yield parts.over(form, FACTOR)
            yield from _of_sums(parts, form)


def _conjugates_of_divisors(parts: Parts, x: Quotient, count: int) -> Iterator[Term]:
    for divisor, power in x.divisors:
        for atom in sorted(divisor.atoms() & set(parts.squares)) if power == 1 else ():
            try:
                form = _conjugate_of_divisor(parts, x, divisor, atom)
            except TooLongError:
                continue
            if form is not None and form.count() <= _LONGER["conjugate"] * count + _MORE:
                yield _over_conjugate(parts, form, divisor, atom)
                yield from _of_sums(parts, form)


def _over_conjugate(parts: Parts, form: Quotient, divisor: Polynomial, atom: int) -> Term:
    """Return the node of a quotient whose divisor is zero only where a + b s or a - b s is."""
    node = parts.over(form, OVER_NONZERO)
    if not form.divisors:
        return node
    terms = divisor.parts(atom)
    conjugate = terms[0] + -(terms[1] * Polynomial.atom(atom))
    assert isinstance(node, Node)
    return Node(OVER_UNLESS, (*node.operands, parts.sum(conjugate)))


def _conjugate_of_divisor(
    parts: Parts, x: Quotient, divisor: Polynomial, atom: int
) -> Quotient | None:
    """Return n / (a + b s) as n (a - b s) / (a^2 - b^2 s^2), for a root s.

    Factors that cancel are of n and of a^2 - b^2 s^2. Where the divisor that is left is not zero,
    but that product is, such a factor is zero, hence n is, and n / (a + b s), if a + b s is not.
    So is the form, since its dividend or a - b s is.
    """
    terms = divisor.parts(atom)
    if set(terms) != {0, 1}:
        return None
    a, b = terms[0], terms[1]
    bottom = Quotient(a * a) + -(Quotient(b * b) * parts.squares[atom])
    bottom = parts.reduce(dataclasses.replace(bottom, top=parts.shortest(bottom.top)))
    if not bottom.top.terms:
        return None
    others = tuple((d, p) for d, p in x.divisors if d != divisor)
    top = parts.reduce(Quotient(x.top * (a + -(b * Polynomial.atom(atom)))))
    return parts.reduce(top * bottom.reciprocal() * Quotient(_ONE, others))


def _signs_of_dividends(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield on which side of zero a quotient is whose dividend is a sum with a root."""
    for side in signs_of_sums(parts, x.top):
        yield mul(parts.over(Quotient(_ONE, x.divisors), OVER), side) if x.divisors else side


def _conjugate(parts: Parts, x: Quotient, atom: int) -> Quotient | None:
    """Return (a + b s) / d as (a^2 - b^2 s^2) / (d (a - b s)), for a root s.

    That divisor stays, even if the dividend is a multiple, since the form says nothing where it is
    zero and the dividend may be. Where a - b s is zero and its terms have one sign, all are zero,
    and so is a + b s. Its mean of quotients contains that zero, since the term with s has no
    multiple in the dividend.
    """
    terms = x.top.parts(atom)
    if set(terms) != {0, 1}:
        return None
    a, b = terms[0], terms[1]
    top = Quotient(a * a) + -(Quotient(b * b) * parts.squares[atom])
    top = dataclasses.replace(top, top=parts.shortest(top.top))
    rest = parts.reduce(top * Quotient(_ONE, x.divisors))
    bottom = parts.reduce(Quotient(a + -(b * Polynomial.atom(atom))))
    return None if bottom.divisors or not bottom.top.terms else rest.with_divisor(bottom.top)


def _without_roots_in_divisors(parts: Parts, x: Quotient, count: int) -> Iterator[Term]:
    """Yield x / s as x s / S, for a root s of S: 1 / x - 1 / sqrt(x) is (1 - sqrt(x)) / x."""
    for divisor, power in x.divisors if len(x.top.terms) > 1 else ():
        if power > 1 or not parts.is_root(divisor):
            continue
        (atom,) = divisor.atoms()
        others = tuple((d, p) for d, p in x.divisors if d != divisor)
        try:
            form = Quotient(x.top * divisor, others) * parts.squares[atom].reciprocal()
            form = parts.reduce(form)
        except TooLongError:
            continue
        if form.count() <= _LONGER["expanded"] * count:
            yield parts.over(form, OVER)
            yield from _of_sums(parts, form)


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
    scale: Monomial = tuple((next(iter(d.atoms())), -p) for d, p in single)
    if matches is None and len(x.top.terms) == 1:
        yield from _shares(parts, x.top, bottom, scale)
    if matches is None or not any(matches):
        return
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


def _shares(parts: Parts, top: Polynomial, bottom: Polynomial, scale: Monomial) -> Iterator[Node]:
    """Yield means of zero and a quotient by a single term, for each with common atoms."""
    (monomial,) = top.terms
    for d in bottom.terms if len(bottom.terms) <= _ALONE else ():
        if {a for a, _ in d} & {a for a, _ in monomial}:
            yield _mean(parts, top, bottom, {d: [monomial]}, scale)


def _divide_by_terms(parts: Parts, top: Polynomial, bottom: Polynomial) -> Iterator[Term]:
    """Yield quotients whose dividend and divisor are divided by a term of the divisor."""
    for m, c in bottom.terms.items():
        if m:
            sums = (parts.sum(p.times(inverse(m), 1 / c)) for p in (top, bottom))
            yield Node(OVER_NONZERO, tuple(sums))


# ---------------------------------------------------------------- roots, removable poles


def _by_amplitudes(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield (a sin u + b cos u) / d by its greatest magnitude, the root of (a^2 + b^2) / d^2."""
    if not any(len(d.terms) > 1 for d, _ in x.divisors):
        return
    for one, other in parts.circles(x.top):
        content = x.top.content()
        terms = by_powers(x.top.times(inverse(content), _1), one, other)
        if set(terms) != {(1, 0), (0, 1)} or one > other:
            continue
        try:
            squares = (terms[key] * terms[key] for key in terms)
            square = Quotient.of(
                parts.shortest(reduce(Polynomial.__add__, squares)),
                [(d, 2 * p) for d, p in x.divisors], False)  # fmt: skip
        except TooLongError:
            continue
        forms = [parts.over(square, OVER), *_beside_numbers(parts, square, True)]
        wave = Node(AMPLITUDE, (all_of(forms),))
        yield mul(parts.sum(Polynomial({content: _1})), wave) if content else wave


def _by_components(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield (p u + q v) / sqrt(u^2 + v^2) by its greatest magnitude, sqrt(p^2 + q^2)."""
    for divisor, power in x.divisors:
        (atom, *others) = divisor.atoms()
        numbers = parts.square_roots(atom) if power == 1 and not others else []
        if len(numbers) < 2 or any(number.divisors for number in numbers):
            continue
        top, rest = x.top, tuple((d, p) for d, p in x.divisors if d != divisor)
        if name_of(step := parts.step_of(top)) == "abs" and step is not None:
            operand = parts.quotient(step.operands[0])
            top, rest = operand.top, (*rest, *operand.divisors)
        try:
            shares = _shares_of(top, [number.top for number in numbers])
        except TooLongError:
            continue
        if shares is not None:
            square = add([Node("sqr", (parts.sum(share),)) for share in shares])
            wave = Node(AMPLITUDE, (square,))
            yield mul(parts.over(Quotient(_ONE, rest), OVER), wave) if rest else wave


def _shares_of(x: Polynomial, numbers: list[Polynomial]) -> list[Polynomial] | None:
    """Return p, q, ... so that a polynomial is p u + q v + ..., if each has an atom of its own."""
    shares = []
    for number in numbers:
        atom = next((a for a in sorted(number.atoms()) if _is_linear(number, a)), None)
        if atom is None:
            return None
        share, x = _divide(x, number, atom)
        shares.append(share)
    return None if x.terms else shares


def _is_linear(x: Polynomial, atom: int) -> bool:
    return max(x.parts(atom)) == 1 and _leads_with_number(x, atom)


def _leads_with_number(x: Polynomial, atom: int) -> bool:
    terms = x.parts(atom)
    return terms[max(terms)].is_number


def _without_single_divisors(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield (a x + b) / x as a + b / x: terms that are multiples of an atom apart from others."""
    for divisor, _ in x.divisors:
        (monomial, *others) = divisor.terms
        if others or not monomial or len(x.top.terms) > _DIVIDED:
            continue
        multiples = Polynomial({m: c for m, c in x.top.terms.items() if divides(monomial, m)})
        rest = x.top + -multiples
        if multiples.terms and rest.terms:
            divisors = tuple((d, p - (d == divisor)) for d, p in x.divisors)
            divisors = tuple((d, p) for d, p in divisors if p)
            quotient = Quotient(multiples.times(inverse(monomial), _1), divisors)
            own = Quotient.of(rest, x.divisors, x.cancels)
            forms = [parts.over(own, OVER), *_roots(parts, own, own.count(), True)]
            yield add([parts.over(quotient, OVER), all_of(forms)])


def _roots(parts: Parts, x: Quotient, count: int, is_open: bool) -> Iterator[Term]:
    """Yield a root of the square of a part that is a product with roots."""
    if not any(parts.is_root(Polynomial.atom(a)) for a, _ in x.top.content()) and not any(
        parts.is_root(d) for d, _ in x.divisors
    ):
        return
    try:
        squares = [*parts.with_splits(parts.reduce(x * x))]
    except TooLongError:
        return
    forms = [form for square in squares for form in _forms_of_square(parts, square, count, is_open)]
    if forms or any(square.cancels for square in squares):
        roots = tuple((a, p) for a, p in x.top.content() if a in parts.squares)
        divisors = tuple((d, p) for d, p in x.divisors if not parts.is_root(d))
        rest = Quotient(x.top.times(inverse(roots), Fraction(1)), divisors)
        square = all_of([parts.over(square, OVER) for square in squares] + forms)
        for sign in _signs(parts, rest, roots):
            yield Node(ROOT, (square, parts.over(sign, OVER)))


def _signs(parts: Parts, rest: Quotient, roots: Monomial) -> Iterator[Quotient]:
    """Yield quotients with the sign of a rest times roots, which are not negative.

    Times the square of a root the rest may have less divisors: sqrt(x) / x has the sign of x / x.
    """
    yield rest
    try:
        other = reduce(Quotient.__mul__, [parts.squares[a] for a, _ in roots], rest)
    except TooLongError:
        return
    if len(other.divisors) < len(rest.divisors):
        yield other


def _forms_of_square(parts: Parts, x: Quotient, count: int, is_open: bool) -> Iterator[Term]:
    yield from _of_sums(parts, x)
    yield from _beside_numbers(parts, x, is_open)
    yield from _beside_product(parts, x)
    if is_open:
        yield from _share_of_divisor(parts, x)
    yield from _conjugates(parts, x, count)
    yield from _conjugates_of_divisors(parts, x, count)
    yield from complements(parts, x)


def all_of(forms: list[Term]) -> Term:
    """Return the number that several forms are."""
    return reduce(lambda x, y: Node(MEET, (x, y)), forms)


def around_poles(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield what encloses quotients around removable poles."""
    for variable, place, order, top, bottom, guards in (
        continuations(parts.atoms, x) if x.divisors else ()
    ):
        around = Node(AND, (parts.nodes[variable], parts.sum(place)))
        name = SLOPE if order == 1 else MEAN_SLOPE
        yield Node(name, tuple(
            _at(parts, p, variable, around) for p in (top, bottom, *guards)
        ))  # fmt: skip


def _at(parts: Parts, x: Polynomial, variable: int, around: Node) -> Term:
    """Return the node of a polynomial with another one in place of an atom.

    Operands of logarithms are not negative. So are sums that are linear in the atom, between such.
    """
    node = parts.sum_at(x, variable, around)
    if variable in x.atoms() and any(parts.atoms.calls.get(a) == ("log", x) for a in parts.steps):
        return Node("max", (node, constant(0)))
    return node
