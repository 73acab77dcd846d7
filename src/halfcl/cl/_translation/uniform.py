"""Uniform control flow: where all work-items of a group take the same branches.

There a translation may put a barrier. Each kernel is walked, with its callees, until nothing
changes. A value is uniform if it is computed from uniform numbers: from arguments and sizes, not
from ids or memory. Where a uniform value decides, all items take the same branch. After a `return`
that only some items reach, and in a loop that only some leave, they do not.
"""

from __future__ import annotations

from collections.abc import Iterable

from halfcl.cl._frontend import tree


class Uniformity:
    """The calls in a kernel that all items of a group reach together.

    is_row: whether each group is one sub-group that lies along x. Then ids along y and z, that of
    the sub-group, and what its items have combined are the same for all items, too.
    """

    def __init__(self, kernel: tree.Function, is_row: bool = False) -> None:
        self._is_row = is_row
        self._varying: set[int] = set()  # variables that differ between items
        self._divergent: set[int] = set()  # loops and switches that some items leave before others
        self._returns: set[int] = set()  # functions whose result differs
        self._apart: set[int] = set()  # calls that some items reach without others
        self._exited: set[int] = set()  # functions that some items have left
        self._inside: list[tree.Loop | tree.Switch] = []
        self._functions: list[tree.Function] = []
        self._seen: set[tuple[int, bool]] = set()
        known = -1
        while known != (known := self._count_facts()):
            self._exited.clear()
            self._seen.clear()
            self._call(kernel, True)

    def is_common(self, node: tree.Node) -> bool:
        """Return whether all items of a group evaluate a node together, or none does."""
        return id(node) not in self._apart

    def _count_facts(self) -> int:
        return sum(map(len, (self._varying, self._divergent, self._returns, self._apart)))

    # ------------------------------------------------------------ statements

    def _call(self, function: tree.Function, together: bool) -> None:
        """Walk a function as one of its calls reaches it; the result holds for all calls."""
        if function.body is None or (id(function), together) in self._seen:
            return
        self._seen.add((id(function), together))
        self._functions.append(function)
        around, self._inside = self._inside, []
        self._statement(function.body, together)
        self._inside = around
        self._exited.discard(id(self._functions.pop()))

    def _all_active(self, together: bool) -> bool:
        """Return whether all items are still active."""
        has_exited = id(self._functions[-1]) in self._exited
        return (
            together and not has_exited and not any(id(x) in self._divergent for x in self._inside)
        )

    def _statement(self, node: tree.Node, together: bool) -> None:
        together = self._all_active(together)
        if isinstance(node, tree.Expression):
            self._value(node, together)
        elif isinstance(node, tree.Evaluate):
            self._value(node.expression, together)
        elif isinstance(node, tree.Declare):
            for variable in node.variables:
                self._declare(variable, together)
        elif isinstance(node, tree.If):
            self._if(node, together)
        elif isinstance(node, tree.Loop):
            self._loop(node, together)
        elif isinstance(node, tree.Switch):
            self._switch(node, together)
        elif isinstance(node, tree.Return):
            self._return(node, together)
        elif isinstance(node, tree.Break | tree.Continue):
            if not together:
                self._leave(isinstance(node, tree.Continue))
        else:
            self._all(node.children(), together)

    def _all(self, nodes: Iterable[tree.Node], together: bool) -> None:
        for node in nodes:
            self._statement(node, together)

    def _declare(self, variable: tree.Declaration, together: bool) -> None:
        if variable.initial is not None:
            self._set(variable, self._value(variable.initial, together), together)

    def _if(self, node: tree.If, together: bool) -> None:
        for condition, body in node.branches:
            together = self._value(condition, together) and together
            self._statement(body, together)
        if node.otherwise is not None:
            self._statement(node.otherwise, together)

    def _loop(self, node: tree.Loop, together: bool) -> None:
        if node.start is not None:
            self._statement(node.start, together)
        self._inside.append(node)
        for part in (node.condition, node.body, node.step):
            if part is node.condition is not None and not node.checks_last:
                self._check(node, together)
            elif part is not None and part is not node.condition:
                self._statement(part, together)
        if node.checks_last and node.condition is not None:
            self._check(node, together)
        self._inside.pop()

    def _switch(self, node: tree.Switch, together: bool) -> None:
        together = self._value(node.value, together) and together
        self._inside.append(node)
        for section in node.sections:
            self._all(section.statements, together)
        self._inside.pop()

    def _leave(self, is_continue: bool) -> None:
        """Mark the statements that a break or continue leaves; only continue passes a switch."""
        for around in reversed(self._inside):
            self._divergent.add(id(around))
            if isinstance(around, tree.Loop) or not is_continue:
                break

    def _check(self, loop: tree.Loop, together: bool) -> None:
        assert loop.condition is not None
        if not self._value(loop.condition, self._all_active(together)):
            self._divergent.add(id(loop))

    def _return(self, node: tree.Return, together: bool) -> None:
        function = self._functions[-1]
        same = node.value is None or self._value(node.value, together)
        if not (same and together):
            self._returns.add(id(function))
        if not together:
            self._exited.add(id(function))
            self._divergent.update(map(id, self._inside))

    # ------------------------------------------------------------ values

    def _set(self, variable: tree.Declaration, same: bool, together: bool) -> None:
        if not (same and together):
            self._varying.add(id(variable))

    def _value(self, node: tree.Expression, together: bool) -> bool:
        """Return whether all items have the same value, and walk its operands."""
        if isinstance(node, tree.Logical | tree.Conditional):
            return self._choice(node, together)
        if isinstance(node, tree.Assignment | tree.CompoundAssignment | tree.Increment):
            return self._assignment(node, together)
        if isinstance(node, tree.StatementExpression):
            self._statement(node.statements, together)
            return node.value is None or self._value(node.value, self._all_active(together))
        same = True
        for child in node.children():
            assert isinstance(child, tree.Expression)
            same &= self._value(child, together)
        if isinstance(node, tree.Variable):
            return self._is_same(node.declaration)
        if isinstance(node, tree.Dereference):
            return same and _space(node) == "constant"
        if isinstance(node, tree.BuiltinCall):
            return self._builtin(node, same, together)
        if isinstance(node, tree.Call):
            return self._user_call(node, together)
        return same

    def _is_same(self, variable: tree.Declaration) -> bool:
        if variable.space in ("local", "constant"):
            return True  # its address is; `Dereference` checks its contents
        return not variable.in_memory and id(variable) not in self._varying

    def _choice(self, node: tree.Logical | tree.Conditional, together: bool) -> bool:
        first, *rest = node.children()
        assert isinstance(first, tree.Expression)
        same = self._value(first, together)
        inside = together and same
        for child in rest:
            assert isinstance(child, tree.Expression)
            same &= self._value(child, inside)
        return same

    def _assignment(
        self, node: tree.Assignment | tree.CompoundAssignment | tree.Increment, together: bool
    ) -> bool:
        same = isinstance(node, tree.Increment) or self._value(node.value, together)
        if not isinstance(node, tree.Assignment) or not isinstance(node.target, tree.Variable):
            same &= self._value(node.target, together)
        target: tree.Expression = node.target
        while isinstance(target, tree.Swizzle | tree.Member):
            target = target.base
        if isinstance(target, tree.Variable):
            self._set(target.declaration, same, together)
        return same

    def _builtin(self, node: tree.BuiltinCall, same: bool, together: bool) -> bool:
        if not self._all_active(together):
            self._apart.add(id(node))
        uniform = node.builtin.uniform
        if self._is_row and _is_same_in_row(node):
            return self._all_active(together)
        return uniform == "always" or (uniform == "arguments" and same)

    def _user_call(self, node: tree.Call, together: bool) -> bool:
        function = node.function
        for parameter, argument in zip(function.parameters, node.arguments, strict=True):
            self._set(parameter, self._value(argument, together), True)
        self._call(function, together)
        return id(function) not in self._returns


def _is_same_in_row(node: tree.BuiltinCall) -> bool:
    """Return whether all items of a sub-group along x have the same result."""
    if node.name in ("get_global_id", "get_local_id"):
        (dimension,) = node.arguments
        while isinstance(dimension, tree.Conversion):
            dimension = dimension.operand
        return isinstance(dimension, tree.Literal) and dimension.value > 0
    is_combined = node.builtin.family == "sub-group" and (
        node.builtin.parts.get("fold") == "reduce" and "clustered" not in node.builtin.stem
    )
    words = ("_all", "_any", "_all_equal", "broadcast", "broadcast_first", "get_sub_group_id")
    return is_combined or node.name.endswith(words)


def _space(node: tree.Dereference) -> str:
    return str(getattr(node.pointer.type, "space", "private"))
