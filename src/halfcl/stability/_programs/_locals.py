"""What functions' variables hold when they return: "function.variable" of ``--watch``."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType

from halfcl.stability._programs._numbers import FILES
from halfcl.stability._programs._places import Places
from halfcl.stability._programs._watching import Numbers, Recorder, as_numbers


class ReturnWatcher:
    """Notes variables of the program's functions, each time that one returns, in any thread.

    Which thread comes first may differ from run to run: what each has noted stands together, in the
    order in which they were started.

    Parameters
    ----------
    places : Places
    recorder : Recorder
        Gets what was noted when it is stopped.
    names : sequence of str
        Those with a dot count: "main.x", "Solver.step.error".
    thread_number : callable
        Gives the number of the thread that it is called in.

    Attributes
    ----------
    error : str
        Of the first that has no numbers.
    """

    def __init__(
        self,
        places: Places,
        recorder: Recorder,
        names: Sequence[str],
        thread_number: Callable[[], int],
    ):
        self.error = ""
        self._places, self._recorder, self._thread_number = places, recorder, thread_number
        self._found: dict[int, list[tuple[str, Numbers]]] = {}
        self._variables: dict[str, list[str]] = {}
        for name in names:
            function, _, variable = name.rpartition(".")
            if function and f".{variable}" not in FILES:  # a file's name has a dot, too
                self._variables.setdefault(function, []).append(variable)

    def start(self) -> None:
        """From the next return on, in this thread and those that it starts."""
        if self._variables:
            threading.setprofile(self._hear)
            sys.setprofile(self._hear)

    def stop(self) -> None:
        """For good."""
        if not self._variables:
            return
        sys.setprofile(None)
        threading.setprofile(None)
        for number in sorted(self._found):
            for name, numbers in list(self._found[number]):
                self._recorder.note(name, numbers)

    def _hear(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "return":
            return
        code = frame.f_code
        for function in dict.fromkeys((code.co_qualname, code.co_name)):
            if function in self._variables and self._places.file_of(code):
                self._note(frame, function)

    def _note(self, frame: FrameType, function: str) -> None:
        values = frame.f_locals
        found = self._found.setdefault(self._thread_number(), [])
        for variable in self._variables[function]:
            if variable in values:
                name = f"{function}.{variable}"
                try:
                    found.append((name, as_numbers(values[variable], f"watch: {name!r}")))
                except TypeError as error:
                    self.error = self.error or str(error)
