"""Tests of ufunc.at of half and accelerated float16, which rounds after each element."""

import tracemalloc

import numpy as np
import pytest
from checks import result_or_error
from exhaustive import in_turn

import halfcl as hc

UFUNCS = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin",
    "hypot", "power", "floor_divide", "copysign", "arctan2", "logaddexp", "remainder",
)  # fmt: skip


def halves(rng, shape, spread="any"):
    if spread == "any":
        bits = rng.integers(0, 1 << 16, shape, dtype=np.uint16)
    elif spread == "special":
        choice = [0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 1, 0x8001, 0x7BFF, 0x0400]
        bits = rng.choice(np.array(choice, np.uint16), shape)
    else:
        return rng.uniform(0.5, 2, shape).astype(np.float16)
    return bits.view(np.float16)


def one_by_one(ufunc, x, index, values):
    """Return the result of one call per element."""
    x = x.copy().view(hc.half)
    shape = x[index].shape
    positions = np.arange(x.size).reshape(x.shape)[index]
    flat = x.reshape(-1)
    numbers = np.broadcast_to(np.asarray(values, np.float16), shape).view(hc.half)
    for k, value in zip(positions.ravel(), numbers.ravel(), strict=True):
        flat[k : k + 1] = ufunc(flat[k : k + 1], np.array([value], hc.half))
    return x.view(np.float16)


def check(ufunc, x, index, values, kind):
    got = x.copy().view(kind)
    operand = values.view(kind) if isinstance(values, np.ndarray) else values
    with np.errstate(all="ignore"):
        expected = one_by_one(ufunc, x, index, values)
        ufunc.at(got, index, operand)
    np.testing.assert_array_equal(got.view(np.float16), expected)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(expected.view(kind)))


@in_turn
@pytest.mark.parametrize("spread", ["any", "special", "numbers"])
@pytest.mark.parametrize("name", UFUNCS)
def test_single_elements(name, spread, kind):
    rng = np.random.default_rng(5)
    ufunc = getattr(np, name)
    for length, n in ((1, 40), (3, 100), (300, 300), (5000, 200), (9, 1)):
        x, values = halves(rng, length, spread), halves(rng, n, spread)
        values[np.isnan(values)] = np.nan  # the result of two NaNs may have either sign
        x[np.isnan(x)] = np.nan
        index = rng.integers(-length, length, n)
        got = x.copy().view(kind)
        with np.errstate(all="ignore"):
            expected = one_by_one(ufunc, x, index, values)
            ufunc.at(got, index, values.view(kind))
        np.testing.assert_array_equal(got.view(np.float16), expected)
        zeros = expected == 0
        np.testing.assert_array_equal(
            np.signbit(got[zeros]), np.signbit(expected[zeros].view(kind))
        )


def test_in_regions(mode, kind):
    rng = np.random.default_rng(6)
    x, values = halves(rng, 50, "numbers"), halves(rng, 400, "numbers")
    index = rng.integers(0, 50, 400)
    for name in ("add", "multiply", "divide", "hypot"):
        ufunc = getattr(np, name)
        got, expected = x.copy().view(kind), x.copy().view(hc.half)
        with hc.rounding(mode, builtins=True):
            ufunc.at(got, index, values.view(kind))
            for i, value in zip(index, values.view(hc.half), strict=True):
                expected[i : i + 1] = ufunc(expected[i : i + 1], np.array([value], hc.half))
        np.testing.assert_array_equal(got.view(np.uint16), expected.view(np.uint16), name)


def test_exceptions(kind):
    """Check that the exceptions of all steps are reported, as NumPy's for float16."""
    cases = {
        ("add", 65504, 65504): {"overflow"},
        ("multiply", 2.0**-14, 2.0**-2 + 2.0**-9): set(),
        ("multiply", 2.0**-14, 1 + 2.0**-10): set(),
        ("multiply", 2.0**-14, 0.5 + 2.0**-11): {"underflow"},
        ("multiply", 2.0**-14 * (1 + 2.0**-10), 1 - 2.0**-10): {"underflow"},
        ("divide", 1, 0): {"divide by zero"},
        ("subtract", np.inf, np.inf): {"invalid value"},
        ("maximum", np.nan, 1): set(),
        ("add", 1, 1): set(),
    }
    for (name, first, second), wanted in cases.items():
        for n in (1, 30, 600):
            exceptions = set()
            x = np.full(5, first, np.float16).view(kind)
            values = np.full(n, 1 if name in ("multiply", "divide") else 0, np.float16)
            values[-1] = second
            with np.errstate(all="call", call=lambda error, _, seen=exceptions: seen.add(error)):
                getattr(np, name).at(x, np.full(n, 2), values.view(kind))
            assert exceptions == wanted, (name, n)
    x = np.full(5, 65504, kind)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow"):
        np.add.at(x, np.array([0, 1]), x[:2].copy())


def test_kinds_of_indices(kind):
    rng = np.random.default_rng(7)
    x, values = halves(rng, 40, "numbers"), halves(rng, 30, "numbers")
    index = rng.integers(0, 40, 30)
    for letter in ("i1", "u1", "i2", "<i4", ">i4", "i8", ">i8", "u4", "u8"):
        check(np.add, x, index.astype(letter), values, kind)
    check(np.add, x, np.repeat(index, 2)[::2], values, kind)
    check(np.add, x, index[::-1], values, kind)
    check(np.add, x, index.tolist(), values, kind)
    check(np.add, x, (index,), values, kind)
    check(np.add, x, slice(3, 33), values, kind)
    check(np.add, x, rng.permutation(40) < 30, values, kind)
    for shape in ((5, 6), (1, 30), (2, 3, 5)):
        many = index.reshape(shape)
        check(np.add, x, many, values.reshape(shape), kind)
        check(np.add, x, many, 1.5, kind)
        check(np.add, x, many, values[:1], kind)
        check(np.add, x, many.astype("i2"), values[3:4].reshape(1, 1), kind)
    check(np.add, x, 3, np.float16(2), kind)
    check(np.add, x, index[:0], values[:0], kind)


def test_order_of_many_axes():
    """Check the order of elements for indices with several axes, some of which repeat."""
    rng = np.random.default_rng(12)
    x, values = halves(rng, 9, "numbers"), halves(rng, (2, 40, 3), "numbers")
    for order in "CF":
        index = np.asarray(rng.integers(-9, 9, (2, 40, 3)), order=order)
        for numbers in (values, np.asarray(values, order="F"), values[0], values[..., :1], 0.25):
            expected = x.copy()
            np.add.at(expected, index, numbers)
            own = x.copy().view(hc.half)
            np.add.at(own, index, numbers.view(hc.half) if np.ndim(numbers) else numbers)
            accelerated = x.copy()
            with hc.accelerated():
                np.add.at(accelerated, index, numbers)
            np.testing.assert_array_equal(own.view(np.float16), expected)
            np.testing.assert_array_equal(accelerated, expected)


def test_kinds_of_values(kind):
    rng = np.random.default_rng(8)
    x = halves(rng, 40, "numbers")
    index = rng.integers(0, 40, 64)
    for value in (0, 1, -3, 2048, 0.5, -0.0, np.inf, 70000.0, 0.1, True, 1e-30):
        check(np.add, x, index, value, kind)
    check(np.add, x, index, np.float16(1.5), kind)
    check(np.add, x, index, np.array(1.5, np.float16), kind)
    check(np.add, x, index, np.array([1.5], np.float16), kind)
    with pytest.raises(ValueError, match="broadcast"):
        np.add.at(x.view(kind), index, np.ones((1, 1), kind))
    values = halves(rng, 128, "numbers")
    check(np.multiply, x, index, values[::2], kind)
    check(np.multiply, x, index, values[::-2], kind)
    check(np.multiply, x, index, np.broadcast_to(values[:1], 64), kind)
    for letter in ("f4", "i4"):
        got, expected = x.copy().view(kind), x.copy().astype(np.float32)
        np.add.at(got, index, np.ones(64, letter))
        np.add.at(expected, index, np.ones(64, letter))
        np.testing.assert_allclose(got.astype(np.float32), expected, rtol=0.01)


@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "hypot"])
def test_rows(name, kind):
    rng = np.random.default_rng(9)
    ufunc = getattr(np, name)
    for shape in ((6, 4), (5, 40), (3, 4, 5), (7, 1), (9, 300)):
        x = halves(rng, shape, "numbers")
        index = rng.integers(-shape[0], shape[0], 20)
        check(ufunc, x, index, halves(rng, (20, *shape[1:]), "numbers"), kind)
        check(ufunc, x, index, halves(rng, shape[1:], "numbers"), kind)
        check(ufunc, x, index, 0.5, kind)
        indices = tuple(rng.integers(-n, n, 33) for n in shape)
        check(ufunc, x, indices, halves(rng, 33, "numbers"), kind)
        check(ufunc, x, indices, 2, kind)
        check(ufunc, x, indices[:-1], 2, kind)
        check(ufunc, x, (indices[0], *(k[:1] for k in indices[1:])), 2, kind)
    x = halves(rng, (5, 1), "numbers")
    with pytest.raises(ValueError, match="broadcast"):
        ufunc.at(x.view(kind), np.arange(3), np.ones(3, kind))


def layouts(x, kind):
    """Yield arrays of the same numbers in several layouts."""
    yield x.astype(kind)
    yield np.repeat(x.astype(kind), 3)[::3]
    yield x[::-1].astype(kind)[::-1]
    yield x.astype(kind.newbyteorder())
    apart = np.zeros(x.nbytes + 1, np.uint8)[1:].view(kind)
    apart[...] = x.view(kind)
    yield apart
    yield x.astype(kind).view(type("Sub", (np.ndarray,), {}))


def test_layouts(kind):
    rng = np.random.default_rng(10)
    x, values = halves(rng, 30, "numbers"), halves(rng, 50, "numbers")
    index = rng.integers(-30, 30, 50)
    expected = one_by_one(np.add, x, index, values)
    for target in layouts(x, kind):
        for numbers in layouts(values, kind):
            got = target.copy(order="K") if target.strides[0] == 2 else target.copy()[::-1][::-1]
            np.add.at(got, index, numbers)
            np.testing.assert_array_equal(got.astype(np.float64), expected.astype(np.float64))
    for target in layouts(x, kind):
        np.add.at(target, index, values.view(kind))
        np.testing.assert_array_equal(target.astype(np.float64), expected.astype(np.float64))


def test_values_and_indices_in_memory_of_target(kind):
    """Check that the result is as if values and indices were copied first."""
    x = halves(np.random.default_rng(11), 40, "numbers").view(kind)
    expected = one_by_one(np.add, x.view(np.float16), np.arange(39) + 1, x[:39].view(np.float16))
    got = x.copy()
    np.add.at(got, np.arange(39) + 1, got[:39])
    np.testing.assert_array_equal(got.view(np.float16), expected)
    memory = np.zeros(16, np.int64)
    got = memory.view(kind)
    np.add.at(got, memory[:3], 1)
    assert got[0] == 3 and (got[1:] == 0).all()


def test_overlapping_views(kind):
    """Check values whose memory overlaps the target's in any order: they are read first."""
    rng = np.random.default_rng(12)
    numbers = rng.integers(-4, 5, 60)
    for _ in range(300):
        memory, wanted = numbers.astype(kind), numbers.astype(np.float64)
        first, second = (int(x) for x in rng.integers(0, 20, 2))
        here, there = (int(x) for x in rng.choice([1, 2, -1, -3], 2))
        target, plain = (x[first : first + 30][::here] for x in (memory, wanted))
        values, copied = (x[second : second + 30][::there] for x in (memory, wanted.copy()))
        index = rng.integers(-len(target), len(target), len(values))
        np.add.at(target, index, values)
        np.add.at(plain, index, copied)
        np.testing.assert_array_equal(memory.astype(np.float64), wanted)


WRONG = {
    "large": lambda x: np.add.at(x, np.array([0, 10]), x[:2].copy()),
    "small": lambda x: np.add.at(x, np.array([0, -11]), 1),
    "floats": lambda x: np.add.at(x, np.array([0.0, 1.0]), 1),
    "no values": lambda x: np.add.at(x, np.array([0, 1])),
    "four": lambda x: np.add.at(x, np.array([0]), 1, 2),
    "a name": lambda x: np.add.at(x, np.array([0]), b=1),
    "too many values": lambda x: np.add.at(x, np.array([0, 1]), x[:3].copy()),
    "two axes": lambda x: np.add.at(x, (np.array([0]), np.array([0])), 1),
    "a list": lambda x: np.add.at([1, 2], np.array([0]), 1),
    "one argument": lambda x: np.add.at(),
    "three inputs": lambda x: np.clip.at(x, np.array([0]), 1),
    "0-d": lambda x: np.add.at(x[:1].reshape(()), np.array([0]), 1),
    "unary": lambda x: np.negative.at(x, np.array([1, 1, 2])),
    "large in one axis": lambda x: np.add.at(
        x.reshape(2, 5), (np.array([0, 1]), np.array([0, 5])), 1
    ),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_errors_are_those_of_float16(call):
    """Check also that nothing is written."""
    plain = np.arange(10).astype(np.float16)
    mine = plain.copy().view(hc.half)
    got, expected = result_or_error(lambda: call(mine)), result_or_error(lambda: call(plain))
    assert type(got) is type(expected)
    if isinstance(expected, tuple):
        assert got[0] is expected[0]
    np.testing.assert_array_equal(mine.view(np.float16), plain)


def test_other_dtypes_are_unchanged():
    method = np.ufunc.at
    assert method.__qualname__ == "ufunc.at" and method.__objclass__ is np.ufunc
    for letter in "fdiHFO":
        x = np.arange(10).astype(letter)
        np.add.at(x, np.array([1, 1, -1]), 2)
        np.testing.assert_array_equal(x, np.array([0, 5, 2, 3, 4, 5, 6, 7, 8, 11], letter))


# ---------------------------------------------------------------- indices of several axes


def lay_out(rng, array: np.ndarray) -> np.ndarray:
    """Return an array of the same numbers in a random layout."""
    layout = rng.integers(0, 5) if array.ndim else 4
    if layout == 0:
        return np.asfortranarray(array)
    if layout == 1:
        return array[..., ::-1].copy()[..., ::-1]
    if layout == 2:
        return np.repeat(array, 2, axis=0)[::2]
    return array.transpose().copy().transpose() if layout == 3 else array


def random_indices(rng, length: int, shape: tuple[int, ...]):
    """Return an array of indices into an axis that broadcasts to a shape."""
    shape = tuple(1 if rng.random() < 0.3 else n for n in shape)
    indices = lay_out(rng, np.asarray(rng.integers(-length, length, shape)))
    if rng.random() < 0.2:
        return indices.astype(rng.choice(["i1", "i2", ">i8"]))
    if rng.random() < 0.2:
        return np.broadcast_to(indices, (2, *shape))
    return indices.tolist() if rng.random() < 0.1 and indices.ndim else indices


def random_index(rng, shape: tuple[int, ...]):
    """Return an index of any kind, except fields, into an array of that shape."""
    places = tuple(rng.choice([1, 2, 3, 7], rng.integers(0, 4)))
    items, axis = [], 0
    while axis < len(shape):
        kind = rng.random()
        if kind < 0.5:
            items.append(random_indices(rng, shape[axis], places))
        elif kind < 0.6:
            items.append(slice(*rng.choice([None, 0, 1, -1, 3], 2), rng.choice([1, -1, 2])))
        elif kind < 0.7:
            items.append(None)
            continue
        elif kind < 0.8:
            items.append(int(rng.integers(-shape[axis], shape[axis])))
        elif kind < 0.9:
            axes = int(rng.integers(1, len(shape) - axis + 1))
            items.append(rng.random(shape[axis : axis + axes]) < 0.6)
            axis += axes - 1
        elif Ellipsis not in [item for item in items if item is Ellipsis]:
            items.append(Ellipsis)
            axis += int(rng.integers(-1, len(shape) - axis))
        else:
            break
        axis += 1
    return items[0] if len(items) == 1 and rng.random() < 0.5 else tuple(items)


@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "hypot"])
def test_any_index_takes_one_run(name):
    rng = np.random.default_rng(13)
    ufunc = getattr(np, name)
    for _ in range(200):
        shape = tuple(rng.choice([1, 2, 3, 4, 9, 17], rng.integers(1, 5)))
        x, index = halves(rng, shape, "numbers"), random_index(rng, shape)
        try:
            places = np.shape(x[index])
        except IndexError:  # of masks and indices that do not broadcast together
            continue
        several = tuple(1 if rng.random() < 0.2 else n for n in places)
        values = lay_out(rng, np.asarray(halves(rng, several, "numbers")))
        values = values if rng.random() < 0.9 else 0.25
        with np.errstate(all="ignore"):
            expected = one_by_one(ufunc, x, index, values)
        for kind in (hc.half, np.float16):
            target = lay_out(rng, x.astype(kind))
            numbers = values.astype(kind) if isinstance(values, np.ndarray) else values
            counted = hc._core.kernels_run()
            with hc.accelerated(), np.errstate(all="ignore"):
                ufunc.at(target, index, numbers)
            if kind is hc.half and np.prod(places):
                assert hc._core.kernels_run() == counted + 1
            np.testing.assert_array_equal(target.astype(np.float32), expected.astype(np.float32))


def test_wide_rows_of_repeated_values(kind):
    rng = np.random.default_rng(14)
    x = halves(rng, (5, 1300), "numbers")
    index = rng.integers(-5, 5, (3, 4))
    for shape in ((3, 4, 1300), (3, 4, 1), (4, 1), (1300,), (1, 1, 1)):
        values = halves(rng, shape, "numbers")
        check(np.add, x, index, values, kind)
        check(np.add, x, index, np.asfortranarray(values), kind)


def test_many_indices_take_no_further_memory(kind):
    ids = np.zeros((300, 400), np.intp)
    image, values = np.zeros((3, 4, 5), kind), np.ones((300, 400), kind)
    index = (np.zeros((300, 1), np.intp), ids, np.ones(400, np.intp))
    for target, index in ((np.zeros((9, 2), kind), (ids, 0)), (image, index)):  # noqa: B020
        np.add.at(target, index, values)
        tracemalloc.start()
        np.add.at(target, index, values)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4096


@pytest.mark.parametrize("index", [
    (np.array([[0, 1]]), np.array([[0, 5]])), (np.array([0, 2]), slice(None)),
    (slice(None), np.array([[0], [-6]])), (np.array([0, 1]), np.array([0, 1, 2])),
    (np.ones(3, bool),), np.ones((2, 4), bool), (0, 5), (0, 0, np.array([0])), (..., ..., 0),
    (None, np.array([0.0])), (0, "a"), [[0], [0, 1]], (np.array([0]), True),
], ids=repr)  # fmt: skip
def test_errors_of_several_axes_are_those_of_float16(index):
    plain = np.arange(10).astype(np.float16).reshape(2, 5)
    mine = plain.copy().view(hc.half)
    with hc.accelerated():
        theirs = plain.copy()
        accelerated = result_or_error(lambda: np.add.at(theirs, index, 1))
    expected = result_or_error(lambda: np.add.at(plain.copy(), index, 1))
    got = result_or_error(lambda: np.add.at(mine, index, 1))
    assert str(got) == str(expected) == str(accelerated)
    changed = plain.copy()
    if expected is None:
        np.add.at(changed, index, 1)
    np.testing.assert_array_equal(mine.view(np.float16), changed)
    np.testing.assert_array_equal(theirs, changed)


@pytest.mark.parametrize("indices", [0, [0, 1], ([0, 1], [1, 1]), (0, 1), slice(None)], ids=str)
def test_read_only_targets_are_refused(indices):
    """NumPy itself writes to them by some indices."""
    for dtype in (hc.half, np.float16):
        a = np.ones((3, 4), dtype)
        a.flags.writeable = False
        with hc.accelerated(), pytest.raises(ValueError, match="read-only"):
            np.add.at(a, indices, a.dtype.type(1))
        assert (a == 1).all()
