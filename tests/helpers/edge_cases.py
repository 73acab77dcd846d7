"""Reads edge_cases.txt, which says how."""

import functools
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import oracle
from oracle import round_doubles
from oracle_functions import WITH_INTEGER
from samples import nearest, product, value

_FLAGS = {"invalid": oracle.INVALID, "divbyzero": oracle.DIVBYZERO, None: 0}

_BITS = np.arange(1 << 16, dtype=np.uint16)
_BITS = _BITS[~oracle.is_signalling(_BITS)]
_NUMBERS = _BITS[~oracle.is_nan(_BITS)]
_FINITE = _NUMBERS[_NUMBERS & 0x7FFF != oracle.INF]
_POSITIVE = _FINITE[value(_FINITE) > 0]
_INTEGERS = _POSITIVE[value(_POSITIVE) % 1 == 0]


def _those(bits, condition):
    with np.errstate(invalid="ignore"):
        return bits[condition(value(bits))]


_HALVES = {
    "any": _BITS,
    "number": _NUMBERS,
    "nonzero": _those(_NUMBERS, lambda x: x != 0),
    "not1": _those(_NUMBERS, lambda x: x != 1),
    "less1": _those(_NUMBERS, lambda x: x < 1),
    "above0": _those(_NUMBERS, lambda x: x > 0),
    "above1": _those(_NUMBERS, lambda x: x > 1),
    "finite": _FINITE,
    "pos": _POSITIVE,
    "below1": _those(_POSITIVE, lambda x: x < 1),
    "to_half": _those(_POSITIVE, lambda x: x <= 0.5),
    "under_half": _those(_POSITIVE, lambda x: x < 0.5),
    "fraction": _those(_POSITIVE, lambda x: x % 1 != 0),
    "not_odd": _those(_NUMBERS, lambda x: (x > 0) & ~(x % 2 == 1)),
    "integer": _INTEGERS,
    "even": _those(_INTEGERS, lambda x: x % 2 == 0),
    "odd": _those(_INTEGERS, lambda x: x % 2 == 1),
    "even+half": _those(_POSITIVE, lambda x: x % 2 == 0.5),
    "odd+half": _those(_POSITIVE, lambda x: x % 2 == 1.5),
    "least": np.array([1], np.uint16),
    "nan": np.array([0x7E00, 0x7E01, 0x7FFF, 0xFE00, 0xFE01, 0xFFFF], np.uint16),
}

_SMALL = range(1, 200)
_COUNTS = [*_SMALL, *(2**k + d for k in range(8, 31) for d in (0, 1)), 2**31 - 2, 2**31 - 1]
_COUNTS = np.array(_COUNTS, np.int32)

_INT32 = {
    "any": np.concatenate([-_COUNTS, [0], _COUNTS]).astype(np.int32),
    "integer": _COUNTS,
    "even": _COUNTS[_COUNTS % 2 == 0],
    "odd": _COUNTS[_COUNTS % 2 == 1],
}


def _number(text):
    """Parse numbers such as "1.5", "-0", "+inf", "-3pi/4", "2047/2048"."""
    numerator, _, denominator = text.partition("/")
    count, pi, _ = numerator.partition("pi")
    if pi:
        numerator = math.pi * float(count if count.strip("+-") else count + "1")
    return float(numerator) / float(denominator or 1)


def _half_operand(text):
    name = text.lstrip("+-")
    if name in _HALVES:
        return _HALVES[name] ^ np.uint16(0x8000 * text.startswith("-"))
    return nearest(np.array([_number(text)]))


def _integer_operand(text):
    name = text.lstrip("+-")
    if name in _INT32:
        return -_INT32[name] if text.startswith("-") else _INT32[name]
    return np.array([int(text)], np.int32)


def _combinations(columns, limit=1 << 16):
    """All of them, or as many at random as the limit."""
    if math.prod(column.size for column in columns) <= limit:
        return product(*columns)
    rng = np.random.default_rng(0)
    return tuple(rng.choice(column, limit) for column in columns)


@dataclass
class EdgeCase:
    """One line, with one of its signs."""

    name: str
    arguments: list[str]
    results: list[str]
    flags: int

    def operands(self):
        """Return the combinations of the arguments' values, as columns."""
        columns = [_half_operand(self.arguments[0])]
        read = _integer_operand if self.name in WITH_INTEGER else _half_operand
        columns += [read(argument) for argument in self.arguments[1:]]
        return _combinations(columns)

    def agrees(self, i, got, operands, mode):
        """Return where the i-th result, half bits or integers, is that of the line."""
        text = self.results[i]
        if got.dtype == np.int32:
            return got == int(text)
        return oracle.same(got, self._bits(text, operands, mode))

    def _bits(self, text, operands, mode):
        if text.strip("|") in ("x", "y"):
            column = operands["xy".index(text.strip("|"))]
            return column & 0x7FFF if "|" in text else column
        if text == "nan":
            return np.array([oracle.QUIET_NAN], np.uint16)
        if text.lstrip("+-") == "least":
            return _half_operand(text)
        return round_doubles(np.array([_number(text)]))[mode][0]


_LINE = re.compile(r"(\w+)\((.*)\) = (.*?)(?: !(\w+))?")


def _parse(line):
    name, arguments, results, flag = _LINE.fullmatch(line).groups()
    return EdgeCase(name, arguments.split(", "), results.split(", "), _FLAGS[flag])


@functools.cache
def edge_cases():
    """Return {function: the cases of all its lines}."""
    lines = (Path(__file__).parent / "edge_cases.txt").read_text(encoding="utf-8").splitlines()
    cases = {}
    for line in lines:
        if line and not line.startswith("#"):
            variants = {line.translate(str.maketrans("±∓", signs)) for signs in ("+-", "-+")}
            for case in map(_parse, sorted(variants)):
                cases.setdefault(case.name, []).append(case)
    return cases
