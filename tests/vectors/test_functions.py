"""Tests of operators, NumPy's functions and halfcl's on vectors: component by component."""

import operator

import numpy as np
import pytest
from checks import as_tuple
from exhaustive import in_turn
from samples_vectors import NAMES, SCALARS, TRUTHS, WIDTHS, check, is_plain, make, split

import halfcl as hc
from halfcl import half, vectors
from halfcl._tables import TABLE

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
              operator.mod, operator.pow]  # fmt: skip
RELATIONAL = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
LOGICAL = [np.logical_and, np.logical_or, np.logical_xor]
BITWISE = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]

#: The vector type of each dtype, for results.
SCALAR_OF = {np.dtype(dtype): scalar for scalar, dtype in SCALARS.items()}


def vector_name(array, width):
    """Return the name of vectors of a plain result's dtype; None if there is no such type."""
    scalar = SCALAR_OF.get(array.dtype)
    return None if scalar is None else f"{scalar}{width}"


def layouts(name):
    """Yield vectors of a type: a single one, arrays, strided ones, none."""
    _, width = split(name)
    wide = make(name, 6, 2)
    backwards = np.asarray(make(name, 3))[:, ::-1].view(getattr(vectors, name))
    assert wide.shape == (6, 2, width)
    return [make(name), make(name, 3), wide[::2], wide[:, 1], backwards, make(name, 0)]


def same_by_component(function, width, *arguments):
    """Check that a function of vectors returns its results on plain arrays, as vectors."""
    plain = [np.asarray(x) if hasattr(x, "__halfcl_vector__") else x for x in arguments]
    with np.errstate(all="ignore"):
        for got, want in zip(
            as_tuple(function(*arguments)), as_tuple(function(*plain)), strict=True
        ):
            check(got, want, vector_name(want, width))


# ---------------------------------------------------------------- operators


@pytest.mark.parametrize("name", NAMES)
def test_arithmetic(name):
    scalar, width = split(name)
    for v in layouts(name):
        w = np.asarray(v).copy().view(type(v))
        for function in ARITHMETIC:
            same_by_component(function, width, v, w)
            same_by_component(function, width, v, 2)
            if v.ndim > 1:
                same_by_component(function, width, v, v[..., :1, :])  # one with each of many
        for function in (operator.neg, operator.pos, operator.abs):
            same_by_component(function, width, v)
        same_by_component(divmod, width, v, w)
        same_by_component(operator.sub, width, 100, v)
        same_by_component(operator.add, width, v, SCALARS[scalar](3))


@pytest.mark.parametrize("scalar", ["char", "uchar", "short", "ushort", "int", "uint", "long"])
def test_bitwise(scalar):
    v = make(f"{scalar}4", 3)
    w = v[::-1].copy()
    for function in BITWISE[:3]:
        same_by_component(function, 4, v, w)
        same_by_component(function, 4, v, 5)
    same_by_component(operator.invert, 4, v)


@pytest.mark.parametrize("scalar", ["char", "ushort", "int", "ulong"])
def test_shifts(scalar):
    """Shifts use the low bits of the distance that the element's size needs."""
    kind, dtype = getattr(hc, f"{scalar}4"), SCALARS[scalar]
    bits = 8 * np.dtype(dtype).itemsize
    v = kind(1, 2, 3, 100)
    for distance in {0, 1, bits - 1, bits, bits + 1, 100, 127}:
        for shift in (operator.lshift, operator.rshift):
            want = shift(np.asarray(v), dtype(distance % bits))
            for shift_distance in (
                distance,
                dtype(distance),
                kind(distance),
                np.full(1, distance, dtype),
            ):
                check(shift(v, shift_distance).astype(dtype), want, f"{scalar}4")
            assert type(shift(v, distance)) is kind


@pytest.mark.parametrize("kind", NAMES)
def test_relational(kind):
    """Comparisons return 0 and -1 of the signed integers of the elements' size."""
    scalar, width = split(kind)
    truth, name = SCALARS[TRUTHS[scalar]], f"{TRUTHS[scalar]}{width}"
    for v in layouts(kind):
        w = np.asarray(v)[..., ::-1].copy().view(type(v))
        for function in (*RELATIONAL, *LOGICAL):
            for x, y in ((v, w), (v, 2), (v, np.asarray(w)), (np.asarray(v), w), (w, v)):
                want = function(np.asarray(x), np.asarray(y))
                check(function(x, y), np.where(want, truth(-1), truth(0)), name)
        want = np.logical_not(np.asarray(v))
        check(np.logical_not(v), np.where(want, truth(-1), truth(0)), name)


def test_relational_of_nan():
    v = hc.half4(1, np.nan, -0.0, np.inf)
    w = hc.half4(np.nan, np.nan, 0, np.inf)
    for function, want in [
        (operator.eq, [0, 0, -1, -1]), (operator.ne, [-1, -1, 0, 0]), (operator.lt, [0, 0, 0, 0]),
        (operator.le, [0, 0, -1, -1]), (operator.gt, [0, 0, 0, 0]), (operator.ge, [0, 0, -1, -1]),
    ]:  # fmt: skip
        check(function(v, w), np.array(want, np.int16), "short4")
    check(np.logical_not(v), np.array([0, 0, -1, 0], np.int16), "short4")
    check(np.logical_and(v, w), np.array([-1, -1, 0, -1], np.int16), "short4")


def test_masks():
    """Masks combine as OpenCL's; reductions and NumPy's own predicates return bools."""
    v = hc.half4(1, 2, 3, 4)
    check((v > 1) & (v < 4), np.array([0, -1, -1, 0], np.int16), "short4")
    check((v > 3) | np.array([True, False, False, False]), np.array([-1, 0, 0, -1], np.int16),
          "short4")  # fmt: skip
    check(~(v > 2), np.array([-1, -1, 0, 0], np.int16), "short4")
    check((v > 2) ^ True, np.array([-1, -1, 0, 0], np.int16), "short4")
    assert (v > 0).all() and not (v > 1).all() and (v > 3).any()
    assert type((v > 0).all()) is np.bool
    many = make("half2", 3) > 2
    check(many.all(axis=0), np.array([False, False]))
    for function in (np.isnan, np.isinf, np.isfinite, np.signbit):
        assert is_plain(function(v)) and function(v).dtype == bool
    check(np.logical_and(np.isfinite(v), v > 1), np.array([False, True, True, True]))
    bools = np.array([True, True, False, False])
    bools &= v > 1
    check(bools, np.array([False, True, False, False]))
    # as_half4(as_short4(v) & mask): the specification's example
    check(hc.as_half4(hc.as_short4(v) & (v < 3)), np.array([1, 2, 0, 0], half), "half4")


def test_outputs():
    v, w = hc.half4(1, 2, 3, 4), hc.half4(4, 3, 2, 1)
    out = hc.half4(0)
    assert np.add(v, w, out=out) is out and (out == 5).all()
    assert hc.multiply(v, w, out=out) is out and out.tolist() == [4, 6, 6, 4]
    plain = np.zeros(4, half)
    assert np.add(v, w, out=plain) is plain and plain.tolist() == [5] * 4
    assert hc.add(np.asarray(v), 1, out=out) is out and out.tolist() == [2, 3, 4, 5]
    truth = hc.short4(7)
    assert np.less(v, w, out=truth) is truth and truth.tolist() == [-1, -1, 0, 0]
    truth = hc.short4(7)
    np.less(v, w, out=truth, where=np.array([True, False, True, False]))
    assert truth.tolist() == [-1, 7, 0, 7]
    bools = np.zeros(4, bool)
    assert np.less(v, w, out=bools) is bools and bools.tolist() == [True, True, False, False]
    mantissa, exponent = hc.half4(0), hc.int4(0)
    results = hc.frexp(v, out=(mantissa, exponent))
    assert results[0] is mantissa and results[1] is exponent and exponent.tolist() == [1, 2, 2, 3]
    results = np.divmod(v, w, out=(mantissa, None))
    assert results[0] is mantissa and type(results[1]) is hc.half4
    out = hc.half4(9)
    np.add(v, w, out=out, where=v > 2)
    assert out.tolist() == [9, 9, 5, 5]
    total = hc.half4(0)
    assert np.add.reduce(make("half4", 3), out=total) is total and total.x == 15
    for wrong in (hc.half2(0), hc.half8(0)):
        with pytest.raises(ValueError, match="out: expected a vector as wide as half4, got half"):
            np.add(v, w, out=wrong)


def test_in_place():
    v = hc.half4(1, 2, 3, 4)
    same = v
    v += hc.half4(1)
    v *= 2
    v -= np.ones(4, half).view(hc.half4)
    v /= half(2)
    v **= 2
    assert v is same
    check(v, np.array([2.25, 6.25, 12.25, 20.25], half), "half4")
    n = hc.int4(1, 2, 3, 4)
    n <<= 33
    n |= 1
    check(n, np.array([3, 5, 7, 9], np.int32), "int4")
    with pytest.raises(TypeError):  # np.true_divide of integers is a double
        n /= 2


def test_regions():
    v = hc.half4(1)
    for mode in ("rtz", "rtp", "rtn"):
        want = hc.divide(np.ones(4, half), 3, rounding=mode)
        with hc.rounding(mode):
            check(v / 3, want, "half4")
        check(hc.divide(v, 3, rounding=mode), want, "half4")
        check(getattr(hc, f"divide_{mode}")(v, hc.half4(3)), want, "half4")


# ---------------------------------------------------------------- what does not go together


WRONG = [
    (lambda v: v + hc.half3(1), ValueError, "add: expected vectors of one width, got half4 and"),
    (lambda v: hc.fma(v, 2, hc.half8(1)), ValueError, "fma: .* got half4 and half8"),
    (lambda v: v < hc.half2(1), ValueError, "less: .* got half4 and half2"),
    (lambda v: v + hc.float4(1), TypeError, "add: .*one type, got half4 and float4; .*convert"),
    (lambda v: hc.int4(1) * v, TypeError, "multiply: .* got int4 and half4"),
    (lambda v: v == hc.short4(1), TypeError, "equal: .* got half4 and short4"),
    (lambda v: hc.pow(v, hc.uchar4(1)), TypeError, "pow: .* got half4 and uchar4"),
    (lambda v: np.add(v, 1, out=hc.half3(0)), ValueError, "out: expected a vector as wide"),
    (lambda v: v + np.ones(3, half), TypeError, r"add: argument 2: .* half4, got .* \(3,\)"),
    (lambda v: v + np.ones((4, 2), half), TypeError, r"add: argument 2: .* of shape \(4, 2\)"),
    (lambda v: make("half4", 2) + make("half4", 3), ValueError, "broadcast"),
    (lambda v: v & 1, TypeError, "bitwise_and"),
    (lambda v: hc.exp(v.astype(np.float32)), TypeError, r"exp: argument 1 \(x\): expected half"),
]


@pytest.mark.parametrize(("function", "error", "text"), WRONG)
def test_mismatches(function, error, text):
    v = hc.half4(1, 2, 3, 4)
    with pytest.raises(error, match=text):
        function(v)
    check(v, np.array([1, 2, 3, 4], half), "half4")
    for function in (operator.iadd, operator.imul):
        with pytest.raises((TypeError, ValueError)):
            function(v, hc.half2(9))
    check(v, np.array([1, 2, 3, 4], half), "half4")


def test_plain_operands():
    """One number per vector broadcasts, and promotes as NumPy does."""
    a = make("half4", 3)
    for other in (
        np.ones((3, 1), half), np.arange(3, dtype=half)[..., None], np.ones((2, 1, 1), half),
        np.arange(3, dtype=np.int8)[:, None], np.arange(3.0)[:, None], np.ones(1), [[1], [2], [3]],
        np.arange(3, dtype=np.int16)[:, None], [5], np.float16(2), np.float32(1.5), half(2), 2, 2.5,
        True, np.array(2.5), np.array(half(3)), np.bool(True),
    ):  # fmt: skip
        for function in (operator.add, operator.lt):
            want = function(np.asarray(a), other)
            if want.dtype == bool:
                check(function(a, other), -want.astype(np.int16), "short4")
            else:
                check(function(a, other), want, vector_name(want, 4))
                check(other + a, want, vector_name(want, 4))
    assert type(a + np.arange(3.0)[:, None]) is hc.double4


#: Calls of a vector, and a plain array or list beside it.
BESIDE = [
    lambda v, x: v * x, lambda v, x: x * v, lambda v, x: v / x, lambda v, x: x - v,
    operator.imul, np.add, hc.add, hc.add_rtp, np.maximum, hc.fmax, lambda v, x: hc.fma(v, v, x),
    lambda v, x: hc.fma(x, 2, v), lambda v, x: hc.clamp(v, x, 1), lambda v, x: hc.clamp(v, 0, x),
    lambda v, x: hc.mix(v, v, x), lambda v, x: np.clip(v, x, 9), lambda v, x: hc.select(v, x, True),
    lambda v, x: hc.select(x, v, v < 1), lambda v, x: hc.bitselect(v, v, x), np.copysign, hc.step,
    lambda v, x: np.multiply(v, x, out=np.zeros(np.shape(v), half)),
    lambda v, x: np.add(v, x, where=True), lambda v, x: hc.pow(v, x, rounding="rtp"),
    lambda v, x: np.divmod(v, x), lambda v, x: v**x,
]  # fmt: skip


@in_turn
@pytest.mark.parametrize("call", BESIDE, ids=range(len(BESIDE)))
@pytest.mark.parametrize("width", WIDTHS)
def test_plain_arrays_are_refused(call, width):
    """Plain arrays are refused, since they may be numbers for the vectors, or components."""
    name = f"half{width}"
    for v in (make(name), make(name, width), make(name, 3)):
        before = np.asarray(v).copy()
        for shape in ((3,), (width,), (3, width), (width, width), (0,), (3, 2), (2, 1, 5)):
            plain = np.ones(shape, half)
            for x in (plain, plain.tolist(), plain.view(np.ma.MaskedArray)):
                if plain.size == 0 and isinstance(x, list):  # [] has no shape
                    continue
                with pytest.raises(TypeError) as refusal:
                    call(v, x)
                text = str(refusal.value)
                assert "argument" in text and f"with {name}" in text and str(shape) in text
                assert "x[..., None] for one number per vector" in text
                assert (f"x.view(halfcl.{name}) for" in text) == isinstance(x, np.ndarray)
        assert (np.asarray(v) == before).all()
    v, x = make(name, 3), np.arange(3, dtype=half)
    check(v * x[..., None], np.asarray(v) * x[:, None], name)
    check(v * np.ones(width, half).view(type(v)), np.asarray(v), name)


def test_dot_scales_vectors():
    v = make("half3", 3)
    d = hc.dot(v, hc.half3(0.5, 0, 0))
    with pytest.raises(TypeError, match=r"x\[\.\.\., None\] for one number per vector"):
        hc.half3(0.8, 0.2, 0.1) * d
    got = hc.half3(0.8, 0.2, 0.1) * d[..., None]
    check(got, np.array([0.8, 0.2, 0.1], half) * d[:, None], "half3")
    one = hc.dot(v[0], hc.half3(0.5, 0, 0))  # a scalar: with an axis and without
    assert type(one) is half
    check(v[0] * one, np.asarray(v[0]) * one, "half3")
    check(v[0] * one[..., None], np.asarray(v[0]) * one, "half3")


def test_arrays_of_the_shape_of_vectors():
    """Bools from NumPy's predicates, and operands of comparisons, may have the vectors' shape."""
    v, p = make("half4", 3), np.asarray(make("half4", 3))
    finite, mask = np.isfinite(v), v > 5
    check(mask & finite, np.asarray(mask), "short4")
    check(finite | mask, np.full((3, 4), -1, np.int16), "short4")
    check(v * finite, p, "half4")
    check(hc.select(v, hc.half4(0), finite), np.zeros((3, 4), half), "half4")
    check(v == p, np.full((3, 4), -1, np.int16), "short4")
    check(p[0] <= v[0], np.full(4, -1, np.int16), "short4")
    for wrong in (lambda: mask & finite[0], lambda: v * finite[:, 0], lambda: v == p[0],
                  lambda: v[0] == p, lambda: v < p[:, 0], lambda: v + p):  # fmt: skip
        with pytest.raises(TypeError, match="vectors or scalars with"):
            wrong()
    # Arrays of the shape of output vectors are components; numbers per vector must be explicit.
    out = hc.half4(np.zeros((3, 4), half))
    assert np.add(p, np.ones((3, 1), half), out=out) is out
    check(out, p + 1, "half4")
    for x in (p[:, 0], p[0]):
        with pytest.raises(TypeError, match=r"add: argument 2: .*with half4"):
            np.add(p, x, out=out)
    check(out, p + 1, "half4")
    # NumPy's where is NumPy's, and so are indices.
    out = hc.half4(np.zeros((3, 4), half))
    np.add(v, 1, out=out, where=finite)
    check(out, p + 1, "half4")
    check(np.where(np.array([[True], [False], [True]]), v, 0), np.where([[1], [0], [1]], p, 0)
          .astype(half), "half4")  # fmt: skip
    check(np.where(finite, v, p), p, "half4")
    v[np.array([True, False, True])] = 0
    assert (v[::2] == 0).all() and (v[1] == p[1]).all()


def test_functions_of_numpy_on_vectors_and_arrays():
    v, p = make("float4", 3), np.asarray(make("float4", 3))
    for function in (np.isclose, np.allclose):
        for x, y in ((v, p), (p, v), (v, v), (v, p[0]), (v, 1)):
            assert is_plain(function(x, y)) or function is np.allclose
            assert np.array_equal(function(x, y), function(np.asarray(x), np.asarray(y)))
        assert np.all(function(v, b=p, rtol=0))
    v.y[0] = p[0, 1] = np.nan
    for function in (np.nanmean, np.nanvar, np.nanstd):
        check(function(v, axis=0), function(p, axis=0), "float4")
        check(function(v, 1), function(p, 1))
        assert function(v) == function(p)
        out = hc.float4(0)
        assert function(v, axis=0, out=out) is out and np.all(out == function(p, axis=0))


# ---------------------------------------------------------------- halfcl's functions


FUNCTIONS = sorted(row.name for row in TABLE if row.public)
ROWS = {row.name: row for row in TABLE if row.public}


def arguments(row, width, *shape):
    """Return vectors for each argument of a row: halves of every kind, small integers, bits."""
    rng = np.random.default_rng(width)
    arrays = []
    for letter in row.inputs:
        size = (*shape, width)
        if letter == "e":
            arrays.append(rng.integers(0, 1 << 16, size).astype(np.uint16).view(half))
        elif letter in "bBhH":
            arrays.append(rng.integers(0, 1 << 16, size).astype(letter))
        else:
            arrays.append(rng.integers(-5, 6, size).astype(letter))
    return [x.view(vectors.TYPES[vector_name(x, width)]) for x in arrays]


def as_masks(results, element):
    """Return bools as masks of -1 and 0."""
    return [-r.astype(f"i{element.itemsize}") if r.dtype == bool else r for r in as_tuple(results)]


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if not getattr(ROWS[n], "signature", "")])
def test_functions(name):
    """Every function of the table works on each width and layout, in each mode."""
    row, function = ROWS[name], getattr(hc, name)
    for width in WIDTHS:
        vectors = arguments(row, width, 4, 3)
        for pick in (lambda x: x, lambda x: x[0, 0], lambda x: x[::2, 1], lambda x: x[:0]):
            operands = [pick(x) for x in vectors]
            plain = [np.asarray(x) for x in operands]
            with np.errstate(all="ignore"):
                calls = [(function(*operands, rounding=m), function(*plain, rounding=m))
                         for m in row.modes]  # fmt: skip
                calls.append((function.rte(*operands), function.rte(*plain)))
            for got, want in calls:
                wanted = as_masks(want, operands[0].dtype)
                for g, w in zip(as_tuple(got), wanted, strict=True):
                    check(g, w, vector_name(w, width))


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if ROWS[n].inputs in ("ee", "eee", "ei")])
def test_scalars_widen(name):
    """A number as operand equals a vector of it."""
    row, function = ROWS[name], getattr(hc, name)
    if getattr(row, "signature", ""):
        return
    first, *others = arguments(row, 4, 3)
    scalars = [2 if letter == "i" else half(1.5) for letter in row.inputs[1:]]
    widened = [
        (hc.int4 if letter == "i" else hc.half4)(s)
        for s, letter in zip(scalars, row.inputs[1:], strict=True)
    ]
    with np.errstate(all="ignore"):
        got, want = function(first, *scalars), function(first, *widened)
    for g, w in zip(as_tuple(got), as_tuple(want), strict=True):
        check(g, np.asarray(w), type(w).__name__)
    assert len(others) == len(scalars)


def test_integer_arguments():
    """A function of a half and an integer accepts vectors of both, of one width."""
    v = hc.half4(1, 2, 3, 4)
    check(hc.ldexp(v, hc.int4(0, 1, 2, 3)), np.array([1, 4, 12, 32], half), "half4")
    check(np.ldexp(v, hc.int4(1)), np.array([2, 4, 6, 8], half), "half4")
    check(hc.pown(v, hc.int4(2)), np.array([1, 4, 9, 16], half), "half4")
    check(hc.nan(hc.ushort4(1)).view(np.uint16), hc.nan(np.full(4, 1, np.uint16)).view("u2"),
          "ushort4")  # fmt: skip
    with pytest.raises(ValueError, match=r"ldexp: .*one width, got half4 and int2"):
        hc.ldexp(v, hc.int2(1))


def test_reductions():
    a = make("half4", 3, 2)
    plain = np.asarray(a)
    for axis, name in [(0, "half4"), (1, "half4"), ((0, 1), "half4"), (2, None), (-1, None)]:
        for function in (hc.add, np.add, np.maximum):
            check(function.reduce(a, axis=axis), function.reduce(plain, axis=axis), name)
    assert hc.add.reduce(a, axis=None) == 300 and type(hc.add.reduce(a, axis=None)) is half
    check(hc.add.accumulate(a), hc.add.accumulate(plain), "half4")
    check(hc.add.outer(a[0], a[0]), hc.add.outer(plain[0], plain[0]))
    hc.add.at(a, [0, 0], hc.half4(1))
    check(a[0], plain[0], "half4")
    assert a[0, 0, 0] == 3


def test_products():
    """Matrix products treat vectors as plain arrays, since they sum over the vector."""
    a = make("half4", 3)
    plain = np.asarray(a)
    matrix = np.eye(4, dtype=half) * 2
    check(a @ matrix, plain @ matrix)
    check(a @ plain.T, plain @ plain.T)
    check(np.vecdot(a, a), np.vecdot(plain, plain))
    assert type(np.vecdot(a[0], a[0])) is half
    for wrong, error in ((hc.half2(1), ValueError), (hc.float4(1), TypeError)):
        with pytest.raises(error, match="vecdot: expected vectors of one"):
            np.vecdot(a, wrong)


GENERALISED = [name for name in FUNCTIONS if getattr(ROWS[name], "signature", "")]


@pytest.mark.parametrize("name", GENERALISED)
def test_geometric(name):
    """Functions that keep the vector return vectors; those that sum it return plain results."""
    function, row = getattr(hc, name), ROWS[name]
    keeps = not row.signature.endswith("()")
    for width in (3, 4) if name == "cross" else WIDTHS:
        operands = [(make(f"half{width}", 2, 3) / 8)[:, ::-1][i:] for i in range(row.nin)]
        for arguments in (operands, [x[0, 0] for x in operands], [x[:0] for x in operands]):
            plain = [np.asarray(x) for x in arguments]
            for mode in ("rte", "rtp"):
                got, want = (function(*x, rounding=mode) for x in (arguments, plain))
                if keeps or want.ndim:
                    check(got, want, f"half{width}" if keeps else None)
                else:
                    assert type(got) is half and got == want
        if row.nin == 2:
            with pytest.raises(ValueError, match="expected vectors of one width"):
                function(operands[0], hc.half8(1) if width < 8 else hc.half2(1))
