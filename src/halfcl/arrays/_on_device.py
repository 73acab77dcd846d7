"""A device as a home of arrays, whose functions halfcl.device has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

import halfcl as hc
from halfcl.arrays._part import Shaped, refuse_random
from halfcl.device import DeviceFunctions
from halfcl.device._libraries import DeviceArray
from halfcl.reductions import Accumulator, _arguments as arguments
from halfcl.reductions._arguments import Call
from halfcl.typing import RoundingMode

_A = TypeVar("_A", bound=Shaped)


class OnDevice(Generic[_A]):
    """A device's functions for a library's arrays.

    told: how the place is told; taken, given: between the library's arrays and those that the
    functions take; entered: what holds while they run.
    """

    def __init__(
        self, told: str, functions: DeviceFunctions, taken: Callable[[_A], object] = lambda x: x,
        given: Callable[[Any], _A] = lambda x: x,
        entered: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:  # fmt: skip
        self._told, self._functions = told, functions
        self.taken, self.given, self.entered = taken, given, entered

    def __str__(self) -> str:
        return self._told

    def function(self, name: str) -> Callable[..., object]:
        refuse_random()
        found: Callable[..., object] | None = getattr(self._functions, name, None)
        if found is None:
            raise TypeError(f"{name}: takes no {self._told}")
        return found

    def called(
        self, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
    ) -> object:
        return self.function(function.__name__)(*args, **kwargs)

    def reduced(self, call: Call) -> object:
        refuse_random()
        return self._functions.reductions.reduce(call)

    def accumulated(
        self, accumulator: Accumulator, arrays: Sequence[DeviceArray], where: object
    ) -> None:
        partial = self._functions.reductions.partial(
            accumulator.statistic, arrays, accumulator.axis, where
        )
        is_plain = all(x.dtype.type is np.float16 for x in arrays)
        accumulator.take(partial, len(arrays[0].shape), is_plain)

    def running_sums(
        self, a: object, axis: int | None, dtype: DTypeLike | None, out: object,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        return self.function("cumsum")(a, axis=axis, dtype=dtype, out=out, rounding=rounding)

    def running_on(
        self, accumulator: Accumulator, a: DeviceArray, dtype: DTypeLike | None,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        along = accumulator.axis_of_cumsum(len(a.shape))
        name, functions = "Accumulator.cumsum", self._functions
        kind = arguments.result_dtype(name, dtype, (np.empty(0, a.dtype),))
        partial = functions.reductions.partial("sum", [a], accumulator.axis)
        states = accumulator.sums_before(a.shape)
        found = functions.running_sums.cumsum_on(states, a, along, kind, rounding)
        accumulator.take(partial, len(a.shape), a.dtype.type is np.float16)
        return found

    def placed(self, x: NDArray[Any]) -> _A:
        machine = self._functions.machine
        is_known = x.dtype.type is not hc.half or not machine.is_cuda  # CuPy has no half
        return self.given(machine.placed(x if is_known else x.view(np.float16)))

    def product(
        self, a: object, b: object, out: object, exact: bool, rounding: RoundingMode | None
    ) -> object:
        return self.function("matmul")(a, b, out=out, exact=exact, rounding=rounding)
