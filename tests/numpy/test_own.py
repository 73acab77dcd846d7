"""NumPy's installed tests with half in place of float16, by tools/numpy_tests.py."""

import importlib.util
import os
import sys

import numpy as np
import pytest
from exhaustive import left_out
from places import ROOT

PROGRAM = ROOT / "tools" / "numpy_tests.py"
#: HALFCL_NUMPY_TESTS=all runs every file that names float16: many minutes.
ALL = os.environ.get("HALFCL_NUMPY_TESTS") == "all"


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("numpy_tests", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    sys.modules["numpy_tests"] = module
    spec.loader.exec_module(module)
    return module


@left_out("it runs a file of NumPy's tests in a new process; other tests cover the same")
@pytest.mark.once
def test_half_in_place_of_float16(program):
    """Check that the listed tests fail, and no others."""
    result = program.compare(list(program.QUICK))
    assert result.unexpected == []
    assert result.named > 30 and result.others > 150


@pytest.mark.skipif(not ALL, reason="HALFCL_NUMPY_TESTS=all was not asked for")
def test_all_files(program):
    result = program.compare(program.files_that_name_float16())
    assert result.unexpected == []
    assert result.named > 5000 and result.failed_named < 0.01 * result.named
    assert result.others > 20000 and result.failed_others < 0.001 * result.others


def test_known_failures(program):
    """Check the list of known failures, by file, class, function, case and version of NumPy."""
    text = """# no cause
a cause
    f.py::test_a
    f.py::test_b[*half]  <2.3
other
    f.py::c  >=2.3
"""
    old, new = (program.known_failures(text, version) for version in ("2.2.6", "2.10.0"))
    assert [(k.cause, k.pattern) for k in old] == [
        ("a cause", "f.py::test_a"), ("a cause", "f.py::test_b[*half]"),
    ]  # fmt: skip
    assert [(k.cause, k.pattern) for k in new] == [
        ("a cause", "f.py::test_a"),
        ("other", "f.py::c"),
    ]

    def matches(known, *test_and_case):
        return known.matches(program.Outcome(*test_and_case, "failed", ""))

    assert matches(old[0], "f.py::test_a", "[1]") and not matches(old[0], "f.py::test_ab", "")
    assert matches(old[1], "f.py::test_b", "[x-half]")
    assert not matches(old[1], "f.py::test_b", "[half-x]")
    assert not matches(old[1], "f.py::test_b", "")


def test_substitution(program):
    """Check that names, codes and lists of codes are substituted, but not other words like them."""
    text = (
        '"""float16 in a docstring."""\n'
        "from numpy import float16, float32\n"
        "x = np.float16(1), np.dtype('e'), ['f4', 'f2', '>f2'], float16\n"
        "for c in 'efdg': print('half of it', x.half, ['e', 'f2'], [('e', 'e')], x == 'e')\n"
        "for c in np.typecodes['All']: print(c)\n"
        "def letters():\n"
        "    for c in 'efdg': print(c in 'fd')\n"
    )
    got = program.substitute(text)
    assert got.lines == {3, 4, 5}
    header = got.text.splitlines()[1]
    code = "[_half if c == 'e' else c for c in {}]".format
    assert got.text.splitlines()[2:] == [
        "from numpy import float16 as _numpy_float16, float32",
        "x = _half(1), np.dtype(_half), ['f4', _half, _half_swapped], float16",
        "for c in " + code("'efdg'")
        + ": print('half of it', x.half, ['e', 'f2'], [('e', _half)], x == 'e')",
        "for c in " + code("np.typecodes['All']") + ": print(c)",
        *text.splitlines()[5:],
    ]  # fmt: skip
    names = {"np": np}
    exec("\n".join([header, *got.text.splitlines()[2:4]]), names)
    assert names["float16"] is names["_half"]
