"""Correct results: halfcl's result, and the exact number before rounding, as a double.

The number comes from float64 functions, and is clamped between halfcl's results rounded down and
up. So its own error, some 1e-13 ulp, never puts it on the wrong side of a half.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._tables import TABLE
from halfcl._tables.formulas import Arithmetic, compile_formula
from halfcl._tables.row import Builtin
from halfcl.audit._results.mistakes import Array
from halfcl.typing import RoundingMode

#: Functions that only NumPy has among halfcl's names.
_NUMPY_ONLY = ("reciprocal",)

#: The rows of audited functions, by name: halfcl's public functions, and these.
ROWS: dict[str, Builtin] = {row.name: row for row in TABLE if row.public or row.name in _NUMPY_ONLY}

Doubles: TypeAlias = NDArray[np.float64]

_T = TypeVar("_T")


def _vectorize(function: Callable[..., float]) -> Callable[..., Doubles]:
    """Vectorize a function of floats: NaN for a ValueError, infinity for an OverflowError."""

    def call(*numbers: float) -> float:
        try:
            return function(*numbers)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return np.vectorize(call, otypes=[np.float64])


def _sinpi(x: Doubles) -> Doubles:
    """Return sin(pi x); the angle is reduced to [-1/4, 1/4] exactly, for accuracy near zeros."""
    eighths = np.rint(2 * x)
    rest, quadrant = np.pi * (x - eighths / 2), eighths % 4
    sine = np.where(quadrant % 2 == 0, np.sin(rest), np.cos(rest))
    return np.where(quadrant >= 2, -sine, sine)


def _cospi(x: Doubles) -> Doubles:
    eighths = np.rint(2 * x)
    rest, quadrant = np.pi * (x - eighths / 2), eighths % 4
    cosine = np.where(quadrant % 2 == 0, np.cos(rest), np.sin(rest))
    return np.where((quadrant == 1) | (quadrant == 2), -cosine, cosine)


def _rootn(x: Doubles, n: Doubles) -> Doubles:
    size = np.power(np.abs(x), 1 / n)
    return np.copysign(size, np.where(n % 2 == 0, 1, x))


def _smoothstep(edge0: Doubles, edge1: Doubles, x: Doubles) -> Doubles:
    t = np.clip((x - edge0) / (edge1 - edge0), 0, 1)
    return t * t * (3 - 2 * t)


def _fract(x: Doubles) -> Doubles:
    return x - np.floor(x)


_lgamma = _vectorize(math.lgamma)
_CONSTANTS = {"M_PI": math.pi, "M_LN2": math.log(2), "M_LN10": math.log(10)}

#: Functions in float64 that the table has no formulas for, by halfcl's names; tuples for several
#: results.
_DOUBLES: dict[str, Callable[..., Doubles | tuple[Doubles | None, ...]]] = {
    **{name: getattr(np, name) for name in (
        "add subtract multiply divide reciprocal exp exp2 expm1 log log2 log10 log1p cbrt hypot "
        "pow sqrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh degrees radians"
    ).split()},
    "exp10": lambda x: np.power(10.0, x),
    "pown": np.power,
    "powr": np.power,
    "rootn": _rootn,
    "sincos": lambda x: (np.sin(x), np.cos(x)),
    "sinpi": _sinpi,
    "cospi": _cospi,
    "erf": _vectorize(math.erf),
    "erfc": _vectorize(math.erfc),
    "tgamma": _vectorize(math.gamma),
    "lgamma": _lgamma,
    "lgamma_r": lambda x: (_lgamma(x), None),
    "fdim": lambda x, y: np.where(x > y, x - y, 0.0),
    "fract": lambda x: (_fract(x), None),
    "ldexp": lambda x, k: np.ldexp(x, np.clip(k, -1000, 1000).astype(np.int32)),
    "smoothstep": _smoothstep,
    "cross": lambda a, b: _cross(a, b),
    "dot": lambda a, b: (a * b).sum(axis=-1),
    "distance": lambda a, b: np.sqrt(np.square(a - b).sum(axis=-1)),
    "length": lambda a: np.sqrt(np.square(a).sum(axis=-1)),
    "normalize": lambda a: _normalize(a),
    **{f"from_unorm{k}": lambda x, k=k: x / (2**k - 1) for k in (8, 16)},
    **{f"from_snorm{k}": lambda x, k=k: np.maximum(x / (2 ** (k - 1) - 1), -1) for k in (8, 16)},
}  # fmt: skip


def _cross(a: Doubles, b: Doubles) -> Doubles:
    product = np.zeros_like(a)
    product[..., :3] = np.cross(a[..., :3], b[..., :3])
    return product


def _normalize(a: Doubles) -> Doubles:
    """Return unit vectors; infinite components count as 1, others beside them as 0."""
    infinite = np.isinf(a)
    counted = np.where(infinite.any(axis=-1, keepdims=True), np.copysign(infinite, a), a)
    unit: Doubles = counted / np.sqrt(np.square(counted).sum(axis=-1, keepdims=True))
    return unit


#: The arithmetic of doubles, in which the table's formulas are evaluated.
ARITHMETIC: Arithmetic[Doubles] = Arithmetic(
    np.asarray,
    _DOUBLES,  # type: ignore[arg-type]  # functions of several results are in no formula
    {name: np.asarray(value) for name, value in _CONSTANTS.items()},
)

_FORMULAS: dict[str, Callable[..., Doubles]] = {
    row.name: compile_formula(row.formula, row.argument_names, ARITHMETIC)
    for row in TABLE
    if row.formula and row.name not in _DOUBLES
}

#: Functions in float64, by halfcl's names; tuples for several results. Functions that are not here
#: are exact. The site's plots of rounding errors use these, too.
DOUBLES: dict[str, Callable[..., Doubles | tuple[Doubles | None, ...]]] = _DOUBLES | _FORMULAS


def has_double(name: str) -> bool:
    """Return whether exact results come from float64; otherwise they are halves themselves."""
    return name in DOUBLES


def right(
    name: str, arguments: tuple[Array, ...], rounding: RoundingMode = "rte"
) -> tuple[Array, ...]:
    """Return halfcl's results, as a tuple."""
    with np.errstate(all="ignore"):
        if not ROWS[name].public:
            with hc.rounding(rounding):
                (ufunc,) = ROWS[name].numpy
                result = getattr(np, ufunc)(*(x.view(hc.half) for x in arguments))
                return (result.view(np.float16),)
        return as_tuple(getattr(hc, name)(*arguments, rounding=rounding))


def exact(
    name: str, arguments: tuple[Array, ...], results: tuple[Array, ...]
) -> tuple[Doubles | None, ...]:
    """Return the exact numbers of results that are halves, as doubles; None for other results."""
    if not has_double(name):
        return tuple(_as_double(result) for result in results)
    with np.errstate(all="ignore"):
        doubles: tuple[Doubles | None, ...] = as_tuple(
            DOUBLES[name](*(np.asarray(x, np.float64) for x in arguments))
        )
        below, above = right(name, arguments, "rtn"), right(name, arguments, "rtp")
        return tuple(
            _as_double(result) if double is None else _clamp(double, result, low, high)
            for double, result, low, high in zip(doubles, results, below, above, strict=True)
        )


def _clamp(double: Doubles, result: Array, low: Array, high: Array) -> Doubles:
    """Return a double, clamped strictly between halfcl's results rounded down and up.

    If these are equal, the result is exact. NaN results are returned themselves.
    """
    low, high = low.astype(np.float64), high.astype(np.float64)
    differ = low < high
    least = np.where(differ, np.nextafter(low, np.inf), low)
    greatest = np.where(differ, np.nextafter(high, -np.inf), high)
    bounded = np.minimum(np.maximum(double, least), greatest)
    unknown = np.isnan(double) | np.isnan(low)
    exact_numbers: Doubles = np.where(unknown, result.astype(np.float64), bounded)
    return exact_numbers


def _as_double(result: Array) -> Doubles | None:
    is_half = result.dtype.kind not in "biu"
    return result.astype(np.float64) if is_half else None


def as_tuple(value: _T | tuple[_T, ...]) -> tuple[_T, ...]:
    """Return several results as they are, and one as a tuple."""
    return value if isinstance(value, tuple) else (value,)
