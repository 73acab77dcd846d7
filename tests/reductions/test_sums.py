"""Tests of NumPy's sums, products and dot products of halves: exact, then rounded once."""

import functools
import itertools
import math
import time
from fractions import Fraction

import numpy as np
import oracle
import pytest
import samples
from exhaustive import in_turn, one_in
from oracle import INVALID, MODES, OVERFLOW, UNDERFLOW

import halfcl as hc

UNIT = 24  # every finite half is an integer multiple of 2^-24


def bits(x):
    """Return the bits of halves; fail for another dtype."""
    x = np.asarray(x)
    assert x.dtype in (hc.half, np.float16)
    return np.ascontiguousarray(x).view(np.uint16)


def half(*values):
    return np.array(values, np.float16).view(hc.half)


def random_halves(rng, shape, magnitude=0x7C00):
    """Return random halves whose bits without the sign are below `magnitude`."""
    n = np.prod(shape, dtype=int)
    sign = rng.integers(0, 2, n, np.uint16) << 15
    return (rng.integers(0, magnitude, n, np.uint16) | sign).reshape(shape).view(hc.half)


def as_integers(x):
    """Return finite halves as Python's integers in units of 2^-24."""
    return np.ldexp(samples.value(bits(x)), UNIT).astype(np.int64).astype(object)


def round_to_modes(total, power, terms, negative):
    """Round total / 2^power, the sum of terms of given signs, to {mode: (bits, flags)}."""
    if total:
        results = oracle.round_to_half([Fraction(int(total), 1 << power)])
        return {mode: (bits[0], flags[0]) for mode, (bits, flags) in results.items()}
    positive = (terms != 0).any() or not negative.all()
    minus = {"rtn": (terms != 0).any() or negative.any()}
    return {mode: (0x8000 if minus.get(mode, not positive) else 0, 0) for mode in MODES}


def exact_sum(x):
    """Return the sum of finite halves, rounded once: {mode: (bits, flags)}."""
    terms = as_integers(x)
    return round_to_modes(terms.sum(), UNIT, terms, np.signbit(x))


def exact_dot(x, y):
    """Return the dot product of finite halves, rounded once: {mode: (bits, flags)}."""
    products = as_integers(x) * as_integers(y)
    return round_to_modes(products.sum(), 2 * UNIT, products, np.signbit(x) ^ np.signbit(y))


def check(got, want, what=""):
    assert oracle.same(bits(got), np.array(want)).all(), f"{what} {bits(got)}, not {want}"


# ---------------------------------------------------------------- sums

LENGTHS = (1, 2, 7, 15, 16, 31, 32, 33, 63, 64, 65, 127, 1000, 2048, 2049, 8191, 8192, 100_003)
# Before NumPy 2.3 a reduction is split into pieces of the buffer's size, each rounded.
WHOLE = np.lib.NumpyVersion(np.__version__) >= "2.3.0"
if not WHOLE:
    LENGTHS = tuple(n for n in LENGTHS if n <= 2049)
MAGNITUDES = {"tiny": 0x0010, "subnormal": 0x0400, "unit": 0x3C00, "large": 0x7000, "all": 0x7C00}
TINY = half(2.0**-24)


def hard_cases_of_sums(n):
    """Yield arrays of about n halves of all magnitudes, that cancel or have sums near ties."""
    rng = np.random.default_rng(n)
    for magnitude in MAGNITUDES.values():
        yield random_halves(rng, n, magnitude)
    x = random_halves(rng, n)
    yield rng.permutation(np.concatenate([x, -x]))
    yield rng.permutation(np.concatenate([x, -x, TINY]))
    for tip in (0 * TINY, TINY, -TINY):  # a tie, and the smallest half to either side of it
        yield rng.permutation(np.concatenate([half(1, 2.0**-11), tip, half(0) * x]))


@functools.cache
def sum_cases(n):
    return [(x, exact_sum(x)) for x in hard_cases_of_sums(n)]


def in_region(function):
    def run(mode, *operands):
        with hc.rounding(mode):
            return function(*operands)

    return run


def sum_into(mode, x):
    out = np.empty((), hc.half)
    hc.add.reduce(x, rounding=mode, out=out)
    return out


SUMS = {
    "sum": in_region(lambda x: x.sum()),
    "np.add.reduce": in_region(np.add.reduce),
    "add.reduce": lambda mode, x: hc.add.reduce(x, rounding=mode),
    "ufunc": lambda mode, x: getattr(hc, f"add_{mode}").reduce(x),
    "out": sum_into,
    "reduceat": lambda mode, x: getattr(hc, f"add_{mode}").reduceat(x, [0])[0],
}


@pytest.mark.parametrize("variant", SUMS)
@pytest.mark.parametrize("n", LENGTHS)
def test_sum_is_exact_and_rounded_once(n, variant):
    for mode, (x, results) in itertools.product(MODES, sum_cases(n)):
        want, flags = results[mode]
        with oracle.Watch() as watch:
            check(SUMS[variant](mode, x), want, mode)
            assert watch.take() == flags, mode


@functools.cache
def strided_cases(n):
    x = random_halves(np.random.default_rng(n), (n, 3), 0x7400)
    views = (x[:, 1], x[::-1, 1], x[:, 0][::2], x.ravel()[::-1])
    return [(view, exact_sum(view)) for view in views]


@pytest.mark.parametrize("n", LENGTHS)
def test_strided_sum_is_exact(n, mode):
    for x, results in strided_cases(n):
        want, flags = results[mode]
        with oracle.Watch() as watch:
            check(SUMS["ufunc"](mode, x), want)
            assert watch.take() == flags


@functools.cache
def exact_line_sums(shape, axes):
    """Return a cube of halves, and the exact sums over some axes, rounded: {mode: bits}."""
    x = random_halves(np.random.default_rng(3), shape, 0x6000)
    kept = tuple(i for i in range(x.ndim) if i not in axes)
    lines = x.transpose(kept + axes).reshape(-1, np.prod([x.shape[i] for i in axes]))
    sums = [exact_sum(line) for line in lines]
    return x, {mode: [s[mode][0] for s in sums] for mode in MODES}


#: Memory orders, and axes that are contiguous in them.
CONTIGUOUS = [("C", (2,)), ("C", (1, 2)), ("C", (0, 1, 2)), ("F", (0,)), ("F", (0, 1))]


@pytest.mark.parametrize(("order", "axes"), CONTIGUOUS)
def test_sum_over_contiguous_axes_is_exact(order, axes, mode):
    shape = (37, 41, 43) if WHOLE else (7, 11, 13)
    x, want = exact_line_sums(shape, axes)
    with hc.rounding(mode):
        got = np.asarray(x, order=order).sum(axis=axes)
    np.testing.assert_array_equal(bits(got).ravel(), want[mode])


ZEROS = {
    "+": half(0.0),
    "-": half(-0.0),
    "++": half(0.0, 0.0),
    "--": half(-0.0, -0.0),
    "+-": half(0.0, -0.0),
    "cancelled": half(1.0, -1.0),
}


@pytest.mark.parametrize("name", ZEROS)
def test_sign_of_zero_sum(name, mode):
    """Check NumPy's functions, which start from +0, and halfcl's, which start from a term."""
    for x in (ZEROS[name], np.tile(ZEROS[name], 50), ZEROS[name][::-1]):
        for variant, function in SUMS.items():
            terms = np.append(x, half(0.0)) if variant in ("sum", "np.add.reduce") else x
            check(function(mode, x), exact_sum(terms)[mode][0], variant)


def test_empty_sum_is_plus_zero(mode):
    with hc.rounding(mode):
        check(np.empty(0, hc.half).sum(), 0)
        check(np.add.reduce(half(-0.0, -0.0), where=[False, False], out=np.ones((), hc.half)), 0)
        np.testing.assert_array_equal(bits(np.empty((3, 0), hc.half).sum(axis=1)), [0, 0, 0])


INF, NAN, BIG = np.inf, np.nan, 65504.0
#: Terms, and their sum and flags in each mode.
SUM_EDGES = [
    ((BIG, BIG, -BIG), (BIG,) * 4, (0,) * 4),
    ((BIG, 15.9921875), (BIG, BIG, INF, BIG), (0, 0, OVERFLOW, 0)),
    ((BIG, 16.0), (INF, BIG, INF, BIG), (OVERFLOW, 0, OVERFLOW, 0)),
    ((-BIG, -16.0), (-INF, -BIG, -BIG, -INF), (OVERFLOW, 0, 0, OVERFLOW)),
    ((BIG, 32.0), (INF, BIG, INF, BIG), (OVERFLOW,) * 4),
    ((BIG,) * 1000, (INF, BIG, INF, BIG), (OVERFLOW,) * 4),
    ((2.0**-24, -(2.0**-23)), (-(2.0**-24),) * 4, (0,) * 4),
    ((INF, 1.0, BIG), (INF,) * 4, (0,) * 4),
    ((-INF, BIG, -INF), (-INF,) * 4, (0,) * 4),
    ((INF, 1.0, -INF), (NAN,) * 4, (INVALID,) * 4),
    ((1.0, NAN, INF), (NAN,) * 4, (0,) * 4),
]


@pytest.mark.parametrize(("terms", "sums", "flags"), SUM_EDGES)
def test_sums_that_overflow_cancel_or_are_special(terms, sums, flags, mode):
    m = MODES.index(mode)
    x = half(*terms)
    with oracle.Watch() as watch:
        for variant, function in SUMS.items():
            for padded in (x, np.concatenate([x, half(*[0.0] * 300)]), x[::-1]):
                check(function(mode, padded), bits(half(sums[m]))[0], variant)
                assert watch.take() == flags[m]


def test_sum_with_signalling_nan():
    x = np.array([0x3C00] * 40 + [0x7C01], np.uint16).view(hc.half)
    with oracle.Watch() as watch:
        check(np.add.reduce(x), 0x7E00)
        assert watch.take() == INVALID


def test_initial_value_is_a_term(mode):
    x = random_halves(np.random.default_rng(9), 500, 0x6000)
    for initial in (2.0**-24, -0.0, 1000.0):
        want, _ = exact_sum(np.append(x, half(initial)))[mode]
        with hc.rounding(mode):
            check(x.sum(initial=half(initial)[0]), want)


def test_float16_sums_through_halfcl_are_exact_too(mode):
    x = random_halves(np.random.default_rng(2), 5000)
    with np.errstate(all="ignore"):
        got = hc.add.reduce(x.view(np.float16), rounding=mode)
    assert np.asarray(got).dtype == np.float16
    check(got, exact_sum(x)[mode][0])


# ---------------------------------------------------------------- rounded at each step


def folds(name, x, mode):
    """Return all partial results of a fold over the last axis that rounds at each step."""
    steps = [x[:, 0]]
    for column in range(1, x.shape[1]):
        steps.append(oracle.evaluate(name, steps[-1], x[:, column])[mode][0])
    return np.stack(steps, axis=1)


IDENTITIES = {"hypot": 0.0, "logaddexp": -np.inf, "logaddexp2": -np.inf, "multiply": 1.0}


@pytest.mark.parametrize("name", IDENTITIES)
def test_identity_of_reduction(name, mode):
    """Check reductions of no and of one element, which start from the identity as NumPy's do."""
    ufunc = getattr(np, name)
    reductions = [ufunc.reduce]
    if name in ("hypot", "multiply"):
        reductions.append(getattr(hc, f"{name}_{mode}").reduce)
    x = half(-3, -0.0, np.nan, np.inf)
    for reduce in reductions:
        with hc.rounding(mode, builtins=True):
            none = reduce(np.empty((3, 0), hc.half), axis=1)
            masked = reduce(x, where=np.zeros(4, bool))
            single = reduce(x[:, None], axis=1)
        assert (bits(none) == bits(half(IDENTITIES[name]))).all() and none.shape == (3,)
        assert bits(masked) == bits(half(IDENTITIES[name]))
        with np.errstate(invalid="ignore"):  # NumPy's logaddexp of a NaN raises it
            want = ufunc.reduce(x.view(np.float16)[:, None], axis=1)
        assert oracle.same(bits(single), bits(want)).all()


def test_products_of_rows_are_rounded_once(mode):
    """Check products along the first axis, where NumPy rounds after each row."""
    x = random_halves(np.random.default_rng(4), (150, 70), 0x4400)
    columns = np.asarray(x.T, order="C")
    with np.errstate(all="ignore"), hc.rounding(mode):
        got = np.prod(columns, axis=0)
        want = [np.prod(row) for row in x]
    assert oracle.same(bits(got), bits(np.array(want, np.float16))).all()


# ---------------------------------------------------------------- products


def factors(n, kind):
    """Return n halves, most of whose products are in half's range."""
    rng = np.random.default_rng(n)
    near_one = (0x3C00 + rng.integers(-9, 10, n)).astype(np.uint16)
    if kind == "powers of two":
        near_one = (rng.integers(13, 18, n) << 10).astype(np.uint16)
    if kind == "a few":
        near_one[rng.random(n) < 0.99] = 0x3C00
    if kind == "any":
        near_one = rng.integers(0, 0x7C00, n, np.uint16)
    if kind == "tiny":
        near_one[: n // 16] = rng.integers(1, 0x400, n // 16)
        near_one[n // 16 : n // 8] = 0x7BFF - rng.integers(0, 0x400, n // 8 - n // 16)
    return rng.permutation(near_one | rng.integers(0, 2, n, np.uint16) << 15).view(hc.half)


def exact_product(x):
    """Return the product of finite halves, rounded once: {mode: (bits, flags)}."""
    product = Fraction(math.prod(as_integers(x)), 1 << UNIT * len(x))
    if product:
        results = oracle.round_to_half([product])
        return {mode: (bits[0], flags[0]) for mode, (bits, flags) in results.items()}
    return {mode: (0x8000 * (np.signbit(x).sum() % 2), 0) for mode in MODES}


PRODUCTS = {
    "prod": in_region(lambda x: x.prod()),
    "np.multiply.reduce": in_region(np.multiply.reduce),
    "multiply.reduce": lambda mode, x: hc.multiply.reduce(x, rounding=mode),
    "strided": lambda mode, x: getattr(hc, f"multiply_{mode}").reduce(np.repeat(x, 3)[::-3]),
    "rows": in_region(lambda x: np.prod(np.stack([x, x]), axis=1)[1]),
}


@in_turn
@pytest.mark.parametrize("kind", ["near one", "powers of two", "a few", "any", "tiny"])
@pytest.mark.parametrize("n", [n for n in LENGTHS if n <= 8192])
def test_product_is_rounded_once(n, kind):
    x = factors(n, kind)
    for mode, (want, flags) in exact_product(x).items():
        for multiply in PRODUCTS.values():
            with oracle.Watch() as watch:
                check(multiply(mode, x), want)
                assert watch.take() == flags


@pytest.mark.parametrize("n", [4, 64, 2000])
def test_product_of_special_numbers(n):
    """Check in any order that a NaN makes NaN, and that 0 with infinity is invalid."""
    rng = np.random.default_rng(n)
    for specials, want, flags in (
        ([np.inf], 0x7C00, 0),
        ([-np.inf], 0xFC00, 0),
        ([0.0, -0.0], 0x8000, 0),
        ([np.inf, 0.0], 0x7E00, INVALID),
        ([0.0, -np.inf, np.nan], 0x7E00, 0),
        ([np.nan], 0x7E00, 0),
    ):
        for _ in range(5):
            x = rng.permutation(half(*specials, *np.full(n - len(specials), 60000.0)))
            with oracle.Watch() as watch:
                assert bits(np.prod(x)) == want
                assert watch.take() == flags
    assert np.prod(half()) == 1
    assert np.prod(half(3), initial=half(2)[0]) == 6


def test_product_takes_less_time_than_float16():
    """Compare times: a fold in the order of the elements would take eight times as long."""
    x = np.tile(half(1.5, 0.75, 1, 0.9), 1 << 16)
    plain = x.view(np.float16)

    def best_time(function):
        times = []
        for _ in range(7):
            start = time.perf_counter()
            function()
            times.append(time.perf_counter() - start)
        return min(times)

    with np.errstate(all="ignore"):
        assert best_time(x.prod) < 2 * best_time(plain.prod)


# ---------------------------------------------------------------- dot products

DOTS = {
    "np.dot": in_region(np.dot),
    "np.vdot": in_region(np.vdot),
    "np.inner": in_region(np.inner),
    "np.vecdot": in_region(np.vecdot),
    "np.matmul": in_region(np.matmul),
    "matrices": in_region(lambda x, y: (x[None, :] @ y[:, None])[0, 0]),
}
UFUNCS = ("np.vecdot", "np.matmul", "matrices")  # these report flags


def hard_cases_of_dots(n):
    """Yield pairs of arrays of about n halves of all magnitudes, that cancel or are near ties."""
    rng = np.random.default_rng(n)
    for m, k in itertools.product(MAGNITUDES.values(), repeat=2):
        yield random_halves(rng, n, m), random_halves(rng, n, k)
    x, y = random_halves(rng, n), random_halves(rng, n)
    order = rng.permutation(2 * n)
    x, y = np.concatenate([x, x])[order], np.concatenate([y, -y])[order]
    yield x, y  # cancels
    yield np.append(x, TINY), np.append(y, TINY)  # cancels but for 2^-48
    for tip in (TINY, -TINY):  # 2^-48 to either side of a tie
        first, second = half(1, 2.0**-6), half(1, 2.0**-5)
        yield np.concatenate([first, 0 * x, tip]), np.concatenate([second, y, TINY])


@functools.cache
def dot_cases(n):
    return [(x, y, exact_dot(x, y)) for x, y in hard_cases_of_dots(n)]


@one_in(2)
@pytest.mark.parametrize("variant", DOTS)
@pytest.mark.parametrize("n", [1, 2, 31, 64, 65, 1000, 20_000])
def test_dot_is_exact_and_rounded_once(n, variant):
    for mode, (x, y, results) in itertools.product(MODES, dot_cases(n)):
        want, flags = results[mode]
        with oracle.Watch() as watch:
            check(DOTS[variant](mode, x, y), want, mode)
            assert variant not in UFUNCS or watch.take() == flags, mode


@pytest.mark.parametrize("variant", DOTS)
@pytest.mark.parametrize("n", [5, 300, 5000])
def test_strided_dot(n, variant, mode):
    rng = np.random.default_rng(1)
    x, y = random_halves(rng, (n, 3), 0x6000), random_halves(rng, (3, 2 * n), 0x6000)
    for a, b in ((x[:, 1], y[2, ::2]), (x[::-1, 0], y[0, :n]), (x[:, 2], y[1, ::-2])):
        with np.errstate(all="ignore"):
            check(DOTS[variant](mode, a, b), exact_dot(a, b)[mode][0])


def exact_matmul(x, y, mode):
    """Return the bits of the exact product of stacks of matrices, which has no zeros."""
    integers = np.matmul(as_integers(x), as_integers(y))
    results = oracle.round_to_half([Fraction(i, 1 << 2 * UNIT) for i in integers.ravel()])
    return results[mode][0].reshape(integers.shape)


#: Shapes of the factors.
MATRICES = [
    ((5, 7), (7, 3)),
    ((1, 100), (100, 1)),
    ((33, 65), (65, 17)),
    ((3, 3000), (3000, 2)),
    ((4, 5, 6), (4, 6, 7)),
    ((2, 1, 5, 6), (3, 6, 4)),
]


@pytest.mark.parametrize(("left", "right"), MATRICES, ids=str)
def test_matmul_is_exact(left, right, mode):
    rng = np.random.default_rng(8)
    x, y = random_halves(rng, left, 0x5000), random_halves(rng, right, 0x5000)
    want = exact_matmul(x, y, mode)
    turned_x, turned_y = (np.ascontiguousarray(m.swapaxes(-1, -2)).swapaxes(-1, -2) for m in (x, y))
    with np.errstate(all="ignore"), hc.rounding(mode):
        for a, b in itertools.product((x, turned_x), (y, turned_y)):
            np.testing.assert_array_equal(bits(a @ b), want)


@pytest.mark.parametrize("product", [np.dot, np.matmul])
def test_matrix_times_matrix_and_vector(product, mode):
    rng = np.random.default_rng(8)
    x, v = random_halves(rng, (33, 65), 0x5000), random_halves(rng, 65, 0x5000)
    y = random_halves(rng, (65, 9), 0x5000)
    column = exact_matmul(x, v[:, None], mode)[:, 0]
    with np.errstate(all="ignore"), hc.rounding(mode):
        np.testing.assert_array_equal(bits(product(x, y)), exact_matmul(x, y, mode))
        np.testing.assert_array_equal(bits(product(x, v)), column)
        np.testing.assert_array_equal(bits(product(v, x.T)), column)


@pytest.mark.parametrize("product", [np.dot, np.matmul])
def test_empty_dot_is_plus_zero(product, mode):
    with hc.rounding(mode):
        check(product(np.empty(0, hc.half), np.empty(0, hc.half)), 0)


#: Factors, and their dot product and flags in each mode.
DOT_EDGES = [
    ((BIG, BIG, 1.0), (BIG, -BIG, 1.0), (1.0,) * 4, (0,) * 4),
    ((BIG,), (BIG,), (INF, BIG, INF, BIG), (OVERFLOW,) * 4),
    ((2.0**-24,), (2.0**-24,), (0.0, 0.0, 2.0**-24, 0.0), (UNDERFLOW,) * 4),
    ((-(2.0**-24),), (2.0**-24,), (-0.0, -0.0, -0.0, -(2.0**-24)), (UNDERFLOW,) * 4),
    ((0.0, 0.0), (-1.0, -1.0), (0.0, 0.0, 0.0, -0.0), (0,) * 4),  # from +0 on
    ((0.0, 0.0), (-1.0, 1.0), (0.0, 0.0, 0.0, -0.0), (0,) * 4),
    ((1.0, 1.0), (1.0, -1.0), (0.0, 0.0, 0.0, -0.0), (0,) * 4),
    ((INF, 1.0), (1.0, 1.0), (INF,) * 4, (0,) * 4),
    ((INF, INF), (1.0, -1.0), (NAN,) * 4, (INVALID,) * 4),
    ((INF, 1.0), (0.0, 1.0), (NAN,) * 4, (INVALID,) * 4),
    ((NAN, 1.0), (1.0, 1.0), (NAN,) * 4, (0,) * 4),
]


@pytest.mark.parametrize("variant", ["np.dot", "np.matmul", "np.vecdot"])
@pytest.mark.parametrize(("x", "y", "dots", "flags"), DOT_EDGES)
def test_dots_that_overflow_cancel_or_are_special(x, y, dots, flags, variant, mode):
    m = MODES.index(mode)
    unscaled = np.isfinite(dots[m]) and dots[m] != 0
    for copies in (1,) if unscaled else (1, 60):
        with oracle.Watch() as watch:
            got = DOTS[variant](mode, np.tile(half(*x), copies), np.tile(half(*y), copies))
            raised = watch.take()
        check(got, bits(half(dots[m]))[0])
        assert variant not in UFUNCS or raised == flags[m]
