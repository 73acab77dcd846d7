"""Tests that each of accelerated_functions() is faster than plain NumPy, on 2^16 elements.

Operators and ufuncs are faster on few elements, too, with a number beside them or not.

Only ratios of the best of many calls are compared, which other processes hardly affect. REASONS has
the exceptions.
"""

import os
import time

import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc

SIZE = 1 << 16
FASTER = 1.1

X = np.random.default_rng(1).uniform(0.5, 1.5, SIZE).astype(np.float16)
ROWS = X.reshape(256, 256)
INDICES = np.arange(SIZE) * 7 % SIZE
SORTED, WIDE, MASK = np.sort(X), X.astype(np.float32), X > 1


def add_at():
    np.add.at(np.zeros(SIZE, np.float16), INDICES, X)


CALLS = {
    "arange": lambda: np.arange(0, 2048, 1 / 32, dtype=np.float16),
    "argmax": lambda: np.argmax(X),
    "around": lambda: np.around(X, 2),
    "argmin": lambda: np.argmin(X),
    "argpartition": lambda: np.argpartition(X, SIZE // 2),
    "argsort": lambda: np.argsort(X),
    "convolve": lambda: np.convolve(X, X[:9]),
    "correlate": lambda: np.correlate(X, X[:9]),
    "count_nonzero": lambda: np.count_nonzero(X),
    "cumprod": lambda: np.cumprod(ROWS, axis=1),
    "cumsum": lambda: np.cumsum(X),
    "dot": lambda: np.dot(ROWS, ROWS),
    "einsum": lambda: np.einsum("ij,ij->i", ROWS, ROWS),
    "inner": lambda: np.inner(ROWS, ROWS),
    "linalg.norm": lambda: np.linalg.norm(X),
    "max": lambda: np.max(X),
    "mean": lambda: np.mean(X),
    "min": lambda: np.min(X),
    "nanmean": lambda: np.nanmean(X),
    "nanstd": lambda: np.nanstd(X),
    "nanvar": lambda: np.nanvar(X),
    "ndarray.astype": lambda: WIDE.astype(np.float16),
    "ndarray.dot": lambda: ROWS.dot(ROWS),
    "nonzero": lambda: np.nonzero(X),
    "partition": lambda: np.partition(X, SIZE // 2),
    "prod": lambda: np.prod(X),
    "round": lambda: np.round(X, 2),
    "searchsorted": lambda: np.searchsorted(SORTED, X),
    "sort": lambda: np.sort(X),
    "std": lambda: np.std(X),
    "sum": lambda: np.sum(X),
    "tensordot": lambda: np.tensordot(ROWS, ROWS, 1),
    "ufunc.accumulate": lambda: np.add.accumulate(X),
    "ufunc.at": add_at,
    "ufunc.reduce": lambda: np.add.reduce(ROWS, axis=0),
    "ufunc.reduceat": lambda: np.add.reduceat(X, INDICES[:100]),
    "var": lambda: np.var(X),
    "vdot": lambda: np.vdot(X, X),
    "where": lambda: np.where(MASK, X, X),
}

#: Reasons to replace functions that may take as long as NumPy's.
REASONS = dict.fromkeys(
    ("arange", "around", "round"),
    "each element is computed exactly and rounded once, where NumPy's overflow or drift",
)


def ratio(call):
    """Return plain NumPy's time divided by ours; calls alternate, so that noise affects both."""
    best = {False: np.inf, True: np.inf}

    def measure(is_on):
        start = time.perf_counter()
        call()
        best[is_on] = min(best[is_on], time.perf_counter() - start)

    end = time.perf_counter() + 3
    with np.errstate(all="ignore"):
        for k in range(60):
            measure(False)
            with hc.accelerated():
                measure(True)
            if (k >= 3 and best[False] > 1.5 * FASTER * best[True]) or time.perf_counter() > end:
                break
    return best[False] / best[True]


def test_every_function_has_a_call():
    with hc.accelerated():
        assert list(hc.accelerated_functions()) == sorted(CALLS)
    assert REASONS.keys() <= CALLS.keys()


# Sliced here: two slices cost what the difference does, and are NumPy's on both sides.
FEW, FEW_ROWS, FEW_COLUMN = X[:4], ROWS[:3, :4], ROWS[:3, :1]
SMALL_CALLS = {
    "x + x": lambda: [FEW + FEW for _ in range(1000)],
    "np.sqrt(x)": lambda: [np.sqrt(FEW) for _ in range(1000)],
    "0.5 * x": lambda: [0.5 * FEW for _ in range(1000)],
    "x > 0": lambda: [FEW > 0 for _ in range(1000)],
    "x / np.float16": lambda: [FEW / X[0] for _ in range(1000)],
    "rows - column": lambda: [FEW_ROWS - FEW_COLUMN for _ in range(1000)],
}


@one_in(3)
@pytest.mark.skipif(
    bool({"HALFCL_ISA", "HALFCL_GRAIN"} & os.environ.keys()),
    reason="other instruction sets and small grains, both for tests, are slower",
)
@pytest.mark.parametrize("name", [*(name for name in CALLS if name not in REASONS), *SMALL_CALLS])
def test_function_is_faster_than_numpys(name):
    ratios = []
    for _ in range(3):  # another process may have disturbed the first ones
        ratios.append(ratio((CALLS | SMALL_CALLS)[name]))
        if ratios[-1] >= FASTER:
            return
    raise AssertionError(f"{name}: plain NumPy's time over ours: {ratios}")
