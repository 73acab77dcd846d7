"""Tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
