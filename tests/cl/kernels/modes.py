"""modes.cl over scalars, each in a region of its mode."""

import numpy as np
from cl_library import H, integers, launch, values

import halfcl as hc

MODES = ("rte", "rtz", "rtp", "rtn")


def in_mode(mode, operation, *operands):
    with hc.rounding(mode):
        return operation(*operands)


def down(operation, *operands):
    return in_mode("rtn", operation, *operands)


def up(operation, *operands):
    return in_mode("rtp", operation, *operands)


def plus(a, b):
    return a + b


def minus(a, b):
    return a - b


def times(a, b):
    return a * b


def over(a, b):
    return a / b


def intervals(count, seed):
    return np.sort(values(count, 2, seed=seed), axis=1)


def add(a, b):
    return down(plus, a[0], b[0]), up(plus, a[1], b[1])


def multiply(a, b):
    pairs = [(x, y) for x in a for y in b]
    return min(down(times, *p) for p in pairs), max(up(times, *p) for p in pairs)


def interval_sum():
    a, b = intervals(30, 1), intervals(30, 2)
    return launch(30, a, b, out=[add(*p) for p in zip(a, b, strict=True)])


def interval_horner():
    x, c = intervals(25, 3), values(5)

    def of(x):
        total = (c[4], c[4])
        for k in (3, 2, 1, 0):
            total = add(multiply(total, x), (c[k], c[k]))
        return total

    return launch(25, x, c, 5, out=[of(v) for v in x])


def interval_quotient():
    a, b = values(30, low=0.1, seed=1), values(30, low=0.1, seed=2)
    b[::7] = a[::7]

    def of(a, b):
        low, high = down(minus, a, b), up(minus, a, b)
        least, most = down(plus, a, b), up(plus, a, b)
        lower = down(over, low, least if low < 0 else most)
        return lower, up(over, high, most if high < 0 else least)

    return launch(30, a, b, out=[of(*p) for p in zip(a, b, strict=True)])


def neighbours():
    """Count neighbours of points on a lattice, many of which are exactly one radius away."""
    points = (integers(30, 4, low=0, high=9) * 0.1).astype(H)
    radius = H(0.3)

    def is_near(p, q):
        d = [q[k] - p[k] for k in range(3)]
        return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= radius * radius

    def counts():
        return [
            sum(k != i and bool(is_near(points[i], points[k])) for k in range(30))
            for i in range(30)
        ]

    wanted = in_mode("rtz", counts)
    assert wanted != counts()
    return launch(30, points, radius, 30, out=wanted, dtype="i4", place=2)


def leg():
    a = values(40, low=0.5)
    c = np.nextafter(a, H(9))
    c[::3] = a[::3]

    def of(c, a):
        with hc.rounding("rtp"):
            product = (c - a) * (c + a)
        return hc.sqrt(product)

    return launch(40, c, a, out=[of(*p) for p in zip(c, a, strict=True)])


def area(a, b, c):
    s = (a + b + c) / H(2)
    return s * (s - a) * (s - b) * (s - c)


def rerun():
    sides = values(20, 4, low=1, high=2)
    wanted = [[in_mode(mode, area, *map(H, row[:3])) for mode in MODES] for row in sides]
    return launch(20, sides, out=wanted)


def spread_of_sums():
    x = values(6, 15)

    def total(row):
        result = H(0)
        for v in row:
            result = result + v
        return result

    def of(row):
        sums = [in_mode(mode, total, row) for mode in MODES]
        return max(sums[:3]) - sums[3]

    return launch(24, x, 15, out=[of(row) for row in x], place=1, local=4)
