"""Conversions and constants."""

from __future__ import annotations

import math

import numpy as np

import halfcl as hc
from halfcl._opencl.conversion.functions import conversion_to
from halfcl.cl._frontend import tree
from halfcl.cl._frontend.arithmetic import Array, floating_operation
from halfcl.cl._frontend.types import BOOL, DOUBLE, FLOAT, HALF, INT, Number, Scalar, wrap
from halfcl.cl._translation.target import Target, Wrapping, is_half, width
from halfcl.typing import RoundingMode

_UNCHANGED = Wrapping("", "")


def conversion(
    target: Target, node: tree.Node, source: Number, result: Number, mode: tree.Mode
) -> Wrapping | None:
    """Return the conversion between numbers of one width; None if the device's own is right."""
    one, other = source.element, result.element
    if one == other:
        return None
    if is_half(result):
        if one == FLOAT and target.is_native("convert_half", mode):
            return None
        return _to_half(target, source, mode)
    if is_half(source):
        return _from_half(target, source, result)
    if target.needs_directed_rounding(result, mode) and not _is_exact(one, other):
        return Wrapping(target.helper(f"to_{other}", mode) + "(")
    return None


def _is_exact(source: Scalar, result: Scalar) -> bool:
    """Return whether a floating type can represent all numbers of another type."""
    if source.is_floating:
        return source.rank < result.rank
    return source.size < (4 if result == FLOAT else 8)


def _to_half(target: Target, source: Number, mode: tree.Mode) -> Wrapping:
    if source.element == DOUBLE:
        target.helpers.add("odd_float")
        return Wrapping(f"{target.call('convert_half', mode)}(hc_odd_float(", "))")
    cast = "(int)(" if source == BOOL else ""
    return Wrapping(f"{target.call('convert_half', mode)}({cast}", ")" * (2 if cast else 1))


def _from_half(target: Target, source: Number, result: Number) -> Wrapping | None:
    element = result.element
    if element == BOOL:
        return None if target.fp16 else truth(target)
    if element == FLOAT:
        return None if target.fp16 else Wrapping(f"{target.plain('convert_float')}(")
    if element == DOUBLE:
        if target.fp16:
            return None
        convert = f"convert_double{width(result)}("
        return Wrapping(f"{convert}{target.plain('convert_float')}(", "))")
    return Wrapping(f"{target.plain(f'convert_{element}')}(")


def explicit_conversion(
    target: Target, node: tree.Node, source: Number, result: Number, mode: tree.Mode
) -> Wrapping:
    """Return a conversion that is written out even where the device's own is right."""
    wrapping = conversion(target, node, source, result, mode)
    if wrapping is not None or source.element == result.element:
        return wrapping or _UNCHANGED
    return Wrapping(f"convert_{result}(")


def truth(target: Target) -> Wrapping:
    """Return the test whether a half, given as bits, is not zero."""
    target.helpers.add("truth")
    return Wrapping("hc_truth(")


# ---------------------------------------------------------------- constants


def value_of(node: tree.Expression, modes: tuple[RoundingMode, ...]) -> float | int | None:
    """Return a constant's value if it is the same in all modes that its operations may have."""
    if isinstance(node, tree.Literal):
        return node.value
    if isinstance(node, tree.Conversion) and isinstance(node.type, Scalar):
        operand = value_of(node.operand, modes)
        if operand is None or not isinstance(node.operand.type, Scalar):
            return None
        return _common_value(
            [_convert_constant(node, operand, m) for m in _modes(node.rounding, modes)]
        )
    if isinstance(node, tree.Unary) and node.operator == "-" and _may_be_negative(node):
        operand = value_of(node.operand, modes)
        return None if operand is None else -operand
    if isinstance(node, tree.Binary) and node.operator in "+-*/" and _is_number(node):
        a, b = value_of(node.left, modes), value_of(node.right, modes)
        if a is None or b is None:
            return None
        return _common_value(
            [_compute_constant(node, a, b, m) for m in _modes(node.rounding, modes)]
        )
    return None


def _is_number(node: tree.Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.is_floating


def _may_be_negative(node: tree.Expression) -> bool:
    return _is_number(node) or node.type == INT


def _modes(mode: tree.Mode, modes: tuple[RoundingMode, ...]) -> tuple[RoundingMode, ...]:
    return modes if mode is None else (mode,)


def _convert_constant(node: tree.Conversion, value: float | int, mode: RoundingMode) -> float | int:
    source, target = node.operand.type, node.type
    if not target.is_floating:
        mode = "rtz"
    if target == BOOL:
        return int(value != 0)
    if not source.is_floating and not target.is_floating:
        return wrap(int(value), target.dtype)
    with np.errstate(all="ignore"):
        return _number(target, conversion_to(target.name)(_array(source, value), rounding=mode))


def _compute_constant(
    node: tree.Binary, left: float | int, right: float | int, mode: RoundingMode
) -> float | int:
    type_ = node.type
    operands = (_array(type_, v) for v in (left, right))
    with np.errstate(all="ignore"):
        return _number(type_, floating_operation(node.operator, type_, mode)(*operands))


def _array(type_: Scalar, value: float | int) -> Array:
    kind = np.float64 if type_.is_floating else type_.dtype
    return np.array([value], kind).astype(type_.dtype)


def _number(type_: Scalar, array: Array) -> float | int:
    return float(array[0]) if type_.is_floating else int(array[0])


def _common_value(values: list[float | int]) -> float | int | None:
    first = values[0]
    if any(v != first or math.copysign(1, v) != math.copysign(1, first) for v in values[1:]):
        return None
    return first


def half_constant(target: Target, value: float, shown: str = "") -> str:
    """Return a half as text. shown: its spelling in the source."""
    special = not math.isfinite(value)
    if target.fp16 and not special:
        return parenthesize_negative(digits(value) + "h")
    is_fit = shown and "\n" not in shown and "*/" not in shown
    return f"HCI_HALF(0x{half_bits(value):04x}{f' /* {shown} */' if is_fit else ''})"


def float_constant(type_: Scalar, value: float) -> str:
    """Return a float or double as text."""
    if not math.isfinite(value):
        text = "NAN" if value != value else "INFINITY" if value > 0 else "-INFINITY"
        return f"({type_})({text})"
    return parenthesize_negative(digits(value) + ("f" if type_ == FLOAT else ""))


def digits(value: float) -> str:
    """Return a finite number as exact text: decimal if that is short, else hexadecimal."""
    return repr(value) if "e" not in repr(value) else value.hex()


def half_bits(value: float) -> int:
    """Return the bits of a number rounded to half."""
    with np.errstate(all="ignore"):
        return int(np.array([value], np.float64).astype(hc.half).view(np.uint16)[0])


def parenthesize_negative(text: str) -> str:
    """Return a number as an operand, in parentheses if negative."""
    return f"({text})" if text.startswith("-") else text


def constant(target: Target, type_: Number, value: float | int, shown: str = "") -> str:
    """Return a number as text."""
    element = type_.element
    if element == HALF:
        return half_constant(target, float(value), shown)
    if element.is_floating:
        return float_constant(element, float(value))
    return str(int(value))


def one(target: Target, type_: Number) -> str:
    """Return the number 1 of a type as text."""
    text = constant(target, type_, 1)
    return text if isinstance(type_, Scalar) else f"({target.type(type_)})({text})"
