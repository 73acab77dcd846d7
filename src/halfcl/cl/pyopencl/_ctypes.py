"""Which C type is which dtype: the names that kernels made of snippets use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from halfcl._core import half

_Dtype = np.dtype[Any]

#: OpenCL C's own; the first name of a dtype is the one that is written.
_SCALARS: dict[str, DTypeLike] = {
    "char": "i1", "signed char": "i1", "int8_t": "i1",
    "uchar": "u1", "unsigned char": "u1", "uint8_t": "u1",
    "short": "i2", "short int": "i2", "signed short": "i2", "int16_t": "i2",
    "ushort": "u2", "unsigned short": "u2", "unsigned short int": "u2", "uint16_t": "u2",
    "int": "i4", "signed": "i4", "signed int": "i4", "int32_t": "i4",
    "uint": "u4", "unsigned": "u4", "unsigned int": "u4", "uint32_t": "u4",
    "long": "i8", "long int": "i8", "signed long": "i8", "int64_t": "i8",
    "ulong": "u8", "unsigned long": "u8", "unsigned long int": "u8", "uint64_t": "u8",
    "ptrdiff_t": "i8", "intptr_t": "i8", "size_t": "u8", "uintptr_t": "u8",
    "half": np.float16, "float": "f4", "double": "f8",
}  # fmt: skip

_dtypes: dict[str, _Dtype] = {}
_names: dict[_Dtype, str] = {}


def get_or_register_dtype(
    c_names: str | Sequence[str], dtype: DTypeLike | None = None
) -> np.dtype[Any]:
    """The dtype of a C type, after it has been given these names, if one is given.

    Parameters
    ----------
    c_names : str or sequence of str
    dtype : dtype, optional

    Returns
    -------
    dtype
        The one that was registered first, if it has been.

    Raises
    ------
    KeyError
        If a name is unknown, and no dtype is given.
    builtins.RuntimeError
        If a name is another dtype's.

    Examples
    --------
    >>> from halfcl.cl.pyopencl.tools import get_or_register_dtype
    >>> get_or_register_dtype("uchar")
    dtype('uint8')
    """
    names = [c_names] if isinstance(c_names, str) else list(c_names)
    if dtype is None:
        return _dtypes[names[0]]
    kind = np.dtype(dtype)
    kind = _dtypes.get(_names.get(kind, ""), kind)
    for name in names:
        if _dtypes.setdefault(name, kind) != kind:
            raise RuntimeError(f"name '{name}' already registered to different dtype")
    _names.setdefault(kind, names[0])
    return kind


def dtype_to_ctype(dtype: DTypeLike) -> str:
    """The C type that a dtype is.

    Parameters
    ----------
    dtype : dtype

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it is none that is known.
    NotImplementedError
        If it is complex.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl.cl.pyopencl.tools import dtype_to_ctype
    >>> dtype_to_ctype(np.uint8), dtype_to_ctype(np.float16), dtype_to_ctype(hc.half)
    ('uchar', 'half', 'half')
    """
    if dtype is None:
        raise ValueError("dtype may not be None")
    kind = np.dtype(dtype)
    if kind.kind == "c":
        raise NotImplementedError(f"{kind}: halfcl has no complex numbers in kernels")
    if kind not in _names:
        raise ValueError(f"unable to map dtype '{kind}'")
    return _names[kind]


def dtype_of(c_name: str) -> np.dtype[Any]:
    """The dtype of a C type, in an argument list."""
    name = " ".join(c_name.split())
    if name.startswith(("cfloat", "cdouble")):
        raise NotImplementedError(f"{name}: halfcl has no complex numbers in kernels")
    if name not in _dtypes:
        raise ValueError(f"unknown type '{name}'")
    return _dtypes[name]


for _name, _kind in _SCALARS.items():
    get_or_register_dtype(_name, _kind)
_names[np.dtype(half)] = "half"
