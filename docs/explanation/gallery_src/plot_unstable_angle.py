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
# `stability.rerun` gives each element's spread in ulps, and draws it.

figure, row = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharey=True)
for axes, formula in zip(row, (by_acos, by_atan2), strict=True):
    stability.rerun(formula, x, y).plot(ax=axes)
plt.show()
