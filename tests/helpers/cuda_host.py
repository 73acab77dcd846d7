"""A CuPy in place of CuPy, which compiles CUDA C++ with g++, so that no GPU is needed.

`as_cupy()` puts it in CuPy's place.
"""

import atexit
import contextlib
import ctypes
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from places import TESTS

HEADER = TESTS / "helpers" / "cuda_host.h"
GXX = shutil.which("g++")
#: HIP's other header. There a half is made of a number, not of its bits.
HIP_FP16 = """\
#define __HIP_NO_HALF_OPERATORS__
#define _Float16 unsigned short
"""
OPTIONS = ["-std=c++20", "-O0", "-fPIC", "-pthread", "-fwrapv", "-ffp-contract=off", "-w",
           "-DOCML_BASIC_ROUNDED_OPERATIONS"]  # fmt: skip

_KERNEL = re.compile(
    r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) |HCR_BOUNDS )?(\w+)\('
)
_DYNAMIC = re.compile(r"^extern __shared__ .*$", re.MULTILINE)


#: Definitions at the start of every text; see `doubles_are_fast`.
_definitions = [""]


@contextlib.contextmanager
def doubles_are_fast():
    """Within, texts are compiled as for a GPU with fast doubles."""
    _definitions.append("#define HC_FAST_DOUBLE 1\n")
    try:
        yield
    finally:
        _definitions.pop()


class CompileException(Exception):
    """CuPy's name of it."""


class ndarray(np.ndarray):  # CuPy's name
    """An array of the device: not one of the host's, though it lies there."""

    __module__ = "cupy"

    @property
    def device(self):
        return Device(0)

    @property
    def data(self):
        return types.SimpleNamespace(ptr=self.ctypes.data)

    def get(self):
        return np.array(self.view(np.ndarray))


class Device:
    __module__ = "cupy.cuda"
    attributes = {  # noqa: RUF012
        "MaxSharedMemoryPerBlockOptin": 1 << 16,
        "MultiProcessorCount": 2,
    }

    compute_capability = "00"

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

    def is_capturing(self):
        return False


@functools.cache
def _headers():
    """Return a folder with the header that CUDA C++ includes, compiled in advance; and HIP's."""
    folder = Path(tempfile.mkdtemp())
    owner = os.getpid()

    def remove():  # unlike TemporaryDirectory's, not in forked copies, which end as Python does
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    header = folder / "cuda_fp16.h"
    header.write_text(HEADER.read_text())
    (folder / "hip").mkdir()
    (folder / "hip" / "hip_runtime.h").write_text("#include <cuda_fp16.h>\n")
    (folder / "hip" / "hip_fp16.h").write_text(HIP_FP16)
    subprocess.run([GXX, *OPTIONS, "-x", "c++-header", str(header)], check=True)
    return folder


def build(text):
    """Build a library with a function launch_NAME for each kernel."""
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
            f"-I{_headers()}",
            str(source),
            "-o",
            str(library),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CompileException(done.stderr[:5000])
        return ctypes.CDLL(str(library))


_built = {}
_cache = tempfile.TemporaryDirectory()


def compile_using_nvrtc(code, options, arch, name):
    """Build the text here, where RawModule would load a file."""
    assert "--ftz=false" in options and name.endswith(".cu")
    key = (_definitions[-1] + code).encode()
    if key not in _built:
        _built[key] = build(key.decode())
    return key, None


class RawModule:
    """A module of a text, built by compile(), or of a file from compile_using_nvrtc."""

    def __init__(self, code=None, options=(), backend="nvrtc", path=None):
        assert backend == "nvrtc"
        self.code = Path(path).read_text() if code is None else code
        if code is None:
            self.compile()

    def compile(self):
        key, _ = compile_using_nvrtc(self.code, ("--ftz=false",), None, "module.cu")
        self.library = _built[key]

    def get_function(self, name):
        return RawKernel(self, name)


class RawKernel:
    max_threads_per_block = 1024
    max_dynamic_shared_size_bytes = 1 << 15
    shared_size_bytes = 0

    def __init__(self, module, name):
        self._launch = getattr(module.library, f"launch_{name}")
        self._has_barriers = "__syncthreads" in module.code.partition("namespace cl {")[2]
        self._has_barriers |= "hcl_team" in module.code.partition("namespace cl {")[2]
        lanes = re.search(r"^#define HCR_LANES (\d+)$", module.code, re.MULTILINE)  # of reductions
        self._has_barriers |= lanes is not None and int(lanes[1]) > 1
        self._has_barriers |= "HCR_BARRIER" in module.code.partition("void hck(")[2]

    @property
    def kernel(self):
        return self

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
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


def empty(shape, dtype, order="C"):
    return np.empty(shape, dtype, order).view(ndarray)


def broadcast_to(x, shape):
    return np.broadcast_to(x, shape, subok=True)


def ascontiguousarray(x):
    return x if x.flags.c_contiguous else np.array(x, order="C").view(ndarray)


def matmul(x, y):
    return np.ascontiguousarray(np.matmul(x.get(), y.get())).view(ndarray)


def asnumpy(x):
    return x.get()


def as_cupy():
    """Return a module that halfcl accepts as CuPy."""
    module = types.ModuleType("cupy")
    module.ndarray, module.RawModule = ndarray, RawModule
    module.asarray, module.zeros, module.asnumpy = asarray, zeros, asnumpy
    module.empty, module.broadcast_to, module.ascontiguousarray = (
        empty,
        broadcast_to,
        ascontiguousarray,
    )
    module.may_share_memory, module.copyto = np.may_share_memory, np.copyto
    module.matmul, module.reshape, module.moveaxis = matmul, np.reshape, np.moveaxis
    module.cuda = types.SimpleNamespace(
        Device=Device,
        Stream=Stream,
        ExternalStream=Stream,
        get_current_stream=Stream,
        compiler=types.SimpleNamespace(
            CompileException=CompileException,
            compile_using_nvrtc=compile_using_nvrtc,
        ),
        runtime=types.SimpleNamespace(
            runtimeGetVersion=lambda: 0,
            getDevice=lambda: 0,
            getDeviceProperties=lambda number: {"name": b"this machine"},
        ),
    )
    return module


@contextlib.contextmanager
def in_place_of_cupy():
    """Within, `import cupy` gives it."""
    from halfcl.device._backends import on_cuda

    core = types.SimpleNamespace(assemble_cupy_compiler_options=lambda options: options)
    known = dict(on_cuda._known)
    try:
        with (
            pytest.MonkeyPatch.context() as patch,
            mock.patch.dict(os.environ, {"CUPY_CACHE_DIR": _cache.name}),
        ):
            # One by one: patch.dict would also forget what is imported within, as Dask.
            patch.setitem(sys.modules, "cupy", as_cupy())
            patch.setitem(sys.modules, "cupy._core.core", core)
            yield
    finally:
        on_cuda._known.clear()
        on_cuda._known.update(known)


def flush():
    """Flush the output that kernels have printed."""
    ctypes.CDLL(None).fflush(None)
