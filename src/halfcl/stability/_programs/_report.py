"""A test of a program as text: what a terminal shows."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator

import numpy as np

from halfcl._core import MODES
from halfcl._support.text_tables import align_columns
from halfcl.stability import THRESHOLD
from halfcl.stability._programs._blaming import Blamed, Guilt
from halfcl.stability._programs._comparing import Result
from halfcl.stability._programs._places import Unit
from halfcl.stability._programs._protecting import HOOK, LANDLOCK, NAMES, has_overlay
from halfcl.stability._programs._rewriting import Suggestion
from halfcl.stability._programs._testing import Branch, NotCompared, Report
from halfcl.stability._programs._wording import counted, listed, ulps, where
from halfcl.stability._truths import Divergence

_BAR = 24
_MOST_LINES = 10
_SHORT = 0.1  # seconds: starting a process takes as long
_MOST_NUMBERS = 6
_MOST_RESULTS = 16
_MOST_LETTERS = 60
_MOST_REFUSED = 200


def text(report: Report) -> str:
    """All of a report.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """
    parts = [
        headline(report),
        _results(report.results),
        _worst(report.results),
        "\n".join(notes(report)),
        _branches(report.branches),
        _parted(report.parted),
        _blame(report.blamed) if report.blamed else "",
        _suggestions(report.suggested),
        costs(report),
    ]
    return "\n\n".join(part for part in parts if part)


def headline(report: Report) -> str:
    """The verdict, in one line."""
    name, others = report.asked.name, len(report.not_compared)
    beside = f"; not compared: {counted(others, 'result')}" if others else ""
    if report.failed:
        beside += f"; {counted(report.failed, 'other process')} failed"
    if report.refusal:
        beside += "; something was refused"
    return f"{name}: {_verdict(report)}{beside}"


def _verdict(report: Report) -> str:
    if report.failures:
        return f"unstable: it fails in {listed(report.failures)}"
    total = report.compared
    bad = sum(r.compared if r.others else r.disagree for r in report.results)
    if report.is_stable:
        return f"stable: {counted(total, 'number')} agree in all runs within {THRESHOLD} ulps"
    if bad:
        return f"unstable: {bad} of {counted(total, 'number')} spread over {THRESHOLD} ulps"
    runs = dict.fromkeys(run for result in report.results for run in result.others)
    return f"unstable: it says something else in {listed(runs)}"


#: The heads of the table of results.
COLUMNS = ("result", "numbers", "least digits", "median", "spread", "disagree")


def row(result: Result) -> tuple[str, ...]:
    """A result, as the table has it."""
    spread = float(result.spread.max(initial=0.0))
    return (
        result.name,
        str(result.size),
        f"{result.least_digits:.1f}",
        f"{float(np.median(result.digits)):.1f}" if result.size else "",
        ulps(spread),
        "all" if result.others else str(result.disagree),
    )


def _results(results: list[Result]) -> str:
    """All, or of very many those with the fewest digits."""
    shown = results
    if len(results) > _MOST_RESULTS:
        shown = sorted(results, key=lambda result: result.least_digits)[:_MOST_RESULTS]
    table = align_columns(COLUMNS, [row(result) for result in shown], left=[0])
    rest = [result for result in results if result not in shown]
    if not rest:
        return table
    digits = min(result.least_digits for result in rest)
    return f"{table}\nand {len(rest)} more, with {digits:.1f} digits at least"


def _worst(results: Iterable[Result]) -> str:
    """The elements that spread most, and what the runs gave."""
    rows = [row for result in results for row in _worst_rows(result)]
    head = ("worst", *MODES, "least", "most", "spread", "digits")
    return align_columns(head, rows[:_MOST_NUMBERS], left=[0]) if rows else ""


def _worst_rows(result: Result) -> Iterator[tuple[str, ...]]:
    order = np.argsort(-result.spread, kind="stable")[:_MOST_NUMBERS]
    for k in order[result.spread[order] > THRESHOLD]:
        values = dict(zip(result.alike, result.runs[:, k].tolist(), strict=True))
        shown = [values.get(mode) for mode in MODES] + [min(values.values()), max(values.values())]
        yield (
            f"{result.name}[{k}]",
            *("" if value is None else f"{value:.4g}" for value in shown),
            ulps(result.spread[k]),
            f"{result.digits[k]:.1f}",
        )


def notes(report: Report) -> Iterator[str]:
    """What else there is to know, a line each."""
    for name, why in report.failures.items():
        yield f"{name}: {why}"
    for result in report.results:
        for name, what in list(result.others.items())[:_MOST_NUMBERS]:
            yield f"{result.name}: in {name} {what}"
        skipped = result.size - int(np.count_nonzero(result.kept))
        if skipped:
            yield (
                f"{result.name}: {skipped} of {counted(result.size, 'number')} differ in two runs "
                "to nearest, for another reason than rounding (the time, random numbers): left out"
            )
        yield from _dropped(result)
        if result.tiny:
            yield (
                f"{result.name}: {counted(result.tiny, 'number')} of less than {THRESHOLD} ulps of "
                "half's least agree in no digit, and count as stable; --digits 1 counts them"
            )
    yield from map(_not_compared, report.not_compared[:_MOST_LINES])
    if len(report.not_compared) > _MOST_LINES:
        yield f"not compared: {len(report.not_compared) - _MOST_LINES} more results"
    yield from _wide(report.results)
    for result in report.left_out:
        yield (
            f"{result.name}: left out: two runs to nearest differ, for another reason than "
            "rounding (random numbers without a seed, the time); --seed 0 seeds them"
        )
    for unit, dtype in report.left[:_MOST_LINES]:
        yield f"not governed by any mode: half becomes {dtype} at {unit or 'a place outside'}"
    if report.others:
        others = counted(report.others, "other process")
        refused = "nobody sees what programs other than Python change"
        if report.means != (HOOK,):
            refused = (
                "what programs other than Python write elsewhere than in folders of the run is "
                "refused, and not listed"
            )
        yield f"it starts {others}: what rounds there is to nearest; {refused}"
    if report.failed:
        yield (
            f"{counted(report.failed, 'other process')} ended with a status other than 0, perhaps "
            "since a write was refused (--allow-write PATH allows it)"
        )
    if report.refusal:
        yield f"refused, by standard error: {report.refusal[:_MOST_REFUSED]!r}"


def _dropped(result: Result) -> Iterator[str]:
    """Lines of a text that nobody compares."""
    if result.dropped:
        lines = counted(len(result.dropped), "line")
        shown = result.dropped[0][:_MOST_LETTERS]
        yield (
            f"{result.name}: {lines} left out, whose words differ in two runs to nearest (a path, "
            f"the time) or name a place in memory: {shown!r}"
            + (" and others" if result.dropped[1:] else "")
        )


def _not_compared(found: NotCompared) -> str:
    if not found.repeats:
        runs = "it differs in two runs to nearest, for another reason than rounding"
    elif found.runs:
        runs = f"it differs in {listed(found.runs)}"
    else:
        runs = "nobody knows whether it differs"
    return f"{found.name}: not compared: {found.why}; {runs}"


def _wide(results: Iterable[Result]) -> Iterator[str]:
    names: dict[str, list[str]] = {}
    for result in results:
        if result.wide:
            names.setdefault(result.wide, []).append(result.name)
    for dtype, own in names.items():
        which = "; ".join(own[:_MOST_NUMBERS])
        which += f"; and {len(own) - _MOST_NUMBERS} more" if len(own) > _MOST_NUMBERS else ""
        verb = "is" if len(own) == 1 else "are"
        yield f"{which}: {verb} {dtype}; what computes in that follows no mode"


def _branches(found: list[Branch]) -> str:
    if not found:
        return ""
    lines = ["branches that went another way than to nearest, the first of each run:"]
    for branch in found[:_MOST_LINES]:
        source = linecache.getline(branch.file, branch.line).strip()
        lines.append(f"  {where(branch.file, branch.line)}: {source}   ({listed(branch.runs)})")
    return "\n".join(lines)


#: Above comparisons of arrays that runs decide differently.
PARTED = "comparisons of arrays, elements that go another way than to nearest"


def parted_row(found: Divergence[Unit | None]) -> tuple[str, str, str, str]:
    """Such a comparison: how many elements, where, the line, and the runs."""
    unit = found.location
    text = linecache.getline(unit.file, unit.line).strip() if unit else ""
    place = where(unit.file, unit.line) if unit else "a place outside"
    return f"{found.elements} of {found.of}", place, text, listed(found.runs)


def _parted(found: list[Divergence[Unit | None]]) -> str:
    rows = map(parted_row, found[:_MOST_LINES])
    lines = [f"  {n} at {place}: {text}   ({runs})" for n, place, text, runs in rows]
    more = len(found) - len(lines)
    lines += [f"  and {counted(more, 'line')} more"] if more > 0 else []
    return "\n".join([f"{PARTED}:", *lines]) if lines else ""


def source_of(guilt: Guilt) -> str:
    """What is blamed: a line's text, a function's name, a module."""
    unit = guilt.unit
    return unit.name or (linecache.getline(unit.file, unit.line).strip() if unit.line else "")


def together(guilt: Guilt) -> str:
    """Others without which a unit does little."""
    shown = ", ".join(map(str, guilt.together[:2]))
    more = len(guilt.together) - 2
    return f"with {shown}" + (f" and {more} more" if more > 0 else "")


def bar(ulps: float, most: float) -> float:
    """How long a bar is, from 0 to 1: by the logarithm."""
    return float(np.log2(1 + ulps) / np.log2(1 + most)) if most > 0 else 0.0


def _blame(blamed: Blamed) -> str:
    most = max([blamed.moved, *(guilt.effect for guilt in blamed.guilty)])
    lines = [
        f"blame: of {blamed.units} that round, {len(blamed.guilty)} move the result; all together "
        f"{ulps(blamed.moved)} ulps"
    ]
    rows = []
    for guilt in blamed.guilty:
        length = max(1, round(_BAR * bar(guilt.effect, most)))
        beside = f"   ({together(guilt)})" if guilt.together else ""
        unit = where(guilt.unit.file, guilt.unit.line) if guilt.unit.line else str(guilt.unit)
        rows.append((ulps(guilt.effect), "#" * length, unit, source_of(guilt) + beside))
    lines.append(align_columns(("ulps", "", "where", ""), rows, left=[1, 2, 3]) if rows else "")
    if not blamed.is_complete:
        lines.append("the search was ended before all were found")
    return "\n".join(line for line in lines if line)


def _suggestions(found: list[Suggestion]) -> str:
    return "\n\n".join(suggestion.text() for suggestion in found)


def costs(report: Report) -> str:
    """What the test took."""
    told = f"{report.runs} runs in {report.seconds:.1f} s; the plain run takes {report.plain:.3f} s"
    if report.plain > _SHORT:
        told += f", {report.seconds / report.plain:.0f} times that"
    if report.blamed:
        told += f"; {report.blamed.runs} runs and {report.blame_seconds:.1f} s of it are blame's"
    if report.means:
        told += f"; your files were protected by {listed(NAMES[name] for name in report.means)}"
        if not has_overlay(report.means):
            told += " (no overlay could be mounted"
            if LANDLOCK in report.means:
                told += "; what Landlock refuses to libraries in C is not listed"
            told += ")"
    return told
