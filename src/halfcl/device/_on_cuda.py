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
from halfcl.device import _kernel_text as kernel_text, _probing as probing
from halfcl.device._kernel_text import ARRAY, WIDE, Kernel
from halfcl.device._libraries import CudaArray, CudaDevice, CudaStream, RawKernel, RawModule
from halfcl.device._probing import DeviceError
from halfcl.device._reduction_text import Reduction
from halfcl.device._text import cuda

#: Without --use_fast_math and with what else NVRTC does by itself: fused only where asked for.
_OPTIONS = ("--std=c++17",)

#: A variable of cuBLAS's.
_EMULATION = "CUBLAS_EMULATE_DOUBLE_PRECISION"

#: Threads of a block.
BLOCK = 256

#: Of many elements a function of one half is looked up in a table of all results, which each
#: multiprocessor has in its shared memory: that goes as fast as copying, whatever the function.
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
    """A GPU; its arrays are CuPy's.

    Parameters
    ----------
    where : cupy.cuda.Device or cupy.cuda.Stream
        Of a device, kernels run in the stream that is current at the call.
    """

    array_name = "cupy.ndarray"
    to_device = "cupy.asarray(x)"
    #: GPUs read and write best 16 bytes at a time.
    is_wide = True
    is_cuda = True

    def __init__(self, where: CudaDevice | CudaStream) -> None:
        cupy = import_module("cupy")
        self._cupy = cupy
        given: Any = where  # the library knows which of the two
        is_device = isinstance(given, cupy.cuda.Device)
        self._stream: CudaStream | None = None if is_device else given
        number: int = given.id if is_device else given.device_id
        # The streams that are there from the beginning belong to every device.
        self._device: CudaDevice = cupy.cuda.Device(number if number >= 0 else None)
        self._tables: dict[Kernel, CudaArray] = {}
        try_out(cupy, self._device)

    def __repr__(self) -> str:
        found = self._cupy.cuda.runtime.getDeviceProperties(self._device.id)["name"]
        name = found.decode() if isinstance(found, bytes) else str(found)
        return f"CUDA device {self._device.id}, {name}"

    def current(self) -> AbstractContextManager[object]:
        """The device, and the stream, for what follows."""
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

    def elsewhere(self, x: CudaArray) -> str:
        """Where an array should be, and is not; or ""."""
        return "" if x.device.id == self._device.id else f"on {self!r}, got one on {x.device!r}"

    def empty(
        self, shape: tuple[int, ...], dtype: DTypeLike, order: str, like: CudaArray | None
    ) -> CudaArray:
        """A new array; CuPy's know no half but float16."""
        with self.current():
            kind = np.float16 if np.dtype(dtype).type is hc.half else dtype
            made: CudaArray = self._cupy.empty(shape, kind, order=order)
            return made

    def from_host(self, x: NDArray[Any]) -> CudaArray:
        with self.current():
            made: CudaArray = self._cupy.asarray(x)
            return made

    def as_type(self, x: CudaArray, dtype: DTypeLike) -> CudaArray:
        with self.current():
            return x.astype(dtype)

    def view(self, x: CudaArray, dtype: DTypeLike) -> CudaArray:
        """As another type of that size."""
        return x.view(dtype)

    def spread(self, x: CudaArray, shape: tuple[int, ...]) -> CudaArray:
        """The elements in C's order, broadcast to a shape."""
        with self.current():
            cupy = self._cupy
            made: CudaArray = cupy.ascontiguousarray(cupy.broadcast_to(x, shape))
            return made

    def moved(self, x: CudaArray, source: int, target: int) -> CudaArray:
        """With an axis in another place."""
        made: CudaArray = self._cupy.moveaxis(x, source, target)
        return made

    def reshaped(self, x: CudaArray, shape: tuple[int, ...]) -> CudaArray:
        made: CudaArray = self._cupy.reshape(x, shape)
        return made

    def assign(self, out: CudaArray, x: CudaArray, where: CudaArray | None) -> None:
        """Elements of one array, broadcast, to another one of their type: those that a mask, which
        is broadcast, has true."""
        with self.current():
            self._cupy.copyto(out, x, where=True if where is None else where)

    def is_separate(self, out: CudaArray, x: CudaArray, alike: bool = True) -> bool:
        """Whether writing one array cannot change the other's elements that are yet to be read.
        alike: whether it may be the same array, since no element needs another one's operand."""
        if out.data.ptr == x.data.ptr:
            is_same = alike and out.shape == x.shape and out.strides == x.strides
            return bool(is_same and out.dtype.itemsize == x.dtype.itemsize)
        return not self._cupy.may_share_memory(out, x)

    # ------------------------------------------------------------ kernels

    def is_aligned(self, x: CudaArray) -> bool:
        """Whether wide kernels can read it."""
        return bool(x.data.ptr % (8 if x.dtype.itemsize == 1 else 16) == 0)

    def is_whole(self, count: int) -> bool:
        """Whether kernels are to be made for whole blocks: to a GPU it is all the same."""
        return False

    def compiled(self, kernel: Kernel) -> RawKernel:
        """What launches a kernel. DeviceError if it does not compile."""
        text = f"{cuda([kernel.form.name])}\n{kernel_text.cuda(kernel)}"
        with self.current():
            return _built(self._cupy, text).get_function("hck")

    def run(
        self, launcher: RawKernel, kernel: Kernel, count: int,
        operands: Sequence[CudaArray | np.generic], outs: Sequence[CudaArray],
    ) -> None:  # fmt: skip
        """A kernel over count elements: operands are arrays, or numbers as NumPy's scalars."""
        items = -(-count // WIDE) if kernel.wide else count
        blocks = -(-items // BLOCK)
        with self.current():
            if count >= MANY and _is_table(kernel) and (look_up := self._look_up_in_shared_memory):
                table = self._table(launcher, kernel)
                self._look_up(look_up, table, count, operands[0], outs[0])
            else:
                launcher((blocks,), (BLOCK,), (np.uint64(count), *operands, *outs))

    # ------------------------------------------------------------ reductions

    def product(self, x: CudaArray, y: CudaArray) -> CudaArray | None:
        """That of stacks of matrices, by cuBLAS in double; None where it is told to emulate that,
        with errors of other kinds."""
        if os.environ.get(_EMULATION, "0") != "0":
            return None
        with self.current():
            product = self._cupy.matmul(x.astype(np.float64), y.astype(np.float64))
            made: CudaArray = self._cupy.ascontiguousarray(product)
            return made

    #: Threads of a block.
    group = BLOCK

    @cached_property
    def units(self) -> int:
        return self._device.attributes["MultiProcessorCount"]

    def place(self, x: CudaArray) -> int:
        """Of its first element, from the multiple of 16 bytes before it on."""
        return (x.data.ptr & 15) // x.dtype.itemsize

    def memory(self, x: CudaArray) -> list[np.generic]:
        """That multiple, and the place."""
        return [np.uint64(x.data.ptr & ~15), np.uint64(self.place(x))]

    def fetched(self, x: CudaArray) -> NDArray[Any]:
        """A copy on the host."""
        with self.current():
            copy: NDArray[Any] = self._cupy.asnumpy(x)
            return copy

    def built(self, kernel: Reduction) -> RawKernel:
        """What launches a reduction. DeviceError if it does not compile."""
        with self.current():
            return _built(self._cupy, kernel.cuda()).get_function("hck")

    def launch(
        self, launcher: RawKernel, groups: tuple[int, int], group: int,
        arguments: Sequence[np.generic], read: Sequence[CudaArray], written: Sequence[CudaArray],
    ) -> None:  # fmt: skip
        """A kernel over so many blocks, one way and the other."""
        with self.current():
            launcher(groups, (group,), tuple(arguments))

    # ------------------------------------------------------------ tables

    @cached_property
    def _look_up_in_shared_memory(self) -> RawKernel | None:
        """The kernel, or None if the shared memory is too small."""
        most = "cudaDevAttrMaxSharedMemoryPerBlockOptin"
        attribute = getattr(self._cupy.cuda.runtime, most, 97)
        if self._cupy.cuda.runtime.deviceGetAttribute(attribute, self._device.id) < _TABLE_BYTES:
            return None
        text = f"#include <cuda_fp16.h>\n{_LOOK_UP}"
        kernel = _built(self._cupy, text).get_function("hck_look_up")
        kernel.max_dynamic_shared_size_bytes = _TABLE_BYTES
        return kernel

    def _table(self, launcher: RawKernel, kernel: Kernel) -> CudaArray:
        """The results of all halves, by their bits."""
        if kernel not in self._tables:
            halves = self._cupy.arange(1 << 16, dtype=np.uint16).view(np.float16)
            table = self._cupy.empty_like(halves)
            given = (np.uint64(halves.size), halves, table)
            launcher((halves.size // WIDE // BLOCK,), (BLOCK,), given)
            self._cupy.cuda.get_current_stream().synchronize()  # other streams may come to use it
            self._tables[kernel] = table
        return self._tables[kernel]

    def _look_up(
        self, kernel: RawKernel, table: CudaArray, count: int, x: CudaArray | np.generic,
        out: CudaArray,
    ) -> None:  # fmt: skip
        blocks = self._device.attributes["MultiProcessorCount"]
        given = (np.uint64(count), table, x, out)
        kernel((blocks,), (1024,), given, shared_mem=_TABLE_BYTES)


def _is_table(kernel: Kernel) -> bool:
    """Whether all its results fit a table: of one half that comes as an array."""
    form = kernel.form
    return kernel.wide and kernel.kinds == (ARRAY,) and (form.inputs, form.outputs) == ("e", "e")


def _built(cupy: ModuleType, text: str) -> RawModule:
    module: RawModule = cupy.RawModule(code=text, options=_OPTIONS, backend="nvrtc")
    try:
        module.compile()
    except cupy.cuda.compiler.CompileException as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line]
        reason = (errors or lines or ["it does not compile"])[0]
        raise DeviceError(f"CUDA: {reason}") from None
    return module


# ---------------------------------------------------------------- what a device can

_known: dict[int, str] = {}
_knowing = threading.Lock()


def try_out(cupy: ModuleType, device: CudaDevice) -> None:
    """DeviceError if a GPU does not compute rightly, which is found out once."""
    with _knowing:
        if device.id not in _known:
            _known[device.id] = _wrong_on(cupy, device)
        wrong = _known[device.id]
    if wrong:
        raise DeviceError(f"GPU {device.id}: expected IEEE 754's results; {wrong}: wrong")


def probing_text() -> str:
    """What a GPU is tried out with."""
    kernels = probing.kernels('extern "C" __global__', "", "blockIdx.x")
    return f"{cuda(probing.FUNCTIONS)}\n{kernels}"


def _wrong_on(cupy: ModuleType, device: CudaDevice) -> str:
    with device:
        module = _built(cupy, probing_text())

        def run(name: str, given: NDArray[Any], out: NDArray[Any], count: int) -> None:
            read, written = cupy.asarray(given), cupy.zeros(out.shape, out.dtype)
            module.get_function(name)((count,), (1,), (read, written))
            out[...] = cupy.asnumpy(written)

        verdict = probing.probe(run, division=False)
    return verdict.arithmetic or verdict.conversion
