"""Output that commands write for other programs."""

from __future__ import annotations

import argparse
import json


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option ``--json`` to a parser.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of a command.
    what : str
        The printed thing, as the object of a sentence.
    """
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON")


def print_json(value: object) -> None:
    """Print a value as JSON, on standard output.

    Parameters
    ----------
    value : dict or list
        A value that JSON can hold.

    Examples
    --------
    >>> from halfcl._command.output import print_json
    >>> print_json({"isa": "avx2"})
    {
      "isa": "avx2"
    }
    """
    print(json.dumps(value, indent=2))
