"""Accumulators of several GPUs, merged by NCCL: by two of them where there are, and by threads."""

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


class Together:
    """What stands for NCCL between threads: each rank's bytes go to all."""

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
    """A function that calls another one with each rank's number and communicator, in threads."""
    with cuda_host.in_place_of_cupy():
        cupy = sys.modules["cupy"]
        nccl = types.SimpleNamespace(NCCL_UINT8=1)
        monkeypatch.setitem(sys.modules, "cupy.cuda", cupy.cuda)
        monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", nccl)
        monkeypatch.setattr(
            cupy.cuda, "get_current_stream", lambda: types.SimpleNamespace(ptr=0), raising=False
        )

        def run(function, count=3):
            together = Together(count)
            with ThreadPoolExecutor(count) as threads:
                waiting = [threads.submit(function, k, together.rank(k)) for k in range(count)]
                return [x.exception() or x.result() for x in waiting]

        yield run


def some(number, shape):
    x = np.random.default_rng(number).normal(0, 9, shape).astype(np.float16)
    x[0] = np.ldexp(1, -24)
    return x


@pytest.mark.parametrize("statistic", ["sum", "norm", "var"])
def test_all_ranks_have_what_one_would_have(ranks, statistic):
    whole = Accumulator(statistic, axis=0)
    parts = [some(k, (5 + k, 4)) for k in range(3)]
    for part in parts:
        whole.add(part)

    def merged(k, communicator):
        own = Accumulator(statistic, axis=0).add(parts[k])
        before = own.to_bytes()
        found = merge_by_nccl(own, communicator)
        assert own.to_bytes() == before
        return found

    for found in ranks(merged):
        assert found.count.tolist() == whole.count.tolist()
        for mode in hc.MODES:
            assert found.result(rounding=mode).tobytes() == whole.result(rounding=mode).tobytes()


def test_one_that_has_taken_nothing(ranks):
    x = some(1, 9)
    own = [Accumulator("sum"), Accumulator("sum").add(x), Accumulator("sum").add(x)]
    found = ranks(lambda k, communicator: merge_by_nccl(own[k], communicator))
    wanted = Accumulator("sum").add(x).add(x).result()
    assert [f.result() for f in found] == [wanted] * 3


def test_ranks_that_differ_are_told_so(ranks):
    own = [Accumulator("sum"), Accumulator("mean"), Accumulator("sum")]
    found = ranks(lambda k, communicator: merge_by_nccl(own[k], communicator))
    assert all(isinstance(x, ValueError) and "'mean'" in str(x) for x in found)


def test_other_arguments():
    with pytest.raises(TypeError, match=r"argument accumulator: expected an Accumulator, got int"):
        merge_by_nccl(3, None)
    with pytest.raises(TypeError, match=r"communicator: expected a cupy.*, got NoneType"):
        merge_by_nccl(Accumulator("sum"), None)


def test_two_gpus():
    cupy = pytest.importorskip("cupy", reason="needs CuPy and two GPUs")
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two GPUs")
    nccl = pytest.importorskip("cupy.cuda.nccl", reason="needs NCCL")
    unique = nccl.get_unique_id()
    parts = [some(k, (1000 + k, 300)) for k in range(2)]

    def merged(k):
        with cupy.cuda.Device(k):
            communicator = nccl.NcclCommunicator(2, unique, k)
            own = Accumulator("std", axis=1).add(cupy.asarray(parts[k][:1000]))
            return merge_by_nccl(own, communicator)

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(merged, range(2)))
    whole = Accumulator("std", axis=1).add(parts[0][:1000]).add(parts[1][:1000])
    for state in found:
        assert state.result().tobytes() == whole.result().tobytes()
