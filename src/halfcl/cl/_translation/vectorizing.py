"""What Intel's runtime for CPUs (2026.2) may vectorize wrongly, in any OpenCL C.

Kernels. Seen of it: of 600 random kernels five had wrong elements, of 500 without what is looked
for here none; and so did an atomic_cmpxchg in a loop. Each was right where the vectorizer was off.

Loops. Of a group of 17 work-items the last one is not vectorized with the others; its loops are, by
themselves: a sum of floats is then several, added at last. It is right where a loop's own
vectorization is off.
"""

from __future__ import annotations

import re

from halfcl.cl import _tree as tree
from halfcl.cl._calls import reachable_functions
from halfcl.cl._types import Vector

_ATTRIBUTE = re.compile(rb"__attribute__\s*\(\([^;{}]*\)\)\s*\Z")
_ATOMIC = re.compile("atom(ic)?_")
_OF_TRUTHS = re.compile("is[a-z]+|any|all|select|bitselect|signbit")
_TRUTHS = frozenset(("<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"))


def is_at_risk(kernel: tree.Function) -> bool:
    """Whether it, or what it calls, has atomics, truths of vectors, or vectors of three."""
    bodies = [f.body for f in reachable_functions(kernel, []) if f.body is not None]
    return any(_is_seen(node) for body in bodies for node in tree.walk(body))


def is_reordered(loop: tree.Loop) -> bool:
    """Whether the order of its floating sums or products may be lost."""
    return any(isinstance(node, tree.Call) or _may_add(node) for node in tree.walk(loop))


def _may_add(node: tree.Node) -> bool:
    """Whether it is a floating number that is more than read or converted."""
    kinds = tree.Binary | tree.CompoundAssignment | tree.Increment | tree.BuiltinCall
    return isinstance(node, kinds) and getattr(node.type, "is_floating", False)


def front(text: bytes, at: int) -> int:
    """Where a statement begins, with an attribute in front of it."""
    start = max(text.rfind(mark, 0, at) for mark in (b";", b"{", b"}"))
    found = _ATTRIBUTE.search(text, start + 1, at)
    return found.start() if found else at


def _is_seen(node: tree.Node) -> bool:
    if isinstance(node, tree.BuiltinCall) and _ATOMIC.match(node.name):
        return True
    type_ = getattr(node, "type", None)
    if not isinstance(type_, Vector):
        return False
    if isinstance(node, tree.BuiltinCall) and _OF_TRUTHS.fullmatch(node.name):
        return True
    return type_.width == 3 or getattr(node, "operator", None) in _TRUTHS
