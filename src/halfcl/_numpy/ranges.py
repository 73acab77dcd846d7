"""Functions of NumPy that would round intermediate results to half: ranges, quantiles, histograms.

The width of a range from -60000 to 60000 overflows half, although its numbers are halves. Therefore
`FUNCTIONS` compute in float64 and round their results to half once, in the region's mode; those of
float16, too, while NumPy is accelerated. Intermediate results of quantiles and, in `_core`, of
numpy.arange and ndarray.round are exact; those of the others are rounded to float64.

As in `statistics`, the function objects stay, and their code is replaced.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._numpy.statistics import (
    as_float16,
    check_output,
    check_shape,
    copy_function,
    is_half,
    narrow,
    try_first,
    widen,
)

half = _core.half

_Array = NDArray[Any]

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


def _widen(value: object, dtype: type = np.float64) -> object:
    """Convert halves to a wider type, in lists, too; return anything else as it is."""
    if not _has_halves(value):
        return value
    if isinstance(value, list | tuple):
        return [_widen(x, dtype) for x in value]
    return widen(value, dtype) if is_half(value) else cast(Any, value).astype(dtype)


#: Types in which NumPy computes halves beside numbers of single precision.
_SINGLE = (np.float32, np.complex64)


def _widen_all(arguments: dict[str, Any], kind: object) -> dict[str, Any]:
    """Convert the halves in arguments for results of a kind: to float32 if NumPy would, too."""
    dtype = np.float32 if kind in _SINGLE else np.float64
    return {name: x if name == "out" else _widen(x, dtype) for name, x in arguments.items()}


#: Values that determine a type without a closer look.
_NUMBERS = (np.ndarray, np.generic, int, float, complex)


def _leaves(value: Any) -> Iterator[Any]:
    """Yield numbers and arrays, except None and missing arguments; lists of numbers are arrays."""
    if isinstance(value, list | tuple):
        if any(isinstance(x, list | tuple | np.ndarray) for x in value):
            for x in value:
                yield from _leaves(x)
        else:
            yield np.asarray(value)
    elif value is not None and value is not np._NoValue:
        yield value if isinstance(value, _NUMBERS) else np.asarray(value)


def _type_of(*values: object) -> type:
    """Return the type in which NumPy would compute."""
    if all(isinstance(value, _NUMBERS) for value in values):
        return np.result_type(*cast("tuple[_Array, ...]", values)).type
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
    """Return a function that computes in float64, and rounds to the deciding arguments' type.

    Beside numbers of single precision, NumPy computes in that.
    """

    def calculate(call: _Call) -> object:
        function, arguments = call
        dtype = arguments.get("dtype")
        kind = _type_of(*(arguments[name] for name in deciding))
        wide = _widen_all(arguments, kind if dtype is None else None)
        if dtype is not None:
            kind = np.dtype(dtype).type
        if kind in (half, np.float16):
            wide |= {name: None for name in ("dtype", "out") if name in wide}
        return _narrow(function(wide), kind, arguments.get("out"), function.__name__)

    return calculate


def _polyval(p: object, x: object) -> object:
    """Evaluate polynomials of Python numbers, which are arrays here, as in NumPy.

    NumPy adds coefficients that are objects one by one, each of its own type; without any
    coefficients, polynomials are zeros of the type of `x`.
    """
    if isinstance(x, np.poly1d):
        return NotImplemented
    result = _core.polyval(p, x)
    if result is not None:
        return result
    coefficients = np.asarray(p)
    if coefficients.dtype == object or not coefficients.size:
        return NotImplemented
    return None if isinstance(x, np.ndarray) else np.polyval(cast(Any, p), np.asanyarray(x))


#: The largest finite half.
_LARGEST = 65504

#: Types of a histogram's limits that NumPy converts to float64 without rounding.
_LIMITS = (int, float, half, np.float16, np.integer)

#: Limits beyond this may be integers that float64 does not hold.
_FARTHEST = 2.0**53

#: Multiples of a smaller part of the larger limit may be equal in float64 after rounding.
_LEAST_STEP = 2.0**-48


def _ends_of(values: _Array, limits: object) -> tuple[float, float] | None:
    """Return the first and the last edge of a histogram; None if NumPy has to read the limits."""
    if limits is None:
        limits = (values.min(), values.max()) if values.size else (0, 1)
    if not isinstance(limits, tuple | list) or not all(isinstance(x, _LIMITS) for x in limits):
        return None
    try:
        first, last = map(float, limits)
    except (ValueError, OverflowError):
        return None
    if not -_FARTHEST < first <= last < _FARTHEST:
        return None
    return (first, last) if first < last else (first - 0.5, last + 0.5)


def _even_edges(a: object, bins: object, limits: object) -> _Array | None:
    """Return edges at even distances in float64, computed in NumPy's steps.

    None for what NumPy has to read, or to refuse.
    """
    if not isinstance(a, np.ndarray) or not isinstance(bins, int | np.integer) or bins < 1:
        return None
    ends = _ends_of(np.asarray(a), limits)
    if ends is None:
        return None
    first, last = ends
    step = (last - first) / int(bins)
    if step <= _LEAST_STEP * max(-first, last):
        return None
    edges = np.arange(bins + 1, dtype=np.float64)
    edges *= step
    edges += first
    edges[-1] = last
    return edges


def _edges(call: _Call) -> object:
    """Compute edges in float64; given edges stay unchanged."""
    arguments = call.arguments
    a, bins, weights = (arguments[name] for name in ("a", "bins", "weights"))
    if np.ndim(bins) != 0:
        return NotImplemented
    wide = None
    if weights is None or np.shape(weights) == np.shape(a):
        wide = _even_edges(a, bins, arguments["range"])
    if wide is not None and wide[0] >= -_LARGEST and wide[-1] <= _LARGEST:
        return _narrow(wide, a.dtype.type)

    def round_edges() -> _Array:
        return np.asarray(
            _in_float64(("a",))(call) if wide is None else _narrow(wide, a.dtype.type)
        )

    with np.errstate(over="ignore"):
        edges = round_edges()
    if np.isinf(edges[1:-1]).any():
        raise ValueError(
            "Too many bins for data range. "
            f"Cannot create {len(edges) - 1} finite-sized bins."  # NumPy's message
        )
    # An error is raised instead of reporting an overflow; infinite ends are reported.
    return round_edges() if np.isinf(edges).any() else edges


#: Whether NumPy computes the indices of quantiles that are Python numbers in float64.
_HAS_WEAK_QUANTILES = (
    "weak_q" in inspect.signature(import_module(_IMPL)._quantile_unchecked).parameters
)


def _is_weak(q: object) -> bool:
    """Return whether NumPy computes the index of a quantile in float64, and does not promote it."""
    return _HAS_WEAK_QUANTILES and type(q) in (int, float)


def _quantile_of_numpy(a: object, q: object, axis: object, out: object, *others: object) -> object:
    """Leave quantiles to NumPy if it computes their indices in float64."""
    if type(q) in (int, float):
        return NotImplemented if out is None and _is_weak(q) else None
    return None if _has_halves(q) else NotImplemented


def _quantile(call: _Call) -> object:
    """Compute the indices of quantiles in float64; NumPy calls `_lerp` between two numbers."""
    function, arguments = call
    a, q, out = (arguments[name] for name in ("a", "q", "out"))
    check_output(function.__name__, out)
    is_wider = out is not None and not _has_halves(out)
    if is_wider or not _is_weak(q):
        # NumPy selects elements, without interpolation, if a quantile is an integer: 0 or 1.
        q = np.asarray(_widen(q), None if type(q) is int else np.float64)
    if is_wider:
        return function(arguments | {"q": q})
    # NumPy would copy a single number to the output without the region's mode for float16.
    kind = _type_of(np.asanyarray(a) if isinstance(a, int | float) else a, arguments["q"])
    if out is not None:
        kind = out.dtype.type
    elif kind in _SINGLE:
        return function(_widen_all(arguments, kind))
    return _narrow(function(arguments | {"q": q, "out": None}), kind, out, function.__name__)


def _interpolate(call: _Call) -> object:
    """Compute a + (b - a) * t exactly, and round it once."""
    function, arguments = call
    a, b, t, out = (arguments[name] for name in ("a", "b", "t", "out"))
    check_output("quantile", out)
    kind = _type_of(a, b, t) if out is None else out.dtype.type
    if kind not in (half, np.float16):
        return function(_widen_all(arguments, kind))
    numbers = np.broadcast_arrays(*(np.asarray(_widen(x), np.float64) for x in (a, b, t)))
    return _narrow(_core.interpolate_halves(*numbers)[()], kind, out, "quantile")


def _histogram_of_numpy(
    a: object, bins: object, range_: object, density: object, weights: object
) -> object:
    """Leave counts between given edges to NumPy, since nothing is rounded."""
    is_exact = np.ndim(cast(Any, bins)) > 0 and weights is None and not density
    return NotImplemented if is_exact else None


#: Elements that are counted at a time, as by NumPy.
_BLOCK = 1 << 16


def _places(edges: _Array, values: _Array) -> NDArray[np.intp]:
    """Return the bin of each value, from 1 on; the last bin includes its right edge."""
    if edges.dtype.type is not values.dtype.type:
        edges, values = cast("_Array", _widen(edges)), cast("_Array", _widen(values))
    places = edges.searchsorted(values, "right")
    places -= values == edges[-1]
    return places


#: Sums of halves are exact in float64 up to here.
_EXACT_SUM = 2.0**29

#: Multiples of this, and what remains of halves, have 20 bits: the sums of 2^33 are exact.
_MIDDLE_OF_HALVES = 2.0**-4


def _may_be_inexact(weights: _Array) -> bool:
    """Return whether float64 may not hold some sum of weights; if they are halves."""
    if not weights.size or not _has_halves(weights):
        return False
    largest = max(abs(float(weights.min())), abs(float(weights.max())))
    return not largest * weights.size < _EXACT_SUM  # also for NaNs


def _addends(weights: _Array, are_two: bool) -> list[_Array]:
    """Return numbers that add up to weights, in float64: two for each, whose sums are exact."""
    numbers = cast("_Array", _widen(weights))
    if not are_two:
        return [numbers]
    with np.errstate(invalid="ignore"):
        low = np.where(np.isfinite(numbers), np.fmod(numbers, _MIDDLE_OF_HALVES), 0)
    return [numbers - low, low]


def _count(columns: list[_Array], edges: list[_Array], weights: _Array | None) -> _Array:
    """Count the cells of a grid by columns of halves, or add their weights in float64.

    Sums of halves are exact if they are in half's range.
    """
    are_two = weights is not None and _may_be_inexact(weights)
    shape = [len(x) + 1 for x in edges]
    dtype = np.intp if weights is None else np.float64
    counts = np.zeros((1 + are_two, math.prod(shape)), dtype)
    for start in range(0, len(columns[0]), _BLOCK):
        block = slice(start, start + _BLOCK)
        cells = _places(edges[0], columns[0][block])
        for column, x in zip(columns[1:], edges[1:], strict=True):
            cells *= len(x) + 1
            cells += _places(x, column[block])
        addends = [None] if weights is None else _addends(weights[block], are_two)
        for part, numbers in zip(counts, addends, strict=True):
            part += np.bincount(cells, numbers, len(part))
    total: _Array = counts[0] + counts[1] if are_two else counts[0]
    return total.reshape(shape)[(slice(1, -1),) * len(shape)]


def _are_edges(edges: _Array) -> bool:
    """Return whether these are sorted edges, of which `_count` finds the bins."""
    if edges.ndim != 1 or not len(edges) or edges.dtype.kind not in "iuf":
        return False
    return bool((edges[:-1] <= edges[1:]).all())


def _are_weights(weights: _Array | None, values: _Array) -> bool:
    """Return whether these are real weights of the values, or None."""
    if weights is None:
        return True
    return weights.shape == values.shape and np.can_cast(weights.dtype, np.float64)


def _as_array(value: object) -> _Array:
    """Return numbers as a plain array; of a proxy, its array, which NumPy reads as float16."""
    return np.asarray(value[...] if isinstance(value, np.ndarray) else value)


def _histogram(call: _Call) -> object:
    """Compute a histogram with edges that are rounded to half first, so that counts match them."""
    function, arguments = call
    bins, density = arguments["bins"], arguments["density"]
    values, weights = _as_array(arguments["a"]), arguments["weights"]
    weights = None if weights is None else _as_array(weights)
    edges = _as_array(bins)
    are_edges = _has_halves(values) and _are_edges(edges)
    if _has_halves(values) and not are_edges:
        edges = np.histogram_bin_edges(values, bins, arguments["range"], weights)
        are_edges = _are_edges(edges)
    if are_edges and _are_weights(weights, values):
        counts = _count([values.ravel()], [edges], None if weights is None else weights.ravel())
        if density:
            counts = counts / np.diff(np.asarray(_widen(edges))) / counts.sum()
    elif _has_halves(values):
        wide = {"a": _widen(values), "bins": _widen(edges), "weights": _widen(weights)}
        counts, _ = function(arguments | wide | {"range": None})
    else:
        counts, edges = function(arguments | {"weights": _widen(weights)})
    if weights is None or density:
        return counts, edges
    if _has_halves(weights):
        return _narrow(counts, weights.dtype.type), edges
    return counts.astype(weights.dtype, copy=False), edges


def _columns_of(sample: object) -> list[_Array] | None:
    """Return the columns of a sample in halves of one kind; None for any other sample."""
    columns: list[_Array] = []
    if isinstance(sample, list | tuple) and all(isinstance(x, np.ndarray) for x in sample):
        columns = [np.asarray(x) for x in sample]
    elif isinstance(sample, np.ndarray) and 1 <= sample.ndim <= 2:
        columns = list(np.atleast_2d(np.asarray(sample).T))
    alike = len({(x.shape, x.dtype.type) for x in columns}) == 1 and columns[0].ndim == 1
    return columns if alike and _has_halves(columns[0]) else None


def _bins_of_columns(bins: object, columns: int) -> Sequence[_Array]:
    """Return the bins of each column; a number, also in an array without axes, is that of all."""
    each = cast("Sequence[_Array]", bins)
    has_axes = isinstance(bins, list | tuple) or np.ndim(each) > 0
    return each if has_axes else [cast("_Array", bins)] * columns


def _edges_of_grid(columns: list[_Array], bins: object, limits: object) -> list[_Array] | None:
    """Return the edges of each column's bins; None for what NumPy has to read, or to refuse."""
    n = len(columns)
    each = _bins_of_columns(bins, n)
    limits = [None] * n if limits is None else limits
    if not isinstance(limits, list | tuple) or not len(each) == len(limits) == n:
        return None
    edges = []
    for column, x, ends in zip(columns, each, limits, strict=True):
        wide = _even_edges(column, x, ends) if np.ndim(x) == 0 else None
        halves = np.asarray(x) if wide is None else _narrow(wide, column.dtype.type)
        edges.append(cast("_Array", halves))
    are_finite = all(_are_edges(x) and math.isfinite(x[0]) and math.isfinite(x[-1]) for x in edges)
    return edges if are_finite else None


def _count_grid(arguments: dict[str, Any]) -> object:
    """Return the counts of a sample of halves, and the edges; None for what NumPy has to read."""
    weights = arguments["weights"]
    columns = _columns_of(arguments["sample"])
    if columns is None or not (weights is None or _has_halves(weights)):
        return None
    weights = None if weights is None else np.asarray(weights)
    edges = _edges_of_grid(columns, arguments["bins"], arguments["range"])
    if edges is None or not _are_weights(weights, columns[0]):
        return None
    counts = _count(columns, edges, weights).astype(np.float64)
    if arguments["density"]:
        total = counts.sum()
        for widths in np.ix_(*(np.diff(np.asarray(_widen(x))) for x in edges)):
            counts = counts / widths
        counts /= total
    return counts, edges


def _histogramdd(call: _Call) -> object:
    """Compute a histogram with rounded edges, as `_histogram` does.

    The extremes of the sample are enough to compute the edges.
    """
    function, arguments = call
    result = _count_grid(arguments)
    if result is not None:
        return result
    sample = arguments["sample"]
    kind = _type_of(sample)
    if kind in _SINGLE:
        return function(_widen_all(arguments, kind))
    columns = np.asarray(_widen(sample), np.float64)
    columns = columns.T if isinstance(sample, list | tuple) else columns
    columns = columns.reshape(-1, 1) if columns.ndim < 2 else columns
    wide = {"sample": columns, "weights": _widen(arguments["weights"])}
    ends = columns
    if len(columns):
        ends = np.stack([columns.min(axis=0), columns.max(axis=0)])
    bins, limits = _widen(arguments["bins"]), _widen(arguments["range"])
    with np.errstate(all="ignore"):
        few = arguments | {"sample": ends, "weights": None, "density": None}
        edges = function(few | {"bins": bins, "range": limits})[1]
    bins = _bins_of_columns(arguments["bins"], len(edges))
    # Edges that the caller passes stay unchanged.
    edges = [
        np.asarray(b) if np.ndim(b) else _narrow(x, kind) for b, x in zip(bins, edges, strict=True)
    ]
    counts, _ = function(arguments | wide | {"bins": [_widen(x) for x in edges], "range": None})
    return counts, edges


def _cross(
    a: object, b: object, axisa: int, axisb: int, axisc: int, axis: int | None
) -> object | None:
    """Return the cross products of vectors along the last axis; None for others."""
    is_last = axis == -1 if axis is not None else (axisa, axisb, axisc) == (-1, -1, -1)
    return _core.cross_of_rows(a, b) if is_last else None


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
    _Row("numpy._core.numeric", "cross", ("a", "b"), None, _cross),
    _Row(_IMPL, "gradient", ("f",), None, _core.gradient),
    _Row(_IMPL, "unwrap", ("p", "period"), None, _core.unwrap),
    _Row(_IMPL, "sinc", ("x",), by_table=True),
    _Row(_IMPL, "i0", ("x",), by_table=True),
    _Row("numpy.lib._polynomial_impl", "poly", ("seq_of_zeros",)),
    _Row("numpy.linalg._linalg", "matrix_power", ("a",)),
    _Row("numpy.linalg._linalg", "multi_dot", ("arrays",)),
    _Row("numpy.lib._polynomial_impl", "polyval", ("p", "x"), None, _polyval),
    _Row(_IMPL, "diff", ("a", "prepend", "append"), None, _core.diff),
    _Row("numpy.lib._histograms_impl", "histogram_bin_edges", ("a",), _edges),
    _Row(_IMPL, "_lerp", ("a", "b", "t"), _interpolate, _core.interpolate, in_float64=True),
    _Row(_IMPL, "quantile", ("a", "q"), _quantile, _quantile_of_numpy),
    _Row(_IMPL, "percentile", ("a", "q"), _quantile, _quantile_of_numpy),
    _Row(_NAN, "nanquantile", ("a", "q"), _quantile, _quantile_of_numpy),
    _Row(_NAN, "nanpercentile", ("a", "q"), _quantile, _quantile_of_numpy),
    _Row(
        "numpy.lib._histograms_impl", "histogram", ("a", "weights"), _histogram, _histogram_of_numpy
    ),
    _Row("numpy.lib._histograms_impl", "histogramdd", ("sample",), _histogramdd),
)


def _make_caller(original: FunctionType) -> Callable[..., object]:
    """Return a function that calls another one with a dict of its arguments, also ``*args``."""
    kinds = {name: x.kind for name, x in inspect.signature(original).parameters.items()}
    keywords = [name for name, kind in kinds.items() if kind is _Kind.KEYWORD_ONLY]
    more = [name for name, kind in kinds.items() if kind is _Kind.VAR_POSITIONAL]
    plain = [name for name in kinds if name not in (*keywords, *more)]

    def call(arguments: dict[str, object]) -> object:
        values = [arguments[name] for name in plain]
        for name in more:
            values += cast("tuple[object, ...]", arguments[name])
        return original(*values, **{name: arguments[name] for name in keywords})

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


def teach_masked_median(module: ModuleType, median: Callable[..., object]) -> None:
    """Make the median of masked arrays, in the module numpy.ma.extras, exact.

    median: the function that computes it, or returns None for those to be computed in float64.
    """
    row = _Row(module.__name__, "_median", ("a",), None, median)
    _teach(row, module._median)


def teach_ranges() -> bool:
    """Make `FUNCTIONS` compute halves in float64; return True if all do."""
    for row in FUNCTIONS:
        _teach(row, inspect.unwrap(getattr(import_module(row.module), row.name)))
    return True
