"""Data and kernels with which a device's images are probed: texels, colours and coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc

Array = NDArray[Any]

#: Texels along x.
ROWS = 256

#: Kernels for an image of numbers N ("f", ...) of type T.
TEXELS = """
kernel void read_texels(read_only image2d_t image, global T4 *out) {
    size_t x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] = read_imageN(image, (int2)(x, y));
}
kernel void write_texels(write_only image2d_t image, global const T4 *colors) {
    size_t x = get_global_id(0), y = get_global_id(1);
    write_imageN(image, (int2)(x, y), colors[y * get_global_size(0) + x]);
}"""

#: Number types by the suffix of the image functions.
NUMBERS: dict[str, tuple[str, type[Any]]] = {
    "f": ("float", np.float32),
    "i": ("int", np.int32),
    "ui": ("uint", np.uint32),
}

#: The largest codes of normalised channels.
_LARGEST = (31, 63, 127, 255, 1023, 32767, 65535)


def every_texel(format_: hc.ImageFormat) -> Array:
    """Return every code of each channel of 8 and 16 bits, many of 32 bits; no NaNs."""
    channels, dtype = format_.channels_on_an_axis or 1, format_.dtype
    if dtype.itemsize < 4:
        codes = np.arange(max(1 << 8 * dtype.itemsize, ROWS)).astype(f"u{dtype.itemsize}")
    else:
        codes = np.random.default_rng(7).integers(0, 1 << 32, 1 << 16).astype(np.uint32)
        codes[:4] = 0, 1, 0x80000001, 0xFF800000 if dtype.kind == "f" else 0xFFFFFFFF
    channel_codes = np.stack([np.roll(codes, 37 * k) for k in range(channels)], -1)
    shape = (-1, ROWS, channels) if format_.channels_on_an_axis else (-1, ROWS)
    array: Array = channel_codes.reshape(shape).view(dtype)
    if dtype.kind not in "iu":
        array[np.isnan(array)] = 1
    return array


def colors(format_: hc.ImageFormat) -> Array:
    """Return colours, a multiple of ROWS, near each value at which the stored code changes."""
    dtype = NUMBERS[format_.numbers][1]
    values = _floats() if format_.numbers == "f" else _integers(dtype)
    values = np.resize(values, -(-len(values) // ROWS) * ROWS)
    return np.stack([np.roll(values, 11 * k) for k in range(4)], -1)


def _integers(dtype: type[Any]) -> Array:
    info = np.iinfo(dtype)
    any_of_all = np.random.default_rng(8).integers(
        info.min, info.max, 1 << 16, dtype, endpoint=True
    )
    small: Array = np.arange(-70000, 70000, 7).clip(info.min, info.max).astype(dtype)
    return np.concatenate([any_of_all, small])


def _floats() -> Array:
    codes = [np.arange(2 * m + 1) / (2 * m) for m in _LARGEST]  # with midpoints
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    exact = np.concatenate([*codes, halves, (halves[1:] + halves[:-1]) / 2])
    aimed = np.concatenate([exact, [2, 1e9, np.inf, 65520]]).astype(np.float32)
    near = [np.nextafter(aimed, np.float32(end)) for end in (-np.inf, np.inf)]
    values = np.concatenate([aimed, *near])
    return np.concatenate([values, -values])


def grid(image: hc.Image) -> Array:
    """Return the coordinates of all texels, in the form that halfcl's functions take."""
    shape = image.array.shape[: image.kind.axes]
    coordinates: Array = np.stack(list(np.indices(shape, np.int32)[::-1]), -1)
    return coordinates[..., 0] if len(shape) == 1 else coordinates


def are_same(actual: Array, expected: Array) -> bool:
    """Return whether bits are equal; all NaNs count as equal."""
    bits = f"u{actual.itemsize}"
    same = np.ascontiguousarray(actual).view(bits) == np.ascontiguousarray(expected).view(bits)
    if actual.dtype.kind not in "iu":
        same |= np.isnan(actual) & np.isnan(expected)
    return bool(same.all())
