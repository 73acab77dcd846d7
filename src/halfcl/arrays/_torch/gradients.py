"""Derivatives of halfcl's functions, for PyTorch: of float64 tensors that hold halves.

A gradient is the derivative times the incoming gradient, summed where an operand was broadcast, in
float64, and rounded once to half. So it is correctly rounded unless float64's error decides the
rounding. For functions of one argument it never does: tests/arrays/test_torch.py tries all halves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module

from halfcl.arrays._libraries import Tensor

torch = import_module("torch")

#: The derivative with respect to one operand, as a function of all operands.
Derivative = Callable[..., Tensor]

_LN2, _LN10 = math.log(2), math.log(10)


def _sinpi(x: Tensor) -> Tensor:
    """Return sin(pi x), with exact zeros."""
    r = x - 2 * torch.round(x / 2)
    near = torch.where(r.abs() > 0.5, torch.copysign(1 - r.abs(), r), r)
    return torch.sin(math.pi * near)


def _cospi(x: Tensor) -> Tensor:
    """Return cos(pi x), with exact zeros."""
    r = (x - 2 * torch.round(x / 2)).abs()
    return torch.sin(math.pi * (0.5 - r))


#: Beyond this, exponentials are far from halves, yet far from zero in float64.
_FAR = 300.0


def _exp(x: Tensor, base: float = math.e) -> Tensor:
    """Return base^x, which is zero for minus infinity only."""
    near = (
        torch.exp(x.clamp(-_FAR, math.inf))
        if base == math.e
        else torch.pow(base, x.clamp(-_FAR, math.inf))
    )
    return torch.where(x == -math.inf, 0.0, near)


def _gauss(x: Tensor) -> Tensor:
    """Return 2 / sqrt(pi) exp(-x^2)."""
    return 2 / math.sqrt(math.pi) * _exp(-x * x)


def _sech2(x: Tensor) -> Tensor:
    """Return 1 / cosh(x)^2."""
    near = 1 / torch.cosh(x.clamp(-_FAR, _FAR)).square()
    return torch.where(x.abs() == math.inf, 0.0, near)


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


def _square_sum(x: Tensor, y: Tensor) -> Tensor:
    return x * x + y * y


#: Derivatives by function name, one per operand that has a derivative.
DERIVATIVES: dict[str, tuple[Derivative, ...]] = {
    # ---- operators
    "add": (_one, _one),
    "subtract": (_one, lambda x, y: -torch.ones_like(y)),
    "multiply": (lambda x, y: y, lambda x, y: x),
    "divide": (lambda x, y: 1 / y, lambda x, y: -x / (y * y)),
    "negative": (lambda x: -torch.ones_like(x),),
    "fma": (lambda x, y, z: y, lambda x, y, z: x, lambda x, y, z: torch.ones_like(z)),
    "mad": (lambda x, y, z: y, lambda x, y, z: x, lambda x, y, z: torch.ones_like(z)),
    # ---- exponentials, logarithms, powers
    "exp": (_exp,),
    "exp2": (lambda x: _exp(x, 2) * _LN2,),
    "exp10": (lambda x: _exp(x, 10) * _LN10,),
    "expm1": (_exp,),
    "exp2m1": (lambda x: _exp(x, 2) * _LN2,),
    "exp10m1": (lambda x: _exp(x, 10) * _LN10,),
    "log": (lambda x: torch.where(x < 0, math.nan, 1 / x),),
    "log2": (lambda x: torch.where(x < 0, math.nan, 1 / (x * _LN2)),),
    "log10": (lambda x: torch.where(x < 0, math.nan, 1 / (x * _LN10)),),
    "log1p": (lambda x: torch.where(x < -1, math.nan, 1 / (1 + x)),),
    "log2p1": (lambda x: torch.where(x < -1, math.nan, 1 / ((1 + x) * _LN2)),),
    "log10p1": (lambda x: torch.where(x < -1, math.nan, 1 / ((1 + x) * _LN10)),),
    "sqrt": (lambda x: 0.5 / torch.sqrt(x),),
    "rsqrt": (lambda x: -0.5 / (x * torch.sqrt(x)),),
    "cbrt": (lambda x: torch.pow(x.abs(), -2 / 3) / 3,),
    "pow": (_power, _power_by_exponent),
    "powr": (_power, _power_by_exponent),
    "pown": (_power,),
    "rootn": (_root_of_integer_degree,),
    "ldexp": (lambda x, k: _exp(k.clamp(-_FAR, _FAR), 2),),
    "hypot": (
        lambda x, y: x / torch.sqrt(_square_sum(x, y)),
        lambda x, y: y / torch.sqrt(_square_sum(x, y)),
    ),
    # ---- trigonometry
    "sin": (torch.cos,),
    "cos": (lambda x: -torch.sin(x),),
    "tan": (lambda x: 1 / torch.cos(x).square(),),
    "sinpi": (lambda x: math.pi * _cospi(x),),
    "cospi": (lambda x: -math.pi * _sinpi(x),),
    "tanpi": (lambda x: math.pi / _cospi(x).square(),),
    "asin": (lambda x: 1 / torch.sqrt((1 - x) * (1 + x)),),
    "acos": (lambda x: -1 / torch.sqrt((1 - x) * (1 + x)),),
    "atan": (lambda x: 1 / (1 + x * x),),
    "asinpi": (lambda x: 1 / (math.pi * torch.sqrt((1 - x) * (1 + x))),),
    "acospi": (lambda x: -1 / (math.pi * torch.sqrt((1 - x) * (1 + x))),),
    "atanpi": (lambda x: 1 / (math.pi * (1 + x * x)),),
    "atan2": (lambda y, x: x / _square_sum(x, y), lambda y, x: -y / _square_sum(x, y)),
    "atan2pi": (
        lambda y, x: x / (math.pi * _square_sum(x, y)),
        lambda y, x: -y / (math.pi * _square_sum(x, y)),
    ),
    # ---- hyperbolic functions
    "sinh": (torch.cosh,),
    "cosh": (torch.sinh,),
    "tanh": (_sech2,),
    "asinh": (lambda x: 1 / torch.sqrt(1 + x * x),),
    "acosh": (lambda x: torch.where(x < 1, math.nan, 1 / torch.sqrt((x - 1) * (x + 1))),),
    "atanh": (lambda x: torch.where(x.abs() > 1, math.nan, 1 / ((1 - x) * (1 + x))),),
    # ---- error and gamma functions
    "erf": (_gauss,),
    "erfc": (lambda x: -_gauss(x),),
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
    # ---- common functions
    "degrees": (lambda x: torch.full_like(x, 180 / math.pi),),
    "radians": (lambda x: torch.full_like(x, math.pi / 180),),
    "mix": (lambda x, y, a: 1 - a, lambda x, y, a: a, lambda x, y, a: y - x),
    "logaddexp": (lambda x, y: _sigmoid(x - y), lambda x, y: _sigmoid(y - x)),
    # ---- conversions
    "convert_half": (_one,),
    "convert_float": (_one,),
}
