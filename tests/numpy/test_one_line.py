"""Tests of the fast paths of sums of one-dimensional arrays and dot products of two."""

import numpy as np
import pytest
import reductions_oracle as exact
from any_halves import any_halves, bits
from exhaustive import one_in

import halfcl as hc
from halfcl import half
from halfcl._core import Experiment

LENGTHS = (1, 2, 31, 97, 1000, 5000, 40000)
SPECIAL = (
    [-0.0], [-0.0, -0.0, -0.0], [0.0, -0.0], [3.0, -3.0], [2.0**-24, -(2.0**-24)],
    [65504.0, 65504.0], [-65504.0, -16.0], [65504.0, 8.0], [np.inf, 1.0], [np.inf, -np.inf],
    [np.nan, 1.0], [2.0**-14, -(2.0**-24)], [1.0, 2.0**-24, -(2.0**-23)], [2048.0, 1.0],
)  # fmt: skip


def lines(n):
    """Return contiguous, reversed and strided arrays of n halves."""
    x = any_halves(n, 3 * n).view(half)
    return x[:n], x[:n][::-1], x[::3]


def outcome(call):
    """Return the bits of a call's result, and the exceptions that it reports."""
    seen = []
    with np.errstate(all="call", call=lambda kind, flags: seen.append(kind)):
        result = call()
    assert type(result) is half
    return bits(result).item(), sorted(seen)


@one_in(2)
@pytest.mark.parametrize("n", LENGTHS)
def test_sums_and_dots_are_rounded_once(n):
    for x in lines(n):
        values = exact.fractions(x)
        exact_sum = values.sum()
        products = [(values * values[::-1]).sum(), (values * values).sum()]
        for mode in exact.MODES:
            with hc.rounding(mode), np.errstate(all="ignore"):
                sums = np.add.reduce(x), x.sum(), np.sum(x, axis=-1)
                dots = np.dot(x, x[::-1]), hc.dot(x, x, rounding=mode)
            total = float(exact.round_to(exact_sum, "half", mode))
            assert [float(one) for one in sums] == [total] * 3, mode
            assert [float(one) for one in dots] == [
                float(exact.round_to(product, "half", mode)) for product in products
            ], mode


@pytest.mark.parametrize("mode", exact.MODES)
def test_bits_and_exceptions_are_those_of_two_axes(mode):
    """Check also signs of zeros."""
    for values in (*SPECIAL, *(x for n in LENGTHS[:5] for x in lines(n))):
        x = np.array(values, half)
        one = np.ones(len(x), half)
        with hc.rounding(mode):
            of_rows = outcome(lambda x=x: np.add.reduce(x[None, :], axis=1)[0])
            assert outcome(lambda x=x: np.add.reduce(x)) == of_rows
            assert outcome(lambda x=x: x.sum(0)) == of_rows
            for y in (one, -one, x):
                of_rows = outcome(lambda x=x, y=y: np.dot(x[None, :], y[:, None])[0, 0])
                assert outcome(lambda x=x, y=y: np.dot(x, y)) == of_rows
                of_rows = outcome(lambda x=x, y=y: hc.dot(x[None, :], y[None, :])[0])
                assert outcome(lambda x=x, y=y: hc.dot(x, y)) == of_rows


def test_calls_outside_fast_path():
    """Check keywords, other types, byte orders and errors."""
    x = np.arange(8).astype(half)
    assert np.add.reduce(x, keepdims=True).shape == (1,)
    assert np.add.reduce(x, dtype=np.float64).dtype == np.float64
    assert np.add.reduce(x, initial=half(2)) == 30
    assert np.add.reduce(x, where=x > 3) == 22
    assert np.add.reduce(x[:0]) == 0
    out = np.zeros((), half)
    assert np.add.reduce(x, out=out) is out and out == 28
    np.dot(x, x, out)
    assert out == 140
    assert np.add.reduce(x.astype(x.dtype.newbyteorder())) == 28
    with pytest.raises(np.exceptions.AxisError):
        np.add.reduce(x, axis=1)
    with pytest.raises(ValueError, match="aligned"):
        np.dot(x, x[:3])


def test_random_rounding():
    """Check that stochastic rounding rounds the sum of 2048 and 1 to both halves next to it."""
    x = np.array([2048, 1], half)
    for call in (np.add.reduce, lambda x: np.dot(x, np.ones(2, half))):
        with Experiment("random", seed=3):
            seen = {float(call(x)) for _ in range(200)}
        assert seen == {2048.0, 2050.0}


def test_steps_report_nothing_that_was_pending_before(scalar_class):
    line = np.ones(5, scalar_class)
    large = 1e300
    assert large * large == np.inf  # a float's overflow, which Python does not clear
    with np.errstate(all="raise"):
        assert np.subtract.reduce(line) == -3
        assert np.hypot.reduce(line) > 2
