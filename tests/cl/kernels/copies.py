"""copies.cl over scalars."""

import numpy as np
from cl_library import H, Wanted, integers, launch, values

from halfcl import cl


def multiply_tiles():
    n = 8
    a, b = values(n, n, seed=1), values(n, n, seed=2)

    def of(y, x):
        total = H(0)
        for k in range(n):
            total = total + a[y, k] * b[k, x]
        return total

    wanted = [[of(y, x) for x in range(n)] for y in range(n)]
    return launch((n, n), a, b, n, out=wanted, place=2, local=(4, 4))


def transpose_tiles():
    x = values(8, 12)
    wanted = [[x[j, i] for j in range(8)] for i in range(12)]
    return launch((12, 8), x, 12, 8, out=wanted, place=1, local=(4, 4))


def weighted_sum(x):
    total = H(0)
    for w, v in zip((0.0625, 0.25, 0.375, 0.25, 0.0625), x, strict=True):
        total = total + H(w) * v
    return total


def pad():
    return values(12, 20, low=0, high=9)


def smooth_rows(image):
    return [[weighted_sum(row[x : x + 5]) for x in range(16)] for row in image]


def gauss_rows():
    return launch((16, 12), pad(), 16, out=smooth_rows(pad()), place=1, local=(8, 1))


def gauss_columns():
    rows = smooth_rows(pad())
    wanted = [
        [weighted_sum([rows[y + k][x] for k in range(5)]) for x in range(16)] for y in range(8)
    ]
    between = np.zeros((12, 16), H)
    case = launch((16, 8), between, 16, out=wanted, place=1, local=(1, 8))
    case.earlier = [("gauss_rows", (16, 12), (8, 1), [pad(), between, 16])]
    return case


def double_buffered():
    x = values(3, 8, 4)

    def of(i, c):
        total = H(0)
        for k in range(3):
            total = total + x[k, 7 - i, c] * H(k + 1)
        return total

    wanted = [[of(i % 8, c) for c in range(4)] for i in range(16)]
    return launch(16, x, 3, out=wanted, place=1, local=8)


def scan(t):
    t, d = list(t), 1
    while d < len(t):
        t = [t[i - d] + v if i >= d else v for i, v in enumerate(t)]
        d *= 2
    return t


def scan_groups():
    x = values(32)
    parts = [scan(part) for part in x.reshape(4, 8)]
    results = {0: np.array(parts, H), 1: np.array([part[-1] for part in parts], H)}
    return Wanted(32, 8, [x, np.zeros(4, H), cl.LocalMemory(16)], results)


def scan_add():
    x, sums = integers(32, low=-30, high=30).astype(H), np.zeros(4, H)
    wanted, total = [], H(0)
    for v in x:  # what is exact does not depend on the order
        total = total + v
        wanted.append(total)
    case = launch(32, sums, out=wanted, start=x, place=0, local=8)
    case.earlier = [("scan_groups", 32, 8, [x, sums, cl.LocalMemory(16)])]
    return case
