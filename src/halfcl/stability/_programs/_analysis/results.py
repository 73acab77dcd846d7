"""Comparison of the outputs of a program's runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.stability import THRESHOLD, _measures as measures
from halfcl.stability._programs._analysis.texts import differing_lines, drop_lines, first_difference
from halfcl.stability._programs._recording.numbers import parse_numbers
from halfcl.stability._programs._recording.watching import Numbers
from halfcl.stability._programs._running.child import Outcome
from halfcl.stability._programs._wording import FARTHEST

Doubles: TypeAlias = NDArray[np.float64]

#: Names of standard output and of the exit status among the results.
PRINTED = "output"
STATUS = "exit status"

#: Share of a random array's elements that may be equal in two runs by chance.
BY_CHANCE = 0.01


@dataclass(frozen=True)
class Output:
    """The value of one result in one run.

    parts: its numbers; one array per call for a result that was watched several times. text: the
    text around the numbers.
    """

    parts: tuple[Numbers, ...]
    text: str = ""

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the parts."""
        return [part.shape for part in self.parts]


def collect_outputs(outcome: Outcome) -> dict[str, Output]:
    """Return all results of a run, by name.

    They are watched results, variables, files, and printed text.
    """
    files = outcome.files
    printed = {PRINTED: _output_of_text(outcome.printed)} if outcome.printed.strip() else {}
    kinds = {
        "file": {name: Output((part,)) for name, part in files.numbers.items()}
        | {name: _output_of_text(text) for name, text in files.texts.items()},
        "watched": {name: Output(tuple(parts)) for name, parts in outcome.watched.items()},
        "printed": printed,
        "variable": {name: Output((part,)) for name, part in outcome.globals.items()},
    }
    outputs: dict[str, Output] = {}
    for kind, results in kinds.items():
        for name, output in results.items():  # a file may be called output: compare both
            outputs[f"{name}, {kind}" if name in outputs else name] = output
    if outcome.status:
        outputs[STATUS] = Output((np.array(outcome.status),))
    return outputs


class NameMatcher:
    """Matches names of results that differ from run to run, such as names with the time.

    A result of another run with a similar name is compared with the first run's result.

    first, again: the outputs of two runs to nearest.

    >>> from halfcl.stability._programs._analysis.results import NameMatcher, Output
    >>> names = NameMatcher({"x7.npy": Output(())}, {"x9.npy": Output(())})
    >>> list(names.align({"x15.npy": Output(()), "y15.npy": Output(())}))
    ['x7.npy', 'y15.npy']
    """

    def __init__(self, first: Mapping[str, Output], again: Mapping[str, Output]):
        own = _by_shape(name for name in first if name not in again)
        other = _by_shape(name for name in again if name not in first)
        self._first = first
        #: Names in the first run by shape, for shapes that a single result has.
        self._names = {
            shape: names[0]
            for shape, names in own.items()
            if len(names) == 1 and len(other.get(shape, ())) == 1
        }

    def align(self, results: Mapping[str, Output]) -> dict[str, Output]:
        """Return a run's results, with similar names replaced by those of the first run."""
        firsts: dict[str, str] = {}
        for shape, names in _by_shape(name for name in results if name not in self._first).items():
            if len(names) == 1 and shape in self._names:
                firsts.setdefault(names[0], self._names[shape])
        if len(set(firsts.values())) < len(firsts):
            return dict(results)  # two results match one name: ambiguous
        return {firsts.get(name, name): output for name, output in results.items()}


def _by_shape(names: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Group names that differ only in digits, and names of equal length in one folder."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in names:
        folder, base = os.path.split(name)
        stem, dot, ending = base.partition(".")
        shapes = (re.sub(r"\d+", "#", name), ""), (folder, f"{len(stem)}{dot}{ending}")
        for shape in shapes:
            groups.setdefault(shape, []).append(name)
    return groups


def _output_of_text(text: str) -> Output:
    numbers, rest = parse_numbers(text)
    return Output((numbers,), rest)


class Result:
    """One result in all runs.

    outputs: the output of each run, with the run's name; the first run is the one to nearest.
    agains: the outputs of other runs to nearest. repeats: the elements that are equal in all runs
    to nearest: only these count. None if these runs differ in shape. dropped_lines: lines of a text
    whose words differ in runs to nearest; no run compares them.
    """

    def __init__(
        self, name: str, outputs: Sequence[tuple[str, Output | None]], *agains: Output | None
    ):
        self.name = name
        first = outputs[0][1]
        self._text = "" if first is None else first.text
        self._lines = frozenset[int]().union(*(_lines_to_drop(first, again) for again in agains))
        self.dropped_lines = [
            line.replace("\0", "#").strip()
            for k, line in enumerate(self._text.split("\n"))
            if k in self._lines
        ]
        self.outputs = [(run, self._without_lines(output)) for run, output in outputs]
        first = self.outputs[0][1]
        self.first = Output(()) if first is None else first
        self.repeats: NDArray[np.bool_] | None = np.ones(self.size, bool)
        for again in map(self._without_lines, agains):
            # Two runs to nearest that both lack the result agree.
            same = _equal_elements(self.first, Output(()) if again is first is None else again)
            self.repeats = None if same is None or self.repeats is None else self.repeats & same

    @property
    def is_left_out(self) -> bool:
        """True if no element counts, since two runs to nearest differ in all of them.

        The few elements of a random array that are equal by chance do not count either.
        """
        if self.dropped_lines and not self.size and not self.first.text.strip():
            return True
        if self.repeats is None:
            return True
        least = 0 if self.first.text else BY_CHANCE * self.size
        return self.size > 0 and int(np.count_nonzero(self.repeats)) <= least

    @property
    def compared_count(self) -> int:
        """The number of compared elements; 0 for an exit status, which is no numerical result."""
        return 0 if self.name == STATUS else int(np.count_nonzero(self.counted))

    @property
    def size(self) -> int:
        """The number of elements."""
        return sum(part.size for part in self.first.parts)

    @cached_property
    def different(self) -> dict[str, str]:
        """Runs whose output has other words or shapes, by name, with a description."""
        descriptions = {}
        for name, output in self.outputs[1:]:
            description = _describe_difference(self.first, output)
            if description:
                descriptions[name] = description
        return descriptions

    @cached_property
    def comparable(self) -> dict[str, Output]:
        """Outputs with as many numbers as the first run's, which is one of them, by run."""
        first = {self.outputs[0][0]: self.first}
        return first | {
            name: output
            for name, output in self.outputs[1:]
            if output is not None and name not in self.different
        }

    @cached_property
    def runs(self) -> Doubles:
        """The numbers of the comparable runs, one row each."""
        return np.stack([_flatten(output) for output in self.comparable.values()])

    @property
    def counted(self) -> NDArray[np.bool_]:
        """The elements that count, as a mask."""
        return np.ones(self.size, bool) if self.repeats is None else self.repeats

    @cached_property
    def spread(self) -> Doubles:
        """The ulps from the least to the largest value of each element over all runs."""
        return np.where(self.counted, measures.spread(list(self.runs)), 0.0)

    @cached_property
    def digits(self) -> Doubles:
        """The significant decimal digits of each element by CADNA's estimate over all runs."""
        return np.where(self.counted, digits_of(self.runs), measures.PRECISION_IN_DIGITS)

    @property
    def tiny_count(self) -> int:
        """The number of elements without a digit that agree since they are below the threshold."""
        limit = THRESHOLD * float(np.finfo(np.float16).smallest_subnormal)
        are_tiny = np.abs(self.runs).max(axis=0) <= limit
        return int(np.count_nonzero(are_tiny & (self.spread <= THRESHOLD) & (self.digits < 1)))

    @cached_property
    def least_digits(self) -> float:
        """The least digits of all elements; 0 if a run is in `different`."""
        if self.different:
            return 0.0
        return float(self.digits.min(initial=measures.PRECISION_IN_DIGITS))

    @cached_property
    def disagreeing(self) -> int:
        """The number of elements whose spread exceeds the threshold."""
        return int(np.count_nonzero(self.spread > THRESHOLD))

    @property
    def is_stable(self) -> bool:
        """True if all runs agree within the threshold."""
        return not self.different and not self.disagreeing

    @cached_property
    def wider_type(self) -> str:
        """The type of its arrays if that is wider than half; empty otherwise, and for text."""
        types = {
            str(part.dtype) for part in self.first.parts if part.ndim and part.dtype.kind == "f"
        }
        wider = sorted(types - {"float16"})
        return wider[0] if wider and not self.first.text else ""

    def distance(self, one: Output | None, other: Output | None) -> float:
        """Return the largest distance of any element that counts between two runs, in ulps."""
        one, other = self._without_lines(one), self._without_lines(other)
        if one is None or other is None or _describe_difference(one, other):
            return FARTHEST
        gap = measures.spread([_flatten(one), _flatten(other)])[self.counted]
        return min(float(gap.max(initial=0.0)), FARTHEST)

    def _without_lines(self, output: Output | None) -> Output | None:
        """Return an output without the dropped lines."""
        if output is None or not self._lines:
            return output
        rest = drop_lines(self._text, self._lines, output.text)
        if rest is None:
            return output  # `different` then reports its other words
        text, numbers = rest
        return replace(output, parts=(output.parts[0][numbers],), text=text)


def _lines_to_drop(first: Output | None, again: Output | None) -> frozenset[int]:
    """Return the lines whose words differ in two runs in one mode; none if texts do not align."""
    if first is None or again is None or not (first.text and again.text):
        return frozenset()
    return differing_lines(first.text, again.text) or frozenset()


def digits_of(runs: Doubles) -> Doubles:
    """Return CADNA's estimate of the significant digits of numbers, given a row for each run.

    Elements that are equal in all runs, also infinities and NaNs, have all digits.
    """
    most = measures.PRECISION_IN_DIGITS
    if len(runs) < 2:
        return np.full(runs.shape[1:], most)
    same = ((runs == runs[0]) | (np.isnan(runs) & np.isnan(runs[0]))).all(axis=0)
    with np.errstate(all="ignore"):
        return np.where(same, most, measures.significant_digits(runs))


def _flatten(output: Output) -> Doubles:
    parts = [np.asarray(part, np.float64).reshape(-1) for part in output.parts]
    return np.concatenate(parts) if parts else np.empty(0)


def _equal_elements(one: Output, other: Output | None) -> NDArray[np.bool_] | None:
    """Return where two runs in one mode agree; None if their shapes differ."""
    if _describe_difference(one, other) or other is None:
        return None
    a, b = _flatten(one), _flatten(other)
    return np.asarray((a == b) | (np.isnan(a) & np.isnan(b)))


def _describe_difference(one: Output, other: Output | None) -> str:
    """Describe an output that cannot be compared with the first by numbers; empty if it can."""
    if other is None:
        return "there is no value"
    if not one.parts and other.parts:
        return "there is a value, but none in the run to nearest"
    if len(one.parts) != len(other.parts):
        return f"there are {len(other.parts)} values, not {len(one.parts)}"
    if one.text or other.text:
        return first_difference(one.text, other.text)
    if one.shapes != other.shapes:
        a, b = next(pair for pair in zip(one.shapes, other.shapes, strict=True)
                    if pair[0] != pair[1])  # fmt: skip
        return f"the shape is {b}, not {a}"
    return ""
