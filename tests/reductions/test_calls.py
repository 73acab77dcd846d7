"""Tests of calls of reductions: layouts, masks, outputs and keywords, against accumulators."""

import timeit

import numpy as np
import pytest
from exhaustive import in_turn

import halfcl as hc
from halfcl.reductions import Accumulator

OF_ONE = ("sum", "prod", "mean", "var", "std", "sumsq", "norm")
COUNTED = ("mean", "var", "std")
DTYPES = (None, hc.half, np.float16, np.float32, "f8")


def halves(shape, dtype=hc.half, seed=1):
    """Return halves near 1 and -1, whose products do not overflow."""
    rng = np.random.default_rng(seed)
    x = np.exp2(rng.normal(size=shape) / 8) * rng.choice([-1, 1], shape)
    return np.asarray(x).astype(np.float16).view(dtype)


class Derived(np.ndarray):
    pass


def are_identical(x, y):
    """Return whether two arrays or scalars have the same type and bits."""
    return type(x) is type(y) and x.dtype == y.dtype and x.shape == y.shape and (
        np.ascontiguousarray(x).tobytes() == np.ascontiguousarray(y).tobytes()
    )  # fmt: skip


def accumulate(statistic, arrays, axis, keepdims=False, where=True, **options):
    """Return a reduction by an accumulator, whose code differs: states lie in arrays."""
    return Accumulator(statistic, axis, keepdims).add(*arrays, where=where).result(**options)


#: Memory layouts of an array of three axes.
LAYOUTS = {
    "in one piece": lambda x: x,
    "Fortran's": np.asfortranarray,
    "transposed": lambda x: x.transpose(2, 0, 1).copy().transpose(1, 2, 0),
    "backwards": lambda x: x[::-1, :, ::-1].copy()[::-1, :, ::-1],
    "every other": lambda x: np.repeat(x, 2, axis=2)[:, :, ::2],
    "unaligned": lambda x: (
        np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)
    ),
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "derived": lambda x: x.view(Derived),
}


@in_turn
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [hc.half, np.float16])
@pytest.mark.parametrize("name", OF_ONE)
def test_layouts_of_arrays(name, dtype, layout):
    x = halves((4, 3, 5), dtype)
    laid = LAYOUTS[layout](x)
    for axis in (None, 0, -1, (0, 2), (1, 2), ()):
        for keepdims in (False, True):
            if name in COUNTED and name != "mean" and axis == ():
                continue
            for kind in DTYPES:
                result = getattr(hc, name)(laid, axis, dtype=kind, keepdims=keepdims)
                assert are_identical(result, accumulate(name, (x,), axis, keepdims, dtype=kind))


@in_turn
@pytest.mark.parametrize("name", OF_ONE)
@pytest.mark.parametrize("layout", ["in one piece", "Fortran's", "backwards", "every other"])
def test_shapes_and_layouts_of_masks(name, layout):
    x = halves((40, 3, 50))
    truths = np.random.default_rng(2).random(x.shape) < 0.7
    for where in (truths, truths[0], truths[:, :, :1], np.asfortranarray(truths), truths[3, 2]):
        laid = LAYOUTS[layout](np.broadcast_to(where, x.shape))
        for axis in (None, 0, 2, (0, 1)):
            if not np.broadcast_to(where, x.shape).any(axis).all():
                continue
            result = getattr(hc, name)(x, axis, where=laid, rounding="rtp")
            assert are_identical(result, accumulate(name, (x,), axis, where=where, rounding="rtp"))
            result = getattr(hc, name)(x, axis, where=where, dtype="f4")
            assert are_identical(result, accumulate(name, (x,), axis, where=where, dtype="f4"))


@pytest.mark.parametrize(
    "shapes", [((10,), (10,)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 3, 4), (3, 1)), ((), (5,))],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("dtypes", [(hc.half, hc.half), (np.float16, hc.half), ("f2", "f2")])
def test_products_of_arrays_that_broadcast(shapes, dtypes):
    a, b = (halves(*pair, seed=i) for i, pair in enumerate(zip(shapes, dtypes, strict=True)))
    for axis in (None, 0, -1):
        for mode in ("rtn", "rtp"):
            result = hc.vdot(a, b, axis, rounding=mode)
            assert are_identical(result, accumulate("dot", (a, b), axis, rounding=mode))


def test_too_many_products_are_refused():
    one = halves(())
    for m, n in ((2**32 + 1, 2**32 - 1), (2**40, 2**40), (2**61, 3)):
        a, b = np.broadcast_to(one, (m, 1)), np.broadcast_to(one, (1, n))
        for axis in (None, 0, ()):
            with pytest.raises(ValueError, match="argument b: expected a shape that broadcasts"):
                hc.vdot(a, b, axis)


@pytest.mark.parametrize("name", ["var", "std"])
def test_degrees_of_freedom(name):
    x = halves((6, 7))
    for ddof in (0, 1, 5, -3):
        for axis in (None, 0, 1):
            result = getattr(hc, name)(x, axis, ddof=ddof)
            assert are_identical(result, accumulate(name, (x,), axis, ddof=ddof))
    for ddof in (6, 7, 2**31 - 1):  # at least the number of elements
        with (
            pytest.warns(RuntimeWarning, match="Degrees of freedom") as caught,
            np.errstate(all="ignore"),
        ):
            getattr(hc, name)(x, 0, ddof=ddof)
        assert caught[0].filename == __file__
    with pytest.raises(ValueError, match="argument ddof: expected -2"):
        getattr(hc, name)(x, ddof=2**31)


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("initial", [0, -0.0, 1.5, 3, 2**-30, 1e9, float("nan")])
def test_initial_is_one_more_element(name, initial):
    x = halves((6, 7))
    with np.errstate(all="ignore"):
        for axis in (None, 0):
            result = getattr(hc, name)(x, axis, initial=initial, rounding="rtp")
            more = Accumulator(name, axis).add(x).start_from(hc.half(initial, rounding="rtp"))
            assert are_identical(result, more.result(rounding="rtp"))


@pytest.mark.parametrize("results", [3, 20_000])
def test_initial_overflows_once(results):
    raised = []
    with np.errstate(over="call", call=lambda error, flags: raised.append(error)):
        hc.prod(np.zeros((results, 2), hc.half), 1, initial=1e9, rounding="rtz")
    assert raised == ["overflow"]


@pytest.mark.parametrize("dtype", [hc.half, np.float16, np.float32])
def test_results_are_written_to_out(dtype):
    x = halves((5, 5))
    for axis, out in ((None, np.empty((), dtype)), (0, np.empty(10, dtype)[::2])):
        for argument in (out, (out,)):
            out[...] = 0
            assert hc.sum(x, axis, dtype, argument) is out
            assert are_identical(out[...], np.asarray(hc.sum(x, axis, dtype)))
    line = np.empty((5, 5), dtype, "F")
    for argument in (line, (line,)):
        line[...] = 0
        assert hc.cumsum(x, 1, dtype, argument) is line
        assert are_identical(np.ascontiguousarray(line), hc.cumsum(x, 1, dtype))


def test_out_may_overlap_input():
    for axis, index in ((1, np.s_[:, 0]), (0, np.s_[0])):
        x = halves((5, 5))
        sums = hc.sum(x, axis)
        hc.sum(x, axis, out=x[index])
        assert are_identical(x[index].copy(), sums)
    x = halves(20)
    sums = hc.cumsum(x[:-1])
    hc.cumsum(x[:-1], out=x[1:])
    assert are_identical(x[1:].copy(), sums)


def test_out_is_unchanged_if_call_raises():
    x, out = np.full((3, 2), 6e4, hc.half), np.full(3, 7, hc.half)
    line = x[:, 0].copy()
    with np.errstate(over="raise"):
        for call in (
            lambda: hc.sum(x, 1, out=out),
            lambda: hc.cumsum(x[:, 0], out=out),
            lambda: hc.cumsum(line, out=out),
            lambda: np.cumsum(line, out=out),
        ):
            with pytest.raises(FloatingPointError):
                call()
            assert (out == 7).all()


@in_turn
@pytest.mark.parametrize("name", [*OF_ONE, "cumsum"])
@pytest.mark.parametrize("dtype", ["nonsense", np.int32, ">f4", [], object()])
def test_error_for_other_dtypes(name, dtype):
    with pytest.raises(TypeError, match=f"{name}: argument dtype: expected half, float16, float32"):
        getattr(hc, name)(halves(5), dtype=dtype)


@pytest.mark.parametrize("name", [*OF_ONE, "cumsum"])
@pytest.mark.parametrize("mode", ["up", 1, b"rtp", np.ones(1)])
def test_error_for_other_modes(name, mode):
    with pytest.raises(ValueError, match="rounding: expected one of"):
        getattr(hc, name)(halves(5), rounding=mode)
    if name in ("sum", "prod"):
        with pytest.raises(ValueError, match="rounding: expected one of"):
            getattr(hc, name)(halves(5), rounding=mode, initial=1.5)


def test_results_beyond_one_piece():
    x = halves((20_000, 3))
    for name in OF_ONE:
        result = getattr(hc, name)(x, 1)
        halved = [getattr(hc, name)(part, 1) for part in (x[:9_000], x[9_000:])]
        assert are_identical(result, np.concatenate(halved))


def test_results_are_rounded_in_mode_of_region():
    x = halves(1000)
    for mode in ("rtz", "rtp", "rtn"):
        with hc.rounding(mode):
            for name in (*OF_ONE, "cumsum"):
                assert are_identical(getattr(hc, name)(x), getattr(hc, name)(x, rounding=mode))


X, Y = halves(10), halves(10, np.float16)
SUMS = {"axis": np.empty((), np.float32), "truths": np.arange(10) % 3 > 0}
CALLS = {
    "sum": (lambda: hc.sum(X), lambda: hc.sum(Y), lambda: np.sum(Y)),
    "sum along": (lambda: hc.sum(X, 0), lambda: hc.sum(Y, 0), lambda: np.sum(Y, 0)),
    "sum to float32": (
        lambda: hc.sum(X, dtype="f4"), lambda: hc.sum(Y, dtype="f4"), lambda: np.sum(Y, dtype="f4"),
    ),
    "sum where": (
        lambda: hc.sum(X, where=SUMS["truths"]), lambda: hc.sum(Y, where=SUMS["truths"]),
        lambda: np.sum(Y, where=SUMS["truths"]),
    ),
    "product": (lambda: hc.prod(X), lambda: hc.prod(Y), lambda: np.prod(Y)),
    "mean": (lambda: hc.mean(X), lambda: hc.mean(Y), lambda: np.mean(Y)),
    "std": (lambda: hc.std(X, ddof=1), lambda: hc.std(Y, ddof=1), lambda: np.std(Y, ddof=1)),
    "running": (lambda: hc.cumsum(X), lambda: hc.cumsum(Y), lambda: np.cumsum(Y)),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_calls_of_ten_elements_take_no_more_time_than_float16(call):
    ours, of_float16, numpys = (
        min(timeit.repeat(function, number=200, repeat=30)) for function in CALLS[call]
    )
    assert max(ours, of_float16) < numpys
