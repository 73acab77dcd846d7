"""Public functions of intervals, built from functions of bounds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds import arithmetic, common, elementary, powers, trigonometric
from halfcl.interval._bounds.documentation import docstring
from halfcl.interval._bounds.pairs import Bounds, Tracer
from halfcl.interval._decorated.array import DecoratedInterval
from halfcl.interval._decorated.propagation import IntervalResult, apply
from halfcl.interval._reverse import operations as reverse

#: An argument of a function of bounds: bounds, or integers.
Argument: TypeAlias = Bounds | NDArray[Any]
#: Its result: the bounds of one interval, or of several.
KernelResult: TypeAlias = Bounds | tuple[Bounds, ...]
Kernel: TypeAlias = Callable[..., KernelResult]

#: All functions of bounds by their public names.
KERNELS: dict[str, Kernel] = {
    **arithmetic.FUNCTIONS,
    **elementary.FUNCTIONS,
    **powers.FUNCTIONS,
    **trigonometric.FUNCTIONS,
    **common.FUNCTIONS,
    **reverse.FUNCTIONS,
}

#: The parameter of each function that accepts integers; all others are intervals.
INTEGERS = {"compoundn": "n", "ldexp": "k", "pown": "n", "pown_rev": "n", "rootn": "n"}

#: The functions that return several intervals.
SEVERAL = frozenset({"mul_rev_to_pair"})


_FAR = 1 << 40  # beyond this, powers and roots of halves depend on parity alone


def _reduce_exponent(n: int) -> int:
    return max(-_FAR, min(int(n), _FAR)) | (n & 1)


def integers_of(x: object) -> NDArray[Any] | None:
    """Return integers of any size as an array of an integer type; None for anything else."""
    array = np.asarray(x)
    if array.dtype.kind == "b":
        return array.astype(np.int8)
    if array.dtype.kind == "O" and all(isinstance(n, int | np.integer) for n in array.flat):
        return np.array([_reduce_exponent(n) for n in array.flat], np.int64).reshape(array.shape)
    return array if array.dtype.kind in "iu" else None


def whole_numbers_of(x: object) -> tuple[NDArray[Any], NDArray[np.bool_]] | None:
    """Return a float, or halves, as integers, and where they are; None if none is an integer.

    Others become 0.
    """
    array = np.asarray(x)
    if array.dtype.kind != "f" or (array.ndim and array.dtype.itemsize > 2):
        return None
    is_whole = np.isfinite(array) & (np.trunc(array) == array)
    if not is_whole.any():
        return None
    numbers = [_reduce_exponent(int(n)) for n in np.where(is_whole, array, 0).flat]
    return np.array(numbers, np.int64).reshape(array.shape), np.asarray(is_whole)


def _as_integers(x: object, argument: str) -> NDArray[Any]:
    if isinstance(x, ArrayOfIntervals):
        raise TypeError(f"{argument}: expected integers, got {type(x).__name__}")
    array = integers_of(x)
    if array is None:
        raise TypeError(f"{argument}: expected integers, got {np.asarray(x).dtype}")
    return array


def _interval(bounds: Bounds, shape: tuple[int, ...]) -> Interval:
    low, high = bounds
    return Interval.of((np.asarray(low).reshape(shape), np.asarray(high).reshape(shape)))


def _result(found: Any, shape: tuple[int, ...]) -> IntervalResult:
    if isinstance(found[0], tuple):  # several
        return tuple(_interval(bounds, shape) for bounds in found)
    return _interval(found, shape)


def _pair(found: tuple[Bounds, ...]) -> tuple[Interval, ...]:
    return tuple(Interval.of(bounds) for bounds in found)


def _broadcast(x: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return numpy.broadcast_to, quickly where there is little to do."""
    if x.shape == shape:
        return x
    return x.reshape(1) if shape == (1,) else np.broadcast_to(x, shape)


def _apply_broadcast(kernel: Kernel, arguments: list[Argument]) -> IntervalResult:
    """Apply a function of bounds to arguments of several shapes, or of no dimension."""
    arrays = [x for argument in arguments for x in _arrays_of(argument)]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    inner = shape or (1,)
    broadcast = [
        tuple(_broadcast(x, inner) for x in argument)
        if isinstance(argument, tuple)
        else _broadcast(argument, inner)
        for argument in arguments
    ]
    return _result(kernel(*broadcast), shape)


def _arrays_of(argument: Argument) -> tuple[NDArray[Any], ...]:
    return argument if isinstance(argument, tuple) else (argument,)


#: The functions that raise no floating-point exceptions, or ignore them themselves.
_QUIET = arithmetic.QUIET | elementary.QUIET | trigonometric.QUIET


def _ignore_exceptions(kernel: Kernel) -> Kernel:
    """Return the function with floating-point exceptions, which mean nothing here, ignored."""
    if kernel in _QUIET:
        return kernel

    def call(*arguments: object) -> KernelResult:
        with np.errstate(all="ignore"):
            return kernel(*arguments)

    return call


def _apply(kernel: Kernel, arguments: list[Argument]) -> IntervalResult:
    shape = _arrays_of(arguments[0])[0].shape
    for argument in arguments:
        if _arrays_of(argument)[0].shape != shape:
            return _apply_broadcast(kernel, arguments)
    if not shape:
        return _apply_broadcast(kernel, arguments)
    result: Any = kernel(*arguments)
    if type(result[0]) is np.ndarray:
        return Interval.of(result)
    return _result(result, shape)


#: Arguments that are not plain intervals, halves or numbers.
_SPECIAL = (DecoratedInterval, Tracer)


def make_public(name: str, kernel: Kernel) -> Callable[..., Any]:
    """Return the function of intervals, numbers and integers that a function of bounds defines."""
    signature = inspect.signature(kernel)
    names = tuple(signature.parameters)
    is_interval = tuple(n != INTEGERS.get(name) for n in names)
    least = sum(p.default is p.empty for p in signature.parameters.values())
    integers = tuple(n for n, t in zip(names, is_interval, strict=True) if not t)
    quiet: Callable[..., Any] = _ignore_exceptions(kernel)
    unary, binary = is_interval == (True,), is_interval == (True, True)

    def prepare(i: int, x: object) -> Argument:
        return as_bounds(x, names[i]) if is_interval[i] else _as_integers(x, names[i])

    def function(*args: Any, **keywords: object) -> Any:
        if not keywords and len(args) == 1 and type(args[0]) is Interval and unary:
            x = args[0]  # the fast paths of the commonest cases
            if x._lo.ndim:
                return Interval.of(quiet((x._lo, x._hi)))
        elif (
            not keywords
            and len(args) == 2
            and type(args[0]) is type(args[1]) is Interval
            and binary
        ):
            one, other = args
            if (shape := one._lo.shape) == other._lo.shape and shape:
                bounds = quiet((one._lo, one._hi), (other._lo, other._hi))
                return Interval.of(bounds) if type(bounds[0]) is not tuple else _pair(bounds)
        if keywords or not least <= len(args) <= len(names):
            args = signature.bind(*args, **keywords).args
        while len(args) > least and args[-1] is None:
            args = args[:-1]
        if special := [x for x in args if isinstance(x, _SPECIAL)]:
            if (tracer := next((x for x in special if isinstance(x, Tracer)), None)) is None:
                return apply(function, args, names, integers)
            return tracer._apply_function(name, args)
        arguments = [
            (x._lo, x._hi) if type(x) is Interval and is_interval[i] else prepare(i, x)
            for i, x in enumerate(args)
        ]
        return _apply(quiet, arguments)

    function.__name__ = function.__qualname__ = name
    result = "tuple of Interval" if name in SEVERAL else "Interval"
    function.__doc__ = docstring(kernel, INTEGERS.get(name), result)
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[p.replace(annotation=p.empty) for p in signature.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )
    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: make_public(name, kernel) for name, kernel in KERNELS.items()
}
