"""What functions' variables hold when they return: "function.variable" of ``--watch``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType

from halfcl.stability._programs._numbers import FILES
from halfcl.stability._programs._places import Places
from halfcl.stability._programs._watching import Recorder


class ReturnWatcher:
    """Notes variables of the program's functions, each time that one returns.

    Parameters
    ----------
    places : Places
    recorder : Recorder
    names : sequence of str
        Those with a dot count: "main.x", "Solver.step.error".

    Attributes
    ----------
    error : str
        Of the first that has no numbers.
    """

    def __init__(self, places: Places, recorder: Recorder, names: Sequence[str]):
        self.error = ""
        self._places, self._recorder = places, recorder
        self._variables: dict[str, list[str]] = {}
        for name in names:
            function, _, variable = name.rpartition(".")
            if function and f".{variable}" not in FILES:  # a file's name has a dot, too
                self._variables.setdefault(function, []).append(variable)

    def start(self) -> None:
        """From the next return on, in this thread."""
        if self._variables:
            sys.setprofile(self._hear)

    def stop(self) -> None:
        """For good."""
        if self._variables:
            sys.setprofile(None)

    def _hear(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "return":
            return
        code = frame.f_code
        for function in dict.fromkeys((code.co_qualname, code.co_name)):
            if function in self._variables and self._places.file_of(code):
                self._note(frame, function)

    def _note(self, frame: FrameType, function: str) -> None:
        values = frame.f_locals
        for variable in self._variables[function]:
            if variable in values:
                try:
                    self._recorder.note(f"{function}.{variable}", values[variable])
                except TypeError as error:
                    self.error = self.error or str(error)
