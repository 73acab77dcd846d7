"""Operations by operator, type and rounding mode, which generated code calls.

Halves use halfcl's functions; float and double use the processor's arithmetic, in the mode. A
scalar is an array of one element, or of one per work-item; a vector has its components as a first
axis.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

import halfcl as hc
from halfcl import _core
from halfcl._opencl.conversion.functions import conversion_to
from halfcl.cl._frontend.arithmetic import floating_operation, native_function
from halfcl.cl._frontend.tree import Mode
from halfcl.cl._frontend.types import BOOL, HALF, DType, Number, Scalar, Vector
from halfcl.cl._interpreter.values import integers, lanes
from halfcl.cl._interpreter.values.lanes import (
    Array,
    Ramp,
    Stripe,
    Truth,
    Truths,
    Value,
    as_array,
)

#: An operation on values of generated code.
Operation: TypeAlias = Callable[..., Value]


def as_uniform(truth: Truth) -> Truth:
    """Return a comparison's result as a bool if it is the same for all items."""
    if type(truth) is bool:
        return truth
    return bool(truth.flat[0]) if truth.size == 1 else truth


def logical_not(truth: Truth) -> Truth:
    """Return the logical negation."""
    return not truth if type(truth) is bool else ~truth


def logical_and(a: Truth, b: Truth) -> Truth:
    """Return the logical and."""
    if type(a) is bool:
        return b if a else a
    if type(b) is bool:
        return a if b else b
    return a & b


def stripe_and(a: Truth | Stripe, b: Truth | Stripe) -> Truth | Stripe:
    """Return the logical and, as a Stripe if no operand is an array."""
    if type(a) is Stripe and type(b) is Stripe:
        return a & b
    if type(a) is bool:
        return b if a else a
    if type(b) is bool:
        return a if b else b
    one, other = (each.array() if type(each) is Stripe else each for each in (a, b))
    return logical_and(one, other)  # type: ignore[arg-type]


def logical_or(a: Truth, b: Truth) -> Truth:
    """Return the logical or."""
    return logical_not(logical_and(logical_not(a), logical_not(b)))


@functools.cache
def binary(symbol: str, scalar: Scalar, mode: Mode) -> Operation:
    """Return the operation of a binary operator on operands of one type."""
    if symbol in integers.COMPARISONS:
        return _comparison(symbol, scalar)
    if scalar.is_floating:
        return floating_operation(symbol, scalar, mode)
    if symbol in ("<<", ">>"):
        return integers.shift(symbol, scalar)
    return integers.arithmetic(symbol, scalar)


def special_function(name: str) -> np.ufunc:
    """Return erf, erfc, lgamma or tgamma of doubles, with errors of a few ulps."""
    return _core.make_ufunc(name, "", "rte", [(name, "d>d")], promotes=False)


@functools.cache
def fma_operation(scalar: Scalar, mode: Mode) -> Callable[..., Array]:
    """Return a * b + c, rounded once."""
    function = hc.fma if scalar == HALF else native_function("fma")
    return functools.partial(function, rounding=mode)


def _comparison(symbol: str, scalar: Scalar) -> Callable[..., Truth]:
    if not scalar.is_floating:
        return integers.comparison(symbol, scalar)
    ufunc = integers.COMPARISONS[symbol][1]
    return lambda a, b: as_uniform(ufunc(a, b))


def _vector_truth(truth: np.bool_ | Array, dtype: DType) -> int | Array:
    """Return -1 where a condition is true, else 0; an int where all components are equal."""
    return np.negative(truth.astype(dtype)) if truth.ndim else -int(truth)


def vector_condition(symbol: str, scalar: Scalar, dtype: DType) -> Operation:
    """Return a comparison of vectors, or the operation && or || on them."""
    if symbol in ("&&", "||"):
        logical = np.logical_and if symbol == "&&" else np.logical_or
        return lambda a, b: _vector_truth(logical(_truths(a), _truths(b)), dtype)
    of_ints, ufunc = integers.COMPARISONS[symbol]

    def compare(a: Value, b: Value) -> Value:
        if type(a) is int and type(b) is int:  # NumPy does not compare 64-bit ints
            return -int(of_ints(a, b))
        return _vector_truth(ufunc(a, b), dtype)  # type: ignore[arg-type]  # no vector is a Ramp

    return compare


def _truths(value: Value) -> bool | Truths:
    """Return which components of a vector are not 0."""
    return value != 0 if type(value) is int else np.not_equal(value, 0)  # type: ignore[arg-type]


def unary(symbol: str, number: Number) -> Operation:
    """Return the operation of a unary operator."""
    scalar = number.element
    if symbol == "+":
        return lambda a: a
    if symbol == "!":
        return _not(number)
    if symbol == "~":
        return integers.complement(scalar)
    return np.negative if scalar.is_floating else integers.negative(scalar)


def _not(number: Number) -> Operation:
    if isinstance(number, Vector):
        dtype = np.dtype(f"i{number.element.size}")
        return lambda a: _vector_truth(np.logical_not(_truths(a)), dtype)
    return lambda a: integers.int_from_truth(
        as_uniform(np.equal(lanes.as_operand_array(a, number.dtype), 0))
    )


# ---------------------------------------------------------------- conversions


def constant(number: Number, value: int | float) -> int | Array:
    """Return the value of a literal; floating literals are arrays of one element."""
    if not number.is_floating:
        return int(value)
    return np.array([value], np.float64).astype(number.dtype)


@functools.cache
def conversion(source: Number, target: Number, mode: Mode, saturates: bool = False) -> Operation:
    """Return the conversion between numbers of one width.

    To integers, the mode is the one of the conversion function, or rtz for casts.
    """
    if source.element == target.element:
        return lambda a: a
    if not source.is_floating and not target.is_floating and not saturates:
        return integers.conversion(source.element, target.element)
    if target.element == BOOL:
        return lambda a: _as_value(as_uniform(np.not_equal(a, 0)))
    function = conversion_to(target.element.name, saturates)
    dtype, is_integer = source.dtype, isinstance(target, Scalar) and not target.is_floating

    def convert(a: Value) -> int | Array:
        result = function(as_array(a, dtype), rounding=mode)
        return int(result[0]) if is_integer and result.size == 1 else result

    return convert


def _as_value(truth: Truth) -> Value:
    """Return a condition as a value of type bool."""
    return int(truth) if type(truth) is bool else truth


# ---------------------------------------------------------------- vectors


def component(value: Value, index: int) -> Value:
    """Return one component of a vector as a scalar."""
    if type(value) is int:
        return value
    rows: Array = value  # type: ignore[assignment]
    row: Array = rows[index if len(rows) > 1 else 0]
    return row


def splat(value: Value, dtype: DType) -> Value:
    """Return a scalar as a vector, with one row for all components."""
    if type(value) is int:
        return value
    return lanes.as_operand_array(value, dtype)[np.newaxis]


def swizzle(value: Value, indices: tuple[int, ...]) -> Value:
    """Return selected components of a vector, in any order."""
    if type(value) is int:
        return value
    rows: Array = value  # type: ignore[assignment]
    if len(rows) == 1:
        return rows
    if len(set(indices)) == 1:
        return rows[indices[0] : indices[0] + 1]
    step = indices[1] - indices[0]
    stop = indices[-1] + step
    if indices == tuple(range(indices[0], stop, step or 1)):
        return rows[indices[0] : stop if stop >= 0 else None : step]
    return as_bits(rows)[list(indices)].view(rows.dtype)


def as_bits(array: Array) -> Array:
    """Return halves as their bits, which NumPy copies several times as fast."""
    return array.view(np.uint16) if array.dtype == HALF.dtype else array


def copy_value(value: Array, out: Array | None = None) -> Array:
    """Return the value, or copy it into `out`, as an operation would."""
    if out is None:
        return value
    as_bits(out)[...] = as_bits(value)
    return out


def join_components(parts: tuple[Value, ...], widths: tuple[int, ...], dtype: DType) -> Array:
    """Return a vector made of scalars and vectors."""
    arrays = [as_array(part, dtype) for part in parts]
    count = max(array.shape[-1] for array in arrays)
    vector = np.empty((sum(widths), count), dtype)
    rows, row = as_bits(vector), 0
    for array, width in zip(arrays, widths, strict=True):
        rows[row : row + width] = as_bits(array)
        row += width
    return vector


def replace_components(
    value: Value, indices: tuple[int, ...], new: Value, width: int, dtype: DType
) -> Array:
    """Return a vector with some components replaced."""
    value, new = as_array(value, dtype), as_array(new, dtype)
    count = max(value.shape[-1], new.shape[-1])
    vector = np.empty((width, count), dtype)
    rows = as_bits(vector)
    rows[...] = as_bits(value)
    if new.ndim == 2 and len(new) > 1:
        for index, row in zip(indices, as_bits(new), strict=True):
            rows[index] = row
    else:
        rows[list(indices)] = as_bits(new)
    return vector


def truth(value: Value) -> Truth:
    """Return a scalar as a condition."""
    if type(value) is int:
        return value != 0
    if type(value) is Ramp:
        value = value.array()
    return as_uniform(np.not_equal(value, 0))
