"""Tests of numpy.trapezoid, average with weights and arange of halves, with exact fractions."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import in_turn
from reductions_oracle import round_to

import halfcl as hc

MODES = ("rte", "rtp", "rtn", "rtz")
LENGTHS = (2, 3, 15, 31, 33, 127, 200, 1100)


def draw(rng, shape, name):
    if name == "short":  # sums and quotients that are halves, or midpoints of two
        return (rng.integers(-16, 17, shape) / 4).astype(np.float16)
    exponents = rng.integers(-24, 12, shape) if name == "wide" else 1
    return (rng.uniform(-1, 1, shape) * 2.0**exponents).astype(np.float16)


def layouts(rows, scalar_class):
    """Return views of the same rows with other strides; the last axis is that of sums."""
    yield rows.view(scalar_class)
    yield np.asfortranarray(rows).view(scalar_class)
    wide = np.zeros((rows.shape[0] * 2, rows.shape[1] * 3), np.float16)
    wide[::2, ::3] = rows
    yield wide.view(scalar_class)[::2, ::3]
    yield np.ascontiguousarray(rows[::-1, ::-1]).view(scalar_class)[::-1, ::-1]


def fractions(row):
    return [Fraction(float(x)) for x in row]


def integral(y, x):
    pairs = zip(y[1:], y, x[1:], x, strict=False)
    return sum((b + a) * (d - c) for b, a, d, c in pairs) / 2


@in_turn
@pytest.mark.parametrize("name", ["short", "uniform", "wide"])
@pytest.mark.parametrize("n", LENGTHS)
def test_integrals_are_rounded_once(scalar_class, n, name):
    rng = np.random.default_rng(n)
    count = 40 if n < 100 else 3
    y, x = draw(rng, (count, n), name), draw(rng, (count, n), "short")
    of_unit_steps = [integral(fractions(row), range(n)) for row in y]
    for dx in (1.0, 0.25, 0.1, -3, 1e-3):
        exact = [Fraction(dx) * value for value in of_unit_steps]
        for mode, view in zip(MODES, layouts(y, scalar_class), strict=True):
            with hc.rounding(mode):
                got = np.trapezoid(view, dx=dx, axis=1), np.trapezoid(view.T, dx=dx, axis=0)
            want = [round_to(value, "half", mode) for value in exact]
            assert got[0].tolist() == got[1].tolist() == want
    exact = [integral(fractions(a), fractions(b)) for a, b in zip(y, x, strict=True)]
    for mode, a, b in zip(MODES, layouts(y, scalar_class), layouts(x, scalar_class), strict=True):
        with hc.rounding(mode):
            assert np.trapezoid(a, b).tolist() == [round_to(value, "half", mode) for value in exact]


@in_turn
@pytest.mark.parametrize("name", ["short", "uniform", "wide", "equal"])
@pytest.mark.parametrize("n", LENGTHS)
def test_means_with_weights_are_rounded_once(scalar_class, n, name):
    rng = np.random.default_rng(n)
    count = 40 if n < 100 else 3
    a = np.full((count, n), 1.1, np.float16) if name == "equal" else draw(rng, (count, n), name)
    w = np.abs(draw(rng, (count, n), "uniform" if name == "equal" else name)) + np.float16(0.5)
    exact = []
    for values, weights in zip(map(fractions, a), map(fractions, w), strict=True):
        products = [x * y for x, y in zip(values, weights, strict=True)]
        exact.append(sum(products) / sum(weights))
    for mode, x, y in zip(MODES, layouts(a, scalar_class), layouts(w, scalar_class), strict=True):
        with hc.rounding(mode):
            got = np.average(x, axis=1, weights=y), np.average(x.T, axis=0, weights=y.T)
        assert (
            got[0].tolist() == got[1].tolist() == [round_to(value, "half", mode) for value in exact]
        )


def test_sums_of_many_terms_cancel_exactly(scalar_class):
    n = 1 << 16
    a = np.ones(n, np.float16)
    a[1::2] = -1
    a[7], a[10] = 60000, 2.0**-24
    y = a.view(scalar_class)
    total = sum(fractions(a)) - (Fraction(float(a[0])) + Fraction(float(a[-1]))) / 2
    assert float(np.trapezoid(y)) == round_to(total, "half", "rte")
    assert np.trapezoid(y.reshape(2, -1), axis=0).shape == (n // 2,)
    weights = np.full(n, 3, np.float16).view(scalar_class)
    assert float(np.average(y, weights=weights)) == round_to(sum(fractions(a)) / n, "half", "rte")


def test_rows_next_to_infinite_ones_are_exact(scalar_class):
    y = np.array([[1, 2, 3], [1, np.inf, 3], [np.nan, 1, 1], [0.1, 0.3, 0.1]], np.float16)
    got = np.trapezoid(y.view(scalar_class), axis=1)
    assert np.isposinf(got[1]) and np.isnan(got[2])
    want = [round_to(integral(fractions(row), range(3)), "half", "rte") for row in y[[0, 3]]]
    assert got[[0, 3]].tolist() == want
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        np.trapezoid(np.array([np.inf, -np.inf, 1], np.float16).view(scalar_class))


def test_totals_take_memory_of_results_only(scalar_class):
    y = np.ones((1 << 16, 8), np.float16).view(scalar_class)
    np.trapezoid(y), np.average(y, axis=1, weights=y)
    tracemalloc.start()
    np.trapezoid(y)
    np.average(y, axis=1, weights=y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * 8 * len(y)  # the results in double and in half, and little else


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("start", "step", "n"),
    [(0, 1, 2100), (0.1, 0.1, 3000), (-1, 2**-11, 5000), (-60, 0.1, 1200), (3e-8, 1e-9, 900),
     (1, 1e-17, 600), (2**30, -(2**30) / 700, 1400), (0.3, -0.7, 700)],
)  # fmt: skip
def test_elements_of_ranges_are_rounded_once(scalar_class, start, step, n, mode):
    with hc.rounding(mode):
        got = np.arange(start, start + (n - 0.5) * step or 1.0, step, dtype=scalar_class)
    exact = [Fraction(start) + Fraction(step) * k for k in range(got.size)]
    finite = [k for k, x in enumerate(exact) if abs(x) < 65504]
    assert got[finite].tolist() == [round_to(exact[k], "half", mode) for k in finite]
    assert got.size == np.arange(start, start + (n - 0.5) * step or 1.0, step).size
