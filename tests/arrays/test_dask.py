"""Dask arrays whose chunks lie on devices: the host's bits, lazily, in chunks of the library."""

import sys

import cuda_host
import numpy as np
import pytest
from array_libraries import THERE, fresh_cupy_adapters
from exhaustive import LONG, either, one_in, shared_out
from packages import later
from worker_calls import HALVES

import halfcl as hc
from halfcl.reductions import Accumulator

dask = later("dask")
da = later("dask.array")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

RNG = np.random.default_rng(32)
SMALL = RNG.uniform(-4, 4, (6, 8)).astype(np.float16)

#: Libraries whose arrays have NumPy's dtypes, which Dask needs.
CHUNKED = [name for name in ("jax", "jax:gpu", "cupy", "pyopencl") if name in THERE]

STATISTICS = ("sum", "mean", "var", "std", "sumsq", "norm", "prod")


class Cuda:
    """CuPy's kernels, compiled by the host's compiler."""

    to = staticmethod(cuda_host.asarray)
    back = staticmethod(cuda_host.asnumpy)
    array = cuda_host.ndarray


@pytest.fixture(scope="module", params=[*CHUNKED, "cuda_host"])
def chunk_library(request):
    """A library, with functions to join chunks if Dask needs them."""
    if request.param != "cuda_host":
        yield THERE[request.param]
        return
    if cuda_host.GXX is None:
        pytest.skip("needs g++ to run CUDA C++ on the host")
    with cuda_host.in_place_of_cupy(), fresh_cupy_adapters():
        for name in ("concatenate", "take", "tensordot", "einsum"):  # which Dask asks CuPy for
            setattr(sys.modules["cupy"], name, getattr(np, name))
        yield Cuda


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def to_dask(library, x, chunks):
    """Return a Dask array of the library's chunks.

    meta is passed, since pyopencl's chunks do not pickle.
    """
    return da.from_array(x, chunks=chunks).map_blocks(
        library.to, dtype=x.dtype, meta=library.to(x[:0, :0].copy())
    )


def check(library, got, right):
    """Compare chunk by chunk, since Dask cannot join all libraries' chunks."""
    assert got.shape == right.shape
    assert isinstance(got._meta, library.array) or not got.ndim  # NumPy's classes get lost there
    starts = [np.cumsum((0, *sizes))[:-1] for sizes in got.chunks]
    for at in np.ndindex(got.numblocks):
        block = got.blocks[at].compute() if at else got.compute()
        assert isinstance(block, library.array)
        bits = np.asarray(library.back(block))
        place = tuple(slice(s[i], s[i] + n) for s, i, n in zip(starts, at, bits.shape, strict=True))
        assert bits.dtype == got.dtype and bits.tobytes() == right[place].tobytes()


@shared_out
def test_functions(chunk_library):
    d, e = (to_dask(chunk_library, x, (4, 3)) for x in (HALVES, SMALL))
    with np.errstate(all="ignore"):
        for mode in either(hc.MODES, ("rte", "rtn")):
            check(chunk_library, hc.exp(d, rounding=mode), hc.exp(HALVES, rounding=mode))
            right = hc.divide(HALVES, SMALL, rounding=mode)
            check(chunk_library, hc.divide(d, e, rounding=mode), right)
        with hc.rounding("rtp"):
            up = hc.multiply(e, 0.1)
        check(chunk_library, up, hc.multiply(SMALL, hc.half(0.1, rounding="rtp"), rounding="rtp"))
        for got, right in zip(hc.modf(e), hc.modf(SMALL), strict=True):
            check(chunk_library, got, right)
        check(chunk_library, hc.convert(e, np.int16), hc.convert(SMALL, np.int16))
        whole = to_dask(chunk_library, SMALL, (4, 8))
        check(chunk_library, hc.length(whole), hc.length(SMALL))
        check(chunk_library, hc.normalize(whole), hc.normalize(SMALL))


@one_in(3)
@shared_out
@pytest.mark.parametrize("name", STATISTICS)
def test_reductions(chunk_library, name):
    """All axes of sums; of the others one, by turns."""
    turn = STATISTICS.index(name)
    mode = hc.MODES[turn % 4]
    cases = ((SMALL, None), (HALVES, 0), (SMALL, 1), (HALVES, (0, 1)))
    some = cases if name == "sum" else either(cases, cases[turn % 4 :: 4])
    with np.errstate(all="ignore"):
        for x, axis in some:
            d = to_dask(chunk_library, x, (4, 3))
            right = np.asarray(getattr(hc, name)(x, axis=axis, rounding=mode))
            check(chunk_library, getattr(hc, name)(d, axis=axis, rounding=mode), right)
        right = getattr(hc, name)(SMALL, axis=1, keepdims=True, dtype=np.float32)
        d = to_dask(chunk_library, SMALL, (4, 3))
        check(chunk_library, getattr(hc, name)(d, axis=1, keepdims=True, dtype=np.float32), right)


def test_reduction_as_operand(chunk_library):
    """A reduction's result lies with the chunks, so that both are arguments of one function."""
    d = to_dask(chunk_library, SMALL, (4, 3))
    got = hc.subtract(d, hc.mean(d, axis=1, keepdims=True))
    check(chunk_library, got, hc.subtract(SMALL, hc.mean(SMALL, axis=1, keepdims=True)))


def test_vdot_and_masked_sums(chunk_library):
    d, e = (to_dask(chunk_library, x, (4, 3)) for x in (SMALL, HALVES))
    check(chunk_library, hc.vdot(d, e, axis=0), hc.vdot(SMALL, HALVES, axis=0))
    mask = SMALL > 0
    some = to_dask(chunk_library, mask, (4, 3))
    check(chunk_library, hc.sum(d, axis=1, where=some), hc.sum(SMALL, axis=1, where=mask))
    check(chunk_library, hc.sum(d, axis=1, initial=3), hc.sum(SMALL, axis=1, initial=3))


@pytest.mark.parametrize("axis", [0, 1])
def test_cumsum_by_chunks(chunk_library, axis):
    """Each chunk continues from the exact sum of those before."""
    wide = np.concatenate([HALVES, SMALL, -HALVES[::-1]])
    for x, chunks, dtype in ((HALVES, (2, 3), None), (wide, (5, 8), np.float32)):
        mode = hc.MODES[axis + 2 * (dtype is None)]
        d = to_dask(chunk_library, x, chunks)
        right = hc.cumsum(x, axis=axis, dtype=dtype, rounding=mode)
        check(chunk_library, hc.cumsum(d, axis=axis, dtype=dtype, rounding=mode), right)


def test_cumsum_continues_long_sums(chunk_library):
    """Chunks of several kernels continue sums of more than 60 bits, and infinities."""
    rows = 40000 if chunk_library is not Cuda or LONG else 1000  # whose threads are the host's
    for big, doublings in ((65504, 24), (-65504, 40), (65504, 48), (-np.inf, 0), (-0.0, 1)):
        before = repeated_sum(big, doublings)
        for k, n in enumerate((3, rows)):
            x = np.full((n, 2), 0.5, np.float16)
            mode = hc.MODES[(doublings // 8 + k) % 4]
            one, other = before.copy(), before.copy()
            got = one.cumsum(chunk_library.to(x), dtype=np.float32, rounding=mode)
            right = other.cumsum(x, dtype=np.float32, rounding=mode)
            assert np.asarray(chunk_library.back(got)).tobytes() == right.tobytes()
            assert one.result().tobytes() == other.result().tobytes()


def repeated_sum(number, doublings):
    """Return an accumulator of two sums of a number, repeated 2^doublings times."""
    accumulator = Accumulator("sum", axis=0).add(np.full((1, 2), number, np.float16))
    for _ in range(doublings):
        accumulator.merge(accumulator.copy())
    return accumulator


def test_cumsum_refuses_sums_too_long_for_devices(chunk_library):
    """A device refuses to continue a sum that is longer than it supports."""
    if "jax" in chunk_library.array.__module__:
        pytest.skip("JAX's arrays lie on the host")
    for number in (65504, -65504):
        before = repeated_sum(number, 51)
        with pytest.raises(OverflowError, match=r"cumsum: expected sums below 2\^66 so far"):
            before.cumsum(chunk_library.to(SMALL[:, :2]))
        assert (before.count == 1 << 51).all()


def test_cumsum_refuses_wrong_arguments(chunk_library):
    accumulator = Accumulator("sum", axis=0)
    x = chunk_library.to(SMALL)
    for call, error, text in (
        (lambda: Accumulator("sum").cumsum(x), ValueError, "expected a sum along one axis"),
        (lambda: Accumulator("var", axis=0).cumsum(x), ValueError, "expected a sum along one axis"),
        (lambda: accumulator.cumsum(x, dtype="int"), TypeError, "argument dtype: expected half"),
        (lambda: accumulator.cumsum(x, rounding="up"), ValueError, "rounding: expected one of"),
        (
            lambda: accumulator.cumsum(chunk_library.to(np.arange(5.0, dtype=np.float32))),
            TypeError,
            "half",
        ),
    ):
        with pytest.raises(error, match=text):
            call()
    assert accumulator.shape is None


def test_matmul_of_chunks(chunk_library):
    """Multiply whole rows and columns of chunks; split ones where Dask can join them."""
    a, b = SMALL, HALVES.T.copy()
    d, e = to_dask(chunk_library, a, (4, 8)), to_dask(chunk_library, b, (8, 2))
    check(chunk_library, hc.matmul(d, e, rounding="rtn"), hc.matmul(a, b, rounding="rtn"))
    if "cupy" in chunk_library.array.__module__:
        d, e = to_dask(chunk_library, a, (4, 3)), to_dask(chunk_library, b, (5, 2))
        got = hc.matmul(d, e).compute()
        on_host = got.get() if hasattr(got, "get") else got  # the stand-in's chunks may be NumPy's
        assert on_host.tobytes() == hc.matmul(a, b).tobytes()


def test_some_chunks_on_a_device(chunk_library):
    """States of chunks on the host and on a device merge."""

    d = da.from_array(HALVES, chunks=(2, 3)).map_blocks(
        lambda x, block_info=None: (
            chunk_library.to(x) if sum(block_info[0]["chunk-location"]) % 2 else x
        ),
        dtype=np.float16, meta=HALVES[:0, :0],
    )  # fmt: skip
    for name in STATISTICS:
        got = getattr(hc, name)(d, axis=0, dtype=np.float32).compute()
        right = getattr(hc, name)(HALVES, axis=0, dtype=np.float32)
        assert isinstance(got, np.ndarray) and got.tobytes() == right.tobytes()
