"""A run followed step by step: which way it goes, and what its variables hold."""

from __future__ import annotations

import ast
import linecache
import sys
from array import array
from contextlib import suppress
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half
from halfcl.stability._programs._places import Places

if TYPE_CHECKING:
    from _typeshed import TraceFunction

#: Steps that are followed at most, and values that are kept of them: of more each second one.
MOST_STEPS = 1 << 21
MOST_VALUES = 1 << 12
#: Elements of an array that are kept, evenly from it.
_ELEMENTS = 16


@dataclass(frozen=True)
class Value:
    """What a variable held after a step.

    Attributes
    ----------
    step : int
        How many lines had been run.
    file, line, name : str, int, str
        Where it was assigned, and to what.
    numbers : array
        Some of its elements.
    """

    step: int
    file: str
    line: int
    name: str
    numbers: NDArray[Any]


@dataclass
class Trace:
    """The way of a run.

    Attributes
    ----------
    steps : array of int
        The lines in their order, each by its number plus what its code begins with.
    codes : dict
        The file of what begins with a number.
    values : list of Value
        What variables held.
    is_whole : bool
        Whether the run ended before `MOST_STEPS`.
    """

    steps: array[int] = field(default_factory=lambda: array("q"))
    codes: dict[int, str] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)
    is_whole: bool = True

    def place(self, step: int) -> tuple[str, int]:
        """The file and line of a step."""
        number = self.steps[step]
        base = number - number % _LINES
        return self.codes[base], number - base


_LINES = 1 << 20  # that a file may have


def assigned_names(source: str) -> dict[int, tuple[str, ...]]:
    """The variables that each line of a source assigns to; of an element, its array."""
    found: dict[int, tuple[str, ...]] = {}
    with suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = tuple(dict.fromkeys(n for target in targets for n in _names(target)))
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    found[line] = names
    return found


def _names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return [name for part in target.elts for name in _names(part)]
    if isinstance(target, ast.Starred | ast.Subscript):
        return _names(target.value)
    return [target.id] if isinstance(target, ast.Name) else []


def _sample(value: object) -> NDArray[Any] | None:
    """Some elements of what may have been rounded; None of what is no such number."""
    if isinstance(value, np.ndarray) and type(value) in (np.ndarray, np.memmap):
        if value.dtype.kind != "f" or value.size == 0:
            return None
        some = value.flat[:: max(1, value.size // _ELEMENTS)][:_ELEMENTS]
        return np.asarray(some.view(np.float16) if value.dtype.type is half else some)
    if isinstance(value, half):
        return np.array([float(value)], np.float16)
    if isinstance(value, np.floating | float):
        return np.array([float(value)])
    return None


class Tracer:
    """Follows the program's own lines in the thread that starts it."""

    def __init__(self, places: Places):
        self.trace = Trace()
        self._places = places
        self._bases: dict[str, int] = {}
        self._assigned: dict[str, dict[int, tuple[str, ...]]] = {}
        self._stride, self._count = 1, 0

    def start(self) -> None:
        """From the next call on."""
        sys.settrace(self._enter)

    def stop(self) -> None:
        """For good."""
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        file = self._places.file_of(frame.f_code)
        if not file:
            frame.f_trace_lines = False
            return None
        return self._inside(file, frame.f_code)

    def _base(self, file: str, code: CodeType) -> int:
        if file not in self._bases:
            self._bases[file] = base = len(self._bases) * _LINES
            self.trace.codes[base] = file
            source = "".join(linecache.getlines(code.co_filename))
            self._assigned[file] = assigned_names(source)
        return self._bases[file]

    def _inside(self, file: str, code: CodeType) -> TraceFunction:
        """What follows one call of a function, line by line."""
        base, names = self._base(file, code), self._assigned[file]
        steps, last = self.trace.steps, 0

        def follow(frame: FrameType, event: str, argument: object) -> TraceFunction | None:
            nonlocal last
            if last in names and event != "exception":
                self._keep(frame, file, last, names[last])
            if event == "line":
                last = frame.f_lineno
                steps.append(base + last)
                if len(steps) >= MOST_STEPS:
                    self.trace.is_whole = False
                    self.stop()
                    return None
            elif event == "return":
                last = 0
            return follow

        return follow

    def _keep(self, frame: FrameType, file: str, line: int, names: tuple[str, ...]) -> None:
        """What variables hold now, of each so many."""
        self._count += 1
        if self._count % self._stride:
            return
        variables, values = frame.f_locals, self.trace.values
        for name in names:
            numbers = _sample(variables.get(name))
            if numbers is not None:
                values.append(Value(len(self.trace.steps), file, line, name, numbers))
        if len(values) > MOST_VALUES:
            self._stride *= 2
            del values[::2]
