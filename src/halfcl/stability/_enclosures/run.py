"""Enclosures of the exact results of a formula, by running it on intervals."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple, NoReturn

import numpy as np

import halfcl.interval
from halfcl._core import Experiment
from halfcl.interval import Interval
from halfcl.interval._arrays import registry
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import Truths
from halfcl.interval._functions.comparisons import compare
from halfcl.interval._functions.elementwise import integers_of
from halfcl.stability._enclosures.undecided import (
    Undecided,
    UndecidedComparison,
    Unproven,
    plain_if_decided,
)
from halfcl.stability._runs import Task, is_half
from halfcl.stability._sites import Finder, Site, describe, find_site, site_of_error

_INTERVALS = os.path.dirname(halfcl.interval.__file__) + os.sep


# ---------------------------------------------------------------- intervals as numbers


class _Undecided:
    """Counts undecided comparisons: for each site how many elements, out of how many."""

    def __init__(self) -> None:
        self.counts: dict[Site, list[int]] = {}
        self._find = Finder(RUNNER)

    def compare(self, name: str, x: object, y: object) -> Truths | Undecided:
        """Compare intervals: true or false if all their numbers agree, else undecided.

        Empty intervals compare like NaN.
        """
        truths = plain_if_decided(compare(name, x, y))
        if isinstance(truths, Undecided):
            counts = self.counts.setdefault(self._find(sys._getframe(1)), [0, 0])
            counts[0] += int(np.count_nonzero(truths.is_undecided))
            counts[1] += truths.size
        return truths


def _power(x: object, y: object) -> object:
    """Return powers; refuse negative bases unless the exponent is an integer.

    IEEE 1788's `pow` has no negative bases in its domain, but halfcl's has.
    """
    is_integer = not isinstance(y, Interval) and integers_of(y) is not None
    if not is_integer and np.any(np.less(as_bounds(x)[0], 0)):
        raise Unproven("a power whose base may be negative and whose exponent is not an int")
    return registry.UFUNCS["power"](x, y)


def _refuse_array_comparison(*args: object, **keywords: object) -> NoReturn:
    raise Unproven("a comparison of arrays")


def _replacements(
    undecided: _Undecided,
) -> Mapping[str | Callable[..., object], Callable[..., object]]:
    """Return functions that compare and raise intervals as if they were the numbers inside."""
    compare = undecided.compare
    return {
        **{name: functools.partial(compare, name) for name in ("less", "less_equal", "equal")},
        "greater": lambda x, y: compare("less", y, x),
        "greater_equal": lambda x, y: compare("less_equal", y, x),
        "not_equal": lambda x, y: ~compare("equal", x, y),
        "power": _power,
        "pow": _power,
        np.array_equal: _refuse_array_comparison,
    }


@contextmanager
def _compare_as_numbers(undecided: _Undecided) -> Iterator[None]:
    """Let operations on intervals use the functions of `_replacements`."""
    token = registry.INSTEAD.set(_replacements(undecided))
    try:
        yield
    finally:
        registry.INSTEAD.reset(token)


# ---------------------------------------------------------------- steps on halves alone


class _HalfSteps:
    """Finds steps on halves alone that are not exact; no interval encloses their rounding.

    An Experiment calls `decide`. These steps use stochastic rounding: a step was exact unless it
    has used a random number.
    """

    def __init__(self) -> None:
        self.region = Experiment("rte", self.decide)
        self.last: Site = None
        self.inexact: list[Site] = []

    def decide(self) -> str:
        """Return the rounding mode of the next step."""
        self.check_last()
        frame = sys._getframe(1)
        if _is_inside_intervals(frame):
            return "rte"
        self.last = find_site(frame, RUNNER)
        return "random"

    def check_last(self) -> None:
        """Keep the last step if it was the first that used a random number."""
        if self.region.has_tossed() and not self.inexact:
            self.inexact.append(self.last)


def _is_inside_intervals(frame: FrameType | None) -> bool:
    """Tell whether a frame is inside a call of halfcl.interval."""
    while frame is not None and frame.f_code is not RUNNER:
        if frame.f_code.co_filename.startswith(_INTERVALS):
            return True
        frame = frame.f_back
    return False


# ---------------------------------------------------------------- the run


def _as_interval(argument: object) -> object:
    """Return halves as point intervals, and other arguments unchanged."""
    if not is_half(argument):
        return argument
    if not np.isfinite(argument).all():
        raise Unproven("an argument has elements that are infinite or NaN")
    return Interval(np.asarray(argument))


def _run(task: Task, halves: _HalfSteps, undecided: _Undecided) -> object:
    args = tuple(map(_as_interval, task.args))
    with np.errstate(all="ignore"), _compare_as_numbers(undecided):
        try:
            with halves.region:
                value = task.function(*args)
                halves.check_last()
        finally:
            if halves.region.failure is not None:  # an interrupt
                raise halves.region.failure
    return value


RUNNER = _run.__code__


def _check(task: Task, value: object, halves: _HalfSteps, shape: tuple[int, ...]) -> Interval:
    """Return the result as an interval, or raise Unproven if it may not enclose the exact one."""
    if halves.inexact:
        location = describe(halves.inexact[0], task.name)
        raise Unproven(f"a step on halves alone may round at {location}")
    if is_half(value) and np.isfinite(value).all():
        value = Interval(np.asarray(value))
    if not isinstance(value, Interval):
        raise Unproven(f"the run on intervals returned {type(value).__name__}")
    if value.shape != shape:
        raise Unproven(f"the run on intervals returned shape {value.shape}, that on halves {shape}")
    return value


def _reason(task: Task, error: Exception) -> str:
    site = site_of_error(error, RUNNER)
    where = "" if site is None else f" at {describe(site, task.name)}"
    kind = "" if isinstance(error, Unproven) else f"{type(error).__name__}: "
    lines = str(error).splitlines() or [""]
    return f"{kind}{lines[0]}{where}"


class Enclosure(NamedTuple):
    """An enclosure of a formula's exact results, or the reason why there is none.

    interval: contains the exact results; None if there is no enclosure. undecided: comparisons
    that the intervals left undecided.
    """

    interval: Interval | None
    reason: str
    undecided: tuple[UndecidedComparison, ...]


def enclose(task: Task, shape: tuple[int, ...]) -> Enclosure:
    """Run a formula on intervals, and return an enclosure of its exact results.

    Exact results are those in the real numbers, for the given arguments; numbers wider than half
    count as exact. Where the result is undefined (1 / 0), an interval may be empty.
    """
    halves, undecided = _HalfSteps(), _Undecided()
    result, reason = None, ""
    try:
        result = _check(task, _run(task, halves, undecided), halves, shape)
    except Exception as error:
        if error is halves.region.failure:
            raise
        reason = _reason(task, error)
    comparisons = (
        UndecidedComparison(describe(site, task.name), *counts)
        for site, counts in undecided.counts.items()
    )
    return Enclosure(result, reason, tuple(comparisons))
