"""The interface of a device for functions and reductions, whatever library has its arrays."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl.device._backends.libraries import DeviceArray
from halfcl.device._source.dialects import Dialect
from halfcl.device._source.kernel_text import Kernel
from halfcl.device._source.reduction_text import Reduction

_A = TypeVar("_A", bound=DeviceArray)
_L = TypeVar("_L")


class ReducingMachine(Protocol[_A, _L]):
    """The operations of a device that reductions use: on arrays, and launches of kernels."""

    array_name: str
    to_device: str
    is_wide: bool
    dialect: Dialect

    @property
    def units(self) -> int: ...
    @property
    def group(self) -> int: ...
    def is_array(self, x: object) -> TypeGuard[_A]: ...
    def placement_error(self, x: _A) -> str: ...
    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, order: str, like: _A) -> _A: ...
    def from_host(self, x: NDArray[Any]) -> _A: ...
    def to_host(self, x: _A) -> NDArray[Any]: ...
    def broadcast(self, x: _A, shape: tuple[int, ...]) -> _A: ...
    def assign(self, out: _A, x: _A, where: _A | None) -> None: ...
    def is_separate(self, out: _A, x: _A, alike: bool = True) -> bool: ...
    def reshape(self, x: _A, shape: tuple[int, ...]) -> _A: ...
    def move_axis(self, x: _A, source: int, target: int) -> _A: ...
    def can_multiply(self) -> bool: ...
    def product(self, x: _A, y: _A) -> _A: ...
    def offset(self, x: _A) -> int: ...
    def memory(self, x: _A) -> Sequence[object]: ...
    def build(self, kernel: Kernel | Reduction) -> _L: ...
    def launch(
        self, launcher: _L, groups: tuple[int, int], group: int, arguments: Sequence[Any],
        read: Sequence[_A], written: Sequence[_A],
    ) -> None: ...  # fmt: skip


#: A machine of any device; its is_array has checked the arrays that it receives.
AnyReducingMachine: TypeAlias = ReducingMachine[Any, Any]


class Launchers:
    """The launchers of a machine's kernels; each is built at its first call, by one thread."""

    def __init__(self, machine: AnyReducingMachine) -> None:
        self._machine = machine
        self.built: dict[Kernel | Reduction, object] = {}
        self._lock = threading.Lock()

    def __call__(self, kernel: Kernel | Reduction) -> object:
        launcher = self.built.get(kernel)
        if launcher is None:
            with self._lock:
                launcher = self.built.get(kernel)
                if launcher is None:
                    launcher = self.built[kernel] = self._machine.build(kernel)
        return launcher


class Machine(ReducingMachine[_A, _L], Protocol[_A, _L]):
    """A device with arrays, launchers, and kernels of functions."""

    def as_type(self, x: _A, dtype: DTypeLike) -> _A: ...
    def view(self, x: _A, dtype: DTypeLike) -> _A: ...
    def is_aligned(self, x: _A) -> bool: ...
    def is_whole(self, count: int) -> bool: ...
    def run(
        self, launcher: _L, kernel: Kernel, count: int, operands: Sequence[_A | np.generic],
        outs: Sequence[_A],
    ) -> None: ...  # fmt: skip


AnyMachine: TypeAlias = Machine[Any, Any]
