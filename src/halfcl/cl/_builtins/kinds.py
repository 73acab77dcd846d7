"""What a built-in function is to generated code."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

import halfcl as hc
from halfcl._core import MODES
from halfcl.cl._lanes import Array, Value, as_operand_array
from halfcl.cl._tree import Mode
from halfcl.cl._types import Number, Scalar, Type, Vector
from halfcl.typing import RoundingMode

#: What generated code calls, with values, pointers and whatever else a program has.
Function: TypeAlias = Callable[..., object]

#: On arrays of one type, element by element.
ArrayFunction: TypeAlias = Callable[..., Array]


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    arguments: tuple[Type, ...]
    result: Type
    rounding: Mode  # in force where the call stands; None, to half only: the region's

    @property
    def number(self) -> Number:
        """The first argument's type, of a function of numbers."""
        return as_number(self.arguments[0])

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All arguments' types, of a function of numbers."""
        return tuple(map(as_number, self.arguments))

    @property
    def result_number(self) -> Number:
        """The result's type, of a function that gives numbers."""
        return as_number(self.result)


def as_number(type_: Type) -> Number:
    """A type that is known to be a number's."""
    assert isinstance(type_, Scalar | Vector)
    return type_


class OfRun:
    """Called with the run, the mask and the place in the program before its arguments."""

    __slots__ = ("function",)

    def __init__(self, function: Function) -> None:
        self.function = function

    def __call__(self, *arguments: object) -> object:
        return self.function(*arguments)


class Effect(OfRun):
    """One that does more than to give a value: it is called once, in its turn.

    unused: what is called instead where nobody asks for the value.
    """

    __slots__ = ("unused",)

    def __init__(self, function: Function, unused: Function | None = None) -> None:
        super().__init__(function)
        self.unused = unused or function


Maker: TypeAlias = Callable[[Signature], Function | None]


def of_halves(name: str, rounding: Mode) -> ArrayFunction | None:
    """halfcl's function: to nearest, whatever mode; at random where None says the region's."""
    found: ArrayFunction | None = getattr(hc, name, None)
    if found is None or rounding is None:
        return found
    # Not found.rte, NumPy's ufunc, which copies what does not lie alike.
    return functools.partial(found, rounding="rte") if hasattr(found, "rte") else None


def array_of(value: Value, number: Number) -> Array:
    """A value of a type as an array: (1 or items,), of vectors (1 or n, 1 or items)."""
    found = np.atleast_1d(as_operand_array(value, number.dtype))
    return found[np.newaxis] if isinstance(number, Vector) and found.ndim == 1 else found


def value_of(array: Array, number: Number) -> Value:
    """An array as a value of a type: an integer of all items is a Python int."""
    if isinstance(number, Vector):
        return array if array.ndim == 2 else array.reshape(1, -1)
    if not number.is_floating and array.size == 1:
        return int(array.flat[0])
    return array


def mode_in(name: str) -> RoundingMode | None:
    """The mode that a function's name ends with."""
    return next((mode for mode in MODES if name.endswith(f"_{mode}")), None)


def have_element(signature: Signature, *elements: Scalar) -> bool:
    """Whether the first argument is of such numbers."""
    first = signature.arguments[0] if signature.arguments else None
    return isinstance(first, Scalar | Vector) and first.element in elements
