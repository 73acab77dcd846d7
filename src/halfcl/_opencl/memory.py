"""OpenCL's vector loads and stores: vloadn, vstoren, vload_half*, vstore_half*."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import _core
from halfcl._opencl.conversion import conversion_to
from halfcl._settings.regions import MODES
from halfcl._support.arguments.byte_order import as_native, native_dtype
from halfcl._support.results import Result
from halfcl._tables.types import WIDTHS
from halfcl.typing import RoundingMode
from halfcl.vectors._registry import as_plain, as_vector, vector_type

half = _core.half

Array: TypeAlias = NDArray[Any]

_HALF = np.dtype(half)
_HALVES = (_HALF, np.dtype(np.float16))
_FLOATS = (np.dtype(np.float32),)
_TWO_BYTES = (*_HALVES, np.dtype(np.int16), np.dtype(np.uint16))


# ---------------------------------------------------------------- arguments


def _buffer(name: str, p: object) -> Array:
    """Check the argument p and return it as a plain array."""
    if not isinstance(p, np.ndarray):
        raise TypeError(f"{name}: argument p: expected a NumPy array, got {type(p).__name__}")
    if p.ndim != 1:
        raise TypeError(f"{name}: argument p: expected one dimension, got shape {p.shape}")
    if native_dtype(p.dtype) not in _TWO_BYTES:
        raise TypeError(
            f"{name}: argument p: expected half, float16, int16 or uint16, got {p.dtype}"
        )
    return p if type(p) is np.ndarray else as_plain(p)


def _writable_buffer(name: str, p: object) -> Array:
    buffer = _buffer(name, p)
    if not buffer.flags.writeable:
        raise TypeError(f"{name}: argument p: expected a writable array, got a read-only one")
    return buffer


def _split_vectors(buffer: Array, width: int, stride: int) -> Array:
    """View the buffer's vectors: a row each, or an element each if width is 0."""
    if width == 0:
        return buffer
    count = max(0, (buffer.size - width) // stride + 1)
    if count * stride <= buffer.size:
        return buffer[: count * stride].reshape(count, stride)[:, :width]
    # The last vector lacks the padding after it.
    (step,) = buffer.strides
    return np.lib.stride_tricks.as_strided(buffer, (count, width), (stride * step, step))


def _items(vectors: Array) -> Array:
    """View each vector as one element, which NumPy gathers and scatters ten times as fast.

    Vectors that are not contiguous are returned unchanged.
    """
    if vectors.ndim == 1 or vectors.strides[-1] != vectors.itemsize:
        return vectors
    return vectors.view(f"V{vectors.shape[-1] * vectors.itemsize}")[..., 0]


def _check_range(name: str, low: int, high: int, vectors: Array) -> None:
    """Raise IndexError unless all offsets, from low to high, are those of vectors."""
    count = len(vectors)
    if low >= 0 and high < count:
        return
    expected = f"0 to {count - 1}" if count else "none, as p is too short"
    hint = f"; it counts vectors of {vectors.shape[1]}, not elements" if vectors.ndim > 1 else ""
    raise IndexError(
        f"{name}: argument offset: expected {expected}, got {low if low < 0 else high}{hint}"
    )


#: An index of one vector, of evenly spaced ones, or of any.
Index: TypeAlias = "int | slice | Array"


def _check_slice(name: str, offsets: range, vectors: Array) -> slice:
    if not offsets:
        return slice(0, 0)
    first, last = offsets[0], offsets[-1]
    _check_range(name, min(first, last), max(first, last), vectors)
    stop = last + (1 if offsets.step > 0 else -1)
    return slice(first, None if stop < 0 else stop, offsets.step)


def _check_many(name: str, offsets: Array, vectors: Array) -> Index:
    """Check one or more offsets and return them as an index."""
    places = np.asarray(offsets, np.intp, order="C")
    if places.ndim == 1 and _core.are_consecutive(places):
        first = int(offsets[0])
        return _check_slice(
            name, range(first, first + places.size), vectors
        )  # copying a slice is faster
    _check_range(name, int(offsets.min()), int(offsets.max()), vectors)
    return places


def _plain_offset(name: str, offset: object) -> int | range | Array:
    """Convert the offset to a type that runs no user code, which might resize the buffer."""
    if type(offset) is int or type(offset) is range:
        return offset
    if isinstance(offset, np.integer):
        return int(offset)
    offsets: Array = np.asarray(offset)
    if offsets.size == 0 and not isinstance(offset, np.ndarray):
        offsets = offsets.astype(np.intp)  # NumPy makes float64 of []
    if offsets.dtype.kind not in "iu":
        raise TypeError(
            f"{name}: argument offset: expected an integer, an array of integers or a range, "
            f"got {type(offset).__name__} of {offsets.dtype}"
        )
    return offsets


def _index(name: str, offset: int | range | Array, vectors: Array) -> Index:
    """Check the offset and return it as an index of the vectors."""
    if isinstance(offset, int):
        _check_range(name, offset, offset, vectors)
        return offset
    if isinstance(offset, range):
        return _check_slice(name, offset, vectors)
    if offset.size == 0:
        return offset.astype(np.intp)
    return _check_many(name, offset, vectors)


def _batch_shape(name: str, data: Array, width: int) -> tuple[int, ...]:
    """Return the shape of the vectors in data, without their last axis."""
    if width == 0:
        return data.shape
    if data.ndim == 0 or data.shape[-1] != width:
        raise ValueError(
            f"{name}: argument data: expected a last axis of length {width}, got shape {data.shape}"
        )
    return data.shape[:-1]


# ---------------------------------------------------------------- loads


def _load(name: str, offset: object, p: object, width: int, stride: int) -> Array:
    """Load vectors at the offset, of p's type in native byte order; the result may be a view."""
    place = _plain_offset(name, offset)
    vectors = _split_vectors(_buffer(name, p), width, stride)
    index = _index(name, place, vectors)
    items = _items(vectors) if isinstance(index, np.ndarray) else vectors
    loaded = np.asarray(items[index])
    return as_native(loaded if items is vectors else loaded[..., np.newaxis].view(vectors.dtype))


def _output(
    name: str, out: object, dtypes: tuple[np.dtype[Any], ...], shape: tuple[int, ...]
) -> Array:
    """Check the argument out against dtypes and shape, and return it as a plain array."""
    if not isinstance(out, np.ndarray) or native_dtype(out.dtype) not in dtypes:
        got = getattr(out, "dtype", type(out).__name__)
        raise TypeError(f"{name}: argument out: expected an array of {dtypes[0]}, got {got}")
    if out.shape != shape:
        raise ValueError(f"{name}: argument out: expected shape {shape}, got {out.shape}")
    if not out.flags.writeable:
        raise TypeError(f"{name}: argument out: expected a writable array, got a read-only one")
    return out if type(out) is np.ndarray else as_plain(out)


def _vectors(array: Array, width: int) -> Result:
    """Return loaded data as vectors of a width, or as scalars if it is 0."""
    return as_vector(array, width) if width else array[()]


def _make_load(name: str, width: int) -> Callable[..., object]:
    def load(offset: object, p: object, /, *, out: Array | None = None) -> Result:
        elements = _load(name, offset, p, width, width)
        dtype = _HALF if elements.dtype in _HALVES else elements.dtype
        if out is None:
            return _vectors(elements.copy().view(dtype), width)
        target = _output(name, out, _HALVES if dtype is _HALF else (dtype,), elements.shape)
        np.copyto(target, elements.view(native_dtype(target.dtype)))
        return out

    return load


def _make_load_half(name: str, width: int, stride: int) -> Callable[..., object]:
    widen = conversion_to("float")
    without_gaps = stride == (width or 1)
    kind = vector_type(np.float32, width) if width else np.ndarray

    def load(offset: object, p: object, /, *, out: Array | None = None) -> Result:
        if without_gaps:
            loaded = _core.load_halves(widen, offset, p, width, out, kind)
            if loaded is not None:
                return loaded
        elements = _load(name, offset, p, width, stride)
        halves = elements if elements.dtype is _HALF else elements.view(_HALF)
        if out is None:
            return _vectors(np.asarray(widen(halves)), width)
        target = _output(name, out, _FLOATS, halves.shape)
        if target.dtype.isnative:
            widen(halves, out=target)
        else:
            target[...] = widen(halves)
        return out

    return load


# ---------------------------------------------------------------- stores


def _broadcast(name: str, data: Array, shape: tuple[int, ...]) -> Array:
    try:
        return np.broadcast_to(data, shape)
    except ValueError:
        raise ValueError(
            f"{name}: argument data: expected a shape that broadcasts to that of offset, {shape}, "
            f"got {data.shape}"
        ) from None


def _scatter(vectors: Array, index: Index, values: Array) -> None:
    """Store vectors of the same dtype, up to byte order, at an index."""
    items = _items(vectors)
    if isinstance(index, slice) or items is vectors or values.size == 0:
        vectors[index] = values
    else:
        items[index] = _items(np.asarray(values, vectors.dtype, order="C"))


def _locate(
    name: str, data: Array, offset: object, p: object, width: int, stride: int
) -> tuple[Array, Index, Array]:
    """Return the vectors of p, the index where data is stored, and the data in their shape.

    A single offset is that of the first of many data.
    """
    shape = _batch_shape(name, data, width)
    tail = data.shape[len(shape) :]
    place = _plain_offset(name, offset)
    vectors = _split_vectors(_writable_buffer(name, p), width, stride)
    index = offset if type(offset) is int else _index(name, place, vectors)
    if isinstance(index, int):
        stop = index + math.prod(shape)
        _check_range(name, index, max(index, stop - 1), vectors)
        return vectors, slice(index, stop), data if len(shape) < 2 else data.reshape(-1, *tail)
    wanted = vectors[index].shape if isinstance(index, slice) else (*index.shape, *tail)
    return vectors, index, data if data.shape == wanted else _broadcast(name, data, wanted)


def _make_store(name: str, width: int) -> Callable[..., object]:
    def store(data: ArrayLike, offset: object, p: object, /) -> None:
        array = as_native(np.asarray(data))
        vectors, index, values = _locate(name, array, offset, p, width, width)
        dtype = native_dtype(vectors.dtype)
        same = array.dtype in _HALVES and dtype in _HALVES
        if not same and not np.can_cast(array.dtype, dtype, "safe"):
            raise TypeError(f"{name}: argument data: expected {dtype} as p is, got {array.dtype}")
        _scatter(vectors, index, values.view(dtype) if same else values.astype(dtype))

    return store


def _make_store_half(
    name: str, width: int, stride: int, mode: RoundingMode | None
) -> Callable[..., object]:
    narrow = conversion_to("half")
    without_gaps = stride == (width or 1)

    def store(
        data: ArrayLike, offset: object, p: object, /, *, rounding: RoundingMode | None = None
    ) -> None:
        if without_gaps and _core.store_halves(narrow, data, offset, p, width, rounding):
            return
        array = as_native(np.asarray(data))
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise TypeError(
                f"{name}: argument data: expected float32 or float64, got {array.dtype}"
            )
        vectors, index, values = _locate(name, array, offset, p, width, stride)
        half_dtype = _HALF if vectors.dtype.isnative else _HALF.newbyteorder()
        halves = vectors if vectors.dtype is _HALF else vectors.view(half_dtype)
        if isinstance(index, slice) and half_dtype is _HALF:  # convert directly into the buffer
            narrow(values, halves[index], rounding=rounding)
        else:
            _scatter(halves, index, np.asarray(narrow(values, rounding=rounding)))

    def store_with_mode(data: ArrayLike, offset: object, p: object, /) -> None:
        store(data, offset, p, rounding=mode)

    return store_with_mode if mode else store


# ---------------------------------------------------------------- names and docstrings

_NAME = re.compile(
    r"v(?P<kind>load|store)(?P<aligned>a)?(?P<half>_half)?(?P<width>2|3|4|8|16)?"
    r"(?:_(?P<mode>rt[ezpn]))?"
)

_LOAD_DOC = """{name}(offset, p, /, *, out=None)

Read {what} from a buffer of halves{how}.

Parameters
----------
offset : int, array_like of integers, or range
    The position: element {address} of ``p``. Several offsets are a gather.
p : one-dimensional array of half, float16, int16 or uint16
    It may be byte-swapped; results are in native order.
out : array of {dtype}, of the result's shape, optional
    The array that receives the result.

Returns
-------
{returns}
    The result, in the shape of ``offset``{axis}.

Raises
------
IndexError
    If an offset is negative or reaches beyond ``p``.
TypeError
    If ``p`` is not one-dimensional or of another type, an offset is no integer, or
    ``out`` has another type or is not writable. Nothing is written then.
ValueError
    If ``out`` has another shape. Nothing is written then.

Notes
-----
Accuracy: exact.

Source: OpenCL C, Vector Data Load and Store Functions; cl_khr_fp16.

Examples
--------
>>> import numpy as np, halfcl as hc
>>> p = np.arange(32).astype(hc.half)
>>> np.asarray(hc.{name}(1, p)).tolist()
{example}
"""

_STORE_DOC = """{name}(data, offset, p, /{keyword})

Write {what} to a buffer of halves{how}.

Parameters
----------
data : {data}
offset : int, array_like of integers, or range
    The position: element {address} of ``p``. Several offsets are a scatter, of data
    that broadcast to them; of equal offsets the last stays. With a single offset, many
    data are stored there and at the following offsets.
p : writable one-dimensional array of half, float16, int16 or uint16
    Data are stored in its byte order, native or swapped.
{rounding}
Returns
-------
None

Raises
------
IndexError
    If an offset is negative or reaches beyond ``p``. Nothing is written then.
TypeError
    If ``p`` is not one-dimensional, not writable or of another type, ``data``
    has a wrong type, or an offset is no integer. Nothing is written then.
ValueError
    If shapes do not match{unknown}. Nothing is written then.

Notes
-----
Accuracy: {accuracy}.

Source: OpenCL C, Vector Data Load and Store Functions; cl_khr_fp16.

Examples
--------
>>> import numpy as np, halfcl as hc
>>> p = np.zeros(32, hc.half)
>>> hc.{name}({example}, 1, p)
>>> np.flatnonzero(p).tolist()
{places}
"""

_ROUNDING_DOC = """rounding : {"rte", "rtz", "rtp", "rtn"}, optional
    The rounding mode; the region's unless given.
"""


def _docstring(name: str, width: int, stride: int, *, store: bool, halves: bool, mode: str) -> str:
    size = width or 1
    places = [stride + k for k in range(size)]
    vector = f"vectors of {width}" if width else "scalars"
    common: dict[str, str] = {
        "name": name,
        "what": vector,
        "address": f"{stride} * offset" if stride > 1 else "offset",
    }
    if not store:
        values = [float(k) for k in places]
        return _LOAD_DOC.format(
            **common,
            how=", as floats" if halves else "",
            returns=f"{vector} of " + ("float32" if halves else "p's type, half if it is float16"),
            dtype="float32" if halves else "p's type",
            axis=f" and ({width},)" if width else "",
            example=values if width else values[0],
        )
    axis = f", last axis of length {width}" if width else ""
    rounds = halves and not mode
    return _STORE_DOC.format(
        **common,
        how=f", rounded{f' in mode {mode}' if mode else ''}" if halves else "",
        data=("array_like of float32 or float64" if halves else "array of p's type") + axis,
        keyword=", *, rounding=None" if rounds else "",
        rounding=_ROUNDING_DOC if rounds else "",
        unknown=", or the rounding mode is unknown" if rounds else "",
        accuracy="correctly rounded, once" if halves else "exact",
        example=f"np.ones({width}, np.{'float32' if halves else 'float16'})" if width else "0.1",
        places=places,
    )


def make(name: str) -> Callable[..., object] | None:
    """Return the function with this name, or None if OpenCL has none."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    width, mode = int(match["width"] or 0), match["mode"] or ""
    store, halves, aligned = match["kind"] == "store", bool(match["half"]), bool(match["aligned"])
    vectors_only = aligned or not halves
    if (
        (vectors_only and not width)
        or (aligned and not halves)
        or (mode and not (store and halves))
    ):
        return None
    stride = 4 if aligned and width == 3 else width or 1
    function: Callable[..., object]
    if halves and store:
        function = _make_store_half(name, width, stride, cast(RoundingMode | None, match["mode"]))
    elif halves:
        function = _make_load_half(name, width, stride)
    else:
        function = (_make_store if store else _make_load)(name, width)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "halfcl"
    function.__doc__ = _docstring(name, width, stride, store=store, halves=halves, mode=mode)
    return function


def names() -> list[str]:
    """Return every name of a load or store."""
    widths = [str(width) for width in WIDTHS]
    modes = ["", *(f"_{mode}" for mode in MODES)]
    loaded = [f"v{kind}{width}" for kind in ("load", "store") for width in widths]
    loaded += [f"vload_half{width}" for width in ("", *widths)]
    loaded += [f"vloada_half{width}" for width in widths]
    loaded += [f"vstore_half{width}{mode}" for width in ("", *widths) for mode in modes]
    loaded += [f"vstorea_half{width}{mode}" for width in widths for mode in modes]
    return loaded
