"""NumPy's structural functions, which move, repeat, select or join elements and compute nothing.

An array that consists of several applies such a function to each of them. The table says which
arguments are arrays of elements; all others say where elements go.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

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


#: How many levels of sequences may be around an array, by the mark of its parameter.
_DEPTHS = {"*": 0, "!": 0, "+": 1, "++": 64}


class StructuralFunction:
    """One of NumPy's structural functions, and the roles of its parameters.

    Attributes
    ----------
    implementation : callable
        NumPy's function that does it; numpy.full_like for similar ones.
    name : str
        The name of NumPy's function.
    arrays : dict
        Names of the parameters that are arrays, and how many levels of sequences may be around one.
    target : str
        Name of the parameter that is written to; empty if there is none.
    is_variadic : bool
        Whether all positional arguments are arrays.
    """

    __slots__ = ("_fill", "_names", "arrays", "implementation", "is_variadic", "name", "target")

    def __init__(self, function: Function, parameters: str, fill: int | None = None) -> None:
        words = parameters.split()
        self.implementation = function if fill is None else np.full_like
        self.name, self._fill = function.__name__, fill
        self.is_variadic = words[0].startswith("*")
        self._names = tuple(word.strip("*+!") for word in words if word[0] != "=")
        marks = {re.sub(r"\W", "", word): re.sub(r"^[*=]|\w", "", word) for word in words}
        self.arrays = {name: _DEPTHS[mark] for name, mark in marks.items() if mark}
        if self.is_variadic:
            self.arrays = {self._names[0]: 0}
        self.target = next((name for name, mark in marks.items() if mark == "!"), "")

    def bind(self, args: Args, keywords: Keywords) -> Call:
        """Return a call with these arguments, which NumPy has checked."""
        if self._fill is not None and args:
            args = (args[0], self._fill, *args[1:])
        elif self._fill is not None:
            keywords = {**keywords, "fill_value": self._fill}
        names = self._names * len(args) if self.is_variadic else self._names
        out = keywords.pop("out", None)
        if "out" in names[: len(args)]:
            place = names.index("out")
            out, others = args[place], zip(names[place + 1 :], args[place + 1 :], strict=False)
            args, keywords = args[:place], keywords | dict(others)
        names = (*names[: len(args)], *keywords)
        return Call(self, names, [*args, *keywords.values()], len(args), out)


class Call:
    """A call of a structural function, with its arguments.

    Attributes
    ----------
    function : StructuralFunction
        The function.
    names, values : tuple of str, list
        The arguments, and the names of their parameters.
    out : object
        The argument of this name, which is not among them; None if there is none.
    """

    __slots__ = ("_arrays", "_count", "function", "names", "out", "values")

    def __init__(
        self,
        function: StructuralFunction,
        names: tuple[str, ...],
        values: list[Any],
        count: int,
        out: Any,
    ) -> None:
        self.function, self.names, self.values, self.out = function, names, values, out
        self._count = count  # of positional arguments
        arrays = function.arrays
        self._arrays = [(k, arrays[name]) for k, name in enumerate(names) if name in arrays]

    def get(self, name: str) -> Any:
        """Return an argument; None without it."""
        return self.values[self.names.index(name)] if name in self.names else None

    def arrays(self) -> list[Any]:
        """Return the arrays of elements, and sequences of them."""
        return [self.values[k] for k, _ in self._arrays]

    def others(self) -> list[tuple[str, Any]]:
        """Return the other arguments, with the names of their parameters."""
        arrays = self.function.arrays
        pairs = zip(self.names, self.values, strict=True)
        return [(name, x) for name, x in pairs if name not in arrays]

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
        values = self.values[:]
        for k, depth in self._arrays:
            values[k] = _map(functools.partial(function, self.names[k]), values[k], depth)
        return Call(self.function, self.names, values, self._count, self.out)

    def map_others(self, function: Callable[[str, Any], object]) -> Call:
        """Return a call with each other argument replaced, given its parameter's name."""
        arrays = self.function.arrays
        pairs = zip(self.names, self.values, strict=True)
        values = [x if name in arrays else function(name, x) for name, x in pairs]
        return Call(self.function, self.names, values, self._count, self.out)

    def run(self, component: Callable[[Any], object]) -> Any:
        """Call NumPy's function for a component of each array of elements."""
        values, count = self.values[:], self._count
        for k, depth in self._arrays:
            values[k] = _map(component, values[k], depth)
        named = dict(zip(self.names[count:], values[count:], strict=True))
        return self.function.implementation(*values[:count], **named)


def _map(function: Callable[[Any], object], x: Any, depth: int) -> object:
    if depth and isinstance(x, list | tuple):
        return [_map(function, item, depth - 1) for item in x]
    return function(x)


def join(results: Sequence[Any], make: Callable[[Sequence[Any]], object]) -> object:
    """Return what `make` returns for the results of all arrays, item by item of a list or tuple."""
    first = results[0]
    if isinstance(first, list | tuple):
        columns = zip(*results, strict=True)
        return type(first)(join(column, make) for column in columns)
    return make(results)


def leaves(x: object) -> Iterator[object]:
    """Yield the items of lists and tuples, at any depth."""
    if isinstance(x, list | tuple):
        for item in x:
            yield from leaves(item)
    else:
        yield x


def map_leaves(function: Callable[[Any], object], x: Any) -> Any:
    """Apply a function to the items of lists, tuples and dicts, at any depth."""
    if isinstance(x, dict):
        return {name: map_leaves(function, item) for name, item in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(map_leaves(function, item) for item in x)
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
