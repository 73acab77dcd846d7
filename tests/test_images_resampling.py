"""resample and mipmaps: places by fractions, means of boxes by fractions."""

import math
from fractions import Fraction

import numpy as np
import oracle_images as oracle
import pytest
from images import bits_of, format_of, image_of, plain

import halfcl as hc
from halfcl.images import resampling

LINEAR, NEAREST = hc.filter_mode.LINEAR, hc.filter_mode.NEAREST

# ---------------------------------------------------------------- resample


def check(image, places, result, sampler, mode="rte"):
    """Each of the result against a read at its place, which is given in numbers of any kind."""
    names = (image.format.channel_order.name, image.format.channel_data_type.name)
    want = [
        oracle.read(plain(image.array), *names, "IMAGE2D", sampler,
                    [float(np.float32(c)) for c in place], "h", mode)
        for place in places
    ]  # fmt: skip
    assert bits_of(result, "h") == want


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("addressing", ["CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"])
def test_scaling(addressing, mode):
    image = image_of("RGBA", "UNORM_INT8")
    normalized = addressing.endswith("REPEAT")
    for shape in ((4, 7), (3, 9), (1, 1)):
        places = [
            (
                (x + 0.5) * (7 / shape[1]) / (7 if normalized else 1),
                (y + 0.5) * (4 / shape[0]) / (4 if normalized else 1),
            )
            for y in range(shape[0])
            for x in range(shape[1])
        ]
        for filter in (NEAREST, LINEAR):
            got = hc.resample(
                image,
                shape,
                filter=filter,
                addressing=hc.addressing_mode[addressing],
                rounding=mode,
            )
            assert type(got) is hc.half4 and got.shape == (*shape, 4)
            sampler = (normalized, addressing, filter is LINEAR)
            check(image, places, got, sampler, mode)


def test_nothing_to_do():
    """At its own size a picture stays as it is, in both filters."""
    for type_name in ("UNORM_INT8", "HALF_FLOAT"):
        image = image_of("RGBA", type_name, shape=(5, 9))
        everywhere = np.stack(np.meshgrid(np.arange(9), np.arange(5)), axis=-1)
        want = hc.read_imageh(image, everywhere)
        for filter in (NEAREST, LINEAR):
            np.testing.assert_array_equal(hc.resample(image, filter=filter), want)
    with hc.rounding("rtp"):
        np.testing.assert_array_equal(
            hc.resample(image_of("R", "UNORM_INT16")),
            hc.read_imageh(image_of("R", "UNORM_INT16"), everywhere[:4, :7], rounding="rtp"),
        )


def test_matrices():
    image = image_of("RGBA", "SNORM_INT16", shape=(5, 5))
    whole = hc.resample(image)
    np.testing.assert_array_equal(
        hc.resample(image, matrix=[[-1, 0, 5], [0, 1, 0]]), whole[:, ::-1]
    )
    np.testing.assert_array_equal(
        hc.resample(image, matrix=[[0, 1, 0], [1, 0, 0]]), np.asarray(whole).transpose(1, 0, 2)
    )
    matrix = [[0.75, -0.5, 1.25], [0.5, 0.75, -0.625]]
    got = hc.resample(image, (3, 4), matrix, addressing=hc.addressing_mode.CLAMP)
    places = [
        [m[0] * (x + 0.5) + m[1] * (y + 0.5) + m[2] for m in matrix]
        for y in range(3)
        for x in range(4)
    ]
    check(image, places, got, (False, "CLAMP", True))


def test_bad_calls():
    image = image_of("RGBA", "UNORM_INT8")
    for shape in (3, (3,), (1, 2, 3), (1.5, 2), (-1, 2), "ab"):
        with pytest.raises(ValueError, match="resample: argument shape: expected"):
            hc.resample(image, shape)
    for matrix in (
        1,
        np.eye(2),
        np.eye(3),
        "ab",
        [[1, 2, 3], [4]],
        [["a"] * 3] * 2,
        None.__class__,
    ):
        with pytest.raises(ValueError, match="resample: argument matrix: expected"):
            hc.resample(image, matrix=matrix)
    assert hc.resample(image, (0, 5)).shape == (0, 5, 4)
    for function in (hc.resample, hc.mipmaps):
        for bad in (
            image.array, image_of("RGBA", "UNORM_INT8", "IMAGE3D"), image_of("R", "UNSIGNED_INT8"),
            image_of("DEPTH", "FLOAT"), image_of("RG", "HALF_FLOAT", "IMAGE1D_ARRAY"),
        ):  # fmt: skip
            with pytest.raises(TypeError, match=f"{function.__name__}: argument image: expected"):
                function(bad)
        with pytest.raises(ValueError, match="rounding: expected one of"):
            function(image, rounding="up")
    with pytest.raises(TypeError, match=r"mipmaps: .*or halves, got RGBA, FLOAT"):
        hc.mipmaps(image_of("RGBA", "FLOAT"))
    wide = hc.Image(np.broadcast_to(np.uint8(1), (2**12, 2**12)), format_of("R", "UNORM_INT8"))
    with pytest.raises(ValueError, match="at most 8388608 texels, got 4096 x 4096"):
        hc.mipmaps(wide)


# ---------------------------------------------------------------- mipmaps


def overlaps(n, count, k):
    """(index, length) of the elements that box k of so many covers."""
    begin, end = Fraction(k * n, count), Fraction((k + 1) * n, count)
    return [(i, min(end, i + 1) - max(begin, i)) for i in range(math.floor(begin), math.ceil(end))]


def mean(colors, shape, j, i):
    """That of a box, in fractions; infinities and NaN as floats."""
    height, width = len(colors), len(colors[0])
    rows, columns = overlaps(height, shape[0], j), overlaps(width, shape[1], i)
    area = Fraction(height * width, shape[0] * shape[1])
    parts = [(colors[y][x], wy * wx / area) for y, wy in rows for x, wx in columns]
    return [
        oracle.weighted(numbers, [w for _, w in parts])
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
            [oracle.rounded(x, "h", mode) for x in mean(colors, shape, j, i)]
            for j in range(shape[0])
            for i in range(shape[1])
        ]
        assert k == 0 or bits_of(level, "h") == want
    assert levels[-1].shape == (1, 1, 4)
    everywhere = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1)
    whole = hc.read_imageh(image, everywhere, rounding=mode)
    np.testing.assert_array_equal(levels[0].view(np.uint16), whole.view(np.uint16))


@pytest.mark.parametrize(
    ("order", "type_name"),
    [("RGBA", "UNORM_INT8"), ("RGBA", "HALF_FLOAT"), ("sRGBA", "UNORM_INT8"), ("RG", "SNORM_INT8"),
     ("BGRA", "SNORM_INT8"), ("LUMINANCE", "UNORM_INT16"), ("RGB", "UNORM_SHORT_565"),
     ("RA", "SNORM_INT16"), ("RGBA", "UNORM_INT_101010_2"), ("RGBx", "UNORM_SHORT_555"),
     ("RGB", "UNORM_INT_101010")],
)  # fmt: skip
def test_mipmaps(order, type_name):
    for mode, shape in zip(hc.MODES, ((5, 7), (8, 8), (1, 9), (6, 1)), strict=True):
        check_mipmaps(image_of(order, type_name, shape=shape), mode)


@pytest.mark.parametrize("mode", hc.MODES)
def test_mipmaps_of_all_sizes_of_halves(mode):
    """Greatest and least, and sums half way between two halves."""
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


def test_means_of_the_image_and_not_of_means():
    """Where rounding each level would have gone another way."""
    values = np.array(
        [[1, 1 + 2**-10, 1, 1 + 2**-10, 1, 1 + 2**-10, 1 + 2**-10, 1 + 2**-10]], hc.half
    )
    levels = hc.mipmaps(hc.Image(values, format_of("R", "HALF_FLOAT")))
    step = hc.mipmaps(hc.Image(np.ascontiguousarray(levels[1].x), format_of("R", "HALF_FLOAT")))
    assert levels[-1].x == hc.half(1 + 2**-10) and step[-1].x == 1


def test_sums_near_the_limit():
    """Of the most texels that there may be; sums from the start go beyond int64."""
    greatest, texels = 65504 << 24, 1 << 23
    for n in (greatest * texels, -greatest * texels, 1, -1, 0, 3 - greatest * texels):
        quotient = int(resampling._quotient(np.array([n]), texels << 24)[0])
        assert quotient == (n * 4 // texels | (n * 4 % texels != 0))
    for count, n in ((8, 16), (7, 16)):
        values = np.full((n, 1, 1), 1 << 58)
        assert resampling._sums(values, count).ravel().tolist() == [n << 58] * count
