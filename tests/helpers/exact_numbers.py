"""Numbers of gmpy2 as doubles that round to halves as they do."""

import math

import numpy as np


def rounded_to_odd(v):
    """Return v as a double whose last bit is sticky: set if anything was truncated."""
    import gmpy2

    near = float(v)
    if not math.isfinite(near) or gmpy2.mpfr(near) == v:
        return near
    down = near if gmpy2.mpfr(abs(near)) < abs(v) else math.nextafter(near, 0.0)
    bits = np.float64(down).view(np.uint64) | np.uint64(1)
    return float(bits.view(np.float64))
