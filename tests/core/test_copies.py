"""Copies of half, and of accelerated float16, by one thread and by several: the bytes of all."""

import os
import subprocess
import sys

import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import _core


@pytest.fixture(params=[1, 3], ids=["one thread", "three"], autouse=True)
def threads(request):
    """Calls are split from some hundred elements on."""
    count, grain = _core.threads_of_process(), int(os.environ.get("HALFCL_GRAIN", 0))
    hc.set_num_threads(request.param)
    _core.set_grain(37)
    yield
    hc.set_num_threads(count)
    _core.set_grain(grain)


def bits(n, seed=0):
    return np.random.default_rng(seed).integers(0, 1 << 16, n, dtype=np.uint16)


SIZES = [0, 1, 2, 31, 74, 1000, 30001]


@pytest.mark.parametrize("n", SIZES)
def test_every_way(n, kind):
    x = bits(n)
    a = x.view(kind)
    out = np.zeros(n + 2, np.uint16)
    np.copyto(out[1:-1].view(kind), a)
    np.testing.assert_array_equal(out[1:-1], x)
    assert out[0] == out[-1] == 0
    for got in (a.copy(), a.astype(kind), np.array(a), np.concatenate((a, a))[n:]):
        assert got.dtype == kind and not np.shares_memory(got, a)
        np.testing.assert_array_equal(got.view(np.uint16), x)


def test_strides(kind):
    x = bits(6000)
    a = x.view(kind)
    for where in (np.s_[::2], np.s_[::-1], np.s_[1::3], np.s_[:0], np.s_[5:4000]):
        np.testing.assert_array_equal(a[where].copy().view(np.uint16), x[where])
        into = np.zeros(6000, np.uint16)
        into[where].view(kind)[...] = a[where]
        np.testing.assert_array_equal(into[where], x[where])
        assert np.count_nonzero(into) == np.count_nonzero(x[where])
    m, plain = a.reshape(60, 100), x.reshape(60, 100)
    for turned, expected in ((m.T, plain.T), (m[:, ::-1], plain[:, ::-1]), (m[::2], plain[::2])):
        np.testing.assert_array_equal(turned.copy().view(np.uint16), expected)
    np.testing.assert_array_equal(m.copy("F").view(np.uint16), plain)


def test_overlap(kind):
    for to, start, n in ((0, 1, 5000), (1, 0, 5000), (0, 700, 4000), (700, 0, 4000), (3, 3, 90)):
        x = bits(6000)
        expected = x.copy()
        expected[to : to + n] = x[start : start + n].copy()
        a = x.view(kind)
        a[to : to + n] = a[start : start + n]
        np.testing.assert_array_equal(x, expected)
    x = bits(3000)
    a = x.copy().view(kind)
    a[:] = a[::-1]
    np.testing.assert_array_equal(a.view(np.uint16), x[::-1])


def test_byte_order(kind):
    """Swapped where the dtypes differ in it."""
    x = bits(3000)
    a, swapped = x.view(kind), x.byteswap().view(kind.newbyteorder())
    for one, other, expected in (
        (a, swapped, x.byteswap()),
        (swapped, a, x),
        (swapped, swapped, x.byteswap()),
        (a, a, x),
    ):
        got = np.zeros(3000, other.dtype)
        np.copyto(got, one)
        np.testing.assert_array_equal(got.view(np.uint16), expected)


def test_odd_addresses(kind):
    x = bits(3000)
    memory = np.zeros(x.nbytes + 1, np.uint8)
    odd = memory[1:].view(kind)
    odd[...] = x.view(kind)
    np.testing.assert_array_equal(np.frombuffer(memory[1:].tobytes(), np.uint16), x)
    np.testing.assert_array_equal(odd.copy().view(np.uint16), x)


@one_in(2)
@pytest.mark.parametrize("switch", ["", "hc.accelerate()"])
def test_threads_help(switch):
    name = "np.float16" if switch else "hc.half"
    code = f"""
import time
import numpy as np
import halfcl as hc
from halfcl import _core
{switch}
_core.set_grain(1000)
hc.set_num_threads(3)
a = np.zeros(100000, np.uint16).view({name})
a.copy()
until = time.monotonic() + 20
while _core.idle_threads() < 2 and time.monotonic() < until:
    time.sleep(0.001)
print(_core.idle_threads())
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment
    )
    assert result.stdout.split() == ["2"], result.stderr
