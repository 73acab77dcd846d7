"""Records where a program leaves what its reference run can follow."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import FrameType

import halfcl
from halfcl.stability._programs._recording.places import Places, Unit

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

    places: finds the line of the program that is running.
    """

    def __init__(self, places: Places):
        self._places = places.line_places()
        self._reasons: dict[tuple[Unit | None, str], None] = {}
        self._questions: dict[Unit | None, None] = {}

    def note(self, reason: str) -> None:
        """Record the line of the program that is running, with a reason."""
        self._reasons.setdefault((self._places.find_unit(sys._getframe(1)), reason))

    def note_question(self) -> bool:
        """Record that the program asks whether something wide is a half; the answer is True."""
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
