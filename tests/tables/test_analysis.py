"""The table's domains, derivatives and formulas, against MPFR: the functions are defined there."""

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpfr
from real_functions import FUNCTIONS

from halfcl._tables import TABLE
from halfcl._tables.formulas import Arithmetic, compile_formula

BITS = 400


@pytest.fixture(autouse=True)
def many_bits():
    with gmpy2.context(precision=BITS):
        yield


def arithmetic():
    constants = {
        "M_PI": gmpy2.const_pi(), "M_LN2": gmpy2.const_log2(), "M_LN10": gmpy2.log(mpfr(10)),
        "M_2_SQRTPI": 2 / gmpy2.sqrt(gmpy2.const_pi()),
    }  # fmt: skip
    return Arithmetic(mpfr, FUNCTIONS, constants)


def points(row):
    """Return arguments inside the domain, away from its ends and from zero."""
    rng = np.random.default_rng(sum(map(ord, row.name)))
    low, high = max(row.domain.low, -2.5), min(row.domain.high, 2.5)
    columns = rng.uniform(low + 0.05, high - 0.05, (20, row.nin))
    if row.name in ("pow", "compoundn"):
        columns = np.abs(columns)
    if row.name == "compoundn":
        columns[:, 1] = np.rint(3 * columns[:, 1])
    return [[mpfr(v) for v in line] for line in columns]


def slope(function, arguments, position):
    """Return a derivative by a central difference, whose error is near 2^-240."""
    step = mpfr(2) ** -120
    ends = []
    for shift in (step, -step):
        moved = list(arguments)
        moved[position] += shift
        ends.append(function(*moved))
    return (ends[0] - ends[1]) / (2 * step)


def assert_near(actual, expected):
    assert abs(actual - expected) <= mpfr(2) ** -200 * max(abs(expected), 1), (actual, expected)


def rows_with(field):
    return [pytest.param(row, id=row.name) for row in TABLE if getattr(row, field)]


@pytest.mark.parametrize("row", rows_with("formula"))
def test_formula_is_the_function(row):
    formula = compile_formula(row.formula, row.argument_names, arithmetic())
    for arguments in points(row):
        assert_near(formula(*arguments), FUNCTIONS[row.name](*arguments))


@pytest.mark.parametrize("row", rows_with("derivatives"))
def test_derivatives_are_those_of_the_function(row):
    assert len(row.derivatives) == row.nin
    for position, text in enumerate(row.derivatives):
        derivative = compile_formula(text, row.argument_names, arithmetic())
        for arguments in points(row):
            expected = slope(FUNCTIONS[row.name], arguments, position)
            assert_near(derivative(*arguments), expected)


@pytest.mark.parametrize("row", rows_with("second_derivatives"))
def test_second_derivatives_are_those_of_the_derivatives(row):
    pairs = [(i, j) for i in range(row.nin) for j in range(i, row.nin)]
    for (i, j), text in zip(pairs, row.second_derivatives, strict=True):
        first = compile_formula(row.derivatives[i], row.argument_names, arithmetic())
        second = compile_formula(text, row.argument_names, arithmetic())
        for arguments in points(row):
            assert_near(second(*arguments), slope(first, arguments, j))


@pytest.mark.parametrize("row", rows_with("is_smooth"))
def test_domain_is_where_the_function_is_real(row):
    domain, step = row.domain, mpfr(2) ** -60
    function = FUNCTIONS[row.name]
    for end, outward in ((domain.low, -step), (domain.high, step)):
        if np.isfinite(end):
            assert gmpy2.is_nan(function(mpfr(end) + outward))
            assert gmpy2.is_finite(function(mpfr(end) - outward))
            assert gmpy2.is_finite(function(mpfr(end))) == domain.is_closed
        else:
            assert not gmpy2.is_nan(function(mpfr(1000 if end > 0 else -1000)))


def test_equal_parts_are_evaluated_once():
    calls = []
    functions = {**FUNCTIONS, "sqrt": lambda x: calls.append(x) or gmpy2.sqrt(x)}
    evaluate = compile_formula("sqrt(x) / (1 + sqrt(x))", ["x"], Arithmetic(mpfr, functions, {}))
    assert evaluate(mpfr(4)) == mpfr(2) / 3 and len(calls) == 1


def test_known_parts_are_not_evaluated():
    evaluate = compile_formula("1 + tan(x)**2", ["x", "tan(x)"], arithmetic())
    assert evaluate(mpfr("nan"), mpfr(3)) == 10


@pytest.mark.parametrize(
    "text", ["x if x else 1", "x ** y", "f'{x}'", "[x]", "x < 1", "lambda: x", "x @ y"]
)
def test_formulas_are_expressions_of_numbers(text):
    with pytest.raises(ValueError, match="formula: expected an expression of numbers, got "):
        compile_formula(text, ["x", "y"], arithmetic())


@pytest.mark.parametrize("text", ["cosine(x)", "z"])
def test_formulas_name_what_the_arithmetic_has(text):
    with pytest.raises(KeyError):
        compile_formula(text, ["x", "y"], arithmetic())
