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
from halfcl import plots

# %%
# All positive halves are the numbers whose bits go from 1 to 0x7bff.

x = np.arange(1, 0x7C00, dtype=np.uint16).view(hc.half)
print(x.size, "positive halves, from", float(x[0]), "to", float(x[-1]))

# %%
# `hc.ulp` is the step to the next one. Relatively, it is between 2⁻¹¹ and 2⁻¹⁰ of the number,
# except of subnormal numbers. bfloat16, with the same number of bits, has a wider range and an
# eighth of the precision.

figure, (steps, relative) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
plots.spacing(ax=steps)
plots.spacing(relative=True, ax=relative)
plt.show()
