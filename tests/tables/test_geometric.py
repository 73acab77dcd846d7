"""The geometric functions against exact arithmetic: results and flags, in every mode.

HALFCL_TEST_VECTORS=1000000 takes a million vectors of 4 instead of the usual number, which is
200,000 with HALFCL_TEST_EXHAUSTIVE=1 and 40,000 without.
"""

import functools
import os
import pickle

import numpy as np
import oracle
import oracle_geometric
import pytest
import samples_geometric
from checks import ROWS, bits, half, in_region
from exhaustive import either, in_modes, in_turn, share, shared_out

import halfcl as hc

HALF = np.dtype(hc.half)
NAMES = tuple(oracle_geometric.FUNCTIONS)
WIDTHS = (1, 2, 3, 4, 5, 8, 16, 17, 70, 300, 1000)
CASES = [(name, w) for name in NAMES for w in WIDTHS if name != "cross" or w in (3, 4)]
SCALARS = ("dot", "distance", "length")
VECTORS = int(os.environ.get("HALFCL_TEST_VECTORS", either(200_000, 6_000)))


def operands_of(name, width):
    """Return columns of at least 600 vectors with a fixed number of components."""
    rng = np.random.default_rng(width)
    n = max(600, VECTORS * 4 // max(4, width))
    if oracle_geometric.FUNCTIONS[name][1] == 1:
        columns, special = (samples_geometric.vectors(rng, n, width),), ()
        special = (samples_geometric.special_vectors(width),)
    else:
        columns = samples_geometric.pairs(rng, n, width)
        special = samples_geometric.special_pairs(width if width < 20 else 20)
        if width >= 20:  # where they are does not matter
            special = tuple(np.resize(x[::40], (len(x[::40]), width)) for x in special)
        else:
            special = share(special, 7)  # which is prime to their number
    return tuple(np.concatenate(parts) for parts in zip(columns, special, strict=True))


def describe(name, operands, i):
    return f"{name}({', '.join(str([f'{c:#06x}' for c in x[i][:8]]) for x in operands)})"


def check(text, operands, got, want):
    assert got.dtype == HALF and got.shape == want.shape
    right = oracle.same(got, want)
    wrong = np.flatnonzero(~right.reshape(len(want), -1).all(-1))
    rows = [f"{describe(text, operands, i)} = {bits(got)[i]}, not {want[i]}" for i in wrong[:3]]
    assert not rows, f"{len(wrong)} wrong: " + "; ".join(rows)


def ways(name, mode):
    function = getattr(hc, name)
    yield f"{name}.{mode}", getattr(function, mode)
    yield f"{name}_{mode}", getattr(hc, f"{name}_{mode}")
    yield f"{name} in a region", lambda *x: in_region(mode, function, *x)
    yield f"{name}(rounding=)", lambda *x: function(*x, rounding=mode)


def check_flags(name, function, operands, want, flags, mode):
    """Rows that raise the same together, and some of each kind alone among ones."""
    ones = [np.full((19, x.shape[1]), 0x3C00, np.uint16) for x in operands]
    with oracle.Watch() as watch:
        function(*map(half, ones))
        assert watch.take() == 0
        for group in np.unique(flags):
            rows = np.flatnonzero(flags == group)
            function(*(half(x[rows]) for x in operands))
            assert watch.take() == group, f"{name} {mode}: all that raise {group}"
            for k, i in enumerate(np.random.default_rng(1).permutation(rows)[:60]):
                for column, x in zip(ones, operands, strict=True):
                    column[k % 19] = x[i]
                function(*map(half, ones))
                assert watch.take() == group, f"{describe(name, operands, i)} {mode}"
                for column in ones:
                    column[k % 19] = 0x3C00


@shared_out
@pytest.mark.parametrize(("name", "width"), CASES)
def test_function(name, width):
    """The exact result, rounded once, with its flags; of some vectors, every way to call it."""
    operands = operands_of(name, width)
    some = tuple(x[::16] for x in operands)
    results = oracle_geometric.FUNCTIONS[name][0](*operands)
    for mode, (want, flags) in results.items():
        (text, function), *others = ways(name, mode)
        with np.errstate(all="ignore"):
            check(f"{text} {mode}", operands, function(*map(half, operands)), want)
            for text, other in others:
                check(f"{text} {mode}", some, other(*map(half, some)), want[::16])
        check_flags(name, function, operands, want, flags, mode)


@functools.cache
def every_half(name):
    """In a vector of one component, or three times in one of three: operands and results."""
    halves = np.arange(1 << 16, dtype=np.uint16)
    width = 3 if name == "cross" else 1
    a = np.repeat(halves[:, np.newaxis], width, 1)
    b = np.resize(np.roll(halves, 12345), a.shape)
    operands = (a, b)[: oracle_geometric.FUNCTIONS[name][1]]
    return operands, oracle_geometric.FUNCTIONS[name][0](*operands)


@shared_out
@pytest.mark.parametrize(("name", "mode"), in_modes(NAMES))
def test_every_half(name, mode):
    operands, results = every_half(name)
    want, _ = results[mode]
    with np.errstate(all="ignore"):
        check(name, operands, getattr(hc, name)(*map(half, operands), rounding=mode), want)


# ---------------------------------------------------------------- shapes


def sample(name, shape, seed=0):
    """Operands of a shape, some of whose results overflow."""
    rng = np.random.default_rng(seed)
    count = oracle_geometric.FUNCTIONS[name][1]
    return [(rng.normal(size=shape) * 100).astype(hc.half) for _ in range(count)]


def reference_results(name, operands, axis, mode="rte", keepdims=False):
    """Return the oracle's results, one vector after the other along an axis."""
    moved = [np.moveaxis(x, axis, -1) for x in np.broadcast_arrays(*operands)]
    shape = moved[0].shape
    rows = [np.ascontiguousarray(x).reshape(-1, shape[-1]).view(np.uint16) for x in moved]
    want = oracle_geometric.FUNCTIONS[name][0](*rows)[mode][0].view(hc.half)
    if name in SCALARS:
        want = want.reshape(shape[:-1])
        return np.expand_dims(want, axis) if keepdims else want
    return np.moveaxis(want.reshape(shape), -1, axis)


def same(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got.view(np.uint16), want.view(np.uint16))


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@in_turn
@shared_out
@pytest.mark.parametrize(("axis", "mode"), in_modes([0, 1, 2, -1, -2, -3]))
def test_axis(name, axis, mode):
    """Results along each axis of arrays in C and Fortran order."""
    for length in (3, 20) if name != "cross" else (3, 4):
        shape = [5, 6, 7]
        shape[axis] = length
        for order in ("C", "F"):
            operands = [np.asarray(x, order=order) for x in sample(name, shape)]
            want = reference_results(name, operands, axis, mode)
            function = getattr(hc, name)
            same(function(*operands, axis=axis, rounding=mode), want)
            same(getattr(function, mode)(*operands, axis=axis), want)
            axes = [axis] * len(operands) + ([()] if name in SCALARS else [axis])
            same(function(*operands, axes=axes, rounding=mode), want)


@pytest.mark.parametrize("name", SCALARS)
def test_keepdims(name):
    operands = sample(name, (5, 3, 4))
    for axis in (0, 1, 2, -1):
        want = reference_results(name, operands, axis, keepdims=True)
        same(getattr(hc, name)(*operands, axis=axis, keepdims=True), want)
    operands = [x[0, 0] for x in operands]
    assert getattr(hc, name)(*operands, keepdims=True).shape == (1,)
    assert type(getattr(hc, name)(*operands)) is hc.half


@in_turn
@pytest.mark.parametrize("width", [3, 4, 7, 16, 17, 1100])
def test_layouts(name, width):
    """Strided, reversed, transposed, unaligned, swapped, read-only."""
    if name == "cross" and width not in (3, 4):
        return
    function = getattr(hc, name)
    operands = sample(name, (300 if width < 20 else 4, width))
    n = len(operands[0])
    want = reference_results(name, operands, -1)
    wide = [np.zeros((n, 3, width, 2), hc.half) for _ in operands]
    packed = [np.zeros((n, width), [("pad", "u1"), ("x", hc.half)]) for _ in operands]
    for column, other, x in zip(wide, packed, operands, strict=True):
        column[:, 1, :, 1] = x
        other["x"] = x
    same(function(*(x[:, 1, :, 1] for x in wide)), want)
    same(function(*(x["x"] for x in packed)), want)
    same(function(*(x[::-1, ::-1].copy()[::-1, ::-1] for x in operands)), want)
    same(function(*(np.asfortranarray(x) for x in operands)), want)
    same(function(*(x.astype(HALF.newbyteorder()) for x in operands)), want)
    out = np.zeros((n, 2, *want.shape[1:]), hc.half)
    assert function(*operands, out=out[:, 1]).base is out
    same(out[:, 1].copy(), want)
    assert not out[:, 0].any()


@in_turn
@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 511, 777])
def test_numbers_of_vectors(name, count):
    """Blocks are of 256 vectors, registers of 16 and fewer."""
    for width in (3, 4):
        operands = sample(name, (count, width), count)
        want = reference_results(name, operands, -1)
        same(getattr(hc, name)(*operands), want)
        out = np.zeros_like(want)
        assert getattr(hc, name)(*operands, out=out) is out
        same(out, want)
        out = np.zeros_like(want)
        assert getattr(hc, name)(*operands, out) is out
        same(out, want)


@pytest.mark.parametrize("name", ["cross", "dot", "distance"])
def test_broadcasting(name):
    a, b = sample(name, (5, 1, 3))
    for x, y in ((a, b.reshape(1, 5, 3)), (a, b[0, 0]), (a[0, 0], b)):
        same(getattr(hc, name)(x, y), reference_results(name, (x, y), -1))


def test_dtypes(name):
    """float16 gives float16, anything else half; exact integers are taken."""
    function = getattr(hc, name)
    operands = sample(name, (5, 3))
    plain = [x.view(np.float16) for x in operands]
    want = reference_results(name, operands, -1)
    same(function(*plain), want.view(np.float16))
    same(
        function(*plain, rounding="rtp"),
        reference_results(name, operands, -1, "rtp").view(np.float16),
    )
    integers = [np.arange(15, dtype=np.int8).reshape(5, 3) - 7 for _ in operands]
    same(function(*integers), reference_results(name, [x.astype(hc.half) for x in integers], -1))
    if len(operands) == 2:
        same(function(plain[0], operands[1]), want)


def test_empty(name):
    function, arguments = getattr(hc, name), ROWS[name].nin
    assert function(*[np.zeros((0, 3), hc.half)] * arguments).shape[0] == 0
    if name == "cross":
        return
    got = function(*[np.zeros((5, 0), hc.half)] * arguments)
    same(got, np.zeros((5,) if name in SCALARS else (5, 0), hc.half))


@pytest.mark.parametrize("name", ["normalize", "cross"])
def test_output_over_input(name):
    operands = sample(name, (400, 4))
    want = reference_results(name, operands, -1)
    memory = operands[0].copy()
    getattr(hc, name)(memory, *operands[1:], out=memory)
    same(memory, want)
    shifted = np.zeros((401, 4), hc.half)
    shifted[:-1] = operands[0]
    getattr(hc, name)(shifted[:-1], *operands[1:], out=shifted[1:])
    same(shifted[1:], want)


@functools.cache
def long_vectors(name, width):
    """Operands, and their results in every mode."""
    operands = sample(name, (3, width), width)
    rows = [x.view(np.uint16) for x in operands]
    return operands, oracle_geometric.FUNCTIONS[name][0](*rows)


@in_turn
@shared_out
@pytest.mark.parametrize(("width", "mode"), in_modes([256, 257, 512, 769, 1792, 70_001]))
@pytest.mark.parametrize("name", ["dot", "distance", "length", "normalize"])
def test_chunks(name, width, mode):
    """Long vectors are added up in chunks of 256, these in pairs and so on."""
    operands, results = long_vectors(name, width)
    want = results[mode][0].view(hc.half)
    same(getattr(hc, name)(*operands, rounding=mode), want)
    columns = [np.asfortranarray(x) for x in operands]
    same(getattr(hc, name)(*columns, rounding=mode), want)


# ---------------------------------------------------------------- scalars


@pytest.mark.parametrize("name", ["dot", "distance", "length", "normalize"])
def test_scalars(name, mode):
    """A scalar is a vector of one component: halves, float16, 0-dimensional arrays."""
    function = getattr(hc, name)
    for values in ((1.5, -3.0), (0.1, 0.1), (-0.0, 5.96e-8), (6e4, 333.0), (np.inf, -2.0)):
        operands = [np.array([[x]], hc.half) for x in values[: ROWS[name].nin]]
        want = reference_results(name, operands, -1, mode).ravel()[0]
        scalars = [x[0, 0] for x in operands]
        got = function(*scalars, rounding=mode)
        assert type(got) is hc.half
        same(np.asarray(got), np.asarray(want))
        zero_dimensional = [np.asarray(x) for x in scalars]
        same(np.asarray(function(*zero_dimensional, rounding=mode)), np.asarray(want))
        plain = [np.float16(x) for x in scalars]
        got = function(*plain, rounding=mode)
        assert type(got) is np.float16 and np.asarray(want).view(np.uint16) == got.view(np.uint16)
        for named in (True, False):
            out = np.zeros((), hc.half)
            options = {"out": out} if named else {}
            assert function(*scalars, *([] if named else [out]), rounding=mode, **options) is out
            same(out, np.asarray(want))


def test_python_numbers():
    assert hc.dot(3, 0.5) == 1.5 and hc.length(-2) == 2 and hc.normalize(-7.0) == -1
    assert hc.distance(True, 3) == 2 and type(hc.distance(1, 3)) is hc.half
    assert hc.length(0.1, rounding="rtp") == hc.convert(0.1, hc.half, rounding="rtp")
    assert hc.length(0.1) == hc.convert(0.1, hc.half)


# ---------------------------------------------------------------- errors


def check_refusal(error, match, function, *args, **options):
    """Check that the call raises, and leaves the output unchanged."""
    out = options.pop("out")
    with pytest.raises(error, match=match):
        function(*args, out=out, **options)
    assert (out == 7).all()


def test_errors(name):
    function = getattr(hc, name)
    operands = sample(name, (5, 3))
    out = np.full(5 if name in SCALARS else (5, 3), hc.half(7))
    check_refusal(ValueError, "rte.*'up'", function, *operands, out=out, rounding="up")
    for i in range(len(operands)):
        wrong = list(operands)
        wrong[i] = np.ones((5, 3), np.float32)
        match = rf"{name}.*argument {i + 1}.*float32.*halfcl\.convert"
        check_refusal(TypeError, match, function, *wrong, out=out)
    check_refusal(TypeError, name, function, *operands, out=out, round_to="rte")
    with pytest.raises(TypeError):
        function(*operands[1:], out=out)
    check_refusal(np.exceptions.AxisError, "axis 2", function, *operands, out=out, axis=2)
    for i in range(len(operands)):
        mixed = list(operands)
        mixed[i] = hc.half(1)
        if name == "cross":
            match = rf"cross: argument {i + 1}: expected vectors of 3 or 4 .*got a scalar"
            check_refusal(ValueError, match, function, *mixed, out=out)
        elif len(operands) > 1:
            match = rf"{name}: argument {i + 1}: expected vectors like .*got a scalar"
            check_refusal(ValueError, match, function, *mixed, out=out)
    scalars = [hc.half(1)] * len(operands)
    check_refusal(
        ValueError, f"{name}: argument 1: .*got a scalar", function, *scalars, out=out, axis=0
    )
    if name != "cross":
        with pytest.raises(TypeError, match=rf"{name}.*argument 1.*float32.*halfcl\.convert"):
            function(*[np.float32(1)] * len(operands))


@pytest.mark.parametrize("name", ["cross", "dot", "distance"])
def test_lengths_that_differ(name):
    a, b = sample(name, (5, 4))
    out = np.full((5, 4) if name == "cross" else 5, hc.half(7))
    match = rf"{name}.*operand 1.*3 is different from 4"
    check_refusal(ValueError, match, getattr(hc, name), a, b[:, :3], out=out)


@pytest.mark.parametrize("width", [0, 1, 2, 5, 16, 17])
def test_cross_of_other_lengths(width):
    a, b = sample("cross", (5, width))
    out = np.full((5, width), hc.half(7))
    check_refusal(
        ValueError, f"cross: expected vectors of 3 or 4 .* got {width}", hc.cross, a, b, out=out
    )


def test_functions():
    """They are generalised ufuncs, which pickle."""
    for name in NAMES:
        function = getattr(hc, name)
        assert function.rtp.signature == ROWS[name].signature and function.nin == ROWS[name].nin
        assert pickle.loads(pickle.dumps(function)) is function
        assert pickle.loads(pickle.dumps(function.rtp)) is function.rtp
        with pytest.raises(RuntimeError, match="signature"):
            function.reduce(np.ones((2, 3), hc.half))
