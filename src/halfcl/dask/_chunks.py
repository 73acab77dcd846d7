"""Chunks that are arrays of a device's library, as CuPy's: what is made of them is of it, too."""

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


def are_elsewhere(x: da.Array) -> bool:
    """Whether chunks are no arrays of NumPy, as Dask knows them."""
    return adapter_for(type(x._meta)) is not None


def placed(x: NDArray[Any], like: object) -> Any:
    """An array of NumPy as one of the library of another one, where that lies."""
    part = adapter_for(type(like))
    return x if part is None else part.from_host(x, like)


def example_of(arrays: Iterable[da.Array], ndim: int, dtype: DTypeLike) -> Example:
    """What Dask is told of chunks that are made of those of arrays: one without elements."""
    metas = [x._meta for x in arrays]
    like = next((m for m in metas if adapter_for(type(m)) is not None), metas[0])
    made: Example = placed(np.empty((0,) * ndim, dtype), like)
    return made
