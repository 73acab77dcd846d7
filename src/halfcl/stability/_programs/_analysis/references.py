"""Comparison of a program's results with those of its reference run."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfcl.stability import _measures as measures
from halfcl.stability._programs._analysis.outputs import (
    Doubles,
    Output,
    describe_difference,
    flatten,
)

#: How far two references may lie apart, in ulps of half, where either is trusted.
DOUBT = 0.25

#: Ways to print a half and a double, which differ in a run with wider halves, and what replaces
#: them; float32, too: with a half it stays one, with a double not. A zero byte stands for a number.
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:np\.float(?:16|32|64)|np\.longdouble|half)\((['\"]?)\0\1\)"), "\0"),
    (re.compile(r",\s*dtype=(?:half|float\d+|['\"]?[<>=|]?f(?:2|4|8|12|16)['\"]?)"), ""),
    (re.compile(r"\b(?:half|double)(2|3|4|8|16)\b"), r"vector\1"),
    (re.compile(r"\bhalf\("), "array("),
    (re.compile(r"\b(?:half|longdouble|float(?:16|32|64|96|128))\b"), "float"),
    (re.compile(r"[<>=|]?\bf(?:2|4|8|12|16)\b"), "float"),
)


def replace_types(text: str) -> str:
    """Replace the words for half and for wider types by common ones, in a text without numbers.

    >>> from halfcl.stability._programs._analysis.references import replace_types
    >>> replace_types("np.float64(\\0)") == replace_types("np.float16(\\0)")
    True
    """
    for pattern, word in _WORDS:
        text = pattern.sub(word, text)
    return text


def difference_from_reference(first: Output, reference: Output | None) -> str:
    """Describe why results cannot be compared with the reference; empty if they can."""
    if reference is None:
        return "the reference has no value"
    sizes = [sum(part.size for part in output.parts) for output in (first, reference)]
    if sizes[0] != sizes[1]:
        return f"the reference has {sizes[1]} numbers, not {sizes[0]}"
    one, other = (Output(x.parts, replace_types(x.text)) for x in (first, reference))
    difference = describe_difference(one, other)
    return f"in the reference {difference}" if difference else ""


def printed_resolution(outputs: Sequence[Output]) -> Doubles | None:
    """Return the unit of the last digit of each number that all runs print in one format.

    0 for integers, and where the runs print different numbers of digits: then the text has all
    digits of the number. None if the results are no text.
    """
    formats = [output.formats for output in outputs]
    known = [each for each in formats if each is not None and len(each) == len(formats[0] or ())]
    if not known or len(known) < len(formats):
        return None
    decimals = np.stack([each.decimals for each in known])
    units = np.stack([each.units for each in known])
    return np.where((decimals == decimals[0]).all(axis=0), units.max(axis=0), 0.0)


def are_certain(reference: Output, check: Output, units: Doubles | None) -> NDArray[np.bool_]:
    """Return where a reference agrees with one in longer arithmetic; nowhere if words differ.

    units: differences count in these in place of ulps.
    """
    exact = flatten(reference)
    if difference_from_reference(reference, check):
        return np.zeros(exact.shape, bool)
    return np.asarray(measures.spread([exact, flatten(check)], units) <= DOUBT)


def are_within(one: Doubles, other: Doubles, resolution: Doubles) -> NDArray[np.bool_]:
    """Return where numbers differ by at most one unit of the last printed digit."""
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, which is within nothing
        return (resolution > 0) & (np.abs(one - other) <= resolution * (1 + 1e-9))
