"""halfcl.cl.pyopencl.array, and kernels of snippets: halves, pragmas, and what is refused."""

import subprocess
import sys

import numpy as np
import pytest
from places import ROOT

import halfcl as hc
import halfcl.cl.pyopencl as cl
from halfcl.cl.pyopencl import (
    array as cl_array,
    clmath,
    clrandom,
    cltypes,
    elementwise,
    reduction,
    scan,
    tools,
)

RTP = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable
#pragma OPENCL SELECT_ROUNDING_MODE rtp
"""
RNG = np.random.default_rng(3)
KINDS = [np.dtype(np.float16), np.dtype(hc.half)]


@pytest.fixture(autouse=True)
def no_warnings():
    """Silence warnings of halfcl's functions, which compute the expected results."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture(scope="module")
def queue():
    return cl.CommandQueue(cl.create_some_context())


@pytest.fixture(params=KINDS, ids=str)
def kind(request):
    return request.param


def halves(kind, count=3000):
    """Return halves of all sizes, infinities and NaNs."""
    bits = RNG.integers(0, 1 << 16, count).astype(np.uint16)
    bits[: count // 2] = RNG.integers(0x3000, 0x4400, count // 2)
    return bits.view(kind)


def same(result, right):
    """Return whether two arrays have the same bits, except for NaNs."""
    result, right = (np.asarray(a).view(np.float16) for a in (result, right))
    nans = np.isnan(result) & np.isnan(right)
    return np.array_equal(result.view("u2")[~nans], right.view("u2")[~nans])


def test_arithmetic_of_halves_is_correctly_rounded(queue, kind):
    a, b = halves(kind), halves(kind)
    x, y = (cl_array.to_device(queue, v) for v in (a, b))
    for result, right in (
        (x + y, hc.add.rte(a, b)),
        (x - y, hc.subtract.rte(a, b)),
        (x * y, hc.multiply.rte(a, b)),
        (x / y, hc.divide.rte(a, b)),
        (x + 0.1, hc.add.rte(a, hc.half(0.1))),
        (3 / x, hc.divide.rte(hc.half(3), a)),
        (abs(x), hc.fabs(a)),
        (x.astype(np.float32).astype(kind), a),
        (clmath.exp(x), hc.exp.rte(a)),
        (clmath.sqrt(x), hc.sqrt.rte(a)),
        (x[100:200].reverse(), a[100:200][::-1]),
    ):
        assert result.dtype == kind
        assert same(result.get(), right)
    assert np.array_equal((x < y).get(), (a < b).astype(np.int8))
    x += y
    x *= y
    assert same(x.get(), hc.multiply.rte(hc.add.rte(a, b), b))


def test_a_quotient_by_a_number_is_a_product_as_in_pyopencl(queue):
    a = halves(np.dtype(hc.half))
    right = hc.multiply.rte(a, hc.divide.rte(hc.half(1), hc.half(3)))
    result = (cl_array.to_device(queue, a) / 3).get()
    assert np.any(right != hc.divide.rte(a, hc.half(3)))
    assert same(result, hc.add.rte(right, hc.half(0)))


def test_numbers_beside_arrays_in_place_are_doubles_as_in_pyopencl(queue):
    x = cl_array.to_device(queue, np.ones(1, np.float16))
    x += 2**-11 + 2**-30  # as a half it would be midway, and 1 would stay
    assert x.get()[0] == np.float16(1) + np.finfo(np.float16).eps


def test_sums_add_in_the_order_of_groups(queue):
    """256 work-items take four elements each, and are added in pairs that lie half apart."""
    a = RNG.normal(size=5000).astype(np.float16)
    result = cl_array.sum(cl_array.to_device(queue, a)).get()

    def group(part):
        rows = np.zeros((4, 256), np.float16)
        rows.reshape(-1)[: part.size] = part
        items = np.zeros(256, np.float16)
        for row in rows:
            items = hc.add.rte(items, row)
        while items.size > 1:
            items = hc.add.rte(items[: items.size // 2], items[items.size // 2 :])
        return items[0]

    right = group(np.array([group(a[k : k + 1024]) for k in range(0, 5000, 1024)]))
    assert result == right
    assert result != hc.sum(a)  # the order is seen


def test_pragmas_in_preambles(queue, kind):
    a, b = halves(kind), halves(kind)
    x, y = (cl_array.to_device(queue, v) for v in (a, b))
    z = cl_array.empty_like(x)
    product = elementwise.ElementwiseKernel(
        queue.context, "half *x, half *y, half *z", "z[i] = x[i] * y[i]", preamble=RTP
    )
    product(x, y, z)
    assert same(z.get(), hc.multiply.rtp(a, b))
    assert np.any(hc.multiply.rtp(a, b) != hc.multiply.rte(a, b))
    small = [np.array([1, 2**-11], kind) for _ in range(2)]
    total = reduction.ReductionKernel(
        queue.context, kind, "0", "a+b", arguments="half *in", preamble=RTP
    )
    assert total(cl_array.to_device(queue, small[0])).get() == np.float16(1) + 2**-10
    sums = scan.GenericScanKernel(
        queue.context, np.float32, "half *x, half *z", "x[i]", "(half) a + (half) b", "0",
        "z[i] = item", preamble=RTP,
    )  # fmt: skip
    out = cl_array.empty(queue, 2, kind)
    sums(cl_array.to_device(queue, small[0]), out)
    assert out.get().tolist() == [1, 1 + 2**-10]


def test_an_array_in_a_program(queue):
    x = cl_array.arange(queue, 8, dtype=hc.half)
    program = cl.Program(
        queue.context,
        RTP + "kernel void third(global half *x) { x[get_global_id(0)] /= 3.0h; }",
    ).build()
    program.third(queue, x.shape, None, x.data)
    assert same(x.get(), hc.divide.rtp(np.arange(8, dtype=hc.half), hc.half(3)))
    with pytest.raises(cl.LogicError, match=r"array\.data"):
        program.third(queue, x.shape, None, x)


def test_many_elements(queue):
    """Work-items take more than four elements each where there are many."""
    ones = cl_array.zeros(queue, 3_000_001, np.int32) + 1
    assert cl_array.sum(ones).get() == 3_000_001
    assert cl_array.cumsum(ones[:100_003]).get()[-1] == 100_003


def test_parts_share_memory(queue):
    x = cl_array.zeros(queue, (4, 6), np.float16)
    x[1:3].fill(2)
    x[1, 2:4] = 3
    part = x[3].reshape(2, 3)
    part += 1
    assert x.get().tolist() == [[0] * 6, [2, 2, 3, 3, 2, 2], [2] * 6, [1] * 6]
    x.base_data.release()
    with pytest.raises(cl.LogicError, match="released"):
        part.get()


def test_orders_do_not_mix(queue):
    c = cl_array.to_device(queue, np.arange(6.0).reshape(2, 3))
    f = cl_array.to_device(queue, np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    assert np.array_equal((f + f).get(), np.arange(6.0).reshape(2, 3) * 2)
    with pytest.raises(NotImplementedError, match="orders"):
        c + f


def test_allocators(queue):
    asked = []

    def allocate(size):
        asked.append(size)
        return cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, size)

    x = cl_array.zeros(queue, 10, np.float16, allocator=allocate)
    _ = x + 1
    assert asked == [20, 20]
    pool = tools.MemoryPool(tools.ImmediateAllocator(queue))
    assert (cl_array.arange(queue, 3, dtype=np.float16, allocator=pool) * 2).get().tolist() == [
        0, 2, 4,
    ]  # fmt: skip


def test_random_numbers(queue):
    x = clrandom.rand(queue, (1000,), np.int32, a=-5, b=5)
    assert set(x.get().tolist()) == set(range(-5, 5))
    y = cl_array.empty(queue, 1000, np.float16)
    clrandom.fill_rand(y, a=2, b=3)
    assert 2 <= cl_array.min(y).get() < 2.1 and 2.9 < cl_array.max(y).get() <= 3


def test_vectors_of_half(queue):
    pairs = np.array([cltypes.make_half2(k, k / 2) for k in range(5)], cltypes.half2)
    swap = elementwise.ElementwiseKernel(queue.context, "half2 *v", "v[i] = v[i].yx")
    v = cl_array.to_device(queue, pairs)
    swap(v)
    assert v.get()["s0"].tolist() == pairs["s1"].tolist()


@pytest.mark.parametrize(
    "code",
    [
        "cl.SVM(x)", "cl.svm_empty(ctx, 0, 3, 'f4')", "cl.csvm_empty(ctx, 3, 'f4')",
        "cl.fsvm_empty_like(ctx, x)", "cl.Pipe()", "cl.UserEvent(ctx)", "cl.ImageDescriptor()",
        "cl.GLBuffer(ctx, 1, 2)", "cl.link_program(ctx, [])", "clmath.bessel_jn(1, x)",
    ],
)  # fmt: skip
def test_what_is_missing_says_so_by_name(code, queue):
    names = {"cl": cl, "ctx": queue.context, "clmath": clmath, "x": None}
    name = code[: code.index("(")].replace("cl.", "pyopencl.")
    with pytest.raises(NotImplementedError, match=name):
        eval(code, names)


def test_and_can_be_asked_for():
    assert not isinstance(np.zeros(3), cl.SVM)
    assert not hasattr(cl, "no_such_name")


def test_complex_numbers_are_refused_by_name(queue):
    x = cl_array.to_device(queue, np.ones(3, np.complex64))
    assert x.get().tolist() == [1, 1, 1]
    with pytest.raises(NotImplementedError, match="complex64: halfcl has no complex"):
        x + x
    with pytest.raises(NotImplementedError, match="cfloat_t: halfcl has no complex"):
        elementwise.ElementwiseKernel(queue.context, "cfloat_t *x", "x[i] = x[i]")


def test_wrong_arguments_of_kernels(queue):
    kernel = elementwise.ElementwiseKernel(queue.context, "half a, half *x", "x[i] = a")
    x = cl_array.zeros(queue, 4, np.float16)
    for arguments, message in (
        ((1,), r"expected 2 arguments \(a, x\), got 1"),
        ((1, 2), "argument x: expected an Array, got int"),
        ((x, x), "argument a: expected a number"),
    ):
        with pytest.raises(TypeError, match=message):
            kernel(*arguments)
    with pytest.raises(RuntimeError, match="non-contiguous"):
        kernel(1, x[::2])
    with pytest.raises(TypeError, match="both range and slice"):
        kernel(1, x, range=slice(1), slice=slice(1))
    with pytest.raises(TypeError, match="cannot compare int32"):
        _ = cl_array.zeros(queue, 3, np.int32) < 2.5


def test_a_script_runs_as_it_is(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport pyopencl as cl\nimport pyopencl.array\n"
        "from pyopencl.elementwise import ElementwiseKernel\n"
        "queue = cl.CommandQueue(cl.create_some_context())\n"
        "x = cl.array.arange(queue, int(sys.argv[1]), dtype='i4')\n"
        "ElementwiseKernel(queue.context, 'int *x', 'x[i] *= 2')(x)\n"
        "print(__name__, cl.VERSION_TEXT, x)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "halfcl.cl.pyopencl", script, "4"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "__main__ halfcl [0 2 4 6]\n"
