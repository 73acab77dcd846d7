"""Whole pictures: resampled by a size or a matrix, and mipmaps by exact box filtering."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import _core
from halfcl.conversion import conversion_to
from halfcl.images.constants import addressing_mode, channel_type, filter_mode, mem_object_type
from halfcl.images.image import Image, as_image
from halfcl.images.reading import read_imagef, read_imageh
from halfcl.images.sampler import REPEATING, Sampler
from halfcl.typing import RoundingMode
from halfcl.vectors.registry import as_plain, as_vector

Array = NDArray[Any]


def _picture(function: str, image: Any) -> Image:
    """The argument image: 2D, of colours."""
    found = as_image(function, image)
    if found.image_type is not mem_object_type.IMAGE2D:
        raise TypeError(
            f"{function}: argument image: expected a 2D image, got an {found.image_type.name}"
        )
    if found.format.is_depth or found.format.numbers != "f":
        raise TypeError(
            f"{function}: argument image: expected a format of normalised or floating channels, "
            f"and not DEPTH, got {found.format}"
        )
    return found


# ---------------------------------------------------------------- resample


def _size(shape: Any, image: Image) -> tuple[int, int]:
    """Height and width of the result."""
    if shape is None:
        return image.height, image.width
    sizes = tuple(shape) if np.iterable(shape) else ()
    if len(sizes) != 2 or not all(isinstance(n, int | np.integer) and n >= 0 for n in sizes):
        raise ValueError(f"resample: argument shape: expected (height, width), got {shape!r}")
    return int(sizes[0]), int(sizes[1])


def _matrix(matrix: Any, image: Image, height: int, width: int) -> Array:
    """Two rows of three: from the result's x, y and 1 to the image's x and y."""
    if matrix is None:
        scale = [image.width / max(width, 1), image.height / max(height, 1)]
        return np.array([[scale[0], 0, 0], [0, scale[1], 0]])
    try:
        found = np.asarray(matrix, np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (2, 3):
        raise ValueError(
            f"resample: argument matrix: expected numbers in shape (2, 3), got {matrix!r}"
        )
    return found


def resample(
    image: Image,
    /,
    shape: tuple[int, int] | None = None,
    matrix: ArrayLike | None = None,
    *,
    filter: filter_mode = filter_mode.LINEAR,
    addressing: addressing_mode = addressing_mode.CLAMP_TO_EDGE,
    rounding: RoundingMode | None = None,
) -> Any:
    """Scale, rotate or shear a picture.

    Parameters
    ----------
    image : Image
        2D, of normalised or floating channels.
    shape : (int, int), optional
        Height and width of the result; the image's unless given.
    matrix : array_like of numbers, of shape (2, 3), optional
        Where the result's colours are taken from: its places (x, y, 1) times the matrix are
        places in the image, both in texels, whose centres are at halves. Unless given, the
        image is scaled to the shape.
    filter : halfcl.filter_mode, optional
    addressing : halfcl.addressing_mode, optional
        As of `Sampler`.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.

    Returns
    -------
    half4
        Of the shape.

    Raises
    ------
    TypeError
        If ``image`` is none, not 2D, or of another format, or a constant is none.
    ValueError
        If ``shape`` is no height and width, ``matrix`` has another shape, or there is no such
        rounding mode.

    See Also
    --------
    read_imageh : at any places: a warp by a map.
    mipmaps : means of many texels. LINEAR takes four, so what is made less than half as large
        leaves texels out.

    Notes
    -----
    Accuracy: places are rounded to float32, and normalised where the image repeats; all else is
    exact, and rounded once.

    Source: none; `read_imageh` is OpenCL's.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> red = hc.ImageFormat(hc.channel_order.R, hc.channel_type.UNORM_INT8)
    >>> image = hc.Image(np.array([[0, 255]], np.uint8), red)
    >>> hc.resample(image, (1, 4)).x
    array([[0.  , 0.25, 0.75, 1.  ]], dtype=half)
    >>> hc.resample(image, matrix=[[-1, 0, 2], [0, 1, 0]]).x    # mirrored
    array([[1., 0.]], dtype=half)
    """
    picture = _picture("resample", image)
    repeats = addressing in REPEATING
    sampler = Sampler(repeats, addressing, filter)
    height, width = _size(shape, picture)
    rows = _matrix(matrix, picture, height, width)
    y, x = np.mgrid[:height, :width] + 0.5
    places = np.stack([row[0] * x + row[1] * y + row[2] for row in rows], axis=-1)
    if repeats:
        places /= (picture.width, picture.height)
    return read_imageh(picture, sampler, places.astype(np.float32), rounding=rounding)


# ---------------------------------------------------------------- mipmaps

_T = channel_type

#: What codes, and halves, are multiples of: 1 / unit, by component.
_UNITS: dict[channel_type, tuple[int, int, int, int]] = {
    _T.UNORM_INT8: (255,) * 4,
    _T.UNORM_INT16: (65535,) * 4,
    _T.SNORM_INT8: (127,) * 4,
    _T.SNORM_INT16: (32767,) * 4,
    _T.UNORM_SHORT_565: (31, 63, 31, 1),
    _T.UNORM_SHORT_555: (31, 31, 31, 1),
    _T.UNORM_INT_101010: (1023, 1023, 1023, 1),
    _T.UNORM_INT_101010_2: (1023, 1023, 1023, 3),
    _T.HALF_FLOAT: (1 << 24,) * 4,
}

#: Linear values of sRGB, rounded to odd in float32, are at least 2^-12: multiples of 2^-35.
_SRGB_UNITS = (1 << 35, 1 << 35, 1 << 35, 255)

#: Sums of so many halves, in their units, are below 2^63.
_MOST_TEXELS = 1 << 23


def _units(image: Image) -> Array:
    if image.format.channel_order.name.startswith("s"):
        return np.array(_SRGB_UNITS)
    return np.array(_UNITS[image.format.channel_data_type])


def _sums(values: Array, count: int) -> Array:
    """Over so many equal boxes along the first axis, of sums in units of 1 / count of an element.

    Sums from the start may wrap around: their differences are right all the same.
    """
    n, others = len(values), values.shape[1:]
    if n % count == 0:  # whole elements: the same, and faster
        whole_sums: Array = values.reshape(count, n // count, *others).sum(axis=1) * count
        return whole_sums
    whole, part = np.divmod(np.arange(count + 1) * n, count)
    before = np.zeros((n + 1, *others), np.int64)
    np.cumsum(values, axis=0, out=before[1:])
    begun = values[np.minimum(whole, n - 1)]
    return np.diff(before[whole] * count + part[:, np.newaxis, np.newaxis] * begun, axis=0)


def _boxes(values: Array, height: int, width: int) -> Array:
    rows = _sums(values, height)
    return _sums(rows.swapaxes(0, 1), width).swapaxes(0, 1)


def _quotient(numerators: Array, divisor: int) -> Array:
    """In units of 2^-26, rounded to odd: two bits more than a half has."""
    quotient, rest = np.divmod(numerators, divisor)
    step = 62 - divisor.bit_length()
    for bits in [step] * (26 // step) + [26 % step]:
        more, rest = np.divmod(rest << bits, divisor)
        quotient = (quotient << bits) + more
    odd: Array = quotient | (rest != 0)
    return odd


def _means(sums: Array, units: Array, texels: int) -> Array:
    """Doubles that round to half as the exact means do; sums of boxes, as _boxes gives them."""
    odd = [_quotient(sums[..., k], int(unit) * texels) for k, unit in enumerate(units)]
    means: Array = np.ldexp(np.stack(odd, axis=-1).astype(np.float64), -26)
    return means


def _set_specials(means: Array, colors: Array) -> None:
    """Infinities and NaN where a box has any."""
    size = means.shape[:2]
    some = [
        _boxes(found.astype(np.int64), *size) > 0
        for found in (colors == np.inf, colors == -np.inf, np.isnan(colors))
    ]
    means[some[0]], means[some[1]] = np.inf, -np.inf
    means[some[2] | (some[0] & some[1])] = np.nan


def _divides(height: int, width: int, values: Array) -> bool:
    return len(values) % height == 0 and values.shape[1] % width == 0


def mipmaps(image: Image, /, *, rounding: RoundingMode | None = None) -> list[Any]:
    """A picture at all sizes: each half as high and wide as the one before, down to one texel.

    Parameters
    ----------
    image : Image
        2D, of normalised channels or halves, and at most 2^23 texels.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.

    Returns
    -------
    list of half4
        First the image itself. Of odd sizes half is rounded down, as OpenCL has it.

    Raises
    ------
    TypeError
        If ``image`` is none, not 2D, or of another format.
    ValueError
        If it has more texels, or there is no such rounding mode.

    See Also
    --------
    resample : to any size.

    Notes
    -----
    Accuracy: each texel is the mean of the part of the image that it stands for, texels at its
    border by how much of them is in it: the exact mean of the image's own values, not of the
    level's before, rounded once. sRGB is averaged as linear light.

    Infinities and NaN make those of means. Source: none; the sizes are cl_khr_mipmap_image's.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> red = hc.ImageFormat(hc.channel_order.R, hc.channel_type.HALF_FLOAT)
    >>> image = hc.Image(np.array([[1, 2, 3], [4, 5, 6]], hc.half), red)
    >>> for level in hc.mipmaps(image):
    ...     print(level.x.tolist())
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    [[3.5]]
    """
    picture = _picture("mipmaps", image)
    if picture.format.channel_data_type is channel_type.FLOAT:
        raise TypeError(
            "mipmaps: argument image: expected normalised channels or halves, got "
            f"{picture.format}; convert_half makes halves"
        )
    height, width = picture.height, picture.width
    if height * width > _MOST_TEXELS:
        raise ValueError(
            f"mipmaps: argument image: expected at most {_MOST_TEXELS} texels, "
            f"got {width} x {height}"
        )
    mode = _core.get_rounding() if rounding is None else rounding
    _core.check_mode(mode)
    x, y = np.meshgrid(np.arange(width, dtype=np.int32), np.arange(height, dtype=np.int32))
    everywhere = np.stack([x, y], axis=-1)
    levels = [read_imageh(picture, everywhere, rounding=mode)]
    with np.errstate(invalid="ignore"):  # of signaling NaNs
        colors = as_plain(read_imagef(picture, everywhere)).astype(np.float64)
    finite = np.isfinite(colors)
    units = _units(picture)
    values = np.rint(np.where(finite, colors, 0) * units).astype(np.int64)
    texels, coarse = height * width, values
    while height * width > 1:
        height, width = max(1, height // 2), max(1, width // 2)
        # Sums of whole boxes serve for the levels that are made of these; others start anew.
        source = coarse if _divides(height, width, coarse) else values
        sums = _boxes(source, height, width)
        if _divides(height, width, source):
            coarse = sums // (height * width)
        means = _means(sums, units, texels)
        if not finite.all():
            _set_specials(means, colors)
        levels.append(as_vector(np.asarray(conversion_to("half")(means, rounding=mode)), 4))
    return levels
