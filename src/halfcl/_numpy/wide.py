"""Functions of NumPy that would overflow in halves on the way to a result that halves hold.

The variance of 2^20 halves near 0.6 is a small number, and the sum that NumPy makes it from is
beyond half's range. So do these functions of `FUNCTIONS` what numpy.mean does for float16 by
itself: of an array of half they calculate in float64, and round the result to half once, in the
region's mode. With ``dtype`` they do what it asks for, as before.

Means, variances, deviations and norms are halfcl's own statistics where these take the arguments:
exact, and rounded once, of float16 too while accelerate() is on.

They are Python functions of NumPy's, under names that anybody may have imported, and ndarray.var
keeps one of them by itself. So the functions stay the objects that they are, and get code with
one statement more at its start: the same source, compiled again.
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
from halfcl.reductions._functions import prepare_and_reduce, can_copy_to
from halfcl.reductions._into_half import STATISTICS, kind_of_half, reduce_into_half, variance_about

half = _core.half

#: Elements that NumPy's own cast from float16 converts in less time.
_FEW = 1024

#: What may be half; and what is not, which most parameters are.
_HAVE_DTYPE = (np.ndarray, half)
_PLAIN = (NoneType, bool, int, float, tuple)


def is_half(value: object) -> TypeGuard[NDArray[_core.half] | _core.half]:
    """Whether value is an array of half, or one."""
    return isinstance(value, _HAVE_DTYPE) and value.dtype.type is half


def widened(value: object, dtype: DTypeLike = np.float64) -> object:
    """Half in more room; anything else as it is."""
    if not is_half(value):
        return value
    if type(value) is np.ndarray and value.size < _FEW and value.dtype.isnative:
        return value.view(np.float16).astype(dtype)  # convert takes longer to look at what it is
    if type(value) is np.ndarray or isinstance(value, half):
        return convert(value, dtype)  # which a strict region lets pass
    return value.astype(dtype)


def narrowed(result: Results, out: NDArray[Any] | None) -> Results:
    """A result as half, in out if that is given."""
    if out is None and type(result) is np.float64:
        return half(result)
    if isinstance(result, tuple):
        return tuple(map(_as_half, result))
    if out is not None:
        if out.shape != np.shape(result):  # which assignment would broadcast
            raise ValueError(f"out: expected shape {np.shape(result)}, got {out.shape}")
        out[...] = result
        return out
    return _as_half(result)


def _as_half(result: Result) -> Result:
    if result is getattr(sys.modules.get("numpy.ma.core"), "masked", None):
        return result
    return result.astype(half) if isinstance(result, np.ndarray) else half(result)


def _gives_half(operands: list[object]) -> bool:
    numbers = [x for x in operands if not is_missing(x)]
    if len(numbers) == 1:
        return is_half(numbers[0])
    types = [x if isinstance(x, int | float | np.generic) else np.asarray(x) for x in numbers]
    return np.result_type(*types).type is half


def in_float64_if_half(
    function: Callable[..., Results], operands: tuple[str, ...], parameters: dict[str, Any]
) -> Results:
    """Call a function in float64, and round once, where it gives half without dtype."""
    dtype = parameters.get("dtype")
    if not _gives_half([parameters[x] for x in operands]) or (
        dtype is not None and np.dtype(dtype).type is not half
    ):
        return function(**parameters)
    return _in_float64(function, parameters | ({} if dtype is None else {"dtype": None}))


def _in_float64(function: Callable[..., Results], parameters: dict[str, Any]) -> Results:
    """Of halves, rounded once; into an output that is not of half, in its own type."""
    out = parameters.get("out")
    goes_to_half = out is None or is_half(out)
    wide = {
        name: value if type(value) in _PLAIN or name == "out" else widened(value)
        for name, value in parameters.items()
    }
    if not goes_to_half:
        return function(**wide)
    if "out" in wide:
        wide["out"] = None
    return narrowed(function(**wide), out)


def _is_euclidean(array: NDArray[Any], order: object, axis: object) -> bool:
    """Whether numpy.linalg.norm with these arguments is the root of a sum of squares."""
    if order is None:
        return not isinstance(axis, tuple) or len(axis) <= 2
    if not isinstance(order, int | float | str):
        return False
    if axis is None:
        return (array.ndim, order) in ((1, 2), (2, "fro"))
    return order == (2 if isinstance(axis, int) else "fro")


def is_missing(value: object) -> bool:
    """Return whether an argument is None, or NumPy's mark for one that is not given."""
    return value is None or value is np._NoValue


def is_float16(value: object) -> TypeGuard[NDArray[np.float16]]:
    """Whether value is an array of float16, or one, in any byte order."""
    return isinstance(value, np.ndarray | np.float16) and value.dtype.type is np.float16


def as_float16(found: object) -> Any:
    """Halves, or one, with the bits that they have; anything else as it is."""
    if isinstance(found, tuple):
        return tuple(map(as_float16, found))
    if not is_half(found):
        return found
    return found.view(np.float16) if isinstance(found, np.ndarray) else np.float16(found)


def native(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in an ndarray of the machine's own byte order."""
    return np.asarray(array, array.dtype.newbyteorder("="))


def _has_own_ways(array: NDArray[Any]) -> bool:
    """Return whether its class is asked before NumPy's functions calculate, or masks elements."""
    if type(array).__array_ufunc__ is not np.ndarray.__array_ufunc__:
        return True
    ma = sys.modules.get("numpy.ma")
    return ma is not None and ma.getmask(array) is not ma.nomask


def _has_own_mean(array: object) -> bool:
    """Return whether its class has a mean of its own, which NumPy's functions call."""
    return isinstance(array, np.ndarray) and type(array).mean is not np.ndarray.mean


def _plain(array: object) -> NDArray[Any] | None:
    """The numbers of an array, as `_core` takes them; None if that is not for halfcl to find."""
    if type(array) is np.ndarray and array.dtype.isnative:
        return array
    if not isinstance(array, np.ndarray) or _has_own_ways(array):
        return None
    return native(array)


def _like(array: NDArray[Any], value: object) -> NDArray[Any] | None:
    """Return a value as an array of that array's dtype, or None if it is of another one."""
    other = _plain(np.asanyarray(value))
    return other if other is not None and other.dtype == array.dtype else None


def _weighted_mean(given: dict[str, object]) -> object:
    """Return the exact mean with weights of the array's dtype, and their sum if that is asked."""
    array, weights, axis = _plain(given["a"]), given["weights"], given["axis"]
    if array is None or weights is None:
        return NotImplemented
    weights = _like(array, weights)
    if weights is None:
        return NotImplemented
    if weights.shape != array.shape:  # then they are NumPy's to refuse, or lie along one axis
        if type(axis) is not int or weights.ndim != 1 or not -array.ndim <= axis < array.ndim:
            return NotImplemented
        if weights.shape[0] != array.shape[axis]:
            return NotImplemented
        weights = weights.reshape(-1, *(1,) * (array.ndim - 1 - axis % array.ndim))
    keepdims = given["keepdims"]
    keepdims = bool(keepdims) and keepdims is not np._NoValue
    means = weighted.average(array, weights, axis, keepdims)
    if means is NotImplemented or not given["returned"]:
        return means
    sums = _core.reduce_at_once(
        "sum", (np.broadcast_to(weights, array.shape),), axis, np.dtype(np.float64), None, keepdims,
        None, True, 0, None,
    )  # fmt: skip
    return means, sums


def _trapezoid(given: dict[str, object]) -> object:
    """Return the exact integral with one distance, or with places of the numbers' own dtype."""
    y, x, dx, axis = _plain(given["y"]), given["x"], given["dx"], given["axis"]
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
    places = _like(y, x)
    if places is None or places.shape not in (y.shape, y.shape[axis : axis + 1]):
        return NotImplemented
    return weighted.trapezoid(y, places, axis)


#: What NumPy says of results that are NaN, since there are too few numbers.
_OF_TOO_FEW = {
    "mean": "Mean of empty slice",
    "var": "Degrees of freedom <= 0 for slice.",
    "std": "Degrees of freedom <= 0 for slice.",
}


def _kind_of(array: NDArray[Any], dtype: DTypeLike | None, out: object) -> np.dtype[Any] | None:
    """Return the dtype that a statistic of halves is rounded to; None if that is NumPy's to say."""
    if out is not None and not can_copy_to(out):
        return None
    if dtype is None:
        kind = array.dtype if out is None else cast("NDArray[Any]", out).dtype
    else:
        kind = np.dtype(dtype)
    result = result_kind(kind)
    if result != array.dtype and is_half(array) and _core.is_leaving_watched():
        return None
    return result


def _put(out: NDArray[Any], found: ArrayLike) -> NDArray[Any]:
    """Write results into an output, in its dtype."""
    if out.shape != np.shape(found):  # which assignment would broadcast
        raise ValueError(f"out: expected shape {np.shape(found)}, got {out.shape}")
    np.copyto(np.asarray(out), found, casting="unsafe")
    return out


def _used(array: NDArray[Any], where: object, *, skips_nans: bool) -> Truths | bool | None:
    """Return which elements count: True, or an array of truths; None where NumPy is to complain."""
    used: Truths | bool = True
    if where is not True and where is not np._NoValue:
        truths = np.asarray(where)
        if truths.dtype != np.bool_:
            return None
        used = truths
    if skips_nans:
        nans = np.isnan(array)
        if nans.any():  # of all of them it takes no time to leave some out
            used = ~nans & used
    return used


def _degrees(parameters: dict[str, object]) -> object:
    """Return ddof, or what is given by its other name; None if both are, which NumPy refuses."""
    ddof, correction = parameters.get("ddof", 0), parameters.get("correction")
    if is_missing(correction):
        return ddof
    return correction if ddof == 0 else None


def _with_too_few(call: Call) -> Any:
    """Return a statistic where some results may be of too few elements, as `halfcl` has these.

    NotImplemented where NumPy is to complain.
    """
    try:
        return prepare_and_reduce(call)
    except (TypeError, ValueError):
        return NotImplemented


def _with_nans(call: Call) -> tuple[Any, Truths | None]:
    """Return a statistic that is NaN, without a word, of too few elements; and where that is."""
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        results = _with_too_few(call)
    if results is NotImplemented:
        return results, None
    shape = np.asarray(call.arrays[0]).shape
    counts = np.count_nonzero(
        np.broadcast_to(np.asarray(call.where), shape),
        axis=cast("int | None", call.axis),
        keepdims=bool(call.keepdims),
    )
    few = np.asarray(counts) <= (0 if call.name == "mean" else operator.index(call.ddof))
    if not few.any():
        return results, None
    results = np.asarray(results)
    results[few] = np.nan
    return results[()], few


def _into_half(
    statistic: str, given_array: object, parameters: dict[str, Any], *, skips_nans: bool
) -> Any:
    """Return the statistic of other numbers, rounded once to half, or NotImplemented."""
    given = parameters.get
    array = np.asanyarray(given_array)
    try:
        kind = kind_of_half(given("dtype"), given("out"))
    except TypeError:  # which NumPy raises
        return NotImplemented
    numbers = array if type(array) is np.ndarray else _plain(array)
    if statistic not in STATISTICS or numbers is None or kind is None:
        return NotImplemented
    if kind.type is np.float16 and not _core.is_of_halves(np.empty(0, np.float16)):
        return NotImplemented
    if array.dtype.type is np.float16:
        halves = native(array).view(half)
        return _exactly(statistic, halves, parameters, skips_nans=skips_nans)
    if not all(map(is_missing, map(given, ("mean", "weights")))):
        return NotImplemented
    where = _used(numbers, given("where", True), skips_nans=skips_nans)
    out, ddof, keepdims = given("out"), _degrees(parameters), given("keepdims")
    if where is None or type(ddof) is not int or not (out is None or can_copy_to(out)):
        return NotImplemented
    result = reduce_into_half(
        statistic, numbers, given("axis"), kind, None if out is None else np.asarray(out),
        bool(keepdims) and keepdims is not np._NoValue, None, where, ddof,
    )  # fmt: skip
    if result is NotImplemented:
        return NotImplemented
    return _core.wrapped(array, result) if out is None else out


def _is_about_half(array: NDArray[Any], parameters: dict[str, object]) -> bool:
    """Return whether differences from the mean that is given are of the array's type."""
    if parameters.get("out") is not None or parameters.get("dtype") is not None:
        return True  # which says what results are of
    mean = cast("ArrayLike", parameters["mean"])
    return np.result_type(array, mean).type is array.dtype.type


def _about_mean(call: Call, mean: object) -> Any:
    """Return a variance, or deviation, about a mean that is given: exact if it is of half."""
    array, center, kind = np.asarray(call.arrays[0]), np.asarray(mean), np.dtype(call.dtype)
    if _core.rounds_at_random() or type(call.ddof) is not int:
        return NotImplemented
    if kind.type in (half, np.float16):
        return variance_about(
            call.name, array, center, call.axis, kind, bool(call.keepdims), call.where, call.ddof
        )
    numbers, center = (np.asarray(widened(x), np.float64) for x in (array, center))
    spread = getattr(np, call.name)(
        numbers, call.axis, ddof=call.ddof, keepdims=call.keepdims, where=call.where, mean=center
    )
    return spread.astype(kind)


def _exactly(
    statistic: str, given_array: object, parameters: dict[str, Any], *, skips_nans: bool = False
) -> Any:
    """The statistic, rounded once; NotImplemented where NumPy is to do it, or to complain."""
    given = parameters.get
    array = _plain(given_array)
    if array is None:
        return NotImplemented
    out, mean = given("out"), given("mean")
    kind = _kind_of(array, given("dtype"), out)
    if kind is None or not (is_missing(mean) or _is_about_half(array, parameters)):
        return NotImplemented
    ddof = _degrees(parameters)
    if statistic == "norm" and not _is_euclidean(array, given("ord"), given("axis")):
        return NotImplemented
    if given("weights") is not None or given("returned"):
        return NotImplemented
    keepdims = given("keepdims")
    keepdims = False if keepdims is np._NoValue else keepdims
    count = _core.kernels_run()
    found: Any = NotImplemented
    few: Any = None
    is_plain = is_missing(given("where")) and is_missing(mean)
    if skips_nans and out is None and kind == array.dtype and is_plain:
        found, few = _core.skip_nans(statistic, array, given("axis"), keepdims, ddof)
    if found is NotImplemented:
        where = _used(array, given("where", True), skips_nans=skips_nans)
        if where is None:
            return NotImplemented
        call = Call(
            statistic, (array,), given("axis"), kind, None, keepdims, None, where,
            cast("int", ddof), None,
        )  # fmt: skip
        if not is_missing(mean):
            found = _about_mean(call, mean)
        elif (found := _core.reduce_at_once(*call)) is NotImplemented and where is not True:
            found, few = _with_nans(call) if skips_nans else (_with_too_few(call), None)
    if array.dtype.type is not half:
        _core.forget_kernels_since(count)  # what float16 arrays are computed by is not counted
    if few is not None:
        warnings.warn(_OF_TOO_FEW[statistic], RuntimeWarning, stacklevel=4)
    # NumPy makes numbers of float16's single means and of norms, whatever the array's class.
    is_number = statistic == "mean" and np.ndim(found) == 0 and kind == array.dtype
    is_number = is_number and not skips_nans
    if found is NotImplemented or ((is_number or statistic == "norm") and out is None):
        return found
    if out is not None:
        return _put(out, found)
    return _core.wrapped(cast("NDArray[Any]", given_array), found)


def source_of(code: CodeType) -> str:
    """A function's source, on lines of the numbers that it has in its file.

    Not by inspect.getsource, which reads all of a file as tokens to find the end.
    """
    end = max(position[1] or 0 for position in code.co_positions())
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : end]
    if not lines:
        raise OSError(f"no source of {code.co_name}")
    return "\n" * (code.co_firstlineno - 1) + "".join(lines)


def with_statement(function: FunctionType, statement: str) -> CodeType:
    """The function's code, with one statement more at its start.

    A method's source is compiled in a class of the same name, where it may call ``super()``.
    """
    code = function.__code__
    source = source_of(code)
    is_method = source.lstrip("\n").startswith(" ")
    if is_method:
        name = function.__qualname__.split(".")[0]
        before, lines = source[: code.co_firstlineno - 2], source[code.co_firstlineno - 1 :]
        source = f"{before}class {name}:\n{lines}"
    tree = ast.parse(source)
    definition = cast("ast.ClassDef", tree.body[0]).body[0] if is_method else tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    first = ast.parse(statement).body
    ast.increment_lineno(first[0], code.co_firstlineno - 1)
    definition.body[0:0] = first
    body = compile(tree, code.co_filename, "exec")
    for _ in range(1 + is_method):
        body = next(c for c in body.co_consts if isinstance(c, CodeType))
    return body


def copy_of(function: FunctionType) -> FunctionType:
    """Return a function with the same code, which stays when the function's own is replaced."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def ask_first(function: FunctionType, name: str, ask: Callable[..., object]) -> None:
    """Let the function return what ``ask`` does of its arguments, unless that is NotImplemented.

    name: the global of the function's module by which ``ask`` is called.
    """
    parameters = ", ".join(inspect.signature(function).parameters)
    code = with_statement(
        function, f"if (halfcl := {name}({parameters})) is not NotImplemented: return halfcl"
    )
    function.__globals__[name] = ask
    function.__code__ = code


def _seen_as_half(value: NDArray[np.float16]) -> NDArray[half]:
    """In the class that it has."""
    return (value if value.dtype.isnative else value.astype(np.float16)).view(half)


def as_of_half(
    function: Callable[..., Results], operands: tuple[str, ...], parameters: dict[str, Any]
) -> Results | NotImplementedType:
    """A call on float16 as one on half: rounded once from float64."""
    out = parameters.get("out")
    to_float16 = isinstance(out, np.ndarray) and out.dtype.type is np.float16
    of_half = {
        name: _seen_as_half(value) if name in operands and is_float16(value) else value
        for name, value in parameters.items()
        if name != "out" or not to_float16
    }
    if not _gives_half([of_half[name] for name in operands]):
        return NotImplemented
    found = _in_float64(function, of_half)
    if not to_float16:
        return as_float16(found) if out is None else found
    assert out is not None
    if out.shape != np.shape(found):
        raise ValueError(f"out: expected shape {np.shape(found)}, got {out.shape}")
    out[...] = as_float16(found)
    return out


def _is_norm_of_numpy(x: object, order: object, *others: object) -> bool:
    """Whether it is one that NumPy finds without rounding on the way, or of float16."""
    if order is None:
        return False
    if isinstance(order, str):
        return order != "fro" and not is_half(x)
    return order in _ROUNDED_ONCE or (order != 2 and not is_half(x))


#: Orders of norms that are an extreme, or a sum.
_ROUNDED_ONCE = (1, np.inf, -np.inf)

#: Module and function; the parameters that make the result's type with the first one; the
#: statistic that it is, or nothing; what is done by sums in float64, or nothing.
FUNCTIONS = (
    ("numpy._core._methods", "_mean", (), "mean", None),
    ("numpy._core._methods", "_var", ("mean",), "var", None),
    ("numpy._core._methods", "_std", ("mean",), "std", None),
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
    asked = f"_halfcl_{name}"
    if asked in function.__globals__:  # halfcl was imported before
        return
    original = copy_of(function)
    parameters = inspect.signature(original).parameters
    first = next(iter(parameters))
    operands = (first, *operands)
    skips_nans = name.startswith("nan")

    def calculate(given: dict[str, Any]) -> Results | NotImplementedType:
        array = given[first]
        if not is_half(array) and not _core.is_of_halves(array):
            return cast("Results", _into_half(statistic, array, given, skips_nans=skips_nans))
        is_of_class = not name.startswith("_") and _has_own_mean(array)
        if is_of_class and name == "average" and given["weights"] is None:
            return NotImplemented
        if statistic and not is_of_class:
            found = _exactly(statistic, array, given, skips_nans=skips_nans)
            if found is not NotImplemented:
                return cast("Results", found)
        if name == "_mean":
            return NotImplemented
        found = NotImplemented if by_sums is None else by_sums(given)
        if found is not NotImplemented:
            if isinstance(found, np.ndarray):
                found = _core.wrapped(array, found)
            found = narrowed(found, None)
            return cast("Results", found if is_half(array) else as_float16(found))
        if is_half(array):
            return in_float64_if_half(original, operands, given)
        if given.get("dtype") is not None or _has_own_ways(array):
            return NotImplemented
        return as_of_half(original, operands, given)

    ask = _core.Statistic(
        "" if skips_nans else statistic, tuple(parameters),
        tuple(p.default for p in parameters.values()), bool(statistic) or by_sums is not None,
        calculate,
        _is_norm_of_numpy if name == "norm" else None,
    )  # fmt: skip
    ask_first(function, asked, ask)


def teach_wide() -> bool:
    """Let `FUNCTIONS` calculate in float64 on arrays of half; whether all of them do."""
    for module, name, operands, statistic, by_sums in FUNCTIONS:
        function = getattr(import_module(module), name)
        _teach(inspect.unwrap(function), operands, statistic, by_sums)
    return True
