"""resample: coordinates compared with fractions, reads with the oracle."""

from fractions import Fraction

import numpy as np
import oracle_images as oracle
import pytest
from samples_images import bits_of, image_of, plain

import halfcl as hc

LINEAR, NEAREST = hc.filter_mode.LINEAR, hc.filter_mode.NEAREST


def check(image, places, result, sampler, mode="rte"):
    """Compare each texel of the result with a read at its exact coordinates."""
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
                filter_mode=filter,
                addressing_mode=hc.addressing_mode[addressing],
                rounding=mode,
            )
            assert type(got) is hc.half4 and got.shape == (*shape, 4)
            sampler = (normalized, addressing, filter is LINEAR)
            check(image, places, got, sampler, mode)


def test_own_size_changes_nothing():
    """A picture resampled to its own size stays as it is, in both filters."""
    for type_name in ("UNORM_INT8", "HALF_FLOAT"):
        image = image_of("RGBA", type_name, shape=(5, 9))
        everywhere = np.stack(np.meshgrid(np.arange(9), np.arange(5)), axis=-1)
        want = hc.read_imageh(image, everywhere)
        for filter in (NEAREST, LINEAR):
            np.testing.assert_array_equal(hc.resample(image, filter_mode=filter), want)
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
    got = hc.resample(image, (3, 4), matrix, addressing_mode=hc.addressing_mode.CLAMP)
    places = [
        [m[0] * (x + 0.5) + m[1] * (y + 0.5) + m[2] for m in matrix]
        for y in range(3)
        for x in range(4)
    ]
    check(image, places, got, (False, "CLAMP", True))


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("addressing", ["CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"])
def test_maps(addressing, mode):
    """Coordinates in float64 are rounded to float32 once, after normalisation where it repeats."""
    image = image_of("RGBA", "UNORM_INT8")
    rng = np.random.default_rng(3)
    where = rng.uniform(-3, 10, (3, 5, 2))
    size = (7, 4) if addressing.endswith("REPEAT") else (1, 1)
    places = [
        [float(Fraction(c) / n) for c, n in zip(place, size, strict=True)]
        for place in where.reshape(-1, 2).tolist()
    ]
    for filter in (NEAREST, LINEAR):
        got = hc.resample(
            image, map=where, filter_mode=filter, addressing_mode=hc.addressing_mode[addressing],
            rounding=mode,
        )  # fmt: skip
        assert type(got) is hc.half4 and got.shape == (3, 5, 4)
        check(image, places, got, (addressing.endswith("REPEAT"), addressing, filter is LINEAR),
              mode)  # fmt: skip


def test_maps_of_any_numbers():
    """Maps of any type and strides; infinities and NaN read as with read_imageh."""
    image = image_of("R", "UNORM_INT16")
    y, x = np.mgrid[:3, :6]
    where = np.stack([x, y], axis=-1)
    with np.errstate(all="raise"):
        for addressing in hc.addressing_mode:
            want = hc.resample(image, map=where, addressing_mode=addressing)
            halves = hc.half(where)
            for same in (
                where.tolist(), where.astype(np.uint8), where.astype(">f8"), where.astype("f4"),
                where.astype(np.float16), halves, where.astype(np.longdouble), hc.half2(halves),
                np.asfortranarray(where), where.astype(np.float64)[::-1, ::-1][::-1, ::-1],
            ):  # fmt: skip
                np.testing.assert_array_equal(
                    hc.resample(image, map=same, addressing_mode=addressing), want
                )
    slanted = [[0.75, -0.5, 1.25], [0.5, 0.75, -0.625]]
    places = np.stack([r[0] * (x + 0.5) + r[1] * (y + 0.5) + r[2] for r in slanted], axis=-1)
    np.testing.assert_array_equal(
        hc.resample(image, map=places), hc.resample(image, (3, 6), slanted)
    )
    assert hc.resample(image, map=np.zeros((0, 5, 2))).shape == (0, 5, 4)


def test_bad_maps():
    image = image_of("RGBA", "UNORM_INT8")
    where = np.zeros((3, 5, 2))
    for arguments in ({"shape": (3, 5)}, {"matrix": np.eye(3)[:2]}):
        (name,) = arguments
        with pytest.raises(TypeError, match=f"argument map: expected none beside a {name}"):
            hc.resample(image, map=where, **arguments)
    for bad in (where[0], where[..., :1], np.zeros((3, 5, 3)), 1, [[1, 2], [3]]):
        with pytest.raises(ValueError, match="resample: argument map: expected"):
            hc.resample(image, map=bad)
    for bad in (where.astype(complex), where.astype(bool), where.astype(object), "ab"):
        with pytest.raises(TypeError, match="resample: argument map: expected real numbers, got"):
            hc.resample(image, map=bad)


def test_bad_calls():
    image = image_of("RGBA", "UNORM_INT8")
    for shape in (3, (3,), (1, 2, 3), (1.5, 2), (-1, 2), "ab", (True, True), (2**70, 2)):
        with pytest.raises(ValueError, match="resample: argument shape: expected"):
            hc.resample(image, shape)
    for matrix in (
        1,
        np.eye(2),
        np.eye(3),
        "ab",
        [[1, 2, 3], [4]],
        [["a"] * 3] * 2,
        [["1"] * 3] * 2,
        np.ones((2, 3), bool),
        [[10**400] * 3] * 2,
        None.__class__,
    ):
        with pytest.raises(ValueError, match="resample: argument matrix: expected"):
            hc.resample(image, matrix=matrix)
    assert hc.resample(image, (0, 5)).shape == (0, 5, 4)
    for bad in (
        image.array, image_of("RGBA", "UNORM_INT8", "IMAGE3D"), image_of("R", "UNSIGNED_INT8"),
        image_of("DEPTH", "FLOAT"), image_of("RG", "HALF_FLOAT", "IMAGE1D_ARRAY"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="resample: argument image: expected"):
            hc.resample(bad)
    with pytest.raises(ValueError, match="rounding: expected one of"):
        hc.resample(image, rounding="up")
    with pytest.raises(TypeError, match="resample: argument matrix: expected an array without"):
        hc.resample(image, matrix=np.ma.masked_all((2, 3)))
    for name in ("filter_mode", "addressing_mode"):
        for bad in ("LINEAR", np.zeros(2)):
            with pytest.raises(TypeError, match=f"resample: argument {name}: expected one of"):
                hc.resample(image, **{name: bad})


def test_far_places_raise_no_flags():
    """Overflowing coordinates are outside, where the image is clamped; repeating ones wrap."""
    image = image_of("RGBA", "UNORM_INT8")
    with np.errstate(all="raise"):
        for huge in (1e300, 1e308, 1e-300):
            matrix = np.full((2, 3), huge)
            near = hc.resample(image, matrix=matrix, addressing_mode=hc.addressing_mode.CLAMP)
            assert near.shape == (image.height, image.width, 4)
            hc.resample(image, map=np.full((2, 2, 2), huge))
            hc.resample(
                image, map=np.full((2, 2, 2), huge), addressing_mode=hc.addressing_mode.REPEAT
            )
