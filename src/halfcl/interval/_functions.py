"""Functions of bounds made functions of intervals."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.interval import (
    _arithmetic as arithmetic,
    _common as common,
    _elementary as elementary,
    _powers as powers,
    _reverse as reverse,
    _trigonometric as trigonometric,
)
from halfcl.interval._array import Interval
from halfcl.interval._bounds import Bounds, Followed
from halfcl.interval._decorated import DecoratedInterval
from halfcl.interval._decorated_functions import Made, apply
from halfcl.interval._methods import ArrayOfIntervals
from halfcl.interval._values import as_bounds

#: What a function of bounds takes: bounds, and integers.
Argument: TypeAlias = Bounds | NDArray[Any]
#: What it gives: those of one interval, or of several.
Found: TypeAlias = Bounds | tuple[Bounds, ...]
Kernel: TypeAlias = Callable[..., Found]

#: All functions of bounds, by the names under which they become public.
KERNELS: dict[str, Kernel] = {
    **arithmetic.FUNCTIONS,
    **elementary.FUNCTIONS,
    **powers.FUNCTIONS,
    **trigonometric.FUNCTIONS,
    **common.FUNCTIONS,
    **reverse.FUNCTIONS,
}

#: The parameter that is integers, of functions that have one; all others are intervals.
INTEGERS = {"compoundn": "n", "ldexp": "k", "pown": "n", "pown_rev": "n", "rootn": "n"}

#: Those that give several intervals.
SEVERAL = frozenset({"mul_rev_to_pair"})


_FAR = 1 << 40  # beyond this, powers and roots of halves depend on parity alone


def _nearer(n: int) -> int:
    return max(-_FAR, min(int(n), _FAR)) | (n & 1)


def integers_of(x: object) -> NDArray[Any] | None:
    """Integers, of any size, as an array of an integer type; None if x is not of integers."""
    array = np.asarray(x)
    if array.dtype.kind == "b":
        return array.astype(np.int8)
    if array.dtype.kind == "O" and all(isinstance(n, int | np.integer) for n in array.flat):
        return np.array([_nearer(n) for n in array.flat], np.int64).reshape(array.shape)
    return array if array.dtype.kind in "iu" else None


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


def _result(found: Any, shape: tuple[int, ...]) -> Made:
    if isinstance(found[0], tuple):  # several
        return tuple(_interval(bounds, shape) for bounds in found)
    return _interval(found, shape)


def _pair(found: tuple[Bounds, ...]) -> tuple[Interval, ...]:
    return tuple(Interval.of(bounds) for bounds in found)


def _spread(x: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """numpy.broadcast_to, and quick where there is little to do."""
    if x.shape == shape:
        return x
    return x.reshape(1) if shape == (1,) else np.broadcast_to(x, shape)


def _apply_to_shape(kernel: Kernel, arguments: list[Argument]) -> Made:
    """The general case: arguments of several shapes, or of no dimension."""
    arrays = [x for argument in arguments for x in _arrays_of(argument)]
    shape = np.broadcast_shapes(*(x.shape for x in arrays))
    inside = shape or (1,)
    spread = [
        tuple(_spread(x, inside) for x in argument)
        if isinstance(argument, tuple)
        else _spread(argument, inside)
        for argument in arguments
    ]
    return _result(kernel(*spread), shape)


def _arrays_of(argument: Argument) -> tuple[NDArray[Any], ...]:
    return argument if isinstance(argument, tuple) else (argument,)


#: Those that raise no exceptions, or see to that themselves.
_QUIET = arithmetic.QUIET | elementary.QUIET | trigonometric.QUIET


def _quiet(kernel: Kernel) -> Kernel:
    """A function of bounds whose floating-point exceptions, which mean nothing, are ignored."""
    if kernel in _QUIET:
        return kernel

    def call(*arguments: object) -> Found:
        with np.errstate(all="ignore"):
            return kernel(*arguments)

    return call


def _apply(kernel: Kernel, arguments: list[Argument]) -> Made:
    shape = _arrays_of(arguments[0])[0].shape
    for argument in arguments:
        if _arrays_of(argument)[0].shape != shape:
            return _apply_to_shape(kernel, arguments)
    if not shape:
        return _apply_to_shape(kernel, arguments)
    found: Any = kernel(*arguments)
    if type(found[0]) is np.ndarray:
        return Interval.of(found)
    return _result(found, shape)


_TEMPLATE = """{summary}

Parameters
----------
{parameters}

Returns
-------
{returns}

Raises
------
TypeError
    If {types}.
ValueError
    If a number beside intervals is NaN or infinite, or shapes do not broadcast.

Notes
-----
Accuracy: {accuracy}

Source: {source}

Examples
--------
{examples}"""

#: What the accuracies mean.
_MEANINGS = {"tightest.": "tightest; the range's bounds, rounded outward once."}


def _parameters(signature: inspect.Signature, integers: str | None, domain: str) -> str:
    """The lines on each kind of parameter: needed intervals, integers, optional intervals."""
    kinds: dict[str, list[str]] = {"interval": [], "integers": [], "optional": []}
    for p in signature.parameters.values():
        needed = "interval" if p.default is p.empty else "optional"
        kinds["integers" if p.name == integers else needed].append(p.name)
    lines = [f"{', '.join(kinds['interval'])} : Interval, half or number; arrays are broadcast"]
    if domain:
        lines += [textwrap.indent(f"Domain: {domain.strip()}", "    ")]
    lines += [f"{name} : integers; arrays are broadcast" for name in kinds["integers"]]
    for name in kinds["optional"]:
        lines += [f"{name} : Interval, half or number, optional", "    All numbers unless given."]
    return "\n".join(lines)


def docstring(name: str, kernel: Kernel) -> str:
    """A function's docstring in full, from what is its own: a summary; on lines of their own
    Domain (unless it is all numbers), Accuracy, Source; an example.
    """
    body, _, examples = (inspect.getdoc(kernel) or "").partition(">>> ")
    summary, *fields = re.split(r"^(Domain|Accuracy|Source): ", body, flags=re.MULTILINE)
    own = {field: text.strip() for field, text in zip(fields[::2], fields[1::2], strict=True)}
    integers = INTEGERS.get(name)
    empty = "\n    Empty where nothing is in the domain." if "Domain" in own else ""
    types = "an argument is of a type that is not exact in half"
    accuracy = own.get("Accuracy", "")
    return _TEMPLATE.format(
        summary=summary.strip(),
        parameters=_parameters(inspect.signature(kernel), integers, own.get("Domain", "")),
        returns=("tuple of Interval" if name in SEVERAL else "Interval") + empty,
        types=f"{types}, or one that is to be integers is not" if integers else types,
        accuracy=_MEANINGS.get(accuracy, accuracy),
        source=own.get("Source", "IEEE 1788-2015, the set-based flavour."),
        examples=f">>> {examples}" if examples else "",
    )


#: Arguments that are no plain intervals, halves or numbers.
_SPECIAL = (DecoratedInterval, Followed)


def public(name: str, kernel: Kernel) -> Callable[..., Any]:
    """The function of intervals, numbers and integers that a function of bounds makes."""
    signature = inspect.signature(kernel)
    names = tuple(signature.parameters)
    takes = tuple(n != INTEGERS.get(name) for n in names)
    least = sum(p.default is p.empty for p in signature.parameters.values())
    integers = tuple(n for n, t in zip(names, takes, strict=True) if not t)
    quiet: Callable[..., Any] = _quiet(kernel)
    single, both = takes == (True,), takes == (True, True)

    def prepared(i: int, x: object) -> Argument:
        return as_bounds(x, names[i]) if takes[i] else _as_integers(x, names[i])

    def function(*args: Any, **keywords: object) -> Any:
        if not keywords and len(args) == 1 and type(args[0]) is Interval and single:
            x = args[0]  # the commonest cases
            if x._lo.ndim:
                return Interval.of(quiet((x._lo, x._hi)))
        elif (
            not keywords and len(args) == 2 and type(args[0]) is type(args[1]) is Interval and both
        ):
            one, other = args
            if (shape := one._lo.shape) == other._lo.shape and shape:
                found = quiet((one._lo, one._hi), (other._lo, other._hi))
                return Interval.of(found) if type(found[0]) is not tuple else _pair(found)
        if keywords or not least <= len(args) <= len(names):
            args = signature.bind(*args, **keywords).args
        while len(args) > least and args[-1] is None:
            args = args[:-1]
        if special := [x for x in args if isinstance(x, _SPECIAL)]:
            if (followed := next((x for x in special if isinstance(x, Followed)), None)) is None:
                return apply(function, args, names, integers)
            return followed._called(name, args)
        arguments = [
            (x._lo, x._hi) if type(x) is Interval and takes[i] else prepared(i, x)
            for i, x in enumerate(args)
        ]
        return _apply(quiet, arguments)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = docstring(name, kernel)
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[p.replace(annotation=p.empty) for p in signature.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )
    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: public(name, kernel) for name, kernel in KERNELS.items()
}
