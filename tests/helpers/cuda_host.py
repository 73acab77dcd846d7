"""What halfcl asks of CuPy, by g++ on this machine: CUDA C++ whose results can be compared without
a GPU. `as_cupy()` puts it in CuPy's place."""

import contextlib
import ctypes
import functools
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import numpy as np
from places import TESTS

HEADER = TESTS / "helpers" / "cuda_host.h"
GXX = shutil.which("g++")
OPTIONS = ["-std=c++20", "-O0", "-fPIC", "-pthread", "-fwrapv", "-ffp-contract=off", "-w"]

_KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(')
_DYNAMIC = re.compile(r"^extern __shared__ .*$", re.MULTILINE)


class CompileException(Exception):
    """CuPy's name of it."""


class ndarray(np.ndarray):  # CuPy's name
    """An array of the device: not one of the host's, though it lies there."""

    __module__ = "cupy"

    @property
    def device(self):
        return Device(0)

    def get(self):
        return np.array(self.view(np.ndarray))


class Device:
    __module__ = "cupy.cuda"
    attributes = {"MaxSharedMemoryPerBlockOptin": 1 << 16}  # noqa: RUF012

    def __init__(self, number=None):
        self.id = number or 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


class Stream(Device):
    __module__ = "cupy.cuda"
    device_id = 0

    def synchronize(self):
        pass


@functools.cache
def _headers():
    """A folder with the header that CUDA C++ includes, compiled in advance, until the process
    ends."""
    folder = tempfile.TemporaryDirectory()
    header = Path(folder.name) / "cuda_fp16.h"
    header.write_text(HEADER.read_text())
    subprocess.run([GXX, *OPTIONS, "-x", "c++-header", str(header)], check=True)
    return folder


def build(text):
    """A library that has launch_NAME for each kernel."""
    names = _KERNEL.findall(text)
    scope = "cl::" if "namespace cl {" in text else ""
    launches = "\n".join(
        f'extern "C" void launch_{n}(const unsigned int *sizes, int has_barriers, void **arguments)'
        f"\n{{\n    host_launch(&{scope}{n}, sizes, has_barriers, arguments);\n}}"
        for n in names
    )
    with tempfile.TemporaryDirectory() as name:
        source, library = Path(name) / "kernels.cpp", Path(name) / "kernels.so"
        source.write_text(f"{_DYNAMIC.sub('', text)}\n{launches}\n")
        command = [
            GXX,
            *OPTIONS,
            "-shared",
            f"-I{_headers().name}",
            str(source),
            "-o",
            str(library),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CompileException(done.stderr[:5000])
        return ctypes.CDLL(str(library))


class RawModule:
    _known = {}  # noqa: RUF012

    def __init__(self, code, options, backend):
        assert backend == "nvrtc"
        self.code = code

    def compile(self):
        key = hashlib.sha256(self.code.encode()).digest()
        if key not in self._known:
            self._known[key] = build(self.code)
        self.library = self._known[key]

    def get_function(self, name):
        return RawKernel(self, name)


class RawKernel:
    max_threads_per_block = 1024
    max_dynamic_shared_size_bytes = 1 << 15
    shared_size_bytes = 0

    def __init__(self, module, name):
        self._launch = getattr(module.library, f"launch_{name}")
        self._has_barriers = "__syncthreads" in module.code.partition("namespace cl {")[2]
        self._has_barriers |= "hcl_work_group" in module.code.partition("namespace cl {")[2]

    def __call__(self, grid, block, args, shared_mem=0):
        held, pointers = [], []
        for arg in args:
            if isinstance(arg, ndarray):
                arg = np.uint64(arg.ctypes.data)
            data = np.atleast_1d(np.asarray(arg)).copy()
            held.append(data)
            pointers.append(data.ctypes.data)
        sizes = (ctypes.c_uint * 6)(*(*grid, 1, 1)[:3], *(*block, 1, 1)[:3])
        arguments = (ctypes.c_void_p * len(pointers))(*pointers)
        self._launch(sizes, int(self._has_barriers), arguments)


def asarray(x):
    return np.array(x).view(ndarray)


def zeros(shape, dtype):
    return np.zeros(shape, dtype).view(ndarray)


def asnumpy(x):
    return x.get()


def as_cupy():
    """A module that halfcl takes for CuPy."""
    made = types.ModuleType("cupy")
    made.ndarray, made.RawModule = ndarray, RawModule
    made.asarray, made.zeros, made.asnumpy = asarray, zeros, asnumpy
    made.cuda = types.SimpleNamespace(
        Device=Device,
        Stream=Stream,
        ExternalStream=Stream,
        get_current_stream=Stream,
        compiler=types.SimpleNamespace(CompileException=CompileException),
    )
    return made


@contextlib.contextmanager
def in_place_of_cupy():
    """Within, `import cupy` gives it."""
    from halfcl.device import _on_cuda

    kept, known = sys.modules.get("cupy"), dict(_on_cuda._known)
    sys.modules["cupy"] = as_cupy()
    try:
        yield
    finally:
        _on_cuda._known.clear()
        _on_cuda._known.update(known)
        if kept is None:
            del sys.modules["cupy"]
        else:
            sys.modules["cupy"] = kept


def flush():
    """What kernels have printed."""
    ctypes.CDLL(None).fflush(None)
