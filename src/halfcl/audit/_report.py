"""The report of an audit, as data that can be stored as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

#: Version of the JSON, raised when an old reader would misunderstand a new file.
VERSION = 1

#: Upper ends of the histogram's buckets, in ulps; one more bucket counts larger errors.
BUCKETS: tuple[float, ...] = (0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)

#: Halves per bin of a curve, and the position of the first half in order: -31744 is -inf, 0 both
#: zeros, 31744 +inf.
BIN, FIRST_PLACE = 32, -31744

#: Verdicts by OpenCL's limits. "correct": no result is wrong. "within" the limit. "flushes": within
#: it except for flushed subnormal numbers, which a device without CL_FP_DENORM may flush. "beyond"
#: the limit. "open": some are wrong, and OpenCL sets no limit.
Verdict = Literal["correct", "within", "flushes", "beyond", "open"]


#: Ranks of verdicts; worse ones are greater.
_GRAVITY = {"correct": 0, "within": 1, "open": 1, "flushes": 2, "beyond": 3}


class ReportError(ValueError):
    """A file is no report, or a report of another version."""


@dataclass(frozen=True)
class TargetInfo:
    """The audited target: name, library with version, device, and other facts."""

    name: str
    library: str
    version: str
    device: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One wrong result.

    Arguments and results are bits, of the types in the function's report. exact is the exact
    result, and ulps the error against it; None if there is none.
    """

    arguments: tuple[int, ...]
    got: int
    right: int
    kind: str
    exact: float | None = None
    ulps: float | None = None


@dataclass(frozen=True)
class FunctionReport:
    """The findings for one function, one of several results, or a conversion.

    Attributes
    ----------
    name, result : str
        halfcl's name, and the name of one of several results, or "".
    spelled : str
        The expression that was called.
    rounding : str
        The mode of the correct results.
    types, result_type : tuple of str, str
        NumPy's names of the dtypes of arguments and result.
    tested, wrong : int
        Numbers of results.
    exhaustive : bool
        Whether every possible input was tested.
    max_ulp, mean_ulp : float
        Errors against the exact results, for results that are numbers and should be.
    histogram : tuple of int
        Numbers of errors up to each of BUCKETS, and of larger ones.
    mistakes : dict of str to int
        Numbers of wrong results by kind.
    monotonicity : int
        Steps to the next input that change the result in the wrong direction.
    symmetry : int
        Inputs whose result contradicts that of -x, or of (y, x).
    limits : pair of float or None
        In ulps, of the full and the embedded profile; None for no limit, or none in ulps.
    beyond : pair of int
        Results beyond each limit.
    verdicts : pair of str
        "correct", "within", "flushes", "beyond" or "open".
    worst : tuple of Case
        Some of the wrong results, the worst first.
    curve : tuple of float or None
        For functions of one half: the largest error in each bin of 32 neighbouring halves from
        -inf to +inf. None for bins that were not tested.
    curve_mistakes : tuple of int
        Bins where NaNs and infinities are wrong.
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
        """The name, with the result's name if there are several, such as "sincos.sine"."""
        return f"{self.name}.{self.result}" if self.result else self.name

    @property
    def is_beyond(self) -> bool:
        """True if a result is beyond the limits of OpenCL's full profile."""
        return self.verdicts[0] == "beyond"


@dataclass(frozen=True)
class ReductionReport:
    """The findings for one reduction of rows of one family and length, in several orders.

    Attributes
    ----------
    name, spelled : str
        The reduction's name, and the expression that was called.
    inputs : str
        The family: "uniform", "normal", "offset", "cancelling" or "large".
    length : int
        Elements per row; 0 for several lengths, see `over_lengths`.
    orders : int
        Orders of the same elements.
    tested, wrong : int
        Numbers of results, in all orders.
    not_numbers : int
        Wrong results that are NaN or infinite and should be numbers, or vice versa.
    max_ulp, mean_ulp : float
        Errors against the exact results, for results that are numbers and should be.
    results, unsteady : int
        Results per order, and how many of them depend on the order.
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
        """The name and the inputs, such as "sum(uniform, 1024)"."""
        return f"{self.name}({self.inputs}, {self.length})"


def over_lengths(reports: Iterable[ReductionReport]) -> list[ReductionReport]:
    """Return one report for each reduction and family of inputs, over all lengths."""
    groups: dict[tuple[str, str], list[ReductionReport]] = {}
    for each in reports:
        groups.setdefault((each.name, each.inputs), []).append(each)
    return [_join(group) for group in groups.values()]


def _join(group: list[ReductionReport]) -> ReductionReport:
    """Return a report over several lengths; the mean error is the mean of theirs."""
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
    """A difference from the baseline; worse: whether it is a regression."""

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
    """The audit of a target.

    Attributes
    ----------
    target : TargetInfo
        The audited target.
    functions : tuple of FunctionReport
        One for each function (each of several results), and each conversion.
    unsupported : dict of str to str
        Functions that the target lists but does not compute, and why.
    failed : dict of str to str
        Functions whose calls broke the contract, each with a line that says how.
    halfcl, date : str
        halfcl's version, and the date.
    asked : tuple of str or None
        The names that were requested; None for all.
    full : bool
        Whether functions of two halves were tested with all pairs.
    seed : int
        The seed of the samples.
    seconds : dict of str to float
        The time of the target's own calls, and of all else.
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
        """Return the worst functions: beyond limits first, then by error, then by count."""
        return sorted(
            (f for f in self.functions if f.wrong),
            key=lambda f: (f.is_beyond, f.max_ulp, f.wrong), reverse=True,
        )[:count]  # fmt: skip

    def compare(self, baseline: Report) -> list[Change]:
        """Return the changes since another report, including functions that are new or gone.

        If the inputs differ, only verdicts are compared. Functions that were not requested are not
        gone.
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
        """Yield the changes of reductions.

        New ones are not reported, since old baselines have none.
        """
        before, after = ({r.label: r for r in each.reductions} for each in (baseline, self))
        for label, old in before.items():
            new = after.get(label)
            if new is not None and new.tested == old.tested:
                yield from _changed_counts(label, _counts(old), _counts(new))
            elif new is not None:
                yield Change(label, "tested", f"{old.tested}", f"{new.tested}", False)
            elif self.asked is None:
                yield Change(label, "reduction", "there", "gone", True)

    def status(self, baseline: Report | None = None) -> int:
        """Return an exit status: 2 if calls failed, 1 if results are beyond limits, else 0.

        With a baseline, 1 means that anything is worse than there.
        """
        if self.failed:
            return 2
        if baseline is not None:
            return int(any(change.worse for change in self.compare(baseline)))
        return int(any(function.is_beyond for function in self.functions))

    def to_json(self) -> str:
        """Return the report as strict JSON, for `from_json`."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Return a report from its JSON.

        Raises
        ------
        ReportError
            If the text is no report, or one of another version.
        """
        try:
            data = json.loads(text)
            version = data.pop("version")
            if version != VERSION:
                raise ReportError(f"expected a report of version {VERSION}, got {version!r}")
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
    """Check the types of all that is compared."""
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


#: The fields of reports to compare; more is worse.
_COMPARED = ("wrong", "max_ulp", "monotonicity", "symmetry")
_COMPARED_REDUCTIONS = ("wrong", "not_numbers", "max_ulp", "unsteady", "most_results")


def _counts(reduction: ReductionReport) -> dict[str, float]:
    return {name: getattr(reduction, name) for name in _COMPARED_REDUCTIONS}


def _changed_counts(
    label: str, before: Mapping[str, float], after: Mapping[str, float]
) -> Iterator[Change]:
    """Yield the changes of counts; more is worse."""
    for name in [*before, *sorted(after.keys() - before.keys())]:
        old, new = (each.get(name, 0) for each in (before, after))
        if old != new:
            yield Change(label, name, f"{old:g}", f"{new:g}", new > old)


def _changes(before: FunctionReport, after: FunctionReport) -> list[Change]:
    changes: list[Change] = []
    tested = [f"{f.tested} in {f.rounding}" for f in (before, after)]
    if tested[0] == tested[1]:
        counts = [
            {name: getattr(f, name) for name in _COMPARED} | dict(f.mistakes)
            for f in (before, after)
        ]
        changes += _changed_counts(after.label, *counts)
    else:
        changes.append(Change(after.label, "tested", tested[0], tested[1], False))
    if before.verdicts != after.verdicts:
        one, other = (" / ".join(f.verdicts) for f in (before, after))
        worse = _GRAVITY[after.verdicts[0]] > _GRAVITY[before.verdicts[0]]
        changes.append(Change(after.label, "verdict", one, other, worse))
    return changes


# ---------------------------------------------------------------- text


def hexadecimal(bits: int, dtype: str) -> str:
    """Return bits as text, with all digits of the dtype.

    Examples
    --------
    >>> from halfcl.audit._report import hexadecimal
    >>> hexadecimal(1, "float16"), hexadecimal(255, "int32")
    ('0x0001', '0x000000ff')
    """
    return f"0x{bits:0{2 * np.dtype(dtype).itemsize}x}"


def number(bits: int, dtype: str) -> str:
    """Return the number that bits represent, with as many digits as distinguish it from neighbours.

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
    """Return an error in ulps as text, in enough digits to distinguish it from half an ulp.

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
