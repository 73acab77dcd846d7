"""intel_sub_group_block_read and _write: an item's part of a block that a sub-group shares."""

import cuda_host
import numpy as np
import pytest
from cl_devices import queue_of

from halfcl import cl

pytestmark = [pytest.mark.once, pytest.mark.kernels]

ELEMENTS = {"": "uint", "_uc": "uchar", "_us": "ushort", "_ui": "uint", "_ul": "ulong"}
DTYPES = {"uint": np.uint32, "uchar": np.uint8, "ushort": np.uint16, "ulong": np.uint64}
FORMS = [
    (ending, element, width)
    for ending, element in ELEMENTS.items()
    for width in (1, 2, 4, 8, 16)
    if width < 16 or element in ("uchar", "ushort")
]
LANES, ITEMS, GROUP = 8, 32, 16
KERNEL = """kernel void k{name}(global const {e} *x, global {e} *y, local {e} *z) {{
    size_t own = get_sub_group_id() * get_max_sub_group_size() * {width};
    size_t start = get_group_id(0) * get_local_size(0) * {width} + own;
    {t} v = intel_sub_group_block_read{name}(x + start);
    intel_sub_group_block_write{name}(z + own, v);
    v = intel_sub_group_block_read{name}(z + own);
    intel_sub_group_block_write{name}(y + start, v * ({t})(2) + ({t})(get_sub_group_local_id()));
}}
"""


def name_of(ending, width):
    return f"{ending}{width if width > 1 else ''}"


def source():
    return "".join(
        KERNEL.format(name=name_of(s, w), e=e, t=f"{e}{w if w > 1 else ''}", width=w)
        for s, e, w in FORMS
    )


def assert_blocks(program):
    for ending, element, width in FORMS:
        x = np.arange(ITEMS * width, dtype=DTYPES[element])
        y = np.zeros_like(x)
        z = cl.LocalMemory(GROUP * width * x.itemsize)
        program[f"k{name_of(ending, width)}"](ITEMS, GROUP, x, y, z, sub_group_size=LANES)
        lanes = (np.arange(x.size) % LANES).astype(x.dtype)
        np.testing.assert_array_equal(y, x * x.dtype.type(2) + lanes)


def test_here():
    assert_blocks(cl.Program(source()))


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
def test_in_cuda():
    with cuda_host.in_place_of_cupy():
        assert_blocks(cl.Program(source(), device="cuda"))


def test_on_a_device():
    ocl = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")
    for queue in queue_of(ocl):
        assert_blocks(cl.Program(source(), device=queue))


def test_read_outside_of_the_buffer_is_an_error():
    program = cl.Program("""kernel void k(global const uint *x, global uint *y) {
        y[get_global_id(0)] = intel_sub_group_block_read2(x).y;
    }""")
    y = np.zeros(8, np.uint32)
    with pytest.raises(cl.LaunchError, match="read outside of global memory 'x'"):
        program.k(8, 8, np.zeros(12, np.uint32), y, sub_group_size=8)


def test_blocks_of_images_are_refused():
    source = """kernel void k(read_only image2d_t x, global uint *y) {
        y[0] = intel_sub_group_block_read(x, (int2)(0));
    }"""
    with pytest.raises(cl.BuildError, match=r"intel_sub_group_block_read\(image2d_t, int2\)"):
        cl.Program(source)
