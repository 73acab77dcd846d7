"""Kernels that Intel's runtime for CPUs (2026.2) may vectorize wrongly, in any OpenCL C.

Seen of it: of 600 random kernels five had wrong elements, of 500 without what is looked for here
none; and so did an atomic_cmpxchg in a loop. Each was right where the vectorizer was off.
"""

from __future__ import annotations

import re

from halfcl.cl import _tree as tree
from halfcl.cl._calls import reached
from halfcl.cl._types import Vector

_ATOMIC = re.compile("atom(ic)?_")
_OF_TRUTHS = re.compile("is[a-z]+|any|all|select|bitselect|signbit")
_TRUTHS = frozenset(("<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"))


def is_at_risk(kernel: tree.Function) -> bool:
    """Whether it, or what it calls, has atomics, truths of vectors, or vectors of three."""
    bodies = [f.body for f in reached(kernel, []) if f.body is not None]
    return any(_is_seen(node) for body in bodies for node in tree.walk(body))


def _is_seen(node: tree.Node) -> bool:
    if isinstance(node, tree.BuiltinCall) and _ATOMIC.match(node.name):
        return True
    type_ = getattr(node, "type", None)
    if not isinstance(type_, Vector):
        return False
    if isinstance(node, tree.BuiltinCall) and _OF_TRUTHS.fullmatch(node.name):
        return True
    return type_.width == 3 or getattr(node, "operator", None) in _TRUTHS
