"""Dot products of bytes, against Python's integers."""

import itertools

import cuda_host
import numpy as np
import pytest
from exhaustive import one_in

from halfcl import cl

HEAD = """#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#if !cl_khr_integer_dot_product || !__opencl_c_integer_dot_product_input_4x8bit
#error what the extension defines
#endif
#if !__opencl_c_integer_dot_product_input_4x8bit_packed
#error what the extension defines
#endif
"""
EXTREMES = list(itertools.product([0, 1, 127, 128, 255], repeat=2))
NAMES = {"u": "uchar", "s": "char"}


def operands():
    """Bytes (n, 2, 4): random ones, and those at the ends of the types."""
    rng = np.random.default_rng(5)
    extreme = np.array(EXTREMES, np.uint8)[:, :, np.newaxis].repeat(4, axis=2)
    return np.concatenate([extreme, rng.integers(0, 256, (400, 2, 4), np.uint8)])


def accumulators(count, dtype):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(6)
    values = rng.integers(info.min, info.max, count, dtype, endpoint=True)
    values[: len(EXTREMES)] = np.resize(np.array([0, info.max, info.min, info.max - 9], dtype), 25)
    values[200:300] = info.max - rng.integers(0, 9000, 100).astype(dtype)
    return values


@pytest.fixture(scope="module")
def cupy():
    with cuda_host.in_place_of_cupy():
        yield


@one_in(2)
@pytest.mark.parametrize(
    ("standard", "device"), [("CL1.2", None), ("CL3.0", None), ("CL1.2", "cuda")]
)
@pytest.mark.parametrize("kinds", ["uu", "ss", "us", "su"])
def test_dot_products(kinds, standard, device, cupy):
    if device and cuda_host.GXX is None:
        pytest.skip("needs g++ to run CUDA C++ on the host")
    dtype, result = (np.uint32, "uint") if kinds == "uu" else (np.int32, "int")
    ab = operands()
    acc = accumulators(len(ab), dtype)
    a, b = (f"as_{NAMES[kind]}4(ab[2 * i + {k}])" for k, kind in enumerate(kinds))
    text = f"""typedef {result} T;
        kernel void k(global const uint *ab, global const T *acc, global T *o) {{
        size_t i = get_global_id(0);
        o[6 * i] = dot_4x8packed_{kinds}_{result}(ab[2 * i], ab[2 * i + 1]);
        o[6 * i + 1] = dot({a}, {b});
        o[6 * i + 2] = dot_acc_sat_4x8packed_{kinds}_{result}(ab[2 * i], ab[2 * i + 1], acc[i]);
        o[6 * i + 3] = dot_acc_sat({a}, {b}, acc[i]);
        o[6 * i + 4] = dot_acc_sat_4x8packed_{kinds}_{result}(0x80FF7F01u, 0xFF80017Fu, 7);
        o[6 * i + 5] = dot_acc_sat_4x8packed_{kinds}_{result}(ab[0], ab[1], i);
    }}"""
    out = np.zeros((len(ab), 6), dtype)
    program = cl.Program(HEAD + text, f"-cl-std={standard}", device=device)
    program.k(len(ab), None, ab.view(np.uint32), acc, out)
    info = np.iinfo(dtype)

    def dot(bytes_):
        sides = (
            [x - 256 if kind == "s" and x > 127 else x for x in side]
            for kind, side in zip(kinds, bytes_, strict=True)
        )
        return sum(x * y for x, y in zip(*sides, strict=True))

    constant = dot(([0x01, 0x7F, 0xFF, 0x80], [0x7F, 0x01, 0x80, 0xFF]))
    for i, (pair, more, row) in enumerate(
        zip(ab.tolist(), acc.tolist(), out.tolist(), strict=True)
    ):
        exact = dot(pair)
        saturated = max(info.min, min(exact + more, info.max))
        assert row == [exact, exact, saturated, saturated, constant + 7, dot(ab[0].tolist()) + i]


def test_dots_of_floats_are_as_they_were():
    out = np.zeros(1, np.float32)
    text = "kernel void k(global float *o) { o[0] = dot((float4)(1, 2, 3, 4), (float4)(2)); }"
    cl.Program(text).k(1, None, out)
    assert out[0] == 20


def test_unsupported_dot_products():
    with pytest.raises(cl.BuildError, match=r"program.cl:1:37: error: .*dot"):
        cl.Program("kernel void k(global int *o) { *o = dot((short4)(1), (short4)(2)); }")
