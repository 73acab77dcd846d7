"""
Chaos, and how it is rounded
============================

The Mandelbrot set in half, and where another rounding mode gives another count of steps: all
along the border, since each step doubles what rounding did. Inside and far outside it makes no
difference.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc

re = np.linspace(-2.2, 0.8, 300).astype(hc.half)
im = np.linspace(-1.2, 1.2, 240).astype(hc.half)[:, None]


def steps(mode: str, most: int = 40) -> np.ndarray:
    """How many steps each point takes to leave the circle of radius 2."""
    x, y = np.zeros((im.size, re.size), hc.half), np.zeros((im.size, re.size), hc.half)
    count = np.zeros(x.shape, int)
    with hc.rounding(mode), np.errstate(all="ignore"):
        for _ in range(most):
            x, y = x * x - y * y + re, 2 * x * y + im
            count += x * x + y * y < 4
    return count


# %%
counts = {mode: steps(mode) for mode in ("rte", "rtz", "rtn", "rtp")}
differ = np.ptp(np.stack(list(counts.values())), axis=0)

figure, row = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
row[0].imshow(np.sqrt(counts["rte"]), cmap="cividis")
row[0].set_title("steps, to nearest")
row[1].imshow(differ, cmap="inferno", vmax=20)
row[1].set_title(f"how far four modes differ: at {np.mean(differ > 0):.0%} of all points")
for axes in row:
    axes.set_axis_off()
plt.show()
