"""Images and samplers of launches on an OpenCL device: bit for bit as they are here."""

import numpy as np
import pytest
from cl_devices import queue_of

import halfcl as hc
from halfcl import cl
from halfcl._images.formats import ORDERS

library = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

ORDER, TYPE, KIND = hc.channel_order, hc.channel_type, hc.mem_object_type
W, H = 19, 13

SOURCE = "\n".join(
    [
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable",
        "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE"
        " | CLK_FILTER_NEAREST;",
        *(
            f"""
kernel void k{name}(read_only image2d_t a, write_only image2d_t b, global {type_}4 *o) {{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    {type_}4 c = read_image{name}(a, p);
    o[p.y * get_image_width(a) + p.x] = c;
    if ((p.x ^ p.y) & 1) write_image{name}(b, p, c * {number} - 2);
}}
kernel void s{name}(read_only image2d_t a, sampler_t s, global {type_}4 *o) {{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 at = convert_float2(p) * 1.37f - 2;
    o[p.y * {W} + p.x] = read_image{name}(a, s, at) - read_image{name}(a, edge, p * 2 - 3);
}}"""
            for name, type_, number in (
                ("f", "float", "2.7f"), ("h", "half", "2.7h"), ("i", "int", "3"),
                ("ui", "uint", "3"),
            )
        ),
    ]
)  # fmt: skip


@pytest.fixture(scope="module")
def queue():
    yield from queue_of(library)


@pytest.fixture(scope="module")
def programs(queue):
    """Here, and there."""
    if not queue.device.image_support:
        pytest.skip("the device has no images")
    return [cl.Program(SOURCE), *(cl.Program(SOURCE, device=queue, fp16=f) for f in (None, False))]


def picture(format_, shape=(H, W), seed=1, kind=None):
    """An image of any texels."""
    image = hc.Image.empty(shape, format_, kind)
    rng, array = np.random.default_rng(seed), image.array
    if array.dtype.kind in "iu":
        info = np.iinfo(array.dtype)
        array[...] = rng.integers(info.min, info.max, array.shape, array.dtype, endpoint=True)
    else:
        array[...] = rng.normal(0, 3, array.shape).astype(np.float32)
    return image


def numbers_of(format_):
    return ("f", "h") if format_.numbers == "f" else (format_.numbers,)


def results(programs, name, make):
    """What a kernel leaves in arrays, by each program; make: of its arguments, and arrays."""
    found = []
    for program in programs:
        arguments, arrays = make()
        program[name]((W, H), None, *arguments)
        found.append([a.tobytes() for a in arrays])
    return found


DTYPES = {"f": np.float32, "h": hc.half, "i": np.int32, "ui": np.uint32}
FORMATS = [
    hc.ImageFormat(order, kind)
    for order, row in ORDERS.items()
    for kind in sorted(row.types)
    if order is not ORDER.DEPTH
]


@pytest.mark.parametrize(
    "format_", FORMATS, ids=lambda f: f"{f.channel_order.name}-{f.channel_data_type.name}"
)
def test_formats(format_, programs):
    """All that are floats, whatever the device has; of integers those that it has."""
    for name in numbers_of(format_):

        def make(name=name):
            a, b = picture(format_), picture(format_, seed=2)
            out = np.zeros((H, W, 4), DTYPES[name])
            return (a, b, out), (a.array, b.array, out)

        try:
            found = results(programs, f"k{name}", make)
        except ValueError as error:
            assert format_.numbers != "f"
            assert "no image of floats can stand for it" in str(error)
            continue
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("addressing", ["CLAMP", "CLAMP_TO_EDGE"])
@pytest.mark.parametrize(
    "kind", ["UNORM_INT8", "SNORM_INT16", "HALF_FLOAT", "FLOAT", "SIGNED_INT8"]
)
def test_samplers(kind, addressing, programs):
    format_ = hc.ImageFormat(ORDER.RGBA, TYPE[kind])
    sampler = hc.Sampler(False, hc.addressing_mode[addressing], hc.filter_mode.NEAREST)
    for name in numbers_of(format_):

        def make(name=name):
            out = np.zeros((H, W, 4), DTYPES[name])
            return (picture(format_), sampler, out), (out,)

        found = results(programs, f"s{name}", make)
        assert found[0] == found[1] == found[2]


SHAPES = {
    "IMAGE1D": ("image1d_t", (17,), "i"),
    "IMAGE1D_BUFFER": ("image1d_buffer_t", (17,), "i"),
    "IMAGE2D": ("image2d_t", (5, 7), "(int2)(i % 7, i / 7)"),
    "IMAGE3D": ("image3d_t", (3, 5, 7), "(int4)(i % 7, i / 7 % 5, i / 35, 0)"),
    "IMAGE2D_ARRAY": ("image2d_array_t", (3, 5, 7), "(int4)(i % 7, i / 7 % 5, i / 35, 0)"),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("type_", ["FLOAT", "HALF_FLOAT", "UNORM_INT8"])
def test_kinds_of_images(kind, type_, queue, programs):
    name, shape, at = SHAPES[kind]
    source = f"""#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
    kernel void k(read_only {name} a, write_only {name} b) {{
        int i = get_global_id(0);
        write_imagef(b, {at}, 0.5f * read_imagef(a, {at}));
    }}"""
    format_ = hc.ImageFormat(ORDER.RGBA, TYPE[type_])
    found = []
    for more in ({}, {"device": queue}):
        images = [picture(format_, shape, seed, KIND[kind]) for seed in (1, 2)]
        cl.Program(source, **more).k(int(np.prod(shape)), None, *images)
        found.append([image.array.tobytes() for image in images])
    assert found[0] == found[1]


def test_texels_that_lie_apart(programs):
    """Views, upside down, of every other texel; and an image that is read and written."""
    format_ = hc.ImageFormat(ORDER.RGBA, TYPE.FLOAT)

    def make():
        big = np.random.default_rng(3).normal(size=(2 * H, 2 * W, 4)).astype(np.float32)
        image = hc.Image(big[::-2, ::2], format_)
        out = np.zeros((H, W, 4), np.float32)
        return (image, image, out), (big,)

    found = results(programs, "kf", make)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("wrong", range(6))
def test_wrong_arguments_raise_as_here(wrong, programs):
    format_ = hc.ImageFormat(ORDER.RGBA, TYPE.FLOAT)
    a, b, out = picture(format_), picture(format_), np.zeros((H, W, 4), np.float32)
    name, arguments = "kf", [a, b, out]
    if wrong == 0:
        arguments[0] = a.array
    elif wrong == 1:
        arguments[0] = picture(format_, (H * W,))
    elif wrong == 2:
        array = b.array.copy()
        array.flags.writeable = False
        arguments[1] = hc.Image(array, format_)
    elif wrong == 3:
        name = "ki"
        arguments[2] = out.view(np.int32)
    elif wrong == 4:
        name, arguments[1] = "sf", "linear"
    else:
        name, arguments[2] = "kui", out.view(np.uint32)
        arguments[0] = picture(hc.ImageFormat(ORDER.RGBA, TYPE.UNORM_INT8))
    errors = []
    for program in programs:
        with pytest.raises((TypeError, ValueError, cl.LaunchError)) as caught:
            program[name]((W, H), None, *arguments)
        errors.append((caught.type, str(caught.value)))
    assert errors[0] == errors[1] == errors[2]


def test_what_a_device_need_not_do_alike_is_refused(programs, queue):
    image = picture(hc.ImageFormat(ORDER.RGBA, TYPE.FLOAT))
    out = np.zeros((H, W, 4), np.float32)
    edge, nearest = hc.addressing_mode.CLAMP_TO_EDGE, hc.filter_mode.NEAREST
    for sampler in (
        hc.Sampler(False, edge, hc.filter_mode.LINEAR),
        hc.Sampler(True, edge, nearest),
    ):
        with pytest.raises(
            ValueError, match=r"argument 2 \(s\): expected a sampler that is NEAREST"
        ):
            programs[1].sf((W, H), None, image, sampler, out)
    for word in ("CLK_FILTER_LINEAR", "CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_TRUE"):
        with pytest.raises(
            cl.BuildError, match=r"2:26: .*a sampler that filters or has normalised"
        ):
            cl.Program(SOURCE.replace("CLK_FILTER_NEAREST", word), device=queue)
    with pytest.raises(cl.BuildError, match="1:41: error: not translated: image1d_array_t"):
        cl.Program("kernel void k(read_only image1d_array_t a) {}", device=queue)
    overlapping = hc.Image(image.array[1:], image.format)
    with pytest.raises(ValueError, match=r"argument 2 \(b\): expected memory of its own"):
        programs[1].kf((W, H - 1), None, image, overlapping, out)
    with pytest.raises(ValueError, match="argument o: expected memory of its own"):
        programs[1].kf((W, H), None, image, picture(image.format), image.array)
    grey = picture(hc.ImageFormat(ORDER.LUMINANCE, TYPE.UNORM_INT8))
    sampler = hc.Sampler(False, edge, nearest)
    with pytest.raises(ValueError, match="a sampler may read its border, which is opaque"):
        programs[1].sf((W, H), None, grey, sampler, out)
