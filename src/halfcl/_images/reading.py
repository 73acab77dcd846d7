"""The built-in image read functions: read_imageh, read_imagef, read_imagei, read_imageui."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import _core
from halfcl._images.arguments import as_coordinates, as_sampler, check_format
from halfcl._images.image import Image, as_image
from halfcl._images.sampler import Sampler
from halfcl._support.arguments.masks import check_unmasked
from halfcl._support.results import Result
from halfcl.typing import RoundingMode
from halfcl.vectors._registry import as_plain, as_vector

Array = NDArray[Any]

_HALF = np.dtype(_core.half)

#: The dtype of each function's results.
_RESULTS: dict[str, np.dtype[Any]] = {
    "read_imageh": _HALF,
    "read_imagef": np.dtype(np.float32),
    "read_imagei": np.dtype(np.int32),
    "read_imageui": np.dtype(np.uint32),
}

_DOC = """Read texels of an image: as {what}.

Parameters
----------
image : Image
    {formats}
sampler : Sampler, optional
    How to read. It may be left out, as in ``{name}(image, coord)``: then coordinates are integers,
    and those outside read the border colour. 1D image buffers are always read without a sampler.
coord : array_like of integers, or of float32 or what is exact in it
    The coordinates: x of 1D images, of any shape; else one more axis, last: (x, y) of 2D images,
    (x, layer) of 1D image arrays, (x, y, z, ignored) of 3D images, (x, y, layer, ignored) of 2D
    image arrays. OpenCL's `int2`, `float4` and so on, or plain arrays; the fourth may be left out.
    Integers need a sampler without filter and with coordinates that are not normalised.
out : array of {dtype}, of the result's shape, optional
    The array that receives the result.
{rounding}
Returns
-------
{result}
    The texels, in the shape of ``coord`` without its last axis. Missing colours are 0,
    missing alpha is 1.{depth}

Raises
------
TypeError
    If ``image`` is not an image, or of a format for another function, if ``sampler`` is not a
    sampler, or not for such an image, or if ``coord`` or ``out`` have other types.
ValueError
    If a last axis has another length, the sampler does not allow integers, or ``out`` has
    another shape{modes}. Nothing is written then.

Notes
-----
Accuracy: {accuracy}

No coordinate reads outside of the array. Coordinates that the standard leaves undefined: an
infinite one is clamped where the sampler clamps, NaN is outside with CLAMP and NONE, and the first
texel with CLAMP_TO_EDGE; where the image repeats, both are 0. The layer is the nearest there is.

Source: OpenCL C, Built-in Image Read Functions; Image Addressing and Filtering; {source}.

Examples
--------
{example}
"""

_ROUNDING = """rounding : {{"rte", "rtz", "rtp", "rtn"}}, optional
    The rounding mode; {unless} unless given.
"""

_EXACT = """the texel's integers, unchanged."""

_ROUNDED = """coordinates, weights and their sums are exact, and the result is rounded once{to}:
the quotient c / 255 of UNORM_INT8, c / 65535 of UNORM_INT16, or the weighted mean of such
quotients, halves or floats. {unchanged}
Texels of weight 0 do not count, not even infinities and NaN. Linear values of sRGB are first
rounded to odd in float32."""

_EXAMPLE_OF_INTEGERS = """>>> import numpy as np, halfcl as hc
>>> format = hc.ImageFormat(hc.channel_order.RG, hc.channel_type.{type})
>>> image = hc.Image(np.arange(12, dtype=np.{dtype}).reshape(2, 3, 2), format)
>>> hc.{name}(image, (2, 1))
{result}"""

_EXAMPLE_OF_FLOATS = """>>> import numpy as np, halfcl as hc
>>> format = hc.ImageFormat(hc.channel_order.RG, hc.channel_type.UNORM_INT8)
>>> image = hc.Image(np.array([[[0, 51], [255, 102]]], np.uint8), format)
>>> hc.{name}(image, (1, 0))
{first}
>>> linear = hc.Sampler(False, hc.addressing_mode.CLAMP_TO_EDGE, hc.filter_mode.LINEAR)
>>> hc.{name}(image, linear, hc.float2(1.25, 0.5))
{second}"""


def _check_out(function: str, out: object, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Raise an error unless the result fits out."""
    dtypes = (dtype, np.dtype(np.float16)) if dtype == _HALF else (dtype,)
    if not isinstance(out, np.ndarray) or out.dtype not in dtypes:
        got = getattr(out, "dtype", type(out).__name__)
        raise TypeError(f"{function}: argument out: expected an array of {dtype}, got {got}")
    if out.shape != shape:
        raise ValueError(f"{function}: argument out: expected shape {shape}, got {out.shape}")
    if not out.flags.writeable:
        raise TypeError(f"{function}: argument out: expected a writable array, got a read-only one")


def _rows_view(out: Array, dtype: np.dtype[Any]) -> Array | None:
    """View out's memory as rows of four, or return None if that needs a copy.

    The engine takes care of memory that out shares with inputs.
    """
    if not out.flags.c_contiguous or not out.flags.aligned:
        return None
    return as_plain(out).view(dtype).reshape(-1, 4)


def _colors(rows: Array, shape: tuple[int, ...], out: Array | None) -> Array:
    """Return rows of four as vectors, in out or in a new array."""
    if out is None:
        return as_vector(rows.reshape(shape), 4)
    as_plain(out).view(rows.dtype)[...] = rows.reshape(shape)
    return out


def _depths(rows: Array, shape: tuple[int, ...], out: Array | None) -> Result:
    """Return the first of each row, in out or in a new array."""
    if out is None:
        return rows[:, 0].copy().reshape(shape)[()]
    out[...] = rows[:, 0].reshape(shape)
    return out


def _read(
    function: str,
    image: object,
    sampler: Sampler | ArrayLike | None,
    coord: ArrayLike | None,
    out: Array | None,
    mode: RoundingMode,
) -> Result:
    if coord is None:
        sampler, coord = None, sampler
    if coord is None or isinstance(coord, Sampler):
        raise TypeError(f"{function}: argument coord: expected coordinates, got none")
    image, dtype = as_image(function, image), _RESULTS[function]
    check_format(function, image)
    coordinates = as_coordinates(function, image, coord)
    used = as_sampler(function, image, sampler, coordinates)
    chosen = None if used is None else used.for_engine
    _core.check_mode(mode)
    depth = image.format.is_depth
    shape = coordinates.shape if depth else (*coordinates.shape, 4)
    if out is not None:
        check_unmasked(out, f"{function}: argument out")
        _check_out(function, out, dtype, shape)
        in_out = None if depth else _rows_view(out, dtype)
        if in_out is not None:
            _core.read_image(image.layout, chosen, coordinates.rows, in_out, mode)
            return out
    rows = np.empty((len(coordinates.rows), 4), dtype)
    _core.read_image(image.layout, chosen, coordinates.rows, rows, mode)
    return _depths(rows, shape, out) if depth else _colors(rows, shape, out)


def read_imageh(
    image: Image,
    sampler: Sampler | ArrayLike,
    coord: ArrayLike | None = None,
    /,
    *,
    out: Array | None = None,
    rounding: RoundingMode | None = None,
) -> Any:
    mode = _core.get_rounding() if rounding is None else rounding
    return _read("read_imageh", image, sampler, coord, out, mode)


def read_imagef(
    image: Image,
    sampler: Sampler | ArrayLike,
    coord: ArrayLike | None = None,
    /,
    *,
    out: Array | None = None,
    rounding: RoundingMode | None = None,
) -> Any:
    return _read("read_imagef", image, sampler, coord, out, "rte" if rounding is None else rounding)


def read_imagei(
    image: Image,
    sampler: Sampler | ArrayLike,
    coord: ArrayLike | None = None,
    /,
    *,
    out: Array | None = None,
) -> Any:
    return _read("read_imagei", image, sampler, coord, out, "rte")


def read_imageui(
    image: Image,
    sampler: Sampler | ArrayLike,
    coord: ArrayLike | None = None,
    /,
    *,
    out: Array | None = None,
) -> Any:
    return _read("read_imageui", image, sampler, coord, out, "rte")


_CONVERSIONS = "Conversion Rules for Normalized Integer Channel Data Types"


def _document(function: Callable[..., object], example: str, **parts: str) -> None:
    rounds = "rounding" in parts
    function.__doc__ = _DOC.format(
        **{
            "name": function.__name__,
            "dtype": _RESULTS[function.__name__],
            "rounding": "",
            "modes": ", or there is no such mode" if rounds else "",
            "depth": "",
            "accuracy": _EXACT,
            "source": _CONVERSIONS
            if rounds
            else "Conversion Rules for Signed and Unsigned Integer Channel Data Types",
            **parts,
        },
        example=example,
    )


_document(
    read_imageh,
    _EXAMPLE_OF_FLOATS.format(
        name="read_imageh", first="half4([1. , 0.4, 0. , 1. ])",
        second="half4([0.75, 0.35, 0.  , 1.  ])",
    ),
    what="half4",
    formats="Of normalised or floating channels, and not DEPTH.",
    rounding=_ROUNDING.format(unless="the region's"),
    result="half4",
    accuracy=_ROUNDED.format(to="", unchanged="Halves that are not filtered come unchanged, NaNs "
    "bit by bit. FLOAT, which OpenCL\nleaves undefined, is rounded once, too."),
    source=f"{_CONVERSIONS}; cl_khr_fp16",
)  # fmt: skip
_document(
    read_imagef,
    _EXAMPLE_OF_FLOATS.format(
        name="read_imagef", first="float4([1. , 0.4, 0. , 1. ])",
        second="float4([0.75, 0.35, 0.  , 1.  ])",
    ),
    what="float4, or as float of DEPTH images",
    formats="Of normalised or floating channels.",
    rounding=_ROUNDING.format(unless="``rte``, whatever the region,"),
    result="float4, or float32 of DEPTH images",
    depth=" DEPTH images give scalars.",
    accuracy=_ROUNDED.format(to="\nto float32", unchanged="Halves and floats that are not "
    "filtered come unchanged."),
)  # fmt: skip
for _function, _type, _result in (
    (read_imagei, "SIGNED_INT16", "int4([10, 11,  0,  1])"),
    (read_imageui, "UNSIGNED_INT16", "uint4([10, 11,  0,  1])"),
):
    _signed = _function is read_imagei
    _document(
        _function,
        _EXAMPLE_OF_INTEGERS.format(
            name=_function.__name__, type=_type, dtype="int16" if _signed else "uint16",
            result=_result,
        ),
        what="int4" if _signed else "uint4",
        formats=f"Of {'signed' if _signed else 'unsigned'} integers.",
        result="int4" if _signed else "uint4",
    )  # fmt: skip
