"""
Rounded at each step, or once
=============================

sinh(x) is (eˣ - e⁻ˣ) / 2. Computed so, with every step rounded correctly, it is off by hundreds
of ulps near zero, where it cancels. As one function, rounded once, it is off by half an ulp at
most: on every half.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc

x = np.arange(0x1400, 0x4800, dtype=np.uint16).view(hc.half)  # from 0.001 to 8
exact = np.sinh(x.astype(float))

by_steps = (hc.exp(x) - hc.exp(-x)) / 2
once = hc.sinh(x)

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
above.semilogx(x.astype(float), hc.ulp_error(by_steps, exact), ",")
above.set(title="(exp(x) - exp(-x)) / 2: error in ulp", yscale="symlog")
below.semilogx(x.astype(float), hc.ulp_error(once, exact), ",")
below.set(title="hc.sinh(x): error in ulp", xlabel="x", ylim=(-1, 1))
for axes in (above, below):
    axes.grid(alpha=0.3)
plt.show()

# %%
# In numbers:

for name, result in {"by steps": by_steps, "once": once}.items():
    print(f"{name:9} {np.abs(hc.ulp_error(result, exact)).max():8.2f} ulp at most")
