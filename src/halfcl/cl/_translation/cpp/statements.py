"""Statements, functions and the whole text in C++."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.calls import calls_of, reachable_functions
from halfcl.cl._frontend.errors import BuildError
from halfcl.cl._frontend.flow.jumps import lower_jumps
from halfcl.cl._frontend.source import Source
from halfcl.cl._frontend.types import Array, Pointer, Record, Type
from halfcl.cl._translation.cpp.calls import GRID_FUNCTIONS
from halfcl.cl._translation.cpp.comments import Comments
from halfcl.cl._translation.cpp.expressions import Writer, without_parentheses
from halfcl.cl._translation.cpp.initializers import overlapping
from halfcl.cl._translation.cpp.naming import has_gaps, is_image, opaque
from halfcl.cl._translation.numbers.constants import CHOICES
from halfcl.cl._translation.result import FloatFunctions, Translation, note_of
from halfcl.cl._translation.sub_groups import check as check_sub_groups, uses_sub_groups
from halfcl.cl._translation.target import Fusing
from halfcl.cl._translation.texts.sub_groups import HALF_OPERATIONS
from halfcl.device._source.declarations import prelude
from halfcl.device._source.dialects import Dialect, ProgramWords
from halfcl.device._source.text import source as device_source
from halfcl.typing import RoundingMode

_MODE = """\
/* The rounding mode that a launch begins with: -DHC_MODE=rtp and so on. */
#ifndef HC_MODE
#define HC_MODE rte
#endif"""

#: The offset that represents a null pointer to local memory.
NOWHERE = 0xFFFFFFFF

_INDENT = "    "

#: Calls, which a constant table must not contain.
_CALL = re.compile(r"\b(hcl?_\w+|HC_IN)[(<](?!choose,)|\[&\]")


def cpp_text(
    source: Source, dialect: Dialect, contract: Fusing, rounding: RoundingMode | None,
    float_functions: FloatFunctions = "exact",
) -> Translation:  # fmt: skip
    """Return the translation of a parsed source; raise BuildError for what is not translated."""
    words = dialect.program
    assert words is not None
    text = _Text(source, words, contract, rounding, float_functions)
    body = text.whole()
    if text.write.sub_group_users:
        text.write.functions |= set(HALF_OPERATIONS.values())  # templates refer to them
    if text.write.refused:
        raise BuildError(sorted(text.write.refused, key=_order))
    files = [*words.preludes, *(f for w, fs in words.optional.items() if w in body for f in fs)]
    functions = device_source(dialect, sorted(text.write.functions))
    calls = sorted(text.write.device_calls, key=_order)
    parts = [*note_of(calls), functions, words.head, *map(prelude, files)]
    if "HC_MODE" in body:
        parts.append(_MODE)
    if "HC_IN(choose," in body:
        parts.append(CHOICES)
    if "hc_local" in body:
        parts.append(words.local)
    return Translation("\n".join([*parts, "", body]), tuple(dict.fromkeys(calls)))


def _order(diagnostic: Any) -> tuple[int, int]:
    place = diagnostic.location
    return (place.line, place.column) if place else (0, 0)


class _Text:
    """The text of one program."""

    def __init__(
        self, source: Source, words: ProgramWords, contract: Fusing, rounding: RoundingMode | None,
        float_functions: FloatFunctions,
    ) -> None:  # fmt: skip
        self._tree, self._words = lower_jumps(source.tree), words
        self.write = Writer(contract, rounding, source.text.place_of, words, float_functions)
        self.write.write_statements = self._lines_of
        self._comments = Comments(source)
        self._lines: list[str] = []
        self._depth = 0
        self._declared_before: set[int] = set()  # variables declared before their statement

    # ------------------------------------------------------------ the whole

    def whole(self) -> str:
        functions = [f for f in self._tree.functions.values() if f.body is not None]
        self.write.grid_users |= {id(f) for f in functions if _asks_for_grid(f)}
        self.write.sub_group_users |= {id(f) for f in functions if uses_sub_groups(f)}
        for function in functions:
            for call in calls_of(function):
                if call.function.is_kernel:
                    self.write.names.call_kernel(call.function)
            self._check(function)
        self.write.names.declare_all([*self._tree.constants, *_nodes_in(functions)])
        for declaration in self._tree.constants:
            self._constant(declaration)
        for function in functions:
            if not function.is_kernel or self.write.names.is_called(function):
                self._line(f"{self._head(function, False)};")
        for function in functions:
            for declaration in _constants_in(function):
                self.write.names.move(declaration, function.name)
                self._constant(declaration)
        for function in functions:
            self._function(function, function.is_kernel)
            if function.is_kernel and self.write.names.is_called(function):
                self._function(function, False)
        self._line(self._comments.rest())
        written = "\n".join([*self.write.names.definitions, *self._lines])
        return f"namespace cl {{\n{written}\n}} // namespace cl\n"

    def _check(self, function: tree.Function) -> None:
        """Refuse declarations that C++ does not support."""
        assert function.body is not None
        if function.is_kernel and id(function) in self.write.sub_group_users:
            check_sub_groups(self.write, function)
        for node in _nodes_in([function]):
            type_ = getattr(node, "type", None)
            if type_ is None:
                continue
            if what := opaque(type_):
                self.write.refuse(node, f"{what}")
            record = _record_in(type_)
            if record is not None and has_gaps(record):
                why = f"the struct {record.name}, whose members an attribute aligns"
                self.write.refuse(node, why)

    # ------------------------------------------------------------ lines

    def _line(self, text: str) -> None:
        if text:
            pad = _INDENT * self._depth
            self._lines += [pad + line if line else line for line in text.split("\n")]

    def _comment(self, node: tree.Node) -> None:
        """Write the comments at or before a statement in the source."""
        for line in self._comments.before(node.at):
            self._line(line)

    # ------------------------------------------------------------ declarations

    def _constant(self, declaration: tree.Declaration) -> None:
        """Write a table, which is constant before a kernel runs."""
        self._comment(declaration)
        write, initial = self.write, declaration.initial
        is_constant = declaration.space == "constant"
        if initial is None and is_constant:
            return
        word = self._words.table if is_constant else self._words.variable
        name = write.names.declare(declaration.type, write.names.variable(declaration))
        write.is_static = True
        text = write.braces(initial) if initial is not None else "{}"
        write.is_static = False
        if _CALL.search(text):
            write.refuse(declaration, "a constant variable whose value must be computed")
        self._line(f"{word} {name.removeprefix('const ')} = {text};")

    def _head(self, function: tree.Function, is_kernel: bool) -> str:
        """Return a function's first line; a kernel gets pointers to local memory as offsets.

        is_kernel: False also for the copy of a kernel that others call.
        """
        names = self.write.names
        parameters = []
        for parameter in function.parameters:
            name = names.variable(parameter)
            if is_kernel and _is_local(parameter.type):
                parameters.append(f"unsigned int hc_place_of_{name}")
            else:
                is_shared = not is_kernel and is_image(parameter.type)
                parameters.append(names.declare(parameter.type, f"{'&' * is_shared}{name}"))
        has_sub_groups = id(function) in self.write.sub_group_users
        if not is_kernel:
            if has_sub_groups:
                parameters[:0] = ["unsigned char *hc_slots", "hc_uint hc_lanes"]
            if id(function) in self.write.grid_users:
                parameters.insert(0, "const hc_grid &hc_work")
            result = names.declare(function.result, names.call_name(function))
            return f"{self._words.function} {result}({', '.join(parameters)})"
        bounds = ""
        if size := function.required_size:
            bounds = self._words.bounds.format(items=size[0] * size[1] * size[2])
        if has_sub_groups:
            parameters += ["unsigned int hc_place_of_slots", "hc_uint hc_lanes"]
        parameters.append("hc_grid hc_work = {}")
        shown = f"void {bounds}{names.function(function)}"
        return f"{self._words.kernel} {shown}({', '.join(parameters)})"

    def _function(self, function: tree.Function, is_kernel: bool) -> None:
        assert function.body is not None
        self._lines.append("")
        self._comment(function)
        self._line(f"{self._head(function, is_kernel)}\n{{")
        self._depth += 1
        if is_kernel:
            self._line("if (hcl_is_outside(hc_work))\n    return;")
            for parameter in function.parameters:
                if _is_local(parameter.type):
                    self._local_parameter(parameter)
            if id(function) in self.write.sub_group_users:
                self._line("unsigned char *hc_slots = hc_local + hc_place_of_slots;")
        self._all(function.body.statements)
        self._depth -= 1
        self._line("}")

    def _local_parameter(self, parameter: tree.Declaration) -> None:
        names = self.write.names
        name, type_ = names.variable(parameter), names.type(parameter.type)
        place = f"hc_place_of_{name}"
        self._line(
            f"{names.declare(parameter.type, name)} = "
            f"{place} == 0x{NOWHERE:x}u ? nullptr : ({type_})(hc_local + {place});"
        )

    # ------------------------------------------------------------ statements

    def _all(self, statements: list[tree.Node]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: tree.Node) -> None:
        self._comment(node)
        _MAKERS[type(node)](self, node)

    def _within(self, node: tree.Node) -> None:
        """Write a statement's body between braces that the caller writes."""
        self._depth += 1
        self._all(node.statements if isinstance(node, tree.Block) else [node])
        self._depth -= 1

    def _lines_of(self, node: tree.Block) -> list[str]:
        """Return the lines of a block that stands in an expression."""
        before, self._lines = self._lines, []
        depth, self._depth = self._depth, 1
        self._all(node.statements)
        lines, self._lines, self._depth = self._lines, before, depth
        return lines

    def block(self, node: tree.Block) -> None:
        if node.statements:
            self._line("{")
            self._within(node)
            self._line("}")

    def declare(self, node: tree.Declare) -> None:
        for variable in node.variables:
            if variable.space in ("constant", "global"):
                continue
            if id(variable) in self._declared_before:
                self._assign_initial(variable)
                continue
            text = self._declare_variable(variable)
            shared = f"{self._words.shared} " if variable.space == "local" else ""
            self._line(f"{shared}{text};")
            for line in self._assignments(variable):
                self._line(line)

    def _declare_variable(self, variable: tree.Declaration) -> str:
        names = self.write.names
        text = names.declare(variable.type, names.variable(variable))
        initial = variable.initial
        if initial is None:
            return text
        if self._is_assigned(variable):
            return f"{text} = {{}}"
        is_whole = isinstance(initial, tree.InitialValues | tree.Text)
        value = self.write.braces(initial) if is_whole else self.write.bare(initial)
        return f"{text} = {value}"

    def _is_assigned(self, variable: tree.Declaration) -> bool:
        """Return whether it is an array of which a value replaces a part of another."""
        initial = variable.initial
        is_array = isinstance(initial, tree.InitialValues) and isinstance(variable.type, Array)
        return is_array and overlapping(initial.parts) is not None  # type: ignore[union-attr]

    def _assignments(self, variable: tree.Declaration) -> list[str]:
        """Return the statements that assign the parts of an array, if braces cannot."""
        if not self._is_assigned(variable):
            return []
        assert isinstance(variable.initial, tree.InitialValues)
        name = self.write.names.variable(variable)
        return self.write.assignments(name, variable.type, 0, variable.initial.parts)

    def _assign_initial(self, variable: tree.Declaration) -> None:
        """Give a variable that is declared before its initial value."""
        if variable.initial is None:
            return
        if lines := self._assignments(variable):
            self._line("\n".join(lines))
            return
        name = self.write.names.variable(variable)
        copy = self.write.names.declare(variable.type, "hc_initial")
        is_whole = isinstance(variable.initial, tree.InitialValues | tree.Text)
        initial = (
            self.write.braces(variable.initial) if is_whole else self.write.bare(variable.initial)
        )
        is_array = isinstance(variable.type, Array)
        text = f"hcl_assign({name}, hc_initial)" if is_array else f"{name} = hc_initial"
        self._line(f"{{ {copy} = {initial}; {text}; }}")

    def evaluate(self, node: tree.Evaluate) -> None:
        expression = node.expression
        text = without_parentheses(self.write.discard(expression))
        self._line(f"{text};")

    def choose(self, node: tree.If) -> None:
        word = "if"
        for condition, body in node.branches:
            self._line(f"{word} ({self._condition(condition)}) {{")
            self._within(body)
            word = "} else if"
        if node.otherwise is not None:
            self._line("} else {")
            self._within(node.otherwise)
        self._line("}")

    def _condition(self, node: tree.Expression) -> str:
        return without_parentheses(self.write.truth(node))

    def loop(self, node: tree.Loop) -> None:
        if node.checks_last:
            self._line("do {")
            self._within(node.body)
            assert node.condition is not None
            self._line(f"}} while ({self._condition(node.condition)});")
            return
        condition = self._condition(node.condition) if node.condition is not None else ""
        if node.start is None and node.step is None:
            self._line(f"while ({condition or 'true'}) {{")
            self._within(node.body)
            self._line("}")
            return
        start, is_outside = self._start(node.start)
        step = without_parentheses(self.write.discard(node.step)) if node.step is not None else ""
        self._line(f"for ({start}; {condition}; {step}) {{".replace("; ;", ";;"))
        self._within(node.body)
        self._line("}")
        if is_outside:
            self._depth -= 1
            self._line("}")

    def _start(self, start: tree.Node | None) -> tuple[str, bool]:
        """Return the start of a for loop, and whether it was written before it in outer braces."""
        variables = start.variables if isinstance(start, tree.Declare) else []
        if len(variables) == 1 and not self._is_assigned(variables[0]):
            return self._declare_variable(variables[0]), False
        if isinstance(start, tree.Evaluate):
            return without_parentheses(self.write.discard(start.expression)), False
        if start is None:
            return "", False
        self._line("{")
        self._depth += 1
        self.statement(start)
        return "", True

    def switch(self, node: tree.Switch) -> None:
        """Write a switch, with sections in braces since C++ forbids jumps past initializers.

        Variables that several sections use are declared before it.
        """
        own = {id(v) for section in node.sections for v in _variables(section)}
        own -= _shared_variables(node)
        outside = [v for v in node.variables if id(v) not in own]
        value = self.write.bare(node.value)
        if outside:
            self._line("{")
            self._depth += 1
            self._line(f"auto hc_choice = {value};")
            self._declare_before(outside)
            value = "hc_choice"
        self._line(f"switch ({value}) {{")
        for section in node.sections:
            for number in section.values:
                shown = self.write(tree.Literal(section.at, node.value.type, number))
                self._line(f"case {shown}:")
            if section.is_default:
                self._line("default:")
            self._line("{")
            self._depth += 1
            self._all(section.statements)
            self._depth -= 1
            self._line("}")
        self._line("}")
        if outside:
            self._depth -= 1
            self._line("}")

    def _declare_before(self, variables: list[tree.Declaration]) -> None:
        """Declare variables whose initial values, if they have any, are assigned later."""
        names = self.write.names
        for variable in variables:
            if variable.space in ("constant", "global"):
                continue
            self._declared_before.add(id(variable))
            shared = f"{self._words.shared} " if variable.space == "local" else ""
            self._line(f"{shared}{names.declare(variable.type, names.variable(variable))};")

    def leave(self, node: tree.Return) -> None:
        value = self.write.bare(node.value) if node.value is not None else ""
        self._line(f"return {value};" if value else "return;")


def _asks_for_grid(function: tree.Function) -> bool:
    return any(
        isinstance(node, tree.BuiltinCall) and node.name in GRID_FUNCTIONS
        for each in reachable_functions(function, [])
        if each.body is not None
        for node in tree.walk(each.body)
    )


def _constants_in(function: tree.Function) -> Iterator[tree.Declaration]:
    assert function.body is not None
    for node in tree.walk(function.body):
        if isinstance(node, tree.Declare):
            yield from (v for v in node.variables if v.space in ("constant", "global"))


def _variables(section: tree.Section) -> list[tree.Declaration]:
    """Return the section's own variables, without those of inner blocks."""
    return [v for s in section.statements if isinstance(s, tree.Declare) for v in s.variables]


def _shared_variables(node: tree.Switch) -> set[int]:
    """Return the variables of sections that other sections use."""
    shared: set[int] = set()
    for section in node.sections:
        own = {id(v) for v in _variables(section)}
        for other in node.sections:
            if own and other is not section:
                used = (n for n in tree.walk(other) if isinstance(n, tree.Variable))
                shared |= own & {id(n.declaration) for n in used}
    return shared


def _is_local(type_: Type) -> bool:
    return isinstance(type_, Pointer) and type_.space == "local"


def _nodes_in(functions: list[tree.Function]) -> Iterator[tree.Node]:
    """Yield functions with bodies, their parameters, and all nodes and variables in them."""
    for function in functions:
        assert function.body is not None
        yield from (function, *function.parameters)
        for node in tree.walk(function.body):
            yield node
            if isinstance(node, tree.Declare):
                yield from node.variables


def _record_in(type_: Type) -> Record | None:
    while isinstance(type_, Pointer | Array):
        type_ = type_.pointee if isinstance(type_, Pointer) else type_.element
    return type_ if isinstance(type_, Record) else None


_MAKERS: dict[type, Callable[[_Text, Any], None]] = {
    tree.Block: _Text.block,
    tree.Declare: _Text.declare,
    tree.Evaluate: _Text.evaluate,
    tree.If: _Text.choose,
    tree.Loop: _Text.loop,
    tree.Switch: _Text.switch,
    tree.Break: lambda text, node: text._line("break;"),
    tree.Continue: lambda text, node: text._line("continue;"),
    tree.Return: _Text.leave,
}

__all__ = ["NOWHERE", "cpp_text"]
