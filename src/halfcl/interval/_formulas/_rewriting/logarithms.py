"""Other forms of exponentials and logarithms: products of exponentials as one, sums of logarithms.

They do not overflow where the formula does: x^x exp(-x) at 1000, or log(sinh(x)).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from halfcl.interval._formulas._rewriting._zeros.exponents import with_common_exponentials
from halfcl.interval._formulas._rewriting.parts import Parts, Term, add, mul, name_of, times
from halfcl.interval._formulas._rewriting.polynomials import (
    Polynomial,
    Quotient,
    TooLongError,
    inverse,
    without_common_sums,
)
from halfcl.interval._formulas._rewriting.rules import EXP, LOG, MEAN, MEET, OVER, TIMES_LOG
from halfcl.interval._formulas.jets import Node, constant

#: Logarithms, and the exponentials that they are the inverses of.
LOGARITHMS = {"log": "exp", "log2": "exp2", "log10": "exp10"}


class _Power(NamedTuple):
    """A power of e, by its exponent: that in a slot, times a logarithm if it is of another base."""

    slot: int
    logarithm: Term | None


def _power_of(parts: Parts, atom: int) -> _Power | None:
    """Return an atom as a power of e, if it is one."""
    step = parts.steps.get(atom)
    if step is None or name_of(step) not in ("exp", "pow"):
        return None
    if name_of(step) == "exp":
        return _Power(step.operands[0], None)
    return _Power(step.operands[1], logarithm_of(parts, step.operands[0]))


def logarithm_of(parts: Parts, slot: int) -> Term:
    """Return the logarithm of a slot, in all its forms."""
    logarithm = Node(LOG, (parts.nodes[slot],))
    for form in logarithms_of(parts, "log", parts.quotient(slot)):
        logarithm = Node(MEET, (logarithm, form))
    return logarithm


def exponentials(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a part with all its factors that are exponentials as one."""
    powers = dict(x.top.content())
    powers |= {next(iter(d.atoms())): -p for d, p in x.divisors if len(d.terms) == 1}
    exponents = {a: e for a in powers if (e := _power_of(parts, a)) is not None}
    if len(exponents) < 2:
        return
    joined = tuple(sorted((a, powers[a]) for a in exponents if powers[a] > 0))
    rest = Quotient(x.top.times(inverse(joined), Fraction(1)), tuple(
        (d, p) for d, p in x.divisors if len(d.terms) > 1 or not d.atoms() & set(exponents)
    ))  # fmt: skip
    shares = [(exponent, Fraction(powers[a])) for a, exponent in exponents.items()]
    yield mul(parts.over(rest, OVER), Node(EXP, (_sum_of_exponents(parts, shares),)))


def _sum_of_exponents(parts: Parts, shares: list[tuple[_Power, Fraction]]) -> Term:
    """Return a sum of multiples of exponents, of which equal factors are apart.

    y log a - y log b is y (log a - log b), which may be bounded where y is not.
    """
    groups: list[tuple[_Power, list[tuple[_Power, Fraction]]]] = []
    for power, number in shares:
        for first, own in groups:
            ratio = _ratio(parts, power.slot, first.slot)
            if ratio is not None and power.logarithm is not None and first.logarithm is not None:
                own.append((power, number * ratio))
                break
        else:
            groups.append((power, [(power, number)]))
    sums = []
    for first, own in groups:
        exponent = parts.nodes[first.slot]
        if first.logarithm is None:
            sums.append(times(Node("positive", (exponent,)), own[0][1]))
        else:
            logarithms = [times(x.logarithm, n) for x, n in own if x.logarithm is not None]
            sums.append(mul(exponent, add(logarithms)))
    return add(sums)


def _ratio(parts: Parts, slot: int, other: int) -> Fraction | None:
    """Return the number that a part is a multiple of another one by; None if it is none."""
    x, y = parts.quotient(slot), parts.quotient(other)
    if not y.top.terms:
        return None
    ratio = x * y.reciprocal()
    return ratio.top.constant if ratio.top.is_number and not ratio.divisors else None


def logarithms_of(parts: Parts, name: str, x: Quotient) -> Iterator[Term]:
    """Yield the logarithm of a product as a sum of logarithms of magnitudes."""
    factors = x.factors()
    terms = [_without_logarithm(parts, name, d) for d, _ in factors]
    if len(terms) < 2 and not any(terms):
        return
    yield add([
        times(term or _of_magnitude(name, parts.sum(d)), Fraction(p))
        for term, (d, p) in zip(terms, factors, strict=True)
    ])  # fmt: skip


def products_with_logarithms(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a sum of products with logarithms in which each logarithm occurs once.

    x log(x / y) is x log|x| - x log|y|, of which the first is bounded where x is.
    """
    try:
        top, terms = parts.atoms.with_sums(x.top), list[Term]()
        logarithms = [
            a for a in sorted(top.atoms()) if parts.atoms.calls.get(a, "")[:1] == ("log",)
        ]
        for atom in logarithms:
            shares = top.parts(atom)
            if set(shares) - {0, 1} or shares[1].atoms() & set(logarithms):
                return
            terms.append(_product_with_logarithm(parts, shares[1], parts.atoms.calls[atom][1]))
            top = shares.get(0, Polynomial({}))
    except TooLongError:
        return
    if len(terms) > 1:
        sum_ = add([*terms, parts.sum(top)] if top.terms else terms)
        yield Node(OVER, (sum_, parts.over(Quotient(x.bottom()), OVER))) if x.divisors else sum_


def _product_with_logarithm(parts: Parts, share: Polynomial, operand: Polynomial) -> Term:
    """Return a polynomial times the logarithm of a magnitude."""
    rest = None if operand.is_number else share.exact_quotient(operand)
    if rest is None:
        return mul(parts.sum(share), _of_magnitude("log", parts.sum(operand)))
    product = Node(TIMES_LOG, (parts.sum(operand),))
    return product if rest == Polynomial.number(1) else mul(parts.sum(rest), product)


def _of_magnitude(name: str, x: Term) -> Node:
    return Node(name, (Node("abs", (x,)),))


def _without_logarithm(parts: Parts, name: str, x: Polynomial) -> Term | None:
    """Return the logarithm of a polynomial's magnitude in terms of its operand."""
    step = parts.step_of(x)
    if name_of(step) == "abs" and step is not None:
        step = parts.steps.get(step.operands[0])
    if name == "log" and step is None:
        return _of_sum_with_one(parts, x) or _of_sum_with_infinity(parts, x)
    if step is None:
        return None
    function, operand = name_of(step), parts.nodes[step.operands[0]]
    if function == LOGARITHMS[name]:
        return Node("positive", (operand,))
    if function == "tan":
        sine, cosine = (_of_magnitude(name, Node(f, (operand,))) for f in ("sin", "cos"))
        return Node("sub", (sine, cosine))
    if name == "log" and function in ("sinh", "cosh"):
        return _of_hyperbolic(function, operand)
    return None


def _of_hyperbolic(name: str, x: Term) -> Node:
    """Return log|sinh x| or log(cosh x), for large x, too: |x| + log((1 -+ exp(-2 |x|)) / 2)."""
    size = Node("abs", (x,))
    small = Node("exp", (times(size, Fraction(-2)),))
    signed = small if name == "cosh" else Node("neg", (small,))
    half = times(add([constant(1), signed]), Fraction(1, 2))
    return Node("add", (size, Node("log", (half,))))


def _of_sum_with_infinity(parts: Parts, x: Polynomial) -> Term | None:
    """Return the logarithm of a sum with an exponential that may overflow."""
    for atom, flipped in _over_exponentials(parts, x):
        if parts.is_unbounded(atom):
            exponent = parts.nodes[parts.steps[atom].operands[0]]
            return add([exponent, _of_magnitude("log", _with_means(parts, flipped))])
    return None


def _over_exponentials(parts: Parts, x: Polynomial) -> Iterator[tuple[int, Polynomial]]:
    """Yield exponentials, and a sum with the other terms over them: b + a exp(-w)."""
    for atom in sorted(x.atoms()) if len(x.terms) > 1 else ():
        if name_of(parts.steps.get(atom)) == "exp" and set(terms := x.parts(atom)) == {0, 1}:
            reciprocal = Polynomial.atom(parts.reciprocal_of(atom))
            yield atom, terms[1] + terms[0] * reciprocal


def _with_means(parts: Parts, x: Polynomial) -> Term:
    """Return a sum, also as a mean: (1 - u) y + u z is between y and z for u between 0 and 1."""
    node = parts.sum(x)
    for atom in sorted(x.atoms()):
        terms = x.parts(atom)
        if set(terms) == {0, 1} and len(terms[1].terms) > 1:
            u, ends = Polynomial.atom(atom), (terms[0], terms[0] + terms[1])
            weights = (Polynomial.number(1) + -u, u)
            mean = Node(MEAN, tuple(map(parts.sum, (*weights, *ends))))
            node = Node(MEET, (node, mean))
    return node


def with_exponents_apart(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield c log(a + b exp(w)) as c w + c log(b + a exp(-w)), if w cancels with c.

    v log(u + (1 - u) exp(-2 / v)) is v log(1 + u (exp(2 / v) - 1)) - 2.
    """
    for atom in sorted(x.top.atoms()):
        step, shares = parts.steps.get(atom), x.top.parts(atom)
        if step is None or name_of(step) != "log" or set(shares) - {0, 1}:
            continue
        share = Quotient.of(shares[1], x.divisors, False)
        try:
            for exponent, node in _with_exponent(parts, parts.quotient(step.operands[0])):
                product = parts.reduce(share * exponent)
                if product.count() < exponent.count() and share.top.terms:
                    own = add([parts.over(product, OVER), mul(parts.over(share, OVER), node)])
                    rest = Quotient(shares.get(0, Polynomial({})), x.divisors)
                    yield add([own, parts.over(rest, OVER)]) if rest.top.terms else own
        except TooLongError:
            continue


def _with_exponent(parts: Parts, x: Quotient) -> Iterator[tuple[Quotient, Term]]:
    """Yield w and log|x exp(-w)|, for exponentials exp(w) in sums that are factors of x."""
    factors = without_common_sums(with_common_exponentials(parts, x) or x).factors()
    for i, (sum_, power) in enumerate(factors):
        for atom, flipped in _over_exponentials(parts, sum_):
            others = [*factors[:i], (flipped, power), *factors[i + 1 :]]
            terms = [times(_of_magnitude("log", _with_means(parts, d)), Fraction(p))
                     for d, p in others]  # fmt: skip
            exponent = parts.quotient(parts.steps[atom].operands[0])
            yield exponent * Quotient(Polynomial.number(power)), add(terms)


def _of_sum_with_one(parts: Parts, x: Polynomial) -> Term | None:
    """Return log(1 + exp(y)), for large y, too: max(y, 0) + log(1 + exp(-|y|))."""
    rest = x + Polynomial.number(-1)
    step = parts.step_of(rest) if len(rest.terms) == 1 else None
    if step is None or step.name != "exp" or rest.lead() != 1:
        return None
    y = parts.nodes[step.operands[0]]
    small = Node("exp", (Node("neg", (Node("abs", (y,)),)),))
    return add([Node("max", (y, constant(0))), Node("log1p", (small,))])
