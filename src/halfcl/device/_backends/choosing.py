"""Choose an OpenCL device by name or number."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TypeVar

from halfcl.device._backends.libraries import OpenCLDevice, Platform
from halfcl.device._backends.probing import DeviceError

_Named = TypeVar("_Named", Platform, OpenCLDevice)


def choose(cl: ModuleType, platform: str, device: str) -> OpenCLDevice:
    """Return pyopencl's device of a platform, each by number or part of its name.

    An empty string means the first.
    """
    try:
        platforms: Sequence[Platform] = cl.get_platforms()
    except cl.Error as error:
        raise DeviceError(f"opencl: no platform; a device's driver is needed ({error})") from None
    selected = _find(platforms, platform, "platform")
    try:
        devices = selected.get_devices()
    except cl.Error as error:
        raise DeviceError(f"opencl: {selected.name.strip()} has no device ({error})") from None
    return _find(devices, device, "device")


def _find(every: Sequence[_Named], wanted: str, what: str) -> _Named:
    """Return the first object with this number or this part in its name; "" means any."""
    for k, each in enumerate(every):
        is_named = not wanted.isdigit() and wanted.lower() in each.name.lower()
        if is_named or wanted == str(k):
            return each
    names = ", ".join(f"{k}: {each.name.strip()}" for k, each in enumerate(every))
    raise DeviceError(f"opencl: {what}: expected one of {names or 'none'}, got {wanted!r}")
