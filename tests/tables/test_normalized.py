"""Normalised integers, the channels of images: every code and every half, in four modes."""

import numpy as np
import pytest
from oracle_normalized import UNIT, code_of, half_of

import halfcl as hc

#: Name: type, greatest value.
TYPES = {
    "unorm8": (np.uint8, 255),
    "unorm16": (np.uint16, 65535),
    "snorm8": (np.int8, 127),
    "snorm16": (np.int16, 32767),
}


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("name", TYPES)
def test_every_code_is_read_rounded_once(name, mode):
    dtype, greatest = TYPES[name]
    info = np.iinfo(dtype)
    codes = np.arange(info.min, info.max + 1).astype(dtype)
    fraction = np.maximum(codes.astype(np.int64), -greatest)
    function = getattr(hc, f"from_{name}")
    want = half_of(fraction, greatest, mode)
    for got in (function(codes, rounding=mode), getattr(hc, f"from_{name}_{mode}")(codes)):
        np.testing.assert_array_equal(got.view(np.uint16), want)
    with hc.rounding(mode):
        np.testing.assert_array_equal(function(codes).view(np.uint16), want)


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("name", TYPES)
def test_every_half_is_written_rounded_once(name, mode):
    dtype, greatest = TYPES[name]
    info = np.iinfo(dtype)
    halves = np.arange(0x10000, dtype=np.uint16).view(hc.half)
    finite = np.nan_to_num(halves.astype(np.float64), nan=0, posinf=9e4, neginf=-9e4)
    want = code_of((finite * UNIT).astype(np.int64), greatest, mode)
    got = getattr(hc, f"to_{name}")(halves, rounding=mode)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.clip(want, info.min, info.max))


@pytest.mark.parametrize("name", ("unorm8", "snorm8"))
def test_short_codes_come_back(name):
    """Codes of 8 bits survive a round trip through half; several 16-bit codes are one half."""
    dtype, greatest = TYPES[name]
    codes = np.arange(np.iinfo(dtype).min, greatest + 1).astype(dtype)
    kept = np.maximum(codes.astype(int), -greatest)
    read = getattr(hc, f"from_{name}")(codes)
    np.testing.assert_array_equal(getattr(hc, f"to_{name}")(read), kept)


@pytest.mark.parametrize("name", TYPES)
def test_writing_raises_nothing(name):
    """No half raises a flag, signalling NaNs included; in one mode, or in a mode for each."""
    halves = np.arange(0x10000, dtype=np.uint16).view(hc.half)
    write = getattr(hc, f"to_{name}")
    modes = np.resize(np.repeat(np.array(hc.MODES), 3), halves.shape)
    with np.errstate(all="raise"):
        by_mode = {mode: write(halves, rounding=mode) for mode in hc.MODES}
        mixed = write(halves, rounding=modes)
    for mode, codes in by_mode.items():
        np.testing.assert_array_equal(mixed[modes == mode], codes[modes == mode])


def test_tiny_fractions_underflow():
    with np.errstate(all="raise"):
        hc.from_unorm16(np.array([0, 4, 65535], np.uint16))
        for tiny in (1, 3):
            with pytest.raises(FloatingPointError, match="underflow"):
                hc.from_unorm16(np.array([tiny], np.uint16))


def test_a_region_governs_reading_and_not_writing():
    """Reading follows regions as conversions to half do; writing has a mode of its own."""
    third, between = np.uint8(85), hc.half(0.5)
    with hc.rounding("rtp"):
        assert hc.from_unorm8(third) == hc.from_unorm8_rtp(third) != hc.from_unorm8_rtn(third)
        assert hc.to_unorm8(between) == 128 == hc.to_unorm8_rte(between)
    with hc.rounding("rtn", builtins=True):
        assert hc.to_unorm8(between) == 127


@pytest.mark.parametrize("dtype", (np.int8, np.uint16, np.float32, np.int64))
def test_other_types_are_refused(dtype):
    with pytest.raises(TypeError):
        hc.from_unorm8(np.ones(3, dtype))


def test_shapes_strides_and_vectors():
    pixels = np.arange(4 * 6 * 4, dtype=np.uint8).reshape(4, 6, 4)
    whole = hc.from_unorm8(pixels)
    np.testing.assert_array_equal(hc.from_unorm8(pixels[::-1, ::2, :3]), whole[::-1, ::2, :3])
    np.testing.assert_array_equal(hc.to_unorm8(whole[:, 1::2]), pixels[:, 1::2])
    assert hc.to_unorm8(np.float16(1)) == 255
    assert hc.from_unorm8(np.zeros((0, 4), np.uint8)).shape == (0, 4)
