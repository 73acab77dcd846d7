"""The command ``python -m halfcl stability``, which runs a program in other roundings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from halfcl._command.programs import (
    add_run_options,
    count,
    number,
    seconds,
    warn_of_passed_options,
)
from halfcl._command.shared import DONE, FOUND, UserError, print_progress
from halfcl._support import files, pages
from halfcl.stability._measures import LEAST_SAMPLES, Scale
from halfcl.stability._programs._analysis.requests import KnownTruth, RequestError, parse_scale
from halfcl.stability._programs._reporting.page import page
from halfcl.stability._programs._reporting.text import text
from halfcl.stability._programs._running.interrupting import first_interrupt_calls
from halfcl.stability._programs._testing import (
    FEWEST_SAMPLES,
    Options,
    ProgramFailure,
    test_program,
)

DESCRIPTION = """\
Run a program on float16 or half arrays, unchanged, in the four rounding modes and at random, each
run in its own process, and once with wider halves as a reference. The command compares the output:
printed numbers, written files (.npy, .npz and text), figures of Matplotlib, results passed to
halfcl.stability.watch("name", x), and variables named by --watch. Where runs disagree, it finds the
lines whose roundings cause this, and suggests better formulas for them."""
EPILOG = """\
examples:
  python -m halfcl stability script.py --its options
  python -m halfcl stability --watch result --digits 2 script.py
  python -m halfcl stability --by function --html report.html -m package.module

exit status: 0 if all numbers are stable, 1 if some are not (with --digits: if one has fewer
significant digits), 2 if the program cannot be tested: it fails, rounds nothing in half, or has no
output that can be compared"""

_SAMPLES = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: those after the program's name are the program's."""
    parser.usage = "%(prog)s [options] (script.py | -m module) [arguments]"
    parser.allow_abbrev = False  # a prefix may be an option of the user's program
    add = parser.add_argument
    parser.set_defaults(parser=parser)
    add("--samples", type=count, metavar="N", help="number of runs that round at random (default: "
        f"{_SAMPLES}; without --digits fewer, at least {FEWEST_SAMPLES}, if they take "
        "long)")  # fmt: skip
    add("--watch", action="append", default=[], metavar="NAME", help="compare only this: a global "
        "variable, one of a function (main.x), a watched name, a file, figure 1, or output; may be "
        "given several times")  # fmt: skip
    add("--digits", type=_digits, metavar="D", help="fail if a number has fewer significant digits "
        "than D (0 to 3.3); needs two or more --samples")  # fmt: skip
    add("--scale", type=_scale, action="append", default=[], metavar="NAME=UNIT", help="count "
        "differences of a result's elements in ulps of its largest element (NAME=max), of its "
        "2-norm (NAME=norm), or in an absolute unit (NAME=abs:1e-3), in place of their own ulps; "
        "may be given several times")  # fmt: skip
    add("--truth", type=_truth, action="append", default=[], metavar="[NAME=]FILE.npy",
        help="the exact numbers of a result, which its errors are measured against; may be given "
        "several times")  # fmt: skip
    add("--by", choices=("line", "function", "module"), default="line", help="units to blame")
    add("--no-blame", action="store_true", help="do not search for the lines to blame")
    add("--no-trace", action="store_true", help="do not trace the program's steps: faster, but no "
        "branches, and no digits over time")  # fmt: skip
    add_run_options(parser, "10 times a run to nearest, at least 10")
    add("--budget", type=seconds, metavar="S", help="seconds for all runs; when they are over, the "
        "report has what is known (default: no limit)")  # fmt: skip
    add("--html", type=Path, metavar="FILE", help="write a page with pictures; "
        "needs the extra 'pages'")  # fmt: skip
    add("-m", dest="module", nargs=argparse.REMAINDER, default=[], metavar="module [arguments]",
        help="run a module instead of a script")  # fmt: skip
    add("program", nargs=argparse.REMAINDER, metavar="script.py [arguments]",
        help="the program and its arguments")  # fmt: skip


def _digits(text: str) -> float:
    return number(text, 3.3, "significant digits, over 0 and at most the 3.3 that half has")


def _scale(text: str) -> tuple[str, Scale | None]:
    return _request(parse_scale, text)


def _truth(text: str) -> KnownTruth:
    return _request(KnownTruth.parse, text)


_T = TypeVar("_T")


def _request(parse: Callable[[str], _T], text: str) -> _T:
    """Return a parsed argument; pass on the reason why it cannot be parsed."""
    try:
        return parse(text)
    except RequestError as error:
        # argparse puts the option's name in front.
        raise argparse.ArgumentTypeError(str(error).partition(": ")[2]) from None


def _check_samples(options: argparse.Namespace) -> int:
    """Return the number of samples; raise UserError if these are too few for --digits."""
    samples: int = _SAMPLES if options.samples is None else options.samples
    if options.digits is not None and samples < LEAST_SAMPLES:
        raise UserError(
            f"--digits: expected at least {LEAST_SAMPLES} --samples, got {samples}; digits "
            "are estimated from the runs that round at random"
        )
    return samples


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    program = ["-m", *options.module] if options.module else options.program
    if not program or program[0] in ("-", "-c"):
        raise UserError(f"expected script.py or -m module, got {' '.join(program) or 'nothing'}")
    samples = _check_samples(options)
    if options.html is not None:
        if not options.module and files.is_same(options.html, program[0]):
            raise UserError(f"--html: expected a file other than the program, got {options.html}")
        files.check_place(options.html)
        pages.environment()  # imports Jinja2, before minutes are spent
    test_options = Options(
        tuple(program), samples, tuple(options.watch), not options.no_trace,
        not options.no_blame, options.by, options.timeout, options.seed,
        options.folder, tuple(options.also), tuple(options.allow_write), options.budget,
        options.samples is None and options.digits is None,
        tuple(options.scale), tuple(options.truth),
    )  # fmt: skip
    warn_of_passed_options("halfcl stability", program, options.parser)
    try:
        report = test_program(
            test_options, lambda step: print_progress(f"halfcl stability: {step} ...")
        )
    except ProgramFailure as error:
        raise UserError(f"{test_options.name}: {error}") from None
    with first_interrupt_calls(lambda: None):  # The report is complete.
        print(text(report))
        if options.html is not None:
            files.write_text(options.html, page(report))
            print(f"written: {options.html}", file=sys.stderr)
    least = options.digits
    good = report.is_stable if least is None else report.least_digits >= least
    return DONE if good else FOUND
