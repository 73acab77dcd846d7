"""Constants in C++."""

from __future__ import annotations

import math

from halfcl.cl._frontend.types import BOOL, DOUBLE, FLOAT, HALF, Number, Scalar, Type, Vector
from halfcl.cl._translation.numbers.constants import digits, half_bits, parenthesize_negative

_INTEGERS = {"int": "", "uint": "u", "long": "ll", "ulong": "ull"}


def constant(type_: Scalar, value: float | int) -> str:
    """Return a number as text."""
    if type_ == HALF:
        return f"HCL_HALF(0x{half_bits(value):04x} /* {float(value)!r} */)"
    if type_ in (FLOAT, DOUBLE):
        return _floating(type_, float(value))
    if type_ == BOOL:
        return "true" if value else "false"
    return _integer(type_, int(value))


def zero(type_: Type) -> str:
    """Return the zero of a type, as a value between others in braces.

    Not {} for a half: NVRTC says that a table with it is no constant.
    """
    return constant(HALF, 0) if type_ == HALF else "{}"


def _floating(type_: Scalar, value: float) -> str:
    if not math.isfinite(value):
        text = "HCL_NAN" if value != value else "HCL_INFINITY" if value > 0 else "-HCL_INFINITY"
        return f"({type_})({text})"
    return parenthesize_negative(digits(value) + ("f" if type_ == FLOAT else ""))


def _integer(type_: Scalar, value: int) -> str:
    suffix = _INTEGERS.get(type_.name)
    if suffix is None:
        return f"(hc_{type_})({value})" if type_.name != "short" else f"(short)({value})"
    bits = 8 * type_.size
    if value == -(1 << (bits - 1)):
        return f"({value + 1}{suffix} - 1)"
    return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"


def one(type_: Number, name: str) -> str:
    """Return the number 1 of a type of that name as text."""
    text = constant(type_.element, 1)
    return f"hcl_splat<{type_.width}>({text})" if isinstance(type_, Vector) else text


def is_exact(source: Scalar, result: Scalar) -> bool:
    """Return whether a floating type can represent all numbers of another type."""
    if source.is_floating:
        return source.rank < result.rank
    return source.size < (4 if result == FLOAT else 8)
