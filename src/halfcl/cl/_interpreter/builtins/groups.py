"""Functions of sub-groups and work-groups: reductions, scans, broadcasts, votes, shuffles.

Floating numbers are summed from the first lane on, each sum rounded to nearest.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import halfcl as hc
from halfcl.cl._frontend.types import HALF, INT, UINT, Number, Scalar, limits
from halfcl.cl._interpreter.builtins.kinds import (
    Effect,
    Function,
    RunFunction,
    Signature,
    array_of,
    value_of,
)
from halfcl.cl._interpreter.groups import Combine, Groups
from halfcl.cl._interpreter.values import numbers
from halfcl.cl._interpreter.values.lanes import Array, Mask, Truths, Value, spread

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run


# ---------------------------------------------------------------- reductions and scans


def _combine(name: str, scalar: Scalar) -> Combine:
    """Return the operation of a reduction."""
    if name in ("add", "mul"):
        return numbers.binary("+" if name == "add" else "*", scalar, "rte")  # type: ignore[return-value]
    if name in ("and", "or", "xor"):
        return {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[name]
    if scalar == HALF:
        return hc.fmin if name == "min" else hc.fmax
    if scalar.is_floating:
        return np.fmin if name == "min" else np.fmax
    return np.minimum if name == "min" else np.maximum


def _identity(name: str, scalar: Scalar) -> Array:
    """Return the identity of an operation."""
    if scalar.is_floating:
        value = {"min": np.inf, "max": -np.inf, "mul": 1.0}.get(name, 0.0)
        return np.array([value]).astype(scalar.dtype)
    low, high = limits(scalar.dtype)
    ones = -1 if scalar.is_signed else high
    return np.array([{"min": high, "max": low, "mul": 1, "and": ones}.get(name, 0)], scalar.dtype)


def _group_kind(signature: Signature) -> str:
    """Return "sub_group" or "work_group"."""
    return signature.builtin.family.replace("-", "_")


def _needs_all(signature: Signature) -> bool:
    """Return whether all items of the group must execute a call."""
    return signature.builtin.convergence != "active"


def combination(signature: Signature) -> Function:
    """Return a reduction or scan."""
    parts, number = signature.builtin.parts, signature.number.element
    kind, name = parts["fold"].removeprefix("scan_"), parts["operation"].removeprefix("logical_")
    combine, nothing = _combine(name, number), _identity(name, number)
    is_logical = name != parts["operation"]

    def call(run: Run, mask: Mask, at: int, value: Value, cluster: Value | None = None) -> Value:
        groups = run.item_groups(_group_kind(signature))
        if cluster is not None:
            groups = _clusters(run, cluster, at)
        elif _needs_all(signature):
            run.require_all(groups, mask, signature.name, at)
        values, none = array_of(value, number), nothing
        if is_logical:
            values, none = (values != 0).astype(np.int32), np.abs(nothing)
        result = groups.combine(values, _active(mask), combine, none, kind)
        return value_of(result, number)

    return RunFunction(call)


def _clusters(run: Run, size: Value, at: int) -> Groups:
    """Return the clusters of sub-groups; raise LaunchError for an invalid size."""
    most = run.grid.sub_group_size
    if type(size) is int and 0 < size <= most and size & (size - 1) == 0:
        return run.groups_of_size(size)
    run.refuse(at, f"cluster size: expected a power of two up to {most}, the same for all items")


def _active(mask: Mask) -> Truths | None:
    return None if mask is None or mask is False else mask


# ---------------------------------------------------------------- shuffles and broadcasts


def _take_from(value: Value, number: Number, items: Array) -> Value:
    """Return the values of the items that each item reads."""
    array = array_of(value, number)
    if array.shape[-1] == 1:
        return value_of(array, number)
    return value_of(np.ascontiguousarray(array[..., items]), number)


def _each(run: Run, value: Value) -> Array:
    """Return an integer per item."""
    return np.broadcast_to(np.asarray(spread(value)), run.axes.count).astype(np.int64)


def _read(
    run: Run, mask: Mask, at: int, what: str, value: Value, number: Number, lane: Array, edges: bool
) -> Value:
    """Read a lane of the own sub-group; a missing lane, which is undefined, gives the own value.

    edges: whether to report lanes beyond the sub-group, or only inactive ones.
    """
    groups = run.item_groups("sub_group")
    is_lane = (lane >= 0) & (lane < groups.sizes)
    items = np.where(is_lane, groups.firsts + lane, np.arange(run.axes.count))
    is_there = is_lane | (not edges)
    if (active := _active(mask)) is not None:
        is_there &= active[items]
        items = np.where(active[items], items, np.arange(run.axes.count))
    run.see_lanes(what, lane, ~is_there, mask, at)
    return _take_from(value, number, items)


#: The lane to read, from the own lane and the argument.
_LANES: dict[str, Callable[[Array, Array], Array]] = {
    "sub_group_shuffle": lambda lane, index: index,
    "sub_group_shuffle_xor": lambda lane, mask: lane ^ mask,
    "sub_group_shuffle_up": lambda lane, delta: lane - delta,
    "sub_group_shuffle_down": lambda lane, delta: lane + delta,
}


def shuffle(signature: Signature) -> Function:
    """Return a shuffle."""
    number, find_lane = signature.number, _LANES[signature.builtin.stem]
    edges = not signature.name.endswith(("up", "down"))

    def call(run: Run, mask: Mask, at: int, value: Value, index: Value) -> Value:
        lane = find_lane(run.item_groups("sub_group").lanes, _each(run, index))
        return _read(run, mask, at, signature.name, value, number, lane, edges)

    return RunFunction(call)


def broadcast(signature: Signature) -> Function:
    """Return the broadcast of a lane of a sub-group."""
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value, index: Value) -> Value:
        groups = run.item_groups("sub_group")
        if _needs_all(signature):
            run.require_all(groups, mask, signature.name, at)
        return _read(run, mask, at, signature.name, value, number, _each(run, index), True)

    return RunFunction(call)


def broadcast_first(signature: Signature) -> Function:
    """Return the broadcast of the first active lane."""
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value) -> Value:
        items = run.item_groups("sub_group").first_active(_active(mask))
        return _take_from(value, number, items)

    return RunFunction(call)


def work_group_broadcast(signature: Signature) -> Function:
    """Return the broadcast of an item of a work-group."""
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value, *ids: Value) -> Value:
        groups = run.item_groups("work_group")
        run.require_all(groups, mask, signature.name, at)
        lane = np.zeros(run.axes.count, np.int64)
        for index, size in reversed(list(zip(ids, run.local_sizes, strict=False))):
            lane = lane * size + _each(run, index)
        outside = (lane < 0) | (lane >= groups.sizes)
        if outside.any():
            run.refuse(at, f"{signature.name}: local id outside of the work-group")
        return _take_from(value, number, groups.firsts + lane)

    return RunFunction(call)


def rotate(signature: Signature) -> Function:
    """Return a rotation by delta lanes, in the sub-group or in each cluster."""
    number = signature.number

    def call(
        run: Run, mask: Mask, at: int, value: Value, delta: Value, cluster: Value | None = None
    ) -> Value:
        groups = run.item_groups("sub_group")
        size = run.grid.sub_group_size if cluster is None else _clusters(run, cluster, at).most
        start = groups.lanes // size * size
        lane = start + (groups.lanes - start + _each(run, delta)) % size
        return _read(run, mask, at, signature.name, value, number, lane, True)

    return RunFunction(call)


def shuffle_of_two(signature: Signature) -> Function:
    """Return a shuffle over two concatenated values, up or down."""
    number, is_down = signature.number, signature.name.endswith("down")

    def call(run: Run, mask: Mask, at: int, a: Value, b: Value, delta: Value) -> Value:
        groups, size = run.item_groups("sub_group"), run.grid.sub_group_size
        moved = groups.lanes + _each(run, delta) * (1 if is_down else -1)
        if not is_down:
            moved = moved + size  # a is the previous value
        is_first = moved < size
        run.see_lanes(signature.name, moved, (moved < 0) | (moved >= 2 * size), mask, at)
        parts = [
            _read(run, mask, at, signature.name, v, number, np.where(of, lane, groups.lanes), True)
            for v, of, lane in ((a, is_first, moved), (b, ~is_first, moved - size))
        ]
        x, y = (array_of(part, number) for part in parts)
        return value_of(np.where(is_first, x, y), number)

    return RunFunction(call)


# ---------------------------------------------------------------- votes and ballots


def vote(signature: Signature) -> Function:
    """Return whether a condition is true for all items, or for any."""
    is_all = signature.builtin.parts["vote"] == "all"

    def call(run: Run, mask: Mask, at: int, predicate: Value) -> Value:
        groups = run.item_groups(_group_kind(signature))
        if _needs_all(signature):
            run.require_all(groups, mask, signature.name, at)
        truth = _each(run, predicate) != 0
        result = groups.any_in_group(~truth if is_all else truth, _active(mask))
        return value_of((~result if is_all else result).astype(np.int32), INT)

    return RunFunction(call)


def all_equal(signature: Signature) -> Function:
    """Return whether a value is the same for all items."""
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value) -> Value:
        groups, values = run.item_groups("sub_group"), array_of(value, number)
        each = np.broadcast_to(values, run.axes.count)
        first = each[groups.first_active(_active(mask))]
        return value_of((~groups.any_in_group(each != first, _active(mask))).astype(np.int32), INT)

    return RunFunction(call)


@RunFunction
def elect(run: Run, mask: Mask, at: int) -> Value:
    first = run.item_groups("sub_group").first_active(_active(mask))
    return value_of((first == np.arange(run.axes.count)).astype(np.int32), INT)


@RunFunction
def ballot(run: Run, mask: Mask, at: int, predicate: Value) -> Value:
    return run.item_groups("sub_group").bits(_each(run, predicate) != 0, _active(mask))


def lane_mask(signature: Signature) -> Function:
    """Return a mask of the lanes that compare so with the own one."""
    comparison = signature.builtin.parts["comparison"]

    def call(run: Run, mask: Mask, at: int) -> Value:
        groups = run.item_groups("sub_group")
        every = np.arange(128)
        compare = getattr(operator, comparison)
        table = compare(every, groups.lanes[:, np.newaxis]) & (every < groups.most)
        return np.ascontiguousarray(_pack_bits(table).T)

    return RunFunction(call)


def _pack_bits(table: Array) -> Array:
    return np.packbits(table, axis=1, bitorder="little").view("<u4")


def _bits_of(run: Run, ballot: Value) -> Truths:
    """Return the bits of a ballot by item and lane."""
    components = np.broadcast_to(np.asarray(spread(ballot), np.uint32), (4, run.axes.count))
    rows = np.ascontiguousarray(components.T).view(np.uint8)
    return np.unpackbits(rows, axis=1, bitorder="little").astype(np.bool_)


def _count_bits(choose: Callable[[Array, Array], Truths]) -> RunFunction:
    """Return the count of a ballot's bits in the lanes that `choose` selects."""

    def call(run: Run, mask: Mask, at: int, ballot: Value) -> Value:
        groups, every = run.item_groups("sub_group"), np.arange(128)
        chosen = choose(every, groups.lanes[:, np.newaxis]) & (every < groups.most)
        return value_of((_bits_of(run, ballot) & chosen).sum(axis=1).astype(np.uint32), UINT)

    return RunFunction(call)


def _find_bit(is_last: bool) -> RunFunction:
    """Return the search for the first or the last set bit."""

    def call(run: Run, mask: Mask, at: int, ballot: Value) -> Value:
        bits = _bits_of(run, ballot) & (np.arange(128) < run.item_groups("sub_group").most)
        lane = 127 - bits[:, ::-1].argmax(axis=1) if is_last else bits.argmax(axis=1)
        return value_of(lane.astype(np.uint32), UINT)

    return RunFunction(call)


@RunFunction
def ballot_bit(run: Run, mask: Mask, at: int, ballot: Value, index: Value | None = None) -> Value:
    lane = run.item_groups("sub_group").lanes if index is None else _each(run, index) & 127
    bits = _bits_of(run, ballot)[np.arange(run.axes.count), lane]
    return value_of(bits.astype(np.int32), INT)


# ---------------------------------------------------------------- sizes and ids


def _query(ask: Callable[[Groups], Array | int]) -> RunFunction:
    """Return a question about sub-groups."""

    def call(run: Run, mask: Mask, at: int) -> Value:
        answer = ask(run.item_groups("sub_group"))
        return answer if type(answer) is int else value_of(answer.astype(np.uint32), UINT)  # type: ignore[union-attr]

    return RunFunction(call)


@Effect
def barrier(run: Run, mask: Mask, at: int, flags: Value, scope: Value = 1) -> None:
    """Execute a barrier of sub-groups."""
    run.sub_group_barrier(mask, at, flags)


get_sub_group_size = _query(lambda groups: groups.sizes)
get_max_sub_group_size = _query(lambda groups: int(groups.sizes.max()))
get_num_sub_groups = get_enqueued_num_sub_groups = _query(lambda groups: groups.count)
get_sub_group_id = _query(lambda groups: groups.numbers)
get_sub_group_local_id = _query(lambda groups: groups.lanes)

count_all = _count_bits(lambda every, own: every >= 0)
count_up_to = _count_bits(lambda every, own: every <= own)
count_before = _count_bits(lambda every, own: every < own)
find_first = _find_bit(False)
find_last = _find_bit(True)
