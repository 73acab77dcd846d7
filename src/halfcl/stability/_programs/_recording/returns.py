"""Records variables of functions when these return, for ``--watch function.variable``."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType

from halfcl.stability._programs._recording.numbers import FILE_ENDINGS
from halfcl.stability._programs._recording.places import Places
from halfcl.stability._programs._recording.watching import Numbers, Recorder, as_numbers


class ReturnWatcher:
    """Records variables of the program's functions each time one returns, in any thread.

    The order of threads may differ from run to run. So the values of each thread stay together, in
    the order in which the threads were started.

    recorder: receives the values when the watcher stops. names: names to watch; only those with a
    dot count: "main.x", "Solver.step.error". thread_number: returns the number of the calling
    thread. error: the error of the first variable without numbers; empty if there is none.
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
        self._values: dict[int, list[tuple[str, Numbers]]] = {}
        self._variables: dict[str, list[str]] = {}
        for name in names:
            function, _, variable = name.rpartition(".")
            if function and f".{variable}" not in FILE_ENDINGS:  # names of files have dots, too
                self._variables.setdefault(function, []).append(variable)

    def start(self) -> None:
        """Record from the next return on, in this thread and those that it starts."""
        if self._variables:
            threading.setprofile(self._on_event)
            sys.setprofile(self._on_event)

    def stop(self) -> None:
        """Stop recording, and pass the values to the recorder."""
        if not self._variables:
            return
        sys.setprofile(None)
        threading.setprofile(None)
        for number in sorted(self._values):
            for name, numbers in list(self._values[number]):
                self._recorder.note(name, numbers)

    def _on_event(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "return":
            return
        code = frame.f_code
        for function in dict.fromkeys((code.co_qualname, code.co_name)):
            if function in self._variables and self._places.program_file(code):
                self._note(frame, function)

    def _note(self, frame: FrameType, function: str) -> None:
        values = frame.f_locals
        recorded = self._values.setdefault(self._thread_number(), [])
        for variable in self._variables[function]:
            if variable in values:
                name = f"{function}.{variable}"
                try:
                    recorded.append((name, as_numbers(values[variable], f"watch: {name!r}")))
                except TypeError as error:
                    self.error = self.error or str(error)
