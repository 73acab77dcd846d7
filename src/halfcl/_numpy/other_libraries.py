"""Support of half in pandas, SciPy, Dask, Zarr, Arrow and ml_dtypes, wherever float16 is supported.

pandas and SciPy have functions compiled only for single and double precision, and convert float16
to float32 before they call them. They recognise float16 by its dtype, so half is converted to
float16, or float32, just before that. What does not support float16 does not support half; the one
exception are pandas' indexes, which refuse float16 and would accept half without being able to
look numbers up.

Dask names and sends arrays by ``dtype.str``, which is float16's for half. Its registries are filled
in the process that has the array; what it sends can be read without them, so that workers only need
halfcl installed.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._numpy.statistics import compile_with_statement, is_half, narrow, widen

#: The global variable of SciPy's module with the function that its new first statement calls.
_AS_FLOAT32 = "_halfcl_as_float32"


def _as_float32(value: object) -> object:
    """Convert half to float32, which a strict region refuses; return anything else unchanged."""
    return value.astype(np.float32) if is_half(value) else value


def _widen_for_lookup(value: object) -> Any:
    """Convert half to float32 for comparisons only, so that a strict region allows it."""
    return value.view(np.float16).astype(np.float32) if is_half(value) else value


def _mark(
    function: Callable[..., object], original: Callable[..., object]
) -> Callable[..., object]:
    """Wrap a function and set its module to this one, by which `teach_*` recognise it."""
    function = wraps(original)(function)
    function.__module__ = __name__
    return function


#: The value of numpy.dtype.isbuiltin for types that a package has registered.
_OF_A_PACKAGE = 2


def teach_fft(helper: ModuleType) -> None:
    """Make scipy.fft, and functions based on it, accept half.

    The function's code is replaced, since other modules have imported the function by name.
    """
    function = helper._asfarray
    if _AS_FLOAT32 in function.__globals__:
        return  # halfcl was imported before
    (name,) = function.__code__.co_varnames[: function.__code__.co_argcount]
    code = compile_with_statement(function, f"{name} = {_AS_FLOAT32}({name})")
    function.__globals__[_AS_FLOAT32] = _as_float32
    function.__code__ = code


def teach_groupby(ops: ModuleType) -> None:
    """Make pandas reduce and accumulate groups of half; results are half where float16's are."""
    reduce = ops.WrappedCythonOp._call_cython_op
    if reduce.__module__ == __name__:
        return

    def reduce_half(self: object, values: NDArray[Any], **options: object) -> object:
        if not is_half(values):
            return reduce(self, values, **options)
        result = reduce(self, values.view(np.float16), **options)
        return result.view(_core.half) if result.dtype == np.float16 else result

    ops.WrappedCythonOp._call_cython_op = _mark(reduce_half, reduce)


#: Functions of pandas.core.nanops that accumulate in the type of their numbers; and whether their
#: result for float16 is float16 rather than float64.
_ACCUMULATING = {
    "nansum": False, "nanmean": False, "nanvar": True, "nanstd": True, "nansem": True,
    "nanskew": True, "nankurt": True,
}  # fmt: skip


def _wrap_in_float64(function: Callable[..., object], returns_half: bool) -> Callable[..., object]:
    """Return a function of pandas that accumulates half in float64."""

    def accumulate(values: NDArray[Any], *args: object, **options: object) -> object:
        if not is_half(values):
            return function(values, *args, **options)
        result: Any = function(widen(values), *args, **options)
        return narrow(result) if returns_half else result

    return _mark(accumulate, function)


#: Stack frames to look at: ndarray.sum calls a function of numpy._core._methods, which calls the
#: reduction.
_FRAMES_TO_PANDAS = 3


def _warn(name: str, stacklevel: int) -> None:
    warnings.warn(
        f"pandas: {name}: values: expected float32 or float64, got half, whose sums overflow here; "
        'use .astype("float32")',
        RuntimeWarning,
        stacklevel=stacklevel + 1,
    )


def _warn_once(function: Callable[..., object], warned: list[bool]) -> Callable[..., object]:
    """Return a function of pandas that warns at the first call of any of them with half."""

    def accumulate(values: NDArray[Any], *args: object, **options: object) -> object:
        if is_half(values) and not warned:
            warned.append(True)
            _warn(function.__name__, stacklevel=3)
        return function(values, *args, **options)

    return _mark(accumulate, function)


def warn_in_nanops(nanops: ModuleType) -> None:
    """Make pandas' statistics of half warn once that they overflow, without changing results."""
    warned: list[bool] = []
    for name in _ACCUMULATING:
        function = getattr(nanops, name, None)
        if function is not None and function.__module__ != __name__:
            setattr(nanops, name, _warn_once(function, warned))


def warn_of_nanops() -> None:
    """Warn at pandas' first sum of halves, without changing any function of pandas."""

    def look() -> None:
        frame = sys._getframe(1)  # the frame of the caller of NumPy's reduction
        for _ in range(_FRAMES_TO_PANDAS):
            if frame.f_globals.get("__name__") == "pandas.core.nanops":
                _core.watch_reductions(None)
                _warn(frame.f_code.co_name, stacklevel=3)
                return
            if frame.f_back is None:
                return
            frame = frame.f_back

    _core.watch_reductions(look)


def _are_exact(nanops: ModuleType) -> bool:
    """Return whether pandas' sum and mean of halves do not overflow."""
    values = np.full(4, 60000, _core.half)
    return bool(nanops.nansum(values) == 240000 and nanops.nanmean(values) == 60000)


def teach_nanops(nanops: ModuleType) -> None:
    """Make pandas' statistics accumulate halves in float64, or warn if that has no effect."""
    originals: dict[str, Any] = {name: getattr(nanops, name, None) for name in _ACCUMULATING}
    if any(getattr(x, "__module__", None) == __name__ for x in originals.values()):
        return  # halfcl was imported before
    for name, returns_half in _ACCUMULATING.items():
        function = originals[name]
        if function is not None:
            setattr(nanops, name, _wrap_in_float64(function, returns_half))
    if None in originals.values() or not _are_exact(nanops):
        for name, function in originals.items():
            if function is not None:
                setattr(nanops, name, function)
        warn_in_nanops(nanops)


def teach_index(base: ModuleType) -> None:
    """Make pandas convert half to float32, which has the same numbers, in an index."""
    ensure = base.Index._ensure_array.__func__
    if ensure.__module__ == __name__:
        return

    def ensure_float32(cls: object, data: NDArray[Any], dtype: object, copy: bool) -> object:
        wide = _widen_for_lookup(data)
        return ensure(cls, wide, dtype if wide is data else wide.dtype, copy)

    base.Index._ensure_array = classmethod(_mark(ensure_float32, ensure))


def teach_merge(merge: Any) -> None:
    """Make pandas merge frames by columns of half."""
    convert = merge._convert_arrays_and_get_rizer_klass
    if convert.__module__ == __name__:
        return

    def convert_wide(keys: object, other_keys: object) -> object:
        return convert(_widen_for_lookup(keys), _widen_for_lookup(other_keys))

    merge._convert_arrays_and_get_rizer_klass = _mark(convert_wide, convert)


def _is_own_class(x: object) -> bool:
    """Return whether an object has a class of halfcl, such as vectors, which define pickling."""
    return type(x).__module__.partition(".")[0] == "halfcl"


def teach_tokens(tokenize: Any) -> None:
    """Make Dask's tokens differ between half and float16, and between vectors and arrays."""

    def register_classes() -> None:
        from halfcl.vectors import Vector

        tokenize.normalize_token.register(
            Vector, lambda x: (type(x).__name__, tokenize.normalize_token(x.view(np.ndarray)))
        )

    normalize = tokenize.normalize_token
    normalize.register(type(_core.HALF_DTYPE), lambda dtype: ("half", dtype.str))
    normalize_array = normalize.dispatch(np.ndarray)
    if normalize_array.__module__ != __name__:

        def normalize_with_dtype(x: NDArray[Any]) -> object:
            # NumPy 2.0 has the same text for both dtypes in the token.
            token = normalize_array(x)
            return ("half", token) if x.dtype.type is _core.half else token

        normalize.register(np.ndarray, _mark(normalize_with_dtype, normalize_array))
    normalize.register_lazy("halfcl", register_classes)


def teach_serialization(protocol: Any) -> None:
    """Make Dask send, spill and gather arrays of half with their dtype and class.

    distributed reads such headers by itself: a receiver imports halfcl when it unpickles the dtype.
    """
    serialize = protocol.serialize_numpy_ndarray
    if serialize.__module__ == __name__:
        return

    def serialize_half(
        x: NDArray[Any], context: object = None
    ) -> tuple[dict[str, object], list[object]]:
        if _is_own_class(x):
            buffers: list[object] = []
            frame = protocol.pickle.dumps(x, buffer_callback=buffers.append)
            return {"pickle": True}, [frame, *map(memoryview, buffers)]  # type: ignore[arg-type]
        header, frames = serialize(x, context)
        if is_half(x):
            header["dtype"] = (1, pickle.dumps(x.dtype))
        return header, frames

    protocol.serialize_numpy_ndarray = _mark(serialize_half, serialize)  # for masked arrays' data
    protocol.dask_serialize.register(np.ndarray, protocol.serialize_numpy_ndarray)


def teach_shuffling(core: Any) -> None:
    """Make Dask measure shards of half as integers, since NumPy has no buffer format for half."""
    as_buffer = core._handle_datetime
    if as_buffer.__module__ == __name__:
        return

    def view_as_integers(shard: NDArray[Any]) -> object:
        return shard.view(np.ndarray).view(np.uint16) if is_half(shard) else as_buffer(shard)

    core._handle_datetime = _mark(view_as_integers, as_buffer)


def teach_zarr(floats: Any) -> None:
    """Make Zarr write half as float16, which has the same bits."""
    check = floats.Float16._check_native_dtype.__func__
    if check.__module__ == __name__:
        return

    def is_float16_or_half(cls: object, dtype: np.dtype[Any]) -> bool:
        return dtype.type is _core.half or bool(check(cls, dtype))

    floats.Float16._check_native_dtype = classmethod(_mark(is_float16_or_half, check))


def teach_arrow(compat: Any) -> None:
    """Make Arrow convert half in pandas' frames as float16, which has the same bits."""
    for name in ("dataframe_to_arrays", "dataframe_to_types"):
        convert = getattr(compat, name)
        if convert.__module__ != __name__:
            setattr(compat, name, _mark(_wrap_frame_conversion(convert), convert))


def _wrap_frame_conversion(convert: Callable[..., object]) -> Callable[..., object]:
    def convert_as_float16(df: Any, *args: object, **kwargs: object) -> object:
        dtypes = [getattr(dtype, "type", None) for dtype in df.dtypes]
        columns = [k for k, dtype in enumerate(dtypes) if dtype is _core.half]
        if columns:
            df = df.copy(deep=False)
            for k in columns:
                df.isetitem(k, df.iloc[:, k].to_numpy().view(np.float16))
        return convert(df, *args, **kwargs)

    return convert_as_float16


def teach_ml_dtypes(package: ModuleType) -> None:
    """Register casts between half and the types of ml_dtypes, like float16's."""
    for scalar in list(vars(package).values()):
        if not isinstance(scalar, type):
            continue
        dtype = np.dtype(scalar)
        if dtype.isbuiltin == _OF_A_PACKAGE:
            _core.register_legacy_casts(dtype, np.can_cast(dtype, np.float16))
