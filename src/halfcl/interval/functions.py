"""Functions of bounds made functions of intervals."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl.interval import arithmetic, elementary, powers, reverse, trigonometric
from halfcl.interval.array import Interval
from halfcl.interval.bounds import Bounds
from halfcl.interval.values import as_bounds

Kernel = Callable[..., Any]

#: All functions of bounds, by the names under which they become public.
KERNELS: dict[str, Kernel] = {
    **arithmetic.FUNCTIONS,
    **elementary.FUNCTIONS,
    **powers.FUNCTIONS,
    **trigonometric.FUNCTIONS,
    **reverse.FUNCTIONS,
}


def _as_integers(x: Any, argument: str) -> NDArray[Any]:
    array = np.asarray(x)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{argument}: expected integers, got {array.dtype}")
    return array


def _interval(bounds: Bounds, shape: tuple[int, ...]) -> Interval:
    low, high = bounds
    return Interval.of((np.asarray(low).reshape(shape), np.asarray(high).reshape(shape)))


def _result(found: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(found[0], tuple):  # several
        return tuple(_interval(bounds, shape) for bounds in found)
    return _interval(found, shape)


def _apply_to_shape(kernel: Kernel, arguments: list[Any]) -> Any:
    """The general case: arguments of several shapes, or of no dimension."""
    arrays = [x for argument in arguments for x in _arrays_of(argument)]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    inside = shape or (1,)
    spread = [
        tuple(np.broadcast_to(x, inside) for x in argument)
        if isinstance(argument, tuple)
        else np.broadcast_to(argument, inside)
        for argument in arguments
    ]
    return _result(_quietly(kernel, spread), shape)


def _arrays_of(argument: Any) -> tuple[Any, ...]:
    return argument if isinstance(argument, tuple) else (argument,)


def _quietly(kernel: Kernel, arguments: list[Any]) -> Any:
    with np.errstate(all="ignore"):
        return kernel(*arguments)


def _apply(kernel: Kernel, arguments: list[Any]) -> Any:
    shape = arguments[0][0].shape
    for argument in arguments:
        if _arrays_of(argument)[0].shape != shape:
            return _apply_to_shape(kernel, arguments)
    if not shape:
        return _apply_to_shape(kernel, arguments)
    found = _quietly(kernel, arguments)
    if type(found[0]) is np.ndarray:
        return Interval.of(found)
    return _result(found, shape)


def public(name: str, kernel: Kernel) -> Callable[..., Any]:
    """The function of intervals, numbers and integers that a function of bounds makes."""
    signature = inspect.signature(kernel)
    names = tuple(signature.parameters)
    takes = tuple("Bounds" in str(p.annotation) for p in signature.parameters.values())
    least = sum(p.default is p.empty for p in signature.parameters.values())

    def function(*args: Any, **keywords: Any) -> Any:
        if keywords or not least <= len(args) <= len(names):
            args = signature.bind(*args, **keywords).args
        while len(args) > least and args[-1] is None:
            args = args[:-1]
        arguments = [
            (as_bounds(x, names[i]) if takes[i] else _as_integers(x, names[i]))
            for i, x in enumerate(args)
        ]
        return _apply(kernel, arguments)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = kernel.__doc__
    function.__module__ = "halfcl.interval"
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[p.replace(annotation=p.empty) for p in signature.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )
    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: public(name, kernel) for name, kernel in KERNELS.items()
}
