"""Sample the range of a formula on a box in double arithmetic, ever closer to its extremes."""

import numpy as np

import halfcl as hc

SAMPLES, ROUNDS = 4096, 8


def doubles(x):
    return np.asarray(hc.convert_double(x))


def outward(low, high):
    """Return the widths of the enclosing intervals of halves, as doubles."""
    with np.errstate(all="ignore"):
        below = doubles(hc.convert(np.asarray(low), hc.half, rounding="rtn"))
        above = doubles(hc.convert(np.asarray(high), hc.half, rounding="rtp"))
        return above - below


def values(f, places):
    """Return the finite values of a formula at some places, NaN for others."""
    with np.errstate(all="ignore"):
        results = np.broadcast_to(f(*places), np.shape(places[0]))
    return np.where(np.isfinite(results), results, np.nan)


def _draw_first(rng, low, high):
    """Return places in a box: at its corners, on its edges and faces, and inside."""
    at = rng.uniform(low, high, (len(low), SAMPLES))
    at[:, : SAMPLES // 4] = rng.choice([0, 1], (len(low), SAMPLES // 4)) * (high - low) + low
    mixed = slice(SAMPLES // 4, SAMPLES // 2)  # on edges and faces
    corner = rng.choice([0, 1], at[:, mixed].shape) * (high - low) + low
    at[:, mixed] = np.where(rng.integers(0, 2, corner.shape), corner, at[:, mixed])
    return at


def sample_extremes(rng, f, low, high):
    """Return the least and the greatest value on a box as (value, place), two pairs.

    low, high: bounds of each variable. The value is infinite where f has none, and its place None.
    """
    low, high = np.array(low)[:, None], np.array(high)[:, None]
    extremes = []
    for sign in (1, -1):
        at = _draw_first(rng, low, high)
        best, place = np.inf, None
        for k in range(ROUNDS):
            y = sign * values(f, list(at))
            if np.isnan(y).all():
                break
            order = np.argsort(y)[:16]
            if y[order[0]] < best:
                best, place = y[order[0]], at[:, order[0]].copy()
            size = (high - low) * 4.0 ** -(k + 1)
            centre = np.repeat(at[:, order], SAMPLES // 16, axis=1)
            at = np.clip(centre + rng.uniform(-1, 1, centre.shape) * size, low, high)
        extremes.append((sign * best, place))
    return extremes


def sample_range(rng, f, low, high):
    """Return the least and greatest value on one box; `low` and `high` are per variable."""
    return [value for value, _ in sample_extremes(rng, f, low, high)]
