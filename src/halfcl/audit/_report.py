"""What an audit found, as data: it goes to JSON and comes back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

#: Of the JSON: raised when an old reader would misunderstand a new file.
VERSION = 1

#: Upper ends of the histogram's buckets, in ulps; one more bucket has what is beyond the last.
BUCKETS: tuple[float, ...] = (0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

#: How many of neighbouring halves share a bin of a curve, and the place of its first half
#: among all: -31744 is -inf's, 0 that of both zeros, 31744 +inf's.
BIN, FIRST_PLACE = 32, -31744

#: By OpenCL's limits. "correct": no result is wrong. "within" the limit. "flushes": within it but
#: for subnormal numbers taken as zeros, which a device without CL_FP_DENORM may do. "beyond" it.
#: "open": some are wrong, and OpenCL sets no limit.
Verdict = Literal["correct", "within", "flushes", "beyond", "open"]


#: Of two verdicts the worse one has more.
_GRAVITY = {"correct": 0, "within": 1, "open": 1, "flushes": 2, "beyond": 3}


class ReportError(ValueError):
    """A file that is no report, or of another version."""


@dataclass(frozen=True)
class TargetInfo:
    """Who was audited: by name, library with version, device, and what else is known."""

    name: str
    library: str
    version: str
    device: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One wrong result. Arguments and results are bits, of the types that the function's report
    names; exact is the exact result, and ulps the error against it, None where there is none."""

    arguments: tuple[int, ...]
    got: int
    right: int
    kind: str
    exact: float | None = None
    ulps: float | None = None


@dataclass(frozen=True)
class FunctionReport:
    """What was found of one function, or of one of its results, or of a conversion.

    Attributes
    ----------
    name, result : str
        halfcl's name, and which of several results ("" of one).
    spelled : str
        What was called.
    rounding : str
        The mode that it was compared in.
    types, result_type : tuple of str, str
        NumPy's names of the dtypes of arguments and result.
    tested, wrong : int
        How many results.
    exhaustive : bool
        Whether these are of every input that there is.
    max_ulp, mean_ulp : float
        Errors against the exact results, of those that are numbers and should be.
    histogram : tuple of int
        How many of these errors are at most each of BUCKETS, and how many are beyond.
    mistakes : dict of str to int
        How many wrong results of each kind there are.
    monotonicity : int
        Steps to the next input where the result goes the wrong way.
    symmetry : int
        Inputs where the result is not what its twin's says: of -x, or of (y, x).
    limits : pair of float or None
        In ulps, of the full and the embedded profile. None: there is none, or not in ulps.
    beyond : pair of int
        Results beyond each limit.
    verdicts : pair of str
        "correct", "within", "flushes", "beyond" or "open".
    worst : tuple of Case
        Some of the wrong results, the worst first.
    curve : tuple of float or None
        Of one half: the largest error in each bin of 32 neighbouring halves from -inf to +inf.
        None: nothing was tested.
    curve_mistakes : tuple of int
        Bins with NaNs and infinities for numbers, or the contrary.
    """

    name: str
    spelled: str
    types: tuple[str, ...]
    result_type: str
    result: str = ""
    rounding: str = "rte"
    exhaustive: bool = False
    tested: int = 0
    wrong: int = 0
    max_ulp: float = 0.0
    mean_ulp: float = 0.0
    histogram: tuple[int, ...] = ()
    mistakes: Mapping[str, int] = field(default_factory=dict)
    monotonicity: int = 0
    symmetry: int = 0
    limits: tuple[float | None, float | None] = (None, None)
    beyond: tuple[int, int] = (0, 0)
    verdicts: tuple[Verdict, Verdict] = ("correct", "correct")
    worst: tuple[Case, ...] = ()
    curve: tuple[float | None, ...] = ()
    curve_mistakes: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """The name, and which result, as "sincos.sine"."""
        return f"{self.name}.{self.result}" if self.result else self.name

    @property
    def is_beyond(self) -> bool:
        """Whether a result is beyond the limits of OpenCL's full profile."""
        return self.verdicts[0] == "beyond"


@dataclass(frozen=True)
class ReductionReport:
    """What was found of one reduction, of rows of one family and one length, in several orders.

    Attributes
    ----------
    name, spelled : str
        The reduction's name, and what was called.
    inputs : str
        The family: "uniform", "normal", "offset", "cancelling" or "large".
    length : int
        How many elements are reduced together. 0: several lengths, by `over_lengths`.
    orders : int
        In how many orders the same elements were given.
    tested, wrong : int
        How many results, of all orders.
    not_numbers : int
        Wrong ones that are NaN or infinite and should be numbers, or the contrary.
    max_ulp, mean_ulp : float
        Errors against the exact results, of those that are numbers and should be.
    results, unsteady : int
        How many results one order has, and how many of these depend on the order.
    most_results : int
        The greatest number of different results of the same elements.
    """

    name: str
    spelled: str
    inputs: str
    length: int
    orders: int
    tested: int
    wrong: int
    not_numbers: int
    max_ulp: float
    mean_ulp: float
    results: int
    unsteady: int
    most_results: int

    @property
    def label(self) -> str:
        """The name and the inputs, as "sum(uniform, 1024)"."""
        return f"{self.name}({self.inputs}, {self.length})"


def over_lengths(reports: Iterable[ReductionReport]) -> list[ReductionReport]:
    """One report for each reduction and family of inputs, of all lengths together."""
    groups: dict[tuple[str, str], list[ReductionReport]] = {}
    for each in reports:
        groups.setdefault((each.name, each.inputs), []).append(each)
    return [_joined(group) for group in groups.values()]


def _joined(group: list[ReductionReport]) -> ReductionReport:
    """The mean error is that of the lengths, each of which counts alike."""
    first = group[0]
    return ReductionReport(
        first.name, first.spelled, first.inputs, 0, first.orders,
        tested=sum(each.tested for each in group),
        wrong=sum(each.wrong for each in group),
        not_numbers=sum(each.not_numbers for each in group),
        max_ulp=max(each.max_ulp for each in group),
        mean_ulp=sum(each.mean_ulp for each in group) / len(group),
        results=sum(each.results for each in group),
        unsteady=sum(each.unsteady for each in group),
        most_results=max(each.most_results for each in group),
    )  # fmt: skip


@dataclass(frozen=True)
class Change:
    """What is other than in the baseline; worse: whether that is a step back."""

    label: str
    what: str
    before: str
    after: str
    worse: bool

    def __str__(self) -> str:
        sign = "worse" if self.worse else "changed"
        return f"{self.label}: {self.what}: {self.before} -> {self.after} ({sign})"


@dataclass(frozen=True)
class Report:
    """An audit of a target.

    Attributes
    ----------
    target : TargetInfo
        What was audited.
    functions : tuple of FunctionReport
        One for each function, each of several results, and each conversion.
    unsupported : dict of str to str
        What the target lists but does not compute, and why.
    failed : dict of str to str
        Calls that did what they must not, each with a line that says so.
    halfcl, date : str
        The version that audited, and when.
    asked : tuple of str or None
        The names that alone were to be audited. None: all.
    full : bool
        Whether functions of two halves were tried on all pairs.
    seed : int
        What the samples are made from.
    seconds : dict of str to float
        What the target's own calls took, and all the rest.
    reductions : tuple of ReductionReport
        One for each reduction, family of inputs and length. OpenCL has no limits for them.
    """

    target: TargetInfo
    functions: tuple[FunctionReport, ...]
    unsupported: Mapping[str, str] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    halfcl: str = ""
    date: str = ""
    asked: tuple[str, ...] | None = None
    full: bool = False
    seed: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    reductions: tuple[ReductionReport, ...] = ()

    def __getitem__(self, label: str) -> FunctionReport:
        for function in self.functions:
            if function.label == label:
                return function
        raise KeyError(f"no function {label!r} in the report of {self.target.name}")

    def worst(self, count: int = 10) -> list[FunctionReport]:
        """The functions with most to answer for: beyond limits, then by error, then by count."""
        return sorted(
            (f for f in self.functions if f.wrong),
            key=lambda f: (f.is_beyond, f.max_ulp, f.wrong), reverse=True,
        )[:count]  # fmt: skip

    def compare(self, baseline: Report) -> list[Change]:
        """What changed since another report, functions that came or went, too.

        What was tested on other inputs is judged by its verdict alone; what was not asked for is
        not missed.
        """
        before = {f.label: f for f in baseline.functions}
        after = {f.label: f for f in self.functions}
        return [
            *(Change(name, "function", "there", "gone", True)
              for name in before if name not in after and self.asked is None),
            *(Change(name, "function", "not there", "new", after[name].is_beyond)
              for name in after if name not in before),
            *(c for name in after if name in before for c in _changes(before[name], after[name])),
            *self._changed_reductions(baseline),
        ]  # fmt: skip

    def _changed_reductions(self, baseline: Report) -> Iterator[Change]:
        """None is new: a baseline of before there were any has none."""
        before, after = ({r.label: r for r in each.reductions} for each in (baseline, self))
        for label, old in before.items():
            new = after.get(label)
            if new is not None and new.tested == old.tested:
                yield from _changed(label, _counts(old), _counts(new))
            elif new is not None:
                yield Change(label, "tested", f"{old.tested}", f"{new.tested}", False)
            elif self.asked is None:
                yield Change(label, "reduction", "there", "gone", True)

    def status(self, baseline: Report | None = None) -> int:
        """For a program's exit: 2 if calls failed; 1 if results are beyond OpenCL's limits (with
        a baseline: if anything is worse than there); else 0."""
        if self.failed:
            return 2
        if baseline is not None:
            return int(any(change.worse for change in self.compare(baseline)))
        return int(any(function.is_beyond for function in self.functions))

    def to_json(self) -> str:
        """As text that `from_json` reads; strict JSON."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Report:
        """A report from its text.

        Raises
        ------
        ReportError
            If it is none, or of another version.
        """
        try:
            data = json.loads(text)
            version = data.pop("version")
            if version != VERSION:
                raise ReportError(f"a report of version {VERSION} was expected, got {version!r}")
            target = TargetInfo(**data.pop("target"))
            asked = data.pop("asked")
            functions = tuple(_function(each) for each in data.pop("functions"))
            reductions = tuple(_reduction(each) for each in data.pop("reductions", ()))
            return cls(
                target, functions, asked=None if asked is None else tuple(asked),
                reductions=reductions, **data,
            )  # fmt: skip
        except ReportError:
            raise
        except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise ReportError(f"not a report of an audit: {error}") from error


def _function(data: dict[str, Any]) -> FunctionReport:
    worst = tuple(
        Case(**{**case, "arguments": tuple(case["arguments"])}) for case in data.pop("worst")
    )
    _check(data)
    tuples: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    return FunctionReport(**tuples, worst=worst)


def _reduction(data: dict[str, Any]) -> ReductionReport:
    for name in _COMPARED_REDUCTIONS:
        _check_number(name, data[name])
    return ReductionReport(**data)


def _check(data: dict[str, Any]) -> None:
    """What is compared must be what it should be."""
    for name in ("tested", *_COMPARED):
        _check_number(name, data[name])
    for kind, count in data["mistakes"].items():
        _check_number(kind, count)
    verdicts = data["verdicts"]
    if len(verdicts) != 2 or not all(verdict in _GRAVITY for verdict in verdicts):
        raise ReportError(f"not a report of an audit: verdicts {verdicts!r}")


def _check_number(name: str, value: object) -> None:
    if not isinstance(value, int | float):
        raise ReportError(f"not a report of an audit: {name} is {value!r}")


#: What of two reports is compared: more of it is worse.
_COMPARED = ("wrong", "max_ulp", "monotonicity", "symmetry")
_COMPARED_REDUCTIONS = ("wrong", "not_numbers", "max_ulp", "unsteady", "most_results")


def _counts(reduction: ReductionReport) -> dict[str, float]:
    return {name: getattr(reduction, name) for name in _COMPARED_REDUCTIONS}


def _changed(
    label: str, before: Mapping[str, float], after: Mapping[str, float]
) -> Iterator[Change]:
    """Of counts of which more is worse."""
    for name in [*before, *sorted(after.keys() - before.keys())]:
        old, new = (each.get(name, 0) for each in (before, after))
        if old != new:
            yield Change(label, name, f"{old:g}", f"{new:g}", new > old)


def _changes(before: FunctionReport, after: FunctionReport) -> list[Change]:
    found: list[Change] = []
    tested = [f"{f.tested} in {f.rounding}" for f in (before, after)]
    if tested[0] == tested[1]:
        counts = [
            {name: getattr(f, name) for name in _COMPARED} | dict(f.mistakes)
            for f in (before, after)
        ]
        found += _changed(after.label, *counts)
    else:
        found.append(Change(after.label, "tested", tested[0], tested[1], False))
    if before.verdicts != after.verdicts:
        one, other = (" / ".join(f.verdicts) for f in (before, after))
        worse = _GRAVITY[after.verdicts[0]] > _GRAVITY[before.verdicts[0]]
        found.append(Change(after.label, "verdict", one, other, worse))
    return found


# ---------------------------------------------------------------- bits as text


def hexadecimal(bits: int, dtype: str) -> str:
    """Bits as text: all digits that the dtype has.

    Examples
    --------
    >>> from halfcl.audit._report import hexadecimal
    >>> hexadecimal(1, "float16"), hexadecimal(255, "int32")
    ('0x0001', '0x000000ff')
    """
    return f"0x{bits:0{2 * np.dtype(dtype).itemsize}x}"


def number(bits: int, dtype: str) -> str:
    """The number that bits mean, as text: with as many digits as tell it from its neighbours.

    Examples
    --------
    >>> from halfcl.audit._report import number
    >>> number(0x3c01, "float16"), number(0x8000, "float16"), number(0xffffffff, "int32")
    ('1.001', '-0.0', '-1')
    """
    kind = np.dtype(dtype)
    value = np.array(bits, f"u{kind.itemsize}").view(kind)[()]
    return str(float(str(value))) if kind.kind == "f" and math.isfinite(value) else str(value)


def ulps(error: float) -> str:
    """Return an error in ulps as text, as short as tells it from half an ulp, up to which a result
    may be right.

    Examples
    --------
    >>> from halfcl.audit._report import ulps
    >>> ulps(0.5), ulps(0.50003), ulps(0.5000001), ulps(3.25), ulps(12345.6)
    ('0.50000', '0.50003', '0.5000001', '3.250', '1.23e+04')
    """
    if error < 1:
        texts = (f"{error:.{digits}f}" for digits in range(5, 17))
        return next(text for text in texts if float(text) != 0.5 or error == 0.5)
    return f"{error:.3f}" if error < 1000 else f"{error:.3g}"
