"""
Where halves lie
================

Halves are dense around zero, and lie 32 apart at their end: the distance from one to the next,
the unit in the last place, doubles with every power of two. Below 2⁻¹⁴ it stays at 2⁻²⁴: those
are the subnormal numbers.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc

# %%
# All positive halves are the numbers whose bits go from 1 to 0x7bff.

x = np.arange(1, 0x7C00, dtype=np.uint16).view(hc.half)
print(x.size, "positive halves, from", float(x[0]), "to", float(x[-1]))

# %%
# `hc.ulp` is the step to the next one. Relatively, it is between 2⁻¹¹ and 2⁻¹⁰ of the number,
# except of subnormal numbers.

figure, (steps, relative) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
steps.loglog(x.astype(float), hc.ulp(x).astype(float), base=2)
steps.set(title="distance to the next half", xlabel="x")
relative.semilogx(x.astype(float), hc.ulp(x).astype(float) / x.astype(float), base=2)
relative.set(title="the same, relatively", xlabel="x", ylim=(0, 2**-9))
for axes in (steps, relative):
    axes.axvline(float(hc.HALF_MIN), color="gray", lw=0.8, ls="--")
    axes.grid(alpha=0.3)
plt.show()
