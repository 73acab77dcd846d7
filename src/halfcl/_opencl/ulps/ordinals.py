"""Ordinals of halves: the number of halves from zero to a value."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_LEAST_EXPONENT = -14  # of normal halves
_STEPS = 1 << 10  # halves from a power of two to the next
_BEYOND = 1 << 12  # binades, more than doubles have


def ordinals(values: ArrayLike) -> NDArray[np.float64]:
    """Return the number of halves from zero to each value; NaN and infinities stay as they are.

    values: between two halves the ordinal is interpolated linearly.

    >>> import numpy as np
    >>> from halfcl import half
    >>> from halfcl._opencl.ulps.ordinals import ordinals
    >>> ordinals(np.array([0, 1, 1.001, -2], half))
    array([     0.,  15360.,  15361., -16384.])
    """
    wide = np.asarray(values).astype(np.float64)
    size = np.where(np.isfinite(wide), np.abs(wide), 0)
    exponent = np.where(size > 0, np.frexp(size)[1] - 1, _LEAST_EXPONENT)
    exponent = np.maximum(exponent, _LEAST_EXPONENT)
    above = np.ldexp(size, -exponent) - 1  # relative to the power of two; negative for subnormals
    finite = np.copysign((exponent - _LEAST_EXPONENT + 1 + above) * _STEPS, wide)
    return np.where(np.isfinite(wide), finite, wide)


def from_ordinals(places: ArrayLike) -> NDArray[np.float64]:
    """Return the values of ordinals, as doubles: the inverse of `ordinals`.

    >>> from halfcl._opencl.ulps.ordinals import from_ordinals
    >>> from_ordinals([0, 15360, 15361, -16384])
    array([ 0.        ,  1.        ,  1.00097656, -2.        ])
    """
    wide = np.asarray(places, np.float64)
    size = np.where(np.isfinite(wide), np.abs(wide), 0)
    binade = np.maximum(np.floor(size / _STEPS), 1)
    significand = size / _STEPS - binade + 1  # less than 1 for subnormals
    exponent = np.minimum(binade, _BEYOND).astype(np.int64) - 1 + _LEAST_EXPONENT
    with np.errstate(over="ignore"):
        finite = np.copysign(np.ldexp(significand, exponent), wide)
    return np.where(np.isfinite(wide), finite, wide)
