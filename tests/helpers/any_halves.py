"""Arrays of halves of any exponent, laid out in several ways; and their bits."""

import numpy as np


def any_halves(seed, shape, below=0x7C00):
    """Return random halves of any exponent and both signs."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, below, shape, np.uint16) | rng.integers(0, 2, shape, np.uint16) << 15
    return bits.view(np.float16)


def laid_out(x):
    yield x
    yield np.asfortranarray(x)
    yield x[::-1, ..., ::-1]
    yield x.swapaxes(0, -1)
    yield np.lib.stride_tricks.sliding_window_view(x.reshape(-1), 5)


def bits(x):
    return np.ascontiguousarray(x).view(np.uint16)
