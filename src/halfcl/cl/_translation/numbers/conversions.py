"""Conversions between types."""

from __future__ import annotations

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.types import BOOL, DOUBLE, FLOAT, Number, Scalar
from halfcl.cl._translation.target import Target, Wrapping, is_half, width

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
