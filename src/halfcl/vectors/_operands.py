"""The check of operands of vectors: vectors, scalars, and arrays with a clear meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from halfcl.vectors._registry import CLASSES, VectorBase, width_of


def _has_own_shape(
    x: object, shape: tuple[int, ...], vectors: Sequence[VectorBase], own_shape: bool
) -> bool:
    """Return whether an array of the vectors' shape may be components."""
    if not own_shape and getattr(x, "dtype", None) != np.bool:
        return False
    return any(shape == vector.shape for vector in vectors)


def _as_components(x: object, width: int) -> str:
    """Return code that converts an array or a list to vectors of a width."""
    kind = CLASSES.get((np.asarray(x).dtype, width))
    if kind is None or not isinstance(x, np.ndarray):
        return "vectors built from x"
    return f"x.view(halfcl.{kind.__name__})"


def check_plain_operands(
    name: str, arguments: Iterable[Any], vectors: Sequence[VectorBase], own_shape: bool = False
) -> None:
    """Raise TypeError if the last axis of a plain array in a call with vectors is ambiguous.

    By shape alone, four numbers, one for each of four vectors, would be taken for the components of
    one. So an array must be explicit: by a last axis of length 1, or by being vectors. Bools of the
    vectors' own shape, as `numpy.isnan` returns, are components. With own_shape, in comparisons and
    where only outputs are vectors, all arrays of that shape are.
    """
    for position, x in enumerate(arguments, 1):
        if width_of(x):
            continue
        shape = np.shape(x)
        if shape[-1:] in ((), (1,)) or _has_own_shape(x, shape, vectors, own_shape):
            continue
        kind = type(vectors[0]).__name__
        raise TypeError(
            f"{name}: argument {position}: expected vectors or scalars with {kind}, got an array "
            f"of shape {shape}; use x[..., None] for one number per vector, or "
            f"{_as_components(x, width_of(vectors[0]))} for components"
        )
