"""The picture of what depends on what: the pages' flow charts, drawn as SVG where Sphinx meets one.

They are written in Mermaid's language, which some viewers of Markdown draw; the site needs no
script for it. A box stands one row above all that it depends on.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the tests do without
    from docutils.nodes import document
    from sphinx.application import Sphinx

_EDGE = re.compile(r"^ *(\w+)\[(.*?)\] --> (\w+)\[(.*?)\]$", re.M)
_WIDTH, _HEIGHT, _GAP, _ROW, _LETTER = 960, 22, 10, 58, 7.2


def _levels(edges: list[tuple[str, str]]) -> dict[str, int]:
    """How many steps it is from each box to the ground, at most."""
    below: dict[str, set[str]] = {}
    for top, bottom in edges:
        below.setdefault(top, set()).add(bottom)
        below.setdefault(bottom, set())
    levels: dict[str, int] = {}

    def level(box: str) -> int:
        if box not in levels:
            levels[box] = 1 + max((level(other) for other in below[box]), default=-1)
        return levels[box]

    for box in below:
        level(box)
    return levels


def _rows(levels: dict[str, int], edges: list[tuple[str, str]]) -> list[list[str]]:
    """Boxes by level, the highest first; each below the middle of those that need it."""
    rows: list[list[str]] = [[] for _ in range(max(levels.values()) + 1)]
    for box in sorted(levels):
        rows[-1 - levels[box]].append(box)
    place: dict[str, float] = {}
    for row in rows:
        above = {b: [place[t] for t, o in edges if o == b and t in place] for b in row}
        row.sort(key=lambda b: (sum(above[b]) / len(above[b]) if above[b] else 0.5, b))
        place |= {box: (i + 0.5) / len(row) for i, box in enumerate(row)}
    return rows


def _boxes(rows: list[list[str]], names: dict[str, str]) -> dict[str, tuple[float, float, float]]:
    """The middle, top and width of each box; a row that is too wide goes on in the next line."""
    found: dict[str, tuple[float, float, float]] = {}
    top = 4.0
    for row in rows:
        widths = [len(names[box]) * _LETTER + 14 for box in row]
        lines: list[list[int]] = [[]]
        for i in range(len(row)):
            if sum(widths[k] + _GAP for k in (*lines[-1], i)) > _WIDTH:
                lines.append([])
            lines[-1].append(i)
        for line in lines:
            spare = (_WIDTH - sum(widths[i] for i in line)) / (len(line) + 1)
            left = spare
            for i in line:
                found[row[i]] = (left + widths[i] / 2, top, widths[i])
                left += widths[i] + spare
            top += _ROW
    return found


def draw(text: str) -> str:
    """SVG in the colours of the page."""
    matches = _EDGE.findall(text)
    edges = [(top, bottom) for top, _, bottom, _ in matches]
    names = {box: name for m in matches for box, name in ((m[0], m[1]), (m[2], m[3]))}
    boxes = _boxes(_rows(_levels(edges), edges), names)
    height = max(top for _, top, _ in boxes.values()) + _HEIGHT + 4
    parts = []
    for upper, lower in edges:
        x0, y0, _ = boxes[upper]
        x1, y1, _ = boxes[lower]
        start, middle = y0 + _HEIGHT, (y0 + _HEIGHT + y1) / 2
        parts.append(
            f'<path d="M{x0:.0f} {start:.0f} C{x0:.0f} {middle:.0f} {x1:.0f} {middle:.0f} '
            f'{x1:.0f} {y1:.0f}"><title>{escape(names[upper])} needs {escape(names[lower])}'
            "</title></path>"
        )
    for box, (x, y, width) in boxes.items():
        parts.append(
            f'<rect x="{x - width / 2:.0f}" y="{y:.0f}" width="{width:.0f}" height="{_HEIGHT}" '
            f'rx="4"/><text x="{x:.0f}" y="{y + 15:.0f}">{escape(names[box])}</text>'
        )
    return (
        f'<div class="dependencies"><svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
        f'aria-label="What depends on what">{"".join(parts)}</svg></div>'
    )


def _replace(app: Sphinx, page: document) -> None:
    from docutils import nodes

    for block in list(page.findall(nodes.literal_block)):
        if block.get("language") == "mermaid":
            block.replace_self(nodes.raw("", draw(block.astext()), format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", _replace)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
