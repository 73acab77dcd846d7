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
    """Decode sRGB's values from 0 to 1 to linear light, in float64."""
    codes = np.asarray(codes, np.float64)
    return np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)


def encode(light: Array) -> NDArray[np.float64]:
    """Encode linear light as sRGB's values: the inverse of `decode`."""
    light = np.asarray(light, np.float64)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def show(light: Array) -> NDArray[np.uint8]:
    """Convert linear light in half to codes of sRGB, (height, width, 3), with `write_imageh`."""
    image = hc.Image.empty(light.shape[:2], SRGB)
    y, x = np.indices(light.shape[:2], np.int32)
    hc.write_imageh(image, np.stack([x, y], axis=-1), light)
    return image.array


# ---------------------------------------------------------------- each operation, three times


def bilinear(light: NDArray[np.float64], matrix: Array) -> NDArray[np.float64]:
    """Compute `resample` with a matrix in float64, by the formulas of OpenCL's LINEAR."""
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
    """Return means of squares of texels, in float64: a mipmap's level."""
    height, width, colours = light.shape
    boxes = light.reshape(height // size, size, width // size, size, colours)
    return boxes.mean(axis=(1, 3))


def pillow_bilinear(codes: NDArray[np.uint8], matrix: Array) -> NDArray[np.uint8]:
    """Compute `resample` with a matrix by Pillow, which drops the sums' fractions."""
    pillow = require("PIL.Image")
    image = pillow.fromarray(codes)
    numbers = np.ravel(matrix).tolist()
    result = image.transform(
        image.size, pillow.Transform.AFFINE, numbers, pillow.Resampling.BILINEAR
    )
    return np.asarray(result)


def pillow_means(codes: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Compute `means` by Pillow."""
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
    """Transform codes of sRGB, (height, width, 3), by a matrix, with `halfcl.resample`."""
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
    """Return the mipmaps of codes of sRGB, by `halfcl.mipmaps`: five levels in one picture.

    Height and width are multiples of 32. Beside the levels the picture is white, and the errors
    are NaN.
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
    """Enlarge, rotate and mipmap the photograph of 451 x 300; return by what was done."""
    codes = np.ascontiguousarray(pixels(photo))
    warped = {name: warp(codes, matrix) for name, matrix in MATRICES.items()}
    return {**warped, "mipmaps": shrink(codes[PART])}
