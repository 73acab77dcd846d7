"""Ctrl-C at any moment, and acceleration that other threads switch during a run."""

import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import halfcl as hc
from halfcl._command import main
from halfcl._core import Experiment
from halfcl.stability._programs._running.interrupting import first_interrupt_calls
from halfcl.stability._programs._testing import StabilityTest

pytestmark = pytest.mark.once

needs_interrupts = pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")


@pytest.fixture(autouse=True)
def default_interrupts():
    """Ctrl-C raises KeyboardInterrupt, which a shell's background jobs ignore."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def command_here(capsys, monkeypatch, tmp_path):
    """Function that tests a program from this process, in which a test has changed a method."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = main(arguments)
        texts = capsys.readouterr()
        return status, texts.out, texts.err

    return program_runner(run)


def program_runner(run):
    """Return a function that tests a program with a given source."""

    def run_program(text, *options):
        Path("program.py").write_text(text, encoding="utf-8")
        return run("stability", "--samples", "0", "--no-trace", *options, "program.py")

    return run_program


PROGRAM = "import numpy as np\nx = np.float16([0.01, 3])\nprint((1 + x) - 1)\n"


@needs_interrupts
@pytest.mark.parametrize(
    ("method", "is_partial"),
    [("_compare", True), ("_run_first", False), ("_reference_runs", False)],
)
def test_interrupt_between_runs(command_here, monkeypatch, method, is_partial, tmp_path):
    """The report has what is known, once the runs in other roundings have begun."""
    scratch = tmp_path.with_name(f"{tmp_path.name}-scratch")
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    original = getattr(StabilityTest, method)

    def interrupt(self, *args):
        os.kill(os.getpid(), signal.SIGINT)
        return original(self, *args)

    monkeypatch.setattr(StabilityTest, method, interrupt)
    status, out, err = command_here(PROGRAM)
    start = "partial report: Ctrl-C ended the test after "
    assert (status, out.startswith(start), err) == (1 if is_partial else 130, is_partial, "")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not list(scratch.iterdir()) and [p.name for p in tmp_path.iterdir()] == ["program.py"]


@needs_interrupts
def test_second_interrupt_raises():
    calls = []
    with pytest.raises(KeyboardInterrupt), first_interrupt_calls(lambda: calls.append(1)):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0)
        assert calls == [1]
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    assert calls == [1] and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@needs_interrupts
def test_handlers_of_others_stay():
    """So do those of the main thread while a test runs in another thread."""
    own = lambda *_: None  # noqa: E731
    before = signal.signal(signal.SIGINT, own)
    try:
        with first_interrupt_calls(lambda: None):
            assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
    handlers = []

    def enter():
        with first_interrupt_calls(lambda: None):
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert handlers == [before]


# ------------------------------------------------------------------ acceleration

WIDE = np.linspace(0.1, 3, 700)
TEXTS = np.array([f"0.{k}" for k in range(1, 90)])


def compute():
    """Return casts, stores and operations of float16, which acceleration replaces."""
    x = WIDE.astype(np.float16)
    changed = x.copy()
    changed[::2] += 0.1
    np.add.at(changed, [1, 1, 2], x[:3])
    strings = TEXTS.astype(np.dtypes.StringDType())
    results = [
        x, changed, TEXTS.astype(np.float16), TEXTS.astype("S").astype(np.float16),
        strings.astype(np.float16), np.float16("0.1"), np.array([0.1, "0.2"], object).astype("f2"),
        np.fromstring("0.1 0.2", np.float16, sep=" "), x / np.float16(3), np.sort(x)[::-1],
        np.float16(0.1) + np.float16(0.3), np.exp(x), x.astype(np.float32), np.full(40, 0.1, "f2"),
    ]  # fmt: skip
    return [np.asarray(result, np.float64) for result in results]


def test_switching_acceleration_in_threads_during_experiments():
    """Each result is one that some rounding gives, whoever computes it."""
    with hc.accelerated():
        low, high = (Experiment(mode, casts=True).call(compute, ()) for mode in ("rtn", "rtp"))
    bounds = [(x - 4e-3 * abs(x), y + 4e-3 * abs(y)) for x, y in zip(low, high, strict=True)]
    until, failures, counts = time.monotonic() + 0.5, [], [0, 0]

    def run(seed):
        while time.monotonic() < until:
            seed += 3
            decide = None if seed % 2 else iter(["rtn", "rtp"] * 99_999).__next__
            experiment = Experiment(
                ["random", "rtp", "rte"][seed % 3] if decide is None else "rte", decide, None,
                seed, casts=True, steps=True, not_finite=lambda *_: None, numbers=seed % 3 - 1,
            )  # fmt: skip
            for k, x in enumerate(experiment.call(compute, ())):
                if not ((bounds[k][0] <= x) & (x <= bounds[k][1])).all():
                    failures.append((seed, k, x))
            counts[0] += 1

    def switch():
        while time.monotonic() < until:
            hc.decelerate()
            hc.accelerate()
            counts[1] += 1

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(3)]
    threads += [threading.Thread(target=switch)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        hc.decelerate()
    assert not failures and min(counts) > 10
