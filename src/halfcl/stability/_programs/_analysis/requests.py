"""Requests of users on the results of a program: units of differences, and exact numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfcl.stability._measures import Scale
from halfcl.stability._programs._analysis.outputs import Output
from halfcl.stability._programs._analysis.results import STATUS
from halfcl.stability._programs._recording.watching import Numbers, as_numbers


class RequestError(Exception):
    """Signals a request that does not fit the program's results; its message is for the user."""


#: The name in requests for a scale that all other results have.
ALL_OTHERS = ""


@dataclass(frozen=True)
class KnownTruth:
    """The exact numbers of a result.

    name: of the result; empty if it is the only one. source: where they come from, for errors.
    """

    name: str
    numbers: Numbers
    source: str

    @classmethod
    def parse(cls, text: str) -> KnownTruth:
        """Read a file for the text ``[NAME=]FILE.npy``; raise RequestError if it is not one."""
        name, equals, file = text.partition("=")
        if not equals or os.path.exists(text):
            name, file = "", text
        try:
            loaded = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            reason = str(error).splitlines()[0]
            raise RequestError(f"--truth: expected a file .npy, got {file}: {reason}") from None
        if not isinstance(loaded, np.ndarray):
            raise RequestError(f"--truth: expected a file .npy, got {file}: it has several arrays")
        try:
            return cls(name, as_numbers(loaded, f"--truth: {file}"), f"--truth: {file}")
        except TypeError as error:
            raise RequestError(str(error)) from None

    def flatten_like(self, result: str, output: Output) -> NDArray[np.float64]:
        """Return the numbers in the order of a result's elements.

        They have the result's shape; if it was watched n times, n arrays of its shape; or one axis.
        Raise RequestError for other shapes.
        """
        shapes = list(dict.fromkeys(output.shapes))
        expected = [shapes[0]] if len(output.parts) == 1 else []
        if len(output.parts) > 1 and len(shapes) == 1:
            expected.append((len(output.parts), *shapes[0]))
        size = sum(part.size for part in output.parts)
        if self.numbers.shape not in [*expected, (size,)]:
            shape = expected[0] if expected else (size,)
            raise RequestError(
                f"{self.source}: expected shape {shape}, that of {result}, got {self.numbers.shape}"
            )
        return self.numbers.astype(np.float64).ravel()


def parse_scale(text: str) -> tuple[str, Scale | None]:
    """Return the name and the scale of ``NAME=max``; raise RequestError for other texts.

    >>> from halfcl.stability._programs._analysis.requests import parse_scale
    >>> parse_scale("Q=max")
    ('Q', Scale(kind='max', number=0.0))
    """
    name, _, scale = text.rpartition("=")
    if not name:
        raise RequestError(f"--scale: expected NAME=max, NAME=norm or NAME=abs:x, got {text!r}")
    try:
        return name, Scale.parse(scale, f"--scale {name}")
    except ValueError as error:
        raise RequestError(str(error)) from None


def select(name: str, results: Iterable[str]) -> list[str]:
    """Return the results with a name: of that name, or of the kind or process that it has."""
    return [
        result
        for result in results
        if result == name or result.startswith((f"{name}: ", f"{name}, "))
    ]


def _select_or_raise(name: str, results: Sequence[str], option: str) -> list[str]:
    selected = select(name, results)
    if not selected:
        raise RequestError(
            f"{option}: expected a global variable, a function's (main.x), a file or a watched "
            f"name, got {name!r}; the program outputs {', '.join(results) or 'nothing'}"
        )
    return selected


def scales_by_result(
    requests: Sequence[tuple[str, Scale | None]],
    watched: Mapping[str, Scale],
    results: Sequence[str],
) -> dict[str, Scale | None]:
    """Return the scale of each result: as requested by name, as watched, or that of all others.

    Raise RequestError for a requested name that no result has.
    """
    default = dict(requests).get(ALL_OTHERS)
    scales: dict[str, Scale | None] = dict.fromkeys(results, default)
    for name, scale in watched.items():
        scales.update(dict.fromkeys(select(name, results), scale))
    for name, own in requests:
        if name != ALL_OTHERS:
            scales.update(dict.fromkeys(_select_or_raise(name, results, "--scale"), own))
    return scales


def truths_by_result(
    truths: Sequence[KnownTruth], outputs: Mapping[str, Output]
) -> dict[str, NDArray[np.float64]]:
    """Return the exact elements of the results that have them.

    outputs: the results of the run to nearest. Raise RequestError for names that no or several
    results have, and for other shapes.
    """
    known: dict[str, NDArray[np.float64]] = {}
    names = [name for name in outputs if name != STATUS]
    for truth in truths:
        selected = _select_or_raise(truth.name, names, "--truth") if truth.name else names
        if len(selected) != 1:
            raise RequestError(
                f"{truth.source}: expected NAME=FILE with the name of one result, since there are "
                f"several: {', '.join(selected)}"
            )
        known[selected[0]] = truth.flatten_like(selected[0], outputs[selected[0]])
    return known
