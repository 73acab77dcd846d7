"""halfcl.cl.pyopencl with check=True: halfcl's interpreter on the memory of pyopencl's objects."""

import io
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from cl_devices import queue_of

import halfcl as hc
from halfcl import cl as own

ocl = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")
from halfcl.cl.pyopencl import Program, install, uninstall  # noqa: E402

pytestmark = [pytest.mark.once, pytest.mark.kernels, pytest.mark.filterwarnings("ignore")]

FLAGS = ocl.mem_flags
COPIED = FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR

SOURCE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE rtp
kernel void scale(global const half *in, global half *out, half factor) {
    size_t i = get_global_id(0);
    out[i] = in[i] * factor;
}
#pragma OPENCL SELECT_ROUNDING_MODE rte
kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }
kernel void twice_into(global const int *x, global int *y) {
    y[get_global_id(0)] = 2 * x[get_global_id(0)];
}
kernel void total(global const int *in, global int *out, local int *t) {
    size_t l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    for (size_t k = get_local_size(0) / 2; k > 0; k >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < k) t[l] += t[l + k];
    }
    if (l == 0) out[get_group_id(0)] = t[0];
}
kernel void races(global int *x) { x[0] += (int)get_global_id(0); }
kernel void unset(global int *x) { int y; x[get_global_id(0)] = y; }
kernel void outside(global int *x) { x[get_global_id(0) + 1] = 7; }
typedef struct { int id; float4 at; } particle;
kernel void value(global float *out, particle p, float4 v, uchar3 c, double d, uint u) {
    out[0] = p.id; out[1] = p.at.y; out[2] = v.z; out[3] = c.z; out[4] = d; out[5] = u;
}
kernel void where(global uint *x) { x[get_global_id(0) - get_global_offset(0)] = get_global_id(0); }
kernel void forever(global int *x) { while (x[0] >= 0) x[1]++; }
kernel void nothing(void) {}
"""


@pytest.fixture(scope="module")
def queue():
    yield from queue_of(ocl)


@pytest.fixture(scope="module")
def program(queue):
    return Program(queue.context, SOURCE, check=True).build()


@pytest.fixture
def installation():
    """Put halfcl's Program in place of pyopencl's, with checks."""
    install(check=True)
    yield
    uninstall()


def buffer(queue, array, flags=COPIED):
    return ocl.Buffer(queue.context, flags, hostbuf=np.ascontiguousarray(array))


def read(queue, memory, dtype=np.int32):
    array = np.empty(memory.size // np.dtype(dtype).itemsize, dtype)
    ocl.enqueue_copy(queue, array, memory)
    return array


# ---------------------------------------------------------------- memory


def test_kernel_rounds_as_pragma_says(queue, program):
    x = np.linspace(-1, 1, 33).astype(np.float16)
    source, target = buffer(queue, x), ocl.Buffer(queue.context, FLAGS.WRITE_ONLY, x.nbytes)
    event = program.scale(queue, x.shape, None, source, target, np.float16(0.3))
    assert isinstance(event, ocl.Event)
    event.wait()
    right = hc.multiply.rtp(x, np.float16(0.3)).astype(np.float16)
    assert read(queue, target, np.float16).tobytes() == right.tobytes()


def test_sub_buffers_share_memory_with_their_buffer(queue, program):
    step = queue.device.mem_base_addr_align // 8
    count = step // 4
    whole = buffer(queue, np.arange(4 * count, dtype=np.int32))
    program.twice(queue, (count,), None, whole[step : 2 * step])
    right = np.arange(4 * count)
    right[count : 2 * count] *= 2
    assert read(queue, whole).tolist() == right.tolist()
    program.twice_into(queue, (count,), None, whole[step : 2 * step], whole)
    right[:count] = 2 * right[count : 2 * count]
    assert read(queue, whole).tolist() == right.tolist()


def test_buffer_is_mapped_once(queue, program, monkeypatch):
    """A device may keep either copy of memory that is mapped twice."""
    step = queue.device.mem_base_addr_align // 8
    whole = buffer(queue, np.zeros(step, np.int32))
    mapped = []

    def map_buffer(queue, memory, *args, **options):
        mapped.append(memory.int_ptr)
        return enqueue_map_buffer(queue, memory, *args, **options)

    enqueue_map_buffer = ocl.enqueue_map_buffer
    monkeypatch.setattr(ocl, "enqueue_map_buffer", map_buffer)
    program.twice_into(queue, (1,), None, whole[step : 2 * step], whole[2 * step :])
    program.twice_into(queue, (1,), None, whole, whole[2 * step :])
    assert mapped == [whole.int_ptr] * 2


def test_access_beyond_sub_buffer_is_found(queue, program):
    step = queue.device.mem_base_addr_align // 8
    whole = buffer(queue, np.zeros(step // 2, np.int32))
    part = whole[step : 2 * step]
    with pytest.raises(ocl.RuntimeError, match=f"outside of global memory 'x'.*at byte {step}"):
        program.outside(queue, (step // 4,), None, part)


@pytest.mark.parametrize("limit", ["HOST_NO_ACCESS", "HOST_READ_ONLY", "HOST_WRITE_ONLY"])
def test_buffers_that_the_host_may_not_map(limit, queue, program):
    x = buffer(queue, np.arange(5), FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR | getattr(FLAGS, limit))
    x = ocl.Buffer(queue.context, COPIED | getattr(FLAGS, limit), hostbuf=np.arange(5, dtype="i4"))
    y = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 20)
    program.twice(queue, (5,), None, x)
    program.twice_into(queue, (5,), None, x, y)
    assert read(queue, y).tolist() == [0, 4, 8, 12, 16]


def test_memory_of_the_host_is_used(queue, program):
    host = np.arange(1024, dtype=np.int32)
    used = ocl.Buffer(queue.context, FLAGS.READ_WRITE | FLAGS.USE_HOST_PTR, hostbuf=host)
    program.twice(queue, (1024,), None, used)
    assert read(queue, used).tolist() == (2 * np.arange(1024)).tolist()


def test_write_to_read_only_buffer_is_found(queue, program):
    x = buffer(queue, np.arange(3, dtype=np.int32), FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR)
    y = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 12)
    program.twice_into(queue, (3,), None, x, y)
    with pytest.raises(ocl.RuntimeError, match=r"argument 1 \(x\).*READ_ONLY.*byte 4"):
        program.twice(queue, (3,), None, x)
    assert read(queue, x).tolist() == [0, 1, 2]


def test_null_pointers(queue):
    source = "kernel void f(global int *x, global int *y) { y[0] = x == 0; }"
    y = buffer(queue, np.zeros(1, np.int32))
    Program(queue.context, source, check=True).build().f(queue, (1,), None, None, y)
    assert read(queue, y).tolist() == [1]


def test_shared_virtual_memory(queue, program):
    if not queue.device.svm_capabilities & ocl.device_svm_capabilities.COARSE_GRAIN_BUFFER:
        pytest.skip("needs a device with coarse-grained shared virtual memory")
    x = ocl.csvm_empty(queue.context, 6, np.int32)
    with ocl.SVM(x).map_rw(queue) as mapped:
        mapped[:] = np.arange(6)
    program.twice(queue, (6,), None, ocl.SVM(x))
    with ocl.SVM(x).map_ro(queue) as mapped:
        assert mapped.tolist() == [0, 2, 4, 6, 8, 10]


def test_memory_pools(queue, program):
    tools = pytest.importorskip("pyopencl.tools")
    pool = tools.MemoryPool(tools.ImmediateAllocator(queue))
    x = pool.allocate(20)
    ocl.enqueue_copy(queue, x, np.arange(5, dtype=np.int32))
    program.twice(queue, (5,), None, x)
    assert read(queue, x)[:5].tolist() == [0, 2, 4, 6, 8]


def test_local_memory(queue, program):
    values = np.arange(64, dtype=np.int32)
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 32)
    program.total(queue, (64,), (8,), buffer(queue, values), out, ocl.LocalMemory(32))
    assert read(queue, out).tolist() == values.reshape(8, 8).sum(axis=1).tolist()
    with pytest.raises(ocl.RuntimeError, match="outside of local memory 't'"):
        program.total(queue, (64,), (8,), buffer(queue, values), out, ocl.LocalMemory(16))


# ---------------------------------------------------------------- images

IMAGES = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void brighten(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageh(to, at, read_imageh(from, s, at + (int2)(1, 0)) * 2.0h);
}
kernel void layers(read_only image2d_array_t from, global float *out) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int2 size = get_image_dim(from);
    out[(at.z * size.y + at.y) * size.x + at.x] = read_imagef(from, at).x;
}
kernel void volume(read_only image3d_t from, global float *out) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    out[(at.z * get_image_height(from) + at.y) * get_image_width(from) + at.x] =
        read_imagef(from, at).x;
}
kernel void line(read_only image1d_t from, read_only image1d_array_t rows, global float *out) {
    int x = get_global_id(0), w = get_image_width(from);
    out[x] = read_imagef(from, x).x;
    for (int y = 0; y < get_image_array_size(rows); y++)
        out[(y + 1) * w + x] = read_imagef(rows, (int2)(x, y)).x;
}
kernel void codes(read_only image1d_buffer_t from, global uint *out) {
    out[get_global_id(0)] = read_imageui(from, (int)get_global_id(0)).y;
}
kernel void middle(read_only image2d_t from, sampler_t s, global float *out) {
    out[0] = read_imagef(from, s, (float2)(0.5f, 0.5f)).x;
}
"""

HALVES = ocl.ImageFormat(ocl.channel_order.RGBA, ocl.channel_type.HALF_FLOAT)
FLOATS = ocl.ImageFormat(ocl.channel_order.R, ocl.channel_type.FLOAT)


@pytest.fixture(scope="module")
def images(queue):
    if not queue.device.image_support:
        pytest.skip("needs a device with images")
    return Program(queue.context, IMAGES, check=True).build()


def image(queue, array, kind, sizes, format=FLOATS, pitches=(0, 0), flags=COPIED):
    """Return an image; sizes: x first, with layers."""
    described = ocl.ImageDescriptor()
    described.image_type = getattr(ocl.mem_object_type, kind)
    described.shape, described.pitches = sizes, pitches
    described.array_size = sizes[-1] if kind.endswith("ARRAY") else 0
    return ocl.Image(queue.context, flags, format, hostbuf=array, desc=described)


def test_images_and_samplers(queue, images):
    pixels = np.random.default_rng(1).random((3, 5, 4)).astype(np.float16)
    source = image(queue, pixels, "IMAGE2D", (5, 3), HALVES)
    target = ocl.Image(queue.context, FLAGS.WRITE_ONLY, HALVES, (5, 3))
    edge = ocl.Sampler(
        queue.context, False, ocl.addressing_mode.CLAMP_TO_EDGE, ocl.filter_mode.NEAREST
    )
    images.brighten(queue, (5, 3), None, source, target, edge)
    result = np.empty_like(pixels)
    ocl.enqueue_copy(queue, result, target, origin=(0, 0), region=(5, 3))
    np.testing.assert_array_equal(result, 2 * pixels[:, [1, 2, 3, 4, 4]])


def test_samplers_filter_and_normalise(queue, images):
    texels = np.array([[1, 2], [4, 9]], np.float32)
    linear = ocl.Sampler(
        queue.context, True, ocl.addressing_mode.CLAMP_TO_EDGE, ocl.filter_mode.LINEAR
    )
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 4)
    images.middle(queue, (1,), None, image(queue, texels, "IMAGE2D", (2, 2)), linear, out)
    assert read(queue, out, np.float32) == [4]


def test_rows_of_an_image_are_a_pitch_apart(queue, images):
    host = np.arange(3 * 64, dtype=np.float32).reshape(3, 64)
    source = image(
        queue, host, "IMAGE2D", (5, 3), pitches=(256, 0), flags=FLAGS.READ_ONLY | FLAGS.USE_HOST_PTR
    )
    point = ocl.Sampler(queue.context, True, ocl.addressing_mode.CLAMP, ocl.filter_mode.NEAREST)
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 4)
    images.middle(queue, (1,), None, source, point, out)
    assert read(queue, out, np.float32) == host[1, 2]


def test_layers_and_slices(queue, images):
    texels = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, texels.nbytes)
    for kernel, kind in ((images.layers, "IMAGE2D_ARRAY"), (images.volume, "IMAGE3D")):
        kernel(queue, (4, 3, 2), None, image(queue, texels, kind, (4, 3, 2)), out)
        assert read(queue, out, np.float32).tolist() == texels.ravel().tolist()


def test_images_of_one_dimension(queue, images):
    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, rows.nbytes)
    one = image(queue, rows[0].copy(), "IMAGE1D", (4,))
    more = image(queue, rows[1:].copy(), "IMAGE1D_ARRAY", (4, 2))
    images.line(queue, (4,), None, one, more, out)
    assert read(queue, out, np.float32).tolist() == rows.ravel().tolist()


def test_image_of_a_buffer(queue, images):
    described = ocl.ImageDescriptor()
    described.image_type = ocl.mem_object_type.IMAGE1D_BUFFER
    described.shape, described.pitches = (4,), (0, 0)
    memory = buffer(queue, np.arange(16, dtype=np.uint8))
    described.buffer = memory  # which the descriptor does not keep alive
    codes = ocl.ImageFormat(ocl.channel_order.RGBA, ocl.channel_type.UNSIGNED_INT8)
    source = ocl.Image(queue.context, FLAGS.READ_ONLY, codes, desc=described)
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 16)
    images.codes(queue, (4,), None, source, out)
    assert read(queue, out, np.uint32).tolist() == [1, 5, 9, 13]


def test_images_of_another_kind_are_refused(queue, images):
    texels = np.zeros((2, 2), np.float32)
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 16)
    with pytest.raises(ocl.LogicError, match=r"argument 1 \(from\): expected .*image3d_t"):
        images.volume(queue, (1, 1, 1), None, image(queue, texels, "IMAGE2D", (2, 2)), out)
    with pytest.raises(ocl.LogicError, match=r"argument 1 \(from\): expected an Image"):
        images.volume(queue, (1, 1, 1), None, out, out)
    with pytest.raises(ocl.LogicError, match=r"argument 2 \(s\): expected a Sampler .* got Image"):
        images.middle(queue, (1,), None, *[image(queue, texels, "IMAGE2D", (2, 2))] * 2, out)
    with pytest.raises(ocl.LogicError, match=r"argument 2 \(out\): expected a Buffer"):
        images.volume(queue, (1, 1, 1), None, *[image(queue, texels, "IMAGE2D", (2, 2))] * 2)


@pytest.mark.parametrize("flag", ["WRITE_ONLY", "HOST_NO_ACCESS", "HOST_WRITE_ONLY"])
def test_images_that_may_not_be_read(flag, queue, images):
    texels = np.zeros((2, 2, 2), np.float32)
    source = image(
        queue, texels, "IMAGE3D", (2, 2, 2), flags=FLAGS.COPY_HOST_PTR | getattr(FLAGS, flag)
    )
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 32)
    with pytest.raises(ocl.LogicError, match=rf"argument 1 \(from\): .* got one of flag {flag}"):
        images.volume(queue, (2, 2, 2), None, source, out)


# ---------------------------------------------------------------- arguments


def test_numbers_vectors_and_structs(queue, program):
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 24)
    layout = np.dtype({"names": ["id", "at"], "formats": ["i4", ("f4", 4)], "offsets": [0, 16]})
    particle = np.array((3, [1, 2, 3, 4]), layout)
    vector = np.array([5, 6, 7, 8], np.float32)
    colour = np.array([1, 2, 255, 0], np.uint8)
    program.value(
        queue, (1,), None, out, particle, vector, colour, np.float64(0.5), np.int32(-1)
    )  # fmt: skip
    assert read(queue, out, np.float32).tolist() == [3, 2, 7, 255, 0.5, 2**32]


def test_vectors_of_cltypes(queue):
    cltypes = pytest.importorskip("pyopencl.cltypes")
    source = "kernel void f(global float *o, float4 v, int2 i) { o[0] = v.w; o[1] = i.y; }"
    out = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 8)
    kernel = Program(queue.context, source, check=True).build().f
    kernel(queue, (1,), None, out, cltypes.make_float4(1, 2, 3, 4), cltypes.make_int2(5, 6))
    assert read(queue, out, np.float32).tolist() == [4, 6]


def test_python_numbers_with_dtypes(queue, program):
    x = buffer(queue, np.ones(3, np.float16))
    kernel = program.scale
    kernel.set_scalar_arg_dtypes([None, None, np.float16])
    kernel(queue, (3,), None, x, x, 0.5)
    assert read(queue, x, np.float16).tolist() == [0.5] * 3


def test_arguments_set_one_by_one(queue, program, installation):
    kernel = ocl.Kernel(program, "twice_into")
    assert isinstance(kernel, ocl.Kernel) and isinstance(program, ocl.Program)
    assert (kernel.function_name, kernel.num_args, kernel.context) == (
        "twice_into",
        2,
        queue.context,
    )
    y = ocl.Buffer(queue.context, FLAGS.READ_WRITE, 12)
    kernel.set_arg(0, buffer(queue, np.arange(3, dtype=np.int32)))
    with pytest.raises(ocl.LogicError, match=r"argument 2 \(y\): expected a value .* got none"):
        ocl.enqueue_nd_range_kernel(queue, kernel, (3,), None)
    kernel.set_arg(1, y)
    ocl.enqueue_nd_range_kernel(queue, kernel, (3,), None)
    assert read(queue, y).tolist() == [0, 2, 4]
    with pytest.raises(ocl.LogicError, match="expected less than 2, got 2"):
        kernel.set_arg(2, y)


def test_wrong_arguments(queue, program):
    x = buffer(queue, np.zeros(3, np.float16))
    for values, message in (
        ((x, x), "expected 3 arguments .in, out, factor., got 2"),
        ((x, x, 0.5), r"argument 3 \(factor\): expected .* NumPy type .* got float"),
        ((x, x, np.float32(0.5)), r"argument 3 \(factor\): expected half of 2 bytes, got float32"),
        ((x, x, np.int16(1)), r"argument 3 \(factor\): expected half, got int16"),
        ((x, x, x), r"argument 3 \(factor\): expected a value for half, got a memory object"),
        ((np.zeros(3, np.float16), x, np.float16(1)), r"argument 1 \(in\): expected memory"),
        ((x, x, np.array(0.5, ">f2")), r"argument 3 \(factor\): expected half in native"),
        ((x, x, None), r"argument 3 \(factor\)"),
        ((x, x, ocl.LocalMemory(4)), r"argument 3 \(factor\)"),
        ((ocl.LocalMemory(4), x, np.float16(1)), r"argument 1 \(in\)"),
    ):
        with pytest.raises(ocl.LogicError, match=message):
            program.scale(queue, (3,), None, *values)
    assert read(queue, x, np.float16).tolist() == [0] * 3


def test_wrong_sizes(queue, program):
    x = buffer(queue, np.zeros(4, np.int32))
    for sizes, local in (((), None), ((0,), None), ((4,), (3,)), ((1,) * 4, None), ((-1,), None)):
        with pytest.raises(ocl.LogicError, match=r"twice: .*(global|local)_size"):
            program.twice(queue, sizes, local, x)
    with pytest.raises(ocl.LogicError, match="local_size: expected as many numbers"):
        program.twice(queue, (2, 2), (1,), x, g_times_l=True)
    program.twice(queue, (0,), None, x, allow_empty_ndrange=True).wait()


def test_released_buffers_are_refused(queue, program, installation):
    """pyopencl alone uses them, which crashes or changes other memory."""
    x = buffer(queue, np.zeros(4, np.int32))
    x.release()
    with pytest.raises(ocl.LogicError, match=r"argument 1 \(x\): .* has been released"):
        program.twice(queue, (4,), None, x)


def test_offsets_and_group_counts(queue, program):
    x = buffer(queue, np.zeros(8, np.uint32))
    program.where(queue, (4,), (2,), x, global_offset=(5,), g_times_l=True)
    assert read(queue, x).tolist() == [*range(5, 13)]


# ---------------------------------------------------------------- what is checked


@pytest.mark.parametrize(
    ("kernel", "message"), [("races", "race: global x"), ("unset", "uninitialized read: private y")]
)
def test_errors_of_kernels_are_found(kernel, message, queue, program):
    x = buffer(queue, np.zeros(8, np.int32))
    with pytest.raises(ocl.RuntimeError, match=f"program.cl:.*{message}") as caught:
        getattr(program, kernel)(queue, (8,), None, x)
    assert isinstance(caught.value.__cause__, own.CheckError)
    assert caught.value.code == ocl.status_code.OUT_OF_RESOURCES
    program.twice(queue, (8,), None, x).wait()  # everything has been unmapped


def test_sources_that_do_not_compile(queue):
    with pytest.raises(ocl.RuntimeError, match="undeclared identifier 'y'") as caught:
        Program(queue.context, "kernel void f(global int *x) { x[0] = y; }", check=True).build()
    assert caught.value.code == ocl.status_code.BUILD_PROGRAM_FAILURE
    with pytest.raises(ocl.LogicError, match="no-such-option"):
        Program(queue.context, SOURCE, check=True).build("-no-such-option")


def test_programs_describe_themselves(queue, program):
    names = program.kernel_names.split(";")
    assert names[:2] == ["scale", "twice"] and program.num_kernels == len(names)
    assert [kernel.function_name for kernel in program.all_kernels()] == names
    assert program.context == queue.context and program.source == SOURCE
    with pytest.raises(AttributeError, match="'no_such_kernel'"):
        _ = program.no_such_kernel
    built = Program(queue.context, "kernel void k(global int *a) { a[0] = N; }", check=True)
    built.build(["-D", "N=3"])
    info = ocl.program_build_info
    assert built.get_build_info(queue.device, info.OPTIONS) == "-D N=3"
    assert built.get_build_info(queue.device, info.STATUS) == 0
    size = built.k.get_work_group_info(
        ocl.kernel_work_group_info.WORK_GROUP_SIZE, queue.device
    )  # fmt: skip
    assert size == queue.device.max_work_group_size


def test_calls_are_captured(queue, program):
    text = io.StringIO()
    program.twice.capture_call(text, queue, (3,), None, buffer(queue, np.ones(3, np.int32)))
    assert SOURCE.split()[-1] in text.getvalue() and "twice" in text.getvalue()


def test_unchecked_ways_to_launch_are_refused(queue, program):
    """Without install(), pyopencl's own functions know nothing of checks: none may run silently."""
    with pytest.raises(ocl.LogicError):
        ocl.Kernel(program, "twice")
    with pytest.raises(TypeError):
        ocl.enqueue_nd_range_kernel(queue, program.nothing, (1,), None)


@pytest.mark.parametrize("source", [None, 3, b"\xff"])
def test_source_that_is_no_text(source, queue):
    with pytest.raises(ocl.LogicError, match="expected a source to check"):
        Program(queue.context, source, check=True)
    with pytest.raises(TypeError, match="Program: argument check: expected True, False or None"):
        Program(queue.context, SOURCE, check="yes")


def test_source_in_bytes(queue):
    x = buffer(queue, np.ones(3, np.int32))
    Program(queue.context, SOURCE.encode(), check=True).build().twice(queue, (3,), None, x)
    assert read(queue, x).tolist() == [2, 2, 2]


def test_kernels_may_have_names_of_methods(queue):
    source = "kernel void checks(global int *x) { x[0] = 1; } kernel void build(global int *x) {}"
    built = Program(queue.context, source, check=True).build()
    assert built.checks.function_name == "checks"
    assert [kernel.function_name for kernel in built.all_kernels()] == ["checks", "build"]


def test_binaries_cannot_be_checked(queue, program):
    plain = ocl.Program(queue.context, "kernel void f(global int *x) { x[0] = 5; }").build()
    binaries = plain.get_info(ocl.program_info.BINARIES)
    with pytest.raises(ocl.LogicError, match="expected a source to check"):
        Program(queue.context, [queue.device], binaries, check=True)
    x = buffer(queue, np.zeros(1, np.int32))
    Program(queue.context, [queue.device], binaries).build().f(queue, (1,), None, x)
    assert read(queue, x).tolist() == [5]


def test_region_sets_the_mode_before_the_first_pragma(queue):
    source = (
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void f(global half *x) { *x /= 3; }"
    )
    kernel = Program(queue.context, source, check=True).build().f
    for mode in hc.MODES:
        x = buffer(queue, np.ones(1, np.float16))
        with hc.rounding(mode):
            kernel(queue, (1,), None, x)
        assert read(queue, x, np.float16) == hc.divide(hc.half(1), hc.half(3), rounding=mode)


# ---------------------------------------------------------------- queues, events, threads


def test_events_are_waited_for(queue, program):
    out_of_order = ocl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    if not queue.device.queue_properties & out_of_order:
        pytest.skip("needs a device with queues that are out of order")
    first, second = (ocl.CommandQueue(queue.context, properties=out_of_order) for _ in range(2))
    values = np.arange(1 << 20, dtype=np.int32)
    x = ocl.Buffer(queue.context, FLAGS.READ_WRITE, values.nbytes)
    copied = ocl.enqueue_copy(first, x, values, is_blocking=False)
    doubled = program.twice(second, values.shape, None, x, wait_for=[copied])
    result = np.empty_like(values)
    ocl.enqueue_copy(first, result, x, wait_for=[doubled])
    assert (result == 2 * values).all()


def test_user_event_that_nobody_can_set_is_refused(queue, program):
    x = buffer(queue, np.ones(1, np.int32))
    event = ocl.UserEvent(queue.context)
    with pytest.raises(ocl.LogicError, match="UserEvent that has not been set"):
        program.twice(queue, (1,), None, x, wait_for=[event])
    event.set_status(ocl.command_execution_status.COMPLETE)
    program.twice(queue, (1,), None, x, wait_for=[event])
    assert read(queue, x).tolist() == [2]


def test_profiles_of_events(queue, program):
    timed = ocl.CommandQueue(
        queue.context, properties=ocl.command_queue_properties.PROFILING_ENABLE
    )
    event = program.twice(timed, (1,), None, buffer(queue, np.ones(1, np.int32)))
    event.wait()
    assert event.profile.queued <= event.profile.end


def test_threads(queue, program):
    buffers = [buffer(queue, np.full(1000, n, np.int32)) for n in range(8)]

    def work(x):
        own_queue = ocl.CommandQueue(queue.context)
        for _ in range(5):
            program.twice(own_queue, (1000,), None, x)

    shared = ocl.CommandQueue(queue.context)
    kernel = program.twice
    threads = [threading.Thread(target=work, args=(x,)) for x in buffers[:4]]
    threads += [
        threading.Thread(target=lambda x=x: [kernel(shared, (1000,), None, x) for _ in range(5)])
        for x in buffers[4:]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, x in enumerate(buffers):
        assert (read(queue, x) == 32 * n).all()


# ---------------------------------------------------------------- pyopencl's own kernels


def test_arrays(queue, installation):
    array = pytest.importorskip("pyopencl.array")
    a, b = np.random.default_rng(0).normal(size=(2, 500)).astype(np.float16)
    x, y = array.to_device(queue, a), array.to_device(queue, b)
    with np.errstate(all="ignore"):
        assert (x + y).get().tobytes() == hc.add.rte(a, b).astype(np.float16).tobytes()
        assert (x / y).get().tobytes() == hc.divide.rte(a, b).astype(np.float16).tobytes()
    assert (array.arange(queue, 10, dtype=np.int32)[3:7] * 2).get().tolist() == [6, 8, 10, 12]
    z = array.to_device(queue, np.array([1 + 2j, 3j], np.complex64))
    assert (z * z).get().tolist() == [-3 + 4j, -9]
    assert array.empty(queue, 0, np.float32).get().size == 0


def test_snippets_round_as_pragma_says(queue, installation):
    array = pytest.importorskip("pyopencl.array")
    elementwise = pytest.importorskip("pyopencl.elementwise")
    third = elementwise.ElementwiseKernel(
        queue.context, "half *x, half *out", "out[i] = x[i] / 3.0h",
        preamble="#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable\n"
        "#pragma OPENCL SELECT_ROUNDING_MODE rtp",
    )  # fmt: skip
    x = array.to_device(queue, np.arange(1, 4, dtype=np.float16))
    out = array.empty_like(x)
    third(x, out).wait()
    right = hc.divide.rtp(np.arange(1, 4, dtype=np.float16), np.float16(3))
    assert out.get().tobytes() == right.tobytes()


def test_error_in_a_snippet_is_found(queue, installation):
    array = pytest.importorskip("pyopencl.array")
    elementwise = pytest.importorskip("pyopencl.elementwise")
    x = array.zeros(queue, 4, np.float32)
    beyond = elementwise.ElementwiseKernel(queue.context, "float *x", "x[i + 1] = 0")
    with pytest.raises(ocl.RuntimeError, match="outside of global memory 'x__base'"):
        beyond(x)


def test_reductions_and_scans(queue, installation):
    pytest.importorskip("mako", reason="pyopencl needs mako for reductions")
    array = pytest.importorskip("pyopencl.array")
    scan = pytest.importorskip("pyopencl.scan")
    reduction = pytest.importorskip("pyopencl.reduction")
    x = array.arange(queue, 300, dtype=np.int32)
    assert array.sum(x).get() == 300 * 299 // 2
    squares = reduction.ReductionKernel(
        queue.context, np.int32, "0", "a+b", map_expr="x[i]*x[i]", arguments="int *x"
    )
    assert squares(x).get() == sum(i * i for i in range(300))
    scan.InclusiveScanKernel(queue.context, np.int32, "a+b", neutral="0")(x)
    assert x.get().tolist() == np.cumsum(np.arange(300)).tolist()


def test_race_in_a_snippet_of_a_scan_is_found(queue, installation):
    """Only what pyopencl's own scans do to their own memory is let pass."""
    pytest.importorskip("mako", reason="pyopencl needs mako for scans")
    array = pytest.importorskip("pyopencl.array")
    scan = pytest.importorskip("pyopencl.scan")
    x, one = array.arange(queue, 300, dtype=np.int32), array.zeros(queue, 1, np.int32)
    kernel = scan.GenericScanKernel(
        queue.context, np.int32, "int *x, int *one", "x[i]", "a+b", "0",
        output_statement="x[i] = item; one[0] = i",
    )  # fmt: skip
    with pytest.raises(ocl.RuntimeError, match="race: global one"):
        kernel(x, one)


def test_random_numbers(queue, installation):
    random = pytest.importorskip("pyopencl.clrandom")
    numbers = random.PhiloxGenerator(queue.context, seed=1).uniform(queue, 1000, np.float32).get()
    assert 0 <= numbers.min() < 0.01 and 0.99 < numbers.max() <= 1


# ---------------------------------------------------------------- installing


def test_installing_is_undone():
    before = {name: getattr(ocl, name) for name in ("Program", "Kernel", "enqueue_nd_range_kernel")}
    install(check=True)
    install(check=True)
    assert all(getattr(ocl, name) is not thing for name, thing in before.items())
    install()
    assert ocl.Program is Program and ocl.Kernel is before["Kernel"]
    uninstall()
    uninstall()
    assert {name: getattr(ocl, name) for name in before} == before
    with pytest.raises(TypeError, match="install: argument check: expected a bool, got str"):
        install(check="yes")


def test_installing_without_effect_is_refused(monkeypatch):
    elementwise = pytest.importorskip("pyopencl.elementwise")
    monkeypatch.setattr(elementwise, "get_elwise_program", lambda *args: None)
    plain = ocl.Program
    with pytest.raises(RuntimeError, match="expected a pyopencl whose kernels"):
        install()
    assert ocl.Program is plain


def test_modules_that_imported_the_name(monkeypatch):
    algorithm = pytest.importorskip("pyopencl.algorithm")
    plain = ocl.Program
    monkeypatch.setattr(algorithm, "Program", plain, raising=False)
    install()
    assert algorithm.Program is Program
    uninstall()
    assert algorithm.Program is plain


# ---------------------------------------------------------------- scripts

SCRIPT = f"""
import sys
import numpy as np, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
flags = cl.mem_flags
x = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=np.zeros(8, np.int32))
program = cl.Program(context, '''{SOURCE}''').build()
print(sys.argv[1:], flush=True)
cl.Kernel(program, sys.argv[1])(queue, (8,), None, x)
print("done", flush=True)
"""


def run_script(tmp_path, kernel, *options):
    (tmp_path / "script.py").write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "halfcl.cl.pyopencl", *options, "script.py", kernel],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_script_stops_at_an_error(queue, tmp_path):
    with (
        run_script(tmp_path, "twice", "--check") as good,
        run_script(tmp_path, "races", "--check") as bad,
    ):
        out, err = good.communicate(timeout=100)
        assert (out, good.returncode) == ("['twice']\ndone\n", 0), err
        out, err = bad.communicate(timeout=100)
        assert (out, bad.returncode) == ("['races']\n", 1)
        assert "race: global x" in err.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_script_ends_with_control_c(queue, tmp_path):
    with run_script(tmp_path, "forever", "--check") as process:
        assert process.stdout.readline() == "['forever']\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert out == "" and err.splitlines()[-1] == "KeyboardInterrupt"
