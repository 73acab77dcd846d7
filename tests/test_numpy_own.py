"""NumPy's own tests, as they are installed, with half in float16's place (tools/numpy_tests.py)."""

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).parents[1] / "tools" / "numpy_tests.py"
#: HALFCL_NUMPY_TESTS=all runs every file that names float16: many minutes.
ALL = os.environ.get("HALFCL_NUMPY_TESTS") == "all"


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("numpy_tests", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    sys.modules["numpy_tests"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.once
def test_half_in_the_place_of_float16(program):
    result = program.compare(list(program.QUICK))
    failed = {node.partition("#")[0] for node in result.failures}
    assert failed <= set(program.known_causes()), result.failures
    assert result.named > 30 and result.others > 150


@pytest.mark.skipif(not ALL, reason="HALFCL_NUMPY_TESTS=all was not asked for")
def test_all_files(program):
    result = program.compare(program.files_that_name_float16())
    others = len(result.failures) - result.failed_named
    assert result.failed_named <= 0.046 * result.named, result.failures
    assert others <= 0.006 * result.others, result.failures


def test_substitution(program):
    """Names, codes and lists of codes; not other words that are spelled so."""
    text = (
        '"""float16 in a docstring."""\n'
        "from numpy import float16, float32\n"
        "x = np.float16(1), np.dtype('e'), ['f2', '>f2'], float16\n"
        "for c in 'efdg': print('half of it', x.half)\n"
    )
    got = program.substitute(text)
    assert got.lines == {3, 4}
    assert got.text.splitlines()[1] == program.HEADER
    assert got.text.splitlines()[2:] == [
        "from numpy import float16 as _numpy_float16, float32",
        "x = _half(1), np.dtype(_half), [_half, _half_swapped], float16",
        "for c in [_half if c == 'e' else c for c in 'efdg']: print('half of it', x.half)",
    ]
    names = {"np": np}
    exec(got.text.splitlines()[1], names)
    exec("\n".join(got.text.splitlines()[2:4]), names)
    assert names["float16"] is names["_half"]
