"""Write csrc/format/srgb.h, and the same for CUDA: what sRGB codes stand for, and from where on
each is the nearest.

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
CUDA = ROOT / "src" / "halfcl" / "device" / "preludes" / "cuda_srgb.h"
FLOAT_BITS = 24


def significand(fraction: int) -> tuple[int, bool, int]:
    """Split a fraction of decode_to_odd: significand, whether it was truncated, exponent."""
    cut = fraction.bit_length() - FLOAT_BITS
    digits = fraction >> cut if cut > 0 else fraction << -cut
    return digits, cut > 0 and digits << cut != fraction, cut - DECODED_BITS


def literal(integer: int, exponent: int) -> str:
    return math.ldexp(integer, exponent).hex() + "f"


def rounded_to_odd(fraction: int) -> str:
    digits, is_less, exponent = significand(fraction)
    return literal(digits | is_less, exponent)


def rounded_up(fraction: int) -> str:
    digits, is_less, exponent = significand(fraction)
    return literal(digits + is_less, exponent)


def table(name: str, literals: list[str]) -> str:
    rows = "".join(f"    {literal},\n" for literal in literals)
    return f"static const float {name}[{len(literals)}] = {{\n{rows}}};\n"


def cuda_table(name: str, literals: list[str]) -> str:
    text = textwrap.fill(", ".join(map(shortened, literals)), 96)
    return f"HCI_TABLE(float, hci_{name}, [{len(literals)}]) = {{\n{text}}};\n"


def shortened(literal: str) -> str:
    """Without zeros at its end."""
    return re.sub(r"\.?0+p", "p", literal)


def values() -> list[str]:
    return [rounded_to_odd(decode_to_odd(code, 255)) for code in range(256)]


def bounds() -> list[str]:
    """What lies between two codes. OpenCL's rules for reads and for writes change at 0.04045 and at
    12.92 * 0.0031308 = 0.04044994: none of these is between."""
    return [rounded_up(decode_to_odd(2 * code - 1, 510)) for code in range(1, 256)]


def header() -> str:
    return f"""\
/* Written by tools/make_srgb.py. */
#ifndef HALFCL_SRGB_H
#define HALFCL_SRGB_H

/* clang-format off */

/* By code: the linear value, rounded to odd. */
{table("srgb_linear", values())}
/* At code - 1: the least float that this code, or a greater one, is written for. */
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
