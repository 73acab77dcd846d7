"""Conversion of functions, variables and statements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from clang.cindex import Cursor, CursorKind as Kind, StorageClass

from halfcl.cl._frontend import calls, tree, types
from halfcl.cl._frontend.attributes import (
    EXPECTED_SUB_GROUP,
    PARENTHESES,
    SUB_GROUP_ATTRIBUTE,
    SUB_GROUP_SIZES,
)
from halfcl.cl._frontend.guards.nesting import LARGEST_VARIABLE
from halfcl.cl._frontend.parsing.clang_types import ACCESS, space_of
from halfcl.cl._frontend.parsing.initializers import convert_initializer
from halfcl.cl._frontend.parsing.library import PROGRAM, library, value_of
from halfcl.cl._frontend.parsing.parser import Makers, Parser
from halfcl.cl._frontend.preprocessing.conditions import integer_constant
from halfcl.cl._frontend.types import Array, Pointer, Record, Type

_REQUIRED_SIZE = re.compile(rf"reqd_work_group_size(?:__)?\s*\(({PARENTHESES})\)")
_WAVES = {'"full"': 128, '"half"': 64}
_DEFINING = (Kind.VAR_DECL, Kind.FUNCTION_DECL)


# ---------------------------------------------------------------- declarations


def program(parser: Parser, is_linked: bool) -> tree.Program:
    """Convert the whole text. is_linked: whether functions may lack a body."""
    constants, bodies = [], dict[int, tuple[tree.Function, Cursor]]()
    for cursor in parser.unit.cursor.get_children():
        if cursor.kind not in _DEFINING:
            continue  # declarations.h has many types, whose places take long to ask for
        place = cursor.location
        if place.file is None or place.file.name != PROGRAM:
            continue
        if cursor.kind == Kind.VAR_DECL:
            constants.append(_variable(parser, cursor))
            if constants[-1].initial is None and constants[-1].space == "constant":
                parser.refuse(place.offset, f"constant {cursor.spelling} has no value")
        elif cursor.kind == Kind.FUNCTION_DECL:
            function = _function(parser, cursor)
            _read_attributes(parser, function, cursor)
            if cursor.is_definition():
                bodies[id(function)] = function, cursor
    # Functions run only if kernels call them, and a header may have thousands of lines of others.
    # Other programs, with which this one is linked, may call all.
    functions = [function for function, _ in bodies.values()]
    needed = [function for function in functions if function.is_kernel and not is_linked]
    for function in needed or functions:
        _define_with_callees(parser, function, bodies)
    for function, cursor in bodies.values():
        function.unused_body = _extent_of_body(parser, cursor)
    for at, message in calls.refusals(parser.functions.values(), is_linked):
        parser.refuse(at, message)
    return tree.Program(parser.functions, parser.source.place_of, constants)


def _function(parser: Parser, cursor: Cursor) -> tree.Function:
    key = cursor.get_usr()
    if key not in parser.functions:
        result = parser.type_for(cursor, cursor.result_type)
        parser.functions[key] = tree.Function(
            parser.start(cursor), cursor.spelling, result, [], is_kernel=False
        )
    return parser.functions[key]


def _read_attributes(parser: Parser, function: tree.Function, cursor: Cursor) -> None:
    """Note what one of a function's declarations says of it."""
    start, end = parser.extent(cursor)
    front = parser.text[start:end].split(b"{")[0].decode()
    function.is_kernel |= re.search(r"\b(__)?kernel\b", front) is not None
    if size := _REQUIRED_SIZE.search(front):
        function.required_size = required_size(parser, start, size[1].split(","))
    if SUB_GROUP_ATTRIBUTE.search(front):
        function.sub_group_size = _sub_group_size(parser, start, front)


def required_size(parser: Parser, at: int, numbers: list[str]) -> tuple[int, int, int] | None:
    """Evaluate the constant expressions of an attribute, which libclang does not expose."""
    x, y, z = (integer_constant(number) for number in numbers)
    if x is not None and y is not None and z is not None:
        return x, y, z
    parser.refuse(at, f"not supported: reqd_work_group_size({','.join(numbers)})")
    return None


def _sub_group_size(parser: Parser, at: int, front: str) -> int | None:
    """Return the size set by an attribute of Intel's or of Qualcomm's, or None.

    Qualcomm's waves have 128 work-items, or half of that.
    """
    attribute = SUB_GROUP_ATTRIBUTE.search(front)
    if attribute is None:
        return None
    size = _WAVES.get(attribute[1].strip()) or integer_constant(attribute[1])
    if size in SUB_GROUP_SIZES:
        return size
    parser.refuse(at, f"not supported: {attribute[0]}: expected {EXPECTED_SUB_GROUP}")
    return None


def _define_with_callees(
    parser: Parser, function: tree.Function, bodies: dict[int, tuple[tree.Function, Cursor]]
) -> None:
    """Convert a function and those that it calls, each once."""
    waiting = [function]
    while waiting:
        definition = bodies.pop(id(waiting.pop()), None)
        if definition is not None:
            _define(parser, *definition)
            waiting += [call.function for call in calls.calls_of(definition[0])]


def _define(parser: Parser, function: tree.Function, cursor: Cursor) -> None:
    for child in cursor.get_children():
        if child.kind == Kind.PARM_DECL:
            parameter = _variable(parser, child)
            _decay(parameter, child)
            parameter.is_parameter = True
            function.parameters.append(parameter)
        elif child.kind == Kind.COMPOUND_STMT:
            with parser.names_of(child):
                function.body = _block(parser, child)


def _extent_of_body(parser: Parser, cursor: Cursor) -> tuple[int, int] | None:
    bodies = [child for child in cursor.get_children() if child.kind == Kind.COMPOUND_STMT]
    return parser.extent(bodies[-1]) if bodies else None


def _decay(parameter: tree.Declaration, cursor: Cursor) -> None:
    """Turn an array parameter into a pointer, which clang's interface hides."""
    if isinstance(parameter.type, Array):
        is_const = cursor.type.get_canonical().get_array_element_type().is_const_qualified()
        parameter.type = Pointer(parameter.type.element, parameter.space, is_const)
        parameter.in_memory = False


def _variable(parser: Parser, cursor: Cursor) -> tree.Declaration:
    space = space_of(cursor.type)
    declaration = tree.Declaration(
        cursor.location.offset, cursor.spelling, parser.type(cursor), space
    )
    if declaration.type.size > LARGEST_VARIABLE:
        why = f"not supported: a variable of more than {LARGEST_VARIABLE:,} bytes"
        parser.refuse(declaration.at, why)
        declaration.type = types.INT
    if cursor.kind == Kind.VAR_DECL and space == "global":
        _check_program_variable(parser, cursor, declaration)
    if isinstance(declaration.type, Array | Record) or space in ("local", "global"):
        declaration.in_memory = True
    if access := ACCESS.search(cursor.type.spelling):
        declaration.access = access[1]
    parser.variables[cursor.hash] = declaration
    value = library().clang_Cursor_getVarDeclInitializer(cursor)
    if cursor.kind == Kind.VAR_DECL and value and not value.kind.is_invalid():
        value._tu = parser.unit
        declaration.initial = convert_initializer(parser, value, declaration.type)
    return declaration


def _check_program_variable(parser: Parser, cursor: Cursor, declaration: tree.Declaration) -> None:
    """Refuse variables in global memory that are not OpenCL C 2.0's, or that outlive buffers."""
    if cursor.storage_class == StorageClass.EXTERN and not cursor.is_definition():
        parser.refuse(declaration.at, f"variable {cursor.spelling} has no definition")
    if _has_pointer(declaration.type):
        why = "a pointer in a variable of program scope, which outlives what it points to"
        parser.refuse(declaration.at, f"not supported: {why}")


def _has_pointer(type_: Type) -> bool:
    if isinstance(type_, Array):
        return _has_pointer(type_.element)
    if isinstance(type_, Record):
        return any(_has_pointer(field.type) for field in type_.fields.values())
    return isinstance(type_, Pointer)


# ---------------------------------------------------------------- statements


def _block(parser: Parser, cursor: Cursor) -> tree.Block:
    return tree.Block(parser.start(cursor), [_statement(parser, c) for c in cursor.get_children()])


def _statement(parser: Parser, cursor: Cursor) -> tree.Node:
    make = _STATEMENTS.get(cursor.kind)
    if make:
        return parser.convert_nested(make, cursor)
    if cursor.kind.is_expression():
        return tree.Evaluate(parser.start(cursor), parser.expression(cursor))
    if cursor.kind != Kind.NULL_STMT:
        children = list(cursor.get_children())
        if cursor.kind not in _REFUSED and len(children) == 1:  # attributes and labels
            return _statement(parser, children[0])
        parser.refuse(parser.start(cursor), _REFUSED.get(cursor.kind, "not supported here"))
    return tree.Block(parser.start(cursor), [])


def statement_expression(parser: Parser, cursor: Cursor) -> tree.Expression:
    """Convert ({ ... }), whose value is that of its last statement."""
    (block,) = cursor.get_children()
    statements = list(block.get_children())
    last = statements.pop() if statements else None
    at, type_ = parser.start(cursor), parser.type(cursor)
    has_value = last is not None and last.kind.is_expression() and type_ != types.VOID
    if last is not None and not has_value:
        statements.append(last)
    body = tree.Block(parser.start(block), [_statement(parser, each) for each in statements])
    value = parser.expression(last) if has_value and last is not None else None
    return tree.StatementExpression(at, type_, body, value)


def _declare(parser: Parser, cursor: Cursor) -> tree.Node:
    variables = [_variable(parser, c) for c in cursor.get_children() if c.kind == Kind.VAR_DECL]
    return tree.Declare(parser.start(cursor), variables)


def choose(parser: Parser, cursor: Cursor) -> tree.Node:
    """Convert an if with all its else-if branches."""
    result = tree.If(parser.start(cursor), [], None)
    while True:
        condition, yes, *no = cursor.get_children()
        result.branches.append((parser.expression(condition), _statement(parser, yes)))
        if not no:
            return result
        cursor = _without_braces(no[0])
        if cursor.kind != Kind.IF_STMT:
            result.otherwise = _statement(parser, cursor)
            return result


def _without_braces(cursor: Cursor) -> Cursor:
    """Return the if that is the only statement of a block, or the block."""
    inner = cursor
    while inner.kind == Kind.COMPOUND_STMT:
        children = list(inner.get_children())
        if len(children) != 1:
            return cursor
        inner = children[0]
    return inner if inner.kind == Kind.IF_STMT else cursor


def _while_loop(parser: Parser, cursor: Cursor) -> tree.Node:
    condition, body = cursor.get_children()
    return tree.Loop(
        parser.start(cursor), None, parser.expression(condition), None, _statement(parser, body)
    )


def _do_loop(parser: Parser, cursor: Cursor) -> tree.Node:
    body, condition = cursor.get_children()
    body_ = _statement(parser, body)
    return tree.Loop(parser.start(cursor), None, parser.expression(condition), None, body_, True)


def for_loop(parser: Parser, cursor: Cursor) -> tree.Node:
    """Convert a for loop; semicolons show which parts clang has left out."""
    *parts, body = cursor.get_children()
    at, semicolons = parser.start(cursor), 0
    clauses: list[Any] = [None, None, None]
    for part in parts:
        start, end = parser.extent(part)
        semicolons += parser.text[at:start].count(b";")
        clauses[semicolons] = part
        at = end
        semicolons += parser.text[start:end].endswith(b";")
    start_part, condition, step = clauses
    return tree.Loop(
        parser.start(cursor),
        _statement(parser, start_part) if start_part else None,
        parser.expression(condition) if condition else None,
        parser.expression(step) if step else None,
        _statement(parser, body),
    )


def _switch(parser: Parser, cursor: Cursor) -> tree.Node:
    value, body = cursor.get_children()
    switch = tree.Switch(parser.start(cursor), parser.expression(value), [])
    before: list[tree.Node] = []
    for child in body.get_children() if body.kind == Kind.COMPOUND_STMT else [body]:
        labels, is_default, child = _unwrap_labels(parser, child)
        if labels or is_default:
            switch.sections.append(tree.Section(parser.start(child), labels, is_default, []))
        statement = _statement(parser, child)
        if switch.sections:
            switch.sections[-1].statements.append(statement)
        elif isinstance(statement, tree.Declare):
            before.append(statement)  # other statements there are unreachable
    for part in (*before, *(s for section in switch.sections for s in section.statements)):
        if isinstance(part, tree.Declare):
            switch.variables += part.variables
    return switch


def _unwrap_labels(parser: Parser, child: Cursor) -> tuple[list[int], bool, Cursor]:
    """Return the values of a statement's labels, whether it is the default, and the statement."""
    labels: list[int] = []
    is_default = False
    while child.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
        *values, inner = child.get_children()
        if len(values) > 1:
            parser.refuse(parser.start(child), "ranges of labels are not in OpenCL C")
        labels += [int(value_of(v) or 0) for v in values]
        is_default |= child.kind == Kind.DEFAULT_STMT
        child = inner
    return labels, is_default, child


def _leave(parser: Parser, cursor: Cursor) -> tree.Node:
    children = [parser.expression(c) for c in cursor.get_children()]
    return tree.Return(parser.start(cursor), children[0] if children else None)


MAKERS: Makers = {Kind.StmtExpr: statement_expression}

_REFUSED = {
    Kind.GOTO_STMT: "goto is not supported",
    Kind.INDIRECT_GOTO_STMT: "goto is not supported",
    Kind.ASM_STMT: "asm is not supported",
    Kind.CASE_STMT: "a label inside of a statement of a switch is not supported",
    Kind.DEFAULT_STMT: "a label inside of a statement of a switch is not supported",
}

_STATEMENTS: dict[Any, Callable[[Parser, Any], tree.Node]] = {
    Kind.COMPOUND_STMT: _block,
    Kind.DECL_STMT: _declare,
    Kind.IF_STMT: choose,
    Kind.WHILE_STMT: _while_loop,
    Kind.DO_STMT: _do_loop,
    Kind.FOR_STMT: for_loop,
    Kind.SWITCH_STMT: _switch,
    Kind.RETURN_STMT: _leave,
    Kind.BREAK_STMT: lambda parser, cursor: tree.Break(parser.start(cursor)),
    Kind.CONTINUE_STMT: lambda parser, cursor: tree.Continue(parser.start(cursor)),
}
