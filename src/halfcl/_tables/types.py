"""OpenCL's scalar types and the widths of its vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from halfcl import _core

#: OpenCL's scalar types as NumPy's.
SCALAR_TYPES: dict[str, np.dtype[Any]] = {
    "char": np.dtype(np.int8),
    "uchar": np.dtype(np.uint8),
    "short": np.dtype(np.int16),
    "ushort": np.dtype(np.uint16),
    "int": np.dtype(np.int32),
    "uint": np.dtype(np.uint32),
    "long": np.dtype(np.int64),
    "ulong": np.dtype(np.uint64),
    "half": np.dtype(_core.half),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}

#: The engine's letter for each.
LETTERS = dict(zip(SCALAR_TYPES, "bBhHiIqQefd", strict=True))

FLOATING = ("half", "float", "double")

WIDTHS = (2, 3, 4, 8, 16)
