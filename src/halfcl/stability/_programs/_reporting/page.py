"""Writes a report as one self-contained HTML page."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

import numpy as np

import halfcl as hc
from halfcl._support import html_pages
from halfcl.stability._programs._analysis.blaming import BlameEntry
from halfcl.stability._programs._analysis.results import Result
from halfcl.stability._programs._analysis.traces import Branch
from halfcl.stability._programs._reporting import pictures, text as words
from halfcl.stability._programs._rewriting.suggestions import Suggestion, off
from halfcl.stability._programs._testing import Report
from halfcl.stability._programs._wording import join_runs, location, quantity, ulps

#: Lines of source shown before and after a line to blame.
_AROUND = 8


def page(report: Report) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        A complete page: the verdict, the results, pictures, the source with a bar at each line
        to blame, and better formulas. It has a light and a dark style.
    """
    title = words.headline(report)
    body = [
        f"<h1>{escape(title)}</h1>",
        _conditions(report),
        _results(report.results),
        _notes(list(words.notes(report))),
        _over_time(report),
        _spreads(report.results),
        _branches(report.branches),
        _comparisons(report),
        _blame(report),
        _suggestions(report.suggestions),
    ]
    style = _read_style("halfcl.audit", "page/style.css") + _read_style(__package__, "style.css")
    return html_pages.page(title, style, body)


def _read_style(package: str, name: str) -> str:
    return (files(package) / name).read_text(encoding="utf-8")


def _conditions(report: Report) -> str:
    options = report.options
    rows = {
        "program": " ".join(options.program),
        "runs": f"three to nearest, three in other modes, {options.samples} with random rounding",
        "cost": words.costs(report),
        "tested by": f"halfcl {hc.__version__}",
    }
    items = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>\n" for name, text in rows.items())
    return f'<dl class="conditions">\n{items}</dl>'


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = "\n".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{lines}\n</tbody></table></div>"
    )


def _results(results: Iterable[Result]) -> str:
    return "<h2>Results</h2>\n" + _table(words.COLUMNS, map(words.row, results))


def _notes(lines: list[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>\n" for line in lines)
    return f"<ul>\n{items}</ul>" if items else ""


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def _over_time(report: Report) -> str:
    entries = report.blame.entries if report.blame else ()
    picture = pictures.digits_over_time(
        report.moments, [(entry.unit.file, entry.unit.line) for entry in entries]
    )
    if not picture:
        return ""
    caption = (
        "Each dot is a value of a variable at one step: the median of the significant digits of "
        "its elements. Red dots belong to lines to blame."
    )
    if report.branches:
        caption += " The picture ends where the first run branched differently."
    return f"<h2>Digits over the program's time</h2>\n{_figure(picture, caption)}"


def _spreads(results: Iterable[Result]) -> str:
    order = sorted(results, key=lambda result: -float(result.spread.max(initial=0.0)))
    parts = [
        _figure(
            pictures.spread_over_elements(result.spread),
            f"<b>{escape(result.name)}</b>: the ulps from the least result to the largest. "
            "Above the line an element counts as unstable.",
        )
        for result in order[:3]
        if np.any(result.spread > 0)
    ]
    return "<h2>Error</h2>\n" + "\n".join(parts) if parts else ""


def _branches(branches: Sequence[Branch]) -> str:
    if not branches:
        return ""
    rows = [
        (location(b.file, b.line), linecache.getline(b.file, b.line).strip(), join_runs(b.runs))
        for b in branches
    ]
    table = _table(("where", "line", "runs"), rows)
    return f"<h2>Branches taken differently than in the run to nearest</h2>\n{table}"


def _comparisons(report: Report) -> str:
    if not report.comparisons:
        return ""
    table = _table(
        ("elements", "where", "line", "runs"), map(words.comparison_row, report.comparisons)
    )
    return f"<h2>{words.COMPARISONS_TITLE[0].upper()}{words.COMPARISONS_TITLE[1:]}</h2>\n{table}"


# ---------------------------------------------------------------- the source


def _blame(report: Report) -> str:
    blame = report.blame
    if blame is None:
        return ""
    most = max([blame.total_effect, *(entry.effect for entry in blame.entries)])
    lead = (
        f"<p>{escape(words.blame_summary(report, blame))}. "
        "Each number is the effect of one of them alone.</p>"
    )
    names = dict.fromkeys(entry.unit.file for entry in blame.entries)
    parts = [
        _source(file, [entry for entry in blame.entries if entry.unit.file == file], most)
        for file in names
    ]
    return "<h2>What is to blame</h2>\n" + lead + "\n".join(parts)


def _source(file: str, entries: Sequence[BlameEntry], most: float) -> str:
    """Return the lines to blame with a bar each, and the lines around them."""
    by_line = {max(entry.unit.line, 1): entry for entry in entries}
    lines = linecache.getlines(file)
    shown = {k for line in by_line for k in range(line - _AROUND, line + _AROUND + 1)}
    rows, last = [], 0
    for k in sorted(shown & set(range(1, len(lines) + 1))):
        if k > last + 1:
            rows.append('<tr class="gap"><td></td><td></td><td></td><td>…</td></tr>')
        rows.append(_line(k, lines[k - 1].rstrip("\n"), by_line.get(k), most))
        last = k
    return (
        f'<h3>{escape(file)}</h3>\n<div class="wide"><table class="source">\n'
        + "\n".join(rows)
        + "\n</table></div>"
    )


def _line(number: int, text: str, entry: BlameEntry | None, most: float) -> str:
    if entry is None:
        return f"<tr><td>{number}</td><td></td><td></td><td>{escape(text)}</td></tr>"
    length = round(100 * words.bar(entry.effect, most))
    title = words.partners(entry) if entry.partners else ""
    return (
        f'<tr class="guilty"><td>{number}</td><td title="{escape(title)}">{ulps(entry.effect)}'
        f'</td><td><span style="width:{length}%"></span></td><td>{escape(text)}</td></tr>'
    )


def _suggestions(suggestions: Iterable[Suggestion]) -> str:
    parts = [
        f"<h3>{escape(location(s.file, s.line))}: {escape(s.name)}</h3>\n"
        f"<p>Measured on {quantity(s.old.count, 'recorded result')}, in four modes. It is off by "
        f"{off(s.old)}:</p>\n{_snippet(s.before)}\n"
        f"<p>It could be off by {off(s.new)}:</p>\n{_snippet(s.after)}"
        for s in suggestions
    ]
    return "<h2>Better formulas</h2>\n" + "\n".join(parts) if parts else ""


def _snippet(text: str) -> str:
    return f'<div class="snippet"><pre>{escape(text)}</pre></div>'
