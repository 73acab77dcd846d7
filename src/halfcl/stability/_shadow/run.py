"""The shadow run: a run of a function in which halves carry shadows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl._core import Experiment, kernels_run
from halfcl.stability._runs import Results, Task, equal_up_to_nans
from halfcl.stability._shadow._numbers import doubledouble as dd
from halfcl.stability._shadow._numbers.unbounded import RANGE, Range, as_doubles, run_unbounded
from halfcl.stability._shadow.branches import (
    BRANCHES,
    HalfBranches,
    LoopError,
    NoShadowError,
    ShadowBranches,
)
from halfcl.stability._shadow.stand_ins import ShadowReplacer
from halfcl.stability._shadow.values import Shadow, as_shadow, plain
from halfcl.stability._sites import Finder, Site, describe, site_of_error
from halfcl.stability._substitution import Substitution


def _run(function: Callable[..., object], args: tuple[object, ...]) -> object:
    with np.errstate(all="ignore"):
        return function(*args)


RUNNER = _run.__code__


class ShadowResults(NamedTuple):
    """The shadow of a run's results.

    results: doubles, or None for results without a shadow. reason: why there is no shadow, or why
    it does not cover all steps. whole: whether it covers all steps. divergent: for each site where
    shadows decide differently from halves: how many elements, out of how many.
    """

    results: tuple[NDArray[np.float64] | None, ...]
    reason: str
    whole: bool
    divergent: Mapping[Site, Sequence[int]] = {}


def without_shadow(results: Results, reason: str) -> ShadowResults:
    """Return ShadowResults without a shadow."""
    return ShadowResults((None,) * len(results), reason, False)


_INCOMPLETE = "some of its steps do not propagate the shadow"


def run_shadow(task: Task, results: Results) -> ShadowResults:
    """Run a function with shadows, and return them; without a shadow, return the reason.

    In the first run halves decide all branches, so that it repeats the run to nearest, bit for bit.
    If shadows would decide differently, they decide in a second run, except at loop exits.

    results: the results of the run to nearest.
    """
    _keep_freed_memory(results)
    shadow, reach = _compute_in_range(task, results)
    are_finite = all(x is None or np.isfinite(x).all() for x in shadow.results)
    if reach.has_floats and (reach.has_left or not are_finite):
        token = dd.NO_FLOATS.set(True)
        try:
            shadow, reach = _compute_in_range(task, results)
        finally:
            dd.NO_FLOATS.reset(token)
    has_shadow = any(x is not None for x in shadow.results)
    return (
        _compute_beyond(task, results, shadow, reach) if reach.has_left and has_shadow else shadow
    )


def _compute_in_range(task: Task, results: Results) -> tuple[ShadowResults, Range]:
    """Return the shadow in doubles or floats, and what is known of its range."""
    reach = Range()
    token = RANGE.set(reach)
    try:
        return _compute_shadow(task, results), reach
    finally:
        RANGE.reset(token)


#: The number of elements that steps may compute in Decimals, which takes a second or two.
_MOST_DECIMALS = 1 << 20

_LEFT = "a value leaves the range of doubles"


def _compute_beyond(
    task: Task, results: Results, shadow: ShadowResults, reach: Range
) -> ShadowResults:
    """Return the shadow in Decimals, if a step left the range of doubles.

    shadow: that in doubles, which is kept, with a reason, where Decimals are too slow or fail. A
    step that underflows is trusted there, unless a result is 0, infinite or NaN: most are added to
    larger numbers.
    """
    if reach.work > _MOST_DECIMALS:
        known = [x for x in shadow.results if x is not None]
        if not reach.has_overflowed and all(np.isfinite(x).all() and np.all(x) for x in known):
            return shadow
        reason = f"{_LEFT}, and computing its {reach.work} values beyond it would take long"
        return shadow._replace(reason=reason, whole=False)
    beyond = Range(is_unbounded=True)
    unbounded = run_unbounded(lambda: _compute_shadow(task, results), beyond)
    if any(x is None for x in unbounded.results):
        reason = f"{_LEFT}: {unbounded.reason}"
        return shadow._replace(reason=reason, whole=False)
    if beyond.has_left:
        return unbounded._replace(reason=f"{_LEFT} before a function of doubles", whole=False)
    return unbounded


#: Bytes of freed arrays that the process may keep.
_KEPT_BYTES = 1 << 23


def _keep_freed_memory(results: Results) -> None:
    """Make the C library keep the memory of large freed arrays, for the next ones.

    Otherwise it returns the memory to the system and requests it again at each operation, which
    takes longer than computing. glibc adapts to the largest block that was freed; this block is
    never written to, so that it takes no memory.
    """
    if any(dd.is_large(x) for x in results):
        np.empty(_KEPT_BYTES, np.uint8)


def _compute_shadow(task: Task, results: Results) -> ShadowResults:
    count = kernels_run()
    branches = HalfBranches(Finder(RUNNER))
    try:
        shadows = _check(_run_with_shadows(task, branches), results)
        whole = kernels_run() == count
        by_halves = ShadowResults(shadows, "" if whole else _INCOMPLETE, whole)
    except (Exception, SystemExit) as error:
        return without_shadow(results, _reason(task, error))
    return _follow_shadows(task, by_halves, branches) if branches.divergent else by_halves


def _follow_shadows(task: Task, by_halves: ShadowResults, branches: HalfBranches) -> ShadowResults:
    """Return the results of a run in which shadows decide; if it fails, keep those by halves."""
    try:
        by_shadows = _shadow_arrays(_run_with_same_loops(task, branches))
        known = tuple(map(_require_same_shape, by_halves.results, by_shadows))
        return by_halves._replace(results=known, divergent=branches.divergent)
    except (Exception, SystemExit) as error:
        reason = f"{_NO_SHADOW_RUN}{_reason(task, error)}"
        return by_halves._replace(reason=reason, whole=False, divergent=branches.divergent)


_NO_SHADOW_RUN = "a comparison diverges without rounding, and that run fails: "
#: Maximum number of loops whose exits are determined.
_MOST_LOOPS = 8


def _run_with_same_loops(task: Task, branches: HalfBranches) -> tuple[object, ...]:
    """Return the results of a run in which shadows decide, but loops run as in the first run."""
    loops: list[Site] = []
    while True:
        shadows = ShadowBranches(branches, loops)
        try:
            results = _run_with_shadows(task, shadows)
            loop = shadows.find_early_exit()
            if loop is None:
                return results
        except LoopError as error:
            if error.site in loops or len(loops) == _MOST_LOOPS:
                raise
            loop = error.site
        loops.append(loop)


def _require_same_shape(
    one: NDArray[np.float64] | None, other: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    if one is not None and other is not None and one.shape != other.shape:
        raise NoShadowError("it returns another shape")
    return None if one is None else other


def _run_with_shadows(task: Task, branches: HalfBranches | ShadowBranches) -> tuple[object, ...]:
    """Return the results of a run with shadows."""
    replacer = ShadowReplacer()
    function = Substitution(replacer, own_module=False).copy_callable(task.function)
    args = tuple(map(replacer, task.args))
    token = BRANCHES.set(branches)
    try:
        results = Experiment("rte").call(_run, (function, args))
    finally:
        BRANCHES.reset(token)
    return tuple(results) if isinstance(results, tuple | list) else (results,)


def _shadow_arrays(results: tuple[object, ...]) -> tuple[NDArray[np.float64] | None, ...]:
    pairs = [as_shadow(x).pair if isinstance(x, Shadow) else None for x in results]
    return tuple(
        None if p is None else np.asarray(as_doubles(p.high)).astype(np.float64) for p in pairs
    )


def _check(shadows: tuple[object, ...], results: Results) -> tuple[NDArray[np.float64] | None, ...]:
    """Return the shadows; raise NoShadowError unless the halves are those of the plain run."""
    if len(shadows) != len(results) or not all(map(equal_up_to_nans, map(plain, shadows), results)):
        raise NoShadowError("another run returns different results")
    known = _shadow_arrays(shadows)
    if all(one is None for one in known):
        raise NoShadowError("its results have lost their shadow")
    return known


def _reason(task: Task, error: BaseException) -> str:
    site = site_of_error(error, RUNNER)
    where = "" if site is None else f" at {describe(site, task.name)}"
    kind = "" if isinstance(error, NoShadowError) else f"{type(error).__name__}: "
    return f"{kind}{(str(error).splitlines() or [''])[0]}{where}"
