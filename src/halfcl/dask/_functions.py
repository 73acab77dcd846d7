"""halfcl's functions over Dask arrays, block by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import dask.array as da
import numpy as np
from dask.array.core import Array, elemwise
from numpy.typing import ArrayLike, DTypeLike, NDArray

import halfcl as hc
from halfcl._support.arguments.promises import refuse_promise
from halfcl.vectors import TYPES, Vector

#: The class of arrays that this part knows.
ARRAY = Array

#: What is taken where a Dask array is expected.
Operand: TypeAlias = Array | ArrayLike


class ByName:
    """A function of halfcl with its keywords, as it goes to workers: by its name.

    It takes a block along an axis of one chunk, which Dask gives as a list, as it is: Dask joins
    the chunks of some libraries alone.
    """

    def __init__(self, name: str, keywords: dict[str, object]) -> None:
        self.__name__ = name
        self.keywords = keywords

    def __call__(self, *blocks: object, **more: object) -> NDArray[Any]:
        function = getattr(hc, self.__name__)
        made: NDArray[Any] = function(*map(_alone, blocks), **self.keywords, **more)
        return made

    def __reduce__(self) -> tuple[type[ByName], tuple[str, dict[str, object]]]:
        return ByName, (self.__name__, self.keywords)

    def __dask_tokenize__(self) -> tuple[str, list[tuple[str, object]]]:
        return self.__name__, sorted(self.keywords.items())


def _alone(block: object) -> object:
    while isinstance(block, list):
        (block,) = block
    return block


# ---------------------------------------------------------------- functions of elements


def lazily(
    function: Callable[..., object], name: str, args: Sequence[object], keywords: dict[str, object]
) -> Array:
    """A function of elements, which is called with each block."""
    for i, x in enumerate(args):
        refuse_promise(name, str(i + 1), x)
        if not isinstance(x, (Array, np.ndarray, np.generic, float, int)):
            raise TypeError(
                f"{name}: argument {i + 1}: expected a number or an array of NumPy or Dask beside "
                f"Dask arrays, got {type(x).__name__}"
            )
    try:
        made = elemwise(function, *args, **keywords)
    except (TypeError, ValueError):
        refused(function, args, keywords)
        raise
    if made is NotImplemented:  # so Dask says that calling it with an element has failed
        refused(function, args, keywords)
        raise TypeError(f"{name}: takes no such arguments beside Dask arrays")
    return made


def refused(
    function: Callable[..., object], args: Sequence[object], keywords: dict[str, object]
) -> None:
    """Raise what a function says of such arguments, if it refuses them."""
    function(*(nothing_of(x) for x in args), **keywords)


def nothing_of(x: object, components: tuple[int, ...] = ()) -> object:
    """In place of an array one without elements, or of one vector."""
    if not isinstance(x, (Array, np.ndarray)):
        return x
    return np.ones((0,) * (x.ndim - len(components)) + components, x.dtype)


def _elementwise(name: str, *arrays: object, **keywords: object) -> Array:
    """A function of elements."""
    for keyword, value in keywords.items():
        if isinstance(value, Array):
            raise TypeError(f"{name}: argument {keyword}: expected no Dask array")
    function = ByName(name, keywords)
    return lazily(function, name, arrays, {})


def _convert(name: str, x: object, dtype: DTypeLike, **keywords: object) -> Array:
    return _elementwise(name, x, dtype=dtype, **keywords)


def _of_vectors(name: str, x: Array, **keywords: object) -> Array:
    """A function of vectors: of each block's last axis, which must be one block."""
    x = one_chunk(name, "x", x)
    call = ByName(name, keywords)
    made = call(np.ones((*(1,) * (x.ndim - 1), x.shape[-1]), x.dtype))
    return da.map_blocks(call, x, chunks=(*x.chunks[:-1], made.shape[-1:]), meta=made[..., :0])


def one_chunk(name: str, argument: str, x: Array) -> Array:
    """The array, if vectors along its last axis lie in one block each, of known size."""
    if x.ndim == 0 or len(x.chunks[-1]) != 1:
        raise ValueError(
            f"{name}: argument {argument}: expected vectors along an axis of one chunk, got "
            f"chunks {x.chunks[-1] if x.ndim else ()}; x.rechunk({{-1: -1}}) makes the last one so"
        )
    if math.isnan(x.shape[-1]):
        raise ValueError(
            f"{name}: argument {argument}: expected vectors of a known length, got shape "
            f"{x.shape}; x.compute_chunk_sizes() finds it"
        )
    return x


def _any_or_all(
    name: str, x: Array, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Array:
    if x.dtype.kind not in "biu":
        raise TypeError(f"{name}: argument x: expected bool or integers, got {x.dtype}")
    return getattr(da, name)(x, axis=axis, keepdims=keepdims)


#: How functions that are no ufuncs are taken to blocks, by name.
FUNCTIONS: dict[str, Callable[..., Array]] = {
    "convert": _convert,
    "any": _any_or_all,
    "all": _any_or_all,
    **dict.fromkeys(("select", "bitselect", "ulp_error", "ulps_between"), _elementwise),
}


def call(function: Callable[..., object], *args: object, **kwargs: object) -> Array:
    """A function of halfcl, of arguments of which some are Dask arrays."""
    name = function.__name__
    if name in FUNCTIONS:
        return FUNCTIONS[name](name, *args, **kwargs)
    if name.startswith(("convert_", "as_")):
        is_of_vectors = name.rstrip("_rtezpnsa")[-1].isdigit()
        way: Callable[..., Array] = _of_vectors if is_of_vectors else _elementwise
        return way(name, *args, **kwargs)
    raise TypeError(f"{name}: takes no Dask arrays: x.map_blocks(halfcl.{name}) takes it to blocks")


def vectors(x: Array, kind: type[Vector]) -> Array:
    """A Dask array whose last axis is a vector of OpenCL.

    Parameters
    ----------
    x : dask.array.Array
        Its last axis is of the vector's width, in one chunk.
    kind : type
        The vectors: ``halfcl.half4`` …

    Returns
    -------
    dask.array.Array
        The same numbers; each block is an array of vectors. Dask does not know that, and takes
        comparisons for those of numbers: `map_blocks` with a dtype takes these to blocks.

    Raises
    ------
    ValueError
        If the last axis has another length, or several chunks.
    TypeError
        If the array's dtype is not that of the vector's components.

    Examples
    --------
    >>> import dask.array, halfcl as hc
    >>> from halfcl.dask import vectors
    >>> x = vectors(dask.array.ones((5, 4), chunks=(2, 4), dtype=hc.half), hc.half4)
    >>> (x + x).compute()[0]
    half4([2., 2., 2., 2.])
    """
    if x.dtype != np.dtype(kind).base:
        raise TypeError(f"vectors: argument x: expected dtype {np.dtype(kind).base}, got {x.dtype}")
    if x.ndim == 0 or x.shape[-1] != kind.width:
        raise ValueError(
            f"vectors: argument x: expected a last axis of length {kind.width}, got shape {x.shape}"
        )
    return da.map_blocks(_as_vectors, one_chunk("vectors", "x", x), kind.__name__, dtype=x.dtype)


def _as_vectors(block: NDArray[Any], kind: str) -> Vector:
    return block.view(type=TYPES[kind])
