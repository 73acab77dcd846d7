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
