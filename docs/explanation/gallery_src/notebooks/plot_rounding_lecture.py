"""
Rounding, for a lecture
=======================

Half precision is small enough to see everything: 65,536 numbers, ten bits of a fraction. This
notebook shows what a number is, where rounding starts to hurt, and how to find out.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc
from halfcl import plots, stability

# %%
# One number
# ----------
# 0.1 is not a half. The nearest half is off by 0.4 of a unit in the last place (ulp).

hc.show(0.1)

# %%
# Four directions
# ---------------
# IEEE 754 has four ways to choose one of the two neighbours: to nearest (rte), toward zero (rtz),
# up (rtp) and down (rtn). halfcl takes them by call or by region.

for mode in ("rte", "rtz", "rtp", "rtn"):
    with hc.rounding(mode):
        print(mode, float(hc.half(1) / 3), float(hc.half(-1) / 3))

plots.number_line("1/3")
plt.show()

# %%
# How dense the halves are
# ------------------------
# From one power of two to the next there are 1,024 halves. So the distance from a half to the next
# doubles there, and the relative distance never exceeds 2**-10, until numbers are subnormal.

plots.spacing()
plt.show()

# %%
# Absorption
# ----------
# Ten thousand summands of 0.1, one by one. To nearest, the sum stops at 256, where 0.1 is less than
# half an ulp; toward zero at 128, where 0.1 is less than an ulp. Rounded up, it runs away. Rounded
# at random (stochastic rounding), it is right on average.

summand = hc.half(0.1)
rng = np.random.default_rng(1)


def add(total, mode):
    if mode != "random":
        return hc.add(total, summand, rounding=mode)
    low, high = (hc.add(total, summand, rounding=mode) for mode in ("rtn", "rtp"))
    below, gap = float(total) + float(summand) - float(low), float(high) - float(low)
    return high if rng.random() * gap < below else low


figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for mode in ("rte", "rtz", "rtp", "random"):
    sums = [hc.half(0)]
    for _ in range(10_000):
        sums.append(add(sums[-1], mode))
    axes.plot([float(x) for x in sums], label=mode)
    print(mode, float(sums[-1]))
axes.plot([0, 10_000], [0, 10_000 * float(summand)], "k:", label="exact")
axes.set(xlabel="summands", ylabel="sum", ylim=(0, 2200), title="Sums that round at each step")
axes.legend()
plt.show()

# %%
# halfcl's sums do not absorb: `hc.sum`, `np.sum` and `np.cumsum` of halves compute the exact sum,
# and round it once.

hc.sum(np.full(10_000, summand))

# %%
# Cancellation
# ------------
# The smaller root of x² - b x + c, as it is taught at school, subtracts two numbers that are nearly
# equal. Kahan's test reruns the program in each mode: where rounding decides, results drift apart.


def small_root(b, c):
    return (b - np.sqrt(b * b - 4 * c)) / 2


b = hc.half([2.3, 5.1, 10.3, 20.7])
stability.rerun(small_root, b, hc.half(0.3))

# %%
# And the step to blame, with how far it moves the result:

stability.blame(small_root, b, hc.half(0.3))

# %%
# The cure is another formula, whose terms do not cancel.


def cured(b, c):
    return 2 * c / (b + np.sqrt(b * b - 4 * c))


stability.compare([small_root, cured], b, hc.half(0.3), samples=10, rng=1)
