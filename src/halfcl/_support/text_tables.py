"""Tables and lists, which are shown as text here, and as HTML by a template of pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Rows of cells under a head.

    words: numbers of the columns of words, which are aligned to the left; others to the right.
    code: numbers of the columns of source code. marked: numbers of the rows to look at first.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Collection[int] = ()
    code: Collection[int] = ()
    marked: Collection[int] = ()

    def __str__(self) -> str:
        return align_columns(self.head, self.rows, self.words)


@dataclass(frozen=True)
class Listing:
    """Lines under a heading."""

    heading: str
    lines: Sequence[str]

    def __str__(self) -> str:
        return "\n".join([f"{self.heading}:", *(f"  {line}" for line in self.lines)])


def align_columns(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Iterable[int] = ()
) -> str:
    """Return a table with columns aligned to the right; to the left for numbers in `left`."""
    lines = [list(head), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    to_left = set(left)
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k in to_left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
