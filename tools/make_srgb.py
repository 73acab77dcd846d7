"""Write the tables of sRGB codes for C and CUDA: linear values, and bounds between codes.

python tools/make_srgb.py --write
"""

import argparse
import math
import re
import textwrap
from pathlib import Path

from halfcl.io._srgb import DECODED_BITS, decode_to_odd

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "csrc" / "format" / "srgb.h"
CUDA = ROOT / "src" / "halfcl" / "device" / "preludes" / "cpp" / "srgb.h"
FLOAT_BITS = 24


def significand(fraction: int) -> tuple[int, bool, int]:
    """Split a decoded fraction into a float's truncated integer, sticky bit and exponent."""
    cut = fraction.bit_length() - FLOAT_BITS
    digits = fraction >> cut if cut > 0 else fraction << -cut
    return digits, cut > 0 and digits << cut != fraction, cut - DECODED_BITS


def literal(integer: int, exponent: int) -> str:
    return math.ldexp(integer, exponent).hex() + "f"


def round_to_odd(fraction: int) -> str:
    digits, is_inexact, exponent = significand(fraction)
    return literal(digits | is_inexact, exponent)


def round_up(fraction: int) -> str:
    digits, is_inexact, exponent = significand(fraction)
    return literal(digits + is_inexact, exponent)


def table(name: str, literals: list[str]) -> str:
    rows = "".join(f"    {literal},\n" for literal in literals)
    return f"static const float {name}[{len(literals)}] = {{\n{rows}}};\n"


def cuda_table(name: str, literals: list[str]) -> str:
    text = textwrap.fill(", ".join(map(strip_zeros, literals)), 96)
    return f"HCI_TABLE(float, hci_{name}, [{len(literals)}]) = {{\n{text}}};\n"


def strip_zeros(literal: str) -> str:
    """Remove the zeros at the end of a literal's digits."""
    return re.sub(r"\.?0+p", "p", literal)


def values() -> list[str]:
    return [round_to_odd(decode_to_odd(code, 255)) for code in range(256)]


def bounds() -> list[str]:
    """Return the values between two codes.

    OpenCL's rules for reads and for writes change at 0.04045 and at 0.04044994 (which is
    12.92 * 0.0031308); no value between two codes lies between these.
    """
    return [round_up(decode_to_odd(2 * code - 1, 510)) for code in range(1, 256)]


def header() -> str:
    return f"""\
/* Made by tools/make_srgb.py. */
#ifndef HALFCL_SRGB_H
#define HALFCL_SRGB_H

/* clang-format off */

/* The linear value of each code, rounded to odd. */
{table("srgb_linear", values())}
/* At index code - 1, the least float that is encoded as this code or a greater one. */
{table("srgb_least", bounds())}
/* clang-format on */

#endif
"""


def cuda() -> str:
    return f"""\
/* Written by tools/make_srgb.py: what sRGB codes stand for, rounded to odd; and at code - 1 the
   least float that this code, or a greater one, is written for. */
/* clang-format off */
{cuda_table("srgb_linear", values())}{cuda_table("srgb_least", bounds())}\
/* clang-format on */
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write them, else print the first")
    if parser.parse_args().write:
        HEADER.write_text(header(), encoding="utf-8")
        CUDA.write_text(cuda(), encoding="utf-8")
    else:
        print(header(), end="")


if __name__ == "__main__":
    main()
