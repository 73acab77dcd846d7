"""Values of constant expressions, and numbers as text."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

import halfcl as hc
from halfcl import MODES
from halfcl._opencl.conversion.functions import conversion_to
from halfcl.cl._frontend import tree
from halfcl.cl._frontend.arithmetic import ARITHMETIC, Array, floating_operation
from halfcl.cl._frontend.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    Number,
    Pointer,
    Scalar,
    Vector,
    limits,
    wrap,
)
from halfcl.cl._translation.target import Target
from halfcl.typing import RoundingMode

Value: TypeAlias = float | int

#: The components of a number; a scalar has one.
Components: TypeAlias = tuple[Value, ...]


def value_of(node: tree.Expression, modes: tuple[RoundingMode, ...]) -> Value | None:
    """Return a scalar constant's value if it is the same in all modes that a launch may have."""
    if not isinstance(node.type, Scalar):
        return None
    components = components_of(node, modes)
    return None if components is None else components[0]


def components_of(node: tree.Expression, modes: tuple[RoundingMode, ...]) -> Components | None:
    """Return a constant's components if they are the same in all modes; else None."""
    first, *rest = components_by_mode(node, modes) or (None,)
    return first if first is not None and all(_are_same(first, each) for each in rest) else None


def components_by_mode(
    node: tree.Expression, modes: tuple[RoundingMode, ...]
) -> tuple[Components, ...] | None:
    """Return a constant's components in each mode; None if it is not constant."""
    results: tuple[Components, ...] = ()
    with np.errstate(all="ignore"):
        for mode in modes:
            components = _evaluate(node, mode)
            if components is None:
                return None
            results += (components,)
    return results


def _are_same(a: Components, b: Components) -> bool:
    """Return whether numbers are equal, with the signs of zeros; NaNs are equal."""
    return all(
        (x != x and y != y) or (x == y and math.copysign(1, x) == math.copysign(1, y))
        for x, y in zip(a, b, strict=True)
    )


def _evaluate(node: tree.Expression, mode: RoundingMode) -> Components | None:
    evaluate = _EVALUATORS.get(type(node))
    return evaluate(node, mode) if evaluate is not None and is_number(node.type) else None


def is_number(type_: object) -> bool:
    """Return whether a type is a scalar or a vector."""
    return isinstance(type_, Scalar | Vector)


def _literal(node: tree.Literal, mode: RoundingMode) -> Components | None:
    return (node.value,)


def _conversion(node: tree.Conversion, mode: RoundingMode) -> Components | None:
    operands = _evaluate(node.operand, mode)
    if operands is None:
        return None
    source, target = node.operand.type.element, node.type.element
    own_mode = mode if node.rounding is None else node.rounding
    return tuple(_convert(source, target, value, own_mode) for value in operands)


def _convert(source: Scalar, target: Scalar, value: Value, mode: RoundingMode) -> Value:
    if target == BOOL:
        return int(value != 0)
    if not source.is_floating and not target.is_floating:
        return wrap(int(value), target.dtype)
    own_mode: RoundingMode = mode if target.is_floating else "rtz"
    return _number(target, conversion_to(target.name)(_array(source, value), rounding=own_mode))


def _splat(node: tree.Splat, mode: RoundingMode) -> Components | None:
    operand = _evaluate(node.operand, mode)
    return None if operand is None else operand * node.type.width


def _vector_literal(node: tree.VectorLiteral, mode: RoundingMode) -> Components | None:
    components: Components = ()
    for part in node.parts:
        own = _evaluate(part, mode)
        if own is None:
            return None
        components += own
    return components * (node.type.width if len(components) == 1 else 1)


def _swizzle(node: tree.Swizzle, mode: RoundingMode) -> Components | None:
    base = _evaluate(node.base, mode)
    if base is None or max(node.indices) >= len(base):
        return None
    return tuple(base[index] for index in node.indices)


def _unary(node: tree.Unary, mode: RoundingMode) -> Components | None:
    operands, element = _evaluate(node.operand, mode), node.type.element
    if operands is None:
        return None
    if node.operator == "!":
        return tuple(_truth(node.type, value == 0) for value in operands)
    if element.is_floating:
        return tuple(-float(value) if node.operator == "-" else value for value in operands)
    function = _UNARY[node.operator]
    return tuple(wrap(function(int(value)), element.dtype) for value in operands)


def _binary(node: tree.Binary, mode: RoundingMode) -> Components | None:
    firsts, seconds = _evaluate(node.left, mode), _evaluate(node.right, mode)
    if firsts is None or seconds is None:
        return None
    type_ = node.left.type
    if len(firsts) > len(seconds):  # a shift of a vector by a scalar
        seconds *= len(firsts)
    if compare := _COMPARE.get(node.operator):
        pairs = zip(firsts, seconds, strict=True)
        return tuple(_truth(node.type, compare(a, b)) for a, b in pairs)
    own_mode = mode if node.rounding is None else node.rounding
    results: Components = ()
    for operands in zip(firsts, seconds, strict=True):
        result = _operate(node.operator, type_.element, own_mode, *operands)
        if result is None:
            return None
        results += (result,)
    return results


def _truth(type_: Number, holds: bool) -> int:
    """Return a truth, which in a vector has all bits."""
    return int(holds) if isinstance(type_, Scalar) else -int(holds)


def _operate(
    symbol: str, element: Scalar, mode: RoundingMode, first: Value, second: Value
) -> Value | None:
    """Return the result of an operation on two scalars; None if it is undefined."""
    if element.is_floating:
        if symbol not in ARITHMETIC:
            return None
        operands = (_array(element, value) for value in (first, second))
        return _number(element, floating_operation(symbol, element, mode)(*operands))
    a, b = int(first), int(second)
    if symbol in ("<<", ">>"):
        b &= 8 * element.size - 1
    function = _INTEGERS.get(symbol)
    if function is None or (symbol in "/%" and b == 0):
        return None
    return wrap(function(a, b), element.dtype)


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_COMPARE: dict[str, Callable[[Value, Value], bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
    "&&": lambda a, b: a != 0 and b != 0, "||": lambda a, b: a != 0 or b != 0,
}  # fmt: skip

_UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg, "+": operator.pos, "~": operator.invert,
}  # fmt: skip

_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "/": _quotient, "%": lambda a, b: a - b * _quotient(a, b),
}  # fmt: skip


def _logical(node: tree.Logical, mode: RoundingMode) -> Components | None:
    first, second = _evaluate(node.left, mode), _evaluate(node.right, mode)
    if first is None or second is None:
        return None
    truths = first[0] != 0, second[0] != 0
    return (int(all(truths) if node.operator == "&&" else any(truths)),)


def _conditional(node: tree.Conditional, mode: RoundingMode) -> Components | None:
    condition = _evaluate(node.condition, mode)
    if condition is None or len(condition) != 1:
        return None
    return _evaluate(node.yes if condition[0] != 0 else node.no, mode)


def _comma(node: tree.Comma, mode: RoundingMode) -> Components | None:
    first = _evaluate(node.first, mode)
    return None if first is None else _evaluate(node.second, mode)


def _part_of_constant(
    node: tree.Variable | tree.Dereference | tree.Member, mode: RoundingMode
) -> Components | None:
    """Return the initial value of a constant variable, or of a part of one."""
    place = _place(node)
    if place is None:
        return None
    initial, offset = place
    while isinstance(initial, tree.InitialValues):
        inside = [(a, p) for a, p in initial.parts if a <= offset < a + p.type.size]
        if not inside:
            return (0,) * int(node.type.width)
        at, initial = inside[-1]
        offset -= at
    return _evaluate(initial, mode) if offset == 0 and initial.type == node.type else None


def _place(node: tree.Expression) -> tuple[tree.Expression, int] | None:
    """Return a constant variable's initial value, and the offset of a part of it."""
    if isinstance(node, tree.Variable):
        declaration = node.declaration
        is_known = declaration.space == "constant" and declaration.initial is not None
        return (declaration.initial, 0) if is_known else None  # type: ignore[return-value]
    if isinstance(node, tree.Member):
        place = _place(node.base)
        return None if place is None else (place[0], place[1] + node.field.offset)
    if isinstance(node, tree.Dereference):
        return _place_pointed_to(node.pointer)
    return None


def _place_pointed_to(node: tree.Expression) -> tuple[tree.Expression, int] | None:
    if isinstance(node, tree.AddressOf):
        return _place(node.target)
    if isinstance(node, tree.PointerStep):
        place, index = _place_pointed_to(node.pointer), _evaluate(node.index, "rte")
        if place is None or index is None:
            return None
        return place[0], place[1] + node.sign * int(index[0]) * node.type.pointee.size
    return _place_pointed_to(node.operand) if isinstance(node, tree.Reinterpretation) else None


def _builtin(node: tree.BuiltinCall, mode: RoundingMode) -> Components | None:
    """Return the result of an integer function of the compiler's own."""
    function = _OF_COMPILER.get(node.builtin.stem)
    operands = [_evaluate(a, mode) for a in node.arguments]
    if function is None or operands[0] is None:
        return None
    bits = 8 * node.arguments[0].type.size
    return (wrap(function(int(operands[0][0]) % (1 << bits), bits), node.type.dtype),)


#: Functions of a number without sign and of its number of bits.
_OF_COMPILER: dict[str, Callable[[int, int], int]] = {
    "__builtin_popcount": lambda x, bits: x.bit_count(),
    "__builtin_parity": lambda x, bits: x.bit_count() & 1,
    "__builtin_clz": lambda x, bits: bits - x.bit_length(),
    "__builtin_ctz": lambda x, bits: (x & -x).bit_length() - 1,
    "__builtin_ffs": lambda x, bits: (x & -x).bit_length(),
    "__builtin_bswap": lambda x, bits: int.from_bytes(x.to_bytes(bits // 8, "little"), "big"),
    "__builtin_bitreverse": lambda x, bits: int(f"{x:0{bits}b}"[::-1], 2),
}


def _reinterpretation(node: tree.Reinterpretation, mode: RoundingMode) -> Components | None:
    """Return the number that an address is, as those of members of a null pointer's structure."""
    address = None
    if isinstance(node.operand.type, Pointer) and isinstance(node.type, Scalar):
        address = _address(node.operand)
    return None if address is None else (wrap(address, node.type.dtype),)


def _address(node: tree.Expression) -> int | None:
    if isinstance(node, tree.Literal):
        return int(node.value)
    if isinstance(node, tree.Reinterpretation):
        return _address(node.operand)
    if isinstance(node, tree.AddressOf):
        return _address_of(node.target)
    if isinstance(node, tree.PointerStep):
        start, index = _address(node.pointer), _evaluate(node.index, "rte")
        if start is not None and index is not None:
            return start + node.sign * int(index[0]) * int(node.type.pointee.size)
    return None


def _address_of(node: tree.Expression) -> int | None:
    if isinstance(node, tree.Member):
        base = _address_of(node.base)
        return None if base is None else base + node.field.offset
    return _address(node.pointer) if isinstance(node, tree.Dereference) else None


def _omitted_conditional(node: tree.OmittedConditional, mode: RoundingMode) -> Components | None:
    (declare,), choice = node.statements.statements, node.value
    if not isinstance(declare, tree.Declare) or not isinstance(choice, tree.Conditional):
        return None
    (holder,) = declare.variables
    first = None if holder.initial is None else _evaluate(holder.initial, mode)
    if first is None or len(first) != 1:
        return None
    if first[0] == 0:
        return _evaluate(choice.no, mode)
    literal = tree.Literal(node.at, holder.type, first[0])
    yes = choice.yes
    if isinstance(yes, tree.Conversion):
        return _conversion(tree.Conversion(node.at, yes.type, literal, yes.rounding), mode)
    return first


_EVALUATORS: dict[type, Callable[[Any, RoundingMode], Components | None]] = {
    tree.Literal: _literal,
    tree.Conversion: _conversion,
    tree.Splat: _splat,
    tree.VectorLiteral: _vector_literal,
    tree.Swizzle: _swizzle,
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.Logical: _logical,
    tree.Reinterpretation: _reinterpretation,
    tree.BuiltinCall: _builtin,
    tree.Comma: _comma,
    tree.Variable: _part_of_constant,
    tree.Dereference: _part_of_constant,
    tree.Member: _part_of_constant,
    tree.Conditional: _conditional,
    tree.OmittedConditional: _omitted_conditional,
}


def _array(type_: Scalar, value: Value) -> Array:
    kind = np.float64 if type_.is_floating else type_.dtype
    return np.array([value], kind).astype(type_.dtype)


def _number(type_: Scalar, array: Array) -> Value:
    return float(array[0]) if type_.is_floating else int(array[0])


# ---------------------------------------------------------------- text


def half_constant(target: Target, value: float, shown: str = "") -> str:
    """Return a half as text. shown: its spelling in the source."""
    if target.fp16:  # a conversion is a constant in all compilers, unlike as_half
        return _special("half", value) or parenthesize_negative(digits(value) + "h")
    return f"HCI_HALF(0x{half_bits(value):04x}{_comment(shown)})"


def _comment(shown: str) -> str:
    """Return a spelling in the source as a comment, if it can be one."""
    return f" /* {shown} */" if shown and "\n" not in shown and "*/" not in shown else ""


def float_constant(type_: Scalar, value: float) -> str:
    """Return a float or double as text."""
    suffix = "f" if type_ == FLOAT else ""
    return _special(str(type_), value) or parenthesize_negative(digits(value) + suffix)


def _special(type_: str, value: float) -> str:
    """Return an infinity or a NaN as text; "" for other numbers.

    The macro NAN of some devices is no constant.
    """
    if math.isfinite(value):
        return ""
    text = "0.0f / 0.0f" if value != value else "INFINITY"
    return f"({type_})({'-' if math.copysign(1, value) < 0 else ''}({text}))"


def integer_constant(type_: Scalar, value: int, shown: str = "") -> str:
    """Return an integer as text of its own type."""
    if type_.name == "int" and value != limits(type_.dtype)[0]:
        return parenthesize_negative(str(value)) + _comment(shown)
    bits = value % (1 << 8 * type_.size)
    return f"(({type_})0x{bits:x}{'ul' if type_.size == 8 else 'u'}{_comment(shown)})"


def digits(value: float) -> str:
    """Return a finite number as exact text: decimal if that is short, else hexadecimal."""
    return repr(value) if "e" not in repr(value) else value.hex()


def half_bits(value: float) -> int:
    """Return the bits of a number rounded to half."""
    with np.errstate(all="ignore"):
        return int(np.array([value], np.float64).astype(hc.half).view(np.uint16)[0])


def parenthesize_negative(text: str) -> str:
    """Return a number as an operand, in parentheses if negative."""
    return f"({text})" if text.startswith("-") else text


def constant(target: Target, type_: Number, value: Value, shown: str = "") -> str:
    """Return a number as text."""
    element = type_.element
    if element == HALF:
        return half_constant(target, float(value), shown)
    if element in (FLOAT, DOUBLE):
        return float_constant(element, float(value))
    return integer_constant(element, int(value), shown)


def vector_constant(target: Target, type_: Vector, components: Components) -> str:
    """Return a vector as text."""
    parts = ", ".join(constant(target, type_.element, value) for value in components)
    return f"({target.type(type_)})({parts})"


def constant_in_mode(texts: Sequence[str], modes: Sequence[RoundingMode]) -> str:
    """Return the choice of a text by the mode that a launch begins with."""
    if len(set(texts)) == 1:
        return texts[0]
    assert tuple(modes) == MODES
    return f"HC_IN(choose, HC_MODE)({', '.join(texts)})"


#: What `constant_in_mode` refers to.
CHOICES = "\n".join(f"#define hc_choose_{mode}({', '.join(MODES)}) {mode}" for mode in MODES)


def one(target: Target, type_: Number) -> str:
    """Return the number 1 of a type as text."""
    text = constant(target, type_, 1)
    return text if isinstance(type_, Scalar) else f"({target.type(type_)})({text})"
