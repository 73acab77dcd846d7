"""numpy.where of masks and halves, arrays or numbers, for half and accelerated float16."""

import numpy as np
import pytest

import halfcl as hc

SHAPES = [(1,), (7,), (16,), (33,), (1000,), (20000,), (4, 7), (70, 33), (3, 4, 5), (0,), (3, 0)]


def sample(shape, seed):
    return np.random.default_rng(seed).integers(0, 1 << 16, shape, dtype=np.uint16)


def truths(shape, seed=0):
    return np.random.default_rng(seed).random(shape) < 0.5


def check(mask, chosen, otherwise, kind):
    """Check that bits and memory layout equal those of NumPy's result on uint16."""
    got = np.where(mask, chosen.view(kind), otherwise.view(kind))
    expected = np.where(mask, chosen, otherwise)
    assert got.dtype == kind and type(got) is type(expected)
    np.testing.assert_array_equal(got.view(np.uint16), expected, strict=True)
    assert got.strides == expected.strides and got.flags.writeable


def test_arrays_of_all_shapes(kind):
    for shape in SHAPES:
        a, b, mask = sample(shape, 1), sample(shape, 2), truths(shape)
        check(mask, a, b, kind)
        check(mask, a, a, kind)
        check(mask.T, a.T, b.T, kind)
        check(mask, np.asfortranarray(a), b, kind)
        check(mask[::-1], a, b[::-1], kind)
        check(mask[..., ::2], a[..., ::2], b[..., ::2], kind)
        frozen = a.copy()
        frozen.flags.writeable = False
        check(mask, frozen, b, kind)


def test_broadcasting(kind):
    m, row, column = sample((6, 5), 3), sample(5, 4), sample((6, 1), 5)
    for mask in (truths((6, 5)), truths(5), truths((6, 1)), truths((2, 6, 5)), truths((1, 1))):
        for a in (m, row, column, m[:1], m[:1, :1]):
            for b in (m, row, column):
                check(mask, a, b, kind)
    check(np.array(True), m, row, kind)
    check(np.True_, m, row, kind)
    check(True, m, row, kind)
    check(truths((6, 5)), np.array(7, np.uint16), m, kind)
    with pytest.raises(ValueError, match="broadcast"):
        np.where(truths(4), m.view(kind), row.view(kind))


def test_truths_of_other_types(kind):
    a, b = sample(40, 6), sample(40, 7)
    for mask in (truths(40).astype(np.int8) * 3, truths(40).astype("f4"), truths(40).astype(object),
                 truths(40).tolist(), truths(40).view(np.uint8) * 2):  # fmt: skip
        check(mask, a, b, kind)
    odd = (truths(40) * np.uint8(255)).view(bool)  # bytes that are neither 0 nor 1
    check(odd, a, b, kind)


@pytest.mark.parametrize(
    "number",
    [0, 1, -3, 2048, 65504, 0.5, -0.0, 0.1, np.inf, -np.inf, np.nan, 1e-7, 2.0**-24, True],
    ids=str,
)
@pytest.mark.parametrize("size", [5, 100])
def test_numbers_are_converted_as_for_float16(number, size, kind):
    """Like float16, the result has the array's type, and numbers are rounded to it."""
    a, mask = sample(size, 8).view(np.float16), truths(size)
    plain = np.float16(number)
    for one, other, expected in (
        (a.view(kind), number, np.where(mask, a.view(np.uint16), plain.view(np.uint16))),
        (number, a.view(kind), np.where(mask, plain.view(np.uint16), a.view(np.uint16))),
    ):
        got = np.where(mask, one, other)
        assert got.dtype == kind
        np.testing.assert_array_equal(got.view(np.uint16), expected)
    got = np.where(mask, a.view(kind), kind.type(plain))
    np.testing.assert_array_equal(
        got.view(np.uint16), np.where(mask, a.view(np.uint16), plain.view(np.uint16))
    )


def test_large_numbers_overflow(kind):
    a, mask = np.zeros(40, kind), truths(40)
    with np.errstate(all="ignore"):
        got = np.where(mask, a, 1e6)
    np.testing.assert_array_equal(np.isinf(got.astype(np.float32)), ~mask)


def test_other_types_promote_as_in_numpy(kind):
    """NumPy determines the common dtype."""
    a, mask = np.arange(40).astype(kind), truths(40)
    for letter in "fdi":
        b = np.full(40, 7, letter)
        got = np.where(mask, a, b)
        assert got.dtype == np.result_type(a.dtype, b.dtype)
        np.testing.assert_array_equal(got, np.where(mask, np.arange(40), 7))
    swapped = a.astype(a.dtype.newbyteorder())
    np.testing.assert_array_equal(np.where(mask, swapped, a), a)
    sub = a.view(type("Sub", (np.ndarray,), {}))
    np.testing.assert_array_equal(np.where(mask, sub, a), a)
    assert np.where(mask, None, a).dtype == object


def test_half_beside_float16():
    a, mask = np.arange(40).astype(hc.half), truths(40)
    b = a.view(np.float16)
    for accelerate in (False, True):
        with hc.accelerated() if accelerate else np.errstate():
            got = np.where(mask, a, b)
            assert got.dtype == np.result_type(a.dtype, b.dtype)
            np.testing.assert_array_equal(got.view(np.uint16), a.view(np.uint16))
