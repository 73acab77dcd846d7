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
ROWS = hc.half([[0.3, 1.7, 2.9], [1, 2, 3]])
WITH_NAN = hc.half([[np.nan, 1.7, 2.9], [1, 2, 3]])
SCALAR = X[0]
UFUNCS = {
    operator.add: np.add, operator.sub: np.subtract, operator.truediv: np.divide,
    operator.floordiv: np.floor_divide, operator.mod: np.remainder, divmod: np.divmod,
}  # fmt: skip
FOR_UFUNCS = {
    "list": [1, 2], "tuple": (1, 2), "float32": np.float32(1.5), "floats": np.ones(3, np.float32),
    "strided": X[::2], "float16": X.astype(np.float16),
    "byte-swapped": X.astype(X.dtype.newbyteorder()),
}  # fmt: skip
OTHERS = {"array": X / 2, "0-d": np.array(1.5, hc.half), "one": X[:1]}


def questions(function, *args, answer="rtp"):
    asked = []
    region = Experiment("rte", lambda: asked.append(1) or answer)
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


@pytest.mark.parametrize("answer", ["rtp", "random"])
@pytest.mark.parametrize("other", [SCALAR, 2, 0.1, True, np.int8(2), X, np.array(1.5, hc.half)])
@pytest.mark.parametrize("function", UFUNCS, ids=lambda function: function.__name__)
def test_an_operator_of_a_scalar_asks_once(function, other, answer):
    assert questions(function, SCALAR, other, answer=answer) == 1


@pytest.mark.parametrize("other", FOR_UFUNCS)
@pytest.mark.parametrize("function", UFUNCS, ids=lambda function: function.__name__)
def test_an_operator_that_a_ufunc_computes_asks_as_the_ufunc(function, other):
    args = SCALAR, FOR_UFUNCS[other]
    assert questions(function, *args) == questions(UFUNCS[function], *args)


@pytest.mark.parametrize("answer", ["rtp", "random"])
def test_setting_an_element_asks_once(answer):
    assert questions(operator.setitem, X.copy(), 0, 0.1, answer=answer) == 1


@pytest.mark.parametrize("answer", ["rtp", "random"])
def test_setting_a_half_asks_nothing(answer):
    assert questions(operator.setitem, X.copy(), 0, SCALAR, answer=answer) == 0
    assert questions(operator.setitem, X.copy(), slice(None), SCALAR, answer=answer) == 0


@pytest.mark.parametrize("function", [np.add, np.divide, np.sqrt, np.power, np.floor_divide])
def test_a_ufunc_of_scalars_asks_once(function):
    assert questions(function, *(SCALAR, SCALAR)[: function.nin]) == 1


@pytest.mark.parametrize("dtype", [hc.half, np.float16])
@pytest.mark.parametrize("function", [np.sinc, np.i0])
def test_a_function_of_one_half_asks_once(function, dtype):
    with hc.accelerated():
        assert questions(function, X.astype(dtype)) == 1
        assert questions(function, X[:0].astype(dtype)) == 1


@pytest.mark.parametrize("dtype", [hc.half, np.float16])
@pytest.mark.parametrize("a", [ROWS, WITH_NAN, ROWS[None]], ids=["rows", "NaN", "3-d"])
def test_a_cross_product_asks_once(a, dtype):
    a = a.astype(dtype)
    with hc.accelerated():
        assert questions(np.cross, a, a) == 1


def test_a_call_with_where_asks_once():
    where, out = np.array([True, True, True]), np.empty_like(X)
    assert questions(lambda: np.add(X, X, where=where, out=out)) == 1


def test_a_function_of_a_float16_asks_for_its_mode_once():
    assert questions(hc.exp, np.float16(1.5)) == questions(hc.exp.rte, np.float16(1.5)) + 1
