"""Tests that statistics of many results need memory for a block of them only."""

import subprocess
import sys

import pytest

pytest.importorskip("resource")

PROGRAM = """
import resource, sys, warnings
import numpy as np
import halfcl as hc

def peak():
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

warnings.simplefilter("ignore")
x = np.ones((60_000, 96), hc.half)
with_nans = x.copy()
with_nans[:, ::7] = np.nan
shorter = np.ones((200_000, 20), hc.half)
CALLS = {
    "rows": lambda f: f(x, axis=1),
    "columns": lambda f: f(x.T, axis=0),
    "short rows": lambda f: f(shorter, axis=1),
    "several axes": lambda f: f(x.reshape(60_000, 8, 12), axis=(1, 2)),
    "nans": lambda f: f(with_nans, axis=1),
    "keepdims": lambda f: f(x, axis=1, keepdims=True),
}
FUNCTIONS = (
    np.sum, np.prod, np.mean, np.var, np.std, np.linalg.norm, np.average,
    np.nansum, np.nanmean, np.nanvar, np.nanstd, hc.sumsq,
)
np.seterr(all="ignore")
with hc.num_threads(1):
    for name, call in CALLS.items():
        for f in FUNCTIONS:
            if f is np.linalg.norm and name == "several axes":
                continue
            before = peak()
            call(f)
            if peak() - before > 4 << 20:
                print(name, f, peak() - before)
"""


def test_peak_of_statistics_is_that_of_a_block():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
