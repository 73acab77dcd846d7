"""Integer functions, exact for all eight types."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfcl.cl._frontend.types import DType, limits
from halfcl.cl._interpreter.builtins.kinds import (
    ArrayFunction,
    Function,
    Maker,
    Signature,
    array_of,
    value_of,
)
from halfcl.cl._interpreter.values.integers import bounds
from halfcl.cl._interpreter.values.lanes import Array, Ramp, Value, map_axis
from halfcl.cl._interpreter.values.numbers import binary

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)


def _as_unsigned(x: Array) -> Array:
    return x.view(f"u{x.dtype.itemsize}")


def _bits(x: Array) -> int:
    return 8 * int(x.dtype.itemsize)


def _is_signed(x: Array) -> bool:
    return bool(x.dtype.kind == "i")


def _clip(overflows: Array, is_negative: Array | np.bool_, value: Array) -> Array:
    low, high = limits(value.dtype)
    kind = value.dtype.type
    return np.where(overflows, np.where(is_negative, kind(low), kind(high)), value)


def _of_arrays(function: ArrayFunction) -> Maker:
    """Make the functions for calls from one of arrays; they return an int for uniform arguments."""

    def make(signature: Signature) -> Function:
        """Return the function for a call."""
        types = signature.numbers
        result = signature.result_number

        def call(*arguments: Value) -> Value:
            if all(type(a) is int for a in arguments):
                scalars = zip(arguments, types, strict=True)
                return int(function(*(array_of(a, t.element) for a, t in scalars))[0])
            arrays = (array_of(a, t) for a, t in zip(arguments, types, strict=True))
            return value_of(function(*arrays), result)

        return call

    return make


@_of_arrays
def absolute(x: Array) -> Array:
    return _as_unsigned(np.abs(x))  # abs of the least number is itself, with the right bits


@_of_arrays
def abs_diff(x: Array, y: Array) -> Array:
    return _as_unsigned(np.where(x > y, x - y, y - x))


@_of_arrays
def add_sat(x: Array, y: Array) -> Array:
    total = x + y
    if _is_signed(x):
        return _clip(((x ^ total) & (y ^ total)) < 0, x < 0, total)
    return _clip(total < x, np.False_, total)


@_of_arrays
def sub_sat(x: Array, y: Array) -> Array:
    difference = x - y
    if _is_signed(x):
        return _clip(((x ^ y) & (x ^ difference)) < 0, x < 0, difference)
    return _clip(x < y, np.True_, difference)


@_of_arrays
def hadd(x: Array, y: Array) -> Array:
    result: Array = (x >> 1) + (y >> 1) + (x & y & 1)
    return result


@_of_arrays
def rhadd(x: Array, y: Array) -> Array:
    result: Array = (x >> 1) + (y >> 1) + ((x | y) & 1)
    return result


@_of_arrays
def clz(x: Array) -> Array:
    return (_bits(x) - _bit_length(_as_unsigned(x))).astype(x.dtype)


@_of_arrays
def ctz(x: Array) -> Array:
    """Count trailing zeros; 0 has as many as bits."""
    lowest = _as_unsigned(x) & (~_as_unsigned(x) + _as_unsigned(x).dtype.type(1))
    return np.where(x == 0, _bits(x), _bit_length(lowest) - 1).astype(x.dtype)


@_of_arrays
def __builtin_popcount(x: Array) -> Array:
    return _count_ones(x)


@_of_arrays
def __builtin_parity(x: Array) -> Array:
    return _count_ones(x) & np.int32(1)


@_of_arrays
def __builtin_clz(x: Array) -> Array:
    return (_bits(x) - _bit_length(_as_unsigned(x))).astype(np.int32)


@_of_arrays
def __builtin_ctz(x: Array) -> Array:
    return np.where(x == 0, _bits(x), _first_one(x) - 1).astype(np.int32)


@_of_arrays
def __builtin_ffs(x: Array) -> Array:
    """Return the place of the lowest bit that is set, counted from 1; 0 for 0."""
    return np.where(x == 0, 0, _first_one(x)).astype(np.int32)


@_of_arrays
def __builtin_bswap(x: Array) -> Array:
    return x.byteswap()


@_of_arrays
def __builtin_bitreverse(x: Array) -> Array:
    digits = np.unpackbits(np.ascontiguousarray(x.byteswap()).view(np.uint8))  # highest first
    return np.packbits(digits.reshape(*x.shape, -1)[..., ::-1]).view(x.dtype).byteswap()


def _count_ones(x: Array) -> Array:
    return np.bitwise_count(_as_unsigned(x)).astype(np.int32)


def _first_one(x: Array) -> Array:
    unsigned = _as_unsigned(x)
    return _bit_length(unsigned & (~unsigned + unsigned.dtype.type(1)))


def _bit_length(x: Array) -> Array:
    if x.dtype.itemsize < 8:
        return np.frexp(x.astype(np.float64))[1]
    high = x >> _32
    return np.where(high != 0, _bit_length_32(high) + 32, _bit_length_32(x & _LOW))


def _bit_length_32(x: Array) -> Array:
    return np.frexp(x.astype(np.float64))[1]


@_of_arrays
def popcount(x: Array) -> Array:
    return np.bitwise_count(_as_unsigned(x)).astype(x.dtype)


@_of_arrays
def rotate(x: Array, count: Array) -> Array:
    last = _bits(x) - 1
    pattern = _as_unsigned(x)
    left_count = _as_unsigned(count) & pattern.dtype.type(last)
    right_count = (_bits(x) - left_count.astype(np.int64)).astype(
        pattern.dtype
    ) & pattern.dtype.type(last)
    result: Array = (pattern << left_count) | (pattern >> right_count)
    return result.view(x.dtype)


# ---------------------------------------------------------------- products


def _exact_dtype(x: Array) -> type[np.int64 | np.uint64]:
    """Return the dtype that holds sums of products of fewer than 64 bits."""
    return np.int64 if _is_signed(x) else np.uint64


def _high_of_unsigned(x: Array, y: Array) -> Array:
    x0, x1, y0, y1 = x & _LOW, x >> _32, y & _LOW, y >> _32
    middle = x1 * y0 + (x0 * y0 >> _32)
    other = x0 * y1 + (middle & _LOW)
    result: Array = x1 * y1 + (middle >> _32) + (other >> _32)
    return result


def _mul_hi(x: Array, y: Array) -> Array:
    if x.dtype.itemsize < 8:
        return (x.astype(_exact_dtype(x)) * y >> _bits(x)).astype(x.dtype)
    high = _high_of_unsigned(_as_unsigned(x), _as_unsigned(y))
    if not _is_signed(x):
        return high
    return high.view(np.int64) - np.where(x < 0, y, 0) - np.where(y < 0, x, 0)


mul_hi = _of_arrays(_mul_hi)


@_of_arrays
def mad_hi(x: Array, y: Array, z: Array) -> Array:
    return _mul_hi(x, y) + z


@_of_arrays
def mad_sat(x: Array, y: Array, z: Array) -> Array:
    if x.dtype.itemsize < 8:
        low, high = limits(x.dtype)
        return np.clip(x.astype(_exact_dtype(x)) * y + z, low, high).astype(x.dtype)
    high_part, low_part = _mul_hi(x, y), _as_unsigned(x) * _as_unsigned(y)
    total = low_part + _as_unsigned(z)
    carry = total < low_part
    if not _is_signed(x):
        return _clip((high_part != 0) | carry, np.False_, total)
    high_part = high_part + carry - (z < 0)
    signed_total = total.view(np.int64)
    return _clip(high_part != signed_total >> 63, high_part < 0, signed_total)


@_of_arrays
def upsample(high: Array, low: Array) -> Array:
    dtype = np.dtype(f"{high.dtype.kind}{2 * high.dtype.itemsize}")
    result: Array = (high.astype(dtype) << _bits(high)) | low.astype(dtype)
    return result


# ---------------------------------------------------------------- on ramps, and of 24 bits


def _extreme(function: ArrayFunction) -> Maker:
    """Return the maker of max or min; for ramps whose bounds decide it returns one of them.

    Loads at that ramp stay even.
    """
    general = _of_arrays(function)
    is_max = function is np.maximum

    def make(signature: Signature) -> Function:
        """Return the function for a call."""
        of_arrays = general(signature)

        def call(a: Value, b: Value) -> object:
            if (type(a) is Ramp or type(b) is Ramp) and {type(a), type(b)} <= {int, Ramp}:
                (low, high), (least, most) = bounds(a), bounds(b)
                if low >= most:
                    return a if is_max else b
                if high <= least:
                    return b if is_max else a
                along = _along(function, signature.number.dtype, a, b)
                if along is not None:
                    return along
            return of_arrays(a, b)

        return call

    return make


def _along(function: ArrayFunction, dtype: DType, a: Value, b: Value) -> Ramp | int | None:
    """Apply a function to a ramp and an int if the ramp varies along one axis only."""
    if type(a) is int:
        a, b = b, a
    if type(a) is not Ramp or type(b) is not int:
        return None
    limit = dtype.type(b)
    return map_axis(a, dtype, lambda values: function(values, limit))


greatest, least = _extreme(np.maximum), _extreme(np.minimum)


def clamp(signature: Signature) -> Function:
    """Return clamp, made of max and min."""
    number, low, high = signature.arguments
    at_least = greatest(replace(signature, arguments=(number, low)))
    at_most = least(replace(signature, arguments=(signature.result, high)))
    return lambda x, a, b: at_most(at_least(x, a), b)


def mul24(signature: Signature) -> Function:
    """Return mul24; bits beyond 24, which the standard leaves undefined, are used."""
    return binary("*", signature.number.element, "rte")


def mad24(signature: Signature) -> Function:
    """Return mad24, on the product that mul24 computes."""
    multiply = binary("*", signature.number.element, "rte")
    add = binary("+", signature.number.element, "rte")
    return lambda x, y, z: add(multiply(x, y), z)
