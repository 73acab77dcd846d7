"""A neighbour list made on a device that never misses a neighbour: distances rounded toward zero.

python examples/device_neighbours.py

The particles are those of neighbour_list.py: integers for cells, halves for places in them. The
kernel of device_neighbours.cl compares each with those of the cells around it, in half, twice:
rounded toward zero, and to nearest, which loses pairs.
"""

import neighbour_list
import numpy as np
import on_device

import halfcl as hc

FUNCTIONS = ("add", "sub", "mul", "convert_half", "islessequal")
COUNT = 2000
MOST = 48  # neighbours of a particle
LIMITS = {mode: hc.multiply(*[neighbour_list.LIST_RADIUS] * 2, rounding=mode)
          for mode in ("rtz", "rte")}  # fmt: skip


def sort_by_cell():
    """Return the particles in the order of their cells, and where each cell's begin."""
    particles = neighbour_list.place(COUNT)
    number = particles.cell[0] * particles.side + particles.cell[1]
    order = np.argsort(number, kind="stable")
    particles.cell, particles.x = particles.cell[:, order], particles.x[:, order]
    start = np.searchsorted(number[order], np.arange(particles.side**2 + 1)).astype(np.int32)
    return particles, start


def pairs(particles, start, mode):
    """Return the pairs on the kernel's list, each once, as tuples of two numbers."""
    lists, counts = np.full((COUNT, MOST), -1, np.int32), np.zeros(COUNT, np.int32)
    arrays = [
        np.ascontiguousarray(particles.cell.T.astype(np.int32)),
        np.ascontiguousarray(particles.x.T),
        start,
        np.array([particles.side], np.int32),
        np.array([LIMITS[mode]]),
        np.array([MOST], np.int32),
        lists,
        counts,
    ]
    options = (f"-DMODE={mode}",)
    on_device.run("device_neighbours.cl", FUNCTIONS, "neighbours", COUNT, arrays, options)
    assert counts.max() <= MOST
    i, k = np.nonzero(lists >= 0)
    return {(a, b) for a, b in zip(i.tolist(), lists[i, k].tolist(), strict=True) if a < b}


def exact_pairs(particles):
    """Return the pairs within the radius, by float64, which is exact here."""
    pairs = set()
    for i, j in neighbour_list.candidates(particles):
        squared = neighbour_list.exact(*neighbour_list.gaps(particles, i, j))
        near = squared <= float(neighbour_list.LIST_RADIUS) ** 2
        pairs |= {(min(p), max(p)) for p in zip(i[near].tolist(), j[near].tolist(), strict=True)}
    return pairs


def main():
    particles, start = sort_by_cell()
    near = exact_pairs(particles)
    rows = [
        ["distances", "pairs listed", "missed", "too many"],
        ["exact", str(len(near)), "0", "0"],
    ]
    for mode, name in (("rtz", "toward zero"), ("rte", "to nearest")):
        listed = pairs(particles, start, mode)
        rows.append([name, *(str(len(x)) for x in (listed, near - listed, listed - near))])
        assert mode != "rtz" or near <= listed
    print(on_device.align_columns(rows))
    on_device.tell()


if __name__ == "__main__":
    main()
