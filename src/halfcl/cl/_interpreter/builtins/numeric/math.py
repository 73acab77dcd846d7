"""Elementwise math and common functions; those of halves are halfcl's, correctly rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from halfcl.cl._frontend.tree import Mode
from halfcl.cl._frontend.types import (
    FLOAT,
    HALF,
    DType,
    Number,
    Pointer as PointerType,
    Scalar,
)
from halfcl.cl._interpreter.builtins.kinds import (
    ArrayFunction,
    Effect,
    Function,
    Signature,
    array_of,
    as_number,
    half_function,
    value_of,
)
from halfcl.cl._interpreter.builtins.numeric import floats
from halfcl.cl._interpreter.values.lanes import Array, Mask, Value

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run
    from halfcl.cl._interpreter.memory.pointers import Pointer

_DOUBLE = np.dtype(np.float64)


def _compute_in_double(function: floats.Function, dtype: DType) -> floats.Function:
    """Compute a function of float in double, and round its floating results once."""

    def round_once(result: Array) -> Array:
        return result.astype(dtype) if result.dtype == _DOUBLE else result

    def call(*arguments: Array) -> Array | tuple[Array, Array]:
        result = function(*(a.astype(_DOUBLE) if a.dtype == dtype else a for a in arguments))
        if isinstance(result, tuple):
            return round_once(result[0]), round_once(result[1])
        return round_once(result)

    return call


def function_of(name: str, element: Scalar, rounding: Mode) -> floats.Function:
    """Return the function on arrays of the element's type, to nearest.

    For halves, None as mode means the region's, which may be stochastic rounding.
    """
    if element == HALF:
        return half_function(name, rounding)
    row = floats.FUNCTIONS[name]
    if element == FLOAT and row.accuracy is floats.Accuracy.DOUBLE:
        return _compute_in_double(row.function, FLOAT.dtype)
    return row.function


def store_through(
    run: Run, pointer: Pointer, array: Array, pointee: Number, mask: Mask, at: int
) -> None:
    """Store an array as a value of the pointer's type."""
    value = value_of(array, pointee)
    if isinstance(pointee, Scalar):
        run.store(pointer, value, pointee.dtype, mask, at)
    else:
        size = pointee.dtype, pointee.width, mask, pointee.align
        run.store_vector(pointer, value, *size, at)


def elementwise(signature: Signature) -> Function:
    """Return a function of numbers."""
    result = signature.result_number
    # nan(code) takes integers, and some functions return integers: use the floating type.
    element = result.element if result.is_floating else signature.number.element
    function = function_of(signature.builtin.stem, element, signature.rounding)
    if all(number.is_floating for number in (result, *signature.numbers)):
        return function
    return _with_integers(function, signature)  # type: ignore[arg-type]  # one result


def _with_integers(function: ArrayFunction, signature: Signature) -> Function:
    """Adapt a function with integers among its arguments or as its result."""
    types, result = signature.numbers, signature.result_number

    def call(*arguments: Value) -> Value:
        arrays = [array_of(a, t) for a, t in zip(arguments, types, strict=True)]
        return value_of(function(*arrays), result)

    return call


def with_pointer(signature: Signature) -> Function:
    """Return a function that stores its second result through a pointer."""
    function = function_of(signature.name, signature.number.element, signature.rounding)
    pointee = as_number(cast(PointerType, signature.arguments[-1]).pointee)

    def call(
        run: Run, mask: Mask, at: int, *arguments: *tuple[*tuple[Array, ...], Pointer]
    ) -> Array:
        *numbers, pointer = arguments
        first, second = function(*numbers)
        store_through(run, pointer, second, pointee, mask, at)
        return first

    return Effect(call)
