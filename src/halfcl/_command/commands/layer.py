"""The command ``python -m halfcl layer``, which runs an OpenCL program with halfcl's layer."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from halfcl._command.layer_library import library_path, loader_without_layers
from halfcl._command.shared import DONE, UserError
from halfcl._support.extras import MissingPackageError, are_installed

DESCRIPTION = """\
Run an OpenCL program, in whatever language, with halfcl's layer between it and the drivers. Kernels
with halves or rounding pragmas are translated, so that its devices compute what they say; all other
kernels are left to the driver. Options stand before the program; what follows it belongs to it.
Needs pip install "halfcl[kernels]"."""
EPILOG = """\
examples:
  python -m halfcl layer ./program --its options
  python -m halfcl layer --floats device ./program
  python -m halfcl layer python script.py
  OPENCL_LAYERS="$(python -m halfcl layer --path)" ./program

exit status: the program's own; 2 if it cannot be run, or halfcl was built without the layer"""

#: The variable of OpenCL's loaders that names layers.
_LAYERS = "OPENCL_LAYERS"

#: Names that stand for the Python that runs this command, as in a virtual environment.
_PYTHONS = frozenset({"python", "python3"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: all that follow the program are the program's."""
    parser.usage = "%(prog)s [options] program [arguments]\n       %(prog)s --path"
    add = parser.add_argument
    add("--path", action="store_true", help="print the path of the layer's library, for "
        f"{_LAYERS}")  # fmt: skip
    add("--lenient", action="store_true", help="build what is not translated as it is, instead of "
        "failing with the reason in the build log")  # fmt: skip
    add("--floats", choices=("exact", "device"), help="functions of float that OpenCL leaves open, "
        "in translated programs: refused or the host's bits (exact, the default), or the device's "
        "own")  # fmt: skip
    add("--log", metavar="FILE", help="append what the layer does to a file; - is standard error")
    add("--off", action="store_true", help="load the layer, but translate nothing")
    add("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int | Callable[[], int]:
    """Return the function that becomes the program, or the status after --path."""
    library = library_path()
    if library is None:
        raise UserError(
            "this halfcl was built without its OpenCL layer, which needs CL/cl_layer.h; install "
            "Khronos' headers (in Debian: opencl-c-headers), then build halfcl again"
        )
    if options.path:
        if options.program:
            raise UserError(f"--path: expected no program, got {options.program[0]}")
        print(library)
        return DONE
    if not options.program:
        raise UserError("expected a program to run, got none; --path prints the library's path")
    if not are_installed(["clang"]):
        raise MissingPackageError(
            'libclang is needed to translate OpenCL C: pip install "halfcl[kernels]"'
        )
    words = _command_line(options.program)
    if loader := loader_without_layers():
        print(
            f"halfcl layer: {loader} has no layers, as OpenCL's loaders have since 2021; programs "
            "that use it run without halfcl's",
            file=sys.stderr,
        )
    return partial(_become, words, _environment(options, library))


def _command_line(program: Sequence[str]) -> list[str]:
    """Return the words to execute; raise UserError if there is no such program.

    Python's name, and a Python file, stand for this Python.
    """
    name, *arguments = program
    if name in _PYTHONS:
        return [sys.executable, *arguments]
    path = shutil.which(name)
    if path is not None:
        return [path, *arguments]
    if name.endswith(".py") and os.path.isfile(name):
        return [sys.executable, *program]
    why = "which is not executable" if os.path.exists(name) else "which is not found"
    raise UserError(f"expected a program to run, got {name}, {why}")


def _environment(options: argparse.Namespace, library: str) -> dict[str, str]:
    """Return the environment of the program: this one's, and what the options say."""
    environment = dict(os.environ)
    earlier = [path for path in environment.get(_LAYERS, "").split(os.pathsep) if path]
    if library not in earlier:
        earlier.append(library)
    environment[_LAYERS] = os.pathsep.join(earlier)
    environment["HALFCL_LAYER_PYTHON"] = sys.executable
    # Its cache has binaries by source, device and options, also those built without the layer.
    environment.setdefault("PYOPENCL_NO_CACHE", "1")
    if options.lenient:
        environment["HALFCL_LAYER_LENIENT"] = "1"
    if options.floats:
        environment["HALFCL_LAYER_FLOATS"] = options.floats
    if options.log:
        log = options.log
        environment["HALFCL_LAYER_LOG"] = log if log == "-" else os.path.abspath(log)
    if options.off:
        environment["HALFCL_LAYER"] = "off"
    return environment


def _become(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Execute the program in place of this process; on Windows beside it. Return its status."""
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to both
        return subprocess.run(words, env=environment, check=False).returncode
    for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them, which a program would inherit
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execve(words[0], list(words), environment)
    except OSError as error:
        print(f"halfcl layer: {words[0]}: {error.strerror}", file=sys.stderr)
        return 2
