"""Decorations: what is known of a function on a box, by IEEE 1788-2015, clause 11.

``com``: the box is bounded, the function is defined on it, continuous at each of its points, and
the interval computed is bounded. ``dac``: it is defined on the box, and its restriction to the box
is continuous. ``def``: it is defined on the box. ``trv``: nothing is known. ``ill``: there is no
box, but Not an Interval. Of empty boxes nothing is known.

Of a step function [2, 2.5] is dac for floor: constant there, but at 2 it jumps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.interval import _elementary as elementary
from halfcl.interval._bounds import ONE, ZERO, Array, Bounds, Truths, is_empty

#: The standard's codes.
CODES = {"com": 16, "dac": 12, "def": 8, "trv": 4, "ill": 0}
COM, DAC, DEF, TRV, ILL = CODES.values()
#: The dtype of codes.
CODE = np.dtype(np.uint8)

#: Names by code, between which nothing is read.
_NAMES = np.zeros(COM + 1, "U3")
_NAMES[list(CODES.values())] = list(CODES)


def names_of(codes: Array) -> NDArray[np.str_] | str:
    """Codes as text; one as a str."""
    found = _NAMES[codes]
    return found if np.ndim(found) else str(found)


def codes_of(decoration: object) -> Array:
    """Decorations, text or the standard's codes, as codes."""
    given = np.asarray(decoration)
    known: list[str] | list[int]
    if given.dtype.kind in "UT":
        given = np.char.lower(given.astype(object).astype(str))
        known, codes = [*CODES], np.select([given == d for d in CODES], [*CODES.values()], 0)
    elif given.dtype.kind in "iu" or not given.size:
        known, codes = [*CODES.values()], given
    else:
        raise TypeError(f"decoration: expected text such as 'dac', got {_kind(decoration, given)}")
    if not (right := np.isin(given, known)).all():
        wrong = given[~right].ravel()[0]
        expected = ", ".join(f"{name!r} ({code})" for name, code in CODES.items())
        raise ValueError(f"decoration: expected one of {expected}, got {wrong.item()!r}")
    return np.asarray(codes, CODE)


def _kind(x: object, array: Array) -> str:
    return str(array.dtype) if array.dtype.kind != "O" else type(x).__name__


def is_bounded(x: Bounds) -> Array:
    """Where intervals are bounded, and not empty."""
    return np.asarray(np.isfinite(x[0]) & np.isfinite(x[1]))


def strongest(x: Bounds) -> Array:
    """The strongest decoration that an interval can have: newDec."""
    codes = np.where(is_bounded(x), COM, DAC)
    return np.where(is_empty(x), TRV, codes).astype(CODE)


# ---------------------------------------------------------------- rules

#: Of the result and the arguments, where something holds.
Predicate: TypeAlias = Callable[..., Truths | bool]


@dataclasses.dataclass(frozen=True)
class Rule:
    """Which boxes a function is defined on, and where it is not continuous there.

    ``undefined`` says which boxes have a point outside of the domain, ``touches`` which have one
    at which the function is not continuous, ``breaks`` of which the restriction is not. Of empty
    boxes they may say anything.
    """

    domain: str = "all numbers"
    undefined: Predicate | None = None
    breaks: Predicate | None = None
    touches: Predicate | None = None


def _has_zero(x: Bounds) -> Truths:
    return np.less_equal(x[0], ZERO) & np.greater_equal(x[1], ZERO)


def _floats(x: Bounds) -> tuple[Array, Array]:
    """Bounds as float32, also in strict regions."""
    return np.asarray(hc.convert_float(x[0])), np.asarray(hc.convert_float(x[1]))


def _inside(domain: str) -> Rule:
    """Of one argument, that is to be in an interval; infinity is never in one."""
    least, most = map(float, domain[1:-1].split(","))
    below = np.less_equal if domain[0] == "(" else np.less
    above = np.greater_equal if domain[-1] == ")" and most < np.inf else np.greater

    def undefined(found: Bounds, x: Bounds) -> NDArray[np.bool_]:
        low, high = _floats(x)
        return below(low, least) | above(high, most)

    return Rule(domain, undefined)


def _without_pole(domain: str) -> Rule:
    """Of functions whose range is bounded exactly where they have no pole inside."""
    return Rule(domain, lambda found, x: ~is_bounded(found))


def _no_power(found: Bounds, x: Bounds, n: Array) -> Truths:
    return (n < 0) & _has_zero(x)


def _no_root(found: Bounds, x: Bounds, n: Array) -> Truths:
    inverse = n < 0
    negative = np.less(x[0], ZERO) | (inverse & np.less_equal(x[0], ZERO))
    outside: Truths = (n == 0) | np.where(n & 1 == 0, negative, inverse & _has_zero(x))
    return outside


def _no_pow(found: Bounds, x: Bounds, y: Bounds) -> NDArray[np.bool_]:
    return np.less(x[0], ZERO) | (np.less_equal(x[0], ZERO) & np.less_equal(y[0], ZERO))


def _has_origin(found: Bounds, y: Bounds, x: Bounds) -> Truths:
    return _has_zero(y) & _has_zero(x)


def _touches_cut(found: Bounds, y: Bounds, x: Bounds) -> NDArray[np.bool_]:
    """The negative x axis, from below which angles are -pi, is in the box."""
    return np.less(x[0], ZERO) & _has_zero(y)


def _crosses_cut(found: Bounds, y: Bounds, x: Bounds) -> NDArray[np.bool_]:
    return _touches_cut(found, y, x) & np.less(y[0], ZERO)


def _no_compound(found: Bounds, x: Bounds, n: Array) -> NDArray[np.bool_]:
    return np.less(x[0], -ONE) | ((n < 0) & np.less_equal(x[0], -ONE))


def _on_edge(found: Bounds, edge: Bounds, x: Bounds) -> NDArray[np.bool_]:
    return np.less_equal(x[0], edge[1]) & np.less_equal(edge[0], x[1])


def _several(found: Bounds, *arguments: object) -> NDArray[np.bool_]:
    """The range is more than a number: a function that is constant but for jumps has one."""
    return np.not_equal(*found)


def _steps(jumps_at: Callable[[Array], Array], domain: str) -> Rule:
    """Of a function that is constant between its jumps, which only bounds can be then."""

    def touches(found: Bounds, x: Bounds) -> Truths:
        low, high = map(jumps_at, _floats(x))
        return low | high

    return Rule(f"all numbers; {domain}", None, _several, touches)


def _is_integer(x: Array) -> NDArray[np.bool_]:
    return np.equal(np.rint(x), x)


def _is_between_integers(x: Array) -> NDArray[np.bool_]:
    return _is_integer(x + x) & ~_is_integer(x)


_EVERYWHERE = (
    "neg", "add", "sub", "mul", "sqr", "fma", "abs", "min", "max", "hypot", "exp", "exp2", "exp10",
    "expm1", "exp2m1", "exp10m1", "degrees", "radians", "clamp", "fdim", "ldexp", "mix",
    "sin", "cos", "sinpi", "cospi", "atan", "atanpi", "sinh", "cosh", "tanh", "asinh",
    "cbrt", "erf", "erfc",
)  # fmt: skip

#: By public names. The others have trv at best: reverse operations, and those on sets (11.7).
RULES: dict[str, Rule] = {
    **dict.fromkeys(_EVERYWHERE, Rule()),
    **{name: _inside(domain) for name, domain in elementary.DOMAINS.items()},
    "sqrt": _inside("[0, inf)"),
    "log2p1": _inside("(-1, inf)"),
    "log10p1": _inside("(-1, inf)"),
    "div": Rule("y without 0", lambda found, x, y: _has_zero(y)),
    "recip": Rule("x without 0", lambda found, x: _has_zero(x)),
    "mul_rev_to_pair": Rule("y without 0", lambda found, y, z: _has_zero(y)),
    "tan": _without_pole("x without odd multiples of pi/2"),
    "tanpi": _without_pole("x without odd multiples of 1/2"),
    "pown": Rule("x without 0 if n < 0", _no_power),
    "rootn": Rule("n not 0; even n: x >= 0; n < 0: x without 0", _no_root),
    "pow": Rule("x > 0, or x = 0 and y > 0", _no_pow),
    "atan2": Rule("without (0, 0); jumps at x < 0, y = 0", _has_origin, _crosses_cut, _touches_cut),
    "atan2pi": Rule(
        "without (0, 0); jumps at x < 0, y = 0", _has_origin, _crosses_cut, _touches_cut
    ),
    "compoundn": Rule("[-1, inf); n < 0: without -1", _no_compound),
    "step": Rule("all numbers; jumps at x = edge", None, _several, _on_edge),
    "sign": _steps(lambda x: np.equal(x, 0), "jumps at 0"),
    "ceil": _steps(_is_integer, "jumps at integers"),
    "floor": _steps(_is_integer, "jumps at integers"),
    "trunc": _steps(lambda x: _is_integer(x) & np.not_equal(x, 0), "jumps at integers but 0"),
    "round_ties_to_even": _steps(_is_between_integers, "jumps half-way between integers"),
    "round_ties_to_away": _steps(_is_between_integers, "jumps half-way between integers"),
}


#: Of functions of which nothing is known: trv is always true.
_TRIVIAL = Rule("", lambda *arguments: True)


def local(name: str, found: Bounds, arguments: tuple[object, ...]) -> Array:
    """The strongest decoration that a function has on boxes, but for what their intervals and the
    result cannot have anyway: com of what is unbounded, more than trv of what is empty.

    found: the result; arguments: bounds, and integers.
    """
    codes = np.full(np.shape(found[0]), COM, CODE)
    rule = RULES.get(name, _TRIVIAL)
    for where, code in ((rule.touches, DAC), (rule.breaks, DEF), (rule.undefined, TRV)):
        if where is not None:
            np.copyto(codes, code, where=where(found, *arguments))
    return codes
