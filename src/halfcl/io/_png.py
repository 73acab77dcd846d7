"""PNG files as linear halves, through Pillow, or imagecodecs for files of 16 bits."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl import _core, from_unorm8, from_unorm16, half, to_unorm8, to_unorm16
from halfcl._support.arguments.byte_order import as_native
from halfcl._support.extras import require
from halfcl._support.files import Path, as_text, check_suffix, read_rest, write_bytes
from halfcl.io._arrays import as_array, codes_hint
from halfcl.io._limits import MAX_PIXELS, check_limit, check_pixels
from halfcl.io._srgb import srgb_decode, srgb_encode
from halfcl.typing import RoundingMode

Transfer: TypeAlias = Literal["srgb", "linear"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEAD = 33  # bytes of the signature, and of the chunk with the picture's size
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by the file's type of colour
_OTHER_BYTES = 1 << 26  # allowed for profiles, text and many small chunks
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}  # Pillow's modes of 8 bits, by channels


def _check_transfer(transfer: object) -> None:
    if not isinstance(transfer, str) or transfer not in get_args(Transfer):
        raise ValueError(f"transfer: expected 'srgb' or 'linear', got {transfer!r}")


def _check_bits(bits: object) -> None:
    if not isinstance(bits, int | np.integer) or bits not in (8, 16):
        raise ValueError(f"bits: expected 8 or 16, got {bits!r}")


def read_png(
    path: Path,
    *,
    transfer: Transfer,
    rounding: RoundingMode | None = None,
    max_pixels: int | None = MAX_PIXELS,
) -> NDArray[Any]:
    """Read a PNG file as linear halves from 0 to 1, each rounded once.

    Parameters
    ----------
    path : str or path
        The file: grey, colour or a palette, with or without alpha, of 1 to 16 bits.
    transfer : {"srgb", "linear"}
        The meaning of the codes of colours. PNG files seldom declare it and are often wrong, so
        there is no default: ``"srgb"`` for photographs and pictures made for a screen,
        ``"linear"`` for data, normals, masks. The file's chunks about it (gAMA, sRGB, iCCP) are
        ignored. Alpha is always linear.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.
    max_pixels : int or None, optional
        The most pixels, width times height, that the file may declare: 178,956,970 by default,
        as in Pillow. For files of 8 bits, a lower limit that the program has set in Pillow
        (``PIL.Image.MAX_IMAGE_PIXELS``) applies, too. None: any number; memory is then allocated
        as the file declares.

    Returns
    -------
    half array of shape (height, width) or (height, width, channels)
        Grey: no last axis. Otherwise its channels are grey and alpha; red, green and blue; or
        these and alpha. Colours are not multiplied by alpha, as in the file.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is not a PNG file, is damaged, or has more pixels than ``max_pixels``, or far more
        bytes than its pixels need; if the transfer function or mode is unknown, or a limit is
        below 1.
    TypeError
        If ``max_pixels`` is not an int.
    MissingPackageError
        If Pillow is not installed (``pip install "halfcl[png]"``), or imagecodecs for 16 bits
        (``pip install "halfcl[png16]"``).

    See Also
    --------
    write_png
    srgb_decode, halfcl.from_unorm8 : the same for arrays.

    Notes
    -----
    Accuracy: correctly rounded from the exact value that a code stands for. Source: OpenCL C,
    "Conversion Rules"; Portable Network Graphics, third edition.

    Examples
    --------
    >>> import tempfile
    >>> from halfcl import half, io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     io.write_png(f"{folder}/a.png", half([[0, 0.5, 1]]), transfer="srgb")
    ...     io.read_png(f"{folder}/a.png", transfer="srgb")
    array([[0.   , 0.503, 1.   ]], dtype=half)
    """
    _check_transfer(transfer)
    if rounding is not None:
        _core.check_mode(rounding)
    codes = _read_codes(path, check_limit("max_pixels", max_pixels))
    linear = from_unorm8 if codes.dtype == np.uint8 else from_unorm16
    return _by_channel(codes, half, srgb_decode if transfer == "srgb" else linear, linear, rounding)


def write_png(
    path: Path,
    pixels: NDArray[Any],
    *,
    transfer: Transfer,
    bits: Literal[8, 16] = 8,
    rounding: RoundingMode | None = None,
) -> None:
    """Write linear halves from 0 to 1 as a PNG file, each code rounded once.

    Parameters
    ----------
    path : str or path
        The file, whose name ends in ``.png``. It is replaced once all is written.
    pixels : half or float16 array
        An array of shape (height, width), or (height, width, n): n = 1 for grey, 2 for grey and
        alpha, 3 for red, green and blue, 4 for these and alpha. Values below 0 count as 0, those
        above 1 as 1, and NaN as 0.
    transfer : {"srgb", "linear"}
        The meaning of the codes of colours, as in `read_png`. Alpha is always linear.
    bits : {8, 16}, optional
        The bits of a code. In sRGB, 8 bits suffice for screens; 16 bits keep all halves from
        2**-6 on.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode of the codes; by default ``rte``, or that of a region with
        ``builtins=True``, as of `to_unorm8`.

    Raises
    ------
    TypeError
        If the pixels are neither half nor float16, or masked.
    ValueError
        If their shape, the name, or one of the choices does not fit. Nothing is written then,
        and an older file stays.
    OSError
        If the file cannot be written.
    MissingPackageError
        If Pillow is not installed (``pip install "halfcl[png]"``), or imagecodecs for 16 bits
        (``pip install "halfcl[png16]"``).

    See Also
    --------
    read_png
    to_half : conversion of wider numbers.

    Notes
    -----
    Accuracy: correctly rounded. The file does not declare its transfer function. Source: OpenCL
    C, "Conversion Rules"; Portable Network Graphics, third edition.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from halfcl import half, io
    >>> picture = np.linspace(0, 1, 12, dtype=np.float32).reshape(2, 2, 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     io.write_png(f"{folder}/a.png", io.to_half(picture), transfer="linear", bits=16)
    ...     io.read_png(f"{folder}/a.png", transfer="linear").shape
    (2, 2, 3)
    """
    check_suffix(path, ".png")
    _check_transfer(transfer)
    _check_bits(bits)
    if rounding is not None:
        _core.check_mode(rounding)
    array = _as_pixels(pixels)
    dtype: Any = np.uint8 if bits == 8 else np.uint16
    linear = to_unorm8 if bits == 8 else to_unorm16

    def encode(x: NDArray[Any], rounding: RoundingMode | None) -> NDArray[Any]:
        return srgb_encode(x, dtype, rounding=rounding)

    codes = _by_channel(array, dtype, encode if transfer == "srgb" else linear, linear, rounding)
    write_bytes(path, _encode_png(codes))


def _as_pixels(pixels: object) -> NDArray[Any]:
    """Return pixels that PNG can hold, without a last axis of 1."""
    array = as_native(as_array("pixels", pixels))
    if array.dtype not in (half, np.float16):
        hint = "; use halfcl.io.to_half(x)" if array.dtype.kind == "f" else codes_hint(array.dtype)
        raise TypeError(f"pixels: expected half or float16, got {array.dtype}{hint}")
    fits = array.ndim == 2 or (array.ndim == 3 and array.shape[2] in _MODES)
    if not fits or not array.size:
        raise ValueError(
            "pixels: expected the shape (height, width), or (height, width, n) with n from 1 to 4,"
            f" and some pixels, got {array.shape}"
        )
    return array[..., 0] if array.shape[2:] == (1,) else array


def _by_channel(
    array: NDArray[Any],
    dtype: DTypeLike | None,
    colour: Callable[..., object],
    alpha: Callable[..., object],
    rounding: RoundingMode | None,
) -> NDArray[Any]:
    """Apply one function to colours, and another to alpha if there is one."""
    with np.errstate(all="ignore"):  # tiny codes underflow
        if array.shape[2:] not in ((2,), (4,)) or colour is alpha:
            return np.asarray(colour(array, rounding=rounding))
        result = np.empty(array.shape, dtype)
        result[..., :-1] = colour(array[..., :-1], rounding=rounding)
        result[..., -1] = alpha(array[..., -1], rounding=rounding)
        return result


# ---------------------------------------------------------------- codes


def _pillow() -> ModuleType:
    return require("PIL.Image", "Pillow", "png", "to read and write PNG files")


def _imagecodecs() -> ModuleType:
    return require("imagecodecs", "imagecodecs", "png16", "for PNG files of 16 bits")


def _read_codes(path: Path, max_pixels: int | None) -> NDArray[Any]:
    """Return a file's codes as uint8 or uint16; fewer bits and palettes become uint8."""
    data = _read_file(path, max_pixels)
    # Pillow truncates 16 bits to 8, except for grey, whose mode depends on Pillow's version.
    try:
        if data[24] == 16:
            return _decode_by_imagecodecs(data)
        return _decode_by_pillow(data, max_pixels is None or max_pixels > MAX_PIXELS)
    except (OSError, RuntimeError, SyntaxError, ValueError) as error:
        # The message of imagecodecs may lie in memory that has been freed.
        why = "it is damaged" if isinstance(error, UnicodeDecodeError) else error
        raise ValueError(f"path: cannot read {as_text(path)!r}, a PNG file: {why}") from error


def _read_file(path: Path, max_pixels: int | None) -> bytes:
    """Return the whole file, after its signature and its number of pixels are checked."""
    text = as_text(path)
    with open(text, "rb") as file:
        head = file.read(_HEAD)
        if head[:8] != _SIGNATURE or head[12:16] != b"IHDR" or len(head) < _HEAD:
            raise ValueError(f"path: expected a PNG file, got {text!r}, which is not one")
        width, height, bits, kind = struct.unpack(">IIBB", head[16:26])
        check_pixels(text, width * height, f"{width:,} x {height:,}", max_pixels)
        row = 1 + (width * bits * _CHANNELS.get(kind, 4) + 7) // 8
        most = None if max_pixels is None else 2 * height * row + _OTHER_BYTES
        return head + read_rest(file, most, "path")


def _decode_by_imagecodecs(data: bytes) -> NDArray[Any]:
    codes: NDArray[Any] = _imagecodecs().png_decode(data)
    return codes


def _decode_by_pillow(data: bytes, is_unlimited: bool) -> NDArray[Any]:
    pillow = _pillow()
    file = io.BytesIO(data)
    try:
        if is_unlimited:  # the format's own class, since Image.open has a limit
            opened = import_module("PIL.PngImagePlugin").PngImageFile(file)
        else:
            opened = pillow.open(file, formats=["PNG"])
    except pillow.DecompressionBombError as error:
        raise ValueError(str(error)) from error
    with opened as image:
        has_alpha = "transparency" in image.info or image.mode.endswith("A")
        grey = image.mode in ("1", "L", "LA")
        mode = _MODES[(1 if grey else 3) + has_alpha]
        return np.asarray(image if image.mode == mode else image.convert(mode))


def _encode_png(codes: NDArray[Any]) -> bytes:
    """Return a PNG file of codes."""
    if codes.dtype == np.uint16:
        try:
            return bytes(_imagecodecs().png_encode(np.ascontiguousarray(codes)))
        except RuntimeError as error:  # more than a million rows or columns
            raise ValueError(
                f"pixels: cannot write the shape {codes.shape} as PNG of 16 bits: {error}"
            ) from error
    file = io.BytesIO()
    _pillow().fromarray(codes).save(file, format="PNG")
    return file.getvalue()
