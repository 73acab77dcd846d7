"""halfcl's functions over arrays of other libraries, where these lie: CuPy's, PyTorch's,
pyopencl's and JAX's.

There is nothing to import: ``hc.exp(x)`` and the other functions take such arrays as they take
NumPy's. They run on the device that has the arrays, in its current stream or queue, copy nothing,
wait for nothing, and give arrays of the same library, bit for bit what the host gives.
"""
