"""Comparisons of the numbers in intervals: decided where all pairs of numbers agree."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._arrays.truth import Truth
from halfcl.interval._arrays.values import as_bounds, has_text
from halfcl.interval._bounds.pairs import Base, Bounds
from halfcl.interval._decorated.array import DecoratedInterval

#: Lower and upper bounds: two arrays, or two floats.
Ends: TypeAlias = Bounds | tuple[float, float]
#: The result of a comparison of arrays, or of floats.
Holds: TypeAlias = NDArray[np.bool_] | bool


class _Comparison(NamedTuple):
    """A comparison: where it holds for all pairs of numbers, and where for some.

    Both functions accept bounds as arrays, or as floats, which are faster for single intervals. All
    conditions are false for the NaN of an empty interval, which has no pairs. So a comparison with
    an empty interval is decided, and false.

    is_strict: whether equal numbers fail it.
    """

    certain: Callable[[Ends, Ends], Holds]
    possible: Callable[[Ends, Ends], Holds]
    is_strict: bool


def _both(holds: Holds, other: Holds) -> Holds:
    """Return ``holds & other``, in the memory of the first."""
    holds &= other
    return holds


def _either(holds: Holds, other: Holds) -> Holds:
    holds |= other
    return holds


_COMPARISONS = {
    "less": _Comparison(lambda x, y: x[1] < y[0], lambda x, y: x[0] < y[1], True),
    "less_equal": _Comparison(lambda x, y: x[1] <= y[0], lambda x, y: x[0] <= y[1], False),
    "equal": _Comparison(
        lambda x, y: _both(x[0] == y[1], x[1] == y[0]),
        lambda x, y: _both(x[0] <= y[1], x[1] >= y[0]),
        False,
    ),
    "not_equal": _Comparison(
        lambda x, y: _either(x[1] < y[0], x[0] > y[1]),
        lambda x, y: _either(x[0] < y[1], x[1] > y[0]),
        True,
    ),
}


def _check_numbers(name: str, argument: str, x: DecoratedInterval) -> None:
    """Raise ValueError for NaI, which has no numbers and is not the empty set either."""
    if (count := np.count_nonzero(x._is_nai())) > 0:
        which = f"NaI in {count} of {x.size} elements" if x.ndim else "NaI"
        raise ValueError(
            f"{name}: {argument}: expected intervals, got {which}; use interval.is_nai to find them"
        )


def _bounds_for(name: str, argument: str, x: object) -> Bounds:
    if isinstance(x, Base):
        return x._lo, x._hi
    if isinstance(x, DecoratedInterval):
        _check_numbers(name, argument, x)
        return x._bare._lo, x._bare._hi
    # NumPy passes a scalar left operand as an array, and arrays would have to be of half.
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    return as_bounds(x, argument)


def _as_floats(x: Bounds) -> tuple[float, float]:
    return x[0].item(), x[1].item()


def _is_set(x: object) -> bool:
    """Return whether bounds are those of a set of numbers, and not the halves around one number."""
    return isinstance(x, ArrayOfIntervals) or (isinstance(x, list | tuple) and has_text(x))


def compare(name: str, x: object, y: object) -> Truth:
    """Return the truth of a comparison on which all pairs of numbers from x and y agree.

    name: the name of NumPy's ufunc.
    """
    certain, possible, is_strict = _COMPARISONS[name]
    a: Any = _bounds_for(name, "x", x)
    b: Any = _bounds_for(name, "y", y)
    is_single = a[0].ndim == 0 and b[0].ndim == 0
    if is_single:
        a, b = _as_floats(a), _as_floats(b)
    # A number that is not a half lies between two neighbouring halves, low and high. A half is less
    # than the number if it is less than high, and at most the number if it is at most low. The
    # conditions compare opposite bounds of interval and number, so one of them needs low and high
    # exchanged.
    c = a if _is_set(x) else (a[1], a[0])
    d = b if _is_set(y) else (b[1], b[0])
    if is_strict:
        a, b, c, d = c, d, a, b
    holds: Any = certain(a, b)
    may_hold: Any = possible(c, d)
    if is_single:
        return Truth.of(np.bool(holds), np.bool(may_hold), name)
    return Truth.of(holds, may_hold, name)


#: The comparisons by the names of NumPy's ufuncs.
UFUNCS: dict[str, Callable[[object, object], Truth]] = {
    name: functools.partial(compare, name) for name in _COMPARISONS
} | {
    "greater": lambda x, y: compare("less", y, x),
    "greater_equal": lambda x, y: compare("less_equal", y, x),
}
