"""Formats the report of a test as text for a terminal."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator

import numpy as np

from halfcl._core import MODES
from halfcl._support.text_tables import align_columns
from halfcl.stability import THRESHOLD
from halfcl.stability._array_comparisons import Divergence
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
_MOST_BLAMED = 20
_MOST_NAMES = 3


def text(report: Report) -> str:
    """Return the whole report."""
    parts = [
        partial(report),
        headline(report),
        _results(report.results),
        _worst(report.results),
        "\n".join(notes(report)),
        _branches(report.branches),
        _comparisons(report.comparisons),
        _blame(report, report.blame) if report.blame else "",
        _suggestions(report.suggestions),
        costs(report),
    ]
    return "\n\n".join(part for part in parts if part)


def partial(report: Report) -> str:
    """Return a line that says that not all runs were made; empty if they were."""
    if not report.ended_by:
        return ""
    return (
        f"partial report: {report.ended_by} ended the test after {report.runs} of some "
        f"{report.expected_runs} runs"
    )


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
        word = "stable so far" if report.ended_by else "stable"
        return f"{word}: {quantity(total, 'number')} agree in all runs within {THRESHOLD} ulps"
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
    count, results = len(blame.entries), len(blame.total_effects)
    verb = "moves" if count == 1 else "move"
    start = f"of {quantity(blame.units, f'rounding {report.options.by}')}, {count} {verb}"
    if results <= 1:
        return f"{start} the result; all together move it by {ulps(blame.total_effect)} ulps"
    moved = len({name for entry in blame.entries for name in entry.effects})
    return f"{start} {moved} of {quantity(results, 'result')} that disagree"


def blamed_results(entry: BlameEntry) -> str:
    """Return the names of the results that a unit moves, those it moves most first."""
    names = sorted(entry.effects, key=lambda name: -entry.effects[name])
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _blame(report: Report, blame: Blame) -> str:
    most = max([blame.total_effect, *(entry.effect for entry in blame.entries)])
    has_several = len(blame.total_effects) > 1
    lines = [f"blame: {blame_summary(report, blame)}"]
    rows = []
    for entry in blame.entries[:_MOST_BLAMED]:
        length = max(1, round(_BAR * bar(entry.effect, most)))
        note = f"   ({partners(entry)})" if entry.partners else ""
        results = [blamed_results(entry)] if has_several else []
        source = source_of(entry) + note
        rows.append((ulps(entry.effect), "#" * length, _place(entry.unit), *results, source))
    head = ("ulps", "", "where", *(["results"] if has_several else []), "")
    lines.append(align_columns(head, rows, left=range(1, len(head))) if rows else "")
    more = len(blame.entries) - len(rows)
    lines.append(f"and {quantity(more, report.options.by)} more" if more else "")
    if has_several:
        lines += _culprits(report, blame)
    for units in blame.suspects[:_MOST_NAMES]:
        shown = f"{_place(units[0])} to {_place(units[-1])}"
        count = quantity(len(units), report.options.by)
        lines.append(f"not searched any more: {count} from {shown}, which move a result together")
    if not blame.is_complete and not report.ended_by:
        lines.append("the search reached its limit before it had found all")
    return "\n".join(line for line in lines if line)


def _place(unit: Unit) -> str:
    return location(unit.file, unit.line) if unit.line else str(unit)


def culprits_by_results(blame: Blame) -> list[tuple[list[str], list[tuple[Unit, float]]]]:
    """Return the units to blame for each result, with their effects; equal lists are merged.

    The effect on several results is the largest one.
    """
    groups: dict[frozenset[Unit], list[str]] = {}
    by_result = blame.by_result()
    for name, effects_on_it in by_result.items():
        groups.setdefault(frozenset(effects_on_it), []).append(name)
    merged = []
    for units, names in groups.items():
        effects = {unit: max(by_result[name][unit] for name in names) for unit in units}
        merged.append((names, sorted(effects.items(), key=lambda pair: -pair[1])))
    return merged


def culprit_rows(report: Report, blame: Blame) -> list[tuple[str, str]]:
    """Return the names of results with the same units to blame, and these with their effects."""
    rows = []
    for names, units in culprits_by_results(blame):
        shown = ", ".join(names[:_MOST_NAMES])
        shown += f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        places = [f"{_place(unit)} ({ulps(effect)})" for unit, effect in units[:_MOST_NAMES]]
        places += [f"{len(units) - _MOST_NAMES} more"] if len(units) > _MOST_NAMES else []
        rows.append((shown, ", ".join(places) or f"no {report.options.by} alone"))
    return rows


def _culprits(report: Report, blame: Blame) -> list[str]:
    """Return a line for each group of results with the same units to blame."""
    groups = culprits_by_results(blame)
    if len(groups) == 1:
        return []
    rows = culprit_rows(report, blame)[:_MOST_RESULTS]
    lines = ["by result:", *(f"  {results}: {units}" for results, units in rows)]
    rest = sum(len(names) for names, _ in groups[_MOST_RESULTS:])
    return [*lines, f"  and {quantity(rest, 'result')} more"] if rest else lines


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
    if report.samples < report.options.samples:
        line += (
            f"; {report.samples} runs round at random, and not {report.options.samples}, since "
            f"they take long (--samples {report.options.samples} makes all)"
        )
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
