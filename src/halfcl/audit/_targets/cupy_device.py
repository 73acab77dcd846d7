"""What both targets on CuPy share: the GPU, and arrays on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from halfcl.audit._mistakes import Array
from halfcl.audit._targets.base import TargetError, library
from halfcl.device._libraries import CudaArray

_T = TypeVar("_T")


class CupyDevice:
    """An NVIDIA GPU, by CuPy.

    Parameters
    ----------
    target : str
        The target's name, for messages.
    rest : str
        The number of the GPU, "" for the first.
    """

    def __init__(self, target: str, rest: str) -> None:
        self.cupy, self.target = library("cupy", "cupy-cuda12x", target), target
        self._runtime = self.cupy.cuda.runtime
        count: int = self.tried(self._runtime.getDeviceCount)
        if rest and not (rest.isdigit() and int(rest) < count):
            raise TargetError(f"{target}: no GPU {rest!r}; there are {count}, counted from 0")
        self.number = int(rest or 0)
        self.tried(self.cupy.cuda.Device(self.number).use)

    def tried(self, call: Callable[..., _T], /, *arguments: object) -> _T:
        """What a call gives; or that the GPU fails, in a line."""
        try:
            return call(*arguments)
        except (self._runtime.CUDARuntimeError, self.cupy.cuda.driver.CUDADriverError) as error:
            raise TargetError(f"{self.target}: the GPU failed: {error}") from None

    @property
    def name(self) -> str:
        found = self._runtime.getDeviceProperties(self.number)["name"]
        return found.decode() if isinstance(found, bytes) else str(found)

    def facts(self) -> dict[str, str]:
        """Versions, as CUDA counts them, and the GPU's compute capability."""
        capability = self.cupy.cuda.Device(self.number).compute_capability
        return {
            "compute capability": f"{capability[:-1]}.{capability[-1]}",
            "CUDA runtime": _version(self._runtime.runtimeGetVersion()),
            "CUDA driver": _version(self._runtime.driverGetVersion()),
            "NVRTC": ".".join(str(part) for part in self.cupy.cuda.nvrtc.getVersion()),
        }

    def from_host(self, array: Array) -> CudaArray:
        placed: CudaArray = self.tried(self.cupy.asarray, array)
        return placed

    def taken(self, array: CudaArray) -> Array:
        """Back from the GPU, which may fail only then."""
        return np.asarray(self.tried(self.cupy.asnumpy, array))


def _version(number: int) -> str:
    """CUDA's 12040 is 12.4."""
    return f"{number // 1000}.{number % 1000 // 10}"
