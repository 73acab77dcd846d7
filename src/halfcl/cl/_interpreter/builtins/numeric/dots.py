"""Dot products of four 8-bit integers, from cl_khr_integer_dot_product; they are exact."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halfcl.cl._frontend.types import limits
from halfcl.cl._interpreter.builtins.kinds import Function, Signature, array_of, value_of
from halfcl.cl._interpreter.values.lanes import Array, Value


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


def of_vectors(signature: Signature) -> Function:
    """Return the dot product of vectors of bytes."""
    return _dot(signature, [_bytes_of, _bytes_of])


def of_packed(signature: Signature) -> Function:
    """Return the dot product of packed bytes."""
    return _dot(signature, list(map(_make_unpack, signature.builtin.parts["signs"])))
