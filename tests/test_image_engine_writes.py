"""The engine's images: raw texels read back, writes of every channel type, and bad input."""

import math
import pickle
import threading
from decimal import Decimal, getcontext
from fractions import Fraction

import image_oracle as oracle
import numpy as np
import pytest
from test_image_engine import (
    ELEMENTS,
    HALF,
    I8,
    I16,
    I32,
    LINEAR,
    MIRRORED_REPEAT,
    MODES,
    NEAREST,
    PACKED,
    REPEAT,
    RGBA,
    U8,
    U16,
    U32,
    U565,
    UNORM8,
    layout_of,
    read,
)  # fmt: skip

import halfcl
from halfcl import _core, half

INTEGERS = {
    I8: np.int8, I16: np.int16, I32: np.int32, U8: np.uint8, U16: np.uint16, U32: np.uint32,
}  # fmt: skip
PLACES = np.arange(5, dtype=np.int32)[:, None]


def write(layout, coordinates, colors, mode="rte"):
    with np.errstate(all="ignore"):
        return _core.write_image(layout, np.asarray(coordinates, np.int32), colors, mode)


def rounded_code(x, most, least, mode):
    """x times the greatest code, saturated, as an integer; NaN is 0."""
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return most if x > 0 else least
    scaled = Fraction(x) * most
    down = math.floor(scaled)
    code = {
        "rte": round(scaled),
        "rtz": math.trunc(scaled),
        "rtp": math.ceil(scaled),
        "rtn": down,
    }[mode]
    return min(max(code, least), most)


def some_colors(rng, n, dtype):
    """Colours around codes and what is halfway between them, and beyond the ends."""
    most = rng.choice([3, 31, 63, 127, 255, 1023, 32767, 65535], (n, 4))
    colors = (rng.integers(-8, 2 * most + 8) / 2 / most).astype(dtype)
    odd = np.array([math.nan, math.inf, -math.inf, -0.0, 1, -1, 2.0**-24, 65504], dtype)
    return np.where(rng.random(colors.shape) < 0.1, rng.choice(odd, colors.shape), colors)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("channel_type", [*ELEMENTS, *PACKED])
def test_writes(channel_type, dtype):
    rng = np.random.default_rng([channel_type, np.dtype(dtype).itemsize])
    n = 300
    colors = some_colors(rng, n, dtype)
    packed = channel_type in PACKED
    for mode in MODES:
        if packed:
            word, parts = PACKED[channel_type]
            array = np.zeros(n, word)
            components = RGBA if len(parts) == 4 else (0, 1, 2, -2)
            wanted = [
                sum(
                    rounded_code(float(c), most, 0, mode) << shift
                    for c, (shift, most) in zip(color, parts, strict=False)
                )
                for color in colors
            ]
        else:
            element, most = ELEMENTS[channel_type]
            array = np.zeros((n, 4), element)
            components = RGBA
            least = np.iinfo(element).min if most else 0
            wanted = [
                [rounded_code(float(c), most, least, mode) for c in color] if most else color
                for color in colors
            ]
        if channel_type == HALF and dtype == np.float32:
            with np.errstate(all="ignore"):  # tested by itself
                wanted = halfcl.convert(colors, half, rounding=mode).view(np.float16)
        layout = layout_of(array, 1, channel_type, components)
        assert write(layout, np.arange(n)[:, None], colors, mode) == 0
        np.testing.assert_array_equal(array, np.array(wanted).astype(array.dtype), strict=True)


def test_halves_and_floats_stay_as_they_are():
    bits = np.arange(1 << 16, dtype=np.uint16).reshape(-1, 4)
    array = np.zeros_like(bits).view(np.float16)
    at = np.arange(len(bits), dtype=np.int32)[:, None]
    layout = layout_of(array, 1, HALF)
    assert write(layout, at, bits.view(np.float16)) == 0
    np.testing.assert_array_equal(array.view(np.uint16), bits)
    np.testing.assert_array_equal(read(layout, None, at).view(np.uint16), bits)
    again = np.empty_like(array, half)
    _core.read_image(layout, None, at, again, "rte")
    np.testing.assert_array_equal(again.view(np.uint16), bits)


@pytest.mark.parametrize("components", [(2, 1, 0, 3), (1, 2, 3, 0)])
def test_order_of_channels(components):
    array = np.zeros((5, 4), np.float16)
    colors = np.arange(20, dtype=np.float16).reshape(5, 4)
    layout = layout_of(array, 1, HALF, components)
    write(layout, PLACES, colors)
    np.testing.assert_array_equal(array[:, list(components)], colors)
    np.testing.assert_array_equal(read(layout, None, PLACES), colors)


def test_what_is_outside_is_dropped_and_counted():
    array = np.zeros((2, 3, 4, 2), np.float16)  # two layers of 3 x 4
    layout = layout_of(array, 2, HALF, (0, 1, -1, -2), layers=2)
    at = np.array(
        [[0, 0, 0], [4, 0, 0], [-1, 0, 0], [0, 3, 0], [3, 2, 1], [0, 0, 2], [0, 0, -1],
         [2**31 - 1, -(2**31), 0], [3, 2, 1]],
        np.int32,
    )  # fmt: skip
    colors = np.arange(1, 37, dtype=np.float16).reshape(9, 4)
    assert write(layout, at, colors) == 6
    wanted = np.zeros_like(array)
    wanted[0, 0, 0] = colors[0, :2]
    wanted[1, 2, 3] = colors[8, :2]  # the last one stays
    np.testing.assert_array_equal(array, wanted)
    got = read(layout, None, at)
    np.testing.assert_array_equal(got[1:4], np.zeros((3, 4)))
    np.testing.assert_array_equal(got[4], [*colors[8, :2], 0, 1])


def test_dropped_colors_raise_nothing():
    array = np.zeros((2, 4), np.float16)
    layout = layout_of(array, 1, HALF)
    colors = np.full((2, 4), 1e6, np.float32)
    with np.errstate(all="raise"):
        assert _core.write_image(layout, np.array([[-1], [2]], np.int32), colors, "rte") == 2
        with pytest.raises(FloatingPointError, match="overflow"):
            _core.write_image(layout, np.array([[-1], [1]], np.int32), colors, "rte")


@pytest.mark.parametrize("channel_type", INTEGERS)
def test_integers(channel_type):
    dtype = INTEGERS[channel_type]
    ends = np.iinfo(dtype)
    array = np.zeros((5, 4), dtype)
    wide = np.int32 if ends.min < 0 else np.uint32
    every = np.array([0, 1, 127, 255, 65535, ends.max, np.iinfo(wide).max, np.iinfo(wide).min])
    colors = np.resize(every, (5, 4)).astype(wide)
    layout = layout_of(array, 1, channel_type, border_alpha=1)
    assert write(layout, PLACES, colors) == 0
    wanted = np.clip(colors.astype(np.int64), ends.min, ends.max)
    np.testing.assert_array_equal(array, wanted)
    np.testing.assert_array_equal(read(layout, None, PLACES, wide), wanted)
    np.testing.assert_array_equal(read(layout, None, PLACES + 5, wide), [[0, 0, 0, 1]] * 5)


def linear(code):
    c = Decimal(code) / 255
    if c <= Decimal("0.04045"):
        return Fraction(c / Decimal("12.92"))
    return Fraction(((c + Decimal("0.055")) / Decimal("1.055")) ** Decimal("2.4"))


def encoded(x):
    """OpenCL's rule for writes."""
    c = min(max(Decimal(x), Decimal(0)), Decimal(1)) if not math.isnan(x) else Decimal(0)
    if c < Decimal("0.0031308"):
        c *= Decimal("12.92")
    elif c < 1:
        c = Decimal("1.055") * c ** (1 / Decimal("2.4")) - Decimal("0.055")
    return math.floor(c * 255 + Decimal("0.5"))


def test_srgb():
    getcontext().prec = 40
    codes = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 4, 1)
    layout = layout_of(codes, 1, UNORM8, (2, 1, 0, 3), srgb=True)
    at = np.arange(256, dtype=np.int32)[:, None]
    for mode in MODES:
        got = read(layout, None, at, np.float16, mode)
        wanted = [oracle.rounded_to(linear(c), mode) for c in range(256)]
        np.testing.assert_array_equal(got[:, 0], wanted)
        np.testing.assert_array_equal(got[:, 2], wanted)
        alpha = [oracle.rounded_to(Fraction(c, 255), mode) for c in range(256)]
        np.testing.assert_array_equal(got[:, 3], alpha)
    rng = np.random.default_rng(1)
    x = rng.uniform(-0.1, 1.1, (256, 4)).astype(np.float32)
    x[0] = [math.nan, math.inf, -math.inf, 0.5]
    x[1:6] = np.array([0.0031308, 0.0031, 1, 0, 0.99])[:, None]
    x[6:200] = rng.uniform(0, 0.004, (194, 1))
    write(layout, at, x, "rtp")  # whatever the mode
    wanted = [encoded(float(c)) for c in x[:, 0]]
    np.testing.assert_array_equal(codes[:, 2], wanted)
    near = np.float32(float(linear(100.5)))  # next to where codes change
    write(layout, at[:2], np.array([[np.nextafter(near, s)] * 4 for s in (0, 1)], np.float32))
    assert codes[0, 0] == 100 and codes[1, 0] == 101


# ---------------------------------------------------------------- bad input


def layout_arguments(**other):
    array = np.zeros((4, 6, 4), np.float16)
    usual = {
        "array": array, "sizes": (6, 4, 1), "steps": (8, 48, 0, 0), "dims": 2, "layers": 0,
        "channel_type": HALF, "channels": 4, "components": RGBA, "border_alpha": 0, "srgb": False,
    }  # fmt: skip
    return {**usual, **other}


@pytest.mark.parametrize(
    "other",
    [
        {"sizes": (7, 4, 1)},
        {"sizes": (6, 5, 1)},
        {"sizes": (6, 4, 2)},
        {"sizes": (0, 4, 1)},
        {"sizes": (2**29, 4, 1)},
        {"sizes": (6, 4)},
        {"sizes": (6.0, 4, 1)},
        {"steps": (-8, 48, 0, 0)},
        {"steps": (8, 2**70, 0, 0)},
        {"steps": (8, 49, 0, 0)},
        {"steps": (8, 48, 0, 8), "layers": 25},
        {"dims": 4},
        {"layers": -1},
        {"channel_type": 0x10DF},
        {"channel_type": 0x1000},
        {"channel_type": U565},
        {"channels": 5},
        {"channels": 2},
        {"components": (0, 1, 2, 4)},
        {"components": (0, 1, 2, -3)},
        {"components": [0, 1, 2, 3]},
        {"border_alpha": 2},
        {"srgb": True},
        {"array": np.zeros((0, 6, 4), np.float16)},
        {"array": np.zeros(95, np.float16)},
    ],
)
def test_layouts_refused(other):
    with pytest.raises(ValueError, match="expected"):
        _core.ImageLayout(**layout_arguments(**other))


@pytest.mark.parametrize(
    "array", [None, [1.0], np.zeros((4, 6, 4), object), np.zeros((4, 6, 4), np.float16).view(">f2")]
)
def test_layouts_of_no_plain_array(array):
    with pytest.raises(TypeError):
        _core.ImageLayout(**layout_arguments(array=array))


def test_negative_steps_within_the_array():
    array = np.arange(12, dtype=np.float16).reshape(3, 4)[::-1]
    layout = _core.ImageLayout(
        **layout_arguments(array=array, sizes=(3, 1, 1), steps=(-8, 0, 0, 0), dims=1)
    )
    np.testing.assert_array_equal(read(layout, None, PLACES[:3]), array)
    with pytest.raises(ValueError, match="memory"):
        _core.ImageLayout(
            **layout_arguments(array=array, sizes=(4, 1, 1), steps=(-8, 0, 0, 0), dims=1)
        )


SAMPLER = (False, 0x1131, NEAREST)


@pytest.mark.parametrize(
    "sampler, coordinates, out, mode, error",
    [
        (SAMPLER, np.zeros((2, 2), np.float64), np.zeros((2, 4), np.float16), "rte", TypeError),
        (SAMPLER, np.zeros((2, 2), ">f4"), np.zeros((2, 4), np.float16), "rte", ValueError),
        (SAMPLER, np.zeros((2, 1), np.float32), np.zeros((2, 4), np.float16), "rte", ValueError),
        (SAMPLER, np.zeros(2, np.float32), np.zeros((2, 4), np.float16), "rte", ValueError),
        (SAMPLER, np.zeros((2, 4), np.float32)[:, ::2], np.zeros((2, 4), np.float16), "rte",
         ValueError),
        (SAMPLER, [[0, 0]], np.zeros((1, 4), np.float16), "rte", TypeError),
        (SAMPLER, None, np.zeros((1, 4), np.float16), "rte", TypeError),
        (SAMPLER, np.zeros((2, 2), np.float32), np.zeros((3, 4), np.float16), "rte", ValueError),
        (SAMPLER, np.zeros((2, 2), np.float32), np.zeros((2, 3), np.float16), "rte", ValueError),
        (SAMPLER, np.zeros((2, 2), np.float32), np.zeros((2, 4), np.int32), "rte", TypeError),
        (SAMPLER, np.zeros((2, 2), np.float32), np.zeros((2, 4), np.float64), "rte", TypeError),
        (SAMPLER, np.zeros((2, 2), np.float32), np.zeros((2, 4), ">f2"), "rte", ValueError),
        (SAMPLER, np.zeros((2, 2), np.float32), np.zeros((2, 4), np.float16), "up", ValueError),
        (None, np.zeros((2, 2), np.float32), np.zeros((2, 4), np.float16), "rte", TypeError),
        ((False, REPEAT, NEAREST), np.zeros((2, 2), np.float32), np.zeros((2, 4), np.float16),
         "rte", ValueError),
        ((False, 7, NEAREST), np.zeros((2, 2), np.float32), np.zeros((2, 4), np.float16), "rte",
         ValueError),
        ((False, REPEAT), np.zeros((2, 2), np.float32), np.zeros((2, 4), np.float16), "rte",
         ValueError),
    ],
)  # fmt: skip
def test_reads_refused(sampler, coordinates, out, mode, error):
    layout = _core.ImageLayout(**layout_arguments())
    out += 7
    with pytest.raises(error):
        _core.read_image(layout, sampler, coordinates, out, mode)
    assert (out == 7).all()


def test_linear_integers_are_refused():
    layout = layout_of(np.zeros((3, 4), np.int32), 1, I32)
    with pytest.raises(ValueError, match="filter"):
        read(layout, (False, 0x1131, LINEAR), np.zeros((1, 1), np.float32), np.int32)


def test_read_only():
    array = np.zeros((5, 4), np.float16)
    array.flags.writeable = False
    layout = layout_of(array, 1, HALF)
    with pytest.raises(ValueError, match="written"):
        write(layout, PLACES, np.ones((5, 4), np.float16))
    with pytest.raises(ValueError, match="out"):
        _core.read_image(layout, None, PLACES, array, "rte")
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(layout)


def test_overlap():
    """What is read or written lies in the image."""
    array = np.arange(20, dtype=np.float16).reshape(5, 4)
    layout = layout_of(array, 1, HALF)
    wanted = array[::-1].copy()
    _core.read_image(layout, None, np.ascontiguousarray(PLACES[::-1]), array, "rte")
    np.testing.assert_array_equal(array, wanted)
    assert write(layout, PLACES[::-1].copy(), array) == 0
    np.testing.assert_array_equal(array, wanted[::-1])
    flat = np.arange(8, dtype=np.int32).reshape(2, 4)  # coordinates in the image
    layout = layout_of(flat, 1, I32)
    assert write(layout, flat[0][:, None], np.full((4, 4), 9, np.int32)) == 2
    np.testing.assert_array_equal(flat, np.full((2, 4), 9))


def test_threads():
    rng = np.random.default_rng(3)
    array = rng.random((64, 64, 4)).astype(np.float16)
    layout = layout_of(array, 2, HALF)
    coordinates = rng.random((5000, 2)).astype(np.float32)
    sampler = (True, MIRRORED_REPEAT, LINEAR)
    wanted = read(layout, sampler, coordinates)
    found = [None] * 4

    def work(k):
        found[k] = read(layout, sampler, coordinates)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for got in found:
        np.testing.assert_array_equal(got, wanted)
