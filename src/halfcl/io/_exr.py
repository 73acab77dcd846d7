"""OpenEXR files, through the package ``OpenEXR``: half channels bit for bit."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl import _core, half
from halfcl._support.extras import require
from halfcl._support.files import Path, as_text, check_suffix, replacing
from halfcl.io._arrays import as_array
from halfcl.io._compression import check_compression
from halfcl.io._exr_parts import (
    WRITE_ERRORS,
    Header,
    as_part,
    as_picture,
    check_attributes,
    check_fields,
    refuse_attributes,
    refuse_what_is_lost,
)
from halfcl.io._limits import MAX_PIXELS, check_limit, check_pixels
from halfcl.io._overflow import Overflow, check_policy, to_half
from halfcl.io._picture import Picture
from halfcl.typing import RoundingMode

#: The names of an array's channels, by the number of channels.
_NAMES = {1: ("Y",), 2: ("Y", "A"), 3: ("R", "G", "B"), 4: ("R", "G", "B", "A")}

_MAGIC = b"\x76\x2f\x31\x01"

Channels: TypeAlias = Picture | Mapping[str, ArrayLike] | NDArray[Any]


def _openexr() -> ModuleType:
    return require("OpenEXR", "OpenEXR", "exr", "to read and write OpenEXR files")


# ---------------------------------------------------------------- reading


def read_exr(
    path: Path, part: str | int | None = None, *, max_pixels: int | None = MAX_PIXELS
) -> Picture:
    """Read a picture from an OpenEXR file, every channel bit for bit.

    Parameters
    ----------
    path : str or path
        The file: scan lines or tiles, of one part or several. For mipmaps and ripmaps the level
        of full size is read.
    part : str or int, optional
        The part, by its name or index. Only a file of several parts needs it.
    max_pixels : int or None, optional
        The most pixels that the file may declare: 178,956,970 by default. They are counted as
        width times height of all parts, once per four channels. None: any number; memory is
        then allocated as the file declares.

    Returns
    -------
    Picture
        Channels of type HALF as half, FLOAT as float32, UINT as uint32, by their names.

    Raises
    ------
    OSError
        If the file cannot be opened, or is a pipe or a device, in which OpenEXR cannot seek.
    ValueError
        If it is not an OpenEXR file, or is damaged; if it holds deep pixels or subsampled channels,
        which are not read; if ``part`` is missing or unknown; if there are more pixels than
        ``max_pixels``, or that is below 1.
    TypeError
        If ``max_pixels`` is not an int.
    MissingPackageError
        If the package ``OpenEXR`` is not installed: ``pip install "halfcl[exr]"``.

    See Also
    --------
    write_exr
    Picture : the result.

    Notes
    -----
    Accuracy: exact, payloads of NaN included. Source: the OpenEXR file format, "OpenEXR File
    Layout". The package also prints what is wrong with a damaged file.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from halfcl import half, io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     io.write_exr(f"{folder}/a.exr", {"R": half([[1, 2]]), "id": np.uint32([[7, 8]])})
    ...     picture = io.read_exr(f"{folder}/a.exr")
    >>> picture, picture.channels["R"]
    (<Picture 2 x 1: R, id>, array([[1., 2.]], dtype=half))
    """
    openexr = _openexr()
    text = as_text(path)
    most = check_limit("max_pixels", max_pixels)
    _check_signature(text)
    headers = _parts(openexr, text, header_only=True)
    _check_size(text, [header for header, _ in headers], most)
    place = _find_part(headers, part)
    refuse_what_is_lost(openexr, headers[place][0], text)
    parts = _parts(openexr, text, header_only=False)
    if len(parts) != len(headers):  # the package skips parts that it cannot read
        raise ValueError(f"path: expected a whole OpenEXR file, got {text!r}, which is damaged")
    header, channels = parts[place]
    return as_picture(header, channels)


def _check_signature(text: str) -> None:
    """Raise an error unless the file begins as an OpenEXR file does."""
    if os.path.exists(text) and not os.path.isfile(text) and not os.path.isdir(text):
        raise OSError(errno.ESPIPE, "expected a regular file, in which OpenEXR can seek", text)
    with open(text, "rb") as file:
        if file.read(4) != _MAGIC:
            raise ValueError(f"path: expected an OpenEXR file, got {text!r}, which is not one")


def _check_size(text: str, headers: list[Header], most: int | None) -> None:
    """Raise ValueError for a file of too many pixels, since the package would read them all."""
    pixels = 0
    for header in headers:
        (x0, y0), (x1, y1) = (map(int, corner) for corner in header["dataWindow"])
        pictures = -(-len(header["channels"]) // 4)
        pixels += (x1 - x0 + 1) * (y1 - y0 + 1) * pictures
    check_pixels(text, pixels, f"{pixels:,}", most)


def _parts(
    openexr: ModuleType, path: str, header_only: bool
) -> list[tuple[Header, dict[str, NDArray[Any]]]]:
    """Return the header and channels of each part; they outlive the file."""
    try:
        file = openexr.File(path, separate_channels=True, header_only=header_only)
        return [
            (
                cast(Header, dict(part.header)),
                {name: channel.pixels for name, channel in part.channels.items()},
            )
            for part in file.parts
        ]
    except (RuntimeError, ValueError, TypeError) as error:
        raise ValueError(f"path: OpenEXR cannot read {path!r}: {error}") from error


def _find_part(parts: Sequence[tuple[Header, object]], part: str | int | None) -> int:
    """Return the index of the part with this name or index."""
    names = [header.get("name", "") for header, _ in parts]
    if part is None and len(names) == 1:
        return 0
    if isinstance(part, str) and part in names:
        return names.index(part)
    if isinstance(part, int | np.integer) and not isinstance(part, bool):
        place = int(part)
        if 0 <= place < len(names):
            return place
    raise ValueError(f"part: expected one of {names}, or an index from 0, got {part!r}")


# ---------------------------------------------------------------- writing


def write_exr(
    path: Path,
    picture: Channels | list[Picture] | tuple[Picture, ...],
    *,
    compression: str | None = None,
    lossy: bool = False,
    attributes: Mapping[str, object] | None = None,
    tile: tuple[int, int] | None = None,
    dtype: DTypeLike | None = None,
    overflow: Overflow | None = None,
    rounding: RoundingMode | None = None,
) -> None:
    """Write a picture, or several as parts, to an OpenEXR file.

    Parameters
    ----------
    path : str or path
        The file, whose name ends in ``.exr``. It is replaced once all is written.
    picture : Picture, dict of str to array, array, or list of Picture
        Channels of shape (height, width) by name, or an array of shape (height, width) for
        ``Y``, or with a last axis of 1 (``Y``), 2 (``Y``, ``A``), 3 (``R``, ``G``, ``B``) or
        4 (``R``, ``G``, ``B``, ``A``). A list makes a file of several parts, each with its name.
        Half and float16 are written as HALF, float32 as FLOAT, uint32 as UINT.
    compression : str, optional
        One of `COMPRESSIONS`, or with ``lossy=True`` of `LOSSY_COMPRESSIONS`. Unless given, the
        picture's; ``"zip"`` for arrays.
    lossy : bool, optional
        Whether compression may change values: `LOSSY_COMPRESSIONS`, and ``pxr24`` where there
        are float32 channels, which lose 8 bits.
    attributes : dict, optional
        Attributes of every part's header, beside and before the picture's, with the types of
        the package ``OpenEXR``: int, float (of 32 bits; an array of one float64 is a double),
        str, tuples of 2 or 3 numbers, matrices as float32 arrays, and so on. Of several parts
        that have no ``displayWindow`` it is the first one's.
    tile : tuple of int, optional
        Width and height of tiles. Unless given, the picture's; scan lines for arrays.
    dtype : dtype, optional
        ``half``: channels of floats (float64, too) are rounded to half. The only dtype there is
        to choose; integers are not touched.
    overflow : {"error", "inf", "clamp"}, optional
        With ``dtype=half``: what becomes of numbers beyond 65504, as `to_half` has it.
        ``"error"`` unless given.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        With ``dtype=half``: the rounding mode; the region's unless given.

    Raises
    ------
    ValueError
        If a name, shape, attribute or one of the choices does not fit; if numbers overflow
        with ``overflow="error"``. Nothing is written then, and an older file stays.
    TypeError
        If channels have another dtype than the four, or a mask, or an argument a wrong type.
    OSError
        If the file cannot be written.
    MissingPackageError
        If the package ``OpenEXR`` is not installed: ``pip install "halfcl[exr]"``.

    See Also
    --------
    read_exr
    to_half : the rounding and its policy on arrays, channel by channel.

    Notes
    -----
    Accuracy: exact, payloads of NaN included, but where ``dtype=half`` rounds (once) and where
    ``lossy=True`` lets compression change values. Source: the OpenEXR file format.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from halfcl import half, io
    >>> rgb = np.linspace(0, 1e5, 12).reshape(2, 2, 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     io.write_exr(f"{folder}/a.exr", rgb, dtype=half, overflow="clamp", compression="piz")
    ...     float(io.read_exr(f"{folder}/a.exr").channels["B"].max())
    65504.0
    """
    openexr = _openexr()
    check_suffix(path, ".exr")
    round_channel = _make_rounder(dtype, overflow, rounding)
    if not isinstance(lossy, bool | np.bool):
        raise TypeError(f"lossy: expected a bool, got {lossy!r}")
    if not isinstance(attributes, Mapping | None):
        raise TypeError(f"attributes: expected a dict, got {attributes!r:.80}")
    pictures = _as_pictures(picture)
    parts = [
        Picture(
            {name: round_channel(name, channel) for name, channel in one.channels.items()},
            one.name,
            {**_display_window(pictures), **one.attributes, **(attributes or {})},
            one.compression if compression is None else compression,
            one.tile if tile is None else tile,
        )
        for one in pictures
    ]
    for part in parts:
        check_compression(openexr, part, lossy)
    written = [as_part(openexr, part) for part in parts]
    with replacing(path) as temporary:
        try:
            # Use a file of Python's: the package does not report failures as it closes its own.
            with open(temporary, "wb") as file:
                openexr.File(written).write(file)
        except WRITE_ERRORS as error:
            refuse_attributes(openexr, written, error)
            raise ValueError(f"picture: OpenEXR cannot write it: {error}") from error
        headers = _parts(openexr, temporary, header_only=True)
        for part, (header, _) in zip(parts, headers, strict=True):
            check_attributes(part.attributes, header)


def _display_window(pictures: list[Picture]) -> dict[str, object]:
    """Return the first part's display window for parts without one, since all share one."""
    if len(pictures) == 1:
        return {}
    first = pictures[0].attributes
    height, width = (*pictures[0].shape, 1, 1)[:2]
    whole = ((0, 0), (width - 1, height - 1))
    return {"displayWindow": first.get("displayWindow", first.get("dataWindow", whole))}


def _as_pictures(picture: object) -> list[Picture]:
    """Convert the argument picture to a list of pictures."""
    if isinstance(picture, Picture):
        check_fields(picture, may_be_nameless=True)
        return [picture]
    if isinstance(picture, Mapping):
        return [
            Picture({key: as_array(f"channels[{key!r}]", value) for key, value in picture.items()})
        ]
    if isinstance(picture, np.ndarray):
        return [_from_array(as_array("picture", picture))]
    if (
        not isinstance(picture, list | tuple)
        or not all(isinstance(one, Picture) for one in picture)
        or not picture
    ):
        raise TypeError(
            "picture: expected a Picture, a dict of arrays, an array, or a list of Pictures,"
            f" got {picture!r:.80}"
        )
    for one in picture:
        check_fields(one, may_be_nameless=False)
    names = [one.name for one in picture]
    if len(set(names)) != len(names):
        raise ValueError(f"picture: expected parts with names of their own, got {names}")
    return list(picture)


def _from_array(array: NDArray[Any]) -> Picture:
    """Build a picture of an array, with channels named by their number."""
    planes = array[..., np.newaxis] if array.ndim == 2 else array
    if planes.ndim != 3 or planes.shape[-1] not in _NAMES:
        raise ValueError(
            "picture: expected an array of shape (height, width), or (height, width, n) with n"
            f" from 1 to 4, got {array.shape}; a dict holds any number of channels by their names"
        )
    return Picture(dict(zip(_NAMES[planes.shape[-1]], np.moveaxis(planes, -1, 0), strict=True)))


def _is_half(dtype: DTypeLike) -> bool:
    try:
        return np.dtype(dtype) in (half, np.float16)
    except TypeError:
        return False


def _make_rounder(
    dtype: DTypeLike | None, overflow: Overflow | None, rounding: RoundingMode | None
) -> Callable[[str, ArrayLike], NDArray[Any]]:
    """Return the function that converts a channel to the array that is written."""
    if dtype is None:
        if overflow is not None or rounding is not None:
            raise ValueError("overflow, rounding: expected with dtype=half, which rounds; got none")
        return lambda name, channel: as_array(f"channels[{name!r}]", channel)
    if not _is_half(dtype):
        raise ValueError(f"dtype: expected half or None, got {dtype!r}")
    policy = "error" if overflow is None else overflow
    check_policy(policy)
    if rounding is not None:
        _core.check_mode(rounding)

    def round_channel(name: str, channel: ArrayLike) -> NDArray[Any]:
        array = as_array(f"channels[{name!r}]", channel)
        if array.dtype.kind != "f" or (array.dtype.itemsize == 2 and policy != "clamp"):
            return array
        return to_half(array, overflow=policy, rounding=rounding, name=f"channels[{name!r}]")

    return round_channel
