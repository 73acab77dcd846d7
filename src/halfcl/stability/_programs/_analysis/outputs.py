"""Outputs of runs: the numbers of a result, and the text around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.stability._programs._analysis.texts import first_difference
from halfcl.stability._programs._recording.numbers import Formats, parse_formats, parse_numbers
from halfcl.stability._programs._recording.watching import Numbers

Doubles: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Output:
    """The value of one result in one run.

    parts: its numbers; one array per call for a result that was watched several times. text: the
    text around the numbers. formats: how a text shows its numbers; None if they come from no text.
    touched: in a reference run, a mask of the numbers that may depend on what it did not follow;
    None if none does.
    """

    parts: tuple[Numbers, ...]
    text: str = ""
    formats: Formats | None = None
    touched: NDArray[np.bool_] | None = None

    @property
    def size(self) -> int:
        """The number of its numbers."""
        return sum(part.size for part in self.parts)

    @property
    def is_touched(self) -> bool:
        """True if some number may depend on what a reference run did not follow."""
        return self.touched is not None and bool(self.touched.any())

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the parts."""
        return [part.shape for part in self.parts]


def output_of_text(text: str) -> Output:
    """Return the numbers of a text, the rest of it, and how it shows the numbers."""
    numbers, rest = parse_numbers(text)
    return Output((numbers,), rest, parse_formats(text))


def flatten(output: Output) -> Doubles:
    """Return all numbers of an output."""
    parts = [np.asarray(part, np.float64).reshape(-1) for part in output.parts]
    return np.concatenate(parts) if parts else np.empty(0)


def describe_difference(one: Output, other: Output | None) -> str:
    """Describe an output that cannot be compared with the first by numbers; empty if it can."""
    if other is None:
        return "there is no value"
    if not one.parts and other.parts:
        return "there is a value, but none in the run to nearest"
    if len(one.parts) != len(other.parts):
        return f"there are {len(other.parts)} values, not {len(one.parts)}"
    if one.text or other.text:
        return first_difference(one.text, other.text)
    if one.shapes != other.shapes:
        a, b = next(pair for pair in zip(one.shapes, other.shapes, strict=True)
                    if pair[0] != pair[1])  # fmt: skip
        return f"the shape is {b}, not {a}"
    return ""
