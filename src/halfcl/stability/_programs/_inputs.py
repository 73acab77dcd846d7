"""What the variables of a line hold each time before it is run: the inputs of its expressions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half
from halfcl.stability._programs._places import Places

if TYPE_CHECKING:
    from _typeshed import TraceFunction

#: Visits of a line that are kept, and elements of an array, and of all that a line has.
_VISITS = 4096
_ELEMENTS = 1 << 14
_ELEMENTS_IN_ALL = 1 << 18

#: Libraries whose functions an expression may call.
_LIBRARIES = ("numpy", "halfcl", "math")


#: What a variable may hold.
Number: TypeAlias = NDArray[Any] | np.generic | float

#: What variables hold, by name.
Values: TypeAlias = dict[str, Number]


@dataclass(frozen=True)
class Wanted:
    """A line, and the names whose values are wanted before it is run."""

    file: str
    line: int
    names: tuple[str, ...]


@dataclass
class Inputs:
    """What was found.

    Attributes
    ----------
    visits : dict
        Of each file and line the values by name, visit by visit.
    functions : dict
        What a name of a line stands for that is a module or a function: "numpy", "numpy.sqrt".
    """

    visits: dict[tuple[str, int], list[Values]] = field(default_factory=dict)
    functions: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)


def _number(value: object) -> Number | None:
    """A copy of what is a number or an array of some; None of anything else."""
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


def _called(value: object) -> str:
    """What a module or function of a library is called; empty of anything else."""
    if isinstance(value, ModuleType):
        return value.__name__ if value.__name__.partition(".")[0] in _LIBRARIES else ""
    name = getattr(value, "__name__", "")
    if isinstance(value, np.ufunc):
        return f"numpy.{name}"
    library = str(getattr(value, "__module__", None) or "").partition(".")[0]
    return f"{library}.{name}" if library in _LIBRARIES and callable(value) else ""


class InputTracer:
    """Notes the variables of some lines, before each of their runs."""

    def __init__(self, places: Places, wanted: tuple[Wanted, ...]):
        self.inputs = Inputs()
        self._places = places
        self._wanted = {(w.file, w.line): w.names for w in wanted}
        self._lines: dict[str, set[int]] = {}
        for w in wanted:
            self._lines.setdefault(w.file, set()).add(w.line)
        self._left = dict.fromkeys(self._wanted, _ELEMENTS_IN_ALL)

    def start(self) -> None:
        """From the next call on."""
        sys.settrace(self._enter)

    def stop(self) -> None:
        """For good."""
        sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        return self._follow if self._places.file_of(frame.f_code) in self._lines else None

    def _follow(self, frame: FrameType, event: str, argument: object) -> TraceFunction | None:
        if event == "line":
            file = self._places.file_of(frame.f_code)
            if frame.f_lineno in self._lines[file]:
                self._note(frame, (file, frame.f_lineno))
        return self._follow

    def _note(self, frame: FrameType, key: tuple[str, int]) -> None:
        visits = self.inputs.visits.setdefault(key, [])
        if len(visits) >= _VISITS or self._left[key] <= 0:
            return
        values: Values = {}
        for name, value in self._values(frame, self._wanted[key]):
            number = _number(value)
            if number is not None:
                values[name] = number
                self._left[key] -= int(np.size(number))
            elif called := _called(value):
                self.inputs.functions.setdefault(key, {})[name] = called
        visits.append(values)

    @staticmethod
    def _values(frame: FrameType, names: tuple[str, ...]) -> Iterator[tuple[str, object]]:
        for name in names:
            for scope in (frame.f_locals, frame.f_globals):
                if name in scope:
                    yield name, scope[name]
                    break
