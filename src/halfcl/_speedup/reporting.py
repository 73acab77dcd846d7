"""Presents the report of a comparison, as text and for JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sized
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfcl._speedup.advising import advice
from halfcl._speedup.comparing import Call, Report
from halfcl._speedup.running import ACCELERATED, KINDS, PLAIN
from halfcl._support.text_tables import align_columns
from halfcl.stability._programs._analysis.results import Result
from halfcl.stability._programs._wording import FARTHEST, location, quantity, ulps

#: How many calls, results and elements of a result are shown.
_MOST_CALLS, _MOST_RESULTS, _MOST_VALUES = 10, 8, 3

_WIDTH = 100

#: Seconds by which the best runs of the same program often differ; single runs differ by more.
_LEAST_DIFFERENCE = 0.004

_COLUMNS = ("call", "line", "calls", "plain ms", "accelerated ms", "ratio")


def text(report: Report) -> str:
    """Return the whole report."""
    if report.failures:
        return _failures(report)
    lines = [_fill(f"- {line}") for line in advice(report, _MOST_CALLS)]
    parts = [_headline(report), _calls(report), _results(report), "\n".join(lines)]
    return "\n\n".join(part for part in parts if part)


def _failures(report: Report) -> str:
    name, failures = report.options.name, report.failures
    lines = [f"{name}: fails {kind}: {why}" for kind, why in failures.items()]
    if len(set(failures.values())) == 1 < len(failures):
        lines = [f"{name}: fails plain and accelerated: {failures[PLAIN]}"]
    elif len(failures) == 1:
        (kind,) = set(KINDS) - set(failures)
        lines.append(f"{name}: does not fail {kind}")
    if errors := report.last_errors.strip():
        lines += ["", f"standard error, {next(iter(failures))}:", errors]
    return "\n".join(lines)


def _fill(line: str) -> str:
    return textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _headline(report: Report) -> str:
    rounds = report.options.rounds
    best = f"best of {rounds} runs each, in turns" if rounds > 1 else "one run each"
    seconds = report.plain_seconds, report.accelerated_seconds
    decimals = 4 if min(seconds) < 0.1 else 3
    plain, accelerated = (f"{x:.{decimals}f}" for x in seconds)
    width = max(map(len, (plain, accelerated)))
    return (
        f"{report.options.name}: {_speed(report)}\n"
        f"plain        {plain:>{width}} s   {best},\n"
        f"accelerated  {accelerated:>{width}} s   after the start of Python and the import of NumPy"
    )


def _speed(report: Report) -> str:
    difference = abs(report.plain_seconds - report.accelerated_seconds)
    if 0.95 < report.ratio < 1.05:
        return "as fast accelerated as plain"
    least = _LEAST_DIFFERENCE if report.options.rounds > 2 else 5 * _LEAST_DIFFERENCE
    if difference < least or not report.is_clear:
        return "no clear difference, for runs of one kind often differ as much"
    slower = "" if report.ratio > 1 else ", which is slower"
    return f"accelerated {_ratio(report.ratio)} times as fast{slower}"


def _ratio(ratio: float | None) -> str:
    """Format how many times as fast something is, to two or three digits."""
    if ratio is None:
        return ""
    if ratio < 0.1:
        return f"{ratio:.2g}"
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 1.95 else f"{ratio:.2f}"


# ---------------------------------------------------------------- calls


def _calls(report: Report) -> str:
    """Return the table of the calls that weigh most, and what they leave of the time."""
    if not report.calls:
        return ""
    shown, others = report.calls[:_MOST_CALLS], report.calls[_MOST_CALLS:]
    rows = [(c.name, location(c.file, c.line), *_times(c)) for c in shown]
    if others:
        rows.append(("others", quantity(len(others), "place"), *_times(_sum(others))))
    total = _sum(report.calls)
    rest = replace(
        total,
        plain_seconds=report.plain_seconds - total.plain_seconds,
        accelerated_seconds=report.accelerated_seconds - total.accelerated_seconds,
    )
    if report.threads == 1 and min(rest.plain_seconds, rest.accelerated_seconds) > 0:
        rows.append(("the rest of the program", "", "", *_times(rest)[1:]))
    table = align_columns(_COLUMNS, rows, left=[0, 1])
    notes = []
    if report.threads > 1:
        notes.append(f"The times of {report.threads} threads add up.")
    if report.processes:
        notes.append(f"Calls in {quantity(report.processes, 'other process')} are not listed.")
    return "\n".join([table, *notes])


def _times(call: Call) -> tuple[str, str, str, str]:
    plain, accelerated = (
        f"{1e3 * seconds:.2f}" for seconds in (call.plain_seconds, call.accelerated_seconds)
    )
    numbers = dict.fromkeys((call.plain_calls, call.accelerated_calls))
    return " / ".join(map(str, numbers)), plain, accelerated, _ratio(call.ratio)


def _sum(calls: list[Call]) -> Call:
    return Call(
        "", "", 0,
        sum(call.plain_calls for call in calls),
        sum(call.accelerated_calls for call in calls),
        sum(call.plain_seconds for call in calls),
        sum(call.accelerated_seconds for call in calls),
    )  # fmt: skip


# ---------------------------------------------------------------- results


def _results(report: Report) -> str:
    """Return what is the same in plain and accelerated runs, and what differs."""
    differing = [r for r in report.results if r.different or r.spread.any()]
    lines = [*_totals(report, differing)]
    for result in differing[:_MOST_RESULTS]:
        lines.append(f"{result.name}: {_difference(result)}")
    if len(differing) > _MOST_RESULTS:
        lines.append(f"and {len(differing) - _MOST_RESULTS} more results that differ")
    return "\n".join(map(_fill, [*lines, *_notes(report)]))


def _totals(report: Report, differing: list[Result]) -> Iterator[str]:
    numbers = quantity(sum(result.compared_count for result in report.results), "number")
    names = quantity(len(report.results), "result")
    if not report.results and (report.left_out or report.not_compared):
        yield "results: none could be compared"
    elif not report.results:
        yield "results: nothing that could be compared is printed or saved"
    elif not differing:
        yield f"results: {names} with {numbers}, the same in both"
    else:
        yield f"results: {len(differing)} of {names}, with {numbers}, {_verb(differing, 'differ')}"
    if any(not result.different for result in differing):
        yield (
            "halfcl computes sums and products exactly and rounds once, and its functions are "
            "correctly rounded; NumPy rounds on the way"
        )


def _verb(things: Sized, verb: str) -> str:
    return verb if len(things) > 1 else f"{verb}s"


def _difference(result: Result) -> str:
    if result.different:
        return f"accelerated {result.different[ACCELERATED]}"
    spread = result.spread
    largest = float(spread.max())
    rows = np.argsort(-spread, kind="stable")[: int(np.count_nonzero(spread))]
    plain, accelerated = result.runs
    if largest >= FARTHEST:
        size = ", one without limit"
    elif _are_integers(result, rows):  # Indices and counts are not halves: ulps say nothing.
        size = ""
    else:
        distance = ulps(largest)
        size = f", by up to {distance} {'ulp' if distance == '1' else 'ulps'} of half"
    values = (f"{accelerated[k]:.5g} instead of {plain[k]:.5g}" for k in rows[: 8 * _MOST_VALUES])
    shown = ", ".join([*dict.fromkeys(values)][:_MOST_VALUES])
    numbers = quantity(result.compared_count, "number")
    return f"{len(rows)} of {numbers} {_verb(rows, 'differ')}{size}: {shown}"


def _are_integers(result: Result, rows: NDArray[np.intp]) -> bool:
    """Return whether elements are of an array of integers, or whole numbers of a text."""
    may_be = result.first.text or all(part.dtype.kind in "biu" for part in result.first.parts)
    values = result.runs[:, rows]
    return bool(may_be) and bool((values == np.trunc(values)).all())


def _notes(report: Report) -> Iterator[str]:
    for result in report.left_out:
        yield (
            f"{result.name}: not compared: plain runs differ from each other, for another reason "
            "than acceleration (the time; random numbers without a seed, which --seed 0 seeds)"
        )
    for result in report.results:
        skipped = int(np.count_nonzero(~result.counted))
        if skipped:
            yield (
                f"{result.name}: {skipped} of {quantity(result.size, 'number')} not compared: "
                "plain runs differ already (the time, random numbers)"
            )
        if result.dropped_lines:
            lines = quantity(len(result.dropped_lines), "line")
            yield f"{result.name}: {lines} not compared: plain runs differ already"
    for entry in report.not_compared:
        differs = "differs accelerated" if entry.runs else "may differ"
        if not entry.repeats:
            differs = "differs in plain runs already"
        yield f"{entry.name}: {differs}; not compared number by number: {entry.reason}"


# ---------------------------------------------------------------- JSON


def as_dict(report: Report) -> dict[str, object]:
    """Return the report for JSON."""
    name = report.options.name
    if report.failures:
        return {"program": name, "failures": report.failures}
    return {
        "program": name,
        "rounds": report.options.rounds,
        "plain_seconds": report.plain_seconds,
        "accelerated_seconds": report.accelerated_seconds,
        "ratio": report.ratio,
        "calls": [
            {
                "name": call.name, "file": call.file, "line": call.line,
                "calls": call.plain_calls, "accelerated_calls": call.accelerated_calls,
                "plain_ms": 1e3 * call.plain_seconds,
                "accelerated_ms": 1e3 * call.accelerated_seconds,
                "ratio": call.ratio, "elements": call.elements, "types": sorted(call.types),
            }
            for call in report.calls
        ],
        "results": [_result_as_dict(result) for result in report.results],
        "not_compared": [
            *(result.name for result in report.left_out),
            *(entry.name for entry in report.not_compared),
        ],
        "advice": advice(report, _MOST_CALLS),
    }  # fmt: skip


def _result_as_dict(result: Result) -> dict[str, object]:
    largest = min(float(result.spread.max(initial=0.0)), FARTHEST)
    return {
        "name": result.name,
        "numbers": result.compared_count,
        "differing": int(np.count_nonzero(result.spread)),
        "ulps": largest,
        "difference": result.different.get(ACCELERATED, ""),
    }
