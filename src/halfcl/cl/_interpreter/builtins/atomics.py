"""Atomic functions, as if work-items executed them one after another in order.

Items are sorted by address, stably; the old value that each item reads is then an exclusive scan
over the values at its address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._frontend.types import DType, Pointer as PointerType, Scalar
from halfcl.cl._interpreter.builtins.kinds import Effect, Signature
from halfcl.cl._interpreter.memory.pointers import Pointer
from halfcl.cl._interpreter.values.integers import int_from_truth
from halfcl.cl._interpreter.values.lanes import (
    DEAD,
    Mask,
    Ramp,
    Value,
    as_operand_array,
    narrow,
)

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run

_Array = NDArray[Any]

#: NumPy's functions of the old value and an item's own.
_UFUNCS: dict[str, np.ufunc] = {
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


class _SortedItems:
    """Items sorted by address; `rank` counts the items at one address."""

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

    def shift(self, values: _Array, firsts: _Array) -> _Array:
        """Return the value before each item; the first of each address gets another one."""
        result = np.empty_like(values)
        result[1:] = values[:-1]
        result[self.firsts] = firsts
        return result

    def restore_order(self, values: _Array) -> _Array:
        result = np.empty_like(values)
        result[self.order] = values
        return result


def _scan(items: _SortedItems, values: _Array, operation: np.ufunc) -> _Array:
    """Return an inclusive scan over the values at each address."""
    result, distance, longest = values, 1, int(items.lengths.max())
    while distance < longest:
        together = operation(result[:-distance], result[distance:])
        inside = items.rank[distance:] >= distance
        result = np.concatenate([result[:distance], np.where(inside, together, result[distance:])])
        distance *= 2
    return result


def _make_operation(name: str, dtype: DType) -> Effect:
    operation = _UFUNCS[name]
    # Subtracted values are summed first.
    together = np.add if operation is np.subtract else operation

    def change(elements: _Array, index: _Array, values: _Array) -> _Array:
        items = _SortedItems(index)
        sums = _scan(items, values[items.order], together)
        before = elements[items.addresses]
        after = operation(items.spread(before), sums)
        elements[items.addresses] = after[items.lasts]
        return items.restore_order(items.shift(after, before))

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
    items = _SortedItems(index)
    values = values[items.order]
    old = items.restore_order(items.shift(values, elements[items.addresses]))
    elements[items.addresses] = values[items.lasts]
    return old


def _compare_exchange(elements: _Array, index: _Array, expected: _Array, values: _Array) -> _Array:
    """Compare and exchange item by item.

    Where all items at an address expect the same value, the first one that brings another value is
    the last to succeed; elsewhere items are processed by rank.
    """
    items = _SortedItems(index)
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
        return items.restore_order(np.where(is_after, items.spread(new), items.spread(before)))
    result = np.empty_like(values)
    by_rank = np.argsort(items.rank, kind="stable")
    addresses = items.spread(items.addresses)
    start = 0
    for count in np.bincount(items.rank).tolist():
        now = by_rank[start : start + count]
        start += count
        old = result[now] = elements[addresses[now]]
        elements[addresses[now]] = np.where(old == expected[now], values[now], old)
    return items.restore_order(result)


def _effect(
    dtype: DType,
    change: Callable[..., _Array],
    change_only: Callable[..., None] | None = None,
    kind: str = "atomic access",
) -> Effect:
    def call(run: Run, mask: Mask, at: int, pointer: Pointer, *operands: Value) -> _Array:
        run.at = at
        result = np.zeros(run.axes.count, dtype)
        for elements, index, who in run.places(kind, pointer, dtype, mask):
            result[who] = change(
                elements, index, *(_active_values(v, dtype, who) for v in operands)
            )
        return result

    def call_only(run: Run, mask: Mask, at: int, pointer: Pointer, *operands: Value) -> None:
        run.at = at
        assert change_only is not None
        for elements, index, who in run.places(kind, pointer, dtype, mask):
            change_only(elements, index, *(_active_values(v, dtype, who) for v in operands))

    return Effect(call, call_only if change_only else None)


def _active_values(value: Value, dtype: DType, who: _Array) -> _Array:
    if type(value) is int or (type(value) is not Ramp and value.size == 1):  # type: ignore[union-attr]
        return np.full(who.size, value, dtype)
    values: _Array = as_operand_array(value, dtype)[who]
    return values


def _dtype_of(signature: Signature) -> DType:
    """Return the dtype of what the first argument points to."""
    return cast(Scalar, cast(PointerType, signature.arguments[0]).pointee).dtype


def combine(signature: Signature) -> Effect:
    """Return a function that combines the old value and the items' own."""
    return _make_operation(signature.builtin.stem, _dtype_of(signature))


def exchange(signature: Signature) -> Effect:
    """Return an exchange."""
    return _effect(_dtype_of(signature), _exchange)


def compare_exchange(signature: Signature) -> Effect:
    """Return a comparison and exchange."""
    return _effect(_dtype_of(signature), _compare_exchange)


# ---------------------------------------------------------------- atomics of C11
#
# Work-items run in order and each operation is complete before the next one, so that all memory
# orders and scopes are kept.


def fetch_and_combine(signature: Signature) -> Effect:
    """Return a function that combines the old value and the items' own."""
    operation = _make_operation(signature.builtin.parts["fetched"], _dtype_of(signature))
    return _without_order(operation, 2)


def exchange_in_order(signature: Signature) -> Effect:
    """Return an exchange."""
    return _without_order(exchange(signature), 2)


def load(signature: Signature) -> Effect:
    """Return a load."""
    return _without_order(_effect(_dtype_of(signature), lambda e, i: e[i]), 1)


def store(signature: Signature) -> Effect:
    """Return a store; of several items' at one address the last one's remains."""
    return _without_order(_effect(_dtype_of(signature), _exchange, kind="atomic write"), 2)


def clear(signature: Signature) -> Effect:
    """Return a store of 0."""
    call = store(signature).function
    return Effect(lambda run, mask, at, pointer, *_: call(run, mask, at, pointer, 0))


def test_and_set(signature: Signature) -> Effect:
    """Return an exchange with 1 whose result is whether it was set."""
    call = exchange(signature).function

    def set_flag(run: Run, mask: Mask, at: int, pointer: Pointer, *order: Value) -> Value:
        old = cast(_Array, call(run, mask, at, pointer, 1))
        return int_from_truth(old != 0)

    return Effect(set_flag)


def compare_exchange_through(signature: Signature) -> Effect:
    """Return a comparison and exchange; what was there replaces what was expected."""
    dtype, call = _dtype_of(signature), compare_exchange(signature).function

    def compare(
        run: Run, mask: Mask, at: int, pointer: Pointer, expected: Pointer, value: Value, *_: Value
    ) -> Value:
        wanted = as_operand_array(run.load(expected, dtype, mask, at), dtype)
        old = cast(_Array, call(run, mask, at, pointer, wanted, value))
        succeeded = old == wanted
        failed = narrow(mask, ~succeeded)
        if failed is not DEAD:
            run.store(expected, old, dtype, failed, at)
        return int_from_truth(succeeded)

    return Effect(compare)


def _without_order(effect: Effect, count: int) -> Effect:
    """Return a function that ignores what follows its first operands."""

    def call(run: Run, mask: Mask, at: int, *operands: object) -> object:
        return effect.function(run, mask, at, *operands[:count])

    def call_only(run: Run, mask: Mask, at: int, *operands: object) -> object:
        return effect.unused(run, mask, at, *operands[:count])

    return Effect(call, call_only)
