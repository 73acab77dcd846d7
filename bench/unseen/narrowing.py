"""Make a float16 program of one for doubles, by a rule; and let one line of it compute in double.

`narrow` edits nothing by hand. The rule:

- The result of each call of a NumPy function, and of methods that draw random numbers or compute
  means, becomes float16 if it is float64 or float32. So does ``name = a + b`` (any operator), since
  an array of integers times a float is float64, and ``x.real``.
- Types: np.float64, np.float32 and the like become np.float16, as do ``float`` and "float64" where
  they are arguments of NumPy's functions, of astype, or a dtype.
- Functions of numpy.linalg and numpy.fft get float32 for float16, and give float16 back.

`mend` rewrites the statements of one line of such a program: their float16 operands are widened to
float64 and their results narrowed to float16 again, calls of the program's own functions excepted.
Both insert helpers by one line that executes `HELPERS`; its code counts as a library's, so that
reports name the program's own lines.
"""

import ast

import numpy as np

#: The helpers. `_wide` and its like are used by `mend` alone.
HELPERS = """
import atexit, os, types
import numpy as np

made = [0]

def _is_wide(x):
    return x.dtype.kind == "f" and x.dtype.itemsize > 2

def _half(x):
    if isinstance(x, (np.ndarray, np.floating)):
        made[0] += 1
        if not _is_wide(x):
            return x
        return x.astype(np.float16) if isinstance(x, np.ndarray) else np.float16(x)
    if isinstance(x, tuple):
        return type(x)(*map(_half, x)) if hasattr(x, "_fields") else tuple(map(_half, x))
    return x

def _convert(x, dtype):
    if isinstance(x, np.ndarray) and x.dtype == np.float16:
        return x.astype(dtype)
    if isinstance(x, np.float16) or (isinstance(x, np.floating) and x.dtype.itemsize == 2):
        return dtype(x)
    if type(x) in (list, tuple):
        return type(x)(_convert(y, dtype) for y in x)
    return x

def _single(f, *args, **options):
    args = [_convert(x, np.float32) for x in args]
    return _half(f(*args, **{k: _convert(x, np.float32) for k, x in options.items()}))

def _wide(x):
    return _convert(x, np.float64) if isinstance(x, (np.ndarray, np.floating)) else x

def _is_own(f):
    f = getattr(f, "__func__", f)
    if f in (_half, _single):
        return False
    return isinstance(f, (type, types.FunctionType)) and "numpy" not in str(f.__module__).split(".")

def _call(f, *args, **options):
    of_numpy = isinstance(f, np.ufunc) or (
        str(getattr(f, "__module__", "")).split(".")[0] in ("numpy", "math")
        or isinstance(getattr(f, "__self__", None), (np.ndarray, np.floating)))
    if f is _half:
        return args[0]
    if f is _single:
        return args[0](*[_convert(x, np.float64) for x in args[1:]], **options)
    change = _wide if of_numpy or f in (abs, sum, min, max, pow, round) else _half
    return f(*map(change, args), **{k: change(x) for k, x in options.items()})

def _change(target, operator, value):
    result = _half(operator(_wide(target), value))
    if isinstance(target, np.ndarray) and target.ndim:
        target[...] = result
        return target
    return result

def _write():
    with open(os.environ["HALVES_MADE"], "a") as file:
        print(made[0], file=file)

if os.environ.get("HALVES_MADE"):
    atexit.register(_write)
"""

#: The line that a program gets: it defines the helpers, and no other names.
HEADER = (
    f"exec(compile({HELPERS!r}, '<float16>', 'exec'), _halves := {{}}); "
    "globals().update({k: v for k, v in _halves.items() if k[0] == '_' != k[1]})"
)

#: NumPy's names of types that become float16.
TYPES = {"float64", "float32", "float_", "double", "single", "longdouble", "float128", "float96"}
#: Texts that name such types as arguments.
TYPE_TEXTS = {"float64", "float32", "float", "double", "single", "d", "f", "f8", "f4", "<f8", "<f4"}
#: Methods whose float64 results become float16, whatever object they belong to.
METHODS = set(
    "normal uniform random standard_normal randn rand random_sample exponential gamma beta "
    "multivariate_normal lognormal standard_t chisquare laplace mean std var choice poisson".split()
)
#: Parts of NumPy that compute in float32.
IN_SINGLE = {"linalg", "fft"}


def names_of(node):
    """Return the names of a chain of attributes, or None."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else None


class _Imports(ast.NodeVisitor):
    """Finds the names under which a program has NumPy's modules and functions."""

    def __init__(self):
        self.names = {}  # name: its dotted name in NumPy

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.split(".")[0] == "numpy":
                self.names[alias.asname or "numpy"] = alias.name if alias.asname else "numpy"

    def visit_ImportFrom(self, node):
        if not node.level and (node.module or "").split(".")[0] == "numpy":
            for alias in node.names:
                if alias.name == "*":
                    module = np.linalg if node.module == "numpy.linalg" else np
                    self.names |= {n: f"{node.module}.{n}" for n in getattr(module, "__all__", ())}
                else:
                    self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"


class _Narrow(ast.NodeTransformer):
    """Applies the rule of `narrow`."""

    def __init__(self, names):
        self.names = names

    def numpy_name(self, node):
        """Return the dotted name in NumPy of a chain of attributes, or ""."""
        chain = names_of(node)
        if not chain or chain[0] not in self.names:
            return ""
        return ".".join([self.names[chain[0]], *chain[1:]])

    def is_type(self, node):
        if isinstance(node, ast.Name):
            return node.id == "float" or self.numpy_name(node).rpartition(".")[2] in TYPES
        return isinstance(node, ast.Constant) and node.value in TYPE_TEXTS

    def visit_Attribute(self, node):
        if self.numpy_name(node).rpartition(".")[2] in TYPES:
            return ast.copy_location(self.half_type(node), node)
        node = self.generic_visit(node)
        if node.attr in ("real", "imag") and isinstance(node.ctx, ast.Load):
            return _call("_half", node)
        return node

    def half_type(self, node):
        """Return np.float16 under the program's own name for NumPy, or as a text."""
        for name, module in self.names.items():
            if module == "numpy":
                return ast.Attribute(ast.Name(name, ast.Load()), "float16", ast.Load())
        return ast.Constant("float16")

    def visit_Name(self, node):
        is_type = self.numpy_name(node).rpartition(".")[2] in TYPES
        return self.half_type(node) if is_type and isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node):
        name = self.numpy_name(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name or method == "astype":
            node.args = [self.half_type(x) if self.is_type(x) else x for x in node.args]
        for keyword in node.keywords:
            if keyword.arg == "dtype" and self.is_type(keyword.value):
                keyword.value = self.half_type(keyword.value)
        node = self.generic_visit(node)
        if name and IN_SINGLE & set(name.split(".")[1:-1]):
            return _call("_single", node.func, *node.args, keywords=node.keywords)
        return _call("_half", node) if name or method in METHODS else node

    def visit_Assign(self, node):
        node = self.generic_visit(node)
        if isinstance(node.value, ast.BinOp) and isinstance(node.targets[0], ast.Name):
            node.value = _call("_half", node.value)
        return node

    def visit_FunctionDef(self, node):
        """Leave decorators and annotations as they are."""
        decorators, node.decorator_list = node.decorator_list, []
        returns, node.returns = node.returns, None
        node = self.generic_visit(node)
        node.decorator_list, node.returns = decorators, returns
        return node

    def visit_arg(self, node):
        return node

    def visit_AnnAssign(self, node):
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def _call(name, *args, keywords=()):
    return ast.Call(ast.Name(name, ast.Load()), list(args), list(keywords))


def _insert_header(tree):
    """Insert the helpers after a docstring and imports from __future__."""
    at = 0
    for k, node in enumerate(tree.body):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if (k == 0 and is_text) or (
            isinstance(node, ast.ImportFrom) and node.module == "__future__"
        ):
            at = k + 1
    tree.body[at:at] = ast.parse(HEADER).body


def narrow(source):
    """Return the text of a program that computes in float16; each statement has one line."""
    tree = ast.parse(source)
    imports = _Imports()
    imports.visit(tree)
    tree = _Narrow(imports.names).visit(tree)
    _insert_header(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


# ---------------------------------------------------------------- one line in double


class _Widen(ast.NodeTransformer):
    """Widens the float16 operands of an expression."""

    def visit_Name(self, node):
        return _call("_wide", node) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node):
        if not isinstance(node.ctx, ast.Load):
            return node
        return _call("_wide", node) if names_of(node) else self.generic_visit(node)

    def visit_Subscript(self, node):
        if isinstance(node.ctx, ast.Load):
            node.value = _inside(node.value, self)
            return _call("_wide", node)
        return node

    def visit_Call(self, node):
        if any(isinstance(x, ast.Starred) for x in node.args):
            return node
        args = [self.visit(x) for x in node.args]
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        result = _call("_call", _inside(node.func, self), *args, keywords=keywords)
        return _call("_wide", result)  # the program's own functions return halves

    def visit_Lambda(self, node):
        node.body = _call("_half", self.visit(node.body))
        return node


def _inside(node, widen):
    """Return a function or an indexed object, whose own value stays as it is."""
    if isinstance(node, ast.Attribute):
        chain = names_of(node)
        node.value = node.value if chain and len(chain) == 1 else (
            _call("_wide", node.value) if chain else widen.visit(node.value))  # fmt: skip
        return node
    return node if isinstance(node, ast.Name) else widen.visit(node)


class _Mend(ast.NodeTransformer):
    """Rewrites the statements of some lines."""

    def __init__(self, lines):
        self.lines, self.count = lines, 0

    def visit(self, node):
        if isinstance(node, ast.stmt) and node.lineno in self.lines:
            method = getattr(self, f"mend_{type(node).__name__}", None)
            if method is not None:
                self.count += 1
                return method(node)
        return self.generic_visit(node)

    def mend_Assign(self, node):
        node.value = _call("_half", _Widen().visit(node.value))
        return node

    def mend_AnnAssign(self, node):
        return self.mend_Assign(node) if node.value is not None else node

    def mend_Return(self, node):
        return self.mend_Assign(node) if node.value is not None else node

    def mend_Expr(self, node):
        node.value = _Widen().visit(node.value)
        return node

    def mend_AugAssign(self, node):
        value = _Widen().visit(node.value)
        name = _OPERATORS[type(node.op)]
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        operator = ast.parse(f"__import__('operator').{name}", mode="eval").body
        return ast.Assign([node.target], _call("_change", load, operator, value))

    def mend_If(self, node):
        node.test = _Widen().visit(node.test)
        return self.generic_visit_body(node)

    mend_While = mend_If

    def mend_For(self, node):
        node.iter = _Widen().visit(node.iter)
        return self.generic_visit_body(node)

    def generic_visit_body(self, node):
        node.body = [self.visit(x) for x in node.body]
        node.orelse = [self.visit(x) for x in node.orelse]
        return node


_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv",
              ast.Pow: "pow", ast.FloorDiv: "floordiv", ast.Mod: "mod",
              ast.MatMult: "matmul"}  # fmt: skip


def mend(source, *lines):
    """Return a narrowed program whose statements at these lines compute in double.

    Raise ValueError if there is no statement with a value at one of them.
    """
    tree = ast.parse(source)
    rewriter = _Mend(set(lines))
    tree = rewriter.visit(tree)
    if rewriter.count < len(set(lines)):
        raise ValueError(f"mend: expected statements at lines {sorted(lines)}")
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
