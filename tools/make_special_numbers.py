"""Write csrc/kernels/numbers/special_coefficients.h, for gamma and error functions of double.

Series have their own coefficients; other functions are interpolated at Chebyshev's nodes, with 300
bits. Needs gmpy2: python tools/make_special_numbers.py
"""

from pathlib import Path

import gmpy2
from gmpy2 import mpfr

OUTPUT = Path(__file__).parent.parent / "csrc/kernels/numbers/special_coefficients.h"

HEAD = """/* Made by tools/make_special_numbers.py. */
#ifndef HALFCL_KERNELS_NUMBERS_SPECIAL_COEFFICIENTS_H
#define HALFCL_KERNELS_NUMBERS_SPECIAL_COEFFICIENTS_H

"""


def interpolate(function, low, high, count):
    """Return coefficients of t = (2 x - low - high) / (high - low) in [-1, 1], lowest first."""
    nodes = [gmpy2.cos(gmpy2.const_pi() * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [function((high - low) / 2 * t + (high + low) / 2) for t in nodes]
    for level in range(1, count):  # divided differences
        for k in range(count - 1, level - 1, -1):
            values[k] = (values[k] - values[k - 1]) / (nodes[k] - nodes[k - level])
    coefficients = [mpfr(0)] * count
    for value, node in zip(reversed(values), reversed(nodes), strict=True):
        coefficients = [
            (coefficients[k - 1] if k else 0) - node * coefficients[k] + (value if k == 0 else 0)
            for k in range(count)
        ]
    return coefficients


def scaled_erfc(t):
    """Return (1 + 2 a) exp(a^2) erfc(a), where t = (a - 4) / (a + 4)."""
    a = 4 * (1 + t) / (1 - t)
    return (1 + 2 * a) * gmpy2.exp(a * a) * gmpy2.erfc(a)


def log_gamma_slope(y):
    """Return lgamma(y) / ((y - 1) (y - 2))."""
    return gmpy2.lgamma(y)[0] / ((y - 1) * (y - 2))


def bernoulli(n):
    """Return |B(2n)|, from zeta."""
    return 2 * gmpy2.factorial(2 * n) * gmpy2.zeta(2 * n) / (2 * gmpy2.const_pi()) ** (2 * n)


def tables():
    pi = gmpy2.const_pi()
    low, high = mpfr(-7) / 9, mpfr(3) / 4  # a from 0.5 to 28
    yield (
        "erf_series",
        [2 / gmpy2.sqrt(pi) * (-1) ** n / (gmpy2.factorial(n) * (2 * n + 1)) for n in range(13)],
    )
    yield "erfc_scaled", interpolate(scaled_erfc, low, high, 24)
    yield "log_gamma_slope", interpolate(log_gamma_slope, mpfr(3) / 4, mpfr(9) / 4, 30)
    yield (
        "stirling",
        [(-1) ** (n + 1) * bernoulli(n) / (2 * n * (2 * n - 1)) for n in range(1, 10)],
    )
    yield (
        "sine_of_pi",
        [(-1) ** k * pi ** (2 * k + 1) / gmpy2.factorial(2 * k + 1) for k in range(12)],
    )
    yield "atanh_series", [mpfr(2) / (2 * n + 1) for n in range(1, 12)]
    yield "exp_series", [1 / gmpy2.factorial(n) for n in range(2, 14)]


def main():
    gmpy2.get_context().precision = 300
    text = HEAD
    for name, values in tables():
        rows = ",\n    ".join(float(value).hex() for value in values)
        text += f"static const double {name}[] = {{\n    {rows},\n}};\n\n"
    OUTPUT.write_text(text + "#endif\n")


if __name__ == "__main__":
    main()
