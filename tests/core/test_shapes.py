"""Any shape, stride, alignment and byte order gives the results of single elements."""

import itertools

import hypothesis.extra.numpy as nps
import numpy as np
import pytest
from exhaustive import either, in_turn, shared_out
from hypothesis import given, settings, strategies as st

import halfcl as hc
from halfcl import half

pytestmark = shared_out

settings.register_profile("halfcl", max_examples=either(150, 30), deadline=None, derandomize=True)
settings.load_profile("halfcl")

HALF = np.dtype(half)
MODES = st.sampled_from(["rte", "rtz", "rtp", "rtn"])

# Each function's number of arguments and its computation in doubles: those results are exact, or
# close enough to it that rounding them to half to nearest is rounding once.
REFERENCE = {
    "add": (2, np.add),
    "subtract": (2, np.subtract),
    "multiply": (2, np.multiply),
    "divide": (2, np.divide),
    "negative": (1, np.negative),
    "fabs": (1, np.fabs),
    "sqrt": (1, np.sqrt),
}
FUNCTIONS = st.sampled_from(sorted(REFERENCE))


def bits(x):
    """Return bit patterns in native order; every NaN becomes the same."""
    x = np.asarray(x)
    x = x.astype(x.dtype.newbyteorder("="), copy=False)
    plain = np.ascontiguousarray(x).view(np.float16)
    return np.where(np.isnan(plain), 0x7E00, plain.view(np.uint16))


def reference(name, *operands):
    """Return the function of one element after the other, in Python."""
    broadcast = np.broadcast_arrays(*[np.asarray(x).astype(np.float64) for x in operands])
    result = np.empty(broadcast[0].shape, np.float16)
    compute = REFERENCE[name][1]
    for index in np.ndindex(result.shape):
        result[index] = np.float16(compute(*[x[index] for x in broadcast]))
    return result


def reference_in_mode(name, mode, *operands):
    """Return the function of one element after the other, by halfcl itself."""
    broadcast = np.broadcast_arrays(*operands)
    result = np.empty(broadcast[0].shape, half)
    for index in np.ndindex(result.shape):
        result[index] = getattr(hc, name)(*[half(x[index]) for x in broadcast], rounding=mode)
    return result


@st.composite
def arrays_in_layouts(draw, shape):
    """Draw a half array of that shape in any layout and byte order."""
    patterns = draw(
        nps.arrays(np.uint16, shape, elements=st.integers(0, 0xFFFF), fill=st.nothing())
    )
    values = patterns.view(half)
    how = draw(
        st.sampled_from(["plain", "strided", "swapped", "unaligned", "F", "float16", "flip"])
    )
    if how == "F":
        return np.asfortranarray(values)
    if how == "flip":
        return np.flip(np.ascontiguousarray(np.flip(values)))
    if how == "float16":
        return values.view(np.float16)
    if how == "swapped":
        return values.astype(HALF.newbyteorder())
    if how == "unaligned":
        fields = np.zeros(shape, [("pad", "u1"), ("x", half)])
        fields["x"] = values
        return fields["x"]
    if how == "strided":
        steps = [draw(st.sampled_from([1, 2, 3, -1, -2])) for _ in shape]
        wide = np.zeros([n * abs(s) for n, s in zip(shape, steps, strict=True)], half)
        view = wide[(..., *(slice(None, None, s) for s in steps))]
        view[...] = values
        return view
    return values


@st.composite
def operands(draw, count, max_side=6):
    shapes = draw(nps.mutually_broadcastable_shapes(
        num_shapes=count, max_dims=4, min_side=0, max_side=max_side)).input_shapes  # fmt: skip
    arrays = []
    for shape in shapes:
        array = draw(arrays_in_layouts(shape))
        if draw(st.booleans()) and array.size:  # zero strides
            array = np.broadcast_to(array, (draw(st.integers(1, 3)), *array.shape))[0:1].squeeze(0)
        arrays.append(array)
    return arrays


@given(st.data(), FUNCTIONS)
def test_layouts_equal_single_elements(data, name):
    args = data.draw(operands(REFERENCE[name][0]))
    with np.errstate(all="ignore"):
        got, expected = getattr(hc, name)(*args), reference(name, *args)
    assert got.shape == expected.shape
    assert got.dtype == (np.float16 if all(a.dtype == np.float16 for a in args) else HALF)
    np.testing.assert_array_equal(bits(got), bits(expected))


@given(st.data(), FUNCTIONS, MODES)
def test_layouts_in_modes(data, name, mode):
    args = data.draw(operands(REFERENCE[name][0], max_side=4))
    with np.errstate(all="ignore"):
        got = getattr(hc, name)(*args, rounding=mode)
        expected = reference_in_mode(name, mode, *args)
    np.testing.assert_array_equal(bits(got), bits(expected))


@given(st.data(), MODES)
def test_fma_layouts(data, mode):
    args = data.draw(operands(3, max_side=4))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(
            bits(hc.fma(*args, rounding=mode)), bits(reference_in_mode("fma", mode, *args))
        )


@given(st.data(), FUNCTIONS)
def test_numpy_functions_on_layouts(data, name):
    args = [x.view(x.dtype) for x in data.draw(operands(REFERENCE[name][0]))]
    args = [half(x) if x.ndim == 0 else x.astype(half, copy=False) for x in args]
    with np.errstate(all="ignore"):
        got, expected = getattr(np, name)(*args), reference(name, *args)
    np.testing.assert_array_equal(bits(got), bits(expected))


@given(st.data(), FUNCTIONS)
def test_out_and_where(data, name):
    """`out` of any layout takes the results where `where` is true, and nothing elsewhere."""
    args = data.draw(operands(REFERENCE[name][0]))
    shape = np.broadcast_shapes(*[a.shape for a in args])
    out = data.draw(arrays_in_layouts(shape))
    if out.dtype == np.float16:
        out = out.view(half)
    where = data.draw(nps.arrays(bool, shape))
    with np.errstate(all="ignore"):
        expected = np.where(where, bits(reference(name, *args)), bits(out))
        assert getattr(hc, name)(*args, out=out, where=where) is out
        np.testing.assert_array_equal(bits(out), expected)
        getattr(hc, name)(*args, out=out)
        np.testing.assert_array_equal(bits(out), bits(reference(name, *args)))


@given(st.data(), st.sampled_from(["add", "subtract", "multiply", "divide"]))
def test_inplace(data, name):
    shape = data.draw(nps.array_shapes(max_dims=3, max_side=5))
    target, operand = data.draw(arrays_in_layouts(shape)), data.draw(arrays_in_layouts(shape))
    if target.dtype == np.float16:
        target = target.view(half)
    with np.errstate(all="ignore"):
        expected = reference(name, target, operand)
        method = {"divide": "truediv", "subtract": "sub", "multiply": "mul"}.get(name, name)
        assert getattr(target, f"__i{method}__")(operand) is target
    np.testing.assert_array_equal(bits(target), bits(expected))


SLICES = [
    slice(0, 50), slice(1, 51), slice(10, 60), slice(49, None, -1), slice(0, 100, 2),
    slice(1, 100, 2), slice(99, None, -2), slice(59, 9, -1), slice(0, 1), slice(3, 4),
]  # fmt: skip


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "sqrt", "fma"])
def test_overlap(name):
    """Operands and results that are slices of one array act as if the operands were copied."""
    start = np.random.default_rng(5).integers(0, 0x7C00, 120, dtype=np.uint16).view(half)
    function = getattr(hc, name)
    with np.errstate(all="ignore"):
        for a, b, to in itertools.product(SLICES, SLICES, SLICES):
            memory = start.copy()
            args = [memory[a], memory[b], memory[b]][: function.nin]
            out = memory[to]
            try:
                shape = np.broadcast_shapes(*[x.shape for x in args])
            except ValueError:
                continue
            if out.shape != shape:
                continue
            expected = function(*[x.copy() for x in args])
            function(*args, out=out)
            assert (bits(out) == bits(expected)).all(), (a, b, to)


@pytest.mark.parametrize("shift", [1, 2, 3, -1, -5])
@pytest.mark.parametrize("size", [5, 100, 5000])
def test_overlap_of_large_arrays(shift, size):
    start = np.random.default_rng(size).integers(0, 0x7C00, size, dtype=np.uint16).view(half)
    here = slice(max(shift, 0), size + min(shift, 0))
    there = slice(max(-shift, 0), size + min(-shift, 0))
    memory = start.copy()
    with np.errstate(all="ignore"):
        expected = start[here] + start[there]
        np.add(memory[here], memory[there], out=memory[here])
        assert (bits(memory[here]) == bits(expected)).all()
        memory = start.copy()
        memory[there] += memory[here]
        assert (bits(memory[there]) == bits(start[there] + start[here])).all()


@in_turn
@pytest.mark.parametrize("offset", [0, 1, 3])
@pytest.mark.parametrize("step", [2, 4, 6, -2, -4, 3, 5, 0])
@pytest.mark.parametrize("size", [0, 1, 7, 31, 33, 100, 1025])
def test_byte_strides(size, step, offset):
    """Strides may be any number of bytes, odd ones too, on unaligned addresses."""
    rng = np.random.default_rng(size)
    memory = rng.integers(0, 256, 2 * 6 * 1030 + 16, dtype=np.uint8)
    start = offset + (-step * size if step < 0 else 0)
    x = np.ndarray(size, half, memory, start, (step,))
    y = rng.integers(0, 1 << 16, size, dtype=np.uint16).view(half)
    with np.errstate(all="ignore"):
        for result, expected in (
            (x + y, x.copy() + y),
            (y / x, y / x.copy()),
            (hc.sqrt(x), hc.sqrt(x.copy())),
            (x.astype(np.float32).astype(half), x.copy()),
            (np.sort(x, kind="stable"), np.sort(x.copy(), kind="stable")),
        ):
            assert (bits(result) == bits(expected)).all()
        assert (np.isnan(x) == np.isnan(x.copy())).all()
        assert ((x < y) == (x.copy() < y)).all()
        if size:
            assert x.argmax() == x.copy().argmax()


@given(st.data(), st.sampled_from(["sum", "prod", "max", "min", "any", "all", "argmax", "cumsum"]))
def test_reductions_of_layouts(data, name):
    """The elements are small whole numbers, so that the order of summation does not matter."""
    shape = data.draw(nps.array_shapes(max_dims=3, max_side=5))
    x = data.draw(arrays_in_layouts(shape))
    x[...] = np.asarray(data.draw(nps.arrays(np.int8, shape, elements=st.integers(-2, 2))))
    axis = data.draw(st.sampled_from([None, *range(len(shape))]))
    with np.errstate(over="ignore"):  # 2^16
        got = getattr(x, name)(axis=axis)
    with np.errstate(all="ignore"):
        expected = getattr(x.astype(np.float64), name)(axis=axis)
    if expected.dtype == np.float64:
        assert got.dtype.type is x.dtype.type
        with np.errstate(all="ignore"):
            expected = expected.astype(np.float16)
    np.testing.assert_array_equal(np.asarray(got).astype(expected.dtype), expected)


@given(st.data())
def test_reduction_keywords(data):
    shape = data.draw(nps.array_shapes(min_dims=2, max_dims=3, max_side=5))
    x = data.draw(nps.arrays(np.int8, shape, elements=st.integers(-9, 9)))
    where = data.draw(nps.arrays(bool, shape))
    axis = data.draw(st.sampled_from([0, 1, (0, 1), None]))
    keepdims = data.draw(st.booleans())
    keywords = {"axis": axis, "keepdims": keepdims, "where": where, "initial": 3}
    for name in "add", "maximum", "minimum":
        got = getattr(np, name).reduce(x.astype(half), **keywords)
        expected = getattr(np, name).reduce(x.astype(np.float64), **keywords)
        np.testing.assert_array_equal(np.asarray(got).astype(np.float64), expected)
        assert got.dtype == HALF


@given(st.data())
def test_casts_of_layouts(data):
    x = data.draw(
        arrays_in_layouts(data.draw(nps.array_shapes(max_dims=3, min_side=0, max_side=5)))
    )
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
    assert wide.shape == x.shape
    for index in np.ndindex(x.shape):
        np.testing.assert_equal(wide[index], float(x[index]))
    with np.errstate(all="ignore"):
        for back in (
            wide.astype(half),
            wide[..., ::-1].astype(half)[..., ::-1],
            hc.convert(wide, half),
        ):
            np.testing.assert_array_equal(bits(back), bits(x))
    np.testing.assert_array_equal(bits(x.astype(HALF.newbyteorder())), bits(x))


@given(st.data())
def test_at(data):
    size = data.draw(st.integers(1, 8))
    indices = data.draw(st.lists(st.integers(-size, size - 1), max_size=20))
    x, expected = np.zeros(size, half), np.zeros(size)
    np.add.at(x, indices, half(1.5))
    np.add.at(expected, indices, 1.5)
    hc.add.at(x, indices, half(0.25))
    np.add.at(expected, indices, 0.25)
    assert x.tolist() == expected.tolist()


def test_zero_dimensions():
    x = np.array(2, half)
    for result in (hc.add(x, x), x + x, hc.sqrt(x), hc.convert(x, half), np.add(x, x)):
        assert type(result) is half
    out = np.array(0, half)
    assert hc.add(x, x, out=out) is out and out == 4
    if np.lib.NumpyVersion(np.__version__) >= "2.3.0":  # out=... is new there
        assert hc.add(x, x, out=...).shape == ()


@pytest.mark.parametrize("size", [0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000])
def test_tails_are_neither_read_nor_written(size):
    """Nothing beyond the last element is read as an element, or written."""
    x = np.full(size + 64, half(2))
    x[size:] = np.nan
    out = np.full(size + 64, half(7))
    with np.errstate(all="raise"):
        hc.add(x[:size], x[:size], out=out[:size])
        assert (out[:size] == 4).all() and (out[size:] == 7).all()
        hc.fma(x[:size], x[:size], x[:size], out=out[:size])
        assert (out[:size] == 6).all() and (out[size:] == 7).all()
        hc.sqrt(x[:size], out=out[:size], rounding="rtp")
        assert (out[:size] == hc.sqrt_rtp(half(2))).all() and (out[size:] == 7).all()
        assert x[:size].sum() == 2 * size


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # np.matrix
@pytest.mark.parametrize("subclass", [np.matrix, np.recarray, np.ma.MaskedArray])
def test_subclasses(subclass):
    x = np.full((2, 2), half(3)).view(subclass)
    for result in (hc.add(x, x), x + x, hc.add(x, x, rounding="rtp")):
        assert type(result) is subclass and result.dtype == HALF and (result == 6).all()


def test_array_function_protocols():
    class Logged(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc.__name__, method

    assert hc.add(np.ones(2, half).view(Logged), 1, rounding="rtp") == ("add_rtp", "__call__")
