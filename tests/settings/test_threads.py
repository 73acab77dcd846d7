"""Threads: their number, bits that do not depend on it, and processes that fork or end."""

import asyncio
import contextlib
import copy
import os
import pickle
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from exhaustive import left_out, more, one_in
from thread_calls import CALLS, Operands
from worker_calls import in_thread

import halfcl as hc
from halfcl import _core, half
from halfcl._settings import threads
from halfcl._support import processors

MOST = _core.MAX_THREADS

#: Calls of twice as many elements are split in these tests.
GRAIN = 37


@pytest.fixture(autouse=True)
def count_is_kept():
    """Restore the count and the grain after each test."""
    count, grain = _core.threads_of_process(), int(os.environ.get("HALFCL_GRAIN", 0))
    yield
    hc.set_num_threads(count)
    _core.set_grain(grain)


@contextlib.contextmanager
def split(count, grain=GRAIN):
    hc.set_num_threads(count)
    _core.set_grain(grain)
    yield


def run(code, *arguments, **environment):
    """Run a program that must end well without errors; return its output."""
    result = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )  # fmt: skip
    assert result.returncode == 0 and result.stderr == "", (result.returncode, result.stderr)
    return result.stdout


# ---------------------------------------------------------------- counts


def test_set_and_get():
    for n in (1, 2, np.int8(3), MOST):
        hc.set_num_threads(n)
        assert hc.get_num_threads() == n and type(hc.get_num_threads()) is int


BAD = [
    (TypeError, 1.5, "1.5"), (TypeError, 2.0, "2.0"), (TypeError, True, "True"),
    (TypeError, "x", "'x'"), (TypeError, None, "None"), (TypeError, np.float64(2), "2.0"),
    (TypeError, "y" * 5000, "'yyy"), (ValueError, 0, "0"), (ValueError, -1, "-1"),
    (ValueError, MOST + 1, "257"), (ValueError, 2**63, "9223372036854775808"),
    (ValueError, 10**5000, "an integer of 16610 bits"),
]  # fmt: skip


@pytest.mark.parametrize("function", [hc.set_num_threads, hc.num_threads])
@pytest.mark.parametrize(("error", "n", "came"), BAD, ids=[came for _, _, came in BAD])
def test_bad_counts(function, error, n, came):
    before = hc.get_num_threads()
    with pytest.raises(error, match=r"^n: expected a number of threads from 1 to 256, got ") as e:
        function(n)
    assert came in str(e.value) and len(str(e.value)) <= 200
    assert hc.get_num_threads() == before


def test_blocks_nest():
    hc.set_num_threads(8)
    with hc.num_threads(3) as outer:
        assert hc.get_num_threads() == outer.n == 3
        with hc.num_threads(5):
            assert hc.get_num_threads() == 5
            with outer:
                assert hc.get_num_threads() == 3
            assert hc.get_num_threads() == 5
        assert hc.get_num_threads() == 3
        hc.set_num_threads(2)  # no block allows more
        assert hc.get_num_threads() == 2
    with pytest.raises(ZeroDivisionError), hc.num_threads(1):
        raise ZeroDivisionError
    assert hc.get_num_threads() == 2


def test_blocks_left_in_another_order():
    """Each exit undoes the block's own limit, and no other."""
    hc.set_num_threads(8)
    one, other = hc.num_threads(2), hc.num_threads(3)
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert hc.get_num_threads() == 3
    other.__exit__(None, None, None)
    other.__exit__(None, None, None)  # nothing is left to take away
    assert hc.get_num_threads() == 8


def generator_closed_by_another_thread():
    """Return this thread's limit after generators are closed: by another thread, and by this."""

    def generator():
        with hc.num_threads(2):
            yield

    opened, closed = generator(), generator()
    next(opened)
    in_thread(opened.close)
    next(closed)
    closed.close()
    return hc.get_num_threads()


def tasks_that_wait_inside():
    """Return this thread's limit after tasks have exited blocks in another order."""

    async def task(n, seconds):
        with hc.num_threads(n):
            await asyncio.sleep(seconds)

    async def tasks():
        await asyncio.gather(task(3, 0.01), task(4, 0.02), task(5, 0))

    asyncio.run(tasks())
    return hc.get_num_threads()


def test_blocks_left_open():
    hc.set_num_threads(8)
    assert in_thread(generator_closed_by_another_thread) == 2
    assert in_thread(tasks_that_wait_inside) == 8


def test_blocks_are_of_one_thread():
    hc.set_num_threads(8)
    with hc.num_threads(2):
        assert in_thread(hc.get_num_threads) == 8
        with hc.num_threads(1):
            in_thread(lambda: hc.set_num_threads(6))
        assert hc.get_num_threads() == 2
    assert hc.get_num_threads() == 6


def test_decorator():
    hc.set_num_threads(8)

    @hc.num_threads(2)
    def count_recursively(depth):
        """Counts."""
        return [hc.get_num_threads(), *(count_recursively(depth - 1) if depth else ())]

    assert count_recursively(2) == [2, 2, 2] and hc.get_num_threads() == 8
    assert count_recursively.__doc__ == "Counts."
    assert hc.num_threads(1)(len)("abc") == 3

    def generator():
        yield

    async def coroutine():
        pass

    async def both():
        yield

    for function in (generator, coroutine, both):
        with pytest.raises(TypeError, match=f"cannot decorate '{function.__name__}'"):
            hc.num_threads(1)(function)
    for thing in (3, int):
        with pytest.raises(TypeError, match="expected a function to decorate"):
            hc.num_threads(1)(thing)


def test_blocks_are_values():
    block = hc.num_threads(3)
    assert repr(block) == "num_threads(3)"
    for other in (pickle.loads(pickle.dumps(block)), copy.copy(block), copy.deepcopy(block)):
        assert other.n == 3 and type(other) is hc.num_threads
    with pytest.raises(AttributeError):
        block.n = 4


# ---------------------------------------------------------------- at first


@pytest.fixture
def environment(monkeypatch):
    """Patch 16 processors, and remove the environment's settings."""
    monkeypatch.setattr(threads, "usable_processors", lambda: 16)
    monkeypatch.delenv("HALFCL_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    return monkeypatch


def test_default(environment):
    assert threads.default() == (16, "the processors that this process may use")
    environment.setattr(threads, "usable_processors", lambda: 1000)
    assert threads.default()[0] == MOST


@pytest.mark.parametrize(
    ("value", "count"),
    [("1", 1), ("4,2", 4), (" 08 ", 8), ("16", 16), ("64", 16), ("", 16), ("0", 16), ("x", 16),
     ("-1", 16), ("9" * 5000, 16), ("٣", 16)],
)  # fmt: skip
def test_openmp_caps_it(environment, value, count):
    environment.setenv("OMP_NUM_THREADS", value)
    assert threads.default()[0] == count
    environment.setenv("HALFCL_NUM_THREADS", "5")
    assert threads.default() == (5, "HALFCL_NUM_THREADS")


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "x", "257", "1,2", "9" * 5000, "٣", "\udcff"])
def test_bad_environment(environment, value):
    environment.setenv("HALFCL_NUM_THREADS", value)
    with pytest.raises(ImportError) as e:
        threads.default()
    assert str(e.value) == (
        f"HALFCL_NUM_THREADS={value[:40]!r}: expected a number of threads from 1 to 256"
    )


def test_command():
    """One line that says what is wrong, and no traceback; else a line of the information."""
    for value, expected in (("7", "threads          7 (HALFCL_NUM_THREADS)"), ("x", None)):
        settings = {"PYTHONPATH": os.pathsep.join(sys.path), "HALFCL_NUM_THREADS": value}
        result = subprocess.run(
            [sys.executable, "-m", "halfcl", "info"],
            capture_output=True,
            text=True,
            env={**os.environ, **settings},
        )
        if expected:
            assert expected in result.stdout.splitlines() and result.stderr == ""
        else:
            (line,) = result.stderr.splitlines()
            assert "HALFCL_NUM_THREADS='x': expected" in line and result.returncode == 1


#: What /proc/self/cgroup says, the files below /sys/fs/cgroup, and how many of 16 processors may be
#: used.
SYSTEMS = {
    "no cgroups": (None, {}, 16),
    "version 2": ("0::/a/b", {"a/b/cpu.max": "150000 100000"}, 2),
    "version 2, around": ("0::/a/b", {"a/cpu.max": "300000 100000", "a/b/cpu.max": "max 1"}, 3),
    "version 2, in a container": ("0::/", {"cpu.max": "50000 100000"}, 1),
    "version 2, unlimited": ("0::/", {"cpu.max": "max 100000"}, 16),
    "version 2, more than there are": ("0::/", {"cpu.max": "9900000 100000"}, 16),
    "version 1": (
        "7:memory:/x\n3:cpu,cpuacct:/a",
        {"cpu/a/cpu.cfs_quota_us": "400000", "cpu/a/cpu.cfs_period_us": "100000"},
        4,
    ),
    "version 1, in a container": (
        "3:cpuacct,cpu:/docker/123",
        {"cpu/cpu.cfs_quota_us": "250000", "cpu/cpu.cfs_period_us": "100000"},
        3,
    ),
    "version 1, unlimited": (
        "3:cpu:/", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 16
    ),
    "another controller": (
        "3:cpuset:/", {"cpu/cpu.cfs_quota_us": "1", "cpu/cpu.cfs_period_us": "1"}, 16
    ),
    "what is no number": ("0::/", {"cpu.max": "many few"}, 16),
    "half a file": ("0::/", {"cpu.max": "1"}, 16),
    "a period of nothing": ("0::/", {"cpu.max": "1 0"}, 16),
    "lines of nothing": ("\nx\n:\n", {}, 16),
    "outside of its tree": ("0::/../..", {"cpu.max": "100000 100000"}, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_usable_processors(name, tmp_path, monkeypatch):
    group, files, usable = SYSTEMS[name]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    texts = {f"sys/fs/cgroup/{path}": text for path, text in files.items()}
    for path, text in texts.items() if group is None else [*texts.items(), (GROUP, group)]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{text}\n")
    assert processors.usable_processors(str(tmp_path)) == usable
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert processors.usable_processors(str(tmp_path)) == 1


GROUP = "proc/self/cgroup"


def test_usable_processors_elsewhere(tmp_path, monkeypatch):
    """Affinity is forbidden or missing, and the number of processors may be unknown, too."""
    monkeypatch.setattr(os, "cpu_count", lambda: 6)

    def forbidden(_):
        raise PermissionError

    monkeypatch.setattr(os, "sched_getaffinity", forbidden, raising=False)
    assert processors.usable_processors(str(tmp_path)) == 6
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert processors.usable_processors(str(tmp_path)) == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors.usable_processors(str(tmp_path)) == 1


# ---------------------------------------------------------------- bits


REGIONS = {
    "outside": contextlib.nullcontext,
    "rtp": lambda: hc.rounding("rtp"),
    "rtn, builtins": lambda: hc.rounding("rtn", builtins=True),
}


def parts_of(result):
    return result if isinstance(result, tuple) else (result,)


def bits(x):
    """Return a result's bytes, with all NaNs made equal.

    Which of two NaNs results may depend on the position in a vector, and parts that are not
    multiples of vectors move elements to other positions.
    """
    x = np.array(x)
    if x.dtype == half or x.dtype.kind == "f":
        x[np.isnan(x)] = np.nan
    return x.tobytes()


def run_and_record(call, region):
    """Return a call's results, to the bit, and its floating-point exceptions."""
    exceptions = []
    with (
        np.errstate(all="call", call=lambda kind, flags: exceptions.append((kind, flags))),
        warnings.catch_warnings(),
        region(),
    ):
        warnings.simplefilter("ignore")
        result = call(Operands())
    results = [(type(x), np.asarray(x).dtype, np.shape(x), bits(x)) for x in parts_of(result)]
    return results, exceptions


@one_in(2)
@pytest.mark.parametrize("name", CALLS)
def test_bits(name):
    """Results and exceptions are those of one thread, for any count and however calls are cut."""
    for region in REGIONS.values():
        with split(1, 0):
            expected = run_and_record(CALLS[name], region)
        for count, grain in ((2, 500), (3, GRAIN), (4, 5)):
            with split(count, grain):
                assert run_and_record(CALLS[name], region) == expected, (count, grain)


@pytest.mark.parametrize("seed", range(4))
def test_sizes(seed):
    """Any number of elements, with parts that end in the middle of vectors."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        n, count, grain = (int(x) for x in rng.integers((0, 2, 1), (700, 9, 90)))
        a, b = rng.integers(0, 1 << 16, (2, n)).astype(np.uint16).view(half)
        outcomes = []
        for cut in (split(1, 0), split(count, grain)):
            with cut, np.errstate(all="ignore"):
                outcomes.append(
                    (a + b, hc.exp(a), hc.sum(a), np.sort(b), hc.atan2(a, b), hc.dot(a, b))
                )
        one, other = ([bits(x) for x in results] for results in outcomes)
        assert one == other, (n, count, grain)


@pytest.mark.parametrize("name", ["finite", "overflow", "underflow", "zeros", "NaN", "invalid"])
def test_dot_of_long_vectors(name):
    """The one sum that threads take parts of, and that one thread takes another way."""
    a, b = np.tile([[0.5, -1.25, 3e-4], [2, 0.75, -1e-2]], 400_000).astype(half)
    if name == "zeros":
        a[:], b[:] = -0.0, 1
    elif name != "finite":
        last = {"overflow": (6e4, 6e4), "underflow": (0, 0), "NaN": (np.nan, 1)}
        a[:-1], (a[-1], b[-1]) = 0, last.get(name, (np.inf, 0))
        a[777] = 6e-8 if name == "underflow" else a[777]
    outcomes = []
    for count in (1, 4):
        with split(count, 0):
            for region in REGIONS.values():
                outcomes.append(
                    run_and_record(
                        lambda e: (hc.dot(a, b), hc.dot(a[::-1], b), np.dot(a, b)), region
                    )
                )
    assert outcomes[:3] == outcomes[3:]


#: Which of two NaNs gives a sum or a product its bits depends on where it lies
#: (docs/reference/threads.md).
ONE_OF_TWO_NANS = hc.processor_info()["isa"] in ("avx2", "neon_fp16")


def with_nans(a, b):
    """Results to which NaNs of many bits come."""
    with np.errstate(all="ignore"):
        arithmetic = [hc.add(a, b), hc.multiply(a, b), hc.fma(a, b, a), a[::-1] + b]
        if ONE_OF_TWO_NANS:
            for result, other in zip(arithmetic, (a, a, a, a[::-1]), strict=True):
                result[np.isnan(other) & np.isnan(b)] = np.nan
        of_two = [f(a, b) for f in (hc.fmax, hc.atan2, hc.nextafter)]
        results = [*arithmetic, *of_two, np.sort(a), np.sqrt(a), a.astype(np.float32)]
    return [x.tobytes() for x in results]


def test_nans():
    """Cut as calls are where it pays, by 1024 elements, results are the same in NaNs, too."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 1 << 16, (2, 10_007)).astype(np.uint16).view(half)
    a[::3] = rng.integers(0x7C01, 0x8000, a[::3].size).astype(np.uint16).view(half)
    with split(1, 0):
        expected = with_nans(a, b)
    for count in (2, 3, 4):
        with split(count, 1024):
            assert with_nans(a, b) == expected


def test_exceptions_of_one_element():
    """A single element's exception is reported, whatever part it lies in."""
    with split(4):
        for at in (0, 36, 37, 499, 998, 999):
            a = np.ones(1000, half)
            a[at] = 0
            with (
                np.errstate(all="raise"),
                pytest.raises(FloatingPointError, match="divide by zero"),
            ):
                hc.divide(1, a)
            a[at] = 11.5
            with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow"):
                np.exp(a)
        with np.errstate(all="raise"):
            np.exp(np.ones(1000, half))


def test_calls_are_split():
    """Calls in these tests are really split: other threads exist, and wait for work."""
    with split(4):
        hc.exp(np.ones(1000, half))
    until = time.monotonic() + 20
    while _core.idle_threads() < 3 and time.monotonic() < until:
        time.sleep(0.001)
    assert _core.idle_threads() >= 3


# ---------------------------------------------------------------- many at once


def sample():
    """Results of several kinds of calls, as bytes."""
    e = Operands()
    results = (
        e.a + e.b,
        hc.exp(e.a),
        hc.sum(e.cube, 0),
        np.sort(e.any),
        e.m @ e.m.T,
        e.f32.astype(half),
    )
    return b"".join(np.asarray(x).tobytes() for x in results)


def test_several_threads_at_once():
    """Each in its own region and with its own limit."""
    with split(1, 0):
        expected = {}
        for mode in hc.MODES:
            with hc.rounding(mode, builtins=True):
                expected[mode] = sample()

    def work(k):
        mode = hc.MODES[k % 4]
        with hc.rounding(mode, builtins=True), hc.num_threads(1 + k % 3):
            return all(sample() == expected[mode] for _ in range(5))

    with split(4), ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))
        for k, n in enumerate((2, 7, 1, 4, 3, 2)):  # the count changes under those who compute
            done = pool.map(work, range(k, k + 4))
            hc.set_num_threads(n)
            assert all(done)


def test_calls_within_calls():
    """Handlers of numpy.errstate and vectorized functions may call halfcl."""
    results = []

    def inner(kind, flags):
        results.append(hc.exp(np.zeros(1000, half)).sum())

    with split(4):
        with np.errstate(over="call", call=inner):
            hc.exp(np.full(1000, 20, half))
        assert results == [1000]
        called = np.frompyfunc(lambda x: hc.sum(np.full(500, x, half)), 1, 1)
        assert list(called([1, 2])) == [500, 1000]


# ---------------------------------------------------------------- processes

HEAD = """
import os, signal, sys, threading, time
import numpy as np
import halfcl as hc
from halfcl import _core, half
hc.set_num_threads(4)
_core.set_grain(1000)
a = np.linspace(-8, 8, 200000).astype(half)

def work():
    return hc.exp(a).tobytes() + hc.sum(a.reshape(400, 500), 0).tobytes() + np.sort(-a).tobytes()

with hc.num_threads(1):
    right = work()
assert work() == right

def forever():
    while True:
        work()
"""

PROGRAMS = {
    "fork": """
threading.Thread(target=forever, daemon=True).start()
for k in range(8):  # in the middle of calls
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        good = work() == right and hc.get_num_threads() == 4
        if good and k == 0:  # a child's child
            inner = os.fork()
            if inner == 0:
                os._exit(0 if work() == right else 1)
            good = os.waitpid(inner, 0)[1] == 0
        os._exit(0 if good else 1)
    assert work() == right
    assert os.waitpid(child, 0)[1] == 0
print("done", flush=True)
os._exit(0)
""",
    "exit": """
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.2)
print("done")
""",
    "exit at once": """
threading.Thread(target=forever, daemon=True).start()
print("done")
""",
    "interrupts": """
def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
for k in range(30):
    try:
        with hc.num_threads(3), hc.rounding("rtp"):
            # From 3.14 on Python may raise between __enter__ and the block, which is not left then.
            signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.0007 * k)
            forever()
    except KeyboardInterrupt:
        pass
    assert hc.get_num_threads() == 4 and hc.get_rounding() == "rte"
    assert work() == right
print("done")
""",
    "control-C": """
signal.signal(signal.SIGINT, signal.default_int_handler)  # which may be inherited as ignored
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    forever()
except KeyboardInterrupt:
    assert work() == right
    print("done")
""",
    "workers' signals": """
seen = []
main = threading.main_thread()
signal.signal(signal.SIGUSR1, lambda *_: seen.append(threading.current_thread() is main))
for _ in range(20):
    os.kill(os.getpid(), signal.SIGUSR1)
    work()
assert seen == [True] * 20
print("done")
""",
    "many counts": """
for k in (1, 2, 7, 64, 256, 3, 1, 5):
    hc.set_num_threads(k)
    assert work() == right
print("done")
""",
}  # fmt: skip


#: Of them what is always tried.
SOME = ["fork", "exit", "interrupts", "many counts"]


@one_in(2)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("name", [*SOME, *more(*(name for name in PROGRAMS if name not in SOME))])
@pytest.mark.filterwarnings("ignore")
def test_programs(name):
    assert run(HEAD + PROGRAMS[name], PYTHONWARNINGS="ignore") == "done\n"


@pytest.mark.skipif(
    sys.platform != "linux" or not os.path.exists("/proc/self/task"),
    reason="the system does not list a process's threads",
)
def test_threads_start_only_with_the_first_large_call():
    """Importing and small calls start none; those that are split start what they use."""
    code = """
import os, numpy as np
before = len(os.listdir("/proc/self/task"))
import halfcl as hc
hc.set_num_threads(4)
hc.exp(np.ones(100, hc.half)), np.sort(np.ones(100, hc.half))
print(len(os.listdir("/proc/self/task")) - before)
with hc.num_threads(1):
    hc.exp(np.ones(1 << 22, hc.half))
print(len(os.listdir("/proc/self/task")) - before)
for count in (2, 4, 3):
    hc.set_num_threads(count)
    hc.exp(np.ones(1 << 22, hc.half))
    print(len(os.listdir("/proc/self/task")) - before)
"""
    assert run(code).split() == ["0", "0", "1", "3", "3"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere that limit does not hold")
def test_no_threads_for_a_while():
    """Calls work alone while threads cannot be started; later calls have threads."""
    code = """
import mmap, resource, sys, time
import numpy as np
import halfcl as hc
from halfcl import _core
_core.set_grain(1000)
hc.set_num_threads(1)  # a processor with 16 cores begins as many threads by the first call
a = np.linspace(-8, 8, 20000).astype(hc.half)
out = hc.exp(a)
bits, kept = out.tobytes(), resource.getrlimit(resource.RLIMIT_AS)
hc.set_num_threads(16)
with open("/proc/self/statm") as sizes:
    now = int(sizes.read().split()[0]) * resource.getpagesize()
# No room but what ended threads left, and what the C library needs to begin one on it: without
# that it ends the process. A stack takes eight times as much.
resource.setrlimit(resource.RLIMIT_AS, (now + 2**18, kept[1]))
try:
    mmap.mmap(-1, 2**24)
    sys.exit(print("no limit"))
except OSError:
    pass
hc.exp(a, out=out)
resource.setrlimit(resource.RLIMIT_AS, kept)
time.sleep(0.1)
print(_core.idle_threads() < 15, out.tobytes() == bits)
for _ in range(1500):
    hc.exp(a, out=out)
until = time.monotonic() + 20
while _core.idle_threads() < 15 and time.monotonic() < until:
    time.sleep(0.001)
print(_core.idle_threads(), out.tobytes() == bits)
"""
    printed = run(code).split()
    if printed == ["no", "limit"]:
        pytest.skip("the system takes the limit and does not hold it: QEMU, run for a program")
    assert printed == ["True", "True", "15", "True"]


MULTIPROCESSING = """
import multiprocessing, sys
import numpy as np
import halfcl as hc
from halfcl import _core

def work(k):
    _core.set_grain(1000)
    a = np.linspace(-8, 8, 50000).astype(hc.half)
    return hc.get_num_threads(), hc.exp(a).tobytes(), np.sort(a * k).tobytes()

if __name__ == "__main__":
    hc.set_num_threads(3)
    expected = [work(k) for k in range(4)]
    for method in sorted({"fork", "spawn"} & {*multiprocessing.get_all_start_methods()}):
        with multiprocessing.get_context(method).Pool(2) as pool:
            found = pool.map(work, range(4))
        assert [x[1:] for x in found] == [x[1:] for x in expected]
        print(method, *{x[0] for x in found})
"""


def test_multiprocessing(tmp_path):
    """A forked child keeps the count, a new one has the environment's."""
    program = tmp_path / "program.py"
    program.write_text(MULTIPROCESSING)
    result = subprocess.run(
        [sys.executable, "-W", "ignore", program], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HALFCL_NUM_THREADS": "2"},
    )  # fmt: skip
    forked = "fork 3\n" if hasattr(os, "fork") else ""
    assert (result.stdout, result.stderr) == (f"{forked}spawn 2\n", "")


# ---------------------------------------------------------------- other libraries


def test_threadpoolctl():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    hc.set_num_threads(6)

    def counts():
        controllers = [x for x in threadpoolctl.threadpool_info() if x["user_api"] == "halfcl"]
        return [x["num_threads"] for x in controllers]

    assert counts() == [6]
    with threadpoolctl.threadpool_limits(1):
        assert counts() == [1] == [hc.get_num_threads()]
        assert in_thread(hc.get_num_threads) == 1
    assert counts() == [6] == [hc.get_num_threads()]
    with threadpoolctl.threadpool_limits({"halfcl": 2}), hc.num_threads(4):
        assert hc.get_num_threads() == 2
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert hc.get_num_threads() == 6
    with hc.num_threads(2), threadpoolctl.threadpool_limits(10**6):
        assert hc.get_num_threads() == 2
    assert hc.get_num_threads() == 6


@pytest.mark.parametrize("order", ["threadpoolctl, halfcl", "halfcl, threadpoolctl"])
def test_order_of_imports(order):
    pytest.importorskip("threadpoolctl")
    code = f"""
import {order}
with threadpoolctl.threadpool_limits(1):
    print(halfcl.get_num_threads())
print(halfcl.get_num_threads())
"""
    assert run(code, HALFCL_NUM_THREADS="3") == "1\n3\n"


def test_without_threadpoolctl():
    code = """
import sys
sys.modules["threadpoolctl"] = None
import halfcl
print(halfcl.get_num_threads())
"""
    assert run(code, HALFCL_NUM_THREADS="3") == "3\n"


def test_joblib(monkeypatch):
    """Its processes have their share of the processors, or what they are told."""
    joblib = pytest.importorskip("joblib")
    monkeypatch.delenv("HALFCL_NUM_THREADS", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr("os.sched_getaffinity", os.sched_getaffinity)
    with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=1):
        count = joblib.delayed(hc.get_num_threads)
        assert joblib.Parallel()(count() for _ in range(2)) == [1, 1]


def _count_of_block(block):
    _core.set_grain(GRAIN)
    assert hc.exp(block).tobytes() == EXP_OF_ONES
    with hc.num_threads(3):
        inside = hc.get_num_threads()
    return np.array([hc.get_num_threads(), inside])


EXP_OF_ONES = hc.exp(np.ones(1000, half)).tobytes()


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_dask(scheduler):
    """Its threads compute on one each; who computes all alone does as always."""
    da = pytest.importorskip("dask.array")
    hc.set_num_threads(4)
    x = da.ones(4000, chunks=1000, dtype=half)
    blocks = x.map_blocks(_count_of_block, dtype=int, chunks=((2,) * 4,))
    counts = blocks.compute(scheduler=scheduler).reshape(4, 2)
    assert (counts == ([1, 3] if scheduler == "threads" else [4, 3])).all()
    assert hc.get_num_threads() == 4


@pytest.mark.filterwarnings("ignore")  # of ports that are taken
def test_dask_without_a_nanny():
    """Workers that are threads of this process."""
    pytest.importorskip("dask.array")
    distributed = pytest.importorskip("distributed")
    hc.set_num_threads(4)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None,
            memory_limit=0,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        counts = client.gather(client.map(lambda _: hc.get_num_threads(), range(4)))
    assert counts == [1] * 4 and hc.get_num_threads() == 4


@left_out("processes of Dask's, which take seconds; OMP_NUM_THREADS itself is tested above")
@pytest.mark.filterwarnings("ignore")
def test_dask_under_a_nanny(monkeypatch):
    """Processes, which Dask gives OMP_NUM_THREADS=1."""
    pytest.importorskip("dask.array")
    distributed = pytest.importorskip("distributed")
    monkeypatch.delenv("HALFCL_NUM_THREADS", raising=False)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        # In a thread that is not Dask's, which the environment alone limits.
        assert client.submit(in_thread, hc.get_num_threads).result() == 1
