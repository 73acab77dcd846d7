"""Periods of formulas: wide boxes that one period may replace.

If a variable occurs only within sines, cosines and tangents of arguments that are linear in it, the
formula is periodic in it. A box at least as wide as a period contains a representative of every
residue class modulo the period, and so does every other interval of that width. Hence the formula
has the same values on both, whatever the other variables are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.programs import Step
from halfcl.interval._formulas.double_functions import PI
from halfcl.interval._formulas.doubles import DoubleInterval, choose
from halfcl.interval._formulas.jets import Jet


class _Factor(NamedTuple):
    """A positive or negative number: a fraction times a power of pi."""

    number: Fraction
    power: int = 0  #: of pi

    def times(self, other: _Factor) -> _Factor:
        return _Factor(self.number * other.number, self.power + other.power)


class _Linear(NamedTuple):
    """A part that is a factor times the variable, plus terms without it."""

    factor: _Factor


class _Periodic(NamedTuple):
    """A part that has the period 2 pi divided by a factor, in the variable."""

    factor: _Factor


class _Unknown:
    """A part that depends on the variable in another way."""


_UNKNOWN = _Unknown()
#: What is known of a part; None for parts without the variable.
_Kind = _Linear | _Periodic | _Unknown | None

_ONE = Fraction(1)
#: In how many parts a period is divided, and how many of them are before zero. So no bound is at a
#: zero or an extremum of a wave, and halving leads to zero, where removable poles may be.
_PARTS, _BEFORE = 16, 7
#: The bits of such a part, so that its multiples are exact.
_BITS = 44
#: The functions with the period 2 pi, for arguments times a factor.
_WAVES: dict[str, _Factor] = {
    **dict.fromkeys(("sin", "cos", "sincos"), _Factor(_ONE)),
    **dict.fromkeys(("sinpi", "cospi"), _Factor(_ONE, 1)),
    "tan": _Factor(2 * _ONE),
    "tanpi": _Factor(2 * _ONE, 1),
}
_ANGLES: dict[str, _Factor] = {
    **dict.fromkeys(("radians", "deg2rad"), _Factor(Fraction(1, 180), 1)),
    **dict.fromkeys(("degrees", "rad2deg"), _Factor(Fraction(180), -1)),
}
_SIGNS = {"add": (1, 1), "sub": (1, -1), "subtract": (1, -1), "neg": (-1,), "negative": (-1,)}
_PRODUCTS, _QUOTIENTS = ("mul", "multiply"), ("div", "divide")
_UNCHANGED = ("positive", "conjugate")


def _exact(jet: Jet | None) -> Fraction | None:
    """Return the number that a constant is, if it is known exactly."""
    if jet is None:
        return None
    low, high = float(jet.value.lo.flat[0]), float(jet.value.hi.flat[0])
    return Fraction(low) if low == high and math.isfinite(low) else None


def _sum(terms: Sequence[_Kind], signs: Sequence[int]) -> _Kind:
    """Return the kind of a sum of linear parts and parts without the variable."""
    linear = [(x.factor, sign) for x, sign in zip(terms, signs, strict=True) if type(x) is _Linear]
    powers = {factor.power for factor, _ in linear}
    if len(powers) != 1:
        return _UNKNOWN
    total = sum((sign * factor.number for factor, sign in linear), Fraction(0))
    return _Linear(_Factor(total, powers.pop())) if total else None


def _together(kinds: Sequence[_Kind]) -> _Kind:
    """Return the kind of a function of parts, by the greatest common divisor of their factors."""
    factors = []
    for kind in kinds:
        if kind is None:
            continue
        if type(kind) is not _Periodic:
            return _UNKNOWN
        factors.append(kind.factor)
    if not factors:
        return None
    if len({factor.power for factor in factors}) > 1:
        return _UNKNOWN
    divisor = factors[0].number
    for factor in factors[1:]:
        a, b = divisor, factor.number
        divisor = Fraction(
            math.gcd(a.numerator * b.denominator, b.numerator * a.denominator),
            a.denominator * b.denominator,
        )
    return _Periodic(_Factor(divisor, factors[0].power))


def _kind_of(step: Step, kinds: Sequence[_Kind], numbers: Sequence[Fraction | None]) -> _Kind:
    """Return the kind of a step's result from its operands, of which some are exact numbers."""
    name = step.name
    if all(kind is None for kind in kinds):
        return None
    if not any(type(kind) is _Linear for kind in kinds):
        return _together(kinds)
    if any(type(kind) not in (_Linear, type(None)) for kind in kinds):
        return _UNKNOWN
    if name in _SIGNS or name == "total":
        return _sum(kinds, _SIGNS.get(name, (1,) * len(kinds)))
    first = kinds[0]
    if name in _UNCHANGED:
        return first
    if name in _ANGLES or name in _WAVES:
        assert isinstance(first, _Linear)
        factor = first.factor.times(_ANGLES.get(name) or _WAVES[name])
        return _Linear(factor) if name in _ANGLES else _Periodic(_absolute(factor))
    if name in _PRODUCTS or (name in _QUOTIENTS and type(first) is _Linear):
        linear, number = (first, numbers[1]) if type(first) is _Linear else (kinds[1], numbers[0])
        if number and isinstance(linear, _Linear):
            factor = _Factor(1 / number if name in _QUOTIENTS else number)
            return _Linear(linear.factor.times(factor))
    return _UNKNOWN


def _absolute(factor: _Factor) -> _Factor:
    return factor._replace(number=abs(factor.number))


def _kind(path: Path, variable: int) -> _Kind:
    """Return how the result and the comparisons of a path depend on a variable."""
    program = path.program
    kinds: dict[int, _Kind] = {variable: _Linear(_Factor(_ONE))}
    numbers = {slot: _exact(jet) for slot, jet in program.constants.items()}
    results = {program.roots[0], *(slot for c in path.constraints for slot in c.slots)}
    for step in program.steps_for(results):
        kinds[step.slot] = _kind_of(
            step,
            [kinds.get(slot) for slot in step.operands],
            [numbers.get(slot) for slot in step.operands],
        )
    return _together([kinds.get(slot) for slot in results])


def period(paths: Sequence[object], variable: int) -> float | None:
    """Return an upper bound of a period that all paths have in a variable.

    None if there is none, or if the paths do not depend on the variable.
    """
    kind = _together([_kind(p, variable) if isinstance(p, Path) else _UNKNOWN for p in paths])
    if type(kind) is not _Periodic or kind.factor.power not in (0, 1):
        return None
    # The period is 2 pi / factor: a fraction, or one times pi.
    fraction = 2 / kind.factor.number
    pi = Fraction(float(PI.hi)) if kind.factor.power == 0 else _ONE
    try:
        return math.nextafter(float(fraction * pi), math.inf)
    except OverflowError:
        return None


def _round_up(x: float) -> float:
    """Return a number of few bits that is x or more."""
    significand, exponent = math.frexp(x)
    return math.ldexp(math.ceil(math.ldexp(significand, _BITS)), exponent - _BITS)


def reduce_boxes(paths: Sequence[object], boxes: Sequence[DoubleInterval]) -> list[DoubleInterval]:
    """Return boxes on which a formula has the same values, with at most a period of a variable.

    paths: those of the formula, as `conditions.record` yields them.
    """
    reduced = list(boxes)
    if not any(
        isinstance(path, Path) and any(step.name in _WAVES for step in path.program.steps)
        for path in paths
    ):
        return reduced
    for i, box in enumerate(boxes):
        width = np.nextafter(box.hi - box.lo, -np.inf)
        if not (width > 0).any() or (length := period(paths, i)) is None:
            continue
        part = _round_up(length / _PARTS)
        low, high = -_BEFORE * part, (_PARTS - _BEFORE) * part
        reduced[i] = choose(width >= high - low, DoubleInterval(low, high), box)
    return reduced
