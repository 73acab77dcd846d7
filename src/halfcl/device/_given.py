"""What exact functions of a machine's arrays are given, checked; and their kernels."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from halfcl import _core
from halfcl.device._libraries import DeviceArray
from halfcl.device._machine import AnyReducingMachine
from halfcl.device._reduction_text import Reduction


class OnMachine:
    """Functions of a machine's arrays."""

    def __init__(self, machine: AnyReducingMachine) -> None:
        self._machine = machine
        self._kernels: dict[Reduction, object] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return repr(self._machine)

    def _halves(self, name: str, arrays: Sequence[object]) -> tuple[DeviceArray, ...]:
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
        found: Any = tuple(arrays)
        return found  # type: ignore[no-any-return]

    def _target(
        self, name: str, out: object, kind: np.dtype[Any], shape: tuple[int, ...]
    ) -> DeviceArray | None:
        if out is None:
            return None
        target: Any = out[0] if isinstance(out, tuple) and len(out) == 1 else out
        if not self._machine.is_array(target):
            raise TypeError(
                f"{name}: argument out: expected a {self._machine.array_name}, "
                f"got {type(target).__name__}"
            )
        check_place(self._machine, f"{name}: argument out", target)
        is_right = is_half(target.dtype) if kind.itemsize == 2 else target.dtype == kind
        if not is_right:
            raise TypeError(
                f"{name}: argument out: expected an array of {kind}, got {target.dtype}"
            )
        if tuple(target.shape) != shape:
            raise ValueError(f"{name}: argument out: expected shape {shape}, got {target.shape}")
        return target  # type: ignore[no-any-return]

    def _finished(self, target: DeviceArray | None, made: DeviceArray) -> DeviceArray:
        """What a call gives, of where the result is to be and where it is."""
        if target is None or made is target:
            return made
        self._machine.assign(target, made, None)
        return target

    def _launch(
        self, kernel: Reduction, groups: tuple[int, int], given: list[object],
        read: Sequence[DeviceArray], written: DeviceArray,
    ) -> None:  # fmt: skip
        launcher = self._launcher(kernel)
        self._machine.launch(launcher, groups, kernel.group, given, read, [written])

    def _launcher(self, kernel: Reduction) -> object:
        found = self._kernels.get(kernel)
        if found is None:
            with self._lock:
                found = self._kernels.get(kernel)
                if found is None:
                    found = self._kernels[kernel] = self._machine.built(kernel)
        return found


def is_half(dtype: np.dtype[Any]) -> bool:
    """Whether it is float16 or half, in this machine's byte order."""
    return dtype.type in (np.float16, _core.half) and dtype.isnative


def check_place(machine: AnyReducingMachine, what: str, x: DeviceArray) -> None:
    """ValueError if an array, which is told so, lies where the machine cannot reach it."""
    elsewhere = machine.elsewhere(x)
    if elsewhere:
        raise ValueError(f"{what}: expected an array {elsewhere}")


def mask(machine: AnyReducingMachine, name: str, where: object) -> DeviceArray | None:
    """Which elements are wanted, of an argument where; None: all."""
    if machine.is_array(where):
        found: DeviceArray = where
        check_place(machine, f"{name}: where", found)
        if found.dtype == np.bool:
            return found
    elif isinstance(where, (bool, np.bool)):
        return None if where else machine.from_host(np.zeros((), np.bool))
    raise TypeError(
        f"{name}: where: expected True, False or a {machine.array_name} of bool, got "
        f"{type(where).__name__}{f' of {where.dtype}' if machine.is_array(where) else ''}"
    )
