"""Writes a report as one self-contained HTML page."""

from __future__ import annotations

import linecache
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

import halfcl as hc
from halfcl._support.pages import render
from halfcl._support.pages.charts import Chart
from halfcl.stability._programs._analysis.blaming import Blame, BlameEntry
from halfcl.stability._programs._analysis.results import Result
from halfcl.stability._programs._reporting import pictures, text as words
from halfcl.stability._programs._rewriting.measuring import off
from halfcl.stability._programs._testing import Report
from halfcl.stability._programs._wording import file_name, join_runs, location, quantity, ulps

#: Lines of source shown before and after a line to blame.
_AROUND = 8

#: The most results whose elements are drawn, in each chart.
_MOST_RESULTS = 3


@dataclass(frozen=True)
class _Line:
    """A line of source. The effect of one to blame is not empty, and its bar has a length."""

    number: int | str
    text: str
    effect: str = ""
    share: float = 0.0
    note: str = ""


def page(report: Report) -> str:
    """Return a report as HTML, a complete page in a light and a dark style."""
    return render(
        "stability.html",
        title=words.headline(report),
        conditions=_conditions(report),
        results_columns=[
            (name, "" if k else "text") for k, name in enumerate(words.columns(report))
        ],
        results=[words.row(report, result) for result in report.results],
        notes=list(words.notes(report)),
        time=_time(report),
        elements=_elements(report),
        not_finite_columns=words.NOT_FINITE_COLUMNS,
        not_finite=words.not_finite_counts(report.results),
        origins_title=_capitalize(words.NOT_FINITE_TITLE),
        origins=list(map(words.not_finite_row, words.origins(report))),
        branches=[
            (location(b.file, b.line), linecache.getline(b.file, b.line).strip(), join_runs(b.runs))
            for b in report.branches
        ],
        comparisons_title=_capitalize(words.COMPARISONS_TITLE),
        comparisons=list(map(words.comparison_row, report.comparisons)),
        blame=_blame(report, report.blame) if report.blame else "",
        culprits=_culprits(report),
        sources=_sources(report.blame) if report.blame else (),
        suggestions=[
            (each, pictures.errors_over_inputs(each.by_input) if each.by_input else None)
            for each in report.suggestions
        ],
        mendings=report.mendings,
        location=location,
        file_name=file_name,
        quantity=quantity,
        off=off,
    )


def _capitalize(title: str) -> str:
    return title[0].upper() + title[1:]


def _blame(report: Report, blame: Blame) -> str:
    """Return the sentences on the search for blame."""
    parts = words.blame_summary(report, blame), words.blame_end(report, blame)
    return "; ".join(part for part in parts if part)


def _culprits(report: Report) -> list[tuple[str, str]]:
    """Return the rows on what is to blame for each result, if there are several."""
    if report.blame is None or len(report.blame.total_effects) < 2:
        return []
    return words.culprit_rows(report, report.blame)


def _conditions(report: Report) -> dict[str, str]:
    options = report.options
    partial = {"partial": words.partial(report)} if report.ended_by else {}
    return partial | {
        "program": " ".join(options.program),
        "runs": f"three to nearest, three in other modes, {report.samples} with random rounding",
        "cost": words.costs(report),
        "tested by": f"halfcl {hc.__version__}",
    }


def _time(report: Report) -> Chart | None:
    """Return the chart of digits over the program's time."""
    entries = report.blame.entries if report.blame else ()
    guilty = {(entry.unit.file, entry.unit.line) for entry in entries}
    end = " The picture ends where the first run branched differently." if report.branches else ""
    return pictures.digits_over_time(report.moments, guilty, end)


def _elements(report: Report) -> Iterator[tuple[str, list[Chart]]]:
    """Yield the headings and charts of the results with the largest errors, else spreads."""
    known = [result for result in report.results if result.reference is not None]
    others = [result for result in report.results if result.reference is None]
    for heading, results, draw, size in (
        ("Error against the reference", known, pictures.error_over_elements, _error),
        ("Spread of the runs", others, pictures.spread_over_elements, _spread),
    ):
        drawn = map(draw, sorted(results, key=size, reverse=True)[:_MOST_RESULTS])
        charts = [chart for chart in drawn if chart is not None]
        if charts:
            yield heading, charts


def _error(result: Result) -> float:
    return float(np.nan_to_num(result.error, posinf=np.inf).max(initial=0.0))


def _spread(result: Result) -> float:
    return float(result.spread.max(initial=0.0))


def _sources(blame: Blame) -> Iterator[tuple[str, Iterator[_Line]]]:
    """Yield the files with units to blame, and their lines there."""
    most = max([blame.total_effect, *(entry.effect for entry in blame.entries)])
    for file in dict.fromkeys(entry.unit.file for entry in blame.entries):
        yield file, _lines(file, [e for e in blame.entries if e.unit.file == file], most)


def _lines(file: str, entries: Collection[BlameEntry], most: float) -> Iterator[_Line]:
    """Yield the lines to blame, and the lines around them; gaps are lines, too."""
    by_line = {max(entry.unit.line, 1): entry for entry in entries}
    lines = linecache.getlines(file)
    shown = {k for line in by_line for k in range(line - _AROUND, line + _AROUND + 1)}
    last = 0
    for k in sorted(shown & set(range(1, len(lines) + 1))):
        if k > last + 1:
            yield _Line("", "…")
        text, entry = lines[k - 1].rstrip("\n"), by_line.get(k)
        if entry is None:
            yield _Line(k, text)
        else:
            share = words.mended_share(entry)
            notes = [words.partners(entry)] if entry.partners else []
            notes += [f"alone in float32: {share} {words.MENDED}"] if share else []
            note = ", ".join(notes)
            yield _Line(k, text, ulps(entry.effect), words.bar(entry.effect, most), note)
        last = k
