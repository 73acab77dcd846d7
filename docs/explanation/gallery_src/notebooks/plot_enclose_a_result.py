"""
Enclose a result
================

An interval holds the exact result, whatever is rounded on the way. Here a
formula is enclosed for one number and for many, and its range is found, all with proof.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc
from halfcl import interval, plots
from halfcl.interval import Interval, plot_band

# %%
# The formula stays as it is
# --------------------------
# Arguments become intervals; the text "0.1" is enclosed, since 0.1 is not a half.


def energy(mass, speed):
    return mass * speed * speed / 2


energy(Interval("0.1"), Interval(3))

# %%
# Many at once
# ------------
# Intervals come in arrays, and NumPy's functions take them. An interval's width
# says how much the rounding can have cost.

x = Interval(hc.half(np.linspace(0.5, 2, 6)))
np.sqrt(x * x + 1) - x

# %%
# An expanded polynomial is noise near its root. Its enclosure says how large the noise may be.


def expanded(x):
    value = x - 6
    for coefficient in (15, -20, 15, -6, 1):
        value = value * x + coefficient
    return value


points = hc.half(np.linspace(0.85, 1.15, 300))
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot_band(points, expanded(Interval(points)), ax=axes, label="enclosure", alpha=0.3)
axes.plot(points.astype(float), expanded(points).astype(float), ".", ms=3, label="halves")
axes.set(title="(x - 1)⁶, multiplied out", xlabel="x")
axes.legend(frameon=False)
plt.show()

# %%
# The range of a formula
# ----------------------
# Interval arithmetic takes each occurrence of x as another number, so a formula's enclosure is
# often wider than its range. Cut into parts, the enclosures come close to it; `range_of` cuts
# where it has to.


def cubic(x):
    return (x * x - 2) * x + 0.5


print(cubic(Interval(-1, 1.5)))
print(interval.range_of(cubic, Interval(-1, 1.5)))
plots.boxes(cubic, Interval(-1, 1.5), count=24)
plt.show()
