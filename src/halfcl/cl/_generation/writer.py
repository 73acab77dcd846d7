"""The code of one function while it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from halfcl.cl import _tree as tree
from halfcl.cl._generation.module import Module
from halfcl.cl._nesting import DEEPEST_BLOCKS, is_deep
from halfcl.cl._types import Pointer, Scalar, Vector


class Target:
    """What break and continue refer to."""

    def __init__(
        self, before: str, skipped: str | None, is_loop: bool, broken: str | None = None
    ) -> None:
        self.before, self.skipped, self.is_loop, self.broken = before, skipped, is_loop, broken


#: What writes expressions, by their kinds.
Values: TypeAlias = dict[type, Callable[["Writer", Any], str]]


class Writer:
    """Lines so far, and where in the function the next ones stand."""

    def __init__(self, module: Module, function: tree.Function | None, values: Values) -> None:
        self.module, self.function, self._values = module, function, values
        self.lines: list[str] = []
        self.indent = 1
        self.count = 0
        self.region: list[int] = [0]  # the innermost one is last
        self.regions: dict[int, int] = {}  # of declarations
        self.targets: list[Target] = []  # of break and continue
        self.returns_early = False
        self.parts = 0  # statements around this one that may go on in parts
        self.assigned: set[int] = set()  # declarations of which something in the function is
        self._refused: set[str] = set()
        self.at = 0  # where what is being written stands in the program

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def temporary(self, value: str) -> str:
        """A name for it, if it has none."""
        if value.isidentifier() or value.lstrip("-").isdigit():
            return value
        name = self.new("t")
        self.line(f"{name} = {value}")
        return name

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    @contextmanager
    def indented(self, head: str, is_last: bool = False) -> Iterator[None]:
        """is_last: no statement of the program goes into it."""
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
        """Once, not for each that is deeper still."""
        if what not in self._refused:
            self._refused.add(what)
            self.module.refused.append((self.at, f"not supported: {what} nested too deeply"))

    @contextmanager
    def inner_region(self) -> Iterator[None]:
        """Where fewer items may be active."""
        self.count += 1
        self.region.append(self.count)
        yield
        self.region.pop()

    def name(self, declaration: tree.Declaration) -> str:
        return f"{ascii_name(declaration.name)}_{self.module.number_of(declaration)}"

    def value(self, node: tree.Expression) -> str:
        """An expression of Python for one of a program; lines before it, if it needs any."""
        self.at = node.at
        try:
            return self.shallow(self._values[type(node)](self, node))
        except NotImplementedError as why:
            self.module.refused.append((node.at, f"not supported: {why}"))
            return "None"

    def shallow(self, text: str) -> str:
        return self.temporary(text) if is_deep(text) else text

    def operands(self, *nodes: tree.Expression) -> list[str]:
        """In order: what is emitted for one must not change what an earlier one has read."""
        found: list[str] = []
        for node in nodes:
            start = len(self.lines)
            value = self.value(node)
            if len(self.lines) > start:
                emitted, self.lines[start:] = self.lines[start:], []
                found = [self.temporary(earlier) for earlier in found]
                self.lines += emitted
            found.append(value)
        return found

    def is_stored(self, declaration: tree.Declaration) -> bool:
        """Whether a variable lies in memory."""
        if declaration.is_parameter or not self.module.checks:
            return declaration.in_memory
        return declaration.in_memory or isinstance(declaration.type, Scalar | Vector | Pointer)


def ascii_name(name: str) -> str:
    """clang takes characters in names that Python does not: $, and others than Python's letters."""
    return name if name.isascii() and name.isidentifier() else "_"


def function_key(function: tree.Function) -> str:
    """What its name in generated code ends with."""
    return f"{ascii_name(function.name)}_{function.at}_"  # no variable's name ends so
