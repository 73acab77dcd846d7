"""What a device's images are tried out with: texels, colours, coordinates, and kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc

Array = NDArray[Any]

#: Texels along x of what is read and written.
ROWS = 256

#: Of an image of numbers N ("f", ...), of a type T.
TEXELS = """
kernel void read_texels(read_only image2d_t image, global T4 *out) {
    size_t x = get_global_id(0), y = get_global_id(1);
    out[y * get_global_size(0) + x] = read_imageN(image, (int2)(x, y));
}
kernel void write_texels(write_only image2d_t image, global const T4 *colors) {
    size_t x = get_global_id(0), y = get_global_id(1);
    write_imageN(image, (int2)(x, y), colors[y * get_global_size(0) + x]);
}"""

#: Of what a function gives or takes, by how its name ends.
NUMBERS: dict[str, tuple[str, type[Any]]] = {
    "f": ("float", np.float32),
    "i": ("int", np.int32),
    "ui": ("uint", np.uint32),
}

#: The largest codes of normalised channels.
_LARGEST = (31, 63, 127, 255, 1023, 32767, 65535)


def every_texel(format_: hc.ImageFormat) -> Array:
    """Every code of each channel of 8 and 16 bits; of 32 many. Of floats no NaNs."""
    channels, dtype = format_.channels_on_an_axis or 1, format_.dtype
    if dtype.itemsize < 4:
        codes = np.arange(max(1 << 8 * dtype.itemsize, ROWS)).astype(f"u{dtype.itemsize}")
    else:
        codes = np.random.default_rng(7).integers(0, 1 << 32, 1 << 16).astype(np.uint32)
        codes[:4] = 0, 1, 0x80000001, 0xFF800000 if dtype.kind == "f" else 0xFFFFFFFF
    found = np.stack([np.roll(codes, 37 * k) for k in range(channels)], -1)
    shape = (-1, ROWS, channels) if format_.channels_on_an_axis else (-1, ROWS)
    array: Array = found.reshape(shape).view(dtype)
    if dtype.kind not in "iu":
        array[np.isnan(array)] = 1
    return array


def colors(format_: hc.ImageFormat) -> Array:
    """Rows of four, a multiple of ROWS: beside each place where what is stored changes."""
    dtype = NUMBERS[format_.numbers][1]
    found = _floats() if format_.numbers == "f" else _integers(dtype)
    found = np.resize(found, -(-len(found) // ROWS) * ROWS)
    return np.stack([np.roll(found, 11 * k) for k in range(4)], -1)


def _integers(dtype: type[Any]) -> Array:
    info = np.iinfo(dtype)
    any_of_all = np.random.default_rng(8).integers(
        info.min, info.max, 1 << 16, dtype, endpoint=True
    )
    small: Array = np.arange(-70000, 70000, 7).clip(info.min, info.max).astype(dtype)
    return np.concatenate([any_of_all, small])


def _floats() -> Array:
    codes = [np.arange(2 * m + 1) / (2 * m) for m in _LARGEST]  # and what lies midway
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    exact = np.concatenate([*codes, halves, (halves[1:] + halves[:-1]) / 2])
    aimed = np.concatenate([exact, [2, 1e9, np.inf, 65520]]).astype(np.float32)
    near = [np.nextafter(aimed, np.float32(end)) for end in (-np.inf, np.inf)]
    found = np.concatenate([aimed, *near])
    return np.concatenate([found, -found])


def grid(image: hc.Image) -> Array:
    """The coordinates of all its texels, as halfcl's functions take them."""
    shape = image.array.shape[: image.kind.axes]
    found: Array = np.stack(list(np.indices(shape, np.int32)[::-1]), -1)
    return found[..., 0] if len(shape) == 1 else found


def are_same(found: Array, wanted: Array) -> bool:
    """By bits, but for NaNs."""
    bits = f"u{found.itemsize}"
    same = np.ascontiguousarray(found).view(bits) == np.ascontiguousarray(wanted).view(bits)
    if found.dtype.kind not in "iu":
        same |= np.isnan(found) & np.isnan(wanted)
    return bool(same.all())
