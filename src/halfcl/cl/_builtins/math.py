"""Math and common functions, element by element: of halves halfcl's own, correctly rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halfcl.cl._builtins import wide
from halfcl.cl._builtins.kinds import (
    ArrayFunction,
    Effect,
    Function,
    Maker,
    Signature,
    array_of,
    have_element,
    of_halves,
    value_of,
)
from halfcl.cl._lanes import Array, Mask, Value
from halfcl.cl._tree import Mode
from halfcl.cl._types import (
    FLOAT,
    HALF,
    DType,
    Number,
    Pointer as PointerType,
    Scalar,
    Vector,
)

if TYPE_CHECKING:
    from halfcl.cl._launching import Run
    from halfcl.cl._pointers import Pointer

#: What they return through a pointer is the second result.
_WITH_POINTER = ("fract", "frexp", "lgamma_r", "modf", "remquo", "sincos")

_DOUBLE = np.dtype(np.float64)


def _through_double(function: wide.Function, kept: DType) -> wide.Function:
    """Of floats: floating results are rounded, once."""

    def rounded(found: Array) -> Array:
        return found.astype(kept) if found.dtype == _DOUBLE else found

    def call(*arguments: Array) -> Array | tuple[Array, Array]:
        found = function(*(a.astype(_DOUBLE) if a.dtype == kept else a for a in arguments))
        if isinstance(found, tuple):
            return rounded(found[0]), rounded(found[1])
        return rounded(found)

    return call


def function_of(name: str, element: Scalar, rounding: Mode) -> wide.Function | None:
    """On arrays of the element's type, to nearest; None if there is none.

    At random, of halves, where rounding is None: then it is the region's.
    """
    if element == HALF:
        return of_halves(name, rounding)
    row = wide.FUNCTIONS.get(name)
    if row is None:
        return None
    if element == FLOAT and row.accuracy is wide.Accuracy.DOUBLE:
        return _through_double(row.function, FLOAT.dtype)
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
        # nan(code) and functions that give integers: what is floating tells.
        element = result.element if result.is_floating else signature.number.element
        function = function_of(name, element, signature.rounding) if element.is_floating else None
        if function is None:
            return None
        if result.is_floating and all(
            isinstance(a, Scalar | Vector) and a.is_floating for a in signature.arguments
        ):
            return function
        return _converting(function, signature)  # type: ignore[arg-type]  # one result

    return make


def _converting(function: ArrayFunction, signature: Signature) -> Function:
    """Integers among arguments, or as the result."""
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
    """A function of float with native_ or half_ before its name."""
    make = _elementwise(name)
    return lambda signature: make(signature) if have_element(signature, FLOAT) else None


_NAMES = [n for n in wide.FUNCTIONS if n not in (*_WITH_POINTER, "divide", "recip")]

#: native_ and half_ functions: of float, and as exact as those without.
_FAST = "cos divide exp exp2 exp10 log log2 log10 powr recip rsqrt sin sqrt tan".split()

MAKERS: dict[str, Maker] = {
    **{name: _elementwise(name) for name in _NAMES},
    **dict.fromkeys(_WITH_POINTER, _with_pointer),
    **{f"{prefix}_{name}": _plain(name) for name in _FAST for prefix in ("native", "half")},
}
