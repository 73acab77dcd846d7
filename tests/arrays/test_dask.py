"""Dask arrays whose chunks lie on devices: the host's bits, lazily, and chunks of the library; and
accumulators of several processes, one of which adds on a device."""

import multiprocessing
import sys

import cuda_host
import numpy as np
import pytest
from array_libraries import THERE, reload_cuda_adapters
from exhaustive import LONG
from packages import later
from worker_calls import every_other, state_of

import halfcl as hc
from halfcl.reductions import Accumulator

dask = later("dask")
da = later("dask.array")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

RNG = np.random.default_rng(32)
#: Of all magnitudes, which cancel.
HALVES = (RNG.integers(0, 0x7C00, (6, 8)) | RNG.integers(0, 2, (6, 8)) << 15).astype(np.uint16)
HALVES = HALVES.view(np.float16)
SMALL = RNG.uniform(-4, 4, (6, 8)).astype(np.float16)

#: Dask takes arrays with NumPy's dtypes.
CHUNKED = [name for name in ("jax", "jax:gpu", "cupy", "pyopencl") if name in THERE]

STATISTICS = ("sum", "mean", "var", "std", "sumsq", "norm", "prod")


class Cuda:
    """CuPy's kernels by the host's compiler."""

    to = staticmethod(cuda_host.asarray)
    back = staticmethod(cuda_host.asnumpy)
    array = cuda_host.ndarray


@pytest.fixture(scope="module", params=[*CHUNKED, "cuda_host"])
def chunked(request):
    """A library, and one chunk for all that Dask would have to join."""
    if request.param != "cuda_host":
        yield THERE[request.param]
        return
    if cuda_host.GXX is None:
        pytest.skip("needs g++ to run CUDA C++ on the host")
    with cuda_host.in_place_of_cupy(), reload_cuda_adapters():
        for name in ("concatenate", "take", "tensordot", "einsum"):  # which Dask asks CuPy for
            setattr(sys.modules["cupy"], name, getattr(np, name))
        yield Cuda


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def on_device(library, x, chunks):
    """A Dask array whose chunks are the library's; pyopencl's do not pickle, so it is told of
    them."""
    return da.from_array(x, chunks=chunks).map_blocks(
        library.to, dtype=x.dtype, meta=library.to(x[:0, :0].copy())
    )


def check(library, got, right):
    """Chunk by chunk, since Dask cannot join all libraries'."""
    assert got.shape == right.shape
    assert isinstance(got._meta, library.array) or not got.ndim  # NumPy's classes get lost there
    starts = [np.cumsum((0, *sizes))[:-1] for sizes in got.chunks]
    for at in np.ndindex(got.numblocks):
        block = got.blocks[at].compute() if at else got.compute()
        assert isinstance(block, library.array)
        found = np.asarray(library.back(block))
        place = tuple(
            slice(s[i], s[i] + n) for s, i, n in zip(starts, at, found.shape, strict=True)
        )
        assert found.dtype == got.dtype and found.tobytes() == right[place].tobytes()


def test_functions(chunked):
    d, e = (on_device(chunked, x, (4, 3)) for x in (HALVES, SMALL))
    with np.errstate(all="ignore"):
        for mode in hc.MODES:
            check(chunked, hc.exp(d, rounding=mode), hc.exp(HALVES, rounding=mode))
            right = hc.divide(HALVES, SMALL, rounding=mode)
            check(chunked, hc.divide(d, e, rounding=mode), right)
        with hc.rounding("rtp"):
            up = hc.multiply(e, 0.1)
        check(chunked, up, hc.multiply(SMALL, hc.half(0.1, rounding="rtp"), rounding="rtp"))
        for got, right in zip(hc.modf(e), hc.modf(SMALL), strict=True):
            check(chunked, got, right)
        check(chunked, hc.convert(e, np.int16), hc.convert(SMALL, np.int16))
        whole = on_device(chunked, SMALL, (4, 8))
        check(chunked, hc.length(whole), hc.length(SMALL))
        check(chunked, hc.normalize(whole), hc.normalize(SMALL))


@pytest.mark.parametrize("name", STATISTICS)
def test_reductions(chunked, name):
    mode = hc.MODES[STATISTICS.index(name) % 4]
    with np.errstate(all="ignore"):
        for x, axis in ((SMALL, None), (HALVES, 0), (SMALL, 1), (HALVES, (0, 1))):
            d = on_device(chunked, x, (4, 3))
            right = np.asarray(getattr(hc, name)(x, axis=axis, rounding=mode))
            check(chunked, getattr(hc, name)(d, axis=axis, rounding=mode), right)
        right = getattr(hc, name)(SMALL, axis=1, keepdims=True, dtype=np.float32)
        d = on_device(chunked, SMALL, (4, 3))
        check(chunked, getattr(hc, name)(d, axis=1, keepdims=True, dtype=np.float32), right)


def test_what_is_made_of_a_reduction(chunked):
    """Lies with the chunks, so that both go into a function."""
    d = on_device(chunked, SMALL, (4, 3))
    got = hc.subtract(d, hc.mean(d, axis=1, keepdims=True))
    check(chunked, got, hc.subtract(SMALL, hc.mean(SMALL, axis=1, keepdims=True)))


def test_products_and_masks(chunked):
    d, e = (on_device(chunked, x, (4, 3)) for x in (SMALL, HALVES))
    check(chunked, hc.vdot(d, e, axis=0), hc.vdot(SMALL, HALVES, axis=0))
    mask = SMALL > 0
    some = on_device(chunked, mask, (4, 3))
    check(chunked, hc.sum(d, axis=1, where=some), hc.sum(SMALL, axis=1, where=mask))
    check(chunked, hc.sum(d, axis=1, initial=3), hc.sum(SMALL, axis=1, initial=3))


@pytest.mark.parametrize("axis", [0, 1])
def test_running_sums(chunked, axis):
    """Each chunk goes on from the exact sum of those before."""
    wide = np.concatenate([HALVES, SMALL, -HALVES[::-1]])
    for x, chunks, dtype in ((HALVES, (2, 3), None), (wide, (5, 8), np.float32)):
        mode = hc.MODES[axis + 2 * (dtype is None)]
        d = on_device(chunked, x, chunks)
        right = hc.cumsum(x, axis=axis, dtype=dtype, rounding=mode)
        check(chunked, hc.cumsum(d, axis=axis, dtype=dtype, rounding=mode), right)


def test_running_sums_go_on_from_long_ones(chunked):
    """From sums of more than 60 bits, and from infinities, over several chunks of a kernel."""
    rows = 40000 if chunked is not Cuda or LONG else 3000  # whose threads are the host's
    for big, doublings in ((65504, 24), (-65504, 40), (65504, 48), (-np.inf, 0), (-0.0, 1)):
        before = so_often(big, doublings)
        for k, n in enumerate((3, rows)):
            x = np.full((n, 2), 0.5, np.float16)
            mode = hc.MODES[(doublings // 8 + k) % 4]
            one, other = before.copy(), before.copy()
            got = one.cumsum(chunked.to(x), dtype=np.float32, rounding=mode)
            right = other.cumsum(x, dtype=np.float32, rounding=mode)
            assert np.asarray(chunked.back(got)).tobytes() == right.tobytes()
            assert one.result().tobytes() == other.result().tobytes()


def so_often(number, doublings):
    """Two sums of a number, 2^doublings times."""
    found = Accumulator("sum", axis=0).add(np.full((1, 2), number, np.float16))
    for _ in range(doublings):
        found.merge(found.copy())
    return found


def test_running_sums_of_what_devices_do_not_hold(chunked):
    """The host holds longer sums than devices begin with, which say so."""
    if "jax" in chunked.array.__module__:
        pytest.skip("JAX's arrays lie on the host")
    for number in (65504, -65504):
        before = so_often(number, 51)
        with pytest.raises(OverflowError, match=r"cumsum: expected sums below 2\^66 so far"):
            before.cumsum(chunked.to(SMALL[:, :2]))
        assert (before.count == 1 << 51).all()


def test_running_sums_refuse(chunked):
    taken = Accumulator("sum", axis=0)
    x = chunked.to(SMALL)
    for call, error, text in (
        (lambda: Accumulator("sum").cumsum(x), ValueError, "expected a sum along one axis"),
        (lambda: Accumulator("var", axis=0).cumsum(x), ValueError, "expected a sum along one axis"),
        (lambda: taken.cumsum(x, dtype="int"), TypeError, "argument dtype: expected half"),
        (lambda: taken.cumsum(x, rounding="up"), ValueError, "rounding: expected one of"),
        (lambda: taken.cumsum(chunked.to(np.arange(5.0, dtype=np.float32))), TypeError, "half"),
    ):
        with pytest.raises(error, match=text):
            call()
    assert taken.shape is None


def test_products_of_matrices(chunked):
    """Of whole rows and columns of chunks; several are joined where Dask joins the library's."""
    a, b = SMALL, HALVES.T.copy()
    d, e = on_device(chunked, a, (4, 8)), on_device(chunked, b, (8, 2))
    check(chunked, hc.matmul(d, e, rounding="rtn"), hc.matmul(a, b, rounding="rtn"))
    if "cupy" in chunked.array.__module__:
        d, e = on_device(chunked, a, (4, 3)), on_device(chunked, b, (5, 2))
        got = hc.matmul(d, e).compute()
        assert np.asarray(got).tobytes() == hc.matmul(a, b).tobytes()


def test_some_chunks_on_a_device(chunked):
    """The states of both kinds come together."""

    d = da.from_array(HALVES, chunks=(2, 3)).map_blocks(
        lambda x, block_info=None: (
            chunked.to(x) if sum(block_info[0]["chunk-location"]) % 2 else x
        ),
        dtype=np.float16, meta=HALVES[:0, :0],
    )  # fmt: skip
    for name in STATISTICS:
        got = getattr(hc, name)(d, axis=0, dtype=np.float32).compute()
        right = getattr(hc, name)(HALVES, axis=0, dtype=np.float32)
        assert isinstance(got, np.ndarray) and got.tobytes() == right.tobytes()


# ---------------------------------------------------------------- several processes

DEVICES = [name for name in ("torch", "jax", "pyopencl", "torch:cuda", "cupy") if name in THERE]


@pytest.mark.parametrize("name", DEVICES)
def test_two_processes(name):
    """One adds on a device, one on the host."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        there = pool.apply_async(state_of, ("std", 0, name, HALVES[:2]))
        here = pool.apply_async(state_of, ("std", 0, None, HALVES[2:]))
        states = [there.get(120), here.get(120)]
    own = Accumulator("std", axis=0).add(HALVES)
    for order in (states, states[::-1]):
        one, other = map(Accumulator.from_bytes, order)
        assert one.merge(other).result().tobytes() == own.result().tobytes()
        assert one.to_bytes() == own.to_bytes() and len(own.to_bytes()) < 1300


@pytest.mark.parametrize("name", [n for n in DEVICES if n in ("jax", "cupy")])
def test_dask_in_processes(name):
    """Blocks of one library, and of the host, in two processes of Dask's."""
    d = da.from_array(HALVES, chunks=(2, 4)).map_blocks(
        every_other, name, dtype=np.float16, meta=HALVES[:0, :0]
    )
    with dask.config.set(scheduler="processes", num_workers=2):
        total, deviations = dask.compute(hc.sum(d), hc.std(d, axis=0))
    assert total.tobytes() == hc.sum(HALVES).tobytes()
    assert deviations.tobytes() == hc.std(HALVES, axis=0).tobytes()
