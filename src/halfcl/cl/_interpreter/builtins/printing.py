"""printf: OpenCL C's conversions, written to sys.stdout in the order of the work-items."""

from __future__ import annotations

import functools
import itertools
import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._frontend.literals.formats import REALS, SIGNED, Conversion, parse_format
from halfcl.cl._frontend.types import (
    HALF,
    Type,
    Vector,
    wrap,
)
from halfcl.cl._interpreter.builtins.kinds import Effect, Signature
from halfcl.cl._interpreter.memory.pointers import NULL, Pointer
from halfcl.cl._interpreter.values.lanes import Mask, Ramp, Value

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run

# ---------------------------------------------------------------- one value


def _pad(body: str, sign: str, conversion: Conversion, may_have_zeros: bool) -> str:
    """Pad a number to the conversion's width. sign: text before the digits, including 0x."""
    missing = conversion.width - len(sign) - len(body)
    if "-" in conversion.flags:
        return sign + body + " " * missing
    if "0" in conversion.flags and may_have_zeros:
        return sign + "0" * missing + body
    return " " * missing + sign + body


def _plus(conversion: Conversion) -> str:
    return "+" if "+" in conversion.flags else " " if " " in conversion.flags else ""


def _integer(value: int, conversion: Conversion) -> str:
    value = wrap(value, conversion.dtype)
    letter, precision = conversion.letter, conversion.precision
    sign = "-" if value < 0 else _plus(conversion) if letter in SIGNED else ""
    body = format(abs(value), "d" if letter in "diu" else letter)
    if value == 0 and precision == 0:
        body = ""
    body = body.rjust(precision or 0, "0")
    if "#" in conversion.flags:
        if letter == "o" and not body.startswith("0"):
            body = "0" + body
        elif letter in "xX" and value:
            sign = "0" + letter
    return _pad(body, sign, conversion, precision is None)


def _real(value: float, conversion: Conversion) -> str:
    letter = conversion.letter
    sign = "-" if math.copysign(1, value) < 0 else _plus(conversion)
    value = abs(value)
    if not math.isfinite(value):
        name = "nan" if value != value else "inf"
        return _pad(name.upper() if letter.isupper() else name, sign, conversion, False)
    if letter in "aA":
        sign += "0x" if letter == "a" else "0X"
        body = _hexadecimal(value, conversion)
    else:
        precision = 6 if conversion.precision is None else conversion.precision
        body = f"%{'#' if '#' in conversion.flags else ''}.{precision}{letter}" % value
    return _pad(body, sign, conversion, True)


def _hexadecimal(value: float, conversion: Conversion) -> str:
    """Format as hexadecimal without 0x, rounded to nearest, ties to even."""
    fraction, exponent = math.frexp(value)
    significand, exponent = int(fraction * 2**53), exponent - 1 if value else 0
    if value and exponent < -1022:  # subnormals share one exponent, so they begin with 0
        significand, exponent = significand >> (-1022 - exponent), -1022
    digits = 13
    if conversion.precision is None:
        while digits and not significand & 15:
            significand, digits = significand >> 4, digits - 1
    elif conversion.precision < 13:
        dropped = 4 * (13 - conversion.precision)
        leading_bits, rest = significand >> dropped, significand & ((1 << dropped) - 1)
        half = 1 << (dropped - 1)
        significand = leading_bits + (rest > half or (rest == half and leading_bits & 1))
        digits = conversion.precision
    lead, tail = significand >> (4 * digits), significand & ((1 << (4 * digits)) - 1)
    text = format(tail, f"0{digits}x") if digits else ""
    text = text.ljust(conversion.precision or 0, "0")
    point = "." if text or "#" in conversion.flags else ""
    result = f"{lead}{point}{text}p{exponent:+d}"
    return result.upper() if conversion.letter == "A" else result


def _string(text: bytes, conversion: Conversion) -> bytes:
    text = text[: conversion.precision]
    missing = b" " * (conversion.width - len(text))
    return text + missing if "-" in conversion.flags else missing + text


# ---------------------------------------------------------------- all items


def _columns(run: Run, value: Value | Pointer, type_: Type, who: list[int]) -> list[object]:
    """Return the value of each active item; a list for vectors."""
    if isinstance(value, Pointer):
        addresses = np.broadcast_to(_array(run.address(value)), run.axes.count)
        return [int(addresses[i]) for i in who]
    array = _array(value)
    if type_ == HALF or (isinstance(type_, Vector) and type_.element == HALF):
        array = array.astype(np.float64)
    if isinstance(type_, Vector):
        array = np.broadcast_to(np.atleast_2d(array), (type_.width, run.axes.count)).T
    else:
        array = np.broadcast_to(array, run.axes.count)
    rows: list[Any] = array[who].tolist()
    return rows


def _array(value: Value) -> NDArray[Any]:
    return value.array() if type(value) is Ramp else np.asarray(value)


def _string_at(run: Run, address: int) -> bytes:
    """Return the string at an address."""
    parts, _ = run.addresses.parts(address, None)
    pointer = parts[0][0] if parts else NULL
    if pointer.memory is None:
        return b"(null)"
    data: bytes = pointer.memory.data[pointer.offset :].tobytes()
    return data.partition(b"\0")[0]


def _convert(run: Run, value: Any, conversion: Conversion) -> bytes:
    if conversion.letter == "s":
        return _string(_string_at(run, value), conversion)
    if conversion.letter == "p":
        return _string(hex(value).encode(), conversion)
    if conversion.letter == "c":
        return _string(bytes([value & 255]), conversion)
    number: Callable[[Any, Conversion], str] = _real if conversion.letter in REALS else _integer
    values = value if conversion.vector else [value]
    return ",".join(number(v, conversion) for v in values).encode()


def _printf(types: tuple[Type, ...]) -> Callable[..., int]:
    parse = functools.lru_cache(maxsize=1)(lambda text: list(parse_format(text)))

    def call(run: Run, mask: Mask, at: int, format_: Pointer, *arguments: Value | Pointer) -> int:
        assert format_.memory is not None
        if run.launch.is_rehearsal:
            return 0
        text = format_.memory.data[format_.offset :].tobytes().partition(b"\0")[0]
        who = list(range(run.axes.count)) if mask is None else np.flatnonzero(mask).tolist()
        columns = [_columns(run, a, t, who) for a, t in zip(arguments, types, strict=True)]
        lines = []
        for row in zip(*columns, strict=True) if columns else itertools.repeat((), len(who)):
            values = iter(row)
            lines += [
                part if isinstance(part, bytes) else _convert(run, next(values), part)
                for part in parse(text)
            ]
        if sys.stdout is not None:  # a program without a console has none
            sys.stdout.write(b"".join(lines).decode(errors="replace"))
        return 0

    return call


def printf(signature: Signature) -> Effect:
    """Return printf for arguments of these types."""
    return Effect(_printf(signature.arguments[1:]))
