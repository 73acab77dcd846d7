"""
Rounded at each step, or once
=============================

sinh(x) is (eˣ - e⁻ˣ) / 2. Computed so, with every step rounded correctly, it is off by up to two
thousand ulps near zero, where it cancels. As one function, rounded once, it is off by half an ulp
at most: on every half.
"""

import matplotlib.pyplot as plt

import halfcl as hc
from halfcl import plots


def by_steps(x):
    return (hc.exp(x) - hc.exp(-x)) / 2


# %%
# Each half is a point. Those outside the dashed lines are wrong.

plots.errors("sinh", ["halfcl", by_steps])
plt.show()
