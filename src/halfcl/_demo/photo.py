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
    """Return a module of the ``demo`` extra.

    Parameters
    ----------
    module : str

    Raises
    ------
    MissingPackageError
        If its package is not installed.

    Examples
    --------
    >>> from halfcl._demo.photo import require
    >>> require("matplotlib.figure").Figure
    <class 'matplotlib.figure.Figure'>
    """
    package = module.partition(".")[0].replace("PIL", "Pillow")
    return require_package(module, package, "demo", "to read and draw pictures")


def load_photo() -> NDArray[np.uint8]:
    """Load the photograph that comes with halfcl: Chelsea the cat, in the public domain.

    Returns
    -------
    uint8 array of shape (3, height, width)
        The red, green and blue planes.

    Raises
    ------
    MissingPackageError
        If Pillow is not installed.

    Examples
    --------
    >>> from halfcl import _demo as demo
    >>> demo.load_photo().shape
    (3, 300, 451)
    """
    image = require("PIL.Image")
    with as_file(files("halfcl._demo") / "chelsea.jpg") as path, image.open(path) as photo:
        pixels = np.asarray(photo.convert("RGB"))
    return np.ascontiguousarray(np.moveaxis(pixels, -1, 0))


def pixels(planes: NDArray[Any]) -> NDArray[Any]:
    """Return planes of red, green and blue as an array of pixels for drawing.

    Parameters
    ----------
    planes : array of shape (3, height, width)

    Returns
    -------
    array of shape (height, width, 3)
        A view.

    Examples
    --------
    >>> from halfcl import _demo as demo
    >>> demo.photo.pixels(demo.load_photo()).shape
    (300, 451, 3)
    """
    return np.moveaxis(planes, 0, -1)


def to_half(photo: NDArray[np.uint8]) -> NDArray[Any]:
    """Convert 8-bit values to halves from 0 to 1, by a division by 255.

    Parameters
    ----------
    photo : uint8 array of any shape

    Returns
    -------
    half array, the shape of ``photo``

    Notes
    -----
    Rounded in the region's mode.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import _demo as demo
    >>> with hc.rounding("rtp"):
    ...     demo.to_half(np.array([0, 127, 255], np.uint8))
    array([0.   , 0.498, 1.   ], dtype=half)
    """
    return hc.convert(photo, hc.half) / hc.half(255)


def luminance(rgb: NDArray[Any]) -> NDArray[Any]:
    """Return the weighted sum of red, green and blue, with two fused multiply-adds.

    Parameters
    ----------
    rgb : half array of shape (3, ...)
        From 0 to 1, as from `to_half`.

    Returns
    -------
    half array of shape (...)

    Notes
    -----
    ``fma(red, w0, fma(green, w1, blue * w2))`` with `WEIGHTS`. Rounded in the
    region's mode; the region needs ``builtins=True`` for it to reach `fma`.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import _demo as demo
    >>> float(demo.luminance(np.array([1, 0.5, 0.25], hc.half)))
    0.587890625
    """
    red, green, blue = rgb
    return hc.fma(red, WEIGHTS[0], hc.fma(green, WEIGHTS[1], blue * WEIGHTS[2]))


def to_8_bit(picture: NDArray[Any]) -> NDArray[np.uint8]:
    """Convert halves from 0 to 1 to 8-bit levels, to nearest.

    Parameters
    ----------
    picture : half array of any shape

    Returns
    -------
    uint8 array of that shape

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl import _demo as demo
    >>> demo.to_8_bit(np.array([0, 0.5, 1], hc.half))
    array([  0, 128, 255], dtype=uint8)
    """
    levels = hc.multiply(picture, hc.half(255), rounding="rte")
    return hc.convert(levels, np.uint8, rounding="rte", saturate=True)


# ---------------------------------------------------------------- NumPy's versions


def numpy_from_8_bit(photo: NDArray[np.uint8], dtype: DTypeLike = np.float16) -> NDArray[Any]:
    """Compute `to_half` with NumPy alone, in float16 or another type of NumPy's.

    Parameters
    ----------
    photo : uint8 array of any shape
    dtype : dtype, optional

    Returns
    -------
    array of that dtype, the shape of ``photo``

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl._demo.photo import numpy_from_8_bit
    >>> numpy_from_8_bit(np.array([0, 127, 255], np.uint8))
    array([0.   , 0.498, 1.   ], dtype=float16)
    """
    return photo.astype(dtype) / 255


def numpy_luminance(rgb: NDArray[Any]) -> NDArray[Any]:
    """Compute `luminance` with NumPy alone, without a fused multiply-add.

    Parameters
    ----------
    rgb : float16, float32 or float64 array of shape (3, ...)

    Returns
    -------
    array of that dtype, of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl._demo.photo import numpy_luminance
    >>> float(numpy_luminance(np.array([1, 0.5, 0.25], np.float16)))
    0.587890625
    """
    red, green, blue = rgb
    weights = [float(weight) for weight in WEIGHTS]
    return red * weights[0] + (green * weights[1] + blue * weights[2])
