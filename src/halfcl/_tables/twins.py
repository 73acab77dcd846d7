"""Hints for names that halfcl lacks: NumPy's, shading languages', misspelt ones."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable

import numpy as np

from halfcl._core import MODES
from halfcl._tables import TABLE, Builtin


@functools.cache
def _rows() -> dict[str, Builtin]:
    """Return rows by the name of NumPy's ufunc; public rows replace others."""
    rows = sorted(TABLE, key=lambda row: row.public)
    return {name: row for row in rows for name in row.numpy}


#: Names of shading languages, and of what halfcl has under no name of its own.
_OTHERS: dict[str, str] = {
    "lerp": "mix(a, b, t) interpolates",
    "frac": "fract(x)[0] is the fractional part",
    "rcp": "divide(1, x), correctly rounded, or native_recip(x)",
    "rsq": "rsqrt(x) is the reciprocal square root",
    "inversesqrt": "rsqrt(x) is the reciprocal square root",
    "saturate": "clamp(x, 0, 1)",
    "ulps": "ulp_error(x, exact) or ulps_between(x, y)",
    **{mode: f'modes are strings: rounding="{mode}"' for mode in MODES},
}

#: NumPy's functions that make arrays: without a dtype, not of halves.
_MAKERS = frozenset({
    "arange", "array", "asarray", "empty", "eye", "frombuffer", "fromiter", "full", "geomspace",
    "identity", "linspace", "logspace", "ones", "zeros",
})  # fmt: skip

#: How alike two names are for one to be taken for the other misspelt: 1 if they are equal.
_ALIKE = 0.8


def suggest_name(name: str, list_names: Callable[[], Iterable[str]]) -> str:
    """Return a hint for a name that halfcl lacks, as the end of a sentence, or "".

    list_names: returns the names that halfcl has. Python's own protocols get no hint, quickly.
    """
    if name.startswith("_"):
        return ""
    if name in _OTHERS:
        return f": {_OTHERS[name]}"
    return _suggest_numpys(name) or _suggest_spelling(name, list_names())


def _suggest_numpys(name: str) -> str:
    """Return a hint for a name that NumPy has."""
    if name in _MAKERS:
        return f": numpy.{name} with dtype=halfcl.half"
    function = vars(np).get(name)
    own = getattr(function, "__name__", "")  # numpy.abs is numpy.absolute
    row = _rows().get(own)
    if row is None:
        is_other = callable(function) and not isinstance(function, type | np.ufunc)
        return f": NumPy has it, numpy.{name}" if is_other else ""
    if not row.public:
        return f": numpy.{name} takes halves"
    whose = "NumPy's other" if row.name == own else "OpenCL's"
    return f": {whose} name is {row.name}; numpy.{name} takes halves, too"


def _suggest_spelling(name: str, own_names: Iterable[str]) -> str:
    """Return a hint for a misspelt name."""
    by_spelling = {own.lower(): own for own in own_names}
    alike = difflib.get_close_matches(name.lower(), by_spelling, 1, _ALIKE)
    return f"; did you mean {by_spelling[alike[0]]}?" if alike else ""
