"""Reruns: unstable formulas are flagged, their cures are not, and blame names the line."""

import functools
import inspect
import itertools
import math
import pickle
import re
import statistics
import subprocess
import sys
import threading
from fractions import Fraction

import numpy as np
import pytest

import halfcl as hc
from halfcl import half, stability
from halfcl._core import Experiment
from halfcl.stability import _measures as measures

pytestmark = pytest.mark.once

MODES = ("rte", "rtz", "rtp", "rtn")
A = np.array([0.3, 1.7, 2.9, 5.1, 7.3, 11, 13, 17], half)


def line_of(function, mark):
    """Return the number of the function's line that has a mark."""
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if f"# {mark}" in line)


# ------------------------------------------------------------------ formulas and cures


def angle_by_acos(u, v):
    return np.arccos(hc.dot(u, v) / (hc.length(u) * hc.length(v)))


def angle_by_atan(u, v):
    u, v = hc.normalize(u), hc.normalize(v)
    return 2 * np.arctan2(hc.length(u - v), hc.length(u + v))


def vectors():
    """Return pairs of vectors at angles from 0.15 to 0.6."""
    rng = np.random.default_rng(1)
    at, apart, r, s = rng.uniform([[0], [0.15], [0.5], [0.5]], [[6], [0.6], [4], [4]], (4, 200))
    u = np.stack([r * np.cos(at), r * np.sin(at)], -1).astype(half)
    v = np.stack([s * np.cos(at + apart), s * np.sin(at + apart)], -1).astype(half)
    return u, v


def small_root(b, c):
    root = np.sqrt(b * b - 4 * c)  # sqrt
    return (b - root) / 2  # difference


def small_root_cured(b, c):
    return 2 * c / (b + np.sqrt(b * b - 4 * c))


def exp_of_negative(x):
    term = total = half(1)
    for k in range(1, 26):
        term = term * x / k
        total = total + term  # sum
    return total


def exp_of_negative_cured(x):
    total = half(1)
    for k in range(20, 0, -1):
        total = 1 - x / k * total
    return 1 / total


def sum_forward(k):
    total = half(0)
    for x in 1 / (k * k):
        total = total + x  # sum
    return total


def sum_at_once(k):
    return np.sum(1 / (k * k))


def rump(x, y):
    squares = 9 * x**4 - y**4  # powers
    return squares + 2 * y**2


def rump_cured(x, y):
    return (3 * x**2 - y**2) * (3 * x**2 + y**2) + 2 * y**2


def add_and_subtract_one(x):
    return (1 + x) - 1


B = np.linspace(2, 50, 100).astype(half)
CASES = {
    "angle": (angle_by_acos, angle_by_atan, vectors()),
    "root": (small_root, small_root_cured, (B, half(0.3))),
    "exp": (exp_of_negative, exp_of_negative_cured, (np.linspace(-6, -3, 20).astype(half),)),
    "sum": (sum_forward, sum_at_once, (np.arange(1, 201).astype(half),)),
    "rump": (rump, rump_cured, (half(4), half(7))),
    "expm1": (lambda x: np.exp(x) - 1, np.expm1, (np.array([0.001, 0.01], half),)),
    "log1p": (lambda x: np.log(1 + x), np.log1p, (np.array([0.001, 0.01], half),)),
    "variance": (
        lambda x: np.sum(x * x) / 8 - (np.sum(x) / 8) ** 2,
        lambda x: np.sum((x - np.sum(x) / 8) ** 2) / 8,
        (half([10, 10.1, 10.2, 10.1, 10, 9.9, 10, 10.2]),),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_unstable_is_flagged_and_its_cure_is_not(name):
    unstable, cure, args = CASES[name]
    bad, good = stability.compare([unstable, cure], *args, samples=8, rng=1)
    assert not bad.stable.all() and good.stable.all()
    assert bad.spread.max() > stability.THRESHOLD >= good.spread.max()
    assert bad.significant_digits.min() + 0.5 < good.significant_digits.min()


def test_cures_are_right():
    """The cures compute the same quantity: their values are near those in double."""
    for name, exact in {
        "root": lambda b, c: (b - np.sqrt(b * b - 4 * c)) / 2, "exp": np.exp, "sum": sum_at_once,
        "rump": rump,
    }.items():  # fmt: skip
        _, cure, args = CASES[name]
        wide = exact(*(np.asarray(x).astype(float) for x in args))
        assert np.allclose(np.asarray(cure(*args)).astype(float), wide, rtol=0.03), name


# ------------------------------------------------------------------ rerun


def by_hand(f, *args):
    result = {}
    for mode in MODES:
        with hc.rounding(mode, builtins=True):
            result[mode] = f(*args)
    return result


@pytest.mark.parametrize(
    "f",
    [
        lambda a: a / 7, lambda a: 1.1 * a, lambda a: hc.exp(a / 8), lambda a: np.sin(a).cumsum(),
        lambda a: a.sum() / 3, lambda a: a @ a / 3, lambda a: hc.normalize(a.reshape(2, 4)),
        lambda a: hc.half4(a[:4]) / 3, lambda a: half(0.1) + a,
        lambda a: np.array([0.1, 0.2], half),
        lambda a: a[0] / a[1], lambda a: hc.convert(a.astype(float) / 3, half),
        lambda a: np.stack([hc.exp(x / 9) for x in a]), lambda a: (a / 3)[::-1],
        lambda a: hc.parse("0.1"), lambda a: a, lambda a: (a / 7).reshape(2, 2, 2),
    ],
)  # fmt: skip
def test_values_are_those_of_regions(f):
    """Values are those in a region with built-ins; spread and digits follow from them."""
    report, want = stability.rerun(f, A), by_hand(f, A)
    assert list(report.values) == list(MODES)
    for mode in MODES:
        got = report.values[mode]
        assert type(got) is type(want[mode]) and got.dtype == want[mode].dtype
        assert np.asarray(got).tobytes() == np.asarray(want[mode]).tobytes()
    flat = [np.ravel(want[mode]) for mode in MODES]
    for k, gap in enumerate(report.spread.ravel()):
        places = [place(value[k]) for value in flat]
        assert gap == max(places) - min(places)
        assert report.digits.ravel()[k] == shared_digits([Fraction(float(v[k])) for v in flat])
    assert report.shape == report.spread.shape == report.digits.shape == report.stable.shape
    right = np.isnan(report.error) | (report.error <= 16)
    assert (report.stable == ((report.spread_of_all <= 192) & right)).all()


def place(value):
    """Return the number of halves from zero to a half."""
    bits = int(np.asarray(value).view(np.uint16))
    return -(bits & 0x7FFF) if bits >> 15 else bits


def shared_digits(values):
    gap, size = max(values) - min(values), max(map(abs, values))
    if gap == 0:
        return 4
    return sum(gap <= size / 10**d for d in (1, 2, 3))


def test_modes_of_calls_are_kept():
    def f(a):
        with hc.rounding("rtp"):
            return hc.divide(a, 7, rounding="rtn") + hc.exp_rtz(a / 8)

    report = stability.rerun(f, A, samples=4, rng=1)
    assert not report.spread.any() and (report.samples == report.samples[0]).all()


def test_scalars_and_shapes():
    for x in (half(0.3), np.array(0.3, half), np.float16(0.3), np.array(0.3, np.float16)):
        report = stability.rerun(lambda x: x / 3, x)
        assert report.shape == () and report.spread == 1 and report.values["rtp"].dtype == half
    report = stability.rerun(lambda x: x / 3, A[:0])
    assert report.spread.shape == (0,) and "0 of 0" in repr(report)
    swapped = A.view(np.float16).astype(">f2")
    for x in (A.view(np.float16), swapped, A.astype(A.dtype.newbyteorder())):
        report = stability.rerun(lambda x: x / 7, x)
        assert report.spread.tolist() == stability.rerun(lambda x: x / 7, A).spread.tolist()
    assert stability.rerun(lambda: half(1) / 3).spread == 1


def test_several_results():
    first, second = stability.rerun(lambda x: (x / 3, [x.sum() / 7][0]), A, samples=3, rng=1)
    assert first.shape == (8,) and second.shape == () and second.samples.shape == (3,)
    assert stability.blame(lambda x: (x, (1 + x) - 1), half(0.01))[0].effect > 32
    assert len(stability.rerun(hc.sincos, A)) == 2


def test_threshold():
    x = np.array([0.01, 0.1, 1], half)
    report = stability.rerun(add_and_subtract_one, x)
    assert report.stable.tolist() == [False, True, True] and report.threshold == 32
    report.threshold = 0
    assert not report.stable[:2].any()
    assert stability.rerun(add_and_subtract_one, x, threshold=1e4).stable.all()


def test_special_values():
    def f(x):
        return np.array([x / 0, -x / 0, 0 * (x / 0), x * 65504 * 2 / 3 + 65504, x * 0], half)

    with np.errstate(all="ignore"):
        report = stability.rerun(f, half(1))
        assert report.spread.tolist() == [0, 0, 0, np.inf, 0]
        assert report.digits.tolist() == [0, 0, 0, 0, 4]
        with_nan = stability.rerun(lambda x: np.sqrt((1 - x / 3 - x / 3 - x / 3) * x), half(1))
    assert with_nan.spread == np.inf and with_nan.digits == 0 and not with_nan.stable


# ------------------------------------------------------------------ functions that write


def test_function_that_writes_to_its_arguments():
    def f(x):
        x += 1
        x.sort()
        return x / 3

    before = A.copy()
    report = stability.rerun(f, A, samples=3, rng=1)
    want = by_hand(lambda: np.sort(before + 1) / 3)
    assert all((report.values[mode] == want[mode]).all() for mode in MODES)
    assert (before == A).all() and stability.blame(f, A) and (before == A).all()


def test_function_that_reuses_its_memory():
    memory = np.empty(8, half)
    report = stability.rerun(lambda x: np.divide(x, 7, out=memory), A, samples=5, rng=1)
    assert report.spread.max() == 1 and np.ptp(report.samples.astype(float), axis=0).any()
    report = stability.rerun(lambda x: (np.divide(x, 7, out=memory), x), A)
    assert report[0].spread.max() == 1


def test_errors_of_the_function_are_raised():
    def f(x):
        raise ZeroDivisionError("mine")

    for call in (stability.rerun, stability.blame, lambda *args: stability.compare([f], A)):
        with pytest.raises(ZeroDivisionError, match="mine"):
            call(f, A)
        assert hc.get_rounding() == "rte"
    with pytest.raises(TypeError, match="in a strict region"):
        stability.rerun(hc.rounding("rte", strict=True)(lambda x: x * np.sqrt(2)), A)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (3, "f: expected a function, got int"),
        (lambda x: None, "expected half arrays or scalars, .*got NoneType"),
        (lambda x: x.tolist(), "got float"),
        (lambda x: float(x[0]), "got float"),
        (lambda x: x > 1, "got bool"),
        (lambda x: np.argsort(x), "got int64"),
        (lambda x: (), "got an empty tuple"),
        (lambda x: (v for v in x), "got generator"),
        (lambda x: (x, "text"), "got str"),
        (lambda x: x.astype(complex), "got complex128"),
        (
            lambda x: hc.convert(x / 3, float),
            "got float64, and no promotion from half was recorded",
        ),
        (lambda x: np.sin(x.tolist()), "got float64, and no promotion"),
        (lambda x: x.view(np.float16) / 3, "got float16, whose operators are NumPy's"),
    ],
)
def test_functions_that_return_no_halves(f, message):
    for call in (stability.rerun, stability.blame, lambda f, x: stability.compare([f], x)):
        with pytest.raises(TypeError, match=message):
            call(f, A)


def test_function_without_halves_is_refused():
    with pytest.raises(TypeError, match=r"got float64, and no promotion.*halfcl\.convert"):
        stability.rerun(np.sin, np.linspace(0, 1, 5))


@pytest.mark.parametrize("size", [1, 100, 10_000])
@pytest.mark.parametrize("call", [stability.rerun, stability.blame])
def test_functions_that_draw_random_numbers_are_refused(call, size):
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="expected the same results from two runs"):
        call(lambda x: x + rng.random(size).astype(half), np.ones(size, half))
    with pytest.raises(ValueError, match="pass the random numbers as an argument"):
        call(lambda x: x * half(rng.random()), np.ones(size, half))


def mixed_signs(x):
    """Return values that differ in all modes; for positive ones, toward zero is down."""
    return (x / 40 - 1) + (1 + x / 7) - x / 6


@pytest.mark.parametrize(
    ("f", "size", "runs"),
    [
        (lambda x: x / 3, 4096, 7), (lambda x: x / 3, 4097, 6), (lambda x: x.sum(), 5000, 6),
        (lambda x: (x / 3)[:0], 5000, 6), (lambda x: (1 + x / 40) - 1, 5000, 6),
        (mixed_signs, 5000, 7),
        (lambda x: x / np.float64(3), 5000, 6), (lambda x: (x / 3, x.sum()), 5000, 6),
    ],
)  # fmt: skip
def test_number_of_runs(f, size, runs):
    """There are four runs in modes, two by operation, and a seventh that checks for random numbers.

    With many elements the seventh runs only if results look random. The shadow's run has a list of
    its own.
    """
    calls = []
    stability.rerun(lambda x: calls.append(1) or f(x), np.full(size, 0.3, half))
    assert len(calls) == runs


def test_functions_whose_shape_depends_on_rounding_are_refused():
    x = np.arange(1, 9).astype(half)
    with pytest.raises(ValueError, match="same shapes in every rounding"):
        stability.rerun(lambda x: x[x / 3 * 3 > x], x)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"samples": 1}, ValueError, "samples: expected 0, or 2 or more, got 1"),
        ({"samples": -2}, ValueError, "samples"),
        ({"samples": 2.5}, TypeError, "samples: expected an int, got float"),
        ({"threshold": -1}, ValueError, "threshold: expected ulps"),
        ({"threshold": math.nan}, ValueError, "threshold"),
        ({"threshold": "1"}, ValueError, "threshold"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        stability.rerun(add_and_subtract_one, A, **options)
    with pytest.raises(error, match=message):
        stability.compare([add_and_subtract_one], A, **options)


def test_significant_digits_need_samples():
    with pytest.raises(ValueError, match="samples=N"):
        _ = stability.rerun(add_and_subtract_one, A).significant_digits


# ------------------------------------------------------------------ promotions


@pytest.mark.parametrize(
    ("f", "dtype"),
    [
        (lambda a: a * np.sqrt(2), "float64"),
        (lambda a: np.float32(2) * a[0], "float32"),
        (lambda a: half(np.mean(a, dtype=np.float32)), "float32"),
        (lambda a: a.astype(float).astype(half), "float64"),
        (lambda a: (a.astype(np.float16) / 3).astype(half), "float16"),
        (lambda a: np.sin(a, dtype=float).astype(half), "float64"),
    ],
)
def test_promotions_are_reported(f, dtype):
    line = f.__code__.co_firstlineno
    for report in (stability.rerun(f, A), stability.blame(f, A)):
        (promotion,) = report.promotions
        assert (promotion.line, promotion.dtype) == (line, dtype)
        assert promotion.file == __file__ and "lambda a" in promotion.source
        assert f"half becomes {dtype} at test_reruns.py:{line}" in repr(report)


def test_means_do_not_promote():
    assert not stability.rerun(lambda a: np.mean(a), A).promotions


def test_promotions_in_inner_region_are_reported():
    """An inner region does not hide the promotion."""

    def f(a):
        with hc.rounding("rte"):
            return half(a * np.sqrt(2))

    (promotion,) = stability.rerun(f, A).promotions
    assert promotion.source == "return half(a * np.sqrt(2))"


def test_conversions_on_purpose_are_not_promotions():
    def f(a):
        str(a), repr(a[0]), f"{a[0]:.2f}", a.astype(int), a > 1, a.tolist()
        return hc.convert(hc.convert(a, float) * 1.5, half) / 3

    assert stability.rerun(f, A).promotions == ()
    assert stability.rerun(lambda a: a * half(np.sqrt(2)) + 1.5, A).promotions == ()


def test_ulps_of_wider_results_are_those_of_half():
    """Wider results are measured in ulps of half."""
    report = stability.rerun(lambda a: (a / 3) * np.float64(1), A)
    assert (report.spread == stability.rerun(lambda a: a / 3, A).spread).all() and report.promotions


# ------------------------------------------------------------------ random rounding

#: Code that rounds at least 8 results, each down or up at random.
ROUNDING = {
    "operator": lambda a: a / 7,
    "ufunc": lambda a: np.exp(a / 16),
    "function": lambda a: hc.exp(a / 16),
    "strided": lambda a: hc.divide(np.repeat(a, 2)[::2], 7),
    "out": lambda a: hc.divide(a, 7, out=np.zeros(8, half)),
    "in place": lambda a: np.divide(a.copy(), 7, out=np.ones(8, half), where=a > 0),
    "function of strided": lambda a: hc.rsqrt(np.repeat(a, 2)[::2]),
    "outer": lambda a: hc.divide.outer(a, half([3, 7])),
    "scalars": lambda a: np.stack([x / 7 for x in a]),
    "scalar functions": lambda a: np.stack([hc.exp(x / 16) for x in a]),
    "literal": lambda a: np.stack([half(0.1 + k / 77) for k in range(8)]),
    "list": lambda a: half([0.1 + k / 77 for k in range(8)]),
    "cast": lambda a: np.full(8, 0.1).astype(half),
    "cast of long double": lambda a: np.full(8, 0.1, np.longdouble).astype(half),
    "cast of text": lambda a: np.array([f"0.1{k}" for k in range(8)]).astype(half),
    "convert": lambda a: hc.convert(np.full(8, 0.1), half),
    "convert a list": lambda a: hc.convert_half([0.1] * 8),
    "sum": lambda a: np.broadcast_to(a[:, None] / 7, (8, 3)).copy().sum(axis=1),
    "sum over rows": lambda a: hc.add.reduce(np.stack([a / 7] * 3), axis=0),
    "accumulate": lambda a: np.cumsum(np.full(9, 0.1, half))[1:],
    "product": lambda a: (a / 7)[:, None] @ half([[0.3]]),
    "dot": lambda a: np.stack([np.dot(a[k:], a[k:]) / 7 for k in range(8)]),
    "geometric": lambda a: hc.length((a / 7).reshape(8, 1) * half([1, 2])),
    "vectors": lambda a: hc.normalize(a.reshape(4, 2)),
    "vector type": lambda a: hc.half8(a) / 7,
    "two results": lambda a: hc.sincos(a)[0],
    "swapped": lambda a: (a / 7).astype(a.dtype.newbyteorder()) / 3,
}


@pytest.mark.parametrize("name", ROUNDING)
def test_random_rounding(name):
    """Each element is rounded down or up independently, by the seed."""
    f = ROUNDING[name]
    report = stability.rerun(f, A, samples=64, rng=5)
    again = stability.rerun(f, A, samples=64, rng=5)
    other = stability.rerun(f, A, samples=64, rng=np.random.default_rng(6))
    assert report.samples.tobytes() == again.samples.tobytes() != other.samples.tobytes()
    samples = report.samples.reshape(64, -1).astype(float)
    moving = samples[:, np.ptp(samples, axis=0) > 0]
    assert moving.shape[1] >= 4
    low = moving < moving.mean(axis=0)
    assert (low.sum(axis=0) > 5).all() and (low.sum(axis=0) < 59).all()
    patterns = {column.tobytes() for column in low.T}
    assert len(patterns) >= moving.shape[1] - 1  # elements are independent


def test_one_rounding_is_down_or_up():
    x = np.linspace(0.1, 3, 5000).astype(half)
    with Experiment("random", seed=3):
        got = np.sqrt(x)
    down, up = hc.sqrt(x, rounding="rtn"), hc.sqrt(x, rounding="rtp")
    assert ((got == down) | (got == up)).all()
    share = np.mean((got == up)[down != up])
    assert abs(share - 0.5) < 0.05


def test_exact_results_have_equal_samples():
    def f(a):
        return np.concatenate([a - a, a * 2, np.sqrt(half([4, 9])), half([0, -0.0]), -a, +a])

    report = stability.rerun(f, A, samples=20, rng=1)
    want = f(A)
    assert all(sample.tobytes() == want.tobytes() for sample in report.samples)
    assert (report.significant_digits > 3.3).all()


def test_samples_do_not_depend_on_other_threads():
    """Another thread rounds to nearest at the same time, and uses no random numbers."""
    want = stability.rerun(add_and_subtract_one, A, samples=200, rng=1).samples.tobytes()
    stop, wrong = threading.Event(), []

    def work():
        nearest = hc.divide(A, 7, rounding="rte").tobytes()
        while not stop.is_set():
            if (A / 7).tobytes() != nearest or hc.divide(A[::2], 7)[0] != hc.divide_rte(A[0], 7):
                wrong.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        got = [
            stability.rerun(add_and_subtract_one, A, samples=200, rng=1).samples.tobytes()
            for _ in range(3)
        ]
    finally:
        stop.set()
        thread.join()
    assert got == [want] * 3 and not wrong


def test_experiments():
    with pytest.raises(ValueError, match="expected one of 'rte'"):
        Experiment("up")
    with pytest.raises(TypeError):
        pickle.dumps(Experiment("random"))

    def fail():
        raise RuntimeError("inside")

    with Experiment("rtp", fail) as experiment:
        assert half(1) / 3 == hc.divide_rte(half(1), 3)  # the error cannot be raised from there
    assert isinstance(experiment.failure, RuntimeError)
    with Experiment("random", seed=2**64 - 1), hc.rounding("rtp"):
        assert {float(half(1) / 3) for _ in range(40)} == {float(hc.divide_rtp(half(1), 3))}


# ------------------------------------------------------------------ blame


@pytest.mark.parametrize(
    ("f", "marks", "expression"),
    [
        (small_root, {"sqrt"}, ""),
        (exp_of_negative, {"sum"}, ""),
        (sum_forward, {"sum"}, "total + x"),
        (rump, {"powers"}, "y**4"),
    ],
)
def test_blame_names_the_line(f, marks, expression):
    args = next(args for unstable, _, args in CASES.values() if unstable is f)
    steps = stability.blame(f, *args)
    effects = [step.effect for step in steps]
    assert effects == sorted(effects, reverse=True) and effects[0] > stability.THRESHOLD
    lines = {line_of(f, mark) for mark in marks}
    harmful = {step.line for step in steps if step.effect > stability.THRESHOLD}
    assert lines <= harmful and (f is exp_of_negative or steps[0].line in lines)
    worst = next(step for step in steps if step.line in lines)
    assert worst.file == __file__ and worst.source in inspect.getsource(f)
    assert worst.expression and worst.expression in worst.source
    assert worst.expression == (expression or worst.expression)
    assert f"test_reruns.py:{worst.line}: " in repr(steps)


def test_blame_names_the_step_that_introduces_the_error():
    """The difference of nearby numbers is exact, so that an earlier step is blamed."""
    steps = stability.blame(small_root, *CASES["root"][2])
    by_line = {}
    for step in steps:
        by_line.setdefault(step.line, []).append(step.effect)
    assert max(by_line[line_of(small_root, "sqrt")]) > 1000
    assert max(by_line.get(line_of(small_root, "difference"), [0])) <= 1


def test_blame_omits_exact_steps():
    def f(x):
        y = half(4) * x  # exact
        z = (y - x / 3) * 2  # quotient and difference
        return np.sqrt(half([4, 49])) * z  # exact except the last product

    lines = [step.line for step in stability.blame(f, half(0.11))]
    assert line_of(f, "exact") not in lines and lines.count(line_of(f, "quotient")) == 2
    assert len(lines) == 3


def test_blame_in_other_functions():
    def helper(x):
        return 1 + x  # helper

    def f(x):
        y = hc.exp(x)
        return helper(x) - 1 + y * 0

    worst = stability.blame(f, half(0.01))[0]
    assert worst.line == line_of(helper, "helper") and worst.source == "return 1 + x  # helper"


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(half([1, 2, 4]) * x) - 1,
        lambda x: hc.exp(x) - 1, lambda x: half("0.1") - x, lambda x: hc.convert(0.1, half) - x,
        lambda x: hc.half2(x, x) / 3, lambda x: functools.reduce(np.add, [x, half(0.1)]),
        lambda x: np.linspace(0, 1, 4).astype(half) * x,
        lambda x: np.dot(half([0.1]), half([x])),
        lambda x: hc.divide.outer(half([x]), half([3])), lambda x: sum(map(hc.exp, [x, x])) / 3,
    ],
)  # fmt: skip
def test_blame_finds_every_way_to_round(f):
    steps = stability.blame(f, half(0.0999))
    assert steps and {step.line for step in steps} == {f.__code__.co_firstlineno}
    assert steps[0].effect >= 1


def test_blame_of_functions_in_c():
    for f in (np.exp, hc.exp, functools.partial(hc.divide, half(1))):
        (step,) = stability.blame(f, half(0.3))
        assert (step.file, step.line) == ("", 0) and step.source in ("exp", "partial")


def test_blame_without_steps():
    assert stability.blame(lambda x: x, A) == () and "no step" in repr(stability.blame(lambda: A))
    assert stability.blame(lambda x: hc.exp(x, rounding="rtp"), A / 16) == ()


def test_blame_without_source():
    namespace = {}
    exec("def f(x):\n    return (1 + x) - 1", namespace)
    worst = stability.blame(namespace["f"], half(0.01))[0]
    assert (worst.line, worst.source, worst.expression) == (2, "", "")
    assert "<string>:2" in repr(stability.blame(namespace["f"], half(0.01)))


def test_blame_of_expression_on_several_lines():
    def f(x):
        return (
            1
            + x
        ) - 1  # fmt: skip

    worst = stability.blame(f, half(0.01))[0]
    assert worst.line - f.__code__.co_firstlineno in (2, 3)
    assert worst.expression == ("1 + x" if sys.version_info >= (3, 11) else "")


def test_interrupt_during_blame_is_raised(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("halfcl.stability._blaming.find_site", interrupt)
    with pytest.raises(KeyboardInterrupt):
        stability.blame(add_and_subtract_one, A)
    assert hc.get_rounding() == "rte"


# ------------------------------------------------------------------ compare


def test_compare():
    unstable, cure, args = CASES["root"]
    both = stability.compare([unstable, cure], *args)
    want = measures.spread([unstable(*args), cure(*args)])
    assert (both.apart == want).all() and [one.name for one in both] == [
        "small_root", "small_root_cured",
    ]  # fmt: skip
    assert re.search(r"small_root_cured +\d+ +\d+ +\d +0 of 100 +0 +\d+\n", repr(both))
    named = stability.compare([lambda x: x, lambda x: x / 3], A, samples=2, rng=1)
    assert [one.name for one in named] == ["<lambda> 1", "<lambda> 2"]
    assert "significant" in repr(named)
    assert "no elements" in repr(stability.compare([add_and_subtract_one], A[:0]))
    rng = np.random.default_rng(1)
    one, other = stability.compare(
        [add_and_subtract_one, add_and_subtract_one], A, samples=5, rng=rng
    )
    assert one.samples.tobytes() == other.samples.tobytes()


def test_compare_refuses_wrong_formulas():
    with pytest.raises(ValueError, match="formulas: expected one or more"):
        stability.compare([], A)
    with pytest.raises(TypeError, match=r"formulas\[1\]: expected one result, got 2"):
        stability.compare([add_and_subtract_one, lambda x: (x, x)], A)
    with pytest.raises(ValueError, match=r"formulas\[1\]: expected .* shape \(8,\), got \(\)"):
        stability.compare([add_and_subtract_one, np.sum], A)


# ------------------------------------------------------------------ measures


def test_ordinals(all_halves):
    """Consecutive halves differ by 1; ordinals between them are interpolated."""
    finite = np.isfinite(all_halves)
    want = np.array([place(x) for x in all_halves])
    for wide in (all_halves, all_halves.astype(float), all_halves.astype(np.float32)):
        assert (measures.ordinals(wide)[finite] == want[finite]).all()
    assert measures.ordinals(np.array([np.inf, -np.inf])).tolist() == [np.inf, -np.inf]
    assert np.isnan(measures.ordinals(np.nan))
    assert measures.ordinals(1 + 2**-12) == 15 * 1024 + 0.25
    assert measures.ordinals(-(2**-26)) == -0.25


def test_spread_counts_halves():
    runs = [np.array(v, half) for v in ([1, -0.0, 6e-8], [1.001, 0, -6e-8], [0.9995, 0, 0])]
    assert measures.spread(runs).tolist() == [2, 0, 2]


@pytest.mark.parametrize(
    ("freedom", "t"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (29, 2.045),
     (30, 2.042), (120, 1.980), (1000, 1.962)],
)  # fmt: skip
def test_students_t(freedom, t):
    """The values agree with printed tables."""
    assert abs(measures.students_t(freedom) - t) < 6e-4


def test_significant_digits():
    rng = np.random.default_rng(2)
    for count, t in ((2, 12.7062), (3, 4.3027), (10, 2.2622)):
        samples = half(rng.normal(1, [0.2, 0.01, 0.5], (count, 3)))
        for k, got in enumerate(measures.significant_digits(samples)):
            values = [float(x) for x in samples[:, k]]
            mean, s = statistics.mean(values), statistics.stdev(values)
            want = math.log10(math.sqrt(count) * abs(mean) / (t * s))
            assert abs(got - min(max(want, 0), 11 * math.log10(2))) < 1e-4
    same = np.array([[1, 0, np.inf, np.nan]] * 3, half)
    assert measures.significant_digits(same).round(2).tolist() == [3.31, 3.31, 0, 0]


# ------------------------------------------------------------------ tables and pictures


COLUMNS = ["rte", "rtz", "rtn", "rtp", "spread", "error", "digits", "significant"]


def test_tables():
    report = stability.rerun(add_and_subtract_one, np.array([[0.01, 1]], half), samples=3, rng=1)
    lines = repr(report).splitlines()
    assert lines[0] == "add_and_subtract_one: 1 of 2 elements unstable"
    assert lines[1].split() == ["element", *COLUMNS]
    assert lines[2].startswith("   0, 0  0.009766") and lines[2].endswith("unstable")
    assert len(lines) == 4
    long = repr(stability.rerun(add_and_subtract_one, np.linspace(0.01, 1, 50).astype(half)))
    assert len(long.splitlines()) == 13 and "... and 40 more" in long
    assert repr(pickle.loads(pickle.dumps(report))) == repr(report)


def test_plots_of_errors():
    """There is a point per element at the logarithm of its error, and a line per formula."""
    figure = pytest.importorskip("matplotlib.figure").Figure
    x = hc.half(np.geomspace(1e-3, 4, 90))
    both = stability.compare([lambda x: np.exp(x) - 1, np.expm1], x)
    ax = figure().subplots()
    assert both.plot_error(ax=ax) is ax and ax.get_xscale() == "log"
    points, line, others, _ = ax.lines
    np.testing.assert_allclose(points.get_xdata(), x.astype(float))
    np.testing.assert_allclose(points.get_ydata(), np.log2(1 + both[0].error))
    assert points.get_ydata().max() > 4 and np.all(np.asarray(others.get_ydata()) < 1)
    assert line.get_label() == both[0].name and len(line.get_xdata()) == 90 - 5 + 1
    ax = both[1].plot_error(np.arange(90), ax=figure().subplots())
    assert ax.get_xscale() == "linear" and len(ax.lines) == 2

    with pytest.raises(ValueError, match="one axis, got shape"):
        stability.rerun(np.exp, x.reshape(9, 10)).plot_error()
    with pytest.raises(ValueError, match="one axis, got shape"):
        stability.rerun(np.exp, hc.half(1)).plot_error()
    with pytest.raises(ValueError, match="x: expected 90 numbers"):
        both.plot_error(np.arange(8), ax=figure().subplots())
    with pytest.raises(ValueError, match="plot_error: expected a shadow of exp"):
        stability.rerun(np.exp, x, shadow=False).plot_error()
    with np.errstate(over="ignore", invalid="ignore"):
        report = stability.rerun(lambda x: x * 60000 - x * 60000, hc.half([1, 2, 3]))
    high = report.plot_error(ax=figure().subplots())
    assert list(high.lines[0].get_ydata())[1:] == [15, 15]  # NaN


def test_plots():
    figure = pytest.importorskip("matplotlib.figure").Figure
    x, y = np.linspace(0.01, 1, 30).astype(half), np.linspace(1, 2, 20).astype(half)
    curve, surface = figure().subplots(), figure().subplots()
    report = stability.rerun(add_and_subtract_one, x)
    assert report.plot(ax=curve) is curve
    assert np.allclose(curve.lines[0].get_xdata(), x.astype(float))
    marked = curve.lines[1].get_ydata()
    assert (np.isnan(marked) == report.stable).all()
    over_grid = stability.rerun(lambda x, y: (y + x) - y, x, y[:, None])
    assert over_grid.plot(ax=surface) is surface and len(surface.collections) >= 1
    for axes in ((), (x, y), (np.arange(30), np.arange(20))):
        over_grid.plot(*axes, ax=figure().subplots())
    grids = np.meshgrid(x.astype(float), y.astype(float))
    over_grid.plot(*grids, ax=figure().subplots())
    with pytest.raises(ValueError, match="x: expected 30 numbers"):
        report.plot(x[:5], ax=curve)
    with pytest.raises(ValueError, match="y: expected none"):
        report.plot(x, y, ax=curve)
    with pytest.raises(ValueError, match="one or two axes"):
        stability.rerun(add_and_subtract_one, half(np.ones((2, 2, 2)))).plot()
    with pytest.raises(ValueError, match="one or two axes"):
        stability.rerun(add_and_subtract_one, half([])).plot()


def test_plot_over_planes_of_two_inputs():
    """Each axis has the input that varies along it, also where both inputs are planes."""
    figure = pytest.importorskip("matplotlib.figure").Figure
    rows, columns = half([1, 2, 3]), half([10, 20, 30, 40])
    x, y = np.meshgrid(columns, rows)
    ax = stability.rerun(np.add, x, y).plot(ax=figure().subplots())
    (mesh,) = ax.collections
    corners = mesh.get_coordinates()
    assert corners[0, :, 0].tolist() == [5, 15, 25, 35, 45]
    assert corners[:, 0, 1].tolist() == [0.5, 1.5, 2.5, 3.5]


def test_axes_are_named_by_the_arguments_that_they_have():
    figure = pytest.importorskip("matplotlib.figure").Figure
    x, y = half([1, 2, 3]), half([[10], [20]])

    class Scaled:
        def method(self, scale, values):
            return scale * values

    def labels(ax):
        return ax.get_xlabel(), ax.get_ylabel()

    def plot(f, *args):
        return stability.rerun(f, *args).plot(ax=figure().subplots())

    assert labels(plot(lambda scale, values: scale * values, half(2), x)) == ("values", "result")
    assert labels(plot(Scaled().method, half(2), x)) == ("values", "result")
    assert labels(plot(lambda time, place: time * place, x, y)) == ("time", "place")
    assert labels(plot(lambda: x / 3)) == ("element", "result")
    assert labels(plot(lambda *all_of_them: all_of_them[0] / 3, x)) == ("", "result")
    assert labels(plot(np.negative, x)) == ("", "result")
    ax = figure().subplots()
    ax.set_xlabel("seconds")
    assert labels(stability.rerun(np.sqrt, x).plot([1, 2, 3], ax=ax)) == ("seconds", "result")
    ax = stability.rerun(lambda time: np.exp(time) - 1, x).plot_error(ax=figure().subplots())
    assert labels(ax) == ("time", "error, ulps")


def variance(x):
    return (x * x).sum() / x.size - (x.sum() / x.size) ** 2


def test_plot_of_scalar():
    """The results of a scalar are marked on a number line, with the modes' names."""
    figure = pytest.importorskip("matplotlib.figure").Figure
    ax = figure().subplots()
    report = stability.rerun(variance, half([30.1, 30.2, 30.3, 30.4]), samples=4, rng=1)
    assert report.plot(ax=ax) is ax
    drawn = [float(line.get_xdata()[0]) for line in ax.lines]
    modes = [float(report.values[mode]) for mode in ("rte", "rtz", "rtn", "rtp")]
    assert drawn == [*report.samples.astype(float), *modes, float(report.exact)]
    assert {t.get_text(): t.xy[0] for t in ax.texts} == {
        "rtz, rtn": -0.5, "rte, rtp": 0.0, "exact": float(report.exact)
    }  # fmt: skip
    assert report.spread_of_all >= 14336  # from -0.5 to 0
    spread = f"{int(report.spread_of_all)} ulps apart"
    assert ax.get_title(loc="left") == f"variance: unstable, {spread}"
    low, high = ax.get_xlim()
    assert low < min(drawn) and max(drawn) < high
    for names, x, y in (("x", [1], None), ("y", None, [1])):
        with pytest.raises(ValueError, match=f"{names}: expected none"):
            report.plot(x, y, ax=ax)


def test_plot_of_scalar_without_shadow_or_number():
    """NaN and infinity are named beside the line; a mode without a shadow has no mark for it."""
    figure = pytest.importorskip("matplotlib.figure").Figure
    with np.errstate(all="ignore"):
        report = stability.rerun(lambda x: x * 65504 - x * 65504, half(1.5), shadow=False)
        beyond = stability.rerun(lambda x: x * 30000, half(2.184))
    ax = report.plot(ax=figure().subplots())
    assert sorted(t.get_text() for t in ax.texts) == ["NaN: rte, rtp", "rtz, rtn"]
    ax = beyond.plot(ax=figure().subplots())
    assert {"inf: rtp →", "rte, rtz, rtn"} <= {t.get_text() for t in ax.texts}


def test_imports_no_matplotlib():
    code = "import sys, halfcl.stability; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def cancel(x):
    return (1 + x) - 1


def test_function_that_alternates_buffers():
    """The results of each run are kept, although the function reuses its buffers."""
    buffers, count = [np.empty(2, half) for _ in range(2)], itertools.count()

    def alternate_buffers(x):
        return np.subtract(1 + x, 1, out=buffers[next(count) % 2])

    x = half([0.01, 0.02])
    assert (stability.rerun(alternate_buffers, x).spread == stability.rerun(cancel, x).spread).all()


def test_nested_rerun_does_not_change_samples():
    def rerun_inside(x):
        stability.rerun(lambda v: v / 3, x)
        return cancel(x)

    x = half([0.01, 0.02])
    alone, report = (stability.rerun(f, x, samples=10, rng=1) for f in (cancel, rerun_inside))
    assert (report.significant_digits == alone.significant_digits).all()


def test_blame_of_equal_code_in_two_files():
    thirds = []
    for name in ("m1.py", "m2.py"):
        scope = {}
        exec(compile("def third(x):\n    return x / 3\n", name, "exec"), scope)
        thirds.append(scope["third"])
    steps = stability.blame(lambda x: thirds[0](x) + thirds[1](x), half([1.0, 2.5]))
    assert {"m1.py", "m2.py"} <= {step.file for step in steps}
