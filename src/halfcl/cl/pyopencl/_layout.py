"""Arrays in a buffer: where elements lie, what parts are, what goes to the host and back."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl.cl.pyopencl._constants import map_flags, mem_flags
from halfcl.cl.pyopencl._devices import CommandQueue, Context, Event, wait_for_events
from halfcl.cl.pyopencl._memory import Buffer, data_of
from halfcl.cl.pyopencl._transfers import (
    enqueue_copy,
    enqueue_fill_buffer,
    enqueue_map_buffer,
    enqueue_marker,
)

Allocator: TypeAlias = Callable[[int], Buffer]
_KEPT_EVENTS = 12


class ArrayHasOffsetError(ValueError):
    """Its elements do not begin where its buffer does."""

    def __init__(
        self,
        val: str = (
            "The operation you are attempting does not yet support arrays that start at an "
            "offset from the beginning of their buffer."
        ),
    ) -> None:
        super().__init__(val)


class _SameQueue:
    """The default of arguments for which None means something."""


SAME_QUEUE = _SameQueue()


class _Flags:
    """Whether elements lie side by side, and in which order."""

    def __init__(self, view: NDArray[Any]) -> None:
        self.c_contiguous: bool = view.flags.c_contiguous
        self.f_contiguous: bool = view.flags.f_contiguous
        self.forc = self.c_contiguous or self.f_contiguous


class ArrayBase:
    """An array without arithmetic: `Array` says what the arguments are."""

    def __init__(
        self,
        cq: Context | CommandQueue | None,
        shape: int | Iterable[int],
        dtype: DTypeLike,
        order: str = "C",
        allocator: Allocator | None = None,
        data: Buffer | None = None,
        offset: int = 0,
        strides: Iterable[int] | None = None,
        events: list[Event] | None = None,
        _context: Context | None = None,
        _queue: CommandQueue | None = None,
    ) -> None:
        self.context, self.queue = _owner(cq, _context, _queue)
        self.shape, self.dtype = _shape(shape), np.dtype(dtype)
        if self.dtype.hasobject:
            raise TypeError("object arrays on the compute device are not allowed")
        if order not in ("C", "F", "c", "f"):
            raise ValueError(f"invalid order: {order}")
        plain = np.empty((), self.dtype)
        self.strides = (
            _strides(self.shape, plain.itemsize, order) if strides is None else tuple(strides)
        )
        self.size = int(np.prod(self.shape, dtype=np.uint64))
        self.nbytes = self.size * plain.itemsize
        self.events: list[Event] = [] if events is None else events
        self.allocator, self.offset = allocator, offset
        self.base_data = data if data is not None else self._allocated()

    def _allocated(self) -> Buffer | None:
        """New memory; none for no elements."""
        if not self.nbytes:
            return None
        if self.allocator is not None:
            return self.allocator(self.nbytes)
        assert self.context is not None
        return Buffer(self.context, mem_flags.READ_WRITE, self.nbytes)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def data(self) -> Buffer | None:
        """The buffer; `ArrayHasOffsetError` if the elements begin later."""
        if self.offset:
            raise ArrayHasOffsetError
        return self.base_data

    @property
    def flags(self) -> _Flags:
        return _Flags(self._view())

    def memory(self) -> Buffer | None:
        """The buffer from the first element on."""
        if self.base_data is None:
            return None
        return self.base_data[self.offset :]

    def _view(self) -> NDArray[Any]:
        """The elements where they are."""
        if self.base_data is None:
            return np.empty(self.shape, self.dtype)
        bytes_ = data_of("Array", self.base_data)
        return np.ndarray(self.shape, self.dtype, bytes_.data, self.offset, self.strides)

    def _at(self, view: NDArray[Any]) -> Self:
        """The array of a part of the elements."""
        offset = 0
        if self.base_data is not None:
            offset = view.ctypes.data - data_of("Array", self.base_data).ctypes.data
        return self._like(view.shape, view.dtype, view.strides, self.base_data, offset)

    def _like(
        self, shape: Sequence[int], dtype: DTypeLike, strides: Iterable[int] | None = None,
        data: Buffer | None = None, offset: int = 0, queue: CommandQueue | None = None,
    ) -> Self:  # fmt: skip
        """Another array of its class, and of its queue unless another is given."""
        return type(self)(
            None, shape, dtype, allocator=self.allocator, data=data, offset=offset,
            strides=strides, events=None if data is None else self.events,
            _context=self.context, _queue=queue or self.queue,
        )  # fmt: skip

    def new_like(self, dtype: DTypeLike | None = None, queue: CommandQueue | None = None) -> Self:
        """A new array of its shape and order, of any values."""
        kind = self.dtype if dtype is None else np.dtype(dtype)
        order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        strides = _strides(self.shape, kind.itemsize, order)
        return self._like(self.shape, kind, strides, queue=queue)

    def with_queue(self, queue: CommandQueue | None) -> Self:
        """The same elements with another queue, or with none."""
        found = self._like(self.shape, self.dtype, self.strides, self.base_data, self.offset)
        found.queue = queue
        return found

    # ------------------------------------------------------------ from the host, and to it

    def set(
        self, ary: NDArray[Any], queue: CommandQueue | None = None, async_: bool = False
    ) -> None:
        """Copy an array of the host's here, of the same shape, dtype and order."""
        if ary.size != self.size or ary.dtype != self.dtype:
            raise AssertionError(
                f"set: expected {self.size} elements of {self.dtype}, got {ary.size} of {ary.dtype}"
            )
        if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
            raise RuntimeError("cannot set from non-contiguous array")
        if not _same_strides(ary.strides, self.strides, self.shape):
            raise RuntimeError("Setting array from one with different strides/storage order.")
        if self.size:
            self.add_event(
                enqueue_copy(
                    self._queue(queue), self.base_data, ary, dst_offset=self.offset
                )
            )  # fmt: skip

    def get(
        self, queue: CommandQueue | None = None, ary: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """A copy on the host, in an array that is given or a new one."""
        return self.get_async(queue, ary)[0]

    def get_async(
        self, queue: CommandQueue | None = None, ary: NDArray[Any] | None = None
    ) -> tuple[NDArray[Any], Event]:
        """`get`, and the event of the copy; it is done."""
        if not self.flags.forc:
            raise AssertionError("Array in get() must be contiguous")
        if ary is None:
            order: Literal["C", "F"] = "C" if self.flags.c_contiguous else "F"
            ary = np.empty(self.shape, self.dtype, order)
        if ary.size != self.size:
            raise TypeError("'ary' has non-matching size")
        if ary.dtype != self.dtype:
            raise TypeError("'ary' has non-matching type")
        chosen = queue or self.queue
        if chosen is None:
            raise ValueError(
                "Cannot copy array to host. Array has no queue. Use "
                "'new_array = array.with_queue(queue)' to associate one."
            )
        if not self.size:
            return ary, enqueue_marker(chosen, self.events)
        return ary, enqueue_copy(chosen, ary, self.base_data, src_offset=self.offset)

    def copy(self, queue: CommandQueue | _SameQueue | None = SAME_QUEUE) -> Self:
        """A copy in memory of its own."""
        if not self.flags.forc:
            raise RuntimeError("cannot copy non-contiguous array")
        chosen = self.queue if isinstance(queue, _SameQueue) else queue
        found = self.new_like()
        found.queue = chosen
        if self.nbytes:
            found.add_event(
                enqueue_copy(
                    self._queue(chosen), found.base_data, self.base_data,
                    src_offset=self.offset, byte_count=self.nbytes,
                )
            )  # fmt: skip
        return found

    def clear(self) -> Self:
        """Make all bytes 0."""
        if self.base_data is not None:
            self.add_event(
                enqueue_fill_buffer(
                    self._queue(None), self.base_data, np.uint8(0), self.offset, self.nbytes
                )
            )
        return self

    def map_to_host(
        self, queue: CommandQueue | None = None, flags: int | None = None,
        is_blocking: bool = True, wait_for: Iterable[Event] | None = None,
    ) -> NDArray[Any]:  # fmt: skip
        """The elements themselves, as an array of the host's."""
        if not self.flags.forc:
            raise RuntimeError("cannot map non-contiguous array")
        chosen = map_flags.READ | map_flags.WRITE if flags is None else flags
        assert self.base_data is not None
        mapped, event = enqueue_map_buffer(
            self._queue(queue), self.base_data, chosen, self.offset, self.shape, self.dtype,
            "C" if self.flags.c_contiguous else "F", wait_for=wait_for,
        )  # fmt: skip
        self.add_event(event)
        return mapped

    def _queue(self, queue: CommandQueue | None) -> CommandQueue:
        chosen = queue or self.queue
        if chosen is None:
            raise ValueError("PyOpenCL array has no queue; call .with_queue() to add one")
        return chosen

    def add_event(self, evt: Event) -> None:
        """What the elements depend on."""
        self.events.append(evt)
        del self.events[:-_KEPT_EVENTS]

    def finish(self) -> None:
        """Wait for all that the elements depend on."""
        wait_for_events(self.events)
        self.events.clear()

    # ------------------------------------------------------------ parts of it, and other shapes

    def part(self, index: object) -> Self:
        """What slices, ints, an ellipsis and new axes choose: the same memory."""
        entries = index if isinstance(index, tuple) else (index,)
        for axis, entry in enumerate(entries):
            is_number = isinstance(entry, int | np.integer) and not isinstance(entry, bool)
            if not (isinstance(entry, slice) or is_number or entry in (Ellipsis, None)):
                raise IndexError(f"invalid subindex in axis {axis}")
        whole = entries if Ellipsis in entries else (*entries, Ellipsis)
        return self._at(self._view()[whole])

    def reshape(self, *shape: Any, order: Literal["C", "F"] = "C") -> Self:
        """The same elements in another shape, in which -1 stands for what is left."""
        if order not in ("C", "F"):
            raise ValueError("order must be either 'C' or 'F'")
        sizes = tuple(shape[0]) if shape and isinstance(shape[0], tuple | list) else shape
        if sum(size < 0 for size in sizes) > 1:
            raise ValueError("can only specify one unknown dimension")
        view = self._view()
        try:
            found = view.reshape(sizes, order=order)
        except ValueError:
            raise ValueError("total size of new array must be unchanged") from None
        if self.size and not np.may_share_memory(found, view):
            raise ValueError("cannot reshape without copy")
        return self._at(found) if self.size else self._like(found.shape, self.dtype)

    def ravel(self, order: Literal["C", "F"] = "C") -> Self:
        """The same elements along one axis."""
        return self.reshape(self.size, order=order)

    def view(self, dtype: DTypeLike | None = None) -> Self:
        """The same bytes as elements of another dtype."""
        if dtype is None:
            return self._at(self._view())
        try:
            return self._at(self._view().view(dtype))
        except ValueError:
            raise ValueError("new type not compatible with array") from None

    def squeeze(self) -> Self:
        """Without axes of length 1."""
        return self._at(self._view().squeeze())

    def transpose(self, axes: Sequence[int] | None = None) -> Self:
        """With its axes in another order, or in the opposite one."""
        return self._at(self._view().transpose(axes))

    @property
    def T(self) -> Self:
        return self.transpose()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __bool__(self) -> bool:
        if self.shape == ():
            return bool(self.get())
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()"
        )

    def __str__(self) -> str:
        return repr(self) if self.queue is None else str(self.get())

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.queue is None:
            return f"<cl.{name} {self.shape} of {self.dtype} without queue, call with_queue()>"
        return f"cl.{name}{repr(self.get()).removeprefix('array')}"


def _owner(
    cq: Context | CommandQueue | None, context: Context | None, queue: CommandQueue | None
) -> tuple[Context | None, CommandQueue | None]:
    """A context and a queue, or none."""
    if isinstance(cq, CommandQueue):
        return cq.context, cq
    if isinstance(cq, Context):
        return cq, None
    if cq is None:
        return context or (queue.context if queue is not None else None), queue
    raise TypeError(f"cq may be a queue or a context, not '{type(cq).__name__}'")


def _shape(shape: int | Iterable[int]) -> tuple[int, ...]:
    if isinstance(shape, int | np.integer):
        shape = (int(shape),)
    try:
        sizes = tuple(shape)
    except TypeError:
        raise TypeError(
            "shape must either be iterable or castable to an integer: got a "
            f"'{type(shape).__name__}'"
        ) from None
    if not all(isinstance(size, int | np.integer) for size in sizes):
        raise ValueError(f"invalid shape {sizes} (all dimensions must be integers)")
    if builtins.any(size < 0 for size in sizes):
        raise ValueError(f"negative dimensions are not allowed: {sizes}")
    return tuple(int(size) for size in sizes)


def _strides(shape: Sequence[int], itemsize: int, order: str) -> tuple[int, ...]:
    """Of elements side by side."""
    axes = range(len(shape)) if order in "Ff" else reversed(range(len(shape)))
    found, step = [0] * len(shape), itemsize
    for axis in axes:
        found[axis], step = step, step * max(1, shape[axis])
    return tuple(found)


def _same_strides(one: Sequence[int], other: Sequence[int], shape: Sequence[int]) -> bool:
    """Where they matter."""
    return all(n < 2 or a == b for a, b, n in zip(one, other, shape, strict=True))
