"""Operations by operator, type and rounding mode: what generated code calls.

Halves are halfcl's own; float and double are the processor's, in the mode. A scalar is an array
of one element, or of one for each work-item; a vector has its components before these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

import halfcl as hc
from halfcl import _core
from halfcl._opencl.conversion.functions import conversion_to
from halfcl.cl import _integers as integers
from halfcl.cl._lanes import Array, Ramp, Truth, Truths, Value, as_array, plain
from halfcl.cl._types import BOOL, HALF, DType, Number, Scalar, Vector
from halfcl.typing import RoundingMode

#: Of numbers as the code has them.
Operation: TypeAlias = Callable[..., Value]

#: None, of halves: that of the region in force, which may be at random.
Mode: TypeAlias = RoundingMode | None

_NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


def known(truth: Truth) -> Truth:
    """A comparison's result: a bool if it is the same for all items."""
    if type(truth) is bool:
        return truth
    return bool(truth.flat[0]) if truth.size == 1 else truth


def inverted(truth: Truth) -> Truth:
    """Not."""
    return not truth if type(truth) is bool else ~truth


def both(a: Truth, b: Truth) -> Truth:
    """And."""
    if type(a) is bool:
        return b if a else a
    if type(b) is bool:
        return a if b else b
    return a & b


def either(a: Truth, b: Truth) -> Truth:
    """Or."""
    return inverted(both(inverted(a), inverted(b)))


@functools.cache
def binary(symbol: str, scalar: Scalar, mode: Mode) -> Operation:
    """Of an operator and the type of its operands."""
    if symbol in _COMPARISONS:
        return _comparison(symbol, scalar)
    if scalar.is_floating:
        return floating(symbol, scalar, mode)
    if symbol in ("<<", ">>"):
        return integers.shift(symbol, scalar)
    return integers.arithmetic(symbol, scalar)


@functools.cache
def of_numbers(name: str) -> _core.Function:
    """add, subtract, multiply, divide, sqrt or fma of float and of double: called as halfcl's
    functions of half are, correctly rounded in any mode."""
    nin = {"sqrt": 1, "fma": 3}.get(name, 2)
    kernels = [(name, f"{letter * nin}>{letter}") for letter in "fd"]
    ufuncs = [
        _core.make_ufunc(f"{name}_{mode}", "", mode, kernels, promotes=False)
        for mode in _core.MODES
    ]
    return _core.make_function(name, "", ufuncs, "exact")


def special(name: str) -> np.ufunc:
    """erf, erfc, lgamma or tgamma of doubles, within a few units in the last place."""
    return _core.make_ufunc(name, "", "rte", [(name, "d>d")], promotes=False)


def floating(symbol: str, scalar: Scalar, mode: Mode) -> Callable[..., Array]:
    """Of + - * / and a floating type."""
    name = _NAMES[symbol]
    function = getattr(hc, name) if scalar == HALF else of_numbers(name)
    return functools.partial(function, rounding=mode)


@functools.cache
def fused(scalar: Scalar, mode: Mode) -> Callable[..., Array]:
    """a * b + c, rounded once."""
    function = hc.fma if scalar == HALF else of_numbers("fma")
    return functools.partial(function, rounding=mode)


def _comparison(symbol: str, scalar: Scalar) -> Callable[..., Truth]:
    if not scalar.is_floating:
        return integers.comparison(symbol, scalar)
    ufunc = integers.COMPARISONS[symbol][1]
    return lambda a, b: known(ufunc(a, b))


def _vector_truth(truth: np.bool_ | Array, dtype: DType) -> int | Array:
    """-1 where it is true, else 0: an int of ints, of which all components are one."""
    return np.negative(truth.astype(dtype)) if truth.ndim else -int(truth)


def vector_comparison(symbol: str, scalar: Scalar, dtype: DType) -> Operation:
    """Of vectors."""
    of_ints, ufunc = integers.COMPARISONS[symbol]

    def compare(a: Value, b: Value) -> Value:
        if type(a) is int and type(b) is int:  # of 64 bits, which NumPy does not compare
            return -int(of_ints(a, b))
        return _vector_truth(ufunc(a, b), dtype)  # type: ignore[arg-type]  # no vector is a Ramp

    return compare


def vector_logic(symbol: str, dtype: DType) -> Operation:
    """&& || of vectors."""
    ufunc = np.logical_and if symbol == "&&" else np.logical_or
    return lambda a, b: _vector_truth(ufunc(_truths(a), _truths(b)), dtype)


def _truths(value: Value) -> bool | Truths:
    """Of a vector."""
    return value != 0 if type(value) is int else np.not_equal(value, 0)  # type: ignore[arg-type]


def unary(symbol: str, number: Number) -> Operation:
    """Of an operator and the type of its operand."""
    scalar = number.element
    if symbol == "+":
        return lambda a: a
    if symbol == "!":
        return _not(number)
    if symbol == "~":
        return integers.inverse(scalar)
    return np.negative if scalar.is_floating else integers.negative(scalar)


def _not(number: Number) -> Operation:
    if isinstance(number, Vector):
        dtype = np.dtype(f"i{number.element.size}")
        return lambda a: _vector_truth(np.logical_not(_truths(a)), dtype)
    return lambda a: integers.of_truth(known(np.equal(plain(a, number.dtype), 0)))


# ---------------------------------------------------------------- conversions


def constant(number: Number, value: int | float) -> int | Array:
    """A literal: of floating types an array of one."""
    if not number.is_floating:
        return int(value)
    return np.array([value], np.float64).astype(number.dtype)


@functools.cache
def conversion(source: Number, target: Number, mode: Mode, saturates: bool = False) -> Operation:
    """Of numbers of one width. To integers mode is the one that was asked for, or rtz."""
    if source.element == target.element:
        return lambda a: a
    if not source.is_floating and not target.is_floating and not saturates:
        return integers.conversion(source.element, target.element)
    if target.element == BOOL:
        return lambda a: _as_value(known(np.not_equal(a, 0)))
    function = conversion_to(target.element.name, saturates)
    dtype, is_integer = source.dtype, isinstance(target, Scalar) and not target.is_floating

    def convert(a: Value) -> int | Array:
        found = function(as_array(a, dtype), rounding=mode)
        return int(found[0]) if is_integer and found.size == 1 else found

    return convert


def _as_value(truth: Truth) -> Value:
    """Of type bool."""
    return int(truth) if type(truth) is bool else truth


# ---------------------------------------------------------------- vectors


def component(value: Value, index: int) -> Value:
    """A scalar."""
    if type(value) is int:
        return value
    rows: Array = value  # type: ignore[assignment]
    found: Array = rows[index if len(rows) > 1 else 0]
    return found


def splat(value: Value, dtype: DType) -> Value:
    """One row for all components."""
    if type(value) is int:
        return value
    return plain(value, dtype)[np.newaxis]


def swizzle(value: Value, indices: tuple[int, ...]) -> Value:
    """Some components, in any order."""
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
    return movable(rows)[list(indices)].view(rows.dtype)


def movable(array: Array) -> Array:
    """Halves as their bits, which NumPy copies several times as fast."""
    return array.view(np.uint16) if array.dtype == HALF.dtype else array


def same(value: Array, out: Array | None = None) -> Array:
    """The value, as an operation has it."""
    if out is None:
        return value
    movable(out)[...] = movable(value)
    return out


def assembled(parts: tuple[Value, ...], widths: tuple[int, ...], dtype: DType) -> Array:
    """A vector of scalars and vectors."""
    arrays = [as_array(part, dtype) for part in parts]
    count = max(array.shape[-1] for array in arrays)
    found = np.empty((sum(widths), count), dtype)
    rows, row = movable(found), 0
    for array, width in zip(arrays, widths, strict=True):
        rows[row : row + width] = movable(array)
        row += width
    return found


def replaced(value: Value, indices: tuple[int, ...], new: Value, width: int, dtype: DType) -> Array:
    """A vector with some of its components set anew."""
    value, new = as_array(value, dtype), as_array(new, dtype)
    count = max(value.shape[-1], new.shape[-1])
    found = np.empty((width, count), dtype)
    rows = movable(found)
    rows[...] = movable(value)
    if new.ndim == 2 and len(new) > 1:
        for index, row in zip(indices, movable(new), strict=True):
            rows[index] = row
    else:
        rows[list(indices)] = movable(new)
    return found


def truth(value: Value) -> Truth:
    """Of a scalar, as a condition."""
    if type(value) is int:
        return value != 0
    if type(value) is Ramp:
        value = value.array()
    return known(np.not_equal(value, 0))
