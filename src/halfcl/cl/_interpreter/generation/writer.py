"""The code of one function while it is being written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from halfcl.cl._frontend import tree
from halfcl.cl._frontend.guards.nesting import DEEPEST_BLOCKS, is_deep
from halfcl.cl._frontend.types import Pointer, Scalar, Vector
from halfcl.cl._interpreter.generation.module import Module


class Target:
    """The target of break and continue."""

    def __init__(
        self, before: str, skipped: str | None, is_loop: bool, broken: str | None = None
    ) -> None:
        self.before, self.skipped, self.is_loop, self.broken = before, skipped, is_loop, broken


#: Functions that write expressions, by kind of node.
Values: TypeAlias = dict[type, Callable[["Writer", Any], str]]


class Writer:
    """The lines written so far, and the position in the function."""

    def __init__(self, module: Module, function: tree.Function | None, values: Values) -> None:
        self.module, self.function, self._values = module, function, values
        self.lines: list[str] = []
        self.indent = 1
        self.count = 0
        self.region: list[int] = [0]  # the innermost region is last
        self.regions: dict[int, int] = {}  # the region of each declaration
        self.targets: list[Target] = []  # targets of break and continue
        self.returns_early = False
        self.parts = 0  # enclosing statements that may run for subsets
        self.assigned: set[int] = set()  # declarations that the function assigns to
        self._refused: set[str] = set()
        self.at = 0  # the place in the program that is being written

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def temporary(self, value: str) -> str:
        """Return a name for a value, assigning one if it has none."""
        if value.isidentifier() or value.lstrip("-").isdigit():
            return value
        name = self.new("t")
        self.line(f"{name} = {value}")
        return name

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    @contextmanager
    def indent_block(self, head: str, is_last: bool = False) -> Iterator[None]:
        """Enter an indented block. is_last: whether it contains no statement of the program."""
        if self.indent > DEEPEST_BLOCKS and not is_last:
            self.refuse_depth("blocks")
        self.line(head)
        self.indent += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.indent -= 1

    def refuse_depth(self, what: str) -> None:
        """Refuse too deep nesting, once per kind."""
        if what not in self._refused:
            self._refused.add(what)
            self.module.refused.append((self.at, f"not supported: {what} nested too deeply"))

    @contextmanager
    def enter_inner_region(self) -> Iterator[None]:
        """Enter a region in which fewer items may be active."""
        self.count += 1
        self.region.append(self.count)
        yield
        self.region.pop()

    def name(self, declaration: tree.Declaration) -> str:
        return f"{ascii_name(declaration.name)}_{self.module.number_of(declaration)}"

    def value(self, node: tree.Expression) -> str:
        """Return a Python expression for an expression; write lines before it if needed."""
        self.at = node.at
        try:
            return self.shallow(self._values[type(node)](self, node))
        except NotImplementedError as why:
            self.module.refused.append((node.at, f"not supported: {why}"))
            return "None"

    def shallow(self, text: str) -> str:
        return self.temporary(text) if is_deep(text) else text

    def operands(self, *nodes: tree.Expression) -> list[str]:
        """Return operands in order; lines of one must not change the values of earlier ones."""
        values: list[str] = []
        for node in nodes:
            start = len(self.lines)
            value = self.value(node)
            if len(self.lines) > start:
                emitted, self.lines[start:] = self.lines[start:], []
                values = [self.temporary(earlier) for earlier in values]
                self.lines += emitted
            values.append(value)
        return values

    def is_stored(self, declaration: tree.Declaration) -> bool:
        """Return whether a variable lies in memory."""
        if declaration.is_parameter or not self.module.checks:
            return declaration.in_memory
        return declaration.in_memory or isinstance(declaration.type, Scalar | Vector | Pointer)


def ascii_name(name: str) -> str:
    """Return a valid Python name; clang accepts $ and other characters that Python does not."""
    return name if name.isascii() and name.isidentifier() else "_"


def function_key(function: tree.Function) -> str:
    """Return the suffix of a function's name in generated code."""
    return f"{ascii_name(function.name)}_{function.at}_"  # names of variables end with a digit
