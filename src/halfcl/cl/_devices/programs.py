"""Programs that run on a device: translated, built by its compiler, and launched.

This module has what all devices share: a launch's arguments are checked as on the host, and NumPy's
arrays are copied there and back, each piece of memory once. `opencl` and `cuda` use the libraries.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

import halfcl as hc
from halfcl.cl._devices.images import DeviceImage, Images, Use, check_constants, check_sampler
from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.errors import LaunchError
from halfcl.cl._frontend.literals.samplers import sampler_of
from halfcl.cl._frontend.source import Source
from halfcl.cl._interpreter.contraction import Contract
from halfcl.cl._interpreter.kernel import Kernel
from halfcl.cl._interpreter.launching.arguments import (
    LocalMemory,
    bind,
    bind_one,
    check_device_array,
)
from halfcl.cl._interpreter.launching.launch import Grid
from halfcl.cl._interpreter.launching.sizes import (
    Sizes,
    make_grid,
    resolve_modes,
    resolve_sub_group_size,
)
from halfcl.cl._translation import (
    FloatFunctions,
    Translation,
    check_float_functions,
    needs_one_sub_group,
    needs_row,
    uses_of_images,
    uses_sub_groups,
)
from halfcl.cl._translation.target import Fusing
from halfcl.typing import RoundingMode

#: The most launch signatures, and the most numbers, that a kernel caches.
_CACHE_SIZE = 256


class OnDevice(ABC):
    """A program on a device, with a text per default mode, built on first use."""

    #: Where an array of the device must lie, for messages.
    place: ClassVar[str]
    #: Whether kernels with sub-groups have additional parameters.
    adds_sub_group_parameters: ClassVar[bool] = True
    #: The device's images, if it has any.
    images: Images | None = None

    def __init__(
        self, source: Source, contract: Contract, float_functions: FloatFunctions = "exact"
    ) -> None:
        if contract == "both":
            raise ValueError(
                "Program: argument contract: expected never or always on a device, got 'both'"
            )
        check_float_functions("Program", float_functions)
        self._source, self._contract = source, contract
        self._float_functions = float_functions
        self._built: dict[str, Any] = {}  # by text
        self._translations: dict[RoundingMode, Translation] = {}
        self.lock = threading.Lock()

    def translation(self, mode: RoundingMode) -> Translation:
        """Return the translation for launches in a mode."""
        if mode not in self._translations:
            self._translations[mode] = self._translate(self._contract, mode)
        return self._translations[mode]

    def executable(self, mode: RoundingMode) -> Any:
        """Return the program that the device's compiler built for a mode."""
        text = self.translation(mode).text
        if text not in self._built:
            self._built[text] = self._build(text)
        return self._built[text]

    @abstractmethod
    def _translate(self, contract: Fusing, mode: RoundingMode) -> Translation: ...

    @abstractmethod
    def _build(self, text: str) -> Any:
        """Build a text; raise BuildError if the device's compiler rejects it."""

    # ------------------------------------------------------------ arguments

    @abstractmethod
    def is_array(self, value: object) -> bool:
        """Return whether it is an array of the device's library."""

    @abstractmethod
    def is_reachable(self, array: Any) -> bool:
        """Return whether kernels can access an array."""

    @abstractmethod
    def signature(self, array: Any) -> Hashable:
        """Return a key that is equal for arrays that are equally valid, wherever they begin."""

    @abstractmethod
    def argument(self, array: Any) -> object:
        """Return such an array as a kernel argument."""

    @abstractmethod
    def copy_to_device(self, data: NDArray[np.uint8]) -> object:
        """Copy bytes to a buffer on the device, and return it as a kernel argument."""

    @abstractmethod
    def copy_back(self, data: NDArray[np.uint8], held: object) -> None: ...

    @abstractmethod
    def local(self, nbytes: int) -> object:
        """Return local memory as a kernel argument."""

    @abstractmethod
    def null(self, type_: types.Pointer) -> object:
        """Return a null pointer as a kernel argument."""

    @abstractmethod
    def number(self, type_: types.Type, bound: object) -> object:
        """Return a value that `bind` made as a kernel argument."""

    # ------------------------------------------------------------ launches

    @abstractmethod
    def launch(
        self, kernel: DeviceKernel, mode: RoundingMode, sizes: Grid, is_free: bool,
        arguments: Sequence[object], arrays: Sequence[Any],
    ) -> object:  # fmt: skip
        """Launch a kernel; return an event.

        is_free: whether the device may choose the group size; arrays: the device's own arrays,
        which earlier kernels may still be using.
        """

    @abstractmethod
    def wait(self, event: Any) -> None: ...


class DeviceKernel(Kernel):
    """A kernel of a program on a device; called like `Kernel`."""

    def __init__(self, program: Any, function: tree.Function, device: OnDevice) -> None:
        super().__init__(program, function)
        self._device = device
        self._has_sub_groups = device.adds_sub_group_parameters and uses_sub_groups(function)
        self._needs_one_sub_group = self._has_sub_groups and needs_one_sub_group(function)
        self._needs_row = self._needs_one_sub_group and needs_row(function)
        self.uses_of_images = uses_of_images(function)
        self._known_grids: dict[Hashable, Grid] = {}  # by signature of valid launches
        self._numbers: dict[Hashable, object] = {}

    def __call__(
        self,
        global_size: Sizes,
        local_size: Sizes | None = None,
        *args: object,
        rounding: RoundingMode | ArrayLike | None = None,
        offset: Sizes | None = None,
        timeout: float | None = None,
        check: bool = False,
        progress: Callable[[int, int], object] | None = None,
        sub_group_size: int | None = None,
    ) -> None:
        for name, value in (("timeout", timeout), ("progress", progress)):
            if value is not None:
                raise ValueError(
                    f"{self.name}: argument {name}: expected None on a device, got {value!r}"
                )
        if check:
            raise ValueError(
                f"{self.name}: argument check: expected False on a device, got {check!r}"
            )
        signature = self._signature((global_size, local_size, offset, sub_group_size), args)
        sizes_known = None if signature is None else self._known_grids.get(signature)
        if sizes_known is not None:
            self._launch(
                sizes_known, rounding, local_size, self._fast_arguments(args), self._arrays(args)
            )
            return
        sizes = self._grid(global_size, local_size, offset, sub_group_size)
        self._mode(rounding, sizes)
        bound = _bind_host_arguments(self.name, self._function.parameters, args, self._device)
        launch = _Launch(self, self._device, args, bound)
        event = self._launch(sizes, rounding, local_size, launch.arguments, launch.arrays)
        launch.finish(event)
        if signature is not None and len(self._known_grids) < _CACHE_SIZE:
            self._known_grids[signature] = sizes

    def _launch(
        self, sizes: Grid, rounding: object, local_size: Sizes | None,
        arguments: Sequence[object], arrays: Sequence[Any],
    ) -> object:  # fmt: skip
        mode = self._mode(rounding, sizes)
        is_free = local_size is None and not (self._function.required_size or self._by_groups)
        all_arguments = [*arguments, *self._sub_group_arguments(sizes)]
        with self._device.lock:
            return self._device.launch(self, mode, sizes, is_free, all_arguments, arrays)

    def _grid(
        self, global_size: Sizes, local_size: Sizes | None, offset: Sizes | None,
        sub_group_size: int | None,
    ) -> Grid:  # fmt: skip
        function = self._function
        size = resolve_sub_group_size(self.name, function.sub_group_size, sub_group_size)
        return make_grid(self.name, function.required_size, global_size, local_size, offset, size)

    def _signature(self, sizes: Sequence[object], args: Sequence[object]) -> Hashable:
        """Return a key that is equal for launches that are equally valid, whatever their numbers.

        Return None for launches with other arguments than the device's arrays and numbers.
        """
        key: list[Hashable] = list(sizes)
        if not all(map(_is_plain, key)):
            return None
        for value in args:
            if self._device.is_array(value):
                key.append(self._device.signature(value))
            elif isinstance(value, int | float | np.number):
                key.append(None)
            else:
                return None
        return tuple(key) if self._arrays(args) else None

    def _arrays(self, args: Sequence[object]) -> list[Any]:
        return [value for value in args if self._device.is_array(value)]

    def _fast_arguments(self, args: Sequence[object]) -> list[object]:
        """Return the kernel arguments of a launch that is known to be valid."""
        return [
            self._device.argument(value) if self._device.is_array(value) else self._number(i, value)
            for i, value in enumerate(args)
        ]

    def _number(self, i: int, value: Any) -> object:
        """Return a number as a kernel argument, cached by its bits, since -0.0 is not 0.0."""
        bits = value.tobytes() if isinstance(value, np.generic) else value
        key = i, type(value), value.hex() if isinstance(bits, float) else bits
        argument = self._numbers.get(key)
        if argument is None:
            parameter = self._function.parameters[i]
            bound = bind_one(self.name, i + 1, parameter, value)
            argument = self._device.number(parameter.type, bound)
            if len(self._numbers) >= _CACHE_SIZE:
                self._numbers.clear()
            self._numbers[key] = argument
        return argument

    def error_at(self, call: tree.Node, error: Exception) -> LaunchError:
        """Return an error at a call, worded as by a launch on the host."""
        place = self._program._text.place_of(call.at)
        return LaunchError(f"{place}: kernel {self.name}: {error}")

    def _sub_group_arguments(self, sizes: Grid) -> list[object]:
        """Return the additional arguments of a kernel with sub-groups.

        See `_translation.sub_groups`.
        """
        if not self._has_sub_groups:
            return []
        items = math.prod(sizes.local_sizes)
        if self._needs_one_sub_group and items > sizes.sub_group_size:
            raise ValueError(
                f"{self.name}: argument local_size: expected at most a sub-group of "
                f"{sizes.sub_group_size} work-items on a device, where sub-groups call functions "
                f"that other ones of their work-group may not call, got {sizes.local_sizes}"
            )
        if self._needs_row and items != sizes.local_sizes[0]:
            raise ValueError(
                f"{self.name}: argument local_size: expected work-groups along x on a device, "
                "where some of their work-items may call functions of sub-groups without others, "
                f"got {sizes.local_sizes}"
            )
        return [self._device.local(8 * items), np.uint32(sizes.sub_group_size)]

    def _mode(self, rounding: object, sizes: Grid) -> RoundingMode:
        mode = resolve_modes(self.name, rounding, sizes)
        if isinstance(mode, str):
            return mode
        modes: set[RoundingMode] = set() if mode is None else set(mode.flat)
        if len(modes) != 1:
            raise ValueError(
                f"{self.name}: argument rounding: expected one mode for all work-groups on a "
                f"device, got {len(modes)}"
            )
        return modes.pop()


def _is_plain(size: object) -> bool:
    """Return whether equal sizes are always equally valid."""
    if type(size) is tuple:
        return all(type(n) is int for n in size)
    return size is None or type(size) is int


def _bind_host_arguments(
    kernel: str, parameters: Sequence[tree.Declaration], args: Sequence[object], device: OnDevice
) -> list[object]:
    """Check arguments as for a launch on the host; those of the device as far as possible."""
    stand_ins = list(args)
    for i, (parameter, value) in enumerate(zip(parameters, args, strict=False)):
        if device.is_array(value) and isinstance(parameter.type, types.Pointer):
            where = f"{kernel}: argument {i + 1} ({parameter.name})"
            if not device.is_reachable(value):
                raise ValueError(f"{where}: expected an array {device.place}")
            check_device_array(where, parameter, value)
            stand_ins[i] = None
    return list(bind(kernel, parameters, stand_ins))


class _Launch:
    """The arguments of a launch, and the results to copy back."""

    def __init__(
        self, kernel: DeviceKernel, device: OnDevice, args: Sequence[object],
        bound: Sequence[object],
    ) -> None:  # fmt: skip
        self._kernel, self._device, self._name = kernel, device, kernel.name
        self._held: list[tuple[NDArray[np.uint8], object, bool]] = []  # bytes, buffer, is written
        self.arrays: list[Any] = []
        self._images: list[tuple[DeviceImage, bool]] = []  # with whether it is written
        uses = kernel.uses_of_images
        check_constants(uses, kernel.error_at)
        arguments_given = [value for value in args if isinstance(value, hc.Sampler)]
        self._samplers = [*map(sampler_of, uses.of_constants), *arguments_given]
        parameters = zip(kernel._function.parameters, args, bound, strict=True)
        self.arguments = [self._argument(i, *each) for i, each in enumerate(parameters, 1)]

    def _argument(
        self, number: int, parameter: tree.Declaration, value: Any, bound: object
    ) -> object:
        type_ = parameter.type
        if isinstance(type_, types.Opaque):
            return self._opaque(
                f"{self._name}: argument {number} ({parameter.name})", parameter, value
            )
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

    def _opaque(self, where: str, parameter: tree.Declaration, value: Any) -> object:
        """Return an image or a sampler, if the device treats it as the host does."""
        images, uses = self._device.images, self._kernel.uses_of_images
        if images is None:
            raise ValueError(f"{where}: expected a device with images, got one without")
        if isinstance(value, hc.Sampler):
            calls = uses.of_samplers.get(parameter.name, ())
            check_sampler(value, calls, self._kernel.error_at)
            return images.sampler(value)
        use = Use(
            where, parameter.access, uses.of_images.get(parameter.name, ()), self._kernel.error_at,
            self._samplers,
        )  # fmt: skip
        is_written = parameter.access != "read_only"
        for k, (carried, written) in enumerate(self._images):
            if _are_identical(carried.image, value) and images.can_reuse(carried, use):
                self._images[k] = carried, written or is_written
                return carried.argument
            self._check_apart(where, value.array, carried.image.array, written or is_written)
        for data, _, written in self._held:
            self._check_apart(where, value.array, data, written or is_written)
        device_image = images.create_image(value, use)
        self._images.append((device_image, is_written))
        return device_image.argument

    def _check_apart(
        self, where: str, data: NDArray[Any], other: NDArray[Any], is_written: bool
    ) -> None:
        if is_written and np.may_share_memory(data, other):
            raise ValueError(
                f"{where}: expected memory of its own on a device, got an array that overlaps "
                "another argument's"
            )

    def _buffer(
        self, parameter: tree.Declaration, data: NDArray[np.uint8], is_written: bool
    ) -> object:
        """Copy an array to a buffer; an array is copied once, and overlapping ones are refused."""
        where = f"{self._name}: argument {parameter.name}"
        for carried, written in self._images:
            self._check_apart(where, data, carried.image.array, written or is_written)
        for k, (other, held, written) in enumerate(self._held):
            if (data.ctypes.data, data.size) == (other.ctypes.data, other.size):
                self._held[k] = other, held, written or is_written
                return held
            self._check_apart(where, data, other, written or is_written)
        held = self._device.copy_to_device(data)
        self._held.append((data, held, is_written))
        return held

    def finish(self, event: object) -> None:
        """Copy results back to NumPy's arrays; do not wait if all arrays are the device's own."""
        for data, held, is_written in self._held:
            if is_written and data.size:
                self._device.copy_back(data, held)
        for carried, is_written in self._images:
            if is_written:
                carried.copy_to_host()
        if self._held or self._images or not self.arrays:
            self._device.wait(event)


def _are_identical(a: hc.Image, b: hc.Image) -> bool:
    """Return whether two images have the same texels in the same order."""
    return (a.format, a.image_type, a.array.shape, a.array.strides, a.array.ctypes.data) == (
        b.format, b.image_type, b.array.shape, b.array.strides, b.array.ctypes.data,
    )  # fmt: skip


def value_bytes(type_: types.Type, bound: Any) -> NDArray[Any]:
    """Return a value that `bind` made as its bytes in memory: an array of one element."""
    if isinstance(type_, types.Record):
        data = np.ascontiguousarray(bound).reshape(-1)
    else:
        assert isinstance(type_, types.Scalar | types.Vector)
        data = np.zeros(type_.size // type_.element.size, type_.dtype)
        parts = np.reshape(bound, -1)
        data[: type_.width] = parts[: type_.width]
    return data.view(np.uint8).view(f"V{data.nbytes}")
