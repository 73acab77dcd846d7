"""Products of complex numbers: devices round each operation, whatever instructions they have.

With AVX512-FP16 Intel's compiler for CPUs makes one instruction of them, which rounds less often.
"""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from cl_devices import queue_of

import halfcl as hc
from halfcl import cl

library = pytest.importorskip("pyopencl", reason="needs pyopencl and an OpenCL device")

pytestmark = [pytest.mark.once, pytest.mark.kernels]

#: Each in the letters of its operands; the operands are pairs of halves.
PRODUCTS = {
    "product": "(half2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)",
    "turned": "(half2)(b.x * a.x - a.y * b.y, a.y * b.x + a.x * b.y)",
    "conjugate": "(half2)(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y)",
    "accumulated": "(half2)(c.x + a.x * b.x - a.y * b.y, c.y + a.x * b.y + a.y * b.x)",
    "by_whole_vectors": "a.xx * b + a.yy * (half2)(-b.y, b.x)",
    "of_floats": """(half2)(
        convert_half((float)a.x * (float)b.x) - convert_half((float)a.y * (float)b.y),
        convert_half((float)a.x * (float)b.y) + convert_half((float)a.y * (float)b.x))""",
    "by_fma": "(half2)(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x))",
}
PRAGMA = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
KERNELS = {
    name: f"""kernel void {name}(global const half2 *h, global half2 *out) {{
    size_t i = get_global_id(0), n = get_global_size(0);
    half2 a = h[i], b = h[n + i], c = h[2 * n + i];
    half2 v = {expression};
    out[i] = v;
    out[n + i] = c + v;
    out[2 * n + i] = c - v;
}}
kernel void {name}_alone(global const half2 *h, global half2 *out) {{
    size_t i = get_global_id(0), n = get_global_size(0);
    half2 a = h[i], b = h[n + i], c = h[2 * n + i];
    out[i] = {expression};
}}
"""
    for name, expression in PRODUCTS.items()
}
BUILD = """
import sys
import pyopencl
(platform,) = [p for p in pyopencl.get_platforms() if "Intel" in p.name]
context = pyopencl.Context(platform.get_devices()[:1])
for name in sys.argv[1].split():
    program = pyopencl.Program(context, open(name + ".cl").read())
    program.build(options=sys.argv[2:], cache_dir=False)
"""

#: What a processor with AVX512-FP16 does itself, and a probe leaves to it.
RIGHT_THERE = ("sqrt", "fma", "convert_half")
OPTIONS = ("-DHC_NATIVE_CONVERSION", "-DHC_NATIVE_DIVISION", "-DHC_NATIVE_LOADS")
#: Those that multiply complex halves, in vectors and alone.
INSTRUCTIONS = re.compile(r"\bvfc?(?:mul|madd)c(?:ph|sh)\b")


@pytest.fixture(scope="module")
def queue():
    yield from queue_of(library)


def own_halves(queue):
    return "cl_khr_fp16" in queue.device.extensions.split()


@pytest.mark.parametrize("fp16", [False, True])
def test_each_operation_rounds(queue, fp16):
    if fp16 and not own_halves(queue):
        pytest.skip("the device has no halves of its own")
    array = pytest.importorskip("pyopencl.array")
    rng = np.random.default_rng(3)
    operands = rng.normal(size=(3 * 512, 2)).astype("f2").view(hc.half)
    source = PRAGMA + "".join(KERNELS.values())
    here, there = cl.Program(source), cl.Program(source, device=queue, fp16=fp16)
    for kernel in here.kernels:
        expected = np.zeros_like(operands)
        kernel(512, None, operands, expected)
        got = array.to_device(queue, np.zeros_like(operands))
        there[kernel.name](512, None, array.to_device(queue, operands), got)
        assert got.get().tobytes() == expected.tobytes(), kernel.name


@pytest.mark.parametrize("fp16", [False, True])
def test_no_instruction_joins_them(queue, fp16, tmp_path):
    """The compiler writes what it makes for such a processor, on any."""
    if not (queue.device.type & library.device_type.CPU and "Intel" in queue.device.platform.name):
        pytest.skip("needs Intel's OpenCL runtime for CPUs")
    native = RIGHT_THERE if fp16 else ()
    for name, kernels in KERNELS.items():  # functions that are called often are not inlined
        text = cl.translate(PRAGMA + kernels, fp16=fp16, native=native, rounding="rte")
        (tmp_path / f"{name}.cl").write_text(text)
    env = {
        **os.environ,
        "CL_CONFIG_CPU_TARGET_ARCH": "sapphirerapids",
        "CL_CONFIG_DUMP_ASM": "1",
    }
    command = [sys.executable, "-W", "ignore", "-c", BUILD, " ".join(KERNELS), *OPTIONS]
    subprocess.run(command, cwd=tmp_path, env=env, check=True, timeout=300)
    written = "".join(file.read_text() for file in tmp_path.glob("*.s"))
    assert all(f"\n{name}_alone:" in written for name in KERNELS)
    assert INSTRUCTIONS.findall(written) == []
