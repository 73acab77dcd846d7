"""Copies of a launch's arguments, which overlap in memory where the arguments do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc

_ALIGNMENT = 128  # the largest type's


def copies(args: Sequence[object], written: Iterable[int]) -> list[object]:
    """Copy the arrays and images that may be written to; return other arguments as they are.

    written: their indices. An argument that overlaps one of them in memory is copied along with it.
    """
    own = list(args)
    arrays = {i: array for i, arg in enumerate(args) if (array := _array(arg)) is not None}
    written = set(written) & arrays.keys()
    for together in _group_overlapping(arrays):
        if not written.isdisjoint(together):
            copied = _copy_together([arrays[i] for i in together])
            for i, array in zip(together, copied, strict=True):
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


def _group_overlapping(arrays: dict[int, NDArray[Any]]) -> list[list[int]]:
    """Group the keys of arrays that overlap in memory."""
    groups: list[list[int]] = []
    end = 0
    for i in sorted(arrays, key=lambda i: np.lib.array_utils.byte_bounds(arrays[i])):
        low, high = np.lib.array_utils.byte_bounds(arrays[i])
        if groups and low < end:
            groups[-1].append(i)
        else:
            groups.append([i])
        end = max(end, high)
    return groups


def _copy_together(arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Copy arrays into new memory at the same distances from each other."""
    if len(arrays) == 1:
        return [arrays[0].copy()]
    bounds = [np.lib.array_utils.byte_bounds(array) for array in arrays]
    low, high = min(b[0] for b in bounds), max(b[1] for b in bounds)
    memory = np.zeros(high - low + _ALIGNMENT, np.uint8)
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
