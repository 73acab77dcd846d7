"""Tests of switching acceleration on and off: restored loops, threads, processes, the command."""

import ctypes
import multiprocessing
import operator
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from exhaustive import more

import halfcl as hc
from halfcl._numpy import acceleration, compat
from halfcl._numpy.compat import ufuncs

NUMPY_HAS_LOOPS = [u for u in set(ufuncs().values()) if any("e" in types for types in u.types)]


@pytest.fixture(autouse=True)
def off():
    hc.decelerate()
    yield
    hc.decelerate()


class UFunc(ctypes.Structure):
    """The first fields of NumPy's PyUFuncObject, from its header."""

    _fields_ = (
        ("head", ctypes.c_ssize_t * (object.__basicsize__ // ctypes.sizeof(ctypes.c_ssize_t))),
        ("counts", ctypes.c_int * 4),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    )


def loops_of(ufunc):
    """Return the addresses and contents of a ufunc's arrays of loops."""
    own = UFunc.from_address(id(ufunc))
    n = own.ntypes
    assert n == ufunc.ntypes
    functions, data = own.functions[:n], own.data[:n] if own.data else None
    addresses = (ctypes.cast(p, ctypes.c_void_p).value for p in (own.functions, own.data))
    return *addresses, functions, data


def snapshot():
    return {ufunc.__name__: loops_of(ufunc) for ufunc in NUMPY_HAS_LOOPS}


def is_on():
    with hc.rounding("rtp"):
        return np.float16([1]) / 3 > np.float16(0.3333)


def test_loops_are_restored_exactly():
    """Check functions, data and their arrays; only float16's change while accelerated."""
    before = snapshot()
    with hc.accelerated():
        during = snapshot()
        names = hc.accelerated_ufuncs()
    assert snapshot() == before
    assert {name for name in during if during[name] != before[name]} == set(names)
    for ufunc in NUMPY_HAS_LOOPS:
        changed = zip(before[ufunc.__name__][2], during[ufunc.__name__][2], strict=True)
        indices = [k for k, (one, other) in enumerate(changed) if one != other]
        assert all("e" in ufunc.types[k] for k in indices)
    hc.accelerate()
    assert snapshot() == during
    hc.decelerate()
    assert snapshot() == before


def test_second_call_has_no_effect():
    assert hc.accelerate() is None
    first = snapshot()
    hc.accelerate()
    assert snapshot() == first
    hc.decelerate()
    assert not is_on() and hc.accelerated_ufuncs() == ()
    hc.decelerate()


def test_blocks_nest():
    block = hc.accelerated()
    with block:
        with block, hc.accelerated():
            assert is_on()
        assert is_on()
    assert not is_on()
    hc.accelerate()
    with block:
        assert is_on()
    assert is_on(), "it was on before"
    with pytest.raises(KeyError), block:
        raise KeyError
    hc.decelerate()
    with block:
        hc.decelerate()
        assert not is_on()
        hc.accelerate()
    assert is_on()


def test_decelerate_keeps_loops_replaced_by_others():
    own = UFunc.from_address(id(np.hypot))
    index = np.hypot.types.index("ee->e")
    hc.accelerate()
    ours = own.functions[index]
    own.functions[index] = own.functions[index + 1]  # never called
    try:
        theirs = own.functions[index]
        assert "hypot" not in hc.accelerated_ufuncs()
        hc.decelerate()
        assert own.functions[index] == theirs
    finally:
        own.functions[index] = ours
        hc.decelerate()
    assert np.hypot(np.float16(3), np.float16([4])) == 5


def test_calls_in_threads_while_switching():
    """Check that calls during a switch return right results and do not crash."""
    x = np.linspace(1, 2, 5000).astype(np.float16)
    want = {f: f(x) for f in (np.negative, np.sqrt, np.square)} | {np.add: x + x}
    stop, wrong = threading.Event(), []

    def compute():
        while not stop.is_set():
            for f, result in want.items():
                got = f(x, x) if f.nin == 2 else f(x)
                if got.tobytes() != result.tobytes():
                    wrong.append(f.__name__)

    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        with hc.accelerated():
            hc.accelerate()
        hc.decelerate()
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert hc.accelerated_ufuncs() == ()


def test_blocks_of_threads_overlap():
    """Check that the last block to end restores NumPy's loops."""
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with hc.accelerated():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    with hc.accelerated():
        pass
    assert is_on()
    leave.set()
    thread.join()
    assert not is_on()


def test_regions_of_threads_are_independent():
    """Check calls that run without the interpreter lock in threads with different regions."""
    x = np.linspace(1, 2, 1 << 15).astype(np.float16)
    want = {mode: hc.divide(x, 3, rounding=mode).tobytes() for mode in hc.MODES}
    wrong = []

    def compute(mode):
        with hc.rounding(mode):
            wrong.extend(mode for _ in range(50) if (x / 3).tobytes() != want[mode])

    with hc.accelerated():
        threads = [threading.Thread(target=compute, args=(mode,)) for mode in hc.MODES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork():
    """Check that a forked child inherits its parent's state and switches independently."""

    def child(queue):
        states = [bool(is_on())]
        hc.decelerate()
        states.append(bool(is_on()))
        hc.accelerate()
        queue.put([*states, bool(is_on())])

    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    with hc.accelerated():
        process = context.Process(target=child, args=(queue,))
        process.start()
        process.join(60)
        assert process.exitcode == 0
        assert is_on()
    assert queue.get() == [True, False, True]


def run(*arguments, expected=0, **options):
    result = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, **options,
    )  # fmt: skip
    assert result.returncode == expected, result.stderr
    return result.stdout


def test_regions_do_not_affect_halfcls_use_of_float16():
    """Check functions of halfcl that compute with float16 arrays internally."""
    x = np.linspace(0, 2, 50).astype(hc.half)
    calls = {
        "repr": lambda: repr(x),
        "parse": lambda: hc.parse("0.1", rounding="rte"),
        "ulps": lambda: hc.ulp_error(x, x.astype(float) * 1.0001),
        "convert": lambda: hc.convert(x.astype(float), hc.half, rounding="rte"),
        "loadtxt": lambda: np.loadtxt(["0.5 0.25"], dtype=hc.half),
    }
    with hc.accelerated(), hc.rounding("rtz", builtins=True):
        inside = {name: repr(call()) for name, call in calls.items()}
    with hc.rounding("rtz", builtins=True):
        assert inside == {name: repr(call()) for name, call in calls.items()}


# ---------------------------------------------------------------- the command line

SCRIPT = """
import sys
import numpy as np
import halfcl as hc
import beside
with hc.rounding("rtp"):
    print(__name__, sys.argv[1:], np.float16([1]) / 3, beside.x, bool(hc.accelerated_ufuncs()))
"""


def test_run_script(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "beside.py").write_text("x = 5")
    out = run("-m", "halfcl", "run", "script.py", "-x", "--help", "y", cwd=tmp_path)
    assert out == "__main__ ['-x', '--help', 'y'] [0.3335] 5 True\n"
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text(SCRIPT)
    out = run("-m", "halfcl", "run", "-m", "package", "-x", cwd=tmp_path)
    assert out == "__main__ ['-x'] [0.3335] 5 True\n"
    out = run("-m", "halfcl", "run", "-c", SCRIPT, "-x", cwd=tmp_path)
    assert out == "__main__ ['-x'] [0.3335] 5 True\n"
    (tmp_path / "exits.py").write_text("raise SystemExit(7)")
    run("-m", "halfcl", "run", "exits.py", cwd=tmp_path, expected=7)


@pytest.mark.parametrize("arguments", [["missing.py"], *more([], ["-m"], ["-c"])])
def test_run_without_program_is_usage_error(arguments, tmp_path):
    run("-m", "halfcl", "run", *arguments, cwd=tmp_path, expected=2)


def test_import_order():
    """Check functions of NumPy that were imported by name before or after halfcl."""
    code = """
    from numpy import add
    import numpy as np
    x = np.ones(30, np.float16)
    plain = add(x, x)
    import halfcl as hc
    hc.accelerate()
    from numpy import divide
    with hc.rounding("rtp"):
        assert (divide(x, 3) > np.float16(0.3333)).all()
        assert (add(x, np.float16(2**-13)) > 1).all()
    """
    run("-W", "error", "-c", textwrap.dedent(code))


def test_accelerated_functions():
    """Check that all names are functions of NumPy, and that their entries exist."""
    assert hc.accelerated_functions() == ()
    with hc.accelerated():
        names = hc.accelerated_functions()
    assert hc.accelerated_functions() == ()
    assert len(set(names)) == len(names) > 30 and list(names) == sorted(names)
    for name in names:
        assert callable(operator.attrgetter(name)(np)), name
    known = {entry.name for entry in compat.ENTRIES}
    assert set(acceleration._FUNCTIONS) - {""} <= known
    assert not set(names) & set(hc.accelerated_ufuncs())


def test_functions_that_numpy_computes_are_not_named(monkeypatch):
    """Check functions whose calls show that replacing them has no effect, as in a later NumPy."""
    hc.accelerate()
    assert acceleration.ineffective_functions(hc.accelerated_functions()) == frozenset()
    names = set(hc.accelerated_functions())
    hc.decelerate()
    assert acceleration.ineffective_functions(names) == names
    monkeypatch.setattr(acceleration, "_ineffective", None)
    plain = np.add.reduce  # a method that halfcl does not compute
    monkeypatch.setitem(acceleration._EXACT, "sort", lambda: plain([1, 2]))
    monkeypatch.setitem(acceleration._ROUNDING, "mean", lambda: 1 / 0)
    with pytest.warns(RuntimeWarning, match=r"got NumPy's results from \['mean', 'sort'\]"):
        hc.accelerate()
    assert names - set(hc.accelerated_functions()) == {"mean", "sort"}


@pytest.mark.parametrize("mode", ["rtp", "rtz"])
def test_effects_are_checked_outside_of_regions(mode, monkeypatch):
    monkeypatch.setattr(acceleration, "_ineffective", None)
    with hc.rounding(mode, strict=True), np.errstate(all="raise"), hc.accelerated():
        assert acceleration._ineffective == frozenset()
