"""Vector literals: the arguments of a vector class, put side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl._support.results import Result
from halfcl.vectors._registry import VectorBase, as_plain, width_of

#: Python's numbers that NumPy takes for elements of a kind as they are, or rounded.
_NUMBERS: dict[str, set[type]] = {"i": {int}, "u": {int}, "f": {int, float}}


def _typed(position: int, name: str, argument: Result, element: np.dtype[Any]) -> NDArray[Any]:
    """What NumPy has given a dtype: taken if it is exact in the elements' type."""
    if not np.can_cast(argument.dtype, element, "safe"):
        raise TypeError(
            f"{name}: argument {position}: expected {element} or what is exact in it, "
            f"got {argument.dtype}; halfcl.convert_{name}(x) or x.astype converts"
        )
    return np.asarray(argument).astype(element)


def _untyped(position: int, name: str, argument: object, element: np.dtype[Any]) -> NDArray[Any]:
    """Python's numbers, and lists of them: rounded to floating elements, never truncated."""
    probe = np.asarray(argument)
    if probe.dtype.kind in "biu" or (probe.dtype.kind == "f" and element.kind == "f"):
        return np.asarray(argument, dtype=element)
    raise TypeError(
        f"{name}: argument {position}: expected numbers that {element} can hold, got {argument!r}"
    )


def _elements(position: int, name: str, argument: object, element: np.dtype[Any]) -> NDArray[Any]:
    """An argument as an array of the elements' type."""
    if isinstance(argument, np.ndarray | np.generic):
        return _typed(position, name, argument, element)
    return _untyped(position, name, argument, element)


def _of_vector(
    position: int, name: str, argument: NDArray[Any], element: np.dtype[Any]
) -> NDArray[Any]:
    if argument.dtype != element:
        kind = type(argument).__name__
        raise TypeError(
            f"{name}: argument {position}: expected elements of type {element}, got {kind}; "
            "halfcl.convert or x.astype converts"
        )
    return as_plain(argument)


def _side_by_side(name: str, parts: list[NDArray[Any]], width: int) -> NDArray[Any]:
    """Arrays of components, one after the other on the last axis; the others broadcast."""
    counts = [part.shape[-1] for part in parts]
    if sum(counts) != width:
        got = " + ".join(map(str, counts)) or "none"
        raise ValueError(
            f"{name}: expected {width} components in all, or one scalar for all; got {got}"
        )
    if all(part.ndim == 1 for part in parts):
        return np.concatenate(parts)
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(p, (*shape, p.shape[-1])) for p in parts], axis=-1)


def _lone(name: str, argument: object, width: int, element: np.dtype[Any]) -> NDArray[Any]:
    """A scalar fills all components; the last axis of an array are the components."""
    array = _elements(1, name, argument, element)
    if array.ndim == 0:
        # OpenCL: a bool becomes a vector of integers with all bits set or clear.
        if element.kind in "iu" and isinstance(argument, bool | np.bool):
            array = np.negative(array)
        return np.full(width, array)
    if array.shape[-1] != width:
        spelled = ", ".join(["x"] * width) if width <= 4 else "x, x, …"
        raise ValueError(
            f"{name}: argument 1: expected a last axis of length {width}, got shape "
            f"{array.shape}; an array of scalars is one component: {name}({spelled})"
        )
    return array


def literal(
    name: str, width: int, element: np.dtype[Any], arguments: tuple[object, ...]
) -> NDArray[Any]:
    """The components, as a new plain array, of what a vector class is called with."""
    if len(arguments) == width and {type(x) for x in arguments} <= _NUMBERS[element.kind]:
        return np.array(arguments, element)  # the common case, without ado
    if len(arguments) == 1 and not width_of(arguments[0]):
        return _lone(name, arguments[0], width, element)
    parts = [
        _of_vector(i, name, x, element)
        if isinstance(x, VectorBase)
        else _elements(i, name, x, element)[..., np.newaxis]
        for i, x in enumerate(arguments, 1)
    ]
    return _side_by_side(name, parts, width)
