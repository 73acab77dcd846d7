"""Indexing of arrays of vectors: whether the result is vectors, and masks of 0 and -1."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl.vectors._registry import VectorBase, as_plain

_T = TypeVar("_T")


def _plain_index(item: _T) -> _T | NDArray[Any]:
    """Return an item of an index without vectors.

    A vector of signed integers, as comparisons return, is a mask; NumPy would use it as positions.
    """
    if not isinstance(item, VectorBase):
        return item
    return as_plain(item) != 0 if item.dtype.kind == "i" else as_plain(item)


def as_index(index: object) -> Any:
    """Return an index in the form that NumPy needs."""
    if type(index) is int or type(index) is slice:
        return index
    return tuple(map(_plain_index, index)) if type(index) is tuple else _plain_index(index)


def _count_axes(item: object) -> int:
    """Return how many axes of the array an item of an index consumes."""
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, int | slice) and not isinstance(item, bool):
        return 1
    array = np.asarray(item)
    return array.ndim if array.dtype == bool else 1


def keeps_last_axis(index: object, ndim: int) -> bool:
    """Return whether the last axis of an array is the last of the result, perhaps sliced."""
    if type(index) is int:
        return ndim > 1
    if type(index) is slice:
        return True
    items = index if type(index) is tuple else (index,)
    consumed = [_count_axes(item) for item in items]
    reaches_last = sum(consumed) == ndim or any(item is Ellipsis for item in items)
    for item, axes in zip(reversed(items), reversed(consumed), strict=True):
        if item is Ellipsis:
            return True
        if axes:
            return not reaches_last or isinstance(item, slice)
    return True
