"""The public functions of intervals: docstrings, and the page that lists them."""

import importlib.util
import inspect
from pathlib import Path

import pytest

from halfcl import interval

PATH = Path(__file__).resolve().parent.parent / "tools" / "make_conformance.py"
FUNCTIONS = [name for name in interval.__all__ if inspect.isroutine(getattr(interval, name))]


def generator():
    spec = importlib.util.spec_from_file_location("make_conformance", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_up_to_date():
    made = generator()
    page = made.PAGE.read_text(encoding="utf-8")
    assert page == made.page(), "run tools/make_conformance.py --write"
    for name in FUNCTIONS:
        assert f"| `{name}` |" in page


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings(name):
    text = inspect.getdoc(getattr(interval, name))
    assert ">>> " in text and len(text.splitlines()[0]) <= 100
    assert name not in interval.functions.FUNCTIONS or "\nReturns\n" in text


def test_names():
    assert len(set(interval.__all__)) == len(interval.__all__)
    assert all(hasattr(interval, name) for name in interval.__all__)
