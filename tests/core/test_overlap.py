"""Outputs that overlap inputs: the result is that of separate arrays, at about their speed."""

import time

import numpy as np
import pytest
from exhaustive import in_turn

import halfcl as hc

N = 1 << 16


def numbers(n: int) -> np.ndarray:
    return (np.arange(n) % 1000 + 1).astype(hc.half)


@in_turn
@pytest.mark.parametrize("offset", [-40, -8, -1, 0, 1, 3, 8, 40])
@pytest.mark.parametrize("step", [1, 2, 3, -1, -2])
@pytest.mark.parametrize("n", [1, 5, 100, 5000])
def test_shifted_outputs(offset, step, n):
    memory = numbers(3 * (n + 45))
    span = memory[::step][: n + 45]
    first, second = (0, offset) if offset >= 0 else (-offset, 0)
    a, out = span[first : first + n], span[second : second + n]
    expected = np.sqrt(a.copy())
    hc.sqrt(a, out=out)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("n", [1, 7, 1000, 5000])
def test_accumulate_takes_each_result(n):
    a = (np.arange(n) % 7 - 3).astype(hc.half)
    expected = np.cumsum(np.arange(n) % 7 - 3).astype(hc.half)
    assert np.array_equal(np.add.accumulate(a), expected)
    b = a.copy()
    assert np.array_equal(np.add.accumulate(b, out=b), expected)
    columns = np.tile(a[:, None], 3)
    assert np.array_equal(np.add.accumulate(columns), np.tile(expected[:, None], 3))


def test_components_are_apart():
    v = (numbers(4 * 500) % 100).reshape(-1, 4).view(hc.half4)
    expected = np.array(v.x) * np.array(v.y)
    others = np.array(v.yzw)
    v.x *= v.y
    assert np.array_equal(v.x, expected)
    assert np.array_equal(v.yzw, others)


def best_time(call, rounds: int = 7) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.parametrize("which", ["behind", "components", "ahead"])
def test_overlap_costs_little(which):
    """It was a hundred times the time of separate arrays; so far apart that noise is nothing."""
    a, out = numbers(N), np.empty(N, hc.half)
    v = np.ones((N, 4), hc.half).view(hc.half4)
    overlapping, separate = {
        "behind": (lambda: np.sqrt(a[1:], out=a[:-1]), lambda: np.sqrt(a, out=out)),
        "ahead": (
            lambda: hc.sqrt(a[:-1000], out=a[1000:]),
            lambda: hc.sqrt(a, out=out),
        ),
        "components": (
            lambda: np.multiply(v.x, v.y, out=v.x),
            lambda: np.multiply(np.asarray(v)[:, 0], np.asarray(v)[:, 1]),
        ),
    }[which]
    assert best_time(overlapping) < 10 * best_time(separate)
