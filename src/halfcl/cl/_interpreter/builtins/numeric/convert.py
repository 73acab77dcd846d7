"""convert_type() and as_type()."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from halfcl._settings.regions import SUFFIXES
from halfcl.cl._frontend.types import SCALARS, WIDTHS, Number, Scalar, Vector
from halfcl.cl._interpreter.builtins.kinds import (
    Function,
    Maker,
    Signature,
    array_of,
    mode_in,
    value_of,
)
from halfcl.cl._interpreter.values import numbers
from halfcl.cl._interpreter.values.lanes import Array, Value
from halfcl.typing import RoundingMode

_NAME = re.compile(r"convert_[a-z]+\d*(_sat)?(?:_rt[ezpn])?")


def _conversion(signature: Signature) -> Function | None:
    """Return a conversion; without a mode in its name it is rtz to integers, else that in force."""
    match = _NAME.fullmatch(signature.name)
    if match is None:
        return None
    (source,) = signature.arguments
    if not isinstance(source, Scalar | Vector):
        return None
    target = signature.result_number
    mode = mode_in(signature.name) or (signature.rounding if target.is_floating else "rtz")
    return numbers.conversion(source, target, mode, bool(match[1]))


def unsaturated_mode(name: str) -> RoundingMode | None:
    """Return the mode of a non-saturating conversion to integers; None for other functions."""
    match = _NAME.fullmatch(name)
    return None if match is None or match[1] else mode_in(name) or "rtz"


MAKERS: dict[str, Maker] = {
    f"convert_{name}{width}{saturates}{mode}": _conversion
    for name in SCALARS
    if name != "bool"
    for width in ("", *WIDTHS)
    for saturates in ("", "_sat")
    for mode in ("", *SUFFIXES)
}


def reinterpretation(source: Number, target: Number) -> Callable[[Value], Value]:
    """Return the reinterpretation of bits; three components convert from and to four.

    The fourth component made of three is 0.
    """

    def convert(a: Value) -> Value:
        array = array_of(a, source)
        if source.width == target.width == 1:
            return value_of(np.ascontiguousarray(array).view(target.dtype), target)
        rows = np.broadcast_to(array, (source.width, array.shape[-1]))
        if source.element.size == target.element.size:
            return value_of(_resize(rows, target.width).view(target.dtype), target)
        together = np.zeros((rows.shape[1], source.size // source.element.size), source.dtype)
        together[:, : source.width] = rows.T
        planes = together.view(target.dtype).T[: target.width]
        components = np.ascontiguousarray(_resize(planes, target.width))
        return value_of(components if isinstance(target, Vector) else components[0], target)

    return convert


def _resize(rows: Array, width: int) -> Array:
    if len(rows) >= width:
        return np.ascontiguousarray(rows[:width])
    result = np.zeros((width, rows.shape[1]), rows.dtype)
    result[: len(rows)] = rows
    return result
