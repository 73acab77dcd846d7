"""Adapter for JAX's arrays, which are read and never written to."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl._support.extras import require_cupy
from halfcl.arrays._adapter import Adapter, Device, Host
from halfcl.arrays._cuda import functions_on
from halfcl.arrays._libraries import ForeignDevice, JaxArray
from halfcl.arrays._on_device import Accelerator

jax = import_module("jax")

#: The classes of arrays that this adapter handles.
ARRAY = (jax.Array, jax.core.Tracer)


def _device(x: JaxArray) -> Device[JaxArray]:
    if isinstance(x, jax.core.Tracer):
        raise TypeError(
            "expected a jax.Array with its elements, got one that JAX traces; call halfcl outside "
            "of jit, grad and vmap, or with jax.pure_callback"
        )
    devices = x.devices()
    if len(devices) > 1:
        raise TypeError(f"expected a jax.Array on one device, got one on {len(devices)}")
    (device,) = devices
    return _cached_device(device)


@functools.cache
def _cached_device(device: ForeignDevice) -> Device[JaxArray]:
    name = f"jax.Array on {device}"
    if device.platform == "cpu":
        return Host(name, np.asarray, functools.partial(_from_host, device))
    if device.platform in ("gpu", "cuda"):
        return _make_accelerator(name, device)
    raise TypeError(f"expected jax.Array on a CPU or a GPU, got one on {device}")


def _from_host(device: ForeignDevice, x: NDArray[Any]) -> JaxArray:
    result: JaxArray = jax.device_put(x, device)
    if result.dtype != x.dtype:
        raise TypeError(
            f"expected a result of 32 bits at most, got {x.dtype}; "
            "jax.config.update('jax_enable_x64', True) lets JAX hold it"
        )
    return result


def _make_accelerator(name: str, device: ForeignDevice) -> Device[JaxArray]:
    cupy: Any = require_cupy("to compute with jax.Array on CUDA devices")
    number = device.local_hardware_id

    def enter() -> AbstractContextManager[object]:
        context: AbstractContextManager[object] = cupy.cuda.Device(number)
        return context

    return Accelerator(name, functions_on(number), cupy.from_dlpack, jax.dlpack.from_dlpack, enter)


ADAPTER = Adapter(ARRAY, _device, is_written=False)
