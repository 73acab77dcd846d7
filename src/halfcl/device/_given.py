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
            if not _is_half(x.dtype):
                raise TypeError(
                    f"{name}: argument {argument}: expected half or float16, got {x.dtype}"
                )
            self._check_place(name, argument, x)
        found: Any = tuple(arrays)
        return found  # type: ignore[no-any-return]

    def _check_place(self, name: str, argument: str, x: DeviceArray) -> None:
        elsewhere = self._machine.elsewhere(x)
        if elsewhere:
            raise ValueError(f"{name}: argument {argument}: expected an array {elsewhere}")

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
        self._check_place(name, "out", target)
        is_right = _is_half(target.dtype) if kind.itemsize == 2 else target.dtype == kind
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
        launcher = self._kernels.get(kernel)
        if launcher is None:
            with self._lock:
                launcher = self._kernels.get(kernel)
                if launcher is None:
                    launcher = self._kernels[kernel] = self._machine.built(kernel)
        self._machine.launch(launcher, groups, kernel.group, given, read, [written])


def _is_half(dtype: np.dtype[Any]) -> bool:
    return dtype.type in (np.float16, _core.half) and dtype.isnative
