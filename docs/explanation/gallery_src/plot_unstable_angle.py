"""
Which pixels to trust
=====================

The angle of each pixel's direction against a fixed one, by two formulas, in the four rounding
modes. How far the four drift apart is what rounding decides: a map of what not to trust.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc
from halfcl import stability

side = np.linspace(-0.2, 0.2, 160)
x, y = (hc.half(plane) for plane in np.meshgrid(1 + side, side))


def by_acos(x, y):
    return np.arccos(np.minimum(x / np.sqrt(x * x + y * y), 1))


def by_atan2(x, y):
    return np.abs(np.arctan2(y, x))


# %%
# `stability.rerun` gives each element's spread in ulps.

figure, row = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
for axes, formula in zip(row, (by_acos, by_atan2), strict=True):
    spread = stability.rerun(formula, x, y).spread
    picture = axes.imshow(np.log2(1 + np.minimum(spread, 2**15)), cmap="magma", vmin=0, vmax=15,
                          extent=(0.8, 1.2, -0.2, 0.2), origin="lower")  # fmt: skip
    axes.set_title(f"{formula.__name__}: {np.mean(spread > 32):.0%} unstable")
figure.colorbar(picture, ax=row, label="spread, log2 of ulps")
plt.show()
