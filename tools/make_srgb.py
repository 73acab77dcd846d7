"""Write csrc/format/srgb.h: what sRGB codes stand for, and from where on each is the nearest.

python tools/make_srgb.py --write
"""

import argparse
import math
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path

HEADER = Path(__file__).resolve().parent.parent / "csrc" / "format" / "srgb.h"
FLOAT_BITS = 24

getcontext().prec = 60  # no value is that close to a float


def power(x: Fraction, exponent: str) -> Fraction:
    return Fraction((Decimal(x.numerator) / Decimal(x.denominator)) ** Decimal(exponent))


def linear(encoded: Fraction) -> Fraction:
    """What a number from 0 to 1, sRGB-encoded, stands for."""
    if encoded <= Fraction("0.04045"):
        return encoded / Fraction("12.92")
    return power((encoded + Fraction("0.055")) / Fraction("1.055"), "2.4")


def least_encoded_as(encoded: Fraction) -> Fraction:
    """The least number that OpenCL's rule for writes encodes as that or more."""
    straight = encoded / Fraction("12.92")
    if straight < Fraction("0.0031308"):
        return straight
    curved = power((encoded + Fraction("0.055")) / Fraction("1.055"), "2.4")
    assert curved >= Fraction("0.0031308"), "no code changes where the two rules meet"
    return curved


def significand(x: Fraction) -> tuple[Fraction, int]:
    """x = the first times two to the second, the first having the integer part of a float."""
    exponent = math.floor(math.log2(x)) + 1 - FLOAT_BITS
    return x / Fraction(2) ** exponent, exponent


def literal(integer: int, exponent: int) -> str:
    return math.ldexp(integer, exponent).hex() + "f"


def rounded_to_odd(x: Fraction) -> str:
    if x in (0, 1):
        return literal(int(x), 0)
    digits, exponent = significand(x)
    return literal(math.floor(digits) | (digits.denominator != 1), exponent)


def rounded_up(x: Fraction) -> str:
    digits, exponent = significand(x)
    return literal(math.ceil(digits), exponent)


def table(name: str, literals: list[str]) -> str:
    rows = "".join(f"    {literal},\n" for literal in literals)
    return f"static const float {name}[{len(literals)}] = {{\n{rows}}};\n"


def header() -> str:
    values = [rounded_to_odd(linear(Fraction(code, 255))) for code in range(256)]
    bounds = [rounded_up(least_encoded_as(Fraction(2 * code - 1, 510))) for code in range(1, 256)]
    return f"""\
/* Written by tools/make_srgb.py. */
#ifndef HALFCL_SRGB_H
#define HALFCL_SRGB_H

/* clang-format off */

/* By code: the linear value, rounded to odd. */
{table("srgb_linear", values)}
/* At code - 1: the least float that this code, or a greater one, is written for. */
{table("srgb_least", bounds)}
/* clang-format on */

#endif
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the header, else print it")
    if parser.parse_args().write:
        HEADER.write_text(header(), encoding="utf-8")
    else:
        print(header(), end="")


if __name__ == "__main__":
    main()
