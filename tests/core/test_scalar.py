"""`half` scalars behave as NumPy's float16 scalars do."""

import contextlib
import copy
import gc
import math
import operator
import pickle
import re
import sys
import sysconfig
import weakref
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from oracle_common import HAS_LONG_DOUBLES

import halfcl as hc
from halfcl import _core, half

VALUES = [0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 3.0, 2.0**-24, 65504.0, math.inf, -math.inf, math.nan]


def outcome(function, *args):
    """Return the type of a call's result, half for float16, and its value; or the exception."""
    try:
        result = function(*args)
    except Exception as error:
        return next(c for c in type(error).__mro__ if c.__module__ == "builtins")
    return type(result).__name__.replace("float16", "half"), text_of(result)


def text_of(result):
    if isinstance(result, tuple):
        return tuple(outcome(lambda r=r: r) for r in result)
    return str(result).replace("float16", "half")


# ------------------------------------------------------------------ construction


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ((), 0.0),
        ((1,), 1.0),
        ((True,), 1.0),
        ((0.1,), 0.0999755859375),
        ((1 + 2**-11 + 2**-40,), 1 + 2**-10),
        ((np.float64(0.1),), 0.0999755859375),
        ((np.float16(1.5),), 1.5),
        ((np.int64(2049),), 2048.0),
        (
            (np.longdouble(1) + np.longdouble(2) ** -11 + np.longdouble(2) ** -60,),
            1 + 2**-10 if HAS_LONG_DOUBLES else 1,
        ),
        ((Fraction(1, 4),), 0.25),
        ((Decimal("2.5"),), 2.5),
        ((half(1.5),), 1.5),
        (("1.5",), 1.5),
        (("1.5h",), 1.5),
        (("-0x1.8p1H",), -3.0),
        ((b"1.5",), 1.5),
        (("inf",), math.inf),
        ((np.str_("2.5"),), 2.5),
        ((np.array(1.5),), 1.5),
        ((2**11 + 3,), 2052.0),
    ],
)
def test_construction(arguments, value):
    assert type(half(*arguments)) is half and float(half(*arguments)) == value


def test_construction_of_arrays():
    for value in ([1, 2], (1, 2), np.array([1, 2]), np.array([1, 2], np.float32)):
        assert half(value).dtype == np.dtype(half) and half(value).tolist() == [1, 2]


@pytest.mark.parametrize("value", ["", "x", "1.5x", "0x", "1 2", b"-"])
def test_bad_text(value):
    with pytest.raises(ValueError, match="half"):
        half(value)


@pytest.mark.parametrize("value", [1j, object(), {}, int])
def test_bad_values(value):
    with pytest.raises(TypeError):
        half(value)


@pytest.mark.parametrize("arguments", [(1, 2), (1, "rtp")])
def test_too_many_arguments(arguments):
    with pytest.raises(TypeError):
        half(*arguments)
    with pytest.raises(TypeError, match="mode"):
        half(1, mode="rtp")


@pytest.mark.parametrize("value", [0.1, "0.1", Fraction(1, 10), np.longdouble("0.1"), [0.1]])
def test_rounding_of_construction(value):
    below, above = 0.0999755859375, 0.10003662109375
    numbers = [np.ravel(half(value, rounding=m)).item() for m in ("rte", "rtz", "rtp", "rtn")]
    assert numbers == [below, below, above, below]
    with hc.rounding("rtp"):
        assert half(value) == above and half(value, rounding="rtn") == below


def test_construction_reports_exceptions():
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert half(1e6) == math.inf
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        half(65520)
    with np.errstate(all="raise"):
        assert half(65504.0) == 65504 and half(math.inf) == math.inf and half(0.1) > 0


BEYOND_DOUBLES = [
    10**400, -(2**2000), Fraction(10**400, 3), Decimal("1e999999999999"), Decimal("-1e400"),
]  # fmt: skip


@pytest.mark.parametrize("number", BEYOND_DOUBLES)
def test_numbers_beyond_doubles_overflow(number):
    sign = 1 if number > 0 else -1
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert half(number) == sign * math.inf
    with np.errstate(over="ignore"):
        assert half(number, rounding="rtz") == sign * 65504


@pytest.mark.parametrize("number", [Fraction(1, 10**400), Decimal("1e-999999999999")])
def test_numbers_nearer_to_zero_than_doubles_underflow(number):
    negative = number.copy_negate() if isinstance(number, Decimal) else -number
    with np.errstate(under="ignore"):
        up = [float(half(number, rounding=mode)) for mode in ("rte", "rtz", "rtn", "rtp")]
        down = [float(half(negative, rounding=mode)) for mode in ("rte", "rtz", "rtp", "rtn")]
    assert up == [0, 0, 0, 2.0**-24] and down == [0, 0, 0, -(2.0**-24)]


def exact_numbers():
    """Return numbers that no double holds, next to halves and to midpoints of halves."""
    for center in (2049, 2048, Fraction(4097, 2), Fraction(1, 3), Fraction(3, 2**25)):
        for part in (Fraction(1, 2**70), -Fraction(1, 2**70), Fraction(1, 10**30)):
            yield center + part


def decimal_of(number):
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator) / number.denominator


@pytest.mark.parametrize("mode", ["rte", "rtz", "rtp", "rtn"])
@pytest.mark.parametrize("number", list(exact_numbers()))
def test_exact_numbers_are_rounded_once(number, mode):
    """Every conversion of an object to half rounds once, as convert, which has another path."""
    for x in (number, -number, decimal_of(number)):
        want = hc.convert(x, half, rounding=mode)
        a = np.zeros(1, half)
        with hc.rounding(mode):
            a[0] = x
            ways = [half(x), half([x])[0], np.array([x], half)[0], a[0],
                    np.array([x], object).astype(half)[0], np.full(1, x, half)[0]]  # fmt: skip
        assert [*ways, half(x, rounding=mode)] == [want] * 7, x


# ------------------------------------------------------------------ operators

BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, divmod, operator.lt, operator.le, operator.eq, operator.ne, operator.gt,
    operator.ge, operator.and_, operator.lshift,
]  # fmt: skip

TIMEDELTA_PRODUCTS = (operator.mul, operator.truediv, operator.floordiv)

OTHERS = [
    True, 2, -3, 0, 1.5, 0.1, 1e-9, 1e6, 10**6, 2**70, math.inf, math.nan, 2 + 1j, np.True_,
    np.int8(3), np.uint8(3), np.int16(3), np.int64(3), np.uint64(3), np.float16(1.5),
    np.float32(1.5), np.float64(0.1), np.longdouble(1.5), np.complex64(1j), Fraction(1, 2),
    Decimal(1), "1", None, [1, 2], np.array([1.5, 2]), np.array(2.5), np.array(2.5, np.float16),
    np.timedelta64(5, "s"), object,
]  # fmt: skip


@pytest.mark.parametrize("other", OTHERS, ids=lambda o: f"{type(o).__name__}-{o}")
def test_binary_operators(other):
    for op in BINARY:
        if isinstance(other, np.timedelta64) and op in TIMEDELTA_PRODUCTS:
            with pytest.raises(TypeError):  # a limit: see test_dtype.py
                op(half(2.5), other)
            continue
        # float16's inf // 0.0 is invalid in scalars, not in arrays.
        with np.errstate(invalid="ignore" if op is operator.floordiv else "warn"):
            for value in (2.5, -0.0, math.inf):
                assert outcome(op, half(value), other) == outcome(op, np.float16(value), other), op
                assert outcome(op, other, half(value)) == outcome(op, other, np.float16(value)), op


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
def test_operators_of_two_halves(op):
    with np.errstate(all="ignore"):
        for x in VALUES:
            for y in VALUES:
                expected = outcome(op, np.float16(x), np.float16(y))
                assert outcome(op, half(x), half(y)) == expected, (x, y)
                assert outcome(op, half(x), np.float16(y)) == expected, (x, y)
                assert outcome(op, np.float16(x), half(y)) == expected, (x, y)


@pytest.mark.parametrize(
    "op",
    [operator.neg, operator.pos, abs, operator.invert, operator.not_, operator.index, bool, int,
     float, complex, str, hash, round, math.floor, math.ceil, math.trunc, len, iter],
    ids=lambda op: op.__name__,
)  # fmt: skip
def test_unary_operators(op):
    for value in VALUES:
        if op is hash and math.isnan(value):
            continue  # a NaN hashes by identity
        assert outcome(op, half(value)) == outcome(op, np.float16(value)), value


@pytest.mark.parametrize("digits", [None, 0, 1, 2, -1])
def test_round(digits):
    for value in (0.1, 2.5, -1.25, 64.0):
        assert outcome(round, half(value), digits) == outcome(round, np.float16(value), digits)


def test_round_has_no_intermediate_overflow():
    """float16 would multiply by 100 in halves."""
    assert round(half(1234), 2) == 1234


@pytest.mark.parametrize(
    "name",
    ["sqrt", "exp", "floor", "isnan", "isinf", "isfinite", "fabs", "frexp", "modf", "sin",
     "ceil", "degrees", "ulp"],
)  # fmt: skip
def test_math(name):
    for value in (0.1, 2.5, 9.0):
        assert getattr(math, name)(half(value)) == getattr(math, name)(float(half(value)))
    assert math.isclose(half(0.1), half(0.1)) and math.copysign(half(1), half(-0.0)) == -1
    assert math.fsum([half(0.1), half(0.2)]) == float(half(0.1)) + float(half(0.2))


def test_hash_and_equality_with_float():
    for value in np.arange(0, 0x7C01, 7, dtype=np.uint16).view(np.float16).tolist():
        for x in (value, -value):
            assert half(x) == x and x == half(x) and hash(half(x)) == hash(x)
    assert {half(1.5): "a"}[1.5] == "a" and half(2) in {2} and len({half(1), 1, np.float16(1)}) == 1
    assert half(math.nan) != half(math.nan)


def test_comparison_with_python_numbers():
    assert half(0.5) < 1 < half(1.5) < 1.75 and half(3) == 3 and half(3) >= True
    assert (half(0.1) == 0.1) == (np.float16(0.1) == 0.1)
    assert sorted([half(3), 1, half(2), 0.5]) == [0.5, 1, 2, 3]
    assert max(half(1), 2.5) == 2.5 and sum([half(1), half(2)]) == 3
    assert type(sum([half(1), half(2)])) is half


def test_inplace_operators_on_names():
    x = half(1.5)
    x += 1
    x *= half(2)
    x /= 4
    x **= 2
    assert type(x) is half and x == 1.5625


def test_operators_follow_the_region():
    with hc.rounding("rtp"):
        assert half(1) + half(2**-12) == 1 + 2**-10 and half(1) / 3 > 1 / 3
        assert type(half(1) / 3) is half
    with hc.rounding("rtz"), np.errstate(over="ignore"):
        assert half(65504) * 2 == 65504
    assert half(1) + half(2**-12) == 1


def test_operators_report_exceptions():
    for bad, flag in (
        (lambda: half(65504) * 2, "over"),
        (lambda: half(1) / 0, "divide"),
        (lambda: half(math.inf) - half(math.inf), "invalid"),
        (lambda: half(2.0**-14) * half(2.0**-14), "under"),
    ):
        with np.errstate(**{flag: "raise"}), pytest.raises(FloatingPointError):
            bad()
        with np.errstate(all="ignore"):
            bad()


def bits_and_exceptions(function, *args):
    """Return the bits of the result, and the exceptions that NumPy reports."""
    reports = []
    with np.errstate(all="call", call=lambda what, flags: reports.append(what)):
        result = function(*args)
    return np.asarray(result).view(np.uint16).ravel().tolist(), reports


#: The binary operators, with NumPy's ufuncs.
UFUNCS = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply,
    operator.truediv: np.divide, operator.floordiv: np.floor_divide, operator.mod: np.remainder,
    operator.pow: np.power, divmod: np.divmod,
}  # fmt: skip


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("op", UFUNCS)
def test_operators_of_scalars_are_those_of_arrays(op, mode):
    """Array operators run kernels; scalar ones round a double, or a Python number."""
    edges = [0, 1, 2, 0x3FF, 0x400, 0x401, 0x3BFF, 0x3C00, 0x3C01, 0x7BFF, 0x7C00, 0x7D01, 0x7E00]
    bits = np.array([*edges, *np.random.default_rng(7).integers(0, 0x7C00, 3)], np.uint16)
    arrays = np.concatenate([bits, bits | 0x8000])[:, None].view(hc.half)
    with hc.rounding(mode, builtins=True):
        for x in arrays:
            for y in arrays:
                expected = bits_and_exceptions(op, x, y)
                assert bits_and_exceptions(op, x[0], y[0]) == expected
                if not np.isnan(x[0]):
                    assert bits_and_exceptions(op, float(x[0]), y[0]) == bits_and_exceptions(
                        op, x.tolist()[0], y
                    )


BESIDE = [
    np.bool_(True), np.int8(0), np.int8(-5), np.uint8(200), np.int16(3), np.uint16(60000),
    np.int32(-7), np.int64(2**53 + 1), np.uint64(2**63), np.float32(0.1), np.float32(3e38),
    np.float32(0), np.float32(np.nan), np.float64(-0.1), np.float64(1e300), np.longdouble(2),
    np.complex64(1 + 2j), np.complex128(3),
]  # fmt: skip


def type_bits_and_exceptions(function, *args):
    """Return the types and the values of results, of arrays the first, and the exceptions."""
    reports = set()
    with np.errstate(all="call", call=lambda what, flags: reports.add(what)):
        results = function(*args)
    results = results if isinstance(results, tuple) else (results,)
    results = [x[0] if isinstance(x, np.ndarray) else x for x in results]
    return [(type(x), repr(x)) for x in results], reports


@pytest.mark.parametrize("in_region", [False, True])
@pytest.mark.parametrize("other", BESIDE, ids=lambda x: type(x).__name__)
def test_operators_beside_numpys_scalars(other, in_region):
    """Check operators of halves and other scalars against arrays of one half."""
    edges = [0, 1, 0x3FF, 0x400, 0x3C00, 0x3E00, 0x5BF8, 0x7BFF, 0x7C00, 0x7D01, 0x7E00]
    halves = np.array([x | sign for x in edges for sign in (0, 0x8000)], np.uint16).view(half)
    with hc.rounding("rtp", builtins=True) if in_region else contextlib.nullcontext():
        for op, ufunc in UFUNCS.items():
            if op is operator.pow and np.promote_types(half, other.dtype) != half:
                continue  # NumPy's own powers of scalars and arrays differ
            for x in halves:
                for args in ((x, other), (other, x)):
                    arrays = [np.array([y]) if type(y) is half else y for y in args]
                    try:
                        expected = type_bits_and_exceptions(ufunc, *arrays)
                    except TypeError:
                        with pytest.raises(TypeError):
                            op(*args)
                        continue
                    assert type_bits_and_exceptions(op, *args) == expected, (op, args)
                    assert type_bits_and_exceptions(ufunc, *args) == expected, (ufunc, args)


@pytest.mark.parametrize("op", [operator.floordiv, operator.mod, operator.pow, divmod])
def test_operators_are_counted(op):
    """Count results that may carry information: all but exact sums, products and quotients."""
    before = _core.kernels_run()
    for _ in range(3):
        op(half(7.5), half(2))
    assert _core.kernels_run() == before + 3
    half(7.5) + half(2), half(3) * 2, half(0) * 3, half(6) / half(2)
    assert _core.kernels_run() == before + 3
    half(1) / 3, half(0.1) * half(0.1), half(1) / half(0.3)
    assert _core.kernels_run() == before + 6


class WithMembers(half):
    """It has a dictionary, weak references, and takes part in garbage collection."""


def test_scalars_reuse_memory():
    """Scalars' memory is reused; derived classes use Python's allocation."""
    assert not gc.is_tracked(half(1)) and gc.is_tracked(WithMembers(1))
    kept = [half(i) for i in range(200)]
    for _ in range(3):
        del kept[::2]
        kept += [half(i) for i in range(200)]
    gc.collect()  # what others left may hold the classes
    before = sys.getrefcount(half), sys.getrefcount(WithMembers)
    for _ in range(200):
        -half(3) + half(1)
        scalar = WithMembers(2)
        scalar.me = [scalar]
        gone = weakref.ref(scalar)
        del scalar
    gc.collect()
    assert gone() is None
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):  # there threads count classes by themselves
        assert (sys.getrefcount(half), sys.getrefcount(WithMembers)) == before
    assert kept[-200:] == list(range(200)) and half.__new__(half) == 0


def test_operators_are_slots():
    """The operators are slots, also of derived classes, unless these define their own."""

    class Own(half):
        def __radd__(self, other):
            return "own", super().__radd__(other)

    assert half(1) + Own(2) == ("own", 3) and 1 + Own(2) == ("own", 3)
    assert Own(2) + 1 == 3 and type(Own(2) + 1) is type(-Own(2)) is half
    assert type(half.__add__) is type(half.__lt__) is type(np.float16.__add__)
    with pytest.raises(TypeError, match="requires a 'half' object but received a 'float'"):
        half.__add__(1.0, half(1))


def test_scalars_have_no_array_ufunc():
    """NumPy looks it up in the class, Dask in the scalar; derived classes have none."""

    class First(half):
        __array_priority__ = 1.0

        def __radd__(self, other):
            return "first"

    class Own(half):
        def __array_ufunc__(self, *args, **keywords):
            return "own"

    assert half.__array_ufunc__ is np.ndarray.__array_ufunc__
    for thing in (half(1), First, First(1)):
        with pytest.raises(AttributeError, match="has no attribute '__array_ufunc__'"):
            thing.__array_ufunc__  # noqa: B018
    a = np.ones(2, half)
    assert (a + half(1)).tolist() == [2, 2] and a + First(1) == "first" and a + Own(1) == "own"


# ------------------------------------------------------------------ attributes and methods

# These need arguments, show addresses, or have tests of their own.
SKIPPED = {"dump", "dumps", "tofile", "setflags", "base", "data", "flags", "dtype", "flat"}
MEMBERS = [
    n
    for n in dir(np.float16(1.5))
    if n[0] != "_" and n not in SKIPPED and hasattr(np.float16(1.5), n)
]


@pytest.mark.parametrize("name", MEMBERS)
def test_members_are_float16s(name):
    for value in (2.5, -3.0, 0.1, math.inf):
        mine, plain = getattr(half(value), name), getattr(np.float16(value), name)
        if not callable(plain):
            assert outcome(lambda m=mine: m) == outcome(lambda p=plain: p)
        elif name not in ("argsort", "nonzero", "sort"):
            assert outcome(mine) == outcome(plain)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.astype(np.float32), lambda x: x.astype(np.int8), lambda x: x.view(np.uint16),
        lambda x: x.reshape(1).tolist(), lambda x: x.round(1), lambda x: x[()], lambda x: x[...],
        lambda x: x.item(), lambda x: x.clip(0, 1), lambda x: x.astype(str), lambda x: x.real,
        lambda x: x.imag, lambda x: np.ndim(x), lambda x: x.is_integer(), lambda x: x.sum(),
        lambda x: x.as_integer_ratio(), lambda x: np.array([x, x]).dtype.itemsize, lambda x: x[0],
        lambda x: np.asarray(x).dtype.itemsize, lambda x: bytes(x), lambda x: memoryview(x).nbytes,
        lambda x: np.sqrt(abs(x)), lambda x: np.add(x, x), lambda x: np.float64(x),
        lambda x: [0][x],
        lambda x: x.__float__(), lambda x: x.conjugate(), lambda x: x.tobytes().hex(),
        "{:.2f}".format,
        lambda x: np.full(2, x).sum(), lambda x: np.isscalar(x), lambda x: x.__array__(), np.sum,
        lambda x: x.__array_priority__, lambda x: Fraction(*x.as_integer_ratio()), np.isnan,
        lambda x: x.dtype.itemsize, lambda x: isinstance(x, np.floating), lambda x: np.spacing(x),
    ],
)  # fmt: skip
def test_calls_equal_float16s(call):
    for value in (2.5, -3.0, 0.1):
        assert outcome(call, half(value)) == outcome(call, np.float16(value))


def test_dtype_of_scalars():
    assert half(1).dtype == np.dtype(half) and np.asarray(half(1)).dtype == np.dtype(half)


def test_pickle():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(half(0.1), protocol))
        assert type(again) is half and again == half(0.1)


def test_subclass():
    class Special(half):
        pass

    assert Special(1.5) == 1.5 and type(Special(1.5)) is Special
    assert Special(0.1, rounding="rtp") > 0.1


class Length(half):
    """A class that derives from half, with attributes."""


class Bare(half):
    __slots__ = ()


@pytest.mark.parametrize("cls", [Length, Bare, half])
@pytest.mark.parametrize("value", [1.5, "1.5h", np.float32(1.5), np.array(1.5), [1.5]])
def test_new_of_a_subclass(cls, value):
    """Like float16, an array without axes gives a scalar, one with axes an array."""
    result = half.__new__(cls, value)
    assert result == 1.5 and type(result) is type(cls(value))
    assert type(result) is (np.ndarray if isinstance(value, list) else cls)


@pytest.mark.parametrize(
    "cls", [object, int, list, float, np.float16, np.float64, np.generic, type, np.ndarray]
)
@pytest.mark.parametrize("arguments", [(1.5,), ([1.5],), ()])
def test_new_refuses_other_classes(cls, arguments):
    """Instances of these classes have no room for a half."""
    with pytest.raises(TypeError, match=rf"half.__new__\({cls.__name__}\).*not a subtype of half"):
        half.__new__(cls, *arguments)


@pytest.mark.parametrize("no_class", [None, 1, "half", half(1), np.dtype(half)])
def test_new_refuses_non_classes(no_class):
    with pytest.raises(TypeError, match=re.escape(type(no_class).__name__)):
        half.__new__(no_class, 1.5)


@pytest.mark.parametrize("cls", [Length, Bare])
@pytest.mark.parametrize("value", [0.1, -0.0, math.inf])
def test_copies_of_a_subclass(cls, value):
    number = cls(value)
    if cls is Length:
        number.unit = ["m"]
    pickled = [pickle.loads(pickle.dumps(number, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
    for again in (*pickled, copy.copy(number), copy.deepcopy(number)):
        assert type(again) is cls and again.tobytes() == number.tobytes()
        assert getattr(again, "unit", "none") == getattr(number, "unit", "none")
    if cls is Length:
        assert (
            copy.copy(number).unit is number.unit and copy.deepcopy(number).unit is not number.unit
        )


def test_unpickling_a_subclass_checks_its_class():
    remade, arguments = Bare(1.5).__reduce__()
    assert remade(*arguments) == 1.5
    for wrong in ((object, 0x3E00, None), (None, 0x3E00, None), (half, 1 << 16, None)):
        with pytest.raises((TypeError, OverflowError)):
            remade(*wrong)


def test_float16_and_half_convert_into_each_other():
    assert type(np.float16(half(0.1))) is np.float16 and np.float16(half(0.1)) == half(0.1)
    assert type(half(np.float16(0.1))) is half


def test_no_leak_of_references():
    dtype, before = np.dtype(half), sys.getrefcount(half)
    for _ in range(1000):
        half(1.5) + half(2)
        np.ones(2, dtype)[0]
    assert sys.getrefcount(half) - before < 100


def test_error_for_several_values_names_rounding():
    """The error explains that a mode in the second place, or several numbers, are wrong."""
    for values in ((0.1, "rtp"), (1, 2, 3)):
        with pytest.raises(
            TypeError, match=rf"half: expected one value, got {len(values)}: .*rounding="
        ):
            half(*values)
