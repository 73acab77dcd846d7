"""Target for NVIDIA's half intrinsics in cuda_fp16.h; CuPy compiles a kernel for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, partial

import numpy as np

from halfcl.audit._records import TargetInfo
from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import Call, Conversion, UnsupportedError
from halfcl.audit._targets.devices import cuda_sources as sources
from halfcl.audit._targets.devices.cuda_sources import Intrinsic
from halfcl.audit._targets.devices.cupy_device import CupyDevice
from halfcl.device._backends.libraries import CudaArray, RawKernel, RawModule
from halfcl.device._backends.probing import first_error

_BLOCK = 256
_OPTIONS = ("--std=c++17",)


def make(rest: str) -> CudaFp16:
    """Return the target ``cuda_fp16``, or ``cuda_fp16:number`` for a GPU."""
    return CudaFp16(CupyDevice("cuda_fp16", rest))


class CudaFp16:
    """The intrinsics of a GPU."""

    def __init__(self, device: CupyDevice) -> None:
        self._device, self._cupy = device, device.cupy
        self._kernels: dict[str, RawKernel] = {}

    def describe(self) -> TargetInfo:
        facts = self._device.facts()
        return TargetInfo(
            "cuda_fp16", "CUDA cuda_fp16.h", facts["NVRTC"], self._device.name,
            {**facts, "CuPy": self._cupy.__version__},
        )  # fmt: skip

    def functions(self) -> Mapping[str, Call]:
        return {
            each.name: Call(each.name, partial(self._run, each), computes=each.computes)
            for each in sources.FUNCTIONS
        }

    def conversions(self) -> Iterable[Conversion]:
        for each in sources.CONVERSIONS:
            source, destination = (np.dtype(letter).name for letter in (each.inputs, each.output))
            is_saturating = each.output in sources.SATURATING
            run = partial(self._run, each)
            yield Conversion(
                each.name, run, each.mode, source=source, destination=destination,
                saturate=is_saturating, label=each.name,
            )  # fmt: skip

    def vectors(self) -> Mapping[str, Call]:
        return {}

    # ------------------------------------------------------------ kernels

    def _run(self, intrinsic: Intrinsic, *arguments: Array) -> Array:
        kernel = self._kernel(intrinsic)
        device = self._device
        inputs = [
            device.from_host(np.ascontiguousarray(x, letter))
            for x, letter in zip(arguments, intrinsic.inputs, strict=True)
        ]
        count = arguments[0].size
        result: CudaArray = self._cupy.empty(count, intrinsic.output)
        if count:
            blocks = -(-count // _BLOCK)
            device.try_call(kernel, (blocks,), (_BLOCK,), (np.uint64(count), *inputs, result))
        return device.to_host(result)

    def _kernel(self, intrinsic: Intrinsic) -> RawKernel:
        """Return a kernel from the module of all, or compile it alone.

        With an older CUDA, the module of all does not compile.
        """
        if intrinsic.name not in self._kernels:
            module = self._everything or self._compile((intrinsic,))
            if isinstance(module, str):
                raise UnsupportedError(module)
            self._kernels[intrinsic.name] = module.get_function(intrinsic.kernel)
        return self._kernels[intrinsic.name]

    @cached_property
    def _everything(self) -> RawModule | None:
        module = self._compile((*sources.FUNCTIONS, *sources.CONVERSIONS))
        return None if isinstance(module, str) else module

    def _compile(self, intrinsics: tuple[Intrinsic, ...]) -> RawModule | str:
        """Compile a module; return the error as text if that fails."""
        text = sources.module(intrinsics)
        module: RawModule = self._cupy.RawModule(code=text, options=_OPTIONS, backend="nvrtc")
        try:
            self._device.try_call(module.compile)
        except self._cupy.cuda.compiler.CompileException as error:
            return first_error(str(error), "error")
        return module
