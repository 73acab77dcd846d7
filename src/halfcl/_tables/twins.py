"""NumPy's names of functions that the table has under OpenCL's names."""

from __future__ import annotations

import functools

import numpy as np

from halfcl._tables import TABLE, Builtin


@functools.cache
def _rows() -> dict[str, Builtin]:
    """Return rows by the name of NumPy's ufunc; public rows replace others."""
    rows = sorted(TABLE, key=lambda row: row.public)
    return {name: row for row in rows for name in row.numpy}


def suggest_name(name: str) -> str:
    """Return a hint for a name that only NumPy has, as the end of a sentence, or ""."""
    own = getattr(vars(np).get(name), "__name__", "")  # numpy.abs is numpy.absolute
    row = _rows().get(own)
    if row is None:
        return ""
    if not row.public:
        return f": numpy.{name} takes halves"
    whose = "NumPy's other" if row.name == own else "OpenCL's"
    return f": {whose} name is {row.name}; numpy.{name} takes halves, too"
