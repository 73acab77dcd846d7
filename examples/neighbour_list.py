"""A neighbour list in half precision that never misses a neighbour.

    python examples/neighbour_list.py [--particles N] [--steps N] [--every N] [--picture FILE]

Particles as smoothed-particle hydrodynamics (SPH) has them drift through a periodic square.
Every few steps a list is made of all pairs that may interact until the next list: with
distances rounded toward zero, none is lost. In use, distances are rounded to nearest.
docs/tutorial/lessons/neighbour_list.md says why, and what it costs.
"""

import argparse
import time
from dataclasses import dataclass, field

import numpy as np

import halfcl as hc
from halfcl import half

# Lengths are in sides of a cell. A particle's place is its cell, an integer, and its place within
# the cell, halves in [0, 1]. So places are equally fine in all parts of a box of any size.
PER_CELL = 9  # particles; 20 to 26 neighbours each
LIST_RADIUS = half(0.98)  # less than a cell: neighbours are in cells that touch
SPEED = half(0.006)  # the greatest travel in a step
VORTICES = 2  # pairs of vortices along the box
# A step's travel: SPEED, since all of it is rounded toward zero, and in each direction the
# rounding of the new place, at most half an ulp below 2.
TRAVEL = float(SPEED) + np.sqrt(2) * 2.0**-11

STENCIL = np.array([(0, 0), (0, 1), (1, -1), (1, 0), (1, 1)])  # each pair of cells once
BLOCK = 1 << 14  # particles whose pairs are in memory at once


@dataclass
class Particles:
    """Particles, each by its cell and its place in the cell."""

    cell: np.ndarray  # (2, N) integers
    x: np.ndarray  # (2, N) halves in [0, 1]
    side: int  # of the box, in cells


def place(count, seed=0):
    """Spread particles over the box, evenly but irregularly."""
    side = int(np.sqrt(count / PER_CELL))
    if side < 5:
        raise ValueError(f"particles: expected at least {25 * PER_CELL}, got {count}")
    even = np.arange(count) * np.array([[0.7548776662466927], [0.5698402909980532]])
    jitter = np.random.default_rng(seed).uniform(-0.1, 0.1, even.shape)
    where = (even % 1 * side + jitter) % side
    cell = np.floor(where).astype(np.int32)
    # Rounded toward zero, no place leaves its cell.
    return Particles(cell % side, hc.convert(where - cell, half, rounding="rtz"), side)


@hc.rounding("rtz", builtins=True)  # steps no longer than SPEED, whatever was rounded
def velocity(particles):
    """Return the flow at the particles: vortices that turn against each other."""
    angle = 2 * np.pi * VORTICES / particles.side * (particles.cell + particles.x.astype(float))
    sine, cosine = hc.sincos(hc.convert(angle, half))
    return np.stack([SPEED * (sine[0] * cosine[1]), -(SPEED * (cosine[0] * sine[1]))])


def move(particles):
    """Move the particles one step with the flow."""
    x = particles.x + velocity(particles)
    onward = (x >= 1).astype(np.int8) - (x < 0).astype(np.int8)
    particles.cell = (particles.cell + onward) % particles.side
    particles.x = x - onward


def candidates(particles):
    """Yield blocks of pairs of particles in the same cell or in cells that touch, each once."""
    side = particles.side
    number = particles.cell[0] * side + particles.cell[1]
    order = np.argsort(number, kind="stable")
    start = np.searchsorted(number[order], np.arange(side * side + 1))
    for first in range(0, order.size, BLOCK):
        rows = np.arange(first, min(first + BLOCK, order.size))
        for step in STENCIL:
            other = (particles.cell[:, order[rows]] + step[:, None]) % side
            other = other[0] * side + other[1]
            begin = start[other] if step.any() else rows + 1
            length = start[other + 1] - begin
            # The ranges begin, begin + 1, ... of all rows in one array.
            skipped = np.repeat(np.cumsum(length) - length - begin, length)
            yield order[np.repeat(rows, length)], order[np.arange(skipped.size) - skipped]


def gaps(particles, i, j):
    """Return the places of the particle ahead and of the one behind, and the cells between them.

    Each has a row per direction.
    """
    half_box = particles.side // 2
    cells = (particles.cell[:, j] - particles.cell[:, i] + half_box) % particles.side - half_box
    xi, xj = particles.x[:, i], particles.x[:, j]
    swap = cells < 0
    return np.where(swap, xi, xj), np.where(swap, xj, xi), abs(cells).astype(np.int8)


def squared_distance(ahead, behind, cells):
    """Return the squared distance.

    Each operation is non-decreasing in what was rounded before it. Therefore the order of
    operations matters: (ahead - behind) + cells would not do.
    """
    along = ahead + (cells - behind)
    square = along * along
    return square[0] + square[1]


def exact(ahead, behind, cells):
    """Return the squared distance in float64.

    It is exact, since places are multiples of 2^-24, and few cells lie between.
    """
    return squared_distance(ahead.astype(float), behind.astype(float), cells)


def round_distance(mode, gap):
    """Return the squared distance in half."""
    with hc.rounding(mode):
        return squared_distance(*gap)


def margin(radius):
    """Return a limit for squared distances rounded to nearest that keeps all pairs in the radius.

    Within a radius below 1, each of the two sums behind a difference is off by at most 2^-12, the
    square and the sum of squares by a factor of 1 + 2^-11 each, or by 2^-25.
    """
    length = float(radius) + np.sqrt(2) * 2.0**-11
    return hc.convert(length**2 * (1 + 2.0**-11) ** 2 + 2.0**-23, half, rounding="rtp")


TOWARD_ZERO = hc.multiply(LIST_RADIUS, LIST_RADIUS, rounding="rtz")
#: How to make a list: the rounding mode of squared distances, and their limit for a pair.
WAYS = {
    "toward zero": ("rtz", TOWARD_ZERO),
    "to nearest": ("rte", LIST_RADIUS * LIST_RADIUS),
    "to nearest, with a margin": ("rte", margin(LIST_RADIUS)),
}


@dataclass
class Result:
    """The result of a run; counts are of pairs, over all lists or all steps."""

    radius: half  # within which particles interact
    lists: int = 0
    inside: int = 0  # pairs within the list's radius, exactly
    neighbours: int = 0  # pairs within the radius, exactly
    listed: dict = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    missed_making: dict = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    missed_using: dict = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    #: How often rounding to nearest resulted in each half: for candidates, and for pairs inside.
    nearest: np.ndarray = field(default_factory=lambda: np.zeros((2, 1 << 15), int))
    #: The mean relative error of the density, by the rounding of distances in use.
    bias: dict = field(default_factory=lambda: {"rte": 0.0, "rtz": 0.0})

    def by_margin(self):
        """Return limits for squared distances to nearest, with the pairs listed and missed."""
        limits = np.arange(1 << 15, dtype=np.uint16).view(half)
        every, inside = self.nearest.cumsum(axis=1)
        return limits, every, self.inside - inside


def make_lists(particles, result):
    """Make the list in each way: an array (2, pairs) of indices."""
    kept = {way: [] for way in WAYS}
    for i, j in candidates(particles):
        gap = gaps(particles, i, j)
        inside = exact(*gap) <= float(LIST_RADIUS) ** 2
        squared = {mode: round_distance(mode, gap) for mode in ("rtz", "rte")}
        result.inside += np.count_nonzero(inside)
        for row, chosen in enumerate((squared["rte"], squared["rte"][inside])):
            result.nearest[row] += np.bincount(chosen.view(np.uint16), minlength=1 << 15)
        for way, (mode, limit) in WAYS.items():
            on_list = squared[mode] <= limit
            result.missed_making[way] += np.count_nonzero(inside & ~on_list)
            kept[way].append(np.array([i[on_list], j[on_list]]))
    lists = {way: np.concatenate(blocks, axis=1) for way, blocks in kept.items()}
    for way, pairs in lists.items():
        result.listed[way] += pairs.shape[1]
    result.lists += 1
    return lists


def density(squared, pairs, radius, count):
    """Return the density at each particle: Wendland's kernel C2, summed over its neighbours."""
    near = squared <= radius * radius
    q = np.sqrt(squared[near]) / radius
    t = (1 - q) * (1 - q)
    weight = (t * t * (1 + 4 * q)).astype(float)
    i, j = pairs[:, near]
    total = 1 + np.bincount(i, weight, count) + np.bincount(j, weight, count)
    return total * 7 / (np.pi * float(radius) ** 2) / PER_CELL


def use_lists(particles, lists, result):
    """Use the list for a step: count what it misses, and compute the density to nearest."""
    count, radius = particles.x.shape[1], result.radius
    limit = float(radius) ** 2
    true = sum(np.count_nonzero(exact(*gaps(particles, *p)) <= limit)
               for p in candidates(particles))  # fmt: skip
    result.neighbours += true
    for way, pairs in lists.items():
        gap = gaps(particles, *pairs)
        squared = exact(*gap)
        result.missed_using[way] += true - np.count_nonzero(squared <= limit)
        if way == "toward zero":
            right = density(squared, pairs, float(radius), count)
            for mode in result.bias:
                got = density(round_distance(mode, gap), pairs, radius, count)
                result.bias[mode] += np.mean(got / right - 1)


def simulate(count, steps, every, seed=0):
    """Simulate the flow with a new list every few steps, which must serve until the next.

    Two particles come closer by at most twice their travel, so within that time only pairs of
    the list's radius get within `radius`.
    """
    skin = 2 * (every - 1) * TRAVEL
    if steps < 1:
        raise ValueError(f"steps: expected at least 1, got {steps}")
    if not 0 <= skin < float(LIST_RADIUS):
        raise ValueError(
            f"every: expected 1 to {int(float(LIST_RADIUS) / 2 / TRAVEL) + 1}, got {every}"
        )
    result = Result(hc.convert(float(LIST_RADIUS) - skin, half, rounding="rtz"))
    particles = place(count, seed)
    for step in range(steps):
        if step % every == 0:
            lists = make_lists(particles, result)
        use_lists(particles, lists, result)
        move(particles)
    result.bias = {mode: bias / steps for mode, bias in result.bias.items()}
    return result


def report(result):
    """Return the result of a run as a table in Markdown."""

    def row(way, limit, pairs, *missed):
        growth = f"{pairs / result.inside - 1:.3%}"
        cells = [way, f"{float(limit):.6f}", f"{pairs:,}", growth, *map("{:,}".format, missed)]
        return f"| {' | '.join(cells)} |"

    lines = [
        "| distances in making the list | limit, squared | pairs on it | too many "
        "| missed in making | missed in use |",
        "|---|---:|---:|---:|---:|---:|",
        row("exact", float(LIST_RADIUS) ** 2, result.inside, 0, 0),
    ]
    for way, (_, limit) in WAYS.items():
        missed = result.missed_making[way], result.missed_using[way]
        lines.append(row(way, limit, result.listed[way], *missed))
    limits, listed, missed = result.by_margin()
    least = np.flatnonzero(missed == 0)[0]  # known only after the run
    lines.append(row("to nearest, the margin found by trial", limits[least], listed[least], 0, 0))
    return "\n".join(lines)


def main(arguments=None):
    """Run the simulation of the command line, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--particles", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--every", type=int, default=10, help="steps from one list to the next")
    parser.add_argument("--picture", metavar="FILE", help="draw it (needs matplotlib)")
    options = parser.parse_args(arguments)
    if options.picture:
        from neighbour_list_picture import draw  # here, since it needs matplotlib
    begin = time.perf_counter()
    try:
        result = simulate(options.particles, options.steps, options.every)
    except ValueError as error:
        parser.error(str(error))
    seconds = time.perf_counter() - begin
    print(f"{options.particles:,} particles, {options.steps} steps, {result.lists} lists; radius "
          f"{float(result.radius):.4f}, the list's {float(LIST_RADIUS):.4f}; "
          f"{result.neighbours:,} neighbours met; {seconds:.0f} s\n")  # fmt: skip
    print(report(result))
    for mode, bias in result.bias.items():
        print(f"\nMean error of the density, distances in use rounded {mode}: {bias:+.4%}", end="")
    print()
    if options.picture:
        draw(options.picture, result, place(options.particles))


if __name__ == "__main__":
    main()
