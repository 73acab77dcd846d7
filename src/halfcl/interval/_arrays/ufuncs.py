"""Calls of NumPy's and halfcl's ufuncs with intervals: the implementation of `__array_ufunc__`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np

import halfcl as hc
from halfcl._settings.regions import SUFFIXES
from halfcl.interval._arrays import registry
from halfcl.interval._arrays.truth import Truth
from halfcl.interval._bounds.pairs import Array, Index


class Intervals(Protocol):
    """The protocol of results that are intervals."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __setitem__(self, index: Index, value: object, /) -> None: ...


#: A result, or an array that it may be written to: intervals, numbers or bools.
Result: TypeAlias = Intervals | Array
Results: TypeAlias = Result | Truth | tuple[Result, ...]
#: A function of intervals.
Function: TypeAlias = Callable[..., Results]


#: The keywords other than out, of functions that have any.
_KEYWORDS = {
    **dict.fromkeys(("dot", "vecdot", "length", "distance"), frozenset({"axis", "keepdims"})),
    **dict.fromkeys(("normalize", "cross"), frozenset({"axis"})),
}

_BOUNDS = "use x.inf and x.sup, which are arrays of halves"
_JUMPS = f"it has jumps, and is not an operation of halfcl.interval; {_BOUNDS}"
_COMPARE = "use interval.equal, less, precedes, subset or disjoint"
PRODUCT = "use functools.reduce(operator.mul, x), which rounds outward at each step"
#: Hints for ufuncs that are not operations of intervals.
_INSTEAD = {
    "isnan": "use interval.is_empty or interval.is_member",
    "isfinite": "use interval.is_common, which is true for bounded, nonempty intervals",
    "isinf": "use interval.is_common, which is true for bounded, nonempty intervals",
    "floor_divide": "use np.floor(x / y)",
    "multiply.reduce": PRODUCT,
    **dict.fromkeys(("remainder", "fmod", "divmod", "fract", "modf", "remquo"), _JUMPS),
    **dict.fromkeys(
        ("isequal", "isnotequal", "isless", "islessequal", "isgreater", "isgreaterequal",
         "islessgreater"), _COMPARE),
}  # fmt: skip


_LISTS = (list, tuple)


def kind_of(x: object) -> str | None:
    """Return the type name of intervals among arguments, at any depth; decorated ones win."""
    if not isinstance(x, _LISTS):
        return getattr(type(x), "_KIND", None)
    names = set(map(kind_of, x))
    return next((k for k in ("DecoratedInterval", "Interval") if k in names), None)


def refuse(name: str, arguments: object, instead: str | None = None) -> NoReturn:
    """Raise the TypeError of a function that is not an operation of intervals."""
    hint = instead or _INSTEAD.get(name, f"it is not an operation of halfcl.interval; {_BOUNDS}")
    raise TypeError(f"{name}: expected numbers, got {kind_of(arguments)}; {hint}")


def unsupported_keyword(name: str, keyword: str, value: object) -> TypeError:
    """Return the error of a keyword argument that is not supported for intervals."""
    kind = type(value).__name__
    return TypeError(f"{name}: {keyword}: expected the default for intervals, got {kind}")


def _check_modes(name: str, ufunc: np.ufunc) -> None:
    """Raise TypeError for an array of rounding modes, which is an additional operand."""
    function = getattr(hc, name, None)
    if isinstance(function, hc.Function) and ufunc.nin > function.nin:
        raise TypeError(
            f"{name}: rounding: expected one mode or none for intervals, got an array; bounds are "
            "rounded outward in any mode"
        )


def name_of(ufunc: np.ufunc) -> str:
    """Return a ufunc's name without its rounding mode."""
    name = ufunc.__name__
    return name[:-4] if name.endswith(SUFFIXES) else name


@functools.cache
def _operation(ufunc: np.ufunc) -> tuple[str, Function | None]:
    """Return a ufunc's name without its rounding mode, and its function of intervals, if any."""
    name = name_of(ufunc)
    _check_modes(name, ufunc)
    return name, registry.UFUNCS.get(name)


def _outer(function: Function, inputs: tuple[object, ...]) -> Results:
    pair: tuple[Any, ...] = inputs
    x, y = pair
    if np.ndim(x) and np.ndim(y):
        x = np.reshape(x, np.shape(x) + (1,) * np.ndim(y))
    return function(x, y)


def call(
    ufunc: np.ufunc, method: str, inputs: tuple[object, ...], keywords: dict[str, object]
) -> Results:
    """Return the result of `__array_ufunc__` of intervals."""
    name, function = _operation(ufunc)
    function = registry.INSTEAD.get().get(name, function)
    if method == "__call__" and function is not None:
        return (
            function(*inputs)
            if not keywords
            else _call_with_keywords(name, function, inputs, keywords)
        )
    if method == "outer" and function is not None and ufunc.signature is None:
        if keywords:
            raise unsupported_keyword(f"{name}.outer", *next(iter(keywords.items())))
        return _outer(function, inputs)
    table = {"reduce": registry.REDUCTIONS, "accumulate": registry.ACCUMULATIONS}.get(method, {})
    if name in table:
        result: Results = table[name](*inputs, **{"axis": 0, **keywords})
        return result
    outs = keywords.get("out", ())
    refuse(name if method == "__call__" else f"{name}.{method}", (inputs, outs))


def _call_with_keywords(
    name: str, function: Function, inputs: tuple[object, ...], keywords: dict[str, object]
) -> Results:
    """Call with keywords: out, and those that state the axis of vectors."""
    outs: Any = keywords.pop("out", None)  # NumPy passes a tuple
    own = _KEYWORDS.get(name, frozenset())
    unknown = [k for k, v in keywords.items() if k not in own and not (k == "where" and v is True)]
    if unknown:
        raise unsupported_keyword(name, unknown[0], keywords[unknown[0]])
    result = function(*inputs, **{k: v for k, v in keywords.items() if k in own})
    return result if outs is None else write_out(name, result, outs)


def write_out(name: str, result: Results, outs: tuple[Result | None, ...]) -> Results:
    """Write results to the arrays given for them, if any, and return what a ufunc returns."""
    results: tuple[Any, ...] = result if isinstance(result, tuple) else (result,)
    if isinstance(result, Truth) and outs[0] is not None:
        results = (np.asarray(result),)  # an array of bools as out requires decided truths
    pairs = list(zip(outs, results, strict=True))
    for out, value in pairs:
        if out is not None:
            _check_out(name, out, value)
    for target, value in pairs:
        if target is not None:
            target[...] = value
    outputs = tuple(r if out is None else out for out, r in pairs)
    return outputs if isinstance(result, tuple) else outputs[0]


def _check_out(name: str, out: Result, value: Result) -> None:
    if not isinstance(out, type(value)):
        raise TypeError(f"{name}: out: expected {type(value).__name__}, got {type(out).__name__}")
    if out.shape != value.shape:
        raise ValueError(f"{name}: out: expected shape {value.shape}, got {out.shape}")
    check_writeable(f"{name}: out", out)


def check_writeable(which: str, x: Result) -> None:
    """Raise ValueError before anything is written if not all arrays can be."""
    alone: tuple[Any, ...] = (x,)
    arrays: tuple[Array, ...] = getattr(x, "_arrays", alone)
    if not all(array.flags.writeable for array in arrays):
        raise ValueError(f"{which}: expected writeable arrays, got read-only ones")
