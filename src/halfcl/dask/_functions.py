"""halfcl's functions for Dask arrays, block by block."""

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

#: The class of arrays that this adapter is for.
ARRAY = Array

#: An argument in the place of a Dask array.
Operand: TypeAlias = Array | ArrayLike


class ByName:
    """A function of halfcl with its keywords, which is pickled by its name.

    Along an axis of one chunk Dask passes blocks as lists of one block, and the function unwraps
    them: Dask can only concatenate the chunks of some libraries.
    """

    def __init__(self, name: str, keywords: dict[str, object]) -> None:
        self.__name__ = name
        self.keywords = keywords

    def __call__(self, *blocks: object, **more: object) -> NDArray[Any]:
        function = getattr(hc, self.__name__)
        result: NDArray[Any] = function(*map(_unwrap_lists, blocks), **self.keywords, **more)
        return result

    def __reduce__(self) -> tuple[type[ByName], tuple[str, dict[str, object]]]:
        return ByName, (self.__name__, self.keywords)

    def __dask_tokenize__(self) -> tuple[str, list[tuple[str, object]]]:
        return self.__name__, sorted(self.keywords.items())


def _unwrap_lists(block: object) -> object:
    while isinstance(block, list):
        (block,) = block
    return block


# ---------------------------------------------------------------- functions of elements


def map_elementwise(
    function: Callable[..., object], name: str, args: Sequence[object], keywords: dict[str, object]
) -> Array:
    """Map an element-wise function over the blocks of its arguments, lazily."""
    for i, x in enumerate(args):
        refuse_promise(name, str(i + 1), x)
        if not isinstance(x, (Array, np.ndarray, np.generic, float, int)):
            raise TypeError(
                f"{name}: argument {i + 1}: expected a number or an array of NumPy or Dask along "
                f"with Dask arrays, got {type(x).__name__}"
            )
    try:
        result = elemwise(function, *args, **keywords)
    except (TypeError, ValueError):
        check_arguments(function, args, keywords)
        raise
    if result is NotImplemented:  # Dask returns it if a call with one element failed
        check_arguments(function, args, keywords)
        raise TypeError(f"{name}: expected other arguments along with Dask arrays")
    return result


def check_arguments(
    function: Callable[..., object], args: Sequence[object], keywords: dict[str, object]
) -> None:
    """Raise the function's own error for arguments, if there is one, by calling it with no data."""
    function(*(empty_example(x) for x in args), **keywords)


def empty_example(x: object, components: tuple[int, ...] = ()) -> object:
    """Return an array without elements, or without vectors, in place of an array."""
    if not isinstance(x, (Array, np.ndarray)):
        return x
    return np.ones((0,) * (x.ndim - len(components)) + components, x.dtype)


def _call_elementwise(name: str, *arrays: object, **keywords: object) -> Array:
    """Call an element-wise function of halfcl, lazily."""
    for keyword, value in keywords.items():
        if isinstance(value, Array):
            raise TypeError(f"{name}: argument {keyword}: expected a value, got a Dask array")
    function = ByName(name, keywords)
    return map_elementwise(function, name, arrays, {})


def _convert(name: str, x: object, dtype: DTypeLike = hc.half, **keywords: object) -> Array:
    return _call_elementwise(name, x, dtype=dtype, **keywords)


def _call_on_vectors(name: str, x: Array, **keywords: object) -> Array:
    """Call a function of vectors, which lie along the last axis, in one chunk, lazily."""
    x = check_one_chunk(name, "x", x)
    call = ByName(name, keywords)
    example = call(np.ones((*(1,) * (x.ndim - 1), x.shape[-1]), x.dtype))
    chunks = (*x.chunks[:-1], example.shape[-1:])
    return da.map_blocks(call, x, chunks=chunks, meta=example[..., :0])


def check_one_chunk(name: str, argument: str, x: Array) -> Array:
    """Return the array; ValueError unless its last axis is one chunk of known length."""
    if x.ndim == 0 or len(x.chunks[-1]) != 1:
        raise ValueError(
            f"{name}: argument {argument}: expected vectors along an axis of one chunk, got "
            f"chunks {x.chunks[-1] if x.ndim else ()}; use x.rechunk({{-1: -1}})"
        )
    if math.isnan(x.shape[-1]):
        raise ValueError(
            f"{name}: argument {argument}: expected vectors of a known length, got shape "
            f"{x.shape}; use x.compute_chunk_sizes()"
        )
    return x


def _any_or_all(
    name: str, x: Array, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Array:
    if x.dtype.kind not in "biu":
        raise TypeError(f"{name}: argument x: expected bool or integers, got {x.dtype}")
    return getattr(da, name)(x, axis=axis, keepdims=keepdims)


#: The implementations for Dask arrays of functions that are not ufuncs, by name.
FUNCTIONS: dict[str, Callable[..., Array]] = {
    "convert": _convert,
    "any": _any_or_all,
    "all": _any_or_all,
    **dict.fromkeys(("select", "bitselect", "ulp_error", "ulps_between"), _call_elementwise),
}


def call(function: Callable[..., object], *args: object, **kwargs: object) -> Array:
    """Call a function of halfcl with arguments some of which are Dask arrays, lazily."""
    name = function.__name__
    if name in FUNCTIONS:
        return FUNCTIONS[name](name, *args, **kwargs)
    if name.startswith(("convert_", "as_")):
        is_of_vectors = name.rstrip("_rtezpnsa")[-1].isdigit()
        method: Callable[..., Array] = _call_on_vectors if is_of_vectors else _call_elementwise
        return method(name, *args, **kwargs)
    raise TypeError(
        f"{name}: expected arrays of NumPy, got a Dask array; use x.map_blocks(halfcl.{name})"
    )


def vectors(x: Array, kind: type[Vector]) -> Array:
    """Return a Dask array whose blocks are arrays of OpenCL's vectors.

    Parameters
    ----------
    x : dask.array.Array
        Its last axis has the vector's width and is one chunk.
    kind : type
        The type of the vectors: ``halfcl.half4`` …

    Returns
    -------
    dask.array.Array
        The same numbers; each block is an array of vectors. Dask does not know that, and expects
        comparisons to return bool: use `map_blocks` with a dtype for these.

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
    return da.map_blocks(
        _view_as_vectors, check_one_chunk("vectors", "x", x), kind.__name__, dtype=x.dtype
    )


def _view_as_vectors(block: NDArray[Any], kind: str) -> Vector:
    return block.view(type=TYPES[kind])
