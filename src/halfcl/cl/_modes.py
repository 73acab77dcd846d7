"""The rounding modes that a launch begins with."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np

import halfcl as hc
from halfcl import _core
from halfcl.cl._launching import Grid, Modes
from halfcl.typing import RoundingMode


def own_region(modes: Modes) -> AbstractContextManager[object]:
    """The launch's: of the caller's nothing is left, but coins where halves round at random."""
    return nullcontext() if modes is None else hc.rounding("rte")


def modes_of(kernel: str, rounding: object, sizes: Grid) -> Modes:
    """The default mode, or an array of one for each work-group; None is at random."""
    if rounding is None:
        return None if _core.rounds_at_random() else hc.get_rounding()
    if isinstance(rounding, str):
        return _mode(kernel, rounding)
    try:
        found = np.array(rounding, object)
    except ValueError:
        found = np.array(None)
    shape = tuple(reversed(sizes.group_counts))
    if found.ndim == 0:
        _mode(kernel, rounding)
    if found.shape != shape and found.shape != (np.prod(shape, dtype=object),):
        raise ValueError(
            f"{kernel}: argument rounding: expected a mode for each of {shape} work-groups "
            f"(z, y, x), got shape {found.shape}"
        )
    for mode in found.flat:
        _mode(kernel, mode)
    return found.reshape(shape)


def _mode(kernel: str, mode: object) -> RoundingMode:
    expected = f"{kernel}: argument rounding: expected rte, rtz, rtp or rtn, or one for each "
    if not isinstance(mode, str):
        raise TypeError(f"{expected}work-group, got {mode!r}")
    if mode not in _core.MODES:
        raise ValueError(f"{expected}work-group, got {mode!r}")
    return mode
