"""Print the constants of functions of two halves on GPUs with fast doubles, as a C header.

    python tools/make_device_doubles.py > src/halfcl/device/preludes/cuda/double_tables.h

Needs mpmath.
"""

import struct
from collections.abc import Callable
from itertools import pairwise

from mpmath import atan, chop, cos as cosine, log, log1p, lu_solve, matrix, mp, mpf, pi

mp.prec = 200

# log2(x): the float bits where the pieces begin, and the bits of a float that select a piece.
FIRST, BITS = 0x3F350000, 17
POWERS, INVERSES, ANGLES = 16, 64, 32


def float_of_bits(bits: int) -> mpf:
    return mpf(struct.unpack("f", struct.pack("I", bits))[0])


def fit(
    function: Callable[[mpf], mpf], at_0: mpf | float, reach: mpf | float, count: int
) -> list[mpf]:
    """Fit a polynomial of `count` terms through Chebyshev points within `reach` of 0."""
    points = [reach * cosine(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [function(x) if abs(x) > mpf(10) ** -20 else at_0 for x in points]
    powers = matrix([[x**k for k in range(count)] for x in points])
    return [chop(c) for c in lu_solve(powers, matrix(values))]


def factors() -> list[mpf]:
    """Return each piece's factor of 9 bits that takes it near 1; it is 1 for the piece with 1."""
    starts = [float_of_bits(FIRST + (k << BITS)) for k in range((1 << (23 - BITS)) + 1)]
    return [
        mpf(1) if low <= 1 < high else mp.nint(512 * 2 / (low + high)) / 512
        for low, high in pairwise(starts)
    ]


def inverses() -> list[mpf]:
    """Return the reciprocals of 1 + k / INVERSES, with 9 bits; those at the ends are exact."""
    return [mp.nint(512 * mpf(INVERSES) / (INVERSES + k)) / 512 for k in range(INVERSES + 1)]


def angles(half_turn: mpf) -> list[mpf]:
    """Return the angles of slopes k / ANGLES, from either axis, then those back from a half turn.

    Each part has 64 places.
    """
    slight = [atan(mpf(k) / ANGLES) * half_turn / pi for k in range(ANGLES + 1)]
    fill = [mpf(0)] * (64 - len(slight))
    near = slight + fill + [half_turn / 2 - a for a in slight] + fill
    return near + [half_turn - a for a in near]


def literal(x: mpf) -> str:
    text = float(x).hex()
    digits, _, exponent = text.partition("p")
    return f"{digits.rstrip('0').rstrip('.')}p{int(exponent)}"


def table(name: str, comment: str, values: list[mpf], size: int = 0, kind: str = "DOUBLES") -> None:
    """Return a table in C; `size` exceeds the values where a NaN may look up further ones."""
    print(f"/* {comment} */\n//= {name}")
    print(f"HCI_{kind}(double, hci_{name}, [{size or len(values)}]) = {{")
    for k in range(0, len(values), 4):
        print("    " + ", ".join(literal(x) for x in values[k : k + 4]) + ",")
    print("};\n")


def rows(name: str, comment: str, pairs: list[tuple[mpf, mpf]], size: int = 0) -> None:
    """Return a table in C of pairs of numbers, which are read at once."""
    print(f"/* {comment} */\n//= {name}")
    print(f"HCI_DOUBLES(double2, hci_{name}, [{size or len(pairs)}]) = {{")
    for k in range(0, len(pairs), 2):
        some = (f"{{{literal(x)}, {literal(y)}}}" for x, y in pairs[k : k + 2])
        print("    " + ", ".join(some) + ",")
    print("};\n")


def coefficients(name: str, comment: str, values: list[mpf]) -> None:
    table(name, comment, values, kind="COEFFICIENTS")


def main() -> None:
    print("/* Made by tools/make_device_doubles.py. Names and comments as in kernels.h. */")
    print("/* clang-format off */\n")

    rows("log2_pieces", "The pieces of [0.707, 1.414): a factor, and its logarithm, negated.",
         [(factor, -log(factor, 2)) for factor in factors()])  # fmt: skip
    slope = fit(lambda s: log1p(s) / s / log(2), 1 / log(2), 0.0086, 7)
    coefficients("log2_slope_in_double", "log2(1 + s) / s.", slope)

    powers = [mpf(2) ** (mpf(k) / POWERS) for k in range(POWERS)]
    table("powers_in_double", "2^(k / 16).", powers)
    growth = fit(lambda r: mp.expm1(r * log(2)) / r, log(2), 1 / 32, 6)
    coefficients("power_growth", "(2^r - 1) / r, |r| <= 1/32.", growth)

    comment = "Nearly 64 / (64 + k), and the logarithm of that, negated."
    rows("natural_pieces", comment, [(x, -log(x)) for x in inverses()], 128)
    rows("binary_pieces", comment, [(x, -log(x, 2)) for x in inverses()], 128)
    slope = fit(lambda z: (log1p(z) / z - 1) / z, -0.5, 0.0086, 6)
    coefficients("log_slope_in_double", "(log(1 + z) / z - 1) / z.", slope)
    octaves = 1 / log(2)
    lacking = octaves - float(octaves)
    coefficients("octaves_of_e", "And what the double lacks of it.", [octaves, lacking])

    series = [-mpf(1) / 3, mpf(1) / 5, -mpf(1) / 7]
    coefficients("series_of_angle", "(atan(t) / t - 1) / t^2, of t^2.", series)
    coefficients("half_turns_of_unit", "1 / pi.", [1 / pi])
    table("angles_in_double", "The angles of slopes k / 32, in four parts.", angles(+pi), 256)
    table("half_turns_in_double", "The angles in half turns.", angles(mpf(1)), 256)


if __name__ == "__main__":
    main()
