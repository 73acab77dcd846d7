"""Merge accumulators of several GPUs with NCCL."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halfcl.reductions import Accumulator


class Communicator(Protocol):
    """cupy.cuda.nccl.NcclCommunicator: one of several ranks, each with a GPU."""

    def size(self) -> int: ...
    def allGather(
        self, sendbuf: int, recvbuf: int, count: int, datatype: int, stream: int
    ) -> None: ...


def merge(accumulator: Accumulator, communicator: Communicator) -> Accumulator:
    """Merge accumulators; see `halfcl.arrays.merge_by_nccl`."""
    own = np.frombuffer(accumulator.to_bytes(), np.uint8)
    lengths = _gather(communicator, np.frombuffer(np.int64(own.size).tobytes(), np.uint8))
    sizes = lengths.view(np.int64)[:, 0].tolist()
    padded = np.zeros(max(sizes), np.uint8)
    padded[: own.size] = own
    states = _gather(communicator, padded)
    first, *others = (
        Accumulator.from_bytes(state[:size].tobytes())
        for state, size in zip(states, sizes, strict=True)
    )
    for other in others:
        first = first.merge(other)
    return first


def _gather(communicator: Communicator, own: NDArray[np.uint8]) -> NDArray[Any]:
    """Gather the bytes of all ranks on the host, one row per rank."""
    cupy: Any = import_module("cupy")
    nccl: Any = import_module("cupy.cuda.nccl")  # no attribute of cupy.cuda until it is imported
    own_bytes = cupy.asarray(own)
    received = cupy.empty((communicator.size(), own.size), np.uint8)
    stream = cupy.cuda.get_current_stream()
    communicator.allGather(
        own_bytes.data.ptr, received.data.ptr, own.size, nccl.NCCL_UINT8, stream.ptr
    )
    rows: NDArray[Any] = cupy.asnumpy(received)  # waits for the stream
    return rows
