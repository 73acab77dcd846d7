"""Sums and dot products: exact, then rounded once. Accumulations: rounded at each step."""

import itertools

import numpy as np
import oracle
import pytest
import samples
from oracle import INVALID, OVERFLOW

import halfcl as hc

UNIT = 24  # every finite half is an integer multiple of 2^-24


def bits(x):
    return np.asarray(x).view(np.uint16)


def half(*values):
    return np.array(values, np.float16).view(hc.half)


def random_halves(rng, shape, magnitude=0x7C00):
    """Random halves of magnitude below that of some bits."""
    n = np.prod(shape, dtype=int)
    sign = rng.integers(0, 2, n, np.uint16) << 15
    return (rng.integers(0, magnitude, n, np.uint16) | sign).reshape(shape).view(hc.half)


def as_integers(x):
    """Finite halves in units of 2^-24, as Python's integers."""
    return np.ldexp(samples.value(bits(x)), UNIT).astype(np.int64).astype(object)


def exact_zero(terms_negative, mode):
    """The bits of an exact sum that is zero, given the signs of terms that are zeros."""
    if terms_negative.all():
        return 0x8000
    return 0x8000 if mode == "rtn" and terms_negative.any() else 0


def rounded_ratio(numerator, power, mode):
    """The bits and flags of numerator / 2^power; numerator is not zero."""
    from fractions import Fraction

    (result,), (flags,) = oracle.round_to_half([Fraction(int(numerator), 1 << power)])[mode]
    return result, flags


def exact_sum(x, mode):
    """Bits and flags of the sum of finite halves, rounded once."""
    integers = as_integers(x)
    if total := integers.sum():
        return rounded_ratio(total, UNIT, mode)
    if integers.any():
        return (0x8000 if mode == "rtn" else 0), 0
    return exact_zero(np.signbit(x), mode), 0


def exact_dot(x, y, mode):
    """Bits and flags of the dot product of finite halves, rounded once."""
    products = as_integers(x) * as_integers(y)
    if total := products.sum():
        return rounded_ratio(total, 2 * UNIT, mode)
    if products.any():
        return (0x8000 if mode == "rtn" else 0), 0
    return exact_zero(np.signbit(x) ^ np.signbit(y), mode), 0


def check(got, want, flags, watch):
    assert oracle.same(bits(got), np.array(want)).all(), (hex(bits(got)), hex(want))
    assert watch.take() == flags


# ---------------------------------------------------------------- sums

LENGTHS = (1, 2, 7, 15, 16, 31, 32, 33, 63, 64, 65, 127, 1000, 2048, 2049, 8191, 8192, 100_003)
MAGNITUDES = {"tiny": 0x0010, "subnormal": 0x0400, "unit": 0x3C00, "large": 0x7000, "all": 0x7C00}


def mixtures(rng, n):
    """Arrays of n halves that make sums hard."""
    for magnitude in MAGNITUDES.values():
        yield random_halves(rng, n, magnitude)
    x = random_halves(rng, n)
    yield rng.permutation(np.concatenate([x, -x, half(2.0**-24)]))  # cancels but for the least
    yield rng.permutation(np.concatenate([x, -x]))  # cancels
    # A midpoint, and the least half to one side or the other.
    middle = [half(*[1, 2.0**-11], *[0] * n)] + [
        rng.permutation(half(*[1, 2.0**-11, tip], *[0] * n)) for tip in (2.0**-24, -(2.0**-24))
    ]
    yield from middle


def sum_ways(mode):
    def with_out(x):
        out = np.empty((), hc.half)
        hc.add.reduce(x, rounding=mode, out=out)
        return out

    def in_region(x):
        with hc.rounding(mode):
            return x.sum()

    def numpy_reduce(x):
        with hc.rounding(mode):
            return np.add.reduce(x)

    ufunc = getattr(hc, f"add_{mode}")
    return {
        "sum in a region": in_region,
        "np.add.reduce in a region": numpy_reduce,
        "add.reduce": lambda x: hc.add.reduce(x, rounding=mode),
        "ufunc": ufunc.reduce,
        "out": with_out,
        "reduceat": lambda x: ufunc.reduceat(x, [0])[0],
    }


@pytest.mark.parametrize("n", LENGTHS)
def test_sum_is_exact_and_rounded_once(n, mode):
    rng = np.random.default_rng(n)
    ways = sum_ways(mode)
    for x in mixtures(rng, n):
        want, flags = exact_sum(x, mode)
        with oracle.Watch() as watch:
            for function in ways.values():
                check(function(x), want, flags, watch)


@pytest.mark.parametrize("n", LENGTHS)
def test_strided_sum_is_exact(n, mode):
    rng = np.random.default_rng(n)
    x = random_halves(rng, (n, 3))
    function = getattr(hc, f"add_{mode}").reduce
    for strided in (x[:, 1], x[::-1, 1], x[:, 0][::2], x.ravel()[::-1]):
        want, flags = exact_sum(strided, mode)
        with oracle.Watch() as watch:
            check(function(strided), want, flags, watch)


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2), (0, 2), None])
def test_sum_over_axes_is_exact(axis, layout, mode):
    x = np.asarray(random_halves(np.random.default_rng(3), (37, 41, 43), 0x6000), order=layout)
    with hc.rounding(mode):
        got = np.asarray(x.sum(axis=axis))
    summed = tuple(range(3)) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
    kept = tuple(i for i in range(3) if i not in summed)
    lines = x.transpose(kept + summed).reshape(got.size, -1)
    want = np.array([exact_sum(line, mode)[0] for line in lines], np.uint16)
    np.testing.assert_array_equal(bits(got).ravel(), want)


ZEROS = (half(0.0), half(-0.0), half(0.0, 0.0), half(-0.0, -0.0), half(0.0, -0.0), half(1.0, -1.0))


@pytest.mark.parametrize("x", ZEROS, ids=str)
def test_sign_of_a_sum_that_is_zero(x, mode):
    want, _ = exact_sum(x, mode)
    for function in sum_ways(mode).values():
        assert bits(function(x)) == want
        assert bits(function(np.tile(x, 50))) == want


def test_empty_sum_is_plus_zero(mode):
    with hc.rounding(mode):
        assert bits(np.empty(0, hc.half).sum()) == 0
        np.testing.assert_array_equal(bits(np.empty((3, 0), hc.half).sum(axis=1)), [0, 0, 0])


INF, NAN, BIG = np.inf, np.nan, 65504.0
#: Terms, their sum in each mode, flags in each mode.
EDGES = [
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


@pytest.mark.parametrize(("terms", "sums", "flags"), EDGES)
def test_sum_at_the_edges(terms, sums, flags, mode):
    m = oracle.MODES.index(mode)
    x = half(*terms)
    with oracle.Watch() as watch:
        for function in sum_ways(mode).values():
            for padded in (x, np.concatenate([x, half(*[0.0] * 300)]), x[::-1]):
                check(function(padded), bits(half(sums[m]))[0], flags[m], watch)


def test_signalling_nan_in_a_sum():
    x = np.array([0x3C00] * 40 + [0x7C01], np.uint16).view(hc.half)
    with oracle.Watch() as watch:
        check(np.add.reduce(x), 0x7E00, INVALID, watch)


def test_initial_value_and_mask_belong_to_the_exact_sum(mode):
    rng = np.random.default_rng(9)
    x, initial = random_halves(rng, 500, 0x6000), half(2.0**-24)
    kept = rng.random(500) < 0.5
    with hc.rounding(mode):
        assert bits(x.sum(initial=initial[0])) == exact_sum(np.append(x, initial), mode)[0]
        masked = x.copy()
        masked[~kept] = 0
        assert bits(masked.sum()) == exact_sum(x[kept], mode)[0]


def test_float16_sums_through_halfcl_are_exact_too(mode):
    x = random_halves(np.random.default_rng(2), 5000)
    got = hc.add.reduce(x.view(np.float16), rounding=mode)
    assert got.dtype == np.float16
    assert bits(got) == exact_sum(x, mode)[0]


# ---------------------------------------------------------------- rounded at each step


def folds(name, x, mode):
    """Left to right over the last axis, rounding at each step: all partial results."""
    steps = [x[:, 0]]
    for column in range(1, x.shape[1]):
        steps.append(oracle.evaluate(name, steps[-1], x[:, column])[mode][0])
    return np.stack(steps, axis=1)


ACCUMULATIONS = {"add": (np.cumsum, 0x7C00), "multiply": (np.cumprod, 0x4400)}


@pytest.mark.parametrize("name", ACCUMULATIONS)
def test_accumulation_rounds_at_each_step(name, mode):
    numpys, magnitude = ACCUMULATIONS[name]
    x = random_halves(np.random.default_rng(4), (150, 70), magnitude)
    want = folds(name, bits(x), mode)
    with np.errstate(all="ignore"), hc.rounding(mode):
        for got in (
            numpys(x, axis=1),
            numpys(x.T, axis=0).T,
            getattr(hc, name).accumulate(x, axis=1),
            getattr(hc, f"{name}_{mode}").accumulate(x, axis=1),
            np.stack([numpys(row) for row in x]),
            np.stack([numpys(row[::-1])[::-1] for row in x[:, ::-1]])[:, ::-1],
        ):
            if got.shape == want.shape and got.strides[1] > 0:
                assert oracle.same(np.ascontiguousarray(got), want).all()


def test_product_rounds_at_each_step(mode):
    x = random_halves(np.random.default_rng(6), (150, 70), 0x4400)
    want = folds("multiply", bits(x), mode)[:, -1]
    with np.errstate(all="ignore"), hc.rounding(mode):
        for got in (x.prod(axis=1), np.asarray(x.T, order="C").prod(axis=0)):
            assert oracle.same(got, want).all()


# ---------------------------------------------------------------- dot products


def dot_ways(mode):
    def region(function):
        def run(x, y):
            with hc.rounding(mode):
                return function(x, y)

        return run

    return {
        "dot": region(np.dot),
        "matmul": region(np.matmul),
        "operator": region(lambda x, y: x @ y),
        "vdot": region(np.vdot),
        "inner": region(np.inner),
        "row times column": region(lambda x, y: (x[None, :] @ y[:, None])[0, 0]),
    }


def factors(rng, n):
    """Pairs of arrays that make dot products hard."""
    for m, k in itertools.product(MAGNITUDES.values(), repeat=2):
        yield random_halves(rng, n, m), random_halves(rng, n, k)
    x, y = random_halves(rng, n), random_halves(rng, n)
    order = rng.permutation(2 * n + 1)
    tiny = half(2.0**-24)  # the least product, 2^-48, decides the rounding of the rest
    yield np.concatenate([x, x, tiny])[order], np.concatenate([y, -y, tiny])[order]
    yield np.concatenate([x, x])[order[order < 2 * n]], np.concatenate([y, -y])[order[order < 2 * n]]
    one = half(1.0)
    rest = half(*[0.0] * n)
    for tip in (tiny, -tiny):
        yield (
            np.concatenate([one, half(2.0**-6), tip, rest]),
            np.concatenate([one, half(2.0**-5), tiny, rest]),
        )


@pytest.mark.parametrize("n", [1, 2, 31, 64, 65, 1000, 4097, 20_000])
def test_dot_is_exact_and_rounded_once(n, mode):
    ways = dot_ways(mode)
    for x, y in factors(np.random.default_rng(n), n):
        want, flags = exact_dot(x, y, mode)
        for way, function in ways.items():
            with oracle.Watch() as watch:
                got = function(x, y)
                if way in ("matmul", "operator"):
                    assert watch.take() == flags, way
            assert bits(got) == want, way


def test_strided_dot(mode):
    rng = np.random.default_rng(1)
    for n in (5, 300, 5000):
        x, y = random_halves(rng, (n, 3), 0x6000), random_halves(rng, (3, 2 * n), 0x6000)
        for a, b in ((x[:, 1], y[2, ::2]), (x[::-1, 0], y[0, :n]), (x[:, 2], y[1, ::-2])):
            want, _ = exact_dot(a, b, mode)
            for way, function in dot_ways(mode).items():
                assert bits(function(a, b)) == want, way


def exact_matmul(x, y, mode):
    """The bits of the product of stacks of matrices."""
    integers = np.matmul(as_integers(x), as_integers(y))
    assert integers.all()  # a zero would need its sign
    ratios = [i / (1 << 2 * UNIT) if False else i for i in integers.ravel()]
    from fractions import Fraction

    results = oracle.round_to_half([Fraction(i, 1 << 2 * UNIT) for i in ratios])
    return results[mode][0].reshape(integers.shape)


#: Shapes of the factors.
MATRICES = [
    ((5, 7), (7, 3)),
    ((1, 100), (100, 1)),
    ((33, 65), (65, 17)),
    ((4, 5, 6), (4, 6, 7)),
    ((2, 1, 5, 6), (3, 6, 4)),
]


@pytest.mark.parametrize(("left", "right"), MATRICES, ids=str)
def test_matmul_is_exact(left, right, mode):
    rng = np.random.default_rng(8)
    x, y = random_halves(rng, left, 0x5000), random_halves(rng, right, 0x5000)
    want = exact_matmul(x, y, mode)
    turned = [np.ascontiguousarray(m.swapaxes(-1, -2)).swapaxes(-1, -2) for m in (x, y)]
    with np.errstate(all="ignore"), hc.rounding(mode):
        for a, b in ((x, y), turned, (x, turned[1]), (turned[0], y)):
            np.testing.assert_array_equal(bits(a @ b), want)
            if a.ndim == 2:
                np.testing.assert_array_equal(bits(a.dot(b)), want)
        np.testing.assert_array_equal(bits(x @ y[..., 0][..., None]), want[..., :1])


def test_matrix_times_vector(mode):
    rng = np.random.default_rng(8)
    x, v = random_halves(rng, (33, 65), 0x5000), random_halves(rng, 65, 0x5000)
    want = exact_matmul(x, v[:, None], mode)[:, 0]
    with np.errstate(all="ignore"), hc.rounding(mode):
        for got in (x @ v, v @ x.T, np.dot(x, v), np.matmul(x, v)):
            np.testing.assert_array_equal(bits(got), want)


def test_empty_dot_is_plus_zero(mode):
    for function in (np.dot, np.matmul):
        with hc.rounding(mode):
            assert bits(function(np.empty(0, hc.half), np.empty(0, hc.half))) == 0


#: Factors, their dot product in each mode, flags in each mode.
DOT_EDGES = [
    ((BIG, BIG, 1.0), (BIG, -BIG, 1.0), (1.0,) * 4, (0,) * 4),
    ((BIG,), (BIG,), (INF, BIG, INF, BIG), (OVERFLOW,) * 4),
    ((2.0**-24,), (2.0**-24,), (0.0, 0.0, 2.0**-24, 0.0), (oracle.UNDERFLOW,) * 4),
    ((-(2.0**-24),), (2.0**-24,), (-0.0, -0.0, -0.0, -(2.0**-24)), (oracle.UNDERFLOW,) * 4),
    ((0.0, 0.0), (-1.0, -1.0), (-0.0,) * 4, (0,) * 4),
    ((0.0, 0.0), (-1.0, 1.0), (0.0, 0.0, 0.0, -0.0), (0,) * 4),
    ((1.0, 1.0), (1.0, -1.0), (0.0, 0.0, 0.0, -0.0), (0,) * 4),
    ((INF, 1.0), (1.0, 1.0), (INF,) * 4, (0,) * 4),
    ((INF, INF), (1.0, -1.0), (NAN,) * 4, (INVALID,) * 4),
    ((INF, 1.0), (0.0, 1.0), (NAN,) * 4, (INVALID,) * 4),
    ((NAN, 1.0), (1.0, 1.0), (NAN,) * 4, (0,) * 4),
]


@pytest.mark.parametrize(("x", "y", "dots", "flags"), DOT_EDGES)
def test_dot_at_the_edges(x, y, dots, flags, mode):
    m = oracle.MODES.index(mode)
    for function in (np.dot, np.matmul):
        for n in (1, 60):  # other terms: -0, of no effect
            a = np.concatenate([half(*x), half(*[0.0] * (n - 1))])
            b = np.concatenate([half(*y), half(*[-0.0 if dots[m] == 0 else 1.0] * (n - 1))])
            if dots[m] == 0 and not np.signbit(dots[m]):
                b = b[: len(x)]
                a = a[: len(x)]
            with oracle.Watch() as watch, hc.rounding(mode):
                got = function(a, b)
                raised = watch.take()
            assert oracle.same(bits(got), bits(half(dots[m]))[0]).all()
            assert function is np.dot or raised == flags[m]
