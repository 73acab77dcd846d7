"""Tests of the decisions in docs/reference/numpy.md, and of half in other packages."""

import importlib

import numpy as np
import numpy_calls
import pytest

from halfcl import half, half4

X = half([1, 2, 4, 0.25])


@pytest.mark.parametrize(("expression", "works", "note"), numpy_calls.DECIDED)
def test_decided(expression, works, note):
    names = {"np": np, "half": half, "half4": half4, "x": X}
    if works:
        eval(expression, names)
    else:
        with pytest.raises((TypeError, ValueError, BufferError)):
            eval(expression, names)
    assert note


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("package", "module", "expression"), numpy_calls.PEERS)
def test_round_trip_through_package(package, module, expression, tmp_path):
    oldest = numpy_calls.OLDEST.get(package)
    reason = f"{package} {oldest or ''} is not installed"
    imported = pytest.importorskip(module, minversion=oldest, reason=reason)
    root = module.partition(".")[0]
    names = {"np": np, "half": half, "a": X, "path": str(tmp_path / "a"),
             "netcdf": numpy_calls.netcdf, root: importlib.import_module(root)}  # fmt: skip
    assert imported
    got = eval(expression, names)
    assert got.dtype == np.dtype(half) or root == "pandas"
    assert np.allclose(np.asarray(got, float), X.astype(float), rtol=4e-3)
