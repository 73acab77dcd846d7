"""Conversions: every half to every type, and to half from values around every boundary."""

import functools
from fractions import Fraction

import numpy as np
import oracle
import pytest
import samples
from exhaustive import in_modes, one_in, shared_out
from oracle import INVALID, MODES, OVERFLOW

import halfcl as hc

INTEGERS = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
}
FLOATS = {"float": np.float32, "double": np.float64}
ROUNDERS = {"rte": np.rint, "rtz": np.trunc, "rtp": np.ceil, "rtn": np.floor}


def bits(x):
    return x.view(np.uint16)


def flags_one_by_one(function, values):
    """Return the flags of each value, in a call whose other values are zeros."""
    buffer = np.zeros(37, values.dtype)
    flags = np.empty(values.size, np.int64)
    with oracle.Watch() as watch:
        for i in range(values.size):
            buffer[i % 37] = values[i]
            function(buffer)
            flags[i] = watch.take()
            buffer[i % 37] = 0
    return flags


# ---------------------------------------------------------------- from half


def integers_of(values, dtype, mode, saturate):
    """Return the integers that IEEE 754 and OpenCL demand, and where invalid is raised."""
    info = np.iinfo(dtype)
    finite = np.isfinite(values)
    rounded = ROUNDERS[mode](np.where(finite, values, 0)).astype(np.int64)  # below 2^17: exact
    outside = ~finite | (rounded < info.min) | (rounded > info.max)
    if not saturate:
        indefinite = np.int64(-1) << (info.bits - 1) if info.bits > 16 else 0
        return np.where(finite, rounded, indefinite).astype(dtype), outside
    result = np.array([min(max(x, info.min), info.max) for x in rounded.tolist()], dtype)
    result[np.isposinf(values)] = info.max
    result[np.isneginf(values)] = info.min
    return result, np.zeros_like(outside)


@shared_out
@pytest.mark.parametrize("saturate", [False, True], ids=["wrapping", "saturating"])
@pytest.mark.parametrize(("name", "mode"), in_modes(INTEGERS))
def test_half_to_integer(name, saturate, mode, all_halves):
    dtype = INTEGERS[name]
    values = samples.value(bits(all_halves))
    want, outside = integers_of(values, dtype, mode, saturate)
    function = getattr(hc, f"convert_{name}{'_sat' if saturate else ''}_{mode}")
    with np.errstate(all="ignore"):
        got = function(all_halves)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got, want)
        got = hc.convert(all_halves, dtype, rounding=mode, saturate=saturate)
        np.testing.assert_array_equal(got, want)
        got = hc.convert(all_halves.view(np.float16), name, rounding=mode, saturate=saturate)
        np.testing.assert_array_equal(got, want)
    with oracle.Watch() as watch:
        function(all_halves[~outside])
        assert watch.take() == 0
    edges = np.flatnonzero(np.diff(outside))
    chosen = np.concatenate([edges, edges + 1, np.arange(0, 1 << 16, 97)])
    flags = flags_one_by_one(function, all_halves[chosen])
    np.testing.assert_array_equal(flags, np.where(outside[chosen], INVALID, 0))


@pytest.mark.parametrize("name", INTEGERS)
def test_half_to_integer_truncates_by_default(name, all_halves):
    dtype = INTEGERS[name]
    want, outside = integers_of(samples.value(bits(all_halves)), dtype, "rtz", False)
    inside, want = all_halves[~outside], want[~outside]
    with hc.rounding("rtp", builtins=True):
        for got in (hc.convert(inside, dtype), getattr(hc, f"convert_{name}")(inside)):
            np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(inside.astype(dtype), want)


@pytest.mark.parametrize("name", FLOATS)
def test_half_to_float_is_exact(name, mode, all_halves):
    dtype = FLOATS[name]
    with np.errstate(invalid="ignore"):
        values = samples.value(bits(all_halves)).astype(dtype)
    number = ~np.isnan(values)
    for function in (
        lambda x: hc.convert(x, dtype, rounding=mode),
        lambda x: getattr(hc, f"convert_{name}_{mode}")(x),
        lambda x: x.astype(dtype),
    ):
        with oracle.Watch() as watch:
            got = function(all_halves[number])
            assert watch.take() == 0
        assert got.dtype == dtype
        assert (got == values[number]).all()
        assert (np.signbit(got) == np.signbit(values[number])).all()
        with np.errstate(invalid="ignore"):
            assert np.isnan(function(all_halves[~number])).all()


# ---------------------------------------------------------------- to half


def around(values, dtype):
    """Numbers and the two next to each in their type."""
    values = np.asarray(values, dtype)
    with np.errstate(all="ignore"):
        up, down = np.nextafter(values, dtype(np.inf)), np.nextafter(values, dtype(-np.inf))
    return np.concatenate([values, up, down])


@functools.cache
def boundaries():
    """All halves, all midpoints, and where they would be beyond the greatest half."""
    halves = samples.value(np.arange(0x7C00, dtype=np.uint16))
    both = np.concatenate([halves, (halves[1:] + halves[:-1]) / 2, samples.EDGES])
    return np.concatenate([both, -both])


def floats(dtype):
    info = np.finfo(dtype)
    extremes = [info.max, info.tiny, info.smallest_subnormal, 1e30, 65519.99, 1e-30, 2.0**-26]
    extremes = np.array([x * sign for x in extremes for sign in (1, -1)], dtype)
    return around(np.concatenate([boundaries().astype(dtype), extremes]), dtype)


def doubles():
    """Also those that rounding to float first would move onto a boundary."""
    x = boundaries()
    return np.concatenate([floats(np.float64), x * (1 + 2.0**-40), x * (1 - 2.0**-40)])


def long_doubles():
    """Also those that rounding to double first would move onto a boundary."""
    x = boundaries().astype(np.longdouble)[::7]
    return np.concatenate([doubles()[::97].astype(np.longdouble), around(x, np.longdouble)])


def integers(dtype):
    info = np.iinfo(dtype)
    if info.bits <= 16:
        return np.arange(info.min, info.max + 1).astype(dtype)
    near = [int(x) for x in boundaries() if x == int(x)]
    powers = [sign * (1 << k) for k in range(64) for sign in (1, -1)]
    candidates = {x + d for x in near + powers for d in (-2, -1, 0, 1, 2)} | {info.min, info.max}
    return np.array(sorted(x for x in candidates if info.min <= x <= info.max), dtype)


SOURCES = {
    "float": lambda: floats(np.float32),
    "double": doubles,
    **{name: functools.partial(integers, dtype) for name, dtype in INTEGERS.items()},
}


@functools.cache
def to_half(name):
    """Finite values of a type, and their halves: {mode: (bits, flags)}."""
    values = SOURCES[name]()
    if values.dtype.kind == "f":
        values = values[np.isfinite(values)]
    if values.dtype.itemsize == 8 and values.dtype.kind != "f":  # too long for doubles
        return values, oracle.round_to_half(values.tolist())
    return values, oracle.round_doubles(values.astype(np.float64))


def check_to_half(function, values, want, what):
    with np.errstate(all="ignore"):
        got = function(values)
    assert got.dtype in (hc.half, np.float16)
    wrong = np.flatnonzero(bits(got) != want)
    rows = [f"{values[i]!r} -> {bits(got)[i]:#06x}, not {want[i]:#06x}" for i in wrong[:5]]
    assert not rows, f"{what}: {len(wrong)} wrong: " + "; ".join(rows)


@one_in(2)
@pytest.mark.parametrize("name", SOURCES)
def test_number_to_half(name):
    values, results = to_half(name)
    for mode, (want, _) in results.items():
        ways = {
            "convert": lambda x, mode=mode: hc.convert(x, hc.half, rounding=mode),
            "convert_half_": getattr(hc, f"convert_half_{mode}"),
            "float16": lambda x, mode=mode: hc.convert(x, np.float16, rounding=mode),
        }
        for way, function in ways.items():
            check_to_half(function, values, want, f"{way} {mode}")
        with hc.rounding(mode):
            check_to_half(hc.convert_half, values, want, f"convert_half in {mode}")
            check_to_half(lambda x: x.astype(hc.half), values, want, f"astype in {mode}")
            check_to_half(lambda x: x[::-1].astype(hc.half)[::-1], values, want, "strided astype")


@pytest.mark.parametrize("name", SOURCES)
def test_flags_of_number_to_half(name):
    values, results = to_half(name)
    rng = np.random.default_rng(1)
    for mode, (_, flags) in results.items():
        function = getattr(hc, f"convert_half_{mode}")
        groups = {flag: np.flatnonzero(flags == flag) for flag in np.unique(flags)}
        with oracle.Watch() as watch, hc.rounding(mode):
            for flag, members in groups.items():
                function(values[members])
                assert watch.take() == flag, f"{mode}: all that raise {flag}"
                values[members].astype(hc.half)
                assert watch.take() == flag, f"astype in {mode}: all that raise {flag}"
        chosen = np.concatenate([rng.permutation(members)[:2000] for members in groups.values()])
        np.testing.assert_array_equal(flags_one_by_one(function, values[chosen]), flags[chosen])


@pytest.mark.parametrize("name", FLOATS)
def test_special_float_to_half(name, mode):
    dtype = FLOATS[name]
    word = np.uint32 if dtype == np.float32 else np.uint64
    signalling = np.array([np.inf], dtype).view(word) + 1
    values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], dtype)
    function = getattr(hc, f"convert_half_{mode}")
    with oracle.Watch() as watch:
        got = function(values)
        assert watch.take() == 0
        assert oracle.same(got, np.array([0x7C00, 0xFC00, 0x7E00, 0, 0x8000], np.uint16)).all()
        got = function(signalling.view(dtype))
        assert watch.take() == INVALID
        assert oracle.same(got, np.array([0x7E00], np.uint16)).all()


def test_long_double_to_half():
    values = long_doubles()
    exact = [Fraction(*x.as_integer_ratio()) for x in values]
    results = oracle.round_to_half(exact)
    for mode in MODES:
        want, flags = results[mode]
        want = np.where((values == 0) & np.signbit(values), 0x8000, want)
        check_to_half(
            lambda x, mode=mode: hc.convert(x, hc.half, rounding=mode), values, want, mode
        )
        with hc.rounding(mode):
            check_to_half(lambda x: x.astype(hc.half), values, want, f"astype in {mode}")
            with oracle.Watch() as watch:
                for flag in np.unique(flags):
                    values[flags == flag].astype(hc.half)
                    assert watch.take() == flag


def test_bool_to_half(mode):
    truths = np.array([False, True] * 20)
    for got in (hc.convert(truths, hc.half, rounding=mode), truths.astype(hc.half)):
        np.testing.assert_array_equal(bits(got), np.where(truths, 0x3C00, 0))


def test_python_numbers_to_half():
    """Scalars go the same way: half(x) in a region, convert(x)."""
    numbers = [1 + 2.0**-11 + 2.0**-40, 65519.99, -(2.0**-26), 2049, -65520, 10**6]
    results = oracle.round_to_half(numbers)
    for mode in MODES:
        want, flags = results[mode]
        for x, expected, flag in zip(numbers, want, flags, strict=True):
            with oracle.Watch() as watch, hc.rounding(mode):
                assert bits(np.array(hc.convert(x, hc.half))) == expected
                assert watch.take() == flag
            with np.errstate(all="ignore"), hc.rounding(mode):
                assert bits(np.array(hc.half(x))) == expected
            with np.errstate(all="ignore"):
                assert bits(np.array(hc.half(x, rounding=mode))) == expected


def test_conversion_between_halves_changes_nothing(mode, all_halves):
    number = all_halves[~np.isnan(all_halves)]
    with oracle.Watch() as watch:
        for got in (
            hc.convert(number, hc.half, rounding=mode),
            hc.convert(number.view(np.float16), "half", rounding=mode),
            number.view(np.float16).astype(hc.half),
            number.astype(np.float16),
        ):
            np.testing.assert_array_equal(bits(got), bits(number))
        assert watch.take() == 0


def test_overflow_without_infinity():
    """Truncation overflows to the greatest half, and still raises the flag."""
    with oracle.Watch() as watch:
        assert hc.convert(1e6, hc.half, rounding="rtz") == 65504
        assert watch.take() == OVERFLOW


@pytest.mark.parametrize("name", ["half", *FLOATS])
def test_saturation_is_for_integers(name):
    with pytest.raises(ValueError, match="saturate"):
        hc.convert(np.zeros(2, hc.half), name, saturate=True)
    assert not hasattr(hc, f"convert_{name}_sat")
