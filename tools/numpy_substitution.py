"""Substitute half for float16 in the text of NumPy's test files.

halfcl.half is put where a test names float16 as a type: by name (`np.float16`), by a character
code where a type is expected (`np.dtype("e")`, `x.astype("f2")`, `("field", "e")`), in lists of
types and in strings of character codes (`"efdg"`). Where the same letters are something else, a
field's name or a letter of a text, they stay, and so do the codes of a function that looks at
letters as text (`if code in "FDG"`).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

#: Names and codes of float16, as text, and code for half. The names are unambiguous.
NAMES = {"float16": "_half", "<f2": "_half", "=f2": "_half", ">f2": "_half_swapped"}
CODES = {**NAMES, "half": "_half", "f2": "_half", "e": "_half"}

#: Strings of character codes that contain float16's.
LISTS = {"efdg", "efdgFDG", "efd", "ef", "fdge", "eg", "?bhilqpBHILQPefdgFDG",
         "?bBhHiIqQefdgFDGO"}  # fmt: skip

#: Functions whose arguments are types, and those whose arguments from the second on may be.
OF_TYPES = {"dtype", "astype", "view", "can_cast", "promote_types", "result_type", "finfo",
            "issubdtype", "isdtype", "common_type", "_make_metadata", "resolve_dtypes"}  # fmt: skip
WITH_TYPE = {"array", "asarray", "asanyarray", "zeros", "ones", "empty", "full", "arange",
             "frombuffer", "fromstring", "fromiter", "ndarray", "identity", "eye"}  # fmt: skip

#: Other types, which identify a list as one of types.
OTHERS = {"f4", "f8", "<f4", "<f8", ">f4", ">f8", "float32", "float64", "int8", "i1", "i2", "i4",
          "i8", "u1", "u2", "u4", "u8", "c8", "c16", "d", "f", "g"}  # fmt: skip

HEADER = (
    "import halfcl as _halfcl; import numpy as _np; _half = _halfcl.half; float16 = half = _half; "
    "_half_swapped = _np.dtype(_half).newbyteorder('>')"
)


@dataclass
class Substitution:
    """A file's text with half in float16's place, and the lines that were changed."""

    text: str
    lines: set[int] = field(default_factory=set)


@dataclass
class _Edit:
    node: ast.expr | ast.alias
    text: str
    counts: bool = True  # as a place where a test names float16


class _Finder(ast.NodeVisitor):
    """A visitor that collects what to edit in a module."""

    def __init__(self) -> None:
        self.edits: list[_Edit] = []
        self.lines: set[int] = set()
        self.types: set[int] = set()  # ids of the strings that name types
        self.reads_letters = False  # the function that is visited

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if (node.module or "").startswith("numpy"):
            for alias in node.names:
                if alias.name in ("float16", "half") and alias.asname is None:
                    text = f"{alias.name} as _numpy_{alias.name}"
                    self.edits.append(_Edit(alias, text, counts=False))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        before, self.reads_letters = self.reads_letters, _reads_letters(node)
        self.generic_visit(node)
        self.reads_letters = before

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in ("float16", "half") and isinstance(node.ctx, ast.Load):
            self.lines.add(node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        of_numpy = isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy")
        if of_numpy and node.attr in ("float16", "half"):
            self.edits.append(_Edit(node, "_half"))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        name = getattr(function, "attr", None) or getattr(function, "id", "")
        if name in OF_TYPES or name.startswith("check_"):
            self._note_types(*node.args)
        elif name in WITH_TYPE:
            self._note_types(*node.args[1:])
        elif name == "parametrize" and len(node.args) == 2:
            self._edit_codes(node.args[1])
            if _names_types(node.args[0]):
                self._note_types(node.args[1])
        self._note_types(*(k.value for k in node.keywords if k.arg in ("dtype", "dtypes", "dt")))
        node.keywords = [k for k in node.keywords if k.arg != "id"]  # a test's name
        self.generic_visit(node)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        if any(_is_other_type(x) for x in node.elts):
            self._note_types(*node.elts[_is_field(node) :])
        self.generic_visit(node)

    def visit_List(self, node: ast.List) -> None:
        self._note_types(*(x.elts[1] for x in node.elts if isinstance(x, ast.Tuple) and _is_field(x)
                          and isinstance(x.elts[1], ast.Constant)))  # fmt: skip
        names = any(_text(x) in ("f0", "f1", "f3") for x in node.elts)
        if not names and any(_is_other_type(x) for x in node.elts):
            self._note_types(*node.elts)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._note_types(node.iter)
        self._edit_codes(node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._edit_codes(node.iter)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Keep letters and names that are compared as text."""
        for x in (node.left, *node.comparators):
            if not isinstance(x, ast.Constant | ast.List | ast.Tuple):
                self.visit(x)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Keep f-strings unchanged."""

    def visit_Constant(self, node: ast.Constant) -> None:
        text = node.value
        if not isinstance(text, str):
            return
        if text in NAMES or (text in CODES and id(node) in self.types):
            self.edits.append(_Edit(node, CODES[text]))
        elif text in LISTS and not self.reads_letters:
            self.edits.append(_Edit(node, f"[_half if c == 'e' else c for c in {text!r}]"))

    def _edit_codes(self, node: ast.expr) -> None:
        """Replace an expression of np.typecodes by its codes, one by one."""
        text = ast.unparse(node)
        if re.search(r"np\.typecodes\['(All|Float|AllFloat)'\]", text) and (
            isinstance(node, ast.Subscript | ast.BinOp) and not self.reads_letters
        ):
            self.edits.append(_Edit(node, f"[_half if c == 'e' else c for c in {text}]"))

    def _note_types(self, *nodes: ast.expr) -> None:
        """Note the strings among nodes, also inside lists and tuples, as names of types."""
        for node in nodes:
            if isinstance(node, ast.List) or (isinstance(node, ast.Tuple) and not _is_field(node)):
                self._note_types(*node.elts)
            elif isinstance(node, ast.Constant):
                self.types.add(id(node))


def _text(node: ast.expr) -> str | None:
    value = getattr(node, "value", None)
    return value if isinstance(value, str) else None


def _is_field(node: ast.Tuple) -> bool:
    return len(node.elts) in (2, 3) and _text(node.elts[0]) not in (None, "d")


def _reads_letters(function: ast.FunctionDef) -> bool:
    """Return whether a function searches a text for a variable's value, or changes its case."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in ("lower", "upper"):
            return True
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            text = ast.unparse(node.comparators[0])
            if isinstance(node.left, ast.Name) and text.startswith(("'", "np.typecodes")):
                return True
    return False


def _names_types(node: ast.expr) -> bool:
    return (_text(node) or "").strip("s12") in ("dtype", "dt", "typename", "type")


def _is_other_type(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in OTHERS
    return _text(node) in OTHERS - {"d", "f", "g"}


def substitute(text: str) -> Substitution:
    """Return the text of a test file with half in float16's place."""
    tree = ast.parse(text)
    finder = _Finder()
    finder.visit(tree)
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    result = Substitution("", finder.lines)
    for edit in sorted(finder.edits, key=lambda e: (e.node.lineno, e.node.col_offset))[::-1]:
        node, row = edit.node, edit.node.lineno - 1
        if node.end_lineno != node.lineno:
            continue  # a text of several lines
        line = lines[row]
        lines[row] = line[: node.col_offset] + edit.text.encode() + line[node.end_col_offset :]
        if edit.counts:
            result.lines.add(node.lineno)
    lines.insert(_after_docstring(tree), HEADER.encode() + b"\n")
    result.text = b"".join(lines).decode()
    return result


def _after_docstring(tree: ast.Module) -> int:
    """Return the line after which code may be put."""
    last = 0
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            last = node.end_lineno or last
        else:
            break
    return last


def functions_of(text: str, lines: set[int]) -> set[str]:
    """Return names of test functions, as in node ids, that contain one of the lines."""
    names = set()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef) and child.name.startswith("Test"):
                visit(child, f"{prefix}{child.name}::")
            elif isinstance(child, ast.FunctionDef) and child.name.startswith("test"):
                start = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                if any(start <= line <= (child.end_lineno or start) for line in lines):
                    names.add(prefix + child.name)

    visit(ast.parse(text), "")
    return names
