"""What is enqueued to fill, copy and map buffers and images."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl.cl.pyopencl._constants import command_type
from halfcl.cl.pyopencl._devices import CommandQueue, Event, timed
from halfcl.cl.pyopencl._errors import LogicError, as_opencl, integer, integers
from halfcl.cl.pyopencl._memory import Buffer, Bytes, Image, MemoryObject, bytes_of, data_of


def enqueue_copy(
    queue: CommandQueue,
    dest: object,
    src: object,
    *,
    is_blocking: bool = True,
    wait_for: Iterable[Event] | None = None,
    src_offset: int = 0,
    dst_offset: int = 0,
    byte_count: int | None = None,
    origin: tuple[int, ...] | None = None,
    region: tuple[int, ...] | None = None,
) -> Event:
    """Between host arrays, buffers and images; offsets and counts are in bytes.

    Of images origin and region may be given, if they are the whole image.
    """
    if not isinstance(dest, MemoryObject) and not isinstance(src, MemoryObject):
        got = f"{type(dest).__name__} and {type(src).__name__}"
        raise LogicError(f"enqueue_copy: arguments dest and src: expected a Buffer, got {got}")
    for name, end in (("dest", dest), ("src", src)):
        if isinstance(end, Image):
            _check_whole(f"enqueue_copy of {name}", end, origin, region)
    source = _end_of("enqueue_copy: argument src", src, False)
    target = _end_of("enqueue_copy: argument dest", dest, True)
    src_offset = integer("enqueue_copy: argument src_offset", src_offset)
    dst_offset = integer("enqueue_copy: argument dst_offset", dst_offset)
    if byte_count is None:
        hosts = [
            bytes_
            for end, bytes_ in ((src, source), (dest, target))
            if not isinstance(end, MemoryObject)
        ]
        count = hosts[0].size if hosts else min(source.size - src_offset, target.size - dst_offset)
    else:
        count = integer("enqueue_copy: argument byte_count", byte_count)
    for name, offset, bytes_ in (("src", src_offset, source), ("dest", dst_offset, target)):
        if count < 0 or offset + count > bytes_.size:
            raise LogicError(
                f"enqueue_copy: argument {name}: {count} bytes from {offset} of {bytes_.size}"
            )

    def copy() -> None:
        target[dst_offset : dst_offset + count] = source[src_offset : src_offset + count]

    return timed(queue, _kind_of_copy(dest, src), wait_for, copy)


def _end_of(what: str, end: object, is_written: bool) -> Bytes:
    """The bytes of a buffer, an image, or a host array."""
    if isinstance(end, MemoryObject):
        return data_of(what, end)
    return bytes_of(what, end, is_written)


def _check_whole(what: str, image: Image, origin: object, region: object) -> None:
    """Of images the whole is copied."""
    data_of(what, image)
    if origin is not None and any(integers(f"{what}: argument origin", origin)):
        raise LogicError(f"{what}: argument origin: expected zeros, got {origin}")
    if region is None:
        return
    sizes = integers(f"{what}: argument region", region)
    if sizes[: len(image.shape)] != image.shape or set(sizes[len(image.shape) :]) - {1}:
        raise LogicError(
            f"{what}: argument region: expected the whole image, {image.shape}, got {region}"
        )


def _kind_of_copy(dest: object, src: object) -> command_type:
    if isinstance(dest, MemoryObject) and isinstance(src, MemoryObject):
        return command_type.COPY_BUFFER
    return command_type.WRITE_BUFFER if isinstance(dest, MemoryObject) else command_type.READ_BUFFER


def enqueue_fill_buffer(
    queue: CommandQueue,
    mem: Buffer,
    pattern: object,
    offset: int,
    size: int,
    wait_for: Iterable[Event] | None = None,
) -> Event:
    """With copies of a pattern."""
    unit = bytes_of("enqueue_fill_buffer: argument pattern", np.asanyarray(pattern), False)
    data = data_of("enqueue_fill_buffer: argument mem", mem, Buffer)
    offset = integer("enqueue_fill_buffer: argument offset", offset)
    size = integer("enqueue_fill_buffer: argument size", size)
    if unit.size == 0 or offset % unit.size or size % unit.size:
        raise LogicError(
            "enqueue_fill_buffer: argument pattern: expected one whose size divides offset and "
            f"size, {offset} and {size}, got {unit.size} bytes"
        )
    if offset + size > data.size:
        raise LogicError(
            f"enqueue_fill_buffer: argument size: {size} bytes from {offset} of {data.size}"
        )
    unit = unit.copy()  # it may be of the buffer's own memory

    def fill() -> None:
        data[offset : offset + size].reshape(-1, unit.size)[...] = unit

    return timed(queue, command_type.FILL_BUFFER, wait_for, fill)


def enqueue_fill(
    queue: CommandQueue,
    dest: Buffer,
    pattern: object,
    size: int,
    *,
    offset: int = 0,
    wait_for: Iterable[Event] | None = None,
) -> Event:
    """`enqueue_fill_buffer`, with its arguments in another order."""
    return enqueue_fill_buffer(queue, dest, pattern, offset, size, wait_for)


def enqueue_map_buffer(
    queue: CommandQueue,
    buf: Buffer,
    flags: int,
    offset: int,
    shape: object,
    dtype: DTypeLike,
    order: Literal["C", "F"] = "C",
    strides: object = None,
    wait_for: Iterable[Event] | None = None,
    is_blocking: bool = True,
) -> tuple[NDArray[Any], Event]:
    """The buffer's own memory as an array, whose base is a `MemoryMap`."""
    what = "enqueue_map_buffer"
    data = data_of(f"{what}: argument buf", buf, Buffer)
    with as_opencl(f"{what}: argument dtype"):
        kind = np.dtype(dtype)
    lengths = integers(f"{what}: argument shape", shape if np.iterable(shape) else (shape,))
    offset = integer(f"{what}: argument offset", offset)
    size = math.prod(lengths) * kind.itemsize
    if strides is not None:
        raise LogicError(f"{what}: argument strides: expected None, got {strides!r}")
    if order not in ("C", "F"):
        raise LogicError(f"{what}: argument order: expected 'C' or 'F', got {order!r}")
    if kind.hasobject or offset + size > data.size:
        raise LogicError(
            f"{what}: argument shape: {size} bytes of {kind} from {offset} of {data.size}"
        )
    return _mapped(data[offset : offset + size], kind, lengths, order), timed(
        queue, command_type.MAP_BUFFER, wait_for, lambda: None
    )


def enqueue_map_image(
    queue: CommandQueue,
    img: Image,
    flags: int,
    origin: object,
    region: object,
    shape: object,
    dtype: DTypeLike,
    order: Literal["C", "F"] = "C",
    strides: object = None,
    wait_for: Iterable[Event] | None = None,
    is_blocking: bool = True,
) -> tuple[NDArray[Any], Event, int, int]:
    """The whole image's own memory as an array; and the bytes of a row, and of a slice."""
    what = "enqueue_map_image"
    data = data_of(f"{what}: argument img", img, Image)
    _check_whole(what, img, origin, region)
    whole = Buffer.__new__(Buffer)
    MemoryObject.__init__(whole, img.context, img.flags)
    whole._data = data
    found, event = enqueue_map_buffer(
        queue, whole, flags, 0, shape, dtype, order, strides, wait_for, is_blocking
    )
    row = img.image.array.strides[-2] * img.shape[0]
    return found, event, row, row * img.shape[1] if len(img.shape) == 3 else 0


class MemoryMap:
    """Mapped memory: the base of the array that shows it, and is to be released."""

    def __init__(self, data: Bytes, typestr: str, shape: object, strides: object) -> None:
        self.__array_interface__ = {
            **data.__array_interface__, "typestr": typestr, "shape": shape, "strides": strides
        }  # fmt: skip
        self._data = data

    def release(
        self, queue: CommandQueue | None = None, wait_for: Iterable[Event] | None = None
    ) -> Event | None:
        """What has been written is in the buffer already."""
        if queue is None:
            return None
        return timed(queue, command_type.UNMAP_MEM_OBJECT, wait_for, lambda: None)

    def __enter__(self) -> MemoryMap:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


def _mapped(
    data: Bytes, kind: np.dtype[Any], shape: tuple[int, ...], order: Literal["C", "F"]
) -> NDArray[Any]:
    if np.dtype(kind.str) != kind:  # halfcl's half, or a struct: text does not say it
        return np.asarray(MemoryMap(data, "|u1", data.shape, None)).view(kind).reshape(
            shape, order=order
        )  # fmt: skip
    strides = None if order == "C" else data.view(kind).reshape(shape, order="F").strides
    return np.asarray(MemoryMap(data, kind.str, shape, strides))


def enqueue_marker(queue: CommandQueue, wait_for: Iterable[Event] | None = None) -> Event:
    """An event: all before it is done."""
    return timed(queue, command_type.MARKER, wait_for, lambda: None)


def enqueue_barrier(queue: CommandQueue, wait_for: Iterable[Event] | None = None) -> Event:
    """An event: all before it is done."""
    return timed(queue, command_type.BARRIER, wait_for, lambda: None)
