"""Where NumPy's Python code asks for built-in types by name, half is entered here.

All of it is NumPy's private parts, in one place: whatever a version of NumPy lacks is
left alone, and what it serves then does less than for float16 (tests/test_dtype.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy._core import arrayprint  # type: ignore[attr-defined]

from halfcl import _core
from halfcl.constants import finfo

half = _core.half


def _printed_as_float16(get: Callable[..., Any]) -> Callable[..., Any]:
    """The function that chooses how an array's elements are printed, for half too."""

    def get_format_function(data: Any, **options: Any) -> Any:
        if data.dtype.type is half:
            data = data.view(np.dtype(np.float16).newbyteorder(data.dtype.byteorder))
        return get(data, **options)

    return get_format_function


def register() -> None:
    """Enter half where NumPy looks its own floating types up."""
    # numpy.finfo keeps what it made.
    for key in (half, _core.HALF_DTYPE):
        np.finfo._finfo_cache[key] = finfo()  # type: ignore[attr-defined]
    # numpy.common_type, which NumPy's testing functions that count ulps ask.
    np.lib._type_check_impl.array_precision[half] = 0  # type: ignore[attr-defined]
    # Since NumPy 2.5 arrays of types that are not NumPy's print by str.
    choose = "_get_format_function"
    setattr(arrayprint, choose, _printed_as_float16(getattr(arrayprint, choose)))
