"""Functions of sub-groups and of work-groups: reductions, scans, broadcasts, votes, shuffles.

Sums of floating numbers are taken from the first lane on, each rounded to nearest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import halfcl as hc
from halfcl.cl import _numbers as numbers
from halfcl.cl._builtins.kinds import (
    Effect,
    Function,
    Maker,
    OfRun,
    Signature,
    array_of,
    value_of,
)
from halfcl.cl._integers import limits
from halfcl.cl._lanes import Array, Mask, Truths, Value, spread
from halfcl.cl._teams import Combine, Groups
from halfcl.cl._types import HALF, INT, UINT, Number, Scalar

if TYPE_CHECKING:
    from halfcl.cl._launching import Run

_COMBINED = re.compile(
    r"(work_group|sub_group)_(non_uniform_|clustered_)?(reduce|scan_inclusive|scan_exclusive)"
    r"_(logical_)?(\w+)"
)


# ---------------------------------------------------------------- reductions and scans


def _combine(name: str, scalar: Scalar) -> Combine:
    """The operation."""
    if name in ("add", "mul"):
        return numbers.binary("+" if name == "add" else "*", scalar, "rte")  # type: ignore[return-value]
    if name in ("and", "or", "xor"):
        return {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[name]
    if scalar == HALF:
        return hc.fmin if name == "min" else hc.fmax
    if scalar.is_floating:
        return np.fmin if name == "min" else np.fmax
    return np.minimum if name == "min" else np.maximum


def _nothing(name: str, scalar: Scalar) -> Array:
    """What the operation gives of none."""
    if scalar.is_floating:
        value = {"min": np.inf, "max": -np.inf, "mul": 1.0}.get(name, 0.0)
        return np.array([value]).astype(scalar.dtype)
    low, high = limits(scalar.dtype)
    ones = -1 if scalar.is_signed else high
    return np.array([{"min": high, "max": low, "mul": 1, "and": ones}.get(name, 0)], scalar.dtype)


def _combined(signature: Signature) -> Function | None:
    match = _COMBINED.fullmatch(signature.name)
    number = signature.arguments[0]
    if match is None or not isinstance(number, Scalar):
        return None
    team, how, kind, is_logical, name = match.groups()
    combine, nothing = _combine(name, number), _nothing(name, number)

    def call(run: Run, mask: Mask, at: int, value: Value, cluster: Value | None = None) -> Value:
        teams = run.item_groups(team)
        if cluster is not None:
            teams = _clusters(run, cluster, at)
        elif not how:
            run.require_all(teams, mask, signature.name, at)
        values, none = array_of(value, number), nothing
        if is_logical:
            values, none = (values != 0).astype(np.int32), np.abs(nothing)
        found = teams.combine(values, _active(mask), combine, none, kind.removeprefix("scan_"))
        return value_of(found, number)

    return OfRun(call)


def _clusters(run: Run, size: Value, at: int) -> Groups:
    """Parts of sub-groups."""
    most = run.grid.sub_group_size
    if type(size) is int and 0 < size <= most and size & (size - 1) == 0:
        return run.groups_of_size(size)
    run.refuse(at, f"cluster size: expected a power of two up to {most}, the same for all items")


def _active(mask: Mask) -> Truths | None:
    return None if mask is None or mask is False else mask


# ---------------------------------------------------------------- shuffles and broadcasts


def _taken(value: Value, number: Number, items: Array) -> Value:
    """Of the work-items that each one asks for."""
    given = array_of(value, number)
    if given.shape[-1] == 1:
        return value_of(given, number)
    return value_of(np.ascontiguousarray(given[..., items]), number)


def _each(run: Run, value: Value) -> Array:
    """Integers of each item."""
    return np.broadcast_to(np.asarray(spread(value)), run.axes.count).astype(np.int64)


def _read(
    run: Run, mask: Mask, at: int, what: str, value: Value, number: Number, lane: Array, edges: bool
) -> Value:
    """Of a lane of the own sub-group; what is not there is undefined, and here one's own value.

    edges: whether lanes beyond the sub-group are told of, or only those that are not active.
    """
    teams = run.item_groups("sub_group")
    is_lane = (lane >= 0) & (lane < teams.sizes)
    items = np.where(is_lane, teams.firsts + lane, np.arange(run.axes.count))
    is_there = is_lane | (not edges)
    if (active := _active(mask)) is not None:
        is_there &= active[items]
        items = np.where(active[items], items, np.arange(run.axes.count))
    run.see_lanes(what, lane, ~is_there, mask, at)
    return _taken(value, number, items)


#: By the end of a function's name: the lane that it reads, of the own one and the argument.
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

        return OfRun(call)

    return make


def _broadcast(signature: Signature) -> Function:
    number = signature.number
    is_uniform = "non_uniform" not in signature.name

    def call(run: Run, mask: Mask, at: int, value: Value, index: Value) -> Value:
        teams = run.item_groups("sub_group")
        if is_uniform:
            run.require_all(teams, mask, signature.name, at)
        return _read(run, mask, at, signature.name, value, number, _each(run, index), True)

    return OfRun(call)


def _broadcast_first(signature: Signature) -> Function:
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value) -> Value:
        items = run.item_groups("sub_group").first_active(_active(mask))
        return _taken(value, number, items)

    return OfRun(call)


def _work_group_broadcast(signature: Signature) -> Function:
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value, *ids: Value) -> Value:
        teams = run.item_groups("work_group")
        run.require_all(teams, mask, signature.name, at)
        lane = np.zeros(run.axes.count, np.int64)
        for index, size in reversed(list(zip(ids, run.local_sizes, strict=False))):
            lane = lane * size + _each(run, index)
        outside = (lane < 0) | (lane >= teams.sizes)
        if outside.any():
            run.refuse(at, f"{signature.name}: local id outside of the work-group")
        return _taken(value, number, teams.firsts + lane)

    return OfRun(call)


def _rotate(signature: Signature) -> Function:
    """Lanes that are d further, and behind the last one the first; or so in each cluster."""
    number = signature.number

    def call(
        run: Run, mask: Mask, at: int, value: Value, delta: Value, cluster: Value | None = None
    ) -> Value:
        teams = run.item_groups("sub_group")
        size = run.grid.sub_group_size if cluster is None else _clusters(run, cluster, at).most
        start = teams.lanes // size * size
        lane = start + (teams.lanes - start + _each(run, delta)) % size
        return _read(run, mask, at, signature.name, value, number, lane, True)

    return OfRun(call)


def _intel_relative(is_down: bool) -> Maker:
    """Of two values, one behind the other: a window that moves up or down."""

    def make(signature: Signature) -> Function:
        number = signature.number

        def call(run: Run, mask: Mask, at: int, a: Value, b: Value, delta: Value) -> Value:
            teams, size = run.item_groups("sub_group"), run.grid.sub_group_size
            moved = teams.lanes + _each(run, delta) * (1 if is_down else -1)
            if not is_down:
                moved = moved + size  # a is the one before
            is_first = moved < size
            run.see_lanes(signature.name, moved, (moved < 0) | (moved >= 2 * size), mask, at)
            parts = [
                _read(
                    run, mask, at, signature.name, v, number, np.where(of, lane, teams.lanes), True
                )
                for v, of, lane in ((a, is_first, moved), (b, ~is_first, moved - size))
            ]
            x, y = (array_of(part, number) for part in parts)
            return value_of(np.where(is_first, x, y), number)

        return OfRun(call)

    return make


# ---------------------------------------------------------------- votes and ballots


def _vote(team: str, is_all: bool, is_uniform: bool) -> Maker:
    def make(signature: Signature) -> Function:
        def call(run: Run, mask: Mask, at: int, predicate: Value) -> Value:
            teams = run.item_groups(team)
            if is_uniform:
                run.require_all(teams, mask, signature.name, at)
            truth = _each(run, predicate) != 0
            found = teams.any_in_group(~truth if is_all else truth, _active(mask))
            return value_of((~found if is_all else found).astype(np.int32), INT)

        return OfRun(call)

    return make


def _all_equal(signature: Signature) -> Function:
    number = signature.number

    def call(run: Run, mask: Mask, at: int, value: Value) -> Value:
        teams, values = run.item_groups("sub_group"), array_of(value, number)
        each = np.broadcast_to(values, run.axes.count)
        first = each[teams.first_active(_active(mask))]
        return value_of((~teams.any_in_group(each != first, _active(mask))).astype(np.int32), INT)

    return OfRun(call)


def _elect(run: Run, mask: Mask, at: int) -> Value:
    first = run.item_groups("sub_group").first_active(_active(mask))
    return value_of((first == np.arange(run.axes.count)).astype(np.int32), INT)


def _ballot(run: Run, mask: Mask, at: int, predicate: Value) -> Value:
    return run.item_groups("sub_group").bits(_each(run, predicate) != 0, _active(mask))


def _lane_bits(choose: Callable[[Array, Array], Truths]) -> Maker:
    """A mask of lanes; choose: which ones, of all and the own one."""

    def call(run: Run, mask: Mask, at: int) -> Value:
        teams = run.item_groups("sub_group")
        every = np.arange(128)
        table = choose(every, teams.lanes[:, np.newaxis]) & (every < teams.most)
        return np.ascontiguousarray(_packed(table).T)

    return lambda signature: OfRun(call)


def _packed(table: Array) -> Array:
    return np.packbits(table, axis=1, bitorder="little").view("<u4")


def _bits_of(run: Run, ballot: Value) -> Truths:
    """By item and lane."""
    given = np.broadcast_to(np.asarray(spread(ballot), np.uint32), (4, run.axes.count))
    rows = np.ascontiguousarray(given.T).view(np.uint8)
    return np.unpackbits(rows, axis=1, bitorder="little").astype(np.bool_)


def _counted(choose: Callable[[Array, Array], Truths]) -> Maker:
    """How many bits are set in a ballot, of the lanes that are chosen."""

    def call(run: Run, mask: Mask, at: int, ballot: Value) -> Value:
        teams, every = run.item_groups("sub_group"), np.arange(128)
        chosen = choose(every, teams.lanes[:, np.newaxis]) & (every < teams.most)
        return value_of((_bits_of(run, ballot) & chosen).sum(axis=1).astype(np.uint32), UINT)

    return lambda signature: OfRun(call)


def _found(is_last: bool) -> Maker:
    """The first or the last bit that is set."""

    def call(run: Run, mask: Mask, at: int, ballot: Value) -> Value:
        bits = _bits_of(run, ballot) & (np.arange(128) < run.item_groups("sub_group").most)
        found = 127 - bits[:, ::-1].argmax(axis=1) if is_last else bits.argmax(axis=1)
        return value_of(found.astype(np.uint32), UINT)

    return lambda signature: OfRun(call)


def _bit(run: Run, mask: Mask, at: int, ballot: Value, index: Value | None = None) -> Value:
    lane = run.item_groups("sub_group").lanes if index is None else _each(run, index) & 127
    bits = _bits_of(run, ballot)[np.arange(run.axes.count), lane]
    return value_of(bits.astype(np.int32), INT)


# ---------------------------------------------------------------- sizes and ids


def _of_teams(ask: Callable[[Groups], Array | int]) -> Maker:
    def call(run: Run, mask: Mask, at: int) -> Value:
        found = ask(run.item_groups("sub_group"))
        return found if type(found) is int else value_of(found.astype(np.uint32), UINT)  # type: ignore[union-attr]

    return lambda signature: OfRun(call)


def _barrier(run: Run, mask: Mask, at: int, flags: Value, scope: Value = 1) -> None:
    run.sub_group_barrier(mask, at, flags)


_OPERATIONS = ("add", "mul", "min", "max", "and", "or", "xor")
_LOGICAL = ("logical_and", "logical_or", "logical_xor")
_SCANS = ("reduce", "scan_inclusive", "scan_exclusive")

MAKERS: dict[str, Maker] = {
    "get_sub_group_size": _of_teams(lambda teams: teams.sizes),
    "get_max_sub_group_size": _of_teams(lambda teams: int(teams.sizes.max())),
    "get_num_sub_groups": _of_teams(lambda teams: teams.count),
    "get_enqueued_num_sub_groups": _of_teams(lambda teams: teams.count),
    "get_sub_group_id": _of_teams(lambda teams: teams.numbers),
    "get_sub_group_local_id": _of_teams(lambda teams: teams.lanes),
    "sub_group_barrier": lambda signature: Effect(_barrier),
    **{
        f"{team}_{how}{scan}_{name}": _combined
        for team in ("sub_group", "work_group")
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
        f"{team}_{how}{kind}": _vote(team, kind == "all", not how)
        for team, how in (("sub_group", ""), ("sub_group", "non_uniform_"), ("work_group", ""))
        for kind in ("all", "any")
    },
    "sub_group_non_uniform_all_equal": _all_equal,
    "sub_group_elect": lambda signature: OfRun(_elect),
    "sub_group_ballot": lambda signature: OfRun(_ballot),
    "sub_group_inverse_ballot": lambda signature: OfRun(_bit),
    "sub_group_ballot_bit_extract": lambda signature: OfRun(_bit),
    "sub_group_ballot_bit_count": _counted(lambda every, own: every >= 0),
    "sub_group_ballot_inclusive_scan": _counted(lambda every, own: every <= own),
    "sub_group_ballot_exclusive_scan": _counted(lambda every, own: every < own),
    "sub_group_ballot_find_lsb": _found(False),
    "sub_group_ballot_find_msb": _found(True),
    "get_sub_group_eq_mask": _lane_bits(lambda every, own: every == own),
    "get_sub_group_ge_mask": _lane_bits(lambda every, own: every >= own),
    "get_sub_group_gt_mask": _lane_bits(lambda every, own: every > own),
    "get_sub_group_le_mask": _lane_bits(lambda every, own: every <= own),
    "get_sub_group_lt_mask": _lane_bits(lambda every, own: every < own),
}
