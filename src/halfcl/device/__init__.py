"""halfcl's functions on other devices, as source and as callables over a device's arrays.

The source is OpenCL C or CUDA C++. Results are correctly rounded in four modes, whatever rounding
the device supports.
"""

from halfcl._support.names import publish
from halfcl.device._backends.probing import DeviceError
from halfcl.device._compiling import DeviceFunctions, compile
from halfcl.device._source.text import cuda, opencl

__all__ = ["DeviceError", "DeviceFunctions", "compile", "cuda", "opencl"]

publish(globals())
