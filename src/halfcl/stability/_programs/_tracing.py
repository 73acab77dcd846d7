"""A run followed step by step: which way it goes, and what its variables hold."""

from __future__ import annotations

import ast
import linecache
import sys
from array import array
from contextlib import suppress
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeAlias

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


#: What a line assigns to, as text and as code that gives it.
Targets: TypeAlias = tuple[tuple[str, CodeType], ...]

#: What an index may be made of, so that it can be looked up once more.
_PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Slice, ast.Tuple, ast.operator,
          ast.unaryop, ast.expr_context)  # fmt: skip


def assigned(source: str) -> dict[int, Targets]:
    """The variables and elements that each line of a source assigns to.

    Parameters
    ----------
    source : str
        Of a module.

    Returns
    -------
    dict
        By the number of the line; empty if it is no Python.

    Examples
    --------
    >>> from halfcl.stability._programs._tracing import assigned
    >>> found = assigned("a, b[k + 1] = f(x)")
    >>> [text for text, code in found[1]]
    ['a', 'b[k + 1]']
    """
    found: dict[int, Targets] = {}
    with suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                texts = dict.fromkeys(text for target in targets for text in _texts(target))
                codes = tuple((text, compile(text, "<target>", "eval")) for text in texts)
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    found[line] = codes
    return found


def _texts(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return [text for part in target.elts for text in _texts(part)]
    if isinstance(target, ast.Starred):
        return _texts(target.value)
    is_element = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    plain = all(isinstance(part, (*_PLAIN, ast.Subscript)) for part in ast.walk(target))
    if isinstance(target, ast.Name) or (is_element and plain):
        return [ast.unparse(target)]
    return []


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
        self._assigned: dict[str, dict[int, Targets]] = {}
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
            self._assigned[file] = assigned(source)
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

    def _keep(self, frame: FrameType, file: str, line: int, targets: Targets) -> None:
        """What variables hold now, of each so many."""
        self._count += 1
        if self._count % self._stride:
            return
        variables, values = frame.f_locals, self.trace.values
        for name, code in targets:
            try:
                numbers = _sample(eval(code, frame.f_globals, variables))
            except Exception:  # the assignment has failed, or its index has changed
                continue
            if numbers is not None:
                values.append(Value(len(self.trace.steps), file, line, name, numbers))
        if len(values) > MOST_VALUES:
            self._stride *= 2
            del values[::2]
