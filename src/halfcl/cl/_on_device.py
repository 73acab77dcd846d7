"""Programs that run on an OpenCL device, through pyopencl: translated, built and launched."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._support.extras import require
from halfcl.cl import _tree as tree, _types as types
from halfcl.cl._arguments import LocalMemory, bind, check_device_array
from halfcl.cl._contraction import Contract
from halfcl.cl._errors import BuildError, Diagnostic
from halfcl.cl._kernel import Kernel
from halfcl.cl._launching import Grid
from halfcl.cl._modes import modes_of
from halfcl.cl._native import division, native
from halfcl.cl._sizes import Sizes, grid, sub_group
from halfcl.cl._source import Source
from halfcl.cl._translation import NEEDS, translated
from halfcl.device._libraries import untranslated
from halfcl.device._on_opencl import build_options
from halfcl.device._probing import DeviceError
from halfcl.typing import RoundingMode

#: Of CL_DEVICE_SINGLE_FP_CONFIG.
_SUBNORMAL = 1 << 0

#: Tells halfcl.device's functions that division and roots of float are right.
_NATIVE_DIVISION = "-DHC_NATIVE_DIVISION"


class OnDevice:
    """A program on a device: a text for each mode that launches begin with, built when asked for.

    fp16: whether halves are the device's; None: if it has them.
    """

    def __init__(
        self, source: Source, contract: Contract, queue: Any, fp16: bool | None = None
    ) -> None:
        self.library = require("pyopencl", "pyopencl", "opencl", "to run kernels on a device")
        if not isinstance(queue, self.library.CommandQueue):
            raise TypeError(
                "Program: argument device: expected a pyopencl.CommandQueue, got "
                f"{type(queue).__name__}"
            )
        if contract == "both":
            raise ValueError(
                "Program: argument contract: expected never or always on a device, got 'both'"
            )
        self._source, self._contract, self.queue = source, contract, queue
        if not (fp16 is None or isinstance(fp16, bool)):
            raise TypeError(f"Program: argument fp16: expected True, False or None, got {fp16!r}")
        has_half = "cl_khr_fp16" in queue.device.extensions.split()
        self._fp16 = has_half if fp16 is None else fp16
        is_cpu = bool(queue.device.type & self.library.device_type.CPU)
        self._is_intel = is_cpu and "Intel" in queue.device.platform.name
        self._built: dict[str, Any] = {}  # by text
        self._kernels: dict[tuple[str, RoundingMode], Any] = {}
        self._texts: dict[RoundingMode, str] = {}
        self.lock = threading.Lock()
        self._division = division(self.library, queue)
        try:
            self._options = build_options(self.library, queue.context, queue.device)
        except DeviceError as error:
            raise BuildError([Diagnostic(None, "error", str(error))]) from None
        if self._division is not None and _NATIVE_DIVISION not in self._options:
            self._options += [*self._division, _NATIVE_DIVISION]
        self._native = native(self.library, queue, self._build) if self._fp16 else frozenset()
        self.text("rte")

    def text(self, mode: RoundingMode) -> str:
        """The translation, for launches in a mode."""
        if mode not in self._texts:
            self._texts[mode] = translated(
                self._source, self._fp16, self._contract, mode, self._native, self._is_intel
            )
        return self._texts[mode]

    def kernel(self, name: str, mode: RoundingMode) -> Any:
        if (name, mode) not in self._kernels:
            text = self.text(mode)
            if text not in self._built:
                self._built[text] = self._build(text)
            self._kernels[name, mode] = self.library.Kernel(self._built[text], name)
        return self._kernels[name, mode]

    def _check_needs(self, text: str) -> None:
        """BuildError if the device lacks what a text needs."""
        device = self.queue.device
        has = {
            "double": bool(device.double_fp_config),
            "division": self._division is not None,
            "subnormal": bool(device.single_fp_config & _SUBNORMAL),
        }
        lacking = [NEEDS[need] for need, there in has.items() if not there]
        for what in lacking:
            if f"/* It needs of the device: {what}. */" in text:
                message = f"{device.name.strip()} lacks what the program needs: {what}"
                raise BuildError([Diagnostic(None, "error", message)])

    def source(self, mode: RoundingMode) -> tuple[str, list[str]]:
        """The text for launches in a mode, and the options that it is built with."""
        text = self.text(mode)
        self._check_needs(text)
        return text, self._build_options()

    def _build_options(self) -> list[str]:
        options = [f"-cl-std={self._source.options.standard}"]
        if self._source.options.single_precision_constants:
            options.append("-cl-single-precision-constant")
        return options + self._options

    def _build(self, text: str) -> Any:
        self._check_needs(text)
        return self._compiled(text, self._build_options())

    def _compiled(self, text: str, options: Sequence[str]) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyopencl's, of what a compiler remarks
            try:
                program = untranslated(self.library)(self.queue.context, text)
                return program.build(options=list(options), devices=[self.queue.device])
            except self.library.Error as error:
                message = f"the device's compiler: {error}"
                raise BuildError([Diagnostic(None, "error", message)]) from None


class DeviceKernel(Kernel):
    """A kernel of a program on a device: called as `Kernel` is."""

    def __init__(self, program: Any, function: tree.Function, device: OnDevice) -> None:
        super().__init__(program, function)
        self._device = device

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
        team = sub_group(self.name, function.sub_group_size, None)
        sizes = grid(self.name, function.required_size, global_size, local_size, offset, team)
        mode = self._mode(rounding, sizes)
        unknown = ("seconds", seconds), ("progress", progress), ("sub_group_size", sub_group_size)
        for name, value in unknown:
            if value is not None:
                raise ValueError(f"{self.name}: argument {name}: expected None on a device")
        if check:
            raise ValueError(f"{self.name}: argument check: expected False on a device")
        bound = _bound(self.name, function.parameters, args, self._device)
        launch = _Launch(self._device, function.parameters, args, bound, self.name)
        is_free = local_size is None and not (function.required_size or self._by_groups)
        with self._device.lock:
            kernel = self._device.kernel(self.name, mode)
            event = kernel(
                self._device.queue, sizes.global_sizes, None if is_free else sizes.local_sizes,
                *launch.arguments, global_offset=sizes.offsets, wait_for=launch.waits_for,
            )  # fmt: skip
        launch.finish(event)

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
) -> list[Any]:
    """As for a launch here; arrays of the device are looked at as far as they tell."""
    array = import_module("pyopencl.array").Array
    stand_ins = list(args)
    for i, (parameter, value) in enumerate(zip(parameters, args, strict=False)):
        if isinstance(parameter.type, types.Opaque):
            raise ValueError(
                f"{kernel}: argument {i + 1} ({parameter.name}): {parameter.type} is not for "
                "devices yet"
            )
        if isinstance(value, array) and isinstance(parameter.type, types.Pointer):
            where = f"{kernel}: argument {i + 1} ({parameter.name})"
            if value.context != device.queue.context:
                raise ValueError(f"{where}: expected an array in the queue's context")
            check_device_array(where, parameter, value)
            stand_ins[i] = None
    return list(bind(kernel, parameters, stand_ins))


class _Launch:
    """What a kernel is called with, and what is to come back."""

    def __init__(
        self, device: OnDevice, parameters: Sequence[tree.Declaration], args: Sequence[object],
        bound: Sequence[Any], name: str,
    ) -> None:  # fmt: skip
        self._device, self._name = device, name
        self._held: list[tuple[NDArray[np.uint8], Any, bool]] = []  # bytes, buffer, is written
        self._arrays: list[Any] = []
        given = zip(parameters, args, bound, strict=True)
        self.arguments = [self._argument(*each) for each in given]
        self.waits_for = [event for array in self._arrays for event in array.events]

    def _argument(self, parameter: tree.Declaration, value: Any, bound: Any) -> Any:
        type_ = parameter.type
        if not isinstance(type_, types.Pointer):
            return _number(type_, bound)
        if value is None:
            return None
        if isinstance(value, LocalMemory):
            return self._device.library.LocalMemory(value.nbytes)
        if not isinstance(value, np.ndarray):
            self._arrays.append(value)
            return value.data
        is_written = not type_.is_const and type_.space == "global"
        data = value.view(np.ndarray).reshape(-1).view(np.uint8)
        return self._buffer(parameter, data, is_written)

    def _buffer(
        self, parameter: tree.Declaration, data: NDArray[np.uint8], is_written: bool
    ) -> Any:
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
        cl = self._device.library
        flags = cl.mem_flags.READ_WRITE
        if data.size:
            flags |= cl.mem_flags.COPY_HOST_PTR
            held = cl.Buffer(self._device.queue.context, flags, hostbuf=data)
        else:
            held = cl.Buffer(self._device.queue.context, flags, 1)
        self._held.append((data, held, is_written))
        return held

    def finish(self, event: Any) -> None:
        """NumPy's arrays hold the results then; of the device's own the queue knows when."""
        for array in self._arrays:
            array.add_event(event)
        for data, held, is_written in self._held:
            if is_written and data.size:
                self._device.library.enqueue_copy(self._device.queue, data, held)
        if self._held or not self._arrays:
            event.wait()


def _number(type_: types.Type, bound: Any) -> Any:
    """A value that `bind` made, as the device takes it: bytes of vectors and structs."""
    if isinstance(type_, types.Record):
        return np.ascontiguousarray(bound).reshape(-1)
    assert isinstance(type_, types.Scalar | types.Vector)
    if isinstance(type_, types.Vector):
        parts = np.zeros(type_.size // type_.element.size, type_.dtype)
        parts[: type_.width] = np.reshape(bound, -1)
        return parts.view(np.uint8)
    number = np.zeros(1, type_.dtype)
    number[0] = np.reshape(bound, -1)[0]
    return number.view(np.dtype(f"u{type_.size}"))[0]
