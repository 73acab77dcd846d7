"""Doubles of the table's rounded functions, which their plots of rounding errors are drawn against.

They are within some 2^-50, relatively: far below what a plot in ulps of half shows. Proofs are the
tests' affair, which go by MPFR.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]


def _each(f: Callable[[float], float]) -> Function:
    """A function of Python's floats on arrays; NaN where it raises."""

    def value(x: float) -> float:
        try:
            return f(x)
        except (ValueError, OverflowError):
            return math.nan

    return np.vectorize(value, otypes=[float])


def _turns(f: Function) -> Function:
    """A trigonometric function of pi x; what is left of x after whole turns is exact."""
    return lambda x: f(np.pi * np.fmod(x, 2))


def _smoothstep(low: Any, high: Any, x: Any) -> Any:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def _code(low: float, scale: float) -> Function:
    return lambda x: np.clip(x * scale, low, scale)


def _rootn(x: Any, n: Any) -> Any:
    root = np.copysign(np.abs(x) ** (1 / n), x)
    return np.where((x < 0) & (n % 2 == 0), np.nan, root)


DOUBLES: dict[str, Function] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: np.power(10.0, x), "expm1": np.expm1,
    "exp2m1": lambda x: np.expm1(x * math.log(2)),
    "exp10m1": lambda x: np.expm1(x * math.log(10)),
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "log2p1": lambda x: np.log1p(x) / math.log(2),
    "log10p1": lambda x: np.log1p(x) / math.log(10),
    "cbrt": np.cbrt, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "sinpi": _turns(np.sin), "cospi": _turns(np.cos), "tanpi": _turns(np.tan),
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinpi": lambda x: np.arcsin(x) / np.pi, "acospi": lambda x: np.arccos(x) / np.pi,
    "atanpi": lambda x: np.arctan(x) / np.pi,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "erf": _each(math.erf), "erfc": _each(math.erfc),
    "tgamma": _each(math.gamma), "lgamma": _each(math.lgamma), "lgamma_r": _each(math.lgamma),
    "compoundn": lambda x, n: np.power(np.where(x < -1, np.nan, 1 + x), n),
    "pown": np.power, "rootn": _rootn, "ldexp": lambda x, n: x * 2.0**n,
    "hypot": np.hypot, "pow": np.power,
    "powr": lambda x, y: np.power(np.where(x < 0, np.nan, x), y),
    "atan2": np.arctan2, "atan2pi": lambda y, x: np.arctan2(y, x) / np.pi,
    "fdim": lambda x, y: np.maximum(x - y, 0),
    "sincos": np.sin, "fract": lambda x: np.minimum(x - np.floor(x), 1 - 2.0**-11),
    "fma": lambda a, b, c: a * b + c, "mad": lambda a, b, c: a * b + c,
    "mix": lambda x, y, a: x + (y - x) * a, "smoothstep": _smoothstep,
    "degrees": np.degrees, "radians": np.radians,
    "from_unorm8": lambda c: c / 255, "from_unorm16": lambda c: c / 65535,
    "from_snorm8": lambda c: np.maximum(c / 127, -1),
    "from_snorm16": lambda c: np.maximum(c / 32767, -1),
    "to_unorm8": _code(0, 255), "to_unorm16": _code(0, 65535),
    "to_snorm8": _code(-128, 127), "to_snorm16": _code(-32768, 32767),
    "length": np.hypot,
    "distance": lambda x, y: np.hypot(x - 1, y - 0.5),
    "dot": lambda x, y: x + 0.5 * y,
    "normalize": lambda x, y: x / np.hypot(x, y),
    "cross": lambda x, y: x * 0.5 - y * 1.0,
}  # fmt: skip
