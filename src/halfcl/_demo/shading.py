"""The photograph as a relief in bronze: its normal map, shaded.

The brighter a pixel, the higher it lies: `height`, `downhill`, `normals`. A lamp
far away lights what faces it, and shines where the metal would mirror it into the
eye: `facing`, `shine`, `colour` (the model of Blinn and Phong). Directions are
`half3`, with x to the right, y down, and z toward the eye.

The same in NumPy alone runs in float16, for its time, and in float64, which is
exact as far as 8 bits can tell, for the error of both.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import halfcl as hc
from halfcl._demo.photo import luminance, numpy_from_8_bit, numpy_luminance, to_half
from halfcl._demo.timing import Steps

Direction = tuple[float, float, float]

#: The direction of the lamp, as a vector of any length.
UPPER_LEFT: Direction = (-1, -1, 1)
RIGHT: Direction = (3, 0, 2)

#: The flatness of the relief: z of a normal whose x and y are differences in luminance.
FLATNESS = 0.125

#: The exponent of highlights: larger ones make them smaller.
SHININESS = 24.0

#: Bronze in the shadow, in the light, and where it shines: planes of red, green and blue.
SHADOW, LIT, HIGHLIGHT = (
    np.array(rgb, hc.half).reshape(3, 1, 1)
    for rgb in ((0.05, 0.03, 0.06), (0.85, 0.55, 0.3), (1, 0.95, 0.8))
)


def height(photo: NDArray[np.uint8]) -> NDArray[Any]:
    """Return the luminance of each pixel, from 0 to 1."""
    return luminance(to_half(photo))


def _neighbours(plane: NDArray[Any], axis: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return each element's neighbours before and after it along an axis; edges repeat."""
    widths = [(1, 1) if i == axis else (0, 0) for i in range(plane.ndim)]
    padded = np.pad(plane, widths, mode="edge")
    inner = (slice(None),) * axis
    return padded[(*inner, slice(None, -2))], padded[(*inner, slice(2, None))]


def _smooth(plane: NDArray[Any]) -> NDArray[Any]:
    """Average each element with its neighbours, weighted 1/4, 1/2, 1/4, twice along both axes."""
    for axis in (0, 1, 0, 1):
        before, after = _neighbours(plane, axis)
        plane = hc.fma(plane, hc.half(0.5), (before + after) * hc.half(0.25))
    return plane


def downhill(height: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the relief's fall to the right, and down: smoothed differences of neighbours.

    Smoothed after the subtraction, not before: rounding errors are relative, so
    that they are small beside a small difference, and were not beside the heights.
    """
    across, down = (before - after for before, after in (_neighbours(height, i) for i in (1, 0)))
    return _smooth(across), _smooth(down)


def normals(slopes: tuple[NDArray[Any], NDArray[Any]]) -> NDArray[Any]:
    """Return the unit normals of the surface, from the two slopes of `downhill`."""
    across, down = slopes
    return hc.normalize(hc.half3(across, down, FLATNESS))


def facing(normals: NDArray[Any], light: Direction) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return cosines, at least 0, of the angles to the lamp, and to the best normal for highlights.

    The best normal for a highlight lies halfway between the lamp and the eye.
    """
    towards = hc.normalize(hc.half3(*light))
    halfway = hc.normalize(towards + hc.half3(0, 0, 1))
    return hc.clamp(hc.dot(normals, towards), 0, 1), hc.clamp(hc.dot(normals, halfway), 0, 1)


def shine(cosines: tuple[NDArray[Any], NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the amounts of light and of highlight, from the two cosines of `facing`.

    The first is unchanged; the second is raised to the power `SHININESS`.
    """
    lit, halfway = cosines
    return lit, hc.pow(halfway, hc.half(SHININESS))


def colour(amounts: tuple[NDArray[Any], NDArray[Any]]) -> NDArray[Any]:
    """Return bronze, mixed by the amounts of light and of highlight from `shine`.

    The result has shape (3, height, width).
    """
    lit, shines = amounts
    return hc.mix(hc.mix(SHADOW, LIT, lit), HIGHLIGHT, shines)


# ---------------------------------------------------------------- NumPy's versions

# Vectors are three planes here, since that is fastest with NumPy.
_Plane = NDArray[Any] | np.floating[Any]
_Planes = tuple[_Plane, _Plane, _Plane]


def _numpy_height(photo: NDArray[np.uint8], dtype: DTypeLike = np.float16) -> NDArray[Any]:
    return numpy_luminance(numpy_from_8_bit(photo, dtype))


def _numpy_smooth(plane: NDArray[Any]) -> NDArray[Any]:
    for axis in (0, 1, 0, 1):
        before, after = _neighbours(plane, axis)
        plane = plane * 0.5 + (before + after) * 0.25
    return plane


def _numpy_downhill(height: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    across, down = (before - after for before, after in (_neighbours(height, i) for i in (1, 0)))
    return _numpy_smooth(across), _numpy_smooth(down)


def _numpy_dot(a: _Planes, b: _Planes) -> _Plane:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _numpy_normalize(v: _Planes) -> _Planes:
    length = np.sqrt(_numpy_dot(v, v))
    return v[0] / length, v[1] / length, v[2] / length


def _numpy_normals(slopes: tuple[NDArray[Any], NDArray[Any]]) -> _Planes:
    return _numpy_normalize((*slopes, slopes[0].dtype.type(FLATNESS)))


def _numpy_facing(normals: _Planes, light: Direction) -> tuple[NDArray[Any], NDArray[Any]]:
    x, y, z = _numpy_normalize(tuple(np.array(light, normals[0].dtype)))
    halfway = _numpy_normalize((x, y, z + 1))
    lit, shines = _numpy_dot(normals, (x, y, z)), _numpy_dot(normals, halfway)
    return np.clip(lit, 0, 1), np.clip(shines, 0, 1)


def _numpy_shine(cosines: tuple[NDArray[Any], NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    lit, halfway = cosines
    return lit, np.power(halfway, halfway.dtype.type(SHININESS))


def _numpy_mix(x: NDArray[Any], y: NDArray[Any], a: NDArray[Any]) -> NDArray[Any]:
    return x + (y - x) * a


def _numpy_colour(amounts: tuple[NDArray[Any], NDArray[Any]]) -> NDArray[Any]:
    lit, shines = amounts
    shadow, full, highlight = (rgb.astype(lit.dtype) for rgb in (SHADOW, LIT, HIGHLIGHT))
    return _numpy_mix(_numpy_mix(shadow, full, lit), highlight, shines)


# ---------------------------------------------------------------- all steps


def steps(light: Direction = UPPER_LEFT, dtype: DTypeLike = np.float16) -> Steps:
    """Return the steps from the photograph to its relief, with halfcl and with NumPy alone.

    dtype: that of NumPy's calculations.
    """
    return {
        "height: fma": (height, partial(_numpy_height, dtype=dtype)),
        "slopes: -, fma": (downhill, _numpy_downhill),
        "normals: normalize": (normals, _numpy_normals),
        "cosines: dot, clamp": (partial(facing, light=light), partial(_numpy_facing, light=light)),
        "highlights: pow": (shine, _numpy_shine),
        "colours: mix": (colour, _numpy_colour),
    }


def shade(photo: NDArray[np.uint8], light: Direction = UPPER_LEFT) -> NDArray[Any]:
    """Return the photograph's relief in bronze, in half: planes of red, green and blue."""
    return reduce(lambda x, step: step[0](x), steps(light).values(), photo)


def shade_in_numpy(
    photo: NDArray[np.uint8], light: Direction = UPPER_LEFT, dtype: DTypeLike = np.float16
) -> NDArray[Any]:
    """Compute `shade` with NumPy alone, in float16 or another type of NumPy's."""
    return reduce(lambda x, step: step[1](x), steps(light, dtype).values(), photo)


def error_in_levels(picture: NDArray[Any], exact: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest error among a pixel's colours, in levels of which 255 make 1.

    picture: planes of half, float16 or wider; exact: planes of float64.
    """
    own, right = np.asarray(picture), np.asarray(exact)
    for argument, array in (("picture", own), ("exact", right)):
        if array.dtype.kind != "f":
            raise TypeError(f"{argument}: expected an array of floats, got {array.dtype}")
    return np.max(abs(own.astype(np.float64) - right), axis=0) * 255
