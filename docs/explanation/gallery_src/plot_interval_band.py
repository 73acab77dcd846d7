"""
Where the exact value is
========================

Intervals hold the exact result, whatever is rounded on the way. (x - 1)⁶, multiplied out, is
noise near 1 in half; its enclosure says how wide the noise may be, and the product form's
enclosure is a thin line inside.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc
from halfcl.interval import Interval, plot_band


def expanded(x):
    """By Horner's rule: its terms cancel."""
    value = x - 6
    for coefficient in (15, -20, 15, -6, 1):
        value = value * x + coefficient
    return value


def product(x):
    square = (x - 1) * (x - 1)
    return square * square * square


# %%
# The same code runs on halves and on intervals; `plot_band` draws the latter.

x = hc.half(np.linspace(0.8, 1.2, 400))
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot_band(x, expanded(Interval(x)), ax=axes, label="enclosure, expanded", alpha=0.3)
axes.plot(x.astype(float), expanded(x).astype(float), ".", ms=3, label="halves, expanded")
plot_band(x, product(Interval(x)), ax=axes, color="C3", label="enclosure of (x - 1)⁶")
axes.set(title="(x - 1)⁶ near 1", xlabel="x")
axes.legend(frameon=False)
plt.show()
