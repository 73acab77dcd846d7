"""JAX's arrays, which are read."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl._support.extras import require
from halfcl.arrays._cuda import functions_on
from halfcl.arrays._libraries import Device, JaxArray
from halfcl.arrays._on_device import OnDevice
from halfcl.arrays._part import Home, Host, Part

jax = import_module("jax")

#: The classes of arrays that this part knows.
ARRAY = (jax.Array, jax.core.Tracer)


def _home(x: JaxArray) -> Home[JaxArray]:
    if isinstance(x, jax.core.Tracer):
        raise TypeError(
            "expected a jax.Array with its elements, got one that JAX traces: call halfcl outside "
            "of jit, grad and vmap, or by jax.pure_callback"
        )
    devices = x.devices()
    if len(devices) > 1:
        raise TypeError(f"expected a jax.Array on one device, got one on {len(devices)}")
    (device,) = devices
    return _home_on(device)


@functools.cache
def _home_on(device: Device) -> Home[JaxArray]:
    told = f"jax.Array on {device}"
    if device.platform == "cpu":
        return Host(told, np.asarray, functools.partial(_from_host, device))
    if device.platform in ("gpu", "cuda"):
        return _on_gpu(told, device)
    raise TypeError(f"expected jax.Array on a CPU or a GPU, got one on {device}")


def _from_host(device: Device, x: NDArray[Any]) -> JaxArray:
    made: JaxArray = jax.device_put(x, device)
    if made.dtype != x.dtype:
        raise TypeError(
            f"expected a result of 32 bits at most, got {x.dtype}: "
            "jax.config.update('jax_enable_x64', True) lets JAX hold it"
        )
    return made


def _on_gpu(told: str, device: Device) -> Home[JaxArray]:
    cupy: Any = require("cupy", "CuPy", "cuda", "to compute with jax.Array on CUDA devices")
    number = device.local_hardware_id

    def entered() -> AbstractContextManager[object]:
        found: AbstractContextManager[object] = cupy.cuda.Device(number)
        return found

    return OnDevice(told, functions_on(number), cupy.from_dlpack, jax.dlpack.from_dlpack, entered)


PART = Part(ARRAY, _home, is_written=False)
