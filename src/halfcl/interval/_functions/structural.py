"""NumPy's structural functions on intervals: they treat bounds as they treat numbers.

Decorations are treated alike, if one of the arguments has some; other arguments get the strongest
decorations then.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NoReturn, TypeAlias

import numpy as np

from halfcl._support.duck_arrays.base import check_writeable, write_outputs
from halfcl._support.duck_arrays.structural import STRUCTURAL, Call, StructuralFunction, join
from halfcl.interval._arrays import ufuncs
from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.methods import NUMPY, ArrayOfIntervals
from halfcl.interval._arrays.values import as_bounds
from halfcl.interval._bounds.pairs import is_empty
from halfcl.interval._decorated.array import DecoratedInterval, promote
from halfcl.interval._decorated.decorations import COM, ILL

#: The type of results.
Kind: TypeAlias = type[Interval] | type[DecoratedInterval]

_KINDS: dict[str, Kind] = {"Interval": Interval, "DecoratedInterval": DecoratedInterval}
_INTERVALS = frozenset({Interval})


def _promote(kind: Kind, copies: bool, name: str, x: object) -> object:
    """Return an argument as intervals of a kind.

    copies: whether to copy bounds that are not from intervals: both are the caller's array then.
    """
    if isinstance(x, list | tuple) and ufuncs.kind_of(x):
        return NUMPY.stack([_promote(kind, copies, name, item) for item in x])
    if kind is DecoratedInterval:
        if name == "fill_value" and isinstance(x, str):
            return DecoratedInterval(x)
        new: ArrayOfIntervals = promote(x, name)
    else:
        new = x if isinstance(x, Interval) else Interval.of(as_bounds(x, name))
    return new.copy() if copies and not isinstance(x, ArrayOfIntervals) else new


def _from_arrays(kind: Kind, results: Sequence[Any]) -> ArrayOfIntervals:
    """Return intervals that consist of the results for bounds and decorations."""
    arrays = [*map(np.asarray, results)]
    if kind is DecoratedInterval:
        low, high, codes = arrays
        # NumPy fills in zeros, which are the code of NaI but belong to bounds that are zero.
        if (is_filled := np.equal(codes, ILL) & ~is_empty((low, high))).any():
            codes[is_filled] = COM
    return kind._from_arrays(arrays)


def _check_others(call: Call) -> None:
    """Raise an error for arguments that do not say where elements go, or change their type."""
    name = call.function.name
    for argument, x in call.others():
        if kind := ufuncs.kind_of(x):
            _refuse_intervals(call.function, argument, kind)
        if argument == "dtype" and x is not None:
            raise TypeError(f"{name}: dtype: expected half, got {x!r}")
        if argument == "casting" and x != "same_kind":
            raise TypeError(f"{name}: casting: expected 'same_kind', got {x!r}")
    if reason := call.describe_computation():
        raise ValueError(reason)


def _refuse_intervals(function: StructuralFunction, argument: str, kind: str) -> NoReturn:
    """Raise the TypeError for intervals in an argument that says where elements go."""
    if len(function.arrays) > 1:
        raise TypeError(f"{function.name}: {argument}: expected numbers or bools, got {kind}")
    (data,) = function.arrays
    raise TypeError(f"{function.name}: expected intervals only as {data!r}, got {kind} elsewhere")


def _check_target(call: Call, kind: Kind) -> None:
    """Raise an error unless the argument that a function writes to can be written to."""
    which, target = f"{call.function.name}: {call.function.target}", call.get(call.function.target)
    if not isinstance(target, kind):
        raise TypeError(f"{which}: expected {kind.__name__}, got {type(target).__name__}")
    check_writeable(which, target)


def _apply(function: StructuralFunction, *args: object, **keywords: object) -> object:
    """Apply one of NumPy's structural functions to bounds, and to decorations."""
    call = function.bind(args, keywords)
    _check_others(call)
    arrays = call.arrays()
    types = {*map(type, arrays)}
    are_intervals = types == _INTERVALS
    kind = Interval if are_intervals else _KINDS[ufuncs.kind_of(arrays) or "Interval"]
    if function.target:
        _check_target(call, kind)
    if not are_intervals and types != {kind}:
        copies = function.is_variadic or bool(function.target)
        call = call.map_arrays(functools.partial(_promote, kind, copies))
    results = [*map(call.run, _COMPONENTS[kind])]
    if function.target:
        return None
    result = join(results, _MAKERS[kind])
    return result if call.out is None else write_outputs(function.name, result, (call.out,))


#: Functions that return each of the arrays that intervals consist of.
_COMPONENTS: dict[Kind, list[Callable[[Any], object]]] = {
    Interval: [attrgetter("_lo"), attrgetter("_hi")],
    DecoratedInterval: [attrgetter("_bare._lo"), attrgetter("_bare._hi"), attrgetter("_codes")],
}
#: Functions that make intervals of the results for these arrays.
_MAKERS = {kind: functools.partial(_from_arrays, kind) for kind in _COMPONENTS}


def check_plain(name: str, others: dict[str, object]) -> None:
    """Raise TypeError for keywords with an effect."""
    for keyword, value in others.items():
        values = value if isinstance(value, tuple) else (value,)  # out is a tuple
        if not all(v is None or v is True or v is np._NoValue for v in values):
            raise ufuncs.unsupported_keyword(name, keyword, value)


#: Functions by NumPy's functions.
FUNCTIONS: dict[Callable[..., object], Callable[..., object]] = {
    function: functools.partial(_apply, row) for function, row in STRUCTURAL.items()
}
if hasattr(np, "astype"):  # since NumPy 2.1
    FUNCTIONS[np.astype] = lambda x, dtype, **keywords: x.astype(dtype, **keywords)
