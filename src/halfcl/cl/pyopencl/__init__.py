"""pyopencl's names over halfcl's kernels: scripts run with one import changed.

    import halfcl.cl.pyopencl as cl

Contexts, queues, buffers, images, programs and events, on one device that is halfcl itself. A
queue does what is enqueued at once, and in order; events carry the times that it took. Its modules
are ``array``, ``algorithm``, ``elementwise``, ``reduction``, ``scan``, ``clmath``, ``clrandom``,
``cltypes`` and ``tools``, by pyopencl's names. What is missing says so when it is used.
"""

from __future__ import annotations

from halfcl._images import (
    ImageFormat,
    addressing_mode,
    channel_order,
    channel_type,
    filter_mode,
    mem_object_type,
)
from halfcl._support.names import publish
from halfcl.cl.pyopencl._constants import (
    command_execution_status,
    command_queue_properties,
    command_type,
    context_properties,
    device_fp_config,
    device_info,
    device_type,
    kernel_work_group_info,
    map_flags,
    mem_flags,
    platform_info,
    profiling_info,
    program_build_info,
)
from halfcl.cl.pyopencl._devices import (
    CommandQueue,
    Context,
    Device,
    Event,
    Platform,
    create_some_context,
    get_platforms,
    wait_for_events,
)
from halfcl.cl.pyopencl._errors import Error, LogicError, MemoryError, RuntimeError
from halfcl.cl.pyopencl._memory import (
    Buffer,
    Image,
    LocalMemory,
    MemoryObject,
    Sampler,
    create_image,
    image_from_array,
)
from halfcl.cl.pyopencl._programs import Kernel, Program, enqueue_nd_range_kernel
from halfcl.cl.pyopencl._refused import REFUSED
from halfcl.cl.pyopencl._transfers import (
    MemoryMap,
    enqueue_barrier,
    enqueue_copy,
    enqueue_fill,
    enqueue_fill_buffer,
    enqueue_map_buffer,
    enqueue_map_image,
    enqueue_marker,
)

globals().update(REFUSED)

VERSION = (2026, 1)
VERSION_TEXT = "halfcl"

__all__ = [
    "VERSION",
    "VERSION_TEXT",
    "Buffer",
    "CommandQueue",
    "Context",
    "Device",
    "Error",
    "Event",
    "Image",
    "ImageFormat",
    "Kernel",
    "LocalMemory",
    "LogicError",
    "MemoryError",
    "MemoryMap",
    "MemoryObject",
    "Platform",
    "Program",
    "RuntimeError",
    "Sampler",
    "addressing_mode",
    "channel_order",
    "channel_type",
    "command_execution_status",
    "command_queue_properties",
    "command_type",
    "context_properties",
    "create_image",
    "create_some_context",
    "device_fp_config",
    "device_info",
    "device_type",
    "enqueue_barrier",
    "enqueue_copy",
    "enqueue_fill",
    "enqueue_fill_buffer",
    "enqueue_map_buffer",
    "enqueue_map_image",
    "enqueue_marker",
    "enqueue_nd_range_kernel",
    "filter_mode",
    "get_platforms",
    "image_from_array",
    "kernel_work_group_info",
    "map_flags",
    "mem_flags",
    "mem_object_type",
    "platform_info",
    "profiling_info",
    "program_build_info",
    "wait_for_events",
]

publish(globals())
