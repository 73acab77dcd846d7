"""Quotients whose zeros cancel in terms of waves of half the number.

sin v is 2 s c and cos v is 1 - 2 s^2 or 2 c^2 - 1, for the sine s and the cosine c of v / 2. So
(1 - cos v) / sin v is s / c, which has a value at all even multiples of pi, though these are no
doubles, and sin(v) / cos(v / 2) is 2 s. Tangents are sines over cosines, and 1 - cos^2 is sin^2,
too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

from halfcl.interval._formulas._rewriting.parts import Parts, Term, name_of
from halfcl.interval._formulas._rewriting.polynomials import Polynomial, Quotient, TooLongError
from halfcl.interval._formulas._rewriting.rules import OVER

_ONE, _TWO = Polynomial.number(1), Fraction(2)


def without_double_angles(parts: Parts, x: Quotient) -> Iterator[Term]:
    """Yield a quotient in which factors of a divisor cancel, by waves of half the number."""
    if not x.divisors:
        return
    for quotient in parts.with_tangents_split(x, unbounded=False):
        if quotient is not x:
            yield parts.over(quotient, OVER)
        for top in parts.other_squares(quotient.top):
            form = Quotient.of(top, quotient.divisors, False)
            if form.cancels:
                yield parts.over(form, OVER)
        for slot, waves in _waves_of(parts, quotient).items():
            for is_sine in (True, False) if "cos" in waves else (True,):
                try:
                    form = _with_halves(parts, quotient, slot, waves, is_sine)
                except TooLongError:
                    continue
                if form.cancels:
                    yield parts.over(form, OVER)


def _waves_of(parts: Parts, x: Quotient) -> dict[int, dict[str, int]]:
    """Return the slots of sines and cosines by those of their operands, if waves may cancel.

    That is so for two of the same number, or for one of a number and one of half of it.
    """
    waves: dict[int, dict[str, int]] = {}
    for atom in sorted(x.top.atoms().union(*(d.atoms() for d, _ in x.divisors))):
        step = parts.steps.get(atom)
        if step is not None and (name := name_of(step)) in ("sin", "cos"):
            waves.setdefault(step.operands[0], {})[name] = atom
    return {
        slot: own
        for slot, own in waves.items()
        if len(own) > 1 or any(_is_half(parts, other, slot) for other in waves)
    }


def _is_half(parts: Parts, slot: int, other: int) -> bool:
    """Return whether a part is half of another one."""
    x, y = (parts.quotient(i) for i in (slot, other))
    return x.divisors == y.divisors and x.top.times((), _TWO) == y.top


def _with_halves(
    parts: Parts, x: Quotient, slot: int, waves: dict[str, int], is_sine: bool
) -> Quotient:
    """Return a quotient with waves of half a number; is_sine: whether cosines are by sines."""
    half = parts.half_of(slot)
    s, c = (Polynomial.atom(parts.wave(name, half)) for name in ("sin", "cos"))
    square = (s * s).times((), _TWO) if is_sine else (c * c).times((), _TWO)
    values = {"sin": (s * c).times((), _TWO), "cos": _ONE + -square if is_sine else square + -_ONE}
    form = dataclasses.replace(x, cancels=False)
    for name, atom in waves.items():
        form = form.with_ratio(atom, values[name], _ONE)
    return form
