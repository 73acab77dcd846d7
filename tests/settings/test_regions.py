"""Regions: entered and exited in any order and any number of times, interrupted, strict."""

import asyncio
import contextlib
import contextvars
import copy
import gc
import inspect
import pickle
import subprocess
import sys
import threading
import types
import warnings

import numpy as np
import pytest
from exhaustive import either, shared_out

import halfcl as hc
from halfcl import _core, half

# ------------------------------------------------------------------ interrupts

INTERRUPTED = """
import random, signal, sys
import numpy as np
import halfcl as hc

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
region, other = hc.rounding("rtp"), hc.rounding("rtn", builtins=True)
a = np.ones(1 << 17, hc.half)
numbers = [1.5] * 3000

def nested():
    with other, hc.rounding("rtz"):
        a + a

@region
def decorated():
    return a + a

BODIES = {
    "operator": lambda: a + a,
    "function": lambda: hc.exp(a),
    "short": lambda: a[:4] + a[:4],
    "nothing": lambda: None,
    "nested": nested,
    "decorated": decorated,
    "list": lambda: hc.half(numbers, rounding="rtn"),
}
body = BODIES[sys.argv[1]]
body()  # what is made once is made

def attempt(delay):
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        while True:
            with region:
                body()
    except KeyboardInterrupt:
        return hc.get_rounding()

random.seed(1)
print({attempt(random.uniform(1e-5, 2e-3)) for _ in range(int(sys.argv[2]))})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no interval timers there")
@pytest.mark.skipif(
    sys.version_info >= (3, 14),
    reason="handles signals between __enter__ and the block of every with, threading.RLock's too",
)
@shared_out
@pytest.mark.parametrize(
    "body",
    ["function", "nested", *either(["operator", "short", "nothing", "decorated", "list"], [])],
)
def test_interrupts_leave_no_region_open(body):
    """An interrupt at any moment, mostly within a long call: 200 times, or fewer."""
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, body, str(either(200, 50))],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert ran.stdout.strip() == "{'rte'}"


# ------------------------------------------------------------------ one's own and no other


def modes_of(*regions):
    """Return the modes in force after each exit of the regions."""
    modes = []
    for region in regions:
        region.__exit__(None, None, None)
        modes.append(hc.get_rounding())
    return modes


def test_left_in_any_order():
    for order, expected in (
        ((0, 1, 2), ["rtn", "rtn", "rte"]),
        ((0, 2, 1), ["rtn", "rtp", "rte"]),
        ((1, 0, 2), ["rtn", "rtn", "rte"]),
        ((1, 2, 0), ["rtn", "rtz", "rte"]),
        ((2, 0, 1), ["rtp", "rtp", "rte"]),
        ((2, 1, 0), ["rtp", "rtz", "rte"]),
    ):
        regions = [hc.rounding(m) for m in ("rtz", "rtp", "rtn")]
        for region in regions:
            region.__enter__()
        assert hc.get_rounding() == "rtn"
        assert modes_of(*(regions[i] for i in order)) == expected, order


def test_same_region_many_times():
    up, down = hc.rounding("rtp"), hc.rounding("rtn")
    for region in (up, down, up, up, down):
        region.__enter__()
    assert modes_of(up, down, down, up, up) == ["rtn", "rtp", "rtp", "rtp", "rte"]


def test_leaving_without_entering():
    """An exit without an enter changes nothing."""
    assert hc.rounding("rtp").__exit__(None, None, None) is None
    assert hc.get_rounding() == "rte"
    with hc.rounding("rtz"):
        assert modes_of(hc.rounding("rtz")) == ["rtz"]
    region = hc.rounding("rtp")
    region.__enter__()
    assert contextvars.Context().run(modes_of, region) == ["rte"]
    copied = contextvars.copy_context()
    assert copied.run(modes_of, region) == ["rte"] and hc.get_rounding() == "rtp"
    assert modes_of(region) == ["rte"]


@pytest.mark.filterwarnings("ignore:rounding. a region entered in a generator")
def test_generators_leave_their_own():
    def numbers(region):
        with region:
            yield hc.get_rounding()
            yield hc.get_rounding()

    with hc.rounding("rtz"):
        generator = numbers(hc.rounding("rtp"))
        assert next(generator) == "rtp"
        with hc.rounding("rtn"):
            generator.close()
            assert hc.get_rounding() == "rtn"
        assert hc.get_rounding() == "rtz"
    generator = numbers(hc.rounding("rtp"))
    with hc.rounding("rtn"):
        next(generator)
    assert hc.get_rounding() == "rtp"  # it leaks, until
    generator.close()
    assert hc.get_rounding() == "rte"


@pytest.mark.filterwarnings("ignore:rounding. a region entered in a generator")
def test_generators_with_one_region():
    """Each generator undoes its own enter, though the region is one object."""
    up = hc.rounding("rtp")

    def numbers():
        with up:
            yield

    generator = numbers()
    next(generator)
    with hc.rounding("rtn"):
        with up:
            generator.close()
            assert hc.get_rounding() == "rtp"
        assert hc.get_rounding() == "rtn"
    assert hc.get_rounding() == "rte"
    first, second = numbers(), numbers()
    next(first)
    with hc.rounding("rtn"):
        next(second)
        first.close()
        assert hc.get_rounding() == "rtp"
        second.close()
        assert hc.get_rounding() == "rtn"


def test_arrays_in_a_mode_leave_their_own():
    """half(x, rounding=…) is a region while x is read, whatever reading does."""
    outer = hc.rounding("rtz")

    class Reading:
        def __array__(self, dtype=None, copy=None):
            outer.__exit__(None, None, None)
            inner.__enter__()
            return np.array([1 + 2.0**-12])

    inner = hc.rounding("rtn")
    with hc.rounding("rtz"):
        outer.__enter__()
        assert hc.half(Reading(), rounding="rtp") == [1]
        assert hc.get_rounding() == "rtn"
        assert modes_of(inner) == ["rtz"]

    class Failing:
        def __array__(self, dtype=None, copy=None):
            assert hc.get_rounding() == "rtp"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hc.half(Failing(), rounding="rtp")
    assert hc.get_rounding() == "rte"


# ------------------------------------------------------------------ generators

LEAKS = "region entered in a generator.*in a function that the generator calls"


def test_generators_warn():
    def numbers():
        with hc.rounding("rtp"):  # here
            yield

    async def asynchronous():
        with hc.rounding("rtp"):
            yield

    async def first():
        async for _ in asynchronous():
            return

    with pytest.warns(RuntimeWarning, match=LEAKS) as found:
        generator = numbers()
        next(generator)
    generator.close()
    assert found[0].filename == __file__
    assert found[0].lineno == numbers.__code__.co_firstlineno + 1
    with pytest.warns(RuntimeWarning, match=LEAKS):
        asyncio.run(first())
    with pytest.raises(RuntimeWarning, match=LEAKS):  # as an error: it has not been entered
        next(numbers())
    assert hc.get_rounding() == "rte"


def test_generators_warn_once():
    with warnings.catch_warnings(record=True) as found:
        warnings.resetwarnings()  # Python's default: once for each place
        warnings.simplefilter("default")

        def numbers():
            with hc.rounding("rtp"):
                yield

        for _ in range(10):
            list(numbers())
    assert len(found) == 1


def test_the_ways_round():
    """No warning, and nothing leaks; nor from a generator in a context of its own."""

    @hc.rounding("rtp")
    def third():
        return half(1) / 3, hc.get_rounding()

    def thirds():
        for _ in range(2):
            yield third()

    for got in thirds():
        assert got == (half(1 / 3, rounding="rtp"), "rtp") and hc.get_rounding() == "rte"

    def leaking():
        with hc.rounding("rtp"):
            yield hc.get_rounding()
            yield hc.get_rounding()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # A free-threaded Python has filters of warnings in the context.
        context, generator = contextvars.copy_context(), leaking()
        assert context.run(next, generator) == "rtp" and hc.get_rounding() == "rte"
    assert list(iter(lambda: context.run(next, generator, None), None)) == ["rtp"]


def test_regions_in_coroutines_and_context_managers_do_not_warn():
    """Coroutines have tasks, with contexts of their own; context managers leak on purpose."""

    async def coroutine():
        with hc.rounding("rtp"):
            await asyncio.sleep(0)
            return hc.get_rounding()

    @types.coroutine
    def old_coroutine():
        with hc.rounding("rtn"):
            yield from asyncio.sleep(0).__await__()
            return hc.get_rounding()

    @contextlib.contextmanager
    def upwards():
        with hc.rounding("rtp"):
            yield

    @contextlib.asynccontextmanager
    async def downwards():
        await asyncio.sleep(0)
        with hc.rounding("rtn"):
            yield

    async def main():
        async with downwards():
            inside = hc.get_rounding()
        return inside, await coroutine(), await old_coroutine(), hc.get_rounding()

    assert asyncio.run(main()) == ("rtn", "rtp", "rtn", "rte")
    with upwards():
        assert hc.get_rounding() == "rtp"
    with contextlib.ExitStack() as stack:
        stack.enter_context(upwards())
        stack.enter_context(hc.rounding("rtz"))
        assert hc.get_rounding() == "rtz"
    assert hc.get_rounding() == "rte"
    assert [f() for f in (hc.rounding("rtp")(hc.get_rounding),) * 2] == ["rtp"] * 2


# ------------------------------------------------------------------ tasks, threads, depth


def test_asynchronous_generators_closed_elsewhere():
    """Left in another context than entered in: there, nothing changes."""

    async def numbers():
        with hc.rounding("rtp"):
            yield hc.get_rounding()

    async def close(generator):
        with hc.rounding("rtn"):
            await generator.aclose()
            return hc.get_rounding()

    async def main():
        generator = numbers()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seen = await asyncio.create_task(generator.__anext__())
        return seen, await asyncio.create_task(close(generator)), hc.get_rounding()

    assert asyncio.run(main()) == ("rtp", "rtn", "rte")


def test_one_region_entered_by_tasks_and_threads():
    region, outer = hc.rounding("rtp"), hc.rounding("rtn")

    async def task(n):
        for _ in range(n):
            with region:
                await asyncio.sleep(0)
                assert hc.get_rounding() == "rtp"
                with outer:
                    await asyncio.sleep(0)
                    assert hc.get_rounding() == "rtn"
            assert hc.get_rounding() == "rtn"

    async def main():
        with outer, region, outer:
            await asyncio.gather(*map(task, range(20)))
            return hc.get_rounding()

    results = []
    threads = [
        threading.Thread(target=lambda: results.append(asyncio.run(main()))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["rtn"] * 4


def test_depth():
    regions = [hc.rounding(("rtp", "rtn")[i % 2]) for i in range(10_000)]
    with contextlib.ExitStack() as stack:
        for region in regions:
            stack.enter_context(region)
        regions[5000].__exit__(None, None, None)  # rebuilds what is inside it
        assert hc.get_rounding() == "rtn"
    assert hc.get_rounding() == "rte"


def test_a_context_with_very_many_regions_is_let_go_of():
    def enter():
        region = hc.rounding("rtp")
        for _ in range(100_000):  # as many calls in each other have no room
            region.__enter__()
        return hc.get_rounding()

    context = contextvars.Context()
    assert context.run(enter) == "rtp"
    del context
    gc.collect()
    assert hc.get_rounding() == "rte"


def entries_of_regions(generation=1):
    """Return how many entries there are; what a test leaves is of the younger generations."""
    gc.collect(generation)
    return _core.entries_of_regions()


@pytest.mark.parametrize(
    "enter",
    [
        lambda: hc.rounding("rtp"),
        lambda: hc.rounding("rtn", builtins=True, strict=True),
        lambda: _core.Experiment("random"),
    ],
)
def test_calls_after_the_last_region_look_for_none(enter):
    """Loops read the mode of no context while no context can hold a region."""
    before = entries_of_regions(2)
    region, other = enter(), enter()
    with region, other, region:
        assert entries_of_regions() == before + 3
        copied = contextvars.copy_context()
    assert entries_of_regions() == before + 3  # the copy holds them
    thread = threading.Thread(target=copied.run, args=(region.__enter__,))
    thread.start()
    thread.join()
    assert entries_of_regions() == before + 4
    del copied, thread
    assert entries_of_regions() == before


def test_checks_of_imports_and_acceleration_leave_no_region():
    code = """
        import halfcl as hc
        from halfcl import _core
        assert _core.entries_of_regions() == 0
        hc.accelerate()
        assert _core.entries_of_regions() == 0
        """
    subprocess.run([sys.executable, "-c", inspect.cleandoc(code)], check=True)


def test_foreign_values_of_the_variable():
    """Copied contexts show users the variable: what they put there is no region."""
    with hc.rounding("rtp"):
        context = contextvars.copy_context()
    (variable,) = [v for v in context if v.name == "halfcl_rounding"]
    for value in (None, 5, "rtp", object(), [variable]):

        def put(value=value):
            variable.set(value)
            with hc.rounding("rtn"):
                inside = hc.get_rounding(), half(1) / 3
            return inside, hc.get_rounding(), half(1) / 3

        assert context.copy().run(put) == (("rtn", half(0.3333)), "rte", half(1 / 3))
    inner = context[variable]
    for copying in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError):
            copying(inner)


# ------------------------------------------------------------------ objects


@pytest.mark.parametrize("options", [{}, {"builtins": True}, {"strict": True}])
def test_copies(options, mode):
    region = hc.rounding(mode, **options)
    for duplicate in (
        copy.copy(region),
        copy.deepcopy(region),
        pickle.loads(pickle.dumps(region)),
    ):
        assert (
            type(duplicate) is hc.rounding
            and duplicate is not region
            and repr(duplicate) == repr(region)
        )
        assert (duplicate.mode, duplicate.builtins, duplicate.strict) == (
            mode, options.get("builtins", False), options.get("strict", False),
        )  # fmt: skip
        with region, hc.rounding("rte"):
            assert modes_of(duplicate) == ["rte"]  # it is another region
    assert eval(repr(region), {"rounding": hc.rounding}).strict == region.strict


def test_signature():
    parameters = inspect.signature(hc.rounding).parameters
    assert {name: p.default for name, p in parameters.items()} == {
        "mode": inspect.Parameter.empty, "builtins": False, "strict": False,
    }  # fmt: skip
    assert repr(hc.rounding(mode="rtp", strict=True)) == "rounding('rtp', strict=True)"
    for wrong in ((), ("rtp", True, True, True)):
        with pytest.raises(TypeError):
            hc.rounding(*wrong)


def test_objects_do_not_change():
    region = hc.rounding("rtp")
    for name, value in (("mode", "rtn"), ("builtins", True), ("strict", True), ("other", 1)):
        with pytest.raises(AttributeError):
            setattr(region, name, value)


def test_subclass():
    class Upwards(hc.rounding):
        def __init__(self):
            super().__init__("rtp")

        def __enter__(self):
            return super().__enter__()

        def __exit__(self, *exception):
            return super().__exit__(*exception)

    with Upwards() as region, Upwards():
        assert type(region) is Upwards and hc.get_rounding() == "rtp"
    assert hc.get_rounding() == "rte"


def test_no_mode():
    for keywords in ({}, {"builtins": True}):
        with pytest.raises(
            TypeError, match=r"^rounding: expected a mode: 'rte', 'rtz', 'rtp' or 'rtn'$"
        ):
            hc.rounding(**keywords)


@pytest.mark.parametrize("mode", ["", "RTE", "rt", None, 0, b"rte", ["rte"], "rtp "])
def test_wrong_modes(mode):
    with pytest.raises(ValueError, match="'rte', 'rtz', 'rtp', 'rtn', got"):
        hc.rounding(mode)


# ------------------------------------------------------------------ strict

A = np.array([1, 2, 3], half)

#: What leaves half, and what for.
LEAVING = {
    "a * np.sqrt(2)": "float64", "np.sqrt(2) * a": "float64", "a[:0] * np.sqrt(2)": "float64",
    "half(1) * np.float64(2)": "float64", "np.float64(2) * half(1)": "float64",
    "half(1) - np.float32(2)": "float32", "half(1) + np.longdouble(1)": "float128|longdouble",
    "half(1) * 1j": "complex64", "a * np.complex128(1)": "complex128",
    "a.__imul__(np.sqrt(2))": "float64", "np.multiply(a, a, out=np.zeros(3))": "float64",
    "a * np.arange(3)": "float64", "a * np.arange(3, dtype=np.int16)": "float32",
    "a / np.int64(3)": "float64", "a < np.float64(0.1)": "float64",
    "half(1) == np.float64(1)": "float64", "np.maximum(a, np.float64(1))": "float64",
    "np.add.reduce(a, dtype=float)": "float64", "np.cumsum(a, dtype=np.float32)": "float32",
    "np.mean(a, dtype=np.float32)": "float32", "np.concatenate([a, np.ones(2)])": "float64",
    "np.where(a > 1, a, np.float64(0))": "float64", "a @ np.ones(3)": "float64",
    "a.astype(np.float32)": "float32", "np.array(a, float)": "float64", "b.__setitem__(0, a[0])":
    "float64", "b.__setitem__(..., a)": "float64", "hc.half3(1) * np.sqrt(2)": "float64",
    "np.sin(a, dtype=float)": "float64",
}  # fmt: skip

#: What stays half, or leaves it on purpose.
STAYING = [
    "a * 2.5", "2 * a", "half(1) * 2.5", "a * half(np.sqrt(2))", "a * np.float16(2)", "a ** 2",
    "a * np.arange(3, dtype=np.int8)", "a < 0.1", "a == 1", "a.sum()", "np.prod(a)", "a @ a",
    "np.mean(a)", "a.mean()", "np.var(a)", "a.std(ddof=1)", "np.linalg.norm(a)",
    "np.sqrt(a)", "hc.exp(a)", "np.where(a > 1, a, 0.0)", "np.clip(a, 0, 1)", "np.round(a, 1)",
    "np.sort(a)", "np.isclose(a, a)", "np.linspace(half(0), half(1), 3)", "a.astype(int)",
    "a.astype(np.float16)", "hc.convert(np.ones(3), half)", "half(np.ones(3))", "a.tolist()",
    "hc.convert(a, float)", "hc.convert(a, np.float32)", "hc.convert_float(a)",
    "hc.convert_double(a[0])", "float(a[0])", "pickle.loads(pickle.dumps(a))",
    "repr(a)", "str(a)", "repr(a[0])", "f'{a[0]} {a[0]:.3f}'", "repr(hc.half3(1))",
    "np.array2string(a, precision=2)", "repr(np.ones((60, 60), half))", "a.astype(str)",
    "repr(np.array([np.inf, np.nan, 6e-8], half))", "repr(np.ones(3, '>f2').astype(half))",
]  # fmt: skip


def evaluate(expression):
    names = {"np": np, "hc": hc, "half": half, "pickle": pickle, "a": A.copy(), "b": np.zeros(3)}
    with np.errstate(all="ignore"):
        return eval(expression, names)


@pytest.mark.parametrize("expression", LEAVING)
def test_strict_refuses(expression):
    """Each time, though NumPy remembers what it promotes to; nothing is written before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluate(expression)
        for _ in range(2):
            with (
                hc.rounding("rte", strict=True),
                pytest.raises(TypeError, match=f"half would become ({LEAVING[expression]}).*half"),
            ):
                evaluate(expression)
        evaluate(expression)


@pytest.mark.parametrize("expression", STAYING)
def test_strict_lets_stay(expression):
    want = evaluate(expression)
    with hc.rounding("rte", strict=True):
        got = evaluate(expression)
    assert type(got) is type(want) and getattr(got, "dtype", 0) == getattr(want, "dtype", 0)
    assert np.array_equal(got, want)


def test_strict_writes_nothing():
    a, out = A.copy(), np.full(3, 7.0)
    with hc.rounding("rte", strict=True):
        for wrong in (
            lambda: a.__imul__(np.sqrt(2)), lambda: np.add(a, a, out=out),
            lambda: out.__setitem__(..., a), lambda: np.add.at(a, [0], np.float64(1)),
        ):  # fmt: skip
            with pytest.raises(TypeError, match="half would become float64"):
                wrong()
    assert (a == A).all() and (out == 7).all()


def test_strict_nests():
    """Each region says for itself."""
    with hc.rounding("rtp", strict=True):
        with hc.rounding("rtn"):
            assert (A * np.sqrt(2)).dtype == float
            with hc.rounding("rtz", strict=True), pytest.raises(TypeError):
                A * np.sqrt(2)
        with pytest.raises(TypeError):
            A * np.sqrt(2)
        assert half(A, rounding="rtn").dtype == half and hc.get_rounding() == "rtp"
    assert (A * np.sqrt(2)).dtype == float


def test_strict_is_the_contexts():
    def leave():
        return (A * np.sqrt(2)).dtype == float

    with hc.rounding("rte", strict=True):
        assert contextvars.Context().run(leave)
        with pytest.raises(TypeError):
            contextvars.copy_context().run(leave)

    @hc.rounding("rte", strict=True)
    def leave_in_region():
        return leave()

    with pytest.raises(TypeError):
        leave_in_region()
    assert leave()
