"""Build options: which of them the translation handles, and which the driver gets."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from halfcl.cl._frontend.preprocessing.options import Options, parse_options

#: Options with which results would be others than the text's; translations do without.
_INEXACT = frozenset(
    """-cl-mad-enable -cl-no-signed-zeros -cl-denorms-are-zero -cl-unsafe-math-optimizations
    -cl-finite-math-only -cl-fast-relaxed-math""".split()
)

#: Options that both need.
_OF_BOTH = ("-cl-std", "-cl-single-precision-constant")

#: Options that may have their value in the next word.
_WITH_VALUE = ("-D", "-I", "-cl-ext", "-cl-std")

#: Options of the translation alone: what they say is in the text, or concerns its messages.
_OF_TRANSLATION = ("-D", "-I", "-cl-ext", "-Werror")


class BuildOptions(NamedTuple):
    """The options of a build: parsed for the translation, and words for the driver."""

    parsed: Options
    of_driver: tuple[str, ...]


def read_options(text: str) -> BuildOptions:
    """Read the options that a program passed; raise ValueError if they are malformed."""
    handled: list[str] = []
    of_driver: list[str] = []
    for words in _with_values(_split(text)):
        first = words[0]
        if first.startswith(_OF_TRANSLATION):
            handled += words
        elif first in _INEXACT:
            handled += [first] if first == "-cl-fast-relaxed-math" else []  # it defines a macro
        elif first.startswith(_OF_BOTH):
            handled += words
            of_driver.append("=".join(words))
        elif first == "-w":
            handled.append(first)
        elif first != "-cl-fp32-correctly-rounded-divide-sqrt":  # given where the device has it
            of_driver += words
    return BuildOptions(parse_options(shlex.join(handled)), tuple(of_driver))


def _split(text: str) -> list[str]:
    """Split options at blanks outside of quotes."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    if os.name == "nt":
        lexer.escape = ""  # paths have backslashes there
    try:
        return list(lexer)
    except ValueError as error:
        raise ValueError(f"options: {text!r}: {error}") from None


def _with_values(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield each option with the next word if that is its value."""
    rest = iter(words)
    for word in rest:
        value = next(rest, None) if word in _WITH_VALUE else None
        yield [word] if value is None else [word, value]


def join_options(words: Sequence[str]) -> str:
    """Return options as one text, in which drivers understand quotes around blanks."""
    return " ".join(f'"{word}"' if any(map(str.isspace, word)) else word for word in words)
