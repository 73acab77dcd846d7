"""A report as one page that needs nothing beside it: no network, no other file."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

import numpy as np

import halfcl as hc
from halfcl._support import html_pages
from halfcl.stability._programs import _pictures as pictures, _report as words
from halfcl.stability._programs._blaming import Blamed, Guilt
from halfcl.stability._programs._comparing import Result
from halfcl.stability._programs._rewriting import Suggestion, off
from halfcl.stability._programs._testing import Branch, Report
from halfcl.stability._programs._wording import counted, listed, ulps, where

#: Lines of source around a blamed one.
_AROUND = 8


def page(report: Report) -> str:
    """A report as HTML.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        A whole page: the verdict, the results, pictures, the source with a bar beside each guilty
        line, and better formulas. It follows the reader's choice of light and dark.
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
        _parted(report),
        _blamed(report.blamed),
        _suggestions(report.suggested),
    ]
    style = _part("halfcl.audit", "style.css") + _part("halfcl.stability._programs", "style.css")
    return html_pages.page(title, style, body)


def _part(package: str, name: str) -> str:
    return (files(package) / "page" / name).read_text(encoding="utf-8")


def _conditions(report: Report) -> str:
    asked = report.asked
    rows = {
        "program": " ".join(asked.program),
        "runs": f"to nearest three times, in three other modes, {asked.samples} at random",
        "took": words.costs(report),
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
    guilty = report.blamed.guilty if report.blamed else ()
    picture = pictures.digits_over_time(
        report.moments, [(guilt.unit.file, guilt.unit.line) for guilt in guilty]
    )
    if not picture:
        return ""
    caption = (
        "A dot is a value of a variable: the significant digits of its elements, the median of "
        "some. Red ones are of blamed lines."
    )
    if report.branches:
        caption += " It ends where the first run went another way."
    return f"<h2>Digits over the program's time</h2>\n{_figure(picture, caption)}"


def _spreads(results: Iterable[Result]) -> str:
    order = sorted(results, key=lambda result: -float(result.spread.max(initial=0.0)))
    parts = [
        _figure(
            pictures.spread_over_elements(result.spread),
            f"<b>{escape(result.name)}</b>: the ulps from the least result to the largest. "
            "The line is where an element counts as unstable.",
        )
        for result in order[:3]
        if np.any(result.spread > 0)
    ]
    return "<h2>Error</h2>\n" + "\n".join(parts) if parts else ""


def _branches(found: Sequence[Branch]) -> str:
    if not found:
        return ""
    rows = [
        (where(b.file, b.line), linecache.getline(b.file, b.line).strip(), listed(b.runs))
        for b in found
    ]
    table = _table(("where", "line", "runs"), rows)
    return f"<h2>Branches that went another way than to nearest</h2>\n{table}"


def _parted(report: Report) -> str:
    if not report.parted:
        return ""
    table = _table(("elements", "where", "line", "runs"), map(words.parted_row, report.parted))
    return f"<h2>{words.PARTED[0].upper()}{words.PARTED[1:]}</h2>\n{table}"


# ---------------------------------------------------------------- the source


def _blamed(blamed: Blamed | None) -> str:
    if blamed is None:
        return ""
    most = max([blamed.moved, *(guilt.effect for guilt in blamed.guilty)])
    lead = (
        f"<p>Of {blamed.units} that round, {len(blamed.guilty)} move the result. Rounded "
        f"otherwise, all together move it by {ulps(blamed.moved)} ulps. "
        "A number is what one does alone.</p>"
    )
    files_named = dict.fromkeys(guilt.unit.file for guilt in blamed.guilty)
    parts = [
        _source(file, [g for g in blamed.guilty if g.unit.file == file], most)
        for file in files_named
    ]
    return "<h2>Who is to blame</h2>\n" + lead + "\n".join(parts)


def _source(file: str, guilty: Sequence[Guilt], most: float) -> str:
    """The lines around those to blame, each with its bar."""
    by_line = {max(guilt.unit.line, 1): guilt for guilt in guilty}
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


def _line(number: int, text: str, guilt: Guilt | None, most: float) -> str:
    if guilt is None:
        return f"<tr><td>{number}</td><td></td><td></td><td>{escape(text)}</td></tr>"
    length = round(100 * words.bar(guilt.effect, most))
    beside = words.together(guilt) if guilt.together else ""
    return (
        f'<tr class="guilty"><td>{number}</td><td title="{escape(beside)}">{ulps(guilt.effect)}'
        f'</td><td><span style="width:{length}%"></span></td><td>{escape(text)}</td></tr>'
    )


def _suggestions(found: Iterable[Suggestion]) -> str:
    parts = [
        f"<h3>{escape(where(s.file, s.line))}: {escape(s.name)}</h3>\n"
        f"<p>Measured on {counted(s.old.count, 'recorded result')}, in four modes. It is off by "
        f"{off(s.old)}:</p>\n{_snippet(s.before)}\n"
        f"<p>It could be off by {off(s.new)}:</p>\n{_snippet(s.after)}"
        for s in found
    ]
    return "<h2>Better formulas</h2>\n" + "\n".join(parts) if parts else ""


def _snippet(text: str) -> str:
    return f'<div class="snippet"><pre>{escape(text)}</pre></div>'
