"""Buffers, images and samplers."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.cl._interpreter.launching import arguments
from halfcl.cl.pyopencl._constants import mem_flags
from halfcl.cl.pyopencl._devices import Context, check_context
from halfcl.cl.pyopencl._errors import LogicError, MemoryError, as_opencl, expect, integer, integers

Bytes = NDArray[np.uint8]


def bytes_of(name: str, array: Any, is_written: bool) -> Bytes:
    """A host array's memory, which is in one piece."""
    if isinstance(array, np.ma.MaskedArray):
        raise LogicError(f"{name}: expected an array, got a masked one; its filled() is one")
    try:
        host = array if isinstance(array, np.ndarray) else np.frombuffer(array, np.uint8)
    except (TypeError, ValueError):
        raise LogicError(f"{name}: expected an array, got {type(array).__name__}") from None
    if host.dtype.hasobject:
        raise LogicError(f"{name}: expected an array of numbers, got dtype {host.dtype}")
    if not host.flags.c_contiguous and host.flags.f_contiguous:
        host = host.T
    if not host.flags.c_contiguous:
        raise LogicError(f"{name}: expected an array in one piece, got strides {host.strides}")
    if is_written and not host.flags.writeable:
        raise LogicError(f"{name}: expected a writable array, got a read-only one")
    plain: Bytes = host.view(np.ndarray).reshape(-1).view(np.uint8)
    return plain


class MemoryObject:
    """A buffer or an image: `data`, its bytes, until it is released."""

    _data: Bytes | None = None

    def __init__(self, context: Context, flags: int) -> None:
        what = type(self).__name__
        check_context(what, context)
        self.context = context
        number = integer(f"{what}: argument flags", flags)
        if number & ~sum(mem_flags):
            raise LogicError(f"{what}: argument flags: expected mem_flags, got {flags:#x}")
        self.flags = mem_flags(number)

    @property
    def data(self) -> Bytes:
        if self._data is None:
            raise LogicError(f"{type(self).__name__}: it has been released")
        return self._data

    @property
    def size(self) -> int:
        return self.data.size

    def release(self) -> None:
        """It cannot be used any more. What is part of it can: parts keep the memory."""
        if self._data is None:
            raise LogicError(f"{type(self).__name__}.release: it has been released")
        self._data = None


def data_of(what: str, memory: MemoryObject, kind: type[MemoryObject] | None = None) -> Bytes:
    """The bytes of an argument that is a buffer, or an image."""
    wanted = kind or MemoryObject
    expect(what, memory, wanted)
    if memory._data is None:
        raise LogicError(f"{what}: expected a {wanted.__name__}, got one that has been released")
    data: Bytes = memory._data
    return data


class Buffer(MemoryObject):
    """Bytes: `size` new ones, or of `hostbuf`, copied or used as they are."""

    def __init__(self, context: Context, flags: int, size: int = 0, hostbuf: object = None) -> None:
        super().__init__(context, flags)
        self.hostbuf = None
        size = integer("Buffer: argument size", size)
        wants_host = self.flags & (mem_flags.USE_HOST_PTR | mem_flags.COPY_HOST_PTR)
        if bool(wants_host) != (hostbuf is not None):
            raise LogicError(
                "Buffer: expected hostbuf and one of USE_HOST_PTR and COPY_HOST_PTR, or neither"
            )
        if hostbuf is None:
            integer("Buffer: argument size", size, 1)
            try:
                self._data = np.zeros(size, np.uint8)
            except (builtins.MemoryError, ValueError, OverflowError):
                raise MemoryError(f"Buffer: no memory for {size} bytes") from None
            return
        uses = bool(self.flags & mem_flags.USE_HOST_PTR)
        is_written = uses and not self.flags & mem_flags.READ_ONLY
        host = bytes_of("Buffer: argument hostbuf", hostbuf, is_written)
        if size > host.size:
            raise LogicError(f"Buffer: argument size: hostbuf has {host.size} bytes, not {size}")
        host = host[:size] if size else host
        if host.size == 0:
            raise LogicError("Buffer: argument hostbuf: expected 1 byte or more, got an empty one")
        self._data = host if uses else host.copy()
        self.hostbuf = hostbuf if uses else None

    def get_sub_region(self, origin: int, size: int, flags: int = 0) -> Buffer:
        origin = integer("Buffer.get_sub_region: argument origin", origin)
        size = integer("Buffer.get_sub_region: argument size", size, 1)
        if origin + size > self.size:
            raise LogicError(
                f"Buffer.get_sub_region: arguments origin and size: {origin} + {size} is more "
                f"than the {self.size} bytes there are"
            )
        part = Buffer.__new__(Buffer)
        MemoryObject.__init__(part, self.context, flags or self.flags)
        part._data, part.hostbuf = self.data[origin : origin + size], None
        return part

    def __getitem__(self, part: object) -> Buffer:
        """buffer[start:end], in bytes."""
        if not isinstance(part, slice) or part.step not in (None, 1):
            raise LogicError(f"Buffer: expected a slice without a step, got {part!r}")
        start, stop, _ = part.indices(self.size)
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
        expect("Image: argument format", format, hc.ImageFormat)
        wants_host = self.flags & (mem_flags.USE_HOST_PTR | mem_flags.COPY_HOST_PTR)
        if bool(wants_host) != (hostbuf is not None):
            raise LogicError(
                "Image: argument hostbuf: expected it with USE_HOST_PTR or COPY_HOST_PTR, or none"
            )
        if hostbuf is not None:
            expect("Image: argument hostbuf", hostbuf, np.ndarray)
        if shape is not None:
            shape = integers("Image: argument shape", shape)
        if shape is None and hostbuf is not None:
            channels = format.channels_on_an_axis
            shape = tuple(reversed(hostbuf.shape[: hostbuf.ndim - bool(channels)]))
        if shape is None:
            raise LogicError("Image: argument shape: expected a tuple of ints, got None")
        if pitches is not None:
            raise LogicError("Image: argument pitches: expected None: texels lie side by side")
        kinds = hc.mem_object_type
        kind = (
            {2: kinds.IMAGE1D_ARRAY, 3: kinds.IMAGE2D_ARRAY}.get(len(shape)) if is_array else None
        )
        with as_opencl("Image"):
            self.image = hc.Image.empty(tuple(reversed(shape)), format, kind)
        array = self.image.array
        self._data = array.reshape(-1).view(np.uint8)
        if hostbuf is None:
            self.data[...] = 0
            return
        uses = bool(self.flags & mem_flags.USE_HOST_PTR)
        is_written = uses and not self.flags & mem_flags.READ_ONLY
        host = bytes_of("Image: argument hostbuf", hostbuf, is_written)
        if host.size != self.data.size:
            raise LogicError(f"Image: expected {self.data.size} bytes of hostbuf, got {host.size}")
        if uses:
            self._data = host
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
    expect("image_from_array: argument ary", ary, np.ndarray)
    if ary.dtype not in types:
        names = ", ".join(map(str, types))
        raise LogicError(
            f"image_from_array: argument ary: expected one of {names}, got {ary.dtype}"
        )
    for name, value, known in (
        ("num_channels", num_channels, (None, *_ORDERS)), ("mode", mode, tuple(_ACCESS))
    ):  # fmt: skip
        if value not in known:
            raise LogicError(
                f"image_from_array: argument {name}: expected one of {known}, got {value!r}"
            )
    format = hc.ImageFormat(_ORDERS[num_channels or 1], types[ary.dtype])
    axes = ary.ndim - (num_channels not in (None, 1))
    shape = tuple(reversed(ary.shape[:axes]))
    return Image(ctx, _ACCESS[mode] | mem_flags.COPY_HOST_PTR, format, shape, hostbuf=ary)


class LocalMemory(arguments.LocalMemory):
    """So many bytes of local memory, as an argument."""

    def __init__(self, nbytes: int) -> None:
        with as_opencl("LocalMemory"):
            super().__init__(nbytes)


class Sampler:
    """An hc.Sampler."""

    def __init__(
        self, context: Context, normalized_coords: bool, addressing_mode: int, filter_mode: int
    ) -> None:
        check_context("Sampler", context)
        with as_opencl("Sampler"):
            self.sampler = hc.Sampler(
                normalized_coords,
                hc.addressing_mode(addressing_mode),
                hc.filter_mode(filter_mode),
            )
