"""CUDA devices, where CuPy runs the kernels."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import halfcl as hc
from halfcl._support.extras import require
from halfcl.device import DeviceFunctions, compile
from halfcl.device._catalogue import forms
from halfcl.device._kernel_text import WIDE, Kernel
from halfcl.device._libraries import CudaFunction, CudaStream
from halfcl.device._on_cuda import BLOCK, MANY
from halfcl.typing import RoundingMode

#: Elements that one block works on.
_EACH = WIDE * BLOCK


@functools.cache
def functions_on(number: int) -> DeviceFunctions:
    """halfcl's functions on a CUDA device, in the stream that is current at a call."""
    cupy = require("cupy", "CuPy", "cuda", "to compute on CUDA devices")
    return compile(cupy.cuda.Device(number))


@dataclass(frozen=True)
class Launch:
    """A kernel over arrays that lie alike, each in one piece, and over numbers: in few steps, since
    a call of few elements takes as long as these do.

    inputs, outputs: NumPy's letters.
    """

    kernel: CudaFunction
    inputs: str
    outputs: str

    def __call__(self, count: int, arguments: Sequence[object], stream: CudaStream | None) -> None:
        """Of operands and results, which are CuPy's arrays, where memory begins, or numbers."""
        self.kernel((-(-count // _EACH),), (BLOCK,), (count, *arguments), 0, stream)


@functools.cache
def launch(ufunc: np.ufunc, number: int, kinds: tuple[str, ...]) -> Launch | None:
    """That of a ufunc on a CUDA device, for operands that come so; None of functions of vectors."""
    name, _, mode = ufunc.__name__.rpartition("_")
    form = forms()[name][0] if name in forms() else None
    if form is None or form.vectors or len(form.inputs) != len(kinds):
        return None
    found: Any = mode
    kernel = Kernel(form, found, kinds, wide=True)
    launcher: Any = functions_on(number).launcher(kernel)
    with functions_on(number).machine.current():
        return Launch(launcher.kernel, form.inputs, form.outputs)


def half_bits(x: float, rounding: RoundingMode | None) -> np.uint16:
    """A number as a kernel takes it where it takes a half."""
    half = hc.half(x, rounding=rounding or hc.get_rounding())
    bits: np.uint16 = np.asarray(half).view(np.uint16)[()]
    return bits


def is_small(count: int) -> bool:
    """Whether a call's time is that of its steps; of many elements there are better kernels."""
    return 0 < count < MANY
