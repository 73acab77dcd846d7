"""The photograph enlarged, rotated and mipmapped: in half, and by Pillow in 8 bits.

A photograph's 8 bits are codes of sRGB. Light adds up, codes do not: the mean of a black and a
white texel is half the light, code 188, and not code 128. So the photograph is read as an sRGB
image, as linear light; filtered and kept as that in half; and encoded again to be shown. How far
a picture is off is counted in codes, of which 255 lead from black to white, from the same
formulas in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._demo.photo import pixels, require
from halfcl._demo.shading import error_in_levels

Array = NDArray[Any]

SRGB = hc.ImageFormat(hc.channel_order.sRGB, hc.channel_type.UNORM_INT8)

_COSINE, _SINE = np.cos(np.pi / 12) / 1.4, np.sin(np.pi / 12) / 1.4

#: Matrices that map x, y and 1 in the result to x and y in a photograph of 451 x 300; all lie
#: inside, as Pillow has black outside. The rotation is about the centre, (225.5, 150).
MATRICES: dict[str, Array] = {
    "an eye, enlarged 5 times": np.array([[0.2, 0, 125], [0, 0.2, 87]]),
    "rotated by 15 degrees, enlarged 1.4 times": np.array(
        [
            [_COSINE, _SINE, 225.5 - 225.5 * _COSINE - 150 * _SINE],
            [-_SINE, _COSINE, 150 + 225.5 * _SINE - 150 * _COSINE],
        ]
    ),
}

#: The part whose mipmaps are made: 448 x 288, so that texels of levels 1 to 5 are means of whole
#: texels, as Pillow's are, too.
PART = np.s_[6:294, :448]
LEVELS = range(1, 6)


class Resampled(NamedTuple):
    """A picture for display, and its errors, by program."""

    picture: NDArray[np.uint8]
    errors: dict[str, NDArray[np.float64]]


# ---------------------------------------------------------------- sRGB


def decode(codes: Array) -> NDArray[np.float64]:
    """Decode sRGB's values from 0 to 1 to linear light, in float64.

    Examples
    --------
    >>> from halfcl._demo import resampling
    >>> resampling.decode([0, 0.5, 1])
    array([0.        , 0.21404114, 1.        ])
    """
    codes = np.asarray(codes, np.float64)
    return np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)


def encode(light: Array) -> NDArray[np.float64]:
    """Encode linear light as sRGB's values: the inverse of `decode`.

    Examples
    --------
    >>> from halfcl._demo import resampling
    >>> resampling.encode([0, 0.5, 1])
    array([0.        , 0.73535698, 1.        ])
    """
    light = np.asarray(light, np.float64)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def show(light: Array) -> NDArray[np.uint8]:
    """Convert linear light in half to codes of sRGB, with `write_imageh`.

    Parameters
    ----------
    light : half array of shape (height, width, 4)

    Returns
    -------
    uint8 array of shape (height, width, 3)

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl._demo import resampling
    >>> resampling.show(np.full((1, 1, 4), 0.5, hc.half))
    array([[[188, 188, 188]]], dtype=uint8)
    """
    image = hc.Image.empty(light.shape[:2], SRGB)
    y, x = np.indices(light.shape[:2], np.int32)
    hc.write_imageh(image, np.stack([x, y], axis=-1), light)
    return image.array


# ---------------------------------------------------------------- each operation, three times


def bilinear(light: NDArray[np.float64], matrix: Array) -> NDArray[np.float64]:
    """Compute `resample` with a matrix in float64, by the formulas of OpenCL's LINEAR.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl._demo import resampling
    >>> resampling.bilinear(np.array([[[0.0], [1]]]), [[0.5, 0, 0.5], [0, 1, 0]]).ravel()
    array([0.25, 0.75])
    """
    height, width = light.shape[:2]
    y, x = np.mgrid[:height, :width] + 0.5
    u, v = (row[0] * x + row[1] * y + row[2] - 0.5 for row in matrix)
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    a, b = (u - i)[..., np.newaxis], (v - j)[..., np.newaxis]

    def texel(j: Array, i: Array) -> Array:
        return light[np.clip(j, 0, height - 1), np.clip(i, 0, width - 1)]

    above = (1 - a) * texel(j, i) + a * texel(j, i + 1)
    below = (1 - a) * texel(j + 1, i) + a * texel(j + 1, i + 1)
    return (1 - b) * above + b * below


def means(light: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Return means of squares of texels, in float64: a mipmap's level.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl._demo import resampling
    >>> resampling.means(np.arange(4.0).reshape(2, 2, 1), 2)
    array([[[1.5]]])
    """
    height, width, colours = light.shape
    boxes = light.reshape(height // size, size, width // size, size, colours)
    return boxes.mean(axis=(1, 3))


def pillow_bilinear(codes: NDArray[np.uint8], matrix: Array) -> NDArray[np.uint8]:
    """Compute `resample` with a matrix by Pillow, which drops the sums' fractions.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl._demo import resampling
    >>> codes = np.array([[[0] * 3, [100] * 3]], np.uint8)
    >>> resampling.pillow_bilinear(codes, [[0.5, 0, 0.5], [0, 1, 0]])[0, :, 0]
    array([25, 75], dtype=uint8)
    """
    pillow = require("PIL.Image")
    image = pillow.fromarray(codes)
    numbers = np.ravel(matrix).tolist()
    result = image.transform(
        image.size, pillow.Transform.AFFINE, numbers, pillow.Resampling.BILINEAR
    )
    return np.asarray(result)


def pillow_means(codes: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Compute `means` by Pillow.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl._demo import resampling
    >>> resampling.pillow_means(np.full((2, 2, 3), 7, np.uint8), 2)
    array([[[7, 7, 7]]], dtype=uint8)
    """
    return np.asarray(require("PIL.Image").fromarray(codes).reduce(size))


# ---------------------------------------------------------------- comparison


def _errors(
    codes: NDArray[np.uint8],
    light: Array,
    in_float64: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    by_pillow: Callable[[NDArray[np.uint8]], NDArray[np.uint8]],
) -> dict[str, NDArray[np.float64]]:
    """Return the errors against float64 of light in half, and of Pillow on the same codes."""
    linear = decode(codes / 255)
    in_8_bits = np.rint(255 * linear).astype(np.uint8)
    pictures = {
        "halfcl, light in half": encode(light[..., :3]),
        "Pillow, light in 8 bits": encode(by_pillow(in_8_bits) / 255),
        "Pillow, codes of sRGB in 8 bits": by_pillow(codes) / 255,
    }
    exact = np.moveaxis(encode(in_float64(linear)), -1, 0)
    return {
        who: error_in_levels(np.moveaxis(picture, -1, 0), exact)
        for who, picture in pictures.items()
    }


def warp(codes: NDArray[np.uint8], matrix: Array) -> Resampled:
    """Transform a photograph by a matrix, with `halfcl.resample`.

    Parameters
    ----------
    codes : uint8 array of shape (height, width, 3)
        Codes of sRGB.
    matrix : float64 array of shape (2, 3)

    Returns
    -------
    Resampled

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl._demo import resampling
    >>> codes = np.array([[[0] * 3, [255] * 3]], np.uint8)
    >>> resampling.warp(codes, np.array([[0, 0, 1], [0, 1, 0]])).picture[0, 0]
    array([188, 188, 188], dtype=uint8)
    """
    light = hc.resample(hc.Image(codes, SRGB), matrix=matrix)
    errors = _errors(
        codes, light, partial(bilinear, matrix=matrix), partial(pillow_bilinear, matrix=matrix)
    )
    return Resampled(show(light), errors)


def _lay_out(levels: Sequence[Array], background: float) -> Array:
    """Arrange mipmaps in one picture: the largest to the left, the others below each other."""
    first, *others = levels
    height, width = first.shape[:2]
    shape = (height, width + others[0].shape[1], *first.shape[2:])
    picture = np.full(shape, background, first.dtype)
    picture[:, :width] = first
    y = 0
    for level in others:
        picture[y : y + level.shape[0], width : width + level.shape[1]] = level
        y += level.shape[0]
    return picture


def shrink(codes: NDArray[np.uint8]) -> Resampled:
    """Return a photograph's mipmaps, by `halfcl.mipmaps`.

    Parameters
    ----------
    codes : uint8 array of shape (height, width, 3)
        Codes of sRGB; height and width are multiples of 32.

    Returns
    -------
    Resampled
        Five levels in one picture. Beside them it is white, and the errors are NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl._demo import resampling
    >>> codes = np.zeros((32, 32, 3), np.uint8)
    >>> codes[::2] = 255
    >>> resampling.shrink(codes).picture[0, 0]
    array([188, 188, 188], dtype=uint8)
    """
    lights = hc.mipmaps(hc.Image(codes, SRGB))
    errors = [
        _errors(codes, lights[k], partial(means, size=2**k), partial(pillow_means, size=2**k))
        for k in LEVELS
    ]
    return Resampled(
        _lay_out([show(lights[k]) for k in LEVELS], 255),
        {who: _lay_out([error[who] for error in errors], np.nan) for who in errors[0]},
    )


def resample_photo(photo: NDArray[np.uint8]) -> dict[str, Resampled]:
    """Enlarge, rotate and mipmap the photograph.

    Parameters
    ----------
    photo : uint8 array of shape (3, 300, 451)

    Returns
    -------
    dict of Resampled
        By what was done.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import _demo as demo
    >>> for name, (_, errors) in demo.resample_photo(demo.load_photo()).items():
    ...     print(f"{name}: {np.nanmax(errors['halfcl, light in half']):.2f} levels at most")
    an eye, enlarged 5 times: 0.04 levels at most
    rotated by 15 degrees, enlarged 1.4 times: 0.04 levels at most
    mipmaps: 0.04 levels at most
    """
    codes = np.ascontiguousarray(pixels(photo))
    warped = {name: warp(codes, matrix) for name, matrix in MATRICES.items()}
    return {**warped, "mipmaps": shrink(codes[PART])}
