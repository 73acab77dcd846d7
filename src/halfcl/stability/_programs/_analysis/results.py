"""Comparison of the outputs of a program's runs."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl.stability import THRESHOLD, _measures as measures
from halfcl.stability._measures import Scale
from halfcl.stability._programs._analysis.outputs import (
    Doubles,
    Output,
    describe_difference,
    flatten,
    output_of_text,
)
from halfcl.stability._programs._analysis.references import (
    are_certain,
    are_within,
    difference_from_reference,
    printed_resolution,
    replace_types,
)
from halfcl.stability._programs._analysis.texts import differing_lines, drop_lines
from halfcl.stability._programs._running.child import Outcome
from halfcl.stability._programs._wording import FARTHEST

#: Names of standard output and of the exit status among the results.
PRINTED = "output"
STATUS = "exit status"

#: Share of a random array's elements that may be equal in two runs by chance.
BY_CHANCE = 0.01


def collect_outputs(outcome: Outcome) -> dict[str, Output]:
    """Return all results of a run, by name.

    They are watched results, variables, files, and printed text.
    """
    files = outcome.files
    printed = {PRINTED: output_of_text(outcome.printed)} if outcome.printed.strip() else {}
    kinds = {
        "file": {name: Output((part,)) for name, part in files.numbers.items()}
        | {name: output_of_text(text) for name, text in files.texts.items()},
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


class Judgement(NamedTuple):
    """How far a result is off in ulps, or else how far it spreads; and whether it is stable."""

    distance: float
    is_stable: bool


class Result:
    """One result in all runs.

    outputs: the output of each run, with the run's name; the first run is the one to nearest.
    agains: the outputs of other runs to nearest. repeats: the elements that are equal in all runs
    to nearest: only these count. None if these runs differ in shape. dropped_lines: lines of a text
    whose words differ in runs to nearest; no run compares them. scale: the unit in which
    differences count, in place of the elements' own ulps. truth: the exact elements, if known; else
    those of the reference run count, if it is passed to `compare_with`.
    """

    def __init__(
        self,
        name: str,
        outputs: Sequence[tuple[str, Output | None]],
        *agains: Output | None,
        scale: Scale | None = None,
        truth: Doubles | None = None,
    ):
        self.name, self.scale, self.truth = name, scale, truth
        self._agains = agains
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
        #: The result in the reference run; None if that is unknown, or cannot be compared.
        self.reference: Output | None = None
        #: Why the result cannot be compared with the reference: it has other words or shapes.
        self.reference_difference = ""
        self._check: Output | None = None
        self._references: tuple[Output | None, Output | None] | None = None

    def compare_with(self, reference: Output | None, check: Output | None = None) -> None:
        """Set the output of the reference run; None means that it lacks the result.

        Call it before any other method. It has no effect if the exact elements are known.

        check: the output of a second reference run, in longer arithmetic, if there is one.

        Other words or shapes of a reference that did not follow the program count as unknown.
        """
        self._references = reference, check
        own = self._without_lines(reference, replace_types)
        first = None if self.outputs[0][1] is None else self.first
        if self.truth is not None or (own is None and first is None):
            return
        difference = difference_from_reference(self.first, own)
        if difference and own is not None and own.is_touched:
            return
        self.reference_difference = difference
        if not difference:
            self.reference, self._check = own, self._without_lines(check, replace_types)

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
        return self.first.size

    @cached_property
    def different(self) -> dict[str, str]:
        """Runs whose output has other words or shapes, by name, with a description."""
        descriptions = {}
        for name, output in self.outputs[1:]:
            description = describe_difference(self.first, output)
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
        return np.stack([flatten(output) for output in self.comparable.values()])

    @property
    def counted(self) -> NDArray[np.bool_]:
        """The elements that count, as a mask."""
        return np.ones(self.size, bool) if self.repeats is None else self.repeats

    @cached_property
    def spread(self) -> Doubles:
        """The ulps, or units of the scale, from the least to the largest value of each element.

        0 where runs print values that differ by no more than the last digit.
        """
        runs, counts = self.runs, self.counted
        if self._resolution is not None:
            with np.errstate(invalid="ignore"):  # the minimum of a NaN
                low, high = runs.min(axis=0), runs.max(axis=0)
            counts = counts & ~are_within(low, high, self._resolution)
        return np.where(counts, measures.spread(list(runs), self.units), 0.0)

    @cached_property
    def _resolution(self) -> Doubles | None:
        """The unit of the last digit of each printed number; None if the result is no text."""
        outputs = list(self.comparable.values())
        return printed_resolution([*outputs, *([self.reference] if self.reference else [])])

    @cached_property
    def exact(self) -> Doubles | None:
        """The exact elements, as known or by the reference run; None if they are unknown."""
        if self.truth is not None or self.reference is None:
            return self.truth
        return flatten(self.reference)

    @cached_property
    def error(self) -> Doubles:
        """The ulps, or units of the scale, from each element to its exact value; NaN if unknown."""
        if self.exact is None:
            return np.full(self.size, np.nan)
        error = measures.error(self.runs[0], self.exact, self.units)
        if self._resolution is not None:
            is_right = are_within(self.runs[0], self.exact, self._resolution)
            error = np.where(is_right, 0.0, error)
        if self.reference is not None and self._check is not None:
            error = np.where(are_certain(self.reference, self._check, self.units), error, np.nan)
        return np.where(self.counted, np.where(self.touched, np.nan, error), 0.0)

    @property
    def touched(self) -> NDArray[np.bool_]:
        """The elements that may depend on what the reference run did not follow, as a mask."""
        touched = None if self.reference is None else self.reference.touched
        return np.zeros(self.size, bool) if touched is None or self.truth is not None else touched

    @property
    def decided_by(self) -> str:
        """Name what the verdict on the result rests on."""
        if self.truth is not None:
            return "truth"
        unknown = int(np.count_nonzero(np.isnan(self.error)))
        if self.reference_difference or (self.reference is not None and not unknown):
            return "reference"
        if self.reference is None or unknown == np.count_nonzero(self.counted):
            return "spread"
        return f"spread for {unknown} of {self.size}"

    @property
    def largest_error(self) -> float:
        """The largest known error; NaN if none is known, infinite for other words or shapes."""
        if self.reference_difference:
            return np.inf
        known = self.error[~np.isnan(self.error)]
        return float(known.max()) if known.size else np.nan

    @cached_property
    def units(self) -> Doubles | None:
        """The scale's unit for each element; None without a scale. Each part has one of its own."""
        return self._for_elements(measures.unit_of)

    @cached_property
    def sizes(self) -> Doubles | None:
        """The scale's magnitude for each element, to which digits are relative; None without."""
        return self._for_elements(measures.size_of)

    def _for_elements(
        self, measure: Callable[[Scale | None, ArrayLike], float | None]
    ) -> Doubles | None:
        if self.scale is None:
            return None
        values = self.runs[0]
        if self.exact is not None:
            values = np.where(self.touched, values, self.exact)
        ends = np.cumsum([part.size for part in self.first.parts])[:-1]
        parts = np.split(values, ends) if self.first.parts else []
        numbers = [np.full(part.size, measure(self.scale, part)) for part in parts]
        return np.concatenate(numbers) if numbers else np.empty(0)

    @cached_property
    def samples(self) -> Doubles:
        """The numbers of the comparable runs that round at random, one row each."""
        rows = [k for k, name in enumerate(self.comparable) if is_random(name)]
        return self.runs[rows]

    @cached_property
    def digits(self) -> Doubles:
        """The significant digits of each element by CADNA's estimate over the random runs.

        NaN if there are too few such runs.
        """
        estimate = digits_of(self.samples, self.sizes)
        return np.where(self.counted, estimate, measures.PRECISION_IN_DIGITS)

    @property
    def tiny_count(self) -> int:
        """The number of elements too small for a half that have no digit, but are not bad."""
        are_tiny = np.abs(self.runs).max(axis=0) < measures.SMALLEST_SUBNORMAL
        return int(np.count_nonzero(are_tiny & ~self.are_bad & (self.digits < 1)))

    @cached_property
    def true_digits(self) -> Doubles:
        """The correct decimal digits of each element in the run to nearest; NaN if unknown."""
        if self.exact is None:
            return np.full(self.size, np.nan)
        known = measures.true_digits(self.runs[0], self.exact, self.sizes)
        known = np.where(self.error == 0, measures.PRECISION_IN_DIGITS, known)
        return np.where(np.isnan(self.error) & self.counted, np.nan, known)

    @cached_property
    def least_digits(self) -> float:
        """The least digits of all elements; NaN if unknown.

        0 if another run or the reference has other words or shapes, or an element is not finite.
        Where the exact element is known, its true digits count in place of the estimate.
        """
        if self.different or self.reference_difference or self.not_finite:
            return 0.0
        digits = np.where(np.isnan(self.true_digits), self.digits, self.true_digits)
        digits = digits[self.counted]
        return float(digits.min(initial=measures.PRECISION_IN_DIGITS))

    @cached_property
    def verdict(self) -> NDArray[np.str_]:
        """The verdict on each element: see `measures.verdict`. Those left out are stable.

        Here it is "not finite" for each infinity and NaN that the exact results do not share, also
        if these are beyond half's range.
        """
        words = measures.verdict(self.runs[0], self.spread, self.error, self.exact, THRESHOLD)
        if self.reference_difference:
            words = np.where(words == "stable", "off", words)
        by_right = np.isin(words, ("infinite", "undefined"))
        words = np.where(np.isfinite(self.runs[0]) | by_right, words, "not finite")
        return np.where(self.counted, words, "stable")

    @property
    def are_bad(self) -> NDArray[np.bool_]:
        """The elements with a bad verdict, as a mask."""
        return measures.is_bad(self.verdict)

    @cached_property
    def verdict_counts(self) -> Counter[str]:
        """The number of elements with each verdict."""
        return Counter(self.verdict.tolist())

    @property
    def not_finite(self) -> int:
        """The number of infinities and NaNs that the reference does not share, as far as known."""
        return self.verdict_counts["not finite"]

    @cached_property
    def disagreeing(self) -> int:
        """The number of elements with a bad verdict."""
        return int(np.count_nonzero(self.are_bad))

    @property
    def is_stable(self) -> bool:
        """True if no run has other words or shapes, and no element has a bad verdict."""
        return not (self.different or self.reference_difference or self.disagreeing)

    @property
    def judgement(self) -> Judgement:
        """The judgement on the result."""
        if self.different or self.reference_difference:
            return Judgement(FARTHEST, False)
        distance = self.largest_error
        if np.isnan(distance):
            distance = float(self.spread.max(initial=0.0))
        return Judgement(min(distance, FARTHEST), self.is_stable)

    def judge(self, outputs: Sequence[Output | None]) -> Judgement:
        """Return the judgement on the same result in other runs, the first one to nearest."""
        other = self._in_runs(outputs)
        return Judgement(FARTHEST, False) if other is None else other.judgement

    def _in_runs(self, outputs: Sequence[Output | None]) -> Result | None:
        """Return the same result in other runs; None if it has another number of elements."""
        runs = [(f"run {k}", output) for k, output in enumerate(outputs)]
        other = Result(self.name, runs, *self._agains, scale=self.scale, truth=self.truth)
        if other.size != self.size:
            return None
        other.repeats = self.repeats
        if self._references is not None:
            other.compare_with(*self._references)
        return other

    @property
    def needs_spread(self) -> bool:
        """True if a run to nearest alone does not tell whether a change mends it."""
        if self.reference_difference:
            return False
        are_unknown = np.isnan(self.error) & self.are_bad
        return bool(are_unknown.any()) or not self.disagreeing

    def share_removed(self, outputs: Sequence[Output | None]) -> float:
        """Return the share of how far it is off that is gone in other runs; 0 if it is farther.

        It is the share of the worst element or, if that is more, the mean over the bad elements.
        """
        other = self._in_runs(outputs)
        if other is None:
            return 0.0
        before, after = self._distances, other._distances
        bad = self.are_bad & (before > 0)
        if not bad.any():  # Only words differ.
            return float(other.is_stable)
        shares = np.clip(1 - after[bad] / before[bad], 0.0, 1.0)
        of_worst = float(1 - after.max() / before.max())
        return max(of_worst, float(shares.mean()), 0.0)

    @property
    def _distances(self) -> Doubles:
        """How far each element is off in ulps, or else how far it spreads; at most `FARTHEST`."""
        distances = np.where(np.isnan(self.error), self.spread, self.error)
        if self.reference_difference:
            distances = np.full(self.size, np.inf)
        capped: Doubles = np.minimum(np.nan_to_num(distances, nan=np.inf), FARTHEST)
        return capped

    @cached_property
    def wider_type(self) -> str:
        """The type of its arrays if that is wider than half; empty otherwise, and for text."""
        types = {
            str(part.dtype) for part in self.first.parts if part.ndim and part.dtype.kind == "f"
        }
        wider = sorted(types - {"float16"})
        return wider[0] if wider and not self.first.text else ""

    def distances(self, one: Output | None, other: Output | None) -> tuple[float, float]:
        """Return how far two runs are apart: in their finite numbers, and in all else.

        The first is the largest distance in ulps of elements that count and are finite in both. The
        second is `FARTHEST` if an infinity or a NaN appears or disappears, or words or shapes
        differ; else 0.
        """
        one, other = self._without_lines(one), self._without_lines(other)
        if one is None or other is None or describe_difference(one, other):
            return 0.0, FARTHEST
        gap = measures.spread([flatten(one), flatten(other)], self.units)[self.counted]
        finite = np.isfinite(gap)
        farthest = min(float(gap[finite].max(initial=0.0)), FARTHEST)
        return farthest, 0.0 if finite.all() else FARTHEST

    def _without_lines(
        self, output: Output | None, edit: Callable[[str], str] = str
    ) -> Output | None:
        """Return an output without the dropped lines; `edit` replaces words in all texts before."""
        if output is None or not self._lines:
            return output
        rest = drop_lines(edit(self._text), self._lines, edit(output.text))
        if rest is None:
            return output  # `different` then reports its other words
        text, numbers = rest
        formats = None if output.formats is None else output.formats.select(numbers)
        touched = None if output.touched is None else output.touched[numbers]
        parts = (output.parts[0][numbers],)
        return Output(parts, text, formats, touched)


def _lines_to_drop(first: Output | None, again: Output | None) -> frozenset[int]:
    """Return the lines whose words differ in two runs in one mode; none if texts do not align."""
    if first is None or again is None or not (first.text and again.text):
        return frozenset()
    return differing_lines(first.text, again.text) or frozenset()


def is_random(name: str) -> bool:
    """Tell whether a run with this name rounds at random."""
    return name.startswith("random")


def digits_of(samples: Doubles, sizes: Doubles | None = None) -> Doubles:
    """Return CADNA's estimate of the significant digits of numbers.

    samples: a row for each run that rounds at random. sizes: the magnitudes to which digits are
    relative, in place of those of the means. NaN if there are too few rows; 0 where any is infinite
    or NaN.
    """
    return measures.significant_digits(samples, sizes)


def _equal_elements(one: Output, other: Output | None) -> NDArray[np.bool_] | None:
    """Return where two runs in one mode agree; None if their shapes differ."""
    if describe_difference(one, other) or other is None:
        return None
    a, b = flatten(one), flatten(other)
    return np.asarray((a == b) | (np.isnan(a) & np.isnan(b)))
