"""halfcl's ufuncs for Dask arrays, each in the mode of its call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from dask.array import ufunc as da_ufunc
from dask.array.gufunc import apply_gufunc

import halfcl as hc
from halfcl import _core
from halfcl.dask._chunks import example_of
from halfcl.dask._functions import (
    ByName,
    Operand,
    check_arguments,
    check_one_chunk,
    empty_example,
    map_elementwise,
)
from halfcl.dask._reductions import Aligned, reduce, with_axes
from halfcl.dask._regions import refuse_random
from halfcl.reductions._arguments import Call
from halfcl.typing import RoundingMode


def call_ufunc(
    ufunc: np.ufunc, args: list[object], kwargs: dict[str, Any], rounding: RoundingMode | None
) -> da.Array | tuple[da.Array, ...]:
    """Call a halfcl.Function with Dask arrays, by its ufunc in the call's or the region's mode."""
    refuse_random()
    if ufunc.signature is not None:
        return _call_on_vectors(ufunc, args, **kwargs)
    if ufunc.nout == 2:
        return _make_two_results(ufunc)(*args, **kwargs)
    return map_elementwise(function_of_blocks(ufunc), function_and_mode(ufunc)[0], args, kwargs)


def function_of_blocks(ufunc: np.ufunc) -> ByName:
    """Return a ufunc as a function that takes arrays of any library."""
    name, mode = function_and_mode(ufunc)
    return ByName(name, {"rounding": mode})


def function_and_mode(ufunc: np.ufunc) -> tuple[str, str]:
    """Return the name of a ufunc's function, and the mode."""
    name, _, mode = ufunc.__name__.rpartition("_")
    return name, mode


def _refuse_keywords(name: str, keywords: dict[str, object]) -> None:
    for keyword in keywords:
        raise TypeError(f"{name}: argument {keyword}: expected no such keyword for Dask arrays")


def _make_two_results(ufunc: np.ufunc) -> Callable[..., tuple[da.Array, ...]]:
    """Return a function for a ufunc with two results, which Dask does not support by itself."""
    scalars = ["()"] * (ufunc.nin + ufunc.nout)
    signature = f"{','.join(scalars[: ufunc.nin])}->{','.join(scalars[ufunc.nin :])}"

    @functools.wraps(ufunc)
    def call(*args: object, **keywords: object) -> tuple[da.Array, ...]:
        _refuse_keywords(function_and_mode(ufunc)[0], keywords)
        examples = ufunc(*(empty_example(x) for x in args))
        arrays = Aligned.of([da.asanyarray(x) for x in args]).arrays
        ndim = max(x.ndim for x in arrays)
        metas = tuple(example_of(arrays, ndim, x.dtype) for x in examples)
        return apply_gufunc(function_of_blocks(ufunc), signature, *arrays, meta=metas)

    return call


# ---------------------------------------------------------------- functions of vectors


def _call_on_vectors(
    ufunc: np.ufunc,
    args: list[object],
    *,
    axis: int = -1,
    keepdims: bool = False,
    **keywords: object,
) -> da.Array:
    """Call a function of vectors along an axis, lazily."""
    name, mode = function_and_mode(ufunc)
    _refuse_keywords(name, keywords)
    arrays = [da.asanyarray(x) for x in args]
    if any(x.ndim == 0 for x in arrays) or len(args) != ufunc.nin:
        check_arguments(ufunc, args, {})
    arrays = [x if axis == -1 else da.moveaxis(x, axis, -1) for x in arrays]
    if name in _EXACT and any(len(x.chunks[-1]) != 1 for x in arrays):
        result = _EXACT[name](arrays, mode)
    else:
        for i, x in enumerate(arrays):
            check_one_chunk(name, str(i + 1), x)
        result = _map_vectors(ufunc, arrays)
    if has_scalar_results(ufunc):
        return da.expand_dims(result, axis) if keepdims else result
    return result if axis == -1 else da.moveaxis(result, -1, axis)


def has_scalar_results(ufunc: np.ufunc) -> bool:
    """Return whether a function of vectors returns one number per vector."""
    return (ufunc.signature or "").endswith("()")


def _map_vectors(ufunc: np.ufunc, arrays: list[da.Array]) -> da.Array:
    """Map a function over the blocks of vectors, which lie along last axes of one chunk each."""
    example = ufunc(*(empty_example(x, x.shape[-1:]) for x in arrays))
    most = max(x.ndim for x in arrays)
    kept = most - has_scalar_results(ufunc)
    like = example_of(arrays, kept, example.dtype)
    return da.blockwise(
        function_of_blocks(ufunc), tuple(range(kept)), *with_axes(arrays, most),
        concatenate=False, dtype=like.dtype, meta=like,
    )  # fmt: skip


def _dot(arrays: list[da.Array], mode: str) -> da.Array:
    return reduce(Call("dot", tuple(arrays), axis=-1, rounding=mode))


def _length(arrays: list[da.Array], mode: str) -> da.Array:
    """Return the norm, but infinity if a component is infinite, even if another is NaN."""
    (x,) = arrays
    norms = reduce(Call("length", (x,), axis=-1, rounding=mode))
    return da.where(da.isinf(x).any(axis=-1), norms.dtype.type(np.inf), norms)


#: Functions of vectors of any length that are exact reductions: the vectors may have several
#: chunks.
_EXACT: dict[str, Callable[[list[da.Array], str], da.Array]] = {"dot": _dot, "length": _length}


# ---------------------------------------------------------------- methods

#: What to use in place of methods that write to arrays or would round once per block.
_REFUSED = {
    "at": "use halfcl.select",
    "reduceat": "use halfcl.sum of slices",
    "accumulate": "use halfcl.cumsum",
    "reduce": "use halfcl.sum or halfcl.prod",
}


def call_method(
    ufunc: np.ufunc, method: str, args: tuple[Operand, ...], kwargs: dict[str, object]
) -> da.Array:
    """Call a method of a halfcl.Function with Dask arrays; only ``outer`` is supported."""
    refuse_random()
    name, _ = function_and_mode(ufunc)
    if method == "outer" and ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None:
        if len(args) != 2:
            raise TypeError(f"{name}.outer: expected two arrays, got {len(args)} arguments")
        return _OneResult(ufunc).outer(args[0], args[1], **kwargs)
    advice = _REFUSED.get(method, "only functions of two arguments have it")
    raise TypeError(f"{name}.{method}: expected arrays of NumPy, got Dask arrays; {advice}")


class _OneResult:
    """A wrapper of a ufunc with the method outer, where Dask looks for the ufunc."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc = ufunc

    def outer(self, a: Operand, b: Operand, **keywords: object) -> da.Array:
        first, second = da.asanyarray(a), da.asanyarray(b)
        name, _ = function_and_mode(self.ufunc)
        first = first[(..., *(None,) * second.ndim)]
        return map_elementwise(self.ufunc, name, (first, second), keywords)


def register() -> None:
    """Add halfcl's ufuncs to the module in which Dask looks up unknown ufuncs by name."""
    for row in hc._tables.TABLE:
        for mode in _core.MODES if row.public else ():
            ufunc = getattr(hc, f"{row.name}_{mode}")
            function = _OneResult(ufunc) if ufunc.nout == 1 else _make_two_results(ufunc)
            setattr(da_ufunc, ufunc.__name__, function)
