"""Adapter for CuPy's arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from halfcl import _core
from halfcl.arrays._adapter import Adapter, has_modes
from halfcl.arrays._cuda import CudaProducts, functions_on, kernel_finder, reduction_finder
from halfcl.arrays._on_device import Accelerator
from halfcl.device._backends.libraries import CudaArray
from halfcl.reductions._arguments import Call
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
        result = _ARRAYS.call(ufunc, args, rounding)
        if result is None and any(map(_lies_otherwise, args)):
            arrays = [cupy.ascontiguousarray(x) if type(x) is ARRAY else x for x in args]
            result = _ARRAYS.call(ufunc, arrays, rounding)
        return super().call_ufunc(ufunc, args, kwargs, rounding) if result is None else result

    def reduce(self, call: Call) -> object:
        result = _ARRAYS.reduce(call)
        return super().reduce(call) if result is None else result

    def matmul(
        self, a: object, b: object, out: object, exact: bool, rounding: RoundingMode | None
    ) -> object:
        result = None if out is not None else _PRODUCTS.run(a, b, rounding)
        return super().matmul(a, b, out, exact, rounding) if result is None else result


def _lies_otherwise(x: Any) -> bool:
    """Return whether `x` is an array that is not contiguous in C's order."""
    return type(x) is ARRAY and not x.flags.c_contiguous


def _read(x: CudaArray) -> tuple[int, int, tuple[int, ...], tuple[int, ...], np.dtype[Any]]:
    data = x.data
    return data.ptr, data.device_id, x.shape, x.strides, x.dtype


def _maker(dtype: np.dtype[Any]) -> Callable[[CudaArray], CudaArray]:
    """Return a function that makes a new array of another one's shape, in C's order."""
    return lambda like: ARRAY(like.shape, dtype)


def _make_in_order(like: CudaArray, letter: str) -> CudaArray:
    """Return a new array that lies in memory like another one."""
    array: CudaArray = cupy.empty_like(like, _DTYPES[letter])
    return array


def _maker_of_results(shape: tuple[int, ...], itemsize: int) -> Callable[[CudaArray], CudaArray]:
    dtype = _BY_SIZE[itemsize]
    return lambda like: ARRAY(shape, dtype)


def _empty(like: CudaArray, shape: tuple[int, ...], itemsize: int) -> CudaArray:
    array: CudaArray = ARRAY(shape, _BY_SIZE[itemsize])
    return array


def _multiply(x: CudaArray, is_x_turned: bool, y: CudaArray, is_y_turned: bool) -> CudaArray:
    x, y = (cupy.moveaxis(a, -1, -2) if t else a for a, t in ((x, is_x_turned), (y, is_y_turned)))
    product: CudaArray = cupy.ascontiguousarray(cupy.matmul(x, y))
    return product


_DTYPES = {letter: np.dtype(letter) for letter in "?bBhHiIqQefd"}
_BY_SIZE = {_DTYPES[letter].itemsize: _DTYPES[letter] for letter in "efd"}

_ARRAYS = _core.CudaArrays(
    (ARRAY,), None, _read, lambda number: cupy.cuda.get_current_stream().ptr, (),
    {letter: _maker(dtype) for letter, dtype in _DTYPES.items()}, _make_in_order,
    kernel_finder(lambda stream, number: None), reduction_finder(_maker_of_results),
)  # fmt: skip
_PRODUCTS = CudaProducts(
    _ARRAYS, _empty, lambda number: functions_on(number).machine.can_multiply(), _multiply
)

ADAPTER = _CupyAdapter(ARRAY, lambda x: _device(x.device.id))
