"""The registry of vector types, and the conversion between arrays and vectors."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl._support.results import Result
from halfcl._tables.types import SCALAR_TYPES, WIDTHS

#: The classes by dtype and width, filled by `halfcl.vectors._types`.
CLASSES: dict[tuple[np.dtype[Any], int], type[VectorBase]] = {}


def vector_type(dtype: DTypeLike, width: int) -> type:
    """Return the class of vectors of an element type and a width.

    Parameters
    ----------
    dtype : dtype
        NumPy's dtype of one of OpenCL's scalar types.
    width : int
        2, 3, 4, 8 or 16.

    Returns
    -------
    type

    Raises
    ------
    TypeError
        If there is no vector type of that dtype.
    ValueError
        If there is none of that width.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl.vectors import vector_type
    >>> vector_type(np.int16, 4)
    <class 'halfcl.short4'>
    """
    kind = CLASSES.get((np.dtype(dtype), width))
    if kind is not None:
        return kind
    if width not in WIDTHS:
        raise ValueError(f"vector_type: width: expected one of {WIDTHS}, got {width!r}")
    raise TypeError(
        f"vector_type: dtype: expected the NumPy dtype of one of {', '.join(SCALAR_TYPES)}, "
        f"got {dtype!r}"
    )


def conversion_call(element: np.dtype[Any]) -> str:
    """Return the call, for messages, that converts numbers and vectors to elements of a type."""
    return f"halfcl.convert(x, {'halfcl' if element.name == 'half' else 'numpy'}.{element})"


class VectorBase(np.ndarray):
    """The base of all vectors, for code that only tests for vectors."""

    # Without a __dict__ the layout is ndarray's, and a misspelled component is an error.
    __slots__ = ()
    __halfcl_vector__: int
    width: int
    element: np.dtype[Any]
    family: dict[int, type[VectorBase]]


def width_of(x: object) -> int:
    """Return the width of a vector or of a class of vectors; 0 for other objects."""
    return getattr(x, "__halfcl_vector__", 0)


def as_plain(vector: NDArray[Any]) -> NDArray[Any]:
    """Return the same memory as a plain array."""
    return np.ndarray.view(vector, np.ndarray)


@overload
def as_vector(array: NDArray[Any], width: int) -> NDArray[Any]: ...


@overload
def as_vector(array: Result, width: int) -> Result: ...


def as_vector(array: Result, width: int) -> Result:
    """Return an array as vectors of a width if its dtype and last axis allow, else unchanged."""
    if type(array) is not np.ndarray or array.shape[-1:] != (width,):
        return array
    kind = CLASSES.get((array.dtype, width))
    return array if kind is None else array.view(kind)
