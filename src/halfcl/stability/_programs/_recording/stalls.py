"""Answers where a program is, and which of its loops stalls, when the command asks by a signal.

The command asks if a run takes long. The process of the run first answers with the line that it is
at. Then it observes the program's own lines for a second: how often they run, and which variables
that a `while` loop depends on no longer change.
"""

from __future__ import annotations

import ast
import contextlib
import faulthandler
import json
import linecache
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from types import CodeType, FrameType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from halfcl._core import MODES, half
from halfcl.stability._programs._recording.places import Places
from halfcl.stability._programs._recording.tracing import Tracer

if TYPE_CHECKING:
    from _typeshed import TraceFunction

#: The signal that asks. Processes without a handler for it ignore it, such as other programs.
SIGNAL: int | None = getattr(signal, "SIGURG", None)

#: Files in the scratch folder: answers, one a line, and the stack if Python cannot answer.
ANSWERS, STACK = "answers", "stack"

#: Limits of an observation, in seconds and in lines run.
SECONDS = 1.0
_MOST_LINES = 40_000

#: A loop stalls if its variables have few values while it runs so many times; it is certain to
#: stall if it runs so many times and they depend on nothing else.
_FEW_VALUES = 8
_LEAST_PASSES = 20
_CERTAIN_PASSES = 1000

#: Functions that return the same for the same arguments, by the end of their names.
_PURE = frozenset(
    ("abs", "fabs", "absolute", "float", "int", "bool", "len", "max", "min", "sqrt", "exp", "log",
     "sin", "cos", "tan", "all", "any", "sum", "float16", "half", "float32", "float64", "isfinite",
     "isnan", "maximum", "minimum", "norm", "hypot", "array", "asarray"),
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """An answer of a run.

    file, line: the innermost line of the program that runs, or the one that stalls. note: how it
    stalls; empty if it does not. is_observed: whether the answer comes after an observation.
    is_certain: whether the program cannot go on.
    """

    file: str = ""
    line: int = 0
    note: str = ""
    is_observed: bool = False
    is_certain: bool = False


def read_answers(folder: str) -> list[Answer]:
    """Return the answers that a run has given, the last one at the end."""
    try:
        with open(os.path.join(folder, ANSWERS), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    answers = []
    for line in lines:
        with contextlib.suppress(ValueError):  # the last line may not be whole yet
            answers.append(Answer(**json.loads(line)))
    return answers


_FRAME = re.compile(r'^  File "(.*)", line (\d+) in ', re.MULTILINE)


def read_stack(folder: str, places: Places) -> Answer | None:
    """Return the innermost line of the program in the last stack that a run has written."""
    try:
        with open(os.path.join(folder, STACK), encoding="utf-8", errors="replace") as file:
            *_, stack = file.read().split("most recent call first")
    except (OSError, ValueError):
        return None
    for match in _FRAME.finditer(stack):
        if file_name := places.own_file(match[1]):
            return Answer(file_name, int(match[2]))
    return None


class Answerer:
    """Answers the command's questions in the process of a run.

    mode: the rounding mode of the run. folder: the scratch folder. open_file: opens files without
    redirection.
    """

    def __init__(
        self, places: Places, mode: str, folder: str, open_file: Callable[[str, int], int]
    ):
        self._places, self._mode = places.line_places(), mode
        self._folder, self._open = folder, open_file
        self._observation: Observation | None = None

    def start(self) -> None:
        """Answer from now on, if the system has the signal."""
        if SIGNAL is None:
            return
        flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND
        self._file = self._open(self._folder + ANSWERS, flags)
        signal.signal(SIGNAL, self._on_signal)
        # Code in C that runs for long keeps Python from calling the handler.
        stack = self._open(self._folder + STACK, flags)
        faulthandler.register(SIGNAL, file=stack, all_threads=False, chain=True)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        own = _innermost(frame, self._places)
        if own is not None:
            self._write(Answer(self._places.program_file(own.f_code), own.f_lineno))
        if self._observation is None or self._observation.is_lost:
            self._observation = Observation(self._places, self._mode, self._on_end)
            self._observation.start(frame)

    def _on_end(self, answer: Answer) -> None:
        self._observation = None
        self._write(answer)

    def _write(self, answer: Answer) -> None:
        with contextlib.suppress(OSError):  # the program may have closed the file
            os.write(self._file, f"{json.dumps(asdict(answer))}\n".encode())


def _innermost(frame: FrameType | None, places: Places) -> FrameType | None:
    """Return the innermost frame of the program's own code; None if there is none."""
    while frame is not None and not places.program_file(frame.f_code):
        frame = frame.f_back
    return frame


# ---------------------------------------------------------------- loops

#: A node that assigns, and the variables it assigns to.
Assignment: TypeAlias = ast.Assign | ast.AugAssign | ast.AnnAssign


@dataclass(frozen=True)
class _Target:
    """A variable that a statement assigns to, as text and as code that evaluates to it."""

    text: str
    code: CodeType
    node: Assignment
    step: CodeType | None  # of an addition to the variable, if it can be evaluated


@dataclass
class _State:
    """The values that a variable had after a statement."""

    values: dict[object, str] = field(default_factory=dict)
    count: int = 0
    is_half: bool = False
    has_no_step: bool = False  # the addition's step is zero

    @property
    def repeats(self) -> bool:
        """True if the variable has had few values at many passes."""
        return self.count >= _LEAST_PASSES and len(self.values) <= _FEW_VALUES


def _targets(tree: ast.AST) -> Iterator[_Target]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for base in _bases(target):
                    text = ast.unparse(base)
                    yield _Target(text, compile(text, "<target>", "eval"), node, _step(node))


def _bases(target: ast.expr) -> Iterator[ast.expr]:
    """Yield the variables of a target: that of an element is its array."""
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _bases(part)
    elif isinstance(target, ast.Starred | ast.Subscript):
        yield from _bases(target.value)
    elif _is_plain(target):
        yield target


def _is_plain(node: ast.expr) -> bool:
    """Return whether a node is a name or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _step(node: Assignment) -> CodeType | None:
    if isinstance(node, ast.AugAssign) and _is_plain(node.value):
        return compile(ast.unparse(node.value), "<step>", "eval")
    return None


def _is_addition(node: Assignment, text: str) -> bool:
    """Return whether a statement adds to a variable, or subtracts from it."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Add | ast.Sub)
    value = node.value
    return (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Add | ast.Sub)
        and text in (ast.unparse(value.left), ast.unparse(value.right))
    )


def _variables(node: ast.AST) -> set[str]:
    """Return the names and attributes in an expression."""
    return {
        ast.unparse(part)
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute) and _is_plain(part)
    }


def _conditions(loop: ast.While) -> list[ast.expr]:
    """Return the conditions that end a loop."""
    ends = [
        node.test
        for node in ast.walk(loop)
        if isinstance(node, ast.If)
        and any(isinstance(part, ast.Break | ast.Return | ast.Raise) for part in ast.walk(node))
    ]
    return [loop.test, *ends]


def _tests_around(loop: ast.While, node: ast.stmt) -> list[ast.expr]:
    """Return the tests of all statements in a loop that decide whether one of them runs."""
    around = [
        part
        for part in ast.walk(loop)
        if isinstance(part, ast.If | ast.While | ast.For | ast.Try | ast.Match)
        and part is not loop
        and any(inner is node or isinstance(inner, ast.Continue) for inner in ast.walk(part))
    ]
    tests = [part.test for part in around if isinstance(part, ast.If | ast.While)]
    return tests if len(tests) == len(around) else [ast.Yield()]  # an unknown one


def _is_pure(node: ast.AST) -> bool:
    """Return whether an expression depends on its variables alone."""
    for part in ast.walk(node):
        if isinstance(part, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            return False
        if isinstance(part, ast.Call):
            name = ast.unparse(part.func).rpartition(".")[2]
            if name not in _PURE:
                return False
    return True


# ---------------------------------------------------------------- observation


class Observation:
    """Observes the lines of the program in the thread that starts it, for a second.

    report: called once, with the answer.
    """

    def __init__(self, places: Places, mode: str, report: Callable[[Answer], None]):
        self._places, self._mode, self._report = places, mode, report
        self._counts: Counter[tuple[str, int]] = Counter()
        self._states: dict[tuple[str, int, str], _State] = {}
        self._trees: dict[str, ast.Module] = {}
        self._targets: dict[str, dict[int, list[_Target]]] = {}
        self._last: dict[FrameType, int] = {}  # line that each frame runs
        self._frames: list[FrameType] = []  # those that were traced at the start
        self._tracer: Tracer | None = None  # of the run, which passes its events on
        self._lines, self._end = 0, 0.0

    def start(self, frame: FrameType | None) -> None:
        """Observe a frame, its callers, and all that they call."""
        self._end = time.perf_counter() + SECONDS
        tracer = getattr(sys.gettrace(), "__self__", None)
        if isinstance(tracer, Tracer):
            self._tracer, tracer.observe = tracer, self._note_event
        elif sys.gettrace() is None:
            self._trace(frame)
        else:  # something of the program's own, which is left alone
            self._stop()

    def _trace(self, frame: FrameType | None) -> None:
        while frame is not None:
            if self._places.program_file(frame.f_code):
                self._frames.append(frame)
                frame.f_trace = self._follow
            frame = frame.f_back
        sys.settrace(self._enter)

    @property
    def is_lost(self) -> bool:
        """True if the observation cannot end, since its thread is traced no more."""
        return self._end > 0 and time.perf_counter() > self._end + SECONDS / 2

    def _enter(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        if time.perf_counter() > self._end:
            self._stop()
            return None
        return self._follow if self._places.program_file(frame.f_code) else None

    def _follow(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        self._note_event(frame, event)
        return self._follow if self._end else None

    def _note_event(self, frame: FrameType, event: str) -> None:
        """Note a line that is about to run, or the end of a call."""
        if not self._end:  # the observation has ended
            return
        if event != "exception":
            self._note_values(frame)
        if event == "return":
            self._last.pop(frame, None)
        elif event == "line":
            self._last[frame] = frame.f_lineno
            self._counts[self._places.program_file(frame.f_code), frame.f_lineno] += 1
            self._lines += 1
        if self._lines >= _MOST_LINES or time.perf_counter() > self._end:
            self._stop()

    def _note_values(self, frame: FrameType) -> None:
        """Note the values of the variables that a frame's last line has assigned to."""
        file = self._places.program_file(frame.f_code)
        line = self._last.get(frame, 0)
        for target in self._targets_of(file, frame.f_code).get(line, ()):
            state = self._states.setdefault((file, target.node.lineno, target.text), _State())
            try:
                value = eval(target.code, frame.f_globals, frame.f_locals)
                if target.step is not None:
                    step = eval(target.step, frame.f_globals, frame.f_locals)
                    state.has_no_step = bool(np.all(step == 0))
            except Exception:  # the assignment failed
                continue
            state.count += 1
            dtype = value.dtype if isinstance(value, np.ndarray | np.generic) else None
            state.is_half = isinstance(value, half) or (
                dtype is not None and dtype.type in (half, np.float16)
            )
            if len(state.values) <= _FEW_VALUES:
                state.values.setdefault(*_digest(value))

    def _targets_of(self, file: str, code: CodeType) -> dict[int, list[_Target]]:
        if file not in self._targets:
            by_line: dict[int, list[_Target]] = {}
            try:
                tree = ast.parse("".join(linecache.getlines(code.co_filename)))
            except (SyntaxError, ValueError):
                tree = ast.parse("")
            for target in _targets(tree):
                for line in range(target.node.lineno, (target.node.end_lineno or 0) + 1):
                    by_line.setdefault(line, []).append(target)
            self._trees[file], self._targets[file] = tree, by_line
        return self._targets[file]

    def _stop(self) -> None:
        """Trace as before, and report."""
        self._end = 0.0
        if self._tracer is not None:
            self._tracer.observe = None
        elif self._frames:
            sys.settrace(None)
            for frame in self._frames:
                frame.f_trace = None
        answer = next(iter(sorted(self._stalls(), key=lambda each: not each.is_certain)), None)
        if answer is None:
            file, line = max(self._counts, key=lambda each: self._counts[each], default=("", 0))
            answer = Answer(file, line, is_observed=True)
        self._report(answer)

    def _stalls(self) -> Iterator[Answer]:
        """Yield an answer for each loop that stalls."""
        for file, tree in self._trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.While):
                    lines = [node.test.lineno, *(part.lineno for part in node.body)]
                    passes = max(self._counts[file, line] for line in lines)
                    if passes >= _LEAST_PASSES:
                        yield from self._stall(file, node, passes)

    def _stall(self, file: str, loop: ast.While, passes: int) -> Iterator[Answer]:
        """Yield an answer if all variables that end a loop, and that it assigns to, repeat."""
        targets = list(_targets(loop))
        conditions = _conditions(loop)
        names = set().union(*map(_variables, conditions))
        own = [target for target in targets if target.text in names]
        states = [self._states.get((file, t.node.lineno, t.text)) for t in own]
        ran = [(t, s) for t, s in zip(own, states, strict=True) if s is not None and s.count]
        if not ran or not all(state.repeats for _, state in ran):
            return
        is_pure = self._mode in MODES and all(map(_is_pure, conditions))  # else chance decides
        is_certain = (
            is_pure
            and passes >= _CERTAIN_PASSES
            and self._depends_on_repeating(file, loop, targets, names)
        )
        target, state = next(((t, s) for t, s in ran if s.is_half), ran[0])
        yield Answer(
            file,
            target.node.lineno,
            self._describe(target, state, passes),
            is_observed=True,
            is_certain=is_certain and passes >= _CERTAIN_PASSES,
        )

    def _depends_on_repeating(
        self, file: str, loop: ast.While, targets: list[_Target], names: set[str]
    ) -> bool:
        """Return whether all variables repeat that variables depend on within a loop."""
        known: set[str] = set()
        while names - known:
            name = (names - known).pop()
            known.add(name)
            for target in targets:
                if target.text == name:
                    state = self._states.get((file, target.node.lineno, name))
                    value = target.node.value
                    if state is None:  # It did not run: so long as the tests around it repeat.
                        tests = _tests_around(loop, target.node)
                        if not all(map(_is_pure, tests)):
                            return False
                        names = names.union(*map(_variables, tests))
                        continue
                    if not state.repeats or value is None or not _is_pure(value):
                        return False
                    names = names | _variables(value)
        return True

    def _describe(self, target: _Target, state: _State, passes: int) -> str:
        shown = list(state.values.values())
        steps = f"in {passes:,} steps"
        if len(shown) > 1:
            return f"{target.text} repeats {len(shown)} values {steps}: {', '.join(shown[:3])}"
        note = f"{target.text} stays {shown[0]} {steps}"
        if _is_addition(target.node, target.text) and state.has_no_step:
            return f"{note}, since the step is 0"
        if _is_addition(target.node, target.text) and state.is_half and "inf" not in note:
            least = "half an ulp" if self._mode == "rte" else "an ulp"
            return f"{note}, since the step is less than {least}"
        return note


#: Letters of a value that are shown.
_MOST_LETTERS = 40


def _digest(value: object) -> tuple[object, str]:
    """Return a key that is equal for equal values, and a text that shows the value."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        shown = f"an array of {value.size} numbers" if value.size > 4 else str(value.tolist())
        return (value.shape, value.tobytes()), shown
    if isinstance(value, half | np.floating | float):
        return float(value).hex(), f"{float(value):.5g}"
    if isinstance(value, int | np.integer | str | bool | complex | None):
        return repr(value), repr(value)[:_MOST_LETTERS]
    return object(), "an object"  # whether it changes is unknown
