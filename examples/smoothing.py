"""A noisy signal smoothed by np.convolve, and its peaks, in float16: plain NumPy.

    python examples/smoothing.py                   # NumPy's float16
    python -m halfcl run examples/smoothing.py     # the same script, accelerated

bench/scripts.py times both.
"""

import argparse
import time

import numpy as np


def window(length):
    """Return Hann's window, with sum 1."""
    w = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(1, length + 1) / (length + 1))
    return w / w.sum()


def smooth(signal, weights):
    """Return the smoothed signal, the noise that was in it, and where it has its peaks."""
    smoothed = np.convolve(signal, weights, mode="same")
    noise = (signal - smoothed).std()
    slope = np.convolve(np.diff(smoothed), weights, mode="same")
    peaks = np.flatnonzero((slope[:-1] > 0) & (slope[1:] <= 0) & (smoothed[1:-1] > noise))
    return smoothed, noise, peaks


def main(size=1 << 18):
    """Print the seconds that it took, the noise, and how many peaks there are."""
    rng = np.random.default_rng(0)
    time_of = np.arange(size)
    clean = np.sin(time_of / 200) * (1 + 0.5 * np.sin(time_of / 5000))
    signal = (clean + rng.normal(0, 0.2, size)).astype(np.float16)
    weights = window(101).astype(np.float16)
    start = time.perf_counter()
    smoothed, noise, peaks = smooth(signal, weights)
    seconds = time.perf_counter() - start
    print(f"{seconds:.4f} s; noise {float(noise):.4f}, {len(peaks)} peaks, dtype {smoothed.dtype}")
    return smoothed, noise, peaks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a signal smoothed in float16")
    parser.add_argument("--size", type=int, default=1 << 18, help="samples")
    main(parser.parse_args().size)
