"""Arrays with swapped bytes are copied to native order before kernels use them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def native_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in native byte order; the same object if it is native."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def as_native(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array itself, or a copy in native order if its bytes are swapped."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
