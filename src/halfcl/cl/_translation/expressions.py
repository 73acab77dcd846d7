"""Edits of operators, conversions and literals that make them right on a device."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from halfcl import MODES
from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.arithmetic import ARITHMETIC, COMPARISONS
from halfcl.cl._frontend.calls import calls_of
from halfcl.cl._frontend.fusion import Fusion, find_fusion
from halfcl.cl._frontend.types import DOUBLE, FLOAT, Scalar, Vector
from halfcl.cl._translation import images, sub_groups
from halfcl.cl._translation.builtins import builtin_call
from halfcl.cl._translation.cpp.initializers import path_to
from halfcl.cl._translation.editing.edits import TIGHT, Edits
from halfcl.cl._translation.editing.places import Place, place_of
from halfcl.cl._translation.numbers import constants, conversions
from halfcl.cl._translation.target import Target, Wrapping, extent, is_half, is_plain
from halfcl.cl._translation.vectorizing import is_at_risk, is_reordered, statement_start
from halfcl.typing import RoundingMode

#: A member without a name in a path, and strings and braces of a text.
_UNNAMED = re.compile(r"\.\(\d+\)")
_BRACES = re.compile(rb'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[{}]')

_WORDS = re.compile(rb"\w+")

_TRUTHS = COMPARISONS | {"&&": "logical_and", "||": "logical_or"}


class Editor:
    """Records the edits of one program in `target`."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._visited: set[int] = set()  # nodes that occur twice in the tree
        self._unused: set[int] = set()  # expressions whose value is not used
        self._called: set[int] = set()  # functions
        self._sub_group_users: dict[int, bool] = {}  # functions: whether they use sub-groups

    # ------------------------------------------------------------ statements

    def program(self, program: tree.Program) -> None:
        if self.target.has_samplers:
            self.target.helpers.add("images")
            self.target.functions.add("negative")
        for declaration in program.constants:
            self._static(declaration)
        functions = program.functions.values()
        self._called = {id(call.function) for each in functions for call in calls_of(each)}
        for function in functions:
            if function.unused_body is not None:
                self.target.edits.leave_out(function.unused_body)
            elif function.body is not None:
                self._function(function)
                self.visit(function.body)

    def _function(self, function: tree.Function) -> None:
        """Add compiler attributes, and the parameters of a function that uses sub-groups."""
        images.check_parameters(self.target, function)
        word = "" if function.is_kernel else self._inlining(function)
        if function.is_kernel and self.target.is_intel and self._runs_in_one_lane(function):
            word = "HC_ONE_LANE "
        if self._uses_sub_groups(function):
            if function.is_kernel:
                sub_groups.check(self.target, function)
            if id(function) in self._called and sub_groups.declares_memory(self.target, function):
                sub_groups.move_body(self.target, function, word)
                return
            sub_groups.definition(self.target, function)
        if word:
            self.target.edits.wrap((function.at, function.at), word, "")

    def _inlining(self, function: tree.Function) -> str:
        """Return what has a function inlined.

        One that is `inline`, but not `static`, is not there if the compiler decides not to.
        """
        assert function.body is not None
        words = _WORDS.findall(self.target.data, function.at, function.body.at)
        is_external = b"inline" in words and b"static" not in words
        return "__attribute__((always_inline)) " if is_external else "HCI_INLINE "

    def _runs_in_one_lane(self, kernel: tree.Function) -> bool:
        """Return whether Intel's runtime is not to vectorize a kernel.

        It vectorizes the functions that filter images, too: they take it three times as long to
        compile, and then run longer.
        """
        return is_at_risk(kernel) or (self.target.has_samplers and images.filters(kernel))

    def _static(self, declaration: tree.Declaration) -> None:
        """Write a constant variable so that it is known without any computation."""
        if declaration.initial is not None:
            self._static_value(declaration.initial)

    def _static_value(self, node: tree.Expression) -> None:
        """Write the numbers of an initializer that the device may compute in another way."""
        if isinstance(node, tree.InitialValues | tree.VectorLiteral):
            for part in _parts(node):
                self._static_value(part)
        elif isinstance(node, tree.Splat) and extent(node) != extent(node.operand):
            self._static_value(node.operand)
        elif isinstance(node, tree.Literal) and node.value != node.value:
            text = constants.constant(self.target, node.type, node.value)
            self.target.edits.replace(extent(node), text)
        elif self._fold(node) or self._fold_vector(node) or self._fold_by_mode(node):
            self._visited.update(map(id, tree.walk(node)))
        else:
            self.visit(node)
            if any(map(self._computes, tree.walk(node))):
                self.target.refuse(node, "a constant variable whose value must be computed")

    def _fold_vector(self, node: tree.Expression) -> bool:
        """Return whether it is a constant vector, and replace its text if needed."""
        components = constants.components_of(node, self._modes())
        if components is None or not isinstance(node.type, Vector):
            return False
        if self._needs_edit(node) or _is_rare(node):
            text = constants.vector_constant(self.target, node.type, components)
            self.target.edits.replace(extent(node), text)
        return True

    def _fold_by_mode(self, node: tree.Expression) -> bool:
        """Return whether it is a constant in each mode, and replace its text by a choice."""
        modes = self._modes()
        if (
            not (self._needs_edit(node) or _is_rare(node))
            or (by_mode := self._constants_by_mode(node)) is None
        ):
            return False
        self.target.helpers.add("choose")
        numbers = [constants.constant_in_mode(each, modes) for each in zip(*by_mode, strict=True)]
        text = numbers[0]
        if isinstance(node.type, Vector):
            text = f"({self.target.type(node.type)})({', '.join(numbers)})"
        self.target.edits.replace(extent(node), text)
        return True

    def _constants_by_mode(self, node: tree.Expression) -> list[list[str]] | None:
        """Return the texts of a constant's components in each mode."""
        by_mode = constants.components_by_mode(node, self._modes())
        if by_mode is None:
            return None
        return [[constants.constant(self.target, node.type, v) for v in each] for each in by_mode]

    def _computes(self, node: tree.Node) -> bool:
        """Return whether an edit calls a function for an expression."""
        if not isinstance(node, tree.Binary | tree.Conversion | tree.Call | tree.Unary):
            return False
        return self._needs_edit(node)

    def visit(self, node: tree.Node) -> None:
        if id(node) in self._visited:
            return
        self._visited.add(id(node))
        if isinstance(node, tree.Evaluate):
            self._unused.add(id(node.expression))
        elif isinstance(node, tree.Loop) and node.step is not None:
            self._unused.add(id(node.step))
        elif isinstance(node, tree.Comma):
            self._unused.add(id(node.first))
        elif isinstance(node, tree.Declare):
            for variable in node.variables:
                if variable.space == "constant":
                    self._static(variable)
        self._conditions(node)
        if isinstance(node, tree.Loop) and self.target.is_intel and is_reordered(node):
            at = statement_start(self.target.data, node.at)
            self.target.edits.wrap((at, at), "HC_IN_ORDER ", "")
        if isinstance(node, tree.Expression):
            self._note_needs(node)
        make = _EDITS.get(type(node))
        if make:
            make(self, node)
        else:
            self.visit_children(node)

    def visit_children(self, node: tree.Node) -> None:
        for child in node.children():
            self.visit(child)

    def _conditions(self, node: tree.Node) -> None:
        """Translate halves that are used as conditions."""
        if isinstance(node, tree.If):
            conditions = [condition for condition, _ in node.branches]
        elif isinstance(node, tree.Loop):
            conditions = [node.condition] if node.condition is not None else []
        elif isinstance(node, tree.Conditional):
            conditions = [node.condition]
        elif isinstance(node, tree.Logical):
            conditions = [node.left, node.right]
        elif isinstance(node, tree.Unary) and node.operator == "!":
            conditions = [] if isinstance(node.operand.type, Vector) else [node.operand]
        else:
            return
        for condition in conditions:
            if is_half(condition.type) and not self.target.fp16:
                self.wrap(condition, conversions.truth(self.target))

    def _note_needs(self, node: tree.Expression) -> None:
        """Record what the device's own arithmetic must support."""
        element = getattr(node.type, "element", None)
        if element == DOUBLE:
            self.target.needs.add("double")
        if isinstance(node, tree.CompoundAssignment):
            element = getattr(node.computed, "element", None)
        if element == FLOAT and isinstance(node, tree.Binary | tree.CompoundAssignment):
            self.target.needs.add("subnormal")
            if node.operator == "/":
                self.target.needs.add("division")
        elif element == FLOAT and isinstance(node, tree.BuiltinCall) and node.name == "sqrt":
            self.target.needs.add("division")

    # ------------------------------------------------------------ edits

    def wrap(self, node: tree.Expression, wrapping: Wrapping) -> None:
        self.target.edits.wrap(extent(node), *wrapping)

    def source_text(self, place: tuple[int, int]) -> str:
        return self.target.data[slice(*place)].decode()

    def part(self, node: tree.Expression) -> str:
        """Return the translated text of an expression alone."""
        saved = self.target.edits, self._visited
        self.target.edits, self._visited = Edits(), set()
        self.visit(node)
        text = self.target.rewriter.part(extent(node), self.target.edits)
        self.target.edits, self._visited = saved
        return text

    def _modes(self) -> tuple[RoundingMode, ...]:
        """Return the modes that a launch may begin with."""
        return MODES if self.target.rounding is None else (self.target.rounding,)

    def _fold(self, node: tree.Expression) -> bool:
        """Return whether it is a constant, and replace its text by the number if needed."""
        type_ = node.type
        if not isinstance(type_, Scalar) or node.extent is None:
            return False
        is_own = isinstance(node, tree.Literal) and (self.target.fp16 or not is_half(type_))
        if is_own or not self._needs_edit(node):
            return is_own and type_.is_floating
        value = constants.value_of(node, self._modes())
        if value is None:
            return False
        shown = self.source_text(extent(node))
        self.target.edits.replace(
            extent(node), constants.constant(self.target, type_, value, shown)
        )
        return True

    def _needs_edit(self, node: tree.Expression) -> bool:
        """Return whether the device's own value of a constant may differ."""
        return any(
            is_half(n.type)
            or self.target.needs_directed_rounding(n.type, getattr(n, "rounding", "rte"))
            for n in tree.walk(node)
            if isinstance(n, tree.Expression) and constants.is_number(n.type)
        )

    # ------------------------------------------------------------ kinds of nodes

    def literal(self, node: tree.Literal) -> None:
        if node.extent is not None and self.source_text(node.extent).startswith("{"):
            # Not all compilers accept empty braces.
            self.target.edits.replace(node.extent, "0")
            return
        if self._fold(node) or self.target.fp16 or node.extent is None:
            return
        shown = self.source_text(node.extent)
        if shown.startswith("sizeof"):  # sums of bits are ints
            self.target.edits.replace(node.extent, f"(size_t){node.value} /* {shown} */")

    def unary(self, node: tree.Unary) -> None:
        if self._fold(node):
            return
        operator, operand = node.operator, node.operand
        if is_half(operand.type) and not self.target.fp16:
            name = {"-": "negative", "+": "positive", "!": "logical_not"}.get(operator)
            if name and not (operator == "!" and isinstance(operand.type, Scalar)):
                at, end = node.at, extent(operand)[1]
                self.target.edits.replace((at, at + 1), "")
                self.target.edits.wrap((at, end), f"{self.target.plain(name)}(")
        self.visit(operand)

    def binary(self, node: tree.Binary) -> None:
        if self._fold(node):
            return
        operator, type_ = node.operator, node.left.type
        if operator in ARITHMETIC and node.type.is_floating:
            fusion = find_fusion(node) if self.target.contract == "always" else None
            if fusion:
                self._write_fma(node, fusion)
                return
            if self._needs_function(operator, type_, node.rounding):
                self._call(node, self._operation(operator, type_, node.rounding))
        elif operator in _TRUTHS and is_half(type_) and not self.target.fp16:
            self._call(node, self.target.plain(_TRUTHS[operator]))
        self.visit(node.left)
        self.visit(node.right)

    def _needs_function(self, operator: str, type_: types.Number, mode: tree.Mode) -> bool:
        """Return whether an operation must be computed by a function."""
        if is_half(type_):
            return not self.target.is_native(ARITHMETIC[operator], mode)
        return self.target.needs_directed_rounding(type_, mode)

    def _operation(self, operator: str, type_: types.Type, mode: tree.Mode) -> str:
        """Return the name of the function for an operation."""
        name = ARITHMETIC[operator]
        if is_half(type_):
            return self.target.call(name, mode)
        return self.target.helper(f"{name}_wide", mode)

    def _call(self, node: tree.Binary, name: str) -> None:
        """Turn a binary operation into name(left, right)."""
        at = node.operator_at
        self.target.edits.replace((at, at + len(node.operator)), f"{TIGHT},")
        self.target.edits.wrap((extent(node.left)[0], extent(node.right)[1]), f"{name}(")
        self._spread(node.left, node.right)

    def _spread(self, *operands: tree.Expression) -> None:
        """Write implicit conversions out, since functions of float and double are overloaded."""
        for node in operands:
            if is_half(node.type) or not isinstance(node, tree.Splat | tree.Conversion):
                continue
            is_implicit = extent(node) == extent(node.operand)
            if is_implicit and constants.value_of(node, self._modes()) is None:
                self.wrap(node, Wrapping(f"({node.type})("))

    def _write_fma(self, node: tree.Binary, fusion: Fusion) -> None:
        """Turn a * b + c into fma(a, b, c), and c + a * b into a variant with c first."""
        target, product = self.target, fusion.product
        name = "fma" if fusion.product_is_left else "fma_last"
        name += "_negative" if fusion.negates_product else ""
        name += "_less" if fusion.negates_addend else ""
        called = ""
        if name == "fma" and self._has_own_fma(node):
            called = name
        else:
            target.functions.add("fma")
            if is_half(node.type):
                called = target.call("fma", node.rounding) if name == "fma" else ""
                target.functions.add("negative")
        called = called or target.helper(f"{name}_{_kind(node.type)}", node.rounding)
        a, b = extent(product.left), extent(product.right)
        outer = extent(node.left if fusion.product_is_left else node.right)
        target.edits.wrap((extent(node.left)[0], extent(node.right)[1]), f"{called}(")
        target.edits.remove_punctuation(target.data, (outer[0], a[0]))
        target.edits.remove_punctuation(target.data, (b[1], outer[1]))
        for operation in (node, product):
            target.edits.replace((operation.operator_at, operation.operator_at + 1), f"{TIGHT},")
        self._spread(product.left, product.right, fusion.addend)
        for operand in (product.left, product.right, fusion.addend):
            self.visit(operand)

    def _has_own_fma(self, node: tree.Binary) -> bool:
        """Return whether the device's own fma is right."""
        if is_half(node.type):
            return self.target.is_native("fma", node.rounding)
        return not self.target.needs_directed_rounding(node.type, node.rounding)

    def conversion(self, node: tree.Conversion) -> None:
        operand = node.operand
        if self._fold(node):
            return
        if not isinstance(operand.type, Scalar | Vector):
            self.visit(operand)
            return
        wrapping = conversions.conversion(self.target, node, operand.type, node.type, node.rounding)
        if wrapping:
            self.wrap(operand, wrapping)
        self.visit(operand)

    def splat(self, node: tree.Splat) -> None:
        """Write an implicit vector out, since functions need vectors."""
        if is_half(node.type) and extent(node) == extent(node.operand):
            self.wrap(node.operand, Wrapping(f"({self.target.type(node.type)})("))
        self.visit(node.operand)

    def conditional(self, node: tree.Conditional) -> None:
        """Cast a conditional of half bits, which C would promote to int."""
        if is_half(node.type) and not self.target.fp16 and isinstance(node.type, Scalar):
            start, end = extent(node.condition)[0], extent(node.no)[1]
            self.target.edits.wrap((start, end), f"({self.target.type(node.type)})(")
        self.visit_children(node)

    def initial_values(self, node: tree.InitialValues) -> None:
        """Write an initializer, with computed values of ranges once per element.

        Clang does not repeat the calls in them.
        """
        counts = Counter(id(part) for _, part in node.parts)
        repeated = {id(part): part for _, part in node.parts if counts[id(part)] > 1}
        if not any(self._is_call(n) for part in repeated.values() for n in tree.walk(part)):
            self.visit_children(node)
            return
        texts = []
        for offset, part in node.parts:
            path = path_to(node.type, 0, offset, part.type, lambda member: member.name) or ""
            texts.append(f"{_UNNAMED.sub('', path)} = {self.part(part)}")
        end = _closing_brace(self.target.data, node.at)
        self.target.edits.replace((node.at, end), f"{{{', '.join(texts)}}}")

    def _is_call(self, node: tree.Node) -> bool:
        """Return whether an edit calls a function for a value that is not constant."""
        is_constant = isinstance(node, tree.Expression) and (
            constants.value_of(node, self._modes()) is not None
        )
        return not is_constant and self._computes(node)

    def omitted_conditional(self, node: tree.OmittedConditional) -> None:
        """Name the first operand of a ?: b, an integer, if the result is of another type."""
        (declare,), choice = node.statements.statements, node.value
        assert isinstance(declare, tree.Declare) and choice is not None
        first = declare.variables[0].initial
        assert first is not None
        if isinstance(choice, tree.Conditional) and isinstance(choice.yes, tree.Conversion):
            self._name_first(choice, choice.yes, first)
        self.visit(first)
        self.visit(choice.no if isinstance(choice, tree.Conditional) else next(choice.children()))

    def _name_first(
        self, choice: tree.Conditional, yes: tree.Conversion, first: tree.Expression
    ) -> None:
        target, start, end = self.target, *extent(first)
        type_, result, mode = yes.operand.type, yes.type, yes.rounding
        into = conversions.explicit_conversion(target, choice, type_, result, mode)
        name = f"({{ {target.type(type_)} hc_given = "
        target.edits.wrap((start, extent(choice.no)[1]), name, "); })")
        at = target.data.index(b"?", end)
        used = f"; ({target.type(result)})(hc_given ? {into('hc_given')} "
        target.edits.replace((at, at + 1), used)

    # ------------------------------------------------------------ assignments

    def compound(self, node: tree.CompoundAssignment) -> None:
        target, computed, operator = node.target, node.computed, node.operator
        if not self._needs_translation(node):
            self.visit_children(node)
            return
        assert isinstance(target.type, Scalar | Vector) and isinstance(computed, Scalar | Vector)
        into, back = self._conversions_around(node, target.type, computed, node.rounding)
        old = self._place(target)
        if self.target.contract == "always" and self._is_fused_compound(node):
            self._fuse_compound(node, old, into, back)
            return
        called = self._operation(operator, computed, node.rounding)
        place = (node.operator_at, node.operator_at + len(operator) + 1)
        self.target.edits.replace(place, f"= {back.prefix}{called}({into(old.text)},")
        self.target.edits.wrap(extent(node.value), "", f"){back.suffix}{old.end}")
        self._spread(node.value)
        self.visit(node.value)

    def _place(self, target: tree.Expression) -> Place:
        """Return the text that reads what is assigned to, and edit the text that names it.

        What has side effects is named once: a pointer to it is.
        """
        if is_plain(target):
            text = self.part(target)
            self.visit(target)
            return Place(text)
        place = place_of(self.target, target, self.part)
        self.target.edits.replace(extent(target), place.begin + place.text)
        return place

    def _needs_translation(self, node: tree.CompoundAssignment) -> bool:
        """Return whether the operation, or a conversion around it, must be translated."""
        computed = node.computed
        if node.operator not in ARITHMETIC or not isinstance(computed, Scalar | Vector):
            return False
        if not computed.is_floating:
            return False
        fuses = self.target.contract == "always" and self._is_fused_compound(node)
        kind = node.target.type
        if fuses or self._needs_function(node.operator, computed, node.rounding):
            return True
        return kind != node.computed and (
            is_half(kind)
            or is_half(node.computed)
            or self.target.needs_directed_rounding(kind, node.rounding)
        )

    def _conversions_around(
        self, node: tree.Node, type_: types.Number, computed: types.Number, mode: tree.Mode
    ) -> tuple[Wrapping, Wrapping]:
        """Return the conversions of a target's value to an operand, and of the result back."""
        into = conversions.explicit_conversion(self.target, node, type_, computed, mode)
        return into, conversions.explicit_conversion(self.target, node, computed, type_, mode)

    def _as_binary(self, node: tree.CompoundAssignment) -> tree.Binary:
        operand: tree.Expression = node.target
        if node.target.type != node.computed:
            operand = tree.Conversion(node.at, node.computed, node.target, node.rounding)
        return tree.Binary(
            node.at, node.computed, node.operator, operand, node.value, node.rounding,
            node.contracts, node.operator_at,
        )  # fmt: skip

    def _is_fused_compound(self, node: tree.CompoundAssignment) -> bool:
        return find_fusion(self._as_binary(node)) is not None

    def _fuse_compound(
        self, node: tree.CompoundAssignment, old: Place, into: Wrapping, back: Wrapping
    ) -> None:
        """Translate x += a * b: x is the last operand, but the text of the product comes second."""
        fusion = find_fusion(self._as_binary(node))
        assert fusion is not None and not fusion.product_is_left
        target, product, value = self.target, fusion.product, extent(node.value)
        name = "fma_last" + ("_negative" if fusion.negates_product else "")
        target.functions |= {"fma", "negative"}
        called = target.helper(f"{name}_{_kind(node.computed)}", node.rounding)
        place = (node.operator_at, node.operator_at + len(node.operator) + 1)
        target.edits.replace(place, f"= {back.prefix}{called}({into(old.text)},")
        target.edits.wrap(value, "", f"){back.suffix}{old.end}")
        target.edits.remove_punctuation(target.data, (value[0], extent(product.left)[0]))
        target.edits.remove_punctuation(target.data, (extent(product.right)[1], value[1]))
        target.edits.replace((product.operator_at, product.operator_at + 1), f"{TIGHT},")
        self._spread(product.left, product.right)
        for operand in (product.left, product.right):
            self.visit(operand)

    def increment(self, node: tree.Increment) -> None:
        type_ = node.type
        if not isinstance(type_, Scalar | Vector):
            self.visit(node.target)
            return
        if not (type_.is_floating and self._needs_function("+", type_, node.rounding)):
            self.visit(node.target)
            return
        place = extent(node.target)
        sign = "+" if node.step > 0 else "-"
        if node.is_prefix:
            self.target.edits.replace((node.at, node.at + 2), "")
        else:
            at = self.target.data.index((2 * sign).encode(), place[1])
            self.target.edits.replace((at, at + 2), "")
        called, one = self._operation(sign, type_, node.rounding), constants.one(self.target, type_)
        gives_old = not node.is_prefix and id(node) not in self._unused
        if is_plain(node.target) and not gives_old:
            text = f"{called}({self.part(node.target)}, {one})"
            self.target.edits.wrap(place, "(", f" = {text})")
            self.visit(node.target)
            return
        old = place_of(self.target, node.target, self.part)
        new = f"{old.text} = {called}({old.text}, {one})"
        if gives_old:
            name = self.target.type(type_)
            new = f"{name} hc_old = {old.text}; {old.text} = {called}(hc_old, {one}); hc_old"
        self.target.edits.replace(place, f"{old.begin}{new}{old.end}")

    # ------------------------------------------------------------ calls

    def _uses_sub_groups(self, function: tree.Function) -> bool:
        key = id(function)
        if key not in self._sub_group_users:
            self._sub_group_users[key] = sub_groups.uses_sub_groups(function)
        return self._sub_group_users[key]

    def user_call(self, node: tree.Call) -> None:
        if self._uses_sub_groups(node.function):
            sub_groups.user_call(self.target, node)
        self.visit_children(node)

    def builtin(self, node: tree.BuiltinCall) -> None:
        builtin_call(self.target, node)
        self.visit_children(node)


def _closing_brace(text: bytes, at: int) -> int:
    """Return the end of what a brace opens."""
    depth = 0
    for match in _BRACES.finditer(text, at):
        depth += {b"{": 1, b"}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    raise AssertionError("a brace is not closed")


def _parts(node: tree.InitialValues | tree.VectorLiteral) -> list[tree.Expression]:
    """Return the parts of an initializer or a vector literal."""
    if isinstance(node, tree.InitialValues):
        return [part for part in node.children() if isinstance(part, tree.Expression)]
    return node.parts


def _is_rare(node: tree.Expression) -> bool:
    """Return whether compilers may not take it as a constant, or compute another one.

    PoCL's clang does not take elements of other constants; Intel's has 1 for vectors' true && true,
    and extends !x of unsigned x by zeros.
    """
    return any(
        isinstance(each, tree.Dereference | tree.Member)
        or (isinstance(each, tree.Unary) and each.operator == "!" and isinstance(each.type, Vector))
        or (isinstance(each, tree.Binary) and each.operator in ("&&", "||"))
        for each in tree.walk(node)
    )


def _kind(type_: types.Type) -> str:
    return "half" if is_half(type_) else "wide"


_EDITS: dict[type, Callable[[Editor, Any], None]] = {
    tree.Literal: Editor.literal,
    tree.Unary: Editor.unary,
    tree.Binary: Editor.binary,
    tree.Conversion: Editor.conversion,
    tree.Splat: Editor.splat,
    tree.Conditional: Editor.conditional,
    tree.OmittedConditional: Editor.omitted_conditional,
    tree.CompoundAssignment: Editor.compound,
    tree.Increment: Editor.increment,
    tree.InitialValues: Editor.initial_values,
    tree.Call: Editor.user_call,
    tree.BuiltinCall: Editor.builtin,
}
