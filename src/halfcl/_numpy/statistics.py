"""Functions of NumPy whose intermediate results overflow half, although half holds the result.

The variance of 2^20 halves near 0.6 is a small number, but the sum from which NumPy computes it is
beyond half's range. Therefore `FUNCTIONS` compute arrays of half as numpy.mean computes float16: in
float64, rounding the result to half once, in the region's mode. A ``dtype`` argument works as
before.

Means, variances, standard deviations and norms are halfcl's own statistics where these accept the
arguments: exact, and rounded once; also for float16 while NumPy is accelerated.

They are Python functions of NumPy's, which others may have imported by name, and ndarray.var holds
a reference to one of them. Therefore the function objects stay, and their code is replaced: the
same source with one more statement at its start, compiled again.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import operator
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from types import CodeType, FunctionType, NoneType, NotImplementedType
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl import _core
from halfcl._numpy import weighted
from halfcl._opencl.conversion import convert
from halfcl._support.results import Result, Results
from halfcl.reductions._arguments import Call, Truths, result_kind
from halfcl.reductions._functions import can_copy_to, overrides_ufuncs, prepare_and_reduce
from halfcl.reductions._into_half import STATISTICS, kind_of_half, reduce_into_half, variance_about

half = _core.half

#: Below this number of elements NumPy's own cast from float16 takes less time.
_FEW = 1024

#: The types of values that may be half; and those of most other arguments.
_HAVE_DTYPE = (np.ndarray, half)
_PLAIN = (NoneType, bool, int, float, tuple)


def is_half(value: object) -> TypeGuard[NDArray[_core.half] | _core.half]:
    """Return whether a value is a half or an array of half."""
    return isinstance(value, _HAVE_DTYPE) and value.dtype.type is half


def widen(value: object, dtype: DTypeLike = np.float64) -> object:
    """Convert half to a wider type; return anything else unchanged."""
    if not is_half(value):
        return value
    if type(value) is np.ndarray and value.size < _FEW and value.dtype.isnative:
        return value.view(np.float16).astype(dtype)  # `convert` takes longer to check arguments
    if type(value) is half:
        return np.asarray(float(value), dtype)[()]
    if type(value) is np.ndarray or isinstance(value, half):
        return convert(value, dtype)  # explicit, so that a strict region allows it
    return value.astype(dtype)


def narrow(result: Results, out: NDArray[Any] | None = None, name: str = "") -> Results:
    """Round a result of the function with that name to half, and write it to an output, if any."""
    if out is None and type(result) is np.float64:
        return half(result)
    if isinstance(result, tuple):
        return tuple(map(_as_half, result))
    if out is not None:
        check_shape(name, out, result)
        out[...] = result
        return out
    return _as_half(result)


def check_output(name: str, out: object) -> None:
    """Raise TypeError if an output is no array."""
    if out is not None and not isinstance(out, np.ndarray):
        got = type(out).__name__
        raise TypeError(f"{name.lstrip('_')}: argument out: expected an array, got {got}")


def check_shape(name: str, out: NDArray[Any], result: ArrayLike | Results) -> None:
    """Raise if an output is no array, or has another shape, to which assignment would broadcast."""
    check_output(name, out)
    if out.shape != np.shape(result):
        name, shape = name.lstrip("_"), np.shape(result)
        raise ValueError(f"{name}: argument out: expected shape {shape}, got {out.shape}")


def _as_half(result: Result) -> Result:
    if result is getattr(sys.modules.get("numpy.ma.core"), "masked", None):
        return result
    return result.astype(half) if isinstance(result, np.ndarray) else half(result)


def _is_promoted_to_half(operands: list[object]) -> bool:
    numbers = [x for x in operands if not is_missing(x)]
    if len(numbers) == 1:
        return is_half(numbers[0])
    types = [x if isinstance(x, int | float | np.generic) else np.asarray(x) for x in numbers]
    return np.result_type(*types).type is half


def compute_in_float64_if_half(
    function: Callable[..., Results], operands: tuple[str, ...], parameters: dict[str, Any]
) -> Results:
    """Call a function in float64 and round once, if its result is half; else call it as it is."""
    dtype = parameters.get("dtype")
    if not _is_promoted_to_half([parameters[x] for x in operands]) or (
        dtype is not None and np.dtype(dtype).type is not half
    ):
        return function(**parameters)
    return _compute_in_float64(function, parameters | ({} if dtype is None else {"dtype": None}))


def _compute_in_float64(function: Callable[..., Results], parameters: dict[str, Any]) -> Results:
    """Call a function with halves as float64; round its result once, unless the output is wider."""
    out = parameters.get("out")
    is_rounded = out is None or is_half(out)
    wide = {
        name: value if type(value) in _PLAIN or name == "out" else widen(value)
        for name, value in parameters.items()
    }
    if not is_rounded:
        return function(**wide)
    if "out" in wide:
        wide["out"] = None
    return narrow(function(**wide), out, function.__name__)


def _is_euclidean(array: NDArray[Any], order: object, axis: object) -> bool:
    """Return whether numpy.linalg.norm with these arguments is the root of a sum of squares."""
    if order is None:
        return not isinstance(axis, tuple) or len(axis) <= 2
    if not isinstance(order, int | float | str):
        return False
    if axis is None:
        return (array.ndim, order) in ((1, 2), (2, "fro"))
    axes = len(axis) if isinstance(axis, tuple) else 1 if isinstance(axis, int) else 0
    return (axes, order) in ((1, 2), (2, "fro"))


def is_missing(value: object) -> bool:
    """Return whether an argument is None, or NumPy's default for missing arguments."""
    return value is None or value is np._NoValue


def is_float16(value: object) -> TypeGuard[NDArray[np.float16]]:
    """Return whether a value is a float16 or an array of float16, in any byte order."""
    return isinstance(value, np.ndarray | np.float16) and value.dtype.type is np.float16


def as_float16(value: object) -> Any:
    """Return halves as float16 with the same bits, also in tuples; anything else unchanged."""
    if isinstance(value, tuple):
        return tuple(map(as_float16, value))
    if not is_half(value):
        return value
    return value.view(np.float16) if isinstance(value, np.ndarray) else np.float16(value)


def to_native(array: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as a plain ndarray of the machine's own byte order."""
    return np.asarray(array, array.dtype.newbyteorder("="))


def _is_overriding(array: NDArray[Any]) -> bool:
    """Return whether an array's class overrides ufuncs, or the array masks elements."""
    if overrides_ufuncs(array):
        return True
    ma = sys.modules.get("numpy.ma")
    return ma is not None and ma.getmask(array) is not ma.nomask


def _has_own_mean(array: object) -> bool:
    """Return whether an array's class has its own mean, which NumPy's functions call."""
    own = np.ndarray.mean
    return isinstance(array, np.ndarray) and getattr(type(array), "mean", own) is not own


def _plain(array: object) -> NDArray[Any] | None:
    """Return an array as `_core` accepts it; None if its class overrides ufuncs."""
    if type(array) is np.ndarray and array.dtype.isnative:
        return array
    if not isinstance(array, np.ndarray) or _is_overriding(array):
        return None
    return to_native(array)


def _like(array: NDArray[Any], value: object) -> NDArray[Any] | None:
    """Return a value as a plain array if it has an array's dtype, else None."""
    other = _plain(np.asanyarray(value))
    return other if other is not None and other.dtype == array.dtype else None


def _weighted_mean(parameters: dict[str, object]) -> object:
    """Return the exact mean with weights of the array's dtype, and their sum if ``returned``."""
    array, weights = _plain(parameters["a"]), parameters["weights"]
    axis = parameters["axis"]
    if array is None or weights is None:
        return NotImplemented
    weights = _like(array, weights)
    if weights is None:
        return NotImplemented
    if weights.shape != array.shape:  # weights along one axis, or an error that NumPy raises
        if type(axis) is not int or weights.ndim != 1 or not -array.ndim <= axis < array.ndim:
            return NotImplemented
        if weights.shape[0] != array.shape[axis]:
            return NotImplemented
        weights = weights.reshape(-1, *(1,) * (array.ndim - 1 - axis % array.ndim))
    keepdims = parameters["keepdims"]
    keepdims = bool(keepdims) and keepdims is not np._NoValue
    means = weighted.average(array, weights, axis, keepdims)
    if means is NotImplemented or not parameters["returned"]:
        return means
    sums = _core.reduce_at_once(
        "sum", (np.broadcast_to(weights, array.shape),), axis, np.dtype(np.float64), None, keepdims,
        None, True, 0, None,
    )  # fmt: skip
    return means, sums


def _trapezoid(parameters: dict[str, object]) -> object:
    """Return the exact integral with one distance, or with abscissas of the ordinates' dtype."""
    y = _plain(parameters["y"])
    x, dx, axis = (parameters[name] for name in ("x", "dx", "axis"))
    if y is None or type(axis) is not int or not -y.ndim <= axis < y.ndim or y.shape[axis] < 2:
        return NotImplemented
    axis %= y.ndim
    if x is None:
        if type(dx) not in (int, float, half):
            return NotImplemented
        try:
            return weighted.even_trapezoid(y, float(cast("float", dx)), axis)
        except OverflowError:
            return NotImplemented
    abscissas = _like(y, x)
    if abscissas is None or abscissas.shape not in (y.shape, y.shape[axis : axis + 1]):
        return NotImplemented
    return weighted.trapezoid(y, abscissas, axis)


#: NumPy's warnings for results that are NaN since there are too few numbers.
_WARNINGS_OF_TOO_FEW = {
    "mean": "Mean of empty slice",
    "var": "Degrees of freedom <= 0 for slice.",
    "std": "Degrees of freedom <= 0 for slice.",
}


def _kind_of(array: NDArray[Any], dtype: DTypeLike | None, out: object) -> np.dtype[Any] | None:
    """Return the dtype to which a statistic of halves is rounded; None if NumPy decides it."""
    if out is not None and not can_copy_to(out):
        return None
    if dtype is None:
        kind = array.dtype if out is None else cast("NDArray[Any]", out).dtype
    else:
        kind = np.dtype(dtype)
    result = result_kind(kind)
    if result != array.dtype and is_half(array) and _core.is_promotion_watched():
        return None
    return result


def _write_to(name: str, out: NDArray[Any], results: ArrayLike) -> NDArray[Any]:
    """Write the results of a function to an output, in its dtype."""
    check_shape(name, out, results)
    np.copyto(np.asarray(out), results, casting="unsafe")
    return out


def _mask_of_used(array: NDArray[Any], where: object, *, skips_nans: bool) -> Truths | bool | None:
    """Return a mask of the elements to include, True for all; None if NumPy raises an error."""
    used: Truths | bool = True
    if where is not True and where is not np._NoValue:
        truths = np.asarray(where)
        if truths.dtype != np.bool_:
            return None
        used = truths
    if skips_nans:
        nans = np.isnan(array)
        if nans.any():  # without NaNs, a reduction without a mask takes less time
            used = ~nans & used
    return used


def _degrees(parameters: dict[str, object]) -> object:
    """Return ddof, or correction, its other name; None if both are given, which NumPy refuses."""
    ddof, correction = parameters.get("ddof", 0), parameters.get("correction")
    if is_missing(correction):
        return ddof
    return correction if ddof == 0 else None


def _reduce_as_halfcl(call: Call) -> Any:
    """Return a statistic with halfcl's results for too few elements.

    NotImplemented where NumPy has to raise the error.
    """
    try:
        return prepare_and_reduce(call)
    except (TypeError, ValueError):
        return NotImplemented


def _reduce_with_nans(call: Call) -> tuple[Any, bool]:
    """Return a statistic that is NaN for too few elements, and whether there are any.

    Warn of nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        results = _reduce_as_halfcl(call)
    if results is NotImplemented:
        return results, False
    shape = np.asarray(call.arrays[0]).shape
    counts = np.count_nonzero(
        np.broadcast_to(np.asarray(call.where), shape),
        axis=cast("int | None", call.axis),
        keepdims=bool(call.keepdims),
    )
    few = np.asarray(counts) <= (0 if call.name == "mean" else operator.index(call.ddof))
    if few.any():
        results = np.asarray(results)
        results[few] = np.nan
    return results[()], bool(few.any())


def _reduce_into_half(
    statistic: str, operand: object, parameters: dict[str, Any], *, skips_nans: bool
) -> Any:
    """Return a statistic of other numbers, rounded once to half, or NotImplemented."""
    get = parameters.get
    array = np.asanyarray(operand)
    try:
        kind = kind_of_half(get("dtype"), get("out"))
    except TypeError:  # NumPy raises it again
        return NotImplemented
    numbers = array if type(array) is np.ndarray else _plain(array)
    if statistic not in STATISTICS or numbers is None or kind is None:
        return NotImplemented
    if kind.type is np.float16 and not _core.is_of_halves(np.empty(0, np.float16)):
        return NotImplemented
    if array.dtype.type is np.float16:
        halves = to_native(array).view(half)
        return _reduce_exactly(statistic, halves, parameters, skips_nans=skips_nans)
    if not all(map(is_missing, map(get, ("mean", "weights")))):
        return NotImplemented
    where = _mask_of_used(numbers, get("where", True), skips_nans=skips_nans)
    out, ddof, keepdims = get("out"), _degrees(parameters), get("keepdims")
    if where is None or type(ddof) is not int or not (out is None or can_copy_to(out)):
        return NotImplemented
    result = reduce_into_half(
        statistic, numbers, get("axis"), kind, None if out is None else np.asarray(out),
        bool(keepdims) and keepdims is not np._NoValue, None, where, ddof,
    )  # fmt: skip
    if result is NotImplemented:
        return NotImplemented
    return _core.wrap_result(array, result) if out is None else out


def _has_mean_of_own_type(array: NDArray[Any], parameters: dict[str, object]) -> bool:
    """Return whether differences from the given mean have the array's type."""
    if parameters.get("out") is not None or parameters.get("dtype") is not None:
        return True  # these determine the type of results
    mean = cast("ArrayLike", parameters["mean"])
    return np.result_type(array, mean).type is array.dtype.type


def _variance_about_mean(call: Call, mean: object) -> Any:
    """Return a variance, or standard deviation, about a given mean; exact if rounded to half."""
    array, center, kind = np.asarray(call.arrays[0]), np.asarray(mean), np.dtype(call.dtype)
    if _core.rounds_at_random() or type(call.ddof) is not int:
        return NotImplemented
    if kind.type in (half, np.float16):
        return variance_about(
            call.name, array, center, call.axis, kind, bool(call.keepdims), call.where, call.ddof
        )
    numbers, center = (np.asarray(widen(x), np.float64) for x in (array, center))
    spread = getattr(np, call.name)(
        numbers, call.axis, ddof=call.ddof, keepdims=call.keepdims, where=call.where, mean=center
    )
    return spread.astype(kind)


def _reduce_exactly(
    statistic: str, operand: object, parameters: dict[str, Any], *, skips_nans: bool = False
) -> Any:
    """Return a statistic, rounded once.

    NotImplemented where NumPy has to compute it or to raise the error.
    """
    get = parameters.get
    array = _plain(operand)
    if array is None:
        return NotImplemented
    out, mean = get("out"), get("mean")
    kind = _kind_of(array, get("dtype"), out)
    if kind is None or not (is_missing(mean) or _has_mean_of_own_type(array, parameters)):
        return NotImplemented
    ddof = _degrees(parameters)
    if statistic == "norm" and not _is_euclidean(array, get("ord"), get("axis")):
        return NotImplemented
    if get("weights") is not None or get("returned"):
        return NotImplemented
    keepdims = get("keepdims")
    keepdims = False if keepdims is np._NoValue else keepdims
    count = _core.kernels_run()
    results: Any = NotImplemented
    has_too_few = False
    if skips_nans and is_missing(get("where")) and is_missing(mean):
        results, has_too_few = _core.skip_nans(statistic, array, get("axis"), kind, keepdims, ddof)
    if results is NotImplemented:
        where = _mask_of_used(array, get("where", True), skips_nans=skips_nans)
        if where is None:
            return NotImplemented
        call = Call(
            statistic, (array,), get("axis"), kind, None, keepdims, None, where,
            cast("int", ddof), None,
        )  # fmt: skip
        if not is_missing(mean):
            results = _variance_about_mean(call, mean)
        elif (results := _core.reduce_at_once(*call)) is NotImplemented and where is not True:
            results, has_too_few = (
                _reduce_with_nans(call) if skips_nans else (_reduce_as_halfcl(call), False)
            )
    if array.dtype.type is not half:
        _core.forget_kernels_since(count)  # kernels on float16 arrays are not counted
    if has_too_few:
        warnings.warn(_WARNINGS_OF_TOO_FEW[statistic], RuntimeWarning, stacklevel=4)
    # NumPy returns a single mean of float16 and a norm as a number, whatever the array's class.
    is_number = statistic == "mean" and np.ndim(results) == 0 and kind == array.dtype
    is_number = is_number and not skips_nans
    if results is NotImplemented or ((is_number or statistic == "norm") and out is None):
        return results
    if out is not None:
        return _write_to("nan" * skips_nans + statistic, out, results)
    return _core.wrap_result(cast("NDArray[Any]", operand), results)


def get_source(code: CodeType) -> str:
    """Return a function's source.

    inspect.getsource would take longer: it tokenizes the whole file to find the end.
    """
    end = max(filter(None, map(operator.itemgetter(1), code.co_positions())))
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : end]
    if not lines:
        raise OSError(f"no source of {code.co_name}")
    return "".join(lines)


def move_lines(code: CodeType, by: int) -> CodeType:
    """Return code, and what is nested in it, so many lines further down.

    A source that began with so many empty lines would take three times as long to compile.
    """
    constants = (move_lines(c, by) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_firstlineno=code.co_firstlineno + by, co_consts=tuple(constants))


def compile_with_statement(function: FunctionType, statement: str) -> CodeType:
    """Return a function's code with one more statement at its start.

    The source of a method is compiled inside a class of the same name, so that ``super()`` works.
    """
    code = function.__code__
    source = get_source(code)
    is_method = source.startswith(" ")
    if is_method:
        name = function.__qualname__.split(".")[0]
        source, statement = f"class {name}:\n{source}", f"\n{statement}"
    tree = ast.parse(source)
    definition = cast("ast.ClassDef", tree.body[0]).body[0] if is_method else tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    definition.body[0:0] = ast.parse(statement).body
    body = compile(tree, code.co_filename, "exec")
    for _ in range(1 + is_method):
        body = next(c for c in body.co_consts if isinstance(c, CodeType))
    return move_lines(body, code.co_firstlineno - 1 - is_method)


def copy_function(function: FunctionType) -> FunctionType:
    """Return a copy of a function, whose code stays when that of the function is replaced."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def try_first(
    function: FunctionType, name: str, attempt: Callable[..., object], condition: str = "True"
) -> None:
    """Make a function return the result of `attempt`, unless that is NotImplemented.

    name: the global variable of the function's module that holds `attempt`; condition: an
    expression of the parameters, without which nothing is attempted.
    """
    parameters = ", ".join(inspect.signature(function).parameters)
    result = f"(halfcl := {name}({parameters}))"
    code = compile_with_statement(
        function, f"if ({condition}) and {result} is not NotImplemented: return halfcl"
    )
    function.__globals__[name] = attempt
    function.__code__ = code


def _view_as_half(value: NDArray[np.float16]) -> NDArray[half]:
    """Return float16 as half, in an array of the same class and native byte order."""
    return (value if value.dtype.isnative else value.astype(np.float16)).view(half)


def compute_as_half(
    function: Callable[..., Results], operands: tuple[str, ...], parameters: dict[str, Any]
) -> Results | NotImplementedType:
    """Call a function with float16 as with half: in float64, rounding its result once."""
    out = parameters.get("out")
    to_float16 = isinstance(out, np.ndarray) and out.dtype.type is np.float16
    of_half = {
        name: _view_as_half(value) if name in operands and is_float16(value) else value
        for name, value in parameters.items()
        if name != "out" or not to_float16
    }
    if not _is_promoted_to_half([of_half[name] for name in operands]):
        return NotImplemented
    result = _compute_in_float64(function, of_half)
    if not to_float16:
        return as_float16(result) if out is None else result
    assert out is not None
    check_shape(function.__name__.lstrip("_"), out, result)
    out[...] = as_float16(result)
    return out


def _is_left_to_numpy(x: object, order: object, *others: object) -> bool:
    """Return whether a norm is exact in NumPy before its one rounding, or one of float16."""
    if order is None:
        return False
    if isinstance(order, str):
        return order != "fro" and not is_half(x)
    return order in _ROUNDED_ONCE or (order != 2 and not is_half(x))


#: Orders of norms that are a minimum, a maximum or a sum.
_ROUNDED_ONCE = (1, np.inf, -np.inf)

#: Module and function; the parameters that determine the result's type, with the first one; the
#: statistic that it computes, or ""; the function that computes it from sums in float64, or None.
FUNCTIONS = (
    ("numpy._core._methods", "_mean", (), "mean", None),
    ("numpy._core._methods", "_var", ("mean",), "var", None),
    ("numpy._core._methods", "_std", ("mean",), "std", None),
    ("numpy.lib._nanfunctions_impl", "nansum", (), "sum", None),
    ("numpy.lib._nanfunctions_impl", "nanprod", (), "prod", None),
    ("numpy.lib._nanfunctions_impl", "nanmean", (), "mean", None),
    ("numpy.lib._nanfunctions_impl", "nanvar", ("mean",), "var", None),
    ("numpy.lib._nanfunctions_impl", "nanstd", ("mean",), "std", None),
    ("numpy.lib._function_base_impl", "average", ("weights",), "mean", _weighted_mean),
    ("numpy.lib._function_base_impl", "trapezoid", ("x", "dx"), "", _trapezoid),
    ("numpy.linalg._linalg", "norm", (), "norm", None),
)


def _teach(
    function: FunctionType,
    operands: tuple[str, ...],
    statistic: str,
    by_sums: Callable[[dict[str, object]], Any] | None,
) -> None:
    name = function.__name__
    variable = f"_halfcl_{name}"
    if variable in function.__globals__:  # halfcl was imported before
        return
    original = copy_function(function)
    parameters = inspect.signature(original).parameters
    first = next(iter(parameters))
    operands = (first, *operands)
    skips_nans = name.startswith("nan")

    def calculate(arguments: dict[str, Any]) -> Results | NotImplementedType:
        array = arguments[first]
        if statistic in ("sum", "prod"):
            return NotImplemented  # NumPy calls ufuncs, which are exact
        if not is_half(array) and not _core.is_of_halves(array):
            result = _reduce_into_half(statistic, array, arguments, skips_nans=skips_nans)
            return cast("Results", result)
        is_of_class = not name.startswith("_") and _has_own_mean(array)
        if is_of_class and name == "average" and arguments["weights"] is None:
            return NotImplemented
        if statistic and not is_of_class:
            result = _reduce_exactly(statistic, array, arguments, skips_nans=skips_nans)
            if result is not NotImplemented:
                return cast("Results", result)
        if name == "_mean":
            return NotImplemented
        result = NotImplemented if by_sums is None else by_sums(arguments)
        if result is not NotImplemented:
            if isinstance(result, np.ndarray):
                result = _core.wrap_result(array, result)
            result = narrow(result)
            return cast("Results", result if is_half(array) else as_float16(result))
        if is_half(array):
            return compute_in_float64_if_half(original, operands, arguments)
        if arguments.get("dtype") is not None or _is_overriding(array):
            return NotImplemented
        return compute_as_half(original, operands, arguments)

    attempt = _core.Statistic(
        statistic, tuple(parameters),
        tuple(p.default for p in parameters.values()), bool(statistic) or by_sums is not None,
        calculate,
        _is_left_to_numpy if name == "norm" else None, skips_nans,
        _WARNINGS_OF_TOO_FEW.get(statistic, ""),
        _core.trapezoid if by_sums is _trapezoid else None,
    )  # fmt: skip
    try_first(function, variable, attempt)


def teach_statistics() -> bool:
    """Make `FUNCTIONS` compute arrays of half exactly or in float64; return True if all do."""
    for module, name, operands, statistic, by_sums in FUNCTIONS:
        function = getattr(import_module(module), name)
        _teach(inspect.unwrap(function), operands, statistic, by_sums)
    return True
