"""The engine's images: places, sums and channels against rationals, writes, and bad input."""

import math
from fractions import Fraction

import image_oracle as oracle
import numpy as np
import pytest
from image_oracle import CLAMP, CLAMP_TO_EDGE, LINEAR, MIRRORED_REPEAT, NEAREST, NONE, REPEAT

from halfcl import _core

SNORM8, SNORM16, UNORM8, UNORM16, U565, U555, U101010, I8, I16, I32, U8, U16, U32, HALF, FLOAT = (
    range(0x10D0, 0x10DF)
)
U1010102 = 0x10E0
MODES = ("rte", "rtz", "rtp", "rtn")
RGBA = (0, 1, 2, 3)

#: By channel type: what a channel is in memory, and the code that stands for 1.
ELEMENTS = {
    SNORM8: (np.int8, 127),
    SNORM16: (np.int16, 32767),
    UNORM8: (np.uint8, 255),
    UNORM16: (np.uint16, 65535),
    HALF: (np.float16, None),
    FLOAT: (np.float32, None),
}
#: Of packed channels: the word, and where each begins and its greatest code.
PACKED = {
    U565: (np.uint16, [(11, 31), (5, 63), (0, 31)]),
    U555: (np.uint16, [(10, 31), (5, 31), (0, 31)]),
    U101010: (np.uint32, [(20, 1023), (10, 1023), (0, 1023)]),
    U1010102: (np.uint32, [(22, 1023), (12, 1023), (2, 1023), (0, 3)]),
}


def layout_of(array, dims, channel_type, components=RGBA, layers=0, border_alpha=0, srgb=False):
    """Of an array of shape ([layers,] [d,] [h,] w[, channels])."""
    packed = channel_type in PACKED
    channels = len(PACKED[channel_type][1]) if packed else array.shape[-1]
    axes = array.shape if packed else array.shape[:-1]
    strides = array.strides[: len(axes)]
    sizes = (*reversed(axes[-dims:]), 1, 1)[:3]
    steps = (*reversed(strides[-dims:]), 0, 0)[:3]
    return _core.ImageLayout(
        array, sizes, (*steps, strides[0] if layers else 0), dims, layers, channel_type,
        channels, components, border_alpha, srgb,
    )  # fmt: skip


def read(layout, sampler, coordinates, dtype=np.float16, mode="rte"):
    out = np.empty((len(coordinates), 4), dtype)
    with np.errstate(all="ignore"):
        _core.read_image(layout, sampler, coordinates, out, mode)
    return out


def texel_reader(array, dims, channel_type, components):
    """texel(layer, z, y, x) of the oracle."""

    def texel(layer, z, y, x):
        index = (*([layer] if array.ndim > dims + (channel_type not in PACKED) else []),)
        index += (z, y, x)[3 - dims :]
        if channel_type in PACKED:
            word = int(array[index])
            channels = [
                Fraction(word >> shift & most, most) for shift, most in PACKED[channel_type][1]
            ]
        else:
            most = ELEMENTS[channel_type][1]
            channels = [
                oracle.exact(float(c)) if most is None else max(Fraction(int(c), most), -1)
                for c in array[index]
            ]
        return [channels[c] if c >= 0 else Fraction(c == -2) for c in components]

    return texel


def assert_same(got, wanted, what):
    """Numbers alike to the sign of zeros, and NaN where NaN is wanted."""
    same = (got == wanted) & (np.signbit(got) == np.signbit(wanted))
    same |= np.isnan(got) & np.isnan(wanted)
    where = np.argwhere(~same)
    assert not len(where), (
        f"{what}: at {where[0]}: {got[tuple(where[0])]}, not {wanted[tuple(where[0])]}"
    )


def coordinates_for(rng, sizes, layers, normalized, n):
    """Coordinates inside, outside, between texels and where things happen."""
    columns = []
    for size in sizes:
        scale = 1 if normalized else size
        some = rng.uniform(-0.5, 1.5, n) * scale
        grid = rng.integers(-2 * size, 4 * size, n) / 2 / (size if normalized else 1)
        near = np.nextafter(grid.astype(np.float32), np.float32(rng.choice([-9, 9])))
        corners = rng.choice(CORNERS, n)
        columns.append(np.choose(rng.integers(0, 4, n), [some, grid, near, corners]))
    if layers:
        columns.append(rng.choice([0, 0.5, 1.5, 2.5, -1, 99, 1.2, np.nan, np.inf, -np.inf], n))
    return np.stack(columns, -1).astype(np.float32)


CORNERS = np.array(
    [0.0, -0.0, 2.0**-149, -(2.0**-149), 2.0**-60, -(2.0**-30), 0.1, 1 / 3, 0.5, 1, -1,
     2.0**-24 - 1, 1 - 2.0**-24, 2, 3, 1.5, 2.0**23 + 1, -(2.0**24) - 2, 2.0**31, 2.0**33,
     -(2.0**31), 3e38, -3e38, math.inf, -math.inf, math.nan],
    np.float32,
)  # fmt: skip


def random_texels(rng, channel_type, shape, channels=4):
    if channel_type in PACKED:
        dtype = PACKED[channel_type][0]
        return rng.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    dtype = ELEMENTS[channel_type][0]
    if channel_type in (HALF, FLOAT):
        bits = np.uint16 if channel_type == HALF else np.uint32
        anything = rng.integers(0, np.iinfo(bits).max, (*shape, channels), bits, endpoint=True)
        usual = rng.uniform(-1, 1, (*shape, channels)).astype(dtype)
        return np.where(rng.random(usual.shape) < 0.2, anything.view(dtype), usual)
    ends = np.iinfo(dtype)
    some = rng.integers(ends.min, ends.max, (*shape, channels), dtype, endpoint=True)
    return np.where(rng.random(some.shape) < 0.1, dtype(ends.min), some)


@np.errstate(all="ignore")
def check(rng, array, dims, channel_type, sampler, *, components=RGBA, layers=0, border_alpha=0,
          n=24):  # fmt: skip
    """Reads at random coordinates in some mode against the oracle."""
    layout = layout_of(array, dims, channel_type, components, layers, border_alpha)
    axes = array.shape if channel_type in PACKED else array.shape[:-1]
    sizes = tuple(reversed(axes[-dims:]))
    coordinates = coordinates_for(rng, sizes, layers, sampler[0], n)
    texel = texel_reader(array, dims, channel_type, components)
    border = [Fraction(0)] * 3 + [Fraction(border_alpha)]
    colors = [
        oracle.read(texel, border, sizes, layers, sampler, [float(c) for c in row])
        for row in coordinates
    ]
    mode = MODES[rng.integers(4)]
    for dtype, form in ((np.float16, {}), (np.float32, oracle.FLOAT)):
        with np.errstate(all="ignore"):
            wanted = np.array(
                [[oracle.rounded_to(c, mode, **form) for c in color] for color in colors]
            ).astype(dtype)
        got = read(layout, sampler, coordinates, dtype, mode)
        if sampler[2] == NEAREST:  # the sign of a zero is the texel's
            got, wanted = got + dtype(0), wanted + dtype(0)
        assert_same(got, wanted, f"{channel_type:#x} {dims}D {sampler} {mode} {coordinates}")


SAMPLERS = [
    (normalized, addressing, filter)
    for normalized in (False, True)
    for addressing in (NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT)
    for filter in (NEAREST, LINEAR)
    if normalized or addressing < REPEAT
]


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("channel_type", [HALF, UNORM8])
def test_reads(channel_type, dims, sampler):
    rng = np.random.default_rng([channel_type, dims, *map(int, sampler)])
    array = random_texels(rng, channel_type, (3, 5, 7)[-dims:])
    check(rng, array, dims, channel_type, sampler, border_alpha=int(rng.integers(2)))


@pytest.mark.parametrize("filter", [NEAREST, LINEAR])
@pytest.mark.parametrize("channel_type", [*ELEMENTS, *PACKED])
def test_channel_types(channel_type, filter):
    rng = np.random.default_rng(channel_type)
    array = random_texels(rng, channel_type, (4, 6))
    components = (0, 1, 2, -2) if channel_type in (U565, U555, U101010) else RGBA
    check(rng, array, 2, channel_type, (True, CLAMP, filter), components=components,
          border_alpha=1)  # fmt: skip


@pytest.mark.parametrize("filter", [NEAREST, LINEAR])
@pytest.mark.parametrize(
    "channels, components, border_alpha",
    [
        (1, (0, -1, -1, -2), 1),  # R
        (1, (0, -1, -1, -2), 0),  # Rx
        (1, (-1, -1, -1, 0), 0),  # A
        (1, (0, 0, 0, 0), 0),  # INTENSITY
        (1, (0, 0, 0, -2), 1),  # LUMINANCE
        (2, (0, 1, -1, -2), 1),  # RG
        (2, (0, -1, -1, 1), 0),  # RA
        (3, (0, 1, 2, -2), 1),  # RGB
        (4, (2, 1, 0, 3), 0),  # BGRA
        (4, (1, 2, 3, 0), 0),  # ARGB
    ],
)
def test_components(channels, components, border_alpha, filter):
    rng = np.random.default_rng(channels)
    for channel_type in (HALF, UNORM8):
        array = random_texels(rng, channel_type, (4, 3), channels)
        check(rng, array, 2, channel_type, (False, CLAMP, filter), components=components,
              border_alpha=border_alpha)  # fmt: skip


@pytest.mark.parametrize("dims", [1, 2])
def test_layers(dims):
    rng = np.random.default_rng(dims)
    array = random_texels(rng, HALF, (3, 4, 5)[-dims - 1 :])
    layers = array.shape[0]
    check(rng, array, dims, HALF, (True, REPEAT, LINEAR), layers=layers)
    check(rng, array, dims, HALF, (False, CLAMP_TO_EDGE, NEAREST), layers=layers)


def test_strided_texels():
    rng = np.random.default_rng(5)
    array = random_texels(rng, HALF, (8, 9))[::-2, ::3]
    check(rng, array, 2, HALF, (True, CLAMP_TO_EDGE, LINEAR), n=50)
    check(rng, array, 2, HALF, (True, CLAMP_TO_EDGE, NEAREST), n=50)


@pytest.mark.parametrize("channel_type", [HALF, UNORM8, FLOAT])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_sums_of_hundreds_of_bits(dims, channel_type):
    """Tiny coordinates; subnormal texels beside large ones; sums next to where they round."""
    rng = np.random.default_rng(dims)
    dtype = ELEMENTS[channel_type][0]
    shape = (2, 2, 2)[-dims:]
    for _ in range(4):
        array = random_texels(rng, channel_type, shape)
        if channel_type != UNORM8:
            few = np.array([65504, -65504, 2.0**-24, -(2.0**-24), 2.0**-14, 0, 1, 1 + 2.0**-10])
            array = rng.choice(few, array.shape).astype(dtype)
        layout = layout_of(array, dims, channel_type)
        tiny = [2.0**-149, 2.0**-60, 0.5 + 2.0**-24, 0.25 + 2.0**-25, 0.75 - 2.0**-24, 0.3, 0.5]
        coordinates = rng.choice(tiny, (12, dims)).astype(np.float32)
        texel = texel_reader(array, dims, channel_type, RGBA)
        sampler = (True, REPEAT, LINEAR)
        colors = [
            oracle.read(texel, None, shape[::-1], 0, sampler, [float(c) for c in row])
            for row in coordinates
        ]
        for mode in MODES:
            wanted = [[oracle.rounded_to(c, mode) for c in color] for color in colors]
            got = read(layout, sampler, coordinates, np.float16, mode)
            assert_same(got, np.array(wanted).astype(np.float16), f"{coordinates} {mode}")
