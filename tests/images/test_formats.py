"""Images, formats and samplers, and every row of the extension's tables of image functions."""

import copy
import itertools
import pickle
import re

import numpy as np
import oracle_images as oracle
import pytest
from samples_images import (
    SHAPES,
    check_read,
    coordinates,
    format_of,
    image_of,
    order_of,
    sampler_of,
    texels,
)

import halfcl as hc

NEAREST = sampler_of(False, "CLAMP_TO_EDGE", False)

# ---------------------------------------------------------------- the extension's tables

IMAGES = {
    "image1d_t": "IMAGE1D",
    "image1d_buffer_t": "IMAGE1D_BUFFER",
    "image1d_array_t": "IMAGE1D_ARRAY",
    "image2d_t": "IMAGE2D",
    "image2d_array_t": "IMAGE2D_ARRAY",
    "image3d_t": "IMAGE3D",
}
COORDS = {"image1d_t": "", "image1d_buffer_t": "", "image1d_array_t": "2", "image2d_t": "2",
          "image2d_array_t": "4", "image3d_t": "4"}  # fmt: skip

SAMPLED = [
    f"half4 read_imageh({image}, sampler_t, {number}{COORDS[image]})"
    for image in ("image2d_t", "image3d_t", "image2d_array_t", "image1d_t", "image1d_array_t")
    for number in ("int", "float")
]
UNSAMPLED = [f"half4 read_imageh({image}, int{COORDS[image]})" for image in IMAGES]
WRITTEN = [f"void write_imageh({image}, int{COORDS[image]}, half4)" for image in IMAGES]

#: Channel data types that the tables name.
TYPES = [*oracle.GREATEST, *oracle.FIELDS, "HALF_FLOAT"]


def parse_row(row):
    """Return the kind of image, and a row's coordinates: inside, with OpenCL's type."""
    image, number, width = re.match(r"\w+ \w+\((\w+),.*?(int|float)(2|4|)[),]", row).groups()
    kind = IMAGES[image]
    index = [(n - 1, n // 2, 0) for n in reversed(SHAPES[kind])]
    rows = np.zeros((3, int(width or 1)))
    rows[:, : len(index)] = np.array(index).T
    if number == "float":
        rows += 0.375
    if not width:
        return kind, rows[:, 0].astype("f4" if number == "float" else "i4")
    return kind, getattr(hc, f"convert_{number}{width}")(rows)


@pytest.mark.parametrize("row", SAMPLED)
def test_row_of_the_table_with_samplers(row):
    kind, coord = parse_row(row)
    for type_name, mode in zip(TYPES, itertools.cycle(hc.MODES), strict=False):
        image = image_of(order_of(type_name), type_name, kind)
        for linear in (False, True)[: 1 + ("float" in row)]:
            check_read(image, (False, "CLAMP", linear), coord, "h", (mode,))
        assert type(hc.read_imageh(image, NEAREST, coord)) is hc.half4


@pytest.mark.parametrize("row", UNSAMPLED)
def test_row_of_the_table_without_samplers(row):
    kind, coord = parse_row(row)
    for type_name, mode in zip(TYPES, itertools.cycle(hc.MODES), strict=False):
        image = image_of(order_of(type_name), type_name, kind)
        check_read(image, None, coord, "h", (mode,))
        assert type(hc.read_imageh(image, coord)) is hc.half4


@pytest.mark.parametrize("row", WRITTEN)
def test_row_of_the_table_of_writes(row):
    kind, coord = parse_row(row)
    for type_name in TYPES:
        order = order_of(type_name)
        image = image_of(order, type_name, kind)
        want = image.array.copy() if type_name != "HALF_FLOAT" else image.array.view("f2").copy()
        color = hc.half4(0.1, 0.7, 1, 0.4)
        for place in np.atleast_2d(np.asarray(coord).reshape(3, -1)).tolist():
            oracle.write(want, order, type_name, kind, tuple(place), color.tolist(), "rte")
        assert hc.write_imageh(image, coord, color) == 0
        np.testing.assert_array_equal(image.array.astype(want.dtype), want)


def test_tables_name_every_function():
    assert len(SAMPLED) == 10 and len(UNSAMPLED) == len(WRITTEN) == 6
    assert len({*SAMPLED, *UNSAMPLED, *WRITTEN}) == 22


# ---------------------------------------------------------------- formats


def test_formats_that_the_standard_allows():
    allowed = set(oracle.FORMATS)
    assert len(allowed) == len(oracle.FORMATS)
    for order, type_name in itertools.product(
        hc.channel_order.__members__, hc.channel_type.__members__
    ):
        if (order, type_name) in allowed:
            image_format = format_of(order, type_name)
            assert (image_format.channel_order.name, image_format.channel_data_type.name) == (
                order,
                type_name,
            )
            one_number = type_name in oracle.FIELDS
            count = len(oracle.LETTERS[order])
            size = np.dtype(oracle.DTYPES[type_name]).itemsize
            assert image_format.channel_count == count
            assert image_format.itemsize == size * (1 if one_number else count)
        else:
            with pytest.raises(ValueError, match=f"channel_data_type: .*{order} .*got {type_name}"):
                format_of(order, type_name)


def test_constants_have_opencl_numbers():
    """Constants equal OpenCL's numbers, which are accepted in their place."""
    assert hc.channel_order.RGBA == 0x10B5 and hc.channel_order.sBGRA == 0x10C2
    assert hc.channel_type.UNORM_INT8 == 0x10D2 and hc.channel_type.UNORM_INT_101010_2 == 0x10E0
    assert hc.mem_object_type.IMAGE1D_BUFFER == 0x10F6 and hc.addressing_mode.NONE == 0x1130
    assert hc.filter_mode.LINEAR == 0x1141
    assert hc.ImageFormat(0x10B5, np.int64(0x10DD)) == format_of("RGBA", "HALF_FLOAT")
    assert hc.Sampler(True, 0x1133, 0x1141) == sampler_of(True, "REPEAT", True)
    assert str(hc.channel_order.RGBA) == repr(hc.channel_order.RGBA) == "channel_order.RGBA"


def test_formats_and_samplers_are_values():
    for one, other, unlike in (
        (format_of("RG", "FLOAT"), format_of("RG", "FLOAT"), format_of("RA", "FLOAT")),
        (NEAREST, sampler_of(False, "CLAMP_TO_EDGE", False), sampler_of(False, "CLAMP", False)),
    ):
        assert one == other != unlike and hash(one) == hash(other) and len({one, other}) == 1
        assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
        assert eval(repr(one), vars(hc)) == one
        with pytest.raises(AttributeError):
            one.filter_mode = one.channel_order = 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("RGBA", 0x10D2), TypeError, "ImageFormat: argument channel_order: expected one of"),
        ((True, 0x10D2), TypeError, "ImageFormat: argument channel_order: expected one of"),
        ((0x10B5, None), TypeError, "ImageFormat: argument channel_data_type: expected one of"),
        ((0x10B5, 4.0), TypeError, "ImageFormat: argument channel_data_type: expected one of"),
        ((0x10D2, 0x10B5), ValueError, "ImageFormat: argument channel_order: expected one of"),
        ((0x10BE, 0x10DE), ValueError, "ImageFormat: argument channel_order: expected one of"),
        ((10**30, 0x10DE), ValueError, "ImageFormat: argument channel_order: expected one of"),
    ],
)
def test_bad_formats(arguments, error, message):
    with pytest.raises(error, match=message):
        hc.ImageFormat(*arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((False, 0x1133, 0x1140), ValueError, "addressing_mode: .*got REPEAT"),
        ((False, 0x1134, 0x1140), ValueError, "addressing_mode: .*got MIRRORED_REPEAT"),
        ((1, 0x1130, 0x1140), TypeError, "normalized_coords: expected a bool, got 1"),
        ((None, 0x1130, 0x1140), TypeError, "normalized_coords"),
        ((True, 0x1140, 0x1130), ValueError, "addressing_mode: expected one of"),
        ((True, "CLAMP", 0x1130), TypeError, "addressing_mode: expected one of"),
        ((True, 0x1130, 0x1142), ValueError, "filter_mode: expected one of"),
        ((True, 0x1130, None), TypeError, "filter_mode: expected one of"),
    ],
)
def test_bad_samplers(arguments, error, message):
    with pytest.raises(error, match=f"Sampler: argument {message}"):
        hc.Sampler(*arguments)


# ---------------------------------------------------------------- images

RGBA8 = format_of("RGBA", "UNORM_INT8")
R8 = format_of("R", "UNORM_INT8")
HALVES = format_of("RGBA", "HALF_FLOAT")


@pytest.mark.parametrize("kind", SHAPES)
def test_an_image_is_the_arrays_memory(kind):
    array = texels("RGBA", "UNORM_INT16", SHAPES[kind])
    image = hc.Image(array, format_of("RGBA", "UNORM_INT16"), hc.mem_object_type[kind])
    assert image.array is array and image.image_type is hc.mem_object_type[kind]
    assert image.element_size == 8
    sizes, layers = oracle.sizes_of(array, kind)
    assert (image.width, image.height, image.depth)[: len(sizes)] == sizes
    assert (image.width, image.height, image.depth)[len(sizes) :] == (0,) * (3 - len(sizes))
    assert image.array_size == (layers or 0)
    row, slices = (array.strides[-3] if len(sizes) > 1 else 0), 0
    if layers or len(sizes) == 3:
        slices = array.strides[0]
    assert (image.row_pitch, image.slice_pitch) == (row, slices)


def test_default_image_type_by_axes():
    for axes, kind in ((1, "IMAGE1D"), (2, "IMAGE2D"), (3, "IMAGE3D")):
        assert hc.Image(np.zeros((2,) * axes, np.uint8), R8).image_type.name == kind
        assert hc.Image(np.zeros((2,) * axes + (4,), np.uint8), RGBA8).image_type.name == kind


def test_images_of_the_greatest_size():
    wide = hc.Image(np.broadcast_to(np.uint8(255), (2**29 - 1,)), R8)
    assert hc.read_imageh(wide, [2**29 - 2, 2**29 - 1]).x.tolist() == [1, 0]
    layers = np.broadcast_to(np.uint8(255), (2**31 - 1, 1))
    layers = hc.Image(layers, R8, hc.mem_object_type.IMAGE1D_ARRAY)
    assert hc.read_imageh(layers, [(0, 2**31 - 2), (0, 2**31 - 1)]).x.tolist() == [1, 0]


def test_empty():
    image = hc.Image.empty((3, 5), RGBA8)
    assert image.array.shape == (3, 5, 4) and image.array.dtype == np.uint8
    image = hc.Image.empty(5, format_of("A", "HALF_FLOAT"), hc.mem_object_type.IMAGE1D_BUFFER)
    assert image.array.shape == (5,) and image.array.dtype == hc.half
    packed = hc.Image.empty([2, 3, 5], format_of("RGB", "UNORM_SHORT_565"), 0x10F3)
    assert packed.array.shape == (2, 3, 5) and packed.image_type.name == "IMAGE2D_ARRAY"
    for shape in (0, (3, 0), -1, "a", "12", 1.5, None, (2, 2.0), True, (2, np.True_)):
        with pytest.raises(ValueError, match=r"Image.empty: argument shape: expected positive"):
            hc.Image.empty(shape, RGBA8)
    for shape in ((), (1, 2, 3, 4)):
        with pytest.raises(ValueError, match="argument array: expected shape"):
            hc.Image.empty(shape, RGBA8)
    for shape in ((2**62, 2**62), 10**30):
        with pytest.raises(ValueError, match=r"Image.empty: argument shape: expected sizes that"):
            hc.Image.empty(shape, RGBA8)
    with pytest.raises(TypeError, match=r"Image.empty: argument format"):
        hc.Image.empty(3, "RGBA")


class Subclass(np.ndarray):
    def __array_finalize__(self, source):
        pass

    def __getitem__(self, index):
        raise AssertionError


def test_subclasses_are_their_memory():
    plain = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    want = hc.read_imageh(hc.Image(plain, RGBA8), hc.int2(1, 1))
    image = hc.Image(plain.view(Subclass), RGBA8)
    assert type(image.array) is np.ndarray and np.shares_memory(image.array, plain)
    np.testing.assert_array_equal(hc.read_imageh(image, hc.int2(1, 1)), want)
    vectors = hc.half4(np.zeros((2, 3), hc.half), 1, 2, 3)
    image = hc.Image(vectors, format_of("RGBA", "HALF_FLOAT"))
    assert hc.read_imageh(image, (0, 0)).tolist() == [0, 1, 2, 3]
    hc.write_imageh(image, (0, 0), hc.half4(5))
    assert vectors[0, 0].tolist() == [5] * 4
    float16 = np.ones((2, 2), np.float16)
    assert hc.read_imageh(hc.Image(float16, format_of("R", "HALF_FLOAT")), (0, 0)).dtype == hc.half


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: hc.Image([[1]], R8), TypeError, "array: expected a NumPy array, got list"),
        (lambda: hc.Image(np.ma.zeros((2, 2), np.uint8), R8), TypeError, "array: .*mask"),
        (lambda: hc.Image(np.zeros((2, 2), np.int8), R8), TypeError, "array: .*uint8.* got int8"),
        (lambda: hc.Image(np.zeros((2, 2)), R8), TypeError, "array: expected uint8.*float64"),
        (lambda: hc.Image(np.zeros((2, 2), object), R8), TypeError, "array: expected uint8"),
        (lambda: hc.Image(np.zeros((2, 2), ">u2"), format_of("R", "UNORM_INT16")), TypeError,
         "array: expected uint16 in native byte order"),
        (lambda: hc.Image(np.zeros((2, 2), ">f2"), format_of("R", "HALF_FLOAT")), TypeError,
         "array: expected half in native byte order"),
        (lambda: hc.Image(np.zeros((2, 2), "u2,u2"), format_of("R", "UNORM_INT16")), TypeError,
         "array: expected uint16"),
        (lambda: hc.Image(np.zeros((2, 2, 3), np.uint8), RGBA8), ValueError,
         r"array: expected shape \(height, width, 4\)"),
        (lambda: hc.Image(np.zeros((4,), np.uint8), RGBA8), ValueError, "array: expected shape"),
        (lambda: hc.Image(np.zeros((), np.uint8), R8), ValueError, "array: expected shape"),
        (lambda: hc.Image(np.zeros((2,) * 4, np.uint8), R8), ValueError,
         r"array: expected shape \(depth, height, width\)"),
        (lambda: hc.Image(np.zeros((2, 2), np.uint8), R8, 0x10F4), ValueError,
         r"array: expected shape \(width,\) of an IMAGE1D of R, UNORM_INT8, got \(2, 2\)"),
        (lambda: hc.Image(np.zeros((2, 2), np.uint8), R8, 0x10F3), ValueError,
         r"expected shape \(layers, height, width\)"),
        (lambda: hc.Image(np.zeros((0, 2), np.uint8), R8), ValueError, "array: expected sizes"),
        (lambda: hc.Image(np.zeros((2, 0, 4), np.uint8), RGBA8), ValueError, "expected sizes"),
        (lambda: hc.Image(np.zeros((2, 2, 8), np.uint8)[..., ::2], RGBA8), ValueError,
         "array: .*channels next to each other"),
        (lambda: hc.Image(np.zeros((2, 2, 4), np.uint8)[..., ::-1], RGBA8), ValueError,
         "array: .*channels next to each other"),
        (lambda: hc.Image(np.broadcast_to(np.uint8(0), (2**29, 1)), R8), ValueError,
         r"array: expected sizes from 1 to 536870911, got \(536870912, 1\)"),
        (lambda: hc.Image(np.broadcast_to(np.uint8(0), (2**31, 1)), R8, 0x10F5), ValueError,
         "array: expected sizes from 1 to 536870911, of layers to 2147483647"),
        (lambda: hc.Image(np.zeros((2, 2), np.uint8), "R"), TypeError, "format: expected a halfcl"),
        (lambda: hc.Image(np.zeros((2, 2), np.uint8), R8, "2D"), TypeError, "image_type: expected"),
        (lambda: hc.Image(np.zeros((2, 2), np.uint8), R8, 0x10F0), ValueError, "image_type: expec"),
        (lambda: hc.Image(np.zeros(2, "f4"), format_of("DEPTH", "FLOAT")), ValueError,
         "image_type: expected IMAGE2D or IMAGE2D_ARRAY, .*got IMAGE1D"),
        (lambda: hc.Image(np.zeros((2, 2, 2), "f4"), format_of("DEPTH", "FLOAT")), ValueError,
         "image_type: expected IMAGE2D or IMAGE2D_ARRAY, .*got IMAGE3D"),
    ],
)  # fmt: skip
def test_bad_images(make, error, message):
    with pytest.raises(error, match=f"^Image: argument .*{message}|^Image: argument {message}"):
        make()


def test_images_cannot_be_changed():
    image = image_of("RGBA", "UNORM_INT8")
    for name in ("array", "format", "image_type", "width", "unheard_of"):
        with pytest.raises(AttributeError):
            setattr(image, name, 1)
    with pytest.raises(ValueError, match="refer"):
        image.array.resize((1000, 1000, 4))


def test_memory_that_is_gone():
    """Arrays can be resized though others refer to them, if NumPy is told not to look."""
    for shape in ((1, 1), (5000, 5000)):
        array = np.ones((3000, 3000), np.uint8)
        image = hc.Image(array, R8)
        array.resize(shape, refcheck=False)
        for call in (
            lambda image=image: hc.read_imageh(image, (2999, 2999)),
            lambda image=image: hc.write_imageh(image, (2999, 2999), hc.half4(1)),
        ):
            with pytest.raises(ValueError, match="image: expected an array with the memory"):
                call()


def test_copies():
    image = image_of("RG", "HALF_FLOAT", "IMAGE2D_ARRAY")
    assert copy.copy(image).array is image.array
    for other in (copy.deepcopy(image), pickle.loads(pickle.dumps(image))):
        assert (other.format, other.image_type) == (image.format, image.image_type)
        np.testing.assert_array_equal(other.array, image.array)
        assert not np.shares_memory(other.array, image.array)
    assert repr(image) == "Image(IMAGE2D_ARRAY of RG, HALF_FLOAT, 7 x 4, 3 layers)"


def test_strides():
    """Rows and texels with gaps, reversed, broadcast, and unaligned."""
    pixels = texels("RGBA", "UNORM_INT8", (8, 9))
    for array in (
        pixels[::2], pixels[::-1], pixels[:, ::-2], pixels.transpose(1, 0, 2),
        np.broadcast_to(pixels[3], pixels.shape), np.asfortranarray(pixels[..., 0])[..., None],
    ):  # fmt: skip
        channels = array.shape[-1]
        format = RGBA8 if channels == 4 else R8
        where = np.stack(np.meshgrid(np.arange(-1, 9), np.arange(-1, 9)), axis=-1)
        view, whole = (array, array.copy()) if channels == 4 else (array[..., 0],) * 2
        got = hc.read_imageh(hc.Image(view, format), where)
        want = hc.read_imageh(hc.Image(np.ascontiguousarray(whole), format), where)
        np.testing.assert_array_equal(got, want)
    for sampler in ((True, "CLAMP_TO_EDGE", True), (True, "REPEAT", True)):
        image = hc.Image(texels("RGBA", "HALF_FLOAT", (8, 9), 5)[::-2, ::3], HALVES)
        check_read(image, sampler, coordinates(image, 30, False, normalized=True), "h", hc.MODES)
    for type_name in ("FLOAT", "HALF_FLOAT", "UNORM_INT16", "UNORM_INT_101010_2"):
        array = texels("RGBA", type_name, (5, 6))
        raw = np.zeros(array.nbytes + 1, np.uint8)
        raw[1:] = array.reshape(-1).view(np.uint8)
        unaligned = raw[1:].view(array.dtype).reshape(array.shape)
        image = hc.Image(unaligned, format_of("RGBA", type_name))
        assert not image.array.flags.aligned
        check_read(image, (False, "CLAMP", True), np.float32([[1, 2], [2.25, 0.1]]), "h")
