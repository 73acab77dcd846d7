"""Rounding as data: an array of modes, one for each element."""

import subprocess
import sys
from fractions import Fraction
from functools import partial

import numpy as np
import oracle
import pytest
from checks import as_tuple, bits
from exhaustive import in_turn
from oracle_common import HAS_LONG_DOUBLES

import halfcl as hc
from halfcl import half
from halfcl._tables import TABLE

MODES = np.array(hc.MODES)


def by_oracle(name, operands, codes):
    """Return bits and flags of each element in its own mode, by MPFR."""
    results = oracle.evaluate(name, *operands)
    columns = [np.stack([results[m][k] for m in hc.MODES]) for k in (0, 1)]
    return [column[codes, np.arange(codes.size)] for column in columns]


def operands(rng, n):
    """Return halves of all kinds but NaNs, whose quotients and sums are seldom exact."""
    columns = rng.integers(0, 1 << 16, (2, n)).astype(np.uint16)
    return [np.where(x & 0x7FFF > oracle.INF, 0x3C01, x).astype(np.uint16) for x in columns]


def layouts(rng, n):
    """Return modes in long runs, in short ones and without runs; also of some modes only."""
    yield rng.integers(0, 4, n)
    yield np.full(n, rng.integers(0, 4))
    yield rng.integers(0, 2, n) * 3
    for length in (3, 50, 70, 300, 1024, 2000):
        start = rng.integers(0, length)
        yield np.repeat(rng.integers(0, 4, n // length + 2), length)[start : start + n]


@in_turn
@pytest.mark.parametrize("name", ["add", "divide", "multiply"])
@pytest.mark.parametrize("n", [1, 2, 33, 1023, 1024, 1025, 5000])
def test_results_are_mpfrs(name, n):
    rng = np.random.default_rng(n)
    for codes in layouts(rng, n):
        x, y = operands(rng, n)
        want, flags = by_oracle(name, (x, y), codes)
        with oracle.Watch() as watch:
            got = getattr(hc, name)(x.view(half), y.view(half), rounding=codes.astype(np.uint8))
            assert watch.take() == np.bitwise_or.reduce(flags)
        assert got.dtype == half and oracle.same(got, want).all()


@pytest.mark.parametrize("name", ["add", "divide"])
def test_layouts_do_not_change_results(name):
    """Operands, modes and output are not in one piece, unaligned or swapped."""
    rng = np.random.default_rng(5)
    n = 3000
    for codes in layouts(rng, n):
        x, y = operands(rng, n)
        want, _ = by_oracle(name, (x, y), codes)
        wide = np.zeros((n, 3), np.uint16)
        wide[:, 0], wide[:, 2] = x, y
        modes = np.zeros((n, 2), np.int8)
        modes[:, 1] = codes
        raw = np.zeros(2 * n + 1, np.uint8)
        out = raw[1:].view(half)  # at an odd address
        with np.errstate(all="ignore"):
            function = getattr(hc, name)
            for got in (
                function(wide[:, 0].view(half), wide[:, 2].view(half), rounding=modes[:, 1]),
                function(x.view(half)[::-1], y.view(half)[::-1], rounding=codes[::-1])[::-1],
                function(x.view(half), y.view(half), out=out, rounding=codes),
                function(x.astype(">u2").view(np.dtype(half).newbyteorder(">")), y.view(half),
                         rounding=codes.astype(">i4")),
                function(x.view(half), y.view(half), rounding=MODES[codes]),
            ):  # fmt: skip
                assert oracle.same(got.view(np.uint16), want).all()


def choose(results, codes):
    """Return each element's result in its own mode, from the results in the four modes."""
    return np.choose(codes, [r.view(f"u{r.dtype.itemsize}") for r in results])


def inputs_of(row, rng, n):
    x = [rng.integers(0, 1 << 16, n).astype(np.uint16) for _ in row.inputs]
    makers = {
        "e": lambda c: c.view(half),
        "i": lambda c: c.astype(np.int32) % 9 - 4,
        **{c: partial(np.ndarray.astype, dtype=c) for c in "bBhH"},
    }
    return [makers[letter](column) for letter, column in zip(row.inputs, x, strict=True)]


@pytest.mark.parametrize("row", [r for r in TABLE if r.public and not r.signature],
                         ids=lambda row: row.name)  # fmt: skip
def test_every_function_equals_calls_in_one_mode(row):
    """Results equal those of calls in one mode, which have tests of their own."""
    rng = np.random.default_rng(6)
    function = getattr(hc, row.name)
    for n in (100, 3000):
        inputs = inputs_of(row, rng, n)
        with np.errstate(all="ignore"):
            single = [as_tuple(function(*inputs, rounding=mode)) for mode in hc.MODES]
            for codes in layouts(rng, n):
                got = as_tuple(function(*inputs, rounding=codes.astype(np.uint8)))
                assert len(got) == len(row.outputs)
                for k, result in enumerate(got):
                    want = choose([s[k] for s in single], codes)
                    assert result.dtype == single[0][k].dtype
                    same = result.view(want.dtype) == want
                    if result.dtype == half:  # which NaN may be left to the processor
                        same |= oracle.is_nan(want) & oracle.is_nan(bits(result))
                    assert same.all()


# ---------------------------------------------------------------- flags


def test_flags_are_those_of_the_selected():
    """Overflow occurs in rtp only, wherever that element lies among elements of all modes."""
    rng = np.random.default_rng(7)
    for n in (5, 700, 3000):
        x, y = np.ones((2, n), half)
        codes = rng.integers(0, 4, n, np.uint8)
        for at in (0, n // 2, n - 1):
            x[at], y[at] = 65504, 15
            for mode in range(4):
                codes[at] = mode
                for step in (1, -1):  # straight to the kernels, and by NumPy
                    with oracle.Watch() as watch:
                        hc.add(x[::step], y[::step], rounding=codes[::step])
                        assert watch.take() == (oracle.OVERFLOW if hc.MODES[mode] == "rtp" else 0)
            x[at] = y[at] = 1


def test_errstate_applies():
    x = half([65504, 1])
    with np.errstate(over="raise"):
        hc.add(x, half([15, 1]), rounding=np.array(["rtn", "rtp"]))
        with pytest.raises(FloatingPointError, match="overflow"):
            hc.add(x, half([15, 1]), rounding=np.array(["rtp", "rtn"]))


# ---------------------------------------------------------------- shapes, outputs, dtypes

A = half([1, 2, 3, 4])
SEVENTHS = np.stack([hc.divide(A, 7, rounding=mode) for mode in hc.MODES])


def same(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "codes",
    [MODES, MODES.astype("S3"), MODES.astype(object), np.arange(4), np.arange(4, dtype=np.int8),
     np.arange(4, dtype=">u8"), np.arange(8, dtype=np.uint16)[:4], np.arange(4, dtype=np.uint8)],
    ids=lambda codes: str(codes.dtype),
)  # fmt: skip
def test_modes_are_broadcast(codes):
    seven = half(7)
    same(hc.divide(A, seven, rounding=codes[:, None]), SEVENTHS)
    same(hc.divide(A, seven, rounding=codes), SEVENTHS.diagonal())
    same(hc.divide(A[0], seven, rounding=codes), SEVENTHS[:, 0])
    same(hc.divide(A[:, None], seven, rounding=codes), SEVENTHS.T)
    same(
        hc.divide(A.reshape(2, 2), seven, rounding=codes[2, None, None]), SEVENTHS[2].reshape(2, 2)
    )
    assert hc.divide(A[:0], seven, rounding=codes[:1]).shape == (0,)
    assert hc.divide(A, seven, rounding=codes[:0, None]).shape == (0, 4)


def test_one_mode_in_an_array():
    for number, mode in enumerate(hc.MODES):
        for one in (np.array(number), np.array(mode), np.array(number, np.uint8)):
            same(hc.divide(A, 7, rounding=one), SEVENTHS[number])
            assert type(hc.divide(half(1), 7, rounding=one)) is half


def test_outputs_may_overlap_operands():
    codes = np.arange(4, dtype=np.uint8)
    for step in (1, 2):
        out = np.full(4 * step, 9, half)[::step]
        assert hc.divide(A, half(7), out=out, rounding=codes) is out
        same(out, SEVENTHS.diagonal())
        assert hc.divide(A, half(7), out, rounding=codes) is out
    out = np.full(4, 9, half)
    hc.divide(A, half(7), out=out, where=[True, False, True, False], rounding=codes)
    assert out[1] == out[3] == 9 and out[0] == SEVENTHS[0, 0] and out[2] == SEVENTHS[2, 2]
    for in_place in (A.copy(), np.repeat(A, 2)[::2]):
        assert hc.divide(in_place, half([7] * 4), out=in_place, rounding=codes) is in_place
        same(in_place, SEVENTHS.diagonal())
    memory = np.zeros(9, half)  # overlapping by one
    memory[:4] = A
    hc.divide(memory[:4], half(7), out=memory[1:5], rounding=codes)
    same(memory[1:5], SEVENTHS.diagonal())
    shared = np.zeros(4, half)  # the modes where the result goes
    modes = shared.view(np.uint8)[:4]
    modes[:] = codes
    same(hc.divide(A, half([7] * 4), out=shared, rounding=modes).copy(), SEVENTHS.diagonal())


@in_turn
@pytest.mark.parametrize("offset", [-60, -3, -1, 0, 1, 3, 60])
@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize("length", [1, 60, 700])
def test_shifted_outputs(offset, step, length):
    """Results overwrite inputs that later elements need; groups of modes are in any order."""
    n = 5000
    memory = np.linspace(1, 3, 3 * n).astype(half)[::step][: n + 60]
    a, out = memory[max(-offset, 0) :][:n], memory[max(offset, 0) :][:n]
    modes = np.arange(n) // length * 7 % 11 % 4
    expected = hc.divide(a.copy(), 3, rounding=modes)
    assert hc.divide(a, 3, rounding=modes.astype(np.uint8), out=out) is out
    assert np.array_equal(out, expected)


def test_narrow_outputs_in_the_memory_of_inputs():
    memory = np.linspace(-60, 60, 5000).astype(half)
    modes = np.arange(5000) // 60 % 4
    expected = hc.convert_char(memory, rounding=modes)
    hc.convert_char(memory, rounding=modes.astype(np.uint8), out=memory.view(np.int8)[:5000])
    assert np.array_equal(memory.view(np.int8)[:5000], expected)


@pytest.mark.parametrize("name", ["sincos", "fract"])
def test_functions_with_two_results(name):
    function = getattr(hc, name)
    x, codes = half(np.linspace(-3, 3, 1100)), np.arange(1100, dtype=np.uint8) % 4
    single = [function(x, rounding=mode) for mode in hc.MODES]
    want = [choose([s[k] for s in single], codes).view(half) for k in (0, 1)]
    outs = np.zeros(1100, half), np.zeros(1100, half)
    for out in (None, outs, tuple(out[::-1] for out in outs), (None, outs[1])):
        for modes in (codes, codes.astype(int)):
            got = function(x, out=out, rounding=modes)
            same(got[0], want[0])
            same(got[1], want[1])
            assert out is None or got[1] is out[1]


def test_float16_and_mixed():
    x = A.view(np.float16)
    got = hc.divide(x, np.float16([7]), rounding=MODES)
    assert got.dtype == np.float16 and (got.view(half) == SEVENTHS.diagonal()).all()
    assert hc.divide(x, half([7]), rounding=MODES).dtype == half
    same(hc.divide(A.astype(np.int8), half(7), rounding=MODES), SEVENTHS.diagonal())


def test_literals_are_rounded_in_each_mode():
    want = half([half(0.1, rounding=mode) for mode in hc.MODES])
    same(hc.maxmag(half(0), 0.1, rounding=MODES), want)
    same(hc.maxmag(np.zeros(4, half), 0.1, rounding=np.arange(4, dtype=np.uint8)), want)
    same(hc.maxmag(np.zeros(1, np.float16), 0.1, rounding=MODES), want.view(np.float16))
    same(hc.maxmag(np.zeros(1, np.float16), [0.1] * 4, rounding=MODES), want.view(np.float16))
    same(hc.negative(0.1, rounding=MODES), -want)
    same(hc.add(0.1, 0, rounding=MODES), want)
    with np.errstate(over="raise"):
        hc.maxmag(half(0), 65519, rounding=np.array(["rtn", "rtz"]))
        with pytest.raises(FloatingPointError):
            hc.maxmag(half(0), 65519, rounding=np.array(["rtn", "rtp"]))
    assert hc.pown(half(3), 2, rounding=MODES).tolist() == [9] * 4


def test_regions_do_not_change_modes():
    with hc.rounding("rtp", builtins=True):
        same(hc.divide(A, 7, rounding=np.arange(4)), SEVENTHS.diagonal())
        same(hc.maxmag(half(0), 0.1, rounding=MODES[:1]), half([0.1], rounding="rte"))


def test_vectors_of_opencl():
    """A mode for each vector has an axis of length 1 in place of the components."""
    v = hc.half4(np.tile(A, (4, 1)))
    got = hc.divide(v, half(7), rounding=MODES[:, None])
    assert type(got) is hc.half4
    same(np.asarray(got), SEVENTHS)
    with pytest.raises(TypeError, match="scalars with half4"):
        hc.divide(v, half(7), rounding=MODES)


def test_conversions():
    want = [half(0.1, rounding=mode) for mode in hc.MODES]
    same(hc.convert_half(np.float64(0.1), rounding=MODES), half(want))
    same(hc.convert_half([0.1] * 4, rounding=np.arange(4)), half(want))
    x = np.array([1.5, -1.5, 2.5, -2.5])
    for value in x:
        got = hc.convert_int(np.full(4, value, np.float32), rounding=MODES)
        ints = [hc.convert_int(value, rounding=mode) for mode in hc.MODES]
        same(got, np.array(ints, np.int32))


# ---------------------------------------------------------------- functions of vectors


@pytest.mark.parametrize("name", ["dot", "distance", "length", "normalize", "cross"])
def test_functions_of_vectors(name):
    rng = np.random.default_rng(8)
    function = getattr(hc, name)
    shape = (700, 3)
    inputs = [half(rng.normal(size=shape)) for _ in range(function.nin)]
    single = [function(*inputs, rounding=mode) for mode in hc.MODES]
    codes = rng.integers(0, 4, 700)
    codes[100:300] = 2
    want = np.stack([single[c][i] for i, c in enumerate(codes)])
    same(function(*inputs, rounding=codes), want)
    same(function(*(np.asfortranarray(x).T for x in inputs), axis=0, rounding=codes), want.T)
    out = np.zeros(want.shape, half)
    assert function(*inputs, out=out, rounding=MODES[codes]) is out
    same(out, want)
    assert function(*inputs, rounding=codes[:1]).shape == want.shape
    every = function(*inputs, rounding=np.arange(4)[:, None])
    same(every, np.stack(single))
    if want.ndim == 1:
        same(function(*inputs, rounding=codes, keepdims=True), want[:, None])
        kept = np.zeros((700, 1), half)
        assert function(*inputs, rounding=codes, keepdims=True, out=kept) is kept
        same(kept, want[:, None])
    with pytest.raises(ValueError, match=f"{name}: argument 1: expected vectors"):
        function(*[half(1)] * function.nin, rounding=codes)


@pytest.mark.parametrize("width", [1, 2, 17, 63, 64, 65, 5000])
def test_vectors_of_any_width(width):
    """Results, and the exceptions of each vector in its own mode only, are right."""
    rng = np.random.default_rng(width)
    x = half(rng.normal(size=(300, width)))
    x[::7] *= half(1000)
    for codes in layouts(rng, 300):
        with np.errstate(all="ignore"):
            single = [hc.normalize(x, rounding=mode) for mode in hc.MODES]
            got = hc.normalize(x, rounding=codes)
        same(got, np.stack([single[c][i] for i, c in enumerate(codes)]))
        large = np.zeros((300, width), half)
        large[:, 0] = 1
        large[5, 0], other = 65504, large.copy()
        other[:, 0], other[5, 0] = 0, -15
        codes[5] = 2  # rtp, where 65519 is an infinity
        for mode, raised in ((2, oracle.OVERFLOW), (3, 0), (1, 0)):
            codes[5] = mode
            with oracle.Watch() as watch:
                hc.distance(large, other, rounding=codes)
                assert watch.take() == raised


@pytest.mark.parametrize(
    "values",
    [0.1, "0.1", half(0.3), Fraction(1, 3), [0.1, 1.7, -0.3, 2.2], ["0.1", "-1e-9", "0x1.8p0", "3"],
     [Fraction(1, 3), 2, 10**9 + 1, 0.1], np.linspace(-1, 1, 4), np.longdouble([0.1, 2, -3.3, 4]),
     np.arange(1000, 1004) * 1001, np.array([[0.1], [0.7]]), np.float32([0.1, 0.2, 0.3, -0.4])],
    ids=str,
)  # fmt: skip
def test_half_and_convert_take_modes_per_element(values):
    """Values that one mode accepts are accepted with a mode per element."""
    codes = np.array([3, 0, 2, 1], np.uint8)
    shape = np.broadcast_shapes(np.shape(values), (4,))
    with np.errstate(all="ignore"):
        for call in (half, lambda v, rounding: hc.convert(v, half, rounding=rounding)):
            each = [np.broadcast_to(call(values, rounding=mode), shape) for mode in hc.MODES]
            for modes in (codes, MODES[codes]):
                got = call(values, rounding=modes)
                assert got.dtype == half and got.shape == shape
                assert (bits(got) == choose(each, np.broadcast_to(codes, shape))).all()
            lone = call(values, rounding=np.array(2))
            assert type(lone) is type(call(values, rounding="rtp"))
            assert (bits(lone) == bits(call(values, rounding="rtp"))).all()


def test_convert_to_other_types():
    codes = np.array([0, 1, 2, 3])
    x = [Fraction(5, 2)] * 4
    assert hc.convert(x, np.int8, rounding=codes).tolist() == [2, 2, 3, 2]
    assert hc.convert(half([2.5] * 4), "uchar", rounding=codes, saturate=True).tolist() == [
        2,
        2,
        3,
        2,
    ]
    got = hc.convert(np.float64(0.1), np.float16, rounding=codes)
    assert got.dtype == np.float16 and got.dtype.type is np.float16 and len(set(got.tolist())) == 2
    assert type(hc.convert([x, x], hc.half4, rounding=codes)) is hc.half4
    assert half([], rounding=codes[:0]).shape == (0,)


def test_conversions_raise_flags_per_element():
    """Each element raises the exceptions of its own mode."""
    codes = np.array([1, 2])
    with np.errstate(over="raise"):
        half(["65510", "1"], rounding=codes)  # toward zero that does not overflow
        with pytest.raises(FloatingPointError):
            half(["65510", "1"], rounding=codes[::-1])


# ---------------------------------------------------------------- toward zero by the other two


@pytest.mark.parametrize("row", [r for r in TABLE if r.public and not r.signature],
                         ids=lambda row: row.name)  # fmt: skip
def test_toward_zero_at_the_edges(row):
    """With all modes in a block, rtz is selected from rtp and rtn: zeros, signs, maxima."""
    edges = np.array([0, 0x8000, 1, 0x8001, 0x3FF, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
                      0x7E00, 0x3555, 0xB555, 0x4248, 0xC900], np.uint16)  # fmt: skip
    grid = np.meshgrid(*[edges] * len(row.inputs), indexing="ij")
    makers = {"e": lambda c: c.view(half), "i": lambda c: c.view(np.int16).astype(np.int32) % 9 - 4,
            **{c: partial(np.ndarray.astype, dtype=c) for c in "bBhH"}}  # fmt: skip
    x = [makers[k](np.tile(g.ravel(), 4)) for k, g in zip(row.inputs, grid, strict=True)]
    codes = np.random.default_rng(1).permutation(np.arange(x[0].size) % 4).astype(np.uint8)
    function = getattr(hc, row.name)
    with np.errstate(all="ignore"):
        want = [as_tuple(function(*x, rounding=mode)) for mode in hc.MODES]
        got = as_tuple(function(*x, rounding=codes))
    for k, result in enumerate(got):
        wanted = choose([results[k] for results in want], codes)
        both_nan = np.isnan(result) & np.isnan(wanted.view(result.dtype))
        assert ((result.view(wanted.dtype) == wanted) | both_nan).all()


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("bad", "shown"),
    [(np.array([0, 4]), r"4 at index \(1,\)"), (np.array([-1, 0], np.int8), r"-1 at index \(0,\)"),
     (np.array(["rte", "up"]), r"'up' at index \(1,\)"), (np.array([b"rtx", b"rte"]), r"b'rtx' at"),
     (np.array([[0], [255]], np.uint8), r"255 at index \(1, 0\)"), (np.array(7), "got 7$"),
     (np.array([None, "rte"], object), r"None at index \(0,\)"), (np.array([0, 2**40]), "at index"),
     (np.array([0.0, 1.0]), "one of float64"), (np.array([True, False]), "one of bool"),
     (np.zeros(2, half), "one of half"), (np.array(["2020-01-01"], "M8[D]"), "one of datetime64")],
)  # fmt: skip
def test_wrong_modes_are_named(bad, shown):
    """The error names the wrong modes, and nothing is written."""
    for name in ("add", "exp", "length", "fmax", "convert_half"):
        function = getattr(hc, name)
        out = np.full(() if name == "length" else 2, 9, half)
        with pytest.raises(ValueError, match=f"rounding: expected.*'rtn'.*MODES.*{shown}"):
            function(*[half([1, 2])] * function.nin, out=out, rounding=bad)
        assert (out == 9).all()


@pytest.mark.parametrize("bad", [["rte", "rtp"], ("rtp",), 2, np.uint8(2), [0, 1]])
def test_lists_of_modes_are_refused(bad):
    with pytest.raises(ValueError, match=r"rounding: expected one of 'rte', 'rtz', 'rtp', 'rtn'"):
        hc.add(A, A, rounding=bad)


def test_wrong_arguments_beside_modes_are_refused():
    codes = np.arange(3)
    for call in (hc.add.reduce, hc.add.accumulate, hc.rounding):
        args = () if call is hc.rounding else (A,)
        with pytest.raises(ValueError, match="got an array; calls of functions, half and convert"):
            call(codes) if call is hc.rounding else call(*args, rounding=codes)
    for call in (half, lambda x, rounding: hc.convert(x, half, rounding=rounding)):
        with pytest.raises(ValueError, match=r"rounding: expected.*MODES.*got 4 at"):
            call([0.1, 0.2], rounding=np.array([0, 4]))
        with pytest.raises(ValueError, match=r"broadcast.*\(2,\).*\(3,\)"):
            call(["0.1", "0.2"], rounding=codes)
    with pytest.raises(ValueError, match=r"broadcast.*\(4,\).*\(3,\)"):
        hc.add(A, A, rounding=codes)
    with pytest.raises(TypeError, match=r"add: argument 2: expected half.*float64"):
        hc.add(A, np.ones(4), rounding=np.arange(4))
    long_doubles = [np.longdouble([1, 2])] if HAS_LONG_DOUBLES else []
    for numbers in (np.array([1, 2], object), *long_doubles, np.array(["1", "2"])):
        with pytest.raises(TypeError, match=r"convert_half: argument 1: expected .* modes, got"):
            hc.convert_half(numbers, rounding=np.arange(2))
    with pytest.raises(TypeError, match="add: expected 2 arguments, got 1"):
        hc.add(A, rounding=np.arange(4))
    with pytest.raises(TypeError):
        hc.add(A, A, out=np.zeros(4, np.int32), rounding=np.arange(4))
    with pytest.raises(TypeError):
        hc.add(A, A, unknown=1, rounding=np.arange(4))
    with pytest.raises(ValueError, match="rounding"):
        hc.add.reduce(A, rounding=np.arange(4))
    with pytest.raises(ValueError, match="rounding"):
        hc.select(A, A, A > 1, rounding=np.arange(4))
    with pytest.raises(ValueError, match="rounding"):
        hc.rounding(np.arange(4))


def test_modes_need_little_stack():
    """Stacks have 128 kB, as in musl's threads.

    This runs in a process of its own, which an overflow would end.
    """
    code = """
import threading, numpy, halfcl
def calculate():
    x = numpy.linspace(-20, 20, 12000).astype(halfcl.half)
    modes = numpy.resize(numpy.arange(4, dtype=numpy.uint8), 6000)
    halfcl.exp(x[:6000], rounding=modes), halfcl.fma(x[::2], x[::-2], x[1::2], rounding=modes)
    print("done")
threading.stack_size(128 << 10)
thread = threading.Thread(target=calculate)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "done", done.stderr
