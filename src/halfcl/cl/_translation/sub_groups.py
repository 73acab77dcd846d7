"""Sub-groups on any device, by local memory and barriers; and work-groups whose items combine.

Devices choose the size of sub-groups and their work-items; many have none. In a translation they
are as on the host: a fixed number of successive work-items. A function that uses them gets two more
parameters: `hc_slots`, local memory of eight bytes per item of the group, and `hc_lanes`, the size
of sub-groups. An item shares a value by writing it there between two barriers. So all items of the
group must reach such a call together, or the group must be one sub-group: `uniform` finds out.

The functions of work-groups, which not all devices have, and which add floating numbers in any
order, are those of one sub-group with all work-items: they get `hc_items()` in place of `hc_lanes`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Protocol, TypeGuard

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.attributes import PARENTHESES, SUB_GROUP_ATTRIBUTE, SUB_GROUP_SIZE
from halfcl.cl._frontend.builtins import Builtin
from halfcl.cl._frontend.calls import iterate_nodes
from halfcl.cl._frontend.types import FLOAT, INT, Number
from halfcl.cl._translation.target import Target, extent, is_half
from halfcl.cl._translation.texts.sub_groups import HALF_OPERATIONS
from halfcl.cl._translation.uniform import Uniformity

_PARAMETERS = "local ulong *hc_slots, uint hc_lanes"
ARGUMENTS = "hc_slots, hc_lanes"

#: Text around the arguments behind the value that gives the lane that each item reads.
LANES = {
    "sub_group_shuffle": ("", ""),
    "intel_sub_group_shuffle": ("", ""),
    "sub_group_shuffle_xor": ("hc_sub_group_local_id(hc_lanes) ^ (", ")"),
    "intel_sub_group_shuffle_xor": ("hc_sub_group_local_id(hc_lanes) ^ (", ")"),
    "sub_group_shuffle_up": ("hc_lane_before(", ", hc_lanes)"),
    "sub_group_shuffle_down": ("hc_lane_behind(", ", hc_lanes)"),
    "sub_group_broadcast": ("", ""),
    "sub_group_non_uniform_broadcast": ("", ""),
    "sub_group_rotate": ("hc_lane_rotated(", ", hc_lanes, hc_lanes)"),
    "sub_group_clustered_rotate": ("hc_lane_rotated(", ", hc_lanes)"),
    "work_group_broadcast": ("hc_item_at(", ")"),
}
#: The same for functions that read one of two values.
LANES_OF_TWO = {
    "intel_sub_group_shuffle_up": ("hc_lane_before_of_two(", ", hc_lanes)"),
    "intel_sub_group_shuffle_down": ("hc_lane_behind_of_two(", ", hc_lanes)"),
}


def is_sub_group_call(node: tree.Node) -> TypeGuard[tree.BuiltinCall]:
    """Return whether it is a call of a function of sub-groups, or of a work-group's like it."""
    return isinstance(node, tree.BuiltinCall) and (
        node.builtin.family.startswith("sub-group") or node.builtin.family == "work-group"
    )


def uses_sub_groups(function: tree.Function) -> bool:
    """Return whether it, or a callee, uses sub-groups."""
    return any(map(is_sub_group_call, iterate_nodes(function)))


def needs_one_sub_group(kernel: tree.Function) -> bool:
    """Return whether each group must be one sub-group, since some items may call without others."""
    return any(not is_common for _, is_common in _exchanges(kernel))


def needs_row(kernel: tree.Function) -> bool:
    """Return whether each group must be one sub-group along x, so that all its items come."""
    return bool(divergent_calls(kernel))


def divergent_calls(kernel: tree.Function, is_row: bool = False) -> list[tree.BuiltinCall]:
    """Return the calls that some items of a sub-group may make without others.

    is_row: see `Uniformity`.
    """
    return [
        call
        for call, is_common in _exchanges(kernel, is_row)
        if not is_common and call.builtin.convergence == "active"
    ]


def _exchanges(
    kernel: tree.Function, is_row: bool = False
) -> Iterator[tuple[tree.BuiltinCall, bool]]:
    """Yield calls that exchange values, and whether all items of a group make them together.

    is_row: see `Uniformity`.
    """
    nodes = iterate_nodes(kernel)
    calls = [n for n in nodes if is_sub_group_call(n) and n.builtin.family == "sub-group"]
    if calls:
        uniformity = Uniformity(kernel, is_row)
        yield from ((call, uniformity.is_common(call)) for call in calls)


# ---------------------------------------------------------------- edits


class Refuser(Protocol):
    """The interface that records what is not translated."""

    def refuse(self, node: tree.Node, what: str) -> object: ...


def check(target: Refuser, kernel: tree.Function) -> None:
    """Refuse functions that need whole sub-groups where single items may call them."""
    for call in divergent_calls(kernel, is_row=True) if needs_row(kernel) else []:
        target.refuse(call, f"{call.name} where some work-items may come without others")


def definition(target: Target, function: tree.Function) -> None:
    """Add two parameters to a function's definition and to its declarations.

    A kernel whose launches do not pass them declares them.
    """
    assert function.body is not None
    if declares_memory(target, function):
        text = f" {_memory_of(target, function)}"
        target.edits.wrap((function.body.at, function.body.at + 1), "", text)
    else:
        for opening, closing in parameter_lists(target.data, function.name.encode()):
            _add_parameters(target, opening, closing)
    _remove_sizes(target, function.at, function.body.at)


def _remove_sizes(target: Target, start: int, end: int) -> None:
    """Remove the sizes of sub-groups, which devices need not have."""
    front = target.data[start:end].decode("latin-1")  # a character per byte
    for size in SUB_GROUP_ATTRIBUTE.finditer(front):
        target.edits.replace((start + size.start(), start + size.end()), "")


def most_items_of(work_group_size: int, memory: int) -> int:
    """Return how many work-items a work-group may have, with 8 bytes of local memory each.

    work_group_size: the most that a device has; memory: its bytes, of which half are the author's.
    """
    return min(work_group_size, memory // 16)


def declares_memory(target: Target, function: tree.Function) -> bool:
    """Return whether a function that uses sub-groups is a kernel that declares their memory."""
    return function.is_kernel and target.most_items > 0


def lanes_of(kernel: tree.Function) -> int:
    """Return the size of sub-groups in a kernel that declares their memory."""
    return kernel.sub_group_size or SUB_GROUP_SIZE


def _memory_of(target: Target, kernel: tree.Function) -> str:
    items = math.prod(kernel.required_size or (target.most_items,))
    lanes = lanes_of(kernel)
    return f"local ulong hc_slots[{items}]; const uint hc_lanes = {lanes};"


def _add_parameters(target: Target, opening: int, closing: int) -> None:
    inside = target.data[opening + 1 : closing].strip()
    if inside == b"void":
        at = target.data.index(b"void", opening)
        target.edits.replace((at, at + 4), "")
    comma = ", " if inside not in (b"", b"void") else ""
    target.edits.wrap((closing, closing), f"{comma}{_PARAMETERS}", "")


#: What only kernels have in front.
_OF_KERNELS = re.compile(rf"\b(?:__)?kernel\b|\b__attribute__\s*\(({PARENTHESES})\)".encode())


def move_body(target: Target, kernel: tree.Function, word: str) -> None:
    """Make a kernel that declares memory a function, with a kernel before it that calls it.

    What happens if a kernel calls one that declares local memory each implementation defines. So
    other kernels call the function. word: what stands before the kernel.
    """
    assert kernel.body is not None
    _refuse_local_memory(target, kernel)
    name, data = _name_of_body(kernel), target.data
    arguments = ", ".join([*(p.name for p in kernel.parameters), ARGUMENTS])
    body = f"{{ {_memory_of(target, kernel)} {name}({arguments}); }}"
    lists = parameter_lists(data, kernel.name.encode())
    for opening, closing in (each for each in lists if each[0] < kernel.body.at):
        parameters = " ".join(data[opening + 1 : closing].decode().split())
        parameters = "" if parameters in ("", "void") else f"{parameters}, "
        declaration = f"void {name}({parameters}{_PARAMETERS});"
        end = data.find(b";", closing, kernel.body.at)
        if end >= 0:  # an earlier declaration
            target.edits.wrap((end, end + 1), "", f" {declaration}")
            continue
        start = _start_of_declaration(data, opening)
        _remove_sizes(target, kernel.at, start)
        front = SUB_GROUP_ATTRIBUTE.sub("", data[start : kernel.body.at].decode())
        moved = f"{declaration} {word}{' '.join(front.split())} {body} HCI_INLINE "
        target.edits.wrap((start, start), moved, "")
        at = data.rindex(kernel.name.encode(), 0, opening)
        target.edits.replace((at, at + len(kernel.name)), name)
        _add_parameters(target, opening, closing)
        for match in _OF_KERNELS.finditer(data, start, kernel.body.at):
            if not opening < match.start() < closing:
                target.edits.replace(match.span(), "")


def _refuse_local_memory(target: Target, kernel: tree.Function) -> None:
    assert kernel.body is not None
    for node in tree.walk(kernel.body):
        variables = node.variables if isinstance(node, tree.Declare) else ()
        if any(variable.space == "local" for variable in variables):
            target.refuse(node, f"local memory of {kernel.name}, which another kernel calls")


def _start_of_declaration(text: bytes, opening: int) -> int:
    """Return where the declaration starts whose parameters begin at an offset."""
    start = max(text.rfind(end, 0, opening) for end in (b";", b"}")) + 1
    pragma = text.rfind(b"#", start, opening)
    start = text.index(b"\n", pragma) if pragma >= 0 else start
    return start + len(text[start:]) - len(text[start:].lstrip())


def _name_of_body(kernel: tree.Function) -> str:
    return f"hc_body_of_{kernel.name}"


#: Words, strings and brackets of a preprocessed text.
_WORDS = re.compile(rb'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|\w+|[(){}]')


def parameter_lists(text: bytes, name: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the parentheses of a function's parameters are, in each of its declarations.

    text: a preprocessed text.
    """
    depth, opening, last = 0, -1, b""
    for match in _WORDS.finditer(text):
        word = match[0]
        if word in (b"(", b"{"):
            if depth == 0 and word == b"(" and last == name:
                opening = match.start()
            depth += 1
        elif word in (b")", b"}"):
            depth -= 1
            if depth == 0 and opening >= 0:
                yield opening, match.start()
                opening = -1
        last = word


def user_call(target: Target, node: tree.Call) -> None:
    """Translate a call of a user function that uses sub-groups."""
    if declares_memory(target, node.function):
        name = node.function.name
        target.edits.replace((node.at, node.at + len(name)), _name_of_body(node.function))
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
    shared = arguments_of_group(node)
    if function := lane_function(node.builtin):
        renamed = function
        if "ballot" in name or "mask" in name:
            target.helpers.add("ballots")
        _add_arguments(target, node, bool(arguments), "hc_lanes")
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
        _add_arguments(target, node, True, shared)
    elif combination := combination_of(node.builtin):
        renamed = _function(target, *combination, node.type)
        if combination[1].startswith("logical_"):
            target.edits.wrap(extent(arguments[0]), "0 != (")
        _add_arguments(target, node, True, shared)
    elif name in LANES:
        renamed = _function(target, "lane", "", node.type)
        target.edits.wrap((extent(arguments[1])[0], extent(arguments[-1])[1]), *LANES[name])
        _add_arguments(target, node, True, shared)
    elif name in LANES_OF_TWO:
        renamed = _function(target, "two", "", node.type)
        target.edits.wrap(extent(arguments[2]), *LANES_OF_TWO[name])
        _add_arguments(target, node, True, shared)
    elif name == "sub_group_broadcast_first":
        renamed = _function(target, "lane", "", node.type)
        _add_arguments(target, node, True, f"0, {shared}")
    elif name == "sub_group_non_uniform_all_equal":
        renamed = _function(target, "equal", "", arguments[0].type)
        _function(target, "reduce", "and", INT)
        _add_arguments(target, node, True, shared)
    else:
        assert name == "sub_group_ballot"
        renamed = "hc_ballot"
        target.helpers.add("ballots")
        target.edits.wrap(extent(arguments[0]), "0 != (int)(")
        _add_arguments(target, node, True, shared)
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
    """Return the kind and operation of a reduction or scan, or None for other functions."""
    fold = builtin.parts.get("fold")
    if fold is None:
        return None
    return "cluster" if "clustered" in builtin.stem else fold, builtin.parts["operation"]


def lane_function(builtin: Builtin) -> str:
    """Return the text's function for one that needs no other item's values, else ""."""
    if builtin.family == "sub-group query":
        return builtin.name.replace("get_", "hc_").replace("enqueued_", "")
    if "comparison" in builtin.parts:  # masks
        return builtin.name.replace("get_", "hc_")
    is_one = re.fullmatch(r"sub_group_(elect|inverse_ballot|ballot_\w+)", builtin.name)
    return f"hc_{is_one[1]}" if is_one else ""


def arguments_of_group(node: tree.BuiltinCall) -> str:
    """Return the arguments that a function gets for the items that exchange values."""
    return "hc_slots, hc_items()" if node.builtin.family == "work-group" else ARGUMENTS


def _function(target: Target, kind: str, operation: str, type_: Number) -> str:
    """Return the name of a prelude function, and record what it needs."""
    if type_.element == FLOAT and operation in ("add", "mul"):
        target.needs.add("subnormal")
    if is_half(type_) and operation:
        target.functions.add(HALF_OPERATIONS[operation])
    if is_half(type_) and kind == "equal":
        target.functions.add("isequal")
    name = f"hc_{kind}_{operation}_{type_}" if operation else f"hc_{kind}_{type_}"
    target.helpers.add(name)
    return name
