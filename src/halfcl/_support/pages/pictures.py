"""Texels as pictures in notebooks: PNG files inside the HTML, by Python's own zlib."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._support.pages.notebooks import fragment

Array = NDArray[Any]

#: Limits of what a notebook stores: slices, and texels along a side of one, or of several.
MOST_SLICES, _LONGEST, _LONGEST_OF_SEVERAL = 4, 512, 192
#: Smaller pictures are magnified, up to about so many pixels. The few rows or columns of a picture
#: that is this much longer along the other side are so many pixels each.
_LEAST, _FLAT, _STRIP = 160, 8, 24

#: PNG's types of colour, by the number of channels.
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}


#: The meaning of texels: linear light from 0 to 1, what screens show of it, or integers.
Scale: TypeAlias = Literal["light", "screen", "integers"]


class _Drawing(NamedTuple):
    caption: str
    uri: str
    width: int
    height: int


def step_for(width: int, height: int, slices: int) -> int:
    """Return the distance of the texels to show of each row and column."""
    longest = _LONGEST if slices == 1 else _LONGEST_OF_SEVERAL
    return -(-max(width, height) // longest)


def draw(
    heading: str, slices: Mapping[str, Array], scale: Scale, step: int, notes: Sequence[str] = ()
) -> str | None:
    """Return the HTML that shows slices of texels, or None without Jinja2.

    slices: arrays of shape (height, width, channels) by their captions. One channel is grey, two
    grey and alpha, three colours, four colours and alpha. step: as of `step_for`; texels between
    are not in the slices.
    """
    texels = np.stack([*slices.values()])
    with np.errstate(all="ignore"):  # tiny numbers underflow
        shown, clamped = _as_codes(texels, scale)
    every = [] if step == 1 else [f"1 in {step} rows and columns is shown"]
    return fragment(
        "picture.html",
        heading=heading,
        notes=[*notes, *every, *clamped],
        drawings=[_drawing(*each) for each in zip(slices, shown, strict=True)],
    )


def _as_codes(texels: Array, scale: Scale) -> tuple[Array, list[str]]:
    """Return codes of 8 bits, and what had to be changed."""
    if scale == "integers":
        low, high = int(texels.min()), int(texels.max())
        unit = (texels.astype(np.float64) - low) / max(high - low, 1)
        ends = f"black is {low}, and white {high}" if low < high else f"all numbers are {low}"
        return np.rint(255 * unit).astype(np.uint8), [ends]
    unit = np.clip(np.nan_to_num(texels), 0, 1)
    if scale == "light":
        colours = unit[..., :-1] if texels.shape[-1] in (2, 4) else unit
        colours[...] = _encode_srgb(colours)
    return np.rint(255 * unit).astype(np.uint8), _describe_clamping(texels)


def _encode_srgb(light: Array) -> Array:
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def _describe_clamping(texels: Array) -> list[str]:
    nans = np.count_nonzero(np.isnan(texels))
    beyond = texels[(texels < 0) | (texels > 1)]
    notes = []
    if beyond.size:
        ends = f"least {beyond.min():.4g}, greatest {beyond.max():.4g}"
        notes.append(f"{beyond.size:,} of {texels.size:,} numbers are clamped to 0 and 1 ({ends})")
    if nans:
        notes.append(f"{nans:,} of {texels.size:,} numbers are NaN, and shown as 0")
    return notes


def _drawing(caption: str, codes: Array) -> _Drawing:
    height, width, _ = codes.shape
    factor = max(_LEAST // max(height, width), 1)
    sides = _side(width, height, factor), _side(height, width, factor)
    uri = f"data:image/png;base64,{b64encode(png(codes)).decode()}"
    return _Drawing(caption, uri, *sides)


def _side(count: int, other: int, factor: int) -> int:
    """Return the pixels for so many texels, while the other side has others."""
    least = min(_STRIP * count, _LEAST // 2) if _FLAT * count <= other else 0
    return max(factor * count, least)


def png(codes: Array) -> bytes:
    """Return a PNG file of codes of 8 bits, of shape (height, width, channels)."""
    height, width, channels = codes.shape
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    rows = np.full((height, 1 + width * channels), 2, np.uint8)  # 2: minus the row above
    rows[:, 1:] = codes.reshape(height, -1)
    rows[1:, 1:] -= codes[:-1].reshape(height - 1, width * channels)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
