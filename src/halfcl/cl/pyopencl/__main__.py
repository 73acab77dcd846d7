"""Run a script of pyopencl's as it is, with halfcl's `Program` in place of pyopencl's."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from halfcl.cl.pyopencl import install


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the script as ``python script.py`` would."""
    parser = argparse.ArgumentParser(
        prog="python -m halfcl.cl.pyopencl", allow_abbrev=False,
        description="Run a script of pyopencl's as it is, its programs translated by halfcl.",
    )  # fmt: skip
    parser.add_argument(
        "--check", action="store_true",
        help="interpret the kernels on the host, and stop at races, uninitialised reads and "
        "accesses outside of memory",
    )  # fmt: skip
    parser.add_argument(
        "--float-functions", choices=("exact", "device"), default="exact",
        help="functions of float that OpenCL leaves open: refused or the host's bits (exact, the "
        "default), or the device's own",
    )  # fmt: skip
    parser.add_argument("script", help="a Python file; the script's own arguments follow")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not Path(options.script).exists():
        parser.error(f"argument script: expected a Python file, got {options.script!r}")
    install(check=options.check, float_functions=options.float_functions)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = str(Path(options.script).resolve().parent)
    runpy.run_path(options.script, run_name="__main__")


if __name__ == "__main__":
    main()
