"""Arrays of the same halves in different memory layouts."""

import numpy as np


def layouts(bits):
    """Yield the bits, and parts of them: reversed, transposed, strided, swapped, locked."""
    yield bits
    yield bits[::-1]
    yield bits.T
    yield np.asfortranarray(bits)
    yield bits[..., ::-2]
    yield bits.astype(">u2")
    yield np.moveaxis(bits, 0, -1)
    apart = np.zeros(bits.nbytes + 1, np.uint8)[1:].view(np.uint16).reshape(bits.shape)
    apart[...] = bits
    yield apart
    locked = bits.copy()
    locked.flags.writeable = False
    yield locked


def halves(bits, kind):
    """View bits in either byte order as halves."""
    return bits.view(np.dtype(kind).newbyteorder(bits.dtype.byteorder))


def wide(bits):
    """Convert the halves to float64."""
    return bits.astype("=u2").view(np.float16).astype(np.float64)
