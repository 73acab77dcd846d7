"""OpenCL's scalar and vector types as dtypes: pyopencl.cltypes.

Vectors are structs of ``s0``, ``s1``, ..., the first four of them also ``x y z w``; those of 3 have
a fourth component that is not used. ``make_float4(1, 2, 3, 4)`` makes one, and so do
``filled_float4(1)``, ``zeros_float4()`` and ``ones_float4()``. Vectors of half are there too, which
pyopencl has not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from halfcl.cl.pyopencl._ctypes import get_or_register_dtype

char, uchar, short, ushort = np.int8, np.uint8, np.int16, np.uint16
int, uint, long, ulong = np.int32, np.uint32, np.int64, np.uint64
half, float, double = np.float16, np.float32, np.float64

_ELEMENTS: dict[str, Any] = {
    "char": char, "uchar": uchar, "short": short, "ushort": ushort, "int": int, "uint": uint,
    "long": long, "ulong": ulong, "half": half, "float": float, "double": double,
}  # fmt: skip
_WIDTHS = (2, 3, 4, 8, 16)

__all__ = [*_ELEMENTS, "vec_type_to_scalar_and_count", "vec_types"]

#: dtypes of vectors, by those of their components and their number; and these of those.
vec_types: dict[tuple[np.dtype[Any], Any], np.dtype[Any]] = {}
vec_type_to_scalar_and_count: dict[np.dtype[Any], tuple[np.dtype[Any], Any]] = {}


def _vector(element: np.dtype[Any], width: Any) -> np.dtype[Any]:
    names = [f"s{i}" for i in range(width)] + ["padding0"] * (width == 3)
    titles = [*"xyzw"[:width], *[None] * len(names)][: len(names)]
    return np.dtype({"names": names, "formats": [element] * len(names), "titles": titles})


def _documented(function: Any, name: str, text: str) -> object:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def _name(name: str, width: Any) -> None:
    element = np.dtype(_ELEMENTS[name])
    kind = get_or_register_dtype(f"{name}{width}", _vector(element, width))
    vec_types[element, width] = kind
    vec_type_to_scalar_and_count[kind] = element, width
    unused = (0,) * (width == 3)
    vector = f"{name}{width}"

    def make(*components: object) -> object:
        given = components or (0,) * width
        if len(given) != width:
            raise TypeError(f"make_{vector}: expected {width} numbers, got {len(given)}")
        return np.array((*given, *unused), kind)[()]

    def filled(value: object) -> object:
        return make(*[value] * width)

    def zeros() -> object:
        return filled(0)

    def ones() -> object:
        return filled(1)

    globals()[vector] = kind
    __all__.append(vector)
    for function, what in (
        (make, f"of {width} numbers"), (filled, "of one number"), (zeros, "of zeros"),
        (ones, "of ones"),
    ):  # fmt: skip
        called = f"{function.__name__}_{vector}"
        globals()[called] = _documented(function, called, f"A {vector}, {what}.")
        __all__.append(called)


for _element in _ELEMENTS:
    for _width in _WIDTHS:
        _name(_element, _width)
