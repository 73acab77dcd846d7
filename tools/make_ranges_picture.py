"""Draw docs/pictures/ranges.png: enclosures of a formula on boxes, over its curve.

python tools/make_ranges_picture.py [file]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from halfcl import interval, plots

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "ranges.png"


def formula(x):
    return x * np.sin(3 * x) - x * x / 2 + x


PANELS = {
    "f(x)": None,
    "mean_value(f, x)": interval.mean_value,
    "range_of(f, x)": interval.range_of,
}


def main():
    figure = Figure(figsize=(10, 3.6), dpi=110, layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for panel, (title, enclose) in zip(panels, PANELS.items(), strict=True):
        plots.boxes(formula, (-1, 3), enclose=enclose, ax=panel)
        panel.set_ylabel(title)
    figure.savefig(sys.argv[1] if sys.argv[1:] else PICTURE)


if __name__ == "__main__":
    main()
