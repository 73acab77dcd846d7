"""sRGB's transfer function between codes and halves: exact, rounded once.

Both directions are decided by integers alone. A code c of M (255 or 65535) decodes to
((200 c + 11 M) / (211 M)) ** (12 / 5), and twelfth and fifth powers of fractions compare
exactly; so does (x ** (5 / 12) * 211 - 11) / 200 with a code. Results are kept in tables;
tools/make_srgb.py makes the engine's, csrc/format/srgb.h, from `decode_to_odd`, too.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl import _core, convert, get_rounding, half
from halfcl._support.arguments.byte_order import as_native
from halfcl._support.arguments.masks import check_unmasked
from halfcl.typing import RoundingMode

_UNIT = 1 << 24  # all halves are multiples of 1 / _UNIT
DECODED_BITS = 41  # of decoded fractions; halves and midpoints of halves need 25
_ONE = 0x3C00  # the bits of 1


def _root(power: int, degree: int, guess: float) -> tuple[int, bool]:
    """Return the integer part of a root, and whether it is exact, from a guess close to it."""
    root = max(int(guess), 0)
    while root**degree > power:
        root -= 1
    while (root + 1) ** degree <= power:
        root += 1
    return root, root**degree == power


def decode_to_odd(code: int, greatest: int) -> int:
    """Return the value of a code, in units of 2 ** -DECODED_BITS, rounded to odd."""
    bits = DECODED_BITS - 1
    if 100_000 * code <= 4045 * greatest:  # c <= 0.04045: c / 12.92
        below, rest = divmod(25 * code << bits, 323 * greatest)
        return 2 * below + (rest > 0)
    numerator, denominator = 200 * code + 11 * greatest, 211 * greatest
    guess = (numerator / denominator) ** 2.4 * 2.0**bits
    # The fifth root of a fraction has the same integer part as that of the integer part.
    power, rest = divmod(numerator**12 << 5 * bits, denominator**12)
    below, exact = _root(power, 5, guess)
    return 2 * below + (rest > 0 or not exact)


@functools.cache
def _decoding_table(greatest: int, mode: RoundingMode) -> NDArray[Any]:
    """Return the half that each code stands for."""
    # Since codes are rounded to odd with bits to spare, the second rounding is exact.
    with np.errstate(all="ignore"):
        table: NDArray[Any] = convert(_decode_all_codes(greatest), half, rounding=mode)
    table.flags.writeable = False
    return table


@functools.cache
def _decode_all_codes(greatest: int) -> NDArray[np.float64]:
    codes = [decode_to_odd(code, greatest) for code in range(greatest + 1)]
    return np.ldexp(np.array(codes, np.float64), -DECODED_BITS)


def _encode_to_odd(multiple: int, greatest: int) -> int:
    """Return the code of a half from 0 to 1, rounded to odd; input in units, result in quarters."""
    if 10**7 * multiple < 31308 * _UNIT:  # x < 0.0031308: 12.92 x
        below, rest = divmod(2 * 323 * multiple * greatest, 25 * _UNIT)
        return 2 * below + (rest > 0)
    guess = 211 * greatest * (multiple / _UNIT) ** (5 / 12)
    power, cut = divmod((211 * greatest) ** 12 * multiple**5, _UNIT**5)
    root, exact = _root(power, 12, guess)
    below, rest = divmod(root - 11 * greatest, 100)
    return 2 * below + (rest > 0 or cut > 0 or not exact)


@functools.cache
def _encode_halves(greatest: int) -> NDArray[np.float64]:
    """Return the codes of the halves from 0 to 1, by their bits, before rounding."""
    multiples = np.ldexp(np.arange(_ONE + 1, dtype=np.uint16).view(np.float16).astype(float), 24)
    return np.array([_encode_to_odd(int(multiple), greatest) for multiple in multiples]) / 4


@functools.cache
def _encoding_table(greatest: int, mode: RoundingMode) -> NDArray[Any]:
    """Return the code of each half, by its bits."""
    dtype = np.uint8 if greatest == 255 else np.uint16
    table = np.zeros(1 << 16, dtype)  # the code of negative numbers and NaN
    with np.errstate(all="ignore"):
        table[: _ONE + 1] = convert(_encode_halves(greatest), dtype, rounding=mode)
    table[_ONE:0x7C01] = greatest
    table.flags.writeable = False
    return table


def srgb_decode(codes: ArrayLike, *, rounding: RoundingMode | None = None) -> NDArray[Any]:
    """Decode sRGB codes to linear halves from 0 to 1, rounded once.

    Parameters
    ----------
    codes : uint8 or uint16 array_like
        Of any shape. 255 or 65535 stands for 1.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.

    Returns
    -------
    half array, the shape of ``codes``

    Raises
    ------
    TypeError
        If the codes are neither uint8 nor uint16.
    ValueError
        If the rounding mode is unknown.

    See Also
    --------
    srgb_encode : the inverse.
    halfcl.from_unorm8 : linear codes.

    Notes
    -----
    With c = code / 255: ``c / 12.92`` up to 0.04045, ``((c + 0.055) / 1.055) ** 2.4`` above.
    Accuracy: correctly rounded; the exact value is compared by integers. Results come from a
    table and raise no floating-point errors. Source: OpenCL C,
    "Conversion Rules for sRGBA and sBGRA Images"; IEC 61966-2-1.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import io
    >>> io.srgb_decode(np.array([0, 1, 188, 255], np.uint8))
    array([0.000e+00, 3.035e-04, 5.029e-01, 1.000e+00], dtype=half)
    """
    check_unmasked(codes, "codes")
    array = as_native(np.asarray(codes))
    if array.dtype not in (np.uint8, np.uint16):
        raise TypeError(f"codes: expected uint8 or uint16, got {array.dtype}")
    mode = rounding if rounding is not None else get_rounding()
    _core.check_mode(mode)
    return np.asarray(_decoding_table(np.iinfo(array.dtype).max, mode)[array])


def srgb_encode(
    x: ArrayLike, dtype: DTypeLike = np.uint8, *, rounding: RoundingMode | None = None
) -> NDArray[Any]:
    """Encode linear halves as sRGB codes, rounded once.

    Parameters
    ----------
    x : half or float16 array_like
        Of any shape. Values below 0 count as 0, those above 1 as 1, and NaN as 0.
    dtype : dtype, optional
        uint8 or uint16.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode of the codes; by default ``rte``, or that of a region with
        ``builtins=True``, as of `to_unorm8`.

    Returns
    -------
    uint8 or uint16 array, the shape of ``x``

    Raises
    ------
    TypeError
        If ``x`` is neither half nor float16, or ``dtype`` neither uint8 nor uint16.
    ValueError
        If the rounding mode is unknown.

    See Also
    --------
    srgb_decode : the inverse.
    to_half : conversion of wider numbers.

    Notes
    -----
    ``12.92 * x`` below 0.0031308, ``1.055 * x ** (1 / 2.4) - 0.055`` from there on, times 255 or
    65535. Accuracy: correctly rounded; the exact value is compared by integers. Source:
    OpenCL C, "Conversion Rules for sRGBA and sBGRA Images"; IEC 61966-2-1.

    Examples
    --------
    >>> from halfcl import half, io
    >>> io.srgb_encode(half([-1, 0.5, 1, 9]))
    array([  0, 188, 255, 255], dtype=uint8)
    >>> io.srgb_encode(half([0.5]), "uint16")
    array([48192], dtype=uint16)
    """
    array = as_native(np.asarray(x))
    if array.dtype not in (half, np.float16):
        raise TypeError(f"x: expected half or float16, got {array.dtype}; use halfcl.convert")
    codes = np.dtype(dtype)
    if codes not in (np.uint8, np.uint16):
        raise TypeError(f"dtype: expected uint8 or uint16, got {codes}")
    if rounding is None:
        rounding = _core.get_builtin_rounding()
    _core.check_mode(rounding)
    return np.asarray(_encoding_table(np.iinfo(codes).max, rounding)[array.view(np.uint16)])
