"""The command ``python -m halfcl stability``, which runs a program in other roundings."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from halfcl._command.status import DONE, FOUND, USER_ERROR
from halfcl._support import files
from halfcl.stability._programs._page import page
from halfcl.stability._programs._report import text
from halfcl.stability._programs._testing import Asked, ProgramFailure, Report, test_program

HELP = "run a Python program in other roundings: which digits to trust, which line to blame"
DESCRIPTION = """\
Run a program on float16 or half arrays, unchanged, in the four rounding modes and at random, each
run in a process of its own. What it says is compared: numbers that it prints, files .npy, .npz and
of text that it writes, what it draws with Matplotlib, halfcl.stability.watch("name", x), and with
--watch its variables. Where runs disagree, the lines whose roundings do it are found, and better
formulas for them tried."""
EPILOG = """\
examples:
  python -m halfcl stability script.py --its options
  python -m halfcl stability --watch result --digits 2 script.py
  python -m halfcl stability --by function --html report.html -m package.module

exit status: 0 if all numbers agree, 1 if some do not (with --digits: if one has fewer significant
digits), 2 if the program cannot be tested: it fails, rounds nothing in half, or no number of it is
compared"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: those after the program's name are the program's."""
    parser.usage = "%(prog)s [options] (script.py | -m module) [arguments]"
    parser.allow_abbrev = False  # a prefix may be an option of the user's program
    add = parser.add_argument
    add("--samples", type=_count, default=10, metavar="N",
        help="runs that round at random (default: %(default)s)")  # fmt: skip
    add("--watch", action="append", default=[], metavar="NAME", help="compare this alone: a global "
        "variable, a function's (main.x), a watched name, a file, figure 1, or output; may be "
        "given several times")  # fmt: skip
    add("--digits", type=_digits, metavar="D",
        help="fail if a number has fewer significant digits than D (0 to 3.3)")  # fmt: skip
    add("--by", choices=("line", "function", "module"), default="line", help="unit that is blamed")
    add("--no-blame", action="store_true", help="do not search for the lines to blame")
    add("--no-trace", action="store_true", help="do not follow the program's steps: faster, but no "
        "branches, and no digits over time")  # fmt: skip
    add("--seed", type=_count, metavar="N",
        help="seed the program's random numbers in each run")  # fmt: skip
    add("--timeout", type=_seconds, metavar="S",
        help="stop a run after S seconds (default: 20 times the first, at least 60)")  # fmt: skip
    add("--folder", type=_folder, metavar="PATH", help="the folder that runs work in, with a layer "
        "of their own over it (default: this one)")  # fmt: skip
    add("--also", type=_folder, action="append", default=[], metavar="PATH", help="another folder "
        "whose files the program changes: each run has a layer over it, too; may be given several "
        "times")  # fmt: skip
    add("--allow-write", type=_existing, action="append", default=[], metavar="PATH",
        help="let the program change this file or folder itself; may be given several "
        "times")  # fmt: skip
    add("--html", type=Path, metavar="FILE", help="write a page with pictures")
    add("-m", dest="module", nargs=argparse.REMAINDER, default=[], metavar="module [arguments]",
        help="run a module instead of a script")  # fmt: skip
    add("program", nargs=argparse.REMAINDER, metavar="script.py [arguments]",
        help="the program and its arguments")  # fmt: skip


def _count(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or int(text) > 10_000:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 10000, got {text!r}")
    return int(text)


def _folder(text: str) -> str:
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"expected a folder that exists, got {text!r}")
    return text


def _existing(text: str) -> str:
    if not os.path.exists(text):
        raise argparse.ArgumentTypeError(
            f"expected a file or folder that exists, got {text!r}; name the folder of a new file"
        )
    return text


def _number(text: str, most: float, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number <= most:
        raise argparse.ArgumentTypeError(f"expected {what}, got {text!r}")
    return number


def _digits(text: str) -> float:
    return _number(text, 3.3, "significant digits, over 0 and at most the 3.3 that half has")


def _seconds(text: str) -> float:
    return _number(text, 1e6, "seconds, over 0 and at most 1000000")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    program = ["-m", *options.module] if options.module else options.program
    if not program or program[0] in ("-", "-c"):
        return _print_error(
            f"expected script.py or -m module, got {' '.join(program) or 'nothing'}"
        )
    if options.html is not None:
        if not options.module and files.is_same(options.html, program[0]):
            return _print_error(
                f"--html: expected another file than the program, got {options.html}"
            )
        files.check_place(options.html)
    asked = Asked(
        tuple(program), options.samples, tuple(options.watch), not options.no_trace,
        not options.no_blame, options.by, options.timeout, options.seed,
        options.folder, tuple(options.also), tuple(options.allow_write),
    )  # fmt: skip
    try:
        report = test_program(asked, _tell)
    except ProgramFailure as error:
        return _print_error(f"{asked.name}: {error}")
    print(text(report))
    if options.html is not None:
        files.write_text(options.html, page(report))
        print(f"written: {options.html}", file=sys.stderr)
    return _status(report, options.digits)


def _status(report: Report, digits: float | None) -> int:
    good = report.is_stable if digits is None else report.least_digits >= digits
    return DONE if good else FOUND


def _tell(what: str) -> None:
    """Print progress on a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"halfcl stability: {what} ...", file=sys.stderr)


def _print_error(message: str) -> int:
    print(f"halfcl stability: {message}", file=sys.stderr)
    return USER_ERROR
