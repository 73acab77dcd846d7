"""Launches of kernels: arguments, sizes, rounding modes, and the loop over blocks."""
