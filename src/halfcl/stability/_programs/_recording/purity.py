"""Tells which code of a program is pure, and which does no harm, so that a loop can stall for ever.

A pure expression has the same value whenever its variables have the same, and changes nothing. A
harmless statement changes no number that another one reads: it prints, or appends to a list. Calls
of the program's own functions are followed. Whatever is not known to be pure or harmless is not.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MethodType, ModuleType

import numpy as np

#: Functions that return the same for the same arguments, by the end of their names.
_PURE = frozenset(
    ("abs", "fabs", "absolute", "float", "int", "bool", "len", "max", "min", "sqrt", "exp", "log",
     "sin", "cos", "tan", "all", "any", "sum", "float16", "half", "float32", "float64", "isfinite",
     "isnan", "isinf", "maximum", "minimum", "norm", "hypot", "array", "asarray", "range", "tanh",
     "sinh", "cosh", "arctan", "arctan2", "atan", "atan2", "arcsin", "arccos", "expm1", "log1p",
     "log2", "log10", "exp2", "cbrt", "floor", "ceil", "trunc", "rint", "round", "sign", "clip",
     "where", "dot", "matmul", "outer", "mean", "prod", "std", "var", "zeros", "ones", "empty",
     "full", "zeros_like", "ones_like", "empty_like", "arange", "linspace", "concatenate", "stack",
     "add", "subtract", "multiply", "divide", "power", "square", "negative", "fma", "pow", "roll",
     "diff", "cumsum", "errstate", "copy", "astype", "item", "tuple", "zip", "enumerate",
     "reshape", "ravel", "copysign", "isclose", "array_equal", "eye", "diag", "cross", "erf"),
)  # fmt: skip

#: Functions whose results are arrays that nothing else refers to.
_CREATING = frozenset(
    ("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "array", "copy",
     "arange", "linspace", "eye"),
)  # fmt: skip

#: Keywords by which a function writes to an argument.
_WRITING = frozenset(("out",))

#: Libraries whose functions change no numbers but those of arrays that they get, and of generators.
_HARMLESS_LIBRARIES = ("numpy", "halfcl", "math", "cmath", "time", "matplotlib", "logging")

#: Harmless functions of Python's own, and methods of files and containers, which are no numbers.
_HARMLESS = frozenset(("print", "repr", "str", "format"))
_HARMLESS_METHODS = frozenset(("append", "add", "write", "flush", "debug", "info", "warning"))

#: Functions that end a program.
EXITS = frozenset(("exit", "quit", "_exit", "abort", "kill", "raise_signal"))

#: Values that cannot change while their name refers to them.
_CONSTANT = (
    bool, int, float, complex, str, bytes, type(None), np.number, np.bool_, np.dtype, type,
    ModuleType, FunctionType, MethodType, np.ufunc, type(len), range,
)  # fmt: skip

#: Numbers, which nothing changes in place.
_NUMBERS = (bool, int, float, complex, np.number, np.bool_)

#: Libraries that functions of `_PURE` belong to.
_PURE_LIBRARIES = ("numpy", "halfcl", "builtins", "math")

#: Special methods of classes that run when an object is made or shown, and entries of classes by
#: which reading an attribute runs code.
_WITHOUT_EFFECT = frozenset(("__init__", "__post_init__", "__repr__", "__str__"))
_RUNNING = frozenset(("__slots__", "__getattr__", "__getattribute__"))

_UNKNOWN = object()

#: Limit on calls within calls that are followed.
_DEEPEST = 8


def reads(node: ast.AST) -> set[str]:
    """Return the variables and attributes that code reads, but for the functions that it calls."""
    if _is_chain(node):
        return {ast.unparse(node)}
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Call):
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        parts = [*owner, *node.args, *node.keywords]  # the owner is an array, such as in x.max()
    names = set().union(*map(reads, parts))
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        names -= set().union(*(reads(each.target) for each in node.generators))
    return names


def _is_chain(node: ast.AST) -> bool:
    """Return whether a node is a name or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _uses(node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what `reads` returns as nodes, and whether each is what a method is called of."""
    if isinstance(node, ast.expr) and _is_chain(node):
        yield node, False
        return
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Call):
        parts = [*node.args, *node.keywords]
        if isinstance(node.func, ast.Attribute):
            if _is_chain(node.func.value):
                yield node.func.value, True
            else:
                parts.append(node.func.value)
    for part in parts:
        yield from _uses(part)


@dataclass
class Scope:
    """The names that code can see: local ones first.

    arguments: names whose values the code gets anew each time, such as parameters.
    """

    locals: Mapping[str, object]
    globals: Mapping[str, object]
    arguments: frozenset[str] = frozenset()

    def value(self, node: ast.AST | str) -> object:
        """Return what a name or an attribute refers to; _UNKNOWN if that takes code to run."""
        tree = ast.parse(node, mode="eval").body if isinstance(node, str) else node
        if isinstance(tree, ast.Name):
            for names in (self.locals, self.globals, vars(builtins)):
                if tree.id in names:
                    return names[tree.id]
        if isinstance(tree, ast.Attribute):
            return _attribute(self.value(tree.value), tree.attr)
        return _UNKNOWN


def _attribute(owner: object, name: str) -> object:
    """Return an attribute of a module, or of an object of the program; properties are unknown."""
    if owner is _UNKNOWN:
        return _UNKNOWN
    own = getattr(owner, "__dict__", {})
    if name in own:
        return own[name]
    for base in type(owner).__mro__ if not isinstance(owner, ModuleType) else ():
        if name in vars(base):
            value = vars(base)[name]
            if isinstance(value, FunctionType):
                return MethodType(value, owner)
            return _UNKNOWN if hasattr(value, "__get__") else value
    return getattr(owner, name, _UNKNOWN) if isinstance(owner, ModuleType) else _UNKNOWN


@dataclass
class Purity:
    """Follows the calls of code that runs in a scope.

    is_own: tells whether code is the program's. arrays: those of names outside of the program's
    functions that these read, which must not change. attributes: objects of the program's classes,
    and the names of their attributes that the code reads, which must not change either.
    """

    is_own: Callable[[CodeType], bool]
    arrays: list[object] = field(default_factory=list)
    attributes: list[tuple[object, str]] = field(default_factory=list)

    # ------------------------------------------------------------ expressions

    def is_pure(self, node: ast.AST, scope: Scope, depth: int = 0) -> bool:
        """Return whether an expression depends on its variables alone, and changes nothing."""
        for part in ast.walk(node):
            if isinstance(part, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda):
                return False
            if isinstance(part, ast.Call) and not self._is_pure_call(part, scope, depth):
                return False
        return True

    def _is_pure_call(self, call: ast.Call, scope: Scope, depth: int) -> bool:
        if any(word.arg in _WRITING for word in call.keywords):
            return False
        function = scope.value(call.func)
        if self._is_of_object(call.func, scope) and function is _UNKNOWN:
            return False
        own = _own_function(function, self.is_own)
        if own is not None:
            return depth < _DEEPEST and self._is_pure_own_call(
                own, function, call, scope, depth + 1
            )
        name = ast.unparse(call.func).rpartition(".")[2]
        is_unknown = function is _UNKNOWN  # such as a method of an array
        return name in _PURE and (is_unknown or _library_of(function) in _PURE_LIBRARIES)

    def _is_pure_own_call(
        self, own: FunctionType, called: object, call: ast.Call, scope: Scope, depth: int
    ) -> bool:
        """Return whether a function of the program depends on its arguments and constants alone."""
        tree = _tree_of(own)
        if tree is None or own.__code__.co_flags & _GENERATOR:
            return False
        uses = [use for part in (*call.args, *call.keywords) for use in _uses(part)]
        values = [scope.value(node) for node, _ in uses]
        owner = called.__self__ if isinstance(called, MethodType) else None
        # The attributes of an object that is an argument are not looked at.
        passed = [x for x, (_, is_owner) in zip(values, uses, strict=True) if not is_owner]
        if any(map(self._is_object, passed)) or not (owner is None or self._is_object(owner)):
            return False
        functions = _functions_among(call, tree, scope, owner is not None)
        body = _Body(self, own, tree, depth, functions, owner)
        if not body.is_pure():
            return False
        # An augmented assignment changes an array in place, and a number not.
        are_numbers = owner is None and all(isinstance(value, _NUMBERS) for value in values)
        return are_numbers or not body.augments()

    # ------------------------------------------------------------ statements

    def is_harmless(self, node: ast.AST, scope: Scope, depth: int = 0) -> bool:
        """Return whether all calls in a statement are pure, or change no numbers and end nothing.

        Arrays that they may change are not looked at: see `changed_arrays`.
        """
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
        return not any(
            isinstance(part, ast.Await | ast.Yield | ast.YieldFrom | ast.Delete | ast.Global)
            for part in ast.walk(node)
        ) and all(self._is_harmless_call(call, scope, depth) for call in calls)

    def _is_harmless_call(self, call: ast.Call, scope: Scope, depth: int) -> bool:
        if self._is_pure_call(call, scope, depth):
            return True
        function = scope.value(call.func)
        own = _own_function(function, self.is_own)
        if own is not None:
            return depth < _DEEPEST and self._is_harmless_function(own, depth + 1)
        name = ast.unparse(call.func).rpartition(".")[2]
        if name in EXITS:
            return False
        if isinstance(call.func, ast.Attribute) and name in _HARMLESS_METHODS:
            return function is _UNKNOWN or not isinstance(function, FunctionType | MethodType)
        return name in _HARMLESS or _library_of(function) in _HARMLESS_LIBRARIES

    def _is_harmless_function(self, own: FunctionType, depth: int) -> bool:
        """Return whether a function of the program only reads, prints and appends."""
        tree = _tree_of(own)
        if tree is None:
            return False
        scope = Scope({}, own.__globals__)
        stores = [p for p in ast.walk(tree) if isinstance(getattr(p, "ctx", None), ast.Store)]
        ends = (ast.Raise, ast.Assert, ast.Global, ast.Nonlocal, ast.Delete, ast.AugAssign)
        return (
            not any(isinstance(part, ast.Attribute | ast.Subscript) for part in stores)
            and not any(isinstance(part, ends) for part in ast.walk(tree))
            and not (_bound_names(tree) & _called_names(tree))
            and all(self.is_harmless(statement, scope, depth) for statement in tree.body)
        )

    def changed_arrays(self, node: ast.AST, scope: Scope) -> Iterator[object]:
        """Yield the arrays that calls in a statement get, and may change."""
        for call in ast.walk(node):
            if not isinstance(call, ast.Call) or self._is_pure_call(call, scope, 0):
                continue
            parts = [*call.args, *(word.value for word in call.keywords)]
            if isinstance(call.func, ast.Attribute):
                parts.append(call.func.value)
            for name in set().union(*map(reads, parts)):
                value = scope.value(name)
                if isinstance(value, np.ndarray):
                    yield value

    def is_constant(self, name: str, scope: Scope) -> bool:
        """Return whether a name that nothing assigns to keeps its value.

        Arrays are noted, and attributes of objects.
        """
        value = scope.value(name)
        self._is_of_object(ast.parse(name, mode="eval").body, scope)
        if isinstance(value, np.ndarray):
            self.arrays.append(value)
            return bool(value.dtype.kind != "O")
        return isinstance(value, _CONSTANT) or self._is_object(value)

    # ------------------------------------------------------------ objects

    def is_plain_use(self, node: ast.expr, is_owner: bool, scope: Scope) -> bool:
        """Return whether code uses a constant, and an object only to call a method of it."""
        is_object = self._is_object(scope.value(node))
        return (is_owner or not is_object) and self.is_constant(ast.unparse(node), scope)

    def _is_of_object(self, node: ast.expr, scope: Scope) -> bool:
        """Note the attributes of objects in a chain of names; return whether the last is one."""
        owner = scope.value(node.value) if isinstance(node, ast.Attribute) else _UNKNOWN
        if not isinstance(node, ast.Attribute) or not self._is_object(owner):
            return False
        self.attributes.append((owner, node.attr))
        self._is_of_object(node.value, scope)
        return True

    def _is_object(self, value: object) -> bool:
        """Return whether reading an attribute of a value runs no code, nor does an operator.

        Its class is the program's own, and has no properties, and no operators of its own.
        """
        bases = type(value).__mro__[:-1]
        if isinstance(value, _CONSTANT) or type(type(value)) is not type or not bases:
            return False
        entries = [entry for base in bases for entry in vars(base).items()]
        return hasattr(value, "__dict__") and all(self._is_plain(*entry) for entry in entries)

    def _is_plain(self, name: str, value: object) -> bool:
        """Return whether an entry of a class is a method of the program, or has no effect."""
        is_special = name.startswith("__") and name.endswith("__")
        if isinstance(value, FunctionType):
            is_own = self.is_own(value.__code__)
            return name in _WITHOUT_EFFECT or is_own is not is_special
        return name not in _RUNNING if is_special else not hasattr(value, "__get__")

    def may_store(self, node: ast.AST, scope: Scope) -> bool:
        """Return whether statements may assign to an attribute that code reads."""
        return any(
            isinstance(part, ast.Attribute)
            and not isinstance(part.ctx, ast.Load)
            and self._may_be_noted(scope.value(part.value), part.attr)
            for part in ast.walk(node)
        )

    def _may_be_noted(self, owner: object, name: str) -> bool:
        """Return whether an attribute of an object, or of its class, may be one that is read."""
        objects = [x for x, read in self.attributes if read == name]
        if isinstance(owner, type):
            return any(isinstance(x, owner) for x in objects)
        return any(owner is _UNKNOWN or owner is x for x in objects)


_GENERATOR = 0x20 | 0x80 | 0x100 | 0x200  # generators and coroutines


def _own_function(function: object, is_own: Callable[[CodeType], bool]) -> FunctionType | None:
    """Return a function of the program, or that of a method; None for anything else."""
    own = function.__func__ if isinstance(function, MethodType) else function
    return own if isinstance(own, FunctionType) and is_own(own.__code__) else None


def _library_of(function: object) -> str:
    """Return the library that a function is part of; empty if that is unknown."""
    if isinstance(function, np.ufunc):
        return "numpy"
    module = getattr(function, "__module__", None)
    if module is None and isinstance(function, type(np.random.random)):
        owner = getattr(function, "__self__", None)  # a method, as of a generator
        module = owner.__name__ if isinstance(owner, ModuleType) else type(owner).__module__
    return module.partition(".")[0] if isinstance(module, str) else ""


def _tree_of(function: FunctionType) -> ast.FunctionDef | None:
    """Return the definition of a function in its source; None for lambdas and what is not found."""
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    return None


def _bound_names(tree: ast.FunctionDef) -> set[str]:
    """Return the parameters and local names of a function."""
    names = {part.arg for part in ast.walk(tree.args) if isinstance(part, ast.arg)}
    return names | {
        part.id
        for part in ast.walk(tree)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _called_names(tree: ast.AST) -> set[str]:
    """Return the names that are called, but for methods."""
    calls = (part.func for part in ast.walk(tree) if isinstance(part, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


#: Statements of pure functions.
_STATEMENTS = (
    ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.For, ast.While, ast.Pass,
    ast.Break, ast.Continue, ast.Expr, ast.With, ast.Assert, ast.Raise,
)  # fmt: skip


def _functions_among(
    call: ast.Call, tree: ast.FunctionDef, scope: Scope, is_method: bool
) -> dict[str, object]:
    """Return the arguments of a call that are functions, by the names of the parameters."""
    names = [each.arg for each in (*tree.args.posonlyargs, *tree.args.args)][is_method:]
    pairs: list[tuple[str, ast.expr]] = [*zip(names, call.args, strict=False)]
    pairs += [(word.arg, word.value) for word in call.keywords if word.arg is not None]
    if any(isinstance(each, ast.Starred) for each in call.args):
        return {}
    values = {name: scope.value(value) for name, value in pairs if _is_chain(value)}
    return {name: x for name, x in values.items() if isinstance(x, FunctionType | np.ufunc)}


class _Body:
    """The body of a function of the program.

    functions: its parameters that are functions, which it may call. owner: the object whose method
    it is; None for others.
    """

    def __init__(
        self,
        purity: Purity,
        own: FunctionType,
        tree: ast.FunctionDef,
        depth: int,
        functions: Mapping[str, object],
        owner: object = None,
    ):
        self._purity, self._own, self._tree, self._depth = purity, own, tree, depth
        self._bound = _bound_names(tree)
        stored = {
            part.id
            for part in ast.walk(tree)
            if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
        }
        self._called = {name: x for name, x in functions.items() if name not in stored}
        parameters = [each.arg for each in (*tree.args.posonlyargs, *tree.args.args)]
        self._owner = {} if owner is None else dict.fromkeys(parameters[:1], owner)
        self._rebinds_owner = owner is not None and (not parameters or parameters[0] in stored)
        local = dict.fromkeys(self._bound, _UNKNOWN)
        known = {**local, **_closure(own), **self._called, **self._owner}
        self._scope = Scope(known, own.__globals__)

    def is_pure(self) -> bool:
        """Return whether it assigns to local names alone, and calls pure functions alone."""
        if self._rebinds_owner:
            return False
        nodes = [part for statement in self._tree.body for part in ast.walk(statement)]
        return (
            all(isinstance(part, _STATEMENTS) for part in nodes if isinstance(part, ast.stmt))
            and not any(isinstance(part, ast.Global | ast.Nonlocal) for part in nodes)
            and not (self._bound - self._called.keys()) & _called_names(self._tree)
            and all(map(self._is_local_store, nodes))
            and all(self._is_constant(*use) for part in self._tree.body for use in _uses(part))
            and all(map(self._has_constant_default, (*self._tree.args.defaults, *filter(
                None, self._tree.args.kw_defaults))))
            and all(
                self._purity.is_pure(part, self._scope, self._depth) for part in self._tree.body
            )
        )  # fmt: skip

    def _is_local_store(self, node: ast.AST) -> bool:
        """Return whether a node stores nothing but a local name, or an element of a new array."""
        if not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            return True
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Name) and self._is_new(node.value.id)
        return not isinstance(node, ast.Attribute | ast.Starred)

    def augments(self) -> bool:
        """Return whether an augmented assignment may change an array that others refer to."""
        targets = [part.target for part in ast.walk(self._tree) if isinstance(part, ast.AugAssign)]
        return not all(
            isinstance(target, ast.Subscript)
            or (isinstance(target, ast.Name) and self._is_new(target.id))
            for target in targets
        )

    def _is_new(self, name: str) -> bool:
        """Return whether each assignment to a name is a call that creates an array."""
        values = [
            part.value
            for part in ast.walk(self._tree)
            if isinstance(part, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == name for t in part.targets)
        ]
        parameters = {part.arg for part in ast.walk(self._tree.args) if isinstance(part, ast.arg)}
        return (
            bool(values)
            and name not in parameters
            and all(
                isinstance(value, ast.Call)
                and ast.unparse(value.func).rpartition(".")[2] in _CREATING
                for value in values
            )
        )

    def _is_constant(self, node: ast.expr, is_owner: bool) -> bool:
        """Return whether a name is local, or a constant of the module, closure or object."""
        root = ast.unparse(node).partition(".")[0]
        is_local = root in self._bound and root not in self._owner
        return is_local or self._purity.is_plain_use(node, is_owner, self._scope)

    def _has_constant_default(self, default: ast.expr) -> bool:
        return isinstance(default, ast.Constant) or all(
            self._purity.is_constant(name, self._scope) for name in reads(default)
        )


def _closure(function: FunctionType) -> dict[str, object]:
    """Return the values of the names that a function has from the function around it."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    values: dict[str, object] = {}
    for name, cell in cells:
        try:
            values[name] = cell.cell_contents
        except ValueError:  # It has no value yet.
            values[name] = _UNKNOWN
    return values
