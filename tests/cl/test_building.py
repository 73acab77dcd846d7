"""Builds that are interrupted, and many at once."""

import ctypes
import functools
import operator
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from halfcl import cl
from halfcl.cl._frontend import source
from halfcl.cl._frontend.guards.interrupts import defer_interrupts

LONG = "".join(
    f"#define F{n}(x) ((x) + {n})\nint f{n}(int x) {{ int y = F{n}(x) * 2; return y - x; }}\n"
    for n in range(20)
)
CALLS = " + ".join(f"f{n}(1)" for n in range(20))
SOURCE = f"{LONG}kernel void k(global int *a) {{ a[0] = {CALLS}; }}"
WANTED = sum(2 * (n + 1) - 1 for n in range(20))

#: Interrupts builds at ever later moments; after each one the next build must be right.
INTERRUPTED = """
import signal, sys, threading, time
import numpy as np
from halfcl import cl
signal.signal(signal.SIGINT, signal.default_int_handler)  # which may be inherited as ignored
source, wanted = sys.argv[1], int(sys.argv[2])
start = time.perf_counter(); cl.Program(source); whole = time.perf_counter() - start
limit, handler, stopped = sys.getrecursionlimit(), signal.getsignal(signal.SIGINT), 0
for part in range(9):
    program = None
    timer = threading.Timer(whole * part / 10, signal.raise_signal, (signal.SIGINT,))
    try:
        timer.start()
        program = cl.Program(source)
        timer.join()
    except KeyboardInterrupt:
        stopped += 1
    timer.join()
    assert sys.getrecursionlimit() == limit and signal.getsignal(signal.SIGINT) is handler
    if program is not None:
        out = np.zeros(1, np.int32)
        program.k(1, None, out)
        assert out[0] == wanted, "a program that is not whole"
out = np.zeros(1, np.int32)
cl.Program(source).k(1, None, out)
assert out[0] == wanted
print(stopped)
"""


@pytest.mark.once
def test_ctrl_c_ends_a_build_and_the_next_one_is_right():
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, SOURCE, str(WANTED)],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert not run.stderr, run.stderr  # nothing was dropped while an object of clang's was freed
    assert int(run.stdout) >= 6


def interrupting_lock(lock):
    """A lock that raises Ctrl-C at the worst moment, before Python does anything else."""
    interrupt = functools.partial(ctypes.pythonapi.PyErr_SetInterruptEx, int(signal.SIGINT))
    both = map(operator.call, (interrupt, lock.acquire))  # in C; the former gives 0
    take, release = functools.partial(any, both), lock.release
    methods = {"__enter__": take, "__exit__": lambda *_: release(), "release": release,
               "acquire": lambda timeout: take()}  # fmt: skip
    return type("Lock", (), {name: staticmethod(method) for name, method in methods.items()})()


def test_ctrl_c_as_a_build_begins_leaves_nothing_locked(ctrl_c, monkeypatch):
    lock, limit = threading.Lock(), sys.getrecursionlimit()
    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(source, "_BUILDING", interrupting_lock(lock))
    with pytest.raises(KeyboardInterrupt):
        cl.Program(SOURCE)
    assert not lock.locked() and sys.getrecursionlimit() == limit
    assert signal.getsignal(signal.SIGINT) is handler


def test_ctrl_c_in_libclangs_callbacks_is_raised_behind_them(ctrl_c):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), defer_interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        done = True
        interrupts.check()
        done = False
    assert done and signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt), defer_interrupts():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_threads_build_different_programs_at_once():
    results: dict[int, list[object]] = {n: [] for n in range(6)}

    def build(number):
        try:
            for _ in range(2):
                text = f"#define N {number}\n" + SOURCE.replace("a[0] =", "a[0] = N +")
                out = np.zeros(1, np.int32)
                cl.Program(text + ("zz" if number == 5 else "")).k(1, None, out)
                results[number].append(int(out[0]))
        except cl.BuildError as error:
            results[number].append(str(error).split(":")[0])

    threads = [threading.Thread(target=build, args=(n,)) for n in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [WANTED + n] * 2 for n in range(5)} | {5: ["program.cl"]}


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_builds_while_its_parent_does():
    going = threading.Event()

    def build():
        while not going.is_set():
            cl.Program(SOURCE)

    thread = threading.Thread(target=build)
    thread.start()
    try:
        for _ in range(2):
            child = os.fork()
            if child == 0:
                out = np.zeros(1, np.int32)
                try:
                    cl.Program(SOURCE).k(1, None, out)
                finally:
                    os._exit(0 if out[0] == WANTED else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        going.set()
        thread.join()


def test_a_constant_that_overflows_is_no_warning():
    """NumPy's warning would be an error by filterwarnings."""
    source = "kernel void k(global half *x) { x[0] = 3e9f; }"
    cl.Program(f"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{source}")
