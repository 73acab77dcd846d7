"""Mipmaps: exact means of boxes.

Colours become integers in a unit of their channel; numbers that differ too much in size become
several, each for some of their bits. These are summed over boxes in int64, and the sums of a box
are divided as one number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl import _core
from halfcl._images.arguments import as_picture
from halfcl._images.constants import channel_type
from halfcl._images.image import Image
from halfcl._images.reading import read_imagef, read_imageh
from halfcl._opencl.conversion import conversion_to
from halfcl.typing import RoundingMode
from halfcl.vectors._registry import as_plain, as_vector

if TYPE_CHECKING:
    from halfcl.vectors._vector import Vector

Array = NDArray[Any]

# ---------------------------------------------------------------- units

#: Means are computed to 2^-35 with a sticky bit. Halves, and midpoints of halves, are multiples of
#: 2^-25, but linear values of sRGB, rounded to odd in float32, are multiples of 2^-35.
_MEAN_BITS = 35


class _Unit(NamedTuple):
    """The number 1 / (divisor * 2^bits)."""

    divisor: int
    bits: int


_T = channel_type
_FLOAT, _HALF, _ALPHA_101010_2 = _Unit(1, _MEAN_BITS), _Unit(1, 24), _Unit(3, 0)
_BYTE, _5_BITS, _6_BITS, _10_BITS = _Unit(255, 0), _Unit(31, 0), _Unit(63, 0), _Unit(1023, 0)
_NO_ALPHA = _Unit(1, 0)

#: The unit that each component of a channel type is a multiple of. Floats have fractions of it.
_UNITS: dict[channel_type, tuple[_Unit, _Unit, _Unit, _Unit]] = {
    _T.UNORM_INT8: (_BYTE,) * 4,
    _T.UNORM_INT16: (_Unit(65535, 0),) * 4,
    _T.SNORM_INT8: (_Unit(127, 0),) * 4,
    _T.SNORM_INT16: (_Unit(32767, 0),) * 4,
    _T.UNORM_SHORT_565: (_5_BITS, _6_BITS, _5_BITS, _NO_ALPHA),
    _T.UNORM_SHORT_555: (_5_BITS, _5_BITS, _5_BITS, _NO_ALPHA),
    _T.UNORM_INT_101010: (_10_BITS, _10_BITS, _10_BITS, _NO_ALPHA),
    _T.UNORM_INT_101010_2: (_10_BITS, _10_BITS, _10_BITS, _ALPHA_101010_2),
    _T.HALF_FLOAT: (_HALF,) * 4,
    _T.FLOAT: (_FLOAT,) * 4,
}
_SRGB_UNITS = (_FLOAT, _FLOAT, _FLOAT, _BYTE)


def _units(image: Image) -> tuple[_Unit, _Unit, _Unit, _Unit]:
    if image.format.channel_order.name.startswith("s"):
        return _SRGB_UNITS
    return _UNITS[image.format.channel_data_type]


def _in_units(colors: Array, units: tuple[_Unit, ...]) -> Array:
    """Scale finite colours to multiples of the units, exactly in float64."""
    scaled = colors * [unit.divisor * 2.0**unit.bits for unit in units]
    for k, unit in enumerate(units):
        if unit.divisor > 1:  # undo the rounding of the quotient to float32
            np.rint(scaled[..., k], out=scaled[..., k])
    return scaled


# ---------------------------------------------------------------- limbs


class _Limbs(NamedTuple):
    """Signed numbers in digits of some bits; the last digits hold fractions of 1."""

    digits: Array  # int64; channels of the first digits, then of the second ones, and so on
    bits: int
    whole: int  # the number of digits that hold integers


def _limbs(values: Array, texels: int) -> _Limbs:
    """Split values in float64 into digits whose sums over all texels are below 2^63."""
    bits = 63 - (texels - 1).bit_length()
    greatest, whole = max(values.max(), -values.min()), 1
    while greatest >= 2.0 ** (whole * bits):
        whole += 1
    digits, rest = [], values * 2.0 ** ((1 - whole) * bits)  # in units of the next digit
    while True:
        digits.append(rest.astype(np.int64))
        rest -= digits[-1]
        if len(digits) >= whole and not rest.any():
            break
        rest *= 2.0**bits
    return _Limbs(np.concatenate(digits, axis=-1) if digits[1:] else digits[0], bits, whole)


def _propagate_carries(sums: list[Array], bits: int) -> list[Array]:
    """Propagate carries in sums of digits: all but the first come to lie from 0 to 2^bits."""
    digits = sums[::-1]
    for k in range(len(sums) - 1):
        digits[k + 1] = digits[k + 1] + (digits[k] >> bits)
        digits[k] = digits[k] & ((1 << bits) - 1)
    return digits[::-1]


def _continue_division(
    quotient: Array, rest: Array, digits: Array | int, bits: int, divisor: int
) -> tuple[Array, Array]:
    """Continue a long division by some bits; the quotient in float64 is exact below 2^53."""
    most = min(52, 63 - (divisor - 1).bit_length())
    while bits > 0:
        step = min(bits, most)
        bits -= step
        more, rest = np.divmod((rest << step) + (digits >> bits & ((1 << step) - 1)), divisor)
        quotient = quotient * 2.0**step + more
    return quotient, rest


def _mean(sums: list[Array], limbs: _Limbs, unit: _Unit, texels: int) -> Array:
    """Return a double that rounds to half as the exact mean (sum divided by texels) does."""
    divisor = unit.divisor * texels
    first, *others = _propagate_carries(sums, limbs.bits)
    quotient, rest = np.divmod(first, divisor)
    quotient = quotient.astype(np.float64)
    for digits in others[: limbs.whole - 1]:
        quotient, rest = _continue_division(quotient, rest, digits, limbs.bits, divisor)
    quotient, rest = _continue_division(quotient, rest, 0, _MEAN_BITS - unit.bits, divisor)
    inexact = rest != 0
    for digits in others[limbs.whole - 1 :]:
        inexact |= digits != 0
    # Means of 2^17 or more overflow in any case; smaller ones have 52 bits, plus the sticky bit.
    mean: Array = (quotient + 0.5 * inexact) * 2.0**-_MEAN_BITS
    return mean


# ---------------------------------------------------------------- boxes


class _Boxes:
    """Sums of an array of integers over equal boxes of its first two axes, level by level."""

    def __init__(self, values: Array) -> None:
        self.values = self.coarse = values
        self.columns: Array | None = None

    def sums(self, height: int, width: int) -> tuple[Array, int]:
        """Return the sums over height x width boxes, and the parts of an element they count."""
        # Reuse the sums of whole boxes for levels that combine them; start anew for the others.
        for source in (self.coarse, self.values):
            if len(source) % height == 0 and source.shape[1] % width == 0:
                rows = _whole_sums(source, height).swapaxes(0, 1)
                self.coarse = _whole_sums(rows, width).swapaxes(0, 1)
                return self.coarse, 1
        if self.columns is None:
            self.columns = _running_sums(self.values)
        rows = _sums(self.columns, height).swapaxes(0, 1)
        return _sums(_running_sums(rows), width).swapaxes(0, 1), height * width


def _whole_sums(values: Array, count: int) -> Array:
    """Sum whole elements over equal boxes along the first axis."""
    n, *others = values.shape
    sums: Array = values.reshape(count, n // count, *others).sum(axis=1)
    return sums


def _running_sums(values: Array) -> Array:
    """Return running sums along the first axis, from 0; they may wrap around (see `_sums`)."""
    running = np.zeros((len(values) + 1, *values.shape[1:]), np.int64)
    np.cumsum(values, axis=0, out=running[1:])
    return running


def _sums(running: Array, count: int) -> Array:
    """Return sums over equal boxes from running sums, in units of 1 / count of an element.

    Running sums may wrap around: their differences are right all the same.
    """
    n = len(running) - 1
    whole, part = np.divmod(np.arange(count + 1) * n, count)
    before = running[whole]
    first_part = running[np.minimum(whole + 1, n)] - before
    return np.diff(before * count + part[:, np.newaxis, np.newaxis] * first_part, axis=0)


# ---------------------------------------------------------------- mipmaps


def _set_specials(means: Array, counts: Array) -> None:
    """Set means of boxes with infinities or NaN, from counts of +inf, of -inf and of NaN."""
    above, below, nan = (count > 0 for count in np.split(counts, 3, axis=-1))
    means[above], means[below] = np.inf, -np.inf
    means[nan | (above & below)] = np.nan


def _read(picture: Image, mode: RoundingMode) -> tuple[Vector, Array]:
    """Return the texels as halves, and as doubles."""
    x, y = np.arange(picture.width, dtype=np.int32), np.arange(picture.height, dtype=np.int32)
    everywhere = np.stack(np.meshgrid(x, y), axis=-1)
    halves = read_imageh(picture, everywhere, rounding=mode)
    with np.errstate(invalid="ignore"):  # signaling NaNs
        floats = as_plain(read_imagef(picture, everywhere))
        return halves, floats.astype(np.float64)


def mipmaps(image: Image, /, *, rounding: RoundingMode | None = None) -> list[Vector]:
    """Return a picture at all sizes: each level halves height and width, down to one texel.

    Parameters
    ----------
    image : Image
        2D, of normalised or floating channels.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.

    Returns
    -------
    list of half4
        The image itself first. Halves of odd sizes are rounded down, as in OpenCL.

    Raises
    ------
    TypeError
        If ``image`` is none, not 2D, or of another format.
    ValueError
        If there is no such rounding mode.

    See Also
    --------
    resample : to any size.

    Notes
    -----
    Accuracy: each texel is the mean of the box of the image that it stands for, with texels at
    the border weighted by their share: the exact mean of the image's own values, not of the
    previous level's, rounded once. sRGB is averaged as linear light.

    Means of infinities and NaN are infinite or NaN.

    Source: none; the sizes are those of cl_khr_mipmap_image.

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
    picture = as_picture("mipmaps", image)
    mode = _core.get_rounding() if rounding is None else rounding
    _core.check_mode(mode)
    height, width = picture.height, picture.width
    texels, units = height * width, _units(picture)
    whole, colors = _read(picture, mode)
    finite = np.isfinite(colors)
    all_finite = bool(finite.all())
    limbs = _limbs(_in_units(colors if all_finite else np.where(finite, colors, 0), units), texels)
    boxes = _Boxes(limbs.digits)
    if not all_finite:
        masks = (colors == np.inf, colors == -np.inf, np.isnan(colors))
        specials = _Boxes(np.concatenate(masks, axis=-1).astype(np.int64))
    levels = [whole]
    while height * width > 1:
        height, width = max(1, height // 2), max(1, width // 2)
        sums, parts = boxes.sums(height, width)
        box_texels = texels * parts // (height * width)
        means = np.empty((height, width, 4))
        for k, unit in enumerate(units):
            digits = [sums[..., i] for i in range(k, sums.shape[2], 4)]
            means[..., k] = _mean(digits, limbs, unit, box_texels)
        if not all_finite:
            _set_specials(means, specials.sums(height, width)[0])
        levels.append(as_vector(np.asarray(conversion_to("half")(means, rounding=mode)), 4))
    return levels
