"""halfcl.cl.pyopencl on a device: pyopencl itself, whose programs round as their pragmas say."""

import os
import subprocess
import sys

import numpy as np
import pytest
from places import ROOT

import halfcl as hc
from halfcl import cl as own

ocl = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")
from halfcl.cl.pyopencl import Program, _program, install, uninstall  # noqa: E402

pytestmark = [pytest.mark.once, pytest.mark.kernels, pytest.mark.filterwarnings("ignore")]

HEAD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
"""
MODE = HEAD + "#pragma OPENCL SELECT_ROUNDING_MODE {}\n"
SOURCE = """
kernel void both(global const half *a, global const half *b, global half *out, half k) {
    size_t i = get_global_id(0);
    out[i] = k + a[i] * b[i];
}
"""
A, B = np.random.default_rng(0).normal(size=(2, 2000)).astype(np.float16)


@pytest.fixture(scope="module")
def queue():
    try:
        devices = [d for p in ocl.get_platforms() for d in p.get_devices()]
    except ocl.Error:  # pyopencl alone has none
        pytest.skip("needs an OpenCL device")
    context = ocl.Context(devices[:1])  # kept, since Intel's queues do not keep theirs
    yield ocl.CommandQueue(context)


@pytest.fixture
def pyopencl_patched():
    install()
    yield
    uninstall()


def run(queue, program):
    """Run the program as scripts do."""
    flags = ocl.mem_flags
    memory = [
        ocl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=x)
        for x in (A, B, np.zeros_like(A))
    ]
    kernel = ocl.Kernel(program, "both")
    kernel(queue, A.shape, None, *memory, np.float16(0.1))
    out = np.empty_like(A)
    ocl.enqueue_copy(queue, out, memory[2])
    return out


@pytest.mark.parametrize("mode", [None, *hc.MODES])
def test_pragmas_on_a_device(mode, queue):
    source = (MODE.format(mode) if mode else HEAD) + SOURCE
    right = np.zeros_like(A)
    own.Program(source).both(A.size, None, A, B, right, 0.1)
    program = Program(queue.context, source)
    assert program.build().build() is program
    assert isinstance(program, ocl.Program) and program.kernel_names == "both"
    assert run(queue, program).tobytes() == right.tobytes()


def test_sub_groups_and_work_groups(queue):
    """Kernels declare the memory for them; a kernel that another one calls does, too."""
    source = (
        HEAD
        + """
half sum(half x) { return sub_group_reduce_add(x); }
kernel void both(global const half *a, global const half *b, global half *out, half c) {
    size_t i = get_global_id(0);
    out[i] = sum(a[i]) + work_group_scan_inclusive_add(b[i]) + get_max_sub_group_size();
}
kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void again(global const half *a, global const half *b, global half *out, half c)
{ both(a, b, out, c); }
"""
    )
    a, right = A[: A.size // 8 * 8], np.zeros_like(A[: A.size // 8 * 8])
    own.Program(source, "-cl-std=CL3.0").both(a.size, 8, a, a, right, 0.1)
    program = Program(queue.context, source).build("-cl-std=CL3.0")
    flags = ocl.mem_flags
    for name in ("both", "again"):
        memory = [
            ocl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=x)
            for x in (a, a, np.zeros_like(a))
        ]
        kernel = ocl.Kernel(program, name)
        for _ in range(50):  # work-groups that shared memory would differ at times
            kernel(queue, a.shape, (8,), *memory, np.float16(0.1))
            out = np.empty_like(a)
            ocl.enqueue_copy(queue, out, memory[2])
            np.testing.assert_array_equal(out, right)
    apart = (
        HEAD
        + """kernel void k(global half *a) {
        if (get_sub_group_id() == 0) *a = sub_group_reduce_add(*a); }"""
    )
    with pytest.raises(ocl.RuntimeError, match="not translated for launches by pyopencl"):
        Program(queue.context, apart).build("-cl-std=CL3.0")


def test_options(queue):
    source = MODE.format("rtz") + SOURCE
    right = run(queue, Program(queue.context, source).build())
    named = source.replace("half *out", "T *out")
    for options in ("-D T=half -w", ["-DT=half"], ["-D", "T=half"]):
        result = run(queue, Program(queue.context, named).build(options))
        assert result.tobytes() == right.tobytes()


def test_sources_without_halves_are_not_translated(queue):
    """They may have types that halfcl does not know."""
    source = "typedef struct { float x; } of; kernel void k(global of *p) { p->x = exp(p->x); }"
    program = Program(queue.context, source).build()
    assert program.get_info(ocl.program_info.SOURCE).strip() == source
    again = Program(queue.context, HEAD + SOURCE).build()
    assert HEAD + SOURCE not in again.get_info(ocl.program_info.SOURCE)


def test_included_files_are_translated(queue, tmp_path):
    (tmp_path / "twice.h").write_text("half twice(half x) { return x * 2; }\n")
    source = HEAD + '#include "twice.h"\nkernel void f(global half *x) { x[0] = twice(x[0]) + 1; }'
    program = Program(queue.context, source).build(["-I", str(tmp_path)])
    x = np.array([1.5], np.float16)
    buffer = ocl.Buffer(queue.context, ocl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    program.f(queue, (1,), None, buffer)
    ocl.enqueue_copy(queue, x, buffer)
    assert x[0] == 4


def test_float_functions_may_be_left_to_the_device(queue):
    source = HEAD + "kernel void f(global half *x) { x[0] = exp((float)x[0]); }"
    with pytest.raises(ocl.RuntimeError, match="float_functions='device'"):
        Program(queue.context, source).build()
    program = Program(queue.context, source, float_functions="device").build()
    assert [call.name for call in program.device_calls] == ["exp"]
    with pytest.raises(ValueError, match="argument float_functions: expected exact or device"):
        Program(queue.context, source, float_functions="fast")


def test_errors_are_pyopencl_s(queue):
    broken = HEAD + "kernel void f(global half *x) {\n    x[0] = y;\n}"
    with pytest.raises(ocl.RuntimeError, match=r"program\.cl:4:12: .*undeclared identifier 'y'"):
        Program(queue.context, broken).build()
    included = HEAD + '#include "other.cl"\n' + SOURCE
    with pytest.raises(ocl.RuntimeError, match=r"#include|other\.cl"):
        Program(queue.context, included).build()
    with pytest.raises(ocl.LogicError, match="no-such-option"):
        Program(queue.context, HEAD + SOURCE).build("-no-such-option")


def test_one_device(queue):
    class Two:
        devices = [queue.device] * 2

    with pytest.raises(NotImplementedError, match="expected one device, got 2"):
        _program._device(Two, None)
    assert _program._device(Two, [queue.device]) == queue.device


def test_kernels_that_pyopencl_makes(queue, pyopencl_patched):
    """Kernels that pyopencl generates for halves run on all devices."""
    array = pytest.importorskip("pyopencl.array")
    elementwise = pytest.importorskip("pyopencl.elementwise")
    x, y = (array.to_device(queue, a) for a in (A, B))
    with np.errstate(all="ignore"):
        assert (x + y).get().tobytes() == hc.add.rte(A, B).astype(np.float16).tobytes()
        assert (x / y).get().tobytes() == hc.divide.rte(A, B).astype(np.float16).tobytes()
        right = hc.multiply.rtn(A, B).astype(np.float16)
    z = array.empty_like(x)
    elementwise.ElementwiseKernel(
        queue.context, "half *x, half *y, half *z", "z[i] = x[i] * y[i]",
        preamble=MODE.format("rtn"),
    )(x, y, z)  # fmt: skip
    assert z.get().tobytes() == right.tobytes()


def test_reductions_that_pyopencl_makes(queue, pyopencl_patched):
    pytest.importorskip("mako", reason="pyopencl needs mako for reductions")
    array = pytest.importorskip("pyopencl.array")
    reduction = pytest.importorskip("pyopencl.reduction")
    x = array.to_device(queue, np.array([1, 2**-11], np.float16))
    up = reduction.ReductionKernel(
        queue.context, np.float16, "0", "a+b", arguments="half *in", preamble=MODE.format("rtp")
    )
    assert up(x).get() == np.float16(1) + np.finfo(np.float16).eps


def test_halfcl_s_own_programs_are_left_alone(queue, pyopencl_patched):
    source = MODE.format("rtz") + SOURCE
    right, result = np.zeros_like(A), np.zeros_like(A)
    own.Program(source).both(A.size, None, A, B, right, 0.1)
    own.Program(source, device=queue).both(A.size, None, A, B, result, 0.1)
    assert result.tobytes() == right.tobytes()


def test_installing_is_undone():
    plain = ocl.Program
    install()
    install()
    assert ocl.Program is Program and Program.untranslated is plain
    uninstall()
    assert ocl.Program is plain


def test_a_script_runs_as_it_is(queue, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\nimport pyopencl as cl\n"
        "context = cl.create_some_context(interactive=False)  # Intel's queues do not keep theirs\n"
        "queue = cl.CommandQueue(context)\n"
        "x = np.ones(1, np.float16)\n"
        "flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR\n"
        "held = cl.Buffer(queue.context, flags, hostbuf=x)\n"
        f"text = '''{MODE.format('rtp')}"
        "kernel void f(global half *x) { x[0] += 0.0001h; }'''\n"
        "cl.Program(queue.context, text).build().f(queue, (1,), None, held)\n"
        "cl.enqueue_copy(queue, x, held)\n"
        "print(cl.VERSION_TEXT, float(x[0]))\n"
    )
    command = [sys.executable, "-W", "ignore", "-m", "halfcl.cl.pyopencl", script]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{ocl.VERSION_TEXT} {1 + 2**-10}\n"


@pytest.mark.parametrize("type_", ["UNORM_INT8", "SNORM_INT16", "HALF_FLOAT"])
def test_images_that_a_script_makes(type_, queue):
    """Their colours are halfcl's, however the device decodes and encodes a format."""
    source = (
        MODE.format("rtp")
        + """
kernel void tint(read_only image2d_t a, write_only image2d_t b) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageh(b, at, read_imageh(a, at) * (half)0.3h + (half)0.2h);
}"""
    )
    dtype = {"UNORM_INT8": np.uint8, "SNORM_INT16": np.int16, "HALF_FLOAT": np.float16}[type_]
    texels = np.random.default_rng(1).integers(0, 256, (16, 16, 4)).astype(dtype)
    right = np.zeros_like(texels)
    format_ = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type[type_])
    images = [hc.Image(data.view(format_.dtype), format_) for data in (texels, right)]
    own.Program(source).tint((16, 16), None, *images)
    flags = ocl.mem_flags.READ_WRITE | ocl.mem_flags.COPY_HOST_PTR
    there = ocl.ImageFormat(ocl.channel_order.RGBA, getattr(ocl.channel_type, type_))
    held = [
        ocl.create_image(queue.context, flags, there, shape=(16, 16), hostbuf=data)
        for data in (texels, np.zeros_like(texels))
    ]
    Program(queue.context, source).build().tint(queue, (16, 16), None, *held)
    out = np.empty_like(texels)
    ocl.enqueue_copy(queue, out, held[1], origin=(0, 0), region=(16, 16))
    assert out.tobytes() == right.tobytes()
