"""Kernels that need more than the author's arguments: sub-groups, and samplers as numbers."""

import numpy as np
import pytest
from cl_kernels import differing_indices
from exhaustive import either, in_turn
from layer_kernels import MARKS, KernelRunner

import halfcl as hc
from halfcl import cl

pytestmark = MARKS

HEAD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE MODE
"""
OPTIONS = "-cl-std=CL3.0 -cl-ext=+cl_khr_subgroups,+cl_khr_subgroup_shuffle"
A = np.random.default_rng(5).normal(size=1920).astype(np.float16)

GROUPS = (
    HEAD
    + """
half sum(half x) { return sub_group_reduce_add(x); }
kernel void whole(global const half *a, global half *out) {
    size_t i = get_global_id(0);
    out[i] = sum(a[i]) + work_group_scan_inclusive_add(a[i]) + get_max_sub_group_size();
}
kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void others(global const half *a, global half *out) { whole(a, out); }
kernel __attribute__((intel_reqd_sub_group_size(16)))
void some(global const half *a, global half *out) {
    size_t i = get_global_id(0);
    out[i] = get_sub_group_local_id() / a[i];
    if (get_group_id(0) & 1 && a[i - get_local_id(0)] > 0)
        out[i] = sub_group_scan_inclusive_max(a[i]);
}
kernel void divided(global const half *a, global half *out) {
    size_t i = get_global_id(0);
    if (get_sub_group_id() & 1) out[i] = sub_group_reduce_max(a[i]);
}
"""
)


@pytest.fixture(scope="module")
def run_kernels(tmp_path_factory):
    return KernelRunner(tmp_path_factory.mktemp("launches"))


@pytest.mark.parametrize("mode", either(hc.MODES, ("rtz",)))
@pytest.mark.parametrize(
    ("kernel", "group"),
    [("whole", 64), ("whole", 48), ("whole", None), ("others", 8), ("some", 16), ("some", 8)],
)
def test_groups(run_kernels, kernel, group, mode):
    source = GROUPS.replace("MODE\n", f"{mode}\n")
    result = run_kernels(source, {kernel: hc.half}, (A,), A.size, OPTIONS, group=group)
    assert isinstance(result, dict), result
    right = np.zeros(A.size, hc.half)
    cl.Program(source, OPTIONS)[kernel](A.size, group, A, right)
    assert result[kernel].tobytes() == right.tobytes()


@pytest.mark.parametrize(("kernel", "group"), [("some", 64), ("divided", 64), ("others", 16)])
def test_work_groups_that_are_too_large(run_kernels, kernel, group):
    """A launch that would write outside of the memory of its sub-groups fails."""
    source = GROUPS.replace("MODE\n", "rtz\n")
    result = run_kernels(source, {kernel: hc.half}, (A,), A.size, OPTIONS, group=group)
    assert result[0] == 3
    assert result[1].endswith("clEnqueueNDRangeKernel: status -54\n")  # INVALID_WORK_GROUP_SIZE
    if kernel != "others":
        assert "not launched: expected work-groups of at most" in run_kernels.log()


# ---------------------------------------------------------------- images

IMAGES = (
    HEAD
    + """

half4 twice(read_only image2d_t image, sampler_t with, float2 at)
{
    return 2 * read_imageh(image, with, at);
}
kernel void sample(read_only image2d_t image, sampler_t with, global const float *at,
                   global half *out) {
    size_t i = get_global_id(0);
    half4 color = twice(image, with, vload2(i, at)) + read_imageh(image, (int2)(1, 2));
    out[i] = color.x + color.y * color.z - color.w;
}
kernel void other(read_only image2d_t image, sampler_t with, global const float *at,
                  global half *out) {
    const sampler_t own = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
    size_t i = get_global_id(0);
    out[i] = read_imageh(image, own, vload2(i, at)).x / read_imageh(image, with, vload2(i, at)).y;
}
"""
)
SIZE = 7, 5

#: The mode is written in a program: the device compiles the program of each mode once.
IMAGE_MODES = either(hc.MODES, ("rtp",))
POINTS = np.random.default_rng(6).uniform(-0.5, 1.5, (200, 2)).astype(np.float32)


FORMATS = {
    hc.channel_type.HALF_FLOAT: np.float16,
    hc.channel_type.FLOAT: np.float32,
    hc.channel_type.UNORM_INT8: np.uint8,
    hc.channel_type.SNORM_INT8: np.int8,
    hc.channel_type.UNORM_INT16: np.uint16,
    hc.channel_type.SNORM_INT16: np.int16,
}


def make_image(type_, size=SIZE):
    """Return an image of random texels."""
    rng, dtype = np.random.default_rng(7), np.dtype(FORMATS[type_])
    shape = (*reversed(size), 4)
    if dtype.kind == "f":
        texels = rng.normal(size=shape).astype(dtype)
    else:
        texels = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape, dtype)
    return hc.Image(texels, hc.ImageFormat(hc.channel_order.RGBA, type_))


@in_turn
@pytest.mark.parametrize("mode", IMAGE_MODES)
@pytest.mark.parametrize("type_", [hc.channel_type.HALF_FLOAT, hc.channel_type.UNORM_INT8])
@pytest.mark.parametrize(
    ("kernel", "normalized", "addressing", "filtering"),
    [
        ("sample", True, "REPEAT", "LINEAR"), ("sample", True, "MIRRORED_REPEAT", "NEAREST"),
        ("sample", False, "CLAMP", "LINEAR"), ("sample", False, "CLAMP_TO_EDGE", "NEAREST"),
        ("other", True, "CLAMP_TO_EDGE", "LINEAR"), ("other", False, "NONE", "NEAREST"),
    ],
)  # fmt: skip
def test_samplers(run_kernels, mode, type_, kernel, normalized, addressing, filtering):
    """Samplers of arguments filter as halfcl does, also beside those of the text."""
    source = IMAGES.replace("MODE\n", f"{mode}\n")
    sampler = hc.Sampler(normalized, hc.addressing_mode[addressing], hc.filter_mode[filtering])
    points = POINTS if normalized else POINTS * SIZE
    if addressing == "NONE":
        points = np.clip(points, 0, 4)
    points = np.ascontiguousarray(points.astype(np.float32))
    image = make_image(type_)
    result = run_kernels(source, {kernel: hc.half}, (image, sampler, points), len(points))
    assert isinstance(result, dict), result
    right = np.zeros(len(points), hc.half)
    cl.Program(source)[kernel](len(points), None, image, sampler, points, right)
    assert not differing_indices(right, result[kernel]).size


COPIES = (
    HEAD
    + """
half4 color_of(int i) {
    half x = as_half((ushort)i);
    return (half4)(x, -x, x * (half)0.3h, x + 1.5h);
}
kernel void set(write_only image2d_t image, global half4 *out) {
    int i = get_global_id(0);
    write_imageh(image, (int2)(i & 255, i >> 8), color_of(i));
}
kernel void set_floats(write_only image2d_t image, global half4 *out) {
    int i = get_global_id(0);
    write_imagef(image, (int2)(i & 255, i >> 8), convert_float4(color_of(i)) * 0.4999f);
}
kernel void get(read_only image2d_t image, global half4 *out) {
    int i = get_global_id(0);
    const sampler_t own = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    half4 left = read_imageh(image, own, (int2)((i & 255) - 1, i >> 8));
    out[i] = read_imageh(image, (int2)(i & 255, i >> 8)) - left;
}
kernel void get_floats(read_only image2d_t image, global half4 *out) {
    int i = get_global_id(0);
    float4 x = read_imagef(image, (int2)(i & 255, i >> 8));
    out[i] = convert_half4(x * 3.0f) + read_imageh(image, (int2)(0, i >> 8));
}
"""
)


@in_turn
@pytest.mark.parametrize("mode", IMAGE_MODES)
@pytest.mark.parametrize("type_", FORMATS)
@pytest.mark.parametrize("write", ["", "set", "set_floats"])
def test_formats_of_images(run_kernels, mode, type_, write):
    """Colours are halfcl's, however the device decodes and encodes them."""
    if write == "set_floats" and type_ == hc.channel_type.HALF_FLOAT:
        pytest.skip("devices choose the mode in which they write floats to images of halves")
    source = COPIES.replace("MODE\n", f"{mode}\n")
    image, out = make_image(type_, (256, 256)), np.zeros((1 << 16, 4), hc.half)
    kernels = [*filter(None, [write]), "get", "get_floats"]
    result = run_kernels(source, dict.fromkeys(kernels, np.uint64), (image,), len(out))
    assert isinstance(result, dict), result
    program = cl.Program(source)
    for name in kernels:
        program[name](len(out), None, image, out)
        if name != write:
            assert not differing_indices(out.ravel(), result[name].view(hc.half)).size, name
