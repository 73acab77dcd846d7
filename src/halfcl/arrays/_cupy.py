"""CuPy's arrays."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TypeGuard

import numpy as np

from halfcl import _core
from halfcl.arrays._cuda import functions_on, half_bits, is_small, launch
from halfcl.arrays._on_device import OnDevice
from halfcl.arrays._part import Part
from halfcl.device._kernel_text import ARRAY as ARRAY_KIND, NUMBER
from halfcl.device._libraries import CudaArray
from halfcl.typing import RoundingMode

cupy = import_module("cupy")

#: The class of arrays that this part knows.
ARRAY: type[CudaArray] = cupy.ndarray


@functools.cache
def _home(number: int) -> OnDevice[CudaArray]:
    return OnDevice(f"cupy.ndarray on CUDA device {number}", functions_on(number))


class _CupyPart(Part[CudaArray]):
    def call_ufunc(
        self, ufunc: np.ufunc, args: Sequence[object], kwargs: Mapping[str, object],
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        found = None if kwargs else _at_once(ufunc, args, rounding)
        return super().call_ufunc(ufunc, args, kwargs, rounding) if found is None else found


def _at_once(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None
) -> CudaArray | tuple[CudaArray, ...] | None:
    """Of few elements in arrays that lie alike on the current device, and of numbers where halves
    are taken; None of anything else."""
    number, shape = cupy.cuda.runtime.getDevice(), None
    made = launch(ufunc, number, tuple([ARRAY_KIND if _is_own(x) else NUMBER for x in args]))
    if made is None or _core.rounds_at_random():
        return None
    given: list[object] = []
    for x, letter in zip(args, made.inputs, strict=True):
        if not _is_own(x):
            if letter != "e" or type(x) not in (float, int):
                return None
            given.append(half_bits(x, rounding))  # type: ignore[arg-type]
            continue
        if shape is None:
            shape = x.shape
        data = x.data
        if (
            x.dtype != _DTYPES[letter] or x.shape != shape or not x.flags.c_contiguous
            or data.ptr % 16 or data.device_id != number
        ):  # fmt: skip
            return None
        given.append(x)
    if shape is None or not is_small(count := math.prod(shape)):
        return None
    results = tuple([cupy.ndarray(shape, _DTYPES[letter]) for letter in made.outputs])
    made(count, (*given, *results), None)
    return results if len(results) > 1 else results[0]


_DTYPES = {letter: np.dtype(letter) for letter in "?bBhHiIqQef"}


def _is_own(x: object) -> TypeGuard[CudaArray]:
    """Whether it is an array, and of no class made from that."""
    return type(x) is ARRAY


PART = _CupyPart(ARRAY, lambda x: _home(x.device.id))
call, call_method, call_ufunc = PART.call, PART.call_method, PART.call_ufunc
reduce, cumsum, matmul = PART.reduce, PART.cumsum, PART.matmul
