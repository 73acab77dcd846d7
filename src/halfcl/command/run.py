"""``python -m halfcl run``: a Python program with NumPy's float16 accelerated."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import types
from collections.abc import Callable
from importlib.util import find_spec

import halfcl as hc
from halfcl.command.status import DONE, FOUND, INTERRUPTED, USER_ERROR

HELP = "run a Python program with NumPy's float16 accelerated"
DESCRIPTION = "Run a Python program as python does, after halfcl.accelerate()."
EPILOG = """\
examples:
  python -m halfcl run script.py --its options
  python -m halfcl run -m package.module
  python -m halfcl run -c 'import numpy as np; print(np.float16([1]) / 3)'

exit status: the program's own; 2 if there is none"""

_EXPECTED = "expected script.py, -m module or -c code"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments: all that follows is the program's, but for --help at once."""
    parser.usage = "%(prog)s (script.py | -m module | -c code) [arguments]"
    parser.prefix_chars = "\0"
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.set_defaults(print_help=parser.print_help)


def run(options: argparse.Namespace) -> int:
    """Run the program; the exit status."""
    kind, *rest = options.program or [""]
    if kind in ("-h", "--help"):
        options.print_help()
        raise SystemExit(DONE)
    wrong = _wrong(kind, rest)
    if wrong:
        print(f"halfcl run: {wrong}", file=sys.stderr)
        return USER_ERROR
    hc.accelerate()
    if kind == "-m":
        sys.argv = rest
        return _outcome(lambda: runpy.run_module(rest[0], run_name="__main__", alter_sys=True))
    if kind == "-c":
        sys.argv = ["-c", *rest[1:]]
        return _outcome(lambda: _run_code(rest[0]))
    sys.argv, sys.path[0] = options.program, os.path.dirname(os.path.abspath(kind))
    return _outcome(lambda: runpy.run_path(kind, run_name="__main__"))


def _wrong(kind: str, rest: list[str]) -> str | None:
    """What is wrong with the arguments, before anything of the program runs."""
    if not kind or (kind in ("-m", "-c") and not rest):
        return f"{_EXPECTED}, got nothing"
    if kind == "-m":
        return None if _is_there(rest[0]) else f"no module named {rest[0]!r}"
    if kind != "-c" and not os.path.exists(kind):
        return f"{_EXPECTED}; no such file: {kind!r}"
    if os.path.isdir(kind) and not os.path.exists(os.path.join(kind, "__main__.py")):
        return f"no __main__.py in the folder {kind!r}"
    return None


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # of a package that it should be in
        return False


def _run_code(code: str) -> None:
    main_module = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), main_module.__dict__)


def _outcome(program: Callable[[], object]) -> int:
    """The program's exit status; errors are told as python tells them, without our frames."""
    try:
        program()
    except Exception as error:
        _tell(error)
        return FOUND
    except KeyboardInterrupt as error:
        _tell(error)
        return INTERRUPTED
    return DONE


def _tell(error: BaseException) -> None:
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename in ours:
        frames = frames.tb_next
    sys.excepthook(type(error), error.with_traceback(frames), frames)
