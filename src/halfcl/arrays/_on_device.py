"""A device that halfcl.device compiles functions for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl.arrays._adapter import Device, Shaped, refuse_random
from halfcl.device import DeviceFunctions
from halfcl.device._backends.libraries import DeviceArray
from halfcl.reductions import Accumulator, _arguments as arguments
from halfcl.reductions._arguments import Call
from halfcl.typing import RoundingMode

_A = TypeVar("_A", bound=Shaped)


class Accelerator(Device[_A]):
    """The functions that halfcl.device has compiled for a device, for a library's arrays.

    name: the device's, for errors; unwrap and wrap: convert between the library's arrays and those
    that the functions accept; enter: return the context in which they run.
    """

    def __init__(
        self, name: str, functions: DeviceFunctions, unwrap: Callable[[_A], object] = lambda x: x,
        wrap: Callable[[Any], _A] = lambda x: x,
        enter: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:  # fmt: skip
        super().__init__(name, unwrap, wrap, enter)
        self._functions = functions

    def function(self, name: str) -> Callable[..., object]:
        refuse_random()
        function: Callable[..., object] | None = getattr(self._functions, name, None)
        if function is None:
            raise TypeError(f"{name}: expected arrays of the host, got {self._name}")
        return function

    def reduce(self, call: Call) -> object:
        refuse_random()
        return self._functions.reductions.reduce(call)

    def accumulate(
        self, accumulator: Accumulator, arrays: Sequence[DeviceArray], where: object
    ) -> None:
        partial = self._functions.reductions.partial(
            accumulator.statistic, arrays, accumulator.axis, where
        )
        is_plain = all(x.dtype.type is np.float16 for x in arrays)
        accumulator.add_partial(partial, len(arrays[0].shape), is_plain)

    def continue_cumsum(
        self, accumulator: Accumulator, a: DeviceArray, dtype: DTypeLike | None,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        along = accumulator.axis_of_cumsum(len(a.shape))
        name, functions = "Accumulator.cumsum", self._functions
        kind = arguments.result_dtype(name, dtype, (np.empty(0, a.dtype),))
        partial = functions.reductions.partial("sum", [a], accumulator.axis)
        states = accumulator.sums_before(a.shape)
        result = functions.running_sums.continue_cumsum(states, a, along, kind, rounding)
        accumulator.add_partial(partial, len(a.shape), a.dtype.type is np.float16)
        return result

    def from_host(self, x: NDArray[Any]) -> _A:
        return self.wrap(self._functions.machine.from_host(x))
