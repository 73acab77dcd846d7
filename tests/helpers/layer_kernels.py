"""Programs in C under the layer, on the first OpenCL device: see tests/layer/run_kernels.c."""

import argparse
import ctypes
import math
import os
import shutil
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
from places import TESTS

import halfcl as hc
from halfcl._command.commands import layer
from halfcl._command.layer_library import library_path, loader_without_layers

COMPILER = shutil.which("cc")
COMMAND = [sys.executable, "-m", "halfcl", "layer"]


def has_platform():
    """Return whether the system's loader has layers and a driver."""
    if loader_without_layers() is not None:
        return False
    try:
        loader = ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return False
    count = ctypes.c_uint()
    return loader.clGetPlatformIDs(0, None, ctypes.byref(count)) == 0 and count.value > 0


MARKS = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
    pytest.mark.skipif(library_path() is None, reason="halfcl was built without the layer"),
    pytest.mark.skipif(COMPILER is None, reason="needs a C compiler"),
    pytest.mark.skipif(not has_platform(), reason="needs OpenCL: a driver, a loader with layers"),
]


def layered_process(words, environment):
    """Run a program as `python -m halfcl layer` does, which becomes it; return the process.

    words: the command's options, the program and its arguments. The command decides here what it
    executes, and with which environment: no other Python has to start.
    """
    parser = argparse.ArgumentParser()
    layer.add_arguments(parser)
    with mock.patch.dict(os.environ, environment, clear=True):
        program, variables = layer.run(parser.parse_args(words)).args
    return subprocess.run(program, env=variables, capture_output=True, check=False)


def compile_program(source, folder, name):
    path = folder / name
    command = [COMPILER, "-O1", "-x", "c", "-", "-o", str(path), "-lOpenCL"]
    result = subprocess.run(command, input=source, text=True, capture_output=True, check=False)
    if "cannot find -lOpenCL" in result.stderr or "CL/cl.h" in result.stderr:
        pytest.skip("needs OpenCL's headers and loader")
    assert not result.returncode, result.stderr
    return str(path)


class KernelRunner:
    """Runs kernels under the layer. The folder has programs, the cache and PoCL's own."""

    def __init__(self, folder):
        for name in list(os.environ):
            if name.startswith("HALFCL_LAYER") or name == "OPENCL_LAYERS":
                del os.environ[name]
        self.folder = folder
        self.environment = {**os.environ, "HALFCL_LAYER_CACHE": str(folder / "cache"),
                            "HALFCL_LAYER_LOG": str(folder / "log"),
                            "POCL_CACHE_DIR": str(folder)}  # fmt: skip
        text = (TESTS / "layer/run_kernels.c").read_text()
        self.program = compile_program(text, folder, "run_kernels")

    def log(self):
        """Return the layer's log."""
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""

    def _argument(self, number, value):
        """Return the words for an argument: an array, an image or a sampler."""
        path = str(self.folder / f"{number}.in")
        if isinstance(value, hc.Sampler):
            numbers = value.normalized_coords, value.addressing_mode, value.filter_mode
            return ["-s", ",".join(str(int(n)) for n in numbers)]
        if isinstance(value, hc.Image):
            value.array.tofile(path)
            type_ = int(value.format.channel_data_type)
            return ["-m", f"{value.width},{value.height},{type_}", path]
        value.tofile(path)
        return ["-i", path]

    def __call__(
        self, source, kernels, inputs, items, options="", libraries=(), headers=None,
        options_of_layer=(), group=None,
    ):  # fmt: skip
        """Return the results by kernel, or the exit status and the log.

        kernels: the types of the results by name, an element per work-item; items and group: a
        number, or one per dimension.
        """
        texts = [source, *libraries, *(headers or {}).values()]
        paths = [self.folder / f"{number}.cl" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        words = [self.program, options, _sizes(items)]
        for path in paths[1 : 1 + len(libraries)]:
            words += ["-l", str(path)]
        for name, path in zip(headers or {}, paths[1 + len(libraries) :], strict=True):
            words += ["-h", name, str(path)]
        for number, value in enumerate(inputs):
            words += self._argument(number, value)
        words += [] if group is None else ["-g", _sizes(group)]
        count = math.prod(items) if isinstance(items, tuple) else items
        outs = {name: np.zeros(count, type_) for name, type_ in kernels.items()}
        words.append(str(paths[0]))
        for name, out in outs.items():
            words += [name, str(out.nbytes)]
        result = layered_process([*options_of_layer, *words], self.environment)
        if result.returncode:
            return result.returncode, result.stderr.decode()
        data, at = result.stdout, 0
        for name, out in outs.items():
            outs[name] = np.frombuffer(data[at : at + out.nbytes], out.dtype)
            at += out.nbytes
        assert at == len(data)
        return outs


def _sizes(sizes):
    return ",".join(map(str, sizes)) if isinstance(sizes, tuple) else str(sizes)
