"""shading.cl over scalars."""

import math

import numpy as np
from cl_library import H, launch, values

import halfcl as hc

ONE, ZERO = H(1), H(0)
LIGHT = np.array([0.5, 0.25, 0.75, 0], H)


def dot3(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(v):
    length = hc.sqrt(dot3(v, v))
    return [x / length for x in v[:3]]


def lambert():
    n = values(20, 4)
    return launch(20, n, LIGHT, out=[max(dot3(unit(v), LIGHT), ZERO) for v in n], place=1)


def blinn_phong():
    normals, views = values(40, 4), values(40, 4, seed=3)
    shininess, diffuse, specular, ambient = material = np.array([8, 0.7, 0.4, 0.1], H)

    def of(n, v):
        n, v = unit(n), unit(v)
        d, s = dot3(n, LIGHT), ZERO
        if d > 0:
            middle = unit([x + y for x, y in zip(v, LIGHT[:3], strict=True)])
            s = hc.pow(max(dot3(n, middle), ZERO), shininess)
        else:
            d = ZERO
        return ambient + diffuse * d + specular * s

    wanted = [of(n, v) for n, v in zip(normals, views, strict=True)]
    return launch(40, normals, views, LIGHT, material.view(np.uint8), out=wanted, place=2)


def normal_map():
    heights = values(5, 7)

    def of(x, y):
        dx = heights[y, max(x - 1, 0)] - heights[y, min(x + 1, 6)]
        dy = heights[max(y - 1, 0), x] - heights[min(y + 1, 4), x]
        return [v * H(0.5) + H(0.5) for v in unit([dx * H(2.5), dy * H(2.5), ONE])] + [ONE]

    wanted = [[of(x, y) for x in range(7)] for y in range(5)]
    return launch((7, 5), heights, 2.5, out=wanted, place=1)


def fresnel():
    x = values(30, low=0, high=1)

    def of(c):
        m = ONE - c
        return H(0.04) + (ONE - H(0.04)) * (m * m * (m * m) * m)

    return launch(30, x, 0.04, out=[of(c) for c in x], place=1)


def checkers():
    wanted = [[255 if (x // 3 ^ y // 3) & 1 else 32 for x in range(10)] for y in range(7)]
    return launch((10, 7), 3, out=wanted, dtype="u1", place=0)


def hash_of(x):
    x %= 1 << 32
    x = (x ^ x >> 16) * 0x7FEB352D % (1 << 32)
    x = (x ^ x >> 15) * 0x846CA68B % (1 << 32)
    return x ^ x >> 16


def value_noise():
    scale = H(0.3)

    def of(x, y):
        u, v = H(x) * scale, H(y) * scale
        i, j = math.floor(u), math.floor(v)
        fx, fy = u - H(i), v - H(j)
        rows = []
        for b in (0, 1):
            first, second = (H(hash_of(i + a + 57 * (j + b)) >> 22) / H(1023) for a in (0, 1))
            rows.append(first + (second - first) * fx)
        return rows[0] + (rows[1] - rows[0]) * fy

    wanted = [[of(x, y) for x in range(9)] for y in range(6)]
    return launch((9, 6), 0.3, out=wanted, place=0)


def circle_distance():
    def of(x, y):
        return hc.sqrt(H(x - 4) * H(x - 4) + H(y - 4) * H(y - 4)) - H(3.3)

    wanted = [[of(x, y) for x in range(9)] for y in range(9)]
    return launch((9, 9), 3.3, out=wanted, place=0)


def ray_sphere():
    directions, distance = values(40, 4, low=-0.4, high=1), H(1.75)

    def of(v):
        b = unit(v)[2] * distance
        discriminant = b * b - (distance * distance - ONE)
        if discriminant < 0:
            return H(math.inf)
        root = hc.sqrt(discriminant)
        return b - root if b - root > 0 else b + root

    return launch(40, directions, 1.75, out=[of(v) for v in directions], place=1)


def mandelbrot():
    def of(px, py):
        cx, cy, x, y = H(px) * H(0.1875) - H(2), H(py) * H(0.25) - ONE, ZERO, ZERO
        for n in range(25):
            if x * x + y * y > 4:
                return n
            x, y = x * x - y * y + cx, H(2) * x * y + cy
        return 25

    wanted = [[of(x, y) for x in range(16)] for y in range(9)]
    return launch((16, 9), 25, out=wanted, dtype="i4", place=0)


def julia():
    c = np.array([-0.4, 0.6], H)

    def of(px, py):
        x, y = (H(p) * H(0.25) - H(1.5) for p in (px, py))
        for n in range(30):
            xx, yy = x * x, y * y
            if xx + yy > 4:
                return 8 * n
            x, y = xx - yy + c[0], H(2) * x * y + c[1]
        return 240

    wanted = [[of(x, y) for x in range(13)] for y in range(13)]
    return launch((13, 13), c, out=wanted, dtype="u1", place=0)


def alpha_over():
    above, below = values(20, 4, low=0, high=1), values(20, 4, low=0, high=1, seed=3)
    wanted = [
        [x + y * (ONE - a[3]) for x, y in zip(a, b, strict=True)]
        for a, b in zip(above, below, strict=True)
    ]
    return launch(20, above, out=wanted, start=below)
