"""
Four ways to round
==================

The exact square root is a smooth curve; halves make a staircase of it. Four modes, four
staircases: to nearest goes through the curve, down stays below, up above, and toward zero is
down here.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc
from halfcl import plots

x = hc.half(np.arange(1, 1 + 24 * 2**-10, 2**-10))
exact = np.sqrt(np.linspace(1, float(x[-1]), 500))

figure, stairs = plt.subplots(figsize=(8, 4), layout="constrained")
stairs.plot(np.linspace(1, float(x[-1]), 500), exact, color="0.5", lw=1, label="exact")
for mode, style in {"rte": "C0o", "rtn": "C1v", "rtp": "C2^"}.items():
    stairs.plot(x.astype(float), hc.sqrt(x, rounding=mode).astype(float), style, ms=5, label=mode)
stairs.set(title="sqrt of the halves beside 1", xlabel="x")
stairs.legend(frameon=False)
plt.show()

# %%
# The same as distances from the exact result, in ulps:

plots.modes(hc.sqrt, x)
plt.show()

# %%
# The gap between down and up is one ulp wherever the result is not exact. Of the 65,536 halves,
# that many have an exact root:

every = np.arange(65536, dtype=np.uint16).view(hc.half)
every = every[every >= 0]
same = hc.sqrt(every, rounding="rtn") == hc.sqrt(every, rounding="rtp")
print(int(same.sum()), "of", every.size)
