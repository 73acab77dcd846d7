"""Programs and kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from halfcl import cl
from halfcl.cl.pyopencl._constants import (
    command_type,
    kernel_work_group_info,
    program_build_info,
)
from halfcl.cl.pyopencl._devices import (
    CommandQueue,
    Context,
    Device,
    Event,
    check_context,
    timed,
)
from halfcl.cl.pyopencl._errors import LogicError, as_opencl, expect, integer, integers
from halfcl.cl.pyopencl._memory import Image, MemoryObject, Sampler, data_of


class Program:
    """OpenCL C; `build` builds it, and gives the program itself."""

    def __init__(self, context: Context, source: str) -> None:
        check_context("Program", context)
        expect("Program: argument source", source, str)
        self.context, self.source = context, source
        self._built: cl.Program | None = None
        self._kernels: dict[str, Kernel] = {}
        self._options = ""

    def build(
        self,
        options: str | Sequence[str] = (),
        devices: Sequence[Device] | None = None,
        cache_dir: str | None = None,
    ) -> Program:
        with as_opencl("clBuildProgram: argument options"):
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

    def get_build_info(self, device: Device, param: int) -> str | int:
        if param == program_build_info.LOG:
            return "\n".join(map(str, self.built.diagnostics))
        if param == program_build_info.OPTIONS:
            return self._options
        if param != program_build_info.STATUS:
            raise LogicError(f"Program.get_build_info: argument param: no {param!r}")
        return 0  # CL_BUILD_SUCCESS

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
        expect("Kernel: argument program", program, Program)
        found = {kernel.name: kernel for kernel in program.built.kernels}
        if name not in found:
            raise LogicError(f"clCreateKernel failed: no kernel {name!r}")
        self.program, self.function_name, self._kernel = program, name, found[name]
        self._arguments: dict[int, object] = {}

    @property
    def num_args(self) -> int:
        return len(self._kernel.args)

    @property
    def context(self) -> Context:
        return self.program.context

    def set_arg(self, index: int, arg: object) -> None:
        what = f"{self.function_name}.set_arg: argument index"
        if integer(what, index) >= self.num_args:
            raise LogicError(f"{what}: expected less than {self.num_args}, got {index}")
        self._arguments[index] = arg

    def set_args(self, *args: object) -> None:
        if len(args) != self.num_args:
            names = ", ".join(argument.name for argument in self._kernel.args)
            raise LogicError(
                f"{self.function_name}: expected {self.num_args} arguments ({names}), "
                f"got {len(args)}"
            )
        self._arguments = dict(enumerate(args))

    def _given(self) -> list[object]:
        """The arguments that have been set, as halfcl's kernels take them."""
        found = []
        for i, argument in enumerate(self._kernel.args):
            what = f"{self.function_name}: argument {i + 1} ({argument.name})"
            if i not in self._arguments:
                raise LogicError(f"{what}: it has not been set")
            found.append(_argument(what, argument.type, self._arguments[i]))
        return found

    def set_scalar_arg_dtypes(self, arg_dtypes: Sequence[object]) -> None:
        """Scalars are converted as the kernel's signature says, without being told."""

    set_arg_types = set_scalar_arg_dtypes

    def get_work_group_info(self, param: int, device: Device) -> int | tuple[int, int, int]:
        expect("Kernel.get_work_group_info: argument device", device, Device)
        known: dict[int, int | tuple[int, int, int]]
        known = {kernel_work_group_info.WORK_GROUP_SIZE: device.max_work_group_size,
                 kernel_work_group_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE: 1,
                 kernel_work_group_info.COMPILE_WORK_GROUP_SIZE: (0, 0, 0),
                 kernel_work_group_info.LOCAL_MEM_SIZE: 0,
                 kernel_work_group_info.PRIVATE_MEM_SIZE: 0}  # fmt: skip
        if param not in known:
            raise LogicError(f"Kernel.get_work_group_info: argument param: no {param!r}")
        return known[kernel_work_group_info(param)]

    def __call__(
        self,
        queue: CommandQueue,
        global_size: Sequence[int],
        local_size: Sequence[int] | None,
        *args: object,
        global_offset: Sequence[int] | None = None,
        wait_for: Iterable[Event] | None = None,
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
    wait_for: Iterable[Event] | None = None,
    g_times_l: bool = False,
    allow_empty_ndrange: bool = False,
) -> Event:
    """Launch a kernel with the arguments that have been set."""
    expect("argument kernel", kernel, Kernel)
    name = kernel.function_name
    sizes = integers(f"{name}: argument global_work_size", global_work_size)
    local, offset = (
        None if value is None else integers(f"{name}: argument {what}", value)
        for what, value in (
            ("local_work_size", local_work_size), ("global_work_offset", global_work_offset)
        )
    )  # fmt: skip
    if g_times_l and local is not None:
        if len(local) != len(sizes):
            raise LogicError(
                f"{name}: argument local_work_size: expected {len(sizes)} ints, got {local}"
            )
        sizes = tuple(g * n for g, n in zip(sizes, local, strict=True))
    given = kernel._given()
    is_empty = allow_empty_ndrange and 0 in sizes

    def launch() -> None:
        if not is_empty:
            kernel._kernel(sizes, local, *given, offset=offset)

    with as_opencl(f"clEnqueueNDRangeKernel of {name}"):
        return timed(queue, command_type.NDRANGE_KERNEL, wait_for, launch)


def _argument(what: str, type_: str, value: object) -> object:
    is_pointer = type_.endswith("*")
    if isinstance(value, Image):
        data_of(what, value)
        return value.image
    if isinstance(value, MemoryObject):
        data = data_of(what, value)
        if not is_pointer:
            raise LogicError(f"{what}: expected a value for {type_}, got a Buffer")
        return data.view("V1")  # of any type
    if is_pointer and not (value is None or isinstance(value, cl.LocalMemory)):
        hint = " (its memory is array.data)" if hasattr(value, "base_data") else ""
        raise LogicError(
            f"{what}: expected a Buffer, LocalMemory or None for {type_}, "
            f"got {type(value).__name__}{hint}"
        )
    return value.sampler if isinstance(value, Sampler) else value
