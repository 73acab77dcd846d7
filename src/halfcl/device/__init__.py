"""halfcl's functions on other devices: their source in OpenCL C and CUDA C++, correctly rounded in
four modes whatever the device has; and the same as callables over a device's arrays."""

from __future__ import annotations

from halfcl.device.compiling import DeviceFunctions, compile
from halfcl.device.probing import DeviceError
from halfcl.device.text import cuda, opencl
from halfcl.names import publish

__all__ = ["DeviceError", "DeviceFunctions", "compile", "cuda", "opencl"]

publish(__name__, map(globals().get, __all__))
