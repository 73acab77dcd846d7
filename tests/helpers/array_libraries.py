"""Libraries of arrays on the devices that are available, and a stand-in for CuPy without a GPU."""

import contextlib
import importlib.util
import sys

import cupy_stand_in
import numpy as np
import pytest

import halfcl as hc
from halfcl import _core
from halfcl._support import foreign
from halfcl.device._backends import on_cuda


class NoDeviceError(Exception):
    """An installed library finds no device."""


@contextlib.contextmanager
def fresh_cupy_adapters():
    """Import halfcl's adapters for CuPy anew, for the module in CuPy's place."""
    modules = ("halfcl.arrays._cupy", "halfcl.arrays._cuda")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(on_cuda._known, 0, "")
        for module in modules:
            patch.delitem(sys.modules, module, raising=False)
        foreign.adapter_for.cache_clear()
        driver = _core.set_cuda_driver(0, 0)  # its kernels are none of the stand-in's
        patch.setattr(_core, "set_cuda_driver", lambda *functions: (0, 0))
        yield patch
    _core.set_cuda_driver(*driver)
    for module in modules:
        sys.modules.pop(module, None)
    foreign.adapter_for.cache_clear()


class TorchHost:
    device = "cpu"
    device_name = "torch.Tensor on cpu"

    def __init__(self):
        import torch

        self.torch, self.array = torch, torch.Tensor

    def to(self, x):
        plain = np.array(x.view(np.float16) if x.dtype == hc.half else x, order="C")
        return self.torch.from_numpy(plain).to(self.device)

    def back(self, x):
        return x.cpu().numpy()


class TorchCuda(TorchHost):
    device = "cuda"
    device_name = "torch.Tensor on cuda:0"

    def __init__(self):
        super().__init__()
        if not self.torch.cuda.is_available():
            raise NoDeviceError("PyTorch finds no CUDA device")


class Jax:
    platform = "cpu"
    device_name = "jax.Array on "

    def __init__(self):
        import jax

        try:
            self.device = jax.devices(self.platform)[0]
        except RuntimeError as error:
            raise NoDeviceError(str(error)) from None
        self.jax, self.array = jax, jax.Array

    def to(self, x):
        plain = x.view(np.float16) if x.dtype == hc.half else x
        return self.jax.device_put(np.array(plain, order="C"), self.device)

    def back(self, x):
        return np.asarray(x)


class JaxGpu(Jax):
    platform = "gpu"


class Cupy:
    device_name = "cupy.ndarray on CUDA device 0"

    def __init__(self):
        import cupy

        try:
            cupy.cuda.runtime.getDeviceCount()
        except Exception as error:
            raise NoDeviceError(f"CuPy finds no GPU: {error}") from None
        self.cupy, self.array = cupy, cupy.ndarray

    def to(self, x):
        return self.cupy.asarray(x.view(np.float16) if x.dtype == hc.half else x)

    def back(self, x):
        return self.cupy.asnumpy(x)


class StandIn(Cupy):
    """CuPy without a GPU and without CuPy."""

    def __init__(self):
        self.cupy, self.array = cupy_stand_in.module(), cupy_stand_in.ndarray


class OpenCL:
    def __init__(self):
        import pyopencl
        import pyopencl.array

        try:
            context = pyopencl.Context(pyopencl.get_platforms()[0].get_devices()[:1])
        except (pyopencl.Error, IndexError) as error:
            raise NoDeviceError(f"no OpenCL device: {error}") from None
        self.queue = pyopencl.CommandQueue(context)
        self.pyopencl, self.array = pyopencl, pyopencl.array.Array
        self.device_name = f"pyopencl.array.Array on {self.queue.device.name.strip()}"

    def to(self, x):
        return self.pyopencl.array.to_device(self.queue, np.array(x, order="C"))

    def back(self, x):
        return x.get(self.queue)


LIBRARIES = {
    "torch": ("torch", TorchHost), "torch:cuda": ("torch", TorchCuda), "jax": ("jax", Jax),
    "jax:gpu": ("jax", JaxGpu), "cupy": ("cupy", Cupy), "stand-in": ("numpy", StandIn),
    "pyopencl": ("pyopencl", OpenCL),
}  # fmt: skip


def find_libraries():
    """Return the available libraries by name, and why the others are not."""
    there, lacking = {}, {}
    for name, (module, kind) in LIBRARIES.items():
        if importlib.util.find_spec(module) is None:
            lacking[name] = f"needs {module}, and HALFCL_TEST_DEVICES=1"
            continue
        try:
            there[name] = kind()
        except NoDeviceError as error:
            lacking[name] = str(error)
    return there, lacking


THERE, LACKING = find_libraries()
