"""What pandas, SciPy and Dask know float16 by, where half goes the same way.

Both have functions compiled for single and double precision alone, and convert float16 to float32
before they call them. They know it by its dtype, which half's is not. Here half becomes float16, or
float32, just before they look. What has no way for float16 has none for half, but for pandas'
indexes: they refuse float16, and took half without being able to look it up.

Dask names and sends arrays by ``dtype.str``, which is float16's for half. It has registries for
other ways. They are filled in the process that has the array, so that no worker needs anything but
halfcl installed: what is sent says by itself how it is read.
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
from halfcl._numpy.wide import is_half, narrowed, widened, with_statement

#: What the statement at the start of SciPy's function calls, among the globals of its module.
_AS_FLOAT32 = "_halfcl_as_float32"


def _as_float32(value: object) -> object:
    """Half in twice the room, which a strict region refuses; anything else as it is."""
    return value.astype(np.float32) if is_half(value) else value


def _for_lookup(value: object) -> Any:
    """The same numbers, which nothing is calculated from: a strict region lets them pass."""
    return value.view(np.float16).astype(np.float32) if is_half(value) else value


def _mark(
    function: Callable[..., object], original: Callable[..., object]
) -> Callable[..., object]:
    """By the module of a function it is known that it is there already."""
    function = wraps(original)(function)
    function.__module__ = __name__
    return function


#: numpy.dtype.isbuiltin of types that a package has registered.
_OF_A_PACKAGE = 2


def teach_fft(helper: ModuleType) -> None:
    """Let scipy.fft, and what is made of it, take half: other modules have the function by name."""
    function = helper._asfarray
    if _AS_FLOAT32 in function.__globals__:
        return  # halfcl was imported before
    (name,) = function.__code__.co_varnames[: function.__code__.co_argcount]
    code = with_statement(function, f"{name} = {_AS_FLOAT32}({name})")
    function.__globals__[_AS_FLOAT32] = _as_float32
    function.__code__ = code


def teach_groupby(ops: ModuleType) -> None:
    """Let pandas' groups of half be reduced and accumulated; half wherever float16 is float16."""
    reduce = ops.WrappedCythonOp._call_cython_op
    if reduce.__module__ == __name__:
        return

    def reduce_half(self: object, values: NDArray[Any], **options: object) -> object:
        if not is_half(values):
            return reduce(self, values, **options)
        result = reduce(self, values.view(np.float16), **options)
        return result.view(_core.half) if result.dtype == np.float16 else result

    ops.WrappedCythonOp._call_cython_op = _mark(reduce_half, reduce)


#: The functions of pandas.core.nanops that accumulate in the type of their numbers; whether the
#: result of float16 is float16, rather than float64.
_ACCUMULATING = {
    "nansum": False, "nanmean": False, "nanvar": True, "nanstd": True, "nansem": True,
    "nanskew": True, "nankurt": True,
}  # fmt: skip


def _in_float64(function: Callable[..., object], gives_half: bool) -> Callable[..., object]:
    """Return the function of pandas for all but half, of which it sees float64."""

    def accumulate(values: NDArray[Any], *args: object, **options: object) -> object:
        if not is_half(values):
            return function(values, *args, **options)
        result: Any = function(widened(values), *args, **options)
        return narrowed(result, None) if gives_half else result

    return _mark(accumulate, function)


#: ndarray.sum calls a function of numpy._core._methods, and that the reduction.
_FRAMES_TO_PANDAS = 3


def _warn(name: str, stacklevel: int) -> None:
    warnings.warn(
        f"pandas: {name}: values: expected float32 or float64, got half, whose sums overflow here; "
        'use .astype("float32")',
        RuntimeWarning,
        stacklevel=stacklevel + 1,
    )


def _warn_once(function: Callable[..., object], warned: list[bool]) -> Callable[..., object]:
    """Return the function with a warning before the first call of any of them for half."""

    def accumulate(values: NDArray[Any], *args: object, **options: object) -> object:
        if is_half(values) and not warned:
            warned.append(True)
            _warn(function.__name__, stacklevel=3)
        return function(values, *args, **options)

    return _mark(accumulate, function)


def warn_in_nanops(nanops: ModuleType) -> None:
    """Let pandas' statistics of half warn once that they overflow; results stay pandas'."""
    warned: list[bool] = []
    for name in _ACCUMULATING:
        function = getattr(nanops, name, None)
        if function is not None and function.__module__ != __name__:
            setattr(nanops, name, _warn_once(function, warned))


def warn_of_nanops() -> None:
    """Warn at the first sum of halves that pandas asks for, where nothing of pandas' is changed."""

    def look() -> None:
        frame = sys._getframe(1)  # of whatever calls NumPy's reduction
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
    """Whether pandas' sum and mean of halves do not overflow, which theirs do."""
    values = np.full(4, 60000, _core.half)
    return bool(nanops.nansum(values) == 240000 and nanops.nanmean(values) == 60000)


def teach_nanops(nanops: ModuleType) -> None:
    """Let pandas' statistics accumulate halves in float64, or warn where that has no effect."""
    originals: dict[str, Any] = {name: getattr(nanops, name, None) for name in _ACCUMULATING}
    if any(getattr(x, "__module__", None) == __name__ for x in originals.values()):
        return  # halfcl was imported before
    for name, gives_half in _ACCUMULATING.items():
        function = originals[name]
        if function is not None:
            setattr(nanops, name, _in_float64(function, gives_half))
    if None in originals.values() or not _are_exact(nanops):
        for name, function in originals.items():
            if function is not None:
                setattr(nanops, name, function)
        warn_in_nanops(nanops)


def teach_index(base: ModuleType) -> None:
    """Let an index made of half be one of float32, which has the same numbers."""
    ensure = base.Index._ensure_array.__func__
    if ensure.__module__ == __name__:
        return

    def ensure_float32(cls: object, data: NDArray[Any], dtype: object, copy: bool) -> object:
        wide = _for_lookup(data)
        return ensure(cls, wide, dtype if wide is data else wide.dtype, copy)

    base.Index._ensure_array = classmethod(_mark(ensure_float32, ensure))


def teach_merge(merge: Any) -> None:
    """Let frames be merged by columns of half."""
    convert = merge._convert_arrays_and_get_rizer_klass
    if convert.__module__ == __name__:
        return

    def convert_wide(left: object, right: object) -> object:
        return convert(_for_lookup(left), _for_lookup(right))

    merge._convert_arrays_and_get_rizer_klass = _mark(convert_wide, convert)


def _is_own_class(x: object) -> bool:
    """Return whether a class of halfcl's, as vectors are, says by itself how it is pickled."""
    return type(x).__module__.partition(".")[0] == "halfcl"


def teach_tokens(tokenize: Any) -> None:
    """Let Dask's names of what it computes tell half from float16, and vectors from arrays."""

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
            # The token has the dtype's text, which in NumPy 2.0 is float16's.
            token = normalize_array(x)
            return ("half", token) if x.dtype.type is _core.half else token

        normalize.register(np.ndarray, _mark(normalize_with_dtype, normalize_array))
    normalize.register_lazy("halfcl", register_classes)


def teach_serialization(protocol: Any) -> None:
    """Let what Dask sends, spills and gathers keep its dtype half and its class.

    The headers are among those that distributed reads by itself: a receiver imports halfcl when it
    unpickles the dtype.
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

    protocol.serialize_numpy_ndarray = _mark(serialize_half, serialize)  # of masked arrays' data
    protocol.dask_serialize.register(np.ndarray, protocol.serialize_numpy_ndarray)


def teach_shuffling(core: Any) -> None:
    """Let the size of half's shards be told, which NumPy has no format of a buffer for."""
    as_buffer = core._handle_datetime
    if as_buffer.__module__ == __name__:
        return

    def view_as_integers(shard: NDArray[Any]) -> object:
        return shard.view(np.ndarray).view(np.uint16) if is_half(shard) else as_buffer(shard)

    core._handle_datetime = _mark(view_as_integers, as_buffer)


def teach_zarr(floats: Any) -> None:
    """Let half be written to Zarr as float16, which has the same bits."""
    check = floats.Float16._check_native_dtype.__func__
    if check.__module__ == __name__:
        return

    def is_float16_or_half(cls: object, dtype: np.dtype[Any]) -> bool:
        return dtype.type is _core.half or bool(check(cls, dtype))

    floats.Float16._check_native_dtype = classmethod(_mark(is_float16_or_half, check))


def teach_arrow(compat: Any) -> None:
    """Let Arrow take the columns of half in a pandas frame as float16, which has the same bits."""
    for name in ("dataframe_to_arrays", "dataframe_to_types"):
        convert = getattr(compat, name)
        if convert.__module__ != __name__:
            setattr(compat, name, _mark(_with_float16_columns(convert), convert))


def _with_float16_columns(convert: Callable[..., object]) -> Callable[..., object]:
    def convert_as_float16(df: Any, *args: object, **kwargs: object) -> object:
        dtypes = [getattr(dtype, "type", None) for dtype in df.dtypes]
        places = [k for k, dtype in enumerate(dtypes) if dtype is _core.half]
        if places:
            df = df.copy(deep=False)
            for k in places:
                df.isetitem(k, df.iloc[:, k].to_numpy().view(np.float16))
        return convert(df, *args, **kwargs)

    return convert_as_float16


def teach_ml_dtypes(package: ModuleType) -> None:
    """Let half be cast to and from the types of ml_dtypes, as float16 is."""
    for scalar in list(vars(package).values()):
        if not isinstance(scalar, type):
            continue
        dtype = np.dtype(scalar)
        if dtype.isbuiltin == _OF_A_PACKAGE:
            _core.register_legacy_casts(dtype, np.can_cast(dtype, np.float16))
