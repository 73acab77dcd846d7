"""``python -m halfcl.cl.pyopencl script.py``: a script for pyopencl, as it is.

It runs on halfcl's interpreter; with ``--on-device``, on pyopencl's own device, its programs
translated.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from importlib import import_module

_MODULES = (
    "algorithm", "array", "clmath", "clrandom", "cltypes", "elementwise", "reduction", "scan",
    "tools",
)  # fmt: skip


def stand_in() -> None:
    """Let ``import pyopencl``, and imports of its modules, be halfcl's."""
    package = "halfcl.cl.pyopencl"
    sys.modules["pyopencl"] = import_module(package)
    for name in _MODULES:
        sys.modules[f"pyopencl.{name}"] = import_module(f"{package}.{name}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the script as ``python script.py`` would."""
    parser = argparse.ArgumentParser(
        prog="python -m halfcl.cl.pyopencl", description="Run a script for pyopencl, as it is.",
        allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument(
        "--on-device", action="store_true",
        help="on pyopencl's device, by translated programs; unless given, on halfcl",
    )  # fmt: skip
    parser.add_argument("script", help="its arguments follow")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.on_device:
        import_module("halfcl.cl.pyopencl.on_device").install()
    else:
        stand_in()
    sys.argv = [given.script, *given.arguments]
    runpy.run_path(given.script, run_name="__main__")


if __name__ == "__main__":
    main()
