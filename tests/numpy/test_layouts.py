"""Tests of layouts: other byte orders, transposed, read-only and unaligned arrays, subclasses."""

import numpy as np
import pytest
from exhaustive import in_turn


class Tagged(np.ndarray):
    """A subclass with an attribute, which results keep."""

    def __array_finalize__(self, other):
        self.tag = getattr(other, "tag", None)


CALLS = {
    "mean": np.mean,
    "var": np.var,
    "std, ddof": lambda x, axis: x.std(axis, ddof=1),
    "var, correction": lambda x, axis: np.var(x, axis, correction=1),
    "var, mean": lambda x, axis: np.var(x, axis, mean=x.mean(axis, keepdims=True)),
    "nanmean": np.nanmean,
    "nanvar": np.nanvar,
    "nanstd, correction": lambda x, axis: np.nanstd(x, axis, correction=1),
    "norm": lambda x, axis: np.linalg.norm(x, axis=axis),
    "average": np.average,
    "subtract.reduce": np.subtract.reduce,
    "add.reduce": np.add.reduce,
    "add.reduceat": lambda x, axis: np.add.reduceat(x, [0, 3], axis),
    "cumsum": np.cumsum,
    "einsum": lambda x, axis: np.einsum(x, [0, 1], [1 - axis]),
    "einsum of two": lambda x, axis: np.einsum("ij,ij->" + "ji"[axis], x, x),
    "einsum of three": lambda x, axis: np.einsum("ij,ij,ij->" + "ji"[axis], x, x, x),
    "dot": lambda x, axis: np.dot(x, x.T) if axis else np.dot(x.T, x),
}
#: Calls whose results are plain arrays for all classes.
PLAIN = {"norm", "einsum", "einsum of two", "einsum of three"}


def layouts(x):
    locked = x.copy()
    locked.flags.writeable = False
    yield np.asfortranarray(x)
    yield x[::-1, ::-1].copy()[::-1, ::-1]
    yield x.astype(x.dtype.newbyteorder())
    yield np.frombuffer(b"0" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)
    yield locked


@in_turn
@pytest.mark.filterwarnings("ignore:Mean of empty", "ignore:Degrees of freedom")
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("what", ["near", "far", "some are missing", "a line is missing"])
def test_layouts(kind, name, what):
    x = np.random.default_rng(3).normal(0.6, 0.01, (50, 7)).astype(kind)
    if what == "far":  # sums that are not exact in float32
        x[1:-1, 0], x[1:-1, -1] = 3000, -3000
        x[0], x[-1] = 3000, -3000
        x[1:-1, 1:-1] *= x.dtype.type(2**-13)
    if what.endswith("missing"):
        x[::5, 2] = np.nan
    if what.startswith("a line"):
        x[:, 3] = np.nan
    tagged = x.view(Tagged)
    tagged.tag = "mine"
    call = CALLS[name]
    with np.errstate(invalid="ignore", over="ignore"):
        for axis in (0, 1):
            want = call(x, axis)
            for y in layouts(x):
                got = call(y, axis)
                assert got.dtype == kind and np.array_equal(got, want, equal_nan=True)
            got = call(tagged, axis)
            assert np.array_equal(np.asarray(got), want, equal_nan=True)
            assert (type(got) is np.ndarray) if name in PLAIN else got.tag == "mine"


def test_outputs(kind):
    """Check outputs of other byte orders and wider types; those of wrong shapes stay unchanged."""
    x = np.random.default_rng(4).normal(0.6, 0.01, (50, 7)).astype(kind)
    x[::5, 2] = np.nan
    for call in (np.nanmean, np.nanvar, np.nanstd, np.var, np.std):
        with np.errstate(invalid="ignore"):
            want = call(x, 0)
        for dtype in (kind, kind.newbyteorder()):
            out = np.zeros(7, dtype)
            with np.errstate(invalid="ignore"):
                assert call(x, 0, out=out) is out
            assert np.array_equal(out, want, equal_nan=True)
        wide, few = np.zeros(7, np.float64), np.zeros(6, kind)
        with np.errstate(invalid="ignore"):
            assert call(x, 0, out=wide) is wide
            exact = call(x.astype(np.float64), 0)
            assert np.allclose(wide, exact, rtol=1e-5, equal_nan=True)
            with pytest.raises(ValueError):
                call(x, 0, out=few)
        assert not few.any()
        assert call(x, 0, dtype=np.float32).dtype == np.float32


def test_einsum_outputs(kind):
    x = np.arange(6).reshape(2, 3).astype(kind)
    swapped = x.astype(kind.newbyteorder())
    view = np.einsum("ij->ji", swapped)
    view[0, 1] = 9  # NumPy's views are writable, too
    assert swapped[1, 0] == 9 and view.dtype == swapped.dtype
    for out in ((), [0, 0], np.zeros(3, kind)):
        with pytest.raises((TypeError, ValueError)):
            np.einsum("ij->i", x, out=out)
    out = np.zeros(2, kind.newbyteorder())
    assert np.einsum("ij->i", x, out=out) is out and out.tolist() == [3, 12]
