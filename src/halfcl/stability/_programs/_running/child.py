"""One run in its own process: runs the program in a region, and records its output."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import importlib.util
import io
import json
import os
import pickle
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import astuple, dataclass, field
from functools import cached_property
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import count
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

import halfcl as hc
from halfcl._core import Experiment, InstructionModes
from halfcl._numpy.children import put_on_path
from halfcl._support import main_programs
from halfcl.stability._array_comparisons import ComparisonLog, ComparisonRecorder
from halfcl.stability._measures import Scale
from halfcl.stability._observing.nonfinite import NotFinite, NotFiniteRecorder
from halfcl.stability._programs._recording import watching
from halfcl.stability._programs._recording.inputs import InputRequest, Inputs
from halfcl.stability._programs._recording.numbers import FileContents
from halfcl.stability._programs._recording.places import Places, Unit
from halfcl.stability._programs._recording.processes import ProcessCounter
from halfcl.stability._programs._recording.returns import ReturnWatcher
from halfcl.stability._programs._recording.stalls import Answerer
from halfcl.stability._programs._recording.tracing import Trace, Tracer
from halfcl.stability._programs._running import protecting
from halfcl.stability._programs._running.ending import release_program
from halfcl.stability._programs._running.instrumenting import Edit, Instrumentation
from halfcl.stability._programs._running.libraries import imported_libraries
from halfcl.stability._programs._running.scratch import Scratch, redirect_into
from halfcl.stability._programs._wording import location

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_Value = TypeVar("_Value")

#: Calls a function where the run's settings apply.
Caller: TypeAlias = Callable[[Callable[[], None]], object]

#: A rounding mode, or a function that returns the mode of the next operation.
ModeSource: TypeAlias = str | Callable[[], str]

#: Modes in which each operation rounds down or up as a whole: see `Run`.
OPERATIONS, OPPOSITE = "operations", "opposite operations"
DIRECTIONS = {OPERATIONS: ("rtn", "rtp"), OPPOSITE: ("rtp", "rtn")}

#: How numbers become halves there: equal ones become equal halves, and other ones in the opposite.
_DIRECTION_OF_NUMBERS = {OPERATIONS: 1, OPPOSITE: -1}


@dataclass(frozen=True)
class Run:
    """A request for one run."""

    program: tuple[str, ...]  # the program and its arguments, as they follow ``python``
    #: A rounding mode; "random", which rounds each element down or up; or "operations", which
    #: rounds each operation down or up as a whole, with random numbers of its unit that do not
    #: depend on other units; or "opposite operations", which rounds each the other way.
    mode: str = "rte"
    seed: int = 0  # of these random numbers
    #: The units that round in the mode, while all others round to nearest; None for all.
    chosen_units: frozenset[Unit] | None = None
    kind: str = "line"  # of the units: see `KINDS`
    records_units: bool = False  # those that round
    records_not_finite: bool = False  # operations that make infinities and NaNs
    is_traced: bool = False  # step by step
    records_comparisons: bool = False  # of arrays
    input_requests: tuple[InputRequest, ...] = ()  # expressions whose inputs are recorded
    edits: tuple[Edit, ...] = ()  # changes of the program's files
    variables: tuple[str, ...] = ()  # global ones and those of functions that are compared
    random_seed: int | None = None  # of the program's own random numbers where it sets none

    @property
    def name(self) -> str:
        """The name of the run in reports."""
        return f"random {self.seed}" if self.mode == "random" else self.mode

    def find_program(self, places: Places) -> Callable[[], None]:
        """Return a function that runs the program once."""
        if not (self.input_requests or self.edits):
            return main_programs.find_program(list(self.program))
        return main_programs.find_program(list(self.program), self.instrumentation.install(places))

    @cached_property
    def instrumentation(self) -> Instrumentation:
        """The changes of the program's files, and the recorder of its inputs."""
        return Instrumentation(self.input_requests, self.edits)

    def new_outcome(self) -> Outcome:
        """Return an empty outcome."""
        return Outcome()

    def note_rounding(self) -> None:
        """Note that an instruction rounds to half; it is new, or code of a library."""

    def record(
        self,
        outcome: Outcome,
        places: Places,
        scratch: Scratch,
        open_file: Callable[[str, int], int],
    ) -> AbstractContextManager[Caller]:
        """Return a context that records what a program does, and yields what calls the program.

        open_file: opens files without redirection.
        """
        return _record_run(self, outcome, places, os.path.join(scratch.root, ""), open_file)


@dataclass
class Outcome:
    """The output of a run, and what was recorded of it."""

    status: int = 0  # the exit status
    error: str = ""  # the exception that the program raised, in one line
    seconds: float = 0.0
    watched: dict[str, list[watching.Numbers]] = field(default_factory=dict)  # by name
    scales: dict[str, Scale] = field(default_factory=dict)  # of watched results, by name
    globals: dict[str, watching.Numbers] = field(default_factory=dict)  # by name
    units: list[Unit] = field(default_factory=list)  # in the order in which they first rounded
    #: The units that promoted half to another type, and that type.
    promotions: list[tuple[Unit | None, str]] = field(default_factory=list)
    trace: Trace | None = None
    inputs: Inputs | None = None
    truths: dict[Unit | None, ComparisonLog] = field(default_factory=dict)  # by line
    #: By line: the first operations that made infinities or NaNs, in their order.
    not_finite: list[NotFinite[Unit | None]] = field(default_factory=list)
    started: int = 0  # number of other processes that the program started
    failed: int = 0  # how many of these and of its forks ended with a status other than 0
    printed: str = ""  # on standard output
    has_errors: bool = False  # whether numbers are on standard error, which are not compared
    refusal: str = ""  # the first line on standard error that reports a refused write or read
    last_errors: str = ""  # the end of standard error
    files: FileContents = field(default_factory=FileContents)  # those that it wrote
    #: The imported modules of large libraries, and their files.
    libraries: list[tuple[str, str]] = field(default_factory=list)
    stop_reason: str = ""  # what stopped the run, if anything; then the other fields are empty


#: The module with the Matplotlib backend. Only Matplotlib imports it, since Matplotlib is large and
#: optional.
FIGURES_MODULE = "halfcl.stability._programs._recording.figures"

#: Names of files in the scratch folder.
OUTCOME, STDIN, STDOUT, STDERR, RUN_FILE = "outcome", "stdin", "stdout", "stderr", "run"
UNITS = "units"

#: The name in reports of output beyond the length that is read.
REST_OF_OUTPUT = "the rest of output"

#: Holds the number of each thread that the program has started, in the order of their starts.
_thread_data = threading.local()


def thread_number() -> int:
    """Return the number of this thread; 0 is the main thread."""
    number: int = getattr(_thread_data, "number", 0)
    return number


class Rounding:
    """The rounding regions of a run: one for the main thread and each thread that it starts.

    units_file: a file in which forks of this process, such as those of multiprocessing, record
    units that this process has not recorded.
    """

    def __init__(self, run: Run, places: Places, units_file: str = ""):
        self._run, self._places = run, places
        self._units_file, self._process = units_file, os.getpid()
        self.units: dict[Unit, None] = {}
        self._mode_sources: dict[Unit | None, ModeSource] = {}
        self.promotions: dict[tuple[Unit | None, str], None] = {}
        lines = places.line_places()
        self.truths = ComparisonRecorder(lines.find_unit, places.is_to_show)
        self.not_finite = NotFiniteRecorder(lines.find_unit, places.is_to_show)

    def region(self, thread: int) -> Experiment:
        """Return a region for the thread with this number; 0 is the main thread."""
        run = self._run
        has_decisions = run.records_units or run.chosen_units is not None or run.mode in DIRECTIONS
        mode = "rte" if has_decisions else run.mode
        seed = (run.seed + (thread << 32)) % (1 << 64)
        note = self._note_promotion if run.records_units else None
        compared = self.truths.record if run.records_comparisons and not thread else None
        decide = InstructionModes(self._find_source) if has_decisions else None
        not_finite = self.not_finite.record if run.records_not_finite else None
        return Experiment(
            mode, decide, note, seed, compared, steps=True, casts=True, not_finite=not_finite,
            numbers=_DIRECTION_OF_NUMBERS.get(run.mode, 0),
        )  # fmt: skip

    def call(self, thread: int, function: Callable[[], _Value]) -> _Value:
        """Return the value of a function, called in the region of a thread."""
        with self.not_finite.watching() if self._run.records_not_finite else nullcontext():
            return self.region(thread).call(function, ())

    def record_in(self, outcome: Outcome) -> None:
        """Add to an outcome what was recorded."""
        outcome.units, outcome.promotions = list(self.units), list(self.promotions)
        outcome.truths, outcome.not_finite = self.truths.logs, self.not_finite.records

    def _find_source(self, frame: FrameType) -> tuple[ModeSource, bool]:
        """Return the mode source of a frame's unit, and whether its instruction always has it.

        An instruction of a library belongs to the unit that has called the library. What only
        shows numbers rounds to nearest.
        """
        if self._places.is_to_show(frame):
            return "rte", False
        self._run.note_rounding()
        unit = self._places.find_unit(frame)
        source = self._mode_sources.get(unit)
        if source is None:
            source = self._mode_sources[unit] = self._mode_source(unit)
        return source, bool(self._places.program_file(frame.f_code))

    def _mode_source(self, unit: Unit | None) -> ModeSource:
        """Return the mode of a unit's operations, or a function that gives it for the next one."""
        run = self._run
        if unit is not None and unit not in self.units:
            self.units[unit] = None
            if self._units_file and os.getpid() != self._process:
                with open(self._units_file, "ab", buffering=0) as file:
                    file.write(f"{json.dumps(astuple(unit))}\n".encode())
        mode = run.mode if run.chosen_units is None or unit in run.chosen_units else "rte"
        if mode not in DIRECTIONS:
            return mode
        low, high = DIRECTIONS[mode]
        numbers = random.Random(f"{run.seed} {unit}")
        return lambda: low if numbers.random() < 0.5 else high

    def _note_promotion(self, dtype: str) -> None:
        self.promotions.setdefault((self._places.find_unit(sys._getframe(1)), dtype))


def _round_in_threads(rounding: Rounding) -> None:
    """Run threads that start from now on in a region of the run's mode."""
    numbers, start = count(1), threading.Thread.start

    def start_inside(thread: threading.Thread) -> None:
        if "run" not in vars(thread):
            number, run = next(numbers), thread.run

            def run_inside() -> None:
                _thread_data.number = number
                rounding.call(number, run)

            thread.run = run_inside  # type: ignore[method-assign]
        start(thread)

    threading.Thread.start = start_inside  # type: ignore[method-assign, assignment]


class _CopyingInput(io.RawIOBase):
    """Standard input that copies what is read to a file, for other runs to read."""

    def __init__(self, path: str):
        self._copy = io.FileIO(path, "wb")

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 0

    def isatty(self) -> bool:
        return os.isatty(0)

    def readinto(self, buffer: WriteableBuffer) -> int:
        with memoryview(buffer) as view:
            data = os.read(0, len(view))
            view[: len(data)] = data
        self._copy.write(data)
        return len(data)


def _text_stream(number: int, mode: str, errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        open(number, f"{mode}b", closefd=False), encoding="utf-8", errors=errors
    )


def _connect_standard_streams(scratch: Scratch, stdin: str | None) -> None:
    """Connect the standard streams: output to files, input as `execute` describes `stdin`."""
    for number, name in ((1, STDOUT), (2, STDERR)):
        file = os.open(os.path.join(scratch.root, name), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = _text_stream(1, "w", "surrogateescape")
    sys.stderr = _text_stream(2, "w", "backslashreplace")
    if stdin is None:
        raw = _CopyingInput(os.path.join(scratch.root, STDIN))
        sys.stdin = io.TextIOWrapper(io.BufferedReader(raw), encoding="utf-8")
    else:
        if stdin:
            file = os.open(stdin, os.O_RDONLY)
            os.dup2(file, 0)
            os.close(file)
        sys.stdin = _text_stream(0, "r", "surrogateescape")
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))


def seed_random_numbers(seed: int | None) -> None:
    """Seed the generators of random numbers, with fresh entropy if there is no seed."""
    random.seed(seed)
    np.random.seed(None if seed is None else seed % (1 << 32))  # noqa: NPY002
    if seed is None:
        return
    generator: Callable[..., np.random.Generator] = np.random.default_rng
    calls = count(seed)

    def default_rng(seed: object = None) -> np.random.Generator:
        return generator(next(calls) if seed is None else seed)

    np.random.default_rng = default_rng


def execute(run: Run, scratch: Scratch, stdin: str | None) -> None:
    """Run a program in this process, which does nothing else, and write its outcome.

    scratch: its folder exists already. stdin: the file to read as standard input; "" to leave
    standard input as it is; None for the same with a `sys.stdin` that copies what it reads.
    """
    gc.freeze()  # open files of the parent process stay its own: none is flushed here
    folder = os.path.join(scratch.root, "")  # for files opened without redirection
    _connect_standard_streams(scratch, stdin)
    outcome = run.new_outcome()
    places = Places(run.kind, (scratch.work, scratch.original))
    program = run.find_program(places)
    os.environ["TMPDIR"], tempfile.tempdir = scratch.temporary, None
    os.chdir(scratch.work)
    _choose_figures()
    write, open_file = io.open, os.open
    protecting.protect(scratch, redirect_into(scratch))
    protecting.protect_children(scratch)
    Answerer(places, run.mode, folder, open_file).start()
    with run.record(outcome, places, scratch, open_file) as call:
        call(lambda: _run_to_end(run, program, places, outcome))
    with write(folder + OUTCOME, "wb") as file:
        pickle.dump(outcome, file)


_BACKEND = f"module://{FIGURES_MODULE}"


class _MatplotlibFinder(MetaPathFinder):
    """Chooses the backend as soon as Matplotlib is imported.

    Matplotlib's environment variable would also affect processes that the program starts.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of Matplotlib, extended to choose the backend; None for other modules."""
        if fullname != "matplotlib":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_choose(module: ModuleType) -> None:
                execute(module)
                module.use(_BACKEND)

            spec.loader.exec_module = execute_and_choose  # type: ignore[method-assign]
        return spec


def _choose_figures() -> None:
    """Choose the backend that records figures, now or as soon as Matplotlib is imported.

    Figures that are open already belong to the parent process, and are closed.
    """
    if helpers := sys.modules.get("matplotlib._pylab_helpers"):
        helpers.Gcf.figs.clear()
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].use(_BACKEND)
    else:
        sys.meta_path.insert(0, _MatplotlibFinder())


@contextlib.contextmanager
def _record_run(
    run: Run, outcome: Outcome, places: Places, folder: str, open_file: Callable[[str, int], int]
) -> Iterator[Caller]:
    """Record what a program does while it runs; `open_file` opens files without redirection."""
    units_file = os.path.join(folder, UNITS)
    rounding, recorder = Rounding(run, places, units_file), watching.Recorder()
    watcher = ReturnWatcher(places, recorder, run.variables, thread_number)
    counter = ProcessCounter(folder, open_file)
    seed_random_numbers(run.random_seed)
    _round_in_threads(rounding)
    watching.record_to(recorder)
    hc.accelerate(children=True)
    put_on_path()
    tracer = Tracer(places) if run.is_traced else None
    watcher.start()
    if tracer is not None:
        tracer.start()
    try:
        yield lambda function: rounding.call(0, function)
    finally:
        counter.stop()
        watcher.stop()
        if tracer is not None:
            tracer.stop()
        watching.record_to(None)
    outcome.stop_reason = outcome.stop_reason or watcher.error
    outcome.watched, outcome.scales = recorder.numbers, recorder.scales
    rounding.record_in(outcome)
    outcome.trace = tracer.trace if tracer is not None else None
    if run.input_requests:
        outcome.inputs = run.instrumentation.recorder.inputs


def _run_to_end(run: Run, program: Callable[[], None], places: Places, outcome: Outcome) -> None:
    """Run a program and what Python runs at its exit; record results that end with the process."""
    older, begin = frozenset(sys.modules), time.perf_counter()
    outcome.status, outcome.error = _run_program(program)
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # it also wakes idle pools of threads
    except BaseException:
        traceback.print_exc()  # as Python does, which then continues
    outcome.seconds = time.perf_counter() - begin
    if "matplotlib.pyplot" in sys.modules:
        figures = importlib.import_module(FIGURES_MODULE)
        figures.record_open_figures()
        outcome.files.unread.update(figures.skipped_figures)
    _record_globals(run, outcome)
    outcome.libraries = imported_libraries(older)
    atexit._run_exitfuncs()
    release_program(places, older)


def _run_program(program: Callable[[], None]) -> tuple[int, str]:
    """Run a program; return its exit status and its error."""
    try:
        program()
    except SystemExit as leaving:
        code = leaving.code
        if code is None or isinstance(code, int):
            return (code or 0) & 0xFF, ""
        print(code, file=sys.stderr)
        return 1, str(code)
    except BaseException as error:
        frames = main_programs.program_frames(error, [__file__])
        traceback.print_exception(type(error), error, frames)
        return 1, _describe_error(error)
    return 0, ""


def _describe_error(error: BaseException) -> str:
    """Describe an exception in one line, with its line in the program."""
    text = traceback.format_exception_only(error)[-1].strip().splitlines()[0]
    own = Places("line")
    if isinstance(error, SyntaxError) and error.lineno and own.owns(error.filename or ""):
        return f"{location(error.filename or '', error.lineno)}: {text}"
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if own.program_file(frame.f_code):
            return f"{location(frame.f_code.co_filename, line)}: {text}"
    return text


def _record_globals(run: Run, outcome: Outcome) -> None:
    """Record the requested global variables that the program has."""
    variables = vars(sys.modules["__main__"])
    for name in run.variables:
        if name in variables:
            try:
                outcome.globals[name] = watching.as_numbers(variables[name], f"--watch {name}")
            except TypeError as error:
                outcome.stop_reason = str(error)


def main(folder: str) -> None:
    """Run in a process that was started for the one run that a file in its folder describes."""
    with open(os.path.join(folder, RUN_FILE), "rb") as file:
        run, scratch, stdin, parent = pickle.load(file)
    protecting.end_with_parent(parent)
    execute(run, scratch, stdin)
    os._exit(0)
