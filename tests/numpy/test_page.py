"""Tests that docs/reference/numpy.md and its sister pages are up to date."""

import importlib.util
import re

import numpy as np
import pytest
from places import ROOT


def make_numpy_page():
    path = ROOT / "tools" / "make_numpy_page.py"
    spec = importlib.util.spec_from_file_location("make_numpy_page", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def test_changes_are_up_to_date():
    text = (ROOT / "docs" / "reference" / "numpy_changes.md").read_text(encoding="utf-8")
    assert make_numpy_page().changes_page() == text, "run tools/make_numpy_page.py"


def test_own_tests_are_up_to_date():
    text = (ROOT / "docs" / "evidence" / "numpy_tests.md").read_text(encoding="utf-8")
    assert make_numpy_page().own_tests_page() == text, "run tools/make_numpy_page.py"


def test_page_is_up_to_date():
    text = (ROOT / "docs" / "reference" / "numpy.md").read_text(encoding="utf-8")
    version = re.search(r"with\s+NumPy (\d+\.\d+)", text)[1]
    if not np.__version__.startswith(version + "."):
        pytest.skip(f"the page is about NumPy {version}")
    assert make_numpy_page().page(version) == text, "run tools/make_numpy_page.py"
