"""Images on an OpenCL device, for a process of its own: the loader reads its environment once.

Kinds, formats and samplers go by OpenCL's names, arrays are NumPy's.
"""

import functools
import warnings

import numpy as np
import pyopencl as cl

#: Of each kind: its type in kernels, and the components of coordinates.
KINDS = {
    "IMAGE1D": ("image1d_t", ".x"),
    "IMAGE1D_ARRAY": ("image1d_array_t", ".xy"),
    "IMAGE1D_BUFFER": ("image1d_buffer_t", ".x"),
    "IMAGE2D": ("image2d_t", ".xy"),
    "IMAGE2D_ARRAY": ("image2d_array_t", ""),
    "IMAGE3D": ("image3d_t", ""),
}

RESULTS = {"h": ("half4", "<f2"), "f": ("float4", "<f4"), "i": ("int4", "<i4"),
           "ui": ("uint4", "<u4")}  # fmt: skip

DEPTH = 0x10BD  # CL_DEPTH, which pyopencl may have no name for

READ = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_depth_images : enable
__kernel void f(read_only {image} image, {sampler} __global const {coord}4 *coords,
                __global {result} *out)
{{
    size_t i = get_global_id(0);
    out[i] = read_image{suffix}(image, {used} coords[i]{components});
}}
"""

WRITE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_depth_images : enable
__kernel void f(write_only {image} image, __global const int4 *coords,
                __global const {result} *colors)
{{
    size_t i = get_global_id(0);
    write_image{suffix}(image, coords[i]{components}, colors[i]);
}}
"""


@functools.cache
def context():
    """Return the context of the first CPU that has images.

    It is kept alive, since Intel's queues do not do so.
    """
    cpu = cl.device_type.CPU
    devices = [d for p in cl.get_platforms() for d in p.get_devices(cpu) if d.image_support]
    return cl.Context(devices[:1])


@functools.cache
def queue():
    return cl.CommandQueue(context())


def why_not():
    """Why there is nothing to compare with; or "" if there is."""
    try:
        queue()
    except (cl.Error, IndexError) as error:
        return f"no OpenCL platform whose CPU has images ({error})"
    return ""


def has_half():
    return "cl_khr_fp16" in context().devices[0].extensions.split()


@functools.cache
def formats(kind, access):
    """Pairs of numbers: the orders and types of what can be read, or written."""
    flags, types = getattr(cl.mem_flags, access), getattr(cl.mem_object_type, kind)
    supported = cl.get_supported_image_formats(context(), flags, types)
    return {(f.channel_order, f.channel_data_type) for f in supported}


@functools.cache
def kernel(source, **parts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        return cl.Program(context(), source.format(**parts)).build().f


def is_depth(form):
    return form[0] == DEPTH


def parts_of(form, kind, suffix):
    """Depth images have types of their own, and scalars for colours."""
    image, components = KINDS[kind]
    result = RESULTS[suffix][0]
    if is_depth(form):
        image, result = image.removesuffix("_t") + "_depth_t", result.removesuffix("4")
    return {"image": image, "components": components, "suffix": suffix, "result": result}


def image_of(array, form, kind, sizes, access):
    """Copy the array to the device's memory.

    form: numbers of its order and type; sizes: x first, without channels.
    """
    desc = cl.ImageDescriptor()
    desc.image_type = getattr(cl.mem_object_type, kind)
    desc.shape = sizes
    if kind.endswith("ARRAY"):
        desc.array_size = sizes[-1]
    desc.pitches = (0, 0)
    memory = buffer_of(array) if kind == "IMAGE1D_BUFFER" else None
    desc.buffer = memory
    flags = access | (0 if memory else cl.mem_flags.COPY_HOST_PTR)
    return cl.Image(
        context(), flags, cl.ImageFormat(*form), hostbuf=None if memory else array, desc=desc
    ), memory


def buffer_of(array):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(context(), flags, hostbuf=array)


def read(array, form, kind, sizes, sampler, coords, suffix):
    """Read at coords, of shape (n, 4), on the device; sampler: normalized, addressing, filter."""
    image, _ = image_of(array, form, kind, sizes, cl.mem_flags.READ_ONLY)
    out = np.empty((len(coords), 1 if is_depth(form) else 4), RESULTS[suffix][1])
    results = buffer_of(out)
    arguments = [image, buffer_of(coords), results]
    if sampler:
        normalized, addressing, linear = sampler
        chosen = cl.Sampler(
            context(),
            normalized,
            getattr(cl.addressing_mode, addressing),
            cl.filter_mode.LINEAR if linear else cl.filter_mode.NEAREST,
        )
        arguments.insert(1, chosen)
    run = kernel(
        READ,
        **parts_of(form, kind, suffix),
        coord="float" if coords.dtype.kind == "f" else "int",
        sampler="sampler_t sampler," if sampler else "",
        used="sampler," if sampler else "",
    )
    run(queue(), (len(coords),), None, *arguments)
    cl.enqueue_copy(queue(), out, results)
    return out


def write(array, form, kind, sizes, coords, colors, suffix):
    """Return the array after the device has written colors at coords."""
    image, memory = image_of(array, form, kind, sizes, cl.mem_flags.WRITE_ONLY)
    run = kernel(WRITE, **parts_of(form, kind, suffix))
    run(queue(), (len(coords),), None, image, buffer_of(coords), buffer_of(colors))
    if memory is not None:
        out = np.empty_like(array)
        cl.enqueue_copy(queue(), out, memory)
        return out
    origin, region = (0, 0, 0), (*sizes, 1, 1)[:3]
    flags = cl.map_flags.READ
    mapped, *_ = cl.enqueue_map_image(
        queue(), image, flags, origin, region, array.shape, array.dtype
    )
    return mapped.copy()
