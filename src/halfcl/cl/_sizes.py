"""The limits of a launch: its sizes, as clEnqueueNDRangeKernel takes them, and its time."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from typing import Any, SupportsIndex, TypeAlias

import numpy as np

from halfcl.cl._launching import Grid

#: A number, or one for each dimension.
Sizes: TypeAlias = SupportsIndex | Iterable[SupportsIndex]

#: Work-items of a work-group at most: a block has whole groups, and is to fit in memory.
GREATEST_GROUP = 1 << 20

#: Work-items of a sub-group: a ballot has a bit for each.
SUB_GROUP_SIZES = tuple(1 << k for k in range(8))
EXPECTED_SUB_GROUP = f"a power of two up to {SUB_GROUP_SIZES[-1]}"

#: Of those that nobody says.
_SUB_GROUP = 32

#: What stands in parentheses; and what says the size of sub-groups of a kernel.
PARENTHESES = r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*"
SUB_GROUP_ATTRIBUTE = re.compile(
    rf"(?:__)?(?:intel|qcom)_reqd_sub_group_size(?:__)?\s*\(({PARENTHESES})\)"
)

#: Work-items along x of the work-groups that are chosen where nobody says their size.
_CHOSEN_GROUP = 256

_LAST_ID = 1 << 63


def grid(
    kernel: str,
    required: tuple[int, int, int] | None,
    global_size: Sizes,
    local_size: Sizes | None,
    offset: Sizes | None,
    sub_group: int,
) -> Grid:
    """Of what a launch is told; required: the kernel's reqd_work_group_size."""
    sizes = _numbers(kernel, "global_size", global_size, 1)
    dimensions = len(sizes)
    offsets = (0,) * dimensions
    if offset is not None:
        offsets = _of_dimensions(kernel, "offset", offset, 0, dimensions)
    for size, start in zip(sizes, offsets, strict=True):
        if size + start > _LAST_ID:
            raise ValueError(f"{kernel}: argument global_size: ids beyond 2**63")
    if local_size is None:
        groups = _required(required, dimensions) if required else _chosen(sizes)
    else:
        groups = _of_dimensions(kernel, "local_size", local_size, 1, dimensions)
    if required and (*groups, 1, 1)[:3] != required:
        raise ValueError(
            f"{kernel}: argument local_size: expected {required}, as reqd_work_group_size says, "
            f"got {local_size!r}"
        )
    _check_groups(kernel, sizes, groups, local_size)
    return Grid(sizes, groups, offsets, sub_group)


def sub_group(kernel: str, required: int | None, given: object) -> int:
    """The size of sub-groups; required: what an attribute of the kernel says."""
    if given is None:
        return required or _SUB_GROUP
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
    """One number, or one to three."""
    expected = f"{kernel}: argument {name}: expected an int or a tuple of one to three"
    try:
        found: tuple[int, ...] = (operator.index(value),)
    except TypeError:
        try:
            found = tuple(operator.index(n) for n in value)
        except TypeError:
            raise TypeError(f"{expected}, got {value!r}") from None
    if not 1 <= len(found) <= 3:
        raise ValueError(f"{expected}, got {len(found)}")
    if min(found) < least:
        raise ValueError(f"{kernel}: argument {name}: expected {least} or more, got {value!r}")
    return found


def _of_dimensions(
    kernel: str, name: str, value: Sizes, least: int, dimensions: int
) -> tuple[int, ...]:
    found = _numbers(kernel, name, value, least)
    if len(found) != dimensions:
        raise ValueError(
            f"{kernel}: argument {name}: expected as many numbers as global_size has, "
            f"{dimensions}, got {value!r}"
        )
    return found


def _required(required: tuple[int, int, int], dimensions: int) -> tuple[int, ...]:
    """In so many dimensions; more numbers where it has more, which are then refused."""
    return required[:dimensions] if set(required[dimensions:]) <= {1} else required


def _chosen(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The largest divisor along x that is not too large, and 1 along the others."""
    along_x = next(n for n in range(_CHOSEN_GROUP, 0, -1) if sizes[0] % n == 0)
    return (along_x, *(1 for _ in sizes[1:]))


def _check_groups(
    kernel: str, sizes: tuple[int, ...], groups: tuple[int, ...], local_size: Sizes | None
) -> None:
    where = f"{kernel}: argument {'local_size' if local_size is not None else 'global_size'}"
    if len(groups) != len(sizes) or any(
        size % group for size, group in zip(sizes, groups, strict=True)
    ):
        raise ValueError(f"{where}: work-groups of {groups} do not divide the global size {sizes}")
    if math.prod(groups) > GREATEST_GROUP:
        raise ValueError(
            f"{where}: expected work-groups of at most {GREATEST_GROUP} work-items, got {groups}"
        )


def check_seconds(kernel: str, seconds: object) -> None:
    """Of a launch's time limit."""
    expected = f"{kernel}: argument seconds: expected a number greater than 0, or None"
    if seconds is None:
        return
    if not isinstance(seconds, int | float | np.integer | np.floating):
        raise TypeError(f"{expected}, got {seconds!r}")
    if not seconds > 0:
        raise ValueError(f"{expected}, got {seconds!r}")
