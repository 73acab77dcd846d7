"""Arrays whose bytes are swapped: what kernels take is a copy of them in native order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def native_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in native byte order; itself if it is in that order."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def as_native(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, or if its bytes are swapped a copy in native order."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
