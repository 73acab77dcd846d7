"""Sums of products over their common divisors, which show the order of their poles.

x / s^2 + y / s is (x + y s) / s^2, and as a factor of s^3 it has no pole at all. Nothing is
expanded: factors are the parts of a formula, and of sums the dividend, as one part more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import numpy as np

from halfcl.interval._formulas._rewriting.algebra import all_of, has_expanded
from halfcl.interval._formulas._rewriting.parts import (
    Parts,
    Term,
    add,
    mul,
    name_of,
    power_of,
)
from halfcl.interval._formulas._rewriting.polynomials import Polynomial, Quotient, TooLongError
from halfcl.interval._formulas._rewriting.rules import OVER
from halfcl.interval._formulas._search.programs import Step
from halfcl.interval._formulas.jets import Node, constant

_ONE = Polynomial.number(1)
#: Products, and the exponents of their operands; those of powers are given.
_PRODUCTS = {
    "mul": (1, 1), "div": (1, -1), "neg": (1,), "recip": (-1,), "sqr": (2,), "pown": (),
}  # fmt: skip


class _Factors(NamedTuple):
    """The sign of a product, and the slots of its factors and of its divisors.

    has_sums: whether sums are among these as their dividends and divisors.
    """

    sign: int
    top: Counter[int]
    bottom: Counter[int]
    has_sums: bool


def _factors(parts: Parts, slot: int) -> _Factors:
    """Return the factors of a part."""
    sign, powers, rest, has_sums = 1, Counter[int](), [(slot, 1)], False
    while rest:
        slot, power = rest.pop()
        step = parts.steps.get(slot)
        name = name_of(step)
        if slot in parts.factored:
            rest += [(i, power * n) for i, n in parts.factored[slot].items()]
            has_sums = True
        elif step is None or name not in _PRODUCTS:
            powers[slot] += power
        else:
            own = _PRODUCTS[name] or [int(np.asarray(step.others[0]).flat[0])]
            sign = -sign if name == "neg" and power % 2 else sign
            rest += [(i, power * n) for i, n in zip(step.operands, own, strict=True)]
    return _Factors(sign, +powers, -powers, has_sums)


def over_common_divisors(parts: Parts, step: Step) -> Iterator[Term]:
    """Yield x y + x z as x (y + z), and x / s^2 + y / s as (x + y s) / s^2.

    The sum is a part of its own, so that products with it have these divisors.
    """
    one, two = (_factors(parts, slot) for slot in step.operands)
    poles = Counter(
        {slot: n for slot, n in (one.bottom | two.bottom).items() if parts.may_be_zero(slot)}
    )
    tops = [x.top + (poles - x.bottom) for x in (one, two)]
    bottoms = [x.bottom - poles for x in (one, two)]
    common, shared = (
        Counter({slot: n for slot, n in (x & y).items() if slot not in parts.program.constants})
        for x, y in (tops, bottoms)
    )
    if not (poles or common or shared):
        return
    signs = (one.sign, -two.sign if name_of(step) == "sub" else two.sign)
    terms = [
        _product(parts, top - common, bottom - shared)
        for top, bottom in zip(tops, bottoms, strict=True)
    ]
    nodes = [x if sign > 0 else Node("neg", (x,)) for x, sign in zip(terms, signs, strict=True)]
    powers = Counter({parts.new_atom(add(nodes), step.operands): 1})
    for more, sign in ((common, 1), (poles, -1), (shared, -1)):
        for slot, n in more.items():
            powers[slot] += sign * n
    parts.factored[step.slot] = powers
    if one.bottom & two.bottom or not has_expanded(parts, step.slot):
        yield _product(parts, +powers, -powers)


def with_factored_sums(parts: Parts, step: Step) -> Iterator[Term]:
    """Yield a product with the dividends and divisors of sums that are its factors."""
    sign, top, bottom, has_sums = _factors(parts, step.slot)
    if has_sums:
        node = _product(parts, top, bottom)
        yield node if sign > 0 else Node("neg", (node,))


def _product(parts: Parts, factors: Counter[int], divisors: Counter[int]) -> Term:
    """Return the node of a product of slots over others, of which some may cancel."""
    sides = [[power_of(parts.nodes[i], n) for i, n in x.items()] for x in (factors, divisors)]
    top, bottom = (reduce(mul, x) if x else None for x in sides)
    first: Term = constant(1) if top is None else top
    node = first if bottom is None else Node(OVER, (first, bottom))
    try:
        powers = [parts.quotient(i) for i, n in factors.items() for _ in range(n)]
        powers += [parts.quotient(i).reciprocal() for i, n in divisors.items() for _ in range(n)]
        quotient = parts.reduce(reduce(Quotient.__mul__, powers, Quotient(_ONE)))
    except TooLongError:
        return node
    return all_of([node, parts.over(quotient, OVER), *_without_squares_of_roots(parts, quotient)])


def _without_squares_of_roots(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield x s / S as x / s for a root s of S: sqrt(x) / x^2 is 1 / (x sqrt(x))."""
    for atom, _ in x.top.content():
        square, powers = parts.squares.get(atom), dict(x.divisors)
        if square is None or not square.top.terms:
            continue
        lead = square.top.lead()
        unit = square.top.times((), 1 / lead)
        if unit in powers:
            powers[unit] -= 1
            top = x.top.times(((atom, -1),), lead)
            rest = Quotient.of(top, [*powers.items(), (Polynomial.atom(atom), 1)], True)
            try:
                yield parts.over(rest * Quotient(_ONE, square.divisors), OVER)
            except TooLongError:
                continue
