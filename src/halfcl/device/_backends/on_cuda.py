"""An NVIDIA GPU that runs kernels over CuPy's arrays."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import DTypeLike, NDArray

import halfcl as hc
from halfcl.device._backends import probing
from halfcl.device._backends.libraries import (
    CudaArray,
    CudaDevice,
    CudaStream,
    RawKernel,
    RawModule,
)
from halfcl.device._backends.probing import DeviceError, first_error
from halfcl.device._source.dialects import CUDA, Dialect
from halfcl.device._source.kernel_text import ARRAY, WIDE, Kernel
from halfcl.device._source.reduction_text import Reduction
from halfcl.device._source.text import source

#: Without --use_fast_math: NVRTC then fuses operations only where the source asks for it.
_OPTIONS = ("--std=c++17",)

#: A variable of cuBLAS that makes it emulate double precision.
_EMULATION = "CUBLAS_EMULATE_DOUBLE_PRECISION"


def is_double_emulated() -> bool:
    """Return whether cuBLAS emulates double precision."""
    return os.environ.get(_EMULATION, "0") != "0"


#: Threads per block.
BLOCK = 256

#: From this many elements on, a function of one half is looked up in a table of all results, which
#: each multiprocessor has in its shared memory. That is as fast as copying, for any function.
MANY = 1 << 22
_TABLE_BYTES = 2 << 16
_LOOK_UP = """
extern "C" __global__ void hck_look_up(
    unsigned long long n, const uint4 *table, const __half *x, __half *r)
{
    extern __shared__ uint4 hck_results[];
    const unsigned short *result = (const unsigned short *)hck_results;
    const uint4 *from = (const uint4 *)x;
    uint4 *to = (uint4 *)r;
    unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x, packs = n / 8;
    for (int k = threadIdx.x; k < 8192; k += blockDim.x)
        hck_results[k] = table[k];
    __syncthreads();
    for (unsigned long long i = first; i < packs; i += 2 * step) {
        uint4 pack[2] = {from[i], i + step < packs ? from[i + step] : from[i]};
        unsigned short *half = (unsigned short *)pack;
        #pragma unroll
        for (int k = 0; k < 16; ++k)
            half[k] = result[half[k]];
        to[i] = pack[0];
        if (i + step < packs)
            to[i + step] = pack[1];
    }
    if (first < n % 8)
        r[8 * packs + first] = __ushort_as_half(result[__half_as_ushort(x[8 * packs + first])]);
}
"""


class CudaMachine:
    """A GPU with CuPy's arrays; a device means the stream that is current at the call."""

    array_name = "cupy.ndarray"
    to_device = "cupy.asarray(x)"
    #: GPUs read and write fastest 16 bytes at a time.
    is_wide = True
    dialect: Dialect = CUDA

    def __init__(self, where: CudaDevice | CudaStream) -> None:
        cupy = import_module("cupy")
        self._cupy = cupy
        selected: Any = where  # a device or a stream
        is_device = isinstance(selected, cupy.cuda.Device)
        self._stream: CudaStream | None = None if is_device else selected
        number: int = selected.id if is_device else selected.device_id
        # The default streams belong to every device; their device_id is negative.
        self._device: CudaDevice = cupy.cuda.Device(number if number >= 0 else None)
        self._tables: dict[Kernel, CudaArray] = {}
        try_out(cupy, self._device)

    def __repr__(self) -> str:
        raw = self._cupy.cuda.runtime.getDeviceProperties(self._device.id)["name"]
        name = raw.decode() if isinstance(raw, bytes) else str(raw)
        return f"CUDA device {self._device.id}, {name}"

    def current(self) -> AbstractContextManager[object]:
        """Return a context in which the device and its stream are current."""
        if self._stream is None and self._cupy.cuda.runtime.getDevice() == self._device.id:
            return nullcontext()
        stack = ExitStack()
        stack.enter_context(self._device)
        if self._stream is not None:
            stack.enter_context(self._stream)
        return stack

    # ------------------------------------------------------------ arrays

    def is_array(self, x: object) -> TypeGuard[CudaArray]:
        return isinstance(x, self._cupy.ndarray)

    def placement_error(self, x: CudaArray) -> str:
        """Return where an array should lie and does not, or ""."""
        return "" if x.device.id == self._device.id else f"on {self!r}, got one on {x.device!r}"

    def empty(
        self, shape: tuple[int, ...], dtype: DTypeLike, order: str, like: CudaArray | None
    ) -> CudaArray:
        """Return a new array; CuPy's have no half but float16."""
        with self.current():
            kind = np.float16 if np.dtype(dtype).type is hc.half else dtype
            array: CudaArray = self._cupy.empty(shape, kind, order=order)
            return array

    def from_host(self, x: NDArray[Any]) -> CudaArray:
        """Return a copy on the device; CuPy's arrays have no half but float16."""
        with self.current():
            is_half = x.dtype.type is hc.half
            array: CudaArray = self._cupy.asarray(x.view(np.float16) if is_half else x)
            return array

    def as_type(self, x: CudaArray, dtype: DTypeLike) -> CudaArray:
        with self.current():
            return x.astype(dtype)

    def view(self, x: CudaArray, dtype: DTypeLike) -> CudaArray:
        """Return the array's memory as another dtype of that size."""
        return x.view(dtype)

    def broadcast(self, x: CudaArray, shape: tuple[int, ...]) -> CudaArray:
        """Return the elements broadcast to a shape, contiguous in C's order."""
        with self.current():
            cupy = self._cupy
            array: CudaArray = cupy.ascontiguousarray(cupy.broadcast_to(x, shape))
            return array

    def move_axis(self, x: CudaArray, source: int, target: int) -> CudaArray:
        """Return the array with an axis moved."""
        array: CudaArray = self._cupy.moveaxis(x, source, target)
        return array

    def reshape(self, x: CudaArray, shape: tuple[int, ...]) -> CudaArray:
        array: CudaArray = self._cupy.reshape(x, shape)
        return array

    def assign(self, out: CudaArray, x: CudaArray, where: CudaArray | None) -> None:
        """Assign an array's elements, broadcast, to another array where a mask is true."""
        with self.current():
            self._cupy.copyto(out, x, where=True if where is None else where)

    def is_separate(self, out: CudaArray, x: CudaArray, alike: bool = True) -> bool:
        """Return whether writing `out` cannot change elements of `x` that are yet to be read.

        alike: whether both may be the same array, since no element needs another one's operand.
        """
        if out.data.ptr == x.data.ptr:
            is_same = alike and out.shape == x.shape and out.strides == x.strides
            return bool(is_same and out.dtype.itemsize == x.dtype.itemsize)
        return not self._cupy.may_share_memory(out, x)

    # ------------------------------------------------------------ kernels

    def is_aligned(self, x: CudaArray) -> bool:
        """Return whether wide kernels can read the array."""
        return bool(x.data.ptr % (8 if x.dtype.itemsize == 1 else 16) == 0)

    def is_whole(self, count: int) -> bool:
        """Return False: kernels for whole blocks are no faster on GPUs."""
        return False

    def build(self, kernel: Kernel | Reduction) -> RawKernel:
        """Return the launcher of a kernel; raise DeviceError if it does not compile."""
        with self.current():
            return _build_module(self._cupy, kernel.text(self.dialect)).get_function("hck")

    def run(
        self, launcher: RawKernel, kernel: Kernel, count: int,
        operands: Sequence[CudaArray | np.generic], outs: Sequence[CudaArray],
    ) -> None:  # fmt: skip
        """Run a kernel over count elements; operands are arrays, or numbers as NumPy's scalars."""
        items = -(-count // WIDE) if kernel.wide else count
        blocks = -(-items // BLOCK)
        with self.current():
            if count >= MANY and _is_table(kernel) and (look_up := self._look_up_in_shared_memory):
                table = self._table(launcher, kernel)
                self._look_up(look_up, table, count, operands[0], outs[0])
            else:
                launcher((blocks,), (BLOCK,), (np.uint64(count), *operands, *outs))

    # ------------------------------------------------------------ reductions

    def can_multiply(self) -> bool:
        """Return whether `product` may be called.

        Not if cuBLAS emulates double precision, since the errors then differ, nor while a CUDA
        graph captures calls, which CuPy does not support.
        """
        if is_double_emulated():
            return False
        with self.current():
            return not self._cupy.cuda.get_current_stream().is_capturing()

    def product(self, x: CudaArray, y: CudaArray) -> CudaArray:
        """Return the product of stacks of matrices of doubles, by cuBLAS."""
        with self.current():
            result: CudaArray = self._cupy.ascontiguousarray(self._cupy.matmul(x, y))
            return result

    #: Threads per block.
    group = BLOCK

    @cached_property
    def units(self) -> int:
        return self._device.attributes["MultiProcessorCount"]

    def offset(self, x: CudaArray) -> int:
        """Return the first element's offset from the multiple of 16 bytes before it."""
        return (x.data.ptr & 15) // x.dtype.itemsize

    def memory(self, x: CudaArray) -> list[np.generic]:
        """Return that multiple, and the offset."""
        return [np.uint64(x.data.ptr & ~15), np.uint64(self.offset(x))]

    def to_host(self, x: CudaArray) -> NDArray[Any]:
        """Return a copy on the host."""
        with self.current():
            copy: NDArray[Any] = self._cupy.asnumpy(x)
            return copy

    def launch(
        self, launcher: RawKernel, groups: tuple[int, int], group: int,
        arguments: Sequence[np.generic], read: Sequence[CudaArray], written: Sequence[CudaArray],
    ) -> None:  # fmt: skip
        """Launch a kernel over a grid of blocks."""
        with self.current():
            launcher(groups, (group,), tuple(arguments))

    # ------------------------------------------------------------ tables

    @cached_property
    def _look_up_in_shared_memory(self) -> RawKernel | None:
        """The kernel that looks results up, or None if the shared memory is too small."""
        most = "cudaDevAttrMaxSharedMemoryPerBlockOptin"
        attribute = getattr(self._cupy.cuda.runtime, most, 97)
        if self._cupy.cuda.runtime.deviceGetAttribute(attribute, self._device.id) < _TABLE_BYTES:
            return None
        text = f"#include <cuda_fp16.h>\n{_LOOK_UP}"
        kernel = _build_module(self._cupy, text).get_function("hck_look_up")
        kernel.max_dynamic_shared_size_bytes = _TABLE_BYTES
        return kernel

    def _table(self, launcher: RawKernel, kernel: Kernel) -> CudaArray:
        """Return the results of all halves, indexed by their bits."""
        if kernel not in self._tables:
            halves = self._cupy.arange(1 << 16, dtype=np.uint16).view(np.float16)
            table = self._cupy.empty_like(halves)
            arguments = (np.uint64(halves.size), halves, table)
            launcher((halves.size // WIDE // BLOCK,), (BLOCK,), arguments)
            self._cupy.cuda.get_current_stream().synchronize()  # other streams may use the table
            self._tables[kernel] = table
        return self._tables[kernel]

    def _look_up(
        self, kernel: RawKernel, table: CudaArray, count: int, x: CudaArray | np.generic,
        out: CudaArray,
    ) -> None:  # fmt: skip
        arguments = (np.uint64(count), table, x, out)
        kernel((self.units,), (1024,), arguments, shared_mem=_TABLE_BYTES)


def _is_table(kernel: Kernel) -> bool:
    """Return whether a table can hold all results: of one half that comes as an array."""
    form = kernel.form
    return kernel.wide and kernel.kinds == (ARRAY,) and (form.inputs, form.outputs) == ("e", "e")


def _build_module(cupy: ModuleType, text: str) -> RawModule:
    module: RawModule = cupy.RawModule(code=text, options=_OPTIONS, backend="nvrtc")
    try:
        module.compile()
    except cupy.cuda.compiler.CompileException as error:
        raise DeviceError(f"CUDA: {first_error(str(error), 'error')}") from None
    return module


# ---------------------------------------------------------------- what a device can

_known: dict[int, str] = {}
_known_lock = threading.Lock()


def try_out(cupy: ModuleType, device: CudaDevice) -> None:
    """Raise DeviceError if a GPU's arithmetic is wrong; tested once per GPU."""
    with _known_lock:
        if device.id not in _known:
            _known[device.id] = _find_error(cupy, device)
        error = _known[device.id]
    if error:
        raise DeviceError(
            f"GPU {device.id}: expected IEEE 754's results, got wrong ones of {error}"
        )


def probe_text() -> str:
    """Return the program that tests a GPU's arithmetic."""
    return f"{source(CUDA, probing.FUNCTIONS)}\n{probing.kernels(CUDA)}"


def _find_error(cupy: ModuleType, device: CudaDevice) -> str:
    """Return what a GPU computes wrong, or ""."""
    with device:
        module = _build_module(cupy, probe_text())

        def run(name: str, values: NDArray[Any], out: NDArray[Any], count: int) -> None:
            read, written = cupy.asarray(values), cupy.zeros(out.shape, out.dtype)
            module.get_function(name)((count,), (1,), (read, written))
            out[...] = cupy.asnumpy(written)

        verdict = probing.probe(run, division=False)
    return verdict.arithmetic or verdict.conversion
