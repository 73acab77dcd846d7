"""Calls that show whether halfcl computes a function of NumPy's on float16, by name.

For functions that round, the result in a region shows it. The others return NumPy's results to the
last bit; halfcl counts their calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from halfcl import _core
from halfcl._numpy.compat import holds_outside_regions, is_taken

#: Numbers whose sums, products and means are not halves.
_LINE = np.resize(np.array([1 + 2**-10, 1, 0.75 + 2**-11], np.float16), 96)
_ROWS = _LINE.reshape(12, 8)
_LONG = np.resize(_LINE, 1 << 15)


def _add_at() -> object:
    target = _LINE.copy()
    np.add.at(target, [0, 1, 1, 0], _LINE[:4])
    return target


#: Functions that round, and their calls.
_ROUNDING: dict[str, Callable[[], Any]] = {
    "convolve": lambda: np.convolve(_LINE, _LINE[:5]),
    "correlate": lambda: np.correlate(_LINE, _LINE[:5]),
    "cumprod": lambda: np.cumprod(_LINE),
    "cumsum": lambda: np.cumsum(_LINE),
    "dot": lambda: np.dot(_ROWS, _ROWS.T),
    "einsum": lambda: np.einsum("ij,kj->ik", _ROWS, _ROWS),
    "inner": lambda: np.inner(_ROWS, _ROWS),
    "linalg.norm": lambda: np.linalg.norm(_LINE),
    "mean": lambda: np.mean(_LINE),
    "nanmean": lambda: np.nanmean(_LINE),
    "nanstd": lambda: np.nanstd(_LINE),
    "nanvar": lambda: np.nanvar(_LINE),
    "ndarray.dot": lambda: _ROWS.dot(_ROWS.T),
    "prod": lambda: np.prod(_LINE),
    "std": lambda: np.std(_LINE),
    "sum": lambda: np.sum(_LINE),
    "tensordot": lambda: np.tensordot(_ROWS, _ROWS, 2),
    "ufunc.accumulate": lambda: np.add.accumulate(_ROWS, axis=0),
    "ufunc.at": _add_at,
    "ufunc.reduce": lambda: np.add.reduce(_ROWS, axis=0),
    "ufunc.reduceat": lambda: np.add.reduceat(_LINE, [0, 50]),
    "var": lambda: np.var(_LINE),
    "vdot": lambda: np.vdot(_LINE, _LINE),
}

#: Functions that do not round, and their calls.
_EXACT: dict[str, Callable[[], Any]] = {
    "arange": lambda: np.arange(1 << 10, dtype=np.float16),
    "argmax": lambda: np.argmax(_ROWS, axis=0),
    "argmin": lambda: np.argmin(_ROWS, axis=0),
    "argpartition": lambda: np.argpartition(_LONG, 1),
    "argsort": lambda: np.argsort(_LINE),
    "count_nonzero": lambda: np.count_nonzero(_LONG),
    "max": lambda: np.max(_ROWS, axis=1),
    "min": lambda: np.min(_ROWS, axis=1),
    "ndarray.astype": lambda: np.full(4096, 0.1).astype(np.float16),
    "nonzero": lambda: np.nonzero(_LONG),
    "partition": lambda: np.partition(_LONG, 1),
    "round": lambda: np.round(_LINE, 1),
    "around": lambda: np.around(_LINE, 1),
    "searchsorted": lambda: np.searchsorted(np.sort(_LONG), _LONG),
    "sort": lambda: np.sort(_LINE),
    "where": lambda: np.where(_LINE > 1, _LINE, _LINE),
}


def _depends_on_mode(call: Callable[[], object]) -> bool:
    results = []
    for mode in ("rtp", "rtn"):
        with _core.Region(mode):
            results.append(np.asarray(call()).tobytes())
    return results[0] != results[1]


def _is_in_effect(name: str) -> bool:
    if name in _ROUNDING:
        return holds_outside_regions(lambda: _depends_on_mode(_ROUNDING[name]))
    return holds_outside_regions(lambda: is_taken(_EXACT[name]))


def ineffective_functions(names: Iterable[str]) -> frozenset[str]:
    """Return the functions among these that NumPy computes itself although it is accelerated."""
    return frozenset(name for name in names if not _is_in_effect(name))
