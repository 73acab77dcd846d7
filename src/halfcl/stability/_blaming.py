"""Which step of a computation makes its result unstable."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from halfcl._core import Experiment, kernels_run
from halfcl._support.text_tables import align_columns
from halfcl.stability import _measures as measures
from halfcl.stability._measures import THRESHOLD, Doubles
from halfcl.stability._runs import RUNNER, Leaving, Results, Task, warn_of_nothing
from halfcl.stability._sites import Place, Placed, Site, describe, find_site
from halfcl.stability._text import in_ulps

#: Of each result, by how many ulps its elements move.
Effects: TypeAlias = list[Doubles]

#: How the step on trial is rounded, while all others are rounded to nearest: both ways; and at
#: random, for where the errors of a step that runs many times, or is subtracted from itself,
#: cancel if all go one way.
_TRIALS = (("random", 1), ("random", 2), ("rtn", 0), ("rtp", 0))


@dataclass(frozen=True)
class Step(Placed):
    """A call or operator in a program, and what its rounding does to the result.

    Attributes
    ----------
    effect : float
        The ulps by which the result, of its elements the one that it moves furthest, moves when
        this step alone is rounded otherwise than to nearest; infinite where that makes or
        unmakes a NaN or an infinity.
    place : Place
        Where it is: ``.file``, ``.line``, ``.source`` (the text of the line), ``.expression`` (the
        part of it that is meant; empty before Python 3.11).
    effects : float64 array of the result's shape, or a tuple of them
        The same element by element; a tuple where the function returns several results.
    """

    effect: float
    place: Place
    effects: Doubles | tuple[Doubles, ...] = field(compare=False, repr=False, default=())

    @property
    def expression(self) -> str:
        """The part of the source that computes."""
        return self.place.expression


class Blame(tuple[Step, ...]):
    """The steps of a function, most harmful first: see `blame`. Printed, it is a table.

    Attributes
    ----------
    left : tuple of Leaving
        The steps where half turned into another type: what follows them is not rounded to half.
    """

    left: tuple[Leaving, ...] = ()
    _nothing = "no step rounds to half"

    def at(self, *index: int) -> Blame:
        """The steps that move one element of the result, most harmful first.

        Parameters
        ----------
        *index : int
            Of the element, as the result is indexed; before them, where there are several results,
            the number of the result.

        Returns
        -------
        Blame
            Each step's ``.effect`` is what it does to that element.

        Raises
        ------
        IndexError
            If there is no such element.

        Examples
        --------
        >>> from halfcl import half, stability
        >>> import numpy as np
        >>> with np.errstate(over="ignore"):               # of the square of 300
        ...     found = stability.blame(lambda x: (x * x - 1) + x / 3, half([1.1, 300, 0.1]))
        >>> found[0].effect, found.at(2)[0].effect
        (inf, 1.0)
        """
        steps = [replace(step, effect=_effect_at(step, index)) for step in self]
        found = Blame(sorted((s for s in steps if s.effect), key=lambda step: -step.effect))
        found.left, found._nothing = self.left, "no step moves it"
        return found

    def __repr__(self) -> str:
        columns = [("effect", [in_ulps(step.effect) for step in self])]
        if any(_all_effects(step).size > 1 for step in self):
            columns.append(("elements", [str(_moved(step)) for step in self]))
        columns.append(("step", [str(step.place) for step in self]))
        heads, cells = zip(*columns, strict=True)
        rows = list(zip(*cells, strict=True))
        text = align_columns(heads, rows, left=[len(heads) - 1]) if rows else self._nothing
        return "\n".join([text, *map(str, self.left)])


def _effect_at(step: Step, index: tuple[int, ...]) -> float:
    if isinstance(step.effects, tuple):
        return float(step.effects[index[0]][index[1:]])
    return float(step.effects[index])


def _all_effects(step: Step) -> Doubles:
    several = step.effects if isinstance(step.effects, tuple) else (step.effects,)
    return np.concatenate([np.ravel(x) for x in several]) if several else np.zeros(0)


def _moved(step: Step) -> int:
    """How many elements it moves further than is stable."""
    return int(np.count_nonzero(_all_effects(step) > THRESHOLD))


class _Trial:
    """What an Experiment asks: it rounds one step otherwise than the others."""

    def __init__(self, site: Site, mode: str, others: str = "rte"):
        self.site, self.mode, self.others = site, mode, others

    def decide(self) -> str:
        found = find_site(sys._getframe(1), RUNNER)
        return self.mode if found == self.site else self.others


def _find_sites(task: Task) -> tuple[Results, list[Site]]:
    """The results rounded to nearest, and the steps, in the order of their first runs."""
    sites: dict[Site, None] = {}

    def note() -> str:
        sites.setdefault(find_site(sys._getframe(1), RUNNER))
        return "rte"

    return task.run(Experiment("rte", note, task.note_leaving)), list(sites)


def _gaps(one: Results, other: Results) -> Effects:
    """The ulps between results."""
    return [measures.spread([a, b]) for a, b in zip(one, other, strict=True)]


def _larger(one: Effects, other: Effects) -> Effects:
    return [np.maximum(a, b) for a, b in zip(one, other, strict=True)]


def _nothing(results: Results) -> Effects:
    return [np.zeros(np.shape(x)) for x in results]


def _run_checked(task: Task, results: Results, region: Experiment) -> Results:
    found = task.run(region)
    task.check_shapes(results, found)
    return found


def _effects(task: Task, results: Results, site: Site) -> Effects | None:
    """How far the results move when one step is rounded otherwise; None if it is exact."""
    moved = _nothing(results)
    for mode, seed in _TRIALS:
        region = Experiment("rte", _Trial(site, mode).decide, None, seed)
        other = _run_checked(task, results, region)
        if mode == "random" and not region.tossed:
            return None
        moved = _larger(moved, _gaps(results, other))
    return moved


#: How all steps are rounded where none alone does what all do together.
_TOGETHER = ("rtz", "rtn", "rtp")
#: An element is not explained where all together move it by more than is stable, and by so many
#: times what any alone does.
_UNEXPLAINED = 16


def _add_what_all_do(task: Task, results: Results, found: dict[Site, Effects]) -> None:
    """Of elements that no step moves alone, though all do: what each undoes.

    So of two products that overflow one after the other either alone still overflows.
    """
    alone = _nothing(results)
    for effects in found.values():
        alone = _larger(alone, effects)
    for mode in _TOGETHER:
        all_otherwise = _run_checked(task, results, Experiment(mode))
        unexplained = [
            (gap > THRESHOLD) & (gap > _UNEXPLAINED * most)
            for gap, most in zip(_gaps(results, all_otherwise), alone, strict=True)
        ]
        if not any(map(np.any, unexplained)):
            continue
        for site, effects in found.items():
            region = Experiment("rte", _Trial(site, "rte", mode).decide)
            undone = _gaps(all_otherwise, _run_checked(task, results, region))
            masked = [np.where(m, u, 0.0) for m, u in zip(unexplained, undone, strict=True)]
            found[site] = _larger(effects, masked)


def _step(task: Task, effects: Effects, site: Site) -> Step:
    most = max((float(x.max()) for x in effects if x.size), default=0.0)
    return Step(most, describe(site, task.name), tuple(effects) if task.several else effects[0])


def _harm(step: Step) -> tuple[float, int, float]:
    """By what steps are sorted: where infinities are the same, what else they do tells."""
    every = _all_effects(step)
    return -step.effect, -_moved(step), -float(every[np.isfinite(every)].sum())


def blame(f: Callable[..., object], *args: object) -> Blame:
    """Find the steps of code whose rounding does most to its result.

    Each call and operator in f, wherever it is written, is rounded down, up and at random, while
    all others are rounded to nearest; how far that moves the result is its effect.

    Parameters
    ----------
    f, *args
        As for `rerun`. It is run four times a step, once one that is exact, and five times; and
        three more a step where only several steps together move an element.

    Returns
    -------
    Blame
        The steps that round to half, most harmful first, but for those whose results are all
        exact. What a call or a region in f says of its mode is kept, and is no step.

    Raises
    ------
    TypeError, ValueError
        As for `rerun`.

    Warns
    -----
    RuntimeWarning
        As for `rerun`.

    See Also
    --------
    rerun : whether it is unstable at all.

    Notes
    -----
    A step is a place in the code: all its runs are rounded together, those of a loop or of a
    function called from several places, too. Steps inside NumPy, halfcl or C count as the line
    that called them. Rounding is where an error comes in, not always where it grows: of
    ``(1 + x) - 1`` the sum is blamed, since the difference is exact.

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
    task = Task(f, args, copies=True)
    kernels = kernels_run()
    results, sites = _find_sites(task)
    if not sites and not task.left and kernels_run() == kernels:
        warn_of_nothing(task, results, callers=1)
    task.check_repeats(results)
    known = {site: _effects(task, results, site) for site in sites}
    exact = {site for site, effects in known.items() if effects is None}
    moved = {site: effects or _nothing(results) for site, effects in known.items()}
    _add_what_all_do(task, results, moved)
    # What is exact to nearest, as twice an infinity, may not be where another step is rounded so.
    steps = [_step(task, effects, site) for site, effects in moved.items()
             if site not in exact or any(map(np.any, effects))]  # fmt: skip
    found = Blame(sorted(steps, key=_harm))
    found.left = task.left
    return found
