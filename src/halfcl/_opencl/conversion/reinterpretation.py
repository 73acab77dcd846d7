"""as_int, as_half4, …: the bits of one type as those of another."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._support.foreign import dispatch_to_library
from halfcl._support.results import Result
from halfcl._tables.types import SCALAR_TYPES, WIDTHS
from halfcl.vectors._registry import as_plain, as_vector, width_of

_NAME = re.compile(r"as_(?P<target>[a-z]+?)(?P<width>2|3|4|8|16)?")

_TYPES = frozenset([*SCALAR_TYPES.values(), np.dtype(np.float16)])

_DOC = """{name}(x, /)

Reinterpret the bits of x as {type}, copying nothing where memory allows.

Parameters
----------
x : array_like of the types from int8 to float64, half or float16
    Elements of {size} bytes each, or vectors of as many on the last axis. A vector of three
    components takes the room of four.

Returns
-------
{type}: a view of x; a copy of byte-swapped numbers, and where vectors are not in one piece

Raises
------
TypeError
    If x are no such numbers, or of another size.
ValueError
    If the last axis has not the length that would do.

See Also
--------
convert_{type} : by value.

Notes
-----
Three components of four are the first ones; a fourth one that there was none of is 0. Where
the number of elements changes, they are in the order of memory. Source: OpenCL C, Reinterpreting
Types Using as_type() and as_typen(); cl_khr_fp16.

Examples
--------
>>> import halfcl as hc
>>> hex(hc.as_ushort(hc.half(1)))
'0x3c00'
>>> hc.as_uchar4(hc.convert_int(0x04030201))
uchar4([1, 2, 3, 4])
"""


def _room(width: int) -> int:
    """How many elements a vector takes the room of; 0 stands for no vector."""
    return 4 if width == 3 else width or 1


def _native(name: str, x: object) -> NDArray[Any]:
    """x as an array of one of OpenCL's types."""
    array: NDArray[Any] = np.asanyarray(x)
    native = array.dtype.newbyteorder("=")
    if native not in _TYPES:
        raise TypeError(
            f"{name}: argument x: expected half, float16 or another of OpenCL's types, "
            f"got {array.dtype}"
        )
    return array if array.dtype.isnative else array.astype(native)


def _source_width(name: str, array: NDArray[Any], target: np.dtype[Any], width: int) -> int:
    """How wide the vectors are that x consists of, 0 for none, to be as large as the target."""
    size, last = target.itemsize * _room(width), array.shape[-1] if array.ndim else 0
    if last in WIDTHS and array.itemsize * _room(last) == size:
        return last
    if array.itemsize == size and not width_of(array):
        return 0
    if array.itemsize == target.itemsize:
        raise ValueError(
            f"{name}: argument x: expected a last axis of length {width}, got shape {array.shape}"
        )
    raise TypeError(
        f"{name}: argument x: expected {size} bytes, as half, float16 and others of OpenCL's "
        f"types or vectors of them have, got {array.dtype} of shape {array.shape}"
    )


def _padded(vectors: NDArray[Any]) -> NDArray[Any]:
    """Vectors of three components in the room of four."""
    room = np.zeros((*vectors.shape[:-1], 4), vectors.dtype)
    room[..., :3] = vectors
    return room


def _regrouped(array: NDArray[Any], source_width: int, target: np.dtype[Any]) -> NDArray[Any]:
    """The bits of each vector, or each element, as elements of another type on a last axis."""
    vectors = _padded(array) if source_width == 3 else array if source_width else array[..., None]
    if vectors.itemsize != target.itemsize and vectors.strides[-1] != vectors.itemsize:
        vectors = np.ascontiguousarray(vectors)
    return vectors.view(target)


def _reinterpreted(name: str, x: object, target: np.dtype[Any], width: int) -> Result:
    array = _native(name, x)
    if not width and array.itemsize == target.itemsize:
        return array.view(target)[()] if array.ndim == 0 else array.view(target)
    source_width = _source_width(name, array, target, width)
    plain = as_plain(array)
    if source_width == width and array.itemsize == target.itemsize:
        return as_vector(plain.view(target), width)
    if source_width == 4 and width == 3 and array.itemsize == target.itemsize:
        return as_vector(plain.view(target)[..., :3], width)
    result = _regrouped(plain, source_width, target)
    if not width:
        return result[..., 0][()]
    return as_vector(result[..., :width], width)


def make(name: str) -> Callable[[ArrayLike], Result] | None:
    """What ``halfcl.as_<…>`` is; None if OpenCL has no such name."""
    match = _NAME.fullmatch(name)
    if match is None or match["target"] not in SCALAR_TYPES:
        return None
    target, width = SCALAR_TYPES[match["target"]], int(match["width"] or 0)

    def reinterpret(x: ArrayLike, /) -> Result:
        return _reinterpreted(name, x, target, width)

    reinterpret.__name__ = reinterpret.__qualname__ = name
    reinterpret.__module__ = "halfcl"
    reinterpret.__doc__ = _DOC.format(name=name, type=name[3:], size=target.itemsize * _room(width))
    return dispatch_to_library(reinterpret)


def names() -> list[str]:
    """Every ``as_*`` name."""
    return [f"as_{target}{width}" for target in SCALAR_TYPES for width in ("", *WIDTHS)]
