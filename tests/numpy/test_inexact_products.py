"""Tests of accelerate(exact_products=False): products of float16 matrices in float32."""

import functools
import os
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest
from exhaustive import in_turn, more

import halfcl as hc
from halfcl import _core

VARIABLES = ("HALFCL_ACCELERATE", "HALFCL_EXACT_PRODUCTS", "PYTHONPATH")


@pytest.fixture(autouse=True)
def off(monkeypatch):
    for name in VARIABLES[:2]:
        monkeypatch.setenv(name, "")  # so that its value is restored at the end
        monkeypatch.delenv(name)
    hc.decelerate()
    yield
    hc.decelerate()


def draw(seed, shape):
    """Return numbers of which float32 loses some bits when it adds their products."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=shape) * np.exp(rng.normal(size=shape))
    return np.clip(numbers, -4, 4).astype(np.float16)


def layouts(x):
    """Return the array in several layouts."""
    swapped = x.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return x, swapped, wide[..., ::2], x[..., ::-1, :].copy()[..., ::-1, :]


#: Calls that multiply two matrices, or stacks of them.
CALLS = {
    "@": lambda a, b: a @ b,
    "matmul": np.matmul,
    "out": lambda a, b: np.matmul(
        a, b, out=np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2],
                            b.shape[-1]), np.float16)),
}  # fmt: skip
CALLS_OF_MATRICES = CALLS | {
    "dot": np.dot,
    "dot, out": lambda a, b: np.dot(a, b, np.empty((len(a), b.shape[1]), np.float16)),
    "method": lambda a, b: a.dot(b),
    "inner": lambda a, b: np.inner(a, b.T),
    "tensordot": lambda a, b: np.tensordot(a, b, 1),
    "einsum": lambda a, b: np.einsum("ij,jk", a, b),
}


def assert_near(got, a, b):
    """Check the promised error against sums in double, which lose nothing in comparison."""
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    assert got.dtype == np.float16 and got.shape == (*stack, a.shape[-2], b.shape[-1])
    a, b = (np.broadcast_to(x, (*stack, *x.shape[-2:])) for x in (a, b))
    for place in np.ndindex(stack):
        right = b[place].astype(float)
        for k in range(0, a.shape[-2], 256):  # so that little memory is new
            rows = slice(k, k + 256)
            assert_rows_near(got[place][rows], a[place][rows].astype(float), right)


def assert_rows_near(got, a, b):
    want, size = a @ b, np.abs(a) @ np.abs(b)
    n = a.shape[-1]
    error = n * 2.0**-24 / (1 - n * 2.0**-24) * size + 2.0**-11 * np.abs(want) * 1.01 + 2.0**-25
    assert (np.abs(got - want) <= error).all()


def is_inexact(call, a, b):
    """Return whether a call is inexact in the current state; check the error that it promises."""
    got = call(a, b)
    assert_near(got, a, b)
    return not np.array_equal(got, hc.matmul(a, b))


@pytest.mark.parametrize("name", CALLS_OF_MATRICES)
def test_products_of_matrices_are_computed_in_float32(name):
    a, b = draw(1, (150, 300)), draw(2, (300, 70))
    for x in layouts(a):
        for y in layouts(b):
            hc.accelerate(exact_products=False)
            assert is_inexact(CALLS_OF_MATRICES[name], x, y)
            hc.accelerate(exact_products=True)
            assert not is_inexact(CALLS_OF_MATRICES[name], x, y)


@in_turn
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("left", "right"),
    [((5, 70, 90), (5, 90, 80)), ((5, 70, 90), (90, 80)), ((70, 90), (3, 90, 80)),
     ((4, 1, 70, 90), (3, 90, 80)), ((1, 70, 90), (2, 3, 90, 80))],
)  # fmt: skip
def test_stacks_are_computed_in_float32(name, left, right):
    a, b = draw(3, left), draw(4, right)
    hc.accelerate(exact_products=False)
    for x in layouts(a)[:3]:
        for y in layouts(b)[:3]:
            assert is_inexact(CALLS[name], x, y)


def test_einsum_and_tensordot_of_stacks_are_computed_in_float32():
    a, b = draw(5, (4, 80, 90)), draw(6, (4, 90, 70))
    hc.accelerate(exact_products=False)
    assert is_inexact(lambda a, b: np.einsum("nij,njk->nik", a, b), a, b)
    assert is_inexact(
        lambda a, b: np.tensordot(a, b, ((2,), (1,))).transpose(0, 2, 1, 3)[
            range(4), range(4)], a, b)  # fmt: skip


@pytest.mark.parametrize(
    "shapes",
    [((3000, 30), (30, 3000)), ((20, 40000), (40000, 18)), ((1200, 64, 64), (64, 64)),
     ((2, 1, 1500, 40), (1, 2, 40, 1500)), ((1, 3000, 16), (3, 16, 2000)),
     *more(((2100, 2100), (2100, 16)), ((64, 70000), (70000, 70)))],
)  # fmt: skip
def test_large_products_are_computed_block_by_block(shapes):
    a, b = draw(7, shapes[0]), draw(8, shapes[1])
    hc.accelerate(exact_products=False)
    tracemalloc.start()
    product = a @ b
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_near(product, a, b)
    assert peak < product.nbytes + 4 * 2**24


@pytest.mark.parametrize("threads", [3, *more(1)])
def test_threads_of_blas_make_no_difference(threads):
    """Parallel test runs give BLAS one thread, and users' programs have as many as processors."""
    threadpoolctl = pytest.importorskip("threadpoolctl")
    a, b = draw(9, (200, 300)), draw(10, (300, 150))
    exact = hc.matmul(a, b)
    with threadpoolctl.threadpool_limits(threads, user_api="blas"):
        assert np.array_equal(hc.matmul(a, b), exact)
        hc.accelerate(exact_products=False)
        for name in CALLS_OF_MATRICES:
            assert is_inexact(CALLS_OF_MATRICES[name], a, b)
        hc.accelerate(exact_products=True)
        assert np.array_equal(a @ b, exact)


@pytest.mark.parametrize("mode", ["rtz", "rtp", "rtn"])
def test_directed_modes_are_exact(mode):
    a, b = draw(9, (64, 80)), draw(10, (80, 64))
    hc.accelerate(exact_products=False)
    with hc.rounding(mode):
        products = [CALLS_OF_MATRICES[name](a, b) for name in ("@", "dot", "inner", "einsum")]
    for product in products:
        assert np.array_equal(product, hc.matmul(a, b, rounding=mode))


def test_random_rounding_is_of_exact_sums():
    a, b = draw(11, (64, 80)), draw(12, (80, 64))
    hc.accelerate(exact_products=False)
    with _core.Experiment("random"):
        product = a @ b
    low, high = (hc.matmul(a, b, rounding=mode) for mode in ("rtn", "rtp"))
    assert ((product == low) | (product == high)).all() and (product == low).any()
    assert (product == high).any()


def test_what_stays_exact():
    a, b = draw(13, (128, 300)), draw(14, (300, 128))
    want = hc.matmul(a, b)
    hc.accelerate(exact_products=False)
    assert np.array_equal(a.view(hc.half) @ b.view(hc.half), want.view(hc.half))
    assert np.array_equal(hc.matmul(a, b), want)
    assert np.array_equal(a.astype(">f2") @ b, want)
    assert np.array_equal(a[:4] @ b, want[:4])
    assert np.array_equal(a[0] @ b, want[0])
    assert np.array_equal([np.vdot(a[0], b[:, j]) for j in range(9)], want[0, :9])
    assert np.array_equal(a[:20, :30] @ b[:30, :20], hc.matmul(a[:20, :30], b[:30, :20]))


@pytest.mark.parametrize("name", CALLS_OF_MATRICES)
def test_exceptions(name):
    call = CALLS_OF_MATRICES[name]
    a, b = np.full((64, 64), 32, np.float16), np.full((64, 64), 32, np.float16)
    hc.accelerate(exact_products=False)
    with np.errstate(all="raise"):
        call(a / 2, b / 2)
        with pytest.raises(FloatingPointError, match="overflow"):
            call(a, b)
    with np.errstate(over="ignore"):
        assert np.isinf(call(a, b)).all()
    a[3, 5], b[5, 7], b[6, 8] = np.inf, -np.inf, np.nan
    with np.errstate(all="ignore"):
        product = call(a / 2, b / 2)
    assert product[3, 7] == -np.inf and product[3, 0] == np.inf and np.isnan(product[0, 8])


def test_out_may_overlap_and_may_not_fit():
    a, b = draw(15, (80, 80)), draw(16, (80, 80))
    hc.accelerate(exact_products=False)
    want = a @ b
    out = a.copy()
    assert np.matmul(out, b, out=out) is out
    assert_near(out, a, b)
    strided = np.empty((80, 160), np.float16)[:, ::2]
    np.matmul(a, b, out=strided)
    assert_near(strided, a, b)
    wide = np.empty((80, 80), np.float32)
    assert np.matmul(a, b, out=wide) is wide
    for wrong in (np.empty((3, 3), np.float16), [1]):
        with pytest.raises((ValueError, TypeError)):
            np.matmul(a, b, out=wrong)
    with pytest.raises(ValueError):
        np.matmul(a, b[:70])
    with pytest.raises(ValueError):
        np.matmul(np.stack([a, a]), np.stack([b, b, b]))
    read_only = np.empty((80, 80), np.float16)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        np.matmul(a, b, out=read_only)
    assert np.array_equal(a @ b, want)


# ---------------------------------------------------------------- who decides


def test_calls_that_name_it_decide():
    assert _core.has_exact_products()
    hc.accelerate(exact_products=False)
    hc.accelerate()
    assert not _core.has_exact_products()
    hc.accelerate(exact_products=True)
    hc.accelerate()
    assert _core.has_exact_products()
    hc.accelerate(exact_products=False)
    hc.decelerate()
    hc.accelerate()
    assert _core.has_exact_products()


def test_block_that_began_last_decides():
    outer, inner = hc.accelerated(exact_products=False), hc.accelerated(exact_products=True)
    with outer:
        with hc.accelerated():
            assert not _core.has_exact_products()
        with inner:
            with hc.accelerated():
                assert _core.has_exact_products()
            with outer:  # once more
                assert not _core.has_exact_products()
            assert _core.has_exact_products()
        assert not _core.has_exact_products()
        hc.accelerate(exact_products=True)
        assert not _core.has_exact_products()
    assert _core.has_exact_products()
    assert repr(outer) == "accelerated(exact_products=False)" and repr(inner)[-5:-1] == "True"


def test_blocks_that_overlap():
    first, second = hc.accelerated(exact_products=False), hc.accelerated(exact_products=True)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert _core.has_exact_products()
    first.__enter__()
    assert not _core.has_exact_products()
    second.__exit__(None, None, None)
    assert not _core.has_exact_products()
    hc.decelerate()
    first.__exit__(None, None, None)
    assert _core.has_exact_products() and not hc.accelerated_ufuncs()


def test_threads_multiply_while_another_switches():
    a, b = draw(17, (64, 64)), draw(18, (64, 64))
    exact, errors = hc.matmul(a, b), []
    hc.accelerate(exact_products=False)
    inexact = a @ b

    def multiply():
        for _ in range(200):
            product = a @ b
            if not (np.array_equal(product, exact) or np.array_equal(product, inexact)):
                errors.append(product)

    threads = [threading.Thread(target=multiply) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        with hc.accelerated(exact_products=True):
            pass
    assert not errors


@pytest.mark.parametrize("value", [0, 1, "no", np.True_])
@pytest.mark.parametrize("function", ["accelerate", "accelerated"])
def test_it_is_a_bool_or_none(function, value):
    message = rf"^{function}: argument exact_products: expected True, False or None, got "
    with pytest.raises(TypeError, match=message):
        getattr(hc, function)(exact_products=value)
    assert not hc.accelerated_ufuncs()


# ---------------------------------------------------------------- processes

STATE = "from halfcl import _core; print(_core.has_exact_products())"
WITHOUT_IMPORT = "import numpy, sys; " + STATE


def run(*arguments, **environment):
    """Run Python; return its output."""
    path = os.pathsep.join(filter(None, sys.path))
    environment = {"PYTHONPATH": os.environ.get("PYTHONPATH", path), **environment}
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip


def test_environment_decides_where_nobody_does():
    code = "import halfcl\nfor decision in (None, True, False):\n"
    code += f"    halfcl.accelerate(exact_products=decision)\n    {STATE}"
    for value, by_environment in (("0", "False"), ("1", "True"), ("", "True")):
        states = run("-c", code, HALFCL_EXACT_PRODUCTS=value).split()
        assert states == [by_environment, "True", "False"]
    assert run("-c", WITHOUT_IMPORT, HALFCL_ACCELERATE="1", HALFCL_EXACT_PRODUCTS="0") == "False"


def test_command_run():
    assert run("-m", "halfcl", "run", "-c", STATE) == "True"
    assert run("-m", "halfcl", "run", "--inexact-products", "-c", STATE) == "False"
    both = ("--no-children", "--inexact-products")
    assert run("-m", "halfcl", "run", *both, "-c", STATE) == "False"
    assert run("-m", "halfcl", "run", *both[::-1], "-c", STATE) == "False"


def variables():
    return tuple(os.environ.get(name) for name in VARIABLES)


def state_of_child():
    return state_of_child_with(variables())


@functools.cache
def state_of_child_with(_):
    """Return the state of a child with these variables, on which alone it depends."""
    return run("-c", WITHOUT_IMPORT)


@pytest.mark.parametrize("before", [None, "", "0", "1"])
def test_children_get_what_accelerate_decided(before, monkeypatch):
    if before is not None:
        monkeypatch.setenv("HALFCL_EXACT_PRODUCTS", before)
    path = os.pathsep.join(filter(None, sys.path))
    monkeypatch.setenv("PYTHONPATH", path)
    at_first = variables()
    for decision in (False, None, True, False):
        hc.accelerate(children=True, exact_products=decision)
        assert state_of_child() == str(bool(decision))
    hc.accelerate(exact_products=True)
    with hc.accelerated(exact_products=True):
        assert state_of_child() == "False"
    hc.decelerate()
    assert variables() == at_first
