"""Writes the figures of a measure into a page of the docs, between marks."""

import re
import sys
from pathlib import Path


def write(page, name, lines):
    """Replace what a page has between the marks of a measure.

    page: its path. name: that of the measure, which both marks contain. Exits if the page lacks
    the marks.
    """
    path = Path(page)
    begin, end = f"<!-- measured: {name} -->\n", f"<!-- end of {name} -->\n"
    text = path.read_text(encoding="utf-8")
    if begin not in text or end not in text.split(begin, 1)[1]:
        sys.exit(f"{page}: expected the marks {begin.strip()} and {end.strip()}, got none")
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    block = "\n".join([begin, *lines, "", end])
    path.write_text(pattern.sub(lambda _: block, text, count=1), encoding="utf-8")


def table(lines, heads):
    """Return a table of lines "figure: value", as Markdown; lines without a colon have no value."""
    rows = [line.strip().partition(": ")[::2] for line in lines]
    return [f"| {' | '.join(cells)} |" for cells in (heads, ("---", "---"), *rows)]
