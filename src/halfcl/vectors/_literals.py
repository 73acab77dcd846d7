"""Vector literals: the arguments of a vector class, concatenated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl._support.results import Result
from halfcl.vectors._registry import VectorBase, as_plain, conversion_call, width_of

#: Python's numbers that NumPy converts to elements of a kind, exactly or rounded.
_NUMBERS: dict[str, set[type]] = {"i": {int}, "u": {int}, "f": {int, float}}


def _from_typed(position: int, name: str, argument: Result, element: np.dtype[Any]) -> NDArray[Any]:
    """Return an argument with a dtype as elements, in which the dtype must be exact."""
    if not np.can_cast(argument.dtype, element, "safe"):
        raise TypeError(
            f"{name}: argument {position}: expected {element} or a dtype exact in it, "
            f"got {argument.dtype}; use {conversion_call(element)}"
        )
    return np.asarray(argument).astype(element)


def _from_untyped(
    position: int, name: str, argument: object, element: np.dtype[Any]
) -> NDArray[Any]:
    """Return Python's numbers, or lists of them, as elements; never truncated to integers."""
    array = np.asarray(argument)
    if array.dtype.kind in "biu" or (array.dtype.kind == "f" and element.kind == "f"):
        return np.asarray(argument, dtype=element)
    raise TypeError(
        f"{name}: argument {position}: expected numbers that {element} can hold, got {argument!r}"
    )


def _elements(position: int, name: str, argument: object, element: np.dtype[Any]) -> NDArray[Any]:
    """Return an argument as an array of the elements' type."""
    if isinstance(argument, np.ndarray | np.generic):
        return _from_typed(position, name, argument, element)
    return _from_untyped(position, name, argument, element)


def _from_vector(
    position: int, name: str, argument: NDArray[Any], element: np.dtype[Any]
) -> NDArray[Any]:
    if argument.dtype != element:
        kind = type(argument).__name__
        raise TypeError(
            f"{name}: argument {position}: expected elements of type {element}, got {kind}; "
            f"use {conversion_call(element)}"
        )
    return as_plain(argument)


def _concatenate(name: str, arrays: list[NDArray[Any]], width: int) -> NDArray[Any]:
    """Concatenate arrays of components on the last axis; other axes broadcast."""
    counts = [array.shape[-1] for array in arrays]
    if sum(counts) != width:
        got = " + ".join(map(str, counts)) or "none"
        raise ValueError(
            f"{name}: expected {width} components in all, or one scalar for all; got {got}"
        )
    if all(array.ndim == 1 for array in arrays):
        return np.concatenate(arrays)
    shape = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    return np.concatenate([np.broadcast_to(a, (*shape, a.shape[-1])) for a in arrays], axis=-1)


def _from_single(name: str, argument: object, width: int, element: np.dtype[Any]) -> NDArray[Any]:
    """Return the components of a single argument: a repeated scalar, or an array's last axis."""
    array = _elements(1, name, argument, element)
    if array.ndim == 0:
        # OpenCL: a bool becomes a vector of integers with all bits set or clear.
        if element.kind in "iu" and isinstance(argument, bool | np.bool):
            array = np.negative(array)
        return np.full(width, array)
    if array.shape[-1] != width:
        arguments = ", ".join(["x"] * width) if width <= 4 else "x, x, …"
        raise ValueError(
            f"{name}: argument 1: expected a last axis of length {width}, got shape "
            f"{array.shape}; pass arrays of scalars as one component each: {name}({arguments})"
        )
    return array


def literal(
    name: str, width: int, element: np.dtype[Any], arguments: tuple[object, ...]
) -> NDArray[Any]:
    """Return the components of a vector class's arguments, as a new plain array."""
    if len(arguments) == width and {type(x) for x in arguments} <= _NUMBERS[element.kind]:
        return np.array(arguments, element)  # fast path of the common case
    if len(arguments) == 1 and not width_of(arguments[0]):
        return _from_single(name, arguments[0], width, element)
    components = [
        _from_vector(i, name, x, element)
        if isinstance(x, VectorBase)
        else _elements(i, name, x, element)[..., np.newaxis]
        for i, x in enumerate(arguments, 1)
    ]
    return _concatenate(name, components, width)
