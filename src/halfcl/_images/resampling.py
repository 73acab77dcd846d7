"""Resampling of whole pictures by a size, a matrix or a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._images import constants
from halfcl._images.arguments import as_array, as_picture
from halfcl._images.constants import as_constant
from halfcl._images.image import MOST_TEXELS, Image
from halfcl._images.reading import read_imageh
from halfcl._images.sampler import REPEATING, Sampler
from halfcl._support.arguments.masks import check_unmasked
from halfcl.typing import RoundingMode

if TYPE_CHECKING:
    from halfcl.vectors._vector import Vector

Array = NDArray[Any]


def _size(shape: object, image: Image) -> tuple[int, int]:
    """Return height and width of the result."""
    if shape is None:
        return image.height, image.width
    sizes = tuple(shape) if np.iterable(shape) else ()
    if len(sizes) != 2 or not all(_is_size(n) for n in sizes):
        raise ValueError(f"resample: argument shape: expected (height, width), got {shape!r}")
    return int(sizes[0]), int(sizes[1])


def _is_size(n: object) -> bool:
    return (
        isinstance(n, int | np.integer) and not isinstance(n, bool) and 0 <= int(n) <= MOST_TEXELS
    )


def _matrix(matrix: object, image: Image, height: int, width: int) -> Array:
    """Return two rows of three that map the result's (x, y, 1) to the image's x and y."""
    if matrix is None:
        scale = [image.width / max(width, 1), image.height / max(height, 1)]
        return np.array([[scale[0], 0, 0], [0, scale[1], 0]])
    check_unmasked(matrix, "resample: argument matrix")
    try:
        rows = np.asarray(matrix)
    except ValueError:  # ragged
        rows = np.empty(0)
    if rows.shape != (2, 3) or rows.dtype.kind not in "iuf":
        raise ValueError(
            "resample: argument matrix: expected integers of at most 64 bits or floats, in shape "
            f"(2, 3), got {matrix!r}"
        )
    return rows.astype(np.float64)


def _coordinates_by_matrix(rows: Array, height: int, width: int) -> Array:
    """Return the matrix times (x, y, 1) for all texels of the result, rounded to float32."""
    x, y = np.arange(width) + 0.5, np.arange(height)[:, np.newaxis] + 0.5
    places = np.empty((height, width, 2), np.float32)
    with np.errstate(all="ignore"):  # overflowing coordinates are outside, as infinity is
        for axis, row in enumerate(rows):
            np.add(row[0] * x, row[1] * y + row[2], out=places[..., axis], casting="same_kind")
    return places


def _map(map: object) -> Array:
    """Check the argument map: numbers of any type, of shape (height, width, 2)."""
    places, _ = as_array("resample", "map", map)
    if places.dtype.kind not in "iuf":
        raise TypeError(f"resample: argument map: expected real numbers, got {places.dtype}")
    if places.ndim != 3 or places.shape[2] != 2:
        raise ValueError(
            "resample: argument map: expected places in shape (height, width, 2), "
            f"got shape {places.shape}"
        )
    return places


def _coordinates_by_map(places: Array, texels: Array | None) -> Array:
    """Round coordinates to float32; divide by the numbers of texels first where these are given."""
    with np.errstate(all="ignore"):
        if texels is None:
            return places.astype(np.float32, copy=False)
        parts = np.empty(places.shape, np.float32)
        np.divide(places, texels, out=parts, dtype=np.float64, casting="same_kind")
    return parts


def resample(
    image: Image,
    /,
    shape: tuple[int, int] | None = None,
    matrix: ArrayLike | None = None,
    *,
    map: ArrayLike | None = None,
    filter_mode: constants.filter_mode = constants.filter_mode.LINEAR,
    addressing_mode: constants.addressing_mode = constants.addressing_mode.CLAMP_TO_EDGE,
    rounding: RoundingMode | None = None,
) -> Vector:
    """Scale, rotate, shear or warp a picture.

    Parameters
    ----------
    image : Image
        2D, of normalised or floating channels.
    shape : (int, int), optional
        Height and width of the result; the image's unless given.
    matrix : array_like of numbers, of shape (2, 3), optional
        The map from the result's coordinates (x, y, 1) to the image's (x, y), both in texels,
        whose centres are at halves. By default the image is scaled to the shape.
    map : array_like of numbers, of shape (height, width, 2), optional
        The coordinates themselves, instead of ``shape`` and ``matrix``: x and y in the image,
        in texels, for each texel of the result. The result has the map's height and width.
    filter_mode : halfcl.filter_mode, optional
    addressing_mode : halfcl.addressing_mode, optional
        See `Sampler`.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.

    Returns
    -------
    half4
        The resampled picture.

    Raises
    ------
    TypeError
        If ``image`` is none, not 2D, or of another format, a constant is none, ``matrix`` or
        ``map`` has a mask, or ``map`` holds no real numbers, or is given beside another.
    ValueError
        If ``shape`` is no height and width, ``matrix`` or ``map`` has another shape, or there is
        no such rounding mode.

    See Also
    --------
    read_imageh : at places of any shape, in images of any kind.
    mipmaps : means of many texels. LINEAR reads four, so scaling to less than half the size
        skips texels.

    Notes
    -----
    Accuracy: coordinates are computed in float64 and rounded to float32, normalised where the image
    repeats; all else is exact, and rounded once.

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
    >>> hc.resample(image, map=[[[0.5, 0.5], [0.75, 0.5], [1.5, 0.5]]]).x
    array([[0.  , 0.25, 1.  ]], dtype=half)
    """
    picture = as_picture("resample", image)
    addressing = as_constant(
        "resample", "addressing_mode", constants.addressing_mode, addressing_mode
    )
    filtering = as_constant("resample", "filter_mode", constants.filter_mode, filter_mode)
    repeats = addressing in REPEATING
    sampler = Sampler(repeats, addressing, filtering)
    texels = np.array([picture.width, picture.height], np.float64) if repeats else None
    if map is None:
        height, width = _size(shape, picture)
        rows = _matrix(matrix, picture, height, width)
        if texels is not None:
            rows = rows / texels[:, np.newaxis]
        places = _coordinates_by_matrix(rows, height, width)
    elif shape is None and matrix is None:
        places = _coordinates_by_map(_map(map), texels)
    else:
        other = "shape" if matrix is None else "matrix"
        raise TypeError(f"resample: argument map: expected none beside a {other}, got one")
    return read_imageh(picture, sampler, places, rounding=rounding)
