"""Programs in C for the tests of OpenCL's layer, and what they need of a machine."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from places import TESTS

import halfcl

#: The layer's sources.
SOURCES = TESTS.parent / "csrc" / "layer"

LIBRARY = Path(halfcl.__file__).parent / "cl" / "_layer" / "libhalfcl_layer.so"

_COMPILER = shutil.which("cc")


def require_layer() -> Path:
    """Return the path of the layer; skip the test without it."""
    if not LIBRARY.exists():
        pytest.skip("the package was built without CL/cl_layer.h, so it has no layer")
    return LIBRARY


def compile_program(
    folder: Path, source: str, sources: Iterable[Path] = (), flags: Iterable[str] = ()
) -> Path:
    """Return the path of a program of csrc/layer/tests; skip the test without a compiler."""
    if _COMPILER is None:
        pytest.skip("there is no C compiler (cc)")
    if not SOURCES.exists():
        pytest.skip("the sources of the layer are not beside the tests")
    target = folder / Path(source).stem
    command = [_COMPILER, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-pthread"]
    command += ["-Wno-deprecated-declarations", SOURCES / "tests" / source, *sources]
    subprocess.run([*command, "-o", target, *flags], check=True)
    return target
