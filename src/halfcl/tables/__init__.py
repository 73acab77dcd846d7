"""The table: one row for each function that halfcl defines or gives NumPy a half loop for.

Ufuncs, docstrings, tests and benchmarks are all made from it. To add a function,
add its kernel to the engine and its row to one of ``halfcl.tables``.
"""

from __future__ import annotations

from halfcl.tables.common import COMMON
from halfcl.tables.geometric import GEOMETRIC
from halfcl.tables.math import MATH
from halfcl.tables.normalized import NORMALIZED
from halfcl.tables.numpy_only import NUMPY_ONLY
from halfcl.tables.operators import OPERATORS
from halfcl.tables.relational import RELATIONAL
from halfcl.tables.row import Builtin

__all__ = ["TABLE", "Builtin"]

TABLE: tuple[Builtin, ...] = (
    *OPERATORS,
    *MATH,
    *COMMON,
    *GEOMETRIC,
    *RELATIONAL,
    *NORMALIZED,
    *NUMPY_ONLY,
)
