"""The report of an audit, as data that can be stored as JSON, and its changes since another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from halfcl._support.pages.notebooks import Block, Displayed
from halfcl.audit import _tables as tables
from halfcl.audit._records import Case, FunctionReport, ReductionReport, TargetInfo

#: Version of the JSON, raised when an old reader would misunderstand a new file.
VERSION = 1

#: Ranks of verdicts; worse ones are greater.
_GRAVITY = {"correct": 0, "within": 1, "open": 1, "flushes": 2, "beyond": 3}


class ReportError(ValueError):
    """A file is no report, or a report of another version."""


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


#: Number of the worst functions that are listed with a case.
_CASES = 10


@dataclass(frozen=True, repr=False)
class Report(Displayed):
    """The audit of a target; its repr is the command's table, also in notebooks.

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

    Examples
    --------
    >>> from halfcl import audit
    >>> audit.run("numpy", ["sqrt", "rint"])  # doctest: +ELLIPSIS
    NumPy ... on ...
    <BLANKLINE>
    function  tested  wrong  max ulp  mean ulp  mistakes  full     embedded
    sqrt      65,536      0  0.49994    0.2491            correct  correct
    rint      65,536      0  0.00000    0.0000            correct  correct
    <BLANKLINE>
    2 of 2 correctly rounded. ...
    """

    _SEPARATOR: ClassVar[str] = "\n\n"

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

    def _blocks(self) -> list[Block]:
        info = self.target
        return [
            f"{info.library} {info.version} on {info.device}".replace("  ", " "),
            *tables.function_tables(self.functions),
            *tables.reduction_tables(self.reductions),
            *tables.worst_cases(self.worst(_CASES)),
            *tables.reason_lists("Not computed for half", self.unsupported),
            *tables.reason_lists("Failed", self.failed),
            self._summary(),
        ]

    def _summary(self) -> str:
        """Return how many functions are correct, and which are beyond OpenCL's limits."""
        count = len(self.functions)
        seconds = ", ".join(f"{name} {took:.1f} s" for name, took in self.seconds.items())
        if not count and self.reductions:
            return f"({seconds})"
        correct = sum(not function.wrong for function in self.functions)
        beyond = [function.label for function in self.functions if function.is_beyond]
        within = f"Beyond OpenCL's limits: {', '.join(beyond)}." if beyond else (
            "Nothing is beyond OpenCL's limits."
        )  # fmt: skip
        if not count:
            within = "Nothing was audited."
        if self.failed:
            within += f" {len(self.failed)} failed."
        return f"{correct} of {count} correctly rounded. {within} ({seconds})"

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
