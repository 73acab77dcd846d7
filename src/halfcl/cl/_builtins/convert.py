"""convert_type() and as_type()."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from halfcl.cl import _numbers as numbers
from halfcl.cl._builtins.kinds import Maker, Signature, array_of, value_of
from halfcl.cl._types import SCALARS, WIDTHS, Number, Scalar, Vector
from halfcl.typing import RoundingMode

_NAME = re.compile(r"convert_[a-z]+\d*(_sat)?(?:_(rt[ezpn]))?")


def _conversion(signature: Signature) -> Callable[..., Any] | None:
    """Without a mode: to integers rtz, to others the one in force."""
    match = _NAME.fullmatch(signature.name)
    if match is None:
        return None
    (source,), target = signature.arguments, signature.result
    if not isinstance(source, Scalar | Vector):
        return None
    to_integer = not cast(Number, target).is_floating
    mode = match[2] or ("rtz" if to_integer else signature.rounding)
    return numbers.conversion(
        source, cast(Number, target), cast(RoundingMode, mode), bool(match[1])
    )


MAKERS: dict[str, Maker] = {
    f"convert_{name}{width}{saturates}{mode}": _conversion
    for name in SCALARS
    if name != "bool"
    for width in ("", *WIDTHS)
    for saturates in ("", "_sat")
    for mode in ("", "_rte", "_rtz", "_rtp", "_rtn")
}


def reinterpretation(source: Number, target: Number) -> Callable[[Any], Any]:
    """The same bits. Three components take as many as four; the fourth one of three is 0."""

    def convert(a: object) -> Any:
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


def _resized(rows: Any, width: int) -> Any:
    if len(rows) >= width:
        return np.ascontiguousarray(rows[:width])
    found = np.zeros((width, rows.shape[1]), rows.dtype)
    found[: len(rows)] = rows
    return found
