"""Launches: an ND-range is cut into blocks that fit the cache, and code runs block by block."""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn, TypeAlias

import numpy as np

import halfcl as hc
from halfcl.cl._frontend.errors import LaunchError, SourceLocation
from halfcl.cl._frontend.tree import Mode
from halfcl.cl._frontend.types import FLOAT, HALF, Number
from halfcl.cl._interpreter.contraction import Contraction, Recorder
from halfcl.cl._interpreter.groups import Groups
from halfcl.cl._interpreter.memory.access import Access
from halfcl.cl._interpreter.memory.pending import Pending
from halfcl.cl._interpreter.memory.pointers import Addresses, Bytes, Memory, Pointer
from halfcl.cl._interpreter.values import lanes
from halfcl.cl._interpreter.values.lanes import DEAD, Active, Array, Axes, Mask, Ramp, Truths, Value
from halfcl.typing import RoundingMode

#: An argument of a kernel's function; callables are called per block to create it.
Bound: TypeAlias = "Pointer | int | Array | hc.Image | hc.Sampler | Callable[[Run], Pointer]"

#: The default mode, or one per work-group, x last.
Modes: TypeAlias = Mode | Array

#: The key of a variable: of its declaration, or of the argument.
_Key: TypeAlias = int | tuple[str, str]

#: Work-items of a block, approximately (measured). Python's overhead of some microseconds per
#: operation is then small, and a few half4 values (256 KiB each) fit into the second-level cache.
BLOCK = 32768

#: The size for kernels whose floating values are only half and half2.
NARROW_BLOCK = 2 * BLOCK

#: The size if such a kernel also stores little per item. Twice this is slower for most kernels.
LONG_BLOCK = 16 * BLOCK

#: The size if such a kernel has at most one floating variable.
LONGEST_BLOCK = 2 * LONG_BLOCK

#: The size for kernels whose floating values are at most float and half2, with floats among them.
FLOAT_BLOCK = 8 * BLOCK

#: Work-groups of fewer work-items have much local memory per item.
_SMALL_GROUP = 64


def choose_block_size(widest: int, keeps_arrays: bool, variables: int, group: int) -> int:
    """Return the approximate number of work-items per block, for a launch without checks.

    widest: bytes of the widest floating value, a half2 counted as half. variables: the number of
    floating variables in the kernel. group: work-items per work-group if the kernel needs whole
    groups, else 0.
    """
    if widest > FLOAT.size:
        return BLOCK
    if keeps_arrays or 0 < group < _SMALL_GROUP:
        return NARROW_BLOCK if widest <= HALF.size else BLOCK
    if widest > HALF.size:
        return FLOAT_BLOCK
    return LONG_BLOCK if variables > 1 else LONGEST_BLOCK


class Grid:
    """The sizes of a launch in OpenCL's order: x first."""

    def __init__(
        self,
        global_sizes: tuple[int, ...],
        local_sizes: tuple[int, ...],
        offsets: tuple[int, ...],
        sub_group_size: int = 1,
    ) -> None:
        self.global_sizes, self.local_sizes, self.offsets = global_sizes, local_sizes, offsets
        self.sub_group_size = sub_group_size
        self.group_counts = tuple(map(operator.floordiv, global_sizes, local_sizes))


def split_box(sizes: tuple[int, ...], limit: int) -> Iterator[list[tuple[int, int]]]:
    """Yield parts of a box, slowest axis first, with as many whole fast axes as fit the limit."""
    whole, axis = 1, len(sizes)
    while axis > 0 and whole * sizes[axis - 1] <= limit:
        axis -= 1
        whole *= sizes[axis]
    rest = [(0, n) for n in sizes[axis:]]
    if axis == 0:
        yield rest
        return
    count = max(1, limit // whole)
    for outer in _indices(sizes[: axis - 1]):
        for first in range(0, sizes[axis - 1], count):
            part = (first, min(count, sizes[axis - 1] - first))
            yield [*((i, 1) for i in outer), part, *rest]


def _indices(sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield indices in order; NumPy's ndindex lists whole axes, which may not fit in memory."""
    if not sizes:
        yield ()
        return
    for first in range(sizes[0]):
        for rest in _indices(sizes[1:]):
            yield first, *rest


class Run(Access):
    """One block: its work-items' ids and their memory."""

    #: The last mask that had too many active items for a subset.
    unsplit_mask: Mask = None

    def __init__(self, grid: Grid, launch: Launch, box: list[tuple[int, int]]) -> None:
        extents = tuple(n for _, n in box)
        axes_kept = [i for i, n in enumerate(extents) if n > 1]
        axes = Axes(tuple(extents[i] for i in axes_kept) or (1,))
        super().__init__(axes, Addresses(launch.buffers))
        self.grid, self.launch = grid, launch

        def along(i: int) -> Ramp | int:
            if extents[i] == 1:
                return box[i][0]
            return Ramp(box[i][0], tuple([int(k == i) for k in axes_kept]), axes)

        dims = len(grid.global_sizes)
        self.global_sizes, self.local_sizes = grid.global_sizes, grid.local_sizes
        self.group_counts, self.global_offsets = grid.group_counts, grid.offsets
        if len(box) == dims:
            ids = [along(dims - 1 - d) for d in range(dims)]
            self.group_ids: tuple[Ramp | int, ...] = ()
            self.local_ids: tuple[Ramp | int, ...] = ()
            self.group_slot: Ramp | int = 0
            self.group_total = 1
        else:
            self.group_ids = tuple(along(dims - 1 - d) for d in range(dims))
            self.local_ids = tuple(along(2 * dims - 1 - d) for d in range(dims))
            ids = [
                lanes.add(lanes.scale(group, size), local)
                for group, size, local in zip(
                    self.group_ids, grid.local_sizes, self.local_ids, strict=True
                )
            ]
            slot: Ramp | int = 0
            self.group_total = 1
            for i in range(dims):
                slot = lanes.add(lanes.scale(slot, extents[i]), lanes.add(along(i), -box[i][0]))
                self.group_total *= extents[i]
            self.group_slot = slot
        self.global_ids = tuple(lanes.add(i, o) for i, o in zip(ids, grid.offsets, strict=True))
        self._variables: dict[_Key, Pointer] = {}
        self._item_groups: dict[int, Groups] = {}  # by size
        self.pending: list[Pending] = []  # asynchronous copies without a wait so far
        self._events = 0
        self.tick = launch.tick

    # ------------------------------------------------------------ memory

    def private(self, name: str, size: int, key: int) -> Pointer:
        """Return a private variable, which has the same memory in each iteration of a loop."""
        return self._variables.get(key) or self._variable(
            name, "private", size, key, self.axes.count, self.axes.numbers()
        )

    def local(self, name: str, size: int, key: _Key) -> Pointer:
        """Return a variable in local memory."""
        return self._variable(name, "local", size, key, self.group_total, self.group_slot)

    def _variable(
        self, name: str, space: str, size: int, key: _Key, owners: int, slot: Ramp | int
    ) -> Pointer:
        pointer = self._variables.get(key)
        if pointer is None:
            padded = _padded_size(max(size, 1))
            data = self._zeros(name, space, owners * padded)
            pointer = Pointer(Memory(name, space, data, size, lanes.scale(slot, padded)), 0)
            self._variables[key] = pointer
        return pointer

    def _zeros(self, name: str, space: str, size: int) -> Bytes:
        try:
            return np.zeros(size, np.uint8)
        except (MemoryError, ValueError, OverflowError):
            raise LaunchError(
                f"kernel {self.launch.name}: no memory for {space} variable {name!r}: "
                f"{size} bytes for a block of work-items"
            ) from None

    def constant(self, name: str, size: int) -> Pointer:
        return Pointer(Memory(name, "constant", np.zeros(-(-size // 16) * 16, np.uint8), size), 0)

    def program_variable(self, name: str, size: int) -> Pointer:
        """Return a variable of program scope in global memory."""
        return Pointer(Memory(name, "global", np.zeros(-(-size // 16) * 16, np.uint8), size), 0)

    def clear(self, pointer: Pointer) -> None:
        """Fill a variable with zeros before its initializer, which may leave members out."""
        assert pointer.memory is not None
        pointer.memory.data.fill(0)

    def seal(self, pointer: Pointer) -> None:
        """Make a constant read-only after its initialization."""
        assert pointer.memory is not None
        pointer.memory.is_constant = True

    # ------------------------------------------------------------ groups

    def arrived_groups(self, mask: Active, what: str, at: int) -> Truths | None:
        """Return which groups have reached a call that all their items must reach; None: all."""
        if mask is None:
            return None
        table = mask.reshape(self.group_total, -1)
        arrived: Truths = table.any(axis=1)  # type: ignore[assignment]
        missing = arrived[:, np.newaxis] & ~table
        if missing.any():
            item = self.item(int(np.flatnonzero(missing)[0]))
            others = "does not reach it, but others of its work-group do"
            self.refuse(at, f"{what}: work-item {item} {others}")
        return arrived

    def item_groups(self, kind: str) -> Groups:
        """Return the sub-groups or the work-groups of the block."""
        is_sub_group = kind == "sub_group"
        return self.groups_of_size(
            self.grid.sub_group_size if is_sub_group else math.prod(self.local_sizes)
        )

    def groups_of_size(self, size: int) -> Groups:
        """Return groups of a size."""
        if size not in self._item_groups:
            self._item_groups[size] = Groups(self.group_total, math.prod(self.local_sizes), size)
        return self._item_groups[size]

    def require_all(self, groups: Groups, mask: Mask, what: str, at: int) -> None:
        """Raise LaunchError if only some items of a group reach a call that all must reach."""
        missing = groups.missing(None if mask is DEAD else mask)
        if missing is not None:
            kind = "work-group" if what.startswith("work_group") else "sub-group"
            self.refuse(
                at,
                f"{what}: work-item {self.item(missing)} does not reach it, but others of its "
                f"{kind} do",
            )

    def refuse(self, at: int, message: str) -> NoReturn:
        """Raise LaunchError with a place and a message."""
        raise LaunchError(f"{self.launch.place_of(at)}: kernel {self.launch.name}: {message}")

    def sub_group_barrier(self, mask: Mask, at: int, flags: Value) -> None:
        """Check that whole sub-groups arrive; they run in lockstep, so nothing needs to wait."""
        self.require_all(self.item_groups("sub_group"), mask, "sub_group_barrier", at)

    def see_lanes(self, what: str, lanes: Array, bad: Truths, mask: Mask, at: int) -> None:
        """Observe reads of other lanes' values in a sub-group. bad: reads of missing lanes."""

    def new_event(self) -> int:
        self._events += 1
        return self._events

    def add_pending(self, copy: Pending) -> None:
        self.pending.append(copy)

    def end(self) -> None:
        """Finish the block after its last statement."""

    def barrier(self, mask: Active, at: int, flags: Value) -> None:
        """Check that whole groups arrive; they run in lockstep, so nothing needs to wait."""
        self.arrived_groups(mask, "barrier", at)

    def see_image(
        self,
        kind: str,
        image: hc.Image,
        sampler: hc.Sampler | None,
        where: Array,
        mask: Mask,
        at: int,
    ) -> None:
        """Observe an access to an image. where: coordinates, a row per item, or one for all."""

    def see_division(
        self, operator: str, number: Number, left: Value, right: Value, mask: Mask, at: int
    ) -> None:
        """Observe a division of integers, in code of checked launches; constants run without."""

    def see_conversion(
        self, source: Number, target: Number, mode: RoundingMode, value: Value, mask: Mask, at: int
    ) -> None:
        """Observe a conversion of floating numbers to integers, likewise."""

    # ------------------------------------------------------------ errors

    def fault(
        self,
        kind: str,
        memory: Memory,
        offset: Value,
        size: int,
        mask: Mask,
        bad: Callable[[Array], Truths] | None = None,
    ) -> NoReturn:
        """Raise LaunchError for an access. bad: returns which offsets are bad (else: outside)."""
        offsets = np.broadcast_to(lanes.spread(offset), self.axes.count)
        is_bad = bad(offsets) if bad else (offsets < 0) | (offsets + size > memory.size)
        if mask is not None:
            is_bad = is_bad & mask
        index = int(np.flatnonzero(is_bad)[0]) if is_bad.any() else lanes.first_active(mask)
        is_somewhere = memory.size or memory.space
        where = f" {memory.space} memory {memory.name!r}" if is_somewhere else ""
        message = f"{kind}{where}: work-item {self.item(index)}"
        if where:
            message += f": {size} bytes at byte {int(offsets[index])} of {memory.size}"
        self.refuse(self.at, message)

    def item(self, index: int) -> tuple[int, ...]:
        """Return an item's global id."""
        return tuple(int(i.array()[index]) if isinstance(i, Ramp) else i for i in self.global_ids)


def _padded_size(size: int) -> int:
    """Return a variable's size, padded so that the next owner's copy is aligned for any type."""
    return 1 << (size - 1).bit_length() if size <= 8 else -(-size // 16) * 16


class Launch:
    """A running kernel: its start time, its source places and its reports."""

    def __init__(
        self,
        name: str,
        place_of: Callable[[int], SourceLocation | None],
        timeout: float | None = None,
    ) -> None:
        self.name, self.place_of, self.timeout = name, place_of, timeout
        self.buffers: list[Memory] = []
        self.ends = None if timeout is None else time.monotonic() + timeout
        self.recorder = Recorder()
        self.progress: Callable[[int, int], object] | None = None
        self.is_rehearsal = False  # whether its effects are undone, so that it must not print

    def tick(self, at: int | None = None) -> None:
        """Check the time limit, per loop iteration and before each block; Ctrl-C needs no check."""
        if self.ends is not None and time.monotonic() > self.ends:
            place = "" if at is None else f"{self.place_of(at)}: "
            raise LaunchError(
                f"{place}kernel {self.name}: ran longer than its limit, {self.timeout} seconds"
            )

    def report(self, found: Contraction | None = None) -> None:
        """Report findings; unchecked launches have none."""

    def block(self, grid: Grid, box: list[tuple[int, int]]) -> Run:
        return Run(grid, self, box)

    def run(
        self,
        function_of: Callable[[Mode], Callable[..., object]],
        grid: Grid,
        by_groups: bool,
        modes: Modes,
        arguments: Sequence[Bound],
        block: int,
    ) -> None:
        """Run a kernel's function block by block.

        modes: the default mode, or an array of one per work-group, x last. block: approximate
        number of work-items per block.
        """
        self.buffers = [a.memory for a in arguments if isinstance(a, Pointer) and a.memory]
        done, total = 0, math.prod(grid.global_sizes)
        with np.errstate(all="ignore"):
            for box, mode in split_grid(grid, by_groups, modes, block):
                self.tick()
                run = self.block(grid, box)
                values = (a(run) if callable(a) else a for a in arguments)
                function_of(mode)(run, None, *values)
                run.end()
                self.recorder.end_block()
                done += run.axes.count
                if self.progress:
                    self.progress(done, total)


def split_grid(
    grid: Grid, by_groups: bool, modes: Modes, block: int
) -> Iterator[tuple[list[tuple[int, int]], Mode]]:
    """Yield boxes of work-items, or of work-groups and their work-items, each of one mode."""
    if not by_groups and not isinstance(modes, np.ndarray):
        for box in split_box(tuple(reversed(grid.global_sizes)), block):
            yield box, modes
        return
    inner = [(0, n) for n in reversed(grid.local_sizes)]
    limit = max(1, block // math.prod(grid.local_sizes))
    for box in split_box(tuple(reversed(grid.group_counts)), limit):
        parts = split_by_mode(box, modes) if isinstance(modes, np.ndarray) else [(box, modes)]
        for part, mode in parts:
            yield part + inner, mode


def split_by_mode(
    box: list[tuple[int, int]], modes: Array
) -> Iterator[tuple[list[tuple[int, int]], Mode]]:
    """Yield parts of a box of work-groups, halved until each has one mode."""
    box_modes = modes[tuple(slice(first, first + n) for first, n in box)]
    mode = box_modes.flat[0]
    if (box_modes == mode).all():
        yield box, mode
        return
    axis = next(i for i, (_, n) in enumerate(box) if n > 1)
    first, n = box[axis]
    for start, count in ((first, n // 2), (first + n // 2, n - n // 2)):
        yield from split_by_mode([*box[:axis], (start, count), *box[axis + 1 :]], modes)
