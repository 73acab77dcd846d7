"""convert_type() and as_type()."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halfcl.cl._frontend.builtins import find
from halfcl.cl._frontend.types import Number, Vector
from halfcl.cl._interpreter.builtins.kinds import (
    Function,
    Signature,
    array_of,
    value_of,
)
from halfcl.cl._interpreter.values import numbers
from halfcl.cl._interpreter.values.lanes import Array, Value
from halfcl.typing import RoundingMode


def conversion(signature: Signature) -> Function:
    """Return a conversion; without a mode in its name it is rtz to integers, else that in force."""
    builtin, target = signature.builtin, signature.result_number
    mode = builtin.mode or (signature.rounding if target.is_floating else "rtz")
    return numbers.conversion(signature.number, target, mode, bool(builtin.parts["saturates"]))


def unsaturated_mode(name: str) -> RoundingMode | None:
    """Return the mode of a non-saturating conversion to integers; None for other functions."""
    builtin = find(name)
    if builtin is None or builtin.family != "conversion" or builtin.parts["saturates"]:
        return None
    return builtin.mode or "rtz"


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
