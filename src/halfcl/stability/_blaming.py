"""Blame: the steps of a computation whose rounding makes its result unstable."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from halfcl._core import Experiment, kernels_run
from halfcl._support.pages.notebooks import Block, Displayed
from halfcl._support.text_tables import Table
from halfcl.stability import _measures as measures
from halfcl.stability._measures import THRESHOLD, Doubles, Scale
from halfcl.stability._runs import RUNNER, Promotion, Results, Task, warn_nothing_rounded
from halfcl.stability._sites import CodeLocation, Located, Site, describe, find_site
from halfcl.stability._text import format_ulps

#: For each result, by how many ulps its elements change.
Effects: TypeAlias = list[Doubles]

#: Mode and seed in which a step is rounded, while all others are rounded to nearest: down, up and
#: at random, since the errors of a step that runs many times, or whose results are subtracted, can
#: cancel if all have one direction.
_TEST_ROUNDINGS = (("random", 1), ("random", 2), ("rtn", 0), ("rtp", 0))


@dataclass(frozen=True)
class Step(Located):
    """A call or operator in a program, and the effect of its rounding on the result.

    Attributes
    ----------
    effect : float
        The ulps by which the element that changes most changes if only this step is rounded
        otherwise than to nearest; infinite if a NaN or an infinity appears or disappears.
    location : CodeLocation
        Where it is: ``.file``, ``.line``, ``.source`` (the text of the line), ``.expression``
        (the step's part of it).
    effects : float64 array of the result's shape, or a tuple of them
        The effect on each element; a tuple if the function returns several results.
    """

    effect: float
    location: CodeLocation
    effects: Doubles | tuple[Doubles, ...] = field(compare=False, repr=False, default=())

    @property
    def expression(self) -> str:
        """The part of the source that computes."""
        return self.location.expression


class Blame(Displayed, tuple[Step, ...]):
    """The steps of a function, most harmful first (see `blame`).

    Its repr is a table, also in notebooks.

    Attributes
    ----------
    promotions : tuple of Promotion
        The steps that promoted half to another type: later steps on it do not round to half.
    """

    promotions: tuple[Promotion, ...] = ()
    _text_if_empty = "no step rounds to half"

    def at(self, *index: int) -> Blame:
        """Return the steps that change one element of the result, most harmful first.

        Parameters
        ----------
        *index : int
            The element's index in the result; if there are several results, preceded by the number
            of the result.

        Returns
        -------
        Blame
            The steps, with ``.effect`` on that element.

        Raises
        ------
        IndexError
            If there is no such element.

        Examples
        --------
        >>> from halfcl import half, stability
        >>> import numpy as np
        >>> with np.errstate(over="ignore"):               # the square of 300 overflows
        ...     steps = stability.blame(lambda x: (x * x - 1) + x / 3, half([1.1, 300, 0.1]))
        >>> steps[0].effect, steps.at(2)[0].effect
        (inf, 1.0)
        """
        steps = [replace(step, effect=_effect_at(step, index)) for step in self]
        blame = Blame(sorted((s for s in steps if s.effect), key=lambda step: -step.effect))
        blame.promotions, blame._text_if_empty = self.promotions, "no step changes it"
        return blame

    def _blocks(self) -> list[Block]:
        columns = [("effect", [format_ulps(step.effect) for step in self])]
        if any(_flatten_effects(step).size > 1 for step in self):
            columns.append(("elements", [str(_count_unstable(step)) for step in self]))
        columns.append(("step", [str(step.location) for step in self]))
        heads, cells = zip(*columns, strict=True)
        rows = list(zip(*cells, strict=True))
        last = [len(heads) - 1]
        steps = Table(heads, rows, words=last, code=last) if rows else self._text_if_empty
        return [steps, *map(str, self.promotions)]


def _effect_at(step: Step, index: tuple[int, ...]) -> float:
    if isinstance(step.effects, tuple):
        return float(step.effects[index[0]][index[1:]])
    return float(step.effects[index])


def _flatten_effects(step: Step) -> Doubles:
    several = step.effects if isinstance(step.effects, tuple) else (step.effects,)
    return np.concatenate([np.ravel(x) for x in several]) if several else np.zeros(0)


def _count_unstable(step: Step) -> int:
    """Return how many elements the step changes by more than the threshold."""
    return int(np.count_nonzero(_flatten_effects(step) > THRESHOLD))


class _OneSiteMode:
    """Rounds one step in another mode than the others; an Experiment calls `decide`."""

    def __init__(self, site: Site, mode: str, others: str = "rte"):
        self.site, self.mode, self.others = site, mode, others

    def decide(self) -> str:
        """Return the rounding mode of the next step."""
        site = find_site(sys._getframe(1), RUNNER)
        return self.mode if site == self.site else self.others


def _find_sites(task: Task) -> tuple[Results, list[Site]]:
    """Return the results rounded to nearest, and the steps in the order of their first runs."""
    sites: dict[Site, None] = {}

    def record_site() -> str:
        sites.setdefault(find_site(sys._getframe(1), RUNNER))
        return "rte"

    region = Experiment("rte", record_site, task.record_promotion, casts=True)
    return task.run(region), list(sites)


@dataclass(frozen=True)
class _Nearest:
    """The results rounded to nearest, and the unit in which others differ from them."""

    results: Results
    scale: Scale | None

    @cached_property
    def units(self) -> list[float | None]:
        """The units of the results; None for each element's own ulps."""
        return [measures.unit_of(self.scale, x) for x in self.results]

    def between(self, one: Results, other: Results) -> Effects:
        """Return the ulps between two runs' results."""
        parts = zip(one, other, self.units, strict=True)
        return [measures.spread([a, b], unit) for a, b, unit in parts]


def _elementwise_maximum(one: Effects, other: Effects) -> Effects:
    return [np.maximum(a, b) for a, b in zip(one, other, strict=True)]


def _zero_effects(results: Results) -> Effects:
    return [np.zeros(np.shape(x)) for x in results]


def _run_and_check(task: Task, results: Results, region: Experiment) -> Results:
    others = task.run(region)
    task.check_shapes(results, others)
    return others


def _measure_effects(task: Task, nearest: _Nearest, site: Site) -> Effects | None:
    """Return how far the results change if one step is rounded otherwise; None if it is exact."""
    results = nearest.results
    effects = _zero_effects(results)
    for mode, seed in _TEST_ROUNDINGS:
        region = Experiment("rte", _OneSiteMode(site, mode).decide, None, seed, casts=True)
        other = _run_and_check(task, results, region)
        if mode == "random" and not region.tossed:
            return None
        effects = _elementwise_maximum(effects, nearest.between(results, other))
    return effects


#: Modes in which all steps are rounded together, for elements that no single step explains.
_JOINT_MODES = ("rtz", "rtn", "rtp")
#: No single step explains an element if all together change it by more than the threshold, and by
#: more than so many times the largest effect of a single step.
_UNEXPLAINED = 16


def _add_joint_effects(task: Task, nearest: _Nearest, effects: dict[Site, Effects]) -> None:
    """Add effects on elements that no single step changes, although all steps together do.

    Round all steps in one mode and each in turn to nearest; its effect is the change back. If two
    products overflow one after the other, either of them alone still overflows.
    """
    results = nearest.results
    alone = _zero_effects(results)
    for own in effects.values():
        alone = _elementwise_maximum(alone, own)
    for mode in _JOINT_MODES:
        all_otherwise = _run_and_check(task, results, Experiment(mode, casts=True))
        unexplained = [
            (gap > THRESHOLD) & (gap > _UNEXPLAINED * most)
            for gap, most in zip(nearest.between(results, all_otherwise), alone, strict=True)
        ]
        if not any(map(np.any, unexplained)):
            continue
        for site, own in effects.items():
            region = Experiment("rte", _OneSiteMode(site, "rte", mode).decide, casts=True)
            undone = nearest.between(all_otherwise, _run_and_check(task, results, region))
            masked = [np.where(m, u, 0.0) for m, u in zip(unexplained, undone, strict=True)]
            effects[site] = _elementwise_maximum(own, masked)


def _step(task: Task, effects: Effects, site: Site) -> Step:
    most = max((float(x.max()) for x in effects if x.size), default=0.0)
    return Step(most, describe(site, task.name), tuple(effects) if task.several else effects[0])


def _sort_key(step: Step) -> tuple[float, int, float]:
    """Return the key for sorting: effect, number of unstable elements, sum of finite effects.

    The last two order steps with infinite effects.
    """
    every = _flatten_effects(step)
    return -step.effect, -_count_unstable(step), -float(every[np.isfinite(every)].sum())


def blame(f: Callable[..., object], *args: object, scale: str | None = None) -> Blame:
    """Find the steps of code whose rounding changes its result most.

    Each call and operator in f, wherever it is written, is rounded down, up and at random, while
    all others are rounded to nearest. How far that changes the result is its effect.

    Parameters
    ----------
    f, *args
        As for `rerun`. f runs four times per step (once per exact step), plus five times; and
        three more times per step if only several steps together change an element.
    scale : str, optional
        The unit of effects, as for `rerun`; that of the results to nearest.

    Returns
    -------
    Blame
        The steps that round to half, most harmful first, except those whose results are all
        exact. Operations whose mode a call or a region in f sets keep it, and are not steps.

    Raises
    ------
    TypeError, ValueError
        As for `rerun`, also for scale.

    Warns
    -----
    RuntimeWarning
        As for `rerun`.

    See Also
    --------
    rerun : find out whether the result is unstable at all.

    Notes
    -----
    A step is a location in the code: all its runs are rounded together, also those in a loop or in
    a function called from several places. Steps inside NumPy, halfcl or C count as the line that
    called them. A step is blamed for the error that its rounding introduces, which later steps may
    amplify: in ``(1 + x) - 1`` the sum is blamed, since the difference is exact.

    Source: the search for unstable lines of code by F. Févotte and B. Lathuilière, "Verrou: a
    CESTAC evaluation without recompilation", 2016, one step at a time.

    Examples
    --------
    >>> from halfcl import half, stability
    >>> def f(x):
    ...     return (1 + x) - 1
    >>> worst = stability.blame(f, half(0.01))[0]
    >>> worst.line, worst.effect
    (2, 128.0)
    """
    own_scale, task = Scale.parse(scale), Task(f, args, copies=True)
    kernels = kernels_run()
    results, sites = _find_sites(task)
    if not sites and not task.promotions and kernels_run() == kernels:
        warn_nothing_rounded(task, results, callers=1)
    task.check_repeats(results)
    nearest = _Nearest(results, own_scale)
    known = {site: _measure_effects(task, nearest, site) for site in sites}
    exact = {site for site, own in known.items() if own is None}
    effects = {site: own or _zero_effects(results) for site, own in known.items()}
    _add_joint_effects(task, nearest, effects)
    # A step that is exact to nearest (twice an infinity) may round if other steps round otherwise.
    steps = [_step(task, own, site) for site, own in effects.items()
             if site not in exact or any(map(np.any, own))]  # fmt: skip
    result = Blame(sorted(steps, key=_sort_key))
    result.promotions = task.promotions
    return result
