"""The reference run of a program."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from halfcl._support import main_programs
from halfcl.stability._programs._recording.places import Places, Unit
from halfcl.stability._programs._reference import source
from halfcl.stability._programs._reference.leaks import Leaks, read_leaks_of_forks
from halfcl.stability._programs._reference.patches import active_readers, replaced_halves
from halfcl.stability._programs._reference.probing import Mover
from halfcl.stability._programs._reference.reading import Reader
from halfcl.stability._programs._reference.stand_in import WIDE_TYPES, stand_in_for
from halfcl.stability._programs._reference.written import (
    NOTHING,
    Written,
    digests_of_files,
    look_at,
)
from halfcl.stability._programs._running.child import Caller, Outcome, Run
from halfcl.stability._programs._running.instrumenting import compile_modules
from halfcl.stability._programs._running.scratch import Scratch

#: The file in the scratch folder that lists places of forks.
_LEAKS = "leaks"

#: The same where the program has other words than to nearest, which may be for this reason.
ASKS = "it asks whether numbers are halves"


@dataclass
class ReferenceOutcome(Outcome):
    """The outcome of a reference run.

    leaks: places where the run could not follow the program, and why. questions: places where it
    asked whether wide numbers are halves. needs_probes: whether functions of halves got numbers, so
    that probes show which results depend on these. written_before: what it had written when it was
    first left otherwise; written_before_question: when it first asked. The digests of files there
    are those of files that did not change later.
    """

    leaks: list[tuple[Unit | None, str]] = field(default_factory=list)
    questions: list[Unit | None] = field(default_factory=list)
    needs_probes: bool = False
    written_before: Written | None = None
    written_before_question: Written | None = None

    def note_leaks(self, leaks: Leaks) -> None:
        """Take over what a run has recorded."""
        self.leaks, self.questions = leaks.reasons, leaks.questions
        self.needs_probes = leaks.has_numbers
        self.written_before = leaks.written_before
        self.written_before_question = leaks.written_before_question

    def note_leaks_of_forks(self, path: str) -> None:
        """Add places that forks have found; nobody knows what was written before them."""
        places, are_numbers = read_leaks_of_forks(path)
        self.leaks = list(dict.fromkeys([*self.leaks, *places]))
        self.needs_probes = self.needs_probes or bool(places)
        if not are_numbers:
            self.written_before = NOTHING

    def keep_final_files(self, scratch: Scratch) -> None:
        """Drop files that changed after the program was left."""
        looks = self.written_before, self.written_before_question
        if not any(look is not None and look.files for look in looks):
            return
        final = digests_of_files(scratch).items()
        self.written_before, self.written_before_question = (
            look and replace(look, files=dict(look.files.items() & final)) for look in looks
        )


@dataclass(frozen=True)
class ReferenceRun(Run):
    """A request for one run in which halves are wider.

    wide: the type that they are, a key of `WIDE_TYPES`. direction: of a probe; 0 for others.
    """

    wide: str = "double"
    direction: int = 0

    @property
    def name(self) -> str:
        """The name of the run in reports."""
        return "reference"

    def new_outcome(self) -> ReferenceOutcome:
        """Return an empty outcome."""
        return ReferenceOutcome()

    def find_program(self, places: Places) -> Callable[[], None]:
        """Return a function that runs the program once, rewritten."""
        compile_modules(places.owns, source.rewrite)
        return main_programs.find_program(list(self.program), source.rewrite)

    def note_rounding(self) -> None:
        """Record that an operation rounds to half, unless a place that is recorded does so."""
        for reader in active_readers():
            reader.leaks.note_rounding()

    def new_reader(self, places: Places) -> Reader:
        """Return what converts halves in this run, with the run's stand-in for half."""
        return self._reader_with(Leaks(places))

    def _reader_with(self, leaks: Leaks) -> Reader:
        mover = Mover(self.direction) if self.direction else None
        return Reader(stand_in_for(WIDE_TYPES[self.wide]), leaks, mover)

    @contextlib.contextmanager
    def record(
        self,
        outcome: Outcome,
        places: Places,
        scratch: Scratch,
        open_file: Callable[[str, int], int],
    ) -> Iterator[Caller]:
        """Record the output of the program, and where it cannot be followed."""
        assert isinstance(outcome, ReferenceOutcome) and self.records_units
        of_forks = os.path.join(scratch.root, _LEAKS)
        leaks = Leaks(places, lambda: look_at(scratch), of_forks)
        reader = self._reader_with(leaks)
        with super().record(outcome, places, scratch, open_file) as call:

            def call_inside(function: Callable[[], None]) -> object:
                with replaced_halves(reader):
                    return call(function)

            yield call_inside
        outcome.note_leaks(leaks)
        outcome.note_leaks_of_forks(of_forks)
        outcome.keep_final_files(scratch)
