"""What a built-in function is to generated code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import halfcl as hc
from halfcl.cl._lanes import plain
from halfcl.cl._tree import Mode
from halfcl.cl._types import Number, Scalar, Type, Vector


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    arguments: tuple[Type, ...]
    result: Type
    rounding: Mode  # in force where the call stands; None, to half only: the region's

    @property
    def number(self) -> Number:
        """The first argument's type, of a function of numbers."""
        assert isinstance(self.arguments[0], Scalar | Vector)
        return self.arguments[0]


class OfRun:
    """Called with the run, the mask and the place in the program before its arguments."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


class Effect(OfRun):
    """One that does more than to give a value: it is called once, in its turn.

    unused: what is called instead where nobody asks for the value.
    """

    __slots__ = ("unused",)

    def __init__(
        self, function: Callable[..., Any], unused: Callable[..., Any] | None = None
    ) -> None:
        super().__init__(function)
        self.unused = unused or function


Maker = Callable[[Signature], Callable[..., Any] | None]


def of_halves(name: str, rounding: Mode) -> Any:
    """halfcl's function: to nearest, whatever mode; at random where None says the region's."""
    found = getattr(hc, name, None)
    return found if rounding is None else getattr(found, "rte", None)


def array_of(value: object, number: Number) -> Any:
    """A value of a type as an array: (1 or items,), of vectors (1 or n, 1 or items)."""
    found = np.atleast_1d(plain(value, number.dtype))
    return found[np.newaxis] if isinstance(number, Vector) and found.ndim == 1 else found


def value_of(array: Any, number: Number) -> Any:
    """An array as a value of a type: an integer of all items is a Python int."""
    if isinstance(number, Vector):
        return array if array.ndim == 2 else array.reshape(1, -1)
    if not number.is_floating and array.size == 1:
        return int(array.flat[0])
    return array


def have_element(signature: Signature, *elements: Scalar) -> bool:
    """Whether the first argument is of such numbers."""
    first = signature.arguments[0] if signature.arguments else None
    return isinstance(first, Scalar | Vector) and first.element in elements
