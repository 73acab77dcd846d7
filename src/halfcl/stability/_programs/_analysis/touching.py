"""Finds the results of a reference run that may depend on what it did not follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfcl.stability._programs._analysis.outputs import Output, describe_difference, flatten
from halfcl.stability._programs._analysis.results import collect_outputs
from halfcl.stability._programs._recording.numbers import FileContents
from halfcl.stability._programs._recording.watching import Numbers
from halfcl.stability._programs._reference.written import Written
from halfcl.stability._programs._running.child import Outcome

#: Gives the outputs of runs the names of those of the first run.
Align = Callable[[Mapping[str, Output]], Mapping[str, Output]]

_NONE = np.empty(0)


def mark_moved(
    outputs: Mapping[str, Output], probes: Sequence[Mapping[str, Output]]
) -> dict[str, Output]:
    """Mark the numbers of a reference run that are different in a probe (see `probing`).

    probes: the outputs of both probes. All numbers are marked of a result that a probe lacks, or
    that has other words or shapes there.
    """
    masks = {
        name: np.any([_are_moved(output, probe.get(name)) for probe in probes], axis=0)
        for name, output in outputs.items()
    }
    return _mark(outputs, masks)


def _are_moved(one: Output, other: Output | None) -> NDArray[np.bool_]:
    if other is None or describe_difference(one, other):
        return np.ones(one.size, bool)
    a, b = flatten(one), flatten(other)
    return np.asarray((a.view(np.int64) != b.view(np.int64)) & ~(np.isnan(a) & np.isnan(b)))


def mark_later(
    outputs: Mapping[str, Output], outcome: Outcome, written: Written, align: Align
) -> dict[str, Output]:
    """Mark the numbers of a reference run that it wrote later than at one moment.

    written: what it had written then.
    """
    counts = {
        name: output.size for name, output in align(_earlier_outputs(outcome, written)).items()
    }
    masks = {
        name: np.arange(output.size) >= counts.get(name, 0) for name, output in outputs.items()
    }
    return _mark(outputs, masks)


def mark_all(outputs: Mapping[str, Output]) -> dict[str, Output]:
    """Mark all numbers."""
    return _mark(outputs, {name: np.ones(output.size, bool) for name, output in outputs.items()})


def _mark(
    outputs: Mapping[str, Output], masks: Mapping[str, NDArray[np.bool_]]
) -> dict[str, Output]:
    """Return outputs with further touched numbers."""
    marked = dict(outputs)
    for name, mask in masks.items():
        before = outputs[name].touched
        marked[name] = replace(outputs[name], touched=mask if before is None else before | mask)
    return marked


def _earlier_outputs(outcome: Outcome, written: Written) -> dict[str, Output]:
    """Return as many numbers of each result as there were at a moment, under the same names."""
    calls = written.watched
    return collect_outputs(
        replace(
            outcome,
            status=0,
            watched={name: x[: calls.get(name, 0)] for name, x in outcome.watched.items()},
            printed=" ".join(["0"] * written.printed),
            globals=dict.fromkeys(outcome.globals, _NONE),
            files=_earlier_files(outcome.files, written),
        )
    )


def _earlier_files(files: FileContents, written: Written) -> FileContents:
    def is_whole(name: str) -> bool:
        """Return whether a file, or one that an array is in, was complete."""
        return any(name == own or name.startswith(f"{own}: ") for own in written.files)

    numbers: dict[str, Numbers] = {
        name: part if is_whole(name) else _NONE for name, part in files.numbers.items()
    }
    texts = {name: text if is_whole(name) else "" for name, text in files.texts.items()}
    return FileContents(numbers, texts)
