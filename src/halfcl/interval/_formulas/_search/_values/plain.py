"""Programs at points, in plain doubles: fast, but without proof.

They show where values are that matter; intervals prove that a formula takes these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._formulas._rewriting._zeros.ratios import POWER_EXP, SHARES, share_of
from halfcl.interval._formulas._rewriting.rules import (
    AMPLITUDE,
    AND,
    BESIDE,
    EXP,
    FACTOR,
    LOG,
    MEET,
    OVER,
    OVER_NONZERO,
    ROOT,
)
from halfcl.interval._formulas._search.conditions import Path
from halfcl.interval._formulas._search.programs import Program, Step
from halfcl.interval._formulas.doubles import Doubles, point
from halfcl.interval._formulas.jets import RULES, Jet, levels
from halfcl.interval._protocols import SYNONYMS

#: The number of elements of an array that take as long as a call.
ARRAY = 1024
#: Numbers of this size and more are infinite as halves, whatever the tolerance.
_HUGE = 2.0**20
#: A function of arrays of doubles.
Plain: TypeAlias = Callable[..., Any]


def _power(x: Doubles, n: object) -> Doubles:
    return np.asarray(x ** float(np.asarray(n).flat[0]))


def _share(function: Plain) -> Plain:
    """Return a function divided by its operand; it is 1 at zero."""
    return lambda x: np.where(x == 0, 1.0, function(x) / x)


#: NumPy's functions, by the names of `jets.RULES`.
FUNCTIONS: dict[str, Plain] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "recip": np.reciprocal, "sqr": np.square, "sqrt": np.sqrt, "cbrt": np.cbrt, "abs": np.absolute,
    "positive": np.positive, "conjugate": np.positive, "pown": _power, "pow": np.float_power,
    "rsqrt": lambda x: 1 / np.sqrt(x), "min": np.minimum, "max": np.maximum,
    "clip": np.clip, "clamp": np.clip, "fma": lambda x, y, z: x * y + z, "hypot": np.hypot,
    "total": lambda *terms: sum(terms[1:], terms[0]), "fdim": lambda x, y: np.maximum(x - y, 0),
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "exp10": lambda x: np.float_power(10.0, x),
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "floor": np.floor,
    "ceil": np.ceil, "trunc": np.trunc, "sign": np.sign, "round_ties_to_even": np.rint,
    "degrees": np.degrees, "radians": np.radians,
    MEET: lambda x, y: x, OVER: np.divide, OVER_NONZERO: np.divide,
    FACTOR: np.divide,
    ROOT: lambda x, sign: np.copysign(np.sqrt(x), sign), AND: lambda x, y: x,
    LOG: np.log, EXP: np.exp, BESIDE: lambda c, x, y: c + x / y,
    AMPLITUDE: np.sqrt,
    POWER_EXP: lambda x, k: x**k * np.exp(x),
}  # fmt: skip
FUNCTIONS |= {share_of(name): _share(FUNCTIONS[name]) for name in SHARES}
FUNCTIONS |= {name: FUNCTIONS[o] for name, o in SYNONYMS.items() if o in FUNCTIONS}


def _by_intervals(step: Step) -> Plain:
    """Return an operation of doubles from that of intervals: the middle of its result."""
    rule: Callable[..., Any] = RULES[step.name]

    def function(*operands: Doubles) -> Any:
        shape = np.broadcast_shapes(*(np.shape(x) for x in operands))
        jets = [Jet(point(np.broadcast_to(x, shape)), levels(~np.isnan(x))) for x in operands]
        result = rule(*jets, *step.others)
        parts = result if isinstance(result, tuple) else (result,)
        middles = tuple(jet.value.lo / 2 + jet.value.hi / 2 for jet in parts)
        return middles if isinstance(result, tuple) else middles[0]

    return function


def operation(step: Step) -> Plain:
    """Return the operation of a step in plain doubles."""
    function = FUNCTIONS.get(step.name)
    if function is None:
        return _by_intervals(step)
    if not step.others:
        return function
    return lambda *operands: function(*operands, *step.others)


class PlainProgram:
    """A program in plain doubles, with the constraints of its path."""

    def __init__(self, path: Path) -> None:
        self.path, self.program = path, path.program
        #: the evaluations so far, of ARRAY points each
        self.evaluated = 0.0
        program: Program = path.program
        self._calls = [(step, operation(step)) for step in program.steps]
        self._size = 1 + max(
            [program.count - 1, *program.constants, *(step.slot for step in program.steps)]
        )
        self._constants = {
            slot: float(jet.value.lo.flat[0] / 2 + jet.value.hi.flat[0] / 2)
            for slot, jet in program.constants.items()
        }

    def calls_for(self, slots: set[int]) -> list[tuple[Step, Plain]]:
        """Return the operations that some slots depend on."""
        needed = {step.slot for step in self.program.steps_for(slots)}
        return [(step, call) for step, call in self._calls if step.slot in needed]

    def slots(self, at: Doubles, calls: Sequence[tuple[Step, Plain]] | None = None) -> list[Any]:
        """Return the values of all slots at points, or of those of some operations.

        at: the points, with a row per variable.
        """
        self.evaluated += 1 + at.shape[1] / ARRAY
        slots: list[Any] = [None] * self._size
        slots[: self.program.count] = at
        for slot, number in self._constants.items():
            slots[slot] = number
        for step, call in self._calls if calls is None else calls:
            result = call(*[slots[i] for i in step.operands])
            slots[step.slot] = result[step.part] if isinstance(result, tuple) else result
        return slots

    def values(self, slots: list[Any], falls: Truths) -> Doubles:
        """Return the results, negated where a problem is that of -f; infinite where undefined.

        Among those that are less than all halves, the greatest count as the least: they suffice,
        and their enclosures are the most likely to be finite.
        """
        value = np.where(falls, -1.0, 1.0) * slots[self.program.roots[0]]
        is_taken = np.isfinite(value)
        if (is_huge := value < -_HUGE).any():
            value = np.where(is_huge, -_HUGE * (1 - _HUGE / value), value)
        for constraint in self.path.constraints:
            x, y = (slots[slot] for slot in constraint.slots)
            is_taken &= _HOLDS[constraint.relation](x, y) == constraint.outcome
        return np.where(is_taken, value, np.inf)


_HOLDS: dict[str, Callable[[Any, Any], Truths]] = {
    "less": np.less, "less_equal": np.less_equal, "equal": np.equal,
}  # fmt: skip
