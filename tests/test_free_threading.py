"""Many threads at once: each call's result and rounding are its own, whatever the others do.

With the interpreter's lock threads take turns at any bytecode; without it (PYTHON_GIL=0 on a
free-threaded Python) they run side by side. What is shared is what counts here: the context
variable, tables that are filled when first asked, names made when asked for, the pool, NumPy's
ufuncs.
"""

import subprocess
import sys
import threading

import numpy as np
import pytest

import halfcl as hc

pytestmark = pytest.mark.once

THREADS, TURNS = 8, 20


def at_once(*tasks, turns=TURNS):
    """Run each task again and again in threads of its own, all beginning together."""
    errors = []
    start = threading.Barrier(len(tasks))

    def work(task):
        try:
            start.wait()
            for turn in range(turns):
                task(turn)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def bits(array):
    return np.asarray(array).view(np.uint16)


def test_regions_and_calls():
    """A region is its thread's, by operators, functions, NumPy's ufuncs and scalars."""
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


def test_the_same_output_of_the_pool():
    """Callers of the pool at once, while the number of threads changes."""
    x = np.linspace(0.5, 8, 40_000).astype(hc.half)
    right = bits(hc.tgamma(x))

    def call(turn):
        np.testing.assert_array_equal(bits(hc.tgamma(x)), right)
        assert hc.sum(np.ones(40_000, hc.half), dtype=np.float64) == 40_000

    def change(turn):
        with hc.num_threads(1 + turn % 4):
            call(turn)

    at_once(*[call] * (THREADS // 2), *[change] * (THREADS // 2), turns=10)


def test_errstate():
    """Exceptions are told to the thread that computed."""
    zero, one = np.zeros(4, hc.half), np.ones(4, hc.half)

    def raising(turn):
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            hc.divide(one, zero)

    def quiet(turn):
        with np.errstate(divide="ignore"):
            assert np.isinf(np.divide(one, zero)).all()

    at_once(*[raising, quiet] * (THREADS // 2))


def test_accelerated_meanwhile():
    """float16 computes the same before, while and after NumPy's loops are replaced."""
    x = np.linspace(1, 2, 500).astype(np.float16)
    right = bits(x + x), bits(np.multiply(x, 2))

    def compute(turn):
        np.testing.assert_array_equal(bits(x + x), right[0])
        np.testing.assert_array_equal(bits(np.multiply(x, 2)), right[1])

    def switch(turn):
        hc.accelerate()
        hc.restore()

    at_once(*[compute] * (THREADS - 1), switch)
    assert not hc.accelerated_ufuncs()


FIRST = """
import threading
import numpy as np
import halfcl as hc

x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
start, found = threading.Barrier(8), []

def first():
    start.wait()
    with np.errstate(all="ignore"):
        results = [getattr(hc, name)(x) for name in ("lgamma", "erfc", "tgamma", "sinpi", "cbrt")]
    made = hc.convert_int_sat_rtp, hc.vload4, hc.as_ushort, hc.vstore_half8_rtn
    vector = hc.half4(hc.half2(1, 2), 3, 0).wzyx
    found.append((b"".join(r.tobytes() for r in results), tuple(map(id, made)), vector.tolist()))

threads = [threading.Thread(target=first) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 8
assert len({results for results, _, _ in found}) == 1
assert len({ids for _, ids, _ in found}) == 1, "one function by one name"
assert all(v == [0, 3, 2, 1] for _, _, v in found)
"""


@pytest.mark.parametrize("isa", hc.device_info()["available"])
def test_first_calls(isa, monkeypatch):
    """Tables are filled, and functions made, by whoever asks first; all ask at once."""
    monkeypatch.setenv("HALFCL_ISA", isa)
    result = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_scalars_and_vectors():
    """Objects that threads share are not changed by reading them."""
    v = hc.half4(1, 2, 3, 4)
    number = hc.half(1.5)

    def read(turn):
        assert v.xy.tolist() == [1, 2] and v.lo.tolist() == [1, 2]
        assert number * 2 == 3 and hash(number) == hash(1.5) and repr(number) == "half(1.5)"
        assert np.sort(np.array([3, 1, 2], hc.half)).tolist() == [1, 2, 3]

    at_once(*[read] * THREADS)


# ------------------------------------------------------------------ other interpreters

OTHER = """
try:
    import halfcl
except ImportError as error:
    print("refused:", error, flush=True)
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
    """In one line, by NumPy or by halfcl; and the first goes on."""
    code = IN_ANOTHER.format(code=OTHER)
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("refused: ") and "interpreter" in result.stdout
