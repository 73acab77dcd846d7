"""NumPy's names for what the table has under OpenCL's."""

from __future__ import annotations

import functools

import numpy as np

from halfcl._tables import TABLE, Builtin


@functools.cache
def _rows() -> dict[str, Builtin]:
    """By the name of NumPy's ufunc; a row that is a function of halfcl's before another."""
    rows = sorted(TABLE, key=lambda row: row.public)
    return {name: row for row in rows for name in row.numpy}


def instead_of(name: str) -> str:
    """What serves in place of a name that is NumPy's alone, as the end of a sentence or nothing.

    Examples
    --------
    >>> from halfcl._tables.twins import instead_of
    >>> instead_of("arctan")
    ": OpenCL's name is atan; numpy.arctan takes halves, too"
    >>> instead_of("maximum"), instead_of("sin1")
    (': numpy.maximum takes halves', '')
    """
    own = getattr(vars(np).get(name), "__name__", "")  # of abs it is absolute
    row = _rows().get(own)
    if row is None:
        return ""
    if not row.public:
        return f": numpy.{name} takes halves"
    whose = "NumPy's other" if row.name == own else "OpenCL's"
    return f": {whose} name is {row.name}; numpy.{name} takes halves, too"
