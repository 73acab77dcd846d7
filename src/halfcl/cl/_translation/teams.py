"""Sub-groups on any device: by local memory and barriers.

Devices choose how large sub-groups are, and which work-items are in one; many have none. In a
translation they are what they are here: so many work-items after each other. A function that has
to do with them takes two parameters more: `hc_slots`, local memory of eight bytes for each item of
the group, and `hc_lanes`, how large sub-groups are. To give others its value an item writes it
there, between two barriers. So all items of the group must reach such a call together, or the group
must be one sub-group: `uniform` tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol, TypeGuard

from halfcl.cl import _tree as tree
from halfcl.cl._calls import iterate_nodes
from halfcl.cl._sizes import SUB_GROUP_ATTRIBUTE
from halfcl.cl._translation.target import Target, extent, is_half
from halfcl.cl._translation.team_text import HALF_OPERATIONS
from halfcl.cl._translation.uniform import Uniformity
from halfcl.cl._types import FLOAT, INT, Number

_PARAMETERS = "local ulong *hc_slots, uint hc_lanes"
GIVEN = "hc_slots, hc_lanes"

#: Which lane each item reads, around the last argument.
LANES = {
    "sub_group_shuffle": ("", ""),
    "intel_sub_group_shuffle": ("", ""),
    "sub_group_shuffle_xor": ("hc_sub_group_local_id(hc_lanes) ^ (", ")"),
    "intel_sub_group_shuffle_xor": ("hc_sub_group_local_id(hc_lanes) ^ (", ")"),
    "sub_group_shuffle_up": ("hc_lane_before(", ", hc_lanes)"),
    "sub_group_shuffle_down": ("hc_lane_behind(", ", hc_lanes)"),
    "sub_group_broadcast": ("", ""),
    "sub_group_non_uniform_broadcast": ("", ""),
}
IDS = frozenset(
    """get_sub_group_local_id get_sub_group_id get_sub_group_size get_max_sub_group_size
    get_num_sub_groups get_enqueued_num_sub_groups""".split()
)
COMBINED = re.compile(
    r"sub_group_(?:non_uniform_)?(reduce|scan_inclusive|scan_exclusive)_(add|mul|min|max|and|or|xor)"
)
VOTE = re.compile("sub_group_(?:non_uniform_)?(all|any)")

#: Those that all items of a sub-group call together, if any does.
_COMMON = re.compile("sub_group_(barrier|broadcast|all|any|reduce.*|scan.*)")


def is_of_teams(node: tree.Node) -> TypeGuard[tree.BuiltinCall]:
    """Whether it is a call of a function of sub-groups."""
    return isinstance(node, tree.BuiltinCall) and "sub_group" in node.name


def uses_teams(function: tree.Function) -> bool:
    """Whether it, or a function that it calls, has to do with sub-groups."""
    return any(map(is_of_teams, iterate_nodes(function)))


def needs_one_team(kernel: tree.Function) -> bool:
    """Whether its groups must be one sub-group each: some items may call without others."""
    return any(not is_common for _, is_common in _exchanges(kernel))


def _exchanges(kernel: tree.Function) -> Iterator[tuple[tree.BuiltinCall, bool]]:
    """Where items give each other values; and whether all of a group do."""
    calls = [n for n in iterate_nodes(kernel) if is_of_teams(n) and n.name not in IDS]
    if calls:
        uniformity = Uniformity(kernel)
        yield from ((call, uniformity.is_common(call)) for call in calls)


# ---------------------------------------------------------------- edits


class Refusing(Protocol):
    """Who is told of what is not translated."""

    def refuse(self, node: tree.Node, what: str) -> object: ...


def check(target: Refusing, kernel: tree.Function) -> None:
    """Refuses what single items may call, where single items may come."""
    for call, is_common in _exchanges(kernel):
        if not is_common and not _COMMON.fullmatch(call.name):
            target.refuse(call, f"{call.name} where some work-items may come without others")


def definition(target: Target, function: tree.Function) -> None:
    """Two parameters more."""
    assert function.body is not None
    closing = target.data.rindex(b")", function.at, function.body.at)
    if target.data[closing + 1 : function.body.at].strip():
        target.refuse(function, f"attributes behind the parameters of {function.name}")
    if b";" in target.data[function.at : closing]:
        target.refuse(function, f"{function.name} is declared before it is defined: sub-groups")
    opening = target.data.rindex(b"(", function.at, closing)
    comma = ", " if function.parameters else ""
    if not function.parameters and target.data[opening + 1 : closing].strip() == b"void":
        at = target.data.index(b"void", opening)
        target.edits.replace((at, at + 4), "")
    target.edits.wrap((closing, closing), f"{comma}{_PARAMETERS}", "")
    front = target.data[function.at : closing].decode("latin-1")  # a character a byte
    size = SUB_GROUP_ATTRIBUTE.search(front)
    if size:
        target.edits.replace((function.at + size.start(), function.at + size.end()), "")


def own_call(target: Target, node: tree.Call) -> None:
    """Of a function that has to do with sub-groups."""
    _give(target, node, bool(node.arguments), GIVEN)


def _give(target: Target, node: tree.Call | tree.BuiltinCall, has_more: bool, text: str) -> None:
    """Arguments more, before the parenthesis that closes a call."""
    last = max((extent(a)[1] for a in node.arguments), default=target.data.index(b"(", node.at))
    closing = target.data.index(b")", last)
    target.edits.wrap((closing, closing), f"{', ' if has_more else ''}{text}", "")


def builtin_call(target: Target, node: tree.BuiltinCall) -> None:
    """The edits of one call."""
    name, arguments = node.name, node.arguments
    if name in IDS:
        renamed = id_function(name)
        _give(target, node, False, "hc_lanes")
    elif name == "sub_group_barrier" and len(arguments) == 1:
        renamed = "barrier"
    elif match := VOTE.fullmatch(name):
        renamed = _function(target, "reduce", "and" if match[1] == "all" else "or", INT)
        target.edits.wrap(extent(arguments[0]), "0 != (int)(")
        _give(target, node, True, GIVEN)
    elif match := COMBINED.fullmatch(name):
        renamed = _function(target, match[1], match[2], node.type)
        _give(target, node, True, GIVEN)
    elif name in LANES:
        renamed = _function(target, "lane", "", node.type)
        target.edits.wrap(extent(arguments[1]), *LANES[name])
        _give(target, node, True, GIVEN)
    else:
        target.refuse(node, name)
        return
    target.helpers.add("teams")
    target.edits.replace((node.at, node.at + len(name)), renamed)


def id_function(name: str) -> str:
    """Of the prelude's, what one of IDS is there."""
    return name.replace("get_", "hc_").replace("enqueued_", "")


def _function(target: Target, kind: str, operation: str, type_: Number) -> str:
    """The name of one that the prelude is to have; and what that needs."""
    if type_.element == FLOAT and operation in ("add", "mul"):
        target.needs.add("subnormal")
    if is_half(type_) and operation:
        target.functions.add(HALF_OPERATIONS[operation])
    name = f"hc_{kind}_{operation}_{type_}" if operation else f"hc_{kind}_{type_}"
    target.helpers.add(name)
    return name
