"""The comparison in tests of functions of intervals."""

import numpy as np
from samples import value

import halfcl as hc
from halfcl import interval

#: Functions of `_common` that are tested with the elementary ones.
OTHERS = ("exp2m1", "exp10m1", "log2p1", "log10p1", "degrees", "radians", "compoundn")


def as_bounds(bits):
    return tuple(b.view(hc.half) for b in bits)


def same_intervals(x, y):
    """Return whether arrays of intervals have one shape, and the same sets of numbers."""
    return np.shape(x) == np.shape(y) and bool(np.all(interval.equal(x, y)))


def check(got, want, *arguments):
    """Bounds are those wanted, but for signs of zeros."""
    got = np.array([hc.convert_double(bound) for bound in got])
    want = np.array(want)
    wrong = np.flatnonzero(~((got == want) | (np.isnan(got) & np.isnan(want))).all(axis=0))
    first = wrong[:5]
    shown = [value(a[first]) if a.dtype == np.uint16 else a[first] for a in arguments]
    assert not wrong.size, (wrong.size, shown, got[:, first], want[:, first])
