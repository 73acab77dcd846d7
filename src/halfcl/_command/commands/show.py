"""The command ``python -m halfcl show``, which shows the parts of numbers as halves."""

from __future__ import annotations

import argparse
import os
import re
import sys

from halfcl._anatomy import anatomy
from halfcl._command.shared import DONE, UserError

DESCRIPTION = """\
Show the half nearest a number: its sign, exponent and significand bits, its exact value, how far
that is from the number, the size of an ulp, the halves beside it, and what each of the four
rounding modes makes of the number, which is read exactly."""
EPILOG = """\
example:
  python -m halfcl show 0.1 1e-7 0x1.8p-3 -70000

exit status: 0, or 2 if a text is no number"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    # The parser takes "-5" for a number, but "-1e-7" and "-inf" for options; this command has none.
    parser._negative_number_matcher = re.compile(r"-[\d.]|-inf|-nan", re.IGNORECASE)
    parser.add_argument(
        "numbers",
        nargs="+",
        metavar="NUMBER",
        help="decimal, hexadecimal, 2**-25, 1/3 or 0x2e66 bits",
    )


def run(options: argparse.Namespace) -> int:
    """Print the numbers' parts and return the exit status."""
    in_colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    try:
        shown = [anatomy(number) for number in options.numbers]
    except ValueError as error:
        raise UserError(str(error)) from error
    print("\n\n".join("\n".join(number.lines(in_colour=in_colour)) for number in shown))
    return DONE
