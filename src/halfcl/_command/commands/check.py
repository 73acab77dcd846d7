"""The command ``python -m halfcl check``, which checks the results on this machine."""

from __future__ import annotations

import argparse

import halfcl as hc
from halfcl import check
from halfcl._command.shared import DONE, FOUND, add_json, print_json, print_progress

DESCRIPTION = """\
Compute every function of one half for all 65,536 halves in all rounding modes, and compare the
results with those of MPFR, of which halfcl has digests. Takes some seconds."""
EPILOG = """\
example:
  HALFCL_ISA=portable python -m halfcl check

exit status: 0 if all results are right, 1 if some are wrong"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to its parser."""
    add_json(parser, "what was found")


def run(options: argparse.Namespace) -> int:
    """Run the check and return the exit status."""
    result = check.run(print_progress if options.json else print)
    if options.json:
        print_json({
            "halfcl": hc.__version__,
            "isa": hc.processor_info()["isa"],
            "functions": {name: list(modes) for name, modes in check.reference_digests().items()},
            "differences": [
                {"function": d.name, "rounding": d.mode, "first": d.first, "last": d.last}
                for d in result
            ],
        })  # fmt: skip
    return FOUND if result else DONE
