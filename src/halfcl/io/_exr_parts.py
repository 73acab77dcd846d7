"""A `Picture` as a part of an OpenEXR file, by the package's types, and back."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any, Protocol, Required, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from halfcl import half
from halfcl._support.byte_order import as_native
from halfcl._support.masks import check_unmasked
from halfcl.io._compression import Named, compression_name, constant_name
from halfcl.io._picture import Picture

_Corner: TypeAlias = tuple[int, int]


class Channel(Protocol):
    """What the package says of a channel."""

    name: str
    xSampling: int
    ySampling: int


class Tiles(Protocol):
    """The package's description of tiles."""

    xSize: int
    ySize: int


class Header(TypedDict, total=False):
    """What is read of a part's header, which has more."""

    channels: Required[Sequence[Channel]]
    compression: Required[Named]
    dataWindow: Required[tuple[_Corner, _Corner]]
    displayWindow: Required[tuple[_Corner, _Corner]]
    name: str
    tiles: Tiles
    type: Required[Named]


class Part(Protocol):
    """The package's, as it is written."""

    header: Mapping[str, object]


#: Attributes that follow from the picture, and the argument or field that says them.
_FROM_PICTURE = {
    "channels": "channels",
    "chunkCount": "channels",
    "compression": "compression",
    "lineOrder": "nothing: lines are written in increasing order",
    "name": "Picture.name",
    "tiles": "tile",
    "type": "tile",
    "version": "nothing: it is the package's",
}

_WINDOWS = ("dataWindow", "displayWindow")

#: The farthest that a window may reach, either side of 0; the bytes that a tile may take.
_FARTHEST, _MOST_OF_A_TILE = (1 << 30) - 2, (1 << 31) - 1

#: What the package raises of values that it cannot write: also whatever comes of an error that
#: it has left behind unseen.
WRITE_ERRORS = (RuntimeError, ValueError, TypeError, LookupError, ArithmeticError, SystemError)


# ---------------------------------------------------------------- from a file


def refuse_what_is_lost(openexr: ModuleType, header: Header, path: str) -> None:
    """Refuse a part that a Picture cannot hold."""
    if header["type"] in (openexr.deepscanline, openexr.deeptile):
        raise ValueError(f"path: expected flat pixels, got {path!r}, whose pixels are deep")
    for channel in header["channels"]:
        if (channel.xSampling, channel.ySampling) != (1, 1):
            raise ValueError(
                f"path: expected channels of full size, got {path!r}, whose channel"
                f" {channel.name!r} is subsampled {channel.xSampling} x {channel.ySampling}"
            )


def as_picture(header: Header, channels: dict[str, NDArray[Any]]) -> Picture:
    """A part as a Picture."""
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
    """Refuse a Picture whose fields are of other types, or whose name the file cannot hold."""
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
    """A channel as the package takes it: in one piece, in native order."""
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
        hint = "; dtype=half rounds it" if array.dtype.kind == "f" else ""
        raise TypeError(
            f"channels[{name!r}]: expected half, float16, float32 or uint32, got"
            f" {channel.dtype}{hint}"
        )
    return array


def as_part(openexr: ModuleType, picture: Picture) -> Part:
    """The package's part that a Picture is written as."""
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
    """Tiles of that size, whose pixels take so many bytes each."""
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
    """The attributes as they are written, checked against the channels."""
    for name in picture.attributes:
        _check_name("the name of an attribute", name)
        if name in _FROM_PICTURE:
            raise ValueError(f"attributes[{name!r}]: it is said by {_FROM_PICTURE[name]}")
    header: dict[str, Any] = {
        name: (_window if name in _WINDOWS else _plain)(name, value)
        for name, value in picture.attributes.items()
    }
    if "dataWindow" in header:
        (left, top), (right, bottom) = header["dataWindow"]
        size = bottom - top + 1, right - left + 1
        if size != shape:
            raise ValueError(
                f"attributes['dataWindow']: expected the channels' {shape[1]} x {shape[0]} pixels,"
                f" got {size[1]} x {size[0]}"
            )
    return header


def _plain(name: str, value: object) -> object:
    """A value as the package takes it: Python's numbers, arrays in one piece, in native order."""
    check_unmasked(value, f"attributes[{name!r}]")
    if not _is_of_32_bits(value):
        raise ValueError(f"attributes[{name!r}]: expected integers of 32 bits, got {_shown(value)}")
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    if isinstance(value, np.ndarray) and value.ndim:
        return np.ascontiguousarray(as_native(value))
    return value


def _shown(value: object) -> str:
    """In a line; the package's own types cannot always be shown."""
    try:
        return " ".join(repr(value).split())[:80]
    except Exception:
        return f"a {type(value).__name__}"


def _is_of_32_bits(value: object) -> bool:
    """Whether integers are those that the package holds; beyond 64 bits it breaks on them."""
    if isinstance(value, int | np.integer):
        return bool(-(1 << 31) <= value < 1 << 31)
    if isinstance(value, Fraction):
        return _is_of_32_bits(value.numerator) and value.denominator < 1 << 32
    if isinstance(value, tuple):  # at most two deep; of lists it takes the integers for floats
        return all(map(_is_of_32_bits, value))
    return True


def refuse_attributes(openexr: ModuleType, written: Iterable[Part], why: BaseException) -> None:
    """Where the package cannot write some parts: refuse the attribute that is at fault, if one is.

    Each is tried alone, since few of the package's errors name it.
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
                f" {_shown(value)}: {error!s:.80}"
            ) from why


def check_attributes(attributes: Mapping[str, object], header: Mapping[str, object]) -> None:
    """Refuse attributes that the file would hold with other values: integers that wrapped."""
    for name, value in attributes.items():
        if name not in header or not _is_kept(value, header[name]):
            raise ValueError(
                f"attributes[{name!r}]: expected a value that OpenEXR can hold, got"
                f" {_shown(value)}, of which it makes {_shown(header.get(name))}"
            )


def _is_kept(value: object, kept: object) -> bool:
    """Whether a value came through: floats as their float32."""
    if isinstance(value, str) or isinstance(kept, str):
        return bool(value == kept)
    try:
        wanted, got = np.array(value, np.float64), np.array(kept, np.float64)
    except (TypeError, ValueError):
        # Types of the package's own, and lists of text.
        return type(value) is type(kept) and (not isinstance(value, list) or value == kept)
    with np.errstate(over="ignore"):
        narrow = wanted.astype(np.float32).astype(np.float64)
    is_finite = np.isfinite(wanted) == np.isfinite(narrow)
    same = (wanted == got) | (is_finite & (narrow == got)) | (np.isnan(wanted) & np.isnan(got))
    return wanted.shape == got.shape and bool(np.all(same))


def _window(
    name: str, value: Iterable[Iterable[object]]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """A window by its two corners: Python's integers, the first the lesser."""
    try:
        (left, top), (right, bottom) = (tuple(map(_coordinate, corner)) for corner in value)
        if left <= right and top <= bottom:
            return (left, top), (right, bottom)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"attributes[{name!r}]: expected ((left, top), (right, bottom)), integers of at most"
        f" {_FARTHEST:,} either side of 0, got {_shown(value)}"
    )


def _coordinate(value: object) -> int:
    if not isinstance(value, int | np.integer) or not -_FARTHEST <= value <= _FARTHEST:
        raise TypeError
    return int(value)
