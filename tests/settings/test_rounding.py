"""Rounding modes: calls, suffixes, attributes, regions, threads, tasks; and Function objects."""

import asyncio
import contextvars
import inspect
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import halfcl as hc
from halfcl import half

MODES = ("rte", "rtz", "rtp", "rtn")
ONE = half(1)
TINY = half(2.0**-12)
DOWN, UP = 1.0, 1 + 2.0**-10

#: 1 + 2^-12 and -1 - 2^-12 in each mode.
SUM = {"rte": (1, -1), "rtz": (1, -1), "rtp": (UP, -1), "rtn": (1, -UP)}

OPERATORS = ("add", "subtract", "multiply", "divide")
#: Arguments whose exact result is no half, nor near one.
ARGUMENTS = {
    "add": (1, 2.0**-12),
    "subtract": (-1, 2.0**-12),
    "multiply": (1.1, 1.1),
    "divide": (1, 3),
    "sqrt": (2,),
    "fma": (1.1, 1.1, 1.1),
    "mad": (1.1, 1.1, 1.1),
}
BUILTINS = ("sqrt", "fma", "mad")
FUNCTIONS = tuple(ARGUMENTS)


def arguments(name):
    return [half(x) for x in ARGUMENTS[name]]


def observe_mode():
    """Return the mode that operators round in, judged by results alone."""
    results = (float(ONE + TINY), float(-ONE - TINY))
    if results == (1, -1):
        return "rtz" if half(2**-11 * 3) + ONE == UP else "rte"
    return {(UP, -1): "rtp", (1, -UP): "rtn"}[results]


def test_observed(mode):
    with hc.rounding(mode):
        assert observe_mode() == mode == hc.get_rounding()


# ------------------------------------------------------------------ ways to name a mode


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ways_agree(name, mode):
    function, args = getattr(hc, name), arguments(name)
    expected = function(*args, rounding=mode)
    assert getattr(hc, f"{name}_{mode}")(*args) == expected
    assert getattr(function, mode)(*args) == expected
    with hc.rounding(mode, builtins=True):
        assert function(*args) == expected
    with hc.rounding("rte" if mode == "rtp" else "rtp", builtins=True):
        assert function(*args, rounding=mode) == getattr(hc, f"{name}_{mode}")(*args) == expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_modes_differ(name):
    function, args = getattr(hc, name), arguments(name)
    below, above = function(*args, rounding="rtn"), function(*args, rounding="rtp")
    assert np.nextafter(np.float16(below), np.float16(9)) == above
    assert function(*args, rounding="rte") in (below, above) and function(*args) in (below, above)
    assert function(*args, rounding="rtz") == (below if below > 0 else above)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_default_is_rte(name):
    assert hc.get_rounding() == "rte"
    args = arguments(name)
    assert getattr(hc, name)(*args) == getattr(hc, name)(*args, rounding="rte")


@pytest.mark.parametrize("name", OPERATORS)
def test_regions_govern_operators(name, mode):
    args = arguments(name)
    with hc.rounding(mode):
        results = [getattr(hc, name)(*args), getattr(np, name)(*args)]
        results += [getattr(np, name)(*[np.full(40, x) for x in args])[-1]]
    assert results == [getattr(hc, f"{name}_{mode}")(*args)] * 3


@pytest.mark.parametrize("name", BUILTINS)
def test_regions_govern_builtins_only_with_builtins_true(name, mode):
    function, args = getattr(hc, name), arguments(name)
    with hc.rounding(mode):
        assert function(*args) == function(*args, rounding="rte")
        assert function(*args, rounding=mode) == getattr(function, mode)(*args)
    with hc.rounding(mode, builtins=True):
        assert function(*args) == getattr(function, mode)(*args)
        with hc.rounding(mode):
            assert function(*args) == function(*args, rounding="rte")
        assert function(*args) == getattr(function, mode)(*args)


def test_numpy_sqrt_is_governed_as_a_builtin():
    with hc.rounding("rtp"):
        assert np.sqrt(half(2)) == hc.sqrt_rte(half(2))
    with hc.rounding("rtp", builtins=True):
        assert np.sqrt(half(2)) == hc.sqrt_rtp(half(2)) != hc.sqrt_rte(half(2))


def test_every_kind_of_operator_follows_the_region(mode):
    up, down = SUM[mode]
    a, tiny = np.full(100, ONE), np.full(100, TINY)
    with hc.rounding(mode):
        b = a.copy()
        b += tiny
        c = -a
        np.subtract(c, tiny, out=c)
        for got, expected in (
            (a + tiny, up), (-a - tiny, down), (a + TINY, up), (TINY + a, up), (b, up), (c, down),
            (np.add(a, tiny), up), (np.add.outer(a[:2], tiny[:2]), up), (a + 2.0**-12, up),
            (np.stack([a, tiny]).sum(axis=0), up), (np.array([1, 2.0**-12], half).sum(), up),
            (np.array([1, 2.0**-12], half).cumsum()[1:], up), (np.array([1 + 2.0**-12], half), up),
            (np.array([1 + 2.0**-12]).astype(half), up), (half(1 + 2.0**-12), up),
            (half("1.000244140625"), up), (np.array(["-1.000244140625"]).astype(half), down),
            (hc.convert(np.array([1 + 2.0**-12]), half), up), (hc.parse("1.000244140625"), up),
            (hc.convert_half(np.float32(1 + 2.0**-12)), up),
        ):  # fmt: skip
            assert np.all(np.asarray(got) == expected)


def test_precedence(mode):
    """The call's mode, else the region's, else rte."""
    with hc.rounding("rtp"):
        assert hc.add(ONE, TINY, rounding=mode) == SUM[mode][0]
        assert hc.add(ONE, TINY, rounding=None) == UP
        assert getattr(hc, f"add_{mode}")(ONE, TINY) == SUM[mode][0]
        assert half(1 + 2.0**-12, rounding=mode) == SUM[mode][0]
        assert hc.convert(np.float64(1 + 2.0**-12), half, rounding=mode) == SUM[mode][0]
        assert hc.parse("1.000244140625", rounding=mode) == SUM[mode][0]
    assert hc.add(ONE, TINY) == 1


# ------------------------------------------------------------------ regions


def test_regions_nest():
    assert hc.get_rounding() == "rte"
    with hc.rounding("rtz"):
        with hc.rounding("rtp"):
            with hc.rounding("rte"):
                assert hc.get_rounding() == observe_mode() == "rte"
            assert hc.get_rounding() == observe_mode() == "rtp"
        assert hc.get_rounding() == observe_mode() == "rtz"
    assert hc.get_rounding() == observe_mode() == "rte"


def test_regions_nest_deeply():
    with hc.rounding("rtn"):

        def inner(depth):
            with hc.rounding(MODES[depth % 4], builtins=depth % 3 == 0):
                if depth:
                    inner(depth - 1)
                assert hc.get_rounding() == MODES[depth % 4]

        inner(200)
        assert hc.get_rounding() == "rtn"


def test_region_ends_with_an_exception():
    with pytest.raises(KeyError), hc.rounding("rtp"):
        raise KeyError
    assert hc.get_rounding() == observe_mode() == "rte"


def test_region_gives_itself_and_is_reusable():
    region = hc.rounding("rtp")
    assert hc.get_rounding() == "rte" and repr(region) == "rounding('rtp')"
    with region as entered, region:
        assert entered is region and hc.get_rounding() == "rtp"
    assert hc.get_rounding() == "rte"
    with region:
        assert hc.get_rounding() == "rtp"


def test_decorator():
    @hc.rounding("rtp")
    def function(x, *, y=1):
        """Doc."""
        return hc.get_rounding(), x, y

    assert function(3, y=4) == ("rtp", 3, 4) and hc.get_rounding() == "rte"
    assert function.__name__ == "function" and function.__doc__ == "Doc."
    assert list(inspect.signature(function).parameters) == ["x", "y"]
    with hc.rounding("rtn"):
        assert function(0)[0] == "rtp" and hc.get_rounding() == "rtn"


def test_decorator_with_builtins():
    assert hc.rounding("rtp", builtins=True)(lambda: hc.sqrt(half(2)))() == hc.sqrt_rtp(half(2))
    assert hc.rounding("rtp")(lambda: hc.sqrt(half(2)))() == hc.sqrt_rte(half(2))


def test_decorated_recursion():
    @hc.rounding("rtz")
    def down(n):
        return [hc.get_rounding()] + (hc.rounding("rtp")(down)(n - 1) if n else [])

    assert down(3) == ["rtz"] * 4 and hc.get_rounding() == "rte"


def test_decorated_method():
    class Sum:
        @hc.rounding("rtp")
        def __call__(self):
            return observe_mode()

    assert Sum()() == "rtp"


def test_decorating_a_generator_is_refused():
    with pytest.raises(TypeError, match="generator 'numbers'"):

        @hc.rounding("rtp")
        def numbers():
            yield 1


# ------------------------------------------------------------------ tasks and contexts


def test_decorated_coroutine():
    @hc.rounding("rtp")
    async def function():
        await asyncio.sleep(0)
        return observe_mode()

    async def main():
        return await function(), hc.get_rounding()

    assert inspect.iscoroutinefunction(function)
    assert asyncio.run(main()) == ("rtp", "rte")


def test_tasks_stay_apart():
    async def task(mode, results):
        with hc.rounding(mode):
            for _ in range(20):
                await asyncio.sleep(0)
                results.append(observe_mode() == mode == hc.get_rounding())

    async def main():
        results = []
        await asyncio.gather(*[task(m, results) for m in MODES * 3])
        return results, hc.get_rounding()

    results, after = asyncio.run(main())
    assert len(results) == 240 and all(results) and after == "rte"


def test_tasks_inherit_the_region():
    async def main():
        with hc.rounding("rtp"):
            task = asyncio.create_task(asyncio.sleep(0, None))
            child = asyncio.create_task(asyncio.to_thread(observe_mode))
            await task
            return await child

    assert asyncio.run(main()) == "rtp"


def test_copied_contexts():
    with hc.rounding("rtn"):
        context = contextvars.copy_context()
        assert contextvars.Context().run(hc.get_rounding) == "rte"
    assert hc.get_rounding() == "rte"
    assert context.run(observe_mode) == context.run(hc.get_rounding) == "rtn"

    def change():
        with hc.rounding("rtp"):
            return observe_mode()

    assert context.run(change) == "rtp" and context.run(observe_mode) == "rtn"


# ------------------------------------------------------------------ threads


def test_threads_start_in_rte():
    """Or in a copy of the context that they are started in, where Python has it so."""
    start = "rtp" if getattr(sys.flags, "thread_inherit_context", False) else "rte"
    with hc.rounding("rtp"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(hc.get_rounding).result() == start
        assert pool.submit(observe_mode).result() == start


@pytest.mark.parametrize("size", [4, 300_000])
def test_eight_threads_in_different_modes(size):
    """Large arrays too: those loops run without the GIL, at the same time."""
    barrier = threading.Barrier(8)

    def work(mode):
        a, tiny = np.full(size, ONE), np.full(size, TINY)
        up, down = SUM[mode]
        bad = 0
        barrier.wait()
        with hc.rounding(mode, builtins=True):
            for _ in range(20):
                bad += np.count_nonzero(a + tiny != up) + np.count_nonzero(-a - tiny != down)
                bad += np.count_nonzero(hc.sqrt(a + a) != getattr(hc.sqrt, mode)(half(2)))
                bad += np.stack([a[:9], tiny[:9]]).sum(axis=0)[3] != up
                bad += np.full(size // 4, 1 + 2.0**-12).astype(half)[-1] != up
                bad += hc.get_rounding() != mode
        return bad

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, MODES * 2)) == [0] * 8


def test_one_region_object_in_many_threads():
    region = hc.rounding("rtp")

    def work(_):
        with region:
            inside = observe_mode()
        return inside, observe_mode()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(100))) == {("rtp", "rte")}


def test_threads_leave_the_hardware_mode_alone():
    """Neither Python's own floats nor NumPy's feel a mode, during or after."""
    before = 1 / 3, np.float32(1) / np.float32(3)
    for mode in MODES:
        with hc.rounding(mode, builtins=True):
            np.ones(1000, half) / half(3)
            hc.sqrt(np.full(1000, 2, half))
            assert (1 / 3, np.float32(1) / np.float32(3)) == before


# ------------------------------------------------------------------ Function


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_attributes(name):
    function = getattr(hc, name)
    assert isinstance(function, hc.Function) and function.__name__ == name
    assert (function.nin, function.nout) == (len(ARGUMENTS[name]), 1)
    for mode in MODES:
        ufunc = getattr(function, mode)
        assert type(ufunc) is np.ufunc and ufunc is getattr(hc, f"{name}_{mode}")
        assert ufunc.__name__ == f"{name}_{mode}" and ufunc.nin == function.nin
    for word in ("Parameters", "Returns", "Raises", "Notes", "Examples", name, "rounding"):
        assert word in function.__doc__
    assert repr(function) == f"<halfcl.Function {name!r}>"


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_functions_pickle(name, protocol):
    for thing in (getattr(hc, name), getattr(hc, name).rtz, getattr(hc, f"{name}_rtp")):
        assert pickle.loads(pickle.dumps(thing, protocol)) is thing


def test_every_public_function_pickles():
    for name in hc._everything:
        thing = getattr(hc, name)
        if isinstance(thing, hc.Function | np.ufunc):
            assert pickle.loads(pickle.dumps(thing)) is thing, name


@pytest.mark.parametrize(
    "name", ["convert_int", "convert_half", "convert_char_sat", "convert_half_rtp"]
)
def test_conversions_pickle(name):
    assert pickle.loads(pickle.dumps(getattr(hc, name))) is getattr(hc, name)


def test_keywords(mode):
    a, tiny = np.full((2, 3), ONE), np.full(3, TINY)
    up = SUM[mode][0]
    out = np.zeros((2, 3), half)
    assert hc.add(a, tiny, out=out, rounding=mode) is out and (out == up).all()
    out[:] = 7
    where = np.array([True, False, True])
    hc.add(a, tiny, out=out, where=where, rounding=mode)
    assert out.tolist() == [[up, 7, up]] * 2
    assert hc.add(a, tiny, out, rounding=mode) is out and (out == up).all()
    assert hc.add(a, tiny, rounding=mode, order="F").flags.f_contiguous
    assert hc.add(1, 2.0**-12, dtype=half, rounding=mode) == up
    assert type(hc.add(np.ma.array(a), tiny, subok=True, rounding=mode)) is np.ma.MaskedArray
    out16 = np.zeros((2, 3), np.float16)
    assert hc.add(a.view(np.float16), tiny.view(np.float16), out=out16, rounding=mode) is out16


def test_methods(mode):
    a = np.array([[1, 2.0**-12], [-1, -(2.0**-12)]], half)
    up, down = SUM[mode]
    assert hc.add.reduce(a, axis=1, rounding=mode).tolist() == [up, down]
    assert hc.add.reduce(a, axis=1, keepdims=True, rounding=mode).shape == (2, 1)
    assert hc.add.reduce(a, axis=(0, 1), rounding=mode) == 0
    assert hc.add.reduce(a, axis=1, initial=1, rounding="rtz")[1] == -(2.0**-12)
    assert hc.add.accumulate(a, axis=1, rounding=mode).tolist() == [[1, up], [-1, down]]
    assert hc.add.reduceat(a, [0], axis=1, rounding=mode).tolist() == [[up], [down]]
    assert hc.add.outer(a[0], a[0], rounding=mode)[0, 1] == up
    b = a[0].copy()
    hc.add.at(b, [0, 0], half(0.5), rounding=mode)
    assert b[0] == 2
    hc.add.at(b, [1], half(1), rounding=mode)
    assert b[1] == up
    with hc.rounding(mode):
        assert hc.add.reduce(a, axis=1).tolist() == [up, down]
        assert hc.add.outer(a[0], a[0])[0, 1] == up
    ufunc = getattr(hc, f"add_{mode}")
    assert (
        ufunc.reduce(a, axis=1).tolist()
        == [up, down]
        == getattr(hc.add, mode).reduce(a, 1).tolist()
    )


@pytest.mark.parametrize(
    ("types", "result"),
    [
        ((half, half), half),
        ((half, np.float16), half),
        ((np.float16, half), half),
        ((np.float16, np.float16), np.float16),
        ((half, np.bool_), half),
        ((np.int8, half), half),
        ((np.float16, np.uint8), np.float16),
        ((np.int8, np.uint8), half),
        ((np.bool_, np.bool_), half),
        ((half, float), half),
        ((np.float16, float), np.float16),
        ((int, np.float16), np.float16),
        ((float, int), half),
        ((bool, bool), half),
    ],
)
@pytest.mark.parametrize("name", [*OPERATORS, "fma"])
def test_types_of_results(name, types, result):
    args = [t(3) if t in (float, int, bool) else np.array([3, 1], t) for t in types]
    if name == "fma":
        args.append(args[0])
    got = getattr(hc, name)(*args)
    assert got.dtype == np.dtype(result)
    expected = {"add": 6, "subtract": 0, "multiply": 9, "divide": 1, "fma": 12}[name]
    if bool not in types and np.bool_ not in types:
        assert np.ravel(got)[0] == expected


@pytest.mark.parametrize("name", ["sqrt", "negative", "fabs"])
@pytest.mark.parametrize(
    ("argument", "result"),
    [
        (4, half),
        (4.0, half),
        (half(4), half),
        (np.float16(4), np.float16),
        (np.uint8(4), half),
        ([4, 4.0], half),
        ([4, np.float64(4)], None),
        ([half(4)], half),
    ],
)
def test_types_of_unary_results(name, argument, result):
    if result is None:
        with pytest.raises(TypeError, match=r"halfcl\.convert"):
            getattr(hc, name)(argument)
    else:
        assert getattr(hc, name)(argument).dtype == np.dtype(result)
