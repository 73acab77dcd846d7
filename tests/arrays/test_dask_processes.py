"""Reductions by several processes, one of which adds on a device.

Apart from test_dask.py, where what stands for CuPy may still be in its place.
"""

import multiprocessing

import numpy as np
import pytest
from array_libraries import THERE
from packages import later
from worker_calls import HALVES, every_other, state_of

import halfcl as hc
from halfcl.reductions import Accumulator

dask = later("dask")
da = later("dask.array")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

DEVICES = [name for name in ("torch", "jax", "pyopencl", "torch:cuda", "cupy") if name in THERE]


@pytest.mark.parametrize("name", DEVICES)
def test_accumulators_of_two_processes_merge(name):
    """One process adds on a device, one on the host."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        there = pool.apply_async(state_of, ("std", 0, name, HALVES[:2]))
        here = pool.apply_async(state_of, ("std", 0, None, HALVES[2:]))
        states = [there.get(120), here.get(120)]
    own = Accumulator("std", axis=0).add(HALVES)
    for order in (states, states[::-1]):
        one, other = map(Accumulator.from_bytes, order)
        assert one.merge(other).result().tobytes() == own.result().tobytes()
        assert one.to_bytes() == own.to_bytes() and len(own.to_bytes()) < 1300


@pytest.mark.parametrize("name", [n for n in DEVICES if n in ("jax", "cupy")])
def test_dask_in_processes(name):
    """Add blocks of one library and of the host in two of Dask's processes."""
    d = da.from_array(HALVES, chunks=(2, 4)).map_blocks(
        every_other, name, dtype=np.float16, meta=HALVES[:0, :0]
    )
    with dask.config.set(scheduler="processes", num_workers=2):
        total, deviations = dask.compute(hc.sum(d), hc.std(d, axis=0))
    assert total.tobytes() == hc.sum(HALVES).tobytes()
    assert deviations.tobytes() == hc.std(HALVES, axis=0).tobytes()
