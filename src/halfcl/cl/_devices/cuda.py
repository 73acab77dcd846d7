"""Programs on NVIDIA GPUs, through CuPy."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl._support.extras import require_cupy
from halfcl._support.files import write_bytes
from halfcl.cl._devices.cuda_images import CudaImages
from halfcl.cl._devices.programs import DeviceKernel, OnDevice, value_bytes
from halfcl.cl._frontend import types
from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.source import Source
from halfcl.cl._interpreter.contraction import Contract
from halfcl.cl._interpreter.launching.arguments import LocalMemory
from halfcl.cl._interpreter.launching.launch import Grid
from halfcl.cl._translation import NOWHERE, FloatFunctions, Translation, cpp_text
from halfcl.cl._translation.target import Fusing
from halfcl.device._backends.libraries import CudaArray, CudaFunction
from halfcl.device._backends.on_cuda import try_out
from halfcl.device._backends.probing import DeviceError
from halfcl.device._source.dialects import CUDA
from halfcl.typing import RoundingMode

#: Options that the text needs; the text itself prevents contraction.
_OPTIONS = ("--std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false")

#: Default threads per block, and the most blocks along x, y and z.
_BLOCK = 256
_MOST_BLOCKS = (2**31 - 1, 65535, 65535)

#: Alignment of local memory in bytes: the largest vector's.
_ALIGNMENT = 128


#: The most launch configurations that a program caches.
_CACHE_SIZE = 1024


class _LaunchConfiguration(NamedTuple):
    """The configuration of a launch; grid is the text's hc_grid."""

    function: CudaFunction
    blocks: tuple[int, ...]
    block: tuple[int, ...]
    grid: NDArray[Any]


class OnCuda(OnDevice):
    """A program on a GPU. Its kernels run in the given stream, or else in the current one."""

    place = "on the program's GPU"

    dialect = CUDA

    def __init__(
        self, source: Source, contract: Contract, where: Any, fp16: bool | None = None,
        float_functions: FloatFunctions = "exact",
    ) -> None:  # fmt: skip
        self._cupy = cupy = require_cupy("to run kernels on a GPU")
        is_device = isinstance(where, cupy.cuda.Device)
        is_stream = isinstance(where, cupy.cuda.Stream | cupy.cuda.ExternalStream)
        if not (is_device or is_stream or isinstance(where, str)):
            raise TypeError(
                "Program: argument device: expected a cupy.cuda.Device, a cupy.cuda.Stream or "
                f"'cuda', got {type(where).__name__}"
            )
        super().__init__(source, contract, float_functions)
        self._stream = where if is_stream else None
        number = where.id if is_device else where.device_id if is_stream else -1
        self._device = cupy.cuda.Device(number if number >= 0 else None)
        self._configurations: dict[tuple[object, ...], _LaunchConfiguration] = {}
        self.images = CudaImages(self.copy_to_device, self.copy_back)
        self.translation("rte")
        try:
            try_out(cupy, self._device)
        except DeviceError as error:
            raise BuildError([Diagnostic(None, "error", str(error))]) from None

    @classmethod
    def runs_on(cls, device: object) -> bool:
        """Return whether it is CuPy's: the dialect's name, a CuPy device or a stream."""
        if isinstance(device, str):
            return device == cls.dialect.name
        return type(device).__module__.partition(".")[0] == "cupy"

    def _translate(self, contract: Fusing, mode: RoundingMode) -> Translation:
        return cpp_text(self._source, self.dialect, contract, mode, self._float_functions)

    @contextmanager
    def _make_current(self) -> Iterator[None]:
        """Make the device, and the stream, current."""
        with ExitStack() as stack:
            stack.enter_context(self._device)
            if self._stream is not None:
                stack.enter_context(self._stream)
            yield

    def _build(self, text: str) -> Any:
        """Compile with NVRTC directly, since CuPy's RawModule flushes subnormal floats to zero."""
        compiler = self._cupy.cuda.compiler
        try:
            with self._make_current():
                return self._cupy.RawModule(path=str(self._compile(compiler, text)))
        except compiler.CompileException as error:
            message = f"the device's compiler: {error}"
            raise BuildError([Diagnostic(None, "error", message)]) from None

    def _compile(self, compiler: ModuleType, text: str) -> Path:
        """Compile into CuPy's kernel cache, and return the file."""
        options = import_module("cupy._core.core").assemble_cupy_compiler_options(_OPTIONS)
        version = self._cupy.cuda.runtime.runtimeGetVersion()
        made_of = repr((text, options, self._device.compute_capability, version))
        folder = Path(os.environ.get("CUPY_CACHE_DIR") or Path.home() / ".cupy" / "kernel_cache")
        path = folder / f"halfcl_{sha256(made_of.encode()).hexdigest()}.cubin"
        if not path.exists():
            binary, _ = compiler.compile_using_nvrtc(text, options, None, "program.cu")
            folder.mkdir(parents=True, exist_ok=True)
            write_bytes(path, binary)
        return path

    # ------------------------------------------------------------ arguments

    def is_array(self, value: object) -> bool:
        return isinstance(value, self._cupy.ndarray)

    def is_reachable(self, array: CudaArray) -> bool:
        return bool(array.device.id == self._device.id)

    def signature(self, array: CudaArray) -> Hashable:
        return array.dtype, array.shape, array.strides, array.device.id

    def argument(self, array: object) -> object:
        return array

    def copy_to_device(self, data: NDArray[np.uint8]) -> CudaArray:
        with self._make_current():
            cupy = self._cupy
            held: CudaArray = cupy.asarray(data) if data.size else cupy.zeros(1, np.uint8)
        return held

    def copy_back(self, data: NDArray[np.uint8], held: object) -> None:
        with self._make_current():
            data[...] = self._cupy.asnumpy(held)

    def local(self, nbytes: int) -> LocalMemory:
        return LocalMemory(nbytes)

    def null(self, type_: types.Pointer) -> np.generic:
        return np.uint32(NOWHERE) if type_.space == "local" else np.uint64(0)

    def number(self, type_: types.Type, bound: object) -> object:
        """Return a number; vectors and structs as an array of one, which CuPy passes by value."""
        data = value_bytes(type_, bound)
        return data.view(f"u{type_.size}")[0] if isinstance(type_, types.Scalar) else data

    # ------------------------------------------------------------ launches

    def launch(
        self, kernel: DeviceKernel, mode: RoundingMode, sizes: Grid, is_free: bool,
        arguments: Sequence[object], arrays: Sequence[object],
    ) -> object:  # fmt: skip
        with self._make_current():
            converted, shared = _lay_out_local_memory(arguments)
            configuration = self._configuration(kernel.name, mode, sizes, is_free, shared)
            configuration.function(
                configuration.blocks,
                configuration.block,
                (*converted, configuration.grid),
                shared,
                None,
            )
            return self._cupy.cuda.get_current_stream()

    def _configuration(
        self, name: str, mode: RoundingMode, sizes: Grid, is_free: bool, shared: int
    ) -> _LaunchConfiguration:  # fmt: skip
        """Return the configuration of a launch; raise ValueError if the GPU cannot run it."""
        key = name, mode, sizes.global_sizes, sizes.local_sizes, sizes.offsets, is_free, shared
        if key in self._configurations:
            return self._configurations[key]
        compiled_kernel = self.executable(mode).get_function(name)
        most = int(compiled_kernel.max_threads_per_block)
        block = _free_block(sizes, most) if is_free else _three(sizes.local_sizes, 1)
        self._check(name, compiled_kernel, block, most, shared)
        counts = _three(sizes.global_sizes, 1)
        blocks = tuple(-(-n // b) for n, b in zip(counts, block, strict=True))
        for count, limit in zip(blocks, _MOST_BLOCKS, strict=True):
            if count > limit:
                raise ValueError(
                    f"{name}: argument global_size: expected at most {_MOST_BLOCKS} "
                    f"blocks on a GPU, got {blocks}"
                )
        configuration = _LaunchConfiguration(
            compiled_kernel.kernel, blocks, block, _grid(sizes, is_free)
        )
        if len(self._configurations) < _CACHE_SIZE:
            self._configurations[key] = configuration
        return configuration

    def _check(
        self, name: str, compiled_kernel: Any, block: tuple[int, ...], most: int, shared: int
    ) -> None:
        """Raise ValueError if a group needs more than the GPU gives to one."""
        if math.prod(block) > most:
            raise ValueError(
                f"{name}: argument local_size: expected at most {most} work-items on this GPU, "
                f"got {block}"
            )
        free = int(compiled_kernel.max_dynamic_shared_size_bytes)
        if shared > free:
            attribute = "MaxSharedMemoryPerBlockOptin"
            most = int(self._device.attributes.get(attribute, free)) - int(
                compiled_kernel.shared_size_bytes
            )
            if shared > most:
                raise ValueError(
                    f"{name}: expected at most {most} bytes of local memory on this GPU, "
                    f"got {shared}"
                )
            compiled_kernel.max_dynamic_shared_size_bytes = shared

    def wait(self, event: Any) -> None:
        event.synchronize()


def _lay_out_local_memory(arguments: Sequence[object]) -> tuple[list[object], int]:
    """Replace local memory by its offset, and return its total size."""
    converted: list[object] = []
    end = 0
    for argument in arguments:
        if isinstance(argument, LocalMemory):
            converted.append(np.uint32(end))
            end += -(-argument.nbytes // _ALIGNMENT) * _ALIGNMENT
        else:
            converted.append(argument)
    return converted, end


def _three(numbers: Sequence[int], rest: int) -> tuple[int, ...]:
    return (*numbers, rest, rest)[:3]


def _free_block(sizes: Grid, most: int) -> tuple[int, ...]:
    """Return a block along x, whatever the size; surplus threads do nothing."""
    return min(_BLOCK, most, -(-sizes.global_sizes[0] // 32) * 32), 1, 1


def _grid(sizes: Grid, is_free: bool) -> NDArray[Any]:
    """Return the text's hc_grid as an array of one, to be passed by value."""
    ends = _three(sizes.global_sizes, 1) if is_free else (0, 0, 0)
    numbers = [*_three(sizes.offsets, 0), *ends, len(sizes.global_sizes)]
    return np.array(numbers, np.uint64).view(f"V{8 * len(numbers)}")
