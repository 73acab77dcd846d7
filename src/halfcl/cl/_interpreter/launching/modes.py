"""The default rounding modes of a launch."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np

import halfcl as hc
from halfcl import _core
from halfcl.cl._interpreter.launching.launch import Grid, Modes
from halfcl.typing import RoundingMode


def launch_region(modes: Modes) -> AbstractContextManager[object]:
    """Enter the launch's own region; only the caller's stochastic rounding of halves is kept."""
    return nullcontext() if modes is None else hc.rounding("rte")


def resolve_modes(kernel: str, rounding: object, sizes: Grid) -> Modes:
    """Return the default mode, or an array of one per work-group; None for stochastic rounding."""
    if rounding is None:
        return None if _core.rounds_at_random() else hc.get_rounding()
    if isinstance(rounding, str):
        return _mode(kernel, rounding)
    try:
        modes = np.array(rounding, object)
    except ValueError:
        modes = np.array(None)
    shape = tuple(reversed(sizes.group_counts))
    if modes.ndim == 0:
        _mode(kernel, rounding)
    if modes.shape != shape and modes.shape != (np.prod(shape, dtype=object),):
        raise ValueError(
            f"{kernel}: argument rounding: expected a mode for each of {shape} work-groups "
            f"(z, y, x), got shape {modes.shape}"
        )
    for mode in modes.flat:
        _mode(kernel, mode)
    return modes.reshape(shape)


def _mode(kernel: str, mode: object) -> RoundingMode:
    expected = f"{kernel}: argument rounding: expected rte, rtz, rtp or rtn, or one for each "
    if not isinstance(mode, str):
        raise TypeError(f"{expected}work-group, got {mode!r}")
    if mode not in _core.MODES:
        raise ValueError(f"{expected}work-group, got {mode!r}")
    return mode
