"""Compiles a program's files with changes: with other expressions, and with recorded inputs."""

from __future__ import annotations

import ast
import builtins
import contextlib
import gc
import linecache
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl.stability._programs._recording.inputs import (
    END,
    NOTE,
    InputRecorder,
    InputRequest,
)
from halfcl.stability._programs._recording.places import Places

#: Compiles the source of a file.
Compiler: TypeAlias = Callable[[str | bytes, str], CodeType]


@dataclass(frozen=True)
class Edit:
    """A change of a source file.

    node: the number of an expression or statement: its index in `ast.walk` of the file's tree.
    text: the source, an expression or statements, that replaces it, or stands before or after it.
    where: "instead", "before" or "after". narrowing: the same source with `NARROW` where it rounds
    to half, which follows the mode of the run; the text itself if it is empty.
    """

    file: str
    node: int
    text: str
    where: str = "instead"
    narrowing: str = ""

    @property
    def run_text(self) -> str:
        """The source that a run executes."""
        return self.narrowing or self.text


#: Names, among the built-in ones, of functions that round to half in the mode of the run: to the
#: types half and float16.
NARROW = {"halfcl.half": "__halfcl_half__", "numpy.float16": "__halfcl_float16__"}


def _to_half(x: NDArray[Any]) -> object:
    return hc.convert(x, hc.half)


def to_float16(x: NDArray[Any]) -> object:
    """Round numbers to float16 in the mode of the region."""
    return np.asarray(hc.convert(x, hc.half)).view(np.float16)[()]


#: Functions that round, which changed code may use.
_PROVIDED = {NARROW["halfcl.half"]: _to_half, NARROW["numpy.float16"]: to_float16}


class Instrumentation:
    """Compiles a program's files with edits, and so that the inputs of expressions are recorded."""

    def __init__(self, requests: Sequence[InputRequest] = (), edits: Sequence[Edit] = ()):
        self.recorder = InputRecorder(requests)
        self._requests, self._edits = list(requests), list(edits)
        self.files = {each.file for each in requests} | {each.file for each in edits}

    def install(self, places: Places) -> Compiler:
        """Return a compiler for the program, which also compiles its modules from now on."""
        self._provide()

        def compile_file(source: str | bytes, file: str) -> CodeType:
            return self.compile(source, file, places.own_file(file) or file)

        def is_changed(path: str) -> bool:
            return places.own_file(path) in self.files

        compile_modules(is_changed, compile_file)
        return compile_file

    def _provide(self) -> None:
        """Provide the functions and modules that changed code uses, among the built-in ones."""
        self.recorder.install()
        for name, value in self._names().items():
            if not hasattr(builtins, name):
                setattr(builtins, name, value)

    def _names(self) -> dict[str, object]:
        """Return what changed code uses, by name: also modules, if it is no program's that runs."""
        provided: dict[str, object] = dict(_PROVIDED) if self._edits else {}
        for edit in self._edits:
            if edit.where == "before" and edit.text.startswith("import "):
                exec(edit.text, provided)
        provided.pop("__builtins__", None)
        return provided

    def compile(self, source: str | bytes, file: str, own: str) -> CodeType:
        """Compile a file; own: its name in requests and edits."""
        tree = ast.parse(source, file)
        if own in self.files:
            _Transformer(tree, own, self._requests, self._edits).visit(tree)
            ast.fix_missing_locations(tree)
        code: CodeType = compile(tree, file, "exec", dont_inherit=True)
        return code

    @contextlib.contextmanager
    def patched_functions(self) -> Iterator[None]:
        """Change the code of existing functions inside the context: those of the named files."""
        if not self.files:
            yield
            return
        provided = self._names()
        before = {name for name in provided if hasattr(builtins, name)}
        self._provide()
        changed: list[tuple[FunctionType, CodeType]] = []
        try:
            for file in self.files:
                own = self._compiled_functions(file)
                for function in _functions_of(file):
                    old = function.__code__
                    new = own.get((old.co_qualname, old.co_firstlineno))
                    if new is not None and new.co_freevars == old.co_freevars:
                        changed.append((function, old))
                        function.__code__ = new
            yield
        finally:
            for function, old in changed:
                function.__code__ = old
            self.recorder.uninstall()
            for name in provided.keys() - before:
                if hasattr(builtins, name):
                    delattr(builtins, name)

    def _compiled_functions(self, file: str) -> dict[tuple[str, int], CodeType]:
        source = "".join(linecache.getlines(file))
        try:
            code = self.compile(source, file, file)
        except (SyntaxError, ValueError):
            return {}
        return {(each.co_qualname, each.co_firstlineno): each for each in _inner_codes(code)}


def edited_source(edits: Sequence[Edit]) -> Iterator[tuple[str, int, str]]:
    """Yield the file, the line and the new source of each statement that edits change."""
    for file in dict.fromkeys(edit.file for edit in edits):
        own = [edit for edit in edits if edit.file == file]
        tree = ast.parse("".join(linecache.getlines(file)))
        nodes = list(ast.walk(tree))
        holders = _statements_of(tree, {edit.node for edit in own})
        inner = [edit for edit in own if holders[edit.node] is not nodes[edit.node]]
        shown = [replace(edit, narrowing="") for edit in inner]
        _Transformer(tree, file, (), shown).visit(tree)
        texts: dict[int, dict[str, None]] = {}
        for edit in own:
            holder = holders[edit.node]
            text = _first_line(holder, edit.text) if edit in inner else edit.text
            text += "" if edit.where == "instead" else f"  # {edit.where} this line"
            texts.setdefault(holder.lineno, {})[text] = None
        for line in sorted(texts):
            yield file, line, "\n".join(texts[line])


def _first_line(node: ast.stmt, rest: str) -> str:
    """Return the first line of a statement's source; before Python 3.12, some f-strings have none.

    rest: what to return then.
    """
    try:
        return ast.unparse(node).splitlines()[0]
    except ValueError:
        return rest


def _statements_of(tree: ast.AST, numbers: Container[int]) -> dict[int, ast.stmt]:
    """Return the innermost statements around nodes, by their numbers."""
    holders_by_number: dict[int, ast.stmt] = {}
    order = {id(node): k for k, node in enumerate(ast.walk(tree))}

    def visit(node: ast.AST, holder: ast.stmt | None) -> None:
        holder = node if isinstance(node, ast.stmt) else holder
        if order[id(node)] in numbers and holder is not None:
            holders_by_number[order[id(node)]] = holder
        for part in ast.iter_child_nodes(node):
            visit(part, holder)

    visit(tree, None)
    return holders_by_number


def compile_modules(is_wanted: Callable[[str], bool], compiler: Compiler) -> None:
    """Compile the source files of modules that are imported from now on with a compiler.

    is_wanted: whether the compiler is for the file with this path.
    """
    load = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        path = loader.get_filename(name)
        if not is_wanted(path):
            return load(loader, name)
        return compiler(loader.get_data(path), path)  # never the code that Python has kept

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]


def _functions_of(file: str) -> list[FunctionType]:
    return [
        each
        for each in gc.get_objects()
        if type(each) is FunctionType and each.__code__.co_filename == file
    ]


def _inner_codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner_codes(constant)


class _Transformer(ast.NodeTransformer):
    """Changes a tree whose nodes are numbered in the order of `ast.walk`."""

    def __init__(
        self, tree: ast.AST, file: str, requests: Sequence[InputRequest], edits: Sequence[Edit]
    ):
        self._file = file
        self._numbers = {id(node): k for k, node in enumerate(ast.walk(tree))}
        own = [(k, each) for k, each in enumerate(requests) if each.file == file]
        self._requests = {request.node: (k, request) for k, request in own}
        self._atoms = {node for _, request in own for _, node in request.atoms}
        self._edits: dict[int, list[Edit]] = {}
        for edit in edits:
            if edit.file == file:
                self._edits.setdefault(edit.node, []).append(edit)

    def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
        """Change a node and its parts."""
        number = self._numbers[id(node)]
        texts: dict[str, list[ast.AST]] = {"before": [], "instead": [], "after": []}
        for edit in self._edits.get(number, []):
            if edit.where != "instead" or not texts["instead"]:  # an expression has one place
                texts[edit.where] += _parse(edit.run_text, node)
        own = texts["instead"] or [self._record(number, self.generic_visit(node))]
        parts = [*texts["before"], *own, *texts["after"]]
        return parts[0] if len(parts) == 1 else parts

    def _record(self, number: int, node: ast.AST) -> ast.AST:
        """Return a node whose value is recorded, if it is an input or a requested expression."""
        if not isinstance(node, ast.expr):
            return node
        new: ast.expr = node
        if number in self._requests:
            k, request = self._requests[number]
            total = [ast.parse(request.total, mode="eval").body] if request.total else []
            new = _call(END, [ast.Constant(k), new, *total], node)
        if number in self._atoms:
            if isinstance(node, ast.GeneratorExp):
                new = _call("list", [new], node)  # its terms can be read only once
            new = _call(NOTE, [ast.Constant(self._file), ast.Constant(number), new], node)
        return new


def _call(name: str, args: list[ast.expr], place: ast.expr) -> ast.expr:
    call = ast.Call(ast.Name(name, ast.Load()), args, [])
    for part in ast.walk(call):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, place)
    return call


def _parse(text: str, place: ast.AST) -> list[ast.AST]:
    """Parse an expression or statements, and put them at the place of a node."""
    is_expression = isinstance(place, ast.expr)
    parts: list[ast.AST] = (
        [ast.parse(text, mode="eval").body] if is_expression else [*ast.parse(text).body]
    )
    for part in parts:
        for inner in ast.walk(part):
            ast.copy_location(inner, place)
    return parts
