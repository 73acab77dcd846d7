"""Blocks of half on a cluster: the dtype and the bits of one machine, wherever blocks were."""

import subprocess
import sys

import numpy as np
import pytest
from packages import later
from worker_calls import dtype_of, third_after_a_kill

import halfcl as hc
from halfcl import half

dask = later("dask")
da = later("dask.array")
distributed = later("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # what Dask's event loop says of killed workers

X = np.arange(1, 37).astype(half).reshape(6, 6)


@pytest.fixture(scope="module")
def client():
    """Two workers that spill whatever they hold."""
    new_cluster = distributed.LocalCluster  # imported first: with it come defaults of settings
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
    """Count dtypes on workers, then compare what comes back."""
    dtypes = x.map_blocks(dtype_of, dtype="U30", chunks=(1, 1)).compute()
    assert set(dtypes.ravel()) == {"halfndarray"}
    value = x.compute()
    assert value.dtype.type is half
    assert value.tobytes() == expected.tobytes()


def test_rechunk_persist_and_spill(client, mode):
    x = da.from_array(X, chunks=(3, 6))
    with hc.rounding(mode):
        moved = x.rechunk((6, 3)) / 3
        at_once = x.rechunk((6, 3), method="p2p") / 3
        kept = x.persist().rechunk((2, 2)).persist() / 3
    expected = hc.divide(X, 3, rounding=mode)
    for made in (moved, at_once, kept, kept.persist()):
        assert_blocks(made, expected)


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
    made = (x.persist() + x).compute()
    assert type(made) is kind and made.tobytes() == (v + v).tobytes()


def test_killed_worker(client, mode, tmp_path):
    x = da.from_array(X, chunks=(2, 6)).persist()
    with hc.rounding(mode):
        y = x.rechunk((6, 2)).map_blocks(third_after_a_kill, str(tmp_path / "killed"), dtype=half)
    value = (y.rechunk((3, 3)) + 0).compute()
    assert (tmp_path / "killed").exists()
    assert value.dtype.type is half
    assert value.tobytes() == hc.divide(X, 3, rounding=mode).tobytes()


# ---------------------------------------------------------------- without a cluster


def test_names_tell_half_from_float16():
    """Arrays of the same name share blocks: half and float16 do not."""
    for make in (da.ones, da.zeros):
        h, f = make(3, chunks=2, dtype=half), make(3, chunks=2, dtype=np.float16)
        assert h.name != f.name
        values = dask.compute(h, f, scheduler="synchronous")
        assert [v.dtype.name for v in values] == ["half", "float16"]
    v = X[:, :4].copy().view(type=hc.half4)
    tokens = {dask.base.tokenize(x) for x in (v, np.asarray(v), np.asarray(v).view(np.float16))}
    assert len(tokens) == 3
    assert dask.base.tokenize(v) == dask.base.tokenize(v.copy())


@pytest.mark.parametrize("first", ["halfcl", "distributed.protocol"])
def test_any_order_of_imports_and_readers_without_halfcl(first):
    """What is sent says how it is read: readers need no more than halfcl installed."""
    code = (
        f"import {first}, numpy as np, halfcl as hc\n"
        "from distributed.protocol import serialize\n"
        "import pickle, sys\n"
        "data = [serialize(x) for x in (np.ones(3, hc.half), hc.half4(1, 2, 3, 4))]\n"
        "data = [(h, [bytes(f) for f in frames]) for h, frames in data]\n"
        "sys.stdout.buffer.write(pickle.dumps(data))"
    )
    read = (
        "import pickle, sys\n"
        "from distributed.protocol import deserialize\n"
        "for header, frames in pickle.load(sys.stdin.buffer):\n"
        "    x = deserialize(header, frames)\n"
        "    print(type(x).__name__, x.dtype.name)"
    )
    sent = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    done = subprocess.run([sys.executable, "-c", read], input=sent, capture_output=True, check=True)
    assert done.stdout.split() == [b"ndarray", b"half", b"half4", b"half"]
