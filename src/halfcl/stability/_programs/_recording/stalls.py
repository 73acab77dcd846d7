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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from types import CodeType, FrameType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from halfcl._core import MODES, half
from halfcl.stability._programs._recording.places import Places
from halfcl.stability._programs._recording.purity import EXITS, Purity, Scope, reads
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
    """Return the conditions that end a loop: its own, and those around what leaves it."""
    conditions = [loop.test]
    for node, around in _with_parents(loop):
        if isinstance(node, ast.Assert):
            conditions.append(node.test)
        if isinstance(node, ast.Break | ast.Return | ast.Raise) or _is_exit(node):
            conditions += [each.test for each in around if isinstance(each, ast.If | ast.While)]
            if any(isinstance(each, ast.Try | ast.Match) for each in around):
                conditions.append(ast.Yield())  # an unknown one
    return conditions


def _with_parents(
    node: ast.AST, around: tuple[ast.AST, ...] = ()
) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """Yield the nodes inside another one, but for those of functions, with what is around each."""
    for part in ast.iter_child_nodes(node):
        yield part, around
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _with_parents(part, (*around, part))


def _is_exit(node: ast.AST) -> bool:
    """Return whether an expression ends the program."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in EXITS


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
        self._frame_of: dict[tuple[str, int], FrameType] = {}  # that has run a line last
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
            place = self._places.program_file(frame.f_code), frame.f_lineno
            self._counts[place] += 1
            self._frame_of[place] = frame
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
        frame = self._frame_of_loop(file, loop)
        is_certain = (
            self._mode in MODES  # else chance decides
            and passes >= _CERTAIN_PASSES
            and frame is not None
            and self._is_certain(file, loop, targets, conditions, frame)
        )
        target, state = next(((t, s) for t, s in ran if s.is_half), ran[0])
        yield Answer(
            file,
            target.node.lineno,
            self._describe(target, state, passes),
            is_observed=True,
            is_certain=is_certain,
        )

    def _frame_of_loop(self, file: str, loop: ast.While) -> FrameType | None:
        lines = [loop.test.lineno, *(part.lineno for part in loop.body)]
        return next(filter(None, (self._frame_of.get((file, line)) for line in lines)), None)

    def _is_certain(
        self,
        file: str,
        loop: ast.While,
        targets: list[_Target],
        conditions: list[ast.expr],
        frame: FrameType,
    ) -> bool:
        """Return whether nothing in a loop can end it, as its variables come back unchanged."""
        scope = Scope(frame.f_locals, frame.f_globals)
        purity = Purity(lambda code: bool(self._places.program_file(code)))
        states = {
            (t.node.lineno, t.text): self._states.get((file, t.node.lineno, t.text))
            for t in targets
        }
        repeating = _Repeating(loop, targets, states, purity, scope)
        return (
            all(purity.is_pure(each, scope) for each in conditions)
            and repeating.contains(set().union(*map(reads, conditions)))
            and all(purity.is_harmless(statement, scope) for statement in loop.body)
            and not repeating.may_change()
            and not purity.may_store(loop, scope)
            and not repeating.rebinds_functions()
        )

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


class _Repeating:
    """The variables of a loop that have the same values at each pass, and those they depend on."""

    def __init__(
        self,
        loop: ast.While,
        targets: list[_Target],
        states: Mapping[tuple[int, str], _State | None],
        purity: Purity,
        scope: Scope,
    ):
        self._loop, self._targets, self._states = loop, targets, states
        self._purity, self._scope = purity, scope
        self._known: set[str] = set()
        self._sources = dict(_sources(loop))

    def contains(self, names: set[str]) -> bool:
        """Return whether variables repeat, and all that they depend on within the loop."""
        while names - self._known:
            name = (names - self._known).pop()
            self._known.add(name)
            further = self._dependencies(name)
            if further is None:
                return False
            names = names | further
        return True

    def _dependencies(self, name: str) -> set[str] | None:
        """Return what a variable depends on; None if it is not known to repeat."""
        own = [t for t in self._targets if name == t.text or name.startswith(f"{t.text}.")]
        if name in self._sources:
            source = self._sources[name]
            is_pure = source is not None and self._purity.is_pure(source, self._scope)
            if source is None or not is_pure:
                return None
            names = reads(source)
        elif not own:
            return set() if self._purity.is_constant(name, self._scope) else None
        else:
            names = set[str]()
        for target in own:
            further = self._of_assignment(target)
            if further is None:
                return None
            names |= further
        return names

    def _of_assignment(self, target: _Target) -> set[str] | None:
        state, node = self._states[target.node.lineno, target.text], target.node
        if state is None:  # It did not run: so long as the tests around it repeat.
            tests = _tests_around(self._loop, node)
            are_pure = all(self._purity.is_pure(test, self._scope) for test in tests)
            return set().union(*map(reads, tests)) if are_pure else None
        if not state.repeats or node.value is None:
            return None
        own = node.targets if isinstance(node, ast.Assign) else [node.target]
        parts = [node.value, *own]
        if not all(self._purity.is_pure(part, self._scope) for part in parts):
            return None
        return set().union(*map(reads, parts))

    def rebinds_functions(self) -> bool:
        """Return whether the loop assigns to a name that it calls."""
        calls = [part.func for part in ast.walk(self._loop) if isinstance(part, ast.Call)]
        assigned = {target.text for target in self._targets} | self._sources.keys()
        return not assigned.isdisjoint(map(ast.unparse, calls))

    def may_change(self) -> bool:
        """Return whether statements of the loop may change an array that variables depend on.

        Those that it assigns to are observed, but not where a call changes them.
        """
        values = [self._scope.value(name) for name in self._known]
        depended = [x for x in (*values, *self._purity.arrays) if isinstance(x, np.ndarray)]
        called = list(self._purity.changed_arrays(self._loop, self._scope))
        stored = [self._scope.value(target.text) for target in self._targets]
        stored = [x for x in stored if isinstance(x, np.ndarray)]
        return any(np.may_share_memory(x, y) for x in depended for y in called) or any(
            np.may_share_memory(x, y) for x in self._purity.arrays for y in stored
        )


def _sources(loop: ast.While) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the names that a loop binds otherwise: with the sequence of a `for`, or with None."""
    for part, _ in _with_parents(loop):
        if isinstance(part, ast.For):
            yield from ((name, part.iter) for name in reads(part.target))
        elif isinstance(part, ast.NamedExpr):
            yield part.target.id, None
        elif isinstance(part, ast.withitem) and part.optional_vars is not None:
            yield from ((name, None) for name in reads(part.optional_vars))
        elif isinstance(part, ast.ExceptHandler | ast.FunctionDef | ast.ClassDef):
            yield part.name or "", None
        elif isinstance(part, ast.alias):
            yield (part.asname or part.name).partition(".")[0], None


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
