"""Compare results with correct ones: counts, errors, kinds of mistakes, the worst cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.audit._records import BUCKETS, Case, Verdict
from halfcl.audit._results import mistakes
from halfcl.audit._results.mistakes import EITHER, FLUSHES, KINDS, Array, Mask

#: Wrong results of each kind to keep.
KEPT = 5

#: Some limits are rational, and errors are known to some 1e-13: smaller excesses do not count.
_TOLERANCE = 2.0**-30

#: A tie is half an ulp, whichever way its double was rounded.
_A_LITTLE_LESS = 1 - 2.0**-40

#: The kinds, with an empty name for what may be either of two.
_NAMES = (*KINDS, "")
_FLUSHES = [KINDS.index(kind) for kind in FLUSHES]
_NANS = [KINDS.index(kind) for kind in (mistakes.NAN_FOR_NUMBER, mistakes.NUMBER_FOR_NAN)]
_ZERO_SIGN = KINDS.index(mistakes.ZERO_SIGN)

#: A profile's limit in ulps: None for no limit; an array has one limit per element.
Limit = float | Array | None


class Column(Protocol):
    """An array, or an object that returns elements at given places."""

    def __getitem__(self, places: NDArray[np.intp], /) -> Array: ...


@dataclass
class Results:
    """One result of a function for many arguments, and what it should be.

    All have one length. arguments: several columns for each vector. exact: as doubles; None if
    results are no halves. right_if_flushed: returns the correct results at some places if subnormal
    arguments were zeros.
    """

    arguments: Sequence[Column]
    got: Array
    right: Array
    exact: NDArray[np.float64] | None
    limits: tuple[Limit, Limit] = (None, None)
    right_if_flushed: Callable[[NDArray[np.intp]], Array] | None = None


@dataclass
class Tally:
    """Counts of results, errors and mistakes."""

    tested: int = 0
    wrong: int = 0
    numbers: int = 0
    total: float = 0.0
    greatest: float = 0.0
    histogram: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(BUCKETS) + 1, np.int64)
    )
    kinds: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(KINDS) + 1, np.int64))
    #: Wrong results beyond the limit of each profile, by kind.
    beyond: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros((2, len(KINDS) + 1), np.int64)
    )
    cases: list[Case] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.tested += other.tested
        self.wrong += other.wrong
        self.numbers += other.numbers
        self.total += other.total
        self.greatest = max(self.greatest, other.greatest)
        self.histogram += other.histogram
        self.kinds += other.kinds
        self.beyond += other.beyond
        self.cases = _worst([*self.cases, *other.cases])

    @property
    def mean(self) -> float:
        return self.total / self.numbers if self.numbers else 0.0

    def decide(self) -> None:
        """Decide whether undecided mistakes are flushing or wrong rounding, by all other mistakes.

        Call it after all tallies have been added.
        """
        flushing = [k for k in _FLUSHES if self.kinds[k]]
        kind = flushing[0] if flushing else KINDS.index(mistakes.ROUNDING)
        for counts in (self.kinds, *self.beyond):
            counts[kind] += counts[EITHER]
            counts[EITHER] = 0
        self.cases = _worst([replace(case, kind=case.kind or KINDS[kind]) for case in self.cases])

    @property
    def mistakes(self) -> dict[str, int]:
        """The counts by kind, the gravest first."""
        return {kind: int(n) for kind, n in zip(KINDS, self.kinds, strict=False) if n}

    def verdict(self, profile: int, limit: Limit) -> Verdict:
        """Return the verdict by OpenCL's limit in the full (0) or embedded (1) profile."""
        if not self.wrong:
            return "correct"
        if limit is None:
            return "open"
        by_flushing = self.beyond[profile, _FLUSHES].sum()
        if self.beyond[profile].sum() > by_flushing:
            return "beyond"
        return "flushes" if by_flushing else "within"


def _worst(cases: list[Case]) -> list[Case]:
    """Return some cases of each kind, the gravest kinds first."""
    cases = sorted(cases, key=_gravity)
    counts = dict.fromkeys(_NAMES, 0)
    selected = []
    for case in cases:
        counts[case.kind] += 1
        if counts[case.kind] <= KEPT:
            selected.append(case)
    return selected


def _gravity(case: Case) -> tuple[int, float, tuple[int, ...]]:
    """Return a sort key; the arguments make it unambiguous."""
    return _NAMES.index(case.kind), -abs(case.ulps or 0), case.arguments


# ---------------------------------------------------------------- errors


def errors(results: Results) -> Array:
    """Return errors in ulps; NaN where one side only is NaN, or results are no numbers."""
    if results.exact is None:
        return np.full(results.got.shape, math.nan)
    if results.got.dtype == np.float16:
        in_ulps: Array = np.asarray(hc.ulp_error(results.got, results.exact))
        return in_ulps
    with np.errstate(all="ignore"):  # a wider type holds the exact numbers
        unit = np.spacing(np.abs(results.right)).astype(np.float64)
        difference = results.got.astype(np.float64) - results.exact
        return np.where(results.got == results.right, 0.0, difference / unit)


def tally(results: Results) -> Tally:
    """Count results, errors and mistakes."""
    error = errors(results)
    counts = Tally(tested=results.got.size)
    _measure(counts, results, error)
    wrong = find_wrong(results)
    counts.wrong = int(wrong.size)
    if wrong.size:
        kinds = _kinds(results, wrong, error[wrong])
        counts.kinds += np.bincount(kinds, minlength=len(_NAMES))
        _judge(counts, results, wrong, kinds, error[wrong])
        counts.cases = _worst(_cases(results, wrong, kinds, error[wrong]))
    return counts


def find_wrong(results: Results) -> NDArray[np.intp]:
    """Return the places of wrong results.

    For a signalling NaN any NaN is correct, since no library needs to recognise it.
    """
    wrong = mistakes.find_differences(results.got, results.right)
    if results.got.dtype != np.float16 or not wrong.size:
        return wrong
    signalling = np.logical_or.reduce([mistakes.is_signalling(x[wrong]) for x in results.arguments])
    other_wrong: NDArray[np.intp] = wrong[~(signalling & np.isnan(results.got[wrong]))]
    return other_wrong


def _measure(counts: Tally, results: Results, error: Array) -> None:
    """Add up errors of results that are numbers and should be.

    Overflows in directed modes do not count.
    """
    if results.exact is None:
        return
    size = np.abs(error)
    if results.got.dtype == np.float16:
        numbers = _finite(results.got) & _finite(results.right) & (np.abs(results.exact) < 65536)
        size = size[numbers]
    else:
        size = size[np.isfinite(size)]
    if not size.size:
        return
    counts.numbers, counts.total = int(size.size), float(size.sum())
    counts.greatest = float(size.max())
    places = np.searchsorted(BUCKETS, size * _A_LITTLE_LESS)
    counts.histogram += np.bincount(places, minlength=len(BUCKETS) + 1)


def _finite(halves: Array) -> Mask:
    """Return np.isfinite of halves, in a tenth of its time."""
    finite: Mask = mistakes.bits(halves) & np.uint16(0x7C00) != 0x7C00
    return finite


def _kinds(results: Results, wrong: NDArray[np.intp], error: Array) -> NDArray[np.int8]:
    """Return the kinds of wrong results."""
    got, right = results.got[wrong], results.right[wrong]
    taken_as_zero = np.zeros(wrong.size, bool)
    subnormal = [mistakes.is_subnormal(x[wrong]) for x in results.arguments]
    places = np.flatnonzero(np.logical_or.reduce(subnormal))
    if results.right_if_flushed is not None and right.dtype.kind == "f" and places.size:
        if_flushed = results.right_if_flushed(wrong[places])
        taken_as_zero[places] = True
        taken_as_zero[places[mistakes.find_differences(got[places], if_flushed)]] = False
    return mistakes.classify(got, right, error, taken_as_zero)


def _judge(
    counts: Tally, results: Results, wrong: NDArray[np.intp], kinds: NDArray[np.int8], error: Array
) -> None:
    """Count wrong results beyond OpenCL's limits."""
    exact = None if results.exact is None else results.exact[wrong]
    for profile, limit in enumerate(results.limits):
        beyond = _is_beyond(limit, wrong, kinds, error, exact)
        counts.beyond[profile] += np.bincount(kinds[beyond], minlength=len(_NAMES))


def _is_beyond(
    limit: Limit,
    wrong: NDArray[np.intp],
    kinds: NDArray[np.int8],
    error: Array,
    exact: Array | None,
) -> Mask:
    if limit is None:
        return np.zeros(wrong.size, bool)
    own = limit[wrong] if isinstance(limit, np.ndarray) else np.full(wrong.size, limit)
    if exact is None:
        return np.ones(wrong.size, bool)
    # A limit of half an ulp means correct rounding. Beyond it, the sign of an exact zero is an edge
    # case that OpenCL lists; the sign of a result that is rounded to zero is not.
    with np.errstate(invalid="ignore"):
        beyond: Mask = (
            (own <= 0.5)
            | np.isin(kinds, _NANS)
            | (np.abs(error) > own + _TOLERANCE)
            | ((kinds == _ZERO_SIGN) & (exact == 0))
        )
    return beyond


def _cases(
    results: Results, wrong: NDArray[np.intp], kinds: NDArray[np.int8], error: Array
) -> list[Case]:
    """Return the worst cases of each kind."""
    cases = []
    size = np.nan_to_num(np.abs(error), nan=0.0)
    for kind in np.unique(kinds):
        places = np.flatnonzero(kinds == kind)
        if places.size > KEPT:
            order = np.argsort(-size[places], kind="stable")
            places = places[order[:KEPT]]
        cases += [_case(results, int(wrong[k]), _NAMES[kind], float(error[k])) for k in places]
    return cases


def _case(results: Results, place: int, kind: str, error: float) -> Case:
    exact = math.nan if results.exact is None else float(results.exact[place])
    places = np.array([place])
    return Case(
        tuple(int(mistakes.bits(x[places])[0]) for x in results.arguments),
        int(mistakes.bits(results.got[place : place + 1])[0]),
        int(mistakes.bits(results.right[place : place + 1])[0]),
        kind,
        exact if math.isfinite(exact) else None,
        error if math.isfinite(error) else None,
    )
