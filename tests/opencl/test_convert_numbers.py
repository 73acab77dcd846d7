"""Conversions between all of OpenCL's types: every pair, mode and saturation.

The oracle computes with integers and fractions, and rounds to float and double by MPFR.
"""

import functools
import math
from decimal import Decimal
from fractions import Fraction

import gmpy2
import numpy as np
import oracle
import pytest
from exhaustive import either, in_turn, one_in, shared_out
from oracle import INVALID, MODES, OVERFLOW, UNDERFLOW

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
FLOATS = {"half": hc.half, "float": np.float32, "double": np.float64}
TYPES = {**INTEGERS, **FLOATS}
WIDE = {"int", "uint", "long", "ulong"}
TO_INTEGER = {"rte": round, "rtz": math.trunc, "rtp": math.ceil, "rtn": math.floor}
BITS = {"half": 16, "float": 32, "double": 64}


# ---------------------------------------------------------------- the oracle


@functools.cache
def limits(dtype):
    info = np.iinfo(dtype)
    return info.bits, int(info.min), int(info.max)


def wrap(whole, bits, low):
    """Return the low bits of an integer, in a type whose least value is low."""
    return (whole - low) % (1 << bits) + low


def to_integer(x, dtype, mode, saturate, wraps):
    """Convert a number (exact, or a special float) to an integer type; return value and flags."""
    bits, low, high = limits(dtype)
    if isinstance(x, float):
        if saturate:
            return {math.inf: high, -math.inf: low}.get(x, 0), 0
        return wrap(1 << (bits - 1) if bits > 16 else 0, bits, low), INVALID
    whole = TO_INTEGER[mode](x)
    if low <= whole <= high:
        return whole, 0
    if saturate:
        return low if whole < low else high, 0
    return wrap(whole, bits, low), 0 if wraps else INVALID


@functools.cache
def contexts(name, mode):
    """Return contexts that round to a format in a mode, with and without its range."""
    bounded = gmpy2.ieee(BITS[name])
    bounded.round = oracle._DIRECTIONS[mode]
    return bounded, gmpy2.context(precision=bounded.precision, round=bounded.round)


def to_floating(x, name, mode):
    """Convert a number to half, float or double; return value and flags."""
    bounded, unbounded = contexts(name, mode)
    if isinstance(x, float) or (isinstance(x, int) and abs(x) <= 2**bounded.precision):
        return float(x), 0
    parts = gmpy2.mpz(x.numerator), gmpy2.mpz(x.denominator)
    value = float(bounded.div(*parts))
    if abs(unbounded.div(*parts)) >= 2**bounded.emax:
        return value, OVERFLOW
    tiny = abs(x) < Fraction(2) ** (2 - bounded.emax) and Fraction(value) != x
    return value, UNDERFLOW if tiny else 0


def exact(x):
    """Return a number of any type as an integer or a fraction; infinities and NaN as floats."""
    if isinstance(x, int | np.integer | np.bool):
        return int(x)
    if isinstance(x, float | np.floating) and not np.isfinite(x):
        return float(x)
    return Fraction(*x.as_integer_ratio())


def convert_exactly(values, name, mode, saturate=False, wraps=None):
    """Return the results, as an array of the type, and the flags of each."""
    if name in FLOATS:
        pairs = [to_floating(x, name, mode) for x in values]
        with np.errstate(all="ignore"):
            results = np.array([x for x, _ in pairs]).astype(FLOATS[name])
    else:
        dtype = INTEGERS[name]
        wraps = wraps or [False] * len(values)
        pairs = [
            to_integer(x, dtype, mode, saturate, w) for x, w in zip(values, wraps, strict=True)
        ]
        results = np.array([x for x, _ in pairs], dtype)
    return results, np.array([flags for _, flags in pairs])


def check(got, want, values, what):
    """Results are those wanted to the last bit, NaNs by any quiet NaN."""
    assert got.dtype == want.dtype and got.shape == want.shape, what
    same = got == want
    if got.dtype.kind == "f":
        zero = np.asarray(values) == 0  # whose sign oracles in fractions do not know
        same = (same & (zero | (np.signbit(got) == np.signbit(want)))) | (
            np.isnan(got) & np.isnan(want)
        )
    wrong = np.flatnonzero(~same)
    rows = [f"{values[i]!r} -> {got[i]!r}, not {want[i]!r}" for i in wrong[:5]]
    assert not rows, f"{what}: {len(wrong)} wrong: " + "; ".join(rows)


# ---------------------------------------------------------------- what is converted


def integers(dtype):
    """All of a narrow type; of a wide one those around powers and midpoints, and random ones."""
    info = np.iinfo(dtype)
    if info.bits <= 16:
        return np.arange(info.min, info.max + 1).astype(dtype)
    rng = np.random.default_rng(info.bits)
    numbers = {int(info.min), int(info.max)}
    for k in range(info.bits):
        numbers |= {(1 << k) + d for d in (-2, -1, 0, 1, 2)}
        for digits in (11, 24, 53):  # midpoints of the formats, and beside them
            odd = int(rng.integers(1 << (digits - 1), 1 << digits)) * 2 + 1
            shift = k - digits
            middle = odd << shift if shift > 0 else odd
            numbers |= {middle + d for d in (-1, 0, 1)}
        numbers |= {int(x) >> k for x in rng.integers(1 << 63, size=3)}
    numbers |= {-x for x in numbers}
    return np.array(sorted(x for x in numbers if info.min <= x <= info.max), dtype)


def floats(dtype):
    """Return special floats and random ones.

    These are limits of all types, midpoints of integers and of narrower floats, and neighbours.
    """
    rng = np.random.default_rng(1)
    word = {np.float32: np.uint32, np.float64: np.uint64}[dtype]
    ends = [2.0**k + d for k in (0, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 65)
            for d in (-1, -0.5, 0, 0.5, 1)]  # fmt: skip
    small = [0.25, 0.5, 1.5, 2.5, 3.5, 1e-3, 1e-300, 1e300, 2.0**100 * 3]
    info = np.finfo(np.float32)
    top, low = float(info.max), float(info.tiny)
    edges = [top, top + 2.0**103, 2.0**128, low, low / 2, low * (1 - 2.0**-25), 2.0**-149]
    edges += [2.0**-150, 2.0**-151, 2.0**-149 * 1.5, low - 2.0**-150, 65504, 65520, 2.0**-24]
    near = 1 + rng.integers(1 << 24, size=40) * 2.0**-24  # floats and midpoints of two
    near = np.concatenate([near * 2.0**k for k in (-150, -130, -1, 0, 7, 40, 62, 100)])
    anything = rng.integers(np.iinfo(word).max, size=300, dtype=word).view(dtype)
    spread = rng.standard_normal(200) * 2.0 ** rng.integers(-3, 70, 200)
    with np.errstate(all="ignore"):
        known = np.concatenate([ends, small, edges, near, spread]).astype(dtype)
        values = np.concatenate([known, -known])
        up, down = np.nextafter(values, dtype(np.inf)), np.nextafter(values, dtype(-np.inf))
    tail = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
    return np.concatenate([values, up, down, anything[~np.isnan(anything)], tail])


SOURCES = {
    "bool": lambda: np.array([False, True] * 20),
    **{name: functools.partial(integers, dtype) for name, dtype in INTEGERS.items()},
    "float": lambda: floats(np.float32),
    "double": lambda: floats(np.float64),
}


@functools.cache
def source(name):
    """Return the values of a type, also as exact numbers."""
    values = SOURCES[name]()
    values.flags.writeable = False
    return values, [exact(x) for x in values.tolist()]


@functools.cache
def look_up(source_name, target, mode, saturate):
    _, exactly = source(source_name)
    if source_name not in ("float", "double"):
        assert all(x.denominator == 1 for x in exactly)
        if target in INTEGERS or source_name not in WIDE:
            mode = "rtz"  # which makes no difference: look it up once
        if (source_name, target, mode, saturate) not in _KNOWN:
            wraps = [True] * len(exactly)
            _KNOWN[source_name, target, mode, saturate] = convert_exactly(
                exactly, target, mode, saturate, wraps
            )
        return _KNOWN[source_name, target, mode, saturate]
    return convert_exactly(exactly, target, mode, saturate)


_KNOWN = {}

PAIRS = [
    (source, target, saturate)
    for source in SOURCES
    for target in TYPES
    if target != "half"  # test_convert.py has those, and those from half
    for saturate in ((False, True) if target in INTEGERS else (False,))
]


def conversion(target, saturate, mode=""):
    return getattr(hc, f"convert_{target}{'_sat' if saturate else ''}{mode and '_'}{mode}")


def flags_one_by_one(function, values):
    """Return the flags of each value in a call whose other values raise none."""
    buffer = np.zeros(37, values.dtype)
    flags = np.empty(values.size, np.int64)
    with oracle.Watch() as watch:
        for i in range(values.size):
            buffer[i % 37] = values[i]
            function(buffer)
            flags[i] = watch.take()
            buffer[i % 37] = 0
    return flags


# ---------------------------------------------------------------- all pairs


@one_in(3)
@shared_out
@pytest.mark.parametrize(("source_name", "target", "saturate"), PAIRS)
def test_pair(source_name, target, saturate):
    """Bits in all modes, or one by turns besides rtp, by all the ways to ask for them."""
    values, _ = source(source_name)
    strided = np.repeat(values, 2)[::2]
    swapped = values.astype(values.dtype.newbyteorder())
    for mode in either(MODES, ("rtp", MODES[len(source_name) % 4])):
        want, _ = look_up(source_name, target, mode, saturate)
        options = {"rounding": mode, "saturate": saturate}
        ways = {"ufunc": lambda mode=mode: conversion(target, saturate, mode)(values)}
        if mode == "rtp" or values.size < either(1 << 16, 0):  # but not too often
            ways |= {
                "function": lambda mode=mode: conversion(target, saturate)(values, rounding=mode),
                "convert": lambda o=options: hc.convert(values, TYPES[target], **o),
                "strided": lambda o=options: hc.convert(strided, target, **o),
                "swapped": lambda o=options: hc.convert(swapped, target, **o),
            }
        for way, call in ways.items():
            with np.errstate(all="ignore"):
                got = call()
            check(got, want, values, f"{source_name} to {target} {mode} {way}")


@one_in(3)
@shared_out
@pytest.mark.parametrize(("source_name", "target", "saturate"), PAIRS)
def test_flags_of_pair(source_name, target, saturate):
    values, _ = source(source_name)
    for mode in either(MODES, ("rtp", MODES[len(source_name) % 4])):
        function = conversion(target, saturate, mode)
        _, flags = look_up(source_name, target, mode, saturate)
        with oracle.Watch() as watch:
            for flag in np.unique(flags):
                function(values[flags == flag])
                assert watch.take() == flag, f"{mode}: all that raise {flag}"
    if flags.any():
        rng = np.random.default_rng(3)
        groups = [rng.permutation(np.flatnonzero(flags == flag)) for flag in np.unique(flags)]
        some = np.concatenate([group[:100] for group in groups])
        np.testing.assert_array_equal(flags_one_by_one(function, values[some]), flags[some])


@pytest.mark.parametrize(
    ("source_name", "target"), [("float", t) for t in TYPES] + [("double", t) for t in TYPES]
)
def test_signalling_nan(source_name, target, mode):
    """Raises invalid, and comes out quiet; saturated, or in its own type, it is a value."""
    word = {"float": np.uint32, "double": np.uint64}[source_name]
    x = np.zeros(20, TYPES[source_name])
    x[7] = np.inf
    x.view(word)[7] += 1
    with oracle.Watch() as watch:
        got = conversion(target, False, mode)(x)
        assert watch.take() == (0 if source_name == target else INVALID)
        if target in FLOATS:
            assert np.isnan(got[7]) and not np.isnan(np.delete(got, 7)).any()
        else:
            assert conversion(target, True, mode)(x)[7] == 0
            assert watch.take() == 0


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source_name", ["float", "double"])
def test_default_modes(source_name, target):
    """To integers rtz, to float and double rte, whatever a region says."""
    x = np.array([1.5, 2.5, 2.75, 0.5], TYPES[source_name])
    with hc.rounding("rtp", builtins=True):
        assert conversion(target, False)(x).tolist() == [1, 2, 2, 0]
        assert conversion(target, True)(x).tolist() == [1, 2, 2, 0]
        assert hc.convert(x, target).tolist() == [1, 2, 2, 0]
        assert hc.convert_float(np.array([1 / 3])) == np.float32(1 / 3)
        assert hc.convert(2**53 + 1, "double") == 2.0**53
        assert hc.convert_half(np.array([1 / 3])) == hc.half(1 / 3, rounding="rtp")


def test_sign_of_zero():
    for mode in MODES:
        for name in ("float", "double"):
            minus, plus = np.full(9, -0.0, TYPES[name]), np.zeros(9, np.int64)
            for target in ("half", "float", "double"):
                assert np.signbit(conversion(target, False, mode)(minus)).all()
                for zeros in (plus, plus.astype(np.uint64), plus.astype(np.uint32), plus > 0):
                    assert not np.signbit(conversion(target, False, mode)(zeros)).any()
        tiny = np.array([-1e-300])
        with np.errstate(all="ignore"):
            assert np.signbit(hc.convert(tiny, "float", rounding=mode)).all()
            assert np.signbit(hc.convert(Fraction(-1, 10**400), "double", rounding=mode))


# ---------------------------------------------------------------- layouts


@pytest.mark.parametrize(
    ("source_name", "target"),
    [("float", "int"), ("double", "uchar"), ("long", "float"), ("double", "float"),
     ("uint", "short"), ("float", "ulong"), ("char", "double"), ("bool", "int")],
)  # fmt: skip
def test_lengths_and_layouts(source_name, target):
    """Every length up to two vectors, blocks and what is left of one; offsets; in place."""
    values, _ = source(source_name)
    with np.errstate(all="ignore"):
        want = conversion(target, False, "rtn")(np.repeat(values, 1))
        function = conversion(target, False, "rtn")
        for n in [*range(70), 511, 512, 513, 1025]:
            start = n * 7 % max(1, values.size - n)
            part = values[start : start + n]
            check(function(part), want[start : start + part.size], part, f"{n}")
        square = values[: values.size // 4 * 4].reshape(-1, 4)
        for way in (np.s_[::-1], np.s_[:, ::3], np.s_[::2, 1:], np.s_[:0]):
            expected_part = want[: square.size].reshape(-1, 4)[way]
            got = function(square[way])
            assert got.shape == expected_part.shape and got.dtype == expected_part.dtype
            same = (got == expected_part) | ((got != got) & (expected_part != expected_part))
            assert same.all()
        got = function(values[5])
        assert np.ndim(got) == 0 and got.dtype == want.dtype and got == want[5]
        packed = np.zeros(values.size, [("pad", "i1"), ("x", values.dtype)])
        packed["x"] = values
        check(function(packed["x"]), want, values, "unaligned")


@pytest.mark.parametrize("name", ["float", "double"])
def test_in_place(name, mode):
    """Into the memory of the argument, where results are no wider, out of range or not."""
    values, _ = source(name)
    for target in TYPES:
        dtype = np.dtype(TYPES[target])
        if dtype.itemsize > values.itemsize:
            continue
        with np.errstate(all="ignore"):
            want = conversion(target, False, mode)(values)
            x = values.copy()
            out = x.view(dtype)[: x.size]
            got = conversion(target, False)(x, out=out, rounding=mode)
        assert got is out
        check(got, want, values, f"{name} into {target}")


def test_out_and_where():
    x = np.array([1.5, -2.5, 300.0, np.nan], np.float32)
    out = np.full(4, 7, np.uint8)
    where = np.array([True, True, False, False])
    with oracle.Watch() as watch:
        assert hc.convert_uchar_rte(x, out=out, where=where) is out
        assert watch.take() == INVALID and out.tolist() == [2, 254, 7, 7]
        assert hc.convert_uchar_sat(x, out, rounding="rtp") is out
        assert watch.take() == 0 and out.tolist() == [2, 0, 255, 0]
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError, match="invalid value encountered in convert_int"):
            hc.convert_int(np.float32(3e9))
        with pytest.raises(FloatingPointError, match="overflow encountered in convert_float"):
            hc.convert_float(np.full(9, 1e39))
        with pytest.raises(FloatingPointError, match="underflow encountered in convert_float"):
            hc.convert_float(1e-40)
        with pytest.raises(FloatingPointError, match="overflow encountered in convert_double"):
            hc.convert_double(10**400)
        hc.convert_uchar(np.array([-1, 256, 2**40]))


# ---------------------------------------------------------------- Python's numbers

NUMBERS = [
    0, 1, -1, True, 127, 128, 255, 256, 2049, 100001, 2**24 + 1, 2**31, -(2**31) - 1, 2**32 - 1,
    2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64 - 1, 2**64, 2**70, -(2**70) - 1,
    2**1024 - 1, 2**1024 - 2**970, 2**1024 - 2**970 - 1, 10**400, -(10**400), 0.1, 2.5, -2.5, -0.5,
    1e300, 1e-320, 65519.99, 65520.0, 3e9, math.inf, -math.inf, math.nan, Fraction(1, 3),
    Fraction(-(10**30), 7), Fraction(5, 2), Fraction(1, 10**400), Fraction(2**24 + 1, 2**150),
    Fraction(-(2**53) - 1, 2**1075), Decimal("0.1"), Decimal("-1e-60"), Decimal("Infinity"),
    Decimal("NaN"), Decimal(2**63) + Decimal("0.5"), gmpy2.mpq(7, 3), gmpy2.mpz(2**65 + 3),
    np.longdouble(2) ** 63 + 1, np.longdouble(1) / 3, np.longdouble("1e4000"), np.float32(0.1),
    np.int16(-7), np.uint64(2**64 - 1), np.half(1.5), hc.half(-1.5), np.bool(True),
]  # fmt: skip


def exact_number(x):
    if isinstance(x, Decimal):
        return Fraction(x) if x.is_finite() else float(x)
    if isinstance(x, type(gmpy2.mpq(1, 3)) | type(gmpy2.mpz(1))):
        return Fraction(int(x.numerator), int(x.denominator))
    return x if isinstance(x, Fraction) else exact(x)


def wraps(x):
    return isinstance(x, int | np.integer | np.bool | type(gmpy2.mpz(1)))


@pytest.mark.parametrize(
    ("target", "saturate"), [(t, False) for t in TYPES] + [(t, True) for t in INTEGERS]
)
def test_python_numbers(target, saturate, mode):
    """Alone, in lists and in arrays of objects: of any size, rounded once."""
    values = [exact_number(x) for x in NUMBERS]
    want, flags = convert_exactly(values, target, mode, saturate, [wraps(x) for x in NUMBERS])
    function, options = conversion(target, saturate), {"rounding": mode, "saturate": saturate}
    objects = np.empty(len(NUMBERS), object)
    objects[:] = NUMBERS
    with np.errstate(all="ignore"):
        for got in (
            hc.convert(objects, target, **options),
            hc.convert(NUMBERS, TYPES[target], **options),
            function(NUMBERS, rounding=mode),
            function([NUMBERS, NUMBERS], rounding=mode)[1],
            conversion(target, saturate, mode)(objects[::-1])[::-1],
        ):
            check(got, want, values, f"{target} {mode}")
    for x, value, result, flag in zip(NUMBERS, values, want, flags, strict=True):
        for way in (
            lambda x: hc.convert(x, target, **options),
            lambda x: function(x, rounding=mode),
            conversion(target, saturate, mode),
        ):
            with oracle.Watch() as watch:
                got = way(x)
                seen = watch.take()
            check(np.atleast_1d(got), np.atleast_1d(result), [value], f"{x!r} {mode}")
            assert np.ndim(got) == 0 and seen == flag, f"{x!r} to {target} {mode}: {seen}"


def test_plain_numbers_as_objects(mode):
    """Numbers that a kernel can read are passed to it; flags are raised once, integers wrap."""
    numbers = [1.5, -2.5, 1e300, 7, True, np.float32(0.1), np.int8(-3), 2**40, hc.half(0.5)]
    for kinds in (numbers, [x for x in numbers if wraps(x)], [1.5, 1e300, -0.5], [3, -1, 2**40]):
        objects = np.array([*kinds, None], object)[:-1]
        values = [exact_number(x) for x in kinds]
        for target in TYPES:
            want, flags = convert_exactly(values, target, mode, False, [wraps(x) for x in kinds])
            with oracle.Watch() as watch:
                got = hc.convert(objects, target, rounding=mode)
                assert watch.take() == np.bitwise_or.reduce(flags), f"{kinds} to {target}"
            check(got, want, values, f"{target} {mode}")


def test_sequences_among_objects():
    """An element that is itself a list or an array is no number."""
    for element in ([1, 2], (1,), np.ones(2)):
        objects = np.empty(2, object)
        objects[:] = [element, element]
        for name in ("int", "half", "float"):
            with pytest.raises(TypeError, match=r"argument 1 \(x\): expected numbers, got"):
                hc.convert(objects, name)


def test_lists_keep_integers():
    """NumPy makes doubles of these, which have not their value."""
    assert hc.convert_long([2**53 + 1, 0.5]).tolist() == [2**53 + 1, 0]
    assert hc.convert_ulong([2**64 - 1, -1]).tolist() == [2**64 - 1] * 2
    assert hc.convert([[2**63 + 1], [0.5]], np.uint64).tolist() == [[2**63 + 1], [0]]
    assert hc.convert((-1.0, 2**60 + 1), "long").tolist() == [-1, 2**60 + 1]
    assert hc.convert_long2([2**62 + 1, 0.5]).tolist() == [2**62 + 1, 0]
    assert hc.convert_int([]).dtype == np.int32


def test_numbers_are_not_rounded_to_half_first():
    """Numbers that went through half on their way, or were refused."""
    assert hc.convert_int(2049) == 2049 and hc.convert_int(100001) == 100001
    assert hc.convert_int_rtp(2.5) == 3 and hc.convert_int(2.5, rounding="rtp") == 3
    assert hc.convert_float(np.int32(2**24 + 1)) == 2**24
    assert hc.convert_half(0.1, rounding="rtp") == hc.half(0.1, rounding="rtp")
    with np.errstate(all="ignore"):
        got = hc.convert_uchar4_sat(hc.float4(1.5, -1, 300, np.nan))
    assert type(got) is hc.uchar4 and got.tolist() == [1, 0, 255, 0]


# ---------------------------------------------------------------- vectors


def test_vectors(mode):
    x = np.array([[1.5, -2.5, 3e9], [0.5, 200.25, -0.75]])
    v = x.view(hc.double3)
    for target in TYPES:
        kind = getattr(hc, f"{target}3")
        with np.errstate(all="ignore"):
            want = np.asarray(hc.convert(x, TYPES[target], rounding=mode))
            ways = [
                hc.convert(v, kind, rounding=mode),
                hc.convert(x, kind, rounding=mode),
                hc.convert(x.tolist(), kind.dtype, rounding=mode),
                hc.convert(v, TYPES[target], rounding=mode),
                getattr(hc, f"convert_{target}3_{mode}")(x),
                getattr(hc, f"convert_{target}3")(v, rounding=mode),
                getattr(hc, f"convert_{target}")(v, rounding=mode),
            ]
        for got in ways:
            assert type(got) is kind
            np.testing.assert_array_equal(np.asarray(got), want)
    with pytest.raises(ValueError, match=r"last axis of length 4.*\(2, 3\)"):
        hc.convert(x, hc.int4)
    with pytest.raises(ValueError, match="last axis of length 2"):
        hc.convert(1.5, hc.int2)


# ---------------------------------------------------------------- errors


@in_turn
@pytest.mark.parametrize("target", TYPES)
@pytest.mark.parametrize(
    "bad",
    [1j, [1, 2j], np.array(["1.5"]), np.array([b"1"]), np.array([[], {}], object),
     np.datetime64(1, "s"), np.timedelta64(1, "s"), np.zeros(2, "V3"), np.array([1j], object)],
    ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}",
)  # fmt: skip
def test_convert_refuses_objects_that_are_no_numbers(target, bad):
    out = np.full(np.shape(bad), 7, TYPES[target])
    for call in (
        conversion(target, False),
        conversion(target, False, "rtz"),
        conversion(target, False, "rtn"),
    ):
        with pytest.raises(
            TypeError, match=rf"convert_{target}.*argument 1( \(x\))?: expected .*number"
        ):
            call(bad, out=out)
    if target != "half" or np.asarray(bad).dtype.kind not in "SU":
        with pytest.raises(TypeError, match=r"x: expected|argument 1 \(x\): expected"):
            hc.convert(bad, target)
    assert (out == 7).all()


def test_text_and_none_among_objects():
    """To half alone, as half takes them."""
    objects = np.array(["0.1", None, b"2h", 3], object)
    assert hc.convert(objects, hc.half, rounding="rtp").tolist()[:1] == [
        hc.half("0.1", rounding="rtp")
    ]
    assert np.isnan(hc.convert_half(objects)[1]) and hc.convert_half(objects)[2:].tolist() == [2, 3]
    for name in ("float", "int"):
        for x in ("1", None):
            with pytest.raises(TypeError, match="expected numbers, got"):
                hc.convert(np.array([x], object), name)


def test_bad_modes_and_types():
    for bad in ("rtx", "", 1, b"rte"):
        with pytest.raises(ValueError, match="rounding: expected one of"):
            hc.convert_int(np.ones(3), rounding=bad)
        with pytest.raises(ValueError, match="rounding: expected one of"):
            hc.convert(1.5, np.int8, rounding=bad)
    for bad in ((np.int32, (5,)), (np.int32, (2, 2)), (hc.half, (17,)), "int4", "f2,f2"):
        with pytest.raises(TypeError, match="dtype: expected one of char"):
            hc.convert(np.ones(4), bad)
