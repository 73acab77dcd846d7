"""Target for CuPy's ufuncs of float16 on an NVIDIA GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module

from halfcl.audit._report import TargetInfo
from halfcl.audit._results.mistakes import Array
from halfcl.audit._targets.base import Call, Conversion, along_last_axis, casts
from halfcl.audit._targets.devices.cupy_device import CupyDevice
from halfcl.audit._targets.foreign_arrays import adapt_to_numpy, attribute, calls
from halfcl.device._backends.libraries import CudaArray

#: Functions by halfcl's names. sign, maximum and minimum are left out: they treat NaNs differently.
_NAMES = {
    **{name: name for name in (
        "add subtract multiply divide negative exp exp2 expm1 log log2 log10 log1p cbrt hypot sqrt "
        "sin cos tan sinh cosh tanh rint trunc ceil floor fmod modf frexp ldexp fabs copysign fmax "
        "fmin nextafter reciprocal degrees radians isfinite isinf isnan signbit"
    ).split()},
    **{name: f"arc{name[1:]}" for name in "asin acos atan atan2 asinh acosh atanh".split()},
    "pow": "power",
    "isequal": "equal",
    "isnotequal": "not_equal",
    "isgreater": "greater",
    "isgreaterequal": "greater_equal",
    "isless": "less",
    "islessequal": "less_equal",
}  # fmt: skip

_SCIPY = {
    "rsqrt": "rsqrt",
    "exp10": "scipy.special.exp10",
    "erf": "scipy.special.erf",
    "erfc": "scipy.special.erfc",
    "tgamma": "scipy.special.gamma",
    "lgamma": "scipy.special.gammaln",
}

_TYPES = ("float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
          "uint64")  # fmt: skip


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
            **calls(self._cupy, _NAMES, device.from_host, device.to_host),
            **calls(import_module("cupyx"), _SCIPY, device.from_host, device.to_host),
        }

    def conversions(self) -> Iterable[Conversion]:
        return casts(_TYPES, "x.astype(cupy.{})", self._convert)

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
