"""The tables that tools write into pages of docs/, between two marks."""

from __future__ import annotations

import sys
from pathlib import Path


def print_or_write(page: Path, marks: tuple[str, str], table: str) -> None:
    """Print a table, or write it between its page's marks if the command line is ``--write``."""
    if sys.argv[1:] != ["--write"]:
        print(table, end="")
        return
    before, rest = page.read_text(encoding="utf-8").split(marks[0])
    after = rest.split(marks[1], 1)[1]
    page.write_text(f"{before}{marks[0]}{table}{marks[1]}{after}", encoding="utf-8")
