"""Jumps out of statements in parentheses, ``({ ... })``, as statements before the expression.

``x = 1 + ({ if (c) return; v; });`` becomes ``T value; { if (c) return; value = v; }
x = 1 + value;``. Operands that only some items evaluate, as that on the right of &&, become
branches; the conditions of loops move into their bodies. The order of other operands is free in C.
"""

from __future__ import annotations

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.flow.copying import Copier
from halfcl.cl._frontend.types import Array, Record, Type


def lower_jumps(program: tree.Program) -> tree.Program:
    """Return a program in which no jump leaves an expression; the same one if none does."""
    if program.lowered is None:
        bodies = [f.body for f in program.functions.values() if f.body is not None]
        program.lowered = program
        if any(map(has_jump, bodies)):
            program.lowered = Copier().program(program)
            for function in program.lowered.functions.values():
                if function.body is not None and has_jump(function.body):
                    _Lowering().block(function.body)
    return program.lowered


def has_jump(node: tree.Node) -> bool:
    """Return whether a jump leaves an expression at or below a node."""
    return any(
        isinstance(each, tree.StatementExpression) and tree.can_leave(each.statements)
        for each in tree.walk(node)
    )


class _Lowering:
    """Changes one function."""

    def __init__(self) -> None:
        self._count = 0

    # ------------------------------------------------------------ statements

    def block(self, node: tree.Block) -> tree.Block:
        node.statements = self._all(node.statements)
        return node

    def _all(self, nodes: list[tree.Node]) -> list[tree.Node]:
        return [each for node in nodes for each in self._statement(node)]

    def _body(self, node: tree.Node) -> tree.Node:
        """Return a statement that stands alone, as the body of a branch."""
        statements = self._statement(node)
        return statements[0] if len(statements) == 1 else tree.Block(node.at, statements)

    def _statement(self, node: tree.Node) -> list[tree.Node]:
        """Return the statements that a statement becomes."""
        if not has_jump(node):
            return [node]
        before: list[tree.Node] = []
        if isinstance(node, tree.Block):
            return [self.block(node)]
        if isinstance(node, tree.Declare):
            return self._declare(node)
        if isinstance(node, tree.If):
            return self._choose(node)
        if isinstance(node, tree.Loop):
            return self._loop(node)
        if isinstance(node, tree.Evaluate):
            node.expression = self._expression(node.expression, before)
        elif isinstance(node, tree.Return) and node.value is not None:
            node.value = self._expression(node.value, before)
        elif isinstance(node, tree.Switch):
            node.value = self._expression(node.value, before)
            for section in node.sections:
                section.statements = self._all(section.statements)
        return [*before, node]

    def _declare(self, node: tree.Declare) -> list[tree.Node]:
        statements: list[tree.Node] = []
        for variable in node.variables:
            if variable.initial is not None:
                variable.initial = self._expression(variable.initial, statements)
            statements.append(tree.Declare(node.at, [variable]))
        return statements

    def _choose(self, node: tree.If) -> list[tree.Node]:
        """Return an if; a later condition with a jump is in the else before it."""
        before: list[tree.Node] = []
        (condition, yes), *rest = node.branches
        node.branches = [(self._expression(condition, before), self._body(yes))]
        for index, (test, body) in enumerate(rest):
            if has_jump(test):
                inner = tree.If(test.at, rest[index:], node.otherwise)
                node.otherwise = tree.Block(test.at, self._choose(inner))
                return [*before, node]
            node.branches.append((test, self._body(body)))
        if node.otherwise is not None:
            node.otherwise = self._body(node.otherwise)
        return [*before, node]

    def _loop(self, node: tree.Loop) -> list[tree.Node]:
        statements = [] if node.start is None else self._statement(node.start)
        node.start = statements.pop() if statements else None
        node.body = self._body(node.body)
        if any(part is not None and has_jump(part) for part in (node.condition, node.step)):
            self._move_into_body(node, statements)
        return [tree.Block(node.at, [*statements, node])] if statements else [node]

    def _move_into_body(self, node: tree.Loop, before: list[tree.Node]) -> None:
        """Let the body begin with the step and the condition; the loop has neither.

        before: the statements before the loop.
        """
        later, check = list[tree.Node](), list[tree.Node]()
        if node.step is not None:
            step = self._expression(node.step, later)
            later.append(tree.Evaluate(step.at, step))
        if node.condition is not None:
            check = self._leave_unless(node.condition)
        if node.checks_last:
            later, check = [*later, *check], []
        if later:
            is_first = self._new(node.at, types.INT)
            is_first.declaration.initial = tree.Literal(node.at, types.INT, 1)
            before += [tree.Declare(node.at, [is_first.declaration])]
            passed = _assign(is_first, tree.Literal(node.at, types.INT, 0))
            check = [tree.If(node.at, [(is_first, passed)], tree.Block(node.at, later)), *check]
        node.condition, node.step, node.checks_last = None, None, False
        node.body = tree.Block(node.at, [*check, node.body])

    def _leave_unless(self, condition: tree.Expression) -> list[tree.Node]:
        statements: list[tree.Node] = []
        condition = self._expression(condition, statements)
        at = condition.at
        leave = tree.Block(at, [tree.Break(at)])
        return [*statements, tree.If(at, [(condition, tree.Block(at, []))], leave)]

    # ------------------------------------------------------------ expressions

    def _expression(self, node: tree.Expression, before: list[tree.Node]) -> tree.Expression:
        """Return an expression without jumps, and append what is to be executed before it."""
        if not has_jump(node):
            return node
        if isinstance(node, tree.StatementExpression):
            return self._statement_expression(node, before)
        if isinstance(node, tree.Logical):
            return self._logical(node, before)
        if isinstance(node, tree.Conditional):
            condition = self._expression(node.condition, before)
            return self._choice(node, condition, node.yes, node.no, before)
        if isinstance(node, tree.Comma):
            first = self._expression(node.first, before)
            before.append(tree.Evaluate(first.at, first))
            return self._expression(node.second, before)
        if isinstance(node, tree.InitialValues):
            node.parts = [(at, self._expression(part, before)) for at, part in node.parts]
            return node
        for name in tree.slots_of_nodes(node):
            value = getattr(node, name)
            if isinstance(value, tree.Expression):
                setattr(node, name, self._expression(value, before))
            elif isinstance(value, list):
                setattr(node, name, [self._expression(each, before) for each in value])
        return node

    def _statement_expression(
        self, node: tree.StatementExpression, before: list[tree.Node]
    ) -> tree.Expression:
        inner = self._all(node.statements.statements)
        if node.value is None:
            before.append(tree.Block(node.at, inner))
            return tree.Reinterpretation(node.at, types.VOID, tree.Literal(node.at, types.INT, 0))
        result = self._declare_value(node.at, node.type, before)
        value = self._expression(node.value, inner)
        before.append(tree.Block(node.at, [*inner, _assign(result, value)]))
        return result

    def _logical(self, node: tree.Logical, before: list[tree.Node]) -> tree.Expression:
        first = self._expression(node.left, before)
        known = tree.Literal(node.at, types.INT, int(node.operator == "||"))
        truth = tree.Logical(
            node.at, types.INT, "&&", node.right, tree.Literal(node.at, types.INT, 1)
        )
        if not has_jump(node.right):
            return tree.Logical(node.at, node.type, node.operator, first, node.right)
        yes, no = (truth, known) if node.operator == "&&" else (known, truth)
        return self._choice(node, first, yes, no, before)

    def _choice(
        self,
        node: tree.Expression,
        condition: tree.Expression,
        yes: tree.Expression,
        no: tree.Expression,
        before: list[tree.Node],
    ) -> tree.Expression:
        """Return the value that the branches of an if set."""
        if node.type == types.VOID:
            values = tree.Literal(node.at, types.INT, 0)
            bodies = [self._body(tree.Evaluate(each.at, each)) for each in (yes, no)]
            result: tree.Expression = tree.Reinterpretation(node.at, types.VOID, values)
        else:
            place = result = self._declare_value(node.at, node.type, before)
            bodies = [self._body(_assign(place, each)) for each in (yes, no)]
        before.append(tree.If(node.at, [(condition, bodies[0])], bodies[1]))
        return result

    # ------------------------------------------------------------ variables

    def _new(self, at: int, type_: Type) -> tree.Variable:
        self._count += 1
        declaration = tree.Declaration(at, f"hc_value{self._count}", type_, "private")
        declaration.in_memory = isinstance(type_, Array | Record)
        return tree.Variable(at, type_, declaration)

    def _declare_value(self, at: int, type_: Type, before: list[tree.Node]) -> tree.Variable:
        variable = self._new(at, type_)
        before.append(tree.Declare(at, [variable.declaration]))
        return variable


def _assign(variable: tree.Variable, value: tree.Expression) -> tree.Evaluate:
    target = tree.Variable(variable.at, variable.type, variable.declaration)
    return tree.Evaluate(value.at, tree.Assignment(value.at, variable.type, target, value))
