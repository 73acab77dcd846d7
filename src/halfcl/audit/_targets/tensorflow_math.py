"""Target for TensorFlow's math on one of its devices."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, Protocol

from numpy.typing import ArrayLike, NDArray

from halfcl.audit._records import TargetInfo
from halfcl.audit._targets.base import (
    NUMBER_TYPES,
    Call,
    Conversion,
    TargetError,
    casts,
    library,
    processor,
)
from halfcl.audit._targets.foreign_arrays import COMPARISONS, adapt_to_numpy, calls

#: Functions by halfcl's names. sign, maximum and minimum are left out: they treat NaNs differently.
_NAMES = {
    **{name: f"math.{name}" for name in (
        "add subtract multiply divide reciprocal negative exp expm1 log log1p sqrt rsqrt sin cos "
        "tan sinh cosh tanh asin acos atan atan2 asinh acosh atanh erf erfc lgamma pow rint ceil "
        "floor nextafter"
    ).split()},
    "fabs": "math.abs",
    "isfinite": "math.is_finite",
    "isinf": "math.is_inf",
    "isnan": "math.is_nan",
    **{ours: f"math.{theirs}" for ours, theirs in COMPARISONS.items()},
    **{name: f"experimental.numpy.{name}" for name in (
        "cbrt hypot exp2 log2 log10 copysign degrees radians trunc signbit"
    ).split()},
}  # fmt: skip


def make(rest: str) -> TensorFlow:
    """Return the target ``tensorflow:device``, such as "cpu"; by default a GPU, if any."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # it logs a lot while it is imported
    tensorflow = library("tensorflow", "tensorflow", "tensorflow")
    devices = [d.name.removeprefix("/device:") for d in tensorflow.config.list_logical_devices()]
    prefix = (rest or "").upper()
    for name in sorted(devices, key=lambda name: not name.startswith("GPU")):
        if name.startswith(prefix):
            return TensorFlow(tensorflow, name)
    raise TargetError(f"tensorflow: expected one of {', '.join(devices).lower()}, got {rest!r}")


class Tensor(Protocol):
    """A tensor of TensorFlow."""

    def numpy(self) -> NDArray[Any]: ...


class TensorFlow:
    """TensorFlow on a device."""

    def __init__(self, tensorflow: ModuleType, device: str) -> None:
        self._tensorflow, self._device = tensorflow, device

    def describe(self) -> TargetInfo:
        version, name = self._tensorflow.__version__, self._device.lower()
        is_cpu = name.startswith("cpu")
        return TargetInfo(
            f"tensorflow:{name.removesuffix(':0')}", "TensorFlow", version,
            processor() if is_cpu else self._gpu(), {},
        )  # fmt: skip

    def _gpu(self) -> str:
        physical = self._tensorflow.config.list_physical_devices("GPU")[int(self._device[4:])]
        details = self._tensorflow.config.experimental.get_device_details(physical)
        return str(details.get("device_name", self._device))

    def functions(self) -> Mapping[str, Call]:
        return calls(self._tensorflow, _NAMES, self._to_device, _to_numpy, self._errors())

    def conversions(self) -> Iterable[Conversion]:
        cast = self._tensorflow.cast
        return casts(
            NUMBER_TYPES, "tensorflow.cast(x, tensorflow.{})",
            lambda name, x: self._call(partial(cast, dtype=name), x),
        )  # fmt: skip

    def vectors(self) -> Mapping[str, Call]:
        functions = {
            "cross": ("tensorflow.linalg.cross", self._tensorflow.linalg.cross, (3,)),
            "length": (
                "tensorflow.norm(x, axis=-1)",
                partial(self._tensorflow.norm, axis=-1),
                (2, 3, 4),
            ),
            "normalize": ("tensorflow.linalg.normalize(x, axis=-1)[0]", self._normalize, (2, 3, 4)),
        }
        return {
            name: Call(
                spelled, adapt_to_numpy(function, self._to_device, _to_numpy, self._errors()),
                widths=widths,
            )
            for name, (spelled, function, widths) in functions.items()
        }  # fmt: skip

    def _normalize(self, vectors: Tensor) -> Tensor:
        normal: Tensor = self._tensorflow.linalg.normalize(vectors, axis=-1)[0]
        return normal

    def _errors(self) -> tuple[type[Exception], ...]:
        errors = self._tensorflow.errors
        return (
            ValueError,
            errors.InvalidArgumentError,
            errors.NotFoundError,
            errors.UnimplementedError,
        )

    def _to_device(self, array: ArrayLike) -> Tensor:
        with self._tensorflow.device(self._device):
            tensor: Tensor = self._tensorflow.constant(array)
        return tensor

    def _call(self, function: Callable[..., Tensor], *arguments: ArrayLike) -> NDArray[Any]:
        return _to_numpy(function(*(self._to_device(x) for x in arguments)))


def _to_numpy(tensor: Tensor) -> NDArray[Any]:
    return tensor.numpy()
