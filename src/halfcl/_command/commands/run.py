"""The command ``python -m halfcl run``, which runs a program with float16 accelerated."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType

import halfcl as hc
from halfcl._command.programs import add_run_options, count, warn_of_passed_options
from halfcl._command.shared import (
    DONE,
    FOUND,
    UserError,
    add_json,
    print_json,
    print_progress,
)
from halfcl._numpy.children import VARIABLE as CHILDREN
from halfcl._support import main_programs

DESCRIPTION = """\
Run a Python program as python does, after halfcl.accelerate(children=True): Python processes that
it starts are accelerated, too; with --no-children, or HALFCL_ACCELERATE=0 in the environment, those
alone that are forked from it, or ask for it. With --inexact-products, products of matrices are
computed in float32, as by halfcl.accelerate(exact_products=False). With --compare, the program is
run several times plain and accelerated, in turns, and the command prints what it gains: seconds,
the NumPy calls that weigh most, and whether results differ. Its output is not shown, and its files
stay as they are."""
EPILOG = """\
examples:
  python -m halfcl run script.py --its options
  python -m halfcl run -m package.module
  python -m halfcl run -c "import numpy as np; print(np.float16([1]) / 3)"
  python -m halfcl run --no-children script.py
  python -m halfcl run --inexact-products script.py
  python -m halfcl run --compare script.py --its options
  python -m halfcl run --compare --rounds 5 --seed 0 -m package.module

exit status: the program's own, as python has it; 2 if there is none; with --compare 0, or 1 if the
program fails plain or accelerated"""

#: The options that --compare needs no more than any other run.
_SWITCHES = ("no_children", "inexact_products", "compare")

_ROUNDS = 3


def _options_parser() -> argparse.ArgumentParser:
    """Build the parser of the options before the program."""
    parser = argparse.ArgumentParser(
        prog="halfcl run", usage=argparse.SUPPRESS, add_help=False, allow_abbrev=False
    )
    add = parser.add_argument
    add("--no-children", action="store_true", help="do not accelerate processes that it starts")
    add("--inexact-products", action="store_true", help="compute products of matrices in float32")
    add("--compare", action="store_true", help="print what the program gains; the options below "
        "need this one")  # fmt: skip
    add("--rounds", type=_rounds, metavar="N", help="runs of each kind, of which the best counts "
        f"(default: {_ROUNDS})")  # fmt: skip
    add_run_options(parser, "20 times the first's, at least 60")
    add_json(parser, "the comparison")
    return parser


def _rounds(text: str) -> int:
    if not count(text):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 10000, got {text!r}")
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: all that follow are the program's, except leading options."""
    parser.usage = "%(prog)s [options] (script.py | -m module | -c code | -) [arguments]"
    own = _options_parser().format_help().replace("options:", "options before the program:")
    parser.epilog = f"{own}\n{parser.epilog}"
    parser.prefix_chars = "\0"
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.set_defaults(print_help=parser.print_help)


def run(options: argparse.Namespace) -> int | Callable[[], int]:
    """Return the program, to be called outside of the parser's frames, or the status.

    With --compare the program has run already.
    """
    parser = _options_parser()
    leading = _pop_options(parser, options.program)
    if options.program[:1] in (["-h"], ["--help"]):
        options.print_help()
        raise SystemExit(DONE)
    own = parser.parse_args(leading)
    if options.program:
        warn_of_passed_options("halfcl run", options.program, parser)
    if own.compare:
        return _compare(own, options.program)
    for name, value in vars(own).items():
        if value and name not in _SWITCHES:
            raise UserError(f"--{name.replace('_', '-')}: expected --compare before it")
    try:
        program = main_programs.find_program(options.program)
    except main_programs.ProgramError as error:
        raise UserError(error) from None
    return partial(_run, program, own.no_children, own.inexact_products)


def _pop_options(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """Remove the options before the program from the words, and return them."""
    lengths = {
        name: 1 if action.nargs == 0 else 2
        for action in parser._actions
        for name in action.option_strings
    }
    leading: list[str] = []
    while words and (length := lengths.get(words[0].partition("=")[0])):
        end = 1 if "=" in words[0] else length
        leading += words[:end]
        del words[:end]
    if words and words[0].startswith("--"):
        _refuse_misspelled(words[0].partition("=")[0], lengths)
    return leading


def _refuse_misspelled(word: str, options: Iterable[str]) -> None:
    """Raise UserError for a word that is nearly an option; others may be Python's own."""
    from difflib import get_close_matches

    if likely := get_close_matches(word, options, 1, 0.75):
        raise UserError(
            f"expected options before the program, got {word}; did you mean {likely[0]}?"
        )


def _compare(own: argparse.Namespace, program: list[str]) -> int:
    """Compare plain and accelerated runs of a program, and print the report."""
    # These import what a plain run does not need.
    from halfcl._speedup.comparing import Options, ProgramFailure, compare_program
    from halfcl._speedup.reporting import as_dict, text

    comparison = Options(
        tuple(program), own.rounds or _ROUNDS, own.timeout, own.seed, own.folder,
        tuple(own.also), tuple(own.allow_write), not own.no_children,
        False if own.inexact_products else None,
    )  # fmt: skip
    try:
        report = compare_program(comparison, lambda step: print_progress(f"halfcl run: {step} ..."))
    except ProgramFailure as error:
        raise UserError(error) from None
    if own.json:
        print_json(as_dict(report))
    else:
        print(text(report))
    return FOUND if report.failures else DONE


def _run(program: Callable[[], None], no_children: bool, is_inexact: bool) -> int:
    if no_children:
        os.environ[CHILDREN] = "0"  # the option overrides the environment
    hc.accelerate(children=True, exact_products=False if is_inexact else None)
    try:
        program()
    except SystemExit:
        raise
    except BaseException as error:
        _leave_out_own_frames(error)
        raise
    return DONE


def _leave_out_own_frames(error: BaseException) -> None:
    """Remove halfcl's frames from the traceback that Python prints for the error.

    KeyboardInterrupt, exit statuses and all else stay Python's.
    """
    frames = main_programs.program_frames(error, [__file__])
    hook = getattr(sys, "excepthook", sys.__excepthook__)

    def tell(
        kind: type[BaseException], exception: BaseException, all: TracebackType | None
    ) -> None:
        sys.excepthook = hook
        if exception is error:
            sys.last_traceback = all = frames
            exception.with_traceback(frames)
        hook(kind, exception, all)

    sys.excepthook = tell
