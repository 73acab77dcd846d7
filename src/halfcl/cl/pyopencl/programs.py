"""Programs and kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halfcl import cl
from halfcl.cl.pyopencl.constants import (
    command_type,
    kernel_work_group_info,
    program_build_info,
)
from halfcl.cl.pyopencl.devices import (
    CommandQueue,
    Context,
    Device,
    Event,
    check_context,
    timed,
)
from halfcl.cl.pyopencl.errors import LogicError, as_opencl
from halfcl.cl.pyopencl.memory import Image, MemoryObject, Sampler


class Program:
    """OpenCL C; `build` builds it, and gives the program itself."""

    def __init__(self, context: Context, source: str) -> None:
        check_context("Program", context)
        self.context, self.source = context, source
        self._built: cl.Program | None = None
        self._kernels: dict[str, Kernel] = {}
        self._options = ""

    def build(
        self,
        options: str | Sequence[str] = (),
        devices: Sequence[Device] | None = None,
        cache_dir: Any = None,
    ) -> Program:
        self._options = options if isinstance(options, str) else " ".join(options)
        with as_opencl("clBuildProgram"):
            self._built = cl.Program(self.source, self._options)
        return self

    @property
    def built(self) -> cl.Program:
        if self._built is None:
            self.build()
        assert self._built is not None
        return self._built

    @property
    def kernel_names(self) -> str:
        return ";".join(kernel.name for kernel in self.built.kernels)

    @property
    def num_kernels(self) -> int:
        return len(self.built.kernels)

    def all_kernels(self) -> list[Kernel]:
        return [Kernel(self, kernel.name) for kernel in self.built.kernels]

    def get_build_info(self, device: Device, param: int) -> Any:
        if param == program_build_info.LOG:
            return "\n".join(map(str, self.built.diagnostics))
        return self._options if param == program_build_info.OPTIONS else 0

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._kernels:
            try:
                self._kernels[name] = Kernel(self, name)
            except LogicError:
                raise AttributeError(f"Program has no kernel {name!r}") from None
        return self._kernels[name]


class Kernel:
    """A kernel, and the arguments that have been set."""

    def __init__(self, program: Program, name: str) -> None:
        found = {kernel.name: kernel for kernel in program.built.kernels}
        if name not in found:
            raise LogicError(f"clCreateKernel failed: no kernel {name!r}")
        self.program, self.function_name, self._kernel = program, name, found[name]
        self._arguments: dict[int, Any] = {}

    @property
    def num_args(self) -> int:
        return len(self._kernel.args)

    @property
    def context(self) -> Context:
        return self.program.context

    def set_arg(self, index: int, arg: Any) -> None:
        if not 0 <= index < self.num_args:
            raise LogicError(f"{self.function_name}: no argument {index}: it has {self.num_args}")
        self._arguments[index] = arg

    def set_args(self, *args: Any) -> None:
        self._arguments = dict(enumerate(args))

    def set_scalar_arg_dtypes(self, arg_dtypes: Sequence[Any]) -> None:
        """Scalars are converted as the kernel's signature says, without being told."""

    set_arg_types = set_scalar_arg_dtypes

    def get_work_group_info(self, param: int, device: Device) -> Any:
        if param == kernel_work_group_info.WORK_GROUP_SIZE:
            return device.max_work_group_size
        return {kernel_work_group_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE: 1}.get(
            kernel_work_group_info(param), 0
        )

    def __call__(
        self,
        queue: CommandQueue,
        global_size: Sequence[int],
        local_size: Sequence[int] | None,
        *args: Any,
        global_offset: Sequence[int] | None = None,
        wait_for: Any = None,
        g_times_l: bool = False,
        allow_empty_ndrange: bool = False,
    ) -> Event:
        self.set_args(*args)
        return enqueue_nd_range_kernel(
            queue, self, global_size, local_size, global_offset, wait_for, g_times_l,
            allow_empty_ndrange,
        )  # fmt: skip


def enqueue_nd_range_kernel(
    queue: CommandQueue,
    kernel: Kernel,
    global_work_size: Sequence[int],
    local_work_size: Sequence[int] | None,
    global_work_offset: Sequence[int] | None = None,
    wait_for: Any = None,
    g_times_l: bool = False,
    allow_empty_ndrange: bool = False,
) -> Event:
    """Launch a kernel with the arguments that have been set."""
    sizes = tuple(global_work_size)
    if g_times_l and local_work_size is not None:
        sizes = tuple(g * n for g, n in zip(sizes, local_work_size, strict=True))
    given = [kernel._arguments[i] for i in sorted(kernel._arguments)]
    is_empty = allow_empty_ndrange and 0 in sizes

    def launch() -> None:
        if not is_empty:
            offset = None if global_work_offset is None else tuple(global_work_offset)
            kernel._kernel(sizes, local_work_size, *map(_argument, given), offset=offset)

    with as_opencl(f"clEnqueueNDRangeKernel of {kernel.function_name}"):
        return timed(queue, command_type.NDRANGE_KERNEL, wait_for, launch)


def _argument(value: Any) -> Any:
    if isinstance(value, Image):
        return value.image
    if isinstance(value, MemoryObject):
        return value.data.view("V1")  # of any type
    return value.sampler if isinstance(value, Sampler) else value
