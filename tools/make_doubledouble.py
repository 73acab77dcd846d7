"""Print csrc/exact/doubledouble/constants.h, the constants of the double-double functions.

python tools/make_doubledouble.py > csrc/exact/doubledouble/constants.h
"""

from mpmath import atan, bernoulli, erfc, euler, exp, factorial, log, mp, mpf, pi, sin, sqrt, zeta

mp.prec = 400


def leading(x: mpf, bits: int) -> mpf:
    """Truncate x to its first bits."""
    unit = mpf(2) ** (mp.mag(x) - bits)
    return mp.floor(x / unit) * unit


def erfc_taylor(a: mpf, count: int) -> list[mpf]:
    """Return the Taylor series of erfc around a; its derivative g satisfies g'(x) = -2 x g(x)."""
    g = [-2 / sqrt(pi) * exp(-a * a)]
    for n in range(count - 2):
        g.append(-2 * (a * g[n] + (g[n - 1] if n > 0 else 0)) / (n + 1))
    return [erfc(a)] + [g[n] / (n + 1) for n in range(count - 1)]


def inverse_gamma_taylor(count: int) -> list[mpf]:
    """Return the Taylor series of f = 1 / gamma around 1, from that of its logarithm.

    The logarithm is euler x - zeta(2) / 2 x^2 + zeta(3) / 3 x^3 - ..., and f' = log(f)' f.
    """
    slope = [+euler] + [(-1) ** n * zeta(n + 1) for n in range(1, count)]
    f = [mpf(1)]
    for n in range(count - 1):
        f.append(sum(slope[k] * f[n - k] for k in range(n + 1)) / (n + 1))
    return f


# A name, and its value or the list of values of a table.
CONSTANTS: dict[str, mpf | list[mpf]] = {
    # exp and log
    "LOG_2": log(2),
    "LOG_10": log(10),
    "LOG2_E": 1 / log(2),
    "LOG10_E": 1 / log(10),
    "LOG_2_BY_64": log(2) / 64,
    "EXP2_64THS": [mpf(2) ** (mpf(k) / 64) for k in range(64)],
    "LOG_64THS": [log(mpf(k) / 64) for k in range(45, 92)],
    # series
    "INVERSE_FACTORIAL": [1 / factorial(n) for n in range(28)],
    "INVERSE_ODD": [mpf(1) / (2 * n + 1) for n in range(16)],
    # trigonometric functions and their inverses
    "PI": +pi,
    "INVERSE_PI": 1 / pi,
    "DEGREES_OF_RADIAN": 180 / pi,
    "RADIANS_OF_DEGREE": pi / 180,
    "PI_BY_128": pi / 128,
    "PI_BY_128_HIGH": leading(pi / 128, 31),
    "PI_BY_128_LOW": pi / 128 - leading(pi / 128, 31),
    "SIN_128THS": [sin(k * pi / 128) for k in range(65)],
    "SIN_SERIES": [mpf(-1) ** n / factorial(2 * n + 1) for n in range(6)],
    "COS_SERIES": [mpf(-1) ** n / factorial(2 * n) for n in range(6)],
    "ATAN_64THS": [atan(mpf(k) / 64) for k in range(65)],
    # error and gamma functions
    "ERF_SERIES": [2 / sqrt(pi) * mpf(-1) ** n / factorial(n) / (2 * n + 1) for n in range(55)],
    "ERFC_SERIES": erfc_taylor(mpf("3.25"), 52),
    "INVERSE_GAMMA_SERIES": inverse_gamma_taylor(32),
    "STIRLING_SERIES": [bernoulli(2 * n) / (2 * n * (2 * n - 1)) for n in range(1, 17)],
    "HALF_LOG_2_PI": log(2 * pi) / 2,
}


def literal(value: mpf) -> str:
    """Return the double-double nearest to value, as an initializer in C."""
    hi = float(value)
    lo = float(value - hi)
    return f"{{{hi.hex()}, {lo.hex()}}}"


def definition(name: str, value: mpf | list[mpf]) -> str:
    if not isinstance(value, list):
        return f"static const dd {name} = {literal(value)};\n"
    rows = "".join(f"    {literal(entry)},\n" for entry in value)
    return f"static const dd {name}[{len(value)}] = {{\n{rows}}};\n"


def main() -> None:
    print("/* Made by: python tools/make_doubledouble.py > csrc/exact/doubledouble/constants.h */")
    print("#ifndef HALFCL_DD_CONSTANTS_H\n#define HALFCL_DD_CONSTANTS_H\n")
    print('#include "exact/doubledouble/dd.h"\n')
    for name, value in CONSTANTS.items():
        print(definition(name, value))
    print("#endif")


if __name__ == "__main__":
    main()
