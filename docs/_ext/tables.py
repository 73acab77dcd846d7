"""The pages' tables of figures: a CSV file beside each, and heat maps.

The tables of the pages on evidence are written to ``_figures`` in the built site, where numbers are
as programs read them, and a link stands below each. The cells of a table after
``<!-- heat map -->`` are coloured by their figures.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the tests do without
    from docutils import nodes
    from sphinx.application import Sphinx

FOLDER = "_figures"
PAGES = "evidence/"
HEAT_MAP = "<!-- heat map -->"
FAR = 8  # ulp

_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d)")
_NUMBER = re.compile(r"-?\d[\d.,]*(e[+-]?\d+)?")
_HEAT_CELL = re.compile(r"(?P<wrong>[\d,]+)(?: \((?P<ulp>[^)]+)\))?")


def plain(text: str) -> str:
    """Return a cell's text on one line, with numbers without commas and with ASCII's minus."""
    text = " ".join(text.split()).replace("\N{MINUS SIGN}", "-")
    return _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)


def has_figures(rows: list[list[str]]) -> bool:
    """Return whether a table has numbers, below its head and not in its first column alone."""
    return any(_NUMBER.fullmatch(text) for row in rows[1:] for text in row[1:])


def heat(text: str, is_bold: bool) -> str:
    """Return how wrong a heat map's cell is: none, right, hair, more, beyond or far.

    A cell has a number of wrong results, the error if it is more than a hair, and is bold beyond
    the limit.
    """
    match = _HEAT_CELL.fullmatch(text)
    if not match:
        return "none"
    if is_bold:
        return "far" if float(match["ulp"] or 0) > FAR else "beyond"
    if match["wrong"] == "0":
        return "right"
    return "more" if match["ulp"] else "hair"


def _all(node: nodes.Element, name: str) -> Iterator[Any]:
    """Return the nodes of a kind below a node."""
    return node.findall(lambda each: each.tagname == name)


def _rows(table: nodes.table) -> list[list[str]]:
    """Return a table's texts, the head's first."""
    return [[plain(entry.astext()) for entry in row] for row in _all(table, "row")]


def _colour_heat_maps(doctree: nodes.document) -> None:
    for mark in _all(doctree, "raw"):
        if mark.astext().strip() == HEAT_MAP:
            table = mark.next_node(descend=False, siblings=True)
            table["classes"].append("heat")
            for row in list(_all(table, "row"))[1:]:
                for entry in row[1:]:
                    is_bold = any(_all(entry, "strong"))
                    entry["classes"].append(f"heat-{heat(entry.astext(), is_bold)}")


def _section(node: nodes.Node) -> str:
    """Return the fragment of the section that a node is in."""
    while node.tagname != "section":
        node = node.parent
    return str(node["ids"][0])


def _add_files(doctree: nodes.document, page: str, folder: Path) -> None:
    """Write a page's tables as CSV below the site's folder, and link each below its table."""
    from docutils import nodes

    count: Counter[str] = Counter()
    for table in list(_all(doctree, "table")):
        rows = _rows(table)
        if not has_figures(rows):
            continue
        section = _section(table)
        count[section] += 1
        number = f"-{count[section]}" if count[section] > 1 else ""
        name = f"{FOLDER}/{page}/{section}{number}.csv"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        address = "../" * page.count("/") + name
        link = f'<p class="table-file"><a href="{address}" download>CSV</a></p>'
        table.parent.insert(table.parent.index(table) + 1, nodes.raw("", link, format="html"))


def _resolve(app: Sphinx, doctree: nodes.document, page: str) -> None:
    _colour_heat_maps(doctree)
    if page.startswith(PAGES) and app.builder.format == "html":
        _add_files(doctree, page, Path(app.outdir))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-resolved", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
