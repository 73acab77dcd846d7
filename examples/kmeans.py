"""k-means on the colours of a picture, in float16: plain NumPy, which knows nothing of halfcl.

    python examples/kmeans.py                      # NumPy's float16
    python -m halfcl run examples/kmeans.py        # the same script, accelerated

bench/scripts.py times both.
"""

import argparse
import time

import numpy as np


def picture(pixels, rng):
    """Return colours from 0 to 1 around eight of them."""
    tones = rng.uniform(0, 1, (8, 3))
    return np.clip(tones[rng.integers(0, 8, pixels)] + rng.normal(0, 0.05, (pixels, 3)), 0, 1)


def cluster(colours, count, steps, rng):
    """Return centres, each colour's nearest centre, and the mean distance from it."""
    centres = colours[rng.choice(len(colours), count, replace=False)]
    for _ in range(steps):
        distances = ((colours[:, None, :] - centres) ** 2).sum(axis=-1)
        nearest = distances.argmin(axis=1)
        centres = np.stack(
            [colours[nearest == k].mean(axis=0) if (nearest == k).any() else centres[k]
             for k in range(count)]
        )  # fmt: skip
    return centres, nearest, np.sqrt(distances.min(axis=1)).mean()


def main(size=1 << 18, steps=5):
    """Print the seconds that it took, and how far colours are from their centres."""
    rng = np.random.default_rng(0)
    colours = picture(size, rng).astype(np.float16)
    start = time.perf_counter()
    centres, _nearest, distance = cluster(colours, 8, steps, rng)
    seconds = time.perf_counter() - start
    print(f"{seconds:.4f} s; distance {float(distance):.4f}, dtype {centres.dtype}")
    return centres, distance


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="k-means in float16")
    parser.add_argument("--size", type=int, default=1 << 18, help="pixels")
    main(parser.parse_args().size)
