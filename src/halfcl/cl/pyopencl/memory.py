"""Buffers, images and samplers, and what is enqueued to fill, copy and map them."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.cl.pyopencl.constants import command_type, mem_flags
from halfcl.cl.pyopencl.devices import CommandQueue, Context, Event, check_context, timed
from halfcl.cl.pyopencl.errors import LogicError, MemoryError, as_opencl

Bytes = NDArray[np.uint8]


def _bytes_of(name: str, array: Any, is_written: bool) -> Bytes:
    """A host array's memory, which is in one piece."""
    host = array if isinstance(array, np.ndarray) else np.frombuffer(array, np.uint8)
    if not host.flags.c_contiguous and host.flags.f_contiguous:
        host = host.T
    if not host.flags.c_contiguous:
        raise LogicError(f"{name}: expected an array in one piece, got strides {host.strides}")
    if is_written and not host.flags.writeable:
        raise LogicError(f"{name}: expected a writable array, got a read-only one")
    plain: Bytes = host.view(np.ndarray).reshape(-1).view(np.uint8)
    return plain


class MemoryObject:
    """A buffer or an image: `data`, its bytes."""

    data: Bytes

    def __init__(self, context: Context, flags: int) -> None:
        check_context(type(self).__name__, context)
        self.context, self.flags = context, mem_flags(flags)

    @property
    def size(self) -> int:
        return self.data.size

    def release(self) -> None:
        """Python lets go of memory that nobody has."""


class Buffer(MemoryObject):
    """Bytes: `size` new ones, or of `hostbuf`, copied or used as they are."""

    def __init__(self, context: Context, flags: int, size: int = 0, hostbuf: Any = None) -> None:
        super().__init__(context, flags)
        self.hostbuf = None
        wants_host = self.flags & (mem_flags.USE_HOST_PTR | mem_flags.COPY_HOST_PTR)
        if bool(wants_host) != (hostbuf is not None):
            raise LogicError(
                "Buffer: expected hostbuf and one of USE_HOST_PTR and COPY_HOST_PTR, or neither"
            )
        if hostbuf is None:
            if size <= 0:
                raise LogicError(f"Buffer: argument size: expected a positive one, got {size}")
            try:
                self.data = np.zeros(size, np.uint8)
            except (builtins.MemoryError, ValueError, OverflowError):
                raise MemoryError(f"Buffer: no memory for {size} bytes") from None
            return
        uses = bool(self.flags & mem_flags.USE_HOST_PTR)
        is_written = uses and not self.flags & mem_flags.READ_ONLY
        host = _bytes_of("Buffer: argument hostbuf", hostbuf, is_written)
        if size > host.size:
            raise LogicError(f"Buffer: argument size: hostbuf has {host.size} bytes, not {size}")
        host = host[:size] if size else host
        self.data = host if uses else host.copy()
        self.hostbuf = hostbuf if uses else None

    def get_sub_region(self, origin: int, size: int, flags: int = 0) -> Buffer:
        if origin < 0 or size <= 0 or origin + size > self.size:
            raise LogicError(f"get_sub_region: {origin}, {size}: outside of {self.size} bytes")
        part = Buffer.__new__(Buffer)
        MemoryObject.__init__(part, self.context, flags or self.flags)
        part.data, part.hostbuf = self.data[origin : origin + size], None
        return part

    def __getitem__(self, part: slice) -> Buffer:
        """buffer[start:end], in bytes."""
        start, stop, step = part.indices(self.size)
        if step != 1:
            raise LogicError("Buffer: expected a slice without a step")
        return self.get_sub_region(start, stop - start)


class Image(MemoryObject):
    """hc.Image in OpenCL's order: shape is (width, height, depth)."""

    def __init__(
        self,
        context: Context,
        flags: int,
        format: hc.ImageFormat,
        shape: tuple[int, ...] | None = None,
        pitches: tuple[int, ...] | None = None,
        hostbuf: Any = None,
        is_array: bool = False,
    ) -> None:
        super().__init__(context, flags)
        if shape is None and hostbuf is not None:
            channels = format.channels_on_an_axis
            shape = tuple(reversed(hostbuf.shape[: hostbuf.ndim - bool(channels)]))
        if shape is None or pitches is not None:
            raise LogicError("Image: expected a shape, and no pitches")
        kinds = hc.mem_object_type
        kind = (
            {2: kinds.IMAGE1D_ARRAY, 3: kinds.IMAGE2D_ARRAY}.get(len(shape)) if is_array else None
        )
        with as_opencl("Image"):
            self.image = hc.Image.empty(tuple(reversed(shape)), format, kind)
        array = self.image.array
        self.data = array.reshape(-1).view(np.uint8)
        if hostbuf is None:
            self.data[...] = 0
            return
        host = _bytes_of("Image: argument hostbuf", hostbuf, False)
        if host.size != self.data.size:
            raise LogicError(f"Image: expected {self.data.size} bytes of hostbuf, got {host.size}")
        if self.flags & mem_flags.USE_HOST_PTR:
            self.data = host
            with as_opencl("Image"):
                shaped = host.view(array.dtype).reshape(array.shape)
                self.image = hc.Image(shaped, format, kind)
        else:
            self.data[...] = host

    @property
    def format(self) -> hc.ImageFormat:
        return self.image.format

    @property
    def width(self) -> int:
        return self.image.width

    @property
    def height(self) -> int:
        return self.image.height

    @property
    def depth(self) -> int:
        return self.image.depth

    @property
    def shape(self) -> tuple[int, ...]:
        """In OpenCL's order."""
        array = self.image.array
        axes = array.ndim - bool(self.format.channels_on_an_axis)
        return tuple(reversed(array.shape[:axes]))


create_image = Image  # pyopencl's name for what makes one

_CHANNELS = {
    np.dtype(np.float16): hc.channel_type.HALF_FLOAT,
    np.dtype(hc.half): hc.channel_type.HALF_FLOAT,
    np.dtype(np.float32): hc.channel_type.FLOAT,
    np.dtype(np.uint8): hc.channel_type.UNSIGNED_INT8,
    np.dtype(np.uint16): hc.channel_type.UNSIGNED_INT16,
    np.dtype(np.uint32): hc.channel_type.UNSIGNED_INT32,
    np.dtype(np.int8): hc.channel_type.SIGNED_INT8,
    np.dtype(np.int16): hc.channel_type.SIGNED_INT16,
    np.dtype(np.int32): hc.channel_type.SIGNED_INT32,
}
_NORMALISED = {
    np.dtype(np.uint8): hc.channel_type.UNORM_INT8,
    np.dtype(np.uint16): hc.channel_type.UNORM_INT16,
    np.dtype(np.int8): hc.channel_type.SNORM_INT8,
    np.dtype(np.int16): hc.channel_type.SNORM_INT16,
}
_ORDERS = {1: hc.channel_order.R, 2: hc.channel_order.RG, 4: hc.channel_order.RGBA}
_ACCESS = {"r": mem_flags.READ_ONLY, "w": mem_flags.WRITE_ONLY}


def image_from_array(
    ctx: Context,
    ary: NDArray[Any],
    num_channels: int | None = None,
    mode: str = "r",
    norm_int: bool = False,
) -> Image:
    """An image of a copy: R, RG or RGBA by the number of channels."""
    types = _NORMALISED if norm_int else _CHANNELS
    if ary.dtype not in types or num_channels not in (None, *_ORDERS) or mode not in _ACCESS:
        raise LogicError(f"image_from_array: {ary.dtype}, {num_channels} channels, mode {mode!r}")
    format = hc.ImageFormat(_ORDERS[num_channels or 1], types[ary.dtype])
    axes = ary.ndim - (num_channels not in (None, 1))
    shape = tuple(reversed(ary.shape[:axes]))
    return Image(ctx, _ACCESS[mode] | mem_flags.COPY_HOST_PTR, format, shape, hostbuf=ary)


class Sampler:
    """An hc.Sampler."""

    def __init__(
        self, context: Context, normalized_coords: bool, addressing_mode: int, filter_mode: int
    ) -> None:
        with as_opencl("Sampler"):
            self.sampler = hc.Sampler(
                normalized_coords,
                hc.addressing_mode(addressing_mode),
                hc.filter_mode(filter_mode),
            )


# ---------------------------------------------------------------- what is enqueued


def enqueue_copy(
    queue: CommandQueue,
    dest: Any,
    src: Any,
    *,
    is_blocking: bool = True,
    wait_for: Any = None,
    src_offset: int = 0,
    dst_offset: int = 0,
    byte_count: int | None = None,
    origin: tuple[int, ...] | None = None,
    region: tuple[int, ...] | None = None,
) -> Event:
    """Between host arrays, buffers and images; offsets and counts are in bytes.

    Of images origin and region may be given, if they are the whole image.
    """
    ends = [end for end in (dest, src) if isinstance(end, Image)]
    for image in ends:
        if (origin is not None and any(origin)) or (
            region is not None and tuple(region)[: len(image.shape)] != image.shape
        ):
            raise LogicError("enqueue_copy: of images the whole is copied")
    source = (
        src.data if isinstance(src, MemoryObject) else _bytes_of("enqueue_copy: src", src, False)
    )
    target = (
        dest.data if isinstance(dest, MemoryObject) else _bytes_of("enqueue_copy: dest", dest, True)
    )
    # Of a buffer pyopencl's one offset, whichever end it is; of two each has its own.
    count = byte_count
    if count is None:
        count = min(source.size - src_offset, target.size - dst_offset)
        is_host_larger = (
            not isinstance(src, MemoryObject) and source.size > target.size - dst_offset
        )
        if is_host_larger:
            raise LogicError(f"enqueue_copy: {source.size} bytes do not fit in {target.size}")
    if min(src_offset, dst_offset, count) < 0 or (
        src_offset + count > source.size or dst_offset + count > target.size
    ):
        raise LogicError(
            f"enqueue_copy: {count} bytes from {src_offset} of {source.size} "
            f"to {dst_offset} of {target.size}"
        )

    def copy() -> None:
        target[dst_offset : dst_offset + count] = source[src_offset : src_offset + count]

    return timed(queue, _kind_of_copy(dest, src), wait_for, copy)


def _kind_of_copy(dest: Any, src: Any) -> command_type:
    if isinstance(dest, MemoryObject) and isinstance(src, MemoryObject):
        return command_type.COPY_BUFFER
    return command_type.WRITE_BUFFER if isinstance(dest, MemoryObject) else command_type.READ_BUFFER


def enqueue_fill_buffer(
    queue: CommandQueue, mem: Buffer, pattern: Any, offset: int, size: int, wait_for: Any = None
) -> Event:
    """With copies of a pattern."""
    unit = np.frombuffer(np.ascontiguousarray(pattern).tobytes(), np.uint8)
    if offset < 0 or offset + size > mem.size or offset % unit.size or size % unit.size:
        raise LogicError(
            f"enqueue_fill_buffer: {size} bytes from {offset} of {mem.size} by {unit.size}"
        )

    def fill() -> None:
        mem.data[offset : offset + size].reshape(-1, unit.size)[...] = unit

    return timed(queue, command_type.FILL_BUFFER, wait_for, fill)


def enqueue_fill(
    queue: CommandQueue,
    dest: Buffer,
    pattern: Any,
    size: int,
    *,
    offset: int = 0,
    wait_for: Any = None,
) -> Event:
    """`enqueue_fill_buffer`, with its arguments in another order."""
    return enqueue_fill_buffer(queue, dest, pattern, offset, size, wait_for)


def enqueue_map_buffer(
    queue: CommandQueue,
    buf: Buffer,
    flags: int,
    offset: int,
    shape: Any,
    dtype: Any,
    order: str = "C",
    strides: Any = None,
    wait_for: Any = None,
    is_blocking: bool = True,
) -> tuple[NDArray[Any], Event]:
    """The buffer's own memory as an array."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    if offset < 0 or offset + size > buf.size or strides is not None:
        raise LogicError(f"enqueue_map_buffer: {size} bytes from {offset} of {buf.size}")
    found = buf.data[offset : offset + size].view(kind).reshape(shape, order=order)
    return found, timed(queue, command_type.MAP_BUFFER, wait_for, lambda: None)


def enqueue_marker(queue: CommandQueue, wait_for: Any = None) -> Event:
    """An event: all before it is done."""
    return timed(queue, command_type.MARKER, wait_for, lambda: None)


def enqueue_barrier(queue: CommandQueue, wait_for: Any = None) -> Event:
    """An event: all before it is done."""
    return timed(queue, command_type.BARRIER, wait_for, lambda: None)
