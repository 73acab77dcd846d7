"""Target for CuPy's ufuncs of float16 on an NVIDIA GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module

from halfcl.audit._records import TargetInfo
from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import NUMBER_TYPES, Call, Conversion, along_last_axis, casts
from halfcl.audit._targets.devices.cupy_device import CupyDevice
from halfcl.audit._targets.foreign_arrays import (
    NUMPY_NAMES,
    SPECIAL_NAMES,
    adapt_to_numpy,
    attribute,
    calls,
)
from halfcl.device._backends.libraries import CudaArray

#: Functions in cupyx, by halfcl's names.
_CUPYX = {
    "rsqrt": "rsqrt",
    "exp10": "scipy.special.exp10",
    **{ours: f"scipy.special.{theirs}" for ours, theirs in SPECIAL_NAMES.items()},
}


def make(rest: str) -> Cupy:
    """Return the target ``cupy``, or ``cupy:number`` for a GPU."""
    return Cupy(CupyDevice("cupy", rest))


class Cupy:
    """CuPy on a GPU."""

    def __init__(self, device: CupyDevice) -> None:
        self._device, self._cupy = device, device.cupy
        import_module("cupyx.scipy.special")

    def describe(self) -> TargetInfo:
        device = self._device
        return TargetInfo("cupy", "CuPy", self._cupy.__version__, device.name, device.facts())

    def functions(self) -> Mapping[str, Call]:
        device = self._device
        return {
            **calls(self._cupy, NUMPY_NAMES, device.from_host, device.to_host),
            **calls(import_module("cupyx"), _CUPYX, device.from_host, device.to_host),
        }

    def conversions(self) -> Iterable[Conversion]:
        return casts(NUMBER_TYPES, "x.astype(cupy.{})", self._convert)

    def vectors(self) -> Mapping[str, Call]:
        norm, cross = partial(self._cupy.linalg.norm, axis=-1), self._cupy.cross
        device = self._device
        return {
            "length": Call(
                "cupy.linalg.norm(x, axis=-1)",
                adapt_to_numpy(norm, device.from_host, device.to_host),
            ),
            "cross": Call(
                "cupy.cross", adapt_to_numpy(cross, device.from_host, device.to_host), widths=(3,)
            ),
        }

    def reductions(self) -> Mapping[str, Call]:
        cupy, device = self._cupy, self._device
        special = import_module("cupyx.scipy.special")
        functions: dict[str, tuple[str, Callable[..., CudaArray] | None]] = {
            "sum": ("cupy.sum", cupy.sum),
            "mean": ("cupy.mean", cupy.mean),
            "var": ("cupy.var", cupy.var),
            "norm": ("cupy.linalg.norm", cupy.linalg.norm),
            "softmax": ("cupyx.scipy.special.softmax", attribute(special, "softmax")),
        }
        return along_last_axis(
            functions, lambda f: adapt_to_numpy(f, device.from_host, device.to_host)
        )

    def _convert(self, destination: str, array: Array) -> Array:
        return self._device.to_host(self._device.from_host(array).astype(destination))
