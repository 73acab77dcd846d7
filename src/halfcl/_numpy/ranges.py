"""Functions of NumPy that would round intermediate results to half: ranges, quantiles, histograms.

The width of a range from -60000 to 60000 overflows half, although its numbers are halves. Therefore
`FUNCTIONS` compute in float64 and round their results to half once, in the region's mode; those of
float16, too, while NumPy is accelerated. Intermediate results of quantiles and, in `_core`, of
numpy.arange and ndarray.round are exact; those of the others are rounded to float64.

As in `statistics`, the function objects stay, and their code is replaced.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, cast

import numpy as np

from halfcl import _core
from halfcl._numpy.statistics import (
    as_float16,
    check_shape,
    copy_function,
    is_half,
    narrow,
    try_first,
    widen,
)

half = _core.half

_Kind = inspect.Parameter
_IMPL, _NAN = "numpy.lib._function_base_impl", "numpy.lib._nanfunctions_impl"


class _Call(NamedTuple):
    """A call: NumPy's function, which takes a dict of arguments, and the arguments by name."""

    function: Callable[..., Any]
    arguments: dict[str, Any]


_Calculate = Callable[[_Call], object]


def _has_halves(value: object) -> bool:
    """Return whether a value, or an item of nested lists, is half, or float16 while accelerated."""
    if isinstance(value, np.ndarray | np.generic):
        kind = value.dtype.type
        return kind is half or (kind is np.float16 and _core.is_float16_taken())
    return isinstance(value, list | tuple) and any(map(_has_halves, value))


def _widen(value: object) -> object:
    """Convert halves to float64, in lists, too; return anything else as it is."""
    if not _has_halves(value):
        return value
    if isinstance(value, list | tuple):
        return [_widen(x) for x in value]
    return widen(value) if is_half(value) else cast(Any, value).astype(np.float64)


def _leaves(value: Any) -> Iterator[Any]:
    """Yield numbers and arrays, except None and missing arguments; lists of numbers are arrays."""
    if isinstance(value, list | tuple):
        if any(isinstance(x, list | tuple | np.ndarray) for x in value):
            for x in value:
                yield from _leaves(x)
        else:
            yield np.asarray(value)
    elif value is not None and value is not np._NoValue:
        plain = isinstance(value, int | float | np.ndarray | np.generic)
        yield value if plain else np.asarray(value)


def _type_of(*values: object) -> type:
    """Return the type in which NumPy would compute."""
    return np.result_type(*(leaf for value in values for leaf in _leaves(value))).type


def _narrow(result: Any, kind: type, out: Any = None, name: str = "") -> object:
    """Round results to half or float16, if `kind` is one of these; write them to an output, too.

    name: the name of the function for errors.
    """
    if kind not in (half, np.float16):
        return result
    if isinstance(result, list):
        return [_narrow(x, kind) for x in result]
    if out is not None and not is_half(out):
        check_shape(name, out, result)
        # A float16 output has halves' bits; any other one gets its own rounding.
        out[...] = as_float16(narrow(result)) if out.dtype.type is np.float16 else result
        return out
    halves: Any = narrow(result, cast(Any, out), name)
    return as_float16(halves) if kind is np.float16 and out is None else halves


def _in_float64(deciding: tuple[str, ...]) -> _Calculate:
    """Return a function that computes in float64, and rounds to the deciding arguments' type."""

    def calculate(call: _Call) -> object:
        function, arguments = call
        kind = _type_of(*(arguments[name] for name in deciding))
        wide = {name: x if name == "out" else _widen(x) for name, x in arguments.items()}
        if arguments.get("dtype") is not None:
            kind = np.dtype(arguments["dtype"]).type
        if kind in (half, np.float16):
            wide |= {name: None for name in ("dtype", "out") if name in wide}
        return _narrow(function(wide), kind, arguments.get("out"), function.__name__)

    return calculate


def _polyval(p: object, x: object) -> object:
    """Evaluate polynomials of Python numbers, which are arrays here, as in NumPy."""
    if isinstance(x, np.poly1d):
        return NotImplemented
    result = _core.polyval(p, x)
    if result is not None:
        return result
    return None if isinstance(x, np.ndarray) else np.polyval(cast(Any, p), np.asanyarray(x))


def _reduce_to_ends(arguments: dict[str, object]) -> dict[str, object]:
    """Replace an array by its extremes, if these determine the edges of a histogram's bins."""
    a, weights = arguments["a"], arguments["weights"]
    if not isinstance(a, np.ndarray) or a.size == 0 or isinstance(arguments["bins"], str):
        return arguments
    if weights is not None and np.shape(cast(Any, weights)) != a.shape:
        return arguments  # NumPy raises the error
    numbers = np.asarray(a)
    has_range = arguments["range"] is not None
    ends = numbers.flat[:1] if has_range else np.stack([numbers.min(), numbers.max()])
    return arguments | {"a": ends, "weights": None}


def _edges(call: _Call) -> object:
    """Compute edges in float64; given edges stay unchanged."""
    arguments = call.arguments
    if np.ndim(arguments["bins"]) != 0:
        return NotImplemented
    with np.errstate(over="ignore"):
        edges = np.asarray(_in_float64(("a",))(_Call(call.function, _reduce_to_ends(arguments))))
    if np.isinf(edges[1:-1]).any():
        raise ValueError(
            "Too many bins for data range. "
            f"Cannot create {len(edges) - 1} finite-sized bins."  # NumPy's message
        )
    return edges


#: Whether NumPy computes the indices of quantiles that are Python numbers in float64.
_HAS_WEAK_QUANTILES = (
    "weak_q" in inspect.signature(import_module(_IMPL)._quantile_unchecked).parameters
)


def _quantile_of_numpy(*weak: type) -> Callable[..., object]:
    """Return the function that leaves quantiles to NumPy if it computes their indices in float64.

    weak: the types of numbers for which NumPy does so, if it does for any.
    """

    def result(a: object, q: object, axis: object, out: object, *others: object) -> object:
        if type(q) in (int, float):
            is_weak = _HAS_WEAK_QUANTILES and type(q) in weak
            return NotImplemented if out is None and is_weak else None
        return None if _has_halves(q) else NotImplemented

    return result


def _quantile(call: _Call) -> object:
    """Compute the indices of quantiles in float64; NumPy calls `_lerp` between two numbers."""
    function, arguments = call
    a, q = arguments["a"], arguments["q"]
    out = arguments["out"]
    # NumPy selects elements, without interpolation, if a quantile is an integer: 0 or 1.
    wide = arguments | {"q": np.asarray(_widen(q), None if type(q) is int else np.float64)}
    if out is not None and not _has_halves(out):
        return function(wide)
    # NumPy would copy a single number to the output without the region's mode for float16.
    kind = _type_of(np.asanyarray(a) if isinstance(a, int | float) else a, q)
    return _narrow(function(wide | {"out": None}), kind, out, function.__name__)


def _interpolate(call: _Call) -> object:
    """Compute a + (b - a) * t exactly, and round it once."""
    function, arguments = call
    a, b, t, out = (arguments[name] for name in ("a", "b", "t", "out"))
    kind = _type_of(a, b, t) if out is None else out.dtype.type
    if kind not in (half, np.float16):
        return function({name: x if name == "out" else _widen(x) for name, x in arguments.items()})
    numbers = np.broadcast_arrays(*(np.asarray(_widen(x), np.float64) for x in (a, b, t)))
    return _narrow(_core.interpolate_halves(*numbers)[()], kind, out, "quantile")


def _histogram_of_numpy(
    a: object, bins: object, range_: object, density: object, weights: object
) -> object:
    """Leave counts between given edges to NumPy, since nothing is rounded."""
    is_exact = np.ndim(cast(Any, bins)) > 0 and weights is None and not density
    return NotImplemented if is_exact else None


def _histogram(call: _Call) -> object:
    """Compute a histogram with edges that are rounded to half first, so that counts match them."""
    function, arguments = call
    a, weights = arguments["a"], arguments["weights"]
    edges = np.histogram_bin_edges(a, arguments["bins"], arguments["range"], weights)
    changed: dict[str, object] = {"bins": edges, "range": None}
    if weights is not None:
        changed |= {"a": _widen(a), "bins": _widen(edges), "weights": _widen(weights)}
        counts, _ = function(arguments | changed)
        return counts if arguments["density"] else _narrow(counts, _type_of(weights)), edges
    # Counting halves between halves rounds nothing.
    counts, _ = function(arguments | changed | {"density": None})
    if arguments["density"]:
        counts = counts / np.diff(np.asarray(_widen(edges))) / counts.sum()
    return counts, edges


def _histogramdd(call: _Call) -> object:
    """Compute a histogram with rounded edges, as `_histogram` does.

    The extremes of the sample are enough to compute the edges.
    """
    function, arguments = call
    sample = arguments["sample"]
    kind = _type_of(sample)
    columns = np.asarray(_widen(sample), np.float64)
    columns = columns.T if isinstance(sample, list | tuple) else columns
    columns = columns[:, np.newaxis] if columns.ndim == 1 else columns
    wide = {"sample": columns, "weights": _widen(arguments["weights"])}
    ends = columns
    if len(columns):
        ends = np.stack([columns.min(axis=0), columns.max(axis=0)])
    bins, limits = _widen(arguments["bins"]), _widen(arguments["range"])
    with np.errstate(all="ignore"):
        few = arguments | {"sample": ends, "weights": None, "density": None}
        edges = function(few | {"bins": bins, "range": limits})[1]
    bins = arguments["bins"]
    bins = bins if hasattr(bins, "__len__") else [bins] * len(edges)
    # Edges that the caller passes stay unchanged.
    edges = [
        np.asarray(b) if np.ndim(b) else _narrow(x, kind) for b, x in zip(bins, edges, strict=True)
    ]
    counts, _ = function(arguments | wide | {"bins": [_widen(x) for x in edges], "range": None})
    return counts, edges


class _Row(NamedTuple):
    """A function of NumPy's, and how halves are computed."""

    module: str
    name: str
    deciding: tuple[str, ...]  # the parameters that show whether a call is for halves
    calculate: _Calculate | None = None  # None: in float64
    exception: Callable[..., object] | None = None  # returns results of special calls, or None
    by_table: bool = False  # of one half, whose results are kept
    in_float64: bool = False  # also where `calculate` computes calls with other types


FUNCTIONS = (
    _Row("numpy._core.function_base", "linspace", ("start", "stop")),
    _Row("numpy._core.function_base", "logspace", ("start", "stop", "base")),
    _Row("numpy._core.function_base", "geomspace", ("start", "stop")),
    _Row("numpy._core.numeric", "cross", ("a", "b")),
    _Row(_IMPL, "gradient", ("f",), None, _core.gradient),
    _Row(_IMPL, "unwrap", ("p", "period"), None, _core.unwrap),
    _Row(_IMPL, "sinc", ("x",), by_table=True),
    _Row(_IMPL, "i0", ("x",), by_table=True),
    _Row("numpy.lib._polynomial_impl", "poly", ("seq_of_zeros",)),
    _Row("numpy.linalg._linalg", "matrix_power", ("a",)),
    _Row("numpy.linalg._linalg", "multi_dot", ("arrays",)),
    _Row("numpy.lib._polynomial_impl", "polyval", ("p", "x"), None, _polyval),
    _Row(_IMPL, "diff", ("a",), None, _core.diff),
    _Row("numpy.lib._histograms_impl", "histogram_bin_edges", ("a",), _edges),
    _Row(_IMPL, "_lerp", ("a", "b", "t"), _interpolate, _core.interpolate, in_float64=True),
    _Row(_IMPL, "quantile", ("a", "q"), _quantile, _quantile_of_numpy(float)),
    _Row(_IMPL, "percentile", ("a", "q"), _quantile, _quantile_of_numpy(int, float)),
    _Row(_NAN, "nanquantile", ("a", "q"), _quantile, _quantile_of_numpy(float)),
    _Row(_NAN, "nanpercentile", ("a", "q"), _quantile, _quantile_of_numpy(int, float)),
    _Row(
        "numpy.lib._histograms_impl", "histogram", ("a", "weights"), _histogram, _histogram_of_numpy
    ),
    _Row("numpy.lib._histograms_impl", "histogramdd", ("sample",), _histogramdd),
)


def _make_caller(original: FunctionType) -> Callable[..., object]:
    """Return a function that calls another one with a dict of its arguments, also ``*args``."""
    signature = inspect.signature(original)

    def call(arguments: dict[str, object]) -> object:
        bound = inspect.BoundArguments(signature, arguments)
        return original(*bound.args, **bound.kwargs)

    call.__name__ = original.__name__
    return call


def _teach(row: _Row, function: FunctionType) -> None:
    """Make a function call its replacement for halves."""
    variable = f"_halfcl_{row.name}_in_float64"
    if variable in function.__globals__:  # halfcl was imported before
        return
    original = copy_function(function)
    parameters = inspect.signature(original).parameters
    names = tuple(parameters)
    keywords = tuple(name for name in names if parameters[name].kind is _Kind.KEYWORD_ONLY)
    has_more = any(parameter.kind is _Kind.VAR_POSITIONAL for parameter in parameters.values())
    call = _make_caller(original)
    calculate = row.calculate or _in_float64(row.deciding)

    def otherwise(*values: object) -> object:
        return calculate(_Call(call, dict(zip(names, values, strict=True))))

    attempt = _core.InFloat64(
        original if row.in_float64 or not row.calculate else None, names, keywords, has_more,
        tuple(map(names.index, row.deciding)), _widen, _narrow, otherwise,
        _core.ResultsOfHalves(original) if row.by_table else row.exception,
    )  # fmt: skip
    try_first(function, variable, attempt)


def teach_masked_median(module: ModuleType) -> None:
    """Make the median of masked arrays, in the module numpy.ma.extras, compute in float64."""
    _teach(_Row(module.__name__, "_median", ("a",)), module._median)


def teach_ranges() -> bool:
    """Make `FUNCTIONS` compute halves in float64; return True if all do."""
    for row in FUNCTIONS:
        _teach(row, inspect.unwrap(getattr(import_module(row.module), row.name)))
    return True
