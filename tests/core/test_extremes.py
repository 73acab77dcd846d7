"""argmax and argmin along axes, of half and of accelerated float16: as NumPy's of float64."""

import numpy as np
import pytest
from exhaustive import in_turn
from layouts import halves, layouts, wide

METHODS = ["argmax", "argmin"]

#: Rows and columns about as long as vectors are, one by one, and far longer.
SHAPES = [
    (1,), (2,), (31,), (32,), (33,), (100,), (9000,), (20000,),
    (1, 1), (7, 2), (2, 7), (100, 3), (50, 8), (40, 31), (40, 32), (40, 33), (40, 65), (17, 130),
    (3, 9000), (9000, 3), (300, 300), (40000, 3),
    (4, 5, 6), (2, 130, 7), (2, 7, 130), (6, 1, 5), (3, 4, 2, 5),
]  # fmt: skip

#: Equals, which differ in their bits, among others.
SPREADS = {
    "any": np.arange(1 << 16),
    "special": [0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7C01, 0xFFFF, 1, 0x8001, 0x3C00],
    "zeros": [0, 0x8000],
    "numbers": [0, 0x8000, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00],
    "nans": [0x7C01, 0xFC01, 0x7FFF, 0xFFFF],
}


def sample(shape, spread, seed=0):
    rng = np.random.default_rng([seed, *shape])
    return rng.choice(np.array(SPREADS[spread], np.uint16), shape)


@in_turn
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("spread", SPREADS)
def test_all_axes(method, spread, kind):
    for shape in SHAPES:
        for bits in layouts(sample(shape, spread)):
            x, expected = halves(bits, kind), wide(bits)
            for axis in (None, *range(-bits.ndim, bits.ndim)):
                got = getattr(x, method)(axis=axis)
                wanted = getattr(expected, method)(axis=axis)
                assert type(got) is type(wanted), (shape, axis)
                np.testing.assert_array_equal(got, wanted, strict=True)
                assert not isinstance(got, np.ndarray) or got.flags.c_contiguous


@pytest.mark.parametrize("method", METHODS)
def test_each_place(method, kind):
    """One extreme, or one NaN, at each place of a row and of a column."""
    extreme = np.inf if method == "argmax" else -np.inf
    for n in (2, 5, 31, 32, 33, 64, 70):
        for value in (extreme, np.nan, -np.nan):
            x = np.zeros((n, n), kind)
            np.fill_diagonal(x, value)
            for axis in (0, 1):
                np.testing.assert_array_equal(getattr(x, method)(axis), np.arange(n))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("first", "second"), [(0.0, -0.0), (-0.0, 0.0), (np.nan, -np.nan)])
def test_first_of_equals(method, first, second, kind):
    lesser = -1 if method == "argmax" else 1
    for n in (3, 8, 40, 100):
        x = np.full((n, n), lesser, kind)
        x[:, n // 2], x[:, n - 1] = first, second
        np.testing.assert_array_equal(getattr(x, method)(1), np.full(n, n // 2))
        np.testing.assert_array_equal(getattr(x.T.copy(), method)(0), np.full(n, n // 2))


@pytest.mark.parametrize("method", METHODS)
def test_calls(method, kind):
    """Arguments that NumPy sees to."""
    x = sample((20, 30), "special").view(kind)
    x.flags.writeable = False
    expected = wide(x.view(np.uint16))
    out = np.zeros(20, np.intp)
    assert getattr(x, method)(1, out) is out
    np.testing.assert_array_equal(out, getattr(expected, method)(1))
    for calls in ({"keepdims": True}, {"axis": 0, "keepdims": True}, {"axis": np.int8(-1)}):
        wanted = getattr(expected, method)(**calls)
        np.testing.assert_array_equal(getattr(x, method)(**calls), wanted, strict=True)
        np.testing.assert_array_equal(getattr(np, method)(x, **calls), wanted, strict=True)
    for wrong in ({"axis": 2}, {"axis": -3}):
        with pytest.raises(np.exceptions.AxisError):
            getattr(x, method)(**wrong)
    for wrong in ({"axis": 1.0}, {"axis": (0, 1)}, {"nothing": 1}):
        with pytest.raises(TypeError):
            getattr(x, method)(**wrong)
    with pytest.raises(TypeError):
        getattr(x, method)(0, None, True)
    with pytest.raises(ValueError, match="empty"):
        getattr(x[:0], method)(0)
    assert getattr(x[:0], method)(1).shape == (0,)
    assert getattr(np.array(1, kind), method)() == 0
    matrix = x.view(np.matrix)
    assert type(getattr(matrix, method)(1)) is np.matrix
