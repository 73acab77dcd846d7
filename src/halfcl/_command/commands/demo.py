"""The command ``python -m halfcl demo``, which makes pictures from a photograph."""

from __future__ import annotations

import argparse
from pathlib import Path

from halfcl import _demo as demo
from halfcl._command.shared import DONE

DESCRIPTION = """\
Develop a photograph in half precision in the four rounding modes, shade its relief from a
normal map, and enlarge, rotate and mipmap it: times beside NumPy's float16, a proven bound on
the rounding error or the error itself, and pictures of all. Needs pip install "halfcl[demo]"."""
EPILOG = """\
example:
  python -m halfcl demo --out pictures --repeat 5

exit status: 0, or 2 if a package is missing or the folder cannot be written to"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("halfcl-demo"),
        metavar="DIR",
        help="where to write the PNG files (default: ./halfcl-demo)",
    )
    parser.add_argument(
        "--repeat",
        type=_positive,
        default=10,
        metavar="N",
        help="time the steps N times and take the best (default: %(default)s)",
    )


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, got {text}")
    return number


def run(options: argparse.Namespace) -> int:
    """Make the pictures and return the exit status."""
    demo.run(options.out, options.repeat)
    return DONE
