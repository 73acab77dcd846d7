"""Functions of sub-groups and work-groups: reductions, scans, broadcasts, votes, shuffles.

Floating numbers are summed from the first lane on, each sum rounded to nearest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import halfcl as hc
from halfcl.cl._frontend.types import HALF, INT, UINT, Number, Scalar
from halfcl.cl._interpreter.builtins.kinds import (
    Effect,
    Function,
    Maker,
    RunFunction,
    Signature,
    array_of,
    value_of,
)
from halfcl.cl._interpreter.groups import Combine, Groups
from halfcl.cl._interpreter.values import numbers
from halfcl.cl._interpreter.values.integers import limits
from halfcl.cl._interpreter.values.lanes import Array, Mask, Truths, Value, spread

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run

_COMBINATION = re.compile(
    r"(work_group|sub_group)_(non_uniform_|clustered_)?(reduce|scan_inclusive|scan_exclusive)"
    r"_(logical_)?(\w+)"
)


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


def _reduce_or_scan(signature: Signature) -> Function | None:
    match = _COMBINATION.fullmatch(signature.name)
    number = signature.arguments[0]
    if match is None or not isinstance(number, Scalar):
        return None
    group_kind, how, kind, is_logical, name = match.groups()
    combine, nothing = _combine(name, number), _identity(name, number)

    def call(run: Run, mask: Mask, at: int, value: Value, cluster: Value | None = None) -> Value:
        groups = run.item_groups(group_kind)
        if cluster is not None:
            groups = _clusters(run, cluster, at)
        elif not how:
            run.require_all(groups, mask, signature.name, at)
        values, none = array_of(value, number), nothing
        if is_logical:
            values, none = (values != 0).astype(np.int32), np.abs(nothing)
        result = groups.combine(values, _active(mask), combine, none, kind.removeprefix("scan_"))
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


#: By the suffix of the name: the lane to read, from the own lane and the argument.
_LANES: dict[str, Callable[[Array, Array], Array]] = {
    "shuffle": lambda lane, index: index,
    "shuffle_xor": lambda lane, mask: lane ^ mask,
    "shuffle_up": lambda lane, delta: lane - delta,
    "shuffle_down": lambda lane, delta: lane + delta,
}


def _shuffle(kind: str) -> Maker:
    def make(signature: Signature) -> Function:
        number = signature.number
        edges = kind in ("shuffle", "shuffle_xor")

        def call(run: Run, mask: Mask, at: int, value: Value, index: Value) -> Value:
            lane = _LANES[kind](run.item_groups("sub_group").lanes, _each(run, index))
            return _read(run, mask, at, signature.name, value, number, lane, edges)

        return RunFunction(call)

    return make


def _broadcast(signature: Signature) -> Function:
    number = signature.number
    is_uniform = "non_uniform" not in signature.name

    def call(run: Run, mask: Mask, at: int, value: Value, index: Value) -> Value:
        groups = run.item_groups("sub_group")
        if is_uniform:
            run.require_all(groups, mask, signature.name, at)
        return _read(run, mask, at, signature.name, value, number, _each(run, index), True)

    return RunFunction(call)


def _broadcast_first(signature: Signature) -> Function:
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value) -> Value:
        items = run.item_groups("sub_group").first_active(_active(mask))
        return _take_from(value, number, items)

    return RunFunction(call)


def _work_group_broadcast(signature: Signature) -> Function:
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


def _rotate(signature: Signature) -> Function:
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


def _intel_relative(is_down: bool) -> Maker:
    """Return the maker of a shuffle over two concatenated values, up or down."""

    def make(signature: Signature) -> Function:
        number = signature.number

        def call(run: Run, mask: Mask, at: int, a: Value, b: Value, delta: Value) -> Value:
            groups, size = run.item_groups("sub_group"), run.grid.sub_group_size
            moved = groups.lanes + _each(run, delta) * (1 if is_down else -1)
            if not is_down:
                moved = moved + size  # a is the previous value
            is_first = moved < size
            run.see_lanes(signature.name, moved, (moved < 0) | (moved >= 2 * size), mask, at)
            parts = [
                _read(
                    run, mask, at, signature.name, v, number, np.where(of, lane, groups.lanes), True
                )
                for v, of, lane in ((a, is_first, moved), (b, ~is_first, moved - size))
            ]
            x, y = (array_of(part, number) for part in parts)
            return value_of(np.where(is_first, x, y), number)

        return RunFunction(call)

    return make


# ---------------------------------------------------------------- votes and ballots


def _vote(group_kind: str, is_all: bool, is_uniform: bool) -> Maker:
    def make(signature: Signature) -> Function:
        def call(run: Run, mask: Mask, at: int, predicate: Value) -> Value:
            groups = run.item_groups(group_kind)
            if is_uniform:
                run.require_all(groups, mask, signature.name, at)
            truth = _each(run, predicate) != 0
            result = groups.any_in_group(~truth if is_all else truth, _active(mask))
            return value_of((~result if is_all else result).astype(np.int32), INT)

        return RunFunction(call)

    return make


def _all_equal(signature: Signature) -> Function:
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value) -> Value:
        groups, values = run.item_groups("sub_group"), array_of(value, number)
        each = np.broadcast_to(values, run.axes.count)
        first = each[groups.first_active(_active(mask))]
        return value_of((~groups.any_in_group(each != first, _active(mask))).astype(np.int32), INT)

    return RunFunction(call)


def _elect(run: Run, mask: Mask, at: int) -> Value:
    first = run.item_groups("sub_group").first_active(_active(mask))
    return value_of((first == np.arange(run.axes.count)).astype(np.int32), INT)


def _ballot(run: Run, mask: Mask, at: int, predicate: Value) -> Value:
    return run.item_groups("sub_group").bits(_each(run, predicate) != 0, _active(mask))


def _lane_bits(choose: Callable[[Array, Array], Truths]) -> Maker:
    """Return the maker of a lane mask. choose: selects lanes, given all and the own one."""

    def call(run: Run, mask: Mask, at: int) -> Value:
        groups = run.item_groups("sub_group")
        every = np.arange(128)
        table = choose(every, groups.lanes[:, np.newaxis]) & (every < groups.most)
        return np.ascontiguousarray(_pack_bits(table).T)

    return lambda signature: RunFunction(call)


def _pack_bits(table: Array) -> Array:
    return np.packbits(table, axis=1, bitorder="little").view("<u4")


def _bits_of(run: Run, ballot: Value) -> Truths:
    """Return the bits of a ballot by item and lane."""
    components = np.broadcast_to(np.asarray(spread(ballot), np.uint32), (4, run.axes.count))
    rows = np.ascontiguousarray(components.T).view(np.uint8)
    return np.unpackbits(rows, axis=1, bitorder="little").astype(np.bool_)


def _count_bits(choose: Callable[[Array, Array], Truths]) -> Maker:
    """Return the maker of a count of a ballot's bits in the lanes that `choose` selects."""

    def call(run: Run, mask: Mask, at: int, ballot: Value) -> Value:
        groups, every = run.item_groups("sub_group"), np.arange(128)
        chosen = choose(every, groups.lanes[:, np.newaxis]) & (every < groups.most)
        return value_of((_bits_of(run, ballot) & chosen).sum(axis=1).astype(np.uint32), UINT)

    return lambda signature: RunFunction(call)


def _find_bit(is_last: bool) -> Maker:
    """Return the maker of a search for the first or the last set bit."""

    def call(run: Run, mask: Mask, at: int, ballot: Value) -> Value:
        bits = _bits_of(run, ballot) & (np.arange(128) < run.item_groups("sub_group").most)
        lane = 127 - bits[:, ::-1].argmax(axis=1) if is_last else bits.argmax(axis=1)
        return value_of(lane.astype(np.uint32), UINT)

    return lambda signature: RunFunction(call)


def _bit(run: Run, mask: Mask, at: int, ballot: Value, index: Value | None = None) -> Value:
    lane = run.item_groups("sub_group").lanes if index is None else _each(run, index) & 127
    bits = _bits_of(run, ballot)[np.arange(run.axes.count), lane]
    return value_of(bits.astype(np.int32), INT)


# ---------------------------------------------------------------- sizes and ids


def _sub_group_query(ask: Callable[[Groups], Array | int]) -> Maker:
    def call(run: Run, mask: Mask, at: int) -> Value:
        answer = ask(run.item_groups("sub_group"))
        return answer if type(answer) is int else value_of(answer.astype(np.uint32), UINT)  # type: ignore[union-attr]

    return lambda signature: RunFunction(call)


def _barrier(run: Run, mask: Mask, at: int, flags: Value, scope: Value = 1) -> None:
    run.sub_group_barrier(mask, at, flags)


_OPERATIONS = ("add", "mul", "min", "max", "and", "or", "xor")
_LOGICAL = ("logical_and", "logical_or", "logical_xor")
_SCANS = ("reduce", "scan_inclusive", "scan_exclusive")

MAKERS: dict[str, Maker] = {
    "get_sub_group_size": _sub_group_query(lambda groups: groups.sizes),
    "get_max_sub_group_size": _sub_group_query(lambda groups: int(groups.sizes.max())),
    "get_num_sub_groups": _sub_group_query(lambda groups: groups.count),
    "get_enqueued_num_sub_groups": _sub_group_query(lambda groups: groups.count),
    "get_sub_group_id": _sub_group_query(lambda groups: groups.numbers),
    "get_sub_group_local_id": _sub_group_query(lambda groups: groups.lanes),
    "sub_group_barrier": lambda signature: Effect(_barrier),
    **{
        f"{group_kind}_{how}{scan}_{name}": _reduce_or_scan
        for group_kind in ("sub_group", "work_group")
        for how in ("", "non_uniform_", "clustered_")
        for scan in _SCANS
        for name in (*_OPERATIONS, *_LOGICAL)
    },
    **{f"sub_group_{kind}": _shuffle(kind) for kind in _LANES},
    "intel_sub_group_shuffle": _shuffle("shuffle"),
    "intel_sub_group_shuffle_xor": _shuffle("shuffle_xor"),
    "intel_sub_group_shuffle_down": _intel_relative(True),
    "intel_sub_group_shuffle_up": _intel_relative(False),
    "sub_group_rotate": _rotate,
    "sub_group_clustered_rotate": _rotate,
    "sub_group_broadcast": _broadcast,
    "sub_group_non_uniform_broadcast": _broadcast,
    "sub_group_broadcast_first": _broadcast_first,
    "work_group_broadcast": _work_group_broadcast,
    **{
        f"{group_kind}_{how}{kind}": _vote(group_kind, kind == "all", not how)
        for group_kind, how in (
            ("sub_group", ""),
            ("sub_group", "non_uniform_"),
            ("work_group", ""),
        )
        for kind in ("all", "any")
    },
    "sub_group_non_uniform_all_equal": _all_equal,
    "sub_group_elect": lambda signature: RunFunction(_elect),
    "sub_group_ballot": lambda signature: RunFunction(_ballot),
    "sub_group_inverse_ballot": lambda signature: RunFunction(_bit),
    "sub_group_ballot_bit_extract": lambda signature: RunFunction(_bit),
    "sub_group_ballot_bit_count": _count_bits(lambda every, own: every >= 0),
    "sub_group_ballot_inclusive_scan": _count_bits(lambda every, own: every <= own),
    "sub_group_ballot_exclusive_scan": _count_bits(lambda every, own: every < own),
    "sub_group_ballot_find_lsb": _find_bit(False),
    "sub_group_ballot_find_msb": _find_bit(True),
    "get_sub_group_eq_mask": _lane_bits(lambda every, own: every == own),
    "get_sub_group_ge_mask": _lane_bits(lambda every, own: every >= own),
    "get_sub_group_gt_mask": _lane_bits(lambda every, own: every > own),
    "get_sub_group_le_mask": _lane_bits(lambda every, own: every <= own),
    "get_sub_group_lt_mask": _lane_bits(lambda every, own: every < own),
}
