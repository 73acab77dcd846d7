"""Records the variables of a line each time before it runs: the inputs of its expressions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half
from halfcl.stability._programs._recording.places import Places

if TYPE_CHECKING:
    from _typeshed import TraceFunction

#: Limits on the recorded visits of a line, on elements of an array, and on all elements of a line.
_VISITS = 4096
_ELEMENTS = 1 << 14
_ELEMENTS_IN_ALL = 1 << 18

#: Libraries whose functions an expression may call.
_LIBRARIES = ("numpy", "halfcl", "math")


#: Types of values that are recorded.
Number: TypeAlias = NDArray[Any] | np.generic | float

#: Values of variables, by name.
Values: TypeAlias = dict[str, Number]


@dataclass(frozen=True)
class InputRequest:
    """A line, and the names whose values are recorded before it runs."""

    file: str
    line: int
    names: tuple[str, ...]


@dataclass
class Inputs:
    """Recorded inputs of lines.

    visits: for each file and line, the values by name at each visit. functions: for each file and
    line, the full names of modules and functions ("numpy", "numpy.sqrt") by their names there.
    """

    visits: dict[tuple[str, int], list[Values]] = field(default_factory=dict)
    functions: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)


def _copy_number(value: object) -> Number | None:
    """Copy a number or an array of numbers; return None for anything else."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fiub" or value.size > _ELEMENTS:
            return None
        copy = np.array(value)
        return copy.view(np.float16) if copy.dtype.type is half else copy
    if isinstance(value, half):
        return np.float16(float(value))
    if isinstance(value, np.floating | np.integer | float | int):
        return value
    return None


def _library_name(value: object) -> str:
    """Return the full name of a module or function of a library; empty for anything else."""
    if isinstance(value, ModuleType):
        return value.__name__ if value.__name__.partition(".")[0] in _LIBRARIES else ""
    name = getattr(value, "__name__", "")
    if isinstance(value, np.ufunc):
        return f"numpy.{name}"
    library = str(getattr(value, "__module__", None) or "").partition(".")[0]
    return f"{library}.{name}" if library in _LIBRARIES and callable(value) else ""


class InputTracer:
    """Records the variables of some lines before each of their visits."""

    def __init__(self, places: Places, requests: tuple[InputRequest, ...]):
        self.inputs = Inputs()
        self._places = places
        self._requested = {(r.file, r.line): r.names for r in requests}
        self._lines: dict[str, set[int]] = {}
        for r in requests:
            self._lines.setdefault(r.file, set()).add(r.line)
        self._remaining = dict.fromkeys(self._requested, _ELEMENTS_IN_ALL)

    def start(self) -> None:
        """Record from the next call of a function on."""
        sys.settrace(self._enter)

    def stop(self) -> None:
        """Stop recording."""
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        return self._follow if self._places.program_file(frame.f_code) in self._lines else None

    def _follow(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        if event == "line":
            file = self._places.program_file(frame.f_code)
            if frame.f_lineno in self._lines[file]:
                self._note(frame, (file, frame.f_lineno))
        return self._follow

    def _note(self, frame: FrameType, key: tuple[str, int]) -> None:
        visits = self.inputs.visits.setdefault(key, [])
        if len(visits) >= _VISITS or self._remaining[key] <= 0:
            return
        values: Values = {}
        for name, value in self._values(frame, self._requested[key]):
            number = _copy_number(value)
            if number is not None:
                values[name] = number
                self._remaining[key] -= int(np.size(number))
            elif function := _library_name(value):
                self.inputs.functions.setdefault(key, {})[name] = function
        visits.append(values)

    @staticmethod
    def _values(frame: FrameType, names: tuple[str, ...]) -> Iterator[tuple[str, object]]:
        for name in names:
            for scope in (frame.f_locals, frame.f_globals):
                if name in scope:
                    yield name, scope[name]
                    break
