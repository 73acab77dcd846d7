"""Translated programs on devices: OpenCL devices through pyopencl, NVIDIA GPUs through CuPy."""
