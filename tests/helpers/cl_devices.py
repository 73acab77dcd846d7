"""The OpenCL device that tests run on."""

import pytest


def queue_of(library):
    """Yield a queue on a CPU, whose arithmetic is compared; or on a GPU if there is no CPU."""
    try:
        platforms = library.get_platforms()
    except library.Error:  # pyopencl alone has none
        pytest.skip("needs an OpenCL device")
    devices = [d for p in platforms for d in p.get_devices()]
    devices.sort(key=lambda d: not d.type & library.device_type.CPU)
    context = library.Context(devices[:1])  # keep it alive, since Intel's queues do not
    yield library.CommandQueue(context)
