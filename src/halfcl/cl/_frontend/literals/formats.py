"""Formats of printf: their conversions, and whether arguments fit them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from halfcl.cl._frontend.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    UCHAR,
    DType,
    Pointer,
    Scalar,
    Type,
    Vector,
)

_CONVERSION = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?:v(?P<vector>\d+))?"
    rb"(?P<length>hh|hl|h|ll|l|z)?(?P<letter>[diouxXfFeEgGaAcsp])"
)

#: What programs write for lengths of OpenCL C's: C has them, and so have devices.
_LENGTHS = {"ll": "l", "z": "l"}

#: By length modifier: bytes of integers, and the floating type of vectors.
_SIZES = {"hh": 1, "h": 2, "hl": 4, "l": 8, "": 4}
_FLOATING = {"h": HALF, "hl": FLOAT, "l": DOUBLE}
SIGNED, _UNSIGNED, REALS = "di", "ouxX", "fFeEgGaA"


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion specification of a format, whose length is one of OpenCL C's."""

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
        return np.dtype(f"{'i' if self.letter in SIGNED else 'u'}{_SIZES[self.length]}")


def parse_format(text: bytes) -> Iterator[bytes | Conversion]:
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
        precision, letter = match["precision"], match["letter"].decode()
        written = (match["length"] or b"").decode()
        length = _LENGTHS.get(written, written)
        if match["vector"] and not length and letter not in "csp":
            length = "hl"  # of int4 and float4, which OpenCL C leaves undefined
        yield Conversion(
            match[0].decode().removesuffix(written + letter) + length + letter,
            match["flags"].decode(),
            int(match["width"] or 0),
            None if precision is None else int(precision or 0),
            int(match["vector"] or 0),
            length,
            letter,
        )
        at = match.end()
    yield text[at:]


def format_errors(text: bytes, arguments: list[Type], are_literal: list[bool]) -> Iterator[str]:
    """Yield the errors in a format for these arguments. are_literal: whether they are literals."""
    try:
        conversions = [part for part in parse_format(text) if isinstance(part, Conversion)]
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


def _mismatch(conversion: Conversion, type_: Type, is_literal: bool) -> str | None:
    if conversion.vector:
        return _vector_mismatch(conversion, type_)
    if conversion.length == "hl":
        return "has length hl, which is of vectors"
    letter = conversion.letter
    if letter == "p":
        return None if isinstance(type_, Pointer) else f"takes a pointer, not {type_}"
    if letter == "s":
        return (
            None
            if is_literal or _is_text(type_)
            else "takes a string literal, or a pointer to constant or global characters"
        )
    if letter == "c" and conversion.length:
        return f"has length {conversion.length}, which %c has not"
    if letter in REALS and conversion.length in ("h", "hh"):
        return f"has length {conversion.length}, which is of integers or vectors"
    if not isinstance(type_, Scalar) or type_.is_floating != (letter in REALS):
        wanted = "a floating-point number" if letter in REALS else "an integer"
        return f"takes {wanted}, not {type_}"
    return None


def _is_text(type_: Type) -> bool:
    """Return whether it is a pointer to characters that all work-items share."""
    return (
        isinstance(type_, Pointer)
        and type_.pointee in (CHAR, UCHAR)
        and type_.space in ("constant", "global")
    )


def _vector_mismatch(conversion: Conversion, type_: Type) -> str | None:
    if conversion.letter in "csp":
        return "has a vector's width, which is of numbers"
    is_real = conversion.letter in REALS
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
