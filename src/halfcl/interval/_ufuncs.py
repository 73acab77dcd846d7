"""Calls of ufuncs, NumPy's and halfcl's, with intervals: their `__array_ufunc__`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np

import halfcl as hc
from halfcl.interval import _registry as registry
from halfcl.interval._bounds import Array, Index
from halfcl.interval._truth import Truth


class Intervals(Protocol):
    """What results that are intervals have."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __setitem__(self, index: Index, value: object, /) -> None: ...


#: What results are, and what they may be written to: of intervals, or of numbers or truths.
Result: TypeAlias = Intervals | Array
Results: TypeAlias = Result | Truth | tuple[Result, ...]
#: What is done to intervals.
Function: TypeAlias = Callable[..., Results]

_MODES = ("_rte", "_rtz", "_rtp", "_rtn")

#: The keywords, beside out, of those that have any.
_KEYWORDS = {
    **dict.fromkeys(("dot", "vecdot", "length", "distance"), frozenset({"axis", "keepdims"})),
    **dict.fromkeys(("normalize", "cross"), frozenset({"axis"})),
}

_BOUNDS = "x.inf and x.sup are arrays of halves"
_JUMPS = f"it jumps, and is no operation of halfcl.interval; {_BOUNDS}"
_COMPARE = "interval.equal, less, precedes, subset and disjoint compare, element by element"
PRODUCT = "each step of functools.reduce(operator.mul, x) is rounded outward"
#: What to use in place of ufuncs that are no operations of intervals.
_INSTEAD = {
    "isnan": "interval.is_empty and interval.is_member tell what is inside",
    "isfinite": "interval.is_common tells where it is bounded, and not empty",
    "isinf": "interval.is_common tells where it is bounded, and not empty",
    "floor_divide": "np.floor(x / y) is one of intervals",
    "multiply.reduce": PRODUCT,
    **dict.fromkeys(("remainder", "fmod", "divmod", "fract", "modf", "remquo"), _JUMPS),
    **dict.fromkeys(
        ("isequal", "isnotequal", "isless", "islessequal", "isgreater", "isgreaterequal",
         "islessgreater"), _COMPARE),
}  # fmt: skip


_LISTS = (list, tuple)


def kind_of(x: object) -> str | None:
    """The name of intervals among arguments, at any depth: of decorated ones if there are any."""
    if not isinstance(x, _LISTS):
        return getattr(type(x), "_KIND", None)
    found = set(map(kind_of, x))
    return next((k for k in ("DecoratedInterval", "Interval") if k in found), None)


def refuse(name: str, arguments: object, instead: str | None = None) -> NoReturn:
    """TypeError of a function that is no operation of intervals."""
    hint = instead or _INSTEAD.get(name, f"no operation of halfcl.interval; {_BOUNDS}")
    raise TypeError(f"{name}: of {kind_of(arguments)}: {hint}")


def _check_modes(name: str, ufunc: np.ufunc) -> None:
    """TypeError for an array of rounding modes, which is an operand more."""
    function = getattr(hc, name, None)
    if isinstance(function, hc.Function) and ufunc.nin > function.nin:
        raise TypeError(
            f"{name}: rounding: of intervals expected one mode or none, got an array; bounds are "
            "rounded outward in any mode"
        )


def name_of(ufunc: np.ufunc) -> str:
    """A ufunc's name, without its rounding mode."""
    name = ufunc.__name__
    return name[:-4] if name.endswith(_MODES) else name


@functools.cache
def _operation(ufunc: np.ufunc) -> tuple[str, Function | None]:
    """A ufunc's name, without its rounding mode, and what it is of intervals, if anything."""
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
    """What `__array_ufunc__` of intervals returns."""
    name, function = _operation(ufunc)
    function = registry.INSTEAD.get().get(name, function)
    if method == "__call__" and function is not None:
        return function(*inputs) if not keywords else _keyed(name, function, inputs, keywords)
    if method == "outer" and function is not None and ufunc.signature is None:
        if keywords:
            raise TypeError(f"{name}.outer: of intervals takes no keyword {next(iter(keywords))!r}")
        return _outer(function, inputs)
    table = {"reduce": registry.REDUCTIONS, "accumulate": registry.ACCUMULATIONS}.get(method, {})
    if name in table:
        result: Results = table[name](*inputs, **{"axis": 0, **keywords})
        return result
    outs = keywords.get("out", ())
    refuse(name if method == "__call__" else f"{name}.{method}", (inputs, outs))


def _keyed(
    name: str, function: Function, inputs: tuple[object, ...], keywords: dict[str, object]
) -> Results:
    """A call with keywords: out, and those that say how vectors lie."""
    outs: Any = keywords.pop("out", None)  # a tuple, as NumPy has it
    own = _KEYWORDS.get(name, frozenset())
    unknown = [k for k, v in keywords.items() if k not in own and not (k == "where" and v is True)]
    if unknown:
        raise TypeError(f"{name}: of intervals takes no keyword {unknown[0]!r}")
    result = function(*inputs, **{k: v for k, v in keywords.items() if k in own})
    return result if outs is None else write_out(name, result, outs)


def write_out(name: str, result: Results, outs: tuple[Result | None, ...]) -> Results:
    """Results, in the arrays given for them where there are any."""
    results: tuple[Any, ...] = result if isinstance(result, tuple) else (result,)
    if isinstance(result, Truth) and outs[0] is not None:
        results = (np.asarray(result),)  # out is an array of bools, for truths that are decided
    pairs = list(zip(outs, results, strict=True))
    for out, found in pairs:
        if out is not None:
            _check_out(name, out, found)
    for target, found in pairs:
        if target is not None:
            target[...] = found
    given = tuple(r if out is None else out for out, r in pairs)
    return given if isinstance(result, tuple) else given[0]


def _check_out(name: str, out: Result, found: Result) -> None:
    if not isinstance(out, type(found)):
        raise TypeError(f"{name}: out: expected {type(found).__name__}, got {type(out).__name__}")
    if out.shape != found.shape:
        raise ValueError(f"{name}: out: expected shape {found.shape}, got {out.shape}")
    check_writeable(f"{name}: out", out)


def check_writeable(which: str, x: Result) -> None:
    """ValueError, before anything is written, if not all can be."""
    alone: tuple[Any, ...] = (x,)
    arrays: tuple[Array, ...] = getattr(x, "_arrays", alone)
    if not all(array.flags.writeable for array in arrays):
        raise ValueError(f"{which}: is read-only")
