"""mipmaps: means of boxes, compared with fractions."""

import math
from fractions import Fraction

import numpy as np
import oracle_images as oracle
import pytest
from exhaustive import in_turn, one_in
from samples_images import bits_of, format_of, image_of, plain

import halfcl as hc
from halfcl._images import mipmapping


def overlaps(n, count, k):
    """Return (index, length) of the elements that box k of these covers."""
    begin, end = Fraction(k * n, count), Fraction((k + 1) * n, count)
    return [(i, min(end, i + 1) - max(begin, i)) for i in range(math.floor(begin), math.ceil(end))]


def mean(colors, shape, j, i):
    """Return the exact mean of a box as fractions; infinities and NaN as floats."""
    height, width = len(colors), len(colors[0])
    rows, columns = overlaps(height, shape[0], j), overlaps(width, shape[1], i)
    area = Fraction(height * width, shape[0] * shape[1])
    parts = [(colors[y][x], wy * wx / area) for y, wy in rows for x, wx in columns]
    return [
        oracle.weighted_sum(numbers, [w for _, w in parts])
        for numbers in zip(*(color for color, _ in parts), strict=True)
    ]


def check_mipmaps(image, mode):
    names = (image.format.channel_order.name, image.format.channel_data_type.name)
    array = plain(image.array)
    colors = [[oracle.color_of(texel, *names) for texel in row] for row in array]
    with np.errstate(all="ignore"):
        levels = hc.mipmaps(image, rounding=mode)
    height, width = image.height, image.width
    for k, level in enumerate(levels):
        shape = max(1, height >> k), max(1, width >> k)
        assert type(level) is hc.half4 and level.shape == (*shape, 4)
        want = [
            [oracle.round_to(x, "h", mode) for x in mean(colors, shape, j, i)]
            for j in range(shape[0])
            for i in range(shape[1])
        ]
        assert k == 0 or bits_of(level, "h") == want
    assert levels[-1].shape == (1, 1, 4)
    everywhere = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1)
    with np.errstate(all="ignore"):
        whole = hc.read_imageh(image, everywhere, rounding=mode)
    np.testing.assert_array_equal(levels[0].view(np.uint16), whole.view(np.uint16))


@pytest.mark.parametrize(
    ("order", "type_name"),
    [("RGBA", "UNORM_INT8"), ("RGBA", "HALF_FLOAT"), ("sRGBA", "UNORM_INT8"), ("RG", "SNORM_INT8"),
     ("BGRA", "SNORM_INT8"), ("LUMINANCE", "UNORM_INT16"), ("RGB", "UNORM_SHORT_565"),
     ("RA", "SNORM_INT16"), ("RGBA", "UNORM_INT_101010_2"), ("RGBx", "UNORM_SHORT_555"),
     ("RGB", "UNORM_INT_101010"), ("RGBA", "FLOAT"), ("LUMINANCE", "FLOAT")],
)  # fmt: skip
def test_mipmaps(order, type_name):
    for mode, shape in zip(hc.MODES, ((5, 7), (8, 8), (1, 9), (6, 1)), strict=True):
        check_mipmaps(image_of(order, type_name, shape=shape), mode)


@pytest.mark.parametrize("mode", hc.MODES)
def test_mipmaps_of_all_sizes_of_halves(mode):
    """The greatest and least halves, and sums half way between two halves."""
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 0x7C00, (6, 5, 4)).astype(np.uint16) | 0x8000 * rng.integers(
        0, 2, (6, 5, 4)
    )
    check_mipmaps(
        hc.Image(bits.astype(np.uint16).view(hc.half), format_of("RGBA", "HALF_FLOAT")), mode
    )
    check_mipmaps(image_of("R", "HALF_FLOAT", shape=(12, 10)), mode)  # some levels are odd
    tiny = np.array([[1, 0, 3, 2, 1, 1, 65535, 32769]], np.uint16).view(hc.half)
    check_mipmaps(hc.Image(tiny[:, :6], format_of("R", "HALF_FLOAT")), mode)
    greatest = np.full((2, 3), 65504, hc.half)
    assert all((level.x == 65504).all() for level in hc.mipmaps(
        hc.Image(greatest, format_of("R", "HALF_FLOAT")), rounding=mode))  # fmt: skip


def test_mipmaps_of_infinities_and_nans():
    values = np.ones((4, 8), hc.half)
    values[0, 0], values[0, 2], values[1, 3], values[2, 5], values[3, 7] = (
        np.inf, np.inf, -np.inf, np.nan, -np.inf,
    )  # fmt: skip
    image = hc.Image(values, format_of("R", "HALF_FLOAT"))
    check_mipmaps(image, "rte")
    np.testing.assert_array_equal(
        hc.mipmaps(image)[1].x.astype(float), [[np.inf, np.nan, 1, 1], [1, 1, np.nan, -np.inf]]
    )


def test_means_are_of_the_image_not_of_the_previous_level():
    """Rounding each level would give another result here."""
    values = np.array(
        [[1, 1 + 2**-10, 1, 1 + 2**-10, 1, 1 + 2**-10, 1 + 2**-10, 1 + 2**-10]], hc.half
    )
    levels = hc.mipmaps(hc.Image(values, format_of("R", "HALF_FLOAT")))
    step = hc.mipmaps(hc.Image(np.ascontiguousarray(levels[1].x), format_of("R", "HALF_FLOAT")))
    assert levels[-1].x == hc.half(1 + 2**-10) and step[-1].x == 1


# ---------------------------------------------------------------- floats


def floats(values):
    return hc.Image(np.array(values, np.float32), format_of("R", "FLOAT"))


@pytest.mark.parametrize("mode", hc.MODES)
def test_mipmaps_of_all_sizes_of_floats(mode):
    """Arbitrary bits; and sums over the whole range of exponents of float."""
    rng = np.random.default_rng(6)
    bits = rng.integers(0, 2**32, (5, 6, 4), np.uint32)
    bits[rng.random(bits.shape) < 0.3] &= np.uint32(0x8FFFFFFF)  # below 2^-95
    values = bits.view(np.float32)
    values[~np.isfinite(values)] = 0
    check_mipmaps(hc.Image(values, format_of("RGBA", "FLOAT")), mode)
    values = np.ldexp(rng.normal(size=(4, 8, 4)), rng.integers(-45, 25, (4, 8, 4)))
    check_mipmaps(hc.Image(values.astype(np.float32), format_of("RGBA", "FLOAT")), mode)


@one_in(2)
@pytest.mark.parametrize("mode", hc.MODES)
def test_great_floats_that_cancel(mode):
    """Sums that cancel but for the least float, next to halves, and half way between two."""
    great, least = 2.0**127, 2.0**-149
    for rest in (0, least, -least, 1, 65504, 65520):
        for last in (0, least, -least):
            check_mipmaps(floats([[great, 4 * rest, -great, last]]), mode)
    for tie in (2.0**-25, 3 * 2.0**-25, 1 + 2.0**-11, 65520.0):
        for last in (0, least, -least):
            check_mipmaps(floats([[tie, last + tie, tie - great, great]]), mode)
            check_mipmaps(floats([[tie, last], [great, tie], [-great, tie]]), mode)
    for least_ones in ([[least, 0, 0]], [[-least, 0]], [[least, -least]], [[-0.0, -0.0]]):
        check_mipmaps(floats(least_ones), mode)


@pytest.mark.parametrize("mode", hc.MODES)
def test_means_of_floats_beyond_half(mode):
    greatest = np.finfo(np.float32).max
    for values in ([greatest] * 9, [-greatest] * 4, [65504, 65535, 65536], [2.0**40, 2.0**17]):
        check_mipmaps(floats([values]), mode)
        check_mipmaps(floats(np.transpose([values])), mode)


def test_infinities_and_nans_among_floats():
    values = np.full((4, 4), np.float32(1e30))
    values[0, 0], values[1, 3], values[2, 0], values[3, 1] = np.inf, -np.inf, np.inf, -np.inf
    values.view(np.uint32)[2, 2] = 0x7F800001  # signaling
    check_mipmaps(hc.Image(values, format_of("R", "FLOAT")), "rtz")
    with np.errstate(over="ignore", invalid="ignore"):
        means = hc.mipmaps(hc.Image(values, format_of("R", "FLOAT")))[1]
    np.testing.assert_array_equal(means.x.astype(float), [[np.inf, -np.inf], [np.nan, np.nan]])


# ---------------------------------------------------------------- many texels


@in_turn
@pytest.mark.parametrize("texels", (2**20 - 1, 2**23, 2**24 + 1, 2**31, 2**40 - 1))
@pytest.mark.parametrize(("type_name", "greatest"), [
    ("HALF_FLOAT", 65504), ("FLOAT", float(np.finfo(np.float32).max)), ("UNORM_INT16", 1),
    ("SNORM_INT16", 1), ("UNORM_INT8", 1),
])  # fmt: skip
def test_sums_of_many_texels(type_name, greatest, texels):
    """The greatest sums of more texels than a test has, and their last bits."""
    image = image_of("RGBA", type_name)
    unit = mipmapping._units(image)[0]
    step = Fraction(1, unit.divisor << unit.bits)
    if type_name == "FLOAT":
        step = Fraction(1, 1 << 149)
    least = float(step)
    weights = ((1, texels - 1), (texels - 1, 1), (texels // 2, texels - texels // 2))
    for pair in ((greatest, greatest), (-greatest, -greatest), (greatest, least),
                 (greatest, -greatest), (-greatest, least), (least, least), (0, 0)):  # fmt: skip
        numbers = [round(Fraction(x) / step) * step for x in pair]
        colors = np.array(pair, np.float64).reshape(1, 2, 1) * np.ones(4)
        limbs = mipmapping._limbs(mipmapping._in_units(colors, (unit,) * 4), texels)
        digits = limbs.digits[0, :, ::4].astype(object)
        for weight in weights:
            exact = sum(n * w for n, w in zip(numbers, weight, strict=True)) / texels
            sums = [np.array([d], np.int64) for d in weight[0] * digits[0] + weight[1] * digits[1]]
            mean = mipmapping._mean(sums, limbs, unit, texels)
            for mode in hc.MODES:
                with np.errstate(all="ignore"):
                    got = hc.convert(mean, hc.half, rounding=mode).view(np.uint16)[0]
                assert got == oracle.round_to(exact, "h", mode), (pair, weight, mode)


def test_running_sums_may_wrap():
    for count, n in ((8, 16), (7, 16)):
        values = np.full((n, 1, 1), 1 << 58)
        running = mipmapping._running_sums(values)
        assert mipmapping._sums(running, count).ravel().tolist() == [n << 58] * count


def test_many_rows_and_columns():
    """One row or column of a prime number of texels, in each mode."""
    codes = np.random.default_rng(7).integers(0, 256, 65537, np.uint8)
    exact = Fraction(int(codes.sum(dtype=int)), 255 * codes.size)
    for mode, shape in zip(hc.MODES, ((1, -1), (-1, 1)) * 2, strict=True):
        levels = hc.mipmaps(hc.Image(codes.reshape(shape), format_of("R", "UNORM_INT8")),
                            rounding=mode)  # fmt: skip
        assert len(levels) == 17
        assert bits_of(levels[-1], "h")[0][0] == oracle.round_to(exact, "h", mode)


def test_bad_calls():
    image = image_of("RGBA", "UNORM_INT8")
    for bad in (
        image.array, image_of("RGBA", "UNORM_INT8", "IMAGE3D"), image_of("R", "UNSIGNED_INT8"),
        image_of("DEPTH", "FLOAT"), image_of("RG", "HALF_FLOAT", "IMAGE1D_ARRAY"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="mipmaps: argument image: expected"):
            hc.mipmaps(bad)
    with pytest.raises(ValueError, match="rounding: expected one of"):
        hc.mipmaps(image, rounding="up")
