"""The built-in functions of OpenCL C as a table, which the interpreter and translations share.

`table` has the rows; `row` says what a row holds. The table knows a function of the interpreter by
name only.
"""

from __future__ import annotations

from halfcl.cl._frontend.builtins.row import Builtin, Family, Overload
from halfcl.cl._frontend.builtins.table import TABLE

__all__ = ["TABLE", "Builtin", "Family", "Overload", "find"]


def find(name: str) -> Builtin | None:
    """Return the row of a built-in function, or None."""
    return TABLE.get(name)
