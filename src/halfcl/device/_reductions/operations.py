"""Base class of exact operations on a machine's arrays: checked arguments, cached kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from halfcl import _core
from halfcl.device._backends.libraries import DeviceArray
from halfcl.device._backends.machine import AnyReducingMachine, Launchers
from halfcl.device._source.reduction_text import Reduction


class DeviceOperations:
    """Operations on a machine's arrays."""

    def __init__(self, machine: AnyReducingMachine) -> None:
        self._machine = machine
        self.launcher = Launchers(machine)

    def __repr__(self) -> str:
        return repr(self._machine)

    def _halves(self, name: str, arrays: Sequence[object]) -> tuple[DeviceArray, ...]:
        """Return the arguments, checked to be arrays of half on the device."""
        machine = self._machine
        for argument, x in zip("ab", arrays, strict=False):
            if not machine.is_array(x):
                raise TypeError(
                    f"{name}: argument {argument}: expected a {machine.array_name}, "
                    f"got {type(x).__name__}; {machine.to_device} puts an array on the device"
                )
            if not is_half(x.dtype):
                raise TypeError(
                    f"{name}: argument {argument}: expected half or float16, got {x.dtype}"
                )
            check_place(self._machine, f"{name}: argument {argument}", x)
        checked: Any = tuple(arrays)
        return checked  # type: ignore[no-any-return]

    def _target(
        self, name: str, out: object, kind: np.dtype[Any], shape: tuple[int, ...]
    ) -> DeviceArray | None:
        """Return the argument out, checked, or None."""
        if out is None:
            return None
        target: Any = out[0] if isinstance(out, tuple) and len(out) == 1 else out
        if not self._machine.is_array(target):
            raise TypeError(
                f"{name}: out: expected a {self._machine.array_name}, got {type(target).__name__}"
            )
        check_place(self._machine, f"{name}: out", target)
        is_right = is_half(target.dtype) if kind.itemsize == 2 else target.dtype == kind
        if not is_right:
            raise TypeError(f"{name}: out: expected an array of {kind}, got {target.dtype}")
        if tuple(target.shape) != shape:
            raise ValueError(f"{name}: out: expected shape {shape}, got {target.shape}")
        return target  # type: ignore[no-any-return]

    def _store_result(self, target: DeviceArray | None, result: DeviceArray) -> DeviceArray:
        """Return a call's result, copied to out if that is given."""
        if target is None or result is target:
            return result
        self._machine.assign(target, result, None)
        return target

    def _launch(
        self, kernel: Reduction, groups: tuple[int, int], arguments: list[object],
        read: Sequence[DeviceArray], written: DeviceArray,
    ) -> None:  # fmt: skip
        """Launch a kernel with its arguments, the arrays it reads, and the one it writes."""
        launcher = self.launcher(kernel)
        self._machine.launch(launcher, groups, kernel.group, arguments, read, [written])


def is_half(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is float16 or half, in this machine's byte order."""
    return dtype.type in (np.float16, _core.half) and dtype.isnative


def check_place(machine: AnyReducingMachine, what: str, x: DeviceArray) -> None:
    """Raise ValueError if the machine cannot reach an array."""
    error = machine.placement_error(x)
    if error:
        raise ValueError(f"{what}: expected an array {error}")


def mask(machine: AnyReducingMachine, name: str, where: object) -> DeviceArray | None:
    """Return the argument where as an array, or None if all elements count."""
    if machine.is_array(where):
        array: DeviceArray = where
        check_place(machine, f"{name}: where", array)
        if array.dtype == np.bool:
            return array
    elif isinstance(where, (bool, np.bool)):
        return None if where else machine.from_host(np.zeros((), np.bool))
    raise TypeError(
        f"{name}: where: expected True, False or a {machine.array_name} of bool, got "
        f"{type(where).__name__}{f' of {where.dtype}' if machine.is_array(where) else ''}"
    )
