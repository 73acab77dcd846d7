"""Adapter for pyopencl's arrays."""

from __future__ import annotations

import threading
from importlib import import_module

from halfcl.arrays._adapter import Adapter
from halfcl.arrays._on_device import Accelerator
from halfcl.device import compile
from halfcl.device._backends.libraries import OpenCLArray, Queue

#: The class of arrays that this adapter handles.
ARRAY: type[OpenCLArray] = import_module("pyopencl.array").Array

_devices: dict[Queue, Accelerator[OpenCLArray]] = {}
_lock = threading.Lock()


def _device(x: OpenCLArray) -> Accelerator[OpenCLArray]:
    """Return the device of an array's queue; raise TypeError if it has none."""
    queue = x.queue
    if queue is None:
        raise TypeError(
            "expected pyopencl.array.Array with a queue, got one without; use x.with_queue(queue)"
        )
    with _lock:
        if queue not in _devices:
            name = f"pyopencl.array.Array on {queue.device.name.strip()}"
            _devices[queue] = Accelerator(name, compile(queue))
        return _devices[queue]


ADAPTER = Adapter(ARRAY, _device)
