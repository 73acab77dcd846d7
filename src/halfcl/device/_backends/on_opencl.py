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

from halfcl.device._backends import probing
from halfcl.device._backends.libraries import (
    Buffer,
    Context,
    Event,
    OpenCLArray,
    OpenCLDevice,
    OpenCLKernel,
    Program,
    Queue,
    original_program,
)
from halfcl.device._backends.probing import DeviceError, first_error
from halfcl.device._source.catalogue import TYPES
from halfcl.device._source.dialects import OPENCL, Dialect
from halfcl.device._source.kernel_text import WIDE, Kernel
from halfcl.device._source.reduction_text import Reduction
from halfcl.device._source.text import source

_DIVISION = ("-cl-fp32-correctly-rounded-divide-sqrt", "-DHC_NATIVE_DIVISION")
_CONVERSION = ("-DHC_NATIVE_CONVERSION",)
#: For GPUs without cl_khr_fp16. CPUs convert through memory, and are slower with it.
_LOADS = ("-DHC_NATIVE_LOADS",)

#: For CPUs that vectorize no work-items with functions of vectors in them. Intel's runtime does.
_WHOLE_VECTORS = ("-DHC_WHOLE_VECTORS",)

#: Bits of CL_DEVICE_SINGLE_FP_CONFIG.
_INF_NAN, _NEAREST, _RIGHT_DIVISION = 1 << 1, 1 << 2, 1 << 7

#: Work-items per work-group, if the device allows so many; and if they share memory.
_GROUP, _SHARING = 256, 128

#: From this many elements on, a kernel for whole work-groups is worth compiling.
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

#: An argument of a kernel: an array's memory, None for an empty one, or a number.
_Argument: TypeAlias = Buffer | np.generic | None

#: Programs are built one at a time, since the filters of warnings are the whole process's.
_build_lock = threading.Lock()


class OpenCLMachine:
    """A queue's device with pyopencl's arrays; a context means a new queue on its first device."""

    array_name = "pyopencl.array.Array"
    to_device = "pyopencl.array.to_device(queue, x)"

    def __init__(self, where: Queue | Context) -> None:
        cl = import_module("pyopencl")
        self._cl, self._arrays = cl, import_module("pyopencl.array")
        selected: Any = where  # a queue or a context
        is_queue = isinstance(selected, cl.CommandQueue)
        self._queue: Queue = (
            selected if is_queue else cl.CommandQueue(selected, selected.devices[0])
        )
        self._context = self._queue.context
        self._device = self._queue.device
        self._is_in_order = not (
            self._queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        )
        self._copies: dict[tuple[str, str, int, bool], _Launcher] = {}
        self._options = _options(cl, self._context, self._device)
        self.dialect = _dialect(self._options)
        #: Whether kernels process eight elements per work-item.
        self.is_wide = not self._device.type & cl.device_type.CPU

    @cached_property
    def name(self) -> str:
        return f"{self._device.name.strip()}, {self._device.platform.name.strip()}"

    def __repr__(self) -> str:
        return f"OpenCL device {self.name}"

    # ------------------------------------------------------------ arrays

    def is_array(self, x: object) -> TypeGuard[OpenCLArray]:
        return isinstance(x, self._arrays.Array)

    def placement_error(self, x: OpenCLArray) -> str:
        """Return where an array should lie and does not, or ""."""
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
        """Return a new array; another one, if there is one, provides the allocator."""
        allocator = None if like is None else like.allocator
        array: OpenCLArray = self._arrays.Array(
            self._queue, shape, dtype, order=order, allocator=allocator
        )
        return array

    def from_host(self, x: NDArray[Any]) -> OpenCLArray:
        array: OpenCLArray = self._arrays.to_device(self._queue, x)
        return array

    def as_type(self, x: OpenCLArray, dtype: DTypeLike) -> OpenCLArray:
        copy = self.empty(x.shape, dtype, "C", x)
        self.assign(copy, x, None)
        return copy

    def view(self, x: OpenCLArray, dtype: DTypeLike) -> OpenCLArray:
        """Return the array's memory as another dtype of that size."""
        array: OpenCLArray = self._arrays.Array(
            self._queue, x.shape, dtype, strides=x.strides, data=x.base_data, offset=x.offset,
            events=x.events,
        )  # fmt: skip
        return array

    def broadcast(self, x: OpenCLArray, shape: tuple[int, ...]) -> OpenCLArray:
        """Return the elements broadcast to a shape, contiguous in C's order."""
        if x.shape == shape and x.flags.c_contiguous:
            return x
        copy = self.empty(shape, x.dtype, "C", x)
        self.assign(copy, x, None)
        return copy

    def move_axis(self, x: OpenCLArray, source: int, target: int) -> OpenCLArray:
        """Return the array with an axis moved."""
        axes = [k for k in range(len(x.shape)) if k != source]
        axes.insert(target, source)
        array: OpenCLArray = x.transpose(axes)
        return array

    def reshape(self, x: OpenCLArray, shape: tuple[int, ...]) -> OpenCLArray:
        array: OpenCLArray = x.reshape(shape)
        return array

    def assign(self, out: OpenCLArray, x: OpenCLArray, where: OpenCLArray | None) -> None:
        """Assign an array's elements, broadcast, to another array where a mask is true.

        Both have the same dtype, or the second one has wider integers.
        """
        if not out.size:
            return
        masked, axes = where is not None, len(out.shape)
        mask = x if where is None else where  # never read without a mask
        key = _word(x.dtype, out.dtype), _word(out.dtype, x.dtype), axes, masked
        if key not in self._copies:
            self._copies[key] = self._launcher(_copy_text(*key))
        each = [out.shape, _steps(x, axes), _steps(mask, axes), _steps(out, axes)]
        more: list[np.generic] = []
        for length, *steps in zip(*each, strict=True):
            more += [np.uint64(length), *map(np.int64, steps)]
        arguments = [*_memory(x), *_memory(mask), *_memory(out), *more]
        self._enqueue(self._copies[key], out.size, arguments, [x, mask], [out])

    def is_separate(self, out: OpenCLArray, x: OpenCLArray, alike: bool = True) -> bool:
        """Return whether writing `out` cannot change elements of `x` that are yet to be read.

        alike: whether both may be the same array, since no element needs another one's operand.
        """
        one, other = out.base_data, x.base_data
        if one is other or one == other:
            is_same = alike and out.offset == x.offset and out.shape == x.shape
            is_same = is_same and out.dtype.itemsize == x.dtype.itemsize
            return bool(is_same and out.strides == x.strides)
        return self._is_whole(one) and self._is_whole(other)

    def _is_whole(self, memory: object) -> bool:
        """Return whether memory is a buffer of its own, no part of another one."""
        cl = self._cl
        if not isinstance(memory, cl.Buffer):
            return False
        return memory.associated_memobject is None and not memory.flags & cl.mem_flags.USE_HOST_PTR

    # ------------------------------------------------------------ kernels

    def is_aligned(self, x: OpenCLArray) -> bool:
        """Return whether wide kernels can read the array."""
        return bool(x.offset % (WIDE * x.dtype.itemsize) == 0)

    def is_whole(self, count: int) -> bool:
        """Return whether a kernel for whole work-groups is worth compiling."""
        return not self.is_wide and count >= _MANY and count % _GROUP == 0

    def build(self, kernel: Kernel | Reduction) -> _Launcher:
        """Return the launcher of a kernel; raise DeviceError if it does not compile."""
        return self._launcher(kernel.text(self.dialect))

    def run(
        self, launcher: _Launcher, kernel: Kernel, count: int,
        operands: Sequence[OpenCLArray | np.generic], outs: Sequence[OpenCLArray],
    ) -> None:  # fmt: skip
        """Run a kernel over count elements; operands are arrays, or numbers as NumPy's scalars."""
        arrays = [x for x in operands if not isinstance(x, np.generic)]
        arguments: list[_Argument] = []
        for x in operands:
            arguments += [x] if isinstance(x, np.generic) else _memory(x)
        for out in outs:
            arguments += _memory(out)
        self._enqueue(launcher, count, arguments, arrays, outs, WIDE if kernel.wide else 1)

    # ------------------------------------------------------------ reductions

    def can_multiply(self) -> bool:
        """Return False: there is no library's product of matrices in double."""
        return False

    def product(self, x: OpenCLArray, y: OpenCLArray) -> OpenCLArray:
        raise NotImplementedError

    @cached_property
    def units(self) -> int:
        return int(self._device.max_compute_units)

    @cached_property
    def group(self) -> int:
        """Work-items of a work-group that share memory."""
        most = min(_SHARING, int(self._device.max_work_group_size))
        return 1 << (most.bit_length() - 1)

    def offset(self, x: OpenCLArray) -> int:
        """Return the first element's offset from where memory is aligned."""
        return x.offset // x.dtype.itemsize

    def memory(self, x: OpenCLArray) -> list[_Argument]:
        """Return an array's memory, and its first element's offset."""
        return _memory(x)

    def to_host(self, x: OpenCLArray) -> NDArray[Any]:
        """Return a copy on the host."""
        return x.get(self._queue)

    def launch(
        self, launcher: _Launcher, groups: tuple[int, int], group: int,
        arguments: Sequence[_Argument], read: Sequence[OpenCLArray],
        written: Sequence[OpenCLArray],
    ) -> None:  # fmt: skip
        """Launch a kernel over a grid of work-groups."""
        waits = [event for x in (*read, *written) for event in x.events]
        size = groups[0] * group, groups[1]
        event = launcher.launch(self._queue, size, (group, 1), arguments, waits)
        self._record(event, read, written, waits)

    def _launcher(self, text: str) -> _Launcher:
        """Return the launcher of a text's kernel; raise DeviceError if it does not compile."""
        program = _build_program(self._cl, self._context, self._device, text, self._options)
        return _Launcher(self._cl, self._device, program)

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
        """Let later uses of these arrays wait for the event."""
        record(event, written if self._is_in_order else (*written, *read), waited)


def record(event: Event, arrays: Iterable[OpenCLArray], waited: Iterable[Event]) -> None:
    """Mark arrays as in use until an event, which comes after those that it waited for.

    Their add_event would keep the earlier events, and block once there are many.
    """
    for array in arrays:
        array.events.append(event)
        for other in waited:
            with suppress(ValueError):  # of another array
                array.events.remove(other)


class _Launcher:
    """A kernel used by one thread at a time, since it holds its arguments.

    Each combination of argument types has a kernel object of its own, since NVIDIA's refuse buffers
    after shared memory.
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
        return self.launch(queue, (size,), (self._group,), arguments, waits)

    def launch(
        self, queue: Queue, size: tuple[int, ...], group: tuple[int, ...],
        arguments: Sequence[_Argument], waits: list[Event],
    ) -> Event:  # fmt: skip
        kinds = tuple(map(type, arguments))
        with self._lock:
            if kinds not in self._kernels:
                self._kernels[kinds] = self._make()
            return self._kernels[kinds](queue, size, group, *arguments, wait_for=waits)


def _memory(x: OpenCLArray) -> list[_Argument]:
    """Return an array's memory, and its first element's offset."""
    return [x.base_data, np.uint64(x.offset // x.dtype.itemsize)]


def _word(dtype: np.dtype[Any], other: np.dtype[Any]) -> str:
    """Return OpenCL's name of an integer type; of the type's bits, if its size is kept."""
    if dtype.itemsize == other.itemsize:
        return {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[dtype.itemsize]
    return TYPES.get(dtype.char, "double")


def _steps(x: OpenCLArray, axes: int) -> tuple[int, ...]:
    """Return the distance between elements along each of so many axes; 0 if broadcast."""
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


def _build_program(
    cl: ModuleType, context: Context, device: OpenCLDevice, text: str, options: _Options
) -> Program:
    program: Program = original_program(cl)(context, text)
    build = program.build
    with _build_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyopencl warns of a compiler's remarks
        try:
            try:
                return build(options=list(options), devices=[device])
            except (KeyError, OSError):  # pyopencl's cache of programs failed
                return build(options=list(options), devices=[device], cache_dir=False)
        except cl.Error as error:
            raise DeviceError(f"{device.name.strip()}: {first_error(str(error))}") from None


# ---------------------------------------------------------------- what a device can

_known: dict[OpenCLDevice, _Options | DeviceError] = {}
_known_lock = threading.Lock()


def build_options(cl: ModuleType, context: Context, device: OpenCLDevice) -> list[str]:
    """Return the options to build a text of the functions with for a device.

    Raise DeviceError if none make it compute correctly.
    """
    return list(_options(cl, context, device))


def _options(cl: ModuleType, context: Context, device: OpenCLDevice) -> _Options:
    """Return the options with which a device computes correctly; tested once per device.

    Raise DeviceError if there are none.
    """
    with _known_lock:
        if device not in _known:
            try:
                _known[device] = _find_options(cl, context, device)
            except DeviceError as error:
                _known[device] = error
        result = _known[device]
    if isinstance(result, DeviceError):
        raise DeviceError(str(result))
    return result


def _find_options(cl: ModuleType, context: Context, device: OpenCLDevice) -> _Options:
    _check_claims(device)
    division = _DIVISION if device.single_fp_config & _RIGHT_DIVISION else ()
    conversion = _conversion_options(cl, device)
    try:
        verdict = _verdict(cl, context, device, division + conversion)
    except DeviceError:  # the compiler rejects what the device claims to support
        if not division + conversion:
            raise
        division = conversion = ()
        verdict = _verdict(cl, context, device, ())
    options = (() if verdict.division else division) + (() if verdict.conversion else conversion)
    if options != division + conversion:
        verdict = _verdict(cl, context, device, options)
    error = verdict.arithmetic or verdict.conversion or verdict.division
    if error:
        raise DeviceError(
            f"{device.name.strip()}: expected IEEE 754's results, got wrong ones of {error}"
        )
    return options + _vector_options(cl, device)


def _dialect(options: _Options) -> Dialect:
    """Return the variant of OpenCL C for a device with these options."""
    return OPENCL.variant(_CONVERSION[0] in options)


def _conversion_options(cl: ModuleType, device: OpenCLDevice) -> _Options:
    """Return the options for the device's own conversions of half, if these may be fast."""
    if "cl_khr_fp16" in device.extensions.split():
        return _CONVERSION
    if not device.type & cl.device_type.GPU:
        return ()
    return (*_LOADS, *_nvidia_options(device))


def _vector_options(cl: ModuleType, device: OpenCLDevice) -> _Options:
    """Return the option for functions of whole vectors, where they are faster."""
    is_intel = "Intel" in device.platform.name
    return _WHOLE_VECTORS if device.type & cl.device_type.CPU and not is_intel else ()


def _nvidia_options(device: OpenCLDevice) -> _Options:
    """Return the option that tells an NVIDIA GPU's compute capability."""
    if "cl_nv_device_attribute_query" not in device.extensions.split():
        return ()
    capability = 10 * device.compute_capability_major_nv + device.compute_capability_minor_nv
    return (f"-DHC_COMPUTE_CAPABILITY={10 * capability}",)


def _check_claims(device: OpenCLDevice) -> None:
    """Raise DeviceError if a device says that it lacks what the functions need."""
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
        raise DeviceError(f"{name}: expected {', '.join(lacking)}, got none")


def _verdict(
    cl: ModuleType, context: Context, device: OpenCLDevice, options: _Options
) -> probing.Verdict:
    """Test a device's arithmetic with a program built with these options."""
    dialect = _dialect(options)
    text = f"{source(dialect, probing.FUNCTIONS)}\n{probing.kernels(dialect)}"
    program = _build_program(cl, context, device, text, options)
    queue, flags = cl.CommandQueue(context, device), cl.mem_flags

    def run(name: str, values: NDArray[Any], out: NDArray[Any], count: int) -> None:
        read = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=values)
        written = cl.Buffer(context, flags.WRITE_ONLY, out.nbytes)
        cl.Kernel(program, name)(queue, (count,), None, read, written)
        cl.enqueue_copy(queue, out, written)
        queue.finish()

    return probing.probe(run, division=_DIVISION[1] in options)
