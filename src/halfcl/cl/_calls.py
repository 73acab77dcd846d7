"""Who calls whom: OpenCL C has no recursion, and nothing to link with; and what groups call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from halfcl.cl import _tree as tree, _types as types
from halfcl.cl._nesting import DEEPEST_CALLS

_GROUP_FUNCTIONS = frozenset(
    """get_local_id get_group_id get_num_groups get_local_size barrier async_work_group_copy
    async_work_group_strided_copy wait_group_events work_group_barrier get_local_linear_id
    get_enqueued_local_size""".split()
)
_OF_TEAMS = re.compile("(get_.*|intel_)?sub_group_|work_group_")


def refusals(functions: Iterable[tree.Function]) -> Iterator[tuple[int, str]]:
    """Places and messages: calls that close a circle, and of what has no body."""
    functions = list(functions)
    calls = {id(f): _calls(f) for f in functions}
    for function in functions:
        for call in calls[id(function)]:
            if call.function.body is None:
                yield call.at, f"function {call.function.name} is called, but has no body"
    done: dict[int, int] = {}
    for function in functions:
        yield from _circles(function, calls, [], done)


def _calls(function: tree.Function) -> list[tree.Call]:
    if function.body is None:
        return []
    return [node for node in tree.walk(function.body) if isinstance(node, tree.Call)]


def _circles(
    function: tree.Function,
    calls: dict[int, list[tree.Call]],
    path: list[tree.Function],
    done: dict[int, int],
) -> Iterator[tuple[int, str]]:
    """done: how deep the calls of a function nest."""
    if id(function) in done:
        return
    done[id(function)] = 0
    path.append(function)
    for call in calls[id(function)]:
        if any(call.function is caller for caller in path):
            circle = [f.name for f in path[path.index(call.function) :]] + [call.function.name]
            yield call.at, f"recursion is not in OpenCL C: {' calls '.join(circle)}"
        else:
            yield from _circles(call.function, calls, path, done)
            depth = done[id(call.function)] + 1
            if depth == DEEPEST_CALLS:
                yield call.at, "not supported: calls of functions nested too deeply"
            done[id(function)] = max(done[id(function)], depth)
    path.pop()


def reached(function: tree.Function, found: list[tree.Function]) -> list[tree.Function]:
    """A function and those that it calls, and so on, each once."""
    if function not in found:
        found.append(function)
        for call in _calls(function):
            reached(call.function, found)
    return found


def uses_groups(function: tree.Function, seen: set[int]) -> bool:
    """Whether its work-items must run with their whole group."""
    if id(function) in seen or function.body is None:
        return False
    seen.add(id(function))
    if any(
        isinstance(p.type, types.Pointer) and p.type.space == "local" for p in function.parameters
    ):
        return True
    for node in tree.walk(function.body):
        if isinstance(node, tree.Declare) and any(v.space == "local" for v in node.variables):
            return True
        if isinstance(node, tree.BuiltinCall) and (
            node.name in _GROUP_FUNCTIONS or _OF_TEAMS.match(node.name)
        ):
            return True
    return any(uses_groups(call.function, seen) for call in _calls(function))


def needs_others(name: str) -> bool:
    """Whether a built-in function is more than each work-item's own."""
    if name in _GROUP_FUNCTIONS:
        return not name.startswith("get_")
    return name == "printf" or "sub_group" in name or name.startswith("work_group_")


def has_narrow_values(function: tree.Function) -> bool:
    """Whether no floating number or vector that it or a function it calls computes is wider than
    a half2."""
    values = (node.type for node in nodes_of(function) if isinstance(node, tree.Expression))
    return all(
        type_.element == types.HALF and type_.width <= 2
        for type_ in values
        if isinstance(type_, types.Scalar | types.Vector) and type_.is_floating
    )


def count_floating(function: tree.Function) -> int:
    """How many variables of floating numbers it and the functions that it calls have."""
    return sum(
        isinstance(variable.type, types.Scalar | types.Vector) and variable.type.is_floating
        for node in nodes_of(function)
        if isinstance(node, tree.Declare | tree.Switch)
        for variable in node.variables
    )


def has_private_arrays(function: tree.Function) -> bool:
    """Whether it or a function it calls has arrays or structures for each work-item."""
    return any(
        isinstance(variable.type, types.Array | types.Record) and variable.space == "private"
        for node in nodes_of(function)
        if isinstance(node, tree.Declare | tree.Switch)
        for variable in node.variables
    )


def nodes_of(function: tree.Function) -> Iterator[tree.Node]:
    """Of its body, and of those of the functions that it calls."""
    for each in reached(function, []):
        if each.body is not None:
            yield from tree.walk(each.body)
