"""What may stand beside vectors in a call: vectors, scalars, and arrays that say what they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from halfcl.vectors._registry import CLASSES, VectorBase, width_of


def _has_own_shape(
    x: object, shape: tuple[int, ...], vectors: Sequence[VectorBase], own_shape: bool
) -> bool:
    """Whether it is like what NumPy's functions make of vectors, or compare with them."""
    if not own_shape and getattr(x, "dtype", None) != np.bool:
        return False
    return any(shape == vector.shape for vector in vectors)


def _as_components(x: object, width: int) -> str:
    """How to write that an array or a list is vectors of a width."""
    found = CLASSES.get((np.asarray(x).dtype, width))
    if found is None or not isinstance(x, np.ndarray):
        return "vectors made of x"
    return f"x.view(halfcl.{found.__name__})"


def check_beside(
    name: str, arguments: Iterable[Any], vectors: Sequence[VectorBase], own_shape: bool = False
) -> None:
    """TypeError if a plain array beside vectors leaves open what its last axis is.

    By their shapes alone four numbers, one for each of four vectors, would be taken for
    the components of one. So an array says it: by a last axis of length 1, or by being
    vectors. Bools of the vectors' own shape, as `numpy.isnan` gives, are components; with
    own_shape, in comparisons and where vectors are outputs alone, all arrays of that shape.
    """
    for position, x in enumerate(arguments, 1):
        if width_of(x):
            continue
        shape = np.shape(x)
        if shape[-1:] in ((), (1,)) or _has_own_shape(x, shape, vectors, own_shape):
            continue
        kind = type(vectors[0]).__name__
        raise TypeError(
            f"{name}: argument {position}: expected vectors or scalars beside {kind}, got an array "
            f"of shape {shape}: x[..., None] is one number for each vector, "
            f"{_as_components(x, width_of(vectors[0]))} are components"
        )
