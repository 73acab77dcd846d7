"""Translations are compiled as soon as a test makes them: none is text that no compiler takes.

OpenCL C by clang, as the front end calls it, and on an OpenCL device if there is one; C++ by g++
with tests/helpers/cuda_host.h.
"""

import functools
import subprocess
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path

import cuda_host
import pytest
from clang import cindex

from halfcl.cl._frontend.parsing import library
from halfcl.cl._frontend.preprocessing import header
from halfcl.cl._frontend.preprocessing.options import SUB_GROUP_EXTENSIONS, parse_options


def compile_text(text, language, options=""):
    """Fail unless a compiler of the language takes a translation."""
    errors = _compile_opencl(text, options) if language == "opencl" else _compile_cpp(text)
    if errors:
        lines = text.splitlines()
        shown = "\n".join(f"{n}: {lines[n - 1] if n <= len(lines) else ''}" for n, _ in errors[:5])
        pytest.fail(f"{language}: {errors[:5]}\n{shown}\n{text[text.rfind('#line 1') :]}")


@functools.lru_cache(1000)
def _compile_opencl(text, options):
    own = parse_options(options)
    macros = {**header.macros(), **header.version_macros(own)}
    macros["NAN"] = "as_float(0x7fffffff)"  # as devices have it
    unknown = [n for n in macros if n.startswith(("HALF_", "FP_FAST")) or n.endswith("_H")]
    declared = [f"#define {n} {v}" for n, v in macros.items() if n not in unknown]
    arguments = [*library._ARGUMENTS, f"-cl-std={own.standard}", *_folders(own)]
    arguments += [f"-D{f}=1" for f in (*header.EXTENSION_FEATURES, *SUB_GROUP_EXTENSIONS)]
    if own.version >= 200:
        arguments += [f"-D{f}=1" for f in header.FEATURES]
    files = [
        (library.PROGRAM, text),
        (library._HEADER, "\n".join([header.declarations(own, text), *declared, ""])),
    ]
    unit = cindex.Index.create().parse(library.PROGRAM, args=arguments, unsaved_files=files)
    errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if not errors and find_spec("pyopencl"):
        return _build_on_device(text, options)
    return [(d.location.line, f"{d.spelling} ({d.location.file})") for d in errors]


def _folders(options):
    """Return options for the folders of included files."""
    return [f"-I{Path(folder).absolute()}" for folder in (".", *options.include_folders)]


def _build_on_device(text, options):
    """Build a text on the first CPU; a device without halves builds those without."""
    import pyopencl

    device = _device()
    has_halves = device is not None and "cl_khr_fp16" in device.extensions.split()
    if device is None or ("#ifndef cl_khr_fp16" in text and not has_halves):
        return []
    own = parse_options(options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of compilers that print something
        try:
            pyopencl.Program(_context(), text).build([f"-cl-std={own.standard}", *_folders(own)])
        except pyopencl.Error as error:
            return [(0, str(error)[:2000])]
    return []


@functools.cache
def _context():
    import pyopencl

    return pyopencl.Context([_device()])


@functools.cache
def _device():
    import pyopencl

    try:
        platforms = pyopencl.get_platforms()
    except pyopencl.Error:
        return None
    kind = pyopencl.device_type.CPU
    return next((d for p in platforms for d in p.get_devices() if d.type & kind), None)


@functools.lru_cache(1000)
def _compile_cpp(text):
    if cuda_host.GXX is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "text.cpp"
        source.write_text(cuda_host._DYNAMIC.sub("", text))
        command = [cuda_host.GXX, *cuda_host.OPTIONS, "-fsyntax-only", f"-I{cuda_host._headers()}"]
        done = subprocess.run([*command, str(source)], capture_output=True, text=True)
    return [(0, done.stderr[:2000])] if done.returncode else []
