"""Products of a wave and the logarithm of a tangent, which may be infinite where the wave is zero.

cos v log|tan u| for v = 2 u + c is cos c W - 2 sin c Z, with W = (cos^2 u - sin^2 u) log|tan u| and
Z = sin u cos u log|tan u|. Z has limits everywhere, since t log|t| has, and W is not positive. So
cos(x) log(tan(x / 2 + pi / 4)) has an upper bound, also for the double next to pi / 4, for which
it has no lower one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from halfcl.interval._formulas._rewriting.parts import Parts, Term, add, mul, name_of, times
from halfcl.interval._formulas._rewriting.polynomials import Polynomial, Quotient
from halfcl.interval._formulas._rewriting.rules import MEET, OVER, TIMES_LOG
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import Jet, Node, constant, levels

_TWO, _NONE = Fraction(2), Polynomial({})

#: Pi, with an error below 2^-105.
_PI = Fraction(math.pi) + Fraction(1.2246467991473532e-16)
#: The relative error of cosines, and how many terms of the series are taken.
_ERROR, _TERMS = 2.0**-44, 14


class _Product(NamedTuple):
    """A wave, its name and c, and the slots of a logarithm of a tangent and of its operand u."""

    wave: int
    name: str
    shift: Fraction
    logarithm: int
    operand: int


def with_logarithms_of_tangents(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient with a term that is a wave times the logarithm of a tangent in other forms.

    All terms with the logarithm must have the wave.
    """
    for product in _products(parts, x.top):
        shares = x.top.parts(product.logarithm)
        factors = shares.get(1, _NONE).parts(product.wave)
        if set(shares) <= {0, 1} and set(factors) == {1}:
            terms: list[Term] = [mul(parts.sum(factors[1]), _node(parts, product))]
            terms += [parts.sum(shares[0])] if 0 in shares else []
            total = add(terms)
            bottom = parts.over(Quotient(x.bottom()), OVER)
            yield Node(OVER, (total, bottom)) if x.divisors else total


def _products(parts: Parts, x: Polynomial) -> Iterator[_Product]:
    """Yield the pairs of waves of 2 u + c and logarithms of tangents of u."""
    atoms = sorted(x.atoms())
    waves = [(a, name_of(parts.steps.get(a))) for a in atoms]
    for atom in atoms:
        step = parts.steps.get(atom)
        tangent = parts.steps.get(step.operands[0]) if step and name_of(step) == "log" else None
        if tangent is None or name_of(tangent) != "tan":
            continue
        (operand,) = tangent.operands
        twice = parts.quotient(operand) * Quotient(Polynomial.number(2))
        for wave, name in waves:
            if name in ("sin", "cos"):
                shift = parts.quotient(parts.steps[wave].operands[0]) + -twice
                if shift.top.is_number and not shift.divisors:
                    yield _Product(wave, name, shift.top.constant, atom, operand)


def _node(parts: Parts, x: _Product) -> Term:
    """Return the product of a wave and the logarithm of a tangent."""
    s, c = (Node(name, (parts.nodes[x.operand],)) for name in ("sin", "cos"))
    sizes = [Node("log", (Node("abs", (wave,)),)) for wave in (s, c)]
    difference = Node("sub", (Node("sqr", (c,)), Node("sqr", (s,))))
    w = mul(difference, Node("sub", (sizes[0], sizes[1])))
    w = Node(MEET, (w, Node("min", (w, constant(0)))))
    z = Node("sub", tuple(mul(a, Node(TIMES_LOG, (b,))) for a, b in ((c, s), (s, c))))
    if not x.shift:
        return mul(z, constant(2)) if x.name == "sin" else w
    of_cosine, of_sine = (cosine(x.shift - turn) for turn in (0, _PI / 2))
    if x.name == "cos":
        return Node("sub", (mul(of_cosine, w), times(mul(of_sine, z), _TWO)))
    return Node("add", (mul(of_sine, w), times(mul(of_cosine, z), _TWO)))


def cosine(x: Fraction) -> Jet:
    """Return the cosine of a number, with a small relative error, also where it is nearly zero."""
    quarter = _PI / 2
    turns = round(x / quarter)
    rest = x - turns * quarter
    first = 0 if turns % 2 == 0 else 1
    term = Fraction(1) if first == 0 else rest
    total = term
    for n in range(first + 2, first + 2 * _TERMS, 2):
        term = -term * rest * rest / (n * (n - 1))
        total += term
    value = float(total) * (1, -1, -1, 1)[turns % 4]
    error = max(abs(value) * _ERROR, 2.0**-90 * max(abs(turns), 1))
    return Jet(DoubleInterval(value - error, value + error), levels(np.True_))
