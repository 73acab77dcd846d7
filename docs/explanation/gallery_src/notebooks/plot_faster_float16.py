"""
Faster float16, in one line
===========================

NumPy computes float16 one element at a time. `hc.accelerate()` replaces its loops, and your code
stays as it is. This notebook times a program before and after, and checks what it computes.
"""

from timeit import repeat

import matplotlib.pyplot as plt
import numpy as np

import halfcl as hc

# %%
# A program
# ---------
# An embedding store is usually float16, since it must fit in memory. We look for the rows that are
# nearest to a query, by the cosine of the angle.

generator = np.random.default_rng(0)
store = generator.standard_normal((4096, 128)).astype(np.float16)
query = store[7] + generator.standard_normal(128).astype(np.float16) / 4


def nearest(store, query):
    lengths = np.sqrt(np.sum(store * store, axis=1))
    cosines = store @ query / (lengths * np.sqrt(np.sum(query * query)))
    return np.argsort(cosines)[::-1][:5], cosines


# %%
# Before and after
# ----------------
# The same function runs on float32, on float16, and on float16 with NumPy's loops replaced. Each
# time is the best of several.


def best_time(*arrays):
    return min(repeat(lambda: nearest(*arrays), number=1, repeat=7))


seconds = {
    "float32": best_time(store.astype(np.float32), query.astype(np.float32)),
    "float16, NumPy": best_time(store, query),
}
with hc.accelerated():
    seconds["float16, accelerated"] = best_time(store, query)

figure, axes = plt.subplots(figsize=(7, 2.4), layout="constrained")
bars = axes.barh(list(seconds), [1000 * value for value in seconds.values()], color="C0")
axes.bar_label(bars, fmt=" %.2f ms")
axes.margins(x=0.15)
axes.set(xlabel="milliseconds", title="The five nearest of 4,096 rows")
plt.show()

# %%
# What changes in the results
# ---------------------------
# Functions of elements give the bits that NumPy gives, or better ones. Sums differ more, since
# halfcl rounds a sum once: NumPy rounds the sums of columns at each row.

exact = store.astype(float).sum(axis=0)
plain = store.sum(axis=0)
with hc.accelerated():
    accelerated = store.sum(axis=0)
for name, sums in (("NumPy", plain), ("accelerated", accelerated)):
    ulps = hc.ulp_error(sums, exact)
    print(f"{name:12} sums of columns off by at most {np.abs(ulps).max():.1f} ulp")

# %%
# `hc.accelerate()` does the same for the rest of the process, and `hc.decelerate()` undoes it.
# `halfcl run script.py` runs a script so without changing a line.
