"""Geometric functions: halfcl's own for halves; float and double are computed in double."""

from __future__ import annotations

import functools

import numpy as np

from halfcl.cl._frontend.types import HALF, Number, Vector
from halfcl.cl._interpreter.builtins.kinds import (
    ArrayFunction,
    Function,
    Signature,
    half_function,
)
from halfcl.cl._interpreter.values.lanes import Array


def _planes(a: Array, width: int) -> Array:
    """Return all components separately, of shape (width, 1 or items)."""
    rows = a if a.ndim == 2 else a[np.newaxis]
    return rows if len(rows) == width else np.broadcast_to(rows, (width, rows.shape[1]))


# ---------------------------------------------------------------- halves


def _half_function(name: str, signature: Signature, result: Number) -> Function:
    """Return the function of halves.

    Its kernel takes the vector on the last axis with any strides: planes, transposed.
    """
    kernel, width = half_function(name, signature.rounding), signature.number.width
    if result.width == 1 and not isinstance(result, Vector) and name != "normalize":
        return lambda *arguments: kernel(*(_planes(a, width).T for a in arguments))

    def call(*arguments: Array) -> Array:
        planes = [_planes(a, width) for a in arguments]
        result_ = np.empty((width, max(p.shape[1] for p in planes)), HALF.dtype)
        kernel(*(p.T for p in planes), out=result_.T)
        return result_ if isinstance(result, Vector) else result_[0]

    return call


# ---------------------------------------------------------------- float and double


def _dot(a: Array, b: Array) -> Array:
    return functools.reduce(np.add, (x * y for x, y in zip(a, b, strict=True)))


def _length(a: Array) -> Array:
    return functools.reduce(np.hypot, a[1:], np.abs(a[0]))


def _distance(a: Array, b: Array) -> Array:
    return _length(a - b)


def _normalize(a: Array) -> Array:
    """Normalize vectors; zeros stay, infinite components count as ones and finite ones as zeros."""
    infinite = np.isinf(a)
    has_infinite = infinite.any(axis=0)
    a = np.where(has_infinite, np.copysign(np.where(infinite, 1.0, 0.0), a), a)
    largest = np.abs(a).max(axis=0)
    exponent = np.frexp(np.where(np.isfinite(largest), largest, 1))[1]
    a = np.ldexp(a, -exponent)  # avoids overflow and underflow
    length = _length(a)
    return np.where(length == 0, a, a / length)


def _cross(a: Array, b: Array) -> Array:
    x, y, z = (a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1)))
    return np.stack([x, y, z, *(np.zeros_like(x) for _ in a[3:])])


_IN_DOUBLE: dict[str, ArrayFunction] = {
    "cross": _cross,
    "distance": _distance,
    "dot": _dot,
    "length": _length,
    "normalize": _normalize,
}


def _wide(name: str, number: Number, result: Number) -> Function:
    function, width = _IN_DOUBLE[name], number.width

    def call(*arguments: Array) -> Array:
        planes = [_planes(a, width).astype(np.float64) for a in arguments]
        values = function(*planes).astype(number.dtype)
        return values[0] if values.ndim == 2 and not isinstance(result, Vector) else values

    return call


def make(signature: Signature) -> Function:
    """Return a geometric function; fast_ ones are as exact as those without the prefix."""
    name, result = signature.builtin.stem, signature.result_number
    if signature.number.element == HALF:
        return _half_function(name, signature, result)
    return _wide(name, signature.number, result)
