"""CUDA graphs capture halfcl's calls, and replay them with other elements."""

import numpy as np
import pytest
from array_libraries import THERE

import halfcl as hc

pytestmark = pytest.mark.devices

CALLS = {
    "exp": lambda x, y: hc.exp(x),
    "add": lambda x, y: hc.add(x, y, rounding="rtp"),
    "a number": lambda x, y: hc.multiply(x, 2.5),
    "two results": lambda x, y: hc.sincos(x)[1],
    "transposed": lambda x, y: hc.fma(x.T, y.T, x.T),
    "sum": lambda x, y: hc.sum(x),
    "sums of rows": lambda x, y: hc.sum(x, axis=1),
    "std of columns": lambda x, y: hc.std(x, axis=0),
    "vdot": lambda x, y: hc.vdot(x, y, axis=1),
    "prod": lambda x, y: hc.prod(x, axis=1),
    "cumsum": lambda x, y: hc.cumsum(x, axis=1),
    "matmul": lambda x, y: hc.matmul(x, y.T),
}

SHAPES = [(8, 40), (300, 4000)]


def arrays(shape, seed):
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.5, 1.5, shape).astype(np.float16) for _ in range(2)]


def check_replays(shape, call, inputs, results, replay, write, read):
    for seed in range(3):
        new = arrays(shape, seed)
        for place, x in zip(inputs, new, strict=True):
            write(place, x)
        replay()
        with np.errstate(all="ignore"):  # a sum of many elements overflows
            expected = np.asarray(call(*new)).view(np.float16)
        np.testing.assert_array_equal(read(results), expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_pytorch(name, shape):
    if "torch:cuda" not in THERE:
        pytest.skip("PyTorch finds no CUDA device")
    import torch

    call = CALLS[name]
    inputs = [torch.from_numpy(x).cuda() for x in arrays(shape, 9)]
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(2):  # kernels are built, and launches prepared
            call(*inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = call(*inputs)

    def write(place, x):
        place.copy_(torch.from_numpy(x))

    check_replays(shape, call, inputs, results, graph.replay, write, lambda x: x.cpu().numpy())


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_cupy(name, shape):
    if "cupy" not in THERE:
        pytest.skip("CuPy finds no GPU")
    import cupy

    call = CALLS[name]
    inputs = [cupy.asarray(x) for x in arrays(shape, 9)]
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        for _ in range(2):
            call(*inputs)
        stream.synchronize()
        stream.begin_capture()
        results = call(*inputs)
        graph = stream.end_capture()

        def replay():
            graph.launch(stream)
            stream.synchronize()

        check_replays(shape, call, inputs, results, replay, lambda a, x: a.set(x), cupy.asnumpy)
