"""What the tests of functions of intervals compare by."""

import numpy as np
from samples import value

import halfcl as hc

#: Functions of `_common` that are tested with the elementary ones.
OTHERS = ("exp2m1", "exp10m1", "log2p1", "log10p1", "degrees", "radians", "compoundn")


def as_bounds(bits):
    return tuple(b.view(hc.half) for b in bits)


def check(got, want, *arguments):
    """Bounds are those wanted, but for signs of zeros."""
    got = np.array([hc.convert_double(bound) for bound in got])
    want = np.array(want)
    wrong = np.flatnonzero(~((got == want) | (np.isnan(got) & np.isnan(want))).all(axis=0))
    first = wrong[:5]
    shown = [value(a[first]) if a.dtype == np.uint16 else a[first] for a in arguments]
    assert not wrong.size, (wrong.size, shown, got[:, first], want[:, first])
