"""Code of statements, and the mask after them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.guards.nesting import DEEPEST_LOOPS
from halfcl.cl._interpreter.generation.analysis import has_continue
from halfcl.cl._interpreter.generation.declarations import declare
from halfcl.cl._interpreter.generation.expressions.assignment import blend_values
from halfcl.cl._interpreter.generation.expressions.conditions import condition, stripe_condition
from halfcl.cl._interpreter.generation.expressions.numbers import evaluate
from halfcl.cl._interpreter.generation.subsets import (
    CarriedVariables,
    carried_by_loop,
    carried_variables,
)
from halfcl.cl._interpreter.generation.writer import Target, Values, Writer
from halfcl.cl._interpreter.values import numbers


def sequence(out: Writer, statements: list[tree.Node]) -> None:
    """Write statements; after one that items may leave, code runs if any items remain."""
    with ExitStack() as rest:
        for index, node in enumerate(statements):
            _statement(out, node)
            if isinstance(node, tree.Return | tree.Break | tree.Continue):
                break  # the rest is unreachable
            if index + 1 < len(statements) and tree.can_leave(node):
                rest.close()  # once no items remain, none remain later
                rest.enter_context(out.indent_block("if m is not DEAD:", is_last=True))


def _statement(out: Writer, node: tree.Node) -> None:
    out.at = node.at
    _STATEMENTS[type(node)](out, node)


def _declarations(out: Writer, node: tree.Declare) -> None:
    for declaration in node.variables:
        declare(out, declaration)


def choose(out: Writer, node: tree.If) -> None:
    """Write branch after branch, each for the items that earlier ones have not taken."""
    before, taken, others = out.new("m"), out.new("m"), out.new("m")
    passed = out.new("b") if tree.can_leave(node) else None
    out.line(f"{before} = m")
    if passed:
        out.line(f"{passed} = []")
    (first, yes), *more = node.branches
    alone = None if more or node.otherwise or passed else carried_variables(out, [yes])
    if alone:
        _branch_for_subset(out, first, yes, alone)
        out.line(f"m = {before}")
        return
    out.line(f"{taken}, {others} = split(m, {condition(out, first)})")
    branch(out, yes, taken, passed)
    for test, yes in more:
        out.line(f"m = {others}")
        out.line(f"{taken} = DEAD")
        with out.indent_block("if m is not DEAD:"), out.enter_inner_region():
            out.line(f"{taken}, {others} = split(m, {condition(out, test)})")
        branch(out, yes, taken, passed)
    if node.otherwise is not None:
        branch(out, node.otherwise, others, passed)
    if passed:
        rest = "DEAD" if node.otherwise is not None else others
        out.line(f"m = merge_branches({before}, {passed}, {rest})")
    else:
        out.line(f"m = {before}")


def _branch_for_subset(
    out: Writer, test: tree.Expression, yes: tree.Node, alone: CarriedVariables
) -> None:
    """Write a single branch, which runs for a subset if few items take it."""
    part, whole = out.new("r"), out.new("r")
    flags = f"{alone.is_long}, {alone.assigns}"
    out.line(f"m, {part} = select_items(run, m, {stripe_condition(out, test)}, {flags})")
    with out.indent_block("if m is not DEAD:"), out.enter_inner_region():
        with out.indent_block(f"if {part} is not None:", is_last=True):
            out.line(f"{whole} = {alone.kept}")
            alone.narrow(out, part)
        out.parts += 1
        _statement(out, yes)
        out.parts -= 1
        with out.indent_block(f"if {part} is not None:", is_last=True):
            out.line(f"{alone.restored} = {whole}")
            alone.widen(out, part)


def branch(out: Writer, node: tree.Node, mask: str, passed: str | None) -> None:
    """Write a branch for the items in a mask.

    passed: name of a list of masks at entry and exit, if some items may leave.
    """
    with out.indent_block(f"if {mask} is not DEAD:"), out.enter_inner_region():
        out.line(f"m = {mask}")
        _statement(out, node)
        if passed:
            out.line(f"{passed}.append(({mask}, m))")


def statement_expression(out: Writer, node: tree.StatementExpression) -> str:
    """Write the statements, and return the value after them."""
    sequence(out, node.statements.statements)
    return "None" if node.value is None else out.value(node.value)


def _loop(out: Writer, node: tree.Loop) -> None:
    if node.start is not None:
        _statement(out, node.start)
    if sum(target.is_loop for target in out.targets) == DEEPEST_LOOPS:
        out.refuse_depth("loops")
    target = Target(out.new("m"), out.new("k") if has_continue(node.body) else None, True)
    alone = carried_by_loop(out, node)
    parts = out.new("s")
    if alone:
        out.line(f"{parts} = []")
    out.parts += bool(alone)
    out.line(f"{target.before} = m")
    gone_before = out.new("g")
    if out.returns_early:
        out.line(f"{gone_before} = gone")
        out.line("gone = DEAD")
    out.targets.append(target)
    with out.indent_block("while True:"), out.enter_inner_region():
        out.line(f"run.tick({node.at})")
        if not node.checks_last:
            _leave_unless(out, node.condition)
        if alone:
            _continue_in_subset(out, alone, parts)
        if target.skipped:
            out.line(f"{target.skipped} = DEAD")
        _statement(out, node.body)
        if target.skipped:
            out.line(f"m = union(m, {target.skipped})")
        if tree.can_leave(node.body, loops=True) or target.skipped:
            out.line("if m is DEAD: break")
        if node.step is not None:
            evaluate(out, node.step)
        if node.checks_last:
            _leave_unless(out, node.condition)
    out.targets.pop()
    out.parts -= bool(alone)
    if alone:
        _merge_subsets(out, alone, parts)
    out.line(f"m = {target.before}")
    if out.returns_early:
        out.line("m = without(m, gone)")
        out.line(f"gone = union(gone, {gone_before})")


def _continue_in_subset(out: Writer, alone: CarriedVariables, parts: str) -> None:
    """Write the switch to a subset at the start of an iteration, if few items remain."""
    part = out.new("r")
    head = f"if m is not None and ({part} := subset_of(run, m)) is not None:"
    with out.indent_block(head, is_last=True):
        out.line(f"{parts}.append(({alone.kept}))")
        out.line("m = None")
        alone.narrow(out, part)


def _merge_subsets(out: Writer, alone: CarriedVariables, parts: str) -> None:
    """Write the merges after a loop, from subset to subset."""
    part = out.new("r")
    with out.indent_block(f"while {parts}:", is_last=True):
        out.line(f"{part} = run")
        out.line(f"{alone.restored} = {parts}.pop()")
        alone.widen(out, part)


def _leave_unless(out: Writer, node: tree.Expression | None) -> None:
    if node is None:
        return
    out.line(f"m = narrow(m, {condition(out, node)})")
    out.line("if m is DEAD: break")


def _switch(out: Writer, node: tree.Switch) -> None:
    value = out.temporary(out.value(node.value))
    target = Target(out.new("m"), None, False, out.new("b"))
    out.line(f"{target.before} = m")
    out.line(f"{target.broken} = DEAD")
    rest, active = out.new("m"), out.new("m")
    out.line(f"{rest} = m")
    equal = out.module.bind(
        "eq", node.value.type, lambda: numbers.binary("==", node.value.type, "rte")
    )
    masks = []
    for section in node.sections:
        mask = out.new("m")
        out.line(f"{mask} = DEAD")
        for label in section.values:
            matches = out.new("m")
            with out.indent_block(f"if {rest} is not DEAD:"):
                out.line(f"{matches}, {rest} = split({rest}, {equal}({value}, {label}))")
                out.line(f"{mask} = union({mask}, {matches})")
        masks.append(mask)
    for section, mask in zip(node.sections, masks, strict=True):
        if section.is_default:
            out.line(f"{mask} = union({mask}, {rest})")
            out.line(f"{rest} = DEAD")
    out.line(f"{active} = DEAD")
    for variable in node.variables:  # a label may skip its declaration
        if variable.space == "private":
            declare(out, variable, has_initial=False)
    out.targets.append(target)
    for section, mask in zip(node.sections, masks, strict=True):
        out.line(f"{active} = union({active}, {mask})")
        with out.indent_block(f"if {active} is not DEAD:"), out.enter_inner_region():
            out.line(f"m = {active}")
            sequence(out, section.statements)
            out.line(f"{active} = m")
    out.targets.pop()
    out.line(f"m = union(union({active}, {target.broken}), {rest})")
    if not any(
        tree.can_leave(s, switches=True) for section in node.sections for s in section.statements
    ):
        out.line(f"m = {target.before}")


def _leave_loop(out: Writer, node: tree.Break) -> None:
    target = out.targets[-1]
    if not target.is_loop:
        out.line(f"{target.broken} = union({target.broken}, m)")
    out.line("m = DEAD")


def _next_turn(out: Writer, node: tree.Continue) -> None:
    target = next(t for t in reversed(out.targets) if t.is_loop)
    out.line(f"{target.skipped} = union({target.skipped}, m)")
    out.line("m = DEAD")


def _leave_function(out: Writer, node: tree.Return) -> None:
    value = out.value(node.value) if node.value is not None else "None"
    if not out.returns_early:
        out.line(f"return {value}")
        return
    assert out.function is not None
    if node.value is not None:
        out.line(f"result = {blend_values(out, node.value.type, 'False', value, 'result')}")
    out.line("gone = union(gone, m)")
    out.line("m = DEAD")


VALUES: Values = {
    tree.StatementExpression: statement_expression,
    tree.OmittedConditional: statement_expression,
}

_STATEMENTS: dict[type, Callable[[Writer, Any], None]] = {
    tree.Block: lambda out, node: sequence(out, node.statements),
    tree.Declare: _declarations,
    tree.Evaluate: lambda out, node: evaluate(out, node.expression),
    tree.If: choose,
    tree.Loop: _loop,
    tree.Switch: _switch,
    tree.Break: _leave_loop,
    tree.Continue: _next_turn,
    tree.Return: _leave_function,
}
