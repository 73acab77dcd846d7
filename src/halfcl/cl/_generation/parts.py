"""Code that may go on in a part of the block (`halfcl.cl._parts`), and what goes with it."""

from __future__ import annotations

from halfcl.cl import _tree as tree
from halfcl.cl._generation.analysis import acts_alone, assigned, declared
from halfcl.cl._generation.writer import Writer
from halfcl.cl._types import EVENT, Pointer, Record, Vector

#: So many operations on each variable that goes with it make a part of any items worth while.
_ENOUGH = 3

#: So many statements in each other may go on in parts. Each of them names what goes with it.
_DEEPEST = 4


class Carried:
    """The variables of its surroundings that a statement names, those that it assigns among them.

    is_long: it does enough to be worth a part of items that lie anywhere.
    """

    def __init__(
        self,
        out: Writer,
        named: list[tree.Declaration],
        changed: set[int],
        is_long: bool,
    ) -> None:
        self._names = [out.name(each) for each in named]
        self._changed = [(out.new("t"), each) for each in named if id(each) in changed]
        self.is_long = is_long
        old = {out.name(each): name for name, each in self._changed}
        self.kept = ", ".join(["run", *self._names]) + ","
        #: What `kept` is given back to: what has changed goes beside what it has become.
        self.given = ", ".join(["run", *(old.get(name, name) for name in self._names)]) + ","

    def narrow(self, out: Writer, part: str) -> None:
        """Into the part, for whose items the mask is."""
        out.line(f"run = {part}")
        for name in self._names:
            out.line(f"{name} = {part}.narrow_value({name})")

    def widen(self, out: Writer, part: str) -> None:
        """Out of it, after what was kept is given back."""
        for old, declaration in self._changed:
            name, type_ = out.name(declaration), declaration.type
            dtype = out.module.dtype(type_.dtype)  # type: ignore[union-attr]  # see `carried`
            vectors = isinstance(type_, Vector)
            out.line(f"{name} = {part}.merge_value({name}, {old}, {dtype}, {vectors})")


def of_turn(out: Writer, node: tree.Loop) -> Carried | None:
    """`carried`, of a loop, from one of its turns on."""
    parts = (node.condition, node.step, node.body)
    return carried(out, [part for part in parts if part is not None])


def carried(out: Writer, parts: list[tree.Node]) -> Carried | None:
    """None if it may not run in a part; where items are looked at, or at random, nothing may."""
    module = out.module
    if module.checks or module.contracting == "watched" or module.default is None:
        return None
    if out.parts == _DEEPEST or not all(acts_alone(part, module.alone) for part in parts):
        return None
    nodes = [each for part in parts for each in tree.walk(part)]
    own = {id(each) for part in parts for each in declared(part)}
    changed = {id(each) for part in parts for each in assigned(part)}
    named = {id(n.declaration): n.declaration for n in nodes if isinstance(n, tree.Variable)}
    outer = [
        each
        for key, each in named.items()
        if key not in own and not out.is_stored(each) and not _is_of_all(out, each)
    ]
    if any(isinstance(each.type, Record) or each.type == EVENT for each in outer):
        return None
    if any(isinstance(each.type, Pointer) and id(each) in changed for each in outer):
        return None
    return Carried(out, outer, changed, _is_long(nodes, len(outer)))


def _is_of_all(out: Writer, declaration: tree.Declaration) -> bool:
    """Whether all items have one value of it: a constant, or a kernel's argument."""
    if declaration.space == "constant":
        return True
    is_argument = declaration.is_parameter and out.function is not None and out.function.is_kernel
    return is_argument and id(declaration) not in out.assigned


def _is_long(nodes: list[tree.Node], carried: int) -> bool:
    if any(isinstance(node, tree.Loop) for node in nodes):
        return True
    work = tree.Binary | tree.CompoundAssignment | tree.BuiltinCall | tree.Call | tree.Dereference
    return sum(isinstance(node, work) for node in nodes) >= _ENOUGH * (carried + 1)
