"""The mathematical functions in every mode, with their flags.

Nothing here is shared with halfcl. Halves are uint16 arrays of their bits.
"""

import functools

import numpy as np
import oracle
import oracle_common
import oracle_doubles
import oracle_exact
import oracle_mpfr
from kept import cache_in_folder
from oracle import DIVBYZERO, INVALID, MODES, OVERFLOW, round_doubles
from samples import value

# ---------------------------------------------------------------- functions


def _from_mpfr(name, operands):
    return (oracle_mpfr.FUNCTIONS[name](*operands),)


def _by_arithmetic(name, operands):
    with np.errstate(all="ignore"):
        numbers = [value(x) if x.dtype == np.uint16 else x for x in operands]
        columns = (oracle_exact.FUNCTIONS | oracle_common.FUNCTIONS)[name](*numbers)
    return columns if isinstance(columns, tuple) else (columns,)


def _columns(name, operands):
    """Return the results: doubles, exact or rounded to odd, int32, or bool."""
    if name == "sincos":
        return _columns("sin", operands) + _columns("cos", operands)
    if name == "lgamma_r":
        return _columns("lgamma", operands) + _columns("lgamma_sign", operands)
    return (_from_mpfr if name in oracle_mpfr.FUNCTIONS else _by_arithmetic)(name, operands)


def _round(column):
    if column.dtype == np.float64:
        return round_doubles(column)
    return dict.fromkeys(MODES, (column, np.zeros(column.size, int)))


def _exceptions(name, halves, first):
    """Invalid operations and poles, that is infinities out of finite numbers, by the result."""
    if name == "ilogb":
        x = value(halves[0])
        return INVALID * ((x == 0) | ~np.isfinite(x))
    if name == "nextafter":
        return OVERFLOW * (np.isinf(first) & np.isfinite(value(halves[0])))
    if first.dtype != np.float64 or name in ("nextdown", "nextup"):
        return 0
    invalid = oracle.is_invalid(halves, oracle.to_bits(first))
    pole = np.isinf(first) & np.logical_and.reduce([np.isfinite(value(x)) for x in halves])
    return INVALID * invalid | DIVBYZERO * pole


def _results_to_round(name, operands):
    """Return the results, or doubles that round like them."""
    if name not in oracle_doubles.APPROXIMATIONS:
        return _columns(name, operands)
    values, doubtful = oracle_doubles.approximate(name, *operands)
    (values[doubtful],) = _columns(name, [column[doubtful] for column in operands])
    return (values,)


@cache_in_folder
def evaluate(name, *operands):
    """Apply the function to halves (and integers); return {mode: (tuple of results, flags)}.

    Results are half bits, int32, or bool. Flags are all that they raise.
    """
    halves = [operand for operand in operands if operand.dtype == np.uint16]
    columns = _results_to_round(name, operands)
    exceptions = _exceptions(name, halves, columns[0])
    rounded = [_round(column) for column in columns]
    results = {}
    for mode in MODES:
        bits, flags = zip(*(r[mode] for r in rounded), strict=True)
        if name == "fract":  # stays below 1, however it is rounded
            bits = (np.where(bits[0] == 0x3C00, np.uint16(0x3BFF), bits[0]), bits[1])
        if name == "mix" and mode == "rtn":
            negative = oracle_common.zeros_of_mix_are_negative(*map(value, operands))
            zero = np.where(negative, np.uint16(0x8000), np.uint16(0))
            bits = (np.where(columns[0] == 0, zero, bits[0]),)
        results[mode] = bits, (np.bitwise_or.reduce(flags) | exceptions).astype(np.uint8)
    return results


def exact(name, *operands):
    """Return the first result as a double, exact or rounded to odd."""
    return np.asarray(_columns(name, operands)[0], np.float64)


@functools.cache
def everywhere(name):
    """Evaluate a function of one argument for all 65,536 of them."""
    return evaluate(name, np.arange(1 << 16, dtype=np.uint16))


# ---------------------------------------------------------------- names

#: Of one half, rounded once.
MATH = tuple(oracle_mpfr.OF_ONE)
#: Of one half, exact or with several results.
PARTS = (*oracle_exact.OF_ONE, "sincos", "lgamma_r")
#: Of two halves.
OF_TWO = (*oracle_mpfr.OF_TWO, *oracle_exact.OF_TWO)
#: Of three halves.
OF_THREE = (*oracle_exact.OF_THREE, *oracle_common.FUNCTIONS)
#: Of a half and an integer.
WITH_INTEGER = (*oracle_mpfr.WITH_INTEGER, *oracle_exact.WITH_INTEGER)
