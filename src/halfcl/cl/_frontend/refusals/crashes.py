"""Text on which libclang 18 crashes or runs for minutes, and clang's own types; refused before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from halfcl.cl._frontend.errors import BuildError, Diagnostic
from halfcl.cl._frontend.preprocessing import Text
from halfcl.cl._frontend.preprocessing.conditions import integer_constant

#: The largest index of a designator: clang makes a list of so many elements, or repeats a value.
_LARGEST_INDEX = 1 << 20

_LITERAL = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
_WORD = re.compile(rf"{_LITERAL}|\b(__bf16|__fp16)\b", re.DOTALL)
_DESIGNATORS = re.compile(rf"{_LITERAL}|[{{,]\s*((?:\[[^\[\]{{}};]*\]\s*)+)", re.DOTALL)
#: The length of an array with an initializer, of which clang counts 32 bits.
_BRACKETS = re.compile(r"\[([^\[\]{};]*)\](?=\s*(?:\[[^\[\]{};]*\]\s*)*=\s*\{)")
_MOST_ELEMENTS = (1 << 32) - 1
_INDEX = re.compile(r"\[(.*?)(?:\.\.\.(.*?))?\]", re.DOTALL)


def check_crashes(text: Text) -> None:
    """Raise BuildError if clang would crash on a text."""
    errors = [
        Diagnostic(text.place_of(len(text.text[:at].encode())), "error", f"not supported: {what}")
        for at, what in _crashes(text.text)
    ]
    if errors:
        raise BuildError(errors)


def _crashes(text: str) -> Iterator[tuple[int, str]]:
    """Yield each place with what is refused there."""
    if "__bf16" in text or "__fp16" in text:  # clang has __fp16 for half, compilers need not
        yield from ((m.start(), f"type {m[1]}") for m in _WORD.finditer(text) if m[1])
    for match in _BRACKETS.finditer(text):
        if (integer_constant(match[1]) or 0) > _MOST_ELEMENTS:
            yield match.start(), f"an array of more than {_MOST_ELEMENTS:,} elements"
    for match in _DESIGNATORS.finditer(text):
        for index in _INDEX.finditer(match[1] or ""):
            numbers = [integer_constant(number) or 0 for number in index.groups() if number]
            if any(number > _LARGEST_INDEX for number in numbers):
                what = f"a designator of an element beyond {_LARGEST_INDEX:,}"
                yield match.start(1) + index.start(), what
