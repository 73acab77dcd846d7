"""Maps pyopencl's memory into NumPy arrays for the time of a launch."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

import halfcl as hc
from halfcl.cl import LaunchError
from halfcl.cl._frontend import tree, types
from halfcl.cl.pyopencl._library import pyopencl

_FLAGS, _KINDS = pyopencl.mem_flags, hc.mem_object_type
_BOTH = pyopencl.map_flags.READ | pyopencl.map_flags.WRITE

#: Flags of buffers that the host may not map for reading and writing.
_HOST_LIMITS = _FLAGS.HOST_READ_ONLY | _FLAGS.HOST_WRITE_ONLY | _FLAGS.HOST_NO_ACCESS

Bytes = NDArray[np.uint8]

_RELEASE = pyopencl.MemoryObject.release


def release(memory: Any) -> None:
    """Release memory, and remember that: pyopencl does not, and a use of it may crash."""
    _RELEASE(memory)
    memory.is_released = True


class MappedMemory:
    """The memory of a launch's arguments; each buffer and image is mapped once."""

    def __init__(self, queue: object, wait_for: Iterable[Any] | None) -> None:
        self._queue, self._waits = queue, list(wait_for or ())
        for event in self._waits:
            if event.command_type == pyopencl.command_type.USER and event.command_execution_status:
                raise ValueError(
                    "argument wait_for: expected events that occur by themselves, as a checked "
                    "launch runs at once, got a UserEvent that has not been set"
                )
        self._buffers: dict[int, Bytes] = {}  # by the buffer's address in OpenCL
        self._images: dict[int, hc.Image] = {}
        self._read_only: list[tuple[str, Bytes, Bytes]] = []  # argument, memory, copy
        self._mapped: list[Any] = []
        self._copies: list[tuple[object, object]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:  # fmt: skip
        """Unmap everything, also after an error, with what the kernel had written until then."""
        self._waits += [mapped.release(self._queue) for mapped in self._mapped]
        for buffer, copy in self._copies:
            event = pyopencl.enqueue_copy(self._queue, buffer, copy, wait_for=self._waits)
            self._waits.append(event)
        if self._waits:
            pyopencl.wait_for_events(self._waits)

    def event(self) -> object:
        """Return an event of the end of the launch."""
        return pyopencl.enqueue_marker(self._queue, wait_for=self._waits)

    def argument(self, where: str, parameter: tree.Declaration, memory: Any) -> object:
        """Return memory as an array for a pointer, or as an image."""
        if memory is None:
            return None
        if getattr(memory, "is_released", False):
            raise ValueError(f"{where}: expected memory, got some that has been released")
        type_ = parameter.type
        if isinstance(type_, types.Opaque):
            wanted = "an Image" if type_.is_image else "a Sampler"
            if not (type_.is_image and isinstance(memory, pyopencl.Image)):
                kind = type(memory).__name__
                raise TypeError(f"{where}: expected {wanted} for {type_}, got {kind}")
            self._check_image(where, parameter, memory)
            return self._image(memory)
        if isinstance(memory, pyopencl.Image):
            raise TypeError(f"{where}: expected a Buffer for {type_}, got an Image")
        if isinstance(memory, pyopencl.SVMPointer):
            mapped = memory.map_rw(self._queue, wait_for=self._waits)
            self._mapped.append(mapped)
            return np.asarray(mapped.array).reshape(-1).view("V1")
        data = self._buffer(memory)
        may_write = isinstance(type_, types.Pointer) and not type_.is_const
        if may_write and memory.flags & _FLAGS.READ_ONLY:
            copy = data.copy()
            self._read_only.append((where, data, copy))
            data = copy
        return data.view("V1")  # of any type

    @staticmethod
    def _check_image(where: str, parameter: tree.Declaration, image: Any) -> None:
        opposite = {"read_only": "WRITE_ONLY", "write_only": "READ_ONLY"}.get(parameter.access)
        for flag in filter(None, (opposite, "HOST_READ_ONLY", "HOST_WRITE_ONLY", "HOST_NO_ACCESS")):
            if image.flags & getattr(_FLAGS, flag):
                raise ValueError(
                    f"{where}: expected an image that the kernel may access as {parameter.access}, "
                    f"and the host for the check, got one of flag {flag}"
                )

    def require_unchanged(self) -> None:
        """Raise LaunchError if the kernel wrote to a buffer that it may only read."""
        for where, data, copy in self._read_only:
            changed = np.flatnonzero(data != copy)
            if changed.size:
                raise LaunchError(
                    f"{where}: expected no writes to a buffer of flag READ_ONLY, got one at byte "
                    f"{changed[0]}"
                )

    def _buffer(self, buffer: Any) -> Bytes:
        """Map a buffer; of a sub-buffer its parent, since parts that overlap share memory."""
        whole = buffer.associated_memobject or buffer
        if whole.int_ptr not in self._buffers:
            self._buffers[whole.int_ptr] = self._map(whole)
        start = buffer.offset
        return self._buffers[whole.int_ptr][start : start + buffer.size]

    def _map(self, buffer: Any) -> Bytes:
        waits = self._waits
        if buffer.flags & _HOST_LIMITS:
            copy = pyopencl.Buffer(buffer.context, _FLAGS.READ_WRITE, buffer.size)
            waits = [pyopencl.enqueue_copy(self._queue, copy, buffer, wait_for=waits)]
            self._copies.append((buffer, copy))
            buffer = copy
        data: Bytes
        data, _ = pyopencl.enqueue_map_buffer(
            self._queue, buffer, _BOTH, 0, (buffer.size,), np.uint8, wait_for=waits
        )
        self._mapped.append(data.base)
        return data

    def _image(self, image: Any) -> hc.Image:
        if image.int_ptr not in self._images:
            self._images[image.int_ptr] = self._map_image(image)
        return self._images[image.int_ptr]

    def _map_image(self, image: Any) -> hc.Image:
        """Map an image; rows and slices are as far apart as the device says."""
        kind = hc.mem_object_type(image.type)
        format = hc.ImageFormat(image.format.channel_order, image.format.channel_data_type)
        sizes = tuple(getattr(image, name) for name in _SIZES[kind])
        # What is mapped begins with one channel: its pitches are known only then.
        dtype = np.dtype(np.float16) if format.dtype == hc.half else format.dtype
        if kind == _KINDS.IMAGE1D_BUFFER:
            texels, pitches = self._buffer(image.associated_memobject).view(dtype), ()
        else:
            region = (*sizes, 1, 1)[:3]
            texels, _, row, layer = pyopencl.enqueue_map_image(
                self._queue, image, _BOTH, (0, 0, 0), region, (1,), dtype, wait_for=self._waits
            )
            self._mapped.append(texels.base)
            pitches = {1: (), 2: (layer if kind == _KINDS.IMAGE1D_ARRAY else row,),
                       3: (layer, row)}[len(sizes)]  # fmt: skip
        channels = format.channels_on_an_axis
        shape: tuple[int, ...] = sizes[::-1]
        strides: tuple[int, ...] = (*pitches, format.itemsize)
        if channels:
            shape, strides = (*shape, channels), (*strides, dtype.itemsize)
        return hc.Image(as_strided(texels, shape, strides), format, kind)


#: The names of an image's sizes, x first.
_SIZES = {
    _KINDS.IMAGE1D: ("width",),
    _KINDS.IMAGE1D_BUFFER: ("width",),
    _KINDS.IMAGE1D_ARRAY: ("width", "array_size"),
    _KINDS.IMAGE2D: ("width", "height"),
    _KINDS.IMAGE2D_ARRAY: ("width", "height", "array_size"),
    _KINDS.IMAGE3D: ("width", "height", "depth"),
}
