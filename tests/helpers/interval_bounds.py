"""Comparisons of intervals that the tests share."""

import warnings

import numpy as np
from samples import value

import halfcl as hc
from halfcl import interval
from halfcl.interval import Interval, LimitWarning, range_of


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


def proven_range(f, box):
    """Return the enclosure of a formula's range, which must be within a half of the best one.

    box: the ends of each variable.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", LimitWarning)
        result = range_of(f, tuple(Interval(*ends) for ends in box), full_output=True)
    assert result.gap <= 1
    return result.enclosure


def check_range(f, box, want):
    """Check that bounds are proven, and near the exact ones, or the same."""
    enclosure = proven_range(f, box)
    for bound, exact in zip((enclosure.inf, enclosure.sup), want, strict=True):
        assert float(bound) == exact or abs(float(bound) - exact) <= 2**-9 * max(abs(exact), 2**-14)
