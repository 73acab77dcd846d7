"""The command line: ``python -m halfcl``, or ``halfcl``.

A command is a module with ``DESCRIPTION`` and ``EPILOG``, texts of its help,
``add_arguments(parser)``, and ``run(options)``, which returns the exit status, or a program
that returns it and handles its own errors and output. `halfcl._command.shared` has the statuses
of all commands.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import _halfcl_script
import halfcl as hc
from halfcl._command.shared import INTERRUPTED, USER_ERROR, UserError
from halfcl._support.extras import MissingPackageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

#: The commands, in the order of the help, and what each does.
COMMANDS = {
    "info": "print versions, instruction sets and rounding modes",
    "show": "show a number as a half: bits, exact value, ulp, neighbours, the four rounding modes",
    "demo": "develop a photograph in the four rounding modes, shade its relief, and resample it",
    "check": "compare the functions' results with the right ones on this machine",
    "audit": "find how wrong a library's half functions are",
    "device": "write the functions' source for GPUs: OpenCL C or CUDA C++",
    "kernel": "build OpenCL C, list its kernels, and run them on .npy files",
    "layer": "run any OpenCL program with rounding modes and right halves",
    "run": "run a Python program with NumPy's float16 accelerated",
    "stability": (
        "run a Python program in other roundings: which digits to trust, which line to blame"
    ),
}

_EPILOG = """\
exit status of all commands: 0 if all is well, 1 if something was found that should not be,
2 for a wrong argument, a file that cannot be used or a package that is missing, which one
line on standard error tells; 130 if interrupted. "kernel" has some more."""


def _program_name() -> str:
    """Return the command as the user typed it."""
    is_script = Path(sys.argv[0]).stem == "halfcl"
    return "halfcl" if is_script else "python -m halfcl"


class _Parser(argparse.ArgumentParser):
    """A parser that reports when help could not be written, which argparse does not."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        stream = sys.stderr if file is None else file
        if stream is not None:
            stream.write(message)


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Build the parser of one command, or of all names where help or an error lists them.

    Importing all commands takes longer than importing halfcl.
    """
    command = arguments[0] if arguments else ""
    raw = argparse.RawDescriptionHelpFormatter
    parser = _Parser(
        prog=_program_name(), description=hc.__doc__, epilog=_EPILOG, formatter_class=raw,
        allow_abbrev=False,  # a prefix may be an option of the user's program
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"halfcl {hc.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    if command not in COMMANDS:
        for name, summary in COMMANDS.items():
            commands.add_parser(name, help=summary)
        return parser
    module = import_module(f"halfcl._command.commands.{command}")
    own = commands.add_parser(
        command, help=COMMANDS[command], description=module.DESCRIPTION, epilog=module.EPILOG,
        formatter_class=raw,
    )  # fmt: skip
    module.add_arguments(own)
    own.set_defaults(run_command=module.run)
    return parser


@contextlib.contextmanager
def _escape_characters() -> Iterator[None]:
    """Escape characters that standard output cannot encode, as on standard error.

    In ASCII, é is printed as \\xe9. The user's file names stay as they are where possible.
    """
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper) or stream.errors not in _RAISING:
        yield
        return
    before = stream.errors
    stream.reconfigure(errors=_RAISING[before])
    try:
        yield
    finally:
        if not stream.closed:
            stream.reconfigure(errors=before)


def _escape(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode by "surrogateescape" if possible, else by "backslashreplace"."""
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeEncodeError:
        return codecs.lookup_error("backslashreplace")(error)


codecs.register_error("halfcl.escaped", _escape)

#: Python's error handlers that raise for characters that cannot be encoded, and replacements.
_RAISING = {"strict": "backslashreplace", "surrogateescape": "halfcl.escaped"}


def _flush_output() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _discard_output() -> None:
    """Redirect standard output to nowhere, since Python flushes it once more at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit status.

    It is 1 if the command found something wrong, or if the reader of a pipe went away; 2 after a
    message on standard error about a file or a package; 130 if interrupted; others where a
    command's help says so. Raise SystemExit if the arguments are wrong, or ask for help or the
    version, and whatever ends a program that ``run`` runs.
    """
    name = "halfcl"
    words = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        try:
            # Leave the output of a program that "run" returns as Python has it.
            with _escape_characters():
                options = _parser(words).parse_args(words)
                _halfcl_script.raise_at_interrupt()  # Most modules are imported.
                name = f"halfcl {options.command}"
                outcome: int | Callable[[], int] = options.run_command(options)
        finally:
            _flush_output()  # while an error can still be reported
    except BrokenPipeError:
        _discard_output()  # the reader has closed the pipe
        return 1
    except KeyboardInterrupt:
        _discard_output()
        return INTERRUPTED
    except UserError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return USER_ERROR
    except (MissingPackageError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        _discard_output()
        return USER_ERROR
    return outcome() if callable(outcome) else outcome
