"""Chunks of other libraries, such as CuPy's: results are arrays of the same library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import dask.array as da
import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl._support.foreign import adapter_for


class Example(Protocol):
    """An array of any library."""

    @property
    def dtype(self) -> np.dtype[Any]: ...


def is_of_other_library(x: da.Array) -> bool:
    """Return whether the chunks are arrays of another library than NumPy, according to Dask."""
    return adapter_for(type(x._meta)) is not None


def convert_like(x: NDArray[Any], like: object) -> Any:
    """Convert an array of NumPy to the library, and move it to the device, of another array."""
    adapter = adapter_for(type(like))
    return x if adapter is None else adapter.from_host(x, like)


def example_of(arrays: Iterable[da.Array], ndim: int, dtype: DTypeLike) -> Example:
    """Return an empty chunk as an example of chunks computed from those of arrays, for Dask."""
    metas = [x._meta for x in arrays]
    like = next((m for m in metas if adapter_for(type(m)) is not None), metas[0])
    example: Example = convert_like(np.empty((0,) * ndim, dtype), like)
    return example
