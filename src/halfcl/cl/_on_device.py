"""Programs that run on a device: translated, built by its compiler, and launched.

What is common to all is here: a launch's arguments are bound as for one on the host, NumPy's arrays
are copied there and back, each piece of memory once. `_on_opencl` and `_on_cuda` are the libraries.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl.cl import _tree as tree, _types as types
from halfcl.cl._arguments import LocalMemory, bind, check_device_array
from halfcl.cl._contraction import Contract
from halfcl.cl._kernel import Kernel
from halfcl.cl._launching import Grid
from halfcl.cl._modes import modes_of
from halfcl.cl._sizes import Sizes, grid, sub_group
from halfcl.cl._source import Source
from halfcl.cl._translation import needs_one_team, uses_teams
from halfcl.cl._translation.target import Fusing
from halfcl.typing import RoundingMode


class OnDevice(ABC):
    """A program on a device: a text for each mode that launches begin with, built when asked
    for."""

    #: Of messages: where an array of the device's should be.
    place: ClassVar[str]
    #: Whether kernels with sub-groups take more than their own parameters.
    gives_teams: ClassVar[bool] = True

    def __init__(self, source: Source, contract: Contract) -> None:
        if contract == "both":
            raise ValueError(
                "Program: argument contract: expected never or always on a device, got 'both'"
            )
        self._source, self._contract = source, contract
        self._built: dict[str, Any] = {}  # by text
        self._texts: dict[RoundingMode, str] = {}
        self.lock = threading.Lock()

    def text(self, mode: RoundingMode) -> str:
        """The translation, for launches in a mode."""
        if mode not in self._texts:
            self._texts[mode] = self._translated(self._contract, mode)
        return self._texts[mode]

    def built(self, mode: RoundingMode) -> Any:
        """What the device's compiler made of it."""
        text = self.text(mode)
        if text not in self._built:
            self._built[text] = self._build(text)
        return self._built[text]

    @abstractmethod
    def _translated(self, contract: Fusing, mode: RoundingMode) -> str: ...

    @abstractmethod
    def _build(self, text: str) -> Any:
        """BuildError if the device's compiler does not take it."""

    # ------------------------------------------------------------ arguments

    @abstractmethod
    def is_array(self, value: object) -> bool:
        """Whether it is an array of the device's library."""

    @abstractmethod
    def is_here(self, array: Any) -> bool:
        """Whether kernels can reach it."""

    @abstractmethod
    def argument(self, array: Any) -> object:
        """Such an array as a kernel takes it."""

    @abstractmethod
    def copied(self, data: NDArray[np.uint8]) -> object:
        """A buffer there, as a kernel takes it."""

    @abstractmethod
    def copy_back(self, data: NDArray[np.uint8], held: object) -> None: ...

    @abstractmethod
    def local(self, nbytes: int) -> object:
        """Local memory, as a kernel takes it."""

    @abstractmethod
    def null(self, type_: types.Pointer) -> object:
        """A null pointer."""

    @abstractmethod
    def number(self, type_: types.Type, bound: object) -> object:
        """A value that `bind` made, as a kernel takes it."""

    # ------------------------------------------------------------ launches

    @abstractmethod
    def launch(
        self, kernel: DeviceKernel, mode: RoundingMode, sizes: Grid, is_free: bool,
        arguments: Sequence[object], arrays: Sequence[Any],
    ) -> object:  # fmt: skip
        """What tells that it is done.

        is_free: whether the device may choose the groups' size; arrays: the device's own, which
        kernels before this one may not have finished.
        """

    @abstractmethod
    def note(self, event: Any, arrays: Sequence[Any]) -> None:
        """Of the device's arrays, which a launch has been given."""

    @abstractmethod
    def wait(self, event: Any) -> None: ...


class DeviceKernel(Kernel):
    """A kernel of a program on a device: called as `Kernel` is."""

    def __init__(self, program: Any, function: tree.Function, device: OnDevice) -> None:
        super().__init__(program, function)
        self._device = device
        self._has_teams = device.gives_teams and uses_teams(function)
        self._is_one_team = self._has_teams and needs_one_team(function)

    def __call__(
        self,
        global_size: Sizes,
        local_size: Sizes | None,
        *args: object,
        rounding: RoundingMode | ArrayLike | None = None,
        offset: Sizes | None = None,
        seconds: float | None = None,
        check: bool = False,
        progress: Callable[[int, int], object] | None = None,
        sub_group_size: int | None = None,
    ) -> None:
        function = self._function
        team = sub_group(self.name, function.sub_group_size, sub_group_size)
        sizes = grid(self.name, function.required_size, global_size, local_size, offset, team)
        mode = self._mode(rounding, sizes)
        for name, value in (("seconds", seconds), ("progress", progress)):
            if value is not None:
                raise ValueError(f"{self.name}: argument {name}: expected None on a device")
        if check:
            raise ValueError(f"{self.name}: argument check: expected False on a device")
        bound = _bound(self.name, function.parameters, args, self._device)
        launch = _Launch(self._device, function.parameters, args, bound, self.name)
        arguments = [*launch.arguments, *self._for_teams(sizes)]
        is_free = local_size is None and not (function.required_size or self._by_groups)
        with self._device.lock:
            event = self._device.launch(self, mode, sizes, is_free, arguments, launch.arrays)
        launch.finish(event)

    def _for_teams(self, sizes: Grid) -> list[object]:
        """What a translation with sub-groups takes besides: see `_translation.teams`."""
        if not self._has_teams:
            return []
        items = math.prod(sizes.local_sizes)
        if self._is_one_team and items > sizes.sub_group_size:
            raise ValueError(
                f"{self.name}: argument local_size: expected at most a sub-group of "
                f"{sizes.sub_group_size} work-items on a device, where sub-groups call functions "
                f"that other ones of their work-group may not call, got {sizes.local_sizes}"
            )
        return [self._device.local(8 * items), np.uint32(sizes.sub_group_size)]

    def _mode(self, rounding: object, sizes: Grid) -> RoundingMode:
        mode = modes_of(self.name, rounding, sizes)
        if isinstance(mode, str):
            return mode
        kinds: set[RoundingMode] = set() if mode is None else set(mode.flat)
        if len(kinds) != 1:
            raise ValueError(
                f"{self.name}: argument rounding: expected one mode for all work-groups on a device"
            )
        return kinds.pop()


def _bound(
    kernel: str, parameters: Sequence[tree.Declaration], args: Sequence[object], device: OnDevice
) -> list[object]:
    """As for a launch here; arrays of the device are looked at as far as they tell."""
    stand_ins = list(args)
    for i, (parameter, value) in enumerate(zip(parameters, args, strict=False)):
        if isinstance(parameter.type, types.Opaque):
            raise ValueError(
                f"{kernel}: argument {i + 1} ({parameter.name}): {parameter.type} is not for "
                "devices yet"
            )
        if device.is_array(value) and isinstance(parameter.type, types.Pointer):
            where = f"{kernel}: argument {i + 1} ({parameter.name})"
            if not device.is_here(value):
                raise ValueError(f"{where}: expected an array {device.place}")
            check_device_array(where, parameter, value)
            stand_ins[i] = None
    return list(bind(kernel, parameters, stand_ins))


class _Launch:
    """What a kernel is called with, and what is to come back."""

    def __init__(
        self, device: OnDevice, parameters: Sequence[tree.Declaration], args: Sequence[object],
        bound: Sequence[object], name: str,
    ) -> None:  # fmt: skip
        self._device, self._name = device, name
        self._held: list[tuple[NDArray[np.uint8], object, bool]] = []  # bytes, buffer, is written
        self.arrays: list[Any] = []
        given = zip(parameters, args, bound, strict=True)
        self.arguments = [self._argument(*each) for each in given]

    def _argument(self, parameter: tree.Declaration, value: Any, bound: object) -> object:
        type_ = parameter.type
        if not isinstance(type_, types.Pointer):
            return self._device.number(type_, bound)
        if value is None:
            return self._device.null(type_)
        if isinstance(value, LocalMemory):
            return self._device.local(value.nbytes)
        if self._device.is_array(value):
            self.arrays.append(value)
            return self._device.argument(value)
        is_written = not type_.is_const and type_.space == "global"
        data = value.view(np.ndarray).reshape(-1).view(np.uint8)
        return self._buffer(parameter, data, is_written)

    def _buffer(
        self, parameter: tree.Declaration, data: NDArray[np.uint8], is_written: bool
    ) -> object:
        """One for each piece of memory: arrays may be one, but not overlap otherwise."""
        for k, (other, held, written) in enumerate(self._held):
            if not np.may_share_memory(data, other):
                continue
            if (data.ctypes.data, data.size) == (other.ctypes.data, other.size):
                self._held[k] = other, held, written or is_written
                return held
            if written or is_written:
                raise ValueError(
                    f"{self._name}: argument {parameter.name}: expected memory of its own on a "
                    "device, got an array that overlaps another argument's"
                )
        held = self._device.copied(data)
        self._held.append((data, held, is_written))
        return held

    def finish(self, event: object) -> None:
        """NumPy's arrays hold the results then; of the device's own the library knows when."""
        self._device.note(event, self.arrays)
        for data, held, is_written in self._held:
            if is_written and data.size:
                self._device.copy_back(data, held)
        if self._held or not self.arrays:
            self._device.wait(event)


def value_bytes(type_: types.Type, bound: Any) -> NDArray[Any]:
    """A number, a vector or a struct that `bind` made, as it lies in memory: an array of one."""
    if isinstance(type_, types.Record):
        data = np.ascontiguousarray(bound).reshape(-1)
    else:
        assert isinstance(type_, types.Scalar | types.Vector)
        data = np.zeros(type_.size // type_.element.size, type_.dtype)
        parts = np.reshape(bound, -1)
        data[: type_.width] = parts[: type_.width]
    return data.view(np.uint8).view(f"V{data.nbytes}")
