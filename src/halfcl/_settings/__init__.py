"""Settings of calls: the rounding mode of a region, and the number of threads.

These modules set both in ``_core``, which depends on none of them.
"""
