"""convert_type() and as_type()."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from halfcl.cl import _numbers as numbers
from halfcl.cl._builtins.kinds import Function, Maker, Signature, array_of, mode_in, value_of
from halfcl.cl._lanes import Array, Value
from halfcl.cl._types import SCALARS, WIDTHS, Number, Scalar, Vector
from halfcl.typing import RoundingMode

_NAME = re.compile(r"convert_[a-z]+\d*(_sat)?(?:_rt[ezpn])?")


def _conversion(signature: Signature) -> Function | None:
    """Without a mode: to integers rtz, to others the one in force."""
    match = _NAME.fullmatch(signature.name)
    if match is None:
        return None
    (source,) = signature.arguments
    if not isinstance(source, Scalar | Vector):
        return None
    target = signature.result_number
    mode = mode_in(signature.name) or (signature.rounding if target.is_floating else "rtz")
    return numbers.conversion(source, target, mode, bool(match[1]))


def unsaturated(name: str) -> RoundingMode | None:
    """The mode of a conversion to integers that does not saturate; None of other functions."""
    match = _NAME.fullmatch(name)
    return None if match is None or match[1] else mode_in(name) or "rtz"


MAKERS: dict[str, Maker] = {
    f"convert_{name}{width}{saturates}{mode}": _conversion
    for name in SCALARS
    if name != "bool"
    for width in ("", *WIDTHS)
    for saturates in ("", "_sat")
    for mode in ("", "_rte", "_rtz", "_rtp", "_rtn")
}


def reinterpretation(source: Number, target: Number) -> Callable[[Value], Value]:
    """The same bits. Three components take as many as four; the fourth one of three is 0."""

    def convert(a: Value) -> Value:
        array = array_of(a, source)
        if source.width == target.width == 1:
            return value_of(np.ascontiguousarray(array).view(target.dtype), target)
        rows = np.broadcast_to(array, (source.width, array.shape[-1]))
        if source.element.size == target.element.size:
            return value_of(_resized(rows, target.width).view(target.dtype), target)
        together = np.zeros((rows.shape[1], source.size // source.element.size), source.dtype)
        together[:, : source.width] = rows.T
        planes = together.view(target.dtype).T[: target.width]
        found = np.ascontiguousarray(_resized(planes, target.width))
        return value_of(found if isinstance(target, Vector) else found[0], target)

    return convert


def _resized(rows: Array, width: int) -> Array:
    if len(rows) >= width:
        return np.ascontiguousarray(rows[:width])
    found = np.zeros((width, rows.shape[1]), rows.dtype)
    found[: len(rows)] = rows
    return found
