"""Arguments of plots: functions or their names, and numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfcl as hc
from halfcl._tables import TABLE
from halfcl._tables.row import Builtin

Function = Callable[..., object]


@functools.cache
def _rows() -> dict[str, Builtin]:
    """Return the rows of functions by halfcl's and NumPy's names; halfcl's come first."""
    public = [row for row in TABLE if row.public]
    of_numpy = {name: row for row in public for name in row.numpy}
    return of_numpy | {row.name: row for row in public}


def row_of(function: object, argument: str) -> Builtin:
    """Return the row of a function, which is halfcl's or NumPy's, or its name."""
    name = function if isinstance(function, str) else getattr(function, "__name__", None)
    row = _rows().get(name) if isinstance(name, str) else None
    is_known = isinstance(function, str | hc.Function | np.ufunc)
    if row is None or not is_known:
        raise _wrong_type(function)(
            f"{argument}: expected a function of halfcl or its name, such as 'exp', "
            f"got {function!r:.80}"
        )
    return row


def _wrong_type(function: object) -> type[ValueError | TypeError]:
    """Return the exception for what is no function: a wrong name is a value, else a type."""
    return ValueError if isinstance(function, str) else TypeError


def as_function(function: object, argument: str) -> Function:
    """Return a function, which may be given by its name among halfcl's."""
    if isinstance(function, str):
        named: Function = getattr(hc, row_of(function, argument).name)
        return named
    if not callable(function) or isinstance(function, type):
        raise TypeError(
            f"{argument}: expected a function, or the name of halfcl's, got {function!r:.80}"
        )
    return function


def name_of(function: Function) -> str:
    """Return a function's name for labels."""
    name = str(getattr(function, "__name__", type(function).__name__))
    return "f" if name == "<lambda>" else name


def as_doubles(values: object, argument: str) -> NDArray[np.float64]:
    """Return real numbers as doubles, masked ones as NaN; raise TypeError for anything else."""
    try:
        array: NDArray[Any] = np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.array(None)
    if array.dtype != hc.half and array.dtype.kind not in "fiub" and not _are_real(array):
        raise TypeError(f"{argument}: expected real numbers, got {_describe(values, array)}")
    doubles = array.astype(np.float64)
    if isinstance(values, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(values), np.nan, doubles)
    return doubles


def _are_real(array: NDArray[Any]) -> bool:
    """Return whether objects are real numbers, such as fractions, within the range of doubles."""
    try:
        return array.dtype == object and all(
            isinstance(x, Real | Decimal) and math.isfinite(float(x)) for x in array.ravel()
        )
    except OverflowError:
        return False


def _describe(values: object, array: NDArray[Any]) -> str:
    return f"an array of {array.dtype}" if isinstance(values, np.ndarray) else f"{values!r:.80}"
