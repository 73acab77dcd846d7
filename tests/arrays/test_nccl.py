"""Accumulators merged by NCCL: on two GPUs if there are, and by a stand-in with threads."""

import ctypes
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import cuda_host
import numpy as np
import pytest

import halfcl as hc
from halfcl.arrays import merge_by_nccl
from halfcl.reductions import Accumulator

pytestmark = [pytest.mark.once, pytest.mark.kernels]


class SharedBuffers:
    """Stand-in for NCCL between threads: each rank's bytes go to all."""

    def __init__(self, ranks):
        self.barrier, self.sent = threading.Barrier(ranks, timeout=60), [b""] * ranks

    def rank(self, number):
        def gather(sent, received, count, datatype, stream):
            assert datatype == 1
            self.sent[number] = ctypes.string_at(sent, count)
            self.barrier.wait()
            ctypes.memmove(received, b"".join(self.sent), count * len(self.sent))
            self.barrier.wait()

        return types.SimpleNamespace(size=lambda: len(self.sent), allGather=gather)


@pytest.fixture
def ranks(monkeypatch):
    """Return a function that runs another one per rank, in threads, with a communicator."""
    with cuda_host.in_place_of_cupy():
        cupy = sys.modules["cupy"]
        nccl = types.SimpleNamespace(NCCL_UINT8=1)
        monkeypatch.setitem(sys.modules, "cupy.cuda", cupy.cuda)
        monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", nccl)
        monkeypatch.setattr(
            cupy.cuda, "get_current_stream", lambda: types.SimpleNamespace(ptr=0), raising=False
        )

        def run(function, count=3):
            together = SharedBuffers(count)
            with ThreadPoolExecutor(count) as threads:
                waiting = [threads.submit(function, k, together.rank(k)) for k in range(count)]
                return [x.exception() or x.result() for x in waiting]

        yield run


def random_halves(number, shape):
    x = np.random.default_rng(number).normal(0, 9, shape).astype(np.float16)
    x[0] = np.ldexp(1, -24)
    return x


@pytest.mark.parametrize("statistic", ["sum", "norm", "var"])
def test_merge_equals_one_accumulator(ranks, statistic):
    whole = Accumulator(statistic, axis=0)
    parts = [random_halves(k, (5 + k, 4)) for k in range(3)]
    for part in parts:
        whole.add(part)

    def merge(k, communicator):
        own = Accumulator(statistic, axis=0).add(parts[k])
        before = own.to_bytes()
        result = merge_by_nccl(own, communicator)
        assert own.to_bytes() == before
        return result

    for result in ranks(merge):
        assert result.count.tolist() == whole.count.tolist()
        for mode in hc.MODES:
            assert result.result(rounding=mode).tobytes() == whole.result(rounding=mode).tobytes()


def test_merge_with_empty_accumulator(ranks):
    x = random_halves(1, 9)
    own = [Accumulator("sum"), Accumulator("sum").add(x), Accumulator("sum").add(x)]
    results = ranks(lambda k, communicator: merge_by_nccl(own[k], communicator))
    expected = Accumulator("sum").add(x).add(x).result()
    assert [f.result() for f in results] == [expected] * 3


def test_merge_refuses_different_statistics(ranks):
    own = [Accumulator("sum"), Accumulator("mean"), Accumulator("sum")]
    errors = ranks(lambda k, communicator: merge_by_nccl(own[k], communicator))
    assert all(isinstance(x, ValueError) and "'mean'" in str(x) for x in errors)


def test_merge_refuses_wrong_types():
    with pytest.raises(
        TypeError, match=r"merge_by_nccl: accumulator: expected an Accumulator, got int"
    ):
        merge_by_nccl(3, None)
    with pytest.raises(TypeError, match=r"communicator: expected a cupy.*, got NoneType"):
        merge_by_nccl(Accumulator("sum"), None)


def test_merge_on_two_gpus():
    cupy = pytest.importorskip("cupy", reason="needs CuPy and two GPUs")
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two GPUs")
    nccl = pytest.importorskip("cupy.cuda.nccl", reason="needs NCCL")
    unique = nccl.get_unique_id()
    parts = [random_halves(k, (1000 + k, 300)) for k in range(2)]

    def merge(k):
        with cupy.cuda.Device(k):
            communicator = nccl.NcclCommunicator(2, unique, k)
            own = Accumulator("std", axis=1).add(cupy.asarray(parts[k][:1000]))
            return merge_by_nccl(own, communicator)

    with ThreadPoolExecutor(2) as threads:
        states = list(threads.map(merge, range(2)))
    whole = Accumulator("std", axis=1).add(parts[0][:1000]).add(parts[1][:1000])
    for state in states:
        assert state.result().tobytes() == whole.result().tobytes()
