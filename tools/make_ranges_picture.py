"""Draw docs/pictures/ranges.png: enclosures of a formula on boxes, over its curve.

python tools/make_ranges_picture.py [file]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from halfcl import interval
from halfcl.interval import Interval

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "ranges.png"


def formula(x):
    return x * np.sin(3 * x) - x * x / 2 + x


PANELS = (
    ("f(x)", lambda x: formula(x)),
    ("mean_value(f, x)", lambda x: interval.mean_value(formula, x)),
    ("range_of(f, x)", lambda x: interval.range_of(formula, x)),
)


def rectangles(x, y):
    """Return the corners of boxes."""
    left, right, bottom, top = (v.astype(float) for v in (x.inf, x.sup, y.inf, y.sup))
    corners = [(left, bottom), (left, top), (right, top), (right, bottom)]
    return np.stack([np.stack(corner, -1) for corner in corners], 1)


def main():
    edges = np.float16(np.linspace(-1, 3, 17))
    x = Interval(edges[:-1], edges[1:])
    curve = np.linspace(-1, 3, 1000)
    figure = Figure(figsize=(10, 3.6), dpi=110, layout="constrained")
    for panel, (title, way) in zip(figure.subplots(1, 3, sharey=True), PANELS, strict=True):
        boxes = rectangles(x, way(x))
        panel.add_collection(PolyCollection(boxes, facecolor="C0", edgecolor="C0", alpha=0.35))
        panel.plot(curve, formula(curve), color="C3", lw=1.5)
        panel.set(title=title, xlabel="x", xlim=(-1, 3))
    figure.savefig(sys.argv[1] if sys.argv[1:] else PICTURE)


if __name__ == "__main__":
    main()
