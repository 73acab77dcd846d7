"""Which vector types there are, and how arrays become vectors and plain arrays again."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halfcl._support.results import Result
from halfcl._tables.types import SCALAR_TYPES, WIDTHS

#: The classes by dtype and width; `halfcl.vectors._types` fills it.
CLASSES: dict[tuple[np.dtype[Any], int], type[VectorBase]] = {}


def vector_type(dtype: DTypeLike, width: int) -> type:
    """The class of vectors of an element type and a width.

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
    found = CLASSES.get((np.dtype(dtype), width))
    if found is not None:
        return found
    if width not in WIDTHS:
        raise ValueError(f"width: expected one of {WIDTHS}, got {width!r}")
    raise TypeError(
        f"dtype: expected the NumPy dtype of one of {', '.join(SCALAR_TYPES)}, got {dtype!r}"
    )


class VectorBase(np.ndarray):
    """The class of all vectors, for those who only ask whether something is one."""

    # Without a __dict__ the layout is ndarray's, and a misspelled component an error.
    __slots__ = ()
    __halfcl_vector__: int
    width: int
    element: np.dtype[Any]
    family: dict[int, type[VectorBase]]


def width_of(x: object) -> int:
    """The width of a vector, or of a class of vectors; 0 of everything else."""
    return getattr(x, "__halfcl_vector__", 0)


def as_plain(vector: NDArray[Any]) -> NDArray[Any]:
    """The same memory as a plain array."""
    return np.ndarray.view(vector, np.ndarray)


@overload
def as_vector(array: NDArray[Any], width: int) -> NDArray[Any]: ...


@overload
def as_vector(array: Result, width: int) -> Result: ...


def as_vector(array: Result, width: int) -> Result:
    """An array as vectors of that width, if its dtype and its last axis allow; else as it is."""
    if type(array) is not np.ndarray or array.shape[-1:] != (width,):
        return array
    found = CLASSES.get((array.dtype, width))
    return array if found is None else array.view(found)
