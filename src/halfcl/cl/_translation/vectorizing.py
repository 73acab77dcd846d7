"""Code that Intel's runtime for CPUs (2026.2) may vectorize wrongly, in any OpenCL C.

Kernels: of 600 random kernels five had wrong elements, of 500 without the operations below none; an
atomic_cmpxchg in a loop was wrong, too. Each was right without the vectorizer.

Loops: of a group of 17 work-items the last one is not vectorized with the others; instead its loops
are, so that a sum of floats becomes several partial sums. It is right if vectorization of the loop
is off.
"""

from __future__ import annotations

import re

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.arithmetic import COMPARISONS
from halfcl.cl._frontend.calls import reachable_functions
from halfcl.cl._frontend.types import Vector

_ATTRIBUTE = re.compile(rb"__attribute__\s*\(\([^;{}]*\)\)\s*\Z")
_TRUTHS = frozenset((*COMPARISONS, "&&", "||", "!"))


def is_at_risk(kernel: tree.Function) -> bool:
    """Return whether it or a callee has atomics, vector predicates, or vectors of three."""
    bodies = [f.body for f in reachable_functions(kernel, []) if f.body is not None]
    return any(_is_risky(node) for body in bodies for node in tree.walk(body))


def is_reordered(loop: tree.Loop) -> bool:
    """Return whether the order of its floating sums or products may change."""
    return any(isinstance(node, tree.Call) or _may_add(node) for node in tree.walk(loop))


def _may_add(node: tree.Node) -> bool:
    """Return whether it computes a floating number, rather than reading or converting one."""
    kinds = tree.Binary | tree.CompoundAssignment | tree.Increment | tree.BuiltinCall
    return isinstance(node, kinds) and getattr(node.type, "is_floating", False)


def statement_start(text: bytes, at: int) -> int:
    """Return where a statement begins, including an attribute in front of it."""
    start = max(text.rfind(mark, 0, at) for mark in (b";", b"{", b"}"))
    attribute = _ATTRIBUTE.search(text, start + 1, at)
    return attribute.start() if attribute else at


def _is_risky(node: tree.Node) -> bool:
    family = node.builtin.family if isinstance(node, tree.BuiltinCall) else ""
    if family in ("atomic", "c11 atomic"):
        return True
    type_ = getattr(node, "type", None)
    if not isinstance(type_, Vector):
        return False
    if family in ("relational", "selection"):
        return True
    return type_.width == 3 or getattr(node, "operator", None) in _TRUTHS
