"""A GPU and arrays on it, for the targets that use CuPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import TargetError, library
from halfcl.device._backends.libraries import CudaArray

_T = TypeVar("_T")


class CupyDevice:
    """The NVIDIA GPU of a number, used through CuPy; "" means the first."""

    def __init__(self, target: str, rest: str) -> None:
        self.cupy, self.target = library("cupy", "cupy-cuda12x", target), target
        self._runtime = self.cupy.cuda.runtime
        count: int = self.try_call(self._runtime.getDeviceCount)
        if rest and not (rest.isdigit() and int(rest) < count):
            raise TargetError(f"{target}: expected a GPU's number below {count}, got {rest!r}")
        self.number = int(rest or 0)
        self.try_call(self.cupy.cuda.Device(self.number).use)

    def try_call(self, call: Callable[..., _T], /, *arguments: object) -> _T:
        """Call a function; raise TargetError with one line if the GPU fails."""
        try:
            return call(*arguments)
        except (self._runtime.CUDARuntimeError, self.cupy.cuda.driver.CUDADriverError) as error:
            raise TargetError(f"{self.target}: the GPU failed: {error}") from None

    @property
    def name(self) -> str:
        name = self._runtime.getDeviceProperties(self.number)["name"]
        return name.decode() if isinstance(name, bytes) else str(name)

    def facts(self) -> dict[str, str]:
        """Return versions, and the GPU's compute capability."""
        capability = self.cupy.cuda.Device(self.number).compute_capability
        return {
            "compute capability": f"{capability[:-1]}.{capability[-1]}",
            "CUDA runtime": _version(self._runtime.runtimeGetVersion()),
            "CUDA driver": _version(self._runtime.driverGetVersion()),
            "NVRTC": ".".join(str(part) for part in self.cupy.cuda.nvrtc.getVersion()),
        }

    def from_host(self, array: Array) -> CudaArray:
        copy: CudaArray = self.try_call(self.cupy.asarray, array)
        return copy

    def to_host(self, array: CudaArray) -> Array:
        """Return a copy on the host; a failure of the GPU may occur only here."""
        return np.asarray(self.try_call(self.cupy.asnumpy, array))


def _version(number: int) -> str:
    """Return CUDA's 12040 as 12.4."""
    return f"{number // 1000}.{number % 1000 // 10}"
