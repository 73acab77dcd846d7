"""Relational functions; true is 1 for scalars and -1 for vectors."""

from __future__ import annotations

import numpy as np

import halfcl as hc
from halfcl._opencl.selection import by_top_bit, by_truth
from halfcl.cl._frontend.types import HALF, Vector
from halfcl.cl._interpreter.builtins.kinds import (
    ArrayFunction,
    Function,
    Maker,
    Signature,
    array_of,
    value_of,
)
from halfcl.cl._interpreter.values.lanes import Array, Value


def _is_normal(x: Array) -> Array:
    result: Array = np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny)
    return result


def _is_unordered(x: Array, y: Array) -> Array:
    return np.isnan(x) | np.isnan(y)


#: Functions of float and double; halves use halfcl's functions of these names.
_PREDICATES: dict[str, ArrayFunction] = {
    "isequal": np.equal,
    "isnotequal": np.not_equal,
    "isgreater": np.greater,
    "isgreaterequal": np.greater_equal,
    "isless": np.less,
    "islessequal": np.less_equal,
    "islessgreater": lambda x, y: (x < y) | (x > y),
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isnormal": _is_normal,
    "isordered": lambda x, y: ~_is_unordered(x, y),
    "isunordered": _is_unordered,
    "signbit": np.signbit,
}


def predicate(signature: Signature) -> Function:
    """Return a predicate."""
    of_halves = signature.number.element == HALF
    function: ArrayFunction
    function = getattr(hc, signature.name) if of_halves else _PREDICATES[signature.name]
    result = signature.result_number
    if isinstance(result, Vector):
        return lambda *arguments: np.negative(function(*arguments).astype(result.dtype))
    return lambda *arguments: value_of(function(*arguments).astype(result.dtype), result)


def _any_or_all(combine: ArrayFunction) -> Maker:
    """Return the maker of any or all, which test most significant bits."""

    def make(signature: Signature) -> Function:
        """Return the function for a call."""
        number, result = signature.number, signature.result_number
        is_vector = isinstance(number, Vector)

        def call(x: Value) -> Value:
            truths = array_of(x, number) < 0
            combined = combine(truths, axis=0) if is_vector else truths
            return value_of(combined.astype(np.int32), result)

        return call

    return make


all_true, any_true = _any_or_all(np.all), _any_or_all(np.any)


def select(signature: Signature) -> Function:
    """Return select: b where c, else a.

    For vectors the most significant bit of c decides, for scalars whether c is 0.
    """
    types, result = signature.numbers, signature.result_number
    is_vector = isinstance(result, Vector)
    signed = np.dtype(f"i{types[2].element.size}")
    of_halves = (by_top_bit if is_vector else by_truth) if result.element == HALF else None

    def call(a: Value, b: Value, c: Value) -> Value:
        if type(c) is int:
            condition_ = array_of(c, types[2].element).view(signed)[0]
            return b if (condition_ < 0 if is_vector else c != 0) else a
        condition = array_of(c, types[2]).view(signed)
        if of_halves is not None and signed.itemsize == 2:
            selected: Array = of_halves(a, b, condition)
            return selected
        truths = condition < 0 if is_vector else condition != 0
        return value_of(np.where(truths, array_of(b, result), array_of(a, result)), result)

    return call


def bitselect(signature: Signature) -> Function:
    """Return bitselect: the bits of b where c has a 1, else those of a."""
    number = signature.number
    pattern = np.dtype(f"u{number.element.size}")

    def call(*arguments: Value) -> Value:
        a, b, c = (array_of(x, number).view(pattern) for x in arguments)
        bits = ((a & ~c) | (b & c)).view(number.dtype)
        if all(type(x) is int for x in arguments):
            return int(bits.flat[0])
        return value_of(bits, number)

    return call
