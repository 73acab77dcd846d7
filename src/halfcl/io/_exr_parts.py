"""Conversion of a `Picture` to a part of an OpenEXR file, and back."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any, Protocol, Required, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from halfcl import half
from halfcl._support.arguments.byte_order import as_native
from halfcl._support.arguments.masks import check_unmasked
from halfcl.io._arrays import codes_hint
from halfcl.io._compression import Named, compression_name, constant_name
from halfcl.io._picture import Picture

_Corner: TypeAlias = tuple[int, int]


class Channel(Protocol):
    """The package's description of a channel."""

    name: str
    xSampling: int
    ySampling: int


class Tiles(Protocol):
    """The package's description of tiles."""

    xSize: int
    ySize: int


class Header(TypedDict, total=False):
    """The entries of a part's header that are read here; it has more."""

    channels: Required[Sequence[Channel]]
    compression: Required[Named]
    dataWindow: Required[tuple[_Corner, _Corner]]
    displayWindow: Required[tuple[_Corner, _Corner]]
    name: str
    tiles: Tiles
    type: Required[Named]


class Part(Protocol):
    """The package's part of a file to write."""

    header: Mapping[str, object]


#: Attributes that follow from the picture, and what to do instead of passing them.
_FROM_PICTURE = {
    "channels": "use channels",
    "chunkCount": "use channels",
    "compression": "use compression",
    "lineOrder": "lines are always written in increasing order",
    "name": "use Picture.name",
    "tiles": "use tile",
    "type": "use tile",
    "version": "the package sets it",
}

_WINDOWS = ("dataWindow", "displayWindow")

#: The greatest magnitude of a window's coordinates, and the most bytes of a tile.
_FARTHEST, _MOST_OF_A_TILE = (1 << 30) - 2, (1 << 31) - 1

#: The errors that the package raises for values that it cannot write. SystemError is among them,
#: because it leaves errors of Python unhandled.
WRITE_ERRORS = (RuntimeError, ValueError, TypeError, LookupError, ArithmeticError, SystemError)


# ---------------------------------------------------------------- from a file


def refuse_what_is_lost(openexr: ModuleType, header: Header, path: str) -> None:
    """Raise ValueError for a part that a Picture cannot hold."""
    if header["type"] in (openexr.deepscanline, openexr.deeptile):
        raise ValueError(f"path: expected flat pixels, got {path!r}, whose pixels are deep")
    for channel in header["channels"]:
        if (channel.xSampling, channel.ySampling) != (1, 1):
            raise ValueError(
                f"path: expected channels of full size, got {path!r}, whose channel"
                f" {channel.name!r} is subsampled {channel.xSampling} x {channel.ySampling}"
            )


def as_picture(header: Header, channels: dict[str, NDArray[Any]]) -> Picture:
    """Convert a part to a Picture."""
    attributes = {name: value for name, value in header.items() if name not in _FROM_PICTURE}
    windows = {"dataWindow": header["dataWindow"], "displayWindow": header["displayWindow"]}
    for name, (least, most) in windows.items():
        attributes[name] = (tuple(map(int, least)), tuple(map(int, most)))
    tile = header.get("tiles") if header["type"].name == "tiledimage" else None
    return Picture(
        {
            name: array.view(half) if array.dtype == np.float16 else array
            for name, array in channels.items()
        },
        header.get("name", ""),
        attributes,
        compression_name(header["compression"]),
        None if tile is None else (tile.xSize, tile.ySize),
    )


# ---------------------------------------------------------------- to a file


def check_fields(picture: Picture, may_be_nameless: bool) -> None:
    """Raise an error if a field has a wrong type, or the file cannot hold the picture's name."""
    for field in ("channels", "attributes"):
        value = getattr(picture, field)
        if not isinstance(value, dict):
            raise TypeError(f"picture: expected a dict as {field}, got {value!r:.80}")
    if not may_be_nameless or picture.name != "":
        _check_name("the name of a part", picture.name)


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"picture: expected a str as {what}, got {name!r}")
    size = len(name.encode("utf-8", "replace"))
    if not 0 < size < 256 or "\0" in name or not _is_text(name):
        raise ValueError(
            f"picture: expected 1 to 255 bytes of UTF-8 without zeros as {what}, got {name!r:.80}"
        )


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _pixels(name: str, channel: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a channel in the form the package expects: contiguous, in native order."""
    _check_name("the name of a channel", name)
    if channel.ndim != 2 or channel.shape != shape or not channel.size:
        raise ValueError(
            f"channels[{name!r}]: expected the shape (height, width) of all channels, and some"
            f" pixels, got {channel.shape} beside {shape}"
        )
    array = np.ascontiguousarray(as_native(channel))
    if array.dtype == half:
        return array.view(np.float16)
    if array.dtype not in (np.float16, np.float32, np.uint32):
        hint = "; use dtype=half" if array.dtype.kind == "f" else codes_hint(array.dtype)
        raise TypeError(
            f"channels[{name!r}]: expected half, float16, float32 or uint32, got"
            f" {channel.dtype}{hint}"
        )
    return array


def as_part(openexr: ModuleType, picture: Picture) -> Part:
    """Convert a Picture to a part of the package's."""
    if not picture.channels:
        raise ValueError("picture: expected channels, got none")
    shape = next(iter(picture.channels.values())).shape
    pixels = {name: _pixels(name, array, shape) for name, array in picture.channels.items()}
    header = _attributes(picture, shape)
    header["compression"] = getattr(openexr, constant_name(picture.compression))
    header["type"] = openexr.scanlineimage if picture.tile is None else openexr.tiledimage
    if picture.tile is not None:
        depth = sum(array.dtype.itemsize for array in pixels.values())
        header["tiles"] = _tiles(openexr, picture.tile, depth)
    part: Part = openexr.Part(header, pixels, picture.name)
    return part


def _tiles(openexr: ModuleType, tile: object, depth: int) -> Tiles:
    """Return a description of tiles of this size, whose pixels have this many bytes each."""
    if not (
        isinstance(tile, tuple)
        and len(tile) == 2
        and all(isinstance(side, int | np.integer) and 0 < side < 1 << 16 for side in tile)
    ):
        raise ValueError(f"tile: expected a width and a height from 1 to 65535, got {tile!r}")
    width, height = map(int, tile)
    if width * height * depth > _MOST_OF_A_TILE:
        raise ValueError(
            f"tile: expected at most {_MOST_OF_A_TILE:,} bytes in a tile, got {tile!r} pixels of"
            f" {depth} bytes"
        )
    tiles: Tiles = openexr.TileDescription()
    tiles.xSize, tiles.ySize = width, height
    return tiles


def _attributes(picture: Picture, shape: tuple[int, ...]) -> dict[str, object]:
    """Return the attributes to write, checked against the channels."""
    for name in picture.attributes:
        _check_name("the name of an attribute", name)
        if name in _FROM_PICTURE:
            raise ValueError(f"attributes[{name!r}]: expected none, got one; {_FROM_PICTURE[name]}")
    header: dict[str, Any] = {
        name: (_window if name in _WINDOWS else _plain)(name, value)
        for name, value in picture.attributes.items()
    }
    if "dataWindow" in header:
        (x0, y0), (x1, y1) = header["dataWindow"]
        size = y1 - y0 + 1, x1 - x0 + 1
        if size != shape:
            raise ValueError(
                f"attributes['dataWindow']: expected the channels' {shape[1]} x {shape[0]} pixels,"
                f" got {size[1]} x {size[0]}"
            )
    return header


def _plain(name: str, value: object) -> object:
    """Convert a value to what the package expects: Python's numbers, contiguous native arrays."""
    check_unmasked(value, f"attributes[{name!r}]")
    if not _fits_32_bits(value):
        raise ValueError(
            f"attributes[{name!r}]: expected integers of 32 bits, got {_describe(value)}"
        )
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    if isinstance(value, np.ndarray) and value.ndim:
        return np.ascontiguousarray(as_native(value))
    return value


def _describe(value: object) -> str:
    """Describe a value in a line; the package's own types may lack a repr."""
    try:
        return " ".join(repr(value).split())[:80]
    except Exception:
        return f"a {type(value).__name__}"


def _fits_32_bits(value: object) -> bool:
    """Return whether integers fit the package's 32 bits; it breaks on those beyond 64 bits."""
    if isinstance(value, int | np.integer):
        return bool(-(1 << 31) <= value < 1 << 31)
    if isinstance(value, Fraction):
        return _fits_32_bits(value.numerator) and value.denominator < 1 << 32
    if isinstance(value, tuple):  # at most two deep; integers in lists become floats
        return all(map(_fits_32_bits, value))
    return True


def refuse_attributes(openexr: ModuleType, written: Iterable[Part], why: BaseException) -> None:
    """Raise ValueError if a single attribute keeps the package from writing the parts.

    Each is tried alone, since few of the package's errors name the attribute.
    """
    pixels = {"Y": np.zeros((1, 1), np.float16)}
    for name, value in (item for part in written for item in part.header.items()):
        if name in _FROM_PICTURE or name in _WINDOWS:
            continue
        header = {name: value, "type": openexr.scanlineimage}
        try:
            openexr.File([openexr.Part(header, pixels, "")]).write(io.BytesIO())
        except WRITE_ERRORS as error:
            raise ValueError(
                f"attributes[{name!r}]: expected a value that OpenEXR can hold, got"
                f" {_describe(value)}: {error!s:.80}"
            ) from why


def check_attributes(attributes: Mapping[str, object], header: Mapping[str, object]) -> None:
    """Raise ValueError for attributes that the file would change: integers that wrapped."""
    for name, value in attributes.items():
        if name not in header or not _is_equal_as_float32(value, header[name]):
            raise ValueError(
                f"attributes[{name!r}]: expected a value that OpenEXR can hold, got"
                f" {_describe(value)}, of which it makes {_describe(header.get(name))}"
            )


def _is_equal_as_float32(value: object, kept: object) -> bool:
    """Return whether a value was written unchanged, up to rounding of floats to float32."""
    if isinstance(value, str) or isinstance(kept, str):
        return bool(value == kept)
    try:
        wanted, got = np.array(value, np.float64), np.array(kept, np.float64)
    except (TypeError, ValueError):
        # Compare types of the package's own, and lists of text.
        return type(value) is type(kept) and (not isinstance(value, list) or value == kept)
    with np.errstate(over="ignore"):
        narrow = wanted.astype(np.float32).astype(np.float64)
    is_finite = np.isfinite(wanted) == np.isfinite(narrow)
    same = (wanted == got) | (is_finite & (narrow == got)) | (np.isnan(wanted) & np.isnan(got))
    return wanted.shape == got.shape and bool(np.all(same))


def _window(
    name: str, value: Iterable[Iterable[object]]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Convert a window to its two corners: Python's integers, the lesser first."""
    try:
        (x0, y0), (x1, y1) = (tuple(map(_coordinate, corner)) for corner in value)
        if x0 <= x1 and y0 <= y1:
            return (x0, y0), (x1, y1)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"attributes[{name!r}]: expected ((left, top), (right, bottom)), integers of at most"
        f" {_FARTHEST:,} either side of 0, got {_describe(value)}"
    )


def _coordinate(value: object) -> int:
    if not isinstance(value, int | np.integer) or not -_FARTHEST <= value <= _FARTHEST:
        raise TypeError
    return int(value)
