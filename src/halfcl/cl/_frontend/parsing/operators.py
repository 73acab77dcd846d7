"""Conversion of operators, with the rounding mode and contraction in force at their places."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind as Kind

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.arithmetic import COMPARISONS
from halfcl.cl._frontend.parsing.conversions import address, convert, decay_type
from halfcl.cl._frontend.parsing.library import BINARY, UNARY, library
from halfcl.cl._frontend.parsing.parser import Makers, Parser
from halfcl.cl._frontend.types import Pointer, Scalar, Type, Vector


def conditional(parser: Parser, cursor: Cursor) -> tree.Expression:
    """Convert a ? b : c ? d : e, starting with the last choice."""
    chain = []
    while cursor.kind == Kind.CONDITIONAL_OPERATOR:
        condition, yes, no = cursor.get_children()
        chain.append((cursor, parser.expression(condition), parser.expression(yes)))
        cursor = no
    result: tree.Expression = parser.expression(cursor)
    for cursor, condition, yes in reversed(chain):
        at, type_ = parser.start(cursor), parser.type(cursor)
        if isinstance(condition.type, Vector):
            result = tree.BuiltinCall(at, type_, "select", [result, yes, condition], "rte")
        else:
            result = tree.Conditional(at, decay_type(type_, yes), condition, yes, result)
    return result


def omitted_conditional(parser: Parser, cursor: Cursor, children: list[Cursor]) -> tree.Expression:
    """Convert a ?: b, whose a is evaluated once. children: a, a as condition and as result, b."""
    common, _, yes_cursor, no_cursor = children
    first, no = parser.expression(common), parser.expression(no_cursor)
    at, type_ = parser.start(cursor), parser.type(cursor)
    type_ = decay_type(type_, first, no)
    held = decay_type(first.type, parser.expression(yes_cursor))
    holder = tree.Declaration(at, "hc_given", held, "private", convert(parser, first, held, at))
    uses = [tree.Variable(at, held, holder) for _ in range(2)]
    choice: tree.Expression
    if isinstance(held, Vector):
        choice = tree.BuiltinCall(at, type_, "select", [no, *uses], "rte")
    else:
        choice = tree.Conditional(at, type_, uses[0], convert(parser, uses[1], type_, at), no)
    return tree.OmittedConditional(at, type_, tree.Block(at, [tree.Declare(at, [holder])]), choice)


def _unary(parser: Parser, cursor: Cursor) -> tree.Expression:
    operator = UNARY[library().clang_getCursorUnaryOperatorKind(cursor)]
    operand, at, type_ = parser.only_child(cursor), parser.start(cursor), parser.type(cursor)
    if operator == "__extension__":
        return operand
    if operator.isidentifier():
        parser.refuse(at, f"not supported: {operator}")
        return operand
    if operator == "&":
        return address(operand, at, type_)
    if operator == "*":
        return tree.Dereference(at, type_, operand)
    if "x" in operator:
        step, is_prefix = (1 if "+" in operator else -1), operator.endswith("x")
        where = _operator_place(parser, cursor, operator.strip("x"), is_prefix)
        mode = parser.pragmas.rounding.at(where)
        _check_target(parser, operand)
        return tree.Increment(at, operand.type, operand, step, is_prefix, mode)
    check_half(parser, operand.type, at)
    is_folded = isinstance(type_, Scalar) and (type_.is_floating or type_ == types.LONG_LONG)
    if operator == "-" and isinstance(operand, tree.Literal) and is_folded:
        return tree.Literal(at, type_, -operand.value)
    return tree.Unary(at, type_, operator, operand)


def _check_target(parser: Parser, target: tree.Expression) -> None:
    """Refuse assignments to literals of vectors and structs, which clang takes for variables."""
    root = target
    while isinstance(root, tree.Swizzle | tree.Member):
        root = root.base
    if not isinstance(root, tree.Variable | tree.Dereference):
        parser.refuse(target.at, "not supported: an assignment to a literal, which has no name")


def _operator_place(parser: Parser, cursor: Cursor, operator: str, is_prefix: bool) -> int:
    start, end = parser.extent(cursor)
    return start if is_prefix else parser.text.rfind(operator.encode(), start, end)


def check_half(parser: Parser, type_: Type, at: int) -> None:
    """Refuse half vectors where half is not enabled, which clang does not check."""
    if getattr(type_, "element", None) == types.HALF and not parser.pragmas.half.at(at):
        message = "arithmetic with half requires cl_khr_fp16 to be enabled"
        parser.refuse(at, parser.pragmas.with_remedy(message, at))


def _binary(parser: Parser, cursor: Cursor) -> tree.Expression:
    left_cursor, right_cursor = cursor.get_children()
    operator = BINARY[library().clang_getCursorBinaryOperatorKind(cursor)]
    left, right = parser.expression(left_cursor), parser.expression(right_cursor)
    start, type_ = parser.start(cursor), decay_type(parser.type(cursor), left, right)
    if operator.endswith("=") and operator not in COMPARISONS:
        _check_target(parser, left)
    if operator == "=":
        return tree.Assignment(start, type_, left, right)
    if operator == ",":
        return tree.Comma(start, type_, left, right)
    at = place_between(parser, left_cursor, right_cursor)
    check_half(parser, left.type, at)
    mode, contracts = parser.pragmas.rounding.at(at), parser.pragmas.contraction.at(at)
    if operator.endswith("=") and operator not in COMPARISONS:
        compound = _compound(parser, start, type_, operator[:-1], left, right, mode, contracts)
        if isinstance(compound, tree.CompoundAssignment):
            compound.operator_at = at
        return compound
    if operator in ("&&", "||") and not isinstance(type_, Vector):
        return tree.Logical(start, type_, operator, left, right)
    if operator in ("+", "-") and isinstance(type_, Pointer):
        if isinstance(right.type, Pointer):
            left, right = right, left
        return tree.PointerStep(start, type_, left, right, 1 if operator == "+" else -1)
    if operator == "-" and isinstance(left.type, Pointer):
        return tree.PointerDifference(start, type_, left, right)
    return tree.Binary(start, type_, operator, left, right, mode, contracts, at)


def place_between(parser: Parser, left: Cursor, right: Cursor) -> int:
    """Return the place of a binary operator."""
    at, end = parser.whole_extent(left)[1], parser.start(right)
    for line in parser.text[at:end].split(b"\n"):
        if line.strip() and not line.lstrip().startswith(b"#"):
            return at + len(line) - len(line.lstrip())
        at += len(line) + 1
    return end


def _compound(
    parser: Parser,
    at: int,
    type_: Type,
    operator: str,
    target: tree.Expression,
    value: tree.Expression,
    mode: tree.Mode,
    on: bool,
) -> tree.Expression:
    if isinstance(type_, Pointer):
        step = tree.PointerStep(at, type_, target, value, 1 if operator == "+" else -1)
        return tree.Assignment(at, type_, target, step)
    if operator in ("<<", ">>"):
        computed = types.promote(type_) if isinstance(type_, Scalar) else type_
    else:
        computed = types.common_type(target.type, value.type)
        value = convert(parser, value, computed, value.at)
    return tree.CompoundAssignment(at, type_, operator, target, value, computed, mode, on)


MAKERS: Makers = {
    Kind.CONDITIONAL_OPERATOR: conditional,
    Kind.UNARY_OPERATOR: _unary,
    Kind.BINARY_OPERATOR: _binary,
    Kind.COMPOUND_ASSIGNMENT_OPERATOR: _binary,
}
