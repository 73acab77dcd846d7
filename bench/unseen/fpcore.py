"""Read FPCore, and make of it a NumPy function as a user would write it, and its truth in MPFR.

An FPCore is an s-expression: ``(FPCore (x) :pre (< 0 x) (- (sqrt (+ x 1)) (sqrt x)))``, see
https://fpbench.org/spec/fpcore-2.0.html. `read` returns those of a text as `Core` objects. What has
no plain NumPy form (tensors, functions that NumPy lacks) raises `NotExpressible`.
"""

import ast
import contextvars
import keyword
import math
import operator
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import gmpy2


class NotExpressible(Exception):
    """The formula has no plain NumPy form; the text says why."""


class Unknown(Exception):
    """The truth cannot be computed with bounded work."""


# ---------------------------------------------------------------- s-expressions

_TOKEN = re.compile(r'\s*(?:;[^\n]*)?("(?:\\.|[^"\\])*"|[()\[\]]|[^\s()\[\]";]+)?')


def tokens(text):
    """Yield the tokens of a text without its comments."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match.end() == at:
            raise ValueError(f"FPCore: expected a token at {text[at : at + 20]!r}")
        if match[1]:
            yield match[1]
        at = match.end()


def expressions(text):
    """Return the s-expressions of a text: lists, and strings for atoms (with their quotes)."""
    stack = [[]]
    for token in tokens(text):
        if token in "([":
            stack.append([])
        elif token in ")]":
            if len(stack) == 1:
                raise ValueError("FPCore: expected an opening parenthesis, got a closing one")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise ValueError(f"FPCore: expected {len(stack) - 1} more closing parentheses")
    return stack[0]


@dataclass
class Core:
    """A formula: its title, arguments, precondition (an s-expression or None) and body."""

    title: str
    arguments: list[str]
    precondition: Any
    body: Any
    identifier: str = ""

    @property
    def key(self):
        """The formula without its names, by which duplicates are found."""
        names = {name: f"_{k}" for k, name in enumerate(self.arguments)}

        def rename(node):
            return [rename(x) for x in node] if isinstance(node, list) else names.get(node, node)

        return repr((len(names), rename(self.body)))


def read(text):
    """Return the FPCores of a text, in their order; calls of earlier ones become lets."""
    cores, named = [], {}
    for node in expressions(text):
        if node and node[0] == "FPCore":
            core = _core(node)
            core.body = _inline(core.body, named)
            cores.append(core)
            if core.identifier:
                named[core.identifier] = core
    return cores


def _inline(node, named):
    """Return a node in which calls of named formulas are replaced by their bodies."""
    if not isinstance(node, list) or not node:
        return node
    parts = [_inline(x, named) for x in node]
    core = named.get(parts[0]) if isinstance(parts[0], str) else None
    if core is None or len(core.arguments) != len(parts) - 1:
        return parts
    return ["let", [list(pair) for pair in zip(core.arguments, parts[1:], strict=True)], core.body]


def _core(node):
    rest = node[1:]
    identifier = rest.pop(0) if isinstance(rest[0], str) else ""
    arguments, rest = rest[0], rest[1:]
    properties = {}
    while len(rest) > 1:
        properties[rest[0]] = rest[1]
        rest = rest[2:]
    title = properties.get(":name", identifier).strip('"')
    return Core(title, arguments, properties.get(":pre"), rest[0], identifier)


# ---------------------------------------------------------------- numbers

_NUMBER = re.compile(r"[+-]?(\d+(/\d+)?|(\d+\.\d*|\.?\d+)([eE][+-]?\d+)?)$")


def number(atom):
    """Return the exact value of a numeral, or None for another atom."""
    return Fraction(atom) if _NUMBER.match(atom) else None


def _double(value):
    """Return the nearest double; NotExpressible beyond its range."""
    try:
        return float(value)
    except OverflowError:
        raise NotExpressible("a constant beyond a double's range") from None


# ---------------------------------------------------------------- as NumPy

#: FPCore's functions, NumPy's and, for constants, Python's.
FUNCTIONS = {
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log",
    "log2": "log2", "log10": "log10", "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "hypot": "hypot", "fmod": "fmod", "copysign": "copysign", "floor": "floor", "ceil": "ceil",
    "trunc": "trunc", "fabs": "abs", "fmin": "fmin", "fmax": "fmax", "nearbyint": "rint",
}  # fmt: skip

#: The functions of constants that Python has as built-in functions.
_BUILTINS = {"fabs": "abs", "fmin": "min", "fmax": "max", "nearbyint": "round"}

OPERATORS = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div}
COMPARISONS = {"<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq}
#: Logical operators: of arrays, and of truth values.
LOGIC = {"and": (ast.BitAnd, ast.And), "or": (ast.BitOr, ast.Or)}
CONSTANTS = {"PI": "math.pi", "E": "math.e", "INFINITY": "math.inf", "NAN": "math.nan",
             "LN2": "math.log(2)", "LN10": "math.log(10)", "LOG2E": "math.log2(math.e)",
             "SQRT2": "math.sqrt(2)", "SQRT1_2": "math.sqrt(0.5)", "PI_2": "math.pi / 2",
             "PI_4": "math.pi / 4", "1_PI": "1 / math.pi", "2_PI": "2 / math.pi",
             "TRUE": "True", "FALSE": "False"}  # fmt: skip

#: Expressions nested deeper get a name.
_DEEPEST = 20


@dataclass
class _Value:
    """A Python expression, whether it is constant, and how deep it is nested."""

    node: ast.expr
    constant: bool = False
    depth: int = 1


def _parse(text):
    return ast.parse(text, mode="eval").body


def _is_loop(node):
    return isinstance(node, list) and (node[:1] in (["while"], ["while*"]) or any(
        map(_is_loop, node)))  # fmt: skip


class _Writer:
    """Writes the body of a function."""

    def __init__(self, core, scalar):
        self.taken, self.scalar = {"np", "math", "f", "abs", "min", "max", "round"}, scalar
        self.lines = []
        self.arguments = [self.new_name(name) for name in core.arguments]
        names = zip(core.arguments, self.arguments, strict=True)
        scope = {name: _Value(_parse(as_python)) for name, as_python in names}
        result = self.write(core.body, scope)
        if result.constant:
            raise NotExpressible("a constant")
        self.lines.append(ast.Return(result.node))

    def new_name(self, name):
        """Return a Python identifier that is not in use."""
        base = re.sub(r"\W", "_", name.replace("*", "_star").replace("'", "_prime")).strip("_")
        if not base.isidentifier() or keyword.iskeyword(base):
            base = f"{base}_" if keyword.iskeyword(base) else f"v{base}"
        unused, count = base, 2
        while unused in self.taken:
            unused, count = f"{base}_{count}", count + 1
        self.taken.add(unused)
        return unused

    def assign(self, name, value):
        """Write an assignment to a new name, and return the name as a value."""
        target = self.new_name(name)
        self.lines.append(ast.Assign([ast.Name(target, ast.Store())], value.node))
        return _Value(ast.Name(target, ast.Load()), value.constant)

    def write(self, node, scope):
        """Return the expression for a node; lets and loops in it become lines before it."""
        value = self.atom(node, scope) if isinstance(node, str) else self.form(node, scope)
        return self.assign("t", value) if value.depth > _DEEPEST else value

    def atom(self, node, scope):
        if node in scope:
            return scope[node]
        if node in CONSTANTS:
            return _Value(_parse(CONSTANTS[node]), True)
        value = number(node)
        if value is None:
            raise NotExpressible(f"the constant {node}")
        _double(value)
        if "/" in node:
            return _Value(_parse(f"{value.numerator} / {value.denominator}"), True)
        short = re.fullmatch(r"[+-]?\d{1,15}", node)
        return _Value(_parse(repr(int(node) if short else _double(value))), True)

    def form(self, node, scope):
        head, *rest = node
        if not isinstance(head, str):
            raise NotExpressible("a list without an operator")
        if head in ("let", "let*"):
            return self.let(head, *rest, scope)
        if head in ("while", "while*"):
            return self.loop(head, *rest, scope)
        if head in ("!", "cast"):
            return self.write(rest[-1], scope)
        values = [self.write(x, scope) for x in rest]
        constant = all(value.constant for value in values)
        nodes = [value.node for value in values]
        result = self.operation(head, nodes, constant)
        return _Value(result, constant, 1 + max((value.depth for value in values), default=0))

    def operation(self, head, nodes, constant):
        """Return the expression of an operator or a function for its operands' expressions."""
        plain = constant or self.scalar  # truth values rather than arrays of them
        if head == "-" and len(nodes) == 1:
            return ast.UnaryOp(ast.USub(), nodes[0])
        if head in OPERATORS and len(nodes) == 1:
            return nodes[0] if head == "+" else ast.BinOp(ast.Constant(1), ast.Div(), nodes[0])
        if head in OPERATORS:
            return _fold(OPERATORS[head], nodes)
        if head == "pow":
            return ast.BinOp(nodes[0], ast.Pow(), nodes[1])
        if head == "fma":
            return ast.BinOp(ast.BinOp(nodes[0], ast.Mult(), nodes[1]), ast.Add(), nodes[2])
        if head == "fdim":
            apart = ast.BinOp(nodes[0], ast.Sub(), nodes[1])
            return self.operation("fmax", [apart, ast.Constant(0)], constant)
        if head in COMPARISONS:
            pairs = [ast.Compare(a, [COMPARISONS[head]()], [b])
                     for a, b in pairwise(nodes)]  # fmt: skip
            return self.join("and", pairs, plain)
        if head == "!=" and len(nodes) == 2:
            return ast.Compare(nodes[0], [ast.NotEq()], [nodes[1]])
        if head in LOGIC:
            return self.join(head, nodes, plain)
        if head == "not":
            return ast.UnaryOp(ast.Not() if plain else ast.Invert(), nodes[0])
        if head == "if":
            return ast.IfExp(*nodes) if plain else _call("np.where", nodes)
        if head not in FUNCTIONS:
            raise NotExpressible(f"the operator {head}")
        if constant:
            return _call(_BUILTINS.get(head, f"math.{head}"), nodes)
        return _call(f"np.{FUNCTIONS[head]}", nodes)

    def join(self, head, nodes, plain):
        if len(nodes) == 1:
            return nodes[0]
        of_arrays, of_truths = LOGIC[head]
        return ast.BoolOp(of_truths(), nodes) if plain else _fold(of_arrays, nodes)

    def let(self, head, bindings, body, scope):
        inner = dict(scope)
        for name, node in bindings:
            inner[name] = self.assign(name, self.write(node, inner if head == "let*" else scope))
        return self.write(body, inner)

    def loop(self, head, condition, bindings, body, scope):
        inner = dict(scope)
        for name, start, _ in bindings:
            value = self.write(start, inner if head == "while*" else scope)
            inner[name] = self.assign(name, _Value(value.node))
        outer, self.lines = self.lines, []
        test = self.write(condition, inner).node
        leave = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
        before, self.lines = self.lines, []
        stores = [ast.Name(inner[name].node.id, ast.Store()) for name, *_ in bindings]
        if head == "while*":
            for (_, _, update), store in zip(bindings, stores, strict=True):
                self.lines.append(ast.Assign([store], self.write(update, inner).node))
        else:
            updates = [self.write(update, inner).node for *_, update in bindings]
            self.lines.append(ast.Assign([ast.Tuple(stores, ast.Store())],
                                         ast.Tuple(updates, ast.Load())))  # fmt: skip
        if before:
            outer.append(ast.While(ast.Constant(True), [*before, leave, *self.lines], []))
        else:
            outer.append(ast.While(test, self.lines, []))
        self.lines = outer
        return self.write(body, inner)


def _fold(kind, nodes):
    result = nodes[0]
    for node in nodes[1:]:
        result = ast.BinOp(result, kind(), node)
    return result


def _call(name, nodes):
    return ast.Call(_parse(name), nodes, [])


def numpy_source(core):
    """Return the text of a NumPy function ``f``, and whether it takes scalars (it has a loop).

    Constants are Python floats, so that they do not widen halves; np.where chooses for arrays.
    """
    for argument in core.arguments:
        if not isinstance(argument, str):
            raise NotExpressible("an argument that is a tensor or annotated")
    scalar = _is_loop(core.body)
    try:
        writer = _Writer(core, scalar)
    except TypeError as error:  # too few or too many parts of a form
        raise NotExpressible(f"a form of another shape: {error}") from None
    arguments = ast.arguments([], [ast.arg(name) for name in writer.arguments], None, [], [], None,
                              [])  # fmt: skip
    function = ast.FunctionDef("f", arguments, writer.lines, [], None, type_params=[])
    return ast.unparse(ast.fix_missing_locations(function)), scalar


# ---------------------------------------------------------------- as MPFR

#: Precisions in bits; the first of two neighbours whose values are the same double is enough.
PRECISIONS = (384, 768, 1536, 3072, 6144)
#: Loops that run longer have no truth here.
MOST_STEPS = 10_000
#: Trigonometric functions of larger arguments would need as many bits of pi.
_MOST_BITS_OF_PI = 1 << 17

_OF_ONE = {
    "sqrt": gmpy2.sqrt, "cbrt": gmpy2.cbrt, "exp": gmpy2.exp, "exp2": gmpy2.exp2,
    "expm1": gmpy2.expm1, "log": gmpy2.log, "log2": gmpy2.log2, "log10": gmpy2.log10,
    "log1p": gmpy2.log1p, "sin": gmpy2.sin, "cos": gmpy2.cos, "tan": gmpy2.tan, "asin": gmpy2.asin,
    "acos": gmpy2.acos, "atan": gmpy2.atan, "sinh": gmpy2.sinh, "cosh": gmpy2.cosh,
    "tanh": gmpy2.tanh, "asinh": gmpy2.asinh, "acosh": gmpy2.acosh, "atanh": gmpy2.atanh,
    "floor": gmpy2.floor, "ceil": gmpy2.ceil, "trunc": gmpy2.trunc, "nearbyint": gmpy2.rint,
    "fabs": abs, "not": lambda x: not x,
}  # fmt: skip
_OF_SEVERAL = {
    "pow": lambda x, y: gmpy2.mpfr(x) ** y, "atan2": gmpy2.atan2, "hypot": gmpy2.hypot,
    "fmod": gmpy2.fmod, "copysign": gmpy2.copy_sign, "fmin": gmpy2.minnum, "fmax": gmpy2.maxnum,
    "fma": gmpy2.fma, "fdim": lambda x, y: gmpy2.maxnum(x - y, gmpy2.mpfr(0)),
}  # fmt: skip
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
            "==": operator.eq, "!=": operator.ne}  # fmt: skip
_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_REAL_CONSTANTS = {
    "PI": gmpy2.const_pi, "E": lambda: gmpy2.exp(gmpy2.mpfr(1)), "INFINITY": gmpy2.inf,
    "NAN": gmpy2.nan, "LN2": gmpy2.const_log2, "LN10": lambda: gmpy2.log(gmpy2.mpfr(10)),
    "LOG2E": lambda: 1 / gmpy2.const_log2(), "SQRT2": lambda: gmpy2.sqrt(gmpy2.mpfr(2)),
    "SQRT1_2": lambda: gmpy2.sqrt(gmpy2.mpfr(0.5)), "PI_2": lambda: gmpy2.const_pi() / 2,
    "PI_4": lambda: gmpy2.const_pi() / 4, "1_PI": lambda: 1 / gmpy2.const_pi(),
    "2_PI": lambda: 2 / gmpy2.const_pi(), "TRUE": lambda: True, "FALSE": lambda: False,
}  # fmt: skip


_LARGEST_EXPONENT = 2**30 - 1


def context(precision):
    """Return a context for MPFR of this precision; its numbers end at 2^(2^30)."""
    return gmpy2.context(precision=precision, emax=_LARGEST_EXPONENT, emin=-_LARGEST_EXPONENT)


#: Whether functions are defined as of real numbers, which intervals have (IEEE 1788): no division
#: by zero, no infinity on the way, and powers of negative numbers by literal integers alone. NumPy
#: has values there, too.
OF_REALS = contextvars.ContextVar("OF_REALS", default=False)


def evaluate(node, scope):
    """Return the value of a node in the current context of gmpy2; scope: {name: value}."""
    if isinstance(node, str):
        return _atom(node, scope)
    head, *rest = node
    if head == "if":
        return evaluate(rest[1] if evaluate(rest[0], scope) else rest[2], scope)
    if head in ("let", "let*"):
        inner = dict(scope)
        for name, value in rest[0]:
            inner[name] = evaluate(value, inner if head == "let*" else scope)
        return evaluate(rest[1], inner)
    if head in ("while", "while*"):
        return _loop(head, *rest, scope)
    if head in ("!", "cast"):
        return evaluate(rest[-1], scope)
    if head in ("and", "or"):
        return (all if head == "and" else any)(evaluate(x, scope) for x in rest)
    values = [evaluate(x, scope) for x in rest]
    if head == "pow" and values[0] < 0 and OF_REALS.get() and not _is_literal(rest[1]):
        return gmpy2.nan()
    result = _apply(head, values)
    return gmpy2.nan() if OF_REALS.get() and not _is_real(result) else result


def _is_literal(node):
    return isinstance(node, str) and number(node) is not None


def _is_real(value):
    return isinstance(value, bool) or gmpy2.is_finite(value)


def _atom(node, scope):
    if node in scope:
        return scope[node]
    if node in _REAL_CONSTANTS:
        return _REAL_CONSTANTS[node]()
    value = number(node)
    return gmpy2.mpfr(value.numerator) / value.denominator


def _apply(head, values):
    if head in _COMPARE:
        return all(_COMPARE[head](a, b) for a, b in pairwise(values))
    if head in ("-", "/") and len(values) == 1:
        return -values[0] if head == "-" else 1 / values[0]
    if head in _ARITHMETIC:
        result = values[0]
        for value in values[1:]:
            result = _ARITHMETIC[head](result, value)
        return result
    if head in ("sin", "cos", "tan") and _is_huge(values[0]):
        raise Unknown("a trigonometric function of a huge number")
    if head == "pow" and gmpy2.is_infinite(values[0]) and 0 < abs(values[1]) < 1:
        raise Unknown("a root of a number beyond MPFR's range")
    return (_OF_ONE.get(head) or _OF_SEVERAL[head])(*values)


def _is_huge(x):
    return gmpy2.is_finite(x) and x != 0 and gmpy2.get_exp(x) > _MOST_BITS_OF_PI


def _loop(head, condition, bindings, body, scope):
    inner = dict(scope)
    for name, start, _ in bindings:
        inner[name] = evaluate(start, inner if head == "while*" else scope)
    for _ in range(MOST_STEPS):
        if not evaluate(condition, inner):
            return evaluate(body, inner)
        new = dict(inner)
        for name, _, update in bindings:
            new[name] = evaluate(update, new if head == "while*" else inner)
        inner = new
    raise Unknown("a loop of many steps")


def truth(core, values):
    """Return the exact result for these numbers, rounded to a double; raise Unknown if it is not.

    Constants have the values that the text gives them; conditions are decided by exact values.
    """
    last = None
    for precision in PRECISIONS:
        with context(precision) as arithmetic:
            scope = {name: gmpy2.mpfr(float(x))
                     for name, x in zip(core.arguments, values, strict=True)}  # fmt: skip
            result = float(evaluate(core.body, scope))
            if math.isnan(result) and (arithmetic.overflow or arithmetic.underflow):
                raise Unknown("numbers beyond MPFR's range")
        if last is not None and (result == last or (math.isnan(result) and math.isnan(last))):
            return result
        last = result
    raise Unknown("more bits than are tried")


def holds(core, values):
    """Tell whether the precondition holds for these numbers, exactly."""
    if core.precondition is None:
        return True
    with context(PRECISIONS[0]):
        scope = {name: gmpy2.mpfr(float(x))
                 for name, x in zip(core.arguments, values, strict=True)}  # fmt: skip
        return bool(evaluate(core.precondition, scope))


# ---------------------------------------------------------------- domains


def bounds(core):
    """Return the interval in which the precondition keeps each argument: [(low, high), ...]."""
    with context(PRECISIONS[0]):
        known = _bounds(core.precondition, core.arguments) if core.precondition else {}
    return [known.get(name, (-math.inf, math.inf)) for name in core.arguments]


def _bounds(node, arguments):
    """Return {argument: (low, high)} of a condition."""
    head, *rest = node if isinstance(node, list) else [None]
    if head in ("and", "or"):
        parts = [_bounds(x, arguments) for x in rest]
        join = _meet if head == "and" else _hull
        names = set().union(*parts) if head == "and" else set.intersection(*map(set, parts))
        return {name: join([part[name] for part in parts if name in part]) for name in names}
    bounds = {}
    if head in ("<", "<=", "==", ">", ">="):
        if head in (">", ">="):
            rest = rest[::-1]
        for k, part in enumerate(rest):
            size = isinstance(part, list) and part[0] == "fabs"
            name = part[1] if size else part
            if isinstance(name, str) and name in arguments:
                low = max(map(_constant, rest[:k]), default=-math.inf)
                high = min((-_constant(x, -1) for x in rest[k + 1 :]), default=math.inf)
                if head == "==":  # only one side is known
                    low, high = max(low, -math.inf if math.isinf(high) else high), min(
                        high, math.inf if math.isinf(low) else low)  # fmt: skip
                bounds[name] = (-high, high) if size else (low, high)
    return bounds


def _constant(node, sign=1):
    """Return a constant's value times the sign; minus infinity for anything else."""
    try:
        return sign * float(evaluate(node, {}))
    except (AttributeError, KeyError, TypeError):
        return -math.inf


def _meet(pairs):
    return max(low for low, _ in pairs), min(high for _, high in pairs)


def _hull(pairs):
    return min(low for low, _ in pairs), max(high for _, high in pairs)
