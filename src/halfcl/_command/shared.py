"""Arguments, output and exit statuses that several commands share."""

from __future__ import annotations

import argparse
import json
import sys

#: All is well; the command found something that should not be; an argument, a file or a missing
#: package, which is the user's to mend; stopped by the keyboard, as shells say it.
DONE, FOUND, USER_ERROR, INTERRUPTED = 0, 1, 2, 130


class UserError(Exception):
    """An error that the user can mend: the command line prints it in a line, and ends with 2."""


def names(text: str) -> list[str]:
    """Split a text at commas and blanks."""
    return text.replace(",", " ").split()


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option ``--json``; what: the printed thing, as the object of a sentence."""
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON")


def print_json(value: object) -> None:
    """Print a value as JSON, on standard output."""
    print(json.dumps(value, indent=2))


def print_progress(line: str) -> None:
    """Print progress, if standard error is a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(line, file=sys.stderr)
