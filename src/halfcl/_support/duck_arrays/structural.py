"""NumPy's structural functions, which move, repeat, select or join elements and compute nothing.

An array that consists of several applies such a function to each of them. The table says which
arguments are arrays of elements; all others say where elements go.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

#: The arguments of a call, by the names of NumPy's parameters.
Arguments: TypeAlias = dict[str, object]
#: Replaces an argument, given its parameter's name.
Replace: TypeAlias = Callable[[str, object], object]

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
    name : str
        Its name in NumPy.
    arrays : dict
        Names of the parameters that are arrays, and how many levels of sequences may be around one.
    target : str
        Name of the parameter that is written to; empty if there is none.
    is_variadic : bool
        Whether all positional arguments are arrays.
    """

    __slots__ = ("_fill", "_function", "_positional", "arrays", "is_variadic", "name", "target")

    def __init__(
        self, function: Callable[..., object], parameters: str, fill: int | None = None
    ) -> None:
        words = parameters.split()
        self.name, self._function, self._fill = function.__name__, function, fill
        self.is_variadic = words[0].startswith("*")
        self._positional = tuple(word.strip("*+!") for word in words if word[0] != "=")
        bare = [word.lstrip("*=") for word in words]
        marks = {word.rstrip("*+!"): word.lstrip(string.ascii_letters + "_12") for word in bare}
        self.arrays = {name: _DEPTHS[mark] for name, mark in marks.items() if mark}
        if self.is_variadic:
            self.arrays = {self._positional[0]: 1}
        self.target = next((name for name, mark in marks.items() if mark == "!"), "")

    def bind(self, args: Sequence[object], keywords: Arguments) -> Arguments:
        """Return the arguments by name; NumPy has checked that there are not too many."""
        if self.is_variadic:
            return {self._positional[0]: args, **keywords}
        if self._fill is not None:
            keywords = {**keywords, "fill_value": self._fill}
            args = (*args[:1], keywords.pop("fill_value"), *args[1:]) if args else args
        return dict(zip(self._positional, args, strict=False)) | keywords

    def replace(self, arguments: Arguments, of_array: Replace, of_other: Replace) -> Arguments:
        """Return the arguments with each array of elements, and each other argument, replaced."""
        return {
            name: _replace(of_array, name, x, self.arrays[name])
            if name in self.arrays
            else of_other(name, x)
            for name, x in arguments.items()
        }

    def call(self, arguments: Arguments) -> Any:
        """Call NumPy's function; by position as far as possible, since some names are private."""
        others, args = dict(arguments), []
        if self.is_variadic:
            arrays: Any = others.pop(self._positional[0])
            return self._function(*arrays, **others)
        for name in self._positional:
            if name not in others:
                break
            args.append(others.pop(name))
        return self._function(*args, **others)

    def describe_computation(self, arguments: Arguments) -> str:
        """Return which argument makes NumPy compute new elements; empty text if none does."""
        if self.name == "pad" and (mode := arguments.get("mode", "constant")) not in _PADDING:
            return f"pad: mode: expected one of {_PADDING}, got {mode!r}"
        if self.name == "pad" and (kind := arguments.get("reflect_type", "even")) != "even":
            return f"pad: reflect_type: expected 'even', got {kind!r}"
        return ""


def _replace(of_array: Replace, name: str, x: object, depth: int) -> object:
    if depth and isinstance(x, list | tuple):
        return [_replace(of_array, name, item, depth - 1) for item in x]
    return of_array(name, x)


def same(name: str, x: object) -> object:
    """Return an argument unchanged."""
    return x


def join(results: Sequence[Any], make: Callable[[Sequence[Any]], object]) -> object:
    """Return what `make` returns for the results of all arrays, item by item of a list or tuple."""
    first = results[0]
    if isinstance(first, list | tuple):
        columns = zip(*results, strict=True)
        return type(first)(join(column, make) for column in columns)
    return make(results)


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
        function: StructuralFunction(np.full_like, parameters, number)
        for function, number in _FILLS.items()
    }


#: The structural functions, by NumPy's functions.
STRUCTURAL = _functions()
