"""The forward pass of a small network in float16: layer norm, GELU and softmax in plain NumPy.

    python examples/mlp.py                         # NumPy's float16
    python -m halfcl run examples/mlp.py           # the same script, accelerated

bench/scripts.py times both.
"""

import argparse
import time
from itertools import pairwise

import numpy as np

WIDTHS = (784, 256, 256, 10)


def layer_norm(x, epsilon=1e-3):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7979 * (x + 0.04472 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def forward(x, weights, biases):
    """Return the probability of each of ten classes, for each row."""
    for w, b in zip(weights[:-1], biases[:-1], strict=True):
        x = gelu(layer_norm(x @ w + b))
    return softmax(x @ weights[-1] + biases[-1])


def main(size=512):
    """Print the seconds that it took, and how sure the network is of its class."""
    rng = np.random.default_rng(0)
    pairs = list(pairwise(WIDTHS))
    weights = [rng.normal(0, m**-0.5, (m, n)).astype(np.float16) for m, n in pairs]
    biases = [rng.normal(0, 0.1, n).astype(np.float16) for _, n in pairs]
    x = rng.uniform(0, 1, (size, WIDTHS[0])).astype(np.float16)
    start = time.perf_counter()
    probabilities = forward(x, weights, biases)
    seconds = time.perf_counter() - start
    sure = probabilities.max(axis=1).mean()
    print(f"{seconds:.4f} s; sure by {float(sure):.4f}, dtype {probabilities.dtype}")
    return probabilities


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a network's forward pass in float16")
    parser.add_argument("--size", type=int, default=512, help="rows")
    main(parser.parse_args().size)
