"""Tests of reductions of many short rows, compared with fractions and with single rows."""

import timeit

import numpy as np
import pytest
import reductions_oracle as exact
from exhaustive import either, in_turn, shared_out

import halfcl as hc

STATISTICS = ("sum", "mean", "var", "std", "sumsq", "norm")
ROWS = 300  # more than the engine reduces at a time
LENGTHS = (1, 2, 3, 4, 7, 10, 16, 31, 32, 33)


def from_bits(words):
    return np.asarray(words).astype(np.uint16).view(hc.half)


def with_random_signs(rng, magnitudes):
    return from_bits(magnitudes | rng.integers(0, 2, np.shape(magnitudes)) << 15)


def near_ties(rng, shape):
    """Return rows whose sums, and their quotients by powers of two, are at or near ties."""
    x = np.zeros(shape)
    x[:, 0] = rng.integers(1024, 2048, shape[0])
    if shape[1] > 1:
        x[:, 1] = 0.5
    if shape[1] > 2:
        x[:, 2] = rng.integers(-1, 2, shape[0]) * 2.0**-24
    return x.astype(np.float16).view(hc.half)


def near_short_ties(rng, shape):
    """Return rows whose sums are floats, and of four elements have means at or near ties."""
    x = near_ties(rng, shape)
    if shape[1] > 2:
        x[:, 2] = rng.integers(-1, 2, shape[0]) * 2.0**-12
    return x


def equal_squares(rng, shape):
    """Return rows whose variance, standard deviation and norm are often exact."""
    sizes = np.ldexp(rng.integers(0, 64, (shape[0], 1)), rng.integers(-24, 9, (shape[0], 1)))
    return (sizes * rng.choice([-1, 1], shape)).astype(np.float16).view(hc.half)


KINDS = {
    "normal": lambda rng, shape: rng.standard_normal(shape).astype(np.float16).view(hc.half),
    "integers": lambda rng, shape: rng.integers(-5, 6, shape).astype(np.float16).view(hc.half),
    "any size": lambda rng, shape: with_random_signs(rng, rng.integers(0, 0x7C00, shape)),
    "subnormal": lambda rng, shape: with_random_signs(rng, rng.integers(0, 0x400, shape)),
    "largest": lambda rng, shape: with_random_signs(rng, rng.integers(0x7BF0, 0x7C00, shape)),
    "alike": lambda rng, shape: from_bits(
        rng.integers(0, 0x7BF0, (shape[0], 1)) + rng.integers(0, 3, shape)
    ),
    "near ties": near_ties,
    "near short ties": near_short_ties,
    "equal squares": equal_squares,
}
SPECIAL = np.array([0, 0x8000, 0x3C00, 0xBC00, 1, 0x7C00, 0xFC00, 0x7E00, 0x7D00, 0xFE01])


def product(values, mode):
    result = exact.Fraction(1)
    for value in values:
        result *= value
    return exact.round_to(result, "half", mode)


def call(name, x, mode, **arguments):
    """Return results, and the exceptions that were raised."""
    seen = set()
    with np.errstate(all="call", call=lambda kind, flag: seen.add(kind)):
        results = getattr(hc, name)(x, rounding=mode, **arguments)
    return np.asarray(results), seen


@in_turn
@shared_out
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", (*STATISTICS, "prod"))
def test_rows_are_rounded_once(name, kind):
    rng = np.random.default_rng(11)
    for n in LENGTHS[1::2]:
        x = KINDS[kind](rng, (either(40, 10), n))
        rows = [list(exact.fractions(row)) for row in x]
        for mode in exact.MODES:
            got, _ = call(name, x, mode, axis=-1)
            want = [
                product(row, mode) if name == "prod" else exact.statistic(name, row, "half", mode)
                for row in rows
            ]
            assert list(got.astype(float)) == want, (n, mode)


@in_turn
@pytest.mark.parametrize("kind", [*KINDS, "special"])
@pytest.mark.parametrize("name", (*STATISTICS, "prod"))
def test_rows_have_bits_and_exceptions_of_single_rows(name, kind):
    rng = np.random.default_rng(12)
    for n in LENGTHS:
        shape = (ROWS, n)
        x = from_bits(rng.choice(SPECIAL, shape)) if kind == "special" else KINDS[kind](rng, shape)
        mode = exact.MODES[n % 4]
        want, raised = np.empty(ROWS, hc.half), set()
        for k, row in enumerate(x):
            want[k], seen = call(name, row, mode)
            raised |= seen
        layouts = {
            "rows": (x, -1),
            "columns": (np.ascontiguousarray(x.T), 0),
            "backwards": (np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1], 1),
            "apart": (np.repeat(np.repeat(x, 3, axis=1), 2, axis=0)[::2, ::3], 1),
            "three axes": (np.ascontiguousarray(x.reshape(-1, 10, n).transpose(0, 2, 1)), 1),
        }
        for layout, (array, axis) in layouts.items():
            for view in (hc.half, np.float16):
                got, seen = call(name, array.view(view), mode, axis=axis)
                assert got.ravel().view(np.uint16).tolist() == want.view(np.uint16).tolist(), (
                    n,
                    mode,
                    layout,
                )
                assert seen == raised, (n, mode, layout)


@pytest.mark.parametrize("mode", exact.MODES)
def test_products_of_two_arrays(mode):
    rng = np.random.default_rng(13)
    for kind in KINDS:
        x, y = KINDS[kind](rng, (ROWS, 5)), KINDS[kind](rng, (ROWS, 5))
        with np.errstate(all="ignore"):
            got = hc.vdot(x, y, axis=-1, rounding=mode)
        for k in range(ROWS):
            products = exact.fractions(x[k]) * exact.fractions(y[k])
            assert float(got[k]) == exact.statistic("sum", list(products), "half", mode)


@pytest.mark.parametrize("ddof", (1, 2, -3, -(2**30)))
def test_degrees_of_freedom(ddof):
    x = KINDS["normal"](np.random.default_rng(14), (40, 3))
    for mode in exact.MODES:
        for name in ("var", "std"):
            got, _ = call(name, x, mode, axis=1, ddof=ddof)
            for value, row in zip(got, x, strict=True):
                want = exact.statistic(name, list(exact.fractions(row)), "half", mode, ddof)
                assert float(value) == want


@pytest.mark.parametrize("mode", exact.MODES)
def test_signs_of_zero_sums(mode):
    """Check sums of zeros of one sign, which keep it, and of others, whose sign depends on mode."""
    rows = from_bits([[0x8000, 0x8000], [0, 0x8000], [0x3C00, 0xBC00], [0, 0]] * 8)
    plus = -1.0 if mode == "rtn" else 1.0
    for name in ("sum", "mean"):
        signs = np.copysign(1, call(name, rows, mode, axis=1)[0].astype(float))
        assert signs.tolist() == [-1.0, plus, plus, 1.0] * 8


@pytest.mark.parametrize("mode", exact.MODES)
@pytest.mark.parametrize("length", LENGTHS)
def test_zero_sums_of_drawn_terms(length, mode):
    """Compare the signs of zero sums, means and dot products with the rule, in rows and columns.

    NumPy's sums begin with +0.
    """
    rng = np.random.default_rng(length)
    terms = from_bits(rng.choice([0, 0x8000, 0x3C00, 0xBC00], (ROWS, length)))
    one_sign = from_bits(np.repeat(rng.choice([0, 0x8000], (ROWS, 1)), length, 1))
    minus = mode == "rtn"
    for x in (terms, one_sign, np.asfortranarray(terms), np.repeat(one_sign, 2, 1)[:, ::2]):
        signs = np.signbit(x.view(np.float16))
        ones = np.where(rng.random(x.shape) < 0.5, -1, 1).astype(np.float16).view(hc.half)
        for name, seen in (("sum", signs), ("mean", signs), ("dot", signs ^ (ones < 0))):
            y = x * ones if name == "dot" else x
            got = (
                call(name, x, mode, axis=1)[0] if name != "dot" else hc.dot(x, ones, rounding=mode)
            )
            is_zero = y.view(np.float16).astype(float).sum(1) == 0
            want = np.where(seen.all(1), True, np.where(seen.any(1), minus, False))
            is_negative = np.signbit(got.view(np.float16))
            np.testing.assert_array_equal(got.view(np.uint16)[is_zero] & 0x7FFF, 0)
            np.testing.assert_array_equal(is_negative[is_zero], want[is_zero], f"{name} {length}")
        with hc.rounding(mode):
            got = np.add.reduce(x, axis=1)
        is_zero = x.view(np.float16).astype(float).sum(1) == 0
        np.testing.assert_array_equal(
            np.signbit(got.view(np.float16))[is_zero], (signs.any(1) & minus)[is_zero]
        )


WIDE = {"float32": np.float32, "float64": np.float64}


@in_turn
@shared_out
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("name", ("sum", "mean", "sumsq"))
def test_wide_results_of_rows_are_rounded_once(name, dtype, kind):
    """Compare sums and means of rows and of columns, in float32 and float64, with fractions."""
    rng = np.random.default_rng(21)
    for n in LENGTHS[1::2]:
        x = KINDS[kind](rng, (either(40, 20), n))
        rows = [list(exact.fractions(row)) for row in x]
        for mode in exact.MODES:
            want = [exact.statistic(name, row, dtype, mode) for row in rows]
            for y, axis in ((x, -1), (np.asfortranarray(x), 1), (np.ascontiguousarray(x.T), 0)):
                got, seen = call(name, y, mode, axis=axis, dtype=WIDE[dtype])
                assert got.dtype == dtype and got.tolist() == want, (n, mode)
                assert not seen


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("name", ("sum", "mean", "sumsq"))
def test_wide_results_with_specials_are_those_of_single_rows(name, dtype):
    """Compare values, signs and exceptions of rows that have zeros, infinities and NaNs."""
    rng = np.random.default_rng(22)
    for n in LENGTHS:
        x = from_bits(rng.choice(SPECIAL, (ROWS, n)))
        for mode in exact.MODES:
            got, seen = call(name, x, mode, axis=1, dtype=WIDE[dtype])
            ones = [call(name, row[None], mode, axis=1, dtype=WIDE[dtype]) for row in x]
            want = np.concatenate([one for one, _ in ones])
            np.testing.assert_array_equal(got, want, strict=True)
            np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
            assert seen == set().union(*(raised for _, raised in ones))


@pytest.mark.parametrize("mode", exact.MODES)
def test_wide_results_by_numpys_functions(mode):
    """NumPy's sums begin with +0; means and outputs of accelerated float16 have the same bits."""
    x = KINDS["normal"](np.random.default_rng(23), (20, 30, 3))
    x[0] = from_bits(0x8000)
    rows = [list(exact.fractions(row)) for row in x.reshape(-1, 3)]
    for dtype, kind in WIDE.items():
        for name in ("sum", "mean"):
            want = np.reshape([exact.statistic(name, row, dtype, mode) for row in rows], (20, 30))
            for y in (x, x.view(np.float16)):
                out = np.full((60, 30), 7, kind)[::3]
                with hc.accelerated(), hc.rounding(mode):
                    got = getattr(np, name)(y, axis=-1, dtype=kind)
                    getattr(np, name)(y, axis=-1, dtype=kind, out=out)
                assert got.dtype == kind and got.tolist() == out.tolist() == want.tolist()
    with hc.rounding(mode):
        signs = np.signbit(np.add.reduce(x[0], axis=-1, dtype=np.float32))
    assert signs.all() if mode == "rtn" else not signs.any()


def test_averages_with_few_unsure_lines():
    """Compare averages, of which some lie at ties, with fractions."""
    rng = np.random.default_rng(24)
    x = near_ties(rng, (200, 3)).astype(np.float16)
    x[::2] = rng.normal(0, 1, (100, 3))
    for weights in ([1, 1, 2], [0.2126, 0.7152, 0.0722]):
        w = np.array(weights, np.float16)
        exact_w = list(exact.fractions(w.view(hc.half)))
        want = [
            exact.round_to(
                sum(a * b for a, b in zip(exact.fractions(row), exact_w, strict=True))
                / sum(exact_w), "half", "rte",
            )
            for row in x.view(hc.half)
        ]  # fmt: skip
        with hc.accelerated():
            for y, axis in ((x, 1), (x.T.copy(), 0), (x.reshape(20, 10, 3), -1)):
                got = np.average(y, axis=axis, weights=w)
                assert got.dtype == np.float16 and got.ravel().tolist() == want


@pytest.mark.parametrize("call_of", ["sum", "mean", "dot"])
def test_zeros_take_about_as_long_as_others(call_of):
    """Compare times of rows of zeros and of others: a slow path for each row took 100 times."""
    zeros = np.zeros((1 << 15, 3), hc.half)
    times = []
    for x in (zeros, zeros + 1):
        one = {"sum": x.sum, "mean": x.mean, "dot": lambda axis, x=x: np.vecdot(x, x)}[call_of]
        times.append(min(timeit.repeat(lambda one=one: one(-1), number=1, repeat=30)))
    assert times[0] < 12 * times[1]


@pytest.mark.parametrize("threads", (1, 4))
def test_results_beyond_one_piece_with_threads(threads):
    rng = np.random.default_rng(15)
    x = KINDS["normal"](rng, (70_000, 3))
    x[::1000] = from_bits(rng.choice(SPECIAL, (70, 3)))
    for name in (*STATISTICS, "prod"):
        parts = [call(name, part, "rtp", axis=1) for part in np.array_split(x, 50)]
        with hc.num_threads(threads):
            got, seen = call(name, x, "rtp", axis=1)
            down, _ = call(name, np.ascontiguousarray(x.T), "rtp", axis=0)
        want = np.concatenate([part for part, _ in parts])
        assert got.view(np.uint16).tolist() == want.view(np.uint16).tolist()
        assert down.view(np.uint16).tolist() == want.view(np.uint16).tolist()
        assert seen == set().union(*(raised for _, raised in parts))


def test_dot_of_float16_has_bits_of_half():
    x, y = (KINDS["normal"](np.random.default_rng(k), (5, 10)) for k in (16, 17))
    results, single = (
        hc.dot(x.view(np.float16), y.view(np.float16)),
        hc.dot(x[0].view(np.float16), y[0].view(np.float16)),
    )
    assert results.dtype == np.float16 and type(single) is np.float16
    assert results.view(np.uint16).tolist() == hc.dot(x, y).view(np.uint16).tolist()
    assert single == results[0]
    assert hc.dot(x.view(np.float16), y).dtype == hc.half
    out = np.empty(5, np.float16)
    assert hc.dot(x.view(np.float16), y.view(np.float16), out=out) is out
    assert out.tolist() == results.tolist()


@in_turn
@pytest.mark.parametrize("columns", [1, 16, 37])
@pytest.mark.parametrize("rows", [33, 150, 401])
def test_products_whose_steps_leave_doubles_range(rows, columns):
    """Tiny factors come first, large ones next, or the other way round; some are specials."""
    rng = np.random.default_rng(16)
    exponents = np.where(np.arange(rows) < rows // 2, -14, 14)[:, None]
    exponents = exponents * rng.choice([-1, 1], columns)
    x = np.ldexp(rng.integers(1024, 1032, (rows, columns)) / 1024, exponents).astype(hc.half)
    x *= rng.choice([-1, 1], x.shape).astype(hc.half)
    for mode in exact.MODES:
        got, _ = call("prod", x, mode, axis=0)
        assert got.astype(float).tolist() == [
            product(list(exact.fractions(column)), mode) for column in x.T
        ]
    x[rows // 3, 0], x[rows // 2, columns // 2] = 0, np.inf
    got, raised = call("prod", x, "rte", axis=0)
    alone = [call("prod", column.copy(), "rte") for column in x.T]
    assert got.view(np.uint16).tolist() == [int(r.view(np.uint16)) for r, _ in alone]
    assert raised == set().union(*(seen for _, seen in alone))
