"""Devices that pyopencl and CuPy find, and whether what they give is the host's."""

import contextlib

import numpy as np
from exhaustive import LONG

import halfcl as hc
from halfcl import device
from halfcl.device._backends import on_opencl

MODES = (None, *hc.MODES)


def if_long(many, few):
    """Choose a number of kernels to try; a device's compiler builds one per second."""
    return many if LONG else few


EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
FINITE = EVERY[np.isfinite(EVERY)]


class OpenCL:
    """A device of a platform."""

    def __init__(self, cl, of_device):
        import pyopencl.array as arrays

        self.cl, self.device, self._arrays = cl, of_device, arrays
        self.context = cl.Context([of_device])  # kept, since Intel's queues do not keep theirs
        self.where = self.queue = cl.CommandQueue(self.context)

    def to(self, x):
        return self._arrays.to_device(self.queue, np.asarray(x))

    def back(self, x):
        return x.get(self.queue)


class Cuda:
    """The first GPU; or what stands for one, on NumPy's arrays."""

    def __init__(self, cupy):
        self.cupy = cupy
        self.where = cupy.cuda.Device(0)

    def to(self, x):
        x = np.asarray(x)
        return self.cupy.asarray(x.view(np.float16) if x.dtype == hc.half else x)

    def back(self, x):
        return self.cupy.asnumpy(x)


class Gxx(Cuda):
    """CUDA C++ on the host."""


class Planned:
    """A device, with the plans of CPUs or of GPUs."""

    def __init__(self, place, is_wide, group=32):
        self.to, self.back = place.to, place.back
        self.dev = device.compile(place.where)
        self.dev.machine.is_wide = is_wide
        self.dev.machine.group = group


def opencl_devices():
    """One of each platform that can compile anything; and why there is none."""
    try:
        import pyopencl as cl
    except ImportError:
        return [], "needs pyopencl, and HALFCL_TEST_DEVICES=1"
    devices, why_not = [], "no OpenCL platform"
    for platform in platforms(cl):
        try:
            each = OpenCL(cl, platform.get_devices()[0])
            on_opencl._build_program(cl, each.context, each.device, "__kernel void f(void) {}", ())
            devices.append(each)
        except (cl.Error, device.DeviceError) as error:
            why_not = f"{platform.name}: {str(error).splitlines()[0]}"
    return devices, why_not


def platforms(cl):
    try:
        return cl.get_platforms()
    except cl.Error:
        return []


def gpus():
    try:
        import cupy

        return [Cuda(cupy)] if cupy.cuda.runtime.getDeviceCount() else [], "no GPU"
    except Exception as error:
        return [], f"CuPy finds no GPU: {error}"


DEVICES, WHY_NOT = opencl_devices()
GPUS, WHY_NO_GPU = gpus()
REAL = [*DEVICES, *GPUS] or [None]
WHY_NONE = f"{WHY_NOT}; {WHY_NO_GPU}"


def assert_same(got, right):
    """Equal bits, but for NaNs; of halves of either type."""
    assert len(got) == len(right)
    for one, other in zip(got, right, strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert one.shape == other.shape
        if other.dtype.itemsize == 2 and other.dtype.kind not in "iu":
            one, other = one.view(np.float16), other.view(np.float16)
        assert one.dtype == other.dtype
        different = (one != other) & ((one == one) | (other == other))
        if one.dtype.kind == "f":
            different |= (np.signbit(one) != np.signbit(other)) & (one == one)
        assert not different.any(), (one[different][:3], other[different][:3])


def some(shape, seed=1, of=FINITE):
    return np.random.default_rng(seed).choice(of, shape)


def check(planned, name, *arrays, **keywords):
    """Check that a call returns what the host's call returns."""
    inputs = [planned.to(x) for x in arrays]
    with np.errstate(all="ignore"), contextlib.suppress(RuntimeWarning):
        right = getattr(hc, name)(*arrays, **keywords)
    got = getattr(planned.dev, name)(*inputs, **keywords)
    assert_same([planned.back(got)], [right])
    return got
