"""Calls with arrays of other libraries return the host's bits, as arrays of the library."""

import itertools

import numpy as np
import pytest
from array_libraries import LACKING
from exhaustive import either, in_modes, shared_out

import halfcl as hc
from halfcl.reductions import Accumulator

RNG = np.random.default_rng(20)
HALVES = RNG.integers(0, 1 << 16, 60, np.uint16).view(np.float16)
OTHERS = RNG.integers(0, 1 << 16, 60, np.uint16).view(np.float16)
SMALL = RNG.uniform(-4, 4, 60).astype(np.float16)
INTEGERS = RNG.integers(-20, 20, 60).astype(np.int32)

#: Functions of each shape of operands and results, by their operands.
CALLS = {
    "exp": (HALVES,), "sqrt": (HALVES,), "rint": (SMALL,), "negative": (HALVES,),
    "add": (HALVES, OTHERS), "divide": (SMALL, OTHERS), "pow": (SMALL, OTHERS),
    "atan2": (HALVES, OTHERS), "fmax": (HALVES, OTHERS), "fma": (SMALL, OTHERS, SMALL[::-1]),
    "ldexp": (HALVES, INTEGERS), "ilogb": (HALVES,), "isless": (HALVES, OTHERS),
    "isnan": (HALVES,), "sincos": (SMALL,), "frexp": (HALVES,), "modf": (SMALL,),
    "remquo": (SMALL, OTHERS), "mix": (SMALL, OTHERS, SMALL), "convert_int_sat": (HALVES,),
    "to_unorm8": (SMALL,), "logb": (HALVES,),
}  # fmt: skip


def same(got, right):
    """Return whether bits are equal, with all NaNs alike and halves of either type."""
    one, other = np.asarray(got), np.asarray(right)
    if other.dtype.itemsize == 2 and other.dtype.kind not in "iu":
        one, other = one.view(np.float16), other.view(np.float16)
    assert one.dtype == other.dtype and one.shape == other.shape
    if other.dtype.kind == "f":
        bits = f"u{other.dtype.itemsize}"
        return bool(
            np.all((one.view(bits) == other.view(bits)) | (np.isnan(one) & np.isnan(other)))
        )
    return bool((one == other).all())


def check(library, name, operands, **keywords):
    with np.errstate(all="ignore"):
        right = getattr(hc, name)(*operands, **keywords)
        inputs = [library.to(x) if isinstance(x, np.ndarray) else x for x in operands]
        got = getattr(hc, name)(*inputs, **keywords)
    pairs = zip(*((x if isinstance(x, tuple) else (x,)) for x in (got, right)), strict=True)
    for one, other in pairs:
        assert isinstance(one, library.array)
        assert same(library.back(one), other)


def test_report_of_missing_libraries():
    """Report which libraries the other tests were not run with."""
    if LACKING:
        pytest.skip("; ".join(f"{name}: {why}" for name, why in LACKING.items()))


@shared_out
@pytest.mark.parametrize(("name", "mode"), in_modes(CALLS, hc.MODES))
def test_functions_in_modes(library, name, mode):
    """Try division in all modes, others in one: a device's compiler takes long for each."""
    modes = hc.MODES if name == "divide" else (mode,)
    for one in (None, *modes):
        check(library, name, CALLS[name], rounding=one)


@pytest.mark.parametrize("mode", hc.MODES)
def test_functions_in_regions(library, mode):
    """Operators round in the region's mode, other functions only if it says so."""
    with hc.rounding(mode):
        check(library, "divide", (SMALL, OTHERS))
        check(library, "multiply", (SMALL, 0.1))
        check(library, "exp", (SMALL,))
        check(library, "pow", (np.abs(SMALL), 0.1))
    with hc.rounding(mode, builtins=True):
        check(library, "exp", (SMALL,))


@pytest.mark.parametrize("mode", hc.MODES)
def test_operators_with_numbers(library, mode):
    for x, y in itertools.permutations((SMALL, 0.1)):
        check(library, "add", (x, y), rounding=mode)
    for y in (3, True, np.float16(0.5), hc.half(0.3), np.array(0.25, hc.half)):
        check(library, "multiply", (SMALL, y), rounding=mode)
    check(library, "fma", (SMALL, 0.1, 1 / 3), rounding=mode)


def test_arrays_of_modes(library):
    """The host accepts arrays of modes; a device refuses them by name."""
    modes = np.array(hc.MODES * 15)
    if type(library).__name__ in ("TorchHost", "Jax"):
        check(library, "divide", (SMALL, 3), rounding=modes)
        check(library, "exp", (SMALL,), rounding=modes)
        return
    with pytest.raises(ValueError, match="rounding: expected one mode on a device, got an array"):
        hc.divide(library.to(SMALL), 3, rounding=modes)


def test_broadcast_shapes(library):
    rows, column = SMALL.reshape(12, 5), OTHERS[:12].reshape(12, 1)
    for x, y in ((rows, column), (rows, rows[:1]), (column, rows[0]), (rows[0:0], rows[0])):
        check(library, "add", (x, y))
    check(library, "exp", (SMALL.reshape(3, 4, 5),))
    check(library, "exp", (SMALL[:1].reshape(()),))
    check(library, "exp", (SMALL[:0],))


def test_transposed_and_strided_arrays(library):
    if library.array.__name__ == "ArrayImpl" or "jax" in library.device_name:
        pytest.skip("JAX's arrays lie one way")
    x = library.to(SMALL.reshape(12, 5))
    if "torch" in library.device_name:
        turned, every = x.T, x[::2, 1::2]
    elif "pyopencl" in library.device_name:
        turned, every = x.transpose(), x[::2, 1::2]
    else:
        turned, every = library.cupy.moveaxis(x, 0, 1), x[::2, 1::2]
    host = SMALL.reshape(12, 5)
    assert same(library.back(hc.exp(turned)), hc.exp(host.T))
    assert same(library.back(hc.exp(every)), hc.exp(host[::2, 1::2]))
    apart, straight = host[::2, 1::2], library.to(SMALL.reshape(5, 12))
    assert same(library.back(hc.add(every, every)), hc.add(apart, apart))
    with np.errstate(all="ignore"):
        for one, other, a, b in (
            (turned, turned, host.T, host.T), (turned, 0.3, host.T, 0.3), (0.3, every, 0.3, apart),
            (turned, straight, host.T, SMALL.reshape(5, 12)), (every, every[0], apart, apart[0]),
        ):  # fmt: skip
            got = hc.divide(one, other, rounding="rtn")
            assert same(library.back(got), hc.divide(a, b, rounding="rtn"))
        for got, right in zip(hc.modf(turned), hc.modf(host.T), strict=True):
            assert same(library.back(got), right)


def test_ufunc_out(library):
    if "jax" in library.device_name:
        with pytest.raises(TypeError, match="exp: out: expected None, since these arrays cannot"):
            hc.exp(library.to(SMALL), out=library.to(SMALL))
        return
    x, out = library.to(SMALL), library.to(np.zeros(60, np.float16))
    assert hc.exp(x, out=out, rounding="rtp") is out
    assert same(library.back(out), hc.exp(SMALL, rounding="rtp"))
    assert hc.exp(x, out) is out
    assert hc.exp(1.0, out=out) is out
    assert same(library.back(out), np.full(60, hc.exp(hc.half(1))))
    second = library.to(np.zeros(60, np.float16))
    results = hc.modf(x, out=(out, second))
    assert results[0] is out and results[1] is second
    assert same(library.back(second), hc.modf(SMALL)[1])
    one, other = hc.modf(x, out=(None, second))
    assert other is second and same(library.back(one), hc.modf(SMALL)[0])
    hc.negative(x, out=x)
    assert same(library.back(x), -SMALL)


def test_ufunc_where(library):
    if "jax" in library.device_name:
        pytest.skip("JAX's arrays are not written to")
    mask = SMALL > 0
    for there in (mask, mask.reshape(60, 1)):
        shape = np.broadcast_shapes(there.shape, (60,))
        out, right = library.to(np.zeros(shape, np.float16)), np.zeros(shape, np.float16)
        got = hc.multiply(library.to(SMALL), 3, out=out, where=library.to(there))
        hc.multiply(SMALL, 3, out=right, where=there)
        assert got is out and same(library.back(out), right)
    out = library.to(np.zeros(60, np.float16))
    hc.exp(library.to(SMALL), out=out, where=False)
    assert not library.back(out).any()
    with pytest.raises((TypeError, ValueError)):
        hc.exp(library.to(SMALL), out=out, where=library.to(SMALL))


@pytest.mark.filterwarnings("ignore:Non-empty compiler output")  # NVIDIA's, of pyopencl's kernels
def test_masks_that_do_not_fit(library):
    """They are refused before anything is read or written, by numbers and select, too."""
    if "jax" in library.device_name:
        pytest.skip("JAX's arrays are not written to")
    x, short = library.to(SMALL), library.to(SMALL[:7] > 0)
    out = library.to(np.zeros(60, np.float16))
    for call in (
        lambda: hc.exp(x, out=out, where=short),
        lambda: hc.exp(1.0, out=out, where=short),
        lambda: hc.select(x, x, library.to(SMALL > 0), out=out, where=short),
        lambda: hc.sum(x, where=short),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (
        lambda: hc.select(x, x, library.to(SMALL > 0), out=library.to(INTEGERS.astype(np.int16))),
        lambda: hc.bitselect(x, x, x, out=library.to(INTEGERS.astype(np.int16))),
        lambda: hc.select(x, x, library.to(SMALL > 0), out=out, where=x),
    ):
        with pytest.raises(TypeError):
            call()
    assert not library.back(out).any()


@shared_out
def test_vector_functions(library):
    for width, mode in in_modes((2, 3, 4, 8), hc.MODES):
        x, y = SMALL[: 7 * width].reshape(7, width), OTHERS[: 7 * width].reshape(7, width)
        check(library, "dot", (x, y), rounding=mode)
        check(library, "length", (x,), rounding=mode)
        check(library, "normalize", (x,), rounding=mode)
    check(library, "cross", (SMALL[:30].reshape(10, 3), OTHERS[:30].reshape(10, 3)))
    check(library, "length", (SMALL.reshape(15, 4),), keepdims=True)
    check(library, "length", (SMALL.reshape(4, 15),), axis=0)
    check(library, "normalize", (SMALL.reshape(3, 4, 5),), axis=1)


def test_conversions(library):
    for dtype in ("char", np.uint8, np.int16, "int", "half", np.float16, "float"):
        check(library, "convert", (SMALL,), dtype=dtype)
    for mode in hc.MODES:
        check(library, "convert", (SMALL,), dtype="int", rounding=mode, saturate=True)
        check(library, "convert", (INTEGERS * 1001,), dtype=hc.half, rounding=mode)
        check(library, "convert", (INTEGERS.astype(np.float32) / 7,), dtype="half", rounding=mode)
    check(library, "as_ushort", (SMALL,))
    check(library, "convert_int4_sat_rtp", (SMALL.reshape(15, 4),))
    with pytest.raises(ValueError, match="convert_int4: argument x: expected a last axis of"):
        hc.convert_int4(library.to(SMALL.reshape(12, 5)))


# pyopencl compares c with 0, and warns of what NVIDIA's compiler remarks.
@pytest.mark.filterwarnings("ignore:Non-empty compiler output")
def test_select_and_bitselect(library):
    mask = SMALL > 0
    check(library, "select", (SMALL, OTHERS, mask))
    check(library, "select", (SMALL, 0.25, mask.astype(np.int16)))
    check(library, "bitselect", (SMALL, OTHERS, INTEGERS.astype(np.uint16)))


@pytest.mark.filterwarnings("ignore:Non-empty compiler output")
def test_any_and_all(library):
    """any and all of integers and bool, along axes, and of empty arrays."""
    refuse_stand_in(library)
    some = INTEGERS.reshape(3, 4, 5) * (RNG.random((3, 4, 5)) < 0.3)
    for x in (some, some != 0, some.astype(np.int8), np.ones((2, 3), np.uint16), some[:0] != 0,
              np.full(70000, 1, np.uint8), np.zeros(9, np.int32)):  # fmt: skip
        for name in ("any", "all"):
            for axis in (None, 0, -1) if x.ndim > 1 else (None,):
                check(library, name, (x,), axis=axis, keepdims=axis == 0)
        check(library, "any", (x,), axis=())
    for name in ("any", "all"):
        with pytest.raises(
            TypeError, match=f"{name}: argument x: expected bool or integers, got f"
        ):
            getattr(hc, name)(library.to(SMALL))
        with pytest.raises(IndexError):
            getattr(hc, name)(library.to(INTEGERS), axis=1)


def test_outer(library):
    x, y = library.to(SMALL[:7]), library.to(OTHERS[:5])
    assert same(library.back(hc.add.outer(x, y)), hc.add.outer(SMALL[:7], OTHERS[:5]))
    with pytest.raises(
        TypeError, match=r"add\.reduce: expected NumPy arrays, got .*; use halfcl\.sum"
    ):
        hc.add.reduce(x)


# ---------------------------------------------------------------- reductions


STATISTICS = ("sum", "mean", "var", "std", "sumsq", "norm", "prod")
AXES = (0, 1, -1, (0, 1), ())


@shared_out
@pytest.mark.parametrize(("name", "mode"), in_modes(STATISTICS, hc.MODES))
def test_reductions(library, name, mode):
    refuse_stand_in(library)
    x = SMALL.reshape(3, 4, 5)
    for one in hc.MODES if name == "sum" else (mode,):
        check(library, name, (x,), rounding=one)
        check(library, name, (x,), axis=(0, 2), rounding=one)
    turn = STATISTICS.index(name) % len(AXES)  # each axis is a kernel to build
    for axis in AXES if name == "sum" else either(AXES, AXES[turn : turn + 1]):
        check(library, name, (x,), axis=axis, keepdims=axis == 0)
    check(library, name, (x,), dtype=np.float32)
    if name in ("sum", "mean"):
        check(library, name, (HALVES,))
    with hc.rounding("rtp"):
        check(library, name, (x,), axis=1)


def test_vdot(library):
    refuse_stand_in(library)
    for mode in hc.MODES:
        check(library, "vdot", (SMALL, OTHERS), rounding=mode)
        check(library, "vdot", (SMALL, SMALL[::-1].copy()), rounding=mode)


def test_matmul(library):
    refuse_stand_in(library)
    x, y = SMALL.reshape(12, 5), OTHERS.reshape(5, 12)
    for mode in hc.MODES:
        check(library, "matmul", (x, y), rounding=mode)
        check(library, "matmul", (x[0], y), rounding=mode)
    check(library, "matmul", (SMALL.reshape(2, 6, 5), y))
    with hc.rounding("rtp"):
        check(library, "matmul", (x, y))
    if "jax" in library.device_name:
        return
    out = library.to(np.zeros((12, 12), np.float16))
    with np.errstate(all="ignore"):
        assert hc.matmul(library.to(x), library.to(y), out=out) is out
        assert same(library.back(out), hc.matmul(x, y))


def test_cumsum(library):
    refuse_stand_in(library)
    x = SMALL.reshape(3, 4, 5)
    for mode in hc.MODES:
        for axis in (None, 0, 1, -1):
            check(library, "cumsum", (x,), axis=axis, rounding=mode)
    check(library, "cumsum", (x,), axis=1, dtype=np.float32)
    check(library, "cumsum", (HALVES,))


def test_where_and_out_of_reductions(library):
    refuse_stand_in(library)
    if "jax" in library.device_name:
        pytest.skip("JAX's arrays are not written to")
    rows, mask = SMALL.reshape(12, 5), SMALL.reshape(12, 5) > 0
    out = library.to(np.zeros(12, np.float16))
    result = hc.sum(library.to(rows), axis=1, out=out, where=library.to(mask))
    assert result is out
    assert same(library.back(out), hc.sum(rows, axis=1, where=mask))


@shared_out
def test_accumulators_cross_machines(library):
    """Accumulators of a device and of the host merge to the same bits."""
    refuse_stand_in(library)
    rows, others = SMALL.reshape(12, 5), OTHERS.reshape(12, 5)
    for statistic, axis in in_modes(STATISTICS, (None, 0, 1)):
        here = Accumulator(statistic, axis).add(rows)
        there = Accumulator(statistic, axis).add(library.to(rows))
        assert there.to_bytes() == here.to_bytes() or statistic == "prod"  # within 2^-100
        both = Accumulator(statistic, axis).add(others).merge(there)
        right = Accumulator(statistic, axis).add(rows).add(others)
        with np.errstate(all="ignore"):
            assert same(both.result(), right.result())
    turned = rows[::-1].copy()
    there = Accumulator("dot").add(library.to(rows), library.to(turned))
    assert there.to_bytes() == Accumulator("dot").add(rows, turned).to_bytes()
    if "pyopencl" in library.device_name:  # whose arrays may be of half
        halves = Accumulator("sum").add(library.to(rows.view(hc.half)))
        assert halves.result().dtype == hc.half
    masked = Accumulator("sum").add(library.to(rows), where=library.to(rows > 0))
    assert masked.result() == hc.sum(rows, where=rows > 0)


def refuse_stand_in(library):
    if library.array.__module__ == "cupy" and not hasattr(library.cupy, "show_config"):
        pytest.skip("what stands for CuPy runs no reductions")


# ---------------------------------------------------------------- refusals


def test_arrays_of_two_libraries_are_refused(library):
    x = library.to(SMALL)
    with pytest.raises(TypeError) as info:
        hc.add(x, SMALL)
    with pytest.raises(TypeError, match=r"Accumulator\.add: expected arrays of one library"):
        Accumulator("dot").add(x, SMALL)
    assert library.device_name in str(info.value) and "numpy.ndarray on the host" in str(info.value)
    assert str(info.value).startswith("add: expected arrays of one library on one device, got ")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: hc.exp(x, rounding="up"), ValueError),
        (lambda x: hc.exp(x, x, x), TypeError),
        (lambda x: hc.add(x), TypeError),
        (lambda x: hc.add(x, "1"), TypeError),
        (lambda x: hc.add(x, None), TypeError),
        (lambda x: hc.add(x, x.reshape(5, 12)), ValueError),
        (lambda x: hc.exp(x, dtype="f4"), TypeError),
        (lambda x: hc.exp(x, nonsense=1), TypeError),
        (lambda x: hc.exp(x, out=()), (TypeError, ValueError)),
        (lambda x: hc.exp(x, out=np.empty(60, np.float16)), TypeError),
        (lambda x: hc.convert(x, "nonsense"), TypeError),
        (lambda x: hc.convert(x, "half", saturate=True), ValueError),
        (lambda x: hc.length(x, axis=3), np.exceptions.AxisError),
        (lambda x: hc.shuffle(x, np.array([0])), TypeError),
    ],
)
def test_wrong_arguments_are_refused(library, call, error):
    with pytest.raises(error):
        call(library.to(SMALL))
