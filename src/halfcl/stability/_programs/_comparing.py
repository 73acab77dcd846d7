"""What the runs of a program say, side by side."""

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
from halfcl.stability._programs._child import Outcome
from halfcl.stability._programs._numbers import numbers_in
from halfcl.stability._programs._texts import differing_lines, other_words, without_lines
from halfcl.stability._programs._watching import Numbers
from halfcl.stability._programs._wording import FARTHEST

Doubles: TypeAlias = NDArray[np.float64]

#: What standard output is called among the results.
PRINTED = "output"
STATUS = "exit status"


@dataclass(frozen=True)
class Said:
    """One result of one run.

    Attributes
    ----------
    parts : tuple of arrays
        Its numbers; of what was watched several times, those of each time.
    text : str
        What is around them.
    """

    parts: tuple[Numbers, ...]
    text: str = ""

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of the parts."""
        return [part.shape for part in self.parts]


def said_by(outcome: Outcome) -> dict[str, Said]:
    """All results of a run, by name.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    dict
        Watched ones, the program's variables, files, and numbers printed.
    """
    written = outcome.written
    printed = {PRINTED: _said_in_text(outcome.printed)} if outcome.printed.strip() else {}
    kinds = {
        "file": {name: Said((part,)) for name, part in written.numbers.items()}
        | {name: _said_in_text(text) for name, text in written.texts.items()},
        "watched": {name: Said(tuple(parts)) for name, parts in outcome.watched.items()},
        "printed": printed,
        "variable": {name: Said((part,)) for name, part in outcome.globals.items()},
    }
    found: dict[str, Said] = {}
    for kind, results in kinds.items():
        for name, said in results.items():  # a file may be called output: both are compared
            found[f"{name}, {kind}" if name in found else name] = said
    if outcome.status:
        found[STATUS] = Said((np.array(outcome.status),))
    return found


class Names:
    """Names of results that are not the same twice, such as those that have the time.

    A result of another run that is named alike is compared with the first run's.

    Parameters
    ----------
    first, again : dict
        What two runs to nearest say.

    Examples
    --------
    >>> from halfcl.stability._programs._comparing import Names, Said
    >>> names = Names({"x7.npy": Said(())}, {"x9.npy": Said(())})
    >>> list(names.align({"x15.npy": Said(()), "y15.npy": Said(())}))
    ['x7.npy', 'y15.npy']
    """

    def __init__(self, first: Mapping[str, Said], again: Mapping[str, Said]):
        own = _by_shape(name for name in first if name not in again)
        other = _by_shape(name for name in again if name not in first)
        self._first = first
        #: First names by shape, of shapes that are one result's.
        self._names = {
            shape: names[0]
            for shape, names in own.items()
            if len(names) == 1 and len(other.get(shape, ())) == 1
        }

    def align(self, results: Mapping[str, Said]) -> dict[str, Said]:
        """Return a run's results, those that are named alike by the first run's names."""
        firsts: dict[str, str] = {}
        for shape, names in _by_shape(name for name in results if name not in self._first).items():
            if len(names) == 1 and shape in self._names:
                firsts.setdefault(names[0], self._names[shape])
        if len(set(firsts.values())) < len(firsts):
            return dict(results)  # It is in doubt which is which.
        return {firsts.get(name, name): said for name, said in results.items()}


def _by_shape(names: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Group names that differ in their numbers alone, and those of one length in one folder."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in names:
        folder, base = os.path.split(name)
        stem, dot, ending = base.partition(".")
        shapes = (re.sub(r"\d+", "#", name), ""), (folder, f"{len(stem)}{dot}{ending}")
        for shape in shapes:
            groups.setdefault(shape, []).append(name)
    return groups


def _said_in_text(text: str) -> Said:
    numbers, rest = numbers_in(text)
    return Said((numbers,), rest)


class Result:
    """One result in all runs.

    Attributes
    ----------
    name : str
    of_runs : list of (str, Said or None)
        What each run said, by the run's name; the first run is the one to nearest.
    repeats : bool array
        Which elements are the same in two runs to nearest: only these count.
    dropped : list of str
        Lines of a text whose words differ in two runs to nearest, which no run is asked for.
    """

    def __init__(self, name: str, of_runs: Sequence[tuple[str, Said | None]], again: Said | None):
        self.name = name
        first = of_runs[0][1]
        self._text = "" if first is None else first.text
        self._lines = _lines_to_drop(first, again)
        self.dropped = [
            line.replace("\0", "#").strip()
            for k, line in enumerate(self._text.split("\n"))
            if k in self._lines
        ]
        self.of_runs = [(run, self._without_lines(said)) for run, said in of_runs]
        first, again = self.of_runs[0][1], self._without_lines(again)
        self.first = Said(()) if first is None else first
        # What two runs to nearest do not say at all, they agree on.
        self.repeats = _same_elements(self.first, Said(()) if again is first is None else again)

    @property
    def is_left_out(self) -> bool:
        """Whether nothing of it counts, since it is never the same twice."""
        if self.dropped and not self.size and not self.first.text.strip():
            return True
        return self.repeats is None or (self.size > 0 and not self.repeats.any())

    @property
    def compared(self) -> int:
        """How many numbers of it are compared: an exit status says only how it ended."""
        return 0 if self.name == STATUS else int(np.count_nonzero(self.kept))

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return sum(part.size for part in self.first.parts)

    @cached_property
    def others(self) -> dict[str, str]:
        """Runs that gave no such numbers, and what they gave."""
        found = {}
        for name, said in self.of_runs[1:]:
            why = _difference(self.first, said)
            if why:
                found[name] = why
        return found

    @cached_property
    def alike(self) -> dict[str, Said]:
        """What the runs said that have as many numbers as the first, which is one of them."""
        first = {self.of_runs[0][0]: self.first}
        return first | {
            name: said
            for name, said in self.of_runs[1:]
            if said is not None and name not in self.others
        }

    @cached_property
    def runs(self) -> Doubles:
        """The numbers of these runs, a row each."""
        return np.stack([_flat(said) for said in self.alike.values()])

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which elements count."""
        return np.ones(self.size, bool) if self.repeats is None else self.repeats

    @cached_property
    def spread(self) -> Doubles:
        """Ulps from the least to the largest of all runs, element by element."""
        return np.where(self.kept, measures.spread(list(self.runs)), 0.0)

    @cached_property
    def digits(self) -> Doubles:
        """Significant decimal digits by CADNA's estimate, over all runs, element by element."""
        return np.where(self.kept, digits_of(self.runs), measures.PRECISION_IN_DIGITS)

    @property
    def tiny(self) -> int:
        """How many elements have no digit, though they agree: the threshold is larger than they."""
        limit = THRESHOLD * float(np.finfo(np.float16).smallest_subnormal)
        are_tiny = np.abs(self.runs).max(axis=0) <= limit
        return int(np.count_nonzero(are_tiny & (self.spread <= THRESHOLD) & (self.digits < 1)))

    @cached_property
    def least_digits(self) -> float:
        """Of all elements; 0 where a run gave something else altogether."""
        if self.others:
            return 0.0
        return float(self.digits.min(initial=measures.PRECISION_IN_DIGITS))

    @cached_property
    def disagree(self) -> int:
        """How many elements spread beyond the threshold."""
        return int(np.count_nonzero(self.spread > THRESHOLD))

    @property
    def is_stable(self) -> bool:
        """Whether all runs agree within the threshold."""
        return not self.others and not self.disagree

    @cached_property
    def wide(self) -> str:
        """The type of its arrays if that is wider than half; empty for others, and for text."""
        types = {
            str(part.dtype) for part in self.first.parts if part.ndim and part.dtype.kind == "f"
        }
        wider = sorted(types - {"float16"})
        return wider[0] if wider and not self.first.text else ""

    def distance(self, one: Said | None, other: Said | None) -> float:
        """The ulps from one run to another: of all elements that count the most."""
        one, other = self._without_lines(one), self._without_lines(other)
        if one is None or other is None or _difference(one, other):
            return FARTHEST
        gap = measures.spread([_flat(one), _flat(other)])[self.kept]
        return min(float(gap.max(initial=0.0)), FARTHEST)

    def _without_lines(self, said: Said | None) -> Said | None:
        """What a run said, without the lines that drop out."""
        if said is None or not self._lines:
            return said
        rest = without_lines(self._text, self._lines, said.text)
        if rest is None:
            return said  # its other words are told as what is different
        text, numbers = rest
        return replace(said, parts=(said.parts[0][numbers],), text=text)


def _lines_to_drop(first: Said | None, again: Said | None) -> frozenset[int]:
    """The lines of a text whose words are not the same twice; none if all of them are others."""
    if first is None or again is None or not (first.text and again.text):
        return frozenset()
    return differing_lines(first.text, again.text) or frozenset()


def digits_of(runs: Doubles) -> Doubles:
    """CADNA's estimate of the significant digits of numbers, a row for each run.

    All digits where all runs give the same, infinities and NaNs, too.
    """
    most = measures.PRECISION_IN_DIGITS
    if len(runs) < 2:
        return np.full(runs.shape[1:], most)
    same = ((runs == runs[0]) | (np.isnan(runs) & np.isnan(runs[0]))).all(axis=0)
    with np.errstate(all="ignore"):
        return np.where(same, most, measures.significant_digits(runs))


def _flat(said: Said) -> Doubles:
    parts = [np.asarray(part, np.float64).reshape(-1) for part in said.parts]
    return np.concatenate(parts) if parts else np.empty(0)


def _same_elements(one: Said, other: Said | None) -> NDArray[np.bool_] | None:
    """Where two runs in one mode agree; None if they have not even the same shapes."""
    if _difference(one, other) or other is None:
        return None
    a, b = _flat(one), _flat(other)
    return np.asarray((a == b) | (np.isnan(a) & np.isnan(b)))


def _difference(one: Said, other: Said | None) -> str:
    """What another run gave that cannot be set beside the first; empty if it can."""
    if other is None:
        return "nothing"
    if not one.parts and other.parts:
        return "something, where the run to nearest says nothing"
    if len(one.parts) != len(other.parts):
        return f"{len(other.parts)} times, not {len(one.parts)}"
    if one.text or other.text:
        return other_words(one.text, other.text)
    if one.shapes != other.shapes:
        a, b = next(pair for pair in zip(one.shapes, other.shapes, strict=True)
                    if pair[0] != pair[1])  # fmt: skip
        return f"shape {b}, not {a}"
    return ""
