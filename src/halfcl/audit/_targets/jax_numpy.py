"""Target for JAX: jax.numpy, jax.scipy and jax.lax on one of its platforms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from halfcl.audit._records import TargetInfo
from halfcl.audit._targets.base import (
    NUMBER_TYPES,
    Call,
    Conversion,
    TargetError,
    along_last_axis,
    casts,
    library,
    processor,
)
from halfcl.audit._targets.foreign_arrays import NUMPY_NAMES, SPECIAL_NAMES, calls

#: Functions by halfcl's names.
_NAMES = {
    **{ours: f"numpy.{theirs}" for ours, theirs in NUMPY_NAMES.items()},
    "rsqrt": "lax.rsqrt",
    **{ours: f"scipy.special.{theirs}" for ours, theirs in SPECIAL_NAMES.items()},
}


def make(rest: str) -> Jax:
    """Return the target ``jax:platform``; by default JAX's default platform."""
    jax = library("jax", "jax", "jax")
    for module in ("jax.numpy", "jax.scipy.special", "jax.lax", "jax.nn"):
        import_module(module)
    try:
        device = jax.devices(rest or None)[0]
    except RuntimeError as error:
        there = ", ".join(sorted({d.platform for d in jax.devices()}))
        first = str(error).split("\n")[0]
        raise TargetError(f"jax: expected a platform of {there}, got {rest!r} ({first})") from None
    return Jax(jax, device)


class Device(Protocol):
    """A device of JAX."""

    platform: str
    device_kind: str


class JaxArray(Protocol):
    """An array of JAX, which NumPy accepts."""

    def __array__(self) -> NDArray[Any]: ...
    def astype(self, dtype: DTypeLike) -> JaxArray: ...


class Jax:
    """JAX on a device."""

    def __init__(self, jax: ModuleType, device: Device) -> None:
        self._jax, self._device = jax, device

    def describe(self) -> TargetInfo:
        device, is_cpu = self._device, self._device.platform == "cpu"
        jaxlib = import_module("jaxlib")
        return TargetInfo(
            f"jax:{device.platform}", "JAX", self._jax.__version__,
            processor() if is_cpu else device.device_kind, {"jaxlib": jaxlib.__version__},
        )  # fmt: skip

    def functions(self) -> Mapping[str, Call]:
        return calls(self._jax, _NAMES, self._to_device, np.asarray, (ValueError,))

    def conversions(self) -> Iterable[Conversion]:
        return casts(NUMBER_TYPES, "x.astype(jax.numpy.{})", self._convert)

    def vectors(self) -> Mapping[str, Call]:
        numpy = self._jax.numpy
        functions = {
            "dot": ("jax.numpy.vecdot", numpy.vecdot, (2, 3, 4)),
            "cross": ("jax.numpy.cross", numpy.cross, (3,)),
            "length": (
                "jax.numpy.linalg.norm(x, axis=-1)",
                partial(numpy.linalg.norm, axis=-1),
                (2, 3, 4),
            ),
        }
        return {
            name: Call(spelled, partial(self._call, function), widths=widths)
            for name, (spelled, function, widths) in functions.items()
        }

    def reductions(self) -> Mapping[str, Call]:
        numpy, nn = self._jax.numpy, self._jax.nn
        functions: dict[str, tuple[str, Callable[..., ArrayLike]]] = {
            "sum": ("jax.numpy.sum", numpy.sum),
            "mean": ("jax.numpy.mean", numpy.mean),
            "var": ("jax.numpy.var", numpy.var),
            "norm": ("jax.numpy.linalg.norm", numpy.linalg.norm),
            "softmax": ("jax.nn.softmax", nn.softmax),
            "layer_norm": ("jax.nn.standardize", nn.standardize),
        }
        return along_last_axis(functions, lambda function: partial(self._call, function))

    def _to_device(self, array: ArrayLike) -> JaxArray:
        array_on_device: JaxArray = self._jax.device_put(array, self._device)
        return array_on_device

    def _convert(self, destination: str, array: ArrayLike) -> NDArray[Any]:
        with self._jax.enable_x64(True):  # without it JAX has no types of 64 bits
            return np.asarray(self._to_device(array).astype(destination))

    def _call(self, function: Callable[..., ArrayLike], *arguments: ArrayLike) -> NDArray[Any]:
        return np.asarray(function(*(self._to_device(x) for x in arguments)))
