"""Tests of accelerated calls of few elements and of Python's and NumPy's numbers beside float16.

NumPy's own float16 is the oracle: results, layouts and exceptions have to be the same. Regions are
compared with functions of half.
"""

import warnings

import numpy as np
import pytest
from checks import as_tuple
from exhaustive import in_turn, one_in

import halfcl as hc

#: Ufuncs that NumPy rounds correctly, by their number of arguments.
ONE = (np.negative, np.sqrt, np.square, np.floor, np.rint, np.isnan, np.signbit, np.modf, np.frexp)
TWO = (
    np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.divmod,
    np.maximum, np.fmin, np.copysign, np.less, np.equal, np.not_equal, np.logical_and, np.heaviside,
)  # fmt: skip

NUMBERS = (
    0, 1, -3, 2047, 2049, -4099, 65504, 65519, 65520, 10**30, 0.1, -0.0, 1.5, 6e-8, 2.9e-8, 1e-300,
    65519.9, 1e5, float("inf"), float("nan"), True, 1j, np.float16(0.1), np.float16("nan"),
    np.float32(0.1), np.float64(0.1), np.int8(3), np.int32(70000), np.bool_(True), np.float16(1e-7),
)  # fmt: skip

SHAPES = ((), (1,), (3,), (15,), (17,), (63,), (300,), (0,), (1, 1), (2, 3), (6, 24), (2, 0, 3))


@pytest.fixture(autouse=True)
def off():
    hc.decelerate()
    yield
    hc.decelerate()


def draw(rng, shape):
    """Return float16 with zeros, subnormal, large and infinite numbers among them."""
    values = rng.uniform(-4, 4, shape) * 2.0 ** rng.integers(-20, 15, shape)
    edges = np.array([0, -0.0, 2**-24, -(2**-15), 65504, np.inf, np.nan, 1])
    with np.errstate(over="ignore"):
        return np.where(rng.random(shape) < 0.2, rng.choice(edges, shape), values).astype(
            np.float16
        )


def layouts(x):
    """Yield arrays of the same values, laid out in several ways."""
    yield x
    if x.ndim == 0 or not x.size:
        return
    yield np.asfortranarray(x)
    yield np.repeat(x, 2, axis=-1)[..., ::2]
    yield x[::-1].copy()[::-1]
    yield x.astype(">f2")
    yield np.frombuffer(b"0" + x.tobytes(), np.uint8)[1:].view(np.float16).reshape(x.shape)


def outcome(f, *args):
    """Return the exceptions of a call, and its results or the class of the error that it raised."""
    raised = []
    with (
        warnings.catch_warnings(record=True),
        np.errstate(all="call", call=lambda kind, flag: raised.append(kind)),
    ):
        try:
            results = as_tuple(f(*args))
        except (TypeError, OverflowError, ValueError) as error:
            results = type(error)
    return sorted(set(raised)), results


def assert_same_outcomes(calls):
    """Assert that calls, each a function and its arguments, do the same while accelerated."""
    outcomes = [outcome(*call) for call in calls]
    with hc.accelerated():
        outcomes_on = [outcome(*call) for call in calls]
    for call, one, other in zip(calls, outcomes, outcomes_on, strict=True):
        assert_same_outcome(call, one, other)


def assert_same_outcome(call, plain, accelerated):
    (exceptions, without), (exceptions_on, on) = plain, accelerated
    assert exceptions_on == exceptions, call
    if isinstance(without, type):
        assert on is without
        return
    for got, want in zip(on, without, strict=True):
        assert type(got) is type(want)
        assert (got.strides, got.flags.writeable) == (want.strides, want.flags.writeable)
        assert (got.dtype, got.shape) == (want.dtype, want.shape), call
        if got.tobytes() == want.tobytes():
            continue
        np.testing.assert_array_equal(got, want, f"{call}", strict=True)
        if want.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))


@one_in(2)
@pytest.mark.parametrize("shape", SHAPES)
def test_calls_of_few_elements(shape):
    rng = np.random.default_rng(len(shape) + sum(shape))
    x, y = draw(rng, shape), draw(rng, shape)
    calls = [(f, a) for f in ONE for a in layouts(x)]
    for f in TWO:
        for a, b in zip(layouts(x), layouts(y), strict=True):
            calls += (f, a, b), (f, a, y)
        calls += (f, x[..., None], y), (f, x, y[:1] if shape else y)
    assert_same_outcomes(calls)


@one_in(2)
@in_turn
@pytest.mark.parametrize("number", NUMBERS, ids=lambda x: f"{type(x).__name__} {x!r:.12}")
@pytest.mark.parametrize("shape", [(1,), (15,), (70,), (3, 4), (0,), ()])
def test_numbers_beside_float16(number, shape):
    x = draw(np.random.default_rng(7), shape)
    calls = [(np.clip, x, number, 2.5), (np.ldexp, x, number)]
    for f in TWO:
        for a in layouts(x):
            calls += (f, a, number), (f, number, a)
    if np.asarray(number).dtype != object:
        calls.append((np.add, x, np.asarray(number)))
    assert_same_outcomes(calls)


@in_turn
@pytest.mark.parametrize("number", NUMBERS, ids=lambda x: f"{type(x).__name__} {x!r:.12}")
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int16])
def test_numbers_beside_arrays_of_integers(number, dtype):
    """The dtype is NumPy's: a number of float16 beside bytes makes float16, never half."""
    x = np.arange(12).astype(dtype).reshape(3, 4)
    calls = []
    for f in TWO:
        for a in (x, x[:, ::2], x[:1, 0], x[:0], x[0, 0, ...]):
            calls += (f, a, number), (f, number, a)
    assert_same_outcomes(calls)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
@pytest.mark.parametrize("number", [2, 0.1, np.float16(0.1)])
def test_outputs_and_numbers(number):
    """Outputs that cannot be written in place, and other dtypes of outputs, are as NumPy's."""
    for shape in ((5,), (4, 6)):
        results = {}
        for on in (False, True):
            (hc.accelerate if on else hc.decelerate)()
            x = draw(np.random.default_rng(2), shape)
            same, wide, swapped = x.copy(), np.zeros(shape), x.astype(">f2")
            same *= number
            np.add(number, x, out=swapped)
            np.subtract(x, number, out=wide)
            late = np.concatenate([x.ravel(), x.ravel()])
            np.multiply(late[:-1], number, out=late[1:])
            larger = np.zeros((3, *shape), np.float16)
            np.add(x, number, out=larger)
            with pytest.raises(ValueError, match="shape"):
                np.add(x, number, out=np.zeros(3, np.float16))
            results[on] = same, wide, swapped, late, larger
        for want, got in zip(*results.values(), strict=True):
            np.testing.assert_array_equal(got, want, strict=True)


@pytest.mark.parametrize("number", [0.1, 3, np.float16(0.3), -1e-7, 2049, 65504.0])
def test_numbers_beside_float16_in_regions(number, mode):
    """Check that the number is rounded to nearest, and the result in the region's mode."""
    x = draw(np.random.default_rng(5), (4, 9))
    x = x[np.isfinite(x).all(axis=1)].reshape(-1, 3)
    nearest = np.float16(number).view(hc.half)
    with np.errstate(all="ignore"):
        for a in layouts(x):
            halves = np.ascontiguousarray(a.astype("=f2")).view(hc.half)
            for name in ("add", "subtract", "multiply", "divide"):
                want = getattr(hc, name)(halves, nearest, rounding=mode)
                with hc.accelerated(), hc.rounding(mode):
                    got = getattr(np, name)(a, number)
                assert got.dtype == np.float16 and got.tobytes() == want.tobytes()


def test_numbers_of_subclasses_are_left_to_numpy():
    """Check that subclasses of numbers and arrays still decide for themselves."""

    class Length(float):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return "mine"

    class Wide(np.ndarray):
        pass

    x = np.ones(5, np.float16)
    named = x.astype(np.dtype(np.float16, metadata={"unit": "m"}))
    with hc.accelerated():
        assert np.add(x, Length(2)) == "mine" and np.add(Length(2), x) == "mine"
        assert type(np.multiply(x.view(Wide), 0.5)) is Wide
        assert (x.view(hc.half) + np.float16(1)).dtype == np.add(x.view(hc.half), x).dtype
        on = np.multiply(named, 2.0).dtype.metadata
    assert on == np.multiply(named, 2.0).dtype.metadata


@pytest.mark.parametrize("mode", ["rte", "rtp", "rtn", "rtz"])
@pytest.mark.parametrize("kind", [np.float16, hc.half])
def test_arrays_without_axes_have_results_of_one_element(kind, mode):
    """Compare with arrays of one element, also beside arrays and numbers, in a region."""
    rng = np.random.default_rng(5)
    with hc.accelerated(), hc.rounding(mode):
        for x, y in zip(draw(rng, 40).view(kind), draw(rng, 40).view(kind), strict=True):
            a, b = np.array(x), np.array(y)
            row = np.array([y, x, y])
            calls = [(f, (a,)) for f in ONE] + [(f, (a, b)) for f in TWO]
            calls += [(f, (a, row)) for f in TWO] + [(np.add, (a, 0.1)), (np.clip, (a, -1, 2))]
            for f, args in calls:
                raised, lone = outcome(f, *args)
                raised_by_one, one = outcome(f, a.reshape(1), *args[1:])
                assert raised == raised_by_one, (f, args)
                for got, want in zip(lone, one, strict=True):
                    assert isinstance(got, np.ndarray if want.size > 1 else want.dtype.type)
                    np.testing.assert_array_equal(np.atleast_1d(got), want, strict=True)
            assert np.negative(a, out=b) is b
            assert b == -a or np.isnan(a)


def test_element_that_the_output_overlaps_is_read_first():
    with hc.accelerated():
        for kind in (np.float16, hc.half):
            x = np.array([1, 2, 4, 8], kind)
            np.multiply(x, x[2, ...], out=x)
            assert x.tolist() == [4, 8, 16, 32]


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="since NumPy 2.3")
@pytest.mark.parametrize("kind", [np.float16, hc.half])
def test_ellipsis_as_output_gives_an_array(kind):
    for shape in ((), (3,), (2, 3), (0,)):
        x = draw(np.random.default_rng(1), shape).view(kind)
        for a in (*layouts(x), x.T):
            for f, args in ((np.add, (a, a)), (np.less, (a, 1)), (np.sqrt, (np.abs(a),))):
                with hc.accelerated(), np.errstate(all="ignore"):
                    got, want = f(*args, out=...), f(*args)
                assert type(got) is np.ndarray
                np.testing.assert_array_equal(got, np.asarray(want), strict=True)
    x = np.ones(3, kind)
    with hc.accelerated():
        for call in (lambda: np.add(x, x, ...), lambda: np.add(x, x, out=(...,))):
            with pytest.raises(TypeError):
                call()
