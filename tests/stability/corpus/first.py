"""A hundred formulas and loops of kinds that books on numerical computation warn of.

Others like them are harmless. (Hamming, Numerical Methods for Scientists and Engineers;
Higham, Accuracy and Stability of Numerical Algorithms; Kahan's notes; Goldberg, What every
computer scientist should know about floating-point arithmetic.)
"""

import gmpy2 as m
import numpy as np
from corpus_programs import Corpus, geomspace_halves, linspace_halves, random_halves

import halfcl as hc
from halfcl import half

CORPUS = Corpus()
add = CORPUS.add
ONE_UP = geomspace_halves(1, 30000)
SMALL = geomspace_halves(0.0005, 0.9)

# ---------------------------------------------------------------- differences of near numbers


@add(lambda x: m.sqrt(x + 1) - m.sqrt(x), ONE_UP)
def roots_apart(x):
    return np.sqrt(x + 1) - np.sqrt(x)


@add(lambda x: m.sqrt(x + 1) - m.sqrt(x), ONE_UP)
def roots_by_sum(x):
    return 1 / (np.sqrt(x + 1) + np.sqrt(x))


@add(lambda x: 1 / x - 1 / (x + 1), geomspace_halves(1, 200))
def reciprocals_apart(x):
    return 1 / x - 1 / (x + 1)


@add(lambda x: 1 / x - 1 / (x + 1), geomspace_halves(1, 200))
def reciprocals_by_product(x):
    return 1 / x / (x + 1)


@add(lambda x: m.atan(x + 1) - m.atan(x), geomspace_halves(0.5, 150))
def angles_apart(x):
    return np.arctan(x + 1) - np.arctan(x)


@add(lambda x: m.atan(x + 1) - m.atan(x), geomspace_halves(0.5, 150))
def angles_by_one(x):
    return np.arctan(1 / (1 + x * (x + 1)))


@add(lambda x: m.expm1(x), SMALL)
def exp_less_one(x):
    return np.exp(x) - 1


@add(lambda x: m.expm1(x), SMALL)
def exp_less_one_at_once(x):
    return np.expm1(x)


@add(lambda x: m.log1p(x), SMALL)
def log_of_one_more(x):
    return np.log(1 + x)


@add(lambda x: m.log1p(x), SMALL)
def log_of_one_more_corrected(x):
    y = 1 + x
    return np.where(y == 1, x, x * np.log(y) / np.where(y == 1, 1, y - 1))


@add(lambda x: (1 - m.cos(x)) / (x * x), geomspace_halves(0.02, 3))
def flat_cosine(x):
    return (1 - np.cos(x)) / (x * x)


@add(lambda x: (1 - m.cos(x)) / (x * x), geomspace_halves(0.02, 3))
def flat_cosine_by_sine(x):
    s = np.sin(x / 2) / x
    return 2 * s * s


@add(lambda x: m.tan(x) - m.sin(x), geomspace_halves(0.02, 1))
def tangent_less_sine(x):
    return np.tan(x) - np.sin(x)


@add(lambda x: m.tan(x) - m.sin(x), geomspace_halves(0.05, 1))
def tangent_by_half_angle(x):
    s = np.sin(x / 2)
    return 2 * np.tan(x) * s * s


@add(lambda x: m.log(x + 1) - m.log(x), geomspace_halves(1, 2000))
def logarithms_apart(x):
    return np.log(x + 1) - np.log(x)


@add(lambda x: m.log(x + 1) - m.log(x), geomspace_halves(1, 2000))
def logarithms_at_once(x):
    return np.log1p(1 / x)


@add(lambda x: m.cbrt(x + 1) - m.cbrt(x), ONE_UP)
def cube_roots_apart(x):
    return np.cbrt(x + 1) - np.cbrt(x)


@add(lambda x, y: x * x - y * y, linspace_halves(3, 20), linspace_halves(3.01, 20.2))
def squares_apart(x, y):
    return x * x - y * y


@add(lambda x, y: x * x - y * y, linspace_halves(3, 20), linspace_halves(3.01, 20.2))
def squares_factored(x, y):
    return (x - y) * (x + y)


@add(lambda x: m.sinh(x), geomspace_halves(0.002, 8))
def sinh_by_exp(x):
    return (np.exp(x) - np.exp(-x)) / 2


@add(lambda x: m.tanh(x), geomspace_halves(0.002, 5))
def tanh_by_exp(x):
    e = np.exp(2 * x)
    return (e - 1) / (e + 1)


@add(lambda x: m.asinh(x), geomspace_halves(0.001, 100))
def asinh_by_log(x):
    return np.log(x + np.sqrt(x * x + 1))


@add(lambda x: m.asinh(-x), geomspace_halves(0.01, 100))
def asinh_of_negative(x):
    return np.log(-x + np.sqrt(x * x + 1))


@add(lambda x: m.acosh(x), geomspace_halves(1.001, 200))
def acosh_by_log(x):
    return np.log(x + np.sqrt(x * x - 1))


@add(lambda x: 1 - m.sqrt(1 - x * x), geomspace_halves(0.01, 0.99))
def sagitta(x):
    return 1 - np.sqrt(1 - x * x)


@add(lambda x: 1 - m.sqrt(1 - x * x), geomspace_halves(0.01, 0.99))
def sagitta_by_quotient(x):
    return x * x / (1 + np.sqrt((1 - x) * (1 + x)))


@add(lambda x: (m.expm1(x) - x) / (x * x), geomspace_halves(0.01, 3))
def second_phi(x):
    return (np.expm1(x) - x) / (x * x)


@add(lambda x: m.expm1(x) / x, geomspace_halves(0.001, 3))
def first_phi(x):
    return (np.exp(x) - 1) / x


@add(lambda x: m.expm1(x) / x, geomspace_halves(0.001, 3))
def first_phi_by_log(x):
    y = np.exp(x)
    return np.where(y == 1, 1, (y - 1) / np.where(y == 1, 1, np.log(y)))


# ---------------------------------------------------------------- quadratics, triangles, vectors

B = linspace_halves(2, 60)


@add(lambda b: (b - m.sqrt(b * b - 4 * m.mpfr(0.25))) / 2, B)
def lesser_root(b):
    return (b - np.sqrt(b * b - 1)) / 2


@add(lambda b: (b - m.sqrt(b * b - 1)) / 2, B)
def lesser_root_by_product(b):
    return half(0.5) / (b + np.sqrt(b * b - 1))


@add(lambda b: (b + m.sqrt(b * b - 1)) / 2, B)
def greater_root(b):
    return (b + np.sqrt(b * b - 1)) / 2


@add(lambda b, c: b * b - 4 * c, linspace_halves(3, 9), linspace_halves(2.3, 20))
def discriminant(b, c):
    return b * b - 4 * c


@add(
    lambda b, a, c: b * b - a * c,
    linspace_halves(3, 9),
    linspace_halves(3.03, 9.1),
    linspace_halves(2.97, 9.05),
)
def discriminant_of_three(b, a, c):
    return b * b - a * c


@add(
    lambda b, a, c: b * b - a * c,
    linspace_halves(3, 9),
    linspace_halves(3.03, 9.1),
    linspace_halves(2.97, 9.05),
)
def discriminant_by_fma(b, a, c):
    q = a * c
    return hc.fma(b, b, -q) - hc.fma(a, c, -q)


def _area(a, b, c):
    s = (a + b + c) / 2
    return m.sqrt(s * (s - a) * (s - b) * (s - c))


SIDES = linspace_halves(5, 5, 40), linspace_halves(2, 4, 40), linspace_halves(3.01, 1.02, 40)


@add(_area, *SIDES)
def triangle_by_heron(a, b, c):
    s = (a + b + c) / 2
    return np.sqrt(s * (s - a) * (s - b) * (s - c))


@add(_area, *SIDES)
def triangle_by_kahan(a, b, c):
    b, c = np.maximum(b, c), np.minimum(b, c)
    return np.sqrt((a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))) / 4


@add(lambda x, y: m.hypot(x, y), geomspace_halves(0.001, 60000), geomspace_halves(0.004, 20000))
def hypotenuse(x, y):
    return np.sqrt(x * x + y * y)


@add(lambda x, y: m.hypot(x, y), geomspace_halves(0.001, 40000), geomspace_halves(0.004, 20000))
def hypotenuse_scaled(x, y):
    s = np.maximum(x, y)
    t = np.minimum(x, y) / s
    return s * np.sqrt(1 + t * t)


@add(lambda t: m.acos(1 / m.sqrt(1 + t * t)), geomspace_halves(0.01, 5))
def angle_by_cosine(t):
    return np.arccos(1 / np.sqrt(1 + t * t))


@add(lambda t: m.atan(t), geomspace_halves(0.01, 5))
def angle_by_tangent(t):
    return np.arctan2(t, t * 0 + 1)


@add(lambda a, b, c, d: a * d - b * c, random_halves(1, 1, 9, 60),
     random_halves(2, 1, 9, 60), random_halves(3, 1, 9, 60),
     random_halves(4, 1, 9, 60))  # fmt: skip
def determinant_of_two(a, b, c, d):
    return a * d - b * c


@add(lambda a, b, c, d: (a * c + b * d) / (c * c + d * d), random_halves(5, -30, 30, 60),
     random_halves(6, -30, 30, 60), random_halves(7, 0.01, 200, 60),
     random_halves(8, 0.01, 200, 60))  # fmt: skip
def quotient_of_complex(a, b, c, d):
    return (a * c + b * d) / (c * c + d * d)


@add(lambda a, b, c, d: (a * c + b * d) / (c * c + d * d), random_halves(5, -30, 30, 60),
     random_halves(6, -30, 30, 60), random_halves(7, 0.01, 200, 60),
     random_halves(8, 0.01, 200, 60))  # fmt: skip
def quotient_by_smith(a, b, c, d):
    swap = c < d
    big, little = np.where(swap, d, c), np.where(swap, c, d)
    p, q = np.where(swap, b, a), np.where(swap, a, b)
    r = little / big
    return (p + q * r) / (big + little * r)


def _exact_line(p, q):
    """The slope of a line through points."""
    n = len(p)
    x, y = sum(p) / n, sum(q) / n
    return sum((a - x) * (b - y) for a, b in zip(p, q, strict=True)) / sum((a - x) ** 2 for a in p)


LINES = [
    (np.sort(random_halves(k, 10, 12 + 4 * k, 24)), random_halves(k + 50, 1, 3, 24))
    for k in range(12)
]


@add(_exact_line, whole=True, cases=LINES)
def slope_by_moments(p, q):
    n = p.size
    return (n * np.sum(p * q) - np.sum(p) * np.sum(q)) / (n * np.sum(p * p) - np.sum(p) ** 2)


@add(_exact_line, whole=True, cases=LINES)
def slope_by_differences(p, q):
    dp, dq = p - p.mean(), q - q.mean()
    return np.sum(dp * dq) / np.sum(dp * dp)


# ---------------------------------------------------------------- sums


def _variance(x):
    mean = sum(x) / len(x)
    return sum((a - mean) ** 2 for a in x) / (len(x) - 1)


LOWS = (0, 5, 10, 20, 50, 100, 30, 8, 1, 60)
WIDTHS = (1, 2, 1, 2, 1, 3, 0.5, 8, 0.1, 9)
DATA = [random_halves(k, low, low + WIDTHS[k], 20) for k, low in enumerate(LOWS)]


@add(_variance, whole=True, cases=DATA)
def variance_of_squares(x):
    n = x.size
    return (np.sum(x * x) - np.sum(x) ** 2 / n) / (n - 1)


@add(_variance, whole=True, cases=DATA)
def variance_in_two_passes(x):
    return np.sum((x - np.mean(x)) ** 2) / (x.size - 1)


@add(_variance, whole=True, cases=DATA)
def variance_as_it_comes(x):
    mean, squares = half(0), half(0)
    for k, a in enumerate(x, 1):
        d = a - mean
        mean = mean + d / k
        squares = squares + d * (a - mean)
    return squares / (x.size - 1)


TERMS = [random_halves(k, -1 if k % 2 else 0.1, 2, 150) for k in range(10)]


@add(sum, whole=True, cases=TERMS)
def sum_one_by_one(x):
    total = half(0)
    for a in x:
        total = total + a
    return total


@add(sum, whole=True, cases=TERMS)
def sum_compensated(x):
    total, rest = half(0), half(0)
    for a in x:
        y = a - rest
        t = total + y
        rest = (t - total) - y
        total = t
    return total


@add(sum, whole=True, cases=TERMS)
def sum_in_pairs(x):
    while x.size > 1:
        odd = x[x.size // 2 * 2 :]
        x = np.concatenate([x[0 : x.size - odd.size : 2] + x[1::2], odd])
    return x[0]


@add(sum, whole=True, cases=TERMS)
def sum_of_sorted(x):
    total = half(0)
    for a in np.sort(x)[::-1]:
        total = total + a
    return total


@add(sum, whole=True, cases=TERMS)
def sum_exactly(x):
    return np.sum(x)


@add(
    lambda n: sum(1 / m.mpfr(k) for k in range(1, int(n) + 1)),
    whole=True,
    cases=half([10, 40, 150, 500]),
)
def harmonic_forward(n):
    total = half(0)
    for k in range(1, int(n) + 1):
        total = total + half(1) / k
    return total


@add(
    lambda n: sum(1 / m.mpfr(k) for k in range(1, int(n) + 1)),
    whole=True,
    cases=half([10, 40, 150, 500]),
)
def harmonic_backward(n):
    total = half(0)
    for k in range(int(n), 0, -1):
        total = total + half(1) / k
    return total


@add(
    lambda n: sum(1 / m.mpfr(k) ** 2 for k in range(1, int(n) + 1)),
    whole=True,
    cases=half([10, 40, 150, 400]),
)
def basel_forward(n):
    total, k = half(0), half(1)
    while k <= n:
        total = total + 1 / k / k
        k = k + 1
    return total


@add(
    lambda n: sum((-1) ** k * m.mpfr(4) / (2 * k + 1) for k in range(int(n))),
    whole=True,
    cases=half([5, 30, 100, 400]),
)
def leibniz(n):
    total, sign = half(0), 1
    for k in range(int(n)):
        total = total + sign * half(4) / (2 * k + 1)
        sign = -sign
    return total


@add(lambda x: m.exp(x), linspace_halves(-8, -1, 40))
def exp_by_series(x):
    term = total = x * 0 + 1
    for k in range(1, 40):
        term = term * x / k
        total = total + term
    return total


@add(lambda x: m.exp(x), linspace_halves(-8, -1, 40))
def exp_by_inverse_series(x):
    term = total = x * 0 + 1
    for k in range(1, 40):
        term = term * -x / k
        total = total + term
    return 1 / total


@add(lambda x: m.sin(x), linspace_halves(0.2, 12, 50))
def sine_by_series(x):
    term = total = x
    for k in range(1, 20):
        term = -term * x * x / (2 * k) / (2 * k + 1)
        total = total + term
    return total


@add(lambda x: m.cos(x), linspace_halves(0, 6, 50))
def cosine_by_series(x):
    y, s = x * x, x * 0
    for k in range(13, 0, -1):
        s = (1 - s) * y / (2 * k * (2 * k - 1))
    return 1 - s


@add(lambda x: m.log(x), geomspace_halves(0.2, 5, 40))
def log_by_series(x):
    z = (x - 1) / (x + 1)
    power, total = z, z
    for k in range(3, 40, 2):
        power = power * z * z
        total = total + power / k
    return 2 * total


@add(lambda x: m.atan(x), linspace_halves(-0.9, 0.9, 40))
def atan_by_series(x):
    power = total = x
    for k in range(3, 60, 2):
        power = -power * x * x
        total = total + power / k
    return total


# ---------------------------------------------------------------- polynomials


def _poly(coefficients):
    def of(x):
        y = m.mpfr(0)
        for c in coefficients:
            y = y * x + c
        return y

    return of


CUBED = (1, -6, 12, -8)
NEAR_TWO = linspace_halves(1.5, 2.6)


@add(_poly(CUBED), NEAR_TWO)
def cube_expanded(x):
    return x**3 - 6 * x**2 + 12 * x - 8


@add(_poly(CUBED), NEAR_TWO)
def cube_by_horner(x):
    return ((x - 6) * x + 12) * x - 8


@add(_poly(CUBED), NEAR_TWO)
def cube_factored(x):
    return (x - 2) ** 3


@add(_poly((1, -10, 35, -50, 24)), linspace_halves(0.9, 4.2))
def quartic_by_horner(x):
    y = x - 10
    for c in (35, -50, 24):
        y = y * x + c
    return y


@add(_poly((1, -10, 35, -50, 24)), linspace_halves(0.9, 4.2))
def quartic_by_roots(x):
    return (x - 1) * (x - 2) * (x - 3) * (x - 4)


@add(_poly((32, 0, -48, 0, 18, 0, -1)), linspace_halves(-1, 1))
def chebyshev_expanded(x):
    return 32 * x**6 - 48 * x**4 + 18 * x**2 - 1


@add(_poly((32, 0, -48, 0, 18, 0, -1)), linspace_halves(-1, 1))
def chebyshev_by_recurrence(x):
    before, now = x * 0 + 1, x
    for _ in range(5):
        before, now = now, 2 * x * now - before
    return now


@add(lambda x: _poly((231, 0, -315, 0, 105, 0, -5))(x) / 16, linspace_halves(-1, 1))
def legendre_by_recurrence(x):
    before, now = x * 0 + 1, x
    for k in range(1, 6):
        before, now = now, ((2 * k + 1) * x * now - k * before) / (k + 1)
    return now


@add(_poly((1, 1, 1, 1, 1, 1, 1, 1)), linspace_halves(0.1, 2))
def geometric_by_formula(x):
    return (x**8 - 1) / (x - 1)


@add(_poly((1, 1, 1, 1, 1, 1, 1, 1)), linspace_halves(0.1, 2))
def geometric_by_horner(x):
    y = x * 0 + 1
    for _ in range(7):
        y = y * x + 1
    return y


@add(
    lambda x, y: 9 * x**4 - y**4 + 2 * y**2,
    linspace_halves(1, 9, 40),
    linspace_halves(1.74, 15.6, 40),
)
def rumps_little_one(x, y):
    return 9 * x**4 - y**4 + 2 * y**2


@add(
    lambda x, y: 9 * x**4 - y**4 + 2 * y**2,
    linspace_halves(1, 9, 40),
    linspace_halves(1.74, 15.6, 40),
)
def rumps_little_one_factored(x, y):
    a, b = 3 * x * x, y * y
    return (a - b) * (a + b) + 2 * b


# ---------------------------------------------------------------- recurrences


def _integral(n):
    """x times the integral of t^n e^(t - 1) from 0 to 1, by a series of falling terms."""

    def of(x):
        total, term = m.mpfr(0), m.mpfr(1)
        for k in range(1, 150):
            term = term / (n + k)
            total += term if k % 2 else -term
        return total * x

    return of


@add(_integral(9), linspace_halves(1, 4, 20))
def integrals_forward(x):
    value = np.exp(x * 0 - 1)
    for n in range(2, 10):
        value = 1 - n * value
    return value * x


@add(_integral(9), linspace_halves(1, 4, 20))
def integrals_backward(x):
    value = x * 0
    for n in range(24, 9, -1):
        value = (1 - value) / n
    return value * x


def _sixths(n):
    """x times the integral of t^n / (t + 5) from 0 to 1."""

    def of(x):
        total = m.mpfr(0)
        for k in range(200):
            total += (-1) ** k / (m.mpfr(5) ** (k + 1) * (n + k + 1))
        return total * x

    return of


@add(_sixths(7), linspace_halves(1, 4, 20))
def sixths_forward(x):
    value = np.log(x * 0 + 6) - np.log(x * 0 + 5)
    for n in range(1, 8):
        value = half(1) / n - 5 * value
    return value * x


@add(_sixths(7), linspace_halves(1, 4, 20))
def sixths_backward(x):
    value = x * 0 + half(0.01)
    for n in range(18, 7, -1):
        value = (half(1) / n - value) / 5
    return value * x


def _muller(steps):
    def of(p, q):
        u, v = m.mpfr(2), m.mpfr(-4)
        for _ in range(steps):
            u, v = v, 100 + p + q - (100 * (p + q) + p * q) / v + 100 * p * q / (u * v)
        return v

    return of


@add(_muller(12), half([5, 4, 3, 7]), half([6, 5, 6, 9]))
def near_to_one_hundred(p, q):
    u, v = 2 + 0 * p, -4 + 0 * p
    for _ in range(12):
        u, v = v, 100 + p + q - (100 * (p + q) + p * q) / v + 100 * p * q / (u * v)
    return v


def _logistic(steps):
    def of(x):
        for _ in range(steps):
            x = m.mpfr(3.75) * x * (1 - x)
        return x

    return of


@add(_logistic(10), linspace_halves(0.05, 0.95, 50))
def logistic_ten(x):
    for _ in range(10):
        x = 3.75 * x * (1 - x)
    return x


@add(_logistic(40), linspace_halves(0.05, 0.95, 50))
def logistic_forty(x):
    for _ in range(40):
        x = 3.75 * x * (1 - x)
    return x


@add(lambda x: (1 / m.mpfr(3)) ** 9 * x, linspace_halves(1, 9, 30))
def thirds(x):
    before, now = x, x / 3
    for _ in range(8):
        before, now = now, 13 * now / 3 - 4 * before / 3
    return now


@add(lambda x: ((m.sqrt(m.mpfr(5)) - 1) / 2) ** 10 * x, linspace_halves(1, 9, 30))
def golden_powers(x):
    before, now = x, x * ((half(5) ** half(0.5) - 1) / 2)
    for _ in range(9):
        before, now = now, before - now
    return now


@add(lambda x: m.jn(5, x), linspace_halves(0.5, 9, 40))
def bessel_forward(x):
    before, now = _bessel(0, x), _bessel(1, x)
    for n in range(1, 5):
        before, now = now, 2 * n / x * now - before
    return now


def _bessel(n, x):
    """J of order n by its series."""
    y = x * x / 4
    term = total = x * 0 + 1 if n == 0 else x / 2
    for k in range(1, 20):
        term = -term * y / (k * (k + n))
        total = total + term
    return total


@add(lambda x: m.jn(5, x), linspace_halves(1, 9, 40))
def bessel_backward(x):
    after, now, total, wanted = x * 0, x * 0 + half(0.0001), x * 0, x * 0
    for n in range(16, 0, -1):
        after, now = now, 2 * n / x * now - after
        if n - 1 == 5:
            wanted = now
        if n % 2:
            total = total + now if n == 1 else total + 2 * now
    return wanted / total


@add(lambda x: m.cos(20 * x), linspace_halves(0.05, 3, 40))
def cosines_by_recurrence(x):
    before, now = x * 0 + 1, np.cos(x)
    twice = 2 * now
    for _ in range(19):
        before, now = now, twice * now - before
    return now


# ---------------------------------------------------------------- iterations


@add(lambda a: m.sqrt(a), geomspace_halves(0.01, 5000))
def root_by_newton(a):
    x = a * 0 + 1 + a / 2
    for _ in range(14):
        x = (x + a / x) / 2
    return x


@add(lambda a: 1 / a, geomspace_halves(0.05, 20))
def reciprocal_by_newton(a):
    x = 1 / (a + a * a)
    x = np.where(a < 1, x * 0 + 1, x)
    for _ in range(12):
        x = x * (2 - a * x)
    return x


@add(lambda a: m.cbrt(a), geomspace_halves(0.01, 5000))
def cube_root_by_newton(a):
    x = 1 + a / 3
    for _ in range(24):
        x = x - (x - a / (x * x)) / 3
    return x


@add(lambda a: m.mpfr(2), linspace_halves(2.5, 4, 30))
def triple_root_by_newton(a):
    x = a
    for _ in range(25):
        slope = 3 * x * x - 12 * x + 12
        x = np.where(
            slope == 0, x, x - (((x - 6) * x + 12) * x - 8) / np.where(slope == 0, 1, slope)
        )
    return x


def _agm(a, b):
    for _ in range(12):
        a, b = (a + b) / 2, m.sqrt(a * b)
    return a


@add(_agm, geomspace_halves(0.5, 20), linspace_halves(1, 10))
def mean_of_means(a, b):
    for _ in range(6):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return a


@add(lambda x: m.const_pi() * x, linspace_halves(1, 9, 20))
def archimedes(x):
    s = x * 0 + np.sqrt(half(2))
    sides = 2
    for _ in range(6):
        s = np.sqrt(2 - np.sqrt(4 - s * s))
        sides = sides * 2
    return s * sides * x


@add(lambda x: m.const_pi() * x, linspace_halves(1, 9, 20))
def archimedes_mended(x):
    s = x * 0 + np.sqrt(half(2))
    sides = 2
    for _ in range(6):
        s = s / np.sqrt(2 + np.sqrt(4 - s * s))
        sides = sides * 2
    return s * sides * x


@add(lambda a: m.sqrt(a), linspace_halves(2, 9, 20))
def root_by_bisection(a):
    low, high = a * 0, a
    for _ in range(14):
        middle = (low + high) / 2
        below = middle * middle < a
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


@add(lambda x: m.tan(x), linspace_halves(0.1, 4.6, 60))
def tangent_by_fraction(x):
    y, f = x * x, x * 0
    for k in range(19, 0, -2):
        f = y / (k - f)
    return f / x


def _golden(x):
    for _ in range(12):
        x = 1 + 1 / x
    return x


@add(_golden, linspace_halves(-1.9, 2, 40))
def golden_fraction(x):
    for _ in range(12):
        x = 1 + 1 / x
    return x


# ---------------------------------------------------------------- derivatives, integrals, steps


@add(lambda x: (m.sin(x + m.mpfr(2) ** -7) - m.sin(x)) * 128, linspace_halves(0.1, 3))
def derivative_forward(x):
    h = half(2**-7)
    return (np.sin(x + h) - np.sin(x)) / h


@add(lambda x: (m.exp(x + m.mpfr(0.125)) - m.exp(x - m.mpfr(0.125))) * 4, linspace_halves(-1, 3))
def derivative_central(x):
    h = half(0.125)
    return (np.exp(x + h) - np.exp(x - h)) / (2 * h)


@add(
    lambda x: (m.log(x + m.mpfr(0.25)) - 2 * m.log(x) + m.log(x - m.mpfr(0.25))) * 16,
    linspace_halves(0.5, 9),
)
def second_derivative(x):
    h = half(0.25)
    return (np.log(x + h) - 2 * np.log(x) + np.log(x - h)) / (h * h)


def _trapezoids(x):
    h = x / 32
    return h * (sum(m.exp(-((k * h) ** 2)) for k in range(33)) - (1 + m.exp(-x * x)) / 2)


@add(_trapezoids, linspace_halves(0.2, 3, 30))
def trapezoids(x):
    h = x / 32
    total = (1 + np.exp(-x * x)) / 2
    for k in range(1, 32):
        t = k * h
        total = total + np.exp(-t * t)
    return h * total


def _euler(x):
    for _ in range(64):
        x = x - x / 16
    return x


@add(_euler, geomspace_halves(0.1, 90, 40))
def decay_by_euler(x):
    for _ in range(64):
        x = x - x / 16
    return x


def _heun(x):
    h = m.mpfr(1) / 16
    for _ in range(16):
        k1 = x * (1 - x)
        y = x + h * k1
        x = x + h / 2 * (k1 + y * (1 - y))
    return x


@add(_heun, geomspace_halves(0.01, 2, 40))
def growth_by_heun(x):
    h = half(1 / 16)
    for _ in range(16):
        k1 = x * (1 - x)
        y = x + h * k1
        x = x + h / 2 * (k1 + y * (1 - y))
    return x


def _midpoint(x):
    before, now = x, x - x / 8
    for _ in range(30):
        before, now = now, before - now / 4
    return now


@add(_midpoint, geomspace_halves(0.5, 50, 40))
def decay_by_leapfrog(x):
    before, now = x, x - x / 8
    for _ in range(30):
        before, now = now, before - now / 4
    return now


def _spring(x):
    v = x * 0
    for _ in range(100):
        v = v - x / 8
        x = x + v / 8
    return x


@add(_spring, geomspace_halves(0.5, 50, 40))
def spring_by_steps(x):
    v = x * 0
    for _ in range(100):
        v = v - x / 8
        x = x + v / 8
    return x


@add(lambda t: t, linspace_halves(0.5, 30, 40))
def clock_by_tenths(t):
    """Ten steps forward and as many back."""
    x = t
    for _ in range(40):
        x = x + half(0.1)
    for _ in range(40):
        x = x - half(0.1)
    return x


# ---------------------------------------------------------------- products, powers, systems


@add(lambda n: m.factorial(int(n)) / (m.factorial(int(n) - 3) * 6), linspace_halves(4, 40, 37))
def binomial(n):
    return n * (n - 1) / 2 * (n - 2) / 3


@add(lambda n: (1 + 1 / n) ** n, geomspace_halves(1, 2000))
def compound_by_power(n):
    return (1 + 1 / n) ** n


@add(lambda n: (1 + 1 / n) ** n, geomspace_halves(1, 2000))
def compound_by_log(n):
    return np.exp(n * np.log1p(1 / n))


@add(lambda x, y: m.exp(y * m.log(x)), linspace_halves(1.1, 9), linspace_halves(0.2, 4))
def power_by_log(x, y):
    return np.exp(y * np.log(x))


@add(lambda x: 1 / (1 + m.exp(-x)), linspace_halves(-9, 12))
def logistic_function(x):
    return 1 / (1 + np.exp(-x))


@add(lambda x: 1 - 1 / (1 + m.exp(-x)), linspace_halves(-2, 9))
def logistic_complement(x):
    return 1 - 1 / (1 + np.exp(-x))


def _solve(e):
    """e u + v = 1, u + v = 2: u."""
    return 1 / (1 - e)


@add(_solve, geomspace_halves(0.0001, 0.5))
def elimination_without_pivot(e):
    factor = 1 / e
    v = (2 - factor) / (1 - factor)
    return (1 - v) / e


@add(_solve, geomspace_halves(0.0001, 0.5))
def elimination_with_pivot(e):
    v = (1 - 2 * e) / (1 - e)
    return 2 - v


def _softmax(x):
    top = [m.exp(a) for a in x]
    return [a / sum(top) for a in top]


SCORES = [random_halves(k, -3, 3 + 2 * k, 12) for k in range(5)]


@add(_softmax, whole=True, cases=SCORES)
def softmax_plain(x):
    e = np.exp(x)
    return e / np.sum(e)


@add(_softmax, whole=True, cases=SCORES)
def softmax_shifted(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


@add(lambda x: m.log(sum(m.exp(a) for a in x)), whole=True, cases=SCORES)
def log_of_sum(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))
