"""Copies of a launch's arguments, which overlap where the arguments do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc

_ALIGNMENT = 128  # of the largest type


def copies(args: Sequence[object], written: Iterable[int]) -> list[object]:
    """The arguments, of which arrays and images that may be written to are copies.

    written: their indices. What shares memory with them is a copy, too, and shares the copies'.
    """
    own = list(args)
    arrays = {i: array for i, arg in enumerate(args) if (array := _array(arg)) is not None}
    written = set(written) & arrays.keys()
    for together in _overlapping(arrays):
        if not written.isdisjoint(together):
            copied = _copied([arrays[i] for i in together])
            for i, array in zip(together, copied, strict=True):
                own[i] = _like(args[i], array)
    return own


def _array(arg: object) -> NDArray[Any] | None:
    if isinstance(arg, hc.Image):
        return arg.array
    return arg if isinstance(arg, np.ndarray) else None


def _like(arg: object, array: NDArray[Any]) -> hc.Image | NDArray[Any]:
    if isinstance(arg, hc.Image):
        return hc.Image(array, arg.format, arg.image_type)
    return array


def _overlapping(arrays: dict[int, NDArray[Any]]) -> list[list[int]]:
    """Their keys, by the stretch of memory in which they lie."""
    found: list[list[int]] = []
    end = 0
    for i in sorted(arrays, key=lambda i: np.lib.array_utils.byte_bounds(arrays[i])):
        low, high = np.lib.array_utils.byte_bounds(arrays[i])
        if found and low < end:
            found[-1].append(i)
        else:
            found.append([i])
        end = max(end, high)
    return found


def _copied(arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """At the same distances in other memory."""
    if len(arrays) == 1:
        return [arrays[0].copy()]
    bounds = [np.lib.array_utils.byte_bounds(array) for array in arrays]
    low, high = min(b[0] for b in bounds), max(b[1] for b in bounds)
    memory = np.zeros(high - low + _ALIGNMENT, np.uint8)
    shift = (low - memory.ctypes.data) % _ALIGNMENT - low
    found = []
    for array in arrays:
        place = array.ctypes.data + shift
        copied: NDArray[Any] = np.ndarray(
            array.shape, array.dtype, memory.data, place, array.strides
        )
        copied[...] = array
        found.append(copied)
    return found
