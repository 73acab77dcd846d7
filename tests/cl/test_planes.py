"""Vectors to planes and back, blends and masks: what code over many work-items is made of."""

import itertools

import numpy as np
import pytest
from exhaustive import in_turn

import halfcl as hc
from halfcl import _core

DTYPES = [np.int8, hc.half, np.float32, np.uint64]


def buffer(nbytes, shift=0):
    """Return random bytes; shift: distance from an aligned address."""
    whole = np.random.default_rng(nbytes).integers(0, 256, nbytes + 64, np.uint8)
    start = -whole.ctypes.data % 64 + shift
    return whole[start : start + nbytes]


def places(base, steps, counts):
    result = [base]
    for step, count in zip(steps, counts, strict=True):
        result = [place + step * i for place in result for i in range(count)]
    return result


def load_each(data, places, dtype, width):
    """Load elements one by one."""
    size = np.dtype(dtype).itemsize
    return [
        [bytes(data[p + k * size : p + (k + 1) * size]) for p in places] for k in range(width or 1)
    ]


def shapes(width, size):
    """Base, steps and counts of places in 4096 bytes."""
    step = width * size
    yield 0, (step,), (4096 // step,)
    yield 4096 - step, (-step,), (4096 // step,)
    yield 2 * size, (4 * step, step), (3, 2)
    yield 0, (4 * step, step), (7, 4)  # one after the other
    yield size, (20 * step, 5 * step, step), (2, 2, 3)
    yield 0, (0, step), (3, 2)
    yield (
        0,
        (9 * step, step),
        (3, min(64, 1024 // step)),
    )  # rows of up to 128 bytes and more, copied in words
    yield size, (9 * step, 3 * step, step), (2, 2, min(17, 1024 // step))
    yield step, (3 * step, 0), (5, 33)  # one element repeated in each row
    yield 0, (3 * step, step, 0), (4, 3, 7)
    yield 8, (size,), (0,)
    yield 0, (step, 3, 7), (2, 0, 5)


@in_turn
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [0, 1, 2, 3, 4, 7, 8, 16])
def test_load_and_store(dtype, width):
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(width)
    for shift, (base, steps, counts) in itertools.product(
        (0, 1), shapes(4 if width == 3 else width or 1, dtype.itemsize)
    ):
        data = buffer(4096, shift)
        where = places(base, steps, counts)
        actual = _core.load_planes(data, base, steps, counts, dtype, width)
        assert actual.dtype == dtype
        assert actual.shape == ((width, len(where)) if width else (len(where),))
        rows = actual.reshape(width or 1, len(where))
        assert [[x.tobytes() for x in row] for row in rows] == load_each(data, where, dtype, width)
        if len(set(where)) < len(where):
            continue
        for uniform in (False, True):
            shape = (width or 1, 1 if uniform else len(where))
            values = rng.integers(0, 100, shape).astype(dtype)
            wanted = data.copy()
            for (k, p), x in zip(
                itertools.product(range(width or 1), where),
                np.broadcast_to(values, (width or 1, len(where))).reshape(-1),
                strict=True,
            ):
                start = p + k * dtype.itemsize
                wanted[start : start + dtype.itemsize] = np.frombuffer(x.tobytes(), np.uint8)
            values = values if width else values[0]
            _core.store_planes(data, base, steps, counts, values, width)
            np.testing.assert_array_equal(data, wanted)


def test_stored_values_may_be_strided_and_of_the_same_memory():
    data = np.arange(64, dtype=np.uint8)
    planes = np.asfortranarray(np.arange(16, dtype=np.uint8).reshape(4, 4))
    _core.store_planes(data, 0, (4,), (4,), planes, 4)
    assert data[:16].tolist() == planes.T.reshape(-1).tolist()
    rows = data[:16].reshape(4, 4)
    wanted = rows.T.reshape(-1).tolist()
    _core.store_planes(data, 0, (4,), (4,), rows, 4)
    assert data[:16].tolist() == wanted


@pytest.mark.parametrize(
    ("base", "steps", "counts"),
    [(-1, (2,), (2,)), (0, (8,), (9,)), (57, (8,), (1,)), (0, (-8,), (2,)), (8, (-8, 1), (3, 1)),
     (0, (2**62, 2**62), (3, 3)), (0, (1,), (2**62,)), (2**62, (1,), (1,)), (64, (8,), (1,))],
)  # fmt: skip
def test_plane_accesses_outside_are_errors(base, steps, counts):
    data = np.zeros(64, np.uint8)
    with pytest.raises(IndexError, match="places outside"):
        _core.load_planes(data, base, steps, counts, np.dtype(np.uint16), 4)
    with pytest.raises(IndexError, match="places outside"):
        _core.store_planes(data, base, steps, counts, np.ones((4, 1), np.uint16), 4)
    assert not data.any()


def test_other_bad_input():
    data, number = np.zeros(64, np.uint8), np.dtype(np.int32)
    for call in (
        lambda: _core.load_planes(data[::2], 0, (4,), (1,), number, 1),
        lambda: _core.load_planes(data, 0, (4, 4), (1,), number, 1),
        lambda: _core.load_planes(data, 0, (), (), number, 1),
        lambda: _core.load_planes(data, 0, (4,) * 9, (1,) * 9, number, 1),
        lambda: _core.load_planes(data, 0, (4,), (-1,), number, 1),
        lambda: _core.load_planes(data, 0, (4,), (1,), number, 17),
        lambda: _core.store_planes(data, 0, (4,), (2,), np.zeros((2, 3), np.int32), 2),
        lambda: _core.store_planes(data, 0, (4,), (2,), np.zeros(2, np.int32), 2),
        lambda: _core.blend(np.zeros(3, bool), np.zeros(2), np.zeros(3)),
        lambda: _core.blend(np.zeros(3, bool), np.zeros((2, 3)), np.zeros((3, 3))),
        lambda: _core.blend(np.zeros(3), np.zeros(3), np.zeros(3)),
        lambda: _core.load_scattered(data[::2], np.zeros(1, int), number, 1),
        lambda: _core.load_scattered(data, np.zeros(1, np.int32), number, 1),
        lambda: _core.load_scattered(data, np.zeros((1, 1), int), number, 1),
        lambda: _core.load_scattered(data, np.zeros(2, int)[::2], number, 17),
        lambda: _core.store_scattered(data, np.zeros(2, int), np.zeros(3), 0, None),
        lambda: _core.store_scattered(data, np.zeros(2, int), np.zeros((3, 2)), 2, None),
        lambda: _core.store_scattered(data, np.zeros(2, int), np.zeros(2), 2, None),
        lambda: _core.store_scattered(data, np.zeros(2, int), np.zeros(2), 0, np.ones(3, bool)),
        lambda: _core.check_offsets(np.zeros(2, int), 8, 1, np.ones(3, bool)),
        lambda: _core.check_offsets(np.zeros(2), 8, 1, None),
        lambda: _core.add_indices(np.zeros(2, int), np.zeros(3, int), 1, 1),
        lambda: _core.add_indices(np.zeros(2), np.zeros(2, int), 1, 1),
        lambda: _core.split_mask(np.zeros(3, bool), np.zeros(4, bool)),
        lambda: _core.split_mask(None, np.zeros((2, 2), bool)),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()
    for dtype in (np.complex128, "S3", "V0"):
        with pytest.raises(TypeError, match="expected elements of"):
            _core.load_planes(data, 0, (16,), (1,), np.dtype(dtype), 1)
    with pytest.raises(TypeError, match="expected elements of"):
        _core.load_planes(data, 0, (8,), (1,), np.dtype(object), 1)
    for others in (np.zeros(3, int), np.zeros(3, ">f8"), np.zeros(3, "V8")):
        with pytest.raises(TypeError, match="one dtype"):
            _core.blend(np.zeros(3, bool), np.zeros(3), others)
    for index in (np.zeros(1), np.zeros(1, bool), np.zeros(1, ">i4")):
        with pytest.raises(TypeError, match="expected integers"):
            _core.add_indices(0, index, 1, 1)
    data.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        _core.store_planes(data, 0, (4,), (1,), np.zeros(1, np.int32), 0)
    with pytest.raises(ValueError, match="writable"):
        _core.store_scattered(data, np.zeros(1, int), np.zeros(1, np.int32), 0, None)


@pytest.mark.parametrize("dtype", [np.bool_, *DTYPES])
def test_blends(dtype):
    rng = np.random.default_rng(4)
    for items in (1, 3, 77):
        mask = rng.random(items) < 0.5
        for shapes in [((items,), (items,)), ((1,), (items,)), ((4, items), (4, 1)),
                       ((1, items), (4, items)), ((1, 1), (1, 1))]:  # fmt: skip
            yes, no = (rng.integers(0, 100, shape).astype(dtype) for shape in shapes)
            actual = _core.blend(mask, yes, no)
            wanted = np.where(mask, yes, no)
            assert actual.dtype == wanted.dtype and actual.shape == wanted.shape
            assert actual.tobytes() == wanted.tobytes()
        two = np.asfortranarray(rng.integers(0, 100, (3, items)).astype(dtype))
        np.testing.assert_array_equal(
            _core.blend(mask, two, two + two), np.where(mask, two, two + two)
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [0, 1, 3, 16])
def test_scattered_loads_and_stores(dtype, width):
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(width)
    rows, size = width or 1, dtype.itemsize
    for items, shift in itertools.product((0, 1, 50), (0, 1)):
        data = buffer(4096, shift)
        where = rng.integers(0, 4096 - rows * size + 1, items)
        where[:2] = (0, 4096 - rows * size)[:items]
        actual = _core.load_scattered(data, where, dtype, width)
        assert actual.dtype == dtype and actual.shape == ((width, items) if width else (items,))
        parts = actual.reshape(rows, items)
        assert [[x.tobytes() for x in row] for row in parts] == load_each(data, where, dtype, width)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [0, 1, 3])
def test_the_last_one_stored_stays(dtype, width):
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(width)
    rows, size, items = width or 1, dtype.itemsize, 40
    for mask, rows_given, items_given in itertools.product(
        (None, rng.random(items) < 0.5, np.zeros(items, bool)), {1, rows}, (1, items)
    ):
        data = buffer(64 * size)
        where = rng.integers(0, 20, items) * rows * size  # the same vector, or another one
        if mask is not None:
            where[~mask] = -1  # nobody goes there
        values = rng.integers(0, 100, (rows_given, items_given)).astype(dtype)
        wanted = data.copy().view(dtype)
        for i in range(items) if mask is None else np.flatnonzero(mask):
            column = values[:, i if items_given > 1 else 0]
            wanted[where[i] // size : where[i] // size + rows] = column
        _core.store_scattered(data, where, values if width else values[0], width, mask)
        np.testing.assert_array_equal(data, wanted.view(np.uint8))


def test_scattered_accesses_outside_are_errors():
    data = np.zeros(64, np.uint8)
    for bad in (-1, 57, 64, 2**62, -(2**63)):
        where = np.array([0, bad, 8])
        with pytest.raises(IndexError, match="places outside"):
            _core.load_scattered(data, where, np.dtype(np.uint16), 4)
        with pytest.raises(IndexError, match="places outside"):
            _core.store_scattered(data, where, np.zeros((4, 3), np.uint16), 4, None)
    with pytest.raises(IndexError, match="places outside"):
        _core.load_scattered(data[:1], np.zeros(1, int), np.dtype(np.uint16), 0)
    nothing = np.zeros(0, int)
    assert _core.load_scattered(data[:1], nothing, np.dtype(np.uint16), 0).size == 0


def test_offsets_that_are_right():
    offsets = np.array([0, 8, -8, 3, 24, 25, 2**62])
    mask = np.array([True, True, False, False, True, False, False])
    np.testing.assert_array_equal(_core.check_offsets(offsets, 24, 8, mask), [0, 8, 0, 0, 24, 0, 0])
    right = offsets[:2]
    assert _core.check_offsets(right, 8, 8, None) is right
    for last, align, bad in [(24, 8, 2), (24, 8, 3), (24, 1, 5), (2**40, 1, 6), (23, 8, 4)]:
        wrong = mask.copy()
        wrong[bad] = True
        assert _core.check_offsets(offsets, last, align, wrong) is None
        assert _core.check_offsets(offsets[wrong], last, align, None) is None
    assert _core.check_offsets(right, -1, 1, None) is None
    assert _core.check_offsets(right, -1, 1, np.zeros(2, bool)) is None


@pytest.mark.parametrize("dtype", "bBhHiIlLqQ")
def test_steps(dtype):
    limits = np.iinfo(dtype)
    index = np.array([0, 1, 5, limits.max, limits.min, limits.max // 2], dtype)
    signed = index.astype(np.int64)  # as addresses wrap around
    furthest = 1000 if signed.itemsize == index.itemsize else limits.max + 1
    for size, start in itertools.product((0, 1, -6), (7, -(2**40), np.arange(6) << 20)):
        wanted = start + signed.clip(-furthest, furthest) * size
        actual = _core.add_indices(start, index, size, 1000)
        assert actual.dtype == np.int64
        np.testing.assert_array_equal(actual, wanted)
        np.testing.assert_array_equal(
            _core.add_indices(start, index[2:3], size, 1000), start + 5 * size
        )


def test_masks():
    rng = np.random.default_rng(6)
    for items in (1, 5, 8, 9, 100):
        everybody = np.ones(items, bool)
        for mask in (None, everybody, rng.random(items) < 0.7):
            active = everybody if mask is None else mask
            of_all = np.ones(1, bool)  # a condition that is the same of all items
            for truth in (everybody, ~everybody, rng.random(items) < 0.5, of_all, ~of_all):
                yes, no = _core.split_mask(mask, truth)
                for actual, wanted in ((yes, active & truth), (no, active & ~truth)):
                    if actual is False:
                        assert not wanted.any()
                    elif actual is mask:
                        assert (wanted == active).all()
                    else:
                        np.testing.assert_array_equal(actual, wanted)
                        assert wanted.any() and (wanted != active).any()


def test_masks_of_other_bytes_than_one():
    """NumPy's views of bytes as truths have any."""
    mask = np.array([2, 0, 255], np.uint8).view(np.bool_)
    offsets, data = np.array([0, 1000, 8]), np.zeros(16, np.uint8)
    assert _core.check_offsets(offsets, 15, 1, mask).tolist() == [0, 0, 8]
    _core.store_scattered(data, offsets, np.array([7, 8, 9], np.uint8), 0, mask)
    assert data.tolist() == [7, *[0] * 7, 9, *[0] * 7]
