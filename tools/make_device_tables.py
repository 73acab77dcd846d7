"""Write the tables that functions on GPUs read as C headers: doubles, and sRGB's codes.

    python tools/make_device_tables.py FOLDER

Builds run it; it needs Python's standard library, and csrc/format/srgb.h.
"""

import itertools
import re
import struct
import sys
import textwrap
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRGB = ROOT / "csrc" / "format" / "srgb.h"

DIGITS = 60
TINY = Decimal("1e-20")  # the point that is rounded to nearly 0

# log2(x): the float bits where the pieces begin, and the bits of a float that select a piece.
FIRST, BITS = 0x3F350000, 17
POWERS, INVERSES, ANGLES = 16, 64, 32


# ---------------------------------------------------------------- functions of Decimal


def _sum(terms: Iterator[Decimal]) -> Decimal:
    """Sum a series whose terms decrease, until they no longer count."""
    return sum(itertools.takewhile(lambda term: abs(term) > Decimal(10) ** -DIGITS, terms))


def arctangent(x: Decimal) -> Decimal:
    """Return the arctangent of a number from 0 to 1."""
    if x > Decimal("0.1"):  # the series needs small numbers
        return 2 * arctangent(x / (1 + (1 + x * x).sqrt()))
    return _sum((-1) ** k * x ** (2 * k + 1) / (2 * k + 1) for k in itertools.count())


def cosine(x: Decimal) -> Decimal:
    def terms() -> Iterator[Decimal]:
        term = Decimal(1)
        for k in itertools.count(1):
            yield term
            term *= -x * x / (2 * k * (2 * k - 1))

    return _sum(terms())


def logarithm_of_2(x: Decimal) -> Decimal:
    return x.ln() / Decimal(2).ln()


# ---------------------------------------------------------------- tables


def float_of_bits(bits: int) -> Decimal:
    return Decimal(struct.unpack("f", struct.pack("I", bits))[0])


def fit(function: Callable[[Decimal], Decimal], reach: str, count: int) -> list[Decimal]:
    """Fit a polynomial of `count` terms through Chebyshev points within `reach` of 0.

    Return its coefficients, from Newton's divided differences.
    """
    pi = 4 * arctangent(Decimal(1))
    points = [Decimal(reach) * cosine(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    differences = [function(x) for x in points]
    for step in range(1, count):
        for k in range(count - 1, step - 1, -1):
            span = points[k] - points[k - step]
            differences[k] = (differences[k] - differences[k - 1]) / span
    polynomial = [Decimal(0)] * (count + 1)
    for x, difference in zip(reversed(points), reversed(differences), strict=True):
        shifted = [Decimal(0), *polynomial[:-1]]
        polynomial = [high - x * low for high, low in zip(shifted, polynomial, strict=True)]
        polynomial[0] += difference
    return polynomial[:count]


def nine_bits(x: Decimal) -> Decimal:
    return (512 * x).to_integral_value() / 512


def factors() -> list[Decimal]:
    """Return each piece's factor of 9 bits that takes it near 1; it is 1 for the piece with 1."""
    starts = [float_of_bits(FIRST + (k << BITS)) for k in range((1 << (23 - BITS)) + 1)]
    return [
        Decimal(1) if low <= 1 < high else nine_bits(2 / (low + high))
        for low, high in pairwise(starts)
    ]


def inverses() -> list[Decimal]:
    """Return the reciprocals of 1 + k / INVERSES, with 9 bits; those at the ends are exact."""
    return [nine_bits(Decimal(INVERSES) / (INVERSES + k)) for k in range(INVERSES + 1)]


def angles(half_turn: Decimal) -> list[Decimal]:
    """Return the angles of slopes k / ANGLES, from either axis, then those back from a half turn.

    Each part has 64 places.
    """
    pi = 4 * arctangent(Decimal(1))
    slight = [arctangent(Decimal(k) / ANGLES) * half_turn / pi for k in range(ANGLES + 1)]
    fill = [Decimal(0)] * (64 - len(slight))
    near = slight + fill + [half_turn / 2 - a for a in slight] + fill
    return near + [half_turn - a for a in near]


def literal(x: Decimal) -> str:
    digits, _, exponent = float(x).hex().partition("p")
    return f"{digits.rstrip('0').rstrip('.')}p{int(exponent)}"


def table(
    name: str, comment: str, values: list[Decimal], size: int = 0, kind: str = "DOUBLES"
) -> str:
    """Return a table in C; `size` exceeds the values where a NaN may look up further ones."""
    return _table(f"{kind}(double", name, comment, list(map(literal, values)), 4, size)


def rows(name: str, comment: str, pairs: list[tuple[Decimal, Decimal]], size: int = 0) -> str:
    """Return a table in C of pairs of numbers, which are read at once."""
    texts = [f"{{{literal(x)}, {literal(y)}}}" for x, y in pairs]
    return _table("DOUBLES(double2", name, comment, texts, 2, size)


def _table(start: str, name: str, comment: str, texts: list[str], per_line: int, size: int) -> str:
    lines = [texts[k : k + per_line] for k in range(0, len(texts), per_line)]
    body = "".join(f"    {', '.join(line)},\n" for line in lines)
    return (
        f"/* {comment} */\n//= {name}\n"
        f"HCI_{start}, hci_{name}, [{size or len(texts)}]) = {{\n{body}}};\n\n"
    )


def coefficients(name: str, comment: str, values: list[Decimal]) -> str:
    return table(name, comment, values, kind="COEFFICIENTS")


def double_tables() -> str:
    """Return the constants of functions of two halves on GPUs with fast doubles."""
    ln_2, pi = Decimal(2).ln(), 4 * arctangent(Decimal(1))
    powers = [Decimal(2) ** (Decimal(k) / POWERS) for k in range(POWERS)]
    octaves = 1 / ln_2
    parts = [
        "/* Made by tools/make_device_tables.py. Names and comments as in kernels.h. */\n"
        "/* clang-format off */\n\n",
        rows(
            "log2_pieces", "The pieces of [0.707, 1.414): a factor, and its logarithm, negated.",
            [(x, -logarithm_of_2(x)) for x in factors()],
        ),
        coefficients(
            "log2_slope_in_double", "log2(1 + s) / s.",
            fit(lambda s: ((1 + s).ln() / s if abs(s) > TINY else 1) / ln_2, "0.0086", 7),
        ),
        table("powers_in_double", "2^(k / 16).", powers),
        coefficients(
            "power_growth", "(2^r - 1) / r, |r| <= 1/32.",
            fit(lambda r: ((r * ln_2).exp() - 1) / r, "0.03125", 6),
        ),
        rows(
            "natural_pieces", "Nearly 64 / (64 + k), and the logarithm of that, negated.",
            [(x, -x.ln()) for x in inverses()], 128,
        ),
        rows(
            "binary_pieces", "Nearly 64 / (64 + k), and the logarithm of that, negated.",
            [(x, -logarithm_of_2(x)) for x in inverses()], 128,
        ),
        coefficients(
            "log_slope_in_double", "(log(1 + z) / z - 1) / z.",
            fit(lambda z: ((1 + z).ln() / z - 1) / z, "0.0086", 6),
        ),
        coefficients(
            "octaves_of_e", "And what the double lacks of it.",
            [octaves, octaves - Decimal(float(octaves))],
        ),
        coefficients(
            "series_of_angle", "(atan(t) / t - 1) / t^2, of t^2.",
            [-1 / Decimal(3), 1 / Decimal(5), -1 / Decimal(7)],
        ),
        coefficients("half_turns_of_unit", "1 / pi.", [1 / pi]),
        table("angles_in_double", "The angles of slopes k / 32, in four parts.", angles(pi), 256),
        table("half_turns_in_double", "The angles in half turns.", angles(Decimal(1)), 256),
    ]  # fmt: skip
    return "".join(parts)


# ---------------------------------------------------------------- sRGB


def srgb_tables() -> str:
    """Return the engine's tables of sRGB's codes, as dialects of C++ read them."""
    text = """\
/* Made by tools/make_device_tables.py: what sRGB codes stand for, rounded to odd; and at code - 1
   the least float that this code, or a greater one, is written for. */
/* clang-format off */
"""
    for name, body in re.findall(r"float (\w+)\[\d+\] = {(.*?)}", SRGB.read_text(), re.DOTALL):
        numbers = [re.sub(r"\.?0+p", "p", number) for number in body.replace(",", " ").split()]
        lines = textwrap.fill(", ".join(numbers), 96)
        text += f"HCI_TABLE(float, hci_{name}, [{len(numbers)}]) = {{\n{lines}}};\n"
    return text + "/* clang-format on */\n"


def main(preludes: Path) -> None:
    with localcontext(prec=DIGITS):
        texts = {"cuda/double_tables.h": double_tables(), "cpp/srgb.h": srgb_tables()}
    for name, text in texts.items():
        path = preludes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
