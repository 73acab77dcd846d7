"""Intervals from text and as text: IEEE 1788's literals, of any length, rounded outward once."""

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

#: Exponents beyond this are refused, so that no short text takes long to read.
_MOST = 100_000

#: Enough decimal digits for any half.
EXACT = 40

_DECIMAL = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
_HEXADECIMAL = r"([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?"
_INFINITY = re.compile(r"([+-]?)inf(?:inity)?")
_UNCERTAIN = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)\?(\?|\d*)([ud]?)(?:e([+-]?\d+))?", re.ASCII)


#: The bounds that a text states.
Exact: TypeAlias = tuple[Fraction | float, Fraction | float]


class _Unread(Exception):
    """Why a text is no interval."""


def _decimal(text: str) -> Fraction:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise _Unread("the exponent is too large") from None
    if number and not abs(number.adjusted()) <= max(_MOST, len(text)):
        raise _Unread(f"expected exponents up to {_MOST}")
    return Fraction(number)


def _hexadecimal(sign: str, whole: str, part: str, exponent: str | None) -> Fraction:
    power = int(exponent or 0) if len(exponent or "") <= 10 else _MOST + 1
    if not -_MOST <= power <= _MOST:
        raise _Unread(f"expected exponents up to {_MOST}")
    number = Fraction(int(whole + part, 16), 16 ** len(part)) * Fraction(2) ** power
    return -number if sign == "-" else number


def _number(text: str) -> Fraction | float:
    """An exact number, or an infinity."""
    if found := _INFINITY.fullmatch(text):
        return -math.inf if found[1] == "-" else math.inf
    if re.fullmatch(_DECIMAL, text, re.ASCII):
        return _decimal(text)
    found = re.fullmatch(_HEXADECIMAL, text)
    if found and found[2] + found[3]:
        return _hexadecimal(found[1], found[2], found[3], found[4])
    if found := re.fullmatch(r"([+-]?\d+) */ *(\d+)", text, re.ASCII):
        top, bottom = _decimal(found[1]), _decimal(found[2])
        if not bottom:
            raise _Unread("division by zero")
        return top / bottom
    raise _Unread(f"{text!r} is no number")


def _uncertain(sign: str, digits: str, radius: str, way: str, exponent: str | None) -> Exact:
    """``m?r``: m give or take r units of its last digit, half of one unless said."""
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
    """The bounds that a text states; None for the empty set."""
    text = text.strip().lower()
    if not text.startswith("["):
        if found := _UNCERTAIN.fullmatch(text):
            return _uncertain(found[1], found[2], found[3], found[4], found[5])
        number = _number(text)
        return number, number
    if not text.endswith("]"):
        raise _Unread("the bracket is not closed")
    inside = text[1:-1].strip()
    if inside in ("", "empty"):
        return None
    if inside == "entire":
        return -math.inf, math.inf
    low, comma, high = (part.strip() for part in inside.partition(","))
    if not comma:
        return _number(low), _number(low)
    return _number(low) if low else -math.inf, _number(high) if high else math.inf


def _refusal(text: str, expected: str, problem: _Unread) -> ValueError:
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return ValueError(f"text: expected {expected}, got {shown!r}: {problem}")


def number(text: str) -> Fraction | float:
    """The exact number, or infinity, that a text is; ValueError if it is none."""
    try:
        return _number(text.strip().lower())
    except _Unread as problem:
        raise _refusal(text, "a number such as '0.1' or '1/3'", problem) from None


def _interval(text: str) -> Exact | None:
    """`_exact`, of an interval that there is."""
    exact = _exact(text)
    if exact is not None:
        low, high = exact
        if low > high:
            raise _Unread("the lower bound is above the upper")
        if low == math.inf or high == -math.inf:
            raise _Unread("no number is there")
    return exact


def _rounded(exact: Exact | None) -> tuple[np.float16, np.float16]:
    """The tightest bounds, two halves."""
    if exact is None:
        return hc.half("nan"), hc.half("nan")
    bounds: tuple[Any, Any] = exact  # NumPy has no type for Fractions
    low, high = bounds
    return hc.convert(low, hc.half, rounding="rtn"), hc.convert(high, hc.half, rounding="rtp")


def parse(text: str) -> tuple[np.float16, np.float16]:
    """The tightest bounds, two halves, of a literal; ValueError if it is none."""
    try:
        if _DECORATED.fullmatch(text.strip()):
            raise _Unread("it has a decoration; DecoratedInterval reads it")
        return _rounded(_interval(text))
    except _Unread as problem:
        forms = "an interval such as '[1, 2]', '[1/3, 2/3]', '1.5?2', '[empty]'"
        raise _refusal(text, forms, problem) from None


#: The decorations that literals have: ill is that of [nai] alone.
_DECORATIONS = ("trv", "def", "dac", "com")
_DECORATED = re.compile(r"(.*\S)_([a-z]*)|\[\s*nai\s*\]", re.I | re.S | re.A)


def _decoration(word: str, exact: Exact | None) -> str:
    """The decoration that a literal states, and may."""
    if word not in _DECORATIONS:
        raise _Unread(f"{word!r} is no decoration of a literal: com, dac, def, trv")
    if exact is None and word != "trv":
        raise _Unread("of the empty set the decoration is trv")
    if word == "com" and math.inf in map(abs, exact or ()):
        raise _Unread("com is of bounded intervals")
    return word


def parse_decorated(
    text: str,
) -> tuple[np.float16, np.float16, str | None]:
    """The tightest bounds of a literal, and the decoration: "ill" of ``[nai]``, None if the
    literal has none; ValueError if it is no literal."""
    found = _DECORATED.fullmatch(text.strip())
    try:
        if found is None:
            return *_rounded(_interval(text)), None
        if found[1] is None:
            return *_rounded(None), "ill"
        exact = _interval(found[1])
        return *_rounded(exact), _decoration(found[2].lower(), exact)
    except _Unread as problem:
        forms = "a decorated interval such as '[1, 2]_com', '1.5?2_dac', '[1, 2]', '[nai]'"
        raise _refusal(text, forms, problem) from None


#: What a finite bound's text is, rounded in a direction of `decimal`'s.
Numeral: TypeAlias = Callable[[float, str], str]


def significant(digits: int) -> Numeral:
    """So many significant digits, without zeros at the end."""

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


def _fixed(places: int) -> Numeral:
    """So many digits after the point."""

    def numeral(x: float, rounding: str) -> str:
        unit = Decimal((0, (1,), -places))
        return f"{Decimal(x).quantize(unit, rounding, Context(places + EXACT)):zf}"

    return numeral


def _scientific(places: int) -> Numeral:
    """With an exponent, and so many digits between the point and that."""

    def numeral(x: float, rounding: str) -> str:
        number = Context(places + 1, rounding).create_decimal_from_float(x)
        if not number:
            return f"{0:.{places}e}"
        mantissa, _, exponent = f"{number:.{places}e}".partition("e")
        return f"{mantissa}e{int(exponent):+03d}"

    return numeral


_FORMAT = re.compile(r"(?:\.(\d{1,3}))?([efg]?)", re.ASCII)


def numeral_of(spec: str) -> Numeral:
    """What a format specification asks for; ValueError if it is none of an interval."""
    found = _FORMAT.fullmatch(spec)
    if found is None:
        raise ValueError(
            f"format: expected digits and e, f or g, such as '.3f', got {spec!r}; "
            f'f"{{x!s:{spec}}}" formats the text of x'
        )
    places = int(found[1] or 6)  # as Python's floats have it
    if found[2] == "f":
        return _fixed(places)
    return _scientific(places) if found[2] == "e" else significant(max(places, 1))


def _bound(x: float, numeral: Numeral, rounding: str) -> str:
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    return numeral(x, rounding)


def literal(low: float, high: float, numeral: Numeral) -> str:
    """The text of one interval, rounded outward."""
    if math.isnan(low):
        return "[empty]"
    if low == -math.inf and high == math.inf:
        return "[entire]"
    return f"[{_bound(low, numeral, ROUND_FLOOR)}, {_bound(high, numeral, ROUND_CEILING)}]"


def array_text(element: Callable[[int], str], shape: tuple[int, ...], separator: str,
             indent: int) -> str:  # fmt: skip
    """The text of an array: of its elements, by their position in the flat array."""
    if not shape:
        return element(0)
    positions = np.arange(math.prod(shape)).reshape(shape)
    return np.array2string(
        positions, separator=separator, prefix=" " * indent,
        formatter={"int": lambda i: element(operator.index(i))},
    )  # fmt: skip
