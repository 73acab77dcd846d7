"""Sub-groups on any device, by local memory and barriers.

Devices choose the size of sub-groups and their work-items; many have none. In a translation they
are as on the host: a fixed number of successive work-items. A function that uses them gets two more
parameters: `hc_slots`, local memory of eight bytes per item of the group, and `hc_lanes`, the size
of sub-groups. An item shares a value by writing it there between two barriers. So all items of the
group must reach such a call together, or the group must be one sub-group: `uniform` finds out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeGuard

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.attributes import SUB_GROUP_ATTRIBUTE
from halfcl.cl._frontend.builtins import Builtin
from halfcl.cl._frontend.calls import iterate_nodes
from halfcl.cl._frontend.types import FLOAT, INT, Number
from halfcl.cl._translation.target import Target, extent, is_half
from halfcl.cl._translation.texts.sub_groups import HALF_OPERATIONS
from halfcl.cl._translation.uniform import Uniformity

_PARAMETERS = "local ulong *hc_slots, uint hc_lanes"
ARGUMENTS = "hc_slots, hc_lanes"

#: Text around the last argument that gives the lane that each item reads.
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


def is_sub_group_call(node: tree.Node) -> TypeGuard[tree.BuiltinCall]:
    """Return whether it is a call of a sub-group function."""
    return isinstance(node, tree.BuiltinCall) and node.builtin.family.startswith("sub-group")


def uses_sub_groups(function: tree.Function) -> bool:
    """Return whether it, or a callee, uses sub-groups."""
    return any(map(is_sub_group_call, iterate_nodes(function)))


def needs_one_sub_group(kernel: tree.Function) -> bool:
    """Return whether each group must be one sub-group, since some items may call without others."""
    return any(not is_common for _, is_common in _exchanges(kernel))


def _exchanges(kernel: tree.Function) -> Iterator[tuple[tree.BuiltinCall, bool]]:
    """Yield calls that exchange values, and whether all items of a group make them together."""
    nodes = iterate_nodes(kernel)
    calls = [n for n in nodes if is_sub_group_call(n) and n.builtin.family == "sub-group"]
    if calls:
        uniformity = Uniformity(kernel)
        yield from ((call, uniformity.is_common(call)) for call in calls)


# ---------------------------------------------------------------- edits


class Refuser(Protocol):
    """The interface that records what is not translated."""

    def refuse(self, node: tree.Node, what: str) -> object: ...


def check(target: Refuser, kernel: tree.Function) -> None:
    """Refuse functions that need whole sub-groups where single items may call them."""
    for call, is_common in _exchanges(kernel):
        if not is_common and call.builtin.convergence == "active":
            target.refuse(call, f"{call.name} where some work-items may come without others")


def definition(target: Target, function: tree.Function) -> None:
    """Add two parameters to a function's definition."""
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
    front = target.data[function.at : closing].decode("latin-1")  # one character per byte
    size = SUB_GROUP_ATTRIBUTE.search(front)
    if size:
        target.edits.replace((function.at + size.start(), function.at + size.end()), "")


def user_call(target: Target, node: tree.Call) -> None:
    """Translate a call of a user function that uses sub-groups."""
    _add_arguments(target, node, bool(node.arguments), ARGUMENTS)


def _add_arguments(
    target: Target, node: tree.Call | tree.BuiltinCall, has_more: bool, text: str
) -> None:
    """Add arguments before the parenthesis that closes a call."""
    last = max((extent(a)[1] for a in node.arguments), default=target.data.index(b"(", node.at))
    closing = target.data.index(b")", last)
    target.edits.wrap((closing, closing), f"{', ' if has_more else ''}{text}", "")


def builtin_call(target: Target, node: tree.BuiltinCall) -> None:
    """Record the edits of one call."""
    name, arguments = node.name, node.arguments
    if node.builtin.family == "sub-group query":
        renamed = id_function(name)
        _add_arguments(target, node, False, "hc_lanes")
    elif block := block_function(node.builtin):
        number = node.type if len(arguments) == 1 else arguments[1].type
        renamed = f"hc_{block}_{number}"
        target.helpers.add(renamed)
        _add_arguments(target, node, True, "hc_lanes")
    elif name == "sub_group_barrier" and len(arguments) == 1:
        renamed = "barrier"
    elif operation := vote_operation(node.builtin):
        renamed = _function(target, "reduce", operation, INT)
        target.edits.wrap(extent(arguments[0]), "0 != (int)(")
        _add_arguments(target, node, True, ARGUMENTS)
    elif combination := combination_of(node.builtin):
        renamed = _function(target, *combination, node.type)
        _add_arguments(target, node, True, ARGUMENTS)
    elif name in LANES:
        renamed = _function(target, "lane", "", node.type)
        target.edits.wrap(extent(arguments[1]), *LANES[name])
        _add_arguments(target, node, True, ARGUMENTS)
    else:
        target.refuse(node, name)
        return
    target.helpers.add("sub_groups")
    target.edits.replace((node.at, node.at + len(name)), renamed)


def block_function(builtin: Builtin) -> str:
    """Return "block_read" or "block_write" for functions of blocks, else ""."""
    is_block = builtin.family == "sub-group block"
    return builtin.stem.removeprefix("intel_sub_group_") if is_block else ""


def vote_operation(builtin: Builtin) -> str | None:
    """Return the reduction of truths that a vote is, or None for other functions."""
    return {"all": "and", "any": "or"}.get(builtin.parts.get("vote", ""))


def combination_of(builtin: Builtin) -> tuple[str, str] | None:
    """Return the kind and operation of a reduction or scan that is translated, or None."""
    fold, operation = builtin.parts.get("fold"), builtin.parts.get("operation", "")
    if fold is None or "clustered" in builtin.stem or operation.startswith("logical_"):
        return None
    return fold, operation


def id_function(name: str) -> str:
    """Return the prelude's function for a query of sub-groups."""
    return name.replace("get_", "hc_").replace("enqueued_", "")


def _function(target: Target, kind: str, operation: str, type_: Number) -> str:
    """Return the name of a prelude function, and record what it needs."""
    if type_.element == FLOAT and operation in ("add", "mul"):
        target.needs.add("subnormal")
    if is_half(type_) and operation:
        target.functions.add(HALF_OPERATIONS[operation])
    name = f"hc_{kind}_{operation}_{type_}" if operation else f"hc_{kind}_{type_}"
    target.helpers.add(name)
    return name
