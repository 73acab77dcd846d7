"""Fixtures that every test file may use."""

import contextlib
import functools
import gc
import os
import signal
import sys
import tempfile
from importlib.machinery import PathFinder
from pathlib import Path

import numpy as np
import pytest
from _pytest.pathlib import import_path  # there is no public one
from _pytest.runner import runtestprotocol  # nor of this, which others use, too
from exhaustive import EXHAUSTIVE, out_of_turn
from places import TESTS

import halfcl as hc
from halfcl._support.processors import usable_processors

#: HALFCL_NUM_THREADS=4 HALFCL_GRAIN=100 pytest: calls of twice as many elements are split into
#: parts of so many, whatever it costs.
hc._core.set_grain(int(os.environ.get("HALFCL_GRAIN", 0)))

#: Test files whose outcome does not depend on the instruction set: pytest -m "not once" leaves
#: them out, as .ci/run does on all sets but the best.
ONCE = {
    ".": "mistakes typing",
    "arrays": "dask",
    "audit": "html",
    "command": "run_compare",
    "core": "errors foreign_dtypes sort text_files",
    "dask": "blocks cluster functions reductions",
    "demo": "demo resampling",
    "examples": "depending",
    "helpers": "exhaustive oracle",
    "images": "calls engine formats mipmaps opencl resampling",
    "interval": (
        "array decorated_all docs doubles forms jet_arrays ranges removable roots solve text "
        "vectors"
    ),
    "io": "exr lut parts png",
    "layer": (
        "cache counts end_to_end layer_command loader on_devices programs protocol "
        "translating translator words"
    ),
    "numpy": (
        "acceleration_children acceleration_numpy acceleration_speed acceleration_switching casts "
        "compat errors libraries own page peers promotion statistics"
    ),
    "opencl": "constants memory parse",
    "plots": "plots",
    "project": "anatomy_page architecture bench docs notebooks unseen",
    "settings": "regions rounding threads",
    "support": "duck_arrays notebooks pages",
    "tables": "signatures",
    "vectors": "components structs types",
}

#: Test files of what NumPy has no part in, or no version of it: pytest -m "not kernels" leaves them
#: out, as .ci/run does with all versions of NumPy but the usual. All of `cl` is of them.
KERNELS = {
    ".": "testing typing",
    "arrays": "dask",
    "audit": "html kernels mistakes reductions state_of_half",
    "check": "check",
    "command": "command run run_compare",
    "core": "errors free_threading small_machines",
    "dask": "blocks cluster functions reductions",
    "demo": "demo resampling",
    "device": "compile factors in_double products reductions running_sums text",
    "examples": "depending device",
    "helpers": "exhaustive oracle",
    "images": "engine formats mipmaps opencl read resampling write",
    "interval": "decorated elementary forms ranges removable reverse solve text vectors",
    "io": "lut png",
    "layer": (
        "cache counts end_to_end layer_command loader on_devices programs protocol "
        "translating translator words"
    ),
    "numpy": "acceleration_children acceleration_numpy libraries own page",
    "opencl": "convert convert_numbers parse",
    "plots": "plots",
    "project": "anatomy_page architecture bench docs kernel_tools notebooks site unseen",
    "reductions": "accumulator exact few matmul specials",
    "settings": "threads",
    "stability": (
        "foreign_programs interrupts leaks limit_of_blame long_programs mendings "
        "names_in_suggestions program_verdicts programs protection pytest_plugin reference "
        "stalling_calls"
    ),
    "support": "files notebooks pages",
    "tables": "arithmetic geometric math math_edge_cases math_pairs",
}

#: Of the files of `ONCE` those whose calls threads may share: .ci/run runs them once more, with
#: calls cut small.
THREADS = {
    "core": "sort",
    "images": "calls engine formats",
    "numpy": "casts statistics",
    "opencl": "memory",
    "settings": "regions",
    "vectors": "components structs types",
}

#: Of the files of `ONCE` those that hold halfcl beside NumPy, whose own results and exceptions
#: differ from processor to processor: .ci/run runs them with fewer of NumPy's kernels, too.
PEERS = {
    "core": "sort",
    "interval": "doubles",
    "numpy": (
        "acceleration_numpy acceleration_switching casts errors own page peers promotion statistics"
    ),
}

#: Of the files of `KERNELS` those of what Python itself may change: frames, tracing, threads, how
#: far it recurses, and how it starts. .ci/run runs them beside the newest Python, too.
PYTHONS = {
    ".": "testing typing",
    "cl": "attack building",
    "command": "run run_compare",
    "core": "free_threading",
    "layer": "layer_command translator",
    "numpy": "acceleration_children",
    "stability": (
        "foreign_programs interrupts leaks mendings names_in_suggestions not_finite "
        "program_verdicts programs pytest_plugin reference stalling_calls"
    ),
}

#: Of the tests of `halfcl.cl`, which are of both kinds, those that run on all sets.
CL_OF_SETS = ("numbers", "special")

#: The folder of tests that fork their process many times.
FORKING = "stability"

#: Files of what runs on devices, or on other libraries' arrays, where these are there: wholly or
#: in part. pytest -m devices runs them alone.
DEVICES = {
    "arrays": "calls dask nccl torch torch_reductions",
    "audit": "kernels reductions targets",
    "cl": (
        "attack blocks comparing complex_products device_images float_functions initializers "
        "on_device pyopencl pyopencl_device random scripts translated_includes "
        "translated_sub_groups translation"
    ),
    "device": "compile products reductions running_sums",
    "examples": "device gpu",
    "images": "opencl",
    "layer": "end_to_end launches on_devices programs",
    "project": "kernel_tools",
}

#: What such tests import. Each takes seconds to load, starts threads, and warns of its own.
DEVICE_LIBRARIES = ("cupy", "jax", "jaxlib", "pyopencl", "torch")


class WithoutDevices:
    """Finds what Python finds on its path, but no library of devices."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in DEVICE_LIBRARIES:
            return None
        return PathFinder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(PathFinder, name)


#: Whether devices are asked for: by -m devices, too, which further processes learn so.
HAS_DEVICES = {"-m", "devices"} <= set(sys.argv) or os.environ.get("HALFCL_TEST_DEVICES") == "1"

if HAS_DEVICES:
    os.environ["HALFCL_TEST_DEVICES"] = "1"
    # Otherwise JAX takes three quarters of a GPU's memory in each process.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
else:
    sys.meta_path[:] = [WithoutDevices() if x is PathFinder else x for x in sys.meta_path]


def pytest_configure(config):
    """Configure warnings by what is tested, and the folder of the oracles' results."""
    if HAS_DEVICES:
        for warning in (
            "ignore:os.fork:RuntimeWarning",  # JAX has threads, and no test calls it in a child
            "ignore::DeprecationWarning:pyopencl",
        ):
            config.addinivalue_line("filterwarnings", warning)
    name_results_folder(config)


def name_results_folder(config):
    """Name a folder in which a run's processes share the oracles' results, if none is named."""
    if "HALFCL_KEPT_RESULTS" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="halfcl-tests-")
        os.environ["HALFCL_KEPT_RESULTS"] = folder.name
        config.add_cleanup(folder.cleanup)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Without -n: a process for each processor, since the tests are many, where xdist is there.

    Of more than eight each would spend its time on finding the tests. None where something is to
    be looked at, and none of a process's own.

    NumPy's BLAS has one thread in each: others wait for work in a loop, and take its processor.
    """
    option = config.option
    alone = option.usepdb or option.collectonly or "PYTEST_XDIST_WORKER" in os.environ
    if getattr(option, "numprocesses", 0) is None and option.dist == "no" and not alone:
        option.numprocesses = min(usable_processors(), 8)
        option.dist = "worksteal"
    if getattr(option, "numprocesses", 0):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def has(table, folder, name):
    """Return whether a table of files (words by their folder) has one."""
    return name in table.get(folder, "").split()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Report a test's call, and failures, but no other phases, in parallel runs.

    Reports of the start, and of phases that passed, take longer than many a test.
    """
    option = item.config.option
    asked_for = option.durations is not None or option.verbose > 0
    if asked_for or "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@functools.cache
def marks_of(path):
    """Return the marks of a test file's tests."""
    folder, name = path.parent.relative_to(TESTS).as_posix(), path.stem.removeprefix("test_")
    tables = {
        "once": ONCE, "kernels": KERNELS, "threads": THREADS, "peers": PEERS, "devices": DEVICES,
        "pythons": PYTHONS,
    }  # fmt: skip
    marks = [mark for mark, table in tables.items() if has(table, folder, name)]
    if folder == "cl":
        marks += ["kernels"] if name in CL_OF_SETS else ["once", "kernels"]
    return marks


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items):
    """Mark the tests of these files, leave out those out of turn, and sort those that are to run.

    HALFCL_TEST_PART=1/4 takes every fourth of these, from the second on.
    """
    for item in items:
        for mark in marks_of(item.path):
            item.add_marker(mark)
    others = {id(item): item for item in out_of_turn(items)}
    for item in others.values():
        item.add_marker("exhaustive")
    if not EXHAUSTIVE:
        items[:] = [item for item in items if id(item) not in others]
    result = yield
    first, step = map(int, os.environ.get("HALFCL_TEST_PART", "0/1").split("/"))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = forking_first(items[first::step], workers)
    return result


def forking_first(items, workers):
    """Sort tests so that each worker begins with its share of those that fork.

    A fork takes the longer the more memory a process has, and tests leave some. Each worker begins
    with an equal part of the tests, in their order.
    """
    forking = [item for item in items if item.path.parent.name == FORKING]
    others = [item for item in items if item.path.parent.name != FORKING]
    ordered = []
    for k in range(workers):
        share = (len(items) - len(ordered)) // (workers - k)
        begin = forking[len(forking) * k // workers : len(forking) * (k + 1) // workers]
        count = max(share - len(begin), 0)
        ordered += begin + others[:count]
        del others[:count]
    return ordered


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Freeze the objects of tests and imports, so that garbage collection never scans them.

    Without these a share of what is left is soon reached, at which Python scans all of it: so the
    collector comes less often, which saves a tenth of the time of tests that compute in Python.
    """
    gc.disable()
    try:
        start_hypothesis()
        import_from_the_last(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        gc.enable()


def start_hypothesis():
    """Let Hypothesis, if it is installed, register its random numbers.

    It collects garbage to find what else refers to them: soon, before there are any tests, and
    never once that is frozen, of which it warns. How long a test draws or runs is no failure: the
    first text on a fresh machine takes a second, in which tables of Unicode are made.
    """
    with contextlib.suppress(ImportError):
        import hypothesis

        slow = [hypothesis.HealthCheck.too_slow]
        hypothesis.settings.register_profile("any", deadline=None, suppress_health_check=slow)
        hypothesis.settings.load_profile("any")
        once = hypothesis.settings(max_examples=1, database=None, deadline=None)
        once(hypothesis.given(hypothesis.strategies.none())(lambda _: None))()


def import_from_the_last(config):
    """Import test files backwards in the second of two processes, so that each compiles half.

    The rewriting of assertions takes a quarter of a minute. What fails is imported again later,
    which reports why.
    """
    worker = getattr(config, "workerinput", {}).get("workerid")
    if worker == "gw1" and [Path(a).resolve() for a in config.args] == [TESTS]:
        for path in sorted(TESTS.glob("**/test_*.py"), reverse=True):
            try:
                import_path(
                    path, mode="importlib", root=config.rootpath, consider_namespace_packages=False
                )
            except (Exception, pytest.skip.Exception):
                for name, module in [*sys.modules.items()]:
                    if getattr(module, "__file__", None) == str(path):
                        del sys.modules[name]


def pytest_runtest_teardown():
    """Close the figures that a test, or an example of a page, has left open."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(params=["rte", "rtz", "rtp", "rtn"])
def mode(request):
    """Each rounding mode."""
    return request.param


@pytest.fixture(params=["half", "float16"])
def kind(request):
    """Yield the dtype half, and float16 while it is accelerated."""
    if request.param == "half":
        yield np.dtype(hc.half)
    else:
        with hc.accelerated():
            yield np.dtype(np.float16)


@pytest.fixture
def scalar_class(kind):
    """Return the class of `kind`: half, and float16 while it is accelerated."""
    return kind.type


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
