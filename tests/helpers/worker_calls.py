"""What other processes are given to do: a folder of its own that they import it from.

Test files are no modules that another process finds.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from halfcl import half


def in_thread(function):
    """What a function gives in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def slow_block(block_info=None):
    """Some halves that cancel, whichever block."""
    at = block_info[None]["chunk-location"][0]
    time.sleep(0.1)
    rng = np.random.default_rng(at // 2)
    found = rng.integers(0, 0x7C00, 5000).astype(np.uint16).view(half)
    return -found[::-1] if at % 2 else found
