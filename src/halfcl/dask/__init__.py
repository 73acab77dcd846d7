"""halfcl's functions for Dask arrays: lazy, block by block; reductions are exact.

There is nothing to import: ``hc.exp(x)`` and all other functions take Dask arrays, and a rounding
region applies to all arrays that are made in it.

>>> import dask.array, numpy as np, halfcl as hc, halfcl.dask
>>> x = dask.array.ones((4, 6), chunks=(2, 3), dtype=hc.half)
>>> with hc.rounding("rtp"):
...     third = x / 3
>>> third[0, 0].compute()
half(0.3335)
"""

from halfcl._numpy.compat import enter_packages_of_dask
from halfcl._support.extras import require
from halfcl._support.names import publish

require("dask.array", "dask", "dask", "to compute with Dask arrays")

from halfcl.dask import _ufuncs  # noqa: E402
from halfcl.dask._functions import ARRAY, call, vectors  # noqa: E402
from halfcl.dask._products import matmul  # noqa: E402
from halfcl.dask._reductions import cumsum, reduce  # noqa: E402
from halfcl.dask._regions import compute_outside, prepare_region  # noqa: E402
from halfcl.dask._ufuncs import call_method, call_ufunc  # noqa: E402

__all__ = [
    "ARRAY", "call", "call_method", "call_ufunc", "cumsum", "matmul", "prepare_region", "reduce",
    "vectors",
]  # fmt: skip

publish(globals())

enter_packages_of_dask()
compute_outside()
prepare_region()
_ufuncs.register()
