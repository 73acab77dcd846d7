"""Tests of pandas' statistics of half, accumulated in float64; half if float16's are float16."""

import os
import subprocess
import sys

import numpy as np
import pytest
from exhaustive import one_in

from halfcl import half

pandas = pytest.importorskip("pandas", minversion="3.1")


def test_mean_and_sum_do_not_overflow():
    assert pandas.Series(np.full(70000, 0.5, half)).mean() == 0.5
    series = pandas.Series(np.full(100, 1000, half))
    assert series.mean() == 1000
    assert series.sum() == 100000
    assert series.agg(["sum", "mean"]).tolist() == [100000, 1000]


def test_frames():
    frame = pandas.DataFrame({"a": np.full(100, 1000, half), "b": np.full(100, 60000, half)})
    assert frame.mean().tolist() == [1000, 60000]
    assert frame.sum(axis=1).tolist() == [61000] * 100
    assert frame.agg("mean").tolist() == [1000, 60000]
    assert frame.groupby(np.zeros(100)).mean().to_numpy().tolist() == [[1000, 60000]]


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "sem", "skew", "kurt"])
def test_statistic_is_float64s_in_float16s_type(name):
    x = np.random.default_rng(4).normal(1, 2, 70000).astype(np.float16)
    x[::100] = np.nan
    result = getattr(pandas.Series(x.view(half)), name)()
    expected = getattr(pandas.Series(x.astype(float)), name)()
    like = getattr(pandas.Series(x[:1000]), name)()  # the count of float16 overflows beyond 65504
    assert result.dtype == (half if like.dtype == np.float16 else like.dtype)
    assert result == (half(expected) if result.dtype == half else expected)


@one_in(2)
@pytest.mark.parametrize("modules", ["pandas, halfcl", "halfcl, pandas"])
def test_plain_pandas_warns_once(modules):
    program = f"import warnings, numpy, {modules}"
    program += """
x = pandas.Series(numpy.full(100, 1000, halfcl.half))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    x.mean(), x.sum()
print([str(w.message) for w in caught if 'astype("float32")' in str(w.message)].__len__())
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "HALFCL_NUMPY": "plain"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert run.stdout.split() == ["1"]


@pytest.mark.parametrize("modules", ["pandas, halfcl", "halfcl, pandas"])
def test_parquet_and_feather_store_half_as_float16(modules, tmp_path):
    pytest.importorskip("pyarrow", reason="needs pyarrow, which writes Parquet files")
    program = f"import numpy, os, sys, {modules}"
    program += """
x = numpy.array([1, 0.1, -0.0, numpy.inf], halfcl.half)
frame = pandas.DataFrame({"x": x, "n": range(4), "y": x.view(numpy.float16)})
frame.to_parquet(sys.argv[1] + ".parquet")
frame.to_feather(sys.argv[1] + ".feather")
assert frame["x"].dtype == halfcl.half
for back in (
    pandas.read_parquet(sys.argv[1] + ".parquet"), pandas.read_feather(sys.argv[1] + ".feather")
):
    assert back["x"].dtype == numpy.float16 and back["n"].tolist() == [0, 1, 2, 3]
    assert back["x"].to_numpy().tobytes() == x.tobytes()
os._exit(0)  # pyarrow's threads may abort the interpreter when it ends
"""
    command = [sys.executable, "-W", "error", "-c", program, str(tmp_path / "frame")]
    subprocess.run(command, check=True, timeout=120)
