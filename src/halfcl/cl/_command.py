"""``python -m halfcl kernel``: lists the kernels of an OpenCL C file, or runs one on .npy files."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from contextlib import ExitStack
from tokenize import TokenError
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._support.extras import require
from halfcl._support.files import check_place, check_suffix, read_text, replacing, write_text
from halfcl._support.progress import Bar
from halfcl.cl._devices.comparison import compare
from halfcl.cl._frontend.errors import BuildError, BuildWarning, LaunchError
from halfcl.cl._frontend.guards.nesting import MOST_READ
from halfcl.cl._frontend.types import SCALARS, WIDTHS
from halfcl.cl._interpreter.findings import CheckError
from halfcl.cl._interpreter.kernel import Kernel
from halfcl.cl._interpreter.launching.arguments import LocalMemory
from halfcl.cl._program import Program
from halfcl.cl._translation import translate
from halfcl.device._backends.choosing import choose
from halfcl.device._backends.probing import DeviceError

#: The value of --arg, and the file to which it is saved.
ArgumentAndFile: TypeAlias = tuple[int | float | NDArray[Any] | LocalMemory, str | None]

#: Exit statuses. 2 means wrong usage, as for argparse and all other commands.
FOUND_NOTHING, FAILED, DOES_NOT_BUILD, DID_NOT_END, FOUND_SOMETHING = 0, 2, 3, 4, 5


def run(options: argparse.Namespace) -> int:
    """Run ``python -m halfcl kernel``; return its exit status, one of those above.

    Examples
    --------
    >>> from halfcl._command import main
    >>> main(["kernel", "shade.cl", "--list"])  # doctest: +SKIP
    0
    """
    if options.translate:
        return _translate(options)
    try:
        program = _build(options)
    except BuildError as error:
        return _fail(error, DOES_NOT_BUILD)
    except ValueError as error:  # of the options
        return _fail(error, FAILED)
    if options.listing:
        print(program.listing())
    if options.json:
        print(json.dumps([_describe(kernel) for kernel in program.kernels], indent=2))
    elif options.list or not (options.run or options.listing):
        for kernel in program.kernels:
            print(str(kernel).removeprefix("<halfcl.cl.Kernel ").removesuffix(">"))
    if options.compare is not None:
        return _compare(program, options)
    return _launch(program, options) if options.run else FOUND_NOTHING


def _translate(options: argparse.Namespace) -> int:
    source = read_text(options.file, MOST_READ, "file", errors="replace")
    try:
        text, calls = translate(
            source, options.translate, fp16=not options.no_fp16, contract=options.contract,
            rounding=options.rounding, options=options.options, name=str(options.file),
            float_functions=options.float_functions, full_output=True,
            extensions=options.extensions,
        )  # fmt: skip
    except BuildError as error:
        return _fail(error, DOES_NOT_BUILD)
    except ValueError as error:  # of the options
        return _fail(error, FAILED)
    for call in calls:
        print(f"{call}: the device's own, with its results", file=sys.stderr)
    if options.out == "-":
        print(text, end="")
    else:
        write_text(options.out, text)
    return FOUND_NOTHING


def _describe(kernel: Kernel) -> dict[str, str | list[dict[str, str]]]:
    return {"name": kernel.name, "args": [argument._asdict() for argument in kernel.args]}


def _build(options: argparse.Namespace) -> Program:
    source = read_text(options.file, MOST_READ, "file", errors="replace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BuildWarning)
        program = Program(
            source,
            options.options,
            contract=options.contract,
            name=str(options.file),
            extensions=options.extensions,
        )
    for diagnostic in program.diagnostics:
        print(diagnostic, file=sys.stderr)
    return program


def _fail(error: Exception, status: int) -> int:
    print(error.args[0] if isinstance(error, KeyError) else error, file=sys.stderr)
    return status


def _compare(program: Program, options: argparse.Namespace) -> int:
    """Compare the launch with a device; the files stay as they are."""
    library = require("pyopencl", "pyopencl", "opencl", "to compare with a device")
    platform, _, device = options.compare.partition(":")
    try:
        context = library.Context([choose(library, platform, device)])
        arguments = [_argument(text) for text in options.arg]
        comparison = compare(
            program[options.run], library.CommandQueue(context),
            _sizes("--global", options.global_size), _local(options),
            *(value for value, _ in arguments), rounding=options.rounding,
        )  # fmt: skip
    except BuildError as error:
        return _fail(error, DOES_NOT_BUILD)
    except LaunchError as error:
        return _fail(error, DID_NOT_END)
    except (DeviceError, KeyError, TypeError, ValueError, MemoryError) as error:
        return _fail(error, FAILED)
    print(comparison)
    return FOUND_SOMETHING if comparison else FOUND_NOTHING


def _local(options: argparse.Namespace) -> tuple[int, ...] | None:
    local = options.local_size
    return None if local is None else _sizes("--local", local)


def _launch(program: Program, options: argparse.Namespace) -> int:
    try:
        kernel = program[options.run]
        arguments = [_argument(text) for text in options.arg]
        written = _output_arrays(kernel, arguments)
        # A launch of less than a second shows no bar.
        with Bar(desc=options.run, unit="item", unit_scale=True, delay=1, leave=False) as bar:
            contraction = kernel(
                _sizes("--global", options.global_size),
                _local(options),
                *(value for value, _ in arguments), rounding=options.rounding,
                timeout=options.timeout, check=options.check, progress=bar,
            )  # fmt: skip
    except CheckError as error:
        _save(written)
        if error.contraction is not None:
            print(error.contraction)
        return _fail(error, FOUND_SOMETHING)
    except LaunchError as error:
        return _fail(error, DID_NOT_END)
    except (KeyError, TypeError, ValueError, MemoryError) as error:
        return _fail(error, FAILED)
    _save(written)
    if contraction is None:
        return FOUND_NOTHING
    print(contraction)
    return FOUND_SOMETHING if contraction else FOUND_NOTHING


def _sizes(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(n, 0) for n in text.split(","))
    except ValueError:
        raise ValueError(f"{option} {text}: expected integers with commas between") from None


# ---------------------------------------------------------------- arguments


def _argument(text: str) -> ArgumentAndFile:
    """Parse --arg into a value and the file to which it is saved.

    It is a number; FILE.npy; local:BYTES; zeros:TYPE:SHAPE, with :FILE.npy to save it.
    """
    try:
        return _read(text)
    except ValueError as error:
        raise ValueError(f"--arg {text}: {error}") from None


def _read(text: str) -> ArgumentAndFile:
    kind, _, rest = text.partition(":")
    if kind == "local":
        return LocalMemory(int(rest, 0)), None
    if kind == "zeros":
        name, _, rest = rest.partition(":")
        shape, *file = rest.split(":", 1)
        scalar, width = _split_type(name)
        sizes = tuple(int(n, 0) for n in shape.split(","))
        return np.zeros(sizes + width, SCALARS[scalar].dtype), _check_output(*file)
    if text.endswith(".npy"):
        return _load(text), text
    for number in (lambda t: int(t, 0), float):
        try:
            return number(text), None
        except ValueError:
            continue
    raise ValueError("expected a number, FILE.npy, local:BYTES or zeros:TYPE:SHAPE[:FILE.npy]")


def _split_type(name: str) -> tuple[str, tuple[int, ...]]:
    """Return the type of the numbers in a type, and the shape that one of it adds to an array's.

    A vector of 3 takes the memory of 4.
    """
    scalar = name.rstrip("0123456789")
    width = name.removeprefix(scalar)
    if scalar not in SCALARS or width not in ("", *map(str, WIDTHS)):
        raise ValueError(f"expected a number or vector type of OpenCL C, got {name!r}")
    return scalar, (4 if width == "3" else int(width),) if width else ()


def _check_output(path: str | None = None) -> str | None:
    if path is not None:
        check_suffix(path, ".npy")
    return path


def _load(path: str) -> NDArray[Any]:
    with open(path, "rb") as file:
        try:
            return np.lib.format.read_array(file, allow_pickle=False)
        except (SyntaxError, TokenError, TypeError) as error:
            raise ValueError(f"expected a file with an array: {error}") from error


# ---------------------------------------------------------------- results


def _output_arrays(kernel: Kernel, arguments: list[ArgumentAndFile]) -> dict[str, NDArray[Any]]:
    """Return the arrays that the kernel may write to, by file; check that files can be written."""
    arrays: dict[str, NDArray[Any]] = {}
    for argument, (value, path) in zip(
        kernel.args, arguments, strict=False
    ):  # the launch counts them
        is_const = argument.type.startswith("const ") or argument.space != "global"
        if path is None or is_const or not isinstance(value, np.ndarray):
            continue
        if os.path.realpath(path) in map(os.path.realpath, arrays):
            raise ValueError(f"--arg {path}: expected a file per array, got this one twice")
        check_place(path)
        arrays[path] = value
    return arrays


def _save(written: dict[str, NDArray[Any]]) -> None:
    """Save all arrays or none: files are renamed when the last one is complete."""
    with ExitStack() as files:
        for path, value in written.items():
            temporary = files.enter_context(replacing(path))
            halves = value.dtype.itemsize == 2 and value.dtype.kind not in "iuf"
            with open(temporary, "wb") as file:
                # Python's write raises an error if the disk is full; NumPy's own does not.
                into = SimpleNamespace(write=file.write)
                np.save(into, value.view(np.float16) if halves else value)  # .npy has no half
