"""Derivatives of halfcl's functions, for PyTorch: of float64 tensors that hold halves.

Those of smooth functions are the table's formulas; here is the arithmetic that these are evaluated
in, and the conventions for functions that are not smooth.

A gradient is the derivative times the incoming gradient, summed where an operand was broadcast, in
float64, and rounded once to half. So it is correctly rounded unless float64's error decides the
rounding. For functions of one argument it never does: tests/arrays/test_torch.py tries all halves.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from importlib import import_module

from halfcl._tables import TABLE, Builtin
from halfcl._tables.formulas import Arithmetic, compile_formula
from halfcl._tables.row import ALL_NUMBERS
from halfcl.arrays._libraries import Tensor

torch = import_module("torch")

#: The derivative with respect to one operand, as a function of all operands.
Derivative = Callable[..., Tensor]


def _sinpi(x: Tensor) -> Tensor:
    """Return sin(pi x), with exact zeros."""
    r = x - 2 * torch.round(x / 2)
    near = torch.where(r.abs() > 0.5, torch.copysign(1 - r.abs(), r), r)
    return torch.sin(math.pi * near)


def _cospi(x: Tensor) -> Tensor:
    """Return cos(pi x), with exact zeros."""
    r = (x - 2 * torch.round(x / 2)).abs()
    return torch.sin(math.pi * (0.5 - r))


#: Beyond this, exponentials are far from halves, yet far from zero and infinity in float64.
_FAR = 300.0


def _exp(x: Tensor, base: float = math.e) -> Tensor:
    """Return base^x, which is zero or infinite for infinities only."""
    near = x.clamp(-_FAR, _FAR)
    power = torch.exp(near) if base == math.e else torch.pow(base, near)
    return torch.where(torch.isinf(x), torch.exp(x), power)


def _sinh(x: Tensor) -> Tensor:
    """Return sinh(x), which is infinite for infinities only."""
    return torch.where(torch.isinf(x), x, torch.sinh(x.clamp(-_FAR, _FAR)))


def _cosh(x: Tensor) -> Tensor:
    """Return cosh(x), which is infinite for infinities only."""
    return torch.where(torch.isinf(x), x.abs(), torch.cosh(x.clamp(-_FAR, _FAR)))


def _cbrt(x: Tensor) -> Tensor:
    return torch.copysign(torch.pow(x.abs(), 1 / 3), x)


def _tanpi(x: Tensor) -> Tensor:
    return _sinpi(x) / _cospi(x)


def _sigmoid(x: Tensor) -> Tensor:
    return torch.where(x == -math.inf, 0.0, torch.sigmoid(x.clamp(-_FAR, math.inf)))


def _zero(x: Tensor, *_: Tensor) -> Tensor:
    """Return zeros: the derivative of a function that is constant in pieces."""
    return torch.zeros_like(x)


def _one(x: Tensor, *_: Tensor) -> Tensor:
    return torch.ones_like(x)


def _greater(x: Tensor, y: Tensor) -> Tensor:
    """Return 1 where x > y or y is NaN, 1/2 where both are equal, else 0."""
    return torch.where(x == y, 0.5, ((x > y) | torch.isnan(y)).double())


def _without_underflow(power: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Return a power, with zeros due to float64's underflow replaced by a tiny number."""
    is_tiny = (power == 0) & (x != 0) & x.isfinite() & y.isfinite()
    return torch.where(is_tiny, torch.copysign(_one(power) * 1e-300, power), power)


def _power(x: Tensor, y: Tensor) -> Tensor:
    return torch.where(y == 0, 0.0, y * _without_underflow(torch.pow(x, y - 1), x, y))


def _power_by_exponent(x: Tensor, y: Tensor) -> Tensor:
    power = _without_underflow(torch.pow(x, y), x, y)
    slope: Tensor = torch.where((x == 0) & (y >= 0), 0.0, power * torch.log(x))
    return slope


def _root_of_integer_degree(x: Tensor, n: Tensor) -> Tensor:
    """Return the derivative of x^(1/n), which negative numbers have for odd n."""
    slope = torch.pow(x.abs(), 1 / n - 1) / n
    return torch.where((n == 0) | ((x < 0) & (torch.fmod(n, 2) == 0)), math.nan, slope)


#: The arithmetic of float64 tensors; constants are floats.
_TENSORS: Arithmetic[Tensor | float] = Arithmetic(
    float,
    {
        "add": operator.add,
        "subtract": operator.sub,
        "multiply": operator.mul,
        "divide": operator.truediv,
        "negative": operator.neg,
        "pown": operator.pow,
        "sqrt": torch.sqrt,
        "cbrt": _cbrt,
        "exp": _exp,
        "exp2": lambda x: _exp(x, 2),
        "exp10": lambda x: _exp(x, 10),
        "sin": torch.sin,
        "cos": torch.cos,
        "tan": torch.tan,
        "sinpi": _sinpi,
        "cospi": _cospi,
        "tanpi": _tanpi,
        "sinh": _sinh,
        "cosh": _cosh,
    },
    {
        "M_PI": math.pi,
        "M_LN2": math.log(2),
        "M_LN10": math.log(10),
        "M_2_SQRTPI": 2 / math.sqrt(math.pi),
    },
)


def _derivative(row: Builtin, formula: str) -> Derivative:
    """Return a derivative as a function of all operands; outside the domain it is NaN."""
    evaluate = compile_formula(formula, row.argument_names, _TENSORS)
    low, high = row.domain.low, row.domain.high

    def derivative(*operands: Tensor) -> Tensor:
        x = operands[0]
        value = torch.as_tensor(evaluate(*operands), dtype=x.dtype, device=x.device)
        if row.domain != ALL_NUMBERS:
            value = torch.where((x < low) | (x > high), math.nan, value)
        return value.expand(torch.broadcast_shapes(*(y.shape for y in operands)))

    return derivative


#: Derivatives that are not the table's: where its formula cancels (tanh), functions that are not
#: smooth everywhere, powers with the limits where the formula is zero times infinity, conversions.
_OTHERS: dict[str, tuple[Derivative, ...]] = {
    "tanh": (lambda x: 1 / _cosh(x).square(),),
    "pow": (_power, _power_by_exponent),
    "powr": (_power, _power_by_exponent),
    "pown": (_power,),
    "rootn": (_root_of_integer_degree,),
    "ldexp": (lambda x, k: _exp(k.clamp(-_FAR, _FAR), 2),),
    # ---- extrema, signs, parts
    "fabs": (torch.sign,),
    "fmax": (_greater, lambda x, y: _greater(y, x)),
    "fmin": (lambda x, y: _greater(-x, -y), lambda x, y: _greater(-y, -x)),
    "max": (_greater, lambda x, y: _greater(y, x)),
    "min": (lambda x, y: _greater(-x, -y), lambda x, y: _greater(-y, -x)),
    "fdim": (lambda x, y: (x > y).double(), lambda x, y: -(x > y).double()),
    "clamp": (
        lambda x, low, high: ((x >= low) & (x <= high)).double(),
        lambda x, low, high: (x < low).double(),
        lambda x, low, high: (x > high).double(),
    ),
    "copysign": (lambda x, y: torch.copysign(_one(x), x) * torch.copysign(_one(y), y), _zero),
    "fmod": (_one, lambda x, y: -torch.trunc(x / y)),
    "remainder": (_one, lambda x, y: -torch.round(x / y)),
    **dict.fromkeys(("rint", "round", "trunc", "ceil", "floor", "sign"), (_zero,)),
    "step": (_zero, _zero),
    "logaddexp": (lambda x, y: _sigmoid(x - y), lambda x, y: _sigmoid(y - x)),
    # ---- conversions
    "convert_half": (_one,),
    "convert_float": (_one,),
}

#: Derivatives by function name, one per operand that has a derivative.
DERIVATIVES: dict[str, tuple[Derivative, ...]] = _OTHERS | {
    row.name: tuple(_derivative(row, formula) for formula in row.derivatives)
    for row in TABLE
    if row.derivatives and row.name not in _OTHERS
}
