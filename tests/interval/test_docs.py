"""Tests of the docstrings of public functions of intervals, and of the page that lists them."""

import importlib.util
import inspect

import numpy as np
import pytest
from places import ROOT

import halfcl as hc
from halfcl import interval
from halfcl.interval._functions import elementwise

PATH = ROOT / "tools" / "make_conformance.py"
FUNCTIONS = [name for name in interval.__all__ if inspect.isroutine(getattr(interval, name))]


def load_generator():
    spec = importlib.util.spec_from_file_location("make_conformance", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_up_to_date():
    generated = load_generator()
    page = generated.PAGE.read_text(encoding="utf-8")
    assert page == generated.page(), "run tools/make_conformance.py --write"
    assert "| `exp` | exp | tightest | all numbers |" in page
    assert "| `sqr_rev` | sqrRev | tightest | trv at best |" in page
    assert "| `is_nai` | isNaI | exact |  |" in page and "| `neg` | neg | exact |" in page
    for name in generated.operations():
        assert f"| `{name}` |" in page


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings(name):
    text = inspect.getdoc(getattr(interval, name))
    assert ">>> " in text and len(text.splitlines()[0]) <= 100
    if name in elementwise.FUNCTIONS:
        parts = ["Parameters", "Returns", "Raises", "Notes", "Examples"]
        assert [text.count(f"\n{part}\n---") for part in parts] == [1] * len(parts)
        assert text.count("\nAccuracy: ") == text.count("\nSource: ") == 1


def test_names():
    assert len(set(interval.__all__)) == len(interval.__all__)
    assert all(hasattr(interval, name) for name in interval.__all__)


def test_plot_band():
    axes = pytest.importorskip("matplotlib.figure").Figure().add_subplot()
    x = np.arange(4).astype(hc.half)
    intervals = interval.Interval([0, 1, -np.inf, 2], [1, 2, 0, np.inf])
    intervals[1] = interval.empty
    band = interval.plot_band(x, intervals, ax=axes, color="red")
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    assert {tuple(c) for c in corners} >= {(0, 0), (0, 1), (2, -65504), (2, 0), (3, 2), (3, 65504)}
    assert not (corners[:, 0] == 1).any() or not np.isfinite(corners[corners[:, 0] == 1]).all()
    with pytest.raises(ValueError, match=r"iv: expected the shape \(n,\) of x, got \(4,\)"):
        interval.plot_band(x[:3], intervals, ax=axes)
