"""NumPy's structural functions, which move, repeat, select or join elements and compute nothing.

An array that consists of several applies such a function to each of them. The table says which
arguments are arrays of elements; all others say where elements go.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from halfcl._support.duck_arrays.base import Args, Function, Keywords

#: Names of functions, and their parameters except keyword-only ones, in NumPy's order. ``a*`` is an
#: array of elements, ``a+`` a sequence of them, ``a++`` a nested one, ``a!`` is written to. ``*a``
#: stands for any number of arrays, ``=a*`` for a keyword-only one. Names with a dot belong to a
#: module of NumPy.
_TABLE = """
reshape                                  a* shape order
ravel                                    a* order
transpose                                a* axes
matrix_transpose linalg.matrix_transpose x*
swapaxes                                 a* axis1 axis2
moveaxis                                 a* source destination
rollaxis                                 a* axis start
squeeze expand_dims                      a* axis
broadcast_to                             array* shape subok
take                                     a* indices axis out mode
take_along_axis                          arr* indices axis
compress                                 condition a* axis out
extract                                  condition arr*
repeat                                   a* repeats axis
tile                                     A* reps
roll                                     a* shift axis
rot90                                    m* k axes
flip                                     m* axis
fliplr flipud                            m*
split array_split                        ary* indices_or_sections axis
hsplit vsplit dsplit                     ary* indices_or_sections
unstack                                  x*
delete                                   arr* obj axis
diagonal                                 a* offset axis1 axis2
linalg.diagonal                          x*
diag diagflat                            v* k
tril triu                                m* k
copy                                     a* order subok
resize                                   a* new_shape
lib.stride_tricks.sliding_window_view    x* window_shape axis
insert                                   arr* obj values* axis
append                                   arr* values* axis
pad                                      array* pad_width mode =constant_values*
where                                    condition x* y*
select                                   condlist choicelist+ default*
choose                                   a choices+ out mode
full_like                                a* fill_value* dtype order subok shape
concatenate stack                        arrays+ axis out
hstack vstack dstack column_stack        tup+
block                                    arrays++
broadcast_arrays                         *args
atleast_1d atleast_2d atleast_3d         *arys
meshgrid                                 *xi
copyto                                   dst! src* casting where
put                                      a! ind v* mode
place                                    arr! mask vals*
putmask                                  a! mask values*
put_along_axis                           arr! indices values* axis
fill_diagonal                            a! val* wrap
"""

#: The numbers with which functions fill new arrays; `full_like` does the same for each array.
_FILLS: dict[Callable[..., object], int] = {np.zeros_like: 0, np.ones_like: 1, np.empty_like: 0}
#: The modes of numpy.pad that repeat elements; the others compute new ones.
_PADDING = ("constant", "edge", "reflect", "symmetric", "wrap")


_SEQUENCES = (list, tuple)  # a tuple, since isinstance is fastest with it

#: How many levels of sequences may be around an array, by the mark of its parameter.
_DEPTHS = {"*": 0, "!": 0, "+": 1, "++": 64}


class StructuralFunction:
    """One of NumPy's structural functions, and the roles of its parameters.

    implementation: NumPy's function that does it; numpy.full_like for similar ones. names: the
    parameters that may be given by position. arrays: how many levels of sequences may be around
    each array. target: the parameter that is written to, or "". is_variadic: whether all positional
    arguments are arrays.
    """

    __slots__ = (
        "_fill", "_has_out", "arrays", "implementation", "is_variadic", "name", "names", "target",
    )  # fmt: skip

    def __init__(self, function: Function, parameters: str, fill: int | None = None) -> None:
        words = parameters.split()
        self.implementation = function if fill is None else np.full_like
        self.name, self._fill = function.__name__, fill
        self.is_variadic = words[0].startswith("*")
        self.names = tuple(word.strip("*+!") for word in words if word[0] != "=")
        self._has_out = "out" in self.names
        marks = {re.sub(r"\W", "", word): re.sub(r"^[*=]|\w", "", word) for word in words}
        self.arrays = {name: _DEPTHS[mark] for name, mark in marks.items() if mark}
        if self.is_variadic:
            self.arrays = {self.names[0]: 0}
        self.target = next((name for name, mark in marks.items() if mark == "!"), "")

    def bind(self, args: Args, keywords: Keywords) -> Call:
        """Return a call with these arguments, which NumPy has checked."""
        out = None
        if self._fill is not None and args:
            args = (args[0], self._fill, *args[1:])
        elif self._fill is not None:
            names = {"prototype": "a"}  # numpy.empty_like has another name for it
            keywords = {names.get(name, name): x for name, x in keywords.items()}
            keywords["fill_value"] = self._fill
        if self._has_out:
            args, keywords, out = self._split_out(args, keywords)
        values = (*args, *keywords.values()) if keywords else args
        return Call(self, values, tuple(keywords), out)

    def _split_out(self, args: Args, keywords: Keywords) -> tuple[Args, Keywords, object]:
        """Return the arguments without ``out``, and those after it by name; and ``out``."""
        place = self.names.index("out")
        named = keywords | dict(zip(self.names[place:], args[place:], strict=False))
        out = named.pop("out", None)
        return args[:place], named, out


class _Layout(NamedTuple):
    """The roles of the arguments of a call, which is the same for many calls.

    names: of their parameters. arrays: the places of arrays, and how many levels of sequences may
    be around one. others: the places of other arguments, and the names of their parameters.
    """

    names: tuple[str, ...]
    arrays: list[tuple[int, int]]
    others: list[tuple[int, str]]


@functools.lru_cache(1024)
def _layout(function: StructuralFunction, count: int, keywords: tuple[str, ...]) -> _Layout:
    """Return the layout of a number of arguments by position, and others by name."""
    own = function.names * count if function.is_variadic else function.names
    names = (*own[:count], *keywords)
    arrays = [(k, function.arrays[x]) for k, x in enumerate(names) if x in function.arrays]
    others = [(k, x) for k, x in enumerate(names) if x not in function.arrays]
    return _Layout(names, arrays, others)


class Call:
    """A call of a structural function; ``out`` is that argument, kept apart from the others."""

    __slots__ = ("_count", "_layout", "_values", "function", "out")

    def __init__(
        self,
        function: StructuralFunction,
        values: tuple[Any, ...],
        keywords: tuple[str, ...],
        out: object,
    ) -> None:
        self.function, self._values, self.out = function, values, out
        self._count = len(values) - len(keywords)
        self._layout = _layout(function, self._count, keywords)

    def get(self, name: str) -> Any:
        """Return an argument; None without it."""
        names = self._layout.names
        return self._values[names.index(name)] if name in names else None

    def arrays(self) -> list[Any]:
        """Return the arrays of elements, also those in sequences."""
        arrays: list[Any] = []
        for k, depth in self._layout.arrays:
            x = self._values[k]
            if depth and isinstance(x, _SEQUENCES):
                arrays.extend(leaves(x) if depth > 1 else x)
            else:
                arrays.append(x)
        return arrays

    def others(self) -> Iterator[tuple[str, Any]]:
        """Yield the other arguments, with the names of their parameters."""
        for k, name in self._layout.others:
            yield name, self._values[k]

    def describe_computation(self) -> str:
        """Return which argument makes NumPy compute new elements; empty text if none does."""
        if self.function.name != "pad":
            return ""
        if (mode := self.get("mode") or "constant") not in _PADDING:
            return f"pad: mode: expected one of {_PADDING}, got {mode!r}"
        kind = self.get("reflect_type") or "even"
        return "" if kind == "even" else f"pad: reflect_type: expected 'even', got {kind!r}"

    def map_arrays(self, function: Callable[[str, Any], object]) -> Call:
        """Return a call with each array of elements replaced, given its parameter's name."""
        names, values = self._layout.names, [*self._values]
        for k, depth in self._layout.arrays:
            values[k] = _map(functools.partial(function, names[k]), values[k], depth)
        return Call(self.function, tuple(values), names[self._count :], self.out)

    def run(
        self,
        component: Callable[[Any], object],
        other: Callable[[str, Any], object] | None = None,
    ) -> Any:
        """Call NumPy's function for a component of each array of elements.

        other: replaces the other arguments, given the names of their parameters.
        """
        names, arrays, others = self._layout
        values, count = [*self._values], self._count
        for k, depth in arrays:
            values[k] = _map(component, values[k], depth) if depth else component(values[k])
        if other:
            for k, name in others:
                values[k] = other(name, values[k])
        if count == len(values):
            return self.function.implementation(*values)
        named = dict(zip(names[count:], values[count:], strict=True))
        return self.function.implementation(*values[:count], **named)


def _map(function: Callable[[Any], object], x: Any, depth: int) -> object:
    if not (depth and isinstance(x, _SEQUENCES)):
        return function(x)
    if depth > 1:
        return [_map(function, item, depth - 1) for item in x]
    return [*map(function, x)]


def join(results: Sequence[Any], make: Callable[[Sequence[Any]], object]) -> object:
    """Return what `make` returns for the results of all arrays, item by item of a list or tuple."""
    first = results[0]
    if isinstance(first, _SEQUENCES):
        columns = zip(*results, strict=True)
        return type(first)(join(column, make) for column in columns)
    return make(results)


def leaves(x: object) -> Iterator[object]:
    """Yield the items of lists and tuples, at any depth."""
    if isinstance(x, _SEQUENCES):
        for item in x:
            yield from leaves(item)
    else:
        yield x


def map_leaves(function: Callable[[Any], object], x: Any) -> Any:
    """Apply a function to the items of lists, tuples and dicts, at any depth."""
    if isinstance(x, _SEQUENCES):
        return type(x)([map_leaves(function, item) for item in x])
    if isinstance(x, dict):
        return {name: map_leaves(function, item) for name, item in x.items()}
    return function(x)


def _find(name: str) -> Callable[..., object] | None:
    """Return NumPy's function of that name; None if this version has none."""
    place: object = np
    for word in name.split("."):
        place = getattr(place, word, None)
    return place if callable(place) else None


def _functions() -> dict[Callable[..., object], StructuralFunction]:
    table: dict[Callable[..., object], StructuralFunction] = {}
    for line in _TABLE.strip().splitlines():
        names, parameters = line[:41].split(), line[41:]
        for function in filter(None, map(_find, names)):
            table[function] = StructuralFunction(function, parameters)
    parameters = "a* fill_value* dtype order subok shape"
    return table | {
        function: StructuralFunction(function, parameters, number)
        for function, number in _FILLS.items()
    }


#: The structural functions, by NumPy's functions.
STRUCTURAL = _functions()
