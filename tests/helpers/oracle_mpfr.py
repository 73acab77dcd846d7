"""The mathematical functions from MPFR, as doubles that are rounded to odd.

These are the exact results truncated, with a sticky last bit.

All that rounding to half and its flags depend on is in this double. Where MPFR has the
function, it truncates and says whether it cut; where it has not, bounds are narrowed until
they leave one such double.
"""

import functools
from fractions import Fraction

import gmpy2
import numpy as np
import oracle
from samples import value

# ---------------------------------------------------------------- what MPFR has


def _double_context(direction):
    context = gmpy2.ieee(64)
    context.round = direction
    return context


_TRUNCATING = _double_context(gmpy2.RoundToZero)
_DOWN, _UP = _double_context(gmpy2.RoundDown), _double_context(gmpy2.RoundUp)


def _floats(numbers):
    return np.fromiter(map(float, numbers), np.float64, len(numbers))


def numbers(column):
    """Half bits or integers as MPFR's numbers, exactly."""
    if column.dtype == np.uint16:
        return list(map(oracle.MPFR.__getitem__, column.tolist()))
    return [gmpy2.mpfr(n, 64) for n in column.tolist()]


def _to_odd(truncated):
    """Round numbers that MPFR truncated to doubles to odd."""
    values = _floats(truncated)
    cut = np.fromiter((number.rc != 0 for number in truncated), bool, len(truncated))
    values.view(np.int64)[cut] |= 1
    return values


def _mpfr(method):
    """Return a function that MPFR has."""

    def function(*columns):
        return _to_odd(list(map(getattr(_TRUNCATING, method), *map(numbers, columns))))

    return function


def _rsqrt(x):
    # MPFR has +inf for -0, IEEE 754 has -inf.
    return np.where(x == 0x8000, -np.inf, _mpfr("rec_sqrt")(x))


def _lgamma(x):
    return _to_odd([_TRUNCATING.lgamma(number)[0] for number in numbers(x)])


def _powr(x, y):
    """Return the power for x >= 0, which is exp(y log x), and NaN where that is undefined."""
    a, b = value(x), value(y)
    undefined = (a < 0) | np.isnan(a) | np.isnan(b)
    undefined |= ((a == 0) & (b == 0)) | (np.isinf(a) & (b == 0)) | ((a == 1) & np.isinf(b))
    powers = np.full(x.size, np.nan)
    powers[~undefined] = _mpfr("pow")(x[~undefined] & 0x7FFF, y[~undefined])
    return powers


# ---------------------------------------------------------------- what MPFR has not


def _narrow(enclose, columns, precision=120):
    """Round numbers that are not doubles to odd; enclose(precision, *operands) encloses each.

    Strictly between two neighbouring doubles, a number goes to the odd one of them.
    """
    bounds = [enclose(precision, *operands) for operands in zip(*columns, strict=True)]
    below = _floats([_DOWN.plus(low) for low, _ in bounds])
    above = _floats([_UP.plus(high) for _, high in bounds])
    values = np.where(below.view(np.int64) & 1, below, above)
    doubtful = np.flatnonzero(np.nextafter(below, np.inf) != above)
    if doubtful.size:
        assert precision < 10_000, "no precision tells these from doubles"
        rest = [[column[i] for i in doubtful] for column in columns]
        values[doubtful] = _narrow(enclose, rest, 2 * precision)
    return values


@functools.cache
def _to_nearest(precision):
    return gmpy2.context(precision=precision)


@functools.cache
def _outward(precision):
    return tuple(
        gmpy2.context(precision=precision, round=direction)
        for direction in (gmpy2.RoundDown, gmpy2.RoundUp)
    )


def _around(approximate):
    """Bounds around approximate(context, *operands): a few steps, none of which cancels."""

    def enclose(precision, *operands):
        down, up = _outward(precision)
        approximation = approximate(_to_nearest(precision), *operands)
        error = up.div_2exp(up.abs(approximation), precision - 8)
        return down.sub(approximation, error), up.add(approximation, error)

    return enclose


def _piecewise(exact_values, enclose):
    """Make a function of halves from its exact values, and enclosures elsewhere.

    exact_values(*doubles) returns values, and where they are the results.

    Everywhere else the results are no doubles, and within enclose(precision, *doubles).
    """

    def function(*columns):
        columns = [value(column) for column in columns]
        with np.errstate(all="ignore"):
            values, settled = exact_values(*columns)
        values = np.array(values, np.float64)
        values[~settled] = _narrow(enclose, [column[~settled].tolist() for column in columns])
        return values

    return function


# Of multiples of 2^-24, sinpi, cospi and tanpi are rational only where the cycles below say
# (Niven's theorem), and their inverses are doubles only where _asinpi_known and the like say
# (acospi(1/2) = 1/3 is rational, but no double). pi times a rational is irrational.


def _sinpi(context, x, quarters=0):
    """sin(pi (x + quarters / 2)); reduced to an angle of at most pi / 4, exactly."""
    q = round(2 * x)
    angle = context.mul(context.const_pi(), x - q / 2)
    q += quarters
    sine = context.cos(angle) if q % 2 else context.sin(angle)
    return context.minus(sine) if q % 4 >= 2 else sine


def _cospi(context, x):
    return _sinpi(context, x, quarters=1)


def _tanpi(context, x):
    return context.div(_sinpi(context, x), _cospi(context, x))


def _cycle(*results):
    """Results at equal parts of the period 2, from 0 on. Zeros take x's sign times their own."""

    def exact_values(x):
        place = x * (len(results) / 2)
        index = np.where(np.isfinite(x), place % len(results), 0).astype(int)
        values = np.array(results)[index]
        values = np.where(values == 0, np.copysign(1, x) * values, values)
        return np.where(np.isfinite(x), values, np.nan), (place % 1 == 0) | ~np.isfinite(x)

    return exact_values


_sinpi_known = _cycle(0.0, 1.0, 0.0, -1.0)
_tanpi_known = _cycle(0.0, 1.0, np.inf, -1.0, -0.0, 1.0, -np.inf, -1.0)


def _cospi_known(x):
    return _cycle(1.0, 0.0, -1.0, 0.0)(np.abs(x))


def _asinpi_known(x):
    domain = np.abs(x) <= 1
    return np.where(domain, x / 2, np.nan), np.isin(np.abs(x), [0, 1]) | ~domain


def _acospi_known(x):
    domain = np.abs(x) <= 1
    return np.where(domain, (1 - x) / 2, np.nan), np.isin(np.abs(x), [0, 1]) | ~domain


def _atanpi_known(x):
    exact_values = np.isin(np.abs(x), [0, 1, np.inf]) | np.isnan(x)
    return np.where(np.isinf(x), np.copysign(0.5, x), x / 4), exact_values


def _atan2pi_known(y, x):
    """On the axes and diagonals."""
    exact_values = (
        (x == 0) | (y == 0) | (np.abs(x) == np.abs(y)) | ~np.isfinite(x) | ~np.isfinite(y)
    )
    return np.rint(4 * np.arctan2(y, x) / np.pi) / 4, exact_values


def _over_pi(method):
    def approximate(context, *operands):
        return context.div(getattr(context, method)(*operands), context.const_pi())

    return _around(approximate)


def _zero_or_infinity(x):
    return x, (x == 0) | ~np.isfinite(x)


def _degrees(context, x):
    return context.div(context.mul(x, 180), context.const_pi())


def _radians(context, x):
    return context.div(context.mul(x, context.const_pi()), 180)


# log(e^x + e^y) is irrational (Lindemann and Weierstrass). log2(2^x + 2^y) is too, unless
# x = y: with d = |x - y| it would be r + max(x, y) with 2^-d + 1 = 2^r. If d is an integer, the
# left is no power of two; if not, 2^-d has trace 0, the left has not, as 2^r would have.


def _logaddexp_known(x, y):
    """Also where the smaller operand adds less than a double's last place: 2^-76 and more."""
    larger = np.maximum(x, y)
    negligible = (np.abs(x - y) > 80) & (larger != 0) & np.isfinite(x) & np.isfinite(y)
    values = np.where(negligible, np.nextafter(larger, np.inf), larger + 0.0)
    return values, negligible | ~(np.isfinite(x) & np.isfinite(y))


def _logaddexp2_known(x, y):
    values, exact_values = _logaddexp_known(x, y)
    return np.where(x == y, x + 1, values), exact_values | (x == y)


def _logaddexp(precision, x, y):
    """Every step increases: rounded all down, or all up, they give bounds."""
    return [
        context.add(max(x, y), context.log1p(context.exp(-abs(x - y))))
        for context in _outward(precision)
    ]


def _logaddexp2(precision, x, y):
    down, up = _outward(precision)
    return [
        context.add(max(x, y), context.div(context.log1p(context.exp2(-abs(x - y))), log2))
        for context, log2 in ((down, up.const_log2()), (up, down.const_log2()))
    ]


def _inverse_root(precision, x, n):
    down, up = _outward(precision)
    return down.div(1, up.rootn(x, n)), up.div(1, down.rootn(x, n))


def _rootn(x, n):
    """MPFR has it for n > 0. Else it is an inverse: of a root that is a double, or irrational."""
    roots = list(map(_TRUNCATING.rootn, numbers(x), np.abs(n.astype(np.int64)).tolist()))
    values = _to_odd(roots)
    inexact = np.array([root.rc != 0 for root in roots])
    of_exact = (n < 0) & ~inexact
    values[of_exact] = _to_odd([_TRUNCATING.div(1, roots[i]) for i in np.flatnonzero(of_exact)])
    of_inexact = (n < 0) & inexact
    columns = [numbers(x[of_inexact]), (-n[of_inexact].astype(np.int64)).tolist()]
    values[of_inexact] = _narrow(_inverse_root, columns)
    values[n == 0] = np.nan
    return values


# 2^x and 10^x are rational for integers only, log2(1 + x) and log10(1 + x) where 1 + x is a power
# of 2 or 10 with an integer exponent. Of 2^x - 1 those beyond the ones below are no doubles, of
# 10^x - 1 no halves.


def _exact_at(exact, least=-np.inf):
    """Return a function with the exact values {argument: result}; 0 at 0; NaN below `least`."""

    def exact_values(x):
        values = np.where(x == 0, x, np.nan)
        for argument, result in exact.items():
            values[x == argument] = result
        return values, np.isin(x, [0, *exact]) | ~(x >= least)

    return exact_values


def _power_less_1(base, method, exponents):
    """base^x - 1; a double does not tell those beyond 100 from these."""

    def enclose(precision, x):
        x = max(-100.0, min(x, 100.0))
        return [context.sub(getattr(context, method)(x), 1) for context in _outward(precision)]

    exact = {n: float(Fraction(base) ** n - 1) for n in exponents if n != 0}
    return _piecewise(_exact_at(exact | {-np.inf: -1, np.inf: np.inf}), enclose)


def _log_of_1_and(base, method, exponents):
    """log(1 + x) to the base. The sum is a double."""

    def enclose(precision, x):
        return [getattr(context, method)(1 + x) for context in _outward(precision)]

    exact = {float(Fraction(base) ** n - 1): n for n in exponents if n != 0}
    return _piecewise(_exact_at(exact | {-1: -np.inf, np.inf: np.inf}, least=-1), enclose)


def _compoundn(x, n):
    """Return a power of 1 + x, which 64 bits hold."""
    wide = gmpy2.context(precision=64)
    sums = [wide.add(1, number) for number in numbers(x)]
    powers = _to_odd(list(map(_TRUNCATING.pow, sums, numbers(n))))
    return np.where(value(x) < -1, np.nan, powers)


# ---------------------------------------------------------------- the table

#: Of half bits.
OF_ONE = {
    "exp": _mpfr("exp"),
    "exp2": _mpfr("exp2"),
    "exp10": _mpfr("exp10"),
    "expm1": _mpfr("expm1"),
    "log": _mpfr("log"),
    "log2": _mpfr("log2"),
    "log10": _mpfr("log10"),
    "log1p": _mpfr("log1p"),
    "exp2m1": _power_less_1(2, "exp2", range(-53, 54)),
    "exp10m1": _power_less_1(10, "exp10", range(16)),
    "log2p1": _log_of_1_and(2, "log2", range(-24, 17)),
    "log10p1": _log_of_1_and(10, "log10", range(6)),
    "sqrt": _mpfr("sqrt"),
    "rsqrt": _rsqrt,
    "cbrt": _mpfr("cbrt"),
    "sin": _mpfr("sin"),
    "cos": _mpfr("cos"),
    "tan": _mpfr("tan"),
    "sinpi": _piecewise(_sinpi_known, _around(_sinpi)),
    "cospi": _piecewise(_cospi_known, _around(_cospi)),
    "tanpi": _piecewise(_tanpi_known, _around(_tanpi)),
    "asin": _mpfr("asin"),
    "acos": _mpfr("acos"),
    "atan": _mpfr("atan"),
    "asinpi": _piecewise(_asinpi_known, _over_pi("asin")),
    "acospi": _piecewise(_acospi_known, _over_pi("acos")),
    "atanpi": _piecewise(_atanpi_known, _over_pi("atan")),
    "sinh": _mpfr("sinh"),
    "cosh": _mpfr("cosh"),
    "tanh": _mpfr("tanh"),
    "asinh": _mpfr("asinh"),
    "acosh": _mpfr("acosh"),
    "atanh": _mpfr("atanh"),
    "erf": _mpfr("erf"),
    "erfc": _mpfr("erfc"),
    "tgamma": _mpfr("gamma"),
    "lgamma": _lgamma,
    "degrees": _piecewise(_zero_or_infinity, _around(_degrees)),
    "radians": _piecewise(_zero_or_infinity, _around(_radians)),
}
OF_TWO = {
    "pow": _mpfr("pow"),
    "powr": _powr,
    "hypot": _mpfr("hypot"),
    "atan2": _mpfr("atan2"),
    "atan2pi": _piecewise(_atan2pi_known, _over_pi("atan2")),
    "logaddexp": _piecewise(_logaddexp_known, _logaddexp),
    "logaddexp2": _piecewise(_logaddexp2_known, _logaddexp2),
}
WITH_INTEGER = {"pown": _mpfr("pow"), "rootn": _rootn, "compoundn": _compoundn}
FUNCTIONS = OF_ONE | OF_TWO | WITH_INTEGER
