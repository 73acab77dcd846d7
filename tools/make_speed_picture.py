"""Draw docs/pictures/speed.png: whole programs in float16, plain, accelerated and in float32.

    python tools/make_speed_picture.py [file]

Its figures are those of the first table of whole programs in docs/evidence/acceleration.md, which
`python bench/programs.py --write` makes.
"""

import re
import sys
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, StrMethodFormatter

DOCS = Path(__file__).resolve().parent.parent / "docs"
PICTURE = DOCS / "pictures" / "speed.png"
PAGE = DOCS / "evidence" / "acceleration.md"


def read_programs() -> list[tuple[str, float, float]]:
    """Return each program's name, and plain float16's time over accelerated's and float32's."""
    table = PAGE.read_text(encoding="utf-8").split("<!-- programs -->")[1].split("<!-- end -->")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()]
    numbers = [row for row in rows if len(row) > 4 and re.fullmatch(r"[\d.]+", row[1])]
    ratios = [
        (name, float(plain) / float(accelerated), float(plain) / float(single))
        for name, plain, accelerated, _, single, *_ in numbers
    ]
    return sorted(ratios, key=lambda ratio: ratio[1])


def main() -> None:
    programs = read_programs()
    names, accelerated, single = zip(*programs, strict=True)
    figure = Figure(figsize=(8, 3.9), dpi=125, layout="constrained")
    axes = figure.subplots()
    axes.barh(
        names,
        [ratio - 1 for ratio in accelerated],
        left=1,
        height=0.62,
        color="#2a6fbb",
        label="float16, accelerated",
    )
    axes.scatter(single, names, s=34, color="#e08214", zorder=3, label="rewritten in float32")
    for name, ratio in zip(names, accelerated, strict=True):
        axes.annotate(f"{ratio:.3g}", (ratio, name), xytext=(5, 0), textcoords="offset points",
                      va="center", fontsize=8)  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlim(1, 300)
    axes.xaxis.set_major_locator(FixedLocator((1, 10, 100)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.set_xlabel("times as fast as the same program in NumPy's float16")
    axes.grid(axis="x", which="both", alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False)
    figure.savefig(sys.argv[1] if sys.argv[1:] else PICTURE)


if __name__ == "__main__":
    main()
