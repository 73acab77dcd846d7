"""Dot products of four 8-bit integers, from cl_khr_integer_dot_product; they are exact."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from halfcl.cl._frontend.types import CHAR, UCHAR, Number, Type, Vector
from halfcl.cl._interpreter.builtins.kinds import Function, Maker, Signature, array_of, value_of
from halfcl.cl._interpreter.values.integers import limits
from halfcl.cl._interpreter.values.lanes import Array, Value

_PACKED = re.compile(r"dot_(acc_sat_)?4x8packed_([us])([us])_u?int")


def _bytes_of(vector: Array) -> Array:
    """Return components wide enough for their products and sums."""
    return vector.astype(np.int64)


def _make_unpack(kind: str) -> Callable[[Array], Array]:
    """Return the function that unpacks a uint into its bytes, lowest first, signed or not."""

    def unpack(packed: Array) -> Array:
        parts = np.stack([packed >> np.uint32(8 * k) & np.uint32(255) for k in range(4)])
        return parts.astype(np.uint8).view(np.int8 if kind == "s" else np.uint8).astype(np.int64)

    return unpack


def _dot(signature: Signature, unpack: list[Callable[[Array], Array]]) -> Function:
    """Return the dot product of two operands; with a third one it is added, saturating."""
    numbers, result = signature.numbers, signature.result_number
    low, high = limits(result.dtype)

    def call(a: Value, b: Value, sum_: Value = 0) -> Value:
        x, y = (
            take(array_of(value, number))
            for take, value, number in zip(unpack, (a, b), numbers, strict=False)
        )
        total = (x * y).sum(axis=0) + array_of(sum_, numbers[-1] if len(numbers) > 2 else result)
        return value_of(np.clip(total, low, high).astype(result.dtype), result)

    return call


def _dot_of_vectors(signature: Signature) -> Function | None:
    if not all(map(_is_four_bytes, signature.arguments[:2])):
        return None
    return _dot(signature, [_bytes_of, _bytes_of])


def _is_four_bytes(type_: Type | Number) -> bool:
    return isinstance(type_, Vector) and type_.width == 4 and type_.element in (CHAR, UCHAR)


def _dot_of_packed(signature: Signature) -> Function | None:
    match = _PACKED.fullmatch(signature.name)
    return _dot(signature, [_make_unpack(match[2]), _make_unpack(match[3])]) if match else None


MAKERS: dict[str, Maker] = {
    "dot": _dot_of_vectors,
    "dot_acc_sat": _dot_of_vectors,
    **{
        f"dot_{saturates}4x8packed_{kinds}": _dot_of_packed
        for saturates in ("", "acc_sat_")
        for kinds in ("uu_uint", "ss_int", "us_int", "su_int")
    },
}
