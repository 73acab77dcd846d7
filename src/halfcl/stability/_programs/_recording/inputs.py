"""Records the inputs of expressions each time that a program computes them."""

from __future__ import annotations

import builtins
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl._core import half

#: Limits on the recorded visits of an expression, on elements of an array that is recorded whole,
#: on those of a sample of a larger one, and on all elements.
_VISITS = 4096
_ELEMENTS = 1 << 14
_SAMPLE = 1 << 10
_ELEMENTS_IN_ALL = 1 << 18
#: Limits on the elements of a list, and on the functions whose inputs are noted at a time.
_LENGTH, _FRAMES = 1 << 12, 1 << 12


#: Types of values that are recorded.
Number: TypeAlias = NDArray[Any] | np.generic | float

#: Stands for None among inputs: for the axis of a reduction of all elements.
NONE: NDArray[np.object_] = np.array(None, object)

#: Values of inputs, by name.
Values: TypeAlias = dict[str, Number]

#: A file, and the number of a node in its syntax tree: its index in `ast.walk`.
Place: TypeAlias = tuple[str, int]

#: The names of a recorded expression's own value, and of the sum before it is added.
RESULT, TOTAL = "result", "total"


@dataclass(frozen=True)
class InputRequest:
    """An expression whose inputs are recorded.

    node: its number in the file. atoms: names and numbers of its inputs. total: the source of a
    variable that is recorded, too, before the expression is added to it; empty for others.
    definitions: the numbers of expressions whose last visit is recorded, too.
    """

    file: str
    node: int
    atoms: tuple[tuple[str, int], ...] = ()
    total: str = ""
    definitions: tuple[int, ...] = ()


@dataclass
class Visit:
    """The inputs of an expression at one visit, and the last visits of its definitions.

    shapes: the shapes of large arrays, by name, of which the values are samples: elements at
    regular intervals, in one dimension.
    """

    values: Values
    definitions: dict[int, Values] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass
class Inputs:
    """Recorded inputs of expressions.

    visits: in the order of the run. types: the names of the types of inputs, by name: "float16" and
    "half" for arrays and scalars, others as NumPy calls them, and "list" for lists of such.
    """

    visits: dict[Place, list[Visit]] = field(default_factory=dict)
    types: dict[Place, dict[str, set[str]]] = field(default_factory=dict)


def _copy_number(value: object) -> Number | None:
    """Copy a number, an array of numbers or a list of them; return None for anything else."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fiub":
            return None
        copy = np.array(_sample(value), value.dtype.newbyteorder("="))
        return copy.view(np.float16) if copy.dtype.type is half else copy
    if isinstance(value, half):
        return np.float16(float(value))
    if isinstance(value, np.floating | np.integer | np.bool | float | int):
        return value
    return _copy_list(value) if isinstance(value, list | tuple) else None


def _sample(value: NDArray[Any]) -> NDArray[Any]:
    """Return elements of a large array at regular intervals, and a small array as it is."""
    if value.size <= _ELEMENTS:
        return value
    return value.flat[:: -(-value.size // _SAMPLE) | 1]  # odd: not one column of an image


def _copy_list(values: Sequence[object]) -> Number | None:
    """Copy a list of halves as an array; return None for any other list."""
    if not 0 < len(values) <= _LENGTH or type_of(values[0]) not in ("float16", "half"):
        return None
    parts = [np.asarray(_copy_number(value)) for value in values]
    if len({part.shape for part in parts}) > 1 or any(x.dtype != np.float16 for x in parts):
        return None
    return np.array(parts, np.float16)


def type_of(value: object) -> str:
    """Return the name of a value's type as `Inputs` describes it."""
    if isinstance(value, np.ndarray | np.generic):
        return "half" if value.dtype.type is half else str(value.dtype.newbyteorder("="))
    if isinstance(value, half):
        return "half"
    return "list" if isinstance(value, list | tuple) else type(value).__name__


#: Names of the recorder's functions, among the built-in ones. Python does not mangle such names.
NOTE, END = "__halfcl_note__", "__halfcl_end__"


class InputRecorder:
    """Records inputs: instrumented code calls `note` with them, and `end` with each result."""

    def __init__(self, requests: Sequence[InputRequest]):
        self.inputs = Inputs()
        self._requests = list(requests)
        self._remaining = [_ELEMENTS_IN_ALL] * len(requests)
        self._strides, self._counts = [1] * len(requests), [0] * len(requests)
        #: Inputs by the id of the frame that computes them, so that recursion does not mix them.
        self._noted: dict[int, dict[Place, object]] = {}
        self._last: dict[Place, dict[str, object]] = {}
        self._lock = threading.Lock()

    def install(self) -> None:
        """Put the recorder's functions among the built-in ones."""
        for name, function in ((NOTE, self.note), (END, self.end)):
            setattr(builtins, name, function)

    @staticmethod
    def uninstall() -> None:
        """Remove the functions again."""
        for name in (NOTE, END):
            if hasattr(builtins, name):
                delattr(builtins, name)

    def note(self, file: str, node: int, value: object) -> object:
        """Note the value of an input, and return it."""
        frame = id(sys._getframe(1))
        if frame not in self._noted and len(self._noted) >= _FRAMES:
            self._noted.pop(next(iter(self._noted)))  # the oldest, which has probably ended
        self._noted.setdefault(frame, {})[file, node] = value
        return value

    def end(self, number: int, value: object, total: object = None) -> object:
        """Record a visit of a request's expression, whose value is returned."""
        request = self._requests[number]
        place = request.file, request.node
        noted = self._noted.get(id(sys._getframe(1)), {})
        places = {name: (request.file, node) for name, node in request.atoms}
        values = {name: noted[key] for name, key in places.items() if key in noted}
        values |= {RESULT: value, TOTAL: total}
        self._last[place] = values
        self._counts[number] += 1
        if self._counts[number] % self._strides[number] == 0:
            with self._lock:
                self._record(number, place, values)
        return value

    def _record(self, number: int, place: Place, values: dict[str, object]) -> None:
        visits = self.inputs.visits.setdefault(place, [])
        request = self._requests[number]
        if len(visits) >= _VISITS or self._remaining[number] <= 0:
            if request.total:
                return  # a sum needs consecutive visits
            self._strides[number] *= 2
            kept = visits[::2]
            self._remaining[number] += sum(map(_size, visits)) - sum(map(_size, kept))
            visits[:] = kept
            if self._remaining[number] <= 0:
                return
        types = self.inputs.types.setdefault(place, {})
        for name, value in values.items():
            types.setdefault(name, set()).add(type_of(value))
        last = {
            node: _copy_values(self._last[request.file, node])
            for node in request.definitions
            if (request.file, node) in self._last
        }
        holders = [values, *(self._last.get((request.file, n), {}) for n in request.definitions)]
        shapes = {
            name: value.shape
            for holder in holders
            for name, value in holder.items()
            if isinstance(value, np.ndarray) and value.size > _ELEMENTS
        }
        visits.append(Visit(_copy_values(values), last, shapes))
        self._remaining[number] -= _size(visits[-1])


def _copy_values(values: dict[str, object]) -> Values:
    copies = {
        name: NONE if value is None and name not in (RESULT, TOTAL) else _copy_number(value)
        for name, value in values.items()
    }
    return {name: copy for name, copy in copies.items() if copy is not None}


def _size(visit: Visit) -> int:
    return sum(int(np.size(x)) for values in (visit.values, *visit.definitions.values())
               for x in values.values())  # fmt: skip
