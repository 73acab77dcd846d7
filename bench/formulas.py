"""Formulas whose ranges are measured and tested, as in practice and books on interval arithmetic.

Some are not helped by tighter forms. Each takes NumPy arrays, intervals, and objects that have the
functions as methods. A row is a kind, a formula, and the bounds of each of its arguments.
"""

import numpy as np


def horner(*coefficients):
    """Return a polynomial in Horner's form; the first coefficient is that of the highest power."""

    def polynomial(x):
        value = x * 0 + coefficients[0]
        for c in coefficients[1:]:
            value = value * x + c
        return value

    return polynomial


def powers(*coefficients):
    """Return a polynomial as a sum of powers; the first coefficient is the constant."""

    def polynomial(x):
        value = x * 0 + coefficients[0]
        for n, c in enumerate(coefficients[1:], 1):
            value = value + c * x**n
        return value

    return polynomial


def product(*zeros):
    """Return a polynomial as a product over its zeros."""

    def polynomial(x):
        value = x - zeros[0]
        for zero in zeros[1:]:
            value = value * (x - zero)
        return value

    return polynomial


def continued_fraction(x):
    value = x + 5
    for k in (4, 3, 2, 1):
        value = x + k / value
    return value


def logistic_steps(x):
    for _ in range(4):
        x = 3.5 * x * (1 - x)
    return x


def newton_step(x):
    return x - (x * x * x - 2 * x - 5) / (3 * x * x - 2)


def quadratic_root(b, c):
    return (-b + np.sqrt(b * b - 4 * c)) / 2


def heron(a, b, c):
    s = (a + b + c) / 2
    return np.sqrt(s * (s - a) * (s - b) * (s - c))


def camel(x, y):
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2


def turbine(v, w, r):
    return 3 + 2 / (r * r) - 0.125 * (3 - 2 * v) * (w * w * r * r) / (1 - v) - 4.5


def jet_engine(x, y):
    t = 3 * x * x + 2 * y - x
    s = t / (x * x + 1)
    return x + (2 * x * s * (s - 3) + x * x * (4 * s - 6)) * (x * x + 1) / 64


def kepler(a, b, c, d):
    return b * c + a * d - b * d - a * c + a * (-a + b + c + d)


def doppler(u, v, t):
    speed = 331.375 + 0.625 * t
    return (-speed * v) / ((speed + u) * (speed + u)) * 256


def rigid_body(x, y, z):
    return -x * y - 2 * y * z - x - z


def carbon(v):
    return 3.5 * v - 0.5 / v + 0.0625 / (v * v)


def determinant(a, b, c, d):
    return a * d - b * c


def cross_ratio(x, y):
    return (x - y) / (x + y)


def bilinear(x, y):
    return (1 - x) * (1 - y) + 2 * x * (1 - y) + 3 * (1 - x) * y + 5 * x * y


def softplus(x):
    return np.log1p(np.exp(x))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def smoothstep(x):
    return x * x * (3 - 2 * x)


def lens(r, s):
    return 0.5 * (1 / r - 1 / s + 0.1 * 0.5 / (1.5 * r * s))


def rotation(x, y, t):
    return x * np.cos(t) - y * np.sin(t)


def lorentz(v):
    return 1 / np.sqrt(1 - v * v)


def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


def beale(x, y):
    return (1.5 - x + x * y) ** 2 + (2.25 - x + x * y * y) ** 2


def booth(x, y):
    return (x + 2 * y - 7) ** 2 + (2 * x + y - 5) ** 2


def matyas(x, y):
    return 0.26 * (x * x + y * y) - 0.48 * x * y


def griewank(x, y):
    return (x * x + y * y) / 64 - np.cos(x) * np.cos(y / 2) + 1


def rastrigin(x):
    return 10 + x * x - 10 * np.cos(6 * x)


def michalewicz(x):
    return -np.sin(x) * np.sin(x * x / 3) ** 2


def lerp(a, b, t):
    return a + t * (b - a)


def distance_to_line(x, y):
    return abs(3 * x - 4 * y + 1) / 5


POLYNOMIALS = (
    (horner(1, -2, 1), (-1, 3)),
    (horner(1, 0, -2, 1), (0, 1)),
    (horner(1, -6, 11, -6), (0.5, 3.5)),
    (horner(1, -6, 15, -20, 15, -6, 1), (0, 2)),
    (horner(2, -3, 0, 1), (-1, 2)),
    (horner(8, 0, -8, 0, 1), (-1, 1)),
    (horner(16, 0, -20, 0, 5, 0), (-1, 1)),
    (horner(1, 1, 1, 1, 1, 1), (-1, 1)),
    (horner(1, -1, 1, -1, 1, -1), (-1, 1)),
    (horner(-0.1666, 0, 1, 0), (-1.5, 1.5)),
    (horner(0.0083, 0, -0.1667, 0, 1, 0), (-2, 2)),
    (powers(1, -2, 1), (-1, 3)),
    (powers(1, -2, 0, 1), (0, 1)),
    (powers(0, 1, 0, -3, 0, 2), (-1, 1)),
    (powers(3, -4, 1, 0.5), (-2, 2)),
    (powers(1, 0, -0.5, 0, 0.0417), (-2, 2)),
    (product(0, 1), (-1, 2)),
    (product(-1, 0, 1), (-1.5, 1.5)),
    (product(1, 2, 3, 4), (0.5, 4.5)),
    (product(-2, -1, 0, 1, 2), (-2, 2)),
    (lambda x: x * x * x * x - 4 * x * x * x + 4 * x * x, (-1, 3)),
    (lambda x: (x - 1) ** 4 - (x - 1) ** 2, (0, 2)),
    (lambda x: x - x**2 / 2 + x**3 / 3 - x**4 / 4, (0, 1)),
    (lambda x: (x + 1) * (x + 1) - x * x - 2 * x, (0, 4)),
    (smoothstep, (0, 1)),
    (logistic_steps, (0, 1)),
)

RATIONAL = (
    (lambda x: x / (1 + x), (0.25, 4)),
    (lambda x: x / (1 + x * x), (-3, 3)),
    (lambda x: (x * x - 1) / (x * x + 1), (-2, 2)),
    (lambda x: 1 / x - 1 / (x + 1), (0.5, 8)),
    (lambda x: (x - 1) / (x + 1), (0, 4)),
    (lambda x: 1 / (1 + 25 * x * x), (-1, 1)),
    (lambda x: (x * x * x - x) / (x * x + 2), (-2, 2)),
    (lambda x: x + 1 / x, (0.25, 4)),
    (lambda x: (1 - x) / (1 - x + x * x), (-1, 2)),
    (lambda x: (2 * x + 3) / (x * x + x + 1), (-2, 2)),
    (lambda x: x * x / (x - 3), (-2, 2)),
    (lambda x: 1 / (x * x - 2 * x + 2), (-1, 3)),
    (continued_fraction, (0.5, 4)),
    (newton_step, (1.5, 3)),
    (carbon, (0.25, 2)),
    (lambda x: (x + 2) * (x - 3) / (x + 5), (-2, 4)),
)

ELEMENTARY = (
    (lambda x: np.exp(x) - x - 1, (-1, 1)),
    (lambda x: np.exp(-x * x), (-2, 2)),
    (lambda x: x * np.exp(-x), (0, 4)),
    (lambda x: x * np.exp(-x * x), (-2, 2)),
    (lambda x: np.exp(x) * np.sin(x), (0, 3)),
    (lambda x: np.sin(x) + np.cos(x), (0, 6)),
    (lambda x: np.sin(x) * np.cos(x), (-2, 2)),
    (lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, (0, 3)),
    (lambda x: np.sin(x) / x, (0.5, 6)),
    (lambda x: (1 - np.cos(x)) / (x * x), (0.25, 3)),
    (lambda x: x - np.sin(x), (-2, 2)),
    (lambda x: np.tan(x) - x, (-1, 1)),
    (lambda x: np.log(x) * x, (0.125, 2)),
    (lambda x: np.log(x) / x, (0.5, 8)),
    (lambda x: np.log(x) - (x - 1) / x, (0.5, 3)),
    (lambda x: np.log1p(x) - x, (-0.5, 1)),
    (lambda x: np.expm1(x) / x, (0.25, 2)),
    (lambda x: np.sqrt(x + 1) - np.sqrt(x), (0.25, 8)),
    (lambda x: np.sqrt(1 + x * x) - x, (0, 4)),
    (lambda x: x / np.sqrt(1 + x * x), (-2, 2)),
    (lambda x: np.sqrt(1 - x * x) * x, (-0.75, 0.75)),
    (lambda x: np.cbrt(x) - x / 3, (0.25, 4)),
    (lambda x: np.arctan(x) - x / (1 + x * x), (-2, 2)),
    (lambda x: np.arcsin(x) + np.arccos(x), (-0.75, 0.75)),
    (lambda x: np.arctan(x) * x - np.log1p(x * x) / 2, (-2, 2)),
    (lambda x: np.cosh(x) - np.sinh(x), (-1, 2)),
    (lambda x: np.tanh(x) * (1 - np.tanh(x)), (-1, 2)),
    (lambda x: np.arcsinh(x) - x / 2, (-3, 3)),
    (lambda x: np.arctanh(x) - x, (-0.75, 0.75)),
    (lambda x: np.exp2(x) - x * x, (-1, 3)),
    (lambda x: x**1.5 - x, (0.25, 2)),
    (lambda x: x**x, (0.25, 2)),
    (lambda x: np.exp(np.sin(x)), (0, 6)),
    (lambda x: np.sin(np.exp(x)), (-1, 1.5)),
    (lambda x: np.sin(x * x), (0, 2.5)),
    (softplus, (-3, 3)),
    (sigmoid, (-4, 4)),
    (lambda x: sigmoid(x) * (1 - sigmoid(x)), (-3, 3)),
    (lambda x: x * sigmoid(x), (-4, 4)),
    (lorentz, (0, 0.75)),
    (rastrigin, (-1, 1)),
    (michalewicz, (0, 3)),
)

SEVERAL = (
    (determinant, (0, 1), (0, 1), (0, 1), (0, 1)),
    (cross_ratio, (1, 2), (1, 2)),
    (bilinear, (0, 1), (0, 1)),
    (camel, (-1, 1), (-1, 1)),
    (rosenbrock, (-1, 1), (-1, 1)),
    (beale, (0, 2), (-1, 1)),
    (booth, (-2, 4), (-2, 4)),
    (matyas, (-2, 2), (-2, 2)),
    (griewank, (-3, 3), (-3, 3)),
    (quadratic_root, (3, 8), (0.25, 2)),
    (heron, (3, 4), (3, 4), (3, 4)),
    (turbine, (-1, 0), (0.5, 1), (3, 7)),
    (jet_engine, (-1, 1), (-2, 2)),
    (kepler, (4, 6), (4, 6), (4, 6), (4, 6)),
    (doppler, (-20, 20), (1, 8), (-30, 50)),
    (rigid_body, (-4, 4), (-4, 4), (-4, 4)),
    (lens, (1, 2), (2, 4)),
    (rotation, (-1, 1), (-1, 1), (0, 1.5)),
    (lerp, (0, 1), (2, 3), (0, 1)),
    (lambda x, y: np.hypot(x, y) - x, (1, 2), (-1, 1)),
    (lambda x, y: np.arctan2(y, x) + np.arctan2(x, y), (1, 2), (1, 2)),
    (lambda x, y: np.exp(x * y) - np.exp(x) * y, (0, 1), (0, 1)),
    (lambda x, y: np.sin(x + y) - np.sin(x) - np.sin(y), (0, 1), (0, 1)),
    (lambda x, y, z: (x * y + y * z + z * x) / (x + y + z), (1, 2), (1, 2), (1, 2)),
    (lambda x, y: np.sqrt(x * x + y * y + 2 * x * y) - x, (1, 2), (1, 2)),
)

#: Formulas for which the mean value form is no better: kinks, jumps, steep ends and such.
AWKWARD = (
    (lambda x: 3 * x + 1, (-1, 1)),
    (lambda x: x**2, (-1, 1)),
    (lambda x: np.exp(-(x**2)), (-2, 2)),
    (lambda x: np.sqrt(x) - x, (0, 2)),
    (lambda x: abs(x) - x * 0.5, (-1, 1)),
    (lambda x: abs(x - 1) + abs(x + 1), (-2, 2)),
    (lambda x: np.minimum(x, 1 - x), (-1, 2)),
    (lambda x: np.maximum(x * x - 1, 0.5 * x), (-2, 2)),
    (lambda x: np.floor(2 * x) * x, (0, 2)),
    (lambda x: x - np.floor(x), (0, 3)),
    (lambda x: np.sign(x) * x * x, (-1, 1)),
    (lambda x: 1 / x, (-1, 1)),
    (lambda x: x / x, (-1, 2)),
    (lambda x: np.log(x), (0, 2)),
    (lambda x: np.sqrt(x - 1) + np.sqrt(2 - x), (0.5, 2.5)),
    (lambda x: np.tan(x), (1, 2)),
    (lambda x: np.sin(20 * x), (0, 2)),
    (distance_to_line, (-1, 1), (-1, 1)),
    (lambda x, y: np.minimum(x, y) - x, (0, 1), (0, 1)),
    (lambda x, y: x / (x - y), (1, 2), (0, 2)),
)

KINDS = {
    "polynomials": POLYNOMIALS,
    "rational": RATIONAL,
    "elementary": ELEMENTARY,
    "several variables": SEVERAL,
    "awkward": AWKWARD,
}
