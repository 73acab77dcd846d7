"""simulation.cl over scalars."""

import math
import zlib

import numpy as np
from cl_library import H, integers, launch, values

import halfcl as hc

F = np.float32


def n_body():
    bodies, dt = values(8, 4), H(0.05)

    def of(me):
        force = [H(0)] * 3
        for other in bodies:
            if other is me:
                continue
            d = [x - y for x, y in zip(other, me, strict=True)]
            inverse = hc.rsqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + H(0.01))
            pull = other[3] * inverse * inverse * inverse
            force = [f + x * pull for f, x in zip(force, d[:3], strict=True)]
        return [x + f * dt for x, f in zip(me[:3], force, strict=True)] + [me[3]]

    bodies = [list(b) for b in bodies]
    wanted = [of(b) for b in bodies]
    return launch(8, np.array(bodies, H), 8, 0.05, out=wanted, place=1)


def sph_density():
    points, h2 = values(12, 2), H(0.9) * H(0.9)

    def of(me):
        total = H(0)
        for other in points:
            d = [x - y for x, y in zip(other, me, strict=True)]
            w = h2 - (d[0] * d[0] + d[1] * d[1])
            if d[0] * d[0] + d[1] * d[1] < h2:
                total = total + w * w * w
        return total * H(4)

    return launch(12, points, 12, 0.9, out=[of(p) for p in points], place=1)


def gray_scott():
    m, feed, kill = values(5, 7, 2, low=0, high=1), H(0.035), H(0.06)

    def of(x, y):
        c = m[y, x]
        sides = (m[y, (x + 1) % 7], m[y, x - 1], m[(y + 1) % 5, x], m[y - 1, x])
        spread = []
        for k, rate in ((0, H(0.2)), (1, H(0.1))):
            around = sides[0][k] + sides[1][k] + sides[2][k] + sides[3][k]
            spread.append(c[k] + (around - H(4) * c[k]) * rate)
        reaction = c[0] * c[1] * c[1]
        a = feed * (H(1) - c[0]) - reaction
        return spread[0] + a, spread[1] + (reaction - (feed + kill) * c[1])

    wanted = [[of(x, y) for x in range(7)] for y in range(5)]
    return launch((7, 5), m, 0.035, 0.06, out=wanted, place=1)


def heat():
    x = values(30)
    padded = [x[0], *x, x[29]]
    wanted = [
        c + H(0.2) * (west - H(2) * c + east)
        for west, c, east in zip(padded, padded[1:], padded[2:], strict=False)
    ]
    return launch(30, x, 0.2, out=wanted, place=1)


def life():
    m = integers(6, 9, dtype="u1", low=0, high=1)

    def of(x, y):
        around = [m[(y + j) % 6, (x + i) % 9] for j in (-1, 0, 1) for i in (-1, 0, 1)]
        n = sum(map(int, around)) - int(m[y, x])
        return n == 3 or (n == 2 and m[y, x] == 1)

    wanted = [[of(x, y) for x in range(9)] for y in range(6)]
    return launch((9, 6), m, out=wanted, dtype="u1")


def fft_pass():
    data, span = values(16, 2), 4
    roots = np.array(
        [(math.cos(math.pi * k / 8), -math.sin(math.pi * k / 8)) for k in range(8)]
    ).astype(H)
    wanted = [list(v) for v in data]
    for i in range(8):
        k = i % span
        a = i // span * 2 * span + k
        (x, y), (c, s) = data[a + span], roots[2 * k]
        v = (x * c - y * s, x * s + y * c)
        wanted[a] = [p + q for p, q in zip(data[a], v, strict=True)]
        wanted[a + span] = [p - q for p, q in zip(data[a], v, strict=True)]
    return launch(8, roots, span, out=wanted, start=data, place=0)


def bounce():
    layout = np.dtype([("at", "f4", 2), ("speed", "f4", 2), ("bounces", "i4"), ("pad", "i4")])
    balls = np.zeros(10, layout)
    balls["at"], balls["speed"] = values(10, 2, low=0), values(10, 2, seed=3)
    wanted = balls.copy()
    for ball in wanted:
        for _ in range(40):
            ball["speed"][1] -= F(0.125)
            ball["at"] += ball["speed"] * F(0.25)
            if ball["at"][1] < 0:
                ball["at"][1] *= -1
                ball["speed"][1] *= F(-0.75)
                ball["bounces"] += 1
                if ball["bounces"] == 3:
                    break
    case = launch(10, 40, out=[0], start=balls, place=0)
    case.results[0] = wanted
    return case


def lorenz():
    states = values(10, 4)

    def of(x, y, z, w):
        step = H(0.005)
        for _ in range(15):
            dx, dy = H(10) * (y - x), x * (H(28) - z) - y
            dz = x * y - H(2.667) * z
            x, y, z, w = x + dx * step, y + dy * step, z + dz * step, w + H(0) * step
        return x, y, z, w

    wanted = [of(*s) for s in states]
    return launch(10, 15, out=wanted, start=states, place=0)


def random_walk():
    seeds = integers(20, dtype="u4", low=1)

    def of(s):
        x = y = 0
        for _ in range(30):
            s ^= s << 13 & 0xFFFFFFFF
            s ^= s >> 17
            s ^= s << 5 & 0xFFFFFFFF
            dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[s >> 30]
            x, y = x + dx, y + dy
        return x, y

    return launch(20, seeds, 30, out=[of(int(s)) for s in seeds], dtype="i4", place=1)


def collatz():
    def of(n):
        steps = 0
        while n != 1:
            n, steps = (3 * n + 1 if n % 2 else n // 2), steps + 1
        return steps

    return launch(40, out=[of(n + 1) for n in range(40)], dtype="i4")


def reduce_fractions():
    x = integers(40, 2, low=-60, high=60)

    def of(a, b):
        if b == 0:
            return a, b
        divisor = math.gcd(a, b) * (-1 if b < 0 else 1)
        return a // divisor, b // divisor

    return launch(40, out=[of(a, b) for a, b in x.tolist()], start=x, dtype="i4")


def crc32():
    data = integers(10, 9, dtype="u1")
    return launch(10, data, 9, out=[zlib.crc32(d.tobytes()) for d in data], dtype="u4", place=1)


def primes():
    wanted = [n > 1 and all(n % d for d in range(2, n)) for n in range(60)]
    return launch(60, out=wanted, dtype="u1")


def horner():
    x, c = values(30), values(6, seed=3)

    def of(x):
        p = q = c[5]
        for k in range(4, -1, -1):
            p, q = p * x + c[k], hc.fma(q, x, c[k])
        return p, q

    return launch(30, x, c, 6, out=[of(v) for v in x])


def enclosures():
    a, b = values(30, 2), values(30, 2, seed=3)

    def of(x, y):
        return [
            bound
            for mode in ("rtn", "rtp")
            for bound in (hc.add(x[0], y[0], rounding=mode), hc.multiply(x[1], y[1], rounding=mode))
        ]

    return launch(30, a, b, out=[of(x, y) for x, y in zip(a, b, strict=True)])
