"""An OpenCL device that is always right, with the names of pyopencl that an audit uses."""

import enum
from types import SimpleNamespace

import numpy as np

import halfcl as hc
from halfcl import cl


class mem_flags(enum.IntFlag):
    READ_WRITE = 1
    WRITE_ONLY = 2
    READ_ONLY = 4
    COPY_HOST_PTR = 32


class device_fp_config(enum.IntFlag):
    DENORM = 1
    INF_NAN = 2
    ROUND_TO_NEAREST = 4


class Error(Exception):
    """pyopencl's."""


class Device(SimpleNamespace):
    """halfcl's interpreter."""

    name = vendor = "halfcl"
    version = driver_version = "OpenCL 1.2 halfcl"
    opencl_c_version = "OpenCL C 1.2"
    extensions = "cl_khr_fp16 cl_khr_fp64 cl_khr_3d_image_writes"
    image_support = True
    half_fp_config = single_fp_config = double_fp_config = device_fp_config(7)
    platform = SimpleNamespace(name="halfcl", version="OpenCL 1.2 halfcl")


class Buffer:
    """Bytes, written by kernels."""

    def __init__(self, context, flags, size=0, hostbuf=None):
        self.argument = np.zeros(size, "V1") if hostbuf is None else hostbuf.copy().view("V1")

    def copy_to(self, array):
        array.reshape(-1).view(np.uint8)[:] = self.argument.reshape(-1).view(np.uint8)


class Image:
    """An image of halves, written by kernels."""

    def __init__(self, context, flags, form, shape, hostbuf):
        width, height = shape
        texels = hostbuf.copy().reshape(height, width, -1)
        self.argument = hc.Image(texels[..., 0] if texels.shape[2] == 1 else texels, form)

    def copy_to(self, array):
        array.reshape(-1)[:] = self.argument.array.reshape(-1)


class Program:
    """pyopencl's, whose kernels halfcl interprets."""

    def __init__(self, context, source):
        self._source = source

    def build(self):
        try:
            self._built = cl.Program(self._source)
        except cl.BuildError as error:
            raise Error(str(error)) from error
        return self

    @property
    def audited(self):
        def launch(queue, global_size, local_size, *arguments):
            self._built.audited(global_size, local_size, *(x.argument for x in arguments))

        return launch


def enqueue_copy(queue, array, memory, origin=None, region=None):
    memory.copy_to(array)


def get_supported_image_formats(context, flags, kind):
    order, form = hc.channel_order, hc.channel_type.HALF_FLOAT
    return [hc.ImageFormat(order.RGBA, form), hc.ImageFormat(order.R, form)]


def pyopencl():
    """Return a stand-in for the module pyopencl, for one test to change."""
    device = Device
    platform = SimpleNamespace(
        name="halfcl", version=device.version, get_devices=lambda *kinds: [device()]
    )
    return SimpleNamespace(
        Buffer=Buffer, CommandQueue=lambda context: SimpleNamespace(finish=lambda: None),
        Context=lambda devices: SimpleNamespace(devices=devices), Device=device, Error=Error,
        create_image=Image, ImageFormat=hc.ImageFormat, Program=Program, VERSION_TEXT="halfcl",
        channel_order=hc.channel_order, channel_type=hc.channel_type,
        device_fp_config=device_fp_config, enqueue_copy=enqueue_copy,
        get_platforms=lambda: [platform], mem_flags=mem_flags,
        get_supported_image_formats=get_supported_image_formats,
        mem_object_type=hc.mem_object_type,
    )  # fmt: skip
