"""Which step of a computation makes its result unstable."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from halfcl._core import Experiment
from halfcl._support.text_tables import aligned
from halfcl.stability import _measures as measures
from halfcl.stability._runs import RUNNER, Leaving, Results, Task
from halfcl.stability._sites import Place, Placed, Site, describe, find_site
from halfcl.stability._text import in_ulps

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
    """

    effect: float
    place: Place

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

    def __repr__(self) -> str:
        rows = [(in_ulps(step.effect), str(step.place)) for step in self]
        text = aligned(("effect", "step"), rows, left=[1]) if rows else "no step rounds to half"
        return "\n".join([text, *map(str, self.left)])


class _Trial:
    """What an Experiment asks: it rounds one step otherwise than the others."""

    def __init__(self, site: Site, mode: str):
        self.site, self.mode = site, mode

    def decide(self) -> str:
        found = find_site(sys._getframe(1), RUNNER)
        return self.mode if found == self.site else "rte"


def _find_sites(task: Task) -> tuple[Results, list[Site]]:
    """The results rounded to nearest, and the steps, in the order of their first runs."""
    sites: dict[Site, None] = {}

    def note() -> str:
        sites.setdefault(find_site(sys._getframe(1), RUNNER))
        return "rte"

    return task.run(Experiment("rte", note, task.note_leaving)), list(sites)


def _distance(one: Results, other: Results) -> float:
    """The ulps between results, of all their elements the most."""
    gaps = [measures.spread([a, b]) for a, b in zip(one, other, strict=True)]
    return max((float(gap.max()) for gap in gaps if gap.size), default=0.0)


def _effect(task: Task, results: Results, site: Site) -> float | None:
    """How far the results move when one step is rounded otherwise; None if it is exact."""
    moved = 0.0
    for mode, seed in _TRIALS:
        region = Experiment("rte", _Trial(site, mode).decide, None, seed)
        other = task.run(region)
        if mode == "random" and not region.tossed:
            return None
        task.check_shapes(results, other)
        moved = max(moved, _distance(results, other))
    return moved


def blame(f: Callable[..., object], *args: object) -> Blame:
    """Find the steps of code whose rounding does most to its result.

    Each call and operator in f, wherever it is written, is rounded down, up and at random, while
    all others are rounded to nearest; how far that moves the result is its effect.

    Parameters
    ----------
    f, *args
        As for `rerun`. It is run four times a step, once one that is exact, and twice.

    Returns
    -------
    Blame
        The steps that round to half, most harmful first, but for those whose results are all
        exact. What a call or a region in f says of its mode is kept, and is no step.

    Raises
    ------
    TypeError, ValueError
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
    results, sites = _find_sites(task)
    task.check_repeats(results)
    effects = [(_effect(task, results, site), site) for site in sites]
    steps = [Step(effect, describe(site, task.name)) for effect, site in effects
             if effect is not None]  # fmt: skip
    found = Blame(sorted(steps, key=lambda step: -step.effect))
    found.left = task.left
    return found
