"""Scripts for plain float16: unchanged under acceleration, with results as close as float16's."""

import sys

import numpy as np
import pytest
from places import ROOT

import halfcl as hc

sys.path.insert(0, str(ROOT / "examples"))

import kmeans
import mlp
import smoothing

SCRIPTS = [(kmeans, 4000), (mlp, 30), (smoothing, 5000)]


@pytest.mark.parametrize(("script", "size"), SCRIPTS, ids=lambda x: getattr(x, "__name__", ""))
def test_results_stay_close(script, size, capsys):
    """Sums are rounded once; results that depend on them change by some ulps."""
    plain = script.main(size=size)
    with hc.accelerated():
        fast = script.main(size=size)
    assert capsys.readouterr().out.count("float16") == 2
    if script is mlp:
        plain, fast = (plain,), (fast,)
    for one, other in zip(plain[:2], fast[:2], strict=True):
        assert np.asarray(other).dtype == np.float16
        np.testing.assert_allclose(other.astype(float), one.astype(float), rtol=0.02, atol=2e-3)
    if script is smoothing:
        assert abs(len(plain[2]) - len(fast[2])) <= 2


def test_probabilities_are_nearer_to_float64s():
    """The reference is the probabilities in float64."""
    x = np.random.default_rng(1).normal(0, 3, (300, 10)).astype(np.float16)
    right = mlp.softmax(x.astype(float))
    plain = np.abs(mlp.softmax(x) - right).mean()
    with hc.accelerated():
        assert np.abs(mlp.softmax(x) - right).mean() <= plain


@pytest.mark.parametrize("script", [kmeans, mlp, smoothing])
def test_scripts_do_not_import_halfcl(script):
    assert not hasattr(script, "halfcl") and not hasattr(script, "hc")
