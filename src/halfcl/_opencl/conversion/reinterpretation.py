"""The functions as_int, as_half4, …, which reinterpret the bits of one type as another."""

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
    components occupies the space of four.

Returns
-------
{type}: a view of x; a copy of byte-swapped numbers and of vectors that are not contiguous

Raises
------
TypeError
    If x has another type or size.
ValueError
    If the last axis has another length than needed.

See Also
--------
convert_{type} : conversion by value.

Notes
-----
Three components are the first of four; a missing fourth component is 0. Where the number of
elements changes, they are in memory order. Source: OpenCL C, Reinterpreting
Types Using as_type() and as_typen(); cl_khr_fp16.

Examples
--------
>>> import halfcl as hc
>>> hex(hc.as_ushort(hc.half(1)))
'0x3c00'
>>> hc.as_uchar4(hc.convert_int(0x04030201))
uchar4([1, 2, 3, 4])
"""


def _slots(width: int) -> int:
    """Return the number of elements that a vector occupies; width 0 stands for a scalar."""
    return 4 if width == 3 else width or 1


def _native(name: str, x: object) -> NDArray[Any]:
    """Return x as an array of one of OpenCL's types, in native byte order."""
    array: NDArray[Any] = np.asanyarray(x)
    native = array.dtype.newbyteorder("=")
    if native not in _TYPES:
        raise TypeError(
            f"{name}: argument x: expected half, float16 or another of OpenCL's types, "
            f"got {array.dtype}"
        )
    return array if array.dtype.isnative else array.astype(native)


def _source_width(name: str, array: NDArray[Any], target: np.dtype[Any], width: int) -> int:
    """Return the width of x's vectors (0 for scalars) that have the size of the target."""
    size, last = target.itemsize * _slots(width), array.shape[-1] if array.ndim else 0
    if last in WIDTHS and array.itemsize * _slots(last) == size:
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


def _pad(vectors: NDArray[Any]) -> NDArray[Any]:
    """Pad vectors of three components to four."""
    result = np.zeros((*vectors.shape[:-1], 4), vectors.dtype)
    result[..., :3] = vectors
    return result


def _regroup(array: NDArray[Any], source_width: int, target: np.dtype[Any]) -> NDArray[Any]:
    """View the bits of each vector, or each element, as another type on a last axis."""
    vectors = _pad(array) if source_width == 3 else array if source_width else array[..., None]
    if vectors.itemsize != target.itemsize and vectors.strides[-1] != vectors.itemsize:
        vectors = np.ascontiguousarray(vectors)
    return vectors.view(target)


def _reinterpret(name: str, x: object, target: np.dtype[Any], width: int) -> Result:
    array = _native(name, x)
    if not width and array.itemsize == target.itemsize:
        return array.view(target)[()] if array.ndim == 0 else array.view(target)
    source_width = _source_width(name, array, target, width)
    plain = as_plain(array)
    if source_width == width and array.itemsize == target.itemsize:
        return as_vector(plain.view(target), width)
    if source_width == 4 and width == 3 and array.itemsize == target.itemsize:
        return as_vector(plain.view(target)[..., :3], width)
    result = _regroup(plain, source_width, target)
    if not width:
        return result[..., 0][()]
    return as_vector(result[..., :width], width)


def make(name: str) -> Callable[[ArrayLike], Result] | None:
    """Return the function ``halfcl.as_<…>``, or None if OpenCL has no such name."""
    match = _NAME.fullmatch(name)
    if match is None or match["target"] not in SCALAR_TYPES:
        return None
    target, width = SCALAR_TYPES[match["target"]], int(match["width"] or 0)

    def reinterpret(x: ArrayLike, /) -> Result:
        return _reinterpret(name, x, target, width)

    reinterpret.__name__ = reinterpret.__qualname__ = name
    reinterpret.__module__ = "halfcl"
    reinterpret.__doc__ = _DOC.format(
        name=name, type=name[3:], size=target.itemsize * _slots(width)
    )
    return dispatch_to_library(reinterpret)


def names() -> list[str]:
    """Return every ``as_*`` name."""
    return [f"as_{target}{width}" for target in SCALAR_TYPES for width in ("", *WIDTHS)]
