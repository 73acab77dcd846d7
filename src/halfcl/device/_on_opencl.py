"""An OpenCL device that runs kernels over pyopencl's arrays."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl.device import _kernel_text as kernel_text, _probing as probing
from halfcl.device._catalogue import TYPES
from halfcl.device._kernel_text import WIDE, Kernel
from halfcl.device._libraries import (
    Buffer,
    Context,
    Event,
    OpenCLArray,
    OpenCLDevice,
    OpenCLKernel,
    Program,
    Queue,
    untranslated,
)
from halfcl.device._probing import DeviceError
from halfcl.device._reduction_text import Reduction
from halfcl.device._text import opencl

_DIVISION = ("-cl-fp32-correctly-rounded-divide-sqrt", "-DHC_NATIVE_DIVISION")
_CONVERSION = ("-DHC_NATIVE_CONVERSION",)
#: Where there is no cl_khr_fp16. CPUs take them through memory, and are slower by them.
_LOADS = ("-DHC_NATIVE_LOADS",)

#: Of CL_DEVICE_SINGLE_FP_CONFIG.
_INF_NAN, _NEAREST, _RIGHT_DIVISION = 1 << 1, 1 << 2, 1 << 7

#: Work-items of a group, where the device takes so many; and of one that shares memory.
_GROUP, _SHARING = 256, 128

#: From so many elements on it is worth a kernel of its own if they are whole groups.
_MANY = 1 << 14

_COPY = """
__kernel void hck(ulong n, __global const {source} *x, ulong x_0, __global const uchar *m,
                  ulong m_0, __global {target} *r, ulong r_0{more})
{{
    ulong rest = get_global_id(0);
    long from = (long)x_0, mask = (long)m_0, to = (long)r_0, k;
    if (rest < n) {{
        {axes}
        if ({condition})
            r[to] = ({target})x[from];
    }}
}}
"""
_AXIS = """\
k = (long)(rest % n_{0}); rest /= n_{0};
        from += k * x_{0}_step; mask += k * m_{0}_step; to += k * r_{0}_step;"""

_Options = tuple[str, ...]

#: What a kernel takes: an array's memory, which an empty one has none of, or a number.
_Argument: TypeAlias = Buffer | np.generic | None

#: Programs are built one at a time, since the filters of warnings are the whole process's.
_building = threading.Lock()


class OpenCLMachine:
    """A device with a queue; its arrays are pyopencl's.

    Parameters
    ----------
    where : pyopencl.CommandQueue or pyopencl.Context
        Of a context, a queue on its first device is made.
    """

    array_name = "pyopencl.array.Array"
    to_device = "pyopencl.array.to_device(queue, x)"

    def __init__(self, where: Queue | Context) -> None:
        cl = import_module("pyopencl")
        self._cl, self._arrays = cl, import_module("pyopencl.array")
        given: Any = where  # the library knows which of the two
        is_queue = isinstance(given, cl.CommandQueue)
        self._queue: Queue = given if is_queue else cl.CommandQueue(given, given.devices[0])
        self._context = self._queue.context
        self._device = self._queue.device
        self._is_in_order = not (
            self._queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        )
        self._copies: dict[tuple[str, str, int, bool], _Launcher] = {}
        self._options = _options(cl, self._context, self._device)
        #: Whether kernels are to have eight elements for a work-item.
        self.is_cuda = False
        self.is_wide = not self._device.type & cl.device_type.CPU

    @cached_property
    def name(self) -> str:
        return f"{self._device.name.strip()}, {self._device.platform.name.strip()}"

    def __repr__(self) -> str:
        return f"OpenCL device {self.name}"

    # ------------------------------------------------------------ arrays

    def is_array(self, x: object) -> TypeGuard[OpenCLArray]:
        return isinstance(x, self._arrays.Array)

    def elsewhere(self, x: OpenCLArray) -> str:
        """Where an array should be, and is not; or ""."""
        if x.context != self._context:
            return f"in the context of {self!r}, got one of another"
        size = x.dtype.itemsize
        if x.offset % size or any(step % size for step in x.strides):
            return f"at multiples of its elements' {size} bytes, got offset {x.offset}, " + (
                f"strides {x.strides}"
            )
        return ""

    def empty(
        self, shape: tuple[int, ...], dtype: DTypeLike, order: str, like: OpenCLArray | None
    ) -> OpenCLArray:
        """A new array; its memory comes from where that of another one does, if there is one."""
        allocator = None if like is None else like.allocator
        made: OpenCLArray = self._arrays.Array(
            self._queue, shape, dtype, order=order, allocator=allocator
        )
        return made

    def from_host(self, x: NDArray[Any]) -> OpenCLArray:
        made: OpenCLArray = self._arrays.to_device(self._queue, x)
        return made

    def as_type(self, x: OpenCLArray, dtype: DTypeLike) -> OpenCLArray:
        copy = self.empty(x.shape, dtype, "C", x)
        self.assign(copy, x, None)
        return copy

    def view(self, x: OpenCLArray, dtype: DTypeLike) -> OpenCLArray:
        """As another type of that size."""
        made: OpenCLArray = self._arrays.Array(
            self._queue, x.shape, dtype, strides=x.strides, data=x.base_data, offset=x.offset,
            events=x.events,
        )  # fmt: skip
        return made

    def spread(self, x: OpenCLArray, shape: tuple[int, ...]) -> OpenCLArray:
        """The elements in C's order, broadcast to a shape."""
        if x.shape == shape and x.flags.c_contiguous:
            return x
        copy = self.empty(shape, x.dtype, "C", x)
        self.assign(copy, x, None)
        return copy

    def moved(self, x: OpenCLArray, source: int, target: int) -> OpenCLArray:
        """With an axis in another place."""
        axes = [k for k in range(len(x.shape)) if k != source]
        axes.insert(target, source)
        made: OpenCLArray = x.transpose(axes)
        return made

    def reshaped(self, x: OpenCLArray, shape: tuple[int, ...]) -> OpenCLArray:
        made: OpenCLArray = x.reshape(shape)
        return made

    def assign(self, out: OpenCLArray, x: OpenCLArray, where: OpenCLArray | None) -> None:
        """Elements of one array, broadcast, to another one, of their type or of wider integers:
        those that a mask, which is broadcast, has true."""
        if not out.size:
            return
        masked, axes = where is not None, len(out.shape)
        mask = x if where is None else where  # of which nothing is read
        key = _word(x.dtype, out.dtype), _word(out.dtype, x.dtype), axes, masked
        if key not in self._copies:
            self._copies[key] = _Launcher(self._cl, self._device, self._build(_copy_text(*key)))
        each = [out.shape, _steps(x, axes), _steps(mask, axes), _steps(out, axes)]
        more: list[np.generic] = []
        for length, *steps in zip(*each, strict=True):
            more += [np.uint64(length), *map(np.int64, steps)]
        arguments = [*_memory(x), *_memory(mask), *_memory(out), *more]
        self._enqueue(self._copies[key], out.size, arguments, [x, mask], [out])

    def is_separate(self, out: OpenCLArray, x: OpenCLArray, alike: bool = True) -> bool:
        """Whether writing one array cannot change the other's elements that are yet to be read.
        alike: whether it may be the same array, since no element needs another one's operand."""
        one, other = out.base_data, x.base_data
        if one is other or one == other:
            is_same = alike and out.offset == x.offset and out.shape == x.shape
            is_same = is_same and out.dtype.itemsize == x.dtype.itemsize
            return bool(is_same and out.strides == x.strides)
        return self._is_whole(one) and self._is_whole(other)

    def _is_whole(self, memory: object) -> bool:
        """Whether memory is a buffer that is no part of another one."""
        cl = self._cl
        if not isinstance(memory, cl.Buffer):
            return False
        return memory.associated_memobject is None and not memory.flags & cl.mem_flags.USE_HOST_PTR

    # ------------------------------------------------------------ kernels

    def is_aligned(self, x: OpenCLArray) -> bool:
        """Whether wide kernels can read it."""
        return bool(x.offset % (WIDE * x.dtype.itemsize) == 0)

    def is_whole(self, count: int) -> bool:
        """Whether kernels are to be made for whole groups."""
        return not self.is_wide and count >= _MANY and count % _GROUP == 0

    def compiled(self, kernel: Kernel) -> _Launcher:
        """What launches a kernel. DeviceError if it does not compile."""
        functions = opencl([kernel.form.name], fp16=self._has_half)
        return _Launcher(
            self._cl, self._device, self._build(f"{functions}\n{kernel_text.opencl(kernel)}")
        )

    def run(
        self, launcher: _Launcher, kernel: Kernel, count: int,
        operands: Sequence[OpenCLArray | np.generic], outs: Sequence[OpenCLArray],
    ) -> None:  # fmt: skip
        """A kernel over count elements: operands are arrays, or numbers as NumPy's scalars."""
        arrays = [x for x in operands if not isinstance(x, np.generic)]
        arguments: list[_Argument] = []
        for x in operands:
            arguments += [x] if isinstance(x, np.generic) else _memory(x)
        for out in outs:
            arguments += _memory(out)
        self._enqueue(launcher, count, arguments, arrays, outs, WIDE if kernel.wide else 1)

    # ------------------------------------------------------------ reductions

    def product(self, x: OpenCLArray, y: OpenCLArray) -> None:
        """That of stacks of matrices, in double: there is none."""

    @cached_property
    def units(self) -> int:
        return int(self._device.max_compute_units)

    @cached_property
    def group(self) -> int:
        """Work-items of a group that share memory."""
        most = min(_SHARING, int(self._device.max_work_group_size))
        return 1 << (most.bit_length() - 1)

    def place(self, x: OpenCLArray) -> int:
        """Of its first element, from where memory is aligned."""
        return x.offset // x.dtype.itemsize

    def memory(self, x: OpenCLArray) -> list[_Argument]:
        """An array's memory, and the place of its first element."""
        return _memory(x)

    def fetched(self, x: OpenCLArray) -> NDArray[Any]:
        """A copy on the host."""
        return x.get(self._queue)

    def built(self, kernel: Reduction) -> _Launcher:
        """What launches a reduction. DeviceError if it does not compile."""
        return _Launcher(self._cl, self._device, self._build(kernel.opencl(self._has_half)))

    def launch(
        self, launcher: _Launcher, groups: tuple[int, int], group: int,
        arguments: Sequence[_Argument], read: Sequence[OpenCLArray],
        written: Sequence[OpenCLArray],
    ) -> None:  # fmt: skip
        """A kernel over so many groups, one way and the other."""
        waits = [event for x in (*read, *written) for event in x.events]
        size = groups[0] * group, groups[1]
        event = launcher.over(self._queue, size, (group, 1), arguments, waits)
        self._record(event, read, written, waits)

    @property
    def _has_half(self) -> bool:
        return _CONVERSION[0] in self._options

    def _build(self, text: str) -> Program:
        return _built(self._cl, self._context, self._device, text, self._options)

    def _enqueue(
        self, launcher: _Launcher, count: int, arguments: Sequence[_Argument],
        read: Iterable[OpenCLArray], written: Iterable[OpenCLArray], each: int = 1,
    ) -> None:  # fmt: skip
        read, written = list(read), list(written)
        waits = [event for x in (*read, *written) for event in x.events]
        event = launcher(self._queue, -(-count // each), (np.uint64(count), *arguments), waits)
        self._record(event, read, written, waits)

    def _record(
        self, event: Event, read: Sequence[OpenCLArray], written: Sequence[OpenCLArray],
        waited: Sequence[Event],
    ) -> None:  # fmt: skip
        """What uses these arrays next waits for the event."""
        record(event, written if self._is_in_order else (*written, *read), waited)


def record(event: Event, arrays: Iterable[OpenCLArray], waited: Iterable[Event]) -> None:
    """Arrays are in use until an event, which comes after those that it has waited for.

    Their add_event would keep these, and wait itself once there are many.
    """
    for array in arrays:
        array.events.append(event)
        for other in waited:
            with suppress(ValueError):  # of another array
                array.events.remove(other)


class _Launcher:
    """A kernel, by one thread at a time: it holds its arguments.

    Each kind of memory has one of its own: NVIDIA's refuse buffers after shared memory.
    """

    def __init__(self, cl: ModuleType, device: OpenCLDevice, program: Program) -> None:
        self._make: Callable[[], OpenCLKernel] = partial(cl.Kernel, program, "hck")
        self._kernels: dict[tuple[type, ...], OpenCLKernel] = {}
        self._lock = threading.Lock()
        most = self._make().get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device)
        self._group = min(_GROUP, 1 << (most.bit_length() - 1))

    def __call__(
        self, queue: Queue, items: int, arguments: Sequence[_Argument], waits: list[Event]
    ) -> Event:
        size = -(-items // self._group) * self._group
        return self.over(queue, (size,), (self._group,), arguments, waits)

    def over(
        self, queue: Queue, size: tuple[int, ...], group: tuple[int, ...],
        arguments: Sequence[_Argument], waits: list[Event],
    ) -> Event:  # fmt: skip
        kinds = tuple(map(type, arguments))
        with self._lock:
            if kinds not in self._kernels:
                self._kernels[kinds] = self._make()
            return self._kernels[kinds](queue, size, group, *arguments, wait_for=waits)


def _memory(x: OpenCLArray) -> list[_Argument]:
    """An array's memory, and the place of its first element."""
    return [x.base_data, np.uint64(x.offset // x.dtype.itemsize)]


def _word(dtype: np.dtype[Any], other: np.dtype[Any]) -> str:
    """OpenCL's name of an integer type; of what keeps its size, that of its bits."""
    if dtype.itemsize == other.itemsize:
        return {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[dtype.itemsize]
    return TYPES.get(dtype.char, "double")


def _steps(x: OpenCLArray, axes: int) -> tuple[int, ...]:
    """How many elements further the next one lies along each axis, of so many: 0 if broadcast."""
    steps = zip(x.strides, x.shape, strict=True)
    return (0,) * (axes - len(x.shape)) + tuple(
        step // x.dtype.itemsize if length > 1 else 0 for step, length in steps
    )


def _copy_text(source: str, target: str, axes: int, masked: bool) -> str:
    each = ", ulong n_{0}" + "".join(f", long {v}_{{0}}_step" for v in "xmr")
    more = "".join(each.format(k) for k in range(axes))
    lines = "\n        ".join(_AXIS.format(k) for k in reversed(range(axes)))
    condition = "m[mask] != 0" if masked else "1"
    return _COPY.format(source=source, target=target, more=more, axes=lines, condition=condition)


def _built(
    cl: ModuleType, context: Context, device: OpenCLDevice, text: str, options: _Options
) -> Program:
    program: Program = untranslated(cl)(context, text)
    build = program.build
    with _building, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyopencl's, of what a compiler remarks
        try:
            try:
                return build(options=list(options), devices=[device])
            except (KeyError, OSError):  # pyopencl's, where its cache of programs fails
                return build(options=list(options), devices=[device], cache_dir=False)
        except cl.Error as error:
            raise DeviceError(f"{device.name.strip()}: {_reason(str(error))}") from None


def _reason(log: str) -> str:
    """The first error in a compiler's log, or its first line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    return (errors or lines or ["it does not compile"])[0]


# ---------------------------------------------------------------- what a device can

_known: dict[OpenCLDevice, _Options | DeviceError] = {}
_knowing = threading.Lock()


def build_options(cl: ModuleType, context: Context, device: OpenCLDevice) -> list[str]:
    """Those with which a text of the functions is built for a device. DeviceError if it cannot."""
    return list(_options(cl, context, device))


def _options(cl: ModuleType, context: Context, device: OpenCLDevice) -> _Options:
    """The options with which a device computes rightly, found out once. DeviceError if none."""
    with _knowing:
        if device not in _known:
            try:
                _known[device] = _found_options(cl, context, device)
            except DeviceError as error:
                _known[device] = error
        found = _known[device]
    if isinstance(found, DeviceError):
        raise DeviceError(str(found))
    return found


def _found_options(cl: ModuleType, context: Context, device: OpenCLDevice) -> _Options:
    _check_claims(device)
    division = _DIVISION if device.single_fp_config & _RIGHT_DIVISION else ()
    conversion = _conversion(cl, device)
    try:
        verdict = _verdict(cl, context, device, division + conversion)
    except DeviceError:  # of a compiler that does not know what the device claims
        if not division + conversion:
            raise
        division = conversion = ()
        verdict = _verdict(cl, context, device, ())
    kept = (() if verdict.division else division) + (() if verdict.conversion else conversion)
    if kept != division + conversion:
        verdict = _verdict(cl, context, device, kept)
    wrong = verdict.arithmetic or verdict.conversion or verdict.division
    if wrong:
        raise DeviceError(f"{device.name.strip()}: expected IEEE 754's results; {wrong}: wrong")
    return kept


def _conversion(cl: ModuleType, device: OpenCLDevice) -> _Options:
    """How its own conversions between half and float are asked for, if they may be fast."""
    if "cl_khr_fp16" in device.extensions.split():
        return _CONVERSION
    if not device.type & cl.device_type.GPU:
        return ()
    return (*_LOADS, *_nvidia(device))


def _nvidia(device: OpenCLDevice) -> _Options:
    """Of its GPUs, which instructions for halves they have."""
    if "cl_nv_device_attribute_query" not in device.extensions.split():
        return ()
    capability = 10 * device.compute_capability_major_nv + device.compute_capability_minor_nv
    return (f"-DHC_COMPUTE_CAPABILITY={10 * capability}",)


def _check_claims(device: OpenCLDevice) -> None:
    """DeviceError if a device says that it lacks what the functions need."""
    name, extensions = device.name.strip(), device.extensions.split()
    lacking = [
        what
        for what, is_there in (
            ("a compiler", device.compiler_available),
            ("infinities and NaN in float32", device.single_fp_config & _INF_NAN),
            ("rounding to nearest in float32", device.single_fp_config & _NEAREST),
            ("integers of 64 bits",
             "EMBEDDED" not in device.profile or "cles_khr_int64" in extensions),
        )
        if not is_there
    ]  # fmt: skip
    if lacking:
        raise DeviceError(f"{name}: halfcl's functions need {', '.join(lacking)}; it has none")


def _verdict(
    cl: ModuleType, context: Context, device: OpenCLDevice, options: _Options
) -> probing.Verdict:
    text = opencl(probing.FUNCTIONS, fp16=_CONVERSION[0] in options)
    kernels = probing.kernels("__kernel", "__global ", "get_global_id(0)")
    program = _built(cl, context, device, f"{text}\n{kernels}", options)
    queue, flags = cl.CommandQueue(context, device), cl.mem_flags

    def run(name: str, given: NDArray[Any], out: NDArray[Any], count: int) -> None:
        read = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=given)
        written = cl.Buffer(context, flags.WRITE_ONLY, out.nbytes)
        cl.Kernel(program, name)(queue, (count,), None, read, written)
        cl.enqueue_copy(queue, out, written)
        queue.finish()

    return probing.probe(run, division=_DIVISION[1] in options)
