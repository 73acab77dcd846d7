"""Exact conversion, rounded once, of numbers of any size that no kernel reads."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._tables.types import FLOATING, SCALAR_TYPES
from halfcl.typing import RoundingMode

# The engine's exception flags.
INVALID, OVERFLOW, UNDERFLOW = 1, 4, 8


def ratio(x: object) -> tuple[int, int]:
    """Return a finite number as numerator and denominator.

    Raise ValueError if it is not finite.

    Raise TypeError if it is not a real number.
    """
    if isinstance(x, int | np.integer | np.bool):
        return int(x), 1
    if isinstance(x, complex | np.complexfloating):
        raise TypeError("no real number")
    for as_ratio in (getattr(x, "as_integer_ratio", None), getattr(x, "__index__", None)):
        if as_ratio is not None:
            try:
                result = as_ratio()
            except OverflowError:  # infinity; NaN is a ValueError
                raise ValueError("not finite") from None
            n, d = result if isinstance(result, tuple) else (result, 1)
            return int(n), int(d)
    if hasattr(x, "numerator") and hasattr(x, "denominator"):
        return int(x.numerator), int(x.denominator)
    if hasattr(x, "__float__"):
        return ratio(float(x))
    raise TypeError("no real number")


def _round(n: int, d: int, mode: str) -> int:
    """Round n / d, with positive d, to an integer in a mode."""
    whole, rest = divmod(n, d)
    if mode == "rte":
        return whole + (2 * rest > d or (2 * rest == d and whole % 2 == 1))
    up = mode == "rtp" or (mode == "rtz" and n < 0)
    return whole + (up and rest > 0)


def _to_integer(n: int, d: int, dtype: np.dtype[Any], mode: str, saturate: bool) -> tuple[int, int]:
    """Return n / d as an integer type, and the flags."""
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    whole = _round(n, d, mode)
    if low <= whole <= high:
        return whole, 0
    if saturate:
        return min(max(whole, low), high), 0
    return (whole - low) % (high - low + 1) + low, INVALID


def _special_to_integer(x: float, dtype: np.dtype[Any], saturate: bool) -> tuple[int, int]:
    """Return infinity or NaN as an integer type, and the flags."""
    info = np.iinfo(dtype)
    if saturate:
        return 0 if math.isnan(x) else int(info.max if x > 0 else info.min), 0
    top_bit = 1 << (info.bits - 1)
    return 0 if info.bits < 32 else -top_bit if info.min < 0 else top_bit, INVALID


def _to_floating(n: int, d: int, dtype: np.dtype[Any], mode: str) -> tuple[float, int]:
    """Return n / d, with n not zero, as a floating-point type, and the flags."""
    info = np.finfo(np.float16 if dtype == _core.HALF_DTYPE else dtype)
    precision, least, most = int(info.nmant) + 1, int(info.minexp), int(info.maxexp) - 1
    exponent = abs(n).bit_length() - d.bit_length()  # the exponent, or one more
    if abs(n) << max(-exponent, 0) < d << max(exponent, 0):
        exponent -= 1
    last = max(exponent, least) - (precision - 1)
    n, d = n << max(-last, 0), d << max(last, 0)
    units, sign = _round(n, d, mode), -1.0 if n < 0 else 1.0
    if exponent > most or (exponent == most and abs(units) >> precision):
        away = mode == "rte" or mode == ("rtp" if n > 0 else "rtn")
        largest = math.ldexp((1 << precision) - 1, most - precision + 1)
        return sign * (math.inf if away else largest), OVERFLOW
    underflow = exponent < least and units * d != n
    return math.copysign(math.ldexp(units, last), sign), UNDERFLOW if underflow else 0


def convert_number(x: Any, target: str, mode: RoundingMode, saturate: bool) -> tuple[float, int]:
    """Convert a number to OpenCL's target type; return its value, and the flags to raise.

    With target half, text and None are converted as `half` does.
    """
    dtype = SCALAR_TYPES[target]
    if target == "half" and isinstance(x, str | bytes | None):
        return float(_core.half(x, rounding=mode)), 0
    try:
        n, d = ratio(x)
    except ValueError:
        if target in FLOATING:
            return float(x), 0
        return _special_to_integer(float(x), dtype, saturate)
    if target not in FLOATING:
        value, flags = _to_integer(n, d, dtype, mode, saturate)
        return value, 0 if _is_integer(x) else flags
    return _to_floating(n, d, dtype, mode) if n else (math.copysign(0.0, float(x)), 0)


def _is_integer(x: Any) -> bool:
    """Return whether the number has an integer type; these wrap silently."""
    try:
        operator.index(
            bool(x) if isinstance(x, np.bool) else x
        )  # avoid NumPy 2.0's warning for its bool
    except TypeError:
        return False
    return True


_INTEGERS = (int, np.integer, np.bool)
_SIMPLE = (float, np.floating, *_INTEGERS)


def _simple(items: list[object], target: str) -> NDArray[Any] | None:
    """Return the numbers as an array for kernels, or None if that changes values or flags."""
    if not all(isinstance(item, _SIMPLE) for item in items):
        return None
    array = _core.number_array(items)
    if array.dtype.kind != "f" or target in FLOATING:
        return array if array.dtype.kind in "biuf" else None
    # Integers wrap silently, but raise flags if converted as doubles.
    return None if any(isinstance(item, _INTEGERS) for item in items) else array


def converter(
    ufunc: np.ufunc, target: str, mode: RoundingMode, saturate: bool
) -> Callable[[list[object]], tuple[NDArray[Any], int]]:
    """Return a function that converts a list of any numbers to an array.

    It also returns the flags that have not been raised yet.

    The argument ufunc is the conversion by kernels.
    """

    def convert_all(items: list[object]) -> tuple[NDArray[Any], int]:
        array = _simple(items, target)
        if array is not None:
            return ufunc(array), 0
        values, seen = [], 0
        for item in items:
            try:
                value, flags = convert_number(item, target, mode, saturate)
            except TypeError:
                raise TypeError(
                    f"{ufunc.__name__}: argument 1: expected numbers, got {type(item).__name__}"
                ) from None
            values.append(value)
            seen |= flags
        return np.array(values, SCALAR_TYPES[target]), seen

    return convert_all
