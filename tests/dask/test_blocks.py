"""Tests of blocks of half on a cluster: moved, spilled and named with their dtype and bits."""

import concurrent.futures
import pickle
import subprocess
import sys

import numpy as np
import pytest
from exhaustive import either, more, shared_out
from packages import later
from worker_calls import dtype_of, third_after_a_kill

import halfcl as hc
from halfcl import half
from halfcl.reductions import Accumulator
from halfcl.reductions._packed import merge

dask = later("dask")
da = later("dask.array")
distributed = later("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's event loop warns of killed workers

X = np.arange(1, 37).astype(half).reshape(6, 6)


@pytest.fixture(scope="module")
def client():
    """A client of two workers that spill everything."""
    new_cluster = distributed.LocalCluster  # its import sets defaults that are replaced below
    settings = {
        "distributed.comm.timeouts.connect": "2s",
        "distributed.worker.memory.target": 1e-9,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.terminate": False,
    }
    with (
        dask.config.set(settings),
        new_cluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit="4GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def assert_blocks(x, expected):
    """Assert that all blocks are of half on the workers, and that the value has expected bits."""
    dtypes = x.map_blocks(dtype_of, dtype="U30", chunks=(1, 1)).compute()
    assert set(dtypes.ravel()) == {"halfndarray"}
    value = x.compute()
    assert value.dtype.type is half
    assert value.tobytes() == expected.tobytes()


one_mode = pytest.mark.parametrize("mode", ["rtp", *more("rte", "rtz", "rtn")])


@one_mode
def test_rechunk_persist_and_spill(client, mode):
    x = da.from_array(X, chunks=(3, 6))
    with hc.rounding(mode):
        moved = x.rechunk((6, 3)) / 3
        at_once = x.rechunk((6, 3), method="p2p") / 3
        kept = x.persist().rechunk((2, 2)).persist() / 3
    expected = hc.divide(X, 3, rounding=mode)
    for array in (moved, at_once, kept, kept.persist()):
        assert_blocks(array, expected)


@one_mode
def test_scatter_and_gather(client, mode):
    for sent in (X, X[::2, ::-1], X.T, np.broadcast_to(X[0], (6, 6)),
                 X.astype(X.dtype.newbyteorder()), X[:0], np.ma.array(X, mask=X > 5)):  # fmt: skip
        first, second = client.scatter([sent, sent], hash=False)
        back = client.gather(first)
        assert type(back) is type(sent) and back.dtype == sent.dtype
        assert back.dtype.type is half
        assert np.asarray(back).tobytes() == np.asarray(sent).tobytes()
        total = client.submit(hc.divide, first, second, rounding=mode, pure=False).result()
        assert total.dtype.type is half
        assert (
            np.asarray(total).tobytes()
            == np.asarray(hc.divide(sent, sent, rounding=mode)).tobytes()
        )


@pytest.mark.parametrize("name", ["half4", "int4", "float2"])
def test_vectors_keep_their_class(client, name):
    kind = hc.vectors.TYPES[name]
    v = np.arange(1, 25).reshape(-1, kind.width).astype(np.dtype(kind).base).view(type=kind)
    for sent in (v, v[::2]):
        back = client.gather(client.scatter(sent, hash=False))
        assert type(back) is kind and back.tobytes() == sent.tobytes()
    x = hc.dask.vectors(da.from_array(np.asarray(v), chunks=(2, -1)), kind)
    total = (x.persist() + x).compute()
    assert type(total) is kind and total.tobytes() == (v + v).tobytes()


@one_mode
def test_killed_worker(client, mode, tmp_path):
    x = da.from_array(X, chunks=(2, 6)).persist()
    with hc.rounding(mode):
        y = x.rechunk((6, 2)).map_blocks(third_after_a_kill, str(tmp_path / "killed"), dtype=half)
    value = (y.rechunk((3, 3)) + 0).compute()
    assert (tmp_path / "killed").exists()
    assert value.dtype.type is half
    assert value.tobytes() == hc.divide(X, 3, rounding=mode).tobytes()


# ---------------------------------------------------------------- without a cluster


def test_names_of_half_and_float16_differ():
    """Check that equal arrays of half and float16 have other names, so that they share no block."""
    for make in (da.ones, da.zeros):
        h, f = make(3, chunks=2, dtype=half), make(3, chunks=2, dtype=np.float16)
        assert h.name != f.name
        values = dask.compute(h, f, scheduler="synchronous")
        assert [v.dtype.name for v in values] == ["half", "float16"]
    v = X[:, :4].copy().view(type=hc.half4)
    tokens = {dask.base.tokenize(x) for x in (v, np.asarray(v), np.asarray(v).view(np.float16))}
    assert len(tokens) == 3
    assert dask.base.tokenize(v) == dask.base.tokenize(v.copy())


@shared_out
def test_serialized_arrays_are_read_without_importing_halfcl():
    """Check that a reader needs no import of halfcl, and a writer no order of imports."""
    orders = ["distributed.protocol", *either(["halfcl"], [])]
    write = (
        "import {}, numpy as np, halfcl as hc\n"
        "from distributed.protocol import serialize\n"
        "import pickle, sys\n"
        "data = [serialize(x) for x in (np.ones(3, hc.half), hc.half4(1, 2, 3, 4))]\n"
        "data = [(h, [bytes(f) for f in frames]) for h, frames in data]\n"
        "sys.stdout.buffer.write(pickle.dumps(data))"
    )
    read = (
        "import pickle, sys\n"
        "from distributed.protocol import deserialize\n"
        f"for _ in range({len(orders)}):\n"
        "    for header, frames in pickle.load(sys.stdin.buffer):\n"
        "        x = deserialize(header, frames)\n"
        "        print(type(x).__name__, x.dtype.name)"
    )
    sent = [
        subprocess.run([sys.executable, "-c", write.format(first)], stdout=-1, check=True).stdout
        for first in orders
    ]
    reader = [sys.executable, "-c", read]
    process = subprocess.run(reader, input=b"".join(sent), capture_output=True, check=True)
    assert process.stdout.split() == [b"ndarray", b"half", b"half4", b"half"] * len(orders)


def test_zarr_stores_half_as_float16(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3.1")
    x = np.array([[1, 0.1, -0.0], [np.inf, np.nan, 6e-8]], half)
    da.from_array(x, chunks=(1, 3)).to_zarr(str(tmp_path / "x"))
    back = da.from_zarr(str(tmp_path / "x"))
    assert back.dtype == np.float16
    assert back.compute(scheduler="synchronous").tobytes() == x.tobytes()
    assert zarr.array(x)[:].tobytes() == x.tobytes()


def test_tasks_have_the_names_of_reductions():
    x = da.ones((8, 6), chunks=(2, 3), dtype=half)
    for name in ("sum", "mean", "var", "std", "sumsq", "norm", "prod", "cumsum"):
        keywords = {"axis": 0} if name == "cumsum" else {}
        graph = dict(getattr(hc, name)(x, **keywords).dask)
        names = {dask.utils.key_split(key) for key in graph} - {"ones_like"}
        assert {n.partition("-")[0] for n in names} == {name}


def test_errors_for_futures_name_result(client):
    for future in (client.scatter(X), concurrent.futures.Future()):
        for call in (hc.sum, hc.std, lambda x: hc.vdot(x, x)):
            with pytest.raises(TypeError, match=r"argument a: .*, got Future; a\.result\(\)"):
                call(future)
    with pytest.raises(TypeError, match=r"argument a: .*, got Delayed; a\.compute\(\)"):
        hc.sum(dask.delayed(1))


#: Calls of functions of all kinds. Arguments are a promise P, an array X or a Dask array D.
WITH_PROMISES = {
    "exp": ("P",), "add": ("X", "P"), "subtract": ("P", "D"), "multiply": ("D", "P"),
    "matmul": ("P", "X"), "dot": ("X", "P"), "vdot": ("D", "P"), "cumsum": ("P",), "modf": ("P",),
    "convert": ("P", half), "select": ("X", "P", "X"), "ulp_error": ("P", "X"),
    "normalize": ("P",), "as_short": ("P",), "convert_int4": ("P",), "any": ("P",), "prod": ("P",),
    "norm": ("P",), "fma": ("D", "X", "P"), "shuffle": ("P", "X"),
}  # fmt: skip


@pytest.mark.parametrize("name", WITH_PROMISES)
def test_error_for_promise_names_method_that_returns_its_value(name):
    values = {"X": X, "D": da.from_array(X, chunks=3)}
    for promise, method in ((concurrent.futures.Future(), "result"), (dask.delayed(1), "compute")):
        args = [promise if a == "P" else values.get(a, a) if isinstance(a, str) else a
                for a in WITH_PROMISES[name]]  # fmt: skip
        with pytest.raises(TypeError, match=rf"^{name}: argument .*\.{method}\(\)"):
            getattr(hc, name)(*args)


def test_error_for_promise_as_keyword():
    for promise, method in ((concurrent.futures.Future(), "result"), (dask.delayed(1), "compute")):
        for call in (
            lambda p=promise: hc.sum(X, where=p), lambda p=promise: hc.sum(X, initial=p),
            lambda p=promise: hc.sum(da.ones(3, dtype=half), where=p),
            lambda p=promise: hc.exp(X, out=p), lambda p=promise: hc.add.outer(p, X),
            lambda p=promise: hc.add(p, X, rounding=np.array(["rtp"])),
            lambda p=promise: Accumulator("sum").add(p),
        ):  # fmt: skip
            with pytest.raises(TypeError, match=rf"\.{method}\(\) has its value"):
                call()


def test_sizes_of_states():
    """Check bytes per result, the size that Dask sees, and that words are pickled out of band."""
    x = np.ones((20, 5000), half)
    for name, most in (("sum", 10), ("std", 27)):
        packed = Accumulator(name, axis=0).add(x).pack()
        assert packed.nbytes <= most * 5000
        assert packed.nbytes <= dask.sizeof.sizeof(packed) < packed.nbytes + 1000
        buffers = []
        text = pickle.dumps(packed, protocol=5, buffer_callback=buffers.append)
        assert len(text) < 2000 and len(buffers) > 1  # the words are pickled out of band
    accumulator = Accumulator("sum", axis=0).add(x)
    assert dask.sizeof.sizeof(accumulator) >= accumulator.nbytes == 56 * 5000


@pytest.mark.parametrize("axis", [0, None])
@pytest.mark.parametrize("statistic", ["sum", "std", "prod"])
def test_packed_sums_get_more_words_as_they_grow(statistic, axis):
    """Check that merged states of very many elements are exact, also of a single result."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 0x7C00, (6, 8)).astype(np.uint16).view(half)
    x[:, 1], x[:, 2], x[0, 3], x[1, 4] = 65504, -65504, np.nan, np.inf
    if axis is None:
        x = x[:, 1]
    engine = Accumulator(statistic, axis=axis).add(x)
    packed = [engine.pack()]
    for _ in range(48 if statistic != "prod" else 4):  # to 6 * 2^48 elements per result
        engine.merge(engine.copy())
        packed.append(merge([packed[-1], packed[-1]]))
    for dtype in (np.float64, half):
        with np.errstate(all="ignore"):
            expected = engine.result(dtype=dtype)
            value = packed[-1].round_to(np.dtype(dtype), 0, "rte")
        assert value.tobytes() == expected.tobytes()
    if statistic == "sum":
        opposite = Accumulator("sum", axis=axis).add(-x)
        total = merge([packed[0], opposite.pack()]).round_to(np.dtype(half), 0, "rtn")
        expected = Accumulator("sum", axis=axis).add(x).merge(opposite).result(rounding="rtn")
        assert total.tobytes() == expected.tobytes()


def test_one_sum_of_more_than_2_to_22_elements():
    """Check a sum that outgrows its word, and sums of both signs that need another word."""
    for value in (65504, -65504):
        x = da.full(1 << 25, value, chunks=1 << 22, dtype=np.float16)
        assert hc.sum(x, dtype="f8").compute() == value * 2.0**25
    x = da.concatenate([da.full(1 << 22, v, dtype=half) for v in (1, -1, -1)])
    with dask.config.set(split_every=2):
        assert hc.sum(x, dtype="f8").compute() == -(2.0**22)


def test_merging_unaligned_states():
    packed = Accumulator("std", axis=0).add(np.arange(30).reshape(3, 10).astype(half)).pack()
    buffers = []
    text = pickle.dumps(packed, protocol=5, buffer_callback=buffers.append)
    moved = [memoryview(b"x" + bytes(buffer.raw()))[1:] for buffer in buffers]
    received = pickle.loads(text, buffers=moved)
    assert not all(word.flags.aligned for fold in received.folds for word in fold.words)
    for total in (merge([received, packed]), merge([packed, received])):
        expected = merge([packed, packed]).round_to(np.dtype(half), 0, "rte")
        assert total.round_to(np.dtype(half), 0, "rte").tobytes() == expected.tobytes()
