"""The sizes of a launch, in the form of clEnqueueNDRangeKernel, its time limit, and its modes."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, SupportsIndex, TypeAlias

import numpy as np

import halfcl as hc
from halfcl import _core
from halfcl.cl._frontend.attributes import (
    EXPECTED_SUB_GROUP,
    SUB_GROUP_SIZE,
    SUB_GROUP_SIZES,
)
from halfcl.cl._interpreter.launching.launch import Grid, Modes
from halfcl.typing import RoundingMode

#: A number, or one per dimension.
Sizes: TypeAlias = SupportsIndex | Iterable[SupportsIndex]

#: The most work-items of a work-group: a block has whole groups and must fit in memory.
GREATEST_GROUP = 1 << 20


#: The most work-items along x in work-groups of unspecified size.
_DEFAULT_GROUP = 256

_LAST_ID = 1 << 63


def make_grid(
    kernel: str,
    required: tuple[int, int, int] | None,
    global_size: Sizes,
    local_size: Sizes | None,
    offset: Sizes | None,
    resolve_sub_group_size: int,
) -> Grid:
    """Return the sizes of a launch. required: the kernel's reqd_work_group_size."""
    sizes = _numbers(kernel, "global_size", global_size, 1)
    dimensions = len(sizes)
    offsets = (0,) * dimensions
    if offset is not None:
        offsets = _sizes_per_dimension(kernel, "offset", offset, 0, dimensions)
    for size, start in zip(sizes, offsets, strict=True):
        if size + start > _LAST_ID:
            raise ValueError(
                f"{kernel}: argument global_size: expected global ids below 2**63, "
                f"got {size + start}"
            )
    if local_size is None:
        groups = (
            _required_group_size(required, dimensions) if required else _default_group_size(sizes)
        )
    else:
        groups = _sizes_per_dimension(kernel, "local_size", local_size, 1, dimensions)
    if required and (*groups, 1, 1)[:3] != required:
        raise ValueError(
            f"{kernel}: argument local_size: expected {required}, as reqd_work_group_size says, "
            f"got {local_size!r}"
        )
    _check_groups(kernel, sizes, groups, local_size)
    return Grid(sizes, groups, offsets, resolve_sub_group_size)


def resolve_sub_group_size(kernel: str, required: int | None, given: object) -> int:
    """Return the size of sub-groups. required: the size that a kernel's attribute sets."""
    if given is None:
        return required or SUB_GROUP_SIZE
    if required not in (None, given):
        raise ValueError(
            f"{kernel}: argument sub_group_size: expected {required}, as the kernel requires, "
            f"got {given!r}"
        )
    try:
        size = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"{kernel}: argument sub_group_size: expected an int, or None, got {given!r}"
        ) from None
    if size not in SUB_GROUP_SIZES:
        raise ValueError(
            f"{kernel}: argument sub_group_size: expected {EXPECTED_SUB_GROUP}, got {given!r}"
        )
    return size


def _numbers(kernel: str, name: str, value: Any, least: int) -> tuple[int, ...]:
    """Return one to three sizes as a tuple."""
    expected = f"{kernel}: argument {name}: expected an int or a tuple of one to three"
    try:
        sizes: tuple[int, ...] = (operator.index(value),)
    except TypeError:
        try:
            sizes = tuple(operator.index(n) for n in value)
        except TypeError:
            kind = type(value).__name__
            got = f"{kind}: sizes come first, {kernel}(global_size, local_size, ...)"
            is_array = isinstance(value, np.ndarray)
            raise TypeError(f"{expected}, got {got if is_array else repr(value)}") from None
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"{expected}, got {len(sizes)}")
    if min(sizes) < least:
        raise ValueError(f"{kernel}: argument {name}: expected {least} or more, got {value!r}")
    return sizes


def _sizes_per_dimension(
    kernel: str, name: str, value: Sizes, least: int, dimensions: int
) -> tuple[int, ...]:
    """Return sizes, as many as the launch has dimensions."""
    sizes = _numbers(kernel, name, value, least)
    if len(sizes) != dimensions:
        raise ValueError(
            f"{kernel}: argument {name}: expected as many numbers as global_size has, "
            f"{dimensions}, got {value!r}"
        )
    return sizes


def _required_group_size(required: tuple[int, int, int], dimensions: int) -> tuple[int, ...]:
    """Return the required group size in so many dimensions; grid() refuses any longer one."""
    return required[:dimensions] if set(required[dimensions:]) <= {1} else required


@functools.lru_cache(256)
def _default_group_size(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the default group size: along x the largest small enough divisor, else 1."""
    along_x = next(n for n in range(_DEFAULT_GROUP, 0, -1) if sizes[0] % n == 0)
    return (along_x, *(1 for _ in sizes[1:]))


def _check_groups(
    kernel: str, sizes: tuple[int, ...], groups: tuple[int, ...], local_size: Sizes | None
) -> None:
    where = f"{kernel}: argument {'local_size' if local_size is not None else 'global_size'}"
    if len(groups) != len(sizes) or any(
        size % group for size, group in zip(sizes, groups, strict=True)
    ):
        raise ValueError(
            f"{where}: expected work-groups that divide the global size {sizes}, got {groups}"
        )
    if math.prod(groups) > GREATEST_GROUP:
        raise ValueError(
            f"{where}: expected work-groups of at most {GREATEST_GROUP} work-items, got {groups}"
        )


def check_timeout(kernel: str, timeout: object) -> None:
    """Check a launch's time limit."""
    expected = f"{kernel}: argument timeout: expected a number greater than 0, or None"
    if timeout is None:
        return
    if not isinstance(timeout, int | float | np.integer | np.floating):
        raise TypeError(f"{expected}, got {timeout!r}")
    if not timeout > 0:
        raise ValueError(f"{expected}, got {timeout!r}")


# ---------------------------------------------------------------- rounding modes


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
