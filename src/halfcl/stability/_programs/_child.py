"""What happens in the process of one run: the program, in a region, and what it says."""

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
from dataclasses import astuple, dataclass, field
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import count
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

import halfcl as hc
from halfcl._core import Experiment
from halfcl._numpy.children import put_on_path
from halfcl._support import main_programs
from halfcl.stability._programs import _protecting as protecting, _watching as watching
from halfcl.stability._programs._ending import release_program
from halfcl.stability._programs._inputs import Inputs, InputTracer, Wanted
from halfcl.stability._programs._libraries import known_imported
from halfcl.stability._programs._locals import ReturnWatcher
from halfcl.stability._programs._numbers import Written
from halfcl.stability._programs._others import Others
from halfcl.stability._programs._places import Places, Unit
from halfcl.stability._programs._scratch import Scratch, lead_into
from halfcl.stability._programs._tracing import Trace, Tracer
from halfcl.stability._programs._wording import where
from halfcl.stability._truths import ComparisonLog, ComparisonRecorder

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

#: A mode beside "random": see `Run`.
OPERATIONS = "operations"


@dataclass(frozen=True)
class Run:
    """One run that is asked for.

    Attributes
    ----------
    program : tuple of str
        As after ``python``.
    mode : str
        A rounding mode; "random", each element down or up; or "operations", each operation
        down or up as a whole, by coins of its unit: what others round does not change them.
        Of the chosen units alone where there are some.
    seed : int
        Of the coins.
    chosen : frozenset of Unit or None
        What is rounded in the mode, while all else is rounded to nearest; None for all.
    kind : str
        Of the units.
    is_asked : bool
        Whether the units that round are noted.
    is_traced : bool
        Whether its steps are followed.
    is_compared : bool
        Whether it is noted what comparisons of arrays give.
    wanted : tuple of Wanted
        Lines whose inputs are kept.
    variables : tuple of str
        Names of the program's globals, and of functions' variables, to compare.
    random_seed : int or None
        Of the program's own random numbers, where it gives none.
    """

    program: tuple[str, ...]
    mode: str = "rte"
    seed: int = 0
    chosen: frozenset[Unit] | None = None
    kind: str = "line"
    is_asked: bool = False
    is_traced: bool = False
    is_compared: bool = False
    wanted: tuple[Wanted, ...] = ()
    variables: tuple[str, ...] = ()
    random_seed: int | None = None

    @property
    def name(self) -> str:
        """The mode, as reports have it."""
        return f"random {self.seed}" if self.mode == "random" else self.mode


@dataclass
class Outcome:
    """What a run has said.

    Attributes
    ----------
    status : int
        The exit status.
    error : str
        What the program raised, if it did.
    seconds : float
        That the program took.
    watched, globals : dict
        Numbers, by name.
    units : list of Unit
        What rounded, in the order of first times.
    left : list of (Unit or None, str)
        Where half turned into another type.
    trace, inputs
        What was followed.
    truths : dict
        What comparisons of arrays gave, by the line.
    others, failed : int
        Programs that the program has started, and how many of these and of its copies ended with a
        status other than 0.
    printed : str
        Its output.
    has_errors : bool
        Whether it wrote numbers to standard error, which nobody compares.
    refusal : str
        A line on standard error that tells of a write, or a read, that the system refused.
    written : Written
        What the files hold that it wrote.
    libraries : list of (str, str)
        Modules of large libraries that are imported, and their files.
    stop : str
        What stopped it, if something did; the rest is empty then.
    """

    status: int = 0
    error: str = ""
    seconds: float = 0.0
    watched: dict[str, list[watching.Numbers]] = field(default_factory=dict)
    globals: dict[str, watching.Numbers] = field(default_factory=dict)
    units: list[Unit] = field(default_factory=list)
    left: list[tuple[Unit | None, str]] = field(default_factory=list)
    trace: Trace | None = None
    inputs: Inputs | None = None
    truths: dict[Unit | None, ComparisonLog] = field(default_factory=dict)
    others: int = 0
    failed: int = 0
    printed: str = ""
    has_errors: bool = False
    refusal: str = ""
    written: Written = field(default_factory=Written)
    libraries: list[tuple[str, str]] = field(default_factory=list)
    stop: str = ""


#: What Matplotlib draws with. Imported by it alone: it is large, and need not be there.
FIGURES = "halfcl.stability._programs._figures"

#: In the scratch folder.
OUTCOME, STDIN, STDOUT, STDERR, ASKED = "outcome", "stdin", "stdout", "stderr", "asked"
UNITS = "units"

#: What output is called beyond the length that is read.
REST_OF_OUTPUT = "the rest of output"

#: The number of a thread that the program has started, in the order of their starts; the program's
#: own has none.
_of_thread = threading.local()


def thread_number() -> int:
    """Of this thread; 0 in the program's own."""
    number: int = getattr(_of_thread, "number", 0)
    return number


class Rounding:
    """The region of a run, and the same one for each thread that the program starts.

    told: a file in which processes that are copies of this one, as multiprocessing's, tell of units
    that are not known here.
    """

    def __init__(self, run: Run, places: Places, told: str = ""):
        self._run, self._places = run, places
        self._told, self._process = told, os.getpid()
        self.units: dict[Unit, None] = {}
        self._answers: dict[int, Callable[[], str]] = {}  # by units' places in memory: fast
        self.left: dict[tuple[Unit | None, str], None] = {}
        self.truths = ComparisonRecorder(places.of_lines().find)

    def region(self, thread: int) -> Experiment:
        """A region of the thread of that number; the program's own is 0."""
        run = self._run
        asks = run.is_asked or run.chosen is not None or run.mode == OPERATIONS
        mode = "rte" if asks else run.mode
        seed = (run.seed + (thread << 32)) % (1 << 64)
        note = self._note_leaving if run.is_asked else None
        compared = self.truths.record if run.is_compared and not thread else None
        return Experiment(mode, self._decide if asks else None, note, seed, compared, steps=True)

    def _decide(self) -> str:
        unit = self._places.find(sys._getframe(1))
        answer = self._answers.get(id(unit))
        if answer is None:
            answer = self._answers[id(unit)] = self._answer(unit)
        return answer()

    def _answer(self, unit: Unit | None) -> Callable[[], str]:
        """What gives the mode of a unit's next operation."""
        run = self._run
        if unit is not None and unit not in self.units:
            self.units[unit] = None
            if self._told and os.getpid() != self._process:
                with open(self._told, "ab", buffering=0) as file:
                    file.write(f"{json.dumps(astuple(unit))}\n".encode())
        mode = run.mode if run.chosen is None or unit in run.chosen else "rte"
        if mode != OPERATIONS:
            return lambda: mode
        coins = random.Random(f"{run.seed} {unit}")
        return lambda: "rtn" if coins.random() < 0.5 else "rtp"

    def _note_leaving(self, dtype: str) -> None:
        self.left.setdefault((self._places.find(sys._getframe(1)), dtype))


def _round_in_threads(rounding: Rounding) -> None:
    """Have threads that begin from now on round as the program does."""
    numbers, start = count(1), threading.Thread.start

    def start_inside(thread: threading.Thread) -> None:
        if "run" not in vars(thread):
            number, run = next(numbers), thread.run
            region = rounding.region(number)

            def run_inside() -> None:
                _of_thread.number = number
                region.call(run, ())

            thread.run = run_inside  # type: ignore[method-assign]
        start(thread)

    threading.Thread.start = start_inside  # type: ignore[method-assign, assignment]


class _CountingInput(io.RawIOBase):
    """Standard input that keeps what was read of it, for other runs to read."""

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


def _connect(scratch: Scratch, stdin: str | None) -> None:
    """Standard streams: output to files; input from a file, or as it is, or that and copied."""
    for number, name in ((1, STDOUT), (2, STDERR)):
        file = os.open(os.path.join(scratch.root, name), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = _text_stream(1, "w", "surrogateescape")
    sys.stderr = _text_stream(2, "w", "backslashreplace")
    if stdin is None:
        raw = _CountingInput(os.path.join(scratch.root, STDIN))
        sys.stdin = io.TextIOWrapper(io.BufferedReader(raw), encoding="utf-8")
    else:
        if stdin:
            file = os.open(stdin, os.O_RDONLY)
            os.dup2(file, 0)
            os.close(file)
        sys.stdin = _text_stream(0, "r", "surrogateescape")
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))


def _seed_random_numbers(seed: int | None) -> None:
    """As a new process has them; or alike in all runs."""
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
    """Run a program in this process, which is for nothing else; write what it said.

    Parameters
    ----------
    run : Run
    scratch : Scratch
        Made already.
    stdin : str or None
        The file that standard input is; "" for what it is; None for that, where sys.stdin keeps a
        copy of what it reads.
    """
    gc.freeze()  # what this process is a copy of keeps its own files: none is flushed here
    folder = os.path.join(scratch.root, "")  # its own files, before paths are led elsewhere
    _connect(scratch, stdin)
    outcome = Outcome()
    places = Places(run.kind, (scratch.work, scratch.original))
    program = main_programs.find_program(list(run.program))
    os.environ["TMPDIR"], tempfile.tempdir = scratch.temporary, None
    os.chdir(scratch.work)
    _choose_figures()
    write, open_file = io.open, os.open
    protecting.protect(scratch, lead_into(scratch))
    protecting.pass_on(scratch)
    with _followed(run, outcome, places, folder, open_file) as region:
        region.call(lambda: _run_to_end(run, program, places, outcome), ())
    with write(folder + OUTCOME, "wb") as file:
        pickle.dump(outcome, file)


_BACKEND = f"module://{FIGURES}"


class _MatplotlibFinder(MetaPathFinder):
    """Has Matplotlib draw so as soon as it is imported.

    Its environment variable would do it, too, but in processes that the program starts as well.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As Python asks for."""
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
    """Have Matplotlib, imported already or not, show nothing, and keep what is drawn.

    Figures that are open are those of the process that this one is a copy of.
    """
    if helpers := sys.modules.get("matplotlib._pylab_helpers"):
        helpers.Gcf.figs.clear()
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].use(_BACKEND)
    else:
        sys.meta_path.insert(0, _MatplotlibFinder())


@contextlib.contextmanager
def _followed(
    run: Run, outcome: Outcome, places: Places, folder: str, open_file: Callable[[str, int], int]
) -> Iterator[Experiment]:
    """All that notes what a program does, while it runs; its files are opened by `open_file`."""
    told = os.path.join(folder, UNITS)
    rounding, recorder = Rounding(run, places, told), watching.Recorder()
    watcher = ReturnWatcher(places, recorder, run.variables, thread_number)
    others = Others(folder, open_file)
    _seed_random_numbers(run.random_seed)
    _round_in_threads(rounding)
    watching.record_to(recorder)
    hc.accelerate(children=True)
    put_on_path()
    tracer: Tracer | InputTracer | None = None
    if run.wanted:
        tracer = InputTracer(places, run.wanted)
    elif run.is_traced:
        tracer = Tracer(places)
    begin = time.perf_counter()
    watcher.start()
    if tracer is not None:
        tracer.start()
    try:
        yield rounding.region(0)
    finally:
        others.stop()
        watcher.stop()
        if tracer is not None:
            tracer.stop()
        outcome.seconds = time.perf_counter() - begin
        watching.record_to(None)
    outcome.stop = outcome.stop or watcher.error
    outcome.watched = recorder.found
    outcome.units, outcome.left = list(rounding.units), list(rounding.left)
    outcome.truths = rounding.truths.logs
    outcome.trace = tracer.trace if isinstance(tracer, Tracer) else None
    outcome.inputs = tracer.inputs if isinstance(tracer, InputTracer) else None


def _run_to_end(run: Run, program: Callable[[], None], places: Places, outcome: Outcome) -> None:
    """Run a program and what Python runs after it; note the results that end with its process."""
    older = frozenset(sys.modules)
    outcome.status, outcome.error = _ended(program)
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # it also wakes idle pools of threads
    except BaseException:
        traceback.print_exc()  # Python prints it, too, and goes on
    if "matplotlib.pyplot" in sys.modules:
        figures = importlib.import_module(FIGURES)
        figures.keep_open()
        outcome.written.unread.update(figures.not_kept)
    _take_globals(run, outcome)
    outcome.libraries = known_imported()
    atexit._run_exitfuncs()
    release_program(places, older)


def _ended(program: Callable[[], None]) -> tuple[int, str]:
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
        traceback.print_exc()
        return 1, _told(error)
    return 0, ""


def _told(error: BaseException) -> str:
    """An error in one line, with its place in the program."""
    text = traceback.format_exception_only(error)[-1].strip().splitlines()[0]
    own = Places("line")
    if isinstance(error, SyntaxError) and error.lineno and own.owns(error.filename or ""):
        return f"{where(error.filename or '', error.lineno)}: {text}"
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if own.file_of(frame.f_code):
            return f"{where(frame.f_code.co_filename, line)}: {text}"
    return text


def _take_globals(run: Run, outcome: Outcome) -> None:
    """The variables that were asked for, of those that the program has."""
    found = vars(sys.modules["__main__"])
    for name in run.variables:
        if name in found:
            try:
                outcome.globals[name] = watching.as_numbers(found[name], f"--watch {name}")
            except TypeError as error:
                outcome.stop = str(error)


def main(folder: str) -> None:
    """Of a process that was started for one run, which a file in its folder asks for."""
    with open(os.path.join(folder, ASKED), "rb") as file:
        run, scratch, stdin, parent = pickle.load(file)
    protecting.end_with(parent)
    execute(run, scratch, stdin)
    os._exit(0)
