"""A source file of a program: its statements, and what its names refer to."""

from __future__ import annotations

import ast
import functools
import importlib
import itertools
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from halfcl.stability._programs._running.instrumenting import Edit

#: Fields of compound statements that are not in their header.
_INNER = frozenset("body orelse finalbody handlers cases decorator_list annotation returns".split())

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While


@dataclass
class Block:
    """The statements of a function or module, in the order of the source.

    A compound statement is one of them, and stands for its header. scope: the function, class or
    module. loops: the loops around a statement by its id, the outermost first.
    """

    scope: ast.AST
    statements: list[ast.stmt] = field(default_factory=list)
    loops: dict[int, tuple[Loop, ...]] = field(default_factory=dict)

    def loops_of(self, node: ast.stmt) -> tuple[Loop, ...]:
        """Return the loops around a statement, the outermost first."""
        return self.loops[id(node)]


class Source:
    """A parsed source file.

    nodes: all nodes of its tree; a node's index there is its number. functions: full names of
    modules and functions of libraries, such as "numpy" or "math.exp", by their names in the file.
    """

    def __init__(self, file: str, text: str):
        self.file = file
        self.tree = ast.parse(text)
        self.nodes = list(ast.walk(self.tree))
        self._numbers = {id(node): k for k, node in enumerate(self.nodes)}
        self.blocks = list(_blocks(self.tree))
        self.functions = _imported_names(self.nodes)
        self._first_numbers: dict[str, int] = {}  # of expressions, by their text
        self._names = {node.id for node in self.nodes if isinstance(node, ast.Name)}
        self._names |= set(_bound_names(self.nodes)) | {*self.functions}
        self._new_names: dict[tuple[str, int], str] = {}  # by the wanted name and what it is for

    def number(self, node: ast.AST) -> int:
        """Return the number of a node."""
        return self._numbers[id(node)]

    def name_of(self, node: ast.expr) -> str:
        """Return a name for an expression, the same for all expressions with this text."""
        return f"a{self._first_numbers.setdefault(ast.unparse(node), self.number(node))}"

    def fresh_name(self, wanted: str, owner: int) -> str:
        """Return a name that the file does not use, the same for one owner each time."""
        key = wanted, owner
        if key not in self._new_names:
            names = itertools.chain([wanted], (f"{wanted}_{k}" for k in itertools.count(2)))
            self._new_names[key] = next(name for name in names if name not in self._names)
            self._names.add(self._new_names[key])
        return self._new_names[key]

    def spell(self, full: str) -> str:
        """Return the expression for a function or module in this file, by the names it has there.

        Modules that it does not import have the names of `import_lines`.
        """
        if full.startswith("builtins."):
            return full.removeprefix("builtins.")
        own_names = {own: name for name, own in self.functions.items()}
        parts = full.split(".")
        for k in range(len(parts), 0, -1):
            start = ".".join(parts[:k])
            if start in own_names:
                return ".".join([own_names[start], *parts[k:]])
        return ".".join([self._alias(parts[0]), *parts[1:]])

    def _alias(self, library: str) -> str:
        """Return the usual name of a library that the file does not import, or one that is free."""
        for name in (_USUAL_NAMES.get(library, library), library):
            if name not in self._names:
                return name
        return self.fresh_name(library, 0)

    def import_lines(self, text: str) -> tuple[str, ...]:
        """Return the statements by which a source with names of `spell` finds its libraries."""
        lines = []
        for library in _LIBRARIES - {full for full in self.functions.values()}:
            alias = self._alias(library)
            for chain in _chains(ast.parse(text)):
                if chain.partition(".")[0] == alias and alias not in self.functions:
                    module = ".".join([library, *chain.split(".")[1:-1]])
                    lines.append(_import_line(library, module, alias))
        return tuple(sorted(set(lines)))

    def import_edits(self, text: str) -> tuple[Edit, ...]:
        """Return the changes that add these statements, before the first one of the file."""
        body = getattr(self.tree, "body", [])
        first = next((node for node in body if not _has_to_be_first(node)), None)
        if first is None:
            return ()
        number = self.number(first)
        return tuple(Edit(self.file, number, line, "before") for line in self.import_lines(text))

    def statements_at(self, line: int) -> Iterator[tuple[Block, int]]:
        """Yield the statements on a line, as their blocks and their indices there."""
        for block in self.blocks:
            for k, node in enumerate(block.statements):
                if node.lineno <= line <= last_line(node):
                    yield block, k


def read_source(file: str) -> Source | None:
    """Return a source file; None if there is none, or it is not Python."""
    text = "".join(linecache.getlines(file))
    try:
        return _parse(file, text) if text else None
    except (SyntaxError, ValueError, RecursionError):
        return None


@functools.lru_cache(maxsize=32)
def _parse(file: str, text: str) -> Source:
    return Source(file, text)


def header(node: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions of a statement, without the statements inside it."""
    for name, value in ast.iter_fields(node):
        if name in _INNER:
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.withitem):
                yield part.context_expr
            elif isinstance(part, ast.expr):
                yield part


def last_line(node: ast.stmt) -> int:
    """Return the last line of a statement, or of the header of a compound one."""
    if not any(hasattr(node, name) for name in ("body", "cases")):
        return node.end_lineno or node.lineno
    return max((part.end_lineno or node.lineno for part in header(node)), default=node.lineno)


def _blocks(tree: ast.AST) -> Iterator[Block]:
    """Yield the blocks of the module and of each function in it."""
    own, inner = Block(tree), list[ast.AST]()

    def visit(nodes: list[ast.stmt], loops: tuple[Loop, ...]) -> None:
        for node in nodes:
            if isinstance(node, _SCOPES):
                inner.append(node)
                continue
            inside = (*loops, node) if isinstance(node, Loop) else loops
            own.statements.append(node)
            # A loop computes its condition each time.
            own.loops[id(node)] = inside if isinstance(node, ast.While) else loops
            bodies = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            parts = [*getattr(node, "handlers", []), *getattr(node, "cases", [])]
            bodies += [part.body for part in parts]
            for body in bodies:
                visit(body, inside)

    visit(getattr(tree, "body", []), ())
    yield own
    for node in inner:
        yield from _blocks(node)


# ---------------------------------------------------------------- names


def names_in(tree: ast.AST) -> list[str]:
    """Return the names in a syntax tree."""
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def stored_names(node: ast.stmt) -> set[str]:
    """Return the variables that a statement assigns to, also to their elements or attributes."""
    names = set()
    for part in (part for root in header(node) for part in ast.walk(root)):
        if isinstance(getattr(part, "ctx", None), ast.Store | ast.Del):
            while isinstance(part, ast.Subscript | ast.Attribute | ast.Starred):
                part = part.value
            if isinstance(part, ast.Name):
                names.add(part.id)
    return names


#: Names of libraries where a program has not imported them.
_USUAL_NAMES = {"numpy": "np", "halfcl": "hc"}


def _chains(tree: ast.AST) -> Iterator[str]:
    """Yield the names in a tree with their attributes, such as "np.sqrt"."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    inside = {id(node.value) for node in nodes}
    for node in nodes:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and id(node) not in inside:
            yield ast.unparse(node)


def _import_line(library: str, module: str, alias: str) -> str:
    """Return the statement that imports a module under the alias of its library."""
    if library == "scipy" and alias == library:
        return f"import {module}"
    return f"import {library}" if alias == library else f"import {library} as {alias}"


def _has_to_be_first(node: ast.stmt) -> bool:
    """Return whether a statement has to come before imports: a docstring, a future statement."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _bound_names(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the names that a file binds otherwise than by assignments."""
    for node in nodes:
        if isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, _SCOPES):
            yield node.name


#: Libraries whose names are followed.
_LIBRARIES = frozenset({"numpy", "halfcl", "math", "scipy"})


def _imported_names(nodes: list[ast.AST]) -> dict[str, str]:
    """Return the full names of what a file imports from libraries, by their names there.

    Names that the file also binds in another way are left out.
    """
    names, bound = dict[str, str](), set[str]()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= dict(_import(alias) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names |= dict(_import_from(node.module or "", alias) for alias in node.names)
            if node.names[0].name == "*":
                names |= _star_names(node.module or "")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, _SCOPES):
            bound.add(node.name)
    names |= _alias_names(nodes, names)
    single = {name for name in names if names[name].partition(".")[0] in _LIBRARIES}
    return {name: names[name] for name in single - (bound - _alias_names(nodes, names).keys())}


def _import(alias: ast.alias) -> tuple[str, str]:
    if alias.asname:
        return alias.asname, alias.name
    top = alias.name.partition(".")[0]
    return top, top


def _import_from(module: str, alias: ast.alias) -> tuple[str, str]:
    return alias.asname or alias.name, f"{module}.{alias.name}"


def _star_names(module: str) -> dict[str, str]:
    if module not in ("numpy", "math", "halfcl"):
        return {}
    library = importlib.import_module(module)
    names = getattr(library, "__all__", [name for name in dir(library) if name[0] != "_"])
    return {name: f"{module}.{name}" for name in names}


def _alias_names(nodes: list[ast.AST], names: dict[str, str]) -> dict[str, str]:
    """Return the full names of variables such as half = np.float16, assigned once."""
    values: dict[str, list[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            full = ""
            if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
                library = names.get(value.value.id, "")
                full = f"{library}.{value.attr}" if library else ""
            if isinstance(target, ast.Name):
                values.setdefault(target.id, []).append(full)
    stores = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {
        name: fulls[0]
        for name, fulls in values.items()
        if fulls[0] and stores.count(name) == 1 and _is_callable(fulls[0])
    }


def _is_callable(full: str) -> bool:
    """Return whether a full name is a function or type of a library, and no constant."""
    module, _, name = full.rpartition(".")
    if module.partition(".")[0] not in _LIBRARIES:
        return False
    try:
        return callable(getattr(importlib.import_module(module), name, None))
    except ImportError:
        return False
