"""Expressions in C++; each text is in parentheses if it needs them in any context."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from halfcl import MODES
from halfcl.cl._frontend import tree
from halfcl.cl._frontend.arithmetic import ARITHMETIC, COMPARISONS
from halfcl.cl._frontend.errors import Diagnostic, SourceLocation
from halfcl.cl._frontend.fusion import Fusion, find_fusion
from halfcl.cl._frontend.literals.strings import quote
from halfcl.cl._frontend.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    SAMPLER,
    Array,
    Number,
    Pointer,
    Record,
    Scalar,
    Type,
    Vector,
    wrap,
)  # fmt: skip
from halfcl.cl._translation.cpp import values
from halfcl.cl._translation.cpp.calls import builtin_call
from halfcl.cl._translation.cpp.initializers import (
    Parts,
    Slot,
    needs_assignments,
    numbers_of,
    overlapping,
    parts_within,
    path_to,
    slots,
)
from halfcl.cl._translation.cpp.naming import Names
from halfcl.cl._translation.numbers.constants import (
    Components,
    components_by_mode,
    components_of,
    constant_in_mode,
    value_of,
)
from halfcl.cl._translation.result import DeviceCall, FloatFunctions
from halfcl.cl._translation.sub_groups import ARGUMENTS
from halfcl.cl._translation.target import Fusing, is_half, is_plain
from halfcl.device._source.dialects import ProgramWords
from halfcl.typing import RoundingMode

_SHIFTS = {"<<": "hcl_left", ">>": "hcl_right"}
_QUOTIENTS = {"/": "hcl_divide", "%": "hcl_remainder"}

#: The name of a reference to a place that must be evaluated only once.
_PLACE = "hc_place"


class Writer:
    """The writer of one program's expressions, which collects what they need."""

    def __init__(
        self,
        contract: Fusing,
        rounding: RoundingMode | None,
        place_of: Callable[[int], SourceLocation | None],
        words: ProgramWords,
        float_functions: FloatFunctions,
    ) -> None:
        self.words, self.float_functions = words, float_functions
        self.names = Names(words.reserved)
        self.functions: set[str] = {"negative"}  # functions of halfcl.device
        self.refused: list[Diagnostic] = []
        self.is_static = False  # whether it writes what is known before a kernel runs
        self.device_calls: list[DeviceCall] = []
        self.grid_users: set[int] = set()  # functions that need the launch's grid
        self.sub_group_users: set[int] = set()  # functions that use sub-groups
        #: Set by the writer of statements: returns the lines of a block.
        self.write_statements: Callable[[tree.Block], list[str]] = lambda block: []
        self._contract, self._rounding, self._place_of = contract, rounding, place_of

    # ------------------------------------------------------------ shared

    def refuse(self, node: tree.Node, what: str) -> str:
        diagnostic = Diagnostic(self._place_of(node.at), "error", f"not translated: {what}")
        if diagnostic not in self.refused:
            self.refused.append(diagnostic)
        return "0"

    def leave(self, node: tree.BuiltinCall, type_: Type) -> None:
        """Record a call that the text leaves to the device."""
        self.device_calls.append(DeviceCall(self._place_of(node.at), node.name, str(type_)))

    def select_mode(self, name: str, mode: tree.Mode) -> str:
        """Return the name of a function in a mode, or in the launch's mode."""
        chosen = self._rounding if mode is None else mode
        return f"hc_{name}_{chosen}" if chosen else f"HC_IN({name}, HC_MODE)"

    def half_function(self, name: str, mode: tree.Mode) -> str:
        """Return the name of a function of halfcl.device in a mode."""
        self.functions.add(name)
        return self.select_mode(name, mode)

    def plain(self, name: str) -> str:
        """Return the name of a function of halfcl.device that rounds to nearest or is exact."""
        self.functions.add(name)
        return f"hc_{name}"

    def type(self, type_: Type) -> str:
        return self.names.type(type_)

    def _modes(self) -> tuple[RoundingMode, ...]:
        """Return the modes that a launch may begin with."""
        return MODES if self._rounding is None else (self._rounding,)

    # ------------------------------------------------------------ expressions

    def __call__(self, node: tree.Expression) -> str:
        if _may_fold(node):
            value = value_of(node, self._modes())
            if value is not None:
                return values.constant(node.type, value)
        text = self._plain(node)
        if node.is_volatile and _is_shared(node):
            return f"hcl_volatile({without_parentheses(text)})"
        return text

    def _plain(self, node: tree.Expression) -> str:
        """Return an expression without the marks of a volatile place."""
        return _MAKERS[type(node)](self, node)

    def bare(self, node: tree.Expression) -> str:
        """Return an expression without enclosing parentheses."""
        return without_parentheses(self(node))

    def discard(self, node: tree.Expression) -> str:
        """Return an expression whose value is not used."""
        if isinstance(node, tree.Increment):
            return self._increment(node, gives_old=False)
        if isinstance(node, tree.Comma):
            return f"({self.discard(node.first)}, {self.discard(node.second)})"
        return self(node)

    def truth(self, node: tree.Expression) -> str:
        """Return a scalar or a pointer as a condition."""
        if isinstance(node, tree.Logical):
            return f"({self.truth(node.left)} {node.operator} {self.truth(node.right)})"
        if isinstance(node, tree.Unary) and node.operator == "!":
            return f"!{self.truth(node.operand)}"
        if isinstance(node, tree.Binary) and node.operator in COMPARISONS:
            return self._comparison(node)
        text = self(node)
        return _is_not_zero(text) if is_half(node.type) else text

    def literal(self, node: tree.Literal) -> str:
        if isinstance(node.type, Scalar):
            return values.constant(node.type, node.value)
        return "nullptr" if isinstance(node.type, Pointer) else str(int(node.value))

    def text(self, node: tree.Text) -> str:
        return f"(const hc_char *){quote(node.value)}"

    def variable(self, node: tree.Variable) -> str:
        return self.names.variable(node.declaration)

    # ------------------------------------------------------------ operators

    def unary(self, node: tree.Unary) -> str:
        operator, type_ = node.operator, node.operand.type
        if operator == "!" and not isinstance(type_, Vector):
            return f"(int)({self.truth(node)})"
        operand = self(node.operand)
        if operator == "+":
            return operand
        if operator == "!":
            return f"hcl_not({operand})"
        if operator == "-" and is_half(type_):
            return f"{self.plain('negative')}({without_parentheses(operand)})"
        if operator == "-" and isinstance(type_, Vector):
            return f"hcl_negative({operand})"
        return f"({operator}{operand})"

    def binary(self, node: tree.Binary) -> str:
        operator, type_ = node.operator, node.left.type
        if operator in COMPARISONS:
            text = self._comparison(node)
            return text if isinstance(node.type, Vector) else f"(int){text}"
        if operator in ARITHMETIC and type_.is_floating:
            fusion = find_fusion(node) if self._contract == "always" else None
            if fusion:
                return self._write_fma(node, fusion)
            called = self.operation(operator, type_, node.rounding)
            return f"{called}({self.bare(node.left)}, {self.bare(node.right)})"
        left, right = self(node.left), self(node.right)
        if operator in ("&&", "||"):
            return f"hcl_{'and' if operator == '&&' else 'or'}({left}, {right})"
        if operator in _SHIFTS:
            return self._shift(node, left, right)
        is_quotient = operator in _QUOTIENTS and isinstance(type_, Scalar)
        if is_quotient and not _is_safe_divisor(node.right):
            return f"{_QUOTIENTS[operator]}({left}, {right})"
        return f"({left} {operator} {right})"

    def operation(self, operator: str, type_: Number, mode: tree.Mode) -> str:
        """Return the name of the function for an operation on floating numbers."""
        name = ARITHMETIC[operator]
        return (
            self.half_function(name, mode)
            if is_half(type_)
            else self.select_mode(f"{name}_wide", mode)
        )

    def _comparison(self, node: tree.Binary) -> str:
        left, right, type_ = self(node.left), self(node.right), node.left.type
        if isinstance(type_, Vector):
            return f"hcl_{COMPARISONS[node.operator]}({left}, {right})"
        return f"({left} {node.operator} {right})"

    def _shift(self, node: tree.Binary, left: str, right: str) -> str:
        last = 8 * node.left.type.element.size - 1
        if isinstance(node.left.type, Vector):
            if not isinstance(node.right.type, Vector):
                right = f"hcl_splat<{node.left.type.width}>({right})"
        elif isinstance(node.right, tree.Literal) and 0 <= node.right.value <= last:
            return f"({left} {node.operator} {right})"
        return f"{_SHIFTS[node.operator]}({left}, {right})"

    def _write_fma(self, node: tree.Binary, fusion: Fusion) -> str:
        a, b, c = fusion.product.left, fusion.product.right, fusion.addend
        of_halves = is_half(node.type)
        name = (
            self.half_function("fma", node.rounding)
            if of_halves
            else self.select_mode("fma_wide", node.rounding)
        )
        negate = self.plain("negative") if of_halves else "hcl_negative"
        first = f"{negate}({self(a)})" if fusion.negates_product else self(a)
        last = f"{negate}({self(c)})" if fusion.negates_addend else self(c)
        return f"{name}({first}, {self(b)}, {last})"

    def logical(self, node: tree.Logical) -> str:
        return f"(int){self.truth(node)}"

    def conditional(self, node: tree.Conditional) -> str:
        return f"({self.truth(node.condition)} ? {self(node.yes)} : {self(node.no)})"

    def statement_expression(self, node: tree.StatementExpression) -> str:
        lines = self.write_statements(node.statements)
        if node.value is not None:
            lines.append(f"return {self.bare(node.value)};")
        return "\n".join(["[&] {", *lines, "}()"])

    def comma(self, node: tree.Comma) -> str:
        return f"((void)({self.bare(node.first)}), {self(node.second)})"

    # ------------------------------------------------------------ conversions

    def conversion(self, node: tree.Conversion) -> str:
        source, result = node.operand.type, node.type
        if not isinstance(source, Scalar | Vector):
            return self.refuse(node, f"a conversion of {source}")
        if isinstance(node.operand, tree.Literal) and _are_integers(source, result):
            return values.constant(result, wrap(int(node.operand.value), result.dtype))
        if result == BOOL and source == INT and _is_truth(node.operand):
            return self.truth(node.operand)
        return self.convert(self(node.operand), source, result, node.rounding)

    def convert(self, text: str, source: Number, result: Number, mode: tree.Mode) -> str:
        """Convert a number to another type of the same width."""
        one, other = source.element, result.element
        bare = without_parentheses(text)
        if one == other:
            return text
        if other == HALF:
            return self._to_half(bare, one, mode)
        if one == HALF:
            return self._from_half(bare, result)
        if other == BOOL:
            return f"({text} != 0)"
        if other in (FLOAT, DOUBLE) and not values.is_exact(one, other):
            return f"{self.select_mode(f'to_{other}', mode)}({bare})"
        if isinstance(result, Vector):
            return f"hcl_to<{self.type(other)}>({bare})"
        return f"({self.type(result)})({bare})"

    def _to_half(self, text: str, source: Scalar, mode: tree.Mode) -> str:
        convert = self.half_function("convert_half", mode)
        if source == DOUBLE:
            return f"{convert}(hcl_odd_float({text}))"
        return f"{convert}({f'(int)({text})' if source == BOOL else text})"

    def _from_half(self, text: str, result: Number) -> str:
        element = result.element
        if element == BOOL:
            return _is_not_zero(text)
        if element != DOUBLE:
            return f"{self.plain(f'convert_{element}')}({text})"
        wide = f"{self.plain('convert_float')}({text})"
        return f"hcl_to<double>({wide})"

    def splat(self, node: tree.Splat) -> str:
        return f"hcl_splat<{node.type.width}>({self.bare(node.operand)})"

    def reinterpretation(self, node: tree.Reinterpretation) -> str:
        source, result = node.operand.type, node.type
        if isinstance(source, Scalar | Vector) and isinstance(result, Scalar | Vector):
            return f"hcl_as<{self.type(result)}>({self.bare(node.operand)})"
        is_zero = isinstance(node.operand, tree.Literal) and node.operand.value == 0
        if is_zero and isinstance(result, Pointer):
            return f"(({self.type(result)})nullptr)"
        if source == result:
            return self(node.operand)
        if isinstance(source, Pointer) and isinstance(result, Scalar):
            return f"(({self.type(result)})(hc_ulong)({self.bare(node.operand)}))"
        if result == SAMPLER and isinstance(node.operand, tree.Literal):
            return f"0x{int(node.operand.value):x}u"
        return f"(({self.type(result)})({self.bare(node.operand)}))"

    # ------------------------------------------------------------ vectors and aggregates

    def vector_literal(self, node: tree.VectorLiteral) -> str:
        parts = ", ".join(self.bare(part) for part in node.parts)
        if len(node.parts) == 1 and isinstance(node.parts[0].type, Scalar):
            return f"hcl_splat<{node.type.width}>({parts})"
        return f"hcl_make<{self.type(node.type.element)}, {node.type.width}>({parts})"

    def swizzle(self, node: tree.Swizzle) -> str:
        base = self(node.base)
        if len(node.indices) > 1:
            return f"hcl_pick<{', '.join(map(str, node.indices))}>({base})"
        (index,) = node.indices
        if index < node.base.type.width:
            return f"{base}.s[{index}]"
        return f"hcl_pick<{index}>({base}).s[0]"

    def initial_values(self, node: tree.InitialValues) -> str:
        """Return a record or an array as a value."""
        text = self.braces(node)
        if isinstance(node.type, Array):
            type_ = f"hcl_array<{self.type(node.type.element)}, {node.type.length}>"
            return f"hcl_object({type_}{{{text}}}).s"
        return text if text.startswith("[&]") else f"{self.type(node.type)}{text}"

    def braces(self, node: tree.Expression) -> str:
        """Return the initializer of a variable."""
        if isinstance(node, tree.Text):
            return self._letters(node)
        if isinstance(node, tree.InitialValues):
            return self._in_braces(node, node.type, 0, node.parts)
        if self.is_static and isinstance(node.type, Scalar | Vector):
            return self._static_number(node) or self.bare(node)
        if isinstance(node.type, Vector):
            components = components_of(node, self._modes())
            if components is not None:
                return self._constant_vector(node.type, components)
        if isinstance(node, tree.VectorLiteral):
            return self._components(node, node.parts) or self(node)
        if isinstance(node, tree.Splat):
            return self._components(node, [node.operand]) or self(node)
        return self.bare(node)

    def _static_number(self, node: tree.Expression) -> str:
        """Return a number that is known in each mode that a launch may begin with, or ""."""
        by_mode = components_by_mode(node, self._modes())
        if by_mode is None:
            return ""
        texts = [[values.constant(node.type.element, v) for v in each] for each in by_mode]
        numbers = [constant_in_mode(each, self._modes()) for each in zip(*texts, strict=True)]
        return f"{{{{{', '.join(numbers)}}}}}" if isinstance(node.type, Vector) else numbers[0]

    def _constant_vector(self, type_: Vector, components: Components) -> str:
        parts = ", ".join(values.constant(type_.element, value) for value in components)
        return f"{{{{{parts}}}}}"

    def _letters(self, node: tree.Text) -> str:
        length = node.type.length
        letters = (node.value + bytes(length))[:length]
        return f"{{{', '.join(str(c - 256 if c > 127 else c) for c in letters)}}}"

    def _components(self, node: tree.Expression, parts: list[tree.Expression]) -> str:
        """Return a vector in braces, which constants may have; "" if a part is no plain scalar."""
        parts = parts * (node.type.width if len(parts) == 1 else 1)
        if not all(isinstance(p.type, Scalar) for p in parts) or not all(map(is_plain, parts)):
            return ""
        return f"{{{{{', '.join(self.bare(p) for p in parts)}}}}}"

    def _in_braces(self, node: tree.Node, type_: Type, start: int, parts: Parts) -> str:
        """Return an array or a record that begins at an offset; trailing zeros are omitted."""
        if isinstance(type_, Record) and needs_assignments(type_, start, parts):
            return self._assign_parts(type_, start, parts)
        assert overlapping(parts) is None
        texts: list[str] = []
        used = 0
        for place in slots(type_, start):
            inner = parts_within(place, parts)
            if inner:
                texts.append(self._slot(node, place, inner))
                used = len(texts)
            else:
                texts.append(values.zero(place.type))
            if isinstance(type_, Record) and type_.is_union:
                break
        return f"{{{', '.join(texts[:used])}}}"

    def _slot(self, node: tree.Node, place: Slot, parts: Parts) -> str:
        """Return the value of a member that has parts."""
        at, own = parts[0]
        if at == place.start and (own.type == place.type or isinstance(own, tree.Text)):
            return self.braces(own)
        return self._in_braces(node, place.type, place.start, parts)

    def _assign_parts(self, type_: Record, start: int, parts: Parts) -> str:
        """Return a record whose parts are assigned one by one, since braces cannot name them."""
        lines = [f"{self.type(type_)} hc_value = {{}};"]
        lines += self.assignments("hc_value", type_, start, parts)
        return f"[&] {{ {' '.join(lines)} return hc_value; }}()"

    def assignments(self, name: str, type_: Type, start: int, parts: Parts) -> list[str]:
        """Return the statements that assign each part of a variable."""
        lines = []
        for offset, value in numbers_of(parts):
            path = path_to(type_, start, offset, value.type, self.names.member)
            lines.append(f"{name}{path} = {self.bare(value)};")
        return lines

    # ------------------------------------------------------------ places

    def member(self, node: tree.Member) -> str:
        name = self.names.member(node.field)
        base = node.base
        if isinstance(base, tree.Dereference) and not isinstance(base.pointer, tree.PointerStep):
            return f"{self(base.pointer)}->{name}"
        return f"{self._plain(node.base)}.{name}"

    def dereference(self, node: tree.Dereference) -> str:
        pointer = node.pointer
        if isinstance(pointer, tree.PointerStep) and pointer.sign > 0:
            return f"{self(pointer.pointer)}[{self.bare(pointer.index)}]"
        return f"(*{self(pointer)})"

    def pointer_step(self, node: tree.PointerStep) -> str:
        return f"({self(node.pointer)} {'+' if node.sign > 0 else '-'} {self(node.index)})"

    def pointer_difference(self, node: tree.PointerDifference) -> str:
        return f"(hc_long)({self(node.left)} - {self(node.right)})"

    def address_of(self, node: tree.AddressOf) -> str:
        target = node.target
        if isinstance(target, tree.Text):
            return self(target)
        if isinstance(target.type, Array) and node.type.pointee != target.type:
            return self._plain(target)
        if isinstance(target, tree.Swizzle) and len(target.indices) > 1:
            first = f"&{self(target.base)}.s[{target.indices[0]}]"
            return f"(({self.type(node.type)})({first}))"
        if isinstance(target.type, Vector) and node.type.pointee == target.type.element:
            return f"{self._plain(target)}.s"
        return f"(&{self._plain(target)})"

    # ------------------------------------------------------------ assignments

    def assignment(self, node: tree.Assignment) -> str:
        return self._store(node.target, self.bare(node.value))

    def _store(self, target: tree.Expression, value: str) -> str:
        if isinstance(target, tree.Swizzle) and len(target.indices) > 1:
            indices = ", ".join(map(str, target.indices))
            return f"hcl_set<{indices}>({self(target.base)}, {value})"
        if isinstance(target, tree.Swizzle) and target.indices[0] >= target.base.type.width:
            return f"((void)({value}))"  # the fourth of three
        return f"({self(target)} = {value})"

    def compound(self, node: tree.CompoundAssignment) -> str:
        target, type_, computed = node.target, node.target.type, node.computed
        if _is_native_compound(node):
            return f"({self(target)} {node.operator}= {self.bare(node.value)})"
        assert isinstance(type_, Scalar | Vector) and isinstance(computed, Scalar | Vector)

        def compute_new(old: tree.Expression) -> str:
            if type_ != computed:
                old = tree.Conversion(node.at, computed, old, node.rounding)
            binary = tree.Binary(
                node.at, computed, node.operator, old, node.value, node.rounding,
                node.contracts, node.operator_at,
            )  # fmt: skip
            return self.convert(self(binary), computed, type_, node.rounding)

        return self._assign_computed(target, compute_new)

    def increment(self, node: tree.Increment) -> str:
        return self._increment(node, not node.is_prefix)

    def _increment(self, node: tree.Increment, gives_old: bool) -> str:
        type_, target = node.type, node.target
        sign = "+" if node.step > 0 else "-"
        is_whole = not isinstance(type_, Vector) and not getattr(type_, "is_floating", False)
        if is_whole and type_ != BOOL:
            text = self(target)
            return f"({2 * sign}{text})" if node.is_prefix else f"({text}{2 * sign})"

        def compute_new(old: tree.Expression) -> str:
            if type_ == BOOL:
                return "true" if node.step > 0 else f"!{self(old)}"
            one = values.one(type_, self.type(type_))
            if type_.is_floating:
                return f"{self.operation(sign, type_, node.rounding)}({self(old)}, {one})"
            return f"({self(old)} {sign} {one})"

        return self._assign_computed(target, compute_new, gives_old)

    def _assign_computed(
        self,
        target: tree.Expression,
        compute_new: Callable[[tree.Expression], str],
        gives_old: bool = False,
    ) -> str:
        """Assign a new value computed from the old one; name a target with side effects first."""
        if is_plain(target) and not gives_old:
            return self._store(target, without_parentheses(compute_new(target)))
        base = target.base if isinstance(target, tree.Swizzle) else target
        named = tree.Declaration(base.at, "place", base.type, "private")
        self.names.rename(named, _PLACE)
        place: tree.Expression = tree.Variable(base.at, base.type, named)
        if isinstance(target, tree.Swizzle):
            place = tree.Swizzle(target.at, target.type, place, target.indices)
        stored = self._store(place, without_parentheses(compute_new(place)))
        give = f"return {without_parentheses(stored)};"
        if gives_old:
            give = f"auto hc_old = {self(place)}; {without_parentheses(stored)}; return hc_old;"
        return f"[&] {{ auto &{_PLACE} = {self.bare(base)}; {give} }}()"

    # ------------------------------------------------------------ calls

    def call(self, node: tree.Call) -> str:
        arguments = [self.bare(a) for a in node.arguments]
        if id(node.function) in self.sub_group_users:
            arguments.insert(0, ARGUMENTS)
        if id(node.function) in self.grid_users:
            arguments.insert(0, "hc_work")
        return f"cl::{self.names.call_name(node.function)}({', '.join(arguments)})"

    def builtin(self, node: tree.BuiltinCall) -> str:
        return builtin_call(self, node)


def _may_fold(node: tree.Expression) -> bool:
    """Return whether a scalar is computed, and floating or made of what is floating."""
    if not isinstance(node.type, Scalar) or isinstance(node, tree.Literal):
        return False
    operand: tree.Expression = node
    if isinstance(node, tree.Conversion | tree.Unary):
        operand = node.operand
    elif isinstance(node, tree.Binary | tree.Logical):
        operand = node.left
    return node.type.is_floating or getattr(operand.type, "is_floating", False)


def _is_shared(node: tree.Expression) -> bool:
    """Return whether it is a place in memory that work-items share."""
    if isinstance(node.type, Array) or (isinstance(node, tree.Swizzle) and len(node.indices) > 1):
        return False  # only its parts are
    while isinstance(node, tree.Member | tree.Swizzle):
        node = node.base
    if isinstance(node, tree.Variable):
        return node.declaration.space != "private"
    return isinstance(node, tree.Dereference) and node.pointer.type.space != "private"


def _is_truth(node: tree.Expression) -> bool:
    """Return whether it is a comparison or a logical operation."""
    if isinstance(node, tree.Binary):
        return node.operator in COMPARISONS
    return isinstance(node, tree.Logical) or (isinstance(node, tree.Unary) and node.operator == "!")


def _are_integers(*kinds: Type) -> bool:
    """Return whether all are integers that wrap around."""
    return all(isinstance(t, Scalar) and not t.is_floating and t != BOOL for t in kinds)


def _is_safe_divisor(node: tree.Expression) -> bool:
    while isinstance(node, tree.Conversion):
        node = node.operand
    return isinstance(node, tree.Literal) and node.value > 0


def _is_native_compound(node: tree.CompoundAssignment) -> bool:
    """Return whether C++ has the same compound assignment, on integers."""
    return _are_integers(node.target.type, node.computed) and node.operator in "+-*&|^"


def _is_not_zero(half: str) -> str:
    return f"({half} != HCL_HALF(0))"


def without_parentheses(text: str) -> str:
    """Remove parentheses that enclose a whole text."""
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]', text):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if depth == 0:
                if match.end() < len(text):
                    return text
                break
        if _has_comma(text[1:-1]):
            return text
        text = text[1:-1]
    return text


def _has_comma(text: str) -> bool:
    """Return whether there is a comma outside of parentheses."""
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[()\[\]{}<>,]', text):
        if match[0] == "," and depth == 0:
            return True
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(match[0], 0)
    return False


_MAKERS: dict[type, Callable[[Writer, Any], str]] = {
    tree.Literal: Writer.literal,
    tree.Text: Writer.text,
    tree.Variable: Writer.variable,
    tree.Unary: Writer.unary,
    tree.Binary: Writer.binary,
    tree.Logical: Writer.logical,
    tree.Conditional: Writer.conditional,
    tree.Comma: Writer.comma,
    tree.StatementExpression: Writer.statement_expression,
    tree.OmittedConditional: Writer.statement_expression,
    tree.Conversion: Writer.conversion,
    tree.Splat: Writer.splat,
    tree.Reinterpretation: Writer.reinterpretation,
    tree.VectorLiteral: Writer.vector_literal,
    tree.InitialValues: Writer.initial_values,
    tree.Swizzle: Writer.swizzle,
    tree.Member: Writer.member,
    tree.Dereference: Writer.dereference,
    tree.AddressOf: Writer.address_of,
    tree.PointerStep: Writer.pointer_step,
    tree.PointerDifference: Writer.pointer_difference,
    tree.Assignment: Writer.assignment,
    tree.CompoundAssignment: Writer.compound,
    tree.Increment: Writer.increment,
    tree.Call: Writer.call,
    tree.BuiltinCall: Writer.builtin,
}
