"""sort, argsort, partition and argpartition along axes, of half and of accelerated float16.

Results are ordered by their values as float64, and equal elements keep their order.
"""

import numpy as np
import pytest
from checks import result_or_error
from exhaustive import either, in_turn, more, one_in, shared_out
from layouts import halves, layouts, wide

import halfcl as hc
from halfcl import _core

# Lines that are sorted side by side, and those that are too few or too long for that.
SHAPES = [
    (7, 9), (8, 2), (40, 3), (100, 4), (33, 5), (31, 9), (64, 16), (70, 32), (15, 32), (65, 33),
    (9, 100), (24, 400), (23, 400), (30, 512), (30, 513), (3, 70), (2, 3000),
    (3, 4, 31), (5, 6, 7), (2, 130, 7), (50, 9, 2), (3, 17, 64), (3, 4, 2, 5),
]  # fmt: skip

HAS_DESCENDING = np.lib.NumpyVersion(np.__version__) >= "2.5.0.dev0"

SPREADS = {
    "any": np.arange(1 << 16),
    "special": [0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7C01, 0xFFFF, 1, 0x8001, 0x3C00],
    "zeros": [0, 0x8000],
    "nans": [0x7C01, 0xFC01, 0x7E00, 0xFE00, 0x3C00],
    "numbers": [0, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 1, 0x8001],
    "plain": np.r_[0x0000:0x7C01, 0x8001:0xFC01],
}


@pytest.fixture(params=[True, False], ids=["integers", "own"], autouse=True)
def sorts(request):
    """Select NumPy's sorts of integers, or halfcl's own."""
    _core.sort_by_integers(request.param, request.param, most=1 << 16)
    yield
    from halfcl._numpy import compat

    compat._enter_features()


def sample(shape, spread, seed=0):
    rng = np.random.default_rng([seed, *shape])
    return rng.choice(np.array(SPREADS[spread], np.uint16), shape)


def native_bits(x):
    return x.view(f"{x.dtype.byteorder}u2".replace("|", "=")).astype("=u2")


def stable_order(bits, axis):
    """Return the stable order of the elements as float64."""
    return np.argsort(wide(bits), axis, kind="stable")


@one_in(2)
@pytest.mark.parametrize("spread", ["any", "special", "nans", *more("zeros", "numbers", "plain")])
def test_sorts_are_stable_orders(spread, kind):
    for shape in SHAPES:
        for turn, bits in enumerate(layouts(sample(shape, spread))):
            x = halves(bits, kind)
            for axis in range(-bits.ndim, 0 if turn else bits.ndim):
                order = stable_order(bits, axis)
                expected = np.take_along_axis(bits, order, axis).astype("=u2")
                got = np.argsort(x, axis, kind="stable")
                np.testing.assert_array_equal(got, order, strict=True)
                assert got.flags.c_contiguous
                np.testing.assert_array_equal(
                    native_bits(np.sort(x, axis, kind="stable")), expected, str(shape)
                )
                in_place = x.copy(order="K")
                in_place.sort(axis)
                np.testing.assert_array_equal(
                    in_place.astype(np.float64), np.take_along_axis(x, order, axis).astype(float)
                )
                np.testing.assert_array_equal(
                    np.sort(native_bits(in_place), axis), np.sort(expected, axis)
                )


@in_turn
@pytest.mark.parametrize("spread", SPREADS)
def test_few_rows_sort(spread, kind):
    """Lengths are on both sides of where the algorithm changes."""
    for n in (1, 2, 15, 16, 17, 24, 25, 63, 64, 512, 1023, 1024, 1025, 5000, 65535, 65536, 65537):
        bits = sample((n,), spread)
        x, order = bits.view(kind), stable_order(bits, 0)
        np.testing.assert_array_equal(np.argsort(x, kind="stable"), order, strict=True)
        got = np.sort(x, kind="stable").view(np.uint16)
        np.testing.assert_array_equal(got, bits[order])


def test_every_half_is_sorted_in_each_column(kind):
    """All 65536 halves are sorted, in short lines."""
    bits = np.random.default_rng(3).permutation(1 << 16).astype(np.uint16)
    for n in (2, 4, 16, 64, 256, 512):
        rows = bits.reshape(-1, n)
        expected = np.take_along_axis(rows, stable_order(rows, 1), 1)
        got = np.sort(rows.view(kind), 1, kind="stable").view(np.uint16)
        np.testing.assert_array_equal(got, expected)
        columns = np.sort(rows.T.copy().view(kind), 0, kind="stable").view(np.uint16)
        np.testing.assert_array_equal(columns, expected.T)


@pytest.mark.parametrize("size", [30, 600, 5000])
def test_lexsort_keeps_the_order_before(size, kind):
    first, second = sample((size,), "numbers", 1), sample((size,), "special", 2)
    got = np.lexsort((first.view(kind), second.view(kind)))
    before = stable_order(first, 0)
    np.testing.assert_array_equal(got, before[stable_order(second[before], 0)])


@pytest.mark.skipif(not HAS_DESCENDING, reason="NumPy before 2.5 has no descending order")
@pytest.mark.parametrize("spread", SPREADS)
def test_sort_descending(spread, kind):
    """Equal halves keep their order, and NaNs are last."""
    for shape in [(1,), (0,), (20,), (70000,), *SHAPES]:
        for bits in layouts(sample(shape, spread)) if len(shape) > 1 else [sample(shape, spread)]:
            x = halves(bits, kind)
            for axis in range(bits.ndim):
                order = np.argsort(-wide(bits), axis, kind="stable")
                got = np.argsort(x, axis, descending=True)
                np.testing.assert_array_equal(got, order, strict=True)
                np.testing.assert_array_equal(x.argsort(axis, descending=1, stable=True), order)
                expected = np.take_along_axis(native_bits(x), order, axis)
                np.testing.assert_array_equal(
                    native_bits(np.sort(x, axis, descending=True)), expected
                )
                in_place = x.copy(order="K")
                in_place.sort(axis, descending=np.True_, stable=False)
                np.testing.assert_array_equal(native_bits(in_place), expected)
    x = halves(sample((50,), spread), kind)
    for direction in (False, None):
        ascending = x.argsort(descending=direction)
        np.testing.assert_array_equal(ascending, x.argsort(kind="stable"))
    with pytest.raises(ValueError, match="kind"):
        np.sort(x, kind="stable", descending=True)


@pytest.mark.skipif(HAS_DESCENDING, reason="NumPy has a descending order")
def test_numpy_without_descending_order_refuses_it(kind):
    for method in ("sort", "argsort"):
        with pytest.raises(TypeError, match="descending"):
            getattr(np.ones(3, kind), method)(descending=True)


def test_sorts_refuse_what_numpy_refuses(kind):
    """Refused sorts change nothing before."""
    x = np.array([3, 1, 2], kind)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.sort()
    with pytest.raises(np.exceptions.AxisError):
        np.ones((), kind).sort()
    with pytest.raises(np.exceptions.AxisError):
        np.ones((3, 2), kind).argsort(2)
    assert x.tolist() == [3, 1, 2] and np.argsort(np.ones((), kind)).tolist() == [0]
    assert np.sort(np.ones((3, 0), kind), 0).shape == (3, 0)
    assert np.argsort(np.ones((0, 3), kind), 0).dtype == np.intp


def test_argsort_keeps_the_class(kind):
    class Own(np.ndarray):
        def __array_finalize__(self, origin):
            self.name = getattr(origin, "name", None)

    x = sample((300, 7), "numbers").view(kind).view(Own)
    x.name = "x"
    for axis in (0, 1, None):
        order = x.argsort(axis)
        assert type(order) is Own and order.name == "x"
        np.testing.assert_array_equal(np.asarray(order), np.asarray(x).argsort(axis))


# ---------------------------------------------------------------- partitions


def check_partition(values, ordered, kth, axis):
    """Check that elements before each place are not after it in order, and that none is lost."""
    for k in np.atleast_1d(kth):
        k = range(values.shape[axis])[k]
        np.testing.assert_array_equal(*(np.take(v, k, axis) for v in (values, ordered)))
        parts = [np.sort(part, axis) for part in np.split(values, [k], axis)]
        np.testing.assert_array_equal(np.concatenate(parts, axis), ordered)


@shared_out
@pytest.mark.parametrize(
    "spread", either(SPREADS, ["numbers"], some=[s for s in SPREADS if s != "numbers"])
)
def test_partitions_at_every_place(spread, kind):
    """Sorted halves are partitioned at every place; others at one place by turns."""
    for k, shape in enumerate([(20,), (3000,), (70000,), *SHAPES]):
        for turn, bits in enumerate(layouts(sample(shape, spread))):
            x = halves(bits, kind)
            for axis in range(bits.ndim):
                n = bits.shape[axis]
                ordered = np.sort(x.astype(np.float64), axis)
                places = (n // 2, -1, (0, n // 3), np.array([n // 2]))
                for kth in [places[(turn + k) % 4]] if turn else places:
                    got = np.partition(x, kth, axis)
                    check_partition(got.astype(np.float64), ordered, kth, axis)
                    assert got.dtype == x.dtype
                    np.testing.assert_array_equal(
                        np.sort(native_bits(got), axis), np.sort(native_bits(x), axis)
                    )
                    order = np.argpartition(x, kth, axis)
                    assert order.dtype == np.intp
                    np.testing.assert_array_equal(
                        np.sort(order, axis), np.argsort(np.zeros(order.shape), axis, "stable")
                    )
                    chosen = np.take_along_axis(x, order, axis).astype(np.float64)
                    check_partition(chosen, ordered, kth, axis)


# ---------------------------------------------------------------- calls


CALLS = {
    "kind": ((1, "mergesort"), {}),
    "no kind": ((1, None), {}),
    "kind of another type": ((1, 3), {}),
    "unknown kind": ((1, "bubble"), {}),
    "stable": ((), {"stable": True}),
    "not stable": ((0,), {"stable": False}),
    "kind and stable": ((0, "stable"), {"stable": True}),
    "stable of another type": ((0,), {"stable": "yes"}),
    "order": ((0, None, "x"), {}),
    "no order": ((0, None, None), {}),
    "NumPy's axis": ((np.int8(-1),), {}),
    "axis None": ((None,), {}),
    "axis large": ((2,), {}),
    "axis float": ((1.0,), {}),
    "axis by name": ((), {"axis": 0}),
    "axis twice": ((0,), {"axis": 0}),
    "unknown name": ((), {"axes": 0}),
    "too many": ((0, None, None, True), {}),
}


@pytest.mark.parametrize(("args", "kwargs"), CALLS.values(), ids=CALLS)
def test_wrong_arguments_raise_as_for_float16(args, kwargs):
    """Refusals, their texts and the results are float16's."""
    bits = sample((40, 30), "plain")
    for name in ("sort", "argsort"):
        mine, plain = bits.copy().view(hc.half), bits.copy().view(np.float16)
        got = result_or_error(lambda m=mine, n=name: getattr(m, n)(*args, **kwargs))
        expected = result_or_error(lambda p=plain, n=name: getattr(p, n)(*args, **kwargs))
        if isinstance(expected, np.ndarray):
            axis = kwargs.get("axis", args[0] if args else -1)
            flat = bits.ravel() if axis is None else bits
            axis = -1 if axis is None else axis
            np.testing.assert_array_equal(
                np.take_along_axis(flat, got, axis), np.take_along_axis(flat, expected, axis)
            )
        else:
            assert got == expected
        np.testing.assert_array_equal(mine.view(np.uint16), plain.view(np.uint16))


def test_read_only(kind):
    x = sample((40, 30), "plain").view(kind)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.sort(0)
    with pytest.raises(ValueError, match="read-only"):
        x.partition(3, 0)
    assert np.argsort(x, 0).shape == x.shape


def test_subclasses(kind):
    bits = sample((40, 5), "plain")
    matrix = bits.copy().view(kind).view(np.matrix)
    assert type(matrix.argsort(1)) is np.matrix and type(matrix.argpartition(2, 1)) is np.matrix
    matrix.sort(1)
    expected = np.take_along_axis(bits, stable_order(bits, 1), 1)
    np.testing.assert_array_equal(np.asarray(matrix).view(np.uint16), expected)
    mask = np.arange(200).reshape(40, 5) % 3 == 0
    masked = np.ma.array(bits.copy().view(kind), mask=mask.copy())
    wide = np.ma.array(bits.view(np.float16).astype(np.float64), mask=mask)
    masked.sort(1)
    wide.sort(1)
    np.testing.assert_array_equal(masked.filled(0).astype(np.float64), wide.filled(0))


def test_other_dtypes_give_numpys_results():
    """Results for other dtypes are NumPy's."""
    for name in ("sort", "argsort", "argmax", "argmin"):
        method = getattr(np.ndarray, name)
        assert method.__qualname__ == f"ndarray.{name}" and method.__objclass__ is np.ndarray
    for letter in "efdiBO":
        x = np.random.default_rng(0).integers(0, 99, (100, 6))
        y = x.astype(letter)
        np.testing.assert_array_equal(np.sort(y, 1), np.sort(x, 1).astype(letter), strict=True)
        np.testing.assert_array_equal(y.argsort(0, "stable"), x.argsort(0, "stable"))
