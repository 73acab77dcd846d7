"""NumPy's names, asked for in halfcl: the error says what to write."""

import re

import numpy as np
import pytest

import halfcl as hc
from halfcl import half
from halfcl._tables import TABLE

# see pyproject markers
pytestmark = pytest.mark.once

TWINS = sorted({n for row in TABLE for n in row.numpy if hasattr(np, n) and not hasattr(hc, n)})


def told(name):
    with pytest.raises(
        AttributeError, match=f"^module 'halfcl' has no attribute '{name}'"
    ) as error:
        getattr(hc, name)
    return str(error.value)


@pytest.mark.parametrize("name", TWINS)
def test_names_of_ufuncs(name):
    """What the error names is there, and does the same."""
    message = told(name)
    assert f"numpy.{name} takes halves" in message
    if (own := re.search(r"OpenCL's name is (\w+);", message)) is None:
        assert not any(row.public and name in row.numpy for row in TABLE)
        return
    ufunc, function = getattr(np, name), getattr(hc, own[1])
    halves = half([[0.25, 0.75], [0.5, 0.125]])[: ufunc.nin]
    with np.errstate(all="ignore"):
        got, want = ufunc(*halves), function(*halves)
    assert got.dtype == want.dtype and got.tobytes() == want.tobytes()


def test_other_names_of_numpy():
    assert "no attribute 'arctan': OpenCL's name is atan; numpy.arctan takes" in told("arctan")
    assert told("abs").endswith(": OpenCL's name is fabs; numpy.abs takes halves, too")
    assert told("mod").endswith(": numpy.mod takes halves")
    assert told("true_divide").endswith("name is divide; numpy.true_divide takes halves, too")


@pytest.mark.parametrize("name", ["arctan3", "invert", "ndarray", "__nothing__", "array"])
def test_no_twins(name):
    """Misspelt; a ufunc that takes no halves; what is no ufunc."""
    assert told(name) == f"module 'halfcl' has no attribute {name!r}"
