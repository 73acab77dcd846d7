"""Tests of NumPy's functions and ufuncs of half, compared with float16's."""

import numpy as np
import pytest
from numpy_calls import CALLS, HALF, outcome, ufuncs

from halfcl import half
from halfcl._tables import TABLE


@pytest.mark.parametrize("expression", CALLS)
def test_function(expression):
    assert outcome(expression, half) == outcome(expression, np.float16)  # warnings raise
    with np.errstate(all="ignore"):
        assert outcome(expression, half) == outcome(expression, np.float16)


def test_every_ufunc_of_float16_is_in_the_table():
    """Check that halfcl has a kernel for each ufunc with a float16 loop."""
    twins = {getattr(np, name, None) for row in TABLE for name in row.numpy}
    ufuncs = {u for u in vars(np).values() if isinstance(u, np.ufunc) and "e" in "".join(u.types)}
    assert len(ufuncs) > 60 and ufuncs <= twins


def line(dtype, numbers):
    """Return halves as integers along the number line, whose difference is 1 for one ulp."""
    if dtype != np.float16:
        return np.asarray(numbers, np.float64)
    bits = numbers.view(np.int16).astype(np.int64)
    positions = np.where(bits < 0, -(bits & 0x7FFF), bits)
    return np.where(np.isnan(numbers.view(np.float16)), 1 << 20, positions)


@pytest.mark.parametrize("name", list(ufuncs()))
def test_ufunc(name, all_halves):
    """Check that the result's dtype is float16's or half, and that errors are at most one ulp."""
    ufunc = getattr(np, name)
    plain = np.asarray(all_halves).view(np.float16)[::7]
    others = [np.roll(plain, 4321)] if ufunc.nin == 2 else []
    with np.errstate(all="ignore"):
        expected = ufunc(plain, *others)
        got = ufunc(plain.view(half), *[other.view(half) for other in others])
    for g, e in zip(*((r if ufunc.nout > 1 else (r,)) for r in (got, expected)), strict=True):
        assert g.dtype == (HALF if e.dtype == np.float16 else e.dtype)
        assert np.abs(line(e.dtype, g) - line(e.dtype, e)).max() <= (e.dtype == np.float16)


@pytest.mark.parametrize("name", ["add", "divide", "sqrt", "log", "maximum", "arctanh", "power"])
def test_where(kind, name):
    """Check that elements outside of the mask stay and raise nothing, in small and large arrays."""
    ufunc = getattr(np, name)
    rng = np.random.default_rng(1)
    for shape in ((20,), (3000,), (60, 50), (1,), (0,), ()):
        arrays = [np.asarray(rng.uniform(0.1, 0.9, shape), np.float16).view(kind) for _ in "ab"]
        mask = np.asarray(rng.random(shape) < 0.5)
        for x in arrays:
            x[~mask] = rng.choice([0, -1, np.inf, 3], int((~mask).sum()))
        arrays = arrays[: ufunc.nin]
        out = np.full(shape, 7, kind)
        with np.errstate(all="raise", under="ignore"):
            assert ufunc(*arrays, out=out, where=mask) is out
            want = ufunc(*(x[mask] for x in arrays))
        assert (out[~mask] == 7).all() and np.array_equal(out[mask], want)
        first = arrays[0].copy()
        with np.errstate(all="raise", under="ignore"):  # the output is an argument
            ufunc(first, *arrays[1:], out=first, where=mask)
        assert np.array_equal(first[mask], want)
        assert np.array_equal(first[~mask], arrays[0][~mask])
        out = np.full(shape, 7, kind)
        ufunc(*(x.T for x in arrays), out=out.T, where=mask.T)
        assert np.array_equal(out[mask], want)


def test_where_reports_exceptions_of_masked_elements(kind):
    x, zeros = np.ones(3000, kind), np.zeros(3000, kind)
    mask = np.arange(3000) == 2999
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        np.divide(x, zeros, out=x, where=mask)
    assert x[-1] == np.inf and (x[:-1] == 1).all()
    with pytest.raises(ValueError, match=r"read-only|broadcast"):
        frozen = x.copy()
        frozen.flags.writeable = False
        np.add(x, x, out=frozen, where=mask)


@pytest.mark.parametrize("name", ["less", "isnan", "logical_and", "signbit", "equal"])
def test_where_with_bool_results(kind, name):
    """Check that bool is written to an output of half as 0 and 1."""
    ufunc = getattr(np, name)
    x = np.linspace(-2, 2, 4096).astype(kind)
    x[::5] = np.nan
    mask = np.arange(4096) % 3 > 0
    arrays = (x, x[::-1].copy())[: ufunc.nin]
    out = np.full(4096, 7, kind)
    ufunc(*arrays, out=out, where=mask)
    assert np.array_equal(out, np.where(mask, ufunc(*arrays), 7))


def test_where_in_memory_of_output(kind):
    """Check a mask in the output's memory: its values before the call count."""
    memory = np.zeros(4096, np.uint16)
    mask = memory.view(bool)[:4096]
    mask[::3] = True
    was, x, out = mask.copy(), np.full(4096, 1.5, kind), memory.view(kind)
    before = out.copy()
    np.add(x, x, out=out, where=mask)
    assert (out[was] == 3).all()
    assert np.array_equal(out[~was].view(np.uint16), before[~was].view(np.uint16))
