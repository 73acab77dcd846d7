"""Decisions in runs with shadows: which branches a run takes, and where the shadows disagree."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from contextvars import ContextVar
from types import FrameType
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfcl._core import forget_kernels_since, kernels_run
from halfcl.stability._sites import Site

_T = TypeVar("_T")


#: A choice between values: truths or indices, for elements or one.
Choice: TypeAlias = NDArray[np.generic] | np.generic | bool | int


class NoShadowError(Exception):
    """The reason why a run has no shadow."""


def run_uncounted(function: Callable[..., _T], *args: object, **keywords: object) -> _T:
    """Call a function on plain values, and do not count its kernels.

    A shadow is computed along with the call. Kernels that are still counted at the end of a run
    have rounded values without shadows.
    """
    count = kernels_run()
    result = function(*args, **keywords)
    forget_kernels_since(count)
    if (branches := BRANCHES.get()) is not None:
        branches.step()
    return result


def count_lost_shadow() -> None:
    """Count a value that lost its shadow, as if a kernel had returned it."""
    forget_kernels_since(kernels_run() + 1)


class HalfBranches:
    """First run: the halves decide branches where a half and its shadow may disagree.

    decided: for each site its decisions, in their order. divergent: for each site where shadows
    would decide differently: how many elements, out of how many. steps: number of operations.
    """

    def __init__(self, find: Callable[[FrameType], Site]) -> None:
        self.find = find
        self.decided: dict[Site, list[Choice]] = {}
        self.divergent: dict[Site, list[int]] = {}
        self.steps = 0

    def step(self) -> None:
        """Count an operation."""
        self.steps += 1

    def choose(self, by_halves: Choice, by_shadows: Choice) -> Choice:
        """Return the halves' decision, and record whether the shadows' one differs."""
        site = self.find(sys._getframe(1))
        decided = self.decided.setdefault(site, [])
        decided.append(by_halves)
        is_same = np.array_equal(by_halves, by_shadows)
        if not is_same and site not in self.divergent:
            self.divergent[site] = [0, sum(np.size(one) for one in decided[:-1])]
        if site in self.divergent:
            counts = self.divergent[site]
            counts[0] += 0 if is_same else int(np.count_nonzero(by_halves != by_shadows))
            counts[1] += np.size(by_halves)
        return by_halves


_ENDLESS = "without rounding it does not end"


class LoopError(NoShadowError):
    """A site decides more often than in the first run, since the end of a loop diverges."""

    def __init__(self, site: Site) -> None:
        super().__init__(_ENDLESS)
        self.site = site


class ShadowBranches:
    """Second run: branches follow the reference values, except loop exits.

    before: the first run. loops: sites where the decisions of the first run are repeated, so that
    loops run as many times.
    """

    def __init__(self, before: HalfBranches, loops: Collection[Site]) -> None:
        self._before, self._loops = before, loops
        self._counts: dict[Site, int] = {}
        self._differing: dict[Site, None] = {}  # sites whose last decision differs, the latest last
        self._steps_left = _MOST_TIMES * before.steps + _SPARE

    def step(self) -> None:
        """Count an operation; raise NoShadowError if the run seems endless."""
        self._steps_left -= 1
        if self._steps_left < 0:
            raise NoShadowError(_ENDLESS)

    def choose(self, by_halves: Choice, by_shadows: Choice) -> Choice:
        """Return the shadows' decision, or that of the first run at sites that end loops."""
        site = self._before.find(sys._getframe(1))
        k = self._counts.get(site, 0)
        decided = self._before.decided.get(site, [])
        if k >= self._most(site, len(decided)):
            raise LoopError(self._latest(self._differing) or site)
        self._counts[site] = k + 1
        self._differing.pop(site, None)
        if k >= len(decided):
            return by_shadows
        if site in self._loops:
            if np.shape(decided[k]) != np.shape(by_shadows):
                raise NoShadowError("without rounding it has arrays of other lengths")
            return decided[k]
        if not np.array_equal(by_shadows, decided[k]):
            self._differing[site] = None
        return by_shadows

    def _most(self, site: Site, count: int) -> int:
        is_same = site not in self._loops and site not in self._before.divergent
        return _MOST_TIMES * count + _SPARE if is_same else count

    def _latest(self, sites: Iterable[Site]) -> Site:
        return next((site for site in reversed(list(sites)) if site not in self._loops), None)

    def find_early_exit(self) -> Site:
        """Return the site that ended a loop early, after the run; None if there is none."""
        counts = self._counts
        return self._latest(s for s in self._differing if counts[s] < len(self._before.decided[s]))


#: Bounds of the second run: it may take _MOST_TIMES as many operations as the first, plus _SPARE.
#: The same holds for decisions at a site where both runs agree.
_MOST_TIMES, _SPARE = 16, 256


#: The branches of the run in this context; None outside of a run: then halves decide.
BRANCHES: ContextVar[HalfBranches | ShadowBranches | None] = ContextVar(
    "halfcl_branches", default=None
)


def decide(by_halves: Choice, by_shadows: Callable[[], Choice]) -> Choice:
    """Return the choice of the run's branches; that of the halves in a run without them."""
    branches = BRANCHES.get()
    return by_halves if branches is None else branches.choose(by_halves, by_shadows())
