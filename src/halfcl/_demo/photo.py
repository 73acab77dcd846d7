"""The photograph, and the first and last steps of all pictures: halves, grey, 8 bits."""

from __future__ import annotations

from importlib.resources import as_file, files
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import halfcl as hc
from halfcl._support.extras import (
    MissingPackageError as MissingPackageError,
    require as require_package,
)

#: Rec. 709's weights of red, green and blue (0.2126, 0.7152, 0.0722) in 2048ths:
#: halves, whose sum is exactly 1, so that white stays white.
WEIGHTS = tuple(hc.half(count / 2048) for count in (435, 1465, 148))


def require(module: str) -> ModuleType:
    """Return a module of the ``demo`` extra; MissingPackageError if it is not installed."""
    package = module.partition(".")[0].replace("PIL", "Pillow")
    return require_package(module, package, "demo", "to read and draw pictures")


def load_photo() -> NDArray[np.uint8]:
    """Load the photograph that comes with halfcl: Chelsea the cat, in the public domain.

    The result is uint8: the planes of red, green and blue, (3, height, width).
    """
    image = require("PIL.Image")
    with as_file(files("halfcl._demo") / "chelsea.jpg") as path, image.open(path) as photo:
        pixels = np.asarray(photo.convert("RGB"))
    return np.ascontiguousarray(np.moveaxis(pixels, -1, 0))


def pixels(planes: NDArray[Any]) -> NDArray[Any]:
    """Return planes of red, green and blue as pixels for drawing: a view, (height, width, 3)."""
    return np.moveaxis(planes, 0, -1)


def to_half(photo: NDArray[np.uint8]) -> NDArray[Any]:
    """Convert 8-bit values to halves from 0 to 1, by a division by 255.

    Rounded in the region's mode.
    """
    return hc.convert(photo, hc.half) / hc.half(255)


def luminance(rgb: NDArray[Any]) -> NDArray[Any]:
    """Return the weighted sum of red, green and blue, with two fused multiply-adds.

    ``fma(red, w0, fma(green, w1, blue * w2))`` with `WEIGHTS`. Rounded in the
    region's mode; the region needs ``builtins=True`` for it to reach `fma`.
    """
    red, green, blue = rgb
    return hc.fma(red, WEIGHTS[0], hc.fma(green, WEIGHTS[1], blue * WEIGHTS[2]))


def to_8_bit(picture: NDArray[Any]) -> NDArray[np.uint8]:
    """Convert halves from 0 to 1 to 8-bit levels, to nearest."""
    levels = hc.multiply(picture, hc.half(255), rounding="rte")
    return hc.convert(levels, np.uint8, rounding="rte", saturate=True)


# ---------------------------------------------------------------- NumPy's versions


def numpy_from_8_bit(photo: NDArray[np.uint8], dtype: DTypeLike = np.float16) -> NDArray[Any]:
    """Compute `to_half` with NumPy alone, in float16 or another type of NumPy's."""
    return photo.astype(dtype) / 255


def numpy_luminance(rgb: NDArray[Any]) -> NDArray[Any]:
    """Compute `luminance` with NumPy alone, without a fused multiply-add."""
    red, green, blue = rgb
    weights = [float(weight) for weight in WEIGHTS]
    return red * weights[0] + (green * weights[1] + blue * weights[2])
