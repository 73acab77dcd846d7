"""Code that may continue for a subset of the block's items (`halfcl.cl._interpreter.subsets`)."""

from __future__ import annotations

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.types import EVENT, Pointer, Record, Vector
from halfcl.cl._interpreter.generation.analysis import (
    acts_alone,
    assigned_variables,
    declared_variables,
)
from halfcl.cl._interpreter.generation.writer import Writer

#: Operations per carried variable that make a subset of arbitrary items worth while.
_ENOUGH = 3

#: The most nested statements that may run for subsets; each carries its variables.
_DEEPEST = 4


class CarriedVariables:
    """The outer variables that a statement uses, and those that it assigns.

    is_long: whether it does enough work for a subset that is not evenly spaced. assigns: whether
    it assigns any.
    """

    def __init__(
        self, out: Writer, used: list[tree.Declaration], changed: set[int], is_long: bool
    ) -> None:
        self._names = [out.name(each) for each in used]
        self._changed = [(out.new("t"), each) for each in used if id(each) in changed]
        self.is_long, self.assigns = is_long, bool(changed & {id(each) for each in used})
        old = {out.name(each): name for name, each in self._changed}
        self.kept = ", ".join(["run", *self._names]) + ","
        #: The targets to which `kept` is restored; old values of changed variables get new names.
        self.restored = ", ".join(["run", *(old.get(name, name) for name in self._names)]) + ","

    def narrow(self, out: Writer, part: str) -> None:
        """Write the entry into a subset; the mask is that of its items."""
        out.line(f"run = {part}")
        for name in self._names:
            out.line(f"{name} = {part}.narrow_value({name})")

    def widen(self, out: Writer, part: str) -> None:
        """Write the merge after a subset, once `kept` is restored."""
        for old, declaration in self._changed:
            name, type_ = out.name(declaration), declaration.type
            # `carried_variables` admits no other types.
            dtype = out.module.dtype(type_.dtype)  # type: ignore[union-attr]
            vectors = isinstance(type_, Vector)
            out.line(f"{name} = {part}.merge_value({name}, {old}, {dtype}, {vectors})")


def carried_by_loop(out: Writer, node: tree.Loop) -> CarriedVariables | None:
    """Return the carried variables of a loop, from one of its iterations on."""
    parts = (node.condition, node.step, node.body)
    return carried_variables(out, [part for part in parts if part is not None])


def carried_variables(out: Writer, parts: list[tree.Node]) -> CarriedVariables | None:
    """Return the carried variables of nodes, or None if they must not run for a subset.

    They must not where items are observed, or with stochastic rounding.
    """
    module = out.module
    if module.checks or module.contracting == "watched" or module.default is None:
        return None
    if out.parts == _DEEPEST or not all(acts_alone(part, module.alone) for part in parts):
        return None
    nodes = [each for part in parts for each in tree.walk(part)]
    own = {id(each) for part in parts for each in declared_variables(part)}
    changed = {id(each) for part in parts for each in assigned_variables(part)}
    used = {id(n.declaration): n.declaration for n in nodes if isinstance(n, tree.Variable)}
    outer = [
        each
        for key, each in used.items()
        if key not in own and not out.is_stored(each) and not _is_uniform(out, each)
    ]
    if any(isinstance(each.type, Record) or each.type == EVENT for each in outer):
        return None
    if any(isinstance(each.type, Pointer) and id(each) in changed for each in outer):
        return None
    return CarriedVariables(out, outer, changed, _is_long(nodes, len(outer)))


def _is_uniform(out: Writer, declaration: tree.Declaration) -> bool:
    """Return whether a variable is the same for all items: a constant or a kernel's argument."""
    if declaration.space == "constant":
        return True
    is_argument = declaration.is_parameter and out.function is not None and out.function.is_kernel
    return is_argument and id(declaration) not in out.assigned


def _is_long(nodes: list[tree.Node], carried_variables: int) -> bool:
    if any(isinstance(node, tree.Loop) for node in nodes):
        return True
    work = tree.Binary | tree.CompoundAssignment | tree.BuiltinCall | tree.Call | tree.Dereference
    return sum(isinstance(node, work) for node in nodes) >= _ENOUGH * (carried_variables + 1)
