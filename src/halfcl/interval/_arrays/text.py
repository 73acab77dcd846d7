"""Conversion from and to text: IEEE 1788's literals of any length, rounded outward once."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

import halfcl as hc

#: The greatest exponent accepted, so that parsing a short text never takes long.
_MOST = 100_000

#: Enough decimal digits for any half.
EXACT = 40

_DECIMAL = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
_HEXADECIMAL = r"([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?"
_INFINITY = re.compile(r"([+-]?)inf(?:inity)?")
_UNCERTAIN = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)\?(\?|\d*)([ud]?)(?:e([+-]?\d+))?", re.ASCII)


#: The bounds that a text states.
Exact: TypeAlias = tuple[Fraction | float, Fraction | float]


class _ParseError(Exception):
    """Raised with the reason why a text is not an interval."""


def _decimal(text: str) -> Fraction:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise _ParseError("the exponent is too large") from None
    if number and not abs(number.adjusted()) <= max(_MOST, len(text)):
        raise _ParseError(f"expected exponents up to {_MOST}")
    return Fraction(number)


def _hexadecimal(sign: str, whole: str, fraction: str, exponent: str | None) -> Fraction:
    power = int(exponent or 0) if len(exponent or "") <= 10 else _MOST + 1
    if not -_MOST <= power <= _MOST:
        raise _ParseError(f"expected exponents up to {_MOST}")
    number = Fraction(int(whole + fraction, 16), 16 ** len(fraction)) * Fraction(2) ** power
    return -number if sign == "-" else number


def _number(text: str) -> Fraction | float:
    """Return an exact number, or an infinity."""
    if match := _INFINITY.fullmatch(text):
        return -math.inf if match[1] == "-" else math.inf
    if re.fullmatch(_DECIMAL, text, re.ASCII):
        return _decimal(text)
    match = re.fullmatch(_HEXADECIMAL, text)
    if match and match[2] + match[3]:
        return _hexadecimal(match[1], match[2], match[3], match[4])
    if match := re.fullmatch(r"([+-]?\d+) */ *(\d+)", text, re.ASCII):
        top, bottom = _decimal(match[1]), _decimal(match[2])
        if not bottom:
            raise _ParseError("division by zero")
        return top / bottom
    raise _ParseError(f"{text!r} is not a number")


def _uncertain(sign: str, digits: str, radius: str, way: str, exponent: str | None) -> Exact:
    """Return the bounds of ``m?r``: m plus or minus r units of its last digit.

    Without r it is half a unit.
    """
    middle = _decimal(sign + digits)
    scale = _decimal(f"1e{exponent or 0}")
    unit = Fraction(1, 10 ** len(digits.partition(".")[2]))
    if radius == "?":
        reach: Fraction | float = math.inf
    else:
        reach = unit * (_decimal(radius) if radius else Fraction(1, 2)) * scale
    middle *= scale
    below = middle if way == "u" else -math.inf if reach == math.inf else middle - reach
    above = middle if way == "d" else math.inf if reach == math.inf else middle + reach
    return below, above


def _exact(text: str) -> Exact | None:
    """Return the bounds that a text states; None for the empty set."""
    text = text.strip().lower()
    if not text.startswith("["):
        if match := _UNCERTAIN.fullmatch(text):
            return _uncertain(match[1], match[2], match[3], match[4], match[5])
        number = _number(text)
        return number, number
    if not text.endswith("]"):
        raise _ParseError("the bracket is not closed")
    inside = text[1:-1].strip()
    if inside in ("", "empty"):
        return None
    if inside == "entire":
        return -math.inf, math.inf
    low, comma, high = (item.strip() for item in inside.partition(","))
    if not comma:
        return _number(low), _number(low)
    return _number(low) if low else -math.inf, _number(high) if high else math.inf


def _error(text: str, expected: str, problem: _ParseError) -> ValueError:
    excerpt = text if len(text) <= 60 else f"{text[:57]}..."
    return ValueError(f"text: expected {expected}, got {excerpt!r}: {problem}")


def number(text: str) -> Fraction | float:
    """Return the exact number or infinity that a text states; raise ValueError for other text."""
    try:
        return _number(text.strip().lower())
    except _ParseError as problem:
        raise _error(text, "a number such as '0.1' or '1/3'", problem) from None


def _interval(text: str) -> Exact | None:
    """Return the bounds that a text states; raise _ParseError if there is no such interval."""
    exact = _exact(text)
    if exact is not None:
        low, high = exact
        if low > high:
            raise _ParseError("the lower bound is above the upper")
        if low == math.inf or high == -math.inf:
            raise _ParseError("it contains no number")
    return exact


def _round(exact: Exact | None) -> tuple[hc.half, hc.half]:
    """Return the tightest bounds, two halves."""
    if exact is None:
        return hc.half("nan"), hc.half("nan")
    bounds: tuple[Any, Any] = exact  # NumPy has no type for Fractions
    low, high = bounds
    return hc.convert(low, hc.half, rounding="rtn"), hc.convert(high, hc.half, rounding="rtp")


def parse(text: str) -> tuple[hc.half, hc.half]:
    """Return the tightest bounds of a literal, two halves; raise ValueError for other text."""
    try:
        if _DECORATED.fullmatch(text.strip()):
            raise _ParseError("it has a decoration; use DecoratedInterval")
        return _round(_interval(text))
    except _ParseError as problem:
        forms = "an interval such as '[1, 2]', '[1/3, 2/3]', '1.5?2', '[empty]'"
        raise _error(text, forms, problem) from None


#: The decorations of literals, except ill, which only [nai] has.
_DECORATIONS = ("trv", "def", "dac", "com")
_DECORATED = re.compile(r"(.*\S)_([a-z]*)|\[\s*nai\s*\]", re.I | re.S | re.A)


def _decoration(word: str, exact: Exact | None) -> str:
    """Return the decoration that a literal states, if the interval can have it."""
    if word not in _DECORATIONS:
        raise _ParseError(f"{word!r} is not a decoration of literals: com, dac, def, trv")
    if exact is None and word != "trv":
        raise _ParseError("the decoration of the empty set is trv")
    if word == "com" and math.inf in map(abs, exact or ()):
        raise _ParseError("only bounded intervals can have the decoration com")
    return word


def parse_decorated(text: str) -> tuple[hc.half, hc.half, str | None]:
    """Return the tightest bounds and the decoration of a literal; raise ValueError for other text.

    The decoration is "ill" for ``[nai]``, None if the literal has none.
    """
    match = _DECORATED.fullmatch(text.strip())
    try:
        if match is None:
            return *_round(_interval(text)), None
        if match[1] is None:
            return *_round(None), "ill"
        exact = _interval(match[1])
        return *_round(exact), _decoration(match[2].lower(), exact)
    except _ParseError as problem:
        forms = "a decorated interval such as '[1, 2]_com', '1.5?2_dac', '[1, 2]', '[nai]'"
        raise _error(text, forms, problem) from None


#: A function from a finite bound and one of `decimal`'s rounding modes to text.
Numeral: TypeAlias = Callable[[float, str], str]


def significant(digits: int) -> Numeral:
    """Return the format with a number of significant digits, without trailing zeros."""

    def numeral(x: float, rounding: str) -> str:
        number = Context(digits, rounding).create_decimal_from_float(x).normalize()
        if not number:
            return "0"
        if -5 < number.adjusted() < 6:
            return f"{number:f}"
        sign, figures, _ = number.as_tuple()
        tail = "".join(map(str, figures))
        mantissa = tail[0] + ("." + tail[1:] if tail[1:] else "")
        return f"{'-' * sign}{mantissa}e{number.adjusted():+03d}"

    return numeral


def _fixed_point(places: int) -> Numeral:
    """Return the format with a number of digits after the point."""

    def numeral(x: float, rounding: str) -> str:
        unit = Decimal((0, (1,), -places))
        return f"{Decimal(x).quantize(unit, rounding, Context(places + EXACT)):zf}"

    return numeral


def _scientific(places: int) -> Numeral:
    """Return the format with an exponent and a number of digits after the point."""

    def numeral(x: float, rounding: str) -> str:
        number = Context(places + 1, rounding).create_decimal_from_float(x)
        if not number:
            return f"{0:.{places}e}"
        mantissa, _, exponent = f"{number:.{places}e}".partition("e")
        return f"{mantissa}e{int(exponent):+03d}"

    return numeral


_FORMAT = re.compile(r"(?:\.(\d{1,3}))?([efg]?)", re.ASCII)


def numeral_of(spec: str) -> Numeral:
    """Return the format of a format specification; raise ValueError if it is not supported."""
    match = _FORMAT.fullmatch(spec)
    if match is None:
        raise ValueError(
            f"format: expected digits and e, f or g, such as '.3f', got {spec!r}; "
            f'f"{{x!s:{spec}}}" formats the text of x'
        )
    places = int(match[1] or 6)  # the default of Python's floats
    if match[2] == "f":
        return _fixed_point(places)
    return _scientific(places) if match[2] == "e" else significant(max(places, 1))


def _bound_text(x: float, numeral: Numeral, rounding: str) -> str:
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    return numeral(x, rounding)


def literal(low: float, high: float, numeral: Numeral) -> str:
    """Return the text of one interval, rounded outward."""
    if math.isnan(low):
        return "[empty]"
    if low == -math.inf and high == math.inf:
        return "[entire]"
    return (
        f"[{_bound_text(low, numeral, ROUND_FLOOR)}, {_bound_text(high, numeral, ROUND_CEILING)}]"
    )


def array_text(element: Callable[[int], str], shape: tuple[int, ...], separator: str,
             indent: int) -> str:  # fmt: skip
    """Return the text of an array, from the text of elements by their flat position."""
    if not shape:
        return element(0)
    positions = np.arange(math.prod(shape)).reshape(shape)
    return np.array2string(
        positions, separator=separator, prefix=" " * indent,
        formatter={"int": lambda i: element(operator.index(i))},
    )  # fmt: skip
