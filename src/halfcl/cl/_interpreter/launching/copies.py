"""Copies of a launch's arguments, which overlap in memory where the arguments do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

import halfcl as hc
from halfcl.cl._interpreter.memory.pointers import group_overlapping

_ALIGNMENT = 128  # the largest type's


def copies(args: Sequence[object], written: Iterable[int]) -> list[object]:
    """Copy the arrays and images that may be written to; return other arguments as they are.

    written: their indices. An argument that overlaps one of them in memory is copied along with it.
    """
    own = list(args)
    arrays = {i: array for i, arg in enumerate(args) if (array := _array(arg)) is not None}
    written = set(written) & arrays.keys()
    pieces = ((*byte_bounds(array), i) for i, array in arrays.items())
    for size, together in group_overlapping(pieces):
        indices = [i for _, i in together]
        if not written.isdisjoint(indices):
            copied = _copy_together(size, [arrays[i] for i in indices])
            for i, array in zip(indices, copied, strict=True):
                own[i] = _wrap_like(args[i], array)
    return own


def _array(arg: object) -> NDArray[Any] | None:
    if isinstance(arg, hc.Image):
        return arg.array
    return arg if isinstance(arg, np.ndarray) else None


def _wrap_like(arg: object, array: NDArray[Any]) -> hc.Image | NDArray[Any]:
    """Return an array as an image if the argument is one."""
    if isinstance(arg, hc.Image):
        return hc.Image(array, arg.format, arg.image_type)
    return array


def _copy_together(size: int, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Copy arrays that span `size` bytes into new memory at the same distances from each other."""
    if len(arrays) == 1:
        return [arrays[0].copy()]
    low = byte_bounds(arrays[0])[0]
    memory = np.zeros(size + _ALIGNMENT, np.uint8)
    shift = (low - memory.ctypes.data) % _ALIGNMENT - low
    results = []
    for array in arrays:
        place = array.ctypes.data + shift
        copied: NDArray[Any] = np.ndarray(
            array.shape, array.dtype, memory.data, place, array.strides
        )
        copied[...] = array
        results.append(copied)
    return results
