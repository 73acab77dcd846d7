"""pyopencl's names: a script runs with one import changed."""

import numpy as np
import pytest

import halfcl as hc
import halfcl.cl.pyopencl as cl

SOURCE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void scale(global const half *in, global half *out, half factor) {
    size_t i = get_global_id(0);
    out[i] = in[i] * factor;
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
kernel void brighten(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageh(to, at, read_imageh(from, s, at) * 2.0h);
}
"""


@pytest.fixture
def queue():
    context = cl.create_some_context(interactive=False)
    profiling = cl.command_queue_properties.PROFILING_ENABLE
    return cl.CommandQueue(context, properties=profiling)


@pytest.fixture(scope="module")
def program():
    return cl.Program(cl.create_some_context(), SOURCE).build()


def test_a_script_as_people_write_it(queue, program):
    context, flags = queue.context, cl.mem_flags
    values = np.linspace(-1, 1, 33).astype(np.float16)
    source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=values)
    target = cl.Buffer(context, flags.WRITE_ONLY, values.nbytes)
    event = program.scale(queue, values.shape, None, source, target, np.float16(0.3))
    event.wait()
    result = np.empty_like(values)
    cl.enqueue_copy(queue, result, target).wait()
    np.testing.assert_array_equal(result, values * np.float16(0.3))
    profile = event.profile
    assert 0 < profile.queued <= profile.submit <= profile.start < profile.end
    assert event.command_execution_status == cl.command_execution_status.COMPLETE
    queue.finish()


def test_local_memory_and_arguments_set_one_by_one(queue, program):
    values = np.arange(64, dtype=np.int32)
    flags = cl.mem_flags
    source = cl.Buffer(queue.context, flags.COPY_HOST_PTR, hostbuf=values)
    target = cl.Buffer(queue.context, flags.READ_WRITE, 8 * 4)
    kernel = cl.Kernel(program, "total")
    assert (kernel.function_name, kernel.num_args) == ("total", 3)
    kernel.set_arg(0, source)
    kernel.set_arg(1, target)
    kernel.set_arg(2, cl.LocalMemory(8 * 4))
    cl.enqueue_nd_range_kernel(queue, kernel, (64,), (8,))
    result = np.empty(8, np.int32)
    cl.enqueue_copy(queue, result, target)
    np.testing.assert_array_equal(result, values.reshape(8, 8).sum(axis=1))
    again = np.empty(8, np.int32)
    cl.enqueue_nd_range_kernel(queue, kernel, (8,), (8,), g_times_l=True)
    cl.enqueue_copy(queue, again, target)
    np.testing.assert_array_equal(again, result)


def test_images_and_samplers(queue, program):
    pixels = np.random.default_rng(1).random((3, 5, 4)).astype(np.float16)
    format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.HALF_FLOAT)
    flags = cl.mem_flags
    source = cl.Image(queue.context, flags.COPY_HOST_PTR, format, (5, 3), hostbuf=pixels)
    target = cl.Image(queue.context, flags.WRITE_ONLY, format, (5, 3))
    assert (source.shape, source.width, source.height) == ((5, 3), 5, 3)
    sampler = cl.Sampler(
        queue.context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST
    )
    program.brighten(queue, (5, 3), None, source, target, sampler)
    result = np.empty_like(pixels)
    cl.enqueue_copy(queue, result, target, origin=(0, 0), region=(5, 3))
    np.testing.assert_array_equal(result, pixels * 2)
    same = cl.image_from_array(queue.context, pixels, 4)
    assert (same.shape, same.format) == ((5, 3), format)


def test_buffers(queue):
    context, flags = queue.context, cl.mem_flags
    host = np.arange(8, dtype=np.int32)
    used = cl.Buffer(context, flags.USE_HOST_PTR, hostbuf=host)
    cl.enqueue_fill_buffer(queue, used, np.int32(7), 8, 8)
    assert host.tolist() == [0, 1, 7, 7, 4, 5, 6, 7]
    part = used.get_sub_region(16, 8)
    other = np.zeros(2, np.int32)
    cl.enqueue_copy(queue, other, part)
    assert other.tolist() == [4, 5]
    cl.enqueue_copy(queue, used, other, dst_offset=4)
    assert host.tolist() == [0, 4, 5, 7, 4, 5, 6, 7]
    copy = cl.Buffer(context, flags.READ_WRITE, 32)
    cl.enqueue_copy(queue, copy, used, byte_count=8, src_offset=4)
    mapped, event = cl.enqueue_map_buffer(queue, copy, cl.map_flags.READ, 0, (2, 2), np.int32)
    event.wait()
    assert mapped.tolist() == [[4, 5], [0, 0]] and copy.size == 32
    cl.enqueue_copy(queue, other, used[8:16])
    assert other.tolist() == [5, 7]


def test_the_device():
    (platform,) = cl.get_platforms()
    (device,) = platform.get_devices(cl.device_type.CPU)
    assert platform.get_devices(cl.device_type.GPU) == []
    assert "cl_khr_fp16" in device.extensions.split()
    assert device.get_info(cl.device_info.NAME) == device.name == "halfcl"
    assert device.half_fp_config & cl.device_fp_config.ROUND_TO_INF
    assert cl.Context(devices=[device]).devices == [device]
    with pytest.raises(cl.LogicError, match="no 5"):
        device.get_info(5)


def test_programs(program):
    assert program.kernel_names == "scale;total;brighten"
    assert [kernel.function_name for kernel in program.all_kernels()] == program.kernel_names.split(
        ";"
    )
    with pytest.raises(AttributeError, match="no kernel 'other'"):
        _ = program.other
    text = "kernel void k(global int *a) { a[0] = N; }"
    built = cl.Program(program.context, text).build(["-D", "N=3"])
    assert built.get_build_info(None, cl.program_build_info.OPTIONS) == "-D N=3"
    with pytest.raises(cl.RuntimeError, match="undeclared identifier 'N'"):
        cl.Program(program.context, text).build()


def test_what_is_wrong_is_told_as_pyopencl_does(queue, program):
    context, flags = queue.context, cl.mem_flags
    buffer = cl.Buffer(context, flags.READ_WRITE, 8)
    with pytest.raises(cl.LogicError, match="scale"):
        program.scale(queue, (4,), None, buffer, buffer)
    with pytest.raises(cl.LogicError, match="local_size"):
        program.scale(queue, (4,), (3,), buffer, buffer, 1)
    with pytest.raises(cl.RuntimeError, match="outside of global memory"):
        program.scale(queue, (5,), None, buffer, buffer, 1)
    assert issubclass(cl.LogicError, cl.Error) and issubclass(cl.RuntimeError, cl.Error)
    array = np.zeros(4, np.int32)
    for make in (
        lambda: cl.Buffer(context, flags.READ_WRITE),
        lambda: cl.Buffer(context, flags.READ_WRITE, -1),
        lambda: cl.Buffer(context, flags.COPY_HOST_PTR),
        lambda: cl.Buffer(context, flags.READ_WRITE, hostbuf=array),
        lambda: cl.Buffer(context, flags.COPY_HOST_PTR, 17, hostbuf=array),
        lambda: cl.Buffer(context, flags.USE_HOST_PTR, hostbuf=array[::2]),
        lambda: cl.Buffer(None, flags.READ_WRITE, 4),
        lambda: buffer.get_sub_region(4, 8),
        lambda: buffer[::2],
        lambda: cl.enqueue_copy(queue, buffer, array),
        lambda: cl.enqueue_copy(queue, array, buffer, src_offset=9),
        lambda: cl.enqueue_copy(queue, array[:0].reshape(0), buffer, byte_count=4),
        lambda: cl.enqueue_fill_buffer(queue, buffer, np.int32(1), 2, 4),
        lambda: cl.enqueue_copy(None, array, buffer),
        lambda: cl.Kernel(program, "other"),
        lambda: cl.Kernel(program, "total").set_arg(3, 1),
        lambda: cl.Sampler(context, False, 99, cl.filter_mode.NEAREST),
        lambda: cl.image_from_array(context, array, 3),
    ):
        with pytest.raises(cl.LogicError):
            make()
    read_only = array.copy()
    read_only.flags.writeable = False
    with pytest.raises(cl.LogicError, match="read-only"):
        cl.enqueue_copy(queue, read_only, buffer)


def test_halves_are_halfcl_s_own(queue, program):
    values = hc.half4(1, 2, 3, 4)
    buffer = cl.Buffer(queue.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    program.scale(queue, (4,), None, buffer, buffer, 0.5, global_offset=None)
    result = np.empty(4, hc.half)
    cl.enqueue_copy(queue, result, buffer)
    assert result.tolist() == [0.5, 1, 1.5, 2]


#: Each with what names the argument in the message.
REFUSED = {
    "dead.release()": "released",
    "dead.size": "released",
    "dead[0:4]": "released",
    "dead.get_sub_region(0, 4)": "released",
    "cl.enqueue_copy(q, ints, dead)": "argument src: .* released",
    "cl.enqueue_copy(q, dead, ints)": "argument dest: .* released",
    "cl.enqueue_fill_buffer(q, dead, np.int32(1), 0, 4)": "argument mem: .* released",
    "cl.enqueue_map_buffer(q, dead, 1, 0, (4,), np.int32)": "argument buf: .* released",
    "p.scale(q, (1,), None, b, dead, 1)": r"argument 2 \(out\): .* released",
    "p.brighten(q, (1, 1), None, dead_image, dead_image, s)": r"argument 1 \(from\): .* released",
    "p.brighten(q, (1, 1), None, b, image, s)": r"argument 1 \(from\): expected .* got a Buffer",
    "p.brighten(q, (1, 1), None, image, image, b)": r"argument 3 \(s\): expected",
    "p.scale(q, (1,), None, b, image, 1)": r"argument 2 \(out\): expected",
    "p.scale(q, (1,), None, b, ints, 1)": r"argument 2 \(out\): expected a Buffer.* got ndarray",
    "p.scale(q, (1,), None, b, b, b)": r"argument 3 \(factor\): expected .* got a Buffer",
    "p.scale(q, (1,), None, b, b, np.ma.masked)": r"argument 3 \(factor\): .* masked",
    "p.add(q, (1,), None, b, np.ma.array([1, 2], mask=[0, 1]))": r"argument 2 \(v\): .* masked",
    "p.scale(q, (1,), None, b, b)": r"3 arguments \(in, out, factor\), got 2",
    "p.scale(q, 1, None, b, b, 1)": "global_work_size: .* got int",
    "p.scale(q, (1.5,), None, b, b, 1)": "global_work_size: .* got float",
    "p.scale(q, (4,), 2, b, b, 1)": "local_work_size: .* got int",
    "p.scale(q, (4,), None, b, b, 1, global_offset=3)": "global_work_offset: .* got int",
    "p.scale(q, (4,), None, b, b, 1, wait_for=[3])": "wait_for: .* Event, got int",
    "p.scale(None, (4,), None, b, b, 1)": "queue: .* got NoneType",
    "cl.enqueue_nd_range_kernel(q, p, (1,), None)": "kernel: .* got Program",
    "cl.enqueue_nd_range_kernel(q, cl.Kernel(p, 'scale'), (1,), None)": r"\(in\): it has not",
    "cl.Program(context, b'')": "source: .* got bytes",
    "cl.enqueue_copy(q, [1], b)": "dest: expected an array, got list",
    "cl.enqueue_copy(q, np.ma.array(ints), b)": "dest: .* masked",
    "cl.enqueue_copy(q, np.zeros(20), b)": "src: 160 bytes from 0 of 64",
    "cl.enqueue_copy(q, b, np.array([None]))": "src: .* dtype object",
    "cl.enqueue_copy(q, ints, ints)": "dest and src",
    "cl.enqueue_copy(q, ints, b, src_offset='a')": "src_offset: .* got str",
    "cl.enqueue_copy(q, pixels, image, origin=(1, 0))": "src: argument origin",
    "cl.enqueue_copy(q, pixels, image, origin=(0, 0), region=(5, 2))": "src: argument region",
    "cl.Buffer(context, flags.READ_WRITE, 1.5)": "size: .* got float",
    "cl.Buffer(context, 1 << 40, 4)": "flags",
    "cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=[1])": "hostbuf: .* got list",
    "cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=np.ma.array(ints))": "hostbuf: .* masked",
    "cl.Buffer(context, flags.USE_HOST_PTR, hostbuf=b'abcd')": "hostbuf: .* read-only",
    "cl.enqueue_fill_buffer(q, b, np.zeros(0), 0, 4)": "pattern",
    "cl.enqueue_fill_buffer(q, image, np.int32(1), 0, 4)": "mem: expected a Buffer, got Image",
    "cl.enqueue_map_buffer(q, b, 1, 0, (4,), 'nonsense')": "dtype",
    "cl.enqueue_map_buffer(q, b, 1, 0, (1 << 62, 4), np.int32)": "shape",
    "cl.enqueue_map_buffer(q, b, 1, 0, (4,), object)": "shape",
    "cl.Image(context, flags.READ_ONLY, 'x', shape=(3, 3))": "format: .* got str",
    "cl.Image(context, flags.COPY_HOST_PTR, image.format, shape=(3, 3))": "hostbuf",
    "cl.image_from_array(context, np.zeros((2, 2)))": "ary: .* got float64",
    "cl.CommandQueue(context, 3)": "device: .* got int",
    "cl.Context(3)": "devices: .* got int",
    "cl.LocalMemory(0)": "nbytes",
    "cl.enqueue_marker(q).get_profiling_info(3)": "param",
    "cl.Kernel(p, 'scale').get_work_group_info(3, q.device)": "param",
}


@pytest.mark.parametrize("call", REFUSED)
def test_refusals_name_the_argument_and_write_nothing(call, queue, program):
    context, flags = queue.context, cl.mem_flags
    adds = cl.Program(context, "kernel void add(global int *a, int2 v) { a[0] += v.x + v.y; }")
    program.add = adds.add
    pixels = np.zeros((3, 5, 4), np.float16)
    names = {
        "cl": cl, "np": np, "q": queue, "context": context, "flags": flags, "p": program,
        "ints": np.arange(4, dtype=np.int32), "pixels": pixels,
        "b": cl.Buffer(context, flags.READ_WRITE, 64),
        "dead": cl.Buffer(context, flags.READ_WRITE, 64),
        "image": cl.image_from_array(context, pixels, 4),
        "dead_image": cl.image_from_array(context, pixels, 4),
        "s": cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST),
    }  # fmt: skip
    names["dead"].release()
    names["dead_image"].release()
    with pytest.raises(cl.LogicError, match=REFUSED[call]):
        eval(call, names)
    assert names["ints"].tolist() == [0, 1, 2, 3] and not names["b"].data.any()


def test_a_part_of_a_released_buffer_lives_on(queue):
    whole = cl.Buffer(queue.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(4))
    part = whole[8:24]
    whole.release()
    result = np.empty(2, int)
    cl.enqueue_copy(queue, result, part)
    assert result.tolist() == [1, 2]


@pytest.mark.parametrize(("kind", "order"), [(np.float16, "C"), (np.int32, "F"), (hc.half, "F")])
def test_mapped_memory_is_the_buffer_s_own(queue, kind, order):
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 64)
    mapped, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 8, (2, 3), kind, order)
    mapped[...] = [[1, 2, 3], [4, 5, 6]]
    if kind is not hc.half:
        with mapped.base as memory:
            assert isinstance(memory, cl.MemoryMap)
        assert mapped.base.release(queue).command_type == cl.command_type.UNMAP_MEM_OBJECT
    elements = buffer.data[8 : 8 + mapped.nbytes].view(kind).tolist()
    assert elements == mapped.ravel(order=order).tolist() and mapped.dtype == kind
