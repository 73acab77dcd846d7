"""Functions that other processes import, from a folder of its own.

Test files are not modules that another process can import.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from halfcl import half
from halfcl.reductions import Accumulator

_RNG = np.random.default_rng(32)
#: Halves of all magnitudes, which cancel.
HALVES = (_RNG.integers(0, 0x7C00, (6, 8)) | _RNG.integers(0, 2, (6, 8)) << 15).astype(np.uint16)
HALVES = HALVES.view(np.float16)


def in_thread(function):
    """Run a function in a thread of its own and return its result."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def slow_block(block_info=None):
    """Return some halves that cancel, whichever the block."""
    at = block_info[None]["chunk-location"][0]
    time.sleep(0.1)
    rng = np.random.default_rng(at // 2)
    halves = rng.integers(0, 0x7C00, 5000).astype(np.uint16).view(half)
    return -halves[::-1] if at % 2 else halves


def to_library(x, name):
    """Convert an array to a library, by its name; None leaves it."""
    if name is None:
        return x
    from array_libraries import THERE

    return THERE[name].to(x)


def state_of(statistic, axis, name, x):
    """Return the state of an accumulator after an array of a library was added."""
    return Accumulator(statistic, axis).add(to_library(x, name)).to_bytes()


def every_other(block, name, block_info=None):
    """Every other block of an array, in a library; the others as they are."""
    return to_library(block, name if sum(block_info[0]["chunk-location"]) % 2 else None)


def dtype_of(block):
    """Return a block's dtype by name, as an array of one."""
    return np.array([[block.dtype.name + type(block).__name__]])


def third_after_a_kill(block, path):
    """Return a third of a block; the first worker that computes one dies."""
    if block.size == 0:  # Dask asks for a result's dtype, in the client
        return block
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block / 3
    os._exit(1)
