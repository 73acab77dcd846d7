"""CUDA devices, on which CuPy runs the kernels."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

import halfcl as hc
from halfcl import _core
from halfcl._support.extras import require
from halfcl.device import DeviceFunctions, compile
from halfcl.device._backends.libraries import CudaFunction, CudaStream
from halfcl.device._backends.on_cuda import BLOCK, MANY, CudaMachine
from halfcl.device._source.catalogue import forms
from halfcl.device._source.kernel_text import WIDE, Kernel
from halfcl.typing import RoundingMode

#: Elements per block.
_PER_BLOCK = WIDE * BLOCK
_BLOCKS = (BLOCK,)


@functools.cache
def functions_on(number: int) -> DeviceFunctions:
    """Return halfcl's functions on a CUDA device, for the stream current at each call."""
    cupy = require("cupy", "CuPy", "cuda", "to compute on CUDA devices")
    return compile(cupy.cuda.Device(number))


class Launch:
    """A kernel over contiguous arrays of one shape and over numbers.

    It takes few steps, since these take most of the time of a call of few elements. inputs and
    outputs are NumPy's letters.
    """

    __slots__ = ("_function", "_kernel", "_launcher", "_machine", "inputs", "outputs")

    def __init__(self, number: int, kernel: Kernel) -> None:
        functions = functions_on(number)
        launcher: Any = functions.launcher(kernel)
        machine: Any = functions.machine
        self._machine: CudaMachine = machine
        self._kernel, self._launcher = kernel, launcher
        self.inputs, self.outputs = kernel.form.inputs, kernel.form.outputs
        with self._machine.current():
            self._function: CudaFunction = launcher.kernel

    def __call__(
        self, count: int, operands: Sequence[object], results: Sequence[object],
        stream: CudaStream | None,
    ) -> None:  # fmt: skip
        """Launch the kernel on CuPy's arrays or addresses, in a stream or the current one."""
        if count < MANY:
            arguments = (count, *operands, *results)
            self._function((-(-count // _PER_BLOCK),), _BLOCKS, arguments, 0, stream)
            return
        with nullcontext() if stream is None else stream:
            inputs: Any = operands
            written: Any = results
            self._machine.run(self._launcher, self._kernel, count, inputs, written)


_launches: dict[tuple[np.ufunc, int, tuple[str, ...]], Launch | None] = {}


def launch(ufunc: np.ufunc, number: int, kinds: tuple[str, ...]) -> Launch | None:
    """Return the kernel of a ufunc on a CUDA device for operands of these kinds.

    None for functions of vectors, and in a region that rounds at random.
    """
    key = ufunc, number, kinds
    if key not in _launches:
        name, _, mode = ufunc.__name__.rpartition("_")
        form = forms()[name][0] if name in forms() else None
        result = None
        if form is not None and not form.vectors and len(form.inputs) == len(kinds):
            checked: Any = mode
            result = Launch(number, Kernel(form, checked, kinds, wide=True))
        _launches[key] = result
    return None if _core.rounds_at_random() else _launches[key]


def half_bits(x: float, rounding: RoundingMode | None) -> np.uint16:
    """Return the bits of a number as a kernel accepts them for a half."""
    half = hc.half(x, rounding=rounding or hc.get_rounding())
    return np.uint16(np.asarray(half).view(np.uint16))
