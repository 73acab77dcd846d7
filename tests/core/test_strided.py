"""Operands of different layouts: results, layouts and exceptions equal those of NumPy's way."""

import subprocess
import sys
import traceback
import tracemalloc
import warnings

import numpy as np
import pytest
from exhaustive import in_turn, one_in

import halfcl as hc

# Functions of one, two and three arguments, of other types in and out, with two results.
FUNCTIONS = [
    hc.exp, hc.sqrt, hc.add, hc.divide, hc.ldexp, hc.fma, hc.isless, hc.fract, hc.sincos, hc.ilogb,
    hc.nan, hc.clamp, hc.frexp,
]  # fmt: skip
BYTES = 1 << 17


def random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype) -> np.ndarray:
    """Return an array of that shape, of random bits, in a random layout in a buffer."""
    dtype = np.dtype(dtype)
    ndim = len(shape)
    # Leave room between elements along some axes, in some order of axes.
    spread = [n * int(rng.choice([1, 1, 1, 2, 3, 4])) for n in shape]
    order = rng.permutation(ndim) if rng.random() < 0.6 else np.arange(ndim)
    size = int(np.prod(spread)) * dtype.itemsize
    offset = int(rng.integers(0, 9)) * dtype.itemsize
    if rng.random() < 0.1:
        offset += 1
    memory = rng.integers(0, 256, size + offset + 8, np.uint8)
    if dtype.itemsize == 2 and dtype.kind != "i" and rng.random() < 0.5:  # moderate numbers
        values = rng.standard_normal(memory.size // 2).astype(np.float16)
        memory[: values.nbytes] = values.view(np.uint8)
    array = memory[offset : offset + size].view(dtype).reshape([spread[k] for k in order])
    array = array.transpose(np.argsort(order))
    return array[tuple(random_slice(rng, spread[k], shape[k]) for k in range(ndim))]


def random_slice(rng: np.random.Generator, length: int, count: int) -> slice:
    step = max(1, length // max(count, 1))
    if rng.random() < 0.2 and count:
        last = (count - 1) * step
        return slice(last, None, -step) if last else slice(0, 1)
    return slice(0, count * step, step)


def random_shape(rng: np.random.Generator) -> tuple[int, ...]:
    ndim = int(rng.integers(1, 5))
    sizes = [1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 63, 64, 65, 100, 300]
    shape: list[int] = []
    for _ in range(ndim):
        room = 20_000 // int(np.prod(shape, initial=1))
        shape.append(int(rng.choice([n for n in sizes if n <= max(room, 1)])))
    return tuple(shape)


def broadcast_shape(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape that broadcasts against the given one."""
    if rng.random() < 0.5:
        return shape
    shape = tuple(1 if rng.random() < 0.4 else n for n in shape)
    return shape[int(rng.integers(0, len(shape))) :]


def random_operand(rng: np.random.Generator, shape: tuple[int, ...], dtype) -> np.ndarray:
    """Return an array that broadcasts to a shape, in either byte order.

    Instead of halves it may have small integers, which are converted to them.
    """
    dtype = np.dtype(dtype)
    if dtype in (np.float16, hc.half) and rng.random() < 0.2:
        dtype = np.dtype(rng.choice(["?", "b", "B"]))
    array = random_array(rng, broadcast_shape(rng, shape), dtype)
    if rng.random() < 0.1:
        array = array.astype(dtype.newbyteorder(">"), order="K")
    return array


def operands(rng: np.random.Generator, function) -> list[np.ndarray]:
    letters = function.types[0].split("->")[0]
    shape = random_shape(rng)
    halves = hc.half if rng.random() < 0.7 else np.float16
    dtypes = {"e": halves, "i": np.int32, "H": np.uint16}
    return [random_operand(rng, shape, dtypes[letter]) for letter in letters]


def bits(array: np.ndarray) -> np.ndarray:
    array = np.ascontiguousarray(array)
    return array.view(f"u{array.itemsize}")


# Functions whose NaNs have the bits of an operand. If several operands are NaNs, Arm's arithmetic
# on halves and AVX2's on floats select one by their order in the instruction, which the compiler
# chooses differently in different places (docs/reference/threads.md).
NANS_OF_OPERANDS = (
    {hc.add, hc.multiply, hc.fma, np.add, np.multiply}
    if hc.processor_info()["isa"] in ("avx2", "neon_fp16")
    else frozenset()
)


def are_right(function, result: np.ndarray, right: np.ndarray, arrays: list[np.ndarray]) -> bool:
    """Return whether all bits are right; of several NaN operands, any quieted one may result."""
    wrong = bits(result) != bits(right)
    if function not in NANS_OF_OPERANDS or not wrong.any():
        return not wrong.any()
    together = [x.astype(x.dtype.newbyteorder("=")) for x in np.broadcast_arrays(*arrays)]
    nans = np.stack([np.isnan(x) for x in together])
    quiet = np.stack([bits(x) | 0x200 for x in together])
    are_theirs = (nans & (quiet == bits(result))).any(axis=0)
    return bool(np.all(are_theirs[wrong] & (nans.sum(axis=0)[wrong] > 1)))


def steps(array: np.ndarray) -> list[int]:
    """Return the strides except along axes of one element, where they have no meaning."""
    return [step for step, n in zip(array.strides, array.shape, strict=True) if n != 1]


def as_tuple(results) -> tuple:
    return results if isinstance(results, tuple) else (results,)


def result_and_warnings(call):
    """Return a call's result, and the warnings that it raises."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="warn"):
        warnings.simplefilter("always")
        results = as_tuple(call())
    return results, {str(w.message).split(" encountered")[0] for w in caught}


def one_by_one(function, arrays):
    """Return a call's result on new arrays in one piece, which need no preparation."""
    together = [np.ascontiguousarray(x) for x in np.broadcast_arrays(*arrays)]
    native = [x.astype(x.dtype.newbyteorder("=")) for x in together]
    return result_and_warnings(lambda: function(*native))


@one_in(2)
@pytest.mark.parametrize("mode", ["rte", "rtp"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_layouts_and_exceptions(function, mode):
    rng = np.random.default_rng(14)
    for _ in range(60):
        arrays = operands(rng, function)
        expected, expected_warnings = one_by_one(lambda *x: function(*x, rounding=mode), arrays)
        results, raised = result_and_warnings(
            lambda arrays=arrays: function(*arrays, rounding=mode)
        )
        by_numpy, _ = result_and_warnings(lambda arrays=arrays: getattr(function, mode)(*arrays))
        assert raised == expected_warnings
        for result, right, laid_out in zip(results, expected, by_numpy, strict=True):
            assert type(result) is np.ndarray and result.dtype == right.dtype
            assert result.strides == laid_out.strides
            assert are_right(function, result, right, arrays)


@one_in(2)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_outputs_of_any_layout(function):
    rng = np.random.default_rng(15)
    for _ in range(40):
        arrays = operands(rng, function)
        expected, _ = one_by_one(function, arrays)
        outs = tuple(random_array(rng, x.shape, x.dtype) for x in expected)
        results, _ = result_and_warnings(
            lambda arrays=arrays, outs=outs: function(
                *arrays, out=outs if len(outs) > 1 else outs[0]
            )
        )
        for result, out, right in zip(results, outs, expected, strict=True):
            assert result is out
            assert are_right(function, out, right, arrays)


def test_gaps_of_outputs_are_not_written():
    memory = np.zeros((70, 3, 70), hc.half)
    a = np.ones((70, 70), hc.half)
    hc.add(a.T, a, out=memory[:, 1].T)
    assert np.all(memory[:, 1] == 2) and not memory[:, 0].any() and not memory[:, 2].any()


@pytest.mark.parametrize("shape", [(90, 90), (3, 90), (90, 3), (5, 7, 70)])
def test_outputs_may_be_an_input(shape):
    rng = np.random.default_rng(16)
    a = rng.standard_normal(shape).astype(np.float16).view(hc.half)
    b = rng.standard_normal(shape[::-1]).astype(np.float16).view(hc.half).T
    expected = hc.add(a.copy(), b.copy())
    hc.add(a, b, out=a)
    assert np.array_equal(bits(a), bits(expected))
    expected = hc.multiply(a.copy(), b.copy())
    hc.multiply(a, b, out=b)
    assert np.array_equal(bits(b), bits(expected))


def test_outputs_may_overlap_inputs():
    rng = np.random.default_rng(17)
    for _ in range(200):
        n = int(rng.integers(2, 80))
        memory = rng.standard_normal(3 * n * n + 200).astype(np.float16).view(hc.half)
        views = []
        for _ in range(3):
            start = int(rng.integers(0, 2 * n))
            view = memory[start : start + n * n].reshape(n, n)
            views.append(view.T if rng.random() < 0.5 else view[:, ::-1])
        a, b, out = views
        expected = hc.subtract(a.copy(order="C"), b.copy(order="C"))
        hc.subtract(a, b, out=out)
        assert np.array_equal(bits(out), bits(expected))


def test_outputs_may_interleave_with_inputs():
    """Test interleaved views of one memory, or nearly: the two halves of each row of an array."""
    rng = np.random.default_rng(18)
    places = np.arange(600, dtype=np.int16)
    done = 0
    while done < 3000:
        ndim = int(rng.integers(1, 4))
        shape = tuple(map(int, rng.integers(1, 5, ndim)))
        steps = rng.integers(-20, 21, (3, ndim))
        steps[rng.random(3) < 0.5] = steps[0]
        starts = rng.integers(270, 330, 3)
        memory = rng.integers(0, 0x3C00, 600).astype(np.uint16).view(hc.half)

        def view(of, k, starts=starts, steps=steps, shape=shape):
            strides = [int(step) * of.itemsize for step in steps[k]]
            return np.lib.stride_tricks.as_strided(of[starts[k] :], shape, strides)

        written = view(places, 2)
        if np.unique(written).size < written.size:
            continue  # NumPy does not say which of several results stays
        a, b, out = (view(memory, k) for k in range(3))
        expected = hc.add(a.copy(), b.copy())
        rest = np.setdiff1d(places, written)
        before = memory[rest].copy()
        hc.add(a, b, out=out)
        assert np.array_equal(bits(out), bits(expected)), (shape, steps, starts)
        assert np.array_equal(bits(memory[rest]), bits(before))
        done += 1


def test_self_overlapping_outputs_raise_as_numpy():
    a = np.arange(12, dtype=np.float16).view(hc.half).reshape(3, 4)
    strange = np.lib.stride_tricks.as_strided(np.zeros(8, hc.half), (3, 4), (2, 2))
    other = np.lib.stride_tricks.as_strided(np.zeros(8, hc.half), (3, 4), (2, 2))
    hc.exp(a, out=strange)
    hc.exp.rte(a, out=other)
    assert np.array_equal(bits(strange), bits(other))


def test_self_overlapping_inputs():
    a = np.arange(200, dtype=np.float16).view(hc.half)
    windows = np.lib.stride_tricks.sliding_window_view(a, 100)
    assert np.array_equal(hc.add(windows, windows.T[:100, 0]), windows.copy() + a[:100])
    assert np.array_equal(hc.add(windows.T, windows[:1].T), windows.T.copy() + a[:100, None])


@pytest.mark.parametrize("value", [1.5, 3, hc.half(0.1), True])
def test_numbers_beside_strided_arrays(value):
    a = np.arange(5000, dtype=np.float16).view(hc.half).reshape(50, 100)
    b = np.ones((100, 50), hc.half)
    for array in (a.T, a[:, ::3], a[::-1], b.T):
        assert np.array_equal(hc.multiply(array, value), hc.multiply(array.copy(), value))
        assert np.array_equal(
            hc.fma(array, value, array.copy()), hc.fma(array.copy(), value, array.copy())
        )


def test_errors_equal_numpys():
    a = np.ones((3, 4), hc.half)
    with pytest.raises(ValueError, match="broadcast"):
        hc.add(a, a.T)
    with pytest.raises(ValueError, match="broadcast"):
        hc.add(a[:, ::2], a[:, ::2], out=np.empty((3, 3), hc.half))
    out = np.empty((4, 3), hc.half)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        hc.add(a.T, a.T, out=out)


def test_results_broadcast_into_outputs():
    a, out = np.ones((1, 4), hc.half)[:, ::2], np.zeros((3, 2), hc.half)
    hc.exp(a, out=out)
    assert np.array_equal(bits(out), bits(np.broadcast_to(hc.exp(a), (3, 2))))


@pytest.mark.parametrize("columns", [2, 3, 5, 40])
def test_broadcast_rows(columns):
    """One row is broadcast, where the last tile of each outer row has fewer elements of it."""
    memory = np.arange(4 * 5001 * columns, dtype=np.uint32) % 1000
    a = memory.astype(hc.half).reshape(4, 5001, columns)[:, :5000]
    row, column = np.arange(columns).astype(hc.half), np.arange(5000).astype(hc.half)[:, None]
    for b in (row, column):
        expected = hc.add(a.copy(), np.broadcast_to(b, a.shape).copy())
        assert np.array_equal(bits(hc.add(a, b)), bits(expected))


def test_empty_and_single_elements():
    assert hc.exp(np.ones((4, 0), hc.half).T).shape == (0, 4)
    assert hc.add(np.ones((1, 1), hc.half), np.ones(1, hc.half)[::-1]).tolist() == [[2.0]]


def test_flags_reach_errstate():
    a = np.full((40, 100), 60000, hc.half)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        hc.add(a.T, np.full((100, 40), 60000, hc.half))


# ---------------------------------------------------------------- NumPy's ufuncs on halves
#
# A redundant keyword, where=True, makes a call NumPy's own.

UFUNCS = [
    np.exp, np.add, np.divide, np.less, np.ldexp, np.frexp, np.divmod, np.logical_or, np.isnan,
    np.maximum, np.power, np.negative,
]  # fmt: skip


@one_in(2)
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda f: f.__name__)
def test_ufuncs_are_as_numpy_calls_them(ufunc):
    rng = np.random.default_rng(18)
    for _ in range(60):
        shape = random_shape(rng)
        arrays = [random_array(rng, broadcast_shape(rng, shape), hc.half)]
        while len(arrays) < ufunc.nin:
            dtype = np.dtype(np.int32 if ufunc is np.ldexp else hc.half)
            arrays.append(random_operand(rng, shape, dtype))
        if ufunc is not np.ldexp:
            rng.shuffle(arrays)
        results, raised = result_and_warnings(lambda arrays=arrays: ufunc(*arrays))
        expected, expected_raised = result_and_warnings(
            lambda arrays=arrays: ufunc(*arrays, where=True)
        )
        assert raised == expected_raised
        for result, right in zip(results, expected, strict=True):
            assert type(result) is np.ndarray and result.dtype == right.dtype
            assert result.strides == right.strides
            assert are_right(ufunc, result, right, arrays)


@in_turn
@pytest.mark.parametrize("other", [
    1.5, 3, True, 2049, 70000, 1e-9, hc.half(0.1), np.float16(0.1), np.float32(0.1), np.int64(3),
    1j, np.ones(20, np.float16), np.ones(20), np.ones(20, bool), [1.0] * 20, np.array(2.0),
    np.ones((2, 20), hc.half), np.ones(20, hc.half).astype(np.dtype(hc.half).newbyteorder()),
], ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', x)}")  # fmt: skip
@pytest.mark.parametrize("ufunc", [np.add, np.less, np.ldexp, np.power])
def test_other_types_beside_halves(ufunc, other):
    a = np.arange(20, dtype=np.float16).view(hc.half)
    for x in (a, a.reshape(1, 20), a[::-1], a[:1]):
        for arguments in ((x, other), (other, x)):
            try:
                expected, expected_raised = result_and_warnings(
                    lambda arguments=arguments: ufunc(*arguments, where=True)
                )
            except Exception as error:
                with pytest.raises(type(error)):
                    ufunc(*arguments)
                continue
            results, raised = result_and_warnings(lambda arguments=arguments: ufunc(*arguments))
            assert raised == expected_raised
            assert results[0].dtype == expected[0].dtype and type(results[0]) is type(expected[0])
            assert np.array_equal(results[0], expected[0], equal_nan=True)


class Override:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "overridden"


class Subclass(np.ndarray):
    pass


def test_overrides_and_subclasses_are_called():
    a = np.ones(5, hc.half)
    for call in (hc.add, np.add):
        assert call(a, Override()) == call(Override(), a) == "overridden"
        assert call(a, a, out=Override()) == "overridden"
        assert type(call(a, a.view(Subclass))) is Subclass
        out = np.empty(5, hc.half).view(Subclass)
        assert call(a, a, out=out) is out and np.all(out == 2)


def test_ufuncs_refuse_as_numpy_does():
    a = np.ones(5, hc.half)
    for arguments, keywords in (
        ((a,), {}), ((a, a, a, a), {}), ((a, a), {"rounding": "rtz"}), ((a, a), {"out": 1}),
        ((a, a[:3]), {}), ((a, a, a), {"out": a}), ((a, a), {"out": (a, a)}), ((a, "x"), {}),
        ((a, a), {"out": np.empty(5, np.int8)}), ((a, a), {"out": np.empty(3, hc.half)}),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            np.add(*arguments, **keywords)
    assert np.array_equal(np.add(a, a, where=[True] * 5, out=np.zeros(5, hc.half)), 2 * a)
    assert np.add(a, a, dtype=np.float64).dtype == np.float64
    assert np.add(np.float16(1), np.ones(3, np.float16)).dtype == np.float16


def test_ufuncs_see_regions():
    a = np.ones(5, hc.half)
    with hc.rounding("rtp"):
        assert np.array_equal(a + hc.half(2**-20), np.full(5, 1 + 2**-10))
        assert np.array_equal(
            a.reshape(5, 1)[::-1] + a * hc.half(2**-20), np.full((5, 5), 1 + 2**-10)
        )
        assert np.array_equal(np.exp(a), hc.exp(a, rounding="rte"))
    with hc.rounding("rtp", builtins=True):
        assert np.array_equal(np.exp(a), hc.exp(a, rounding="rtp"))


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda f: f.__name__)
def test_accelerated_ufuncs_are_as_numpy_calls_them(ufunc):
    rng = np.random.default_rng(19)
    with hc.accelerated():
        for _ in range(40):
            shape = random_shape(rng)
            arrays = [random_array(rng, broadcast_shape(rng, shape), np.float16)]
            while len(arrays) < ufunc.nin:
                dtype = np.dtype(np.int32 if ufunc is np.ldexp else np.float16)
                arrays.append(random_operand(rng, shape, dtype))
            if ufunc is not np.ldexp:
                rng.shuffle(arrays)
            counted = hc._core.kernels_run()
            results, raised = result_and_warnings(lambda arrays=arrays: ufunc(*arrays))
            expected, expected_raised = result_and_warnings(
                lambda arrays=arrays: ufunc(*arrays, where=True)
            )
            assert hc._core.kernels_run() == counted
            assert raised == expected_raised
            for result, right in zip(results, expected, strict=True):
                assert type(result) is np.ndarray and result.dtype == right.dtype
                assert steps(result) == steps(right)
                # With where=, NumPy's own loop may compute few elements, and its NaNs.
                are_nans = np.isnan(result) & np.isnan(right)
                assert are_nans[bits(result) != bits(right)].all()
    with np.errstate(all="ignore"):
        after = ufunc(*arrays)
    assert as_tuple(after)[0].dtype == as_tuple(expected)[0].dtype


@pytest.mark.parametrize("ufunc", [np.add, np.less, np.exp, np.logical_and, np.frexp])
def test_axes_of_one_element_have_numpys_strides(ufunc):
    """Their strides have no meaning, but NumPy's path for equal layouts decides them."""
    a = np.asfortranarray(np.ones((4, 3, 1), hc.half))
    for x in (a, np.ones((4, 3), hc.half).T[None], np.ones((1, 1, 5), hc.half).T):
        results = as_tuple(ufunc(*[x] * ufunc.nin))
        expected = as_tuple(ufunc(*[x.view(np.float16)] * ufunc.nin))
        assert [y.strides for y in results] == [y.strides for y in expected]
    for y in (np.ones((3, 1), hc.half), np.ones((1, 3), hc.half)):
        if ufunc.nin == 2:
            expected = ufunc(y.view(np.float16)[None], y.view(np.float16))
            assert ufunc(y[None], y).strides == expected.strides


@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum, np.add])
def test_outputs_by_position_warn_as_numpys(ufunc):
    warned_of = []
    for dtype in (hc.half, np.float16):
        a = np.ones(5, dtype)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            out = np.zeros(5, dtype)
            assert ufunc(a, a, out) is out and np.all(out == ufunc(a, a))
        warned_of.append([(w.category, str(w.message)) for w in caught])
    assert warned_of[0] == warned_of[1]


@pytest.mark.parametrize("arguments", [
    (1.0, "x"), (np.ones(3), np.ones(4)), (np.ones(3, hc.half), np.ones(4, hc.half)),
    (np.ones(3, hc.half), "x"), (np.ones(3, hc.half),),
])  # fmt: skip
def test_numpys_errors_have_no_frames_of_halfcl(arguments):
    with pytest.raises((TypeError, ValueError)) as caught:
        np.add(*arguments)
    frames = traceback.extract_tb(caught.tb)
    assert frames[-1].name == "test_numpys_errors_have_no_frames_of_halfcl"


def test_accelerated_results_keep_metadata():
    dtype = np.dtype(np.float16, metadata={"unit": "m"})
    a = np.ones((60, 50), dtype)
    plain = np.ones((60, 50), np.float16)
    calls = [
        lambda: np.add(a, a), lambda: np.exp(a), lambda: np.add(a, plain),
        lambda: np.add(plain, a), lambda: np.add(a.T, a.T[::-1]), lambda: np.less(a, a),
    ]  # fmt: skip
    expected = [call().dtype.metadata for call in calls]
    assert {"unit": "m"} in expected
    with hc.accelerated():
        assert [call().dtype.metadata for call in calls] == expected


def test_more_elements_than_numbers_are_refused_as_numpys():
    one = np.ones(1, hc.half)
    for rows, columns in ((1 << 40, 1 << 40), (1 << 32, 1 << 32), ((1 << 33) + 1, 1 << 32)):
        a = np.lib.stride_tricks.as_strided(one, (rows, 1), (0, 0))
        b = np.lib.stride_tricks.as_strided(one, (columns,), (0,))
        for call in (hc.add, np.add):
            with pytest.raises(ValueError, match="iterator is too large"):
                call(a, b)


def test_strided_calls_need_little_stack():
    """This runs in a process of its own, which an overflow would end.

    Arm's smallest stack is 128 kB.
    """
    code = """
import os, threading, numpy, halfcl
def calculate():
    a = numpy.ones((300, 300), halfcl.half)
    a.T + a, halfcl.fma(a.T, a, a[::-1]), numpy.frexp(a[:, ::3])
    print("done")
least = os.sysconf("SC_THREAD_STACK_MIN") if hasattr(os, "sysconf") else 0
threading.stack_size(max(96 << 10, least))
thread = threading.Thread(target=calculate)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "done", done.stderr


# ---------------------------------------------------------------- masks of pictures


def pictures(rng: np.random.Generator, channels: int):
    """Yield pictures of random halves: in one piece, strided, cropped, channel first."""
    memory = rng.standard_normal((80, 120, 5)).astype(np.float16).view(hc.half)
    yield memory[..., :channels].copy()
    yield memory[::2, ::2, :channels]
    yield memory[..., :channels]
    yield memory[..., :channels].copy().transpose(2, 0, 1)


@in_turn
@pytest.mark.parametrize("ufunc", [np.multiply, np.subtract, np.less, np.power])
@pytest.mark.parametrize("integers", ["?", "b", "B"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_masks_are_converted_within_one_run(channels, integers, ufunc):
    rng = np.random.default_rng(20)
    for picture in pictures(rng, channels):
        shape = picture.shape
        masks = [rng.integers(0, 2, tuple(n if k in axes else 1 for k, n in enumerate(shape)))
                 for axes in ((0, 1, 2), (0, 1), (0, 2), (1, 2), (2,))]  # fmt: skip
        for mask in (mask.astype(integers) for mask in masks):
            for arrays in ((picture, mask), (mask, picture)):
                out = np.empty(shape, bool if ufunc is np.less else hc.half)
                expected, _ = one_by_one(ufunc, [x.astype(hc.half) for x in arrays])
                counted = hc._core.kernels_run()
                tracemalloc.start()
                results, _ = result_and_warnings(lambda arrays=arrays, out=out: ufunc(*arrays, out))
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                assert results[0] is out and hc._core.kernels_run() - counted == (
                    ufunc is not np.less
                )
                assert peak < 8192
                assert np.array_equal(bits(out), bits(expected[0]))


@pytest.mark.parametrize("kind", [hc.half, np.float16])
def test_masks_in_place(kind):
    rng = np.random.default_rng(21)
    picture = rng.standard_normal((30, 20, 3)).astype(kind)
    mask = rng.integers(0, 2, (30, 20, 1)).astype(bool)
    expected = picture * mask.astype(kind)
    with hc.accelerated():
        picture *= mask
    assert picture.dtype == kind and np.array_equal(bits(picture), bits(expected))


def test_masks_in_memory_of_output():
    memory = np.arange(96, dtype=np.float16).view(hc.half).reshape(8, 4, 3)
    mask = memory.view(np.uint8)[..., :1]
    expected = memory * mask.astype(hc.half)
    np.multiply(memory, mask, out=memory)
    assert np.array_equal(bits(memory), bits(expected))


# ---------------------------------------------------------------- where=


@one_in(2)
@pytest.mark.parametrize("ufunc", [np.multiply, np.divide, np.less, np.power, np.sqrt])
@pytest.mark.parametrize("kind", [hc.half, np.float16])
def test_only_selected_elements_are_computed(kind, ufunc):
    rng = np.random.default_rng(22)
    for _ in range(40):
        shape = random_shape(rng)
        out = random_array(rng, shape, bool if ufunc is np.less else kind)
        arrays = [random_array(rng, shape, kind)]
        while len(arrays) < ufunc.nin:
            arrays.append(random_operand(rng, shape, kind))
        where = random_array(rng, broadcast_shape(rng, shape), bool)
        chosen = np.broadcast_to(where, shape) != 0
        expected = out.copy()
        right, expected_raised = one_by_one(
            ufunc, [x[chosen].astype(hc.half) for x in np.broadcast_arrays(*arrays)]
        )
        expected[chosen] = right[0].view(expected.dtype)
        with hc.accelerated():
            counted = hc._core.kernels_run()
            _, raised = result_and_warnings(
                lambda arrays=arrays, out=out, where=where: ufunc(*arrays, out=out, where=where)
            )
        if kind is hc.half and ufunc is not np.less and out.flags.aligned and chosen.size:
            aligned = all(x.flags.aligned for x in (*arrays, where))
            assert hc._core.kernels_run() - counted == 1 or not aligned
        assert raised == expected_raised
        if kind is np.float16:  # NumPy computes unaligned ones, and its NaNs may have other bits
            out[np.isnan(out)] = np.nan
            expected[np.isnan(expected)] = np.nan
        assert are_right(ufunc, out, expected, arrays)


@pytest.mark.parametrize("kind", [hc.half, np.float16])
def test_selected_elements_in_place(kind):
    rng = np.random.default_rng(23)
    picture = rng.standard_normal((30, 20, 3)).astype(kind)
    where, gain = rng.random((30, 20, 1)) < 0.5, rng.standard_normal(3).astype(kind)
    expected = np.where(where, picture * gain, picture)
    with hc.accelerated():
        assert np.multiply(picture, gain, out=picture, where=where) is picture
    assert np.array_equal(bits(picture), bits(expected))
    before = picture.copy()
    np.multiply(picture, gain, out=picture, where=np.zeros((20, 1), bool))
    assert np.array_equal(bits(picture), bits(before))
    for wrong in (np.ones((30, 7, 1), bool), np.ones((2, 30, 20, 3), bool)):
        with pytest.raises(ValueError, match="broadcast"):
            np.multiply(picture, gain, out=picture, where=wrong)


def selected_without_out(ufunc, arrays, where, **out):
    """Return the selected results, the layout of all, and what was warned."""
    chosen = np.broadcast_to(where, np.broadcast_shapes(*(np.shape(x) for x in arrays)))
    results, raised = result_and_warnings(lambda: ufunc(*arrays, where=where, **out))
    got = results[0]
    return got[chosen], (got.shape, steps(got), got.dtype), raised


@one_in(2)
@in_turn
@pytest.mark.parametrize("ufunc", [np.add, np.divide, np.less, np.power, np.sqrt])
@pytest.mark.parametrize("kind", [hc.half, np.float16])
@pytest.mark.parametrize("out", [{}, {"out": None}])
def test_selected_results_without_out(kind, ufunc, out):
    """NumPy's warning, where its version has one, comes with calls that do not name out."""
    rng = np.random.default_rng(24)
    for _ in range(40):
        shape = random_shape(rng)
        arrays = [random_array(rng, shape, kind)]
        while len(arrays) < ufunc.nin:
            arrays.append(random_operand(rng, shape, kind))
        where = random_array(rng, broadcast_shape(rng, shape), bool)
        plain = [x.astype(np.float16) if isinstance(x, np.ndarray) else float(x) for x in arrays]
        _, layout, announced = selected_without_out(ufunc, plain, where, **out)
        chosen = np.broadcast_to(where, shape) != 0
        right, expected_raised = one_by_one(
            ufunc, [x[chosen].astype(hc.half) for x in np.broadcast_arrays(*arrays)]
        )
        announced = {text for text in announced if text.startswith("'where'")} | expected_raised
        with hc.accelerated():
            counted = hc._core.kernels_run()
            got, own_layout, raised = selected_without_out(ufunc, arrays, where, **out)
        if kind is hc.half and ufunc is not np.less and is_in_rows(*arrays, where):
            assert hc._core.kernels_run() - counted == 1
        assert raised == announced
        assert own_layout[:2] == layout[:2]
        assert own_layout[2] == (bool if ufunc is np.less else kind)
        assert np.array_equal(got.astype(float), right[0].astype(float), equal_nan=True)


def is_in_rows(*arrays):
    """Return whether arrays have elements, and lie in C order without gaps, aligned."""
    return all(x.flags.c_contiguous and x.flags.aligned and x.size and x.ndim for x in arrays)


def test_warning_of_where_may_be_an_error():
    a, mask = np.ones(5, hc.half), np.ones(5, bool)
    _, announced = result_and_warnings(lambda: np.add(np.ones(5), 1, where=mask))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if announced:
            with pytest.raises(UserWarning, match="where"):
                np.add(a, a, where=mask)
        assert np.array_equal(np.add(a, a, where=mask, out=None), 2 * a)


# ---------------------------------------------------------------- reductions in steps


IN_STEPS = [
    np.divide, np.hypot, np.logaddexp, np.logaddexp2, np.power, np.arctan2, np.fmod,
    np.remainder, np.floor_divide, np.copysign, np.nextafter, np.heaviside,
]  # fmt: skip


@pytest.mark.parametrize("ufunc", IN_STEPS)
@pytest.mark.parametrize("kind", [hc.half, np.float16])
@pytest.mark.parametrize("mode", ["rte", "rtp"])
def test_lines_are_reduced_as_by_numpy(ufunc, kind, mode):
    """keepdims, which changes nothing but the shape, makes a reduction NumPy's own."""
    rng = np.random.default_rng(25)
    for n in (1, 2, 3, 17, 20000):
        line = random_array(rng, (n,), kind)
        if n == 17:
            line = rng.uniform(0.5, 2, n).astype(kind)
        with hc.accelerated(), hc.rounding(mode, builtins=True):
            right, expected_raised = result_and_warnings(
                lambda x=line: ufunc.reduce(x, keepdims=True)
            )
            got, raised = result_and_warnings(lambda x=line: ufunc.reduce(x))
        assert type(got[0]) is kind
        assert np.isnan(got[0]) == np.isnan(right[0][0])
        assert np.isnan(got[0]) or bits(np.array(got[0])) == bits(right[0])
        assert raised == expected_raised


def test_lines_reduced_in_steps_raise_as_others():
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="in reduce"):
        np.divide.reduce(np.array([1, 0], hc.half))
    with pytest.raises(ValueError, match="no identity"):
        np.divide.reduce(np.array([], hc.half))
