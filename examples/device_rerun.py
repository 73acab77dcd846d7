"""Find which formula to trust: run a kernel on a device in four roundings, by one macro.

python examples/device_rerun.py

Kahan's test: run each formula again with its operations rounded otherwise; the one whose results
spread is the suspect. Heron's formula for the area of a triangle is, for triangles like needles;
Kahan's is not. The kernels are device_rerun.cl.
"""

from fractions import Fraction

import numpy as np
import on_device

import halfcl as hc
from halfcl import half

FUNCTIONS = ("add", "sub", "mul", "div", "convert_half")
COUNT = 1000


def triangles():
    """Return sides a >= b >= c of triangles, ever more like needles, with c hardly above a - b."""
    b = np.linspace(1.2, 1.9, COUNT)
    c = np.linspace(1, 0.01, COUNT)
    return np.ascontiguousarray(half(np.stack([b + 0.9 * c, b, c], axis=-1)))


def rerun():
    """Return the results in each mode: by Heron's formula and by Kahan's."""
    sides, by_mode = triangles(), {}
    for mode in hc.MODES:
        results = np.zeros((2, COUNT), half)
        arrays = [sides, *results]
        on_device.run("device_rerun.cl", FUNCTIONS, "areas", COUNT, arrays, (f"-DMODE={mode}",))
        by_mode[mode] = results
    return by_mode


def exact(sides):
    """Return sixteen times the squared area, exactly."""
    a, b, c = (Fraction(float(side)) for side in sides)
    return (a + b + c) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))


def spread(by_mode):
    """Return the modes' spread over the largest magnitude, by formula and triangle."""
    values = on_device.floats(np.stack(list(by_mode.values())))
    return (values.max(0) - values.min(0)) / np.abs(values).max(0)


def main():
    by_mode, sides = rerun(), triangles()
    rows = [["sides", "formula", *hc.MODES, "exact", "spread"]]
    for k in np.linspace(0, COUNT - 1, 5).astype(int):
        for row, name in enumerate(("Heron", "Kahan")):
            results = [f"{float(by_mode[mode][row, k]):.4g}" for mode in hc.MODES]
            text = ", ".join(f"{float(side):.4g}" for side in sides[k])
            rows.append([text, name, *results, f"{float(exact(sides[k])):.4g}",
                         f"{spread(by_mode)[row, k]:.1%}"])  # fmt: skip
    print(on_device.align_columns(rows))
    heron, kahan = spread(by_mode).max(axis=1)
    print(f"Largest spread: Heron's {heron:.1%}, Kahan's {kahan:.1%}.")
    on_device.tell()


if __name__ == "__main__":
    main()
