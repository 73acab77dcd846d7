"""Other forms of quotients whose dividend and divisor are zero together, in several variables.

sin u is u times sin u / u, a function without a pole. With such factors in place of functions, the
zeros are powers of u, which cancel: t / tanh(t y) is 1 / y over (tanh u) / u, whose range is known
for all t. The same holds for exp u - 1, log(1 + u), 1 - cos u, sqrt(1 - z^2) for u = acos z, and
others. 1 - tanh^2 u is the square of 1 / cosh u, which keeps its accuracy where tanh u is nearly 1.

Quotients by powers of exp u are those by powers of 1 - exp(-u) or the like times exp(-u).
Quotients by powers of a number q times an exponential of 1 / q have finite limits, too: with
u = -1 / q, exp(-1 / q) / q^2 is u^2 exp u.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from halfcl.interval._formulas._rewriting._zeros.ratios import POWER_EXP, SHARES, share_of
from halfcl.interval._formulas._rewriting.logarithms import logarithm_of
from halfcl.interval._formulas._rewriting.parts import (
    ARITHMETIC,
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
)
from halfcl.interval._formulas._rewriting.rules import EXP, OVER, OVER_NONZERO
from halfcl.interval._formulas.jets import Node, constant

#: How often factors are sought in what is left; the greatest powers; terms of sums.
_ROUNDS, _POWER, _TERMS = 3, 8, 16
_ONE, _1 = Polynomial.number(1), Fraction(1)
#: Functions whose sine or hyperbolic sine is a root of s (1 - z^2), and the sign s.
_ARCS = {"acos": ("sin", 1), "acosh": ("sinh", -1)}


class _Factor(NamedTuple):
    """A factor of quotients that is rest times node; the rest is zero where the factor is."""

    polynomial: Polynomial
    rest: Quotient
    node: Term


def _factor_of(parts: Parts, atom: int) -> _Factor | None:
    """Return the factor that a function of one operand is, or is with 1 added or subtracted."""
    if atom in parts.squares:
        return _sine_of_arc(parts, atom)
    step = parts.steps.get(atom)
    name = name_of(step)
    if step is None or step.part:
        return None
    x = Polynomial.atom(atom)
    if name in SHARES:
        return _Factor(x, *_share(parts, name, step.operands[0]))
    if name == "exp":
        return _Factor(x + -_ONE, *_share(parts, "expm1", step.operands[0]))
    if name in ("cos", "cosh"):
        return _Factor(x + -_ONE, *_versine(parts, name, step.operands[0]))
    if name == "log":
        less_one = Node("add", (parts.nodes[step.operands[0]], constant(-1)))
        rest = parts.quotient(step.operands[0]) + Quotient(-_ONE)
        return _Factor(x, rest, Node(share_of("log1p"), (less_one,)))
    return None


def _sine_of_arc(parts: Parts, root: int) -> _Factor | None:
    """Return sqrt(1 - z^2) as the sine of acos z, if that occurs, and sqrt(z^2 - 1) alike.

    So is sqrt(r^2 - n^2) for acos(n / r), times |r|.
    """
    for slot, step in parts.steps.items():
        if name_of(step) not in _ARCS or slot not in parts.nodes:
            continue
        name, sign = _ARCS[name_of(step)]
        z = parts.quotient(step.operands[0])
        square = (Quotient(_ONE) + -(z * z)) * Quotient(Polynomial.number(sign))
        for size in {_ONE, z.bottom()}:
            difference = parts.reduce(Quotient(size * size) * square) + -parts.squares[root]
            if not difference.top.terms:
                rest, node = _share(parts, name, slot)
                scale = Node("abs", (parts.sum(size),))
                return _Factor(Polynomial.atom(root), rest, mul(scale, node))
    return None


def _share(parts: Parts, name: str, slot: int) -> tuple[Quotient, Term]:
    return parts.quotient(slot), Node(share_of(name), (parts.nodes[slot],))


def _versine(parts: Parts, name: str, slot: int) -> tuple[Quotient, Term]:
    """Return cosh u - 1 as u^2 / 2 times the square of sinh(u / 2) / (u / 2), and -cos alike."""
    number = Fraction(-1 if name == "cos" else 1, 2)
    half = Node(share_of("sin" if name == "cos" else "sinh"), (
        times(parts.nodes[slot], Fraction(1, 2)),
    ))  # fmt: skip
    square = parts.quotient(slot) * parts.quotient(slot)
    return square * Quotient(Polynomial.number(number)), Node("sqr", (half,))


def _secant(parts: Parts, atom: int) -> _Factor | None:
    """Return tanh^2 u - 1 as a factor, which is -1 / cosh^2 u."""
    step = parts.steps.get(atom)
    if step is None or name_of(step) != "tanh":
        return None
    x = Polynomial.atom(atom)
    cosine = Node("cosh", (parts.nodes[step.operands[0]],))
    square = Node("sqr", (Node("recip", (cosine,)),))
    return _Factor(x * x + -_ONE, Quotient(-_ONE), square)


def without_common_zeros(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient in which common zeros of functions and other factors cancel."""
    if not x.top.terms:
        return
    try:
        nodes, best = list[tuple[Term, int]](), None
        for _ in range(_ROUNDS):
            replaced = _replace(parts, x)
            if replaced is None:
                break
            x, more, has_cancelled = replaced
            nodes += more
            if has_cancelled:
                best = x, tuple(nodes)
    except TooLongError:
        pass
    if best is not None:
        yield _product(parts, *best)


def _product(parts: Parts, x: Quotient, nodes: tuple[tuple[Term, int], ...]) -> Term:
    """Return the node of a quotient times powers of nodes."""
    merged = _merge(nodes)
    top = [power_of(node, power) for node, power in merged if power > 0]
    bottom = [power_of(node, -power) for node, power in merged if power < 0]
    rest = parts.over(x, OVER)
    factors = reduce(mul, top) if top else constant(1)
    if bottom:
        factors = Node(OVER, (factors, reduce(mul, bottom)))
    return mul(rest, factors)


def _merge(nodes: tuple[tuple[Term, int], ...]) -> list[tuple[Term, int]]:
    """Return equal functions of the same operands once, with the sums of their powers.

    One that is a divisor is not zero where the formula is defined, so it may cancel.
    """
    powers: dict[object, tuple[Term, int]] = {}
    for node, power in nodes:
        key = (node.name, *map(id, node.operands)) if isinstance(node, Node) else id(node)
        powers[key] = node, powers.get(key, (node, 0))[1] + power
    return [(node, power) for node, power in powers.values() if power]


def _replace(parts: Parts, x: Quotient) -> tuple[Quotient, list[tuple[Term, int]], bool] | None:
    """Return a quotient without functions that are zero where others are, and their nodes.

    The last is whether any zeros cancelled. None if there are no such functions.
    """
    top, divisors = x.top, dict(x.divisors)
    factors: list[tuple[_Factor, int]] = []
    for atom in sorted(top.atoms() | {a for d in divisors for a in d.atoms()}):
        for make in (_secant, _factor_of) if x.divisors else (_secant,):
            factor = make(parts, atom)
            if factor is None:
                continue
            power = -divisors.pop(factor.polynomial, 0)
            while (quotient := top.exact_quotient(factor.polynomial)) is not None:
                top, power = quotient, power + 1
            if power:
                factors.append((factor, power))
    if not factors:
        return None
    rest, others = Quotient(top, tuple(divisors.items())), _Common(parts, top, divisors, factors)
    degree, nodes, is_better = _degree(rest), list[tuple[Term, int]](), False
    for factor, power in factors:
        if not others.matter(factor, power):
            rest *= _power(Quotient(factor.polynomial), power)
            degree += _degree(_power(Quotient(factor.polynomial), power))
            continue
        is_better |= factor.rest.top.is_number
        share = _power(factor.rest, power)
        degree += _degree(share)
        rest = rest * share
        nodes.append((factor.node, power))
    return (rest, nodes, is_better or _degree(rest) < degree) if nodes else None


class _Common:
    """The variables of dividends and of divisors, with which zeros of functions may cancel."""

    def __init__(
        self,
        parts: Parts,
        top: Polynomial,
        divisors: dict[Polynomial, int],
        factors: list[tuple[_Factor, int]],
    ) -> None:
        self.parts = parts
        self.top = self._variables(top if len(top.terms) > 1 else Polynomial({top.content(): _1}))
        self.bottom = {a for d in divisors for a in self._variables(d)}
        for factor, power in factors:
            up, down = (self.top, self.bottom) if power > 0 else (self.bottom, self.top)
            up |= self._variables(factor.rest.top)
            down |= {a for d, _ in factor.rest.divisors for a in self._variables(d)}

    def _variables(self, x: Polynomial) -> set[int]:
        return {v for atom in x.atoms() for v in self.parts.variables(atom)}

    def matter(self, factor: _Factor, power: int) -> bool:
        """Return whether a factor may cancel: if it is a divisor, with what is in the dividend."""
        if factor.rest.top.is_number:
            return True
        return bool(self._variables(factor.rest.top) & (self.bottom if power > 0 else self.top))


def _power(x: Quotient, power: int) -> Quotient:
    if abs(power) > _POWER:
        raise TooLongError
    return ARITHMETIC["pown"](x, power)


def _degree(x: Quotient) -> int:
    """Return the number of factors that the divisors have."""
    return sum(p * max(sum(q for _, q in m) for m in d.terms) for d, p in x.divisors)


def powers(parts: Parts, base: Quotient, exponent: Quotient) -> Iterator[Term]:
    """Yield (1 + k x)^(y / k) as exp(x y log(1 + k x) / (k x)), which has a value where k is zero.

    The exponent is a quotient whose divisors divide the base less 1.
    """
    if not exponent.divisors:
        return
    try:
        rest = parts.reduce(base + Quotient(-_ONE))
        product = parts.reduce(exponent * rest)
    except TooLongError:
        return
    if rest.top.terms and _degree(product) < _degree(exponent) + _degree(rest):
        share = Node(share_of("log1p"), (parts.over(rest, OVER),))
        yield Node(EXP, (mul(parts.over(product, OVER), share),))


# ---------------------------------------------------------------- exponentials of reciprocals


class _Exponential(NamedTuple):
    """An atom exp(share * other), of a quotient and of a logarithm or nothing."""

    atom: int
    share: Quotient
    exponent: Term
    logarithm: Term | None


def _exponential(parts: Parts, atom: int) -> _Exponential | None:
    step = parts.steps.get(atom)
    if step is None or name_of(step) not in ("exp", "pow"):
        return None
    if name_of(step) == "exp":
        slot = step.operands[0]
        return _Exponential(atom, parts.quotient(slot), parts.nodes[slot], None)
    slot = step.operands[1]
    logarithm = logarithm_of(parts, step.operands[0])
    exponent = mul(parts.nodes[slot], logarithm)
    return _Exponential(atom, parts.quotient(slot), exponent, logarithm)


def _order(factor: _Exponential, top: Monomial, x: Quotient) -> int:
    """Return the power of an exponent that a quotient is to be divided by."""
    divisors = dict(x.divisors)
    if factor.share.divisors:
        return max(-(-divisors.get(d, 0) // p) for d, p in factor.share.divisors)
    own, powers = factor.share.top, dict(top)
    if len(own.terms) != 1 or own.is_number:
        return 0
    return min(powers.get(a, 0) // p for a, p in own.content())


def with_reciprocals(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient by exponentials with their reciprocals, which are not infinite with them.

    exp(u) is as large in the dividend as in the divisors, or less.
    """
    for atom in sorted({a for d, _ in x.divisors for a in d.atoms()}):
        if name_of(parts.steps.get(atom)) != "exp":
            continue
        degrees = [(max(d.parts(atom)), p) for d, p in x.divisors]
        degree, own = sum(q * p for q, p in degrees), max(x.top.parts(atom))
        if own > degree or degree > _POWER:
            continue
        try:
            flipped = _flip(parts, x, atom, degree)
        except TooLongError:
            continue
        yield parts.over(flipped, OVER)
        yield from with_decay(parts, flipped)


def _flip(parts: Parts, x: Quotient, atom: int, degree: int) -> Quotient:
    """Return a quotient with the reciprocal of an atom in place of it."""
    reciprocal = parts.reciprocal_of(atom)

    def flip(y: Polynomial, degree: int) -> Polynomial:
        terms = y.parts(atom).items()
        powers = [part * Polynomial.atom(reciprocal) ** (degree - p) for p, part in terms]
        return reduce(Polynomial.__add__, powers)

    divisors = [(flip(d, max(d.parts(atom))), p) for d, p in x.divisors]
    return Quotient.of(flip(x.top, degree), divisors, True)


def with_decay(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a sum of quotients times exponentials whose exponents have the same divisors."""
    if not 0 < len(x.top.terms) <= _TERMS:
        return
    exponentials = [e for a in sorted(x.top.atoms()) if (e := _exponential(parts, a)) is not None]
    if not exponentials:
        return
    try:
        terms = [
            (_decaying(parts, exponentials, m, c, x), Quotient.of(
                Polynomial({m: c}), x.divisors, False))
            for m, c in x.top.terms.items()
        ]  # fmt: skip
    except TooLongError:
        return
    if any(node is not None for node, _ in terms):
        yield add([parts.over(rest, OVER) if node is None else node for node, rest in terms])


def _decaying(
    parts: Parts, exponentials: list[_Exponential], m: Monomial, c: Fraction, x: Quotient
) -> Term | None:
    """Return a term over the divisors of x, with one of its exponentials; None if it has none."""
    for factor in exponentials:
        power, order = dict(m).get(factor.atom, 0), _order(factor, m, x)
        if not power or not 0 < order <= _POWER:
            continue
        others = tuple((a, p) for a, p in m if a != factor.atom)
        quotient = Quotient.of(Polynomial({others: c / power**order}), x.divisors, False)
        rest = quotient * _power(factor.share, -order)
        node = Node(POWER_EXP, (times(factor.exponent, Fraction(power)), order))
        if factor.logarithm is not None:
            node = Node(OVER_NONZERO, (node, power_of(factor.logarithm, order)))
        return mul(parts.over(rest, OVER), node)
    return None
