"""Reductions, products and running sums over a device's arrays, on any of its back ends."""
