"""Comparisons of intervals that the tests share."""

import numpy as np
from samples import value

import halfcl as hc
from halfcl import interval


def as_bounds(bits):
    return tuple(b.view(hc.half) for b in bits)


def same_intervals(x, y):
    """Return whether arrays of intervals have one shape, and the same sets of numbers."""
    return np.shape(x) == np.shape(y) and bool(np.all(interval.equal(x, y)))


def check(got, want, *arguments):
    """Check that bounds are the expected ones, except for signs of zeros."""
    got = np.array([hc.convert_double(bound) for bound in got])
    want = np.array(want)
    wrong = np.flatnonzero(~((got == want) | (np.isnan(got) & np.isnan(want))).all(axis=0))
    first = wrong[:5]
    shown = [value(a[first]) if a.dtype == np.uint16 else a[first] for a in arguments]
    assert not wrong.size, (wrong.size, shown, got[:, first], want[:, first])
