"""Draw the picture of neighbour_list.py, for its --picture. Needs matplotlib."""

import numpy as np
from matplotlib.figure import Figure
from neighbour_list import LIST_RADIUS, WAYS, candidates, exact, gaps, round_distance

COLOURS = {"inside": "#2a78b5", "outside": "#c9ccd1", "lost": "#c4161c", "extra": "#e3b23c"}


def draw(file, result, particles):
    """Draw a lost neighbour, distances at the rim of the radius, and the cost of a margin."""
    figure = Figure(figsize=(15, 6), dpi=90, layout="constrained")
    grid = figure.add_gridspec(2, 3, width_ratios=[1.15, 1, 1])
    pairs, gap = near_rim(particles, 0.003)
    draw_lost(figure.add_subplot(grid[:, 0]), particles, pairs, gap)
    for row, way in enumerate(("to nearest", "toward zero")):
        draw_rim(figure.add_subplot(grid[row, 1]), way, gap, last=row)
    draw_cost(figure.add_subplot(grid[:, 2]), result)
    figure.savefig(file)


def near_rim(particles, width):
    """Return the pairs whose distance is nearly the list's radius, and their gaps."""
    blocks = []
    for pair in candidates(particles):
        distance = np.sqrt(exact(*gaps(particles, *pair)))
        near = abs(distance / float(LIST_RADIUS) - 1) < width
        blocks.append(np.array(pair)[:, near])
    pairs = np.concatenate(blocks, axis=1)
    return pairs, gaps(particles, *pairs)


def judge(way, gap):
    """Return whether each pair is within the list's radius, and whether the list has it."""
    mode, limit = WAYS[way]
    return exact(*gap) <= float(LIST_RADIUS) ** 2, round_distance(mode, gap) <= limit


def draw_lost(axes, particles, pairs, gap):
    """Draw the particles around one that loses a neighbour by rounding distances to nearest."""
    inside, listed = judge("to nearest", gap)
    lost = np.flatnonzero(inside & ~listed)
    if not lost.size:  # too few particles
        axes.set_axis_off()
        return
    lost = lost[:1]
    i, j = pairs[:, lost[0]]
    half_box = particles.side / 2
    where = particles.cell + particles.x.astype(float)
    at = (where - where[:, [i]] + half_box) % particles.side - half_box
    near = np.hypot(*at) <= float(LIST_RADIUS)
    for chosen, kind in ((~near, "outside"), (near, "inside")):
        axes.scatter(*at[:, chosen], 42, COLOURS[kind], zorder=3)
    axes.plot([0, at[0, j]], [0, at[1, j]], color=COLOURS["lost"], zorder=4)
    axes.scatter(*at[:, [j]], 90, COLOURS["lost"], zorder=5)
    axes.scatter(0, 0, 60, "black", zorder=5)
    turn = np.linspace(0, 2 * np.pi, 400)
    axes.plot(*(float(LIST_RADIUS) * np.array([np.cos(turn), np.sin(turn)])), color="black", lw=1)
    for line in np.arange(-2, 4):
        axes.axvline(line - particles.x[0, i], color="#e3e5e8", lw=1, zorder=0)
        axes.axhline(line - particles.x[1, i], color="#e3e5e8", lw=1, zorder=0)
    gap = [part[:, lost] for part in gap]
    squared = exact(*gap), round_distance("rte", gap), round_distance("rtz", gap)
    distances = [np.sqrt(float(s[0])) for s in squared]
    axes.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), xticks=[], yticks=[], aspect="equal",
             title=f"A neighbour lost: its distance is {distances[0]:.5f},\n"
             f"to nearest {distances[1]:.5f}, toward zero {distances[2]:.5f}; "
             f"radius {float(LIST_RADIUS):.5f}")  # fmt: skip


def draw_rim(axes, way, gap, last):
    """Draw computed distances against exact ones, at the rim of the list's radius."""
    inside, listed = judge(way, gap)
    squared = exact(*gap), round_distance(WAYS[way][0], gap)
    right, got = (1e3 * (np.sqrt(s.astype(float)) / float(LIST_RADIUS) - 1) for s in squared)
    kinds = {"inside": inside & listed, "outside": ~inside & ~listed,
             "extra": ~inside & listed, "lost": inside & ~listed}  # fmt: skip
    for kind, chosen in kinds.items():
        axes.scatter(right[chosen], got[chosen], 4, COLOURS[kind], alpha=0.8, lw=0)
    axes.axline((0, 0), slope=1, color="black", lw=0.8)
    axes.axvline(0, color="black", lw=0.8)
    axes.axhline(0, color="black", lw=0.8)
    axes.text(0.03, 0.95, f"{kinds['lost'].sum():,} lost", color=COLOURS["lost"], va="top",
              weight="bold", transform=axes.transAxes)  # fmt: skip
    axes.text(0.97, 0.05, f"{kinds['extra'].sum():,} listed though outside", ha="right",
              color="#a87a10", weight="bold", transform=axes.transAxes)  # fmt: skip
    axes.set(
        xlim=(-3, 3), ylim=(-5, 4), title=f"Distances rounded {way}", ylabel="computed, ‰ beyond"
    )
    if last:
        axes.set_xlabel("exact distance, ‰ beyond the radius")


def draw_cost(axes, result):
    """Draw pairs missed against the list's growth, for distances to nearest by margin."""
    _, listed, missed = result.by_margin()
    first = int(WAYS["to nearest"][1].view(np.uint16))
    last = int(WAYS["to nearest, with a margin"][1].view(np.uint16))
    growth = 100 * (listed[first : last + 1] / result.inside - 1)
    axes.plot(growth, missed[first : last + 1], "o-", color=COLOURS["lost"],
              label="to nearest; a margin of 0, 1, 2, … ulps")  # fmt: skip
    axes.plot(growth[-1], 0, "D", ms=11, color="black", clip_on=False, zorder=5,
              label="to nearest; the margin that is proven")  # fmt: skip
    zero = 100 * (result.listed["toward zero"] / result.inside - 1)
    axes.plot(zero, result.missed_making["toward zero"], "*", ms=20, color=COLOURS["inside"],
              clip_on=False, zorder=6, label="toward zero; no margin; proven")  # fmt: skip
    axes.set_yscale("symlog", linthresh=1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set(xlim=(0, None), ylim=(0, None), xlabel="pairs on the list more than exact, %",
             ylabel=f"pairs missed in making {result.lists} lists",
             title="What never to miss one costs")  # fmt: skip
    axes.legend(frameon=False)
    axes.grid(color="#e3e5e8")
    axes.set_axisbelow(True)
