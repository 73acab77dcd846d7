"""The OpenCL device that tests run on."""

import cuda_host
import pytest


def queue_of(library):
    """Return a queue of a CPU if there is one, whose arithmetic is compared; else of a GPU."""
    try:
        platforms = library.get_platforms()
    except library.Error:  # pyopencl alone has none
        pytest.skip("needs an OpenCL device")
    devices = [d for p in platforms for d in p.get_devices()]
    devices.sort(key=lambda d: not d.type & library.device_type.CPU)
    context = library.Context(devices[:1])  # kept, since Intel's queues do not keep theirs
    yield library.CommandQueue(context)


def device_of(language):
    """Yield the device for a language's translations: a queue, or g++ in place of a GPU."""
    if language == "cuda":
        if cuda_host.GXX is None:
            pytest.skip("needs g++ to run CUDA C++ on the host")
        with cuda_host.in_place_of_cupy():
            yield "cuda"
    else:
        yield from queue_of(pytest.importorskip("pyopencl", reason="needs an OpenCL device"))
