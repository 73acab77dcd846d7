"""What functions and reductions ask of a device, whatever library has its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl.device._kernel_text import Kernel
from halfcl.device._libraries import DeviceArray
from halfcl.device._reduction_text import Reduction

_A = TypeVar("_A", bound=DeviceArray)
_L = TypeVar("_L")


class ReducingMachine(Protocol[_A, _L]):
    """What reductions need of a device: arrays of a kind, and launchers of kernels over them."""

    array_name: str
    to_device: str
    is_wide: bool

    @property
    def units(self) -> int: ...
    @property
    def group(self) -> int: ...
    def is_array(self, x: object) -> TypeGuard[_A]: ...
    def elsewhere(self, x: _A) -> str: ...
    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, order: str, like: _A) -> _A: ...
    def placed(self, x: NDArray[Any]) -> _A: ...
    def fetched(self, x: _A) -> NDArray[Any]: ...
    def spread(self, x: _A, shape: tuple[int, ...]) -> _A: ...
    def assign(self, out: _A, x: _A, where: _A | None) -> None: ...
    def is_separate(self, out: _A, x: _A) -> bool: ...
    def place(self, x: _A) -> int: ...
    def memory(self, x: _A) -> Sequence[object]: ...
    def built(self, kernel: Reduction) -> _L: ...
    def launch(
        self, launcher: _L, groups: tuple[int, int], group: int, arguments: Sequence[Any],
        read: Sequence[_A], written: Sequence[_A],
    ) -> None: ...  # fmt: skip


#: Of some device: its arrays are those that its is_array has found to be.
AnyReducingMachine: TypeAlias = ReducingMachine[Any, Any]


class Machine(ReducingMachine[_A, _L], Protocol[_A, _L]):
    """A device with arrays of a kind, and what runs kernels over them by launchers."""

    def as_type(self, x: _A, dtype: DTypeLike) -> _A: ...
    def view(self, x: _A, dtype: DTypeLike) -> _A: ...
    def moved(self, x: _A, source: int, target: int) -> _A: ...
    def reshaped(self, x: _A, shape: tuple[int, ...]) -> _A: ...
    def is_aligned(self, x: _A) -> bool: ...
    def is_whole(self, count: int) -> bool: ...
    def compiled(self, kernel: Kernel) -> _L: ...
    def run(
        self, launcher: _L, kernel: Kernel, count: int, operands: Sequence[_A | np.generic],
        outs: Sequence[_A],
    ) -> None: ...  # fmt: skip


AnyMachine: TypeAlias = Machine[Any, Any]
