"""From text to tree: libclang parses and checks; what it found becomes halfcl.cl.tree."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from clang import cindex
from clang.cindex import CursorKind, TypeKind

from halfcl.cl import builtins, calls, header, tree, types
from halfcl.cl.builtins import printing
from halfcl.cl.errors import BuildError, Diagnostic
from halfcl.cl.nesting import DEEPEST
from halfcl.cl.options import Options
from halfcl.cl.pragmas import Pragmas
from halfcl.cl.preprocessing import Text, integer_constant
from halfcl.cl.types import Array, Opaque, Pointer, Record, Scalar, Type, Vector

_K = CursorKind
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PROGRAM = os.path.join(_FOLDER, "program.cl")
_HEADER = os.path.join(_FOLDER, "declarations.h")

#: By clang's numbers.
_BINARY = dict(
    enumerate("* / % + - << >> <=> < > <= >= == != & ^ | && || = *= /= %= += -= <<= >>=".split(), 3)
) | dict(enumerate("&= ^= |= ,".split(), 30))
_UNARY = dict(enumerate("x++ x-- ++x --x & * + - ~ !".split(), 1))

_ARGUMENTS = [
    "-x", "cl",
    "-target", "spir64-unknown-unknown",
    "-Xclang", "-fdeclare-opencl-builtins",
    "-cl-no-stdinc",  # else clang looks for a header of its own, even in the working directory
    "-include", _HEADER,
    "-ferror-limit=0",
    # Where address spaces have names, clang hides functions that take pointers without this.
    "-D__opencl_c_named_address_space_builtins=1",
    "-Wno-ignored-pragmas",
    "-Wno-unused-value",
]  # fmt: skip


@functools.cache
def _library() -> Any:
    """libclang, with functions that its Python package does not declare."""
    library = cindex.conf.lib
    for name in ("clang_getCursorBinaryOperatorKind", "clang_getCursorUnaryOperatorKind"):
        function = getattr(library, name)
        function.argtypes, function.restype = [cindex.Cursor], cindex.c_int
    initializer = library.clang_Cursor_getVarDeclInitializer
    initializer.argtypes, initializer.restype = [cindex.Cursor], cindex.Cursor
    evaluate = library.clang_Cursor_Evaluate
    evaluate.argtypes, evaluate.restype = [cindex.Cursor], cindex.c_void_p
    for name, result in {
        "getKind": cindex.c_int,
        "getAsLongLong": cindex.c_longlong,
        "getAsUnsigned": cindex.c_ulonglong,
        "isUnsignedInt": cindex.c_uint,
        "getAsDouble": cindex.c_double,
        "dispose": None,
    }.items():
        function = getattr(library, f"clang_EvalResult_{name}")
        function.argtypes, function.restype = [cindex.c_void_p], result
    return library


def _value_of(cursor: Any) -> int | float | None:
    """Of a constant expression; None of another one."""
    library = _library()
    result = library.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        kind = library.clang_EvalResult_getKind(result)
        if kind == 1:
            if library.clang_EvalResult_isUnsignedInt(result):
                return int(library.clang_EvalResult_getAsUnsigned(result))
            return int(library.clang_EvalResult_getAsLongLong(result))
        return float(library.clang_EvalResult_getAsDouble(result)) if kind == 2 else None
    finally:
        library.clang_EvalResult_dispose(result)


def parse(text: Text, pragmas: Pragmas, options: Options) -> tuple[tree.Program, list[Diagnostic]]:
    """The tree of a program that compiles, and warnings; of another one a BuildError."""
    _check_prefixes(text)
    arguments = [*_ARGUMENTS, f"-cl-std={options.standard}"]
    if options.single_precision_constants:
        arguments.append("-cl-single-precision-constant")
    files = [(_PROGRAM, text.text), (_HEADER, header.DECLARATIONS)]
    index = cindex.Index.create()
    unit = index.parse(_PROGRAM, args=arguments, unsaved_files=files)
    found = [*text.diagnostics, *pragmas.diagnostics, *_diagnostics(unit, text)]
    if options.warnings_are_errors:
        found = [Diagnostic(d.place, "error", d.message) for d in found]
    if any(d.severity == "error" for d in found):
        raise BuildError(found)
    parser = _Parser(unit, text, pragmas)
    program = parser.program()
    if parser.refused:
        raise BuildError([*found, *parser.refused])
    return program, [] if options.is_quiet else found


#: Strings, or operators and casts in front of each other.
_PREFIXES = re.compile(
    r'"(?:[^"\\]|\\.)*"|((?:(?:[-+!~*&]|\([\w\s*]+\))\s*)' + f"{{{2 * DEEPEST}}})"
)


def _check_prefixes(text: Text) -> None:
    """Thousands of them are too many for clang's stack."""
    for found in _PREFIXES.finditer(text.text):
        if found[1]:
            place = text.place_of(len(text.text[: found.start()].encode()))
            raise BuildError([Diagnostic(place, "error", "not supported: nested too deeply")])


def _diagnostics(unit: Any, text: Text) -> Iterator[Diagnostic]:
    for found in unit.diagnostics:
        severity = "error" if found.severity >= cindex.Diagnostic.Error else "warning"
        yield Diagnostic(text.place_of(found.location.offset), severity, found.spelling)


# ---------------------------------------------------------------- types

_QUALIFIERS = re.compile(
    r"\b(const|volatile|restrict|__private|__local|__global|__constant|__generic"
    r"|__read_only|__write_only|__read_write|struct|union|enum|__restrict)\b"
)
_VECTOR = re.compile(r"(.+?) __attribute__\(\(ext_vector_type\((\d+)\)\)\)")
_SPACE = re.compile(r"__(private|local|global|constant|generic)\b")
_ACCESS = re.compile(r"__(read_only|write_only|read_write)\b")
_C_NAMES = {
    "_Bool": "bool",
    "unsigned char": "uchar",
    "unsigned short": "ushort",
    "unsigned int": "uint",
    "unsigned long": "ulong",
}


_OPAQUE = ("void", "event_t", "sampler_t")


class _Types:
    """clang's types as ours."""

    def __init__(self, refuse: Callable[[str], None]) -> None:
        self._by_spelling: dict[str, Type] = {}
        self._records: dict[int, Record] = {}
        self._refuse = refuse

    def of(self, clang_type: Any) -> Type:
        spelling = clang_type.spelling
        found = self._by_spelling.get(spelling)
        if found is None:
            canonical = clang_type.get_canonical()
            found = self._made(canonical, canonical.spelling)
            if not isinstance(found, Record):  # their names may be another's elsewhere
                self._by_spelling[spelling] = found
        return found

    def _made(self, canonical: Any, spelling: str) -> Type:
        kind = canonical.kind
        if kind == TypeKind.POINTER:
            pointee = canonical.get_pointee()
            if pointee.get_canonical().kind == TypeKind.FUNCTIONPROTO:
                return types.VOID
            return Pointer(self.of(pointee), space_of(pointee), pointee.is_const_qualified())
        if kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            return Array(self.of(canonical.element_type), max(canonical.element_count, 0))
        if kind == TypeKind.RECORD:
            return self._record(canonical)
        if kind == TypeKind.ENUM:
            return self.of(canonical.get_declaration().enum_type)
        name = " ".join(_QUALIFIERS.sub("", spelling).split())
        if vector := _VECTOR.fullmatch(name):
            if int(vector[2]) not in types.WIDTHS:
                self._refuse(f"{name}: not a vector of OpenCL C")
            return Vector(self._scalar(vector[1]), int(vector[2]))
        if name in types.SCALARS or name in _C_NAMES:
            return self._scalar(name)
        if name not in _OPAQUE and not name.startswith("image"):
            self._refuse(f"type {name} is not supported")
        return Opaque(name)

    @staticmethod
    def _scalar(name: str) -> Scalar:
        return types.SCALARS[_C_NAMES.get(name, name)]

    def _record(self, canonical: Any) -> Record:
        declaration = canonical.get_declaration()
        key = declaration.hash
        if key not in self._records:
            name, is_union = declaration.spelling, declaration.kind == _K.UNION_DECL
            record = Record(name, canonical.get_size(), canonical.get_align(), {}, is_union)
            self._records[key] = record
            for member in canonical.get_fields():
                if member.is_bitfield():
                    self._refuse(f"bit-field {member.spelling} of {name}: not in OpenCL C")
                # Members without a name have one here that no source can have.
                is_named = not (member.is_anonymous() or member.spelling[:1] in ("", "("))
                field_name = member.spelling if is_named else f"({len(record.fields)})"
                offset = member.get_field_offsetof() // 8
                record.fields[field_name] = types.Field(field_name, self.of(member.type), offset)
        return self._records[key]


def space_of(clang_type: Any) -> str:
    """The address space that a type names; private if none."""
    match = _SPACE.search(clang_type.spelling.split("*")[-1])
    return match[1] if match else "private"


_PARENTHESES = r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*"
_REQUIRED_SIZE = re.compile(rf"reqd_work_group_size(?:__)?\s*\(({_PARENTHESES})\)")

# ---------------------------------------------------------------- the tree


class _Parser:
    def __init__(self, unit: Any, text: Text, pragmas: Pragmas) -> None:
        self.unit, self.pragmas, self.source = unit, pragmas, text
        self.text = text.text.encode()
        self.refused: list[Diagnostic] = []
        self.types = _Types(lambda message: self.refuse(self.start(self.typed), message))
        self.typed: Any = None  # the cursor whose type is asked for
        self.functions: dict[str, tree.Function] = {}
        self.variables: dict[int, tree.Declaration] = {}
        self.library = _library()
        self.depth = 0

    def nested(self, make: Callable[[_Parser, Any], Any], cursor: Any) -> Any:
        """A statement or an expression in those around it."""
        if self.depth == DEEPEST:
            place = self.source.place_of(self.start(cursor))
            raise BuildError([Diagnostic(place, "error", "not supported: nested too deeply")])
        self.depth += 1
        found = make(self, cursor)
        self.depth -= 1
        return found

    def refuse(self, at: int, message: str) -> None:
        self.refused.append(Diagnostic(self.source.place_of(at), "error", message))

    def type(self, cursor: Any) -> Any:
        self.typed = cursor
        return self.types.of(cursor.type)

    # ------------------------------------------------------------ declarations

    def program(self) -> tree.Program:
        constants, bodies = [], []
        for cursor in self.unit.cursor.get_children():
            place = cursor.location
            if place.file is None or place.file.name != _PROGRAM:
                continue
            if cursor.kind == _K.VAR_DECL:
                constants.append(self.variable(cursor))
                if constants[-1].initial is None:
                    self.refuse(place.offset, f"constant {cursor.spelling} has no value")
            elif cursor.kind == _K.FUNCTION_DECL:
                function = self.function(cursor)
                if cursor.is_definition():
                    bodies.append((function, cursor))
        for function, cursor in bodies:
            self.define(function, cursor)
        for at, message in calls.refusals(self.functions.values()):
            self.refuse(at, message)
        return tree.Program(self.functions, self.source.place_of, constants)

    def function(self, cursor: Any) -> tree.Function:
        key, self.typed = cursor.get_usr(), cursor
        if key not in self.functions:
            start, end = self.extent(cursor)
            front = self.text[start:end].split(b"{")[0].decode()
            size = _REQUIRED_SIZE.search(front)
            self.functions[key] = tree.Function(
                start,
                cursor.spelling,
                self.types.of(cursor.result_type),
                [],
                re.search(r"\b(__)?kernel\b", front) is not None,
                self.required_size(start, size[1].split(",")) if size else None,
            )
        return self.functions[key]

    def required_size(self, at: int, numbers: list[str]) -> tuple[int, int, int] | None:
        """Of constant expressions, which libclang does not tell of."""
        x, y, z = (integer_constant(number) for number in numbers)
        if x is not None and y is not None and z is not None:
            return x, y, z
        self.refuse(at, f"not supported: reqd_work_group_size({','.join(numbers)})")
        return None

    def define(self, function: tree.Function, cursor: Any) -> None:
        for child in cursor.get_children():
            if child.kind == _K.PARM_DECL:
                parameter = self.variable(child)
                parameter.is_parameter = True
                function.parameters.append(parameter)
            elif child.kind == _K.COMPOUND_STMT:
                function.body = self.block(child)

    def variable(self, cursor: Any) -> tree.Declaration:
        found = tree.Declaration(
            cursor.location.offset, cursor.spelling, self.type(cursor), space_of(cursor.type)
        )
        if isinstance(found.type, Array | Record) or found.space == "local":
            found.in_memory = True
        if access := _ACCESS.search(cursor.type.spelling):
            found.access = access[1]
        self.variables[cursor.hash] = found
        initial = self.library.clang_Cursor_getVarDeclInitializer(cursor)
        if cursor.kind == _K.VAR_DECL and initial and not initial.kind.is_invalid():
            initial._tu = self.unit
            found.initial = self.initial(initial, found.type)
        return found

    # ------------------------------------------------------------ statements

    def block(self, cursor: Any) -> tree.Block:
        return tree.Block(self.start(cursor), [self.statement(c) for c in cursor.get_children()])

    def statement(self, cursor: Any) -> tree.Node:
        make = _STATEMENTS.get(cursor.kind)
        if make:
            return self.nested(make, cursor)  # type: ignore[no-any-return]
        if cursor.kind.is_expression():
            return tree.Evaluate(self.start(cursor), self.expression(cursor))
        if cursor.kind != _K.NULL_STMT:
            children = list(cursor.get_children())
            if cursor.kind not in _REFUSED and len(children) == 1:  # attributes and labels
                return self.statement(children[0])
            self.refuse(self.start(cursor), _REFUSED.get(cursor.kind, "not supported here"))
        return tree.Block(self.start(cursor), [])

    def declare(self, cursor: Any) -> tree.Node:
        found = [self.variable(c) for c in cursor.get_children() if c.kind == _K.VAR_DECL]
        return tree.Declare(self.start(cursor), found)

    def choose(self, cursor: Any) -> tree.Node:
        """With all that else if adds to it."""
        found = tree.If(self.start(cursor), [], None)
        while True:
            condition, yes, *no = cursor.get_children()
            found.branches.append((self.expression(condition), self.statement(yes)))
            if not no:
                return found
            cursor = _without_braces(no[0])
            if cursor.kind != _K.IF_STMT:
                found.otherwise = self.statement(cursor)
                return found

    def while_loop(self, cursor: Any) -> tree.Node:
        condition, body = cursor.get_children()
        return tree.Loop(
            self.start(cursor), None, self.expression(condition), None, self.statement(body)
        )

    def do_loop(self, cursor: Any) -> tree.Node:
        body, condition = cursor.get_children()
        found = self.statement(body)
        return tree.Loop(self.start(cursor), None, self.expression(condition), None, found, True)

    def for_loop(self, cursor: Any) -> tree.Node:
        """clang leaves out the parts that are empty: semicolons tell which ones are there."""
        *parts, body = cursor.get_children()
        at, semicolons = self.start(cursor), 0
        found: list[Any] = [None, None, None]
        for part in parts:
            start, end = self.extent(part)
            semicolons += self.text[at:start].count(b";")
            found[semicolons] = part
            at = end
            semicolons += self.text[start:end].endswith(b";")
        start_part, condition, step = found
        return tree.Loop(
            self.start(cursor),
            self.statement(start_part) if start_part else None,
            self.expression(condition) if condition else None,
            self.expression(step) if step else None,
            self.statement(body),
        )

    def switch(self, cursor: Any) -> tree.Node:
        value, body = cursor.get_children()
        found = tree.Switch(self.start(cursor), self.expression(value), [])
        before: list[tree.Node] = []
        for child in body.get_children() if body.kind == _K.COMPOUND_STMT else [body]:
            labels, is_default = [], False
            while child.kind in (_K.CASE_STMT, _K.DEFAULT_STMT):
                *values, inner = child.get_children()
                if len(values) > 1:
                    self.refuse(self.start(child), "ranges of labels are not in OpenCL C")
                labels += [_value_of(v) for v in values]
                is_default |= child.kind == _K.DEFAULT_STMT
                child = inner
            if labels or is_default:
                found.sections.append(
                    tree.Section(self.start(child), labels, is_default, [])  # type: ignore[arg-type]
                )
            statement = self.statement(child)
            if found.sections:
                found.sections[-1].statements.append(statement)
            elif isinstance(statement, tree.Declare):
                before.append(statement)  # nothing else is ever reached
        for part in (*before, *(s for section in found.sections for s in section.statements)):
            if isinstance(part, tree.Declare):
                found.variables += part.variables
        return found

    def leave(self, cursor: Any) -> tree.Node:
        children = [self.expression(c) for c in cursor.get_children()]
        return tree.Return(self.start(cursor), children[0] if children else None)

    # ------------------------------------------------------------ expressions

    def start(self, cursor: Any) -> int:
        return int(cursor.extent.start.offset)

    def extent(self, cursor: Any) -> tuple[int, int]:
        extent = cursor.extent
        return extent.start.offset, extent.end.offset

    def expression(self, cursor: Any) -> Any:
        make = _EXPRESSIONS.get(cursor.kind)
        if make is None:
            self.refuse(self.start(cursor), f"not supported: {cursor.kind.name.lower()}")
            return tree.Literal(self.start(cursor), types.INT, 0)
        return self.nested(make, cursor)

    def only_child(self, cursor: Any) -> Any:
        return self.expression(next(iter(cursor.get_children())))

    def literal(self, cursor: Any) -> tree.Expression:
        return tree.Literal(self.start(cursor), self.type(cursor), _value_of(cursor))

    def string(self, cursor: Any) -> tree.Expression:
        start, end = self.extent(cursor)
        return tree.Text(start, self.type(cursor), string_bytes(self.text[start:end]))

    def reference(self, cursor: Any) -> tree.Expression:
        referenced, at = cursor.referenced, self.start(cursor)
        if referenced.kind == _K.ENUM_CONSTANT_DECL:
            return tree.Literal(at, types.INT, referenced.enum_value)
        found = self.variables[referenced.hash]
        return tree.Variable(at, found.type, found)

    def subscript(self, cursor: Any) -> tree.Expression:
        base, index = (self.expression(c) for c in cursor.get_children())
        at, type_ = self.start(cursor), self.type(cursor)
        if isinstance(base.type, Vector):
            if isinstance(index, tree.Literal):
                if not 0 <= index.value < base.type.width:
                    self.refuse(at, f"index {index.value} is outside of a {base.type}")
                    index.value = 0
                return self.picked(base, (int(index.value),), at, type_)
            if isinstance(base, tree.Swizzle) and not _are_neighbours(base.indices):
                self.refuse(at, "such components by a variable index: name them first")
            pointer: tree.Expression = self.address(base, at, Pointer(type_, "private"))
        else:
            pointer = base
        if not isinstance(pointer.type, Pointer):  # 2[a]
            pointer, index = index, pointer
        return tree.Dereference(at, type_, tree.PointerStep(at, pointer.type, pointer, index))

    def member(self, cursor: Any) -> Any:
        base, at = self.only_child(cursor), self.start(cursor)
        if isinstance(base.type, Pointer):
            base = tree.Dereference(at, base.type.pointee, base)
        for field in types.path_to(base.type, cursor.spelling):
            base = tree.Member(at, field.type, base, field)
        return base

    def address(self, target: Any, at: int, type_: Pointer) -> tree.Expression:
        """Whoever has an address lies in memory."""
        if isinstance(target, tree.Dereference):
            return tree.Reinterpretation(at, type_, target.pointer)
        root = target
        while isinstance(root, tree.Member | tree.Swizzle):
            root = root.base
        if isinstance(root, tree.Variable):
            root.declaration.in_memory = True
        return tree.AddressOf(at, type_, target)

    def unexposed(self, cursor: Any) -> Any:
        """What clang's interface has no name for: told apart by text and types."""
        children = list(cursor.get_children())
        start, end = self.extent(cursor)
        if self.text.startswith(b"__builtin_astype", start) and self.start(children[0]) != start:
            return self.reinterpreted(children[0], start, self.type(cursor))
        if len(children) != 1:
            shown = self.text[start:end].decode().split("\n")[0]
            self.refuse(start, f"not supported: {shown}")
            return tree.Literal(start, types.INT, 0)
        if self.type(cursor) == types.SAMPLER:
            return self.sampler(children[0], start)
        operand = self.expression(children[0])
        if match := _SWIZZLE.fullmatch(self.text, self.extent(children[0])[1], end):
            return self.swizzle(operand, match[1].decode(), start, self.type(cursor))
        return self.converted(operand, self.type(cursor), start)

    def sampler(self, cursor: Any, at: int) -> Any:
        """A sampler, or the constant that one is made of."""
        bits = _value_of(cursor)
        if bits is None:
            return self.expression(cursor)
        try:
            builtins.sampler(int(bits))
        except ValueError as error:
            self.refuse(at, f"sampler: {error}")
            bits = 0
        literal = tree.Literal(at, types.INT, int(bits))
        return tree.Reinterpretation(at, types.SAMPLER, literal)

    def reinterpreted(self, child: Any, at: int, type_: Type) -> tree.Expression:
        return tree.Reinterpretation(at, type_, self.expression(child))

    def swizzle(self, base: Any, name: str, at: int, type_: Any) -> tree.Expression:
        if isinstance(base.type, Pointer):
            base = tree.Dereference(at, base.type.pointee, base)
        return self.picked(base, _components(name, base.type.width), at, type_)

    @staticmethod
    def picked(base: Any, indices: tuple[int, ...], at: int, type_: Any) -> tree.Expression:
        """Components; of v.hi.x that of v. Of three there may be a fourth, which is undefined."""
        if isinstance(base, tree.Swizzle):
            beyond = base.base.type.width
            indices = tuple(base.indices[i] if i < base.type.width else beyond for i in indices)
            base = base.base
        return tree.Swizzle(at, type_, base, indices)

    def converted(self, operand: Any, type_: Type, at: int) -> Any:
        source = operand.type
        if source == type_:
            return operand
        if isinstance(source, Array) and isinstance(type_, Pointer):
            return self.address(operand, at, type_)
        if isinstance(type_, Pointer) or isinstance(source, Pointer):
            if type_ == types.BOOL:
                null = tree.Literal(at, source, 0)
                return tree.Binary(at, types.INT, "!=", operand, null, "rte", False)
            return tree.Reinterpretation(at, type_, operand)
        if isinstance(type_, Opaque) or isinstance(source, Opaque):
            return tree.Reinterpretation(at, type_, operand)
        if isinstance(type_, Vector) and isinstance(source, Scalar):
            return tree.Splat(at, type_, self.converted(operand, type_.element, at))
        if isinstance(type_, Vector) and isinstance(source, Vector):
            return tree.Reinterpretation(at, type_, operand)
        return tree.Conversion(at, type_, operand, self.pragmas.mode_at(at))

    def cast(self, cursor: Any) -> Any:
        *_, operand = cursor.get_children()
        type_ = self.type(cursor)
        if operand.kind == _K.INIT_LIST_EXPR:
            return self.initial(operand, type_)
        value, at = self.expression(operand), self.start(cursor)
        if value.type == type_ and isinstance(value, tree.Binary | tree.Unary):
            return tree.Conversion(at, type_, value, self.pragmas.mode_at(at))
        return self.converted(value, type_, at)

    def initializer_list(self, cursor: Any) -> Any:
        return self.initial(cursor, self.type(cursor))

    def sizeof(self, cursor: Any) -> tree.Expression:
        return tree.Literal(self.start(cursor), types.ULONG, _value_of(cursor))

    def conditional(self, cursor: Any) -> tree.Expression:
        """Of a ? b : c ? d : e the last one first."""
        chain = []
        while cursor.kind == _K.CONDITIONAL_OPERATOR:
            condition, yes, no = cursor.get_children()
            chain.append((cursor, self.expression(condition), self.expression(yes)))
            cursor = no
        found: tree.Expression = self.expression(cursor)
        for cursor, condition, yes in reversed(chain):
            at, type_ = self.start(cursor), self.type(cursor)
            if isinstance(condition.type, Vector):
                found = tree.BuiltinCall(at, type_, "select", [found, yes, condition], "rte")
            else:
                found = tree.Conditional(at, type_, condition, yes, found)
        return found

    def unary(self, cursor: Any) -> tree.Expression:
        operator = _UNARY[self.library.clang_getCursorUnaryOperatorKind(cursor)]
        operand, at, type_ = self.only_child(cursor), self.start(cursor), self.type(cursor)
        if operator == "&":
            return self.address(operand, at, type_)
        if operator == "*":
            return tree.Dereference(at, type_, operand)
        if "x" in operator:
            step, is_prefix = (1 if "+" in operator else -1), operator.endswith("x")
            where = self.operator_place(cursor, operator.strip("x"), is_prefix)
            mode = self.pragmas.mode_at(where)
            return tree.Increment(at, type_, operand, step, is_prefix, mode)
        self.check_half(operand.type, at)
        if operator == "-" and isinstance(operand, tree.Literal) and type_.is_floating:
            return tree.Literal(at, type_, -operand.value)
        return tree.Unary(at, type_, operator, operand)

    def operator_place(self, cursor: Any, operator: str, is_prefix: bool) -> int:
        start, end = self.extent(cursor)
        return start if is_prefix else self.text.rfind(operator.encode(), start, end)

    def check_half(self, type_: Type, at: int) -> None:
        """Vectors of halves clang lets pass, whatever is enabled."""
        if getattr(type_, "element", None) == types.HALF and not self.pragmas.has_half_at(at):
            self.refuse(at, "arithmetic with half requires cl_khr_fp16 to be enabled")

    def binary(self, cursor: Any) -> tree.Expression:
        left_cursor, right_cursor = cursor.get_children()
        operator = _BINARY[self.library.clang_getCursorBinaryOperatorKind(cursor)]
        left, right = self.expression(left_cursor), self.expression(right_cursor)
        start, type_ = self.start(cursor), self.type(cursor)
        if operator == "=":
            return tree.Assignment(start, type_, left, right)
        if operator == ",":
            return tree.Comma(start, type_, left, right)
        at = self.between(left_cursor, right_cursor)
        self.check_half(left.type, at)
        mode, contracts = self.pragmas.mode_at(at), self.pragmas.contracts_at(at)
        if operator.endswith("=") and operator not in ("==", "!=", "<=", ">="):
            found = self.compound(start, type_, operator[:-1], left, right, mode, contracts)
            if isinstance(found, tree.CompoundAssignment):
                found.operator_at = at
            return found
        if operator in ("&&", "||") and not isinstance(type_, Vector):
            return tree.Logical(start, type_, operator, left, right)
        if operator in ("+", "-") and isinstance(type_, Pointer):
            if isinstance(right.type, Pointer):
                left, right = right, left
            return tree.PointerStep(start, type_, left, right, 1 if operator == "+" else -1)
        if operator == "-" and isinstance(left.type, Pointer):
            return tree.PointerDifference(start, type_, left, right)
        return tree.Binary(start, type_, operator, left, right, mode, contracts, at)

    def between(self, left: Any, right: Any) -> int:
        """Where the operator of two operands stands."""
        at, end = self.extent(left)[1], self.start(right)
        for line in self.text[at:end].split(b"\n"):
            if line.strip() and not line.lstrip().startswith(b"#"):
                return at + len(line) - len(line.lstrip())
            at += len(line) + 1
        return end

    def compound(
        self, at: int, type_: Any, operator: str, target: Any, value: Any, mode: Any, on: bool
    ) -> tree.Expression:
        if isinstance(type_, Pointer):
            step = tree.PointerStep(at, type_, target, value, 1 if operator == "+" else -1)
            return tree.Assignment(at, type_, target, step)
        if operator in ("<<", ">>"):
            computed = type_ if isinstance(type_, Vector) else types.promoted(type_)
        else:
            computed = types.common(target.type, value.type)
            value = self.converted(value, computed, value.at)
        return tree.CompoundAssignment(at, type_, operator, target, value, computed, mode, on)

    def call(self, cursor: Any) -> tree.Expression:
        _, *arguments = cursor.get_children()
        name, at, type_ = cursor.spelling, self.start(cursor), self.type(cursor)
        if name in ("__builtin_huge_valf", "__builtin_huge_val"):
            return tree.Literal(at, type_, float("inf"))
        if name == "__builtin_nanf":
            return tree.Literal(at, type_, float("nan"))
        found = [self.expression(a) for a in arguments]
        key = cursor.referenced.get_usr() if cursor.referenced else ""
        if key in self.functions:
            return tree.Call(at, type_, self.functions[key], found)
        if name == "printf":
            self.check_printf(at, found)
        signature: tuple[Type, ...] = tuple(a.type for a in found)
        if builtins.find(name, signature, type_, "rte") is None:
            self.refuse(at, f"not supported: {name}({', '.join(map(str, signature))})")
        return tree.BuiltinCall(at, type_, name, found, self.pragmas.mode_at(at))

    def check_printf(self, at: int, arguments: list[Any]) -> None:
        text = _literal(arguments[0])
        if text is None or isinstance(text, tree.Conditional):
            self.refuse(at, "printf: the format must be a string literal")
            return
        rest = arguments[1:]
        are_literal = [_literal(a) is not None for a in rest]
        for message in printing.errors(text.value, [a.type for a in rest], are_literal):
            self.refuse(at, message)

    # ------------------------------------------------------------ initial values

    def initial(self, cursor: Any, type_: Any) -> Any:
        if isinstance(type_, Array) and (string := self.string_in(cursor)) is not None:
            return string
        if cursor.kind != _K.INIT_LIST_EXPR:
            return self.expression(cursor)
        at = self.start(cursor)
        if isinstance(type_, Vector):
            parts = [self.expression(c) for c in cursor.get_children()]
            return tree.VectorLiteral(at, type_, parts)
        children = list(cursor.get_children())
        if isinstance(type_, Array | Record):
            return tree.InitialValues(
                at, type_, list(self.parts(_Children(children), type_, 0, True))
            )
        return self.expression(children[0])

    def string_in(self, cursor: Any) -> Any:
        """The literal that an array of characters begins with, in braces or not."""
        while cursor.kind in (_K.INIT_LIST_EXPR, _K.UNEXPOSED_EXPR, _K.PAREN_EXPR):
            children = list(cursor.get_children())
            if len(children) != 1:
                return None
            cursor = children[0]
        return self.string(cursor) if cursor.kind == _K.STRING_LITERAL else None

    def parts(
        self,
        children: _Children,
        type_: Any,
        start: int,
        has_braces: bool,
        entry: tuple[list[Any], Any] | None = None,
    ) -> Iterator[tuple[int, Any]]:
        """Children placed in an aggregate; without braces of its own it takes what it needs.

        entry: what an outer designation begins with here, as `designation` has it.
        """
        slots = _slots(type_)
        index = 0
        while has_braces or index < len(slots):
            if entry is not None:
                (designators, value), entry = entry, None
            else:
                child = children.take()
                if child is None:
                    return
                designators, value = self.designation(child)
                if designators and not has_braces:  # it is of who has the braces
                    children.put_back(child)
                    return
            if designators:
                index, designators = self.designated(designators, type_)
            if index >= len(slots):
                continue  # of which clang has warned
            offset, slot = slots[index]
            offset += start
            index = len(slots) if isinstance(type_, Record) and type_.is_union else index + 1
            if designators:
                yield from self.parts(children, slot, offset, False, (designators, value))
            elif isinstance(slot, Array) and (string := self.string_in(value)) is not None:
                yield offset, string
            elif isinstance(slot, Array | Record) and value.kind == _K.INIT_LIST_EXPR:
                inner = _Children(value.get_children())
                yield from self.parts(inner, slot, offset, True)
            elif isinstance(slot, Array | Record) and self.type(value) != slot:
                children.put_back(value)
                yield from self.parts(children, slot, offset, False)
            else:
                yield offset, self.initial(value, slot)

    def designation(self, child: Any) -> tuple[list[Any], Any]:
        """.a[1] = value"""
        inner = list(child.get_children()) if child.kind == _K.UNEXPOSED_EXPR else []
        is_designated = inner and (
            inner[0].kind == _K.MEMBER_REF or self.text[self.start(child)] in b".["
        )
        if not is_designated:
            return [], child
        *designators, value = inner
        # clang names members without a name, too.
        designators = [d for d in designators if d.kind != _K.MEMBER_REF or d.spelling]
        at = self.start(designators[0])
        if b"..." in self.text[at : self.start(value)]:
            self.refuse(at, "ranges of designators are not in OpenCL C")
            designators = designators[:1]
        return designators, value

    def designated(self, designators: list[Any], type_: Any) -> tuple[int, list[Any]]:
        """The index of a slot, and what designates in it."""
        first, *rest = designators
        if first.kind != _K.MEMBER_REF:
            return int(_value_of(first) or 0), rest
        path = types.path_to(type_, first.spelling)
        return list(type_.fields).index(path[0].name), rest if len(path) == 1 else designators


def _literal(node: Any) -> Any:
    """The string literal that an expression is, or the choice between such."""
    while isinstance(node, tree.Reinterpretation | tree.AddressOf):
        node = node.operand if isinstance(node, tree.Reinterpretation) else node.target
    if isinstance(node, tree.Conditional):
        return None if None in (_literal(node.yes), _literal(node.no)) else node
    return node if isinstance(node, tree.Text) else None


def _without_braces(cursor: Any) -> Any:
    """What a block holds, if that is one if."""
    inner = cursor
    while inner.kind == _K.COMPOUND_STMT:
        children = list(inner.get_children())
        if len(children) != 1:
            return cursor
        inner = children[0]
    return inner if inner.kind == _K.IF_STMT else cursor


class _Children:
    """Of an initializer list, one after the other."""

    def __init__(self, children: Iterable[Any]) -> None:
        self._rest = list(children)[::-1]

    def take(self) -> Any:
        return self._rest.pop() if self._rest else None

    def put_back(self, child: Any) -> None:
        self._rest.append(child)


_STRING = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]+|.)", re.DOTALL)
_ESCAPES = dict(zip(b"abfnrtve", b"\a\b\f\n\r\t\v\x1b", strict=True))


def _escaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if code[:1].isdigit():
        return bytes([int(code, 8) & 255])
    if code[:1] == b"x" and len(code) > 1:
        return bytes([int(code[1:], 16) & 255])
    return bytes([_ESCAPES.get(code[0], code[0])])


def string_bytes(text: bytes) -> bytes:
    """What literals beside each other stand for."""
    return b"".join(_ESCAPE.sub(_escaped, part) for part in _STRING.findall(text))


def _slots(type_: Array | Record) -> list[tuple[int, Type]]:
    """Of an aggregate's members offset and type."""
    if isinstance(type_, Array):
        return [(i * type_.element.size, type_.element) for i in range(type_.length)]
    return [(f.offset, f.type) for f in type_.fields.values()]


def _are_neighbours(indices: tuple[int, ...]) -> bool:
    return indices == tuple(range(indices[0], indices[0] + len(indices)))


_SWIZZLE = re.compile(rb"\s*(?:\.|->)\s*([a-zA-Z]\w*)\s*")
_NAMED_PARTS = {
    "lo": lambda n: range(n // 2),
    "hi": lambda n: range(n // 2, n),
    "even": lambda n: range(0, n, 2),
    "odd": lambda n: range(1, n, 2),
}


def _components(name: str, width: int) -> tuple[int, ...]:
    if name in _NAMED_PARTS:
        return tuple(_NAMED_PARTS[name](4 if width == 3 else width))
    if name[0] in "sS" and len(name) > 1:
        return tuple(int(digit, 16) for digit in name[1:])
    return tuple("xyzw".find(c) if c in "xyzw" else "rgba".index(c) for c in name)


_REFUSED = {
    _K.GOTO_STMT: "goto is not supported",
    _K.INDIRECT_GOTO_STMT: "goto is not supported",
    _K.ASM_STMT: "asm is not supported",
    _K.CASE_STMT: "a label inside of a statement of a switch is not supported",
    _K.DEFAULT_STMT: "a label inside of a statement of a switch is not supported",
}

_STATEMENTS: dict[Any, Callable[[_Parser, Any], tree.Node]] = {
    _K.COMPOUND_STMT: _Parser.block,
    _K.DECL_STMT: _Parser.declare,
    _K.IF_STMT: _Parser.choose,
    _K.WHILE_STMT: _Parser.while_loop,
    _K.DO_STMT: _Parser.do_loop,
    _K.FOR_STMT: _Parser.for_loop,
    _K.SWITCH_STMT: _Parser.switch,
    _K.RETURN_STMT: _Parser.leave,
    _K.BREAK_STMT: lambda self, cursor: tree.Break(self.start(cursor)),
    _K.CONTINUE_STMT: lambda self, cursor: tree.Continue(self.start(cursor)),
}

_EXPRESSIONS: dict[Any, Callable[[_Parser, Any], Any]] = {
    _K.INTEGER_LITERAL: _Parser.literal,
    _K.FLOATING_LITERAL: _Parser.literal,
    _K.CHARACTER_LITERAL: _Parser.literal,
    _K.CXX_BOOL_LITERAL_EXPR: _Parser.literal,
    _K.STRING_LITERAL: _Parser.string,
    _K.DECL_REF_EXPR: _Parser.reference,
    _K.PAREN_EXPR: _Parser.only_child,
    _K.ARRAY_SUBSCRIPT_EXPR: _Parser.subscript,
    _K.MEMBER_REF_EXPR: _Parser.member,
    _K.UNEXPOSED_EXPR: _Parser.unexposed,
    _K.CSTYLE_CAST_EXPR: _Parser.cast,
    _K.COMPOUND_LITERAL_EXPR: _Parser.cast,
    _K.INIT_LIST_EXPR: _Parser.initializer_list,
    _K.CXX_UNARY_EXPR: _Parser.sizeof,
    _K.CONDITIONAL_OPERATOR: _Parser.conditional,
    _K.UNARY_OPERATOR: _Parser.unary,
    _K.BINARY_OPERATOR: _Parser.binary,
    _K.COMPOUND_ASSIGNMENT_OPERATOR: _Parser.binary,
    _K.CALL_EXPR: _Parser.call,
}
