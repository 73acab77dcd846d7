"""Functions with integers among the arguments, and functions with several results."""

import numpy as np
import pytest
from oracle_functions import WITH_INTEGER

import halfcl as hc
from halfcl import half

X = np.array([2.75, -0.5, 0.1, 100, -3, 0.0], half)
Y = np.array([2, 3, 0.25, -7, 2, 1], half)

#: With two results: arguments, and the results' dtypes.
PAIRS = {
    "fract": ((X,), (half, half)),
    "modf": ((X,), (half, half)),
    "sincos": ((X,), (half, half)),
    "frexp": ((X,), (half, np.int32)),
    "lgamma_r": ((np.abs(X) + half(1),), (half, np.int32)),
    "remquo": ((X, Y), (half, np.int32)),
}
POSITIVE = np.array([1, 2, 3, 0.5], half)


def same(got, want):
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype
        np.testing.assert_array_equal(g, w)


# ---------------------------------------------------------------- several results


@pytest.fixture(params=PAIRS)
def pair(request):
    """Return a function with two results, its arguments, and their dtypes."""
    return getattr(hc, request.param), *PAIRS[request.param]


def test_results_are_a_tuple(pair):
    function, arguments, dtypes = pair
    results = function(*arguments)
    assert type(results) is tuple and function.nout == 2
    assert [r.dtype for r in results] == [np.dtype(d) for d in dtypes]
    assert all(r.shape == X.shape for r in results)


def test_outputs(pair):
    """A tuple of arrays, by name; or two arrays by position."""
    function, arguments, dtypes = pair
    want = function(*arguments)
    for stride in (1, 2):
        for call in (
            lambda outs: function(*arguments, out=outs),
            lambda outs: function(*arguments, *outs),
            lambda outs: function(*arguments, out=outs, rounding="rte"),
        ):
            outs = tuple(np.zeros(X.size * stride, d)[::stride] for d in dtypes)
            got = call(outs)
            assert got[0] is outs[0] and got[1] is outs[1]
            same(got, want)


def test_one_output(pair):
    function, arguments, dtypes = pair
    want = function(*arguments)
    for k in range(2):
        outs = [None, None]
        outs[k] = np.zeros(X.size, dtypes[k])
        got = function(*arguments, out=tuple(outs))
        assert got[k] is outs[k]
        same(got, want)


def test_in_place(pair):
    function, arguments, dtypes = pair
    want = function(*arguments)
    for k in range(2):
        if dtypes[k] is half:
            copies = [x.copy() for x in arguments]
            outs = [None, None]
            outs[k] = copies[0]
            got = function(*copies, out=tuple(outs))
            assert got[k] is copies[0]
            same(got, want)


def test_overlapping_outputs(pair):
    """Both results in memory that overlaps an argument: as if it did not."""
    function, arguments, dtypes = pair
    if dtypes[1] is not half:
        pytest.skip("the second result is no half")
    want = function(*arguments)
    memory = np.zeros(2 * X.size, half)
    memory[1 : X.size + 1] = arguments[0]
    got = function(memory[1 : X.size + 1], out=(memory[: X.size], memory[X.size :]))
    same(got, want)


def test_where(pair):
    function, arguments, dtypes = pair
    want = function(*arguments)
    where = np.arange(X.size) % 2 == 0
    outs = tuple(np.full(X.size, 7, d) for d in dtypes)
    function(*arguments, out=outs, where=where)
    same(outs, tuple(np.where(where, w, np.array(7, w.dtype)).astype(w.dtype) for w in want))


def test_wrong_outputs(pair):
    """Wrong outputs raise, and nothing is written."""
    function, arguments, dtypes = pair
    good = tuple(np.full(X.size, 7, d) for d in dtypes)
    for bad in (
        (good[0], np.zeros(X.size, bool)),
        (np.zeros(X.size, np.int32), good[1]),
        (good[0], np.full(X.size + 1, 7, dtypes[1])),
        good[:1],
        good[0],
    ):
        with pytest.raises((TypeError, ValueError)):
            function(*arguments, out=bad)
    for out in good:
        assert (out == 7).all()


def test_float16_results(pair):
    function, arguments, dtypes = pair
    got = function(*(x.view(np.float16) for x in arguments))
    for g, w, d in zip(got, function(*arguments), dtypes, strict=True):
        assert g.dtype == (np.float16 if d is half else d)
        np.testing.assert_array_equal(g, w.view(g.dtype))


def test_scalars_and_shapes(pair):
    function, arguments, dtypes = pair
    want = function(*arguments)
    for g, w, d in zip(function(*(x[0] for x in arguments)), want, dtypes, strict=True):
        assert type(g) is (half if d is half else np.int32) and g == w[0]
    number = float(arguments[0][0])
    same(function(number, *(y[0] for y in arguments[1:])), [w[0] for w in want])
    assert [r.shape for r in function(*(x[:0] for x in arguments))] == [(0,)] * 2
    table = [np.broadcast_to(x, (3, X.size)).reshape(3, 2, -1) for x in arguments]
    for g, w in zip(function(*table), want, strict=True):
        np.testing.assert_array_equal(g, np.broadcast_to(w, (3, X.size)).reshape(3, 2, -1))


def test_many_elements(pair):
    """The interpreter lock is released meanwhile."""
    function, arguments, _ = pair
    many = [np.tile(x, 2000) for x in arguments]
    same(function(*many), [np.tile(r, 2000) for r in function(*arguments)])


# ---------------------------------------------------------------- integer arguments


@pytest.mark.parametrize("name", WITH_INTEGER)
@pytest.mark.parametrize("dtype", "?bBhHi")
def test_integers_taken(name, dtype):
    function = getattr(hc, name)
    n = np.array([1, 1, 0, 1] if dtype == "?" else [1, 2, 3, 5], dtype)
    if name == "rootn":
        n[n == 0] = 1
    for x in (POSITIVE, POSITIVE.view(np.float16)):
        got = function(x, n)
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(got, [function(a, int(k)) for a, k in zip(x, n, strict=True)])


@pytest.mark.parametrize("name", WITH_INTEGER)
@pytest.mark.parametrize(
    "dtype", ["I", "l", "L", "q", "Q", "f", "d", "e", half, "S1", "O", "m8[s]"]
)
def test_integers_refused(name, dtype):
    if np.dtype(dtype) == np.int32:
        pytest.skip("C's long is int32 on this system")
    function = getattr(hc, name)
    with pytest.raises(TypeError, match=rf"{name}.*argument 2.*int32"):
        function(POSITIVE, np.ones(4, dtype))
    if dtype != "O":
        with pytest.raises(TypeError, match=rf"{name}.*argument 2.*int32"):
            function(POSITIVE, np.ones(4, dtype)[0])


@pytest.mark.parametrize("name", WITH_INTEGER)
def test_python_numbers(name):
    function = getattr(hc, name)
    assert type(function(2, 1)) is half and function(2.5, 1) == function(half(2.5), np.int32(1))
    for n in (2**31, -(2**31) - 1, 10**30):
        with pytest.raises(OverflowError):
            function(POSITIVE, n)
    with pytest.raises(TypeError, match="argument 2"):
        function(POSITIVE, 1.0)
    with pytest.raises(TypeError, match="argument 1"):
        function(np.ones(4, np.float32), 1)


def test_integer_against_a_vector():
    np.testing.assert_array_equal(hc.pown(half(2), np.arange(4, dtype=np.int32)), [1, 2, 4, 8])
    np.testing.assert_array_equal(hc.pown(POSITIVE[:, None], np.int8([1, 2])).shape, (4, 2))
    np.testing.assert_array_equal(hc.ldexp(POSITIVE, np.int32(-1)), POSITIVE / half(2))


def test_overlapping_integers():
    """The halves of the result on the memory of the integers."""
    memory = np.array([1, 2, 3, 0], np.int32)
    out = memory.view(half)[:4]
    hc.ldexp(POSITIVE, memory, out=out)
    np.testing.assert_array_equal(out, [2, 8, 24, 0.5])


@pytest.mark.parametrize("letter", "?bBhHiIlLqQ")
def test_numpy_ldexp(letter):
    """numpy.ldexp accepts the integers with half that it accepts with float16."""
    n = np.array([0, 1, 1, 1], letter)
    results = []
    for x in (POSITIVE, POSITIVE.view(np.float16)):
        try:
            results.append(np.ldexp(x, n).view(np.uint16))
        except TypeError:
            results.append(None)
    assert (results[0] is None) == (results[1] is None)
    if results[0] is not None:
        np.testing.assert_array_equal(*results)
        assert np.ldexp(POSITIVE, n).dtype == half


def test_numpy_ldexp_of_large_integers():
    n = np.array([2**40, -(2**40), 2**63 - 1, -(2**63)])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.ldexp(POSITIVE, n), [np.inf, 0, np.inf, 0])
    with pytest.raises(FloatingPointError), np.errstate(all="raise"):
        np.ldexp(POSITIVE, 100)


# ---------------------------------------------------------------- nan


@pytest.mark.parametrize("dtype", "?BH")
def test_codes(dtype):
    codes = np.array([0, 1, 1], dtype)
    got = hc.nan(codes)
    assert got.dtype == half
    np.testing.assert_array_equal(got.view(np.uint16), [0x7E00, 0x7E01, 0x7E01])
    out = np.zeros(3, half)
    assert hc.nan(codes, out=out) is out and np.isnan(out).all()


def test_python_codes():
    assert hc.as_ushort(hc.nan(0x1234)) == 0x7E34
    assert type(hc.nan(True)) is half
    for code in (-1, 1 << 16):
        with pytest.raises(OverflowError):
            hc.nan(code)


@pytest.mark.parametrize("code", [1.0, np.int16(1), np.int64(1), np.uint32(1), half(1), [1.0], "1"])
def test_codes_refused(code):
    with pytest.raises(TypeError, match=r"nan.*argument 1.*uint16"):
        hc.nan(code)
