"""
A sum that stops growing
========================

Add 0.1 again and again. In half, the sum stops at 256, where 0.1 is less than half an ulp.
Rounded toward zero it stops earlier; up, it runs away. Exact sums, rounded once, are right to
the last bit.
"""

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc

n = 10_000
terms = np.full(n, 0.1, dtype=hc.half)


def running(mode: str) -> np.ndarray:
    """Step by step, as a loop in half has it."""
    total, sums = hc.half(0), np.empty(n)
    with hc.rounding(mode):
        for i, term in enumerate(terms):
            total = total + term
            sums[i] = float(total)
    return sums


# %%
# `hc.cumsum` keeps every sum exact, and rounds each once.

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for mode in ("rtn", "rte", "rtp"):
    axes.plot(running(mode), label=f"a loop, {mode}")
axes.plot(hc.cumsum(terms).astype(float), "k--", lw=1.2, label="hc.cumsum")
axes.set(title="0.1 + 0.1 + ...", xlabel="terms", ylim=(0, 2200))
axes.legend(frameon=False)
axes.grid(alpha=0.3)
plt.show()
