"""The table: one row for each function that halfcl defines or gives NumPy a half loop for.

Ufuncs, docstrings, tests and benchmarks are all made from it. To add a function,
add its kernel to the engine and its row to one of ``halfcl._tables.rows``.
"""

from __future__ import annotations

from halfcl._tables.row import Builtin
from halfcl._tables.rows.common import COMMON
from halfcl._tables.rows.geometric import GEOMETRIC
from halfcl._tables.rows.math import MATH
from halfcl._tables.rows.normalized import NORMALIZED
from halfcl._tables.rows.numpy_only import NUMPY_ONLY
from halfcl._tables.rows.operators import OPERATORS
from halfcl._tables.rows.relational import RELATIONAL

__all__ = ["ROWS", "TABLE", "Builtin"]

TABLE: tuple[Builtin, ...] = (
    *OPERATORS,
    *MATH,
    *COMMON,
    *GEOMETRIC,
    *RELATIONAL,
    *NORMALIZED,
    *NUMPY_ONLY,
)

#: Rows by name; halfcl's own where NumPy's function of that name is another one.
ROWS = {row.name: row for row in sorted(TABLE, key=lambda row: row.public)}
