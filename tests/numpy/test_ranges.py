"""Tests of NumPy's functions whose intermediate results overflow half, with exact numbers."""

import tracemalloc
import warnings
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from checks import result_or_error
from reductions_oracle import round_to

import halfcl as hc
from halfcl import half

MODES = ("rte", "rtp", "rtn", "rtz")


def all_finite():
    bits = np.arange(65536, dtype=np.uint16)
    halves = bits.view(np.float16)
    return halves[np.isfinite(halves)]


@pytest.mark.parametrize("decimals", range(-5, 11))
def test_round_gives_half_nearest_to_exact_decimal(scalar_class, decimals):
    halves = all_finite()
    rounded = np.round(halves.view(scalar_class), decimals)
    assert rounded.dtype == scalar_class
    context = Context(prec=60, rounding=ROUND_HALF_EVEN)
    unit = Decimal(1).scaleb(-decimals)
    every = halves if decimals in (-2, 2) else halves[::7]
    got = rounded.view(np.float16) if decimals in (-2, 2) else rounded.view(np.float16)[::7]
    # float() and the cast together round correctly: no decimal of at most 40 digits is so near to a
    # tie of two halves that rounding it to double moves it there.
    exact = [float(Decimal(float(x)).quantize(unit, context=context)) for x in every]
    expected = np.clip(exact, -65504, 65504).astype(np.float16)
    np.testing.assert_array_equal(got.view(np.uint16), expected.view(np.uint16))


def test_round_ignores_mode_and_keeps_infinities_and_nans(scalar_class):
    x = np.array([2.345, np.nan, np.inf, -np.inf, -0.001], scalar_class)
    expected = np.array([2.3, np.nan, np.inf, -np.inf, -0.0], scalar_class)
    for mode in MODES:
        with hc.rounding(mode):
            rounded = x.round(1)
        np.testing.assert_array_equal(rounded.view(np.uint16), expected.view(np.uint16))


@pytest.mark.parametrize("decimals", [-1, 2, 6])
def test_round_of_any_length_keeps_bits_of_specials(scalar_class, decimals):
    rng = np.random.default_rng(decimals + 10)
    context = Context(prec=60, rounding=ROUND_HALF_EVEN)
    unit = Decimal(1).scaleb(-decimals)
    for n in range(1, 80):
        bits = rng.integers(0, 65536, n).astype(np.uint16)
        bits[rng.random(n) < 0.2] |= 0x7C00  # an infinity or a NaN, perhaps a signalling one
        halves = bits.view(np.float16)
        exact = [
            float(Decimal(float(x)).quantize(unit, context=context)) if np.isfinite(x) else 0.0
            for x in halves
        ]
        expected = np.clip(exact, -65504, 65504).astype(np.float16).view(np.uint16)
        expected = np.where(np.isfinite(halves), expected, bits)
        strided = np.repeat(halves, 2)[::2].view(scalar_class)
        for array in (halves.view(scalar_class), strided):
            with np.errstate(all="raise"):
                rounded = np.round(array, decimals)
            np.testing.assert_array_equal(rounded.view(np.uint16), expected)


def test_round_into_out(scalar_class):
    x = np.array([[1.26, 60000], [2, 3]], scalar_class)[:, ::-1]
    out = np.empty((2, 2), scalar_class).T
    assert np.round(x, 1, out=out) is out
    np.testing.assert_array_equal(out, np.array([[60000, 1.3], [3, 2]], scalar_class))
    with pytest.raises(ValueError, match="out: expected shape"):
        x.round(1, out=np.empty(3, scalar_class))
    with pytest.raises(TypeError):
        x.round("x")
    assert x.astype(x.dtype.newbyteorder()).round(1)[0, 1] == scalar_class(1.3)
    assert type(scalar_class(1.26).round(1)) is scalar_class


RANGES = [(2049, -1, -1), (1, 0, -0.001), (-60000, 60000, 777.7), (0, 1, 0.1), (-1e-5, 1e-5, 1e-7)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("start", "stop", "step"), RANGES)
def test_arange_rounds_each_element_once(scalar_class, start, stop, step, mode):
    with hc.rounding(mode):
        elements = np.arange(start, stop, step, dtype=scalar_class)
    assert elements.dtype == scalar_class
    assert elements.size == np.arange(start, stop, step).size
    exact = [Fraction(start) + i * Fraction(step) for i in range(elements.size)]
    expected = np.array([round_to(x, "half", mode) for x in exact], np.float16)
    np.testing.assert_array_equal(elements.view(np.float16), expected)


def drawn_ranges(count):
    """Yield starts and steps: of few bits and of many, of both signs, tiny, large and with ties."""
    rng = np.random.default_rng(47)
    for _ in range(count):
        start, step = rng.uniform(-1, 1, 2) * 2.0 ** rng.integers(-30, (15, 7))
        bits = rng.integers(-26, 4, 2)
        if rng.random() < 0.5:
            start = np.round(start * 2.0 ** -bits[0]) * 2.0 ** bits[0]
        if rng.random() < 0.5:
            step = (np.round(step * 2.0 ** -bits[1]) or 1) * 2.0 ** bits[1]
        yield float(start), float(step)
    yield from ((-0.0, 1.0), (-0.0, -1.0), (0.0, -(2.0**-25)), (5e-324, 5e-324), (1.0, 2.0**-52))


@pytest.mark.parametrize("mode", MODES)
def test_drawn_ranges_are_rounded_once(scalar_class, mode):
    """Zeros have the sign of exact sums: plus, but for what is rounded up to it."""
    for start, step in drawn_ranges(60):
        n = 300  # more than a block
        with hc.rounding(mode):
            elements = np.arange(start, start + (n - 0.5) * step, step, dtype=scalar_class)
        some = sorted({*range(0, elements.size, 17), *range(elements.size)[-3:]})
        exact = [Fraction(start) + i * Fraction(step) for i in some]
        expected = np.array([round_to(x, "half", mode) for x in exact], np.float16)
        got = elements[some].view(np.float16)
        np.testing.assert_array_equal(got, expected, f"{start} {step}")
        is_negative = np.array([x < 0 for x in exact])
        np.testing.assert_array_equal(np.signbit(got), is_negative, f"{start} {step}")


INFINITE = float("inf")
STOPS = (0, 1, -3, 2.5, 2**70, 10**400, INFINITE, float("nan"), 5e-324, np.float32(7.1), np.int8(9))
STARTS_AND_STEPS = (
    (0, 1), (0.5, 0.1), (-2, 1e-3), (3, -0.7), (0, 1e308), (1, INFINITE), (0, 0), (5e-324, 1e308),
)  # fmt: skip


def length_or_error(start, stop, step, dtype):
    try:
        return np.arange(start, stop, step, dtype=dtype).size
    except (ValueError, ArithmeticError, MemoryError) as error:
        return type(error)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("stop", STOPS, ids=lambda x: f"{x!r:.9}")
def test_arange_has_numpys_length_or_error(scalar_class, stop):
    for start, step in STARTS_AND_STEPS:
        want = length_or_error(float(start), stop, float(step), np.float64)
        assert length_or_error(start, stop, step, scalar_class) == want, (start, stop, step)


def test_arange_needs_no_memory_beside_its_result(scalar_class):
    np.arange(3, dtype=scalar_class)
    tracemalloc.start()
    try:
        elements = np.arange(0, 1 << 18, dtype=scalar_class)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < elements.nbytes + 20_000


def test_arange_counts_by_exact_difference(scalar_class):
    assert (
        np.arange(scalar_class(1), scalar_class(2050), scalar_class(1), dtype=scalar_class).size
        == 2049
    )
    assert np.arange(scalar_class(1), scalar_class(2050)).size == 2049
    assert (
        np.arange(
            scalar_class(-60000), scalar_class(60000), scalar_class(10000), dtype=scalar_class
        ).size
        == 12
    )
    assert np.arange(3, dtype=np.dtype(scalar_class).newbyteorder()).tolist() == [0, 1, 2]
    assert np.arange(stop=3, dtype=scalar_class, start=1).tolist() == [1, 2]
    with pytest.raises(TypeError):
        np.arange(0, 1j, dtype=scalar_class)
    with pytest.raises(ZeroDivisionError):
        np.arange(0, 1, 0, dtype=scalar_class)


BIG = 60000
#: Expressions of k, the type, and their values.
CALLS = [
    ("np.quantile(np.full(70000, k(1)), k([.5]))", [1]),
    ("np.percentile(k([-BIG, BIG]), 50)", 0),
    ("np.percentile(k([-BIG, BIG]), k([75]))", [30000]),
    ("np.nanpercentile(k([-BIG, BIG, np.nan]), 50)", 0),
    ("np.nanquantile(k([-BIG, BIG, np.nan]), .5)", 0),
    ("np.percentile([k(-BIG), k(BIG)], 50)", 0),
    ("np.median(k([BIG, BIG]))", BIG),
    ("np.nanmedian(k([BIG, BIG, np.nan]))", BIG),
    ("np.ma.median(np.ma.array(k([BIG, BIG, 1]), mask=[0, 0, 1]))", BIG),
    ("np.ma.median(np.ma.array(k([[BIG, BIG]])), axis=1)", [BIG]),
    ("np.linspace(k(-BIG), k(BIG), 3)", [-BIG, 0, BIG]),
    ("np.linspace(k([-BIG]), k([BIG]), 3)[:, 0]", [-BIG, 0, BIG]),
    ("np.linspace(k(-BIG), k(BIG), 3, retstep=True)[1]", BIG),
    ("np.logspace(k(0), k(4), 3)", [1, 100, 10000]),
    ("np.geomspace(k(1), k(10000), 3)", [1, 100, 10000]),
    ("np.gradient(k([-BIG, 0, BIG]))", [BIG, BIG, BIG]),
    ("np.gradient(k([-BIG, BIG, -BIG]), 2.)[1]", 0),
    ("np.diff(k([0, BIG, 55008]), n=2)", [-64992]),
    ("np.unwrap(k([0, 3, -3]))[2]", np.float16(2 * np.pi - 3)),
    ("np.cross(k([300, 300, 1]), k([300, 300, 1]))", [0, 0, 0]),
    ("np.polyval(k([1, 300, -BIG]), k([-300]))", [-BIG]),
    ("np.histogram_bin_edges(k([-BIG, BIG]), 2)", [-BIG, 0, BIG]),
    ("np.histogram(k([-BIG, 0, BIG]), 3, weights=k([BIG, 1, 2]))[0]", [BIG, 1, 2]),
    ("np.histogram2d(k([-BIG, BIG]), k([-BIG, BIG]), 2)[1]", [-BIG, 0, BIG]),
    ("np.pad(k([-BIG, BIG]), 2, mode='linear_ramp')", [0, -30000, -BIG, BIG, 30000, 0]),
    ("np.linalg.matrix_power(k([[300, 300], [-300, -300]]), 3)", [[0, 0], [0, 0]]),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), CALLS)
def test_intermediate_results_do_not_overflow(scalar_class, expression, value):
    def k(x):
        return np.array(x, scalar_class)[()]

    result = eval(expression, {"np": np, "k": k, "BIG": BIG})
    assert result.dtype == scalar_class
    np.testing.assert_array_equal(np.asarray(result, float), np.asarray(value, float))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("np.percentile(k([-BIG, BIG]), [50])", [0]),
        ("np.histogram(k([-BIG, 0, BIG]), 3)[0]", [1, 1, 1]),
        ("np.histogram2d(k([-BIG, BIG]), k([-BIG, BIG]), 2)[0]", [[1, 0], [0, 1]]),
        ("np.histogramdd(k([[-BIG], [BIG]]), 2)[0]", [1, 1]),
    ],
)
def test_results_of_other_types(scalar_class, expression, value):
    def k(x):
        return np.array(x, scalar_class)[()]

    result = eval(expression, {"np": np, "k": k, "BIG": BIG})
    np.testing.assert_array_equal(result, value)


def test_histogram_counts_between_edges_that_it_returns(scalar_class):
    x = np.random.default_rng(3).normal(0, 10, 5000).astype(np.float16).view(scalar_class)
    counts, edges = np.histogram(x, 37)
    assert edges.dtype == scalar_class
    wide = x.astype(float)
    bins = np.searchsorted(edges.astype(float), wide, side="right")
    bins[wide == float(edges[-1])] -= 1
    np.testing.assert_array_equal(counts, np.bincount(bins, minlength=39)[1:-1])
    assert counts.sum() == x.size


@pytest.mark.parametrize("mode", MODES)
def test_quantile_rounds_once(scalar_class, mode):
    rng = np.random.default_rng(5)
    x = np.sort(rng.normal(0, 3, 1001).astype(np.float16))
    for q in (0.1234, 0.5017, 0.987):
        position = q * 1000
        i = int(position)
        a, b = Fraction(float(x[i])), Fraction(float(x[i + 1]))
        with hc.rounding(mode):
            got = np.quantile(x.view(scalar_class), q)
        assert got.view(np.float16) == round_to(a + (b - a) * Fraction(position - i), "half", mode)


def draw_rows(rng, scalar_class, shape):
    """Return halves of any size, a few of them equal, in several layouts; infinities in some."""
    values = rng.normal(0, 3, shape) * 10.0 ** rng.integers(-6, 4)
    x = values.astype(np.float16)
    x.flat[:: rng.integers(3, 9)] = rng.choice([0, -0.0, 1, 65504, -65504, 2**-24])
    if rng.random() < 0.2:
        x.flat[rng.integers(x.size)] = rng.choice([np.inf, -np.inf, np.nan])
    x = x.view(scalar_class)
    return [
        x,
        np.asfortranarray(x),
        x[::-1].copy()[::-1],
        x.astype(x.dtype.newbyteorder()),
        np.repeat(x, 2, axis=-1)[..., ::2],
    ][rng.integers(5)]


@pytest.mark.parametrize("mode", MODES)
def test_quantiles_along_axes_are_rounded_once(scalar_class, mode):
    """Compare with NumPy's quantiles of the same numbers in float64, and their warnings."""
    rng = np.random.default_rng(11)
    for _ in range(60):
        shape = tuple(rng.integers(1, 6, rng.integers(2, 4)))
        x = draw_rows(rng, scalar_class, shape)
        axis, q = int(rng.integers(-len(shape), len(shape))), float(rng.random())
        with np.errstate(all="ignore"):
            wide = np.quantile(x.astype(np.float64), q, axis=axis)
            several = np.quantile(x.astype(np.float64), [q, 0.5, 1], axis=axis)
            with hc.rounding(mode):
                got, more = np.quantile(x, q, axis=axis), np.quantile(x, [q, 0.5, 1], axis=axis)
            expected = hc.convert(wide, half, rounding=mode).view(np.float16)
        assert got.dtype == scalar_class and more.dtype == np.float64
        np.testing.assert_array_equal(np.asarray(got).view(np.float16), expected)
        np.testing.assert_array_equal(more, several)


def test_quantiles_between_infinities_warn_as_in_float64(scalar_class):
    for row in ([-np.inf, np.inf, np.inf, 1], [np.inf, np.inf, 1, 2]):
        x = np.array([row, [1, 2, 3, 4]], scalar_class)
        for q in (0.4, [0.4, 0.8]):
            messages = []
            for y in (x.astype(np.float64), x):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    result = np.quantile(y, q, axis=1)
                messages.append([str(w.message) for w in caught])
            assert messages[0] == messages[1]
            wide = np.quantile(x.astype(float)[1:], q, axis=1).astype(result.dtype)
            np.testing.assert_array_equal(result[..., 1:], wide)


def test_given_edges_are_unchanged(scalar_class):
    x = np.array([0.1, 0.25, 1], scalar_class)
    for bins in ([0.1, 0.2, 1], [0, 1, 2]):
        _, edges = np.histogram(x, bins)
        _, (same, computed) = np.histogramdd([x, x], [bins, 2])
        for array in (edges, same):
            assert array.dtype == np.asarray(bins).dtype
            assert array.tolist() == bins
        assert computed.dtype == scalar_class


def test_sinc_of_zero_is_one():
    """Check zeros, where NumPy 2.0's sinc of float16 is NaN: it divides by 0 after rounding."""
    x = np.array([0, -0.0, 1], half)
    assert np.sinc(x)[:2].tolist() == [1, 1] and np.sinc(x).dtype == half


def test_ranges_have_numpys_lengths_and_exact_elements():
    """Compare with NumPy's number of elements and fractions, for steps of any kind."""
    rng = np.random.default_rng(3)
    for turn in range(400):
        start, stop = (float(rng.choice([0, 1, -2.5, 0.1, 1e-9, 300])) for _ in range(2))
        stop = int(stop) if turn % 3 == 0 else stop + float(rng.uniform(-3, 3))
        step = float(rng.choice([1, 0.5, 0.1, -0.25, -1e-2, 2.0**-24, 2.0**-30, 7]))
        stop = start + 50 * step if abs(stop - start) > 1e5 * abs(step) else stop
        got = np.arange(start, stop, step, half)
        assert got.shape == np.arange(start, stop, step).shape
        for i in {0, len(got) // 2, len(got) - 1} if len(got) else ():
            assert got[i] == half(Fraction(start) + i * Fraction(step))
    for wrong in ((0, np.nan, 1), (0, 1, 0), (0, np.inf, 1), (0, 10**400, 1), (0, 1e300, 1)):
        with pytest.raises((ValueError, ZeroDivisionError, OverflowError, MemoryError)):
            np.arange(*wrong, half)


@pytest.mark.parametrize("size", [1000, (1 << 15) + 1, 1 << 17])
def test_histograms_count_halves_between_rounded_edges(scalar_class, size):
    """Compare counts with those of doubles between the same edges, in all layouts."""
    rng = np.random.default_rng(size)
    x = rng.normal(0, 2, size).astype(np.float16)
    x[rng.integers(0, size, 99)] = rng.choice([0, -0.0, 4, -4, 65504, 2**-24], 99)
    x = x.astype(scalar_class)
    edges = np.array([-4, -1.5, 0, 0.1, 2, 4, 9], scalar_class)
    nans = x.copy()
    nans[::100] = np.nan
    nans[1::100] = np.inf
    for y in (x, x[::-2], x.reshape(-1, 1).T, x.astype(x.dtype.newbyteorder()), nans):
        for options in (
            {"bins": edges},
            {"bins": 16, "range": (-4, 4)},
            {"bins": edges, "density": True},
        ):
            got, used = np.histogram(y, **options)
            wide = np.asarray(y.astype(np.float64)).ravel()
            want, _ = np.histogram(
                wide, np.asarray(used).astype(np.float64), density=options.get("density")
            )
            np.testing.assert_array_equal(got, want, strict=True)
    got, used = np.histogram(x, 10)
    assert used.dtype.type is scalar_class and got.sum() == size and got.dtype == np.intp


def test_histogram_of_many_halves_needs_little_memory(scalar_class):
    x = np.zeros(1 << 19, scalar_class)
    tracemalloc.start()
    try:
        np.histogram(x, np.array([-1, 0, 1], scalar_class))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_500_000  # the array has 2**20 bytes, doubles would have four times as many


@pytest.mark.parametrize(
    "expression",
    [
        "np.cross([1, 2, 3], x)",
        "np.linspace([1.5, 2, 3], x, 3)",
        "np.logspace(x, x, 3, base=[2, 2, 2])",
        "np.polyval([1, 2], x)",
        "np.quantile([1e-300, 1], x[0])",
        "np.quantile(1e-300, x[:1])",
        "np.nanpercentile(3, x)",
        "np.sinc([x[0], 1.0])",
        "np.diff([x[0], 1.0], 2)",
    ],
)
def test_numbers_in_lists_decide_type_as_in_arrays(scalar_class, expression):
    x = np.array([0.5, 1, 0.25], scalar_class)
    assert eval(expression, {"np": np, "x": x}).dtype == np.float64


@pytest.mark.parametrize(
    "expression",
    [
        "np.linspace(x[0], w[2], 3)",
        "np.linspace(x, w, 3)",
        "np.linspace(x[0], 2j, 3)",
        "np.logspace(x[0], w[2], 3)",
        "np.geomspace(x, w, 3)",
        "np.unwrap(x, period=w[0])",
        "np.unwrap(w, period=x[0])",
        "np.poly([x[0], w[1]])",
        "np.polyval(w, x)",
        "np.polyval(x, w)",
        "np.polyval([w[0], w[1]], x)",
        "np.cross(x, w[::-1])",
        "np.diff(x, 2, prepend=w)",
        "np.diff(w, 2, append=x)",
        "np.linalg.multi_dot([x, w[:, None] * w, x])",
        "np.quantile(w, x[0])",
        "np.quantile(x, w[:2])",
        "np.nanpercentile(w, x)",
        "np.histogramdd([x, w], 2)[1][0]",
        "np.histogram2d(x, w, 3)[1]",
    ],
)
def test_beside_single_precision_halves_are_numbers_of_it(scalar_class, expression):
    x = np.array([0.5, 1, 0.25], scalar_class)
    w = np.array([0.1, 0.7, 0.3], np.float32)
    result = eval(expression, {"np": np, "x": x, "w": w})
    expected = eval(expression, {"np": np, "x": x.astype(np.float32), "w": w})
    np.testing.assert_array_equal(result, expected, strict=True)


@pytest.mark.parametrize("end", [1, 1.5, [1, 2], True, np.array([0.1])])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_numbers_beside_those_of_diff_decide_type_as_arrays(scalar_class, end, order):
    x = np.array([0.5, 1, 0.25, 7], scalar_class)
    for ends in ({"prepend": end}, {"append": end}, {"prepend": x, "append": end}):
        wide = {name: y.astype(float) if y is x else y for name, y in ends.items()}
        expected = np.diff(x.astype(float), order, **wide)
        expected = expected.astype(scalar_class if end is True else float)
        np.testing.assert_array_equal(np.diff(x, order, **ends), expected, strict=True)


@pytest.mark.parametrize("coefficients", [[10**30, 1], np.array([1, 2.5], object), [None]])
def test_coefficients_that_are_objects_keep_their_types(scalar_class, coefficients):
    x = np.array([0, 1, -2], scalar_class)
    with np.errstate(all="ignore"):
        if None in coefficients:
            with pytest.raises(TypeError):
                np.polyval(coefficients, x)
            return
        result, y = np.polyval(coefficients, x), 0 * x
        for number in coefficients:
            y = y * x + number
    np.testing.assert_array_equal(result, y, strict=True)


@pytest.mark.parametrize("coefficients", [[], (), np.array([])])
def test_polynomials_without_coefficients_have_the_type_of_their_numbers(
    scalar_class, coefficients
):
    x = np.array([0, 1, -2], scalar_class)
    for numbers in (x, x.astype(x.dtype.newbyteorder()), x[0]):
        result = np.polyval(coefficients, numbers)
        assert result.dtype == numbers.dtype and not np.any(result)


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
@pytest.mark.parametrize("others", [np.float32, np.float64, int])
def test_quantiles_of_other_numbers_are_written_to_halves(scalar_class, name, others):
    x = np.array([1, 2, 4], others)
    part = scalar_class(25 if "percentile" in name else 0.25)
    for q, out in (
        (part, np.zeros((), scalar_class)),
        (part.reshape(1), np.zeros(1, scalar_class)),
    ):
        result = getattr(np, name)(x, q, out=out)
        assert result is out and out == 1.5


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_quantiles_refuse_outputs_that_are_no_arrays(scalar_class, name):
    x = np.array([1, 2, 4], scalar_class)
    for out in ((), (np.zeros((), scalar_class),), [0.0], 3):
        with pytest.raises(TypeError, match=f"{name}: argument out: expected an array, got "):
            getattr(np, name)(x, 0.25, out=out)


def test_histogram_of_a_number_is_that_of_one_point(scalar_class):
    for number in (scalar_class(2), np.array(2, scalar_class)):
        counts, (edges,) = np.histogramdd(number, 2)
        assert counts.tolist() == [0, 1] and edges.dtype == scalar_class
        assert edges.tolist() == [1.5, 2, 2.5]


def test_number_of_bins_in_an_array_without_axes(scalar_class):
    x = np.array([-1, 2, 3, 4.5], scalar_class)
    for function in (lambda bins: np.histogram2d(x, x, bins), lambda b: np.histogramdd([x, x], b)):
        counts, *edges = function(np.array(3))
        expected, *others = function(3)
        np.testing.assert_array_equal(counts, expected, strict=True)
        np.testing.assert_array_equal(edges, others, strict=True)
        with pytest.raises(TypeError, match="must be an integer"):
            function(np.array(2.5))
    assert np.histogram(x, np.array(3))[0].tolist() == [1, 1, 2]


def test_histogram_of_a_proxy_is_that_of_its_array(scalar_class):
    wrapt = pytest.importorskip("wrapt")
    x = np.array([-1, 2, 3, 4.5], scalar_class)
    for options in ({}, {"weights": x}, {"bins": x[:3]}):
        proxies = {name: wrapt.ObjectProxy(y) if y is x else y for name, y in options.items()}
        for got, expected in zip(
            np.histogram(wrapt.ObjectProxy(x), **proxies), np.histogram(x, **options), strict=True
        ):
            np.testing.assert_array_equal(got, expected, strict=True)


def test_lists_of_float16_and_numbers_are_numpys_outside_of_acceleration():
    assert np.sinc([np.float16(1), 1.0]).dtype == np.float64


def test_histogram_refuses_infinite_edges(scalar_class):
    x = np.array([1, 2, 3], scalar_class)
    for function in (np.histogram, np.histogram_bin_edges):
        with pytest.raises(ValueError, match="Cannot create 10 finite-sized bins"):
            function(x, range=(-1e9, 1e9))


@pytest.mark.parametrize("bins", [1, "sturges"])
@pytest.mark.parametrize("function", [np.histogram, np.histogram_bin_edges])
def test_histogram_reports_edges_that_overflow(scalar_class, function, bins):
    x = np.zeros(1, scalar_class)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        function(x, bins, range=(0, 1e9))
    with np.errstate(over="ignore"):
        edges = function(x, bins, range=(0, 1e9))
    assert np.array_equal(edges[1] if isinstance(edges, tuple) else edges, [0, np.inf])


def test_arange_of_single_element_ignores_infinite_step(scalar_class):
    assert np.arange(1, 2, np.inf, dtype=scalar_class).tolist() == [1]


def test_arange_refuses_start_of_none_before_stop(scalar_class):
    with pytest.raises(TypeError):
        np.arange(None, scalar_class(3), 1)


@pytest.mark.parametrize("keywords", [{}, {"range": (-1, 1)}, {"density": True}, {"bins": 7}])
def test_edges_of_histograms_need_little_memory(scalar_class, keywords):
    x = np.random.default_rng(2).normal(size=1 << 20).astype(np.float16).view(scalar_class)
    counts, edges = np.histogram(x, **keywords)
    wide = np.histogram(x.astype(float), edges.astype(float), density=keywords.get("density"))[0]
    np.testing.assert_array_equal(counts, wide)
    tracemalloc.start()
    try:
        np.histogram(x, **keywords)
        np.histogram_bin_edges(x, keywords.get("bins", 10), keywords.get("range"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000  # doubles have 2**23 bytes


def test_weights_that_cancel_are_added_exactly(scalar_class):
    """Sums on the way are beyond what float64 holds beside the smallest half."""
    large = np.full(20_000, 65504, np.float16)
    weights = np.concatenate([large, [2**-24], -large, [np.inf], [1]]).astype(np.float16)
    x = np.zeros(weights.size, np.float16)
    x[-2:] = 1, 2
    x, weights = x.view(scalar_class), weights.view(scalar_class)
    for counts in (
        np.histogram(x, 3, weights=weights)[0],
        np.histogramdd([x], 3, weights=weights)[0],
    ):
        assert counts.tolist() == [2**-24, np.inf, 1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [0, 1, 16, 700, 70_000])
def test_weighted_histograms_are_exact_sums_rounded_once(scalar_class, mode, size):
    """Compare with sums of integers, whose unit is the smallest half."""
    rng = np.random.default_rng([size, 3])
    x = rng.normal(0, 2, size).astype(np.float16)
    weights = (rng.normal(0, 1, size) * 2.0 ** rng.integers(-20, 5)).astype(np.float16)
    units = (weights.astype(float) * 2**24).astype(int)
    for bins in (5, np.array([-3, -1, 0, 0, 1.5, 4], scalar_class), [-1.05, 0.3, 1.5]):
        with np.errstate(all="ignore"), hc.rounding(mode):
            got, edges = np.histogram(
                x.view(scalar_class), bins, weights=weights.view(scalar_class)
            )
        edges, wide = np.asarray(edges).astype(float), x.astype(float)
        for k, (low, high) in enumerate(pairwise(edges)):
            is_last = k == len(edges) - 2
            is_in = (low <= wide) & ((wide <= high) if is_last else (wide < high))
            exact = Fraction(int(units[is_in].sum()), 2**24)
            assert got[k].view(np.float16) == round_to(exact, "half", mode)
        assert got.dtype == scalar_class


@pytest.mark.parametrize("mode", MODES)
def test_even_edges_are_those_of_float64_rounded_once(scalar_class, mode):
    rng = np.random.default_rng(12)
    for turn in range(200):
        x = rng.normal(0, 10.0 ** rng.integers(-3, 4), 9).astype(np.float16)
        bins = int(rng.integers(1, 40))
        limits = [None, (-0.1, 0.7), (-3, 1000), (0.3, 0.3)][turn % 4]
        with hc.rounding(mode):
            edges = np.histogram_bin_edges(x.view(scalar_class), bins, limits)
            columns = np.histogram2d(
                x.view(scalar_class), x.view(scalar_class), bins, [limits, limits]
            )[1:]
        low, high = (x.min(), x.max()) if limits is None else limits
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        exact = np.linspace(float(low), float(high), bins + 1)
        expected = hc.convert(exact, half, rounding=mode).view(np.float16)
        for got in (edges, *columns):
            assert got.dtype == scalar_class
            np.testing.assert_array_equal(got.view(np.float16), expected)


def test_bins_without_width_are_refused_if_numpy_refuses_them(scalar_class):
    x = np.array([1, 2, 3], scalar_class)
    limits = (1, 1 + 1e-15)
    want = result_or_error(lambda: np.histogram(x.astype(float), 99, limits)[0].size)
    assert result_or_error(lambda: np.histogram(x, 99, limits)[0].size) == want


@pytest.mark.parametrize("density", [False, True])
def test_histograms_of_grids_count_between_rounded_edges(scalar_class, density):
    """Compare with NumPy's histograms of doubles between the same edges."""
    rng = np.random.default_rng(8)
    for turn in range(30):
        n, columns = int(rng.choice([1, 9, 300])), int(rng.integers(1, 4))
        x = rng.normal(0, 2, (n, columns)).astype(np.float16)
        x.flat[:: rng.integers(2, 9)] = rng.choice([0, -0.0, 2, -2, 65504])
        bins = [
            [3, np.array([-2, 0, 0.1, 2], scalar_class), [-1.05, 0.3]][k % 3]
            for k in range(columns)
        ]
        limits = [None, (-1, 2.5), None][:columns] if turn % 2 else None
        halves = x.view(scalar_class)
        sample = list(halves.T) if turn % 3 else halves
        weights = None if turn % 4 else halves[:, 0]
        with np.errstate(all="ignore"):
            got, edges = np.histogramdd(sample, bins, limits, density=density, weights=weights)
        wide = [np.asarray(edge).astype(float) for edge in edges]
        heavy = None if weights is None else x[:, 0].astype(float)
        with np.errstate(all="ignore"):
            want, _ = np.histogramdd(x.astype(float), wide, density=density, weights=heavy)
        np.testing.assert_array_equal(got, want, strict=True)
        assert all(e.dtype == (scalar_class if k % 3 < 2 else float) for k, e in enumerate(edges))


HISTOGRAMS = {
    "no bins": lambda x: np.histogram(x, 0),
    "text": lambda x: np.histogram(x, "none"),
    "float": lambda x: np.histogram(x, 2.5),
    "falling edges": lambda x: np.histogram(x, [2, 1], weights=x),
    "falling limits": lambda x: np.histogram(x, 2, (1, 0)),
    "infinite limits": lambda x: np.histogram(x, 2, (1, np.inf)),
    "three limits": lambda x: np.histogram(x, 2, (1, 2, 3)),
    "weights": lambda x: np.histogram(x, 2, weights=x[1:]),
    "NaN": lambda x: np.histogram(x * np.nan, 2),
    "grid without bins": lambda x: np.histogram2d(x, x, 0),
    "grid of text": lambda x: np.histogram2d(x, x, ["auto", 2]),
    "lengths": lambda x: np.histogram2d(x, x[1:], 2),
    "limits of a grid": lambda x: np.histogram2d(x, x, 2, [(0, 1)]),
    "falling edges of a grid": lambda x: np.histogram2d(x, x, [[2, 1], 2]),
    "weights of a grid": lambda x: np.histogram2d(x, x, 2, weights=x[1:]),
}


@pytest.mark.parametrize("call", HISTOGRAMS.values(), ids=HISTOGRAMS)
def test_histograms_refuse_what_numpy_refuses(scalar_class, call):
    x = np.array([1, 2, 4], scalar_class)
    got, want = result_or_error(lambda: call(x)), result_or_error(lambda: call(x.astype(float)))
    assert str(got).replace("float16", "float64") == str(want)


def test_histograms_of_many_halves_need_little_memory(scalar_class):
    x = np.random.default_rng(4).normal(size=1 << 20).astype(np.float16).view(scalar_class)
    calls = (
        lambda: np.histogram(x, 16, weights=x),
        lambda: np.histogram(x, 2.0 ** np.arange(-8, 4), weights=x),
        lambda: np.histogram2d(x, x, 8, weights=x),
    )
    for call in calls:
        tracemalloc.start()
        try:
            with np.errstate(over="ignore"):
                call()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 3_000_000  # doubles have 2**23 bytes


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles_0_and_1_are_extremes_even_if_infinite(scalar_class, name):
    for x in ([-np.inf, 1, 2, np.inf], [-np.inf, -np.inf, 3]):
        halves = np.array(x, scalar_class)
        for q, extreme in ((0, min(x)), (1, max(x))):
            result = getattr(np, name)(halves, q)
            assert result == extreme and result.dtype == halves.dtype
