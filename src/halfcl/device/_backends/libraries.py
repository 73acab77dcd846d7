"""Types for the parts of pyopencl and CuPy that halfcl uses without importing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Flags(Protocol):
    """The memory layout of an array."""

    @property
    def c_contiguous(self) -> bool: ...
    @property
    def f_contiguous(self) -> bool: ...


class DeviceArray(Protocol):
    """An array of either library."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def size(self) -> int: ...
    @property
    def flags(self) -> Flags: ...
    def transpose(self, axes: tuple[int, ...], /) -> Self: ...


def original_program(pyopencl: Any) -> Any:
    """Return pyopencl's own Program, even if halfcl.cl.pyopencl.install has replaced it."""
    return getattr(pyopencl.Program, "untranslated", pyopencl.Program)


#: The results of a function.
Results: TypeAlias = DeviceArray | tuple[DeviceArray, ...]


# ---------------------------------------------------------------- pyopencl


class Platform(Protocol):
    name: str
    version: str

    def get_devices(self) -> Sequence[OpenCLDevice]: ...


class OpenCLDevice(Protocol):
    name: str
    platform: Platform
    type: int
    profile: str
    extensions: str
    compiler_available: bool
    image_support: bool
    single_fp_config: int
    half_fp_config: int
    opencl_c_version: str
    driver_version: str
    max_compute_units: int
    max_work_group_size: int
    compute_capability_major_nv: int
    compute_capability_minor_nv: int


class Context(Protocol):
    @property
    def devices(self) -> Sequence[OpenCLDevice]: ...


class Queue(Protocol):
    context: Context
    device: OpenCLDevice
    properties: int

    def finish(self) -> None: ...


class Event(Protocol):
    def wait(self) -> object: ...


class Buffer(Protocol):
    flags: int

    @property
    def associated_memobject(self) -> object: ...


class ImageFormat(Protocol):
    channel_order: int
    channel_data_type: int


class OpenCLKernel(Protocol):
    def __call__(
        self,
        queue: Queue,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        /,
        *arguments: Buffer | np.generic | None,
        wait_for: Sequence[Event] | None = None,
    ) -> Event: ...
    def get_work_group_info(self, param: int, device: OpenCLDevice, /) -> int: ...


class Program(Protocol):
    def build(
        self,
        options: Sequence[str] = ...,
        devices: Sequence[OpenCLDevice] | None = ...,
        cache_dir: str | bool | None = ...,
    ) -> Program: ...


class OpenCLArray(DeviceArray, Protocol):
    """pyopencl.array.Array."""

    context: Context
    queue: Queue | None
    base_data: Buffer | None
    offset: int
    events: list[Event]
    allocator: object

    def get(self, queue: Queue) -> NDArray[Any]: ...
    def transpose(self, axes: Sequence[int]) -> OpenCLArray: ...
    def reshape(self, shape: tuple[int, ...]) -> OpenCLArray: ...


# ---------------------------------------------------------------- CuPy


class CudaDevice(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def attributes(self) -> Mapping[str, int]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...


class CudaStream(Protocol):
    @property
    def device_id(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...


class Pointer(Protocol):
    @property
    def ptr(self) -> int: ...
    @property
    def device_id(self) -> int: ...


class CudaArray(DeviceArray, Protocol):
    """cupy.ndarray."""

    @property
    def T(self) -> CudaArray: ...
    @property
    def data(self) -> Pointer: ...
    @property
    def device(self) -> CudaDevice: ...
    def astype(self, dtype: DTypeLike) -> CudaArray: ...
    def view(self, dtype: DTypeLike) -> CudaArray: ...
    def __setitem__(self, key: object, value: CudaArray, /) -> None: ...


class CudaFunction(Protocol):
    """cupy.cuda.Function, the type of RawKernel.kernel."""

    @property
    def ptr(self) -> int: ...
    def __call__(
        self,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        args: tuple[object, ...],
        shared_mem: int,
        stream: CudaStream | None,
        /,
    ) -> None: ...


class RawKernel(Protocol):
    kernel: CudaFunction
    max_dynamic_shared_size_bytes: int

    def __call__(
        self,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        args: tuple[CudaArray | np.generic, ...],
        *,
        shared_mem: int = 0,
    ) -> None: ...


class RawModule(Protocol):
    def compile(self) -> None: ...
    def get_function(self, name: str) -> RawKernel: ...
