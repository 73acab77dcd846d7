"""Fixtures that every test file may use."""

import contextlib
import functools
import importlib
import os
import signal
import tempfile
from pathlib import Path

import numpy as np
import pytest

import halfcl as hc
from halfcl._support.processors import usable_processors

#: HALFCL_NUM_THREADS=4 HALFCL_GRAIN=100 pytest: calls of twice as many elements are split into
#: parts of so many, whatever it costs.
hc._core.set_grain(int(os.environ.get("HALFCL_GRAIN", 0)))

#: Test files whose outcome does not depend on the instruction set: pytest -m "not once" leaves
#: them out, as .ci/run does on all sets but the best.
ONCE = frozenset({
    "test_acceleration_numpy", "test_acceleration_switching", "test_architecture", "test_bench",
    "test_constants", "test_dask", "test_dask_cluster", "test_dask_reductions", "test_demo",
    "test_demo_resampling", "test_docs", "test_errors", "test_foreign_dtypes", "test_images",
    "test_images_calls", "test_images_engine", "test_images_mipmaps", "test_images_opencl",
    "test_images_resampling", "test_interval_array", "test_interval_decorated_all",
    "test_interval_docs", "test_interval_text", "test_interval_vectors", "test_io", "test_io_exr",
    "test_io_lut", "test_io_png", "test_memory", "test_numpy_casts", "test_numpy_compat",
    "test_numpy_errors", "test_numpy_own", "test_numpy_page", "test_numpy_peers",
    "test_numpy_promotion", "test_numpy_wide", "test_oracle", "test_parse", "test_regions",
    "test_rounding", "test_signatures", "test_sort", "test_text_files", "test_typing",
    "test_threads", "test_vectors", "test_vectors_components", "test_vectors_memory",
})  # fmt: skip

#: Test files of what NumPy has no part in, or no version of it: pytest -m "not kernels" leaves them
#: out, as .ci/run does with all versions of NumPy but the usual.
KERNELS = frozenset({
    "test_acceleration_numpy", "test_architecture", "test_arithmetic", "test_audit",
    "test_audit_html", "test_audit_kernels", "test_bench", "test_check", "test_command",
    "test_convert", "test_convert_numbers", "test_dask", "test_dask_cluster",
    "test_dask_reductions", "test_demo", "test_demo_resampling", "test_device_compile",
    "test_device_text", "test_docs", "test_errors", "test_examples_device", "test_files",
    "test_free_threading", "test_geometric", "test_images_mipmaps", "test_images_opencl",
    "test_images_read", "test_images_resampling", "test_images_write", "test_interval_decorated",
    "test_interval_elementary", "test_interval_reverse", "test_interval_text",
    "test_interval_vectors", "test_io_lut", "test_io_png", "test_math", "test_math_edge_cases",
    "test_math_pairs", "test_numpy_own", "test_numpy_page", "test_oracle", "test_parse",
    "test_reductions_accumulator", "test_reductions_exact", "test_reductions_matmul", "test_run",
    "test_site", "test_small_machines", "test_state_of_half", "test_testing", "test_threads",
    "test_typing",
})  # fmt: skip

#: Of the files of `ONCE` those whose calls threads may share: .ci/run runs them once more, with
#: calls cut small.
THREADS = frozenset({
    "test_images", "test_images_calls", "test_images_engine", "test_memory", "test_numpy_casts",
    "test_numpy_wide", "test_regions", "test_sort", "test_vectors", "test_vectors_components",
    "test_vectors_memory",
})  # fmt: skip

#: Of the files of `ONCE` those that hold halfcl beside NumPy, whose own results and exceptions
#: differ from processor to processor: .ci/run runs them with fewer of NumPy's kernels, too.
PEERS = frozenset({
    "test_acceleration_numpy", "test_acceleration_switching", "test_numpy_casts",
    "test_numpy_compat", "test_numpy_errors", "test_numpy_own", "test_numpy_page",
    "test_numpy_peers", "test_numpy_promotion", "test_numpy_wide", "test_sort",
})  # fmt: skip

#: Of the tests of `halfcl.cl`, which are of both kinds, those that run on all sets.
CL_OF_SETS = frozenset({"test_cl_numbers", "test_cl_special"})


def pytest_configure(config):
    """A folder in which the processes of a run share results of the oracles, if none is named."""
    if "HALFCL_KEPT_RESULTS" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="halfcl-tests-")
        os.environ["HALFCL_KEPT_RESULTS"] = folder.name
        config.add_cleanup(folder.cleanup)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Without -n: a process for each processor, since the tests are many, where xdist is there.

    Of more than eight each would spend its time on finding the tests. None where something is to
    be looked at, and none of a process's own.
    """
    option = config.option
    alone = option.usepdb or option.collectonly or "PYTEST_XDIST_WORKER" in os.environ
    if getattr(option, "numprocesses", 0) is None and option.dist == "no" and not alone:
        option.numprocesses = min(usable_processors(), 8)
        option.dist = "worksteal"


@functools.cache
def marks_of(path):
    """What a test file's tests are marked with."""
    name = path.stem
    if name in CL_OF_SETS:
        return ["kernels"]
    of_cl = name.startswith("test_cl_")
    marks = {
        "once": of_cl or name in ONCE,
        "kernels": of_cl or name in KERNELS,
        "threads": name in THREADS,
        "peers": name in PEERS,
    }
    return [mark for mark, holds in marks.items() if holds]


def pytest_collection_modifyitems(items):
    """Mark the tests of these files."""
    for item in items:
        for mark in marks_of(item.path):
            item.add_marker(mark)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Of two processes the second begins with the last file: each compiles half of them for both.

    The rewriting of assertions takes a quarter of a minute. What cannot be imported is told later.
    """
    folder = Path(__file__).resolve().parent
    worker = getattr(session.config, "workerinput", {}).get("workerid")
    if worker == "gw1" and [Path(a).resolve() for a in session.config.args] == [folder]:
        for path in sorted(folder.glob("test_*.py"), reverse=True):
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(path.stem)


@pytest.fixture(params=["rte", "rtz", "rtp", "rtn"])
def mode(request):
    """Each rounding mode."""
    return request.param


@pytest.fixture
def ctrl_c():
    """SIGINT raises KeyboardInterrupt, also where it was inherited as ignored (nohup, a job)."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def all_halves():
    """Every bit pattern, in order, as a read-only half array."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(hc.half)
    halves.flags.writeable = False
    return halves
