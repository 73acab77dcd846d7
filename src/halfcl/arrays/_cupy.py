"""CuPy's arrays."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, TypeGuard

import numpy as np

from halfcl.arrays._cuda import Launch, functions_on, half_bits, launch
from halfcl.arrays._on_device import OnDevice
from halfcl.arrays._part import Part, has_modes
from halfcl.device._kernel_text import ARRAY as ARRAY_KIND, NUMBER
from halfcl.device._libraries import CudaArray
from halfcl.typing import RoundingMode

cupy = import_module("cupy")

#: The class of arrays that this part knows.
ARRAY = cupy.ndarray


@functools.cache
def _home(number: int) -> OnDevice[CudaArray]:
    return OnDevice(f"cupy.ndarray on CUDA device {number}", functions_on(number))


class _CupyPart(Part[CudaArray]):
    def call_ufunc(
        self, ufunc: np.ufunc, args: Sequence[object], kwargs: Mapping[str, object],
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        if kwargs or has_modes(rounding):
            return super().call_ufunc(ufunc, args, kwargs, rounding)
        found = _at_once(ufunc, args, rounding)
        if found is None:
            found = _turned_over(ufunc, args, rounding)
        return super().call_ufunc(ufunc, args, kwargs, rounding) if found is None else found


def _at_once(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None
) -> CudaArray | tuple[CudaArray, ...] | None:
    """Of arrays of one shape on the current device, and of numbers where halves are taken; None of
    anything else."""
    number = cupy.cuda.runtime.getDevice()
    made = launch(ufunc, number, _ARRAYS.get(len(args), ()))
    first = args[0] if args else None
    if made is None or not isinstance(first, ARRAY):
        return _with_numbers(ufunc, args, rounding, number)
    shape, given = first.shape, args
    for k, letter in enumerate(made.inputs):
        if not _is_plain(args[k], letter, shape, number):
            copy = _copied(args[k], letter, shape, number)
            if copy is None:
                return _with_numbers(ufunc, args, rounding, number)
            given = [*given[:k], copy, *given[k + 1 :]]
    return _launched(made, first.size, given, shape)


_DTYPES = {letter: np.dtype(letter) for letter in "?bBhHiIqQef"}
_ARRAYS = {count: (ARRAY_KIND,) * count for count in range(1, 4)}


def _is_plain(x: Any, letter: str, shape: tuple[int, ...], number: int) -> bool:
    """Whether a kernel can take it as it is: an array of a type, in one piece, on a device."""
    if type(x) is not ARRAY or x.shape != shape or x.dtype != _DTYPES[letter]:
        return False
    data = x.data
    return bool(x.flags.c_contiguous and not data.ptr & 15 and data.device_id == number)


def _copied(x: Any, letter: str, shape: tuple[int, ...], number: int) -> CudaArray | None:
    """An array that lies in several pieces, as one. None of what lies in another order."""
    if type(x) is not ARRAY or x.shape != shape or x.dtype != _DTYPES[letter]:
        return None
    if x.flags.f_contiguous:
        return None
    made: CudaArray = cupy.ascontiguousarray(x)
    return made if _is_plain(made, letter, shape, number) else None


def _turned_over(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None
) -> CudaArray | tuple[CudaArray, ...] | None:
    """The same of arrays that lie in Fortran's order, which are in C's with their axes turned."""
    arrays = list(filter(_is_own, args))
    if not all(len(x.shape) > 1 and x.flags.f_contiguous for x in arrays):
        return None
    found = _at_once(ufunc, [x.T if _is_own(x) else x for x in args], rounding)
    if found is None:
        return None
    return tuple(x.T for x in found) if isinstance(found, tuple) else found.T


def _launched(
    made: Launch, count: int, operands: Sequence[object], shape: tuple[int, ...]
) -> CudaArray | tuple[CudaArray, ...] | None:
    if not count:
        return None
    results: list[CudaArray] = [ARRAY(shape, _DTYPES[letter]) for letter in made.outputs]
    made(count, operands, results, None)
    return results[0] if len(results) == 1 else tuple(results)


def _with_numbers(
    ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None, number: int
) -> CudaArray | tuple[CudaArray, ...] | None:
    """Of arrays and Python's numbers."""
    arrays = list(filter(_is_own, args))
    made = launch(ufunc, number, tuple([ARRAY_KIND if _is_own(x) else NUMBER for x in args]))
    if made is None or not arrays or len(arrays) == len(args):
        return None
    given: list[object] = []
    for x, letter in zip(args, made.inputs, strict=True):
        if isinstance(x, (float, int)) and letter == "e" and type(x) is not bool:
            given.append(half_bits(x, rounding))
        elif _is_plain(x, letter, arrays[0].shape, number):
            given.append(x)
        else:
            copy = _copied(x, letter, arrays[0].shape, number)
            if copy is None:
                return None
            given.append(copy)
    return _launched(made, arrays[0].size, given, arrays[0].shape)


def _is_own(x: object) -> TypeGuard[CudaArray]:
    """Whether it is an array, and of no class made from that."""
    return type(x) is ARRAY


PART = _CupyPart(ARRAY, lambda x: _home(x.device.id))
