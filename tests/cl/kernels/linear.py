"""linear.cl over scalars."""

import numpy as np
from cl_library import H, integers, launch, values

import halfcl as hc
from halfcl import cl

F = np.float32


def axpy():
    x, y = values(30), values(30, seed=3)
    wanted = [b + H(1.7) * a for a, b in zip(x, y, strict=True)]
    return launch(30, 1.7, x, out=wanted, start=y)


def dot(a, b):
    total = H(0)
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def mat_vec():
    m, v = values(6, 9), values(9, seed=3)
    return launch(6, m, v, 9, out=[dot(row, v) for row in m], place=2)


def mat_mul():
    a, b = values(5, 8), values(8, 6, seed=3)

    def of(row, column):
        total = H(0)
        for x, y in zip(row, column, strict=True):
            total = hc.fma(x, y, total)
        return total

    wanted = [[of(row, column) for column in b.T] for row in a]
    return launch((6, 5), a, b, 8, out=wanted, place=2)


def mat_mul_tiled():
    a, b = values(8, 12), values(12, 8, seed=3)
    wanted = [[dot(row, column) for column in b.T] for row in a]
    return launch((8, 8), a, b, 12, out=wanted, place=2, local=(4, 4))


def transpose():
    m = values(8, 12)
    tile = cl.LocalMemory(2 * 4 * 5)
    return launch((12, 8), m, tile, out=[list(c) for c in m.T], place=1, local=(4, 4))


def softmax():
    m = values(5, 7, low=-4, high=4)

    def of(row):
        high = max(row)
        powers = [hc.exp(v - high) for v in row]
        total = H(0)
        for p in powers:
            total = total + p
        return [p / total for p in powers]

    wanted = [of(row) for row in m]
    return launch(5, 7, out=wanted, start=m, place=0)


def layer_norm():
    m = values(4, 9)

    def of(row):
        total, squares = F(0), F(0)
        for v in row:
            total = total + F(v)
        mean = total / F(9)
        for v in row:
            squares = squares + (F(v) - mean) * (F(v) - mean)
        scale = hc.rsqrt(H(squares / F(9)) + H(0.01))
        return [(v - H(mean)) * scale for v in row]

    return launch(4, m, 9, 0.01, out=[of(row) for row in m], place=1)


def activations():
    x, zero, one = values(40, low=-6, high=6), H(0), H(1)

    def of(v):
        s = one / (one + hc.exp(-v))
        return v if v > 0 else zero, v if v > 0 else H(0.01) * v, s, v * s

    return launch(40, x, out=[of(v) for v in x])


def max_pool():
    m = values(6, 8)
    wanted = [
        [max(m[2 * y : 2 * y + 2, 2 * x : 2 * x + 2].flat) for x in range(4)] for y in range(3)
    ]
    return launch((4, 3), m, 8, out=wanted, place=1)


def convolve():
    x, taps = values(24), values(5, seed=3)
    return launch(20, x, taps, 5, out=[dot(taps, x[i : i + 5]) for i in range(20)], place=2)


def quantise():
    x, scale = values(40, low=-9, high=9), H(0.05)
    wanted = [max(-128, min(127, round(float(v / scale)))) for v in x]
    return launch(40, x, 0.05, out=wanted, dtype="i1", place=1)


def dequantised_dot():
    a, b = integers(20, 4, dtype="i1"), integers(20, 4, dtype="i1", seed=3)
    wanted = [
        F(int(np.dot(x.astype(int), y.astype(int)))) * F(0.013) for x, y in zip(a, b, strict=True)
    ]
    return launch(20, a, b, 0.013, out=wanted, dtype="f4", place=2)


def solve2():
    m, v = values(20, 4).astype("f4"), values(20, 2, seed=3).astype("f4")

    def of(a, b, c, d, x, y):
        det = a * d - b * c
        return (d * x - b * y) / det, (a * y - c * x) / det

    wanted = [of(*p, *q) for p, q in zip(m, v, strict=True)]
    return launch(20, m, v, out=wanted, dtype="f4")


def newton_sqrt():
    x = values(30, low=0.1, high=200).astype("f4")

    def of(x):
        y, n = max(x, F(1)), 0
        while True:
            last, y = y, F(0.5) * (y + x / y)
            n += y < last
            if not y < last or n >= 50:
                return last

    return launch(30, x, out=[of(v) for v in x], dtype="f4")
