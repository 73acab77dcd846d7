"""Tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]], left: Iterable[int] = ()) -> str:
    """Columns as wide as their cells need, to the right, or to the left those named by number."""
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
