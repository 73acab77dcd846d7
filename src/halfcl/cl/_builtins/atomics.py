"""Atomic functions: item after item in their order, as if each were alone.

Items that share an address are put beside each other, in their order; what each one finds there is
then an exclusive scan of its part of the values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._builtins.kinds import Effect, Maker, Signature
from halfcl.cl._lanes import Mask, Ramp, Value, as_operand_array
from halfcl.cl._pointers import Pointer
from halfcl.cl._types import FLOAT, DType, Pointer as PointerType, Scalar

if TYPE_CHECKING:
    from halfcl.cl._launching import Run

_Array = NDArray[Any]

#: What is done with the old value and an item's own.
_OPERATIONS: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "inc": np.add,
    "dec": np.subtract,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


class _Sorted:
    """Items by address: of those that share one, `rank` counts."""

    def __init__(self, index: _Array) -> None:
        self.order = np.argsort(index, kind="stable")
        ordered = index[self.order]
        is_first = np.ones(index.size, np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
        self.firsts = np.flatnonzero(is_first)
        self.lengths = np.diff(np.append(self.firsts, index.size))
        self.lasts = self.firsts + self.lengths - 1
        self.rank = np.arange(index.size) - np.repeat(self.firsts, self.lengths)
        self.addresses = ordered[self.firsts]

    def spread(self, of_addresses: _Array) -> _Array:
        return np.repeat(of_addresses, self.lengths)

    def shifted(self, values: _Array, firsts: _Array) -> _Array:
        """What comes before each; before the first ones something else."""
        found = np.empty_like(values)
        found[1:] = values[:-1]
        found[self.firsts] = firsts
        return found

    def unsorted(self, values: _Array) -> _Array:
        found = np.empty_like(values)
        found[self.order] = values
        return found


def _scanned(items: _Sorted, values: _Array, operation: np.ufunc) -> _Array:
    """Of each its own value and those before it at its address, together."""
    found, distance, longest = values, 1, int(items.lengths.max())
    while distance < longest:
        together = operation(found[:-distance], found[distance:])
        inside = items.rank[distance:] >= distance
        found = np.concatenate([found[:distance], np.where(inside, together, found[distance:])])
        distance *= 2
    return found


def _combining(name: str, dtype: DType) -> Effect:
    operation = _OPERATIONS[name]
    # Of what is subtracted the sum is taken.
    together = np.add if operation is np.subtract else operation

    def change(elements: _Array, index: _Array, values: _Array) -> _Array:
        items = _Sorted(index)
        sums = _scanned(items, values[items.order], together)
        before = elements[items.addresses]
        after = operation(items.spread(before), sums)
        elements[items.addresses] = after[items.lasts]
        return items.unsorted(items.shifted(after, before))

    def change_only(elements: _Array, index: _Array, values: _Array) -> None:
        operation.at(elements, index, values)

    if name in ("inc", "dec"):
        return _effect(
            dtype,
            lambda e, i: change(e, i, np.ones(i.size, dtype)),
            lambda e, i: change_only(e, i, np.ones(i.size, dtype)),
        )
    return _effect(dtype, change, change_only)


def _exchange(elements: _Array, index: _Array, values: _Array) -> _Array:
    items = _Sorted(index)
    values = values[items.order]
    found = items.unsorted(items.shifted(values, elements[items.addresses]))
    elements[items.addresses] = values[items.lasts]
    return found


def _compare_exchange(elements: _Array, index: _Array, expected: _Array, values: _Array) -> _Array:
    """Where all at an address expect the same, the first who brings another value is the last who
    succeeds; elsewhere one item of each address after the other."""
    items = _Sorted(index)
    expected, values = expected[items.order], values[items.order]
    if (expected == items.spread(expected[items.firsts])).all():
        before = elements[items.addresses]
        equal = before == expected[items.firsts]
        rank = np.where(values != expected, items.rank, index.size)
        winner = np.minimum.reduceat(rank, items.firsts)
        has_winner = equal & (winner < index.size)
        new = values[np.where(has_winner, items.firsts + winner, items.firsts)]
        elements[items.addresses] = np.where(has_winner, new, before)
        is_after = items.spread(has_winner) & (items.rank > items.spread(winner))
        return items.unsorted(np.where(is_after, items.spread(new), items.spread(before)))
    found = np.empty_like(values)
    by_rank = np.argsort(items.rank, kind="stable")
    addresses = items.spread(items.addresses)
    start = 0
    for count in np.bincount(items.rank).tolist():
        now = by_rank[start : start + count]
        start += count
        old = found[now] = elements[addresses[now]]
        elements[addresses[now]] = np.where(old == expected[now], values[now], old)
    return items.unsorted(found)


def _effect(
    dtype: DType,
    change: Callable[..., _Array],
    change_only: Callable[..., None] | None = None,
) -> Effect:
    def call(run: Run, mask: Mask, at: int, pointer: Pointer, *operands: Value) -> _Array:
        run.at = at
        found = np.zeros(run.axes.count, dtype)
        for elements, index, who in run.places("atomic access", pointer, dtype, mask):
            found[who] = change(elements, index, *(_of_items(v, dtype, who) for v in operands))
        return found

    def call_only(run: Run, mask: Mask, at: int, pointer: Pointer, *operands: Value) -> None:
        run.at = at
        assert change_only is not None
        for elements, index, who in run.places("atomic access", pointer, dtype, mask):
            change_only(elements, index, *(_of_items(v, dtype, who) for v in operands))

    return Effect(call, call_only if change_only else None)


def _of_items(value: Value, dtype: DType, who: _Array) -> _Array:
    if type(value) is int or (type(value) is not Ramp and value.size == 1):  # type: ignore[union-attr]
        return np.full(who.size, value, dtype)
    found: _Array = as_operand_array(value, dtype)[who]
    return found


def _make(signature: Signature) -> Effect | None:
    pointer = cast(PointerType, signature.arguments[0])
    name, scalar = signature.name.split("_", 1)[1], cast(Scalar, pointer.pointee)
    if name == "xchg":
        return _effect(scalar.dtype, _exchange)
    if scalar == FLOAT:
        return None
    if name == "cmpxchg":
        return _effect(scalar.dtype, _compare_exchange)
    return _combining(name, scalar.dtype)


MAKERS: dict[str, Maker] = {
    f"{prefix}_{name}": _make
    for prefix in ("atomic", "atom")
    for name in (*_OPERATIONS, "xchg", "cmpxchg")
}
