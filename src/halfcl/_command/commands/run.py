"""The command ``python -m halfcl run``, which runs a program with float16 accelerated."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from types import TracebackType

import halfcl as hc
from halfcl._command.shared import DONE, UserError
from halfcl._numpy.children import VARIABLE as CHILDREN
from halfcl._support import main_programs

HELP = "run a Python program with NumPy's float16 accelerated"
DESCRIPTION = """\
Run a Python program as python does, after halfcl.accelerate(children=True): Python processes that
it starts are accelerated, too; with --no-children, or HALFCL_ACCELERATE=0 in the environment, those
alone that are forked from it, or ask for it. With --inexact-products, products of matrices are
computed in float32, as by halfcl.accelerate(exact_products=False)."""
EPILOG = """\
examples:
  python -m halfcl run script.py --its options
  python -m halfcl run -m package.module
  python -m halfcl run -c 'import numpy as np; print(np.float16([1]) / 3)'
  python -m halfcl run --no-children script.py
  python -m halfcl run --inexact-products script.py

exit status: the program's own, as python has it; 2 if there is none"""

_NO_CHILDREN, _INEXACT = _SWITCHES = ("--no-children", "--inexact-products")

#: Files whose frames are not the program's.
_OWN = {__file__, main_programs.__file__}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: all that follow are the program's, except a leading --help."""
    parser.usage = (
        "%(prog)s [--no-children] [--inexact-products]\n"
        "       (script.py | -m module | -c code | -) [arguments]"
    )
    parser.prefix_chars = "\0"
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.set_defaults(print_help=parser.print_help)


def run(options: argparse.Namespace) -> Callable[[], int]:
    """Return the program, to be called outside of the parser's frames."""
    switches = set()
    while options.program[:1] and options.program[0] in _SWITCHES:
        switches.add(options.program.pop(0))
    if options.program[:1] in (["-h"], ["--help"]):
        options.print_help()
        raise SystemExit(DONE)
    try:
        program = main_programs.find_program(options.program)
    except main_programs.ProgramError as error:
        raise UserError(error) from None
    return partial(_run, program, switches)


def _run(program: Callable[[], None], switches: set[str]) -> int:
    if _NO_CHILDREN in switches:
        os.environ[CHILDREN] = "0"  # the option overrides the environment
    hc.accelerate(children=True, exact_products=False if _INEXACT in switches else None)
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
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename in _OWN:
        frames = frames.tb_next
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
