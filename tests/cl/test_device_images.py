"""Images and samplers of launches on a device: bit for bit as they are here.

On an OpenCL device, and as CUDA C++, which g++ runs on the host; with HALFCL_DEVICE=cuda on a GPU.
HALFCL_RANDOM_IMAGES=10000 reads that many images by samplers at random.
"""

import contextlib
import os

import cuda_host
import numpy as np
import pytest
from cl_devices import queue_of
from exhaustive import either, in_turn, one_in

import halfcl as hc
from halfcl import cl
from halfcl._images.formats import ORDERS
from halfcl.cl._devices import image_probes as _image_probes

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

IS_CUDA = os.environ.get("HALFCL_DEVICE") == "cuda"
COUNT = int(os.environ.get("HALFCL_RANDOM_IMAGES", either(2000, 150)))
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


@pytest.fixture(scope="module", params=["cuda"] if IS_CUDA else ["opencl", "cuda"])
def devices(request):
    """The arguments for programs on the device."""
    if request.param == "opencl":
        library = pytest.importorskip("pyopencl", reason="needs an OpenCL device")
        for queue in queue_of(library):
            if not queue.device.image_support:
                pytest.skip("the device has no images")
            yield [{"device": queue, "fp16": fp16} for fp16 in (None, False)]
        return
    if cuda_host.GXX is None:
        pytest.skip("needs g++ to run CUDA C++ on the host")
    with contextlib.nullcontext() if IS_CUDA else cuda_host.in_place_of_cupy():
        yield [{"device": "cuda"}]


@pytest.fixture(scope="module")
def is_opencl(devices):
    return devices[0]["device"] != "cuda"


@pytest.fixture(scope="module")
def has_lines(devices):
    """Return whether the device's compiler takes image1d_array_t; Intel's aborts."""
    queue = devices[0]["device"]
    return queue == "cuda" or "Intel" not in queue.device.platform.name


def programs_of(source, devices):
    """Here, and there."""
    return [cl.Program(source), *(cl.Program(source, **more) for more in devices)]


@pytest.fixture(scope="module")
def programs(devices):
    return programs_of(SOURCE, devices)


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
    """Return the bytes of a kernel's output arrays for each program.

    make: returns the arguments, and the output arrays among them.
    """
    outputs = []
    for program in programs:
        arguments, arrays = make()
        program[name]((W, H), None, *arguments)
        outputs.append([a.tobytes() for a in arrays])
    return outputs


def are_alike(found):
    return all(each == found[0] for each in found)


DTYPES = {"f": np.float32, "h": hc.half, "i": np.int32, "ui": np.uint32}
FORMATS = [
    hc.ImageFormat(order, kind)
    for order, row in ORDERS.items()
    for kind in sorted(row.types)
    if order is not ORDER.DEPTH
]


@in_turn
@pytest.mark.parametrize(
    "format_", FORMATS, ids=lambda f: f"{f.channel_order.name}-{f.channel_data_type.name}"
)
def test_formats(format_, programs, is_opencl):
    """All that are floats, whatever the device has; of integers those that it has."""
    for name in numbers_of(format_):

        def make(name=name):
            a, b = picture(format_), picture(format_, seed=2)
            out = np.zeros((H, W, 4), DTYPES[name])
            return (a, b, out), (a.array, b.array, out)

        try:
            actual = results(programs, f"k{name}", make)
        except ValueError as error:
            assert is_opencl and format_.numbers != "f"
            assert "no image of floats can stand for it" in str(error)
            continue
        assert are_alike(actual)


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

        actual = results(programs, f"s{name}", make)
        assert are_alike(actual)


SHAPES = {
    "IMAGE1D": ("image1d_t", (17,), "i"),
    "IMAGE1D_BUFFER": ("image1d_buffer_t", (17,), "i"),
    "IMAGE1D_ARRAY": ("image1d_array_t", (3, 7), "(int2)(i % 7, i / 7)"),
    "IMAGE2D": ("image2d_t", (5, 7), "(int2)(i % 7, i / 7)"),
    "IMAGE3D": ("image3d_t", (3, 5, 7), "(int4)(i % 7, i / 7 % 5, i / 35, 0)"),
    "IMAGE2D_ARRAY": ("image2d_array_t", (3, 5, 7), "(int4)(i % 7, i / 7 % 5, i / 35, 0)"),
}


@in_turn
@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("type_", ["FLOAT", "HALF_FLOAT", "UNORM_INT8"])
def test_kinds_of_images(kind, type_, devices, has_lines):
    if kind == "IMAGE1D_ARRAY" and not has_lines:
        pytest.skip("Intel's compiler aborts")
    name, shape, at = SHAPES[kind]
    source = f"""#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
    kernel void k(read_only {name} a, write_only {name} b) {{
        int i = get_global_id(0);
        write_imagef(b, {at}, 0.5f * read_imagef(a, {at}));
    }}"""
    format_ = hc.ImageFormat(ORDER.RGBA, TYPE[type_])
    results = []
    for program in programs_of(source, devices):
        images = [picture(format_, shape, seed, KIND[kind]) for seed in (1, 2)]
        program.k(int(np.prod(shape)), None, *images)
        results.append([image.array.tobytes() for image in images])
    assert are_alike(results)


def test_texels_that_lie_apart(programs):
    """Views, upside down, of every other texel; and an image that is read and written."""
    format_ = hc.ImageFormat(ORDER.RGBA, TYPE.FLOAT)

    def make():
        big = np.random.default_rng(3).normal(size=(2 * H, 2 * W, 4)).astype(np.float32)
        image = hc.Image(big[::-2, ::2], format_)
        out = np.zeros((H, W, 4), np.float32)
        return (image, image, out), (big,)

    actual = results(programs, "kf", make)
    assert are_alike(actual)


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
    assert are_alike(errors)


def test_memory_of_its_own(programs):
    image = picture(hc.ImageFormat(ORDER.RGBA, TYPE.FLOAT))
    out = np.zeros((H, W, 4), np.float32)
    overlapping = hc.Image(image.array[1:], image.format)
    with pytest.raises(ValueError, match=r"argument 2 \(b\): expected memory of its own"):
        programs[1].kf((W, H - 1), None, image, overlapping, out)
    with pytest.raises(ValueError, match="argument o: expected memory of its own"):
        programs[1].kf((W, H), None, image, picture(image.format), image.array)


def test_refused_features(devices, is_opencl, has_lines, programs):
    depths = picture(hc.ImageFormat(ORDER.DEPTH, TYPE.FLOAT))
    out = np.zeros((H, W, 4), np.float32)
    if not is_opencl:
        with pytest.raises(ValueError, match=r"argument 1 \(a\): expected an image of colours"):
            programs[1].kf((W, H), None, depths, picture(depths.format), out)
        return
    if not has_lines:
        with pytest.raises(cl.BuildError, match="1:41: error: not translated: image1d_array_t"):
            cl.Program("kernel void k(read_only image1d_array_t a) {}", **devices[0])
    clamp, linear = hc.addressing_mode.CLAMP, hc.filter_mode.LINEAR
    for order, type_, sampler, why in (
        (ORDER.RGB, TYPE.UNORM_SHORT_565, hc.Sampler(False, clamp, linear), "may read its border"),
        (ORDER.sRGBA, TYPE.UNORM_INT8, hc.Sampler(True, clamp, linear), "filters its codes"),
    ):
        image = picture(hc.ImageFormat(order, type_))
        with pytest.raises(ValueError, match=f"where a sampler {why}"):
            programs[1].sf((W, H), None, image, sampler, out)


# ---------------------------------------------------------------- samplers

#: By name of a kind: its type, its axes, and a coordinate of p, which is four numbers.
SAMPLED = {
    "IMAGE1D": ("image1d_t", 1, "p.x"),
    "IMAGE2D": ("image2d_t", 2, "p.xy"),
    "IMAGE2D_ARRAY": ("image2d_array_t", 3, "p"),
    "IMAGE3D": ("image3d_t", 3, "p"),
    "IMAGE1D_ARRAY": ("image1d_array_t", 2, "p.xy"),
}


def sampling_kernels(kinds):
    """Kernels that read by a sampler: KIND_NUMBERS at floats, and at integers."""
    kernels = ["#pragma OPENCL EXTENSION cl_khr_fp16 : enable"]
    for kind in kinds:
        image, _, at = SAMPLED[kind]
        for name, type_ in (("f", "float"), ("h", "half"), ("i", "int"), ("ui", "uint")):
            kernels.append(f"""
{type_}4 {kind}_{name}_of(read_only {image} a, const sampler_t s, float4 p) {{
    return read_image{name}(a, s, {at});
}}
kernel void {kind}_{name}(sampler_t s, read_only {image} a, global const float4 *where,
                          global {type_}4 *o) {{
    o[get_global_id(0)] = {kind}_{name}_of(a, s, where[get_global_id(0)]);
}}
kernel void {kind}_{name}_whole(sampler_t s, read_only {image} a, global const int4 *where,
                                global {type_}4 *o) {{
    int4 p = where[get_global_id(0)];
    o[get_global_id(0)] = read_image{name}(a, s, {at});
}}""")
    return "\n".join(kernels)


@pytest.fixture(scope="module")
def sampling(devices, has_lines):
    return programs_of(sampling_kernels([*SAMPLED][: 5 if has_lines else 4]), devices)


ITEMS = 128


def anywhere(rng, sizes, normalized):
    """Return coordinates inside and outside, on and near edges and centres, tiny, huge and NaN."""
    coordinates_ = rng.uniform(-1, 2, (ITEMS, 4)).astype(np.float32)
    scale = np.ones(4, np.float32)
    scale[: len(sizes)] = sizes
    quarter = ITEMS // 4
    coordinates_[:quarter] = np.round(coordinates_[:quarter] * scale * 2) / (2 * scale)
    coordinates_[: quarter // 2] = np.nextafter(
        coordinates_[: quarter // 2], rng.choice([-9, 9], (16, 4)), dtype="f4"
    )
    tiny = np.ldexp(rng.uniform(-2, 2, (quarter, 4)), rng.integers(-150, 40, (quarter, 4)))
    coordinates_[quarter : 2 * quarter] = tiny.astype(np.float32)
    any_bits = rng.integers(0, 1 << 32, (8, 4), np.uint64).astype(np.uint32).view(np.float32)
    coordinates_[-8:] = any_bits
    return coordinates_ if normalized else coordinates_ * scale


def any_texels(rng, format_, shape, kind):
    image = picture(format_, shape, int(rng.integers(1 << 30)), kind)
    array = image.array
    if array.dtype.kind not in "iu":
        with np.errstate(all="ignore"):
            spread = np.ldexp(array.astype("f8"), rng.integers(-30, 12, array.shape))
            array[...] = spread.astype(np.float32)
        array.reshape(-1)[: array.size // 9] = rng.choice([np.inf, -np.inf, np.nan, -0.0, 0, 65504])
    return image


def any_sampler(rng, is_of_integers, whole):
    while True:
        normalized = bool(rng.integers(2)) and not whole
        addressing = rng.choice([*hc.addressing_mode])
        is_linear = rng.integers(4) > 0 and not (is_of_integers or whole)
        with contextlib.suppress(ValueError):  # what repeats has to be normalised
            return hc.Sampler(
                normalized, addressing, hc.filter_mode(int(hc.filter_mode.NEAREST) + is_linear)
            )


def same_numbers(a, b):
    """By bits, but for NaNs."""
    a, b = (np.asarray(x).view(np.ndarray).view(np.float16 if x.dtype == hc.half else x.dtype)
            for x in (a, b))  # fmt: skip
    bits = f"u{a.itemsize}"
    same = a.view(bits) == b.view(bits)
    return (same | ((a != a) & (b != b))).all(-1)


@np.errstate(all="ignore")
def test_samplers_at_random(sampling, is_opencl, has_lines):
    """An OpenCL device lacks some formats, which are refused."""
    read = 0
    for seed in range(COUNT):
        rng = np.random.default_rng(seed)
        kind = [*SAMPLED][rng.integers(5 if has_lines else 4)]
        shape = tuple(rng.integers(1, 9, SAMPLED[kind][1]).tolist())
        format_, whole = FORMATS[rng.integers(len(FORMATS))], not rng.integers(4)
        name = rng.choice(numbers_of(format_))
        image = any_texels(rng, format_, shape, KIND[kind])
        sampler = any_sampler(rng, format_.numbers != "f", whole)
        where = anywhere(rng, shape[::-1], sampler.normalized_coords)
        if whole:
            ends = np.iinfo(np.int32)
            where = np.nan_to_num(where.astype("f8")).clip(ends.min, ends.max).astype(np.int32)
        outs = [np.zeros((ITEMS, 4), DTYPES[name]) for _ in sampling]
        kernel = f"{kind}_{name}{'_whole' * whole}"
        try:
            for program, out in zip(sampling, outs, strict=True):
                program[kernel](ITEMS, None, sampler, image, where, out)
        except ValueError as error:
            assert is_opencl and "reads and writes as halfcl does" in str(error), seed
            continue
        read += 1
        for out in outs[1:]:
            wrong = np.flatnonzero(~same_numbers(out, outs[0]))
            assert not wrong.size, (
                seed, image, sampler, where[wrong[0]], out[wrong[0]], outs[0][wrong[0]]
            )  # fmt: skip
    assert read > COUNT // 3


CONSTANTS = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define REPEAT (CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST)
constant sampler_t mirror =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
half4 of(read_only image2d_t a, sampler_t s, float2 p) { return read_imageh(a, s, p); }
kernel void k(read_only image2d_t a, global float4 *o) {
    const sampler_t linear = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR; // not normalised
    int i = get_global_id(0);
    float2 p = (float2)(i * 0.37f - 2, i * -0.21f + 3);
    o[4 * i] = read_imagef(a, linear, p);
    o[4 * i + 1] = read_imagef(a, REPEAT, p) + read_imagef(a, (int2)(i & 7, i & 3));
    o[4 * i + 2] = convert_float4(of(a, mirror, p) - of(a, linear, p));
    o[4 * i + 3] = convert_float4(read_imageh(a, (int2)(i & 7, i & 3)));
}
"""


@pytest.mark.parametrize("type_", ["HALF_FLOAT", "UNORM_INT8", "SNORM_INT16"])
def test_samplers_in_source(type_, devices):
    image = picture(hc.ImageFormat(ORDER.RGBA, TYPE[type_]), (5, 8))
    outs = []
    for program in programs_of(CONSTANTS, devices):
        outs.append(np.zeros((40 * 4, 4), np.float32))
        program.k(40, None, image, outs[-1])
    assert are_alike([out.tobytes() for out in outs])
    assert len(np.unique(outs[0])) > 200


def test_image_reads_that_stay_unchanged():
    """The device reads only where all devices have the same results."""
    nearest = "CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST"
    source = """constant sampler_t s = NEAREST;
    kernel void k(read_only image2d_t a, global float4 *o) { *o = read_imagef(a, s, (int2)(0)); }"""
    assert "*o = read_imagef(a, s, (int2)(0));" in cl.translate(source.replace("NEAREST", nearest))
    for word in ("CLK_FILTER_LINEAR", "CLK_ADDRESS_REPEAT | CLK_NORMALIZED_COORDS_TRUE"):
        assert "*o = hc_read_imagef(a, s, (int2)(0));" in cl.translate(
            source.replace("NEAREST", word)
        )


TAKEN = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable // half
kernel void k(read_only image2d_t a, sampler_t s, global float4 *o) {
    float2 p = (float2)(get_global_id(0), get_global_id(1)) * 0.37f;
    o[get_global_id(1) * get_global_size(0) + get_global_id(0)] = read_imagef(a, s, p);
}"""


@pytest.mark.parametrize("filter_", ["NEAREST", "LINEAR"])
def test_compare(filter_, devices, is_opencl):
    """The text as written uses the device's own sampler."""
    if not is_opencl:
        pytest.skip("it is of OpenCL devices")
    image = picture(hc.ImageFormat(ORDER.RGBA, TYPE.FLOAT))
    sampler = hc.Sampler(False, hc.addressing_mode.CLAMP_TO_EDGE, hc.filter_mode[filter_])
    source = TAKEN.partition("\n")[2]
    comparison = cl.compare(
        cl.Program(source).k, devices[0]["device"], (8, 8), None, image, sampler,
        np.zeros((64, 4), np.float32),
    )  # fmt: skip
    assert not any(deviation.differing for deviation in comparison.translated)
    assert comparison.why_not == ""
    assert filter_ == "LINEAR" or not any(
        deviation.differing for deviation in comparison.as_written
    )


@pytest.mark.filterwarnings("ignore:Non-empty compiler output")
def test_launches_by_pyopencl(devices, is_opencl):
    """They give samplers of pyopencl's: the device reads by them."""
    if not is_opencl:
        pytest.skip("it is of OpenCL devices")
    import pyopencl

    from halfcl.cl.pyopencl import Program

    queue = devices[0]["device"]
    image = picture(hc.ImageFormat(ORDER.RGBA, TYPE.FLOAT), (5, 7))
    flags = pyopencl.mem_flags
    there = pyopencl.create_image(
        queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR,
        pyopencl.ImageFormat(pyopencl.channel_order.RGBA, pyopencl.channel_type.FLOAT),
        shape=(7, 5), hostbuf=image.array,
    )  # fmt: skip
    sampler = hc.Sampler(False, hc.addressing_mode.CLAMP_TO_EDGE, hc.filter_mode.NEAREST)
    own = pyopencl.Sampler(
        queue.context, False, pyopencl.addressing_mode.CLAMP_TO_EDGE, pyopencl.filter_mode.NEAREST
    )
    wanted, actual = np.zeros((2, 64, 4), np.float32)
    out = pyopencl.Buffer(queue.context, flags.WRITE_ONLY, actual.nbytes)
    Program(queue.context, TAKEN).build().k(queue, (8, 8), None, there, own, out)
    pyopencl.enqueue_copy(queue, actual, out)
    cl.Program(TAKEN).k((8, 8), None, image, sampler, wanted)
    assert actual.tobytes() == wanted.tobytes()
    with pytest.raises(pyopencl.RuntimeError, match="samplers in the source and others"):
        constant = "\nconstant sampler_t linear = CLK_FILTER_LINEAR;"
        other = "kernel void other(read_only image2d_t a, global float4 *o) { *o = "
        use = "read_imagef(a, linear, (float2)(1)); }"
        Program(queue.context, f"{TAKEN}{constant}\n{other}{use}").build()


WRONG = """
constant sampler_t c = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void whole(read_only image2d_t a, sampler_t s, global int4 *o) {
    o[0] = convert_int4(read_imagef(a, s, (int2)(0)));
}
kernel void integers(read_only image2d_t a, sampler_t s, global int4 *o) {
    o[0] = read_imagei(a, s, (float2)(0));
}
kernel void constants(read_only image2d_t a, sampler_t s, global int4 *o) {
    o[0] = read_imagei(a, c, (float2)(0));
}"""


@pytest.mark.parametrize(
    ("name", "normalized", "filter_"),
    [("whole", True, "NEAREST"), ("whole", False, "LINEAR"), ("integers", False, "LINEAR"),
     ("constants", False, "NEAREST")],
)  # fmt: skip
def test_samplers_that_are_not_for_a_read(name, normalized, filter_, devices):
    sampler = hc.Sampler(normalized, hc.addressing_mode.CLAMP, hc.filter_mode[filter_])
    type_ = TYPE.FLOAT if name == "whole" else TYPE.SIGNED_INT32
    errors = []
    for program in programs_of(WRONG, devices):
        with pytest.raises(cl.LaunchError) as caught:
            image = picture(hc.ImageFormat(ORDER.RGBA, type_))
            program[name](1, None, image, sampler, np.zeros(4, np.int32))
        errors.append(str(caught.value))
    assert are_alike(errors)


# ---------------------------------------------------------------- what is written

WRITE = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "\n".join(
    f"""kernel void w{name}(write_only image1d_t a, global const {type_}4 *c) {{
    int i = get_global_id(0);
    write_image{name}(a, i - 3, c[i]);
}}"""
    for name, type_ in (("f", "float"), ("h", "half"), ("i", "int"), ("ui", "uint"))
)


@one_in(2)
@in_turn
@pytest.mark.parametrize("type_", sorted({f.channel_data_type for f in FORMATS}))
def test_written_texels(type_, devices, is_opencl):
    """Values next to those at which a code or a half changes; NaNs, and values out of range."""
    if is_opencl:
        pytest.skip("a device's formats are tried out before they are used")
    programs = programs_of(WRITE, devices)
    for format_ in (f for f in FORMATS if f.channel_data_type == type_):
        colors = _image_probes.colors(format_)
        colors = colors[:: either(1, len(colors) // 4000)].copy()
        if format_.numbers == "f":
            colors[5:9, 2] = np.nan
        for name in numbers_of(format_):
            with np.errstate(all="ignore"):
                values = colors.astype(DTYPES[name])
            texels = []
            for program in programs:
                image = picture(format_, (len(values) - 5,), kind=KIND.IMAGE1D)
                program[f"w{name}"](len(values), None, image, values)
                texels.append(image.array.copy())
            kept = texels[0].view(np.float16) if texels[0].dtype == hc.half else texels[0]
            other = texels[1].view(kept.dtype)
            is_same = (kept == other) | ((kept != kept) & (other != other))
            assert is_same.all(), (str(format_), name)


def test_queries(devices):
    source = """kernel void k(read_only image2d_array_t a, read_only image3d_t b,
                             read_only image1d_t c, global int *o) {
        o[0] = get_image_width(a); o[1] = get_image_height(a); o[2] = get_image_array_size(a);
        o[3] = get_image_depth(b); o[4] = get_image_channel_order(c);
        o[5] = get_image_channel_data_type(a); o[6] = get_image_dim(a).y;
        int4 all = get_image_dim(b); o[7] = all.x + 100 * all.y + 10000 * all.z + all.w;
    }"""
    half = hc.ImageFormat(ORDER.RGBA, TYPE.HALF_FLOAT)
    results = []
    for program in programs_of(source, devices):
        kinds = (KIND.IMAGE2D_ARRAY, (3, 5, 7)), (KIND.IMAGE3D, (4, 6, 8)), (KIND.IMAGE1D, (9,))
        results.append(np.zeros(8, np.int32))
        program.k(1, None, *(picture(half, shape, kind=kind) for kind, shape in kinds), results[-1])
    assert are_alike([out.tolist() for out in results])
