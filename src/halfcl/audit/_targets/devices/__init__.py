"""Targets on OpenCL devices and NVIDIA GPUs."""
