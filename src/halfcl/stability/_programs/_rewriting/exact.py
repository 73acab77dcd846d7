"""Evaluates formulas in `decimal` with so many digits that the values are exact for half."""

from __future__ import annotations

import ast
import decimal
import operator
from collections.abc import Callable
from decimal import Decimal
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Digits of the arithmetic; cancellation of halves loses about twenty.
DIGITS = 60

#: The exponents suffice for the exponential function of any half.
_CONTEXT = decimal.Context(prec=DIGITS, Emin=-999_999, Emax=999_999)

#: Arrays of `Decimal`.
Decimals: TypeAlias = NDArray[np.object_]


class UnsupportedFormula(Exception):
    """Signals a formula that cannot be evaluated exactly."""


# ---------------------------------------------------------------- functions


def _series(x: Decimal, first: Decimal, start: int) -> Decimal:
    """Return the sum first + first x / ((start+1)(start+2)) + …; for sine and cosine, x = -r²."""
    total, term, k = Decimal(0), first, start
    while total + term != total:
        total += term
        term = term * x / ((k + 1) * (k + 2))
        k += 2
    return total


#: Pi, to ten digits more.
PI = Decimal("3.141592653589793238462643383279502884197169399375105820974944592307816")


def _reduce_angle(x: Decimal) -> Decimal:
    return (x / (2 * PI) - (x / (2 * PI)).to_integral_value()) * 2 * PI


def _sin(x: Decimal) -> Decimal:
    r = _reduce_angle(x)
    return _series(-r * r, r, 1)


def _cos(x: Decimal) -> Decimal:
    r = _reduce_angle(x)
    return _series(-r * r, Decimal(1), 0)


def _arctan(x: Decimal) -> Decimal:
    """Return the arctangent: halve the angle until the series converges fast."""
    doublings = 0
    while abs(x) > Decimal("0.1"):
        x = x / (1 + (1 + x * x).sqrt())
        doublings += 1
    total, power, k = Decimal(0), x, 0
    while total + power / (2 * k + 1) != total:
        total += (-1) ** k * power / (2 * k + 1)
        power, k = power * x * x, k + 1
    return total * Decimal(2) ** doublings


def _arcsin(x: Decimal) -> Decimal:
    if abs(x) == 1:
        return x * PI / 2
    return _arctan(x / ((1 - x) * (1 + x)).sqrt())


def _arcsinh(x: Decimal) -> Decimal:
    size = abs(x)
    return (size + (size * size + 1).sqrt()).ln().copy_sign(x)


#: Beyond this argument, the error function is 1 in `DIGITS` digits.
_ERF_IS_ONE = 12


def _erf(x: Decimal) -> Decimal:
    """Return the error function by a series whose terms have one sign.

    M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 7.1.6.
    """
    if abs(x) > _ERF_IS_ONE:
        return Decimal(1).copy_sign(x)
    total, term, k = Decimal(0), x, 0
    while total + term != total:
        total += term
        k += 1
        term = term * 2 * x * x / (2 * k + 1)
    return 2 * total * (-x * x).exp() / PI.sqrt()


def _maximum(x: Decimal, y: Decimal) -> Decimal:
    return x if x.is_nan() or (not y.is_nan() and x >= y) else y


def _minimum(x: Decimal, y: Decimal) -> Decimal:
    return x if x.is_nan() or (not y.is_nan() and x <= y) else y


def _cbrt(x: Decimal) -> Decimal:
    return (abs(x) ** (Decimal(1) / 3)).copy_sign(x) if x else x


_TWO = Decimal(2)

#: Functions of numbers, by their names in formulas.
FUNCTIONS: dict[str, Callable[..., Decimal]] = {
    "abs": abs,
    "arccos": lambda x: PI / 2 - _arcsin(x),
    "arccosh": lambda x: (x + ((x - 1) * (x + 1)).sqrt()).ln(),
    "arcsin": _arcsin,
    "arcsinh": _arcsinh,
    "arctan": _arctan,
    "arctanh": lambda x: ((1 + x) / (1 - x)).ln() / 2,
    "cbrt": _cbrt,
    "cos": _cos,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "erf": _erf,
    "erfc": lambda x: 1 - _erf(x),
    "exp": lambda x: x.exp(),
    "exp2": lambda x: _TWO**x,
    "expm1": lambda x: x.exp() - 1,
    "fma": lambda x, y, z: x * y + z,
    "half": lambda x: x,  # a rounding, which no exact value has
    "hypot": lambda x, y: (x * x + y * y).sqrt(),
    "log": lambda x: x.ln(),
    "log10": lambda x: x.log10(),
    "log1p": lambda x: (1 + x).ln(),
    "log2": lambda x: x.ln() / _TWO.ln(),
    "logaddexp": lambda x, y: (x.exp() + y.exp()).ln(),
    "maximum": _maximum,
    "minimum": _minimum,
    "power": operator.pow,
    "sin": _sin,
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2,
    "sqrt": lambda x: x.sqrt(),
    "tan": lambda x: _sin(x) / _cos(x),
    "tanh": lambda x: 1 - 2 / ((2 * x).exp() + 1),
}


#: An axis, several of them, or None for all.
Axis: TypeAlias = int | tuple[int, ...] | None


def _fold(step: Callable[[Decimal, Decimal], Decimal], start: Decimal) -> Callable[..., Decimals]:
    """Return a reduction of arrays along axes, as NumPy's are called."""
    apply = np.frompyfunc(step, 2, 1, identity=start)

    def reduce(x: Decimals, axis: Axis = None, keepdims: bool = False) -> Decimals:
        return np.asarray(apply.reduce(x, axis=axis, keepdims=keepdims), object)

    return reduce


_sum = _fold(operator.add, Decimal(0))


def _mean(x: Decimals, axis: Axis = None, keepdims: bool = False) -> Decimals:
    total = _sum(x, axis, keepdims)
    return _apply_to_arrays(operator.truediv, total, to_decimals(x.size // max(1, total.size)))


def _log_sum_exp(x: Decimals, axis: Axis = None, keepdims: bool = False) -> Decimals:
    powers = _apply_to_arrays(lambda v: v.exp(), x)
    return _apply_to_arrays(lambda v: v.ln(), _sum(powers, axis, keepdims))


def _dot(x: Decimals, y: Decimals) -> Decimals:
    if x.ndim != 1 or x.shape != y.shape:
        raise UnsupportedFormula("dot: expected two vectors")
    return _sum(_apply_to_arrays(operator.mul, x, y))


#: Functions of arrays, by their names in formulas: `total` is Python's sum, `exact_sum` is
#: halfcl's.
REDUCTIONS: dict[str, Callable[..., Decimals]] = {
    "dot": _dot,
    "exact_sum": _sum,
    "logsumexp": _log_sum_exp,
    "max": _fold(_maximum, Decimal("-inf")),
    "mean": _mean,
    "min": _fold(_minimum, Decimal("inf")),
    "sum": _sum,
    "total": lambda x: _sum(x, 0),
}

_OPERATORS: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def _nan_if_undefined(function: Callable[..., Decimal]) -> Callable[..., Decimal]:
    """Return the function with NaN as its value where it is undefined."""

    def call(*args: Decimal) -> Decimal:
        try:
            return function(*args)
        except (decimal.DecimalException, ZeroDivisionError, ValueError):
            return Decimal("nan")

    return call


def _apply_to_arrays(function: Callable[..., Decimal], *args: Decimals) -> Decimals:
    values = np.frompyfunc(_nan_if_undefined(function), len(args), 1)(*args)
    return np.asarray(values, object)


def to_decimals(x: object) -> Decimals:
    """Convert numbers to `Decimal` without rounding."""
    return np.asarray(np.frompyfunc(lambda v: Decimal(float(v)), 1, 1)(np.asarray(x)), object)


# ---------------------------------------------------------------- formulas


def evaluate(formula: ast.expr, atom: Callable[[ast.expr], object]) -> NDArray[np.float64]:
    """Return the exact value of a formula, rounded to doubles.

    formula: consists of operators, of the functions in `FUNCTIONS` and `REDUCTIONS`, and of atoms.
    atom: returns the value of an atom: a variable, a constant or any other expression. The result
    is NaN where the formula has no value. Raise UnsupportedFormula for an unsupported operator.

    >>> import ast
    >>> from halfcl.stability._programs._rewriting.exact import evaluate
    >>> values = {"x": 0.5, "1": 1}
    >>> formula = ast.parse("sqrt(x * x + 1)", mode="eval").body
    >>> evaluate(formula, lambda node: values[ast.unparse(node)])
    array(1.11803399)
    """
    with decimal.localcontext(_CONTEXT):
        value = _value(formula, atom)
        with np.errstate(all="ignore"):
            return np.asarray(value, object).astype(np.float64)


def _value(node: ast.expr, atom: Callable[[ast.expr], object]) -> Decimals:
    if isinstance(node, ast.BinOp):
        compute = _OPERATORS.get(type(node.op))
        if compute is None:
            raise UnsupportedFormula(ast.unparse(node))
        return _apply_to_arrays(compute, _value(node.left, atom), _value(node.right, atom))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _apply_to_arrays(operator.neg, _value(node.operand, atom))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        options = {word.arg or "": _option(word.value, atom) for word in node.keywords}
        return _call(node.func.id, [_value(x, atom) for x in node.args], options)
    return to_decimals(atom(node))


def _option(node: ast.expr, atom: Callable[[ast.expr], object]) -> object:
    """Return the axis of a reduction, or whether it keeps its dimensions."""
    if not isinstance(node, ast.Name):
        return ast.literal_eval(node)
    value = atom(node)
    return None if value is None else int(np.asarray(value))


def _call(name: str, args: list[Decimals], options: dict[str, object]) -> Decimals:
    if name in REDUCTIONS:
        return REDUCTIONS[name](*args, **options)
    if name not in FUNCTIONS or options:
        raise UnsupportedFormula(name)
    return _apply_to_arrays(FUNCTIONS[name], *args)
