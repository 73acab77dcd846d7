"""The dtype `half` behaves in NumPy like float16: the same call on both returns the same."""

import copy
import io
import operator
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.exceptions import ComplexWarning

import halfcl as hc
from halfcl import half

HALF = np.dtype(half)
FLOAT16 = np.dtype(np.float16)

VALUES = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    1 / 3,
    2.0**-24,
    1e-5,
    1000.5,
    65504.0,
    np.inf,
    -np.inf,
    np.nan,
]

NUMBERS = "?bBhHiIlLqQefdgFDG"
EVERYTHING = NUMBERS + "SUOmMV"


def values(x):
    """Return the dtype, with half for float16, and the bit patterns; every NaN becomes the same."""
    x = np.asarray(x)
    dtype = HALF if x.dtype == FLOAT16 else x.dtype
    if dtype == HALF:
        x = x.astype(x.dtype.newbyteorder("=")).view(np.float16)
        x = np.where(np.isnan(x), 0x7E00, x.view(np.uint16))
    return dtype, x.shape, x.tolist() if x.dtype.kind != "V" else x.tobytes()


def outcome(function, *args):
    """Return the values of a call's result, or the built-in type of its exception."""
    try:
        return repr(values(function(*args)))
    except Exception as error:
        return next(c for c in type(error).__mro__ if c.__module__ == "builtins")


# ------------------------------------------------------------------ the type


def test_type():
    assert HALF.type is half and HALF.itemsize == 2 and HALF.alignment == 2
    assert HALF is np.dtype(half) and HALF != FLOAT16
    assert half.__name__ == half.__qualname__ == "half" and half.__module__ == "halfcl"
    assert isinstance(half(1), np.floating) and np.issubdtype(HALF, np.floating)
    assert np.array([half(1), half(2)]).dtype == HALF
    assert type(np.ones(2, half)[0]) is half


@pytest.mark.parametrize(
    "attribute", ["kind", "itemsize", "hasobject", "isnative", "shape", "ndim"]
)
def test_dtype_attributes(attribute):
    assert getattr(HALF, attribute) == getattr(FLOAT16, attribute)


def test_dtype_names():
    assert HALF.name == "half" and str(HALF) == "half"
    if np.lib.NumpyVersion(np.__version__) >= "2.3.0":  # before, repr goes by kind and size
        assert "half" in repr(HALF)


@pytest.mark.parametrize(
    "name", [n for n in dir(np.finfo(np.float16)) if n[0] != "_" and n not in ("dtype", "machar")]
)
def test_finfo(name):
    expected = getattr(np.finfo(np.float16), name)
    assert getattr(hc.finfo(), name) == expected
    assert getattr(np.finfo(HALF), name) == expected


def test_finfo_types():
    assert type(hc.finfo().max) is half and hc.finfo().dtype == HALF


# ------------------------------------------------------------------ creation

CREATION = {
    "list": lambda t: np.array(VALUES, t),
    "nested": lambda t: np.array([[1, 2], [3.5, np.float32(4)]], t),
    "bools": lambda t: np.array([True, False], t),
    "big ints": lambda t: np.array([2049, 2051, 65504], t),
    "mixed scalars": lambda t: np.array([t(1), np.float64(0.1), np.int64(3), 2.5], t),
    "strings": lambda t: np.array(["1.5", "-2e-3", "inf", "nan", " 7 "], t),
    "bytes": lambda t: np.array([b"1.5", b"-2e-3"], t),
    "objects": lambda t: np.array(np.array([1, 2.5], object), t),
    "scalar": lambda t: np.array(1.5, t),
    "arrays": lambda t: np.array([np.arange(3.0), np.arange(3)], t),
    "none": lambda t: np.array([None, 1.0], t),
    "asarray": lambda t: np.asarray([1, 2], t),
    "ascontiguousarray": lambda t: np.ascontiguousarray(np.ones((3, 2), t).T),
    "asfortranarray": lambda t: np.asfortranarray(np.ones((3, 2), t)),
    "zeros": lambda t: np.zeros((2, 3), t),
    "ones": lambda t: np.ones((2, 3), t),
    "full": lambda t: np.full((2, 3), 0.1, t),
    "full of inf": lambda t: np.full(3, np.inf, t),
    "zeros_like": lambda t: np.zeros_like(np.ones((2, 3), t)),
    "ones_like": lambda t: np.ones_like(np.ones((2, 3)), dtype=t),
    "full_like": lambda t: np.full_like(np.ones((2, 3), t), 7),
    "arange": lambda t: np.arange(10, dtype=t),
    "arange step": lambda t: np.arange(1, 2, 0.125, dtype=t),
    "arange down": lambda t: np.arange(5, -5, -1, dtype=t),
    "arange short": lambda t: np.arange(1, dtype=t),
    "arange of scalars": lambda t: np.arange(t(0), t(3), t(0.5)),
    "linspace": lambda t: np.linspace(0, 1, 11, dtype=t),
    "linspace of scalars": lambda t: np.linspace(t(0), t(1), 5),
    "logspace": lambda t: np.logspace(0, 3, 4, dtype=t),
    "geomspace": lambda t: np.geomspace(1, 256, 9, dtype=t),
    "eye": lambda t: np.eye(3, 4, 1, dtype=t),
    "identity": lambda t: np.identity(3, dtype=t),
    "tri": lambda t: np.tri(3, dtype=t),
    "fromiter": lambda t: np.fromiter((i / 3 for i in range(20)), t),
    "fromfunction": lambda t: np.fromfunction(lambda i, j: i * j, (3, 3), dtype=t),
    "frombuffer": lambda t: np.frombuffer(bytes(range(16)), t),
    "fromstring": lambda t: np.fromstring("1.5 2 -3e2 inf", t, sep=" "),
    "fromstring commas": lambda t: np.fromstring("1.5, 2,-3e2", t, sep=","),
    "loadtxt": lambda t: np.loadtxt(io.StringIO("1.5 2\n3 4e-3"), dtype=t),
    "loadtxt commas": lambda t: np.loadtxt(io.StringIO("1.5,2\n3,4e-3"), dtype=t, delimiter=","),
    "genfromtxt": lambda t: np.genfromtxt(io.StringIO("1.5 2\n3 4e-3"), dtype=t),
    "ndarray": lambda t: np.ndarray(3, t, buffer=b"\0\x3c\0\x40\0\x42"),
    "stack": lambda t: np.stack([np.ones(2, t), np.zeros(2, t)]),
    "meshgrid": lambda t: np.meshgrid(np.arange(2, dtype=t), np.arange(3, dtype=t))[1],
    "diag": lambda t: np.diag(np.arange(3, dtype=t)),
    "vander": lambda t: np.vander(np.arange(4, dtype=t), 3),
}


@pytest.mark.parametrize("make", CREATION.values(), ids=CREATION)
def test_creation(make):
    created, expected = make(half), make(np.float16)
    assert values(created) == values(expected)
    assert created.dtype == (HALF if expected.dtype == FLOAT16 else expected.dtype)


@pytest.mark.parametrize("bad", ["", "x", "1.5x", "1.5 2", "0x", "h"])
def test_creation_from_bad_text(bad):
    with pytest.raises(ValueError, match="half"):
        np.array([bad], half)


@pytest.mark.parametrize("bad", [[[1, 2], [3]], [object()], [1j], [{}]])
def test_creation_from_non_numbers_is_refused(bad):
    with pytest.raises((TypeError, ValueError)) as expected:
        np.array(bad, np.float16)
    with pytest.raises(expected.type):
        np.array(bad, half)


# ------------------------------------------------------------------ casts


def sample_of(letter):
    """Return values of a dtype that can be cast to float16."""
    if letter in "SU":
        return np.array(["1.5", "-2", "1e-3", "0.1"], letter)
    if letter == "O":
        return np.array([1.5, 2, True, np.float32(0.1)], "O")
    if letter == "?":
        return np.array([True, False])
    if letter in "bBhHiIlLqQ":
        info = np.iinfo(letter)
        tries = [0, 1, -1, 5, 100, 2047, 2049, 2051, 65504, 65519, -2049, info.min, info.max]
        return np.array([v for v in tries if info.min <= v <= info.max and abs(v) < 65520], letter)
    return np.array(VALUES, letter)


@pytest.mark.parametrize("letter", NUMBERS.replace("e", "") + "SUO")
def test_cast_to_half(letter):
    source = sample_of(letter)
    if letter in "FDG":
        with pytest.warns(ComplexWarning):
            got = source.astype(half)
        source = source.real
    else:
        got = source.astype(half)
    assert got.dtype == HALF
    expected = source.astype(np.float64).astype(np.float16)
    assert values(got) == values(expected)


@pytest.mark.parametrize("letter", NUMBERS + "SUO")
def test_cast_from_half(letter):
    numbers = np.array([0, 1, 2.5, 100, 126.9] if letter in "bBhHiIlLqQ" else VALUES, np.float16)
    assert outcome(numbers.view(half).astype, letter) == outcome(numbers.astype, letter)


@pytest.mark.parametrize("letter", "fdgFDG?")
def test_cast_from_every_half(letter, all_halves):
    bits = np.asarray(all_halves).view(np.uint16)
    got = bits.view(half).astype(letter)
    with np.errstate(invalid="ignore"):  # float16's signalling NaNs to long double
        expected = bits.view(np.float16).astype(letter)
        np.testing.assert_array_equal(got, expected)


def test_cast_to_object_gives_python_floats():
    assert [type(v) for v in np.ones(2, half).astype(object)] == [float, float]
    assert np.ones(2, half).tolist() == [1.0, 1.0] and type(np.ones(2, half).tolist()[0]) is float


@pytest.mark.parametrize(
    ("letter", "number", "expected"),
    [
        ("q", 2**11 + 1, 2048.0),
        ("q", 2**11 + 3, 2052.0),
        ("q", -(2**62), -np.inf),
        ("Q", 2**64 - 1, np.inf),
        ("Q", 65519, 65504.0),
        ("d", 1 + 2**-11 + 2**-52, 1 + 2**-10),
        ("d", 1 + 2**-11, 1.0),
        ("d", 2**-25 * (1 + 2**-52), 2**-24),
        ("d", 2**-25, 0.0),
        ("g", np.longdouble(1) + np.longdouble(2) ** -11 + np.longdouble(2) ** -60, 1 + 2**-10),
        ("g", np.longdouble(1) + np.longdouble(2) ** -11 - np.longdouble(2) ** -60, 1.0),
        ("f", np.float32(1 + 2**-11), 1.0),
        ("O", 2**11 + 1, 2048.0),
    ],
)
def test_casts_round_once(letter, number, expected):
    with np.errstate(all="ignore"):
        assert np.array([number] * 9, letter).astype(half).tolist() == [expected] * 9


@pytest.mark.parametrize("number", [1e6, -65520.0])
def test_cast_overflow_warns(number):
    for letter in "fd":
        with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
            assert np.isinf(np.array([number], letter).astype(half)).all()


CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize("letter", sorted(set(EVERYTHING) - set("emM")))
def test_can_cast(letter, casting):
    other = np.dtype(letter)
    assert np.can_cast(HALF, other, casting) == np.can_cast(FLOAT16, other, casting)
    assert np.can_cast(other, HALF, casting) == np.can_cast(other, FLOAT16, casting)
    ours, usual = ((d, d.newbyteorder()) for d in (HALF, FLOAT16))
    assert np.can_cast(*ours, casting) == np.can_cast(*usual, casting)


def test_can_cast_float16():
    assert np.can_cast(FLOAT16, HALF, "safe") and np.can_cast(HALF, FLOAT16, "same_kind")
    assert not np.can_cast(HALF, FLOAT16, "no")


@pytest.mark.parametrize("swapped", [False, True])
def test_float16_casts_keep_bits(swapped, all_halves):
    bits = np.asarray(all_halves).view(np.uint16)
    dtype = HALF.newbyteorder() if swapped else HALF
    float16 = FLOAT16.newbyteorder() if swapped else FLOAT16
    there = bits.view(np.float16).astype(dtype)
    assert (
        there.dtype == dtype and there.tobytes() == bits.view(np.float16).astype(float16).tobytes()
    )
    back = there.astype(np.float16)
    assert back.dtype == FLOAT16 and (back.view(np.uint16) == bits).all()


# ------------------------------------------------------------------ promotion


@pytest.mark.parametrize("letter", EVERYTHING)
@pytest.mark.parametrize("function", [np.promote_types, np.result_type])
def test_promotion_of_dtypes(function, letter):
    other = np.dtype(letter)
    assert outcome(lambda: np.empty(0, function(HALF, other))) == outcome(
        lambda: np.empty(0, function(FLOAT16, other))
    )
    assert outcome(lambda: np.empty(0, function(other, HALF))) == outcome(
        lambda: np.empty(0, function(other, FLOAT16))
    )


def test_promotion_with_float16_gives_half():
    for pair in ((HALF, FLOAT16), (FLOAT16, HALF), (HALF, HALF)):
        assert np.promote_types(*pair) == np.result_type(*pair) == HALF
    a, b = np.ones(2, half), np.ones(2, np.float16)
    for result in (a + b, b + a, a * b[0], b * a[0], a[0] + b[0], b[0] + a[0]):
        assert result.dtype == HALF


OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, divmod, operator.lt, operator.le, operator.eq, operator.ne, operator.gt,
    operator.ge, operator.and_, operator.lshift, operator.matmul,
]  # fmt: skip


# A limit: NumPy multiplies timedelta by its own types alone.
TIMEDELTA_PRODUCTS = (operator.mul, operator.truediv, operator.floordiv)


def assert_no_loop(op, mine, other):
    with pytest.raises(TypeError):
        op(mine, other)


@pytest.mark.parametrize("letter", NUMBERS + "mO")
def test_operators_with_arrays(letter):
    mine = np.array([1.5, -2.5, 3.0, 0.5], np.float16)
    other = np.array([1, 2, 1, 3], "m8[s]" if letter == "m" else letter)
    for op in OPERATORS:
        if letter == "m" and op in TIMEDELTA_PRODUCTS:
            assert_no_loop(op, mine.view(half), other)
            continue
        assert outcome(op, mine.view(half), other) == outcome(op, mine, other), op
        assert outcome(op, other, mine.view(half)) == outcome(op, other, mine), op


SCALARS = [
    True, 2, -3, 1.5, 0.1, 1e-9, 2.0 + 1j, 10**5, 2**70, 1e30, np.inf, np.True_, np.int8(3),
    np.uint8(3), np.int16(3), np.int64(3), np.uint64(3), np.float16(1.5), np.float32(1.5),
    np.float64(1.5), np.longdouble(1.5), np.complex64(1j), np.timedelta64(3, "s"), None, "1",
]  # fmt: skip


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: f"{type(s).__name__}-{s}")
def test_operators_with_scalars(scalar):
    mine = np.array([1.5, -2.5, 3.0, 0.5], np.float16)
    for op in OPERATORS[:-1]:
        if isinstance(scalar, np.timedelta64) and op in TIMEDELTA_PRODUCTS:
            assert_no_loop(op, mine.view(half), scalar)
            continue
        assert outcome(op, mine.view(half), scalar) == outcome(op, mine, scalar), op
        assert outcome(op, scalar, mine.view(half)) == outcome(op, scalar, mine), op


UNARY = [operator.neg, operator.pos, abs, operator.invert, operator.not_, round, len, bool, list]


@pytest.mark.parametrize("op", UNARY, ids=lambda op: op.__name__)
def test_unary_operators(op):
    mine = np.array([1.5, -2.5, 3.0, np.nan], np.float16)
    assert outcome(op, mine.view(half)) == outcome(op, mine)


INPLACE = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
    operator.imod, operator.ipow,
]  # fmt: skip


@pytest.mark.parametrize("op", INPLACE, ids=lambda op: op.__name__)
@pytest.mark.parametrize("letter", NUMBERS)
def test_inplace_operators(op, letter):
    def run(t, swap):
        pair = [np.array([2, 3, 1, 1], t), np.array([1, 2, 1, 3], letter)]
        return op(*(pair[::-1] if swap else pair))

    assert outcome(run, half, False) == outcome(run, np.float16, False)
    assert outcome(run, half, True) == outcome(run, np.float16, True)


@pytest.mark.parametrize("number", [0.1, 1 / 3, 2.0**-26, 1e5])
def test_python_floats_round_first(number):
    """A Python number is first rounded to half, as it is beside float16."""
    for op in (operator.add, operator.mul, operator.truediv):
        mine = np.array([1.5, 3, 1 / 3], np.float16)
        with np.errstate(all="ignore"):
            assert values(op(mine.view(half), number)) == values(op(mine, number))


# ------------------------------------------------------------------ printing

PRINTED = [
    VALUES, [1.0, 2.0], [0.1, 65504], [1e-7, 1], [np.nan, 1], [[1.5, 2], [3, 4]], [], 1.5,
    list(range(2000)), [1000, 0.001],
]  # fmt: skip


@pytest.mark.parametrize("numbers", PRINTED, ids=range(len(PRINTED)))
def test_printing(numbers):
    mine, plain = np.array(numbers, half), np.array(numbers, np.float16)
    assert str(mine) == str(plain)
    assert repr(mine) == repr(plain).replace("float16", "half")
    assert np.array2string(mine, precision=2) == np.array2string(plain, precision=2)
    with np.printoptions(precision=2, suppress=True, floatmode="fixed", sign="+"):
        assert str(mine) == str(plain)


@pytest.mark.parametrize("spec", ["", ".3f", "8.2e", "+g", "%", "<10", "010.3f"])
def test_format(spec):
    for value in VALUES:
        assert format(half(value), spec) == format(np.float16(value), spec)
    assert f"{half(0.1):{spec}}" == f"{np.float16(0.1):{spec}}"


def test_scalar_text():
    for value in VALUES:
        assert str(half(value)) == str(np.float16(value))
        assert repr(half(value)) == f"half({np.float16(value)!s})"


# ------------------------------------------------------------------ indexing, assignment, views

INDEXING = {
    "a[1, 2]": lambda a: a[1, 2],
    "a[-1]": lambda a: a[-1],
    "slices": lambda a: a[::-1, 1::2],
    "fancy": lambda a: a[[0, 2], [3, 1]],
    "mask": lambda a: a[a > 5],
    "newaxis": lambda a: a[:, None, ..., 1:3],
    "reshape": lambda a: a.reshape(2, -1),
    "T": lambda a: a.T,
    "ravel F": lambda a: a.ravel("F"),
    "flat": lambda a: np.array(list(a.flat)),
    "flat slice": lambda a: a.flat[2:7],
    "iteration": lambda a: [x[1] for x in a],
    "item": lambda a: a.item(3),
    "squeeze": lambda a: a[:1].squeeze(),
    "swapaxes": lambda a: a[None].swapaxes(0, 2),
    "diagonal": lambda a: a.diagonal(),
    "ix_": lambda a: a[np.ix_([0, 2], [1, 3])],
    "ndenumerate": lambda a: [v for _, v in np.ndenumerate(a)],
    "nditer": lambda a: [v.item() for v in np.nditer(a)],
}


@pytest.mark.parametrize("index", INDEXING.values(), ids=INDEXING)
def test_indexing(index):
    mine, plain = (
        index(np.arange(12, dtype=half).reshape(3, 4)),
        index(np.arange(12, dtype=np.float16).reshape(3, 4)),
    )
    assert values(mine) == values(plain)


def assign_by(statement):
    def run(dtype):
        a = np.arange(12, dtype=dtype).reshape(3, 4)
        exec(statement, {"a": a, "np": np, "t": dtype})
        return a

    return run


@pytest.mark.parametrize(
    "statement",
    [
        "a[1, 2] = 0.1", "a[0] = [1, 2.5, 3, True]", "a[:, 1] = np.arange(3)", "a[a > 4] = -1",
        "a[[0, 2], 1] = np.float64(1 / 3), np.float32(2)", "a[...] = '1.5'", "a[0] = a[1] * 2",
        "a.flat[3:6] = 9", "a.fill(0.1)", "np.put(a, [1, 3], [7.5, 8.5])", "a[:] = a[::-1]",
        "np.copyto(a, 0.1, where=a > 3)", "np.place(a, a > 3, [1.5, 2.5])", "a += 0.1",
        "np.putmask(a, a > 3, a * 2)", "np.fill_diagonal(a, 0.1)", "a[0, 0] = t(0.1)",
        "a[1] = np.longdouble(0.1)", "a[1] = np.array([1, 2, 3, 4], 'O')", "a.sort(axis=0)",
        "a[2] = np.array(['1', '2', '3', 'inf'])", "a[1, 1] = np.array(2.5)", "a.resize(2, 2)",
        "a[0], a[1] = a[1].copy(), a[0].copy()", "a.setflags(write=False)",
        "np.put_along_axis(a, np.array([[1]]), 99, axis=1)", "a.partition(2)", "a.byteswap(True)",
    ],
)  # fmt: skip
def test_assignment(statement):
    assert outcome(assign_by(statement), half) == outcome(assign_by(statement), np.float16)


@pytest.mark.parametrize(
    "statement",
    [
        "a[0] = [1, 2]", "a[0, 0] = [1, 2]", "a[0, 0] = 'x'", "a[0, 0] = 1j", "a[0, 0] = None",
        "a[5] = 1", "a[0, 0] = object()", "a[0, 0] = 1e6", "a['x'] = 1",
    ],
)  # fmt: skip
def test_bad_assignment(statement):
    assert outcome(assign_by(statement), half) == outcome(assign_by(statement), np.float16)


def test_views_copy_nothing():
    bits = np.array([0x3C00, 0xC000, 0x7C01], np.uint16)
    a = bits.view(half)
    assert a.base is bits and a[0] == 1
    a.view(np.float16)[1] = 3
    assert a[1] == 3 and bits[1] == 0x4200
    assert (a.view(np.uint16) == bits).all() and a.view("V2").dtype == "V2"
    assert np.array([1.0], np.float32).view(half).tolist() == [0.0, 1.875]
    assert np.shares_memory(np.asarray(a, half), a) and np.asarray(a) is a
    assert np.shares_memory(a.astype(half, copy=False), a)


@pytest.mark.parametrize(
    "move", [np.copy, np.ravel, lambda a: np.concatenate([a, a])[:3], lambda a: a.take([0, 1, 2])]
)
def test_signaling_nans_are_carried(move):
    bits = np.array([0x7C01, 0xFC01, 0x7E55], np.uint16)
    assert (move(bits.view(half)).view(np.uint16) == bits).all()


# ------------------------------------------------------------------ structured and subarray dtypes


def record_of(t):
    return np.dtype([("x", t), ("n", "i4"), ("v", t, (3,)), ("in", [("y", t)])])


def test_structured():
    mine, plain = np.zeros(4, record_of(half)), np.zeros(4, record_of(np.float16))
    for a in (mine, plain):
        a["x"] = [1.5, 2.5, 0.1, 9]
        a["v"] = 1 / 3
        a["v"][1] = [1, 2, 3]
        a["in"]["y"] = a["x"] * 2
        a[3] = (7, 8, (1, 2, 3), (4,))
        a[0]["x"] = 0.25
    assert mine.tobytes() == plain.tobytes()
    assert str(mine) == str(plain) and mine[0].item()[:2] == (0.25, 0)
    assert mine["x"].dtype == HALF and type(mine[0]["x"]) is half and mine["v"].shape == (4, 3)
    assert (mine["x"] + mine["in"]["y"]).dtype == HALF
    assert (mine == mine.copy()).all() and (mine == plain).all()
    assert mine.astype(record_of(np.float16)).tobytes() == plain.tobytes()
    assert plain.astype(record_of(half)).tobytes() == mine.tobytes()
    assert mine.view(np.recarray).x.dtype == HALF


def test_structured_sort():
    mine, plain = np.zeros(4, record_of(half)), np.zeros(4, record_of(np.float16))
    for a in (mine, plain):
        a["x"] = [3, -1, 2, 0]
    assert np.sort(mine, order="x").tobytes() == np.sort(plain, order="x").tobytes()


def test_unaligned_fields_are_read():
    dtype = np.dtype([("c", "u1"), ("x", half)])
    a = np.zeros(5, dtype)
    assert dtype.itemsize == 3
    a["x"] = np.arange(5)
    assert (a["x"] + a["x"]).tolist() == [0, 2, 4, 6, 8] and a["x"].sum() == 10
    assert np.sort(a["x"][::-1]).tolist() == [0, 1, 2, 3, 4] and a["x"].argmax() == 4
    assert np.nonzero(a["x"])[0].tolist() == [1, 2, 3, 4] and a["x"].any()


def test_subarray():
    vector = np.dtype((half, (4,)))
    assert np.zeros(10, vector).shape == (10, 4) and np.zeros(10, vector).dtype == HALF
    assert vector.base == HALF and vector.subdtype == (HALF, (4,))
    assert np.array([[1, 2, 3, 4]], half).view(np.dtype([("v", half, 4)])).shape == (1, 1)


# ------------------------------------------------------------------ files and copies


PICKLED = {
    "scalar": half(0.1),
    "array": np.array(VALUES, half),
    "F order": np.ones((2, 3), half).T,
    "records": np.zeros(2, record_of(half)),
    "dtype": HALF,
    "record dtype": record_of(half),
    "type": half,
}


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("thing", PICKLED.values(), ids=PICKLED)
def test_pickle_and_copy(thing, protocol):
    for again in (
        pickle.loads(pickle.dumps(thing, protocol)),
        copy.copy(thing),
        copy.deepcopy(thing),
    ):
        assert type(again) is type(thing)
        if isinstance(thing, np.ndarray):
            assert again.dtype.type is thing.dtype.type and values(again) == values(thing)
        else:
            assert again == thing


SWAPPED_COPIES = """
import copy, pickle
import numpy as np
from halfcl import half
swapped = np.dtype(half).newbyteorder()
array = np.array([1, 2], swapped)
for again in copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)):
    assert again(swapped) == swapped
    assert again(array).tolist() == [1, 2] and again(array).dtype.type is half
assert np.dtype(half).isnative and np.ones(1, half).view("u2") == 0x3C00
assert np.dtype(half, copy=True) is not np.dtype(half)
"""


def test_copies_of_a_swapped_dtype_do_not_change_it():
    """Run in a process of its own: a change of the shared dtype would break every test."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", SWAPPED_COPIES], env=environment, check=True)


def test_save_loads_as_float16(tmp_path):
    a = np.array(VALUES, half).reshape(1, -1)
    np.save(tmp_path / "a.npy", a)
    np.savez(tmp_path / "a.npz", a=a)
    np.savez_compressed(tmp_path / "c.npz", a=a)
    for loaded in (
        np.load(tmp_path / "a.npy"),
        np.load(tmp_path / "a.npy", mmap_mode="r"),
        np.load(tmp_path / "a.npz")["a"],
        np.load(tmp_path / "c.npz")["a"],
    ):
        assert loaded.dtype == FLOAT16 and values(loaded) == values(a)


def test_save_of_records(tmp_path):
    a = np.zeros(3, record_of(half))
    a["x"] = [1, 2, 3]
    np.save(tmp_path / "a.npy", a)
    loaded = np.load(tmp_path / "a.npy")
    assert loaded.dtype == record_of(np.float16) and loaded.tobytes() == a.tobytes()


def test_memmap(tmp_path):
    a = np.memmap(tmp_path / "a", half, "w+", shape=(4, 5))
    a[:] = np.arange(20).reshape(4, 5)
    a[1] += 0.5
    a.flush()
    again = np.memmap(tmp_path / "a", np.float16, "r", shape=(4, 5))
    assert (again[1] == np.arange(5, 10) + 0.5).all()
    assert type(a[:2]) is np.memmap and (a + a).dtype == a.sum().dtype == HALF


@pytest.mark.parametrize("sep", ["", " ", ","])
def test_tofile(tmp_path, sep):
    a = np.array([1.5, 0.1, -2, 65504, np.inf], half)
    a.tofile(tmp_path / "a", sep=sep)
    assert values(np.fromfile(tmp_path / "a", half, sep=sep)) == values(a)
    if not sep:
        assert values(np.fromfile(tmp_path / "a", np.float16)) == values(a)


def test_text_files(tmp_path):
    a = np.array([[1.5, 0.1], [2, 3]], half)
    np.savetxt(tmp_path / "a", a)
    assert values(np.loadtxt(tmp_path / "a", dtype=half)) == values(a)


def test_bytes():
    a = np.array(VALUES, half)
    assert a.tobytes() == np.array(VALUES, np.float16).tobytes()
    assert values(np.frombuffer(a.tobytes(), half)) == values(a)


def test_array_interface():
    a = np.array([1, 2, 3], half)
    assert a.__array_interface__["typestr"] == np.ones(1, np.float16).__array_interface__["typestr"]
    assert np.array(memoryview(a.view(np.float16))).tolist() == [1, 2, 3]


def test_limits_of_a_registered_dtype():
    """Functions for NumPy's own type numbers raise a clear error; a float16 view works."""
    a = np.array([1, 2, 3], half)
    with pytest.raises(ValueError, match="buffer"):
        memoryview(a)
    with pytest.raises(BufferError):
        np.from_dlpack(a)
    assert np.from_dlpack(a.view(np.float16)).tolist() == [1, 2, 3]


# ------------------------------------------------------------------ byte order

SWAPPED = {
    "sum": lambda a: a.sum(),
    "add": lambda a: a + a,
    "add 1": lambda a: a + 1,
    "item": lambda a: a[1],
    "sort": lambda a: np.sort(a[::-1]),
    "argsort": lambda a: np.argsort(a[::-1]),
    "max": lambda a: a.max(),
    "argmax": lambda a: a.argmax(),
    "argmin": lambda a: a.argmin(),
    "nonzero": lambda a: np.nonzero(a)[0],
    "any": lambda a: a.any(),
    "cumsum": lambda a: a.cumsum(),
    "dot": lambda a: a.dot(a),
    "matmul": lambda a: a @ a,
    "float32": lambda a: a.astype("f4"),
    "native": lambda a: a.astype(a.dtype.newbyteorder("=")),
    "list": lambda a: a.tolist(),
    "text": str,
    "where": lambda a: np.where(a > 2, a, -a),
    "sqrt": np.sqrt,
    "searchsorted": lambda a: np.searchsorted(a, [2.5, 0]),
    "unique": np.unique,
    "arange": lambda a: np.arange(5, dtype=a.dtype),
    "full": lambda a: np.full(3, 1.5, a.dtype),
    "assign": lambda a: np.array([0.1, 2], a.dtype),
    "compare": lambda a: a < 3,
    "fromiter": lambda a: np.fromiter(range(4), a.dtype),
    "take": lambda a: a.take([0, 2]),
    "clip": lambda a: a.clip(1, 2),
    "inplace": lambda a: operator.iadd(a.copy(), 1),
}


@pytest.mark.parametrize("call", SWAPPED.values(), ids=SWAPPED)
def test_swapped_byte_order(call):
    numbers = [0.0, 1.5, 2.0, 3.25, 100.0]
    mine = np.array(numbers, HALF.newbyteorder())
    plain = np.array(numbers, FLOAT16.newbyteorder())
    assert mine.dtype != HALF and mine.tobytes() == plain.tobytes()
    got, expected = call(mine), call(plain)
    assert got == expected if isinstance(expected, str) else np.array_equal(got, expected)
    if np.asarray(expected).dtype.type is np.float16:
        assert got.dtype.type is half


@pytest.mark.parametrize("text", ["U1", "U31", "U32", "U", "S6", "S31", "S32", ">U6"])
def test_casts_to_narrow_text_are_as_safe_as_of_float16(text):
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        expected = np.can_cast(np.float16, text, casting)
        assert np.can_cast(hc.half, text, casting) == expected
        if not expected:
            with pytest.raises(TypeError, match="Cannot cast"):
                np.ones(2, hc.half).astype(text, casting=casting)
