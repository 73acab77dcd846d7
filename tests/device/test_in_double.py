"""CUDA's functions that GPUs with fast doubles compute in double, compiled by g++.

On a GPU tools/check_gpu.py --pairs tries every pair of halves.
"""

import cuda_host
import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import device
from halfcl.device._source.catalogue import MODES
from halfcl.device._source.dialects import CUDA

pytestmark = [pytest.mark.once, pytest.mark.kernels]

KERNEL = """
extern "C" __global__ void run(const __half *x, const __half *y, __half *r, __half *vectors)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    hc_half4 a, b, c;
    r[i] = hc_{name}(x[i], y[i]);
    for (int k = 0; k < 4; ++k) {{
        a.s[k] = x[i / 4 * 4 + k];
        b.s[k] = y[i / 4 * 4 + k];
    }}
    c = hc_{name}(a, b);
    vectors[i] = c.s[i % 4];
}}
"""


SIZES = [0x0000, 0x0001, 0x0002, 0x03FF, 0x0400, 0x0401, 0x1000, 0x3400, 0x37FF, 0x3800, 0x3801,
         0x3BFF, 0x3C00, 0x3C01, 0x3C10, 0x3E00, 0x4000, 0x4200, 0x4400, 0x4600, 0x4900, 0x4C00,
         0x5640, 0x7BFE, 0x7BFF, 0x7C00, 0x7E00]  # fmt: skip


@pytest.fixture(scope="module")
def cupy_and_module():
    if cuda_host.GXX is None:
        pytest.skip("needs g++ to run CUDA C++ on the host")
    kernels = [
        KERNEL.format(name=f"{name}_{mode}").replace("run", f"run_{name}_{mode}")
        for name in CUDA.double_roots
        for mode in MODES
    ]
    text = f"#define HC_FAST_DOUBLE 1\n{device.cuda(CUDA.double_roots)}{''.join(kernels)}"
    with cuda_host.in_place_of_cupy():
        import cupy

        module = cupy.RawModule(code=text, options=(), backend="nvrtc")
        module.compile()
        yield cupy, module


def on_host(name, x, y, mode):
    with np.errstate(all="ignore"):
        if hasattr(hc, name):
            return getattr(hc, name)(x, y, rounding=mode).view(np.uint16)
        with hc.rounding(mode, builtins=True):  # NumPy's function, with halfcl's dtype
            return getattr(np, name)(x.view(hc.half), y.view(hc.half)).view(np.uint16)


def is_nan(bits):
    return bits & 0x7FFF > 0x7C00


def pairs():
    """Return pairs of special numbers, and random ones with quotients and powers in range."""
    rng = np.random.default_rng(5)
    special = np.array([size | sign for size in SIZES for sign in (0, 0x8000)], np.uint16)
    x, y = (v.ravel() for v in np.meshgrid(special, special))
    near = rng.uniform(-12, 12, (2, 3000)).astype(np.float16).view(np.uint16)
    any_two = rng.integers(0, 1 << 16, (2, 3000), np.uint16)
    short = rng.choice(np.arange(-8, 8.5, 0.5), (2, 1000)).astype(np.float16).view(np.uint16)
    pairs = [np.concatenate(v) for v in zip((x, y), near, any_two, short, strict=True)]
    n = pairs[0].size & ~127
    return [v[:n].view(np.float16) for v in pairs]


@one_in(2)
@pytest.mark.parametrize("name", CUDA.double_roots)
def test_double_functions_equal_the_hosts(cupy_and_module, name):
    cupy, module = cupy_and_module
    x, y = pairs()
    for mode in MODES:
        scalars, vectors = (cupy.empty(x.shape, np.float16) for _ in range(2))
        arguments = (cupy.asarray(x), cupy.asarray(y), scalars, vectors)
        module.get_function(f"run_{name}_{mode}")((x.size // 128,), (128,), arguments)
        right = on_host(name, x, y, mode)
        for got in (scalars, vectors):
            bits = cupy.asnumpy(got).view(np.uint16)
            wrong = np.flatnonzero((bits != right) & ~(is_nan(bits) & is_nan(right)))
            assert not wrong.size, (name, mode, x[wrong[0]], y[wrong[0]], hex(bits[wrong[0]]))
