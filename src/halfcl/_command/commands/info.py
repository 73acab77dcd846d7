"""The command ``python -m halfcl info``, which describes this installation."""

from __future__ import annotations

import argparse

from halfcl._command.shared import DONE, add_json, print_json
from halfcl._installation import facts, report

DESCRIPTION = "Print versions, the kernels in use, CPU features, and HALF_FP_CONFIG."
EPILOG = """\
example:
  python -m halfcl info --json

exit status: 0"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    add_json(parser, "the same")


def run(options: argparse.Namespace) -> int:
    """Print the report and return the exit status."""
    if options.json:
        print_json(facts())
    else:
        print(report())
    return DONE
