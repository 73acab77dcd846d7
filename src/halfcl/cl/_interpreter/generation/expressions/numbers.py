"""Code of numbers, conversions and calls."""

from __future__ import annotations

from halfcl.cl._frontend import tree, types
from halfcl.cl._frontend.arithmetic import COMPARISONS
from halfcl.cl._frontend.fusion import Fusion, find_fusion
from halfcl.cl._frontend.literals.samplers import sampler_of
from halfcl.cl._frontend.types import Opaque, Pointer, Scalar, Vector
from halfcl.cl._interpreter import builtins, contraction
from halfcl.cl._interpreter.generation.analysis import (
    can_end,
    is_narrowing,
    is_watched,
)
from halfcl.cl._interpreter.generation.expressions.assignment import assignment
from halfcl.cl._interpreter.generation.expressions.conditions import comparison, condition
from halfcl.cl._interpreter.generation.expressions.operations import builtin, fma, operation
from halfcl.cl._interpreter.generation.writer import Values, Writer, function_key
from halfcl.cl._interpreter.values import lanes, numbers


def _unary(out: Writer, node: tree.Unary) -> str:
    if isinstance(node.operand.type, Pointer) or (
        node.operator == "!" and isinstance(node.type, Scalar)
    ):
        return f"int_from_truth(logical_not({condition(out, node.operand)}))"
    number = node.operand.type
    operate = out.module.bind(
        "u", (node.operator, number), lambda: numbers.unary(node.operator, number)
    )
    return f"{operate}({out.value(node.operand)})"


def _binary(out: Writer, node: tree.Binary) -> str:
    if result := operation(out, node):
        return str(result)
    vector = node.left.type
    if node.operator in COMPARISONS or node.operator in ("&&", "||"):
        if not isinstance(vector, Vector):
            return f"int_from_truth({comparison(out, node)})"
        dtype = types.comparison_type(vector).dtype
        key = node.operator, vector.element
        operate = out.module.bind("cmp", key, lambda: numbers.vector_condition(*key, dtype))
    else:
        fusion = out.module.contracting != "never" and find_fusion(node)
        if fusion:
            return contraction_of(out, node, fusion)
        operate = out.module.operation(node.operator, node.type, node.rounding)
    left, right = out.operands(node.left, node.right)
    if out.module.checks and is_watched(node):
        left, right = out.temporary(left), out.temporary(right)
        number = out.module.bind("number", node.type, lambda: node.type)
        at = node.operator_at or node.at
        out.line(f"run.see_division({node.operator!r}, {number}, {left}, {right}, m, {at})")
    return f"{operate}({left}, {right})"


def contraction_of(out: Writer, node: tree.Binary, fusion: Fusion) -> str:
    """Write a sum of a product, fused or computed both ways."""
    values = fusion.factors_first(out.operands(*fusion.operands))
    if out.module.contracting == "always":
        return f"{fma(out, node, fusion)}({', '.join(values)})"
    mode, product_mode = (
        out.module.mode(each.rounding, node.type) for each in (node, fusion.product)
    )
    watch = out.module.bind(
        "watch", node, lambda: contraction.Watch(fusion, node, mode, product_mode)
    )
    name = out.new("t")
    out.line(f"{name} = {watch}(run, m, {', '.join(values)})")
    return name


def _pointer_step(out: Writer, node: tree.PointerStep) -> str:
    pointer, index = out.operands(node.pointer, node.index)
    size = node.sign * node.type.pointee.size
    return pointer if index == "0" else f"step({pointer}, {index}, {size})"


def _pointer_difference(out: Writer, node: tree.PointerDifference) -> str:
    left, right = out.operands(node.left, node.right)
    return f"run.difference({left}, {right}, {node.left.type.pointee.size})"


def _comma(out: Writer, node: tree.Comma) -> str:
    evaluate(out, node.first)
    return out.value(node.second)


def fold(out: Writer, node: tree.Expression) -> int | float | None:
    """Return the value of a literal, perhaps converted or negated; None for other nodes."""
    type_ = node.type
    if not isinstance(type_, Scalar) or type_ == types.BOOL:
        return None
    if isinstance(node, tree.Literal):
        return node.value
    operand = node.operand if isinstance(node, tree.Conversion | tree.Unary) else None
    if not isinstance(operand, tree.Literal) or not isinstance(operand.type, Scalar):
        return None
    if out.module.checks and is_watched(node):
        return None
    value = numbers.constant(operand.type, operand.value)
    if isinstance(node, tree.Conversion):
        mode = out.module.mode(node.rounding, type_) if type_.is_floating else "rtz"
        result = numbers.conversion(operand.type, type_, mode)(value)
    elif isinstance(node, tree.Unary) and node.operator == "-" and not type_.is_floating:
        result = numbers.unary("-", type_)(value)
    else:
        return None
    return result if type(result) is int else float(lanes.as_array(result, type_.dtype)[0])


def _conversion(out: Writer, node: tree.Conversion) -> str:
    source = node.operand.type
    target = node.type
    if isinstance(source, Pointer) or source == target:
        return out.value(node.operand)
    mode = out.module.mode(node.rounding, target) if target.is_floating else "rtz"
    if target == types.BOOL:
        return f"int_from_truth({condition(out, node.operand)})"
    constant_value = fold(out, node)
    if constant_value is not None:
        return out.module.literal(target, constant_value)
    convert = out.module.conversion(source, target, mode)
    value = out.value(node.operand)
    if out.module.checks and is_watched(node):
        value = out.temporary(value)
        see_conversion(out, source, target, "rtz", value, node.at)
    return f"{convert}({value})"


def see_conversion(
    out: Writer, source: types.Type, target: types.Type, mode: str, value: str, at: int
) -> None:
    """Write an observation of a conversion; the value has a name."""
    source_type = out.module.bind("number", source, lambda: source)
    target_type = out.module.bind("number", target, lambda: target)
    out.line(f"run.see_conversion({source_type}, {target_type}, {mode!r}, {value}, m, {at})")


def _splat(out: Writer, node: tree.Splat) -> str:
    return f"splat({out.value(node.operand)}, {out.module.dtype(node.type.dtype)})"


def _reinterpretation(out: Writer, node: tree.Reinterpretation) -> str:
    operand = node.operand
    source = operand.type
    target = node.type
    if isinstance(operand, tree.Literal) and isinstance(target, Pointer | Opaque):
        if target == types.SAMPLER:
            return out.module.bind("sampler", operand.value, lambda: sampler_of(int(operand.value)))
        if operand.value == 0:
            return out.module.zero(target)
    if target == types.VOID:
        evaluate(out, operand)
        return "None"
    value = out.value(node.operand)
    if isinstance(target, Scalar | Vector) and isinstance(source, Scalar | Vector):
        operate = out.module.bind(
            "as", (source, target), lambda: builtins.reinterpretation(source, target)
        )
        return f"{operate}({value})"
    if isinstance(source, Pointer) and isinstance(target, Scalar):
        convert = out.module.conversion(types.LONG, target, "rtz")
        return f"{convert}(run.address({value}))"
    if isinstance(source, Scalar) and isinstance(target, Pointer):
        convert = out.module.conversion(source, types.LONG, "rtz")
        return f"run.pointer_at({convert}({value}), m)"
    return value


def _vector_literal(out: Writer, node: tree.VectorLiteral) -> str:
    vector = node.type
    parts = out.operands(*node.parts)
    dtype = out.module.dtype(vector.dtype)
    if len(parts) == 1 and isinstance(node.parts[0].type, Scalar):
        return f"splat({parts[0]}, {dtype})"
    widths = tuple(part.type.width for part in node.parts)
    return f"join_components(({', '.join(parts)},), {widths}, {dtype})"


def _call(out: Writer, node: tree.Call, is_used: bool = True) -> str:
    arguments = out.operands(*node.arguments)
    name, function = out.new("t"), node.function
    out.line(f"{name} = f_{function_key(function)}(run, {', '.join(['m', *arguments])})")
    if is_used and out.module.checks and function.result != types.VOID and can_end(function):
        out.line(f"run.use_value({function.name!r}, {node.at})")
    return name


def _builtin_call(out: Writer, node: tree.BuiltinCall, is_used: bool = True) -> str:
    if result := operation(out, node):
        return str(result)
    arguments = out.operands(*node.arguments)
    to = builtins.unsaturated_mode(node.name) if out.module.checks else None
    if to and is_narrowing(source := node.arguments[0].type, node.type):
        arguments = [out.temporary(arguments[0])]
        see_conversion(out, source, node.type, to, arguments[0], node.at)
    operate = builtin(out, node)
    function = out.module.names[operate]
    if isinstance(function, builtins.RunFunction):
        arguments = ["run", "m", str(node.at), *arguments]
    call = f"{operate}({', '.join(arguments)})"
    if not isinstance(function, builtins.Effect):
        return call
    if not is_used:
        return call.replace(operate, f"{operate}.unused", 1)
    name = out.new("t")
    out.line(f"{name} = {call}")
    return name


def evaluate(out: Writer, node: tree.Expression) -> None:
    """Write an expression for its side effects."""
    if isinstance(node, tree.Comma):
        evaluate(out, node.first)
        evaluate(out, node.second)
        return
    if isinstance(node, tree.BuiltinCall):
        value = _builtin_call(out, node, is_used=False)
    elif isinstance(node, tree.Call):
        value = _call(out, node, is_used=False)
    elif isinstance(node, tree.Assignment | tree.CompoundAssignment):
        value = assignment(out, node, is_used=False)
    else:
        value = out.value(node)
    if not value.isidentifier() and "(" in value:
        out.line(value)


VALUES: Values = {
    tree.Literal: lambda out, node: out.module.literal(node.type, node.value),
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.PointerStep: _pointer_step,
    tree.PointerDifference: _pointer_difference,
    tree.Comma: _comma,
    tree.Conversion: _conversion,
    tree.Splat: _splat,
    tree.Reinterpretation: _reinterpretation,
    tree.VectorLiteral: _vector_literal,
    tree.Call: _call,
    tree.BuiltinCall: _builtin_call,
}
