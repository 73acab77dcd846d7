"""long long, which has 128 bits in OpenCL C: 64 of them, where these suffice."""

import cuda_host
import numpy as np
import pytest

from halfcl import cl

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

X, Y, N = 2**64 - 5, -3, 7
SOURCE = "kernel void k(global ulong *o, ulong x, long y, int n) {{ {} }}"
#: Bodies, and what o[0] becomes modulo 2**64.
BODIES = {
    "o[0] = -9223372036854775808;": -(2**63),
    "o[0] = (-9223372036854775808) < 0;": 1,
    "o[0] = 9223372036854775808;": 2**63,
    "o[0] = 18446744073709551615ULL;": 2**64 - 1,
    "o[0] = x * 3ULL;": X * 3,
    "o[0] = x / 10ULL + x % 1000ULL;": X // 10 + X % 1000,
    "o[0] = (x < 10ULL) + 2 * (y < 10LL) + 4 * (y > -5LL);": 6,
    "x *= 1099511628211ULL; x ^= 0xcbf29ce484222325ULL; o[0] = x;": (
        X * 1099511628211 ^ 0xCBF29CE484222325
    ),
    "x >>= 3ULL; o[0] = x;": X >> 3,
    "o[0] = (y & 0xFFFFLL) >> 3;": (Y & 0xFFFF) >> 3,
    "o[0] = (1LL << 40) + (1ULL << 63);": (1 << 40) + (1 << 63),
    "long long q = n; o[0] = q * q + 010LL;": 57,
    "long long q = n; o[0] = q < 0 ? 1 : -q;": -7,
    "for (long long k = 0; k < n; k++) o[0] += k;": 21,
    "for (unsigned long long k = 1; k < 9; k += 2) o[0] += k;": 16,
    "o[0] = x == 5ULL ? 3LL : y;": -3,
    "if (x & 1ULL) o[0] = 1; switch (x & 3ULL) { case 3: o[0] += 5; }": 6,
    "float f = 3LL; o[0] = f;": 3,
    "o[0] = sizeof(long long);": 16,
}
REFUSED = {
    "o[0] = (x * 3ULL) >> 60;": "this may need more than 64",
    "o[0] = (x + 1ULL) > x;": "this may need more than 64",
    "x /= 3LL;": "this may need more than 64",
    "o[0] = 1ULL << n;": "this may need more than 64",
    "float f = y * 3LL;": "this may need more than 64",
    "long long q = x; o[0] = q < 0;": "this may need more than 64",
    "long long q = 1.5f;": "this may need more than 64",
    "long long q[2];": "long long in memory, where it has 128 bits",
}


@pytest.mark.parametrize("body", BODIES)
def test_body(body):
    o = np.zeros(1, np.uint64)
    cl.Program(SOURCE.format(body)).k(1, None, o, X, Y, N)
    assert int(o[0]) == BODIES[body] % 2**64
    assert body.split(" ")[-1] in cl.translate(SOURCE.format(body))


@pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")
def test_bodies_in_cuda():
    source = "\n".join(
        SOURCE.format(body).replace("void k(", f"void k{n}(") for n, body in enumerate(BODIES)
    )
    with cuda_host.in_place_of_cupy():
        program = cl.Program(source, device="cuda")
        for n, expected in enumerate(BODIES.values()):
            o = np.zeros(1, np.uint64)
            program[f"k{n}"](1, None, o, X, Y, N)
            assert int(o[0]) == expected % 2**64


@pytest.mark.parametrize("body", REFUSED)
def test_what_may_need_more_bits_is_refused(body):
    with pytest.raises(cl.BuildError, match=REFUSED[body]):
        cl.Program(SOURCE.format(body))


def test_argument_of_a_kernel_is_refused():
    with pytest.raises(cl.BuildError, match="a kernel's argument of type long long"):
        cl.Program("kernel void k(unsigned long long x) {}")
