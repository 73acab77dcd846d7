"""The functions as text for devices: OpenCL C and CUDA C++, made of kernels.h and preludes."""
