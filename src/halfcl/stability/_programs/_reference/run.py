"""The reference run of a program."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from halfcl._support import main_programs
from halfcl.stability._programs._recording.places import Places, Unit
from halfcl.stability._programs._reference import source
from halfcl.stability._programs._reference.leaks import Leaks
from halfcl.stability._programs._reference.patches import replaced_halves
from halfcl.stability._programs._reference.reading import Reader
from halfcl.stability._programs._reference.stand_in import WIDE_TYPES, stand_in_for
from halfcl.stability._programs._running.child import Caller, Outcome, Run
from halfcl.stability._programs._running.instrumenting import compile_modules

#: Why the run could not follow a program at lines that round to half.
ROUNDS = "it computes in half"

#: The same where the program has other words than to nearest, which may be for this reason.
ASKS = "it asks whether numbers are halves"


@dataclass
class ReferenceOutcome(Outcome):
    """The outcome of a reference run.

    reasons: places where the run could not follow the program, and why, except for lines that only
    round to half: these are the units of the run. questions: places where it asked whether wide
    numbers are halves.
    """

    reasons: list[tuple[Unit | None, str]] = field(default_factory=list)
    questions: list[Unit | None] = field(default_factory=list)

    @property
    def leaks(self) -> list[tuple[Unit | None, str]]:
        """The places where the run could not follow the program, and why."""
        known = {unit for unit, _ in self.reasons}
        rounding = [(unit, ROUNDS) for unit in self.units if unit not in known]
        return [*self.reasons, *rounding]


@dataclass(frozen=True)
class ReferenceRun(Run):
    """A request for one run in which halves are wider.

    wide: the type that they are, a key of `WIDE_TYPES`.
    """

    wide: str = "double"

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

    def new_reader(self, places: Places) -> Reader:
        """Return what converts halves in this run, with the run's stand-in for half."""
        return Reader(stand_in_for(WIDE_TYPES[self.wide]), Leaks(places))

    @contextlib.contextmanager
    def record(
        self, outcome: Outcome, places: Places, folder: str, open_file: Callable[[str, int], int]
    ) -> Iterator[Caller]:
        """Record the output of the program, and where it cannot be followed."""
        assert isinstance(outcome, ReferenceOutcome)
        reader = self.new_reader(places)
        assert self.records_units
        with super().record(outcome, places, folder, open_file) as call:

            def call_inside(function: Callable[[], None]) -> object:
                with replaced_halves(reader):
                    return call(function)

            yield call_inside
        outcome.reasons = reader.leaks.reasons
        outcome.questions = reader.leaks.questions
