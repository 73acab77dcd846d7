"""Tests of Dask arrays with workers that die, and with arrays larger than memory."""

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from exhaustive import left_out
from packages import later
from worker_calls import slow_block

import halfcl as hc
from halfcl import half

dask = later("dask")
da = later("dask.array")
distributed = later("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's event loop warns of killed workers

#: GiB of the memory test's file.
SIZE = float(os.environ.get("HALFCL_TEST_GIB", "0.125"))


@pytest.fixture
def client():
    new_cluster = distributed.LocalCluster  # its import sets defaults that are replaced below
    with (
        # By default a worker waits half a minute for the data of one that was killed.
        dask.config.set({"distributed.comm.timeouts.connect": "2s"}),
        new_cluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        yield client


@left_out("test_functions.py and test_reductions.py find the same without a cluster")
def test_killed_worker_changes_no_bit(client):
    blocks = 16
    x = da.map_blocks(slow_block, chunks=((5000,) * blocks,), dtype=half)
    whole = np.concatenate([slow_block({None: {"chunk-location": (i,)}}) for i in range(blocks)])
    with hc.rounding("rtp"):
        third = x / 3
    small = third[:20000]
    wanted = {
        "sum": hc.sum(third), "std": hc.std(x), "cumsum": hc.cumsum(small)[-3:],
        "exp": hc.exp(small, rounding="rtn")[::1000], "parts": hc.modf(small)[1][::1000],
        "convert": hc.convert_int_sat_rtp(small)[::1000], "dot": hc.dot(x, x),
    }  # fmt: skip
    with np.errstate(all="ignore"):
        y = hc.divide(whole, 3, rounding="rtp")
        z = y[:20000]
        expected = {
            "sum": hc.sum(y), "std": hc.std(whole), "cumsum": hc.cumsum(z)[-3:],
            "exp": hc.exp(z, rounding="rtn")[::1000], "parts": hc.modf(z)[1][::1000],
            "convert": hc.convert_int_sat_rtp(z)[::1000], "dot": hc.dot(whole, whole),
        }  # fmt: skip
    (pid,) = client.run(os.getpid, workers=list(client.scheduler_info()["workers"])[:1]).values()
    killed = []

    def kill():
        os.kill(pid, 9)
        killed.append(pid)

    timer = threading.Timer(0.5, kill)
    timer.start()
    values = dict(zip(wanted, client.gather(client.compute(list(wanted.values()))), strict=True))
    timer.join()
    assert killed and pid not in client.run(os.getpid).values()
    for name, value in expected.items():
        assert np.asarray(values[name]).tobytes() == np.asarray(value).tobytes(), name


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from Linux's /proc")
def test_memory_of_reducing_large_file(tmp_path):
    """Check that reducing a file of any size takes less than 64 MiB of memory."""
    path = tmp_path / "zeros"
    count = int(SIZE * 2**29)
    with path.open("wb") as file:
        file.truncate(2 * count)  # sparse
    program = f"""
        import resource, dask, dask.array as da, numpy as np, halfcl as hc
        dask.config.set(scheduler="threads", num_workers=2)

        def peak():
            # Only the process's own memory counts: the system can take back pages of the file.
            with open("/proc/self/status") as lines:
                anonymous = [line.split() for line in lines if line.startswith("RssAnon")]
            return int(anonymous[0][1]) / 1024

        hc.sum(da.ones(1 << 16, chunks=1 << 12, dtype=hc.half)).compute()
        before, most = peak(), 0
        class Watch(dask.callbacks.Callback):
            def _posttask(self, *args):
                global most
                most = max(most, peak())
        def block(block_info):
            (first, end), = block_info[None]["array-location"]
            return np.memmap({str(path)!r}, hc.half, "r")[first:end]
        # from_array would copy the whole file.
        n, block_size = {count}, 1 << 22
        x = da.map_blocks(block, chunks=((block_size,) * (n // block_size),), dtype=hc.half)
        with Watch():
            print(hc.std(x - 1).compute(), hc.sum(x - 1, dtype="f8").compute())
        print(most - before)
    """
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, check=True, text=True
    )
    results, grown = process.stdout.splitlines()
    assert results == f"0.0 {-float(count)}"
    assert float(grown) < 64
