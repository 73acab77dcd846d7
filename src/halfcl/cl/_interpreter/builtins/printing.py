"""printf: OpenCL C's conversions, written to sys.stdout in the order of the work-items."""

from __future__ import annotations

import functools
import itertools
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfcl.cl._frontend.types import (
    DOUBLE,
    FLOAT,
    HALF,
    DType,
    Pointer as PointerType,
    Scalar,
    Type,
    Vector,
)
from halfcl.cl._interpreter.builtins.kinds import Effect, Maker, Signature
from halfcl.cl._interpreter.memory.pointers import Pointer
from halfcl.cl._interpreter.values.integers import wrap
from halfcl.cl._interpreter.values.lanes import Mask, Ramp, Value

if TYPE_CHECKING:
    from halfcl.cl._interpreter.launching.launch import Run

_CONVERSION = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?:v(?P<vector>\d+))?"
    rb"(?P<length>hh|hl|h|l)?(?P<letter>[diouxXfFeEgGaAcsp])"
)

#: By length modifier: bytes of integers, and the floating type of vectors.
_SIZES = {"hh": 1, "h": 2, "hl": 4, "l": 8, "": 4}
_FLOATING = {"h": HALF, "hl": FLOAT, "l": DOUBLE}
_SIGNED, _UNSIGNED, _REALS = "di", "ouxX", "fFeEgGaA"


@dataclass(frozen=True, slots=True)
class _Conversion:
    """A conversion specification of a format."""

    text: str
    flags: str
    width: int
    precision: int | None
    vector: int  # 0: none
    length: str
    letter: str

    @property
    def dtype(self) -> DType:
        """The dtype of the integer that it prints."""
        return np.dtype(f"{'i' if self.letter in _SIGNED else 'u'}{_SIZES[self.length]}")


def _parse(text: bytes) -> Iterator[bytes | _Conversion]:
    """Yield text and conversions; raise ValueError for a wrong conversion."""
    at = 0
    while (percent := text.find(b"%", at)) >= 0:
        yield text[at:percent]
        if text.startswith(b"%%", percent):
            yield b"%"
            at = percent + 2
            continue
        match = _CONVERSION.match(text, percent)
        if match is None:
            shown = text[percent : percent + 8].decode(errors="replace")
            raise ValueError(f"expected a conversion of OpenCL C, got {shown!r}")
        precision = match["precision"]
        yield _Conversion(
            match[0].decode(),
            match["flags"].decode(),
            int(match["width"] or 0),
            None if precision is None else int(precision or 0),
            int(match["vector"] or 0),
            (match["length"] or b"").decode(),
            match["letter"].decode(),
        )
        at = match.end()
    yield text[at:]


# ---------------------------------------------------------------- what the build checks


def errors(text: bytes, arguments: list[Type], are_literal: list[bool]) -> Iterator[str]:
    """Yield the errors in a format for these arguments. are_literal: whether they are literals."""
    try:
        conversions = [part for part in _parse(text) if isinstance(part, _Conversion)]
    except ValueError as error:
        yield f"printf: {error}"
        return
    for conversion, type_, is_literal in itertools.zip_longest(
        conversions, arguments[: len(conversions)], are_literal[: len(conversions)]
    ):
        if type_ is None:
            yield f"printf: no argument for {conversion.text}"
        elif message := _mismatch(conversion, type_, is_literal):
            yield f"printf: {conversion.text} {message}"


def _mismatch(conversion: _Conversion, type_: Type, is_literal: bool) -> str | None:
    if conversion.vector:
        return _vector_mismatch(conversion, type_)
    if conversion.length == "hl":
        return "has length hl, which is of vectors"
    letter = conversion.letter
    if letter == "p":
        return None if isinstance(type_, PointerType) else f"takes a pointer, not {type_}"
    if letter == "s":
        return None if is_literal else "takes a string literal"
    if letter == "c" and conversion.length:
        return f"has length {conversion.length}, which %c has not"
    if letter in _REALS and conversion.length in ("h", "hh"):
        return f"has length {conversion.length}, which is of integers or vectors"
    if not isinstance(type_, Scalar) or type_.is_floating != (letter in _REALS):
        wanted = "a floating-point number" if letter in _REALS else "an integer"
        return f"takes {wanted}, not {type_}"
    return None


def _vector_mismatch(conversion: _Conversion, type_: Type) -> str | None:
    if conversion.letter in "csp":
        return "has a vector's width, which is of numbers"
    if not conversion.length:
        return "lacks a length (hh, h, hl or l), which vectors must have"
    is_real = conversion.letter in _REALS
    if is_real and conversion.length not in _FLOATING:
        return f"has length {conversion.length}, which is of integers"
    fits = (
        isinstance(type_, Vector)
        and type_.width == conversion.vector
        and type_.is_floating == is_real
        and (
            type_.element == _FLOATING[conversion.length]
            if is_real
            else type_.element.size == _SIZES[conversion.length]
        )
    )
    return None if fits else f"does not take {type_}"


# ---------------------------------------------------------------- one value


def _pad(body: str, sign: str, conversion: _Conversion, may_have_zeros: bool) -> str:
    """Pad a number to the conversion's width. sign: text before the digits, including 0x."""
    missing = conversion.width - len(sign) - len(body)
    if "-" in conversion.flags:
        return sign + body + " " * missing
    if "0" in conversion.flags and may_have_zeros:
        return sign + "0" * missing + body
    return " " * missing + sign + body


def _plus(conversion: _Conversion) -> str:
    return "+" if "+" in conversion.flags else " " if " " in conversion.flags else ""


def _integer(value: int, conversion: _Conversion) -> str:
    value = wrap(value, conversion.dtype)
    letter, precision = conversion.letter, conversion.precision
    sign = "-" if value < 0 else _plus(conversion) if letter in _SIGNED else ""
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


def _real(value: float, conversion: _Conversion) -> str:
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


def _hexadecimal(value: float, conversion: _Conversion) -> str:
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


def _string(text: bytes, conversion: _Conversion) -> bytes:
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
    """Return the string at an address; the build has checked that it is a literal."""
    ((pointer, _),), _ = run.addresses.parts(address, None)
    assert pointer.memory is not None
    data: bytes = pointer.memory.data[pointer.offset :].tobytes()
    return data.partition(b"\0")[0]


def _convert(run: Run, value: Any, conversion: _Conversion) -> bytes:
    if conversion.letter == "s":
        return _string(_string_at(run, value), conversion)
    if conversion.letter == "p":
        return _string(hex(value).encode(), conversion)
    if conversion.letter == "c":
        return _string(bytes([value & 255]), conversion)
    number: Callable[[Any, _Conversion], str] = _real if conversion.letter in _REALS else _integer
    values = value if conversion.vector else [value]
    return ",".join(number(v, conversion) for v in values).encode()


def _printf(types: tuple[Type, ...]) -> Callable[..., int]:
    parse = functools.lru_cache(maxsize=1)(lambda text: list(_parse(text)))

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


def _make(signature: Signature) -> Effect:
    return Effect(_printf(signature.arguments[1:]))


MAKERS: dict[str, Maker] = {"printf": _make}
