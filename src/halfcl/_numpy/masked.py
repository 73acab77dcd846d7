"""Means, variances, deviations and medians of masked arrays of halves: exact, and rounded once.

numpy.ma computes means of halves from rounded sums, and deviations from differences of halves, so
that intermediate results overflow. `METHODS` of MaskedArray return the results of numpy.mean, var
and std with ``where=~mask``; also for other masked arrays with results in half. The mask, the class
and the dtype of results are those of numpy.ma for float16.

numpy.ma takes as long to import as halfcl, so this module is imported after it. As in `statistics`,
the method objects stay, and their code is replaced.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from types import FunctionType, ModuleType, NotImplementedType
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.ma import (
    MaskedArray,
    MaskError,
    asarray,
    getdata,
    getmask,
    getmaskarray,
    make_mask,
    make_mask_none,
    masked,
    nomask,
)
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl import _core
from halfcl._numpy.statistics import (
    as_float16,
    compute_as_half,
    compute_in_float64_if_half,
    copy_function,
    is_half,
    is_missing,
    narrow,
    to_native,
    try_first,
    widen,
)
from halfcl.reductions._arguments import FLOAT16, HALF, axes, result_kind
from halfcl.reductions._functions import shape_with_ones
from halfcl.reductions._into_half import differences_from_mean, is_supported, kind_of_half

_Array: TypeAlias = NDArray[Any]

FLOAT64 = np.dtype(np.float64)

#: Types of degrees of freedom.
_NUMBERS = (int, float, np.integer, np.floating)

#: A masked array, a number, or numpy.ma.masked.
_Result: TypeAlias = "NDArray[Any] | np.generic | NotImplementedType"


class _Call(NamedTuple):
    """A call of a method of MaskedArray with its arguments."""

    array: NDArray[Any]
    axis: object = None
    dtype: DTypeLike | None = None
    out: NDArray[Any] | None = None
    ddof: float = 0
    keepdims: object = np._NoValue
    mean: ArrayLike = cast("ArrayLike", np._NoValue)

    @property
    def mask(self) -> NDArray[np.bool_] | np.bool_:
        return getmask(self.array)


class _Statistics(NamedTuple):
    """Results before they are masked, and a mask of those with too few elements."""

    numbers: NDArray[Any]
    few: NDArray[np.bool_]


def _is_for_halves(call: _Call) -> bool:
    """Return whether halfcl computes a call: the array or the results are of halves."""
    array: NDArray[Any] = call.array
    data: object = getdata(array)
    out: object = call.out
    if type(array).__array_ufunc__ is not MaskedArray.__array_ufunc__:
        return False
    if _core.rounds_at_random():
        return False
    if not isinstance(out, np.ndarray | None) or not isinstance(call.ddof, _NUMBERS):
        return False
    if isinstance(data, np.matrix) and not is_missing(call.keepdims):
        return False  # numpy.ma raises TypeError
    if is_half(array) or _core.is_of_halves(array):
        return True
    kind = kind_of_half(call.dtype, out)
    if kind is None or not is_supported(array.dtype):
        return False
    return kind.type is not np.float16 or _core.is_of_halves(np.empty(0, FLOAT16))


def _kind(call: _Call, without_dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return the dtype to which results are rounded; None if numpy.ma has to compute them.

    without_dtype: the dtype of results if the call has neither dtype nor out.
    """
    kind: np.dtype[Any] | None = without_dtype
    if call.dtype is not None:
        kind = result_kind(np.dtype(call.dtype))
        if kind is not None and call.mask is not nomask:
            kind = FLOAT64  # numpy.ma divides by counts, which are int64
    if kind is not None and call.out is not None:
        kind = result_kind(call.out.dtype) or kind
    if kind != HALF and is_half(call.array) and _core.is_promotion_watched():
        return None
    return kind


def _own_kind(call: _Call) -> np.dtype[Any]:
    """Return the array's dtype if that is half or float16, else float64, as for integers."""
    kind = result_kind(call.array.dtype)
    return kind if kind in (HALF, FLOAT16) else FLOAT64


def _compute(
    name: str, call: _Call, kind: np.dtype[Any], used: NDArray[np.bool_] | None
) -> NDArray[Any]:
    """Return a statistic of the used elements, by the method of ndarray with that name."""
    array = np.asarray(call.array)
    # numpy.ma accepts an axis for a number with a mask.
    axis = None if array.ndim == 0 and used is not None else call.axis
    if is_missing(call.mean) and array.dtype.type in (HALF.type, FLOAT16.type):
        results = _reduce_halves(name, call, kind, array, axis, used)
        if results is not NotImplemented:
            return results
    options: dict[str, Any] = {} if used is None else {"where": used}
    if name != "mean":
        options["ddof"] = call.ddof
    if not is_missing(call.keepdims):
        options["keepdims"] = call.keepdims
    if not is_missing(call.mean):
        options["mean"] = getdata(call.mean)
    method: Callable[..., Any] = getattr(array, name)
    dtype = None if kind == array.dtype else kind
    return np.array(method(axis, dtype=dtype, **options))


def _reduce_halves(
    name: str,
    call: _Call,
    kind: np.dtype[Any],
    array: NDArray[Any],
    axis: object,
    used: NDArray[np.bool_] | None,
) -> NDArray[Any] | NotImplementedType:
    """Return a statistic of halves by one call of the engine, or NotImplemented."""
    count = _core.kernels_run()
    results = _core.reduce_at_once(
        name, (array,), axis, kind, None, not is_missing(call.keepdims) and call.keepdims, None,
        True if used is None else used, call.ddof, None,
    )  # fmt: skip
    if array.dtype.type is FLOAT16.type:
        _core.forget_kernels_since(count)  # kernels on float16 arrays are not counted
    return results if results is NotImplemented else np.asarray(results)


def _reduce(name: str, call: _Call, kind: np.dtype[Any]) -> _Statistics | NotImplementedType:
    """Return a statistic of unmasked elements; NotImplemented if the given mean is masked."""
    array, mask, least = call.array, call.mask, max(call.ddof, 0)
    if mask is nomask:
        results = _compute(name, call, kind, None)
        count = array.size // max(results.size, 1)
        return _Statistics(results, np.full(results.shape, count <= least))
    used = ~np.asarray(mask)
    if not is_missing(call.mean) and np.any(getmaskarray(np.asanyarray(call.mean)) & used):
        return NotImplemented
    few = np.asarray(_counts(call, used) <= least)
    if not few.any():
        return _Statistics(_compute(name, call, kind, used).reshape(few.shape), few)
    reduced = axes(name, call.axis if array.ndim else None, array.ndim)
    if math.prod(array.shape[k] for k in reduced) <= least:
        return _Statistics(np.zeros(few.shape, kind), few)
    # Use all elements for these masked results, since NumPy warns of too few.
    used = used | few.reshape(shape_with_ones(array.shape, reduced))
    results = np.array(_compute(name, call, kind, used).reshape(few.shape))
    results[few] = 0  # as numpy.ma writes to an output without a mask
    return _Statistics(results, few)


def _counts(call: _Call, used: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of unmasked elements per result, as MaskedArray.count does."""
    options = {} if is_missing(call.keepdims) else {"keepdims": call.keepdims}
    if type(call.array) is MaskedArray and type(getdata(call.array)) is np.ndarray:
        add: Callable[..., object] = np.add.reduce
        return np.asarray(add(used, call.axis, np.intp, **options))
    count: Callable[..., object] = cast("MaskedArray[Any, Any]", call.array).count
    return np.asarray(count(axis=call.axis, **options))


def _view(call: _Call, numbers: NDArray[Any]) -> NDArray[Any]:
    return numbers.view(type(call.array))


def _put_data(name: str, out: NDArray[Any], numbers: ArrayLike) -> None:
    """Write results to an output with as many elements, whatever its mask."""
    if out.size != np.size(numbers):
        raise ValueError(
            f"{name}: argument out: expected shape {np.shape(numbers)}, got {out.shape}"
        )
    np.copyto(np.asarray(out), np.reshape(numbers, out.shape), casting="unsafe")


def _put_mean(out: NDArray[Any], result: ArrayLike) -> NDArray[Any]:
    """Write means and their mask to an output, as numpy.ma does."""
    _put_data("mean", out, 0 if result is masked else getdata(result))
    if isinstance(out, MaskedArray):
        if getmask(out) is nomask:
            out.mask = make_mask_none(out.shape)
        mask: Any = getmask(out)
        np.copyto(mask, np.reshape(getmaskarray(np.asanyarray(result)), out.shape))
    return out


def _put_spread(name: str, out: NDArray[Any], result: ArrayLike) -> NDArray[Any]:
    """Write variances or standard deviations and their mask to an output, as numpy.ma does."""
    numbers: Any = getdata(result)
    if result is masked and not isinstance(out, MaskedArray):
        if out.dtype.kind in "biu":
            raise MaskError("Masked data information would be lost in one or more location.")
        numbers = np.nan
    _put_data(name, out, numbers)
    if isinstance(out, MaskedArray):
        out.__setmask__(getmask(result))
    return out


def _mean(call: _Call) -> _Result:
    kind = _kind(call, _own_kind(call))
    reduced = NotImplemented if kind is None else _reduce("mean", call, kind)
    if reduced is NotImplemented:
        return NotImplemented
    numbers, few = reduced
    result: Any = numbers[()]
    if few.ndim and call.mask is nomask:
        result = _view(call, numbers)
        result._update_from(call.array)
        result.__setmask__(make_mask(np.isinf(numbers)))  # numpy.ma does not mask NaN here
        result = result[()]  # the result of an unmasked matrix has two axes
    elif few.ndim:
        result = _view(call, numbers)
        result.__setmask__(few | ~np.isfinite(numbers))
    elif few and call.mask is not nomask:
        result = masked
    return result if call.out is None else _put_mean(call.out, result)


def _spread(name: str, call: _Call) -> _Result:
    """Return variances, or standard deviations."""
    has_mask = call.mask is not nomask
    if not has_mask and name == "var":
        return NotImplemented  # numpy.ma calls the method of ndarray, which is exact
    kind = _kind(call, FLOAT64 if has_mask else _own_kind(call))
    reduced = NotImplemented if kind is None else _reduce(name, call, kind)
    if reduced is NotImplemented:
        return NotImplemented
    numbers, few = reduced
    is_masked = few | ~np.isfinite(numbers)
    if few.ndim == 0:
        result: Any = masked if is_masked else numbers[()]
    else:
        result = _view(call, numbers)
        # numpy.ma masks infinities and NaN among standard deviations, but not among variances.
        result.__setmask__(is_masked if name == "std" else make_mask(few))
        result._update_from(call.array)
    return result if call.out is None else _put_spread(name, call.out, result)


def _anom(call: _Call, original: Callable[..., object]) -> _Result:
    """Return exact differences from the mean; numpy.ma subtracts means that are rounded to half."""
    array, mask = call.array, call.mask
    result = original(array, call.axis, call.dtype)
    if not isinstance(result, MaskedArray) or not _core.is_of_halves(array):
        return cast("_Result", result)
    if result.dtype != result_kind(array.dtype) or result.shape != array.shape:
        return result
    numbers = to_native(array)
    used = np.ones(array.shape, bool) if mask is nomask else ~np.asarray(mask)
    reduced = axes("anom", call.axis if array.ndim else None, array.ndim)
    used |= ~used.any(reduced, keepdims=True)  # a mean of nothing; its differences are masked
    if array.size:
        exact = differences_from_mean(numbers, reduced, used)
        np.copyto(result.data, exact, where=~getmaskarray(result))
    return result


#: Methods of MaskedArray, and the function that computes each.
METHODS: dict[str, Callable[[_Call, Callable[..., object]], _Result]] = {
    "mean": lambda call, _: _mean(call),
    "var": lambda call, _: _spread("var", call),
    "std": lambda call, _: _spread("std", call),
    "anom": _anom,
}


def _teach(function: FunctionType, compute: Callable[[dict[str, object]], object]) -> None:
    """Make a function return the result of `compute`, which takes its arguments by name."""
    parameters = inspect.signature(function).parameters
    defaults = tuple(parameter.default for parameter in parameters.values())
    attempt = _core.Statistic("", tuple(parameters), defaults, True, compute)
    try_first(function, _name_of_variable(function), attempt)


def _name_of_variable(function: FunctionType) -> str:
    return f"_halfcl_masked_{function.__name__}"


def _method(
    original: FunctionType, compute: Callable[[_Call, Callable[..., object]], _Result]
) -> Callable[[dict[str, object]], _Result]:
    """Return a function that computes a method's result from its arguments by name."""

    make_call: Callable[..., _Call] = _Call

    def calculate(arguments: dict[str, object]) -> _Result:
        call = make_call(arguments.pop("self"), **arguments)
        return compute(call, original) if _is_for_halves(call) else NotImplemented

    return calculate


def _quotient_of_sums(
    numbers: _Array, weights: _Array, mask: _Array | np.bool_, options: dict[str, Any]
) -> _Array | np.float64:
    """Return weighted means of doubles in numpy.ma's steps, of which only the last is masked."""
    if mask is not nomask:
        with np.errstate(invalid="ignore"):
            weights = weights * ~mask
    products = numbers * weights
    if mask is not nomask:
        np.copyto(products, 0, where=mask)
        np.copyto(weights, 0, where=mask)
    sums, scales = products.sum(**options), weights.sum(**options)
    if not np.ndim(sums):
        return masked if np.all(mask) else sums / scales
    return sums.view(MaskedArray) / scales.view(MaskedArray)  # masked where the scale is 0


def _weighted_mean(arguments: dict[str, Any]) -> object:
    """Return weighted means of halves with weights of their shape; NotImplemented for others."""
    array, weights, axis = (arguments[name] for name in ("a", "weights", "axis"))
    if type(array) is not MaskedArray or type(weights) is not np.ndarray or arguments["returned"]:
        return NotImplemented
    if type(getdata(array)) is not np.ndarray or array.shape != weights.shape:
        return NotImplemented
    if not array.size or not array.ndim:
        return NotImplemented
    if weights.dtype.type is not array.dtype.type or not _core.is_of_halves(to_native(weights)):
        return NotImplemented
    if axis is not None and not (type(axis) is int and -array.ndim <= axis < array.ndim):
        return NotImplemented
    options = {"axis": axis}
    if not is_missing(arguments["keepdims"]):
        options["keepdims"] = arguments["keepdims"]
    halves = (to_native(np.asarray(x)).view(HALF) for x in (array, weights))
    numbers, heavy = (cast("_Array", widen(x)) for x in halves)
    means = narrow(_quotient_of_sums(numbers, heavy, getmask(array), options))
    return means if is_half(array) else as_float16(means)


def _average(original: FunctionType) -> Callable[[dict[str, object]], object]:
    """Return a function for numpy.ma.average: the mean, or with weights a quotient in float64."""
    operands = ("a", "weights")

    def calculate(arguments: dict[str, object]) -> object:
        array = arguments["a"]
        if arguments["weights"] is None and arguments["returned"]:
            return NotImplemented  # numpy.ma calls the method mean, and counts elements
        if arguments["weights"] is None:
            keepdims = arguments["keepdims"]
            options = {} if is_missing(keepdims) else {"keepdims": keepdims}
            masked_array = array if type(array) is MaskedArray else asarray(array)
            mean: Callable[..., object] = masked_array.mean
            return mean(arguments["axis"], **options)
        means = _weighted_mean(arguments)
        if means is not NotImplemented:
            return means
        in_float64 = compute_in_float64_if_half if is_half(array) else compute_as_half
        return in_float64(original, operands, arguments)

    return calculate


def _median_of_masked(data: NDArray[Any], mask: NDArray[np.bool_], axis: int) -> NDArray[Any]:
    """Return medians along an axis, where masked halves are sorted like infinities."""
    ordered = np.sort(np.where(mask, data.dtype.type(np.inf), data), axis)
    counts = np.add.reduce(~mask, axis, np.intp, keepdims=True)
    high = counts // 2
    middle = np.concatenate([high - 1 + counts % 2, high], axis)
    pairs = np.take_along_axis(ordered, middle, axis)
    medians = np.asarray(np.mean(pairs, axis))
    last = ordered.take(-1, axis)
    np.copyto(medians, last, where=np.isnan(last))
    none = (counts == 0).squeeze(axis)
    zeros = medians == 0
    if zeros.any():  # sums of numpy.ma start from +0; a mean that rounds to zero keeps its sign
        low, high = np.moveaxis(pairs, axis, 0)
        zeros &= low == -high
    medians[none | zeros] = 0
    result = medians.view(MaskedArray)
    result.__setmask__(none)
    return result


def _median_of_all(data: NDArray[Any], axis: int) -> NDArray[Any]:
    """Return medians of halves along an axis, of which none is masked."""
    medians = np.asarray(np.median(data, axis))
    zeros = medians == 0
    if not zeros.any() or not np.signbit(medians[zeros]).any():
        return medians
    with np.errstate(all="ignore"):  # np.median reported them
        return np.asarray(_median_of_masked(data, np.zeros(data.shape, bool), axis))


def median(array: object, axis: int | None, out: object, overwrite_input: object) -> object:
    """Return numpy.ma's median of an array of halves, without a copy in float64; None for others.

    It is the mean of one or two halves, which is exact before it is rounded.
    """
    if type(array) is not MaskedArray or out is not None or overwrite_input or array.size == 0:
        return None
    data, mask = np.asarray(array), getmask(array)
    if type(getdata(array)) is not np.ndarray or not data.ndim or array.hardmask:
        return None
    if data.ndim > 1 and axis is not None:
        if mask is nomask:
            return _median_of_all(data, axis).view(MaskedArray)
        return _median_of_masked(data, np.asarray(mask), axis)
    used = data.ravel() if mask is nomask else data[~np.asarray(mask)]
    return _median_of_all(used, 0)[()] if used.size else masked


def teach_masked(core: ModuleType, extras: ModuleType) -> None:
    """Make methods of MaskedArray, and numpy.ma.average, compute halves exactly."""
    if _name_of_variable(core.MaskedArray.mean) in core.__dict__:  # halfcl was imported before
        return
    for name, compute in METHODS.items():
        method = getattr(core.MaskedArray, name)
        _teach(method, _method(copy_function(method), compute))
    average = inspect.unwrap(extras.average)
    _teach(average, _average(copy_function(average)))
