"""
How wrong is a library?
=======================

A half has 65,536 values, so a function of one argument can be checked for all of them. The audit
runs a library's functions on each and compares with results that are correctly rounded.
"""

from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np

from halfcl import audit, plots

# %%
# A library
# ---------
# PyTorch where it is installed, or else NumPy's float16. *wrong* counts results that differ in any
# bit; *max ulp* is at most 0.5 if each is the nearest half.

library = "torch" if find_spec("torch") else "numpy"
functions = ["exp", "log", "sin", "tanh", "sqrt"]
audit.run(library, functions)

# %%
# Your own function
# -----------------
# A fast exponential, as it is often written for games: 1 + x / 256, squared eight times. It is
# audited as "exp".


def fast_exp(x):
    value = 1 + np.clip(x.astype(np.float32), -20, 12) / 256
    for _ in range(8):
        value = value * value
    return value.astype(np.float16)


audit.run(fast_exp, "exp")

# %%
# Where it is wrong
# -----------------
# `plots.errors` draws the error of every half. Half an ulp, the dashed line, is what correct
# rounding leaves.

plots.errors("exp", [fast_exp, library])
plt.show()
