"""Traces a run step by step: records the lines that it runs, and values of its variables."""

from __future__ import annotations

import ast
import linecache
import sys
from array import array
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half
from halfcl.stability._programs._recording.places import Places

if TYPE_CHECKING:
    from _typeshed import TraceFunction

#: Limits on the recorded steps and values; beyond the latter, every second value is dropped.
MOST_STEPS = 1 << 21
MOST_VALUES = 1 << 12
#: Limit on the recorded elements of an array, at regular intervals.
_ELEMENTS = 16


@dataclass(frozen=True)
class Value:
    """The value of a variable after a step.

    step: the number of lines that had run before. file, line, name: the place of the assignment,
    and the variable. numbers: some of its elements.
    """

    step: int
    file: str
    line: int
    name: str
    numbers: NDArray[Any]


@dataclass
class Trace:
    """The steps of a run.

    steps: the lines in the order in which they ran, each as its number plus the base of its file.
    files: files by their bases. is_whole: whether the run ended before `MOST_STEPS`.
    """

    steps: array[int] = field(default_factory=lambda: array("q"))
    files: dict[int, str] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)
    is_whole: bool = True

    def place(self, step: int) -> tuple[str, int]:
        """Return the file and line of a step."""
        number = self.steps[step]
        base = number - number % _LINES
        return self.files[base], number - base


_LINES = 1 << 20  # limit on the lines of a file


#: Variables and elements that a line assigns to, as text and as code that evaluates to them.
Targets: TypeAlias = tuple[tuple[str, CodeType], ...]

#: Nodes of indices that can be evaluated again without side effects.
_PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Slice, ast.Tuple, ast.operator,
          ast.unaryop, ast.expr_context)  # fmt: skip


def assignment_targets(source: str) -> dict[int, Targets]:
    """Return the variables and elements that each line of a source assigns to.

    There are none if the source is not valid Python.

    >>> from halfcl.stability._programs._recording.tracing import assignment_targets
    >>> targets = assignment_targets("a, b[k + 1] = f(x)")
    >>> [text for text, code in targets[1]]
    ['a', 'b[k + 1]']
    """
    by_line: dict[int, Targets] = {}
    with suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                texts = dict.fromkeys(text for target in targets for text in _target_texts(target))
                codes = tuple((text, compile(text, "<target>", "eval")) for text in texts)
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    by_line[line] = codes
    return by_line


def _target_texts(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return [text for part in target.elts for text in _target_texts(part)]
    if isinstance(target, ast.Starred):
        return _target_texts(target.value)
    is_element = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    plain = all(isinstance(part, (*_PLAIN, ast.Subscript)) for part in ast.walk(target))
    if isinstance(target, ast.Name) or (is_element and plain):
        return [ast.unparse(target)]
    return []


def _sample(value: object) -> NDArray[Any] | None:
    """Copy some elements of floating-point numbers; return None for anything else."""
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
    """Records the program's own lines in the thread that starts the tracer."""

    def __init__(self, places: Places):
        self.trace = Trace()
        self._places = places
        self._bases: dict[str, int] = {}
        self._assignments: dict[str, dict[int, Targets]] = {}
        self._stride, self._count = 1, 0
        #: Also called with the frame and the kind of each event.
        self.observe: Callable[[FrameType, str], None] | None = None

    def start(self) -> None:
        """Record from the next call of a function on."""
        sys.settrace(self._enter)

    def stop(self) -> None:
        """Stop recording."""
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        file = self._places.program_file(frame.f_code)
        if not file:
            frame.f_trace_lines = False
            return None
        return self._line_tracer(file, frame.f_code)

    def _base(self, file: str, code: CodeType) -> int:
        if file not in self._bases:
            self._bases[file] = base = len(self._bases) * _LINES
            self.trace.files[base] = file
            source = "".join(linecache.getlines(code.co_filename))
            self._assignments[file] = assignment_targets(source)
        return self._bases[file]

    def _line_tracer(self, file: str, code: CodeType) -> TraceFunction:
        """Return a trace function for one call of a function."""
        base, names = self._base(file, code), self._assignments[file]
        steps, last = self.trace.steps, 0

        def follow(frame: FrameType, event: str, argument: object) -> TraceFunction | None:
            nonlocal last
            if self.observe is not None:
                self.observe(frame, event)
            if last in names and event != "exception":
                self._record_values(frame, file, last, names[last])
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

    def _record_values(self, frame: FrameType, file: str, line: int, targets: Targets) -> None:
        """Record the values of variables, at every `_stride`-th call."""
        self._count += 1
        if self._count % self._stride:
            return
        variables, values = frame.f_locals, self.trace.values
        for name, code in targets:
            try:
                numbers = _sample(eval(code, frame.f_globals, variables))
            except Exception:  # the assignment failed, or its index has changed
                continue
            if numbers is not None:
                values.append(Value(len(self.trace.steps), file, line, name, numbers))
        if len(values) > MOST_VALUES:
            self._stride *= 2
            del values[::2]
