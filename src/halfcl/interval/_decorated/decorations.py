"""Decorations: what is known of a function on a box, by IEEE 1788-2015, clause 11.

``com``: the box is bounded, the function is defined on it, continuous at each of its points, and
the interval computed is bounded. ``dac``: it is defined on the box, and its restriction to the box
is continuous. ``def``: it is defined on the box. ``trv``: nothing is known. ``ill``: there is no
box, but Not an Interval. Nothing is known of empty boxes.

For floor, [2, 2.5] is dac: the function is constant there, but jumps at 2.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._tables import TABLE, Builtin
from halfcl._tables.row import ALL_NUMBERS, Domain
from halfcl.interval._bounds.pairs import ONE, ZERO, Array, Bounds, Truths, is_empty

#: The standard's codes.
CODES = {"com": 16, "dac": 12, "def": 8, "trv": 4, "ill": 0}
COM, DAC, DEF, TRV, ILL = CODES.values()
#: The dtype of codes.
CODE = np.dtype(np.uint8)

#: Names by code; other entries are unused.
_NAMES = np.zeros(COM + 1, "U3")
_NAMES[list(CODES.values())] = list(CODES)


def names_of(codes: Array) -> NDArray[np.str_] | str:
    """Return the names of codes; a str for a single one."""
    names = _NAMES[codes]
    return names if np.ndim(names) else str(names)


def codes_of(decoration: object) -> Array:
    """Return decorations, text or the standard's codes, as codes."""
    array = np.asarray(decoration)
    known: list[str] | list[int]
    if array.dtype.kind in "UT":
        array = np.char.lower(array.astype(object).astype(str))
        known, codes = [*CODES], np.select([array == d for d in CODES], [*CODES.values()], 0)
    elif array.dtype.kind in "iu" or not array.size:
        known, codes = [*CODES.values()], array
    else:
        raise TypeError(f"decoration: expected text such as 'dac', got {_kind(decoration, array)}")
    if not (is_known := np.isin(array, known)).all():
        wrong = array[~is_known].ravel()[0]
        expected = ", ".join(f"{name!r} ({code})" for name, code in CODES.items())
        raise ValueError(f"decoration: expected one of {expected}, got {wrong.item()!r}")
    return np.asarray(codes, CODE)


def _kind(x: object, array: Array) -> str:
    return str(array.dtype) if array.dtype.kind != "O" else type(x).__name__


def is_bounded(x: Bounds) -> Array:
    """Return where intervals are bounded and not empty."""
    return np.asarray(np.isfinite(x[0]) & np.isfinite(x[1]))


def strongest(x: Bounds) -> Array:
    """Return the strongest decoration that an interval can have (newDec)."""
    codes = np.where(is_bounded(x), COM, DAC)
    return np.where(is_empty(x), TRV, codes).astype(CODE)


# ---------------------------------------------------------------- rules

#: A predicate of the result and the arguments.
Predicate: TypeAlias = Callable[..., Truths | bool]


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule: which boxes a function is defined on, and where it is not continuous there.

    ``undefined`` tests which boxes have a point outside the domain, ``touches`` which have a point
    at which the function is not continuous, ``breaks`` on which the restriction to the box is not
    continuous. For empty boxes the results are ignored.
    """

    domain: str = "all numbers"
    undefined: Predicate | None = None
    breaks: Predicate | None = None
    touches: Predicate | None = None


def _has_zero(x: Bounds) -> Truths:
    return np.less_equal(x[0], ZERO) & np.greater_equal(x[1], ZERO)


def _floats(x: Bounds) -> tuple[Array, Array]:
    """Return bounds as float32, also in strict regions."""
    return np.asarray(hc.convert_float(x[0])), np.asarray(hc.convert_float(x[1]))


def _domain_rule(domain: Domain) -> Rule:
    """Return the rule of one argument whose domain is an interval; infinity is never inside."""
    below = np.less if domain.is_closed else np.less_equal
    above = np.greater_equal if not domain.is_closed and domain.high < np.inf else np.greater

    def is_undefined(result: Bounds, x: Bounds) -> NDArray[np.bool_]:
        low, high = _floats(x)
        return below(low, domain.low) | above(high, domain.high)

    return Rule(str(domain), is_undefined)


def _pole_rule(poles: str) -> Rule:
    """Return the rule of a function whose range is bounded exactly if no pole is inside."""
    return Rule(f"x without {poles}", lambda result, x: ~is_bounded(result))


def _is_pown_undefined(result: Bounds, x: Bounds, n: Array) -> Truths:
    return (n < 0) & _has_zero(x)


def _is_rootn_undefined(result: Bounds, x: Bounds, n: Array) -> Truths:
    inverse = n < 0
    negative = np.less(x[0], ZERO) | (inverse & np.less_equal(x[0], ZERO))
    outside: Truths = (n == 0) | np.where(n & 1 == 0, negative, inverse & _has_zero(x))
    return outside


def _is_pow_undefined(result: Bounds, x: Bounds, y: Bounds) -> NDArray[np.bool_]:
    return np.less(x[0], ZERO) | (np.less_equal(x[0], ZERO) & np.less_equal(y[0], ZERO))


def _has_origin(result: Bounds, y: Bounds, x: Bounds) -> Truths:
    return _has_zero(y) & _has_zero(x)


def _touches_cut(result: Bounds, y: Bounds, x: Bounds) -> NDArray[np.bool_]:
    """Return where the box touches the negative x axis, below which angles are near -pi."""
    return np.less(x[0], ZERO) & _has_zero(y)


def _crosses_cut(result: Bounds, y: Bounds, x: Bounds) -> NDArray[np.bool_]:
    return _touches_cut(result, y, x) & np.less(y[0], ZERO)


def _is_compoundn_undefined(result: Bounds, x: Bounds, n: Array) -> NDArray[np.bool_]:
    return np.less(x[0], -ONE) | ((n < 0) & np.less_equal(x[0], -ONE))


def _touches_edge(result: Bounds, edge: Bounds, x: Bounds) -> NDArray[np.bool_]:
    return np.less_equal(x[0], edge[1]) & np.less_equal(edge[0], x[1])


def _has_several_values(result: Bounds, *arguments: object) -> NDArray[np.bool_]:
    """Return where the range has several numbers; a step function jumps inside the box then."""
    return np.not_equal(*result)


def _step_rule(jumps_at: Callable[[Array], Array], domain: str) -> Rule:
    """Return the rule of a step function; if it is constant on a box, only bounds can be jumps."""

    def touches(result: Bounds, x: Bounds) -> Truths:
        low, high = map(jumps_at, _floats(x))
        return low | high

    return Rule(f"all numbers; {domain}", None, _has_several_values, touches)


def _is_integer(x: Array) -> NDArray[np.bool_]:
    return np.equal(np.rint(x), x)


def _is_between_integers(x: Array) -> NDArray[np.bool_]:
    return _is_integer(x + x) & ~_is_integer(x)


def _table_rule(row: Builtin) -> Rule:
    """Return the rule of a function of one argument, from its domain or poles."""
    if row.poles:
        return _pole_rule(row.poles)
    return Rule() if row.domain == ALL_NUMBERS else _domain_rule(row.domain)


#: Functions that are defined and continuous everywhere: operators, by the standard's names, and
#: functions of several arguments.
_EVERYWHERE = (
    "neg", "add", "sub", "mul", "sqr", "fma", "abs", "min", "max", "hypot", "clamp", "fdim",
    "ldexp", "mix",
)  # fmt: skip

#: Rules by public names. Other functions have trv at best: reverse and set operations (11.7).
RULES: dict[str, Rule] = {
    **dict.fromkeys(_EVERYWHERE, Rule()),
    **{row.name: _table_rule(row) for row in TABLE if row.is_smooth and row.section != "Operators"},
    "div": Rule("y without 0", lambda result, x, y: _has_zero(y)),
    "recip": Rule("x without 0", lambda result, x: _has_zero(x)),
    "mul_rev_to_pair": Rule("y without 0", lambda result, y, z: _has_zero(y)),
    "pown": Rule("x without 0 if n < 0", _is_pown_undefined),
    "rootn": Rule("n not 0; even n: x >= 0; n < 0: x without 0", _is_rootn_undefined),
    "pow": Rule("x > 0, or x = 0 and y > 0", _is_pow_undefined),
    "atan2": Rule("without (0, 0); jumps at x < 0, y = 0", _has_origin, _crosses_cut, _touches_cut),
    "atan2pi": Rule(
        "without (0, 0); jumps at x < 0, y = 0", _has_origin, _crosses_cut, _touches_cut
    ),
    "compoundn": Rule("[-1, inf); n < 0: without -1", _is_compoundn_undefined),
    "step": Rule("all numbers; jumps at x = edge", None, _has_several_values, _touches_edge),
    "sign": _step_rule(lambda x: np.equal(x, 0), "jumps at 0"),
    "ceil": _step_rule(_is_integer, "jumps at integers"),
    "floor": _step_rule(_is_integer, "jumps at integers"),
    "trunc": _step_rule(lambda x: _is_integer(x) & np.not_equal(x, 0), "jumps at integers but 0"),
    "round_ties_to_even": _step_rule(_is_between_integers, "jumps half-way between integers"),
    "round_ties_to_away": _step_rule(_is_between_integers, "jumps half-way between integers"),
}


#: The rule of functions of which nothing is known: trv is always true.
_TRIVIAL = Rule("", lambda *arguments: True)


def local_decoration(name: str, result: Bounds, arguments: tuple[object, ...]) -> Array:
    """Return the strongest decoration that a function has on boxes.

    Limits that follow from the intervals and the result are left to others: an unbounded interval
    cannot be com, an empty one has trv at most.

    result: the bounds of the result; arguments: bounds and integers.
    """
    codes = np.full(np.shape(result[0]), COM, CODE)
    rule = RULES.get(name, _TRIVIAL)
    for where, code in ((rule.touches, DAC), (rule.breaks, DEF), (rule.undefined, TRV)):
        if where is not None:
            np.copyto(codes, code, where=where(result, *arguments))
    return codes
