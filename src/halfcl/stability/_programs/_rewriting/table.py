"""The table of known rewrites: formulas, and equal ones that may be more accurate."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Rewrite:
    """A formula, and an equal one that may be more accurate.

    Capital letters in them stand for any formulas, but K in `**K` for the axis of a reduction, if
    it has one. The other formula may set `keepdims`, which is left out where there is no axis.
    """

    name: str
    before: str
    after: str

    @cached_property
    def trees(self) -> tuple[ast.expr, ast.expr]:
        """Both formulas as syntax trees."""
        return _parse(self.before), _parse(self.after)


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


#: A rewrite need not hold for all numbers: its errors are measured before it is suggested.
REWRITES = (
    Rewrite("a term that cancels", "(A + B) - A", "B"),
    Rewrite("a term that cancels", "A - (A + B)", "-B"),
    Rewrite("a term that cancels", "(A - B) - A", "-B"),
    Rewrite("a term that cancels", "A - (A - B)", "B"),
    Rewrite("conjugate", "A - sqrt(A * A - B)", "B / (A + sqrt(A * A - B))"),
    Rewrite("conjugate", "sqrt(A * A - B) - A", "-B / (A + sqrt(A * A - B))"),
    Rewrite("conjugate", "A - sqrt(A * A + B)", "-B / (A + sqrt(A * A + B))"),
    Rewrite("conjugate", "sqrt(A * A + B) - A", "B / (A + sqrt(A * A + B))"),
    Rewrite("conjugate", "sqrt(A) - sqrt(B)", "(A - B) / (sqrt(A) + sqrt(B))"),
    Rewrite("conjugate", "sqrt(A) - B", "(A - B * B) / (sqrt(A) + B)"),
    Rewrite("conjugate", "B - sqrt(A)", "(B * B - A) / (B + sqrt(A))"),
    Rewrite("conjugate", "sqrt(A + 1) - 1", "A / (sqrt(A + 1) + 1)"),
    Rewrite("conjugate", "1 - sqrt(1 - A)", "A / (1 + sqrt(1 - A))"),
    Rewrite("conjugate", "1 / sqrt(A) - 1 / sqrt(B)",
            "(B - A) / (sqrt(A) * sqrt(B) * (sqrt(A) + sqrt(B)))"),
    Rewrite("difference of cubic roots", "cbrt(A) - cbrt(B)",
            "(A - B) / (cbrt(A) * cbrt(A) + cbrt(A) * cbrt(B) + cbrt(B) * cbrt(B))"),
    Rewrite("expm1", "exp(A) - 1", "expm1(A)"),
    Rewrite("expm1", "1 - exp(A)", "-expm1(A)"),
    Rewrite("expm1", "exp(A) - exp(B)", "exp(B) * expm1(A - B)"),
    Rewrite("log1p", "log(1 + A)", "log1p(A)"),
    Rewrite("log1p", "log(1 - A)", "log1p(-A)"),
    Rewrite("log1p", "log(A) - log(B)", "log1p((A - B) / B)"),
    Rewrite("logarithm of a quotient", "log(A) - log(B)", "log(A / B)"),
    Rewrite("log1p", "log(A / B)", "log1p((A - B) / B)"),
    Rewrite("log1p", "(1 + A) ** B", "exp(B * log1p(A))"),
    Rewrite("log1p", "log(A) / B - log(C) / B", "log1p((A - C) / C) / B"),
    Rewrite("logaddexp", "log(exp(A) + exp(B))", "logaddexp(A, B)"),
    Rewrite("softplus without overflow", "log(1 + exp(A))", "logaddexp(0, A)"),
    Rewrite("softplus without overflow", "log(1 + exp(A))", "maximum(A, 0) + log1p(exp(-abs(A)))"),
    Rewrite("softplus without overflow", "log1p(exp(A))", "maximum(A, 0) + log1p(exp(-abs(A)))"),
    Rewrite("logarithm of the logistic function", "log(1 / (1 + exp(-A)))",
            "minimum(A, 0) - log1p(exp(-abs(A)))"),
    Rewrite("logarithm of the logistic function", "log(1 / (1 + exp(A)))",
            "minimum(-A, 0) - log1p(exp(-abs(A)))"),
    Rewrite("logarithm of the logistic function", "log(1 - 1 / (1 + exp(-A)))",
            "minimum(-A, 0) - log1p(exp(-abs(A)))"),
    Rewrite("logarithm of the logistic function", "log1p(-(1 / (1 + exp(-A))))",
            "minimum(-A, 0) - log1p(exp(-abs(A)))"),
    Rewrite("logistic function without overflow", "1 / (1 + exp(-A))",
            "exp(minimum(A, 0)) / (1 + exp(-abs(A)))"),
    Rewrite("logistic function without overflow", "1 / (1 + exp(A))",
            "exp(minimum(-A, 0)) / (1 + exp(-abs(A)))"),
    Rewrite("logistic function without overflow", "exp(A) / (1 + exp(A))",
            "exp(minimum(A, 0)) / (1 + exp(-abs(A)))"),
    Rewrite("the complement of a logistic function", "1 - 1 / (1 + exp(-A))",
            "exp(minimum(-A, 0)) / (1 + exp(-abs(A)))"),
    Rewrite("the complement of a quotient", "1 - A / (A + B)", "B / (A + B)"),
    Rewrite("the largest exponent subtracted", "exp(A) / sum(exp(A), **K)",
            "exp(A - max(A, **K)) / sum(exp(A - max(A, **K, keepdims=True)), **K)"),
    Rewrite("the largest exponent subtracted", "log(sum(exp(A), **K))",
            "max(A, **K) + log(sum(exp(A - max(A, **K, keepdims=True)), **K))"),
    Rewrite("logaddexp.reduce", "log(sum(exp(A), **K))", "logsumexp(A, **K)"),
    Rewrite("logarithm of a quotient", "log(exp(A) / B)", "A - log(B)"),
    Rewrite("logarithm of a mean", "log(mean(exp(A), **K))",
            "max(A, **K) + log(mean(exp(A - max(A, **K, keepdims=True)), **K))"),
    Rewrite("erfc", "1 - erf(A)", "erfc(A)"),
    Rewrite("erfc", "erf(A) - 1", "-erfc(A)"),
    Rewrite("erfc", "1 + erf(A)", "erfc(-A)"),
    Rewrite("erf", "1 - erfc(A)", "erf(A)"),
    Rewrite("erf", "erfc(A) - 1", "-erf(A)"),
    Rewrite("difference of erfc", "erf(A) - erf(B)", "erfc(B) - erfc(A)"),
    Rewrite("difference of erfc", "erf(A) - erf(B)", "erfc(-A) - erfc(-B)"),
    Rewrite("hypot", "sqrt(A * A + B * B)", "hypot(A, B)"),
    Rewrite("hypot", "sqrt(A * A + B * B + C * C)", "hypot(hypot(A, B), C)"),
    Rewrite("hypot", "sqrt(1 + A * A)", "hypot(1, A)"),
    Rewrite("norm without overflow", "sqrt(sum(A * A, **K))",
            "max(abs(A), **K) * sqrt(sum((A / max(abs(A), **K, keepdims=True)) * "
            "(A / max(abs(A), **K, keepdims=True)), **K))"),
    Rewrite("dot product", "sum(A * B)", "dot(A, B)"),
    Rewrite("dot product", "total(A * B)", "dot(A, B)"),
    Rewrite("an exact sum", "total(A)", "exact_sum(A, axis=0)"),
    Rewrite("sum of differences", "sum(A, **K) - sum(B, **K)", "sum(A - B, **K)"),
    Rewrite("mean of differences", "mean(A, **K) - mean(B, **K)", "mean(A - B, **K)"),
    Rewrite("factored difference of squares", "A * A - B * B", "(A - B) * (A + B)"),
    Rewrite("factored difference of squares", "1 - A * A", "(1 - A) * (1 + A)"),
    Rewrite("factored difference of squares", "A * A - 1", "(A - 1) * (A + 1)"),
    Rewrite("half the angle", "1 - cos(A)", "2 * (sin(A / 2) * sin(A / 2))"),
    Rewrite("half the angle", "cos(A) - 1", "-2 * (sin(A / 2) * sin(A / 2))"),
    Rewrite("sum to product", "sin(A) - sin(B)", "2 * cos((A + B) / 2) * sin((A - B) / 2)"),
    Rewrite("sum to product", "cos(A) - cos(B)", "-2 * sin((A + B) / 2) * sin((A - B) / 2)"),
    Rewrite("sum to product", "tan(A) - tan(B)", "sin(A - B) / (cos(A) * cos(B))"),
    Rewrite("half the angle", "tan(A) - sin(A)", "tan(A) * (2 * (sin(A / 2) * sin(A / 2)))"),
    Rewrite("half the angle", "sin(A) - tan(A)", "tan(A) * (-2 * (sin(A / 2) * sin(A / 2)))"),
    Rewrite("tangent of half the angle", "(1 - cos(A)) / sin(A)", "tan(A / 2)"),
    Rewrite("half the angle", "1 / cos(A) - 1", "2 * (sin(A / 2) * sin(A / 2)) / cos(A)"),
    Rewrite("sine of half the argument", "cosh(A) - 1", "2 * (sinh(A / 2) * sinh(A / 2))"),
    Rewrite("sine of half the argument", "exp(A) + exp(-A) - 2", "4 * (sinh(A / 2) * sinh(A / 2))"),
    Rewrite("hyperbolic function", "exp(A) - exp(-A)", "2 * sinh(A)"),
    Rewrite("hyperbolic function", "(exp(A) - exp(-A)) / 2", "sinh(A)"),
    Rewrite("hyperbolic function", "(exp(A) + exp(-A)) / 2", "cosh(A)"),
    Rewrite("hyperbolic function", "(exp(A) - exp(-A)) / (exp(A) + exp(-A))", "tanh(A)"),
    Rewrite("hyperbolic function", "(exp(A) - 1) / (exp(A) + 1)", "tanh(A / 2)"),
    Rewrite("complement of the tangent", "1 - tanh(A)", "2 / (exp(2 * A) + 1)"),
    Rewrite("complement of the tangent", "1 - tanh(A) * tanh(A)", "1 / (cosh(A) * cosh(A))"),
    Rewrite("inverse hyperbolic function", "log(A + sqrt(A * A + 1))", "arcsinh(A)"),
    Rewrite("inverse hyperbolic function", "log(A + sqrt(A * A - 1))", "arccosh(A)"),
    Rewrite("inverse hyperbolic function", "log((1 + A) / (1 - A))", "2 * arctanh(A)"),
    Rewrite("difference of arcs", "arctan(A) - arctan(B)", "arctan((A - B) / (1 + A * B))"),
    Rewrite("common denominator", "1 / A - 1 / B", "(B - A) / (A * B)"),
    Rewrite("common denominator", "A / B - A / C", "A * (C - B) / (B * C)"),
    Rewrite("deviations from the mean", "mean(A * A, **K) - mean(A, **K) * mean(A, **K)",
            "mean((A - mean(A, **K, keepdims=True)) * (A - mean(A, **K, keepdims=True)), **K)"),
    Rewrite("deviations from the mean", "mean(A * B, **K) - mean(A, **K) * mean(B, **K)",
            "mean((A - mean(A, **K, keepdims=True)) * (B - mean(B, **K, keepdims=True)), **K)"),
    Rewrite("deviations from the mean", "sum(A * A) / N - (sum(A) / N) * (sum(A) / N)",
            "sum((A - sum(A) / N) * (A - sum(A) / N)) / N"),
    Rewrite("deviations from the mean", "sum(A * A) - sum(A) * sum(A) / N",
            "sum((A - sum(A) / N) * (A - sum(A) / N))"),
    Rewrite("deviations from the mean", "sum(A * A) - N * (mean(A) * mean(A))",
            "sum((A - mean(A)) * (A - mean(A)))"),
    Rewrite("deviations from the mean", "sum(A * B) - N * mean(A) * mean(B)",
            "sum((A - mean(A)) * (B - mean(B)))"),
    Rewrite("fma", "A * B + C", "fma(A, B, C)"),
    Rewrite("fma", "A * B - C", "fma(A, B, -C)"),
    Rewrite("fma", "C - A * B", "fma(-A, B, C)"),
    Rewrite("difference of products by fma", "A * B - C * D",
            "fma(A, B, -(C * D)) + fma(-C, D, C * D)"),
    Rewrite("sum of products by fma", "A * B + C * D", "fma(A, B, C * D) + fma(C, D, -(C * D))"),
)  # fmt: skip
