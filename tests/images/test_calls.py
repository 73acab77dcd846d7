"""Calls of the image functions: shapes and types of arguments, and refused calls."""

import math
import threading

import numpy as np
import oracle_images as oracle
import pytest
from exhaustive import in_turn
from samples_images import (
    SHAPES,
    format_of,
    functions_of,
    image_of,
    order_of,
    sampler_of,
    texels,
)

import halfcl as hc

NEAREST = sampler_of(False, "CLAMP_TO_EDGE", False)
RGBA8 = format_of("RGBA", "UNORM_INT8")
R8 = format_of("R", "UNORM_INT8")

# ---------------------------------------------------------------- shapes of calls


@in_turn
@pytest.mark.parametrize("shape", [(), (0,), (1,), (5,), (2, 3), (3, 0, 2)])
@pytest.mark.parametrize("kind", SHAPES)
def test_shapes_of_coordinates(kind, shape):
    image = image_of("RGBA", "UNORM_INT8", kind)
    width = {1: (), 2: (2,), 3: (4,)}[len(SHAPES[kind])]
    coord = np.ones((*shape, *width), np.int32)
    for result in (
        hc.read_imageh(image, coord),
        hc.read_imageh(image, coord.tolist()) if coord.size else None,
        hc.read_imageh(image, NEAREST, coord.astype("f4")) if "BUFFER" not in kind else None,
    ):
        if result is not None:
            assert type(result) is hc.half4 and result.shape == (*shape, 4)
    assert hc.write_imageh(image, coord, hc.half4(1)) == 0


def test_results():
    for type_name, names in (
        ("UNORM_INT8", {"h": hc.half4, "f": hc.float4}),
        ("SIGNED_INT8", {"i": hc.int4}),
        ("UNSIGNED_INT8", {"ui": hc.uint4}),
    ):
        image = image_of("RGBA", type_name)
        for name, kind in names.items():
            result = getattr(hc, f"read_image{name}")(image, (1, 1))
            assert type(result) is kind and result.shape == (4,)


def test_depth_gives_scalars():
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    image = hc.Image(array, format_of("DEPTH", "FLOAT"))
    got = hc.read_imagef(image, (2, 1))
    assert type(got) is np.float32 and got == 6
    grid = np.stack(np.meshgrid(np.arange(4), np.arange(3)), axis=-1)
    np.testing.assert_array_equal(hc.read_imagef(image, grid), array)
    out = np.zeros((3, 4), np.float32)
    assert hc.read_imagef(image, grid, out=out) is out
    np.testing.assert_array_equal(out, array)
    assert hc.write_imagef(image, grid, 7) == 0 and (array == 7).all()
    assert hc.write_imagef(image, [(0, 0), (9, 9)], np.float32([1, 2])) == 1 and array[0, 0] == 1
    layers = hc.Image(np.zeros((2, 3, 4), np.uint16), format_of("DEPTH", "UNORM_INT16"), 0x10F3)
    assert hc.write_imagef(layers, hc.int4(1, 2, 1, 0), 1.0) == 0 and layers.array[1, 2, 1] == 65535
    with pytest.raises(TypeError, match=r"read_imageh: argument image: .*not DEPTH.*read_imagef"):
        hc.read_imageh(image, (0, 0))
    with pytest.raises(TypeError, match=r"write_imageh: argument image: .*not DEPTH"):
        hc.write_imageh(image, (0, 0), hc.half4(0))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">i8"])
def test_types_of_integer_coordinates(dtype):
    image = image_of("RGBA", "UNORM_INT8")
    where = np.array([[0, 1], [6, 3], [7, 0], [3, 100]])
    np.testing.assert_array_equal(
        hc.read_imageh(image, where.astype(dtype)), hc.read_imageh(image, where.astype("i4"))
    )


@pytest.mark.parametrize("dtype", ["f4", ">f4", "f2", ">f2", hc.half])
def test_types_of_float_coordinates(dtype):
    image, sampler = image_of("RGBA", "UNORM_INT8"), sampler_of(False, "CLAMP", True)
    where = np.array([[0, 1.25], [6.5, 3], [-0.5, 0], [3, 100]])
    want = hc.read_imageh(image, sampler, where.astype("f4"))
    for coord in (where.astype(dtype), where.tolist()):
        with hc.rounding("rtp", strict=True):
            got = hc.read_imageh(image, sampler, coord, rounding="rte")
        np.testing.assert_array_equal(got, want)
    if dtype is hc.half:
        got = hc.read_imageh(image, sampler, where.astype(dtype).view(hc.half2))
        np.testing.assert_array_equal(got, want)


def test_far_integers_stay_outside():
    """Low bits of a 64-bit integer must not pass for a coordinate inside."""
    image = hc.Image(np.full((2, 2), 255, np.uint8), R8)
    for far in (-(2**63), -(2**32), -(2**31) - 1, 2**31, 2**32, 2**63 - 1):
        assert hc.read_imageh(image, np.array([far, 0])).tolist() == [0, 0, 0, 1]
        assert hc.read_imageh(image, NEAREST, np.array([far, 0])).tolist() == [1, 0, 0, 1]
    assert hc.read_imageh(image, np.array([2**64 - 1, 0], np.uint64)).x == 0
    for far in (2**63, 2**64, 10**30, -(10**30)):  # NumPy makes floats or objects of these
        for where in ((far, 0), [(0, -1), (0, far)], (np.int64(0), far)):
            assert not np.any(hc.read_imageh(image, where).x)
            assert hc.write_imageh(image, where, hc.half4(1)) == np.size(where) // 2
        assert hc.read_imageh(image, NEAREST, (far, -far)).tolist() == [1, 0, 0, 1]


def test_coordinates_raise_no_flags():
    """Conversion to float32 raises no flags, whatever the result."""
    image = image_of("RGBA", "UNORM_INT8")
    signaling = np.array([0x7D01, 0], np.uint16).view(hc.half)
    with np.errstate(all="raise"):
        for where in ([1e300, 0.0], [1e-300, 0.1], [math.nan, -math.inf], signaling):
            assert hc.read_imageh(image, NEAREST, where).shape == (4,)


def test_the_fourth_coordinate_is_ignored():
    for kind in ("IMAGE3D", "IMAGE2D_ARRAY"):
        image = image_of("RGBA", "UNORM_INT8", kind)
        want = hc.read_imageh(image, hc.int4(1, 2, 2, 0))
        for coord in (hc.int4(1, 2, 2, -99), np.array([1, 2, 2]), hc.int3(1, 2, 2), (1, 2, 2)):
            np.testing.assert_array_equal(hc.read_imageh(image, coord), want)
        where = hc.float4(1.5, 2.5, 2, np.nan)
        np.testing.assert_array_equal(hc.read_imageh(image, NEAREST, where), want)


def test_out():
    image = image_of("RGBA", "UNORM_INT8")
    where = np.stack(np.meshgrid(np.arange(-1, 8), np.arange(5)), axis=-1)
    want = np.asarray(hc.read_imageh(image, where))
    spread = np.zeros((5, 18, 4), hc.half)
    raw = np.zeros(want.nbytes + 1, np.uint8)
    for out in (
        np.zeros(want.shape, hc.half), np.zeros(want.shape, np.float16),
        np.zeros(want.shape, hc.half).view(hc.half4), spread[:, ::2],
        raw[1:].view(np.float16).reshape(want.shape),
    ):  # fmt: skip
        assert hc.read_imageh(image, where, out=out) is out
        np.testing.assert_array_equal(np.asarray(out), want)
    assert not spread[:, 1::2].any()
    floats = np.zeros((*where.shape[:-1], 4), np.float32)
    assert hc.read_imagef(image, NEAREST, where, out=floats) is floats
    read_only = np.zeros(want.shape, hc.half)
    read_only.flags.writeable = False
    for out, error in (
        (floats, TypeError), (np.zeros(want.shape, ">f2"), TypeError), ([], TypeError),
        (np.zeros((5, 9), hc.half), ValueError), (read_only, TypeError),
        (np.ma.zeros(want.shape, np.float16), TypeError),
        (np.zeros((1, *want.shape), hc.half), ValueError),
    ):  # fmt: skip
        with pytest.raises(error, match="read_imageh: argument out: expected"):
            hc.read_imageh(image, where, out=out)


def test_out_in_the_memory_of_arguments():
    array = np.arange(32).reshape(8, 4).astype(hc.half)
    image = hc.Image(array, format_of("RGBA", "HALF_FLOAT"))
    want = array[::-1].copy()
    hc.read_imageh(image, np.arange(7, -1, -1), out=array)
    np.testing.assert_array_equal(array, want)
    memory = np.arange(1200, dtype=np.int32) % 4  # coordinates of more than one block, and out
    where, out = memory[:600].reshape(300, 2), memory.reshape(300, 4)
    image = hc.Image(np.arange(16, dtype=np.int8).reshape(4, 4), format_of("R", "SIGNED_INT8"))
    want = hc.read_imagei(image, where)
    hc.read_imagei(image, where, out=out)
    np.testing.assert_array_equal(out, want)


def test_threads():
    image, sampler = image_of("RGBA", "HALF_FLOAT"), sampler_of(True, "REPEAT", True)
    where = np.random.default_rng(0).uniform(-2, 2, (4000, 2)).astype(np.float32)
    want = {mode: hc.read_imageh(image, sampler, where, rounding=mode) for mode in hc.MODES}
    results = {}

    def run(mode):
        with hc.rounding(mode):
            results[mode] = hc.read_imageh(image, sampler, where)

    threads = [threading.Thread(target=run, args=(mode,)) for mode in hc.MODES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mode in hc.MODES:
        np.testing.assert_array_equal(results[mode], want[mode])


# ---------------------------------------------------------------- bad calls


class Impostor:
    format = RGBA8


LINEAR = sampler_of(False, "CLAMP", True)
NORMAL = sampler_of(True, "CLAMP", False)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (((1, 1.5),), TypeError, "coord: expected integers where there is no sampler"),
        ((NEAREST, np.zeros(2)), TypeError, "coord: expected integers, or float32.* got float64"),
        ((NEAREST, np.zeros(2, bool)), TypeError, "coord: .* got bool"),
        ((NEAREST, "ab"), TypeError, "coord: expected integers, or float32"),
        ((NEAREST, [10**30, None]), TypeError, "coord: .* got object"),
        ((NEAREST, [10**30, True]), TypeError, "coord: .* got object"),
        (([2**63, 0.5],), TypeError, "coord: expected integers .* got floats"),
        ((NEAREST, np.ma.array([1, 2])), TypeError, "coord: expected an array without a mask"),
        ((NEAREST, [1 + 1j, 0]), TypeError, "coord: .* got complex128"),
        ((NEAREST, np.zeros(2, "m8[s]")), TypeError, "coord: .* got timedelta64"),
        ((NEAREST, [[1, 2], [3]]), ValueError, "coord: expected numbers in an array"),
        ((NEAREST, 1), ValueError, r"coord: expected a last axis of length 2.*IMAGE2D.*\(\)"),
        ((NEAREST, (1, 2, 3)), ValueError, "coord: expected a last axis of length 2"),
        ((NEAREST, hc.int4(1)), ValueError, "coord: expected a last axis of length 2"),
        ((NEAREST, np.zeros((2, 0), int)), ValueError, "coord: expected a last axis of length 2"),
        ((LINEAR, (1, 2)), ValueError, "sampler: expected filter mode NEAREST"),
        ((NORMAL, (1, 2)), ValueError, "sampler: .*not normalised, where they are integers"),
        (("nearest", (1, 2)), TypeError, "sampler: expected a halfcl.Sampler"),
        (((1, 2), NEAREST), TypeError, "coord: expected coordinates, got none"),
        ((NEAREST,), TypeError, "coord: expected coordinates, got none"),
        ((None,), TypeError, "coord: expected coordinates, got none"),
    ],
)
def test_bad_reads(arguments, error, message):
    with pytest.raises(error, match=f"^read_imageh: argument {message}"):
        hc.read_imageh(image_of("RGBA", "UNORM_INT8"), *arguments)


def test_bad_reads_of_other_images():
    buffer = image_of("RGBA", "UNORM_INT8", "IMAGE1D_BUFFER")
    with pytest.raises(TypeError, match="sampler: expected none, as 1D image buffers"):
        hc.read_imageh(buffer, NEAREST, 1)
    line = image_of("RGBA", "UNORM_INT8", "IMAGE1D")
    with pytest.raises(TypeError, match="coord: expected scalars, as an IMAGE1D has, got int2"):
        hc.read_imageh(line, hc.int2(1, 2))
    for kind in ("IMAGE3D", "IMAGE2D_ARRAY"):
        for width in (2, 5):
            with pytest.raises(ValueError, match="coord: expected a last axis of length 4 or 3"):
                hc.read_imageh(image_of("RGBA", "UNORM_INT8", kind), np.zeros(width, int))
    for integers, call in (("SIGNED_INT8", hc.read_imagei), ("UNSIGNED_INT8", hc.read_imageui)):
        with pytest.raises(ValueError, match="sampler: expected filter mode NEAREST, as integers"):
            call(image_of("RGBA", integers), LINEAR, hc.float2(1, 2))
    for image in (None, np.zeros((2, 2, 4), np.uint8), Impostor()):
        with pytest.raises(TypeError, match=r"argument image: expected a halfcl\.Image, got"):
            hc.read_imageh(image, (1, 2))
        with pytest.raises(TypeError, match=r"argument image: expected a halfcl\.Image, got"):
            hc.write_imageh(image, (1, 2), hc.half4(0))
    for bad in ("up", "", 0, None.__class__):
        with pytest.raises(ValueError, match="rounding: expected one of"):
            hc.read_imageh(line, 1, rounding=bad)
        with pytest.raises(ValueError, match="rounding: expected one of"):
            hc.write_imageh(line, 1, hc.half4(0), rounding=bad)


@pytest.mark.parametrize("type_name", oracle.DTYPES)
def test_functions_that_a_type_is_not_for(type_name):
    order = order_of(type_name)
    image = image_of(order, type_name)
    before = image.array.tobytes()
    for numbers in {"h", "f", "i", "ui"} - set(functions_of(type_name)):
        right = functions_of(type_name)[-1]
        message = f"image{numbers}: argument image: expected .*{type_name}; .*_image{right}"
        with pytest.raises(TypeError, match=f"read_{message}"):
            getattr(hc, f"read_image{numbers}")(image, (1, 2))
        with pytest.raises(TypeError, match=f"write_{message}"):
            getattr(hc, f"write_image{numbers}")(image, (1, 2), (0, 0, 0, 0))
    assert image.array.tobytes() == before


WRITES = {"h": "RGBA UNORM_INT8", "f": "RGBA FLOAT", "i": "RGBA SIGNED_INT8",
          "ui": "RGBA UNSIGNED_INT8"}  # fmt: skip


@pytest.mark.parametrize(
    ("numbers", "coord", "color", "error", "message"),
    [
        ("h", (1.0, 2.0), hc.half4(1), TypeError, "coord: expected integers, got floats"),
        ("h", (1, 2, 3), hc.half4(1), ValueError, "coord: expected a last axis of length 2"),
        ("h", (1, 2), hc.float4(1), TypeError, "color: expected half .* got float32"),
        ("h", (1, 2), np.ones(4), TypeError, "color: expected half .* got float64"),
        ("h", (1, 2), np.ones(4, int), TypeError, "color: expected half .* got int64"),
        ("h", (1, 2), np.ma.ones(4, "f2"), TypeError, "color: expected an array without a mask"),
        ("h", np.ma.array([1, 2]), hc.half4(1), TypeError, "coord: expected .* without a mask"),
        ("h", (1, 2), "abcd", ValueError, "color: expected a last axis of length 4"),
        ("h", (1, 2), list("abcd"), TypeError, "color: expected half"),
        ("h", (1, 2), [1j] * 4, TypeError, "color: expected half"),
        ("h", (1, 2), hc.half3(1), ValueError, "color: expected a last axis of length 4"),
        ("h", (1, 2), 1, ValueError, "color: expected a last axis of length 4"),
        ("h", (1, 2), np.ones((2, 4), hc.half), ValueError, "color: expected a shape that broad"),
        ("h", [(1, 2)] * 3, np.ones((2, 4), hc.half), ValueError, "color: expected a shape"),
        ("h", (1, 2), [[1, 2], [3]], ValueError, "color: expected numbers in an array"),
        ("f", (1, 2), np.ones(4), TypeError, "color: expected float32 .* got float64"),
        ("i", (1, 2), np.ones(4), TypeError, "color: expected int32 .* got float64"),
        ("i", (1, 2), [1.5] * 4, TypeError, "color: expected int32 .* got float64"),
        ("i", (1, 2), np.ones(4, int), TypeError, "color: expected int32 .* got int64"),
        ("i", (1, 2), hc.uint4(1), TypeError, "color: expected int32 .* got uint32"),
        ("i", (1, 2), [2**31, 0, 0, 0], ValueError, "color: expected numbers that int32 holds"),
        ("ui", (1, 2), [-1, 0, 0, 0], ValueError, "color: expected numbers that uint32 holds"),
        ("ui", (1, 2), [2**80, 0, 0, 0], TypeError, "color: expected uint32 .* got object"),
    ],
)
def test_bad_writes(numbers, coord, color, error, message):
    image = image_of(*WRITES[numbers].split())
    before = image.array.tobytes()
    with pytest.raises(error, match=f"^write_image{numbers}: argument {message}"):
        getattr(hc, f"write_image{numbers}")(image, coord, color)
    assert image.array.tobytes() == before


def test_colors_that_are_exact():
    image = hc.Image(np.zeros((1, 1, 4), np.float32), format_of("RGBA", "FLOAT"))
    for color in ([0.5, 1, 0, True], np.float16([0.5, 1, 0, 1]), hc.half4(0.5, 1, 0, 1),
                  np.array([0.5, 1, 0, 1], ">f4")):  # fmt: skip
        with hc.rounding("rtp", strict=True):
            hc.write_imagef(image, (0, 0), color)
        assert image.array.tolist() == [[[0.5, 1, 0, 1]]]
    halves = hc.Image(np.zeros((1, 1), hc.half), format_of("R", "HALF_FLOAT"))
    for color, want in ((np.array([0.5] * 4, ">f2"), 0.5), (np.array([3] * 4, np.uint8), 3),
                        ([math.inf] * 4, math.inf), ((1, 2, 3, 4), 1)):  # fmt: skip
        hc.write_imageh(halves, (0, 0), color)
        assert halves.array[0, 0] == want
    integers = hc.Image(np.zeros((1, 1), np.int32), format_of("R", "SIGNED_INT32"))
    for color in (np.array([5] * 4, np.uint16), np.array([5] * 4, ">i4"), [5, 0, 0, 0]):
        hc.write_imagei(integers, (0, 0), color)
        assert integers.array[0, 0] == 5


def test_read_only_images():
    array = texels("RGBA", "UNORM_INT8", (3, 4))
    array.flags.writeable = False
    image = hc.Image(array, RGBA8)
    assert hc.read_imageh(image, (1, 1)).shape == (4,)
    with pytest.raises(TypeError, match=r"write_imageh: argument image: .*read-only"):
        hc.write_imageh(image, (1, 1), hc.half4(1))
    array = texels("RGBA", "UNORM_INT8", (3, 4))
    image = hc.Image(array, RGBA8)
    array.flags.writeable = False  # after
    with pytest.raises(TypeError, match="read-only"):
        hc.write_imageh(image, (1, 1), hc.half4(1))


# ---------------------------------------------------------------- queries


@pytest.mark.parametrize("kind", SHAPES)
def test_queries(kind):
    image = image_of("RG", "SNORM_INT8", kind)
    assert hc.get_image_channel_order(image) is hc.channel_order.RG
    assert hc.get_image_channel_data_type(image) is hc.channel_type.SNORM_INT8
    assert hc.get_image_width(image) == 7
    flat, layered = "1D" in kind, "ARRAY" in kind
    for function, has, want in (
        (hc.get_image_height, not flat, 4),
        (hc.get_image_depth, kind == "IMAGE3D", 3),
        (hc.get_image_array_size, layered, 3),
        (hc.get_image_dim, not flat, hc.int4(7, 4, 3, 0) if "3D" in kind else hc.int2(7, 4)),
    ):
        if has:
            got = function(image)
            assert type(got) is type(want) and np.array_equal(got, want)
        else:
            with pytest.raises(TypeError, match=f"{function.__name__}: argument image: expected"):
                function(image)
        with pytest.raises(TypeError, match=f"{function.__name__}: argument image: expected"):
            function(np.zeros((2, 2)))
