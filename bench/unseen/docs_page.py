"""Writes the figures of a measure into a page of the docs, between marks."""

import sys
from pathlib import Path


def write(page, name, lines):
    """Replace what a page has between the marks of a measure.

    page: its path. name: that of the measure, which both marks contain. Exits if the page lacks
    the marks.
    """
    before, _, after = _split(page, name)
    begin, end = _marks(name)
    block = "\n".join([begin, *lines, "", end])
    Path(page).write_text(f"{before}{block}{after}", encoding="utf-8")


def read(page, name):
    """Return the lines that a page has between the marks of a measure; see `write`."""
    return _split(page, name)[1].splitlines()


def _marks(name):
    return f"<!-- measured: {name} -->\n", f"<!-- end of {name} -->\n"


def _split(page, name):
    """Return a page's text before the marks, between them, and after."""
    begin, end = _marks(name)
    before, first_mark, rest = Path(page).read_text(encoding="utf-8").partition(begin)
    lines, second_mark, after = rest.partition(end)
    if not (first_mark and second_mark):
        sys.exit(f"{page}: expected the marks {begin.strip()} and {end.strip()}, got none")
    return before, lines, after


def table(lines, heads):
    """Return a table of lines "figure: value", as Markdown; lines without a colon have no value."""
    rows = [line.strip().partition(": ")[::2] for line in lines]
    return [f"| {' | '.join(cells)} |" for cells in (heads, ("---", "---"), *rows)]
