"""Draw the roofline of limits.py: each function by vector instructions per byte and per ns.

A function's place along x is what its kernel is: vector instructions for each byte that it
reads or writes. Along y is how many of them it gets done in a nanosecond. Above it is the roof: the
sloping part is what memory of some level can feed, the level one what the processor can carry out.
"""

import math

import limits_report
import numpy as np
import report
from native import COPY
from ops import OPS

from halfcl._tables import TABLE

SIZE = 2**14
#: The elements of a copy that measures the bandwidth of a level of memory, and the level.
LEVELS = {2**14: "first caches", 2**20: "last caches", 2**24: "memory"}
LEVEL_COLORS = {2**14: "#444444", 2**20: "#7d7d7d", 2**24: "#a8a8a8"}
GROUPS = {
    "Operators": "#1f6f9f",
    "Math": "#c8553d",
    "Common": "#3f8f4f",
    "Relational": "#b8860b",
    "Geometric": "#7b4fa0",
    "Conversions and others": "#555555",
}
#: Panels, one above the other.
PANELS = (
    ("Operators", "Common", "Relational", "Conversions and others"),
    ("Math", "Geometric"),
)
INK, FAINT, PEER = "#222222", "#5a5a5a", "#b9b9b9"
SECTIONS = {row.name: row.section for row in TABLE if row.public}
#: A label's distances from its point, in points, and number of directions. A label uses the
#: nearest free place; a line connects it if it is far away.
DISTANCES, DIRECTIONS, AFAR = (7, 12, 18, 25, 33), 16, 12


def group(name):
    op = OPS[name]
    section = SECTIONS.get(op.halfcl if op.vector else name, "")
    return section if section in GROUPS else "Conversions and others"


def drawable(run):
    rows = limits_report.rows_at(run, SIZE)
    return [row for row in rows if row.get("vectors")]


def place(row, ns):
    """Return the point for a time: x and y."""
    return row["vectors"] / row["bytes"], row["vectors"] / ns


def bandwidths(run):
    """Return the bytes per nanosecond of a copy, for each size."""
    rows = {row["n"]: row for row in run["rows"] if row["op"] == COPY.name and row["stream"]}
    return {n: rows[n]["bytes"] / rows[n]["stream"] for n in LEVELS if n in rows}


def draw(runs, path):
    """Draw the picture of the first run on one core."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    run = next((r for r in runs if r["threads"] == 1 and not r["held"] and drawable(r)), None)
    if run is None:
        print("no roofline: it needs a run on one core with counted instructions")
        return
    panels = [[row for row in drawable(run) if group(row["op"]) in groups] for groups in PANELS]
    panels = [rows for rows in panels if rows]
    figure = Figure(figsize=(12, 1 + 6.5 * len(panels)), layout="constrained")
    FigureCanvasAgg(figure)  # the canvas measures text
    grid = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for axes, rows in zip(grid, panels, strict=True):
        axes.set(xscale="log", yscale="log")
        frame(axes, run, rows)
        roof(axes, run)
        points(axes, rows)
    caption(figure, grid, run)
    figure.canvas.draw()  # drawing fixes the layout
    for axes, rows in zip(grid, panels, strict=True):
        name_levels(axes, run)
        label(figure, axes, rows)
    figure.savefig(path, dpi=120)


def frame(axes, run, rows):
    """Set the limits of the axes to show all points, and the roof."""
    xs, ys = zip(*(place(row, limits_report.ours(row)) for row in rows), strict=True)
    top = max(run["rates"].get("vector") or 0, *ys)
    axes.set_xlim(min(xs) / 1.6, max(xs) * 1.35)
    axes.set_ylim(min(ys) / 1.6, top * 1.3)


def roof(axes, run):
    rate = run["rates"].get("vector")
    left, right = axes.get_xlim()
    for n, width in bandwidths(run).items():
        end = min(right, rate / width) if rate else right
        color = LEVEL_COLORS[n]
        axes.plot([left, end], [left * width, end * width], color=color, linewidth=1.6, zorder=1)
    if rate:
        start = rate / max(bandwidths(run).values(), default=rate / left)
        axes.plot([start, right], [rate, rate], color=INK, linewidth=1.6, zorder=1)
        annotate_right(axes, rate, f"{rate:.1f}: vector\ninstructions", INK)
    fma = run["rates"].get("fma")
    if fma and rate and fma < 0.9 * rate:
        start = fma / max(bandwidths(run).values(), default=fma / left)
        axes.plot([start, right], [fma, fma], color=FAINT, linewidth=0.9, ls=(0, (4, 3)), zorder=1)
        annotate_right(axes, fma, f"{fma:.1f}: multiply-\nadditions", FAINT)


def name_levels(axes, run):
    """Write the levels along the slopes, after their angles on paper are fixed."""
    left, bottom = axes.get_xlim()[0], axes.get_ylim()[0]
    for n, width in bandwidths(run).items():
        at = max(left, bottom / width) * 1.12
        axes.annotate(
            f"{LEVELS[n]}: {width:.0f} GB/s", (at, at * width), xytext=(0, 3),
            textcoords="offset points", rotation=slope(axes), rotation_mode="anchor",
            fontsize=8.5, color=LEVEL_COLORS[n],
        )  # fmt: skip


def annotate_right(axes, height, text, color):
    """Write a text to the right of the picture."""
    axes.annotate(
        text, (axes.get_xlim()[1], height), xytext=(5, 0), textcoords="offset points",
        va="center", fontsize=8.5, color=color, annotation_clip=False,
    )  # fmt: skip


def slope(axes):
    """Return the angle on paper of a line that grows as x does, in degrees."""
    (x0, y0), (x1, y1) = axes.transAxes.transform([(0, 0), (1, 1)])
    left, right = map(math.log, axes.get_xlim())
    bottom, top = map(math.log, axes.get_ylim())
    return math.degrees(math.atan2((y1 - y0) / (top - bottom), (x1 - x0) / (right - left)))


def points(axes, rows):
    beside_peers = [row for row in rows if row["fastest"]]
    peers = [place(row, row["ns"][row["fastest"]]) for row in beside_peers]
    for row, (x, y) in zip(beside_peers, peers, strict=True):
        ends = y, place(row, limits_report.ours(row))[1]
        axes.plot([x, x], ends, color=PEER, linewidth=0.6, alpha=0.6, zorder=1)
    if peers:
        axes.scatter(
            *zip(*peers, strict=True), s=16, facecolor="none", edgecolor=PEER, linewidth=0.9,
            zorder=2, label="the same function, the fastest peer's time",
        )  # fmt: skip
    for name, color in GROUPS.items():
        spots = [place(r, limits_report.ours(r)) for r in rows if group(r["op"]) == name]
        if spots:
            axes.scatter(*zip(*spots, strict=True), s=26, color=color, zorder=3, label=name)


def label(figure, axes, rows):
    """Place the names near their points, where they cover no other name or point."""
    renderer = figure.canvas.get_renderer()
    spots = [place(row, limits_report.ours(row)) for row in rows]
    dots = axes.transData.transform(spots)
    taken = [axes.get_legend().get_window_extent(renderer)]
    inside = axes.get_window_extent(renderer)

    def is_free(box, own):
        others = (dot for k, dot in enumerate(dots) if k != own)
        return (
            inside.contains(box.x0, box.y0)
            and inside.contains(box.x1, box.y1)
            and not any(box.padded(1).overlaps(other) for other in taken)
            and not any(box.padded(3).contains(*dot) for dot in others)
        )

    for k in sort_by_room(dots):
        for offset in places():
            text = name_at(axes, rows[k]["op"], spots[k], offset)
            box = extent(text, renderer)
            if is_free(box, k):
                taken.append(box)
                break
            text.remove()


def extent(text, renderer):
    """Return the box of a name, without the line that leads to it."""
    from matplotlib.text import Text

    text.update_positions(renderer)
    return Text.get_window_extent(text, renderer)


def sort_by_room(dots):
    """Return the points that have most room first: far from the middle of all."""
    middle = dots.mean(axis=0)
    return sorted(range(len(dots)), key=lambda k: -np.hypot(*(dots[k] - middle)))


def places():
    """Yield offsets in points, nearest first; to the sides before above and below."""
    angles = sorted(range(DIRECTIONS), key=lambda k: abs(math.sin(2 * math.pi * k / DIRECTIONS)))
    for distance in DISTANCES:
        for k in angles:
            angle = 2 * math.pi * k / DIRECTIONS
            yield distance * math.cos(angle), distance * math.sin(angle)


def name_at(axes, name, spot, offset):
    color = GROUPS[group(name)]
    side = "center" if abs(offset[0]) < 3 else "left" if offset[0] > 0 else "right"
    line = {"arrowstyle": "-", "color": color, "linewidth": 0.5, "alpha": 0.6, "shrinkB": 3}
    return axes.annotate(
        name, spot, xytext=offset, textcoords="offset points", fontsize=7.5, color=color,
        ha=side, va="center", zorder=4,
        arrowprops=line if math.hypot(*offset) > AFAR else None,
    )  # fmt: skip


def caption(figure, grid, run):
    from matplotlib.ticker import LogLocator, NullFormatter

    facts = run["machine"]
    grid[-1].set_xlabel("vector instructions for each byte read or written", color=INK)
    for axes in grid:
        axes.set_ylabel("vector instructions a nanosecond", color=INK)
        axes.legend(loc="upper left", frameon=False, fontsize=8.5)
        axes.tick_params(colors=INK, which="both")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(plain)
            axis.set_minor_formatter(NullFormatter())
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(which="major", color="#eeeeee", zorder=0)
    figure.suptitle("How near halfcl is to what the machine allows", color=INK, weight="bold")
    where = f"{facts['cpu']}, {limits_report.title(run)}"
    figure.supxlabel(
        f"{where}, {report.size(SIZE)}, whole calls, {facts['date']}",
        fontsize=8,
        color=FAINT,
    )


def plain(value, _):
    return f"{value:g}"
