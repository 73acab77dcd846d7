"""The error of a result against a number of any kind and size, in ulps, by exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from halfcl._opencl.ulps import doubles

#: This, or its reciprocal, stands for numbers beyond a double's range.
_HUGE = Fraction(2) ** 1200
_BEYOND = Fraction(doubles.BEYOND)


class Real(Protocol):
    """A real number of any kind."""

    def __float__(self) -> float: ...

    def __gt__(self, other: int, /) -> bool: ...


def error(got: float, exact: Real) -> float:
    """Return the error of one result, as halfcl.ulp_error defines it."""
    number = _as_fraction(exact)
    if isinstance(number, float):
        return float(doubles.errors(np.array(got), np.array(number)))
    if math.isnan(got):
        return got
    if math.isfinite(got):
        counted = Fraction(got)
    else:
        counted = max(_BEYOND, number) if got > 0 else min(-_BEYOND, number)
    return _as_float((counted - number) / _unit(number)) + 0.0  # never -0


def _unit(number: Fraction) -> Fraction:
    """Return half's ulp at a number."""
    return Fraction(2) ** min(
        max(_exponent(abs(number)), doubles.LEAST_EXPONENT), doubles.GREATEST_EXPONENT
    )


def _exponent(size: Fraction) -> int:
    """Return the exponent of half's last bit at a number, as if its range were unbounded."""
    if size == 0:
        return doubles.LEAST_EXPONENT
    leading = size.numerator.bit_length() - size.denominator.bit_length()
    leading -= size < Fraction(2) ** leading
    return leading - doubles.MANTISSA_BITS + 1


def _as_fraction(x: Real) -> Fraction | float:
    """Return a number as a fraction; infinities and NaN as floats.

    Numbers beyond a double's range are replaced by a number with the same error.
    """
    try:
        near = _as_float(x)
        if math.isnan(near) or (math.isinf(near) and x == near):
            return near
        if near != 0 and not math.isinf(near):
            return _exactly(x)
    except (TypeError, ValueError, AttributeError) as error:
        raise TypeError(
            f"ulp_error: argument exact: expected real numbers, got {type(x).__name__}"
        ) from error
    if math.isinf(near):
        return _HUGE if near > 0 else -_HUGE
    return Fraction(0) if x == 0 else (1 if x > 0 else -1) / _HUGE


def _exactly(x: Any) -> Fraction:
    """Return a finite number as a fraction of Python integers.

    The ratios of gmpy2 hold its own integers, and NumPy's integers have no ratio.
    """
    has_ratio = hasattr(x, "as_integer_ratio")
    numerator, denominator = x.as_integer_ratio() if has_ratio else (x.numerator, x.denominator)
    return Fraction(int(numerator), int(denominator))


def _as_float(x: Real) -> float:
    """Convert to the nearest double; infinite beyond a double's range."""
    if isinstance(x, str | bytes | complex):
        raise TypeError(x)
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf
