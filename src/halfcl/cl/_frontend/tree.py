"""The syntax tree of a program: the parser builds it from clang's, the generator reads it.

Each node has its start in the preprocessed text (`at`); operators also have the rounding mode in
force and whether contraction is allowed there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from halfcl.cl._frontend.builtins import TABLE, Builtin
from halfcl.cl._frontend.errors import SourceLocation
from halfcl.cl._frontend.types import Field, Type
from halfcl.typing import RoundingMode

#: None: the mode of the launch, which is rte by default.
Mode = RoundingMode | None


@dataclass(eq=False, slots=True)
class Node:
    """A node of the tree."""

    at: int
    #: Start and end of an expression's text, with its parentheses; set for translation only.
    extent: tuple[int, int] | None = field(init=False, default=None, repr=False)

    def children(self) -> Iterator[Node]:
        """Yield the nodes directly below this one."""
        for name in _slots(type(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            if isinstance(value, list):
                yield from value
            elif value is not None:
                yield value


@functools.cache
def _slots(kind: type[Node]) -> tuple[str, ...]:
    """Return the names of the fields that hold nodes."""
    return tuple(f.name for f in fields(kind) if _HOLDS_NODES.search(str(f.type)))


def slots_of_nodes(node: Node) -> tuple[str, ...]:
    """Return the names of a node's fields that hold nodes."""
    return _slots(type(node))  # type: ignore[arg-type]


_HOLDS_NODES = re.compile(r"\b(Node|Expression|Block|Section)\b")


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it."""
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
    """A function, or its declaration, or one that no kernel calls, if `body` is None."""

    name: str
    result: Type
    parameters: list[Declaration]
    is_kernel: bool
    required_size: tuple[int, int, int] | None = None  # reqd_work_group_size
    body: Block | None = None
    sub_group_size: int | None = None  # intel_reqd_sub_group_size and its kin
    #: The extent of a body that is not converted, since no kernel needs it.
    unused_body: tuple[int, int] | None = None


# ---------------------------------------------------------------- expressions


@dataclass(eq=False, slots=True)
class Expression(Node):
    """An expression with a type."""

    type: Any  # one of halfcl.cl._frontend.types; which one depends on the kind of node
    #: Whether it is a volatile lvalue; set for translation only.
    is_volatile: bool = field(init=False, default=False, repr=False)


@dataclass(eq=False, slots=True)
class Literal(Expression):
    """A number in the source."""

    value: int | float  # floats are exact in the type


@dataclass(eq=False, slots=True)
class Text(Expression):
    """A string literal, without its terminating zero."""

    value: bytes


@dataclass(eq=False, slots=True)
class Variable(Expression):
    """A use of a variable or parameter."""

    declaration: Declaration


@dataclass(eq=False, slots=True)
class Unary(Expression):
    """A unary operator (- + ~ !)."""

    operator: str
    operand: Expression


@dataclass(eq=False, slots=True)
class Binary(Expression):
    """Arithmetic, a shift, a bit operation or a comparison.

    Both operands have one type, except in shifts.
    """

    operator: str
    left: Expression
    right: Expression
    rounding: Mode
    contracts: bool
    operator_at: int = 0  # offset of the operator itself


@dataclass(eq=False, slots=True)
class PointerStep(Expression):
    """An integer added to a pointer, or subtracted from it."""

    pointer: Expression
    index: Expression
    sign: int = 1


@dataclass(eq=False, slots=True)
class PointerDifference(Expression):
    """The difference of two pointers."""

    left: Expression
    right: Expression


@dataclass(eq=False, slots=True)
class Logical(Expression):
    """A logical operator, && or ||, on scalars."""

    operator: str
    left: Expression
    right: Expression


@dataclass(eq=False, slots=True)
class Conditional(Expression):
    """A conditional expression: condition ? yes : no."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(eq=False, slots=True)
class Comma(Expression):
    """A comma expression."""

    first: Expression
    second: Expression


@dataclass(eq=False, slots=True)
class StatementExpression(Expression):
    """Statements in parentheses, ({ ... }), and the value after them; None if it is void."""

    statements: Block
    value: Expression | None


@dataclass(eq=False, slots=True)
class OmittedConditional(StatementExpression):
    """The conditional of GNU C without a middle, a ?: b.

    The statements declare a variable with the value of a; the value is a Conditional.
    """


@dataclass(eq=False, slots=True)
class Conversion(Expression):
    """A conversion between numbers of one width; a cast to the same type stops contraction."""

    operand: Expression
    rounding: Mode


@dataclass(eq=False, slots=True)
class Splat(Expression):
    """A vector with all components equal to one scalar."""

    operand: Expression


@dataclass(eq=False, slots=True)
class Reinterpretation(Expression):
    """A reinterpretation of bits by as_type(), or a conversion between pointers."""

    operand: Expression


@dataclass(eq=False, slots=True)
class VectorLiteral(Expression):
    """A vector literal, of scalars and vectors."""

    parts: list[Expression]


@dataclass(eq=False, slots=True)
class InitialValues(Expression):
    """An initializer list {a, b, .c = d}: each part with its offset in bytes.

    Parts are stored in this order, since a later one may replace a part of an earlier one.
    dropped: elements that initialize nothing, and are not evaluated.
    """

    parts: list[tuple[int, Expression]]
    dropped: list[Expression] = field(default_factory=list)

    def children(self) -> Iterator[Node]:
        yield from (part for _, part in self.parts)
        yield from self.dropped


@dataclass(eq=False, slots=True)
class Swizzle(Expression):
    """A selection of components of a vector."""

    base: Expression
    indices: tuple[int, ...]


@dataclass(eq=False, slots=True)
class Member(Expression):
    """A member of a struct or union."""

    base: Expression
    field: Field


@dataclass(eq=False, slots=True)
class Dereference(Expression):
    """A dereferenced pointer."""

    pointer: Expression


@dataclass(eq=False, slots=True)
class AddressOf(Expression):
    """The address of an object in memory; for an array, that of its first element."""

    target: Expression


@dataclass(eq=False, slots=True)
class Assignment(Expression):
    """An assignment."""

    target: Expression
    value: Expression


@dataclass(eq=False, slots=True)
class CompoundAssignment(Expression):
    """An assignment `target operator= value`, computed in the type `computed`."""

    operator: str
    target: Expression
    value: Expression
    computed: Type
    rounding: Mode
    contracts: bool
    operator_at: int = 0


@dataclass(eq=False, slots=True)
class Increment(Expression):
    """An increment or decrement, prefix or postfix."""

    target: Expression
    step: int  # 1 or -1
    is_prefix: bool
    rounding: Mode


@dataclass(eq=False, slots=True)
class Call(Expression):
    """A call of a function that the program defines."""

    function: Function
    arguments: list[Expression]

    def children(self) -> Iterator[Node]:
        return iter(self.arguments)


@dataclass(eq=False, slots=True)
class BuiltinCall(Expression):
    """A call of a built-in function."""

    name: str
    arguments: list[Expression]
    rounding: Mode  # the mode in force at the call; most functions ignore it

    @property
    def builtin(self) -> Builtin:
        """The function's row of the table."""
        return TABLE[self.name]


# ---------------------------------------------------------------- statements


@dataclass(eq=False, slots=True)
class Block(Node):
    """A block of statements."""

    statements: list[Node]


@dataclass(eq=False, slots=True)
class Declare(Node):
    """A declaration statement."""

    variables: list[Declaration]

    def children(self) -> Iterator[Node]:
        return (v.initial for v in self.variables if v.initial is not None)


@dataclass(eq=False, slots=True)
class Evaluate(Node):
    """An expression statement."""

    expression: Expression


@dataclass(eq=False, slots=True)
class If(Node):
    """An if statement with its else-if branches, and the final else if there is one."""

    branches: list[tuple[Expression, Node]]
    otherwise: Node | None

    def children(self) -> Iterator[Node]:
        for branch in self.branches:
            yield from branch
        if self.otherwise is not None:
            yield self.otherwise


@dataclass(eq=False, slots=True)
class Loop(Node):
    """A for, while or do loop; a do loop checks its condition last."""

    start: Node | None
    condition: Expression | None
    step: Expression | None
    body: Node
    checks_last: bool = False


@dataclass(eq=False, slots=True)
class Section(Node):
    """The statements of a switch after one group of labels; without values it is the default."""

    values: list[int]
    is_default: bool
    statements: list[Node]


@dataclass(eq=False, slots=True)
class Switch(Node):
    """A switch statement."""

    value: Expression
    sections: list[Section]
    variables: list[Declaration] = field(default_factory=list)  # of all sections


@dataclass(eq=False, slots=True)
class Break(Node):
    """A break statement."""


@dataclass(eq=False, slots=True)
class Continue(Node):
    """A continue statement."""


@dataclass(eq=False, slots=True)
class Return(Node):
    """A return statement."""

    value: Expression | None


def can_leave(node: Node, loops: bool = False, switches: bool = False) -> bool:
    """Return whether items that enter a node may not reach its end.

    loops: whether it is the body of a loop, whose breaks do not count; switches likewise.
    """
    if isinstance(node, Return | Continue):
        return True
    if isinstance(node, Break):
        return not switches
    if isinstance(node, Loop):
        return any(isinstance(each, Return) for each in walk(node))
    if isinstance(node, Switch):
        return any(can_leave(s, switches=True) for part in node.sections for s in part.statements)
    if isinstance(node, Expression):
        return False
    return any(can_leave(child, loops, switches) for child in node.children())


@dataclass(eq=False, slots=True)
class Program:
    """A whole program: its functions, and its constants at file scope."""

    functions: dict[str, Function]
    place_of: Callable[[int], SourceLocation | None]
    #: Variables at file scope, in constant memory or, since OpenCL C 2.0, in global memory.
    constants: list[Declaration] = field(default_factory=list)
    lowered: Program | None = None  # cached by `flow.jumps`
