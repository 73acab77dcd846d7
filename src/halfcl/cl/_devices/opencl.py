"""Programs on OpenCL devices, through pyopencl."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from halfcl._support.extras import require
from halfcl.cl._devices.native import find_division_options, find_native_operations
from halfcl.cl._devices.opencl_images import DeviceImages
from halfcl.cl._devices.programs import DeviceKernel, OnDevice, value_bytes
from halfcl.cl._frontend import types
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.source import Source
from halfcl.cl._interpreter.contraction import Contract
from halfcl.cl._interpreter.launching.launch import Grid
from halfcl.cl._translation import (
    FloatFunctions,
    Translation,
    computes_samplers,
    most_items_of,
    translate_parsed,
)
from halfcl.cl._translation.target import Fusing, missing_needs
from halfcl.device._backends.libraries import Event, OpenCLArray, Program, original_program
from halfcl.device._backends.on_opencl import build_options, record
from halfcl.device._backends.probing import DeviceError
from halfcl.typing import RoundingMode

#: A bit of CL_DEVICE_SINGLE_FP_CONFIG.
_SUBNORMAL = 1 << 0

#: Defined for halves as bits if sums, differences and products are the device's.
_NATIVE_ARITHMETIC = "-DHC_NATIVE_ARITHMETIC"

#: Defined if division and square roots of float are right, for halfcl.device's functions.
_NATIVE_DIVISION = "-DHC_NATIVE_DIVISION"


def has_own_halves(extensions: str) -> bool:
    """Return whether a device's own compiler has halves, by its extensions.

    OpenCL's layer adds rounding modes to all devices, and halves to those without. It passes
    halfcl's own texts to the driver as they are.
    """
    names = extensions.split()
    return "cl_khr_fp16" in names and "cl_khr_select_fprounding_mode" not in names


class OnOpenCL(OnDevice):
    """A program on the device of a queue.

    fp16: whether to use the device's halves; None: if it has any.
    """

    place = "in the queue's context"
    #: Whether kernels take samplers as numbers where the text samples itself.
    passes_samplers_as_numbers: ClassVar[bool] = True
    #: Whether launches probe the formats of images, and replace those that the device has wrong.
    checks_formats: ClassVar[bool] = True

    def __init__(
        self, source: Source, contract: Contract, queue: object, fp16: bool | None = None,
        float_functions: FloatFunctions = "exact",
    ) -> None:  # fmt: skip
        self.library = require("pyopencl", "pyopencl", "opencl", "to run kernels on a device")
        if not isinstance(queue, self.library.CommandQueue):
            raise TypeError(
                "Program: argument device: expected a pyopencl.CommandQueue, a cupy.cuda.Device or "
                f"cupy.cuda.Stream, or 'cuda', got {type(queue).__name__}"
            )
        super().__init__(source, contract, float_functions)
        self.queue = queue
        self._kernels: dict[tuple[str, RoundingMode], Any] = {}
        self._array = import_module("pyopencl.array").Array
        if not (fp16 is None or isinstance(fp16, bool)):
            raise TypeError(f"Program: argument fp16: expected True, False or None, got {fp16!r}")
        self._fp16 = has_own_halves(queue.device.extensions) if fp16 is None else fp16
        is_cpu = bool(queue.device.type & self.library.device_type.CPU)
        self._is_cpu = is_cpu
        self._is_intel = is_cpu and "Intel" in queue.device.platform.name
        self._division = find_division_options(self.library, queue)
        try:
            self._options = build_options(self.library, queue.context, queue.device)
        except DeviceError as error:
            raise BuildError([Diagnostic(None, "error", str(error))]) from None
        if self._division is not None and _NATIVE_DIVISION not in self._options:
            self._options += [*self._division, _NATIVE_DIVISION]
        has_halves = self._fp16 or "-DHC_NATIVE_CONVERSION" in self._options
        native = frozenset[str]()
        if has_halves:
            native = find_native_operations(self.library, queue, self._build)
        if not self._fp16 and native >= {"add", "subtract", "multiply"}:
            self._options.append(_NATIVE_ARITHMETIC)
        self._native = native if self._fp16 else frozenset()
        if queue.device.image_support:
            has_samplers = self.passes_samplers_as_numbers and computes_samplers(source.tree)
            self.images = DeviceImages(
                self.library, queue, lambda text: self._compile(text, ()), has_samplers
            )
        self.translation("rte")

    def _translate(self, contract: Fusing, mode: RoundingMode) -> Translation:
        return translate_parsed(
            self._source, self._fp16, contract, mode, self._native, self._is_intel,
            self.passes_samplers_as_numbers, self._float_functions,
            most_items=0 if self.adds_sub_group_parameters else self._most_items(),
            decodes_colors=not self.checks_formats,
            is_cpu=self._is_cpu,
        )  # fmt: skip

    def _most_items(self) -> int:
        """Return how many work-items a work-group may have, with 8 bytes of local memory each."""
        device = self.queue.device
        return most_items_of(device.max_work_group_size, device.local_mem_size)

    def _check_needs(self, text: str) -> None:
        """Raise BuildError if the device lacks something that a text needs."""
        device = self.queue.device
        has = {
            "double": bool(device.double_fp_config),
            "division": self._division is not None,
            "subnormal": bool(device.single_fp_config & _SUBNORMAL),
        }
        if what := missing_needs(text, has):
            message = f"{device.name.strip()} lacks what the program needs: {what}"
            raise BuildError([Diagnostic(None, "error", message)])

    def source(self, mode: RoundingMode) -> tuple[Translation, list[str]]:
        """Return the translation for launches in a mode, and its build options."""
        translation = self.translation(mode)
        self._check_needs(translation.text)
        return translation, self._build_options()

    def _build_options(self) -> list[str]:
        options = [f"-cl-std={self._source.options.standard}"]
        if self._source.options.single_precision_constants:
            options.append("-cl-single-precision-constant")
        return options + self._options

    def _build(self, text: str) -> Program:
        self._check_needs(text)
        return self._compile(text, self._build_options())

    def _compile(self, text: str, options: Sequence[str]) -> Program:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyopencl's warnings about compiler output
            try:
                program = original_program(self.library)(self.queue.context, text)
                result: Program = program.build(options=list(options), devices=[self.queue.device])
                return result
            except self.library.Error as error:
                message = f"the device's compiler: {error}"
                raise BuildError([Diagnostic(None, "error", message)]) from None

    # ------------------------------------------------------------ arguments

    def is_array(self, value: object) -> bool:
        return isinstance(value, self._array)

    def is_reachable(self, array: OpenCLArray) -> bool:
        return bool(array.context == self.queue.context)

    def signature(self, array: OpenCLArray) -> Hashable:
        return array.dtype, array.shape, array.strides, array.context

    def argument(self, array: Any) -> object:
        return array.data

    def copy_to_device(self, data: NDArray[np.uint8]) -> object:
        cl = self.library
        flags = cl.mem_flags.READ_WRITE
        if not data.size:
            return cl.Buffer(self.queue.context, flags, 1)
        return cl.Buffer(self.queue.context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=data)

    def copy_back(self, data: NDArray[np.uint8], held: object) -> None:
        self.library.enqueue_copy(self.queue, data, held)

    def local(self, nbytes: int) -> object:
        return self.library.LocalMemory(nbytes)

    def null(self, type_: types.Pointer) -> object:
        return None

    def number(self, type_: types.Type, bound: object) -> object:
        """Return a number; vectors and structs as bytes."""
        data = value_bytes(type_, bound)
        if isinstance(type_, types.Scalar):
            return data.view(f"u{type_.size}")[0]
        return data.view(np.uint8)

    # ------------------------------------------------------------ launches

    def launch(
        self, kernel: DeviceKernel, mode: RoundingMode, sizes: Grid, is_free: bool,
        arguments: Sequence[object], arrays: Sequence[OpenCLArray],
    ) -> object:  # fmt: skip
        if (kernel.name, mode) not in self._kernels:
            self._kernels[kernel.name, mode] = self.library.Kernel(
                self.executable(mode), kernel.name
            )
        waits = [event for array in arrays for event in array.events]
        event: Event = self._kernels[kernel.name, mode](
            self.queue, sizes.global_sizes, None if is_free else sizes.local_sizes, *arguments,
            global_offset=sizes.offsets, wait_for=waits,
        )  # fmt: skip
        record(event, arrays, waits)
        return event

    def wait(self, event: Event) -> None:
        event.wait()
