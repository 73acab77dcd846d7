"""Properties of results as a whole: monotonicity and symmetry."""

from __future__ import annotations

import numpy as np

from halfcl._tables.row import Builtin
from halfcl.audit._records import BIN, FIRST_PLACE
from halfcl.audit._results.mistakes import Array, bits, find_differences

_SIGN = 0x8000
_INFINITY = -FIRST_PLACE

#: All halves except NaNs in order, -0 before +0; and their positions, which are 0 for both zeros.
ORDERED = np.concatenate(
    [np.arange(_SIGN | _INFINITY, _SIGN - 1, -1), np.arange(_INFINITY + 1)]
).astype(np.uint16)
PLACES = np.where(ORDERED >= _SIGN, -(ORDERED & ~np.uint16(_SIGN)).astype(np.int32), ORDERED)


def lost_monotonicity(row: Builtin, got: Array) -> int:
    """Return how many steps to the next half change results in the wrong direction.

    got: the results for all halves, in the order of their bits.
    """
    return sum(
        _steps_down(got, interval, sign)
        for interval, sign in ((row.increasing, 1), (row.decreasing, -1))
        if interval
    )


def _steps_down(got: Array, interval: tuple[float, float], sign: int) -> int:
    x = ORDERED.view(np.float16).astype(np.float64)
    inside = (x >= interval[0]) & (x <= interval[1])
    results = got[ORDERED[inside]]
    results = sign * results[~np.isnan(results)].astype(np.float64)
    return int(np.count_nonzero(results[1:] < results[:-1]))


def lost_symmetry(row: Builtin, got: Array) -> int:
    """Return how many positive halves lack the symmetric result of the negative ones.

    got: the results for all halves, in the order of their bits.
    """
    if row.symmetry not in ("odd", "even") or got.dtype != np.float16:
        return 0
    positive, negative = got[: _INFINITY + 1], got[_SIGN : _SIGN + _INFINITY + 1]
    twin = bits(negative) ^ np.uint16(_SIGN if row.symmetry == "odd" else 0)
    return int(find_differences(positive, twin.view(np.float16)).size)


def curve(errors: Array) -> tuple[tuple[float | None, ...], tuple[int, ...]]:
    """Return the largest error in each bin of neighbouring halves, and the bins that lack errors.

    errors: in ulps, for all halves in the order of their bits; NaN or infinite for no number.
    """
    bins = (PLACES - FIRST_PLACE) // BIN
    size = np.abs(errors[ORDERED])
    counted = np.isfinite(size)
    greatest = np.full(bins[-1] + 1, -1.0)
    np.maximum.at(greatest, bins[counted], size[counted])
    return (
        tuple(float(f"{g:.3g}") if g >= 0 else None for g in greatest),
        tuple(np.unique(bins[~counted]).tolist()),
    )
