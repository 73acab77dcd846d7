"""Tests that a region whose modes a function decides asks it once for each operation on arrays.

NumPy converts scalars to arrays, which asks, too.
"""

import operator

import numpy as np
import pytest

import halfcl as hc
from halfcl._core import Experiment

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    divmod, operator.pow,
]  # fmt: skip
X = hc.half([0.3, 1.7, 2.9])
OTHERS = {"array": X / 2, "0-d": np.array(1.5, hc.half), "one": X[:1]}


def questions(function, *args):
    asked = []
    region = Experiment("rte", lambda: asked.append(1) or "rtp")
    region.call(function, args)
    return len(asked)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_an_operation_asks_once(function, other):
    """Ways of computing that are tried in vain ask nothing."""
    assert questions(function, X, OTHERS[other]) == 1
    assert questions(function, OTHERS[other], X) == 1


@pytest.mark.parametrize("function", [np.add, np.divide, np.sqrt, np.exp, np.floor_divide, hc.exp])
def test_a_function_asks_once(function):
    assert questions(function, *(X, X)[: function.nin]) == 1
