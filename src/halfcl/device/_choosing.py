"""Which OpenCL device is meant."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TypeVar

from halfcl.device._libraries import OpenCLDevice, Platform
from halfcl.device._probing import DeviceError

_Named = TypeVar("_Named", Platform, OpenCLDevice)


def choose(cl: ModuleType, platform: str, device: str) -> OpenCLDevice:
    """pyopencl's device; both by number or part of the name, the first where none is asked for."""
    try:
        platforms: Sequence[Platform] = cl.get_platforms()
    except cl.Error as error:
        raise DeviceError(f"opencl: no platform; a device's driver is needed ({error})") from None
    chosen = _one_of(platforms, platform, "platform")
    try:
        devices = chosen.get_devices()
    except cl.Error as error:
        raise DeviceError(f"opencl: {chosen.name.strip()} has no device ({error})") from None
    return _one_of(devices, device, "device")


def _one_of(every: Sequence[_Named], wanted: str, what: str) -> _Named:
    for k, each in enumerate(every):
        is_named = not wanted.isdigit() and wanted.lower() in each.name.lower()
        if is_named or wanted == str(k):
            return each
    names = ", ".join(f"{k}: {each.name.strip()}" for k, each in enumerate(every))
    raise DeviceError(f"opencl: no {what} {wanted!r}; there are {names or 'none'}")
