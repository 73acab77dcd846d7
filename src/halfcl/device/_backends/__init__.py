"""Devices through their libraries, pyopencl and CuPy: choosing, probing, compiling, launching."""
