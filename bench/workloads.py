"""Twelve programs in plain NumPy, which programs.py times: the dtype comes with their arrays.

Each has a function that draws its variables, with small sizes for tests, and one that runs on
them and returns a tuple of arrays. They are written as users write them, for no dtype.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "examples"))

import kmeans
from mlp import gelu, layer_norm, softmax


class Unavailable(Exception):
    """Tell that a program cannot run here, and why."""


@dataclass(frozen=True)
class Workload:
    """A program: how its variables are drawn, how it runs, and what its results may differ by.

    `tolerance` bounds the relative difference from float32's results, in the 2-norm. Integers are
    choices, which rounding may change: they are compared between accelerated float16 and half.
    """

    draw: Callable
    run: Callable
    tolerance: float
    products: bool = False  # whether most of its time is spent in products of matrices


# ---------------------------------------------------------------- a small language model


def draw_model(rng, small):
    """Return the weights of a GPT, stacked by layer, and a prompt."""
    layers, heads, width, vocabulary, prompt = (1, 2, 16, 50, 8) if small else (4, 6, 384, 4096, 96)
    return {
        "heads": heads,
        "prompt": rng.integers(0, vocabulary, prompt),
        "new": 4 if small else 24,
        "embedding": rng.normal(0, 0.5, (vocabulary, width)),
        "positions": rng.normal(0, 0.1, (2 * prompt, width)),
        "qkv": rng.normal(0, width**-0.5, (layers, width, 3 * width)),
        "out": rng.normal(0, width**-0.5, (layers, width, width)),
        "up": rng.normal(0, width**-0.5, (layers, width, 4 * width)),
        "down": rng.normal(0, (4 * width) ** -0.5, (layers, 4 * width, width)),
        "biases": rng.normal(0, 0.1, (layers, 4 * width)),
    }


def block(x, attend, out, up, bias, down):
    """Return the residual stream after a layer."""
    x = x + attend(layer_norm(x)) @ out
    return x + gelu(layer_norm(x) @ up + bias) @ down


def prefill(prompt, heads, embedding, positions, qkv, out, up, down, biases, **_):
    """Return the logits of all positions of a prompt."""
    n = len(prompt)
    x = embedding[prompt] + positions[:n]
    future = np.triu(np.ones((n, n), bool), 1)
    for layer, weights in enumerate(zip(out, up, biases, down, strict=True)):

        def attend(x, layer=layer):
            # (n, 3 * width) becomes three arrays (heads, n, width / heads).
            q, k, v = (x @ qkv[layer]).reshape(n, 3, heads, -1).transpose(1, 2, 0, 3)
            scores = q @ k.transpose(0, 2, 1) * q.shape[-1] ** -0.5
            scores = np.where(future, -np.inf, scores)
            return (softmax(scores) @ v).transpose(1, 0, 2).reshape(n, -1)

        x = block(x, attend, *weights)
    return (layer_norm(x) @ embedding.T,)


def decode(prompt, new, heads, embedding, positions, qkv, out, up, down, biases):
    """Generate tokens greedily, one by one, with a cache of keys and values."""
    layers, width = qkv.shape[:2]
    cache = np.empty((layers, 2, heads, new, width // heads), embedding.dtype)
    token, tokens, first = prompt[0], [], None
    for n in range(new):
        x = embedding[token] + positions[n]
        for layer, weights in enumerate(zip(out, up, biases, down, strict=True)):

            def attend(x, layer=layer, n=n):
                q, k, v = (x @ qkv[layer]).reshape(3, heads, -1)
                cache[layer, :, :, n] = k, v
                keys, values = cache[layer, :, :, : n + 1]
                scores = (keys @ q[:, :, None])[:, :, 0] * q.shape[-1] ** -0.5
                return (softmax(scores)[:, None, :] @ values).reshape(-1)

            x = block(x, attend, *weights)
        logits = embedding @ layer_norm(x)
        token = logits.argmax()
        tokens.append(token)
        first = logits if first is None else first
    return np.array(tokens), first


# ---------------------------------------------------------------- vectors and statistics


def draw_embeddings(rng, small):
    count, width = (200, 16) if small else (100_000, 384)
    return {"embeddings": rng.normal(0, 1, (count, width)), "query": rng.normal(0, 1, width)}


def search(embeddings, query, count=10):
    """Return the nearest embeddings by cosine, and their cosines."""
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    cosines = unit @ (query / np.linalg.norm(query))
    nearest = np.argpartition(cosines, -count)[-count:]
    nearest = nearest[np.argsort(cosines[nearest], kind="stable")[::-1]]
    return nearest, cosines[nearest]


def draw_batch(rng, small):
    rows, width = (40, 16) if small else (16385, 768)
    return {
        "x": rng.normal(0.5, 1, (rows, width)),
        "gain": rng.uniform(0.5, 1.5, width),
        "bias": rng.normal(0, 0.1, width),
        "gradient": rng.normal(0, 0.02, (rows, width)),
    }


def normalise(x, gain, bias, gradient):
    """Return LayerNorm of a batch, and its gradients."""
    deviation = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-3)
    unit = (x - x.mean(axis=-1, keepdims=True)) / deviation
    y = unit * gain + bias
    scaled = gradient * gain
    dx = scaled - scaled.mean(axis=-1, keepdims=True)
    dx = (dx - unit * (scaled * unit).mean(axis=-1, keepdims=True)) / deviation
    return y, dx, (gradient * unit).sum(axis=0), gradient.sum(axis=0)


def draw_colours(rng, small):
    return {"colours": kmeans.picture(2000 if small else 1 << 16, rng), "seed": 1}


def cluster(colours, seed):
    centres, nearest, distance = kmeans.cluster(colours, 8, 4, np.random.default_rng(seed))
    return centres, nearest, np.asarray(distance)


# ---------------------------------------------------------------- pictures


def draw_pictures(rng, small):
    height, width = (24, 32) if small else (360, 640)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    inside = x**2 + y**2 < 0.5
    return {
        "front": rng.uniform(0, 1, (height, width, 3)),
        "back": rng.uniform(0, 1, (height, width, 3)),
        "mask": inside[..., None],
        "codes": (inside.astype(np.uint8) + (np.abs(x) < 0.3))[..., None],
    }


def blur(picture, radius=2):
    """Return the mean of the square around each pixel, by two sums of slices."""
    for axis in (0, 1):
        pad = [(radius, radius) if a == axis else (0, 0) for a in range(picture.ndim)]
        padded = np.moveaxis(np.pad(picture, pad, mode="edge"), axis, 0)
        steps = range(2 * radius + 1)
        lines = sum(padded[k : len(padded) - 2 * radius + k] for k in steps) / len(steps)
        picture = np.moveaxis(lines, 0, axis)
    return picture


def composite(front, back, mask, codes):
    """Return a picture of two by a mask, its blurred bright parts, and mean colours by mask."""
    picture = front * mask + back * ~mask
    weighted = picture * codes / 2
    glow = blur(np.where(picture.mean(axis=-1, keepdims=True) > 0.6, picture, 0))
    result = np.clip(weighted + 0.5 * glow, 0, 1)
    luminance = result @ np.array([0.2126, 0.7152, 0.0722], result.dtype)
    means = [result[mask[..., 0]].mean(axis=0), result[codes[..., 0] == 2].mean(axis=0)]
    result[luminance > 0.9] = 1
    return result, np.stack(means)


def draw_network(rng, small):
    count, size, channels = (2, 8, 4) if small else (16, 32, 16)
    return {
        "x": rng.uniform(0, 1, (count, 3, size, size)),
        "labels": rng.integers(0, 10, count),
        "first": rng.normal(0, 0.2, (27, channels)),
        "second": rng.normal(0, (9 * channels) ** -0.5, (9 * channels, 2 * channels)),
        "last": rng.normal(0, 0.05, (2 * channels * (size // 4) ** 2, 10)),
    }


def window_indices(channels, height, width):
    """Return indices of a padded picture's channels, rows and columns for windows of 3 x 3."""
    offsets = np.arange(9)
    rows = np.tile(offsets // 3, channels)[:, None] + np.repeat(np.arange(height), width)
    columns = np.tile(offsets % 3, channels)[:, None] + np.tile(np.arange(width), height)
    return np.repeat(np.arange(channels), 9)[:, None], rows, columns


def convolve(x, weights):
    """Return a convolution with windows of 3 x 3 by im2col, and the function of its gradients."""
    n, channels, height, width = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    indices = (slice(None), *window_indices(channels, height, width))
    columns = padded[indices].transpose(1, 2, 0).reshape(channels * 9, -1)
    y = (weights.T @ columns).reshape(-1, height, width, n).transpose(3, 0, 1, 2)

    def backward(dy):
        flat = dy.transpose(1, 2, 3, 0).reshape(dy.shape[1], -1)
        dx = np.zeros_like(padded)
        windows = (weights @ flat).reshape(channels * 9, -1, n).transpose(2, 0, 1)
        np.add.at(dx, indices, windows)
        return dx[:, :, 1:-1, 1:-1], columns @ flat.T

    return y, backward


def pool(x):
    """Return the largest of each 2 x 2, and the function of its gradient."""
    n, channels, height, width = x.shape
    squares = x.reshape(n, channels, height // 2, 2, width // 2, 2)
    y = squares.max(axis=(3, 5))

    def backward(dy):
        is_largest = squares == y[:, :, :, None, :, None]
        return (is_largest * dy[:, :, :, None, :, None]).reshape(x.shape)

    return y, backward


def train(x, labels, first, second, last):
    """Return the loss of a convolutional network and the gradients of its weights."""
    a, convolve_back = convolve(x, first)
    b, pool_back = pool(np.maximum(a, 0))
    c, convolve_back2 = convolve(b, second)
    d, pool_back2 = pool(np.maximum(c, 0))
    features = d.reshape(len(x), -1)
    logits = features @ last
    probabilities = softmax(logits)
    chosen = np.arange(len(x)), labels
    loss = -np.log(probabilities[chosen]).mean()
    probabilities[chosen] -= 1
    probabilities /= len(x)
    dd = (probabilities @ last.T).reshape(d.shape)
    db, dsecond = convolve_back2(pool_back2(dd) * (c > 0))
    _, dfirst = convolve_back(pool_back(db) * (a > 0))
    return np.asarray(loss), dfirst, dsecond, features.T @ probabilities


# ---------------------------------------------------------------- simulation


def draw_reaction(rng, small):
    size = 16 if small else 256
    v = np.zeros((size, size))
    v[size // 3 : size // 2, size // 3 : size // 2] = 0.25
    return {"u": 1 - 2 * v, "v": v + rng.uniform(0, 0.02, v.shape), "steps": 10 if small else 100}


def laplacian(x):
    near = np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1)
    return near - 4 * x


def react(u, v, steps, feed=0.055, kill=0.062):
    """Return the concentrations of a Gray-Scott reaction after steps of time 1."""
    for _ in range(steps):
        uvv = u * v * v
        u = u + 0.16 * laplacian(u) - uvv + feed * (1 - u)
        v = v + 0.08 * laplacian(v) + uvv - (feed + kill) * v
    return u, v


def draw_tracks(rng, small):
    tracks, steps = (5, 4) if small else (4096, 20)
    motion = np.eye(4) + np.diag([0.1, 0.1], 2)
    true_path = np.cumsum(rng.normal(0, 0.1, (steps, tracks, 2)), axis=0)
    return {
        "measured": true_path + rng.normal(0, 0.2, true_path.shape),
        "motion": motion,
        "view": np.eye(2, 4),
        "process": 0.01 * np.eye(4),
        "noise": 0.05 * np.eye(2),
        "covariance": np.broadcast_to(np.eye(4), (tracks, 4, 4)).copy(),
    }


def inverse(m):
    """Return inverses of 2 x 2 matrices, as NumPy's linalg has none of halves."""
    determinant = m[:, 0, 0] * m[:, 1, 1] - m[:, 0, 1] * m[:, 1, 0]
    adjugate = np.stack([m[:, 1, 1], -m[:, 0, 1], -m[:, 1, 0], m[:, 0, 0]], axis=-1)
    return (adjugate / determinant[:, None]).reshape(-1, 2, 2)


def track(measured, motion, view, process, noise, covariance):
    """Return states and covariances of many Kalman filters, after all measurements."""
    state = np.zeros((measured.shape[1], 4, 1), measured.dtype)
    for position in measured:
        state = motion @ state
        covariance = motion @ covariance @ motion.T + process
        gain = covariance @ view.T @ inverse(view @ covariance @ view.T + noise)
        state = state + gain @ (position[:, :, None] - view @ state)
        covariance = covariance - gain @ view @ covariance
    return state, covariance


def draw_flock(rng, small):
    count, steps = (20, 2) if small else (512, 6)
    places, speeds = rng.uniform(0, 8, (count, 2)), rng.normal(0, 0.3, (count, 2))
    return {"places": places, "speeds": speeds, "steps": steps}


def fly(places, speeds, steps, step=0.1):
    """Return places and speeds of boids, which align, keep together and keep apart."""
    for _ in range(steps):
        offsets = places[None, :, :] - places[:, None, :]
        distances = np.sqrt((offsets**2).sum(axis=-1))
        is_near = (distances < 1.5) & (distances > 0)
        count = np.maximum(is_near.sum(axis=1), 1)[:, None].astype(places.dtype)
        together = (offsets * is_near[..., None]).sum(axis=1) / count
        alike = np.where(is_near[..., None], speeds[None], 0).sum(axis=1) / count - speeds
        is_close = is_near & (distances < 0.5)
        apart = -np.where(is_close[..., None], offsets / (distances[..., None] + 0.1), 0).sum(
            axis=1
        )
        speeds = speeds + step * (0.3 * together + 0.5 * alike + 0.2 * apart)
        norms = np.linalg.norm(speeds, axis=1, keepdims=True)
        speeds = np.where(norms > 1, speeds / np.maximum(norms, 1e-3), speeds)
        places = places + step * speeds
    return places, speeds


# ---------------------------------------------------------------- other libraries


def draw_graph(rng, small):
    """Return the weights of two layers, and inputs; the model is built by the first run."""
    rows, width = (4, 16) if small else (512, 512)
    return {
        "x": rng.normal(0, 1, (rows, width)),
        "w1": rng.normal(0, width**-0.5, (width, width)),
        "w2": rng.normal(0, width**-0.5, (width, width)),
        "gain": rng.uniform(0.5, 1.5, width),
        "models": {},
    }


def build_evaluator(dtype, **weights):
    """Return ONNX's reference evaluator of layers with normalisation, activation and softmax."""
    try:
        import onnx
        from onnx import helper, numpy_helper
        from onnx.reference import ReferenceEvaluator
    except ImportError as error:
        raise Unavailable(str(error)) from None
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Add", ["b", "x"], ["c"]),
        helper.make_node("LayerNormalization", ["c", "gain"], ["d"]),
        helper.make_node("MatMul", ["d", "w2"], ["e"]),
        helper.make_node("Sigmoid", ["e"], ["f"]),
        helper.make_node("Mul", ["e", "f"], ["g"]),
        helper.make_node("Softmax", ["g"], ["y"]),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "layers", [value("x", kind, ["n", "m"])], [value("y", kind, ["n", "m"])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    onnx.checker.check_model(model)
    return ReferenceEvaluator(model)


def evaluate(x, models, **weights):
    """Return the probabilities of a model by ONNX's reference evaluator."""
    if x.dtype not in models:
        models[x.dtype] = build_evaluator(x.dtype, **weights)
    return tuple(models[x.dtype].run(None, {"x": x}))


def draw_columns(rng, small):
    rows = 200 if small else 60_000  # pandas counts rows in the column's dtype
    return {
        "price": rng.uniform(1, 4, rows),
        "weight": rng.normal(0, 1, rows),
        "group": rng.integers(0, 8 if small else 500, rows),
    }


def summarise(price, weight, group):
    """Return statistics of a frame's columns by group, in windows, and of all rows."""
    try:
        import pandas as pd
    except ImportError as error:
        raise Unavailable(str(error)) from None
    if tuple(map(int, pd.__version__.split(".")[:2])) < (
        3,
        1,
    ):  # older ones know only NumPy's floats
        raise Unavailable(f"needs pandas 3.1 or later, got {pd.__version__}")
    frame = pd.DataFrame({"price": price, "weight": weight, "group": group})
    frame["value"] = frame["price"] * frame["weight"]
    groups = frame.groupby("group")[["price", "value"]]
    results = groups.mean(), groups.std(), groups.max()
    windows = frame[["price", "weight"]].rolling(16).mean().iloc[16:]
    described = frame[["price", "weight", "value"]].describe()
    return tuple(np.asarray(part, np.float64) for part in (*results, windows, described))


# ---------------------------------------------------------------- the table

WORKLOADS = {
    "decode": Workload(draw_model, decode, 0.05, products=True),
    "prefill": Workload(draw_model, prefill, 0.05, products=True),
    "cosine search": Workload(draw_embeddings, search, 0.01),
    "LayerNorm": Workload(draw_batch, normalise, 0.01),
    "CNN": Workload(draw_network, train, 0.03),
    "image masks": Workload(draw_pictures, composite, 0.01),
    "k-means": Workload(draw_colours, cluster, 0.02),
    "Gray-Scott": Workload(draw_reaction, react, 0.05),
    "Kalman filter": Workload(draw_tracks, track, 0.02),
    "ONNX reference": Workload(draw_graph, evaluate, 0.05, products=True),
    "pandas": Workload(draw_columns, summarise, 0.01),
    "boids": Workload(draw_flock, fly, 0.05),
}
