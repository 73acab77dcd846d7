"""pyopencl's arrays."""

from __future__ import annotations

import threading
from importlib import import_module

from halfcl.arrays._on_device import OnDevice
from halfcl.arrays._part import Part
from halfcl.device import compile
from halfcl.device._libraries import OpenCLArray, Queue

#: The class of arrays that this part knows.
ARRAY: type[OpenCLArray] = import_module("pyopencl.array").Array

_homes: dict[Queue, OnDevice[OpenCLArray]] = {}
_making = threading.Lock()


def _home(x: OpenCLArray) -> OnDevice[OpenCLArray]:
    """That of an array's queue."""
    queue = x.queue
    if queue is None:
        raise TypeError(
            "expected pyopencl.array.Array with a queue, got one without: x.with_queue(queue)"
        )
    with _making:
        if queue not in _homes:
            told = f"pyopencl.array.Array on {queue.device.name.strip()}"
            _homes[queue] = OnDevice(told, compile(queue))
        return _homes[queue]


PART = Part(ARRAY, _home)
