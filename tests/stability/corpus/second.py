"""Forty-odd programs as users write them: arrays filled in place, masks, lists, loops, helpers.

The verdict was not tuned to them.
"""

import gmpy2 as m
import numpy as np
from corpus_programs import Corpus, geomspace_halves, linspace_halves, random_halves

import halfcl as hc
from halfcl import half

CORPUS = Corpus()
add = CORPUS.add

# ---------------------------------------------------------------- statistics of columns

HEIGHTS = [random_halves(k, 150 - 10 * k, 190 + 2 * k, 30) for k in range(8)]


def _mean(x):
    return sum(x) / len(x)


@add(lambda x: _mean([(a - _mean(x)) ** 3 for a in x]), whole=True, cases=HEIGHTS)
def third_moment(x):
    n = len(x)
    s1 = s2 = s3 = half(0)
    for v in x:
        v = v / 100
        s1 += v
        s2 += v * v
        s3 += v * v * v
    mu = s1 / n
    return (s3 / n - 3 * mu * s2 / n + 2 * mu * mu * mu) * 1000 * 1000


@add(lambda x: _mean([(a - _mean(x)) ** 2 for a in x]), whole=True, cases=HEIGHTS)
def spread_of_heights(x):
    c = x - x.mean()
    np.multiply(c, c, out=c)
    return c.mean()


@add(lambda x: [a - _mean(x) for a in x], whole=True, cases=HEIGHTS)
def subtract_mean(x):
    y = x.copy()
    y -= np.sum(y) / y.size
    return y


@add(
    lambda x: [_mean(x[max(0, k - 4) : k + 1]) for k in range(len(x))],
    whole=True,
    cases=HEIGHTS[:4],
)
def moving_average(x):
    out = np.zeros(x.size, half)
    for k in range(x.size):
        out[k] = x[max(0, k - 4) : k + 1].sum() / (k + 1 - max(0, k - 4))
    return out


@add(
    lambda x: [_mean(x[max(0, k - 4) : k + 1]) for k in range(len(x))],
    whole=True,
    cases=HEIGHTS[:4],
)
def moving_average_by_running_sum(x):
    c = np.concatenate([np.zeros(1, half), np.cumsum(x)])
    out = np.empty(x.size, half)
    for k in range(x.size):
        low = max(0, k - 4)
        out[k] = (c[k + 1] - c[low]) / (k + 1 - low)
    return out


def _covariance(p, q):
    return _mean([(a - _mean(p)) * (b - _mean(q)) for a, b in zip(p, q, strict=True)])


WEIGHTS = [random_halves(k + 90, 40, 100, 30) for k in range(6)]


@add(_covariance, whole=True, cases=list(zip(HEIGHTS[:6], WEIGHTS, strict=True)))
def covariance(p, q):
    return (p / 10 * (q / 10)).mean() * 100 - p.mean() * q.mean()


def _smooth(x):
    y, result = x[0], []
    for a in x:
        y = y + (a - y) / 8
        result.append(y)
    return result


@add(_smooth, whole=True, cases=HEIGHTS[:4])
def exponential_smoothing(x):
    y = x[0]
    kept = []
    for a in x:
        y = y + (a - y) / 8
        kept.append(y)
    return np.stack(kept)


# ---------------------------------------------------------------- geometry and physics


@add(
    lambda r, h: m.sqrt(r * r + h * h) - r,
    linspace_halves(20, 200, 50),
    linspace_halves(0.5, 20, 50),
)
def rise_above_horizon(radius, height):
    slant = hc.hypot(radius, height)
    return slant - radius


@add(
    lambda r, h: m.sqrt(r * r + h * h) - r,
    linspace_halves(20, 200, 50),
    linspace_halves(0.5, 20, 50),
)
def rise_without_loss(radius, height):
    ratio = height / radius
    return height * ratio / (1 + hc.sqrt(hc.fma(ratio, ratio, half(1))))


@add(
    lambda a, b: m.sin(a) ** 2 - m.sin(b) ** 2,
    linspace_halves(0.3, 1.4, 50),
    linspace_halves(0.32, 1.37, 50),
)
def difference_of_intensities(a, b):
    return np.sin(a) ** 2 - np.sin(b) ** 2


@add(
    lambda a, b: m.sin(a + b) * m.sin(a - b),
    linspace_halves(0.3, 1.4, 50),
    linspace_halves(0.32, 1.37, 50),
)
def difference_as_product(a, b):
    return np.sin(a + b) * np.sin(a - b)


@add(lambda v: 1 / m.sqrt(1 - v * v) - 1, geomspace_halves(0.02, 0.999, 50))
def kinetic_energy(v):
    gamma = hc.rsqrt(1 - v * v)
    gamma -= 1
    return gamma


@add(lambda u, f: 1 / (1 / f - 1 / u), linspace_halves(5.1, 60, 50), half(5))
def image_distance(u, f):
    return 1 / (1 / f - 1 / u)


@add(lambda u, f: u * f / (u - f), linspace_halves(5.1, 60, 50), half(5))
def image_distance_by_product(u, f):
    return f * (u / (u - f))


def _distance(a, b, c, d):
    return m.hypot(c - a, d - b)


POINTS = [random_halves(k, 90, 95, 40) for k in range(4)]


@add(_distance, *POINTS)
def distance(a, b, c, d):
    return np.sqrt((c - a) ** 2 + (d - b) ** 2)


@add(_distance, *POINTS)
def distance_by_squares(a, b, c, d):
    scale = half(64)
    a, b, c, d = a / scale, b / scale, c / scale, d / scale
    inside = a * a + b * b + c * c + d * d - 2 * (a * c + b * d)
    inside = np.maximum(inside, 0)
    return np.sqrt(inside) * scale


@add(lambda a, b, c, d: a * d - b * c + 92 * c - 91 * d + 91 * b - 92 * a, *POINTS)
def signed_area(a, b, c, d):
    shoelace = a * d - b * c
    shoelace = shoelace + (c * half(92) - d * half(91))
    return shoelace + (half(91) * b - half(92) * a)


def _turn(x):
    y = m.mpfr(0)
    for _ in range(50):
        x, y = m.mpfr(0.96875) * x - m.mpfr(0.25) * y, m.mpfr(0.25) * x + m.mpfr(0.96875) * y
    return x


@add(_turn, geomspace_halves(0.1, 50, 40))
def turning_fifty_times(x):
    y = np.zeros_like(x)
    c, s = half(0.96875), half(0.25)
    for _ in range(50):
        x, y = c * x - s * y, s * x + c * y
    return x


def _orbit(x):
    px, py, vx, vy = x, m.mpfr(0), m.mpfr(0), m.mpfr(1)
    for _ in range(20):
        r = px * px + py * py
        r = r * m.sqrt(r)
        vx, vy = vx - px / r / 16, vy - py / r / 16
        px, py = px + vx / 16, py + vy / 16
    return py


@add(_orbit, linspace_halves(0.8, 1.6, 30))
def orbit(x):
    p, v = np.stack([x, 0 * x]), np.stack([0 * x, 0 * x + 1])
    for _ in range(20):
        r2 = (p * p).sum(axis=0)
        v -= p / (r2 * np.sqrt(r2)) / 16
        p += v / 16
    return p[1]


def _cooling(x):
    u = [m.mpfr(0)] * 9
    u[4] = x
    for _ in range(40):
        u = (
            [m.mpfr(0)]
            + [u[k] + (u[k - 1] - 2 * u[k] + u[k + 1]) / 4 for k in range(1, 8)]
            + [m.mpfr(0)]
        )
    return u


@add(_cooling, whole=True, cases=half([1, 7, 90]))
def heat_in_a_rod(x):
    u = np.zeros(9, half)
    u[4] = x
    for _ in range(40):
        u[1:-1] += (u[:-2] - 2 * u[1:-1] + u[2:]) / 4
    return u


def _heat(x):
    u = [m.mpfr(0)] * 9
    u[4] = x
    for _ in range(12):
        u = (
            [m.mpfr(0)]
            + [u[k] + (u[k - 1] - 2 * u[k] + u[k + 1]) * m.mpfr(0.625) for k in range(1, 8)]
            + [m.mpfr(0)]
        )
    return u


@add(_heat, whole=True, cases=half([1, 7, 90]))
def steps_too_long(x):
    u = np.zeros(9, half)
    u[4] = x
    for _ in range(12):
        u[1:-1] += (u[:-2] - 2 * u[1:-1] + u[2:]) * 0.625
    return u


# ---------------------------------------------------------------- money


@add(lambda r, n: ((1 + r) ** int(n) - 1) / r, geomspace_halves(0.001, 0.2, 40), half(24))
def annuity(rate, months):
    return ((1 + rate) ** int(months) - 1) / rate


@add(lambda r, n: ((1 + r) ** int(n) - 1) / r, geomspace_halves(0.001, 0.2, 40), half(24))
def annuity_by_log(rate, months):
    return hc.expm1(months * hc.log1p(rate)) / rate


def _balance(x):
    for _ in range(36):
        x = x + x / 128 - m.mpfr(2.5)
    return x


@add(_balance, linspace_halves(80, 90, 40))
def loan_at_the_end(x):
    paid = 0
    while paid < 36:
        x = x + x / 128 - 2.5
        paid += 1
    return x


@add(lambda a, b: (b - a) / a * 100, linspace_halves(98, 103, 40), linspace_halves(98.3, 102.5, 40))
def percent_change(a, b):
    return (b / a - 1) * 100


@add(lambda a, b: (b - a) / a * 100, linspace_halves(98, 103, 40), linspace_halves(98.3, 102.5, 40))
def percent_change_first(a, b):
    return (b - a) / a * 100


# ---------------------------------------------------------------- matrices


def _dets(a):
    (p, q, r), (s, t, u), (v, w, x) = a
    return p * (t * x - u * w) - q * (s * x - u * v) + r * (s * w - t * v)


SQUARES = [random_halves(k, 0.5, 4, 3, 3) for k in range(24)]


@add(_dets, whole=True, cases=SQUARES)
def determinant_by_elimination(a):
    a = a.copy()
    det = half(1)
    for k in range(3):
        det = det * a[k, k]
        for j in range(k + 1, 3):
            a[j] -= a[k] * (a[j, k] / a[k, k])
    return det


@add(_dets, whole=True, cases=SQUARES)
def determinant_by_rows(a):
    (p, q, r), (s, t, u), (v, w, x) = a
    return p * (t * x - u * w) - q * (s * x - u * v) + r * (s * w - t * v)


def _product(a):
    b = a
    for _ in range(3):
        b = [[sum(r[k] * a[k][j] for k in range(3)) for j in range(3)] for r in b]
    return b


@add(_product, whole=True, cases=SQUARES[:6])
def fourth_power(a):
    b = a
    for _ in range(3):
        b = b @ a
    return b


def _solve(a):
    det = _dets(a)
    columns = [[[*r[:k], m.mpfr(1), *r[k + 1 :]] for r in a] for k in range(3)]
    return [_dets(c) / det for c in columns]


@add(_solve, whole=True, cases=SQUARES)
def solution_by_elimination(a):
    a = np.concatenate([a, np.ones((3, 1), half)], axis=1)
    for k in range(3):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        a[[k, pivot]] = a[[pivot, k]]
        for j in range(3):
            if j != k:
                a[j] = a[j] - a[k] * (a[j, k] / a[k, k])
    return a[:, 3] / np.diagonal(a)


def _orthogonal(a):
    q = []
    for v in ([r[k] for r in a] for k in range(3)):
        for u in q:
            s = sum(x * y for x, y in zip(u, v, strict=True))
            v = [y - s * x for x, y in zip(u, v, strict=True)]
        size = m.sqrt(sum(x * x for x in v))
        q.append([x / size for x in v])
    return q


@add(_orthogonal, whole=True, cases=SQUARES[:16])
def gram_schmidt(a):
    q = np.zeros((3, 3), half)
    for k in range(3):
        v = a[:, k].copy()
        for j in range(k):
            v = v - np.dot(q[j], a[:, k]) * q[j]
        q[k] = v / np.sqrt(np.dot(v, v))
    return q


# ---------------------------------------------------------------- until it converges


@add(lambda x: m.log(x), linspace_halves(1.5, 30, 25))
def log_by_bisection(x):
    low, high = np.zeros_like(x), np.full(x.shape, 4, half)
    while np.any(high - low > 0.004):
        mid = (low + high) / 2
        above = np.exp(mid) > x
        high[above] = mid[above]
        low[~above] = mid[~above]
    return (low + high) / 2


def _fixed_point(x):
    y = m.mpfr(1)
    for _ in range(300):
        y = m.cos(y * x)
    return y


@add(_fixed_point, half([0.3, 0.5, 0.7, 0.9, 1, 1.1]))
def fixed_point(x):
    y, tries = x * 0 + 1, 0
    while tries < 60:
        y = np.cos(y * x)
        tries += 1
    return y


def _cotangent(x):
    return 1 / m.tan(x) - 1 / x


@add(_cotangent, geomspace_halves(0.05, 3, 40))
def langevin_like(x):
    return np.cos(x) / np.sin(x) - 1 / x


@add(_cotangent, geomspace_halves(0.05, 1.2, 40))
def langevin_like_by_series(x):
    s = x * x
    return -x / 3 * (1 + s / 15 * (1 + s * 2 / 21 * (1 + s / 10)))


def _gradient(x):
    for _ in range(12):
        x = x - (4 * x**3 - 4 * x) / 16
    return x


@add(_gradient, linspace_halves(-1.6, 1.6, 41))
def descent(x):
    def slope(at):
        return 4 * at * at * at - 4 * at

    for _ in range(12):
        x = x - slope(x) / 16
    return x


# ---------------------------------------------------------------- signals and learning

TONES = [random_halves(k, -1, 1, 16) for k in range(6)]


def _tone(k):
    def of(x):
        n = len(x)
        turn = 2 * m.const_pi() * k / n
        return sum(a * m.cos(turn * j) for j, a in enumerate(x))

    return of


@add(_tone(3), whole=True, cases=TONES)
def one_frequency(x):
    angles = half(2 * np.pi * 3 / 16) * np.arange(16).astype(half)
    return np.sum(x * np.cos(angles))


@add(_tone(3), whole=True, cases=TONES)
def one_frequency_by_goertzel(x):
    twice = 2 * np.cos(half(2 * np.pi * 3 / 16))
    before = now = half(0)
    for a in x:
        before, now = now, a + twice * now - before
    return now * (twice / 2) - before


def _resonance(x):
    a = b = m.mpfr(0)
    result = []
    for v in x:
        a, b = v + m.mpfr(1.875) * a - m.mpfr(0.9375) * b, a
        result.append(a)
    return result


@add(_resonance, whole=True, cases=TONES)
def resonance(x):
    y = np.zeros(x.size + 2, half)
    for k in range(x.size):
        y[k + 2] = x[k] + 1.875 * y[k + 1] - 0.9375 * y[k]
    return y[2:]


def _normalise(x):
    size = m.sqrt(_mean([(b - _mean(x)) ** 2 for b in x]))
    return [(a - _mean(x)) / size for a in x]


SIZES = half([1, 2, 4, 0.5, 8, 0.25])


@add(_normalise, whole=True, cases=[t * k + 20 for t, k in zip(TONES, SIZES, strict=True)])
def layer_norm(x):
    mu = x.mean()
    var = (x * x).mean() - mu * mu
    return (x - mu) / np.sqrt(np.maximum(var, half(1e-6)))


def _gelu(x):
    return x / 2 * m.erfc(-x / m.sqrt(m.mpfr(2)))


@add(_gelu, linspace_halves(-4, 3, 60))
def gelu(x):
    return x / 2 * (1 + hc.erf(x / np.sqrt(half(2))))


@add(_gelu, linspace_halves(-4, 3, 60))
def gelu_by_complement(x):
    return x / 2 * hc.erfc(-x * half(0.70710678))


@add(lambda x: m.log1p(m.exp(-abs(x))), linspace_halves(-9, 9, 60))
def surprise(x):
    return -np.log(1 / (1 + np.exp(-np.abs(x))))


@add(lambda p: -p * m.log(p) - (1 - p) * m.log(1 - p), linspace_halves(0.003, 0.997, 60))
def entropy(p):
    q = 1 - p
    return -(p * np.log(p) + q * np.log(q))


def _cosine(p, q):
    def dot(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True))

    return 1 - dot(p, q) / m.sqrt(dot(p, p) * dot(q, q))


NEAR = [(v, v + w / 30) for v, w in zip(TONES, TONES[::-1], strict=True)]


@add(_cosine, whole=True, cases=NEAR)
def cosine_distance(p, q):
    return 1 - np.dot(p, q) / (np.linalg.norm(p) * np.linalg.norm(q))


@add(_cosine, whole=True, cases=NEAR)
def cosine_distance_by_difference(p, q):
    a, b = p / hc.length(p), q / hc.length(q)
    d = a - b
    return np.dot(d, d) / 2
