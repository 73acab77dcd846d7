"""Formats the report of a test as text for a terminal."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from halfcl._core import MODES
from halfcl._support.text_tables import align_columns
from halfcl.stability import THRESHOLD
from halfcl.stability._array_comparisons import Divergence
from halfcl.stability._measures import LEAST_SAMPLES
from halfcl.stability._observing.nonfinite import NotFinite
from halfcl.stability._programs._analysis.blaming import Blame, BlameEntry
from halfcl.stability._programs._analysis.results import STATUS, Result
from halfcl.stability._programs._analysis.traces import Branch
from halfcl.stability._programs._recording.places import Unit
from halfcl.stability._programs._rewriting.measuring import Suggestion
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
        _results(report),
        _not_finite(report),
        _worst(report.results),
        "\n".join(notes(report)),
        _branches(report.branches),
        _comparisons(report.comparisons),
        _blame(report, report.blame) if report.blame else "",
        _suggestions(report.suggestions),
        "\n\n".join(mending.text() for mending in report.mendings),
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
    counts = _count_verdicts(report.results)
    if report.is_stable:
        return _stable_verdict(report)
    total = quantity(report.compared_count, "number")
    sentences: list[str] = []
    for word, sentence in _BAD.items():
        if counts[word]:
            number = str(counts[word]) if sentences else f"{counts[word]} of {total}"
            sentences.append(f"{number} {sentence.format('is' if counts[word] == 1 else 'are')}")
    if sentences:
        word = next(word for word in _BAD if counts[word])
        return f"{word}: {', '.join(sentences)}{_off_by(report.results)}"
    runs = dict.fromkeys(run for result in report.results for run in result.different)
    if runs:
        return f"unstable: its words differ in {join_runs(runs)}"
    return "off: its words differ in the reference"


def _off_by(results: Iterable[Result]) -> str:
    """Return how far off the worst finite element is, if that is known."""
    errors = [result.error[np.isfinite(result.error) & result.are_bad] for result in results]
    most = max((float(error.max(initial=0.0)) for error in errors), default=0.0)
    return f"; off by up to {ulps(most)} ulps" if most else ""


#: Sentences on the elements with a bad verdict, after their number; the worst first.
_BAD = {
    "unstable": f"spread over {THRESHOLD} ulps",
    "off": "{} off from the reference",
    "not finite": "{} not finite",
}


def _count_verdicts(results: Iterable[Result]) -> Counter[str]:
    """Return the number of elements by verdict; results with other words are bad as a whole."""
    counts: Counter[str] = Counter()
    for result in results:
        if result.different:
            counts["unstable"] += result.compared_count
        elif result.reference_difference:
            counts["off"] += result.compared_count
        elif result.compared_count:
            counts += result.verdict_counts
    return counts


def _stable_verdict(report: Report) -> str:
    total, most = quantity(report.compared_count, "number"), largest_error(report.results)
    spreads = sum(int(np.count_nonzero(r.spread > THRESHOLD)) for r in report.results)
    off = "" if np.isnan(most) else f"off by at most {ulps(most)} ulps"
    word = "stable so far" if report.ended_by else "stable"
    if spreads:
        return f"{word}: {total} {off}, although {spreads} spread over {THRESHOLD} ulps"
    agree = "agrees" if report.compared_count == 1 else "agree"
    return f"{word}: {total} {agree} in all runs within {THRESHOLD} ulps{', ' if off else ''}{off}"


def largest_error(results: Iterable[Result]) -> float:
    """Return the largest known error of all results, in ulps; NaN if none is known."""
    errors = [result.largest_error for result in results if result.name != STATUS]
    return float(np.nanmax(errors)) if not np.isnan(errors).all() else np.nan


#: A cell whose value is not known.
_UNKNOWN = "?"


def columns(report: Report) -> tuple[str, ...]:
    """Return the headings of the table of results; digits need random runs."""
    digits = ("least digits", "median") if report.has_digits else ()
    decided = ("decided by",) if report.leaks else ()
    return ("result", "numbers", *digits, "spread", "off by", "true digits", "not stable", *decided)


def row(report: Report, result: Result) -> tuple[str, ...]:
    """Return the row of a result in the table."""
    is_whole = result.different or result.reference_difference
    median = _digits(float(np.median(result.digits))) if result.size else ""
    digits = (_digits(result.least_digits), median) if report.has_digits else ()
    known = result.true_digits[~np.isnan(result.true_digits)]
    return (
        result.name,
        str(result.size),
        *digits,
        ulps(float(result.spread.max(initial=0.0))),
        _error(result.largest_error),
        _digits(float(known.min(initial=np.inf)) if known.size else np.nan),
        "all" if is_whole else str(result.disagreeing),
        *([result.decided_by] if report.leaks else []),
    )


def _digits(digits: float) -> str:
    return _UNKNOWN if np.isnan(digits) else f"{digits:.1f}"


def _error(error: float) -> str:
    return _UNKNOWN if np.isnan(error) else ulps(error)


def _results(report: Report) -> str:
    """Return the table of all results or, if there are many, of the worst ones."""
    results = shown = report.results
    if len(results) > _MOST_RESULTS:
        shown = sorted(results, key=_order)[:_MOST_RESULTS]
    rows = [row(report, result) for result in shown]
    table = align_columns(columns(report), rows, left=[0])
    rest = [result for result in results if result not in shown]
    if not rest:
        return table
    digits = min(result.least_digits for result in rest)
    at_least = "" if np.isnan(digits) else f", each with at least {digits:.1f} digits"
    return f"{table}\nand {len(rest)} more{at_least}"


def _order(result: Result) -> tuple[bool, float, float]:
    """Return the key that sorts bad results first, then by digits and, if unknown, by spread."""
    digits = result.least_digits
    spread = float(result.spread.max(initial=0.0))
    return result.is_stable, (0.0 if np.isnan(digits) else digits), -spread


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
    """Return how many numbers are infinite or NaN, and the lines that made these."""
    parts = _count_not_finite(report.results), _origins(report)
    return "\n\n".join(part for part in parts if part)


def origins(report: Report) -> list[NotFinite[Unit | None]]:
    """Return the operations that made infinities and NaNs; none if all results are finite."""
    finite = all(np.isfinite(result.runs).all() for result in report.results)
    return [] if finite else list(report.not_finite)


def _origins(report: Report) -> str:
    """Return the lines that made infinities and NaNs, if results are not finite."""
    records = origins(report)
    rows = map(not_finite_row, records[:_MOST_LINES])
    lines = [f"  {place}: {source}   ({what})" for place, source, what in rows]
    more = len(records) - len(lines)
    lines += [f"  and {quantity(more, 'line')} more"] if more > 0 else []
    return "\n".join([f"{NOT_FINITE_TITLE}:", *lines]) if lines else ""


def _worst(results: Sequence[Result]) -> str:
    """Return the table of the worst elements, and their values in the runs and the reference."""
    rows = [row for result in results for row in _worst_rows(result)]
    head = ("worst", *MODES, "least", "most", "exact", "spread", "off by", "digits")
    return align_columns(head, rows[:_MOST_NUMBERS], left=[0]) if rows else ""


def _worst_rows(result: Result) -> Iterator[tuple[str, ...]]:
    """Yield the rows of bad elements, then of others that spread over the threshold."""
    worst = np.fmax(result.spread, np.nan_to_num(result.error, nan=0.0))
    order = np.lexsort((-worst, ~result.are_bad))
    shown_ones = order[(result.are_bad | (result.spread > THRESHOLD))[order]][:_MOST_NUMBERS]
    exact = result.exact
    for k in shown_ones:
        values = dict(zip(result.comparable, result.runs[:, k].tolist(), strict=True))
        shown = [values.get(mode) for mode in MODES] + [min(values.values()), max(values.values())]
        yield (
            f"{result.name}[{k}]",
            *("" if value is None else f"{value:.4g}" for value in shown),
            _UNKNOWN if exact is None or result.touched[k] else f"{exact[k]:.4g}",
            ulps(result.spread[k]),
            _error(result.error[k]),
            _digits(float(result.digits[k])),
        )


#: The headings of `not_finite_counts`.
NOT_FINITE_COLUMNS = ("not finite", "numbers")


def not_finite_counts(results: Iterable[Result]) -> list[tuple[str, str]]:
    """Return how many numbers of each result are infinite or NaN, and not so in the reference."""
    return [
        (result.name, f"{result.not_finite} of {result.size}")
        for result in results
        if result.not_finite
    ]


def _count_not_finite(results: Iterable[Result]) -> str:
    rows = not_finite_counts(results)[:_MOST_RESULTS]
    return align_columns(NOT_FINITE_COLUMNS, rows, left=[0]) if rows else ""


def _about_reference(report: Report) -> Iterator[str]:
    """Yield remarks on the reference: why there is none, where it is not followed or uncertain."""
    alone = "so the spread decides alone"
    if report.no_reference:
        yield f"no reference, {alone}: with wider halves {report.no_reference}"
    are_all = all(result.decided_by == "spread" for result in report.results)
    follows = alone if are_all else "so the spread decides on results that may depend on it"
    for unit, why in report.leaks[:_MOST_LINES]:
        where = f" at {unit}" if unit else ""
        yield f"the reference is not followed{where}, {follows}: {why}"
    if len(report.leaks) > _MOST_LINES:
        yield f"and {len(report.leaks) - _MOST_LINES} more places that are not followed"
    if report.no_check:
        yield f"the reference was not checked in longer arithmetic: {report.no_check}"
    for result in report.results:
        if result.reference_difference:
            yield f"{result.name}: {result.reference_difference}"
        are_unknown = np.isnan(result.error) & ~result.touched
        unknown = int(np.count_nonzero(are_unknown)) if result.reference else 0
        if unknown:
            yield (
                f"{result.name}: the reference of {unknown} of {quantity(result.size, 'number')} "
                f"is uncertain, since doubles are not long enough, {alone} there"
            )


def notes(report: Report) -> Iterator[str]:
    """Yield the other remarks, one line each."""
    for name, why in report.failures.items():
        yield f"{name}: {why}"
    yield from _about_reference(report)
    if not report.has_digits:
        yield (
            "digits are unknown: they are estimated from runs that round at random, of which "
            f"{LEAST_SAMPLES} or more are needed (--samples)"
        )
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
                f"{result.name}: {quantity(result.tiny_count, 'number')} smaller than all halves "
                "agree in no digit, and count as stable"
            )
        if result.scale is not None:
            yield f"{result.name}: spread and errors are in {result.scale.name}"
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


#: The title of the shares that go with a line in a wider type.
MENDED = "mended"


def mended_share(entry: BlameEntry) -> str:
    """Return the share of how far a result is off that goes with the line in a wider type."""
    return "" if np.isnan(entry.share) else f"{max(entry.share, 0.0):.0%}".replace("%", " %")


def bar(ulps: float, most: float) -> float:
    """Return the length of a bar on a logarithmic scale, from 0 to 1."""
    return float(np.log2(1 + ulps) / np.log2(1 + most)) if most > 0 else 0.0


def blame_summary(report: Report, blame: Blame) -> str:
    """Return a sentence on the number of units to blame and their effect together."""
    count, results = len(blame.entries), len(blame.total_effects)
    verb = "moves" if count == 1 else "move"
    start = f"of {quantity(blame.units, f'rounding {report.options.by}')}, {count} {verb}"
    if not count and report.not_finite:
        return f"{start} the result, which is not finite in any run"
    if results <= 1:
        return f"{start} the result; all together move it by {ulps(blame.total_effect)} ulps"
    moved = len({name for entry in blame.entries for name in entry.effects})
    return f"{start} {moved} of {quantity(results, 'result')} that disagree"


def blame_end(report: Report, blame: Blame) -> str:
    """Return a sentence that says that the search ended early; empty if it did not."""
    if report.blame_ended_by:
        return f"the search reached {report.blame_ended_by} before it had found all"
    is_early = not blame.is_complete and not report.ended_by
    return "the search reached its limit before it had found all" if is_early else ""


def blamed_results(entry: BlameEntry) -> str:
    """Return the names of the results that a unit moves, those it moves most first."""
    names = sorted(entry.effects, key=lambda name: -entry.effects[name])
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _blame(report: Report, blame: Blame) -> str:
    most = max([blame.total_effect, *(entry.effect for entry in blame.entries)])
    has_several = len(blame.total_effects) > 1
    has_shares = any(entry.mended for entry in blame.entries)
    lines = [f"blame: {blame_summary(report, blame)}"]
    rows = []
    for entry in blame.entries[:_MOST_BLAMED]:
        length = max(1, round(_BAR * bar(entry.effect, most)))
        note = f"   ({partners(entry)})" if entry.partners else ""
        results = [blamed_results(entry)] if has_several else []
        source = source_of(entry) + note
        shares = [mended_share(entry)] if has_shares else []
        place = _place(entry.unit)
        rows.append((ulps(entry.effect), "#" * length, *shares, place, *results, source))
    start = ("ulps", "", *([MENDED] if has_shares else []))
    head = (*start, "where", *(["results"] if has_several else []), "")
    to_left = [1, *range(len(start), len(head))]
    lines.append(align_columns(head, rows, left=to_left) if rows else "")
    more = len(blame.entries) - len(rows)
    lines.append(f"and {quantity(more, report.options.by)} more" if more else "")
    if has_several:
        lines += _culprits(report, blame)
    for units in blame.suspects[:_MOST_NAMES]:
        shown = f"{_place(units[0])} to {_place(units[-1])}"
        count = quantity(len(units), report.options.by)
        lines.append(f"not searched any more: {count} from {shown}, which move a result together")
    lines.append(blame_end(report, blame))
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
    for names in groups.values():
        entries = blame.entries_for(names)
        merged.append((names, [(e.unit, max(e.effects[name] for name in names)) for e in entries]))
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
