"""CUDA devices: the kernels of functions and reductions, launched on a library's arrays."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from halfcl import _core
from halfcl._support.extras import require_cupy
from halfcl.device import DeviceFunctions, compile
from halfcl.device._backends.libraries import CudaStream
from halfcl.device._backends.on_cuda import BLOCK, MANY
from halfcl.device._reductions.products import PreparedProduct, ProductKey
from halfcl.device._reductions.reducing import MANY_CALLS, Key, Step
from halfcl.device._source.catalogue import MODES, forms
from halfcl.device._source.kernel_text import ARRAY, NUMBER, WIDE, Kernel
from halfcl.typing import RoundingMode

_A = TypeVar("_A")

#: Bytes of the integers that a reduction's kernels pass on, of facts of vectors, and of numbers.
_BIN_BYTES, _FACT_BYTES, _HALF_BYTES, _DOUBLE_BYTES = 8, 4, 2, 8

_MODES = {mode: k for k, mode in enumerate(MODES)}

_Launches: TypeAlias = list[_core.CudaLaunch]


@functools.cache
def functions_on(number: int) -> DeviceFunctions:
    """Return halfcl's functions on a CUDA device, for the stream current at each call."""
    cupy = require_cupy("to compute on CUDA devices")
    _load_driver()
    return compile(cupy.cuda.Device(number))


def _load_driver() -> None:
    """Pass the CUDA driver's functions to the extension; without them CuPy launches kernels."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    except OSError:
        return
    functions = driver.cuLaunchKernel, driver.cuCtxGetDevice
    launch, device = (ctypes.cast(function, ctypes.c_void_p).value for function in functions)
    assert launch is not None and device is not None
    _core.set_cuda_driver(launch, device)


def kernel_finder(
    stream_of: Callable[[int, int], CudaStream | None],
) -> Callable[[np.ufunc, int, tuple[bool, ...]], _core.ElementwiseKernel | None]:
    """Return the function that `CudaArrays` finds kernels with.

    stream_of: returns CuPy's stream for the address of one and a device's number; None for the
    current stream.
    """

    def find(
        ufunc: np.ufunc, number: int, is_number: tuple[bool, ...]
    ) -> _core.ElementwiseKernel | None:
        name, _, mode = ufunc.__name__.rpartition("_")
        form = forms()[name][0] if name in forms() else None
        if form is None or form.vectors or len(form.inputs) != len(is_number):
            return None
        checked: Any = mode
        kinds = tuple(NUMBER if x else ARRAY for x in is_number)
        kernel = Kernel(form, checked, kinds, wide=True)
        functions = functions_on(number)
        launcher: Any = functions.launcher(kernel)
        machine: Any = functions.machine

        def launch_many(
            count: int, operands: Sequence[int], results: Sequence[int], stream: int
        ) -> None:
            with stream_of(stream, number) or nullcontext():
                machine.run(launcher, kernel, count, operands, results)

        with machine.current():
            function = launcher.kernel.ptr
        return _core.ElementwiseKernel(
            function, BLOCK, launcher, form.inputs, form.outputs, WIDE * BLOCK, MANY, launch_many
        )

    return find


def reduction_finder(
    maker: Callable[[tuple[int, ...], int], Callable[[Any], object]],
) -> Callable[[int, Key, int], _core.PreparedReduction | None]:
    """Return the function that `CudaArrays` finds prepared reductions with.

    maker: returns, for a shape and a number of bytes per element, a function that makes such an
    array on the device of another one.
    """

    def prepare(device: int, key: Key, count: int) -> _core.PreparedReduction | None:
        """Return what an earlier call with CuPy's arrays came to, if there was one."""
        functions: Any = functions_on(device)
        cached = functions.reductions.find_cached(key)
        if cached is None or cached.launches is None or cached.order != "C":
            return None
        with functions.machine.current():
            launches = [*_launches(cached.launches.steps, count)]
        bins = [maker((size,), _BIN_BYTES) for size in cached.launches.sizes]
        makers = [*bins, maker(cached.final, cached.kind.itemsize)]
        return _core.PreparedReduction(launches, makers)

    return prepare


class CudaProducts(Generic[_A]):
    """Exact products of a library's matrices, where only elements differ from an earlier call's.

    `DeviceProducts` prepared the launches for that call. empty: returns an array with a shape and
    with so many bytes per element, on the device of another one;
    can_multiply: returns whether multiply may be called now on a device; multiply: returns the
    product of two arrays of doubles, each with its last axes exchanged or not, in C's order.
    """

    def __init__(
        self, arrays: _core.CudaArrays, empty: Callable[[_A, tuple[int, ...], int], _A],
        can_multiply: Callable[[int], bool], multiply: Callable[[_A, bool, _A, bool], _A],
    ) -> None:  # fmt: skip
        self._arrays, self._empty = arrays, empty
        self._can_multiply, self._multiply = can_multiply, multiply
        self._prepared: dict[tuple[int, ProductKey], tuple[PreparedProduct, _Launches]] = {}

    def run(self, a: Any, b: Any, rounding: RoundingMode | None) -> _A | None:
        """Return the product, or None for one that is not prepared."""
        if rounding is not None:
            _core.check_mode(rounding)
        known = self._arrays.layouts((a, b))
        if known is None:
            return None
        device, layouts, addresses = known
        key = device, (_MODES[rounding or _core.get_rounding()], layouts)
        earlier = self._prepared.get(key) or self._prepare(*key)
        if earlier is None:
            return None
        prepared, launches = earlier
        out = self._empty(a, prepared.shape, _HALF_BYTES)
        if prepared.factors is None:
            self._arrays.run(launches, device, addresses, (out,))
            return out
        if not self._can_multiply(device):
            return None
        x, y = prepared.factors
        facts = [self._empty(a, (factor.facts,), _FACT_BYTES) for factor in (x, y)]
        doubles = [self._empty(a, factor.shape, _DOUBLE_BYTES) for factor in (x, y)]
        self._arrays.run(launches[:-1], device, addresses, (out, *facts, *doubles))
        product = self._multiply(doubles[0], x.is_turned, doubles[1], y.is_turned)
        self._arrays.run(launches[-1:], device, addresses, (out, *facts, *doubles, product))
        return out

    def _prepare(self, device: int, key: ProductKey) -> tuple[PreparedProduct, _Launches] | None:
        """Return the launches that an earlier product of CuPy's arrays came to, or None."""
        functions: Any = functions_on(device)
        prepared = functions.products.find_prepared(key)
        if prepared is None:
            return None
        with functions.machine.current():
            launches = [
                _core.CudaLaunch(
                    _as_kernel(functions.products.launcher(step.kernel), step.kernel.group),
                    (step.groups, 1), step.arguments,
                )
                for step in prepared.steps
            ]  # fmt: skip
        if len(self._prepared) >= MANY_CALLS:
            self._prepared.clear()
        self._prepared[device, key] = prepared, launches
        return prepared, launches


def _as_kernel(launcher: Any, group: int) -> _core.CudaKernel:
    return _core.CudaKernel(launcher.kernel.ptr, group, launcher)


def _launches(steps: Sequence[Step], count: int) -> Iterator[_core.CudaLaunch]:
    """Yield steps as launches: each writes a new array, which the next one reads."""
    read = list(range(count))
    for k, step in enumerate(steps):
        kernel = _as_kernel(step.launcher, step.group)
        yield _core.CudaLaunch(kernel, step.groups, [*step.head, *read, count + k, *step.tail])
        read = [count + k]
