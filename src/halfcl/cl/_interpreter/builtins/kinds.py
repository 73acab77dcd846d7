"""The kinds of built-in functions, as generated code sees them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

import halfcl as hc
from halfcl.cl._frontend.builtins import Builtin
from halfcl.cl._frontend.tree import Mode
from halfcl.cl._frontend.types import Number, Scalar, Type, Vector
from halfcl.cl._interpreter.values.lanes import Array, Value, as_operand_array

#: A function that generated code calls, with values, pointers and so on.
Function: TypeAlias = Callable[..., object]

#: An elementwise function on arrays of one type.
ArrayFunction: TypeAlias = Callable[..., Array]


@dataclass(frozen=True, slots=True)
class Signature:
    """The built-in function and the types of a call."""

    builtin: Builtin
    arguments: tuple[Type, ...]
    result: Type
    rounding: Mode  # in force at the call; None, for half only: that of the region

    @property
    def name(self) -> str:
        return self.builtin.name

    @property
    def number(self) -> Number:
        """The first argument's type in a function of numbers."""
        return as_number(self.arguments[0])

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All arguments' types in a function of numbers."""
        return tuple(map(as_number, self.arguments))

    @property
    def result_number(self) -> Number:
        """The result's type in a function that returns numbers."""
        return as_number(self.result)


def as_number(type_: Type) -> Number:
    """Return a type that is known to be a number's."""
    assert isinstance(type_, Scalar | Vector)
    return type_


class RunFunction:
    """A function that is called with the run, the mask and the place before its arguments."""

    __slots__ = ("function",)

    def __init__(self, function: Function) -> None:
        self.function = function

    def __call__(self, *arguments: object) -> object:
        return self.function(*arguments)


class Effect(RunFunction):
    """A function with side effects, which is called exactly once and in order.

    unused: what is called instead if the value is not used.
    """

    __slots__ = ("unused",)

    def __init__(self, function: Function, unused: Function | None = None) -> None:
        super().__init__(function)
        self.unused = unused or function


#: Makes the function for a call; the table names the maker of each built-in function.
Maker: TypeAlias = Callable[[Signature], Function]


def half_function(name: str, rounding: Mode) -> ArrayFunction:
    """Return halfcl's function, to nearest in any mode; None as mode means the region's.

    The region may use stochastic rounding.
    """
    function: ArrayFunction = getattr(hc, name)
    # function.rte is NumPy's ufunc, which copies arrays of unlike layout.
    return function if rounding is None else functools.partial(function, rounding="rte")


def array_of(value: Value, number: Number) -> Array:
    """Return a value as an array: (1 or items,), or (1 or n, 1 or items) for vectors."""
    array = np.atleast_1d(as_operand_array(value, number.dtype))
    return array[np.newaxis] if isinstance(number, Vector) and array.ndim == 1 else array


def value_of(array: Array, number: Number) -> Value:
    """Return an array as a value; an integer that is the same for all items becomes an int."""
    if isinstance(number, Vector):
        return array if array.ndim == 2 else array.reshape(1, -1)
    if not number.is_floating and array.size == 1:
        return int(array.flat[0])
    return array
