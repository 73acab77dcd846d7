"""atomics.cl over scalars, item after item."""

import numpy as np
from cl_library import H, Wanted, integers, launch, values


def histogram(x):
    return [sum(int(v) // 16 == bin for v in x) for bin in range(16)]


def histogram_global():
    x = integers(100, dtype="u1")
    return launch(100, x, out=histogram(x), dtype="u4")


def histogram_local():
    x = integers(256, dtype="u1", high=99)
    return launch(64, x, out=histogram(x), dtype="u4", local=16)


def compact_counted():
    x = values(50)
    kept = [v for v in x if v > H(0.5)]
    wanted = np.array(kept + [H(0)] * (50 - len(kept)), H)
    buffers = [np.zeros(50, H), np.zeros(1, "i4")]
    return Wanted(50, None, [x, *buffers], {1: wanted, 2: np.array([len(kept)], "i4")})


def compact_groups():
    x = integers(64)
    kept = [v for v in x.tolist() if v % 2]
    wanted = np.array(kept + [0] * (64 - len(kept)), "i4")
    buffers = [np.zeros(64, "i4"), np.zeros(1, "i4")]
    return Wanted(64, 16, [x, *buffers], {1: wanted, 2: np.array([len(kept)], "i4")})


def bounds_of_points():
    points = integers(45, 2)
    x, y = points[:, 0].tolist(), points[:, 1].tolist()
    box = np.array([2**31 - 1, 2**31 - 1, -(2**31), -(2**31)], "i4")
    return launch(45, points, out=[min(x), min(y), max(x), max(y)], dtype="i4", start=box)


def depth_buffer():
    place, depth, color = (integers(60, dtype="u4", high=n, seed=n) for n in (11, 7, 65535))
    wanted = [2**32 - 1] * 12
    for p, d, c in zip(place.tolist(), depth.tolist(), color.tolist(), strict=True):
        wanted[p] = min(wanted[p], d * 65536 + c)
    fragments = np.stack([place, depth, color, color], 1)
    start = np.full(12, 2**32 - 1, "u4")
    return launch(60, fragments, out=wanted, dtype="u4", start=start)


def splat_to_halves():
    x, where = np.round(values(40) * 8), integers(40, low=0, high=5)
    sums = [H(0)] * 6
    for v, to in zip(x, where.tolist(), strict=True):
        sums[to] = sums[to] + v
    wanted = np.array(sums, H).view("u4")
    return launch(40, x.astype(H), where, out=wanted, dtype="u4")
