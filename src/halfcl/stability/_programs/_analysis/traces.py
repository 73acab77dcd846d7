"""Compares the traces of runs: branches, and digits of variables over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halfcl.stability import _measures as measures
from halfcl.stability._programs._analysis.results import digits_of, is_random
from halfcl.stability._programs._recording.tracing import Trace
from halfcl.stability._programs._wording import FARTHEST


@dataclass(frozen=True)
class Branch:
    """A branch that some runs take differently from the run to nearest.

    runs: names of these runs. file, line: the last line that they have in common with the run to
    nearest.
    """

    runs: tuple[str, ...]
    file: str
    line: int


@dataclass(frozen=True)
class Moment:
    """The digits of a variable at one step.

    step, file, line, name: as in `Value`. digits: the median of the digits of some of its elements
    by the random runs. spread: the median of the spread, in ulps, of
    these elements over all runs.
    """

    step: int
    file: str
    line: int
    name: str
    digits: float
    spread: float


def branches(traces: Sequence[tuple[str, Trace]]) -> list[Branch]:
    """Return the first branch that each run takes differently from the first run, in order.

    traces: the name and trace of each run.
    """
    first = traces[0][1]
    names_by_place: dict[tuple[str, int], list[str]] = {}
    last_steps = [(_last_common_step(first, trace), name) for name, trace in traces[1:]]
    for step, name in sorted((step, name) for step, name in last_steps if step is not None):
        names_by_place.setdefault(first.place(step), []).append(name)
    return [Branch(tuple(names), *place) for place, names in names_by_place.items()]


def _last_common_step(one: Trace, other: Trace) -> int | None:
    """Return the last step before two runs branch differently; None if they do not."""
    a = np.frombuffer(one.steps, np.int64) if one.steps else np.empty(0, np.int64)
    b = np.frombuffer(other.steps, np.int64) if other.steps else np.empty(0, np.int64)
    length = min(len(a), len(b))
    differences = np.flatnonzero(a[:length] != b[:length])
    if len(differences):
        return max(int(differences[0]) - 1, 0)
    same_end = len(a) == len(b) or not (one.is_whole and other.is_whole)
    return None if same_end or not length else length - 1


def moments(traces: Sequence[tuple[str, Trace]]) -> list[Moment]:
    """Return the digits of variables over time, until the first run branches differently.

    traces: the name and trace of each run. Without enough random runs there are no digits.
    """
    result: list[Moment] = []
    rows = [k for k, (name, _) in enumerate(traces) if is_random(name)]
    if len(rows) < measures.LEAST_SAMPLES:
        return result
    for values in zip(*(trace.values for _, trace in traces), strict=False):
        keys = {(v.step, v.file, v.line, v.name, v.numbers.shape) for v in values}
        if len(keys) > 1:
            break
        runs = np.stack([v.numbers.astype(np.float64) for v in values])
        spread = np.minimum(measures.spread(list(runs)), FARTHEST)
        value = values[0]
        result.append(Moment(
            value.step, value.file, value.line, value.name,
            float(np.median(digits_of(runs[rows]))), float(np.median(spread)),
        ))  # fmt: skip
    return result
