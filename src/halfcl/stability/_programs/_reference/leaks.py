"""Records where a program leaves what its reference run can follow, and what it had written then.

There are two kinds of such places. At the one, a function of halves returns a number that is about
right: two more runs move it, and show which results depend on it (see `probing`). At the other,
nothing is known of what follows, as of another process, of bits, or of numbers that are halves
already: all that the program writes later may depend on it, and nothing that it has written before.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from dataclasses import astuple
from types import FrameType

import halfcl
from halfcl.stability._programs._recording.places import Places, Unit
from halfcl.stability._programs._reference.written import NOTHING, Written

#: Why the run could not follow a program at lines that round to half.
ROUNDS = "it computes in half"

#: Folders of code that starts processes for its caller: Python's own modules, and halfcl's.
_SKIPPED = (
    "<",
    *(
        os.path.join(path, "")
        for path in (sysconfig.get_path("stdlib"), os.path.dirname(halfcl.__file__))
    ),
)


class Leaks:
    """The places where values in a reference run became halves, or their bytes were used.

    places: finds the line of the program that is running. look: returns what the program has
    written so far. file: receives the places that forks of this process find, such as those of
    multiprocessing; empty if nobody reads them.
    """

    def __init__(
        self, places: Places, look: Callable[[], Written] = lambda: NOTHING, file: str = ""
    ):
        self._places, self._look = places.line_places(), look
        self._file, self._process = file, os.getpid()
        self._reasons: dict[tuple[Unit | None, str], None] = {}
        self._questions: dict[Unit | None, None] = {}
        self._thread = (
            threading.local()
        )  # `is_known`: see `ignore_roundings`; `is_looking`: `_look_now`
        #: What the program had written when it was first left, but for functions of halves; and
        #: when it first asked whether something is a half. None if it did not.
        self.written_before: Written | None = None
        self.written_before_question: Written | None = None
        #: Whether numbers went through functions of halves.
        self.has_numbers = False

    def note(self, reason: str) -> None:
        """Record the line of the program that is running, after which nothing is known."""
        if getattr(self._thread, "is_looking", False):
            return
        if self.written_before is None:
            self.written_before = self._look_now().until(self.written_before)
        self._note(reason, is_number=False)

    def note_numbers(self, reason: str) -> None:
        """Record the line of the program that is running, which calls a function of halves."""
        self.has_numbers = True
        self._note(reason, is_number=True)

    def note_rounding(self) -> None:
        """Record the line of the program that is running, where an operation rounds to half."""
        if not getattr(self._thread, "is_known", False):
            self.note(ROUNDS)

    @contextlib.contextmanager
    def ignore_roundings(self) -> Iterator[None]:
        """Record no roundings of this thread, since they belong to a place that is recorded."""
        before = getattr(self._thread, "is_known", False)
        self._thread.is_known = True
        try:
            yield
        finally:
            self._thread.is_known = before

    def _note(self, reason: str, is_number: bool) -> None:
        unit = self._places.find_unit(sys._getframe(2))
        if is_number is False and reason == ROUNDS and any(unit == one for one, _ in self._reasons):
            return  # The line is named for another reason already.
        is_new = (unit, reason) not in self._reasons
        self._reasons.setdefault((unit, reason))
        if is_new and self._file and os.getpid() != self._process:
            text = json.dumps([None if unit is None else astuple(unit), reason, is_number])
            with open(self._file, "ab", buffering=0) as file:
                file.write(f"{text}\n".encode())

    def _look_now(self) -> Written:
        """Return what the program has written; reading its files is none of its own steps."""
        self._thread.is_looking = True
        try:
            return self._look()
        finally:
            self._thread.is_looking = False

    def note_question(self) -> bool:
        """Record that the program asks whether something wide is a half; the answer is True."""
        if self.written_before_question is None:
            self.written_before_question = self._look_now().until(self.written_before_question)
        self._questions.setdefault(self._places.find_unit(sys._getframe(1)))
        return True

    def note_process(self) -> None:
        """Record that the program starts a process; libraries do so for reasons of their own."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_SKIPPED):
            frame = frame.f_back
        if frame is not None and self._places.program_file(frame.f_code):
            self.note("it starts other processes")

    def is_called_by_program(self) -> bool:
        """Return whether the caller of the calling function is code of the program."""
        return bool(self._places.program_file(sys._getframe(2).f_code))

    @property
    def questions(self) -> list[Unit | None]:
        """The places where the program asked whether something is a half."""
        return list(self._questions)

    @property
    def reasons(self) -> list[tuple[Unit | None, str]]:
        """The places and reasons in the order in which they were first recorded."""
        return list(self._reasons)


def read_leaks_of_forks(path: str) -> tuple[list[tuple[Unit | None, str]], bool]:
    """Return the places that forks found, and whether all of them are numbers that went on."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    except OSError:
        return [], True
    places = [(None if unit is None else Unit(*unit), reason) for unit, reason, _ in lines]
    return places, all(is_number for *_, is_number in lines)
