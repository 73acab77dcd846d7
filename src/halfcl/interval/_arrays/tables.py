"""Arrays of intervals as tables, for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from halfcl._support.duck_arrays.base import DuckArray
from halfcl._support.text_tables import Table

_T = TypeVar("_T")

#: Returns a function from the number of one of the intervals to its text.
Literals: TypeAlias = Callable[[DuckArray], Callable[[int], str]]

#: What stands for the elements that are left out.
_GAP = "…"


def table(x: DuckArray, literals: Literals) -> Table:
    """Return intervals as a table that leaves out as many as NumPy's text of an array."""
    is_summarised = bool(x.size > np.get_printoptions()["threshold"])
    return (_grid if x.ndim == 2 else _list)(x, literals, is_summarised)


def _grid(x: DuckArray, literals: Literals, is_summarised: bool) -> Table:
    """Return two-dimensional intervals in rows and columns."""
    rows, columns = (_indices_to_show(count, is_summarised) for count in x.shape)
    literal = literals(x[np.ix_(rows, columns)])
    head = _with_gap([str(j) for j in columns], x.shape[1], _GAP)
    lines = []
    for i, row in enumerate(rows):
        cells = [literal(i * len(columns) + j) for j in range(len(columns))]
        lines.append([str(row), *_with_gap(cells, x.shape[1], _GAP)])
    gap = [_GAP] * (len(head) + 1)
    return Table(["", *head], _with_gap(lines, x.shape[0], gap))


def _list(x: DuckArray, literals: Literals, is_summarised: bool) -> Table:
    """Return intervals of any shape one below the other, with their midpoints and widths."""
    flat = np.array(_indices_to_show(x.size, is_summarised), np.intp)
    index = np.unravel_index(flat, x.shape) if x.ndim else ()
    part = x[index or np.newaxis]
    literal = literals(part)
    with np.errstate(all="ignore"):
        numbers = part.mid, part.wid
    lines = []
    for k in range(len(flat)):
        position = ", ".join(str(axis[k]) for axis in index)
        lines.append([position, literal(k), *(f"{float(each[k]):.5g}" for each in numbers)])
    head = ["", "interval", "midpoint", "width"]
    return Table(head, _with_gap(lines, x.size, [_GAP] * len(head)))


def _indices_to_show(count: int, is_summarised: bool) -> list[int]:
    """Return the indices along an axis of which NumPy's text shows the elements."""
    edge = np.get_printoptions()["edgeitems"]
    if not is_summarised or count <= 2 * edge:
        return list(range(count))
    return [*range(edge), *range(count - edge, count)]


def _with_gap(items: Sequence[_T], count: int, gap: _T) -> list[_T]:
    """Return items of an axis, with a gap in their middle if they are not all."""
    middle = len(items) // 2
    return [*items] if len(items) == count else [*items[:middle], gap, *items[middle:]]
