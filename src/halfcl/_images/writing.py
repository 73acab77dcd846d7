"""The built-in image write functions: write_imageh, write_imagef, write_imagei, write_imageui."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import _core
from halfcl._images.arguments import as_array, as_contiguous, as_coordinates, check_format
from halfcl._images.constants import channel_type
from halfcl._images.image import Image, as_image
from halfcl._opencl.conversion import conversion_to
from halfcl.typing import RoundingMode

Array = NDArray[Any]

_HALF = np.dtype(_core.half)

#: The dtype of each function's colours.
_COLORS: dict[str, np.dtype[Any]] = {
    "write_imageh": _HALF,
    "write_imagef": np.dtype(np.float32),
    "write_imagei": np.dtype(np.int32),
    "write_imageui": np.dtype(np.uint32),
}


def _is_exact(array: Array, dtype: np.dtype[Any]) -> bool:
    wanted = np.dtype(np.float16) if dtype == _HALF else dtype
    return array.dtype.newbyteorder("=") == dtype or np.can_cast(array.dtype, wanted, "safe")


def _convert(
    function: str, array: Array, dtype: np.dtype[Any], untyped: bool, mode: RoundingMode | None
) -> Array:
    """Convert colours to the function's type.

    Their type has to be exact in it; Python's numbers are rounded to it.
    """
    if array.dtype == dtype:
        return array
    kinds = "iu" if dtype.kind in "iu" else "biuf"
    if (untyped and array.dtype.kind in kinds) or _is_exact(array, dtype):
        if dtype.kind in "iu":
            if array.size and not _fits(array, dtype):
                raise ValueError(
                    f"{function}: argument color: expected numbers that {dtype} holds, got "
                    f"{array.min()} to {array.max()}"
                )
            return array.astype(dtype, copy=False)
        convert = conversion_to("half" if dtype == _HALF else "float")
        return np.asarray(convert(array, rounding=mode))
    raise TypeError(
        f"{function}: argument color: expected {dtype} or what is exact in it, got {array.dtype}; "
        "use halfcl.convert or x.astype"
    )


def _fits(array: Array, dtype: np.dtype[Any]) -> bool:
    limits = np.iinfo(dtype)
    return bool(limits.min <= int(array.min()) and int(array.max()) <= limits.max)


def _as_colors(
    function: str, color: object, image: Image, shape: tuple[int, ...], mode: RoundingMode | None
) -> Array:
    """Convert the argument color to rows of four, one per coordinate."""
    dtype = _COLORS[function]
    array, untyped = as_array(function, "color", color)
    depth = image.format.is_depth
    wanted = shape if depth else (*shape, 4)
    if not depth and array.shape[-1:] != (4,):
        raise ValueError(
            f"{function}: argument color: expected a last axis of length 4, got shape {array.shape}"
        )
    colors = _convert(function, array, dtype, untyped, mode)
    try:
        colors = np.broadcast_to(colors, wanted)
    except ValueError:
        raise ValueError(
            f"{function}: argument color: expected a shape that broadcasts to that of coord, "
            f"{wanted}, got {array.shape}"
        ) from None
    if not depth:
        return as_contiguous(colors).reshape(-1, 4)
    rows = np.zeros((colors.size, 4), dtype)
    rows[:, 0] = colors.reshape(-1)
    return rows


def _write(
    function: str, image: object, coord: object, color: object, mode: RoundingMode | None
) -> int:
    image = as_image(function, image)
    check_format(function, image)
    if not image.array.flags.writeable:
        raise TypeError(
            f"{function}: argument image: expected a writable array, got a read-only one"
        )
    texel_mode = mode
    if texel_mode is None:
        is_half = image.format.channel_data_type is channel_type.HALF_FLOAT
        texel_mode = _core.get_rounding() if is_half else _core.get_builtin_rounding()
    _core.check_mode(texel_mode)
    coordinates = as_coordinates(function, image, coord)
    if not coordinates.are_integers:
        raise TypeError(f"{function}: argument coord: expected integers, got floats")
    colors = _as_colors(function, color, image, coordinates.shape, mode)
    return _core.write_image(image.layout, coordinates.rows, colors, texel_mode)


def write_imageh(
    image: Image, coord: ArrayLike, color: ArrayLike, /, *, rounding: RoundingMode | None = None
) -> int:
    return _write("write_imageh", image, coord, color, rounding)


def write_imagef(
    image: Image, coord: ArrayLike, color: ArrayLike, /, *, rounding: RoundingMode | None = None
) -> int:
    return _write("write_imagef", image, coord, color, rounding)


def write_imagei(image: Image, coord: ArrayLike, color: ArrayLike, /) -> int:
    return _write("write_imagei", image, coord, color, "rte")


def write_imageui(image: Image, coord: ArrayLike, color: ArrayLike, /) -> int:
    return _write("write_imageui", image, coord, color, "rte")


_DOC = """Write texels of an image: {what}.

Parameters
----------
image : Image
    {formats} Its array has to be writable.
coord : array_like of integers
    The coordinates in texels: x of 1D images and buffers, of any shape; else one more axis, last:
    (x, y) of 2D images, (x, layer) of 1D image arrays, (x, y, z, ignored) of 3D images, (x, y,
    layer, ignored) of 2D image arrays. The fourth may be left out.
color : {color}
    Red, green, blue and alpha on the last axis; the other axes broadcast to those of ``coord``.
{numbers}    Colours that the format has no channel for are ignored. INTENSITY and LUMINANCE take
    red.{depth}
{rounding}
Returns
-------
int
    The number of coordinates outside of the image, where nothing is written.

Raises
------
TypeError
    If ``image`` is not an image, read-only, or of a format for another function, or ``coord`` or
    ``color`` have other types. Nothing is written then.
ValueError
    If shapes do not match{modes}. Nothing is written then.

Notes
-----
Accuracy: {accuracy}

Where coordinates are equal, the last colour stays.

Source: OpenCL C, Built-in Image Write Functions; {source}.

Examples
--------
>>> import numpy as np, halfcl as hc
>>> format = hc.ImageFormat(hc.channel_order.RG, hc.channel_type.{type})
>>> image = hc.Image(np.zeros((1, 2, 2), np.{dtype}), format)
>>> hc.{name}(image, [(1, 0), (2, 0)], {example})
1
>>> image.array.tolist()
[[[0, 0], {written}]]
"""

_ROUNDING = """rounding : {"rte", "rtz", "rtp", "rtn"}, optional
    The rounding mode. Unless given, the region's if it governs built-in functions, else ``rte``;
    where channels are halves, the region's.
"""

_ROUNDED = """rounded once{unchanged}: normalised channels hold the nearest integer
to 255 f, 65535 f and so on, saturated, 0 of NaN. sRGB channels hold floor(255 s + 0.5) of the
exact s in any mode."""

_SATURATED = "saturated."

_PYTHONS = """    Python's numbers are converted to that type first, in ``rounding`` if it is given.
"""


def _document(function: Callable[..., object], **parts: str) -> None:
    rounds = "rounding" in parts
    function.__doc__ = _DOC.format(
        **{
            "name": function.__name__,
            "rounding": "",
            "depth": "",
            "numbers": _PYTHONS if rounds else "",
            "modes": ", or there is no such mode" if rounds else "",
            "accuracy": _SATURATED,
            "source": "Conversion Rules for "
            + ("Normalized Integer" if rounds else "Signed and Unsigned Integer")
            + " Channel Data Types",
            **parts,
        }
    )


_document(
    write_imageh,
    what="of half4",
    formats="Of normalised or floating channels, and not DEPTH.",
    color="half4, or array_like of half, or of what is exact in it, with a last axis of 4",
    rounding=_ROUNDING,
    accuracy=_ROUNDED.format(unchanged=", halves to halves unchanged"),
    type="UNORM_INT8", dtype="uint8", example="hc.half4(1, 0.5, 0, 1)", written="[255, 128]",
)  # fmt: skip
_document(
    write_imagef,
    what="of float4, or of float to DEPTH images",
    formats="Of normalised or floating channels.",
    color="float4, or array_like of float32, or of what is exact in it, with a last axis of 4",
    depth=" DEPTH images take scalars.",
    rounding=_ROUNDING,
    accuracy=_ROUNDED.format(unchanged=", floats to floats unchanged"),
    type="UNORM_INT8", dtype="uint8", example="hc.float4(1, 0.5, 0, 1)", written="[255, 128]",
)  # fmt: skip
_document(
    write_imagei,
    what="of int4",
    formats="Of signed integers.",
    color="int4, or array_like of integers that int32 holds, with a last axis of 4",
    type="SIGNED_INT8", dtype="int8", example="hc.int4(1, -200, 0, 1)", written="[1, -128]",
)  # fmt: skip
_document(
    write_imageui,
    what="of uint4",
    formats="Of unsigned integers.",
    color="uint4, or array_like of integers that uint32 holds, with a last axis of 4",
    type="UNSIGNED_INT8", dtype="uint8", example="hc.uint4(1, 300, 0, 1)", written="[1, 255]",
)  # fmt: skip
