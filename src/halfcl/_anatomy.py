"""The parts of one half: its bits, exact value and neighbours, and how each mode rounds to it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    Context,
    Decimal,
    InvalidOperation,
    Overflow,
    Underflow,
)
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from typing import Any, Final, TypeAlias

import numpy as np

from halfcl._core import half
from halfcl._settings.regions import MODES
from halfcl._support.pages.notebooks import fragment, running_shell
from halfcl.typing import RoundingMode

#: What `show` takes: a number, or the text of one.
Number: TypeAlias = float | Decimal | Fraction | np.number[Any] | np.bool_ | str

_EXPONENT_BITS, _SIGNIFICAND_BITS, _LEAST_EXPONENT = 5, 10, -14
_DIGITS_OF_HALVES: Final = 40  # more than any half has from its first to its last digit
_NUMPY_EXPONENTS: Final = 1000  # NumPy writes this half as 1e+03, and larger ones alike
_MOST_DIGITS: Final = 32  # of a number as it was given; the middle of longer ones is left out

# Decimals of every double are exact in it; quotients have more digits than are ever printed. A
# number beyond decimals, or too small for them, is an error.
_EXACT = Context(
    prec=1200, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[InvalidOperation, Overflow, Underflow]
)

# Of a hexadecimal literal: the sign, the digits before and after the point, the exponent.
_HEXADECIMAL = re.compile(r"([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?", re.IGNORECASE)

# A power or a quotient of integers, and a half's bits: texts of numbers here alone.
_POWER = re.compile(r"([+-]?)(\d{1,40})\s*\*\*\s*([+-]?\d{1,4})")
_QUOTIENT = re.compile(r"[+-]?\d{1,400}\s*/\s*\d{1,400}")
_BITS = re.compile(r"0x([0-9a-f]{1,4})\s+bits", re.IGNORECASE)

#: The texts that `show` takes, as its error names them.
_FORMS: Final = "a decimal or hexadecimal number, 2**-25, 1/3 or 0x2e66 bits"

#: What NumPy converts to float although it is no real number: numpy.ma.masked is an array.
_NO_REALS = (np.complexfloating, np.datetime64, np.timedelta64, np.ndarray)

#: Terminals' colours of the sign, the exponent and the significand.
_COLOURS = ("\x1b[35m", "\x1b[36m", "\x1b[33m")


@dataclass(frozen=True)
class Anatomy:
    """A number as a half, in parts: a text, and a table in notebooks.

    text: the number as it was given. exact: its value, None for infinities and NaNs.
    rounded: the half that each mode makes of it.
    """

    text: str
    exact: Decimal | None
    rounded: Mapping[RoundingMode, half]

    @property
    def nearest(self) -> half:
        """The nearest half."""
        return self.rounded["rte"]

    @cached_property
    def bits(self) -> int:
        """The 16 bits of the nearest half."""
        return int(self.nearest.view(np.uint16))

    @property
    def fields(self) -> tuple[str, str, str]:
        """The binary digits of the sign, of the exponent and of the significand."""
        digits = f"{self.bits:016b}"
        return digits[0], digits[1 : 1 + _EXPONENT_BITS], digits[1 + _EXPONENT_BITS :]

    @property
    def kind(self) -> str:
        """The nearest half's kind: zero, subnormal, normal, infinity or NaN."""
        _, exponent, significand = self.fields
        if "1" not in exponent:
            return "subnormal" if "1" in significand else "zero"
        if "0" in exponent:
            return "normal"
        return "NaN" if "1" in significand else "infinity"

    @property
    def is_exact(self) -> bool:
        """True if the number is a half, so that rounding down and rounding up agree."""
        down, up = (self.rounded[mode].view(np.uint16) for mode in ("rtn", "rtp"))
        return bool(down == up)

    @property
    def ulp_exponent(self) -> int:
        """The power of 2 that one ulp of the nearest half is, if that is finite."""
        biased = max(int(self.fields[1], 2), 1)
        return biased - 1 + _LEAST_EXPONENT - _SIGNIFICAND_BITS

    @property
    def neighbours(self) -> tuple[half, half]:
        """The halves next to the nearest half, below and above it."""
        ends = half(-math.inf), half(math.inf)
        with np.errstate(over="ignore"):
            below, above = (np.nextafter(self.nearest, end) for end in ends)
        return below, above

    def lines(self, *, in_colour: bool = False) -> list[str]:
        """Return the text, line by line. in_colour: colour the bits, as terminals show them."""
        fields: list[str] = [*self.fields]
        if in_colour:
            fields = [
                f"{colour}{field}\x1b[0m" for colour, field in zip(_COLOURS, fields, strict=True)
            ]
        bits = f"bits {' '.join(fields)} = {self.bits:#06x}"
        lines = [f"{self.text} as a half: {self.describe_value()}     {bits}"]
        if self.kind == "NaN":
            return lines
        around = self.around()
        sides = [name for name in ("below", "above") if name in around]
        beside = [
            f"{name} {decimal_text(around[name])}{self.how_far(around[name])}" for name in sides
        ]
        modes = [f"{mode} {decimal_text(around[mode])}" for mode in MODES]
        return [*lines, self.describe_error(), "   ".join(beside), "   ".join(modes)]

    def describe_value(self) -> str:
        """Return the nearest half's value in decimal and hexadecimal, and whether it is rare."""
        if self.kind == "NaN":
            significand = int(self.fields[2], 2)
            quiet = 1 << (_SIGNIFICAND_BITS - 1)
            name = "quiet" if significand & quiet else "signalling"
            return f"a {name} NaN, payload {significand & ~quiet:#x}"
        if self.kind == "infinity":
            return decimal_text(self.nearest)
        rare = ", subnormal" if self.kind == "subnormal" else ""
        return f"{decimal_text(self.nearest)} = {self.nearest.hex()}{rare}"

    def describe_error(self) -> str:
        """Return how far the nearest half is from the number, and the size of an ulp."""
        if self.kind == "infinity":
            return "exact" if self.is_exact else "beyond the largest half, 65504"
        ulp = Decimal(2.0**self.ulp_exponent)
        size = f"an ulp is 2**{self.ulp_exponent} = {_briefly(ulp, 2)}"
        if self.is_exact or self.exact is None:
            return f"{'exact' if self.is_exact else 'inexact'}; {size}"
        error = self.distance(self.nearest)
        ulps = _briefly(_EXACT.divide(abs(error), ulp), 2)
        return f"off by {_briefly(error, 3, '+')}, {ulps} ulp; {size}"

    def around(self) -> dict[str, half]:
        """Return the halves beside the nearest one and what the modes round to, by their names."""
        sides = zip(("below", "above"), self.neighbours, strict=True)
        return {name: x for name, x in sides if x != self.nearest} | dict(self.rounded)

    def distance(self, value: half) -> Decimal:
        """Return a finite half minus the number."""
        assert self.exact is not None
        digits = len(self.exact.as_tuple().digits) + _DIGITS_OF_HALVES
        context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
        return context.subtract(Decimal(float(value)), self.exact)

    def how_far(self, value: half) -> str:
        """Return the difference between a half and the number in parentheses, if it is finite."""
        is_finite = self.exact is not None and np.isfinite(value)
        return f" ({_briefly(self.distance(value), 3, '+')})" if is_finite else ""

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str | None:
        return fragment("anatomy.html", number=self, decimal_text=decimal_text)


def decimal_text(value: half) -> str:
    """Return a half's exact value in decimal digits, without an exponent."""
    return f"{Decimal(float(value)):f}".lower().replace("infinity", "inf")


def anatomy(value: Number | np.ndarray[Any, Any]) -> Anatomy:
    """Return the parts of the half nearest a number, and what each mode makes of the number."""
    number = _scalar(value)
    is_text = isinstance(number, str | bytes)
    is_real = hasattr(number, "__float__") or hasattr(number, "__index__")
    is_real = is_real and not isinstance(number, _NO_REALS)
    if not is_text and (np.ndim(number) or not is_real):
        what = f"an array of shape {np.shape(number)}" if np.ndim(number) else repr(number)
        raise TypeError(f"value: expected a real number, or the text of one, got {what}")
    text = number.decode() if isinstance(number, bytes) else number
    if isinstance(text, str):
        number = _of_formula(text.strip())
    try:
        with np.errstate(all="ignore"):
            rounded = {mode: half(number, rounding=mode) for mode in MODES}
    except ValueError as error:
        raise ValueError(f"{error}; expected {_FORMS}") from None
    return Anatomy(_text(text), _exact(number), rounded)


def _scalar(value: object) -> Any:
    """Return the number in an array without axes, a library's tensor, too; else the value."""
    if isinstance(value, np.ndarray):
        return value if value.ndim else value[()]
    is_foreign = not isinstance(value, np.generic) and getattr(value, "ndim", None) == 0
    return value.item() if is_foreign and hasattr(value, "item") else value


def _of_formula(text: str) -> Any:
    """Return the number of a power, a quotient or bits; other texts as they are."""
    if power := _POWER.fullmatch(text):
        sign, base, exponent = power.groups()
        if int(base) or int(exponent) >= 0:
            value = Fraction(int(base)) ** int(exponent)
            return -value if sign == "-" else value
    elif _QUOTIENT.fullmatch(text) and int(text.partition("/")[2]):
        return Fraction("".join(text.split()))
    elif bits := _BITS.fullmatch(text):
        return np.array([int(bits[1], 16)], np.uint16).view(half)[0]
    return text


def show(value: Number) -> None:
    """Print a number's parts as a half: bits, exact value, ulp, neighbours, all four modes.

    A notebook gets a table.

    Parameters
    ----------
    value : real number or str
        A half, a float, an int, a Fraction, a Decimal, a NumPy scalar, or the text of a number,
        which is read exactly: ``"0.1"`` is a tenth, 0.1 the double next to it. ``"2**-25"``,
        ``"1/3"`` and ``"0x2e66 bits"`` are texts of numbers, too.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        If ``value`` is not one real number.
    ValueError
        If a text is no number.

    Notes
    -----
    Accuracy: the halves are correctly rounded from the exact value, the distances to three digits.
    Source: IEEE 754, binary16.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.show(0.1)
    0.1 as a half: 0.0999755859375 = 0x1.998p-4     bits 0 01011 1001100110 = 0x2e66
    off by -2.44e-05, 0.4 ulp; an ulp is 2**-14 = 6.1e-05
    below 0.09991455078125 (-8.54e-05)   above 0.10003662109375 (+3.66e-05)
    rte 0.0999755859375   rtz 0.0999755859375   rtp 0.10003662109375   rtn 0.0999755859375
    """
    parts = anatomy(value)
    if running_shell() is None:
        print(parts)
    else:
        import_module("IPython.display").display(parts)


def _briefly(number: Decimal, digits: int, sign: str = "") -> str:
    """Return a number to so many digits; sign: "+" if positive numbers shall have one."""
    double = float(number)
    is_beyond = math.isinf(double) or (double == 0 and number != 0)
    return f"{number:{sign}.{digits - 1}e}" if is_beyond else f"{double:{sign}.{digits}g}"


def _text(number: Any) -> str:
    """Return a number as it was given."""
    if isinstance(number, np.float16) and _NUMPY_EXPONENTS <= abs(number) < math.inf:
        return decimal_text(half(number))
    try:
        return _shorten(str(number))
    except ValueError:  # Python writes no int of more than some thousand digits
        return f"an integer of {number.bit_length()} bits"


def _shorten(text: str) -> str:
    """Return a number's text without the middle of very many digits."""
    if len(text) <= _MOST_DIGITS:
        return text
    end = _MOST_DIGITS // 2
    return f"{text[:end]}...{text[-end:]}"


def _exact(number: Any) -> Decimal | None:
    """Return a number's exact value; None if it has none, or more digits than decimals have."""
    try:
        exact = _of_text(number) if isinstance(number, str) else _of_number(number)
    except (ArithmeticError, ValueError):  # no number, or beyond decimals
        return None
    return exact if exact.is_finite() else None


def _of_text(text: str) -> Decimal:
    literal = text.strip().removesuffix("h").removesuffix("H")
    matched = _HEXADECIMAL.fullmatch(literal)
    if matched is None:
        return Decimal(literal)
    sign, whole, part, exponent = matched.groups()
    power = _EXACT.power(2, int(exponent or 0) - 4 * len(part))
    return _EXACT.multiply(int(f"{sign}{whole}{part}", 16), power)


def _of_number(number: Any) -> Decimal:
    if isinstance(number, Decimal):
        return number
    if isinstance(number, np.longdouble | Fraction):
        numerator, denominator = number.as_integer_ratio()
        return _EXACT.divide(Decimal(numerator), Decimal(denominator))
    return Decimal(number if isinstance(number, int) else float(number))
