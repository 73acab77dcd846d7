"""Compares texts of two runs, and drops lines that differ for another reason than rounding.

Texts are results of `parse_numbers`: a zero byte replaces each number.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"\w+|[^\w\s]")

#: An address in memory, which is equal in two runs only by chance.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}\b")


def differing_lines(one: str, other: str) -> frozenset[int] | None:
    """Return the lines whose words differ, such as paths, and those with an address in memory.

    one, other: texts of two runs in one mode. The lines are those of the first text; None if the
    texts cannot be aligned.

    >>> from halfcl.stability._programs._analysis.texts import differing_lines
    >>> sorted(differing_lines("x \\0\\nin /tmp/a\\ny \\0", "x \\0\\nin /tmp/b\\ny \\0"))
    [1]
    """
    lines, others = one.split("\n"), other.split("\n")
    addresses = frozenset(k for k, line in enumerate(lines) if _ADDRESS.search(line))
    if len(lines) == len(others):
        pairs = enumerate(zip(lines, others, strict=True))
        return addresses.union(k for k, (a, b) in pairs if first_difference(a, b))
    words, theirs = _WORD.findall(one), _WORD.findall(other)
    if len(words) != len(theirs):
        return None
    of_words = _lines_of_words(lines)
    triples = zip(of_words.tolist(), words, theirs, strict=True)
    return addresses.union(line for line, a, b in triples if a != b)


def drop_lines(
    first: str, lines: frozenset[int], text: str
) -> tuple[str, NDArray[np.bool_]] | None:
    """Drop lines from a run's text.

    first: the text to which the line numbers refer. Return the rest of the text, and a mask of its
    numbers that are in the rest; None if the two texts cannot be aligned.
    """
    own, firsts = text.split("\n"), first.split("\n")
    if len(own) == len(firsts):
        stays = np.array([k not in lines for k in range(len(own))])
        numbers = np.repeat(stays, [line.count("\0") for line in own])
        return "\n".join(line for k, line in enumerate(own) if stays[k]), numbers
    words, of_words = _WORD.findall(text), _lines_of_words(firsts)
    if len(words) != len(of_words):
        return None
    kept = ~np.isin(of_words, list(lines))
    rest = [word for word, is_kept in zip(words, kept, strict=True) if is_kept]
    is_number = np.array([word == "\0" for word in words], bool)
    return " ".join(rest), kept[is_number]


def _lines_of_words(lines: list[str]) -> NDArray[np.intp]:
    """Return the line of each word."""
    return np.repeat(np.arange(len(lines)), [len(_WORD.findall(line)) for line in lines])


def first_difference(one: str, other: str) -> str:
    """Describe the first difference of two texts, ignoring space; return an empty text if equal."""
    if one == other:
        return ""
    a, b = _WORD.findall(one), _WORD.findall(other)
    if a == b:
        return ""
    k = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    own, theirs = (
        " ".join(x[max(0, k - 2) : k + 3]).replace("\0", "#") or "the end" for x in (a, b)
    )
    return f"it is {theirs!r}, not {own!r}"
