"""numpy.vectorize of functions that return half.

Without ``otypes`` it stores the types of the first results as letters, and half has float16's
letter. With halfcl it stores half's dtype.
"""

from __future__ import annotations

import ast
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from halfcl import _core
from halfcl._numpy.statistics import get_source, move_lines

#: The method, its expression for the type of a result, and the global variable with the function
#: that replaces it.
_NAME, _CHAR, _CODE = "_get_ufunc_and_otypes", "asarray(outputs[_k]).dtype.char", "_halfcl_code"


def _code_of(dtype: np.dtype[Any]) -> np.dtype[Any] | str:
    """Return a dtype's letter, or the dtype itself for half, which has no letter of its own."""
    return dtype if dtype.type is _core.half else dtype.char


class _Codes(ast.NodeTransformer):
    """A transformer of ''.join([x.dtype.char for ...]) to [_halfcl_code(x.dtype) for ...]."""

    done = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) != "''.join" or not isinstance(node.args[0], ast.ListComp):
            return self.generic_visit(node)
        codes = node.args[0]
        if ast.unparse(codes.elt) == _CHAR:
            assert isinstance(codes.elt, ast.Attribute)
            call = ast.Call(ast.Name(_CODE, ast.Load()), [codes.elt.value], [])
            codes.elt = ast.copy_location(call, codes.elt)
            self.done = True
        return ast.copy_location(codes, node)


def teach_vectorize() -> bool:
    """Make numpy.vectorize keep half; return whether it does."""
    function: FunctionType = np.vectorize.__dict__[_NAME]
    if _CODE in function.__globals__:
        return True  # halfcl was imported before
    code = function.__code__
    codes = _Codes()
    # The lines of a method are indented, so they are valid in a block.
    tree = codes.visit(ast.parse("if True:\n" + get_source(code)))
    if not codes.done:
        return False
    module = compile(ast.fix_missing_locations(tree), code.co_filename, "exec")
    function.__globals__[_CODE] = _code_of
    body = next(c for c in module.co_consts if isinstance(c, CodeType))
    function.__code__ = move_lines(body, code.co_firstlineno - 2)
    return True
