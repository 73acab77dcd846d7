"""A listing of a program's source, with the pragma state beside each line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.pragmas import Blocks, Pragmas
from halfcl.cl._frontend.preprocessing import Text
from halfcl.cl._frontend.preprocessing.lexing.lines import split_lines

#: Start and end offsets in the preprocessed text.
Extent = tuple[int, int]


def extents_of(text: Text, functions: Iterable[tree.Function]) -> list[Extent]:
    """Return the extents of functions that have bodies."""
    ends = dict(Blocks(text).ends)
    return [(f.at, ends.get(f.body.at, 1 << 62) + 1) for f in functions if f.body]


def listing(source: str, text: Text, pragmas: Pragmas, extents: Sequence[Extent] | None) -> str:
    """Return the lines of a file in columns; only those of the extents unless that is None."""
    modes: dict[int, list[str]] = {}
    contracts: dict[int, list[str]] = {}
    lines_of_tokens = list(text.lines_of_program())
    for at, line in lines_of_tokens:
        if extents is None or any(a <= at < b for a, b in extents):
            _note(modes, line, pragmas.rounding.at(at) or "(rte)")
            _note(contracts, line, "on" if pragmas.contraction.at(at) else "off")
    lines = split_lines(source)
    if extents is None:
        shown = range(1, len(lines) + 1)
    else:
        shown = _fill_gaps(sorted(modes), lines_of_tokens, extents)  # type: ignore[assignment]
    rows = [
        (" ".join(modes.get(n, [])), " ".join(contracts.get(n, [])), str(n), lines[n - 1])
        for n in shown
        if n <= len(lines)
    ]
    rows.insert(0, ("rounding", "contract", "line", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        f"{mode:<{widths[0]}}  {on:<{widths[1]}}  {n:>{widths[2]}}  {line}".rstrip()
        for mode, on, n, line in rows
    )


def _note(values_by_line: dict[int, list[str]], line: int, value: str) -> None:
    """Add a value to a line's list unless it is there."""
    values = values_by_line.setdefault(line, [])
    if value not in values:
        values.append(value)


def _fill_gaps(
    lines: list[int], lines_of_tokens: list[tuple[int, int]], extents: Sequence[Extent]
) -> list[int]:
    """Return the lines with those between the first and last of each extent, which have no text."""
    line_numbers: set[int] = set(lines)
    for first, end in extents:
        within = [line for at, line in lines_of_tokens if first <= at < end]
        if within:
            line_numbers.update(range(min(within), max(within) + 1))
    return sorted(line_numbers)
