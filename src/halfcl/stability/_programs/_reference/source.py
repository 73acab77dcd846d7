"""Rewrites a program's source for its reference run: what no replaced object can do for it.

Text names of half in places of dtypes become the stand-in for half. Methods that show bits, and
comparisons with half's name, become calls of `calls.Calls`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from types import CodeType

#: The name by which rewritten code finds its `Calls`, among the built-in names.
CALLS = "__halfcl_reference__"

#: Short texts for half as NumPy reads them, alone and in lists such as "f2,i4".
_HALF = re.compile(r"^[<>=|]?(?:f2|e)$")
_LONG = frozenset(["<f2", ">f2", "=f2", "|f2"])
_NAMES = frozenset(["float16", "half", "e", *_LONG, "f2"])

#: Arguments that are dtypes: by keyword, and by position in NumPy's functions and methods.
_KEYWORDS = frozenset(["dtype", "dtypes", "formats"])
_POSITIONS = {
    "dtype": 0, "astype": 0, "view": 0, "finfo": 0, "can_cast": 1, "issubdtype": 1,
    "result_type": 0, "zeros": 1, "ones": 1, "empty": 1, "array": 1, "asarray": 1, "full": 2,
    "fromiter": 1, "asanyarray": 1, "ascontiguousarray": 1, "identity": 1,
}  # fmt: skip

#: Methods and attributes whose results depend on the bytes of a number.
_METHODS = frozenset(["tobytes", "tofile", "view", "write"])
_SIZES = frozenset(["itemsize", "nbytes"])
_MEMORY = frozenset(["data", "ctypes", "__array_interface__"])
_RAW = frozenset(["bytes", "bytearray", "memoryview"])


def rewrite(source: str | bytes, file: str) -> CodeType:
    """Compile the source of a program for its reference run."""
    tree = ast.parse(source, file)
    names = {node.id for place in _dtypes(tree) for node in ast.walk(place)
             if isinstance(node, ast.Name)}  # fmt: skip
    texts = list(_dtypes(tree))
    for node in ast.walk(tree):
        texts += _values_assigned_to(node, names)
    marked = {id(part) for text in texts for part in _texts_of(text)}
    tree = ast.fix_missing_locations(_Rewriter(marked).visit(tree))
    code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    return code


def _dtypes(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions of a source that are dtypes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (k.value for k in node.keywords if k.arg in _KEYWORDS)
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            position = _POSITIONS.get(name)
            if position is not None and len(node.args) > position:
                yield node.args[position]
        elif isinstance(node, ast.Dict):  # keywords of calls, such as dict(dtype="f2")
            yield from (value for key, value in zip(node.keys, node.values, strict=True)
                        if isinstance(key, ast.Constant) and key.value in _KEYWORDS)  # fmt: skip


def _values_assigned_to(node: ast.AST, names: Iterable[str]) -> list[ast.expr]:
    """Return the values that a statement gives to names of dtypes, also as defaults."""
    if isinstance(node, ast.Assign):
        is_named = any(isinstance(t, ast.Name) and t.id in names for t in node.targets)
        return [node.value] if is_named else []
    if isinstance(node, ast.For):
        is_named = isinstance(node.target, ast.Name) and node.target.id in names
        return [node.iter] if is_named else []
    if isinstance(node, ast.arguments):
        last = [*node.posonlyargs, *node.args][-len(node.defaults) :] if node.defaults else []
        pairs = [*zip(last, node.defaults, strict=True),
                 *zip(node.kwonlyargs, node.kw_defaults, strict=True)]  # fmt: skip
        return [value for own, value in pairs if value is not None and own.arg in names]
    return []


def _texts_of(dtype: ast.expr) -> Iterator[ast.Constant]:
    """Yield the texts of types in a dtype: of a list of fields, all but their names."""
    if isinstance(dtype, ast.Constant):
        yield dtype
    elif isinstance(dtype, ast.List):
        for element in dtype.elts:
            is_field = isinstance(element, ast.Tuple) and len(element.elts) > 1
            yield from _texts_of(element.elts[1] if is_field else element)  # type: ignore[attr-defined]
    elif isinstance(dtype, ast.Tuple):
        for element in dtype.elts:
            yield from _texts_of(element)
    elif isinstance(dtype, ast.Dict):
        for key, value in zip(dtype.keys, dtype.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "formats":
                yield from _texts_of(value)
    elif isinstance(dtype, ast.IfExp):
        yield from _texts_of(dtype.body)
        yield from _texts_of(dtype.orelse)


class _Rewriter(ast.NodeTransformer):
    """Rewrites a tree; `marked` are the ids of constants that are types."""

    def __init__(self, marked: set[int]):
        self._marked = marked

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        text = node.value
        if not isinstance(text, str):
            return node
        if text in _LONG or (id(node) in self._marked and _HALF.match(text)):
            return _call("type_of", node)
        if id(node) in self._marked and "," in text:
            return _call("types_of", node)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        has_types = any(key is not None and _is_type_key(key) for key in node.keys)
        self.generic_visit(node)
        if not has_types or None in node.keys:
            return node
        pairs = [ast.Tuple([key, value], ast.Load())
                 for key, value in zip(node.keys, node.values, strict=True) if key]  # fmt: skip
        return _call("table", *pairs, at=node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        for part in node.values:  # Its constants are no types.
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        return node  # A pattern may not call.

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        is_dtype = isinstance(function, ast.Attribute) and function.attr == "dtype"
        if isinstance(function, ast.Attribute) and function.attr in _METHODS:
            node = self._visit_arguments(node)
            owner = self.visit(function.value)
            return _call(function.attr, owner, *node.args, keywords=node.keywords, at=node)
        if is_dtype and isinstance(function.value, ast.Name):  # type: ignore[attr-defined]
            return self._visit_arguments(_with(node, func=_method("dtype_by", node, function)))
        if isinstance(function, ast.Name) and function.id in _RAW:
            return self._visit_arguments(_with(node, func=_method("raw_by", node, function)))
        self.generic_visit(node)
        return node

    def _visit_arguments(self, node: ast.Call) -> ast.Call:
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr in _SIZES and isinstance(node.ctx, ast.Load):
            return _call(node.attr, node.value, at=node)
        if node.attr in _MEMORY and isinstance(node.ctx, ast.Load):
            return _call("memory", node.value, ast.Constant(node.attr), at=node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        operands = [node.left, *node.comparators]
        has_name = any(_is_name_of_half(x) for x in operands)
        self.generic_visit(node)
        if len(node.ops) > 1:
            return node
        (operator,) = node.ops
        kind = _KINDS.get(type(operator))
        has_type = _mentions_half(operands) or any(_has_half(x) for x in node.comparators)
        if kind is None or not (has_name or has_type):
            return node
        return _call(kind, node.left, *node.comparators, at=node)


_KINDS: dict[type[ast.cmpop], str] = {
    ast.Eq: "equals", ast.NotEq: "differs", ast.In: "contains", ast.NotIn: "lacks",
    ast.Is: "is_same", ast.IsNot: "is_other",
}  # fmt: skip


def _is_name_of_half(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_is_name_of_half, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in _NAMES


def _has_half(node: ast.expr) -> bool:
    """Return whether a list, tuple or set has half's type."""
    return isinstance(node, ast.Tuple | ast.List | ast.Set) and _mentions_half(node.elts)


def _is_type_key(key: ast.expr) -> bool:
    """Return whether a key of a dict is half's type, its name or its dtype."""
    if isinstance(key, ast.Call) and len(key.args) == 1:  # np.dtype(np.float16)
        return _mentions_half(key.args) or _is_name_of_half(key.args[0])
    return _mentions_half([key]) or (isinstance(key, ast.Constant) and key.value == "float16")


def _mentions_half(operands: Iterable[ast.expr]) -> bool:
    return any(getattr(x, "attr", getattr(x, "id", "")) in ("float16", "half") for x in operands)


def _method(name: str, at: ast.expr, *args: ast.expr) -> ast.expr:
    """Return a call of a method of `Calls` as an expression at a place of the source."""
    calls = ast.Name(CALLS, ast.Load())
    function = ast.Attribute(calls, name, ast.Load())
    return ast.copy_location(ast.Call(function, list(args), []), at)


def _call(
    name: str,
    *args: ast.expr,
    keywords: list[ast.keyword] | None = None,
    at: ast.expr | None = None,
) -> ast.expr:
    node = _method(name, at or args[0], *args)
    assert isinstance(node, ast.Call)
    node.keywords = keywords or []
    return node


def _with(node: ast.Call, func: ast.expr) -> ast.Call:
    node.func = func
    return node
