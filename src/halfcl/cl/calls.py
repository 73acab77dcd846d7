"""Who calls whom: OpenCL C has no recursion, and nothing to link with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halfcl.cl import tree
from halfcl.cl.nesting import DEEPEST_CALLS


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
