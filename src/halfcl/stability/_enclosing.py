"""What a formula would give without rounding: enclosed, by running it on intervals."""

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
from halfcl.stability._runs import Task, is_half
from halfcl.stability._sites import Finder, Site, describe, find_site, site_of_error
from halfcl.stability._undecided import Doubt, Undecided, Unproven, joined

_INTERVALS = os.path.dirname(halfcl.interval.__file__) + os.sep


# ---------------------------------------------------------------- intervals as numbers


class _Doubts:
    """Comparisons that are not decided: by the site, how many elements of how many."""

    def __init__(self) -> None:
        self.found: dict[Site, list[int]] = {}
        self._find = Finder(RUNNER)

    def compare(self, name: str, x: object, y: object) -> Truths | Undecided:
        """Return what all numbers of two intervals agree on; as of NaN if one is empty."""
        truths = joined(compare(name, x, y))
        if isinstance(truths, Undecided):
            counts = self.found.setdefault(self._find(sys._getframe(1)), [0, 0])
            counts[0] += int(np.count_nonzero(truths.is_undecided))
            counts[1] += truths.size
        return truths


def _power(x: object, y: object) -> object:
    """Powers; the standard's `pow` is of no negative number, but halfcl's is."""
    is_integer = not isinstance(y, Interval) and integers_of(y) is not None
    if not is_integer and np.any(np.less(as_bounds(x)[0], 0)):
        raise Unproven("a power of what may be negative, with an exponent that is no int")
    return registry.UFUNCS["power"](x, y)


def _refused(*args: object, **keywords: object) -> NoReturn:
    raise Unproven("a comparison of arrays")


def _instead(doubts: _Doubts) -> Mapping[str | Callable[..., object], Callable[..., object]]:
    """What comparisons and powers of intervals are while they stand for the numbers inside."""
    compare = doubts.compare
    return {
        **{name: functools.partial(compare, name) for name in ("less", "less_equal", "equal")},
        "greater": lambda x, y: compare("less", y, x),
        "greater_equal": lambda x, y: compare("less_equal", y, x),
        "not_equal": lambda x, y: ~compare("equal", x, y),
        "power": _power,
        "pow": _power,
        np.array_equal: _refused,
    }


@contextmanager
def _as_numbers(doubts: _Doubts) -> Iterator[None]:
    token = registry.INSTEAD.set(_instead(doubts))
    try:
        yield
    finally:
        registry.INSTEAD.reset(token)


# ---------------------------------------------------------------- steps that miss the intervals


class _Halves:
    """What an Experiment asks: it finds the steps on halves alone, whose rounding is no interval's.

    They round at random; what no coin has decided was exact.
    """

    def __init__(self) -> None:
        self.region = Experiment("rte", self.decide)
        self.last: Site = None
        self.inexact: list[Site] = []

    def decide(self) -> str:
        self.note()
        frame = sys._getframe(1)
        if _is_intervals(frame):
            return "rte"
        self.last = find_site(frame, RUNNER)
        return "random"

    def note(self) -> None:
        """Keep the step before if it was the first whose result a coin has decided."""
        if self.region.has_tossed() and not self.inexact:
            self.inexact.append(self.last)


def _is_intervals(frame: FrameType | None) -> bool:
    """Whether halfcl.interval computes there, for itself."""
    while frame is not None and frame.f_code is not RUNNER:
        if frame.f_code.co_filename.startswith(_INTERVALS):
            return True
        frame = frame.f_back
    return False


# ---------------------------------------------------------------- the run


def _as_interval(argument: object) -> object:
    """Halves as points; what else there is as it is."""
    if not is_half(argument):
        return argument
    if not np.isfinite(argument).all():
        raise Unproven("an argument has elements that are infinite or NaN")
    return Interval(np.asarray(argument))


def _run(task: Task, halves: _Halves, doubts: _Doubts) -> object:
    args = tuple(map(_as_interval, task.args))
    with np.errstate(all="ignore"), _as_numbers(doubts):
        try:
            with halves.region:
                value = task.function(*args)
                halves.note()
        finally:
            if halves.region.failure is not None:  # an interrupt
                raise halves.region.failure
    return value


RUNNER = _run.__code__


def _checked(task: Task, value: object, halves: _Halves, shape: tuple[int, ...]) -> Interval:
    """What came, if it encloses the exact results."""
    if halves.inexact:
        place = describe(halves.inexact[0], task.name)
        raise Unproven(f"halves alone may be rounded at {place}")
    if is_half(value) and np.isfinite(value).all():
        value = Interval(np.asarray(value))
    if not isinstance(value, Interval):
        raise Unproven(f"of intervals it gives {type(value).__name__}")
    if value.shape != shape:
        raise Unproven(f"of intervals it gives shape {value.shape}, of halves {shape}")
    return value


def _reason(task: Task, error: Exception) -> str:
    site = site_of_error(error, RUNNER)
    where = "" if site is None else f" at {describe(site, task.name)}"
    kind = "" if isinstance(error, Unproven) else f"{type(error).__name__}: "
    lines = str(error).splitlines() or [""]
    return f"{kind}{lines[0]}{where}"


class Enclosed(NamedTuple):
    """What is known of a formula's exact results.

    interval: that holds them; or None, and reason: why. doubts: comparisons that the intervals did
    not decide.
    """

    interval: Interval | None
    reason: str
    doubts: tuple[Doubt, ...]


def enclose(task: Task, shape: tuple[int, ...]) -> Enclosed:
    """Intervals of that shape that hold a formula's exact results.

    Exact is what real numbers give, from the arguments as they are, and from numbers wider than
    half as they come. Where that is undefined, as 1 / 0, an interval may be empty.
    """
    halves, doubts = _Halves(), _Doubts()
    found, reason = None, ""
    try:
        found = _checked(task, _run(task, halves, doubts), halves, shape)
    except Exception as error:
        if error is halves.region.failure:
            raise
        reason = _reason(task, error)
    told = (Doubt(describe(site, task.name), *counts) for site, counts in doubts.found.items())
    return Enclosed(found, reason, tuple(told))
