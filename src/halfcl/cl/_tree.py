"""A program as a tree: what the parser makes of clang's, and what code is generated from.

Each node knows where it starts in the preprocessed text (`at`); operators know the rounding mode
and whether contraction is allowed where they stand.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from halfcl.cl._errors import Place
from halfcl.cl._types import Field, Type
from halfcl.typing import RoundingMode

#: None: what a launch says, else rte.
Mode = RoundingMode | None


@dataclass(eq=False, slots=True)
class Node:
    at: int
    #: Of an expression that is to be translated its text, with the parentheses around it.
    extent: tuple[int, int] | None = field(init=False, default=None, repr=False)

    def children(self) -> Iterator[Node]:
        for name in _slots(type(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            if isinstance(value, list):
                yield from value
            elif value is not None:
                yield value


@functools.cache
def _slots(kind: type[Node]) -> tuple[str, ...]:
    """Its fields that hold nodes."""
    return tuple(f.name for f in fields(kind) if _HOLDS_NODES.search(str(f.type)))


_HOLDS_NODES = re.compile(r"\b(Node|Expression|Block|Section)\b")


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(node.children()))


# ---------------------------------------------------------------- declarations


@dataclass(eq=False, slots=True)
class Declaration(Node):
    """A variable or a parameter."""

    name: str
    type: Type
    space: str
    initial: Expression | None = None
    in_memory: bool = False  # it needs an address
    is_parameter: bool = False
    access: str = ""  # of images: "read_only", "write_only"


@dataclass(eq=False, slots=True)
class Function(Node):
    name: str
    result: Type
    parameters: list[Declaration]
    is_kernel: bool
    required_size: tuple[int, int, int] | None = None  # reqd_work_group_size
    body: Block | None = None
    sub_group_size: int | None = None  # intel_reqd_sub_group_size and its kin


# ---------------------------------------------------------------- expressions


@dataclass(eq=False, slots=True)
class Expression(Node):
    type: Any  # one of halfcl.cl._types, which what the node is decides
    #: Of one that is to be translated: whether it is a place that is volatile.
    is_volatile: bool = field(init=False, default=False, repr=False)


@dataclass(eq=False, slots=True)
class Literal(Expression):
    value: int | float  # floats are exact in the type


@dataclass(eq=False, slots=True)
class Text(Expression):
    """A string literal, without the zero at its end."""

    value: bytes


@dataclass(eq=False, slots=True)
class Variable(Expression):
    declaration: Declaration


@dataclass(eq=False, slots=True)
class Unary(Expression):
    """- + ~ !"""

    operator: str
    operand: Expression


@dataclass(eq=False, slots=True)
class Binary(Expression):
    """Arithmetic, shifts, bits and comparisons, of operands of one type (shifts: of two)."""

    operator: str
    left: Expression
    right: Expression
    rounding: Mode
    contracts: bool
    operator_at: int = 0  # where the operator itself stands


@dataclass(eq=False, slots=True)
class PointerStep(Expression):
    """A pointer plus or less an integer."""

    pointer: Expression
    index: Expression
    sign: int = 1


@dataclass(eq=False, slots=True)
class PointerDifference(Expression):
    left: Expression
    right: Expression


@dataclass(eq=False, slots=True)
class Logical(Expression):
    """&& ||, of scalars"""

    operator: str
    left: Expression
    right: Expression


@dataclass(eq=False, slots=True)
class Conditional(Expression):
    condition: Expression
    yes: Expression
    no: Expression


@dataclass(eq=False, slots=True)
class Comma(Expression):
    first: Expression
    second: Expression


@dataclass(eq=False, slots=True)
class Conversion(Expression):
    """Between numbers, of one width. A cast to a number's own type stops contraction."""

    operand: Expression
    rounding: Mode


@dataclass(eq=False, slots=True)
class Splat(Expression):
    operand: Expression


@dataclass(eq=False, slots=True)
class Reinterpretation(Expression):
    """as_type(), and between pointers."""

    operand: Expression


@dataclass(eq=False, slots=True)
class VectorLiteral(Expression):
    parts: list[Expression]


@dataclass(eq=False, slots=True)
class InitialValues(Expression):
    """{a, b, .c = d}: each part with its offset in bytes."""

    parts: list[tuple[int, Expression]]

    def children(self) -> Iterator[Node]:
        return (part for _, part in self.parts)


@dataclass(eq=False, slots=True)
class Swizzle(Expression):
    base: Expression
    indices: tuple[int, ...]


@dataclass(eq=False, slots=True)
class Member(Expression):
    base: Expression
    field: Field


@dataclass(eq=False, slots=True)
class Dereference(Expression):
    pointer: Expression


@dataclass(eq=False, slots=True)
class AddressOf(Expression):
    """Of what lies in memory; of an array the address of its first element."""

    target: Expression


@dataclass(eq=False, slots=True)
class Assignment(Expression):
    target: Expression
    value: Expression


@dataclass(eq=False, slots=True)
class CompoundAssignment(Expression):
    """target operator= value, computed in a type of its own."""

    operator: str
    target: Expression
    value: Expression
    computed: Type
    rounding: Mode
    contracts: bool
    operator_at: int = 0


@dataclass(eq=False, slots=True)
class Increment(Expression):
    target: Expression
    step: int  # 1 or -1
    is_prefix: bool
    rounding: Mode


@dataclass(eq=False, slots=True)
class Call(Expression):
    """Of a function of the program."""

    function: Function
    arguments: list[Expression]

    def children(self) -> Iterator[Node]:
        return iter(self.arguments)


@dataclass(eq=False, slots=True)
class BuiltinCall(Expression):
    name: str
    arguments: list[Expression]
    rounding: Mode  # in force where it stands; most do not ask for it


# ---------------------------------------------------------------- statements


@dataclass(eq=False, slots=True)
class Block(Node):
    statements: list[Node]


@dataclass(eq=False, slots=True)
class Declare(Node):
    variables: list[Declaration]

    def children(self) -> Iterator[Node]:
        return (v.initial for v in self.variables if v.initial is not None)


@dataclass(eq=False, slots=True)
class Evaluate(Node):
    expression: Expression


@dataclass(eq=False, slots=True)
class If(Node):
    """if, and each else if: a condition and what is done; else at last."""

    branches: list[tuple[Expression, Node]]
    otherwise: Node | None

    def children(self) -> Iterator[Node]:
        for branch in self.branches:
            yield from branch
        if self.otherwise is not None:
            yield self.otherwise


@dataclass(eq=False, slots=True)
class Loop(Node):
    """for, while, and do (which checks last)."""

    start: Node | None
    condition: Expression | None
    step: Expression | None
    body: Node
    checks_last: bool = False


@dataclass(eq=False, slots=True)
class Section(Node):
    """Statements of a switch from labels on; no values: default."""

    values: list[int]
    is_default: bool
    statements: list[Node]


@dataclass(eq=False, slots=True)
class Switch(Node):
    value: Expression
    sections: list[Section]
    variables: list[Declaration] = field(default_factory=list)  # those of all sections


@dataclass(eq=False, slots=True)
class Break(Node):
    pass


@dataclass(eq=False, slots=True)
class Continue(Node):
    pass


@dataclass(eq=False, slots=True)
class Return(Node):
    value: Expression | None


@dataclass(eq=False, slots=True)
class Program:
    functions: dict[str, Function]
    place_of: Callable[[int], Place | None]
    constants: list[Declaration] = field(default_factory=list)  # at file scope
