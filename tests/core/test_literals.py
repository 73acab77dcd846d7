"""Python's numbers in a call are rounded once, in the call's mode, on every path."""

from fractions import Fraction

import numpy as np
import oracle
import pytest
from checks import as_tuple

import halfcl as hc
from halfcl import half
from halfcl._core import Experiment
from halfcl._tables import TABLE

# see pyproject markers
pytestmark = pytest.mark.once

NUMBERS = (0.1, -0.1, 1 / 3, 2049, -2051, 1e-10, -1e-10, 1 + 2**-11, 7)
FLOAT16, HALF = np.dtype(np.float16), np.dtype(half)
OTHER = {"rte": "rtp", "rtz": "rtp", "rtp": "rtn", "rtn": "rtp"}


def bits_by_mpfr(number, mode):
    """Return the bits of a number as a half, bits_by_mpfr by MPFR."""
    return int(oracle.round_to_half([number])[mode][0][0])


def same(result, number, mode):
    """Return whether every half is the bits_by_mpfr number; a zero sum may have either sign."""
    bits = np.atleast_1d(np.asarray(result)).view(np.uint16)
    want = bits_by_mpfr(number, mode)
    return (bits == want).all() or (want & 0x7FFF == 0 and (bits & 0x7FFF == 0).all())


# Calls that pass the number on, by how halfcl or NumPy prepares its arguments. All return it: 0 is
# less in magnitude than each.
ONE, SIX = np.zeros(1, half), np.zeros(6, half)
CALLS = {
    "scalar": lambda x, **mode: hc.maxmag(half(0), x, **mode),
    "first": lambda x, **mode: hc.maxmag(x, half(0), **mode),
    "numbers": lambda x, **mode: hc.maxmag(x, 0, **mode),
    "array": lambda x, **mode: hc.maxmag(SIX, x, **mode),
    "strided": lambda x, **mode: hc.maxmag(SIX[::-2], x, **mode),
    "no axes": lambda x, **mode: hc.maxmag(np.zeros((), half), x, **mode),
    "broadcast": lambda x, **mode: hc.maxmag(SIX.reshape(2, 3), x, **mode),
    "swapped": lambda x, **mode: hc.maxmag(SIX.astype(HALF.newbyteorder()), x, **mode),
    "int8": lambda x, **mode: hc.maxmag(np.zeros(3, np.int8), x, **mode),
    "list": lambda x, **mode: hc.maxmag([half(0)], x, **mode),
    "numbers in a list": lambda x, **mode: hc.maxmag([x, x], SIX[:2], **mode),
    "in a tuple": lambda x, **mode: hc.maxmag(SIX[::2], (x, x, x), **mode),
    "in lists": lambda x, **mode: hc.maxmag([[x, x, x], (x, x, x)], SIX.reshape(2, 3), **mode),
    "lists alone": lambda x, **mode: hc.maxmag([[x], [x]], (0, 0.0, False), **mode),
    "list, number": lambda x, **mode: hc.maxmag([x, x], 0, **mode),
    "list, float16": lambda x, **mode: hc.maxmag(SIX.view(np.float16), [x] * 6, **mode),
    "list, where": lambda x, **mode: hc.maxmag([x], SIX, where=True, **mode),
    "list, out": lambda x, **mode: hc.maxmag([x] * 6, SIX, out=np.ones(6, half), **mode),
    "list, one argument": lambda x, **mode: -hc.negative([x], **mode),
    "list, outer": lambda x, **mode: hc.maxmag.outer([0, 0], [x, x, x], **mode),
    "where": lambda x, **mode: hc.maxmag(SIX, x, where=SIX == 0, out=np.ones(6, half), **mode),
    "out": lambda x, **mode: hc.maxmag(SIX, x, out=np.ones(6, half), **mode),
    "out float32": lambda x, **mode: half(hc.maxmag(SIX, x, out=np.ones(6, "f"), **mode)),
    "subok": lambda x, **mode: hc.maxmag(SIX, x, subok=False, **mode),
    "vector": lambda x, **mode: hc.maxmag(hc.half4(0), x, **mode),
    "float16": lambda x, **mode: hc.maxmag(SIX.view(np.float16), x, **mode),
    "float16 scalar": lambda x, **mode: hc.maxmag(np.float16(0), x, **mode),
    "float16 where": lambda x, **mode: hc.maxmag(np.zeros(1, FLOAT16), x, where=True, **mode),
    "three": lambda x, **mode: hc.clamp(x, SIX[:0:-1], half("inf") if x > 0 else SIX[0], **mode)
    if x > 0 else hc.clamp(x, half("-inf"), SIX[0], **mode),
    "outer": lambda x, **mode: hc.maxmag.outer(SIX, x, **mode),
    "one argument": lambda x, **mode: -hc.negative(x, **mode),
    "one argument, out": lambda x, **mode: -hc.negative(x, out=np.ones((), half), **mode),
    "one argument, where": lambda x, **mode: -hc.negative(x, where=True, **mode),
    "add": lambda x, **mode: hc.add(SIX, x, **mode),
    "subtract": lambda x, **mode: hc.subtract(x, SIX[::2], **mode),
    "builtin": lambda x, **mode: hc.fma(half(1), x, SIX, **mode),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_number_is_rounded_in_the_calls_mode(call, mode):
    """The call's mode applies, outside regions and in a region of another mode."""
    for number in NUMBERS:
        assert same(call(number, rounding=mode), number, mode)
        with hc.rounding(OTHER[mode], builtins=True):
            assert same(call(number, rounding=mode), number, mode)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_number_is_rounded_in_the_regions_mode(call, mode):
    """Without rounding= the region's mode applies, as for conversions."""
    for number in NUMBERS:
        with hc.rounding(mode, builtins=True):
            assert same(call(number), number, mode)
            assert same(call(number, rounding=None), number, mode)
        assert same(call(number), number, "rte")


@pytest.mark.parametrize("number", NUMBERS)
def test_operators_round_numbers_in_the_regions_mode(number, mode):
    """Operators in a region equal calls, with the number on either side, for arrays and scalars."""
    for zero in (half(0), SIX, SIX[::2], SIX[:1], hc.half2(0)):
        with hc.rounding(mode):
            assert same(zero + number, number, mode) and same(number - zero, number, mode)
            assert same(np.add(zero, number), number, mode)
        assert same(hc.add(zero, number, rounding=mode), number, mode)


def test_methods_round_numbers(mode):
    for number in NUMBERS:
        assert same(hc.add.reduce(np.zeros(5, half), initial=number, rounding=mode), number, mode)
        a = np.zeros(3, half)
        hc.add.at(a, [0, 2], number, rounding=mode)
        assert same(a[::2], number, mode) and a[1] == 0
        assert same(hc.add.reduce([number, 0], rounding=mode), number, mode)
        assert same(hc.add.accumulate([number, 0], rounding=mode), number, mode)
        assert same(hc.add.reduceat([number, 0, number], [0, 2], rounding=mode), number, mode)
        hc.add.at(a, [1], [number], rounding=mode)
        assert same(a, number, mode)
        with hc.rounding(mode):
            assert same(hc.add.reduce([number, 0]), number, mode)
            assert same(hc.add.reduce(np.zeros(5, half), initial=number), number, mode)
            assert same(hc.add.outer(np.zeros(2, np.float16), number), number, mode)


def test_functions_of_vectors_round_numbers(mode):
    """Functions of vectors take numbers as vectors of one component."""
    for number in (0.1, 2049, 1e-10):
        assert same(hc.length(number, rounding=mode), number, mode)
        assert same(hc.dot(number, 1, rounding=mode), number, mode)
        assert same(hc.dot(number, half(1), rounding=mode), number, mode)
        assert same(hc.distance(half(0), number, rounding=mode), number, mode)


def test_float16_stays_float16(mode):
    for zero in (np.zeros(3, np.float16), np.float16(0), [np.float16(0)]):
        with hc.rounding(mode):
            assert hc.add(zero, 0.1).dtype == hc.add(0.1, zero, rounding=mode).dtype == FLOAT16
    for zero in (half(0), [half(0)], np.int8([0]), 0):
        assert hc.add(zero, 0.1, rounding=mode).dtype == HALF
        mixed = hc.fma(np.float16([1]), 0.1, np.zeros(1, half), rounding=mode)
        assert mixed.dtype == HALF


def test_every_function_rounds_its_numbers(mode):
    """In each function of the table, a number and the half that it rounds to give the same."""
    literal = half(0.7, rounding=mode)
    for row in TABLE:
        if not row.public or set(row.inputs) != {"e"} or row.name == "cross":
            continue
        name, function = row.name, getattr(hc, row.name)
        with np.errstate(all="ignore"):
            got = function(*[0.7] * row.nin, rounding=mode)
            want = function(*[literal] * row.nin, rounding=mode)
        for g, w in zip(as_tuple(got), as_tuple(want), strict=True):
            assert g.dtype == w.dtype and g.tobytes() == w.tobytes(), name


def test_integer_arguments_are_not_rounded(mode):
    assert hc.pown(half(2), 3, rounding=mode) == 8
    assert hc.ldexp(0.75, 1, rounding=mode) == 1.5
    with pytest.raises(TypeError, match="argument 2"):
        hc.pown(half(2), 3.0, rounding=mode)


def test_overflow_is_reported_as_by_numpy():
    """The error is that of NumPy's conversion; rtz rounds to 65504."""
    for zero in (half(0), SIX, SIX[::2], np.zeros(2, np.float16)):
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
            hc.maxmag(zero, 1e6, rounding="rtn")
        with np.errstate(over="ignore", under="raise"):
            assert (hc.maxmag(zero, 1e6, rounding="rtn") == 65504).all()
            assert (hc.maxmag(zero, 1e6, rounding="rtp") == np.inf).all()
            assert (hc.maxmag(zero, 1e-9, rounding="rtp") == 2**-24).all()
    with np.errstate(over="ignore"):
        assert hc.maxmag(half(0), 10**400, rounding="rtz") == 65504


def test_complex_and_text_are_refused(mode):
    lists = ([np.float64(0.1)], (np.int64(1),), [[0.1], [np.float32(1)]], [0.1, "1"], [np.zeros(1)])
    for bad in (np.float64(0.1), np.float32(1), np.int64(1), "0.1", None, 1j, *lists):
        with pytest.raises(TypeError):
            hc.add(SIX, bad, rounding=mode)
    with pytest.raises(TypeError):
        hc.add(0.1, rounding=mode)
    with pytest.raises(TypeError):
        hc.add(0.1, SIX, None, SIX, 1, rounding=mode)
    assert hc.add(SIX, True, rounding=mode).tolist() == [1] * 6


# ---------------------------------------------------------------- lists


def test_lists_of_every_function(mode):
    """Lists give the same as arrays of their rounded numbers, in every function of the table."""
    with np.errstate(all="ignore"):
        for row in TABLE:
            if not row.public:
                continue
            numbers = {"e": [0.7, 1.3, 3]}
            arrays = {"e": half([0.7, 1.3, 3], rounding=mode)}
            lists = [numbers.get(letter, [1, 0, 1]) for letter in row.inputs]
            halves = [arrays.get(letter, np.array([1, 0, 1], letter)) for letter in row.inputs]
            function = getattr(hc, row.name)
            got, want = function(*lists, rounding=mode), function(*halves, rounding=mode)
            for g, w in zip(as_tuple(got), as_tuple(want), strict=True):
                assert g.dtype == w.dtype and g.tobytes() == w.tobytes(), row.name


def test_numbers_of_a_list_are_rounded_each(mode):
    numbers = [0.1, 2049, True, -1e-10, 2**60 + 1, 10**400, -(10**400)]
    with np.errstate(over="ignore"):
        got = hc.maxmag(numbers, 0, rounding=mode).view(np.uint16).tolist()
    high, low = [0x7BFF if mode in ("rtz", end) else 0x7C00 for end in ("rtn", "rtp")]
    assert got == [*(bits_by_mpfr(x, mode) for x in numbers[:4]), high, high, low | 0x8000]


def test_lists_in_a_mode_for_each_element():
    codes = np.array(list(oracle.MODES))
    for numbers in ([0.1] * 4, [[0.1], [-0.1]], [0.1], (2049, 2051, -2049, -0.1)):
        got = hc.maxmag(numbers, 0, rounding=codes)
        for x, result, code in np.nditer([np.array(numbers), got.view(np.uint16), codes]):
            assert int(result) == bits_by_mpfr(x.item(), str(code))
    assert hc.maxmag([0.1], np.zeros(4, np.float16), rounding=codes).dtype == FLOAT16
    assert hc.ldexp([3.0], [1, 2, 3, 4], rounding=codes).tolist() == [6, 12, 24, 48]


def test_lists_of_integers():
    """Lists for integer arguments work; integers beyond the type are refused as they are alone."""
    assert hc.ldexp([1.5, 2], [[1], [-1]]).tolist() == [[3, 4], [0.75, 1]]
    assert hc.pown(half([2, 3]), (3, True)).tolist() == [8, 3]
    with pytest.raises(OverflowError, match="int32"):
        hc.ldexp(half(1), [2**31])
    with pytest.raises(TypeError, match=r"argument 2 .* got float64"):
        hc.ldexp(half(1), [1, 2.0])


def test_shapes_of_lists():
    assert hc.exp([]).shape == (0,) and hc.exp([[], []]).shape == (2, 0)
    assert hc.exp([]).dtype == hc.exp([True]).dtype == hc.exp((0,)).dtype == HALF
    assert hc.dot([1, 2], [3, 4.5]) == 12 and hc.length([[3, 4], [6, 8]]).tolist() == [5, 10]
    deep = [1]
    deep.append(deep)
    for bad in ([[1, 2], [3]], deep):
        with pytest.raises(ValueError, match=r"inhomogeneous|dimension"):
            hc.exp(bad)


def test_lists_beside_vectors(mode):
    """A list has one number for each vector; any other list may mean that, or components."""
    for numbers in ([0.1], [[0.1], [0.1], [0.1]]):
        assert same(hc.add(hc.half4(np.zeros((3, 4), half)), numbers, rounding=mode), 0.1, mode)
    for numbers in ([0.1, 0.2, 0.3, 0.4], [[0.1, 0.2]], []):
        for rounding in (mode, np.array([mode])):
            with pytest.raises(TypeError, match=r"with half4.*vectors built from x for components"):
                hc.add(hc.half4(0), numbers, rounding=rounding)


def test_lists_in_a_random_region():
    """Each number is rounded down or up at random; equal numbers are rounded alike."""
    numbers = np.linspace(0.1, 0.2, 64).tolist()
    down, up = (half(numbers, rounding=m) for m in ("rtn", "rtp"))
    with Experiment("random", seed=1):
        for function in (hc.maxmag, hc.add):
            result = function(half([0]), numbers)
            assert ((result == down) | (result == up)).all()
            assert 16 < np.count_nonzero(result == down) < 48
            assert len(set(function(half([0]), [0.1] * 64).tolist())) == 1


class Foreign:
    """Handles ufuncs itself, as intervals do, and so sees the caller's numbers."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return method, inputs[1], hc.get_rounding()


def test_classes_with_array_ufunc_see_the_number():
    modes = np.arange(2)
    for mode in (*oracle.MODES, modes):
        assert hc.add(Foreign(), 0.1, rounding=mode) == ("__call__", 0.1, "rte")
        assert type(hc.add(Foreign(), 0.1, rounding=mode)[1]) is float
    assert hc.add.outer(Foreign(), 0.1, rounding="rtp") == ("outer", 0.1, "rte")
    assert hc.add(Foreign(), [0.1], rounding="rtp") == ("__call__", [0.1], "rte")
    with hc.rounding("rtn"):
        assert hc.add(Foreign(), 0.1) == ("__call__", 0.1, "rtn")
        assert np.add(Foreign(), 0.1) == ("__call__", 0.1, "rtn")


def test_plain_ufuncs_round_in_the_regions_mode():
    """hc.add_rtp is a NumPy ufunc, and gets the number as a half."""
    for function in (hc.maxmag.rtp, hc.maxmag_rtp, hc.add_rtp):
        assert same(function(SIX, 0.1), 0.1, "rte")
        with hc.rounding("rtn"):
            assert same(function(SIX, 0.1), 0.1, "rtn")
        with hc.rounding("rtp"):
            assert same(function(SIX, 0.1), 0.1, "rtp")


def test_enclosures_need_the_opposite_direction():
    """For a lower bound of a - 0.1, 0.1 has to be rounded up (docs/reference/rounding.md)."""
    exact = Fraction(1, 4) - Fraction(0.1)
    assert Fraction(float(hc.subtract(half(0.25), 0.1, rounding="rtn"))) > exact
    below = hc.subtract(half(0.25), half(0.1, rounding="rtp"), rounding="rtn")
    above = hc.subtract(half(0.25), half(0.1, rounding="rtn"), rounding="rtp")
    assert Fraction(float(below)) < exact < Fraction(float(above))
