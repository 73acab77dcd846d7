"""long long, which has 128 bits in OpenCL C: computed in 64 bits where these suffice.

The lower 64 bits of a sum or a product depend only on those of its operands. Quotients, right
shifts, comparisons and conversions to floating numbers need operands that fit into 64 bits, as all
do that are converted from other integers; what may not fit is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.arithmetic import COMPARISONS
from halfcl.cl._frontend.types import (
    BOOL,
    LONG,
    LONG_LONG,
    ULONG,
    ULONG_LONG,
    Scalar,
    Type,
    limits,
    wrap,
)

_NARROW = {LONG_LONG: LONG, ULONG_LONG: ULONG}
_BITS = 128
#: What a counter may be increased by at once, and how far it gets in years.
_STEP, _FAR = 1 << 16, 1 << 61
_REFUSED = "not supported: long long has 128 bits in OpenCL C, and this may need more than 64"


class _Range(NamedTuple):
    """The least and the greatest value that an expression may have."""

    low: int
    high: int


def is_long_long(type_: object) -> bool:
    """Return whether a type is long long, signed or not."""
    return type_ in (LONG_LONG, ULONG_LONG)


def narrow_long_longs(program: tree.Program, refuse: Callable[[int, str], None]) -> None:
    """Give all of a program's long longs 64 bits; refuse what may need more."""
    roots: list[tree.Node] = [d.initial for d in program.constants if d.initial is not None]
    roots += [f.body for f in program.functions.values() if f.body is not None]
    nodes = [node for root in roots for node in tree.walk(root)]
    narrower = _Narrower(_Variables(nodes), refuse)
    for node in nodes:
        narrower.check(node)
    declarations = list(program.constants)
    for node in nodes:
        if isinstance(node, tree.Literal) and is_long_long(node.type):
            node.value = wrap(int(node.value), node.type.dtype)
        if isinstance(node, tree.Declare | tree.Switch):
            declarations += node.variables
    for function in program.functions.values():
        declarations += function.parameters
        if function.is_kernel and any(is_long_long(p.type) for p in function.parameters):
            refuse(function.at, "not supported: a kernel's argument of type long long")
        function.result = _narrow(function.result)
    for each in [*declarations, *nodes]:
        if isinstance(each, tree.Declaration | tree.Expression):
            each.type = _narrow(each.type)
        if isinstance(each, tree.CompoundAssignment):
            each.computed = _narrow(each.computed)


def _narrow(type_: Type) -> Type:
    return _NARROW.get(type_, type_) if isinstance(type_, Scalar) else type_


def _limits(type_: Scalar) -> _Range:
    if not is_long_long(type_):
        return _Range(*limits(type_.dtype))
    if type_.is_signed:
        return _Range(-(1 << (_BITS - 1)), (1 << (_BITS - 1)) - 1)
    return _Range(0, (1 << _BITS) - 1)


class _Variables:
    """The values that variables of long long get.

    A counter, which is increased or decreased by small numbers, gets no further than _FAR.
    """

    def __init__(self, nodes: list[tree.Node]) -> None:
        self._values: dict[int, list[tree.Expression] | None] = {}
        self._counters: set[tuple[int, int]] = set()  # variables, and 1 or -1 for the direction
        for node in nodes:
            if isinstance(node, tree.Declare | tree.Switch):
                for each in node.variables:
                    self._add(each, each.initial)
            elif isinstance(node, tree.Assignment):
                self._add(_root(node.target), node.value)
            elif isinstance(node, tree.Increment):
                self._counters.add((id(_root(node.target)), node.step))
            elif isinstance(node, tree.CompoundAssignment):
                self._compound(node)

    def _add(self, variable: object, value: tree.Expression | None) -> None:
        values = self._values.setdefault(id(variable), [])
        if values is not None and value is not None:
            values.append(value)

    def _compound(self, node: tree.CompoundAssignment) -> None:
        variable, value = id(_root(node.target)), node.value
        while isinstance(value, tree.Conversion):
            value = value.operand
        if node.operator in "+-" and isinstance(value, tree.Literal) and abs(value.value) < _STEP:
            step = (1 if node.operator == "+" else -1) * value.value
            self._counters.add((variable, 1 if step > 0 else -1))
        else:
            self._values[variable] = None

    def range(self, node: tree.Variable, range_of: Callable[[tree.Expression], _Range]) -> _Range:
        """Return the range of a variable's values."""
        values = self._values.get(id(node.declaration))
        if not values:
            return _limits(node.type)
        ranges = [range_of(value) for value in values]
        down, up = ((id(node.declaration), step) in self._counters for step in (-1, 1))
        low, high = min(r.low for r in ranges), max(r.high for r in ranges)
        return _Range(low - _FAR * down, high + _FAR * up)


def _root(target: tree.Expression) -> tree.Declaration | None:
    """Return the variable that is assigned to, if the target is one."""
    return target.declaration if isinstance(target, tree.Variable) else None


class _Narrower:
    """Checks expressions, and remembers their ranges."""

    def __init__(self, variables: _Variables, refuse: Callable[[int, str], None]) -> None:
        self._variables, self._refuse = variables, refuse
        self._ranges: dict[int, _Range] = {}

    def check(self, node: tree.Node) -> None:
        """Refuse a node that needs more than 64 bits of an operand."""
        for operand in _whole_operands(node):
            if not is_long_long(operand.type):
                continue
            least, most = limits(operand.type.dtype)
            value = self.range(operand)
            if value.low < least or value.high > most:
                self._refuse(operand.at, _REFUSED)

    def range(self, node: tree.Expression) -> _Range:
        if id(node) not in self._ranges:
            whole = _limits(node.type)
            self._ranges[id(node)] = whole  # for values that depend on themselves
            value = self._compute(node) or whole
            fits = whole.low <= value.low and value.high <= whole.high
            self._ranges[id(node)] = value if fits else whole
        return self._ranges[id(node)]

    def _compute(self, node: tree.Expression) -> _Range | None:
        """Return the range of an expression before it wraps, if it is known."""
        if isinstance(node, tree.Literal):
            return _Range(int(node.value), int(node.value))
        if isinstance(node, tree.Variable) and is_long_long(node.type):
            return self._variables.range(node, self.range)
        if isinstance(node, tree.Conversion) and not node.operand.type.is_floating:
            return self.range(node.operand)
        if isinstance(node, tree.Unary) and node.operator == "-":
            operand = self.range(node.operand)
            return _Range(-operand.high, -operand.low)
        if isinstance(node, tree.Conditional):
            yes, no = self.range(node.yes), self.range(node.no)
            return _Range(min(yes.low, no.low), max(yes.high, no.high))
        if isinstance(node, tree.Binary) and node.operator in _RANGES and _has_integers(node):
            return _RANGES[node.operator](self.range(node.left), self.range(node.right))
        return None


def _has_integers(node: tree.Binary) -> bool:
    return all(
        isinstance(each.type, Scalar) and not each.type.is_floating
        for each in (node.left, node.right)
    )


def _whole_operands(node: tree.Node) -> list[tree.Expression]:
    """Return the operands all of whose bits a node needs."""
    if isinstance(node, tree.Binary):
        if node.operator in ("/", "%", *COMPARISONS):
            return [node.left, node.right]
        if node.operator in ("<<", ">>") and is_long_long(node.left.type):
            return [node.left, *_count(node.right)] if node.operator == ">>" else _count(node.right)
    if isinstance(node, tree.CompoundAssignment) and node.operator in ("/", "%", ">>", "<<"):
        if not is_long_long(node.computed):
            return []
        target = tree.Conversion(node.at, node.computed, node.target, "rte")
        if node.operator in "/%":
            return [target, node.value]
        return [target, *_count(node.value)] if node.operator == ">>" else _count(node.value)
    if isinstance(node, tree.Unary) and node.operator == "!":
        return [node.operand]
    if isinstance(node, tree.Conversion) and (node.type.is_floating or node.type == BOOL):
        return [node.operand]
    if (
        isinstance(node, tree.Conversion)
        and is_long_long(node.type)
        and (node.operand.type.is_floating)
    ):
        return [node]
    if isinstance(node, tree.Logical):
        return [node.left, node.right]
    if isinstance(node, tree.Conditional):
        return [node.condition]
    if isinstance(node, tree.If):
        return [condition for condition, _ in node.branches]
    if isinstance(node, tree.Loop):
        return [] if node.condition is None else [node.condition]
    if isinstance(node, tree.Switch):
        return [node.value]
    return node.arguments if isinstance(node, tree.BuiltinCall) else []


def _count(node: tree.Expression) -> list[tree.Expression]:
    """Return a shift's count as an operand that cannot be narrowed, unless it is below 64."""
    inner = node
    while isinstance(inner, tree.Conversion):
        inner = inner.operand
    if isinstance(inner, tree.Literal) and 0 <= inner.value < 64:
        return []
    return [tree.Variable(node.at, LONG_LONG, None)]  # type: ignore[arg-type]


def _products(a: _Range, b: _Range) -> _Range:
    ends = [x * y for x in a for y in b]
    return _Range(min(ends), max(ends))


def _mask(a: _Range, b: _Range) -> _Range | None:
    bounds = [x.high for x in (a, b) if x.low >= 0]
    return _Range(0, min(bounds)) if bounds else None


def _shift(a: _Range, b: _Range) -> _Range | None:
    return _Range(a.low >> b.low, a.high >> b.low) if b.low == b.high and 0 <= b.low < 64 else None


def _remainder(a: _Range, b: _Range) -> _Range | None:
    if b.low <= 0:
        return None
    return _Range(0 if a.low >= 0 else 1 - b.high, b.high - 1)


def _quotient(a: _Range, b: _Range) -> _Range | None:
    return _Range(min(a.low, 0), max(a.high, 0)) if b.low > 0 else None


_RANGES: dict[str, Callable[[_Range, _Range], _Range | None]] = {
    "+": lambda a, b: _Range(a.low + b.low, a.high + b.high),
    "-": lambda a, b: _Range(a.low - b.high, a.high - b.low),
    "*": _products,
    "&": _mask,
    ">>": _shift,
    "%": _remainder,
    "/": _quotient,
}
