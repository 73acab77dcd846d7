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


def error_message(name):
    with pytest.raises(
        AttributeError, match=f"^module 'halfcl' has no attribute '{name}'"
    ) as error:
        getattr(hc, name)
    return str(error.value)


@pytest.mark.parametrize("name", TWINS)
def test_names_of_ufuncs(name):
    """The name in the error message exists and computes the same."""
    message = error_message(name)
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
    assert "no attribute 'arctan': OpenCL's name is atan; numpy.arctan takes" in error_message(
        "arctan"
    )
    assert error_message("abs").endswith(": OpenCL's name is fabs; numpy.abs takes halves, too")
    assert error_message("mod").endswith(": numpy.mod takes halves")
    assert error_message("true_divide").endswith(
        "name is divide; numpy.true_divide takes halves, too"
    )


@pytest.mark.parametrize("name", ["arctan3", "invert", "ndarray", "__nothing__"])
def test_no_twins(name):
    """Names that are like no other, ufuncs without halves, and classes have no hint."""
    assert error_message(name) == f"module 'halfcl' has no attribute {name!r}"
