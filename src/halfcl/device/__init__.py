"""halfcl's functions on other devices: their source in OpenCL C and CUDA C++, correctly rounded in
four modes whatever the device has; and the same as callables over a device's arrays."""

from __future__ import annotations

from halfcl._support.names import publish
from halfcl.device._compiling import DeviceFunctions, compile
from halfcl.device._probing import DeviceError
from halfcl.device._text import cuda, opencl

__all__ = ["DeviceError", "DeviceFunctions", "compile", "cuda", "opencl"]

publish(globals())
