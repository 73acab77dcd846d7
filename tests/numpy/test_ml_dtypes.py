"""Tests of casts between half and the types of ml_dtypes, compared with float16's."""

import numpy as np
import pytest

import halfcl as hc
from halfcl import half

ml_dtypes = pytest.importorskip("ml_dtypes")
TYPES = sorted(
    name
    for name, value in vars(ml_dtypes).items()
    if isinstance(value, type) and np.dtype(value).isbuiltin == 2 and "complex" not in name
)


def assert_same_numbers(a, b):
    a, b = a.astype(float), b.astype(float)
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TYPES)
def test_casts_are_float16s(name):
    other = np.dtype(getattr(ml_dtypes, name))
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    if "int" in name:
        halves = halves[np.isfinite(halves) & (abs(halves) < 8)]
    assert_same_numbers(halves.view(half).astype(other), halves.astype(other))
    codes = (
        np.arange(256, dtype=np.uint8).view(other) if other.itemsize == 1 else halves.astype(other)
    )
    if "int" in name or "float4" in name or "float6" in name:
        codes = halves.astype(other)
    for got in (codes.astype(half), codes[::3].astype(half)):
        assert got.dtype == half
    assert_same_numbers(codes.astype(half), codes.astype(np.float16))
    for casting in ("safe", "same_kind", "unsafe"):
        assert np.can_cast(other, half, casting) == np.can_cast(other, np.float16, casting)
        assert np.can_cast(half, other, casting) == np.can_cast(np.float16, other, casting)


@pytest.mark.parametrize("mode", ["rtp", "rtn", "rtz"])
def test_to_half_in_mode_of_region(mode):
    x = np.array([1e-7, -1e-7, 3e-6, 70000], ml_dtypes.bfloat16)
    with hc.rounding(mode), np.errstate(all="ignore"):
        np.testing.assert_array_equal(x.astype(half), x.astype(np.float32).astype(half))


def test_scalars_assignment_and_byte_order():
    target = np.zeros(2, ml_dtypes.bfloat16)
    target[:] = half([1.5, 2])
    assert target.tolist() == [1.5, 2]
    swapped = half([1.5, 2]).astype(np.dtype(half).newbyteorder())
    assert swapped.astype(ml_dtypes.bfloat16).tolist() == [1.5, 2]
    assert np.empty(0, half).astype(ml_dtypes.int4).size == 0
