"""A photograph developed in half precision, with a proven bound on the rounding error.

Three steps take 8-bit colours to a contrasty black-and-white picture: `to_half`,
`luminance`, `contrast`. Run once rounding down (``rtn``) and once up (``rtp``),
they enclose the exact result. Why: each operation in them is a non-decreasing
function of every operand that carries rounding error (a division by 255, products
of non-negative numbers, sums, square roots, minimum and maximum), so feeding it
lower bounds and rounding down gives a lower bound, and likewise up; and the
constants are halves exactly, so that nothing else is rounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._demo.photo import luminance, numpy_from_8_bit, numpy_luminance, to_half
from halfcl._demo.timing import Steps
from halfcl.typing import RoundingMode


def contrast(x: NDArray[Any]) -> NDArray[Any]:
    """Apply an S-shaped contrast curve through 0, 1/2 and 1 to halves from 0 to 1.

    ``x sqrt(2x)`` darkens below 1/2, ``sqrt(1.5x - 0.5)`` brightens above; at 1/2
    both are 1/2 with slope 3/2. Both come from one product without a choice: with
    d = min(x, 1/2) and b = max(x, 1/2), of the factors ``2d sqrt(2d)`` and
    ``sqrt(1.5b - 0.5)`` the first is 1 above, the second 1/2 below.

    Rounded in the region's mode; the region needs ``builtins=True`` for it to
    reach `sqrt` and `fma`.
    """
    dark = np.minimum(x, hc.half(0.5))
    bright = np.maximum(x, hc.half(0.5))
    twice = dark + dark
    return twice * hc.sqrt(twice) * hc.sqrt(hc.fma(bright, hc.half(1.5), hc.half(-0.5)))


def develop(photo: NDArray[np.uint8], mode: RoundingMode = "rte") -> NDArray[Any]:
    """Apply all three steps to planes of 8 bits, with every operation rounded in one mode.

    The result has shape (height, width), and goes from 0 (black) to 1 (white).
    """
    with hc.rounding(mode, builtins=True):
        return contrast(luminance(to_half(photo)))


def gap_in_ulps(low: NDArray[Any], high: NDArray[Any]) -> NDArray[np.int32]:
    """Return the number of steps between halves that lead from one array up to the other.

    Both are arrays of half or float16 without NaN. Equal elements give 0, neighbours 1.
    """

    def order(argument: str, x: NDArray[Any]) -> NDArray[np.int32]:
        # Without the sign bit, patterns are in the order of the numbers, from zero.
        array = np.asarray(x)
        if array.dtype not in (hc.half, np.float16):
            raise TypeError(f"{argument}: expected half or float16, got {array.dtype}")
        bits = array.view(np.int16).astype(np.int32)
        return np.where(bits < 0, -(bits & 0x7FFF), bits)

    return order("high", high) - order("low", low)


# ---------------------------------------------------------------- NumPy's versions


def _numpy_contrast(x: NDArray[Any]) -> NDArray[Any]:
    dark = np.minimum(x, 0.5)
    bright = np.maximum(x, 0.5)
    twice = dark + dark
    return twice * np.sqrt(twice) * np.sqrt(bright * 1.5 - 0.5)


#: float16 has no fused multiply-add: it multiplies and adds. All else is the same.
STEPS: Steps = {
    "8 bits to half, / 255": (to_half, numpy_from_8_bit),
    "luminance": (luminance, numpy_luminance),
    "contrast curve": (contrast, _numpy_contrast),
}
