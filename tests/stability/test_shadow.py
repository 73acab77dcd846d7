"""Shadows: reference values of the same operations, and functions that have none."""

import copy
import functools
import math
import operator
import re
import threading
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from numpy import array as array_of, float16 as narrow

import halfcl as hc
from halfcl import half, sqrt as root_of, stability
from halfcl.stability._runs import Task
from halfcl.stability._shadow._numbers import doubledouble as dd
from halfcl.stability._shadow.run import run_shadow
from halfcl.stability._shadow.values import Shadow, as_shadow

pytestmark = pytest.mark.once

A = half([[0.3, 1.7, 2.9], [-5.1, 7.3, 0.011]])
B = half([[1.1, -0.7, 13], [0.25, 3.3, 170]])
GLOBAL = half([0.1, 0.2, 0.7])


def shadow_of(f, *args):
    """Return the shadow of a function's only result, or the reason why there is none."""
    task = Task(f, args)
    with np.errstate(all="ignore"):
        results = task.run(stability._runs.Experiment("rte"))
    (shadow,), reason, whole, _ = run_shadow(task, results)
    assert whole == (reason == "")
    return reason if reason else shadow


# ------------------------------------------------------------------ pairs


def random_pairs(n, seed):
    rng = np.random.default_rng(seed)
    high = rng.normal(size=n) * 2.0 ** rng.integers(-30, 30, n)
    low = high * rng.uniform(-1, 1, n) * 2.0**-54
    return dd.Pair(high, low)


def fractions(pair):
    low = np.broadcast_to(pair.low, np.shape(pair.high))
    return [
        Fraction(a) + Fraction(b) for a, b in zip(pair.high.tolist(), low.tolist(), strict=True)
    ]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_of_pairs(name):
    """Results are right to 100 bits, for sums relative to the larger operand."""
    x, y = random_pairs(500, 1), random_pairs(500, 2)
    compute = getattr(dd, name)
    operate = getattr(operator, name.replace("div", "truediv"))
    results = fractions(compute(x, y))
    for k, (a, b) in enumerate(zip(fractions(x), fractions(y), strict=True)):
        want = operate(a, b)
        size = max(abs(a), abs(b)) if name in ("add", "sub") else abs(want)
        assert abs(results[k] - want) <= size * Fraction(2) ** -100
        numbers = [dd.Pair(float(p.high[k]), float(p.low[k])) for p in (x, y)]
        single = compute(*numbers)
        assert type(single.high) is float and sum(map(Fraction, single)) == results[k]


def test_roots_and_powers_of_pairs():
    x = dd.absolute(random_pairs(300, 3))
    for k, (r, a) in enumerate(zip(fractions(dd.sqrt(x)), fractions(x), strict=True)):
        assert abs(r * r - a) <= a * Fraction(2) ** -99
        number = dd.Pair(float(x.high[k]), float(x.low[k]))
        assert sum(map(Fraction, dd.sqrt(number))) == r
        cube = sum(map(Fraction, dd.power(number, dd.Pair(-3.0, 0.0))))
        assert abs(cube * a**3 - 1) < Fraction(2) ** -97
    assert math.isnan(dd.sqrt(dd.Pair(-1.0, 0.0)).high) and dd.sqrt(dd.ZERO) == dd.ZERO


def test_infinities_and_nan_of_pairs():
    one, zero, inf = dd.ONE, dd.ZERO, dd.Pair(math.inf, 0.0)
    with np.errstate(all="ignore"):
        for x, y, want in ((one, zero, math.inf), (dd.neg(one), zero, -math.inf), (one, inf, 0.0)):
            assert float(dd.div(x, y).high) == want
            arrays = [dd.Pair(np.array([p.high, 1.0]), np.array([p.low, 0.0])) for p in (x, y)]
            assert dd.div(*arrays).high.tolist() == [want, 1.0]
        assert math.isnan(float(dd.div(zero, zero).high))
        assert dd.add(inf, one) == inf and dd.mul(inf, one) == inf
        assert math.isnan(dd.sub(inf, inf).high)


def test_sums_of_pairs():
    x = random_pairs(301, 4)
    want = sum(fractions(x))
    for result in (
        dd.reduce("add", x, 0),
        dd.Pair(*(p[-1] for p in dd.accumulate("add", x, 0))),
    ):
        assert abs(Fraction(float(result.high)) + Fraction(float(result.low)) - want) < 2.0**-60
    grid = dd.map_parts(x, lambda part: part[:300].reshape(3, 100))
    by_row = dd.reduce("add", grid, 1)
    rows = [sum(fractions(dd.Pair(grid.high[k], grid.low[k]))) for k in range(3)]
    assert all(abs(a - b) < 2.0**-60 for a, b in zip(fractions(by_row), rows, strict=True))
    assert dd.reduce("add", dd.as_pair(np.zeros((0, 2))), 0).high.tolist() == [0, 0]


# ------------------------------------------------------------------ functions with shadows

#: Functions of two arrays that also compute in doubles.
ALIKE = {
    "operators": lambda x, y: (x + y) * x - y / x + 2 * x - 1 / y,
    "powers": lambda x, y: x**3 + (y * y) ** 0.5 + 2.0 ** (x / 8),
    "in place": lambda x, y: in_place(x.copy(), y),
    "functions": lambda x, y: np.exp(x / 9) * np.arctan2(x, y) + np.cbrt(x) - np.tanh(y),
    "sums": lambda x, y: np.sum(x * y, axis=1) - x.mean(axis=-1) + np.max(y) + y.min(axis=1),
    "products": lambda x, y: (x @ y.T) + np.dot(x[0], y[1]) - np.prod(y) + x[0] @ y[0],
    "running": lambda x, y: np.cumsum(x) - np.cumprod(y.ravel()) + x.cumsum()[::-1],
    "places": lambda x, y: np.concatenate([x.T.reshape(2, 3), np.roll(y, 1)])[[0, 3, 1]].copy(),
    "choices": lambda x, y: np.where(x > 1, x / 3, y / 7) + np.clip(x, -1, 1) - np.minimum(x, y),
    "lists": lambda x, y: np.stack([v / 3 for v in x] + [w * 0.1 for w in y]),
    "sorted": lambda x, y: np.sort(x / 3) + np.sort(y, axis=0) / 7,
    "statistics": lambda x, y: np.var(x) + np.std(y, axis=1) + np.linalg.norm(x / 3),
    "swaps": lambda x, y: np.swapaxes(x, 0, 1).ravel() / 3 - y.transpose().flatten(),
    "others": lambda x, y: np.outer(x[0], y[1]) / 3 + np.diff(y[0]).sum() - np.ptp(x),
    "outer": lambda x, y: np.subtract.outer(x[0], y[1]) + np.multiply.reduce(x),
    "out": lambda x, y: np.add(x, y, out=np.zeros_like(x)) / 3,
    "where": lambda x, y: np.divide(x, y, out=x.copy(), where=y > 1),
    "views": lambda x, y: views(x / 3, y),
    "means": lambda x, y: np.average(x, axis=0) + np.mean(y, 0, keepdims=True),
    "abs": lambda x, y: abs(-x) / 3 + np.fabs(y) + np.floor(x) - np.sign(y) * x,
    "matrices": lambda x, y: np.matmul(x, y.T) / 3 + np.trace(x @ y.T),
    "builtins": lambda x, y: sum(x[0]) / 3 + max(*y[0]) - min(x[0] / 7) + sorted(y[1])[0] / 3,
}


def in_place(x, y):
    x += y
    x *= x
    x[0] -= y[1]
    x[:, 1] = x[:, 0] / 3
    x[x > 100] = y[0, 0]
    return x


def views(x, y):
    row = x[1]
    row /= 7
    x.T[0] += y[:, 0]
    return x


@pytest.mark.parametrize("name", ALIKE)
def test_shadow_agrees_with_doubles(name):
    f = ALIKE[name]
    exact = shadow_of(f, A, B)
    assert isinstance(exact, np.ndarray), exact
    want = f(A.astype(float), B.astype(float))
    assert exact.shape == want.shape and np.allclose(exact, want, rtol=1e-12, atol=1e-12)


#: Functions that use names of halfcl, or make halves, and the same functions in doubles.
BY_HALFCL = {
    "functions": (
        lambda x: hc.exp(x) + hc.rsqrt(hc.fabs(x)),
        lambda x: np.exp(x) + 1 / np.sqrt(abs(x)),
    ),
    "imported": (lambda x: root_of(hc.fma(x, x, 1)), lambda x: np.sqrt(x * x + 1)),
    "modes": (
        lambda x: hc.exp_rtp(x) + hc.divide(x, 3, rounding="rtz"),
        lambda x: np.exp(x) + x / 3,
    ),
    "reductions": (lambda x: hc.sum(x) + hc.mean(x, axis=0), lambda x: x.sum() + x.mean(axis=0)),
    "geometric": (
        lambda x: hc.length(x) + hc.dot(x, x),
        lambda x: np.sqrt((x * x).sum(-1)) + (x * x).sum(-1),
    ),
    "two": (lambda x: hc.sincos(x)[1] + hc.sincos(x)[0], lambda x: np.cos(x) + np.sin(x)),
    "literal": (lambda x: half(0.1) + half("0.3") * x + np.float16(0.7), lambda x: 0.8 + 0.3 * x),
    "list": (lambda x: half([0.1, 0.2, 0.7]) * x, lambda x: np.array([0.1, 0.2, 0.7]) * x),
    "array": (
        lambda x: np.array([0.1, 0.2, 0.7], half) * x,
        lambda x: np.array([0.1, 0.2, 0.7]) * x,
    ),
    "fill_rows": (lambda x: fill_rows(x), lambda x: np.stack([x[0] / 3, x[1] + 0.1, 0 * x[0]])),
    "grid": (lambda x: np.linspace(0, 1, 3, dtype=half) * x, lambda x: np.linspace(0, 1, 3) * x),
    "convert": (lambda x: hc.convert(hc.convert(x / 3, float) * 3, half), lambda x: x),
    "cast": (
        lambda x: (x / 3).astype(float).astype(half) + half(np.asarray(x, float) * 1),
        lambda x: x / 3 + x,
    ),
    "wider": (lambda x: half(x * np.sqrt(2)), lambda x: x * np.sqrt(2)),
    "global": (lambda x: GLOBAL * x, lambda x: GLOBAL.astype(float) * x),
    "float16": (lambda x: (x.view(np.float16) / 3).view(half), lambda x: x / 3),
    "scalars": (
        lambda x: np.stack([sum([v, v / 3, 1]) for v in x.ravel()]),
        lambda x: (x * 4 / 3 + 1).ravel(),
    ),
    "made of shadows": (
        lambda x: np.array([x[0, 0] / 3, x[0, 1]]),
        lambda x: np.array([x[0, 0] / 3, x[0, 1]]),
    ),
    "default": (lambda x, y=GLOBAL: x / y, lambda x: x / GLOBAL.astype(float)),
    "by their own names": (
        lambda x: array_of([0.1, 0.2, 0.7], half) * x + narrow(0.3),
        lambda x: np.array([0.1, 0.2, 0.7]) * x + 0.3,
    ),
    "check_types": (lambda x: check_types(x), lambda x: x / 3 + 2.0**-10),
    "reduced": (
        functools.partial(functools.reduce, lambda a, b: a / 3 + b),
        lambda x: x[0] / 3 + x[1],
    ),
}


def fill_rows(x):
    result = np.zeros((3, 3), half)
    result[0] = x[0] / 3
    for k in range(3):
        result[1, k] = x[1, k] + 0.1
    return result


def check_types(x):
    """Assert that types are those of halves."""
    is_scalar = isinstance(x[0, 0], half) and not isinstance(x[0, 0], np.ndarray)
    assert isinstance(x, np.ndarray) and is_scalar and x.dtype == half and np.dtype(half) == x.dtype
    return x / 3 + half(float(np.finfo(np.float16).eps))


@pytest.mark.parametrize("name", BY_HALFCL)
def test_shadow_of_halfcls_functions_agrees_with_doubles(name):
    f, in_doubles = BY_HALFCL[name]
    exact = shadow_of(f, A)
    assert isinstance(exact, np.ndarray), exact
    assert np.allclose(exact, in_doubles(A.astype(float)), rtol=1e-12, atol=1e-15)


def test_loops_end_as_in_halves():
    """The halves decide the exits of loops, so that the operations are the same."""

    def epsilon(x):
        steps = half(0)
        while 1 + x != 1:
            x = x / 2
            steps = steps + 1
        return steps + x

    assert abs(shadow_of(epsilon, half(0.3)) - 10 - 0.3 / 2**10) < 1e-4

    def harmonic(x):
        k, total = 1, x * 0
        while total + x / k != total:
            total, k = total + x / k, k + 1
        return total

    exact = shadow_of(harmonic, half(1))
    assert (
        abs(exact - sum(1 / k for k in range(1, 513))) < 1e-9
    )  # where the sum of halves stops growing


def test_shadow_is_more_exact_than_doubles():
    """Muller's recurrence converges to 100 in doubles and halves, but not in MPFR."""

    def muller(p, q, steps=20):
        u, v = 2 + 0 * p, -4 + 0 * p
        for _ in range(steps):
            u, v = v, 100 + p + q - (100 * (p + q) + p * q) / v + 100 * p * q / (u * v)
        return v

    with gmpy2.context(gmpy2.get_context(), precision=400):
        want = float(muller(gmpy2.mpfr(5), gmpy2.mpfr(6)))
    assert abs(float(muller(5.0, 6.0)) - 100) < 0.01 and abs(want - 6.03) < 0.01
    assert abs(shadow_of(muller, half(5), half(6)) - want) < 1e-6
    assert np.allclose(shadow_of(muller, half([5, 5]), half(6)), want, atol=1e-6)


def test_large_arrays_have_shadows_in_doubles():
    x = np.linspace(1, 2, 5000).astype(half)

    def f(x):
        y = x / 3
        y[:10] += 1
        return np.sqrt(y) - y.sum() / 5000

    w = x.astype(float) / 3
    w[:10] += 1
    assert np.allclose(shadow_of(f, x), np.sqrt(w) - w.mean(), rtol=1e-12)


LARGE = 20000  # elements whose shadows are floats


def in_place_in_views(x):
    y = x / 3
    y[:10] += 1
    row = y.reshape(100, -1)[3]
    row *= 7
    part = y[300:5000]
    part -= 1
    y[::2] = y[::2] / 5
    return y


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x / 3 * x - 0.1,
        lambda x: np.sqrt(x / 3) + np.exp(-x) * np.sin(x / 7),
        lambda x: x - x.mean() + np.sum(x / 3) / x.size,
        lambda x: np.cumsum(x / 300)[::-1] / 3,
        lambda x: np.sum((x / 3).reshape(-1, 4), axis=0),
        lambda x: np.std(x / 3) * x[:5],
        lambda x: (x / 3).reshape(100, -1).T.copy()[:, 3] / 7,
        lambda x: np.where(x / 3 > 0.5, x, x / 7),
        lambda x: np.maximum(x / 3, 0.4) + abs(-x / 7) + np.clip(x / 3, 0.4, 0.6),
        lambda x: (x / 3) ** 5 + (x / 3) ** 0,
        lambda x: np.concatenate([x[:3] / 3, x / 7]),
        lambda x: (x[:100, None] / 3 * x[:100]).ravel(),
        lambda x: (x / 3).reshape(100, -1) @ x[:200],
        in_place_in_views,
    ],
)
def test_larger_arrays_have_shadows_in_floats(f):
    """Floats have 13 bits more than halves; views of arrays have views of shadows."""
    x = np.linspace(1, 2, LARGE).astype(half)
    exact, want = shadow_of(f, x), f(x.astype(float))
    assert exact.dtype == float and np.allclose(exact, want, rtol=2.0**-19, atol=1e-6)
    assert np.abs(exact - want).max() <= np.abs(f(x).astype(float) - want).max() / 16


def test_dot_products_of_large_arrays_have_shadows_in_doubles():
    """Dot products of halves round once: they keep what would cancel in floats."""
    rng = np.random.default_rng(1)
    x = rng.uniform(1, 2, LARGE).astype(half)
    y = np.concatenate([x[: LARGE // 2], -x[: LARGE // 2]])
    x[LARGE // 2 :] = x[: LARGE // 2]
    x[0] += half(2.0**-10)
    for f in (lambda x, y: np.dot(x, y), lambda x, y: x @ y, lambda x, y: hc.dot(x, y)):
        exact = shadow_of(f, x, y)
        assert exact == float(2.0**-10 * y[0].astype(float))


def test_shadows_that_overflow_floats_are_in_doubles():
    """The power is infinite in floats and halves, but its exact root is 17."""
    x = np.full(LARGE, 300, half)
    with np.errstate(over="ignore"):
        report = stability.rerun(lambda x: np.sqrt(np.sqrt(x**16) ** 0.5) ** 0.25, x)
    assert np.allclose(report.exact, np.sqrt(300)) and not report.stable.any()


# ------------------------------------------------------------------ functions without shadows


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda x: hc.convert_half3(x / 3) / 3, "plain array"),
        (lambda x: x.byteswap().byteswap(), "it uses .byteswap"),
        (lambda x: hc.bitselect(x / 3, x, x), "plain array|bitselect"),
        (lambda x: OUTSIDE.put(x / 3), "plain array"),
        (lambda x: OUTSIDE.a / 3, "its results have lost their shadow"),
    ],
)
def test_function_without_shadow_has_reason(f, reason):
    exact = shadow_of(f, A)
    assert isinstance(exact, str) and re.search(reason, exact) and "\n" not in exact
    report = stability.rerun(f, A)
    assert report.exact is None and report.reason == exact


class Outside:
    """Halves that a function accesses through attributes, which have no shadow."""

    def __init__(self):
        self.a = np.zeros((2, 3), half)

    def put(self, x):
        self.a[...] = x
        return self.a.copy()


OUTSIDE = Outside()


def test_errors_of_the_user_are_reasons():
    def f(x):
        if not isinstance(x, np.ndarray) or type(x) is not np.ndarray:
            raise KeyError("only arrays")
        return x / 3

    assert shadow_of(f, A).startswith("KeyError: 'only arrays' at test_shadow.py:")


def test_interrupt_is_raised():
    def f(x):
        if type(x) is not np.ndarray:
            raise KeyboardInterrupt
        return x / 3

    with pytest.raises(KeyboardInterrupt):
        stability.rerun(f, A)
    assert hc.get_rounding() == "rte"


def test_objects_of_the_user_do_not_change():
    """The shadow's run writes to copies of halves, lists and globals."""
    kept, before = [], GLOBAL.copy()
    memory = np.zeros(3, half)

    def f(x):
        kept.append(x)
        np.multiply(x, GLOBAL, out=memory)
        GLOBAL[0] = 5
        GLOBAL[0] = before[0]
        return memory / 3

    report = stability.rerun(f, A[0])
    assert report.reason == "" and all(type(x) is np.ndarray for x in kept) and len(kept) == 7
    assert (before == GLOBAL).all() and type(memory) is np.ndarray
    assert np.array is np.array and f.__globals__["np"] is np


def test_threads_have_shadows_of_their_own():
    results, barrier = [], threading.Barrier(4)

    def work(k):
        barrier.wait()
        results.append((k, shadow_of(lambda x: (x / 3 + k) * 7, A)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.allclose(x, (A.astype(float) / 3 + k) * 7) for k, x in results)


def test_arguments_of_any_layout():
    for x in (A.view(np.float16), A.astype(A.dtype.newbyteorder()), A[::-1, ::2], A[:0], A[0, 0],
              np.array(A[0, 0]), np.broadcast_to(A[0], (3, 3))):  # fmt: skip
        exact = shadow_of(lambda x: x / 3, x)
        assert np.shape(exact) == np.shape(x)
        assert np.allclose(exact, np.asarray(x).astype(float) / 3)


def test_shadows_behave_like_halves():
    x = as_shadow(A.copy())
    assert x.shape == (2, 3) and len(x) == 2 and x.dtype == A.dtype and x.size == 6 and x.ndim == 2
    assert repr(x) == repr(A) and f"{x[0, 0]:.2f}" == "0.30" and bool(x[0, 0]) and int(x[0, 1]) == 1
    assert float(x[0, 0]) == float(A[0, 0]) and (x > 1).tolist() == (A > 1).tolist()
    assert x.argmax() == A.argmax() and x.tolist() == A.tolist()
    x.fill(2)
    x[0].sort()
    assert x.value.tolist() == x.pair.high.tolist() == [[2, 2, 2], [2, 2, 2]]
    assert isinstance(copy.copy(x), Shadow) and isinstance(x.real, Shadow)
    with pytest.raises(TypeError):
        hash(x)


@pytest.mark.parametrize("name", ["minimum", "maximum", "fmin", "fmax"])
def test_extrema_of_pairs_with_nans_are_numpys(name):
    x = np.array([1.0, 2.0, np.nan, 1.0, np.nan, -0.0])
    y = np.array([2.0, 1.0, 1.0, np.nan, np.nan, 3.0])
    wanted = getattr(np, name)(x, y)
    for repeats in (1, 1000):  # pairs, and doubles only
        pair = dd.UFUNCS[name](dd.as_pair(np.tile(x, repeats)), dd.as_pair(np.tile(y, repeats)))
        np.testing.assert_array_equal(pair.high, np.tile(wanted, repeats))
    for a, b, result in zip(x.tolist(), y.tolist(), wanted.tolist(), strict=True):
        np.testing.assert_equal(dd.UFUNCS[name](dd.as_pair(a), dd.as_pair(b)).high, result)
