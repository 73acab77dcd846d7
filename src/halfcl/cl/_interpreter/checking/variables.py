"""Private variables of checked launches, kept as values until memory is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from halfcl.cl._frontend.types import DType
from halfcl.cl._interpreter.checking.copies import WatchedCopies
from halfcl.cl._interpreter.memory.pointers import Pointer
from halfcl.cl._interpreter.values import lanes
from halfcl.cl._interpreter.values.lanes import DEAD, Mask, Value

_Blend: TypeAlias = Callable[[Mask, Mask, Value, Value, DType], Value]


class CheckedRun(WatchedCopies):
    """A watched block that keeps whole private variables as values."""

    def place(self, kind: str, pointer: Pointer, size: int, align: int, mask: Mask) -> Value:
        self._flush_kept(pointer)
        return super().place(kind, pointer, size, align, mask)

    def store(
        self, pointer: Pointer, value: Value, dtype: DType, mask: Mask, at: int,
        width: int = 0, align: int = 0,
    ) -> None:  # fmt: skip
        size, blend = dtype.itemsize * (width or 1), lanes.blend_vectors if width else lanes.blend
        if not self._keep(pointer, value, dtype, size, mask, blend):
            super().store(pointer, value, dtype, mask, at, width, align)

    def load(
        self, pointer: Pointer, dtype: DType, mask: Mask, at: int, width: int = 0, align: int = 0
    ) -> Value:
        value = self._kept_value(pointer, dtype, dtype.itemsize * (width or 1), mask)
        return super().load(pointer, dtype, mask, at, width, align) if value is None else value

    def _keep(
        self, pointer: Pointer, value: Value, dtype: DType, size: int, mask: Mask, blend: _Blend
    ) -> bool:
        """Keep a stored variable as a value if possible; an int or a ramp stays one."""
        memory = pointer.memory
        if memory is None or memory.space != "private" or dtype.kind == "b":
            return False
        if type(pointer.offset) is not int or pointer.offset or size != memory.size:
            return False
        shadow = self.own_shadow(memory)
        if type(value) is np.ndarray and value.dtype != dtype:
            return False
        if mask is not None and mask is not DEAD:
            if shadow.kept is None and shadow.whole is DEAD and shadow.parts is None:
                old = np.zeros((size // dtype.itemsize, 1), dtype)
                shadow.kept = dtype, old[0] if size == dtype.itemsize else old
            if shadow.kept is None or shadow.kept[0] != dtype:
                return False
            value = blend(mask, DEAD, value, shadow.kept[1], dtype)
        shadow.kept = dtype, value
        shadow.whole = lanes.union(shadow.whole, None if mask is DEAD else mask)
        return True

    def _kept_value(self, pointer: Pointer, dtype: DType, size: int, mask: Mask) -> Value | None:
        """Return a variable's value; None if it must be loaded from memory."""
        memory = pointer.memory
        if memory is None or memory.space != "private":
            return None
        shadow = self.own_shadow(memory)
        if shadow.kept is None or shadow.kept[0] != dtype or size != memory.size:
            return None
        is_whole = type(pointer.offset) is int and pointer.offset == 0
        if not is_whole or lanes.without(mask, shadow.whole) is not DEAD:
            return None
        return shadow.kept[1]

    def _flush_kept(self, pointer: Pointer) -> None:
        """Write a kept value to memory before another access to it."""
        memory = pointer.memory
        if memory is None or memory.space != "private":
            return
        shadow = self.own_shadow(memory)
        if shadow.kept is None:
            return
        (dtype, value), shadow.kept, whole = shadow.kept, None, shadow.whole
        at, start = self.at, Pointer(memory, 0)
        width = memory.size // dtype.itemsize
        super().store(start, value, dtype, None, at, width if width > 1 else 0, memory.size)
        shadow.whole = whole
