"""Formats the report of a test as text for a terminal."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator

import numpy as np

from halfcl._core import MODES
from halfcl._support.text_tables import align_columns
from halfcl.stability import THRESHOLD
from halfcl.stability._array_comparisons import Divergence
from halfcl.stability._observing.nonfinite import NotFinite
from halfcl.stability._programs._analysis.blaming import Blame, BlameEntry
from halfcl.stability._programs._analysis.results import Result
from halfcl.stability._programs._analysis.traces import Branch
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._rewriting.suggestions import Suggestion
from halfcl.stability._programs._running.protecting import HOOK, LANDLOCK, NAMES, has_overlay
from halfcl.stability._programs._testing import NotCompared, Report
from halfcl.stability._programs._wording import join_runs, location, quantity, ulps

_BAR = 24
_MOST_LINES = 10
_SHORT = 0.1  # seconds: starting a process takes as long
_MOST_NUMBERS = 6
_MOST_RESULTS = 16
_MOST_LETTERS = 60
_MOST_REFUSED = 200


def text(report: Report) -> str:
    """Return the whole report."""
    parts = [
        headline(report),
        _results(report.results),
        _not_finite(report),
        _worst(report.results),
        "\n".join(notes(report)),
        _branches(report.branches),
        _comparisons(report.comparisons),
        _blame(report, report.blame) if report.blame else "",
        _suggestions(report.suggestions),
        costs(report),
    ]
    return "\n\n".join(part for part in parts if part)


def headline(report: Report) -> str:
    """Return the verdict in one line."""
    name, others = report.options.name, len(report.not_compared)
    rest = f"; not compared: {quantity(others, 'result')}" if others else ""
    if report.failed:
        rest += f"; {quantity(report.failed, 'other process')} failed"
    if report.refusal:
        rest += "; something was refused"
    return f"{name}: {_verdict(report)}{rest}"


def _verdict(report: Report) -> str:
    if report.failures:
        return f"unstable: it fails in {join_runs(report.failures)}"
    total = report.compared_count
    bad = sum(r.compared_count if r.different else r.disagreeing for r in report.results)
    if report.is_stable:
        return f"stable: {quantity(total, 'number')} agree in all runs within {THRESHOLD} ulps"
    if bad:
        return f"unstable: {bad} of {quantity(total, 'number')} spread over {THRESHOLD} ulps"
    runs = dict.fromkeys(run for result in report.results for run in result.different)
    return f"unstable: its words differ in {join_runs(runs)}"


#: The headings of the table of results.
COLUMNS = ("result", "numbers", "least digits", "median", "spread", "disagree")


def row(result: Result) -> tuple[str, ...]:
    """Return the row of a result in the table."""
    spread = float(result.spread.max(initial=0.0))
    return (
        result.name,
        str(result.size),
        f"{result.least_digits:.1f}",
        f"{float(np.median(result.digits)):.1f}" if result.size else "",
        ulps(spread),
        "all" if result.different else str(result.disagreeing),
    )


def _results(results: list[Result]) -> str:
    """Return the table of all results or, if there are many, of those with the fewest digits."""
    shown = results
    if len(results) > _MOST_RESULTS:
        shown = sorted(results, key=lambda result: result.least_digits)[:_MOST_RESULTS]
    table = align_columns(COLUMNS, [row(result) for result in shown], left=[0])
    rest = [result for result in results if result not in shown]
    if not rest:
        return table
    digits = min(result.least_digits for result in rest)
    return f"{table}\nand {len(rest)} more, each with at least {digits:.1f} digits"


#: The title of the lines that made infinities and NaNs.
NOT_FINITE_TITLE = "what first made an infinity or a NaN, in the run to nearest"


def not_finite_row(record: NotFinite[Unit | None]) -> tuple[str, str, str]:
    """Return the place of an operation that made an infinity or a NaN, its line, and its words."""
    unit = record.location
    source = linecache.getline(unit.file, unit.line).strip() if unit else ""
    place = location(unit.file, unit.line) if unit else "code of a library"
    times = f", {record.count} times" if record.count > 1 else ""
    return place, source, record.text + times


def _not_finite(report: Report) -> str:
    """Return the lines that made infinities and NaNs, if results are not finite."""
    if all(np.isfinite(result.runs).all() for result in report.results):
        return ""
    rows = map(not_finite_row, report.not_finite[:_MOST_LINES])
    lines = [f"  {place}: {source}   ({what})" for place, source, what in rows]
    more = len(report.not_finite) - len(lines)
    lines += [f"  and {quantity(more, 'line')} more"] if more > 0 else []
    return "\n".join([f"{NOT_FINITE_TITLE}:", *lines]) if lines else ""


def _worst(results: Iterable[Result]) -> str:
    """Return the table of the elements with the largest spread, and their values in the runs."""
    rows = [row for result in results for row in _worst_rows(result)]
    head = ("worst", *MODES, "least", "most", "spread", "digits")
    return align_columns(head, rows[:_MOST_NUMBERS], left=[0]) if rows else ""


def _worst_rows(result: Result) -> Iterator[tuple[str, ...]]:
    order = np.argsort(-result.spread, kind="stable")[:_MOST_NUMBERS]
    for k in order[result.spread[order] > THRESHOLD]:
        values = dict(zip(result.comparable, result.runs[:, k].tolist(), strict=True))
        shown = [values.get(mode) for mode in MODES] + [min(values.values()), max(values.values())]
        yield (
            f"{result.name}[{k}]",
            *("" if value is None else f"{value:.4g}" for value in shown),
            ulps(result.spread[k]),
            f"{result.digits[k]:.1f}",
        )


def notes(report: Report) -> Iterator[str]:
    """Yield the other remarks, one line each."""
    for name, why in report.failures.items():
        yield f"{name}: {why}"
    for result in report.results:
        for name, difference in list(result.different.items())[:_MOST_NUMBERS]:
            yield f"{result.name}: in {name} {difference}"
        skipped = result.size - int(np.count_nonzero(result.counted))
        if skipped:
            yield (
                f"{result.name}: {skipped} of {quantity(result.size, 'number')} differ in two runs "
                "to nearest, for another reason than rounding (the time, random numbers): left out"
            )
        yield from _dropped_lines(result)
        if result.tiny_count:
            yield (
                f"{result.name}: {quantity(result.tiny_count, 'number')} of less than {THRESHOLD} "
                "ulps of half's smallest number agree in no digit, and count as stable; "
                "--digits 1 counts them"
            )
    yield from map(_describe_not_compared, report.not_compared[:_MOST_LINES])
    if len(report.not_compared) > _MOST_LINES:
        yield f"not compared: {len(report.not_compared) - _MOST_LINES} more results"
    yield from _wider_results(report.results)
    for result in report.left_out:
        yield (
            f"{result.name}: left out: two runs to nearest differ, for another reason than "
            "rounding (random numbers without a seed, the time); --seed 0 seeds them"
        )
    for unit, dtype in report.promotions[:_MOST_LINES]:
        yield f"follows no rounding mode: half becomes {dtype} at {unit or 'code of a library'}"
    if report.started:
        processes = quantity(report.started, "other process")
        refused = "files that programs other than Python change are not tracked"
        if report.means != (HOOK,):
            refused = (
                "programs other than Python may write only to folders of the run; what else they "
                "write is refused, and not listed"
            )
        yield f"it starts {processes}: operations there round to nearest; {refused}"
    if report.failed:
        yield (
            f"{quantity(report.failed, 'other process')} ended with a status other than 0, perhaps "
            "since a write was refused (--allow-write PATH allows it)"
        )
    if report.refusal:
        yield f"standard error reports a refusal: {report.refusal[:_MOST_REFUSED]!r}"


def _dropped_lines(result: Result) -> Iterator[str]:
    """Yield a remark on the lines of a text that are not compared."""
    if result.dropped_lines:
        lines = quantity(len(result.dropped_lines), "line")
        shown = result.dropped_lines[0][:_MOST_LETTERS]
        yield (
            f"{result.name}: {lines} left out, whose words differ in two runs to nearest (a path, "
            f"the time) or contain an address in memory: {shown!r}"
            + (" and others" if result.dropped_lines[1:] else "")
        )


def _describe_not_compared(entry: NotCompared) -> str:
    if not entry.repeats:
        runs = "it differs in two runs to nearest, for another reason than rounding"
    elif entry.runs:
        runs = f"it differs in {join_runs(entry.runs)}"
    else:
        runs = "whether it differs is unknown"
    return f"{entry.name}: not compared: {entry.reason}; {runs}"


def _wider_results(results: Iterable[Result]) -> Iterator[str]:
    names: dict[str, list[str]] = {}
    for result in results:
        if result.wider_type:
            names.setdefault(result.wider_type, []).append(result.name)
    for dtype, own in names.items():
        which = "; ".join(own[:_MOST_NUMBERS])
        which += f"; and {len(own) - _MOST_NUMBERS} more" if len(own) > _MOST_NUMBERS else ""
        verb = "is" if len(own) == 1 else "are"
        yield f"{which}: {verb} {dtype}; operations in this type follow no rounding mode"


def _branches(branches: list[Branch]) -> str:
    if not branches:
        return ""
    lines = ["branches taken differently than in the run to nearest, the first of each run:"]
    for branch in branches[:_MOST_LINES]:
        source = linecache.getline(branch.file, branch.line).strip()
        place = location(branch.file, branch.line)
        lines.append(f"  {place}: {source}   ({join_runs(branch.runs)})")
    return "\n".join(lines)


#: The title of the comparisons of arrays that runs decide differently.
COMPARISONS_TITLE = "comparisons of arrays, elements decided differently than in the run to nearest"


def comparison_row(comparison: Divergence[Unit | None]) -> tuple[str, str, str, str]:
    """Return the number of elements of a comparison, its place, its line, and the runs."""
    unit = comparison.location
    source = linecache.getline(unit.file, unit.line).strip() if unit else ""
    place = location(unit.file, unit.line) if unit else "code of a library"
    return f"{comparison.elements} of {comparison.of}", place, source, join_runs(comparison.runs)


def _comparisons(comparisons: list[Divergence[Unit | None]]) -> str:
    rows = map(comparison_row, comparisons[:_MOST_LINES])
    lines = [f"  {n} at {place}: {source}   ({runs})" for n, place, source, runs in rows]
    more = len(comparisons) - len(lines)
    lines += [f"  and {quantity(more, 'line')} more"] if more > 0 else []
    return "\n".join([f"{COMPARISONS_TITLE}:", *lines]) if lines else ""


def source_of(entry: BlameEntry) -> str:
    """Return the source of a line, or the name of a function; empty for modules."""
    unit = entry.unit
    return unit.name or (linecache.getline(unit.file, unit.line).strip() if unit.line else "")


def partners(entry: BlameEntry) -> str:
    """Return a text that names the units without which a unit has little effect."""
    shown = ", ".join(map(str, entry.partners[:2]))
    more = len(entry.partners) - 2
    return f"with {shown}" + (f" and {more} more" if more > 0 else "")


def bar(ulps: float, most: float) -> float:
    """Return the length of a bar on a logarithmic scale, from 0 to 1."""
    return float(np.log2(1 + ulps) / np.log2(1 + most)) if most > 0 else 0.0


def blame_summary(report: Report, blame: Blame) -> str:
    """Return a sentence on the number of units to blame and their effect together."""
    count = len(blame.entries)
    return (
        f"of {quantity(blame.units, f'rounding {report.options.by}')}, {count} "
        f"{'moves' if count == 1 else 'move'} the result; all together move it by "
        f"{ulps(blame.total_effect)} ulps"
    )


def _blame(report: Report, blame: Blame) -> str:
    most = max([blame.total_effect, *(entry.effect for entry in blame.entries)])
    lines = [f"blame: {blame_summary(report, blame)}"]
    rows = []
    for entry in blame.entries:
        length = max(1, round(_BAR * bar(entry.effect, most)))
        note = f"   ({partners(entry)})" if entry.partners else ""
        unit = location(entry.unit.file, entry.unit.line) if entry.unit.line else str(entry.unit)
        rows.append((ulps(entry.effect), "#" * length, unit, source_of(entry) + note))
    lines.append(align_columns(("ulps", "", "where", ""), rows, left=[1, 2, 3]) if rows else "")
    if not blame.is_complete:
        lines.append("the search reached its limit before it had found all")
    return "\n".join(line for line in lines if line)


def _suggestions(suggestions: list[Suggestion]) -> str:
    return "\n\n".join(suggestion.text() for suggestion in suggestions)


def costs(report: Report) -> str:
    """Return the number of runs, their time, and how the user's files were protected."""
    line = (
        f"{report.runs} runs in {report.seconds:.1f} s; "
        f"the plain run takes {report.plain_seconds:.3f} s"
    )
    if report.plain_seconds > _SHORT:
        line += f", {report.seconds / report.plain_seconds:.0f} times that"
    if report.blame:
        line += (
            f"; {report.blame.runs} runs and {report.blame_seconds:.1f} s of this are for the "
            "search for blame"
        )
    if report.means:
        line += f"; your files were protected by {join_runs(NAMES[name] for name in report.means)}"
        if not has_overlay(report.means):
            line += " (no overlay could be mounted"
            if LANDLOCK in report.means:
                line += "; writes by libraries in C that Landlock refuses are not listed"
            line += ")"
    return line
