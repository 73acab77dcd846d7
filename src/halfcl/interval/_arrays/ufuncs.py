"""Calls of NumPy's and halfcl's ufuncs with intervals: the implementation of `__array_ufunc__`."""

from __future__ import annotations

import functools
from typing import Any, NoReturn

import numpy as np

import halfcl as hc
from halfcl._settings.regions import SUFFIXES
from halfcl._support.duck_arrays.base import Args, DuckArray, Function, Keywords, write_outputs
from halfcl.interval._arrays import registry
from halfcl.interval._arrays.truth import Truth

#: The keywords other than out, of functions that have any.
_KEYWORDS = {
    **dict.fromkeys(("dot", "vecdot", "length", "distance"), frozenset({"axis", "keepdims"})),
    **dict.fromkeys(("normalize", "cross"), frozenset({"axis"})),
}
_NONE: frozenset[str] = frozenset()

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
        # Check the class first: a missing attribute of NumPy's classes takes much longer.
        return getattr(type(x), "_KIND", None) if isinstance(x, DuckArray) else None
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


def _outer(function: Function, inputs: Args) -> object:
    pair: tuple[Any, ...] = inputs
    x, y = pair
    if np.ndim(x) and np.ndim(y):
        x = np.reshape(x, np.shape(x) + (1,) * np.ndim(y))
    return function(x, y)


def call(ufunc: np.ufunc, method: str, inputs: Args, keywords: Keywords, outs: Args) -> object:
    """Return the result of a ufunc, or of one of its methods, with intervals."""
    name, function = _operation(ufunc)
    function = registry.INSTEAD.get().get(name, function)
    if method == "__call__" and function is not None and not (keywords or outs):
        return function(*inputs)
    full_name = name if method == "__call__" else f"{name}.{method}"
    table = {"reduce": registry.REDUCTIONS, "accumulate": registry.ACCUMULATIONS}.get(method, {})
    if method == "outer" and function is not None and ufunc.signature is None:
        _check_keywords(full_name, keywords, _NONE)
        result = _outer(function, inputs)
    elif method == "__call__" and function is not None:
        result = function(*inputs, **_check_keywords(name, keywords, _KEYWORDS.get(name, _NONE)))
    elif name in table:
        result = table[name](*inputs, **{"axis": 0, **keywords})
    else:
        refuse(full_name, (inputs, outs))
    if isinstance(result, Truth) and outs and outs[0] is not None:
        result = np.asarray(result)  # an array of bools as out requires decided truths
    return write_outputs(full_name, result, outs) if outs else result


def _check_keywords(name: str, keywords: Keywords, own: frozenset[str]) -> Keywords:
    """Return the keywords that state the axis of vectors; raise TypeError for others."""
    for keyword, value in keywords.items():
        if keyword not in own and not (keyword == "where" and value is True):
            raise unsupported_keyword(name, keyword, value)
    return {keyword: value for keyword, value in keywords.items() if keyword in own}
