"""Fit the initial constants of csrc/device/by_hard_cases.h, and print the header with them.

    python tools/device_hard_cases.py > csrc/device/constants.h

Needs mpmath. tools/device_hard_cases.c continues from there; its head says how.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 50

# The functions that may have hard cases.
CASES = ("exp2m1", "log2p1", "log10p1", "tanpi", "atanpi", "asinh", "erfc", "tgamma", "lgamma")

Function = Callable[[mp.mpf], mp.mpf]


def fit(function: Function, low: mp.mpf, high: mp.mpf, count: int) -> list[float]:
    """Fit coefficients of powers 0 to count - 1, each rounded to float before the next are fitted.

    Later coefficients make up for the rounding of earlier ones.
    """
    middle, radius = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    nodes = [middle + radius * mp.cos(mp.pi * (k + mp.mpf(0.43)) / 12) for k in range(12)]
    rest = [function(x) for x in nodes]
    coefficients: list[float] = []
    for power in range(count):
        matrix = mp.matrix([[x**p for p in range(power, count)] for x in nodes])
        best = float(np.float32(float(mp.lu_solve(matrix, mp.matrix(rest))[0])))
        coefficients.append(best)
        rest = [r - best * x**power for r, x in zip(rest, nodes, strict=True)]
    return coefficients


@dataclass(frozen=True)
class Piece:
    """A function on [low, high], with an offset added to the first coefficient."""

    function: Function
    low: mp.mpf
    high: mp.mpf
    offset: float = 0


def pieces(
    function: Function,
    scale: float,
    numbers: Iterable[int],
    low: float = -mp.inf,
    high: float = mp.inf,
    centred: bool = False,
    offset: float = 0.0,
) -> dict[int, Piece]:
    """Return the pieces around number / scale for each number, cut to [low, high].

    `centred` pieces are functions of x minus the middle. `offset` is that of the piece around 0.
    """
    by_number = {}
    for n in numbers:
        start, end = (mp.mpf(2 * n - 1) / 2 / scale, mp.mpf(2 * n + 1) / 2 / scale)
        start, end = max(start, mp.mpf(low)), min(end, mp.mpf(high))
        if centred:
            middle = mp.mpf(n) / scale
            by_number[n] = Piece(lambda r, m=middle: function(m + r), start - middle, end - middle)
        else:
            by_number[n] = Piece(function, start, end, offset if n == 0 else 0)
    return by_number


def piecewise(size: int, count: int, *parts: dict[int, Piece]) -> list[float]:
    """Return the table of the pieces' coefficients, ordered by power and then by piece."""
    rows = [[0.0] * count for _ in range(size)]
    for n, piece in (item for part in parts for item in part.items()):
        row = fit(piece.function, piece.low, piece.high, count)
        row[0] += piece.offset
        rows[n % size] = row
    return [rows[n][i] for i in range(count) for n in range(size)]


def short(x: mp.mpf) -> float:
    """Round x down to 13 bits."""
    scale = mp.mpf(2) ** (12 - mp.floor(mp.log(x, 2)))
    return float(mp.floor(x * scale) / scale)


def inverses() -> list[float]:
    floats = [float(np.float32(1 / (1 + (i + 0.5) / 32))) for i in range(32)]
    return [1.0, *floats[1:31], 0.5]


def steps(base: mp.mpf) -> list[float]:
    return [float(-mp.log(i, base)) for i in inverses()]


def eighth(exponent: int, number: int) -> Piece:
    """Return the piece for one eighth of an octave of lgamma, around its middle."""
    unit = mp.mpf(2) ** exponent
    middle = unit * (1 + (number + mp.mpf(0.5)) / 8)

    def function(r: mp.mpf) -> mp.mpf:
        x = middle + r
        return mp.loggamma(x) / ((x - 1) * (x - 2) if exponent < 2 else 1)

    return Piece(function, -unit / 16, unit / 16)


def print_table(name: str, comment: str, values: list[float]) -> None:
    words = ", ".join(f"{float(np.float32(v)).hex()}f" for v in values)
    print(f"\n/* {comment} */\nstatic const float {name}[] = {{{words}}};")


def main() -> None:
    slopes = {
        "EXP2M1_SLOPE": mp.log(2), "EXP10M1_SLOPE": mp.log(10), "LOG2P1_SLOPE": 1 / mp.log(2),
        "LOG10P1_SLOPE": 1 / mp.log(10), "TANPI_SLOPE": +mp.pi, "ASINPI_SLOPE": 1 / mp.pi,
        "ATANPI_SLOPE": 1 / mp.pi,
    }  # fmt: skip
    s = {name: short(value) for name, value in slopes.items()}
    up, down = 1.25 * 2.0**-24, -(2.0**-24)
    print("/* Constants of by_hard_cases.h. Made by tools/device_hard_cases.c. */")
    print("#ifndef HALFCL_DEVICE_CONSTANTS_H\n#define HALFCL_DEVICE_CONSTANTS_H\n")
    print("/* Slopes at 0, of 13 bits. */")
    for name, value in s.items():
        print(f"#define {name} {value.hex()}f")
    for base, name in ((2, "exp2m1"), (10, "exp10m1")):
        scale = 30 if base == 2 else 98
        slope = s[f"{name.upper()}_SLOPE"]
        print_table(
            f"{name}_growth",
            f"({base}^r - 1) / r - {name.upper()}_SLOPE in pieces, powers 0 to 2.",
            piecewise(32, 3, pieces(lambda r, b=base, c=slope: mp.expm1(r * mp.log(b)) / r - c,
                                    scale, range(-15, 16))),
        )  # fmt: skip
    for base, name in ((2, "log2p1"), (10, "log10p1")):
        print_table(f"{name}_inverses", "1 / x, about, for each 32nd of [1, 2).", inverses())
        print_table(f"{name}_steps", f"log{base}(1 / inverse), about.", steps(base))
        slope = s[f"{name.upper()}_SLOPE"]
        print_table(
            f"{name}_growth", f"log{base}(1 + s) / s - {name.upper()}_SLOPE, powers 0 to 3.",
            fit(lambda r, b=base, c=slope: mp.log1p(r) / mp.log(b) / r - c,
                   -mp.mpf(1) / 64, mp.mpf(1) / 32, 4),
        )  # fmt: skip
    print_table("tan_growth", "tan(r) / r - 1 in pieces, powers 0 to 3.",
            piecewise(32, 4, pieces(lambda r: mp.tan(r) / r - 1, 38, range(31), 0,
                                    offset=up)))  # fmt: skip
    print_table("tanpi_growth", "tan(pi f) / f - TANPI_SLOPE in pieces, powers 0 to 3.",
            piecewise(32, 4, pieces(lambda f: mp.tan(mp.pi * f) / f - s["TANPI_SLOPE"], 124,
                                    range(32), 0, 0.25)))  # fmt: skip
    print_table(
        "asinpi_in_pieces",
        "asin(x) / (pi x) - ASINPI_SLOPE, or (asin(x) / pi - 1/2) / sqrt(1 - x), powers 0 to 2.",
        piecewise(32, 3,
                  pieces(lambda x: mp.asin(x) / mp.pi / x - s["ASINPI_SLOPE"], 31, range(9), 0),
                  pieces(lambda x: -mp.acos(x) / mp.pi / mp.sqrt(1 - x), 31, range(9, 32), 0, 1)),
    )  # fmt: skip
    print_table(
        "acospi_in_pieces",
        "-asin(x) / (pi x), or acos(x) / pi / sqrt(1 - x), in pieces, powers 0 to 2.",
        piecewise(32, 3,
                  pieces(lambda x: -mp.asin(x) / mp.pi / x, 31, range(9), 0),
                  pieces(lambda x: mp.acos(x) / mp.pi / mp.sqrt(1 - x), 31, range(9, 32), 0, 1)),
    )  # fmt: skip
    print_table("atanpi_growth_in_pieces",
            "atan(x) / (pi x) - ATANPI_SLOPE in pieces, powers 0 to 2.",
            piecewise(32, 3, pieces(lambda x: mp.atan(x) / mp.pi / x - s["ATANPI_SLOPE"], 31,
                                    range(32), 0, 1)))  # fmt: skip
    print_table(
        "atanh_in_pieces", "atanh(x) / x - 1, or log(1 + x) / 2, in pieces, powers 0 to 3.",
        piecewise(32, 4,
                  pieces(lambda x: mp.atanh(x) / x - 1, 31, range(16), 0, 0.5, offset=up),
                  pieces(lambda x: mp.log1p(x) / 2, 31, range(16, 32), 0.5, 1)),
    )  # fmt: skip
    far = pieces(lambda v: (mp.asinh(1 / v) - mp.log(2 / v)) / v, 31, range(32), 0, 1)
    print_table(
        "asinh_in_pieces",
        "asinh(x) / x - 1, and (asinh(1 / v) - log(2 / v)) / v, in pieces, powers 0 to 3.",
        piecewise(64, 4,
                  pieces(lambda x: mp.asinh(x) / x - 1, 31, range(32), 0, 1, offset=down),
                  {32 + n: piece for n, piece in far.items()}),
    )  # fmt: skip
    for name in ("asinh", "acosh"):
        print_table(f"{name}_inverses", "1 / x, about, for each 32nd of [1, 2).", inverses())
        print_table(f"{name}_steps", "log(1 / inverse), about.", steps(mp.e))
    print_table(
        "erfc_in_pieces", "erfc(x) in pieces of 33/256, powers 0 to 5 of r.",
        piecewise(32, 6, pieces(mp.erfc, 256 / 33, range(32), 0, 4, centred=True)),
    )  # fmt: skip
    print_table(
        "tgamma_in_pieces", "gamma(x) in pieces of 1/8, powers 0 to 5 of r.",
        piecewise(128, 6, pieces(mp.gamma, 8, range(6, 121), centred=True)),
    )  # fmt: skip
    eighths = {8 * (127 + e) + i: eighth(e, i) for e in range(-1, 14) for i in range(8)}
    print_table(
        "lgamma_in_pieces",
        "log(gamma(x)), below 4 over (x - 1) (x - 2), in eighths of octaves, powers 0 to 4 of r.",
        piecewise(128, 5, eighths),
    )  # fmt: skip
    for name in CASES:
        print(f"\nenum {{ {name.upper()}_CASES = 1 }};")
        print_table(f"{name}_cases", "Halves, and their results.", [1e9, 1])
    print("\n#endif")


if __name__ == "__main__":
    main()
