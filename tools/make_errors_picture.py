"""Draw docs/pictures/errors.png: errors over the inputs, of formulas and their cures.

python tools/make_errors_picture.py [file]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from halfcl import half, stability

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "errors.png"


def small_root(b):
    return (b - np.sqrt(b * b - 4 * half(0.3))) / 2


def by_quotient(b):
    return 2 * half(0.3) / (b + np.sqrt(b * b - 4 * half(0.3)))


def less_one(x):
    return np.exp(x) - 1


def at_once(x):
    return np.expm1(x)


def main():
    figure = Figure(figsize=(10, 3.6), dpi=110, layout="constrained")
    left, right = figure.subplots(1, 2)
    b, x = half(np.geomspace(1.2, 250, 600)), half(np.geomspace(1e-4, 8, 600))
    stability.compare([small_root, by_quotient], b).plot_error(ax=left)
    stability.compare([less_one, at_once], x).plot_error(ax=right)
    left.set(xlabel="b")
    right.set(xlabel="x")
    figure.savefig(sys.argv[1] if sys.argv[1:] else PICTURE)


if __name__ == "__main__":
    main()
