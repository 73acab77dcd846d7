"""Tests of NumPy's functions that halves compute in one pass of float64: differences and others."""

import tracemalloc
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest
from exhaustive import in_turn

import halfcl as hc
from halfcl import _core, half

MODES = ("rte", "rtp", "rtn", "rtz")
SHAPES = ((2,), (3,), (40,), (2100,), (3, 5), (5, 3), (300, 2), (2, 300), (3, 4, 5), (4, 1, 300))


def draw(rng, shape, how):
    n = int(np.prod(shape))
    if how == "any":
        bits = rng.integers(0, 65536, n).astype(np.uint16)
        bits[(bits & 0x7C00) == 0x7C00] &= 0x83FF  # finite
        values = bits.view(np.float16)
    else:
        values = rng.integers(-40, 40, n).astype(np.float16) / 8
        values[rng.random(n) < 0.05] = -0.0
    return values.reshape(shape)


def layouts(values):
    """Yield arrays with these values, in several layouts."""
    yield values
    yield np.asfortranarray(values)
    spread = np.zeros(tuple(2 * n + 1 for n in values.shape), values.dtype)
    places = tuple(slice(1, None, 2) for _ in values.shape)
    spread[places] = values
    yield spread[places]
    backward = (slice(None, None, -1),) * values.ndim
    yield values[backward].copy()[backward]
    yield values.astype(">f2")


def of_kind(values, scalar_class):
    """Return values as half in native byte order, or as float16 in any."""
    if scalar_class is np.float16:
        return values
    return (
        values.astype(values.dtype.newbyteorder("=")).view(half)
        if not (values.dtype.isnative)
        else values.view(half)
    )


@cache
def halves_and_two_more():
    """Return the finite halves in order, as if there were one more of each sign."""
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    halves = np.unique(halves[np.isfinite(halves)].astype(np.float64))
    return np.concatenate([[-65536.0], halves, [65536.0]])


def round_once(wide, mode):
    """Return finite doubles as the bits of halves, rounded by comparison with neighbours."""
    wide = np.asarray(wide, np.float64)
    over = halves_and_two_more()
    right = np.searchsorted(over, wide, "left").clip(1, len(over) - 1)
    low, high = over[right - 1], over[right]
    low = np.where(high == wide, high, low)
    if mode == "rte":
        to_low, to_high = wide - low, high - wide
        with np.errstate(all="ignore"):
            low_bits = low.astype(np.float16).view(np.uint16)
        even = (np.abs(low) == 65536) | (low_bits & 1 == 0)
        nearest = np.where((to_low < to_high) | ((to_low == to_high) & even), low, high)
    else:
        up = {"rtp": np.ones_like(wide, bool), "rtn": np.zeros_like(wide, bool), "rtz": wide < 0}
        nearest = np.where(up[mode], high, low)
    if mode in ("rtz", "rtn"):
        nearest = np.where((nearest == 65536) | ((wide > 65504) & (mode != "rte")), 65504, nearest)
    if mode in ("rtz", "rtp"):
        nearest = np.where((nearest == -65536) | (wide < -65504), -65504, nearest)
    with np.errstate(all="ignore"):
        bits = np.copysign(nearest, wide).astype(np.float16).view(np.uint16)
    return bits


def check(function, array, wide, mode):
    """Compare a function's results for halves with doubles that are rounded once."""
    with hc.rounding(mode), np.errstate(all="ignore"):
        result = function(array)
    assert result.dtype.type is array.dtype.type
    got = np.asarray(result).astype(result.dtype.newbyteorder("=")).view(np.uint16)
    np.testing.assert_array_equal(got, round_once(wide, mode))


def draws(rng, shape, least):
    """Yield arrays of a shape, and each of their axes that has so many elements."""
    for how in ("any", "small"):
        values = draw(rng, shape, how)
        for axis in range(len(shape)):
            if shape[axis] >= least:
                yield values, axis


@contextmanager
def exceptions():
    """Collect the names of floating-point exceptions."""
    names = set()
    with np.errstate(all="call", call=lambda name, _: names.add(name)):
        yield names


@in_turn
@pytest.mark.parametrize("order", [2, 3, 7])
@pytest.mark.parametrize("shape", SHAPES)
def test_diff_rounds_exact_differences_once(scalar_class, shape, order):
    rng = np.random.default_rng(order)
    for values, axis in draws(rng, shape, order + 1):
        wide = np.moveaxis(values.astype(np.float64), axis, -1)
        n = shape[axis] - order
        # Halves are multiples of 2^-24 below 2^16, so doubles hold these sums.
        exact = sum(
            (-1) ** (order - k) * comb(order, k) * wide[..., k : k + n] for k in range(order + 1)
        )
        exact = np.moveaxis(exact, -1, axis)
        for mode in MODES:
            for array in layouts(values):
                with hc.rounding(mode), np.errstate(all="ignore"):
                    result = np.diff(of_kind(array, scalar_class), order, axis)
                got = np.asarray(result).view(np.uint16)
                expected = round_once(exact, mode)
                zero = exact == 0  # whose sign depends on the order of operations
                np.testing.assert_array_equal(np.where(zero, got, expected), got)
                assert not (got[zero] & 0x7FFF).any()


def test_sign_of_zero_differences_ignores_mode(scalar_class):
    zeros = np.array([0.0, 0.0, -0.0, 0.0, 1.0, 1.0, 1.0], np.float16)
    wide = np.diff(zeros.astype(np.float64), 2)
    for mode in MODES:
        check(lambda a: np.diff(a, 2), zeros.view(scalar_class), wide, mode)


@in_turn
@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_gradient_rounds_doubles_once(scalar_class, shape, edge_order):
    rng = np.random.default_rng(edge_order)
    for values, axis in draws(rng, shape, edge_order + 1):
        n = shape[axis]
        places = np.cumsum(rng.integers(1, 9, n)) / 4
        for distance in (1.0, 3, 0.3, -2.5, 2047 / 1024, 1e-9, places, np.arange(n) * 0.25):
            with np.errstate(all="ignore"):
                wide = np.gradient(
                    values.astype(np.float64), distance, axis=axis, edge_order=edge_order
                )
            for mode, array in zip(MODES * 2, layouts(values), strict=False):
                check(
                    lambda a, d=distance, k=axis: np.gradient(
                        a, d, axis=k, edge_order=edge_order
                    ),
                    of_kind(array, scalar_class), wide, mode,
                )  # fmt: skip


def test_gradient_of_every_quotient_of_few_bits(scalar_class):
    """Divide differences by numbers of up to 12 bits, which is done by their inverses."""
    rng = np.random.default_rng(3)
    values = draw(rng, (4096,), "any")
    values[::2] = values[::2] * np.float16(2.0**-8)
    for divisor in (1.5, 3.0, 7 / 4096, 4095.0, 11.0, scalar_class(0.1)):
        wide = np.gradient(values.astype(np.float64), float(divisor))
        for mode in MODES:
            check(lambda a, d=divisor: np.gradient(a, d), values.view(scalar_class), wide, mode)


def test_gradient_along_all_axes_and_at_halves(scalar_class):
    values = draw(np.random.default_rng(5), (6, 40), "small")
    x, y = np.arange(6.0) ** 2, np.arange(40.0)
    wide = np.gradient(values.astype(np.float64), x, y)
    parts = np.gradient(values.view(scalar_class), x.astype(np.float16).view(scalar_class), y)
    assert type(parts) is tuple
    for part, doubles in zip(parts, wide, strict=True):
        np.testing.assert_array_equal(part.view(np.uint16), round_once(doubles, "rte"))


def test_gradient_reports_exceptions_of_each_axis_once():
    f = np.zeros((4, 3), half)
    f[0], f[2], f[:, 1] = 60000, -60000, 60000
    reports = []
    with np.errstate(over="call", call=lambda *args: reports.append(args)):
        np.gradient(f, 0.5, [0, 1, 4])  # NumPy computes lists of places, of both axes
        assert len(reports) == 2
        np.gradient(f, 0.5, np.array([0.0, 1, 4]))
        assert len(reports) == 4


def test_exceptions_of_neighbours(scalar_class):
    large = np.array([60000, -60000, 60000, 1], scalar_class)
    with exceptions() as names:
        np.diff(large, 2)
    assert names == {"overflow"}
    special = np.array([np.inf, np.inf, 1, 2, np.nan], scalar_class)
    for function in (
        lambda a: np.diff(a, 2),
        np.gradient,
        np.unwrap,
        lambda a: np.gradient(a, [0.0, 1, 3, 4, 9]),
    ):
        with exceptions() as names:
            function(special)
        assert names == {"invalid value"}
    with exceptions() as names:
        np.gradient(np.array([1, 2, 4], scalar_class), np.array([0.0, 1, 1]))
    assert "divide by zero" in names
    with exceptions() as names:
        np.gradient(np.array([1, 2, 4], scalar_class), 0.25)
        np.trapezoid(np.array([[1, 2], [4, np.nan]], scalar_class))
    assert names == set()


@in_turn
@pytest.mark.parametrize("period", [2 * np.pi, 4, 2.5])
@pytest.mark.parametrize("shape", SHAPES)
def test_unwrap_rounds_doubles_once(scalar_class, shape, period):
    values = (draw(np.random.default_rng(7), shape, "small") * 2).astype(np.float16)
    for axis in range(len(shape)):
        for discont in (None, 1.25):
            wide = np.unwrap(values.astype(np.float64), discont, axis, period=period)
            for mode, array in zip(MODES * 2, layouts(values), strict=False):
                check(
                    lambda a, d=discont, k=axis: np.unwrap(a, d, k, period=period),
                    of_kind(array, scalar_class), wide, mode,
                )  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_polyval_of_halves_rounds_doubles_once(scalar_class, shape):
    values = draw(np.random.default_rng(9), shape, "small")
    coefficients = np.array([0.1, -3, 0.25, 1], np.float16)
    wide = np.polyval(coefficients.astype(np.float64), values.astype(np.float64))
    for mode, array in zip(MODES * 2, layouts(values), strict=False):
        check(
            lambda a: np.polyval(coefficients.view(scalar_class), a),
            of_kind(array, scalar_class),
            wide,
            mode,
        )
    for others in ([1, 2, 3], (0.1, 2), np.array([0.1, 2, -7])):
        for array in layouts(values):
            result = np.polyval(others, of_kind(array, scalar_class))
            assert result.dtype == np.float64
            np.testing.assert_array_equal(result, np.polyval(others, values.astype(np.float64)))
    assert np.polyval([], values.view(scalar_class)).dtype == scalar_class


def test_integrals_of_short_lines_are_exact(scalar_class):
    rng = np.random.default_rng(11)
    for shape in ((2,), (200,), (3, 5), (300, 2), (2, 300), (3, 4, 5)):
        values = draw(rng, shape, "any")
        for axis in range(len(shape)):
            for distance in (1.0, 0.3, 2**-20, -3):
                lines = np.moveaxis(values, axis, -1).reshape(-1, shape[axis])[:7]
                sums = [sum(map(int, np.ldexp(line.astype(float), 25))) for line in lines]
                ends = [int(np.ldexp(float(line[0]) + float(line[-1]), 24)) for line in lines]
                for mode, array in zip(MODES * 2, layouts(values), strict=False):
                    with hc.rounding(mode), np.errstate(all="ignore"):
                        result = np.trapezoid(of_kind(array, scalar_class), dx=distance, axis=axis)
                    got = np.asarray(result).view(np.uint16).reshape(-1)
                    for total, both, bits in zip(sums, ends, got[:7], strict=True):
                        exact = Fraction(total - both, 1 << 25) * Fraction(distance)
                        if exact:
                            assert bits == truncated_then_rounded(exact, mode)


def truncated_then_rounded(exact, mode):
    """Return a fraction as the bits of a half; the double has a sticky last bit."""
    near = float(exact)
    if Fraction(near) != exact:
        toward_zero = near if abs(Fraction(near)) < abs(exact) else np.nextafter(near, 0)
        bits = np.float64(toward_zero).view(np.uint64) | np.uint64(1)
        near = bits.view(np.float64)
    return round_once([near], mode)[0]


@pytest.mark.parametrize("function", [np.sinc, np.i0])
def test_functions_of_one_half_round_doubles_once(scalar_class, function):
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves) & (np.abs(halves) < 700)]
    wide = function(halves.astype(np.float64))
    for mode in MODES:
        for _ in range(2):  # the second call takes all results from the table
            check(function, halves.view(scalar_class), wide, mode)
    for array, expected in zip(layouts(halves[:60].reshape(3, 4, 5)), [wide[:60]] * 5, strict=True):
        check(function, of_kind(array, scalar_class), expected.reshape(3, 4, 5), "rte")


def test_special_results_raise_exceptions_each_time(scalar_class):
    for _ in range(3):
        with exceptions() as names:
            results = np.sinc(np.array([np.inf, 1.5, np.nan], scalar_class))
        assert names == {"invalid value"}
        assert np.isnan(results).tolist() == [True, False, True]
        with exceptions() as names:
            results = np.i0(np.array([1000, 2], scalar_class))
        assert names == {"overflow"}
        assert np.isinf(results).tolist() == [True, False]


def test_numpy_computes_each_half_once():
    calls = []

    def count(x):
        calls.append(x.copy())
        return 2 * x

    results = _core.ResultsOfHalves(count)
    x = np.array([1, 2, 3, 2], half)
    for _ in range(2):
        assert results(x).tolist() == [2, 4, 6, 4]
    assert results(np.array([3, 4], half)).tolist() == [6, 8]
    assert [call.tolist() for call in calls] == [[1, 2, 3, 2], [4]]
    assert results(np.float64(1)) is None


@pytest.mark.parametrize(
    "function",
    [
        np.sinc,
        np.i0,
        np.unwrap,
        np.gradient,
        lambda a: np.diff(a, 2),
        lambda a: np.diff(a, 5),
        lambda a: np.polyval(a[:3], a),
        lambda a: np.gradient(a.reshape(1024, -1), axis=0),
        lambda a: np.trapezoid(a.reshape(-1, 2)),
        lambda a: np.round(a, 2),
    ],
)
def test_memory_beside_results_is_a_block(scalar_class, function):
    a = np.linspace(-4, 4, 1 << 20).astype(np.float16).view(scalar_class)
    size = function(a).nbytes  # the first call fills tables
    tracemalloc.start()
    try:
        function(a)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < size + (1 << 17)


def test_unusual_arguments_are_numpys(scalar_class):
    a = np.array([1, 4, 9, 16], scalar_class)
    with pytest.raises(np.exceptions.AxisError):
        np.diff(a, 2, axis=3)
    with pytest.raises(ValueError, match="at least"):
        np.gradient(a[:1])
    with pytest.raises(TypeError):
        np.gradient(a, 1, 2)
    assert np.diff(a, 2, prepend=scalar_class(0)).tolist() == [2, 2, 2]
    assert np.diff(a, 9).shape == (0,)
    assert np.diff(a[:0], 2).shape == (0,)
    assert np.gradient(a.tolist()).dtype == np.float64
    assert np.gradient([scalar_class(1), scalar_class(4)]).tolist() == [3, 3]
    read_only = a.copy()
    read_only.flags.writeable = False
    assert np.sinc(read_only).dtype == scalar_class
    assert read_only.tolist() == [1, 4, 9, 16]


def test_types_of_distances_decide_types_of_results(scalar_class):
    a = np.array([1, 4, 9, 16], scalar_class)
    assert np.trapezoid(a, dx=2).dtype == np.trapezoid(a, dx=scalar_class(2)).dtype == scalar_class
    assert np.trapezoid(a, dx=np.float64(2)).dtype == np.float64
    for distance in (2, 2.0, scalar_class(2), np.float64(2), np.arange(4.0) ** 2):
        assert np.gradient(a, distance).dtype == scalar_class


def test_subclasses_stay(scalar_class):
    class Own(np.ndarray):
        pass

    a = np.array([1, 4, 9, 16], scalar_class).view(Own)
    assert type(np.diff(a, 2)) is Own
