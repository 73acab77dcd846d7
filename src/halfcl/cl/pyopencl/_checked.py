"""Kernels that halfcl's interpreter runs, called as pyopencl's kernels are."""

from __future__ import annotations

import operator
import re
import struct
import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from halfcl import Sampler, cl
from halfcl.cl._frontend import types
from halfcl.cl.pyopencl._library import as_pyopencl, logic_error, pyopencl
from halfcl.cl.pyopencl._mapping import MappedMemory

_ORIGINAL = pyopencl.Kernel
_ENQUEUE = pyopencl.enqueue_nd_range_kernel
_INFO = pyopencl.kernel_work_group_info

#: Memory of pyopencl's own scans. They read more of it than has been written, and read results of
#: other work-items after a barrier for local memory alone, which devices let pass.
_OF_SCANS = re.compile(r"(local|global) psc_")

_Sizes: TypeAlias = tuple[int, ...] | None
_OBJECTS = (
    pyopencl.MemoryObjectHolder, pyopencl.LocalMemory, pyopencl.Sampler, pyopencl.SVMPointer,
)  # fmt: skip


class _Program(Protocol):
    """The interface of Program that kernels need."""

    context: object
    _source: str | bytes


class _Value(NamedTuple):
    """The bytes of an argument passed by value; dtype: None if only pyopencl knows it."""

    data: bytes
    dtype: np.dtype[np.generic] | None


class CheckedKernel:
    """A kernel of a checked program, with the arguments that have been set."""

    def __init__(self, program: _Program, kernel: cl.Kernel) -> None:
        self.program, self._kernel, self.context = program, kernel, program.context
        self.function_name, self.num_args = kernel.name, len(kernel.args)
        self._values: dict[int, object] = {}
        self._set_typed_args: object = None
        self._source = program._source  # capture_call reads it
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<halfcl.cl.pyopencl kernel {self.function_name}, checked>"

    def get_info(self, param: int) -> object:
        """Return the attribute that a constant names."""
        name = pyopencl.kernel_info.to_string(param, "<unknown kernel_info %d>").lower()
        if name not in ("function_name", "num_args", "context", "program"):
            raise logic_error("Kernel.get_info", f"argument param: got {name}, which is unknown")
        return getattr(self, name)

    def get_work_group_info(self, param: int, device: object) -> object:
        """Return limits of work-groups: the device's, since the interpreter has none."""
        size = device.max_work_group_size  # type: ignore[attr-defined]
        known = {_INFO.WORK_GROUP_SIZE: size, _INFO.PREFERRED_WORK_GROUP_SIZE_MULTIPLE: 1,
                 _INFO.LOCAL_MEM_SIZE: 0, _INFO.PRIVATE_MEM_SIZE: 0,
                 _INFO.COMPILE_WORK_GROUP_SIZE: list(self._required_size)}  # fmt: skip
        if param not in known:
            raise logic_error("Kernel.get_work_group_info", f"argument param: got {param}")
        return known[param]

    @property
    def _required_size(self) -> Sequence[int]:
        return self._kernel._function.required_size or (0, 0, 0)

    # ------------------------------------------------------------ arguments

    def set_scalar_arg_dtypes(self, arg_dtypes: Sequence[object]) -> None:
        """Set the dtypes by which Python's numbers are converted."""
        _ORIGINAL.set_arg_types(self, arg_dtypes)

    set_arg_types = set_scalar_arg_dtypes
    capture_call = _ORIGINAL.capture_call

    def _set_enqueue_and_set_args(self, enqueue: object, set_args: object) -> None:
        """Keep what pyopencl generates for dtypes; launches do not need the first."""
        self._set_typed_args = set_args

    def set_arg(self, index: int, arg: object) -> None:
        """Set an argument. The bytes of numbers and arrays are copied at once."""
        if not 0 <= index < self.num_args:
            message = f"argument index: expected less than {self.num_args}, got {index}"
            raise logic_error(f"{self.function_name}.set_arg", message)
        is_object = arg is None or isinstance(arg, _OBJECTS)
        self._values[index] = arg if is_object else self._encode(index, arg)

    def set_args(self, *args: object) -> None:
        """Set all arguments."""
        if callable(self._set_typed_args):
            self._set_typed_args(self, *args)
            return
        if len(args) != self.num_args:
            names = ", ".join(arg.name for arg in self._kernel.args)
            message = f"expected {self.num_args} arguments ({names}), got {len(args)}"
            raise logic_error(f"{self.function_name}.set_args", message)
        for index, arg in enumerate(args):
            self.set_arg(index, arg)

    def _set_arg_multi(self, pairs: Sequence[object]) -> None:
        """Set arguments by index, as pyopencl's generated code does."""
        for index, arg in zip(pairs[::2], pairs[1::2], strict=True):
            self.set_arg(operator.index(index), arg)  # type: ignore[arg-type]

    _set_arg_buf_multi = _set_arg_multi

    def _set_arg_buf_pack_multi(self, triples: Sequence[object]) -> None:
        """Set numbers by index and format character, as pyopencl's generated code does."""
        for index, char, number in zip(triples[::3], triples[1::3], triples[2::3], strict=True):
            self.set_arg(operator.index(index), struct.pack(char, number))  # type: ignore[arg-type]

    def _encode(self, index: int, arg: object) -> _Value:
        if isinstance(arg, np.generic | np.ndarray) and not arg.dtype.hasobject:
            return _Value(arg.tobytes(), arg.dtype)
        try:
            return _Value(bytes(memoryview(arg)), None)  # type: ignore[arg-type]
        except TypeError:
            pass
        hint = "; its memory is array.data" if hasattr(arg, "base_data") else ""
        raise logic_error(
            f"{self.function_name}.set_arg",
            f"{self._where(index)}: expected a buffer, image, sampler, LocalMemory, or a number of "
            f"a NumPy type such as numpy.float32(x), got {type(arg).__name__}{hint}",
        )

    def _where(self, index: int) -> str:
        return f"argument {index + 1} ({self._kernel.args[index].name})"

    # ------------------------------------------------------------ launches

    def __call__(
        self,
        queue: object,
        global_size: Sequence[int],
        local_size: Sequence[int] | None,
        *args: object,
        global_offset: Sequence[int] | None = None,
        wait_for: Iterable[object] | None = None,
        g_times_l: bool = False,
        allow_empty_ndrange: bool = False,
    ) -> object:
        events = [e for arg in args for e in getattr(arg, "events", ())]
        with self._lock:
            self.set_args(*args)
            values = dict(self._values)
        waits = [*(wait_for or ()), *events]
        return self._launch(
            values, queue, global_size, local_size, global_offset, waits, g_times_l,
            allow_empty_ndrange,
        )  # fmt: skip

    def launch(self, *sizes: object, **options: object) -> object:
        """Launch the kernel with the arguments that have been set; return an event of the queue."""
        return self._launch(dict(self._values), *sizes, **options)  # type: ignore[arg-type]

    def _launch(
        self, values: dict[int, object], queue: object, global_work_size: Sequence[int],
        local_work_size: Sequence[int] | None, global_work_offset: Sequence[int] | None = None,
        wait_for: Iterable[object] | None = None, g_times_l: bool = False,
        allow_empty_ndrange: bool = False,
    ) -> object:  # fmt: skip
        sizes, local = _sizes(global_work_size) or (), _sizes(local_work_size)
        if local and g_times_l and len(local) == len(sizes):
            sizes = tuple(map(operator.mul, sizes, local))
        routine = f"clEnqueueNDRangeKernel of {self.function_name}"
        with as_pyopencl(routine), MappedMemory(queue, wait_for) as memory:
            arguments = [self._argument(i, values, memory) for i in range(self.num_args)]
            if not (allow_empty_ndrange and 0 in sizes):
                self._run(sizes, local, _sizes(global_work_offset), arguments)
            memory.require_unchanged()
        return memory.event()

    def _run(
        self, sizes: tuple[int, ...], local: _Sizes, offset: _Sizes, arguments: Sequence[object]
    ) -> None:
        try:
            self._kernel(sizes, local, *arguments, offset=offset, check=True)
        except cl.CheckError as error:
            findings = [f for f in error.findings if not _OF_SCANS.search(f.memory)]
            if findings:
                raise cl.CheckError(findings) from None

    def _argument(self, index: int, values: dict[int, object], memory: MappedMemory) -> object:
        """Return an argument as halfcl's kernels accept it."""
        where, parameter = self._where(index), self._kernel._function.parameters[index]
        if index not in values:
            raise TypeError(f"{where}: expected a value for {parameter.type}, got none")
        value = values[index]
        if isinstance(value, _Value):
            return _number(where, parameter.type, value)
        if isinstance(value, pyopencl.LocalMemory):
            return cl.LocalMemory(value.size)
        if isinstance(value, pyopencl.Sampler):
            return Sampler(bool(value.normalized_coords), value.addressing_mode, value.filter_mode)
        if value is None or isinstance(parameter.type, types.Pointer | types.Opaque):
            return memory.argument(where, parameter, value)
        raise TypeError(f"{where}: expected a value for {parameter.type}, got a memory object")


def _sizes(sizes: Sequence[int] | None) -> _Sizes:
    return None if sizes is None else tuple(map(operator.index, sizes))


def _number(where: str, type_: types.Type, value: _Value) -> object:
    """Return bytes as a number, vector or struct; a device would accept any of the right size."""
    if isinstance(type_, types.Pointer | types.Opaque):
        raise TypeError(f"{where}: expected memory for {type_}, got a value")
    kind = f"{value.dtype}" if value.dtype is not None else "a value"
    if len(value.data) != type_.size:
        raise TypeError(
            f"{where}: expected {type_} of {type_.size} bytes, got {kind} of {len(value.data)}"
        )
    if value.dtype is not None and not value.dtype.isnative:
        raise TypeError(f"{where}: expected {type_} in native byte order, got {value.dtype.str}")
    if isinstance(type_, types.Scalar):
        if value.dtype is not None and type_.is_floating != (value.dtype.kind == "f"):
            raise TypeError(
                f"{where}: expected {type_}, got {kind}, whose bits mean another number"
            )
        return np.frombuffer(value.data, type_.dtype)[0]
    if isinstance(type_, types.Vector):
        return np.frombuffer(value.data, type_.dtype)
    return np.frombuffer(value.data, f"V{type_.size}")[0]


# ---------------------------------------------------------------- pyopencl's own names


class _AnyKernel(type):
    """The class of `Kernel`, which stands for pyopencl's kernels and for checked ones."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, (_ORIGINAL, CheckedKernel))

    def __getattr__(cls, name: str) -> object:
        return getattr(_ORIGINAL, name)


class Kernel(metaclass=_AnyKernel):
    """pyopencl.Kernel, also of checked programs."""

    def __new__(cls, program: _Program, name: str) -> Kernel:
        """Return a kernel of pyopencl's, or a checked one."""
        kernel: Kernel
        checked: cl.Program | None = getattr(program, "__dict__", {}).get("_checked")
        if checked is None:
            kernel = _ORIGINAL(program, name)
        else:
            try:
                kernel = CheckedKernel(program, checked[name])  # type: ignore[assignment]
            except KeyError as error:
                raise logic_error("clCreateKernel", error.args[0]) from None
        return kernel


def enqueue_nd_range_kernel(
    queue: object, kernel: object, *args: object, **options: object
) -> object:
    """Launch a kernel, checked or not, with the arguments that have been set."""
    if isinstance(kernel, CheckedKernel):
        return kernel.launch(queue, *args, **options)
    return _ENQUEUE(queue, kernel, *args, **options)


#: What stands for pyopencl's names while programs are checked.
REPLACEMENTS = {"Kernel": Kernel, "enqueue_nd_range_kernel": enqueue_nd_range_kernel}
