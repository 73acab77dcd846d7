"""PNG files by hand."""

import struct
import zlib

import numpy as np


def chunk(name, body):
    """Return a chunk of a PNG file."""
    content = name + body
    return struct.pack(">I", len(body)) + content + struct.pack(">I", zlib.crc32(content))


def png(pixels, bits=None, colour_type=None, extra=b""):
    """Return a PNG file made by hand: codes in rows without a filter."""
    height, width = pixels.shape[:2]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    colour_type = {1: 0, 2: 4, 3: 2, 4: 6}[channels] if colour_type is None else colour_type
    depth = bits or 8 * pixels.itemsize
    rows = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(height, -1)
    if depth < 8:
        spread = np.unpackbits(rows[..., None], axis=-1)[..., 8 - depth :]
        rows = np.packbits(spread.reshape(height, -1), axis=-1)
    data = b"".join(b"\0" + row.tobytes() for row in rows)

    head = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, 0)
    chunks = (
        chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
    )
    return b"\x89PNG\r\n\x1a\n" + chunks
