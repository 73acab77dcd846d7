"""The call graph of a program, and which functions need whole work-groups.

OpenCL C has no recursion, and here no linking, so calls must form a tree of functions with bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.guards.nesting import DEEPEST_CALLS


def refusals(
    functions: Iterable[tree.Function], is_linked: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield places and messages for recursive calls and for calls of functions without a body.

    is_linked: whether other programs may have the bodies.
    """
    functions = list(functions)
    calls = {id(f): calls_of(f) for f in functions}
    for function in functions:
        for call in calls[id(function)]:
            if call.function.body is None and not is_linked:
                yield call.at, f"function {call.function.name} is called, but has no body"
    done: dict[int, int] = {}
    for function in functions:
        yield from _recursive_calls(function, calls, [], done)


def calls_of(function: tree.Function) -> list[tree.Call]:
    """Return the calls in a function's body."""
    if function.body is None:
        return []
    return [node for node in tree.walk(function.body) if isinstance(node, tree.Call)]


def _recursive_calls(
    function: tree.Function,
    calls: dict[int, list[tree.Call]],
    path: list[tree.Function],
    done: dict[int, int],
) -> Iterator[tuple[int, str]]:
    """Yield recursive calls. done: per function, how deeply its calls nest."""
    if id(function) in done:
        return
    done[id(function)] = 0
    path.append(function)
    for call in calls[id(function)]:
        if any(call.function is caller for caller in path):
            circle = [f.name for f in path[path.index(call.function) :]] + [call.function.name]
            yield call.at, f"recursion is not in OpenCL C: {' calls '.join(circle)}"
        else:
            yield from _recursive_calls(call.function, calls, path, done)
            depth = done[id(call.function)] + 1
            if depth == DEEPEST_CALLS:
                yield call.at, "not supported: calls of functions nested too deeply"
            done[id(function)] = max(done[id(function)], depth)
    path.pop()


def reachable_functions(
    function: tree.Function, functions: list[tree.Function]
) -> list[tree.Function]:
    """Return a function and all functions that it calls, directly or not, each once."""
    if function not in functions:
        functions.append(function)
        for call in calls_of(function):
            reachable_functions(call.function, functions)
    return functions


def uses_groups(function: tree.Function, seen: set[int]) -> bool:
    """Return whether its work-items must run together with their whole work-group."""
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
        if isinstance(node, tree.BuiltinCall) and node.builtin.needs_group:
            return True
    return any(uses_groups(call.function, seen) for call in calls_of(function))


def widest_floating(function: tree.Function) -> int:
    """Return the bytes of the widest floating type that it and its callees compute; 0 if none.

    A half2 counts as half.
    """
    values = (node.type for node in iterate_nodes(function) if isinstance(node, tree.Expression))
    return max(
        (
            types.HALF.size if type_ == types.Vector(types.HALF, 2) else type_.size
            for type_ in values
            if isinstance(type_, types.Scalar | types.Vector) and type_.is_floating
        ),
        default=0,
    )


def count_floating(function: tree.Function) -> int:
    """Return how many variables of floating types it and its callees have."""
    return sum(
        isinstance(variable.type, types.Scalar | types.Vector) and variable.type.is_floating
        for variable in _variables(function)
    )


def has_private_arrays(function: tree.Function) -> bool:
    """Return whether it or a callee has private arrays or structures."""
    return any(
        isinstance(variable.type, types.Array | types.Record) and variable.space == "private"
        for variable in _variables(function)
    )


def _variables(function: tree.Function) -> Iterator[tree.Declaration]:
    for node in iterate_nodes(function):
        if isinstance(node, tree.Declare | tree.Switch):
            yield from node.variables


def iterate_nodes(function: tree.Function) -> Iterator[tree.Node]:
    """Yield the nodes of its body and of its callees' bodies."""
    for each in reachable_functions(function, []):
        if each.body is not None:
            yield from tree.walk(each.body)
