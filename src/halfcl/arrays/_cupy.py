"""Adapter for CuPy's arrays."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TypeGuard

import numpy as np

from halfcl.arrays._adapter import Adapter, has_modes
from halfcl.arrays._cuda import Launch, functions_on, half_bits, launch
from halfcl.arrays._on_device import Accelerator
from halfcl.device._backends.libraries import CudaArray
from halfcl.device._source.kernel_text import ARRAY as ARRAY_KIND, NUMBER
from halfcl.typing import RoundingMode

cupy = import_module("cupy")

#: The class of arrays that this adapter handles.
ARRAY = cupy.ndarray


@functools.cache
def _device(number: int) -> Accelerator[CudaArray]:
    return Accelerator(f"cupy.ndarray on CUDA device {number}", functions_on(number))


class _CupyAdapter(Adapter[CudaArray]):
    def call_ufunc(
        self, ufunc: np.ufunc, args: Sequence[object], kwargs: Mapping[str, object],
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        if kwargs or has_modes(rounding):
            return super().call_ufunc(ufunc, args, kwargs, rounding)
        result = _try_launch(ufunc, args, rounding)
        if result is None:
            result = _try_transposed(ufunc, args, rounding)
        return super().call_ufunc(ufunc, args, kwargs, rounding) if result is None else result


def _try_launch(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None
) -> CudaArray | tuple[CudaArray, ...] | None:
    """Launch a kernel on arrays of one shape on the current device.

    Numbers may stand in place of halves. Return None for anything else.
    """
    number = cupy.cuda.runtime.getDevice()
    kernel = launch(ufunc, number, _ARRAYS.get(len(args), ()))
    first = args[0] if args else None
    if kernel is None or not isinstance(first, ARRAY):
        return _try_with_numbers(ufunc, args, rounding, number)
    shape, operands = first.shape, args
    for k, letter in enumerate(kernel.inputs):
        if not _is_plain(args[k], letter, shape, number):
            copy = _copy_contiguous(args[k], letter, shape, number)
            if copy is None:
                return _try_with_numbers(ufunc, args, rounding, number)
            operands = [*operands[:k], copy, *operands[k + 1 :]]
    return _launch_and_wrap(kernel, first.size, operands, shape)


_DTYPES = {letter: np.dtype(letter) for letter in "?bBhHiIqQef"}
_ARRAYS = {count: (ARRAY_KIND,) * count for count in range(1, 4)}


def _is_plain(x: Any, letter: str, shape: tuple[int, ...], number: int) -> bool:
    """Return whether a kernel accepts an array as it is: type, shape, contiguity, device."""
    if type(x) is not ARRAY or x.shape != shape or x.dtype != _DTYPES[letter]:
        return False
    data = x.data
    return bool(x.flags.c_contiguous and not data.ptr & 15 and data.device_id == number)


def _copy_contiguous(x: Any, letter: str, shape: tuple[int, ...], number: int) -> CudaArray | None:
    """Return a contiguous copy of an array, or None if it lies in Fortran's order."""
    if type(x) is not ARRAY or x.shape != shape or x.dtype != _DTYPES[letter]:
        return None
    if x.flags.f_contiguous:
        return None
    copy: CudaArray = cupy.ascontiguousarray(x)
    return copy if _is_plain(copy, letter, shape, number) else None


def _try_transposed(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None
) -> CudaArray | tuple[CudaArray, ...] | None:
    """Call `_try_launch` on transposed arrays if all lie in Fortran's order."""
    arrays = list(filter(_is_own, args))
    if not all(len(x.shape) > 1 and x.flags.f_contiguous for x in arrays):
        return None
    result = _try_launch(ufunc, [x.T if _is_own(x) else x for x in args], rounding)
    if result is None:
        return None
    return tuple(x.T for x in result) if isinstance(result, tuple) else result.T


def _launch_and_wrap(
    kernel: Launch, count: int, operands: Sequence[object], shape: tuple[int, ...]
) -> CudaArray | tuple[CudaArray, ...] | None:
    """Allocate the results, launch the kernel and return them; None without elements."""
    if not count:
        return None
    results: list[CudaArray] = [ARRAY(shape, _DTYPES[letter]) for letter in kernel.outputs]
    kernel(count, operands, results, None)
    return results[0] if len(results) == 1 else tuple(results)


def _try_with_numbers(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None, number: int
) -> CudaArray | tuple[CudaArray, ...] | None:
    """Launch a kernel on arrays and Python's numbers; return None for anything else."""
    arrays = list(filter(_is_own, args))
    kernel = launch(ufunc, number, tuple([ARRAY_KIND if _is_own(x) else NUMBER for x in args]))
    if kernel is None or not arrays or len(arrays) == len(args):
        return None
    operands: list[object] = []
    for x, letter in zip(args, kernel.inputs, strict=True):
        if isinstance(x, (float, int)) and letter == "e" and type(x) is not bool:
            operands.append(half_bits(x, rounding))
        elif _is_plain(x, letter, arrays[0].shape, number):
            operands.append(x)
        else:
            copy = _copy_contiguous(x, letter, arrays[0].shape, number)
            if copy is None:
                return None
            operands.append(copy)
    return _launch_and_wrap(kernel, arrays[0].size, operands, arrays[0].shape)


def _is_own(x: object) -> TypeGuard[CudaArray]:
    """Return whether `x` is one of CuPy's arrays, not of a subclass."""
    return type(x) is ARRAY


ADAPTER = _CupyAdapter(ARRAY, lambda x: _device(x.device.id))
