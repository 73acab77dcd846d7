"""Many threads at once: each call's result and rounding are its own, whatever the others do.

With the interpreter's lock threads take turns at any bytecode; without it (on a free-threaded
Python) they run side by side. What is shared is what counts here: the context variable, tables that
are filled when first asked, names made when asked for, the pool, NumPy's ufuncs.
"""

import contextvars
import os
import pickle
import subprocess
import sys
import sysconfig
import threading

import numpy as np
import pytest
from exhaustive import more

import halfcl as hc
from halfcl._numpy import acceleration

pytestmark = pytest.mark.once

THREADS, TURNS = 8, 20
WITHOUT_LOCK = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def spread(k):
    """Pin this thread to a processor; otherwise threads that wake each other share one."""
    if hasattr(os, "sched_setaffinity"):
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[k % len(processors)]})


def at_once(*tasks, turns=TURNS):
    """Run each task again and again in threads of its own, which start together."""
    errors = []
    start = threading.Barrier(len(tasks))

    def work(k, task):
        try:
            spread(k)
            start.wait()
            for turn in range(turns):
                task(turn)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(tasks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def bits(array):
    return np.asarray(array).view(np.uint16)


@pytest.mark.skipif(not WITHOUT_LOCK, reason="this Python always has its lock")
def test_importing_keeps_the_lock_off():
    """halfcl works without the lock, as do the modules that it imports on demand."""
    code = """
import sys, halfcl
assert not sys._is_gil_enabled()
from halfcl import interval, stability, testing
assert not sys._is_gil_enabled()
"""
    environment = {name: x for name, x in os.environ.items() if name != "PYTHON_GIL"}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=environment
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(not WITHOUT_LOCK, reason="with the lock counting costs nothing")
def test_public_names_are_not_counted():
    """Public names are immortal, including those of other threads or of none.

    What is mortal and not counted is freed while it is in use.
    """
    counted = [name for name in hc._everything if not sys._is_immortal(getattr(hc, name))]
    assert not counted
    objects = []
    thread = threading.Thread(target=lambda: objects.append(object()))
    thread.start()
    thread.join()
    hc._core.count_no_more(objects)
    assert sys._is_immortal(objects[0])


def test_regions_are_per_thread():
    """Each thread's region governs its operators, functions, ufuncs and scalars."""
    x = np.linspace(0.1, 11, 300).astype(hc.half)
    three = hc.half(3)
    right = {
        mode: (
            bits(hc.divide(x, three, rounding=mode)), bits(hc.exp(x, rounding=mode)),
            bits(hc.convert(np.float64(0.1), hc.half, rounding=mode)),
        )
        for mode in hc.MODES
    }  # fmt: skip

    def task_in(mode):
        def task(turn):
            with hc.rounding(mode, builtins=True):
                np.testing.assert_array_equal(bits(x / three), right[mode][0])
                np.testing.assert_array_equal(bits(np.exp(x)), right[mode][1])
                assert bits(hc.half("0.1")) == right[mode][2]
                assert hc.get_rounding() == mode
            assert hc.get_rounding() == "rte"

        return task

    at_once(*(task_in(mode) for mode in hc.MODES for _ in range(THREADS // 4)))


def test_pool_while_thread_counts_change():
    """Threads call the pool at once while the number of threads changes."""
    x = np.linspace(0.5, 8, 40_000).astype(hc.half)
    right = bits(hc.tgamma(x))

    def call(turn):
        np.testing.assert_array_equal(bits(hc.tgamma(x)), right)
        assert hc.sum(np.ones(40_000, hc.half), dtype=np.float64) == 40_000

    def change(turn):
        with hc.num_threads(1 + turn % 4):
            call(turn)

    def change_all(turn):
        hc.set_num_threads(1 + turn % 3)
        call(turn)

    before = hc.get_num_threads()
    try:
        at_once(*[call] * 3, *[change] * 3, *[change_all] * 2, turns=10)
    finally:
        hc.set_num_threads(before)


def test_parts_of_one_output():
    """Elements of other threads, next to one's own or between them, are not touched."""
    x = np.linspace(-4, 4, 1000).astype(hc.half)
    right = bits(hc.exp(x, rounding="rtn"))
    beside, between = np.zeros((2, THREADS * x.size), hc.half)

    def task_of(k):
        def task(turn):
            for out in (beside[k * x.size : (k + 1) * x.size], between[k::THREADS]):
                out[...] = 0
                hc.exp(x, out=out, rounding="rtn")
                np.testing.assert_array_equal(bits(out), right)
                np.negative(x, out=out)
                out[...] = x.astype(np.float32)
                np.testing.assert_array_equal(bits(out), bits(x))

        return task

    at_once(*map(task_of, range(THREADS)))


def test_exceptions_reach_their_own_thread():
    """Exceptions are reported to the thread that computed."""
    zero, one = np.zeros(4, hc.half), np.ones(4, hc.half)

    def raising(turn):
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            hc.divide(one, zero)

    def quiet(turn):
        with np.errstate(divide="ignore"):
            assert np.isinf(np.divide(one, zero)).all()

    def raise_on_overflow(turn):
        with pytest.raises(TypeError, match="exp: argument 1 "):
            hc.exp(np.zeros(2))
        with pytest.raises(ValueError, match="rounding: expected"):
            hc.exp(one, rounding=[1, 2, 3, 4][turn % 4])

    at_once(*[raising, quiet, raise_on_overflow] * (THREADS // 3))


# Computations on float16, each exact or rounded correctly by NumPy, too: loops of ufuncs, with data
# of their own and without, reductions, casts, functions of the dtype, ufunc.at, operators.
SWITCHED = """
x + x; np.multiply(x, 2); np.sqrt(x); np.degrees(x); np.floor(x); np.maximum(x, y); x < y; -x
np.add.reduce(y[:30]); np.maximum.reduce(x); np.add.accumulate(np.rint(y[:30]))
x.astype(np.float32); x.astype(np.int16); wide.astype(np.float16); np.argmax(x); y.dot(y)
np.sort(y); np.argsort(y, kind="stable")
np.arange(0, 600, dtype=np.float16); x[3] + x[4]; divmod(x[3], x[4]); x[5] * x[6] - x[7]
np.partition(y, 7)[7]; np.searchsorted(x, y); added_at(y)
"""


def added_at(y):
    out = y.copy()
    np.add.at(out, [0, 0, 1], np.float16(1))
    return out


def test_acceleration_does_not_change_running_calls():
    """float16 results are the same before, while and after NumPy's functions are replaced."""
    x = np.linspace(1, 2, 600).astype(np.float16)
    names = {"np": np, "x": x, "y": np.tile(x[:4], 150), "wide": x.astype(np.float64) + 1e-4}
    names["added_at"] = added_at
    statements = [text.strip() for line in SWITCHED.split("\n") for text in line.split(";")]
    calls = [compile(text, text, "eval") for text in statements if text]
    right = [np.asarray(eval(call, names)).tobytes() for call in calls]

    def compute(turn):
        for call, wanted in zip(calls, right, strict=True):
            assert np.asarray(eval(call, names)).tobytes() == wanted, call.co_filename

    def switch(turn):
        for _ in range(5):
            hc.accelerate()
            hc.accelerated_ufuncs()
            hc.decelerate()

    def switch_block(turn):
        with hc.accelerated():
            compute(turn)

    at_once(*[compute] * (THREADS - 3), *[switch] * 2, switch_block)
    assert not hc.accelerated_ufuncs()


def test_call_uses_one_loop_during_replacement():
    """At every moment of the replacement, a call uses either NumPy's loop or halfcl's."""
    x = np.linspace(0.1, 0.9, 8).astype(np.float16)
    loops = acceleration._loops()["exp"]
    right = {np.exp(x).tobytes()}
    with hc.accelerated():
        right.add(np.exp(x).tobytes())

    def compute(turn):
        assert np.exp(x).tobytes() in right

    def switch(turn):
        loops.replace()
        loops.restore()

    at_once(*[compute] * 3, switch, turns=20_000)


FIRST = """
import threading
import numpy as np
import halfcl as hc
from halfcl._opencl.conversion import functions

x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
modes, few = np.arange(1 << 16) % 4, [0.1, 0.2, 0.3]
start, outcomes = threading.Barrier(8), []

def first():
    start.wait()
    with np.errstate(all="ignore"):
        results = [getattr(hc, name)(x) for name in ("lgamma", "erfc", "tgamma", "sinpi", "cbrt")]
        results += [hc.exp(x, rounding=modes), hc.convert_half(few, rounding=modes[:3])]
        results += [np.array(hc.accelerated_ufuncs(), "S9")]
    cached = hc.convert_int_sat_rtp, hc.vload4, hc.as_ushort, hc.vstore_half8_rtn
    cached += functions.conversion_to("uchar", True), hc.convert_uchar_sat
    vector = hc.half4(hc.half2(1, 2), 3, 0).wzyx
    bits = b"".join(r.tobytes() for r in results)
    outcomes.append((bits, tuple(map(id, cached)), vector.tolist()))

threads = [threading.Thread(target=first) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(outcomes) == 8
assert len({results for results, _, _ in outcomes}) == 1
assert len({ids for _, ids, _ in outcomes}) == 1, "one function by one name"
assert all(v == [0, 3, 2, 1] for _, _, v in outcomes)
"""


*OTHERS, BEST = hc.processor_info()["available"]


@pytest.mark.parametrize("isa", [BEST, *more(*OTHERS)])
def test_simultaneous_first_calls_agree(isa, monkeypatch):
    """The first call fills tables and makes functions; all threads make it at once."""
    monkeypatch.setenv("HALFCL_ISA", isa)
    result = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_reading_shared_objects_does_not_change_them():
    """Reading objects that threads share does not change them."""
    v = hc.half4(1, 2, 3, 4)
    number = hc.half(1.5)

    def read(turn):
        assert v.xy.tolist() == [1, 2] and v.lo.tolist() == [1, 2]
        assert number * 2 == 3 and hash(number) == hash(1.5) and repr(number) == "half(1.5)"
        assert np.sort(np.array([3, 1, 2], hc.half)).tolist() == [1, 2, 3]

    at_once(*[read] * THREADS)


def test_scalars_do_not_share_memory():
    """No two scalars share memory."""

    def task_of(k):
        numbers = [float(64 * k + i) for i in range(64)]

        def task(turn):
            halves = [hc.half(x) for x in numbers]
            assert [float(x + 0 * x) for x in halves] == numbers
            assert [float(abs(-x)) for x in halves] == numbers

        return task

    at_once(*map(task_of, range(THREADS)), turns=300)


def test_pickling_one_object_in_all_threads():
    """All threads pickle one object at once: arrays, dtypes, scalars, functions, regions."""
    x = np.linspace(0, 1, 50).astype(hc.half)
    things = x.dtype, hc.half(1.5), hc.exp, hc.convert_int_sat, hc.half4(1, 2, 3, 4)
    region = hc.rounding("rtp", builtins=True)

    def task(turn):
        same_array, same_things, same_region = pickle.loads(pickle.dumps((x, things, region)))
        np.testing.assert_array_equal(bits(same_array), bits(x))
        assert same_things[:4] == things[:4] and same_things[4].tolist() == [1, 2, 3, 4]
        with same_region:
            assert hc.get_rounding() == "rtp"

    at_once(*[task] * THREADS)


def test_experiment_keeps_exceptions_of_all_threads():
    """An Experiment keeps the exception of its functions, whichever thread called them."""
    x = np.ones(3, hc.half)

    def raise_error(name):
        raise ValueError(name)

    def in_copy(context):
        def cast():
            for dtype in (np.float32, np.float64):
                x.astype(dtype)
                assert region.failure.args[0] in ("float32", "float64")

        return lambda turn: context.run(cast)

    with hc._core.Experiment("rte", None, raise_error) as region:
        contexts = [contextvars.copy_context() for _ in range(THREADS)]
        at_once(*map(in_copy, contexts), turns=3000)


def test_addresses_of_constants():
    """Each constant has one address in all threads."""
    pointers = pytest.importorskip(
        "halfcl.cl._interpreter.memory.pointers", reason="needs libclang"
    )
    pieces = [pointers.text_pointer(b"%d" % k).memory for k in range(3000)]
    addresses = []
    at_once(
        *[lambda turn: addresses.append([pointers.Addresses([]).base(x) for x in pieces])]
        * THREADS,
        turns=1,
    )
    assert all(bases == addresses[0] for bases in addresses) and len(set(addresses[0])) == len(
        pieces
    )
    assert all(
        pointers._constants[base >> pointers._BITS] is x
        for x, base in zip(pieces, addresses[0], strict=True)
    )


# ------------------------------------------------------------------ other interpreters

OTHER = """
try:
    import halfcl
except ImportError as error:
    print("raise_on_overflow:", error, flush=True)
else:
    print("imported", flush=True)
"""

IN_ANOTHER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import halfcl
number = interpreters.create()
error = interpreters.run_string(number, {code!r})
assert error is None, error
import numpy as np
assert halfcl.exp(np.zeros(3, halfcl.half)).tolist() == [1, 1, 1]
import os, sys
sys.stdout.flush()
os._exit(0)  # CPython's own end, with another interpreter left, has once not come to an end
"""


def test_other_interpreters_are_refused():
    """NumPy or halfcl raises an error of one line; the first interpreter continues."""
    code = IN_ANOTHER.format(code=OTHER)
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("raise_on_overflow: ") and "interpreter" in result.stdout
