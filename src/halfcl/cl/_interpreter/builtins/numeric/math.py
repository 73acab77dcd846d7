"""Elementwise math and common functions; those of halves are halfcl's, correctly rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halfcl.cl._frontend.tree import Mode
from halfcl.cl._frontend.types import (
    FLOAT,
    HALF,
    DType,
    Number,
    Pointer as PointerType,
    Scalar,
    Vector,
)
from halfcl.cl._interpreter.builtins.kinds import (
    ArrayFunction,
    Effect,
    Function,
    Maker,
    Signature,
    array_of,
    half_function,
    have_element,
    value_of,
)
from halfcl.cl._interpreter.builtins.numeric import wide
from halfcl.cl._interpreter.values.lanes import Array, Mask, Value

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run
    from halfcl.cl._interpreter.memory.pointers import Pointer

#: Functions that return their second result through a pointer.
_WITH_POINTER = ("fract", "frexp", "lgamma_r", "modf", "remquo", "sincos")

_DOUBLE = np.dtype(np.float64)


def _compute_in_double(function: wide.Function, dtype: DType) -> wide.Function:
    """Compute a function of float in double, and round its floating results once."""

    def round_once(result: Array) -> Array:
        return result.astype(dtype) if result.dtype == _DOUBLE else result

    def call(*arguments: Array) -> Array | tuple[Array, Array]:
        result = function(*(a.astype(_DOUBLE) if a.dtype == dtype else a for a in arguments))
        if isinstance(result, tuple):
            return round_once(result[0]), round_once(result[1])
        return round_once(result)

    return call


def function_of(name: str, element: Scalar, rounding: Mode) -> wide.Function | None:
    """Return the function on arrays of the element's type, to nearest; None if there is none.

    For halves, None as mode means the region's, which may be stochastic rounding.
    """
    if element == HALF:
        return half_function(name, rounding)
    row = wide.FUNCTIONS.get(name)
    if row is None:
        return None
    if element == FLOAT and row.accuracy is wide.Accuracy.DOUBLE:
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


def _elementwise(name: str) -> Maker:
    def make(signature: Signature) -> Function | None:
        if not all(isinstance(a, Scalar | Vector) for a in signature.arguments):
            return None
        result = signature.result_number
        # nan(code) takes integers, and some functions return integers: use the floating type.
        element = result.element if result.is_floating else signature.number.element
        function = function_of(name, element, signature.rounding) if element.is_floating else None
        if function is None:
            return None
        if result.is_floating and all(
            isinstance(a, Scalar | Vector) and a.is_floating for a in signature.arguments
        ):
            return function
        return _with_integers(function, signature)  # type: ignore[arg-type]  # one result

    return make


def _with_integers(function: ArrayFunction, signature: Signature) -> Function:
    """Adapt a function with integers among its arguments or as its result."""
    types, result = signature.numbers, signature.result_number

    def call(*arguments: Value) -> Value:
        arrays = [array_of(a, t) for a, t in zip(arguments, types, strict=True)]
        return value_of(function(*arrays), result)

    return call


def _with_pointer(signature: Signature) -> Function | None:
    last = signature.arguments[-1]
    function = function_of(signature.name, signature.number.element, signature.rounding)
    if function is None or not isinstance(last, PointerType):
        return None
    pointee = last.pointee
    if not isinstance(pointee, Scalar | Vector):
        return None

    def call(
        run: Run, mask: Mask, at: int, *arguments: *tuple[*tuple[Array, ...], Pointer]
    ) -> Array:
        *numbers, pointer = arguments
        first, second = function(*numbers)
        store_through(run, pointer, second, pointee, mask, at)
        return first

    return Effect(call)


def _plain(name: str) -> Maker:
    """Return the maker of a function of float with the prefix native_ or half_."""
    make = _elementwise(name)
    return lambda signature: make(signature) if have_element(signature, FLOAT) else None


_NAMES = [n for n in wide.FUNCTIONS if n not in (*_WITH_POINTER, "divide", "recip")]

#: native_ and half_ functions of float, as exact as those without a prefix.
_FAST = "cos divide exp exp2 exp10 log log2 log10 powr recip rsqrt sin sqrt tan".split()

MAKERS: dict[str, Maker] = {
    **{name: _elementwise(name) for name in _NAMES},
    **dict.fromkeys(_WITH_POINTER, _with_pointer),
    **{f"{prefix}_{name}": _plain(name) for name in _FAST for prefix in ("native", "half")},
}
