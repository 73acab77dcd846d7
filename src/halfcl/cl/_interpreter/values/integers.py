"""C's integer arithmetic: exact, and wrapped around.

One integer for all work-items is a Python int, one that differs evenly a `Ramp`, any other an
array; vectors are arrays, or an int if all components are equal.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np

from halfcl.cl._frontend.types import DType, Scalar, limits, wrap
from halfcl.cl._interpreter.values import lanes
from halfcl.cl._interpreter.values.lanes import Array, Ramp, Stripe, Truth, Truths, Value

Operation: TypeAlias = Callable[[Value, Value], Value]
Unary: TypeAlias = Callable[[Value], Value]
Comparison: TypeAlias = Callable[[Value, Value], Truth]
_OfArrays: TypeAlias = Callable[[int | Array, int | Array], Array]
_Along = TypeVar("_Along", Truths, Stripe)
_ArraysTruth: TypeAlias = Callable[[int | Array, int | Array], Truths]


def bounds(value: Value) -> tuple[int, int]:
    """Return the least and greatest of integers that are no array."""
    return value.bounds() if type(value) is Ramp else (value, value)  # type: ignore[return-value]


def _quotient(a: int, b: int) -> int:
    """Divide, truncating toward zero; division by zero, which is undefined, returns 0."""
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b) if b else 0


def _quotients(a: int | Array, b: int | Array) -> Array:
    quotient: Array = np.floor_divide(a, b)
    if quotient.dtype.kind == "i":
        quotient += (np.remainder(a, b) != 0) & (quotient < 0)
    return quotient


#: The operations of arithmetic symbols, on Python's ints and on arrays.
_ARITHMETIC: dict[str, tuple[Callable[[int, int], int], _OfArrays]] = {
    "+": (operator.add, np.add),
    "-": (operator.sub, np.subtract),
    "*": (operator.mul, np.multiply),
    "/": (_quotient, _quotients),
    "%": (_remainder, np.fmod),
    "&": (operator.and_, np.bitwise_and),
    "|": (operator.or_, np.bitwise_or),
    "^": (operator.xor, np.bitwise_xor),
}


def _product(a: Ramp | int, b: Ramp | int) -> Ramp | int | None:
    """Multiply; return None if both operands are ramps."""
    if type(b) is not Ramp:
        return lanes.scale(a, b)
    return lanes.scale(b, a) if type(a) is not Ramp else None


#: Operations on ramps, right if nothing wraps around.
_RAMPS: dict[str, Callable[[Ramp | int, Ramp | int], Ramp | int | None]] = {
    "+": lanes.add,
    "-": lambda a, b: lanes.add(a, lanes.scale(b, -1)),
    "*": _product,
}

COMPARISONS: dict[str, tuple[Callable[[int, int], bool], _ArraysTruth]] = {
    "<": (operator.lt, np.less),
    ">": (operator.gt, np.greater),
    "<=": (operator.le, np.less_equal),
    ">=": (operator.ge, np.greater_equal),
    "==": (operator.eq, np.equal),
    "!=": (operator.ne, np.not_equal),
}


def as_operand(value: Value, dtype: DType) -> int | Array:
    """Return a ramp as an array; an int stays one, as NumPy gives it the other operand's type."""
    return value.array().astype(dtype) if type(value) is Ramp else value


def arithmetic(symbol: str, scalar: Scalar) -> Operation:
    """Return the operation of an arithmetic symbol on two integers of one type."""
    dtype = scalar.dtype
    low, high = limits(dtype)
    (of_ints, of_arrays), of_ramps = _ARITHMETIC[symbol], _RAMPS.get(symbol)

    def of_ramp(a: Ramp | int, b: Ramp | int) -> Value:
        result = of_ramps(a, b) if of_ramps else None
        if result is not None and _fits(result, low, high):
            return result
        if type(a) is Ramp and type(b) is int:
            number = b
            along = lanes.map_axis(a, dtype, lambda values: of_arrays(values, number))
            if along is not None:
                return along
        return of_arrays(as_operand(a, dtype), as_operand(b, dtype))

    def of_kept(ramp: Ramp, operation: object, number: int, a: Ramp | int, b: Ramp | int) -> Value:
        if (known := ramp.recall(operation, number)) is None:
            result = of_ramp(a, b)
            if type(result) is np.ndarray:
                return result
            known = ramp.keep(operation, number, result)  # type: ignore[arg-type]
        return known

    def operate(a: Value, b: Value) -> Value:
        if type(a) is int:
            if type(b) is int:
                result = of_ints(a, b)
                return result if low <= result <= high else wrap(result, dtype)
            if type(b) is Ramp:
                return of_kept(b, reverse, a, a, b)
        elif type(a) is Ramp:
            if type(b) is int:
                return of_kept(a, operate, b, a, b)
            if type(b) is Ramp:
                return of_ramp(a, b)
        return of_arrays(as_operand(a, dtype), as_operand(b, dtype))

    reverse = object()  # the operation whose left operand is the number
    return operate


#: The greatest integer in the array of a ramp: 64 bits, signed.
_GREATEST = (1 << 63) - 1


def _fits(value: Ramp | int, low: int, high: int) -> bool:
    least, greatest = value.bounds() if type(value) is Ramp else (value, value)
    return low <= least and greatest <= min(high, _GREATEST)


def shift(symbol: str, scalar: Scalar) -> Operation:
    """Return the shift operation; OpenCL takes the count modulo the number of bits."""
    dtype = scalar.dtype
    last = 8 * dtype.itemsize - 1
    of_arrays = np.left_shift if symbol == "<<" else np.right_shift

    def operate(a: Value, b: Value) -> Value:
        if type(b) is int:
            places = b & last
            if type(a) is int:
                return wrap(a << places, dtype) if symbol == "<<" else a >> places
            if type(a) is Ramp:
                along = lanes.map_axis(a, dtype, lambda values: of_arrays(values, places))
                if along is not None:
                    return along
            count: int | Array = places
        else:
            counts: Array = lanes.spread(b)  # type: ignore[assignment]
            count = (counts & counts.dtype.type(last)).astype(dtype)
        result: Array = of_arrays(dtype.type(a) if type(a) is int else as_operand(a, dtype), count)
        return result

    return operate


def comparison(symbol: str, scalar: Scalar) -> Comparison:
    """Return the comparison of two integers; its result is a bool or an array of bool."""
    return _make_comparison(symbol, scalar, lanes.truths)


def stripe_comparison(symbol: str, scalar: Scalar) -> Callable[[Value, Value], Truth | Stripe]:
    """Return a comparison that gives a Stripe where the result depends on one axis only."""
    return _make_comparison(symbol, scalar, lanes.stripe)


def _make_comparison(
    symbol: str, scalar: Scalar, of_ramp: Callable[[Ramp, Callable[[Array], Truths]], _Along | None]
) -> Callable[[Value, Value], Truth | _Along]:
    """Return the comparison of two integers.

    of_ramp: compares a ramp with an int; returns None if the ramp's array must be used.
    """
    of_ints, of_arrays = COMPARISONS[symbol]
    dtype = scalar.dtype

    def operate(a: Value, b: Value) -> Truth | _Along:
        if type(a) is int and type(b) is int:
            return of_ints(a, b)
        if type(a) is Ramp or type(b) is Ramp:
            uniform = _compare_uniform(symbol, a, b)
            if uniform is not None:
                return uniform
            if type(a) is Ramp and type(b) is int:
                number = b
                along = of_ramp(a, lambda values: of_arrays(values, number))
                if along is not None:
                    return along
            a, b = as_operand(a, dtype), as_operand(b, dtype)
        return of_arrays(a, b)

    return operate


def _compare_uniform(symbol: str, a: Value, b: Value) -> bool | None:
    """Compare ramps whose result is the same for all items, as i < n is in all blocks but the last.

    Return None if it is not.
    """
    if type(a) not in (int, Ramp) or type(b) not in (int, Ramp):
        return None
    (low, high), (least, most) = bounds(a), bounds(b)
    if symbol in (">", ">="):
        return _compare_uniform("<" if symbol == ">" else "<=", b, a)
    if symbol in ("==", "!="):
        return (symbol == "!=") if high < least or most < low else None
    always = high < least if symbol == "<" else high <= least
    never = low >= most if symbol == "<" else low > most
    return True if always else False if never else None


def negative(scalar: Scalar) -> Unary:
    """Return the operation of unary minus."""
    minus = arithmetic("-", scalar)
    return lambda a: minus(0, a)


def complement(scalar: Scalar) -> Unary:
    """Return the operation of operator ~."""
    dtype = scalar.dtype

    def operate(a: Value) -> Value:
        return wrap(~a, dtype) if type(a) is int else np.invert(as_operand(a, dtype))

    return operate


def conversion(source: Scalar, target: Scalar) -> Unary:
    """Return the conversion between two integer types."""
    dtype = target.dtype
    low, high = limits(dtype)
    if dtype.kind == "b":
        return lambda a: int(a != 0) if type(a) is int else (as_operand(a, source.dtype) != 0)

    def operate(a: Value) -> Value:
        if type(a) is int:
            return a if low <= a <= high else wrap(a, dtype)
        if type(a) is Ramp:
            return a if _fits(a, low, high) else a.array().astype(dtype)
        return a.astype(dtype)  # type: ignore[union-attr]

    return operate


def int_from_truth(value: Truth) -> Value:
    """Return C's int for the result of a scalar comparison."""
    return int(value) if value is True or value is False else value.astype(np.int32)
